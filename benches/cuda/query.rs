//! Order, rows and sums over rows on the device, on a torus of triangles and a box of hexahedra.

use std::time::Instant;

use subsolid::backend::cuda::query::{AttributeLayout, DeviceQuery};
use subsolid::backend::{Backend, Cuda, Precision};
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{Polygons, SolidMesh, SurfaceMesh};
use subsolid::query::QueryStrategy;

use super::{REPEATS, median, torus};

/// Triangles of the torus: 2 × SIDE².
const SIDE: usize = 1732;

/// Every query summed, with stored rows in the order and without, and patch by patch, on meshes in
/// the order of a grid and shuffled, beside the time to write as many bytes as rows, starts and
/// both attributes have.
pub fn time() -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F32)?;
    for (input, mesh) in torus_of_triangles(SIDE) {
        let order = || DeviceQuery::time_order(&gpu, &mesh);
        order()?;
        let seconds = median((0..5).map(|_| order()).collect::<subsolid::Result<_>>()?);
        println!(
            "query, {} triangles, {input}: edges, order and incidence on the device {:.2} ms",
            mesh.faces.len(),
            seconds * 1e3
        );
        for strategy in [QueryStrategy::Rows, QueryStrategy::Unordered, QueryStrategy::Patches] {
            // the first one compiles the kernels and fills the pool of memory
            DeviceQuery::of_surface(&gpu, &mesh, strategy)?;
            let start = Instant::now();
            let mut query = DeviceQuery::of_surface(&gpu, &mesh, strategy)?;
            let built = start.elapsed();
            println!(
                "query, {} triangles, {input}, {strategy:?}: edges and order with the copy to the \
                 device {:.1} ms",
                mesh.faces.len(),
                built.as_secs_f64() * 1e3
            );
            sums(&gpu, &mut query, input, strategy)?;
        }
    }
    let grid = Shape::parse("box", &[100, 100, 100])?.build()?;
    for (input, mesh) in [("grid", grid.clone()), ("shuffled", shuffled_solid(&grid))] {
        for strategy in [QueryStrategy::Rows, QueryStrategy::Patches] {
            let mut query = DeviceQuery::of_solid(&gpu, &mesh, strategy)?;
            sums(&gpu, &mut query, input, strategy)?;
        }
    }
    Ok(())
}

/// A torus of 2 `side`² triangles, in the order of a grid and shuffled.
pub fn torus_of_triangles(side: usize) -> [(&'static str, SurfaceMesh); 2] {
    let (points, quads) = torus::torus(side);
    let corners = quads.as_chunks::<4>().0.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]);
    let grid = SurfaceMesh::new(points, Polygons::uniform(3, corners.collect()));
    let shuffled = shuffled_surface(&grid);
    [("grid", grid), ("shuffled", shuffled)]
}

fn sums(
    gpu: &Cuda,
    query: &mut DeviceQuery,
    input: &str,
    strategy: QueryStrategy,
) -> subsolid::Result<()> {
    for &op in query.ops() {
        let mut stored = 0.0;
        if strategy != QueryStrategy::Patches {
            query.rebuild(op)?;
            stored = median((0..5).map(|_| query.rebuild(op)).collect::<subsolid::Result<_>>()?);
        }
        let ones = |kind, count| {
            query.attribute(kind, 1, AttributeLayout::Interleaved, &vec![1.0_f32; count])
        };
        let values = ones(op.to(), query.count(op.to()))?;
        let sums = ones(op.from(), query.count(op.from()))?;
        let sum = query.sum::<f32>(op)?;
        let run = |query: &mut DeviceQuery| query.run(&sum, &[(&values).into(), (&sums).into()]);
        run(query)?;
        let times = (0..REPEATS).map(|_| run(query)).collect::<subsolid::Result<Vec<_>>>()?;
        let seconds = median(times);
        let entries: f64 = query.read(&sums)?.iter().map(|&sum| f64::from(sum)).sum();
        let bytes = 4 * (entries as usize + 2 * query.count(op.from()) + query.count(op.to()));
        let writing = median(gpu.time_writing(bytes, REPEATS)?);
        println!(
            "query, {op} of {input}, {strategy:?}: {:.1} µs, {:.0} GB/s, {:.0} % of write bandwidth; rows \
             in {:.2} ms",
            seconds * 1e6,
            bytes as f64 / seconds * 1e-9,
            100.0 * writing / seconds,
            stored * 1e3
        );
    }
    Ok(())
}

/// A permutation that is the same in every run.
fn permutation(count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    let mut state = 1u64;
    for i in (1..count).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        all.swap(i, (state >> 33) as usize % (i + 1));
    }
    all
}

fn shuffled_points(points: &[[f64; 3]]) -> (Vec<[f64; 3]>, Vec<usize>) {
    let new = permutation(points.len());
    let mut moved = points.to_vec();
    points.iter().zip(&new).for_each(|(&point, &v)| moved[v] = point);
    (moved, new)
}

fn shuffled_surface(mesh: &SurfaceMesh) -> SurfaceMesh {
    let (points, new) = shuffled_points(&mesh.points);
    let faces = permutation(mesh.faces.len());
    let corners = faces.iter().flat_map(|&f| mesh.faces.face(f)).map(|&v| new[v as usize] as u32);
    SurfaceMesh::new(points, Polygons::uniform(3, corners.collect()))
}

fn shuffled_solid(mesh: &SolidMesh) -> SolidMesh {
    let (points, new) = shuffled_points(&mesh.points);
    let cells = permutation(mesh.cells.len()).into_iter().map(|c| {
        let cell = mesh.cells.vertices(c);
        std::array::from_fn(|i| new[cell[i] as usize] as u32)
    });
    SolidMesh::from_hexahedra(points, &cells.collect::<Vec<[u32; 8]>>())
}

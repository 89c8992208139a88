//! Processing of a torus of triangles: normals, cotangent products, iterations of conjugate
//! gradients, the bilateral filter, geodesic distances.

use std::time::Instant;

use subsolid::backend::cuda::process::ResidentSurface;
use subsolid::backend::{Cuda, Precision};
use subsolid::mesh::SurfaceMesh;
use subsolid::process::surface::Cotangents;

use super::query::torus_of_triangles;
use super::{REPEATS, median};

/// Triangles of the large and of the small torus: 2 × SIDE².
const SIDE: usize = 1732;
const SMALL: usize = 707;

pub fn time() -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F32)?;
    for (input, mesh) in torus_of_triangles(SIDE) {
        let mut surface = ResidentSurface::<f32>::new(&gpu, &mesh)?;
        println!("process, {} triangles, {input}", mesh.faces.len());
        tell("normals", repeat(REPEATS, || surface.device_normals().map(|_| surface.seconds()))?);
        let coordinates: Vec<f32> =
            mesh.points.iter().flat_map(|p| [p[0], p[1], p[2], 0.0]).map(|x| x as f32).collect();
        let values = surface.attribute(4, &coordinates)?;
        for cotangents in [Cotangents::Stored, Cotangents::Recomputed] {
            let product =
                || surface.device_laplacian(&values, cotangents).map(|_| surface.seconds());
            let name = format!("cotangent product of three columns, {cotangents:?}");
            tell(&name, repeat(REPEATS, product)?);
        }
        for rings in [1, 2] {
            let mut surface = ResidentSurface::<f32>::new(&gpu, &mesh)?;
            let sweep = || surface.denoise(rings).map(|()| surface.seconds());
            tell(&format!("bilateral sweep, {rings} rings"), repeat(5, sweep)?);
        }
        for cotangents in [Cotangents::Stored, Cotangents::Recomputed] {
            let mut surface = ResidentSurface::<f32>::new(&gpu, &mesh)?;
            // so long a time that iterations are many
            surface.flow(1.0, cotangents)?;
            let (seconds, count) = (surface.seconds(), surface.iterations());
            let name = format!("curvature flow, {cotangents:?}, each of {count} iterations");
            tell(&name, seconds / count as f64);
        }
    }
    for (input, mesh) in torus_of_triangles(SMALL) {
        println!("process, {} triangles, {input}", mesh.faces.len());
        distances(&gpu, &mesh)?;
    }
    Ok(())
}

fn distances(gpu: &Cuda, mesh: &SurfaceMesh) -> subsolid::Result<()> {
    let mut single = ResidentSurface::<f32>::new(gpu, mesh)?;
    let mut double = ResidentSurface::<f64>::new(gpu, mesh)?;
    let radius = |p: &[f64; 3]| p[0].hypot(p[1]);
    let farthest = |height: &dyn Fn(&[f64; 3]) -> f64| {
        let heights = mesh.points.iter().map(height).zip(0_u32..);
        [heights.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, v)| v)]
    };
    let places = [
        ("outside", farthest(&radius)),
        ("inside", farthest(&|p| -radius(p))),
        ("the top", farthest(&|p| p[2])),
    ];
    for (place, source) in places {
        let seconds = repeat(5, || single.toplesets(&source).map(|_| single.seconds()))?;
        tell(&format!("toplesets, f32, from {place}"), seconds);
        let seconds = repeat(5, || double.toplesets(&source).map(|_| double.seconds()))?;
        tell(&format!("toplesets, f64, from {place}"), seconds);
    }
    let start = Instant::now();
    double.heat_distance(&[0])?;
    let first = start.elapsed().as_secs_f64();
    let heat = repeat(5, || double.heat_distance(&[0]).map(|_| double.seconds()))?;
    tell(&format!("heat method, f64, {} iterations", double.iterations()), heat);
    let start = Instant::now();
    double.heat_distance(&[0])?;
    let again = start.elapsed().as_secs_f64();
    tell("heat method, weights and levels of the first call", first - again);
    tell("heat method, a later call with what the host does", again);
    Ok(())
}

/// The median of some runs after a warm-up.
fn repeat(times: usize, mut run: impl FnMut() -> subsolid::Result<f64>) -> subsolid::Result<f64> {
    run()?;
    Ok(median((0..times).map(|_| run()).collect::<subsolid::Result<Vec<_>>>()?))
}

fn tell(name: &str, seconds: f64) {
    println!("process, {name}: {:.1} µs", seconds * 1e6);
}

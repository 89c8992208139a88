//! Points close to what is extraordinary and to reentrant edges are found again.

use nalgebra::Vector3;
use subsolid::backend::{Backend, Cpu};
use subsolid::limit::{LeafKind, Solid};
use subsolid::locate::Locator;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::{Shape, VertexLink};
use subsolid::plan::{Location, Samples, Want};
use subsolid::refine::crease_by_angle;

/// The greatest residual of the points at these places, in length units, and as a part of the size
/// of their cells.
fn greatest_residuals(mesh: &SolidMesh, solid: &Solid, places: Vec<Location>) -> [f64; 2] {
    let diagonal = |place: &Location| {
        let corners = mesh.cells.hexahedron(place.element as usize).unwrap();
        let points = corners.map(|v| Vector3::from(mesh.points[v as usize]));
        let low = points.iter().copied().reduce(|a, b| a.inf(&b)).unwrap();
        let high = points.iter().copied().reduce(|a, b| a.sup(&b)).unwrap();
        (high - low).norm()
    };
    let sizes: Vec<f64> = places.iter().map(diagonal).collect();
    let plan = solid.plan(&Samples::Points(places), Want::POSITION).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let locator = Locator::new(solid, mesh.controls()).unwrap();
    sizes.iter().enumerate().fold([0.0; 2], |[most, part], (i, size)| {
        let residual = locator.nearest(limit.positions.triple(i)).unwrap().residual;
        [residual.max(most), part.max(residual / size)]
    })
}

/// Close to a reentrant edge pieces are smaller than the tolerance. Where all of their halves
/// were looked at, each of these points took seconds.
#[test]
fn points_beside_a_reentrant_edge_are_found() {
    let jitter = |i: usize| 0.05 * (12.9898 * (i + 1) as f64).sin();
    let grid = (0..18).map(|i| {
        let at = [i % 3, i / 3 % 3, i / 9];
        std::array::from_fn(|d| at[d] as f64 + jitter(3 * i + d))
    });
    let points: Vec<[f64; 3]> = grid.collect();
    let cell = |x: u32, y: u32| {
        let at = |dx: u32, dy: u32, z: u32| x + dx + 3 * (y + dy) + 9 * z;
        let ring = |z| [at(0, 0, z), at(1, 0, z), at(1, 1, z), at(0, 1, z)];
        let ([a, b, c, d], [e, f, g, h]) = (ring(0), ring(1));
        [a, b, c, d, e, f, g, h]
    };
    let mut mesh = SolidMesh::from_hexahedra(points, &[cell(0, 0), cell(1, 0), cell(0, 1)]);
    crease_by_angle(&mut mesh, 30.0).unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let place = |i: i32| {
        let off = 10_f64.powi(-9 - i % 5);
        let along = 0.1 + 0.008 * f64::from(i);
        let parameters = match i % 3 {
            0 => [1.0 - off, 1.0 - off / 3.0, along],
            1 => [off, 1.0 - off / 3.0, along],
            _ => [1.0 - off, off / 3.0, along],
        };
        Location { element: (i % 3) as u32, parameters }
    };
    let [residual, _] = greatest_residuals(&mesh, &solid, (0..90).map(place).collect());
    assert!(residual < 1e-14, "{residual:e}");
}

/// Points at all distances from extraordinary vertices and edges, some cells of each mesh.
#[test]
fn points_at_all_scales_are_found() {
    let icosahedron = Shape::Link { link: VertexLink::icosahedron(), rings: 1 };
    let shapes = [icosahedron, Shape::Fan { valence: 5, layers: 1, rings: 2 }, Shape::Bracket];
    for shape in shapes {
        let mesh = shape.build().unwrap();
        let solid = Solid::new(&mesh).unwrap();
        let leaves = solid.leaves().iter();
        let inexact: Vec<_> =
            leaves.filter(|leaf| !matches!(leaf.kind, LeafKind::Regular(_))).collect();
        let mut places = Vec::new();
        for leaf in inexact.iter().step_by(inexact.len().div_ceil(3)) {
            for corner in [0_u32, 3, 5, 6] {
                places.extend((0..40).step_by(5).map(|k| {
                    let off = [0.3, 0.9, 0.6].map(|part: f64| part * 0.5_f64.powi(k));
                    let local = |d: usize| match corner >> d & 1 {
                        0 => off[d],
                        _ => 1.0 - off[d],
                    };
                    let scale = 0.5_f64.powi(leaf.depth.into());
                    let at = |d: usize| (f64::from(leaf.origin[d]) + local(d)) * scale;
                    Location { element: leaf.element, parameters: [0, 1, 2].map(at) }
                }));
            }
        }
        let [_, part] = greatest_residuals(&mesh, &solid, places);
        assert!(part <= 1e-12, "{part:e} of the size of a cell");
    }
}

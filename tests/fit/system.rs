//! Control points whose limits are given, and moves of the inside.

use subsolid::backend::Cpu;
use subsolid::fit::{LimitSystem, follow_boundary};
use subsolid::mesh::shape::Shape;
use subsolid::scheme::Scheme;
use subsolid::surface::boundary_surface;
use subsolid::surface::limit::LimitSurface;
use subsolid::topology::Topology;

fn masks(cells: [usize; 3], creased: bool) -> (LimitSystem, Vec<[f64; 3]>) {
    let mut mesh = Shape::Box { cells }.build().unwrap();
    if creased {
        subsolid::refine::crease_by_angle(&mut mesh, 40.0).unwrap();
    }
    let skin = boundary_surface(&mesh).unwrap();
    let surface = LimitSurface::of_mesh(&skin, Scheme::CatmullClark).unwrap();
    (LimitSystem::new(surface.vertex_masks().positions().clone()), skin.points)
}

#[test]
fn limits_pass_through_values() {
    for (cells, creased) in [([2, 3, 4], false), ([2, 3, 4], true), ([5, 1, 1], false)] {
        let (system, points) = masks(cells, creased);
        let values: Vec<f64> =
            points.iter().flat_map(|&[x, y, z]| [x * x + 1e6, (y - z).sin(), z]).collect();
        let controls = system.solve(&values, 3).unwrap();
        let limits = system.rows().apply(&controls, 3);
        let most = limits.iter().zip(&values).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(most <= 1e-9, "{cells:?} {creased}: {most:e}");
    }
}

/// One solver for arrays of several widths, each as if it were alone.
#[test]
fn a_solver_is_used_again() {
    let (system, points) = masks([3, 2, 2], true);
    let mut solver = system.solver(&Cpu::default()).unwrap();
    let wave: Vec<f64> = points.iter().map(|p| (p[0] + 2.0 * p[1]).sin()).collect();
    for (values, width) in [(&wave[..], 1), (points.as_flattened(), 3), (&wave[..], 1)] {
        let controls = solver.solve(values, width).unwrap();
        assert_eq!(controls, system.solve(values, width).unwrap());
        let limits = system.rows().apply(&controls, width);
        assert!(limits.iter().zip(values).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(solver.seconds() > 0.0);
    }
    assert!(solver.solve(&wave, 2).is_err());
}

/// The limit of the smooth cube does not see vertices that move in and out by turns.
#[test]
fn a_singular_system_moves_as_little_as_it_can() {
    let (system, points) = masks([1; 3], false);
    let controls = system.solve(points.as_flattened(), 3).unwrap();
    // the cube about (1/2, 1/2, 1/2), by 24/12 = 2
    for (x, control) in points.as_flattened().iter().zip(&controls) {
        assert!((control - (2.0 * x - 0.5)).abs() < 1e-12, "{x} {control}");
    }
    let alternating: Vec<f64> =
        points.iter().map(|p| 1.0 - 2.0 * (p.iter().sum::<f64>() as u32 % 2) as f64).collect();
    let refused = system.solve(&alternating, 1).unwrap_err();
    assert!(refused.to_string().contains("no control points have these limits"), "{refused}");
}

#[test]
fn a_linear_move_of_the_boundary_is_linear_inside() {
    let mesh = Shape::Box { cells: [3, 4, 5] }.build().unwrap();
    let topology = Topology::of_mesh(&mesh).unwrap();
    let linear = |p: &[f64; 3]| [0.1 * p[0] + 0.3 * p[2], -0.2 * p[1], 0.5 + p[0]];
    let moved = |p: &[f64; 3]| {
        let by = linear(p);
        [0, 1, 2].map(|d| p[d] + by[d])
    };
    let mut after: Vec<[f64; 3]> = mesh.points.iter().map(moved).collect();
    for v in (0..mesh.points.len()).filter(|&v| !topology.is_boundary_vertex(v as u32)) {
        after[v] = [f64::NAN; 3];
    }
    follow_boundary(&topology, &mesh.points, &mut after).unwrap();
    for (p, found) in mesh.points.iter().zip(&after) {
        for (a, b) in moved(p).iter().zip(found) {
            assert!((a - b).abs() < 1e-10, "{found:?}");
        }
    }
}

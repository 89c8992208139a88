//! Untangling of all models, and of blocks and shapes that were folded.

use subsolid::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::process::solid::{least_determinant, untangle};
use subsolid::topology::Topology;

use crate::oracle::random::Random;
use crate::support::meshes::{block, models};

/// The least scaled Jacobian at corners, by edges to neighbors in VTK's order.
fn least(mesh: &SolidMesh) -> f64 {
    let subtract = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let length = |a: [f64; 3]| a.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut least = f64::INFINITY;
    for hex in mesh.cells.hexahedra().unwrap() {
        for i in 0..8 {
            let (ring, base) = (i % 4, i / 4 * 4);
            let to = [base + (ring + 1) % 4, base + (ring + 3) % 4, (i + 4) % 8];
            let [a, b, c] =
                to.map(|j| subtract(mesh.points[hex[j] as usize], mesh.points[hex[i] as usize]));
            let cross =
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            let side = if i < 4 { 1.0 } else { -1.0 };
            let determinant: f64 = (0..3).map(|d| cross[d] * c[d]).sum();
            least = least.min(side * determinant / (length(a) * length(b) * length(c)));
        }
    }
    least
}

fn boundary(mesh: &SolidMesh) -> Vec<bool> {
    let topology = Topology::build(mesh.cells.clone(), mesh.points.len()).unwrap();
    (0..mesh.points.len() as u32).map(|v| topology.is_boundary_vertex(v)).collect()
}

#[test]
fn quality_never_falls() {
    println!("{:<24} {:>9} {:>9} {:>9} {:>9}", "model", "before", "after", "folded", "after");
    for (name, mut mesh) in models() {
        let start = mesh.clone();
        let report = untangle(&mut mesh, |_| ()).unwrap();
        let (a, b) = (report.before, report.after);
        println!(
            "{name:<24} {:>9.4} {:>9.4} {:>9} {:>9}",
            a.least, b.least, a.non_positive, b.non_positive
        );
        assert!(b.least >= a.least && b.non_positive <= a.non_positive, "{name}");
        for (v, on) in boundary(&start).into_iter().enumerate() {
            assert!(!on || mesh.points[v] == start.points[v], "{name}: vertex {v} moved");
        }
    }
}

/// Inner vertices thrown about until cells fold.
#[test]
fn folded_meshes_unfold() {
    println!(
        "{:<12} {:>6} {:>9} {:>9} {:>9} {:>9}",
        "mesh", "moved", "before", "after", "folded", "after"
    );
    let shapes = [
        ("block", block([6, 6, 6])),
        ("cylinder", Shape::Cylinder { core: 4, rings: 2, layers: 8 }.build().unwrap()),
        ("torus", Shape::Torus { major: 16, core: 2, rings: 2 }.build().unwrap()),
    ];
    for (name, shape) in shapes {
        for percent in [1, 5, 10, 20] {
            let mut mesh = shape.clone();
            let mut random = Random::new(17 + percent);
            let inner: Vec<usize> =
                boundary(&mesh).iter().enumerate().filter(|x| !x.1).map(|x| x.0).collect();
            let count = (inner.len() * percent as usize).div_ceil(100);
            let size = {
                let hex = mesh.cells.hexahedra().unwrap()[0];
                let [p, q] = [0, 6].map(|i: usize| mesh.points[hex[i] as usize]);
                (0..3).map(|d| (p[d] - q[d]).powi(2)).sum::<f64>().sqrt()
            };
            for _ in 0..count {
                let v = inner[random.below(inner.len())];
                mesh.points[v].iter_mut().for_each(|x| *x += random.between(-1.5, 1.5) * size);
            }
            let before = least(&mesh);
            let report = untangle(&mut mesh, |_| ()).unwrap();
            let after = least(&mesh);
            println!(
                "{name:<12} {percent:>5}% {before:>9.4} {after:>9.4} {:>9} {:>9}",
                report.before.non_positive, report.after.non_positive
            );
            assert!((report.before.least - before).abs() < 1e-12, "{name} {percent}");
            assert!((report.after.least - after).abs() < 1e-12, "{name} {percent}");
            assert!(after > 0.0 && report.after.non_positive == 0, "{name} {percent} %: {after}");
        }
    }
}

/// The bound against det J of a box, whose limit has creases at all edges; and a fold.
#[test]
fn the_bound_of_the_limit_holds() {
    let mut mesh = block([3, 3, 3]);
    // parameters of cells are coordinates where the limit is the box itself
    let topology = Topology::build(mesh.cells.clone(), mesh.points.len()).unwrap();
    let on = |p: [f64; 3]| p.iter().filter(|&&x| x == 0.0 || x == 3.0).count();
    for e in 0..topology.edge_count() as u32 {
        let [a, b] = topology.edge_vertices(e);
        let [p, q] = [a, b].map(|v| mesh.points[v as usize]);
        let middle = std::array::from_fn(|d| if p[d] == q[d] { p[d] } else { 1.5 });
        if on(middle) >= 2 {
            mesh.creases.push_edge(a, b, f64::INFINITY);
        }
    }
    for (v, p) in (0..).zip(&mesh.points) {
        if on(*p) == 3 {
            mesh.creases.push_corner(v, f64::INFINITY);
        }
    }
    let found = least_determinant(&mesh).unwrap();
    assert!((found.bound - 1.0).abs() < 1e-12 && found.non_positive == 0, "{found:?}");
    let folded = crate::support::meshes::folded_block();
    let found = least_determinant(&folded).unwrap();
    assert!(found.bound < 0.0 && found.non_positive > 0, "{found:?}");
}

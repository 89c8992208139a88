//! Untangling of all models, and of blocks and shapes that were folded.

use subsolid::SolidMesh;
use subsolid::backend::{Backend, Cpu};
use subsolid::limit::Solid;
use subsolid::locate::Locator;
use subsolid::mesh::shape::Shape;
use subsolid::numbers::Precision;
use subsolid::plan::{Samples, Want};
use subsolid::scheme::VertexRule;
use subsolid::topology::Topology;
use subsolid::untangle::{BoundaryMotion, least_determinant, untangle};

use crate::oracle::random::Random;
use crate::oracle::vector::{Greatest, greater};
use crate::process::fronts::shells;
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

/// det J of the limit at samples of each cell, cells taken right-handed.
fn determinants(mesh: &SolidMesh, samples: &Samples) -> Vec<f64> {
    let mut mesh = mesh.clone();
    subsolid::refine::reorient(&mut mesh).unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(samples, Want::FIRST).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let determinant = |i: usize| {
        let [u, v, w] = [0, 1, 2].map(|d| limit.derivatives[d].triple(i));
        let cross = [0, 1, 2].map(|d| {
            let [e, f] = [(d + 1) % 3, (d + 2) % 3];
            v[e] * w[f] - v[f] * w[e]
        });
        (0..3).map(|d| u[d] * cross[d]).sum::<f64>()
    };
    (0..limit.len()).map(determinant).collect()
}

/// Cells of the limit that are folded at 5³ Gauss points.
fn folded_limit_cells(mesh: &SolidMesh) -> usize {
    let all = determinants(mesh, &Samples::gauss(5).unwrap());
    all.chunks(125).filter(|own| own.iter().any(|&determinant| determinant <= 0.0)).count()
}

#[test]
fn quality_never_falls() {
    println!("{:<24} {:>9} {:>9} {:>9} {:>9}", "model", "before", "after", "folded", "after");
    for (name, mut mesh) in models() {
        let start = mesh.clone();
        let report = untangle(&mut mesh, BoundaryMotion::Fixed, |_| Ok(())).unwrap();
        let (a, b) = (report.before, report.after);
        println!(
            "{name:<24} {:>9.4} {:>9.4} {:>9} {:>9}",
            a.least, b.least, a.non_positive, b.non_positive
        );
        assert!(b.least >= a.least && b.non_positive <= a.non_positive, "{name}");
        let (a, b) = (report.limit_before, report.limit_after);
        println!("{:<24} {:>9} {:>9} {:>9}", "limit", a.folded, b.folded, report.part);
        assert_eq!([a.folded, b.folded], [&start, &mesh].map(folded_limit_cells), "{name}");
        assert!(b.folded <= a.folded, "{name}: {a:?} {b:?}");
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
            let report = untangle(&mut mesh, BoundaryMotion::Fixed, |_| Ok(())).unwrap();
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

/// A box of `n` cells per side, with creases at all its edges and sharp corners.
fn creased_box(n: usize) -> SolidMesh {
    let mut mesh = block([n; 3]);
    let size = n as f64;
    let topology = Topology::build(mesh.cells.clone(), mesh.points.len()).unwrap();
    for e in 0..topology.edge_count() as u32 {
        let [a, b] = topology.edge_vertices(e);
        let [p, q] = [a, b].map(|v| mesh.points[v as usize]);
        let middle = std::array::from_fn(|d| if p[d] == q[d] { p[d] } else { 0.5 * size });
        if sides(middle, size) >= 2 {
            mesh.creases.push_edge(a, b, f64::INFINITY);
        }
    }
    for (v, p) in (0..).zip(&mesh.points) {
        if sides(*p, size) == 3 {
            mesh.creases.push_corner(v, f64::INFINITY);
        }
    }
    mesh
}

/// Sides of the box that a point is on.
fn sides(p: [f64; 3], size: f64) -> usize {
    p.iter().filter(|&&x| x == 0.0 || x == size).count()
}

/// Vertices moved within the sides and along the edges of a box: sliding brings them back into
/// shape, in their planes and on their lines.
#[test]
fn sliding_vertices_stay_on_sides_and_edges() {
    let exact = creased_box(4);
    let mut mesh = exact.clone();
    let mut random = Random::new(5);
    for p in &mut mesh.points {
        let fixed = p.map(|x| x == 0.0 || x == 4.0);
        if fixed != [false; 3] {
            (0..3).filter(|&d| !fixed[d]).for_each(|d| p[d] += random.between(-0.45, 0.45));
        }
    }
    let moved = mesh.clone();
    let mut stays = mesh.clone();
    let fixed = untangle(&mut stays, BoundaryMotion::Fixed, |_| Ok(())).unwrap();
    assert_eq!((fixed.slid, fixed.deviation), (0, 0.0));
    let slid = untangle(&mut mesh, BoundaryMotion::Slide, |_| Ok(())).unwrap();
    println!("box: {:.4}, fixed {:.4}, slid {slid:?}", slid.before.least, fixed.after.least);
    assert!((slid.after.least - least(&mesh)).abs() < 1e-12);
    assert!(slid.after.least > 0.9 && slid.after.least > fixed.after.least + 0.2);
    assert!(slid.slid == 90 && slid.deviation < 1e-12, "{slid:?}");
    for ((p, q), start) in exact.points.iter().zip(&mesh.points).zip(&moved.points) {
        for d in (0..3).filter(|&d| p[d] == 0.0 || p[d] == 4.0) {
            assert!((p[d] - q[d]).abs() < 1e-12, "{start:?} went to {q:?}");
        }
    }
    let before = least_determinant(&moved).unwrap();
    let after = least_determinant(&mesh).unwrap();
    assert!(after.bound > before.bound && after.bound > 0.0, "{before:?} {after:?}");
}

/// A ball of n³ cells: a cube blown up.
fn ball(n: usize) -> SolidMesh {
    let mut mesh = block([n; 3]);
    for p in &mut mesh.points {
        let q = p.map(|x| 2.0 * x / n as f64 - 1.0);
        let longest = q.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        *p = q.map(|x| if length > 0.0 { x * (1.0 + 0.6 * (longest / length - 1.0)) } else { x });
    }
    mesh
}

/// Vertices of the boundary of a mesh refined so often, and its triangles.
fn skin(mesh: &SolidMesh, levels: usize) -> (Vec<[f64; 3]>, Vec<[[f64; 3]; 3]>) {
    let fine = subsolid::refine_mesh(mesh, levels, VertexRule::default()).unwrap();
    let topology = Topology::build(fine.cells.clone(), fine.points.len()).unwrap();
    let at = |v: u32| fine.points[v as usize];
    let vertices = (0..fine.points.len() as u32).filter(|&v| topology.is_boundary_vertex(v));
    let faces = (0..topology.face_count() as u32).filter(|&f| topology.is_boundary_face(f));
    let triangles = faces.flat_map(|f| {
        let p: Vec<_> = topology.face_vertices(f).iter().map(|&v| at(v)).collect();
        [[p[0], p[1], p[2]], [p[0], p[2], p[3]]]
    });
    (vertices.map(at).collect(), triangles.collect())
}

/// Distance of a point from a triangle: from its plane where the point is above it, else from its
/// sides.
fn distance_to(triangle: &[[f64; 3]; 3], x: [f64; 3]) -> f64 {
    let [a, b, c] = triangle.map(nalgebra::Vector3::from);
    let x = nalgebra::Vector3::from(x);
    let normal = (b - a).cross(&(c - a)).normalize();
    let sides = [(a, b), (b, c), (c, a)];
    if sides.iter().all(|&(p, q)| (q - p).cross(&(x - p)).dot(&normal) >= 0.0) {
        return (x - a).dot(&normal).abs();
    }
    let to_side = |&(p, q): &(nalgebra::Vector3<f64>, nalgebra::Vector3<f64>)| {
        let along: f64 = (x - p).dot(&(q - p)) / (q - p).norm_squared();
        (p + (q - p) * along.clamp(0.0, 1.0) - x).norm()
    };
    sides.iter().map(to_side).fold(f64::INFINITY, f64::min)
}

/// Vertices moved along a ball: sliding improves it, and its limit stays where it was. Refined
/// surfaces are compared with each other.
#[test]
fn sliding_keeps_the_limit_of_a_ball() {
    let mut mesh = ball(4);
    let mut random = Random::new(11);
    let length = |q: [f64; 3]| q.iter().map(|x| x * x).sum::<f64>().sqrt();
    for v in (0..mesh.points.len()).zip(boundary(&mesh)).filter_map(|(v, on)| on.then_some(v)) {
        let p = mesh.points[v];
        let moved = p.map(|x| x + random.between(-0.12, 0.12));
        mesh.points[v] = moved.map(|x| x * length(p) / length(moved));
    }
    let start = mesh.clone();
    let slid = untangle(&mut mesh, BoundaryMotion::Slide, |_| Ok(())).unwrap();
    let mut stays = start.clone();
    let fixed = untangle(&mut stays, BoundaryMotion::Fixed, |_| Ok(())).unwrap();
    println!("ball: {:.4}, fixed {:.4}, slid {slid:?}", slid.before.least, fixed.after.least);
    assert!(slid.slid > 50 && slid.after.least > fixed.after.least + 0.005);
    let ((_, old), (new, _)) = (skin(&start, 3), skin(&mesh, 3));
    let distances = new.iter().step_by(3).map(|&x| {
        old.iter().map(|triangle| distance_to(triangle, x)).fold(f64::INFINITY, f64::min)
    });
    let farthest = distances.greatest();
    println!("ball: refined surfaces {farthest:.2e} apart");
    // a thousandth of the diagonal
    assert!(slid.deviation <= 1e-3 * 12.0_f64.sqrt(), "{}", slid.deviation);
    // facets of this size are off by less than 0.002
    assert!(farthest < slid.deviation + 2e-3, "{farthest}");
}
/// The greatest distance of a limit from another one, by the points of a 7 × 7 × 7 lattice in
/// every cell that are outside.
fn greatest_outside(of: &SolidMesh, from: &SolidMesh) -> f64 {
    let limit = |mesh: &SolidMesh| Solid::new(mesh).unwrap();
    let (inner, outer) = (limit(of), limit(from));
    let locator = Locator::new(&outer, from.controls()).unwrap();
    let plan = inner.plan(&Samples::grid(7), Want::POSITION).unwrap();
    let found = Cpu::new(Precision::F64).evaluate(&plan, of.controls()).unwrap();
    let points: Vec<f64> = found.positions.iter().collect();
    let distance = |p: &[f64]| locator.nearest([p[0], p[1], p[2]]).unwrap().residual;
    points.chunks_exact(3).map(distance).greatest()
}

/// Cubes in each other with vertices moved: what slides stays within a thousandth of the diagonal,
/// seen from the surface of before and from that of after.
#[test]
fn sliding_keeps_what_it_promises() {
    let mut most = 0.0f64;
    for seed in 0..3 {
        let start = shells(0.3, seed);
        let mut mesh = start.clone();
        let report = untangle(&mut mesh, BoundaryMotion::Slide, |_| Ok(())).unwrap();
        if report.slid == 0 {
            continue;
        }
        // a vertex of no cell counts for nothing
        let mut beside = start.clone();
        beside.points.push([1e3; 3]);
        untangle(&mut beside, BoundaryMotion::Slide, |_| Ok(())).unwrap();
        assert_eq!(beside.points[..mesh.points.len()], mesh.points);
        let (low, high) = start.bounds().unwrap();
        let diagonal = (0..3).map(|d| (high[d] - low[d]).powi(2)).sum::<f64>().sqrt();
        let off = greatest_outside(&start, &mesh).max(greatest_outside(&mesh, &start)) / diagonal;
        println!("{seed}: {off:.2e} of the diagonal, reported {:.2e}", report.deviation / diagonal);
        assert!(off < 1.02e-3, "{seed}: {off:e}");
        assert!(report.deviation / diagonal > 0.98 * off, "{seed}: {off:e}, {report:?}");
        most = greater(most, off);
    }
    // there are some that are limited
    assert!(most > 3e-4, "{most:e}");
}

/// Whether cells are folded does not depend on the scales of axes: nor does it whether they unfold,
/// and a plate may lie in any direction.
#[test]
fn thin_meshes_unfold() {
    let mut random = Random::new(4);
    let mut thick = block([4, 3, 3]);
    for (p, on) in thick.points.iter_mut().zip(boundary(&block([4, 3, 3]))) {
        if !on {
            p.iter_mut().for_each(|x| *x += random.between(-0.9, 0.9));
        }
    }
    let (sine, cosine) = 0.7f64.sin_cos();
    for thickness in [1.0, 1e-2, 1e-4] {
        for is_turned in [false, true] {
            let mut mesh = thick.clone();
            for p in &mut mesh.points {
                p[1] *= thickness;
                if is_turned {
                    *p = [cosine * p[0] - sine * p[1], sine * p[0] + cosine * p[1], p[2]];
                }
            }
            let before = least(&mesh);
            let report = untangle(&mut mesh, BoundaryMotion::Fixed, |_| Ok(())).unwrap();
            println!("{thickness:e} {is_turned}: {before:.4} to {:.4}", report.after.least);
            assert!(report.before.non_positive > 0 && before < 0.0);
            assert!((report.after.least - least(&mesh)).abs() < 1e-12);
            // cells 10,000 times as wide as thick are not straightened
            let least = if thickness < 1e-3 { 0.0 } else { 0.99 };
            assert!(report.after.non_positive == 0 && report.after.least > least, "{report:?}");
        }
    }
}

/// The bound against det J of a box, whose limit has creases at all edges; and a fold.
#[test]
fn the_bound_of_the_limit_holds() {
    // parameters of cells are coordinates where the limit is the box itself
    let mesh = creased_box(3);
    let found = least_determinant(&mesh).unwrap();
    assert!((found.bound - 1.0).abs() < 1e-12 && found.non_positive == 0, "{found:?}");
    // how cells are listed does not matter
    let mirrored = mesh.cells.hexahedra().unwrap().iter();
    let mirrored: Vec<_> = mirrored.map(|v| [0, 3, 2, 1, 4, 7, 6, 5].map(|i| v[i])).collect();
    let mirrored = SolidMesh::from_hexahedra(mesh.points.clone(), &mirrored);
    let mirrored = SolidMesh { creases: mesh.creases.clone(), ..mirrored };
    assert_eq!(least_determinant(&mirrored).unwrap(), found);
    let folded = crate::support::meshes::folded_block();
    let found = least_determinant(&folded).unwrap();
    assert!(found.bound < 0.0 && found.non_positive > 0, "{found:?}");
}

/// The bound is below det J at 9³ points of each cell, and near it: cells that are far from a fold are
/// proven to have none, and those that are folded there are counted.
#[test]
fn no_determinant_is_below_the_bound() {
    let (mut proven, mut folded) = (0, 0);
    for case in 0..24 {
        let mut mesh = creased_box(4);
        let mut random = Random::new(case);
        let reach = 0.4 + 0.07 * case as f64;
        for (point, on) in mesh.points.iter_mut().zip(boundary(&creased_box(4))) {
            if !on {
                point.iter_mut().for_each(|x| *x += random.between(-reach, reach));
            }
        }
        let found = least_determinant(&mesh).unwrap();
        let all = determinants(&mesh, &Samples::grid(9));
        let least: Vec<f64> =
            all.chunks(729).map(|own| own.iter().copied().fold(f64::INFINITY, f64::min)).collect();
        let lowest = least.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(found.bound <= lowest + 1e-12, "{case}: {found:?} {lowest}");
        let negative = least.iter().filter(|&&least| least < -1e-9).count();
        assert!(negative <= found.folded && found.folded <= found.negative, "{case}: {found:?}");
        // cells between are few
        let doubtful = least.iter().filter(|&&least| least < 0.01).count();
        assert!(found.negative <= doubtful, "{case}: {found:?} {doubtful}");
        proven += u32::from(found.bound > 0.0);
        folded += found.folded;
    }
    assert!(proven > 5 && folded > 20, "{proven} {folded}");
}

//! Whether the numbers serve: problems with known solutions, solved from the exported
//! arrays alone.
//!
//! The basis at a smooth or sharp boundary has no second derivative across it (its end
//! condition is p₋₁ = 2p₀ − p₁), and the boundary values depend on the boundary's own
//! control points only. So values on the boundary are imposed exactly, as coefficients,
//! where the solution is 0 or linear in space; and the full order 4 is reached by
//! solutions whose second derivative across the boundary is 0 there.

use std::collections::HashMap;
use std::f64::consts::PI;

use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::quadrature::QuadratureScheme;
use subsolid::refine::crease_by_angle;
use subsolid::topology::{NONE, Topology};

use super::archive::Archive;
use super::system::{elasticity, poisson};
use crate::oracle::vector::Greatest;
use crate::support::meshes::{block, fan, model};
use crate::support::size;

/// For every vertex whether it lies on the boundary.
fn on_boundary(mesh: &SolidMesh) -> Vec<bool> {
    let topology = Topology::build(mesh.oriented_cells().unwrap(), mesh.points.len()).unwrap();
    let mut boundary = vec![false; mesh.points.len()];
    for face in (0..topology.face_count() as u32).filter(|&f| topology.face_cells(f)[1] == NONE) {
        topology.face_vertices(face).iter().for_each(|&v| boundary[v as usize] = true);
    }
    boundary
}

/// Largest difference.
pub fn distance(found: &[f64], expected: &[f64]) -> f64 {
    found.iter().zip(expected).map(|(a, b)| (a - b).abs()).greatest()
}

/// Largest error of the coefficients of a linear temperature that is given on the boundary.
fn heat_error(archive: &Archive, mesh: &SolidMesh) -> f64 {
    let fixed = on_boundary(mesh);
    assert!(fixed.contains(&false), "an unknown");
    let linear = |&[x, y, z]: &[f64; 3]| 1.0 + 0.5 * x - 0.3 * y + 0.7 * z;
    let expected: Vec<f64> = archive.control_points.iter().map(linear).collect();
    let (matrix, loads) = poisson(archive, |_| 0.0);
    distance(&matrix.solve(&loads, &fixed, &expected), &expected)
}

/// The same of the displacements of linear elasticity.
fn elastic_error(archive: &Archive, mesh: &SolidMesh) -> f64 {
    let linear = |&[x, y, z]: &[f64; 3]| {
        [0.2 * x - 0.4 * y + 0.1, 0.3 * x + 0.1 * y - 0.6 * z, 0.5 * z - 0.2 * x + 0.3 * y]
    };
    let expected: Vec<f64> = archive.control_points.iter().flat_map(linear).collect();
    let matrix = elasticity(archive, [1.2, 0.8]);
    let loads = vec![0.0; expected.len()];
    distance(&matrix.solve(&loads, &on_boundary(mesh), &expected), &expected)
}

pub fn creased(mut mesh: SolidMesh) -> SolidMesh {
    crease_by_angle(&mut mesh, 40.0).unwrap();
    mesh
}

#[test]
fn linear_fields_are_solved_exactly() {
    let torus = Shape::Torus { major: 6, core: 2, rings: 1 }.build().unwrap();
    // rings as it takes: what lies inside the last one is integrated approximately
    for (name, mesh, rings) in [
        ("creased box", creased(block([3, 3, 3])), 0),
        ("smooth box", block([3, 3, 3]), 4),
        ("fan of valence 3", creased(fan(3, 2, 2)), 9),
        ("fan of valence 5", creased(fan(5, 2, 2)), 14),
        ("torus", torus, 10),
        ("model twisting", model("micro/twisting.mesh"), 5),
    ] {
        let archive = Archive::of(&mesh, QuadratureScheme { gauss: 5, rings: Some(rings) });
        let errors = [heat_error(&archive, &mesh), elastic_error(&archive, &mesh)];
        println!("{name}, {rings} rings: {errors:?}");
        assert!(errors.iter().all(|&error| error < 1e-10), "{name}: {errors:?}");
    }
}

#[test]
fn the_default_scheme_passes_the_patch_test() {
    // the guide says these
    let bounds = [(4, 1e-7), (5, 1e-8)];
    for (name, mesh, bounds) in [
        ("fan of valence 3", fan(3, 2, 2), &bounds[..]),
        ("fan of valence 5", fan(5, 2, 2), &bounds[..1]),
        ("fan of valence 8", fan(8, 2, 2), &bounds[1..]),
        ("smooth box", block([3, 3, 3]), &bounds[..]),
        ("rod", model("rod_hex.vtk"), &bounds[1..]),
        ("twisting", model("micro/twisting.mesh"), &bounds[..1]),
    ] {
        for &(gauss, bound) in bounds {
            let archive = Archive::of(&mesh, QuadratureScheme { gauss, rings: None });
            let error = heat_error(&archive, &mesh) / size(&mesh.points);
            println!("{name}, {gauss} Gauss points: {error:.1e}");
            assert!(error < bound, "{name}, {gauss} Gauss points: {error:e}");
        }
    }
}

/// Error in L2 of the solution of −Δu = f with u = 0 at `fixed` vertices.
fn poisson_error(
    mesh: &SolidMesh,
    scheme: QuadratureScheme,
    fixed: impl Fn(&SolidMesh) -> Vec<bool>,
    u: impl Fn([f64; 3]) -> f64,
    f: impl Fn([f64; 3]) -> f64,
) -> f64 {
    let archive = Archive::of(mesh, scheme);
    let fixed = fixed(mesh);
    let (matrix, loads) = poisson(&archive, f);
    let found = matrix.solve(&loads, &fixed, &vec![0.0; fixed.len()]);
    let mut sum = 0.0;
    archive.for_each_leaf(|leaf| {
        for (s, &point) in leaf.points.iter().enumerate() {
            let term = |(c, &id): (usize, &u32)| leaf.basis[(s, c)] * found[id as usize];
            let value: f64 = leaf.ids.iter().enumerate().map(term).sum();
            sum += leaf.measures[s] * (value - u(point)).powi(2);
        }
    });
    sum.sqrt()
}

/// Orders between successive errors at half the mesh size.
fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}

#[test]
fn poisson_converges_with_order_four_on_regular_meshes() {
    let wave = |[x, y, z]: [f64; 3]| (PI * x).sin() * (PI * y).sin() * (PI * z).sin();
    let source = |p: [f64; 3]| 3.0 * PI * PI * wave(p);
    let errors = [3, 6, 12].map(|n| {
        let mut mesh = creased(block([n, n, n]));
        mesh.points.iter_mut().flatten().for_each(|x| *x /= n as f64);
        poisson_error(
            &mesh,
            QuadratureScheme { gauss: 4, rings: Some(0) },
            on_boundary,
            wave,
            source,
        )
    });
    let orders = orders(&errors);
    println!("box: {errors:?}, orders {orders:.2?}");
    assert!(orders.iter().all(|&order| order >= 3.5), "{orders:?}");
}

/// Around an extraordinary edge the order is less: Catmull-Clark functions are no complete
/// cubics there. Functions of x and y alone on a slab, free above and below.
#[test]
fn poisson_around_extraordinary_edges() {
    let walls = |mesh: &SolidMesh| planar_boundary(mesh).repeat(2);
    for (valence, least) in [(3, 2.0), (4, 3.5), (5, 2.0), (6, 2.0)] {
        let errors = [4, 8, 16, 32].map(|rings| {
            let mesh = creased(fan(valence, 1, rings));
            poisson_error(
                &mesh,
                QuadratureScheme { gauss: 4, rings: Some(4) },
                walls,
                bump,
                bump_source,
            )
        });
        let orders = orders(&errors);
        println!("valence {valence}: {errors:?}, orders {orders:.2?}");
        assert!(orders[2] >= least, "valence {valence}: {orders:?}");
    }
}

/// Of the vertices of the lower of two layers: which lie on its outline.
fn planar_boundary(mesh: &SolidMesh) -> Vec<bool> {
    let lines = mesh.points.len() / 2;
    let mut uses: HashMap<[u32; 2], usize> = HashMap::new();
    for c in 0..mesh.cells.len() {
        let corners = mesh.cells.hexahedron(c).unwrap();
        let low: Vec<u32> = corners.iter().copied().filter(|&v| (v as usize) < lines).collect();
        for i in 0..4 {
            let (a, b) = (low[i], low[(i + 1) % 4]);
            *uses.entry([a.min(b), a.max(b)]).or_default() += 1;
        }
    }
    let mut outline = vec![false; lines];
    let once = uses.iter().filter(|&(_, &uses)| uses == 1);
    once.flat_map(|(edge, _)| edge).for_each(|&v| outline[v as usize] = true);
    outline
}

/// (1 − r²/R²)⁶ within a cylinder around the z axis, 0 outside.
const POWER: i32 = 6;
const RADIUS: f64 = 0.9;

fn bump([x, y, _]: [f64; 3]) -> f64 {
    (1.0 - (x * x + y * y) / (RADIUS * RADIUS)).max(0.0).powi(POWER)
}

/// −Δ of it.
fn bump_source([x, y, _]: [f64; 3]) -> f64 {
    let r2 = (x * x + y * y) / (RADIUS * RADIUS);
    let s = (1.0 - r2).max(0.0);
    let p = f64::from(POWER);
    let bent = p * (p - 1.0) * s.powi(POWER - 2) * 4.0 * r2 - 4.0 * p * s.powi(POWER - 1);
    -bent / (RADIUS * RADIUS)
}

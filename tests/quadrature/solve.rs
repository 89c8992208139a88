//! Whether the numbers serve: problems with known solutions, solved from the exported
//! arrays alone.
//!
//! The basis at a smooth or sharp boundary has no second derivative across it (its end
//! condition is p₋₁ = 2p₀ − p₁), and the boundary values depend on the boundary's own
//! control points only. So values on the boundary are imposed exactly, as coefficients,
//! where the solution is 0 or linear in space; and the full order 4 is reached by
//! solutions whose second derivative across the boundary is 0 there.

use std::f64::consts::PI;

use subsolid::mesh::SolidMesh;
use subsolid::quadrature::Scheme;
use subsolid::refine::{VertexRule, crease_by_angle, refine_mesh};
use subsolid::topology::{NONE, Topology};

use crate::archive::Archive;
use crate::support::meshes::{block, fan, model};
use crate::system::{elasticity, poisson};

/// For every vertex whether it lies on the boundary.
fn on_boundary(mesh: &SolidMesh) -> Vec<bool> {
    let topology = Topology::build(mesh.oriented_cells().unwrap(), mesh.points.len()).unwrap();
    let mut boundary = vec![false; mesh.points.len()];
    for face in (0..topology.face_count() as u32).filter(|&f| topology.face_cells(f)[1] == NONE) {
        topology.face_vertices(face).iter().for_each(|&v| boundary[v as usize] = true);
    }
    boundary
}

/// Largest error of the coefficients of a linear field that is given on the boundary:
/// of Poisson's equation, and of linear elasticity.
fn patch_errors(mesh: &SolidMesh, scheme: Scheme) -> [f64; 2] {
    let archive = Archive::of(mesh, scheme);
    let fixed = on_boundary(mesh);
    assert!(fixed.contains(&false), "an unknown");
    let largest = |found: &[f64], expected: &[f64]| {
        found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let given = |coefficients: &dyn Fn([f64; 3]) -> Vec<f64>| -> Vec<f64> {
        mesh.points.iter().flat_map(|&p| coefficients(p)).collect()
    };

    let expected = given(&|[x, y, z]| vec![1.0 + 0.5 * x - 0.3 * y + 0.7 * z]);
    let (matrix, loads) = poisson(&archive, |_| 0.0);
    let found = matrix.solve(&loads, &fixed, &expected);
    let heat = largest(&found, &expected);

    let expected = given(&|[x, y, z]| {
        vec![0.2 * x - 0.4 * y + 0.1, 0.3 * x + 0.1 * y - 0.6 * z, 0.5 * z - 0.2 * x + 0.3 * y]
    });
    let matrix = elasticity(&archive, [1.2, 0.8]);
    let found = matrix.solve(&vec![0.0; expected.len()], &fixed, &expected);
    [heat, largest(&found, &expected)]
}

#[test]
fn print_patch() {
    let torus =
        subsolid::mesh::shape::Shape::Torus { major: 6, core: 2, rings: 1 }.build().unwrap();
    let mut creased = block([3, 3, 3]);
    crease_by_angle(&mut creased, 40.0).unwrap();
    let meshes = [
        ("box", block([3, 3, 3])),
        ("creased", creased),
        ("fan3", fan(3, 3, 3)),
        ("fan5", fan(5, 3, 3)),
        ("torus", torus),
        ("twisting", model("micro/twisting.mesh")),
    ];
    for (name, mesh) in meshes {
        for (gauss, rings) in [(4, 0), (4, 4), (5, 4), (5, 8), (5, 12)] {
            println!("{name} {gauss}/{rings}: {:?}", patch_errors(&mesh, Scheme { gauss, rings }));
        }
    }
}

/// Error in L2 of the solution of −Δu = f with u = 0 on the boundary.
fn poisson_error(
    mesh: &SolidMesh,
    scheme: Scheme,
    u: impl Fn([f64; 3]) -> f64,
    f: impl Fn([f64; 3]) -> f64,
) -> f64 {
    let archive = Archive::of(mesh, scheme);
    let fixed = on_boundary(mesh);
    let (matrix, loads) = poisson(&archive, f);
    let found = matrix.solve(&loads, &fixed, &vec![0.0; fixed.len()]);
    let mut sum = 0.0;
    archive.for_each_leaf(|ids, samples| {
        for sample in samples {
            let terms = sample.basis.iter().zip(ids).map(|(n, &id)| n * found[id as usize]);
            sum += sample.measure * (terms.sum::<f64>() - u(sample.point)).powi(2);
        }
    });
    sum.sqrt()
}

#[test]
fn print_poisson() {
    let mut errors = Vec::new();
    for n in [3, 6, 12] {
        let mut mesh = block([n, n, n]);
        mesh.points.iter_mut().flatten().for_each(|x| *x /= n as f64);
        crease_by_angle(&mut mesh, 40.0).unwrap();
        let wave = |[x, y, z]: [f64; 3]| (PI * x).sin() * (PI * y).sin() * (PI * z).sin();
        let f = |p: [f64; 3]| 3.0 * PI * PI * wave(p);
        errors.push(poisson_error(&mesh, Scheme { gauss: 4, rings: 0 }, wave, f));
    }
    println!(
        "box {errors:?} {} {}",
        (errors[0] / errors[1]).log2(),
        (errors[1] / errors[2]).log2()
    );
    for valence in [3, 4, 5, 6] {
        let mut coarse = fan(valence, 2, 2);
        crease_by_angle(&mut coarse, 30.0).unwrap();
        let mut errors = Vec::new();
        for levels in 0..3 {
            let mesh = refine_mesh(&coarse, levels, VertexRule::default()).unwrap();
            errors.push(poisson_error(&mesh, Scheme { gauss: 4, rings: 3 }, bump, bump_source));
        }
        println!(
            "fan {valence} {errors:?} {} {}",
            (errors[0] / errors[1]).log2(),
            (errors[1] / errors[2]).log2()
        );
    }
}

/// (1 − r²/R²)⁶ sin(πz) within a cylinder around the z axis, 0 outside.
const POWER: i32 = 6;
const RADIUS: f64 = 0.9;

fn bump([x, y, z]: [f64; 3]) -> f64 {
    let s = 1.0 - (x * x + y * y) / (RADIUS * RADIUS);
    if s > 0.0 { s.powi(POWER) * (PI * z).sin() } else { 0.0 }
}

fn bump_source([x, y, z]: [f64; 3]) -> f64 {
    let r2 = (x * x + y * y) / (RADIUS * RADIUS);
    let s = 1.0 - r2;
    if s <= 0.0 {
        return 0.0;
    }
    // Δ sᵖ = p (p − 1) sᵖ⁻² |∇s|² + p sᵖ⁻¹ Δs in the plane
    let p = f64::from(POWER);
    let scale = 1.0 / (RADIUS * RADIUS);
    let planar =
        p * (p - 1.0) * s.powi(POWER - 2) * 4.0 * r2 * scale - p * s.powi(POWER - 1) * 4.0 * scale;
    (PI * PI * s.powi(POWER) - planar) * (PI * z).sin()
}

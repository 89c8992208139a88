//! What the space holds, and what held parts are.

use subsolid::assembly::{Operator, body_load};
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::quadrature::{Mapping, Quadrature, QuadratureScheme, Regions};
use subsolid::solve::{Constraints, check_held, point_fields};
use subsolid::{Solid, Want};

use super::{group, held, sharp_box, solved};

fn fix_boundary(solid: &Solid, constraints: &mut Constraints, value: impl Fn(u32, usize) -> f64) {
    let topology = solid.topology();
    for v in (0..topology.vertex_count() as u32).filter(|&v| topology.is_boundary_vertex(v)) {
        (0..constraints.width()).for_each(|d| constraints.fix(v, d, value(v, d)));
    }
}

/// The patch test: a linear displacement of the boundary is linear inside, also where integrals toward
/// extraordinary edges are sums over rings.
#[test]
fn linear_displacements_are_exact() {
    let fan = Shape::Fan { valence: 5, layers: 2, rings: 3 }.build().unwrap();
    let public = subsolid::read("models/solids/cad9.mesh").unwrap();
    let mut skewed = sharp_box([3, 3, 3]);
    let last = skewed.points.len() as f64;
    for (i, p) in skewed.points.iter_mut().enumerate() {
        (0..3).for_each(|d| p[d] += 0.15 * (i as f64 / last * 50.0 + d as f64).sin());
    }
    for mesh in [fan, public, skewed] {
        let linear = |v: u32, d: usize| {
            let p = mesh.points[v as usize];
            [0.3 * p[0] - p[1] + 2.0, p[2] + 0.1 * p[1], 0.5 * p[0] - 0.2 * p[2]][d]
        };
        let found = solved(
            &mesh,
            Operator::Elasticity { young: 3.0, poisson: 0.3 },
            |_| vec![0.0; 3 * mesh.points.len()],
            |solid, constraints| fix_boundary(solid, constraints, linear),
        );
        let scale = found.values.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        for (i, u) in found.values.iter().enumerate() {
            let expected = linear((i / 3) as u32, i % 3);
            assert!((u - expected).abs() < 1e-10 * scale, "{i}: {u} {expected}");
        }
    }
}

/// Error in the L2 norm of -Δu = f, u = x (1 - x) y (1 - y) z (1 - z), on the unit cube.
fn error(cells: usize) -> f64 {
    let mut mesh = sharp_box([cells; 3]);
    mesh.points.iter_mut().for_each(|p| *p = p.map(|x| x / cells as f64));
    let bump = |x: f64| x * (1.0 - x);
    let load = |mapping: &Mapping<'_>| {
        let force = |[x, y, z]: [f64; 3]| {
            let [x, y, z] = [bump(x), bump(y), bump(z)];
            [2.0 * (y * z + x * z + x * y), 0.0, 0.0]
        };
        body_load(mapping, force).unwrap().into_iter().map(|f| f[0]).collect()
    };
    let operator = Operator::Stiffness { conductivity: 1.0 };
    let found = solved(&mesh, operator, load, |solid, own| fix_boundary(solid, own, |_, _| 0.0));
    let solid = Solid::new(&mesh).unwrap();
    let scheme = QuadratureScheme { gauss: 5, rings: Some(0) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let fields = point_fields(&mapping, &operator.into(), &found.values).unwrap();
    let (mut values, mut sum, mut mapped) = (fields[0].values.iter(), 0.0, Default::default());
    for (batch, leaves) in quadrature.pieces(1000) {
        mapping.evaluate(batch, leaves, &mut mapped).unwrap();
        for (p, w) in mapped.points.iter().zip(&mapped.measures) {
            let exact = p.map(bump).iter().product::<f64>();
            sum += w * (values.next().unwrap() - exact).powi(2);
        }
    }
    assert!(values.next().is_none());
    sum.sqrt()
}

/// The second derivative across the boundary is 0 in the space but not in the solution.
#[test]
fn errors_at_natural_ends_fall_with_order_five_halves() {
    let errors = [4, 8].map(error);
    let order = (errors[0] / errors[1]).log2();
    println!("{errors:?} {order}");
    assert!((order - 2.5).abs() < 0.2, "{errors:?} {order}");
    assert!(errors[1] < 1.2e-4, "{errors:?}");
}

/// The displacement at all quadrature points of a group's faces.
fn on_faces(mesh: &SolidMesh, part: &str, values: &[f64]) -> Vec<[f64; 3]> {
    let solid = Solid::new(mesh).unwrap();
    let faces = Regions::new(&solid, mesh).unwrap().find_named(part).unwrap();
    let scheme = QuadratureScheme { gauss: 4, rings: Some(3) };
    let quadrature =
        Quadrature::boundary(&solid, scheme, Want::FIRST, |f| faces.contains(&f)).unwrap();
    let mut found = Vec::new();
    for (b, batch) in quadrature.batches().iter().enumerate() {
        let basis = quadrature.basis(b);
        for net in batch.control_ids.chunks_exact(basis.controls) {
            for row in basis.values.chunks_exact(basis.controls) {
                let sum =
                    |d| row.iter().zip(net).map(|(n, &v)| n * values[3 * v as usize + d]).sum();
                found.push([0, 1, 2].map(sum));
            }
        }
    }
    found
}

/// Also where a part ends without a crease, at semi-sharp creases and extraordinary vertices.
#[test]
fn held_faces_stay_exactly() {
    let smooth = Shape::Box { cells: [3, 3, 4] }.build().unwrap();
    let mut semi_sharp = sharp_box([3, 3, 4]);
    semi_sharp.creases.edges.iter_mut().for_each(|crease| crease.sharpness = 1.5);
    let fan = Shape::Fan { valence: 5, layers: 4, rings: 2 }.build().unwrap();
    for mut mesh in [smooth, semi_sharp, sharp_box([3, 3, 4]), fan] {
        let low = mesh.points.iter().fold(f64::INFINITY, |low, p| low.min(p[2]));
        group(&mut mesh, "base", |p| p[2] == low);
        let held = held(&mesh, &Solid::new(&mesh).unwrap(), "base");
        let found = solved(
            &mesh,
            Operator::Elasticity { young: 1.0, poisson: 0.3 },
            |mapping| body_load(mapping, |_| [0.1, 0.0, 0.2]).unwrap().into_flattened(),
            |_, own| held.iter().for_each(|&v| (0..3).for_each(|d| own.fix(v, d, 0.5))),
        );
        let most = found.values.iter().fold(0.0f64, |most, x| most.max((x - 0.5).abs()));
        assert!(most > 0.1, "it moves: {most}");
        for u in on_faces(&mesh, "base", &found.values) {
            assert!(u.iter().all(|x| (x - 0.5).abs() < 1e-13 * (1.0 + most)), "{u:?}");
        }
    }
    // a side that sharp edges bound is held by its own vertices
    let mut mesh = sharp_box([3, 3, 4]);
    group(&mut mesh, "base", |p| p[2] == 0.0);
    let solid = Solid::new(&mesh).unwrap();
    assert_eq!(held(&mesh, &solid, "base").len(), 16);
}

#[test]
fn motions_that_are_free_are_named() {
    let mesh = sharp_box([2, 2, 3]);
    let solid = Solid::new(&mesh).unwrap();
    let said = |fix: &[(usize, usize)]| {
        let mut constraints = Constraints::none(&solid, 3);
        // sides: d at its least
        for &(side, d) in fix {
            for (v, _) in (0..).zip(&mesh.points).filter(|(_, p)| p[side] == 0.0) {
                constraints.fix(v, d, 0.0);
            }
        }
        check_held(&solid, &mesh.points, &constraints, None).err().map(|error| error.to_string())
    };
    assert_eq!(said(&[(0, 0), (1, 1), (2, 2)]), None);
    assert_eq!(said(&[(0, 0), (1, 1)]).unwrap(), "the model can still move: translation along z");
    // the base slides on itself: two translations and a rotation
    let slides =
        "the model can still move: translation along x, translation along y, rotation about z";
    assert_eq!(said(&[(2, 2)]).unwrap(), slides);
}

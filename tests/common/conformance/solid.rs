//! What every backend must do with solids: `solid_conformance!(name, backend, tolerance)` makes a
//! module of tests that compare the backend with the weights of single points in double
//! precision, summed here.

use subsolid::backend::{Backend, Limit};
use subsolid::limit::{Orders, Solid};
use subsolid::mesh::{Attribute, SolidMesh, shape::Shape};
use subsolid::plan::{Location, Plan, Samples, Want, wanted_orders};

#[allow(unused_imports, reason = "tests of surfaces include this file too")]
pub use super::quantities::{gradients_of_known_fields, quantities};

/// Meshes that together hold every class, missing layers and local refinement.
pub fn meshes() -> Vec<(String, SolidMesh)> {
    let shapes: [(&str, &[usize]); 8] = [
        ("box", &[2, 2, 6]),
        ("box", &[4, 3, 5]),
        ("fan", &[5, 4, 3]),
        ("fan", &[3, 2, 1]),
        ("link-3444555", &[2]),
        ("link-tetrahedron", &[2]),
        ("torus", &[3, 1, 1]),
        ("cylinder", &[]),
    ];
    let mut meshes: Vec<_> = shapes
        .iter()
        .map(|(name, sizes)| {
            let mesh = Shape::parse(name, sizes).unwrap().build().unwrap();
            (format!("{name} {sizes:?}"), mesh)
        })
        .collect();
    // every edge of a thick box sharp, and one semi-sharp
    let mut creased = Shape::parse("box", &[2, 3, 2]).unwrap().build().unwrap();
    let topology =
        subsolid::topology::Topology::build(creased.cells.clone(), creased.points.len()).unwrap();
    for e in 0..topology.edge_count() as u32 {
        if topology.is_boundary_edge(e) && topology.edge_faces(e).len() == 2 {
            let [a, b] = topology.edge_vertices(e);
            let sharpness = if e % 5 == 0 { 1.5 } else { f64::INFINITY };
            creased.creases.push_edge(a, b, sharpness);
        }
    }
    meshes.push(("creased box".into(), creased));
    meshes
}

/// Moves every coordinate by up to `amount`, the same way each time.
pub fn shake(mesh: &mut SolidMesh, amount: f64) {
    for (i, x) in mesh.points.as_flattened_mut().iter_mut().enumerate() {
        let noise = ((i as f64 * 12.9898).sin() * 43758.5453).fract();
        *x += amount * noise;
    }
}

pub fn add_attributes(mesh: &mut SolidMesh) {
    for width in [1, 2, 5] {
        let values = (0..width * mesh.points.len()).map(|i| (i as f64 * 0.7).cos()).collect();
        mesh.attributes.push(Attribute { name: format!("a{width}"), width, values });
    }
}

/// The limit at one place, by weights; `None` where it does not exist.
pub fn reference(
    solid: &Solid,
    points: &[f64],
    width: usize,
    element: usize,
    p: [f64; 3],
    orders: Orders,
) -> Option<Vec<f64>> {
    let (leaf, local) = solid.locate(element, p);
    let leaf = &solid.leaves()[leaf];
    let weights = solid.weights(leaf, local, orders)?;
    let net = solid.net(leaf);
    let value = |v: u32, c: usize| points[v as usize * width + c];
    let is_value = orders.iter().all(|&o| o as usize == 0);
    Some(
        (0..width)
            .map(|c| {
                let origin = value(net[0], c);
                let sum: f64 =
                    net.iter().zip(&weights).map(|(&v, w)| w * (value(v, c) - origin)).sum();
                if is_value { origin + sum } else { sum }
            })
            .collect(),
    )
}

/// Compares all results of `limit` with [`reference`].
pub fn check(
    what: &str,
    plan: &Plan<'_>,
    mesh: &SolidMesh,
    limit: &Limit,
    places: &[(usize, [f64; 3])],
    tolerance: f64,
) {
    let solid = plan.solid();
    let (low, high) = mesh.bounds().unwrap();
    let size = (0..3).map(|d| high[d] - low[d]).fold(0.0, f64::max);
    let points = solid.refined_points(mesh.points.as_flattened(), 3);
    assert_eq!(limit.len(), places.len(), "{what}");
    let orders = wanted_orders(plan.want());
    assert_eq!(limit.derivatives.len() + 1, orders.len(), "{what}");
    let refined: Vec<_> =
        mesh.attributes.iter().map(|a| solid.refined_points(&a.values, a.width)).collect();
    let mut undefined = 0;
    for (i, &(element, p)) in places.iter().enumerate() {
        for (output, &orders) in orders.iter().enumerate() {
            let values =
                if output == 0 { &limit.positions } else { &limit.derivatives[output - 1] };
            let found = values.triple(i);
            match reference(solid, &points, 3, element, p, orders) {
                None => {
                    undefined += 1;
                    assert!(found.iter().all(|x| x.is_nan()), "{what}: {element} {p:?} exists");
                }
                Some(expected) => {
                    // derivatives may be steep: near extraordinary edges they grow
                    let norm = expected
                        .iter()
                        .fold(size, |m, x| if output == 0 { m } else { m.max(x.abs()) });
                    for d in 0..3 {
                        let error = (found[d] - expected[d]).abs();
                        assert!(
                            error <= tolerance * norm,
                            "{what}: element {element} at {p:?}, output {output}: {found:?} is not {expected:?}"
                        );
                    }
                }
            }
        }
        for (a, (attribute, points)) in mesh.attributes.iter().zip(&refined).enumerate() {
            let outputs = wanted_orders(plan.want().of_input(1));
            let all = std::iter::once(&limit.attributes[a]).chain(&limit.attribute_derivatives[a]);
            let all: Vec<_> = all.collect();
            assert_eq!(all.len(), outputs.len(), "{what}");
            for (values, &orders) in all.into_iter().zip(&outputs) {
                let width = attribute.width;
                let found = (0..width).map(|c| values.get(i * width + c));
                let Some(expected) = reference(solid, points, width, element, p, orders) else {
                    assert!(found.into_iter().all(f64::is_nan), "{what}: {element} {p:?} exists");
                    undefined += 1;
                    continue;
                };
                let norm = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                for (found, expected) in found.zip(expected) {
                    let error = (found - expected).abs();
                    let name = &attribute.name;
                    assert!(error <= 4.0 * tolerance * norm, "{what}: {name} {orders:?} {error:e}");
                }
            }
        }
    }
    undefined += super::quantities::check(what, plan, mesh, limit, places, tolerance);
    let flags = limit.undefined_derivatives();
    assert_eq!(flags.contains(&1), undefined > 0, "{what}");
}

/// The places of tensor samples in the order of the results.
pub fn tensor_places(
    parameters: &[f64],
    elements: std::ops::Range<usize>,
) -> Vec<(usize, [f64; 3])> {
    let mut places = Vec::new();
    for element in elements {
        for w in parameters {
            for v in parameters {
                for u in parameters {
                    places.push((element, [*u, *v, *w]));
                }
            }
        }
    }
    places
}

pub fn grids(backend: &dyn Backend, tolerance: f64) {
    for (name, mut mesh) in meshes() {
        shake(&mut mesh, 0.05);
        let solid = Solid::new(&mesh).unwrap();
        for n in [1, 2, 3, 5, 8] {
            let samples = Samples::grid(n);
            let plan = solid.plan(&samples, Want::POSITION).unwrap();
            let limit = backend.evaluate(&plan, mesh.controls()).unwrap();
            let Samples::Tensor(parameters) = &samples else { unreachable!() };
            let places = tensor_places(parameters, 0..solid.elements().len());
            check(&format!("{name}, {n} samples"), &plan, &mesh, &limit, &places, tolerance);
        }
    }
}

pub fn derivatives(backend: &dyn Backend, tolerance: f64) {
    for (name, mut mesh) in meshes() {
        shake(&mut mesh, 0.05);
        let solid = Solid::new(&mesh).unwrap();
        for samples in [Samples::grid(4), Samples::gauss(3).unwrap()] {
            for want in [Want::FIRST, Want::SECOND, Want::FIRST | Want::SECOND] {
                let plan = solid.plan(&samples, want).unwrap();
                let limit = backend.evaluate(&plan, mesh.controls()).unwrap();
                let Samples::Tensor(parameters) = &samples else { unreachable!() };
                let places = tensor_places(parameters, 0..solid.elements().len());
                check(
                    &format!("{name}, {want:?}"),
                    &plan,
                    &mesh,
                    &limit,
                    &places,
                    20.0 * tolerance,
                );
            }
        }
    }
}

pub fn scattered(backend: &dyn Backend, tolerance: f64) {
    for (name, mut mesh) in meshes() {
        shake(&mut mesh, 0.05);
        add_attributes(&mut mesh);
        let solid = Solid::new(&mesh).unwrap();
        let count = solid.elements().len();
        let noise = |i: usize| ((i as f64 * 78.233).sin() * 43758.5453).fract().abs();
        let mut places: Vec<(usize, [f64; 3])> = (0..300)
            .map(|i| {
                (
                    (noise(4 * i) * count as f64) as usize % count,
                    [1, 2, 3].map(|d| noise(4 * i + d)),
                )
            })
            .collect();
        // corners, edges and places close to them
        for i in 0..60 {
            let near = [0.0, 1.0, 1e-3, 1e-6, 1e-9, 1.0 - 1e-6, 0.5];
            places.push((i % count, [near[i % 7], near[i / 7 % 7], near[(i + i / 7) % 7]]));
        }
        let locations: Vec<Location> = places
            .iter()
            .map(|&(element, parameters)| Location { element: element as u32, parameters })
            .collect();
        for want in [Want::POSITION, Want::FIRST, Want::SECOND, Want::FIRST | Want::SECOND] {
            let plan = solid.plan(&Samples::Points(Vec::clone(&locations)), want).unwrap();
            let limit = backend.evaluate(&plan, mesh.controls()).unwrap();
            check(&format!("{name}, {want:?}"), &plan, &mesh, &limit, &places, 20.0 * tolerance);
        }
    }
}

/// Attributes, pieces, and control points that move after the setup.
pub fn reuse(backend: &dyn Backend, tolerance: f64) {
    for (name, mut mesh) in meshes() {
        add_attributes(&mut mesh);
        let solid = Solid::new(&mesh).unwrap();
        let samples = Samples::grid(3);
        let plan = solid.plan(&samples, Want::FIRST).unwrap();
        let mut evaluator = backend.prepare(&plan).unwrap();
        let mut limit = Limit::default();
        let Samples::Tensor(parameters) = &samples else { unreachable!() };
        for round in 0..2 {
            shake(&mut mesh, 0.05);
            for piece in plan.pieces(500) {
                evaluator.evaluate(mesh.controls(), piece.clone(), &mut limit).unwrap();
                assert_eq!(limit.elements, piece);
                let places = tensor_places(parameters, piece.clone());
                let what = format!("{name}, round {round}, elements {piece:?}");
                check(&what, &plan, &mesh, &limit, &places, 20.0 * tolerance);
            }
        }
    }
}

/// Moving the mesh far away costs no accuracy relative to the cell beyond the
/// rounding of the coordinates themselves.
pub fn far_away(backend: &dyn Backend, tolerance: f64) {
    let mut mesh = meshes().swap_remove(2).1;
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(4), Want::FIRST).unwrap();
    let near = backend.evaluate(&plan, mesh.controls()).unwrap();
    // by a power of two, so that the control points move exactly
    let shift = 2_f64.powi(20);
    mesh.points.as_flattened_mut().iter_mut().for_each(|x| *x = (*x * 1024.0).round() / 1024.0);
    let near_rounded = backend.evaluate(&plan, mesh.controls()).unwrap();
    mesh.points.as_flattened_mut().iter_mut().for_each(|x| *x += shift);
    let far = backend.evaluate(&plan, mesh.controls()).unwrap();
    assert_ne!(near, far);
    for (a, b) in near_rounded.derivatives.iter().zip(&far.derivatives) {
        for i in 0..a.len() {
            let (a, b) = (a.get(i), b.get(i));
            assert!(a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance, "{a} {b}");
        }
    }
}

/// A module of tests of one backend at a tolerance relative to the size of the mesh; an attribute
/// before the name, such as `#[ignore = "…"]`, stands at every test.
#[macro_export]
macro_rules! solid_conformance {
    ($(#[$attribute:meta])* $name:ident, $backend:expr, $tolerance:expr) => {
        mod $name {
            use super::*;

            $crate::solid_conformance!(
                @tests [$(#[$attribute])*] [$backend] [$tolerance]
                grids derivatives scattered reuse far_away quantities gradients_of_known_fields
            );
        }
    };
    (@tests $attributes:tt $backend:tt $tolerance:tt $($test:ident)*) => {
        $($crate::solid_conformance!(@test $attributes $backend $tolerance $test);)*
    };
    (@test [$($attribute:tt)*] [$backend:expr] [$tolerance:expr] $test:ident) => {
        #[test]
        $($attribute)*
        fn $test() {
            $crate::conformance::solid::$test(&$backend, $tolerance);
        }
    };
}

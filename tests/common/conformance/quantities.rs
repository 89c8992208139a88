//! Quantities that follow from derivatives: each against the derivatives of the same limit, and
//! gradients against fields whose gradients are known.

use subsolid::backend::{Backend, Limit};
use subsolid::basis::bspline::Order;
use subsolid::limit::Solid;
use subsolid::mesh::{Attribute, SolidMesh, shape::Shape};
use subsolid::plan::{Location, Plan, Quantity, Samples, Want};

use super::solid::{add_attributes, check as check_all, meshes, reference, shake, tensor_places};
use crate::oracle::vector::Greatest;

type Vector = [f64; 3];

fn cross(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|d| {
        let [e, f] = [(d + 1) % 3, (d + 2) % 3];
        a[e] * b[f] - a[f] * b[e]
    })
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|d| a[d] * b[d]).sum()
}

/// Compares the quantities of `limit` with its own derivatives; returns how many numbers do not
/// exist.
pub fn check(
    what: &str,
    plan: &Plan<'_>,
    mesh: &SolidMesh,
    limit: &Limit,
    places: &[(usize, Vector)],
    tolerance: f64,
) -> usize {
    let solid = plan.solid();
    // on extraordinary edges and vertices quantities follow from other derivatives
    let own = |i: usize| {
        let (element, p) = places[i];
        let (leaf, local) = solid.locate(element, p);
        let is_extraordinary = solid.extraordinary(&solid.leaves()[leaf], local).is_some();
        !(plan.want().contains(Want::FIRST) && is_extraordinary)
    };
    let characteristic = |points: &[f64], width: usize, i: usize, d: usize| {
        let mut orders = [Order::Value; 3];
        orders[d] = Order::Characteristic;
        let (element, p) = places[i];
        let found = reference(solid, points, width, element, p, orders);
        found.unwrap_or_else(|| vec![f64::NAN; width])
    };
    let refined = solid.refined_points(mesh.points.as_flattened(), 3);
    let first = |i: usize| {
        [0, 1, 2].map(|d| {
            if own(i) {
                limit.derivatives[d].triple(i)
            } else {
                characteristic(&refined, 3, i, d).try_into().unwrap()
            }
        })
    };
    // how far the Jacobian is from singular, and its determinant
    let shape = |[u, v, w]: [Vector; 3]| {
        let lengths: f64 = [u, v, w].iter().map(|a| dot(*a, *a).sqrt()).product();
        let determinant = dot(u, cross(v, w));
        (determinant, determinant.abs() / lengths, lengths)
    };
    let has = |quantity, attribute| limit.quantity(quantity, attribute).is_some();
    let wants = |want| plan.want().contains(want);
    assert!(!wants(Want::DETERMINANT) || has(Quantity::Determinant, None), "{what}");
    assert!(!wants(Want::LEAST_DETERMINANT) || has(Quantity::LeastDeterminant, None), "{what}");
    let gradients = (0..mesh.attributes.len()).all(|a| has(Quantity::Gradient, Some(a)));
    assert!(!wants(Want::GRADIENT) || gradients, "{what}");
    let mut undefined = 0;
    if let Some(found) = limit.quantity(Quantity::Determinant, None) {
        assert_eq!(found.len(), limit.len());
        for (i, found) in found.iter().enumerate() {
            let (expected, _, lengths) = shape(first(i));
            undefined += usize::from(found.is_nan());
            assert!(
                found.is_nan() && expected.is_nan()
                    || (found - expected).abs() <= tolerance * lengths,
                "{what}: det J of result {i}: {found} is not {expected}"
            );
        }
    }
    if let Some(found) = limit.quantity(Quantity::LeastDeterminant, None) {
        assert_eq!(found.len(), limit.elements.len());
        let samples = plan.samples_per_element();
        for (element, found) in found.iter().enumerate() {
            let own = (element * samples..(element + 1) * samples).map(first);
            let (mut least, mut lengths) = (f64::NAN, 0.0_f64);
            for (determinant, _, size) in own.map(shape) {
                least = least.min(determinant);
                lengths = lengths.max(size);
            }
            assert!(
                found.is_nan() && least.is_nan() || (found - least).abs() <= tolerance * lengths,
                "{what}: least det J of element {element}: {found} is not {least}"
            );
        }
    }
    if let Some(found) = limit.quantity(Quantity::ScaledJacobian, None) {
        for (i, found) in found.iter().enumerate() {
            let (determinant, _, lengths) = shape(first(i));
            let expected = if lengths == 0.0 { 0.0 } else { determinant / lengths };
            assert!(
                found.is_nan() && expected.is_nan() || (found - expected).abs() <= tolerance,
                "{what}: scaled Jacobian of result {i}: {found} is not {expected}"
            );
        }
    }
    for (a, attribute) in mesh.attributes.iter().enumerate() {
        let refined = solid.refined_points(&attribute.values, attribute.width);
        let Some(found) = limit.quantity(Quantity::Gradient, Some(a)) else { continue };
        let width = attribute.width;
        assert_eq!(found.len(), 3 * width * limit.len());
        for i in 0..limit.len() {
            let j = first(i);
            let (determinant, scaled, _) = shape(j);
            let cofactors = [cross(j[1], j[2]), cross(j[2], j[0]), cross(j[0], j[1])];
            for c in 0..width {
                let found = found.triple(i * width + c);
                let by = [0, 1, 2].map(|d| {
                    if own(i) {
                        limit.attribute_derivatives[a][d].get(i * width + c)
                    } else {
                        characteristic(&refined, width, i, d)[c]
                    }
                });
                let expected =
                    [0, 1, 2].map(|x| (0..3).map(|d| by[d] * cofactors[d][x]).sum::<f64>());
                let expected = expected.map(|x| x / determinant);
                let exists = found.iter().all(|x| !x.is_nan());
                undefined += usize::from(!exists);
                // near the bound, rounding decides
                let bound = if tolerance < 1e-9 { 1e-12 } else { 1e-5 };
                if scaled.is_nan() || scaled < 0.1 * bound {
                    assert!(found.iter().all(|x| x.is_nan()), "{what}: {found:?} at result {i}");
                } else if scaled > 10.0 * bound {
                    assert!(exists, "{what}: no gradient at result {i}");
                    // the longest that derivatives of this size make
                    let lengths = j.map(|a| dot(a, a).sqrt());
                    let longest: f64 = (0..3).map(|d| by[d].abs() / lengths[d]).sum();
                    for d in 0..3 {
                        let error = (found[d] - expected[d]).abs();
                        let most = tolerance / scaled / scaled * longest;
                        assert!(error <= most, "{what}: gradient at {i}: {error:e} of {most:e}");
                    }
                }
            }
        }
    }
    undefined
}

/// Every quantity on grids and, but for those of elements, at scattered points.
pub fn quantities(backend: &dyn Backend, tolerance: f64) {
    let wants = [
        Want::ATTRIBUTE_FIRST,
        Want::ATTRIBUTE_SECOND,
        Want::ATTRIBUTE_FIRST | Want::SECOND,
        Want::QUALITY | Want::LEAST_DETERMINANT,
        Want::FIRST | Want::GRADIENT | Want::SCALED_JACOBIAN,
        Want::GRADIENT | Want::SECOND | Want::LEAST_DETERMINANT,
        Want::GRADIENT | Want::ATTRIBUTE_SECOND | Want::DETERMINANT | Want::LEAST_DETERMINANT,
    ];
    for (name, mut mesh) in meshes() {
        shake(&mut mesh, 0.05);
        add_attributes(&mut mesh);
        let solid = Solid::new(&mesh).unwrap();
        let count = solid.elements().len();
        for (k, &want) in wants.iter().enumerate() {
            let what = format!("{name}, {want:?}");
            let samples = if k % 2 == 0 { Samples::grid(3) } else { Samples::gauss(2).unwrap() };
            let Samples::Tensor(parameters) = &samples else { unreachable!() };
            let plan = solid.plan(&samples, want).unwrap();
            let limit = backend.evaluate(&plan, mesh.controls()).unwrap();
            let places = tensor_places(parameters, 0..count);
            check_all(&what, &plan, &mesh, &limit, &places, 20.0 * tolerance);

            let near = [0.0, 1.0, 1e-3, 0.3, 1.0 - 1e-3, 0.5, 0.9];
            let places: Vec<(usize, Vector)> = (0..120)
                .map(|i| (i % count, [near[i % 7], near[i / 7 % 7], near[(i + i / 7) % 7]]))
                .collect();
            let location = |&(element, parameters): &(usize, Vector)| Location {
                element: element as u32,
                parameters,
            };
            let samples = Samples::Points(places.iter().map(location).collect());
            if want.contains(Want::LEAST_DETERMINANT) {
                assert!(solid.plan(&samples, want).is_err(), "no elements");
                continue;
            }
            let plan = solid.plan(&samples, want).unwrap();
            let limit = backend.evaluate(&plan, mesh.controls()).unwrap();
            check_all(&what, &plan, &mesh, &limit, &places, 20.0 * tolerance);
        }
    }
}

/// How far gradients may be from those of known fields, of the largest: what is asked of double
/// and of single precision.
fn allowed(tolerance: f64) -> f64 {
    if tolerance < 1e-9 { 1e-8 } else { 1e-4 }
}

fn assert_gradient(
    what: &str,
    limit: &Limit,
    allowed: f64,
    expected: impl Fn(usize) -> Option<Vec<Vector>>,
) -> usize {
    let found = limit.quantity(Quantity::Gradient, Some(0)).unwrap();
    let all: Vec<Option<Vec<Vector>>> = (0..limit.len()).map(expected).collect();
    let numbers = all.iter().flatten().flatten().flatten();
    let largest = numbers.fold(0.0_f64, |m, x| m.max(x.abs()));
    for (i, gradients) in all.iter().enumerate() {
        let Some(gradients) = gradients else { continue };
        for (c, expected) in gradients.iter().enumerate() {
            let found = found.triple(i * gradients.len() + c);
            let error = (0..3).map(|d| (found[d] - expected[d]).abs()).greatest();
            assert!(
                error <= allowed * largest,
                "{what}: result {i}: {found:?} is not {expected:?}: {error:e}"
            );
        }
    }
    all.iter().flatten().count()
}

/// A linear field on every kind of mesh, and a quadratic one where the mesh is a spline.
pub fn gradients_of_known_fields(backend: &dyn Backend, tolerance: f64) {
    let allowed = allowed(tolerance);
    let rows = [[1.0, -2.0, 0.5], [0.25, 3.0, -1.0], [-1.5, 0.75, 2.0]];
    for (name, mut mesh) in meshes() {
        shake(&mut mesh, 0.05);
        let linear = |p: &Vector| rows.map(|row| 7.0 + dot(row, *p));
        let values = mesh.points.iter().flat_map(linear).collect();
        mesh.attributes.push(Attribute { name: "linear".into(), width: 3, values });
        let solid = Solid::new(&mesh).unwrap();
        // on extraordinary edges and vertices wherever there is a gradient
        let plan = solid.plan(&Samples::grid(3), Want::GRADIENT).unwrap();
        let limit = backend.evaluate(&plan, mesh.controls()).unwrap();
        let found = limit.quantity(Quantity::Gradient, Some(mesh.attributes.len() - 1)).unwrap();
        let exists = |i: usize| (9 * i..9 * i + 9).all(|k| !found.get(k).is_nan());
        assert_gradient(&name, &limit, allowed, |i| exists(i).then(|| rows.to_vec()));
        for samples in [Samples::gauss(3).unwrap(), inner(solid.elements().len())] {
            let plan = solid.plan(&samples, Want::GRADIENT).unwrap();
            let limit = backend.evaluate(&plan, mesh.controls()).unwrap();
            assert_gradient(&name, &limit, allowed, |_| Some(rows.to_vec()));
        }
    }

    // x² has the coefficients x² - 1/3 of a uniform cubic spline with knots at distance 1,
    // products of different coordinates their own; cells whose nets are whole reproduce them
    let mut mesh = Shape::Box { cells: [6, 6, 6] }.build().unwrap();
    let (low, high) = mesh.bounds().unwrap();
    for p in &mut mesh.points {
        *p = [0, 1, 2].map(|d| (6.0 * (p[d] - low[d]) / (high[d] - low[d])).round());
    }
    let quadratic = |p: &Vector| p[0] * p[0] - 1.0 / 3.0 + p[0] * p[1] - 2.0 * p[1] * p[2];
    let values = mesh.points.iter().map(quadratic).collect();
    mesh.attributes.push(Attribute { name: "quadratic".into(), width: 1, values });
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(3), Want::GRADIENT).unwrap();
    let limit = backend.evaluate(&plan, mesh.controls()).unwrap();
    let expected = |i: usize| {
        let [x, y, z] = limit.positions.triple(i);
        let is_whole = [x, y, z].iter().all(|c| (1.999..4.001).contains(c));
        is_whole.then(|| vec![[2.0 * x + y, x - 2.0 * z, -2.0 * y]])
    };
    assert!(assert_gradient("box", &limit, allowed, expected) >= 8 * 27);
}

/// Some places inside every element.
fn inner(elements: usize) -> Samples {
    let at = |i: usize| [0.2, 0.35, 0.5, 0.8][i % 4];
    let location = |i: usize| Location {
        element: (i % elements) as u32,
        parameters: [at(i / elements), at(i / elements + i), at(i)],
    };
    Samples::Points((0..4 * elements).map(location).collect())
}

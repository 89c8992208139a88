//! Gradients in space against central differences of the limit, and what becomes of them on
//! extraordinary edges and vertices.

use subsolid::backend::{Backend, Cpu};
use subsolid::limit::Solid;
use subsolid::mesh::{Attribute, shape::Shape};
use subsolid::plan::{Location, Quantity, Samples, Want};
use subsolid::volume::Quality;

use crate::conformance::solid::{add_attributes, meshes, shake};

/// Half the distance of two places in parameters.
const STEP: f64 = 1e-5;

/// Along every parameter, an attribute changes as the positions do, times the gradient: on
/// regular, layered, irregular and refined cells, with and without creases.
#[test]
fn attributes_change_by_their_gradients() {
    for (name, mut mesh) in meshes() {
        shake(&mut mesh, 0.05);
        add_attributes(&mut mesh);
        let solid = Solid::new(&mesh).unwrap();
        let count = solid.elements().len();
        let noise = |i: usize| ((i as f64 * 78.233).sin() * 43758.5453).fract().abs();
        let centers: Vec<(usize, [f64; 3])> = (0..4 * count)
            .map(|i| (i % count, [1, 2, 3].map(|d| 0.1 + 0.8 * noise(4 * i + d))))
            .collect();
        // each center, then two places along each parameter
        let mut locations = Vec::new();
        for &(element, parameters) in &centers {
            let element = element as u32;
            locations.push(Location { element, parameters });
            for d in 0..3 {
                for step in [-STEP, STEP] {
                    let mut parameters = parameters;
                    parameters[d] += step;
                    locations.push(Location { element, parameters });
                }
            }
        }
        let plan = solid.plan(&Samples::Points(locations), Want::GRADIENT).unwrap();
        let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
        for (a, attribute) in mesh.attributes.iter().enumerate() {
            let width = attribute.width;
            let gradients = limit.quantity(Quantity::Gradient, Some(a)).unwrap();
            let value = |row: usize, c: usize| limit.attributes[a].get(row * width + c);
            for (i, center) in centers.iter().enumerate() {
                for d in 0..3 {
                    let [back, forth] = [1, 2].map(|k| 7 * i + 2 * d + k);
                    let [from, to] = [back, forth].map(|row| limit.positions.triple(row));
                    for c in 0..width {
                        let gradient = gradients.triple(7 * i * width + c);
                        let expected: f64 = (0..3).map(|x| gradient[x] * (to[x] - from[x])).sum();
                        let found = value(forth, c) - value(back, c);
                        let error = (found - expected).abs() / (2.0 * STEP);
                        assert!(error <= 1e-7, "{name}: {center:?}, axis {d}: {error:e}");
                    }
                }
            }
        }
    }
}

/// Ways from a corner of a cell into it.
const WAYS: [[f64; 3]; 6] = [
    [0.9, 0.2, 0.3],
    [0.2, 0.8, 0.5],
    [0.5, 0.5, 0.9],
    [0.7, 0.7, 0.7],
    [0.1, 0.9, 0.9],
    [0.8, 0.15, 0.75],
];

/// Where a sequence goes whose steps fall in one ratio, by every three in turn (Aitken 1926): on a
/// way to an extraordinary point that is halved again and again, gradients approach as powers of
/// the ratio of two eigenvalues do, which may be near 1.
fn extrapolated(sequence: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|d| a[d] * b[d]).sum::<f64>();
    let limit = |three: &[[f64; 3]]| {
        let [before, last] = [0, 1].map(|k| [0, 1, 2].map(|d| three[k + 1][d] - three[k][d]));
        let ratio = dot(before, last) / dot(before, before).max(f64::MIN_POSITIVE);
        // others are of rounding
        let part = if (0.0..0.95).contains(&ratio) { ratio / (1.0 - ratio) } else { 0.0 };
        [0, 1, 2].map(|d| three[2][d] + part * last[d])
    };
    sequence.windows(3).map(limit).collect()
}

/// On extraordinary edges and vertices the gradient is the limit of those beside, on every way; it
/// is missing only where the limit has no differential, on edges of the boundary.
#[test]
fn gradients_on_extraordinary_edges_and_vertices_are_the_limit_of_those_beside() {
    let (mut compared, mut missing) = (0, 0);
    for (name, mut mesh) in meshes() {
        shake(&mut mesh, 0.05);
        add_attributes(&mut mesh);
        let solid = Solid::new(&mesh).unwrap();
        let topology = solid.topology();
        // middles of edges at a corner, and the corner, each with places beside at falling distances
        let depths: Vec<i32> = (5..=23).map(|k| 2 * k).collect();
        let mut locations = Vec::new();
        for element in 0..solid.elements().len().min(12) {
            for corner in 0..8 {
                let side = [0, 1, 2].map(|d| (corner >> d & 1) as f64);
                for place in 0..4 {
                    let mut center = side;
                    if place < 3 {
                        center[place] = 0.5;
                    }
                    let element = element as u32;
                    locations.push(Location { element, parameters: center });
                    for (way, depth) in
                        WAYS.iter().flat_map(|w| depths.iter().map(move |&d| (w, d)))
                    {
                        let inward = |d: usize| if side[d] == 0.0 { 1.0 } else { -1.0 };
                        let step = |d: usize| inward(d) * way[d] * 2.0_f64.powi(-depth);
                        let parameters = [0, 1, 2].map(|d| center[d] + step(d));
                        locations.push(Location { element, parameters });
                    }
                }
            }
        }
        let samples = Samples::Points(locations.clone());
        let plan = solid.plan(&samples, Want::GRADIENT | Want::QUALITY).unwrap();
        let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
        let gradients = limit.quantity(Quantity::Gradient, Some(0)).unwrap();
        let scaled = limit.quantity(Quantity::ScaledJacobian, None).unwrap();
        let stride = 1 + WAYS.len() * depths.len();
        for (k, center) in locations.iter().enumerate().step_by(stride) {
            let (leaf, local) = solid.locate(center.element as usize, center.parameters);
            let Some(structure) = solid.extraordinary(&solid.leaves()[leaf], local) else {
                continue;
            };
            let found = gradients.triple(k);
            if !structure.has_differential() {
                missing += 1;
                let cell = solid.elements()[center.element as usize].cell;
                let is_outer = |&f: &u32| topology.face_cells(f).contains(&u32::MAX);
                let is_boundary = topology.cell_faces(cell).iter().any(is_outer);
                assert!(is_boundary, "{name}: {center:?}");
                continue;
            }
            assert!(scaled.get(k) > 0.01, "{name}: {center:?}: {}", scaled.get(k));
            let size = found.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            for way in 0..WAYS.len() {
                let row = k + 1 + way * depths.len();
                let beside = (0..depths.len()).map(|i| gradients.triple(row + i));
                let mut near = vec![beside.collect::<Vec<_>>()];
                (0..2).for_each(|i| near.push(extrapolated(&near[i])));
                let error = near
                    .iter()
                    .flatten()
                    .map(|beside| (0..3).map(|d| (found[d] - beside[d]).abs()).fold(0.0, f64::max));
                let error = error.fold(f64::INFINITY, f64::min);
                assert!(error <= 1e-6 * size, "{name}: {center:?}, way {way}: {error:e}");
            }
            compared += 1;
        }
    }
    assert!(compared > 100 && missing > 0, "{compared} {missing}");
}

/// z² along straight layers round an extraordinary edge has the gradient 2z there.
#[test]
fn quadratic_fields_along_extraordinary_edges_have_their_gradients() {
    for valence in [3, 5, 6] {
        let mut mesh = Shape::Fan { valence, layers: 6, rings: 2 }.build().unwrap();
        let heights: Vec<f64> = mesh.points.iter().map(|p| p[2]).collect();
        let [low, high] = [f64::min, f64::max].map(|f| heights.iter().copied().fold(heights[0], f));
        mesh.points.iter_mut().for_each(|p| p[2] = (6.0 * (p[2] - low) / (high - low)).round());
        let values = mesh.points.iter().map(|p| p[2] * p[2] - 1.0 / 3.0).collect();
        mesh.attributes = vec![Attribute { name: "z2".into(), width: 1, values }];
        let solid = Solid::new(&mesh).unwrap();
        let plan = solid.plan(&Samples::grid(3), Want::GRADIENT).unwrap();
        let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
        let gradients = limit.quantity(Quantity::Gradient, Some(0)).unwrap();
        let mut on_edge = 0;
        for i in 0..limit.len() {
            let [x, y, z] = limit.positions.triple(i);
            // at the ends nets lack layers, and at the rim cells have smooth edges
            if !(1.999..4.001).contains(&z) || x.hypot(y) > 0.5 {
                continue;
            }
            on_edge += usize::from(x.hypot(y) < 1e-12);
            for (found, expected) in gradients.triple(i).into_iter().zip([0.0, 0.0, 2.0 * z]) {
                assert!((found - expected).abs() < 1e-10, "valence {valence}, {i}: {found}");
            }
        }
        assert!(on_edge >= 2 * valence, "{on_edge}");
    }
}

/// What a mesh reports does not depend on where its extraordinary edges are: none is folded, and
/// smooth edges of one cell have their own count.
#[test]
fn smooth_edges_of_one_cell_are_flat_and_not_folded() {
    let quality = |mesh: &subsolid::SolidMesh| {
        let solid = Solid::new(mesh).unwrap();
        let plan = solid.plan(&Samples::grid(5), Want::QUALITY).unwrap();
        Quality::of_plan(&plan, mesh.controls(), &Cpu::default()).unwrap()
    };
    let mut mesh = Shape::Box { cells: [2, 2, 2] }.build().unwrap();
    let smooth = quality(&mesh);
    // three edges of 5 places with one corner in common, of each cell
    assert_eq!((smooth.flat, smooth.undefined), (8 * 13, 0));
    assert!(smooth.non_positive.is_empty() && smooth.least_scaled_jacobian.unwrap().value > 0.0);
    subsolid::refine::crease_by_angle(&mut mesh, 30.0).unwrap();
    assert_eq!((quality(&mesh).flat, quality(&mesh).undefined), (0, 0));
    // with and without derivatives beside
    for valence in [3, 5] {
        let mut mesh = Shape::Fan { valence, layers: 2, rings: 2 }.build().unwrap();
        subsolid::refine::crease_by_angle(&mut mesh, 30.0).unwrap();
        let solid = Solid::new(&mesh).unwrap();
        let of = |want| {
            let plan = solid.plan(&Samples::grid(3), want).unwrap();
            let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
            let mut quality = Quality::default();
            quality.add(&plan, &limit);
            (quality, limit)
        };
        let (alone, _) = of(Want::QUALITY);
        let (beside, limit) = of(Want::QUALITY | Want::FIRST);
        assert!(alone == beside && alone.undefined == 0 && alone.non_positive.is_empty());
        // derivatives by u across the edge: 0 at valence 3, none at valence 5
        let undefined = limit.undefined_derivatives().iter().filter(|&&u| u == 1).count();
        assert_eq!(undefined > 0, valence == 5);
    }
}

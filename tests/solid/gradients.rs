//! Gradients in space against central differences of the limit.

use subsolid::backend::{Backend, Cpu};
use subsolid::limit::Solid;
use subsolid::plan::{Location, Quantity, Samples, Want};

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

//! Samples as points alone.

use crate::backend::Limit;
use crate::io::{Array, Dataset};
use crate::mesh::Attribute;
use crate::plan::{Location, Plan, Samples};

use super::arrays::{PointSelection, corner_array, point_arrays, positions};

/// One vertex cell a sample, with its `cell`, `u`, `v`, `w` and `class` as point
/// arrays before all others, so that tables hold them too; and `corner` after `cell` where cells
/// are not hexahedra (−1 in hexahedra).
pub fn points(plan: &Plan<'_>, limit: &Limit, attributes: &[Attribute]) -> Dataset {
    let solid = plan.solid();
    let mut dataset = Dataset::point_cloud(positions(limit, PointSelection::All));
    let locations: Vec<Location> = (0..limit.len()).map(|i| location(plan, limit, i)).collect();
    let cells: Vec<u32> =
        locations.iter().map(|l| solid.elements()[l.element as usize].cell).collect();
    let class = |&cell: &u32| solid.classes()[cell as usize].number();
    let ids: Vec<i32> = cells.iter().map(|&cell| cell as i32).collect();
    let mut places = vec![Array::new("cell", 1, ids)];
    let elements = locations.iter().map(|l| &solid.elements()[l.element as usize]);
    places.extend(corner_array(solid, elements));
    for (d, name) in ["u", "v", "w"].into_iter().enumerate() {
        let parameters: Vec<f64> = locations.iter().map(|l| l.parameters[d]).collect();
        places.push(Array::new(name, 1, parameters));
    }
    places.push(Array::new("class", 1, cells.iter().map(class).collect::<Vec<u8>>()));
    dataset.point_arrays = point_arrays(limit, attributes, PointSelection::All, places);
    dataset
}

/// Where result `i` of a limit of `plan` was evaluated.
///
/// # Panics
/// If the limit has no such result.
pub fn location(plan: &Plan<'_>, limit: &Limit, i: usize) -> Location {
    match plan.samples() {
        Samples::Points(locations) => locations[i],
        Samples::Tensor(parameters) => {
            let n = parameters.len();
            let sample = i % n.pow(3);
            let at = [sample % n, sample / n % n, sample / (n * n)];
            Location {
                element: (limit.elements.start + i / n.pow(3)) as u32,
                parameters: at.map(|i| parameters[i]),
            }
        }
    }
}

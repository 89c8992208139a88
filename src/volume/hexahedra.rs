//! Grid samples as cells: a block of plain hexahedra, or one cubic Lagrange
//! hexahedron, an element.

use crate::backend::Limit;
use crate::error::{Error, Result};
use crate::io::{Array, Dataset, DatasetCells, hexahedron_order, vtk_type};
use crate::mesh::Attribute;
use crate::plan::{Plan, Samples};

use super::arrays::{Pick, element_arrays, point_arrays, positions};
use super::class_number;
use super::weld::weld;

/// The (n − 1)³ hexahedra between the n × n × n samples of every element, u
/// fastest. With `welded` the elements of the limit share the points of common
/// faces, edges and vertices; a welded point has the derivatives and gradients of the first.
///
/// # Errors
/// [`Error::Request`] for a plan of fewer than two samples an axis, or of
/// scattered ones.
pub fn hexahedra(
    plan: &Plan<'_>,
    limit: &Limit,
    attributes: &[Attribute],
    welded: bool,
) -> Result<Dataset> {
    let n = samples_an_axis(plan)?;
    let mut blocks = Vec::with_capacity((n - 1).pow(3));
    for k in 0..n - 1 {
        for j in 0..n - 1 {
            for i in 0..n - 1 {
                let corner = |[a, b, c]: [usize; 3]| (i + a + n * (j + b + n * (k + c))) as u32;
                blocks.push(crate::refine::CORNERS.map(corner));
            }
        }
    }
    Ok(dataset(plan, limit, attributes, welded, n, vtk_type::HEXAHEDRON, &blocks))
}

/// One cubic Lagrange hexahedron an element, through its 4 × 4 × 4 samples;
/// `welded` as in [`hexahedra`].
///
/// # Errors
/// [`Error::Request`] unless the plan is for [`Samples::grid`]\(4\).
pub fn lagrange(
    plan: &Plan<'_>,
    limit: &Limit,
    attributes: &[Attribute],
    welded: bool,
) -> Result<Dataset> {
    if *plan.samples() != Samples::grid(4) {
        return Err(Error::request("cubic Lagrange cells need the samples of a grid of 4"));
    }
    let nodes: [u32; 64] = {
        let order = hexahedron_order(3);
        std::array::from_fn(|i| (order[i][0] + 4 * (order[i][1] + 4 * order[i][2])) as u32)
    };
    Ok(dataset(plan, limit, attributes, welded, 4, vtk_type::LAGRANGE_HEXAHEDRON, &[nodes]))
}

fn samples_an_axis(plan: &Plan<'_>) -> Result<usize> {
    match plan.samples() {
        Samples::Tensor(parameters) if parameters.len() >= 2 => Ok(parameters.len()),
        _ => Err(Error::request("cells need at least two samples along each axis")
            .with_help("ask for more samples, or for points")),
    }
}

/// A dataset of `cells` (grid samples) in every element.
fn dataset<const SIZE: usize>(
    plan: &Plan<'_>,
    limit: &Limit,
    attributes: &[Attribute],
    welded: bool,
    n: usize,
    vtk_type: u8,
    cells: &[[u32; SIZE]],
) -> Dataset {
    let solid = plan.solid();
    let elements = &solid.elements()[limit.elements.clone()];
    // only samples that include the ends lie on what elements share
    let weld = (welded && *plan.samples() == Samples::grid(n)).then(|| weld(elements, n));
    let pick = weld.as_ref().map_or(Pick::All, |weld| Pick::Listed(&weld.first));
    let samples = n.pow(3);
    let mut connectivity = Vec::with_capacity(elements.len() * cells.len() * SIZE);
    for element in 0..elements.len() {
        let base = element * samples;
        let point = |&sample: &u32| match &weld {
            Some(weld) => weld.ids[base + sample as usize],
            None => base as u32 + sample,
        };
        connectivity.extend(cells.iter().flatten().map(point));
    }
    let cells_each = |value: &dyn Fn(u32) -> i32| -> Vec<i32> {
        elements.iter().flat_map(|e| std::iter::repeat_n(value(e.cell), cells.len())).collect()
    };
    let classes = |cell: u32| i32::from(class_number(solid.classes()[cell as usize]));
    let classes: Vec<u8> = cells_each(&classes).into_iter().map(|class| class as u8).collect();
    let mut cell_arrays = vec![
        Array::new("cell", 1, cells_each(&|cell| cell as i32)),
        Array::new("class", 1, classes),
    ];
    cell_arrays.extend(element_arrays(limit, attributes, cells.len()));
    Dataset {
        points: positions(limit, pick),
        cells: DatasetCells::Uniform { vtk_type, size: SIZE, connectivity },
        point_arrays: point_arrays(limit, attributes, pick),
        cell_arrays,
        field_arrays: Vec::new(),
    }
}

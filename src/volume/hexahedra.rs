//! Grid samples as cells: a block of plain hexahedra, or one Lagrange hexahedron, an
//! element.

use rayon::prelude::*;

use crate::backend::Limit;
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::io::{Array, Dataset, DatasetCells, hexahedron_order, vtk_type};
use crate::limit::Element;
use crate::mesh::Attribute;
use crate::plan::{Plan, Samples};

use super::arrays::{PointSelection, corner_array, element_arrays, point_arrays, positions};
use super::shared_points::{SharedPoints, Weld};

/// Which elements share the points of common faces, edges and vertices. A shared point has the
/// derivatives and gradients of the first element that it is in.
#[derive(Clone, Copy)]
pub enum Sharing<'a> {
    /// Every element has its own points.
    None,
    /// The elements of the limit share points.
    Welded,
    /// The elements of a limit, which may be a range, share points with all elements of the plan:
    /// the points are those that are in no element before, the cells name them by their numbers in
    /// the whole.
    Numbered(&'a SharedPoints),
}

/// The (n − 1)³ hexahedra between the n × n × n samples of every element, u
/// fastest.
///
/// # Errors
/// [`Error::Request`] for a plan of fewer than two samples per axis, or of scattered ones; for
/// 2³² samples or more; for [`Sharing::Numbered`] points of another plan.
pub fn hexahedra(
    plan: &Plan<'_>,
    limit: &Limit,
    attributes: &[Attribute],
    sharing: Sharing<'_>,
) -> Result<Dataset> {
    let n = samples_an_axis(plan)?;
    dataset(plan, limit, attributes, sharing, &CellPattern::blocks(n))
}

/// One Lagrange hexahedron an element, of order n − 1 through its n × n × n samples.
///
/// # Errors
/// [`Error::Request`] unless the plan is for [`Samples::grid`] of 2 to 11; for 2³² samples or more;
/// for [`Sharing::Numbered`] points of another plan.
pub fn lagrange(
    plan: &Plan<'_>,
    limit: &Limit,
    attributes: &[Attribute],
    sharing: Sharing<'_>,
) -> Result<Dataset> {
    let n = samples_an_axis(plan)?;
    if n > MAX_ORDER + 1 || *plan.samples() != Samples::grid(n) {
        let why = format!("Lagrange cells of order 1 to {MAX_ORDER} have equally spaced nodes");
        return Err(Error::request(why).with_help("plan with Samples::grid(order + 1)"));
    }
    dataset(plan, limit, attributes, sharing, &CellPattern::lagrange(n))
}

/// Highest order of Lagrange cells: VTK's, and that up to which equally spaced nodes are sound.
pub const MAX_ORDER: usize = 10;

/// The cells of every element.
struct CellPattern {
    vtk_type: u8,
    // samples along an axis of the element
    n: usize,
    // points of a cell
    size: usize,
    // [cell * size + i]: sample
    samples: Vec<u32>,
}

impl CellPattern {
    /// Hexahedra between n × n × n samples.
    fn blocks(n: usize) -> Self {
        let mut samples = Vec::with_capacity(8 * (n - 1).pow(3));
        for k in 0..n - 1 {
            for j in 0..n - 1 {
                for i in 0..n - 1 {
                    let corner = |[a, b, c]: [usize; 3]| (i + a + n * (j + b + n * (k + c))) as u32;
                    samples.extend(crate::mesh::CORNERS.map(corner));
                }
            }
        }
        Self { vtk_type: vtk_type::HEXAHEDRON, n, size: 8, samples }
    }

    /// A Lagrange cell in VTK's order.
    fn lagrange(n: usize) -> Self {
        let sample = |[i, j, k]: [usize; 3]| (i + n * (j + n * k)) as u32;
        let samples = hexahedron_order(n - 1).into_iter().map(sample).collect();
        Self { vtk_type: vtk_type::LAGRANGE_HEXAHEDRON, n, size: n.pow(3), samples }
    }
}

/// Which samples are one point, if any are: only samples that include the ends lie on what
/// elements share.
fn weld(plan: &Plan<'_>, limit: &Limit, n: usize, sharing: Sharing<'_>) -> Result<Option<Weld>> {
    let (all, range) = (plan.solid().elements(), limit.elements.clone());
    let welded;
    let shared = match sharing {
        Sharing::Welded if *plan.samples() == Samples::grid(n) => {
            welded = SharedPoints::of(all, range.clone(), n)?;
            &welded
        }
        Sharing::None | Sharing::Welded => return Ok(None),
        Sharing::Numbered(shared) => shared,
    };
    let weld = shared.weld(all, range, n).ok_or_else(|| {
        Error::request("points shared by elements of another plan")
            .with_help("give the plan that was evaluated")
    })?;
    Ok(Some(weld))
}

fn samples_an_axis(plan: &Plan<'_>) -> Result<usize> {
    match plan.samples() {
        Samples::Tensor(parameters) if parameters.len() >= 2 => Ok(parameters.len()),
        _ => Err(Error::request("cells need at least two samples along each axis")
            .with_help("ask for more samples, or for points")),
    }
}

/// A dataset of the cells of a pattern in every element.
fn dataset(
    plan: &Plan<'_>,
    limit: &Limit,
    attributes: &[Attribute],
    sharing: Sharing<'_>,
    pattern: &CellPattern,
) -> Result<Dataset> {
    let &CellPattern { vtk_type, n, size, samples: ref nodes } = pattern;
    let cells = nodes.len() / size;
    let solid = plan.solid();
    let elements = &solid.elements()[limit.elements.clone()];
    if u32::try_from(elements.len() * n.pow(3)).is_err() {
        return Err(Error::request(format!(
            "{} samples at once: more than 32 bits can number",
            elements.len() * n.pow(3)
        ))
        .with_help("evaluate ranges of the elements"));
    }
    let weld = weld(plan, limit, n, sharing)?;
    let pick =
        weld.as_ref().map_or(PointSelection::All, |weld| PointSelection::Listed(&weld.first));
    let samples = n.pow(3);
    let mut connectivity = vec![0; elements.len() * nodes.len()];
    connectivity.par_chunks_exact_mut(nodes.len()).enumerate().for_each(|(e, ids)| {
        stop_point();
        let base = e * samples;
        let pairs = ids.iter_mut().zip(nodes);
        match &weld {
            Some(weld) => {
                let own = &weld.ids[base..base + samples];
                pairs.for_each(|(id, &sample)| *id = own[sample as usize]);
            }
            None => pairs.for_each(|(id, &sample)| *id = base as u32 + sample),
        }
    });
    let class = |cell: u32| solid.classes()[cell as usize].number();
    let ids = cells_each(elements, cells, |cell| cell as i32);
    let classes = cells_each(elements, cells, class);
    let each = elements.iter().flat_map(|e| std::iter::repeat_n(e, cells));
    let mut cell_arrays = vec![Array::new("cell", 1, ids)];
    cell_arrays.extend(corner_array(solid, each));
    cell_arrays.push(Array::new("class", 1, classes));
    cell_arrays.extend(element_arrays(limit, attributes, cells));
    Ok(Dataset {
        points: positions(limit, pick),
        cells: DatasetCells::Uniform { vtk_type, size, connectivity },
        point_arrays: point_arrays(limit, attributes, pick, Vec::new()),
        cell_arrays,
        field_arrays: Vec::new(),
    })
}

/// A value of each element's cell, `times` times each.
fn cells_each<T: Copy + Default + Send + Sync>(
    elements: &[Element],
    times: usize,
    value: impl Fn(u32) -> T + Sync,
) -> Vec<T> {
    let mut values = vec![T::default(); elements.len() * times];
    values
        .par_chunks_exact_mut(times)
        .zip(elements)
        .for_each(|(values, element)| values.fill(value(element.cell)));
    values
}

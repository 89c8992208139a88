//! What a single file will hold in all, and the memory that it takes to write it.

use std::ops::Range;
use std::sync::Arc;

use super::check::SampleGrid;
use super::request::{EvaluateRequest, LimitCells};
use crate::error::{Error, Result, option_name};
use crate::io::{FileOutline, Format};
use crate::memory::{bytes_of, decimal_bytes, physical_memory};
use crate::mesh::SolidMesh;
use crate::plan::{Plan, Samples, Want};
use crate::volume::{SharedPoints, side_groups};

/// Bytes of results that are evaluated at a time: they stay in the caches of some processors and
/// are enough to keep a GPU busy.
const RANGE: usize = 8 << 20;
/// Ranges in memory: the results, and the pieces that are made of them, wait and are written.
pub(super) const RANGES: usize = 4;
/// Bytes that numbering takes for an element: the first points of its corners, edges, faces and
/// inside, and what finds those of its neighbors.
const NUMBERING: usize = 27 * 4 + 300;

/// A single file.
#[derive(Clone)]
pub(super) struct Single {
    /// What it holds.
    pub(super) outline: FileOutline,
    /// Numbers of its points, if elements share them.
    pub(super) shared: Option<Arc<SharedPoints>>,
}

/// Results of a range.
pub(super) fn range_results(plan: &Plan<'_>, mesh: &SolidMesh) -> usize {
    (RANGE / result_bytes(plan.want(), mesh)).max(1)
}

impl Single {
    /// Counts what is in the file before anything is evaluated, in these ranges of elements, of which
    /// `results_of` says how many results they have.
    pub(super) fn new(
        request: &EvaluateRequest,
        grid: &SampleGrid,
        (plan, mesh): (&Plan<'_>, &SolidMesh),
        results_of: impl Fn(&Range<usize>) -> usize,
        ranges: &[Range<usize>],
    ) -> Result<Self> {
        let elements = plan.solid().elements().len();
        let results = results_of(&(0..elements));
        let largest = ranges.iter().map(results_of).max().unwrap_or(0);
        let is_grid = matches!(plan.samples(), Samples::Tensor(along) if along.len() >= 2);
        let is_shared = is_grid && grid.is_welded;
        // files with groups are gathered, and their elements put into order
        let is_gathered = matches!(grid.format, Some(Format::Exchange(_)));
        let held = if is_gathered { 2 * results } else { RANGES * largest };
        check_memory(request, plan, mesh, if is_shared { elements } else { 0 }, held)?;
        let shared = if is_shared { Some(Arc::new(SharedPoints::new(plan)?)) } else { None };
        let points = shared.as_ref().map_or(results, |shared| shared.len());
        let (points, cells) = match grid.cells {
            LimitCells::Bezier => (points, points / 64),
            LimitCells::Hexahedra => {
                let n = plan.samples_per_element() as f64;
                (points, elements * (n.cbrt().round() as usize - 1).pow(3))
            }
            LimitCells::Lagrange => (points, elements),
            LimitCells::Points => (points, results),
        };
        let beyond = |&x: &f64| x < f64::from(i32::MIN) || x > f64::from(i32::MAX);
        let wide = mesh.cell_data.iter().filter(|array| array.values.iter().any(beyond));
        let wide: Vec<String> = wide.map(|array| array.name.clone()).collect();
        // points alone have them too
        let along = ((cells / elements.max(1)) as f64).cbrt().round() as usize;
        let groups: &[_] = if is_gathered { &mesh.face_groups } else { &[] };
        let side_groups = side_groups(plan.solid(), groups, along)?;
        let outline = FileOutline {
            points,
            cells,
            wide_point_arrays: wide.clone(),
            wide_cell_arrays: wide,
            side_groups,
        };
        Ok(Self { outline, shared })
    }
}

/// Bytes of a result with what is made of it.
pub(super) fn result_bytes(want: Want, mesh: &SolidMesh) -> usize {
    let widths: Vec<usize> = mesh.attributes.iter().map(|attribute| attribute.width).collect();
    let of_cells: usize = mesh.cell_data.iter().map(|array| array.width).sum();
    // with the ids of a cell and its array of cells
    8 * (want.numbers_per_result(&widths) + of_cells) + 32 + 8 + 4
}

/// Refuses a file that takes too much memory.
fn check_memory(
    request: &EvaluateRequest,
    plan: &Plan<'_>,
    mesh: &SolidMesh,
    numbered: usize,
    held: usize,
) -> Result<()> {
    let limit = match request.write_memory {
        Some(gigabytes) => bytes_of("write_memory", gigabytes)?.into(),
        None => match physical_memory() {
            Some(bytes) => u128::from(bytes / 2),
            None => return Ok(()),
        },
    };
    let bytes =
        (numbered * NUMBERING) as u128 + held as u128 * result_bytes(plan.want(), mesh) as u128;
    if bytes <= limit {
        return Ok(());
    }
    Err(Error::request(format!(
        "a single file needs about {} of memory, the limit is {}",
        decimal_bytes(bytes),
        decimal_bytes(limit)
    ))
    .with_help(message!(
        "write .pvtu, whose pieces need little memory, or raise ",
        option_name("write_memory")
    )))
}

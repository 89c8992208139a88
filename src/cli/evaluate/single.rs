//! What a single file will hold in all, and the memory that it takes to write it.

use std::ops::Range;
use std::sync::Arc;

use subsolid::io::FileOutline;
use subsolid::mesh::SolidMesh;
use subsolid::plan::{Plan, Samples, Want};
use subsolid::volume::{Bezier, SharedPoints};
use subsolid::{Error, Result};

use super::{Arguments, CellShape, GridRequest};
use subsolid::memory::{bytes_of, decimal_bytes, physical_memory};

/// Bytes of results that are evaluated at a time: they stay in the caches of some processors and
/// are enough to keep a GPU busy.
const RANGE: usize = 8 << 20;
/// Ranges in memory: the results, and the pieces that are made of them, wait and are written.
pub const RANGES: usize = 4;
/// Bytes that numbering takes for an element: the first points of its corners, edges, faces and
/// inside, and what finds those of its neighbors.
const NUMBERING: usize = 27 * 4 + 300;

/// A single file.
#[derive(Clone)]
pub struct Single {
    /// What it holds.
    pub outline: FileOutline,
    /// Numbers of its points, if elements share them.
    pub shared: Option<Arc<SharedPoints>>,
}

/// Results of a range.
pub fn range(plan: &Plan<'_>, mesh: &SolidMesh) -> usize {
    (RANGE / result_bytes(plan.want(), mesh)).max(1)
}

impl Single {
    /// Counts what is in the file before anything is evaluated, in these ranges of elements.
    pub fn new(
        a: &Arguments,
        request: &GridRequest,
        plan: &Plan<'_>,
        mesh: &SolidMesh,
        bezier: Option<&Bezier<'_>>,
        ranges: &[Range<usize>],
    ) -> Result<Self> {
        let elements = plan.solid().elements().len();
        let results_of = |range: &Range<usize>| match bezier {
            Some(bezier) => 64 * bezier.cells_of(range.clone()),
            None => plan.result_count(range),
        };
        let results = results_of(&(0..elements));
        let largest = ranges.iter().map(results_of).max().unwrap_or(0);
        let is_grid = matches!(plan.samples(), Samples::Tensor(along) if along.len() >= 2);
        let is_shared = is_grid && request.is_welded;
        check_memory(a, plan, mesh, if is_shared { elements } else { 0 }, largest)?;
        let shared = if is_shared { Some(Arc::new(SharedPoints::new(plan)?)) } else { None };
        let points = shared.as_ref().map_or(results, |shared| shared.len());
        let (points, cells) = match request.shape {
            CellShape::Bezier => (points, points / 64),
            CellShape::Hexahedra => {
                let n = plan.samples_per_element() as f64;
                (points, elements * (n.cbrt().round() as usize - 1).pow(3))
            }
            CellShape::Lagrange => (points, elements),
            CellShape::Points => (points, results),
        };
        let beyond = |&x: &f64| x < f64::from(i32::MIN) || x > f64::from(i32::MAX);
        let wide = mesh.cell_data.iter().filter(|array| array.values.iter().any(beyond));
        let wide: Vec<String> = wide.map(|array| array.name.clone()).collect();
        // points alone have them too
        let outline =
            FileOutline { points, cells, wide_point_arrays: wide.clone(), wide_cell_arrays: wide };
        Ok(Self { outline, shared })
    }
}

/// Bytes of a result with what is made of it.
pub fn result_bytes(want: Want, mesh: &SolidMesh) -> usize {
    let widths: Vec<usize> = mesh.attributes.iter().map(|attribute| attribute.width).collect();
    let of_cells: usize = mesh.cell_data.iter().map(|array| array.width).sum();
    // with the ids of a cell and its array of cells
    8 * (want.numbers_per_result(&widths) + of_cells) + 32 + 8 + 4
}

/// Refuses a file that takes too much memory.
fn check_memory(
    a: &Arguments,
    plan: &Plan<'_>,
    mesh: &SolidMesh,
    numbered: usize,
    range: usize,
) -> Result<()> {
    let limit = match a.write_memory {
        Some(gigabytes) => bytes_of("write_memory", gigabytes)?.into(),
        None => match physical_memory() {
            Some(bytes) => u128::from(bytes / 2),
            None => return Ok(()),
        },
    };
    let bytes = (numbered * NUMBERING) as u128
        + (RANGES * range) as u128 * result_bytes(plan.want(), mesh) as u128;
    if bytes <= limit {
        return Ok(());
    }
    Err(Error::request(format!(
        "a single file needs about {} of memory, the limit is {}",
        decimal_bytes(bytes),
        decimal_bytes(limit)
    ))
    .with_help("write .pvtu, whose pieces need little memory, or raise --write-memory"))
}

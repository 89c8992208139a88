//! Coordinates whose products overflow or underflow, and attributes that do.

use rayon::prelude::*;

use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::mesh::{Attribute, SolidMesh};
use crate::numbers::Precision;
use crate::numbers::bounds;

/// Points a thread looks at.
const TASK_POINTS: usize = 1 << 16;

/// Largest coordinate, and the inverse of the least size, whose products stay numbers: fourth
/// powers (normals, closest points) in double precision, squares in single.
fn most(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => 1e18,
        Precision::F64 => 1e70,
    }
}

/// Checks that all coordinates are finite, that none is so large, and the box around them not so
/// small, that products of them overflow or underflow. A box without any size passes: all that is
/// made of it is exact.
///
/// # Errors
/// [`Error::Mesh`] naming the vertex or the size, and how to fix it.
pub(crate) fn check_coordinates(points: &[[f64; 3]], precision: Precision) -> Result<()> {
    let most = most(precision);
    check_within(
        points,
        precision,
        [most.recip(), most],
        ["products of coordinates", "products of lengths"],
    )
}

/// Like [`check_coordinates`], for models whose Jacobian determinants are wanted: in single
/// precision cubes of lengths have to fit, also of cells a thousand times smaller than the
/// model.
///
/// # Errors
/// As [`check_coordinates`].
pub(crate) fn check_cubes(points: &[[f64; 3]], precision: Precision) -> Result<()> {
    match precision {
        Precision::F32 => {
            check_within(points, precision, [1e-9, 1e12], ["Jacobian determinants"; 2])
        }
        Precision::F64 => check_coordinates(points, precision),
    }
}

/// Checks that all coordinates are finite and at most `most`, and the box around them at least
/// `least`: beyond, `large` overflows, and below, `small` underflows.
fn check_within(
    points: &[[f64; 3]],
    precision: Precision,
    [least, most]: [f64; 2],
    [large, small]: [&str; 2],
) -> Result<()> {
    let (bits, help) = match precision {
        Precision::F32 => ("single", "scale the model to another length unit, or use f64"),
        Precision::F64 => ("double", "give the model in another length unit"),
    };
    // the box, and whether all are in range
    let look = |points: &[[f64; 3]]| {
        points.iter().fold((bounds::empty(), true), |(around, fits), p| {
            let fit = p.iter().fold(true, |fits, x| fits & (x.abs() <= most)); // NaN does not
            (bounds::extended(around, *p), fits & fit)
        })
    };
    let parts: Vec<_> = points.par_chunks(TASK_POINTS).map(look).collect();
    if !parts.iter().all(|(_, fits)| *fits) {
        let is_bad = |p: &[f64; 3]| !p.iter().all(|x| x.abs() <= most);
        let v = points.iter().position(is_bad).unwrap_or_default();
        let p = points[v];
        if !p.iter().all(|x| x.is_finite()) {
            return Err(Error::mesh(message!(Vertex.id(v), " lies at {p:?}"))
                .with_help("give every vertex finite coordinates"));
        }
        return Err(Error::mesh(message!(
            Vertex.id(v),
            " lies at {p:?}: beyond {most:e} {large} overflow in {bits} precision"
        ))
        .with_help(help));
    }
    let around = parts.iter().map(|(around, _)| *around).fold(bounds::empty(), bounds::union);
    let size = bounds::longest_side(around);
    if size > 0.0 && size < least {
        return Err(Error::mesh(format!(
            "all vertices lie within {size:e}: below {least:e}, {small} underflow in {bits} precision"
        ))
        .with_help(help));
    }
    Ok(())
}

/// Checks that the values of attributes neither overflow nor underflow in single precision, nor
/// their derivatives in models of any size that [`check_coordinates`] lets pass. What is infinite
/// or not a number passes, as it stands for itself.
///
/// # Errors
/// [`Error::Mesh`] naming the attribute and the vertex, and how to fix it.
pub(crate) fn check_attributes(attributes: &[Attribute], precision: Precision) -> Result<()> {
    if precision == Precision::F64 {
        return Ok(());
    }
    let most = most(precision);
    for Attribute { name, width, values } in attributes {
        let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
        let largest = values.par_iter().with_min_len(TASK_POINTS).map(|&x| finite(x));
        let largest = largest.reduce(|| 0.0, f64::max);
        let refused = if largest > most {
            let at = values.iter().position(|&x| finite(x) > most).unwrap_or_default();
            let (vertex, value) = (at / width.max(&1), values[at]);
            message!(
                "`{name}` is {value:e} at ",
                Vertex.id(vertex),
                ": beyond {most:e} results overflow"
            )
        } else if largest > 0.0 && largest < most.recip() {
            let least = most.recip();
            message!("`{name}` is {largest:e} at most: below {least:e} results underflow")
        } else {
            continue;
        };
        return Err(Error::mesh(format!("{refused} in single precision"))
            .with_help("give the attribute in another unit, or take f64"));
    }
    Ok(())
}

/// What single precision loses of coordinates up to `largest`, in words, if it does not tell that
/// many `parts` of the `length` of `what` apart.
#[must_use]
pub fn single_precision_loss(largest: f64, parts: f64, what: &str, length: f64) -> Option<String> {
    let spacing = largest * f64::from(f32::EPSILON);
    (spacing * parts > length).then(|| {
        format!(
            "single precision resolves coordinates up to {largest:.1e} to {spacing:.1e}, and {what} is \
             {length:.1e} long"
        )
    })
}

/// [`single_precision_loss`] of a model in the box from `low` to `high`, of which 100,000 parts are
/// to be told apart.
#[must_use]
pub fn single_precision_loss_in([low, high]: [[f64; 3]; 2]) -> Option<String> {
    const PARTS: f64 = 1e5;
    let largest = low.iter().chain(&high).fold(0.0, |a: f64, x| a.max(x.abs()));
    let length = bounds::longest_side([low, high]);
    single_precision_loss(largest, PARTS, "the model", length)
}

/// Lengths that decide whether single precision keeps the points of cells apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellLengths {
    /// The largest coordinate, by its size.
    pub largest: f64,
    /// The longest side of the box around the smallest cell; infinite without cells of any size.
    pub smallest: f64,
}

impl CellLengths {
    /// Lengths of the cells of a mesh.
    pub fn new(mesh: &SolidMesh) -> Self {
        let largest = mesh.points.iter().flatten().fold(0.0, |a: f64, x| a.max(x.abs()));
        let size = |c: usize| {
            let points =
                || mesh.cells.vertices(c).iter().filter_map(|&v| mesh.points.get(v as usize));
            let along = |d: usize| {
                let ends = points().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
                    [low.min(p[d]), high.max(p[d])]
                });
                ends[1] - ends[0]
            };
            (0..3).map(along).fold(0.0, f64::max)
        };
        let sizes = (0..mesh.cells.len()).map(size).filter(|&size| size > 0.0);
        Self { largest, smallest: sizes.fold(f64::INFINITY, f64::min) }
    }

    /// What single precision loses of the points of cells refined `levels` times, in words, if it
    /// does not tell 1,000 parts of the smallest cell apart.
    #[must_use]
    pub fn single_precision_loss(self, levels: usize) -> Option<String> {
        const PARTS: f64 = 1000.0;
        let smallest = self.smallest * 0.5_f64.powi(levels as i32);
        let loss = single_precision_loss(self.largest, PARTS, "the smallest cell", smallest);
        loss.map(|loss| format!("{loss}: points become inaccurate"))
    }
}

//! Where results are not what they seem: single precision cannot distinguish neighboring points,
//! attributes are not finite.

use subsolid::mesh::{SolidMesh, single_precision_loss};

use super::Console;

/// The largest coordinate, and the length of the smallest cell.
pub fn lengths(mesh: &SolidMesh) -> [f64; 2] {
    let largest = mesh.points.iter().flatten().fold(0.0, |a: f64, x| a.max(x.abs()));
    let size = |c: usize| {
        let points = || mesh.cells.vertices(c).iter().filter_map(|&v| mesh.points.get(v as usize));
        let along = |d: usize| {
            let ends = points().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
                [low.min(p[d]), high.max(p[d])]
            });
            ends[1] - ends[0]
        };
        (0..3).map(along).fold(0.0, f64::max)
    };
    let sizes = (0..mesh.cells.len()).map(size).filter(|&s| s > 0.0);
    [largest, sizes.fold(f64::INFINITY, f64::min)]
}

/// Warns where cells of `levels` refinements are so small beside their distance from the origin
/// that single precision does not keep points apart.
pub fn warn_of_single([largest, smallest]: [f64; 2], levels: usize, console: &Console) {
    const PARTS: f64 = 1000.0; // of a cell, that are to be told apart
    let smallest = smallest * 0.5_f64.powi(levels as i32);
    if let Some(loss) = single_precision_loss(largest, PARTS, ("the smallest cell", smallest)) {
        console.warn(format!(
            "{loss}: points become inaccurate. Omit --precision f32, or move the model to the \
             origin"
        ));
    }
}

/// Of each attribute whether it is NaN or infinite at some vertex (1) or nowhere (0).
pub fn not_finite(mesh: &SolidMesh) -> Vec<f64> {
    let is_finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
    mesh.attributes.iter().map(|a| if is_finite(&a.values) { 0.0 } else { 1.0 }).collect()
}

/// Names the attributes that are [`not_finite`].
pub fn warn_of_not_finite(mesh: &SolidMesh, not_finite: &[f64], console: &Console) {
    let some = mesh.attributes.iter().zip(not_finite).filter(|(_, flag)| **flag > 0.0);
    for (attribute, _) in some {
        console.warn(format!(
            "`{}` is NaN or infinite at some vertices, and so are the results near them",
            attribute.name
        ));
    }
}

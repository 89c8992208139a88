//! Where single precision cannot distinguish neighboring points.

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

//! Where single precision cannot distinguish neighboring points.

use subsolid::mesh::CellLengths;

use super::Console;

/// Warns where cells of `levels` refinements are so small beside their distance from the origin
/// that single precision does not keep points apart.
pub fn warn_of_single(lengths: CellLengths, levels: usize, console: &Console) {
    if let Some(loss) = lengths.single_precision_loss(levels) {
        console.warn(format!("{loss}. Omit --precision f32, or move the model to the origin"));
    }
}

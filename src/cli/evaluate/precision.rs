//! Where results are not what they seem: single precision cannot distinguish neighboring points,
//! attributes are not finite.

use subsolid::mesh::{CellLengths, SolidMesh};

use super::Console;

/// Warns where cells of `levels` refinements are so small beside their distance from the origin
/// that single precision does not keep points apart.
pub fn warn_of_single(lengths: CellLengths, levels: usize, console: &Console) {
    if let Some(loss) = lengths.single_precision_loss(levels) {
        console.warn(format!("{loss}. Omit --precision f32, or move the model to the origin"));
    }
}

/// For each attribute, whether it is NaN or infinite at some vertex (1) or nowhere (0).
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

//! Where results are not what they seem: single precision cannot distinguish neighboring points,
//! attributes are not finite.

use subsolid::mesh::{CellLengths, SolidMesh};

use super::Console;

/// Warns where cells of `levels` refinements are so small beside their distance from the origin
/// that single precision does not keep points apart.
pub fn warn_of_single(mesh: &SolidMesh, levels: usize, console: &Console) {
    if let Some(loss) = CellLengths::new(mesh).single_precision_loss(levels) {
        console.warn(format!("{loss}. Omit --precision f32, or move the model to the origin"));
    }
}

/// Names the attributes that are NaN or infinite at some vertex.
pub fn warn_of_not_finite(mesh: &SolidMesh, console: &Console) {
    for attribute in &mesh.attributes {
        if attribute.values.iter().all(|x| x.is_finite()) {
            continue;
        }
        console.warn(format!(
            "`{}` is NaN or infinite at some vertices, and so are the results near them",
            attribute.name
        ));
    }
}

//! Plans that tests share.

use super::{Method, Scheme, SurfaceOptions, SurfacePlan};
use crate::mesh::{Creases, SurfaceMesh};

/// Visits plans of models at a level each, under every scheme that has a pass over the mesh matrix.
pub fn matrix_plans(
    models: &[(&str, usize)],
    mut visit: impl FnMut(&str, Scheme, &SurfaceMesh, &SurfacePlan),
) {
    for scheme in Scheme::ALL.into_iter().filter(|s| s.rules().has_matrix_pass()) {
        for &(name, levels) in models {
            let mut mesh = crate::io::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
            if !scheme.split().is_nested() {
                mesh.creases = Creases::default(); // it has no rule for them
            }
            let options =
                SurfaceOptions { scheme, levels, method: Method::Matrix, crease_rule: None };
            visit(name, scheme, &mesh, &SurfacePlan::new(&mesh, &options).unwrap());
        }
    }
}

//! Surfaces that several tests go through.

use std::path::{Path, PathBuf};

use subsolid::mesh::SurfaceMesh;

/// All kinds of surfaces: closed, with boundaries, creases and corners of all kinds, polygons,
/// one-sided, with edges of many faces and vertices at which sheets touch.
pub const SURFACES: [&str; 19] = [
    "bishop",
    "car",
    "cow_boundary",
    "cubes_semisharp",
    "dart_edgecorner",
    "dodecahedron_poly",
    "edgecorner",
    "helmet",
    "hole_test2",
    "moebius",
    "nonman_verts",
    "nonquads",
    "pole64",
    "rook",
    "spot_control_mesh",
    "spot_quadrangulated",
    "torus_creases0",
    "val2_interior",
    "wrench_boundary",
];

/// The file of a surface.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/surfaces/{name}.obj"))
}

/// A surface by its name.
pub fn model(name: &str) -> SurfaceMesh {
    subsolid::read_surface(path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

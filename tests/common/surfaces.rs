//! Surfaces that several tests go through.
#![allow(dead_code)] // each test program uses a part of it

use std::path::{Path, PathBuf};

use subsolid::mesh::SurfaceMesh;
use subsolid::surface::{Method, Scheme, SurfaceOptions};

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

/// Options without a crease rule of their own.
pub fn options(scheme: Scheme, levels: usize, method: Method) -> SurfaceOptions {
    SurfaceOptions { scheme, levels, method, crease_rule: None }
}

/// Largest side of the box around the points.
pub fn size(mesh: &SurfaceMesh) -> f64 {
    let extent = |d: usize| {
        let along = || mesh.points.iter().map(|p| p[d]);
        along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
    };
    (0..3).map(extent).fold(0.0, f64::max)
}

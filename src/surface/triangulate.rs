//! Polygons cut into triangles, for the schemes that know nothing else.

use std::borrow::Cow;

use crate::mesh::{FaceVarying, Polygons, SurfaceMesh};

/// A mesh of triangles, and how it came about.
pub(super) struct Triangulated<'a> {
    /// The mesh; its holes are those of the triangles.
    pub mesh: Cow<'a, SurfaceMesh>,
    /// Faces that had more than three corners.
    pub cut_faces: usize,
}

/// Cuts every face of more than three corners into the fan of its first corner.
pub(super) fn triangulate(mesh: &SurfaceMesh) -> Triangulated<'_> {
    let cut_faces = mesh.faces.iter().filter(|face| face.len() > 3).count();
    if cut_faces == 0 {
        return Triangulated { mesh: Cow::Borrowed(mesh), cut_faces };
    }
    let mut triangles = Vec::new();
    let mut uv_corners = Vec::new();
    let mut holes = Vec::new();
    let mut is_hole = vec![false; mesh.faces.len()];
    mesh.holes.iter().for_each(|&f| is_hole[f as usize] = true);
    for (f, face) in mesh.faces.iter().enumerate() {
        let corners = mesh.faces.corners(f);
        for i in 1..face.len() - 1 {
            if is_hole[f] {
                holes.push(triangles.len() as u32 / 3);
            }
            triangles.extend([face[0], face[i], face[i + 1]]);
            if let Some(uv) = &mesh.uv {
                uv_corners.extend([0, i, i + 1].map(|i| uv.corners[corners.start + i]));
            }
        }
    }
    let uv = mesh.uv.as_ref();
    let uv = uv.map(|uv| FaceVarying { values: uv.values.clone(), corners: uv_corners });
    let faces = Polygons::uniform(3, triangles);
    let mesh = SurfaceMesh { faces, holes, uv, ..mesh.clone() };
    Triangulated { mesh: Cow::Owned(mesh), cut_faces }
}

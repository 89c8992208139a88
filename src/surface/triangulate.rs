//! Polygons cut into triangles, for the schemes that know nothing else.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::mesh::{FaceVarying, Polygons, SurfaceMesh};

/// A mesh of triangles, and how it came about.
pub(crate) struct Triangulated<'a> {
    /// The mesh; its holes are those of the triangles.
    pub mesh: Cow<'a, SurfaceMesh>,
    /// Faces that had more than three corners.
    pub cut_faces: usize,
}

/// Cuts every face of more than three corners into a fan: of its first corner from which
/// no diagonal is an edge already, so that no edge gets more than two faces (two quads
/// around a vertex of valence 2 share one of their diagonals).
pub(crate) fn triangulate(mesh: &SurfaceMesh) -> Triangulated<'_> {
    let cut_faces = mesh.faces.iter().filter(|face| face.len() > 3).count();
    if cut_faces == 0 {
        return Triangulated { mesh: Cow::Borrowed(mesh), cut_faces };
    }
    let mut triangles = Vec::new();
    let mut uv_corners = Vec::new();
    let mut holes = Vec::new();
    let mut is_hole = vec![false; mesh.faces.len()];
    mesh.holes.iter().for_each(|&f| is_hole[f as usize] = true);
    let edge = |a: u32, b: u32| [a.min(b), a.max(b)];
    let mut edges: HashSet<[u32; 2]> = mesh
        .faces
        .iter()
        .flat_map(|face| (0..face.len()).map(move |i| edge(face[i], face[(i + 1) % face.len()])))
        .collect();
    for (f, face) in mesh.faces.iter().enumerate() {
        let (n, first) = (face.len(), mesh.faces.corners(f).start);
        let diagonals =
            |start: usize| (2..n - 1).map(move |i| edge(face[start], face[(start + i) % n]));
        // a face of many corners that has no such corner takes its first
        let start = (0..n.min(64)).find(|&i| diagonals(i).all(|d| !edges.contains(&d)));
        let start = start.unwrap_or(0);
        edges.extend(diagonals(start));
        for i in 1..n - 1 {
            if is_hole[f] {
                holes.push(triangles.len() as u32 / 3);
            }
            let corners = [start, (start + i) % n, (start + i + 1) % n];
            triangles.extend(corners.map(|corner| face[corner]));
            if let Some(uv) = &mesh.uv {
                uv_corners.extend(corners.map(|corner| uv.corners[first + corner]));
            }
        }
    }
    let uv = mesh.uv.as_ref();
    let uv = uv.map(|uv| FaceVarying {
        values: uv.values.clone(),
        corners: uv_corners,
        linear: uv.linear,
    });
    let faces = Polygons::uniform(3, triangles);
    let mesh = SurfaceMesh { faces, holes, uv, ..mesh.clone() };
    Triangulated { mesh: Cow::Owned(mesh), cut_faces }
}

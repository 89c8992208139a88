//! Polygons cut into triangles, for the schemes that know nothing else.

use nalgebra::Vector3;

use crate::error::{Error, Result};
use crate::mesh::{FaceVarying, Polygons, SurfaceMesh, area_normal};
use crate::numbers::{by_count, counted};
use crate::scheme::{FaceShape, Scheme};
use crate::topology::surface::Columns;

/// Distance of corners from the plane of a planar face, as a fraction of its size.
const PLANE_DISTANCE_FRACTION: f64 = 1e-5;
/// Distance of a concave corner from the line between those next to it, as a fraction of the face's
/// size.
const CONCAVE_DISTANCE_FRACTION: f64 = 1e-9;

/// How the polygons of a mesh are cut into triangles ([`SurfaceMesh::triangles`]). A plan keeps it,
/// so that its triangles stay where points move.
#[derive(Clone, Debug)]
pub(crate) struct Triangulation {
    // faces of the mesh that was cut
    columns: Columns,
    // [triangle] places of its corners in the corners of the faces
    places: Vec<[u32; 3]>,
    // [triangle] its face
    of_faces: Vec<u32>,
    // faces of more than three corners
    cut_faces: usize,
}

impl Triangulation {
    /// `None` where nothing is to be cut: for schemes of polygons, and of triangles.
    pub fn of(mesh: &SurfaceMesh, scheme: Scheme) -> Option<Self> {
        let cut_faces = cut_faces(mesh, scheme);
        if cut_faces == 0 {
            return None;
        }
        let (places, of_faces) = mesh.triangle_places();
        Some(Self { columns: Columns::of(&mesh.faces), places, of_faces, cut_faces })
    }

    /// The mesh of triangles of a mesh that has as many faces, of as many corners each, as the one
    /// that was cut.
    ///
    /// # Errors
    /// [`Error::Request`] for other faces.
    pub fn triangles(&self, mesh: &SurfaceMesh) -> Result<SurfaceMesh> {
        if Columns::of(&mesh.faces) != self.columns {
            return Err(other_faces());
        }
        let mut is_hole = vec![false; mesh.faces.len()];
        mesh.holes.iter().for_each(|&f| is_hole[f as usize] = true);
        let triangles = (0..).zip(&self.of_faces);
        let holes = triangles.filter(|&(_, &f)| is_hole[f as usize]).map(|(triangle, _)| triangle);
        let places = self.places.as_flattened();
        let uv = mesh.uv.as_ref().map(|uv| FaceVarying {
            values: uv.values.clone(),
            corners: places.iter().map(|&i| uv.corners[i as usize]).collect(),
            linear: uv.linear,
        });
        let vertices = mesh.faces.vertices();
        let triangles = places.iter().map(|&i| vertices[i as usize]).collect();
        let faces = Polygons::uniform(3, triangles);
        Ok(SurfaceMesh { faces, holes: holes.collect(), uv, ..mesh.clone() })
    }

    /// The face that each triangle is part of.
    pub fn of_faces(&self) -> &[u32] {
        &self.of_faces
    }

    /// What the user should know of it.
    pub fn notice(&self) -> String {
        notice(self.cut_faces)
    }
}

/// Number of faces that a scheme cuts into triangles first.
fn cut_faces(mesh: &SurfaceMesh, scheme: Scheme) -> usize {
    match scheme.shape() {
        FaceShape::Quad => 0,
        FaceShape::Triangle => mesh.faces.iter().filter(|face| face.len() > 3).count(),
    }
}

/// What the user should know of a mesh whose faces a scheme cuts into triangles first.
pub(crate) fn cut_notice(mesh: &SurfaceMesh, scheme: Scheme) -> Option<String> {
    match cut_faces(mesh, scheme) {
        0 => None,
        cut_faces => Some(notice(cut_faces)),
    }
}

fn notice(cut_faces: usize) -> String {
    let faces = counted(cut_faces, "face");
    let were = by_count(cut_faces, "was", "were");
    format!("{faces} of more than three corners {were} cut into triangles")
}

/// The faces of a mesh with triangles in place of the concave planar ones, and the face that each
/// is part of; `None` without such faces. The surface stays where it is: as bilinear patches around
/// its middle a concave face would be folded.
pub(crate) fn without_concave_faces(mesh: &SurfaceMesh) -> Option<(Polygons, Vec<u32>)> {
    let is_concave: Vec<bool> =
        mesh.faces.iter().map(|face| is_concave_planar(&mesh.points, face)).collect();
    if !is_concave.contains(&true) {
        return None;
    }
    let (places, of_faces) = mesh.triangle_places();
    let vertices = mesh.faces.vertices();
    let (mut faces, mut of_mesh) = (Polygons::default(), Vec::new());
    for (f, face) in (0..).zip(mesh.faces.iter()) {
        let own = of_faces.partition_point(|&other| other < f);
        let triangles = if is_concave[f as usize] {
            of_faces[own..].partition_point(|&other| other == f)
        } else {
            0
        };
        for places in &places[own..own + triangles] {
            faces.push(&places.map(|place| vertices[place as usize]));
        }
        if triangles == 0 {
            faces.push(face);
        }
        of_mesh.resize(faces.len(), f);
    }
    Some((faces, of_mesh))
}

/// Whether a face lies in a plane, and turns the other way at one of its corners.
fn is_concave_planar(points: &[[f64; 3]], face: &[u32]) -> bool {
    if face.len() < 4 {
        return false;
    }
    let at = |i: usize| Vector3::from(points[face[i % face.len()] as usize]);
    let from_first = |i: usize| at(i) - at(0);
    let corners = 0..face.len();
    let size = corners.clone().map(|i| from_first(i).norm()).fold(0.0, f64::max);
    let Some(normal) = area_normal(points, face).try_normalize(0.0) else { return false };
    let turns_back = |i: usize| {
        let [before, after] = [at(i + 1) - at(i), at(i + 2) - at(i + 1)];
        before.cross(&after).dot(&normal)
            < -CONCAVE_DISTANCE_FRACTION * size * (before + after).norm()
    };
    corners.clone().any(turns_back)
        && corners
            .clone()
            .all(|i| from_first(i).dot(&normal).abs() <= PLANE_DISTANCE_FRACTION * size)
}

/// A plan for a mesh of other faces.
pub(crate) fn other_faces() -> Error {
    Error::request("the mesh has other faces than that of the plan")
        .with_help("plan again after its connectivity has changed")
}

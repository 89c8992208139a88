//! Polygons cut into triangles, for the schemes that know nothing else.

use crate::error::{Error, Result};
use crate::mesh::{FaceVarying, Polygons, SurfaceMesh};
use crate::numbers::{by_count, counted};
use crate::scheme::{FaceShape, Scheme};
use crate::topology::surface::Columns;

/// How the polygons of a mesh are cut into triangles ([`SurfaceMesh::triangles`]). A plan keeps it,
/// so that its triangles stay where points move.
#[derive(Clone, Debug)]
pub(crate) struct Triangulation {
    // faces of the mesh that was cut
    columns: Columns,
    // [triangle] places of its corners among those of the faces
    places: Vec<[u32; 3]>,
    // [triangle] its face
    of_faces: Vec<u32>,
    // faces of more than three corners
    cut_faces: usize,
}

impl Triangulation {
    /// `None` where nothing is to be cut: for schemes of polygons, and of triangles.
    pub fn of(mesh: &SurfaceMesh, scheme: Scheme) -> Option<Self> {
        let cut_faces = mesh.faces.iter().filter(|face| face.len() > 3).count();
        if scheme.shape() == FaceShape::Quad || cut_faces == 0 {
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

    /// What the user should know of it.
    pub fn notice(&self) -> String {
        let faces = counted(self.cut_faces, "face");
        let were = by_count(self.cut_faces, "was", "were");
        format!("{faces} of more than three corners {were} cut into triangles")
    }
}

/// A plan for a mesh of other faces.
pub(crate) fn other_faces() -> Error {
    Error::request("the mesh has other faces than that of the plan")
        .with_help("plan again after its connectivity has changed")
}

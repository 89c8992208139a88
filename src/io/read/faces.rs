//! Surfaces in formats of solids: the faces of a file that has no volume cells.

use crate::error::{Command, Error, Result};
use crate::mesh::{Attribute, FaceGroup, NORMALS, Polygons, SolidMesh, SurfaceMesh};

use super::ReadReport;
use super::assemble::Assembly;

impl Assembly<'_> {
    /// Whether the file holds faces and no volume cells.
    pub fn is_surface(&self) -> bool {
        self.mesh.cells.is_empty() && self.groups.has_faces()
    }

    /// The surface of the faces, after all checks that need the whole file. Cell arrays and groups
    /// of faces are left out.
    pub fn finish_surface(mut self) -> Result<(SurfaceMesh, ReadReport)> {
        if !self.mesh.cells.is_empty() {
            return Err(self.error(None, "a solid, not a surface").with_help(message!(
                "take its boundary first (",
                Command::Boundary,
                ")"
            )));
        }
        if !self.groups.has_faces() {
            return Err(self.no_faces());
        }
        self.check_indices()?;
        self.check_attributes()?;
        self.take_sharpness()?;
        for array in std::mem::take(&mut self.mesh.cell_data) {
            self.skip(&format!("cell array `{}`", array.name));
        }
        let (faces, high_order, groups) = std::mem::take(&mut self.groups).into_faces();
        self.skip_many("groups of faces", groups);
        self.check_high_order(&high_order)?;
        // as a group the faces take part in the numbering of the vertices that stay
        self.mesh.face_groups = vec![FaceGroup { name: String::new(), faces }];
        let mut features = std::mem::take(&mut self.features).into_features();
        let mut skipped = high_order.drop_nodes(&mut self.mesh, &mut features);
        skipped.extend(self.left_out());
        let SolidMesh { points, creases, mut attributes, mut face_groups, .. } = self.mesh;
        let faces = face_groups.pop().map(|group| group.faces).unwrap_or_default();
        name_normals(&mut attributes);
        let mesh = SurfaceMesh { points, faces, creases, attributes, ..SurfaceMesh::default() };
        Ok((mesh, ReadReport { skipped, features, ..ReadReport::default() }))
    }

    /// The surface of checked `faces` over the points and arrays, and what was not read.
    pub fn finish_polygons(mut self, faces: Polygons) -> Result<(SurfaceMesh, ReadReport)> {
        self.check_attributes()?;
        self.take_sharpness()?;
        let skipped = self.left_out();
        let SolidMesh { points, creases, mut attributes, .. } = self.mesh;
        name_normals(&mut attributes);
        let mesh = SurfaceMesh { points, faces, creases, attributes, ..SurfaceMesh::default() };
        Ok((mesh, ReadReport { skipped, ..ReadReport::default() }))
    }

    fn no_faces(&self) -> Error {
        let skipped = self.left_out();
        let found = if skipped.is_empty() { "nothing else".into() } else { skipped.join(", ") };
        self.error(None, format!("the file has no faces (found: {found})"))
            .with_help("a surface needs triangles, quads or polygons; export the mesh again")
    }
}

/// Gives the normals the name that they have in surfaces; of several arrays the first, unless one
/// has that name.
fn name_normals(attributes: &mut [Attribute]) {
    if attributes.iter().any(|a| a.name == NORMALS) {
        return;
    }
    let is_normals = |a: &Attribute| a.width == 3 && a.name.eq_ignore_ascii_case(NORMALS);
    let Some(normals) = attributes.iter().position(is_normals) else { return };
    // two of one name are refused, by the name that they have in the file
    if attributes[normals + 1..].iter().all(|a| a.name != attributes[normals].name) {
        attributes[normals].name = NORMALS.into();
    }
}

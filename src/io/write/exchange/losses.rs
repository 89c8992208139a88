//! What files of finite-element programs leave out of a control mesh, and what they rename.

use super::groups::{Group, Partition};
use super::mesh::ExchangeMesh;
use super::{MeshFormat, exodus, inp};
use crate::error::Result;
use crate::io::write::losses::listed;
use crate::mesh::{CellArray, Creases, SolidMesh, SurfaceMesh};
use crate::numbers::counted;

impl MeshFormat {
    /// What a file of this format leaves out of a control mesh, or of the limit of one, in words;
    /// empty if nothing.
    pub fn losses(self, solid: &SolidMesh) -> Vec<String> {
        let mesh = ExchangeMesh::of_groups(solid);
        let mut losses = vec![lost_tags(&solid.creases)];
        if solid.is_fitted {
            losses.push("that the points are control points of a fitted part".into());
        }
        if !solid.periods.is_empty() {
            losses.push("the periods".into());
        }
        let empty = solid.face_groups.iter().filter(|group| group.faces.is_empty());
        losses.extend(listed("empty groups of faces", empty.map(|group| &*group.name)));
        let empty = solid.cell_data.iter().filter(|array| array.members().next().is_none());
        losses.extend(listed("empty groups of cells", empty.filter_map(CellArray::group_name)));
        if !self.holds_arrays() {
            let attributes = solid.attributes.iter().map(|attribute| &*attribute.name);
            losses.extend(listed("attributes", attributes));
            let arrays = mesh.cell_arrays.iter().map(|array| &*array.name);
            losses.extend(listed("arrays of cells", arrays));
        }
        if self == Self::Mfem {
            // each would be an unknown without an equation
            let unused = solid.used_vertices().into_iter().filter(|used| !used).count();
            losses
                .extend((unused > 0).then(|| format!("{} of no cell", counted(unused, "vertex"))));
        }
        losses.extend(self.lost_names(&mesh));
        losses.retain(|loss| !loss.is_empty());
        losses
    }

    /// What a file of this format leaves out of a surface with groups of its faces, in words; empty if
    /// nothing.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) for polygons other than triangles and quads.
    pub fn surface_losses(
        self,
        surface: &SurfaceMesh,
        groups: &[(String, Vec<u32>)],
    ) -> Result<Vec<String>> {
        let mesh = ExchangeMesh::of_surface(surface, groups)?;
        let mut losses = vec![lost_tags(&surface.creases)];
        if !self.holds_arrays() {
            let attributes = surface.attributes.iter().map(|attribute| &*attribute.name);
            losses.extend(listed("attributes", attributes));
        }
        losses.extend(self.lost_names(&mesh));
        losses.retain(|loss| !loss.is_empty());
        Ok(losses)
    }

    /// Names of groups that the format has no place for, or not as they are.
    fn lost_names(self, mesh: &ExchangeMesh) -> Vec<String> {
        let (cells, faces) = (&mesh.cell_groups, &mesh.face_groups);
        match self {
            Self::Msh | Self::MshBinary | Self::Mfem => Vec::new(),
            Self::Medit => [
                references("cells", cells, &mesh.cell_classes()),
                references("faces", faces, &mesh.face_classes()),
            ]
            .into_iter()
            .flatten()
            .collect(),
            Self::Inp => [
                renamed("cells", cells, inp::cell_names(mesh)),
                renamed("faces", faces, inp::face_names(mesh)),
            ]
            .into_iter()
            .flatten()
            .collect(),
            Self::Exodus => {
                let names = exodus::combined_names(mesh);
                let names = names.iter().map(|name| &**name).filter(|name| !name.is_empty());
                let overlaps =
                    listed("that groups of cells overlap: their common blocks are", names);
                overlaps.into_iter().collect()
            }
        }
    }
}

/// Creases and corners, by their numbers; empty without any.
fn lost_tags(creases: &Creases) -> String {
    let tags = [(creases.edges.len(), "crease"), (creases.corners.len(), "corner")];
    let tags = tags.iter().filter(|(count, _)| *count > 0);
    let tags: Vec<String> = tags.map(|&(count, what)| counted(count, what)).collect();
    tags.join(", ")
}

/// The names of groups, with the references that say which they are.
fn references(of: &str, groups: &[Group], classes: &Partition) -> Option<String> {
    let numbers = classes.numbers(groups, Some(0));
    let named = groups.iter().enumerate().filter(|(_, group)| group.is_named);
    let of_group = |(g, group): (usize, &Group)| {
        let own = classes.numbers_in(g, &numbers);
        let own: Vec<String> = own.iter().map(ToString::to_string).collect();
        format!("{} ({})", group.name, own.join(", "))
    };
    let names: Vec<String> = named.map(of_group).collect();
    let what = format!("the names of groups of {of}; their references are in brackets:");
    (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
}

/// The names of groups that are not written as they are.
fn renamed(of: &str, groups: &[Group], names: Vec<String>) -> Option<String> {
    let pairs = groups.iter().zip(names).filter(|(group, name)| group.name != *name);
    let pairs: Vec<String> =
        pairs.map(|(group, name)| format!("{} (written as {name})", group.name)).collect();
    (!pairs.is_empty()).then(|| format!("the names of groups of {of}: {}", pairs.join(", ")))
}

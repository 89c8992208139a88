//! Meshes that are no Catmull-Clark solids, made conforming: cells that meet in whole faces and
//! whose corners all have three faces of their cell.
//!
//! 1. Cells with repeated corners become what they are; flat and repeated cells go.
//! 2. Faces that four smaller ones cover get *layers* between the two sizes (`layers.rs`).
//! 3. Cells with other corners, pyramids above all, are split into tetrahedra around one point
//!    (`corners.rs`).
//! 4. Cells that touch in an edge or vertex only are taken apart
//!    ([`split_nonmanifold`]).

mod clean;
mod corners;
mod draft;
mod interface;
mod layers;
mod ranks;
mod shells;
mod split;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::error::Result;
use crate::mesh::SolidMesh;
use crate::refine::split_nonmanifold;
use crate::topology::{Topology, hanging_nodes};

/// What was found, and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ConformResult {
    /// Cells with repeated corners that became wedges, tetrahedra or polyhedra.
    pub collapsed: usize,
    /// Cells with repeated corners and without a volume, left out.
    pub flat: usize,
    /// Cells with the faces of an earlier one, left out.
    pub repeated: usize,
    /// Points that belong to no cell, left out.
    pub unused: usize,
    /// Faces that four smaller ones covered.
    pub covered_faces: usize,
    /// Cells that were split into eight, so that cells of two sizes at most meet.
    pub split_cells: usize,
    /// Cells of the layers between two sizes.
    pub layer_cells: usize,
    /// Cells with a corner of other than three faces: pyramids and others.
    pub bad_cells: usize,
    /// Cells that were split into tetrahedra around a point, these among them.
    pub star_cells: usize,
    /// Hexahedra that were split into four wedges, in columns that begin at those.
    pub column_cells: usize,
    /// Vertices that were doubled where cells touched in an edge or a vertex only.
    pub doubled_vertices: usize,
    /// Faces of groups that are of no cell, left out.
    pub lost_faces: usize,
    /// Volume of the cells before, repeated ones once, in cubed length units.
    pub volume_before: f64,
    /// Volume of the cells after.
    pub volume_after: f64,
}

/// Makes a mesh conforming. `depth`, above 0 and below 1: of the smaller cells beside larger ones
/// the part that the layers between them take.
///
/// Cells keep their volumes in sum, and the boundary its place; groups, creases and attributes go
/// along.
///
/// # Errors
/// [`Error::Mesh`](crate::Error::Mesh) naming the cell, face or vertex that stays as it must not
/// be; the mesh may be changed then.
pub fn conform(mesh: &mut SolidMesh, depth: f64) -> Result<ConformResult> {
    mesh.check()?;
    let mut done = ConformResult::default();
    clean::clean(mesh, &mut done);
    let mut topology = Topology::of_mesh(mesh)?;
    done.volume_before = volume(mesh, &topology);
    done.unused = topology.orphan_vertices().count();
    let mut is_first = true;
    loop {
        let interface = interface::Interface::new(mesh, &topology);
        if std::mem::take(&mut is_first) {
            done.covered_faces = interface.faces.len();
        }
        let mut uneven: BTreeSet<u32> = interface.uneven.clone();
        if uneven.is_empty() && interface.faces.is_empty() {
            break;
        }
        if uneven.is_empty() {
            let shells = shells::Shells::new(&topology, &interface)?;
            uneven = shells.uneven(&topology, &interface);
            if uneven.is_empty() {
                let (ranks, crossing) = ranks::ranks(&topology, &interface, &shells);
                uneven = crossing;
                if uneven.is_empty() {
                    let layers = layers::Layers {
                        topology: &topology,
                        interface: &interface,
                        shells: &shells,
                        ranks: &ranks,
                        depth,
                    };
                    done.layer_cells = layers.build(mesh);
                    topology = Topology::of_mesh(mesh)?;
                    break;
                }
            }
        }
        done.split_cells += uneven.len();
        split::split(mesh, &topology, &interface, &uneven)?;
        topology = Topology::of_mesh(mesh)?;
    }
    if corners::split_bad_corners(mesh, &topology, &mut done) {
        topology = Topology::of_mesh(mesh)?;
    }
    if let Err(error) = topology.validate(&mesh.points) {
        // what hangs still would be taken apart
        if hanging_nodes(&topology, &mesh.points).is_some() {
            return Err(error);
        }
        done.doubled_vertices = split_nonmanifold(mesh)?;
    }
    done.lost_faces = mesh.drop_unknown_group_faces().iter().map(|(_, count)| count).sum();
    mesh.drop_unused_vertices();
    let topology = Topology::of_mesh(mesh)?;
    topology.validate(&mesh.points)?;
    done.volume_after = volume(mesh, &topology);
    Ok(done)
}

fn volume(mesh: &SolidMesh, topology: &Topology) -> f64 {
    let cells = topology.cells();
    (0..cells.len()).map(|c| mesh.cell_volume(cells, c).abs()).sum()
}

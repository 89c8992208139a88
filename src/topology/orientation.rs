//! Which side of a cell's faces is outside, whatever the order of its corners.
//!
//! Cells that share a face must see it from opposite sides. A cell that does not is
//! mirrored against its neighbor, and so on through all cells that are connected. Which
//! of the two is right follows from the volume inside their common boundary.

use std::collections::VecDeque;

use nalgebra::Vector3;
use rayon::prelude::*;

use super::{NONE, Topology};
use crate::error::IdKind::Cell;
use crate::error::{Error, Result};
use crate::mesh::{CellKind, Cells, GHOSTS, SolidMesh};

/// The cells that are mirrored: the faces of their corner order face inward.
///
/// A folded cell among sound ones, with the corner order of its neighbors, is not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Orientation {
    // empty if no cell is
    mirrored: Vec<bool>,
}

impl Orientation {
    /// The orientation of the cells of `topology` over `points`, one per vertex; points beyond
    /// these are ignored.
    ///
    /// # Errors
    /// [`Error::Mesh`] if the cells have no common orientation (a Möbius band of cells):
    /// their boundary has no outside.
    pub fn new(topology: &Topology, points: &[[f64; 3]]) -> Result<Self> {
        let cells = topology.cell_count();
        let faces = (0..topology.face_count() as u32).into_par_iter();
        let opposed: Vec<bool> = faces.map(|face| opposes(topology, face)).collect();
        let (mut seen, mut mirrored) = (vec![false; cells], vec![false; cells]);
        let (mut pending, mut part) = (VecDeque::new(), Vec::new());
        for first in 0..cells as u32 {
            if std::mem::replace(&mut seen[first as usize], true) {
                continue;
            }
            part.clear();
            pending.push_back(first);
            while let Some(cell) = pending.pop_front() {
                part.push(cell);
                for &face in topology.cell_faces(cell) {
                    if topology.is_boundary_face(face) {
                        continue;
                    }
                    let [a, b] = topology.face_cells(face);
                    let other = if a == cell { b } else { a };
                    let wanted = mirrored[cell as usize] ^ !opposed[face as usize];
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        mirrored[other as usize] = wanted;
                        pending.push_back(other);
                    } else if mirrored[other as usize] != wanted {
                        return Err(no_orientation([cell, other]));
                    }
                }
            }
            if volume(topology, points, &part, &mirrored) < 0.0 {
                part.iter().for_each(|&cell| mirrored[cell as usize] ^= true);
            }
        }
        if !mirrored.contains(&true) {
            mirrored = Vec::new();
        }
        Ok(Self { mirrored })
    }

    /// Whether a cell is mirrored.
    pub(crate) fn is_mirrored(&self, cell: u32) -> bool {
        self.mirrored.get(cell as usize).is_some_and(|&mirrored| mirrored)
    }

    /// The vertices of a face that bounds the solid, counter-clockwise seen from outside; or of one of
    /// the boundary of a ghost.
    pub(crate) fn outward_cycle<'a>(
        &self,
        topology: &'a Topology,
        face: u32,
    ) -> impl Iterator<Item = u32> + Clone + 'a {
        let cycle = topology.face_vertices(face);
        let [first, second] = topology.face_cells(face);
        // seen from a ghost first, it looks into the solid
        let into_solid = topology.is_ghost(first) && second != NONE;
        let reversed = self.is_mirrored(first) ^ into_solid;
        let last = cycle.len() - 1;
        (0..cycle.len()).map(move |i| cycle[if reversed { last - i } else { i }])
    }
}

impl Topology {
    /// The topology of a mesh with its tetrahedra, wedges and polyhedra turned outward: each by its
    /// own volume ([`SolidMesh::oriented_cells`]), and an inverted one among sound cells as these
    /// are, so that the two cells of a face see it from opposite sides. Hexahedra stay as they are
    /// listed.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the cell, face, edge or vertex that is not valid, and how to fix it.
    pub fn of_mesh(mesh: &SolidMesh) -> Result<Self> {
        let ghosts = mesh.ghosts();
        if !ghosts.is_empty() && !ghosts.contains(&false) {
            return Err(Error::mesh("all cells are ghosts: there is no solid").with_help(format!(
                "give 0 to the cells of the solid in the cell array \"{GHOSTS}\""
            )));
        }
        Ok(Self { ghosts, ..Self::turned(mesh, Self::build)? })
    }

    /// The topology of a part of a mesh, which may have no cells, turned outward as by
    /// [`Topology::of_mesh`].
    pub(crate) fn of_part(mesh: &SolidMesh) -> Result<Self> {
        Ok(Self { ghosts: mesh.ghosts(), ..Self::turned(mesh, Self::of_any)? })
    }

    /// Whether the two cells of every face see it from opposite sides, as listed.
    fn is_opposed(&self) -> bool {
        (0..self.face_count() as u32).into_par_iter().all(|face| opposes(self, face))
    }

    fn turned(mesh: &SolidMesh, build: impl Fn(Cells, usize) -> Result<Self>) -> Result<Self> {
        let topology = build(mesh.oriented_cells()?, mesh.points.len())?;
        if topology.all_hexahedra || topology.is_opposed() {
            return Ok(topology);
        }
        // cells that return to themselves mirrored have no outside: they stay
        let Ok(orientation) = Orientation::new(&topology, &mesh.points) else {
            return Ok(topology);
        };
        let cells = topology.cells();
        let is_inverted =
            |&c: &u32| cells.kind(c as usize) != CellKind::Hexahedron && orientation.is_mirrored(c);
        let inverted: Vec<u32> = (0..cells.len() as u32).filter(is_inverted).collect();
        if inverted.is_empty() {
            return Ok(topology);
        }
        let mut cells = cells.clone();
        cells.mirror(&inverted);
        Ok(Self { inverted, ..build(cells, mesh.points.len())? })
    }
}

/// The error of two cells, one of which is mirrored if the other is and if it is not.
fn no_orientation(cells: [u32; 2]) -> Error {
    Error::mesh(message!(
        "the cells around ",
        Cell.ids(cells),
        " have no common orientation: their boundary has no outside"
    ))
    .with_help("cut the band of cells that returns to itself mirrored")
}

/// Whether the two cells of a face see it from opposite sides, as listed; true for a
/// boundary face.
fn opposes(topology: &Topology, face: u32) -> bool {
    if topology.is_boundary_face(face) {
        return true;
    }
    let first = topology.face_vertices(face);
    let second = topology.face_cells(face)[1];
    let local = topology.cell_faces(second).iter().position(|&f| f == face);
    let (mut at, mut opposes) = (0, true);
    topology.cells().for_each_face(second as usize, |cycle| {
        if Some(at) == local {
            let next =
                cycle.iter().position(|&v| v == first[0]).map(|i| cycle[(i + 1) % cycle.len()]);
            opposes = next != Some(first[1]);
        }
        at += 1;
    });
    opposes
}

/// Six times the volume inside the boundary of some connected cells.
fn volume(topology: &Topology, points: &[[f64; 3]], part: &[u32], mirrored: &[bool]) -> f64 {
    let origin = points.first().map_or_else(Vector3::zeros, |&p| Vector3::from(p));
    let mut sum = 0.0;
    for &cell in part {
        let sign = if mirrored[cell as usize] { -1.0 } else { 1.0 };
        for &face in topology.cell_faces(cell).iter().filter(|&&f| topology.is_boundary_face(f)) {
            let cycle = topology.face_vertices(face);
            let at = |i: usize| Vector3::from(points[cycle[i % cycle.len()] as usize]) - origin;
            let mean = (0..cycle.len()).map(at).sum::<Vector3<f64>>() / cycle.len() as f64;
            for i in 0..cycle.len() {
                // differences first: the origin may be far
                sum += sign * mean.dot(&(at(i) - mean).cross(&(at(i + 1) - mean)));
            }
        }
    }
    sum
}

//! Ghost cells: they shape the limit of the cells beside them and are no part of the solid.
//!
//! Rules and nets see all cells. The solid is the limit of the others, and its boundary is where
//! these meet ghosts or nothing. (OpenSubdiv's holes are the same for faces.)
//!
//! A mesh has its ghosts as the cell array [`GHOSTS`], the one by which VTK hides cells, so that
//! they go wherever cell arrays go: children of ghosts are ghosts, and ParaView does not draw them.

use std::borrow::Cow;
use std::collections::HashSet;

use super::groups::face_key;
use super::{CellArray, Cells, FaceGroup, Polygons, SolidMesh};
use crate::error::{Error, Result};

/// Name of the cell array of ghosts: [`HIDDEN_CELL`] in ghosts, 0 in the cells of the solid.
pub const GHOSTS: &str = "vtkGhostType";

/// Value of a ghost: VTK's flag of hidden cells.
pub const HIDDEN_CELL: u8 = 32;

impl CellArray {
    /// The array of a mesh of `cells` cells whose ghosts are these.
    ///
    /// # Panics
    /// If a ghost is not below `cells`.
    #[must_use]
    pub fn ghosts(cells: usize, ghosts: impl IntoIterator<Item = u32>) -> Self {
        let mut values = vec![0.0; cells];
        ghosts.into_iter().for_each(|cell| values[cell as usize] = HIDDEN_CELL.into());
        Self::new(GHOSTS, 1, values, true)
    }

    /// Whether the array says which cells are ghosts.
    pub fn is_ghosts(&self) -> bool {
        self.name == GHOSTS
    }
}

impl SolidMesh {
    /// Whether each cell is a ghost; empty if none is.
    pub fn ghosts(&self) -> Vec<bool> {
        let array = self.cell_data.iter().find(|array| array.is_ghosts());
        let flags = array.map(|array| array.values.iter().map(|&value| value != 0.0).collect());
        flags.filter(|flags: &Vec<bool>| flags.contains(&true)).unwrap_or_default()
    }

    /// Makes these cells the ghosts, in place of those that the mesh has. They are no images of cells:
    /// the mesh has no periods any more.
    ///
    /// # Errors
    /// [`Error::Request`] for cells that the mesh does not have.
    pub fn set_ghosts(&mut self, ghosts: &[u32]) -> Result<()> {
        let cells = self.cells.len();
        if let Some(cell) = ghosts.iter().find(|&&cell| cell as usize >= cells) {
            return Err(Error::request(format!("ghost cell {cell} of {cells} cells"))
                .with_help("cells are numbered from 0 to their count less 1"));
        }
        self.cell_data.retain(|array| !array.is_ghosts());
        if !ghosts.is_empty() {
            self.periods.clear();
            self.cell_data.push(CellArray::ghosts(cells, ghosts.iter().copied()));
        }
        Ok(())
    }

    /// Makes the cells of a group the ghosts.
    ///
    /// # Errors
    /// As [`SolidMesh::cell_group`].
    pub fn set_ghost_group(&mut self, name: &str) -> Result<()> {
        let members: Vec<u32> = self.cell_group(name)?.members().collect();
        self.set_ghosts(&members)
    }

    /// Refuses ghosts where `job` would take them for cells of the solid.
    ///
    /// # Errors
    /// [`Error::Request`].
    pub(crate) fn check_no_ghosts(&self, job: &str) -> Result<()> {
        if self.ghosts().is_empty() {
            return Ok(());
        }
        Err(Error::request(format!("{job} with ghost cells"))
            .with_help("take the mesh before it was extended"))
    }

    /// The mesh without its ghosts: their cells, their faces in groups, and creases of their edges.
    /// Vertices keep their numbers; some may be of no cell.
    #[must_use]
    pub fn without_ghosts(&self) -> Cow<'_, Self> {
        let ghosts = self.ghosts();
        if ghosts.is_empty() {
            return Cow::Borrowed(self);
        }
        let kept: Vec<u32> =
            (0..).zip(&ghosts).filter(|(_, ghost)| !**ghost).map(|(c, _)| c).collect();
        let (mut cells, mut faces, mut edges) = (Cells::default(), HashSet::new(), HashSet::new());
        for &cell in &kept {
            cells.push_from(&self.cells, cell as usize, |v| v);
            self.cells.for_each_face(cell as usize, |face| {
                faces.insert(face_key(face));
                let next = face.iter().cycle().skip(1);
                edges.extend(face.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)]));
            });
        }
        let own_faces = |group: &FaceGroup| {
            let mut own = Polygons::default();
            let known = group.faces.iter().filter(|face| faces.contains(&face_key(face)));
            known.for_each(|face| own.push(face));
            FaceGroup::new(&group.name, own)
        };
        let mut creases = self.creases.clone();
        creases.edges.retain(|crease| edges.contains(&crease.edge().map(|v| v.0)));
        let arrays = self.cell_data.iter().filter(|array| !array.is_ghosts());
        Cow::Owned(Self {
            cells,
            creases,
            cell_data: arrays.map(|array| array.of_cells(kept.iter().copied())).collect(),
            face_groups: self.face_groups.iter().map(own_faces).collect(),
            ..self.clone()
        })
    }

    /// Checks that the array of ghosts has one whole number a cell.
    pub(super) fn check_ghosts(&self) -> Result<()> {
        match self.cell_data.iter().find(|array| array.is_ghosts()) {
            Some(array) if array.width != 1 || !array.integers => {
                let text = format!(
                    "the cell array \"{GHOSTS}\", which marks ghosts, is not of one whole number a cell"
                );
                Err(Error::mesh(text).with_help(format!(
                    "give {HIDDEN_CELL} in ghost cells and 0 in the cells of the solid"
                )))
            }
            _ => Ok(()),
        }
    }
}

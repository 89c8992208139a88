//! The part of a solid that is untangled at once: its cost grows with the number of folded cells.

use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::numbers::Csr;
use crate::parts::{Cut, Cutter, Part};

/// Unknowns that control points follow from, as in a solid with ghosts.
#[derive(Clone, Copy, Debug)]
pub struct UnknownMotion<'a> {
    /// Control points over the unknowns, each of which has the number of a vertex.
    pub controls: &'a Csr,
    /// Unknowns that do not move.
    pub is_held: &'a [bool],
}

/// Inner vertices around elements, and the part of the mesh whose limit they change.
pub(super) struct Region {
    pub part: Part,
    /// Whether each vertex, or unknown, of the part moves.
    pub is_free: Vec<bool>,
    /// The whole's ids of the elements of the part, ascending.
    pub elements: Vec<u32>,
    /// Moves of vertices of the part by those of its free unknowns, if these are others.
    pub motion: Option<Csr>,
}

impl Region {
    /// Of the inner vertices of the cells within `rings` of the cells of `elements`, or of what is not
    /// held of a `motion`.
    ///
    /// # Errors
    /// As [`Cutter::new`].
    pub fn around(
        mesh: &SolidMesh,
        solid: &Solid,
        (elements, rings): (&[u32], usize),
        motion: Option<UnknownMotion<'_>>,
    ) -> Result<Self> {
        let topology = solid.topology();
        let cell_of = |element: u32| solid.elements()[element as usize].cell as usize;
        let mut cells = vec![false; topology.cell_count()];
        elements.iter().for_each(|&element| cells[cell_of(element)] = true);
        for _ in 0..rings {
            cells = with_neighbors(solid, &cells);
        }
        let is_inside = |v: u32| {
            let is_held = match motion {
                None => topology.is_boundary_vertex(v),
                Some(motion) => motion.is_held[v as usize],
            };
            !is_held && topology.vertex_cells(v).iter().any(|&cell| cells[cell as usize])
        };
        let is_moved = |v: u32| match motion {
            None => is_inside(v),
            Some(motion) => motion.controls.row(v as usize).any(|(unknown, _)| is_inside(unknown)),
        };
        // the limit of a cell stands on the vertices of all cells that touch it
        let mut reached = vec![false; topology.cell_count()];
        for v in (0..topology.vertex_count() as u32).filter(|&v| is_moved(v)) {
            topology.vertex_cells(v).iter().for_each(|&cell| reached[cell as usize] = true);
        }
        let reached = with_neighbors(solid, &reached);
        let owners = reached.iter().map(|&is_reached| u32::from(!is_reached)).collect();
        let part = Cutter::new(mesh, &Cut::of_owners(owners, 2)?)?.part(0);
        let is_free = part.vertices.iter().map(|&v| is_inside(v)).collect();
        let elements = 0..solid.elements().len() as u32;
        let elements = elements.filter(|&element| reached[cell_of(element)]).collect();
        let motion = motion.map(|motion| {
            let columns = part.vertices.len();
            let mut own = Csr { starts: vec![0], width: columns, ..Csr::default() };
            for &v in &part.vertices {
                for (unknown, weight) in motion.controls.row(v as usize) {
                    if let Ok(at) = part.vertices.binary_search(&unknown)
                        && is_inside(unknown)
                    {
                        own.push(at as u32, weight);
                    }
                }
                own.starts.push(own.columns.len());
            }
            own
        });
        Ok(Self { part, is_free, elements, motion })
    }

    /// The elements of the part among these, by its own ids.
    pub fn own(&self, elements: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let own = elements.into_iter().filter_map(|e| self.elements.binary_search(&e).ok());
        own.map(|element| element as u32).collect()
    }

    /// Gives the points that move their new places.
    pub fn put_back(&self, own: &[[f64; 3]], points: &mut [[f64; 3]]) {
        let moves = |v: usize| match &self.motion {
            None => self.is_free[v],
            Some(motion) => motion.row(v).next().is_some(),
        };
        for (v, point) in own.iter().enumerate().filter(|(v, _)| moves(*v)) {
            points[self.part.vertices[v] as usize] = *point;
        }
    }
}

/// Cells and those that share a vertex with one of them.
fn with_neighbors(solid: &Solid, cells: &[bool]) -> Vec<bool> {
    let topology = solid.topology();
    let mut all = cells.to_vec();
    for v in 0..topology.vertex_count() as u32 {
        let around = topology.vertex_cells(v);
        if around.iter().any(|&cell| cells[cell as usize]) {
            around.iter().for_each(|&cell| all[cell as usize] = true);
        }
    }
    all
}

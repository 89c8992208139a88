//! Vertices of the smaller side of covered faces, and where they move.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::interface::Interface;
use crate::error::IdKind::{Cell, Face, Vertex};
use crate::error::{Error, Result};
use crate::mesh::CORNERS;
use crate::topology::Topology;

/// A vertex, and the number of a part of the cells there: those that meet across faces.
pub(super) type SideKey = (u32, u32);

/// A vertex of covered faces, seen from a part of the cells there with smaller ones among them.
#[derive(Default)]
pub(super) struct Side {
    /// The covered faces of which the part has smaller faces there.
    pub faces: BTreeSet<usize>,
    /// The other ends of its edges that lead away from these faces.
    inward: BTreeSet<u32>,
    /// Whether the part has the larger cell of a covered face there, too.
    is_larger: bool,
    // whether it is a corner of covered faces, and whether it is in the middle of an edge or a face
    roles: [bool; 2],
}

/// All such vertices.
pub(super) struct Shells {
    pub sides: BTreeMap<SideKey, Side>,
    // the parts of the cells at vertices of covered faces, in the order of the cells there
    parts: HashMap<u32, Vec<u32>>,
}

impl Shells {
    /// # Errors
    /// [`Error::Mesh`] for a smaller cell that is no hexahedron, and for smaller cells that do not
    /// meet in faces.
    pub fn new(topology: &Topology, interface: &Interface) -> Result<Self> {
        let mut parts = HashMap::new();
        for face in &interface.faces {
            for v in (0..4).flat_map(|i| face.quad(i)) {
                parts.entry(v).or_insert_with(|| topology.parts_at(v).0);
            }
        }
        let mut shells = Self { sides: BTreeMap::new(), parts };
        for (f, face) in interface.faces.iter().enumerate() {
            for (i, &cell) in face.smaller.iter().enumerate() {
                let quad = face.quad(i);
                for (k, v) in quad.into_iter().enumerate() {
                    let inward = inward(topology, cell, v, &quad)?;
                    let key = shells.key(topology, v, cell);
                    let side = shells.sides.entry(key).or_default();
                    side.faces.insert(f);
                    side.inward.insert(inward);
                    side.roles[usize::from(k > 0)] = true;
                }
            }
            let meet = |v: u32, cells: [usize; 2]| {
                let [a, b] = cells.map(|i| shells.key(topology, v, face.smaller[i]));
                a == b
            };
            let next = |i: usize| (i + 1) % 4;
            let is_whole =
                (0..4).all(|i| meet(face.mids[i], [i, next(i)]) && meet(face.center, [i, next(i)]));
            if !is_whole {
                return Err(Error::mesh(message!(
                    Face.id(topology.face_with(&face.corners).unwrap_or_default()),
                    " of ",
                    Cell.id(face.larger),
                    " is covered by ",
                    Cell.ids(face.smaller),
                    ", which do not meet in faces there"
                ))
                .with_help("join their vertices first, or refine the larger cell too"));
            }
        }
        for face in &interface.faces {
            for v in face.corners {
                let key = shells.key(topology, v, face.larger);
                if let Some(side) = shells.sides.get_mut(&key) {
                    side.is_larger = true;
                }
            }
        }
        Ok(shells)
    }

    /// A vertex of covered faces and the part of a cell there.
    pub fn key(&self, topology: &Topology, v: u32, cell: u32) -> SideKey {
        let at = topology.vertex_cells(v).binary_search(&cell).unwrap_or_default();
        (v, self.parts[&v][at])
    }

    /// The vertex and part of a cell, if the vertex is of a covered face and the part moves there.
    pub fn side_key(&self, topology: &Topology, v: u32, cell: u32) -> Option<SideKey> {
        let key = self.parts.contains_key(&v).then(|| self.key(topology, v, cell))?;
        self.sides.contains_key(&key).then_some(key)
    }

    /// The larger cells at places where no layers fit: cells of three sizes meet there, or layers
    /// would have to lead to opposite sides. They are split first.
    pub fn uneven(&self, topology: &Topology, interface: &Interface) -> BTreeSet<u32> {
        let is_uneven = |(key, side): &(&SideKey, &Side)| {
            side.is_larger || side.roles == [true; 2] || self.cell_inward(topology, **key).is_none()
        };
        let uneven = self.sides.iter().filter(is_uneven);
        uneven.flat_map(|(_, side)| &side.faces).map(|&f| interface.faces[f].larger).collect()
    }

    /// A hexahedron of the part that has all inward edges of a vertex.
    fn cell_inward(&self, topology: &Topology, (v, part): SideKey) -> Option<u32> {
        let side = &self.sides[&(v, part)];
        let cells = topology.vertex_cells(v).iter().zip(&self.parts[&v]);
        let mut own = cells.filter(|(_, own)| **own == part).map(|(&cell, _)| cell);
        own.find(|&cell| {
            let near = neighbors(topology, cell, v);
            near.is_some_and(|near| side.inward.iter().all(|w| near.contains(w)))
        })
    }

    /// The weights of the corners of a cell at the place to which a vertex moves by a part of its
    /// inward edges.
    pub fn weights(&self, topology: &Topology, key: SideKey, part: f64) -> Vec<(u32, f64)> {
        let cell = self.cell_inward(topology, key).unwrap_or_default();
        let Some(corners) = topology.cells().hexahedron(cell as usize) else {
            return vec![(key.0, 1.0)];
        };
        let own = corners.iter().position(|&w| w == key.0).unwrap_or_default();
        let inward = &self.sides[&key].inward;
        let moves = |d: usize| inward.contains(&corners[neighbor(own, d)]);
        let weight = |i: usize| -> f64 {
            let along = |d: usize| {
                let part = if moves(d) { part } else { 0.0 };
                if CORNERS[i][d] == CORNERS[own][d] { 1.0 - part } else { part }
            };
            (0..3).map(along).product()
        };
        let weights = (0..8).map(|i| (corners[i], weight(i)));
        weights.filter(|(_, weight)| *weight > 0.0).collect()
    }

    /// Whether some smaller cell lies between two larger ones.
    pub fn is_thin(&self) -> bool {
        let mut inward = HashMap::<u32, Vec<u32>>::new();
        for ((v, _), side) in &self.sides {
            inward.entry(*v).or_default().extend(&side.inward);
        }
        let back = |w: &u32, v: u32| inward.get(w).is_some_and(|ends| ends.contains(&v));
        inward.iter().any(|(&v, ends)| ends.iter().any(|w| back(w, v)))
    }

    /// Whether an edge leads inward from a vertex of covered faces.
    pub fn leads_inward(&self, key: SideKey, to: u32) -> bool {
        self.sides.get(&key).is_some_and(|side| side.inward.contains(&to))
    }
}

/// The corner of a hexahedron next to another one along an axis.
fn neighbor(corner: usize, axis: usize) -> usize {
    let mut x = CORNERS[corner];
    x[axis] = 1 - x[axis];
    CORNERS.iter().position(|&other| other == x).unwrap_or_default()
}

/// The other ends of the three edges of a hexahedron at a vertex.
fn neighbors(topology: &Topology, cell: u32, v: u32) -> Option<[u32; 3]> {
    let corners = topology.cells().hexahedron(cell as usize)?;
    let own = corners.iter().position(|&w| w == v)?;
    Some([0, 1, 2].map(|axis| corners[neighbor(own, axis)]))
}

/// The other end of the edge of a hexahedron that leads away from a face of it.
fn inward(topology: &Topology, cell: u32, v: u32, quad: &[u32; 4]) -> Result<u32> {
    let near = neighbors(topology, cell, v).into_iter().flatten().find(|w| !quad.contains(w));
    near.ok_or_else(|| {
        Error::mesh(message!(
            Cell.id(cell),
            " beside a larger one, at ",
            Vertex.id(v),
            ", is no hexahedron: there is no room for layers between the two"
        ))
        .with_help("refine the larger cell too")
    })
}

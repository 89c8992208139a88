//! Lines of control points across the boundary of a solid with ghosts.
//!
//! A side is part of a sheet of faces that goes on between the ghosts beyond its sharp edges. On a line
//! across it lie a vertex of the sheet, the ghost vertex outside and the vertex inside. Where the
//! lines of two sides cross they are those of a grid.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::extend::across;
use crate::mesh::CellKind;
use crate::topology::{NONE, Topology};

/// Three vertices on a line across a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Outside: of ghosts alone.
    pub ghost: u32,
    /// On the sheet of the side.
    pub boundary: u32,
    /// Across the cell inside.
    pub inside: u32,
}

/// The lines of all sides, without those that contradict each other.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    // [(side, vertex of the sheet)]
    of_boundary: BTreeMap<(u32, u32), Line>,
    // [(side, ghost vertex)]: the vertex of the sheet
    of_ghost: HashMap<(u32, u32), u32>,
    // [ghost vertex]: sides
    sides: HashMap<u32, Vec<u32>>,
}

/// A face of a sheet, and the cells on both sides of it.
#[derive(Clone, Copy)]
struct SheetFace {
    face: u32,
    outside: u32,
    inside: u32,
}

impl Lines {
    /// The lines at all faces with a ghost beyond; `sides`: of every face
    /// ([`sides`](crate::quadrature::sides)). `is_inside`: whether each vertex is of a cell of the
    /// solid.
    pub fn new(topology: &Topology, sides: &[u32], is_inside: &[bool]) -> Self {
        let mut own = Self::default();
        let mut faces: BTreeMap<u32, Vec<SheetFace>> = BTreeMap::new();
        for (face, &side) in (0..).zip(sides).filter(|(_, side)| **side != NONE) {
            let Some(inside) = topology.bounded_cell(face) else { continue };
            let [a, b] = topology.face_cells(face);
            let outside = if a == inside { b } else { a };
            if outside != NONE {
                faces.entry(side).or_default().push(SheetFace { face, outside, inside });
            }
        }
        for (side, faces) in faces {
            own.add_side(topology, side, faces, is_inside);
        }
        while own.drop_contradictions(is_inside) {}
        own
    }

    /// The lines of a side, sorted by sides and vertices.
    pub fn iter(&self) -> impl Iterator<Item = Line> {
        self.of_boundary.values().copied()
    }

    /// Whether the ghost vertex is on a line.
    pub fn has_ghost(&self, vertex: u32) -> bool {
        self.sides.get(&vertex).is_some_and(|sides| !sides.is_empty())
    }

    /// Whether a line of a side crosses its sheet at a vertex.
    pub fn cross(&self, side: u32, vertex: u32) -> bool {
        self.of_boundary.contains_key(&(side, vertex))
    }

    fn add_side(
        &mut self,
        topology: &Topology,
        side: u32,
        faces: Vec<SheetFace>,
        is_inside: &[bool],
    ) {
        let mut found: BTreeMap<u32, Option<Line>> = BTreeMap::new();
        for sheet in whole_sheet(topology, faces) {
            let vertices = topology.face_vertices(sheet.face);
            for &boundary in vertices {
                let across = |cell| across_hexahedron(topology, cell, vertices, boundary);
                let line = across(sheet.outside).zip(across(sheet.inside));
                let line = line.map(|(ghost, inside)| Line { ghost, boundary, inside });
                let line = line.filter(|line| !is_inside[line.ghost as usize]);
                let known = found.entry(boundary).or_insert(line);
                if *known != line {
                    *known = None;
                }
            }
        }
        let mut counts: HashMap<u32, usize> = HashMap::new();
        found.values().flatten().for_each(|line| *counts.entry(line.ghost).or_default() += 1);
        for line in found.into_values().flatten().filter(|line| counts[&line.ghost] == 1) {
            self.of_boundary.insert((side, line.boundary), line);
            self.of_ghost.insert((side, line.ghost), line.boundary);
            self.sides.entry(line.ghost).or_default().push(side);
        }
    }

    fn sides_of(&self, ghost: u32) -> &[u32] {
        self.sides.get(&ghost).map_or(&[], Vec::as_slice)
    }

    /// The line of a side that ends at a ghost vertex.
    fn at_ghost(&self, side: u32, ghost: u32) -> Option<Line> {
        let boundary = self.of_ghost.get(&(side, ghost))?;
        self.of_boundary.get(&(side, *boundary)).copied()
    }

    /// Drops lines whose points no other lines make up for; whether there were any.
    fn drop_contradictions(&mut self, is_inside: &[bool]) -> bool {
        let bad = |(&(side, _), line): (&(u32, u32), &Line)| {
            // ghosts on the line itself are known by lines of other sides, which cross all of it
            let is_known = |v: u32| {
                let sides = self.sides_of(v);
                let crosses = |other: &u32| {
                    *other != side && self.of_ghost.contains_key(&(*other, line.ghost))
                };
                is_inside[v as usize] || !sides.is_empty() && sides.iter().all(crosses)
            };
            let mut others = self.sides_of(line.ghost).iter().filter(|&&other| other != side);
            let is_grid = others.all(|&other| self.is_grid(side, other, line.ghost));
            !(is_known(line.boundary) && is_known(line.inside) && is_grid)
        };
        let own = self.of_boundary.iter().filter(|entry| bad(*entry));
        let dropped: Vec<((u32, u32), Line)> = own.map(|(&key, &line)| (key, line)).collect();
        for (key, line) in &dropped {
            self.of_boundary.remove(key);
            self.of_ghost.remove(&(key.0, line.ghost));
            self.sides.entry(line.ghost).or_default().retain(|side| *side != key.0);
        }
        !dropped.is_empty()
    }

    /// Whether the lines of two sides at a ghost vertex are of one grid of 3 × 3 points.
    fn is_grid(&self, one: u32, other: u32, ghost: u32) -> bool {
        let points = |side: u32, across: u32| {
            let line = self.at_ghost(side, ghost)?;
            let row = |v: u32| self.at_ghost(across, v).map(|line| [line.boundary, line.inside]);
            Some([row(line.boundary)?, row(line.inside)?])
        };
        let Some([[a, b], [c, d]]) = points(one, other) else { return false };
        points(other, one) == Some([[a, c], [b, d]])
    }
}

/// The faces of a side, and those between ghosts that go on from them.
fn whole_sheet(topology: &Topology, faces: Vec<SheetFace>) -> Vec<SheetFace> {
    let mut seen: HashSet<u32> = faces.iter().map(|sheet| sheet.face).collect();
    let (mut pending, mut all) = (faces, Vec::new());
    while let Some(sheet) = pending.pop() {
        all.push(sheet);
        for &edge in topology.face_edges(sheet.face) {
            if let Some(next) = beyond(topology, sheet, edge)
                && seen.insert(next.face)
            {
                pending.push(next);
            }
        }
    }
    all
}

/// The face between ghosts that goes on from a face beyond an edge of a grid.
fn beyond(topology: &Topology, from: SheetFace, edge: u32) -> Option<SheetFace> {
    if topology.is_boundary_edge(edge) || !topology.has_grid_valence(edge) {
        return None;
    }
    let own = [from.outside, from.inside];
    let beside = |face: u32| topology.face_cells(face);
    let faces = topology.edge_faces(edge);
    let face = faces.iter().copied().find(|&f| beside(f).iter().all(|cell| !own.contains(cell)))?;
    if !beside(face).iter().all(|&cell| cell != NONE && topology.is_ghost(cell)) {
        return None;
    }
    let next = |cell: u32| {
        let found = faces.iter().filter(|&&f| f != from.face && beside(f).contains(&cell));
        let found = found.flat_map(|&f| beside(f)).find(|other| *other != cell);
        found.filter(|other| beside(face).contains(other))
    };
    Some(SheetFace { face, outside: next(from.outside)?, inside: next(from.inside)? })
}

/// The vertex across a hexahedron from one of its quads.
fn across_hexahedron(topology: &Topology, cell: u32, quad: &[u32], vertex: u32) -> Option<u32> {
    let cells = topology.cells();
    if cells.kind(cell as usize) != CellKind::Hexahedron {
        return None;
    }
    let quad = <[u32; 4]>::try_from(quad).ok()?;
    across(cells, cell as usize, &quad, vertex).first().copied()
}

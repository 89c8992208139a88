//! Layers of cells between smaller and larger ones.
//!
//! The smaller cells draw back from the covered faces by a part of their size, and K layers of cells
//! fill the gap; the larger cells stay as they are. The layers lie between K + 1 shells, each a
//! copy of the covered faces: shell 0 is of the smaller cells, shell K of the larger ones. Layer j
//! is between shells j − 1 and j.
//!
//! The smaller faces cut a covered face by two lines. Lines across the same face have different
//! ranks r, from 0 on ([`ranks`](super::ranks)); a line of rank r cuts layers 1 to r, and ends on
//! shell r. So a cell of layer j has at most one line on its face in shell j − 1, from the middle of
//! an edge to that of the opposite one, and none on the other faces: all of its corners have three
//! faces. Lines end nowhere else, for shells are closed or end at the boundary. In an octree lines
//! lie in planes across three axes: K is at most 3.
//!
//! At a vertex the smaller cells draw back along the edges that lead away from the covered faces
//! there, which have to be edges of one of them. Where they are not, or cells of three sizes meet,
//! the larger cells are split first, and so on: in the end all cells are of one size.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::draft::{Draft, push_point, replace_group_faces};
use super::interface::Interface;
use super::ranks::Ranks;
use super::shells::{Shells, SideKey};
use crate::mesh::{CellKind, Creases, SolidMesh, sorted};
use crate::topology::Topology;

/// What layers are built from.
pub(super) struct Layers<'a> {
    pub topology: &'a Topology,
    pub interface: &'a Interface,
    pub shells: &'a Shells,
    pub ranks: &'a Ranks,
    /// The part of the smaller cells that layers take.
    pub depth: f64,
}

/// A part of a covered face, from 0 to 2 along its two edges at corner 0.
type Part = [[usize; 2]; 2];

/// The copies of the vertices of covered faces, from shell 0 on.
type Copies = BTreeMap<SideKey, Vec<u32>>;

impl Layers<'_> {
    /// Builds all layers; returns how many cells they have.
    pub fn build(&self, mesh: &mut SolidMesh) -> usize {
        let copies = self.copies(mesh);
        let mut draft = Draft::default();
        let cells = self.topology.cells();
        for c in 0..cells.len() {
            draft.keep(cells, c, |v| self.number(&copies, c as u32, v));
        }
        let groups = self.groups(mesh);
        let mut added = vec![Vec::new(); mesh.face_groups.len()];
        let mut count = 0;
        for f in 0..self.interface.faces.len() {
            let ranks = self.ranks.of(f);
            for layer in 1..=self.ranks.layers(f) {
                let spans = |line: usize| {
                    if ranks[line] >= layer { vec![[0, 1], [1, 2]] } else { vec![[0, 2]] }
                };
                for x in spans(0) {
                    for y in spans(1) {
                        let sides = self.push_cell(&mut draft, &copies, (f, layer), [x, y]);
                        count += 1;
                        for (ends, side) in sides {
                            let edge = [ends[0].min(ends[1]), ends[0].max(ends[1])];
                            for &group in groups.get(&edge).into_iter().flatten() {
                                let of: &mut Vec<Vec<u32>> = &mut added[group];
                                of.push(side.clone());
                            }
                        }
                    }
                }
            }
        }
        self.move_groups(mesh, &copies);
        for (group, faces) in mesh.face_groups.iter_mut().zip(added) {
            faces.iter().for_each(|face| group.faces.push(face));
        }
        self.move_creases(mesh, &copies);
        draft.finish(mesh);
        count
    }

    /// Makes the copies.
    fn copies(&self, mesh: &mut SolidMesh) -> Copies {
        // the number of layers at a vertex, and the last shell with a copy of its own
        let mut last = BTreeMap::<SideKey, (usize, usize)>::new();
        for (f, face) in self.interface.faces.iter().enumerate() {
            let (layers, [a, b]) = (self.ranks.layers(f), self.ranks.of(f));
            for (i, &cell) in face.smaller.iter().enumerate() {
                let key = |v: u32| self.shells.key(self.topology, v, cell);
                last.insert(key(face.corners[i]), (layers, layers));
                last.insert(key(face.mids[i]), (layers, if i % 2 == 0 { a } else { b }));
                last.insert(key(face.center), (layers, a.min(b)));
            }
        }
        let depth = if self.shells.is_thin() { 2.0 / 3.0 * self.depth } else { self.depth };
        let copies = |(key, (layers, last)): (SideKey, (usize, usize))| {
            let copy = |shell: usize| {
                let part = depth * (layers - shell) as f64 / layers as f64;
                if shell == layers {
                    return key.0;
                }
                push_point(mesh, &self.shells.weights(self.topology, key, part))
            };
            (key, (0..=last).map(copy).collect())
        };
        last.into_iter().map(copies).collect()
    }

    /// What a vertex of a cell is called now.
    fn number(&self, copies: &Copies, cell: u32, v: u32) -> u32 {
        self.shells.side_key(self.topology, v, cell).map_or(v, |key| copies[&key][0])
    }

    /// Appends the cell of a layer on a part of a covered face. Returns its sides that are over
    /// edges of the face, each with an edge of smaller faces below it.
    fn push_cell(
        &self,
        draft: &mut Draft,
        copies: &Copies,
        (f, layer): (usize, usize),
        part: Part,
    ) -> Vec<([u32; 2], Vec<u32>)> {
        let face = &self.interface.faces[f];
        let vertex = |[x, y]: [usize; 2]| match [x, y] {
            [0, 0] => (0, face.corners[0]),
            [2, 0] => (1, face.corners[1]),
            [2, 2] => (2, face.corners[2]),
            [0, 2] => (3, face.corners[3]),
            [1, 0] => (0, face.mids[0]),
            [2, 1] => (1, face.mids[1]),
            [1, 2] => (2, face.mids[2]),
            [0, 1] => (3, face.mids[3]),
            _ => (0, face.center),
        };
        let node = |at: [usize; 2], shell: usize| {
            let (i, v) = vertex(at);
            copies[&self.shells.key(self.topology, v, face.smaller[i])][shell]
        };
        let corners = |[x, y]: Part| [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]];
        let own = corners(part);
        let quadrant = [part[0][0], part[1][0]].map(|low| usize::from(low > 0));
        let parent = face.smaller[[[0, 3], [1, 2]][quadrant[0]][quadrant[1]]];
        // the line that ends on the shell below, if it crosses the part
        let ranks = self.ranks.of(f);
        let line = (0..2).find(|&line| ranks[line] + 1 == layer && part[line] == [0, 2]);
        let lower = |at: [usize; 2]| node(at, layer - 1);
        let upper = |at: [usize; 2]| node(at, layer);
        let side = |i: usize| {
            let [a, b] = [own[i], own[(i + 1) % 4]];
            // side i runs along line 1 - i % 2, which is where line i % 2 crosses it
            let crossing = line.filter(|&line| line == i % 2).map(|line| {
                let mut at = a;
                at[line] = 1;
                lower(at)
            });
            let mut side = vec![upper(a), upper(b), lower(b)];
            side.extend(crossing);
            side.push(lower(a));
            side
        };
        let sides: Vec<Vec<u32>> = (0..4).map(side).collect();
        if let Some(line) = line {
            let mut faces = sides.clone();
            faces.push(own.iter().rev().map(|&at| upper(at)).collect());
            for half in [[0, 1], [1, 2]] {
                let mut below = part;
                below[line] = half;
                faces.push(corners(below).map(lower).to_vec());
            }
            draft.push_faces(parent, &faces);
        } else {
            let hexahedron = [own.map(upper), own.map(lower)].concat();
            draft.push(parent, CellKind::Hexahedron, &hexahedron);
        }
        let outer = |i: usize| {
            let [a, b] = [own[i], own[(i + 1) % 4]];
            let d = 1 - i % 2;
            let is_outer = a[d] == b[d] && a[d] != 1;
            let step = |from: [usize; 2], to: [usize; 2]| {
                // half of a whole edge
                if from.iter().zip(to).any(|(a, b)| a.abs_diff(b) == 2) {
                    std::array::from_fn(|d| usize::midpoint(from[d], to[d]))
                } else {
                    to
                }
            };
            is_outer.then(|| [vertex(a).1, vertex(step(a, b)).1])
        };
        (0..4).filter_map(|i| Some((outer(i)?, sides[i].clone()))).collect()
    }

    /// The groups of boundary faces beside covered ones, by the edges of smaller faces between them.
    fn groups(&self, mesh: &SolidMesh) -> HashMap<[u32; 2], Vec<usize>> {
        let quads: HashSet<u32> = self.interface.faces.iter().flat_map(|face| face.quads).collect();
        let mut groups = HashMap::<[u32; 2], Vec<usize>>::new();
        for (group, faces) in mesh.face_groups.iter().enumerate() {
            let found = faces.faces.iter().filter_map(|face| self.topology.face_with(face));
            for f in found.filter(|&f| self.topology.is_boundary_face(f) && !quads.contains(&f)) {
                let cell = self.topology.face_cells(f)[0];
                for &e in self.topology.face_edges(f) {
                    let ends = self.topology.edge_vertices(e);
                    let moves = |v: u32| self.shells.side_key(self.topology, v, cell).is_some();
                    if ends.into_iter().all(moves) {
                        groups.entry(ends).or_default().push(group);
                    }
                }
            }
        }
        groups
    }

    /// Gives faces of groups their new vertices. Smaller faces become the face that they covered.
    fn move_groups(&self, mesh: &mut SolidMesh, copies: &Copies) {
        let covered = self
            .interface
            .faces
            .iter()
            .flat_map(|face| (0..4).map(|i| (sorted(&face.quad(i)), face.corners.to_vec())));
        let covered: HashMap<Vec<u32>, Vec<u32>> = covered.collect();
        replace_group_faces(mesh, |face| {
            if let Some(larger) = covered.get(&sorted(face)) {
                return Some(vec![larger.clone()]);
            }
            let cell = self.topology.face_cells(self.topology.face_with(face)?)[0];
            Some(vec![face.iter().map(|&v| self.number(copies, cell, v)).collect()])
        });
    }

    /// Leads creases of smaller cells through the layers; those between the sizes stay on the edges
    /// of larger cells.
    fn move_creases(&self, mesh: &mut SolidMesh, copies: &Copies) {
        let halves = self.interface.faces.iter().flat_map(|face| {
            (0..4).flat_map(|i| {
                let whole = [face.corners[i], face.corners[(i + 1) % 4]];
                whole.map(|v| (sorted(&[v, face.mids[i]]), whole))
            })
        });
        let halves: HashMap<Vec<u32>, [u32; 2]> = halves.collect();
        let mut creases = Creases::default();
        for crease in &mesh.creases.edges {
            let [a, b] = crease.edge().map(|v| v.0);
            if let Some(&[a, b]) = halves.get(&sorted(&[a, b])) {
                creases.push_edge(a, b, crease.sharpness);
                continue;
            }
            let has = |c: &&u32| self.topology.cells().vertices(**c as usize).contains(&b);
            for &cell in self.topology.vertex_cells(a).iter().filter(has) {
                let [p, q] = [a, b].map(|v| self.number(copies, cell, v));
                creases.push_edge(p, q, crease.sharpness);
                for (v, to) in [(a, b), (b, a)] {
                    let key = self.shells.side_key(self.topology, v, cell);
                    let Some(key) = key.filter(|&key| self.shells.leads_inward(key, to)) else {
                        continue;
                    };
                    for step in copies[&key].windows(2) {
                        creases.push_edge(step[0], step[1], crease.sharpness);
                    }
                }
            }
        }
        for corner in &mesh.creases.corners {
            let v = corner.vertex.0;
            let at = self.topology.vertex_cells(v).iter();
            let keys = at.filter_map(|&cell| self.shells.side_key(self.topology, v, cell));
            // the last copy is the vertex itself, if it is of a larger cell
            let images: Vec<u32> = keys.filter_map(|key| copies[&key].last().copied()).collect();
            let own = if images.is_empty() { vec![v] } else { images };
            own.iter().for_each(|&v| creases.push_corner(v, corner.sharpness));
        }
        mesh.creases = creases;
    }
}

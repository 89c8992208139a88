//! From corners at vertices to cells: cubes whose corners, sides and edges are joined.
//!
//! A cube has eight slots, three bits each. Cubes stand on faces of the boundary, of which those at an
//! edge with one ghost share theirs; between two faces of an edge with three ghosts stands one more,
//! and one in each triangle of a link that belongs to neither.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::degrees::GhostDegrees;
use super::link::{RimPlace, Rims, fill};
use crate::error::{Error, IdKind, Result};
use crate::mesh::{CORNERS, UnionFind};
use crate::topology::{Orientation, Topology};

/// The ghost cells around a solid.
#[derive(Debug)]
pub struct GhostCubes {
    pub cells: Vec<GhostCube>,
    /// Number of vertices that they add.
    pub vertices: usize,
}

/// A ghost cell.
#[derive(Debug)]
pub struct GhostCube {
    /// In VTK's order; vertices from that of the mesh's number on are new.
    pub corners: [u32; 8],
    /// A cell of the solid beside it.
    pub beside: u32,
}

/// A corner of a cube at a vertex: its slot, and the axes toward three vertices of the link.
#[derive(Clone, Copy, Debug)]
struct CubeCorner {
    cube: usize,
    slot: usize,
    axes: [usize; 3],
}

impl CubeCorner {
    /// The slot beyond some of the link vertices.
    fn beyond(&self, toward: [bool; 3]) -> usize {
        let bits = (0..3).filter(|&i| toward[i]).map(|i| 1 << self.axes[i]);
        8 * self.cube + (self.slot ^ bits.sum::<usize>())
    }
}

/// A boundary face in its cube.
#[derive(Clone, Copy, Debug)]
struct PlacedFace {
    cube: usize,
    /// Of its outward cycle.
    slots: [usize; 4],
}

/// Why edges cannot have the ghosts that they want.
struct Conflict(Vec<u32>);

/// Cubes that are being joined.
struct Assembly<'a> {
    topology: &'a Topology,
    orientation: &'a Orientation,
    rims: &'a Rims,
    degrees: &'a GhostDegrees,
    // [face]
    placed: HashMap<u32, PlacedFace>,
    edge_cubes: HashMap<u32, usize>,
    // [cube]: a cell of the solid beside it
    beside: Vec<u32>,
    joins: Vec<[usize; 2]>,
}

impl GhostCubes {
    /// The layer of ghosts around a solid; edges whose number of ghosts some vertex does not allow give
    /// up for cones.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming a vertex without a star of ghosts.
    pub fn complete(
        topology: &Topology,
        orientation: &Orientation,
        rims: &Rims,
        degrees: &mut GhostDegrees,
    ) -> Result<Self> {
        loop {
            let edges_at = |v: u32| rims.of(v).iter().map(|place| place.edge);
            let unfit = |v: &u32| {
                let wanted: Vec<u8> = edges_at(*v).map(|edge| degrees.of(edge)).collect();
                !wanted.is_empty() && fill(&wanted).is_none()
            };
            let unfit: Vec<u32> = (0..topology.vertex_count() as u32).filter(unfit).collect();
            if let Some(&first) = unfit.first() {
                let edges: Vec<u32> = unfit.into_iter().flat_map(edges_at).collect();
                if degrees.give_up(edges) {
                    continue;
                }
                return Err(Error::mesh(message!(
                    IdKind::Vertex.id(first),
                    " has fewer than three boundary faces: no ghosts complete its star"
                ))
                .with_help("refine the mesh once"));
            }
            let assembly = Assembly {
                topology,
                orientation,
                rims,
                degrees,
                placed: HashMap::new(),
                edge_cubes: HashMap::new(),
                beside: Vec::new(),
                joins: Vec::new(),
            };
            match assembly.build() {
                Ok(cubes) => return Ok(cubes),
                Err(Conflict(edges)) => {
                    let first = edges.first().map(|&edge| topology.edge_vertices(edge));
                    if !degrees.give_up(edges) {
                        let ends = IdKind::Vertex.ids(first.into_iter().flatten());
                        return Err(Error::mesh(message!(
                            "the boundary touches itself at the edge of ",
                            ends,
                            ": no ghosts fit outside"
                        ))
                        .with_help("refine the mesh once, or split the cells that touch there"));
                    }
                }
            }
        }
    }
}

impl Assembly<'_> {
    fn build(mut self) -> std::result::Result<GhostCubes, Conflict> {
        self.place_faces()?;
        for vertex in 0..self.topology.vertex_count() as u32 {
            self.join_at(vertex);
        }
        self.finish()
    }

    fn cycle(&self, face: u32) -> Vec<u32> {
        self.orientation.outward_cycle(self.topology, face).collect()
    }

    fn edges_of(&self, face: u32) -> Vec<u32> {
        self.topology.face_edges(face).to_vec()
    }

    fn new_cube(&mut self, beside: u32) -> usize {
        self.beside.push(beside);
        self.beside.len() - 1
    }

    /// Puts each boundary face on a cube; faces at an edge with one ghost are sides of the same.
    fn place_faces(&mut self) -> std::result::Result<(), Conflict> {
        let faces = 0..self.topology.face_count() as u32;
        for first in faces.filter(|&f| self.topology.is_boundary_face(f)) {
            if self.placed.contains_key(&first) {
                continue;
            }
            let cube = self.new_cube(self.topology.face_cells(first)[0]);
            self.placed.insert(first, PlacedFace { cube, slots: [0, 1, 3, 2] });
            let (mut pending, mut sides) = (vec![first], HashSet::from([slots_key([0, 1, 3, 2])]));
            while let Some(face) = pending.pop() {
                let own = self.placed[&face];
                let cycle = self.cycle(face);
                let normal = normal_axis(own.slots);
                for i in 0..4 {
                    let (v, w) = (cycle[i], cycle[(i + 1) % 4]);
                    let Some(edge) = self.topology.edge_between(v, w) else { continue };
                    if self.degrees.of(edge) != 1 {
                        continue;
                    }
                    let others = self.topology.edge_faces(edge).iter().copied();
                    let mut others =
                        others.filter(|&f| f != face && self.topology.is_boundary_face(f));
                    let Some(other) = others.next() else { continue };
                    let (sv, sw) = (own.slots[i], own.slots[(i + 1) % 4]);
                    // the other face runs from w to v, then up
                    let at = self.cycle(other).iter().position(|&x| x == w).unwrap_or(0);
                    let mut slots = [0; 4];
                    for (k, slot) in
                        [sw, sv, sv ^ 1 << normal, sw ^ 1 << normal].into_iter().enumerate()
                    {
                        slots[(at + k) % 4] = slot;
                    }
                    match self.placed.get(&other) {
                        Some(known) if known.cube == cube && known.slots == slots => {}
                        Some(_) => return Err(Conflict(self.edges_of(other))),
                        None if !sides.insert(slots_key(slots)) => {
                            return Err(Conflict(self.edges_of(other)));
                        }
                        None => {
                            self.placed.insert(other, PlacedFace { cube, slots });
                            pending.push(other);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The corner of the cube on the face after a place of the rim; its link vertices are the place's
    /// edge, the next one and the third.
    fn face_corner(&self, vertex: u32, face: u32) -> Option<CubeCorner> {
        let PlacedFace { cube, slots } = *self.placed.get(&face)?;
        let at = self.cycle(face).iter().position(|&v| v == vertex)?;
        let slot = slots[at];
        let axis = |other: usize| (slot ^ slots[other % 4]).trailing_zeros() as usize;
        let [next, before] = [axis(at + 1), axis(at + 3)];
        Some(CubeCorner { cube, slot, axes: [next, before, 3 - next - before] })
    }

    /// Joins the cubes at a vertex as its link says.
    fn join_at(&mut self, vertex: u32) {
        let rim: Vec<RimPlace> = self.rims.of(vertex).to_vec();
        let n = rim.len();
        let wanted: Vec<u8> = rim.iter().map(|place| self.degrees.of(place.edge)).collect();
        let Some(triangles) = fill(&wanted) else { return };
        let has_side = |t: &[usize; 3], i: usize| t.contains(&i) && t.contains(&((i + 1) % n));
        // the triangle at each face: of two with its ends in a rim of three, that which is no ring's
        let at_face: Vec<usize> =
            (0..n).map(|i| triangles.iter().position(|t| has_side(t, i)).unwrap_or(0)).collect();
        let mut corners: Vec<Vec<CubeCorner>> = vec![Vec::new(); triangles.len()];
        for (i, place) in rim.iter().enumerate() {
            let t = triangles[at_face[i]];
            if let Some(corner) = self.face_corner(vertex, place.face) {
                let axis = |link: usize| match link {
                    link if link == i => corner.axes[0],
                    link if link == (i + 1) % n => corner.axes[1],
                    _ => corner.axes[2],
                };
                corners[at_face[i]].push(CubeCorner { axes: t.map(axis), ..corner });
            }
            if wanted[i] != 3 {
                continue;
            }
            let [right, left] = [at_face[(i + n - 1) % n], at_face[i]];
            let middle = (0..triangles.len())
                .find(|&k| k != right && k != left && triangles[k].contains(&i));
            let Some(middle) = middle else { continue };
            let ends = self.topology.edge_vertices(place.edge);
            let is_first = ends[0] == vertex;
            let cube = match self.edge_cubes.get(&place.edge) {
                Some(&cube) => cube,
                None => {
                    let cube = self.new_cube(self.topology.face_cells(place.face)[0]);
                    self.edge_cubes.insert(place.edge, cube);
                    cube
                }
            };
            // along the edge; then to the face on the left, seen from its first end, and to the right
            let [to_left, to_right] = if is_first { [1, 2] } else { [2, 1] };
            let axis = |link: usize| match link {
                link if link == i => 0,
                link if triangles[left].contains(&link) => to_left,
                _ => to_right,
            };
            let slot = usize::from(!is_first);
            corners[middle].push(CubeCorner { cube, slot, axes: triangles[middle].map(axis) });
        }
        for own in &mut corners {
            if own.is_empty() {
                let cube = self.new_cube(self.topology.vertex_cells(vertex)[0]);
                own.push(CubeCorner { cube, slot: 0, axes: [0, 1, 2] });
            }
            for other in &own[1..] {
                for bits in 0..8 {
                    let toward = [0, 1, 2].map(|i| bits >> i & 1 == 1);
                    self.joins.push([own[0].beyond(toward), other.beyond(toward)]);
                }
            }
        }
        let mut sides: HashMap<[usize; 2], usize> = HashMap::new();
        for (k, t) in triangles.iter().enumerate() {
            for i in 0..3 {
                let side = [t[i], t[(i + 1) % 3]];
                let side = [side[0].min(side[1]), side[0].max(side[1])];
                // of a face of the boundary
                let is_rim = (0..n).any(|f| at_face[f] == k && has_both(side, [f, (f + 1) % n]));
                if is_rim {
                    continue;
                }
                let Some(other) = sides.insert(side, k) else { continue };
                for bits in 0..4 {
                    let slot = |k: usize| {
                        let toward = triangles[k].map(|link| {
                            link == side[0] && bits & 1 == 1 || link == side[1] && bits & 2 == 2
                        });
                        corners[k][0].beyond(toward)
                    };
                    self.joins.push([slot(k), slot(other)]);
                }
            }
        }
    }

    /// Numbers the slots that are joined.
    fn finish(self) -> std::result::Result<GhostCubes, Conflict> {
        let known = self.topology.vertex_count() as u32;
        let mut union = UnionFind::new(8 * self.beside.len());
        for [a, b] in &self.joins {
            union.join(*a as u32, *b as u32);
        }
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let faces: BTreeMap<u32, PlacedFace> = self.placed.iter().map(|(&f, &p)| (f, p)).collect();
        for (&face, placed) in &faces {
            for (v, slot) in self.cycle(face).into_iter().zip(placed.slots) {
                let root = union.root((8 * placed.cube + slot) as u32);
                if *numbers.entry(root).or_insert(v) != v {
                    return Err(Conflict(self.edges_of(face)));
                }
            }
        }
        let (mut next, mut seen, mut cells) = (known, HashSet::new(), Vec::new());
        for (cube, &beside) in self.beside.iter().enumerate() {
            let corners = CORNERS.map(|[x, y, z]| {
                let root = union.root((8 * cube + (x | y << 1 | z << 2)) as u32);
                *numbers.entry(root).or_insert_with(|| {
                    next += 1;
                    next - 1
                })
            });
            let mut key = corners;
            key.sort_unstable();
            if key.windows(2).any(|pair| pair[0] == pair[1]) {
                let around = corners.iter().filter(|&&v| v < known);
                let edges = around.flat_map(|&v| self.rims.of(v).iter().map(|place| place.edge));
                return Err(Conflict(edges.collect()));
            }
            if seen.insert(key) {
                cells.push(GhostCube { corners, beside });
            }
        }
        Ok(GhostCubes { cells, vertices: (next - known) as usize })
    }
}

fn has_both(side: [usize; 2], of: [usize; 2]) -> bool {
    side == of || side == [of[1], of[0]]
}

/// The axis that is the same on the side of a cube.
fn normal_axis(slots: [usize; 4]) -> usize {
    let differ = slots.iter().fold(0, |bits, slot| bits | slot ^ slots[0]);
    (!differ & 7).trailing_zeros() as usize
}

/// A side of a cube, whichever slot comes first.
fn slots_key(mut slots: [usize; 4]) -> [usize; 4] {
    slots.sort_unstable();
    slots
}

//! A control mesh understood: leaves that evaluate directly, and their nets.
//!
//! # Practice
//! Level 0 is the mesh. Its cells that do not evaluate directly are refined, with
//! the neighbouring children that their limit depends on, as level 1, and so on
//! until every leaf evaluates. The control points of all levels stand in one
//! array ([`Solid::refined_points`]); the nets index into it. Set-up costs a few
//! microseconds a cell and depends on connectivity and creases only.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::class::{Class, Reason, classify};
use super::frame::{Turn, Walker};
use super::library::Library;
use super::net::{self, Ends, Key};
use super::structure::{Orders, Structure, best_planar, layered_weights, tensor_weights};
use crate::error::{Error, Result};
use crate::mesh::{CellKind, SolidMesh};
use crate::refine::{CORNERS, Sharpness, Star, Stencils, VertexRule, hexahedra, refine, stars};
use crate::topology::Topology;

/// Deepest local refinement; semi-sharp creases take one level per unit.
const MAX_LEVEL: usize = 12;

/// Cells a work item of the classification covers.
const GRAIN: usize = 512;

/// A hexahedron with parameters (u, v, w): a hexahedral cell, or one corner of
/// any other cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Cell of the mesh.
    pub cell: u32,
    /// Corner of the cell, if the cell is no hexahedron.
    pub corner: Option<u8>,
    /// Corners in VTK order, as indices into the points of all levels.
    pub corners: [u32; 8],
}

/// A dyadic part of an element that evaluates directly.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Element it belongs to.
    pub element: u32,
    /// The leaf spans `[origin, origin + 1] / 2^depth` along each axis.
    pub depth: u8,
    /// See `depth`.
    pub origin: [u16; 3],
    /// How it evaluates.
    pub kind: LeafKind,
    net: (usize, u32),
}

/// How a leaf evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// Net `[w][v][u]` of 4 × 4 × 4 control points, with missing end layers.
    Regular(Ends),
    /// Net `[layer 4][line]`: planar structure, how its axes lie, missing end
    /// layers (bit 0 low, bit 1 high).
    Layered(u32, Turn, Ends),
    /// Net `[control point]`: spatial structure and how its axes lie.
    Irregular(u32, Turn),
}

/// A control mesh ready for limit evaluation; see the module's introduction.
#[derive(Debug)]
pub struct Solid {
    topology: Topology,
    classes: Vec<Class>,
    elements: Vec<Element>,
    // leaves of element e: leaves[leaf_ends[e - 1]..leaf_ends[e]], in Morton order
    leaves: Vec<Leaf>,
    leaf_ends: Vec<u32>,
    nets: Vec<u32>,
    // stencils of level l + 1 over level l, and the first point of each level
    stencils: Vec<Stencils>,
    level_starts: Vec<usize>,
    planar: Vec<Arc<Structure>>,
    spatial: Vec<Arc<Structure>>,
}

impl Solid {
    /// Understands a mesh.
    ///
    /// # Errors
    /// Every defect that [`SolidMesh::check`], [`Topology::build`],
    /// [`Topology::validate`] and [`Sharpness::resolve`] name, and finite
    /// sharpness above 10.
    pub fn new(mesh: &SolidMesh) -> Result<Self> {
        Self::with_rule(mesh, VertexRule::default())
    }

    /// Understands a mesh under a vertex rule. Under
    /// [`VertexRule::JoyMacCracken`] meshes with interior extraordinary edges are
    /// refused: vertices inside such an edge refine differently on its two sides,
    /// so no constant-time evaluation exists.
    ///
    /// # Errors
    /// Those of [`Solid::new`], and the refusal.
    pub fn with_rule(mesh: &SolidMesh, rule: VertexRule) -> Result<Self> {
        let topology = Topology::build(mesh.oriented_cells()?, mesh.points.len())?;
        topology.validate()?;
        let sharpness = Sharpness::resolve(&mesh.creases, &topology)?;
        check_sharpness(mesh)?;
        if rule == VertexRule::JoyMacCracken {
            refuse_extraordinary_edges(&topology)?;
        }
        let stars = stars(&topology, &sharpness);
        Builder::default().build(topology, sharpness, stars)
    }

    /// The topology of the mesh.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Class of every cell of the mesh.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// All elements, in the order of their cells and corners.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// All leaves, in the order of their elements.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// Leaves of one element, in Morton order of their origins.
    pub fn element_leaves(&self, element: usize) -> &[Leaf] {
        &self.leaves[self.leaf_range(element)]
    }

    /// The indices of an element's leaves among [`Solid::leaves`].
    pub fn leaf_range(&self, element: usize) -> std::ops::Range<usize> {
        let start = if element == 0 { 0 } else { self.leaf_ends[element - 1] as usize };
        start..self.leaf_ends[element] as usize
    }

    /// Control points of a leaf, as indices into the points of all levels.
    pub fn net(&self, leaf: &Leaf) -> &[u32] {
        &self.nets[leaf.net.0..leaf.net.0 + leaf.net.1 as usize]
    }

    /// Planar structures of the layered leaves.
    pub fn planar_structures(&self) -> &[Arc<Structure>] {
        &self.planar
    }

    /// Spatial structures of the irregular leaves.
    pub fn spatial_structures(&self) -> &[Arc<Structure>] {
        &self.spatial
    }

    /// Number of control points of all levels.
    pub fn point_count(&self) -> usize {
        self.level_starts.last().map_or(0, |&end| end)
    }

    /// First point of each level, then the number of all points.
    pub fn level_starts(&self) -> &[usize] {
        &self.level_starts
    }

    /// Stencils of each level over the level before.
    pub fn stencils(&self) -> &[Stencils] {
        &self.stencils
    }

    /// Values at the points of all levels (`[point][component]`) from those at
    /// the control points.
    ///
    /// # Panics
    /// If `values` does not hold `width` values for every vertex of the mesh.
    pub fn refined_points(&self, values: &[f64], width: usize) -> Vec<f64> {
        assert_eq!(values.len(), width * self.topology.vertex_count(), "one row a vertex");
        let mut all = vec![0.0; width * self.point_count()];
        all[..values.len()].copy_from_slice(values);
        for (level, stencils) in self.stencils.iter().enumerate() {
            let [start, end] = [self.level_starts[level], self.level_starts[level + 1]];
            let (coarse, fine) = all[width * start..].split_at_mut(width * (end - start));
            stencils.apply_into(coarse, width, &mut fine[..width * stencils.len()]);
        }
        all
    }

    /// The leaf that holds the parameters `p` of an element, and `p` within it.
    pub fn locate(&self, element: usize, p: [f64; 3]) -> (usize, [f64; 3]) {
        let range = self.leaf_range(element);
        let leaves = &self.leaves[range.clone()];
        let at = if leaves.len() == 1 {
            0
        } else {
            let code = morton(p.map(|x| ((x * 65536.0) as u32).min(65535)));
            leaves.partition_point(|leaf| leaf.code() <= code) - 1
        };
        (range.start + at, leaves[at].local(p))
    }

    /// Weights of a leaf's net for the limit at its local parameters, or for a
    /// derivative with respect to the *element's* parameters; `None` where that
    /// derivative does not exist.
    pub fn weights(&self, leaf: &Leaf, p: [f64; 3], orders: Orders) -> Option<Vec<f64>> {
        let mut weights = match leaf.kind {
            LeafKind::Regular(ends) => {
                let mut weights = tensor_weights(3, p, orders);
                unfold_phantoms(&mut weights, ends);
                weights
            }
            LeafKind::Layered(structure, turn, ends) => {
                let planar = &self.planar[structure as usize];
                let mut weights = layered_weights(planar, turn, p, orders)?;
                unfold_layer_phantoms(&mut weights, planar.controls(), ends);
                weights
            }
            LeafKind::Irregular(structure, turn) => {
                let local_orders = turn.axes.map(|a| orders[a as usize]);
                let mut weights =
                    self.spatial[structure as usize].weights(turn.local(p), local_orders)?;
                if turn.odd(local_orders) {
                    weights.iter_mut().for_each(|w| *w = -*w);
                }
                weights
            }
        };
        let order: i32 = orders.iter().map(|&o| o as i32).sum();
        if leaf.depth > 0 && order > 0 {
            let scale = f64::from(1_u32 << leaf.depth).powi(order);
            weights.iter_mut().for_each(|w| *w *= scale);
        }
        Some(weights)
    }
}

impl Leaf {
    /// Local parameters of the element's parameters `p`.
    pub fn local(&self, p: [f64; 3]) -> [f64; 3] {
        let scale = f64::from(1_u32 << self.depth);
        std::array::from_fn(|d| (p[d] * scale - f64::from(self.origin[d])).clamp(0.0, 1.0))
    }

    fn code(&self) -> u64 {
        morton(self.origin.map(|x| u32::from(x) << (16 - self.depth)))
    }
}

/// Interleaves the bits of three 16-bit coordinates.
fn morton(x: [u32; 3]) -> u64 {
    (0..16).map(|b| (0..3).map(|d| u64::from(x[d] >> b & 1) << (3 * b + d)).sum::<u64>()).sum()
}

/// Gives the weights of phantom layers to the layers that stand in for them:
/// p₋₁ = 2p₀ − p₁.
fn unfold_phantoms(weights: &mut [f64], ends: Ends) {
    for d in (0..3).rev() {
        let stride = 4_usize.pow(d as u32);
        for side in (0..2).filter(|side| ends >> (2 * d + side) & 1 == 1) {
            for at in (0..64).filter(|at| at / stride % 4 == 3 * side) {
                unfold(weights, at, stride, side);
            }
        }
    }
}

fn unfold_layer_phantoms(weights: &mut [f64], lines: usize, ends: Ends) {
    for side in (0..2).filter(|side| ends >> side & 1 == 1) {
        for line in 0..lines {
            unfold(weights, 3 * side * lines + line, lines, side);
        }
    }
}

fn unfold(weights: &mut [f64], at: usize, stride: usize, side: usize) {
    let inward = |steps| if side == 0 { at + steps * stride } else { at - steps * stride };
    let w = std::mem::take(&mut weights[at]);
    weights[inward(1)] += 2.0 * w;
    weights[inward(2)] -= w;
}

fn check_sharpness(mesh: &SolidMesh) -> Result<()> {
    let most = (MAX_LEVEL - 2) as f64;
    let edges = mesh.creases.edges.iter().map(|c| (c.sharpness, format!("{:?}", c.edge)));
    let corners = mesh.creases.corners.iter().map(|c| (c.sharpness, format!("{}", c.vertex)));
    match edges.chain(corners).find(|&(s, _)| s > most && s < f64::INFINITY) {
        None => Ok(()),
        Some((s, at)) => Err(Error::mesh(format!("sharpness {s} at {at} is above {most}"))
            .with_mend(format!("write inf for sharp for ever, or a value up to {most}"))),
    }
}

fn refuse_extraordinary_edges(topology: &Topology) -> Result<()> {
    let edges = 0..topology.edge_count() as u32;
    let valence = |e: u32| topology.edge_faces(e).len();
    match edges.into_iter().find(|&e| !topology.is_boundary_edge(e) && valence(e) != 4) {
        None => Ok(()),
        Some(e) => {
            let [a, b] = topology.edge_vertices(e);
            Err(Error::mesh(format!(
                "the plain Joy-MacCracken vertex rule has no constant-time limit at the interior \
                 edge of vertices {a} and {b} (valence {}): its child maps differ along the edge",
                valence(e)
            ))
            .with_mend("evaluate under the layer-consistent rule, or only refine"))
        }
    }
}

/// A cell of the level at hand that must become leaves.
#[derive(Clone, Copy)]
struct Active {
    cell: u32,
    element: u32,
    origin: [u16; 3],
}

/// Leaves of a few cells before their structures have numbers.
#[derive(Default)]
struct Drafts {
    drafts: Vec<Draft>,
    // control points of all drafts, one after another
    nets: Vec<u32>,
}

struct Draft {
    class: Class,
    kind: DraftKind,
    // where its net ends in `nets`
    end: usize,
}

enum DraftKind {
    Regular(Ends),
    Layered(Key, Turn, Ends),
    Irregular(Key, Turn),
    Refined(Reason),
}

#[derive(Default)]
struct Builder {
    library: Library,
    planar: Numbering,
    spatial: Numbering,
    elements: Vec<Element>,
    leaves: Vec<Leaf>,
    nets: Vec<u32>,
    stencils: Vec<Stencils>,
    level_starts: Vec<usize>,
}

/// Structures in order of first appearance.
#[derive(Default)]
struct Numbering {
    numbers: HashMap<Key, Option<u32>>,
    structures: Vec<Arc<Structure>>,
}

impl Numbering {
    /// Builds the structures of all new keys in parallel, then numbers them.
    fn add<'a>(
        &mut self,
        keys: impl Iterator<Item = &'a Key>,
        build: impl Fn(&Key) -> Option<Arc<Structure>> + Sync,
    ) {
        let mut new: Vec<&Key> = Vec::new();
        for key in keys {
            if !self.numbers.contains_key(key) {
                self.numbers.insert(key.clone(), None);
                new.push(key);
            }
        }
        let built: Vec<_> = new.par_iter().map(|key| build(key)).collect();
        for (key, structure) in new.into_iter().zip(built) {
            if let Some(structure) = structure {
                self.numbers.insert(key.clone(), Some(self.structures.len() as u32));
                self.structures.push(structure);
            }
        }
    }

    fn number(&self, key: &Key) -> Result<u32, Reason> {
        self.numbers.get(key).copied().flatten().ok_or(Reason::SeveralExtraordinary)
    }
}

impl Builder {
    fn build(
        mut self,
        topology: Topology,
        sharpness: Sharpness,
        stars: Vec<Star>,
    ) -> Result<Solid> {
        self.level_starts = vec![0, topology.vertex_count()];
        let hexahedra_of = |t: &Topology, c: u32| t.cells().hexahedron(c as usize).copied();
        // elements of cells that are no hexahedra come with their children; number
        // all elements now, in cell order
        let mut first_element = Vec::with_capacity(topology.cell_count());
        for cell in 0..topology.cell_count() as u32 {
            first_element.push(self.elements.len() as u32);
            if let Some(corners) = hexahedra_of(&topology, cell) {
                self.elements.push(Element { cell, corner: None, corners });
            } else {
                let corners = topology.cells().vertices(cell as usize).len();
                self.elements.extend((0..corners).map(|corner| Element {
                    cell,
                    corner: Some(corner as u8),
                    corners: [0; 8],
                }));
            }
        }
        let active: Vec<Active> = (0..topology.cell_count() as u32)
            .map(|cell| Active { cell, element: first_element[cell as usize], origin: [0; 3] })
            .collect();
        let (classes, mut active) = self.add_level(0, &topology, &sharpness, &stars, &active);

        let mut level = Level { topology: None, sharpness, stars };
        let mut depth = 0;
        while !active.is_empty() {
            depth += 1;
            if depth > MAX_LEVEL {
                let cell = self.elements[active[0].element as usize].cell;
                return Err(Error::mesh(format!(
                    "cell {cell} does not evaluate after {MAX_LEVEL} local refinements"
                )));
            }
            active = self.refine(depth, &topology, &mut level, &active)?;
        }
        Ok(self.finish(topology, classes))
    }

    /// Refines the active cells; returns the children that are still to refine.
    fn refine(
        &mut self,
        depth: usize,
        mesh_topology: &Topology,
        level: &mut Level,
        active: &[Active],
    ) -> Result<Vec<Active>> {
        let coarse = level.topology.as_ref().unwrap_or(mesh_topology);
        let cells: Vec<u32> = active.iter().map(|a| a.cell).collect();
        let rule = VertexRule::LayerConsistent;
        let fine = refine(coarse, &level.sharpness, &level.stars, rule, Some(&cells));

        // children of the active cells inherit their place in the element
        let start = self.level_starts[depth] as u32;
        let by_cell: HashMap<u32, Active> = active.iter().map(|a| (a.cell, *a)).collect();
        let mut children = Vec::with_capacity(8 * active.len());
        for (child, &(parent, corner)) in fine.parents.iter().enumerate() {
            let Some(parent) = by_cell.get(&parent) else { continue };
            let cell = child as u32;
            children.push(if coarse.cells().kind(parent.cell as usize) == CellKind::Hexahedron {
                let offset = CORNERS[corner as usize];
                let origin = std::array::from_fn(|d| 2 * parent.origin[d] + offset[d] as u16);
                Active { cell, element: parent.element, origin }
            } else {
                let element = parent.element + u32::from(corner);
                self.elements[element as usize].corners = fine.cells[child].map(|v| v + start);
                Active { cell, element, origin: [0; 3] }
            });
        }
        let topology = Topology::build(hexahedra(&fine.cells), fine.stencils.len())?;
        let sharpness = Sharpness::resolve(&fine.creases, &topology)?;
        let stars = stars(&topology, &sharpness);
        self.level_starts.push(self.level_starts[depth] + fine.stencils.len());
        self.stencils.push(fine.stencils);
        let (_, active) = self.add_level(depth, &topology, &sharpness, &stars, &children);
        *level = Level { topology: Some(topology), sharpness, stars };
        Ok(active)
    }

    /// Makes leaves of the active cells of one level; returns their classes and
    /// the cells that must be refined.
    fn add_level(
        &mut self,
        depth: usize,
        topology: &Topology,
        sharpness: &Sharpness,
        stars: &[Star],
        active: &[Active],
    ) -> (Vec<Class>, Vec<Active>) {
        let walker = Walker::new(topology);
        let parts: Vec<Drafts> = active
            .par_chunks(GRAIN)
            .map(|chunk| {
                let mut drafts = Drafts::default();
                chunk.iter().for_each(|a| drafts.push(&walker, sharpness, stars, a.cell));
                drafts
            })
            .collect();
        let all = || parts.iter().flat_map(|part| &part.drafts);
        let planar_keys = all().filter_map(|d| match &d.kind {
            DraftKind::Layered(key, ..) => Some(key),
            _ => None,
        });
        self.planar.add(planar_keys, |key| self.library.planar(key, 0));
        let spatial_keys = all().filter_map(|d| match &d.kind {
            DraftKind::Irregular(key, _) => Some(key),
            _ => None,
        });
        self.spatial.add(spatial_keys, |key| self.library.spatial(key, 0));

        let first_point = self.level_starts[depth] as u32;
        self.nets.reserve(parts.iter().map(|part| part.nets.len()).sum());
        self.leaves.reserve(active.len());
        let mut classes = Vec::with_capacity(active.len());
        let mut refined = Vec::new();
        let mut active = active.iter();
        for part in &parts {
            let mut start = 0;
            for (draft, a) in part.drafts.iter().zip(&mut active) {
                let net = &part.nets[start..draft.end];
                start = draft.end;
                let kind = match &draft.kind {
                    DraftKind::Regular(ends) => Ok(LeafKind::Regular(*ends)),
                    DraftKind::Layered(key, turn, ends) => {
                        self.planar.number(key).map(|n| LeafKind::Layered(n, *turn, *ends))
                    }
                    DraftKind::Irregular(key, turn) => {
                        self.spatial.number(key).map(|n| LeafKind::Irregular(n, *turn))
                    }
                    DraftKind::Refined(reason) => Err(*reason),
                };
                match kind {
                    Err(reason) => {
                        classes.push(Class::Refined(reason));
                        refined.push(*a);
                    }
                    Ok(kind) => {
                        classes.push(draft.class);
                        // the children of a corner are elements of their own
                        let own = self.elements[a.element as usize].corner.is_some();
                        let depth = depth as u8 - u8::from(own);
                        let range = (self.nets.len(), net.len() as u32);
                        self.nets.extend(net.iter().map(|v| v + first_point));
                        let (element, origin) = (a.element, a.origin);
                        self.leaves.push(Leaf { element, depth, origin, kind, net: range });
                    }
                }
            }
        }
        (classes, refined)
    }

    fn finish(mut self, topology: Topology, classes: Vec<Class>) -> Solid {
        if self.level_starts.len() > 2 {
            self.leaves.par_sort_by_cached_key(|leaf| (leaf.element, leaf.code()));
        }
        let mut leaf_ends = vec![0; self.elements.len()];
        self.leaves.iter().for_each(|leaf| leaf_ends[leaf.element as usize] += 1);
        let mut end = 0;
        for count in &mut leaf_ends {
            end += *count;
            *count = end;
        }
        Solid {
            topology,
            classes,
            elements: self.elements,
            leaves: self.leaves,
            leaf_ends,
            nets: self.nets,
            stencils: self.stencils,
            level_starts: self.level_starts,
            planar: self.planar.structures,
            spatial: self.spatial.structures,
        }
    }
}

/// The finest level so far; its topology is the mesh's own at level 0.
struct Level {
    topology: Option<Topology>,
    sharpness: Sharpness,
    stars: Vec<Star>,
}

impl Drafts {
    fn push(&mut self, walker: &Walker, sharpness: &Sharpness, stars: &[Star], cell: u32) {
        let class = match walker.topology.cells().hexahedron(cell as usize) {
            Some(corners) => classify(walker.topology, sharpness, stars, corners),
            None => Class::Refined(Reason::NotHexahedral),
        };
        let kind = match class {
            Class::Regular => {
                let (net, ends) = net::regular(walker, &walker.frame(cell, Turn::IDENTITY));
                self.nets.extend(net);
                DraftKind::Regular(ends)
            }
            Class::Layered(turn) => {
                let (turn, planar) = best_planar(walker, sharpness, cell, turn);
                let (net, ends) = planar.layers(walker);
                self.nets.extend(net);
                DraftKind::Layered(planar.key, turn, ends)
            }
            Class::Irregular(corner) => {
                let (turn, net) = best_spatial(walker, sharpness, cell, corner);
                self.nets.extend(net.vertices);
                DraftKind::Irregular(net.key, turn)
            }
            Class::Refined(reason) => DraftKind::Refined(reason),
        };
        self.drafts.push(Draft { class, kind, end: self.nets.len() });
    }
}

/// The best of the six walks of an irregular cell: the smallest key.
fn best_spatial(
    walker: &Walker,
    sharpness: &Sharpness,
    cell: u32,
    corner: usize,
) -> (Turn, net::Spatial) {
    let walk = |turn| (turn, net::spatial(walker, sharpness, &walker.frame(cell, turn)));
    let [first, others @ ..] = Turn::to_corner(corner);
    others
        .into_iter()
        .map(walk)
        .fold(walk(first), |best, walk| if walk.1.key < best.1.key { walk } else { best })
}

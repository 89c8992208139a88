//! Structures: limit evaluation near one extraordinary point, shared by all cells
//! of equal local topology.
//!
//! # Theory
//! Split a cell with its extraordinary point at the local origin. All children
//! but the one at the origin (the *siblings*) have nets that are evaluated
//! directly; the child at the origin has the cell's own topology again. With A
//! the net's rows of the origin child and Āₖ those of sibling k, a point in
//! sibling k at depth n is p = Cᵀ (Aᵀ)ⁿ⁻¹ Āₖᵀ N(φₖₙ(u, v, w)) (Besler et al. 2022,
//! Eq. 3; Stam 1998 in the plane). Missing boundary layers of a sibling are folded
//! into Āₖ as phantom rows p₋₁ = 2p₀ − p₁, so N is always the full spline basis.
//!
//! # Changes versus the papers
//! The rows come from the refinement rules themselves, run on the net as a small
//! mesh. Where the cell's far side is boundary the first child sees a layer that
//! the cell does not: then the first step differs from the following ones, and the
//! structure is one step followed by the structure of its child.

use std::sync::{Arc, OnceLock};

use faer::Mat;

use super::frame::{Turn, VTK_CORNER, Walker};
use super::library::Library;
use super::net::{self, Key};
use super::powers::{MAX_DEPTH, Powers};
use super::{Class, classify};
use crate::basis::bspline::{self, Order};
use crate::mesh::Creases;
use crate::refine::{CORNERS, Refinement, Sharpness, VertexRule, hexahedra, refine, stars};
use crate::topology::Topology;

/// Derivative order along each local axis.
pub type Orders = [Order; 3];

/// The limit around one extraordinary point: of a planar net (two parameters) or
/// of a spatial one (three).
#[derive(Debug)]
pub struct Structure {
    dimension: usize,
    controls: usize,
    // sibling k at [k - 1]; k in binary is its offset along the local axes
    siblings: Vec<Sibling>,
    next: Next,
    // first derivatives at the extraordinary point, where they exist
    at_centre: OnceLock<[Option<Vec<f64>>; 3]>,
}

#[derive(Debug)]
struct Sibling {
    // [row of the sibling's net][control point]
    rows: Mat<f64>,
    kind: SiblingKind,
}

#[derive(Debug)]
enum SiblingKind {
    // rows [w][v][u] of a 4 × 4 (× 4) net
    Tensor,
    // rows [layer 4][line]
    Layered { planar: Arc<Structure>, turn: Turn },
}

#[derive(Debug)]
enum Next {
    /// The child at the origin has the same net.
    Stationary(Powers),
    /// The child at the origin has another net, given by these rows.
    Then { step: Mat<f64>, structure: Arc<Structure> },
}

impl Structure {
    /// The structure of a planar net by its [`net::Planar::key`].
    pub(super) fn planar(key: &Key, library: &Library, depth: usize) -> Option<Self> {
        Patch::extruded(key).structure(2, key, library, depth)
    }

    /// The structure of a spatial net by its [`net::Spatial::key`].
    pub(super) fn spatial(key: &Key, library: &Library, depth: usize) -> Option<Self> {
        Patch::of(key).structure(3, key, library, depth)
    }

    /// Number of control points of the net.
    pub fn controls(&self) -> usize {
        self.controls
    }

    /// The powers at the end of the chain of first steps.
    pub fn powers(&self) -> &Powers {
        match &self.next {
            Next::Stationary(powers) => powers,
            Next::Then { structure, .. } => structure.powers(),
        }
    }

    /// Steps before the net repeats itself.
    pub fn first_steps(&self) -> usize {
        match &self.next {
            Next::Stationary(_) => 0,
            Next::Then { structure, .. } => 1 + structure.first_steps(),
        }
    }

    /// How the axes of the layered part at offset `child` (binary, not 0) lie;
    /// `None` if that part is a tensor-product spline.
    pub fn sibling_turn(&self, child: usize) -> Option<Turn> {
        match self.siblings.get(child.wrapping_sub(1))?.kind {
            SiblingKind::Tensor => None,
            SiblingKind::Layered { turn, .. } => Some(turn),
        }
    }

    /// Weights of the control points for the limit, or a derivative of it, at the
    /// local parameters `p` (two or three in [0, 1], the extraordinary point at the
    /// origin). Within 2⁻⁵² of the extraordinary point counts as on it.
    ///
    /// `None` where the derivative does not exist. At the extraordinary point a first
    /// derivative is the one limit that all ways towards it share, if they do; second
    /// derivatives are not looked for there.
    pub fn weights(&self, p: [f64; 3], orders: Orders) -> Option<Vec<f64>> {
        let axes = 0..self.dimension;
        let order: u32 = axes.clone().map(|d| orders[d] as u32).sum();
        let far = axes.clone().map(|d| p[d]).fold(0.0, f64::max);
        // far · 2ⁿ in (1, 2]
        let depth = if far > 0.0 { (-far.log2()).floor() as i64 + 1 } else { i64::MAX };
        let depth = match depth {
            n if n > MAX_DEPTH as i64 => return self.centre_weights(orders),
            n if far * (n as f64).exp2() > 2.0 => n as usize - 1,
            n if far * (n as f64).exp2() <= 1.0 => n as usize + 1,
            n => n as usize,
        };
        let scale = (depth as f64).exp2();
        let mut child = 0;
        let mut local = p;
        for d in axes {
            let x = p[d] * scale;
            let side = x > 1.0;
            child |= usize::from(side) << d;
            local[d] = if side { x - 1.0 } else { x };
        }
        let mut weights = self.siblings[child - 1].weights(self.dimension, local, orders)?;
        let magnified = scale.powi(order as i32);
        weights.iter_mut().for_each(|w| *w *= magnified);
        let sum = if order == 0 { 1.0 } else { 0.0 };
        Some(self.pull(depth, child, &weights, sum))
    }

    /// Weights at the extraordinary point.
    fn centre_weights(&self, orders: Orders) -> Option<Vec<f64>> {
        let wanted = |o: Order| (0..self.dimension).filter(move |&d| orders[d] == o);
        match (&wanted(Order::First).collect::<Vec<_>>()[..], wanted(Order::Second).count()) {
            ([], 0) => Some(self.mask()),
            (&[axis], 0) => self.at_centre.get_or_init(|| self.centre_derivatives())[axis].clone(),
            _ => None,
        }
    }

    /// First derivatives at the extraordinary point. Far down, the weights of a
    /// derivative at depth n become those of the limit of (2D)ⁿ; if that exists, and
    /// all siblings see one and the same derivative in it, this is it.
    fn centre_derivatives(&self) -> [Option<Vec<f64>>; 3] {
        let powers = match &self.next {
            Next::Then { step, structure } => {
                // the child's parameters run twice as fast
                return std::array::from_fn(|axis| {
                    let mut orders = [Order::Value; 3];
                    orders[axis] = Order::First;
                    let weights = structure.centre_weights(orders)?;
                    Some(transposed_product(step, &weights).iter().map(|w| 2.0 * w).collect())
                });
            }
            Next::Stationary(powers) => powers,
        };
        let Some(limit) = powers.doubled_limit() else { return [const { None }; 3] };
        std::array::from_fn(|axis| {
            if axis >= self.dimension {
                return None;
            }
            let mut orders = [Order::Value; 3];
            orders[axis] = Order::First;
            let mut common: Option<Vec<f64>> = None;
            for sibling in &self.siblings {
                for place in 0..8 {
                    let p = std::array::from_fn(|d| if place >> d & 1 == 1 { 0.7 } else { 0.2 });
                    let weights = sibling.weights(self.dimension, p, orders)?;
                    let weights = transposed_product(&sibling.rows, &weights);
                    let weights = transposed_product(&limit, &weights);
                    let found: Vec<f64> = weights.iter().map(|w| 2.0 * w).collect();
                    let expected = common.get_or_insert_with(|| found.clone());
                    let agree = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-8 * (1.0 + a.abs());
                    if !expected.iter().zip(&found).all(agree) {
                        return None;
                    }
                }
            }
            common
        })
    }

    /// Weights of the limit at the extraordinary point.
    fn mask(&self) -> Vec<f64> {
        match &self.next {
            Next::Stationary(powers) => powers.mask().to_vec(),
            Next::Then { step, structure } => transposed_product(step, &structure.mask()),
        }
    }

    /// Brings weights of the net of sibling `child` at `depth` back to this net's.
    fn pull(&self, depth: usize, child: usize, weights: &[f64], sum: f64) -> Vec<f64> {
        if depth == 1 {
            return transposed_product(&self.siblings[child - 1].rows, weights);
        }
        match &self.next {
            Next::Stationary(powers) => {
                let mut x = transposed_product(&self.siblings[child - 1].rows, weights);
                powers.apply_transposed(depth - 1, &mut x, sum);
                x
            }
            Next::Then { step, structure } => {
                transposed_product(step, &structure.pull(depth - 1, child, weights, sum))
            }
        }
    }
}

impl Sibling {
    fn weights(&self, dimension: usize, p: [f64; 3], orders: Orders) -> Option<Vec<f64>> {
        match &self.kind {
            SiblingKind::Tensor => Some(tensor_weights(dimension, p, orders)),
            SiblingKind::Layered { planar, turn } => layered_weights(planar, *turn, p, orders),
        }
    }
}

/// Tensor-product spline weights `[w][v][u]` of the first `dimension` axes.
pub fn tensor_weights(dimension: usize, p: [f64; 3], orders: Orders) -> Vec<f64> {
    let mut weights = vec![1.0];
    for d in (0..dimension).rev() {
        let axis = bspline::weights(orders[d], p[d]);
        weights = weights.iter().flat_map(|w| axis.map(|b| w * b)).collect();
    }
    weights
}

/// Weights `[layer 4][line]` of a layered net, `p` in the cell's own axes.
pub fn layered_weights(
    planar: &Structure,
    turn: Turn,
    p: [f64; 3],
    orders: Orders,
) -> Option<Vec<f64>> {
    let local = turn.local(p);
    let local_orders = turn.axes.map(|a| orders[a as usize]);
    let across = planar.weights(local, local_orders)?;
    let along = bspline::weights(local_orders[2], local[2]);
    let sign = if turn.odd(local_orders) { -1.0 } else { 1.0 };
    Some(along.iter().flat_map(|b| across.iter().map(move |w| sign * b * w)).collect())
}

/// rowsᵀ · weights.
fn transposed_product(rows: &Mat<f64>, weights: &[f64]) -> Vec<f64> {
    (0..rows.ncols())
        .map(|j| rows.col_as_slice(j).iter().zip(weights).map(|(a, b)| a * b).sum())
        .collect()
}

/// A net as a small mesh of its own; cell 0 is the one to evaluate.
struct Patch {
    // corners in binary order
    cells: Vec<[u16; 8]>,
    sharp_edges: Vec<[u16; 2]>,
    pinned: Vec<u16>,
    controls: usize,
}

impl Patch {
    fn of(key: &Key) -> Self {
        let (cells, sharp_edges, pinned) = net::spatial_parts(key);
        let controls = cells.iter().flatten().max().map_or(0, |&m| m as usize + 1);
        Self { cells, sharp_edges, pinned, controls }
    }

    /// Four layers of a planar net (three slabs of cells), the middle slab first.
    fn extruded(key: &Key) -> Self {
        let (quads, sharp) = key.split_at(key.len() - 4);
        let lines = quads.iter().max().map_or(0, |&m| m + 1);
        let mut cells = Vec::new();
        for slab in [1, 0, 2] {
            for quad in quads.chunks_exact(4) {
                let corner = |bits: usize| quad[bits % 4] + lines * (slab + bits as u16 / 4);
                cells.push(std::array::from_fn(corner));
            }
        }
        let mut sharp_edges = Vec::new();
        for (&line, _) in quads.iter().zip(sharp).filter(|&(_, &sharp)| sharp == 1) {
            for slab in 0..3 {
                sharp_edges.push([line + lines * slab, line + lines * (slab + 1)]);
            }
        }
        Self { cells, sharp_edges, pinned: Vec::new(), controls: 4 * lines as usize }
    }

    fn structure(
        &self,
        dimension: usize,
        key: &Key,
        library: &Library,
        depth: usize,
    ) -> Option<Structure> {
        let step = Step::of(self)?;
        let child = |k: usize| step.children[VTK_CORNER[k]];
        let frame = |k: usize| step.walker().frame(child(k), Turn::IDENTITY);
        // rows of a spatial net that is constant along the layers, read in the plane
        let read = |vertices: &[u32]| {
            let rows = step.rows(vertices, self.controls);
            if dimension == 3 { rows } else { collapse(&rows, self.controls / 4) }
        };
        let walker = step.walker();
        let mut siblings = Vec::new();
        for k in 1..1 << dimension {
            let sibling = match step.class(child(k)) {
                Class::Regular => {
                    let (net, ends) = net::regular(&walker, &frame(k));
                    // in the plane any one layer will do; layer 1 always exists
                    let net = if dimension == 3 { &net[..] } else { &net[16..32] };
                    let mut rows = read(net);
                    fold_phantoms(&mut rows, dimension, ends);
                    Sibling { rows, kind: SiblingKind::Tensor }
                }
                Class::Layered(turn) if dimension == 3 => {
                    let (turn, planar) = best_planar(&walker, &step.sharpness, child(k), turn);
                    let (net, ends) = planar.layers(&walker);
                    let mut rows = read(&net);
                    fold_layer_phantoms(&mut rows, planar.lines.len(), ends);
                    let planar = library.planar(&planar.key, depth + 1)?;
                    Sibling { rows, kind: SiblingKind::Layered { planar, turn } }
                }
                _ => return None,
            };
            siblings.push(sibling);
        }
        let (child_key, net) = if dimension == 3 {
            let net = net::spatial(&walker, &step.sharpness, &frame(0));
            (net.key, net.vertices)
        } else {
            let net = net::planar(&walker, &step.sharpness, &frame(0));
            (net.key, net.lines.iter().map(|line| line[0]).collect())
        };
        let rows = read(&net);
        let controls = rows.ncols();
        let next = if child_key == *key {
            Next::Stationary(Powers::new(rows))
        } else if dimension == 3 {
            Next::Then { step: rows, structure: library.spatial(&child_key, depth + 1)? }
        } else {
            Next::Then { step: rows, structure: library.planar(&child_key, depth + 1)? }
        };
        Some(Structure { dimension, controls, siblings, next, at_centre: OnceLock::new() })
    }
}

/// The better of the two planar walks of a layered cell: the smaller key.
pub(super) fn best_planar(
    walker: &Walker,
    sharpness: &Sharpness,
    cell: u32,
    turn: Turn,
) -> (Turn, net::Planar) {
    let swap = |[a, b, c]: [u8; 3]| [b, a, c];
    let flips = turn.flips;
    let other = Turn { axes: swap(turn.axes), flips: [flips[1], flips[0], flips[2]] };
    let [first, second] =
        [turn, other].map(|t| (t, net::planar(walker, sharpness, &walker.frame(cell, t))));
    if second.1.key < first.1.key { second } else { first }
}

/// One refinement step of a patch around its cell 0.
struct Step {
    refinement: Refinement,
    topology: Topology,
    sharpness: Sharpness,
    stars: Vec<crate::refine::Star>,
    // children of cell 0 by VTK corner
    children: [u32; 8],
}

impl Step {
    fn of(patch: &Patch) -> Option<Self> {
        let vtk = |cell: &[u16; 8]| {
            let mut corners = [0; 8];
            (0..8).for_each(|bits| corners[VTK_CORNER[bits]] = u32::from(cell[bits]));
            corners
        };
        let cells: Vec<_> = patch.cells.iter().map(vtk).collect();
        let mut creases = Creases::default();
        for &[a, b] in &patch.sharp_edges {
            creases.push_edge(a.into(), b.into(), f64::INFINITY);
        }
        for &v in &patch.pinned {
            creases.push_corner(v.into(), f64::INFINITY);
        }
        let topology = Topology::build(hexahedra(&cells), patch.controls).ok()?;
        let sharpness = Sharpness::resolve(&creases, &topology).ok()?;
        let coarse_stars = stars(&topology, &sharpness);
        let rule = VertexRule::LayerConsistent;
        let refinement = refine(&topology, &sharpness, &coarse_stars, rule, Some(&[0]));
        let topology =
            Topology::build(hexahedra(&refinement.cells), refinement.stencils.len()).ok()?;
        let sharpness = Sharpness::resolve(&refinement.creases, &topology).ok()?;
        let stars = stars(&topology, &sharpness);
        let mut children = [0; 8];
        for (i, &(parent, corner)) in refinement.parents.iter().enumerate() {
            if parent == 0 {
                children[corner as usize] = i as u32;
            }
        }
        Some(Self { refinement, topology, sharpness, stars, children })
    }

    fn walker(&self) -> Walker<'_> {
        Walker::new(&self.topology)
    }

    fn class(&self, cell: u32) -> Class {
        let corners = &self.refinement.cells[cell as usize];
        classify(&self.topology, &self.sharpness, &self.stars, corners)
    }

    /// Stencils of refined vertices as dense rows over the patch's control points.
    fn rows(&self, vertices: &[u32], controls: usize) -> Mat<f64> {
        let mut rows = Mat::zeros(vertices.len(), controls);
        for (i, &v) in vertices.iter().enumerate() {
            for (column, weight) in self.refinement.stencils.row(v as usize) {
                rows[(i, column as usize)] = weight;
            }
        }
        rows
    }
}

/// Adds up the layers of rows over an extruded patch: its planar rows, because the
/// weights along the layers sum to 1.
fn collapse(rows: &Mat<f64>, lines: usize) -> Mat<f64> {
    Mat::from_fn(rows.nrows(), lines, |i, j| (0..4).map(|layer| rows[(i, layer * lines + j)]).sum())
}

/// Replaces missing layers of a tensor net's rows by p₋₁ = 2p₀ − p₁ (u, then v, then w).
fn fold_phantoms(rows: &mut Mat<f64>, dimension: usize, ends: net::Ends) {
    for d in 0..dimension {
        let stride = 4_usize.pow(d as u32);
        for side in (0..2).filter(|side| ends >> (2 * d + side) & 1 == 1) {
            for at in (0..rows.nrows()).filter(|at| at / stride % 4 == 3 * side) {
                let inward =
                    |steps| if side == 0 { at + steps * stride } else { at - steps * stride };
                for j in 0..rows.ncols() {
                    rows[(at, j)] = 2.0 * rows[(inward(1), j)] - rows[(inward(2), j)];
                }
            }
        }
    }
}

/// The same for the layers of `[layer 4][line]` rows.
fn fold_layer_phantoms(rows: &mut Mat<f64>, lines: usize, ends: net::Ends) {
    for line in 0..lines {
        for j in 0..rows.ncols() {
            if ends & 1 == 1 {
                rows[(line, j)] = 2.0 * rows[(lines + line, j)] - rows[(2 * lines + line, j)];
            }
            if ends & 2 == 2 {
                rows[(3 * lines + line, j)] =
                    2.0 * rows[(2 * lines + line, j)] - rows[(lines + line, j)];
            }
        }
    }
}

/// Offsets of VTK corners and binary corners agree; checked at compile time.
const _: () = {
    let mut bits = 0;
    while bits < 8 {
        let offset = CORNERS[VTK_CORNER[bits]];
        assert!(offset[0] + 2 * offset[1] + 4 * offset[2] == bits);
        bits += 1;
    }
};

//! Structures: limit evaluation near one extraordinary point, shared by all cells
//! of equal local topology, of solids and of surfaces.
//!
//! # Theory
//! Split a cell with its extraordinary point at the local origin. All children
//! but the one at the origin (the *siblings*) have nets that are evaluated
//! directly; the child at the origin has the cell's own topology again. With A
//! the net's rows of the origin child and Āₖ of sibling k, a point in
//! sibling k at depth n is p = Cᵀ (Aᵀ)ⁿ⁻¹ Āₖᵀ N(φₖₙ(u, v, w)) (Besler et al. 2022,
//! Eq. 3; Stam 1998 in the plane). Missing boundary layers of a sibling are folded
//! into Āₖ as phantom rows p₋₁ = 2p₀ − p₁, so N is always the full spline basis.
//!
//! # Changes versus the papers
//! The rows come from the refinement rules themselves, run on the net as a small
//! mesh. Where the cell's far side is boundary the first child sees a layer that
//! the cell does not: then the first step differs from the following ones, and the
//! structure is one step followed by the structure of its child.

mod axis_permutation;
mod block;
mod characteristic;
pub(super) mod eigenstructure;
mod net_rows;
mod powers;
mod rows;
mod sibling_rows;
mod sparse_rows;
mod split;
mod store;

pub use axis_permutation::AxisPermutation;
pub(crate) use net_rows::NetRows;
pub(super) use powers::limit_mask;
pub use powers::{Form, MAX_DEPTH, Powers, PowersReport};
use sparse_rows::SparseRows;
pub(crate) use store::{NetKey, StructureStore};

use std::sync::{Arc, OnceLock};

use rows::DenseRows;

use crate::basis::box_spline;
use crate::basis::bspline::{self, Order};

/// Derivative order along each local axis.
pub type Orders = [Order; 3];

/// What local parameters run over, the extraordinary point at the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// [0, 1]².
    Square,
    /// [0, 1]³.
    Cube,
    /// u, v ≥ 0, u + v ≤ 1.
    Triangle,
}

impl Domain {
    /// Number of parameters.
    pub(crate) fn dimension(self) -> usize {
        if self == Self::Cube { 3 } else { 2 }
    }
}

/// The limit around one extraordinary point: of a planar net (two parameters) or
/// of a spatial one (three).
#[derive(Debug)]
pub struct Structure {
    domain: Domain,
    // [row][control point] of the points of all siblings
    rows: SparseRows,
    // sibling k at [k - 1]; k in binary is its offset along the local axes
    siblings: Vec<Sibling>,
    next: NextLevel,
    // first derivatives at the extraordinary point, where they exist
    at_center: OnceLock<[Option<Vec<f64>>; 3]>,
    // those in the characteristic parametrization
    characteristic: OnceLock<Option<Vec<Vec<f64>>>>,
}

/// A child of the cell beside the one at the extraordinary point.
#[derive(Debug)]
pub(crate) struct Sibling {
    // rows of its net in the structure
    pub(super) net: Vec<u16>,
    pub(super) kind: SiblingKind,
}

#[derive(Debug)]
pub(super) enum SiblingKind {
    // rows [w][v][u] of a 4 × 4 (× 4) net
    Tensor,
    // rows of the 12 points of a quartic box spline; the middle child of a triangle
    // lies in it rotated by half a turn
    BoxSpline { rotated: bool },
    // rows [layer 4][line]
    Layered { planar: Arc<Structure>, permutation: AxisPermutation },
}

/// Where local parameters lie among the siblings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiblingPlace {
    /// How often the cell is split until a sibling holds the parameters, ≥ 1.
    pub depth: usize,
    /// The sibling: its offset along the local axes in binary, not 0.
    pub child: usize,
    /// Parameters within the sibling.
    pub local: [f64; 3],
}

/// What follows one refinement.
#[derive(Debug)]
pub(crate) enum NextLevel {
    /// The child at the origin has the same net.
    Stationary(Box<Powers>),
    /// The child at the origin has another net, given by these rows.
    Then { step: SparseRows, structure: Arc<Structure> },
}

impl Structure {
    /// A structure from the nets of the siblings, at offsets 1, 2, … of the domain's
    /// children, their rows, and what follows.
    pub(crate) fn of_parts(
        domain: Domain,
        rows: SparseRows,
        siblings: Vec<Sibling>,
        next: NextLevel,
    ) -> Self {
        let (at_center, characteristic) = (OnceLock::new(), OnceLock::new());
        Self { domain, rows, siblings, next, at_center, characteristic }
    }

    /// Number of control points of the net.
    pub fn controls(&self) -> usize {
        self.rows.columns()
    }

    /// The rows of a sibling's net, `[row of the net][control point]`.
    fn rows_of(&self, sibling: &Sibling) -> SparseRows {
        self.rows.selected(&sibling.net)
    }

    /// The powers at the end of the chain of first steps.
    pub fn powers(&self) -> &Powers {
        match &self.next {
            NextLevel::Stationary(powers) => powers,
            NextLevel::Then { structure, .. } => structure.powers(),
        }
    }

    /// Number of refinement steps before the net repeats itself.
    pub fn first_steps(&self) -> usize {
        match &self.next {
            NextLevel::Stationary(_) => 0,
            NextLevel::Then { structure, .. } => 1 + structure.first_steps(),
        }
    }

    /// The planar structure of the layered part that is sibling `child` (binary, not 0) of a
    /// cell split `depth` ≥ 1 times, and how its axes lie; `None` for a tensor-product spline.
    pub(crate) fn layered_sibling(
        &self,
        depth: usize,
        child: usize,
    ) -> Option<(&Self, AxisPermutation)> {
        self.owner(depth)?.sibling_planar(child)
    }

    /// The planar structure of the layered part at offset `child` (binary, not 0), and how its
    /// axes lie; `None` if that part is a tensor-product spline.
    pub(crate) fn sibling_planar(&self, child: usize) -> Option<(&Self, AxisPermutation)> {
        match &self.siblings.get(child.checked_sub(1)?)?.kind {
            SiblingKind::Tensor | SiblingKind::BoxSpline { .. } => None,
            SiblingKind::Layered { planar, permutation } => Some((planar, *permutation)),
        }
    }

    /// How the axes of the layered part at offset `child` (binary, not 0) lie;
    /// `None` if that part is a tensor-product spline.
    pub fn sibling_permutation(&self, child: usize) -> Option<AxisPermutation> {
        self.sibling_planar(child).map(|(_, permutation)| permutation)
    }

    /// Weights of the control points for the limit, or a derivative of it, at the
    /// local parameters `p` (two or three in [0, 1], the extraordinary point at the
    /// origin). Within 2⁻⁵² of the extraordinary point counts as on it.
    ///
    /// `None` where the derivative does not exist. At the extraordinary point a first
    /// derivative is the one limit that all ways toward it share, if they do;
    /// [`Order::Characteristic`] has the one in the characteristic parametrization, where it
    /// exists. Second derivatives are not looked for there.
    pub fn weights(&self, p: [f64; 3], orders: Orders) -> Option<Vec<f64>> {
        let Some(SiblingPlace { depth, child, local }) = self.place(p) else {
            return self.center_weights(orders);
        };
        let mut weights = self.siblings[child - 1].weights(self.dimension(), local, orders)?;
        let order = self.total_order(orders);
        let magnified = (depth as f64).exp2().powi(order as i32);
        weights.iter_mut().for_each(|w| *w *= magnified);
        let sum = if order == 0 { 1.0 } else { 0.0 };
        Some(self.pull(depth, child, &weights, sum))
    }

    /// The sibling that holds the local parameters `p`; `None` within 2⁻⁵² of the
    /// extraordinary point.
    pub fn place(&self, p: [f64; 3]) -> Option<SiblingPlace> {
        let axes = 0..self.dimension();
        let far = match self.domain {
            Domain::Triangle => p[0] + p[1],
            _ => axes.clone().map(|d| p[d]).fold(0.0, f64::max),
        };
        // far · 2ⁿ in (1, 2]
        let depth = if far > 0.0 { (-far.log2()).floor() as i64 + 1 } else { i64::MAX };
        let depth = match depth {
            n if n > MAX_DEPTH as i64 => return None,
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
        if self.domain == Domain::Triangle && child == 0 {
            // neither corner: the middle, seen from the middle of the far side
            child = MIDDLE;
            (0..2).for_each(|d| local[d] = 1.0 - local[d]);
        }
        Some(SiblingPlace { depth, child, local })
    }

    /// Order of a derivative: the sum of its orders along the structure's axes.
    pub(super) fn total_order(&self, orders: Orders) -> u32 {
        orders[..self.dimension()].iter().map(|o| o.degree() as u32).sum()
    }

    /// Weights at the extraordinary point.
    pub(super) fn center_weights(&self, orders: Orders) -> Option<Vec<f64>> {
        let mut axes = (0..self.dimension()).filter(|&d| orders[d] != Order::Value);
        let Some(axis) = axes.next() else { return Some(self.mask()) };
        if self.total_order(orders) > 1 {
            return None;
        }
        if orders[axis] == Order::Characteristic
            && let Some(rows) = self.characteristic()
        {
            return Some(rows[axis].clone());
        }
        self.at_center.get_or_init(|| self.center_derivatives())[axis].clone()
    }

    /// The structure on whose extraordinary point the local parameters `p` lie: this one, or the
    /// planar one of a sibling, on its edge.
    pub(super) fn centered_at(&self, p: [f64; 3]) -> Option<&Self> {
        let Some(SiblingPlace { child, depth, local }) = self.place(p) else { return Some(self) };
        let (planar, permutation) = self.layered_sibling(depth, child)?;
        planar.centered_at(permutation.local(local))
    }

    /// Whether the limit at the extraordinary point has a differential in the characteristic
    /// parametrization.
    pub fn has_differential(&self) -> bool {
        self.characteristic().is_some()
    }

    /// First derivatives at the extraordinary point. Far down, the weights of a
    /// derivative at depth n approach the limit of (2D)ⁿ; if that exists, and
    /// all siblings see one and the same derivative in it, this is it.
    fn center_derivatives(&self) -> [Option<Vec<f64>>; 3] {
        let powers = match &self.next {
            NextLevel::Then { step, structure } => {
                // the child's parameters run twice as fast
                return std::array::from_fn(|axis| {
                    let mut orders = [Order::Value; 3];
                    orders[axis] = Order::First;
                    let weights = structure.center_weights(orders)?;
                    Some(step.transposed_product(&weights).iter().map(|w| 2.0 * w).collect())
                });
            }
            NextLevel::Stationary(powers) => powers,
        };
        let Some(limit) = powers.doubled_limit() else { return [const { None }; 3] };
        let limit = DenseRows::of(&limit);
        std::array::from_fn(|axis| {
            if axis >= self.dimension() {
                return None;
            }
            let mut orders = [Order::Value; 3];
            orders[axis] = Order::First;
            let mut common: Option<Vec<f64>> = None;
            for sibling in &self.siblings {
                for place in 0..8 {
                    let p = std::array::from_fn(|d| if place >> d & 1 == 1 { 0.7 } else { 0.2 });
                    let weights = sibling.weights(self.dimension(), p, orders)?;
                    let weights = self.rows.transposed_product_of(&sibling.net, &weights);
                    let weights = limit.transposed_product(&weights);
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
    pub(super) fn mask(&self) -> Vec<f64> {
        match &self.next {
            NextLevel::Stationary(powers) => powers.mask().to_vec(),
            NextLevel::Then { step, structure } => step.transposed_product(&structure.mask()),
        }
    }

    /// Brings weights of the net of sibling `child` at `depth` back to this net's.
    fn pull(&self, depth: usize, child: usize, weights: &[f64], sum: f64) -> Vec<f64> {
        let own = || self.rows.transposed_product_of(&self.siblings[child - 1].net, weights);
        if depth == 1 {
            return own();
        }
        match &self.next {
            NextLevel::Stationary(powers) => {
                let mut x = own();
                powers.apply_transposed(depth - 1, &mut x, sum);
                x
            }
            NextLevel::Then { step, structure } => {
                step.transposed_product(&structure.pull(depth - 1, child, weights, sum))
            }
        }
    }
}

/// The child in the middle of a triangle; 1 and 2 lie at its other corners.
pub(crate) const MIDDLE: usize = 3;

impl Sibling {
    /// A tensor-product spline, `net`: the rows of its points `[w][v][u]`.
    pub(crate) fn tensor(net: Vec<u16>) -> Self {
        Self { net, kind: SiblingKind::Tensor }
    }

    /// A quartic box spline, `net`: the rows of its 12 points; `rotated` in the middle of a
    /// triangle.
    pub(crate) fn box_spline(net: Vec<u16>, rotated: bool) -> Self {
        Self { net, kind: SiblingKind::BoxSpline { rotated } }
    }

    /// Weights of the sibling's net at its own parameters `p`.
    pub(super) fn weights(
        &self,
        dimension: usize,
        p: [f64; 3],
        orders: Orders,
    ) -> Option<Vec<f64>> {
        match &self.kind {
            SiblingKind::Tensor => Some(tensor_weights(dimension, p, orders)),
            SiblingKind::BoxSpline { rotated } => Some(box_weights(*rotated, p, orders).to_vec()),
            SiblingKind::Layered { planar, permutation } => {
                layered_weights(planar, *permutation, p, orders)
            }
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

/// Weights of the 12 points of a box spline, its axes rotated by half a turn or not.
pub(super) fn box_weights(rotated: bool, p: [f64; 3], orders: Orders) -> [f64; 12] {
    let orders = [orders[0].degree(), orders[1].degree()];
    let weights = box_spline::weights(orders, [p[0], p[1]]);
    if rotated && (orders[0] + orders[1]) % 2 == 1 { weights.map(|w| -w) } else { weights }
}

/// Weights `[layer 4][line]` of a layered net, `p` in the cell's own axes.
pub fn layered_weights(
    planar: &Structure,
    permutation: AxisPermutation,
    p: [f64; 3],
    orders: Orders,
) -> Option<Vec<f64>> {
    let local = permutation.local(p);
    let local_orders = permutation.axes.map(|a| orders[a as usize]);
    let across = planar.weights(local, local_orders)?;
    let along = bspline::weights(local_orders[2], local[2]);
    let sign = if permutation.odd(local_orders) { -1.0 } else { 1.0 };
    Some(along.iter().flat_map(|b| across.iter().map(move |w| sign * b * w)).collect())
}

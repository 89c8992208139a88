//! Eigenstructures: the matrices E of Besler et al. (2022) that take the spline basis of
//! one tensor-product part of a cell to the weights of the cell's control points.
//!
//! # Theory
//! By Eq. 3 the weights of a limit point are E b(u, v, w): b is the basis of the part k
//! that holds the point after n splits, E = Eₖₙ the same for all points of that part, and
//! for a derivative b is differentiated instead, while E grows by 2ⁿ an order.
//!
//! # Changes versus the paper
//! A layered part of an irregular cell has its own planar eigenstructure, one more product
//! (E₂ b_uv) ⊗ b_w for every point. Here E takes it in: for each part of the planar net
//! there is one E over the 64 functions b_uv ⊗ b_w, so that all parts are alike.
//! Points on the extraordinary point or edge itself, to which no part comes, take the
//! constant function for the basis across it and their weights for E.

use faer::Mat;

use super::{Orders, SiblingKind, SiblingPlace, Structure};
use crate::basis::bspline::Order;

/// A part of a cell on which the limit is one tensor-product spline; in the plane, of a
/// layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SplinePart {
    /// How often the cell is split, and the sibling taken; `None` for the extraordinary
    /// point itself.
    sibling: Option<(usize, usize)>,
    /// The spline in the planar net of a layered sibling.
    planar: PlanarSource,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum PlanarSource {
    None,
    Edge,
    Sibling(usize, usize),
}

/// The basis functions of one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Four cubic splines, differentiated so often.
    Spline(Order),
    /// 1, 0, 0, 0: the parameter does not matter.
    Constant,
}

impl SplinePart {
    /// Whether this is the extraordinary point, where E has one column that is not 0.
    pub fn is_point(&self) -> bool {
        self.sibling.is_none()
    }

    /// Whether E depends on the sum of the orders alone.
    pub fn is_plain(&self) -> bool {
        self.sibling.is_some() && self.planar == PlanarSource::None
    }
}

impl Structure {
    /// The part that holds the local parameters `p`, and the parameters within it.
    pub fn spline_part(&self, p: [f64; 3]) -> (SplinePart, [f64; 3]) {
        let Some(SiblingPlace { depth, child, local }) = self.place(p) else {
            return (SplinePart { sibling: None, planar: PlanarSource::None }, p);
        };
        let sibling = Some((depth, child));
        match self.kind_of(depth, child) {
            Some(SiblingKind::Layered { planar, permutation }) => {
                let local = permutation.local(local);
                match planar.place(local) {
                    None => (SplinePart { sibling, planar: PlanarSource::Edge }, local),
                    Some(place) => {
                        let planar = PlanarSource::Sibling(place.depth, place.child);
                        (SplinePart { sibling, planar }, place.local)
                    }
                }
            }
            _ => (SplinePart { sibling, planar: PlanarSource::None }, local),
        }
    }

    /// The functions along each parameter of a part for a derivative of the given `orders`
    /// along the structure's own axes.
    pub fn basis(&self, part: SplinePart, orders: Orders) -> [Basis; 3] {
        let mut basis = orders.map(Basis::Spline);
        match part.sibling.and_then(|(depth, child)| self.kind_of(depth, child)) {
            None => basis[..self.dimension()].fill(Basis::Constant),
            Some(SiblingKind::Tensor | SiblingKind::BoxSpline { .. }) => {}
            Some(SiblingKind::Layered { permutation, .. }) => {
                basis = permutation.axes.map(|a| Basis::Spline(orders[a as usize]));
                if part.planar == PlanarSource::Edge {
                    basis[..2].fill(Basis::Constant);
                }
            }
        }
        basis
    }

    /// E of a part for a derivative of the given `orders` along the structure's own axes:
    /// `[control point][basis function]`, functions `[w 4][v 4][u 4]` (in the plane
    /// `[v 4][u 4]`) of [`Structure::basis`]; NaN where the derivative does not exist.
    pub fn eigenstructure(&self, part: SplinePart, orders: Orders) -> Mat<f64> {
        let functions = 4_usize.pow(self.dimension() as u32);
        let Some((depth, child)) = part.sibling else {
            let weights = self.center_weights(orders);
            let weight = |i: usize| weights.as_ref().map_or(f64::NAN, |weights| weights[i]);
            let entry = |i: usize, j: usize| if j == 0 { weight(i) } else { 0.0 };
            return Mat::from_fn(self.controls(), functions, entry);
        };
        // [row of the sibling's net][control point]
        let rows = self.magnified_rows(depth, child, self.total_order(orders));
        let Some(SiblingKind::Layered { planar, permutation }) = self.kind_of(depth, child) else {
            return rows.transpose().to_owned();
        };
        let orders = permutation.axes.map(|a| orders[a as usize]);
        let sign = if permutation.odd(orders) { -1.0 } else { 1.0 };
        let sibling = match part.planar {
            PlanarSource::Sibling(depth, child) => Some((depth, child)),
            PlanarSource::Edge | PlanarSource::None => None,
        };
        // [line][16]
        let across =
            planar.eigenstructure(SplinePart { sibling, planar: PlanarSource::None }, orders);
        let lines = planar.controls();
        let mut matrix = Mat::zeros(self.controls(), functions);
        for layer in 0..4 {
            let own = rows.subrows(layer * lines, lines).transpose() * &across;
            for j in 0..16 {
                for i in 0..self.controls() {
                    matrix[(i, 16 * layer + j)] = sign * own[(i, j)];
                }
            }
        }
        matrix
    }

    fn kind_of(&self, depth: usize, child: usize) -> Option<&SiblingKind> {
        Some(&self.owner(depth)?.siblings.get(child.checked_sub(1)?)?.kind)
    }

    /// The net of a sibling for derivatives of a total order.
    fn magnified_rows(&self, depth: usize, child: usize, order: u32) -> Mat<f64> {
        let rows = match order {
            0 => self.sibling_rows(child, depth),
            _ => self.sibling_deviations(child, depth),
        };
        let scale = (depth as f64).exp2().powi(order as i32);
        rows.map_or_else(|| Mat::zeros(0, self.controls()), |rows| scale * rows)
    }
}

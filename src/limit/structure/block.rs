//! Weights at many parameters of a structure at once, by matrix products.

use faer::Mat;

use super::axis_permutation::AxisPermutation;
use super::{Orders, Sibling, SiblingKind, SiblingPlace, Structure, box_weights};
use crate::basis::bspline;

impl Structure {
    /// [`Structure::weights`] at every one of `points`, to rounding:
    /// `[point][control point]`, NaN where the derivative does not exist.
    ///
    /// Quicker by far than one by one: points of one sibling at one depth share its
    /// rows, points of one depth the power of the local subdivision matrix.
    pub(crate) fn weights_at(&self, points: &[[f64; 3]], orders: Orders) -> Mat<f64> {
        let mut weights = Mat::zeros(points.len(), self.controls());
        let mut placed: Vec<(usize, SiblingPlace)> = Vec::with_capacity(points.len());
        let mut center = None;
        for (i, &p) in points.iter().enumerate() {
            if let Some(place) = self.place(p) {
                placed.push((i, place));
            } else {
                let row = center.get_or_insert_with(|| self.center_weights(orders));
                for j in 0..self.controls() {
                    weights[(i, j)] = row.as_ref().map_or(f64::NAN, |row| row[j]);
                }
            }
        }
        placed.sort_by_key(|(_, place)| (place.depth, place.child));
        let order = self.total_order(orders);
        let sum = if order == 0 { 1.0 } else { 0.0 };
        for level in placed.chunk_by(|(_, a), (_, b)| a.depth == b.depth) {
            let depth = level[0].1.depth;
            let pulled = self.pull_rows(depth, self.rows_at(depth, level, orders), sum);
            let scale = (depth as f64).exp2().powi(order as i32);
            for j in 0..self.controls() {
                let (to, from) = (weights.col_as_slice_mut(j), pulled.col_as_slice(j));
                for ((i, _), from) in level.iter().zip(from) {
                    to[*i] = scale * from;
                }
            }
        }
        // sparse products leave 0 where a row has no entry, also of a point whose derivative does
        // not exist
        let mut sums = vec![0.0; points.len()];
        for j in 0..self.controls() {
            sums.iter_mut().zip(weights.col_as_slice(j)).for_each(|(sum, weight)| *sum += weight);
        }
        for (i, _) in sums.iter().enumerate().filter(|(_, sum)| sum.is_nan()) {
            (0..self.controls()).for_each(|j| weights[(i, j)] = f64::NAN);
        }
        weights
    }

    /// Weights of points of one depth over the net that its siblings refine,
    /// `[point][control point]`.
    fn rows_at(&self, depth: usize, points: &[(usize, SiblingPlace)], orders: Orders) -> Mat<f64> {
        let Some(owner) = self.owner(depth) else { return Mat::zeros(points.len(), 0) };
        let mut rows = Mat::zeros(points.len(), owner.controls());
        let mut first = 0;
        for group in points.chunk_by(|(_, a), (_, b)| a.child == b.child) {
            let sibling = &owner.siblings[group[0].1.child - 1];
            let locals: Vec<_> = group.iter().map(|(_, place)| place.local).collect();
            let weights = sibling.weights_at(self.dimension(), &locals, orders);
            let own = owner.rows_of(sibling).product_from_left(&weights);
            rows.subrows_mut(first, group.len()).copy_from(own);
            first += group.len();
        }
        rows
    }
}

impl Sibling {
    /// [`Sibling::weights`] at many points, `[point][row of the net]`.
    fn weights_at(&self, dimension: usize, points: &[[f64; 3]], orders: Orders) -> Mat<f64> {
        match &self.kind {
            SiblingKind::Tensor => {
                let bases: Vec<[[f64; 4]; 3]> = points
                    .iter()
                    .map(|p| [0, 1, 2].map(|d| bspline::weights(orders[d], p[d])))
                    .collect();
                Mat::from_fn(points.len(), 4_usize.pow(dimension as u32), |i, at| {
                    let [u, v, w] = &bases[i];
                    let plane = u[at % 4] * v[at / 4 % 4];
                    if dimension == 3 { plane * w[at / 16] } else { plane }
                })
            }
            SiblingKind::BoxSpline { rotated } => {
                let weights: Vec<_> =
                    points.iter().map(|&p| box_weights(*rotated, p, orders)).collect();
                Mat::from_fn(points.len(), 12, |i, at| weights[i][at])
            }
            SiblingKind::Layered { planar, permutation } => {
                layered_at(planar, *permutation, points, orders)
            }
        }
    }
}

/// [`super::layered_weights`] at many points, `[point][layer 4 · line]`.
fn layered_at(
    planar: &Structure,
    permutation: AxisPermutation,
    points: &[[f64; 3]],
    orders: Orders,
) -> Mat<f64> {
    let locals: Vec<_> = points.iter().map(|&p| permutation.local(p)).collect();
    let local_orders = permutation.axes.map(|a| orders[a as usize]);
    let across = planar.weights_at(&locals, local_orders);
    let sign = if permutation.odd(local_orders) { -1.0 } else { 1.0 };
    let along: Vec<[f64; 4]> =
        locals.iter().map(|p| bspline::weights(local_orders[2], p[2]).map(|b| sign * b)).collect();
    let lines = planar.controls();
    Mat::from_fn(points.len(), 4 * lines, |i, at| along[i][at / lines] * across[(i, at % lines)])
}

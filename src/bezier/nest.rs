//! Nets around extraordinary points and edges, split repeatedly.
//!
//! # Theory
//! Split a cell with its extraordinary point at the local origin: all children but the
//! one at the origin are tricubic (exact Bézier pieces), or have an extraordinary edge;
//! the child at the origin has such a net again, half as large in parameters. Around an
//! extraordinary edge the net is planar, and each of its points a cubic along the edge,
//! held by its four Bézier points: the same splits in the plane make pieces that all
//! reach from one end of the edge to the other.
//!
//! A split is a few small products of matrices, whatever the depth. Values may be of any
//! width: positions, attributes, or the rows of an identity, which make weights.

use faer::Mat;

use super::along_element;
use super::convert::{bezier_layers, tensor_points, to_bezier};
use super::remainder::Remainder;
use super::rings::LocalBox;
use crate::basis::MissingLayers;
use crate::limit::{AxisPermutation, Structure};

/// A net around an extraordinary point or edge.
#[derive(Clone, Debug)]
pub(crate) struct Nest<'s> {
    structure: &'s Structure,
    // [control][width]; at an edge [line][Bézier point along the edge][width]
    net: Mat<f64>,
    width: usize,
    // how its axes lie in the element's
    permutation: AxisPermutation,
    /// Box of the net in the element's parameters.
    pub part: LocalBox,
}

/// What one split makes.
#[derive(Debug)]
pub(crate) struct NestSplit<'s> {
    /// All children but one, in the order of their offsets.
    pub siblings: Vec<NestSibling<'s>>,
    /// The child at the extraordinary point or edge.
    pub inner: Nest<'s>,
}

/// A child beside the extraordinary point.
#[derive(Debug)]
pub(crate) enum NestSibling<'s> {
    /// Exact: its box, and its Bézier points `[w][v][u][width]` along the element's axes.
    Piece(LocalBox, Vec<f64>),
    /// Around an extraordinary edge.
    Edge(Nest<'s>),
}

impl<'s> Nest<'s> {
    /// Around a point: values `[control][width]` at the net of a spatial structure.
    pub(crate) fn at_point(
        structure: &'s Structure,
        values: &[f64],
        width: usize,
        permutation: AxisPermutation,
        part: LocalBox,
    ) -> Self {
        let net = Mat::from_fn(values.len() / width, width, |i, c| values[i * width + c]);
        Self { structure, net, width, permutation, part }
    }

    /// Around an edge: values `[layer 4][line][width]` at the layered net of a planar
    /// structure; `ends` says which layers are missing.
    pub(crate) fn along_edge(
        structure: &'s Structure,
        values: Vec<f64>,
        width: usize,
        permutation: AxisPermutation,
        ends: MissingLayers,
        part: LocalBox,
    ) -> Self {
        let layers = bezier_layers(values, width, ends);
        let lines = layers.len() / (4 * width);
        let net = Mat::from_fn(lines, 4 * width, |line, c| {
            layers[(c / width * lines + line) * width + c % width]
        });
        Self { structure, net, width, permutation, part }
    }

    /// Whether it is around an edge.
    pub(crate) fn is_edge(&self) -> bool {
        self.structure.dimension() == 2
    }

    /// The axis of the element along the edge, and whether the edge runs against it.
    pub(crate) fn edge_axis(&self) -> (usize, bool) {
        (self.permutation.axes[2] as usize, self.permutation.flips[2])
    }

    /// The element's parameters of the extraordinary point, or of the edge's first end.
    pub fn origin(&self) -> [f64; 3] {
        let mut origin = self.part.origin;
        for (axis, flip) in self.permutation.axes.into_iter().zip(self.permutation.flips) {
            let axis = axis as usize;
            origin[axis] += if flip { self.part.size[axis] } else { 0.0 };
        }
        origin
    }

    /// The limit at the extraordinary point, `[width]`; of an edge the Bézier points of
    /// its curve, `[4][width]`.
    pub fn center(&self) -> Vec<f64> {
        self.structure.center(&self.net)
    }

    /// Splits it once.
    pub fn split(&self) -> NestSplit<'s> {
        let dimension = self.structure.dimension();
        let sibling = |child: usize| {
            let part = self.child_part(child);
            let net = self.structure.sibling_net(child, &self.net);
            match self.structure.sibling_planar(child) {
                None => NestSibling::Piece(part, self.spline_points(&net)),
                Some((planar, permutation)) => {
                    let permutation = self.permutation.of(permutation);
                    let values = rows(&net);
                    NestSibling::Edge(Self::along_edge(
                        planar,
                        values,
                        self.width,
                        permutation,
                        MissingLayers::NONE,
                        part,
                    ))
                }
            }
        };
        let siblings = (1..1 << dimension).map(sibling).collect();
        let (structure, net) = self.structure.inner_net(&self.net);
        let part = LocalBox { exact: false, ..self.child_part(0) };
        NestSplit { siblings, inner: Self { structure, net, part, ..*self } }
    }

    /// The structure whose remainder it is.
    pub fn structure(&self) -> &'s Structure {
        self.structure
    }

    /// Bézier points `[w][v][u][width]` of the tricubic piece that interpolates it.
    pub fn interpolation(&self, remainder: &Remainder) -> Vec<f64> {
        self.along_axes(rows(&(&remainder.nodes * &self.net)))
    }

    /// The largest length of the errors of [`Nest::interpolation`] at samples of it.
    pub fn error(&self, remainder: &Remainder) -> f64 {
        // along an edge it is a Bézier curve, below its largest control value
        let errors = rows(&(remainder.errors(self.structure()) * &self.net));
        let lengths = errors.chunks_exact(self.width).map(|e| e.iter().map(|x| x * x).sum());
        lengths.fold(0.0, f64::max).sqrt()
    }

    /// Takes the same off all values: `offset` `[width]`.
    pub(crate) fn move_back(&mut self, offset: &[f64]) {
        for c in 0..self.net.ncols() {
            let by = offset[c % self.width];
            self.net.col_as_slice_mut(c).iter_mut().for_each(|x| *x -= by);
        }
    }

    /// How far the net lies around its center (`[width]`, or `[4][width]`) at most; the
    /// limit of it lies within.
    pub fn radius(&self, center: &[f64]) -> f64 {
        let (mut largest, width) = (0.0_f64, self.width);
        for control in 0..self.net.nrows() {
            for group in 0..self.net.ncols() / width {
                let off =
                    |c: usize| self.net[(control, group * width + c)] - center[group * width + c];
                largest = largest.max((0..width).map(|c| off(c) * off(c)).sum());
            }
        }
        largest.sqrt()
    }

    /// The least of n · p over the control points p, for positions: no limit of it lies below.
    pub(crate) fn least_along(&self, [x, y, z]: [f64; 3]) -> f64 {
        // some at a time: comparisons that do not wait for each other
        let mut least = [f64::INFINITY; 8];
        for group in 0..self.net.ncols() / self.width {
            let column = |c: usize| self.net.col_as_slice(group * self.width + c).chunks(8);
            for ((xs, ys), zs) in column(0).zip(column(1)).zip(column(2)) {
                for (((least, &px), &py), &pz) in least.iter_mut().zip(xs).zip(ys).zip(zs) {
                    let along = x * px + y * py + z * pz;
                    *least = if along < *least { along } else { *least };
                }
            }
        }
        least.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// The box of the control points, for positions: the limit lies in it.
    pub(crate) fn bounds(&self) -> [[f64; 3]; 2] {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for column in 0..self.net.ncols() {
            let d = column % self.width;
            for &x in self.net.col_as_slice(column) {
                bounds[0][d] = bounds[0][d].min(x);
                bounds[1][d] = bounds[1][d].max(x);
            }
        }
        bounds
    }

    /// Bytes of its values.
    pub fn bytes(&self) -> usize {
        size_of::<f64>() * self.net.nrows() * self.net.ncols()
    }

    /// The box of a child.
    fn child_part(&self, child: usize) -> LocalBox {
        let mut own = LocalBox::WHOLE;
        for d in 0..self.structure.dimension() {
            own.size[d] = 0.5;
            own.origin[d] = 0.5 * (child >> d & 1) as f64;
        }
        own.permuted(self.permutation).within_box(&self.part)
    }

    /// Bézier points along the element's axes from a tensor net of B-spline values.
    fn spline_points(&self, net: &Mat<f64>) -> Vec<f64> {
        let mut values = rows(net);
        if self.is_edge() {
            // [v][u][along the edge][width]
            (0..2).for_each(|d| {
                to_bezier(&mut values, (4 * self.width) << (2 * d), MissingLayers::NONE)
            });
            return self.along_axes(values);
        }
        self.along_axes(tensor_points(values, self.width, MissingLayers::NONE))
    }

    /// Rows `[w][v][u][width]` of its own axes, or `[v][u][along the edge][width]`, along
    /// the element's.
    fn along_axes(&self, points: Vec<f64>) -> Vec<f64> {
        if !self.is_edge() {
            return along_element(self.permutation, &points, self.width);
        }
        let width = self.width;
        let mut layers = Vec::with_capacity(points.len());
        for layer in 0..4 {
            for place in points.chunks_exact(4 * width) {
                layers.extend_from_slice(&place[layer * width..][..width]);
            }
        }
        along_element(self.permutation, &layers, width)
    }
}

/// The entries row by row.
fn rows(matrix: &Mat<f64>) -> Vec<f64> {
    let mut values = Vec::with_capacity(matrix.nrows() * matrix.ncols());
    (0..matrix.nrows()).for_each(|i| values.extend((0..matrix.ncols()).map(|j| matrix[(i, j)])));
    values
}

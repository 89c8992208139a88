//! What remains at an extraordinary point after all rings: one interpolating piece.
//!
//! The remainder of any ring is the whole of a net again, so that one table a structure
//! serves any number of rings.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use faer::Mat;

use crate::basis::{bernstein, bspline::Order};
use crate::limit::{Solid, Structure};

/// Samples along each axis that the error of the interpolation is taken from. The
/// extraordinary point is at either end, and the error largest close to it: also on
/// the sides of the part, where it can be several times the error inside.
const ERROR_SAMPLES: [f64; 8] = [0.0, 0.03, 0.1, 0.3, 0.7, 0.9, 0.97, 1.0];

/// Rows over the net of one structure.
#[derive(Debug)]
pub(crate) struct Remainder {
    /// Bézier points that interpolate the limit at 4 values of every parameter,
    /// `[4^dimension][control]`, local axis 0 fastest.
    pub nodes: Mat<f64>,
    // made when first asked for: most jobs never do, and it is most of the time
    errors: OnceLock<Mat<f64>>,
}

impl Remainder {
    fn new(structure: &Structure) -> Self {
        let dimension = structure.dimension();
        let places: Vec<[f64; 3]> =
            grid(4, dimension).map(|at| at.map(|i| i as f64 / 3.0)).collect();
        let mut nodes = structure.weights_at(&places, [Order::Value; 3]);
        for column in 0..nodes.ncols() {
            let column = nodes.col_as_slice_mut(column);
            (0..dimension).for_each(|d| interpolate(column, 4_usize.pow(d as u32)));
        }
        Self { nodes, errors: OnceLock::new() }
    }

    /// Limit less interpolation at samples, `[8^dimension][control]`, of the remainder's own structure.
    pub fn errors(&self, structure: &Structure) -> &Mat<f64> {
        self.errors.get_or_init(|| self.errors_at_samples(structure))
    }

    fn errors_at_samples(&self, structure: &Structure) -> Mat<f64> {
        let (dimension, nodes) = (structure.dimension(), &self.nodes);
        let places: Vec<[f64; 3]> =
            grid(ERROR_SAMPLES.len(), dimension).map(|at| at.map(|i| ERROR_SAMPLES[i])).collect();
        let limit = structure.weights_at(&places, [Order::Value; 3]);
        let bases: Vec<[[f64; 4]; 3]> = places.iter().map(|t| t.map(bernstein::cubic)).collect();
        let basis = Mat::from_fn(places.len(), nodes.nrows(), |i, node| {
            let [u, v, w] = &bases[i];
            let plane = u[node % 4] * v[node / 4 % 4];
            if dimension == 3 { plane * w[node / 16] } else { plane }
        });
        limit - basis * nodes
    }

    /// With the errors.
    fn bytes(&self) -> usize {
        let rows = self.nodes.nrows();
        let axes = rows.ilog(4);
        size_of::<f64>() * (rows + ERROR_SAMPLES.len().pow(axes)) * self.nodes.ncols()
    }
}

/// Bytes of the remainders that are kept. In irregular meshes nearly every cell has a structure of
/// its own, whose remainder takes half a megabyte and is asked for once or twice.
const MAX_KEPT_BYTES: usize = 512 << 20;

/// The remainders of all structures of a solid, each made when first asked for.
#[derive(Debug)]
pub(crate) struct Remainders {
    // by where the structure is
    by_structure: HashMap<usize, OnceLock<Arc<Remainder>>>,
    kept_bytes: AtomicUsize,
}

impl Remainders {
    pub fn new(solid: &Solid) -> Self {
        let mut by_structure = HashMap::new();
        let structures = solid.planar_structures().iter().chain(solid.spatial_structures());
        let mut open: Vec<&Structure> = structures.map(|structure| &**structure).collect();
        while let Some(structure) = open.pop() {
            if by_structure.insert(address(structure), OnceLock::new()).is_none() {
                open.extend(structure.next_structure());
                let children = 1..1 << structure.dimension();
                open.extend(children.filter_map(|child| Some(structure.sibling_planar(child)?.0)));
            }
        }
        Self { by_structure, kept_bytes: AtomicUsize::new(0) }
    }

    /// The remainder of a structure of the solid.
    pub fn of(&self, structure: &Structure) -> Arc<Remainder> {
        let kept = &self.by_structure[&address(structure)];
        if let Some(remainder) = kept.get() {
            return remainder.clone();
        }
        if self.kept_bytes.load(Ordering::Relaxed) > MAX_KEPT_BYTES {
            return Arc::new(Remainder::new(structure));
        }
        kept.get_or_init(|| {
            let remainder = Remainder::new(structure);
            self.kept_bytes.fetch_add(remainder.bytes(), Ordering::Relaxed);
            Arc::new(remainder)
        })
        .clone()
    }
}

fn address(structure: &Structure) -> usize {
    std::ptr::from_ref(structure) as usize
}

/// Grid positions of n samples along each of `dimension` axes, axis 0 fastest.
fn grid(n: usize, dimension: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..n.pow(dimension as u32)).map(move |i| [i % n, i / n % n, i / (n * n)])
}

/// Bézier points from values at 0, 1/3, 2/3, 1 along the axis of `stride`.
pub fn interpolate(values: &mut [f64], stride: usize) {
    for line in (0..values.len()).filter(|i| (i / stride).is_multiple_of(4)) {
        let points = bernstein::from_thirds(std::array::from_fn(|i| values[line + i * stride]));
        (1..3).for_each(|i| values[line + i * stride] = points[i]);
    }
}

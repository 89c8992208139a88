//! The kernels' texts, and the variants that are compiled from them.

use std::sync::Arc;

use crate::backend::Precision;

/// A file of `kernels/`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(in crate::backend::cuda) struct KernelSource {
    pub name: &'static str,
    pub text: &'static str,
    /// Whether products and sums stay apart, so that results are the CPU's bit by bit.
    pub exact: bool,
}

macro_rules! source {
    ($name:literal) => {
        source!($name, exact: false)
    };
    ($name:literal, exact: $exact:literal) => {
        KernelSource {
            name: $name,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/", $name)),
            exact: $exact,
        }
    };
}

/// Texts that kernels include.
pub(super) const HEADERS: &[KernelSource] = &[
    source!("common/async.cuh"),
    source!("common/constants.cuh"),
    source!("common/real.cuh"),
    source!("common/basis.cuh"),
    source!("slice/coverage.cuh"),
    source!("slice/cubics.cuh"),
    source!("solid/fragments.cuh"),
    source!("common/grid_barrier.cuh"),
    source!("common/gather.cuh"),
    source!("common/layout.cuh"),
    source!("solid/nets.cuh"),
    source!("surface/normal.cuh"),
    source!("solid/orders.cuh"),
    source!("query/incidence.cuh"),
    source!("query/query.cuh"),
    source!("process/fans.cuh"),
    source!("process/reduce.cuh"),
    source!("process/rows.cuh"),
    source!("process/slices.cuh"),
    source!("process/vector.cuh"),
    source!("common/single_points.cuh"),
    source!("common/sort.cuh"),
    source!("common/sort_row.cuh"),
    source!("common/stage.cuh"),
    source!("common/warp.cuh"),
    source!("surface/point.cuh"),
    source!("surface/mesh_matrix.cuh"),
    source!("surface/boundary_edges.cuh"),
    source!("surface/friends.cuh"),
    source!("surface/stars.cuh"),
    source!("surface/vertex_sharpness.cuh"),
    source!("surface/quads.cuh"),
    source!("published/published.cuh"),
    source!("locate/newton.cuh"),
    source!("solid/warpgroup.cuh"),
];

pub(in crate::backend::cuda) static TENSOR: KernelSource = source!("solid/tensor.cu");
pub(in crate::backend::cuda) static BRICKS: KernelSource = source!("solid/bricks.cu");
pub(in crate::backend::cuda) static LAYERED: KernelSource = source!("solid/layered.cu");
pub(in crate::backend::cuda) static TABLE: KernelSource = source!("solid/table.cu");
pub(in crate::backend::cuda) static TABLE_MMA: KernelSource = source!("solid/table_mma.cu");
pub(in crate::backend::cuda) static PARTIAL: KernelSource = source!("solid/partial.cu");
pub(in crate::backend::cuda) static POINTS: KernelSource = source!("solid/points.cu");
pub(in crate::backend::cuda) static REFINE: KernelSource = source!("common/refine.cu");
pub(in crate::backend::cuda) static QUANTITIES: KernelSource = source!("solid/quantities.cu");
pub(in crate::backend::cuda) static ADJOINT: KernelSource =
    source!("solid/adjoint.cu", exact: true);
pub(in crate::backend::cuda) static ORIGIN: KernelSource = source!("solid/origin.cu");
pub(in crate::backend::cuda) static REG: KernelSource = source!("published/reg.cu");
pub(in crate::backend::cuda) static LAY: KernelSource = source!("published/lay.cu");
pub(in crate::backend::cuda) static IRR: KernelSource = source!("published/irr.cu");
pub(in crate::backend::cuda) static CLEAR: KernelSource = source!("published/clear.cu");
pub(in crate::backend::cuda) static MAPPING: KernelSource = source!("solid/mapping.cu");
pub(in crate::backend::cuda) static ASSEMBLY: KernelSource = source!("solid/assembly.cu");
pub(in crate::backend::cuda) static PRODUCT: KernelSource = source!("solid/product.cu");
pub(in crate::backend::cuda) static ITERATE: KernelSource = source!("solid/iterate.cu");
pub(in crate::backend::cuda) static EDGE_FRIEND: KernelSource =
    source!("surface/edge_friend.cu", exact: true);
pub(in crate::backend::cuda) static SURFACE_TENSOR: KernelSource = source!("surface/tensor.cu");
pub(in crate::backend::cuda) static SURFACE_TABLE: KernelSource = source!("surface/table.cu");
pub(in crate::backend::cuda) static SURFACE_PRODUCT: KernelSource =
    source!("surface/product.cu", exact: true);
pub(in crate::backend::cuda) static SURFACE_POINTS: KernelSource = source!("surface/points.cu");
pub(in crate::backend::cuda) static SORT: KernelSource = source!("common/sort.cu");
pub(in crate::backend::cuda) static TOPOLOGY: KernelSource = source!("surface/topology.cu");
pub(in crate::backend::cuda) static FOUR_TRIANGLES: KernelSource =
    source!("surface/four_triangles.cu", exact: true);
pub(in crate::backend::cuda) static QUADS: KernelSource = source!("surface/quads.cu", exact: true);
pub(in crate::backend::cuda) static FIRST_FRIENDS: KernelSource =
    source!("surface/first_friends.cu", exact: true);
pub(in crate::backend::cuda) static THREE_TRIANGLES: KernelSource =
    source!("surface/three_triangles.cu", exact: true);
pub(in crate::backend::cuda) static THREE_TRIANGLES_BOUNDARY: KernelSource =
    source!("surface/three_triangles_boundary.cu", exact: true);
pub(in crate::backend::cuda) static CREASES: KernelSource =
    source!("surface/creases.cu", exact: true);
pub(in crate::backend::cuda) static GHOSTS: KernelSource = source!("surface/ghosts.cu");
pub(in crate::backend::cuda) static SHARP: KernelSource = source!("surface/sharp.cu", exact: true);
pub(in crate::backend::cuda) static LAYERS: KernelSource = source!("slice/layers.cu", exact: true);
pub(in crate::backend::cuda) static INTERIORS: KernelSource = source!("slice/interiors.cu");
pub(in crate::backend::cuda) static LATTICE: KernelSource =
    source!("slice/lattice.cu", exact: true);
pub(in crate::backend::cuda) static LOCATE: KernelSource = source!("locate/locate.cu");
pub(in crate::backend::cuda) static ORDER: KernelSource = source!("query/order.cu", exact: true);
pub(in crate::backend::cuda) static ROWS: KernelSource = source!("query/rows.cu");
pub(in crate::backend::cuda) static OPERATOR: KernelSource =
    source!("query/operator.cu", exact: true);
pub(in crate::backend::cuda) static PATCHES: KernelSource =
    source!("query/patches.cu", exact: true);
/// Texts of operators.
pub(in crate::backend::cuda) static SUM: KernelSource = source!("query/sum.cuh", exact: true);
pub(in crate::backend::cuda) static SMOOTH: KernelSource = source!("query/smooth.cuh", exact: true);
pub(in crate::backend::cuda) static REACH: KernelSource = source!("process/reach.cuh", exact: true);
pub(in crate::backend::cuda) static DENOISE: KernelSource =
    source!("process/denoise.cuh", exact: true);
pub(in crate::backend::cuda) static SLICES: KernelSource = source!("process/slices.cu");
pub(in crate::backend::cuda) static COTANGENTS: KernelSource =
    source!("process/cotangents.cu", exact: true);
pub(in crate::backend::cuda) static SOLVE: KernelSource = source!("process/solve.cu");
pub(in crate::backend::cuda) static AGGREGATES: KernelSource = source!("process/aggregates.cu");
pub(in crate::backend::cuda) static MULTIGRID: KernelSource = source!("process/multigrid.cu");
pub(in crate::backend::cuda) static HEAT: KernelSource = source!("process/heat.cu");
pub(in crate::backend::cuda) static TOPLESETS: KernelSource = source!("process/toplesets.cu");
pub(in crate::backend::cuda) static VECTORS: KernelSource = source!("fit/vectors.cu", exact: true);
pub(in crate::backend::cuda) static WRITE_BANDWIDTH: KernelSource =
    source!("common/write_bandwidth.cu");

/// A kernel file with the numbers that it is compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::backend::cuda) struct Variant {
    pub source: &'static KernelSource,
    /// Macros and their values.
    pub defines: Vec<(&'static str, usize)>,
    /// What the file includes as [`TEXT`], for files that do.
    pub text: Option<Arc<str>>,
}

/// The name of a text that is a variant's own.
pub(super) const TEXT: &str = "query/text.cuh";

impl Variant {
    pub fn new(source: &'static KernelSource, precision: Precision) -> Self {
        let double = usize::from(precision == Precision::F64);
        Self { source, defines: vec![("DOUBLE", double)], text: None }
    }

    #[must_use]
    pub fn with_text(mut self, text: &str) -> Self {
        self.text = Some(text.into());
        self
    }

    #[must_use]
    pub fn with(mut self, name: &'static str, value: usize) -> Self {
        self.defines.push((name, value));
        self
    }
}

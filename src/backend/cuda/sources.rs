//! The kernels' texts, and the variants that are compiled from them.

use std::sync::Arc;

use crate::backend::Precision;

/// A file of `kernels/`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct KernelSource {
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
    source!("common/real.cuh"),
    source!("common/basis.cuh"),
    source!("slice/coverage.cuh"),
    source!("slice/cubics.cuh"),
    source!("solid/fragments.cuh"),
    source!("common/grid.cuh"),
    source!("common/gather.cuh"),
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
    source!("surface/mesh_matrix.cuh"),
    source!("surface/ends.cuh"),
    source!("surface/friends.cuh"),
    source!("surface/stars.cuh"),
    source!("surface/vertex_sharpness.cuh"),
    source!("surface/quads.cuh"),
    source!("published/published.cuh"),
    source!("locate/newton.cuh"),
    source!("solid/warpgroup.cuh"),
];

pub(super) static TENSOR: KernelSource = source!("solid/tensor.cu");
pub(super) static BRICKS: KernelSource = source!("solid/bricks.cu");
pub(super) static LAYERED: KernelSource = source!("solid/layered.cu");
pub(super) static TABLE: KernelSource = source!("solid/table.cu");
pub(super) static TABLE_MMA: KernelSource = source!("solid/table_mma.cu");
pub(super) static PARTIAL: KernelSource = source!("solid/partial.cu");
pub(super) static POINTS: KernelSource = source!("solid/points.cu");
pub(super) static REFINE: KernelSource = source!("common/refine.cu");
pub(super) static QUANTITIES: KernelSource = source!("solid/quantities.cu");
pub(super) static ADJOINT: KernelSource = source!("solid/adjoint.cu", exact: true);
pub(super) static ORIGIN: KernelSource = source!("solid/origin.cu");
pub(super) static REG: KernelSource = source!("published/reg.cu");
pub(super) static LAY: KernelSource = source!("published/lay.cu");
pub(super) static IRR: KernelSource = source!("published/irr.cu");
pub(super) static CLEAR: KernelSource = source!("published/clear.cu");
pub(super) static MAPPING: KernelSource = source!("solid/mapping.cu");
pub(super) static ASSEMBLY: KernelSource = source!("solid/assembly.cu");
pub(super) static EDGE_FRIEND: KernelSource = source!("surface/edge_friend.cu", exact: true);
pub(super) static SURFACE_TENSOR: KernelSource = source!("surface/tensor.cu");
pub(super) static SURFACE_TABLE: KernelSource = source!("surface/table.cu");
pub(super) static SURFACE_PRODUCT: KernelSource = source!("surface/product.cu", exact: true);
pub(super) static SURFACE_POINTS: KernelSource = source!("surface/points.cu");
pub(super) static SORT: KernelSource = source!("common/sort.cu");
pub(super) static TOPOLOGY: KernelSource = source!("surface/topology.cu");
pub(super) static TRIANGLES: KernelSource = source!("surface/triangles.cu", exact: true);
pub(super) static QUADS: KernelSource = source!("surface/quads.cu", exact: true);
pub(super) static FIRST_FRIENDS: KernelSource = source!("surface/first_friends.cu", exact: true);
pub(super) static SQRT3: KernelSource = source!("surface/sqrt3.cu", exact: true);
pub(super) static SQRT3_ENDS: KernelSource = source!("surface/sqrt3_ends.cu", exact: true);
pub(super) static CREASES: KernelSource = source!("surface/creases.cu", exact: true);
pub(super) static GHOSTS: KernelSource = source!("surface/ghosts.cu");
pub(super) static SHARP: KernelSource = source!("surface/sharp.cu", exact: true);
pub(super) static LAYERS: KernelSource = source!("slice/layers.cu", exact: true);
pub(super) static INTERIORS: KernelSource = source!("slice/interiors.cu");
pub(super) static LOCATE: KernelSource = source!("locate/locate.cu");
pub(super) static ORDER: KernelSource = source!("query/order.cu", exact: true);
pub(super) static ROWS: KernelSource = source!("query/rows.cu");
pub(super) static OPERATOR: KernelSource = source!("query/operator.cu", exact: true);
pub(super) static PATCHES: KernelSource = source!("query/patches.cu", exact: true);
/// Texts of operators.
pub(super) static SUM: KernelSource = source!("query/sum.cuh", exact: true);
pub(super) static SMOOTH: KernelSource = source!("query/smooth.cuh", exact: true);
pub(super) static REACH: KernelSource = source!("process/reach.cuh", exact: true);
pub(super) static DENOISE: KernelSource = source!("process/denoise.cuh", exact: true);
pub(super) static SLICES: KernelSource = source!("process/slices.cu");
pub(super) static COTANGENTS: KernelSource = source!("process/cotangents.cu", exact: true);
pub(super) static SOLVE: KernelSource = source!("process/solve.cu");
pub(super) static AGGREGATES: KernelSource = source!("process/aggregates.cu");
pub(super) static MULTIGRID: KernelSource = source!("process/multigrid.cu");
pub(super) static HEAT: KernelSource = source!("process/heat.cu");
pub(super) static TOPLESETS: KernelSource = source!("process/toplesets.cu");
pub(super) static WRITE_BANDWIDTH: KernelSource = source!("common/write_bandwidth.cu");

/// A kernel file with the numbers that it is compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
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

//! The kernels' texts, and the variants that are compiled from them.

use crate::backend::Precision;

/// A file of `kernels/`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Source {
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
        Source {
            name: $name,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/", $name)),
            exact: $exact,
        }
    };
}

/// Texts that kernels include.
pub(super) const HEADERS: &[Source] = &[
    source!("async.cuh"),
    source!("real.cuh"),
    source!("basis.cuh"),
    source!("coverage.cuh"),
    source!("cubics.cuh"),
    source!("fragments.cuh"),
    source!("gather.cuh"),
    source!("nets.cuh"),
    source!("normal.cuh"),
    source!("orders.cuh"),
    source!("single_points.cuh"),
    source!("sort.cuh"),
    source!("stage.cuh"),
    source!("surface.cuh"),
    source!("surface_ends.cuh"),
    source!("surface_friends.cuh"),
    source!("surface_stars.cuh"),
    source!("surface_quads.cuh"),
    source!("published.cuh"),
    source!("tame.cuh"),
    source!("warpgroup.cuh"),
];

pub(super) static TENSOR: Source = source!("tensor.cu");
pub(super) static BRICKS: Source = source!("bricks.cu");
pub(super) static LAYERED: Source = source!("layered.cu");
pub(super) static TABLE: Source = source!("table.cu");
pub(super) static TABLE_MMA: Source = source!("table_mma.cu");
pub(super) static PARTS: Source = source!("parts.cu");
pub(super) static POINTS: Source = source!("points.cu");
pub(super) static REFINE: Source = source!("refine.cu");
pub(super) static JACOBIAN: Source = source!("jacobian.cu");
pub(super) static REG: Source = source!("reg.cu");
pub(super) static LAY: Source = source!("lay.cu");
pub(super) static IRR: Source = source!("irr.cu");
pub(super) static CLEAR: Source = source!("clear.cu");
pub(super) static MAPPING: Source = source!("mapping.cu");
pub(super) static EDGE_FRIEND: Source = source!("surface_edge_friend.cu", exact: true);
pub(super) static SURFACE_TENSOR: Source = source!("surface_tensor.cu");
pub(super) static SURFACE_TABLE: Source = source!("surface_table.cu");
pub(super) static SURFACE_PRODUCT: Source = source!("surface_product.cu", exact: true);
pub(super) static SURFACE_POINTS: Source = source!("surface_points.cu");
pub(super) static SORT: Source = source!("sort.cu");
pub(super) static TOPOLOGY: Source = source!("surface_topology.cu");
pub(super) static TRIANGLES: Source = source!("surface_triangles.cu", exact: true);
pub(super) static QUADS: Source = source!("surface_quads.cu", exact: true);
pub(super) static FIRST_FRIENDS: Source = source!("surface_first_friends.cu", exact: true);
pub(super) static SQRT3: Source = source!("surface_sqrt3.cu", exact: true);
pub(super) static SQRT3_ENDS: Source = source!("surface_sqrt3_ends.cu", exact: true);
pub(super) static CREASES: Source = source!("surface_creases.cu", exact: true);
pub(super) static GHOSTS: Source = source!("surface_ghosts.cu");
pub(super) static SHARP: Source = source!("surface_sharp.cu", exact: true);
pub(super) static SLICES: Source = source!("slices.cu", exact: true);
pub(super) static INTERIORS: Source = source!("interiors.cu");
pub(super) static LOCATE: Source = source!("locate.cu");
pub(super) static CEILING: Source = source!("ceiling.cu");

/// A kernel file with the numbers that it is compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub source: &'static Source,
    /// Macros and their values.
    pub defines: Vec<(&'static str, usize)>,
}

impl Variant {
    pub fn new(source: &'static Source, precision: Precision) -> Self {
        let double = usize::from(precision == Precision::F64);
        Self { source, defines: vec![("DOUBLE", double)] }
    }

    #[must_use]
    pub fn with(mut self, name: &'static str, value: usize) -> Self {
        self.defines.push((name, value));
        self
    }
}

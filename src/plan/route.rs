//! Which kernel of a GPU evaluates a batch, and why: a pure function.

use std::fmt;

use super::BatchKind;

/// Which kernels evaluate whole elements.
///
/// The published method (Besler et al. 2022) is kept as a yardstick. It refines
/// cells that do not evaluate directly before it begins; here their leaves, like single
/// points, take the default kernels under every strategy.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// The fastest, bitwise reproducible.
    ///
    /// Sum-factorized and table kernels.
    #[default]
    Auto,
    /// The published method, one thread per point.
    ///
    /// Its sums on layered and irregular cells are atomic, so that their last bits vary from run
    /// to run.
    Thread,
    /// The published method, one warp per point.
    ///
    /// Atomic as well.
    Warp,
    /// The published method's choice of the two.
    ///
    /// By class, cells and samples.
    Hybrid,
}

/// What the choice of a kernel depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteFacts {
    /// The strategy that is asked for.
    pub strategy: Strategy,
    /// Class and structure.
    pub kind: BatchKind,
    /// Whether the leaves hold all samples of their elements.
    pub whole: bool,
    /// Samples along each axis of an element.
    pub samples: usize,
    /// Number of leaves.
    pub leaves: usize,
    /// Number of leaves of this class in the whole plan.
    pub class_leaves: usize,
    /// Whether the arithmetic is in double precision.
    pub double: bool,
    /// Shared memory that a block can have on the device, in bytes.
    pub shared_memory: u32,
    /// Streaming multiprocessors of the device.
    pub multiprocessors: u32,
    /// What the device multiplies matrices with.
    pub matrix_units: MatrixUnits,
}

/// Whether a device has units that multiply small matrices faster than its other units do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatrixUnits {
    /// In single precision: numbers are sums of two halves.
    pub single: bool,
    /// Whether the device has such units in double precision.
    pub double: bool,
}

/// A family of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// Sum factorization over a whole regular element, staged and sent in bulk.
    Tensor,
    /// Sum factorization over 2 × 2 × 2 regular elements with a common net at once, where they lie
    /// so, staged and sent in bulk.
    Bricks,
    /// A planar table, then the spline across the layers, staged and sent in bulk.
    Layered,
    /// Weight table times 16 nets per block.
    WideTable,
    /// Weight table times 8 nets per block.
    NarrowTable,
    /// Weight table times nets on tensor cores, 16 nets per block and 128 samples (double
    /// precision: 64; single precision on some devices: 24 and 64) at a time: in single precision
    /// numbers are sums of two halves.
    LongMatrixTable,
    /// Weight table times nets on tensor cores, 32 nets per block and 64 samples at a time, in
    /// single precision.
    WideMatrixTable,
    /// Weight table times nets on tensor cores, 8 nets per block and 64 samples at a time.
    NarrowMatrixTable,
    /// Sum factorization with plain stores, for any numbers of samples.
    RegularPart,
    /// Planar table and spline with plain stores, for any numbers of samples.
    LayeredPart,
    /// The published method, one thread per point.
    PublishedThread,
    /// The published method, one warp per point.
    PublishedWarp,
}

/// Leaves below which a batch takes the narrow table: the wide one would compute with
/// empty columns.
const MIN_WIDE_TABLE_LEAVES: usize = 12;

/// Samples of an element that the wide table takes at a time; for more the long one is faster.
const TILE: usize = 64;

/// Shared memory of a block in bytes from which on large grids and bricks fit into it.
pub const LARGE_GRID_SHARED_BYTES: u32 = 160 << 10;

/// Warps with a brick each that keep a multiprocessor busy.
const BRICK_WARPS: usize = 16;

/// Samples of an element below which the published method gives an irregular cell's points
/// a warp each. It measured 64 (a warp is 1.1 to 1.6 times as fast) and 512 (a thread is
/// 2.3 to 3.5 times as fast); this is halfway, by factors of two.
const IRREGULAR_SAMPLES: usize = 181;

/// Size of a block of the published method.
const PUBLISHED_BLOCK_THREADS: usize = 128;

impl RouteFacts {
    /// The kernel for these facts.
    pub fn kernel(&self) -> Kernel {
        match self.strategy {
            Strategy::Thread if self.whole => Kernel::PublishedThread,
            Strategy::Warp if self.whole => Kernel::PublishedWarp,
            Strategy::Hybrid if self.whole => self.hybrid(),
            _ => self.own(),
        }
    }

    /// The published method's choice (Besler et al. 2022, 5.1): a thread per point for
    /// regular and layered cells, and for irregular ones of many samples; a warp per point for
    /// irregular ones of few, and wherever a thread per point would leave multiprocessors
    /// without a full block.
    fn hybrid(&self) -> Kernel {
        let samples = self.samples.pow(3);
        let idle =
            self.class_leaves * samples < self.multiprocessors as usize * PUBLISHED_BLOCK_THREADS;
        let irregular = matches!(self.kind, BatchKind::Irregular(_));
        if idle || irregular && samples < IRREGULAR_SAMPLES {
            Kernel::PublishedWarp
        } else {
            Kernel::PublishedThread
        }
    }

    fn own(&self) -> Kernel {
        // what a block stages of larger grids outgrows the shared memory
        let ample = self.shared_memory >= LARGE_GRID_SHARED_BYTES;
        let most_regular = if ample { 16 } else { 8 };
        let most_layered = if ample || !self.double { 8 } else { 5 };
        match self.kind {
            BatchKind::Regular if self.whole && self.samples <= most_regular => {
                // a warp takes the elements of a brick one after another: enough for all
                let warps = BRICK_WARPS * self.multiprocessors as usize;
                if ample && self.leaves >= 8 * warps { Kernel::Bricks } else { Kernel::Tensor }
            }
            BatchKind::Regular => Kernel::RegularPart,
            BatchKind::Layered(_) if self.whole && self.samples <= most_layered => Kernel::Layered,
            BatchKind::Layered(_) => Kernel::LayeredPart,
            BatchKind::Irregular(_) => {
                let matrix =
                    if self.double { self.matrix_units.double } else { self.matrix_units.single };
                match (matrix, self.leaves >= MIN_WIDE_TABLE_LEAVES) {
                    (true, true) if self.double || self.samples.pow(3) > TILE => {
                        Kernel::LongMatrixTable
                    }
                    (true, true) if self.leaves >= 2 * MIN_WIDE_TABLE_LEAVES => {
                        Kernel::WideMatrixTable
                    }
                    (true, _) => Kernel::NarrowMatrixTable,
                    (false, true) => Kernel::WideTable,
                    (false, false) => Kernel::NarrowTable,
                }
            }
        }
    }
}

impl Kernel {
    /// Whether the kernel multiplies a weight table with nets.
    pub fn is_table(self) -> bool {
        matches!(self, Self::WideTable | Self::NarrowTable) || self.is_matrix_table()
    }

    /// Whether it does so on tensor cores.
    pub fn is_matrix_table(self) -> bool {
        matches!(self, Self::LongMatrixTable | Self::WideMatrixTable | Self::NarrowMatrixTable)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tensor => "tensor",
            Self::Bricks => "bricks",
            Self::Layered => "layered",
            Self::WideTable => "table, wide",
            Self::NarrowTable => "table, narrow",
            Self::LongMatrixTable => "table on tensor cores, long",
            Self::WideMatrixTable => "table on tensor cores, wide",
            Self::NarrowMatrixTable => "table on tensor cores, narrow",
            Self::RegularPart => "regular part",
            Self::LayeredPart => "layered part",
            Self::PublishedThread => "published, thread",
            Self::PublishedWarp => "published, warp",
        })
    }
}

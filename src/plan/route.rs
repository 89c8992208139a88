//! Which kernel of a GPU evaluates a batch, and why: a pure function.

use std::fmt;

use super::BatchKind;

/// What the choice of a kernel depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Class and structure.
    pub kind: BatchKind,
    /// Whether the leaves hold all samples of their elements.
    pub whole: bool,
    /// Samples along each axis of an element.
    pub samples: usize,
    /// Number of leaves.
    pub leaves: usize,
    /// Whether the arithmetic is in double precision.
    pub double: bool,
    /// Shared memory that a block can have on the device, in bytes.
    pub shared_memory: u32,
}

/// A family of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// Sum factorisation over a whole regular element, staged and sent in bulk.
    Tensor,
    /// A planar table, then the spline across the layers, staged and sent in bulk.
    Layered,
    /// Weight table times 16 nets a block.
    WideTable,
    /// Weight table times 8 nets a block.
    NarrowTable,
    /// Sum factorisation with plain stores, for any numbers of samples.
    RegularPart,
    /// Planar table and spline with plain stores, for any numbers of samples.
    LayeredPart,
}

/// Leaves below which a batch takes the narrow table: the wide one would compute with
/// empty columns.
const WIDE: usize = 12;

impl Facts {
    /// The kernel for these facts.
    pub fn kernel(&self) -> Kernel {
        // what a block stages of larger grids outgrows the shared memory
        let ample = self.shared_memory >= 160 << 10;
        let most_regular = if ample { 16 } else { 8 };
        let most_layered = if ample || !self.double { 8 } else { 5 };
        match self.kind {
            BatchKind::Regular if self.whole && self.samples <= most_regular => Kernel::Tensor,
            BatchKind::Regular => Kernel::RegularPart,
            BatchKind::Layered(_) if self.whole && self.samples <= most_layered => Kernel::Layered,
            BatchKind::Layered(_) => Kernel::LayeredPart,
            BatchKind::Irregular(_) if self.leaves >= WIDE => Kernel::WideTable,
            BatchKind::Irregular(_) => Kernel::NarrowTable,
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tensor => "tensor",
            Self::Layered => "layered",
            Self::WideTable => "table, wide",
            Self::NarrowTable => "table, narrow",
            Self::RegularPart => "regular part",
            Self::LayeredPart => "layered part",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOPPER: u32 = 227 << 10;
    const TURING: u32 = 64 << 10;

    fn kernel(kind: BatchKind, whole: bool, samples: usize, leaves: usize, device: u32) -> Kernel {
        Facts { kind, whole, samples, leaves, double: true, shared_memory: device }.kernel()
    }

    #[test]
    fn whole_elements_are_staged_where_they_fit() {
        use BatchKind::{Layered, Regular};
        assert_eq!(kernel(Regular, true, 8, 1, HOPPER), Kernel::Tensor);
        assert_eq!(kernel(Regular, true, 16, 1, HOPPER), Kernel::Tensor);
        assert_eq!(kernel(Regular, true, 17, 1, HOPPER), Kernel::RegularPart);
        assert_eq!(kernel(Regular, true, 16, 1, TURING), Kernel::RegularPart);
        assert_eq!(kernel(Regular, false, 8, 1, HOPPER), Kernel::RegularPart);
        assert_eq!(kernel(Layered(0), true, 8, 1, HOPPER), Kernel::Layered);
        assert_eq!(kernel(Layered(0), true, 8, 1, TURING), Kernel::LayeredPart);
        assert_eq!(kernel(Layered(0), false, 8, 1, HOPPER), Kernel::LayeredPart);
        assert_eq!(kernel(Layered(0), true, 9, 1, HOPPER), Kernel::LayeredPart);
    }

    #[test]
    fn irregular_batches_are_as_wide_as_they_fill() {
        let irregular = BatchKind::Irregular(3);
        assert_eq!(kernel(irregular, true, 8, 1, HOPPER), Kernel::NarrowTable);
        assert_eq!(kernel(irregular, false, 8, WIDE, HOPPER), Kernel::WideTable);
    }
}

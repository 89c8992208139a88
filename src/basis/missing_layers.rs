//! Which outer layers of a control net are missing.

/// The ends of the axes of a net at which the outer layer of control points is missing, because
/// the cell or face ends there at the boundary.
///
/// Bit 2d is the low end of axis d, bit 2d + 1 the high end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct MissingLayers(u8);

impl MissingLayers {
    /// All layers are there.
    pub const NONE: Self = Self(0);

    /// From bits as above.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Bits as above.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The missing layers of one axis alone, as the first.
    #[inline]
    #[must_use]
    pub const fn axis(self, axis: usize) -> Self {
        Self(self.0 >> (2 * axis) & 3)
    }

    /// Whether the layer at a side (0: low, 1: high) of an axis is missing.
    #[inline]
    #[must_use]
    pub const fn is_missing(self, axis: usize, side: usize) -> bool {
        self.0 >> (2 * axis + side) & 1 == 1
    }

    /// Whether the low layer of the first axis is missing.
    #[inline]
    #[must_use]
    pub const fn low(self) -> bool {
        self.is_missing(0, 0)
    }

    /// Whether the high layer of the first axis is missing.
    #[inline]
    #[must_use]
    pub const fn high(self) -> bool {
        self.is_missing(0, 1)
    }

    /// The sides of an axis at which the layer is missing.
    pub fn sides(self, axis: usize) -> impl Iterator<Item = usize> {
        (0..2).filter(move |&side| self.is_missing(axis, side))
    }

    /// Marks the layer at a side of an axis as missing.
    pub const fn insert(&mut self, axis: usize, side: usize) {
        self.0 |= 1 << (2 * axis + side);
    }

    /// Number of missing layers.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Control points of a net of three axes, 4 × 4 × 4 less the missing layers.
    #[must_use]
    pub fn controls(self) -> u32 {
        (0..3).map(|axis| 4 - self.axis(axis).count()).product()
    }
}

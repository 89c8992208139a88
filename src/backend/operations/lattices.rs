//! Pixels of lattices in the cells of a solid.

use std::fmt::Debug;

use super::{Pixels, Sampling};
use crate::error::Result;

/// Polynomials and powers along each side of a region, at most.
pub const MAX_POWERS: usize = 8;

/// Coverage of a full pixel.
const FULL: f64 = 65535.0;

/// What tiles are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum TileFunction {
    /// Distance from the closest strut.
    Struts,
    /// The function of Schwarz's primitive surface.
    SchwarzP,
    /// That of Schoen's I-WP surface.
    Iwp,
}

/// A lattice, for a device.
#[derive(Clone, Debug)]
pub struct LatticeArrays<'a> {
    /// What tiles are made of.
    pub function: TileFunction,
    /// A point and the direction of the axis of each strut.
    pub struts: Vec<[[f64; 3]; 2]>,
    /// Tiles along an edge of a cell.
    pub per_cell: usize,
    /// Whether walls or struts have a thickness in length units, not F a level.
    pub is_wall: bool,
    /// Thickness or level; `None` where pixels have their own.
    pub size: Option<f64>,
    /// Values of F at points spread evenly, ascending, if pixels have densities; else none.
    pub densities: &'a [f64],
}

/// Pixels between two rows and two lines, as the kernels read them, with polynomials of the
/// parameters, the size if pixels have their own, and the Jacobian if it is needed.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct PixelRegion {
    /// The lower and the upper end.
    pub rows: [f64; 2],
    /// Columns at the lower end, left and right.
    pub low: [f64; 2],
    /// Columns at the upper end.
    pub high: [f64; 2],
    /// Halves of an edge of a cell that the element has.
    pub halves: f64,
    /// Number of the first of its polynomials.
    pub first: u32,
    /// Fills up the size.
    pub padding: u32,
}

/// A polynomial over a region: coefficients `[along the rows: Chebyshev polynomial][across: power]`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct RegionPolynomial {
    /// Its first coefficient.
    pub first: u32,
    /// Number of Chebyshev polynomials, at most [`MAX_POWERS`].
    pub count: u16,
    /// Number of powers, likewise.
    pub powers: u16,
}

/// Pixels of a row that follow each other. Pixels are row · columns + column.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct RegionRun {
    /// The first pixel.
    pub to: u32,
    /// The pixel that it has the parameters of.
    pub from: u32,
    /// Number of pixels.
    pub count: u32,
    /// The region of `from`.
    pub region: u32,
}

/// Where the pixels of a layer are in a solid.
#[derive(Clone, Debug, Default)]
pub struct RegionRuns {
    /// Regions.
    pub regions: Vec<PixelRegion>,
    /// Their polynomials, one region after the other.
    pub polynomials: Vec<RegionPolynomial>,
    /// Coefficients of these.
    pub coefficients: Vec<f64>,
    /// Runs of pixels in regions.
    pub runs: Vec<RegionRun>,
    /// Other pixels, and the part of each that is material.
    pub settled: Vec<(u32, f64)>,
}

/// A layer of a lattice: what the CPU does, by itself or for a device.
pub trait LatticeSource: Sync {
    /// [`LatticePixels::cover`] by the CPU.
    ///
    /// # Errors
    /// As [`LatticePixels::cover`].
    fn cover(&self, core: Option<&[u16]>, whole: &mut [u16]) -> Result<()>;

    /// Where the pixels are that are not 0 in `inside`.
    ///
    /// # Errors
    /// As [`LatticePixels::cover`].
    fn runs(&self, inside: &[u16]) -> Result<RegionRuns>;

    /// The grid of pixels.
    fn pixels(&self) -> Pixels;

    /// What a pixel says.
    fn sampling(&self) -> Sampling;
}

/// A lattice on a processor, ready for layers. Made by
/// [`Operations::lattice`](super::Operations::lattice). Pixels are the same bit by bit on all.
pub trait LatticePixels: Debug + Send + Sync {
    /// Takes the voids of a layer's lattice out of its coverage `whole`, `[row][column]`; `core`: the
    /// coverage of the part of it that is a lattice, if not all is. Returns the seconds on the
    /// processor, copies not included.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for a coverage of another size than the grid, and if
    /// the solid has no place.
    fn cover(
        &self,
        source: &dyn LatticeSource,
        core: Option<&[u16]>,
        whole: &mut [u16],
    ) -> Result<f64>;
}

/// The coverage of a pixel without the voids of a lattice, of which `part` is material where it is
/// `inside`.
pub fn without_void(whole: u16, inside: u16, part: f64) -> u16 {
    let void = (1.0 - part) * f64::from(inside);
    (f64::from(whole) - void).round().clamp(0.0, FULL) as u16
}

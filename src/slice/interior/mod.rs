//! What is inside a layer: for every pixel its element, (u, v, w) and attributes.
//!
//! # Practice
//! An [`InteriorFinder`] takes a [`Locator`], an axis and a grid of pixels. For a height
//! it gives the [`Interior`]: the pixels whose centers are in the solid, row by row.
//! With a mask of covered pixels (from the contours) it gives exactly those: a covered
//! pixel whose center lies outside takes over from the closest of the 5 × 5 pixels
//! around it whose center is inside (of several, from the lowest, leftmost), and where
//! there is none, the closest place of the solid. [`InteriorFinder::values`] then takes
//! attributes there, exactly as evaluation does.
//!
//! ```
//! use subsolid::locate::Locator;
//! use subsolid::slice::{Axis, InteriorFinder, PixelGrid};
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let solid = subsolid::Solid::new(&mesh)?;
//! let locator = Locator::new(&solid, mesh.controls())?;
//! let grid = PixelGrid { origin: [0.0, 0.0], pitch: [0.05; 2], size: [100, 100] };
//! let finder = InteriorFinder::new(&locator, Axis::Z, grid)?;
//! let interior = finder.layer(0.5);
//! assert!(interior.pixels.is_sorted());
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! # Theory
//! Pieces that the plane meets are halved until they are nearly affine. The frame of
//! such a part bounds its pixels in every row to a span that is hardly wider than the
//! part, and Newton's method from pixel to pixel decides them. At smooth edges, where
//! the map degenerates, and at extraordinary edges and vertices, pixels are located one
//! by one. A pixel on the face between two elements is in both to within rounding; it
//! goes to the first, by the same tolerances as [`Locator::locate`]. For images, polynomials over
//! parts of the plane stand in for both parameters and attributes, where they are good enough.

mod band;
mod left;
mod march;
mod newton;
mod parts;
mod polynomial;
mod tiles;
mod trapezoid;
mod trapezoid_fit;
mod values;

pub(super) use band::BandMemory;
pub(super) use tiles::Tiles;

use std::ops::Range;

use rayon::prelude::*;

use super::pixels::covered_count;
use super::spare::SpareMemory;
use super::{Axis, PixelGrid};
use crate::backend::operations::RegionRuns;
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::locate::{AttributePieces, Locator};
use crate::topology::NONE;

/// Rows of a band: what one task works on.
const BAND_ROWS: usize = 64;
/// Pixels whose attributes one task evaluates.
const TASK_PIXELS: usize = 4096;

/// Pixels of a layer and where they are in the solid; all arrays `[pixel]`, row by row
/// from the lowest, columns from the left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interior {
    /// row · columns + column.
    pub pixels: Vec<u32>,
    /// Element of each; of several that share it, the first.
    pub elements: Vec<u32>,
    /// (u, v, w) in the element.
    pub parameters: Vec<[f64; 3]>,
    // piece of each, for attributes
    pub(super) pieces: Vec<u32>,
}

impl Interior {
    /// Number of pixels.
    pub fn len(&self) -> usize {
        self.pixels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pixels.is_empty()
    }
}

/// Finds the interiors of layers.
#[derive(Debug)]
pub struct InteriorFinder<'l, 's> {
    locator: &'l Locator<'s>,
    pub(super) axis: Axis,
    pub(super) grid: PixelGrid,
}

impl<'l, 's> InteriorFinder<'l, 's> {
    /// Prepares layers across `axis` on `grid`.
    ///
    /// # Errors
    /// [`Error::Request`] for a pitch that is not above 0, an origin that is not
    /// finite, or more than 2³² − 1 pixels.
    pub fn new(locator: &'l Locator<'s>, axis: Axis, grid: PixelGrid) -> Result<Self> {
        check(&grid)?;
        Ok(Self { locator, axis, grid })
    }

    /// The pixels whose centers are in the solid at `height`.
    pub fn layer(&self, height: f64) -> Interior {
        self.interior(height, None)
    }

    /// The pixels that a mask covers, `mask[row · columns + column]` not 0; see the
    /// module's introduction for those whose centers are outside.
    ///
    /// # Errors
    /// [`Error::Request`] if the mask does not have a byte for every pixel.
    pub fn covered(&self, height: f64, mask: &[u8]) -> Result<Interior> {
        self.check_mask(mask)?;
        Ok(self.interior(height, Some(mask)))
    }

    /// Sets `values` to the `numbers` of each of the pixels whose coverage is not 0. Attributes
    /// agree with [`InteriorFinder::covered`] to some 10⁻⁹ of their range: polynomials stand in for
    /// it between the pixels.
    pub(in crate::slice) fn covered_values(
        &self,
        height: f64,
        coverage: &[u16],
        attributes: &[AttributePieces],
        numbers: PixelNumbers<impl Fn(&BandRun<'_>, &mut [f64]) + Sync>,
        spare: &SpareMemory<BandMemory>,
        values: &mut Vec<f64>,
    ) -> Result<()> {
        let PixelNumbers { width, write } = numbers;
        self.check_mask(coverage)?;
        let plane = self.plane(height);
        let parts = parts::parts(self.locator, &plane, Some(attributes));
        let layer = band::BandLayer { locator: self.locator, plane: &plane, parts: &parts };
        let size = (BAND_ROWS * self.grid.size[0]).max(1);
        let counts: Vec<usize> = coverage.par_chunks(size).map(covered_count).collect();
        values.resize(width * counts.iter().sum::<usize>(), 0.0);
        let mut rest = &mut values[..];
        let own: Vec<&mut [f64]> =
            counts.iter().filter_map(|count| rest.split_off_mut(..width * count)).collect();
        self.bands().zip(own).try_for_each(|(rows, mut own)| {
            let take = |run: &BandRun<'_>| {
                let own = own.split_off_mut(..width * run.pieces.len());
                own.into_iter().for_each(|own| write(run, own));
            };
            spare.with(|memory| {
                band::values(&layer, rows, (coverage, attributes), memory, take);
            });
            if own.is_empty() { Ok(()) } else { Err(no_place(height)) }
        })
    }

    /// As [`Self::covered_values`] of one number each for a device: it evaluates polynomials at pixels
    /// in regions.
    pub(in crate::slice) fn covered_runs(
        &self,
        height: f64,
        coverage: &[u16],
        attributes: &[AttributePieces],
        write: impl Fn(&BandRun<'_>, &mut [f64]) + Sync,
        spare: &SpareMemory<BandMemory>,
    ) -> Result<RegionRuns> {
        self.check_mask(coverage)?;
        let plane = self.plane(height);
        let parts = parts::parts(self.locator, &plane, Some(attributes));
        let layer = band::BandLayer { locator: self.locator, plane: &plane, parts: &parts };
        let of_rows = |rows: Range<usize>| {
            let columns = self.grid.size[0];
            let count = covered_count(&coverage[rows.start * columns..rows.end * columns]);
            let mut numbers = Vec::new();
            let take = |run: &BandRun<'_>| {
                let first = numbers.len();
                numbers.resize(first + run.pieces.len(), 0.0);
                write(run, &mut numbers[first..]);
            };
            let found =
                spare.with(|memory| band::runs(&layer, rows, (coverage, attributes), memory, take));
            let in_regions: usize = found.runs.iter().map(|run| run.count as usize).sum();
            if in_regions + found.others.len() != count {
                return Err(no_place(height));
            }
            Ok((found.runs, found.others.into_iter().zip(numbers).collect::<Vec<_>>()))
        };
        let bands = self.bands().map(of_rows).collect::<Result<Vec<_>>>()?;
        let mut all = RegionRuns::default();
        for part in &parts {
            part.fits().for_each(|fit| fit.append(self.halves(part.piece), &mut all));
        }
        for (runs, settled) in bands {
            all.runs.extend(runs);
            all.settled.extend(settled);
        }
        Ok(all)
    }

    fn check_mask<M>(&self, mask: &[M]) -> Result<()> {
        let [columns, rows] = self.grid.size;
        if mask.len() == columns * rows {
            return Ok(());
        }
        let count = mask.len();
        Err(Error::request(format!("a mask of {count} pixels for {columns} x {rows}"))
            .with_help("give one entry for each pixel of the grid"))
    }

    /// Attribute values of pixels, `[pixel][width]`.
    pub fn values(&self, interior: &Interior, attribute: &AttributePieces) -> Vec<f64> {
        let width = attribute.width;
        let mut values = vec![0.0; interior.len() * width];
        let chunks = values.par_chunks_mut(width * TASK_PIXELS);
        let chunks = chunks.zip(interior.pieces.par_chunks(TASK_PIXELS));
        chunks.zip(interior.parameters.par_chunks(TASK_PIXELS)).for_each(
            |((values, pieces), places)| {
                stop_point();
                let mut start = 0;
                // Pixels that follow each other are mostly in one piece.
                for run in pieces.chunk_by(|a, b| a == b) {
                    let end = start + run.len();
                    self.locator.pieces().attributes_at(
                        attribute,
                        run[0] as usize,
                        &places[start..end],
                        &mut values[start * width..end * width],
                    );
                    start = end;
                }
            },
        );
        values
    }

    /// Halves of an edge of a cell that an element has: 2, or 1 of a cell that is no hexahedron.
    pub(super) fn halves(&self, piece: u32) -> f64 {
        let pieces = self.locator.pieces();
        let element = pieces.pieces[piece as usize].element;
        let is_whole = pieces.solid().elements()[element as usize].corner.is_none();
        if is_whole { 2.0 } else { 1.0 }
    }

    fn plane(&self, height: f64) -> PixelPlane<'_> {
        PixelPlane { axis: self.axis, height, grid: &self.grid }
    }

    /// Bands of rows, from the lowest.
    fn bands(&self) -> impl IndexedParallelIterator<Item = Range<usize>> {
        let rows = self.grid.size[1];
        let count = rows.div_ceil(BAND_ROWS);
        (0..count).into_par_iter().map(move |k| k * BAND_ROWS..rows.min((k + 1) * BAND_ROWS))
    }

    fn interior(&self, height: f64, mask: Option<&[u8]>) -> Interior {
        let plane = self.plane(height);
        let parts = parts::parts(self.locator, &plane, None);
        let layer = band::BandLayer { locator: self.locator, plane: &plane, parts: &parts };
        let bands: Vec<Interior> =
            self.bands().map(|rows| band::interior(&layer, rows, mask)).collect();
        let mut all = Interior::default();
        let count = bands.iter().map(Interior::len).sum();
        all.pixels.reserve_exact(count);
        all.elements.reserve_exact(count);
        all.parameters.reserve_exact(count);
        all.pieces.reserve_exact(count);
        for band in bands {
            all.pixels.extend(band.pixels);
            all.elements.extend(band.elements);
            all.parameters.extend(band.parameters);
            all.pieces.extend(band.pieces);
        }
        all
    }
}

fn no_place(height: f64) -> Error {
    Error::request(format!("pixels of the layer at {height} have no place of the solid near"))
}

/// Refuses grids that no layer can have.
fn check(grid: &PixelGrid) -> Result<()> {
    grid.check(usize::MAX)?;
    let [columns, rows] = grid.size;
    if columns.checked_mul(rows).is_none_or(|count| count >= NONE as usize) {
        return Err(Error::request(format!("{columns} x {rows} pixels"))
            .with_help("ask for fewer than 2^32 pixels"));
    }
    Ok(())
}

/// Pixels of a row that follow each other, with their attributes.
pub(super) struct BandRun<'b> {
    /// Piece of each pixel.
    pub pieces: &'b [u32],
    // of the pixels and others: [component of an attribute][pixel]
    channels: &'b [Vec<f64>],
    // place of the first pixel there
    first: usize,
}

impl BandRun<'_> {
    /// Components of all attributes, `[component][pixel]`.
    pub fn channels(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.channels.iter().map(|own| &own[self.first..][..self.pieces.len()])
    }
}

/// What pixels get of their attributes.
pub(super) struct PixelNumbers<F> {
    /// Numbers of a pixel.
    pub width: usize,
    /// Writes those of pixels, `[pixel][width]`.
    pub write: F,
}

/// A plane of pixels.
struct PixelPlane<'a> {
    axis: Axis,
    height: f64,
    grid: &'a PixelGrid,
}

impl PixelPlane<'_> {
    /// The center of a pixel, in space.
    #[inline(always)]
    fn center(&self, column: u32, row: u32) -> [f64; 3] {
        self.at([column, row].map(f64::from))
    }

    /// The point in space at a column and row, whole numbers at the middles of pixels.
    #[inline(always)]
    fn at(&self, [column, row]: [f64; 2]) -> [f64; 3] {
        self.axis.lift(self.grid.at([column, row]), self.height)
    }

    /// Rows and columns, end excluded, of the pixels whose centers are within `distance`
    /// of a box; `None` if there are none, or the plane misses the box.
    fn pixels(&self, [low, high]: &[[f64; 3]; 2], distance: f64) -> Option<[[u32; 2]; 2]> {
        let across = self.axis.number();
        if self.height < low[across] - distance || self.height > high[across] + distance {
            return None;
        }
        let [columns, rows] = [0, 1].map(|d| {
            let at = |x: f64| (x - self.grid.origin[d]) / self.grid.pitch[d] - 0.5;
            let axis = self.axis.plane()[d];
            // saturate; rounding is less than the slack
            let slack = 1e-9;
            let first = (at(low[axis] - distance) - slack).ceil() as u32;
            let last = (at(high[axis] + distance) + slack).floor() + 1.0;
            [first, (last as u32).min(self.grid.size[d] as u32)]
        });
        (columns[0] < columns[1] && rows[0] < rows[1]).then_some([rows, columns])
    }
}

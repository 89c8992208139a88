//! What is inside a layer: for every pixel its element, (u, v, w) and attributes.
//!
//! # Practice
//! An [`InteriorFinder`] takes a [`Locator`], an axis and a grid of pixels. For a height
//! it gives the [`Interior`]: the pixels whose centres are in the solid, row by row.
//! With a mask of covered pixels (from the contours) it gives exactly those: a covered
//! pixel whose centre lies outside takes over from the closest of the 5 × 5 pixels
//! around it whose centre is inside (of several, from the lowest, leftmost), and where
//! there is none, the closest place of the solid. [`InteriorFinder::values`] then takes
//! attributes there, exactly as evaluation does.
//!
//! ```
//! use subsolid::locate::Locator;
//! use subsolid::slice::{Axis, InteriorFinder, PixelGrid};
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let solid = subsolid::Solid::new(&mesh)?;
//! let locator = Locator::new(&solid, mesh.controls())?;
//! let grid = PixelGrid { origin: [0.0, 0.0], pitch: 0.05, size: [100, 100] };
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
//! goes to the first, by the same tolerances as [`Locator::locate`].

mod band;
mod device;
mod march;
mod parts;
mod tiles;

pub use device::{DeviceInteriors, InteriorRun, InteriorValues};

use std::ops::Range;

use rayon::prelude::*;

use super::{Axis, PixelGrid};
use crate::error::{Error, Result};
use crate::locate::{AttributePieces, Locator};

/// Rows of a band: what one task works on.
const BAND: usize = 64;
/// Pixels whose attributes one task evaluates.
const CHUNK: usize = 4096;
/// No piece.
const NONE: u32 = u32::MAX;

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
    pieces: Vec<u32>,
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
    axis: Axis,
    grid: PixelGrid,
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

    /// The pixels whose centres are in the solid at `height`.
    pub fn layer(&self, height: f64) -> Interior {
        self.rows(height, 0..self.grid.size[1], None)
    }

    /// The pixels that a mask covers, `mask[row · columns + column]` not 0; see the
    /// module's introduction for those whose centres are outside.
    ///
    /// # Errors
    /// [`Error::Request`] if the mask does not have a byte for every pixel.
    pub fn covered(&self, height: f64, mask: &[u8]) -> Result<Interior> {
        self.check_mask(mask)?;
        Ok(self.rows(height, 0..self.grid.size[1], Some(mask)))
    }

    /// What `each` makes of bands of the pixels of [`InteriorFinder::covered`], one after the
    /// other. Nothing else of the layer is kept.
    ///
    /// # Errors
    /// As [`InteriorFinder::covered`].
    pub fn covered_values(
        &self,
        height: f64,
        mask: &[u8],
        each: impl Fn(Interior) -> Vec<f64> + Sync,
    ) -> Result<Vec<f64>> {
        self.check_mask(mask)?;
        Ok(self.bands(height, 0..self.grid.size[1], Some(mask), each).concat())
    }

    fn check_mask(&self, mask: &[u8]) -> Result<()> {
        let [columns, rows] = self.grid.size;
        if mask.len() == columns * rows {
            return Ok(());
        }
        let bytes = mask.len();
        Err(Error::request(format!("a mask of {bytes} bytes for {columns} x {rows} pixels")))
    }

    /// Attribute values of pixels, `[pixel][width]`.
    pub fn values(&self, interior: &Interior, attribute: &AttributePieces) -> Vec<f64> {
        let width = attribute.width;
        let mut values = vec![0.0; interior.len() * width];
        let chunks = values.par_chunks_mut(width * CHUNK);
        let chunks = chunks.zip(interior.pieces.par_chunks(CHUNK));
        chunks.zip(interior.parameters.par_chunks(CHUNK)).for_each(|((values, pieces), places)| {
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
        });
        values
    }

    /// What `each` makes of the interiors of bands of rows, from the lowest.
    fn bands<T: Send>(
        &self,
        height: f64,
        rows: Range<usize>,
        mask: Option<&[u8]>,
        each: impl Fn(Interior) -> T + Sync,
    ) -> Vec<T> {
        let plane = Plane { axis: self.axis, height, grid: &self.grid };
        let parts = parts::parts(self.locator, &plane);
        let starts: Vec<usize> = rows.clone().step_by(BAND).collect();
        let band = |&start: &usize| {
            let rows = start..rows.end.min(start + BAND);
            each(band::interior(self.locator, &plane, &parts, rows, mask))
        };
        starts.par_iter().map(band).collect()
    }

    fn rows(&self, height: f64, rows: Range<usize>, mask: Option<&[u8]>) -> Interior {
        let bands = self.bands(height, rows, mask, |band| band);
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

/// Refuses grids that no layer can have.
fn check(grid: &PixelGrid) -> Result<()> {
    let PixelGrid { origin, pitch, size: [columns, rows] } = *grid;
    if !(pitch > 0.0 && pitch.is_finite() && origin.iter().all(|x| x.is_finite())) {
        return Err(Error::request(format!("pixels of {pitch} from {origin:?}"))
            .with_help("give a pitch above 0 and a finite origin"));
    }
    if columns.checked_mul(rows).is_none_or(|count| count >= NONE as usize) {
        return Err(Error::request(format!("{columns} x {rows} pixels"))
            .with_help("ask for fewer than 2^32 pixels"));
    }
    Ok(())
}

/// A plane of pixels.
struct Plane<'a> {
    axis: Axis,
    height: f64,
    grid: &'a PixelGrid,
}

impl Plane<'_> {
    /// The centre of a pixel, in space.
    #[inline(always)]
    fn centre(&self, column: u32, row: u32) -> [f64; 3] {
        self.axis.lift(self.grid.centre(column as usize, row as usize), self.height)
    }

    /// Rows and columns, end excluded, of the pixels whose centres are within `distance`
    /// of a box; `None` if there are none, or the plane misses the box.
    fn pixels(&self, [low, high]: &[[f64; 3]; 2], distance: f64) -> Option<[[u32; 2]; 2]> {
        let across = self.axis.number();
        if self.height < low[across] - distance || self.height > high[across] + distance {
            return None;
        }
        let [columns, rows] = [0, 1].map(|d| {
            let at = |x: f64| (x - self.grid.origin[d]) / self.grid.pitch - 0.5;
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

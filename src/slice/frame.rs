//! Coordinates of layers and pixels.

use crate::error::{Error, Result};

/// The axis that layers are stacked along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Columns run along y, rows along z.
    X,
    /// Columns run along z, rows along x.
    Y,
    /// Columns run along x, rows along y.
    #[default]
    Z,
}

impl Axis {
    /// Number of the axis: 0, 1 or 2.
    pub fn number(self) -> usize {
        self as usize
    }

    /// Numbers of the plane's own two axes, such that with this one they are
    /// right-handed: (y, z) for x, (z, x) for y, (x, y) for z.
    pub fn plane(self) -> [usize; 2] {
        [(self as usize + 1) % 3, (self as usize + 2) % 3]
    }

    /// The plane's coordinates of a point in space.
    pub fn project(self, p: [f64; 3]) -> [f64; 2] {
        self.plane().map(|d| p[d])
    }

    /// The plane's coordinates and the height of a point in space.
    pub(super) fn seen(self, p: [f64; 3]) -> [f64; 3] {
        let [x, y] = self.project(p);
        [x, y, p[self.number()]]
    }

    /// The point in space at coordinates of the plane at `height`.
    #[inline(always)]
    pub fn lift(self, p: [f64; 2], height: f64) -> [f64; 3] {
        let mut lifted = [height; 3];
        self.plane().into_iter().zip(p).for_each(|(d, x)| lifted[d] = x);
        lifted
    }
}

/// Pixels in the plane of the layers. Pixel (column, row) covers origin + `pitch[0]` · [column,
/// column + 1] × `pitch[1]` · [row, row + 1]; row 0 is the lowest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PixelGrid {
    /// Lower left corner in the plane's coordinates, in length units.
    pub origin: [f64; 2],
    /// Width and height of a pixel, in length units.
    pub pitch: [f64; 2],
    /// Columns and rows.
    pub size: [usize; 2],
}

impl PixelGrid {
    /// Area of a pixel, in squared length units.
    pub fn pixel_area(&self) -> f64 {
        self.pitch[0] * self.pitch[1]
    }

    /// The middle of a pixel, in the plane's coordinates.
    pub fn center(&self, column: usize, row: usize) -> [f64; 2] {
        self.at([column as f64, row as f64])
    }

    /// The point at a column and row, whole numbers at the middles of pixels.
    #[inline(always)]
    pub(super) fn at(&self, place: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|d| self.origin[d] + self.pitch[d] * (place[d] + 0.5))
    }

    /// Checks that pixels have a size, and that no side has more than `most` of them.
    pub(super) fn check(&self, most: usize) -> Result<()> {
        let is_placed = self.origin.iter().all(|x| x.is_finite());
        let is_size = |x: &f64| x.is_finite() && *x > 0.0;
        if !(self.pitch.iter().all(is_size) && is_placed) {
            let [width, height] = self.pitch;
            return Err(Error::request(format!("pixels of {width} × {height} length units"))
                .with_help("give a pixel size above 0 and a finite origin"));
        }
        if self.size.iter().any(|&n| n > most) {
            let [columns, rows] = self.size;
            return Err(Error::request(format!("an image of {columns} x {rows} pixels"))
                .with_help(format!("ask for larger pixels; {most} a side is the most")));
        }
        Ok(())
    }
}

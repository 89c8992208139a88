//! Pixels of several parts: which part of each belongs to which, and the attributes there.
//!
//! Parts that overlap: a place belongs to the last one that it is in. What a pixel has of the others
//! is what the later ones leave of its coverage, so that the shares add up to it.

use std::ops::Range;

use super::frame::PixelGrid;
use super::part::PartExtent;
use super::pixels::Raster;
use super::solid_source::SolidSource;
use super::source::{LayerPixels, LayerSource};
use crate::error::Result;

impl SolidSource<'_> {
    /// Attributes as [`LayerSource::attributes`] has them: the mean of the values in the parts, by
    /// their shares of the pixel.
    pub(super) fn mixed(&self, pixels: &LayerPixels<'_>, coverage: &[u16]) -> Result<Vec<f64>> {
        let LayerPixels { grid, height, planes, sampling } = *pixels;
        let (slicer, width, columns) = (self.slicer(), self.channels().len(), grid.size[0]);
        let total: Vec<u16> = slicer.coverage(planes, grid, sampling)?;
        // what later parts leave, and the place of a row's first pixel among those with values
        let mut left = total.clone();
        let mut starts = vec![0];
        starts.extend(coverage.chunks(columns.max(1)).scan(0, |sum, row| {
            *sum += row.iter().filter(|&&covered| covered > 0).count();
            Some(*sum)
        }));
        let mut values = vec![0.0; starts[starts.len() - 1] * width];
        let mut own = vec![0; coverage.len()];
        let mut raster = Raster::new(*grid, sampling)?;
        for (part, at) in self.parts.iter().zip(&slicer.parts).rev() {
            let [bottom, top] = at.extent.heights;
            let beside = slicer.tolerance();
            if !planes.iter().any(|&z| bottom - beside <= z && z <= top + beside) {
                continue;
            }
            slicer.cover_into(at.patches.clone(), planes, &mut raster, &mut own);
            let [across, up] = at.pixels(grid);
            for pixel in up.clone().flat_map(|row| across.clone().map(move |c| row * columns + c)) {
                let share = self.share(own[pixel], left[pixel]);
                left[pixel] -= share;
                own[pixel] = if coverage[pixel] > 0 { share } else { 0 };
            }
            let of_part = match &part.inside {
                None => Vec::new(),
                Some(inside) => inside.own.values(&self.layer(inside, grid)?, height, &own)?,
            };
            let mut found = of_part.chunks_exact(part.places.len().max(1));
            for row in up {
                let pixels = row * columns..(row + 1) * columns;
                let covered = pixels.filter(|&pixel| coverage[pixel] > 0);
                for (pixel, at) in covered.zip(starts[row]..).filter(|&(pixel, _)| own[pixel] > 0) {
                    let fraction = f64::from(own[pixel]) / f64::from(total[pixel]);
                    let values = &mut values[at * width..][..width];
                    part.place.into_iter().for_each(|place| values[place] += fraction);
                    let pairs = part.places.iter().zip(found.next().unwrap_or_default());
                    pairs.for_each(|(&place, value)| values[place] += fraction * value);
                }
            }
            if let Some(inside) = &part.inside {
                inside.values.give(of_part);
            }
        }
        Ok(values)
    }

    /// What a part that covers some of a pixel has of the rest; all of it where they differ by the
    /// rounding of the parts' coverages.
    fn share(&self, covered: u16, left: u16) -> u16 {
        let rounding = self.parts.len().min(usize::from(u16::MAX)) as u16;
        if covered > 0 && left.saturating_sub(covered) < rounding {
            left
        } else {
            covered.min(left)
        }
    }
}

impl PartExtent {
    /// Columns and rows of the pixels that the part may cover.
    fn pixels(&self, grid: &PixelGrid) -> [Range<usize>; 2] {
        [0, 1].map(|d| {
            let place = |end: usize, beside: f64| {
                let at = (self.extent.plane[end][d] - grid.origin[d]) / grid.pitch[d];
                (at.floor() + beside).clamp(0.0, grid.size[d] as f64) as usize
            };
            place(0, -1.0)..place(1, 2.0)
        })
    }
}

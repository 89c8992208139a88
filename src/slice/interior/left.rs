//! Pixels that a device leaves to the CPU.

use std::panic::resume_unwind;
use std::thread;

use rayon::prelude::*;

use super::tiles::Tiles;
use super::{InteriorFinder, NONE, PixelPlane};
use crate::backend::operations::{PixelArrays, Pixels, SettledPixel, TileParts};
use crate::locate::AttributePieces;
use crate::slice::PixelGrid;

/// Least number of pixels that a thread settles.
const MIN_SETTLED: usize = 256;

impl InteriorFinder<'_, '_> {
    /// Places of the centers of pixels, `(layer, pixel)`, by threads of their own, none of rayon's:
    /// a device is locked.
    pub(in crate::slice) fn settle<'a>(
        &'a self,
        heights: &'a [f64],
        left: &'a [(usize, u32)],
    ) -> Vec<SettledPixel> {
        let settle = |&(layer, pixel): &(usize, u32)| {
            let found = self.locator.find_piece(self.center(heights[layer], pixel));
            let (piece, parameters) =
                found.map_or((NONE, [0.0; 3]), |(piece, place)| (piece, place.parameters));
            SettledPixel { layer, pixel, piece, parameters }
        };
        let share = left.len().div_ceil(rayon::current_num_threads()).max(MIN_SETTLED);
        let settle = &settle;
        thread::scope(|scope| {
            let settled = |own: &'a [(usize, u32)]| {
                scope.spawn(move || own.iter().map(settle).collect::<Vec<SettledPixel>>())
            };
            let threads: Vec<_> = left.chunks(share).map(settled).collect();
            let joined = threads.into_iter().map(|t| t.join().unwrap_or_else(|e| resume_unwind(e)));
            joined.collect::<Vec<_>>().concat()
        })
    }

    /// Adds to what a device found of a layer what it leaves to the CPU: places that it does not
    /// know, and attributes in inexact pieces.
    pub(in crate::slice) fn complete(
        &self,
        height: f64,
        mut found: PixelArrays,
        attributes: &[AttributePieces],
    ) -> PixelArrays {
        let PixelArrays { pixels, pieces, parameters, values } = &mut found;
        let all = self.locator.pieces();
        let unknown = |&i: &u32| {
            let piece = pieces[i as usize];
            piece == NONE || !all.pieces[piece as usize].exact
        };
        let mut elsewhere: Vec<u32> = (0..pixels.len() as u32).filter(unknown).collect();
        let nearest = |&i: &u32| {
            let i = i as usize;
            match pieces[i] {
                NONE => self.locator.nearest_piece(self.center(height, pixels[i])),
                _ => None,
            }
        };
        let nearest: Vec<_> = elsewhere.par_iter().map(nearest).collect();
        for (&i, found) in elsewhere.iter().zip(nearest) {
            let Some((piece, place)) = found else { continue };
            (pieces[i as usize], parameters[i as usize]) = (piece, place.parameters);
        }
        for (own, attribute) in values.iter_mut().zip(attributes) {
            let width = attribute.width;
            let mut others = vec![0.0; elsewhere.len() * width];
            others.par_chunks_mut(width).zip(&elsewhere).for_each(|(value, &i)| {
                let i = i as usize;
                if pieces[i] != NONE {
                    all.attribute_at(attribute, pieces[i] as usize, parameters[i], value);
                }
            });
            for (value, &i) in others.chunks_exact(width).zip(&elsewhere) {
                own[i as usize * width..][..width].copy_from_slice(value);
            }
        }
        elsewhere.retain(|&i| pieces[i as usize] == NONE);
        if !elsewhere.is_empty() {
            // a solid without pieces has no pixels
            (*pixels, *pieces, *parameters) = Default::default();
            values.iter_mut().for_each(Vec::clear);
        }
        found
    }

    /// The middle of a pixel, in space.
    fn center(&self, height: f64, pixel: u32) -> [f64; 3] {
        let columns = self.grid.size[0] as u32;
        let plane = PixelPlane { axis: self.axis, height, grid: &self.grid };
        plane.center(pixel % columns, pixel / columns)
    }

    /// Parts that may hold pixels of the layers at `heights`.
    pub(in crate::slice) fn tiles(&self, tiles: &Tiles, heights: &[f64]) -> TileParts {
        tiles.of_layers(self.axis, &self.grid, heights)
    }

    pub(in crate::slice) fn pixels(&self) -> Pixels {
        let PixelGrid { origin, pitch, size } = self.grid;
        Pixels { origin, pitch, size, along: self.axis.plane() }
    }
}

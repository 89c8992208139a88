//! Which parts of a solid may hold pixels of which tiles of a layer.

use std::ops::Range;

use rayon::prelude::*;

use super::PixelPlane;
use crate::backend::operations::{TILE, TileParts};
use crate::interrupt::stop_point;
use crate::locate::Hierarchy;
use crate::slice::{Axis, PixelGrid};

/// The boxes of a solid's parts.
#[derive(Debug)]
pub struct Tiles {
    // [part]
    boxes: Vec<[[f64; 3]; 2]>,
    hierarchy: Hierarchy,
    // how far from its box a pixel's center may be in a part
    reach: f64,
}

/// A part and its rows and columns of tiles.
type PartTiles = (u32, Range<usize>, Range<usize>);

impl Tiles {
    /// Takes boxes of parts; a point may be so far from its box in a part.
    pub fn new(boxes: Vec<[[f64; 3]; 2]>, reach: f64) -> Self {
        let hierarchy = Hierarchy::new(&boxes);
        Self { boxes, hierarchy, reach }
    }

    /// The parts that may hold pixels of each tile of the layers at `heights`.
    pub fn of_layers(&self, axis: Axis, grid: &PixelGrid, heights: &[f64]) -> TileParts {
        let [across, up] = [0, 1].map(|d| grid.size[d].div_ceil(TILE[d]));
        let count = across * up;
        let met: Vec<Vec<PartTiles>> = heights
            .par_iter()
            .map(|&height| self.met(&PixelPlane { axis, height, grid }))
            .collect();
        // [layer][tile]: how many parts, then where they begin
        let mut starts = vec![0_u32; heights.len() * count + 1];
        starts[1..].par_chunks_mut(count.max(1)).zip(&met).for_each(|(counts, met)| {
            stop_point();
            for (_, rows, columns) in met {
                for row in rows.clone() {
                    let tiles = &mut counts[row * across..][columns.clone()];
                    tiles.iter_mut().for_each(|count| *count += 1);
                }
            }
        });
        let mut all = 0;
        starts.iter_mut().for_each(|start| {
            all += *start;
            *start = all;
        });
        let mut parts = vec![0; all as usize];
        let mut rest = &mut parts[..];
        let of_layer = |layer: usize| {
            let starts = &starts[layer * count..=(layer + 1) * count];
            let (own, others) =
                std::mem::take(&mut rest).split_at_mut((starts[count] - starts[0]) as usize);
            rest = others;
            (starts, own)
        };
        let layers: Vec<(&[u32], &mut [u32])> = (0..heights.len()).map(of_layer).collect();
        layers.into_par_iter().zip(met).for_each(|((starts, own), met)| {
            stop_point();
            let mut next: Vec<u32> =
                starts[..count].iter().map(|start| start - starts[0]).collect();
            for (part, rows, columns) in met {
                for row in rows {
                    for next in &mut next[row * across..][columns.clone()] {
                        own[*next as usize] = part;
                        *next += 1;
                    }
                }
            }
        });
        TileParts { starts, parts }
    }

    /// The parts that meet a plane of pixels, in their order.
    fn met(&self, plane: &PixelPlane<'_>) -> Vec<PartTiles> {
        let mut met = Vec::new();
        let axis = plane.axis.number();
        self.hierarchy.across(axis, plane.height, self.reach, |part| met.push(part));
        met.sort_unstable();
        let tiles = |part: u32| {
            let [rows, columns] = plane.pixels(&self.boxes[part as usize], self.reach)?;
            let range = |[start, end]: [u32; 2], size: usize| {
                start as usize / size..(end as usize).div_ceil(size)
            };
            Some((part, range(rows, TILE[1]), range(columns, TILE[0])))
        };
        met.into_iter().filter_map(tiles).collect()
    }
}

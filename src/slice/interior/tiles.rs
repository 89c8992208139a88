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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::testing::Random;

    /// Every tile has exactly the parts whose boxes hold the center of one of its pixels' rows
    /// and columns, ascending.
    #[test]
    fn tiles_have_the_parts_around_them() {
        let mut numbers = Random::new(7);
        let mut random = || numbers.unit();
        let boxes: Vec<[[f64; 3]; 2]> = (0..3000)
            .map(|_| {
                let low = [random(), random(), random()].map(|x| 1.3 * x - 0.2);
                [low, low.map(|x| x + 0.2 * random())]
            })
            .collect();
        let tiles = Tiles::new(boxes.clone(), 0.0);
        let grid = PixelGrid { origin: [0.0, 0.1], pitch: [0.01; 2], size: [101, 75] };
        let heights = [0.3, 5.0, 0.31];
        let found = tiles.of_layers(Axis::Y, &grid, &heights);
        let [across, up] = [7, 10];
        assert_eq!(found.starts.len(), heights.len() * across * up + 1);
        for (i, ends) in found.starts.windows(2).enumerate() {
            let (layer, tile) = (i / (across * up), i % (across * up));
            // does one of `size` pixels from `first` have its center between?
            let meets = |d: usize, tile: usize, low: f64, high: f64| {
                let pixels = tile * TILE[d]..grid.size[d].min((tile + 1) * TILE[d]);
                let center = |at: usize| grid.origin[d] + grid.pitch[d] * (at as f64 + 0.5);
                pixels.into_iter().any(|at| low <= center(at) && center(at) <= high)
            };
            let expected = (0..boxes.len() as u32).filter(|&part| {
                let [low, high] = boxes[part as usize];
                let [a, b] = Axis::Y.plane();
                low[1] <= heights[layer]
                    && heights[layer] <= high[1]
                    && meets(0, tile % across, low[a], high[a])
                    && meets(1, tile / across, low[b], high[b])
            });
            let own = &found.parts[ends[0] as usize..ends[1] as usize];
            assert!(expected.eq(own.iter().copied()), "tile {i}");
        }
        assert!(found.parts.len() > 500);
    }
}

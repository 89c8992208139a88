//! Walls that images lose whose pixels are white where their centers are inside: those that lie
//! between centers.

use std::ops::Range;

use super::frame::PixelGrid;
use super::source::LayerSource;
use super::stack::Stack;
use crate::backend::operations::Sampling;
use crate::error::{IdKind, Message, Result, option_name};
use crate::numbers::{by_count, counted};

/// Layers that are looked at, at most; and their pixels together, if that is more than one layer.
const MAX_LAYERS: usize = 64;
const MAX_PIXELS: usize = 1 << 26;

/// Pixels of a layer that a wall touches at least: the tips of sharp corners touch fewer.
const MIN_WALL: usize = 8;

/// What to say of walls that no white pixel is at, of layers that are spread over `layers` evenly;
/// `None` if those have none. A pixel is lost that is partly covered, and neither white nor next to a
/// white one.
///
/// # Errors
/// As [`LayerSource::coverage`].
pub fn thin_walls(
    source: &dyn LayerSource,
    stack: &Stack,
    layers: Range<usize>,
    grid: &PixelGrid,
) -> Result<Option<Message>> {
    let most = MAX_PIXELS / grid.size.iter().product::<usize>().max(1);
    let looked_at = layers.len().min(most.clamp(1, MAX_LAYERS));
    let mut found = Vec::new();
    for i in 0..looked_at {
        let layer = layers.start + (2 * i + 1) * layers.len() / (2 * looked_at);
        let plane = [stack.middle(layer)];
        let [touched, white] = [Sampling::Area, Sampling::Center]
            .map(|sampling| source.coverage(&plane, grid, sampling));
        let lost = lost_pixels(&touched?, &white?, grid.size);
        if lost >= MIN_WALL {
            found.push((layer, lost));
        }
    }
    let Some(&(layer, lost)) = found.iter().max_by_key(|(_, lost)| *lost) else { return Ok(None) };
    let (pixels, of_all) = (counted(lost, "pixel"), counted(looked_at, "layer"));
    let (some, have) = (found.len(), by_count(found.len(), "has", "have"));
    Ok(Some(message!(
        "walls between the centers of pixels are left out: of {of_all} that were looked at {some} \
         {have} some, ",
        IdKind::Layer.id(layer),
        " in {pixels}. Give ",
        option_name("antialias"),
        " or smaller pixels"
    )))
}

/// Number of pixels that are touched, and neither white nor next to a white one.
fn lost_pixels(touched: &[u16], white: &[u16], [columns, rows]: [usize; 2]) -> usize {
    let around = |at: usize, most: usize| at.saturating_sub(1)..(at + 2).min(most);
    let is_lost = |pixel: usize| {
        let (column, row) = (pixel % columns, pixel / columns);
        let near = around(column, columns);
        around(row, rows)
            .all(|row| white[row * columns..][near.clone()].iter().all(|&level| level == 0))
    };
    (0..touched.len()).filter(|&pixel| touched[pixel] > 0 && is_lost(pixel)).count()
}

//! Contours of all layers as polylines in space, with attributes, for ParaView.
//!
//! Cell arrays: `layer` (its number), `height`, `thickness` (of the layer), `depth` (contours around it: odd for
//! holes), `area` (negative for holes). Point arrays: the attributes asked for.

use std::path::Path;

use super::{LayerOutput, Output, OutputLayer};
use crate::error::Result;
use crate::io::{PolylinePiece, PolylineWriter};
use crate::slice::Setting;
use crate::slice::source::Channel;
use crate::slice::{Axis, Contour};

const CELL_ARRAYS: [&str; 5] = ["layer", "height", "thickness", "depth", "area"];

/// A `.vtp` file of contours.
#[derive(Debug)]
pub struct Polylines {
    writer: PolylineWriter,
    axis: Axis,
    /// Attributes that are written, as places among the source's channels.
    attributes: Vec<usize>,
    channels: usize,
    tolerance: f64,
}

impl Polylines {
    /// Starts the file, with the attributes of some of the source's channels.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if it cannot be written.
    pub fn create(
        path: impl AsRef<Path>,
        setting: &Setting,
        channels: &[Channel],
        attributes: &[usize],
    ) -> Result<Self> {
        let chosen = attributes.iter().filter_map(|&channel| channels.get(channel));
        let arrays: Vec<_> = chosen.map(|channel| (channel.name.as_str(), 1)).collect();
        let writer = PolylineWriter::create(path, &arrays, &CELL_ARRAYS)?;
        let attributes = attributes.iter().copied().filter(|&c| c < channels.len()).collect();
        let (axis, tolerance) = (setting.axis, setting.tolerance);
        Ok(Self { writer, axis, attributes, channels: channels.len(), tolerance })
    }
}

impl Output for Polylines {
    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        // attributes vary along straight lines, too
        let layer = match self.attributes[..] {
            [] => cut.contours()?.merged(self.tolerance),
            _ => cut.contours()?.clone(),
        };
        let flat = layer.contours.iter().flat_map(|contour| &contour.points);
        let points: Vec<_> = flat.map(|&p| self.axis.lift(p, layer.height)).collect();
        let values = if self.attributes.is_empty() || points.is_empty() {
            Vec::new()
        } else {
            let inward = layer.contours.iter().flat_map(|contour| inward(&contour.points));
            let inward: Vec<_> = inward.map(|n| self.axis.lift(n, 0.0)).collect();
            cut.source.attributes_at(&points, &inward)?
        };
        let column = |&channel: &usize| {
            values.iter().skip(channel).step_by(self.channels.max(1)).copied().collect()
        };
        let point_values = self.attributes.iter().map(column).collect();
        let lines = &layer.contours;
        let of_lines = |value: &dyn Fn(&Contour) -> f64| lines.iter().map(value).collect();
        let line_values = vec![
            of_lines(&|_| layer.index as f64),
            of_lines(&|_| layer.height),
            of_lines(&|_| cut.stack.height_of(cut.index)),
            of_lines(&|contour| f64::from(contour.depth)),
            of_lines(&|contour| contour.area()),
        ];
        let sizes = lines.iter().map(|contour| contour.points.len()).collect();
        Ok(LayerOutput::of(PolylinePiece { points, sizes, point_values, line_values }))
    }

    fn take(&mut self, layer: LayerOutput) -> Result<()> {
        self.writer.push(&layer.get()?)
    }

    fn finish(&mut self) -> Result<()> {
        self.writer.finish()
    }
}

/// For each point of a contour a unit vector to its left, where the material is; 0 where sides are
/// opposite.
fn inward(points: &[[f64; 2]]) -> impl Iterator<Item = [f64; 2]> + '_ {
    let unit = |[x, y]: [f64; 2]| {
        let length = x.hypot(y);
        if length > 0.0 { [x / length, y / length] } else { [0.0; 2] }
    };
    (0..points.len()).map(move |i| {
        let [before, own, after] = [points.len() - 1, 0, 1].map(|k| points[(i + k) % points.len()]);
        let [a, b] = [[before, own], [own, after]].map(|[p, q]| unit([p[1] - q[1], q[0] - p[0]]));
        unit([a[0] + b[0], a[1] + b[1]])
    })
}

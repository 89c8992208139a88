//! Drawings of all layers in one SVG file, as Slic3r writes them (`--export-svg`): a `g` of
//! polygons per layer, white contours and black holes on top of them, in millimeters.
//!
//! Layers are named `layer0` upward whatever part of the model is sliced, because programs look
//! for the first by its name; `slic3r:z` is the height of the cut above the bottom of the model.
//! The corner of the model's box is the origin, and rows run upward, as printers count them.

use std::fmt::Write as _;
use std::io::{Write, copy};
use std::ops::Range;
use std::path::Path;

use super::spool::Spool;
use super::svg::decimals;
use super::{LayerOutput, Output, OutputLayer};
use crate::error::Result;
use crate::slice::{Contour, Layer, Setting};

/// A file of drawings.
pub struct LayeredSvg {
    body: Spool,
    setting: Setting,
    first: usize,
    decimals: usize,
}

impl LayeredSvg {
    /// Starts a file for the layers of a range.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if it cannot be written.
    pub fn create(
        path: impl AsRef<Path>,
        setting: &Setting,
        layers: &Range<usize>,
    ) -> Result<Self> {
        let body = Spool::create(path.as_ref())?;
        let decimals = decimals(setting.tolerance * setting.unit_mm);
        Ok(Self { body, setting: setting.clone(), first: layers.start, decimals })
    }

    fn head(&self) -> String {
        let [low, high] = self.setting.plane;
        let [width, height] = [0, 1].map(|d| (high[d] - low[d]) * self.setting.unit_mm);
        let decimals = self.decimals;
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
             <!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.0//EN\" \
             \"http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd\">\n\
             <svg width=\"{width:.decimals$}\" height=\"{height:.decimals$}\" \
             xmlns=\"http://www.w3.org/2000/svg\" xmlns:svg=\"http://www.w3.org/2000/svg\" \
             xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
             xmlns:slic3r=\"http://slic3r.org/namespaces/slic3r\">\n"
        )
    }

    fn layer(&self, layer: &Layer) -> String {
        let height = (layer.height - self.setting.stack.low()) * self.setting.unit_mm;
        let (number, decimals) = (layer.index - self.first, self.decimals);
        let mut text = format!("  <g id=\"layer{number}\" slic3r:z=\"{height:.decimals$}\">\n");
        // what lies in a hole is drawn over it
        let mut contours: Vec<&Contour> = layer.contours.iter().collect();
        contours.sort_by_key(|contour| contour.depth);
        for contour in contours {
            let (kind, color) =
                if contour.is_hole() { ("hole", "black") } else { ("contour", "white") };
            let _ = write!(text, "    <polygon slic3r:type=\"{kind}\" points=\"");
            for (i, p) in contour.points.iter().enumerate() {
                let low = self.setting.plane[0];
                let [x, y] = [0, 1].map(|d| (p[d] - low[d]) * self.setting.unit_mm + 0.0);
                let space = if i == 0 { "" } else { " " };
                let _ = write!(text, "{space}{x:.decimals$},{y:.decimals$}");
            }
            let _ = writeln!(text, "\" style=\"fill: {color}\" />");
        }
        text.push_str("  </g>\n");
        text
    }
}

impl Output for LayeredSvg {
    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        Ok(LayerOutput::of(self.layer(&cut.contours()?.merged(self.setting.tolerance))))
    }

    fn take(&mut self, layer: LayerOutput) -> Result<()> {
        self.body.push(layer.get::<String>()?.as_bytes())
    }

    fn finish(&mut self) -> Result<()> {
        let head = self.head();
        self.body.finish(|out, body| {
            out.write_all(head.as_bytes())?;
            copy(body, out)?;
            out.write_all(b"</svg>\n")
        })
    }
}

//! Drawings of layers: `DIR/00012_z0.6250.svg`, contours filled by the nonzero
//! rule: holes run against the contours around them.
//!
//! The drawing is the model's box in the plane, in millimeters, seen from above: y of
//! the drawing runs down, so the plane's second coordinate is mirrored. Of several parts each is a group
//! `part1`, `part2`… with its name as the title.

use std::fmt::Write as _;
use std::path::Path;

use super::OutputLayer;
use super::directory::{LayerDirectory, LayerFiles, OutputDirectory};
use crate::error::Result;
use crate::io::escape;
use crate::numbers::significant;
use crate::slice::Setting;
use crate::slice::manifest::{FileEntry, Files};
use crate::slice::{Hatching, Layer};

/// A directory of drawings.
pub type SvgStack = OutputDirectory<SvgDrawing>;

/// Draws layers.
#[derive(Debug)]
pub struct SvgDrawing {
    axis: char,
    unit_mm: f64,
    /// Lower left and upper right corner in the plane's coordinates.
    plane: [[f64; 2]; 2],
    tolerance: f64,
    hatching: Option<Hatching>,
    decimals: usize,
    /// Names of the parts, if there are several.
    parts: Vec<String>,
}

impl SvgStack {
    /// Opens the directory; earlier drawings of the same parameters stay, and if
    /// `resume` are not made again.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) or [`Error::File`](crate::Error::File) if the directory
    /// cannot be written or holds layers of other parameters.
    pub fn open(path: impl AsRef<Path>, setting: &Setting, resume: bool) -> Result<Self> {
        let [low, high] = setting.plane;
        let size = [0, 1].map(|d| high[d] - low[d]);
        let parameters =
            setting.parameters(Files::Svg { origin: low, size, hatching: setting.hatching });
        let model = setting.model.clone();
        let files = SvgDrawing {
            axis: setting.axis_letter(),
            unit_mm: setting.unit_mm,
            plane: setting.plane,
            tolerance: setting.tolerance,
            hatching: setting.hatching,
            decimals: decimals(setting.tolerance * setting.unit_mm),
            parts: match &setting.parts[..] {
                [] | [_] => Vec::new(),
                parts => parts.iter().map(|own| own.name.clone().unwrap_or_default()).collect(),
            },
        };
        let directory = LayerDirectory::open(path.as_ref(), model, parameters, &[], resume)?;
        Ok(Self { directory, files })
    }
}

impl SvgDrawing {
    /// The drawing of a layer, by its parts.
    fn draw(&self, cut: &OutputLayer, parts: &[Layer]) -> Result<String> {
        let ([low, high], mm, decimals) = (self.plane, self.unit_mm, self.decimals);
        let [width, height] = [0, 1].map(|d| (high[d] - low[d]) * mm);
        let mut svg = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.decimals$}mm\" \
             height=\"{height:.decimals$}mm\" viewBox=\"0 0 {width:.decimals$} {height:.decimals$}\">\n\
             <title>Layer {}, {} = {}</title>\n",
            cut.index,
            self.axis,
            cut.stack.middle(cut.index)
        );
        for (number, layer) in (1..).zip(parts) {
            let name = self.parts.get(number - 1).filter(|_| !layer.contours.is_empty());
            if let Some(name) = name {
                let _ = writeln!(svg, "<g id=\"part{number}\"><title>{}</title>", escape(name));
            }
            self.draw_part(layer, &mut svg)?;
            if name.is_some() {
                svg.push_str("</g>\n");
            }
        }
        svg.push_str("</svg>\n");
        Ok(svg)
    }

    /// Appends the contours of a part, and their hatches.
    fn draw_part(&self, layer: &Layer, svg: &mut String) -> Result<()> {
        let ([low, high], mm, decimals) = (self.plane, self.unit_mm, self.decimals);
        if !layer.contours.is_empty() {
            svg.push_str("<path fill=\"black\" fill-rule=\"nonzero\" d=\"");
            for contour in &layer.contours {
                for (i, p) in contour.points.iter().enumerate() {
                    let command = if i == 0 { 'M' } else { 'L' };
                    let (x, y) = ((p[0] - low[0]) * mm, (high[1] - p[1]) * mm);
                    let _ = write!(svg, "{command}{x:.decimals$} {y:.decimals$}");
                }
                svg.push_str("Z\n");
            }
            svg.push_str("\"/>\n");
        }
        if let Some(hatching) = &self.hatching {
            let vectors = hatching.vectors(&layer.contours, layer.index, self.tolerance)?;
            // a quarter of the distance: what lies between lines stays black
            let width = significant(0.25 * hatching.spacing * mm);
            let style = "class=\"hatches\" fill=\"none\" stroke=\"white\"";
            let _ = write!(svg, "<path {style} stroke-width=\"{width}\" d=\"");
            for ends in vectors {
                for (command, [x, y]) in ['M', 'L'].into_iter().zip(ends) {
                    let (x, y) = ((x - low[0]) * mm, (high[1] - y) * mm);
                    let _ = write!(svg, "{command}{x:.decimals$} {y:.decimals$}");
                }
                svg.push('\n');
            }
            svg.push_str("\"/>\n");
        }
        Ok(())
    }
}

impl LayerFiles for SvgDrawing {
    fn write(&self, cut: &OutputLayer, directory: &LayerDirectory) -> Result<Vec<FileEntry>> {
        let parts: Vec<Layer> =
            cut.parts(self.tolerance)?.iter().map(|part| part.merged(self.tolerance)).collect();
        let path = format!("{}.svg", cut.stack.file_stem(cut.index, self.axis));
        let bytes = directory.write_file(cut.index, &path, self.draw(cut, &parts)?.as_bytes())?;
        let area = Some(parts.iter().map(Layer::area).sum());
        let contours = Some(parts.iter().map(|part| part.contours.len()).sum());
        Ok(vec![FileEntry { path, bytes, area, contours, ..FileEntry::default() }])
    }
}

/// Digits behind the point that keep rounding a hundred times below the tolerance, of the smallest
/// models too, in the smallest units.
pub fn decimals(tolerance: f64) -> usize {
    (-tolerance.log10()).ceil().clamp(0.0, 130.0) as usize + 2
}

//! 3MF with the contours of all layers: a slice stack (3MF Slice Extension 1.0.2), in millimeters.
//!
//! The object has the box of the layers as its mesh, of low resolution as the extension calls a mesh
//! that only says where the slices lie. Coordinates are in the slicing plane, z is the height along
//! the slicing axis.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::ops::Range;
use std::path::Path;

use super::spool::Spool;
use super::svg::decimals;
use super::{LayerOutput, Output, OutputLayer};
use crate::error::Result;
use crate::io::{LengthUnit, ModelWriter, box_mesh};
use crate::slice::{Contour, Setting};

const NAMESPACE: &str = "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07";
/// Bytes that are copied at once.
const BLOCK: usize = 1 << 20;

/// A file of contours.
pub struct SliceStack {
    body: Spool,
    layout: SliceLayout,
}

/// Where slices lie, and how numbers are written.
struct SliceLayout {
    setting: Setting,
    layers: Range<usize>,
    decimals: usize,
}

impl SliceStack {
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
        let (setting, layers) = (setting.clone(), layers.clone());
        Ok(Self { body, layout: SliceLayout { setting, layers, decimals } })
    }
}

impl SliceLayout {
    /// Millimeters of a length, as text.
    fn length(&self, x: f64) -> String {
        format!("{:.*}", self.decimals, x * self.setting.unit_mm + 0.0)
    }

    /// Ends of the layers of the range.
    fn ends(&self) -> [f64; 2] {
        let stack = &self.setting.stack;
        [stack.slab(self.layers.start)[0], stack.slab(self.layers.end.max(1) - 1)[1]]
    }

    fn slice(&self, top: f64, contours: &[Contour]) -> String {
        let mut text = format!("<s:slice ztop=\"{}\">\n", self.length(top));
        let contours = || contours.iter().filter(|contour| contour.points.len() > 2);
        if contours().next().is_some() {
            text.push_str("<s:vertices>\n");
            for [x, y] in contours().flat_map(|contour| &contour.points) {
                let (x, y) = (self.length(*x), self.length(*y));
                let _ = writeln!(text, "<s:vertex x=\"{x}\" y=\"{y}\"/>");
            }
            text.push_str("</s:vertices>\n");
        }
        let mut first = 0;
        for contour in contours() {
            let end = first + contour.points.len();
            let _ = write!(text, "<s:polygon startv=\"{first}\">");
            for v in (first + 1..end).chain([first]) {
                let _ = write!(text, "<s:segment v2=\"{v}\"/>");
            }
            text.push_str("</s:polygon>\n");
            first = end;
        }
        text.push_str("</s:slice>\n");
        text
    }

    fn write(&self, out: &mut BufWriter<File>, body: &mut File) -> io::Result<()> {
        let [low, high] = self.setting.plane;
        let [bottom, top] = self.ends();
        let scaled = |p: [f64; 3]| p.map(|x| x * self.setting.unit_mm);
        let ends = [[low[0], low[1], bottom], [high[0], high[1], top]].map(scaled);
        let (extension, bytes) = (("s", NAMESPACE), body.metadata()?.len());
        let mut model = ModelWriter::begin(out, LengthUnit::Millimeter, &[extension], bytes)?;
        let stack = format!("<s:slicestack id=\"1\" zbottom=\"{}\">\n", self.length(bottom));
        model.append(stack.as_bytes())?;
        let mut block = vec![0; BLOCK];
        loop {
            match body.read(&mut block)? {
                0 => break,
                read => model.append(&block[..read])?,
            }
        }
        let object = format!(
            "</s:slicestack>\n<object id=\"2\" type=\"model\" s:slicestackid=\"1\" \
             s:meshresolution=\"lowres\">\n{}</object>\n",
            box_mesh(ends)
        );
        model.append(object.as_bytes())?;
        model.finish(2)
    }
}

impl Output for SliceStack {
    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        let layer = cut.contours()?.merged(self.layout.setting.tolerance);
        let top = cut.stack.slab(cut.index)[1];
        Ok(LayerOutput::of(self.layout.slice(top, &layer.contours)))
    }

    fn take(&mut self, layer: LayerOutput) -> Result<()> {
        self.body.push(layer.get::<String>()?.as_bytes())
    }

    fn finish(&mut self) -> Result<()> {
        self.body.finish(|out, body| self.layout.write(out, body))
    }
}

//! Common Layer Interface (`.cli`), version 2.0: contours of all layers for powder beds.
//!
//! Outer contours are counter-clockwise (direction 1), holes clockwise (direction 0); a
//! contour ends at the point where it begins. A `LAYER` names the layer's upper surface;
//! an empty first one, the bottom of the lowest, gives that its thickness.
//! Coordinates are in the slicing plane, heights along the slicing axis. Hatches of a layer, if there
//! are any, are one list behind its contours. Of several parts each has an id, from 1 on, with its name as the
//! label.

use std::fmt::Write as _;
use std::io::{Write, copy};
use std::ops::Range;
use std::path::Path;

use super::spool::Spool;
use super::svg::decimals;
use super::{LayerOutput, Output, OutputLayer};
use crate::error::{Error, IdKind, Result, option_name};
use crate::slice::Contour;
use crate::slice::{Hatch, Hatching, Setting};

/// How numbers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// As text, in length units, to a hundredth of the tolerance.
    #[default]
    Text,
    /// In single precision, with the long commands 127 (layer) and 130 (polyline).
    Binary,
}

/// Commands of the binary form, and its flag of an outer contour.
const START_LAYER_LONG: u16 = 127;
const START_POLYLINE_LONG: u16 = 130;
const START_HATCHES_LONG: u16 = 132;

/// A file of contours.
pub struct CommonLayerInterface {
    encoding: Encoding,
    tolerance: f64,
    hatching: Option<Hatching>,
    decimals: usize,
    head: String,
    body: Spool,
}

impl CommonLayerInterface {
    /// Starts a file for the layers of a range.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written; [`Error::Request`] for coordinates out of the range
    /// of single precision in binary.
    pub fn create(
        path: impl AsRef<Path>,
        setting: &Setting,
        layers: &Range<usize>,
        encoding: Encoding,
    ) -> Result<Self> {
        let body = Spool::create(path.as_ref())?;
        if encoding == Encoding::Binary {
            check_single(setting)?;
        }
        let Setting { tolerance, hatching, .. } = *setting;
        let decimals = decimals(tolerance);
        let head = head(setting, layers, encoding, decimals);
        let mut file = Self { encoding, tolerance, hatching, decimals, head, body };
        let bottom = file.layer(setting.stack.slab(layers.start)[0]);
        file.body.push(&bottom)?;
        Ok(file)
    }

    fn layer(&self, top: f64) -> Vec<u8> {
        match self.encoding {
            Encoding::Text => format!("$$LAYER/{top:.*}\n", self.decimals).into(),
            Encoding::Binary => [&START_LAYER_LONG.to_le_bytes()[..], &real(top)].concat(),
        }
    }

    fn polyline(&self, id: u32, contour: &Contour) -> Vec<u8> {
        let outer = u32::from(!contour.is_hole());
        let points = contour.points.iter().chain(contour.points.first());
        let count = contour.points.len() + 1;
        match self.encoding {
            Encoding::Text => {
                let mut line = format!("$$POLYLINE/{id},{outer},{count}");
                for &[x, y] in points {
                    let _ = write!(line, ",{x:.*},{y:.*}", self.decimals, self.decimals);
                }
                line.push('\n');
                line.into()
            }
            Encoding::Binary => {
                let mut bytes = START_POLYLINE_LONG.to_le_bytes().to_vec();
                for number in [id, outer, count as u32] {
                    bytes.extend(number.to_le_bytes());
                }
                bytes.extend(points.flatten().flat_map(|&x| real(x)));
                bytes
            }
        }
    }

    fn hatches(&self, id: u32, vectors: &[Hatch]) -> Vec<u8> {
        let count = vectors.len();
        let numbers = vectors.as_flattened().as_flattened();
        match self.encoding {
            Encoding::Text => {
                let mut line = format!("$$HATCHES/{id},{count}");
                for x in numbers {
                    let _ = write!(line, ",{x:.*}", self.decimals);
                }
                line.push('\n');
                line.into()
            }
            Encoding::Binary => {
                let mut bytes = START_HATCHES_LONG.to_le_bytes().to_vec();
                for number in [id, count as u32] {
                    bytes.extend(number.to_le_bytes());
                }
                bytes.extend(numbers.iter().flat_map(|&x| real(x)));
                bytes
            }
        }
    }
}

impl Output for CommonLayerInterface {
    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        let mut bytes = self.layer(cut.stack.slab(cut.index)[1]);
        for (id, part) in (1..).zip(cut.parts(self.tolerance)?) {
            let layer = part.merged(self.tolerance);
            if layer.contours.iter().any(|contour| u32::try_from(contour.points.len()).is_err()) {
                return Err(Error::request(message!(
                    IdKind::Layer.id(cut.index),
                    " has too many points"
                )));
            }
            for contour in layer.contours.iter().filter(|contour| !contour.points.is_empty()) {
                bytes.extend(self.polyline(id, contour));
            }
            if let Some(hatching) = &self.hatching {
                let vectors = hatching.vectors(&layer.contours, cut.index, self.tolerance)?;
                if !vectors.is_empty() {
                    bytes.extend(self.hatches(id, &vectors));
                }
            }
        }
        Ok(LayerOutput::of(bytes))
    }

    fn take(&mut self, layer: LayerOutput) -> Result<()> {
        self.body.push(&layer.get::<Vec<u8>>()?)
    }

    fn finish(&mut self) -> Result<()> {
        self.body.finish(|out, body| {
            out.write_all(self.head.as_bytes())?;
            copy(body, out)?;
            match self.encoding {
                Encoding::Text => out.write_all(b"$$GEOMETRYEND\n"),
                Encoding::Binary => Ok(()),
            }
        })
    }
}

/// Refuses coordinates that single precision makes infinite, or 0.
fn check_single(setting: &Setting) -> Result<()> {
    let stack = &setting.stack;
    let heights = [stack.low(), stack.slab(stack.count().max(1) - 1)[1]];
    let numbers = setting.plane.as_flattened().iter().chain(&heights);
    let largest = numbers.fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let [least, most] = [f32::MIN_POSITIVE, f32::MAX].map(f64::from);
    if (least..=most).contains(&largest) {
        return Ok(());
    }
    Err(Error::request(format!(
        "coordinates up to {largest:e} are outside the range of single precision, \
         {least:.1e} to {most:.1e}"
    ))
    .with_help(message!(
        "write the contours as text, without ",
        option_name("binary"),
        ", or scale the model"
    )))
}

fn head(setting: &Setting, layers: &Range<usize>, encoding: Encoding, decimals: usize) -> String {
    let [low, high] = setting.plane;
    let bottom = setting.stack.slab(layers.start)[0];
    let top = setting.stack.slab(layers.end.max(1) - 1)[1];
    let (form, start) = match encoding {
        Encoding::Text => ("$$ASCII", "$$GEOMETRYSTART\n"),
        Encoding::Binary => ("$$BINARY", ""), // the data begin at the next byte
    };
    let end = match encoding {
        Encoding::Text => "$$HEADEREND\n",
        Encoding::Binary => "$$HEADEREND",
    };
    let numbers = [low[0], low[1], bottom, high[0], high[1], top];
    let dimension = numbers.map(|x| format!("{:.decimals$}", x + 0.0)).join(",");
    format!(
        "$$HEADERSTART\n{form}\n$$UNITS/{}\n$$VERSION/200\n{}$$DIMENSION/{dimension}\n$$LAYERS/{}\n{end}{start}",
        setting.unit_mm,
        labels(setting),
        layers.len() + 1
    )
}

/// The names of the parts by their ids, in lines of their own.
fn labels(setting: &Setting) -> String {
    if setting.parts.len() < 2 {
        return "$$LABEL/1,model\n".to_owned();
    }
    let names = setting.parts.iter().map(|part| part.name.as_deref().unwrap_or("part"));
    let label = |(id, name): (usize, &str)| {
        // a line, in which two of these begin a command
        format!("$$LABEL/{id},{}\n", name.replace(|c: char| c.is_control() || c == '$', "_"))
    };
    (1..).zip(names).map(label).collect()
}

fn real(x: f64) -> [u8; 4] {
    (x as f32).to_le_bytes()
}

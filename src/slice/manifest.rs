//! Description of the files of a stack of layers: `manifest.json` next to them.
//!
//! The manifest says everything that a printer needs to know of the images, and
//! everything that their bytes depend on. Files of the same parameters are the same
//! files, which is what lets a job that was interrupted go on, or another range of
//! layers join the first.

use std::io::{ErrorKind, Write};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::compensation::Compensation;
use super::hatch::Hatching;
use super::lattice::TileLattice;
use super::part::Placement;
use super::pixels::{Bits, Flip, GrayCurve};
use crate::error::{Error, Result};
use crate::io::atomic::CompleteFile;
use crate::io::{atomic, bounded_file};

/// Name of the manifest in its directory.
pub const FILE_NAME: &str = "manifest.json";

/// Bytes of the largest manifest that is read: of millions of layers.
const MOST_BYTES: u64 = 1 << 30;

/// What [`Manifest::format`] says.
const FORMAT: &str = "subsolid layers 1";

/// All of a manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The kind of manifest and its version.
    pub format: String,
    /// Name of the model's file, if it has one.
    pub model: Option<String>,
    /// What the files depend on.
    pub parameters: Parameters,
    /// Whether the last job came to its end; if not, another may resume it.
    pub complete: bool,
    /// The layers that are there, from the bottom.
    pub layers: Vec<LayerEntry>,
}

/// Everything that the bytes of the files depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Program and version.
    pub program: String,
    /// [`fingerprint`](super::fingerprint()) of the control mesh.
    pub model_sha256: String,
    /// The parts, if there are several or they have names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartEntry>,
    /// Millimeters in a length unit. All lengths in the manifest are in length units.
    pub unit_mm: f64,
    /// Axis that the layers are stacked along: x, y or z.
    pub axis: char,
    /// Axes of the model that columns and rows of a layer run along.
    pub plane: [char; 2],
    /// Height of a layer; the greatest where they differ.
    pub layer_height: f64,
    /// Bottom of layer 0.
    pub low: f64,
    /// Number of layers of the whole model.
    pub layer_count: usize,
    /// Tops of all layers of the whole model, if their heights differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layer_tops: Vec<f64>,
    /// Distance that contours keep from the limit surface.
    pub tolerance: f64,
    /// What layers are compensated for; the rest is that of such layers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compensation: Option<Compensation>,
    /// The lattice that the material is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lattice: Option<TileLattice>,
    /// What every layer has.
    pub files: Files,
}

/// A part of what was sliced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// [`fingerprint`](super::fingerprint()) of its control mesh.
    pub model_sha256: String,
    /// How it was moved.
    pub place: Placement,
}

/// The kind of files of a stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Files {
    /// Images in PNG.
    Png(Images),
    /// Images in BMP.
    Bmp(Images),
    /// Contours.
    Svg {
        /// Lower left corner of the drawing, in the plane's coordinates.
        origin: [f64; 2],
        /// Width and height of the drawing.
        size: [f64; 2],
        /// Hatches inside the contours.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hatching: Option<Hatching>,
    },
}

/// What the pixels of a stack of images mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Images {
    /// Width and height of a pixel; in the file one number where they are equal.
    #[serde(with = "pitch")]
    pub pitch: [f64; 2],
    /// Columns and rows.
    pub resolution: [usize; 2],
    /// Lower left corner of the lowest row's first pixel, in the plane's coordinates.
    pub origin: [f64; 2],
    /// Direction in which rows of the images run; not flipped, the first row is the highest.
    pub flip: Flip,
    /// Bits of a pixel; images of 1 bit are dithered.
    pub bits: Bits,
    /// What is written for gray levels, if it is not these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<GrayCurve>,
    /// Whether a pixel on the contour has the part of its area that is covered.
    pub antialias: bool,
    /// Planes that a layer is the average of; one is its middle.
    pub planes: usize,
    /// The gray images of every layer.
    pub stacks: Vec<ImageStack>,
    /// The materials, of which every pixel has one or none; of stacks of materials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<MaterialEntry>,
}

/// What one of the images of a layer shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageStack {
    /// Name of the stack, and of its directory.
    pub name: String,
    /// The attribute's name; none for the material itself.
    pub attribute: Option<String>,
    /// Values that are black and white. A pixel's level is the covered part of it times
    /// (value − black) / (white − black), within 0 and 1.
    pub range: [f64; 2],
}

/// A material of a stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaterialEntry {
    /// Number of the material in indexed images; 0 is no material.
    pub number: u8,
    /// Name of the material.
    pub name: String,
    /// Color of the material, `#rrggbb`.
    pub color: String,
    /// The attribute or array that says where it is.
    pub attribute: String,
    /// The value of the array where the material is; none if it is the material's fraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Directory of its images, which several materials share if the images are indexed.
    pub folder: String,
}

/// A layer that is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerEntry {
    /// Number of the layer.
    pub index: usize,
    /// Height of the layer's middle along the axis.
    pub height: f64,
    /// Height of the layer itself, if heights differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Image files of the layer.
    pub files: Vec<FileEntry>,
}

/// A file of a layer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path from the manifest's directory, with / between its parts.
    pub path: String,
    /// Length of the file.
    pub bytes: u64,
    /// For an image, the sum of its gray levels, each from 0 to 2^bits − 1; of those before a curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level_sum: Option<u64>,
    /// For an indexed image, the number of pixels of each material, in the order of the materials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pixels: Vec<u64>,
    /// Of contours: the area of the material, in squared length units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<f64>,
    /// Of contours: how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contours: Option<usize>,
}

impl Manifest {
    /// A manifest without layers.
    pub fn new(model: Option<String>, parameters: Parameters) -> Self {
        Self { format: FORMAT.into(), model, parameters, complete: false, layers: Vec::new() }
    }

    /// Reads the manifest of a directory; `None` if it has none.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::File`] if it cannot be read, is no regular file, is not a manifest
    /// of this version, or names files outside of the directory.
    pub fn read(directory: &Path) -> Result<Option<Self>> {
        let path = directory.join(FILE_NAME);
        let bytes = match bounded_file(&path, MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error.with_help("choose another directory")),
        };
        let unknown = |line: Option<usize>, message: String| {
            Error::file(&path, line, message)
                .with_help("choose another directory, or move what stands there away")
        };
        let manifest: Self = serde_json::from_slice(&bytes)
            .map_err(|e| unknown(Some(e.line()), format!("is not a manifest of layers: {e}")))?;
        if manifest.format != FORMAT {
            return Err(unknown(None, format!("is of format {:?}", manifest.format)));
        }
        let is_inside = |file: &&FileEntry| {
            Path::new(&file.path).components().all(|part| matches!(part, Component::Normal(_)))
        };
        match manifest.layers.iter().flat_map(|layer| &layer.files).find(|file| !is_inside(file)) {
            None => Ok(Some(manifest)),
            Some(file) => {
                Err(unknown(None, format!("names the file {:?} outside of its folder", file.path)))
            }
        }
    }

    /// The manifest's file in its directory, which lacks its name.
    pub(crate) fn complete_file(&self, directory: &Path) -> Result<CompleteFile> {
        let path = directory.join(FILE_NAME);
        CompleteFile::new(&path, &path, |out| {
            self.write_to(out).map_err(|e| atomic::refused(&path, e))
        })
    }

    /// The bytes of the manifest's file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let _ = self.write_to(&mut bytes); // memory takes all
        bytes
    }

    fn write_to(&self, mut out: impl Write) -> std::io::Result<()> {
        serde_json::to_writer_pretty(&mut out, self)?;
        out.write_all(b"\n")
    }
}

impl Parameters {
    /// What differs first between these parameters and others, in words:
    /// `files.pitch is 0.1 there, 0.05 here`.
    pub fn difference(&self, there: &Self) -> Option<String> {
        if self.model_sha256 != there.model_sha256 {
            // other differences follow from it
            return Some("model_sha256 is another: they are of another model".into());
        }
        let value = |p: &Self| serde_json::to_value(p).unwrap_or_default();
        difference("", &value(self), &value(there))
    }
}

fn difference(name: &str, here: &Value, there: &Value) -> Option<String> {
    match (here, there) {
        (Value::Object(a), Value::Object(b)) => {
            let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
            let dot = if name.is_empty() { "" } else { "." };
            names.into_iter().find_map(|key| {
                let of = |map: &serde_json::Map<_, _>| map.get(key).cloned().unwrap_or_default();
                difference(&format!("{name}{dot}{key}"), &of(a), &of(b))
            })
        }
        _ if here == there => None,
        _ => Some(format!("{name} is {there} there, {here} here")),
    }
}

/// One number for square pixels, or two.
mod pitch {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Pitch {
        Square(f64),
        Rectangle([f64; 2]),
    }

    pub fn serialize<S: Serializer>(pitch: &[f64; 2], serializer: S) -> Result<S::Ok, S::Error> {
        let [width, height] = *pitch;
        let own = if width == height { Pitch::Square(width) } else { Pitch::Rectangle(*pitch) };
        own.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[f64; 2], D::Error> {
        Ok(match Pitch::deserialize(from)? {
            Pitch::Square(edge) => [edge; 2],
            Pitch::Rectangle(pitch) => pitch,
        })
    }
}

//! Files that layers become.
//!
//! Every kind of output makes its part of a layer by itself, in any order and on any
//! thread ([`Output::make`]), and takes the parts in the order of the layers
//! ([`Output::take`]). So files of a layer each are finished in parallel, and files of
//! all layers grow in order, whatever the number of threads.

mod archive;
mod common_layer_interface;
mod directory;
mod image_stack;
mod images;
mod layered_svg;
mod painter;
mod prusa_archive;
mod pvtu;
mod slice_stack;
mod spool;
mod svg;
mod vdb;
mod vtp;
mod zip_file;

pub use archive::{ImageArchive, archive};
pub use common_layer_interface::{CommonLayerInterface, Encoding};
pub use image_stack::ImageStack;
pub use images::ImageDirectory;
pub use layered_svg::LayeredSvg;
pub use painter::{ImageOptions, PaintedLayer, Painter};
pub use prusa_archive::{Exposure, PrusaArchive};
pub use pvtu::PixelCloud;
pub use slice_stack::SliceStack;
pub use svg::SvgStack;
pub use vdb::OpenVdb;
pub use vtp::Polylines;

use std::any::Any;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::Layer;
use super::overlap::apart;
use super::source::LayerSource;
use super::stack::Stack;
use crate::error::{Error, Result, option_name};
use crate::numbers::{by_count, counted};

/// A layer that files are made of.
pub struct OutputLayer<'a> {
    /// Number of the layer.
    pub index: usize,
    /// All layers of the model.
    pub stack: &'a Stack,
    /// What else can be asked.
    pub source: &'a dyn LayerSource,
    cut: OnceLock<Layer>,
    parts: OnceLock<Vec<Layer>>,
}

impl<'a> OutputLayer<'a> {
    /// A layer that is cut where an output asks for contours.
    pub fn new(index: usize, stack: &'a Stack, source: &'a dyn LayerSource) -> Self {
        Self { index, stack, source, cut: OnceLock::new(), parts: OnceLock::new() }
    }

    /// The contours, cut once for all outputs.
    ///
    /// # Errors
    /// As the source has them.
    pub fn contours(&self) -> Result<&Layer> {
        if let Some(layer) = self.cut.get() {
            return Ok(layer);
        }
        let layer = self.source.contours(self.index, self.stack.middle(self.index))?;
        Ok(self.cut.get_or_init(|| layer))
    }

    /// The contours of each part, without what later ones have of it, cut once for all outputs; those of
    /// all if there are no several parts. `tolerance`: of the contours.
    ///
    /// # Errors
    /// As the source has them.
    pub fn parts(&self, tolerance: f64) -> Result<&[Layer]> {
        if let Some(parts) = self.parts.get() {
            return Ok(parts);
        }
        let parts = self.source.part_contours(self.index, self.stack.middle(self.index))?;
        Ok(self.parts.get_or_init(|| apart(parts, tolerance)))
    }
}

/// A kind of files that layers become.
///
/// [`Job::run`](super::Job::run) calls [`make`](Self::make) once for each layer that is not
/// [done](Self::is_done), for several layers at a time, in any order and on any thread. It then
/// calls [`take`](Self::take) with each result in the order of the layers,
/// [`checkpoint`](Self::checkpoint) now and then between two layers and when a layer fails, and
/// [`finish`](Self::finish) once, after the last. A job that fails or stops drops its outputs
/// without `finish`: files of all layers then do not appear, and files of single layers stay if a
/// checkpoint lists them. Nothing may depend on the number of threads.
pub trait Output: Send + Sync {
    /// Whether nothing is left to do for a layer. Files of all layers have no half to go on from.
    fn is_done(&self, _layer: usize) -> bool {
        false
    }

    /// Makes what a layer becomes; may write files of this layer alone.
    ///
    /// # Errors
    /// If a file cannot be written, or the source has none of it.
    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput>;

    /// Takes what was made of the next layer.
    ///
    /// # Errors
    /// If a file cannot be written; [`Error::Request`] for a layer of another kind of output.
    fn take(&mut self, layer: LayerOutput) -> Result<()>;

    /// Says on the disk how far the job is, so that it can be resumed from here.
    ///
    /// # Errors
    /// If a file cannot be written.
    fn checkpoint(&mut self) -> Result<()> {
        Ok(())
    }

    /// Completes the files after the last layer.
    ///
    /// # Errors
    /// If a file cannot be written.
    fn finish(&mut self) -> Result<()>;

    /// What stays if the job fails after a checkpoint.
    fn kept(&self) -> Option<KeptLayers> {
        None
    }
}

/// Complete layers that stay in a directory although their job failed.
pub struct KeptLayers {
    /// Their number.
    pub count: usize,
    /// Where they are.
    pub directory: PathBuf,
}

impl KeptLayers {
    /// The error of the job, whose help says what stays, if anything does.
    pub fn add_to(error: Error, Self { count, directory }: Self) -> Error {
        if count == 0 {
            return error;
        }
        let (layers, are) = (counted(count, "layer"), by_count(count, "is", "are"));
        let layers = format!("{layers} {are} complete in {}, ", directory.display());
        let stay = message!(layers, option_name("resume"), " goes on from there");
        let help = match error.help().cloned() {
            Some(help) => message!(help, "; ", stay),
            None => stay,
        };
        error.with_help(help)
    }
}

/// What an output made of a layer, of any type.
pub struct LayerOutput(Box<dyn Any + Send>);

impl LayerOutput {
    /// What an output takes back as it is.
    pub fn of<T: Send + 'static>(layer: T) -> Self {
        Self(Box::new(layer))
    }

    /// What [`LayerOutput::of`] was given.
    ///
    /// # Errors
    /// [`Error::Request`] if it is of another type: of another kind of output.
    pub fn get<T: 'static>(self) -> Result<T> {
        let layer = self.0.downcast().map_err(|_| {
            Error::request("an output gets a layer of another kind")
                .with_help("give every output the layers that it made")
        })?;
        Ok(*layer)
    }
}

/// The error of a layer for files that are finished.
fn after_the_last() -> Error {
    Error::request("a layer after the last").with_help("start another output for it")
}

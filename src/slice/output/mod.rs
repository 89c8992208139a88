//! Files that layers become.
//!
//! Every kind of output makes its part of a layer by itself, in any order and on any
//! thread ([`LayerFiles::make`]), and takes the parts in the order of the layers
//! ([`LayerFiles::take`]). So files of a layer each are finished in parallel, and files of
//! all layers grow in order, whatever the number of threads.

mod archive;
mod common_layer_interface;
mod directory;
mod images;
mod layered_svg;
mod painter;
mod prusa_archive;
mod pvtu;
mod svg;
mod vtp;
mod zip_file;

pub use archive::{ImageArchive, archive};
pub use common_layer_interface::{CommonLayerInterface, Encoding};
pub use images::ImageDirectory;
pub use layered_svg::LayeredSvg;
pub use painter::{ImageOptions, PaintedLayer, Painter};
pub use prusa_archive::{Exposure, PrusaArchive};
pub use pvtu::PixelCloud;
pub use svg::SvgStack;
pub use vtp::Polylines;

use std::any::Any;
use std::path::PathBuf;

use super::Layer;
use super::source::LayerSource;
use super::stack::Stack;
use crate::error::{Error, IdKind, Result, option_name};
use crate::numbers::{by_count, counted};

/// A layer that files are made of.
pub struct OutputLayer<'a> {
    /// Number of the layer.
    pub index: usize,
    /// All layers of the model.
    pub stack: &'a Stack,
    /// Contours of the layer, if an output said that it needs them.
    pub contours: Option<&'a Layer>,
    /// What else can be asked.
    pub source: &'a dyn LayerSource,
}

impl OutputLayer<'_> {
    /// The contours, for an output that needs them.
    ///
    /// # Errors
    /// [`Error::Request`] if they were not cut.
    pub fn contours(&self) -> Result<&Layer> {
        self.contours.ok_or_else(|| {
            Error::request(message!(IdKind::Layer.id(self.index), " has not been cut"))
        })
    }
}

/// A kind of files that layers become: what each kind implements.
///
/// [`Job::run`](super::Job::run) calls [`make`](Self::make) once for each layer that is not
/// [done](Self::is_done), for several layers at a time, in any order and on any thread. It then
/// calls [`take`](Self::take) with each result in the order of the layers,
/// [`checkpoint`](Self::checkpoint) now and then between two layers and when a layer fails, and
/// [`finish`](Self::finish) once, after the last. A job that fails or stops drops its outputs
/// without `finish`: files of all layers then do not appear, and files of single layers stay if a
/// checkpoint lists them. Nothing may depend on the number of threads.
pub trait LayerFiles: Send + Sync {
    /// What a layer becomes on its way from [`make`](Self::make) to [`take`](Self::take).
    type Layer: Send + 'static;

    /// Whether it is made of contours; if no output is, they are not cut.
    fn needs_contours(&self) -> bool;

    /// Whether nothing is left to do for a layer. Files of all layers have no half to go on from.
    fn is_done(&self, _layer: usize) -> bool {
        false
    }

    /// Makes what a layer becomes; may write files of this layer alone.
    ///
    /// # Errors
    /// If a file cannot be written, or the source has none of it.
    fn make(&self, cut: &OutputLayer) -> Result<Self::Layer>;

    /// Takes what was made of the next layer.
    ///
    /// # Errors
    /// If a file cannot be written.
    fn take(&mut self, layer: Self::Layer) -> Result<()>;

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

/// [`LayerFiles`] of any kind, as a [`Job`](super::Job) holds them.
pub trait Output: Send + Sync {
    /// As [`LayerFiles::needs_contours`].
    fn needs_contours(&self) -> bool;

    /// As [`LayerFiles::is_done`].
    fn is_done(&self, layer: usize) -> bool;

    /// As [`LayerFiles::make`].
    ///
    /// # Errors
    /// Those of [`LayerFiles::make`].
    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput>;

    /// As [`LayerFiles::take`], of what the same output made.
    ///
    /// # Errors
    /// Those of [`LayerFiles::take`]; [`Error::Request`] for a layer of another kind of output.
    fn take(&mut self, layer: LayerOutput) -> Result<()>;

    /// As [`LayerFiles::checkpoint`].
    ///
    /// # Errors
    /// Those of [`LayerFiles::checkpoint`].
    fn checkpoint(&mut self) -> Result<()>;

    /// As [`LayerFiles::finish`].
    ///
    /// # Errors
    /// Those of [`LayerFiles::finish`].
    fn finish(&mut self) -> Result<()>;

    /// As [`LayerFiles::kept`].
    fn kept(&self) -> Option<KeptLayers>;
}

/// What an output made of a layer, of whatever type.
pub struct LayerOutput(Box<dyn Any + Send>);

impl<F: LayerFiles> Output for F {
    fn needs_contours(&self) -> bool {
        LayerFiles::needs_contours(self)
    }

    fn is_done(&self, layer: usize) -> bool {
        LayerFiles::is_done(self, layer)
    }

    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        LayerFiles::make(self, cut).map(|layer| LayerOutput(Box::new(layer)))
    }

    fn take(&mut self, LayerOutput(layer): LayerOutput) -> Result<()> {
        let layer = layer.downcast().map_err(|_| {
            Error::request("an output gets a layer of another kind")
                .with_help("give every output the layers that it made")
        })?;
        LayerFiles::take(self, *layer)
    }

    fn checkpoint(&mut self) -> Result<()> {
        LayerFiles::checkpoint(self)
    }

    fn finish(&mut self) -> Result<()> {
        LayerFiles::finish(self)
    }

    fn kept(&self) -> Option<KeptLayers> {
        LayerFiles::kept(self)
    }
}

/// The error of a layer for files that are finished.
fn after_the_last() -> Error {
    Error::request("a layer after the last").with_help("start another output for it")
}

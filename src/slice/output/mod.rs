//! Files that layers become.
//!
//! Every kind of output makes its part of a layer by itself, in any order and on any
//! thread ([`Output::make`]), and takes the parts in the order of the layers
//! ([`Output::take`]). So files of a layer each are finished in parallel, and files of
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
pub use painter::{ImageOptions, Painter};
pub use prusa_archive::{Exposure, PrusaArchive};
pub use pvtu::PixelCloud;
pub use svg::SvgStack;
pub use vtp::Polylines;

use super::Layer;
use super::manifest::FileEntry;
use super::source::LayerSource;
use super::stack::Stack;
use crate::io::{Dataset, PolylinePiece};
use crate::{Error, Result};

/// A layer that files are made of.
pub struct Cut<'a> {
    /// Number of the layer.
    pub index: usize,
    /// All layers of the model.
    pub stack: &'a Stack,
    /// Its contours, if an output said that it needs them.
    pub contours: Option<&'a Layer>,
    /// What else can be asked.
    pub source: &'a dyn LayerSource,
}

impl Cut<'_> {
    /// The contours, for an output that needs them.
    ///
    /// # Errors
    /// [`Error::Request`] if they were not cut.
    pub fn contours(&self) -> Result<&Layer> {
        self.contours
            .ok_or_else(|| Error::request(format!("layer {} has not been cut", self.index)))
    }
}

/// What an output made of a layer.
#[derive(Debug)]
pub struct LayerOutput {
    /// Number of the layer.
    pub index: usize,
    /// Middle of the layer.
    pub height: f64,
    /// What there is of it now.
    pub content: Content,
}

/// What a layer became.
#[derive(Debug)]
pub enum Content {
    /// Files that are complete.
    Files(Vec<FileEntry>),
    /// Images for a file of all layers.
    Images(Vec<(FileEntry, Vec<u8>)>),
    /// Bytes for a file of all layers.
    Bytes(Vec<u8>),
    /// Polylines for a file of all layers.
    Polylines(PolylinePiece),
    /// Points for a piece of a file of all layers.
    Points(Box<Dataset>),
}

/// A kind of files.
pub trait Output: Send + Sync {
    /// Whether it is made of contours.
    fn needs_contours(&self) -> bool;

    /// Whether nothing is left to do for a layer.
    fn is_done(&self, layer: usize) -> bool;

    /// Makes what a layer becomes.
    ///
    /// # Errors
    /// If a file cannot be written, or the source has none of it.
    fn make(&self, cut: &Cut) -> Result<LayerOutput>;

    /// Takes what was made of the layers, in their order.
    ///
    /// # Errors
    /// If a file cannot be written.
    fn take(&mut self, part: LayerOutput) -> Result<()>;

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
}

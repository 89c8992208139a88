//! Directories of images of layers: `DIR/coverage/00012_z0.6250.png`, and the same for every
//! attribute and material.

use std::path::Path;

use super::OutputLayer;
use super::directory::{LayerDirectory, LayerFiles, OutputDirectory};
use super::painter::{ImageOptions, Painter};
use crate::error::Result;
use crate::slice::Setting;
use crate::slice::manifest::FileEntry;
use crate::slice::source::Channel;

/// A directory of images.
pub type ImageDirectory = OutputDirectory<Painter>;

impl ImageDirectory {
    /// Opens the directory; earlier images of the same parameters stay, and if `resume`
    /// are not made again.
    ///
    /// # Errors
    /// As [`Painter::check`]; [`Error::Io`](crate::Error::Io) or
    /// [`Error::File`](crate::Error::File) if the directory cannot be written or holds layers of
    /// other parameters.
    pub fn open(
        path: impl AsRef<Path>,
        setting: &Setting,
        options: ImageOptions,
        channels: &[Channel],
        resume: bool,
    ) -> Result<Self> {
        let painter = Painter::new(setting, options, channels)?;
        let parameters = setting.parameters(painter.files(channels));
        let (path, model, folders) = (path.as_ref(), setting.model.clone(), painter.folders());
        let directory = LayerDirectory::open(path, model, parameters, folders, resume)?;
        Ok(Self { directory, files: painter })
    }
}

impl LayerFiles for Painter {
    fn write(&self, cut: &OutputLayer, directory: &LayerDirectory) -> Result<Vec<FileEntry>> {
        self.paint(cut, |(path, image)| {
            let bytes = directory.write_file(cut.index, &path, &image.bytes)?;
            Ok(FileEntry { path, bytes, level_sum: Some(image.sum), ..FileEntry::default() })
        })
    }
}

//! Directories of images of layers: `DIR/coverage/00012_z0.6250.png`, and the same for every
//! attribute and material.

use std::path::Path;

use super::directory::LayerDirectory;
use super::painter::{ImageOptions, Painter};
use super::{KeptLayers, LayerOutput, Output, OutputLayer};
use crate::error::Result;
use crate::slice::Setting;
use crate::slice::manifest::{FileEntry, LayerEntry};
use crate::slice::source::Channel;

/// A directory of images.
#[derive(Debug)]
pub struct ImageDirectory {
    directory: LayerDirectory,
    painter: Painter,
}

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
        Ok(Self { directory, painter })
    }
}

impl Output for ImageDirectory {
    fn is_done(&self, layer: usize) -> bool {
        self.directory.is_done(layer)
    }

    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        let files = self.painter.paint(cut, |(path, image)| {
            let bytes = self.directory.write_file(cut.index, &path, &image.bytes)?;
            Ok(FileEntry { path, bytes, level_sum: Some(image.sum), ..FileEntry::default() })
        })?;
        let (index, height) = (cut.index, cut.stack.middle(cut.index));
        let thickness = cut.stack.own_height(index);
        Ok(LayerOutput::of(LayerEntry { index, height, thickness, files }))
    }

    fn take(&mut self, layer: LayerOutput) -> Result<()> {
        self.directory.take(layer.get()?);
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.directory.write(false)
    }

    fn finish(&mut self) -> Result<()> {
        self.directory.write(true)
    }

    fn kept(&self) -> Option<KeptLayers> {
        Some(self.directory.kept())
    }
}

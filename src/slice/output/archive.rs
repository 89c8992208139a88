//! One zip of the files of a stack, for printers that take a job as one file.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use super::painter::{ImageOptions, PaintedLayer, Painter};
use super::zip_file::ZipFile;
use super::{LayerOutput, Output, OutputLayer, after_the_last};
use crate::error::{Error, Result};
use crate::slice::Setting;
use crate::slice::manifest::{FILE_NAME, LayerEntry, Manifest};
use crate::slice::source::Channel;

/// Packs all files that the manifest of `directory` lists into the zip `path`, layer by layer, and
/// the manifest behind them; images of PNG as they are, since they are compressed already. Equal
/// files give equal bytes.
///
/// # Errors
/// [`Error::Io`] or [`Error::File`] if a file cannot be read, has changed since it was listed, or
/// the zip cannot be written.
pub fn archive(path: impl AsRef<Path>, directory: impl AsRef<Path>) -> Result<()> {
    let (path, directory) = (path.as_ref(), directory.as_ref());
    let Some(manifest) = Manifest::read(directory)? else {
        return Err(Error::file(directory, None, "holds no manifest of layers")
            .with_help("slice into it first"));
    };
    let mut zip = ZipFile::create(path)?;
    for file in manifest.layers.iter().flat_map(|layer| &layer.files) {
        let from = directory.join(&file.path);
        let unreadable = |e: io::Error| {
            Error::file(&from, None, format!("cannot be read: {e}")).with_help("slice again")
        };
        let length =
            zip.push(&file.path, BufReader::new(File::open(&from).map_err(unreadable)?))?;
        if length != file.bytes {
            return Err(Error::file(&from, None, "has changed").with_help("slice again"));
        }
    }
    zip.push(FILE_NAME, &manifest.bytes()[..])?;
    zip.finish()
}

/// A zip of the images of all layers and their manifest, without a directory of them: the file
/// that [`archive`] makes of one.
pub struct ImageArchive {
    painter: Painter,
    manifest: Manifest,
    // none when finished
    zip: Option<ZipFile>,
}

impl ImageArchive {
    /// Starts the file.
    ///
    /// # Errors
    /// As [`Painter::check`]; [`Error::Io`] if it cannot be written.
    pub fn create(
        path: impl AsRef<Path>,
        setting: &Setting,
        options: ImageOptions,
        channels: &[Channel],
    ) -> Result<Self> {
        let painter = Painter::new(setting, options, channels)?;
        let parameters = setting.parameters(painter.files(channels));
        let manifest = Manifest::new(setting.model.clone(), parameters);
        let zip = Some(ZipFile::create(path.as_ref())?);
        Ok(Self { painter, manifest, zip })
    }
}

impl Output for ImageArchive {
    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        self.painter.images(cut).map(LayerOutput::of)
    }

    fn take(&mut self, layer: LayerOutput) -> Result<()> {
        let PaintedLayer { index, height, thickness, images } = layer.get()?;
        let Some(zip) = &mut self.zip else { return Err(after_the_last()) };
        images.iter().try_for_each(|(file, bytes)| zip.push(&file.path, &bytes[..]).map(drop))?;
        let files = images.into_iter().map(|(file, _)| file).collect();
        self.manifest.layers.push(LayerEntry { index, height, thickness, files });
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let Some(mut zip) = self.zip.take() else { return Ok(()) };
        self.manifest.complete = true;
        zip.push(FILE_NAME, &self.manifest.bytes()[..])?;
        zip.finish()
    }
}

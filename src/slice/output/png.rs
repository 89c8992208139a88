//! Images of layers: `DIR/coverage/00012_z0.6250.png`, and the same for every attribute.

use std::path::Path;

use super::directory::LayerDirectory;
use super::{Content, Cut, LayerOutput, Output};
use crate::io::plain_name;
use crate::slice::PixelGrid;
use crate::slice::Setting;
use crate::slice::image::{Bits, EncodedImage, Flip, ImageFormat};
use crate::slice::manifest::{FileEntry, Files, ImageStack, Images};
use crate::slice::source::Channel;
use crate::{Error, Result};

/// Name of the stack that shows the material itself.
const COVERAGE: &str = "coverage";

/// Most planes that a layer is the average of.
const MOST_PLANES: usize = 64;

/// How images are made.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageOptions {
    /// Where the pixels lie.
    pub grid: PixelGrid,
    /// Bits of a pixel; 1 for dithered images.
    pub bits: Bits,
    /// Planes that a layer is the average of, 1 to 64, with pixels on the contour as grey
    /// as they are covered; none for pixels that are inside or outside as their centre is.
    pub antialias: Option<usize>,
    /// Which way up.
    pub flip: Flip,
    /// Attributes that get images of their own: their place among the source's channels,
    /// and the values that are black and white.
    pub attributes: Vec<(usize, [f64; 2])>,
}

/// A directory of images.
#[derive(Debug)]
pub struct PngStack {
    directory: LayerDirectory,
    options: ImageOptions,
    format: ImageFormat,
    planes: usize,
    axis: char,
    /// Number of the source's channels.
    channels: usize,
    /// Names of the images' folders: the material, then the attributes.
    folders: Vec<String>,
}

impl PngStack {
    /// Checks that images can be made by these options of a source with `channels`.
    ///
    /// # Errors
    /// [`Error::Request`] for images that are too large, more than 64 planes, or
    /// attributes without a range.
    pub fn check(setting: &Setting, options: &ImageOptions, channels: &[Channel]) -> Result<()> {
        image_format(setting, options).check()?;
        if let Some(planes) = options.antialias.filter(|n| !(1..=MOST_PLANES).contains(n)) {
            return Err(Error::request(format!("{planes} planes a layer"))
                .with_help(format!("give 1 to {MOST_PLANES}")));
        }
        for &(channel, [black, white]) in &options.attributes {
            let Some(channel) = channels.get(channel) else {
                return Err(Error::request(format!("no attribute has the number {channel}")));
            };
            if !(black.is_finite() && white.is_finite() && black != white) {
                let name = &channel.name;
                return Err(Error::request(format!(
                    "attribute {name} has no greys between {black} and {white}"
                ))
                .with_help(format!("give the values of black and white: {name}=0:1")));
            }
        }
        folders(options, channels).map(drop)
    }

    /// Opens the directory; earlier images of the same parameters stay, and if `resume`
    /// are not made again.
    ///
    /// # Errors
    /// Those of [`PngStack::check`]; [`Error::File`] if the directory cannot be written
    /// or holds layers of other parameters.
    pub fn open(
        path: impl AsRef<Path>,
        setting: &Setting,
        options: ImageOptions,
        channels: &[Channel],
        resume: bool,
    ) -> Result<Self> {
        Self::check(setting, &options, channels)?;
        let folders = folders(&options, channels)?;
        let planes = options.antialias.unwrap_or(1);
        let attributes = options.attributes.iter().map(|&(channel, range)| ImageStack {
            name: String::new(),
            attribute: Some(channels[channel].name.clone()),
            range,
        });
        let material = ImageStack { name: String::new(), attribute: None, range: [0.0, 1.0] };
        let stacks = std::iter::once(material).chain(attributes).zip(&folders);
        let images = Images {
            pitch: options.grid.pitch,
            resolution: options.grid.size,
            origin: options.grid.origin,
            flip: options.flip,
            bits: options.bits,
            antialias: options.antialias.is_some(),
            planes,
            stacks: stacks
                .map(|(stack, name)| ImageStack { name: name.clone(), ..stack })
                .collect(),
        };
        let parameters = setting.parameters(Files::Png(images));
        let model = setting.model.clone();
        let directory = LayerDirectory::open(path.as_ref(), model, parameters, &folders, resume)?;
        let format = image_format(setting, &options);
        let (axis, channels) = (setting.axis_letter(), channels.len());
        Ok(Self { directory, options, format, planes, axis, channels, folders })
    }

    /// Bytes that the making of one layer holds.
    pub fn bytes_a_layer(options: &ImageOptions, channels: usize) -> u128 {
        let pixels = options.grid.size.iter().map(|&n| n as u128).product::<u128>();
        // (u, v, w), element, place and values of a pixel
        let values = if options.attributes.is_empty() { 0 } else { 40 + 16 * channels as u128 };
        // coverage and its sums over planes, rows of the file and the file itself
        pixels * (8 + 2 * u128::from(u8::from(options.bits)) / 8 + 1 + values)
    }

    fn file(&self, folder: &str, cut: &Cut, levels: &[u16]) -> Result<FileEntry> {
        let EncodedImage { bytes, sum } = self.format.encode(levels, cut.index)?;
        let path = format!("{folder}/{}.png", cut.stack.file_stem(cut.index, self.axis));
        let bytes = self.directory.write_file(cut.index, &path, &bytes)?;
        Ok(FileEntry { path, bytes, level_sum: Some(sum), area: None, contours: None })
    }
}

impl Output for PngStack {
    fn needs_contours(&self) -> bool {
        false
    }

    fn is_done(&self, layer: usize) -> bool {
        self.directory.is_done(layer)
    }

    fn make(&self, cut: &Cut) -> Result<LayerOutput> {
        let grid = &self.options.grid;
        let planes = cut.stack.planes(cut.index, self.planes);
        let antialias = self.options.antialias.is_some();
        let coverage = cut.source.coverage(&planes, grid, antialias)?;
        let height = cut.stack.middle(cut.index);
        let mut files = vec![self.file(&self.folders[0], cut, &coverage)?];
        if !self.options.attributes.is_empty() {
            let values = cut.source.attributes(height, grid, &coverage)?;
            let mut levels = vec![0u16; coverage.len()];
            for (&(channel, range), folder) in
                self.options.attributes.iter().zip(&self.folders[1..])
            {
                let pixels = levels.iter_mut().zip(&coverage).filter(|(_, covered)| **covered > 0);
                let values = values.iter().skip(channel).step_by(self.channels);
                for ((level, &covered), &value) in pixels.zip(values) {
                    *level = shade(value, range, covered);
                }
                files.push(self.file(folder, cut, &levels)?);
            }
        }
        Ok(LayerOutput { index: cut.index, height, content: Content::Files(files) })
    }

    fn take(&mut self, part: LayerOutput) -> Result<()> {
        self.directory.take(part);
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.directory.write(false)
    }

    fn finish(&mut self) -> Result<()> {
        self.directory.write(true)
    }
}

fn image_format(setting: &Setting, options: &ImageOptions) -> ImageFormat {
    let metres = options.grid.pitch * setting.unit_mm / 1e3;
    ImageFormat { size: options.grid.size, bits: options.bits, flip: options.flip, metres }
}

/// Level of a value in a pixel that is covered so far; the range's ends are 0 and all.
fn shade(value: f64, [black, white]: [f64; 2], covered: u16) -> u16 {
    let part = ((value - black) / (white - black)).clamp(0.0, 1.0);
    (part * f64::from(covered)).round() as u16 // NaN is black
}

/// A folder for the material and for every attribute: its name in letters that any
/// file system takes.
fn folders(options: &ImageOptions, channels: &[Channel]) -> Result<Vec<String>> {
    let mut folders = vec![COVERAGE.to_owned()];
    for &(channel, _) in &options.attributes {
        let name = &channels[channel].name;
        let folder = plain_name(name);
        if folder.is_empty() || folders.iter().any(|f| f.eq_ignore_ascii_case(&folder)) {
            return Err(Error::request(format!(
                "the images of attribute {name:?} have no folder of their own: {folder:?} is taken"
            ))
            .with_help(
                "ask for every attribute once, and rename those that differ in signs only",
            ));
        }
        folders.push(folder);
    }
    Ok(folders)
}

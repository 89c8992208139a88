//! The images of a layer: its coverage or its materials, and its attributes.

use super::OutputLayer;
use crate::error::{Error, Message, Result, option_name};
use crate::io::plain_name;
use crate::memory;
use crate::numbers::counted;
use crate::slice::manifest::{FileEntry, Files, ImageStack, Images, MaterialEntry};
use crate::slice::pixels::{
    Bits, EncodedImage, Flip, GrayCurve, ImageFile, ImageFormat, NO_MATERIAL, leading,
};
use crate::slice::source::{Channel, LayerPixels};
use crate::slice::spare::SpareMemory;
use crate::slice::{
    Material, MaterialMismatch, Materials, PixelGrid, Sampling, Setting, check_planes,
};

/// Name of the stack that shows the material itself.
const COVERAGE: &str = "coverage";

/// Name of the stack whose images have a color a material.
const MATERIALS: &str = "materials";

/// How images are made.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageOptions {
    /// Where the pixels lie.
    pub grid: PixelGrid,
    /// Format of the files.
    pub file: ImageFile,
    /// Bits of a gray pixel; 1 for dithered images.
    pub bits: Bits,
    /// Planes that a layer is the average of, 1 to 64, with pixels on the contour as gray
    /// as they are covered; none for pixels that are inside or outside as their center is.
    pub antialias: Option<usize>,
    /// What is written for gray levels of the coverage and of attributes, if it is not these.
    pub curve: Option<GrayCurve>,
    /// Direction in which rows of the images run.
    pub flip: Flip,
    /// Attributes that get images of their own: their index among the source's channels,
    /// and the values that are black and white.
    pub attributes: Vec<(usize, [f64; 2])>,
    /// Materials, of which a pixel has one or none: they take the place of the coverage.
    pub materials: Option<Materials>,
    /// An image of 1 bit a material, not one with a color a material.
    pub separate: bool,
}

impl ImageOptions {
    /// Checks that there are gray images for the bits and the curve that are asked for.
    ///
    /// # Errors
    /// [`Error::Request`] if all images are of materials.
    pub fn check_grays(&self, bits: Option<Bits>) -> Result<()> {
        let asked = bits.map(|_| "bits").or(self.curve.as_ref().map(GrayCurve::option));
        let Some(option) = asked.filter(|_| self.materials.is_some() && self.attributes.is_empty())
        else {
            return Ok(());
        };
        Err(Error::request(message!(
            option_name(option),
            " is for gray images; materials are written as indexed images"
        ))
        .with_help(message!(
            "leave ",
            option_name(option),
            " out, or ask for an attribute, too"
        )))
    }

    /// What the coverage of a pixel is in a plane.
    pub(super) fn sampling(&self) -> Sampling {
        self.antialias.map_or(Sampling::Center, |_| Sampling::Area)
    }

    /// Refuses images of which the threads could not hold one each; `channels`: of the
    /// source.
    ///
    /// # Errors
    /// [`Error::Request`] with both amounts.
    pub fn check_memory(&self, channels: usize) -> Result<()> {
        let threads = rayon::current_num_threads();
        let need = Painter::bytes_a_layer(self, channels).saturating_mul(threads as u128);
        let [columns, rows] = self.grid.size;
        let on = counted(threads, "thread");
        let what = format!("images of {columns} × {rows} pixels on {on} need");
        memory::check_half(what, need, |_| larger_pixels())
    }
}

/// How to stay within the memory.
pub(super) fn larger_pixels() -> Message {
    message!("give larger pixels, or fewer ", option_name("threads"))
}

/// Makes the images of layers.
#[derive(Debug)]
pub struct Painter {
    options: ImageOptions,
    format: ImageFormat,
    planes: usize,
    axis: char,
    /// Number of the source's channels.
    channels: usize,
    /// Names of the images' folders: the coverage or the materials, then the attributes.
    folders: Vec<String>,
    /// What is written for each level.
    curve: Option<Vec<u16>>,
    /// Memory of levels.
    levels: SpareMemory<Vec<u16>>,
}

/// The images of a layer, for a file of all layers.
#[derive(Debug)]
pub struct PaintedLayer {
    /// Number of the layer.
    pub index: usize,
    /// Middle of the layer.
    pub height: f64,
    /// Height of the layer itself, if heights differ.
    pub thickness: Option<f64>,
    /// Images of the layer: what a manifest lists, and the bytes.
    pub images: Vec<(FileEntry, Vec<u8>)>,
}

/// An image: its path from the directory of the stack, and what it is.
pub type NamedImage = (String, EncodedImage);

impl Painter {
    /// Checks that images can be made by these options of a source with `channels`.
    ///
    /// # Errors
    /// [`Error::Request`] for images that are too large, more than 64 planes, attributes without
    /// a range, or names that are one in files.
    pub fn check(setting: &Setting, options: &ImageOptions, channels: &[Channel]) -> Result<()> {
        image_format(setting, options).check()?;
        options.antialias.map_or(Ok(()), check_planes)?;
        options.curve.as_ref().map_or(Ok(()), GrayCurve::check)?;
        for &(channel, [black, white]) in &options.attributes {
            let Some(channel) = channels.get(channel) else {
                return Err(Error::request(format!("no attribute has the number {channel}"))
                    .with_help(format!(
                        "the source has {}, counted from 0",
                        counted(channels.len(), "channel")
                    )));
            };
            if !(black.is_finite() && white.is_finite() && black != white) {
                let name = &channel.name;
                return Err(Error::request(format!(
                    "attribute {name} has no grays between {black} and {white}"
                ))
                .with_help(format!("give the values of black and white: {name}=0:1")));
            }
        }
        for material in options.materials.iter().flat_map(Materials::list) {
            if material.channel >= channels.len() {
                let name = &material.name;
                return Err(Error::request(format!("material {name:?} is of another source"))
                    .with_help("make materials of the channels of the source that is sliced"));
            }
        }
        folders(options, channels).map(drop)
    }

    /// A painter of layers of a source with `channels`.
    ///
    /// # Errors
    /// As [`Painter::check`].
    pub fn new(setting: &Setting, options: ImageOptions, channels: &[Channel]) -> Result<Self> {
        Self::check(setting, &options, channels)?;
        Ok(Self {
            folders: folders(&options, channels)?,
            planes: options.antialias.unwrap_or(1),
            format: image_format(setting, &options),
            axis: setting.axis_letter(),
            channels: channels.len(),
            curve: options.curve.as_ref().map(GrayCurve::table),
            levels: SpareMemory::default(),
            options,
        })
    }

    /// Folders that the paths of images begin with.
    pub fn folders(&self) -> &[String] {
        &self.folders
    }

    /// What a manifest says of the images of a source with `channels`.
    pub fn files(&self, channels: &[Channel]) -> Files {
        let options = &self.options;
        let (own, of_attributes) = self.folders.split_at(self.own_folders());
        let material = ImageStack { name: own[0].clone(), attribute: None, range: [0.0, 1.0] };
        let attributes = options.attributes.iter().zip(of_attributes);
        let attributes = attributes.map(|(&(channel, range), name)| ImageStack {
            name: name.clone(),
            attribute: Some(channels[channel].name.clone()),
            range,
        });
        let coverage = Some(material).filter(|_| options.materials.is_none());
        let entry = |(place, material): (usize, &Material)| {
            let [red, green, blue] = material.color;
            MaterialEntry {
                number: place as u8 + 1,
                name: material.name.clone(),
                color: format!("#{red:02x}{green:02x}{blue:02x}"),
                attribute: channels[material.channel].name.clone(),
                id: material.id,
                folder: own[if options.separate { place } else { 0 }].clone(),
            }
        };
        let materials = options.materials.iter().flat_map(Materials::list).enumerate();
        let images = Images {
            pitch: options.grid.pitch,
            resolution: options.grid.size,
            origin: options.grid.origin,
            flip: options.flip,
            bits: options.bits,
            curve: options.curve.clone(),
            antialias: options.antialias.is_some(),
            planes: self.planes,
            stacks: coverage.into_iter().chain(attributes).collect(),
            materials: materials.map(entry).collect(),
        };
        match options.file {
            ImageFile::Png => Files::Png(images),
            ImageFile::Bmp => Files::Bmp(images),
        }
    }

    /// Bytes that the making of one layer holds.
    pub fn bytes_a_layer(options: &ImageOptions, channels: usize) -> u128 {
        let pixels = options.grid.size.iter().map(|&n| n as u128).product::<u128>();
        // (u, v, w), element, place and values of a pixel
        let plain = options.attributes.is_empty() && options.materials.is_none();
        let values = if plain { 0 } else { 40 + 16 * channels as u128 };
        // coverage and its sums over planes, rows of the file and the file itself
        let curved = if options.curve.is_some() { 2 } else { 0 };
        let files = 2 * u128::from(u8::from(options.bits)) / 8 + 1;
        pixels.saturating_mul(8 + curved + files + values)
    }

    /// The images of a layer, one after the other, to `take`.
    ///
    /// # Errors
    /// The error of the source or of `take`; [`Error::Request`] for a pixel whose materials have no
    /// answer, with its layer and cell.
    pub fn paint(
        &self,
        cut: &OutputLayer,
        mut take: impl FnMut(NamedImage) -> Result<FileEntry>,
    ) -> Result<Vec<FileEntry>> {
        let options = &self.options;
        let grid = &options.grid;
        let height = cut.stack.middle(cut.index);
        let planes = cut.stack.planes(cut.index, self.planes);
        let pixels = LayerPixels { grid, height, planes: &planes, sampling: options.sampling() };
        let coverage = cut.source.coverage(&planes, grid, pixels.sampling)?;
        let values = if options.attributes.is_empty() && options.materials.is_none() {
            Vec::new()
        } else {
            cut.source.attributes(&pixels, &coverage)?
        };
        let (own, of_attributes) = self.folders.split_at(self.own_folders());
        let mut files = Vec::with_capacity(self.folders.len());
        let mut levels = Vec::new();
        match &options.materials {
            None => files.push(take(self.curved(&own[0], cut, &coverage)?)?),
            Some(materials) => {
                let painted = materials
                    .paint(cut.index, &coverage, grid.size[0], &values, self.channels)
                    .map_err(|unfit| unfit.error(cut.source, cut.index, height, grid))?;
                if options.separate {
                    levels.resize(coverage.len(), 0);
                    for (number, folder) in (1..).zip(own) {
                        let pixels = levels.iter_mut().zip(&painted);
                        pixels.for_each(|(l, &own)| *l = if own == number { u16::MAX } else { 0 });
                        files.push(take(self.gray(folder, cut, &levels, Bits::One)?)?);
                    }
                } else {
                    files.push(self.indexed(&own[0], cut, materials, &painted, &mut take)?);
                }
            }
        }
        for (&(channel, range), folder) in options.attributes.iter().zip(of_attributes) {
            let own = ChannelValues { values: &values, channels: self.channels, channel };
            let image = self.levels.with(|levels| {
                levels.resize(coverage.len(), 0);
                own.shade(range, &coverage, levels).map(|()| self.curved(folder, cut, levels))
            });
            let image = image.map_err(|pixel| {
                let text = format!("has no number in {folder:?}");
                let help = "give the attribute a number at every vertex, or leave it out";
                MaterialMismatch { pixel, text, help }.error(cut.source, cut.index, height, grid)
            })?;
            files.push(take(image?)?);
        }
        cut.source.reuse(values);
        Ok(files)
    }

    /// The images of a layer, for a file of all layers.
    ///
    /// # Errors
    /// As [`Painter::paint`].
    pub fn images(&self, cut: &OutputLayer) -> Result<PaintedLayer> {
        let mut images = Vec::new();
        let files = self.paint(cut, |(path, image)| {
            let (bytes, level_sum) = (image.bytes.len() as u64, Some(image.sum));
            images.push(image.bytes);
            Ok(FileEntry { path, bytes, level_sum, ..FileEntry::default() })
        })?;
        let images = files.into_iter().zip(images).collect();
        let (index, stack) = (cut.index, cut.stack);
        let (height, thickness) = (stack.middle(index), stack.own_height(index));
        Ok(PaintedLayer { index, height, thickness, images })
    }

    /// Number of folders besides the folders of attributes.
    fn own_folders(&self) -> usize {
        self.folders.len() - self.options.attributes.len()
    }

    fn path(&self, folder: &str, cut: &OutputLayer) -> String {
        let stem = cut.stack.file_stem(cut.index, self.axis);
        format!("{folder}/{stem}.{}", self.format.file.ending())
    }

    /// A gray image of the levels that the curve makes of some. Its sum is that of the levels before,
    /// which is in proportion to the volume.
    fn curved(&self, folder: &str, cut: &OutputLayer, levels: &[u16]) -> Result<NamedImage> {
        let bits = self.options.bits;
        let Some(curve) = &self.curve else { return self.gray(folder, cut, levels, bits) };
        let written: Vec<u16> = levels.iter().map(|&level| curve[usize::from(level)]).collect();
        let (path, image) = self.gray(folder, cut, &written, bits)?;
        let sum = ImageFormat { bits, ..self.format }.sum(levels, cut.index);
        Ok((path, EncodedImage { sum, ..image }))
    }

    fn gray(
        &self,
        folder: &str,
        cut: &OutputLayer,
        levels: &[u16],
        bits: Bits,
    ) -> Result<NamedImage> {
        let image = ImageFormat { bits, ..self.format }.encode(levels, cut.index)?;
        Ok((self.path(folder, cut), image))
    }

    fn indexed(
        &self,
        folder: &str,
        cut: &OutputLayer,
        materials: &Materials,
        painted: &[u8],
        mut take: impl FnMut(NamedImage) -> Result<FileEntry>,
    ) -> Result<FileEntry> {
        let colors = materials.list().iter().map(|material| material.color);
        let palette: Vec<[u8; 3]> = std::iter::once(NO_MATERIAL).chain(colors).collect();
        let bytes = self.format.encode_indexed(painted, &palette, cut.index)?;
        let mut pixels = vec![0; palette.len()];
        painted.iter().for_each(|&number| pixels[usize::from(number)] += 1);
        let entry = take((self.path(folder, cut), EncodedImage { bytes, sum: 0 }))?;
        Ok(FileEntry { level_sum: None, pixels: pixels.split_off(1), ..entry })
    }
}

/// The images of a setting.
pub(super) fn image_format(setting: &Setting, options: &ImageOptions) -> ImageFormat {
    let &ImageOptions { grid, bits, flip, file, .. } = options;
    let meters = grid.pitch.map(|pitch| pitch * setting.unit_mm / 1e3);
    ImageFormat { size: grid.size, bits, flip, meters, file }
}

/// A channel of the covered pixels, `[pixel][channel]`.
pub(super) struct ChannelValues<'a> {
    pub values: &'a [f64],
    /// Number of channels, and the one among them.
    pub channels: usize,
    pub channel: usize,
}

impl ChannelValues<'_> {
    /// Levels of the pixels, from 0 to their coverage.
    ///
    /// # Errors
    /// The first pixel whose value is not a number.
    pub fn shade(
        &self,
        range: [f64; 2],
        coverage: &[u16],
        levels: &mut [u16],
    ) -> Result<(), usize> {
        pulp::Arch::new().dispatch(ShadeKernel { own: self, range, coverage, levels })
    }

    #[inline(always)]
    fn shade_runs(
        &self,
        range: [f64; 2],
        coverage: &[u16],
        levels: &mut [u16],
    ) -> Result<(), usize> {
        let mut values = self.values;
        let mut start = 0;
        while start < coverage.len() {
            let bare = leading(&coverage[start..], |&covered| covered == 0);
            levels[start..start + bare].fill(0);
            start += bare;
            let run = &coverage[start..];
            let run = &run[..leading(run, |&covered| covered > 0)];
            if run.is_empty() {
                break;
            }
            let pixels = start..start + run.len();
            start = pixels.end;
            let Some((own, rest)) = values.split_at_checked(self.channels * run.len()) else {
                // a source without values
                levels[pixels.start..].fill(0);
                break;
            };
            values = rest;
            let levels = &mut levels[pixels.clone()];
            let are_numbers = match self.channels {
                1 => shade((own, 1), range, run, levels),
                channels => shade((&own[self.channel..], channels), range, run, levels),
            };
            if !are_numbers {
                let mut own = own.iter().skip(self.channel).step_by(self.channels);
                return Err(pixels.start + own.position(|x| x.is_nan()).unwrap_or_default());
            }
        }
        Ok(())
    }
}

/// The levels of pixels, compiled for the widest vectors that the machine has.
struct ShadeKernel<'a> {
    own: &'a ChannelValues<'a>,
    range: [f64; 2],
    coverage: &'a [u16],
    levels: &'a mut [u16],
}

impl pulp::NullaryFnOnce for ShadeKernel<'_> {
    type Output = Result<(), usize>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        self.own.shade_runs(self.range, self.coverage, self.levels)
    }
}

/// Levels of values in pixels that are covered so far, `stride` apart; the range's ends are 0 and all.
/// Says whether all values are numbers.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // no iterators, which would be called
fn shade(
    (values, stride): (&[f64], usize),
    [black, white]: [f64; 2],
    coverage: &[u16],
    levels: &mut [u16],
) -> bool {
    let (scale, count) = (white - black, levels.len());
    let (values, coverage) = (&values[..(count - 1) * stride + 1], &coverage[..count]);
    let mut are_numbers = true;
    for i in 0..count {
        let value = values[i * stride];
        are_numbers &= !value.is_nan();
        let part = ((value - black) / scale).clamp(0.0, 1.0);
        // rounds: a cast cuts off
        levels[i] = (part * f64::from(coverage[i]) + 0.5) as i32 as u16;
    }
    are_numbers
}

/// A folder for the coverage or the materials and for every attribute: its name in letters that
/// any file system takes.
fn folders(options: &ImageOptions, channels: &[Channel]) -> Result<Vec<String>> {
    let mut folders: Vec<String> = Vec::new();
    let mut owners: Vec<&str> = Vec::new();
    let mut push = |what: &'static str, name: &str| {
        let folder = plain_name(name);
        let owner = folders.iter().position(|f| f.eq_ignore_ascii_case(&folder));
        let owner = owner.map(|at| owners[at]);
        if folder.is_empty() || owner.is_some() {
            return Err(no_folder(what, name, &folder, owner));
        }
        folders.push(folder);
        owners.push(what);
        Ok(())
    };
    match &options.materials {
        None => push("the material", COVERAGE)?,
        Some(_) if !options.separate => push("the materials", MATERIALS)?,
        Some(materials) => {
            materials.list().iter().try_for_each(|material| push("material", &material.name))?;
        }
    }
    for &(channel, _) in &options.attributes {
        push("attribute", &channels[channel].name)?;
    }
    Ok(folders)
}

/// Says that the images of an attribute or a material have no folder, and what has it instead.
fn no_folder(what: &str, name: &str, folder: &str, owner: Option<&str>) -> Error {
    let taken = match owner {
        Some("material") => "is taken by the images of a material",
        Some("the material" | "the materials") => "is taken by the images of all material",
        _ => "is taken",
    };
    let help = match owner {
        Some("material") if what == "attribute" => {
            message!("rename the attribute, or leave ", option_name("separate"), " out")
        }
        Some("the material" | "the materials") => "rename it".into(),
        _ => "ask for every attribute once, and rename those that differ in signs only".into(),
    };
    Error::request(format!(
        "the images of {what} {name:?} have no folder of their own: {folder:?} {taken}"
    ))
    .with_help(help)
}

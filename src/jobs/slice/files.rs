//! The files of layers: opened, written and packed.

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use super::super::Notes;
use super::{SliceImages, SliceReport, SliceRequest};
use crate::error::{Result, option_name};
use crate::numbers::{by_count, counted};
use crate::slice::output::{
    CommonLayerInterface, Encoding, ImageArchive, ImageDirectory, ImageOptions, ImageStack,
    LayeredSvg, OpenVdb, Output, Painter, PixelCloud, Polylines, PrusaArchive, SliceStack,
    SvgStack, archive,
};
use crate::slice::{
    Bits, Channel, ImageFile, Job, JobReport, LayerSource, Materials, PixelGrid, Pixels, Setting,
    SolidSource,
};

/// The layers of a model, whatever files they become.
#[derive(Clone, Debug)]
pub struct ModelLayers {
    /// What they have in common.
    pub setting: Setting,
    /// Where their pixels lie, if they have some.
    pub grid: Option<PixelGrid>,
    /// The materials of the pixels, if they have some.
    pub materials: Option<Materials>,
}

/// What files are made of, among the channels of a source.
pub(super) struct FileContents {
    // with the values that are black and white
    attributes: Vec<(usize, [f64; 2])>,
    images: Option<ImageOptions>,
}

impl SliceRequest {
    /// The layers of a model that a source cuts, without materials, name and fingerprint; warns of
    /// cusps and changes of an attribute that are larger than asked for.
    ///
    /// # Errors
    /// As [`Compensation::frame`](crate::slice::Compensation::frame), [`Setting::new`],
    /// [`Setting::pixels`] and [`SolidSource::attribute_change`].
    pub fn layers_of(
        &self,
        source: &SolidSource<'_>,
        notes: &mut dyn Notes,
    ) -> Result<ModelLayers> {
        let origin = self.origin.map(|own| self.length(own.height));
        let heights = self.heights(source)?;
        let compensation = self.compensation();
        let frame = source.slicer().frame();
        let frame = compensation.map_or(Ok(frame), |own| own.frame(frame))?;
        let setting = Setting::new(frame, heights.clone(), origin)?;
        let options = [("cusps", "adaptive"), ("changes", "adaptive_attribute")];
        for (exceeding, (what, option)) in
            heights.rule.exceeding(&setting.stack).into_iter().zip(options)
        {
            if exceeding > 0 {
                let layers = counted(exceeding, "layer");
                let have = by_count(exceeding, "has", "have");
                notes.warn(message!(
                    "{layers} {have} larger {what} than ",
                    option_name(option),
                    " allows, which thinner layers than the least would need"
                ));
            }
        }
        let lattice = self.lattice()?;
        let setting = Setting { unit_mm: self.unit_mm(), compensation, lattice, ..setting };
        let pixels = self.pitch().map(|pitch| self.pixels(pitch));
        let grid = pixels.map(|pixels| setting.pixels(pixels)).transpose()?;
        Ok(ModelLayers { setting, grid, materials: None })
    }

    /// The pixels of a width and a height.
    fn pixels(&self, pitch: [f64; 2]) -> Pixels {
        let &SliceImages { resolution: size, pixel_origin, crop, .. } = &self.images;
        let Some(ends) = self.window() else {
            let origin = pixel_origin.map(|corner| corner.map(|own| self.length(own)));
            return Pixels { pitch, size, origin, crop };
        };
        // a window that is a whole number of pixels wide has no column for rounding
        let count = |d: usize| ((ends[d][1] - ends[d][0]) / pitch[d] - 1e-6).ceil().max(1.0);
        let size = Some([0, 1].map(|d| count(d) as usize));
        Pixels { pitch, size, origin: Some(ends.map(|own| own[0])), crop }
    }

    /// Writes the files of layers that a source makes, compensated if they are ([`Setting::ask`]), on
    /// the processor of its own; says nothing of
    /// progress but to [`Notes::progress`].
    ///
    /// # Errors
    /// As [`SliceRequest::check`], [`Channel::choose`], [`ImageOptions`], [`Painter::check`] and
    /// [`Job::run`]; what the system refuses.
    pub fn write(
        &self,
        source: &dyn LayerSource,
        layers: &ModelLayers,
        notes: &mut dyn Notes,
    ) -> Result<SliceReport> {
        let own = self.of_part()?;
        own.warn_of_single(&layers.setting, notes);
        let contents = own.contents(source.channels(), layers)?;
        let [_, range] = own.layers(&layers.setting.stack)?;
        own.make(source, layers, contents, range, notes)
    }

    /// Warns where the numbers of a binary .cli file do not tell places of the model apart.
    pub(super) fn warn_of_single(&self, setting: &Setting, notes: &mut dyn Notes) {
        if let (Some(path), true) = (&self.outputs.cli, self.outputs.binary)
            && let Some(notice) = setting.binary_notice()
        {
            notes.warn(message!(format!("{}: ", path.display()), notice));
        }
    }

    /// What the files are made of.
    pub(super) fn contents(
        &self,
        channels: &[Channel],
        layers: &ModelLayers,
    ) -> Result<FileContents> {
        let attributes = self.chosen(channels)?;
        let (outputs, images) = (&self.outputs, &self.images);
        let Some(grid) = layers.grid.filter(|_| outputs.has_grays()) else {
            return Ok(FileContents { attributes, images: None });
        };
        let options = ImageOptions {
            grid,
            file: if outputs.has_bitmaps() { ImageFile::Bmp } else { ImageFile::Png },
            bits: if images.dither { Bits::One } else { images.bits.unwrap_or_default() },
            antialias: images.antialias,
            curve: images.curve()?,
            flip: images.flip.unwrap_or_default(),
            attributes: attributes.clone(),
            materials: layers.materials.clone(),
            separate: images.separate,
        };
        options.check_grays(images.bits)?;
        Painter::check(&layers.setting, &options, channels)?;
        options.check_memory(channels.len())?;
        Ok(FileContents { attributes, images: Some(options) })
    }

    /// Makes a range of the layers.
    pub(super) fn make(
        &self,
        source: &dyn LayerSource,
        layers: &ModelLayers,
        contents: FileContents,
        range: Range<usize>,
        notes: &mut dyn Notes,
    ) -> Result<SliceReport> {
        let start = Instant::now();
        let stack = layers.setting.stack.clone();
        let outputs = self.open(layers, contents, &range, source.channels())?;
        let job = Job { source, stack: stack.clone(), layers: range.clone(), outputs };
        let JobReport { made, skipped } = run_job(job, notes)?;
        self.archive()?;
        Ok(SliceReport {
            outputs: self.outputs.paths().map(|path| path.display().to_string()).collect(),
            layers_of_model: stack.count(),
            first_layer: range.start,
            layers: range.len(),
            made,
            skipped,
            layer_height: stack.layer_height(),
            least_layer_height: stack.least_height(),
            resolution: layers.grid.map(|grid| grid.size),
            tolerance: layers.setting.tolerance,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// Opens all outputs.
    fn open(
        &self,
        ModelLayers { setting, grid, .. }: &ModelLayers,
        contents: FileContents,
        range: &Range<usize>,
        channels: &[Channel],
    ) -> Result<Vec<Box<dyn Output>>> {
        let (outputs, resume) = (&self.outputs, self.resume);
        let hatching = self.hatching();
        hatching.map_or(Ok(()), |own| own.check_within(setting.plane))?;
        let setting = &Setting { hatching, ..setting.clone() };
        let chosen: Vec<usize> = contents.attributes.iter().map(|&(channel, _)| channel).collect();
        let mut opened: Vec<Box<dyn Output>> = Vec::new();
        if let Some(images) = contents.images {
            let own = images.clone();
            if let Some(path) = outputs.images() {
                opened.push(Box::new(ImageDirectory::open(path, setting, own, channels, resume)?));
            } else if let Some(path) = &outputs.zip {
                opened.push(Box::new(ImageArchive::create(path, setting, own, channels)?));
            }
            if let Some(path) = &outputs.image_stack {
                let bits = self.images.bits.unwrap_or(Bits::Sixteen);
                let own = ImageOptions { bits, ..images.clone() };
                opened.push(Box::new(ImageStack::create(path, setting, range, own, channels)?));
            }
            if let Some(path) = &outputs.vdb {
                let own = (images.clone(), outputs.half);
                opened.push(Box::new(OpenVdb::create(path, setting, range, own, channels)?));
            }
            if let (Some(path), Some(exposure)) = (&outputs.sl1, outputs.exposure) {
                let sl1 = PrusaArchive::create(path, setting, images, exposure, channels)?;
                opened.push(Box::new(sl1));
            }
        }
        if let Some(path) = &outputs.svg {
            opened.push(Box::new(SvgStack::open(path, setting, resume)?));
        }
        if let Some(path) = &outputs.layered_svg {
            opened.push(Box::new(LayeredSvg::create(path, setting, range)?));
        }
        if let Some(path) = &outputs.cli {
            let encoding = if outputs.binary { Encoding::Binary } else { Encoding::Text };
            opened.push(Box::new(CommonLayerInterface::create(path, setting, range, encoding)?));
        }
        if let Some(path) = &outputs.slice_stack {
            opened.push(Box::new(SliceStack::create(path, setting, range)?));
        }
        if let (Some(path), &Some(grid)) = (&outputs.pvtu, grid) {
            PixelCloud::check_memory(&grid, setting.plane, chosen.len(), range.len())?;
            opened.push(Box::new(PixelCloud::create(path, setting, grid, channels, &chosen)?));
        }
        if let Some(path) = &outputs.vtp {
            opened.push(Box::new(Polylines::create(path, setting, channels, &chosen)?));
        }
        Ok(opened)
    }

    /// Packs a directory of images, if a zip is asked for too.
    fn archive(&self) -> Result<()> {
        let (Some(zip), Some(directory)) = (&self.outputs.zip, self.outputs.images()) else {
            return Ok(());
        };
        archive(zip, directory).map_err(|error| {
            let help = error.help().cloned().unwrap_or_default();
            let stay = format!("; the layers stay in {}, ", directory.display());
            error.with_help(message!(help, stay, option_name("resume"), " packs them"))
        })
    }
}

/// Runs a job of any number of layers: a part without layers is a part.
fn run_job(job: Job<'_>, notes: &mut dyn Notes) -> Result<JobReport> {
    let count = job.layers.len();
    let mut heard = Ok(());
    let done = job.run_share(|done| {
        heard = notes.progress(done, count);
        if heard.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    heard.and(done)
}

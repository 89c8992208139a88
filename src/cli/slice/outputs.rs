//! The files that `subsolid slice` writes.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use subsolid::io::{JobPart, atomic};
use subsolid::slice::job_directory;
use subsolid::slice::output::{
    CommonLayerInterface, Encoding, Exposure, ImageArchive, ImageDirectory, ImageOptions,
    LayeredSvg, Output, Painter, PixelCloud, Polylines, PrusaArchive, SvgStack, archive,
};
use subsolid::slice::{
    Bits, CellIds, Channel, Flip, ImageFile, Materials, PixelGrid, Pixels, Setting,
};
use subsolid::{Error, Result, message};

use super::values::{Corner, Resolution, WantedMaterial, exposure};
use crate::cli::Console;
use crate::cli::list::List;
use crate::cli::model::ModelArguments;
use crate::cli::names::bare;
use crate::cli::unused::{leave_out, refuse_given};
use crate::cli::wording::words;

/// Where a file or directory is or would be, whichever way its path is written.
fn place(path: &Path) -> PathBuf {
    let resolved = |path: &Path| path.canonicalize().ok();
    let beside = || {
        let parent =
            path.parent().map(|own| if own.as_os_str().is_empty() { Path::new(".") } else { own });
        Some(resolved(parent?)?.join(path.file_name()?))
    };
    resolved(path).or_else(beside).unwrap_or_else(|| path.to_owned())
}

#[derive(Args)]
#[group(skip)]
pub struct OutputArguments {
    /// Directory for images of the layers and their manifest
    #[arg(long, value_name = "DIR", requires = "pixel")]
    pub png: Option<PathBuf>,
    /// The same as Windows bitmaps
    #[arg(long, value_name = "DIR", requires = "pixel", conflicts_with = "png")]
    pub bmp: Option<PathBuf>,
    /// Directory for drawings of the layers and their manifest
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Drawings of all layers in one file, as Slic3r writes them
    #[arg(long, value_name = "FILE.svg")]
    pub layered_svg: Option<PathBuf>,
    /// Common Layer Interface file of the contours
    #[arg(long, value_name = "FILE")]
    pub cli: Option<PathBuf>,
    /// VTK file of the contours of all layers, for ParaView
    #[arg(long, value_name = "FILE.vtp")]
    pub vtp: Option<PathBuf>,
    /// VTK file of the centers of the pixels inside, with cell, u, v, w and the arrays named by
    /// --attribute, for ParaView; one piece per layer
    #[arg(long, alias = "vtu", value_name = "FILE.pvtu", requires = "pixel")]
    pub pvtu: Option<PathBuf>,
    /// Zip archive of everything that --png or --bmp writes; PNG if neither is given
    #[arg(long, value_name = "FILE", requires = "pixel")]
    pub zip: Option<PathBuf>,
    /// Archive for Prusa's resin printers: the coverage in gray, with the printer's --pixel and
    /// --resolution
    #[arg(long, value_name = "FILE.sl1", requires_all = ["pixel", "exposure"])]
    pub sl1: Option<PathBuf>,
    /// Exposure time per layer in seconds, required for --sl1; optionally that of the first layer
    /// [default: S] and the number of layers over which it decreases to S [default: 0]
    #[arg(long, value_name = "S[:FIRST[:FADED]]", requires = "sl1", value_parser = exposure)]
    exposure: Option<Exposure>,
    /// Write the --cli file in binary, in single precision
    #[arg(long, requires = "cli")]
    binary: bool,
}

#[derive(Args)]
#[group(skip)]
pub struct ImageArguments {
    /// Edge length of a pixel, in length units of the model, required for images and --pvtu
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pixel: Option<f64>,
    /// Columns and rows of the images, with the model centered [default: the size of the model]
    #[arg(long, value_name = "WxH", requires = "pixel")]
    resolution: Option<Resolution>,
    /// Lower left corner of the pixels in the plane of the layers, in length units, the same for
    /// all models of an assembly [default: the model is centered]
    #[arg(long, value_name = "X:Y", requires = "pixel", allow_hyphen_values = true)]
    pixel_origin: Option<Corner>,
    /// Leave out what lies outside the pixels of --resolution and --pixel-origin, which is refused
    /// otherwise
    #[arg(long, requires = "framed")]
    crop: bool,
    /// Gray levels: the covered fraction of each pixel, averaged over N planes per layer, 1 to 64
    /// [default: white if the pixel's center is inside at mid-height, else black]
    #[arg(long, value_name = "N", requires = "images")]
    antialias: Option<usize>,
    /// Bits per pixel of --png, --bmp and --zip [default: 8]
    #[arg(long, value_parser = bare::<Bits>(), requires = "images")]
    bits: Option<Bits>,
    /// Black and white pixels (1 bit) of --png, --bmp and --zip, white in proportion to the gray
    /// level: for droplets
    #[arg(long, requires = "images", conflicts_with = "bits")]
    dither: bool,
    /// Mirror the images; --flip alone is --flip=horizontal
    #[arg(long, value_enum, value_name = "HOW", requires = "images", num_args = 0..=1,
          require_equals = true, default_missing_value = "horizontal")]
    flip: Option<Flip>,
    /// Materials, at most one per pixel: attributes that are their volume fractions, or groups of
    /// cells; `\,` is a comma of a name. Images have one color per material
    #[arg(long, value_name = "NAME[=#RRGGBB],…", requires = "images", conflicts_with = "dither")]
    materials: Vec<List<WantedMaterial>>,
    /// Cell array whose integers are material ids, instead of --materials
    #[arg(long, value_name = "NAME", requires = "images", conflicts_with_all = ["materials", "dither"])]
    material_id: Option<String>,
    /// Write one 1-bit image per material
    #[arg(long, requires = "a_material")]
    separate: bool,
}

impl OutputArguments {
    /// Everything that is written.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let directories = [&self.png, &self.bmp, &self.svg];
        directories.into_iter().chain(self.files()).filter_map(|path| path.as_deref())
    }

    /// The files of all layers.
    fn files(&self) -> [&Option<PathBuf>; 6] {
        [&self.layered_svg, &self.cli, &self.vtp, &self.pvtu, &self.zip, &self.sl1]
    }

    /// The directory of images, if there is one.
    fn images(&self) -> Option<&PathBuf> {
        self.png.as_ref().or(self.bmp.as_ref())
    }

    /// Checks that all of it can be written, and is nothing that is read.
    pub fn check(&self, model: &ModelArguments) -> Result<()> {
        for directory in self.images().into_iter().chain(&self.svg) {
            atomic::check_directory(directory)?;
        }
        for file in self.files().into_iter().flatten() {
            model.check_no_input(file, &[])?;
            atomic::check(file)?;
        }
        let endings = ["svg", "cli", "vtp", "pvtu", "zip", "sl1"];
        let endings = self.files().into_iter().zip(endings);
        for (path, ending) in endings {
            let Some(path) = path else { continue };
            if !path.extension().unwrap_or_default().eq_ignore_ascii_case(ending) {
                return Err(Error::request(format!("{}: not a .{ending} file", path.display()))
                    .with_help(format!("end its name in .{ending}")));
            }
        }
        let mut places = HashSet::new();
        for path in self.paths() {
            if !places.insert(place(path)) {
                return Err(Error::request(format!("{} is given twice", path.display()))
                    .with_help("give every output a different name"));
            }
        }
        Ok(())
    }

    /// Whether some are one file of all layers.
    pub fn has_files(&self) -> bool {
        self.files().into_iter().any(Option::is_some)
    }

    /// Whether some are a directory with files of a layer each.
    pub fn has_directories(&self) -> bool {
        self.images().is_some() || self.svg.is_some()
    }

    /// Directs the layers to the directories of a part.
    pub fn of_job(&mut self, part: JobPart) -> Result<()> {
        for directory in [&mut self.png, &mut self.bmp, &mut self.svg].into_iter().flatten() {
            *directory = job_directory(directory, part)?;
        }
        Ok(())
    }

    /// Whether some are images of any kind.
    pub fn has_images(&self) -> bool {
        self.has_attribute_images() || self.sl1.is_some()
    }

    /// Whether some are images, of attributes and materials too.
    pub fn has_attribute_images(&self) -> bool {
        self.images().is_some() || self.zip.is_some()
    }

    /// Whether some are made of pixels.
    pub fn has_pixels(&self) -> bool {
        self.has_images() || self.pvtu.is_some()
    }

    /// Opens the images, if there are some.
    pub fn open_images<'a>(
        &self,
        setting: &Setting,
        images: Option<&ImageOptions>,
        channels: &[Channel],
        resume: bool,
    ) -> Result<Vec<Box<dyn Output + 'a>>> {
        let mut outputs: Vec<Box<dyn Output>> = Vec::new();
        if let Some(images) = images {
            let options = images.clone();
            match (self.images(), &self.zip) {
                (Some(path), _) => {
                    let directory = ImageDirectory::open(path, setting, options, channels, resume)?;
                    outputs.push(Box::new(directory));
                }
                (None, Some(path)) => {
                    let zip = ImageArchive::create(path, setting, options, channels)?;
                    outputs.push(Box::new(zip));
                }
                (None, None) => {}
            }
            if let (Some(path), Some(exposure)) = (&self.sl1, self.exposure) {
                let options = images.clone();
                let sl1 = PrusaArchive::create(path, setting, options, exposure, channels)?;
                outputs.push(Box::new(sl1));
            }
        }
        Ok(outputs)
    }

    /// Opens all but the images: contours, and the pixels of `grid`, with these `attributes` among
    /// the channels.
    pub fn open_others<'a>(
        &self,
        setting: &Setting,
        layers: &Range<usize>,
        grid: Option<PixelGrid>,
        attributes: &[usize],
        channels: &[Channel],
        resume: bool,
    ) -> Result<Vec<Box<dyn Output + 'a>>> {
        let mut outputs: Vec<Box<dyn Output>> = Vec::new();
        if let Some(path) = &self.svg {
            outputs.push(Box::new(SvgStack::open(path, setting, resume)?));
        }
        if let Some(path) = &self.layered_svg {
            outputs.push(Box::new(LayeredSvg::create(path, setting, layers)?));
        }
        if let Some(path) = &self.cli {
            let encoding = if self.binary { Encoding::Binary } else { Encoding::Text };
            outputs.push(Box::new(CommonLayerInterface::create(path, setting, layers, encoding)?));
        }
        if let (Some(path), Some(grid)) = (&self.pvtu, grid) {
            PixelCloud::check_memory(&grid, setting.plane, attributes.len(), layers.len())?;
            let cloud = PixelCloud::create(path, setting, grid, channels, attributes)?;
            outputs.push(Box::new(cloud));
        }
        if let Some(path) = &self.vtp {
            outputs.push(Box::new(Polylines::create(path, setting, channels, attributes)?));
        }
        Ok(outputs)
    }

    /// Warns where the numbers of a binary --cli file do not tell places of the model apart.
    pub fn warn_of_single(&self, setting: &Setting, console: &Console) {
        if let (Some(path), true) = (&self.cli, self.binary)
            && let Some(notice) = setting.binary_notice()
        {
            console.warn(format!("{}: {}", path.display(), words(&notice)));
        }
    }

    /// Packs a directory of images, if a zip is asked for too.
    pub fn archive(&self) -> Result<()> {
        match (&self.zip, self.images()) {
            (Some(zip), Some(directory)) => archive(zip, directory).map_err(|error| {
                let help = error.help().cloned().unwrap_or_default();
                let stay =
                    format!("; the layers stay in {}, --resume packs them", directory.display());
                error.with_help(message!(help, stay))
            }),
            _ => Ok(()),
        }
    }
}

impl ImageArguments {
    /// Refuses sizes that no model makes good, or that nothing has.
    pub fn check(&self, outputs: &OutputArguments) -> Result<()> {
        match self.pixel {
            Some(_) if !outputs.has_pixels() => {
                Err(Error::request("--pixel is for --png, --bmp, --zip, --sl1 and --pvtu")
                    .with_help("give --png DIR or --pvtu FILE, or leave --pixel out"))
            }
            Some(pixel) => {
                Setting::check_pixel(pixel)?;
                self.check_materials(outputs)
            }
            None => self.check_materials(outputs),
        }
    }

    fn check_materials(&self, outputs: &OutputArguments) -> Result<()> {
        let has_materials = !self.materials.is_empty() || self.material_id.is_some();
        if has_materials && !outputs.has_attribute_images() {
            return Err(Error::request(
                "--materials and --material-id are for --png, --bmp and --zip",
            )
            .with_help("give --png DIR, or leave them out"));
        }
        let is_gray = outputs.sl1.is_some() && !outputs.has_attribute_images();
        refuse_given(
            &[(is_gray && self.bits.is_some(), "--bits"), (is_gray && self.dither, "--dither")],
            |option| format!("--sl1 has 8 bits per pixel: {option} is for --png, --bmp and --zip"),
            leave_out,
        )
    }

    /// The attributes and arrays of the materials.
    pub fn material_names(&self) -> impl Iterator<Item = &str> {
        let named = self.materials.iter().flat_map(|list| &list.0);
        let named = named.map(|material| material.name.as_str());
        named.chain(self.material_id.as_deref())
    }

    /// The array of the materials' ids.
    pub fn material_array(&self) -> Option<&str> {
        self.material_id.as_deref()
    }

    /// The materials among the channels.
    fn materials(
        &self,
        channels: &[Channel],
        of_cells: Option<&CellIds>,
    ) -> Result<Option<Materials>> {
        if let Some(name) = &self.material_id {
            let Some(ids) = of_cells else {
                return Err(Error::request(format!("{name:?} is not a cell array"))
                    .with_help("name fractions at vertices by --materials"));
            };
            return Materials::of_cells(channels, ids).map(Some);
        }
        let mut chosen = Vec::new();
        for WantedMaterial { name, color } in self.materials.iter().flat_map(|list| &list.0) {
            let own = Channel::choose(&[(name, None)], channels)?;
            chosen.extend(own.into_iter().map(|(channel, _)| (channel, *color)));
        }
        if chosen.is_empty() { Ok(None) } else { Materials::fractions(channels, &chosen).map(Some) }
    }

    /// Whether images are white where the centers of pixels are inside.
    pub fn is_sampled(&self, outputs: &OutputArguments) -> bool {
        self.antialias.is_none() && outputs.has_images()
    }

    /// The pixels, if there are some.
    pub fn grid(&self, setting: &Setting) -> Result<Option<PixelGrid>> {
        let of = |pitch| Pixels {
            pitch,
            size: self.resolution.map(|Resolution(size)| size),
            origin: self.pixel_origin.map(|Corner(corner)| corner),
            crop: self.crop,
        };
        self.pixel.map(|pixel| setting.pixels(of(pixel))).transpose()
    }

    /// How images are made, if they are.
    pub fn options(
        &self,
        outputs: &OutputArguments,
        setting: &Setting,
        grid: Option<PixelGrid>,
        attributes: &[(usize, [f64; 2])],
        channels: &[Channel],
        of_cells: Option<&CellIds>,
    ) -> Result<Option<ImageOptions>> {
        let Some(grid) = grid.filter(|_| outputs.has_images()) else { return Ok(None) };
        let options = ImageOptions {
            grid,
            file: if outputs.bmp.is_some() { ImageFile::Bmp } else { ImageFile::Png },
            bits: if self.dither { Bits::One } else { self.bits.unwrap_or_default() },
            antialias: self.antialias,
            flip: self.flip.unwrap_or_default(),
            attributes: attributes.to_vec(),
            materials: self.materials(channels, of_cells)?,
            separate: self.separate,
        };
        options.check_bits(self.bits)?;
        Painter::check(setting, &options, channels)?;
        options.check_memory(channels.len())?;
        Ok(Some(options))
    }
}

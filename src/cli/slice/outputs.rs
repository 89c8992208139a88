//! The files that `subsolid slice` writes.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use subsolid::io::atomic;
use subsolid::slice::job_directory;
use subsolid::slice::output::{
    CommonLayerInterface, Encoding, ImageOptions, Output, PixelCloud, PngStack, Polylines,
    SvgStack, archive, check_directory,
};
use subsolid::slice::{Bits, Channel, Flip, LayerSource, PixelGrid, Setting};
use subsolid::{Error, Result};

use super::values::Resolution;
use crate::cli::Console;
use crate::cli::memory::{gigabytes, physical};
use crate::cli::model::ModelArguments;

#[derive(Args)]
#[group(skip)]
pub struct OutputArguments {
    /// Directory for grey images of the layers and their manifest
    #[arg(long, value_name = "DIR", requires = "pixel")]
    pub png: Option<PathBuf>,
    /// Directory for drawings of the layers and their manifest
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Common Layer Interface file of the contours
    #[arg(long, value_name = "FILE")]
    pub cli: Option<PathBuf>,
    /// VTK file of the contours of all layers, for ParaView
    #[arg(long, value_name = "FILE.vtp")]
    pub vtp: Option<PathBuf>,
    /// VTK file of the pixels' centres inside, with cell, u, v, w and attributes, for ParaView; a
    /// piece a layer
    #[arg(long, value_name = "FILE.pvtu", requires = "pixel")]
    pub vtu: Option<PathBuf>,
    /// Zip of all that --png writes
    #[arg(long, value_name = "FILE", requires = "png")]
    zip: Option<PathBuf>,
    /// Binary numbers in the --cli file, of single precision
    #[arg(long, requires = "cli")]
    binary: bool,
}

#[derive(Args)]
pub struct ImageArguments {
    /// Edge length of a pixel, in length units of the model
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pixel: Option<f64>,
    /// Columns and rows of the images, with the model in the middle [default: as it needs]
    #[arg(long, value_name = "WxH", requires = "pixel")]
    resolution: Option<Resolution>,
    /// Grey pixels: as they are covered in the plane, on the average of N planes a layer
    #[arg(long, value_name = "N", requires = "png")]
    antialias: Option<usize>,
    /// Bits of a pixel
    #[arg(long, value_enum, default_value_t, requires = "png")]
    bits: BitsArgument,
    /// Black and white pixels (1 bit) in the share of the grey: for droplets
    #[arg(long, requires = "png", conflicts_with = "bits")]
    dither: bool,
    /// Mirror the images
    #[arg(long, value_enum, value_name = "HOW", requires = "png", num_args = 0..=1,
          require_equals = true, default_missing_value = "horizontal")]
    flip: Option<FlipArgument>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum BitsArgument {
    #[default]
    #[value(name = "8")]
    Eight,
    #[value(name = "16")]
    Sixteen,
}

#[derive(Clone, Copy, ValueEnum)]
enum FlipArgument {
    /// Left and right change places
    Horizontal,
    /// Top and bottom change places
    Vertical,
    /// Both
    Both,
}

impl OutputArguments {
    /// Everything that is written.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let paths = [&self.png, &self.svg, &self.cli, &self.vtp, &self.vtu, &self.zip];
        paths.into_iter().filter_map(|path| path.as_deref())
    }

    /// Checks that all of it can be written, and is nothing that is read.
    pub fn check(&self, model: &ModelArguments) -> Result<()> {
        for directory in [&self.png, &self.svg].into_iter().flatten() {
            check_directory(directory)?;
        }
        for file in [&self.cli, &self.vtp, &self.vtu, &self.zip].into_iter().flatten() {
            model.check_no_input(file, &[])?;
            atomic::check(file)?;
        }
        let endings =
            [(&self.vtp, "vtp"), (&self.vtu, "pvtu"), (&self.zip, "zip"), (&self.cli, "cli")];
        for (path, ending) in endings {
            let Some(path) = path else { continue };
            if !path.extension().unwrap_or_default().eq_ignore_ascii_case(ending) {
                return Err(Error::request(format!("{}: not a .{ending} file", path.display()))
                    .with_help(format!("end its name in .{ending}")));
            }
        }
        let paths: Vec<_> = self.paths().collect();
        for (i, path) in paths.iter().enumerate() {
            if paths[..i].contains(path) {
                return Err(Error::request(format!("{} is given twice", path.display()))
                    .with_help("give every output a name of its own"));
            }
        }
        Ok(())
    }

    /// Whether all images go to an archive too.
    pub fn has_zip(&self) -> bool {
        self.zip.is_some()
    }

    /// Directs the layers to the directories of a part, I of N.
    pub fn of_job(&mut self, part: (usize, usize)) -> Result<()> {
        for directory in [&mut self.png, &mut self.svg].into_iter().flatten() {
            *directory = job_directory(directory, part)?;
        }
        Ok(())
    }

    /// Whether some are made of pixels.
    pub fn has_pixels(&self) -> bool {
        self.png.is_some() || self.vtu.is_some()
    }

    /// Opens them. `grid`: the pixels of those that have some.
    pub fn open<'a>(
        &self,
        setting: &Setting,
        layers: &Range<usize>,
        (grid, images): (Option<PixelGrid>, Option<&ImageOptions>),
        attributes: &[(usize, [f64; 2])],
        source: &dyn LayerSource,
        resume: bool,
    ) -> Result<Vec<Box<dyn Output + 'a>>> {
        let channels = source.channels();
        let mut outputs: Vec<Box<dyn Output>> = Vec::new();
        if let (Some(path), Some(images)) = (&self.png, images) {
            outputs.push(Box::new(PngStack::open(
                path,
                setting,
                images.clone(),
                channels,
                resume,
            )?));
        }
        if let Some(path) = &self.svg {
            outputs.push(Box::new(SvgStack::open(path, setting, resume)?));
        }
        if let Some(path) = &self.cli {
            let encoding = if self.binary { Encoding::Binary } else { Encoding::Text };
            outputs.push(Box::new(CommonLayerInterface::create(path, setting, layers, encoding)?));
        }
        let attributes: Vec<usize> = attributes.iter().map(|&(channel, _)| channel).collect();
        if let (Some(path), Some(grid)) = (&self.vtu, grid) {
            let cloud = PixelCloud::create(path, setting, grid, channels, &attributes)?;
            outputs.push(Box::new(cloud));
        }
        if let Some(path) = &self.vtp {
            outputs.push(Box::new(Polylines::create(path, setting, channels, &attributes)?));
        }
        Ok(outputs)
    }

    /// Packs the images, if a zip is asked for.
    pub fn archive(&self) -> Result<()> {
        match (&self.zip, &self.png) {
            (Some(zip), Some(directory)) => archive(zip, directory),
            _ => Ok(()),
        }
    }
}

impl ImageArguments {
    /// Refuses sizes that no model makes good, or that nothing has.
    pub fn check(&self, outputs: &OutputArguments) -> Result<()> {
        match self.pixel {
            Some(_) if !outputs.has_pixels() => {
                Err(Error::request("--pixel is for --png and --vtu")
                    .with_help("give --png DIR or --vtu FILE, or leave --pixel out"))
            }
            Some(pixel) if !(pixel.is_finite() && pixel > 0.0) => {
                Err(Error::request(format!("--pixel {pixel} is not positive"))
                    .with_help("give the edge length of a pixel in length units, say 0.05"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses pixels larger than the model, and says what a resolution cuts off.
    pub fn check_fit(&self, setting: &Setting, console: &Console) -> Result<()> {
        let Some(pixel) = self.pixel else { return Ok(()) };
        let [low, high] = setting.plane;
        let [width, depth] = [0, 1].map(|d| high[d] - low[d]);
        if pixel > width.max(depth) {
            return Err(Error::request(format!(
                "--pixel {pixel} is larger than the model, which is {width} × {depth}"
            ))
            .with_help("give the edge length of a pixel in length units of the model"));
        }
        if let Some(Resolution([columns, rows])) = self.resolution {
            let [across, up] = setting.grid(pixel, None)?.size;
            if columns < across || rows < up {
                console.warn(format!(
                    "images of {columns} × {rows} pixels cut the model off, which needs {across} × {up}"
                ));
            }
        }
        Ok(())
    }

    /// The pixels, if there are some.
    pub fn grid(&self, setting: &Setting) -> Result<Option<PixelGrid>> {
        let size = self.resolution.map(|Resolution(size)| size);
        self.pixel.map(|pixel| setting.grid(pixel, size)).transpose()
    }

    /// How images are made, if they are.
    pub fn options(
        &self,
        outputs: &OutputArguments,
        setting: &Setting,
        attributes: &[(usize, [f64; 2])],
        channels: &[Channel],
    ) -> Result<Option<ImageOptions>> {
        let (Some(_), Some(grid)) = (&outputs.png, self.grid(setting)?) else { return Ok(None) };
        let options = ImageOptions {
            grid,
            bits: match self.bits {
                _ if self.dither => Bits::One,
                BitsArgument::Eight => Bits::Eight,
                BitsArgument::Sixteen => Bits::Sixteen,
            },
            antialias: self.antialias,
            flip: match self.flip {
                None => Flip::None,
                Some(FlipArgument::Horizontal) => Flip::Horizontal,
                Some(FlipArgument::Vertical) => Flip::Vertical,
                Some(FlipArgument::Both) => Flip::Both,
            },
            attributes: attributes.to_vec(),
        };
        PngStack::check(setting, &options, channels)?;
        check_memory(&options, channels.len())?;
        Ok(Some(options))
    }
}

/// Refuses images of which the threads could not hold one each.
fn check_memory(options: &ImageOptions, channels: usize) -> Result<()> {
    let threads = rayon::current_num_threads();
    let need = PngStack::bytes_a_layer(options, channels) * threads as u128;
    let Some(memory) = physical().map(u128::from) else { return Ok(()) };
    if need <= memory / 2 {
        return Ok(());
    }
    let [columns, rows] = options.grid.size;
    Err(Error::request(format!(
        "images of {columns} × {rows} pixels on {threads} threads need about {}, half of the \
         memory is {}",
        gigabytes(need),
        gigabytes(memory / 2)
    ))
    .with_help("give larger pixels, or fewer threads (--threads)"))
}

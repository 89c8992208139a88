//! Images of layers: gray levels in 1, 8 or 16 bits, or numbers of materials with a color each, the
//! way up that a printer wants.

use png::{BitDepth, ColorType, Compression, Encoder, PixelDimensions, Unit};
use serde::{Deserialize, Serialize};

use super::bitmap;
use super::dither::is_white;
use super::runs::leading;
use crate::error::{Error, IdKind, Result};

/// Maximum number of pixels of an image: 16384 × 16384.
pub const MAX_PIXELS: usize = 1 << 28;

/// Bits of a pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(into = "u8", try_from = "u8")]
pub enum Bits {
    /// Black or white: levels are dithered.
    #[cfg_attr(feature = "cli", value(skip))]
    One,
    /// Levels 0 to 255.
    #[default]
    #[cfg_attr(feature = "cli", value(name = "8"))]
    Eight,
    /// Levels 0 to 65535.
    #[cfg_attr(feature = "cli", value(name = "16"))]
    Sixteen,
}

impl Bits {
    /// The gray level of white.
    pub fn white(self) -> u64 {
        (1 << u8::from(self)) - 1
    }
}

impl From<Bits> for u8 {
    fn from(bits: Bits) -> u8 {
        match bits {
            Bits::One => 1,
            Bits::Eight => 8,
            Bits::Sixteen => 16,
        }
    }
}

impl TryFrom<u8> for Bits {
    type Error = String;

    fn try_from(bits: u8) -> Result<Self, String> {
        [Self::One, Self::Eight, Self::Sixteen]
            .into_iter()
            .find(|&known| u8::from(known) == bits)
            .ok_or_else(|| format!("{bits} bits per pixel"))
    }
}

/// Mirror images, for printers that light a layer from below or count rows upward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Flip {
    /// As seen from above: columns to the right, the highest row on top.
    #[default]
    #[cfg_attr(feature = "cli", value(skip))]
    None,
    /// Swap left and right.
    Horizontal,
    /// Swap top and bottom.
    Vertical,
    /// Both.
    Both,
}

/// Formats of image files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageFile {
    /// Portable Network Graphics, compressed.
    #[default]
    Png,
    /// Windows bitmap, not compressed: 1 or 8 bits per pixel.
    Bmp,
}

impl ImageFile {
    /// Ending of the files' names.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Bmp => "bmp",
        }
    }
}

/// Shape of the images of a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageFormat {
    /// Columns and rows.
    pub size: [usize; 2],
    /// Bits of a pixel.
    pub bits: Bits,
    /// Direction in which rows of the images run.
    pub flip: Flip,
    /// Width and height of a pixel in meters.
    pub meters: [f64; 2],
    /// Format of the file.
    pub file: ImageFile,
}

/// An image as a file, and the sum of its gray levels.
pub struct EncodedImage {
    /// The file.
    pub bytes: Vec<u8>,
    /// Sum over the pixels of the gray levels 0 to [`Bits::white`] that were written.
    pub sum: u64,
}

impl ImageFormat {
    /// Checks that images of this shape can be written.
    ///
    /// # Errors
    /// [`Error::Request`] for no pixels or more than [`MAX_PIXELS`], and for 16 bits in a format
    /// that has none.
    pub fn check(&self) -> Result<()> {
        let [columns, rows] = self.size;
        if (self.file, self.bits) == (ImageFile::Bmp, Bits::Sixteen) {
            return Err(Error::request("bitmaps of 16 bits per pixel")
                .with_help("give 8 bits, or write PNG"));
        }
        let most = u32::MAX as usize >> 1; // of a PNG
        let pixels = columns.checked_mul(rows).filter(|_| columns <= most && rows <= most);
        match pixels {
            Some(1..=MAX_PIXELS) => Ok(()),
            Some(0) => Err(Error::request(format!("images of {columns} × {rows} pixels"))
                .with_help("ask for at least one column and one row")),
            _ => Err(Error::request(format!(
                "images of {columns} × {rows} pixels, more than {MAX_PIXELS} in all"
            ))
            .with_help("give larger pixels, or fewer columns and rows")),
        }
    }

    /// The image of gray `levels`, 0 to 65535, `[row][column]` with row 0 the lowest; `layer`
    /// is the number of the layer. Equal levels give equal bytes.
    ///
    /// # Errors
    /// As [`ImageFormat::check`]; [`Error::Request`] if the levels are not as many as pixels.
    pub fn encode(&self, levels: &[u16], layer: usize) -> Result<EncodedImage> {
        self.check()?;
        let [columns, rows] = self.size;
        if levels.len() != columns * rows {
            let count = levels.len();
            return Err(Error::request(format!("{count} levels for {columns} × {rows} pixels"))
                .with_help("give one level for each pixel"));
        }
        let (packed, sum) = self.pack(levels, layer);
        let depth = match self.bits {
            Bits::One => BitDepth::One,
            Bits::Eight => BitDepth::Eight,
            Bits::Sixteen => BitDepth::Sixteen,
        };
        let bytes = match self.file {
            ImageFile::Png => self.png(&packed, depth, None, layer)?,
            ImageFile::Bmp => {
                let white = self.bits.white().max(1);
                let gray = |level: u64| [(level * 255 / white) as u8; 3];
                let grays: Vec<[u8; 3]> = (0..=white).map(gray).collect();
                bitmap::encode(self.size, u8::from(self.bits), &grays, &packed, self.meters)
            }
        };
        Ok(EncodedImage { bytes, sum })
    }

    /// The image of numbers of colors in a palette, `[row][column]` with row 0 the lowest, 8 bits a
    /// pixel; `layer` is the number of the layer.
    ///
    /// # Errors
    /// As [`ImageFormat::check`]; [`Error::Request`] if the numbers are not as many as pixels, or
    /// one has no color.
    pub fn encode_indexed(
        &self,
        numbers: &[u8],
        palette: &[[u8; 3]],
        layer: usize,
    ) -> Result<Vec<u8>> {
        self.check()?;
        let [columns, rows] = self.size;
        if numbers.len() != columns * rows {
            let count = numbers.len();
            return Err(Error::request(format!("{count} numbers for {columns} × {rows} pixels"))
                .with_help("give one number for each pixel"));
        }
        if let Some(number) = numbers.iter().max().filter(|&&n| usize::from(n) >= palette.len()) {
            return Err(Error::request(format!("color {number} of {}", palette.len()))
                .with_help("give a color for each number, counted from 0"));
        }
        let (mirrored, upward) = self.turns();
        let mut packed = Vec::with_capacity(numbers.len());
        for line in 0..rows {
            let row = if upward { line } else { rows - 1 - line };
            packed.extend_from_slice(&numbers[row * columns..][..columns]);
            if mirrored {
                packed[line * columns..].reverse();
            }
        }
        match self.file {
            ImageFile::Png => self.png(&packed, BitDepth::Eight, Some(palette), layer),
            ImageFile::Bmp => Ok(bitmap::encode(self.size, 8, palette, &packed, self.meters)),
        }
    }

    /// A PNG file of packed rows, gray unless there is a palette.
    fn png(
        &self,
        packed: &[u8],
        depth: BitDepth,
        palette: Option<&[[u8; 3]]>,
        layer: usize,
    ) -> Result<Vec<u8>> {
        let [columns, rows] = self.size;
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, columns as u32, rows as u32);
        match palette {
            None => encoder.set_color(ColorType::Grayscale),
            Some(palette) => {
                encoder.set_color(ColorType::Indexed);
                encoder.set_palette(palette.as_flattened());
            }
        }
        encoder.set_depth(depth);
        // one filter: three times as fast as trying all, and files of nearly the same size
        encoder.set_compression(Compression::Fastest);
        let resolution = self.meters.map(|meters| (1.0 / meters).round());
        if resolution.iter().all(|own| (1.0..f64::from(i32::MAX)).contains(own)) {
            let [xppu, yppu] = resolution.map(|own| own as u32);
            encoder.set_pixel_dims(Some(PixelDimensions { xppu, yppu, unit: Unit::Meter }));
        }
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(packed)?;
            writer.finish()
        });
        written
            .map_err(|e| Error::request(message!(IdKind::Layer.id(layer), " makes no PNG: {e}")))?;
        Ok(bytes)
    }

    /// Whether lines are mirrored, and whether the first is the lowest row.
    fn turns(&self) -> (bool, bool) {
        match self.flip {
            Flip::None => (false, false),
            Flip::Horizontal => (true, false),
            Flip::Vertical => (false, true),
            Flip::Both => (true, true),
        }
    }

    /// The sum of levels as [`Self::encode`] has it.
    pub(in crate::slice) fn sum(&self, levels: &[u16], layer: usize) -> u64 {
        self.pack(levels, layer).1
    }

    /// Rows of the file, from the top, and the sum of their levels.
    fn pack(&self, levels: &[u16], layer: usize) -> (Vec<u8>, u64) {
        let [columns, rows] = self.size;
        let stride = (columns * usize::from(u8::from(self.bits))).div_ceil(8);
        let mut packed = vec![0u8; stride * rows];
        let mut sum = 0;
        let mut turned = Vec::new();
        let (mirrored, upward) = self.turns();
        for (line, out) in packed.chunks_exact_mut(stride).enumerate() {
            let row = if upward { line } else { rows - 1 - line };
            let levels = &levels[row * columns..][..columns];
            if leading(levels, |&level| level == 0) == columns {
                continue;
            }
            let levels = if mirrored {
                turned.clear();
                turned.extend(levels.iter().rev());
                &turned
            } else {
                levels
            };
            match self.bits {
                Bits::One => {
                    for (place, &level) in levels.iter().enumerate() {
                        let column = if mirrored { columns - 1 - place } else { place };
                        let white = u8::from(is_white(level, column, row, layer));
                        out[place / 8] |= white << (7 - place % 8);
                        sum += u64::from(white);
                    }
                }
                Bits::Eight => sum += pulp::Arch::new().dispatch(PackKernel { levels, out }),
                Bits::Sixteen => {
                    for (out, level) in out.chunks_exact_mut(2).zip(levels) {
                        out.copy_from_slice(&level.to_be_bytes());
                    }
                    sum += levels.iter().map(|&level| u64::from(level)).sum::<u64>();
                }
            }
        }
        (packed, sum)
    }
}

/// A row of 8 bits and the sum of its levels, compiled for the widest vectors that the machine has.
struct PackKernel<'a> {
    levels: &'a [u16],
    out: &'a mut [u8],
}

impl pulp::NullaryFnOnce for PackKernel<'_> {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        // parts whose sums are below 2^24
        let mut sum = 0;
        for (out, levels) in self.out.chunks_mut(1 << 16).zip(self.levels.chunks(1 << 16)) {
            let mut part = 0_u32;
            for (out, &level) in out.iter_mut().zip(levels) {
                *out = eight_bits(level);
                part += u32::from(*out);
            }
            sum += u64::from(part);
        }
        sum
    }
}

/// A level of 16 bits in 8, rounded. Without a division, which vectors do not have.
#[inline(always)]
fn eight_bits(level: u16) -> u8 {
    (((u32::from(level) + 129) * 255) >> 16) as u8
}

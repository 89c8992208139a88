//! Pixels of layers looked up in a solid on the device, with the attributes there, by
//! `kernels/interiors.cu`.

use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr};

use super::Cuda;
use super::device::failed;
use super::functions::{Functions, Shape};
use super::launch::{Argument, Launch};
use super::memory::{Buffer, timed_event};
use super::parts::{DeviceParts, NONE, SolidParts};
use super::ring::Ring;
use super::sources::{INTERIORS, Variant};
use crate::backend::Precision;
use crate::error::{Error, Result};

/// Columns and rows of a tile, as in `kernels/interiors.cu`.
pub const TILE: [usize; 2] = [16, 8];

/// Numbers of `kernels/interiors.cu`.
const THREADS: u32 = 128;
const SCANNERS: u32 = 1024;

/// Most layers at once.
const MOST_LAYERS: usize = 256;
/// Bytes of a pixel, of its claim and of its place in a list.
const PIXEL_BYTES: usize = 28 + 32 + 1;

pub(super) fn variant() -> Variant {
    Variant::new(&INTERIORS, Precision::F64)
}

/// A box of parameters with Bézier points of attributes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ParameterBox {
    /// Least corner, in the element's parameters.
    pub origin: [f64; 3],
    /// Edge lengths.
    pub size: [f64; 3],
}

/// An attribute of a solid.
#[derive(Clone, Copy, Debug)]
pub struct PieceValues<'a> {
    /// Numbers a point.
    pub width: usize,
    /// Bézier points, `[piece][w][v][u][width]`.
    pub points: &'a [f64],
}

/// Where the pixels of some layers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pixels {
    /// Lower left corner in the plane, in length units.
    pub origin: [f64; 2],
    /// Length of a pixel.
    pub pitch: f64,
    /// Columns and rows.
    pub size: [usize; 2],
    /// Axes in space of the columns' and the rows' coordinate.
    pub along: [usize; 2],
}

/// Parts that may hold pixels of each tile, `[layer][row of tiles][column of tiles]`.
#[derive(Clone, Debug, Default)]
pub struct TileParts {
    /// First part of each tile, and the end of the last ones.
    pub starts: Vec<u32>,
    /// Parts, those of a tile ascending.
    pub parts: Vec<u32>,
}

/// Where the CPU found a pixel that was left to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// Its layer.
    pub layer: usize,
    /// row · columns + column.
    pub pixel: u32,
    /// The piece, or [`NONE`] outside.
    pub piece: u32,
    /// (u, v, w) in the element.
    pub parameters: [f64; 3],
}

/// Which pixels are listed; as in `kernels/interiors.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    Left,
    Inside,
    Masked,
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for ParameterBox {}

/// A solid's parts and attributes on the device, ready for layers.
pub struct DevicePixels {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    ring: Ring,
    parts: DeviceParts,
    pieces: Buffer<ParameterBox>,
    // width and Bézier points of each
    attributes: Vec<(usize, Buffer<f64>)>,
    images: Option<Images>,
    lists: Lists,
}

/// Memory for the layers of a batch.
struct Images {
    pixels: Pixels,
    most: usize,
    count: usize,
    pieces: Buffer<u32>,
    parameters: Buffer<f64>,
    counts: Buffer<u32>,
    starts: Buffer<u64>,
}

/// The pixels listed last.
struct Lists {
    // of each row, and the end of the last
    starts: Vec<u64>,
    count: usize,
    pixels: Buffer<u32>,
    pieces: Buffer<u32>,
    parameters: Buffer<f64>,
    // of each attribute
    values: Vec<Buffer<f64>>,
}

impl Lists {
    fn new(stream: &Arc<CudaStream>) -> Result<Self> {
        Ok(Self {
            starts: Vec::new(),
            count: 0,
            pixels: Buffer::empty(stream, 0)?,
            pieces: Buffer::empty(stream, 0)?,
            parameters: Buffer::empty(stream, 0)?,
            values: Vec::new(),
        })
    }

    /// Gives the memory of the arrays back.
    fn forget(&mut self, stream: &Arc<CudaStream>) -> Result<()> {
        let Self { starts, count, .. } = std::mem::replace(self, Self::new(stream)?);
        (self.starts, self.count) = (starts, count);
        Ok(())
    }
}

/// Pixels of one layer copied to the host, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PixelArrays {
    /// row · columns + column.
    pub pixels: Vec<u32>,
    /// The piece, or [`NONE`] where no pixel around is inside.
    pub pieces: Vec<u32>,
    /// (u, v, w) in the element.
    pub parameters: Vec<[f64; 3]>,
}

impl DevicePixels {
    /// Brings a solid to a GPU: its parts, boxes `[piece]`, and attributes.
    ///
    /// # Errors
    /// [`Error::Request`] if its memory is too small.
    pub fn new(
        gpu: &Cuda,
        solid: SolidParts<'_>,
        pieces: &[ParameterBox],
        attributes: &[PieceValues<'_>],
    ) -> Result<Self> {
        let functions = gpu.functions.clone();
        let new_stream = || functions.device().context.new_stream().map_err(failed("no stream"));
        let (stream, ring) = (new_stream()?, Ring::new(new_stream()?)?);
        let attributes = attributes.iter();
        let attributes = attributes.map(|a| Ok((a.width, Buffer::of(&stream, a.points)?)));
        let attributes = attributes.collect::<Result<Vec<_>>>()?;
        let pieces = Buffer::of(&stream, pieces)?;
        let parts = DeviceParts::new(&stream, solid)?;
        let lists = Lists::new(&stream)?;
        Ok(Self { functions, stream, ring, parts, pieces, attributes, images: None, lists })
    }

    /// Layers that are worked on at once.
    pub fn most_layers(&self, pixels: &Pixels) -> usize {
        let width: usize = self.attributes.iter().map(|(width, _)| width).sum();
        let bytes = pixels.size[0] * pixels.size[1] * (PIXEL_BYTES + 8 * width);
        // leaves most of the memory to others
        let memory = (self.functions.device().info.memory / 4) as usize;
        (memory / bytes.max(1)).clamp(1, MOST_LAYERS)
    }

    /// Finds the piece and parameters of every pixel of the layers at `heights`; `tiles` says
    /// which parts may hold some. Returns the seconds that it took on the device.
    ///
    /// # Errors
    /// [`Error::Request`] for more layers than [`DevicePixels::most_layers`], other tiles, or if
    /// the device fails.
    pub fn claim(&mut self, pixels: &Pixels, heights: &[f64], tiles: &TileParts) -> Result<f64> {
        let [across, up] = [0, 1].map(|d| pixels.size[d].div_ceil(TILE[d]));
        let count = across * up * heights.len();
        let most = self.most_layers(pixels);
        if heights.len() > most || tiles.starts.len() != count + 1 {
            return Err(Error::request(format!("{} layers at once", heights.len()))
                .with_mend(format!("ask for at most {most}")));
        }
        self.make_room(pixels, heights.len())?;
        let stream = &self.stream;
        let heights = Buffer::of(stream, heights)?;
        let starts = Buffer::of(stream, &tiles.starts)?;
        let parts = Buffer::of(stream, &tiles.parts)?;
        let [all_parts, points] = self.parts.addresses();
        let address = Argument::Address;
        let launch = self.launch(
            "claim_pixels",
            [count, THREADS as usize],
            vec![
                address(all_parts),
                address(points),
                self.grid(),
                address(heights.address(0)),
                address(starts.address(0)),
                address(parts.address(0)),
                self.claims(),
            ],
        )?;
        self.time(&[launch])
    }

    /// The pixels of each layer that the device cannot decide; the seconds that listing them
    /// took.
    ///
    /// # Errors
    /// [`Error::Request`] if the device fails.
    pub fn left(&mut self) -> Result<(Vec<Vec<u32>>, f64)> {
        let seconds = self.list(Listed::Left, 0)?;
        let mut all = vec![0; self.lists.count];
        if !all.is_empty() {
            let from = self.lists.pixels.address(0);
            self.ring.copy(vec![(from, bytemuck::cast_slice_mut(&mut all))])?;
        }
        let layers = 0..self.images.as_ref().map_or(0, |images| images.count);
        Ok((layers.map(|layer| all[self.lists_of(layer)].to_vec()).collect(), seconds))
    }

    /// Takes what the CPU found for pixels that were left to it.
    ///
    /// # Errors
    /// [`Error::Request`] if the device fails.
    pub fn settle(&mut self, settled: &[Settled]) -> Result<()> {
        let Some(images) = self.images.as_ref().filter(|_| !settled.is_empty()) else {
            return Ok(());
        };
        let size = images.pixels.size[0] * images.pixels.size[1];
        let stream = &self.stream;
        let place = |s: &Settled| (s.layer * size + s.pixel as usize) as u64;
        let places: Vec<u64> = settled.iter().map(place).collect();
        let pieces: Vec<u32> = settled.iter().map(|s| s.piece).collect();
        let parameters: Vec<f64> = settled.iter().flat_map(|s| s.parameters).collect();
        let places = Buffer::of(stream, &places)?;
        let pieces = Buffer::of(stream, &pieces)?;
        let parameters = Buffer::of(stream, &parameters)?;
        let launch = self.launch(
            "settle_pixels",
            [settled.len().div_ceil(THREADS as usize), THREADS as usize],
            vec![
                Argument::Address(places.address(0)),
                Argument::Address(pieces.address(0)),
                Argument::Address(parameters.address(0)),
                Argument::Number(settled.len() as u32),
                self.claims(),
            ],
        )?;
        self.time(&[launch])?;
        Ok(())
    }

    /// Lists the pixels that are inside, or those that a mask `[layer][row][column]` has a number
    /// other than 0 for, and evaluates attributes there. Masked pixels outside take over from the
    /// closest around that is inside. Returns the seconds that it took on the device; lists and
    /// values stay there until the next call.
    ///
    /// # Errors
    /// [`Error::Request`] if the device fails or its memory is too small.
    pub fn gather(&mut self, mask: Option<&[u8]>) -> Result<f64> {
        let mut seconds = match mask {
            None => self.list(Listed::Inside, 0)?,
            Some(mask) => {
                let Some(images) = &self.images else { return Ok(0.0) };
                let [columns, rows] = images.pixels.size;
                if mask.len() != images.count * columns * rows {
                    return Err(Error::request(format!("a mask of {} bytes", mask.len())));
                }
                let mask = Buffer::of(&self.stream, mask)?;
                self.list(Listed::Masked, mask.address(0))?
            }
        };
        let count = self.lists.count;
        let attributes = self.attributes.iter().zip(&self.lists.values);
        let launches = attributes.map(|((width, points), values)| {
            self.launch(
                "pixel_values",
                [count.div_ceil(THREADS as usize), THREADS as usize],
                vec![
                    self.list_arrays(),
                    Argument::Long(count as u64),
                    Argument::Address(self.pieces.address(0)),
                    Argument::Address(points.address(0)),
                    Argument::Number(*width as u32),
                    Argument::Address(values.address(0)),
                ],
            )
        });
        let launches = launches.collect::<Result<Vec<_>>>()?;
        seconds += self.time(&launches)?;
        Ok(seconds)
    }

    /// Number of pixels listed in a layer.
    pub fn listed(&self, layer: usize) -> usize {
        self.lists_of(layer).len()
    }

    /// Copies the pixels of a layer that [`DevicePixels::gather`] listed.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn read(&mut self, layer: usize, arrays: &mut PixelArrays) -> Result<()> {
        let own = self.lists_of(layer);
        arrays.pixels.resize(own.len(), 0);
        arrays.pieces.resize(own.len(), NONE);
        arrays.parameters.resize(own.len(), [0.0; 3]);
        if own.is_empty() {
            return Ok(());
        }
        let lists = &self.lists;
        self.ring.copy(vec![
            (lists.pixels.address(own.start), bytemuck::cast_slice_mut(&mut arrays.pixels)),
            (lists.pieces.address(own.start), bytemuck::cast_slice_mut(&mut arrays.pieces)),
            (
                lists.parameters.address(3 * own.start),
                bytemuck::cast_slice_mut(&mut arrays.parameters),
            ),
        ])
    }

    /// Copies the values of an attribute at the pixels of a layer, `[pixel][width]`; those of
    /// pixels without a piece, or with one that has no Bézier points of attributes, mean nothing.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn read_values(&mut self, layer: usize, attribute: usize) -> Result<Vec<f64>> {
        let own = self.lists_of(layer);
        let width = self.attributes[attribute].0;
        let mut values = vec![0.0; width * own.len()];
        if !values.is_empty() {
            let from = self.lists.values[attribute].address(width * own.start);
            self.ring.copy(vec![(from, bytemuck::cast_slice_mut(&mut values))])?;
        }
        Ok(values)
    }

    /// Makes lists of pixels.
    fn list(&mut self, listed: Listed, mask: u64) -> Result<f64> {
        let Some(images) = &self.images else { return Ok(0.0) };
        let rows = images.count * images.pixels.size[1];
        let address = Argument::Address;
        let number = || Argument::Number(listed as u32);
        let [counts, starts] = [images.counts.address(0), images.starts.address(0)];
        let threads = THREADS as usize;
        let launches = [
            self.launch(
                "count_rows",
                [rows, threads],
                vec![self.grid(), self.claims(), address(mask), number(), address(counts)],
            )?,
            self.launch(
                "scan_rows",
                [1, SCANNERS as usize],
                vec![address(counts), Argument::Number(rows as u32), address(starts)],
            )?,
        ];
        let mut seconds = self.time(&launches)?;
        let mut all = images.starts.read(&self.stream)?;
        all.truncate(rows + 1);
        let count = all.last().map_or(0, |&end| end as usize);
        self.lists.starts = all;
        self.lists.count = count;
        if self.lists.pixels.len() < count {
            self.lists.forget(&self.stream)?;
            let stream = &self.stream;
            let most = count + count / 4; // the next layers may have more
            self.lists.pixels = Buffer::empty(stream, most)?;
            self.lists.pieces = Buffer::empty(stream, most)?;
            self.lists.parameters = Buffer::empty(stream, 3 * most)?;
            let widths = self.attributes.iter().map(|(width, _)| width);
            let values = widths.map(|width| Buffer::empty(stream, width * most));
            self.lists.values = values.collect::<Result<_>>()?;
        }
        let launch = self.launch(
            "list_rows",
            [rows, threads],
            vec![
                self.grid(),
                self.claims(),
                address(mask),
                number(),
                address(starts),
                self.list_arrays(),
            ],
        )?;
        seconds += self.time(&[launch])?;
        Ok(seconds)
    }

    /// Where the pixels of a layer are in the lists.
    fn lists_of(&self, layer: usize) -> std::ops::Range<usize> {
        let rows = self.images.as_ref().map_or(0, |images| images.pixels.size[1]);
        let start = |row: usize| self.lists.starts.get(row).map_or(0, |&start| start as usize);
        start(layer * rows)..start((layer + 1) * rows)
    }

    /// `Grid` in the kernels.
    fn grid(&self) -> Argument {
        let Some(images) = &self.images else { return Argument::Words(Box::default()) };
        let Pixels { origin, pitch, size, along } = images.pixels;
        let pair = |low: usize, high: usize| low as u64 | (high as u64) << 32;
        Argument::Words(Box::new([
            origin[0].to_bits(),
            origin[1].to_bits(),
            pitch.to_bits(),
            pair(size[0], size[1]),
            pair(images.count, along[0]),
            pair(along[1], 3 - along[0] - along[1]),
        ]))
    }

    /// `Claims` in the kernels.
    fn claims(&self) -> Argument {
        let images = self.images.as_ref();
        let addresses = images.map(|i| [i.pieces.address(0), i.parameters.address(0)]);
        Argument::Words(Box::new(addresses.unwrap_or_default()))
    }

    /// `Lists` in the kernels.
    fn list_arrays(&self) -> Argument {
        let Lists { pixels, pieces, parameters, .. } = &self.lists;
        let addresses = [pixels.address(0), pieces.address(0), parameters.address(0)];
        Argument::Words(Box::new(addresses))
    }

    fn launch(
        &self,
        name: &'static str,
        [blocks, threads]: [usize; 2],
        arguments: Vec<Argument>,
    ) -> Result<Launch> {
        Ok(Launch {
            name: name.into(),
            function: self.functions.get(&variant(), name)?,
            shape: Shape { blocks: blocks as u32, threads: threads as u32, shared: 0 },
            arguments,
        })
    }

    /// Runs launches and waits for them; returns their seconds.
    fn time(&self, launches: &[Launch]) -> Result<f64> {
        let start = timed_event(&self.stream)?;
        for launch in launches {
            // SAFETY: all arrays live in `self` or with the caller, and are as large as the
            // counts say.
            unsafe { launch.enqueue(&self.stream) }
                .map_err(failed("a kernel cannot be launched"))?;
        }
        let end = timed_event(&self.stream)?;
        let elapsed = start.elapsed_ms(&end).map_err(failed("the interiors failed"))?;
        Ok(f64::from(elapsed) * 1e-3)
    }

    /// Makes memory for `count` layers, that of the last ones if it serves.
    fn make_room(&mut self, pixels: &Pixels, count: usize) -> Result<()> {
        let serves = |i: &&mut Images| i.pixels.size == pixels.size && i.most >= count;
        if let Some(images) = self.images.as_mut().filter(serves) {
            (images.pixels, images.count) = (*pixels, count);
            return Ok(());
        }
        self.images = None; // gives its memory back first
        let (stream, rows) = (&self.stream, count * pixels.size[1]);
        let size = rows * pixels.size[0];
        self.images = Some(Images {
            pixels: *pixels,
            most: count,
            count,
            pieces: Buffer::empty(stream, size)?,
            parameters: Buffer::empty(stream, 3 * size)?,
            counts: Buffer::empty(stream, rows)?,
            starts: Buffer::empty(stream, rows + 1)?,
        });
        Ok(())
    }
}

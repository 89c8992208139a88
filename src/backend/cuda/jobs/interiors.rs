//! Pixels of layers looked up in a solid on the device, with the attributes there, by
//! `kernels/slice/interiors.cu`.

mod launches;

use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr};

use super::parts::Parts;
use crate::backend::Precision;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::{
    INTERIOR_THREADS as THREADS, SCAN_THREADS as SCANNERS,
};
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::sources::{INTERIORS, Variant};
use crate::backend::cuda::driver::transfer::Transfer;
use crate::backend::cuda::resident::Resident;
use crate::backend::operations::{
    InteriorArrays, InteriorPixels, InteriorRun, InteriorSource, NONE, ParameterBox, PixelArrays,
    Pixels, SettledPixel, TILE, TileParts,
};
use crate::error::{Error, Result};

/// Maximum number of layers at once.
const MAX_LAYERS_AT_ONCE: usize = 256;
/// Bytes of a pixel, of its claim and of its place in a list.
const PIXEL_BYTES: usize = 28 + 32 + 1;

pub(in crate::backend::cuda) fn variant() -> Variant {
    Variant::new(&INTERIORS, Precision::F64)
}

/// Which pixels are listed; as in `kernels/slice/interiors.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PixelSelection {
    Left,
    Inside,
    Masked,
}

// SAFETY: plain numbers, laid out as in CUDA C++.
unsafe impl DeviceRepr for ParameterBox {}

/// A solid's parts and attributes on the device, ready for layers.
pub(super) struct Interiors {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    transfer: Transfer,
    parts: Parts,
    pieces: Buffer<ParameterBox>,
    // width and Bézier points of each
    attributes: Vec<(usize, Buffer<f64>)>,
    images: Option<LayerBuffers>,
    lists: PixelLists,
}

/// Memory for the layers of a batch.
struct LayerBuffers {
    pixels: Pixels,
    most: usize,
    count: usize,
    pieces: Buffer<u32>,
    parameters: Buffer<f64>,
    counts: Buffer<u32>,
    starts: Buffer<u64>,
}

/// The pixels listed last.
struct PixelLists {
    // of each row, and the end of the last
    starts: Vec<u64>,
    count: usize,
    pixels: Buffer<u32>,
    pieces: Buffer<u32>,
    parameters: Buffer<f64>,
    // of each attribute
    values: Vec<Buffer<f64>>,
}

impl PixelLists {
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

impl Interiors {
    /// Brings a solid to a GPU.
    pub fn new(gpu: &Cuda, arrays: &InteriorArrays<'_>) -> Result<Self> {
        let InteriorArrays { solid, pieces, attributes } = arrays;
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        let transfer = Transfer::new(functions.new_stream()?)?;
        let attributes = attributes.iter();
        let attributes = attributes.map(|a| Ok((a.width, Buffer::of(&stream, a.points)?)));
        let attributes = attributes.collect::<Result<Vec<_>>>()?;
        let pieces = Buffer::of(&stream, pieces)?;
        let parts = Parts::new(&stream, solid)?;
        let lists = PixelLists::new(&stream)?;
        Ok(Self { functions, stream, transfer, parts, pieces, attributes, images: None, lists })
    }

    /// Layers that are worked on at once.
    fn most_layers(&self, pixels: &Pixels) -> usize {
        let width: usize = self.attributes.iter().map(|(width, _)| width).sum();
        let bytes = pixels.size[0] * pixels.size[1] * (PIXEL_BYTES + 8 * width);
        // leaves most of the memory to others
        let memory = (self.functions.device().info.memory / 4) as usize;
        (memory / bytes.max(1)).clamp(1, MAX_LAYERS_AT_ONCE)
    }

    /// Finds the piece and parameters of every pixel of the layers at `heights`; returns the seconds
    /// that it took.
    fn claim(&mut self, pixels: &Pixels, heights: &[f64], tiles: &TileParts) -> Result<f64> {
        let [across, up] = [0, 1].map(|d| pixels.size[d].div_ceil(TILE[d]));
        let count = across * up * heights.len();
        if tiles.starts.len() != count + 1 {
            return Err(
                Error::request("tiles of other layers").with_help("give those of the heights")
            );
        }
        self.make_room(pixels, heights.len())?;
        let stream = &self.stream;
        let heights = Buffer::of(stream, heights)?;
        let starts = Buffer::of(stream, &tiles.starts)?;
        let parts = Buffer::of(stream, &tiles.parts)?;
        let [all_parts, points] = self.parts.addresses();
        let address = Argument::Address;
        let launch = self.kernels().blocks(
            "claim_pixels",
            count as u32,
            THREADS,
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

    /// The pixels that only the CPU can decide, (layer, pixel); the seconds that listing them took.
    fn left(&mut self) -> Result<(Vec<(usize, u32)>, f64)> {
        let seconds = self.list(PixelSelection::Left, 0)?;
        let mut all = vec![0; self.lists.count];
        if !all.is_empty() {
            let from = self.lists.pixels.address(0);
            self.transfer.copy(vec![(from, bytemuck::cast_slice_mut(&mut all))])?;
        }
        let layers = 0..self.images.as_ref().map_or(0, |images| images.count);
        let of_layer = |layer| all[self.lists_of(layer)].iter().map(move |&pixel| (layer, pixel));
        Ok((layers.flat_map(of_layer).collect(), seconds))
    }

    /// Takes what the CPU found for pixels that were left to it.
    fn settle(&mut self, settled: &[SettledPixel]) -> Result<()> {
        let Some(images) = self.images.as_ref().filter(|_| !settled.is_empty()) else {
            return Ok(());
        };
        let size = images.pixels.size[0] * images.pixels.size[1];
        let stream = &self.stream;
        let place = |s: &SettledPixel| (s.layer * size + s.pixel as usize) as u64;
        let places: Vec<u64> = settled.iter().map(place).collect();
        let pieces: Vec<u32> = settled.iter().map(|s| s.piece).collect();
        let parameters: Vec<f64> = settled.iter().flat_map(|s| s.parameters).collect();
        let places = Buffer::of(stream, &places)?;
        let pieces = Buffer::of(stream, &pieces)?;
        let parameters = Buffer::of(stream, &parameters)?;
        let launch = self.kernels().items(
            "settle_pixels",
            settled.len(),
            THREADS,
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
    /// closest around that is inside. Returns the seconds that it took.
    fn gather(&mut self, mask: Option<&[u8]>) -> Result<f64> {
        let mut seconds = match mask {
            None => self.list(PixelSelection::Inside, 0)?,
            Some(mask) => {
                let Some(images) = &self.images else { return Ok(0.0) };
                let [columns, rows] = images.pixels.size;
                if mask.len() != images.count * columns * rows {
                    return Err(Error::request(format!("a mask of {} bytes", mask.len()))
                        .with_help("give one byte for each pixel of all layers"));
                }
                let mask = Buffer::of(&self.stream, mask)?;
                self.list(PixelSelection::Masked, mask.address(0))?
            }
        };
        let count = self.lists.count;
        let attributes = self.attributes.iter().zip(&self.lists.values);
        let launches = attributes.map(|((width, points), values)| {
            self.kernels().items(
                "pixel_values",
                count,
                THREADS,
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

    /// Copies the pixels of the first layer that [`Self::gather`] listed; values at pixels without a
    /// piece, or with one that has no Bézier points of attributes, mean nothing.
    fn read(&mut self) -> Result<PixelArrays> {
        let count = self.lists_of(0).len();
        let mut found = PixelArrays {
            pixels: vec![0; count],
            pieces: vec![NONE; count],
            parameters: vec![[0.0; 3]; count],
            values: self.attributes.iter().map(|(width, _)| vec![0.0; width * count]).collect(),
        };
        if count == 0 {
            return Ok(found);
        }
        let PixelLists { pixels, pieces, parameters, values, .. } = &self.lists;
        let mut copies = vec![
            (pixels.address(0), bytemuck::cast_slice_mut(&mut found.pixels)),
            (pieces.address(0), bytemuck::cast_slice_mut(&mut found.pieces)),
            (parameters.address(0), bytemuck::cast_slice_mut(&mut found.parameters)),
        ];
        for (from, to) in values.iter().zip(&mut found.values) {
            copies.push((from.address(0), bytemuck::cast_slice_mut(to)));
        }
        self.transfer.copy(copies)?;
        Ok(found)
    }
}

impl Resident<Interiors> {
    /// Finds pixels, which stay on the device with their attributes; reads those of the first layer
    /// if they are `read`.
    fn run(
        &self,
        source: &dyn InteriorSource,
        heights: &[f64],
        mask: Option<&[u8]>,
        read: bool,
    ) -> Result<(InteriorRun, PixelArrays)> {
        // before the device is locked: threads share it out
        let tiles = source.tiles(heights);
        let mut own = self.lock();
        let claimed = own.claim(&source.pixels(), heights, &tiles)?;
        let (left, listed) = own.left()?;
        own.settle(&source.settle(heights, &left))?;
        let gathered = own.gather(mask)?;
        let seconds = claimed + listed + gathered;
        let run = InteriorRun { pixels: own.lists.count, left: left.len(), seconds };
        Ok((run, if read { own.read()? } else { PixelArrays::default() }))
    }

    fn find(
        &self,
        source: &dyn InteriorSource,
        height: f64,
        mask: Option<&[u8]>,
    ) -> Result<PixelArrays> {
        Ok(source.complete(height, self.run(source, &[height], mask, true)?.1))
    }
}

impl InteriorPixels for Resident<Interiors> {
    fn places(&self, source: &dyn InteriorSource, height: f64) -> Result<PixelArrays> {
        self.find(source, height, None)
    }

    fn values(
        &self,
        source: &dyn InteriorSource,
        height: f64,
        coverage: &[u16],
    ) -> Result<Vec<f64>> {
        let mask: Vec<u8> = coverage.iter().map(|&covered| u8::from(covered > 0)).collect();
        Ok(source.interleaved(self.find(source, height, Some(&mask))?))
    }

    fn time(&self, source: &dyn InteriorSource, heights: &[f64]) -> Result<InteriorRun> {
        let most = self.lock().most_layers(&source.pixels());
        let mut all = InteriorRun::default();
        for heights in heights.chunks(most) {
            let (run, _) = self.run(source, heights, None, false)?;
            all.pixels += run.pixels;
            all.left += run.left;
            all.seconds += run.seconds;
        }
        Ok(all)
    }
}

//! The launches of interiors, and the memory that they write.

use super::{
    Interiors, LayerBuffers, PixelLists, PixelSelection, Pixels, SCANNERS, THREADS, variant,
};
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::{Kernels, run_once};
use crate::error::Result;

impl Interiors {
    /// Makes lists of pixels.
    pub(super) fn list(&mut self, listed: PixelSelection, mask: u64) -> Result<f64> {
        let Some(images) = &self.images else { return Ok(0.0) };
        let rows = (images.count * images.pixels.size[1]) as u32;
        let address = Argument::Address;
        let number = || Argument::Number(listed as u32);
        let [counts, starts] = [images.counts.address(0), images.starts.address(0)];
        let launches = [
            self.kernels().blocks(
                "count_rows",
                rows,
                THREADS,
                vec![self.grid(), self.claims(), address(mask), number(), address(counts)],
            )?,
            self.kernels().blocks(
                "scan_rows",
                1,
                SCANNERS,
                vec![address(counts), Argument::Number(rows), address(starts)],
            )?,
        ];
        let mut seconds = self.time(&launches)?;
        let mut all = images.starts.read(&self.stream)?;
        all.truncate(rows as usize + 1);
        let count = all.last().map_or(0, |&end| end as usize);
        self.lists.starts = all;
        self.lists.count = count;
        if self.lists.pixels.len() < count {
            self.lists.forget(&self.stream)?;
            let stream = &self.stream;
            let most = count + count / 4; // the next layers may have more
            let widths = self.attributes.iter().map(|(width, _)| width);
            let values = widths.map(|width| Buffer::empty(stream, width * most));
            self.lists.values = values.collect::<Result<_>>()?;
            self.lists.pieces = Buffer::empty(stream, most)?;
            self.lists.parameters = Buffer::empty(stream, 3 * most)?;
            // last: its length says how much room the others have
            self.lists.pixels = Buffer::empty(stream, most)?;
        }
        let launch = self.kernels().blocks(
            "list_rows",
            rows,
            THREADS,
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

    /// Range of a layer's pixels in the lists.
    pub(super) fn lists_of(&self, layer: usize) -> std::ops::Range<usize> {
        let rows = self.images.as_ref().map_or(0, |images| images.pixels.size[1]);
        let start = |row: usize| self.lists.starts.get(row).map_or(0, |&start| start as usize);
        start(layer * rows)..start((layer + 1) * rows)
    }

    /// `Grid` in the kernels.
    pub(super) fn grid(&self) -> Argument {
        let Some(images) = &self.images else { return Argument::Words(Box::default()) };
        let Pixels { origin, pitch, size, along } = images.pixels;
        let pair = |low: usize, high: usize| low as u64 | (high as u64) << 32;
        Argument::Words(Box::new([
            origin[0].to_bits(),
            origin[1].to_bits(),
            pitch[0].to_bits(),
            pitch[1].to_bits(),
            pair(size[0], size[1]),
            pair(images.count, along[0]),
            pair(along[1], 3 - along[0] - along[1]),
        ]))
    }

    /// `Claims` in the kernels.
    pub(super) fn claims(&self) -> Argument {
        let images = self.images.as_ref();
        let addresses = images.map(|i| [i.pieces.address(0), i.parameters.address(0)]);
        Argument::Words(Box::new(addresses.unwrap_or_default()))
    }

    /// `Lists` in the kernels.
    pub(super) fn list_arrays(&self) -> Argument {
        let PixelLists { pixels, pieces, parameters, .. } = &self.lists;
        let addresses = [pixels.address(0), pieces.address(0), parameters.address(0)];
        Argument::Words(Box::new(addresses))
    }

    pub(super) fn kernels(&self) -> Kernels<'_> {
        Kernels::new(&self.functions, variant())
    }

    /// Runs launches and waits for them; returns their seconds.
    pub(super) fn time(&self, launches: &[Launch]) -> Result<f64> {
        // SAFETY: all arrays live in `self` or with the caller, and are as large as the counts say.
        unsafe { run_once(launches, &self.stream) }
    }

    /// Makes memory for `count` layers, or reuses the last if it serves.
    pub(super) fn make_room(&mut self, pixels: &Pixels, count: usize) -> Result<()> {
        let serves = |i: &&mut LayerBuffers| i.pixels.size == pixels.size && i.most >= count;
        if let Some(images) = self.images.as_mut().filter(serves) {
            (images.pixels, images.count) = (*pixels, count);
            return Ok(());
        }
        self.images = None; // gives its memory back first
        let (stream, rows) = (&self.stream, count * pixels.size[1]);
        let size = rows * pixels.size[0];
        self.images = Some(LayerBuffers {
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

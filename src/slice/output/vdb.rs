//! OpenVDB of pixels: the density and the attributes of the material on one sparse grid of voxels, in
//! millimeters. Voxel (i, j, k) is column i and row j, counted upward, of layer k of the range.
//!
//! A voxel is active if the material covers some of it; the density is its covered part.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::painter::{ImageOptions, Painter, larger_pixels};
use super::spool::Spool;
use super::{LayerOutput, Output, OutputLayer};
use crate::error::Result;
use crate::io::vdb::{self, Block, Content, Grid, LEAF};
use crate::memory;
use crate::numbers::counted;
use crate::slice::source::{Channel, LayerPixels};
use crate::slice::{MaterialMismatch, Setting};

/// Name of the grid of densities.
const DENSITY: &str = "density";

/// A file of voxels.
pub struct OpenVdb {
    setting: Setting,
    options: ImageOptions,
    half: bool,
    /// Number of the source's channels.
    channels: usize,
    grids: Vec<Grid>,
    /// Values of leaves, and their bytes so far.
    store: Spool,
    end: u64,
    /// Voxels of the layers since the last whole blocks: `[layer][grid][pixel]`, NaN where there is no
    /// material.
    slab: Vec<Vec<Vec<f32>>>,
    taken: usize,
}

/// What a block of voxels becomes, with the values of a leaf.
type PackedBlock = Option<(Block, Vec<u8>)>;

impl OpenVdb {
    /// Starts a file for the layers of a range: coverage and attributes of `options`, whatever else
    /// these have.
    ///
    /// # Errors
    /// As [`Painter::check`]; [`Error::Io`](crate::Error::Io) if it cannot be written;
    /// [`Error::Request`](crate::Error::Request) if memory has no room for eight layers.
    pub fn create(
        path: impl AsRef<Path>,
        setting: &Setting,
        layers: &Range<usize>,
        (options, half): (ImageOptions, bool),
        channels: &[Channel],
    ) -> Result<Self> {
        let store = Spool::create(path.as_ref())?;
        setting.stack.check_alike("a .vdb")?;
        Painter::check(setting, &options, channels)?;
        let [columns, rows] = options.grid.size;
        let count = 1 + options.attributes.len();
        let need = columns as u128 * rows as u128 * (4 * LEAF * count) as u128;
        let of = counted(count, "grid");
        let what = format!("layers of {columns} × {rows} voxels in {of} need");
        memory::check_half(what, need, |_| larger_pixels())?;
        let mm = setting.unit_mm;
        let ([width, depth], height) = (options.grid.pitch, setting.stack.layer_height());
        let voxel = [width, depth, height].map(|x| x * mm);
        let [x, y] = options.grid.center(0, 0);
        let origin = [x, y, setting.stack.middle(layers.start)].map(|x| x * mm);
        let names = options.attributes.iter().map(|&(c, _)| channels[c].name.clone());
        let classes = std::iter::once("fog volume").chain(std::iter::repeat("unknown"));
        let grids = std::iter::once(DENSITY.to_owned()).chain(names).zip(classes);
        let grids = grids
            .map(|(name, class)| Grid { name, class, half, origin, voxel, blocks: Vec::new() })
            .collect();
        Ok(Self {
            setting: setting.clone(),
            half,
            channels: channels.len(),
            grids,
            store,
            end: 0,
            slab: Vec::new(),
            taken: 0,
            options,
        })
    }

    /// Takes the layers at hand as blocks.
    fn flush(&mut self) -> Result<()> {
        if self.slab.is_empty() {
            return Ok(());
        }
        let slab = std::mem::take(&mut self.slab);
        let z = ((self.taken - 1) / LEAF) as i32;
        let [columns, rows] = self.options.grid.size;
        let [across, up] = [columns, rows].map(|n| n.div_ceil(LEAF));
        for g in 0..self.grids.len() {
            let layers: Vec<&[f32]> = slab.iter().map(|layer| &layer[g][..]).collect();
            let block =
                |n: usize| pack(&layers, [columns, rows], [n % across, n / across], self.half);
            let blocks: Vec<std::io::Result<PackedBlock>> =
                (0..across * up).into_par_iter().map(block).collect();
            for block in blocks {
                let packed = block.map_err(|e| self.store.refused(e))?;
                let Some((mut block, values)) = packed else { continue };
                block.place[2] = z;
                if let Content::Leaf { start, bytes, .. } = &mut block.content {
                    (*start, *bytes) = (self.end, values.len() as u64);
                    self.end += *bytes;
                    self.store.push(&values)?;
                }
                self.grids[g].blocks.push(block);
            }
        }
        Ok(())
    }
}

/// A block of 8³ voxels from layers `[layer][pixel]`; none without material.
fn pack(
    layers: &[&[f32]],
    [columns, rows]: [usize; 2],
    [x, y]: [usize; 2],
    half: bool,
) -> std::io::Result<PackedBlock> {
    let mut values = [f32::NAN; LEAF * LEAF * LEAF];
    for i in 0..LEAF.min(columns - LEAF * x) {
        for j in 0..LEAF.min(rows - LEAF * y) {
            let pixel = (LEAF * y + j) * columns + LEAF * x + i;
            for (k, layer) in layers.iter().enumerate() {
                values[(i * LEAF + j) * LEAF + k] = layer[pixel];
            }
        }
    }
    let mut mask = [0_u64; LEAF];
    for (v, value) in values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
        mask[v / 64] |= u64::from(!value.is_nan()) << (v % 64);
    }
    let place = [x as i32, y as i32, 0];
    if mask == [0; LEAF] {
        return Ok(None);
    }
    if mask == [u64::MAX; LEAF] && values.iter().all(|value| *value == values[0]) {
        return Ok(Some((Block { place, content: Content::Tile(values[0]) }, Vec::new())));
    }
    values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = 0.0);
    let content = Content::Leaf { mask, start: 0, bytes: 0 };
    Ok(Some((Block { place, content }, vdb::packed(&values, half)?)))
}

impl Output for OpenVdb {
    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        let options = &self.options;
        let height = cut.stack.middle(cut.index);
        let planes = cut.stack.planes(cut.index, options.antialias.unwrap_or(1));
        let (grid, sampling) = (&options.grid, options.sampling());
        let pixels = LayerPixels { grid, height, planes: &planes, sampling };
        let coverage = cut.source.coverage(&planes, grid, sampling)?;
        let part = |&c: &u16| if c > 0 { f32::from(c) / f32::from(u16::MAX) } else { f32::NAN };
        let mut all = vec![coverage.iter().map(part).collect::<Vec<f32>>()];
        if !options.attributes.is_empty() {
            let values = cut.source.attributes(&pixels, &coverage)?;
            for (g, &(channel, _)) in options.attributes.iter().enumerate() {
                let mut own = values.iter().skip(channel).step_by(self.channels);
                let mut voxels = vec![f32::NAN; coverage.len()];
                for (pixel, _) in coverage.iter().enumerate().filter(|(_, c)| **c > 0) {
                    voxels[pixel] = own.next().map_or(f32::NAN, |&x| x as f32);
                    if voxels[pixel].is_nan() {
                        let text = format!("has no number in {:?}", self.grids[g + 1].name);
                        let help = "give the attribute a number at every vertex, or leave it out";
                        let unfit = MaterialMismatch { pixel, text, help };
                        return Err(unfit.error(cut.source, cut.index, height, grid));
                    }
                }
                all.push(voxels);
            }
            cut.source.reuse(values);
        }
        Ok(LayerOutput::of(all))
    }

    fn take(&mut self, layer: LayerOutput) -> Result<()> {
        self.slab.push(layer.get()?);
        self.taken += 1;
        if self.slab.len() == LEAF { self.flush() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<()> {
        self.flush()?;
        let grids = std::mem::take(&mut self.grids);
        let id = &self.setting.model_sha256;
        self.store.finish(|out, store| vdb::write(out, id, grids, store))
    }
}

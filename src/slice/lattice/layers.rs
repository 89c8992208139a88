//! Layers of a lattice in a solid.

use super::measure::{FoldedPoint, PixelEdges, StrutRadius};
use super::{Graded, LatticeSize, Tile, TileLattice, march, skin};
use crate::backend::Backend;
use crate::backend::cpu::Host;
use crate::backend::operations::{
    LatticeArrays, LatticePixels, LatticeSource, Pixels, RegionRuns, Sampling, TileFunction,
    without_void,
};
use crate::error::{Error, Result};
use crate::locate::{AttributePieces, Locator};
use crate::memory;
use crate::mesh::Attribute;
use crate::slice::contours::{Combination, combine};
use crate::slice::frame::{Axis, PixelGrid};
use crate::slice::interior::{BandMemory, BandRun, InteriorFinder, PixelNumbers};
use crate::slice::layer::{Contour, Layer};
use crate::slice::pixels::Raster;
use crate::slice::slicer::Slicer;
use crate::slice::spare::SpareMemory;

/// Rows and columns that the grid of contours has beyond the model.
const MARGIN: usize = 3;

/// Parameters, a size and the Jacobian.
const MAX_CHANNELS: usize = 13;

/// Bytes of a pixel while contours are found.
const CONTOUR_BYTES: u128 = 24;

/// A lattice in a solid, whose pieces a locator has.
#[derive(Debug)]
pub struct LatticeLayers {
    lattice: TileLattice,
    // edges of the pixels that contours are found on
    pitch: Option<[f64; 2]>,
    // parameters, the size if it is an attribute, and the Jacobian, which is last
    functions: Vec<AttributePieces>,
    spare: SpareMemory<BandMemory>,
    // the lattice on a processor
    own: Box<dyn LatticePixels>,
}

/// A layer of a lattice on a grid of pixels.
struct LatticeLayer<'a, 'l, 's> {
    layers: &'a LatticeLayers,
    finder: &'a InteriorFinder<'l, 's>,
    height: f64,
    sampling: Sampling,
}

/// What is asked of a pixel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// 1 if its middle is material, else 0.
    Center,
    /// The part of it that is.
    Area,
    /// A field at its middle that is at most 0 in the material.
    Field,
}

impl LatticeLayers {
    /// A lattice in the solid of a locator, at whose vertices are `attributes`. Contours are found on
    /// pixels with edges `pitch`.
    ///
    /// # Errors
    /// As [`TileLattice::check`]; [`Error::Request`] for an attribute that is not there, has several
    /// components or is out of range.
    pub fn new(
        lattice: TileLattice,
        pitch: Option<[f64; 2]>,
        locator: &Locator<'_>,
        attributes: &[Attribute],
    ) -> Result<Self> {
        lattice.check()?;
        let pieces = locator.pieces();
        let mut functions = vec![pieces.parameters()];
        if let Some(name) = lattice.size.attribute() {
            functions.push(pieces.attribute(size_attribute(&lattice.size, name, attributes)?)?);
        }
        functions.push(pieces.jacobian());
        let (spare, own) = (SpareMemory::default(), Box::new(Host));
        Ok(Self { lattice, pitch, functions, spare, own })
    }

    /// Brings the lattice to a processor, which makes the pixels from then on.
    pub fn bring(&mut self, backend: &dyn Backend) -> Result<()> {
        self.own = backend.operations().lattice(&|| self.arrays())?;
        Ok(())
    }

    fn arrays(&self) -> LatticeArrays<'_> {
        let TileLattice { tile, per_cell, ref size, .. } = self.lattice;
        let function = match tile {
            Tile::SchwarzP => TileFunction::SchwarzP,
            Tile::Iwp => TileFunction::Iwp,
            Tile::Bcc | Tile::Octet | Tile::Cubic => TileFunction::Struts,
        };
        LatticeArrays {
            function,
            struts: tile.struts().iter().map(|axis| [axis.point, axis.direction]).collect(),
            per_cell,
            is_wall: matches!(size, LatticeSize::Thickness(_)),
            size: self.constant_size(),
            densities: match size {
                LatticeSize::Density(Graded::Attribute(_)) => tile.values(),
                _ => &[],
            },
        }
    }

    /// The coverage of pixels, as [`LayerSource::coverage`](super::super::LayerSource::coverage) has it,
    /// and the seconds that the lattice took.
    pub fn coverage(
        &self,
        (slicer, locator): (&Slicer, &Locator<'_>),
        heights: &[f64],
        grid: &PixelGrid,
        sampling: Sampling,
    ) -> Result<(Vec<u16>, f64)> {
        let finder = InteriorFinder::new(locator, slicer.axis(), *grid)?;
        let (mut sums, mut seconds): (Vec<u32>, f64) = (Vec::new(), 0.0);
        for &height in heights {
            let mut whole = slicer.coverage::<u16>(&[height], grid, sampling)?;
            let core = (self.lattice.skin > 0.0)
                .then(|| self.core_coverage(slicer, height, grid, sampling))
                .transpose()?;
            let layer = LatticeLayer { layers: self, finder: &finder, height, sampling };
            seconds += self.own.cover(&layer, core.as_deref(), &mut whole)?;
            if let [_] = heights {
                return Ok((whole, seconds));
            }
            sums.resize(whole.len(), 0);
            sums.iter_mut().zip(&whole).for_each(|(sum, &own)| *sum += u32::from(own));
        }
        let count = heights.len().max(1) as u32;
        sums.resize(grid.size[0] * grid.size[1], 0);
        let mean = |sum| ((sum + count / 2) / count) as u16;
        Ok((sums.into_iter().map(mean).collect(), seconds))
    }

    /// The contours of a layer: those of the solid cut by the lattice's, which are found on pixels.
    pub fn contours(
        &self,
        (slicer, locator): (&Slicer, &Locator<'_>),
        index: usize,
        height: f64,
    ) -> Result<Layer> {
        let grid = self.grid(slicer)?;
        let mut layer = slicer.layer(index, height);
        let core = if self.lattice.skin > 0.0 {
            skin::core(slicer, layer.contours.clone(), height, self.lattice.skin)
        } else {
            layer.contours.clone()
        };
        let field = self.field((slicer.axis(), locator), height, &core, &grid)?;
        let (tolerance, least) = (slicer.tolerance(), 1e-6 * slicer.tolerance());
        let cut = |own: &[Contour], others: &[Contour], rule| {
            combine([own, others], rule, least, tolerance)
        };
        layer.contours = if self.lattice.skin > 0.0 {
            let voids: Vec<f64> = field.into_iter().map(|value| -value).collect();
            let voids = march::field_contours(&voids, &grid);
            let voids = cut(&core, &voids, Combination::Both);
            cut(&layer.contours, &voids, Combination::FirstAlone)
        } else {
            cut(&core, &march::field_contours(&field, &grid), Combination::Both)
        };
        Ok(layer)
    }

    /// The pixels that contours are found on.
    fn grid(&self, slicer: &Slicer) -> Result<PixelGrid> {
        let pitch = self.pitch.ok_or_else(TileLattice::no_pixels)?;
        let [low, high] = slicer.plane_box();
        let size = [0, 1].map(|d| ((high[d] - low[d]) / pitch[d]).ceil() as usize + 2 * MARGIN);
        let need = size[0] as u128 * size[1] as u128 * CONTOUR_BYTES;
        let need = need.saturating_mul(rayon::current_num_threads() as u128);
        let what = format!("contours of a lattice on {} × {} pixels need", size[0], size[1]);
        memory::check_half(what, need, |_| "give larger pixels".into())?;
        let origin = [0, 1].map(|d| low[d] - MARGIN as f64 * pitch[d]);
        Ok(PixelGrid { origin, pitch, size })
    }

    /// The field at the pixels that contours cover and those around, NaN at others.
    fn field(
        &self,
        (axis, locator): (Axis, &Locator<'_>),
        height: f64,
        contours: &[Contour],
        grid: &PixelGrid,
    ) -> Result<Vec<f64>> {
        let [columns, rows] = grid.size;
        let covered = rastered(contours, grid, Sampling::Area)?;
        let mut mask = vec![0_u16; covered.len()];
        for (place, _) in covered.iter().enumerate().filter(|(_, own)| **own > 0) {
            let (column, row) = (place % columns, place / columns);
            for row in row.saturating_sub(1)..(row + 2).min(rows) {
                let first = row * columns;
                mask[first + column.saturating_sub(1)..first + (column + 2).min(columns)].fill(1);
            }
        }
        let finder = InteriorFinder::new(locator, axis, *grid)?;
        let mut found = self.values(&finder, height, &mask, Answer::Field)?.into_iter();
        let known = |&own: &u16| if own > 0 { found.next().unwrap_or(f64::NAN) } else { f64::NAN };
        Ok(mask.iter().map(known).collect())
    }

    fn core_coverage(
        &self,
        slicer: &Slicer,
        height: f64,
        grid: &PixelGrid,
        sampling: Sampling,
    ) -> Result<Vec<u16>> {
        let outline = slicer.layer(0, height).contours;
        rastered(&skin::core(slicer, outline, height, self.lattice.skin), grid, sampling)
    }

    /// What is asked of the pixels that a mask has.
    fn values(
        &self,
        finder: &InteriorFinder<'_, '_>,
        height: f64,
        mask: &[u16],
        answer: Answer,
    ) -> Result<Vec<f64>> {
        let mut values = Vec::new();
        if mask.iter().all(|&own| own == 0) {
            return Ok(values);
        }
        let write = |run: &BandRun<'_>, all: &mut [f64]| self.write(finder, run, answer, all);
        let numbers = PixelNumbers { width: 1, write };
        let functions = self.needed(answer);
        finder.covered_values(height, mask, functions, numbers, &self.spare, &mut values)?;
        Ok(values)
    }

    /// The functions that an answer takes.
    fn needed(&self, answer: Answer) -> &[AttributePieces] {
        &self.functions[..self.functions.len() - usize::from(!self.needs_jacobian(answer))]
    }

    fn needs_jacobian(&self, answer: Answer) -> bool {
        answer == Answer::Area || matches!(self.lattice.size, LatticeSize::Thickness(_))
    }

    /// Writes what is asked of pixels.
    fn write(
        &self,
        finder: &InteriorFinder<'_, '_>,
        run: &BandRun<'_>,
        answer: Answer,
        all: &mut [f64],
    ) {
        let TileLattice { tile, per_cell, ref size, .. } = self.lattice;
        let has_jacobian = self.needs_jacobian(answer);
        let pixel = PixelEdges { pitch: finder.grid.pitch, plane: finder.axis.plane() };
        let mut channels = [&[][..]; MAX_CHANNELS];
        channels.iter_mut().zip(run.channels()).for_each(|(own, values)| *own = values);
        let ([u, v, w], channels) = ([channels[0], channels[1], channels[2]], &channels[3..]);
        let sizes = size.attribute().map(|_| channels[0]);
        let jacobian = &channels[usize::from(sizes.is_some())..];
        let constant = self.constant_size().unwrap_or_default();
        for (i, value) in all.iter_mut().enumerate() {
            let count = 0.5 * per_cell as f64 * finder.halves(run.pieces[i]);
            let point = FoldedPoint::new([u[i], v[i], w[i]].map(|u| count * u));
            let size = sizes.map_or(constant, |sizes| self.size_of(sizes[i]));
            if !has_jacobian {
                let field = tile.value(point.place).0 - size;
                *value = if answer == Answer::Field { field } else { f64::from(field <= 0.0) };
                continue;
            }
            let jacobian =
                std::array::from_fn(|a| [0, 1, 2].map(|d| jacobian[3 * a + d][i] / count));
            let is_wall = matches!(self.lattice.size, LatticeSize::Thickness(_));
            if answer == Answer::Area && !tile.is_smooth() {
                let radius =
                    if is_wall { StrutRadius::Space(0.5 * size) } else { StrutRadius::Tile(size) };
                *value = point.in_struts(tile, radius, &jacobian, pixel);
                continue;
            }
            let nearest = if is_wall {
                point.wall(tile, size, &jacobian)
            } else {
                point.level(tile, size, &jacobian)
            };
            *value = match answer {
                Answer::Center => f64::from(nearest.outside() <= 0.0),
                Answer::Area => nearest.coverage(pixel),
                Answer::Field => nearest.outside(),
            };
        }
    }

    /// The thickness or level that all pixels have.
    fn constant_size(&self) -> Option<f64> {
        match self.lattice.size.number().0 {
            Graded::Constant(x) => Some(self.size_of(*x)),
            Graded::Attribute(_) => None,
        }
    }

    /// A thickness, or the level of a number.
    fn size_of(&self, number: f64) -> f64 {
        match self.lattice.size {
            LatticeSize::Thickness(_) | LatticeSize::Level(_) => number,
            LatticeSize::Density(_) => self.lattice.tile.level_of_density(number),
        }
    }
}

impl LatticeLayer<'_, '_, '_> {
    fn answer(&self) -> Answer {
        if self.sampling == Sampling::Area { Answer::Area } else { Answer::Center }
    }
}

impl LatticeSource for LatticeLayer<'_, '_, '_> {
    fn cover(&self, core: Option<&[u16]>, whole: &mut [u16]) -> Result<()> {
        let Self { layers, finder, height, .. } = *self;
        let parts = layers.values(finder, height, core.unwrap_or(whole), self.answer())?;
        let mut parts = parts.into_iter();
        for (i, whole) in whole.iter_mut().enumerate() {
            let inside = core.map_or(*whole, |core| core[i]);
            if inside > 0 {
                *whole = without_void(*whole, inside, parts.next().unwrap_or_default());
            }
        }
        Ok(())
    }

    fn runs(&self, inside: &[u16]) -> Result<RegionRuns> {
        let Self { layers, finder, height, .. } = *self;
        let answer = self.answer();
        let write = |run: &BandRun<'_>, all: &mut [f64]| layers.write(finder, run, answer, all);
        finder.covered_runs(height, inside, layers.needed(answer), write, &layers.spare)
    }

    fn pixels(&self) -> Pixels {
        self.finder.pixels()
    }

    fn sampling(&self) -> Sampling {
        self.sampling
    }
}

/// Pixels that contours cover.
fn rastered(contours: &[Contour], grid: &PixelGrid, sampling: Sampling) -> Result<Vec<u16>> {
    let mut raster = Raster::new(*grid, sampling)?;
    for contour in contours {
        let next = contour.points.iter().cycle().skip(1);
        contour.points.iter().zip(next).for_each(|(&a, &b)| raster.add_segment(a, b));
    }
    let mut pixels = vec![0; grid.size[0] * grid.size[1]];
    raster.write(&mut pixels);
    Ok(pixels)
}

/// The attribute of a size, whose values are in its range.
fn size_attribute<'a>(
    size: &LatticeSize,
    name: &str,
    attributes: &'a [Attribute],
) -> Result<&'a Attribute> {
    let option = size.number().1;
    let Some(own) = attributes.iter().find(|own| own.name == name) else {
        let have: Vec<&str> = attributes.iter().map(|own| &*own.name).collect();
        return Err(Error::request(format!("no attribute {name:?} at the vertices"))
            .with_help(format!("name one of them for the {option}: {}", have.join(", "))));
    };
    if own.width != 1 {
        let width = own.width;
        return Err(Error::request(format!("attribute {name:?} has {width} components"))
            .with_help(format!("give the {option} an attribute of one")));
    }
    let least = own.values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = own.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (fits, help) = match size {
        LatticeSize::Thickness(_) => (least >= 0.0, "lengths that are not negative"),
        LatticeSize::Level(_) => (true, "finite numbers"),
        LatticeSize::Density(_) => (least >= 0.0 && most <= 1.0, "numbers from 0 to 1"),
    };
    if fits && least.is_finite() && most.is_finite() {
        return Ok(own);
    }
    Err(Error::request(format!("attribute {name:?} goes from {least} to {most}"))
        .with_help(format!("give the {option} an attribute of {help}")))
}

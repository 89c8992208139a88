//! Some rows of a layer.

use std::collections::HashMap;
use std::ops::Range;

use super::march::{Claims, decide_each, march};
use super::newton::{LANES, NewtonPart};
use super::parts::{PlanePart, PlanePartKind};
use super::polynomial::{MIN_SIDE_DISTANCE, RegionFit, RowFit};
use super::trapezoid_fit::PlaneRegion;
use super::values::PixelValues;
use super::{BandRun, Interior, NONE, PixelPlane};
use crate::backend::operations::RegionRun;
use crate::locate::{AttributePieces, Locator, Place};
use crate::slice::pixels::leading;

/// How far around a covered pixel one with its center inside is looked for.
const SEARCH_PIXELS: usize = 2;
/// Pixels of a run at most.
const MAX_RUN: usize = 256;

/// A layer of which bands are made.
pub struct BandLayer<'a, 's> {
    pub locator: &'a Locator<'s>,
    pub plane: &'a PixelPlane<'a>,
    /// The parts that the plane meets.
    pub parts: &'a [PlanePart],
}

/// Memory of a band.
#[derive(Debug, Default)]
pub struct BandMemory {
    pieces: Vec<u32>,
    channels: Vec<Vec<f64>>,
    regions: Vec<u32>,
}

/// What a band keeps of its pixels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Parameters.
    Places,
    /// Values of attributes.
    Values,
    /// Regions; values of attributes where there is none.
    Regions,
}

/// Pixels of some rows for a device.
#[derive(Debug, Default)]
pub struct BandRuns {
    /// Pixels in regions, of the numbers that fits have.
    pub runs: Vec<RegionRun>,
    /// The others that have a place.
    pub others: Vec<u32>,
}

/// Claims on the pixels of some rows.
struct Band<'a, 's> {
    layer: &'a BandLayer<'a, 's>,
    columns: usize,
    rows: Range<usize>,
    // coverage of the layer, if pixels are asked for as it is
    coverage: Option<&'a [u16]>,
    // of each pixel: the piece that has it, or NONE
    pieces: Vec<u32>,
    // how far away pixels are whose claim is not certain
    distances: HashMap<usize, f64>,
    // (u, v, w) in the element, if they are asked for
    parameters: Option<Vec<[f64; 3]>>,
    values: PixelValues<'a, 's>,
}

/// The interior in `rows`; with a mask, of the pixels where it is not 0.
pub fn interior(layer: &BandLayer<'_, '_>, rows: Range<usize>, mask: Option<&[u8]>) -> Interior {
    let mut interior = Interior::default();
    let around = if mask.is_some() { SEARCH_PIXELS } else { 0 };
    let memory = &mut BandMemory::default();
    let band = Band::claimed(layer, &rows, (around, Kept::Places), (None, &[]), memory);
    band.pixels(rows, mask, |pixel, found| {
        let before = interior.pieces.len();
        match found {
            PixelRun::Claimed(range) => {
                interior.pieces.extend_from_slice(&band.pieces[range.clone()]);
                let parameters = band.parameters.iter().flat_map(|own| &own[range.clone()]);
                interior.parameters.extend(parameters);
            }
            PixelRun::Nearest(piece, parameters) => {
                interior.pieces.push(piece);
                interior.parameters.push(parameters);
            }
        }
        interior.pixels.extend((pixel..).take(interior.pieces.len() - before));
    });
    let pieces = &layer.locator.pieces().pieces;
    interior.elements = interior.pieces.iter().map(|&p| pieces[p as usize].element).collect();
    interior
}

/// The pixels in `rows` whose coverage is not 0 to `take`, with their attributes.
pub fn values(
    layer: &BandLayer<'_, '_>,
    rows: Range<usize>,
    (coverage, attributes): (&[u16], &[AttributePieces]),
    memory: &mut BandMemory,
    mut take: impl FnMut(&BandRun<'_>),
) {
    let kept = (SEARCH_PIXELS, Kept::Values);
    let band = Band::claimed(layer, &rows, kept, (Some(coverage), attributes), memory);
    band.pixels(rows, Some(coverage), |_, found| band.give_run(found, &mut take));
    band.give_memory(memory);
}

/// The pixels in `rows` whose coverage is not 0; of those in no region the attributes to `take`.
pub fn runs(
    layer: &BandLayer<'_, '_>,
    rows: Range<usize>,
    (coverage, attributes): (&[u16], &[AttributePieces]),
    memory: &mut BandMemory,
    mut take: impl FnMut(&BandRun<'_>),
) -> BandRuns {
    let kept = (SEARCH_PIXELS, Kept::Regions);
    let band = Band::claimed(layer, &rows, kept, (Some(coverage), attributes), memory);
    let mut found = BandRuns::default();
    let regions = band.values.regions().unwrap_or_default();
    let first = (band.rows.start * band.columns) as u32;
    band.pixels(rows, Some(coverage), |mut to, run| {
        let PixelRun::Claimed(range) = run else {
            found.others.push(to);
            return band.give_run(run, &mut take);
        };
        let mut start = range.start;
        for own in regions[range].chunk_by(|a, b| a == b) {
            let (range, count) = (start..start + own.len(), own.len() as u32);
            if own[0] == NONE {
                found.others.extend(to..to + count);
                band.give_run(PixelRun::Claimed(range), &mut take);
            } else {
                found.push(RegionRun { to, from: first + start as u32, count, region: own[0] });
            }
            start += own.len();
            to += count;
        }
    });
    band.give_memory(memory);
    found
}

impl BandRuns {
    /// Adds a run in parts that a warp takes.
    fn push(&mut self, run: RegionRun) {
        let RegionRun { to, from, count, region } = run;
        self.runs.extend((0..count).step_by(MAX_RUN).map(|at| RegionRun {
            to: to + at,
            from: from + at,
            count: (count - at).min(MAX_RUN as u32),
            region,
        }));
    }
}

/// Pixels that follow each other.
enum PixelRun {
    /// Places in the arrays.
    Claimed(Range<usize>),
    /// One pixel, by its piece and the element's parameters.
    Nearest(u32, [f64; 3]),
}

/// The claims of all parts, compiled for the widest vectors that the machine has.
struct ClaimKernel<'b, 'a, 's>(&'b mut Band<'a, 's>);

impl pulp::NullaryFnOnce for ClaimKernel<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for part in self.0.layer.parts {
            self.0.claim(part);
        }
    }
}

impl<'a, 's> Band<'a, 's> {
    /// The claims on `rows`, and on some `around` from which covered pixels may take over.
    fn claimed(
        layer: &'a BandLayer<'a, 's>,
        rows: &Range<usize>,
        (around, kept): (usize, Kept),
        (coverage, attributes): (Option<&'a [u16]>, &'a [AttributePieces]),
        memory: &mut BandMemory,
    ) -> Self {
        let [columns, all] = layer.plane.grid.size;
        let wide = rows.start.saturating_sub(around)..all.min(rows.end + around);
        let count = columns * wide.len();
        let BandMemory { mut pieces, channels, mut regions } = std::mem::take(memory);
        pieces.resize(count, NONE);
        pieces.fill(NONE);
        let regions = (kept == Kept::Regions).then(|| {
            regions.resize(count, NONE);
            regions
        });
        let mut band = Self {
            layer,
            columns,
            rows: wide,
            coverage,
            pieces,
            distances: HashMap::new(),
            parameters: (kept == Kept::Places).then(|| vec![[0.0; 3]; count]),
            values: PixelValues::new(layer.locator.pieces(), attributes, channels, count),
        };
        band.values.keep_regions(regions);
        pulp::Arch::new().dispatch(ClaimKernel(&mut band));
        band
    }

    /// Gives the memory back.
    fn give_memory(self, memory: &mut BandMemory) {
        let (channels, regions) = self.values.into_arrays();
        let regions = regions.unwrap_or_default();
        *memory = BandMemory { pieces: self.pieces, channels, regions };
    }

    /// Gives pixels with their attributes to `take`.
    fn give_run(&self, run: PixelRun, take: &mut impl FnMut(&BandRun<'_>)) {
        match run {
            PixelRun::Claimed(range) => {
                let (first, channels) = (range.start, self.values.channels());
                take(&BandRun { pieces: &self.pieces[range], channels, first });
            }
            PixelRun::Nearest(piece, parameters) => {
                let channels = &self.values.evaluated(piece, parameters);
                take(&BandRun { pieces: &[piece], channels, first: 0 });
            }
        }
    }

    /// Claims the pixels of a part. Parts come in the order of their elements, so that
    /// a certain claim stays.
    #[inline(always)]
    fn claim(&mut self, part: &PlanePart) {
        let first = (part.rows[0] as usize).max(self.rows.start) as u32;
        let end = (part.rows[1] as usize).min(self.rows.end) as u32;
        if first >= end {
            return;
        }
        match &part.kind {
            PlanePartKind::Newton(newton, None) => {
                let (plane, rows) = (self.layer.plane, first..end);
                let mut claims = PartClaims { band: &mut *self, newton, piece: part.piece, rows };
                // the same eight rows whatever the range
                for group in (first - first % LANES as u32..end).step_by(LANES) {
                    march(newton, plane, group, part.columns, &mut claims);
                }
            }
            PlanePartKind::Newton(newton, Some(regions)) => {
                for region in regions {
                    let rows = region.area.rows();
                    let rows = first.max(rows[0])..end.min(rows[1]);
                    self.claim_region(part, newton, region, rows);
                }
            }
            PlanePartKind::Wild => {
                for row in first..end {
                    for column in part.columns[0]..part.columns[1] {
                        if self.is_wanted(self.at(row, column)) && self.is_needed(row, column) {
                            self.locate(part.piece, row, column);
                        }
                    }
                }
            }
        }
        self.values.settle(part.piece);
    }

    /// Claims the pixels of a region in some rows.
    #[inline(always)]
    fn claim_region(
        &mut self,
        part: &PlanePart,
        newton: &NewtonPart,
        region: &PlaneRegion,
        rows: Range<u32>,
    ) {
        let plane = self.layer.plane;
        let count = |fit: &RegionFit| match self.values.regions() {
            None => fit.quantities(),
            Some(_) => 3,
        };
        let mut line = region.fit.as_ref().map(|fit| RowFit::new(fit, count(fit)));
        let within =
            |[first, end]: [u32; 2]| [first.max(part.columns[0]), end.min(part.columns[1])];
        // pixels left to Newton's method
        let mut left = Vec::new();
        for row in rows.clone() {
            match (&region.fit, &mut line) {
                (Some(fit), Some(line)) => {
                    let columns = within(line.restrict(fit, row));
                    self.claim_line(part.piece, line, row, columns, &mut left);
                }
                _ => {
                    let [first, end] = within(region.area.columns(row));
                    for column in first..end {
                        if self.is_wanted(self.at(row, column)) && self.is_needed(row, column) {
                            left.push((row, column));
                        }
                    }
                }
            }
        }
        let mut claims = PartClaims { band: self, newton, piece: part.piece, rows };
        decide_each(newton, plane, &left, &mut claims);
    }

    /// Claims the pixels of some columns that polynomials have inside; those that are near to the
    /// sides of the piece, (row, column), are added to `left`.
    #[inline(always)]
    fn claim_line(
        &mut self,
        piece: u32,
        line: &RowFit,
        row: u32,
        columns: [u32; 2],
        left: &mut Vec<(u32, u32)>,
    ) {
        let [first, end] = line.certain_columns(columns);
        self.claim_lanes(piece, line, row, [columns[0], first], left);
        let mut column = first;
        while column < end {
            let at = self.at(row, column);
            let rest = &mut self.pieces[at..at + (end - column) as usize];
            let free = leading(rest, |&piece| piece == NONE);
            if free > 0 {
                rest[..free].fill(piece);
                self.values.set(line, column, at..at + free);
                column += free as u32;
                continue;
            }
            let taken = column + leading(rest, |&piece| piece != NONE) as u32;
            if !self.distances.is_empty() {
                // claims that are not certain
                self.claim_lanes(piece, line, row, [column, taken], left);
            }
            column = taken;
        }
        self.claim_lanes(piece, line, row, [end, columns[1]], left);
    }

    /// As [`Self::claim_line`], of columns of which some may be outside.
    #[inline(always)]
    fn claim_lanes(
        &mut self,
        piece: u32,
        line: &RowFit,
        row: u32,
        columns: [u32; 2],
        left: &mut Vec<(u32, u32)>,
    ) {
        for first in (columns[0]..columns[1]).step_by(LANES) {
            let count = LANES.min((columns[1] - first) as usize);
            let variable = line.variable(first);
            let inside = line.inside(&variable);
            let at = self.at(row, first);
            let mut own = [false; LANES];
            for (i, &inside) in inside[..count].iter().enumerate() {
                if inside < -2.0 * MIN_SIDE_DISTANCE || !self.is_wanted(at + i) {
                    continue;
                }
                if inside < 0.0 {
                    let column = first + i as u32;
                    if self.is_needed(row, column) {
                        left.push((row, column));
                    }
                } else {
                    self.set_piece(at + i, piece);
                    own[i] = true;
                }
            }
            if own.contains(&true) {
                self.values.set_some(line, &variable, &own, at);
            }
        }
    }

    /// Place of a pixel in the arrays.
    #[inline(always)]
    fn at(&self, row: u32, column: u32) -> usize {
        (row as usize - self.rows.start) * self.columns + column as usize
    }

    /// Whether no claim on a pixel is certain.
    #[inline(always)]
    fn is_wanted(&self, at: usize) -> bool {
        self.pieces[at] == NONE || !self.distances.is_empty() && self.distances.contains_key(&at)
    }

    /// Whether a pixel is covered, or one that may take over from it.
    #[inline(always)]
    fn is_needed(&self, row: u32, column: u32) -> bool {
        let Some(coverage) = self.coverage else { return true };
        let (row, column) = (row as usize, column as usize);
        if coverage[row * self.columns + column] > 0 {
            return true;
        }
        let columns =
            column.saturating_sub(SEARCH_PIXELS)..self.columns.min(column + SEARCH_PIXELS + 1);
        let rows = row.saturating_sub(SEARCH_PIXELS)..self.rows.end.min(row + SEARCH_PIXELS + 1);
        for row in rows {
            let own = &coverage[row * self.columns..][columns.clone()];
            if own.iter().any(|&covered| covered > 0) {
                return true;
            }
        }
        false
    }

    /// A certain claim.
    #[inline(always)]
    fn set_piece(&mut self, at: usize, piece: u32) {
        self.pieces[at] = piece;
        if !self.distances.is_empty() {
            self.distances.remove(&at);
        }
    }

    fn set_parameters(&mut self, at: usize, parameters: [f64; 3]) {
        if let Some(all) = &mut self.parameters {
            all[at] = parameters;
        }
        self.values.wait(at, parameters);
    }

    /// Claims a pixel by the locator.
    #[inline(never)]
    fn locate(&mut self, piece: u32, row: u32, column: u32) {
        let BandLayer { locator, plane, .. } = self.layer;
        let Some(place) = locator.in_piece(piece as usize, plane.center(column, row)) else {
            return;
        };
        let at = self.at(row, column);
        let (_, enough) = locator.nearness(piece as usize);
        if place.residual <= enough {
            self.set_piece(at, piece);
        } else if self.pieces[at] == NONE
            || self.distances.get(&at).is_some_and(|&least| place.residual < least)
        {
            self.pieces[at] = piece;
            self.distances.insert(at, place.residual);
        } else {
            return;
        }
        self.set_parameters(at, place.parameters);
    }

    /// The pixels in `rows` that have a place, from the lowest row; with a mask, those where it is
    /// not 0.
    fn pixels<M: Default + PartialEq>(
        &self,
        rows: Range<usize>,
        mask: Option<&[M]>,
        mut take: impl FnMut(u32, PixelRun),
    ) {
        let BandLayer { locator, plane, .. } = self.layer;
        for row in rows {
            let start = self.at(row as u32, 0);
            let pieces = &self.pieces[start..start + self.columns];
            let mask = mask.map(|mask| &mask[row * self.columns..][..self.columns]);
            let (mut column, mut end) = (0, 0);
            while column < self.columns {
                if column == end {
                    // the next run of covered pixels
                    let covered = |mask: &[M]| leading(mask, |pixel| *pixel != M::default());
                    let bare = |mask: &[M]| leading(mask, |pixel| *pixel == M::default());
                    column += mask.map_or(0, |mask| bare(&mask[column..]));
                    end = mask.map_or(self.columns, |mask| column + covered(&mask[column..]));
                    continue;
                }
                let count = leading(&pieces[column..end], |&piece| piece != NONE);
                let pixel = (row * self.columns + column) as u32;
                if count > 0 {
                    take(pixel, PixelRun::Claimed(start + column..start + column + count));
                    column += count;
                    continue;
                }
                if mask.is_none() {
                    column += leading(&pieces[column..], |&piece| piece == NONE);
                    continue;
                }
                if let Some(from) = self.taken_over(row, column) {
                    take(pixel, PixelRun::Claimed(from..from + 1));
                } else if let Some((piece, Place { parameters, .. })) =
                    locator.nearest_piece(plane.center(column as u32, row as u32))
                {
                    take(pixel, PixelRun::Nearest(piece, parameters));
                }
                column += 1;
            }
        }
    }

    /// The closest pixel around with its center inside.
    fn taken_over(&self, row: usize, column: usize) -> Option<usize> {
        let rows = row.saturating_sub(SEARCH_PIXELS).max(self.rows.start)
            ..=(row + SEARCH_PIXELS).min(self.rows.end - 1);
        let columns = || {
            column.saturating_sub(SEARCH_PIXELS)..=(column + SEARCH_PIXELS).min(self.columns - 1)
        };
        rows.flat_map(|r| columns().map(move |c| (r, c)))
            .map(|(r, c)| (r.abs_diff(row).pow(2) + c.abs_diff(column).pow(2), r, c))
            .filter(|&(_, r, c)| self.pieces[self.at(r as u32, c as u32)] != NONE)
            .min()
            .map(|(_, r, c)| self.at(r as u32, c as u32))
    }
}

/// The claims of a part on some rows.
struct PartClaims<'b, 'a, 's> {
    band: &'b mut Band<'a, 's>,
    newton: &'b NewtonPart,
    piece: u32,
    rows: Range<u32>,
}

impl Claims for PartClaims<'_, '_, '_> {
    #[inline(always)]
    fn wanted(&self, row: u32, column: u32) -> bool {
        self.rows.contains(&row) && self.band.is_wanted(self.band.at(row, column))
    }

    #[inline(always)]
    fn inside(&mut self, row: u32, column: u32, t: [f64; 3]) {
        let at = self.band.at(row, column);
        let NewtonPart { origin, size, .. } = self.newton;
        self.band.set_piece(at, self.piece);
        let parameters = std::array::from_fn(|d| (origin[d] + size[d] * t[d]).clamp(0.0, 1.0));
        self.band.set_parameters(at, parameters);
    }

    fn undecided(&mut self, row: u32, column: u32) {
        self.band.locate(self.piece, row, column);
    }
}

//! Some rows of a layer.

use std::ops::Range;

use super::march::{Claims, LANES, march};
use super::parts::{Kind, NewtonPart, Part};
use super::{Interior, NONE, Plane};
use crate::locate::{Locator, Place};

/// How far around a covered pixel one with its centre inside is looked for.
const AROUND: usize = 2;

/// Claims on the pixels of some rows.
struct Band<'a, 's> {
    locator: &'a Locator<'s>,
    plane: &'a Plane<'a>,
    mask: Option<&'a [u8]>,
    columns: usize,
    rows: Range<usize>,
    // of each pixel: the piece that has it, or NONE
    pieces: Vec<u32>,
    // (u, v, w) in the element
    parameters: Vec<[f64; 3]>,
    // 0 where the claim is certain, else the distance
    distances: Vec<f64>,
}

/// The interior in `rows`; with a mask, of the pixels that it covers.
pub fn interior(
    locator: &Locator<'_>,
    plane: &Plane<'_>,
    parts: &[Part],
    rows: Range<usize>,
    mask: Option<&[u8]>,
) -> Interior {
    // covered pixels look at rows around
    let around = if mask.is_some() { AROUND } else { 0 };
    let [columns, all] = plane.grid.size;
    let wide = rows.start.saturating_sub(around)..all.min(rows.end + around);
    let is_met =
        |part: &Part| (part.rows[0] as usize) < wide.end && part.rows[1] as usize > wide.start;
    if mask.is_none() && !parts.iter().any(is_met) {
        return Interior::default();
    }
    let count = columns * wide.len();
    let mut band = Band {
        locator,
        plane,
        mask,
        columns,
        rows: wide,
        pieces: vec![NONE; count],
        parameters: vec![[0.0; 3]; count],
        distances: vec![f64::INFINITY; count],
    };
    pulp::Arch::new().dispatch(Claiming { band: &mut band, parts });
    band.interior(rows)
}

/// The claims of all parts, compiled for the widest vectors that the machine has.
struct Claiming<'b, 'a, 's> {
    band: &'b mut Band<'a, 's>,
    parts: &'b [Part],
}

impl pulp::NullaryFnOnce for Claiming<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for part in self.parts {
            self.band.claim(part);
        }
    }
}

impl Band<'_, '_> {
    /// Claims the pixels of a part. Parts come in the order of their elements, so that
    /// a certain claim stays.
    #[inline(always)]
    fn claim(&mut self, part: &Part) {
        let first = (part.rows[0] as usize).max(self.rows.start);
        let end = (part.rows[1] as usize).min(self.rows.end);
        if first >= end {
            return;
        }
        let Kind::Newton(newton) = &part.kind else {
            for row in first..end {
                for column in part.columns[0]..part.columns[1] {
                    let at = self.at(row, column);
                    if self.distances[at] > 0.0 {
                        self.locate(part.piece, at, row, column);
                    }
                }
            }
            return;
        };
        let plane = self.plane;
        // the same eight rows whatever the range
        for group in (first - first % LANES..end).step_by(LANES) {
            let mut claims =
                PartClaims { band: &mut *self, newton, piece: part.piece, group, rows: first..end };
            march(newton, plane, group as u32, part.columns, &mut claims);
        }
    }

    /// Place of a pixel in the arrays.
    #[inline(always)]
    fn at(&self, row: usize, column: u32) -> usize {
        (row - self.rows.start) * self.columns + column as usize
    }

    /// Claims a pixel by the locator.
    #[inline(never)]
    fn locate(&mut self, piece: u32, at: usize, row: usize, column: u32) {
        let x = self.plane.centre(column, row as u32);
        let Some(place) = self.locator.in_piece(piece as usize, x) else { return };
        let (_, enough) = self.locator.nearness(piece as usize);
        let distance = if place.residual <= enough { 0.0 } else { place.residual };
        if distance < self.distances[at] {
            self.pieces[at] = piece;
            self.distances[at] = distance;
            self.parameters[at] = place.parameters;
        }
    }

    fn interior(&self, rows: Range<usize>) -> Interior {
        let mut interior = Interior::default();
        for row in rows {
            for column in 0..self.columns as u32 {
                let at = self.at(row, column);
                let pixel = (row * self.columns) as u32 + column;
                let (piece, parameters) = match self.mask {
                    Some(mask) if mask[pixel as usize] == 0 => continue,
                    _ if self.pieces[at] != NONE => (self.pieces[at], self.parameters[at]),
                    None => continue,
                    Some(_) => match self.taken_over(row, column as usize) {
                        Some(from) => (self.pieces[from], self.parameters[from]),
                        None => {
                            let x = self.plane.centre(column, row as u32);
                            let Some((piece, Place { parameters, .. })) =
                                self.locator.nearest_piece(x)
                            else {
                                continue;
                            };
                            (piece, parameters)
                        }
                    },
                };
                interior.pixels.push(pixel);
                interior.elements.push(self.locator.pieces().pieces[piece as usize].element);
                interior.parameters.push(parameters);
                interior.pieces.push(piece);
            }
        }
        interior
    }

    /// The closest pixel around with its centre inside.
    fn taken_over(&self, row: usize, column: usize) -> Option<usize> {
        let rows =
            row.saturating_sub(AROUND).max(self.rows.start)..=(row + AROUND).min(self.rows.end - 1);
        let columns = || column.saturating_sub(AROUND)..=(column + AROUND).min(self.columns - 1);
        rows.flat_map(|r| columns().map(move |c| (r, c)))
            .map(|(r, c)| (r.abs_diff(row).pow(2) + c.abs_diff(column).pow(2), r, c))
            .filter(|&(_, r, c)| self.pieces[self.at(r, c as u32)] != NONE)
            .min()
            .map(|(_, r, c)| self.at(r, c as u32))
    }
}

/// The claims of a part on eight rows.
struct PartClaims<'b, 'a, 's> {
    band: &'b mut Band<'a, 's>,
    newton: &'b NewtonPart,
    piece: u32,
    group: usize,
    rows: Range<usize>,
}

impl Claims for PartClaims<'_, '_, '_> {
    #[inline(always)]
    fn wanted(&self, lane: usize, column: u32) -> bool {
        let row = self.group + lane;
        self.rows.contains(&row) && self.band.distances[self.band.at(row, column)] > 0.0
    }

    #[inline(always)]
    fn inside(&mut self, lane: usize, column: u32, t: [f64; 3]) {
        let at = self.band.at(self.group + lane, column);
        let NewtonPart { origin, size, .. } = self.newton;
        self.band.pieces[at] = self.piece;
        self.band.distances[at] = 0.0;
        self.band.parameters[at] =
            std::array::from_fn(|d| (origin[d] + size[d] * t[d]).clamp(0.0, 1.0));
    }

    fn undecided(&mut self, lane: usize, column: u32) {
        let row = self.group + lane;
        self.band.locate(self.piece, self.band.at(row, column), row, column);
    }
}

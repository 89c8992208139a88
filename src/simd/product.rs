//! The register-tiled product of a weight table with columns of control points.
//!
//! A column is one component of one group of control points (a cell, or a layer of
//! samples in a cell). Lanes run over samples, control points are broadcast: a tile
//! of samples × columns stays in registers while all controls are summed.

use std::ops::Range;

use super::buffer::{AlignedBuffer, stream_copy};
use crate::error::{Error, Result};
use crate::numbers::{Lanes, Real};

/// Weights of every sample for every control point, packed for [`product`].
#[derive(Clone, Debug)]
pub(super) struct PackedWeights<T> {
    pub samples: usize,
    pub controls: usize,
    /// weights: `[tile][control][sample in tile]`, the last tile filled up with zeros
    weights: AlignedBuffer<T>,
}

/// Samples of a tile: two of the widest vectors.
const fn tile<T>() -> usize {
    128 / size_of::<T>()
}

impl<T: Real> PackedWeights<T> {
    /// Packs `weights: [control][sample]`.
    pub fn new(weights: &[f64], controls: usize) -> Result<Self> {
        if controls == 0 || weights.is_empty() || !weights.len().is_multiple_of(controls) {
            return Err(Error::request(format!(
                "a weight table of {} numbers for {controls} control points",
                weights.len()
            ))
            .with_help("give one row of sample weights for each control point"));
        }
        let samples = weights.len() / controls;
        let len = samples.div_ceil(tile::<T>()) * controls * tile::<T>();
        let mut packed = AlignedBuffer::zeros(len);
        let numbers = packed.numbers(len);
        for (control, row) in weights.chunks_exact(samples).enumerate() {
            for (sample, &weight) in row.iter().enumerate() {
                let (block, lane) = (sample / tile::<T>(), sample % tile::<T>());
                numbers[(block * controls + control) * tile::<T>() + lane] = T::from_f64(weight);
            }
        }
        Ok(Self { samples, controls, weights: packed })
    }
}

/// Columns to multiply with, and what to do with the sums.
#[derive(Clone, Copy)]
pub(super) struct ProductColumns<'a, T> {
    /// `[control][stride]`, readable up to whole column tiles
    pub panel: *const T,
    pub stride: usize,
    /// Columns in use: (group, component), `m` components a group.
    pub m: usize,
    pub finish: ProductFinish<T>,
    /// Place of the sums of each group, `[sample][m]`.
    pub targets: &'a [*mut T],
    /// Whether to stream past the caches where alignment permits.
    pub stream: bool,
}

/// What becomes of the sums of [`product`].
#[derive(Clone, Copy)]
pub(super) enum ProductFinish<T> {
    /// A number is added to each column: [column], readable up to whole tiles.
    Origin(*const T),
    /// The sign changes.
    Negate,
    /// The sums are the results.
    Nothing,
}

/// Columns of a register tile at the SIMD level of `L`; a multiple of 3.
pub(super) const fn tile_columns<T, L: Lanes<T>>() -> usize {
    match L::REGISTERS {
        32.. => 12,
        16.. => 6,
        _ => 3,
    }
}

/// `target[group][sample][c] = Σ weights[control][sample] · panel[control][group, c]`,
/// then finished.
///
/// # Safety
/// The SIMD level of `L` is there, and `columns` is as its fields say.
#[inline(always)]
pub(super) unsafe fn product<T: Real, L: Lanes<T>>(
    packed: &PackedWeights<T>,
    columns: ProductColumns<'_, T>,
) {
    let (count, tile) = (columns.targets.len() * columns.m, tile_columns::<T, L>());
    let whole = count - count % tile;
    let is_short = packed.samples <= L::COUNT;
    // SAFETY: passed on.
    unsafe {
        match (tile, is_short) {
            (12, true) => product_tiled::<T, L, 1, 12>(packed, columns, 0..whole),
            (12, false) => product_tiled::<T, L, 2, 12>(packed, columns, 0..whole),
            (6, true) => product_tiled::<T, L, 1, 6>(packed, columns, 0..whole),
            (6, false) => product_tiled::<T, L, 2, 6>(packed, columns, 0..whole),
            _ => product_tiled::<T, L, 1, 3>(packed, columns, 0..whole),
        }
        // a last tile would be wide for few groups
        match (tile, is_short) {
            (6.., false) => product_tiled::<T, L, 2, 3>(packed, columns, whole..count),
            _ => product_tiled::<T, L, 1, 3>(packed, columns, whole..count),
        }
    }
}

/// Some columns, with tiles of `S` vectors of samples × `C` columns.
#[inline(always)]
unsafe fn product_tiled<T: Real, L: Lanes<T>, const S: usize, const C: usize>(
    packed: &PackedWeights<T>,
    columns: ProductColumns<'_, T>,
    range: Range<usize>,
) {
    let count = range.end;
    let step = S * L::COUNT;
    for first_column in range.step_by(C) {
        for first_sample in (0..packed.samples).step_by(step) {
            // SAFETY: a tile of samples is a part of a packed one.
            unsafe {
                let (block, lane) = (first_sample / tile::<T>(), first_sample % tile::<T>());
                let at = block * packed.controls * tile::<T>() + lane;
                let panel = columns.panel.add(first_column);
                let weights = packed.weights.as_ptr().add(at);
                let mut sums = sum_tile::<T, L, S, C>(
                    (weights, tile::<T>()),
                    (panel, columns.stride),
                    packed.controls,
                );
                for (c, sums) in sums.iter_mut().enumerate() {
                    match columns.finish {
                        ProductFinish::Origin(origin) => {
                            let origin = L::splat(*origin.add(first_column + c));
                            sums.iter_mut().for_each(|sum| *sum = sum.add(origin));
                        }
                        ProductFinish::Negate => {
                            let zero = L::splat(T::default());
                            sums.iter_mut().for_each(|sum| *sum = zero.sub(*sum));
                        }
                        ProductFinish::Nothing => {}
                    }
                }
                let used = C.min(count - first_column);
                let samples = (first_sample, step.min(packed.samples - first_sample));
                if columns.m == 3 {
                    write_points(&sums, columns, (first_column / 3, used / 3), samples);
                } else {
                    write_columns(&sums, columns, (first_column, used), samples);
                }
            }
        }
    }
}

// Parameters of the functions below come in pairs: as plain ones, kernels were 5 to 15 % slower.

/// Sums of one tile, [column][vector of samples].
#[inline(always)]
unsafe fn sum_tile<T: Real, L: Lanes<T>, const S: usize, const C: usize>(
    (mut weights, weights_step): (*const T, usize),
    (mut panel, panel_step): (*const T, usize),
    controls: usize,
) -> [[L; S]; C] {
    // SAFETY: by the caller, `controls` rows of both are readable.
    unsafe {
        let mut sums = [[L::splat(T::default()); S]; C];
        for _ in 0..controls {
            let mut samples = [L::splat(T::default()); S];
            for (s, sample) in samples.iter_mut().enumerate() {
                *sample = L::load(weights.add(s * L::COUNT));
            }
            for (c, sums) in sums.iter_mut().enumerate() {
                let control = L::splat(*panel.add(c));
                for (sum, sample) in sums.iter_mut().zip(samples) {
                    *sum = sample.mul_add(control, *sum);
                }
            }
            weights = weights.wrapping_add(weights_step);
            panel = panel.wrapping_add(panel_step);
        }
        sums
    }
}

/// Writes a tile for m = 3, where three columns are one point.
#[inline(always)]
unsafe fn write_points<T: Real, L: Lanes<T>, const S: usize, const C: usize>(
    sums: &[[L; S]; C],
    columns: ProductColumns<'_, T>,
    (first_group, groups): (usize, usize),
    (first_sample, samples): (usize, usize),
) {
    for group in 0..C / 3 {
        if group >= groups {
            break;
        }
        for s in 0..S {
            let xyz = [sums[3 * group][s], sums[3 * group + 1][s], sums[3 * group + 2][s]];
            let before = 3 * s * L::COUNT;
            for (i, vector) in L::interleave(xyz).into_iter().enumerate() {
                let at = before + i * L::COUNT;
                // SAFETY: `left` numbers of this tile remain in the place of the group.
                unsafe {
                    let to = columns.targets[first_group + group].add(3 * first_sample + at);
                    let left = (3 * samples).saturating_sub(at);
                    if left < L::COUNT {
                        vector.store_first(to, left);
                    } else if columns.stream && to.align_offset(size_of::<L>()) == 0 {
                        vector.stream(to);
                    } else {
                        vector.store(to);
                    }
                }
            }
        }
    }
}

/// Writes a tile for any m, number by number.
#[inline(always)]
unsafe fn write_columns<T: Real, L: Lanes<T>, const S: usize, const C: usize>(
    sums: &[[L; S]; C],
    columns: ProductColumns<'_, T>,
    (first_column, used): (usize, usize),
    (first_sample, samples): (usize, usize),
) {
    let mut numbers = [[T::default(); crate::numbers::MAX_LANES]; S];
    for (c, sums) in sums.iter().enumerate().take(used) {
        let (group, component) = ((first_column + c) / columns.m, (first_column + c) % columns.m);
        // SAFETY: samples of this tile and this column have their place in the group's.
        unsafe {
            for (numbers, sum) in numbers.iter_mut().zip(sums) {
                sum.store(numbers.as_mut_ptr());
            }
            let to = columns.targets[group].add(first_sample * columns.m + component);
            for sample in 0..samples {
                let number = numbers[sample / L::COUNT][sample % L::COUNT];
                *to.add(sample * columns.m) = number;
            }
        }
    }
}

/// Moves samples `[sample][m]` to their slots in a cell: sample `i` goes to `order[i]`.
///
/// With `stage`, they are put in order there and leave as one run past the caches.
///
/// # Safety
/// The SIMD level of `L` is there.
#[inline(always)]
pub(super) unsafe fn deliver<T: Real, L: Lanes<T>>(
    from: &[T],
    order: &[u32],
    m: usize,
    to: &mut [T],
    stage: Option<&mut AlignedBuffer<T>>,
) {
    let Some(stage) = stage else { return scatter(from, order, m, to) };
    scatter(from, order, m, stage.numbers(to.len()));
    // SAFETY: the stage has the numbers of one cell.
    unsafe { stream_copy::<T, L>(to.as_mut_ptr(), stage.as_ptr(), to.len()) }
}

#[inline(always)]
fn scatter<T: Real>(from: &[T], order: &[u32], m: usize, to: &mut [T]) {
    if m == 3 {
        // The same with a length the compiler knows.
        for (sample, &place) in from.chunks_exact(3).zip(order) {
            to[place as usize * 3..][..3].copy_from_slice(sample);
        }
        return;
    }
    for (sample, &place) in from.chunks_exact(m).zip(order) {
        to[place as usize * m..][..m].copy_from_slice(sample);
    }
}

/// Panics unless `order`, if any, has `samples` entries below `samples`.
pub(super) fn assert_order(order: Option<&[u32]>, samples: usize) {
    if let Some(order) = order {
        assert_eq!(order.len(), samples, "one place a sample");
        assert!(order.iter().all(|&place| (place as usize) < samples), "places of samples");
    }
}

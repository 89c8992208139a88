//! Sums, maxima and percentiles of errors as they come.

use serde::Serialize;

use crate::volume::Extreme;

/// Mean, rms, 99th percentile and maximum of errors; 0 if there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Statistics {
    /// Mean of the errors.
    pub mean: f64,
    /// Root mean square of the errors.
    pub rms: f64,
    /// 99 % of the errors are at most this: the upper end of a bin 0.8 % wide, or the
    /// maximum.
    pub percentile_99: f64,
    /// Greatest of the errors.
    pub maximum: f64,
}

impl Statistics {
    fn scaled(self, factor: f64) -> Self {
        Self {
            mean: factor * self.mean,
            rms: factor * self.rms,
            percentile_99: factor * self.percentile_99,
            maximum: factor * self.maximum,
        }
    }
}

/// Errors of some cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Errors {
    /// Number of cells; a cell that is not a hexahedron counts as its hexahedral children.
    pub cells: usize,
    /// Number of limit points.
    pub samples: usize,
    /// Errors in length units.
    pub absolute: Statistics,
    /// Errors divided by the diagonal of the box around all reference points.
    pub relative: Statistics,
    /// Errors in ulp of the largest coordinate of the cell's limit points.
    pub ulp: Statistics,
    /// The largest absolute error.
    pub worst: Option<Extreme>,
    /// The largest error in ulp.
    pub worst_ulp: Option<Extreme>,
}

/// Errors of some elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub cells: usize,
    absolute: Moments,
    ulp: Moments,
    worst: Option<Extreme>,
    worst_ulp: Option<Extreme>,
}

impl Tally {
    /// Adds the errors of one element, in length units, whose ulp is `ulp`; `place`
    /// tells where a sample is, and takes its error.
    pub fn add(&mut self, errors: &[f64], ulp: f64, place: impl Fn(usize, f64) -> Extreme) {
        self.cells += 1;
        for &error in errors {
            self.absolute.add(error);
            self.ulp.add(error / ulp);
        }
        let largest = errors.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((sample, error)) = largest {
            keep_worst(&mut self.worst, error, |value| place(sample, value));
            keep_worst(&mut self.worst_ulp, error / ulp, |value| place(sample, value));
        }
    }

    /// Adds all that `other` has seen.
    pub fn merge(&mut self, other: &Self) {
        self.cells += other.cells;
        self.absolute.merge(&other.absolute);
        self.ulp.merge(&other.ulp);
        for (worst, new) in [(&mut self.worst, other.worst), (&mut self.worst_ulp, other.worst_ulp)]
        {
            if let Some(new) = new {
                keep_worst(worst, new.value, |_| new);
            }
        }
    }

    pub fn errors(&self, diagonal: f64) -> Errors {
        let absolute = self.absolute.statistics();
        Errors {
            cells: self.cells,
            samples: self.absolute.count as usize,
            absolute,
            relative: absolute.scaled(if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 }),
            ulp: self.ulp.statistics(),
            worst: self.worst,
            worst_ulp: self.worst_ulp,
        }
    }
}

fn keep_worst(worst: &mut Option<Extreme>, value: f64, place: impl Fn(f64) -> Extreme) {
    if worst.is_none_or(|worst| value > worst.value) {
        *worst = Some(place(value));
    }
}

/// Bits of the fraction that tell bins apart: 128 bins from one power of two to the next.
const BIN_BITS: u32 = 7;
const SHIFT: u32 = 52 - BIN_BITS;

/// Sums and a histogram of numbers that are 0 or positive.
#[derive(Clone, Debug, Default)]
struct Moments {
    count: u64,
    sum: f64,
    squares: f64,
    maximum: f64,
    // counts[leading bits of the number]; empty before the first
    counts: Vec<u64>,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
        self.maximum = self.maximum.max(value);
        if self.counts.is_empty() {
            self.counts.resize(1 << (11 + BIN_BITS), 0);
        }
        self.counts[(value.to_bits() >> SHIFT) as usize] += 1;
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.maximum = self.maximum.max(other.maximum);
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| *mine += theirs);
    }

    fn statistics(&self) -> Statistics {
        let count = self.count.max(1) as f64;
        Statistics {
            mean: self.sum / count,
            rms: (self.squares / count).sqrt(),
            percentile_99: self.percentile_99(),
            maximum: self.maximum,
        }
    }

    fn percentile_99(&self) -> f64 {
        let rank = (99 * self.count).div_ceil(100);
        let mut below = 0;
        let reached = |count: &u64| {
            below += count;
            below >= rank
        };
        match self.counts.iter().position(reached) {
            // the first bin is for 0
            None | Some(0) => 0.0,
            // the end of the last bin is not a number, and then the maximum is taken
            Some(bin) => f64::from_bits((bin as u64 + 1) << SHIFT).min(self.maximum),
        }
    }
}

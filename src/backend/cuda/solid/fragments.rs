//! Weight tables as tensor cores take them in `kernels/solid/table_mma.cu`: 16 bytes for every lane
//! of a warp at a time.
//!
//! Samples are taken 16 at a time, and control points 16 (single precision) or 8 (double);
//! missing ones are zero. Lane `4 g + t` gets the weights of control points `4 t` to
//! `4 t + 3` (double: `2 t` and `2 t + 1`) of samples `2 g` and `2 g + 1`, in the order of the
//! registers of one product. What it gets for rows `g` and `g + 8` of the product then stands
//! side by side among the results.
//!
//! In single precision a weight is the sum of two halves. A power of two brings the largest
//! weight of a sample to 2¹⁴ or more, so that the halves keep 22 bits of it, and of smaller
//! ones all that is above 2⁻³⁹ of the largest.

use crate::backend::Precision;
use crate::numbers::Real;
use cudarc::driver::DeviceRepr;

/// Samples of one product.
const PRODUCT_SAMPLES: usize = 16;

/// Exponent of the largest weight of a sample, once scaled.
const MAX_EXPONENT: i32 = 14;

/// Lays out `weights` (`[control][samples]`), samples in the order of `rows`: for every 16 of
/// them `[step][part 2][lane 32]`, and in single precision then 16 numbers that undo the
/// scaling. The words of a lane are halves, the high ones of all weights and then the low ones,
/// of two control points of samples `2 g` and `2 g + 1` and of two more; or doubles, of one
/// control point and then of the other.
pub(in crate::backend::cuda) fn fragments<T: Real + DeviceRepr>(
    weights: &[f64],
    samples: usize,
    rows: &[usize],
) -> Vec<[u32; 4]> {
    let split = T::PRECISION == Precision::F32;
    let own = if split { 4 } else { 2 };
    let controls = weights.len() / samples;
    let depths = controls.div_ceil(4 * own);
    let mut all = Vec::with_capacity(rows.len().div_ceil(PRODUCT_SAMPLES) * (depths * 64 + 4));
    for rows in rows.chunks(PRODUCT_SAMPLES) {
        let weight = |row: usize, control: usize| match rows.get(row) {
            Some(&sample) if control < controls => weights[control * samples + sample],
            _ => 0.0,
        };
        let exponents: [i32; PRODUCT_SAMPLES] = std::array::from_fn(|row| {
            let own = (0..controls).map(|control| weight(row, control).abs());
            exponent(own.filter(|w| w.is_finite()).fold(0.0, f64::max))
        });
        let up = exponents.map(|exponent| power(MAX_EXPONENT - exponent));
        for first in (0..depths * 4 * own).step_by(4 * own) {
            for part in [0, 1] {
                all.extend((0..32).map(|lane| {
                    let (row, control) = (lane / 4 * 2, first + lane % 4 * own);
                    if !split {
                        let bits = [row, row + 1].map(|r| weight(r, control + part).to_bits());
                        let [[a, b], [c, d]] = bits.map(|bits| [bits as u32, (bits >> 32) as u32]);
                        return [a, b, c, d];
                    }
                    let half =
                        |row, control| u32::from(halves(weight(row, control) * up[row])[part]);
                    let pair = |row, control| half(row, control) | half(row, control + 1) << 16;
                    [(0, 0), (1, 0), (0, 2), (1, 2)].map(|(r, i)| pair(row + r, control + i))
                }));
            }
        }
        if split {
            let down = exponents.map(|exponent| (power(exponent - MAX_EXPONENT) as f32).to_bits());
            all.extend(down.chunks_exact(4).map(|own| [own[0], own[1], own[2], own[3]]));
        }
    }
    all
}

/// Exponent of a number, bounded so that single precision has room for its inverse.
fn exponent(number: f64) -> i32 {
    let biased = (number.to_bits() >> 52 & 0x7ff) as i32;
    (biased - 1023).clamp(-100, 100)
}

/// 2 to the `exponent`, -1022 to 1023.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The nearest half, and the half nearest to the rest.
fn halves(number: f64) -> [u16; 2] {
    let high = half(number);
    [high, half(number - value(high))]
}

/// Bits of the nearest number of 11 bits and exponents -14 to 15 (IEEE 754 binary16).
fn half(number: f64) -> u16 {
    let sign = if number.is_sign_negative() { 0x8000 } else { 0 };
    let exponent = exponent(number).max(-14);
    if !number.is_finite() || exponent > 15 {
        return sign | 0x7c00 | u16::from(number.is_nan());
    }
    // the leading bit, and what it carries, adds to the exponent
    let units = (number.abs() * power(10 - exponent)).round_ties_even() as u16;
    sign | ((((exponent + 14) as u16) << 10) + units)
}

/// The number that a half stands for.
fn value(half: u16) -> f64 {
    let (exponent, units) = (i32::from(half >> 10 & 31), f64::from(half & 0x3ff));
    let size = match exponent {
        0 => units * power(-24),
        31 if units == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + units) * power(exponent - 25),
    };
    if half & 0x8000 == 0 { size } else { -size }
}

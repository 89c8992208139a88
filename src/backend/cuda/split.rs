//! Weight tables as `kernels/table_split.cu` wants them: every weight a sum of two halves.
//!
//! Samples are taken 16 at a time, control points as well; what is missing is zero. The
//! weights of a sample are scaled by a power of two that brings the largest to 2¹⁴ or more,
//! so that the two halves keep 22 bits of it, and of smaller ones all that is above 2⁻³⁹ of
//! the largest. A lane `4 g + t` of a warp gets the weights of control points `4 t` to
//! `4 t + 3` of sample `g`, then of `g + 8`.

/// Samples, and control points, of one product.
const ROWS: usize = 16;

/// Control points of a lane.
const OWN: usize = 4;

/// Exponent of the largest weight of a sample, once scaled.
const LARGEST: i32 = 14;

/// Splits `weights` (`[control][samples]`), taking the samples in the order of `rows`. Returns
/// for every 16 samples `[control / 16][sample / 8 % 2][lane 32]` words of high and low halves
/// of two weights and again of two, then 16 numbers that undo the scaling.
pub(super) fn split_table(weights: &[f64], samples: usize, rows: &[usize]) -> Vec<[u32; 4]> {
    let controls = weights.len() / samples;
    let depths = controls.div_ceil(ROWS);
    let mut all = Vec::with_capacity(rows.len().div_ceil(ROWS) * (depths * 64 + 4));
    for rows in rows.chunks(ROWS) {
        let exponents: [i32; ROWS] = std::array::from_fn(|row| match rows.get(row) {
            Some(&sample) => {
                let own = weights.iter().skip(sample).step_by(samples);
                exponent(own.filter(|w| w.is_finite()).fold(0.0, |most: f64, w| most.max(w.abs())))
            }
            None => 0,
        });
        let scaled = |row: usize, control: usize| match rows.get(row) {
            Some(&sample) if control < controls => {
                weights[control * samples + sample] * power(LARGEST - exponents[row])
            }
            _ => 0.0,
        };
        for first in (0..depths * ROWS).step_by(ROWS) {
            for row in [0, 8] {
                all.extend((0..32).map(|lane| {
                    let control = first + lane % 4 * OWN;
                    let own = |i| halves(scaled(row + lane / 4, control + i));
                    let pair = |[high, low]: [u16; 2], [second_high, second_low]: [u16; 2]| {
                        let word = |first, second| u32::from(first) | u32::from(second) << 16;
                        [word(high, second_high), word(low, second_low)]
                    };
                    let [first, second] = [pair(own(0), own(1)), pair(own(2), own(3))];
                    [first[0], first[1], second[0], second[1]]
                }));
            }
        }
        let undone = exponents.map(|exponent| (power(exponent - LARGEST) as f32).to_bits());
        all.extend(undone.chunks_exact(OWN).map(|own| [own[0], own[1], own[2], own[3]]));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_those_of_the_standard() {
        for (number, bits) in [
            (0.0, 0),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65520.0, 0x7c00),
            (1e6, 0x7c00),
            (1.0 + f64::powi(2.0, -11), 0x3c00),
            (1.0 + 3.0 * f64::powi(2.0, -11), 0x3c02),
            (2.0 - f64::powi(2.0, -12), 0x4000),
            (f64::powi(2.0, -14), 0x0400),
            (f64::powi(2.0, -24), 1),
            (f64::powi(2.0, -25), 0),
            (1.5 * f64::powi(2.0, -25), 1),
            (f64::NEG_INFINITY, 0xfc00),
        ] {
            assert_eq!(half(number), bits, "{number:e}");
        }
        assert!(value(half(f64::NAN)).is_nan());
        for bits in (0..=0x7c00).chain(0x8000..=0xfc00) {
            assert_eq!(half(value(bits)), bits);
        }
    }

    /// Undoes the order and the scaling.
    #[test]
    fn tables_come_back() {
        for (controls, samples) in [(1, 1), (46, 27), (17, 16), (106, 33)] {
            let mut state = 1_u64;
            let mut noise = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
            };
            let size = |sample: usize| f64::powi(10.0, sample as i32 % 9 - 4);
            let weights: Vec<f64> =
                (0..controls * samples).map(|i| noise() * size(i % samples)).collect();
            let rows: Vec<usize> = (0..samples).rev().collect();
            let table = split_table(&weights, samples, &rows);
            let depths = controls.div_ceil(16);
            let run = depths * 64 + 4;
            assert_eq!(table.len(), samples.div_ceil(16) * run);
            for row in 0..samples.next_multiple_of(16) {
                let own = &table[row / 16 * run..][..run];
                let undo = f64::from(f32::from_bits(own[depths * 64 + row % 16 / 4][row % 4]));
                let sum = |control: usize| {
                    let lane = row % 8 * 4 + control % 16 / 4;
                    let words = own[control / 16 * 64 + row % 16 / 8 * 32 + lane];
                    let part = |word: u32| value((word >> (16 * (control % 2))) as u16);
                    let pair = control % 4 / 2 * 2;
                    (part(words[pair]) + part(words[pair + 1])) * undo
                };
                let weight = |control: usize| match rows.get(row) {
                    Some(&sample) if control < controls => weights[control * samples + sample],
                    _ => 0.0,
                };
                let most = (0..controls).fold(0.0, |most: f64, k| most.max(weight(k).abs()));
                for control in 0..depths * 16 {
                    let (found, expected) = (sum(control), weight(control));
                    let bound = expected.abs() * f64::powi(2.0, -23) + most * f64::powi(2.0, -39);
                    assert!((found - expected).abs() <= bound, "{found} {expected}");
                }
            }
        }
    }
}

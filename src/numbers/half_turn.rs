//! Sines and cosines with the same bits on all processors, which libraries' are not.

use std::f64::consts::TAU;

/// Coefficients of a²ᵏ⁺³ in sin a and of a²ᵏ⁺² in cos a.
const SINE: [f64; 8] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];
const COSINE: [f64; 8] = [
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// sin 2πx and cos 2πx for x from 0 to 1/2, to 3 · 10⁻¹⁶: Taylor polynomials of an eighth of a turn.
/// `kernels/slice/lattice.cu` takes the same steps.
#[inline(always)]
pub(crate) fn half_turn(x: f64) -> (f64, f64) {
    let (is_low, is_high) = (x <= 0.125, x >= 0.375);
    let rest = if is_low {
        x
    } else if is_high {
        0.5 - x
    } else {
        0.25 - x
    };
    let a = TAU * rest;
    let z = a * a;
    let sum = |coefficients: &[f64; 8]| {
        let [first @ .., last] = coefficients;
        z * first.iter().rev().fold(*last, |sum, c| sum * z + c)
    };
    let (sine, cosine) = (a + a * sum(&SINE), 1.0 + sum(&COSINE));
    if is_low {
        (sine, cosine)
    } else if is_high {
        (sine, -cosine)
    } else {
        (cosine, sine)
    }
}

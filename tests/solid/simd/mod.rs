//! Inner loops of the CPU at every level of instructions, against plain sums.

mod layered;
mod level;
mod patch;
mod points;
mod table;
mod tensor;

use subsolid::basis::MissingLayers;
use subsolid::numbers::{Precision, Real};

/// The first control point of a net that no missing layer has.
const INNER: usize = 21;

/// Asserts that `found` equals `exact` up to rounding; a position at distance `far` from the
/// origin may err by the rounding of its own magnitude as well.
#[track_caller]
fn check<T: Real>(found: T, exact: f64, position: bool, far: f64) {
    // Relative to the net, which is random within ±0.5; weights of second derivatives reach 2.
    let (tolerance, unit) = match T::PRECISION {
        Precision::F64 => (1e-14, f64::EPSILON / 2.0),
        Precision::F32 => (4e-6, f64::from(f32::EPSILON) / 2.0),
    };
    let reach = if position { 2.0 * unit * far } else { 0.0 };
    let error = (found.to_f64() - exact).abs();
    assert!(error <= tolerance + reach, "{found:?} is not {exact}: {error:e}");
}

/// A small generator of equal numbers in every run (xorshift).
struct Rng(u64);

impl Rng {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// In [-0.5, 0.5), in steps of 2⁻²⁴, so that a shift by 1e6 is exact in `f64`.
    fn number(&mut self) -> f64 {
        (self.next() >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    }

    fn numbers(&mut self, count: usize, far: f64) -> Vec<f64> {
        (0..count).map(|_| self.number() + far).collect()
    }

    /// `count` different vertices out of `vertices`, in any order.
    fn ids(&mut self, count: usize, vertices: usize) -> Vec<u32> {
        let mut ids: Vec<u32> = (0..vertices as u32).collect();
        for i in 0..count {
            ids.swap(i, i + self.next() as usize % (vertices - i));
        }
        ids.truncate(count);
        ids
    }

    /// Random control points and nets of regular cells in them.
    fn regular_cells(&mut self, cells: usize, m: usize, far: f64) -> (Vec<f64>, Vec<[u32; 64]>) {
        let controls = self.numbers(100 * m, far);
        let nets = (0..cells).map(|_| self.ids(64, 100).try_into().unwrap()).collect();
        (controls, nets)
    }
}

/// `n` parameters in [0, 1], both ends included.
fn parameters(n: usize) -> Vec<f64> {
    (0..n).map(|i| if n == 1 { 0.3 } else { i as f64 / (n - 1) as f64 }).collect()
}

/// A net with its phantoms, `[w 4][v 4][u 4][m]`, in `f64`.
fn net(controls: &[f64], ids: &[u32], ends: MissingLayers, m: usize) -> Vec<f64> {
    let mut net: Vec<f64> =
        ids.iter().flat_map(|&id| controls[id as usize * m..][..m].to_vec()).collect();
    for axis in 0..3 {
        let step = 4usize.pow(axis) * m;
        let ends = ends.axis(axis as usize);
        for i in 0..64 * m {
            let layer = i / step % 4;
            if layer == 0 && ends.low() {
                net[i] = 2.0 * net[i + step] - net[i + 2 * step];
            }
            if layer == 3 && ends.high() {
                net[i] = 2.0 * net[i - step] - net[i - 2 * step];
            }
        }
    }
    net
}

/// The tensor-product sum over a net with weights on u, v, w.
fn sum(net: &[f64], weights: [[f64; 4]; 3], m: usize, c: usize) -> f64 {
    // Relative to a control point when the weights sum to one, so that the
    // reference itself is exact enough far from the origin.
    let total: f64 = weights.iter().map(|b| b.iter().sum::<f64>()).product();
    let pivot = net[INNER * m + c];
    let mut sum = 0.0;
    for i in 0..64 {
        let weight = weights[0][i % 4] * weights[1][i / 4 % 4] * weights[2][i / 16];
        sum += weight * (net[i * m + c] - pivot);
    }
    if total.abs() > 0.5 { sum + pivot } else { sum }
}

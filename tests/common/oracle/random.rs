//! Random numbers that are the same on every machine and in every run.

use super::vector::Point;

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in 0..count.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// Uniform in the unit cube.
    pub fn parameters(&mut self) -> [f64; 3] {
        std::array::from_fn(|_| self.unit())
    }
}

/// Moves every coordinate by at most `amount`.
pub fn perturb(points: &mut [Point], amount: f64, seed: u64) {
    let mut random = Random::new(seed);
    for x in points.iter_mut().flatten() {
        *x += random.between(-amount, amount);
    }
}

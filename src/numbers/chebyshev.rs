//! The Chebyshev iteration for systems whose eigenvalues are known to lie in an interval.

/// The factors of its directions: Saad, "Iterative methods for sparse linear systems" (2003),
/// Algorithm 12.1. The first direction is [`Chebyshev::first`] times the residual; each step adds
/// the direction to the solution, takes its product from the residual, and makes the next direction
/// a · direction + b · residual with the next factors [a, b].
pub(crate) struct Chebyshev {
    center: f64,
    half: f64,
    rho: f64,
}

impl Chebyshev {
    /// For eigenvalues between two positive numbers.
    pub fn new([low, high]: [f64; 2]) -> Self {
        let (center, half) = ((high + low) / 2.0, (high - low) / 2.0);
        Self { center, half, rho: half / center }
    }

    /// The first factor, and those of `count` directions after it.
    pub fn polynomial(self, count: usize) -> (f64, Vec<[f64; 2]>) {
        (self.first(), self.take(count).collect())
    }

    /// The factor of the first direction.
    pub fn first(&self) -> f64 {
        1.0 / self.center
    }
}

impl Iterator for Chebyshev {
    type Item = [f64; 2];

    /// The factors [a, b]; they never end.
    fn next(&mut self) -> Option<[f64; 2]> {
        let next = 1.0 / (2.0 * self.center / self.half - self.rho);
        let factors = [next * self.rho, 2.0 * next / self.half];
        self.rho = next;
        Some(factors)
    }
}

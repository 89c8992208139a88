//! The method of conjugate gradients.

use std::convert::Infallible;

use super::sum::dot;
use crate::interrupt::stop_point;

/// Iterations at most.
const MAX_STEPS: usize = 10_000;
/// The residual that 12 digits leave, as a part of the first.
pub(crate) const TWELVE_DIGITS: f64 = 1e-12;

/// The vectors of an iteration, wherever they are: the solution x, its residual r, what the
/// preconditioner makes of that, z = M⁻¹ r, the direction p and its product q = A p; and the numbers
/// p · q and γ = r · z.
///
/// # Errors
/// All methods fail if a device does.
pub trait Iterates {
    /// Why a step fails.
    type Error;

    /// x = 0, r = `rhs`.
    fn start(&mut self, rhs: &[f64]) -> Result<(), Self::Error>;

    /// z = M⁻¹ r, and γ.
    fn precondition(&mut self) -> Result<(), Self::Error>;

    /// p = z + γ / (γ before) p; z the first time.
    fn turn(&mut self) -> Result<(), Self::Error>;

    /// q = A p, and p · q.
    fn multiply(&mut self) -> Result<(), Self::Error>;

    /// x += α p, r −= α q with α = γ / (p · q).
    fn step(&mut self) -> Result<(), Self::Error>;

    /// [p · q, γ]: the only numbers that an iteration brings here.
    fn numbers(&mut self) -> Result<[f64; 2], Self::Error>;

    /// x.
    fn solution(&mut self) -> Result<Vec<f64>, Self::Error>;
}

/// A solution, and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Iterated {
    /// The solution.
    pub x: Vec<f64>,
    /// Number of iterations.
    pub steps: usize,
}

/// Solves a positive definite system until the residual r is at most `fraction` of the first one in
/// the norm √(r · z), which is about that of the energy; `None` if the iteration does not converge, as
/// where the system is not definite.
///
/// # Errors
/// As [`Iterates`].
pub fn iterate<I: Iterates + ?Sized>(
    on: &mut I,
    rhs: &[f64],
    fraction: f64,
) -> Result<Option<Iterated>, I::Error> {
    on.start(rhs)?;
    on.precondition()?;
    let [_, mut gamma] = on.numbers()?;
    let enough = fraction * fraction * gamma;
    for steps in 0..MAX_STEPS {
        stop_point();
        if gamma.abs() <= enough {
            return Ok(Some(Iterated { x: on.solution()?, steps }));
        }
        if gamma < 0.0 {
            return Ok(None); // neither is the preconditioner
        }
        on.turn()?;
        on.multiply()?;
        on.step()?;
        on.precondition()?;
        let energy;
        [energy, gamma] = on.numbers()?;
        if energy <= 0.0 || !energy.is_finite() {
            return Ok(None);
        }
    }
    Ok(None)
}

/// [`iterate`] with the vectors here; `product` and `precondition` write into their second argument.
pub(crate) fn conjugate_gradients(
    product: impl FnMut(&[f64], &mut [f64]),
    precondition: impl FnMut(&[f64], &mut [f64]),
    rhs: &[f64],
    fraction: f64,
) -> Option<Iterated> {
    let vectors = [(); 5].map(|()| vec![0.0; rhs.len()]);
    let mut own = Here { product, precondition, vectors, energy: 0.0, gamma: [0.0; 2] };
    let Ok(found) = iterate(&mut own, rhs, fraction);
    found
}

/// Vectors in memory.
struct Here<A, M> {
    product: A,
    precondition: M,
    // x, r, z, p, q
    vectors: [Vec<f64>; 5],
    energy: f64,
    // before, and now
    gamma: [f64; 2],
}

impl<A: FnMut(&[f64], &mut [f64]), M: FnMut(&[f64], &mut [f64])> Iterates for Here<A, M> {
    type Error = Infallible;

    fn start(&mut self, rhs: &[f64]) -> Result<(), Infallible> {
        self.vectors[1].copy_from_slice(rhs);
        Ok(())
    }

    fn precondition(&mut self) -> Result<(), Infallible> {
        let [_, r, z, ..] = &mut self.vectors;
        (self.precondition)(r, z);
        self.gamma = [self.gamma[1], dot(r, z)];
        Ok(())
    }

    fn turn(&mut self) -> Result<(), Infallible> {
        let [before, now] = self.gamma;
        let beta = if before > 0.0 { now / before } else { 0.0 };
        let [_, _, z, p, _] = &mut self.vectors;
        p.iter_mut().zip(z).for_each(|(p, z)| *p = *z + beta * *p);
        Ok(())
    }

    fn multiply(&mut self) -> Result<(), Infallible> {
        let [.., p, q] = &mut self.vectors;
        (self.product)(p, q);
        self.energy = dot(p, q);
        Ok(())
    }

    fn step(&mut self) -> Result<(), Infallible> {
        let alpha = self.gamma[1] / self.energy;
        let [x, r, _, p, q] = &mut self.vectors;
        x.iter_mut().zip(p).for_each(|(x, p)| *x += alpha * *p);
        r.iter_mut().zip(q).for_each(|(r, q)| *r -= alpha * *q);
        Ok(())
    }

    fn numbers(&mut self) -> Result<[f64; 2], Infallible> {
        Ok([self.energy, self.gamma[1]])
    }

    fn solution(&mut self) -> Result<Vec<f64>, Infallible> {
        Ok(std::mem::take(&mut self.vectors[0]))
    }
}

/// The diagonal of a matrix as preconditioner.
pub(crate) fn by_diagonal(diagonal: &[f64]) -> impl FnMut(&[f64], &mut [f64]) {
    move |r, z| z.iter_mut().zip(r).zip(diagonal).for_each(|((z, r), d)| *z = r / d)
}

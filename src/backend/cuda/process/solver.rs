//! Conjugate gradients on the device: one CUDA graph of some iterations, launched until they
//! end.

use cudarc::driver::DeviceRepr;

use super::DeviceProcessor;
use crate::backend::Precision;
use crate::backend::cuda::launch::{Argument, Launch};
use crate::backend::cuda::memory::Buffer;
use crate::backend::cuda::program::{Kernels, Program};
use crate::backend::cuda::query::steps::{Steps, array, number};
use crate::backend::cuda::sources::{SOLVE, Variant};
use crate::error::{Error, Result};
use crate::numbers::Real;
use crate::topology::order::Element;

/// `THREADS` and `BLOCKS` in the kernels.
const THREADS: u32 = 256;
const BLOCKS: u32 = 1024;

/// Places in `System` in the kernels.
const PIVOTS: usize = 5;
const MASS: usize = 6;
const STIFFNESS: usize = 7;

/// Iterations of a graph.
const AT_ONCE: usize = 32;

/// Where iterations end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    /// The norm of the residual has fallen by this.
    Norm(f64),
    /// Every component of the residual is so small beside its unknown.
    EveryComponent(f64),
}

/// The variant for so many right-hand sides.
pub(super) fn variant(precision: Precision, columns: usize) -> Variant {
    Variant::new(&SOLVE, precision).with("COLUMNS", columns)
}

/// (`mass` M + `stiffness` L) of a surface whose weights are stored.
pub(super) struct System<T> {
    columns: usize,
    count: usize,
    words: Box<[u64]>,
    variant: Variant,
    pivots: Buffer<T>,
}

impl<T: Real + DeviceRepr> System<T> {
    /// Vertices that are `held`, or belong to no face, keep their values.
    pub fn new(
        surface: &DeviceProcessor<T>,
        (mass, stiffness): (f64, f64),
        held: Option<&Buffer<u32>>,
        columns: usize,
    ) -> Result<Self> {
        let Some(cotangents) = &surface.cotangents else {
            return Err(Error::request("no weights are stored"));
        };
        let steps = &surface.query.steps;
        let count = surface.query.count(Element::Vertex);
        let pivots = steps.empty::<T>(count)?;
        let words = [
            cotangents.slices.starts.address(0),
            cotangents.ids.address(0),
            cotangents.weights.address(0),
            cotangents.diagonal.address(0),
            cotangents.masses.address(0),
            pivots.address(0),
            mass.to_bits(),
            stiffness.to_bits(),
            count as u64,
        ];
        let variant = variant(T::PRECISION, columns);
        let system = Self { columns, count, words: words.into(), variant, pivots };
        let held = Argument::Address(held.map_or(0, |held| held.address(0)));
        let arguments = vec![system.words(), held, array(&system.pivots)];
        let kernels = Kernels::new(&steps.functions, system.variant.clone());
        steps.enqueue(&[kernels.items("find_pivots", count, THREADS, arguments)?])?;
        Ok(system)
    }

    fn words(&self) -> Argument {
        Argument::Words(self.words.clone())
    }

    /// product = `stiffness` L times the values at an address; 0 for vertices that keep theirs, if
    /// `held`.
    pub fn apply(
        &self,
        steps: &Steps,
        (stiffness, held): (f64, bool),
        of: u64,
        product: &Buffer<T>,
    ) -> Result<()> {
        let kernels = Kernels::new(&steps.functions, self.variant.clone());
        let mut words = self.words.clone();
        (words[MASS], words[STIFFNESS]) = (0.0_f64.to_bits(), stiffness.to_bits());
        if !held {
            words[PIVOTS] = 0;
        }
        let arguments = vec![Argument::Words(words), Argument::Address(of), array(product)];
        steps.enqueue(&[kernels.items("apply", self.count, THREADS, arguments)?])
    }

    /// Finds x, `[vertex][column]`, so that the system times x is `load`, which is used up; returns
    /// the iterations that it took.
    ///
    /// # Errors
    /// [`Error::Mesh`] if iterations do not end.
    pub fn solve(
        &self,
        steps: &Steps,
        load: Buffer<T>,
        until: Until,
        x: &Buffer<T>,
    ) -> Result<usize> {
        let (count, columns) = (self.count, self.columns);
        let stride = if columns == 3 { 4 } else { columns };
        let direction = steps.empty::<T>(count * stride)?;
        let product = steps.empty::<T>(count * columns)?;
        let partial = steps.empty::<f64>((columns + 1) * BLOCKS as usize)?;
        let state = State::new(steps, columns)?;
        let kernels = Kernels::new(&steps.functions, self.variant.clone());
        let (tolerance, componentwise) = match until {
            Until::Norm(tolerance) => (tolerance, 0),
            Until::EveryComponent(tolerance) => (tolerance, 1),
        };
        let arguments = vec![
            self.words(),
            array(&load),
            array(&direction),
            array(x),
            Argument::Long(tolerance.to_bits()),
            number(componentwise),
            array(&partial),
            state.argument(),
        ];
        steps.enqueue(&[kernels.blocks("begin", BLOCKS, THREADS, arguments)?])?;
        let iteration = || -> Result<[Launch; 3]> {
            let multiply = vec![
                self.words(),
                array(&direction),
                array(&product),
                array(&partial),
                state.argument(),
            ];
            let step = vec![
                self.words(),
                array(&product),
                array(&load),
                array(x),
                array(&partial),
                state.argument(),
            ];
            let turn =
                vec![self.words(), array(&load), array(&direction), array(x), state.argument()];
            Ok([
                kernels.blocks("multiply", BLOCKS, THREADS, multiply)?,
                kernels.blocks("step", BLOCKS, THREADS, step)?,
                kernels.items("turn", count, THREADS, turn)?,
            ])
        };
        let mut launches = Vec::new();
        for _ in 0..AT_ONCE {
            launches.extend(iteration()?);
        }
        let mut program = Program::new(launches);
        // errors fall by the square root of the condition, which the mesh's width bounds from below
        let most = 10 * count + 1000;
        loop {
            let (iterations, done) = state.read(steps)?;
            if done == 1 {
                return Ok(iterations);
            }
            if done > 1 || iterations >= most {
                return Err(Error::mesh(format!(
                    "conjugate gradients end after {iterations} iterations without a solution"
                ))
                .with_help("look for very thin triangles, or use --backend cpu"));
            }
            // SAFETY: all arrays are alive and as long as the kernels take them to be.
            unsafe { program.run(&steps.stream)? };
        }
    }
}

/// `State` in the kernels.
struct State {
    words: Buffer<u32>,
    columns: usize,
}

impl State {
    fn new(steps: &Steps, columns: usize) -> Result<Self> {
        let words = Buffer::zeros(&steps.stream, 2 * (4 * columns + 1) + 4)?;
        Ok(Self { words, columns })
    }

    fn argument(&self) -> Argument {
        array(&self.words)
    }

    /// Iterations so far, and whether they have ended.
    fn read(&self, steps: &Steps) -> Result<(usize, u32)> {
        let words = self.words.read(&steps.stream)?;
        let at = 2 * (4 * self.columns + 1);
        Ok((words[at] as usize, words[at + 1]))
    }
}

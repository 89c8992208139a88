//! Linear systems on the device: every vector of the iteration stays there, by
//! `kernels/solid/iterate.cu`.

mod cycle;
mod launches;
mod rows;

use cudarc::driver::CudaStream;
use std::sync::Arc;

use super::leaves::Leaves;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::program::Program;
use crate::backend::operations::{Strip, SystemArrays};
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::mesh::check_value_count;
use crate::numbers::Iterates;
pub(super) use launches::variants;
use launches::{Launches, Place};

/// A system; see [`Iterates`] for its vectors.
pub(super) struct System<'a> {
    stream: Arc<CudaStream>,
    x: Buffer<f64>,
    r: Buffer<f64>,
    p: Buffer<f64>,
    // `Numbers` in the kernels
    numbers: Buffer<f64>,
    programs: Programs,
    strip: Option<HostStrip<'a>>,
    // what the programs refer to
    _launches: Launches,
}

/// What runs for each step; `gamma` ends that of the preconditioner.
struct Programs {
    precondition: Program,
    gamma: Program,
    turn: Program,
    multiply: Program,
    step: Program,
}

/// Numbers that are solved for on the host: they come from r, and what is found is added to z.
struct HostStrip<'a> {
    solve: &'a (dyn Fn(&[f64]) -> Vec<f64> + Sync),
    numbers: Buffer<f64>,
    take: Program,
    put: Program,
    _ids: Buffer<u32>,
}

impl<'a> System<'a> {
    /// Brings all that leaves do not have to their device.
    pub fn new(leaves: &Leaves, arrays: &SystemArrays<'a>) -> Result<Self> {
        let (stream, count, width) = (leaves.stream.clone(), leaves.count, arrays.width);
        assert_eq!(arrays.is_fixed.len(), count, "a flag for every number");
        let room = || Buffer::<f64>::zeros(&stream, count);
        let (x, r, p, numbers) = (room()?, room()?, room()?, Buffer::zeros(&stream, 3)?);
        let at = |own: &Buffer<f64>| Place { address: own.address(0), count: own.len() };
        let mut all = Launches::new(&leaves.functions, &stream, count)?;
        let [z, q] = [all.vector(count)?, all.vector(count)?];

        cycle::precondition(&mut all, &arrays.preconditioner, width, (at(&r), z))?;
        let precondition = all.program();
        let strip = arrays.preconditioner.strip;
        let strip = strip.map(|strip| HostStrip::new(&mut all, strip, (at(&r), z))).transpose()?;
        all.dot(at(&r), z, false, at(&numbers))?;
        let gamma = all.program();
        all.turn(at(&numbers), z, at(&p))?;
        let turn = all.program();

        let fixed = all.flags(arrays.is_fixed)?;
        let mut product = (at(&p), q);
        let mut back = None;
        if let Some([forth, transposed]) = arrays.basis {
            let [controls, loads] = [all.vector(count)?, all.vector(count)?];
            let forth = all.rows(forth, width)?;
            all.multiply(forth, at(&p), false, controls)?;
            product = (controls, loads);
            back = Some(all.rows(transposed, width)?);
        }
        all.push(leaves.launches(product.0.address, product.1.address)?);
        if let Some(rest) = &arrays.rest {
            let rest = all.rows(rest, 1)?;
            all.multiply(rest, product.0, true, product.1)?;
        }
        if let Some(back) = back {
            all.multiply(back, product.1, false, q)?;
        }
        all.clear(fixed, q)?;
        all.dot(at(&p), q, true, at(&numbers))?;
        let multiply = all.program();
        all.step(at(&numbers), [at(&p), q], [at(&x), at(&r)])?;
        let programs = Programs { precondition, gamma, turn, multiply, step: all.program() };
        Ok(Self { stream, x, r, p, numbers, programs, strip, _launches: all })
    }

    /// Puts a program on the stream.
    fn run(&mut self, of: impl Fn(&mut Programs) -> &mut Program) -> Result<()> {
        stop_point();
        // SAFETY: the arrays are as large as the counts say, and live as long as the programs.
        unsafe { of(&mut self.programs).enqueue(&self.stream) }
    }
}

impl Iterates for System<'_> {
    type Error = Error;

    fn start(&mut self, rhs: &[f64]) -> Result<()> {
        check_value_count(rhs, 1, self.r.len())?;
        self.r.fill(&self.stream, rhs)?;
        [&mut self.x, &mut self.p, &mut self.numbers]
            .into_iter()
            .try_for_each(|own| own.clear(&self.stream))
    }

    fn precondition(&mut self) -> Result<()> {
        self.run(|own| &mut own.precondition)?;
        if let Some(strip) = &mut self.strip {
            strip.add(&self.stream)?;
        }
        self.run(|own| &mut own.gamma)
    }

    fn turn(&mut self) -> Result<()> {
        self.run(|own| &mut own.turn)
    }

    fn multiply(&mut self) -> Result<()> {
        self.run(|own| &mut own.multiply)
    }

    fn step(&mut self) -> Result<()> {
        self.run(|own| &mut own.step)
    }

    fn numbers(&mut self) -> Result<[f64; 2]> {
        let found = self.numbers.read(&self.stream)?;
        Ok([found[0], found[1]])
    }

    fn solution(&mut self) -> Result<Vec<f64>> {
        self.x.read(&self.stream)
    }
}

impl<'a> HostStrip<'a> {
    fn new(all: &mut Launches, strip: Strip<'a>, (r, z): (Place, Place)) -> Result<Self> {
        let ids: Vec<u32> = strip.numbers.iter().map(|&i| i as u32).collect();
        let (numbers, ids) =
            (Buffer::zeros(&all.stream, ids.len())?, Buffer::of(&all.stream, &ids)?);
        let own = Place { address: numbers.address(0), count: numbers.len() };
        all.some(ids.address(0), r, own, false)?;
        let take = all.program();
        all.some(ids.address(0), z, own, true)?;
        Ok(Self { solve: strip.solve, numbers, take, put: all.program(), _ids: ids })
    }

    fn add(&mut self, stream: &Arc<CudaStream>) -> Result<()> {
        // SAFETY: as in `System::run`.
        unsafe { self.take.enqueue(stream) }?;
        let found = (self.solve)(&self.numbers.read(stream)?);
        self.numbers.fill(stream, &found)?;
        // SAFETY: as above.
        unsafe { self.put.enqueue(stream) }
    }
}

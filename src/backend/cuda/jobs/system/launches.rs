//! Launches of the kernels of an iteration.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::rows::SlicedRows;
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::QUERY_THREADS as THREADS;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::{Kernels, Program};
use crate::backend::cuda::driver::sources::{ITERATE, VECTORS, Variant};
use crate::backend::operations::Polynomial;
use crate::error::Result;
use crate::numbers::Csr;
use crate::numbers::sum::SUM_NUMBERS;

/// Of vectors of so many numbers a row.
fn variant(width: usize) -> Variant {
    Variant::new(&ITERATE, Precision::F64).with("COMPONENTS", width)
}

/// All variants that are used.
pub fn variants() -> [Variant; 2] {
    [1, 3].map(variant)
}

/// Where a vector starts on the device, and its length.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub address: u64,
    pub count: usize,
}

/// Makes launches, and keeps what they refer to.
pub(super) struct Launches {
    functions: Arc<Functions>,
    pub stream: Arc<CudaStream>,
    numbers: Vec<Buffer<f64>>,
    flags: Vec<Buffer<u8>>,
    rows: Vec<SlicedRows>,
    sums: Place,
    launches: Vec<Launch>,
}

/// A matrix that is kept, and the components of the vectors that it is multiplied with.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    at: usize,
    width: usize,
}

/// What a polynomial is of: rows, numbers that stay (or 0), and factors of residuals (or 0).
#[derive(Clone, Copy)]
pub(super) struct Smoothed {
    pub rows: Rows,
    pub fixed: u64,
    pub inverses: u64,
}

fn place(Place { address, .. }: Place) -> Argument {
    Argument::Address(address)
}

fn double(x: f64) -> Argument {
    Argument::Long(x.to_bits())
}

impl Launches {
    /// For vectors of `count` numbers at most.
    pub fn new(functions: &Arc<Functions>, stream: &Arc<CudaStream>, count: usize) -> Result<Self> {
        let sums = Buffer::empty(stream, count.div_ceil(SUM_NUMBERS))?;
        Ok(Self {
            functions: functions.clone(),
            stream: stream.clone(),
            flags: Vec::new(),
            rows: Vec::new(),
            sums: Place { address: sums.address(0), count: sums.len() },
            numbers: vec![sums],
            launches: Vec::new(),
        })
    }

    /// What has been launched since the last program.
    pub fn program(&mut self) -> Program {
        Program::new(std::mem::take(&mut self.launches))
    }

    /// A vector of zeros.
    pub fn vector(&mut self, count: usize) -> Result<Place> {
        self.keep(Buffer::zeros(&self.stream, count)?)
    }

    /// These numbers.
    pub fn values(&mut self, values: &[f64]) -> Result<Place> {
        self.keep(Buffer::of(&self.stream, values)?)
    }

    fn keep(&mut self, own: Buffer<f64>) -> Result<Place> {
        let place = Place { address: own.address(0), count: own.len() };
        self.numbers.push(own);
        Ok(place)
    }

    /// These flags.
    pub fn flags(&mut self, flags: &[bool]) -> Result<u64> {
        let bytes: Vec<u8> = flags.iter().map(|&flag| flag.into()).collect();
        let own = Buffer::of(&self.stream, &bytes)?;
        let address = own.address(0);
        self.flags.push(own);
        Ok(address)
    }

    /// A matrix for vectors of `width` numbers a row.
    pub fn rows<V: Copy + Into<f64> + Sync>(
        &mut self,
        matrix: &Csr<V>,
        width: usize,
    ) -> Result<Rows> {
        self.rows.push(SlicedRows::new(&self.stream, matrix)?);
        Ok(Rows { at: self.rows.len() - 1, width })
    }

    /// `Rows` in the kernels, and their number.
    fn words(&self, rows: Rows) -> (Argument, usize) {
        let own = &self.rows[rows.at];
        (own.words(), own.count)
    }

    /// Puts a kernel of a thread an item behind the others.
    fn each(
        &mut self,
        variant: Variant,
        name: &'static str,
        items: usize,
        arguments: Vec<Argument>,
    ) -> Result<()> {
        let kernels = Kernels::new(&self.functions, variant);
        self.launches.push(kernels.items(name, items, THREADS, arguments)?);
        Ok(())
    }

    pub fn push(&mut self, launches: impl IntoIterator<Item = Launch>) {
        self.launches.extend(launches);
    }

    /// to = rows times from, or to += that.
    pub fn multiply(&mut self, rows: Rows, from: Place, adds: bool, to: Place) -> Result<()> {
        let (words, count) = self.words(rows);
        let arguments = vec![words, place(from), Argument::Number(adds.into()), place(to)];
        self.each(variant(rows.width), "multiply_rows", count, arguments)
    }

    /// to = rhs − rows times x.
    pub fn subtract(&mut self, rows: Rows, x: Place, rhs: Place, to: Place) -> Result<()> {
        let (words, count) = self.words(rows);
        let arguments = vec![words, place(x), place(rhs), place(to)];
        self.each(variant(rows.width), "subtract_rows", count, arguments)
    }

    /// x = polynomial times rhs, or x += that. `room`: a residual and two directions.
    pub fn polynomial(
        &mut self,
        of: Smoothed,
        Polynomial { first, steps }: &Polynomial,
        rhs: Place,
        [residual, mut direction, mut next]: [Place; 3],
        (x, adds): (Place, bool),
    ) -> Result<()> {
        let Smoothed { rows, fixed, inverses } = of;
        let arguments = vec![
            place(rhs),
            Argument::Address(inverses),
            double(*first),
            Argument::Number(x.count as u32),
            Argument::Number(adds.into()),
            place(residual),
            place(direction),
            place(x),
        ];
        self.each(variant(rows.width), "begin_polynomial", x.count, arguments)?;
        for &[a, b] in steps {
            let (words, count) = self.words(rows);
            let arguments = vec![
                words,
                Argument::Address(fixed),
                Argument::Address(inverses),
                double(a),
                double(b),
                place(direction),
                place(residual),
                place(next),
                place(x),
            ];
            self.each(variant(rows.width), "step_polynomial", count, arguments)?;
            (direction, next) = (next, direction);
        }
        Ok(())
    }

    /// to = a full matrix times from.
    pub fn dense(&mut self, matrix: Place, from: Place, to: Place) -> Result<()> {
        let count = Argument::Number(to.count as u32);
        let arguments = vec![place(matrix), place(from), count, place(to)];
        self.each(variant(1), "multiply_dense", 32 * to.count, arguments)
    }

    pub fn clear(&mut self, fixed: u64, y: Place) -> Result<()> {
        let count = Argument::Number(y.count as u32);
        self.each(
            variant(1),
            "clear_fixed",
            y.count,
            vec![Argument::Address(fixed), count, place(y)],
        )
    }

    /// A dot product to `Numbers` in the kernels: in the order of sums on the CPU.
    pub fn dot(&mut self, a: Place, b: Place, is_energy: bool, numbers: Place) -> Result<()> {
        let (sums, count) = (self.sums, Argument::Number(a.count as u32));
        let kernels = Kernels::new(&self.functions, Variant::new(&VECTORS, Precision::F64));
        let arguments = vec![place(a), place(b), count, place(sums)];
        self.launches.push(kernels.blocks("dot", sums.count as u32, THREADS, arguments)?);
        let arguments = vec![
            place(sums),
            Argument::Number(sums.count as u32),
            Argument::Number(is_energy.into()),
            place(numbers),
        ];
        self.each(variant(1), "add_up", 1, arguments)
    }

    pub fn turn(&mut self, numbers: Place, z: Place, p: Place) -> Result<()> {
        let count = Argument::Number(p.count as u32);
        let arguments = vec![place(numbers), place(z), count, place(p)];
        self.each(variant(1), "turn", p.count, arguments)
    }

    pub fn step(&mut self, numbers: Place, [p, q]: [Place; 2], [x, r]: [Place; 2]) -> Result<()> {
        let count = Argument::Number(p.count as u32);
        let arguments = vec![place(numbers), place(p), place(q), count, place(x), place(r)];
        self.each(variant(1), "step", p.count, arguments)
    }

    /// Numbers of a vector to `to`, or added from there.
    pub fn some(&mut self, ids: u64, vector: Place, of: Place, adds: bool) -> Result<()> {
        let count = Argument::Number(of.count as u32);
        let (name, from, to) = if adds { ("put", of, vector) } else { ("take", vector, of) };
        let arguments = vec![Argument::Address(ids), place(from), count, place(to)];
        self.each(variant(1), name, of.count, arguments)
    }
}

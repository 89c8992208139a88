//! Sorting and scanning on the device, by `kernels/common/sort.cu`: what adjacency is built from.
//!
//! The sort goes digit by digit from the least significant, 8 bits a pass, only as many
//! passes as the keys have bits; a pass counts digits tile by tile, scans the counts, and
//! moves every item to its final index, so that items of equal keys keep their order and results
//! are the same from run to run and on any device. A few thousand items are sorted by one
//! block in one launch.
//!
//! The maintained primitives (CUB) are C++ templates: compiled with the program's other
//! kernels at run time, they would need their headers where the program runs, and users have
//! a driver and NVRTC there, no toolkit. So these are our own.

use std::sync::Arc;

use cudarc::driver::CudaStream;

use super::Cuda;
use super::driver::buffer::Buffer;
pub(super) use super::driver::constants::{BLOCK_ITEMS, BLOCK_THREADS};
use super::driver::constants::{DIGIT_BITS, SORT_THREADS as THREADS, SORT_TILE as TILE};
use super::driver::functions::Functions;
use super::driver::launch::{Argument, Launch};
use super::driver::program::{Kernels, Program};
use super::driver::sources::{SORT, Variant};
use crate::backend::Precision;
use crate::error::{Error, Result};

const DIGITS: usize = 1 << DIGIT_BITS;

/// Numbers that one block scans in one launch sooner than many blocks in three.
const SCANNED_BY_BLOCK: usize = 1 << 14;

pub(super) fn variant(long_keys: bool) -> Variant {
    Variant::new(&SORT, Precision::F32).with("LONG_KEYS", usize::from(long_keys))
}

/// Temporary memory of sorts and scans of up to a number of items.
pub(super) struct Space {
    /// Two sides, `[item]`; words of 64 bits hold keys of either size.
    keys: [Buffer<u64>; 2],
    values: [Buffer<u32>; 2],
    /// `[digit][tile]`.
    counts: Buffer<u32>,
    /// `[tile]` of the counts, or of a scan.
    sums: Buffer<u32>,
}

/// Addresses of keys and values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Items {
    pub keys: u64,
    /// 0 where an item's own number is its value.
    pub values: u64,
}

impl Space {
    pub fn new(stream: &Arc<CudaStream>, items: usize) -> Result<Self> {
        let counts = DIGITS * items.div_ceil(TILE);
        let empty = || Buffer::empty(stream, items);
        Ok(Self {
            keys: [Buffer::empty(stream, items)?, Buffer::empty(stream, items)?],
            values: [empty()?, empty()?],
            counts: Buffer::empty(stream, counts + 1)?,
            sums: Buffer::empty(stream, counts.max(items).div_ceil(TILE) + 1)?,
        })
    }

    /// Where keys can be made; a sort of these may move them.
    pub fn keys(&self) -> u64 {
        self.keys[0].address(0)
    }

    /// Sorts `count` items by the lowest `bits` of their keys. The items stay as they are,
    /// but for those that [`Space::keys`] holds.
    pub fn sort(
        &self,
        functions: &Functions,
        launches: &mut Vec<Launch>,
        items: Items,
        count: usize,
        bits: u32,
    ) -> Result<Items> {
        let long = bits > u32::BITS;
        let kernels = Kernels::new(functions, variant(long));
        let side =
            |i: usize| Items { keys: self.keys[i].address(0), values: self.values[i].address(0) };
        let number = |n: usize| Argument::Number(n as u32);
        if count <= BLOCK_ITEMS && !long {
            let arguments = vec![
                Argument::Address(items.keys),
                Argument::Address(items.values),
                number(count),
                Argument::Number(bits.max(1)),
                Argument::Address(side(1).keys),
                Argument::Address(side(1).values),
            ];
            launches.push(kernels.blocks("sort_block", 1, BLOCK_THREADS, arguments)?);
            return Ok(side(1));
        }
        let tiles = count.div_ceil(TILE);
        let counts = self.counts.address(0);
        let mut from = items;
        for (pass, shift) in (0..bits.max(1)).step_by(DIGIT_BITS as usize).enumerate() {
            let to = side((pass + 1) % 2);
            let arguments = vec![
                Argument::Address(from.keys),
                number(count),
                Argument::Number(shift),
                Argument::Address(counts),
            ];
            launches.push(kernels.blocks("count_digits", tiles as u32, THREADS, arguments)?);
            self.scan(functions, launches, counts, DIGITS * tiles, counts)?;
            let arguments = vec![
                Argument::Address(from.keys),
                Argument::Address(from.values),
                number(count),
                Argument::Number(shift),
                Argument::Address(counts),
                Argument::Address(to.keys),
                Argument::Address(to.values),
            ];
            launches.push(kernels.blocks("move_items", tiles as u32, THREADS, arguments)?);
            from = to;
        }
        Ok(from)
    }

    /// Sums of the `count` numbers before each, at `sums`, with the sum of all behind them.
    /// Numbers and sums may be at one address.
    pub fn scan(
        &self,
        functions: &Functions,
        launches: &mut Vec<Launch>,
        numbers: u64,
        count: usize,
        sums: u64,
    ) -> Result<()> {
        let kernels = Kernels::new(functions, variant(false));
        let block = |numbers: u64, count: usize, sums: u64, total: u32| {
            let arguments = vec![
                Argument::Address(numbers),
                Argument::Number(count as u32),
                Argument::Address(sums),
                Argument::Number(total),
            ];
            kernels.blocks("scan_block", 1, BLOCK_THREADS, arguments)
        };
        if count <= SCANNED_BY_BLOCK {
            launches.push(block(numbers, count, sums, 1)?);
            return Ok(());
        }
        let tiles = count.div_ceil(TILE);
        let of_tiles = self.sums.address(0);
        let mut arguments = vec![Argument::Address(numbers), Argument::Number(count as u32)];
        arguments.push(Argument::Address(of_tiles));
        launches.push(kernels.blocks("sum_tiles", tiles as u32, THREADS, arguments)?);
        launches.push(block(of_tiles, tiles, of_tiles, 0)?);
        let mut arguments = vec![Argument::Address(numbers), Argument::Number(count as u32)];
        arguments.extend([of_tiles, sums].map(Argument::Address));
        launches.push(kernels.blocks("scan_tiles", tiles as u32, THREADS, arguments)?);
        Ok(())
    }
}

/// Arrays on a device to be sorted and scanned.
pub struct RadixSort {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    space: Space,
    keys: Buffer<u64>,
    values: Buffer<u32>,
    /// By the bits it sorts by, and where it leaves the items.
    program: Option<(u32, Items, Program)>,
}

/// Maximum number of items of one sort or scan.
const MAX_ITEMS: usize = 1 << 31;

impl RadixSort {
    /// Brings keys below 2^`bits` with their values to a GPU.
    ///
    /// # Errors
    /// [`Error::Request`] for arrays of different lengths, 2³¹ items or more, more than 64
    /// bits, or too little memory.
    pub fn new(gpu: &Cuda, keys: &[u64], values: &[u32], bits: u32) -> Result<Self> {
        let count = keys.len();
        if values.len() != count || count >= MAX_ITEMS || bits > u64::BITS {
            return Err(Error::request(format!(
                "{count} keys of {bits} bits with {} values to sort on a GPU",
                values.len()
            ))
            .with_help("give one value for each key, fewer than 2^31 of at most 64 bits"));
        }
        let functions = gpu.functions.clone();
        let stream = functions.new_stream()?;
        let space = Space::new(&stream, count)?;
        let keys = if bits > u32::BITS {
            Buffer::of(&stream, keys)?
        } else {
            Buffer::of(&stream, &packed(keys))?
        };
        let values = Buffer::of(&stream, values)?;
        Ok(Self { functions, stream, space, keys, values, program: None })
    }

    /// Sorts by the lowest `bits` of the keys, stably; returns the seconds that it took on the
    /// device, where keys and values stay. The arrays that were brought remain as they are.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails.
    pub fn sort(&mut self, bits: u32) -> Result<f64> {
        let kept = self.program.take().filter(|kept| kept.0 == bits);
        let (_, sorted, mut program) = match kept {
            Some(kept) => kept,
            None => {
                let items = Items { keys: self.keys.address(0), values: self.values.address(0) };
                let (mut launches, count) = (Vec::new(), self.values.len());
                let sorted = self.space.sort(&self.functions, &mut launches, items, count, bits)?;
                (bits, sorted, Program::new(launches))
            }
        };
        // SAFETY: all arrays live in `self` and have room for `count` items.
        let seconds = unsafe { program.run(&self.stream) }?;
        self.program = Some((bits, sorted, program));
        Ok(seconds)
    }

    /// Sums of the values before each, and of all; the values as they were brought.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails.
    pub fn scan(&mut self) -> Result<(Vec<u32>, f64)> {
        let (count, from) = (self.values.len(), self.values.address(0));
        let sums = Buffer::<u32>::empty(&self.stream, count + 1)?;
        let mut launches = Vec::new();
        self.space.scan(&self.functions, &mut launches, from, count, sums.address(0))?;
        // SAFETY: all arrays live in `self` or here.
        let seconds = unsafe { Program::new(launches).run(&self.stream) }?;
        Ok((sums.read(&self.stream)?, seconds))
    }

    /// The values in the order of the last sort, copied to the host.
    ///
    /// # Errors
    /// [`Error::Request`] if nothing was sorted, or the copy fails.
    pub fn values(&self) -> Result<Vec<u32>> {
        let sides = &self.space.values;
        let sorted = self.program.as_ref().map(|kept| kept.1.values);
        match sorted.and_then(|sorted| sides.iter().find(|side| side.address(0) == sorted)) {
            Some(values) => values.read(&self.stream),
            None => Err(Error::request("nothing was sorted").with_help("sort first")),
        }
    }
}

/// Keys of 32 bits in the memory of keys of 64.
fn packed(keys: &[u64]) -> Vec<u64> {
    keys.chunks(2).map(|pair| pair[0] | pair.get(1).copied().unwrap_or(0) << 32).collect()
}

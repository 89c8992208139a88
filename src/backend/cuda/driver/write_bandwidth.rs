//! Write bandwidth: how long the device takes to write some bytes, or to copy them to the
//! host, and nothing else.

use std::sync::Arc;

use super::buffer::{Buffer, PageLocked, start_copy, timed_event};
use super::constants::WRITE_CHUNK as CHUNK;
use super::device::failed;
use super::functions::Functions;
use super::launch::Argument;
use super::program::Kernels;
use super::sources::{Variant, WRITE_BANDWIDTH};
use crate::backend::Precision;
use crate::error::Result;
use crate::numbers::median;
use crate::result_buffer::DeviceBytes;

/// Seconds of the faster of the ways to write: coalesced stores, and bulk copies where
/// the device has them.
pub(in crate::backend::cuda) fn time(
    functions: &Arc<Functions>,
    precision: Precision,
    bytes: usize,
    repeats: usize,
) -> Result<Vec<f64>> {
    let stream = functions.new_stream()?;
    let bytes = (bytes as u64).next_multiple_of(CHUNK);
    let memory = Buffer::<u8>::empty(&stream, bytes as usize)?;
    let variant = Variant::new(&WRITE_BANDWIDTH, precision).with("WIDTH", 1).with("STRIDED", 0);
    let kernels = Kernels::new(functions, variant);
    let mut best: Vec<f64> = Vec::new();
    let mut ways = vec![("write_vectors", bytes / 16)];
    if functions.device().info.compute_capability.0 >= 9 {
        ways.push(("write_bulk", bytes / CHUNK));
    }
    let broken = failed("writing memory failed");
    for (name, count) in ways {
        let blocks = kernels.resident_blocks(name, 128, u32::MAX)?;
        let mut seconds = Vec::with_capacity(repeats);
        // the first is a warm-up
        for repeat in 0..=repeats {
            let arguments = vec![
                Argument::Address(memory.address(0)),
                Argument::Long(count),
                Argument::Number(repeat as u32),
            ];
            let launch = kernels.blocks(name, blocks, 128, arguments)?;
            stream.synchronize().map_err(&broken)?;
            let start = timed_event(&stream)?;
            // SAFETY: the memory has as many bytes.
            unsafe { launch.enqueue(&stream) }.map_err(&broken)?;
            let end = timed_event(&stream)?;
            let elapsed = start.elapsed_ms(&end).map_err(&broken)?;
            if repeat > 0 {
                seconds.push(f64::from(elapsed) * 1e-3);
            }
        }
        if best.is_empty() || median(seconds.clone()) < median(best.clone()) {
            best = seconds;
        }
    }
    Ok(best)
}

/// Seconds of one copy to page-locked memory of the host.
pub(in crate::backend::cuda) fn time_copying(
    functions: &Arc<Functions>,
    bytes: usize,
    repeats: usize,
) -> Result<Vec<f64>> {
    let stream = functions.new_stream()?;
    let memory = Buffer::<u8>::empty(&stream, bytes)?;
    let mut host = PageLocked::new(stream.context(), bytes)?;
    let broken = failed("a copy from the device failed");
    let mut time = || {
        let start = timed_event(&stream)?;
        // SAFETY: the time of the event after it is waited for.
        unsafe { start_copy(memory.address(0), host.bytes_mut(), &stream) }?;
        let end = timed_event(&stream)?;
        Ok(f64::from(start.elapsed_ms(&end).map_err(&broken)?) * 1e-3)
    };
    time()?; // a warm-up
    (0..repeats).map(|_| time()).collect()
}

//! The ways to evaluate that are measured, and the time to write their results.

use std::collections::HashMap;

use crate::backend::{Backend, Cpu, Precision, Processor, Strategy};
use crate::error::Result;
use crate::memory::physical_memory;
use crate::numbers::median;

/// A processor with a strategy and a precision.
pub struct Contender {
    /// `CPU f32`, `GPU auto f64`…
    pub name: String,
    pub precision: Precision,
    pub backend: Box<dyn Backend>,
    /// The strategy of a GPU.
    pub strategy: Option<Strategy>,
    /// Bytes that results may take.
    pub memory: u64,
}

impl Contender {
    /// All that this machine has.
    pub fn all(processor: &Processor) -> Result<Vec<Self>> {
        const PRECISIONS: [(Precision, &str); 2] =
            [(Precision::F32, "f32"), (Precision::F64, "f64")];
        let mut all = Vec::new();
        let memory = physical_memory().unwrap_or(u64::MAX) / 3;
        for (precision, bits) in PRECISIONS {
            let (name, backend) = (format!("CPU {bits}"), Box::new(Cpu::new(precision)));
            all.push(Self { name, precision, backend, strategy: None, memory });
        }
        for (precision, bits) in PRECISIONS {
            for &strategy in processor.strategies() {
                let backend = processor.backend(precision, strategy)?;
                let memory = backend.info().memory / 4 * 3;
                let name = format!("GPU {} {bits}", format!("{strategy:?}").to_lowercase());
                all.push(Self { name, precision, backend, strategy: Some(strategy), memory });
            }
        }
        Ok(all)
    }
}

/// Times to write memory and nothing else: the lower bound of every evaluation with as much
/// output.
pub struct WriteTimes {
    repeats: usize,
    // seconds by processor and bytes
    known: HashMap<(bool, usize), f64>,
}

impl WriteTimes {
    pub fn new(repeats: usize) -> Self {
        Self { repeats, known: HashMap::new() }
    }

    /// Median of the seconds that writing `bytes` takes on a contender's processor.
    pub fn seconds(&mut self, contender: &Contender, bytes: usize) -> Result<f64> {
        let key = (contender.strategy.is_some(), bytes);
        if let Some(&seconds) = self.known.get(&key) {
            return Ok(seconds);
        }
        let seconds = median(contender.backend.time_writing(bytes, self.repeats)?);
        self.known.insert(key, seconds);
        Ok(seconds)
    }
}

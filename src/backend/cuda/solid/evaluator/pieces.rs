//! Results for the host, chunk after chunk: while one is copied, the next is evaluated.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::{RangeProgram, ResidentPlan, ResidentSamples, nothing_kept};
use crate::backend::cuda::driver::buffer::PageLocked;
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::device_arrays::ResultMemory;
use crate::backend::cuda::driver::transfer::{Delivery, HostPlace, Transfer};
use crate::backend::{Limit, Values};
use crate::error::Result;
use crate::numbers::Real;
use crate::plan::Quantity;
use crate::result_buffer::DeviceBytes;
use cudarc::driver::DeviceRepr;

/// Bytes of results that are evaluated before their copy to the host begins.
const PIECE_BYTES: usize = 64 << 20;

/// Pieces whose copies are on the stream before the memory of the first is used again: an
/// evaluation need not wait for them.
const PIECES_IN_FLIGHT: usize = 2;

/// Maximum number of bytes of an array of results for which page-locked memory is asked: more would
/// be missed elsewhere.
const MAX_PAGE_LOCKED_BYTES: usize = 8 << 30;

/// What is left to fill of one array of results.
struct Destination<'l> {
    rest: &'l mut [u8],
    page_locked: bool,
    /// Bytes of a row.
    size: usize,
    /// What has rows of its own.
    quantity: Option<Quantity>,
}

impl<'l> Destination<'l> {
    fn take(&mut self, count: usize) -> HostPlace<'l> {
        let (bytes, later) = std::mem::take(&mut self.rest).split_at_mut(count * self.size);
        self.rest = later;
        HostPlace { bytes, page_locked: self.page_locked }
    }
}

impl<T: Real + DeviceRepr> ResidentPlan<'_, T> {
    /// Evaluates elements and copies their results to `limit`.
    pub(super) fn evaluate_to_host(
        &mut self,
        elements: &Range<usize>,
        limit: &mut Limit,
        transfer: &mut Transfer,
    ) -> Result<()> {
        let mut destinations = self.destinations(elements, limit);
        let per_element: usize = destinations
            .iter()
            .map(|to| match to.quantity {
                Some(quantity) if quantity.is_per_element() => to.size,
                _ => to.size * self.plan.samples_per_element(),
            })
            .sum();
        let step = match self.samples {
            ResidentSamples::Grid(_) => (PIECE_BYTES / per_element.max(1)).max(1),
            ResidentSamples::Scattered(_) => elements.len().max(1),
        };
        let mut delivery = transfer.deliver();
        if elements.len() <= step {
            self.launch(elements)?;
            let program = self.kept.last().ok_or_else(nothing_kept)?;
            delivery.stream().join(&self.main).map_err(failed("the evaluation failed"))?;
            self.copy(program, &mut destinations, &mut delivery)?;
        } else {
            self.evaluate_in_chunks(elements, step, &mut destinations, &mut delivery)?;
        }
        delivery.finish()
    }

    fn evaluate_in_chunks<'l>(
        &mut self,
        elements: &Range<usize>,
        step: usize,
        destinations: &mut [Destination<'l>],
        delivery: &mut Delivery<'_, 'l>,
    ) -> Result<()> {
        let broken = failed("the evaluation failed");
        self.kept.clear();
        // evaluations of the same elements with other control points are cut alike
        let mut known = std::mem::take(&mut self.pieces);
        let mut before = None;
        let mut copied: VecDeque<(Arc<ResultMemory>, _)> = VecDeque::new();
        for start in elements.clone().step_by(step) {
            let range = start..(start + step).min(elements.end);
            let work = match known.remove(&range) {
                Some(work) => work,
                None => self.work(&range)?,
            };
            self.pieces.insert(range.clone(), work.clone());
            let results = match copied.len() {
                PIECES_IN_FLIGHT.. => copied.pop_front(),
                _ => None,
            };
            let results = match results {
                Some((results, event)) => {
                    self.main.wait(&event).map_err(&broken)?;
                    Some(results)
                }
                None => None,
            };
            let program = self.program(range, work, results)?;
            self.enqueue(&program).map_err(&broken)?;
            let evaluated = self.main.record_event(None).map_err(&broken)?;
            if let Some((before, evaluated)) = before.replace((program, evaluated)) {
                delivery.stream().wait(&evaluated).map_err(&broken)?;
                self.copy(&before, destinations, delivery)?;
                let event = delivery.stream().record_event(None).map_err(&broken)?;
                copied.push_back((before.results, event));
            }
        }
        if let Some((last, evaluated)) = before {
            delivery.stream().wait(&evaluated).map_err(&broken)?;
            self.copy(&last, destinations, delivery)?;
            // the memory of the last pieces is given back by the stream of the evaluation
            self.main.join(delivery.stream()).map_err(&broken)?;
        }
        Ok(())
    }

    /// Makes room in `limit` for all results of some elements.
    fn destinations<'l>(
        &self,
        elements: &Range<usize>,
        limit: &'l mut Limit,
    ) -> Vec<Destination<'l>> {
        let Limit { positions, derivatives, attributes, attribute_derivatives, quantities, .. } =
            limit;
        let first: Vec<&mut Values> = std::iter::once(positions).chain(derivatives).collect();
        let others = attributes.iter_mut().zip(attribute_derivatives);
        let others = others.map(|(values, all)| std::iter::once(values).chain(all).collect());
        let values = std::iter::once(first).chain(others);
        let context = &self.functions.device().context;
        let lend = |bytes: usize| {
            let asked = Some(bytes).filter(|&bytes| bytes <= MAX_PAGE_LOCKED_BYTES);
            // results reach other memory as well, if not as fast
            let locked = asked.and_then(|bytes| PageLocked::new(context, bytes).ok());
            locked.map(|locked| Box::new(locked) as Box<dyn DeviceBytes>)
        };
        let destination = |(width, values, quantity): (usize, &'l mut Values, _)| {
            let numbers = self.rows(quantity, elements) * width;
            let (rest, page_locked) = values.numbers::<T>().reserve_lent(numbers, lend);
            Destination {
                rest: bytemuck::cast_slice_mut(rest),
                page_locked,
                size: width * size_of::<T>(),
                quantity,
            }
        };
        let widths = self.inputs.iter().map(|input| input.width);
        let all = widths
            .zip(values)
            .flat_map(|(width, all)| all.into_iter().map(move |values| (width, values, None)));
        let derived =
            quantities.iter_mut().map(|d| (d.wanted.width, &mut d.values, Some(d.wanted.quantity)));
        all.chain(derived).map(destination).collect()
    }

    /// Puts the copies of a program's results to where they belong on the stream.
    fn copy<'l>(
        &self,
        program: &RangeProgram<T>,
        destinations: &mut [Destination<'l>],
        delivery: &mut Delivery<'_, 'l>,
    ) -> Result<()> {
        let starts = program.starts.iter().flatten().chain(&program.derived);
        starts.zip(destinations).try_for_each(|(&start, to)| {
            let rows = self.rows(to.quantity, &program.range);
            delivery.copy(program.results.address::<T>(start), to.take(rows))
        })
    }

    /// Number of rows of a quantity, or of results, for a range of elements.
    fn rows(&self, quantity: Option<Quantity>, range: &Range<usize>) -> usize {
        match quantity {
            Some(quantity) => self.plan.row_count(quantity, range),
            None => self.plan.result_count(range),
        }
    }
}

//! The quantities of an evaluation, launched when all derivatives are there.

use std::ops::Range;

use super::ResidentPlan;
use crate::backend::cuda::driver::launch::Launch;
use crate::backend::cuda::solid::quantities::{QuantityInputs, launch};
use crate::backend::explain::LaunchReport;
use crate::error::Result;
use crate::numbers::Real;
use crate::plan::{WantedQuantity, wanted_quantities};
use cudarc::driver::DeviceRepr;

impl<T: Real + DeviceRepr> ResidentPlan<'_, T> {
    /// The quantities wanted, in the order of the results.
    pub(super) fn wanted_quantities(&self) -> Vec<WantedQuantity> {
        let widths: Vec<usize> = self.inputs.iter().skip(1).map(|input| input.width).collect();
        wanted_quantities(self.plan.want(), &widths)
    }

    /// The launches of all quantities for a range of elements. `address`: of an output of an
    /// input; `to`: of the quantity with this index.
    pub(super) fn quantities(
        &self,
        range: &Range<usize>,
        address: impl Fn(usize, usize) -> u64,
        to: impl Fn(usize) -> u64,
    ) -> Result<Vec<Launch>> {
        let first = |input: usize| [1, 2, 3].map(|output| address(input, output));
        let wanted = self.wanted_quantities().into_iter().enumerate();
        let launches = wanted.map(|(index, WantedQuantity { quantity, attribute, .. })| {
            let inputs = QuantityInputs {
                position: first(0),
                attribute: attribute.map_or([0; 3], |a| first(a + 1)),
                results: self.plan.result_count(range),
                components: attribute.map_or(0, |a| self.inputs[a + 1].width),
                samples: self.plan.samples_per_element(),
            };
            let rows = self.plan.row_count(quantity, range);
            launch::<T>(&self.functions, quantity, inputs, rows, to(index))
        });
        launches.collect()
    }

    /// The work of these launches: derivatives in, quantities out.
    pub(super) fn explain_quantities(&self, range: &Range<usize>) -> Result<Vec<LaunchReport>> {
        // no launch is put on a stream: the results need no memory
        let launches = self.quantities(range, |_, _| 0, |_| 0)?;
        let wanted = self.wanted_quantities();
        let explained = launches.iter().zip(&wanted).map(|(launch, wanted)| {
            let input = wanted.attribute.map_or(0, |a| a + 1);
            let samples = self.plan.result_count(range);
            let read = if input == 0 { 9 } else { 9 + 3 * self.inputs[input].width };
            let written = self.plan.row_count(wanted.quantity, range) * wanted.width;
            let work = LaunchReport {
                input,
                width: wanted.width,
                samples,
                bytes_written: (written * size_of::<T>()) as u64,
                bytes_read: (samples * read * size_of::<T>()) as u64,
                ..LaunchReport::default()
            };
            self.explained(launch, work)
        });
        Ok(explained.collect())
    }
}

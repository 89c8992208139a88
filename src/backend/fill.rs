//! Results of one range of elements after another, each written to its final slot.
//!
//! The results are those of one evaluation, bit by bit; between two parts the caller may stop.

use std::ops::Range;

use super::limit::{arrays, row_count};
use super::{Evaluator, Limit, Values};
use crate::error::{Error, Result};
use crate::mesh::Controls;
use crate::numbers::{Precision, Real};
use crate::plan::{Plan, Samples};
use crate::result_buffer::ResultBuffer;

impl Limit {
    /// Makes room for the results of some elements, old contents unspecified; memory of results
    /// that are here is used again. `widths`: those of the attributes.
    pub fn make_room(
        &mut self,
        plan: &Plan<'_>,
        elements: Range<usize>,
        widths: &[usize],
        precision: Precision,
    ) {
        match precision {
            Precision::F32 => self.room_of::<f32>(plan, elements, widths),
            Precision::F64 => self.room_of::<f64>(plan, elements, widths),
        }
    }

    fn room_of<T: Real>(&mut self, plan: &Plan<'_>, elements: Range<usize>, widths: &[usize]) {
        self.begin(elements.clone(), plan.want(), widths);
        for array in arrays(self, widths) {
            let rows = row_count(plan, array.quantity, &elements);
            array.values.numbers::<T>().reserve(array.width * rows);
        }
    }

    /// Evaluates a part of the elements that there is [room](Self::make_room) for to its slot.
    ///
    /// # Errors
    /// [`Error::Request`] for scattered samples, and elements without room; those of
    /// [`Evaluator::evaluate`].
    pub fn fill(
        &mut self,
        evaluator: &mut dyn Evaluator,
        plan: &Plan<'_>,
        controls: Controls<'_>,
        part: Range<usize>,
    ) -> Result<()> {
        let is_grid = matches!(plan.samples(), Samples::Tensor(_));
        let known = self.elements.start <= part.start && part.end <= self.elements.end;
        if !is_grid || !known || part.start > part.end {
            return Err(
                Error::request("results without room").with_help("make room for them first")
            );
        }
        match self.positions {
            Values::F32(_) => self.fill_with::<f32>(evaluator, plan, controls, part),
            Values::F64(_) => self.fill_with::<f64>(evaluator, plan, controls, part),
        }
    }

    fn fill_with<T: Real>(
        &mut self,
        evaluator: &mut dyn Evaluator,
        plan: &Plan<'_>,
        controls: Controls<'_>,
        part: Range<usize>,
    ) -> Result<()> {
        let widths: Vec<usize> = controls.attributes.iter().map(|a| a.width).collect();
        let before = self.elements.start..part.start;
        let mut limit = Self::of(plan.want(), &widths);
        let own = arrays(&mut limit, &widths);
        for (own, whole) in own.into_iter().zip(arrays(self, &widths)) {
            let rows = |elements| own.width * row_count(plan, own.quantity, elements);
            let (first, count) = (rows(&before), rows(&part));
            let to = &mut whole.values.numbers::<T>()[first..first + count];
            // SAFETY: a slice is aligned and initialized; this one is not used before the limit is
            // dropped, of which the evaluator keeps nothing.
            *own.values.numbers::<T>() = unsafe { ResultBuffer::over(to.as_mut_ptr(), to.len()) };
        }
        evaluator.evaluate(controls, part, &mut limit)
    }
}

#[cfg(test)]
mod tests {
    use crate::backend::{Backend, Cpu, Limit};
    use crate::limit::Solid;
    use crate::mesh::Attribute;
    use crate::numbers::Precision;
    use crate::plan::{Samples, Want};

    #[test]
    fn parts_are_those_of_one_evaluation() {
        let mut mesh = crate::io::read("models/bracket.vtk").unwrap();
        let values = mesh.points.iter().map(|p| p[0] * p[1]).collect();
        mesh.attributes = vec![Attribute { name: "a".into(), width: 1, values }];
        let solid = Solid::new(&mesh).unwrap();
        let want = Want::ATTRIBUTE_SECOND | Want::DETERMINANT | Want::GRADIENT;
        let plan = solid.plan(&Samples::grid(3), want).unwrap();
        let count = solid.elements().len();
        assert!(count > 8);
        for precision in [Precision::F64, Precision::F32] {
            let backend = Cpu::new(precision);
            let whole = backend.evaluate(&plan, mesh.controls()).unwrap();
            let mut evaluator = backend.prepare(&plan).unwrap();
            let mut limit = Limit::default();
            limit.make_room(&plan, 0..count, &[1], precision);
            for part in [5..count, 0..3, 3..5] {
                limit.fill(&mut *evaluator, &plan, mesh.controls(), part).unwrap();
            }
            let bits = |limit: &Limit| {
                let derivatives = limit.derivatives.iter().chain(&limit.attributes);
                let all = derivatives.chain(limit.attribute_derivatives.iter().flatten());
                let all = all.chain(limit.quantities.iter().map(|derived| &derived.values));
                let all = std::iter::once(&limit.positions).chain(all);
                all.flat_map(|values| values.iter().map(f64::to_bits).collect::<Vec<_>>())
                    .collect::<Vec<_>>()
            };
            assert_eq!(limit.elements, whole.elements);
            assert!(bits(&limit) == bits(&whole));
            let beyond = limit.fill(&mut *evaluator, &plan, mesh.controls(), 0..count + 1);
            assert!(beyond.is_err());
        }
    }
}

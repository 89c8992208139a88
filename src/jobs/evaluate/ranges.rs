//! What evaluates ranges of elements: the whole mesh, analyzed at once, or parts of it.

use std::ops::Range;

use crate::backend::{Backend, Evaluator, Limit};
use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::numbers::Precision;
use crate::parts::{Cut, Cutter, Part};
use crate::plan::{Plan, Samples, Want};

/// Elements that are analyzed at a time.
const PART_ELEMENTS: usize = 1 << 16;
/// Bytes of results that are held, in double precision.
const HELD_BYTES: u128 = 2 << 30;

/// Evaluates ranges of the elements of a mesh.
pub(super) enum RangeEvaluator<'a> {
    Whole(&'a SolidMesh, Box<dyn Evaluator + 'a>),
    Parts(Box<PartEvaluator<'a>>),
}

/// Analyzes and evaluates parts of a mesh, for their samples alone. A part has cells that lie
/// together, which in the order of a file they may not: results of many elements are held until they
/// are asked for.
pub(super) struct PartEvaluator<'a> {
    outline: &'a Solid,
    cutter: Cutter<'a>,
    backend: &'a dyn Backend,
    samples: Samples,
    want: Want,
    // that parts are analyzed for
    parameters: Vec<f64>,
    // elements whose results are held, at most
    most: usize,
    held: Limit,
}

impl<'a> RangeEvaluator<'a> {
    /// For a plan; parts of an outline are analyzed for `parameters`.
    pub(super) fn new(
        plan: &'a Plan<'a>,
        mesh: &'a SolidMesh,
        parameters: Option<&[f64]>,
        backend: &'a dyn Backend,
    ) -> Result<Self> {
        let (outline, elements) = (plan.solid(), plan.solid().elements().len());
        let Some(parameters) = parameters else {
            return Ok(Self::Whole(mesh, backend.prepare(plan)?));
        };
        let mut costs = vec![0.0; mesh.cells.len()];
        outline.elements().iter().for_each(|element| costs[element.cell as usize] += 1.0);
        let cut = Cut::along_curve(mesh, &costs, elements.div_ceil(PART_ELEMENTS))?;
        let widths: Vec<usize> = mesh.attributes.iter().map(|a| a.width).collect();
        let bytes = plan.result_bytes(&(0..1), &widths, Precision::F64);
        Ok(Self::Parts(Box::new(PartEvaluator {
            outline,
            cutter: Cutter::new(mesh, &cut)?,
            backend,
            samples: plan.samples().clone(),
            want: plan.want(),
            parameters: parameters.to_vec(),
            most: (HELD_BYTES / bytes).max(1) as usize,
            held: Limit::default(),
        })))
    }

    /// [`Evaluator::evaluate`] of the mesh.
    pub(super) fn evaluate(&mut self, range: Range<usize>, limit: &mut Limit) -> Result<()> {
        match self {
            Self::Whole(mesh, evaluator) => evaluator.evaluate(mesh.controls(), range, limit),
            Self::Parts(parts) => parts.evaluate(range, limit),
        }
    }
}

impl PartEvaluator<'_> {
    fn evaluate(&mut self, range: Range<usize>, limit: &mut Limit) -> Result<()> {
        if range.start < self.held.elements.start || self.held.elements.end < range.end {
            let end = (range.start + self.most).min(self.outline.elements().len());
            self.hold(range.start..end.max(range.end))?;
        }
        let first = range.start - self.held.elements.start;
        let pairs: Vec<_> = (first..).zip(0..range.len()).collect();
        limit.copy_elements(range, &self.held, &pairs);
        Ok(())
    }

    /// Evaluates the elements of a range.
    fn hold(&mut self, range: Range<usize>) -> Result<()> {
        let elements = self.outline.elements();
        let mut limit = Limit::default();
        for index in 0..self.cutter.count() {
            let mut part = self.cutter.part(index);
            // of the elements of a cell, which follow one another, in the part as in the whole
            let of_cell = |cell: u32| {
                let first = elements.partition_point(|element| element.cell < cell);
                let own = elements[first..].iter().take_while(|element| element.cell == cell);
                first..first + own.count()
            };
            let Part { cells, owned, .. } = &mut part;
            owned.retain(|&own| {
                let own = of_cell(cells[own as usize]);
                own.start < range.end && range.start < own.end
            });
            let all = owned.iter().flat_map(|&own| of_cell(cells[own as usize]));
            let pairs = all.enumerate().filter(|(_, element)| range.contains(element));
            let pairs: Vec<_> = pairs.map(|(own, e)| (own, e - range.start)).collect();
            if pairs.is_empty() {
                continue;
            }
            let solid = Solid::of_part_for_samples(&part.mesh, &part.owned, &self.parameters)?;
            let plan = solid.plan(&self.samples, self.want)?;
            let own = 0..solid.elements().len();
            let mut evaluator = self.backend.prepare(&plan)?;
            evaluator.evaluate(part.mesh.controls(), own, &mut limit)?;
            self.held.copy_elements(range.clone(), &limit, &pairs);
        }
        Ok(())
    }
}

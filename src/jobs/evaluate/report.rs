//! What an evaluation has done.

use std::ops::Range;
use std::time::Instant;

use serde::Serialize;

use super::super::extract::exactness;
use super::super::output::{part_of, written};
use super::super::{Notes, since};
use super::check::SampleGrid;
use super::request::EvaluateRequest;
use crate::backend::Limit;
use crate::error::Command;
use crate::io::Format;
use crate::limit::Solid;
use crate::numbers::{counted, significant};
use crate::volume::{Quality, unjoined_hexahedra, unjoined_notice};

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct EvaluateReport {
    /// Name of the file written; null with `--quality` alone.
    pub output: Option<String>,
    /// Name of the processor.
    pub backend: String,
    /// Number of points written.
    pub points: usize,
    /// Number of cells written.
    pub cells: usize,
    /// Number of pieces of a `.pvtu`; 1 for other files.
    pub pieces: usize,
    /// Number of limit points, or points of Bézier cells, evaluated before welding.
    pub evaluated: usize,
    /// Number of points where a derivative does not exist.
    pub undefined_derivatives: usize,
    /// Number of Bézier cells that represent the limit exactly; null for other cells.
    pub exact_cells: Option<usize>,
    /// Largest estimated distance of a Bézier cell from the limit, in length units; null for other
    /// cells.
    pub error_bound: Option<f64>,
    /// Largest distance of Lagrange cells from the limit, at samples midway between their nodes, in
    /// length units; null for other cells, and without `--order` and a format of finite elements.
    pub distance: Option<f64>,
    /// Duration of evaluation and writing, in seconds.
    pub seconds: f64,
    /// Number of left-handed hexahedra in the mesh.
    pub left_handed_cells: usize,
    /// Number of hexahedral cells next to wedges, tetrahedra and other polyhedra, with which they
    /// share no points of the file.
    pub unjoined_hexahedra: usize,
    /// Where the samples are, in words.
    #[serde(skip)]
    pub places: String,
    /// Report on the Jacobians, with `--quality`.
    pub quality: Option<Quality>,
}

impl EvaluateReport {
    /// Of an evaluation that has not begun, of samples in these places.
    pub(super) fn new(request: &EvaluateRequest, backend: String, places: String) -> Self {
        let output = request.output.as_ref().map(|path| path.display().to_string());
        Self { output, backend, places, ..Self::default() }
    }

    /// Counts results.
    pub(super) fn count(&mut self, limit: &Limit) {
        self.evaluated += limit.len();
        let undefined = limit.undefined_derivatives();
        self.undefined_derivatives += undefined.iter().filter(|&&u| u == 1).count();
    }

    /// Counts the hexahedral cells of some elements that share no points with cells beside them.
    pub(super) fn count_unjoined(
        &mut self,
        grid: &SampleGrid,
        solid: &Solid,
        elements: Range<usize>,
    ) {
        if self.output.is_some() && grid.is_welded {
            self.unjoined_hexahedra += unjoined_hexahedra(solid, elements);
        }
    }

    /// What adds up, but for Bézier cells.
    fn counts(&mut self) -> [&mut usize; 7] {
        let Self { points, cells, pieces, evaluated, undefined_derivatives, .. } = self;
        let (left_handed, unjoined) = (&mut self.left_handed_cells, &mut self.unjoined_hexahedra);
        [points, cells, pieces, evaluated, undefined_derivatives, left_handed, unjoined]
    }

    /// Numbers of [`Self::numbers`].
    pub(super) const NUMBERS: usize = 9;

    /// What the report of all ranks takes of this one.
    pub(super) fn numbers(&mut self) -> Vec<f64> {
        let exact = self.exact_cells.map_or(f64::NAN, |count| count as f64);
        let of_bezier = [exact, self.error_bound.unwrap_or(f64::NAN)];
        self.counts().map(|count| *count as f64).into_iter().chain(of_bezier).collect()
    }

    /// Adds the [`Self::numbers`] of another rank.
    pub(super) fn add(&mut self, numbers: &[f64]) {
        self.counts().into_iter().zip(numbers).for_each(|(sum, &count)| *sum += count as usize);
        if let &[.., exact, bound] = numbers
            && !exact.is_nan()
        {
            self.exact_cells = Some(self.exact_cells.unwrap_or(0) + exact as usize);
            self.error_bound = Some(self.error_bound.unwrap_or(0.0).max(bound));
        }
    }

    /// Says what was done since `start`, on a grid or a table. The `quality` is reported where it is
    /// asked for.
    pub(super) fn conclude(
        mut self,
        request: &EvaluateRequest,
        grid: Option<&SampleGrid>,
        quality: Quality,
        start: Instant,
        notes: &mut dyn Notes,
    ) -> Self {
        self.seconds = start.elapsed().as_secs_f64();
        let results = counted(self.evaluated, "point");
        notes.status("Evaluated", format!("{results} in {}", since(start)));
        if let (Some(bound), Some(exact)) = (self.error_bound, self.exact_cells) {
            notes.status("Fitted", exactness([exact, self.cells], "Bézier cell", bound));
        }
        if let Some(distance) = self.distance {
            let distance = significant(distance);
            let places = "sampled midway between nodes";
            notes.status("Compared", format!("cells with the limit: {distance} at most, {places}"));
        }
        if let Some(output) = &request.output {
            let mut counts = counted(self.points, "point");
            if grid.is_some_and(|grid| grid.format != Some(Format::Csv)) {
                counts += &format!(", {}", counted(self.cells, "cell"));
            }
            let name = output.display().to_string();
            let name = request.pieces.map_or(name, |part| part_of(output, part));
            notes.status("Wrote", written(name, counts, start));
        }
        if let Some(notice) = unjoined_notice(self.unjoined_hexahedra) {
            notes.warn(message!(notice, "; ", Command::RefineFirst, " joins them"));
        }
        self.warn_of_undefined(request, notes);
        self.quality = request.quality.then_some(quality);
        self
    }

    /// Says at how many points derivatives or gradients do not exist.
    fn warn_of_undefined(&self, request: &EvaluateRequest, notes: &mut dyn Notes) {
        if self.undefined_derivatives == 0 {
            return;
        }
        let points = counted(self.undefined_derivatives, "point");
        let (what, places) = if request.quantities.gradients {
            let places = "where det J is 0 or on extraordinary edges and vertices";
            ("gradients or derivatives", places)
        } else {
            ("derivatives", "on extraordinary edges and vertices")
        };
        let written = if request.output.is_some() { "; they are written as NaN" } else { "" };
        notes.warn(format!("{what} do not exist at {points}, {places}{written}").into());
    }
}

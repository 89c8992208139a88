//! A prepared plan on the device: control points in, results out, one graph a launch.

mod explain;
mod launches;
mod pieces;
mod quantities;

pub(super) use launches::MOST_POINTS;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::{CudaStream, DriverError};

use super::device::failed;
use super::functions::Functions;
use super::graph::Graph;
use super::grid::{Grid, Prepared};
use super::launch::Launch;
use super::memory::{Buffer, timed_event};
use super::points::{DeviceArray, DevicePoints};
use super::ring::Ring;
use super::scattered::Scattered;
use crate::backend::{Evaluator, Explained, Limit, check_controls};
use crate::error::{Error, Result};
use crate::mesh::Controls;
use crate::numbers::Real;
use crate::plan::{Plan, Samples, Strategy, Wanted, wanted_orders};
use cudarc::driver::DeviceRepr;

/// Streams on which the kernels of an evaluation run side by side.
const STREAMS: usize = 4;

/// A plan on the device.
pub(super) struct Resident<'p, T> {
    plan: &'p Plan<'p>,
    functions: Arc<Functions>,
    main: Arc<CudaStream>,
    sides: Vec<Arc<CudaStream>>,
    samples: OnDevice<T>,
    levels: Vec<Level>,
    /// Positions, then attributes.
    inputs: Vec<Input>,
    /// The last evaluation that stayed on the device.
    kept: Option<Program<T>>,
    /// The work of the ranges that the last evaluation for the host was cut into.
    pieces: HashMap<Range<usize>, Work>,
    ring: Option<Ring>,
}

/// The work of a range of elements on a grid of samples, brought to the device.
type Work = Option<Arc<Prepared>>;

enum OnDevice<T> {
    Grid(Box<Grid<T>>),
    Scattered(Box<Scattered<T>>),
}

/// Stencils of one level over the level before.
struct Level {
    starts: Buffer<u64>,
    columns: Buffer<u32>,
    weights: Buffer<f64>,
    rows: usize,
    coarse: usize,
    fine: usize,
}

/// Control points of all levels, `[point][width]`.
struct Input {
    width: usize,
    points: Buffer<f64>,
    /// What the points are relative to, if they are far from 0 and some are refined; see
    /// `Solid::local_points`.
    origin: Option<Origin>,
}

struct Origin {
    values: Vec<f64>,
    on_device: Buffer<f64>,
}

/// `values: [point][component]` less the origin.
fn relative<'v>(values: &'v [f64], origin: Option<&Origin>) -> Cow<'v, [f64]> {
    let Some(origin) = origin else { return Cow::Borrowed(values) };
    Cow::Owned(values.iter().zip(origin.values.iter().cycle()).map(|(x, o)| x - o).collect())
}

/// An evaluation of a range of elements: where its results lie, and what makes them.
struct Program<T> {
    range: Range<usize>,
    results: Buffer<T>,
    // first number of each input's outputs, and of each quantity
    starts: Vec<Vec<usize>>,
    derived: Vec<usize>,
    // what all other launches wait for
    first: Vec<Launch>,
    launches: Vec<Launch>,
    // what waits for all of them
    last: Vec<Launch>,
    graph: Option<Graph>,
    // the items that the launches refer to
    _work: Work,
}

impl<'p, T: Real + DeviceRepr> Resident<'p, T> {
    pub fn new(functions: Arc<Functions>, plan: &'p Plan<'p>, strategy: Strategy) -> Result<Self> {
        let context = &functions.device().context;
        let stream = || context.new_stream().map_err(failed("no stream"));
        let main = stream()?;
        let sides = (1..STREAMS).map(|_| stream()).collect::<Result<Vec<_>>>()?;
        let samples = match plan.samples() {
            Samples::Tensor(_) => {
                let grid = Grid::new(functions.clone(), plan, strategy, &main)?;
                OnDevice::Grid(Box::new(grid))
            }
            Samples::Points(_) => {
                let points = Scattered::new(functions.clone(), plan, &main)?;
                OnDevice::Scattered(Box::new(points))
            }
        };
        let solid = plan.solid();
        let starts = solid.level_starts();
        let level = |(level, stencils): (usize, &crate::scheme::Stencils)| {
            let (ends, columns, weights) = stencils.arrays();
            let begins: Vec<u64> =
                std::iter::once(0).chain(ends.iter().map(|&end| end as u64)).collect();
            Ok(Level {
                starts: Buffer::of(&main, &begins)?,
                columns: Buffer::of(&main, columns)?,
                weights: Buffer::of(&main, weights)?,
                rows: stencils.len(),
                coarse: starts[level],
                fine: starts[level + 1],
            })
        };
        let levels = solid.stencils().iter().enumerate().map(level).collect::<Result<_>>()?;
        main.synchronize().map_err(failed("a copy to the device failed"))?;
        let (inputs, kept, pieces, ring) = (Vec::new(), None, HashMap::new(), None);
        Ok(Self { plan, functions, main, sides, samples, levels, inputs, kept, pieces, ring })
    }

    /// Number of outputs of an input: value and derivatives.
    fn outputs(&self, input: usize) -> usize {
        wanted_orders(self.plan.want().of_input(input)).len()
    }

    /// Makes room for control points of these widths.
    fn shape_inputs(&mut self, widths: &[usize]) -> Result<()> {
        if self.inputs.iter().map(|input| input.width).eq(widths.iter().copied()) {
            return Ok(());
        }
        self.kept = None;
        self.inputs.clear();
        let points = self.plan.solid().point_count();
        for &width in widths {
            let points = Buffer::empty(&self.main, width * points)?;
            self.inputs.push(Input { width, points, origin: None });
        }
        Ok(())
    }

    fn upload(&mut self, controls: Controls<'_>) -> Result<()> {
        check_controls(self.plan.solid(), controls, T::PRECISION)?;
        let widths: Vec<usize> =
            std::iter::once(3).chain(controls.attributes.iter().map(|a| a.width)).collect();
        self.shape_inputs(&widths)?;
        let positions = controls.positions.as_flattened();
        let values = controls.attributes.iter().map(|a| &a.values[..]);
        let solid = self.plan.solid();
        for (input, values) in self.inputs.iter_mut().zip(std::iter::once(positions).chain(values))
        {
            let origin = solid.local_origin(values, input.width);
            let is_far = origin.iter().any(|&x| x != 0.0);
            if is_far || input.origin.is_some() {
                self.kept = None; // its launches are for the other origin
            }
            input.origin = None;
            if is_far {
                let on_device = Buffer::of(&self.main, &origin)?;
                input.origin = Some(Origin { values: origin, on_device });
            }
            input.points.fill(&self.main, &relative(values, input.origin.as_ref()))?;
        }
        Ok(())
    }

    /// The work of a range, brought to the device.
    fn work(&self, range: &Range<usize>) -> Result<Work> {
        match &self.samples {
            OnDevice::Grid(grid) => {
                Ok(Some(Arc::new(grid.prepare(self.plan, range.clone(), &self.main)?)))
            }
            OnDevice::Scattered(_) => Ok(None),
        }
    }

    /// What evaluates a range into `results`, which grows where it is too small.
    fn program(
        &self,
        range: Range<usize>,
        work: Work,
        results: Option<Buffer<T>>,
    ) -> Result<Program<T>> {
        self.plan.check_range(&range)?;
        let count = self.plan.result_count(&range);
        let mut starts = Vec::new();
        let mut length = 0;
        let mut place = |numbers: usize| {
            let start = length;
            // bulk copies want whole vectors
            length = (length + numbers).next_multiple_of(64);
            start
        };
        for (index, input) in self.inputs.iter().enumerate() {
            let start = |_| place(count * input.width);
            starts.push((0..self.outputs(index)).map(start).collect::<Vec<_>>());
        }
        let rows = |wanted: &Wanted| self.plan.row_count(wanted.quantity, &range) * wanted.width;
        let derived: Vec<usize> =
            self.wanted_quantities().iter().map(|wanted| place(rows(wanted))).collect();
        let results = match results {
            Some(results) if results.len() >= length => results,
            _ => Buffer::empty(&self.main, length)?,
        };
        let mut first = self.refine()?;
        let mut launches = Vec::new();
        let address = |index: usize, output: usize| results.address(starts[index][output]);
        for (_, pass, job) in self.passes(&range, address) {
            if let (OnDevice::Grid(grid), Some(work)) = (&self.samples, &work) {
                first.extend(grid.clearing(work, pass, job)?);
            }
            launches.extend(self.launches(work.as_deref(), pass, job)?);
        }
        let mut last = self.add_origins(count, |index| results.address(starts[index][0]))?;
        last.extend(self.quantities(&range, address, |index| results.address(derived[index]))?);
        let (graph, _work) = (None, work);
        Ok(Program { range, results, starts, derived, first, launches, last, graph, _work })
    }

    /// Puts a program on the streams: kernels of different families side by side.
    fn enqueue(&self, program: &Program<T>) -> Result<(), DriverError> {
        // SAFETY: a program holds everything its launches refer to, and buffers are
        // freed in the order of the main stream, which waits for all others.
        unsafe {
            for launch in &program.first {
                launch.enqueue(&self.main)?;
            }
            let used =
                program.launches.len().min(STREAMS) - usize::from(!program.launches.is_empty());
            let sides = &self.sides[..used];
            if used > 0 {
                let forked = self.main.record_event(None)?;
                sides.iter().try_for_each(|side| side.wait(&forked))?;
            }
            for (index, launch) in program.launches.iter().enumerate() {
                match index % (used + 1) {
                    0 => launch.enqueue(&self.main)?,
                    side => launch.enqueue(&sides[side - 1])?,
                }
            }
            sides.iter().try_for_each(|side| self.main.join(side))?;
            program.last.iter().try_for_each(|launch| launch.enqueue(&self.main))
        }
    }

    /// Evaluates a range and keeps the program, whose results stay on the device.
    fn launch(&mut self, range: &Range<usize>) -> Result<()> {
        let mut program = match self.kept.take() {
            Some(program) if program.range == *range => program,
            other => {
                let results = other.map(|program| program.results);
                self.program(range.clone(), self.work(range)?, results)?
            }
        };
        let broken = failed("the kernels cannot be launched");
        if let Some(graph) = &program.graph {
            graph.launch().map_err(broken)?;
        } else {
            self.enqueue(&program).map_err(&broken)?;
            let graph = Graph::capture(&self.main, || self.enqueue(&program));
            program.graph = graph.map_err(&broken)?;
        }
        self.kept = Some(program);
        Ok(())
    }
}

fn nothing_kept() -> Error {
    Error::request("CUDA: no evaluation is kept")
}

impl<T: Real + DeviceRepr> Evaluator for Resident<'_, T> {
    fn evaluate(
        &mut self,
        controls: Controls<'_>,
        elements: Range<usize>,
        limit: &mut Limit,
    ) -> Result<()> {
        self.plan.check_range(&elements)?;
        self.upload(controls)?;
        let widths: Vec<usize> = controls.attributes.iter().map(|a| a.width).collect();
        limit.begin(elements.clone(), self.plan.want(), &widths);
        let mut ring = match self.ring.take() {
            Some(ring) => ring,
            None => {
                let stream = self.functions.device().context.new_stream();
                Ring::new(stream.map_err(failed("no stream"))?)?
            }
        };
        let copied = self.evaluate_to_host(&elements, limit, &mut ring);
        self.ring = Some(ring);
        copied
    }

    fn time(&mut self, controls: &[Controls<'_>], repeats: usize) -> Result<Vec<f64>> {
        let all = 0..self.plan.solid().elements().len();
        let Some(&first) = controls.first() else { return Ok(Vec::new()) };
        self.upload(first)?;
        for _ in 0..3 {
            self.launch(&all)?;
        }
        let mut sets = Vec::new();
        for controls in controls {
            let positions = controls.positions.as_flattened();
            let positions = relative(positions, self.inputs[0].origin.as_ref());
            sets.push(Buffer::of(&self.main, &positions)?);
        }
        let failed = failed("the evaluation failed");
        let mut seconds = Vec::with_capacity(repeats);
        for repeat in 0..repeats {
            self.inputs[0].points.copy_from(&self.main, &sets[repeat % sets.len()])?;
            self.main.synchronize().map_err(&failed)?;
            let start = timed_event(&self.main)?;
            self.launch(&all)?;
            let end = timed_event(&self.main)?;
            let elapsed = start.elapsed_ms(&end).map_err(&failed)?;
            seconds.push(f64::from(elapsed) * 1e-3);
        }
        Ok(seconds)
    }

    fn explain(&mut self, attributes: &[usize], elements: Range<usize>) -> Result<Vec<Explained>> {
        Resident::explain(self, attributes, &elements)
    }
}

/// Evaluation whose results stay on the device.
pub trait DeviceEvaluator: Evaluator {
    /// Copies control points to the device.
    ///
    /// # Errors
    /// [`Error::Request`] if they do not fit the plan, or the device has no room.
    fn upload(&mut self, controls: Controls<'_>) -> Result<()>;

    /// Evaluates the elements in a range from the control points on the device. The
    /// launches are recorded as a graph that the next call with this range replays.
    ///
    /// # Errors
    /// [`Error::Request`] if there are no control points yet, the range does not fit the
    /// plan, or the device has no room for the results.
    fn launch(&mut self, elements: Range<usize>) -> Result<DevicePoints<'_>>;
}

impl<T: Real + DeviceRepr> DeviceEvaluator for Resident<'_, T> {
    fn upload(&mut self, controls: Controls<'_>) -> Result<()> {
        Resident::upload(self, controls)
    }

    fn launch(&mut self, elements: Range<usize>) -> Result<DevicePoints<'_>> {
        if self.inputs.is_empty() {
            return Err(Error::request("CUDA: no control points are on the device")
                .with_help("call upload first"));
        }
        Resident::launch(self, &elements)?;
        let program = self.kept.as_ref().ok_or_else(nothing_kept)?;
        let count = self.plan.result_count(&elements);
        let array = |start: usize, len: usize, width: usize| DeviceArray {
            address: program.results.address(start),
            len,
            width,
        };
        let inputs = self.inputs.iter().zip(&program.starts);
        let mut arrays: Vec<Vec<DeviceArray>> = inputs
            .map(|(input, starts)| starts.iter().map(|&s| array(s, count, input.width)).collect())
            .collect();
        let mut attribute_derivatives = arrays.split_off(1);
        let mut derivatives = arrays.remove(0);
        let rows = |wanted: &Wanted| self.plan.row_count(wanted.quantity, &elements);
        let derived = self.wanted_quantities().into_iter().zip(&program.derived);
        let quantities = derived
            .map(|(wanted, &start)| (wanted, array(start, rows(&wanted), wanted.width)))
            .collect();
        Ok(DevicePoints {
            stream: &self.main,
            precision: T::PRECISION,
            positions: derivatives.remove(0),
            attributes: attribute_derivatives.iter_mut().map(|all| all.remove(0)).collect(),
            derivatives,
            attribute_derivatives,
            quantities,
            elements,
        })
    }
}

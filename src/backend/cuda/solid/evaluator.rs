//! A prepared plan on the device: control points in, results out, one graph a launch.

mod explain;
mod launches;
mod pieces;
mod quantities;

pub(in crate::backend::cuda) use launches::MAX_POINT_COMPONENTS;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::{CudaStream, DriverError};

use super::adjoint::DeviceAdjoint;
use super::grid::{Grid, PreparedGrid};
use super::points::DevicePoints;
use super::scattered::ScatteredPoints;
use crate::backend::cuda::driver::buffer::{Buffer, timed_event};
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::device_arrays::{
    DeviceArray, DeviceMemory, ForeignArray, ResultMemory, wait,
};
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::graph::Graph;
use crate::backend::cuda::driver::launch::Launch;
use crate::backend::cuda::driver::transfer::Transfer;
use crate::backend::cuda::level_stencils::LevelStencils;
use crate::backend::{Evaluator, LaunchReport, Limit, check_controls};
use crate::error::{Error, Result};
use crate::mesh::Controls;
use crate::numbers::Real;
use crate::plan::{
    Adjoint, Plan, Samples, Strategy, WantedQuantity, evaluated_orders, wanted_orders,
};
use cudarc::driver::DeviceRepr;

/// Streams on which the kernels of an evaluation run side by side.
const STREAMS: usize = 4;

/// Evaluations that are kept to be launched again: while someone holds the results of one, the
/// next has others.
const KEPT_EVALUATIONS: usize = 2;

const NO_CONTEXT: &str = "the device cannot be used by this thread";

/// A plan on the device.
pub(in crate::backend::cuda) struct ResidentPlan<'p, T> {
    plan: &'p Plan<'p>,
    functions: Arc<Functions>,
    main: Arc<CudaStream>,
    sides: Vec<Arc<CudaStream>>,
    samples: ResidentSamples<T>,
    levels: Vec<LevelStencils>,
    /// Positions, then attributes.
    inputs: Vec<Input>,
    /// The last evaluations that stayed on the device, the last one last.
    kept: Vec<RangeProgram<T>>,
    /// The work of the ranges that the last evaluation for the host was cut into.
    pieces: HashMap<Range<usize>, SharedGrid>,
    transfer: Option<Transfer>,
}

/// The work of a range of elements on a grid of samples, brought to the device.
type SharedGrid = Option<Arc<PreparedGrid>>;

enum ResidentSamples<T> {
    Grid(Box<Grid<T>>),
    Scattered(Box<ScatteredPoints<T>>),
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
struct RangeProgram<T> {
    range: Range<usize>,
    results: Arc<ResultMemory>,
    // first number of each input's outputs, and of each quantity
    starts: Vec<Vec<usize>>,
    derived: Vec<usize>,
    // what all other launches wait for
    first: Vec<Launch>,
    launches: Vec<Launch>,
    // what waits for all of them
    last: Vec<Launch>,
    graph: Option<Graph>,
    // what the launches refer to
    work: SharedGrid,
    #[expect(dead_code, reason = "its memory is the launches'")]
    replaced: Option<ScatteredPoints<T>>,
}

impl<'p, T: Real + DeviceRepr> ResidentPlan<'p, T> {
    pub fn new(functions: Arc<Functions>, plan: &'p Plan<'p>, strategy: Strategy) -> Result<Self> {
        functions.device().context.bind_to_thread().map_err(failed(NO_CONTEXT))?;
        let main = functions.new_stream()?;
        let sides = (1..STREAMS).map(|_| functions.new_stream()).collect::<Result<Vec<_>>>()?;
        let samples = match plan.samples() {
            Samples::Tensor(_) => {
                let grid = Grid::new(functions.clone(), plan, strategy, &main)?;
                ResidentSamples::Grid(Box::new(grid))
            }
            Samples::Points(_) => {
                let orders = evaluated_orders(plan.want());
                let (functions, points) = (functions.clone(), plan.points());
                let points = ScatteredPoints::new(functions, plan, points, &orders, &main)?;
                ResidentSamples::Scattered(Box::new(points))
            }
        };
        let solid = plan.solid();
        let starts = solid.level_starts();
        let levels =
            solid.stencils().iter().zip(starts.windows(2)).map(|(stencils, starts)| {
                LevelStencils::new(&main, stencils, [starts[0], starts[1]])
            });
        let levels = levels.collect::<Result<_>>()?;
        main.synchronize().map_err(failed("a copy to the device failed"))?;
        let (inputs, kept, pieces, transfer) = (Vec::new(), Vec::new(), HashMap::new(), None);
        Ok(Self { plan, functions, main, sides, samples, levels, inputs, kept, pieces, transfer })
    }

    /// Makes the device current in this thread, which may have used another one before.
    fn bind(&self) -> Result<()> {
        self.functions.device().context.bind_to_thread().map_err(failed(NO_CONTEXT))
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
        self.kept.clear();
        self.inputs.clear();
        let points = self.plan.solid().point_count();
        for &width in widths {
            let points = Buffer::empty(&self.main, width * points)?;
            self.inputs.push(Input { width, points, origin: None });
        }
        Ok(())
    }

    fn upload(&mut self, controls: Controls<'_>) -> Result<()> {
        // SAFETY: nothing of others is read
        unsafe { self.upload_from(controls, None) }
    }

    /// Like `upload`, with positions on the device in place of those in `controls`, whose origin
    /// they have.
    ///
    /// # Safety
    /// Those are as they say until this returns.
    unsafe fn upload_from(
        &mut self,
        controls: Controls<'_>,
        foreign: Option<ForeignArray>,
    ) -> Result<()> {
        check_controls(self.plan.solid(), self.plan.want(), controls, T::PRECISION)?;
        self.bind()?;
        let widths: Vec<usize> =
            std::iter::once(3).chain(controls.attributes.iter().map(|a| a.width)).collect();
        self.shape_inputs(&widths)?;
        let positions = controls.positions.as_flattened();
        let values = controls.attributes.iter().map(|a| &a.values[..]);
        let solid = self.plan.solid();
        let mut foreign = foreign;
        let mut read = None;
        for (input, values) in self.inputs.iter_mut().zip(std::iter::once(positions).chain(values))
        {
            let origin = solid.local_origin(values, input.width);
            let is_far = origin.iter().any(|&x| x != 0.0);
            let same = match &input.origin {
                Some(own) => own.values == origin,
                None => !is_far,
            };
            if !same {
                self.kept.clear(); // their launches are for the other origin
                input.origin = None;
            }
            if is_far && !same {
                let on_device = Buffer::of(&self.main, &origin)?;
                input.origin = Some(Origin { values: origin, on_device });
            }
            // the positions are the first input
            if let Some(array) = foreign.take() {
                if array.len != values.len() {
                    let text = format!("{} numbers for {} positions", array.len, values.len() / 3);
                    return Err(Error::request(text)
                        .with_help("give three numbers for each control point of the mesh"));
                }
                let origin = input.origin.as_ref().map(|origin| &origin.on_device);
                let to = input.points.address(0);
                // SAFETY: by the caller; there is room for as many.
                read = Some(unsafe { array.take(&self.functions, &self.main, to, origin) }?);
            } else {
                input.points.fill(&self.main, &relative(values, input.origin.as_ref()))?;
            }
        }
        read.as_ref().map_or(Ok(()), wait)
    }

    /// The work of a range, brought to the device.
    fn work(&self, range: &Range<usize>) -> Result<SharedGrid> {
        match &self.samples {
            ResidentSamples::Grid(grid) => {
                Ok(Some(Arc::new(grid.prepare(self.plan, range.clone(), &self.main)?)))
            }
            ResidentSamples::Scattered(_) => Ok(None),
        }
    }

    /// The samples whose derivatives are evaluated once more, after the quantities.
    fn replaced(&self, range: &Range<usize>) -> Result<Option<ScatteredPoints<T>>> {
        let (plan, points) = (self.plan, self.plan.replaced(range));
        if points.is_empty() {
            return Ok(None);
        }
        let (functions, orders) = (self.functions.clone(), wanted_orders(plan.want()));
        ScatteredPoints::new(functions, plan, &points, &orders, &self.main).map(Some)
    }

    /// What evaluates a range into `results`, which grows where it is too small.
    fn program(
        &self,
        range: Range<usize>,
        work: SharedGrid,
        results: Option<Arc<ResultMemory>>,
    ) -> Result<RangeProgram<T>> {
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
        let rows =
            |wanted: &WantedQuantity| self.plan.row_count(wanted.quantity, &range) * wanted.width;
        let derived: Vec<usize> =
            self.wanted_quantities().iter().map(|wanted| place(rows(wanted))).collect();
        let results = match results {
            Some(results) if results.holds::<T>(length) => results,
            _ => Arc::new(ResultMemory::new::<T>(&self.main, length)?),
        };
        let mut first = self.refine()?;
        let mut launches = Vec::new();
        let address = |index: usize, output: usize| results.address::<T>(starts[index][output]);
        for (_, pass, job) in self.passes(&range, address) {
            if let (ResidentSamples::Grid(grid), Some(work)) = (&self.samples, &work) {
                first.extend(grid.clearing(work, pass, job)?);
            }
            let own = self.launches(work.as_deref(), pass, job)?;
            launches.extend(own.into_iter().map(|own| own.launch));
        }
        let mut last =
            self.quantities(&range, address, |index| results.address::<T>(derived[index]))?;
        let replaced = self.replaced(&range)?;
        if let Some(points) = &replaced {
            for (_, pass, job) in self.passes(&range, address) {
                last.extend(points.launches(pass, job)?.into_iter().map(|own| own.launch));
            }
        }
        last.extend(self.add_origins(count, |index| results.address::<T>(starts[index][0]))?);
        let graph = None;
        let program = RangeProgram {
            range,
            results,
            starts,
            derived,
            first,
            launches,
            last,
            graph,
            work,
            replaced,
        };
        Ok(program)
    }

    /// Puts a program on the streams: kernels of different families side by side.
    fn enqueue(&self, program: &RangeProgram<T>) -> Result<(), DriverError> {
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

    /// A program of a range whose results no one else holds: a kept one, else a new one.
    fn free_program(&mut self, range: &Range<usize>) -> Result<RangeProgram<T>> {
        let free = |program: &mut RangeProgram<T>| Arc::get_mut(&mut program.results).is_some();
        if let Some(at) = self.kept.iter_mut().position(|p| p.range == *range && free(p)) {
            let program = self.kept.remove(at);
            program.results.settle()?;
            return Ok(program);
        }
        let work = match self.kept.iter().find(|p| p.range == *range) {
            Some(program) => program.work.clone(),
            None => self.work(range)?,
        };
        let mut results = None;
        if let Some(at) = self.kept.iter_mut().position(free) {
            let unused = self.kept.remove(at).results;
            unused.settle()?;
            results = Some(unused);
        }
        if self.kept.len() >= KEPT_EVALUATIONS {
            self.kept.remove(0);
        }
        self.program(range.clone(), work, results)
    }

    /// Evaluates a range and keeps the program, whose results stay on the device.
    fn launch(&mut self, range: &Range<usize>) -> Result<()> {
        self.bind()?;
        let mut program = self.free_program(range)?;
        let broken = failed("the kernels cannot be launched");
        if let Some(graph) = &program.graph {
            graph.launch().map_err(broken)?;
        } else {
            self.enqueue(&program).map_err(&broken)?;
            let graph = Graph::capture(&self.main, || self.enqueue(&program));
            program.graph = graph.map_err(&broken)?;
        }
        self.kept.push(program);
        Ok(())
    }
}

fn nothing_kept() -> Error {
    Error::request("CUDA: no evaluation is kept").with_help("evaluate first")
}

fn nothing_uploaded() -> Error {
    Error::request("CUDA: no control points are on the device").with_help("call upload first")
}

// SAFETY: nothing of a limit is kept after the call that fills it.
unsafe impl<T: Real + DeviceRepr> Evaluator for ResidentPlan<'_, T> {
    fn evaluate(
        &mut self,
        controls: Controls<'_>,
        elements: Range<usize>,
        limit: &mut Limit,
    ) -> Result<()> {
        self.plan.check_range(&elements)?;
        self.upload(controls)?;
        self.fetch(elements, limit)
    }

    fn on_device(&mut self) -> Option<&mut (dyn DeviceEvaluator + '_)> {
        Some(self)
    }

    fn time(
        &mut self,
        controls: &[Controls<'_>],
        elements: Range<usize>,
        repeats: usize,
    ) -> Result<Vec<f64>> {
        self.plan.check_range(&elements)?;
        let Some(&first) = controls.first() else { return Ok(Vec::new()) };
        self.upload(first)?;
        for _ in 0..3 {
            self.launch(&elements)?;
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
            self.launch(&elements)?;
            let end = timed_event(&self.main)?;
            let elapsed = start.elapsed_ms(&end).map_err(&failed)?;
            seconds.push(f64::from(elapsed) * 1e-3);
        }
        Ok(seconds)
    }

    fn explain(
        &mut self,
        attributes: &[usize],
        elements: Range<usize>,
    ) -> Result<Vec<LaunchReport>> {
        self.bind()?;
        ResidentPlan::explain(self, attributes, &elements)
    }
}

/// Evaluation whose results stay on the device.
pub trait DeviceEvaluator: Evaluator {
    /// Copies control points to the device.
    ///
    /// # Errors
    /// [`Error::Request`] if they do not fit the plan, or the device has no room.
    fn upload(&mut self, controls: Controls<'_>) -> Result<()>;

    /// Copies control points to the device, with positions that are there already, `[vertex][3]`.
    /// They are not checked: NaN makes results that are NaN. They have been read
    /// when this returns. `controls` has the attributes, and positions that are about where the
    /// others are, whose distance from 0 decides what the evaluation is relative to.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of positions, or an address of another device.
    ///
    /// # Safety
    /// The array is as it says until this returns, and its stream one of the device's.
    unsafe fn upload_positions(
        &mut self,
        positions: ForeignArray,
        controls: Controls<'_>,
    ) -> Result<()>;

    /// Evaluates the elements in a range from the control points on the device. The
    /// launches are recorded as a graph that a later call with this range replays.
    ///
    /// # Errors
    /// [`Error::Request`] if there are no control points yet, the range does not fit the
    /// plan, or the device has no room for the results.
    fn launch(&mut self, elements: Range<usize>) -> Result<DevicePoints>;

    /// Like [`Self::launch`], with the results copied to the host.
    ///
    /// # Errors
    /// As [`Self::launch`].
    fn fetch(&mut self, elements: Range<usize>, limit: &mut Limit) -> Result<()>;

    /// The stream of uploads and launches, as the driver's handle.
    fn stream(&self) -> *mut c_void;

    /// Number of the device.
    fn ordinal(&self) -> usize;

    /// Brings the transpose of a plan to the device.
    ///
    /// # Errors
    /// [`Error::Request`] if the device has no room for it.
    fn adjoint(&self, adjoint: &Adjoint) -> Result<DeviceAdjoint>;
}

impl<T: Real + DeviceRepr> DeviceEvaluator for ResidentPlan<'_, T> {
    fn upload(&mut self, controls: Controls<'_>) -> Result<()> {
        ResidentPlan::upload(self, controls)
    }

    unsafe fn upload_positions(
        &mut self,
        positions: ForeignArray,
        controls: Controls<'_>,
    ) -> Result<()> {
        // SAFETY: by the caller.
        let uploaded = unsafe { self.upload_from(controls, Some(positions)) };
        if uploaded.is_err() {
            // the positions may be read yet
            let _ = self.main.synchronize();
        }
        uploaded
    }

    fn launch(&mut self, elements: Range<usize>) -> Result<DevicePoints> {
        if self.inputs.is_empty() {
            return Err(nothing_uploaded());
        }
        ResidentPlan::launch(self, &elements)?;
        let program = self.kept.last().ok_or_else(nothing_kept)?;
        let count = self.plan.result_count(&elements);
        let array = |start: usize, len: usize, width: usize| {
            DeviceArray::of::<T>(&program.results, start, [len, width])
        };
        let inputs = self.inputs.iter().zip(&program.starts);
        let mut arrays: Vec<Vec<DeviceArray>> = inputs
            .map(|(input, starts)| starts.iter().map(|&s| array(s, count, input.width)).collect())
            .collect();
        let mut attribute_derivatives = arrays.split_off(1);
        let mut derivatives = arrays.remove(0);
        let rows = |wanted: &WantedQuantity| self.plan.row_count(wanted.quantity, &elements);
        let derived = self.wanted_quantities().into_iter().zip(&program.derived);
        let quantities = derived
            .map(|(wanted, &start)| (wanted, array(start, rows(&wanted), wanted.width)))
            .collect();
        Ok(DevicePoints {
            memory: DeviceMemory::of(&program.results, &self.main)?,
            positions: derivatives.remove(0),
            attributes: attribute_derivatives.iter_mut().map(|all| all.remove(0)).collect(),
            derivatives,
            attribute_derivatives,
            quantities,
            elements,
        })
    }

    fn fetch(&mut self, elements: Range<usize>, limit: &mut Limit) -> Result<()> {
        self.plan.check_range(&elements)?;
        if self.inputs.is_empty() {
            return Err(nothing_uploaded());
        }
        self.bind()?;
        let widths: Vec<usize> = self.inputs.iter().skip(1).map(|input| input.width).collect();
        limit.begin(elements.clone(), self.plan.want(), &widths);
        let mut transfer = match self.transfer.take() {
            Some(transfer) => transfer,
            None => Transfer::new(self.functions.new_stream()?)?,
        };
        let copied = self.evaluate_to_host(&elements, limit, &mut transfer);
        self.transfer = Some(transfer);
        copied
    }

    fn stream(&self) -> *mut c_void {
        self.main.cu_stream().cast()
    }

    fn ordinal(&self) -> usize {
        self.main.context().ordinal()
    }

    fn adjoint(&self, adjoint: &Adjoint) -> Result<DeviceAdjoint> {
        DeviceAdjoint::new(self.functions.clone(), adjoint)
    }
}

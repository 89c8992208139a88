//! The CPU kernels beside a memset of the bytes they write, on one thread.
//!
//! `cargo bench --bench kernels` prints bytes/s for the grids (24 bytes per point: x, y, z in
//! `f64`) and points/s for the scattered points. `SUBSOLID_SIMD` picks the level.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use subsolid::basis::{MissingLayers, bspline::Order};
use subsolid::simd::{
    AxisWeights, LayerAxis, LayeredGrid, LayeredOutput, Nets, PointKernel, Scratch, Simd, Stores,
    TableKernel, TableOutput, Tensor, TensorOutput,
};

/// Vertices on an axis of the control grid.
const GRID: usize = 50;
/// Samples on an axis.
const N: usize = 8;
/// Numbers of one cell's output.
const CELL: usize = N * N * N * 3;
/// Cells of one call, as a thread would take them.
const BATCH: usize = 512;

/// Control points of a bent grid: `[vertex][3]`.
fn controls() -> Vec<f64> {
    let bend = |x: usize, y: usize| x as f64 + 0.3 * (y as f64 * 0.7).sin();
    (0..GRID.pow(3))
        .map(|v| [v % GRID, v / GRID % GRID, v / GRID / GRID])
        .flat_map(|[x, y, z]| [bend(x, y), bend(y, z), bend(z, x)])
        .collect()
}

/// Nets of all cells inside the grid.
fn nets() -> Vec<[u32; 64]> {
    let inner = GRID - 3;
    (0..inner.pow(3))
        .map(|cell| {
            let low = [cell % inner, cell / inner % inner, cell / inner / inner];
            std::array::from_fn(|i| {
                let [x, y, z] = [low[0] + i % 4, low[1] + i / 4 % 4, low[2] + i / 16];
                ((z * GRID + y) * GRID + x) as u32
            })
        })
        .collect()
}

/// Weights that sum to one for each sample: `[control][sample]`.
fn table(controls: usize, samples: usize) -> Vec<f64> {
    (0..controls * samples).map(|i| (1.0 + (i as f64).sin() * 0.5) / controls as f64).collect()
}

fn group<'a>(c: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(name);
    group.sample_size(10);
    group
}

/// Room for the output of so many cells, and where cache lines begin in it.
fn output(cells: usize) -> (Vec<f64>, usize) {
    let out = vec![1.0_f64; cells * CELL + 8];
    let aligned = out.as_ptr().align_offset(64);
    (out, aligned)
}

fn bytes(cells: usize) -> Throughput {
    Throughput::Bytes((cells * CELL * 8) as u64)
}

/// Samples from end to end of an axis.
fn axis() -> AxisWeights {
    let parameters: Vec<f64> = (0..N).map(|i| i as f64 / (N - 1) as f64).collect();
    AxisWeights::new(&parameters).unwrap()
}

fn memset(c: &mut Criterion) {
    let cells = nets().len();
    let (mut out, _) = output(cells);
    let mut group = group(c, "memset");
    group.throughput(bytes(cells));
    // Some machines store zeros faster than data: data is bounded by the other one.
    for (name, value) in [("zeros", 0x00), ("data", 0x5a)] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let out = black_box(&mut out[..cells * CELL]);
                // SAFETY: any bytes are `f64`s.
                unsafe { out.as_mut_ptr().write_bytes(value, out.len()) };
            });
        });
    }
    group.finish();
}

fn regular(c: &mut Criterion) {
    let (simd, controls, nets) = (Simd::detect(), controls(), nets());
    let cells = nets.len();
    let (mut out, aligned) = output(cells);
    let ends = vec![MissingLayers::NONE; cells];
    let tensor = Tensor::<f64>::new([&axis(); 3], 3);
    let orders = [Order::Value; 3];
    let mut group = group(c, "regular");
    group.throughput(bytes(cells));
    for (name, stores, skip) in [
        ("cached", Stores::Cached, aligned),
        ("streamed", Stores::Streamed, aligned),
        ("streamed, not aligned", Stores::Streamed, aligned + 2),
    ] {
        let mut places: Vec<_> = out[skip..].chunks_exact_mut(CELL).take(cells).collect();
        let mut scratch = Scratch::new(stores);
        group.bench_function(name, |b| {
            b.iter(|| {
                let nets = nets.chunks(BATCH).zip(ends.chunks(BATCH));
                for ((ids, ends), cells) in nets.zip(places.chunks_mut(BATCH)) {
                    let cells_in = Nets { ids, ends };
                    let mut output = [TensorOutput { orders, cells }];
                    tensor.evaluate(simd, &mut scratch, &controls, cells_in, &mut output);
                }
            });
        });
    }
    group.finish();
}

fn layered(c: &mut Criterion) {
    let (simd, controls, nets) = (Simd::detect(), controls(), nets());
    let cells = nets.len();
    let (mut out, aligned) = output(cells);
    let (ends, axis) = (vec![MissingLayers::NONE; cells], axis());
    let mut group = group(c, "layered");
    group.throughput(bytes(cells));
    for (m, stores, across) in [14, 16, 18, 24]
        .into_iter()
        .flat_map(|m| [2, 1, 0].map(|across| (m, Stores::Streamed, across)))
        .chain([(24, Stores::Cached, 2)])
    {
        // Four layers out of a net and its neighbor.
        let layered_nets: Vec<u32> = nets
            .iter()
            .flat_map(|net| (0..4 * m).map(|i| net[i / m * 16 + i % m % 16] + (i % m / 16) as u32))
            .collect();
        let lie = LayerAxis { axis: across, low: N };
        let layered = LayeredGrid::<f64>::new(&[&table(m, N * N)], m, &axis, 3, lie).unwrap();
        let mut places: Vec<_> = out[aligned..].chunks_exact_mut(CELL).take(cells).collect();
        let mut scratch = Scratch::new(stores);
        let along = ["u", "v", "w"][across];
        let name = format!("{m} controls, layers along {along}, {stores:?}");
        group.bench_function(name, |b| {
            b.iter(|| {
                let nets = layered_nets.chunks(BATCH * 4 * m).zip(ends.chunks(BATCH));
                for ((ids, ends), cells) in nets.zip(places.chunks_mut(BATCH)) {
                    let cells_in = Nets { ids, ends };
                    let order_c = Order::Value;
                    let mut output = [LayeredOutput { plane: 0, order_c, cells, negate: false }];
                    layered.evaluate(simd, &mut scratch, &controls, cells_in, &mut output);
                }
            });
        });
    }
    group.finish();
}

fn irregular(c: &mut Criterion) {
    let (simd, controls, nets) = (Simd::detect(), controls(), nets());
    let cells = nets.len();
    let (mut out, aligned) = output(cells);
    let m = 52;
    let nets: Vec<u32> = nets.iter().flat_map(|net| &net[..m]).copied().collect();
    let weights = TableKernel::<f64>::new(&table(m, N.pow(3)), m, true).unwrap();
    // The same samples, turned about the cell's diagonal.
    let turned: Vec<u32> = (0..N.pow(3)).map(|i| (i / N + i % N * N * N) as u32).collect();
    let mut group = group(c, "irregular");
    group.throughput(bytes(cells));
    for (name, stores, order) in [
        ("streamed", Stores::Streamed, None),
        ("cached", Stores::Cached, None),
        ("turned", Stores::Streamed, Some(&turned[..])),
    ] {
        let mut places: Vec<_> = out[aligned..].chunks_exact_mut(CELL).take(cells).collect();
        let mut scratch = Scratch::new(stores);
        group.bench_function(name, |b| {
            b.iter(|| {
                for (nets, cells) in nets.chunks(BATCH * m).zip(places.chunks_mut(BATCH)) {
                    let output = TableOutput { cells, order, negate: false };
                    weights.evaluate(simd, &mut scratch, &controls, 3, nets, output);
                }
            });
        });
    }
    group.finish();
}

fn points(c: &mut Criterion) {
    let (simd, controls, nets) = (Simd::detect(), controls(), nets());
    let mut group = group(c, "points");
    for (a_cell, derivatives) in [(1, 0), (2, 0), (4, 0), (8, 0), (64, 0), (64, 1), (64, 2)] {
        let total = 1 << 20;
        let parameters: Vec<[f64; 3]> = (0..total)
            .map(|i| [0.618, 0.755, 0.569].map(|step: f64| (f64::from(i) * step).fract()))
            .collect();
        let points = PointKernel { m: 3, derivatives };
        let quantities = points.quantities() * 3;
        let mut out = vec![0.0_f64; parameters.len() * quantities];
        let mut scratch = Scratch::new(Stores::Cached);
        group.throughput(Throughput::Elements(parameters.len() as u64));
        group.bench_function(format!("{a_cell} a cell, derivatives {derivatives}"), |b| {
            b.iter(|| {
                let places = out.chunks_mut(a_cell * quantities);
                let work = parameters.chunks(a_cell).zip(places).zip(nets.iter().cycle());
                for ((parameters, out), net) in work {
                    points.evaluate(
                        simd,
                        &mut scratch,
                        &controls,
                        net,
                        MissingLayers::NONE,
                        parameters,
                        out,
                    );
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, memset, regular, layered, irregular, points);
criterion_main!(benches);

//! Whole models through the library: setup, evaluation, refinement, scaling.
//!
//! `cargo bench --bench pipeline`; the model is the connecting rod of `models/`,
//! refined once or twice. Evaluations stand beside a memset of the bytes that they
//! write, in the same run. `threads/1` and `threads/2` are the same work.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use subsolid::backend::{Backend, Cpu, Limit, Precision, Values};
use subsolid::limit::{Class, Solid};
use subsolid::mesh::SolidMesh;
use subsolid::plan::{Location, Samples, Want};
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;

/// Samples along each axis of a cell.
const SAMPLES: usize = 8;

fn rod(levels: usize) -> SolidMesh {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/models/solids/rod_hex.vtk");
    let mesh = subsolid::io::read(path).expect("the model is in the repository");
    refine_mesh(&mesh, levels, VertexRule::default()).expect("the model is valid")
}

fn pool(threads: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started")
}

/// Setup (topology, classes, structures, plan) by number of cells.
fn set_up(c: &mut Criterion) {
    let mut group = c.benchmark_group("setup");
    group.sample_size(10);
    for levels in 0..3 {
        let mesh = rod(levels);
        group.throughput(Throughput::Elements(mesh.cells.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(mesh.cells.len()), |b| {
            b.iter(|| {
                let solid = Solid::new(&mesh).expect("valid");
                let plan = solid.plan(&Samples::grid(SAMPLES), Want::POSITION);
                black_box(plan.expect("valid").batches().len())
            });
        });
    }
}

/// 8³ samples of every cell, beside a memset of the same bytes.
fn evaluate(c: &mut Criterion) {
    let mesh = rod(2);
    let solid = Solid::new(&mesh).expect("valid");
    let all = 0..solid.elements().len();
    let points = all.len() * SAMPLES.pow(3);
    let mut group = c.benchmark_group("evaluate");
    group.sample_size(10);
    for threads in [1, 2] {
        for (name, precision, size, want) in [
            ("f64", Precision::F64, 24, Want::POSITION),
            ("f32", Precision::F32, 12, Want::POSITION),
            ("f64 with first derivatives", Precision::F64, 96, Want::FIRST),
        ] {
            let plan = solid.plan(&Samples::grid(SAMPLES), want).expect("valid");
            let cells = if want == Want::FIRST { 0..all.len() / 4 } else { all.clone() };
            let bytes = (cells.len() * SAMPLES.pow(3) * size) as u64;
            group.throughput(Throughput::Bytes(bytes));
            let pool = pool(threads);
            let mut evaluator = Cpu::new(precision).prepare(&plan).expect("valid");
            let mut limit = Limit::default();
            group.bench_function(format!("{name}, {threads} threads"), |b| {
                b.iter(|| {
                    let run = || evaluator.evaluate(mesh.controls(), cells.clone(), &mut limit);
                    pool.install(run).expect("valid");
                    black_box(limit.len());
                });
            });
        }
    }
    // the memory that results have
    let plan = solid.plan(&Samples::grid(SAMPLES), Want::POSITION).expect("valid");
    let mut limit = Limit::default();
    let mut evaluator = Cpu::default().prepare(&plan).expect("valid");
    evaluator.evaluate(mesh.controls(), all.clone(), &mut limit).expect("valid");
    let Values::F64(values) = &mut limit.positions else { return };
    group.throughput(Throughput::Bytes(size_of_val(&values[..]) as u64));
    for threads in [1, 2] {
        let pool = pool(threads);
        let part = values.len() / threads;
        group.bench_function(format!("memset, {threads} threads"), |b| {
            let mut byte = 1;
            b.iter(|| {
                byte = byte % 200 + 1;
                pool.scope(|scope| {
                    for chunk in values.chunks_mut(part) {
                        // SAFETY: any bytes are `f64`s.
                        scope.spawn(move |_| unsafe {
                            chunk.as_mut_ptr().write_bytes(black_box(byte), chunk.len());
                        });
                    }
                });
                black_box(values[points]);
            });
        });
    }
    group.finish();
}

/// Scattered (cell, u, v, w), 64 per cell in no order, positions in double precision.
fn scattered(c: &mut Criterion) {
    let mesh = rod(1);
    let solid = Solid::new(&mesh).expect("valid");
    let cells = |wanted: fn(&Class) -> bool| -> Vec<u32> {
        let classes = solid.classes();
        (0..classes.len() as u32).filter(|&cell| wanted(&classes[cell as usize])).collect()
    };
    let noise = |i: usize| (i as f64 * 0.618_033_988_749_895).fract();
    let mut group = c.benchmark_group("scattered");
    group.sample_size(10);
    for (name, cells) in [
        ("regular", cells(|class| matches!(class, Class::Regular))),
        ("layered", cells(|class| matches!(class, Class::Layered(_)))),
        ("irregular", cells(|class| matches!(class, Class::Irregular(_)))),
    ] {
        let locations: Vec<Location> = (0..64 * cells.len())
            .map(|i| Location {
                element: cells[i * 7919 % cells.len()],
                parameters: [1, 3, 7].map(|k| noise(k * i)),
            })
            .collect();
        group.throughput(Throughput::Elements(locations.len() as u64));
        let plan = solid.plan(&Samples::Points(locations), Want::POSITION).expect("valid");
        let pool = pool(1);
        let mut evaluator = Cpu::default().prepare(&plan).expect("valid");
        let mut limit = Limit::default();
        let all = 0..solid.elements().len();
        group.bench_function(format!("{name}, f64, 1 thread"), |b| {
            b.iter(|| {
                let run = || evaluator.evaluate(mesh.controls(), all.clone(), &mut limit);
                pool.install(run).expect("valid");
                black_box(limit.len());
            });
        });
    }
    group.finish();
}

/// One refinement step of a whole mesh, stencils and positions.
fn refine(c: &mut Criterion) {
    let mesh = rod(1);
    let mut group = c.benchmark_group("refine");
    group.sample_size(10).throughput(Throughput::Elements(8 * mesh.cells.len() as u64));
    for threads in [1, 2] {
        let pool = pool(threads);
        group.bench_function(format!("{threads} threads"), |b| {
            let run = || refine_mesh(&mesh, 1, VertexRule::default());
            b.iter(|| black_box(pool.install(run).expect("valid")));
        });
    }
    group.finish();
}

criterion_group!(benches, set_up, evaluate, scattered, refine);
criterion_main!(benches);

//! How grids in f64 scale from one thread to two, beside bare streamed stores, by where
//! the two cores are.
//!
//! `cargo bench --bench scaling -- [FILE…] [--levels L] [--seconds S]`: 8³ samples (positions)
//! of each model (the connecting rod of `models/`, refined L = 2 times, without any), for S
//! seconds (20). Every round times evaluations and stores by one thread, then by two, and
//! before and after these the hand-over of a cache line between two threads. A system may move
//! threads between cores that share a last-level cache and cores that do not, whose stores
//! leave by ways of their own; a hand-over takes 20 to 60 ns on the former and 100 to 250 ns on
//! the latter. Times of two threads are told apart by that; those during which it changed (or
//! which other programs disturbed) are left out. Medians.

#[path = "support/arguments.rs"]
mod arguments;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use subsolid::backend::{Backend, Cpu, Limit, Values};
use subsolid::limit::Solid;
use subsolid::numbers::median;
use subsolid::plan::{Samples, Want};
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;

const SAMPLES: usize = 8;

/// Nanoseconds of a hand-over between cores of one cache at most.
const NEAR: f64 = 80.0;

/// Milliseconds by one thread, and by two on cores of one cache and of two.
#[derive(Default)]
struct Times {
    alone: Vec<f64>,
    together: [Vec<f64>; 2],
}

impl Times {
    fn measure(&mut self, mut run: impl FnMut(usize)) {
        self.alone.push(milliseconds(|| run(1)));
        let before = hand_over();
        let time = milliseconds(|| run(2));
        let after = hand_over();
        if (before < NEAR) == (after < NEAR) {
            self.together[usize::from(before >= NEAR)].push(time);
        }
    }
}

fn main() {
    let (mut levels, mut seconds) = (2, 20);
    let mut files = arguments::read(&mut [("levels", &mut levels), ("seconds", &mut seconds)]);
    if files.is_empty() {
        files.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("models/solids/rod_hex.vtk"));
    }
    println!(
        "| model | cores | rounds | evaluation, 1 thread (ms) | 2 threads | ratio | \
         GiB/s of 2 | stores, 1 thread (GiB/s) | 2 threads | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for file in files {
        model(&file, levels, Duration::from_secs(seconds as u64));
    }
}

fn model(file: &Path, levels: usize, time: Duration) {
    let mesh = subsolid::io::read(file).expect("a model");
    let mesh = refine_mesh(&mesh, levels, VertexRule::default()).expect("a valid model");
    let solid = Solid::new(&mesh).expect("a valid model");
    let plan = solid.plan(&Samples::grid(SAMPLES), Want::POSITION).expect("a valid model");
    let mut evaluator = Cpu::default().prepare(&plan).expect("room for results");
    let mut limit = Limit::default();
    let all = 0..solid.elements().len();
    let bytes = 24 * all.len() * SAMPLES.pow(3);
    let mut store = Limit::default();
    evaluator.evaluate(mesh.controls(), all.clone(), &mut store).expect("room for results");
    let pools = [1, 2].map(|threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start")
    });

    let (start, mut evaluation, mut stores) = (Instant::now(), Times::default(), Times::default());
    while start.elapsed() < time {
        evaluation.measure(|threads| {
            let run = || evaluator.evaluate(mesh.controls(), all.clone(), &mut limit);
            pools[threads - 1].install(run).expect("room for results");
        });
        let Values::F64(memory) = &mut store.positions else { unreachable!("f64 was asked for") };
        stores.measure(|threads| stream(memory, threads));
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let rate = |ms: f64| bytes as f64 / (ms * 1e-3) / f64::from(1 << 30);
    let (one, single) = (median(evaluation.alone), median(stores.alone));
    for (place, cores) in ["of one cache", "of two"].into_iter().enumerate() {
        let (own, stored) = (&evaluation.together[place], &stores.together[place]);
        if own.is_empty() || stored.is_empty() {
            continue;
        }
        let (rounds, two, double) = (own.len(), median(own.clone()), median(stored.clone()));
        println!(
            "| {name} | {cores} | {rounds} | {one:.1} | {two:.1} | {:.2} | {:.1} | {:.1} | {:.1} | \
             {:.2} |",
            one / two,
            rate(two),
            rate(single),
            rate(double),
            single / double,
        );
    }
}

fn milliseconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e3
}

/// Nanoseconds in which a cache line goes from one thread to another, once both are awake.
fn hand_over() -> f64 {
    const TURNS: u64 = 40_000;
    #[repr(align(128))]
    struct Line(AtomicU64);
    let line = Line(AtomicU64::new(0));
    let play = |turns: std::ops::Range<u64>| {
        for turn in turns.step_by(2) {
            while line.0.load(Ordering::Acquire) != turn {
                std::hint::spin_loop();
            }
            line.0.store(turn + 1, Ordering::Release);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| play(0..2 * TURNS));
        play(1..TURNS);
        let start = Instant::now();
        play(TURNS + 1..2 * TURNS);
        start.elapsed().as_secs_f64() * 1e9 / TURNS as f64
    })
}

/// Writes all of the memory past the caches, by so many threads.
fn stream(memory: &mut [f64], threads: usize) {
    let value = memory.len() as f64; // not zeros, which some hosts write faster
    std::thread::scope(|scope| {
        for part in memory.chunks_mut(memory.len().div_ceil(threads)) {
            scope.spawn(move || fill(part, value));
        }
    });
}

#[cfg(target_arch = "x86_64")]
fn fill(memory: &mut [f64], value: f64) {
    use std::arch::x86_64::{_mm_set1_pd, _mm_sfence, _mm_stream_pd};
    let (head, pairs, tail) = bytemuck::pod_align_to_mut::<f64, [[f64; 2]; 4]>(memory);
    head.fill(value);
    tail.fill(value);
    // SAFETY: SSE2 is part of x86-64; every store stays within a mutable reference, and is
    // complete before others read it.
    unsafe {
        let value = _mm_set1_pd(value);
        for pair in pairs.as_flattened_mut() {
            _mm_stream_pd(pair.as_mut_ptr(), value);
        }
        _mm_sfence();
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn fill(memory: &mut [f64], value: f64) {
    memory.fill(value);
}

//! Parts of 100,000 cells of ever larger meshes, one after another: `cargo bench --bench parts`.
//! Setup and evaluation of a part should take the same however many parts there are. Then threads
//! against two parts at once, a thread each.

use std::time::Instant;

use subsolid::backend::{Backend, Cpu, Limit};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::parts::{Cut, Cutter, Part};
use subsolid::plan::{Samples, Want};

/// Parts that are measured of those of a mesh.
const MEASURED: usize = 8;
/// Cells of each part.
const CELLS: usize = 100_000;

/// Seconds of setup with plan, and of the second evaluation.
fn measure(part: &Part) -> subsolid::Result<[f64; 2]> {
    let start = Instant::now();
    let solid = part.solid()?;
    let plan = solid.plan(&Samples::grid(4), Want::POSITION)?;
    let mut evaluator = Cpu::default().prepare(&plan)?;
    let setup = start.elapsed().as_secs_f64();
    let (mut limit, mut evaluation) = (Limit::default(), 0.0);
    for _ in 0..2 {
        let start = Instant::now();
        evaluator.evaluate(part.mesh.controls(), 0..solid.elements().len(), &mut limit)?;
        evaluation = start.elapsed().as_secs_f64();
    }
    Ok([setup, evaluation])
}

/// Bytes of memory in use, and the most so far.
fn memory() -> [f64; 2] {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ["VmRSS:", "VmHWM:"].map(|name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        number.unwrap_or_default() * 1024.0
    })
}

fn main() -> subsolid::Result<()> {
    println!("{} threads", rayon::current_num_threads());
    println!("parts owned ghosts share exchange_MB cut_ms part_ms setup_ms evaluation_ms");
    for (count, size) in [(1, [50, 50, 40]), (8, [100, 100, 80]), (64, [200, 200, 160])] {
        measure_parts(count, size)?;
    }
    let mesh = Shape::Box { cells: [100, 100, 80] }.build()?;
    measure_memory(&mesh)?;
    compare_threads(&mesh)
}

/// Parts of a box of so many cells along its axes.
fn measure_parts(count: usize, size: [usize; 3]) -> subsolid::Result<()> {
    let mesh = Shape::Box { cells: size }.build()?;
    assert_eq!(mesh.cells.len(), count * CELLS);
    let start = Instant::now();
    let cut = Cut::along_curve(&mesh, &vec![1.0; mesh.cells.len()], count)?;
    let cutter = Cutter::new(&mesh, &cut)?;
    let cut = start.elapsed().as_secs_f64();
    let mut rows = Vec::new();
    for index in (0..count).step_by(count.div_ceil(MEASURED)) {
        let start = Instant::now();
        let part = cutter.part(index);
        let made = start.elapsed().as_secs_f64();
        measure(&part)?; // warms up
        let [setup, evaluation] = measure(&part)?;
        let vertices = part.vertices.len() as f64;
        let owned = mesh.points.len() as f64 / count as f64;
        let exchange = 24e-6 * (vertices - owned).max(0.0);
        let ghosts = part.ghost_count() as f64;
        rows.push([part.owned.len() as f64, ghosts, exchange, made, setup, evaluation]);
    }
    let median = |column: usize| {
        let mut all: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    println!(
        "{count:5} {:.0} {:.0} {:.1} % {:.2} {:.0} {:.1} {:.1} {:.1}",
        median(0),
        median(1),
        100.0 * median(1) / median(0),
        median(2),
        1e3 * cut,
        1e3 * median(3),
        1e3 * median(4),
        1e3 * median(5)
    );
    Ok(())
}

/// The memory of a whole solid.
fn measure_memory(mesh: &SolidMesh) -> subsolid::Result<()> {
    let [before, _] = memory();
    let start = Instant::now();
    let solid = Solid::new(mesh)?;
    let seconds = start.elapsed().as_secs_f64();
    let [after, most] = memory();
    let cells = mesh.cells.len() as f64;
    println!(
        "setup of {cells} cells: {:.2} µs per cell, {:.0} bytes per cell kept, {:.0} at the most",
        1e6 * seconds / cells,
        (after - before) / cells,
        (most - before) / cells
    );
    drop(solid);
    Ok(())
}

/// All threads on the whole, against a part a thread.
fn compare_threads(mesh: &SolidMesh) -> subsolid::Result<()> {
    let cells = mesh.cells.len();
    let threads = rayon::current_num_threads();
    let cut = Cut::along_curve(mesh, &vec![1.0; mesh.cells.len()], 1)?;
    let whole = measure(&Cutter::new(mesh, &cut)?.part(0))?;
    let cut = Cut::along_curve(mesh, &vec![1.0; mesh.cells.len()], threads)?;
    let cutter = Cutter::new(mesh, &cut)?;
    let parts: Vec<Part> = (0..threads).map(|index| cutter.part(index)).collect();
    let pools: Vec<rayon::ThreadPool> = (0..threads)
        .map(|_| rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread"))
        .collect();
    let times: Vec<[f64; 2]> = std::thread::scope(|scope| {
        let pairs = pools.iter().zip(&parts);
        let runs: Vec<_> =
            pairs.map(|(pool, part)| scope.spawn(|| pool.install(|| measure(part)))).collect();
        runs.into_iter().map(|run| run.join().expect("a measurement")).collect::<Result<_, _>>()
    })?;
    for (at, name) in ["setup", "evaluation"].into_iter().enumerate() {
        let slowest = times.iter().map(|time| time[at]).fold(0.0, f64::max);
        println!(
            "{name} of {cells} cells: {threads} threads {:.1} ms, {threads} parts of a thread {:.1} \
             ms ({:.2} x)",
            1e3 * whole[at],
            1e3 * slowest,
            whole[at] / slowest
        );
    }
    Ok(())
}

//! A table of models: classes, setup and evaluation times, structures.
//!
//! `cargo bench --bench models -- FILE_OR_FOLDER… [--levels L] [--samples N]`
//! (`models/solids` without any) prints a row a model, in Markdown: medians of nine
//! runs, N³ samples (4 unless said), f64, all threads (`RAYON_NUM_THREADS` limits
//! them), after L refinements (0 unless said). A model that is refused has the reason
//! in its row.

#[path = "support/arguments.rs"]
mod arguments;

use std::path::{Path, PathBuf};
use std::time::Instant;

use subsolid::backend::{Backend, Cpu, Limit};
use subsolid::limit::{Class, Form, Solid};
use subsolid::numbers::median;
use subsolid::plan::{Samples, Want};
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;
use subsolid::{Error, Result};

fn main() {
    let (mut levels, mut samples) = (0, 4);
    let mut roots = arguments::read(&mut [("levels", &mut levels), ("samples", &mut samples)]);
    if roots.is_empty() {
        roots.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("models/solids"));
    }
    let mut files = Vec::new();
    roots.iter().for_each(|root| collect(root, &mut files));
    files.sort();
    println!(
        "| model | vertices | cells | regular | layered | irregular | refined | leaves | \
         structures: eigen + powers | worst condition of the eigen ones | setup (ms) | {samples}³ samples (ms) | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match row(&file, levels, samples) {
            Ok(row) => println!("| {name} | {row} |"),
            Err(error) => println!("| {name} | refused: {error} |"),
        }
    }
}

/// Model files in a folder and below.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) => files.push(path.to_path_buf()),
    }
}

fn row(path: &Path, levels: usize, samples: usize) -> Result<String> {
    let mesh = refine_mesh(&subsolid::io::read(path)?, levels, VertexRule::default())?;
    let samples = Samples::grid(samples);
    let (set_up, solid) = median_ms(|| {
        let solid = Solid::new(&mesh)?;
        solid.plan(&samples, Want::POSITION)?;
        Ok(solid)
    })?;
    let plan = solid.plan(&samples, Want::POSITION)?;
    let mut evaluator = Cpu::default().prepare(&plan)?;
    let mut limit = Limit::default();
    let all = 0..solid.elements().len();
    let (evaluate, ()) =
        median_ms(|| evaluator.evaluate(mesh.controls(), all.clone(), &mut limit))?;

    let count = |class: fn(&Class) -> bool| solid.classes().iter().filter(|c| class(c)).count();
    let structures = || solid.planar_structures().iter().chain(solid.spatial_structures());
    let reports = structures().map(|structure| structure.powers().report());
    let eigen: Vec<_> = reports.filter(|report| report.form == Form::Eigen).collect();
    let worst = eigen.iter().filter_map(|report| report.condition).fold(0.0, f64::max);
    let eigen = eigen.len();
    Ok(format!(
        "{} | {} | {} | {} | {} | {} | {} | {eigen} + {} | {worst:.1e} | {set_up:.1} | {evaluate:.2} | {:.2}",
        mesh.points.len(),
        mesh.cells.len(),
        count(|c| matches!(c, Class::Regular)),
        count(|c| matches!(c, Class::Layered(_))),
        count(|c| matches!(c, Class::Irregular(_))),
        count(|c| matches!(c, Class::Refined(_))),
        solid.leaves().len(),
        structures().count() - eigen,
        set_up / evaluate,
    ))
}

/// Median of nine times in ms, and what the last run made. What the runs before made goes
/// before the clock starts.
fn median_ms<T>(mut run: impl FnMut() -> Result<T>) -> Result<(f64, T)> {
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..9 {
        drop(last.take());
        let start = Instant::now();
        last = Some(run()?);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    last.map(|last| (median(times), last)).ok_or_else(|| Error::request("no run"))
}

//! Kernels and models on the first CUDA device, beside the time that writing the same
//! bytes takes in the same run: `cargo bench --bench cuda -- [MODEL[@LEVELS] …] [=WORD …]`.
//! With words, only kernels whose line begins with one of them are timed.
//!
//! Times are medians of device events after a warm-up, control points and results on
//! the device, fresh random control points every time.

mod assembly;
mod interiors;
mod lattice;
mod layers;
mod locate;
mod matrix;
mod multi_device;
mod process;
mod quadrature;
mod query;
mod single;
mod solve;
mod surface;
mod surface_limit;
#[path = "../support/torus.rs"]
mod torus;

use subsolid::backend::{Backend, Cpu, Cuda, Limit, Precision, Strategy, cuda};
use subsolid::limit::{Leaf, LeafKind, Solid};
use subsolid::mesh::{Controls, SolidMesh, shape::Shape};
use subsolid::numbers::median;
use subsolid::plan::{Samples, Want};
use subsolid::refine::{crease_by_angle, refine_mesh};
use subsolid::scheme::VertexRule;

const REPEATS: usize = 31;

type Keep = fn(&Solid, &Leaf) -> bool;

const PRECISIONS: [Precision; 2] = [Precision::F32, Precision::F64];

type Time = fn() -> subsolid::Result<()>;

/// What is timed by files of their own: the words that ask for it, and how.
const OTHERS: [(&str, Time); 15] = [
    ("matrix", matrix::time),
    ("surface", surface::time),
    ("surface edits", surface::time_edits),
    ("single matrix", single::time),
    ("limit grids", surface_limit::time_grids),
    ("static surface", surface_limit::time_static),
    ("layers", layers::time),
    ("interiors", interiors::time),
    ("lattice", lattice::time),
    ("locate", locate::time),
    ("quadrature", quadrature::time),
    ("assembly", assembly::time),
    ("query", query::time),
    ("process", process::time),
    ("solve", solve::time),
];

fn main() -> subsolid::Result<()> {
    let device = match cuda::devices() {
        Ok(devices) => devices[0].clone(),
        Err(error) => {
            println!("{error}");
            return Ok(());
        }
    };
    println!("{device:?}");
    println!(
        "{:34} {:>9} {:>4} {:>4} {:>9} {:>9} {:>9} {:>8}",
        "", "elements", "n³", "", "µs", "Gpoint/s", "GB/s", "of write"
    );

    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let words: Vec<&str> = arguments.iter().filter_map(|a| a.strip_prefix('=')).collect();
    let asked = |name: &str| words.is_empty() || words.iter().any(|word| name.starts_with(word));

    if asked("regular, 64,000") {
        time_cached()?;
    }
    if asked("several") {
        multi_device::run()?;
    }
    if asked("regular") {
        time_regular()?;
    }
    time_layered(&asked)?;
    time_irregular(&asked)?;
    for (name, time) in OTHERS {
        if asked(name) {
            time()?;
        }
    }
    arguments.iter().filter(|a| !a.starts_with('=')).try_for_each(|model| time_model(model))
}

/// A box of n³ cells, its edges sharp.
fn sharp_box(n: usize) -> subsolid::Result<SolidMesh> {
    let mut mesh = Shape::parse("box", &[n, n, n])?.build()?;
    crease_by_angle(&mut mesh, 40.0)?;
    Ok(mesh)
}

/// So few regular cells that their nets and control points stay in the cache.
fn time_cached() -> subsolid::Result<()> {
    let mesh = sharp_box(40)?;
    let solid = Solid::new(&mesh)?;
    for (precision, samples) in [(Precision::F32, 8), (Precision::F64, 8), (Precision::F32, 4)] {
        let row = Row { samples, precision, ..Row::default() };
        row.print("regular, 64,000 cells", &mesh, &solid)?;
    }
    Ok(())
}

fn time_regular() -> subsolid::Result<()> {
    let mesh = sharp_box(73)?;
    let solid = Solid::new(&mesh)?;
    for precision in PRECISIONS {
        for samples in [8, 4, 5, 16] {
            Row { samples, precision, ..Row::default() }.print("regular", &mesh, &solid)?;
        }
        let row = Row { precision, want: Want::FIRST, ..Row::default() };
        row.print("regular, first derivatives", &mesh, &solid)?;
    }
    Ok(())
}

fn time_layered(asked: &dyn Fn(&str) -> bool) -> subsolid::Result<()> {
    for (valence, layers, along, name) in [
        (3, 12_000, 0, "w"),
        (5, 12_000, 0, "w"),
        (5, 12_000, 1, "u"),
        (5, 12_000, 2, "v"),
        (8, 12_000, 0, "w"),
        (3, 100_000, 0, "w"),
        (5, 60_000, 0, "w"),
    ] {
        let name = format!("layered, valence {valence}, along {name}");
        if !asked(&name) {
            continue;
        }
        let mut fan = Shape::parse("fan", &[valence, layers, 3])?.build()?;
        crease_by_angle(&mut fan, 40.0)?;
        turn(&mut fan, along);
        let solid = Solid::new(&fan)?;
        for precision in PRECISIONS {
            let keep: Keep = |_, leaf| matches!(leaf.kind, LeafKind::Layered(..));
            Row { precision, keep, ..Row::default() }.print(&name, &fan, &solid)?;
        }
    }
    Ok(())
}

fn time_irregular(asked: &dyn Fn(&str) -> bool) -> subsolid::Result<()> {
    // interior vertices: the nets of those on boundary edges are smaller
    let keep: Keep =
        |solid, leaf| matches!(leaf.kind, LeafKind::Irregular(..)) && solid.net(leaf).len() > 40;
    for (link, count) in [
        ("link-tetrahedron", 3000),
        ("link-icosahedron", 600),
        ("link-tetrahedron", 30_000),
        ("link-icosahedron", 6000),
    ] {
        let name = format!("irregular, {link}");
        if !asked(&name) {
            continue;
        }
        let stars = copies(&Shape::parse(link, &[2])?.build()?, count);
        let solid = Solid::new(&stars)?;
        for precision in PRECISIONS {
            for samples in [8, 4] {
                Row { samples, precision, keep, ..Row::default() }.print(&name, &stars, &solid)?;
            }
        }
    }
    Ok(())
}

/// `MODEL[@LEVELS]`: a file, or `car`.
fn time_model(argument: &str) -> subsolid::Result<()> {
    let (path, levels) = argument.split_once('@').unwrap_or((argument, "0"));
    let mesh = match path {
        "car" => Shape::parse("box", &[2, 2, 6])?.build()?,
        path => subsolid::read(path)?,
    };
    let mesh = refine_mesh(&mesh, levels.parse().unwrap_or(0), VertexRule::default())?;
    let solid = Solid::new(&mesh)?;
    let name = std::path::Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    for (precision, samples) in [(Precision::F32, 8), (Precision::F64, 8), (Precision::F32, 4)] {
        let row = Row { samples, precision, ..Row::default() };
        row.print(&format!("{name}@{levels}"), &mesh, &solid)?;
    }
    for strategy in [Strategy::Thread, Strategy::Warp, Strategy::Hybrid] {
        let row = Row { strategy, ..Row::default() };
        row.print(&format!("{name}@{levels}, {strategy:?}"), &mesh, &solid)?;
    }
    host(&mesh, &solid)
}

/// What a line of the table is about.
struct Row {
    samples: usize,
    precision: Precision,
    strategy: Strategy,
    want: Want,
    keep: Keep,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            samples: 8,
            precision: Precision::F32,
            strategy: Strategy::Auto,
            want: Want::POSITION,
            keep: |_, _| true,
        }
    }
}

impl Row {
    /// Evaluates the leaves to keep, and prints a line.
    fn print(&self, name: &str, mesh: &SolidMesh, solid: &Solid) -> subsolid::Result<()> {
        let &Self { samples, precision, strategy, want, keep } = self;
        let gpu = Cuda::new(0, precision)?.with_strategy(strategy);
        let mut plan = solid.plan(&Samples::grid(samples), want)?;
        plan.retain(keep);
        let leaves: usize = plan.batches().iter().map(|batch| batch.leaves.len()).sum();
        let points = leaves * samples.pow(3);
        let size = if precision == Precision::F32 { 12 } else { 24 };
        let bytes = points * size * if want == Want::FIRST { 4 } else { 1 };
        let sets: Vec<Vec<[f64; 3]>> = (0..4).map(|set| jittered(mesh, set)).collect();
        let controls: Vec<Controls<'_>> =
            sets.iter().map(|positions| Controls { positions, attributes: &[] }).collect();
        let seconds = median(gpu.prepare(&plan)?.time(
            &controls,
            0..plan.solid().elements().len(),
            REPEATS,
        )?);
        let writing = median(gpu.time_writing(bytes, REPEATS)?);
        println!(
            "{name:34} {leaves:>9} {samples:>4} {:>4} {:>9.1} {:>9.1} {:>9.1} {:>7.1}%",
            if size == 12 { "f32" } else { "f64" },
            seconds * 1e6,
            points as f64 / seconds * 1e-9,
            bytes as f64 / seconds * 1e-9,
            100.0 * writing / seconds
        );
        Ok(())
    }
}

/// Host to host, in single precision, beside the CPU.
fn host(mesh: &SolidMesh, solid: &Solid) -> subsolid::Result<()> {
    let plan = solid.plan(&Samples::grid(8), Want::POSITION)?;
    let all = 0..solid.elements().len();
    let backends: [Box<dyn Backend>; 2] =
        [Box::new(Cuda::new(0, Precision::F32)?), Box::new(Cpu::new(Precision::F32))];
    let mut line = format!("{:34}", "  host to host, f32");
    for backend in backends {
        let mut evaluator = backend.prepare(&plan)?;
        let mut limit = Limit::default();
        let mut seconds = Vec::new();
        for _ in 0..8 {
            let start = std::time::Instant::now();
            evaluator.evaluate(mesh.controls(), all.clone(), &mut limit)?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        let first = seconds[0];
        let seconds = median(seconds.split_off(2));
        let rate = limit.len() as f64 * 12.0 / seconds * 1e-9;
        line += &format!(
            " {}: {:.1} µs, {rate:.2} GB/s, the first {:.1} µs;",
            backend.name(),
            seconds * 1e6,
            first * 1e6
        );
    }
    let bytes = solid.elements().len() * 512 * 12;
    let copy = median(Cuda::new(0, Precision::F32)?.time_copying(bytes, 8)?);
    line +=
        &format!(" the copy alone: {:.1} µs, {:.2} GB/s", copy * 1e6, bytes as f64 / copy * 1e-9);
    println!("{line}");
    Ok(())
}

/// The model's points, moved a little, differently for every set.
fn jittered(mesh: &SolidMesh, set: usize) -> Vec<[f64; 3]> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(set as u64 + 1);
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    mesh.points.iter().map(|p| p.map(|x| x + 1e-3 * noise())).collect()
}

/// Renames the axes of all cells cyclically, `times` times.
fn turn(mesh: &mut SolidMesh, times: usize) {
    // the corner that takes the place of each corner when u, v, w become v, w, u
    const NEXT: [usize; 8] = [0, 4, 5, 1, 3, 7, 6, 2];
    for _ in 0..times {
        let cells: Vec<[u32; 8]> = (0..mesh.cells.len())
            .filter_map(|c| mesh.cells.hexahedron(c).map(|corners| NEXT.map(|i| corners[i])))
            .collect();
        mesh.cells = subsolid::refine::hexahedra(&cells);
    }
}

/// Several copies of a mesh, one beside the other.
fn copies(mesh: &SolidMesh, count: usize) -> SolidMesh {
    let mut points = Vec::new();
    let mut cells = Vec::new();
    for copy in 0..count {
        let first = points.len() as u32;
        points.extend(mesh.points.iter().map(|p| [p[0] + 10.0 * copy as f64, p[1], p[2]]));
        let own = (0..mesh.cells.len()).filter_map(|c| mesh.cells.hexahedron(c));
        cells.extend(own.map(|corners| corners.map(|v| v + first)));
    }
    SolidMesh::from_hexahedra(points, &cells)
}

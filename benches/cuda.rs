//! Kernels and models on the first CUDA device, beside the time that writing the same
//! bytes takes in the same run: `cargo bench --bench cuda -- [MODEL[@LEVELS] …] [=WORD …]`.
//! With words, only kernels whose line begins with one of them are timed.
//!
//! Times are medians of device events after a warm-up, control points and results on
//! the device, fresh random control points every time.

use rayon::prelude::*;
use subsolid::backend::{Backend, Cpu, Cuda, Limit, Precision, Strategy, cuda};
use subsolid::limit::{Leaf, LeafKind, Solid};
use subsolid::mesh::{Controls, SolidMesh, shape::Shape};
use subsolid::plan::{Samples, Want};
use subsolid::quadrature::{DeviceQuadrature, Quadrature, Scheme};
use subsolid::refine::{VertexRule, crease_by_angle, refine_mesh};
use subsolid::slice::{DeviceSlicer, PixelGrid, Raster, Sampling, SliceOptions, Slicer};
use subsolid::surface::{DeviceSurface, FriendRun};

const REPEATS: usize = 31;

type Keep = fn(&Solid, &Leaf) -> bool;

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

    let mut sharp = Shape::parse("box", &[73, 73, 73])?.build()?;
    crease_by_angle(&mut sharp, 40.0)?;
    let all: Keep = |_, _| true;
    let layered: Keep = |_, leaf| matches!(leaf.kind, LeafKind::Layered(..));
    // interior vertices: the nets of those on boundary edges are smaller
    let irregular: Keep =
        |solid, leaf| matches!(leaf.kind, LeafKind::Irregular(..)) && solid.net(leaf).len() > 40;
    let position = Want::POSITION;
    if asked("regular, 64,000") {
        // nets and control points of this many cells stay in the cache
        let mut small = Shape::parse("box", &[40, 40, 40])?.build()?;
        crease_by_angle(&mut small, 40.0)?;
        let solid = Solid::new(&small)?;
        for (precision, samples) in [(Precision::F32, 8), (Precision::F64, 8), (Precision::F32, 4)]
        {
            row(
                "regular, 64,000 cells",
                &small,
                &solid,
                samples,
                precision,
                Strategy::Auto,
                position,
                all,
            )?;
        }
    }
    if asked("regular") {
        let solid = Solid::new(&sharp)?;
        for precision in [Precision::F32, Precision::F64] {
            for samples in [8, 4, 5, 16] {
                row("regular", &sharp, &solid, samples, precision, Strategy::Auto, position, all)?;
            }
            row(
                "regular, first derivatives",
                &sharp,
                &solid,
                8,
                precision,
                Strategy::Auto,
                Want::FIRST,
                all,
            )?;
        }
    }
    for (valence, along, name) in [(3, 0, "w"), (5, 0, "w"), (5, 1, "u"), (5, 2, "v"), (8, 0, "w")]
    {
        let name = format!("layered, valence {valence}, along {name}");
        if !asked(&name) {
            continue;
        }
        let mut fan = Shape::parse("fan", &[valence, 12_000, 3])?.build()?;
        crease_by_angle(&mut fan, 40.0)?;
        turn(&mut fan, along);
        let solid = Solid::new(&fan)?;
        for precision in [Precision::F32, Precision::F64] {
            row(&name, &fan, &solid, 8, precision, Strategy::Auto, position, layered)?;
        }
    }
    for (link, count) in [("link-tetrahedron", 3000), ("link-icosahedron", 600)] {
        let name = format!("irregular, {link}");
        if !asked(&name) {
            continue;
        }
        let stars = copies(&Shape::parse(link, &[2])?.build()?, count);
        let solid = Solid::new(&stars)?;
        for precision in [Precision::F32, Precision::F64] {
            for samples in [8, 4] {
                row(
                    &name,
                    &stars,
                    &solid,
                    samples,
                    precision,
                    Strategy::Auto,
                    position,
                    irregular,
                )?;
            }
        }
    }

    if asked("surface") {
        surface()?;
    }
    if asked("layers") {
        layers()?;
    }

    if asked("quadrature") {
        quadrature()?;
    }

    for argument in arguments.iter().filter(|a| !a.starts_with('=')) {
        let (path, levels) = argument.split_once('@').unwrap_or((argument, "0"));
        let mesh = match path {
            "car" => Shape::parse("box", &[2, 2, 6])?.build()?,
            path => subsolid::read(path)?,
        };
        let mesh = refine_mesh(&mesh, levels.parse().unwrap_or(0), VertexRule::default())?;
        let solid = Solid::new(&mesh)?;
        let name = std::path::Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
        for (precision, samples) in [(Precision::F32, 8), (Precision::F64, 8), (Precision::F32, 4)]
        {
            let name = format!("{name}@{levels}");
            row(&name, &mesh, &solid, samples, precision, Strategy::Auto, position, all)?;
        }
        for strategy in [Strategy::Thread, Strategy::Warp, Strategy::Hybrid] {
            let name = format!("{name}@{levels}, {strategy:?}");
            row(&name, &mesh, &solid, 8, Precision::F32, strategy, position, all)?;
        }
        host(&mesh, &solid)?;
    }
    Ok(())
}

/// Evaluates the leaves to keep, and prints a line.
#[expect(clippy::too_many_arguments, reason = "the columns of a table")]
fn row(
    name: &str,
    mesh: &SolidMesh,
    solid: &Solid,
    samples: usize,
    precision: Precision,
    strategy: Strategy,
    want: Want,
    keep: Keep,
) -> subsolid::Result<()> {
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
    let seconds = median(gpu.prepare(&plan)?.time(&controls, REPEATS)?);
    let floor = median(gpu.time_writing(bytes, REPEATS)?);
    println!(
        "{name:34} {leaves:>9} {samples:>4} {:>4} {:>9.1} {:>9.1} {:>9.1} {:>7.1}%",
        if size == 12 { "f32" } else { "f64" },
        seconds * 1e6,
        points as f64 / seconds * 1e-9,
        bytes as f64 / seconds * 1e-9,
        100.0 * floor / seconds
    );
    Ok(())
}

/// Edge-friend on the boundary of a cow, 1,504 quads, from level 1 on the device: topology and
/// points in one pass a level, and points alone, beside the time of writing the last level.
fn surface() -> subsolid::Result<()> {
    let mesh = subsolid::read_surface("models/surfaces/cow_boundary.obj")?;
    let gpu = Cuda::new(0, Precision::F32)?;
    let controls: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
    for levels in [3, 5, 6, 7, 8] {
        let mut device = DeviceSurface::<f32>::new(&mesh, levels, &gpu)?;
        device.set_controls(&controls)?;
        let quads = device.quad_count();
        for (run, bytes) in [(FriendRun::Both, 28 * quads), (FriendRun::Points, 12 * quads)] {
            let times =
                (0..REPEATS).map(|_| device.run(run)).collect::<subsolid::Result<Vec<_>>>()?;
            let seconds = median(times);
            let floor = median(gpu.time_writing(bytes, REPEATS)?);
            println!(
                "surface, level {levels}, {quads} quads, {run:?}: {:.1} µs, {:.1} Gfaces/s; writing \
                 the last level {:.1} µs ({:.1}%)",
                seconds * 1e6,
                quads as f64 / seconds * 1e-9,
                floor * 1e6,
                100.0 * floor / seconds
            );
        }
    }
    Ok(())
}

/// Regular cells at 4 x 4 x 4 Gauss points: physical quantities, and derivatives in space, beside
/// the time that copying as many bytes on the device takes at best: reading and writing them.
fn quadrature() -> subsolid::Result<()> {
    let mut mesh = Shape::parse("box", &[47, 47, 47])?.build()?;
    crease_by_angle(&mut mesh, 40.0)?;
    let solid = Solid::new(&mesh)?;
    let quadrature = Quadrature::new(&solid, Scheme { gauss: 4, rings: 0 }, Want::FIRST)?;
    let gpu = Cuda::new(0, Precision::F64)?;
    let mut device = DeviceQuadrature::new(&quadrature, mesh.controls(), &gpu)?;
    for (name, derivatives) in [("physical quantities", false), ("derivatives in space", true)] {
        let (mut bytes, mut runs) = (0, Vec::new());
        for _run in 0..REPEATS / 3 {
            let mut seconds = 0.0;
            bytes = 0;
            for (index, batch) in quadrature.batches().iter().enumerate() {
                seconds += device.evaluate(index, 0..batch.leaves.len(), derivatives)?;
                let numbers = 23 + if derivatives { 3 * batch.controls } else { 0 };
                bytes += 8 * batch.leaves.len() * quadrature.samples(index) * numbers;
            }
            runs.push(seconds);
        }
        let seconds = median(runs.split_off(1));
        let floor = median(gpu.time_writing(bytes, 5)?);
        println!(
            "quadrature, {} cells at 4³, {name}: {:.0} µs, {:.2} GB, {:.0} GB/s; writing the bytes {:.0} µs \
             ({:.1}%), copying them at least twice that",
            mesh.cells.len(),
            seconds * 1e6,
            bytes as f64 * 1e-9,
            bytes as f64 / seconds * 1e-9,
            floor * 1e6,
            100.0 * floor / seconds
        );
    }
    Ok(())
}

/// 1,000 layers of 2,000 x 2,000 pixels of the tripod, on the device and on the CPU, beside the
/// time that writing these pixels takes.
fn layers() -> subsolid::Result<()> {
    let mesh = Shape::parse("tripod", &[])?.build()?;
    let solid = Solid::new(&mesh)?;
    let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default())?;
    let gpu = Cuda::new(0, Precision::F64)?;
    let mut device = DeviceSlicer::new(&slicer, &gpu)?;
    let ([low, high], [corner, far]) = (slicer.heights(), slicer.plane_box());
    let pitch = (far[0] - corner[0]).max(far[1] - corner[1]) / 2000.0;
    let grid = PixelGrid { origin: corner, pitch, size: [2000, 2000] };
    let height = |k: usize| low + (high - low) * (k as f64 + 0.5) / 1000.0;
    let heights: Vec<f64> = (0..1000).map(height).collect();
    for sampling in [Sampling::Area, Sampling::Centre] {
        let most = device.most_images(&grid, 8)?;
        let mut runs = Vec::new();
        for _run in 0..6 {
            let batches = heights.chunks(most);
            let times = batches.map(|h| Ok(device.cover(h, 1, &grid, sampling, 8)?.seconds));
            runs.push(times.sum::<subsolid::Result<f64>>()?);
        }
        let seconds = median(runs.split_off(1));
        let floor = median(gpu.time_writing(1000 * 4_000_000, 5)?);
        let cpu = |threads: usize| -> subsolid::Result<f64> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|e| subsolid::Error::request(e.to_string()))?;
            let start = std::time::Instant::now();
            pool.install(|| {
                heights.par_chunks(25).try_for_each(|heights| {
                    let mut raster = Raster::new(grid, sampling)?;
                    let mut pixels = vec![0_u8; 4_000_000];
                    for &height in heights {
                        slicer.coverage_into(&[height], &mut raster, &mut pixels);
                    }
                    Ok::<(), subsolid::Error>(())
                })
            })?;
            Ok(start.elapsed().as_secs_f64())
        };
        cpu(2)?;
        let (one, two) = (cpu(1)?, cpu(2)?);
        println!(
            "layers, {sampling:?}: {:.2} µs a layer, writing its bytes {:.2} µs ({:.1}%); CPU, 1 thread \
             {:.1} µs, 2 threads {:.1} µs ({:.1} times)",
            seconds * 1e3,
            floor * 1e3,
            100.0 * floor / seconds,
            one * 1e3,
            two * 1e3,
            two / seconds
        );
    }
    Ok(())
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
        let seconds = median(seconds.split_off(2));
        let rate = limit.len() as f64 * 12.0 / seconds * 1e-9;
        line += &format!(" {}: {:.1} µs, {rate:.2} GB/s;", backend.name(), seconds * 1e6);
    }
    let bytes = solid.elements().len() * 512 * 12;
    let copy = median(Cuda::new(0, Precision::F32)?.time_copying(bytes, 8)?);
    line +=
        &format!(" the copy alone: {:.1} µs, {:.2} GB/s", copy * 1e6, bytes as f64 / copy * 1e-9);
    println!("{line}");
    Ok(())
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
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

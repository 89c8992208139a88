//! Limits of surfaces.

use subsolid::backend::cuda::DeviceRepr;
use subsolid::backend::cuda::{GridEvaluator, StaticRefiner};
use subsolid::backend::{Backend, Cuda, Precision, SurfaceEvaluator};
use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::numbers::Real;
use subsolid::surface::limit::{LimitSurface, Scheme};
use subsolid::surface::{StaticRefinement, SurfaceOptions, SurfacePlan};

use super::torus::torus;
use super::{REPEATS, median};

fn surface(mesh: &SurfaceMesh) -> subsolid::Result<LimitSurface> {
    LimitSurface::of_mesh(mesh, Scheme::CatmullClark)
}

/// Grids on all faces of a large regular mesh, and of a model with extraordinary vertices
/// refined twice: positions, and these with first derivatives and normals.
pub fn time_grids() -> subsolid::Result<()> {
    let (points, corners) = torus(512);
    let mesh = SurfaceMesh::new(points, Polygons::uniform(4, corners));
    time_mesh("regular", &mesh.points, &surface(&mesh)?)?;
    let mesh = subsolid::read_surface("models/surfaces/cow_boundary.obj")?;
    let options = subsolid::surface::SurfaceOptions { levels: 2, ..Default::default() };
    let mesh = subsolid::surface::refine_surface(&mesh, &options)?;
    let cow = surface(&mesh)?;
    time_mesh("cow_boundary@2", &mesh.points, &cow)?;
    let mesh = subsolid::read_surface("models/surfaces/wrench_boundary.obj")?;
    let wrench = surface(&mesh)?;
    time_mesh("wrench_boundary", &mesh.points, &wrench)
}

fn time_mesh(name: &str, points: &[[f64; 3]], surface: &LimitSurface) -> subsolid::Result<()> {
    for (n, normals) in [(8, false), (16, false), (5, false), (8, true), (16, true)] {
        let grid = surface.grid(n, normals)?;
        time_grid::<f32>(name, points, n, normals, &mut |gpu| GridEvaluator::new(&grid, gpu))?;
        if n == 8 {
            let build = &mut |gpu: &Cuda| GridEvaluator::<f64>::new(&grid, gpu);
            time_grid::<f64>(name, points, n, normals, build)?;
        }
    }
    Ok(())
}

fn time_grid<T: Real + DeviceRepr>(
    name: &str,
    points: &[[f64; 3]],
    n: usize,
    normals: bool,
    build: &mut dyn FnMut(&Cuda) -> subsolid::Result<GridEvaluator<T>>,
) -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F32)?;
    let mut grid = build(&gpu)?;
    grid.set_controls(points)?;
    grid.evaluate()?;
    let times = (0..REPEATS).map(|_| grid.evaluate()).collect::<subsolid::Result<Vec<_>>>()?;
    let seconds = median(times);
    let bytes = grid.len() * 3 * size_of::<T>() * if normals { 4 } else { 1 };
    let writing = median(gpu.time_writing(bytes, REPEATS)?);
    println!(
        "limit grids, {name}, {n} x {n}{}, f{}: {} points, {:.1} µs, {:.1} Gpoint/s; writing {:.1} \
         µs ({:.1}%)",
        if normals { ", derivatives and normals" } else { "" },
        8 * size_of::<T>(),
        grid.len(),
        seconds * 1e6,
        grid.len() as f64 / seconds * 1e-9,
        writing * 1e6,
        100.0 * writing / seconds
    );
    Ok(())
}

/// Static evaluation of a cow, 1,504 quads, at levels 3 to 7, beside what the one sparse
/// matrix of the same level would have to read.
pub fn time_static() -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F32)?;
    let mesh = subsolid::read_surface("models/surfaces/cow_boundary.obj")?;
    for levels in [3, 4, 5, 6, 7] {
        let (mut set_up, mut on_device) = (Vec::new(), Vec::new());
        let mut device = None;
        for _ in 0..5 {
            let start = std::time::Instant::now();
            let refinement = StaticRefinement::new(&mesh, Scheme::CatmullClark, levels)?;
            set_up.push(start.elapsed().as_secs_f64());
            device = Some(StaticRefiner::<f32>::new(&refinement, &gpu)?);
            on_device.push(start.elapsed().as_secs_f64());
        }
        let Some(mut device) = device else { continue };
        device.set_controls(&mesh.points)?;
        device.evaluate()?;
        let times =
            (0..REPEATS).map(|_| device.evaluate()).collect::<subsolid::Result<Vec<_>>>()?;
        let seconds = median(times);
        // vertices of the level, each once
        let count = (mesh.faces.len() << (2 * levels)) + 2;
        let writing = median(gpu.time_writing(12 * count, REPEATS)?);
        println!(
            "static surface, level {levels}: {count} points, {:.1} µs, {:.1} Gpoint/s; writing \
             {:.1} µs ({:.1}%); setup {:.2} ms, with the copy to the device {:.2} ms",
            seconds * 1e6,
            count as f64 / seconds * 1e-9,
            writing * 1e6,
            100.0 * writing / seconds,
            median(set_up) * 1e3,
            median(on_device) * 1e3
        );
    }
    let options = SurfaceOptions { levels: 4, ..SurfaceOptions::default() };
    let matrix = SurfacePlan::new(&mesh, &options)?.single_matrix::<f32>()?;
    println!(
        "static surface, level 4 as one matrix: {:.1} bytes to read a point",
        matrix.bytes() as f64 / matrix.len() as f64
    );
    Ok(())
}

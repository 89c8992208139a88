//! Surfaces by one sparse matrix of all levels.

use std::time::Instant;
use subsolid::backend::cuda::DeviceRepr;
use subsolid::numbers::Real;

use subsolid::backend::cuda::SingleEvaluator;
use subsolid::backend::{Backend, Cuda, Precision};
use subsolid::surface::{Scheme, SurfaceOptions, SurfacePlan};

use super::{REPEATS, median};

/// A cow, 1,504 quads, by Catmull-Clark, and its levels by Loop: positions, and attributes of
/// one and four components, beside the time to write as many bytes as the product reads and
/// writes.
pub fn time() -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F32)?;
    let mesh = subsolid::read_surface("models/surfaces/cow_boundary.obj")?;
    for (scheme, levels) in [
        (Scheme::CatmullClark, 3),
        (Scheme::CatmullClark, 4),
        (Scheme::CatmullClark, 5),
        (Scheme::CatmullClark, 6),
        (Scheme::Loop, 5),
    ] {
        let options = SurfaceOptions { scheme, levels, ..SurfaceOptions::default() };
        let plan = SurfacePlan::new(&mesh, &options)?;
        let name = format!("single matrix, {scheme:?}, level {levels}");
        time_matrix::<f32>(&name, &mesh.points, &plan, &gpu, &[3, 1, 4])?;
        time_matrix::<f64>(&name, &mesh.points, &plan, &gpu, &[3])?;
    }
    Ok(())
}

fn time_matrix<T: Real + DeviceRepr>(
    name: &str,
    points: &[[f64; 3]],
    plan: &SurfacePlan,
    gpu: &Cuda,
    widths: &[usize],
) -> subsolid::Result<()> {
    let start = Instant::now();
    let matrix = plan.single_matrix::<T>()?;
    let product = start.elapsed();
    let mut device = SingleEvaluator::new(&matrix, points.len(), gpu)?;
    let brought = start.elapsed() - product;
    for &width in widths {
        let value = |p: &[f64; 3], c: usize| T::from_f64(p[c % 3]);
        let values: Vec<T> = points.iter().flat_map(|p| (0..width).map(|c| value(p, c))).collect();
        device.set_controls(&values, width)?;
        device.run()?;
        let times = (0..REPEATS).map(|_| device.run()).collect::<subsolid::Result<Vec<_>>>()?;
        let seconds = median(times);
        let bytes = device.bytes() + width * size_of::<T>() * device.len();
        let writing = median(gpu.time_writing(bytes, REPEATS)?);
        println!(
            "{name}, f{}, {width} components: {} points, {:.1} µs, {:.1} Gpoint/s; {:.1} bytes a \
             point (compressed rows {:.1}), {:.0} GB/s, writing as many {:.1} µs ({:.1}%); product \
             {:.0} ms, blocks and copy {:.0} ms",
            8 * size_of::<T>(),
            device.len(),
            seconds * 1e6,
            device.len() as f64 / seconds * 1e-9,
            bytes as f64 / device.len() as f64,
            (matrix.bytes() + width * size_of::<T>() * device.len()) as f64 / device.len() as f64,
            bytes as f64 / seconds * 1e-9,
            writing * 1e6,
            100.0 * writing / seconds,
            product.as_secs_f64() * 1e3,
            brought.as_secs_f64() * 1e3
        );
    }
    Ok(())
}

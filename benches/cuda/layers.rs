//! Layers of slices.

use rayon::prelude::*;
use subsolid::backend::{Backend, Cuda, Precision};
use subsolid::limit::Solid;
use subsolid::mesh::shape::Shape;
use subsolid::slice::{PixelGrid, Raster, Sampling, SliceOptions, Slicer};

use super::median;

/// 1,000 layers of 2,000 x 2,000 pixels of the tripod, on the device and on the CPU, beside the
/// time that writing these pixels takes.
pub fn time() -> subsolid::Result<()> {
    let mesh = Shape::parse("tripod", &[])?.build()?;
    let solid = Solid::new(&mesh)?;
    let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default())?;
    let gpu = Cuda::new(0, Precision::F64)?;
    let mut device = Slicer::new(&solid, mesh.controls(), SliceOptions::default())?;
    device.bring(&gpu)?;
    let ([low, high], [corner, far]) = (slicer.heights(), slicer.plane_box());
    let pitch = (far[0] - corner[0]).max(far[1] - corner[1]) / 2000.0;
    let grid = PixelGrid { origin: corner, pitch: [pitch; 2], size: [2000, 2000] };
    let height = |k: usize| low + (high - low) * (k as f64 + 0.5) / 1000.0;
    let heights: Vec<f64> = (0..1000).map(height).collect();
    for sampling in [Sampling::Area, Sampling::Center] {
        let run = |_| device.time_coverage::<u8>(&heights, 1, &grid, sampling);
        let runs: subsolid::Result<Vec<f64>> = (0..6).map(run).collect();
        let seconds = median(runs?.split_off(1));
        let writing = median(gpu.time_writing(1000 * 4_000_000, 5)?);
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
            "layers, {sampling:?}: {:.2} µs per layer, writing its bytes {:.2} µs ({:.1}%); CPU, 1 thread \
             {:.1} µs, 2 threads {:.1} µs ({:.1} times)",
            seconds * 1e3,
            writing * 1e3,
            100.0 * writing / seconds,
            one * 1e3,
            two * 1e3,
            two / seconds
        );
    }
    Ok(())
}

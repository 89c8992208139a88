//! Interiors of layers.

use std::time::Instant;

use subsolid::Solid;
use subsolid::backend::{Backend, Cuda, Precision};
use subsolid::locate::Locator;
use subsolid::mesh::{Attribute, Controls, shape::Shape};
use subsolid::slice::{Axis, InteriorFinder, PixelGrid, SliceOptions, Slicer, SolidSource};

use super::median;

/// Layers at once on the device, and on the CPU.
const LAYERS: usize = 64;
const LAYERS_OF_CPU: usize = 4;

/// Layers of 2,000 x 2,000 pixels of the tripod with an attribute of three components, on the
/// device and on the CPU, beside the time that writing the results takes.
pub fn time() -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F64)?;
    let mesh = Shape::parse("tripod", &[])?.build()?;
    let solid = Solid::new(&mesh)?;
    let locator = Locator::new(&solid, mesh.controls())?;
    let values = mesh.points.as_flattened().to_vec();
    let attribute = Attribute { name: "position".into(), width: 3, values };
    let pieces = [locator.pieces().attribute(&attribute)?];
    let own = [attribute];
    let (low, high) = mesh.bounds().unwrap_or_default();
    let pitch = (high[0] - low[0]).max(high[1] - low[1]) / 2000.0;
    let grid = PixelGrid { origin: [low[0], low[1]], pitch: [pitch; 2], size: [2000, 2000] };
    let height = |k: usize| low[2] + (high[2] - low[2]) * (k as f64 + 0.5) / LAYERS as f64;
    let heights: Vec<f64> = (0..LAYERS).map(height).collect();
    for (what, count) in [("pixels", 0), ("pixels and values", 1)] {
        let attributes = &pieces[..count];
        let controls = Controls { positions: &mesh.points, attributes: &own[..count] };
        let slicer = Slicer::new(&solid, controls, SliceOptions::default())?;
        let mut device = SolidSource::with_cell_data(&solid, controls, &[], slicer)?;
        device.bring(&gpu)?;
        let (mut runs, mut whole, mut pixels, mut left) = (Vec::new(), Vec::new(), 0, 0);
        for _run in 0..6 {
            let start = Instant::now();
            let run = device.time_places(&heights, &grid)?;
            (pixels, left) = (run.pixels, run.left);
            whole.push(start.elapsed().as_secs_f64());
            runs.push(run.seconds);
        }
        let (seconds, whole) = (median(runs.split_off(1)), median(whole.split_off(1)));
        let width: usize = attributes.iter().map(|a| a.width).sum();
        // of listed pixels: number, piece, parameters, values
        let writing = median(gpu.time_writing(pixels * (32 + 8 * width), 5)?);
        let finder = InteriorFinder::new(&locator, Axis::Z, grid)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.map_err(|e| subsolid::Error::request(e.to_string()))?;
        let start = Instant::now();
        let of_cpu: usize = pool.install(|| {
            let heights = heights.iter().step_by(LAYERS / LAYERS_OF_CPU);
            let layers = heights.map(|&height| {
                let interior = finder.layer(height);
                attributes.iter().for_each(|a| drop(finder.values(&interior, a)));
                interior.len()
            });
            layers.sum()
        });
        let cpu = of_cpu as f64 / start.elapsed().as_secs_f64();
        let rate = pixels as f64 / seconds;
        println!(
            "interiors, {what}: {:.0} M pixels/s, {:.1} µs per layer ({:.0} with setup and the CPU's \
             share), {:.2}% left to the CPU; writing the results {:.0} M/s ({:.1}%); CPU, 2 threads \
             {:.1} M/s ({:.0} times)",
            rate * 1e-6,
            1e6 * seconds / LAYERS as f64,
            1e6 * whole / LAYERS as f64,
            100.0 * left as f64 / pixels as f64,
            pixels as f64 / writing * 1e-6,
            100.0 * writing / seconds,
            cpu * 1e-6,
            rate / cpu
        );
    }
    Ok(())
}

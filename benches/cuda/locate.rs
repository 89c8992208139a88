//! Points located.

use std::time::Instant;

use subsolid::Solid;
use subsolid::backend::{Backend, Cuda, Precision};
use subsolid::locate::{Containment, Locator};

use super::{REPEATS, median};

/// Points at once on the device, and how many of them the CPU is timed with.
const POINTS: usize = 1 << 22;
const POINTS_OF_CPU: usize = 1 << 17;

/// Random points, at most so many in the box around the solid and all of those that are
/// inside, on the device and on the CPU, beside the time that writing their places takes.
pub fn time() -> subsolid::Result<()> {
    let gpu = Cuda::new(0, Precision::F64)?;
    for file in ["solids/tripod.vtk", "bracket.vtk", "solids/cad9.mesh"] {
        let mesh = subsolid::read(format!("models/{file}"))?;
        let solid = Solid::new(&mesh)?;
        let locator = Locator::new(&solid, mesh.controls())?;
        let start = Instant::now();
        locator.locate_on(&gpu, &[])?;
        println!("locate, {file}: set up in {:.0} ms", 1e3 * start.elapsed().as_secs_f64());
        let (low, high) = mesh.bounds().unwrap_or_default();
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let anywhere: Vec<[f64; 3]> = (0..POINTS)
            .map(|_| std::array::from_fn(|d| low[d] + (high[d] - low[d]) * random()))
            .collect();
        let located = locator.locate_on(&gpu, &anywhere)?.located;
        let pairs = anywhere.iter().zip(&located);
        let inside: Vec<[f64; 3]> =
            pairs.filter(|(_, l)| **l != Containment::Outside).map(|(p, _)| *p).collect();
        let inside: Vec<[f64; 3]> = inside.iter().cycle().take(POINTS).copied().collect();
        for (what, points) in [("in the box", &anywhere), ("inside", &inside)] {
            let run = |_| Ok(locator.locate_on(&gpu, points)?.seconds);
            let runs = (0..REPEATS / 3).map(run).collect::<subsolid::Result<Vec<_>>>();
            let seconds = median(runs?.split_off(1));
            let start = Instant::now();
            let left = locator.locate_on(&gpu, points)?.left.unwrap_or(0);
            let whole = start.elapsed().as_secs_f64();
            // element, three parameters, residual
            let writing = median(gpu.time_writing(36 * POINTS, 5)?);
            let cpu = |threads: usize| -> subsolid::Result<f64> {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let pool = pool.map_err(|e| subsolid::Error::request(e.to_string()))?;
                let start = Instant::now();
                pool.install(|| locator.locate(&points[..POINTS_OF_CPU]));
                Ok(POINTS_OF_CPU as f64 / start.elapsed().as_secs_f64())
            };
            let cpu = cpu(2)?;
            let rate = POINTS as f64 / seconds;
            println!(
                "locate, {file}, {what}: {:.0} M points/s on the device, writing the places \
                 {:.0} M/s ({:.1}%); {:.2}% left to the CPU, with them and copies {:.1} M/s; \
                 CPU, 2 threads {:.2} M/s ({:.0} times)",
                rate * 1e-6,
                POINTS as f64 / writing * 1e-6,
                100.0 * writing / seconds,
                100.0 * left as f64 / POINTS as f64,
                POINTS as f64 / whole * 1e-6,
                cpu * 1e-6,
                rate / cpu
            );
        }
    }
    Ok(())
}

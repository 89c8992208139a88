//! A table of models: how fast points and pixels find their parameters.
//!
//! `cargo bench --bench locate -- FILE…` (the tripod of `models/solids` without any)
//! prints a row a model, in Markdown. Points: one in eight of the pixels of all layers.
//! Slowest of them: one by one, when first asked for, on the wall clock.
//! Outside: points of a grid through three times the bounding box that the solid does not hold;
//! the closest place of each.
//! Pixels: 8 layers across z on 2000 pixels along the longer side; the median layer.
//! Floor: the median time of writing the bytes of the layers' results, on
//! the wall clock. One thread each; else its time on the processor, so that other work
//! does not count.

use std::path::Path;
use std::time::Instant;

use subsolid::locate::{Containment, Locator};
use subsolid::numbers::median;
use subsolid::slice::{Axis, InteriorFinder, PixelGrid};
use subsolid::{Result, Solid};

const ACROSS: usize = 2000;
const LAYERS: usize = 8;
/// Points outside along each axis.
const OUTSIDE: usize = 20;

fn main() {
    let mut files: Vec<String> =
        std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    if files.is_empty() {
        files.push(concat!(env!("CARGO_MANIFEST_DIR"), "/models/solids/tripod.vtk").into());
    }
    println!(
        "| model | pieces | setup (ms) | points (M/s) | 99.9 % of the points within (µs) | \
         slowest (µs) | outside (µs per point) | pixels inside | pixels (M/s) | attributes of width 3 (M/s) | floor (M pixels/s) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("a thread can be started");
    for file in files {
        let name = Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        match pool.install(|| row(&file)) {
            Ok(row) => println!("| {name} | {row} |"),
            Err(error) => println!("| {name} | refused: {error} |"),
        }
    }
}

fn row(file: &str) -> Result<String> {
    let mesh = subsolid::read(file)?;
    let solid = Solid::new(&mesh)?;
    let (locator, set_up) = timed(|| Locator::new(&solid, mesh.controls()));
    let locator = locator?;
    let (low, high) = mesh.bounds().unwrap_or_default();
    let pitch = (high[0] - low[0]).max(high[1] - low[1]) / ACROSS as f64;
    let size = [0, 1].map(|d| ((high[d] - low[d]) / pitch).ceil() as usize);
    let grid = PixelGrid { origin: [low[0], low[1]], pitch: [pitch; 2], size };
    let finder = InteriorFinder::new(&locator, Axis::Z, grid)?;
    let attribute = subsolid::mesh::Attribute {
        name: "position".into(),
        width: 3,
        values: mesh.points.as_flattened().to_vec(),
    };
    let attribute = locator.pieces().attribute(&attribute)?;
    let (mut inside, mut rates, mut value_rates, mut floors) = (0, vec![], vec![], vec![]);
    let mut points = Vec::new();
    for layer in 0..LAYERS {
        let height = low[2] + (high[2] - low[2]) * (layer as f64 + 0.5) / LAYERS as f64;
        let (interior, seconds) = timed(|| finder.layer(height));
        inside += interior.len();
        rates.push(interior.len() as f64 / seconds / 1e6);
        let (values, seconds) = timed(|| finder.values(&interior, &attribute));
        value_rates.push(interior.len() as f64 / seconds / 1e6);
        drop(values);
        // pixel, element, piece and three parameters
        let mut bytes = vec![1_u8; interior.len() * 36];
        let start = Instant::now();
        std::hint::black_box(&mut bytes).fill(2);
        floors.push(interior.len() as f64 / start.elapsed().as_secs_f64() / 1e6);
        let center = |&pixel: &u32| {
            let at = [pixel as usize % size[0], pixel as usize / size[0]];
            Axis::Z.lift(grid.center(at[0], at[1]), height)
        };
        points.extend(interior.pixels.iter().step_by(8).map(center));
    }
    let fresh = Locator::new(&solid, mesh.controls())?;
    let mut each: Vec<f64> = points
        .iter()
        .map(|&point| {
            let start = Instant::now();
            std::hint::black_box(fresh.locate_one(point));
            1e6 * start.elapsed().as_secs_f64()
        })
        .collect();
    each.sort_by(f64::total_cmp);
    let of_points = |part: f64| {
        let at = (part * each.len() as f64) as usize;
        each.get(at.min(each.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    };
    let (located, seconds) = timed(|| fresh.locate(&points));
    let rate = located.len() as f64 / seconds / 1e6;
    Ok(format!(
        "{} | {:.0} | {rate:.2} | {:.0} | {:.0} | {:.1} | {inside} | {:.2} | {:.2} | {:.0}",
        locator.pieces().len(),
        1e3 * set_up,
        of_points(0.999),
        of_points(1.0),
        outside(&fresh, low, high),
        median(rates),
        median(value_rates),
        median(floors),
    ))
}

/// Microseconds that the closest place of a point outside takes.
fn outside(locator: &Locator<'_>, low: [f64; 3], high: [f64; 3]) -> f64 {
    let points: Vec<[f64; 3]> = (0..OUTSIDE.pow(3))
        .map(|i| [i % OUTSIDE, i / OUTSIDE % OUTSIDE, i / (OUTSIDE * OUTSIDE)])
        .map(|at| {
            std::array::from_fn(|d| {
                let t = 3.0 * (at[d] as f64 + 0.5) / OUTSIDE as f64 - 1.0;
                low[d] + t * (high[d] - low[d])
            })
        })
        .collect();
    let located = locator.locate(&points);
    let pairs = points.iter().zip(&located);
    let outside: Vec<[f64; 3]> =
        pairs.filter(|(_, found)| **found == Containment::Outside).map(|(&x, _)| x).collect();
    let nearest = || outside.iter().filter_map(|&x| locator.nearest(x)).count();
    let (found, seconds) = timed(nearest);
    1e6 * seconds / found as f64
}

/// A result, and the seconds that this thread's processor spent on it.
fn timed<R>(run: impl FnOnce() -> R) -> (R, f64) {
    let start = (thread_seconds(), Instant::now());
    let result = run();
    let seconds = match (start.0, thread_seconds()) {
        (Some(from), Some(to)) => to - from,
        _ => start.1.elapsed().as_secs_f64(),
    };
    (result, seconds)
}

/// Nanoseconds on the processor, where the system says them.
fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

//! Slicing of the tripod into images of 2,000 × 2,000 pixels: setup, contours,
//! coverage, and beside them the floor, writing the bytes of an image. And of four layers of the
//! graded bracket, 4,000 pixels wide, on one thread: coverage, and the attribute of its pixels.
//!
//! `cargo bench --bench slice`

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use subsolid::Solid;
use subsolid::mesh::shape::Shape;
use subsolid::slice::{
    LayerPixels, LayerSource, PixelGrid, Raster, Sampling, SliceOptions, Slicer, SolidSource,
};

const PIXELS: usize = 2000;

fn slice(c: &mut Criterion) {
    let mesh = Shape::Tripod.build().expect("a tripod");
    let solid = Solid::new(&mesh).expect("a solid");
    let options = SliceOptions::default();
    let new = || Slicer::new(&solid, mesh.controls(), options).expect("a slicer");
    let slicer = new();
    let [low, high] = slicer.heights();
    let [left, right] = slicer.plane_box();
    let extent = (right[0] - left[0]).max(right[1] - left[1]);
    let pitch = extent / PIXELS as f64;
    let grid = PixelGrid { origin: left, pitch: [pitch; 2], size: [PIXELS; 2] };
    // layers from the feet to the hub by turns
    let mut turn = 0;
    let mut next = move || {
        turn = (turn + 37) % 100;
        low + (high - low) * (f64::from(turn) + 0.5) / 100.0
    };

    let mut group = c.benchmark_group("slice/tripod");
    group.sample_size(10);
    group.bench_function("setup", |b| b.iter(|| black_box(new())));
    group.sample_size(100);
    group.bench_function("contours", |b| b.iter(|| black_box(slicer.layer(0, next()))));
    group.throughput(Throughput::Bytes((PIXELS * PIXELS) as u64));
    let mut pixels = vec![0_u8; PIXELS * PIXELS];
    for (name, sampling) in [("area", Sampling::Area), ("center", Sampling::Center)] {
        let mut raster = Raster::new(grid, sampling).expect("a grid");
        group.bench_function(name, |b| {
            b.iter(|| slicer.coverage_into(&[next()], &mut raster, black_box(&mut pixels)));
        });
    }
    group.bench_function("floor", |b| {
        let mut value = 0;
        b.iter(|| {
            value ^= 1;
            black_box(&mut pixels).fill(black_box(value));
        });
    });
    group.finish();
}

/// Pixels along the longer side, and layers.
const WIDE: usize = 4000;
const LAYERS: usize = 4;

fn attributes(c: &mut Criterion) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/models/graded_bracket.vtu");
    let mesh = subsolid::read(file).expect("a bracket");
    let solid = Solid::new(&mesh).expect("a solid");
    let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default()).expect("a slicer");
    let ([low, high], [left, right]) = (slicer.heights(), slicer.plane_box());
    let pitch = (right[0] - left[0]) / WIDE as f64;
    let size = [0, 1].map(|d| ((right[d] - left[d]) / pitch).ceil() as usize);
    let grid = PixelGrid { origin: left, pitch: [pitch; 2], size };
    let source = SolidSource::new(&solid, mesh.controls(), slicer).expect("attributes");
    let height = |i: usize| low + (high - low) * (i as f64 + 0.5) / LAYERS as f64;
    let coverage =
        |i: usize| source.coverage(&[height(i)], &grid, Sampling::Area).expect("coverage");
    let covered: Vec<Vec<u16>> = (0..LAYERS).map(coverage).collect();
    let count = covered.iter().flatten().filter(|&&level| level > 0).count();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let mut group = c.benchmark_group("slice/graded bracket");
    group.sample_size(10);
    group.throughput(Throughput::Elements(count as u64));
    group.bench_function("coverage", |b| {
        b.iter(|| pool.install(|| (0..LAYERS).for_each(|i| drop(black_box(coverage(i))))));
    });
    let values = |i: usize| {
        let (height, sampling) = (height(i), Sampling::Area);
        let pixels = LayerPixels { grid: &grid, height, planes: &[height], sampling };
        source.attributes(&pixels, &covered[i]).expect("attributes")
    };
    group.bench_function("attributes", |b| {
        b.iter(|| pool.install(|| (0..LAYERS).for_each(|i| drop(black_box(values(i))))));
    });
    group.finish();
}

criterion_group!(benches, slice, attributes);
criterion_main!(benches);

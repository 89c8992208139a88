//! A hollow cone whose layers are known by formulas.

use std::collections::BTreeMap;
use std::fs;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use subsolid::Result;
use subsolid::slice::manifest::Manifest;
use subsolid::slice::output::{ImageDirectory, ImageOptions, Output};
use subsolid::slice::{
    Axis, Bits, Channel, Contour, Flip, ImageFile, Job, JobReport, Layer, LayerPixels, LayerSource,
    PixelGrid, Sampling, Setting, Stack,
};

/// Corners of every contour.
pub const CORNERS: usize = 720;
pub const HOLE: f64 = 0.4;

/// Outer radius 1.5 - height/2 for heights from -0.5 to 1, hole of radius 0.4; its
/// attributes are x and the height. Counts how often it is asked.
pub struct Cone {
    channels: Vec<Channel>,
    pub asked: AtomicUsize,
}

impl Cone {
    pub fn new() -> Self {
        let channel =
            |name: &str, range| Channel { name: name.into(), attribute: name.into(), range };
        let channels = vec![channel("x", [-1.75, 1.75]), channel("heat & height", [-0.5, 1.0])];
        Self { channels, asked: AtomicUsize::new(0) }
    }

    pub fn radius(height: f64) -> f64 {
        1.5 - 0.5 * height
    }

    /// Volume from the bottom to the top.
    pub fn volume() -> f64 {
        let cube = |z: f64| (1.5 - 0.5 * z).powi(3);
        std::f64::consts::PI * (2.0 / 3.0 * (cube(-0.5) - cube(1.0)) - 1.5 * HOLE * HOLE)
    }
}

impl LayerSource for Cone {
    fn contours(&self, index: usize, height: f64) -> Result<Layer> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let circle = |radius: f64, permutation: f64| {
            let angle =
                move |i: usize| permutation * std::f64::consts::TAU * i as f64 / CORNERS as f64;
            (0..CORNERS).map(|i| [radius * angle(i).cos(), radius * angle(i).sin()]).collect()
        };
        let outer = Contour { points: circle(Self::radius(height), 1.0), depth: 0 };
        let hole = Contour { points: circle(HOLE, -1.0), depth: 1 };
        Ok(Layer { index, height, contours: vec![outer, hole] })
    }

    fn coverage(&self, heights: &[f64], grid: &PixelGrid, sampling: Sampling) -> Result<Vec<u16>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let n = if sampling == Sampling::Area { 8 } else { 1 };
        // squares: roots would be most of the time of these tests
        let most: Vec<f64> = heights.iter().map(|&z| Self::radius(z).powi(2)).collect();
        let pixel = |i: usize| {
            let (column, row) = (i % grid.size[0], i / grid.size[0]);
            let mut count = 0;
            for sample in 0..n * n {
                let part = |i: usize| (i as f64 + 0.5) / n as f64;
                let at = [column as f64 + part(sample % n), row as f64 + part(sample / n)];
                let [x, y] = [0, 1].map(|d| grid.origin[d] + grid.pitch[d] * at[d]);
                let square = x * x + y * y;
                let inside = |&&most: &&f64| (HOLE * HOLE..=most).contains(&square);
                count += most.iter().filter(inside).count();
            }
            (count * 65535 / (n * n * heights.len())) as u16
        };
        Ok((0..grid.size[0] * grid.size[1]).map(pixel).collect())
    }

    fn attributes(&self, pixels: &LayerPixels<'_>, coverage: &[u16]) -> Result<Vec<f64>> {
        let LayerPixels { grid, height, .. } = *pixels;
        let pixels = (0..coverage.len()).filter(|&i| coverage[i] > 0);
        let values = |i: usize| [grid.center(i % grid.size[0], i / grid.size[0])[0], height];
        Ok(pixels.flat_map(values).collect())
    }

    fn attributes_at(&self, points: &[[f64; 3]], _inward: &[[f64; 3]]) -> Result<Vec<f64>> {
        Ok(points.iter().flat_map(|p| [p[0], p[2]]).collect())
    }

    fn channels(&self) -> &[Channel] {
        &self.channels
    }
}

pub fn setting() -> Setting {
    Setting {
        model: Some("cone.vtk".into()),
        model_sha256: "0".repeat(64),
        parts: Vec::new(),
        unit_mm: 1.0,
        axis: Axis::Z,
        stack: Stack::new([-0.5, 1.0], 0.05).unwrap(),
        plane: [[-1.75; 2], [1.75; 2]],
        tolerance: 1e-5,
        compensation: None,
        lattice: None,
        hatching: None,
    }
}

pub fn options() -> ImageOptions {
    ImageOptions {
        grid: setting().grid([0.03; 2], None).unwrap(),
        file: ImageFile::Png,
        bits: Bits::Eight,
        antialias: Some(2),
        curve: None,
        flip: Flip::None,
        attributes: vec![(1, [-0.5, 1.0])],
        materials: None,
        separate: false,
    }
}

pub fn open(directory: &Path, options: ImageOptions, resume: bool) -> Result<ImageDirectory> {
    ImageDirectory::open(directory, &setting(), options, Cone::new().channels(), resume)
}

/// Slices layers of the cone to the end.
pub fn slice<'a>(cone: &'a Cone, layers: Range<usize>, output: impl Output + 'a) -> JobReport {
    run(cone, layers, output, |_| ControlFlow::Continue(())).unwrap()
}

pub fn run<'a>(
    cone: &'a Cone,
    layers: Range<usize>,
    output: impl Output + 'a,
    progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<JobReport> {
    let outputs: Vec<Box<dyn Output + 'a>> = vec![Box::new(output)];
    Job { source: cone, stack: setting().stack, layers, outputs }.run(progress)
}

pub fn manifest(directory: &Path) -> Manifest {
    Manifest::read(directory).unwrap().expect("a manifest")
}

/// All files below a directory by their paths from it, hidden ones too.
pub fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap().map(std::result::Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            found.extend(
                files(&entry.path())
                    .into_iter()
                    .map(|(rest, bytes)| (format!("{name}/{rest}"), bytes)),
            )
        } else {
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    found
}

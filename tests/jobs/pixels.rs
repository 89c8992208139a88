//! Pixels of layers on real models: at faces that cells share none is missing or doubled.
//!
//! Interiors are found cell by cell, contours are those of the boundary, which knows nothing of
//! the cells inside. So the pixels with a cell must be those within the contours, each once, and
//! each must evaluate to its own center. Planes are laid through the middle of the solid, and
//! through limit points of vertices, with a pixel's center at them, where up to dozens of cells
//! meet.
//!
//! The models are those of `models/solids`, or all files below the folder that `SUBSOLID_MODELS`
//! names; `cargo test --release --test jobs pixels -- --nocapture` prints a line a model. A file
//! that is refused must be refused with an element, a line or a cell type named.

use std::path::{Path, PathBuf};

use crate::oracle::vector::{Point, distance};
use crate::support::{Limits, size};
use subsolid::locate::Locator;
use subsolid::mesh::SolidMesh;
use subsolid::slice::{
    Axis, InteriorFinder, Layer, PixelGrid, Raster, Sampling, SliceOptions, Slicer,
};
use subsolid::{Error, Result, Solid};

/// Pixels along the longest side.
const ACROSS: usize = 100;
/// Every so many pixels are evaluated.
const STRIDE: usize = 11;

#[derive(Default)]
struct Count {
    pixels: usize,
    evaluated: usize,
    // pixels that the boundary passes so near that either answer holds
    at_boundary: usize,
    wrong: Vec<String>,
}

#[test]
fn no_pixel_is_missing_or_doubled() {
    let folder = std::env::var_os("SUBSOLID_MODELS").map(PathBuf::from);
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/solids");
    let mut files = Vec::new();
    list(&folder.unwrap_or(repository), &mut files);
    files.sort();
    assert!(!files.is_empty(), "no files");
    let (mut models, mut pixels, mut refused, mut wrong) = (0, 0, 0, Vec::new());
    for file in &files {
        let name = file.display();
        match check(file) {
            Ok(count) => {
                println!(
                    "{name}: {} pixels, {} evaluated, {} at the boundary, {} wrong",
                    count.pixels,
                    count.evaluated,
                    count.at_boundary,
                    count.wrong.len()
                );
                models += 1;
                pixels += count.pixels;
                wrong.extend(count.wrong.into_iter().take(5).map(|w| format!("{name}: {w}")));
            }
            Err(error) => {
                println!("{name}: refused: {error}");
                refused += 1;
                if !names_a_place(&error) {
                    wrong.push(format!("{name} is refused without a place: {error}"));
                }
            }
        }
    }
    println!("{models} models, {pixels} pixels, {refused} files refused");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(pixels > 5_000 * models);
}

/// All files below a folder.
fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of models") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { list(&path, files) } else { files.push(path) }
    }
}

/// Whether a message has a number after the kind of thing that it numbers.
fn names_a_place(error: &Error) -> bool {
    const PLACES: [&str; 12] = [
        "cell", "cells", "face", "faces", "edge", "edges", "vertex", "vertices", "line", "type",
        "element", "point",
    ];
    let text = error.to_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).any(|pair| {
        PLACES.contains(&pair[0].trim_matches(|c: char| !c.is_alphanumeric()))
            && pair[1].starts_with(|c: char| c.is_ascii_digit())
    })
}

fn check(file: &Path) -> Result<Count> {
    let mesh = subsolid::read(file)?;
    let limits = Limits::of(Solid::new(&mesh)?, &mesh.points);
    let locator = Locator::new(&limits.solid, mesh.controls())?;
    let mut count = Count::default();
    for axis in [Axis::X, Axis::Y, Axis::Z] {
        let options = SliceOptions { axis, ..SliceOptions::default() };
        let slicer = Slicer::new(&limits.solid, mesh.controls(), options)?;
        for (grid, height) in layers(&limits, &mesh, axis) {
            check_layer(&limits, &locator, &slicer, grid, height, &mut count)?;
        }
    }
    Ok(count)
}

/// A plane at no special height, and some through limit points of vertices inside.
fn layers(limits: &Limits, mesh: &SolidMesh, axis: Axis) -> Vec<(PixelGrid, f64)> {
    // no squares
    let pitch = [1.0, 0.83].map(|part| part * size(&mesh.points) / ACROSS as f64);
    let (low, high) = mesh.bounds().expect("points");
    let elements = limits.solid.elements();
    let topology = limits.solid.topology();
    let inside = |&e: &usize| {
        let vertex = elements[e].corners[0];
        let vertices = topology.vertex_count() as u32;
        vertex < vertices && !topology.is_boundary_vertex(vertex)
    };
    let mut inside: Vec<usize> = (0..elements.len()).filter(inside).collect();
    inside = [1, 2].into_iter().filter_map(|i| inside.get(i * inside.len() / 3).copied()).collect();
    let middle: Point = std::array::from_fn(|d| low[d] + 0.471 * (high[d] - low[d]));
    let points = inside.into_iter().map(|e| limits.position(e, [0.0; 3])).chain([middle]);
    points
        .map(|point| {
            let (low, high, center) = (axis.project(low), axis.project(high), axis.project(point));
            // a pixel's center is at the point
            let before = |d: usize| ((center[d] - low[d]) / pitch[d]).ceil() + 1.0;
            let origin = [0, 1].map(|d| center[d] - (before(d) + 0.5) * pitch[d]);
            let size = [0, 1].map(|d| ((high[d] - origin[d]) / pitch[d]) as usize + 2);
            (PixelGrid { origin, pitch, size }, point[axis.number()])
        })
        .collect()
}

fn check_layer(
    limits: &Limits,
    locator: &Locator<'_>,
    slicer: &Slicer,
    grid: PixelGrid,
    height: f64,
    count: &mut Count,
) -> Result<()> {
    let axis = slicer.axis();
    let [columns, rows] = grid.size;
    let interior = InteriorFinder::new(locator, axis, grid)?.layer(height);
    count.pixels += interior.len();
    // each once
    for pair in interior.pixels.windows(2) {
        if pair[0] >= pair[1] {
            count.wrong.push(format!("{axis:?} {height}: pixel {} is doubled", pair[1]));
        }
    }
    let center = |i: usize| grid.center(i % columns, i / columns);
    let extent = columns.max(rows) as f64 * grid.pitch[0];
    for n in (0..interior.len()).step_by(STRIDE) {
        let (element, p) = (interior.elements[n] as usize, interior.parameters[n]);
        let x = axis.lift(center(interior.pixels[n] as usize), height);
        let off = distance(limits.position(element, p), x);
        count.evaluated += 1;
        if off.is_nan() || off > 1e-9 * extent {
            count.wrong.push(format!("{x:?} is {off:e} from element {element} at {p:?}"));
        }
    }
    // those and no others are within the contours
    let mut raster = Raster::new(grid, Sampling::Center)?;
    let mut covered = |height: f64| {
        let mut pixels = vec![0_u8; columns * rows];
        slicer.coverage_into(&[height], &mut raster, &mut pixels);
        pixels
    };
    let mut has_cell = vec![false; columns * rows];
    interior.pixels.iter().for_each(|&i| has_cell[i as usize] = true);
    let pixels = covered(height);
    let differ: Vec<usize> =
        (0..columns * rows).filter(|&i| has_cell[i] != (pixels[i] > 0)).collect();
    if differ.is_empty() {
        return Ok(());
    }
    // contours are exact to the tolerance, and flat sides may lie in the plane
    let near = 2.0 * slicer.tolerance();
    let layer = slicer.layer(0, height);
    let (below, above) = (covered(height - near), covered(height + near));
    for i in differ {
        if below[i] != above[i] || to_contours(&layer, center(i)) <= near {
            count.at_boundary += 1;
        } else {
            let what = if has_cell[i] { "not within the contours" } else { "in no cell" };
            count.wrong.push(format!("{:?} is {what}", axis.lift(center(i), height)));
        }
    }
    Ok(())
}

/// Distance from the contours.
fn to_contours(layer: &Layer, x: [f64; 2]) -> f64 {
    let mut least = f64::INFINITY;
    for contour in &layer.contours {
        let points = &contour.points;
        for (i, a) in points.iter().enumerate() {
            let b = points[(i + 1) % points.len()];
            let (along, to) = ([b[0] - a[0], b[1] - a[1]], [x[0] - a[0], x[1] - a[1]]);
            let squared = along[0] * along[0] + along[1] * along[1];
            let t = (along[0] * to[0] + along[1] * to[1]) / squared.max(f64::MIN_POSITIVE);
            let t = t.clamp(0.0, 1.0);
            least = least.min((to[0] - t * along[0]).hypot(to[1] - t * along[1]));
        }
    }
    least
}

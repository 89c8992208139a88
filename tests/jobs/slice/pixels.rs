//! Pixels: covered as the contours say.

use subsolid::mesh::CellKind;
use subsolid::slice::{Axis, Layer, PixelGrid, Sampling};

use super::{creased, heights, shape, slicer};
use crate::oracle::random::Random;

#[test]
fn coverage_has_the_area_of_the_contours() {
    let mesh = shape("tripod", &[]);
    let slicer = slicer(&mesh, Axis::Z, 1e-6);
    let [low, high] = slicer.plane_box();
    for pitch in [[0.01; 2], [0.037; 2], [0.012, 0.029]] {
        let size = [0, 1].map(|d| ((high[d] - low[d]) / pitch[d]).ceil() as usize + 2);
        let grid = PixelGrid { origin: [0, 1].map(|d| low[d] - pitch[d]), pitch, size };
        for height in heights(&slicer, 5) {
            let layer = slicer.layer(0, height);
            let exact: Vec<u16> =
                slicer.coverage(&[height], &grid, Sampling::Area).expect("pixels");
            let sum =
                exact.iter().map(|&p| f64::from(p) / 65535.0).sum::<f64>() * grid.pixel_area();
            let error = sum / layer.area() - 1.0;
            assert!(error.abs() < 1e-6, "{height}: {error:e}"); // 2e-7
            let bytes: Vec<u8> = slicer.coverage(&[height], &grid, Sampling::Area).expect("pixels");
            for (&fine, &coarse) in exact.iter().zip(&bytes) {
                assert!((f64::from(fine) / 257.0 - f64::from(coarse)).abs() <= 0.51);
            }
            let centers: Vec<u8> =
                slicer.coverage(&[height], &grid, Sampling::Center).expect("pixels");
            check_centers(&grid, &layer, &centers);
        }
    }
}

/// Compares pixels with a test of their middles against the contours.
fn check_centers(grid: &PixelGrid, layer: &Layer, pixels: &[u8]) {
    let mut random = Random::new(3);
    for _ in 0..2000 {
        let [column, row] = grid.size.map(|n| random.below(n));
        let [x, y] = grid.center(column, row);
        let mut inside = false;
        let mut nearest = f64::INFINITY;
        for contour in &layer.contours {
            for (k, a) in contour.points.iter().enumerate() {
                let b = contour.points[(k + 1) % contour.points.len()];
                if (a[1] > y) != (b[1] > y) {
                    let crossing = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
                    inside ^= x < crossing;
                    nearest = nearest.min((x - crossing).abs());
                }
                nearest = nearest.min((a[0] - x).hypot(a[1] - y));
            }
        }
        let pixel = pixels[row * grid.size[0] + column];
        if nearest > 0.01 * grid.pitch[0] {
            assert_eq!(pixel, if inside { 255 } else { 0 }, "pixel {column} {row}");
        }
    }
}

#[test]
fn several_heights_give_their_mean() {
    let mesh = shape("torus", &[6, 2, 1]);
    let slicer = slicer(&mesh, Axis::X, 1e-5);
    let [low, high] = slicer.plane_box();
    let pitch = (high[0] - low[0]) / 100.0;
    // smaller than the solid on all sides
    let origin = [0, 1].map(|d| low[d] + 0.2 * (high[d] - low[d]));
    let grid = PixelGrid { origin, pitch: [pitch; 2], size: [40, 17] };
    let all = &heights(&slicer, 12)[3..7];
    let mean: Vec<u16> = slicer.coverage(all, &grid, Sampling::Area).expect("pixels");
    let each: Vec<Vec<u16>> = all
        .iter()
        .map(|&h| slicer.coverage(&[h], &grid, Sampling::Area).expect("pixels"))
        .collect();
    for (i, &pixel) in mean.iter().enumerate() {
        let expected = each.iter().map(|layer| f64::from(layer[i])).sum::<f64>() / 4.0;
        assert!((f64::from(pixel) - expected).abs() <= 1.0, "{pixel} {expected}");
    }
    assert!(mean.iter().any(|&p| p > 0) && mean.iter().any(|&p| p < u16::MAX));
}

#[test]
fn overlapping_parts_fill_a_pixel_once_in_each_plane() {
    let mut mesh = creased("box", &[1, 1, 1]);
    let (low, high) = mesh.bounds().expect("points");
    let side = high[2] - low[2];
    // the same again, higher by half its height
    let start = mesh.points.len() as u32;
    let moved: Vec<_> = mesh.points.iter().map(|p| [p[0], p[1], p[2] + 0.5 * side]).collect();
    mesh.points.extend(moved);
    let corners: Vec<u32> = mesh.cells.vertices(0).iter().map(|v| v + start).collect();
    mesh.cells.push(CellKind::Hexahedron, &corners);
    for crease in mesh.creases.edges.clone() {
        let [a, b] = crease.edge().map(|v| v.0 + start);
        mesh.creases.push_edge(a, b, crease.sharpness);
    }
    let slicer = slicer(&mesh, Axis::Z, 1e-6);
    let pitch = 0.25 * (high[0] - low[0]);
    let grid = PixelGrid { origin: [low[0], low[1]], pitch: [pitch; 2], size: [4; 2] };
    // in both parts, and above them
    let heights = [0.75, 1.75].map(|part| low[2] + part * side);
    let mean: Vec<u16> = slicer.coverage(&heights, &grid, Sampling::Area).expect("pixels");
    assert_eq!(mean, [32768; 16]);
}

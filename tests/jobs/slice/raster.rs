//! Pixels of polygons: against areas of their parts in each pixel, and walls between pixels.

use subsolid::Result;
use subsolid::slice::{
    Channel, Contour, Layer, LayerPixels, LayerSource, PixelGrid, Raster, Sampling, Stack,
    thin_walls,
};

use crate::oracle::random::Random;

type Polygon = Vec<[f64; 2]>;

/// What contours are snapped to, in pixels.
const STEP: f64 = 1.0 / 8192.0;

fn raster(size: [usize; 2], sampling: Sampling, polygons: &[&[[f64; 2]]]) -> Vec<u16> {
    let grid = PixelGrid { origin: [0.0; 2], pitch: [1.0; 2], size };
    let mut raster = Raster::new(grid, sampling).unwrap();
    for polygon in polygons {
        for (k, &a) in polygon.iter().enumerate() {
            raster.add_segment(a, polygon[(k + 1) % polygon.len()]);
        }
    }
    let mut pixels = vec![0; size[0] * size[1]];
    raster.write(&mut pixels);
    pixels
}

/// The area of a polygon, positive if it runs counter-clockwise.
fn area(points: &[[f64; 2]]) -> f64 {
    Contour { points: points.to_vec(), depth: 0 }.area()
}

/// The part of a convex polygon in a pixel: cut along its sides (Sutherland and Hodgman 1974).
fn part_in([column, row]: [usize; 2], polygon: &[[f64; 2]]) -> Polygon {
    let mut part = polygon.to_vec();
    for (d, at, sign) in [
        (0, column as f64, 1.0),
        (0, column as f64 + 1.0, -1.0),
        (1, row as f64, 1.0),
        (1, row as f64 + 1.0, -1.0),
    ] {
        let inside = |p: [f64; 2]| sign * (p[d] - at);
        let mut cut = Polygon::new();
        for (k, &a) in part.iter().enumerate() {
            let b = part[(k + 1) % part.len()];
            let [before, after] = [a, b].map(inside);
            if before >= 0.0 {
                cut.push(a);
            }
            if (before < 0.0) != (after < 0.0) {
                let t = before / (before - after);
                cut.push([0, 1].map(|d| a[d] + t * (b[d] - a[d])));
            }
        }
        part = cut;
    }
    part
}

/// Also of triangles that leave the image. Corners and where sides leave a pixel are snapped, by half a
/// step each, and two sides may pass a pixel.
#[test]
fn pixels_have_the_areas_of_triangles() {
    let mut random = Random::new(5);
    let size = [7, 5];
    let mut gray = 0;
    for _ in 0..300 {
        let mut triangle = [[0.0; 2]; 3].map(|p| p.map(|_: f64| random.between(-3.0, 9.0)));
        if area(&triangle) < 0.0 {
            triangle.reverse();
        }
        let areas = raster(size, Sampling::Area, &[&triangle]);
        let centers = raster(size, Sampling::Center, &[&triangle]);
        for pixel in 0..size[0] * size[1] {
            let [column, row] = [pixel % size[0], pixel / size[0]];
            let exact = area(&part_in([column, row], &triangle));
            let found = f64::from(areas[pixel]) / 65535.0;
            assert!(
                (found - exact).abs() < 2.0 * STEP,
                "{triangle:?}: {column} {row} {found} {exact}"
            );
            gray += u32::from(exact > 0.01 && exact < 0.99);
            let center = [column, row].map(|i| i as f64 + 0.5);
            let sides = [0, 1, 2].map(|k| area(&[triangle[k], triangle[(k + 1) % 3], center]));
            if sides.iter().all(|side| side.abs() > 2e-3) {
                let white = sides.iter().all(|&side| side > 0.0);
                assert_eq!(centers[pixel], if white { u16::MAX } else { 0 }, "{triangle:?}");
            }
        }
    }
    assert!(gray > 500, "{gray}");
}

#[test]
fn centers_of_squares_that_share_an_edge_are_counted_once() {
    let left = [[0.2, 0.0], [2.5, 0.0], [2.5, 3.0], [0.2, 3.0]];
    let right = [[2.5, 0.0], [4.6, 0.0], [4.6, 3.0], [2.5, 3.0]];
    let [a, b] = [left, right].map(|p| raster([5, 3], Sampling::Center, &[&p]));
    let both = raster([5, 3], Sampling::Center, &[&left, &right]);
    for ((a, b), both) in a.iter().zip(&b).zip(both) {
        assert_eq!(both, a + b);
        assert_eq!(both, u16::MAX);
    }
}

#[test]
fn what_leaves_the_image_is_cut_off() {
    let large = [[-7.3, -1e9], [1e7, -3.0], [2.0, 1e8], [-1e12, 5.0]];
    for sampling in [Sampling::Center, Sampling::Area] {
        let pixels = raster([6, 4], sampling, &[&large]);
        assert!(pixels.iter().all(|&p| p == u16::MAX), "{pixels:?}");
        let hole = [[1.0, 1.0], [1.0, 99.0], [2.0, 99.0], [2.0, 1.0]];
        let pixels = raster([6, 4], sampling, &[&large, &hole]);
        assert_eq!(pixels.iter().filter(|&&p| p == 0).count(), 3);
    }
}

/// The same polygons at all heights.
struct Drawn(Vec<Polygon>);

impl LayerSource for Drawn {
    fn contours(&self, index: usize, height: f64) -> Result<Layer> {
        Ok(Layer { index, height, contours: Vec::new() })
    }

    fn coverage(&self, _: &[f64], grid: &PixelGrid, sampling: Sampling) -> Result<Vec<u16>> {
        let polygons: Vec<&[[f64; 2]]> = self.0.iter().map(Vec::as_slice).collect();
        Ok(raster(grid.size, sampling, &polygons))
    }

    fn attributes(&self, _: &LayerPixels<'_>, _: &[u16]) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }

    fn attributes_at(&self, _: &[[f64; 3]], _: &[[f64; 3]]) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }

    fn channels(&self) -> &[Channel] {
        &[]
    }
}

/// Gray pixels beside white ones are no wall.
#[test]
fn walls_between_the_centers_of_pixels_are_counted() {
    let stack = Stack::new([0.0, 1.0], 0.25).unwrap();
    let grid = PixelGrid { origin: [0.0; 2], pitch: [1.0; 2], size: [12, 10] };
    let rectangle = |[left, low]: [f64; 2], [right, high]: [f64; 2]| {
        vec![[left, low], [right, low], [right, high], [left, high]]
    };
    let body = rectangle([0.0, 0.0], [2.3, 10.0]);
    let found = |polygons: &[Polygon]| {
        let found = thin_walls(&Drawn(polygons.to_vec()), &stack, 0..4, &grid).unwrap();
        found.map(|message| message.to_string())
    };
    assert_eq!(found(std::slice::from_ref(&body)), None);
    let wall = |left: f64| rectangle([left, 0.0], [left + 0.3, 9.0]);
    let said = found(&[body.clone(), wall(5.6), wall(2.6)]).unwrap();
    // the second stands in pixels beside white ones
    assert!(said.contains("of 4 layers") && said.contains("in 9 pixels"), "{said}");
    assert_eq!(found(&[body, wall(5.4)]), None, "centers are in it");
}

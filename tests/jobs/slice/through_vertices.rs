//! Planes that run exactly through vertices and level edges, and next to them.

use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::slice::{Axis, Slicer};
use subsolid::surface::{Scheme, SurfaceOptions, refine_surface, vertex_limits};

use super::surfaces::{cube, slicer as closed_slicer};
use super::{check_contours, creased, shape, slicer};
use crate::support::{Limits, size};

/// What heights are rounded to: a power of two near 2⁻³⁴ of the size.
fn grid(points: &[[f64; 3]], axis: Axis) -> f64 {
    let seen = |p: &[f64; 3]| p[axis.number()];
    let farthest = points.iter().map(|p| seen(p).abs()).fold(0.0, f64::max);
    let step = (size(points) * 2.0_f64.powi(-34)).max(farthest * 2.0_f64.powi(-46));
    2.0_f64.powi(step.log2().ceil() as i32)
}

/// Heights, those within rounding, and within a step of the grid.
fn beside(heights: impl Iterator<Item = f64>, grid: f64) -> Vec<f64> {
    let mut own: Vec<f64> = heights.collect();
    own.sort_by(f64::total_cmp);
    own.dedup();
    // the lowest, the highest, and some of those between
    let step = own.len().div_ceil(12);
    let last = own.len() - 1;
    let some = own.iter().enumerate().filter(|(i, _)| i % step == 0 || *i == last);
    some.flat_map(|(_, &z)| [z, z.next_up(), z.next_down(), z + grid, z - grid]).collect()
}

/// Every face in two triangles.
fn triangulated(mesh: &SurfaceMesh) -> SurfaceMesh {
    let fan = |f: &[u32]| (1..f.len() - 1).flat_map(|k| [f[0], f[k], f[k + 1]]).collect::<Vec<_>>();
    let faces = Polygons::uniform(3, mesh.faces.iter().flat_map(fan).collect());
    SurfaceMesh::new(mesh.points.clone(), faces)
}

/// A surface, and the area of what a plane at a height cuts of it, by half a step of the grid.
type Body = (&'static str, SurfaceMesh, Box<dyn Fn(f64, f64) -> f64>);

/// Convex bodies of a size, with level faces, edges and corners.
fn bodies(size: f64, triangles: bool) -> Vec<Body> {
    let mut leaning = cube(0.0, size, triangles);
    leaning.points.iter_mut().for_each(|p| {
        *p = [p[0] + 0.3 * p[2], 0.7 * p[1] - 0.2 * p[2], p[2] / 3.0];
    });
    // a level top lies below the plane at its height
    let of_box = move |z: f64, half: f64| {
        if (-half..size / 3.0 - half).contains(&z) { 0.7 * size * size } else { 0.0 }
    };
    let mut octahedron = crate::triangles::sphere(0);
    octahedron.points.iter_mut().for_each(|p| *p = p.map(|x| size * x));
    let of_octahedron = move |z: f64, _| 2.0 * (size - z.abs()).max(0.0).powi(2);
    // a lying prism over a hexagon of this radius: two edges on top, two in the middle
    let corner = |k: u32| [(2, 1), (1, 2), (-1, 2), (-2, 1), (-1, 0), (1, 0)][k as usize];
    let points = (0..12).map(|k| {
        let (y, z) = corner(k % 6);
        [size * f64::from(k / 6), size * f64::from(y), size * f64::from(z)]
    });
    let mut faces = Polygons::default();
    faces.push(&[5, 4, 3, 2, 1, 0]);
    faces.push(&[6, 7, 8, 9, 10, 11]);
    (0..6).for_each(|k| faces.push(&[k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k]));
    let lying = SurfaceMesh::new(points.collect(), faces);
    let of_prism = move |z: f64, half: f64| {
        let inside = (-half..2.0 * size - half).contains(&z);
        if inside { size * (4.0 * size - 2.0 * (z - size).abs()) } else { 0.0 }
    };
    vec![
        ("box", leaning, Box::new(of_box)),
        ("octahedron", octahedron, Box::new(of_octahedron)),
        ("prism", if triangles { triangulated(&lying) } else { lying }, Box::new(of_prism)),
    ]
}

#[test]
fn linear_surfaces_have_their_areas_at_heights_of_vertices() {
    for (size, triangles) in [(10.0, true), (10.0, false), (0.7, true), (1e3 / 3.0, false)] {
        for (name, mesh, area) in bodies(size, triangles) {
            for levels in 0..4 {
                let scheme = Scheme::Bilinear;
                let options = SurfaceOptions { scheme, levels, ..SurfaceOptions::default() };
                let mut fine = refine_surface(&mesh, &options).unwrap();
                fine.attributes = Vec::new();
                for fine in [triangulated(&fine), fine] {
                    let slicer = closed_slicer(&fine, scheme, Axis::Z, 1e-6);
                    let grid = grid(&fine.points, Axis::Z);
                    let heights = beside(fine.points.iter().map(|p| p[2]), grid);
                    for height in heights {
                        let layer = slicer.layer(0, height);
                        let rounded = (height / grid).round() * grid;
                        let (found, expected) = (layer.area(), area(rounded, 0.5 * grid));
                        let case = format!("{name} of {size}, {levels} levels at {height}");
                        let off = (found - expected).abs();
                        assert!(off < 4e-9 * size * size, "{case}: {found} {expected}");
                        if expected > 1e-6 * size * size {
                            assert_eq!(layer.contours.len(), 1, "{case}");
                        }
                    }
                }
            }
        }
    }
}

/// Areas beside heights of vertices: all are near each other, but at the ends, where faces may be
/// level.
fn check_beside(slicer: &Slicer, heights: impl Iterator<Item = f64>, grid: f64, name: &str) {
    let [bottom, top] = slicer.heights();
    let margin = 1e-6 * (top - bottom);
    let between = heights.filter(|z| (bottom + margin..top - margin).contains(z));
    for five in beside(between, grid).chunks(5) {
        let layers: Vec<_> = five.iter().map(|&z| slicer.layer(0, z)).collect();
        layers.iter().for_each(|layer| check_contours(slicer, layer, name));
        let areas: Vec<f64> = layers.iter().map(|layer| layer.area()).collect();
        let [low, high] = [f64::min, f64::max].map(|f| areas.iter().copied().fold(areas[0], f));
        let [[left, near], [right, far]] = slicer.plane_box();
        let most = slicer.tolerance() * ((right - left) + (far - near));
        assert!(high - low <= most, "{name} at {}: {areas:?}", five[0]);
    }
}

#[test]
fn smooth_surfaces_and_solids_have_no_jumps_at_heights_of_vertices() {
    for axis in super::AXES {
        for (scheme, triangles) in [(Scheme::CatmullClark, false), (Scheme::Loop, true)] {
            let options = SurfaceOptions { scheme, levels: 2, ..SurfaceOptions::default() };
            let mut mesh = refine_surface(&cube(-1.0, 2.0, triangles), &options).unwrap();
            mesh.attributes = Vec::new();
            let limits = vertex_limits(&mesh, scheme).unwrap().positions;
            let slicer = closed_slicer(&mesh, scheme, axis, 1e-4);
            let heights = limits.iter().map(|p| p[axis.number()]);
            check_beside(&slicer, heights, grid(&mesh.points, axis), "cube");
        }
        for (name, sizes) in [("fan", &[5, 2, 2][..]), ("tripod", &[]), ("torus", &[5, 2, 1])] {
            let mesh = shape(name, sizes);
            let limits = Limits::new(&mesh);
            let corners = (0..mesh.cells.len()).flat_map(|cell| {
                (0..8_usize).map(move |k| (cell, [0, 1, 2].map(|d| (k >> d & 1) as f64)))
            });
            let heights = corners.map(|(cell, at)| limits.position(cell, at)[axis.number()]);
            let slicer = slicer(&mesh, axis, 1e-4);
            check_beside(&slicer, heights, grid(&mesh.points, axis), name);
        }
    }
}

#[test]
fn creased_boxes_have_their_areas_at_heights_of_vertices() {
    for cells in [[1, 1, 1], [2, 3, 4], [3, 5, 2]] {
        let mut mesh = creased("box", &cells);
        let extent = |d: usize| {
            let along = mesh.points.iter().map(move |p| p[d]);
            [f64::min, f64::max].map(|f| along.clone().fold(mesh.points[0][d], f))
        };
        let sides = [0, 1, 2].map(|d| extent(d)[1] - extent(d)[0]);
        let low = [0, 1, 2].map(|d| extent(d)[0]);
        for size in [1.0, 1e2 / 3.0] {
            mesh.points.iter_mut().for_each(|p| *p = p.map(|x| size * x));
            for axis in super::AXES {
                let k = axis.number();
                let slicer = slicer(&mesh, axis, 1e-6);
                let grid = grid(&mesh.points, axis);
                let area = size * size * sides[(k + 1) % 3] * sides[(k + 2) % 3];
                for height in beside(mesh.points.iter().map(|p| p[k]), grid) {
                    let z = (height / grid).round() * grid - size * low[k];
                    let inside = z > -0.5 * grid && z < size * sides[k] - 0.5 * grid;
                    let expected = if inside { area } else { 0.0 };
                    let layer = slicer.layer(0, height);
                    let found = (layer.area(), layer.contours.len());
                    assert_eq!(found.1, usize::from(inside), "{cells:?} {axis:?} at {height}");
                    assert!((found.0 - expected).abs() < 1e-6 * area, "{found:?} {expected}");
                }
            }
            mesh.points.iter_mut().for_each(|p| *p = p.map(|x| x / size));
        }
    }
}

//! Slices of the limit: against the limit itself, evaluated point by point and
//! integrated by Gauss points, which know nothing of patches.

mod compensation;
mod contours;
mod files;
mod fingerprint;
mod hatches;
mod heights;
mod lattice;
mod lengths;
mod merged;
mod nesting;
mod pixels;
mod plates;
mod raster;
mod stack;
mod surfaces;
mod through_vertices;
mod values;
mod volumes;

use crate::support::size;
use subsolid::Solid;
use subsolid::limit::VTK_CORNER;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::refine::crease_by_angle;
use subsolid::slice::{Axis, Layer, SliceOptions, Slicer};

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// A slicer of a mesh with a tolerance relative to its size.
fn slicer(mesh: &SolidMesh, axis: Axis, tolerance: f64) -> Slicer {
    let solid = Solid::new(mesh).expect("a solid");
    let tolerance = Some(tolerance * size(&mesh.points));
    Slicer::new(&solid, mesh.controls(), SliceOptions { axis, tolerance }).expect("a slicer")
}

fn shape(name: &str, sizes: &[usize]) -> SolidMesh {
    Shape::parse(name, sizes).expect("a shape").build().expect("a mesh")
}

/// The shape with its edges of 40° and more infinitely sharp.
fn creased(name: &str, sizes: &[usize]) -> SolidMesh {
    let mut mesh = shape(name, sizes);
    crease_by_angle(&mut mesh, 40.0).expect("a mesh");
    mesh
}

/// Boundary faces as (cell, constant axis, side), by counting corners.
fn boundary(mesh: &SolidMesh) -> Vec<(usize, usize, usize)> {
    let mut sides = Vec::new();
    for cell in 0..mesh.cells.len() {
        let corners = mesh.cells.hexahedron(cell).expect("a hexahedron");
        for axis in 0..3 {
            for side in 0..2 {
                let of_side = (0..8).filter(|bits| bits >> axis & 1 == side);
                let mut key: Vec<u32> = of_side.map(|bits| corners[VTK_CORNER[bits]]).collect();
                key.sort_unstable();
                sides.push((key, (cell, axis, side)));
            }
        }
    }
    sides.sort();
    let is_alone = |i: usize| {
        let same =
            |j: Option<usize>| j.and_then(|j| sides.get(j)).is_some_and(|s| s.0 == sides[i].0);
        !same(i.checked_sub(1)) && !same(Some(i + 1))
    };
    (0..sides.len()).filter(|&i| is_alone(i)).map(|i| sides[i].1).collect()
}

/// A point of a boundary face, in the parameters of its cell.
fn on_side((_, axis, side): (usize, usize, usize), [s, t]: [f64; 2]) -> [f64; 3] {
    let mut p = [side as f64; 3];
    (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (s, t);
    p
}

/// Heights spread over a solid, some of them those of its control points.
fn heights(slicer: &Slicer, count: usize) -> Vec<f64> {
    let [low, high] = slicer.heights();
    (0..count).map(|i| low + (high - low) * (i as f64 + 0.5) / count as f64).collect()
}

/// Contours are counter-clockwise outside, clockwise inside, and lie in the box.
fn check_contours(slicer: &Slicer, layer: &Layer, name: &str) {
    let [low, high] = slicer.plane_box();
    for contour in &layer.contours {
        assert!(contour.points.len() > 2, "{name}");
        let sign = if contour.depth % 2 == 0 { 1.0 } else { -1.0 };
        let limit = -slicer.tolerance() * (high[0] - low[0]);
        assert!(
            sign * contour.area() > limit,
            "{name}: depth {} area {}",
            contour.depth,
            contour.area()
        );
        // points are sums of four products, each rounded
        let ulps = |x: f64| 4.0 * f64::EPSILON * x.abs();
        let inside = |p: &[f64; 2]| {
            (0..2).all(|d| low[d] - ulps(low[d]) <= p[d] && p[d] <= high[d] + ulps(high[d]))
        };
        let outside = contour.points.iter().find(|p| !inside(p));
        assert_eq!(outside, None, "{name}: {low:?} {high:?}");
        let repeated = contour.points.windows(2).any(|pair| pair[0] == pair[1]);
        assert!(!repeated, "{name}");
    }
}

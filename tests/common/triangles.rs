//! Triangle meshes of known shape: spheres and squares.

use std::f64::consts::PI;

use subsolid::mesh::{Polygons, SurfaceMesh};

/// A unit sphere: an octahedron, every triangle in 4, `levels` times.
pub fn sphere(levels: usize) -> SurfaceMesh {
    let mut points: Vec<[f64; 3]> = vec![
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ];
    let mut faces: Vec<[u32; 3]> = vec![
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    for _ in 0..levels {
        let mut middle = std::collections::BTreeMap::new();
        let mut finer = Vec::new();
        for &[a, b, c] in &faces {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[a, b]| {
                *middle.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    let sum: [f64; 3] =
                        std::array::from_fn(|d| points[a as usize][d] + points[b as usize][d]);
                    let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
                    points.push(sum.map(|x| x / length));
                    points.len() as u32 - 1
                })
            });
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        faces = finer;
    }
    SurfaceMesh::new(points, Polygons::uniform(3, faces.as_flattened().to_vec()))
}

/// A closed prism over an equilateral triangle of radius 1, `rings` rings of edge length `height`
/// high, its bottom the vertices 0, 1 and 2.
pub fn prism(rings: u32, height: f64) -> SurfaceMesh {
    let corner = |ring: u32, k: u32| {
        let angle = 2.0 * PI * f64::from(k) / 3.0;
        [angle.cos(), angle.sin(), height * f64::from(ring)]
    };
    let points = (0..=rings).flat_map(|ring| (0..3).map(move |k| corner(ring, k))).collect();
    let mut faces = vec![[0, 2, 1], [3 * rings, 3 * rings + 1, 3 * rings + 2]];
    for (ring, k) in (0..rings).flat_map(|ring| (0..3).map(move |k| (ring, k))) {
        let [a, b] = [3 * ring + k, 3 * ring + (k + 1) % 3];
        faces.extend([[a, b, b + 3], [a, b + 3, a + 3]]);
    }
    SurfaceMesh::new(points, Polygons::uniform(3, faces.as_flattened().to_vec()))
}

/// The unit square in `n` × `n` cells of two triangles; inner vertices moved a little.
pub fn square(n: usize) -> SurfaceMesh {
    let at = |i: usize, j: usize| (j * (n + 1) + i) as u32;
    let shift = |i: usize, j: usize| {
        let inner = i > 0 && j > 0 && i < n && j < n;
        if inner { 0.2 * ((7 * i + 3 * j) as f64).sin() / n as f64 } else { 0.0 }
    };
    let mut points = Vec::new();
    let mut faces = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let [x, y] = [i, j].map(|x| x as f64 / n as f64);
            points.push([x + shift(i, j), y + shift(j, i), 0.0]);
            if i < n && j < n {
                faces.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                faces.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    SurfaceMesh::new(points, Polygons::uniform(3, faces.as_flattened().to_vec()))
}

/// Angle between unit vectors: their distance along the unit sphere.
#[allow(dead_code)] // not all test programs use it
pub fn angle(a: [f64; 3], b: [f64; 3]) -> f64 {
    let dot: f64 = (0..3).map(|d| a[d] * b[d]).sum();
    dot.clamp(-1.0, 1.0).acos().min(PI)
}

//! Hexahedra around one extraordinary vertex, given by its link.

use super::super::SolidMesh;
use super::builder::{KeyedPoints, ShapeBuilder};
use super::embedding;
use super::link::VertexLink;
use crate::error::Result;

/// Distance from the center of a face's far corner and of a cell's, where an
/// edge has length 1: between a sphere (1, 1) and the cube (√2, √3).
const FACE_REACH: f64 = 1.2;
const CELL_REACH: f64 = 1.35;

impl VertexLink {
    /// One cell per triangle, each split into rings³.
    pub(super) fn build(&self, rings: usize) -> Result<SolidMesh> {
        let directions = embedding::on_sphere(self)?;
        let toward = |corners: &[u32], reach: f64| {
            let sum = [0, 1, 2].map(|d| corners.iter().map(|&v| directions[v as usize][d]).sum());
            embedding::normalized(sum).map(|x| reach * x)
        };
        // Key: the link's simplex, sorted and filled with MAX; all MAX is the center.
        let mut vertices = KeyedPoints::new();
        let mut vertex = |corners: &[u32]| {
            let mut key = [u32::MAX; 3];
            key[..corners.len()].copy_from_slice(corners);
            key.sort_unstable();
            vertices.vertex(key, |_| match corners.len() {
                0 => [0.0; 3],
                1 => directions[corners[0] as usize],
                2 => toward(corners, FACE_REACH),
                _ => toward(corners, CELL_REACH),
            })
        };
        let cells: Vec<[u32; 8]> = self
            .triangles()
            .iter()
            .map(|&[a, b, c]| {
                [&[] as &[u32], &[a], &[a, b], &[b], &[c], &[a, c], &[a, b, c], &[b, c]]
                    .map(&mut vertex)
            })
            .collect();
        Ok(split(&vertices.into_points(), &cells, rings as u64))
    }
}

/// Splits every cell into n³ by trilinear interpolation.
fn split(points: &[[f64; 3]], cells: &[[u32; 8]], n: u64) -> SolidMesh {
    // Key: corners and their weights times n³, sorted, unused corners last. Cells
    // that share a face weigh its corners alike, and the position follows from
    // the sorted key, so it does not depend on which cell comes first.
    let mut builder = ShapeBuilder::new(|key: [(u32, u64); 8]| {
        [0, 1, 2].map(|d| {
            key.iter()
                .filter(|(_, weight)| *weight > 0)
                .map(|&(corner, weight)| weight as f64 * points[corner as usize][d])
                .sum::<f64>()
                / (n * n * n) as f64
        })
    });
    for cell in cells {
        let key = |[i, j, k]: [u64; 3]| {
            let mut key: [(u32, u64); 8] = std::array::from_fn(|c| {
                let [u, v, w] = UNIT_CUBE[c];
                let weight = |high: u64, t: u64| if high == 1 { t } else { n - t };
                match weight(u, i) * weight(v, j) * weight(w, k) {
                    0 => (u32::MAX, 0),
                    weight => (cell[c], weight),
                }
            });
            key.sort_unstable();
            key
        };
        for k in 0..n {
            for j in 0..n {
                for i in 0..n {
                    builder.hexahedron(UNIT_CUBE.map(|[u, v, w]| key([i + u, j + v, k + w])));
                }
            }
        }
    }
    builder.finish()
}

/// Corners of the unit cube in VTK order.
const UNIT_CUBE: [[u64; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

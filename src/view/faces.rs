//! The boundary of a solid with ghosts: the outer faces of its tricubic pieces as bicubic patches.
//!
//! Such a boundary is no subdivision surface: its limit depends on control points on both sides.

use super::lattice::{FINE, Lattice};
use super::scene::Scene;
use super::values::{push_values, range_at_thirds};
use crate::bezier::{Piece, Pieces};
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::limit::boundary::{BoundaryFace, boundary_faces};
use crate::limit::{Leaf, Solid};
use crate::mesh::SolidMesh;
use crate::topology::Orientation;

/// A face of a piece.
struct PieceFace<'s> {
    leaf: &'s Leaf,
    /// Which piece of the leaf, and its box.
    piece: (usize, Piece),
    face: BoundaryFace,
}

impl PieceFace<'_> {
    /// Its 16 Bézier points, s fastest, among the pieces of its leaf, `[piece][w][v][u][width]`.
    fn patch(&self, points: &[f64], width: usize) -> Vec<f64> {
        let BoundaryFace { axis, side, along: [a, b], .. } = self.face;
        let place = |k: usize| (3 * side) << (2 * axis) | (k % 4) << (2 * a) | (k / 4) << (2 * b);
        let own = &points[64 * width * self.piece.0..][..64 * width];
        (0..16).flat_map(|k| own[width * place(k)..][..width].iter().copied()).collect()
    }

    /// Origin and two directions in the element's parameters.
    fn place(&self) -> [[f64; 3]; 3] {
        let (BoundaryFace { axis, side, along, .. }, (_, piece)) = (self.face, self.piece);
        let mut origin = piece.origin;
        origin[axis] = side as f64;
        let [s, t] = along.map(|d| {
            let mut direction = [0.0; 3];
            direction[d] = piece.size[d];
            direction
        });
        [origin, s, t]
    }
}

/// Adds the patches: `points` and so on (see [`Lattice::write`]), `element` and `place` (origin and
/// two directions in its parameters) of each, `attribute K`. Toward extraordinary edges and vertices
/// there are `rings` rings of exact patches; what remains interpolates the limit.
///
/// # Errors
/// As [`Pieces::new`].
pub fn push(
    scene: &mut Scene,
    solid: &Solid,
    mesh: &SolidMesh,
    (orientation, rings): (&Orientation, usize),
) -> Result<()> {
    let pieces = Pieces::new(solid, rings)?;
    let mut faces = Vec::new();
    for face in boundary_faces(solid, orientation) {
        for leaf in solid.element_leaves(face.element as usize) {
            let own = pieces.of(leaf).enumerate().filter(|(_, p)| face.meets(&p.origin, &p.size));
            faces.extend(own.map(|piece| PieceFace { leaf, piece, face }));
        }
    }
    let refined = solid.refined_points(mesh.points.as_flattened(), 3);
    // faces of one leaf share its points: deep leaves have hundreds of pieces
    let of_leaves = || faces.chunk_by(|a, b| std::ptr::eq(a.leaf, b.leaf));
    let (mut lattice, mut error) = (Lattice::new(FINE), 0.0_f64);
    for faces in of_leaves() {
        stop_point();
        let points = pieces.points(faces[0].leaf, &refined, 3);
        let errors = pieces.errors(faces[0].leaf, &refined);
        for face in faces {
            lattice.push(scene, face.patch(&points, 3).as_chunks::<3>().0.iter().copied());
            if !face.piece.1.exact {
                error = error.max(errors[face.piece.0]);
            }
        }
    }
    lattice.write(&mut scene.shell);
    scene.error = Some(error);
    let elements: Vec<u32> = faces.iter().map(|face| face.face.element).collect();
    let places = faces.iter().flat_map(|face| face.place().into_iter().flatten());
    scene.shell.push("element", &elements);
    scene.shell.push("place", &places.map(|x| x as f32).collect::<Vec<f32>>());
    let mut number = 0;
    for attribute in &mesh.attributes {
        let width = attribute.width;
        let refined = solid.refined_points(&attribute.values, width);
        let mut values = Vec::with_capacity(16 * width * faces.len());
        for faces in of_leaves() {
            stop_point();
            let points = pieces.points(faces[0].leaf, &refined, width);
            faces.iter().for_each(|face| values.extend(face.patch(&points, width)));
        }
        for component in 0..width {
            let own: Vec<f64> = values.iter().skip(component).step_by(width).copied().collect();
            push_values(&mut scene.shell, &format!("attribute {number}"), &own);
            scene.include(number, range_at_thirds(&own, 2));
            number += 1;
        }
    }
    Ok(())
}

//! The inside of a solid as tricubic Bézier pieces.

use rayon::prelude::*;

use super::lattice::{COARSE, Lattice};
use super::scene::Scene;
use super::values::push_values;
use crate::bezier::Pieces;
use crate::error::{Error, Result, option};
use crate::interrupt::stop_point;
use crate::limit::Solid;
use crate::memory;
use crate::mesh::SolidMesh;
use crate::numbers::counted;

/// Leaves that are worked on at once.
const TASK_LEAVES: usize = 256;

/// Bytes of a piece on its way into a page: its points in two lattices and twice as bytes, its
/// place.
const PIECE_BYTES: u128 = 1600;
/// Bytes of a value of an attribute on a piece: all components, then each with its differences.
const VALUE_BYTES: u128 = 64 * 8;

/// Pieces above which there are fewer rings.
const MAX_FULL_RING_PIECES: usize = 150_000;
/// Maximum number of pieces of a page.
const MAX_PIECES: usize = 2_000_000;

/// Pieces with `rings` rings, or with fewer if there are many, and how many.
fn pieces(solid: &Solid, rings: usize) -> Result<(Pieces<'_>, usize)> {
    for rings in (0..=rings).rev() {
        let pieces = Pieces::new(solid, rings)?;
        let count = solid.leaves().par_iter().map(|leaf| pieces.of(leaf).count()).sum();
        if count <= MAX_FULL_RING_PIECES || (rings == 0 && count <= MAX_PIECES) {
            return Ok((pieces, count));
        }
    }
    let count = solid.leaves().len();
    Err(Error::request(format!("the inside has {count} pieces, and a page holds {MAX_PIECES}"))
        .with_help(message!("show the boundary alone (", option("interior", false), ")")))
}

/// Adds the pieces: `points` and so on, `element` and `box` (origin and edge lengths in its
/// parameters) of each, `attribute K`.
///
/// # Errors
/// [`Error::Request`] for more pieces than a page holds.
pub fn push(scene: &mut Scene, solid: &Solid, mesh: &SolidMesh, rings: usize) -> Result<()> {
    let (pieces, count) = pieces(solid, rings)?;
    let widest = mesh.attributes.iter().map(|attribute| attribute.width + 3).max();
    let need = count as u128 * (PIECE_BYTES + VALUE_BYTES * widest.unwrap_or(0) as u128);
    memory::check_half(format!("{} of the inside need", counted(count, "piece")), need, |_| {
        message!("show the boundary alone (", option("interior", false), ")")
    })?;
    let leaves = solid.leaves();
    let refined = solid.refined_points(mesh.points.as_flattened(), 3);
    let parts: Vec<(Lattice, f64)> = leaves
        .par_chunks(TASK_LEAVES)
        .map(|leaves| {
            stop_point();
            let (mut lattice, mut error) = (Lattice::new(COARSE), 0.0_f64);
            for leaf in leaves {
                let points = pieces.points(leaf, &refined, 3);
                for points in points.chunks_exact(192) {
                    lattice.push(scene, points.as_chunks().0.iter().copied());
                }
                error = pieces.errors(leaf, &refined).into_iter().fold(error, f64::max);
            }
            (lattice, error)
        })
        .collect();
    let mut lattice = Lattice::new(COARSE);
    for (part, error) in parts {
        lattice.append(part);
        scene.interior_error = scene.interior_error.max(error);
    }
    lattice.write(&mut scene.interior);
    let (mut elements, mut boxes) = (Vec::with_capacity(count), Vec::with_capacity(6 * count));
    for piece in leaves.iter().flat_map(|leaf| pieces.of(leaf)) {
        elements.push(piece.element);
        boxes.extend(piece.origin.iter().chain(&piece.size).map(|&x| x as f32));
    }
    scene.interior.push("element", &elements);
    scene.interior.push("box", &boxes);

    let mut number = 0;
    for attribute in &mesh.attributes {
        let width = attribute.width;
        let refined = solid.refined_points(&attribute.values, width);
        let values: Vec<f64> =
            leaves.par_iter().flat_map_iter(|leaf| pieces.points(leaf, &refined, width)).collect();
        for component in 0..width {
            let values: Vec<f64> = values.iter().skip(component).step_by(width).copied().collect();
            push_values(&mut scene.interior, &format!("attribute {number}"), &values);
            number += 1;
        }
    }
    Ok(())
}

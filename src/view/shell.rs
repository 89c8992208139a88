//! The limit of a surface as bicubic Bézier patches.
//!
//! On a regular leaf, and on the rings of squares toward an extraordinary vertex, the limit is
//! bicubic (Stam 1998): the patch that interpolates it at 4 × 4 places is the limit. What
//! remains at the vertex only interpolates it there; its distance from the limit is measured
//! half-way between.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::boundary_map::BoundaryMap;
use super::lattice::{FINE, Lattice};
use super::scene::Scene;
use super::square::{ParameterSquare, PlacedSquare};
use super::values::{push_values, range_at_thirds};
use crate::basis::bernstein;
use crate::bezier::{FIT_MARGIN, interpolate};
use crate::error::{Result, option_name};
use crate::interrupt::stop_point;
use crate::memory;
use crate::mesh::SurfaceMesh;
use crate::numbers::counted;
use crate::numbers::vector::norm;
use crate::plan::Want;
use crate::surface::limit::{LimitSurface, SurfaceLeafKind, SurfaceLocation};

/// Squares whose limits are in memory at once.
const SQUARES: usize = 1 << 14;

/// Bytes of a patch on its way into a page: its square, its points in the lattice and twice as
/// bytes, its place.
const PATCH_BYTES: u128 = 500;

/// Bytes of a component of an attribute on a patch: values, differences from their base, and bytes.
const VALUE_BYTES: u128 = 16 * (8 + 4 + 4 + 4);

/// Patches at extraordinary vertices are at most so far from the limit, over the size of the model,
/// if there are rings enough; farther in proportion where there are more faces than [`FULL_FACES`],
/// each of which is then small on the screen.
const TOLERANCE: f64 = 2e-6;
const FULL_FACES: usize = 2000;

/// The elements that a single patch shows to within `tolerance`, among elements of several leaves.
fn whole_elements(
    limit: &LimitSurface,
    refined: &[[f64; 3]],
    tolerance: f64,
) -> Result<HashMap<u32, f64>> {
    let whole = |element| ParameterSquare { element, origin: [0.0; 2], size: 1.0 };
    let several = limit.leaves().windows(2).filter(|pair| pair[0].element == pair[1].element);
    let mut candidates: Vec<_> = several.map(|pair| whole(pair[0].element)).collect();
    candidates.dedup();
    let mut found = HashMap::new();
    for squares in candidates.chunks(SQUARES) {
        let errors = squares.iter().zip(errors(limit, refined, squares)?);
        let near = errors.filter(|(_, error)| *error <= tolerance);
        found.extend(near.map(|(square, error)| (square.element, error)));
    }
    Ok(found)
}

/// The squares that the patches stand on: whole elements where that is enough. Toward an
/// extraordinary vertex there are as many rings of exact ones as it takes for what remains to be
/// within `tolerance` of the limit, `rings` at most. Returns the largest distance from the limit,
/// too.
fn squares(
    limit: &LimitSurface,
    refined: &[[f64; 3]],
    rings: usize,
    tolerance: f64,
) -> Result<(Vec<ParameterSquare>, f64)> {
    let mut remainders: Vec<(ParameterSquare, usize)> = Vec::new();
    let whole = whole_elements(limit, refined, tolerance)?;
    let mut worst = whole.values().copied().fold(0.0_f64, f64::max);
    let mut squares: Vec<ParameterSquare> = Vec::new();
    for leaf in limit.leaves() {
        if whole.contains_key(&leaf.element) {
            if squares.last().is_none_or(|last| last.element != leaf.element) {
                let (element, origin, size) = (leaf.element, [0.0; 2], 1.0);
                squares.push(ParameterSquare { element, origin, size });
            }
            continue;
        }
        let affine = leaf.affine(limit.scheme());
        // local = p / size - origin / size
        let size = 1.0 / affine.matrix[0][0];
        let origin = affine.offset.map(|x| -x * size);
        let whole = ParameterSquare { element: leaf.element, origin, size };
        match leaf.kind {
            SurfaceLeafKind::Regular(_) => squares.push(whole),
            SurfaceLeafKind::Irregular(_, placement) => {
                // which quarter is at the corner
                let near = [0, 1, 3, 2][usize::from(placement.corner)];
                remainders.push((whole, near));
            }
        }
    }
    for ring in 0..=rings {
        let mut errors = Vec::with_capacity(remainders.len());
        for remainders in remainders.chunks(SQUARES) {
            let tried: Vec<ParameterSquare> = remainders.iter().map(|r| r.0).collect();
            errors.extend(self::errors(limit, refined, &tried)?);
        }
        let mut next = Vec::new();
        for (&(square, near), error) in remainders.iter().zip(errors) {
            if error <= tolerance || ring == rings {
                worst = worst.max(error);
                squares.push(square);
                continue;
            }
            for (k, quarter) in square.quarters().into_iter().enumerate() {
                if k == near {
                    next.push((quarter, near));
                } else {
                    squares.push(quarter);
                }
            }
        }
        remainders = next;
    }
    Ok((squares, worst))
}

/// Bézier points of a few squares.
fn patches(
    limit: &LimitSurface,
    refined: &[[f64; 3]],
    squares: &[ParameterSquare],
) -> Result<Vec<[[f64; 3]; 16]>> {
    let third = |k: usize| k as f64 / 3.0;
    let places: Vec<SurfaceLocation> = squares
        .iter()
        .flat_map(|square| (0..16).map(move |k| square.at(third(k % 4), third(k / 4))))
        .collect();
    let mut values = limit.evaluate_refined(refined, &places, Want::POSITION)?.positions;
    let (patches, _) = values.as_chunks_mut::<16>();
    patches.par_iter_mut().for_each(|points| {
        stop_point();
        [3, 12].into_iter().for_each(|stride| interpolate(points.as_flattened_mut(), stride));
    });
    Ok(values.as_chunks().0.to_vec())
}

/// Largest distance of the patch on each square from the limit, half-way between the places that
/// it interpolates.
fn errors(
    limit: &LimitSurface,
    refined: &[[f64; 3]],
    squares: &[ParameterSquare],
) -> Result<Vec<f64>> {
    let between = |k: usize| (k as f64 + 0.5) / 3.0;
    let places: Vec<SurfaceLocation> = squares
        .iter()
        .flat_map(|square| (0..9).map(move |k| square.at(between(k % 3), between(k / 3))))
        .collect();
    let values = limit.evaluate_refined(refined, &places, Want::POSITION)?.positions;
    let patches = patches(limit, refined, squares)?;
    let error = |(patch, values): (&[[f64; 3]; 16], &[[f64; 3]])| {
        let distance = |(k, value): (usize, &[f64; 3])| {
            let (s, t) = (bernstein::cubic(between(k % 3)), bernstein::cubic(between(k / 3)));
            let mut rest = *value;
            for (p, point) in patch.iter().enumerate() {
                (0..3).for_each(|d| rest[d] -= s[p % 4] * t[p / 4] * point[d]);
            }
            norm(rest)
        };
        values.iter().enumerate().map(distance).fold(0.0, f64::max)
    };
    Ok(patches.par_iter().zip(values.par_chunks(9)).map(error).collect())
}

/// Adds the patches of a surface: `points` and so on (see [`Lattice::write`]), `element` and
/// `place` (origin and two directions in its parameters) of each, `attribute K`. `map` says where
/// squares lie in the elements of a solid whose boundary the surface is.
pub fn push(
    scene: &mut Scene,
    limit: &LimitSurface,
    mesh: &SurfaceMesh,
    rings: usize,
    map: Option<&BoundaryMap>,
) -> Result<()> {
    let refined = limit.refined_points(&mesh.points)?;
    let scale = (mesh.faces.len() as f64 / FULL_FACES as f64).max(1.0);
    let (mut squares, error) = squares(limit, &refined, rings, scale * TOLERANCE * scene.size)?;
    scene.error = Some(FIT_MARGIN * error);
    let holes: HashSet<u32> = mesh.holes.iter().copied().collect();
    squares.retain(|square| !holes.contains(&limit.elements()[square.element as usize].face));
    if let Some(map) = map {
        squares = squares.into_iter().flat_map(|square| map.split(square)).collect();
    }
    let place = |square: &ParameterSquare| match map {
        Some(map) => map.place(square),
        None => PlacedSquare {
            element: square.element,
            origin: [square.origin[0], square.origin[1], 0.0],
            along: [[square.size, 0.0, 0.0], [0.0, square.size, 0.0]],
        },
    };
    let components: usize = mesh.attributes.iter().map(|attribute| attribute.width).sum();
    let need = squares.len() as u128 * (PATCH_BYTES + VALUE_BYTES * components.min(3) as u128);
    memory::check(
        format!("{} of the boundary need", counted(squares.len(), "patch")),
        need,
        |_| message!("ask for fewer ", option_name("rings"), ", or take a coarser mesh"),
    )?;
    let mut lattice = Lattice::new(FINE);
    for squares in squares.chunks(SQUARES) {
        let found = patches(limit, &refined, squares)?;
        found.iter().for_each(|points| lattice.push(scene, points.iter().copied()));
    }
    lattice.write(&mut scene.shell);
    let elements: Vec<u32> = squares.iter().map(|square| place(square).element).collect();
    let places: Vec<f32> = squares
        .iter()
        .map(place)
        .flat_map(|p| [p.origin, p.along[0], p.along[1]].into_iter().flatten())
        .map(|x| x as f32)
        .collect();
    scene.shell.push("element", &elements);
    scene.shell.push("place", &places);

    // attributes, three components at a time
    let columns: Vec<Vec<f64>> = mesh
        .attributes
        .iter()
        .flat_map(|a| {
            (0..a.width).map(|c| a.values.iter().skip(c).step_by(a.width).copied().collect())
        })
        .collect();
    for (group, columns) in columns.chunks(3).enumerate() {
        let values: Vec<[f64; 3]> = (0..mesh.points.len())
            .map(|v| std::array::from_fn(|d| columns.get(d).map_or(0.0, |column| column[v])))
            .collect();
        let refined = limit.refined_points(&values)?;
        let mut found = vec![Vec::with_capacity(16 * squares.len()); columns.len()];
        for squares in squares.chunks(SQUARES) {
            let patches = patches(limit, &refined, squares)?;
            for (d, found) in found.iter_mut().enumerate() {
                found.extend(patches.iter().flatten().map(|value| value[d]));
            }
        }
        for (d, values) in found.into_iter().enumerate() {
            let number = 3 * group + d;
            push_values(&mut scene.shell, &format!("attribute {number}"), &values);
            scene.include(number, range_at_thirds(&values, 2));
        }
    }
    Ok(())
}

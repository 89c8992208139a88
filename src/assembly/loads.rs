//! Loads: integrals of basis functions times forces.

use std::ops::Range;
use std::str::FromStr;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::numbers::counted;
use crate::quadrature::{BasisValues, BoundaryPart, LeafQuantities, Mapping, Regions};

/// Quadrature points of a piece.
const PIECE_POINTS: usize = 1 << 14;

/// ∫ Nₐ t over the boundary, `[vertex][xyz]`: `traction(face, point, normal)` is the force on an
/// area unit, at a point of a face of the mesh.
///
/// # Errors
/// [`Error::Request`] for a quadrature of the volume, and for loads that are
/// not finite.
pub fn surface_load(
    mapping: &Mapping<'_>,
    traction: impl Fn(u32, [f64; 3], [f64; 3]) -> [f64; 3] + Sync,
) -> Result<Vec<[f64; 3]>> {
    let quadrature = mapping.quadrature();
    quadrature.check_boundary()?;
    load(mapping, |mapped, at| {
        let leaf = mapped.leaves.start + at / quadrature.samples(mapped.batch);
        let face = quadrature.batches()[mapped.batch].faces[leaf];
        traction(face, mapped.points[at], mapped.normals[at])
    })
}

/// ∫ Nₐ f over the volume, `[vertex][xyz]`: `force(point)` is the force on a volume unit.
///
/// # Errors
/// [`Error::Request`] for a quadrature of the boundary and loads that are not finite; if a device
/// fails.
pub fn body_load(
    mapping: &Mapping<'_>,
    force: impl Fn([f64; 3]) -> [f64; 3] + Sync,
) -> Result<Vec<[f64; 3]>> {
    mapping.quadrature().check_volume()?;
    load(mapping, |mapped, at| force(mapped.points[at]))
}

/// ∫ Nₐ f, `[vertex][xyz]`: `forces[point]` on a volume unit, or on an area unit for a quadrature
/// of the boundary, at all quadrature points in the order of batches, leaves and samples.
///
/// # Errors
/// [`Error::Request`] for another number of forces, and for loads that are not finite; if a device
/// fails.
pub fn point_load(mapping: &Mapping<'_>, forces: &[[f64; 3]]) -> Result<Vec<[f64; 3]>> {
    let (have, need) = (forces.len(), mapping.quadrature().sample_count());
    if have != need {
        return Err(Error::request(format!(
            "{} for {}",
            counted(have, "force"),
            counted(need, "quadrature point")
        ))
        .with_help("give one for each, in the order of the batches"));
    }
    let found = point_sums(mapping, forces.as_flattened(), 3)?;
    Ok(found.as_chunks().0.to_vec())
}

/// ∫ Nₐ f, `[vertex][width]`, of `values`, `[point][width]`, as [`point_load`].
pub(super) fn point_sums(mapping: &Mapping<'_>, values: &[f64], width: usize) -> Result<Vec<f64>> {
    let quadrature = mapping.quadrature();
    let batches = quadrature.batches().iter().enumerate();
    let starts: Vec<usize> = batches
        .scan(0, |end, (b, batch)| {
            Some(std::mem::replace(end, *end + batch.leaves.len() * quadrature.samples(b)))
        })
        .collect();
    sums(mapping, width, |mapped, at, to| {
        let first = starts[mapped.batch] + mapped.leaves.start * quadrature.samples(mapped.batch);
        to.copy_from_slice(&values[(first + at) * width..][..width]);
    })
}

/// [`sums`] of forces.
fn load(
    mapping: &Mapping<'_>,
    force: impl Fn(&LeafQuantities, usize) -> [f64; 3] + Sync,
) -> Result<Vec<[f64; 3]>> {
    let found = sums(mapping, 3, |mapped, at, to| to.copy_from_slice(&force(mapped, at)))?;
    Ok(found.as_chunks().0.to_vec())
}

/// ∫ Nₐ f, `[vertex][width]`, where `value` writes f at a point of what is mapped; sums in the order of
/// the pieces.
fn sums(
    mapping: &Mapping<'_>,
    width: usize,
    value: impl Fn(&LeafQuantities, usize, &mut [f64]) + Sync,
) -> Result<Vec<f64>> {
    let quadrature = mapping.quadrature();
    let of_piece = |mapped: &mut LeafQuantities, (batch, leaves): (usize, Range<usize>)| {
        mapping.evaluate(batch, leaves.clone(), mapped)?;
        let basis = quadrature.own_basis(batch);
        let BasisValues { samples, controls, .. } = *basis.basis;
        let vertices = quadrature.batches()[batch].controls;
        // [component][control] of a leaf, [leaf][component][vertex]
        let (mut own, mut f) = (vec![0.0; width * controls], vec![0.0; width]);
        let mut found = vec![0.0; leaves.len() * width * vertices];
        for (i, found) in found.chunks_exact_mut(width * vertices).enumerate() {
            own.fill(0.0);
            for (s, functions) in basis.basis.values.chunks_exact(controls).enumerate() {
                let at = i * samples + s;
                value(mapped, at, &mut f);
                for (f, own) in f.iter().zip(own.chunks_exact_mut(controls)) {
                    let f = f * mapped.measures[at];
                    own.iter_mut().zip(functions).for_each(|(sum, n)| *sum += n * f);
                }
            }
            let components = own.chunks_exact(controls).zip(found.chunks_exact_mut(vertices));
            components.for_each(|(own, found)| basis.pull_sums(own, found));
        }
        let ids = &quadrature.batches()[batch].control_ids;
        Ok((ids[leaves.start * vertices..leaves.end * vertices].chunks_exact(vertices), found))
    };
    let pieces = quadrature.pieces(PIECE_POINTS);
    let mut all = vec![0.0; quadrature.solid().topology().vertex_count() * width];
    for group in pieces.chunks(256) {
        let found: Vec<_> = group
            .par_iter()
            .cloned()
            .map_init(LeafQuantities::default, of_piece)
            .collect::<Result<_>>()?;
        for (nets, own) in found {
            for (ids, own) in nets.clone().zip(own.chunks_exact(own.len() / nets.len())) {
                for (d, own) in own.chunks_exact(ids.len()).enumerate() {
                    ids.iter().zip(own).for_each(|(&id, x)| all[id as usize * width + d] += x);
                }
            }
        }
    }
    if !all.iter().all(|x| x.is_finite()) {
        return Err(Error::request("loads overflow or are not numbers")
            .with_help("give finite forces, or forces or the model in other units"));
    }
    Ok(all)
}

/// A force on each area unit of a part of the boundary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartLoad {
    /// The part.
    pub part: BoundaryPart,
    /// Force per unit area.
    pub traction: [f64; 3],
}

impl FromStr for PartLoad {
    type Err = String;

    /// `PART=FX,FY,FZ`
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        // names may hold =; commas may be written as in lists
        let (part, numbers) = text.rsplit_once('=').ok_or("give PART=FX,FY,FZ")?;
        let part = BoundaryPart::Text(part.replace(r"\,", ","));
        Ok(Self { part, traction: comma_separated(numbers)? })
    }
}

/// Numbers with commas between them.
///
/// # Errors
/// What to give instead.
pub fn comma_separated<const N: usize>(text: &str) -> std::result::Result<[f64; N], String> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|number| number.trim().parse::<f64>().ok().filter(|x| x.is_finite()))
        .collect::<Option<_>>()
        .ok_or(format!("give {N} numbers with commas between them"))?;
    let count = numbers.len();
    numbers.try_into().map_err(|_| format!("{} instead of {N}", counted(count, "number")))
}

/// The force on an area unit of each face: the sum over its parts; `None` without any.
///
/// # Errors
/// As [`Regions::faces_of`].
pub fn tractions(loads: &[PartLoad], regions: &Regions<'_>) -> Result<Vec<Option<[f64; 3]>>> {
    let mut tractions = vec![None; regions.sides().len()];
    for PartLoad { part, traction } in loads {
        for face in regions.faces_of(part)? {
            let sum = tractions[face as usize].get_or_insert([0.0; 3]);
            (0..3).for_each(|d| sum[d] += traction[d]);
        }
    }
    Ok(tractions)
}

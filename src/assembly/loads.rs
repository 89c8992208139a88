//! Loads: integrals of basis functions times forces.

use std::str::FromStr;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::numbers::counted;
use crate::quadrature::{BoundaryPart, LeafQuantities, Mapping, Regions};

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
    load(mapping, |mapped, i, s, samples| {
        let at = i * samples + s;
        let face = quadrature.batches()[mapped.batch].faces[mapped.leaves.start + i];
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
    load(mapping, |mapped, i, s, samples| force(mapped.points[i * samples + s]))
}

/// ∫ Nₐ f, `[vertex][xyz]`: `forces[point]` on a volume unit, or on an area unit for a quadrature
/// of the boundary, at all quadrature points in the order of batches, leaves and samples.
///
/// # Errors
/// [`Error::Request`] for another number of forces, and for loads that are not finite; if a device
/// fails.
pub fn point_load(mapping: &Mapping<'_>, forces: &[[f64; 3]]) -> Result<Vec<[f64; 3]>> {
    let quadrature = mapping.quadrature();
    let (have, need) = (forces.len(), quadrature.sample_count());
    if have != need {
        return Err(Error::request(format!(
            "{} for {}",
            counted(have, "force"),
            counted(need, "quadrature point")
        ))
        .with_help("give one for each, in the order of the batches"));
    }
    let batches = quadrature.batches().iter().enumerate();
    let starts: Vec<usize> = batches
        .scan(0, |end, (b, batch)| {
            Some(std::mem::replace(end, *end + batch.leaves.len() * quadrature.samples(b)))
        })
        .collect();
    load(mapping, |mapped, i, s, samples| {
        forces[starts[mapped.batch] + (mapped.leaves.start + i) * samples + s]
    })
}

/// Sums in the order of the pieces.
fn load(
    mapping: &Mapping<'_>,
    force: impl Fn(&LeafQuantities, usize, usize, usize) -> [f64; 3] + Sync,
) -> Result<Vec<[f64; 3]>> {
    let quadrature = mapping.quadrature();
    let of_piece = |mapped: &mut LeafQuantities,
                    (batch, leaves): (usize, std::ops::Range<usize>)| {
        mapping.evaluate(batch, leaves.clone(), mapped)?;
        let basis = quadrature.basis(batch);
        let (samples, controls) = (basis.samples, basis.controls);
        let mut own = vec![[0.0; 3]; leaves.len() * controls];
        for (i, sums) in own.chunks_exact_mut(controls).enumerate() {
            for s in 0..samples {
                let force =
                    force(mapped, i, s, samples).map(|f| f * mapped.measures[i * samples + s]);
                let values = &basis.values[s * controls..][..controls];
                for (sum, n) in sums.iter_mut().zip(values) {
                    (0..3).for_each(|d| sum[d] += n * force[d]);
                }
            }
        }
        let ids = &quadrature.batches()[batch].control_ids;
        Ok((&ids[leaves.start * controls..leaves.end * controls], own))
    };
    let pieces = quadrature.pieces(PIECE_POINTS);
    let mut load = vec![[0.0; 3]; quadrature.solid().topology().vertex_count()];
    for group in pieces.chunks(256) {
        let found: Vec<_> = group
            .par_iter()
            .cloned()
            .map_init(LeafQuantities::default, of_piece)
            .collect::<Result<_>>()?;
        for (ids, own) in found {
            for (&id, sum) in ids.iter().zip(own) {
                (0..3).for_each(|d| load[id as usize][d] += sum[d]);
            }
        }
    }
    if !load.as_flattened().iter().all(|x| x.is_finite()) {
        return Err(Error::request("loads overflow or are not numbers")
            .with_help("give finite forces, or forces or the model in other units"));
    }
    Ok(load)
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

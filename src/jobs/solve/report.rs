//! What a solution has found.

use serde::Serialize;

use crate::quadrature::Mapping;
use crate::solve::FieldValues;

/// What was solved, and what came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SolveReport {
    /// `elasticity` or `heat`.
    pub problem: &'static str,
    /// Number of control points.
    pub vertices: usize,
    /// Number of unknowns: components of control values that are not fixed.
    pub unknowns: usize,
    /// How the operator was multiplied: `matrix` or `matrix-free`.
    pub operator: &'static str,
    /// Number of entries of the matrix; of that of the cells that are not regular if matrix-free.
    pub entries: usize,
    /// Bytes of the operator in memory.
    pub operator_bytes: usize,
    /// How the preconditioner solves for linear elements: `factor` or `multigrid`.
    pub preconditioner: &'static str,
    /// Iterations of conjugate gradients.
    pub iterations: usize,
    /// Norm of what is left of the linear system, as a part of that before the first iteration.
    pub residual: f64,
    /// Volume, in cubed length units.
    pub volume: f64,
    /// ½ u · K u: strain energy; of heat conduction ½ ∫ κ |∇T|².
    pub energy: f64,
    /// Sum of all loads: a force, or [power, 0, 0].
    pub load: [f64; 3],
    /// Parts with loads, in the order of the options.
    pub loaded: Vec<LoadedPart>,
    /// What holds each part: the force, or [power, 0, 0], that flows into the solid there.
    pub reactions: Vec<PartReaction>,
    /// Least and greatest values at the quadrature points.
    pub fields: Vec<FieldRange>,
    /// Name of the file written, or null.
    pub output: Option<String>,
    /// Duration of the solution of the linear system, in seconds.
    pub solution_seconds: f64,
    /// Duration of the whole job, in seconds.
    pub seconds: f64,
}

/// A part with a load.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct LoadedPart {
    /// The part, as it was asked for.
    pub part: String,
    /// Number of its faces.
    pub faces: usize,
    /// Its area on the limit, in squared length units.
    pub area: f64,
}

/// What holds a part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct PartReaction {
    /// The part, as it was asked for.
    pub part: String,
    /// Number of its faces.
    pub faces: usize,
    /// Number of control points that are held; those of two parts count for the first.
    pub vertices: usize,
    /// The force on the solid, or [power into it, 0, 0].
    pub reaction: [f64; 3],
}

/// Extremes of a result, or of one of its components.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct FieldRange {
    /// Name of the result; of a component `stress_xx`; of the length of a vector its name.
    pub name: String,
    /// Least value, and its place.
    pub least: FieldExtreme,
    /// Greatest value, and its place.
    pub greatest: FieldExtreme,
}

/// A value at a quadrature point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct FieldExtreme {
    /// Value of the result there.
    pub value: f64,
    /// Where it is (x, y, z).
    pub point: [f64; 3],
    /// Cell of the mesh.
    pub cell: u32,
}

/// A place, and the cell that it is in.
pub(super) type Place = ([f64; 3], u32);

/// The places of all quadrature points, in the order of batches, leaves and samples.
///
/// # Errors
/// As [`Mapping::evaluate`].
pub(super) fn places(mapping: &Mapping<'_>) -> crate::error::Result<Vec<Place>> {
    let quadrature = mapping.quadrature();
    let (leaves, elements) = (quadrature.solid().leaves(), quadrature.solid().elements());
    let mut mapped = Default::default();
    let mut all = Vec::with_capacity(quadrature.sample_count());
    for (batch, own) in quadrature.pieces(1 << 16) {
        mapping.evaluate(batch, own.clone(), &mut mapped)?;
        let samples = quadrature.samples(batch);
        let of_batch = &quadrature.batches()[batch].leaves[own];
        for (&leaf, points) in of_batch.iter().zip(mapped.points.chunks_exact(samples)) {
            let cell = elements[leaves[leaf as usize].element as usize].cell;
            all.extend(points.iter().map(|&point| (point, cell)));
        }
    }
    Ok(all)
}

/// Extremes of scalars, of lengths of vectors, of all components of tensors; those that are equal
/// are the first.
pub(super) fn ranges(field: &FieldValues, places: &[Place]) -> Vec<FieldRange> {
    if field.width() <= 3 {
        return range(field.name.into(), field.magnitudes(), places).into_iter().collect();
    }
    let component = |(k, name): (usize, &&str)| {
        let values = field.values.iter().skip(k).step_by(field.width()).copied();
        range(format!("{}_{name}", field.name), values, places)
    };
    field.components.iter().enumerate().filter_map(component).collect()
}

fn range(name: String, values: impl Iterator<Item = f64>, places: &[Place]) -> Option<FieldRange> {
    let mut found: Option<[FieldExtreme; 2]> = None;
    for (value, &(point, cell)) in values.zip(places) {
        let own = FieldExtreme { value, point, cell };
        let [least, greatest] = found.get_or_insert([own; 2]);
        if value < least.value {
            *least = own;
        }
        if value > greatest.value {
            *greatest = own;
        }
    }
    found.map(|[least, greatest]| FieldRange { name, least, greatest })
}

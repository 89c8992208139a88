//! What follows from a solution: stresses, fluxes, energies.

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use crate::assembly::{CellOperators, Operator};
use crate::backend::operations::MatrixForm;
use crate::error::Result;
use crate::mesh::check_value_count;
use crate::quadrature::{LeafQuantities, Mapping};

/// Quadrature points of a piece.
const PIECE_POINTS: usize = 1 << 14;

/// A field at the quadrature points, in the order of batches, leaves and samples.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldValues {
    /// Name of the attribute.
    pub name: &'static str,
    /// Names of the components; one, empty, for a scalar.
    pub components: &'static [&'static str],
    /// `[point][component]`.
    pub values: Vec<f64>,
}

const SCALAR: &[&str] = &[""];
const VECTOR: &[&str] = &["x", "y", "z"];
const TENSOR: &[&str] = &["xx", "yy", "zz", "xy", "yz", "xz"];

/// Fields of elasticity and of heat conduction, the solution first; names and components.
const ELASTIC: [(&str, &[&str]); 4] = [
    ("displacement", VECTOR),
    ("stress", TENSOR),
    ("von_mises", SCALAR),
    ("strain_energy", SCALAR),
];
const THERMAL: [(&str, &[&str]); 2] = [("temperature", SCALAR), ("flux", VECTOR)];

/// Fields of a solution of an operator at all quadrature points, the solution first:
/// - elasticity: displacement; stress xx, yy, zz, xy, yz, xz, in the unit of the modulus; the von
///   Mises stress; the density of strain energy;
/// - heat conduction: temperature; the flux −κ ∇T.
///
/// `control_values`: `[vertex][width]` of the operator.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) for another number of values, and a quadrature of the
/// boundary.
pub fn point_fields(
    mapping: &Mapping<'_>,
    operators: &CellOperators,
    control_values: &[f64],
) -> Result<Vec<FieldValues>> {
    let quadrature = mapping.quadrature();
    quadrature.check_volume()?;
    let width = operators.width();
    let (all_leaves, elements) = (quadrature.solid().leaves(), quadrature.solid().elements());
    check_value_count(control_values, width, quadrature.solid().topology().vertex_count())?;
    // the solution is mapped as positions are
    let padded = |row: &[f64]| std::array::from_fn(|d| row.get(d).copied().unwrap_or_default());
    let values = control_values.chunks_exact(width).map(padded).collect();
    let solution = &Mapping::of_values(quadrature, values)?;
    let pieces: Vec<Vec<f64>> = quadrature
        .pieces(PIECE_POINTS)
        .into_par_iter()
        .map_init(Default::default, |mapped: &mut [LeafQuantities; 2], (batch, leaves)| {
            let [places, values] = mapped;
            mapping.evaluate(batch, leaves.clone(), places)?;
            solution.evaluate(batch, leaves.clone(), values)?;
            let samples = quadrature.samples(batch);
            let leaves = &quadrature.batches()[batch].leaves[leaves];
            let mut found = Vec::new();
            for (i, inverse) in places.inverse_jacobians.iter().enumerate() {
                let element = all_leaves[leaves[i / samples] as usize].element as usize;
                let form = operators.form(elements[element].cell);
                found.extend_from_slice(&values.points[i][..width]);
                let matrix = |rows: &[[f64; 3]; 3]| Matrix3::from_fn(|d, k| rows[d][k]);
                let gradient = matrix(&values.jacobians[i]) * matrix(inverse);
                match form {
                    MatrixForm::Elasticity(_) | MatrixForm::Anisotropic(_) => {
                        found.extend(elastic(&gradient, form));
                    }
                    MatrixForm::Stiffness(k) => {
                        found.extend(gradient.row(0).iter().map(|x| -k * x));
                    }
                    MatrixForm::Mass(_) => {}
                }
            }
            Ok(found)
        })
        .collect::<Result<_>>()?;
    let fields = fields(operators.of(0));
    let all: usize = fields.iter().map(|(_, components)| components.len()).sum();
    let mut start = 0;
    Ok(fields
        .iter()
        .map(|&(name, components)| {
            let own = start..start + components.len();
            start = own.end;
            let rows = pieces.iter().flat_map(|piece| piece.chunks_exact(all));
            let values = rows.flat_map(|row| row[own.clone()].iter().copied()).collect();
            FieldValues { name, components, values }
        })
        .collect())
}

fn fields(operator: Operator) -> &'static [(&'static str, &'static [&'static str])] {
    match operator {
        Operator::Elasticity { .. } | Operator::Orthotropic(_) => &ELASTIC,
        Operator::Stiffness { .. } => &THERMAL,
        Operator::Mass { .. } => &THERMAL[..1],
    }
}

/// Stress, von Mises stress and energy density of a displacement gradient.
fn elastic(gradient: &Matrix3<f64>, form: &MatrixForm) -> [f64; 8] {
    let strain = (gradient + gradient.transpose()) * 0.5;
    let stress = match form {
        MatrixForm::Anisotropic(tensor) => Matrix3::from_fn(|i, j| {
            let row = [i, j];
            let terms = (0..3).flat_map(|k| (0..3).map(move |l| (k, l)));
            terms.map(|(k, l)| tensor.component(row, [k, l]) * strain[(k, l)]).sum()
        }),
        form => {
            let constants = form.constants();
            let (lambda, mu) = (constants[0], constants[constants.len() - 1]);
            Matrix3::identity() * (lambda * strain.trace()) + strain * (2.0 * mu)
        }
    };
    let deviator = stress - Matrix3::identity() * (stress.trace() / 3.0);
    let von_mises = (1.5 * deviator.norm_squared()).sqrt();
    let energy = 0.5 * stress.dot(&strain);
    let s = |i: usize, j: usize| stress[(i, j)];
    [s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(0, 2), von_mises, energy]
}

impl FieldValues {
    /// Number of components.
    pub fn width(&self) -> usize {
        self.components.len()
    }

    /// The components at point `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width()..][..self.width()]
    }

    /// The value of a scalar, or the magnitude of a vector, at every point.
    pub fn magnitudes(&self) -> impl Iterator<Item = f64> + '_ {
        let norm = |row: &[f64]| Vector3::from_row_slice(row).norm();
        let width = self.width();
        self.values.chunks_exact(width).map(move |row| if width == 3 { norm(row) } else { row[0] })
    }
}

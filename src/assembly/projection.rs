//! Control values of fields that are known at quadrature points.

use super::{
    BoundaryBasis, LimitInverse, Matrix, Operator, assemble_by_cells, check_memory, point_load,
};
use crate::error::{Error, Result};
use crate::numbers::conjugate_gradients::{TWELVE_DIGITS, conjugate_gradients};
use crate::numbers::counted;
use crate::quadrature::Mapping;

/// Control values, `[vertex][width]`, of the field that is nearest in the L2 norm to `values`,
/// `[point][width]` at all quadrature points in the order of batches, leaves and samples: the
/// solution of M c = ∫ N f. Stresses, say, become an attribute. Vertices of no cell get 0.
///
/// # Errors
/// [`Error::Request`] for a quadrature of the boundary, no or another number of values, values that
/// are not finite, and matrices that would fill the memory; [`Error::Mesh`] where the mass matrix is
/// not positive definite: of folded cells, and of too few points.
pub fn project(mapping: &Mapping<'_>, values: &[f64], width: usize) -> Result<Vec<f64>> {
    let quadrature = mapping.quadrature();
    let need = quadrature.sample_count() * width;
    if width == 0 || values.len() != need {
        return Err(Error::request(format!(
            "{} for {} of {}",
            counted(values.len(), "number"),
            counted(quadrature.sample_count(), "quadrature point"),
            counted(width, "component")
        ))
        .with_help("give the components of each point, in the order of the batches"));
    }
    let operator = Operator::Mass { density: 1.0 };
    check_memory(quadrature, &[operator])?;
    let mass = assemble_by_cells(mapping, &operator.into(), |_| ())?;
    let mut preconditioner = MassPreconditioner::new(mapping, &mass);
    let mut controls = vec![0.0; mass.size() * width];
    // loads have three components
    for first in (0..width).step_by(3) {
        let components = first..width.min(first + 3);
        let force = |point: &[f64]| {
            let mut force = [0.0; 3];
            force[..components.len()].copy_from_slice(&point[components.clone()]);
            force
        };
        let forces: Vec<[f64; 3]> = values.chunks_exact(width).map(force).collect();
        let load = point_load(mapping, &forces)?;
        for (d, component) in components.enumerate() {
            let rhs: Vec<f64> = load.iter().map(|load| load[d]).collect();
            let product = |x: &[f64], y: &mut [f64]| mass.apply(x, y);
            let inverse = |r: &[f64], z: &mut [f64]| preconditioner.apply(r, z);
            let found = conjugate_gradients(product, inverse, &rhs, TWELVE_DIGITS);
            let found = found.ok_or_else(|| {
                Error::mesh("no field is nearest: the mass matrix is not positive definite")
                    .with_help("unfold the cells, or take more quadrature points")
            })?;
            let own = controls.iter_mut().skip(component).step_by(width);
            own.zip(found.x).for_each(|(control, x)| *control = x);
        }
    }
    Ok(controls)
}

/// M⁻¹ ≈ L⁻¹ D⁻¹ L⁻ᵀ: in limit values at vertices the mass matrix is about the diagonal D of the
/// integrals of the functions. Of ghosts the solid has only the ends of functions, which depend almost
/// on each other: there L is of values on the boundary and bends, over which D is the diagonal.
struct MassPreconditioner {
    // of a solid with ghosts
    basis: Option<BoundaryBasis>,
    limit: LimitInverse,
    integrals: Vec<f64>,
}

impl MassPreconditioner {
    fn new(mapping: &Mapping<'_>, mass: &Matrix) -> Self {
        let solid = mapping.quadrature().solid();
        let limit = solid.limit_matrix();
        let basis = solid.topology().has_ghosts();
        let basis = basis.then(|| BoundaryBasis::of_ghosts(solid.topology()));
        let (limit, integrals) = match &basis {
            Some(basis) => (basis.natural_limits(&limit), basis.lumped(mass)),
            None => (limit, mass.times(&vec![1.0; mass.size()])),
        };
        let integrals = integrals.into_iter().map(|x| if x > 0.0 { x } else { 1.0 }).collect();
        Self { basis, limit: LimitInverse::new(limit, 1), integrals }
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        match &self.basis {
            Some(basis) => z.copy_from_slice(&basis.unknown_loads(r, 1)),
            None => z.copy_from_slice(r),
        }
        let found = self.limit.solve_transposed(z, |_| ());
        z.iter_mut().zip(found).zip(&self.integrals).for_each(|((z, x), d)| *z = x / d);
        let found = self.limit.solve(z, |_| ());
        match &self.basis {
            Some(basis) => z.copy_from_slice(&basis.control_values(found, 1)),
            None => z.copy_from_slice(found),
        }
    }
}

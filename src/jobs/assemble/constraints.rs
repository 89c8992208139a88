//! The unknowns of a solid with ghost cells: values on the boundary, and bends across it.

use super::super::Notes;
use super::report::ConstraintSummary;
use crate::assembly::{BasisCondition, BoundaryBasis, Matrix, Operator};
use crate::error::{IdKind, Result};
use crate::io::Array;
use crate::limit::Solid;
use crate::numbers::counted;
use crate::quadrature::{Regions, face_vertices};
use crate::topology::NONE;

/// Control values over other unknowns.
#[derive(Clone, Debug)]
pub struct AssembledBasis {
    /// Control values over the unknowns.
    pub basis: BoundaryBasis,
    condition: Option<BasisCondition>,
    inexact_vertices: Vec<u32>,
}

impl AssembledBasis {
    /// Of a solid with these matrices; says where the ghosts are not those of a grid.
    pub(super) fn new(
        solid: &Solid,
        regions: &Regions<'_>,
        matrices: &[(Operator, Matrix)],
        notes: &mut dyn Notes,
    ) -> Result<Self> {
        let basis = BoundaryBasis::new(regions)?;
        let sheets = (0..).zip(regions.sheets());
        let on_boundary: Vec<u32> =
            sheets.filter(|(_, sheet)| **sheet != NONE).map(|(face, _)| face).collect();
        let inexact = basis.held(solid, &on_boundary)?.inexact_faces;
        let inexact_vertices = face_vertices(solid.topology(), &inexact);
        if !inexact.is_empty() {
            notes.warn(message!(
                counted(inexact.len(), "face"),
                " of ",
                IdKind::Vertex.ids(inexact_vertices.iter().copied()),
                ": values cannot be imposed exactly there, since the ghosts beyond are not those of a grid; use Nitsche's method"
            ));
        }
        let mass = matrices.iter().find(|(operator, _)| matches!(operator, Operator::Mass { .. }));
        let condition = mass.map(|(_, mass)| basis.condition(mass));
        Ok(Self { basis, condition, inexact_vertices })
    }

    pub(super) fn summary(&self) -> ConstraintSummary {
        let of = |of: fn(&BasisCondition) -> f64| self.condition.as_ref().map(of);
        ConstraintSummary {
            bends: self.basis.is_bend().iter().filter(|is_bend| **is_bend).count(),
            inexact_vertices: self.inexact_vertices.clone(),
            condition: of(|condition| condition.controls),
            scaled_condition: of(|condition| condition.scaled),
        }
    }

    /// The matrix as SciPy's `csr_matrix((data, indices, indptr))` takes it, which unknowns are bends,
    /// and their scales.
    pub(super) fn arrays(&self) -> Vec<Array> {
        let matrix = self.basis.matrix();
        let columns: Vec<i32> = matrix.columns.iter().map(|&v| v as i32).collect();
        let starts: Vec<i64> = matrix.starts.iter().map(|&start| start as i64).collect();
        let bends: Vec<u8> = self.basis.is_bend().iter().map(|&own| own.into()).collect();
        let scales = self.condition.iter().map(|own| own.scales.clone());
        let mut arrays = vec![
            Array::new("constraints/data", 1, matrix.values.clone()),
            Array::new("constraints/indices", 1, columns),
            Array::new("constraints/indptr", 1, starts),
            Array::new("unknown/bend", 1, bends),
        ];
        arrays.extend(scales.map(|scales| Array::new("unknown/scale", 1, scales)));
        arrays
    }
}

//! What an assembly has made.

use serde::Serialize;

/// What an assembly has made.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct AssembleReport {
    /// Folder with the matrices.
    pub output: String,
    /// Number of control points, which are the unknowns of the matrices.
    pub vertices: usize,
    /// Number of quadrature points.
    pub samples: usize,
    /// Volume by quadrature, in cubed length units.
    pub volume: f64,
    /// Number of sides: parts of the boundary between infinitely sharp edges.
    pub sides: usize,
    /// The matrices that were written.
    pub matrices: Vec<MatrixSummary>,
    /// Sum of all loads.
    pub force: [f64; 3],
    /// The unknowns of a solid with ghost cells; null without.
    pub constraints: Option<ConstraintSummary>,
    /// Duration of the whole job, in seconds.
    pub seconds: f64,
}

/// A matrix that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct MatrixSummary {
    /// Its name in the file.
    pub name: &'static str,
    /// Number of rows of the matrix.
    pub rows: usize,
    /// Number of stored entries.
    pub entries: usize,
}

/// The unknowns of a solid with ghost cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ConstraintSummary {
    /// Number of unknowns that are bends across the boundary.
    pub bends: usize,
    /// Vertices of faces on which values cannot be imposed exactly: they take Nitsche's method.
    pub inexact_vertices: Vec<u32>,
    /// Condition number of the mass matrix over control values, about; null without the matrix.
    pub condition: Option<f64>,
    /// Over the unknowns times their scales.
    pub scaled_condition: Option<f64>,
}

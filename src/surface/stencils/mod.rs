//! Stencils: the points of one level straight from the control points, where topology stays.

pub(crate) mod single;
pub(crate) mod static_refinement;

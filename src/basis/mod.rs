//! Pure mathematics: uniform cubic B-splines, the quartic box spline, Bernstein
//! polynomials, Gauss rules, and the record of a tree of boxes. Nothing here depends on meshes.

pub mod bernstein;
pub mod box_spline;
pub mod bspline;
pub mod gauss;
pub mod tree;

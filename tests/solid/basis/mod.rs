//! Splines, polynomials, rules, and what is closest on curves and patches.

mod bernstein;
mod box_spline;
mod bspline;
mod closest;
mod gauss;
mod missing_layers;

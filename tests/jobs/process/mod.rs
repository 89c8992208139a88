//! Processing of meshes against analytic spheres, planes and boxes.

mod attribute;
mod distance;
pub mod fronts;
mod point;
mod sources;
mod surface;

//! Processing of meshes against analytic spheres, planes and boxes.

mod attribute;
mod distance;
mod fronts;
mod point;
mod surface;
mod untangle;

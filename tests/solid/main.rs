//! Solids: control meshes, refinement and limits against independent code, on every shape and
//! model, CPU backend.

#[path = "../common/conformance/mod.rs"]
mod conformance;
#[path = "../common/oracle/mod.rs"]
mod oracle;
#[path = "../common/support/mod.rs"]
mod support;
#[path = "../common/surfaces.rs"]
mod surfaces;

mod backend;
mod basis;
mod blocks;
mod boundary;
mod classes;
mod creases;
mod far;
mod folded;
mod for_samples;
mod gradients;
mod handedness;
mod invalid;
mod limit;
mod mesh;
mod multi_device;
mod parts;
mod plan;
mod refine;
mod repeated;
mod requests;
mod retain;
mod shapes;
mod simd;
mod stencils;
mod structures;
mod summary;
mod tables;
mod tags;
mod topology;
mod vertex_rule;
mod weld;

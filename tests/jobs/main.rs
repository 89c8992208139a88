//! The jobs on limits of solids: slices, location, quadrature, extraction;
//! and queries of meshes.

#[path = "../common/oracle/mod.rs"]
mod oracle;
#[path = "../common/support/mod.rs"]
mod support;

mod extraction;
mod locate;
mod pixels;
mod quadrature;
mod query;
mod slice;

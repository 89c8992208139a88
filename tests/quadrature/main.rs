//! Quadrature for isogeometric analysis: bases, volumes, and solvers that use nothing
//! else.

#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../support/mod.rs"]
mod support;

mod archive;
mod basis;
mod lanes;
mod solve;
mod system;
mod volume;

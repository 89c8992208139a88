//! Quadrature for isogeometric analysis: bases, volumes, and solvers that use nothing
//! else.

mod archive;
mod assembly;
mod basis;
mod boundary;
mod lanes;
mod matrix_free;
mod points;
mod rings;
mod sides;
mod solve;
mod system;
mod volume;

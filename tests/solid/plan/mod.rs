//! Plans: their parts, and the decisions that they make.

mod adjoint;
mod cost;
mod pattern;
mod quantity;
mod route;
mod rows;
mod share;
mod want;

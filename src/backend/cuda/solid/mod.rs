//! Plans of solids on the device: arrays laid out, kernels launched, results kept or copied.

pub(super) mod adjoint;
pub(super) mod bricks;
pub(super) mod evaluator;
mod fragments;
mod grid;
mod launch_kind;
mod layout;
pub(super) mod points;
mod published;
mod quantities;
mod scattered;
mod stacks;
mod work;

//! Surfaces on the device: refinement ([`refine`]), evaluation of limits ([`limit`],
//! [`points`], [`level_points`]), and the plans of both that callers hold ([`plans`]).

pub(super) mod edge_friend;
mod level_points;
pub(super) mod limit;
pub(super) mod plans;
pub(super) mod points;
pub(super) mod product;
pub(super) mod refine;

//! Jobs of [`Device`](crate::backend::Device): arrays in, verbs, results out.

pub(super) mod assembly;
pub(super) mod interiors;
pub(super) mod layers;
pub(super) mod locate;
pub(super) mod mapping;
mod parts;
pub(super) mod vectors;

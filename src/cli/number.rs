//! Numbers as the console shows them.

pub use subsolid::numbers::{precise, significant};

//! Where a plane crosses a surface of patches: arcs, joined by name to nested contours.
//!
//! The patches that a plane meets are found by their heights ([`IntervalIndex`]). It crosses each
//! in few arcs ([`Arcs`]), which [`join()`] makes contours of.

mod index;
mod join;
mod root;
mod stray;
mod trace;
mod unite;

pub(super) use index::IntervalIndex;
pub(super) use join::{join, outlines};
pub(super) use stray::mark_stray;
pub(super) use trace::Arcs;

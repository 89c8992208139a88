//! Where a plane crosses a surface of patches: arcs, joined by name to nested contours.
//!
//! The patches that a plane meets are found by their heights ([`IntervalIndex`]). It crosses each
//! in few arcs ([`Arcs`]), which [`join()`] makes contours of.

mod index;
mod join;
mod root;
mod trace;

pub(super) use index::IntervalIndex;
pub(super) use join::join;
pub(super) use trace::Arcs;

//! The boundary of the limit as bicubic Bézier patches that every plane crosses simply.
//!
//! # Data flow
//! ```text
//! solid ── sheet ──┐
//!                  ├─ patch_fit ─▶ covered faces ─ simple_patches ─▶ surface
//! closed ─ skin ───┘
//! ```
//! The outer faces of a solid ([`Sheet`]) or the faces of a closed surface ([`ClosedSurface`]) are
//! covered by patches within a tolerance. Patches are cut until they are simple, and joined by name
//! to a watertight [`Surface`]. [`Extent`] is how far it reaches, [`Shells`] are its closed parts.

mod bicubic;
mod closed;
mod covered_face;
mod extent;
mod lowest_point;
mod patch_fit;
mod sheet;
mod shell;
mod simple_patches;
mod skin;
mod skin_tables;
mod steepness;
mod surface;
mod tables;

pub(super) use bicubic::{HEIGHT, curve_at};
pub use closed::{ClosedSurface, PreparedSurface};
pub(super) use extent::Extent;
pub use shell::{Shell, Shells};
pub use steepness::Steepness;
pub(super) use surface::{Patch, Surface, farthest, height_grid, longest_side};

//! Limit evaluation in double precision: cell classes, canonical nets, structures.
//!
//! [`Solid`] analyzes a control mesh once, from its connectivity and creases
//! alone: which cells are evaluated directly and how, and which are refined first, as
//! often as necessary and only where necessary. Afterwards the limit at any parameter
//! is a short weighted sum of control points.

mod axes;
mod block;
pub(crate) mod boundary;
mod class;
mod draft;
mod eigenstructure;
mod frame;
mod key;
mod labels;
mod leaf;
mod levels;
mod library;
mod memo;
mod net;
mod net_mesh;
mod part;
mod powers;
mod pulled;
pub(crate) mod rim;
mod rows;
mod solid;
mod sparse_rows;
mod split;
mod structure;
mod summary;

pub use class::{Class, Reason, classify};
pub use eigenstructure::{Basis, SplinePart};
pub use frame::{AxisPermutation, Frame, VTK_CORNER, Walker};
pub(crate) use key::Key;
pub use leaf::{Element, Leaf, LeafKind};
pub use library::Library;
pub use net::Ends;
pub(crate) use net_mesh::fold_phantoms;
pub use powers::{Form, MAX_DEPTH, Powers};
pub use solid::{LocalPoints, Solid};
pub(crate) use structure::{Domain, MIDDLE, Next, Sibling};
pub use structure::{Orders, SiblingPlace, Structure, layered_weights, tensor_weights};
pub use summary::{CellArraySummary, ClassCounts, StructureSummary, Summary, kernel_name};

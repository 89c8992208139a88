//! Limit evaluation in double precision: cell classes, canonical nets, structures.
//!
//! [`Solid`] analyzes a control mesh once, from its connectivity and creases
//! alone: which cells are evaluated directly and how, and which are refined first, as
//! often as necessary and only where necessary. Afterwards the limit at any parameter
//! is a short weighted sum of control points.

mod axes;
pub(crate) mod boundary;
mod class;
mod draft;
mod frame;
mod labels;
mod leaf;
mod leaves;
mod levels;
mod library;
mod memo;
mod net;
mod net_mesh;
mod numbering;
mod part;
mod reach;
mod refusals;
pub(crate) mod rim;
mod solid;
mod structure;
mod summary;
mod vertex_leaves;
mod vertex_mask;

pub use class::{Class, Reason, classify};
pub use frame::{Frame, VTK_CORNER, Walker};
pub(crate) use leaf::parameters_within;
pub use leaf::{Element, Leaf, LeafKind};
pub(crate) use leaves::{LeafLevels, LeafPlace, MAX_LEVEL, TASK_LEAVES, refine_all, too_deep};
pub use library::Library;
pub use solid::{LocalPoints, Solid};
pub use structure::eigenstructure::{Basis, SplinePart};
pub use structure::{
    AxisPermutation, Form, MAX_DEPTH, Orders, Powers, PowersReport, SiblingPlace, Structure,
    layered_weights, tensor_weights,
};
pub(crate) use structure::{Domain, MIDDLE, NetKey, NetRows, NextLevel, Sibling, StructureStore};
pub use summary::{
    CellArraySummary, ClassCounts, EvaluationSummary, StructureSummary, Summary, kernel_name,
    kernels,
};

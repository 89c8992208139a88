//! Limit volumes as datasets: what an evaluation gives, in the cells that a file
//! can hold.
//!
//! # Practice
//! Evaluate a plan range by range and turn every [`Limit`](crate::backend::Limit) into a
//! [`Dataset`](crate::io::Dataset): blocks of [`hexahedra()`], [`lagrange`] cells of any order, or
//! [`points()`] alone. With [`SharedPoints`] the pieces make one file
//! ([`io::write_pieces`](crate::io::write_pieces)) whose elements share points. Exact [`Bezier`]
//! cells come from the control nets themselves. Tables of scattered parameters stream through
//! [`ParameterTable`]; [`Quality`] gathers Jacobians on the way.
//!
//! # Arrays
//! Of points: the attributes by name; `d_u`, `d_v`, `d_w`, then `d_uu`, `d_vv`, `d_ww`, `d_uv`,
//! `d_uw`, `d_vw` as far as they were wanted, with respect to the element's parameters; of
//! attributes `d_u_NAME` and so on; the quantities that follow from them by their
//! [names](crate::plan::Quantity::name): `det_j`, `grad_NAME`; where one of all these does not
//! exist, NaN, and then `undefined_derivative` is 1. Of cells: `cell`, the id in the mesh, `class`
//! (see [`Class::number`](crate::limit::Class::number)), and quantities of elements: `least_det_j`;
//! [`add_cell_data`] adds the arrays of the mesh's cells.

mod arrays;
mod bezier;
mod cell_data;
mod hexahedra;
mod lagrange_distance;
mod parameters;
mod points;
mod quality;
mod quality_numbers;
mod shared_points;
mod sides;

pub use arrays::DERIVATIVES;
pub use bezier::{Bezier, BezierInput, BezierPiece};
pub use cell_data::{add_cell_data, left_out_notice, name_cells};
pub use hexahedra::{MAX_ORDER, Sharing, hexahedra, lagrange};
pub use lagrange_distance::{lagrange_distance, samples_between};
pub use parameters::{ParameterTable, columns, write_rows};
pub use points::{location, points};
pub(crate) use quality::is_flat;
pub use quality::{CellQuality, Extreme, Quality};
pub use shared_points::{SharedPoints, unjoined_hexahedra, unjoined_notice};
pub use sides::side_groups;

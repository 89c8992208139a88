//! The inner loops of the CPU, at the width of its vectors: control points in, samples out.
//!
//! | loop | cells | method |
//! |---|---|---|
//! | [`Tensor`] | regular, grids | sum factorization, one axis after another |
//! | [`LayeredGrid`] | layered, grids | a 2D table in each plane, then the layer axis |
//! | [`TableKernel`] | any, many of one structure | weights × control points |
//! | [`PatchKernel`] | regular quads of surfaces, grids | the same on two axes |
//! | [`LeafMap`] | any, Jacobians at quadrature points | sum factorization or tables, leaf by lane |
//! | [`LeafProduct`] | regular, products of element matrices | sum factorization there and back, leaf by lane |
//! | [`PointKernel`] | regular, scattered points | basis functions at each point |
//!
//! Conventions common to all, with `T` = `f32` or `f64`:
//! - Control points are `f64`, `controls: [vertex][m]`; a cell's net lists vertex
//!   ids. m ≥ 1 components are one control point; m = 3 is the fast path.
//! - A net is gathered relative to a local origin, one of its control points
//!   rounded to `T`; the difference is taken in `f64` and then rounded. Positions
//!   get the origin back at the end. So errors follow the cell's size, not its
//!   distance from the origin; derivatives never see that distance.
//! - A net cut by the boundary has placeholders (any valid id) where layers are
//!   missing, and says so by its `ends` bits; phantoms p₋₁ = 2p₀ − p₁ replace them.
//! - One cell's samples are `out: [w sample][v sample][u sample][m]`, u fastest.
//! - Each loop is compiled for every [`Simd`] level and runs the one it is given: in its file, `Run`
//!   holds the arguments of one call, and is the unit that is compiled.
//!
//! Loops check array shapes and panic when the caller breaks them; vertex ids
//! out of range panic too. Both are errors of the program, not of its input.

#![allow(
    clippy::needless_range_loop,
    reason = "one index counts components, lanes or layers in several arrays"
)]

mod axis;
mod buffer;
mod layered;
mod leaf_product;
mod level;
mod mapping;
mod net;
mod patch;
mod plane;
mod points;
mod product;
mod slab;
mod table;
mod tensor;

pub use axis::{AxisWeights, MAX_SAMPLES};
pub use buffer::{Scratch, Stores, stream};
pub use layered::{LayerAxis, LayeredGrid, LayeredOutput};
pub use leaf_product::{LeafProduct, ProductForm, ProductLeaves, ProductScratch};
pub use level::Simd;
pub use mapping::{LeafMap, LeafMapOutput, LeafMapScratch, LeafSource};
pub use net::{Nets, fill_ends};
pub use patch::{PatchKernel, PatchOutput};
pub use points::PointKernel;
pub use table::{TableKernel, TableOutput};
pub use tensor::{Tensor, TensorOutput};

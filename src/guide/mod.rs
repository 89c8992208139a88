//! The user's guide: how to use each job of the program and the library, what is exact,
//! how to extend it, and the terms it uses.
//!
//! | page | subject |
//! |---|---|
//! | [`tutorials`] | from files to something to look at, in a few minutes each |
//! | [`solids`] | evaluate, refine and check solids; GPUs; memory; conventions |
//! | [`fitting`] | from the mesh of a part to the solid that is the part |
//! | [`surfaces`] | refine surfaces and evaluate their limits |
//! | [`viewing`] | a page that shows a solid or a surface in a browser |
//! | [`slicing`] | layers for additive manufacturing |
//! | [`location`] | from points in space back to cells and parameters |
//! | [`quadrature`] | integration over solids, Bézier extraction |
//! | [`processing`] | distances, smoothing, denoising, untangling |
//! | [`queries`] | neighbors of vertices, edges, faces and cells |
//! | [`scaling`] | several GPUs, several programs, parts with ghost cells |
//! | [`python`] | arrays, matrices, gradients and pictures in Python |
//! | [`files`] | formats, named arrays, tables |
//! | [`options`] | each option of the program, what it means, and in which commands |
//! | [`exactness`] | what is exact, approximated, undefined and refused |
//! | [`architecture`] | how data flows, what the folders hold, where is what |
//! | [`adding_a_scheme`], [`adding_a_backend`], [`adding_a_quantity`], [`adding_a_format`] | how to extend the engine |
//! | [`glossary`] | terms, with their sources; references |

#[doc = include_str!("adding_a_backend.md")]
pub mod adding_a_backend {}
#[doc = include_str!("adding_a_format.md")]
pub mod adding_a_format {}
#[doc = include_str!("adding_a_quantity.md")]
pub mod adding_a_quantity {}
#[doc = include_str!("adding_a_scheme.md")]
pub mod adding_a_scheme {}
#[doc = include_str!("architecture.md")]
pub mod architecture {}
#[doc = include_str!("exactness.md")]
pub mod exactness {}
#[doc = include_str!("files.md")]
pub mod files {}
#[doc = include_str!("fitting.md")]
pub mod fitting {}
#[doc = include_str!("glossary.md")]
pub mod glossary {}
#[doc = include_str!("location.md")]
pub mod location {}
#[doc = include_str!("options.md")]
pub mod options {}
#[doc = include_str!("processing.md")]
pub mod processing {}
#[doc = include_str!("python.md")]
pub mod python {}
#[doc = include_str!("quadrature.md")]
pub mod quadrature {}
#[doc = include_str!("queries.md")]
pub mod queries {}
#[doc = include_str!("scaling.md")]
pub mod scaling {}
#[doc = include_str!("slicing.md")]
pub mod slicing {}
#[doc = include_str!("solids.md")]
pub mod solids {}
#[doc = include_str!("surfaces.md")]
pub mod surfaces {}
#[doc = include_str!("tutorials.md")]
pub mod tutorials {}
#[doc = include_str!("viewing.md")]
pub mod viewing {}

//! The user's guide, also a book (`mdbook build src/guide`).
#![doc = include_str!("README.md")]

#[doc = include_str!("adding_a_backend.md")]
pub mod adding_a_backend {}
#[doc = include_str!("adding_a_format.md")]
pub mod adding_a_format {}
#[doc = include_str!("adding_a_job.md")]
pub mod adding_a_job {}
#[doc = include_str!("adding_a_quantity.md")]
pub mod adding_a_quantity {}
#[doc = include_str!("adding_a_scheme.md")]
pub mod adding_a_scheme {}
#[doc = include_str!("adding_an_operation.md")]
pub mod adding_an_operation {}
#[doc = include_str!("architecture.md")]
pub mod architecture {}
#[doc = include_str!("exactness.md")]
pub mod exactness {}
#[doc = include_str!("files.md")]
pub mod files {}
#[doc = include_str!("fitting.md")]
pub mod fitting {}
#[doc = include_str!("gallery.md")]
pub mod gallery {}
#[doc = include_str!("ghost_cells.md")]
pub mod ghost_cells {}
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
#[doc = include_str!("solving.md")]
pub mod solving {}
#[doc = include_str!("surfaces.md")]
pub mod surfaces {}
#[doc = include_str!("tutorials.md")]
pub mod tutorials {}
#[doc = include_str!("viewing.md")]
pub mod viewing {}

//! The jobs on limits of solids: slices, location, quadrature, extraction;
//! queries and processing of meshes.

#[path = "../common/oracle/mod.rs"]
mod oracle;
#[path = "../common/support/mod.rs"]
mod support;

mod cluster;
mod compare;
mod conform;
mod curved_cells;
#[path = "../common/decoded_page.rs"]
mod decoded_page;
mod extend;
mod extraction;
mod for_samples;
mod ghosts;
mod interrupt;
mod locate;
mod locate_scales;
mod memory;
mod names;
#[path = "../common/npz.rs"]
mod npz;
mod pages;
mod periodic;
mod pixels;
mod polyhedra;
mod process;
mod quadrature;
mod query;
#[path = "../common/query/mod.rs"]
mod query_meshes;
mod skin;
mod slice;
mod solve;
#[path = "../common/triangles.rs"]
mod triangles;
mod units;
mod untangle;
mod view;
mod volumes;
#[path = "../common/vtk_files.rs"]
mod vtk_files;

//! Files: what readers make of good, wrong and damaged ones, and what writers leave.

mod blocks;
mod cell_data;
mod cut_short;
mod datasets;
mod exchange;
mod faces;
mod features;
mod foreign;
mod fuzz_read;
mod ghosts;
mod groups;
mod left_out;
#[path = "../common/npz.rs"]
mod npz;
mod numbering;
mod periodic;
mod quadratic;
mod read;
mod references;
mod samples;
mod shapes;
mod splines;
mod surface_vtk;
mod surfaces;
mod texts;
mod three_mf;
#[path = "../common/vtk_files.rs"]
mod vtk_files;
#[cfg(feature = "vtkio")]
mod vtkio;
mod vtp;
mod write;

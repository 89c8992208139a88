//! Files: what readers make of good, wrong and damaged ones, and what writers leave.

mod cell_data;
mod cut_short;
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
mod periodic;
mod quadratic;
mod read;
mod references;
mod samples;
mod shapes;
mod surface_vtk;
mod three_mf;
#[path = "../common/vtk_files.rs"]
mod vtk_files;
#[cfg(feature = "vtkio")]
mod vtkio;
mod vtp;
mod write;

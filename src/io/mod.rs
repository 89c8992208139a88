//! Reading and writing of files, one file per format.

mod abaqus;
mod assemble;
mod creases;
mod gmsh;
mod lines;
mod medit;
mod ovm;
mod read;
mod vtk;
mod vtk_binary;
mod vtk_legacy;
mod vtk_legacy_arrays;
mod vtk_outline;
mod vtk_values;
mod vtk_xml;

pub use creases::read_creases;
pub use read::{ReadReport, read, read_with_report};

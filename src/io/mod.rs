//! Reading and writing of files, one file per format.
//!
//! [`read`] takes VTK `.vtk` and `.vtu`, MEDIT `.mesh`, Gmsh `.msh` (ASCII),
//! OpenVolumeMesh `.ovm` (ASCII) and Abaqus `.inp`; [`read_creases`] takes crease
//! tables (CSV). Sharpness also comes from named arrays of VTK files: point array
//! `corner_sharpness` (1 component, 0 = smooth), field arrays `crease_edges`
//! (2 components, vertex ids) and `crease_sharpness` (1 component). Every other
//! numeric point array becomes a vertex attribute. What is not read is listed by
//! [`read_with_report`].

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

//! Reading and writing of files, one file per format.

mod appended;
pub mod atomic;
mod csv_write;
mod dataset;
mod high_order;
mod mesh_dataset;
mod npz;
mod output;
mod pvtu;
mod vtk_write;
mod vtu;
mod xml;

pub use dataset::{
    Array, ArrayData, Dataset, DatasetCells, MixedCells, Points, PolyhedronFaces, vtk_type,
};
pub use high_order::hexahedron_order;
pub use mesh_dataset::{CORNER_SHARPNESS, CREASE_EDGES, CREASE_SHARPNESS};
pub use output::{Format, WriteOptions, check_output, write};
pub use pvtu::PieceWriter;

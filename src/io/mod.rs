//! Reading and writing of files, one file per format.
//!
//! [`read()`] takes VTK `.vtk`, `.vtu` and `.pvtu`, MEDIT and MFEM `.mesh`, Gmsh `.msh`,
//! OpenVolumeMesh `.ovm` (ASCII), Abaqus and AVS UCD `.inp`, Exodus `.exo`, I-DEAS `.unv`, meshes
//! of OpenFOAM and spline volumes of MFEM, G+Smo `.xml` and splinepy `.json`; [`read_creases`] takes crease
//! tables (CSV). Sharpness also comes from named arrays of VTK files: point array
//! `corner_sharpness` (1 component, 0 = smooth), field arrays `crease_edges`
//! (2 components, vertex ids) and `crease_sharpness` (1 component). Every other
//! numeric point array becomes a vertex attribute. What is not read is listed by
//! [`read_with_report`].
//!
//! [`read_surface`] takes surfaces: OBJ (with crease tags), PLY, OFF, STL, 3MF, VTK `.vtp` and
//! `.vtk` of polygons;
//! [`write_surface`] writes OBJ, PLY, VTK `.vtp`, STL, glTF `.glb` and 3MF.

pub mod atomic;
mod dataset;
mod exodus;
mod high_order;
mod lines;
mod mesh_dataset;
mod point_cloud;
mod read;
mod source;
mod table;
mod unfinished;
mod write;

pub use crate::mesh::CORNER_SHARPNESS;
pub use crate::numbers::LengthUnit;
pub(crate) use dataset::name_attributes_apart;
pub use dataset::{
    Array, ArrayData, Dataset, DatasetCells, MixedCells, Points, PolyhedronFaces, vtk_type,
};
pub use high_order::hexahedron_order;
pub use mesh_dataset::{CREASE_EDGES, CREASE_SHARPNESS, FITTED};
pub use read::{
    CellBlock, ControlMesh, CreaseTable, CurvedNode, GroupName, MeshParts, ReadOptions, ReadReport,
    files_of, is_surface, read, read_creases, read_mesh, read_surface, read_surface_with_options,
    read_surface_with_report, read_with_options, read_with_report, solid_of_parts,
};
pub(crate) use source::bounded_file;
pub(crate) use table::{
    TableForm, TableReader, TableRow, add_attribute_columns, check_columns, column_names,
};
pub use table::{check_table_attributes, write_table_header};
pub(crate) use unfinished::UnfinishedPath;
pub use unfinished::remove_unfinished;
/// Control meshes from and to the data model of the crate [`vtkio`](::vtkio), for Rust programs
/// that live on it. Its own readers and writers play no part here: a [`::vtkio::model::Vtk`] may
/// come from anywhere.
#[cfg(feature = "vtkio")]
pub mod vtkio {
    pub use super::read::vtkio::{solid, surface};
    pub use super::write::vtkio::{from_solid, from_surface};
}
pub(crate) use write::vdb;
pub(crate) use write::{
    Archive, CONTENT_TYPES, ModelWriter, PARTS, RELATIONSHIPS, ZipEntry, ZipMethod, box_mesh,
    central_directory, check_all_jobs, escape, model_end, model_head, write_rows,
};
pub use write::{
    BezierPatch, CellSide, FileOutline, Format, GlbOptions, JobPart, MergedPieces, MeshFormat,
    PieceJob, PieceShare, PieceWriter, PolylinePiece, PolylineWriter, SideGroup, SurfaceFormat,
    UpAxis, WriteOptions, check_arrays_of, check_ending, check_names, check_output,
    check_output_as, check_surface_output, is_glb, lost_cell_data, lost_data, merge, mesh_format,
    write, write_arrays, write_bext, write_pieces, write_surface, write_surface_groups,
    write_surface_with,
};

/// A name as part of a path in an archive or a directory: characters other than letters, digits,
/// `-` and `_` become `_`.
pub fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_".contains(c) { c } else { '_' };
    name.chars().map(plain).collect()
}

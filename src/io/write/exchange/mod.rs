//! Formats of finite-element programs: one mesh with groups and an order ([`ExchangeMesh`]), and a
//! writer for each format.
//!
//! # Adding a format
//! A row of [`MeshFormat`], a file that writes an [`ExchangeMesh`], what it leaves out in
//! [`MeshFormat::losses`], and a test that its own program reads back cells, groups and volumes.

mod arrays;
mod exodus;
mod gather;
mod groups;
mod inp;
mod losses;
mod medit;
mod mesh;
mod mfem;
mod msh;
mod netcdf;
mod orders;
mod shapes;
mod text;

pub use gather::write_pieces;
pub use shapes::{CellSide, SideGroup};

use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, option_name};
use crate::io::atomic;
use crate::io::dataset::Dataset;
use crate::io::exodus::hex_27;
use crate::mesh::SurfaceMesh;
use mesh::ExchangeMesh;
use orders::HexahedronGrid;

/// A format that finite-element programs read, with groups of cells and of faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum MeshFormat {
    /// Gmsh's MSH 4.1, as text
    Msh,
    /// Gmsh's MSH 4.1, binary
    MshBinary,
    /// Deck of Abaqus and CalculiX, of nodes, elements and sets
    Inp,
    /// MFEM's mesh, version 1.0, with names of groups 1.3
    Mfem,
    /// MEDIT's mesh, as text
    Medit,
    /// Exodus II, in NetCDF's classic format
    Exodus,
}

impl MeshFormat {
    /// All formats.
    pub const ALL: [Self; 6] =
        [Self::Msh, Self::MshBinary, Self::Inp, Self::Mfem, Self::Medit, Self::Exodus];

    /// End of the file's name, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Msh | Self::MshBinary => "msh",
            Self::Inp => "inp",
            Self::Mfem | Self::Medit => "mesh",
            Self::Exodus => "exo",
        }
    }

    /// Highest order of hexahedra; all formats have all orders below, too.
    fn max_order(self) -> usize {
        match self {
            Self::Msh | Self::MshBinary => msh::HEXAHEDRA.len(),
            Self::Inp | Self::Exodus => 2,
            Self::Mfem => 10,
            Self::Medit => 1,
        }
    }

    /// Whether arrays of points and cells have a place.
    pub fn holds_arrays(self) -> bool {
        matches!(self, Self::Msh | Self::MshBinary | Self::Exodus)
    }

    /// The format of a name's ending, of which there is one that is usual; `given`: the format
    /// that is asked for, which must have the ending.
    ///
    /// # Errors
    /// [`Error::Request`] for another ending than that of the format asked for, and for `.mesh` if
    /// none is.
    pub(super) fn of(path: &Path, ending: &str, given: Option<Self>) -> Result<Option<Self>> {
        let name = path.display();
        if let Some(given) = given {
            let own = given.extension();
            if path == Path::new("-") || ending.eq_ignore_ascii_case(own) {
                return Ok(Some(given));
            }
            return Err(Error::request(message!(
                format!("{name}: "),
                option_name("format"),
                format!(" names a format of .{own} files")
            ))
            .with_help(message!(
                "end the name of the output in .{own}, or leave ",
                option_name("format"),
                " out"
            )));
        }
        let mut own = Self::ALL.into_iter().filter(|f| ending.eq_ignore_ascii_case(f.extension()));
        match own.next() {
            Some(Self::Mfem) => Err(Error::request(format!(
                "{name}: MFEM and MEDIT both have files of this ending"
            ))
            .with_help(message!(
                "give ",
                crate::error::option("format", "mfem"),
                " or medit"
            ))),
            format => Ok(format),
        }
    }

    /// Refuses an order of hexahedra that the format does not hold.
    ///
    /// # Errors
    /// [`Error::Request`] with the orders that it holds.
    pub fn check_order(self, order: usize) -> Result<()> {
        let (most, ending) = (self.max_order(), self.extension());
        if order <= most {
            return Ok(());
        }
        let holds = match most {
            1 => "order 1".to_owned(),
            2 => "orders 1 and 2".to_owned(),
            _ => format!("orders 1 to {most}"),
        };
        Err(Error::request(format!("cells of order {order} in a .{ending} file")).with_help(
            format!("it holds hexahedra of {holds}; .mesh of MFEM and .vtu hold 1 to 10"),
        ))
    }

    fn write(self, out: &mut impl Write, mut mesh: ExchangeMesh) -> io::Result<()> {
        let grid = HexahedronGrid::new(mesh.order);
        match (self, mesh.order) {
            (Self::Inp, 2) => {
                mesh.keep_hexahedron_nodes(&grid.nodes(&orders::abaqus_20()));
                mesh.drop_unused();
            }
            (Self::Exodus, 2) => mesh.keep_hexahedron_nodes(&grid.nodes(&hex_27())),
            (Self::Mfem, _) => mesh.drop_unused(),
            _ => {}
        }
        match self {
            Self::Msh => msh::write(out, &mesh, false),
            Self::MshBinary => msh::write(out, &mesh, true),
            Self::Inp => inp::write(out, &mesh),
            Self::Mfem => mfem::write(out, &mesh),
            Self::Medit => medit::write(out, &mesh),
            Self::Exodus => exodus::write(out, &mesh),
        }
    }
}

/// Writes a dataset and groups of sides of its cells.
///
/// # Errors
/// [`Error::Request`] for cells or an order that the format does not hold; [`Error::Mesh`] for
/// faces of groups that belong to no cell; [`Error::Io`] if writing fails.
pub fn write(
    path: &Path,
    format: MeshFormat,
    dataset: &Dataset,
    side_groups: &[SideGroup],
) -> Result<()> {
    let mesh = ExchangeMesh::new(dataset, side_groups)?;
    write_mesh(path, format, mesh)
}

/// Writes a surface, and the members of groups of its faces, over a file of the format.
///
/// # Errors
/// [`Error::Mesh`] for polygons other than triangles and quads; [`Error::Io`] if writing fails.
pub fn write_surface_groups(
    path: &Path,
    format: MeshFormat,
    surface: &SurfaceMesh,
    groups: &[(String, Vec<u32>)],
) -> Result<()> {
    write_mesh(path, format, ExchangeMesh::of_surface(surface, groups)?)
}

fn write_mesh(path: &Path, format: MeshFormat, mesh: ExchangeMesh) -> Result<()> {
    format.check_order(mesh.order)?;
    atomic::write(path, |out: &mut BufWriter<_>| {
        format.write(out, mesh).map_err(|e| atomic::refused(path, e))
    })
}

//! Shapes of cells, and their sides.

use crate::error::{Error, Result};
use crate::io::dataset::{DatasetCells, vtk_type};
use crate::mesh::VolumeShape;
use crate::numbers::counted;

/// Shape of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellShape {
    Triangle,
    Quad,
    Tetrahedron,
    Wedge,
    Hexahedron,
}

impl CellShape {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Triangle, Self::Quad, Self::Tetrahedron, Self::Wedge, Self::Hexahedron];

    /// Number of corners, which come first among the nodes.
    pub fn corners(self) -> usize {
        match self {
            Self::Triangle => 3,
            Self::Quad => 4,
            Self::Tetrahedron => 4,
            Self::Wedge => 6,
            Self::Hexahedron => 8,
        }
    }

    /// 2 or 3.
    pub fn dimension(self) -> usize {
        if self < Self::Tetrahedron { 2 } else { 3 }
    }

    /// The shape of a volume.
    pub fn volume(self) -> Option<VolumeShape> {
        match self {
            Self::Triangle | Self::Quad => None,
            Self::Tetrahedron => Some(VolumeShape::Tetrahedron),
            Self::Wedge => Some(VolumeShape::Wedge),
            Self::Hexahedron => Some(VolumeShape::Hexahedron),
        }
    }

    /// Sides of a volume by their corners, in the order of Abaqus; as they look from within.
    pub fn sides(self) -> &'static [&'static [usize]] {
        self.volume().map_or(&[], VolumeShape::sides)
    }
}

/// A side of a cell: the cell, and the number of its side, from 0, in the order S1, S2, … of
/// Abaqus. Of a hexahedron these are w = 0, w = 1, v = 0, u = 1, v = 1, u = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellSide {
    /// The cell.
    pub cell: u32,
    /// Its side.
    pub side: u8,
}

/// A named group of sides of the cells of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideGroup {
    /// Its name.
    pub name: String,
    /// The sides, in any order.
    pub sides: Vec<CellSide>,
}

/// The corners of a triangle or a quad, the same in any order.
pub fn face_key(corners: &[u32]) -> [u32; 4] {
    let mut key = [u32::MAX; 4];
    key.iter_mut().zip(corners).for_each(|(k, &v)| *k = v);
    key.sort_unstable();
    key
}

/// VTK's number of the type, and the points, of each cell.
pub fn cells_of(cells: &DatasetCells) -> impl Iterator<Item = (u8, &[u32])> {
    (0..cells.len()).map(move |c| match cells {
        DatasetCells::Uniform { vtk_type, size, connectivity } => {
            (*vtk_type, &connectivity[c * size..][..*size])
        }
        DatasetCells::Mixed(mixed) => {
            let start = if c == 0 { 0 } else { mixed.ends[c - 1] as usize };
            (mixed.vtk_types[c], &mixed.connectivity[start..mixed.ends[c] as usize])
        }
    })
}

/// Shape and order of a cell.
pub fn shape_of(c: usize, vtk_type: u8, nodes: usize) -> Result<(CellShape, usize)> {
    let order = (nodes as f64).cbrt().round() as usize;
    let (what, help) = match vtk_type {
        vtk_type::TRIANGLE => return Ok((CellShape::Triangle, 1)),
        vtk_type::QUAD => return Ok((CellShape::Quad, 1)),
        vtk_type::TETRAHEDRON => return Ok((CellShape::Tetrahedron, 1)),
        vtk_type::WEDGE => return Ok((CellShape::Wedge, 1)),
        vtk_type::HEXAHEDRON => return Ok((CellShape::Hexahedron, 1)),
        vtk_type::LAGRANGE_HEXAHEDRON if order > 1 && order.pow(3) == nodes => {
            return Ok((CellShape::Hexahedron, order - 1));
        }
        vtk_type::POLYHEDRON | vtk_type::POLYGON => {
            ("a polyhedron", "refine the mesh once: all cells are hexahedra then")
        }
        vtk_type::BEZIER_HEXAHEDRON => {
            ("a Bézier cell", "write a .vtu file, or Lagrange cells of order 3")
        }
        vtk_type::VERTEX => ("a point", "write .vtu, .csv or .npz"),
        _ => ("of an unknown type", "write a .vtu file"),
    };
    let why = format!(
        "cell {c} is {what} of {}: finite-element formats have no such cells",
        counted(nodes, "node")
    );
    Err(Error::request(why).with_help(help))
}

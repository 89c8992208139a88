//! The numbering of Exodus II, of its reader and its writer (Schoof and Yarberry, "Exodus II: A Finite
//! Element Data Model", SAND92-2137).

use super::high_order::hexahedron_order;
use crate::mesh::VolumeShape;

/// Number in Exodus, from 1, of each side of a shape.
pub(super) fn side_numbers(shape: VolumeShape) -> &'static [i32] {
    match shape {
        VolumeShape::Tetrahedron => &[4, 1, 2, 3],
        VolumeShape::Pyramid => &[5, 1, 2, 3, 4],
        VolumeShape::Wedge => &[4, 5, 1, 2, 3],
        VolumeShape::Hexahedron | VolumeShape::Voxel => &[5, 6, 1, 2, 3, 4],
    }
}

/// Positions of the 27 nodes of HEX27: corners, bottom, upright and top edges, center, faces. The
/// first 20 are those of HEX20.
pub(super) fn hex_27() -> Vec<[usize; 3]> {
    let vtk = hexahedron_order(2);
    let faces = [[1, 1, 0], [1, 1, 2], [0, 1, 1], [2, 1, 1], [1, 0, 1], [1, 2, 1]];
    [&vtk[..12], &vtk[16..20], &vtk[12..16], &[[1, 1, 1]], &faces].concat()
}

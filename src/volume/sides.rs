//! Groups of faces of a mesh as sides of the cells that its limit is written in.

use crate::error::Result;
use crate::io::{CellSide, SideGroup};
use crate::limit::{Element, Solid};
use crate::mesh::FaceGroup;
use crate::topology::Topology;

/// Corners of the sides w = 0, w = 1, v = 0, u = 1, v = 1, u = 0 of an element.
const SIDES: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

/// The sides of cells that make up the faces of groups: of `n` × n × n cells in each element, u
/// fastest. A face between cells has the sides of one of them.
///
/// # Errors
/// [`Error::Mesh`](crate::Error::Mesh) naming a group and vertices that are no face.
pub fn side_groups(solid: &Solid, groups: &[FaceGroup], n: usize) -> Result<Vec<SideGroup>> {
    let topology = solid.topology();
    let of_face = |face: u32| {
        // of two cells of the solid the first
        let cell = topology.bounded_cell(face).unwrap_or(topology.face_cells(face)[0]);
        let first = solid.elements().partition_point(|element| element.cell < cell);
        let own = solid.elements()[first..].iter().take_while(|element| element.cell == cell);
        let own: Vec<&Element> = own.collect();
        let sides = match own[..] {
            [element] if element.corner.is_none() => {
                sides_of(element, topology.face_vertices(face)).take(1).collect()
            }
            _ => sides_of_parts(topology, &own, face),
        };
        sides.into_iter().map(move |(part, side)| CellSide { cell: (first + part) as u32, side })
    };
    let of_group = |group: &FaceGroup| -> Result<SideGroup> {
        let sides = topology.group_faces(group)?.into_iter().flat_map(of_face);
        let sides = sides.flat_map(|side| divided(side, n)).collect();
        Ok(SideGroup { name: group.name.clone(), sides })
    };
    groups.iter().map(of_group).collect()
}

/// The sides of an element all of whose corners are of a face.
fn sides_of<'a>(element: &'a Element, face: &'a [u32]) -> impl Iterator<Item = (usize, u8)> + 'a {
    let is_of =
        move |corners: &[usize; 4]| corners.iter().all(|&i| face.contains(&element.corners[i]));
    let sides = (0..).zip(SIDES).filter(move |(_, corners)| is_of(corners));
    sides.map(|(side, _)| (0, side))
}

/// The sides of the elements at the corners of a cell that lie on a face of it.
fn sides_of_parts(topology: &Topology, elements: &[&Element], face: u32) -> Vec<(usize, u8)> {
    let side = |(part, element): (usize, &&Element)| {
        let vertex = topology.cells().listed_vertex(element.cell as usize, element.corner?.into());
        let fan = topology.corner_fan(element.cell, vertex)?;
        let axis = fan.faces.iter().position(|&own| own == face)?;
        // the sides u = 0, v = 0 and w = 0
        Some((part, [5, 2, 0][axis]))
    };
    elements.iter().enumerate().filter_map(side).collect()
}

/// The sides of the n × n × n cells of an element on a side of it.
fn divided(CellSide { cell, side }: CellSide, n: usize) -> impl Iterator<Item = CellSide> {
    let axes = [(2, false), (2, true), (1, false), (0, true), (1, true), (0, false)];
    let (axis, is_high) = axes[usize::from(side)];
    let [a, b] = [[1, 2], [0, 2], [0, 1]][axis];
    (0..n * n).map(move |i| {
        let mut at = [0; 3];
        at[axis] = if is_high { n - 1 } else { 0 };
        (at[a], at[b]) = (i % n, i / n);
        let within = at[0] + n * (at[1] + n * at[2]);
        CellSide { cell: cell * n.pow(3) as u32 + within as u32, side }
    })
}

//! Groups of faces of a mesh as sides of the cells that its limit is written in.

use crate::error::Result;
use crate::io::{CellSide, SideGroup};
use crate::limit::{Element, Solid};
use crate::mesh::FaceGroup;

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
        let cell = topology.face_cells(face)[0];
        let first = solid.elements().partition_point(|element| element.cell < cell);
        let own = solid.elements()[first..].iter().take_while(|element| element.cell == cell);
        let own: Vec<&Element> = own.collect();
        let face = topology.face_vertices(face);
        let sides = match own[..] {
            [element] if element.corner.is_none() => sides_of(element, face).take(1).collect(),
            _ => sides_of_parts(&own, topology.cells().vertices(cell as usize), face),
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

/// The sides of the elements at the `corners` of a cell that lie on a face of it: they have a corner
/// of the face and, opposite to it, a point that they all share.
fn sides_of_parts(elements: &[&Element], corners: &[u32], face: &[u32]) -> Vec<(usize, u8)> {
    let at_corners = || elements.iter().enumerate().zip(corners).filter(|(_, v)| face.contains(v));
    let mut sides: Vec<(u32, (usize, u8))> = Vec::new();
    for ((part, element), vertex) in at_corners() {
        for (side, places) in (0..).zip(SIDES) {
            if let Some(at) = places.iter().position(|&place| element.corners[place] == *vertex) {
                sides.push((element.corners[places[(at + 2) % 4]], (part, side)));
            }
        }
    }
    // two faces of a cell share two corners at most
    let count = |point: u32| sides.iter().filter(|(own, _)| *own == point).count();
    let of_all = sides.iter().map(|&(point, _)| point).find(|&point| count(point) == face.len());
    sides.iter().filter(|(point, _)| Some(*point) == of_all).map(|&(_, side)| side).collect()
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

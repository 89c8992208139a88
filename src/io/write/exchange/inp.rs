//! Abaqus' and CalculiX' decks: nodes, elements, and sets without materials and steps.
//!
//! All elements are in `Eall`, all nodes in `Nall`; a group of cells is an element set, a group of
//! faces a surface of sides of elements and a node set of the same name.

use std::io::{self, Write};

use super::groups::{Group, plain_names};
use super::mesh::ExchangeMesh;
use super::shapes::CellShape;
use super::text::{line, list, rows};

/// The set of all elements.
const ALL: &str = "Eall";

/// Names of groups in a deck, in their order.
pub fn names(groups: &[Group], taken: &[&str]) -> Vec<String> {
    plain_names(&groups.iter().map(|group| &*group.name).collect::<Vec<_>>(), taken)
}

/// Names of the groups of cells: that of all is taken unless it is one.
pub fn cell_names(mesh: &ExchangeMesh) -> Vec<String> {
    let mut names = names(&mesh.cell_groups, &[]);
    for (name, group) in names.iter_mut().zip(&mesh.cell_groups) {
        if name.eq_ignore_ascii_case(ALL) && group.members.len() < mesh.shapes.len() {
            name.push_str("_group");
        }
    }
    names
}

/// Names of the groups of faces, which are sets of nodes as well.
pub fn face_names(mesh: &ExchangeMesh) -> Vec<String> {
    names(&mesh.face_groups, &["Nall"])
}

/// A number in the 20 characters that CalculiX reads: of small and large ones with 13 digits at
/// least.
fn short(x: f64) -> String {
    let rounded = (12..16).rev().map(|digits| format!("{x:.digits$e}"));
    let mut all = std::iter::once(format!("{x:?}")).chain(rounded);
    all.find(|text| text.len() <= 20).unwrap_or_else(|| format!("{x:.11e}"))
}

/// Writes a mesh of order 1 or 2, whose hexahedra have the nodes of C3D8 or C3D20.
pub fn write(out: &mut impl Write, mesh: &ExchangeMesh) -> io::Result<()> {
    writeln!(out, "*HEADING\nsubsolid\n*NODE, NSET=Nall")?;
    rows(out, mesh.points.len(), |i, text| {
        let [x, y, z] = mesh.points[i].map(short);
        writeln!(text, "{}, {x}, {y}, {z}", i + 1)
    })?;
    for shape in CellShape::ALL {
        let own: Vec<usize> = (0..mesh.shapes.len()).filter(|&c| mesh.shapes[c] == shape).collect();
        if own.is_empty() {
            continue;
        }
        let kind = match shape {
            CellShape::Triangle => "S3",
            CellShape::Quad => "S4",
            CellShape::Tetrahedron => "C3D4",
            CellShape::Wedge => "C3D6",
            CellShape::Hexahedron if mesh.order == 1 => "C3D8",
            CellShape::Hexahedron => "C3D20",
        };
        writeln!(out, "*ELEMENT, TYPE={kind}, ELSET={ALL}")?;
        rows(out, own.len(), |i, text| {
            let numbers: Vec<usize> = std::iter::once(own[i] + 1)
                .chain(mesh.cell(own[i]).iter().map(|&v| v as usize + 1))
                .collect();
            match numbers.split_at_checked(16) {
                // a line ends in a comma where the next one goes on
                Some((first, rest)) if !rest.is_empty() => {
                    line(text, first, ", ")?;
                    text.pop();
                    text.extend(b",\n");
                    line(text, rest, ", ")
                }
                _ => line(text, numbers, ", "),
            }
        })?;
    }
    for (group, name) in mesh.cell_groups.iter().zip(cell_names(mesh)) {
        if !name.eq_ignore_ascii_case(ALL) {
            writeln!(out, "*ELSET, ELSET={name}")?;
            list(out, group.members.iter().map(|c| c + 1))?;
        }
    }
    for (group, name) in mesh.face_groups.iter().zip(face_names(mesh)) {
        let sides = || group.members.iter().map(|&f| mesh.faces[f as usize]);
        writeln!(out, "*SURFACE, NAME={name}, TYPE=ELEMENT")?;
        for side in sides() {
            writeln!(out, "{}, S{}", side.cell + 1, side.side + 1)?;
        }
        let mut nodes: Vec<u32> = sides().flat_map(|side| mesh.side_nodes(side)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        writeln!(out, "*NSET, NSET={name}")?;
        list(out, nodes.into_iter().map(|v| v + 1))?;
    }
    Ok(())
}

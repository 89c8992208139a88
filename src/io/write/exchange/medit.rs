//! MEDIT `.mesh`, ASCII: a reference for each cell and face, one for each combination of groups; 0
//! in no group.

use std::io::{self, Write};

use super::mesh::ExchangeMesh;
use super::shapes::CellShape;
use super::text::{line, point, rows};

/// Sections of faces and cells.
const SECTIONS: [(CellShape, &str); 5] = [
    (CellShape::Triangle, "Triangles"),
    (CellShape::Quad, "Quadrilaterals"),
    (CellShape::Tetrahedron, "Tetrahedra"),
    (CellShape::Wedge, "Prisms"),
    (CellShape::Hexahedron, "Hexahedra"),
];

/// Writes a mesh of order 1.
pub fn write(out: &mut impl Write, mesh: &ExchangeMesh) -> io::Result<()> {
    writeln!(out, "MeshVersionFormatted 2\nDimension 3\nVertices\n{}", mesh.points.len())?;
    rows(out, mesh.points.len(), |i, text| writeln!(text, "{} 0", point(mesh.points[i], " ")))?;
    let cells = mesh.cell_classes();
    let faces = mesh.face_classes();
    let references =
        [faces.numbers(&mesh.face_groups, Some(0)), cells.numbers(&mesh.cell_groups, Some(0))];
    for (shape, section) in SECTIONS {
        let own_faces: Vec<usize> =
            (0..mesh.faces.len()).filter(|&f| mesh.side_shape(mesh.faces[f]) == shape).collect();
        let own_cells: Vec<usize> =
            (0..mesh.shapes.len()).filter(|&c| mesh.shapes[c] == shape).collect();
        let count = own_faces.len() + own_cells.len();
        if count == 0 {
            continue;
        }
        writeln!(out, "{section}\n{count}")?;
        rows(out, own_faces.len(), |i, text| {
            let f = own_faces[i];
            let reference = references[0][faces.class[f] as usize];
            let nodes = mesh.side(mesh.faces[f]).into_iter().map(|v| i64::from(v) + 1);
            line(text, nodes.chain([reference]), " ")
        })?;
        rows(out, own_cells.len(), |i, text| {
            let c = own_cells[i];
            let reference = references[1][cells.class[c] as usize];
            let nodes = mesh.cell(c).iter().map(|&v| i64::from(v) + 1);
            line(text, nodes.chain([reference]), " ")
        })?;
    }
    writeln!(out, "End")
}

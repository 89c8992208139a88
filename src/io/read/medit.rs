//! MEDIT `.mesh`, ASCII: keyword, count, then one entry a line, 1-based, with a
//! trailing reference number.
//!
//! `Dimension 3` may stand on one line or two, keywords in any case, `#` starts a
//! comment, and the closing `End` may be missing. Reference numbers of cells become the cell array
//! `medit:ref`, unless all are 0; triangles and quadrilaterals are in groups `medit:ref:N` by
//! theirs. Those of vertices are skipped and reported, as are faces of reference 0.

use std::path::Path;

use crate::Result;
use crate::mesh::groups::face_group_name;

use super::assemble::{Assembly, Shape};
use super::lines::{Text, shown};

/// Cell array of the reference numbers of cells.
const REFERENCE: &str = "medit:ref";

/// Sections that are passed over, with the numbers an entry has.
const SKIPPED: [(&str, usize); 18] = [
    ("Edges", 3),
    ("Corners", 1),
    ("Ridges", 1),
    ("RequiredVertices", 1),
    ("RequiredEdges", 1),
    ("RequiredTriangles", 1),
    ("RequiredQuadrilaterals", 1),
    ("RequiredTetrahedra", 1),
    ("RequiredHexahedra", 1),
    ("Normals", 3),
    ("NormalAtVertices", 2),
    ("NormalAtTriangleVertices", 3),
    ("NormalAtQuadrilateralVertices", 3),
    ("Tangents", 3),
    ("TangentAtVertices", 2),
    ("TangentAtEdges", 3),
    ("SubDomainFromMesh", 4),
    ("SubDomainFromGeom", 4),
];

/// Reads a MEDIT file that is already in memory.
pub(super) fn read<'a>(path: &'a Path, bytes: &'a [u8]) -> Result<Assembly<'a>> {
    let mut text = Text::new(path, bytes).with_comment(b'#');
    let mut assembly = Assembly::new(path, 1);
    if !text.accept("MeshVersionFormatted") {
        return Err(text
            .error("a MEDIT mesh begins with `MeshVersionFormatted`")
            .with_help("check the format of the file, or export it again"));
    }
    text.count("the version number")?;
    let mut nonzero_references = 0;
    while let Some(word) = text.word() {
        let keyword = std::str::from_utf8(word).unwrap_or_default();
        let is = |name: &str| keyword.eq_ignore_ascii_case(name);
        if is("End") {
            break;
        } else if is("Dimension") {
            let dimension = text.count("the dimension")?;
            if dimension != 3 {
                return Err(text
                    .error(format!("dimension {dimension}, 3 is needed"))
                    .with_help("a solid needs three coordinates: export the volume mesh"));
            }
        } else if is("Vertices") {
            if assembly.points() > 0 {
                return Err(text
                    .error("a second section `Vertices`")
                    .with_help("keep one mesh in the file"));
            }
            let count = text.count("the number of vertices")?;
            assembly.reserve_points(text.room(count, 8));
            for _ in 0..count {
                let point = text.point()?;
                assembly.push_point(point, Some(text.line()))?;
                nonzero_references += usize::from(text.integer("a reference number")? != 0);
            }
        } else if let Some(shape) = shape(keyword) {
            let count = text.count("the number of cells")?;
            let mut corners = [0; 8];
            let corners = &mut corners[..shape.corners()];
            for _ in 0..count {
                for corner in corners.iter_mut() {
                    *corner = text.index(1, "vertex")?;
                }
                let line = text.line();
                let reference = text.integer("a reference number")?;
                assembly.push_cell(shape, corners, Some(line))?;
                assembly.refer(reference);
            }
        } else if let Some(corners) = face(keyword) {
            let kind = keyword.to_ascii_lowercase();
            for _ in 0..text.count("the number of faces")? {
                let mut vertices = [0; 4];
                for corner in &mut vertices[..corners] {
                    *corner = text.index(1, "vertex")?;
                }
                let reference = text.integer("a reference number")?;
                let face = assembly.groups.push_face(&kind, &vertices[..corners], &[]);
                if reference != 0 {
                    assembly.groups.group_face(&face_group_name(REFERENCE, reference), face);
                }
            }
        } else if let Some((name, numbers)) = SKIPPED.iter().find(|(name, _)| is(name)) {
            let count = text.count("the number of entries")?;
            for _ in 0..count.saturating_mul(*numbers) {
                text.real("a number")?;
            }
            assembly.skip_many(&name.to_ascii_lowercase(), count);
        } else if word[0].is_ascii_alphabetic() {
            if ["HexahedraQ", "TetrahedraP", "PrismsP", "PyramidsP", "PentahedraP"].iter().any(
                |prefix| {
                    keyword.get(..prefix.len()).is_some_and(|k| k.eq_ignore_ascii_case(prefix))
                },
            ) {
                return Err(text
                    .error(format!("section `{keyword}`: high-order cells cannot be control cells"))
                    .with_help("export linear elements"));
            }
            assembly.skip(&format!("section `{}`", shown(word)));
            while text.peek().is_some_and(|next| !next[0].is_ascii_alphabetic()) {
                text.word();
            }
        } else {
            return Err(text
                .error(format!("a keyword is expected, found `{}`", shown(word)))
                .with_help("a count is smaller than its list, or an entry has numbers too many"));
        }
    }
    assembly.skip_many("nonzero reference numbers of vertices", nonzero_references);
    assembly.push_references(REFERENCE, 0)?;
    Ok(assembly)
}

fn shape(keyword: &str) -> Option<Shape> {
    [
        ("Hexahedra", Shape::Hexahedron),
        ("Hexaedra", Shape::Hexahedron), // a spelling some writers use
        ("Tetrahedra", Shape::Tetrahedron),
        ("Prisms", Shape::Prism),
        ("Pentahedra", Shape::Prism),
        ("Wedges", Shape::Prism),
        ("Pyramids", Shape::Pyramid),
    ]
    .into_iter()
    .find_map(|(name, shape)| keyword.eq_ignore_ascii_case(name).then_some(shape))
}

/// Number of corners of the faces of a section.
fn face(keyword: &str) -> Option<usize> {
    let faces = [("Triangles", 3), ("Quadrilaterals", 4)];
    faces.into_iter().find_map(|(name, n)| keyword.eq_ignore_ascii_case(name).then_some(n))
}

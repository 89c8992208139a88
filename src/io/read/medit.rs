//! MEDIT `.mesh`, ASCII: keyword, count, then one entry a line, 1-based, with a
//! trailing reference number.
//!
//! `Dimension 3` may be on one line or two, keywords in any case, `#` starts a comment, and the
//! closing `End` may be missing. Reference numbers of cells become the cell array `medit:ref`,
//! unless all are 0; triangles and quadrilaterals are in groups `medit:ref:N` by theirs, unless
//! there are more than 256. `Edges`, `Ridges`, `RequiredEdges`, `Corners` and `RequiredVertices` are
//! features, and edges of a reference number `medit:ref:N`. References of vertices are skipped and
//! reported, as are faces of reference 0.

use std::path::Path;

use crate::error::Result;
use crate::mesh::VolumeShape;
use crate::mesh::groups::face_group_name;

use super::assemble::Assembly;
use super::lines::{Text, shown};

/// Cell array of the reference numbers of cells.
const REFERENCE: &str = "medit:ref";

/// Lists of edges, which become features.
const OF_EDGES: [&str; 2] = ["Ridges", "RequiredEdges"];
/// Lists of vertices, which become features.
const OF_VERTICES: [&str; 2] = ["Corners", "RequiredVertices"];

/// Sections that are passed over, with the numbers an entry has.
const SKIPPED: [(&str, usize); 13] = [
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
    if !text.accept("MeshVersionFormatted") {
        return Err(text
            .error("a MEDIT mesh begins with `MeshVersionFormatted`")
            .with_help("check the format of the file, or export it again"));
    }
    text.count("the version number")?;
    let assembly = Assembly::new(path, 1);
    let (edges, lists) = (Vec::new(), Vec::new());
    let mut reader = MeditReader { text, assembly, vertex_references: 0, edges, lists };
    while let Some(word) = reader.text.word() {
        let keyword = std::str::from_utf8(word).unwrap_or_default();
        if keyword.eq_ignore_ascii_case("End") {
            break;
        }
        reader.read_section(keyword, word)?;
    }
    reader.take_lists()?;
    let MeditReader { mut assembly, vertex_references, .. } = reader;
    assembly.skip_many("nonzero reference numbers of vertices", vertex_references);
    assembly.limit_numbered_groups(REFERENCE);
    assembly.push_references(REFERENCE, 0)?;
    Ok(assembly)
}

struct MeditReader<'a> {
    text: Text<'a>,
    assembly: Assembly<'a>,
    // vertices whose reference number is not 0
    vertex_references: usize,
    edges: Vec<[u32; 2]>,
    // lists of edges, which may stand before the edges
    lists: Vec<(&'static str, Text<'a>)>,
}

impl MeditReader<'_> {
    /// Reads or skips the section that begins with `word`, the keyword unless that is not text.
    fn read_section(&mut self, keyword: &str, word: &[u8]) -> Result<()> {
        let is = |name: &str| keyword.eq_ignore_ascii_case(name);
        if is("Dimension") {
            self.check_dimension()
        } else if is("Vertices") {
            self.read_vertices()
        } else if let Some(shape) = shape(keyword) {
            self.read_cells(shape)
        } else if let Some(corners) = face(keyword) {
            self.read_faces(&keyword.to_ascii_lowercase(), corners)
        } else if is("Edges") {
            self.read_edges()
        } else if let Some(name) = OF_VERTICES.iter().find(|name| is(name)) {
            for _ in 0..self.text.count("the number of vertices")? {
                let vertex = self.text.index(1, "vertex")?;
                self.assembly.features.named(name).vertices.push(vertex);
            }
            Ok(())
        } else if let Some(name) = OF_EDGES.iter().find(|name| is(name)) {
            self.lists.push((name, self.text));
            self.pass_section(1).map(drop)
        } else if let Some((name, numbers)) = SKIPPED.iter().find(|(name, _)| is(name)) {
            self.skip_section(name, *numbers)
        } else if is_high_order(keyword) {
            Err(self
                .text
                .error(format!("section `{keyword}`: high-order cells cannot be control cells"))
                .with_help("export linear elements"))
        } else if word[0].is_ascii_alphabetic() {
            self.skip_unknown_section(word);
            Ok(())
        } else {
            Err(self
                .text
                .error(format!("a keyword is expected, found `{}`", shown(word)))
                .with_help("a count is smaller than its list, or an entry has too many numbers"))
        }
    }

    fn check_dimension(&mut self) -> Result<()> {
        match self.text.count("the dimension")? {
            3 => Ok(()),
            dimension => Err(self
                .text
                .error(format!("dimension {dimension}, 3 is needed"))
                .with_help("a solid needs three coordinates: export the volume mesh")),
        }
    }

    fn read_vertices(&mut self) -> Result<()> {
        let Self { text, assembly, .. } = self;
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
            self.vertex_references += usize::from(text.integer("a reference number")? != 0);
        }
        Ok(())
    }

    fn read_cells(&mut self, shape: VolumeShape) -> Result<()> {
        let Self { text, assembly, .. } = self;
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
        Ok(())
    }

    fn read_faces(&mut self, kind: &str, corners: usize) -> Result<()> {
        let Self { text, assembly, .. } = self;
        for _ in 0..text.count("the number of faces")? {
            let mut vertices = [0; 4];
            for corner in &mut vertices[..corners] {
                *corner = text.index(1, "vertex")?;
            }
            let reference = text.integer("a reference number")?;
            let face = assembly.groups.push_face(kind, &vertices[..corners], &[]);
            if reference != 0 {
                assembly.groups.group_face(&face_group_name(REFERENCE, reference), face);
            }
        }
        Ok(())
    }

    fn read_edges(&mut self) -> Result<()> {
        let Self { text, assembly, edges, .. } = self;
        for _ in 0..text.count("the number of edges")? {
            let edge = [text.index(1, "vertex")?, text.index(1, "vertex")?];
            assembly.features.named("Edges").edges.push(edge);
            edges.push(edge);
            match text.integer("a reference number")? {
                0 => {}
                reference => {
                    let name = face_group_name(REFERENCE, reference);
                    assembly.features.named(&name).edges.push(edge);
                }
            }
        }
        Ok(())
    }

    /// Reads the lists of edges once all edges are known.
    fn take_lists(&mut self) -> Result<()> {
        for (name, mut text) in std::mem::take(&mut self.lists) {
            for _ in 0..text.count("the number of edges")? {
                let index = text.index(1, "edge")?;
                let Some(&edge) = self.edges.get(index as usize) else {
                    let (given, count) = (u64::from(index) + 1, self.edges.len());
                    let message = format!("`{name}` names edge {given}, there are {count}");
                    return Err(text
                        .error(message)
                        .with_help("edges are numbered from 1 in the order of section `Edges`"));
                };
                self.assembly.features.named(name).edges.push(edge);
            }
        }
        Ok(())
    }

    /// Passes over a section whose entries have `numbers` numbers; returns how many it has.
    fn pass_section(&mut self, numbers: usize) -> Result<usize> {
        let count = self.text.count("the number of entries")?;
        for _ in 0..count.saturating_mul(numbers) {
            self.text.real("a number")?;
        }
        Ok(count)
    }

    fn skip_section(&mut self, name: &str, numbers: usize) -> Result<()> {
        let count = self.pass_section(numbers)?;
        self.assembly.skip_many(&name.to_ascii_lowercase(), count);
        Ok(())
    }

    /// Passes over all that stands before the next keyword.
    fn skip_unknown_section(&mut self, word: &[u8]) {
        self.assembly.skip(&format!("section `{}`", shown(word)));
        while self.text.peek().is_some_and(|next| !next[0].is_ascii_alphabetic()) {
            self.text.word();
        }
    }
}

/// Whether a section holds cells with nodes beside their corners.
fn is_high_order(keyword: &str) -> bool {
    ["HexahedraQ", "TetrahedraP", "PrismsP", "PyramidsP", "PentahedraP"].iter().any(|prefix| {
        keyword.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    })
}

fn shape(keyword: &str) -> Option<VolumeShape> {
    [
        ("Hexahedra", VolumeShape::Hexahedron),
        ("Hexaedra", VolumeShape::Hexahedron), // a spelling some writers use
        ("Tetrahedra", VolumeShape::Tetrahedron),
        ("Prisms", VolumeShape::Wedge),
        ("Pentahedra", VolumeShape::Wedge),
        ("Wedges", VolumeShape::Wedge),
        ("Pyramids", VolumeShape::Pyramid),
    ]
    .into_iter()
    .find_map(|(name, shape)| keyword.eq_ignore_ascii_case(name).then_some(shape))
}

/// Number of corners of the faces of a section.
fn face(keyword: &str) -> Option<usize> {
    let faces = [("Triangles", 3), ("Quadrilaterals", 4)];
    faces.into_iter().find_map(|(name, n)| keyword.eq_ignore_ascii_case(name).then_some(n))
}

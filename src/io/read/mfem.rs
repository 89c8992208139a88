//! MFEM's `.mesh`, "MFEM mesh v1.0", v1.2 and v1.3: sections of a keyword, a count and
//! rows, vertices from 0.
//!
//! An element is its attribute, its geometry (4 tetrahedron, 5 cube, 6 prism, 7
//! pyramid) and its vertices. Where a grid function `nodes` holds the coordinates, the
//! vertices are its first values if it is continuous (H1); the nodes between them are
//! left out and reported. Attributes of cells become the cell array `mfem:attribute`, of the
//! faces of a surface groups `mfem:attribute:N`, unless all are 1; attributes of boundary elements
//! become groups of faces `mfem:bdr_attribute:N`, and sets of attributes groups by their names.
//! Discontinuous nodes of hexahedra, those of periodic meshes, give each element its own place
//! ([`periodic`]). NURBS ([`nurbs`]) and boxes of hexahedra ([`inline`]) are read too; meshes that are not
//! conforming are refused.

mod inline;
mod nurbs;
mod patches;
mod periodic;

use std::collections::HashSet;
use std::path::Path;

use crate::error::Result;
use crate::mesh::VolumeShape;
use crate::mesh::groups::face_group_name;

use super::assemble::Assembly;
use super::lines::{Text, integer, real, shown};

/// The array of the attributes of cells, and what groups of faces of an attribute are named after.
const ATTRIBUTE: &str = "mfem:attribute";

/// What groups of faces of a boundary attribute are named after.
const BOUNDARY_ATTRIBUTE: &str = "mfem:bdr_attribute";

const VERSIONS: [&str; 3] = ["v1.0", "v1.2", "v1.3"];

/// How to get a file that is read from one that is not.
const CONVERT: &str = "write it by MFEM's `Mesh::PrintVTU`; a mesh whose nodes are not continuous, such \
                       as a periodic one, with nodes of the collection L2_T1";

/// Reads an MFEM file that is already in memory; an inline mesh may take `most` bytes.
pub(super) fn read<'a>(path: &'a Path, bytes: &'a [u8], most: u64) -> Result<Assembly<'a>> {
    let mut text = Text::new(path, bytes);
    let title = text.next_line().unwrap_or_default();
    let words: Vec<&[u8]> =
        title.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    match words[..] {
        [b"MFEM", b"mesh", version] if VERSIONS.iter().any(|v| v.as_bytes() == version) => {}
        [b"MFEM", b"NURBS", b"mesh", b"v1.0" | b"v1.1"] => {
            return nurbs::read(text.with_comment(b'#'));
        }
        [b"MFEM", b"INLINE", b"mesh", b"v1.0"] => {
            return inline::read(text.with_comment(b'#'), most);
        }
        _ => {
            return Err(text.error(format!("`{}` is not read", shown(title))).with_help(format!(
                "`MFEM mesh v1.0`, v1.2 and v1.3, `MFEM NURBS mesh v1.0` and v1.1 and `MFEM INLINE \
                 mesh v1.0` are read; {CONVERT}"
            )));
        }
    }
    let text = text.with_comment(b'#');
    let mut file = Mfem {
        text,
        assembly: Assembly::new(path, 0),
        vertices: None,
        faces: Vec::new(),
        boundary: Vec::new(),
        sets: Vec::new(),
        boundary_sets: Vec::new(),
    };
    while let Some(word) = file.text.word() {
        match word {
            b"dimension" => file.dimension()?,
            b"elements" => file.elements()?,
            b"boundary" => file.boundary()?,
            b"vertices" => file.vertices()?,
            b"nodes" => file.nodes()?,
            b"attribute_sets" => file.sets = file.attribute_sets()?,
            b"bdr_attribute_sets" => file.boundary_sets = file.attribute_sets()?,
            b"mfem_mesh_end" => break,
            _ => {
                let help = "a count does not match its list; save the mesh again";
                return Err(file.text.unexpected(word, "a section", help));
            }
        }
    }
    if file.assembly.points() == 0 && file.vertices.is_some_and(|count| count > 0) {
        return Err(file.text.ended("the coordinates of the vertices or `nodes`"));
    }
    file.group_faces();
    file.assembly.limit_numbered_groups(ATTRIBUTE);
    file.assembly.limit_numbered_groups(BOUNDARY_ATTRIBUTE);
    file.group_sets();
    file.assembly.push_references(ATTRIBUTE, 1)?;
    Ok(file.assembly)
}

struct Mfem<'a> {
    text: Text<'a>,
    assembly: Assembly<'a>,
    /// Number of vertices, once the section has been read.
    vertices: Option<usize>,
    /// Attribute and face of each element that is a triangle or a square.
    faces: Vec<(i64, u32)>,
    /// Attribute and face of each boundary element.
    boundary: Vec<(i64, u32)>,
    sets: Vec<(String, Vec<i64>)>,
    boundary_sets: Vec<(String, Vec<i64>)>,
}

impl Mfem<'_> {
    fn dimension(&mut self) -> Result<()> {
        let dimension = self.text.count("the dimension")?;
        if dimension == 2 || dimension == 3 {
            return Ok(());
        }
        Err(self
            .text
            .error(format!("dimension {dimension}, 3 is needed, or 2 of a surface"))
            .with_help("export the mesh of the volume or of its surface"))
    }

    fn elements(&mut self) -> Result<()> {
        let count = self.text.count("the number of elements")?;
        let mut corners = [0; 8];
        for _ in 0..count {
            let attribute = self.text.integer("an element attribute")?;
            let line = self.text.line();
            let geometry = self.text.count("an element geometry")?;
            let shape = match geometry {
                4 => VolumeShape::Tetrahedron,
                5 => VolumeShape::Hexahedron,
                6 => VolumeShape::Wedge,
                7 => VolumeShape::Pyramid,
                2 | 3 => {
                    let mut vertices = [0; 4];
                    let face = self.face(&mut vertices[..geometry + 1], "elements")?;
                    self.faces.push((attribute, face));
                    continue;
                }
                _ => {
                    let name = self.skip_geometry(geometry)?;
                    self.assembly.skip(&format!("{name} elements"));
                    continue;
                }
            };
            let corners = &mut corners[..shape.corners()];
            for corner in corners.iter_mut() {
                *corner = self.text.index(0, "vertex")?;
            }
            self.assembly.push_cell(shape, corners, Some(line))?;
            self.assembly.refer(attribute);
        }
        Ok(())
    }

    fn boundary(&mut self) -> Result<()> {
        let count = self.text.count("the number of boundary elements")?;
        for _ in 0..count {
            let attribute = self.text.integer("a boundary attribute")?;
            let geometry = self.text.count("the geometry of a boundary element")?;
            if !matches!(geometry, 2 | 3) {
                let name = self.skip_geometry(geometry)?;
                self.assembly.skip(&format!("{name} boundary elements"));
                continue;
            }
            let mut vertices = [0; 4];
            let face = self.face(&mut vertices[..geometry + 1], "boundary elements")?;
            let name = face_group_name(BOUNDARY_ATTRIBUTE, attribute);
            self.assembly.groups.group_face(&name, face);
            self.boundary.push((attribute, face));
        }
        Ok(())
    }

    /// Reads the corners of a triangle or a square, and appends it.
    fn face(&mut self, corners: &mut [u32], kind: &str) -> Result<u32> {
        for corner in corners.iter_mut() {
            *corner = self.text.index(0, "vertex")?;
        }
        Ok(self.assembly.groups.push_face(kind, corners, &[]))
    }

    /// Passes over the vertices of an element of lower dimension; returns its name.
    fn skip_geometry(&mut self, geometry: usize) -> Result<&'static str> {
        let kinds = [("point", 1), ("segment", 2), ("triangle", 3), ("square", 4)];
        let Some(&(name, vertices)) = kinds.get(geometry) else {
            return Err(self
                .text
                .error(format!("geometry {geometry} does not exist here"))
                .with_help("elements have geometry 0 to 7, boundary elements 0 to 3"));
        };
        for _ in 0..vertices {
            self.text.index(0, "vertex")?;
        }
        Ok(name)
    }

    fn vertices(&mut self) -> Result<()> {
        if self.vertices.is_some() {
            return Err(self
                .text
                .error("a second section `vertices`")
                .with_help("keep one mesh in the file"));
        }
        let count = self.text.count("the number of vertices")?;
        self.vertices = Some(count);
        // Without coordinates here, `nodes` has them.
        if self.text.peek().is_none_or(|word| integer(word).is_none()) {
            return Ok(());
        }
        let dimension = self.text.count("the number of coordinates")?;
        if dimension != 3 {
            return Err(self
                .text
                .error(format!("vertices have {dimension} coordinates, 3 are needed"))
                .with_help("a solid needs three coordinates: export the volume mesh"));
        }
        self.assembly.reserve_points(self.text.room(count, 6));
        for _ in 0..count {
            let point = self.text.point()?;
            self.assembly.push_point(point, Some(self.text.line()))?;
        }
        Ok(())
    }

    /// Reads the grid function of the coordinates.
    fn nodes(&mut self) -> Result<()> {
        let Some(vertices) = self.vertices.filter(|_| self.assembly.points() == 0) else {
            return Err(self
                .text
                .error("`nodes` without `vertices` before it, or besides coordinates")
                .with_help("save the mesh again with `Mesh::Print`"));
        };
        let (collection, by_node) = space(&mut self.text)?;
        // In these the values at the vertices are first.
        let continuous = ["Linear", "Quadratic", "QuadraticPos", "Cubic"];
        let is_h1 = ["H1_", "H1@", "H1Pos_", "H1Ser_"].iter().any(|p| collection.starts_with(p))
            && !collection.contains("Trace");
        let discontinuous = periodic::corner_order(&collection);
        if !is_h1 && discontinuous.is_none() && !continuous.contains(&collection.as_str()) {
            return Err(self
                .text
                .error(format!("nodes of the collection `{collection}` have no common vertices"))
                .with_help(CONVERT));
        }
        let first_line = self.text.line();
        let mut values = Vec::new();
        while let Some(value) = self.text.peek().and_then(real) {
            self.text.word();
            values.push(value);
        }
        let nodes = values.len() / 3;
        let node = |v: usize| {
            let at = |axis: usize| if by_node { 3 * v + axis } else { axis * nodes + v };
            std::array::from_fn(|axis| values[at(axis)])
        };
        if values.len() % 3 != 0 || nodes < vertices {
            return Err(self
                .text
                .error(format!("{} coordinates of nodes for {vertices} vertices", values.len()))
                .with_help("the file is cut short; save the mesh again"));
        }
        if let Some(order) = discontinuous {
            return self.unwrap(vertices, order, node, nodes);
        }
        for v in 0..vertices {
            self.assembly.push_point(node(v), Some(first_line))?;
        }
        let between = nodes - vertices;
        self.assembly.skip_many(&format!("nodes between the vertices ({collection})"), between);
        Ok(())
    }

    /// Reads sets of attributes: their number, then of each the name in quotes, the number of its
    /// attributes, and these.
    fn attribute_sets(&mut self) -> Result<Vec<(String, Vec<i64>)>> {
        let count = self.text.count("the number of attribute sets")?;
        let mut sets = Vec::new();
        for _ in 0..count {
            let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
            let mut name = text(self.text.required("the name of a set")?);
            while name.starts_with('"') && (name.len() == 1 || !name.ends_with('"')) {
                name = format!("{name} {}", text(self.text.required("the end of a name")?));
            }
            let size = self.text.count("the number of attributes of a set")?;
            let mut attributes = Vec::new();
            for _ in 0..size {
                attributes.push(self.text.integer("an attribute of a set")?);
            }
            sets.push((name.trim_matches('"').to_owned(), attributes));
        }
        Ok(sets)
    }

    /// Makes groups of the faces of each attribute, unless all are 1.
    fn group_faces(&mut self) {
        if self.faces.iter().all(|&(attribute, _)| attribute == 1) {
            return;
        }
        for &(attribute, face) in &self.faces {
            self.assembly.groups.group_face(&face_group_name(ATTRIBUTE, attribute), face);
        }
    }

    /// Makes groups of the sets of attributes.
    fn group_sets(&mut self) {
        let Self { assembly, sets, boundary_sets, faces, boundary, .. } = self;
        let references = assembly.references();
        let mut group_by = |sets: &[(String, Vec<i64>)], faces: &[(i64, u32)], cells: &[i64]| {
            for (name, attributes) in sets {
                let attributes: HashSet<i64> = attributes.iter().copied().collect();
                for &(attribute, face) in faces {
                    if attributes.contains(&attribute) {
                        assembly.groups.group_face(name, face);
                    }
                }
                for (cell, attribute) in (0..).zip(cells) {
                    if attributes.contains(attribute) {
                        assembly.groups.group_cell(name, cell);
                    }
                }
            }
        };
        group_by(sets, faces, &references);
        group_by(boundary_sets, boundary, &[]);
    }
}

/// The head of a grid function of coordinates: its collection, and whether x y z of each node follow each
/// other.
fn space(text: &mut Text<'_>) -> Result<(String, bool)> {
    // so are spaces of several orders written
    let is_versioned = text.accept("MFEM");
    keyword(text, "FiniteElementSpace")?;
    if is_versioned {
        keyword(text, "v1.0")?;
    }
    keyword(text, "FiniteElementCollection:")?;
    let collection = shown(text.required("the name of the collection")?);
    keyword(text, "VDim:")?;
    let components = text.count("the number of coordinates")?;
    if components != 3 {
        return Err(text
            .error(format!("nodes have {components} coordinates, 3 are needed"))
            .with_help("a solid needs three coordinates: export the volume mesh"));
    }
    keyword(text, "Ordering:")?;
    let ordering = text.count("the ordering")?;
    if ordering > 1 {
        return Err(text
            .error(format!("ordering {ordering}"))
            .with_help("0 (all x, all y, all z) or 1 (x y z of each node) is read"));
    }
    if is_versioned {
        ["End:", "MFEM", "FiniteElementSpace", "v1.0"].iter().try_for_each(|w| keyword(text, w))?;
    }
    Ok((collection, ordering == 1))
}

/// Passes over a word that must be there.
fn keyword(text: &mut Text<'_>, keyword: &str) -> Result<()> {
    let found = text.required(keyword)?;
    if found == keyword.as_bytes() {
        return Ok(());
    }
    let help = "save the mesh again with `Mesh::Print`";
    Err(text.unexpected(found, &format!("`{keyword}`"), help))
}

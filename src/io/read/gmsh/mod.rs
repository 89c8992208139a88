//! Gmsh `.msh`, ASCII, versions 2.x and 4.1.
//!
//! Nodes may have any numbers; they become vertices in the order of the file.
//! `$NodeData` views become vertex attributes; physical names, entities, periodic
//! links and element data are skipped and reported, as are elements of lower
//! dimension. Binary files and other versions are refused.

use std::path::Path;

use crate::mesh::{Attribute, SolidMesh};
use crate::{Error, Result};

use super::ReadReport;
use super::assemble::{Assembly, Shape};
use super::lines::{Text, integer, shown};
use super::tags::Tags;

/// Reads a Gmsh file that is already in memory.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<(SolidMesh, ReadReport)> {
    let text = Text::new(path, bytes);
    let mut file =
        Gmsh { text, assembly: Assembly::new(path, 0), nodes: Tags::default(), version: 0 };
    while let Some(word) = file.text.word() {
        match word {
            b"$MeshFormat" => file.format()?,
            b"$Nodes" => file.nodes()?,
            b"$Elements" => file.elements()?,
            b"$NodeData" => file.node_data()?,
            b"$NOD" => return Err(file.refused_version("1")),
            [b'$', name @ ..] if !name.starts_with(b"End") => file.skip_section(word)?,
            _ => {
                return Err(file
                    .text
                    .error(format!("a section is expected, found `{}`", shown(word)))
                    .with_mend("a count does not match its list; save the file again"));
            }
        }
    }
    file.assembly.finish()
}

struct Gmsh<'a> {
    text: Text<'a>,
    assembly: Assembly<'a>,
    nodes: Tags,
    // 0 before $MeshFormat, then 2 or 4
    version: u8,
}

impl Gmsh<'_> {
    fn format(&mut self) -> Result<()> {
        let version = self.text.expect("the version")?;
        self.version = match version {
            b"2" | b"2.0" | b"2.1" | b"2.2" => 2,
            b"4.1" => 4,
            _ => return Err(self.refused_version(&shown(version))),
        };
        if self.text.count("the file type")? != 0 {
            return Err(self
                .text
                .error("a binary Gmsh file")
                .with_mend("save it as ASCII: gmsh in.msh -save -o out.msh"));
        }
        self.text.count("the data size")?;
        self.end(b"$EndMeshFormat")
    }

    fn refused_version(&self, version: &str) -> Error {
        self.text
            .error(format!("Gmsh version {version}; 2.x and 4.1 are read"))
            .with_mend("save it as 4.1: gmsh in.msh -save -format msh41 -o out.msh")
    }

    fn nodes(&mut self) -> Result<()> {
        if self.assembly.points() > 0 {
            return Err(self
                .text
                .error("a second section $Nodes")
                .with_mend("keep one mesh in the file"));
        }
        if self.version == 4 {
            let blocks = self.text.count("the number of node blocks")?;
            let count = self.text.count("the number of nodes")?;
            self.text.integer("the smallest node number")?;
            self.text.integer("the largest node number")?;
            self.assembly.reserve_points(self.text.room(count, 8));
            for _ in 0..blocks {
                let dimension = self.text.count("the dimension of the block")?;
                self.text.integer("the number of its entity")?;
                let parametric = self.text.count("whether the nodes are parametric")? > 0;
                let nodes = self.text.count("the number of nodes of the block")?;
                for _ in 0..nodes {
                    self.name_node()?;
                }
                for _ in 0..nodes {
                    let point = self.text.point()?;
                    let line = self.text.line();
                    for _ in 0..if parametric { dimension.min(3) } else { 0 } {
                        self.text.real("a parameter")?;
                    }
                    self.assembly.push_point(point, Some(line))?;
                }
            }
        } else {
            let count = self.text.count("the number of nodes")?;
            self.assembly.reserve_points(self.text.room(count, 8));
            for _ in 0..count {
                self.name_node()?;
                let point = self.text.point()?;
                self.assembly.push_point(point, Some(self.text.line()))?;
            }
        }
        self.end(b"$EndNodes")
    }

    fn name_node(&mut self) -> Result<()> {
        let tag = self.text.integer("a node number")?;
        if tag < 1 || !self.nodes.push(tag) {
            let fault = if tag < 1 { "is below 1" } else { "is given twice" };
            return Err(self
                .text
                .error(format!("node number {tag} {fault}"))
                .with_mend("number the nodes from 1, each once"));
        }
        Ok(())
    }

    fn elements(&mut self) -> Result<()> {
        if self.version == 4 {
            let blocks = self.text.count("the number of element blocks")?;
            for what in ["the number of elements", "the smallest number", "the largest number"] {
                self.text.integer(what)?;
            }
            for _ in 0..blocks {
                self.text.count("the dimension of the block")?;
                self.text.integer("the number of its entity")?;
                let kind = self.text.count("the element type of the block")?;
                let count = self.text.count("the number of elements of the block")?;
                for _ in 0..count {
                    self.text.integer("an element number")?;
                    self.element(kind)?;
                }
            }
        } else {
            let count = self.text.count("the number of elements")?;
            for _ in 0..count {
                self.text.integer("an element number")?;
                let kind = self.text.count("an element type")?;
                for _ in 0..self.text.count("the number of tags")? {
                    self.text.integer("a tag")?;
                }
                self.element(kind)?;
            }
        }
        self.end(b"$EndElements")
    }

    /// Reads the nodes of an element of Gmsh's type `kind`.
    fn element(&mut self, kind: usize) -> Result<()> {
        let line = Some(self.text.line());
        let shape = match kind {
            4 => Shape::Tetrahedron,
            5 => Shape::Hexahedron,
            6 => Shape::Prism,
            7 => Shape::Pyramid,
            1 | 2 | 3 | 8..=10 | 15 | 16 | 20..=28 => {
                let name = match kind {
                    15 => "point",
                    1 | 8 | 26..=28 => "line",
                    3 | 10 | 16 => "quad",
                    _ => "triangle",
                };
                self.assembly.skip(&format!("{name} elements (Gmsh type {kind})"));
                // An element ends with its line.
                self.text.next_line();
                return Ok(());
            }
            11 | 12 | 13 | 14 | 17 | 18 | 19 | 29..=31 | 92 | 93 => {
                return Err(self
                    .assembly
                    .refuse(&format!("high-order element (Gmsh type {kind})"), line));
            }
            _ => {
                return Err(self
                    .assembly
                    .refuse(&format!("element of unknown kind (Gmsh type {kind})"), line));
            }
        };
        let mut corners = [0; 8];
        let corners = &mut corners[..shape.corners()];
        for corner in corners.iter_mut() {
            let tag = self.text.integer("a node number")?;
            *corner = self.nodes.get(tag).ok_or_else(|| self.unknown_node(tag))?;
        }
        self.assembly.push_cell(shape, corners, line)
    }

    fn unknown_node(&self, tag: i64) -> Error {
        self.text
            .error(format!("{}: there is no node {tag}", self.assembly.next_cell()))
            .with_mend("elements may name only nodes of the section $Nodes, which comes first")
    }

    fn node_data(&mut self) -> Result<()> {
        let start = self.text.line();
        let strings = self.text.count("the number of strings")?;
        self.text.next_line();
        let mut name = None;
        for _ in 0..strings {
            let string = self.text.next_line().ok_or_else(|| self.text.ended("a string"))?;
            name.get_or_insert_with(|| shown(string.trim_ascii()).trim_matches('"').to_owned());
        }
        for _ in 0..self.text.count("the number of real tags")? {
            self.text.real("a real tag")?;
        }
        let mut tags = Vec::new();
        for _ in 0..self.text.count("the number of integer tags")? {
            tags.push(self.text.integer("an integer tag")?);
        }
        let (name, &[_, width, rows, ..]) = (name.unwrap_or_default(), &tags[..]) else {
            return Err(self
                .text
                .error("$NodeData needs 3 integer tags: step, components, nodes")
                .with_mend("save the view again"));
        };
        let (width, rows) = (usize::try_from(width).unwrap_or(0), rows.max(0) as usize);
        let points = self.assembly.points();
        if rows != points || width == 0 || width > 9 {
            return Err(self
                .text
                .error(format!(
                    "view `{name}`: {rows} nodes of {width} components, the mesh has {points} nodes"
                ))
                .with_mend("give every node 1 to 9 components, or remove the view"));
        }
        let mut values = vec![0.0; points * width];
        let mut seen = vec![false; points];
        for _ in 0..rows {
            let tag = self.text.integer("a node number")?;
            let vertex = self.nodes.get(tag).map(|v| v as usize).filter(|&v| !seen[v]);
            let vertex = vertex.ok_or_else(|| {
                self.text
                    .error(format!("view `{name}`: node {tag} does not exist or comes twice"))
                    .with_mend("give every node one row")
            })?;
            seen[vertex] = true;
            for value in &mut values[vertex * width..][..width] {
                *value = self.text.real("a value")?;
            }
        }
        self.assembly.push_attribute(Attribute { name, width, values }, 0, Some(start))?;
        self.end(b"$EndNodeData")
    }

    fn skip_section(&mut self, name: &[u8]) -> Result<()> {
        let name = shown(name);
        self.assembly.skip(&format!("section {name}"));
        let end = name.replacen('$', "$End", 1);
        loop {
            let line = self.text.next_line().ok_or_else(|| self.text.ended(&end))?;
            if line == end.as_bytes() {
                return Ok(());
            }
        }
    }

    fn end(&mut self, keyword: &[u8]) -> Result<()> {
        let name = shown(keyword);
        let word = self.text.expect(&name)?;
        if word == keyword {
            return Ok(());
        }
        let fault = if integer(word).is_some() {
            "the count of the section is too small"
        } else {
            "save the file again"
        };
        Err(self
            .text
            .error(format!("{name} is expected, found `{}`", shown(word)))
            .with_mend(fault))
    }
}

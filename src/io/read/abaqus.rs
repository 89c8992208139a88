//! Abaqus and CalculiX `.inp` decks: the sections `*NODE` and `*ELEMENT`.
//!
//! Solid elements C3D8, C3D6, C3D5 and C3D4 in every variant (C3D8R, C3D8I, …;
//! heat transfer DC3D and acoustic AC3D too) are read; rows may run over several
//! lines; nodes may have any numbers and become vertices in the order of the
//! file. Elements of other families and all other sections are skipped and
//! reported; what would change the geometry (`*INCLUDE`, `*SYSTEM`, generated
//! nodes, several instances) is refused.

use std::path::Path;

use crate::mesh::SolidMesh;
use crate::{Error, Result};

use super::ReadReport;
use super::assemble::{Assembly, Shape};
use super::lines::{Text, integer, real, shown};
use super::tags::Tags;

/// Sections without which the mesh would not be what the deck describes.
const REFUSED: [&str; 9] =
    ["INCLUDE", "SYSTEM", "NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "IMPORT"];

/// Reads an Abaqus deck that is already in memory.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<(SolidMesh, ReadReport)> {
    let mut deck = Deck {
        text: Text::new(path, bytes),
        assembly: Assembly::new(path, 0),
        nodes: Tags::default(),
        section: Section::Other,
        corners: Vec::new(),
        element_line: 0,
        instances: 0,
    };
    while let Some(line) = deck.text.next_line() {
        if line.is_empty() || line.starts_with(b"**") {
            continue;
        }
        match line.strip_prefix(b"*") {
            Some(keyword) => deck.keyword(keyword)?,
            None => deck.data(line)?,
        }
    }
    deck.end_element()?;
    deck.assembly.finish()
}

#[derive(Clone, Copy)]
enum Section {
    Nodes,
    Elements(Shape),
    /// Elements of another family.
    Skipped,
    Instance,
    Other,
}

struct Deck<'a> {
    text: Text<'a>,
    assembly: Assembly<'a>,
    nodes: Tags,
    section: Section,
    // Of the element that is being read, whose row may go on in the next line:
    corners: Vec<u32>,
    element_line: usize,
    instances: usize,
}

impl Deck<'_> {
    /// Begins the section of a keyword line (without its star).
    fn keyword(&mut self, line: &[u8]) -> Result<()> {
        self.end_element()?;
        let line = String::from_utf8_lossy(line).to_ascii_uppercase();
        let mut parts = line.split(',').map(str::trim);
        let keyword = parts.next().unwrap_or_default();
        let option = |wanted: &str| {
            parts.clone().find_map(|part| {
                let (name, value) = part.split_once('=')?;
                (name.trim() == wanted).then(|| value.trim())
            })
        };
        if REFUSED.contains(&keyword) {
            return Err(self
                .text
                .error(format!("*{keyword} is not read, and the mesh would be wrong without it"))
                .with_mend("write one flat deck with *NODE and *ELEMENT alone"));
        }
        let generated = option("INPUT").is_some();
        self.section = match keyword {
            "NODE" | "ELEMENT" if generated => {
                return Err(self
                    .text
                    .error(format!("*{keyword} takes its rows from another file"))
                    .with_mend("copy the rows into the deck"));
            }
            "NODE" if option("SYSTEM").is_some_and(|system| system != "R") => {
                return Err(self
                    .text
                    .error("*NODE in cylindrical or spherical coordinates")
                    .with_mend("write rectangular coordinates"));
            }
            "NODE" => Section::Nodes,
            "ELEMENT" => {
                let kind = option("TYPE").ok_or_else(|| {
                    self.text
                        .error("*ELEMENT without TYPE")
                        .with_mend("write *ELEMENT, TYPE=C3D8 or another solid element")
                })?;
                self.family(kind)?
            }
            "INSTANCE" => {
                self.instances += 1;
                if self.instances > 1 {
                    return Err(self
                        .text
                        .error("a second *INSTANCE: one body is read")
                        .with_mend("merge the instances into one part"));
                }
                Section::Instance
            }
            "HEADING" | "PART" | "END PART" | "ASSEMBLY" | "END ASSEMBLY" | "END INSTANCE" => {
                Section::Other
            }
            _ => {
                self.assembly.skip(&format!("section *{}", shown(keyword.as_bytes())));
                Section::Other
            }
        };
        Ok(())
    }

    /// What elements of a type are to us: `C3D8R` is C3D, 8 nodes, variant R.
    fn family(&mut self, kind: &str) -> Result<Section> {
        let solid = ["C3D", "DC3D", "AC3D"].iter().find_map(|family| kind.strip_prefix(family));
        let Some(rest) = solid else { return Ok(Section::Skipped) };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        Ok(Section::Elements(match &rest[..digits] {
            "4" => Shape::Tetrahedron,
            "5" => Shape::Pyramid,
            "6" => Shape::Prism,
            "8" => Shape::Hexahedron,
            _ => {
                let line = Some(self.text.line());
                return Err(self
                    .assembly
                    .refuse(&format!("{} element", shown(kind.as_bytes())), line));
            }
        }))
    }

    fn data(&mut self, line: &[u8]) -> Result<()> {
        match self.section {
            Section::Nodes => self.node(line),
            Section::Elements(shape) => self.element(line, shape),
            Section::Skipped => {
                self.assembly.skip("lines of elements that are not solid");
                Ok(())
            }
            Section::Instance => Err(self
                .text
                .error("an instance that is moved or turned")
                .with_mend("write the part in its final place")),
            Section::Other => Ok(()),
        }
    }

    fn node(&mut self, line: &[u8]) -> Result<()> {
        let mut fields = line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        let tag = fields.next().unwrap_or_default();
        let tag = integer(tag).ok_or_else(|| self.expected("a node number", tag))?;
        // A coordinate left out is 0.
        let mut point = [0.0; 3];
        for (x, field) in point.iter_mut().zip(fields.filter(|field| !field.is_empty())) {
            *x = real(field).ok_or_else(|| self.expected("a coordinate", field))?;
        }
        if !self.nodes.push(tag) {
            return Err(self
                .text
                .error(format!("node number {tag} is given twice"))
                .with_mend("several parts cannot be read; give every node its own number"));
        }
        self.assembly.push_point(point, Some(self.text.line()))
    }

    fn element(&mut self, line: &[u8], shape: Shape) -> Result<()> {
        let mut fields = line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        if self.corners.is_empty() {
            let number = fields.next().unwrap_or_default();
            integer(number).ok_or_else(|| self.expected("an element number", number))?;
            self.element_line = self.text.line();
        }
        for field in fields.filter(|field| !field.is_empty()) {
            let tag = integer(field).ok_or_else(|| self.expected("a node number", field))?;
            let vertex = self.nodes.get(tag).ok_or_else(|| {
                self.text
                    .error(format!("{}: there is no node {tag}", self.assembly.next_cell()))
                    .with_mend("give the node under *NODE, before the elements")
            })?;
            self.corners.push(vertex);
        }
        if self.corners.len() < shape.corners() {
            return Ok(());
        }
        let corners = std::mem::take(&mut self.corners);
        self.assembly.push_cell(shape, &corners, Some(self.element_line))?;
        self.corners = corners;
        self.corners.clear();
        Ok(())
    }

    /// The row of an element must be complete when its section ends.
    fn end_element(&mut self) -> Result<()> {
        if let Section::Elements(shape) = self.section
            && !self.corners.is_empty()
        {
            let (have, need) = (self.corners.len(), shape.corners());
            return Err(self
                .assembly
                .error(
                    Some(self.element_line),
                    format!("{}: {have} nodes, {need} are needed", self.assembly.next_cell()),
                )
                .with_mend("the file is cut short or the element type is wrong"));
        }
        Ok(())
    }

    fn expected(&self, what: &str, found: &[u8]) -> Error {
        self.text
            .error(format!("{what} is expected, found `{}`", shown(found)))
            .with_mend("separate the numbers of a row by commas")
    }
}

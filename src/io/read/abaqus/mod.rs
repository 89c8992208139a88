//! Abaqus and CalculiX `.inp` decks: the sections `*NODE`, `*ELEMENT`, `*ELSET` and `*SURFACE`.
//!
//! Solid elements C3D8, C3D6, C3D5 and C3D4 in every variant (C3D8R, C3D8I, …; heat transfer DC3D
//! and acoustic AC3D too) are read, C3D10, C3D15, C3D20 and C3D27 by their corners; rows may run
//! over several lines; nodes may have any numbers and become vertices in the order of the file.
//! Shells, membranes, surface and plane elements (S4R, M3D4, SFM3D3, CPS3, …) are faces. Element
//! sets are groups of cells and faces, surfaces of elements groups of faces. Elements of other
//! families and all other sections are skipped and reported, as are parts without an instance. Each
//! instance has the nodes and elements of its part and its own, moved and turned as the deck says,
//! and shares no vertex with others. What else would change the geometry (`*INCLUDE`, `*SYSTEM`,
//! generated nodes) is refused.

mod deck;
mod groups;
mod instance;
mod members;
mod scope;
mod sets;
mod types;

use std::path::Path;

use crate::error::{Error, IdKind, Result};
use crate::numbers::counted;

use super::assemble::Assembly;
use super::lines::{Text, integer, real, shown};
use deck::{Deck, DeckParts, DeckSection, Elements};
use instance::{has_instances, is_end_of_part};
use scope::{DeckElement, RowMember};
use sets::{Sets, SurfaceSide};
use types::{ElementFamily, Type};

/// Sections without which the mesh would not be what the deck describes.
const REFUSED: [&str; 9] =
    ["INCLUDE", "SYSTEM", "NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "IMPORT"];

/// Reads an Abaqus deck that is already in memory.
pub(super) fn read<'a>(path: &'a Path, bytes: &'a [u8]) -> Result<Assembly<'a>> {
    let mut deck = Deck {
        text: Text::new(path, bytes),
        assembly: Assembly::new(path, 0),
        sets: Sets::default(),
        section: DeckSection::Other,
        element_nodes: Vec::new(),
        element_line: 0,
        element_number: 0,
        has_instances: has_instances(bytes),
        parts: DeckParts::default(),
        instance: None,
    };
    deck.read_lines()?;
    deck.end_instance();
    deck.skip_unused_parts();
    deck.sets.finish(&mut deck.assembly)?;
    Ok(deck.assembly)
}

impl Deck<'_> {
    /// Reads on to the end of the file, or of the part that is being read.
    fn read_lines(&mut self) -> Result<()> {
        while let Some(line) = self.text.next_line() {
            if line.is_empty() || line.starts_with(b"**") {
                continue;
            }
            if self.parts.is_reading && is_end_of_part(line) {
                break;
            }
            match line.strip_prefix(b"*") {
                Some(keyword) => {
                    let whole = self.continued(keyword);
                    self.keyword(&whole)?;
                }
                None => self.data(line)?,
            }
        }
        self.end_element()
    }

    /// A keyword line with the lines of options that a comma at its end announces.
    fn continued(&mut self, line: &[u8]) -> Vec<u8> {
        let mut whole = line.to_vec();
        while whole.ends_with(b",") {
            let mut ahead = self.text;
            let Some(next) = ahead.next_line() else { break };
            // rows of numbers follow a comma that announces nothing
            if !next.first().is_some_and(u8::is_ascii_alphabetic) {
                break;
            }
            whole.extend_from_slice(next);
            self.text = ahead;
        }
        whole
    }

    /// Begins the section of a keyword line (without its star).
    fn keyword(&mut self, line: &[u8]) -> Result<()> {
        self.end_element()?;
        let line: String =
            String::from_utf8_lossy(line).chars().filter(|c| !c.is_control()).collect();
        let fields = fields(&line);
        let mut parts = fields.iter().copied();
        let keyword = keyword(parts.next().unwrap_or_default());
        let keyword = keyword.as_str();
        let option = |wanted: &str| {
            parts.clone().find_map(|part| {
                let (name, value) = part.split_once('=')?;
                let is_it = name.trim().eq_ignore_ascii_case(wanted);
                is_it.then(|| value.trim().trim_matches('"'))
            })
        };
        let flag = |wanted: &str| parts.clone().any(|part| part.eq_ignore_ascii_case(wanted));
        let name = |wanted: &str| option(wanted).filter(|name| !name.is_empty());
        if REFUSED.contains(&keyword) {
            return Err(self
                .text
                .error(format!("*{keyword} is not read, and the mesh would be wrong without it"))
                .with_help("write one flat deck with *NODE and *ELEMENT alone"));
        }
        let generated = option("INPUT").is_some();
        let at = self.text.line();
        self.section = match keyword {
            "NODE" | "ELEMENT" if generated => {
                return Err(self
                    .text
                    .error(format!("*{keyword} takes its rows from another file"))
                    .with_help("copy the rows into the deck"));
            }
            "NODE" if option("SYSTEM").is_some_and(|s| !s.eq_ignore_ascii_case("R")) => {
                return Err(self
                    .text
                    .error("*NODE in cylindrical or spherical coordinates")
                    .with_help("write rectangular coordinates"));
            }
            "NODE" => DeckSection::Nodes,
            "ELEMENT" => {
                let kind = option("TYPE").ok_or_else(|| {
                    self.text
                        .error("*ELEMENT without TYPE")
                        .with_help("write *ELEMENT, TYPE=C3D8 or another solid element")
                })?;
                let set = name("ELSET").map(|name| self.sets.set(name, flag("INTERNAL"), at));
                self.family(&kind.to_ascii_uppercase(), set)?
            }
            "ELSET" => {
                let Some(set) = name("ELSET") else {
                    return Err(self
                        .text
                        .error("*ELSET without a name")
                        .with_help("write *ELSET, ELSET=name"));
                };
                let of = match name("INSTANCE") {
                    Some(instance) => self.sets.instance(instance).ok_or_else(|| {
                        let instance = shown(instance.as_bytes());
                        self.text
                            .error(format!("there is no instance `{instance}`"))
                            .with_help("give the instance before its sets")
                    })?,
                    None => self.sets.current(),
                };
                let set = self.sets.set(set, flag("INTERNAL"), at);
                DeckSection::Set { set, scope: of, generate: flag("GENERATE") }
            }
            "SURFACE" if name("COMBINE").is_none() && of_elements(option("TYPE")) => {
                self.sets.begin_surface(name("NAME").unwrap_or("surface"));
                DeckSection::Surface
            }
            "PART" | "INSTANCE" if self.parts.is_reading => {
                return Err(self
                    .text
                    .error(format!("*{keyword} within a part"))
                    .with_help("end every part by *END PART"));
            }
            "INSTANCE" => {
                self.end_instance();
                self.begin_instance(name("NAME"), name("PART"))?;
                DeckSection::Instance(0)
            }
            "END INSTANCE" => {
                self.end_instance();
                DeckSection::Other
            }
            "PART" if self.has_instances => {
                self.pass_part(name("NAME").unwrap_or_default())?;
                DeckSection::Other
            }
            "HEADING" | "PART" | "END PART" | "ASSEMBLY" | "END ASSEMBLY" => DeckSection::Other,
            // once for all instances of a part
            _ if self.parts.is_again => DeckSection::Other,
            _ => {
                self.assembly.skip(&format!("section *{}", shown(keyword.as_bytes())));
                DeckSection::Other
            }
        };
        Ok(())
    }

    /// The section of elements of a type.
    fn family(&mut self, kind: &str, set: Option<usize>) -> Result<DeckSection> {
        let name = shown(kind.as_bytes());
        match types::named(kind) {
            Type::Known(family, nodes) => {
                Ok(DeckSection::Elements(Elements { family, nodes, kind: name, set }))
            }
            Type::Refused => {
                let line = Some(self.text.line());
                Err(self.assembly.refuse(&format!("{name} element"), line))
            }
            Type::Other => Ok(DeckSection::Skipped),
        }
    }

    fn data(&mut self, line: &[u8]) -> Result<()> {
        match &self.section {
            DeckSection::Nodes => self.node(line),
            DeckSection::Elements(_) => self.element(line),
            DeckSection::Skipped => {
                self.assembly.skip("lines of elements that are neither solids nor faces");
                Ok(())
            }
            &DeckSection::Instance(rows) => self.place(line, rows),
            &DeckSection::Set { set, scope, generate } => self.set(line, set, scope, generate),
            DeckSection::Surface => self.side(line),
            DeckSection::Other => Ok(()),
        }
    }

    /// Reads a row of a set: numbers and names of sets, or first, last and step.
    fn set(&mut self, line: &[u8], set: usize, of: usize, generate: bool) -> Result<()> {
        let line = String::from_utf8_lossy(line);
        let fields: Vec<&[u8]> =
            fields(&line).into_iter().map(str::as_bytes).filter(|f| !f.is_empty()).collect();
        if generate {
            let number = |field: Option<&&[u8]>, otherwise: i64| match field {
                Some(field) => integer(field).ok_or_else(|| self.expected("a number", field)),
                None => Ok(otherwise),
            };
            let first = number(fields.first(), 0)?;
            let range = [first, number(fields.get(1), first)?, number(fields.get(2), 1)?];
            self.sets.push_member(set, of, RowMember::Range(range));
            return Ok(());
        }
        fields.into_iter().for_each(|field| self.sets.push_member(set, of, RowMember::of(field)));
        Ok(())
    }

    /// Reads a row of a surface: an element or a set, and its side.
    fn side(&mut self, line: &[u8]) -> Result<()> {
        let line = String::from_utf8_lossy(line);
        let mut fields = fields(&line).into_iter().map(str::as_bytes);
        let member = RowMember::of(fields.next().unwrap_or_default());
        let side = fields.next().unwrap_or_default();
        let which = match side {
            [] => SurfaceSide::Free,
            [b'S' | b's', number @ (b'1'..=b'6')] => SurfaceSide::Side(usize::from(number - b'1')),
            side if [&b"SPOS"[..], b"SNEG"]
                .iter()
                .any(|known| side.eq_ignore_ascii_case(known)) =>
            {
                SurfaceSide::Faces
            }
            _ => {
                self.assembly.skip(&format!("sides `{}` of surfaces", shown(side)));
                return Ok(());
            }
        };
        self.sets.push_side(member, which);
        Ok(())
    }

    fn node(&mut self, line: &[u8]) -> Result<()> {
        let mut fields = line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        let tag = fields.next().unwrap_or_default();
        let tag = integer(tag).ok_or_else(|| self.expected("a node number", tag))?;
        // A coordinate left out is 0, wherever it stands.
        let mut point = [0.0; 3];
        for (x, field) in point.iter_mut().zip(fields).filter(|(_, field)| !field.is_empty()) {
            *x = real(field).ok_or_else(|| self.expected("a coordinate", field))?;
        }
        let vertex = self.assembly.points() as u32;
        self.assembly.push_point(point, Some(self.text.line()))?;
        if !self.sets.scope().push_node(tag, vertex) {
            return Err(self
                .text
                .error(format!("node number {tag} is given twice"))
                .with_help("give every node its own number, or every part an *INSTANCE"));
        }
        Ok(())
    }

    fn element(&mut self, line: &[u8]) -> Result<()> {
        let mut fields = line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        if self.element_nodes.is_empty() {
            let number = fields.next().unwrap_or_default();
            self.element_number =
                integer(number).ok_or_else(|| self.expected("an element number", number))?;
            self.element_line = self.text.line();
        }
        for field in fields.filter(|field| !field.is_empty()) {
            let tag = integer(field).ok_or_else(|| self.expected("a node number", field))?;
            let vertex = self.sets.scope().vertex(tag).ok_or_else(|| self.unknown_node(tag))?;
            self.element_nodes.push(vertex);
        }
        let DeckSection::Elements(Elements { nodes: [least, most], .. }) = self.section else {
            return Ok(());
        };
        // A row goes on in the next line while nodes are missing, or after a comma.
        let have = self.element_nodes.len();
        if have < least || have < most && line.ends_with(b",") {
            return Ok(());
        }
        self.push_element()
    }

    fn unknown_node(&self, tag: i64) -> Error {
        let id = self.assembly.next_cell();
        // A type with more nodes than its rows have reads into the next row.
        let takes = match &self.section {
            DeckSection::Elements(Elements { kind, nodes, .. }) => {
                format!(" (a {kind} has {} nodes)", nodes[1])
            }
            _ => String::new(),
        };
        self.text
            .error(message!(id, ": node {tag} does not exist{takes}"))
            .with_help("give the node under *NODE, before the elements")
    }

    /// Appends the element whose nodes have been read.
    fn push_element(&mut self) -> Result<()> {
        let DeckSection::Elements(Elements { family, nodes: [least, most], ref kind, set }) =
            self.section
        else {
            return Ok(());
        };
        let number = self.element_number;
        let (have, line) = (self.element_nodes.len(), Some(self.element_line));
        if !(least..=most).contains(&have) {
            return Err(self
                .assembly
                .error(
                    line,
                    message!(
                        IdKind::Element.id(number),
                        ": ",
                        counted(have, "node"),
                        ", a {kind} has {most}"
                    ),
                )
                .with_help("give every element the nodes of its type"));
        }
        let (corners, others) = self.element_nodes.split_at(family.corners());
        let element = match family {
            ElementFamily::Face(_) => {
                let kind = format!("{kind} elements");
                DeckElement::Face(self.assembly.groups.push_face(&kind, corners, others))
            }
            ElementFamily::Solid(shape) => {
                let cell = self.assembly.next_cell();
                if most == shape.corners() {
                    self.assembly.push_cell(shape, corners, line)?
                } else {
                    self.assembly.push_high_order(shape, &self.element_nodes, kind, line)?;
                }
                DeckElement::solid(cell, shape, corners)
            }
        };
        if !self.sets.scope().push_element(number, element) {
            return Err(self
                .assembly
                .error(line, format!("element number {number} is given twice"))
                .with_help("give every element its own number, or every part an *INSTANCE"));
        }
        if let Some(set) = set {
            let scope = self.sets.current();
            self.sets.push_member(set, scope, RowMember::Element(number));
        }
        self.element_nodes.clear();
        Ok(())
    }

    /// The row of an element must be complete when its section ends.
    fn end_element(&mut self) -> Result<()> {
        let DeckSection::Elements(Elements { nodes: [least, _], ref kind, .. }) = self.section
        else {
            return Ok(());
        };
        let have = self.element_nodes.len();
        if have >= least {
            return self.push_element();
        }
        if have > 0 {
            return Err(self
                .assembly
                .error(
                    Some(self.element_line),
                    message!(
                        IdKind::Element.id(self.element_number),
                        ": ",
                        counted(have, "node"),
                        ", a {kind} has {least}"
                    ),
                )
                .with_help("the file is cut short or the element type is wrong"));
        }
        Ok(())
    }

    fn expected(&self, what: &str, found: &[u8]) -> Error {
        self.text.unexpected(found, what, "separate the numbers of a row by commas")
    }
}

/// The fields of a line, apart by commas that are not within quotes.
fn fields(line: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let is_end = |c: char| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    };
    line.split(is_end).map(str::trim).collect()
}

/// A keyword in capitals and in the form of [`Deck::keyword`]: blanks in it mean nothing to Abaqus.
fn keyword(field: &str) -> String {
    let words: String = field.split_whitespace().collect::<String>().to_ascii_uppercase();
    match words.strip_prefix("END") {
        Some(what @ ("PART" | "INSTANCE" | "ASSEMBLY")) => format!("END {what}"),
        _ => field.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_uppercase(),
    }
}

/// Whether a surface of a type is one of elements.
fn of_elements(kind: Option<&str>) -> bool {
    kind.is_none_or(|kind| kind.eq_ignore_ascii_case("ELEMENT"))
}

//! Abaqus and CalculiX `.inp` decks: the sections `*NODE`, `*ELEMENT`, `*ELSET` and `*SURFACE`.
//!
//! Solids are read by their number of corners: hexahedra C3D8, SC8R, COH3D8, wedges C3D6, SC6R,
//! pyramids C3D5 and tetrahedra C3D4, in every family and variant, C3D10, C3D15, C3D20 and C3D27 by
//! their corners; rows may run over several lines; nodes may have any numbers, may come after the
//! elements, and become vertices in the order of the file. Shells, membranes, surface and plane
//! elements (S4R, M3D4, SFM3D3, CPS3, …) are faces. Element sets are groups of cells and faces,
//! surfaces of elements groups of faces; what they name may come later, and what the deck does not
//! have is left out. `*INCLUDE` and `INPUT=` take lines from other files. Elements of other families
//! and all other sections are skipped and reported, as are parts without an instance. Each instance
//! has the nodes and elements of its part and its own, moved and turned as the deck says, and shares
//! no vertex with others. What else would change the geometry (`*SYSTEM`, generated nodes) is
//! refused.

mod deck;
mod groups;
mod includes;
mod instance;
mod keywords;
mod members;
mod scope;
mod sets;
mod types;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::error::{Error, IdKind, Result};
use crate::numbers::counted;

use super::assemble::Assembly;
use super::curved::NodeOrder;
use super::lines::{Text, integer, real, shown};
use crate::io::source;
use deck::{Deck, DeckParts, DeckSection};
use includes::{Includes, MAX_INCLUDES};
use instance::{has_instances, is_end_of_part};
use keywords::{fields, keyword, option, whole_keyword};
use scope::{DeckElement, RowMember, WaitingElement};
use sets::{Sets, SurfaceSide};
use types::{ElementFamily, Elements, Type};

/// Sections without which the mesh would not be what the deck describes.
const REFUSED: [&str; 8] =
    ["SYSTEM", "NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "IMPORT"];

/// Files one of which includes the other.
const MAX_DEPTH: usize = 32;

/// Reads an Abaqus deck that is already in memory.
pub(super) fn read<'a>(path: &'a Path, bytes: &[u8]) -> Result<Assembly<'a>> {
    let includes = Includes::read(path, bytes);
    let mut deck = Deck {
        text: Text::new(path, bytes),
        assembly: Assembly::new(path, 0),
        sets: Sets::default(),
        section: DeckSection::Other,
        includes: &includes,
        depth: 0,
        included: 0,
        element_nodes: Vec::new(),
        element_vertices: Vec::new(),
        element_line: 0,
        element_number: 0,
        has_instances: includes.bytes().chain([bytes]).any(has_instances),
        parts: DeckParts::default(),
        instance: None,
    };
    deck.read_lines()?;
    deck.end_instance()?;
    deck.take_waiting()?;
    deck.skip_unused_parts();
    deck.sets.finish(&mut deck.assembly);
    Ok(deck.assembly.of(path))
}

/// The files that a deck includes; none of another file.
pub(super) fn included(path: &Path) -> Result<Vec<PathBuf>> {
    if !source::head(path, 1)?.starts_with(b"*") {
        return Ok(Vec::new());
    }
    Ok(Includes::read(path, &source::file_bytes(path)?).paths().collect())
}

impl<'a> Deck<'a> {
    /// Reads the lines of a file in place of the keyword that names it.
    pub(super) fn include(&mut self, name: &str) -> Result<()> {
        let refused = |message: String, help: &str| {
            let message = format!("the included file {name}: {message}");
            Err(self.text.error(message).with_help(help))
        };
        let wanted = includes::included(self.assembly.path, name);
        let Some((path, bytes)) = self.includes.get(&wanted) else {
            let why = source::file_bytes(&wanted).err();
            let why = why.map_or("there are too many".into(), |why: Error| why.to_string());
            return refused(why, "keep it where the deck names it, relative to the deck's folder");
        };
        if self.depth == MAX_DEPTH || self.included == MAX_INCLUDES {
            return refused("it includes itself".into(), "name every file once");
        }
        self.included += 1;
        self.depth += 1;
        self.within(Text::new(path, bytes))?;
        self.depth -= 1;
        Ok(())
    }

    /// Reads other lines, and goes on where it was.
    pub(super) fn within(&mut self, text: Text<'a>) -> Result<()> {
        let at = std::mem::replace(&mut self.text, text);
        let path = std::mem::replace(&mut self.assembly.path, text.path());
        self.read_lines()?;
        (self.text, self.assembly.path) = (at, path);
        Ok(())
    }
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
                    let whole = whole_keyword(&mut self.text, keyword);
                    self.keyword(&whole)?;
                }
                None => self.data(line)?,
            }
        }
        self.end_element()
    }

    /// Begins the section of a keyword line (without its star).
    fn keyword(&mut self, line: &str) -> Result<()> {
        let fields = fields(line);
        let keyword = keyword(fields[0]);
        let keyword = keyword.as_str();
        let option = |wanted: &str| option(&fields, wanted);
        let flag = |wanted: &str| fields.iter().any(|field| field.eq_ignore_ascii_case(wanted));
        let name = |wanted: &str| option(wanted).filter(|name| !name.is_empty());
        if keyword == "INCLUDE" {
            // in place of the keyword, also within a section
            let input = name("INPUT").ok_or_else(|| {
                self.text.error("*INCLUDE without INPUT").with_help("write *INCLUDE, INPUT=file")
            })?;
            return self.include(input);
        }
        self.end_element()?;
        if REFUSED.contains(&keyword) {
            return Err(self
                .text
                .error(format!("*{keyword} is not read, and the mesh would be wrong without it"))
                .with_help("write one flat deck with *NODE and *ELEMENT alone"));
        }
        self.section = match keyword {
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
                let set = name("ELSET").map(|name| self.sets.set(name, flag("INTERNAL")));
                self.family(&kind.to_ascii_uppercase(), set)?
            }
            "ELSET" => match name("ELSET") {
                Some(set) => {
                    let current = self.sets.current();
                    let scope = name("INSTANCE").map_or(current, |name| self.sets.named(name));
                    let set = self.sets.set(set, flag("INTERNAL"));
                    DeckSection::Set { set, scope, generate: flag("GENERATE") }
                }
                None => {
                    self.assembly.skip("sets without a name");
                    DeckSection::Other
                }
            },
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
                self.end_instance()?;
                self.begin_instance(name("NAME"), name("PART"))?;
                DeckSection::Instance(0)
            }
            "END INSTANCE" => {
                self.end_instance()?;
                DeckSection::Other
            }
            "PART" if self.has_instances => {
                self.pass_part(name("NAME").unwrap_or_default())?;
                DeckSection::Other
            }
            "PART" => {
                self.sets.push_part(name("NAME").unwrap_or_default());
                DeckSection::Other
            }
            "HEADING" | "END PART" | "ASSEMBLY" | "END ASSEMBLY" => DeckSection::Other,
            // once for all instances of a part
            _ if self.parts.is_again => DeckSection::Other,
            _ => {
                self.assembly.skip(&format!("section *{}", shown(keyword.as_bytes())));
                DeckSection::Other
            }
        };
        match name("INPUT") {
            Some(input) if matches!(keyword, "NODE" | "ELEMENT") => self.include(input),
            _ => Ok(()),
        }
    }

    /// The section of elements of a type.
    fn family(&mut self, kind: &str, set: Option<usize>) -> Result<DeckSection> {
        let name = shown(kind.as_bytes());
        match types::named(kind) {
            Type::Known(family, nodes) => {
                Ok(DeckSection::Elements(Rc::new(Elements { family, nodes, kind: name, set })))
            }
            Type::Refused => {
                let line = Some(self.text.line());
                Err(self.assembly.refuse(&format!("{name} element"), line))
            }
            Type::Other => Ok(DeckSection::Skipped(name)),
        }
    }

    fn data(&mut self, line: &[u8]) -> Result<()> {
        match &self.section {
            DeckSection::Nodes => self.node(line),
            DeckSection::Elements(_) => self.element(line),
            DeckSection::Skipped(kind) => {
                let what = format!("lines of {kind} elements that are neither solids nor faces");
                self.assembly.skip(&what);
                Ok(())
            }
            &DeckSection::Instance(rows) => self.place(line, rows),
            &DeckSection::Set { set, scope, generate } => {
                self.set(line, set, scope, generate);
                Ok(())
            }
            DeckSection::Surface => self.side(line),
            DeckSection::Other => Ok(()),
        }
    }

    /// Reads a row of a set: numbers and names of sets, or first, last and step.
    fn set(&mut self, line: &[u8], set: usize, of: usize, generate: bool) {
        let line = String::from_utf8_lossy(line);
        let fields: Vec<&[u8]> =
            fields(&line).into_iter().map(str::as_bytes).filter(|f| !f.is_empty()).collect();
        if generate {
            let number = |i: usize| fields.get(i).map(|field| integer(field));
            let first = number(0).flatten();
            match (first, number(1).unwrap_or(first), number(2).unwrap_or(Some(1))) {
                (Some(first), Some(last), Some(step)) => {
                    self.sets.push_member(set, of, RowMember::Range([first, last, step]));
                }
                _ => self.assembly.skip("rows of sets that are no first, last and step"),
            }
            return;
        }
        fields.into_iter().for_each(|field| self.sets.push_member(set, of, RowMember::of(field)));
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
            self.element_nodes.push(tag);
        }
        let DeckSection::Elements(elements) = &self.section else { return Ok(()) };
        let [least, most] = elements.nodes;
        // A row goes on in the next line while nodes are missing, or after a comma.
        let have = self.element_nodes.len();
        if have < least || have < most && line.ends_with(b",") {
            return Ok(());
        }
        self.push_element()
    }

    /// Appends the element whose nodes have been read, if these are known.
    fn push_element(&mut self) -> Result<()> {
        let DeckSection::Elements(elements) = &self.section else { return Ok(()) };
        let elements = Rc::clone(elements);
        let number = self.element_number;
        let (have, [least, most]) = (self.element_nodes.len(), elements.nodes);
        if !(least..=most).contains(&have) {
            return Err(self
                .incomplete(most, &elements.kind)
                .with_help("give every element the nodes of its type"));
        }
        if let Some(set) = elements.set {
            let scope = self.sets.current();
            self.sets.push_member(set, scope, RowMember::Element(number));
        }
        let scope = self.sets.scope();
        let are_known = scope.vertices(&self.element_nodes, &mut self.element_vertices).is_ok();
        if are_known && scope.waiting.is_empty() {
            self.append_element(&elements, number, self.element_line)?;
        } else {
            let place = (self.assembly.path.to_owned(), self.element_line);
            let nodes = self.element_nodes.clone();
            scope.waiting.push(WaitingElement { elements, number, nodes, place });
        }
        self.element_nodes.clear();
        Ok(())
    }

    /// Appends the elements of the current scope that wait for nodes, all of which are known now.
    fn take_waiting(&mut self) -> Result<()> {
        for waiting in std::mem::take(&mut self.sets.scope().waiting) {
            let WaitingElement { elements, number, nodes, place: (path, line) } = waiting;
            let found = self.sets.scope().vertices(&nodes, &mut self.element_vertices);
            found.map_err(|node| {
                // A type with more nodes than its rows have reads into the next row.
                let Elements { kind, nodes, .. } = &*elements;
                let takes = format!("(a {kind} has {} nodes)", nodes[1]);
                let cell = self.assembly.next_cell();
                Error::file(
                    &path,
                    Some(line),
                    message!(cell, ": node {node} does not exist {takes}"),
                )
                .with_help("give the node under *NODE")
            })?;
            self.append_element(&elements, number, line)
                .map_err(|error| error.in_file(&path, Some(line)))?;
        }
        Ok(())
    }

    /// Appends the element of these vertices.
    fn append_element(&mut self, elements: &Elements, number: i64, line: usize) -> Result<()> {
        let Elements { family, nodes: [_, most], ref kind, .. } = *elements;
        let line = Some(line);
        let (corners, others) = self.element_vertices.split_at(family.corners());
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
                    self.assembly.push_high_order(
                        shape,
                        &self.element_vertices,
                        kind,
                        line,
                        NodeOrder::Abaqus,
                    )?;
                }
                DeckElement::solid(cell, shape, corners)
            }
        };
        if self.sets.scope().push_element(number, element) {
            return Ok(());
        }
        Err(self
            .assembly
            .error(line, format!("element number {number} is given twice"))
            .with_help("give every element its own number, or every part an *INSTANCE"))
    }

    /// The error of an element of `kind` that has not the nodes that it needs.
    fn incomplete(&self, need: usize, kind: &str) -> Error {
        let have = counted(self.element_nodes.len(), "node");
        let id = IdKind::Element.id(self.element_number);
        self.assembly
            .error(Some(self.element_line), message!(id, ": ", have, ", a {kind} has {need}"))
    }

    /// The row of an element must be complete when its section ends.
    fn end_element(&mut self) -> Result<()> {
        let DeckSection::Elements(elements) = &self.section else { return Ok(()) };
        let (have, [least, _]) = (self.element_nodes.len(), elements.nodes);
        if have >= least {
            return self.push_element();
        }
        if have > 0 {
            return Err(self
                .incomplete(least, &elements.kind)
                .with_help("the file is cut short or the element type is wrong"));
        }
        Ok(())
    }

    fn expected(&self, what: &str, found: &[u8]) -> Error {
        self.text.unexpected(found, what, "separate the numbers of a row by commas")
    }
}

/// Whether a surface of a type is one of elements.
fn of_elements(kind: Option<&str>) -> bool {
    kind.is_none_or(|kind| kind.eq_ignore_ascii_case("ELEMENT"))
}

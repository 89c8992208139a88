//! I-DEAS universal files `.unv`: nodes (datasets 15, 781 and 2411), elements (780 and 2412) and groups
//! (2435, 2452, 2467 and 2477), as Gmsh and Salome write them (SDRC, "Universal File Datasets").
//!
//! Groups of solids are groups of cells, those of faces groups of faces; groups of nodes are groups of
//! the boundary faces that have all corners in them, and beams are features. Property numbers of solids
//! are the cell array `unv:property`, those of faces other than 1 groups `unv:property:N`, those of beams
//! features of such names. Other datasets, of units and coordinate systems too, are
//! skipped and reported: coordinates are taken as they stand.

use std::collections::HashMap;
use std::path::Path;

use crate::error::{Error, Result};
use crate::mesh::VolumeShape;
use crate::mesh::groups::face_group_name;

use super::assemble::Assembly;
use super::curved::NodeOrder;
use super::lines::Text;
use super::tags::Tags;

/// Cell array of the property numbers.
const PROPERTY: &str = "unv:property";

/// Whether a text begins with a dataset of nodes or elements, of units or coordinate systems.
pub(super) fn is_universal(path: &Path, head: &[u8]) -> bool {
    let mut text = Text::new(path, head);
    let known = [&b"151"[..], b"164", b"2420", b"15", b"781", b"2411", b"780", b"2412"];
    text.next_line() == Some(&b"-1"[..])
        && text.next_line().is_some_and(|line| known.contains(&line))
}

/// Reads a universal file that is already in memory.
pub(super) fn read<'a>(path: &'a Path, bytes: &'a [u8]) -> Result<Assembly<'a>> {
    let mut text = Text::new(path, bytes);
    let mut file = UniversalFile {
        assembly: Assembly::new(path, 0),
        nodes: Tags::default(),
        elements: HashMap::new(),
    };
    // elements may stand before their nodes
    let (mut elements, mut groups) = (Vec::new(), Vec::new());
    while text.peek().is_some() {
        let start = text.word();
        if start != Some(&b"-1"[..]) {
            return Err(text.unexpected(start.unwrap_or_default(), "-1", COUNT));
        }
        let dataset = text.integer("the number of a dataset")?;
        match dataset {
            15 | 781 | 2411 => {
                file.read_nodes(text)?;
            }
            780 | 2412 => elements.push((dataset, text)),
            2435 | 2452 | 2467 | 2477 => groups.push(text),
            _ => file.assembly.skip(&format!("dataset {dataset} of the universal file")),
        }
        // up to the line that ends it
        loop {
            match text.next_line() {
                Some(b"-1") => break,
                Some(_) => {}
                None => return Err(text.ended("the -1 after a dataset")),
            }
        }
    }
    for (dataset, text) in elements {
        file.read_elements(dataset, text)?;
    }
    for text in groups {
        file.read_groups(text)?;
    }
    file.assembly.limit_numbered_groups(PROPERTY);
    file.assembly.push_references(PROPERTY, 1)?;
    Ok(file.assembly)
}

const COUNT: &str = "a number of nodes or of members does not match its list; write the file again";

/// What an element has become.
#[derive(Clone, Copy)]
enum UniversalElement {
    Cell(u32),
    Face(u32),
    Edge([u32; 2]),
    Other,
}

/// A kind of elements: its shape, and the places of its nodes in the order of Abaqus.
struct UniversalType {
    shape: UniversalShape,
    order: &'static [usize],
}

enum UniversalShape {
    Volume(VolumeShape),
    /// A face by its number of corners.
    Face(usize),
    Beam,
}

/// The kind of a number ("FE Descriptor Id") with `nodes` nodes. Nodes of quadratic elements run
/// around, corners and middles in turn.
fn element_type(number: i64, nodes: usize) -> Option<UniversalType> {
    use UniversalShape::{Beam, Face, Volume};
    use VolumeShape::{Hexahedron, Tetrahedron, Wedge};
    let (shape, order): (_, &'static [usize]) = match (number, nodes) {
        (11 | 21 | 22, 2) => (Beam, &[0, 1]),
        (23 | 24, 3) => (Beam, &[0, 2, 1]),
        (41 | 51 | 61 | 74 | 81 | 91, 3) => (Face(3), &[0, 1, 2]),
        (42 | 52 | 62 | 72 | 82 | 92, 6) => (Face(3), &[0, 2, 4, 1, 3, 5]),
        (44 | 54 | 64 | 71 | 84 | 94, 4) => (Face(4), &[0, 1, 2, 3]),
        (45 | 55 | 65 | 75 | 85 | 95, 8) => (Face(4), &[0, 2, 4, 6, 1, 3, 5, 7]),
        (111, 4) => (Volume(Tetrahedron), &[0, 1, 2, 3]),
        (118, 10) => (Volume(Tetrahedron), &[0, 2, 4, 9, 1, 3, 5, 6, 7, 8]),
        (112, 6) => (Volume(Wedge), &[0, 1, 2, 3, 4, 5]),
        (113, 15) => (Volume(Wedge), &[0, 2, 4, 9, 11, 13, 1, 3, 5, 10, 12, 14, 6, 7, 8]),
        (115, 8) => (Volume(Hexahedron), &[0, 1, 2, 3, 4, 5, 6, 7]),
        (116, 20) => (
            Volume(Hexahedron),
            &[0, 2, 4, 6, 12, 14, 16, 18, 1, 3, 5, 7, 13, 15, 17, 19, 8, 9, 10, 11],
        ),
        _ => return None,
    };
    Some(UniversalType { shape, order })
}

struct UniversalFile<'a> {
    assembly: Assembly<'a>,
    nodes: Tags,
    elements: HashMap<i64, UniversalElement>,
}

impl UniversalFile<'_> {
    fn read_nodes(&mut self, mut text: Text) -> Result<()> {
        while let Some(tag) = next(&mut text, "a node number")? {
            for what in ["a coordinate system", "a coordinate system", "a color"] {
                text.integer(what)?;
            }
            if !self.nodes.push(tag) {
                return Err(twice(&text, "node", tag));
            }
            let point = text.point()?;
            self.assembly.push_point(point, Some(text.line()))?;
        }
        Ok(())
    }

    fn read_elements(&mut self, dataset: i64, mut text: Text) -> Result<()> {
        while let Some(tag) = next(&mut text, "an element number")? {
            let line = text.line();
            let kind = text.integer("the kind of the element")?;
            // 780 has a bin number before each of the two tables
            let before = usize::from(dataset == 780);
            (0..before).try_for_each(|_| text.integer("a bin number").map(drop))?;
            let property = text.integer("a property number")?;
            for _ in 0..before + 2 {
                text.integer("a material number or a color")?;
            }
            let count = text.count("the number of nodes")?;
            let mut nodes = Vec::with_capacity(text.room(count, 2));
            text.next_line();
            // beams have a line of orientation and ends; rods have it only in some programs
            let mut ahead = text;
            let words = ahead.next_line().unwrap_or_default();
            let words = words.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).count();
            if matches!(kind, 21..=24) || kind == 11 && words == 3 && count == 2 {
                text = ahead;
            }
            for _ in 0..count {
                let node = text.integer("a node number")?;
                nodes.push(self.nodes.get(node).ok_or_else(|| {
                    let message = format!("element {tag}: node {node} does not exist");
                    text.error(message).with_help(COUNT)
                })?);
            }
            let element = self.push(kind, &nodes, property, line)?;
            if self.elements.insert(tag, element).is_some() {
                return Err(twice(&text, "element", tag));
            }
        }
        Ok(())
    }

    /// Appends what an element is.
    fn push(
        &mut self,
        kind: i64,
        nodes: &[u32],
        property: i64,
        line: usize,
    ) -> Result<UniversalElement> {
        let Some(UniversalType { shape, order }) = element_type(kind, nodes.len()) else {
            // other solids: of higher orders, and with other numbers of nodes
            if (101..=120).contains(&kind) {
                let what = format!("solid of kind {kind} with {} nodes", nodes.len());
                return Err(self.assembly.refuse(&what, Some(line)));
            }
            self.assembly.skip(&format!("elements of kind {kind}"));
            return Ok(UniversalElement::Other);
        };
        let nodes: Vec<u32> = order.iter().map(|&i| nodes[i]).collect();
        Ok(match shape {
            UniversalShape::Volume(shape) => {
                let cell = self.assembly.next_cell().0;
                let (kind, order) = (format!("UNV type {kind}"), NodeOrder::Abaqus);
                self.assembly.push_high_order(shape, &nodes, &kind, Some(line), order)?;
                self.assembly.refer(property);
                UniversalElement::Cell(cell)
            }
            UniversalShape::Face(corners) => {
                let (corners, others) = nodes.split_at(corners);
                let kind = format!("face elements (UNV type {kind})");
                let face = self.assembly.groups.push_face(&kind, corners, others);
                if property != 1 {
                    self.assembly.groups.group_face(&face_group_name(PROPERTY, property), face);
                }
                UniversalElement::Face(face)
            }
            UniversalShape::Beam => {
                let (name, edge) = (face_group_name(PROPERTY, property), [nodes[0], nodes[1]]);
                self.assembly.features.named(&name).edges.push(edge);
                UniversalElement::Edge(edge)
            }
        })
    }

    fn read_groups(&mut self, mut text: Text) -> Result<()> {
        while let Some(number) = next(&mut text, "the number of a group")? {
            for _ in 0..6 {
                text.integer("a set of the group")?;
            }
            let count = text.count("the number of members")?;
            text.next_line();
            let name = text.next_line().ok_or_else(|| text.ended("the name of the group"))?;
            let name: String =
                String::from_utf8_lossy(name).chars().filter(|c| !c.is_control()).collect();
            let name = if name.is_empty() { format!("unv:group:{number}") } else { name };
            let mut others = 0;
            for _ in 0..count {
                let kind = text.integer("the kind of a member")?;
                let tag = text.integer("the number of a member")?;
                text.integer("the leaf of a member")?;
                text.integer("the component of a member")?;
                let groups = &mut self.assembly.groups;
                match (kind, self.nodes.get(tag), self.elements.get(&tag)) {
                    (7, Some(node), _) => groups.push_node_set(&name, [node]),
                    (8, _, Some(UniversalElement::Cell(cell))) => groups.group_cell(&name, *cell),
                    (8, _, Some(UniversalElement::Face(face))) => groups.group_face(&name, *face),
                    (8, _, Some(UniversalElement::Edge(edge))) => {
                        self.assembly.features.named(&name).edges.push(*edge);
                    }
                    _ => others += 1,
                }
            }
            self.assembly.skip_many(&format!("other members of group `{name}`"), others);
        }
        Ok(())
    }
}

/// The number that an item begins with; `None` at the end of the dataset.
fn next(text: &mut Text, what: &str) -> Result<Option<i64>> {
    let number = text.integer(what)?;
    Ok((number != -1).then_some(number))
}

fn twice(text: &Text, what: &str, tag: i64) -> Error {
    text.error(format!("{what} {tag} is given twice"))
        .with_help("number nodes and elements each once")
}

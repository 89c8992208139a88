//! Gmsh `.msh`, ASCII and binary, versions 1, 2.x, 4.0 and 4.1.
//!
//! Nodes may have any numbers; they become vertices in the order of the file. `$NodeData` views of
//! all nodes become vertex attributes, of several steps the first; physical groups of volumes (the
//! first of each element) the cell array `gmsh:physical`. Physical groups that have a name are
//! groups of cells and of faces, and features where they hold curves and points; groups of surfaces,
//! curves and points without one are named `gmsh:physical:TAG`.
//! Periodic links of surfaces by translations are the periods of the mesh. Other links and element
//! data are skipped and reported, as are elements of lower dimension in no group, and ghosts that the
//! file of a partition repeats. High-order elements are read by their
//! corners. Sections may come in any order. Other versions are refused.

mod elements;
mod file;
mod groups;
mod periodic;
mod values;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::error::{Error, Result};
use crate::mesh::Attribute;
use crate::numbers::{by_count, counted};

use super::assemble::Assembly;
use super::curved::NodeOrder;
use super::foreign::through_gmsh;
use super::groups::PHYSICAL;
use super::lines::{Text, shown};
use super::tags::Tags;
use elements::{ElementType, GmshType};
use file::{Gmsh, ReadElement};
use values::GmshNumbers;

/// Reads a Gmsh file that is already in memory.
pub(super) fn read<'a>(path: &'a Path, bytes: &'a [u8]) -> Result<Assembly<'a>> {
    let values = GmshNumbers::new(Text::new(path, bytes));
    let mut file = Gmsh {
        entities: HashMap::new(),
        parts: HashSet::new(),
        ghosts: HashSet::new(),
        names: HashMap::new(),
        values,
        assembly: Assembly::new(path, 0),
        nodes: Tags::default(),
        version: 0,
        is_old: false,
        element_nodes: Vec::new(),
        last: (0, Vec::new(), ReadElement::Face(0)),
    };
    // what they name may come after them
    let (mut elements, mut data, mut links) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(word) = file.values.text.word() {
        match word {
            b"$MeshFormat" => file.format()?,
            b"$Nodes" => file.nodes()?,
            b"$Elements" => {
                elements.push(file.values.text);
                file.values.skip_section("$EndElements")?;
            }
            b"$NodeData" => {
                data.push(file.values.text);
                file.values.skip_section("$EndNodeData")?;
            }
            // they are in blocks of ghost entities
            b"$GhostElements" => file.values.skip_section("$EndGhostElements")?,
            b"$ParametricNodes" => {
                return Err(file
                    .values
                    .error("nodes with parameters of their entities ($ParametricNodes)")
                    .with_help(file.convert()));
            }
            b"$Periodic" if !file.is_old => {
                links.push(file.values.text);
                file.values.skip_section("$EndPeriodic")?;
            }
            b"$PhysicalNames" => file.physical_names()?,
            b"$Entities" if file.version == 4 => file.entities()?,
            b"$PartitionedEntities" if file.version == 4 => file.partitioned_entities()?,
            b"$NOD" if file.version <= 1 => {
                file.version = 1;
                file.nodes()?;
            }
            b"$ELM" if file.version <= 1 => {
                file.version = 1;
                elements.push(file.values.text);
                file.values.skip_section("$ENDELM")?;
            }
            [b'$', name @ ..] if !name.starts_with(b"End") => {
                let name = shown(word);
                file.assembly.skip(&format!("section {name}"));
                file.values.skip_section(&name.replacen('$', "$End", 1))?;
            }
            _ => {
                let help = "a count does not match its list; save the file again";
                return Err(file.values.text.unexpected(word, "a section", help));
            }
        }
    }
    for text in elements {
        file.values.text = text;
        file.elements()?;
    }
    for text in data {
        file.values.text = text;
        file.node_data()?;
    }
    for text in links {
        file.values.text = text;
        file.periodic()?;
    }
    file.assembly.limit_numbered_groups(PHYSICAL);
    file.assembly.push_references(PHYSICAL, 0)?;
    Ok(file.assembly)
}

impl Gmsh<'_> {
    fn format(&mut self) -> Result<()> {
        let text = &mut self.values.text;
        if self.version != 0 {
            return Err(text.error("a second section $MeshFormat").with_help(
                "keep one mesh in the file: Gmsh writes views without it where its option \
                     PostProcessing.SaveMesh is 0",
            ));
        }
        let version = text.required("the version")?;
        self.version = match version {
            b"2" | b"2.0" | b"2.1" | b"2.2" => 2,
            b"4" | b"4.0" | b"4.1" => 4,
            _ => return Err(self.refused_version(&shown(version))),
        };
        self.is_old = matches!(version, b"4" | b"4.0");
        let is_binary = text.count("the file type")? != 0;
        let size = text.count("the data size")?;
        if is_binary {
            if size != 8 && (self.version == 2 || size != 4) {
                return Err(text
                    .error(format!("numbers of {size} bytes"))
                    .with_help("save the file with data of 8 bytes"));
            }
            self.values.binary(size)?;
        }
        self.values.end("$EndMeshFormat")
    }

    fn refused_version(&self, version: &str) -> Error {
        self.values
            .error(format!("Gmsh version {version}; 1, 2.x, 4.0 and 4.1 are read"))
            .with_help(self.convert())
    }

    fn convert(&self) -> String {
        through_gmsh(self.assembly.path, &["msh"], "msh41", "msh")
    }

    fn nodes(&mut self) -> Result<()> {
        if self.assembly.points() > 0 {
            return Err(self
                .values
                .error("a second section $Nodes")
                .with_help("keep one mesh in the file"));
        }
        if self.version == 4 {
            self.values.begin();
            let blocks = self.values.size_count("the number of node blocks")?;
            let count = self.values.size_count("the number of nodes")?;
            self.least_and_largest()?;
            self.assembly.reserve_points(self.values.text.room(count, 8));
            for _ in 0..blocks {
                let [dimension, _] = self.place()?;
                let parametric = self.values.count("whether the nodes are parametric")? > 0;
                let nodes = self.values.size_count("the number of nodes of the block")?;
                for _ in 0..if self.is_old { 0 } else { nodes } {
                    let tag = self.node_number()?;
                    self.name_node(tag)?;
                }
                for _ in 0..nodes {
                    if self.is_old {
                        let tag = self.node_number()?;
                        self.name_node(tag)?;
                    }
                    let point = self.values.point()?;
                    let line = self.values.line();
                    for _ in 0..if parametric { dimension.clamp(0, 3) } else { 0 } {
                        self.values.real("a parameter")?;
                    }
                    self.assembly.push_point(point, line)?;
                }
            }
            self.check_total("node", count, self.assembly.points())?;
        } else {
            let count = self.values.text.count("the number of nodes")?;
            self.values.begin();
            self.assembly.reserve_points(self.values.text.room(count, 8));
            for _ in 0..count {
                let tag = self.values.int("a node number")?;
                self.name_node(tag)?;
                let point = self.values.point()?;
                self.assembly.push_point(point, self.values.line())?;
            }
        }
        self.values.end(if self.version == 1 { "$ENDNOD" } else { "$EndNodes" })
    }

    /// Passes over the smallest and the largest number of a section, which version 4.0 lacks.
    fn least_and_largest(&mut self) -> Result<()> {
        for what in ["the smallest number", "the largest number"] {
            if !self.is_old {
                self.values.size(what)?;
            }
        }
        Ok(())
    }

    /// The dimension and the number of the entity of a block.
    fn place(&mut self) -> Result<[i64; 2]> {
        let mut place = ["the dimension of the block", "the number of its entity"];
        if self.is_old {
            place.reverse();
        }
        let [a, b] = [self.values.int(place[0])?, self.values.int(place[1])?];
        Ok(if self.is_old { [b, a] } else { [a, b] })
    }

    fn name_node(&mut self, tag: i64) -> Result<()> {
        if tag < 1 || !self.nodes.push(tag) {
            let fault = if tag < 1 { "is below 1" } else { "is given twice" };
            return Err(self
                .values
                .error(format!("node number {tag} {fault}"))
                .with_help("number the nodes from 1, each once"));
        }
        Ok(())
    }

    fn elements(&mut self) -> Result<()> {
        if self.version == 4 {
            self.values.begin();
            let blocks = self.values.size_count("the number of element blocks")?;
            let total = self.values.size_count("the number of elements")?;
            self.least_and_largest()?;
            let mut found = 0_usize;
            for _ in 0..blocks {
                let [dimension, entity] = self.place()?;
                let place = (dimension, entity);
                let groups = self.entities.get(&place).cloned().unwrap_or_default();
                let are_ghosts = self.ghosts.contains(&entity) && !self.parts.contains(&place);
                let kind = self.values.count("the element type of the block")?;
                let count = self.values.size_count("the number of elements of the block")?;
                found = found.saturating_add(count);
                for _ in 0..count {
                    self.node_number()?; // of the element
                    if are_ghosts {
                        self.pass(kind)?;
                    } else {
                        self.element(kind, &groups)?;
                    }
                }
                if are_ghosts {
                    self.assembly.skip_many("ghost elements of other partitions", count);
                }
            }
            self.check_total("element", total, found)?;
            return self.values.end("$EndElements");
        }
        let count = self.values.text.count("the number of elements")?;
        self.values.begin();
        let mut left = count;
        while left > 0 {
            // Binary files have a header for a run of elements of one type.
            let (kind, run, tags) = if self.values.is_binary() {
                let kind = self.values.count("an element type")?;
                let run = self.values.count("the number of elements of the type")?;
                let tags = self.values.count("the number of tags")?;
                if run == 0 || run > left {
                    return Err(self
                        .values
                        .error(format!(
                            "a run of {}, {left} {} left",
                            counted(run, "element"),
                            by_count(left, "is", "are")
                        ))
                        .with_help("the file is damaged; save it again"));
                }
                (kind, run, tags)
            } else {
                self.values.int("an element number")?;
                let kind = self.values.count("an element type")?;
                // version 1: a physical group, an entity and the number of nodes
                let is_first = self.version == 1;
                (kind, 1, if is_first { 3 } else { self.values.count("the number of tags")? })
            };
            for _ in 0..run {
                if self.values.is_binary() {
                    self.values.int("an element number")?;
                }
                let mut group = 0;
                for tag in 0..tags {
                    let value = self.values.int("a tag")?;
                    // the first tag
                    group = if tag == 0 { value } else { group };
                }
                self.element(kind, if group == 0 { &[] } else { std::slice::from_ref(&group) })?;
            }
            left -= run;
        }
        self.values.end(if self.version == 1 { "$ENDELM" } else { "$EndElements" })
    }

    fn known(&self, kind: usize) -> Result<ElementType> {
        elements::element(kind).ok_or_else(|| {
            let what = format!("element of unknown kind (Gmsh type {kind})");
            self.assembly.refuse(&what, self.values.line())
        })
    }

    /// Passes over the nodes of an element.
    fn pass(&mut self, kind: usize) -> Result<()> {
        let nodes = self.known(kind)?.nodes;
        self.pass_nodes(nodes)
    }

    fn pass_nodes(&mut self, nodes: usize) -> Result<()> {
        if self.values.is_binary() {
            return (0..nodes).try_for_each(|_| self.node_number().map(drop));
        }
        // An element ends with its line.
        self.values.text.next_line();
        Ok(())
    }

    /// Checks the number of all nodes or elements, which a section names beside its blocks.
    fn check_total(&self, what: &str, claimed: usize, found: usize) -> Result<()> {
        if claimed == found {
            return Ok(());
        }
        let message = format!("{}, the section claims {claimed}", counted(found, what));
        let help = "the file is damaged or cut short; save it again";
        Err(self.values.error(message).with_help(help))
    }

    /// Reads the nodes of an element of Gmsh's type `kind` in some physical groups.
    fn element(&mut self, kind: usize, groups: &[i64]) -> Result<()> {
        let line = self.values.line();
        let element = self.known(kind)?;
        match element.kind {
            GmshType::Lower(_) if !groups.is_empty() => self.feature(element.nodes, groups),
            GmshType::Lower(name) => {
                self.assembly.skip(&format!("{name} elements (Gmsh type {kind})"));
                self.pass_nodes(element.nodes)
            }
            GmshType::Face(..) | GmshType::Volume(_) => {
                self.element_nodes(element.nodes)?;
                // version 2 lists an element once for each of its groups
                let (last, nodes, place) = &self.last;
                let is_repeated =
                    self.version <= 2 && *last == kind && *nodes == self.element_nodes;
                let place = if is_repeated {
                    *place
                } else {
                    self.append(element.kind, kind, groups, line)?
                };
                std::mem::swap(&mut self.last.1, &mut self.element_nodes);
                (self.last.0, self.last.2) = (kind, place);
                self.group(place, groups);
                Ok(())
            }
        }
    }

    /// Appends the face or cell whose nodes have been read.
    fn append(
        &mut self,
        element: GmshType,
        number: usize,
        groups: &[i64],
        line: Option<usize>,
    ) -> Result<ReadElement> {
        let (nodes, assembly) = (&self.element_nodes, &mut self.assembly);
        match element {
            GmshType::Face(name, corners) => {
                let kind = format!("{name} elements (Gmsh type {number})");
                let (corners, others) = nodes.split_at(corners);
                Ok(ReadElement::Face(assembly.groups.push_face(&kind, corners, others)))
            }
            GmshType::Volume(shape) => {
                let cell = assembly.next_cell();
                if nodes.len() == shape.corners() {
                    assembly.push_cell(shape, nodes, line)?;
                } else {
                    assembly.push_high_order(
                        shape,
                        nodes,
                        &format!("Gmsh type {number}"),
                        line,
                        NodeOrder::Gmsh,
                    )?;
                }
                assembly.refer(groups.first().copied().unwrap_or(0));
                Ok(ReadElement::Cell(cell.0))
            }
            GmshType::Lower(name) => Err(assembly.refuse(name, line)),
        }
    }

    /// Reads the vertices of an element.
    fn element_nodes(&mut self, count: usize) -> Result<()> {
        self.element_nodes.clear();
        for _ in 0..count {
            let tag = self.node_number()?;
            let vertex = self.nodes.get(tag).ok_or_else(|| self.unknown_node(tag))?;
            self.element_nodes.push(vertex);
        }
        Ok(())
    }

    fn node_number(&mut self) -> Result<i64> {
        let what = "a node number";
        let is_wide = self.version == 4 && !self.is_old;
        if is_wide { self.values.size(what) } else { self.values.int(what) }
    }

    fn unknown_node(&self, tag: i64) -> Error {
        self.values
            .error(message!(self.assembly.next_cell(), ": node {tag} does not exist"))
            .with_help("elements may name only nodes of the section $Nodes")
    }

    fn node_data(&mut self) -> Result<()> {
        let start = self.values.line();
        let strings = self.values.text.count("the number of strings")?;
        self.values.text.next_line();
        let mut name = None;
        for _ in 0..strings {
            let string =
                self.values.text.next_line().ok_or_else(|| self.values.text.ended("a string"))?;
            name.get_or_insert_with(|| shown(string.trim_ascii()).trim_matches('"').to_owned());
        }
        for _ in 0..self.values.text.count("the number of real tags")? {
            self.values.text.real("a real tag")?;
        }
        let mut tags = Vec::new();
        for _ in 0..self.values.text.count("the number of integer tags")? {
            tags.push(self.values.text.integer("an integer tag")?);
        }
        let (name, &[step, width, rows, ..]) = (name.unwrap_or_default(), &tags[..]) else {
            self.assembly.skip("views without step, number of components and number of nodes");
            return self.values.skip_section("$EndNodeData");
        };
        let (width, rows) = (usize::try_from(width).unwrap_or(0), rows.max(0) as usize);
        let points = self.assembly.points();
        let is_known = self.assembly.mesh.attributes.iter().any(|known| known.name == name);
        let left_out = if name.is_empty() {
            Some("views without a name".to_owned())
        } else if width == 0 || width > 9 {
            Some(format!("view `{name}` of {width} components, 1 to 9 are read"))
        } else if rows != points {
            Some(format!("view `{name}` of {rows} of {points} nodes"))
        } else {
            is_known.then(|| format!("step {step} of view `{name}`, of which another step is read"))
        };
        if let Some(what) = left_out {
            self.assembly.skip(&what);
            return self.values.skip_section("$EndNodeData");
        }
        self.values.begin();
        let mut values = vec![0.0; points * width];
        let mut seen = vec![false; points];
        for _ in 0..rows {
            let tag = self.values.int("a node number")?;
            let vertex = self.nodes.get(tag).map(|v| v as usize).filter(|&v| !seen[v]);
            let Some(vertex) = vertex else {
                self.assembly.skip(&format!(
                    "view `{name}`, whose node {tag} does not exist or comes twice"
                ));
                return self.values.skip_section("$EndNodeData");
            };
            seen[vertex] = true;
            for value in &mut values[vertex * width..][..width] {
                *value = self.values.real("a value")?;
            }
        }
        self.assembly.push_attribute(Attribute { name, width, values }, 0, start)?;
        self.values.end("$EndNodeData")
    }
}

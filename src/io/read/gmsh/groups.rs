//! Physical groups, and the surfaces and volumes that are in them.

use super::file::{Gmsh, ReadElement};
use crate::error::Result;
use crate::io::read::groups::PHYSICAL;
use crate::mesh::groups::face_group_name;

impl Gmsh<'_> {
    /// Reads the names of physical groups, each on a line: dimension, tag, name. Version 2.0 has no
    /// dimension.
    pub(super) fn physical_names(&mut self) -> Result<()> {
        let count = self.values.text.count("the number of physical names")?;
        for _ in 0..count {
            let dimension = self.values.text.integer("the dimension of a physical group")?;
            let has_dimension = self.values.text.peek().is_none_or(|word| word[0] != b'"');
            let (dimensions, tag) = if has_dimension {
                (dimension..=dimension, self.values.text.integer("a physical group")?)
            } else {
                (0..=3, dimension)
            };
            let rest = self.values.text.next_line().unwrap_or_default();
            let name: String =
                String::from_utf8_lossy(rest).chars().filter(|c| !c.is_control()).collect();
            // MED pads names with blanks
            let name = name.trim().trim_matches('"').trim();
            if !name.is_empty() {
                self.names.extend(dimensions.map(|d| ((d, tag), name.to_owned())));
            }
        }
        self.values.end("$EndPhysicalNames")
    }

    /// Reads which physical groups the surfaces and volumes are in.
    pub(super) fn entities(&mut self) -> Result<()> {
        self.values.begin();
        self.grouped_entities(false)?;
        self.values.end("$EndEntities")
    }

    /// Reads which physical groups the parts of surfaces and volumes are in: elements of a
    /// partitioned mesh are in these parts.
    pub(super) fn partitioned_entities(&mut self) -> Result<()> {
        self.values.begin();
        self.values.size("the number of partitions")?;
        for _ in 0..self.values.size_count("the number of ghost entities")? {
            let ghosts = self.values.int("the number of a ghost entity")?;
            self.ghosts.insert(ghosts);
            self.values.int("the partition of a ghost entity")?;
        }
        self.grouped_entities(true)?;
        self.values.end("$EndPartitionedEntities")
    }

    fn grouped_entities(&mut self, are_parts: bool) -> Result<()> {
        let mut counts = [0; 4];
        for (count, what) in counts.iter_mut().zip(["points", "curves", "surfaces", "volumes"]) {
            *count = self.values.size_count(&format!("the number of {what}"))?;
        }
        for (dimension, count) in counts.into_iter().enumerate() {
            for _ in 0..count {
                let entity = self.values.int("the number of an entity")?;
                if are_parts {
                    self.parts.insert((dimension as i64, entity));
                    self.values.int("the dimension of the parent")?;
                    self.values.int("the number of the parent")?;
                    for _ in 0..self.values.size_count("the number of partitions")? {
                        self.values.int("a partition")?;
                    }
                }
                // a point, or a box
                for _ in 0..if dimension == 0 && !self.is_old { 3 } else { 6 } {
                    self.values.real("a coordinate of an entity")?;
                }
                let groups = self.values.size_count("the number of physical groups")?;
                for _ in 0..groups {
                    let tag = self.values.int("a physical group")?;
                    // negative where the group has the entity reversed
                    let tag = tag.saturating_abs();
                    let own = self.entities.entry((dimension as i64, entity)).or_default();
                    // Gmsh lists a group again that was added twice
                    if own.last() != Some(&tag) {
                        own.push(tag);
                    }
                }
                if dimension > 0 {
                    for _ in 0..self.values.size_count("the number of bounding entities")? {
                        self.values.int("a bounding entity")?;
                    }
                }
            }
        }
        Ok(())
    }

    fn group_name(&self, dimension: i64, group: i64) -> String {
        let name = self.names.get(&(dimension, group)).cloned();
        name.unwrap_or_else(|| face_group_name(PHYSICAL, group))
    }

    /// Reads the nodes of a line or point in physical groups: parts of curves, and points.
    pub(super) fn feature(&mut self, nodes: usize, groups: &[i64]) -> Result<()> {
        self.element_nodes(nodes)?;
        if !self.values.is_binary() {
            // an element ends with its line
            self.values.text.next_line();
        }
        for group in groups {
            let name = self.group_name(i64::from(nodes > 1), *group);
            let feature = self.assembly.features.named(&name);
            match self.element_nodes[..] {
                [a, b, ..] => feature.edges.push([a, b]),
                [v] => feature.vertices.push(v),
                [] => {}
            }
        }
        Ok(())
    }

    /// Puts a face or cell into physical groups.
    pub(super) fn group(&mut self, place: ReadElement, groups: &[i64]) {
        for group in groups {
            match place {
                ReadElement::Face(face) => {
                    self.assembly.groups.group_face(&self.group_name(2, *group), face);
                }
                ReadElement::Cell(cell) => {
                    if let Some(name) = self.names.get(&(3, *group)) {
                        self.assembly.groups.group_cell(name, cell);
                    }
                }
            }
        }
    }
}

//! What numbers and names of a deck mean: each instance has its own, and so has the part outside of
//! them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use super::types::Elements;
use crate::io::read::lines::integer;
use crate::io::read::tags::Tags;
use crate::mesh::{CellId, VolumeShape};

/// What an element of a deck is in the mesh.
#[derive(Clone, Copy)]
pub(super) enum DeckElement {
    /// A cell, and its corners in the order of its shape.
    Solid(CellId, VolumeShape, [u32; 8]),
    /// A face by its number.
    Face(u32),
}

impl DeckElement {
    /// A solid element.
    pub fn solid(cell: CellId, shape: VolumeShape, corners: &[u32]) -> Self {
        let mut own = [0; 8];
        own[..corners.len()].copy_from_slice(corners);
        Self::Solid(cell, shape, own)
    }
}

/// What a row of a set or surface names.
pub(super) enum RowMember {
    Element(i64),
    /// First, last and step of numbers.
    Range([i64; 3]),
    Set(String),
}

impl RowMember {
    /// An element by its number, or a set by its name.
    pub fn of(field: &[u8]) -> Self {
        match integer(field) {
            Some(number) => Self::Element(number),
            None => Self::Set(String::from_utf8_lossy(field).trim_matches('"').to_owned()),
        }
    }
}

/// An element that names nodes which come after it, or comes after such a one.
pub(super) struct WaitingElement {
    pub elements: Rc<Elements>,
    pub number: i64,
    pub nodes: Vec<i64>,
    /// File and 1-based line of its row.
    pub place: (PathBuf, usize),
}

/// Nodes, elements and sets of one instance, or outside of all.
#[derive(Default)]
pub(super) struct Scope {
    /// Name of the instance, empty outside.
    pub name: String,
    /// Whether the deck has the instance; sets may name others.
    pub is_declared: bool,
    /// Elements that wait for nodes, in their order.
    pub waiting: Vec<WaitingElement>,
    nodes: Tags,
    // runs of nodes that are consecutive vertices: first node, its vertex
    runs: Vec<[u32; 2]>,
    elements: Tags,
    /// Number of each element, and what it is.
    pub own: Vec<(i64, DeckElement)>,
    // sets by their names in capitals
    sets: HashMap<String, usize>,
}

impl Scope {
    /// The scope of an instance.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Names a vertex; false if another one has its number.
    pub fn push_node(&mut self, number: i64, vertex: u32) -> bool {
        let node = self.nodes.len();
        if self.runs.last().is_none_or(|[first, start]| node - first != vertex - start) {
            self.runs.push([node, vertex]);
        }
        self.nodes.push(number)
    }

    /// The vertex of a number.
    fn vertex(&self, number: i64) -> Option<u32> {
        let node = self.nodes.get(number)?;
        let run = self.runs.partition_point(|[first, _]| *first <= node).checked_sub(1)?;
        let [first, start] = self.runs[run];
        Some(start + node - first)
    }

    /// The vertices of nodes, in the cleared `vertices`.
    ///
    /// # Errors
    /// The first number that no node has.
    pub fn vertices(&self, nodes: &[i64], vertices: &mut Vec<u32>) -> Result<(), i64> {
        vertices.clear();
        nodes.iter().try_for_each(|&node| {
            vertices.push(self.vertex(node).ok_or(node)?);
            Ok(())
        })
    }

    /// Appends an element; false if another one has its number.
    pub fn push_element(&mut self, number: i64, element: DeckElement) -> bool {
        self.own.push((number, element));
        self.elements.push(number)
    }

    /// The element of a number, as an index of [`Self::own`].
    pub fn element(&self, number: i64) -> Option<u32> {
        self.elements.get(number)
    }

    /// The set of a name, which case does not matter for.
    pub fn set(&self, name: &str) -> Option<usize> {
        self.sets.get(&name.to_ascii_uppercase()).copied()
    }

    /// The set of a name, made by `make` where there is none.
    pub fn set_or(&mut self, name: &str, make: impl FnOnce() -> usize) -> usize {
        *self.sets.entry(name.to_ascii_uppercase()).or_insert_with(make)
    }
}

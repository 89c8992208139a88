//! What has been read of a deck.

use std::collections::BTreeMap;
use std::rc::Rc;

use nalgebra::Isometry3;

use super::includes::Includes;
use super::sets::Sets;
use super::types::Elements;
use crate::io::read::assemble::Assembly;
use crate::io::read::lines::Text;

/// The section that is being read.
pub(super) enum DeckSection {
    Nodes,
    Elements(Rc<Elements>),
    /// Elements of another family, by the name of their type.
    Skipped(String),
    Set {
        set: usize,
        /// The scope that its rows belong to.
        scope: usize,
        /// Whether rows are first, last and step of numbers.
        generate: bool,
    },
    Surface,
    /// Rows read that move and turn the instance.
    Instance(usize),
    Other,
}

/// A deck that is being read.
pub(super) struct Deck<'a> {
    pub(super) text: Text<'a>,
    pub(super) assembly: Assembly<'a>,
    pub(super) sets: Sets,
    pub(super) section: DeckSection,
    pub(super) includes: &'a Includes,
    // files that are being read, one included by the other
    pub(super) depth: usize,
    // files included so far
    pub(super) included: usize,
    // numbers of the nodes of the element that is being read, whose row may continue on the next
    // line, and its vertices
    pub(super) element_nodes: Vec<i64>,
    pub(super) element_vertices: Vec<u32>,
    pub(super) element_line: usize,
    pub(super) element_number: i64,
    pub(super) has_instances: bool,
    pub(super) parts: DeckParts<'a>,
    pub(super) instance: Option<Instance>,
}

/// Parts of a deck that has instances, by their names in capitals.
#[derive(Default)]
pub(super) struct DeckParts<'a> {
    pub(super) by_name: BTreeMap<String, DeckPart<'a>>,
    /// Whether the part that is being read was read before.
    pub is_again: bool,
    /// Whether a part is being read.
    pub is_reading: bool,
    // bytes of the parts of all instances so far
    pub(super) bytes: u128,
}

/// A part of a deck.
pub(super) struct DeckPart<'a> {
    pub(super) name: String,
    // behind its first line
    pub(super) text: Text<'a>,
    pub(super) bytes: usize,
    pub(super) instances: usize,
}

/// The instance that is being read.
pub(super) struct Instance {
    // its first vertex
    pub(super) first: usize,
    pub(super) motion: Isometry3<f64>,
}

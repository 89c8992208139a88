//! What has been read of a file.

use std::collections::{HashMap, HashSet};

use super::values::GmshNumbers;
use crate::io::read::assemble::Assembly;
use crate::io::read::tags::Tags;

/// A file that is being read.
pub(super) struct Gmsh<'a> {
    // physical groups of each surface and volume, by dimension and number
    pub(super) entities: HashMap<(i64, i64), Vec<i64>>,
    // parts of points, curves, surfaces and volumes by dimension and number
    pub(super) parts: HashSet<(i64, i64)>,
    // entities of the elements that the file of a partition repeats
    pub(super) ghosts: HashSet<i64>,
    // of physical groups, by dimension and tag
    pub(super) names: HashMap<(i64, i64), String>,
    pub(super) values: GmshNumbers<'a>,
    pub(super) assembly: Assembly<'a>,
    pub(super) nodes: Tags,
    // 0 before $MeshFormat, then 1, 2 or 4
    pub(super) version: u8,
    // version 4.0
    pub(super) is_old: bool,
    // of the element that is being read
    pub(super) element_nodes: Vec<u32>,
    // type, nodes and place of the face or cell before it
    pub(super) last: (usize, Vec<u32>, ReadElement),
}

/// What an element has become.
#[derive(Clone, Copy)]
pub(super) enum ReadElement {
    Face(u32),
    Cell(u32),
}

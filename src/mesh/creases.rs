//! Sharpness of boundary edges (creases) and vertices (corners), after
//! DeRose, Kass and Truong, "Subdivision surfaces in character animation" (1998).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::VertexId;
use crate::error::IdKind::Vertex;
use crate::error::{Error, Message, Result};

/// Point array of files: sharpness of each vertex, 0 where it is smooth.
pub const CORNER_SHARPNESS: &str = "corner_sharpness";

/// Maximum number of levels that an edge or vertex of finite sharpness may stay sharp in a mesh
/// whose limit is evaluated: each takes a local refinement.
const MAX_SHARP_LEVELS: usize = 10;

/// A boundary edge with a sharpness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crease {
    // the smaller first
    edge: [VertexId; 2],
    /// Levels of refinement the edge stays sharp: ≥ 0, `f64::INFINITY` at all levels.
    pub sharpness: f64,
}

impl Crease {
    /// The edge between two vertices in any order, with a sharpness.
    #[must_use]
    pub fn new([a, b]: [VertexId; 2], sharpness: f64) -> Self {
        Self { edge: [a.min(b), a.max(b)], sharpness }
    }

    /// End vertices, the smaller first.
    #[must_use]
    pub fn edge(&self) -> [VertexId; 2] {
        self.edge
    }

    /// Gives the end vertices other numbers.
    pub(crate) fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        *self = Self::new(self.edge.map(|v| VertexId(number(v.0))), self.sharpness);
    }

    /// The error of a crease that the mesh has no edge for.
    pub(crate) fn no_edge(&self) -> Error {
        Error::mesh(message!(self, ": the mesh has no such edge"))
            .with_help("name the two end vertices of an edge, counted from 0")
    }
}

/// A boundary vertex with a sharpness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// The vertex.
    pub vertex: VertexId,
    /// Levels of refinement the vertex stays in place: ≥ 0, `f64::INFINITY` at all levels.
    pub sharpness: f64,
}

/// How the sharpness of an edge passes to its two halves in one refinement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CreaseRule {
    /// Every half is 1 less sharp.
    #[default]
    Uniform,
    /// At a vertex of several semi-sharp edges, each half there is 3/4 of its own edge's
    /// sharpness plus 1/4 of the mean of the others', less 1 (after Chaikin), so that the
    /// sharpness varies smoothly along a crease.
    Chaikin,
}

/// All creases and corners of a mesh. Edges and vertices not listed are smooth. In a solid an edge
/// or vertex is listed once, or with one sharpness; see
/// [`Sharpness::resolve`](crate::topology::Sharpness::resolve).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Creases {
    /// Sharp edges.
    pub edges: Vec<Crease>,
    /// Sharp vertices.
    pub corners: Vec<Corner>,
}

impl Creases {
    /// Adds a crease at the edge between `a` and `b`.
    pub fn push_edge(&mut self, a: u32, b: u32, sharpness: f64) {
        self.edges.push(Crease::new([VertexId(a), VertexId(b)], sharpness));
    }

    /// Adds a corner at vertex `v`.
    pub fn push_corner(&mut self, v: u32, sharpness: f64) {
        self.corners.push(Corner { vertex: VertexId(v), sharpness });
    }

    /// These creases and corners, and the `others` at edges and vertices that are not among
    /// them.
    #[must_use]
    pub fn or(mut self, others: &Self) -> Self {
        let mut edges: Vec<_> = self.edges.iter().map(|crease| crease.edge).collect();
        let mut corners: Vec<_> = self.corners.iter().map(|corner| corner.vertex).collect();
        edges.sort_unstable();
        corners.sort_unstable();
        let new_edge = |edge| edges.binary_search(edge).is_err();
        let new_corner = |vertex| corners.binary_search(vertex).is_err();
        self.edges.extend(others.edges.iter().filter(|crease| new_edge(&crease.edge)));
        self.corners.extend(others.corners.iter().filter(|corner| new_corner(&corner.vertex)));
        self
    }

    /// Keeps the last of several at one edge or vertex, smooth or not.
    pub(crate) fn keep_last(&mut self) {
        let mut seen = HashSet::new();
        self.edges.reverse();
        self.edges.retain(|crease| seen.insert(crease.edge));
        self.edges.reverse();
        let mut seen = HashSet::new();
        self.corners.reverse();
        self.corners.retain(|corner| seen.insert(corner.vertex));
        self.corners.reverse();
    }

    /// Checks that corners are among `vertices` vertices.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the corner.
    pub(crate) fn check_corners(&self, vertices: usize) -> Result<()> {
        match self.corners.iter().find(|corner| corner.vertex.index() >= vertices) {
            None => Ok(()),
            Some(corner) => Err(Error::mesh(message!(corner, ": no such vertex"))
                .with_help(format!("name a vertex from 0 to {}", vertices.saturating_sub(1)))),
        }
    }

    /// Leaves out creases and corners that are listed as smooth.
    pub fn drop_smooth(&mut self) {
        self.edges.retain(|crease| crease.sharpness != 0.0);
        self.corners.retain(|corner| corner.sharpness != 0.0);
    }

    /// Whether no edge and no vertex is sharp.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.corners.is_empty()
    }

    /// Checks that limits can be evaluated after `levels` refinements.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a finite sharpness that is then above 10.
    pub fn check_evaluable(&self, levels: usize) -> Result<()> {
        let most = MAX_SHARP_LEVELS as f64 + levels as f64;
        let is_above = |s: f64| s > most && s < f64::INFINITY;
        let (s, at) = if let Some(c) = self.edges.iter().find(|c| is_above(c.sharpness)) {
            (c.sharpness, message!("the edge of ", Vertex.ids(c.edge.map(|v| v.0))))
        } else if let Some(c) = self.corners.iter().find(|c| is_above(c.sharpness)) {
            (c.sharpness, Vertex.id(c.vertex.0))
        } else {
            return Ok(());
        };
        Err(Error::mesh(message!("sharpness {s} of ", at, " is above {most}"))
            .with_help(format!("write inf for sharp at all levels, or a value up to {most}")))
    }

    /// Checks that every sharpness is in range.
    ///
    /// # Errors
    /// [`Error::Mesh`] naming the crease or corner.
    pub(crate) fn check(&self) -> Result<()> {
        self.edges.iter().try_for_each(|crease| check_sharpness(crease.sharpness, crease))?;
        self.corners.iter().try_for_each(|corner| check_sharpness(corner.sharpness, corner))
    }
}

/// Checks that a sharpness is 0 or more; the error names what it belongs to.
pub(crate) fn check_sharpness(sharpness: f64, what: impl Into<Message>) -> Result<()> {
    if sharpness >= 0.0 {
        return Ok(());
    }
    Err(Error::mesh(message!(what, ": sharpness {sharpness} is out of range"))
        .with_help("a sharpness is a number from 0 (smooth) to inf (sharp at all levels)"))
}

impl From<&Crease> for Message {
    fn from(crease: &Crease) -> Self {
        message!("crease of ", Vertex.ids(crease.edge.map(|v| v.0)))
    }
}

impl From<&Corner> for Message {
    fn from(corner: &Corner) -> Self {
        message!("corner of ", Vertex.id(corner.vertex.0))
    }
}

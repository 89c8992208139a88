//! Vertices that belong to no cell or face: files have them as reference nodes and centers of arcs.
//! They are kept, but no length, box or range of values depends on them.

use std::borrow::Cow;

use super::{Creases, Polygons, SolidMesh, SurfaceMesh};
use crate::error::IdKind::Vertex;
use crate::error::Message;
use crate::numbers::bounds::extended;
use crate::numbers::{by_count, counted};

/// Vertices that belong to no cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnusedVertices {
    /// Number of vertices that belong to no cell.
    pub count: usize,
    /// The first vertex that belongs to no cell.
    pub first: Option<u32>,
}

impl UnusedVertices {
    /// A message with the number of unused vertices, and the first; `None` if there are none.
    pub fn notice(&self) -> Option<Message> {
        let first = self.first?;
        let belong = by_count(self.count, "belongs", "belong");
        let vertices = counted(self.count, "vertex");
        Some(message!("{vertices} {belong} to no cell (the first: ", Vertex.id(first), ")"))
    }
}

impl SolidMesh {
    /// The vertices that belong to no cell. Ids beyond the points are left out.
    pub fn unused_vertices(&self) -> UnusedVertices {
        let used = self.used_vertices();
        let unused = || (0..).zip(&used).filter(|(_, used)| !**used).map(|(v, _)| v);
        UnusedVertices { count: unused().count(), first: unused().next() }
    }

    /// Whether each vertex belongs to a cell. Ids beyond the points are left out.
    pub(crate) fn used_vertices(&self) -> Vec<bool> {
        let cells = (0..self.cells.len()).flat_map(|c| self.cells.vertices(c));
        marked_vertices(self.points.len(), cells)
    }

    /// Takes vertices of no cell away, and what is of them: creases, corners, faces of groups.
    pub(crate) fn drop_unused_vertices(&mut self) {
        let used = self.used_vertices();
        if used.iter().all(|used| *used) {
            return;
        }
        let (left, numbers) = numbered(used.iter().copied());
        let number = |v: u32| numbers[v as usize];
        self.cells.renumber(number);
        self.points = left.iter().map(|&v| self.points[v as usize]).collect();
        self.attributes = self.attributes.iter().map(|a| a.of_vertices(&left)).collect();
        for group in &mut self.face_groups {
            let mut faces = Polygons::default();
            let known = |face: &&[u32]| face.iter().all(|&v| used[v as usize]);
            group.faces.iter().filter(known).for_each(|face| faces.push(face));
            faces.renumber(number);
            group.faces = faces;
        }
        let Creases { edges, corners } = &mut self.creases;
        edges.retain(|crease| crease.edge().into_iter().all(|v| used[v.index()]));
        edges.iter_mut().for_each(|crease| crease.renumber(number));
        corners.retain(|corner| used[corner.vertex.index()]);
        corners.iter_mut().for_each(|corner| corner.vertex.0 = number(corner.vertex.0));
    }

    /// Smallest and largest coordinates of the vertices of cells; `None` without any.
    pub fn bounds(&self) -> Option<([f64; 3], [f64; 3])> {
        bounds_of(&self.points, &self.used_vertices())
    }
}

impl SurfaceMesh {
    /// Whether each vertex belongs to a face. Ids beyond the points are left out.
    pub(crate) fn used_vertices(&self) -> Vec<bool> {
        marked_vertices(self.points.len(), self.faces.vertices())
    }

    /// The mesh without vertices of no face and without tags, and the vertices that are left, if
    /// some are of no face.
    pub(crate) fn compact(&self) -> Option<(Self, Vec<u32>)> {
        let used = self.used_vertices();
        if used.iter().all(|used| *used) {
            return None;
        }
        let (left, numbers) = numbered(used.into_iter());
        let points = left.iter().map(|&v| self.points[v as usize]).collect();
        let mut faces = self.faces.clone();
        faces.renumber(|v| numbers[v as usize]);
        let attributes = self.attributes.iter().map(|a| a.of_vertices(&left)).collect();
        Some((Self { attributes, ..Self::new(points, faces) }, left))
    }

    /// Smallest and largest coordinates of the vertices of faces; `None` without any.
    pub fn bounds(&self) -> Option<([f64; 3], [f64; 3])> {
        bounds_of(&self.points, &self.used_vertices())
    }
}

/// Whether each of `count` vertices is among `vertices`. Ids beyond them are left out.
pub(crate) fn marked_vertices<'a>(
    count: usize,
    vertices: impl IntoIterator<Item = &'a u32>,
) -> Vec<bool> {
    let mut marked = vec![false; count];
    for &v in vertices {
        if let Some(slot) = marked.get_mut(v as usize) {
            *slot = true;
        }
    }
    marked
}

/// The marked vertices, and the number of each vertex among them: `u32::MAX` for others.
pub(crate) fn numbered(marked: impl Iterator<Item = bool>) -> (Vec<u32>, Vec<u32>) {
    let mut left = Vec::new();
    let number = |(v, is_marked): (u32, bool)| {
        left.extend(is_marked.then_some(v));
        if is_marked { left.len() as u32 - 1 } else { u32::MAX }
    };
    let numbers = (0..).zip(marked).map(number).collect();
    (left, numbers)
}

/// The rows of `values: [vertex][width]` of the vertices that are used.
pub(crate) fn used_rows<'a>(values: &'a [f64], width: usize, used: &[bool]) -> Cow<'a, [f64]> {
    if used.iter().all(|used| *used) {
        return Cow::Borrowed(values);
    }
    let rows = values.chunks_exact(width).zip(used).filter(|(_, used)| **used);
    Cow::Owned(rows.flat_map(|(row, _)| row).copied().collect())
}

fn bounds_of(points: &[[f64; 3]], used: &[bool]) -> Option<([f64; 3], [f64; 3])> {
    let mut points = points.iter().zip(used).filter(|(_, used)| **used).map(|(point, _)| *point);
    let first = points.next()?;
    let [low, high] = points.fold([first; 2], extended);
    Some((low, high))
}

//! Joining vertices that lie at one position, or near one another.
//!
//! The first vertex of each position stays, where it is and with its values. Chains count: vertices
//! at one place may be farther apart than the distance.

use std::collections::{HashMap, HashSet};

use super::joined::JoinedVertices;
use super::{Cells, Corner, Crease, Creases, NORMALS, Polygons, SolidMesh, SurfaceMesh, VertexId};
use crate::error::IdKind::{Cell, Face, Vertex};
use crate::error::{Error, Message, Result};
use crate::interrupt::stop_point;

/// What joining vertices did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeldResult {
    /// Vertices that are gone.
    pub removed: usize,
    /// Attributes that differed between joined vertices; the values of the first were taken.
    pub differing: Vec<String>,
    /// Faces of a surface that are gone, since fewer than three of their corners are left.
    pub collapsed: usize,
    /// Creases and corners of a solid that are gone, since they would be inside it.
    pub inside: usize,
    /// Creases and corners of a surface that are gone with their faces.
    pub faceless: usize,
    /// Creases and corners that lay in one place with others of another sharpness; the sharpest of
    /// each place stays.
    pub less_sharp: usize,
}

impl WeldResult {
    /// What was lost, a line each.
    pub fn notices(&self) -> Vec<String> {
        let (normals, others): (Vec<_>, Vec<_>) =
            self.differing.iter().map(String::as_str).partition(|name| *name == NORMALS);
        let mut notices = Vec::new();
        if !others.is_empty() {
            let names = others.join(", ");
            notices.push(format!(
                "joined vertices differ in {names}: the values of the first were taken"
            ));
        }
        if !normals.is_empty() {
            notices.push("joined vertices differ in their normals, which were left out".into());
        }
        if self.collapsed > 0 {
            notices.push(format!(
                "left out faces with fewer than three corners after joining: {}",
                self.collapsed
            ));
        }
        if self.faceless > 0 {
            notices.push(format!("left out creases and corners of these faces: {}", self.faceless));
        }
        if self.less_sharp > 0 {
            notices.push(format!(
                "left out creases and corners where a sharper one was joined to them: {}",
                self.less_sharp
            ));
        }
        if self.inside > 0 {
            notices.push(format!(
                "left out creases and corners that are inside the solid after joining: {}",
                self.inside
            ));
        }
        notices
    }
}

impl SolidMesh {
    /// Joins vertices of cells that lie within `distance` of one another, a length of at least 0;
    /// with 0 of equal coordinates. Creases, corners and groups go along; of several creases
    /// of one edge the sharpest stays, and those that come to lie inside the solid go.
    ///
    /// # Errors
    /// [`Error::Request`] for a distance below 0, one that is not finite, or one below the rounding
    /// of the coordinates; [`Error::Mesh`] if a cell has two corners that would be joined.
    pub fn weld(&mut self, distance: f64) -> Result<WeldResult> {
        let joined = JoinedVertices::new(&self.points, &self.used_vertices(), distance)?;
        self.check_corners(&joined)?;
        let mut welded = WeldResult { removed: joined.removed(), ..WeldResult::default() };
        if welded.removed == 0 {
            return Ok(welded);
        }
        let number = |v| joined.number(v);
        let mut cells = Cells::default();
        for c in 0..self.cells.len() {
            stop_point();
            cells.push_from(&self.cells, c, number);
        }
        self.cells = cells;
        self.points = joined.kept.iter().map(|&v| self.points[v as usize]).collect();
        welded.differing = joined.take(&mut self.attributes);
        for group in &mut self.face_groups {
            group.faces.renumber(number);
            group.drop_repeated_faces(); // both sides of a former gap
        }
        welded.less_sharp = self.creases.renumber(number);
        welded.inside = self.drop_inner_creases();
        Ok(welded)
    }

    /// Takes creases and corners away that are on faces, none of which one cell alone has; returns
    /// how many.
    fn drop_inner_creases(&mut self) -> usize {
        let Creases { edges, corners } = &self.creases;
        let before = edges.len() + corners.len();
        let mut marked = vec![false; self.points.len()];
        let ends = edges.iter().flat_map(|crease| crease.edge());
        for v in ends.chain(corners.iter().map(|corner| corner.vertex)) {
            marked.get_mut(v.index()).into_iter().for_each(|marked| *marked = true);
        }
        let on_boundary = self.parts_on_boundary(&marked);
        // one that is not an edge of the mesh is reported later
        let stays = |part: [u32; 2]| on_boundary.get(&part) != Some(&false);
        self.creases.edges.retain(|crease| stays(crease.edge().map(|v| v.0)));
        self.creases.corners.retain(|corner| stays([corner.vertex.0; 2]));
        before - self.creases.edges.len() - self.creases.corners.len()
    }

    /// Whether edges, and vertices twice, of faces at marked vertices are on the boundary.
    pub(super) fn parts_on_boundary(&self, marked: &[bool]) -> HashMap<[u32; 2], bool> {
        // the vertices of a face, sorted: as they run, and of how many cells
        let mut faces = HashMap::<Vec<u32>, (Vec<u32>, u32)>::new();
        for c in 0..self.cells.len() {
            self.cells.for_each_face(c, |face| {
                if face.iter().any(|&v| marked.get(v as usize) == Some(&true)) {
                    let mut key = face.to_vec();
                    key.sort_unstable();
                    faces.entry(key).or_insert_with(|| (face.to_vec(), 0)).1 += 1;
                }
            });
        }
        let mut on_boundary = HashMap::<[u32; 2], bool>::new();
        for (face, cells) in faces.values() {
            let next = face.iter().cycle().skip(1);
            let sides = face.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)]);
            for part in sides.chain(face.iter().map(|&v| [v, v])) {
                *on_boundary.entry(part).or_default() |= *cells == 1;
            }
        }
        on_boundary
    }

    /// Refuses to join two corners of a cell.
    fn check_corners(&self, joined: &JoinedVertices) -> Result<()> {
        for c in 0..self.cells.len() {
            let corners = self.cells.vertices(c);
            let is_same = |a: u32, b: u32| a != b && joined.first(a) == joined.first(b);
            for (i, &v) in corners.iter().enumerate() {
                if let Some(&other) = corners[..i].iter().find(|&&other| is_same(other, v)) {
                    return Err(two_in_one_place(Cell.id(c), [other, v]));
                }
            }
        }
        Ok(())
    }
}

impl SurfaceMesh {
    /// Joins vertices of faces that lie within `distance` of one another, a length of at least 0;
    /// with 0 of equal coordinates. Neighboring corners of a face that are joined become one;
    /// faces with fewer than three corners left go. Creases, corners, holes and texture coordinates
    /// go along, normals that differ at joined vertices go. The mesh has been checked.
    ///
    /// # Errors
    /// [`Error::Request`] as [`SolidMesh::weld`]; [`Error::Mesh`] if two corners of a face that are
    /// no neighbors would be joined, or no face would be left.
    pub fn weld(&mut self, distance: f64) -> Result<WeldResult> {
        self.join(&JoinedVertices::new(&self.points, &self.used_vertices(), distance)?)
    }

    /// Joins vertices; on errors the mesh is as it was.
    pub(super) fn join(&mut self, joined: &JoinedVertices) -> Result<WeldResult> {
        let mut welded = WeldResult { removed: joined.removed(), ..WeldResult::default() };
        if welded.removed == 0 {
            return Ok(welded);
        }
        let mut faces = Polygons::default();
        let mut values = Vec::new();
        // of each face its number afterwards
        let mut numbers = vec![None; self.faces.len()];
        let mut corners: Vec<usize> = Vec::new();
        for (f, face) in self.faces.iter().enumerate() {
            let first = |i: usize| joined.first(face[i]);
            corners.clear();
            corners.extend((0..face.len()).filter(|&i| first(i) != first((i + 1) % face.len())));
            if corners.len() < 3 {
                welded.collapsed += 1;
                continue;
            }
            for (k, &i) in corners.iter().enumerate() {
                if let Some(&j) = corners[..k].iter().find(|&&j| first(j) == first(i)) {
                    return Err(two_in_one_place(Face.id(f), [face[j], face[i]]));
                }
            }
            numbers[f] = Some(faces.len() as u32);
            faces.push(&corners.iter().map(|&i| joined.number(face[i])).collect::<Vec<_>>());
            if let Some(uv) = &self.uv {
                let start = self.faces.corners(f).start;
                values.extend(corners.iter().map(|&i| uv.corners[start + i]));
            }
        }
        if faces.is_empty() {
            return Err(Error::mesh("no face has three corners left where vertices are joined")
                .with_help("give a smaller distance"));
        }
        self.faces = faces;
        self.holes = self.holes.iter().filter_map(|&hole| numbers[hole as usize]).collect();
        if let Some(uv) = &mut self.uv {
            uv.corners = values;
        }
        self.points = joined.kept.iter().map(|&v| self.points[v as usize]).collect();
        welded.differing = joined.take(&mut self.attributes);
        self.attributes.retain(|a| !a.is_normals() || !welded.differing.contains(&a.name));
        self.creases.keep_last();
        welded.less_sharp = self.creases.renumber(|v| joined.number(v));
        if welded.collapsed > 0 {
            welded.faceless = self.drop_faceless_creases();
        }
        Ok(welded)
    }

    /// Takes creases and corners away that no face has; returns how many.
    fn drop_faceless_creases(&mut self) -> usize {
        let before = self.creases.edges.len() + self.creases.corners.len();
        let mut edges = HashSet::new();
        let mut used = vec![false; self.points.len()];
        for face in self.faces.iter() {
            for (&a, &b) in face.iter().zip(face.iter().cycle().skip(1)) {
                edges.insert([a.min(b), a.max(b)]);
                used[a as usize] = true;
            }
        }
        self.creases.edges.retain(|crease| edges.contains(&crease.edge().map(|v| v.0)));
        self.creases.corners.retain(|corner| used.get(corner.vertex.index()) == Some(&true));
        before - self.creases.edges.len() - self.creases.corners.len()
    }
}

fn two_in_one_place(of: Message, corners: [u32; 2]) -> Error {
    Error::mesh(message!(of, " has two corners in one place, ", Vertex.ids(corners)))
        .with_help("move one of them, take it out, or join vertices within a smaller distance")
}

impl Creases {
    /// Gives every vertex another number. Creases whose ends become one go; of several at one place
    /// the sharpest stays. Returns how many go that are less sharp than it.
    fn renumber(&mut self, number: impl Fn(u32) -> u32) -> usize {
        let mut less_sharp = 0;
        let mut sharper = |known: &mut f64, other: f64| {
            less_sharp += usize::from(*known != other);
            *known = known.max(other);
        };
        let (mut edges, mut places) = (Vec::<Crease>::new(), HashMap::new());
        for crease in &self.edges {
            let [a, b] = crease.edge().map(|v| number(v.0));
            if a == b {
                continue;
            }
            let crease = Crease::new([VertexId(a), VertexId(b)], crease.sharpness);
            let at = *places.entry(crease.edge()).or_insert(edges.len());
            match edges.get_mut(at) {
                Some(known) => sharper(&mut known.sharpness, crease.sharpness),
                None => edges.push(crease),
            }
        }
        let (mut corners, mut places) = (Vec::<Corner>::new(), HashMap::new());
        for corner in &self.corners {
            let vertex = VertexId(number(corner.vertex.0));
            let at = *places.entry(vertex).or_insert(corners.len());
            match corners.get_mut(at) {
                Some(known) => sharper(&mut known.sharpness, corner.sharpness),
                None => corners.push(Corner { vertex, ..*corner }),
            }
        }
        (self.edges, self.corners) = (edges, corners);
        less_sharp
    }
}

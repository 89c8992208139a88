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
        // whether edges, and vertices twice, are on the boundary
        let mut on_boundary = HashMap::<[u32; 2], bool>::new();
        for (face, cells) in faces.values() {
            let next = face.iter().cycle().skip(1);
            let sides = face.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)]);
            for part in sides.chain(face.iter().map(|&v| [v, v])) {
                *on_boundary.entry(part).or_default() |= *cells == 1;
            }
        }
        // one that is not an edge of the mesh is reported later
        let stays = |part: [u32; 2]| on_boundary.get(&part) != Some(&false);
        self.creases.edges.retain(|crease| stays(crease.edge().map(|v| v.0)));
        self.creases.corners.retain(|corner| stays([corner.vertex.0; 2]));
        before - self.creases.edges.len() - self.creases.corners.len()
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
        let mut used = vec![false; self.points.len()];
        self.faces.vertices().iter().for_each(|&v| used[v as usize] = true);
        self.join(&JoinedVertices::new(&self.points, &used, distance)?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shape::Shape;
    use crate::mesh::{Attribute, FaceGroup, FaceVarying, LinearInterpolation};

    /// A box of n³ cells that own their corners.
    fn loose_box(n: usize) -> SolidMesh {
        let whole = Shape::parse("box", &[n, n, n]).unwrap().build().unwrap();
        let corners = whole.cells.hexahedra().unwrap().as_flattened();
        let points = corners.iter().map(|&v| whole.points[v as usize]).collect();
        let ids: Vec<u32> = (0..corners.len() as u32).collect();
        SolidMesh::from_hexahedra(points, ids.as_chunks().0)
    }

    /// NaN is as good as itself, and what no vertex is joined to differs from nothing.
    #[test]
    fn values_that_are_not_numbers_do_not_differ() {
        let mut mesh = loose_box(2);
        mesh.points.push([9.0; 3]);
        let value = |p: &[f64; 3]| if p[0] == 1.0 || p[0] == 9.0 { f64::NAN } else { p[0] };
        let values = mesh.points.iter().map(value).collect();
        mesh.attributes.push(Attribute { name: "t".into(), width: 1, values });
        let welded = mesh.weld(0.0).unwrap();
        assert!(welded.removed > 0 && welded.differing.is_empty(), "{welded:?}");
    }

    /// The first triangle keeps two corners: its crease to the third one goes with it.
    #[test]
    fn creases_of_faces_that_go_go_too() {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0; 3], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let mut faces = Polygons::default();
        for face in [&[0, 1, 2][..], &[2, 1, 3], &[2, 3, 4]] {
            faces.push(face);
        }
        let mut mesh = SurfaceMesh { points, faces, ..SurfaceMesh::default() };
        mesh.creases.push_edge(2, 3, 2.0);
        mesh.creases.push_edge(0, 4, 3.0);
        mesh.creases.push_edge(3, 4, 1.0);
        mesh.creases.push_edge(1, 4, 1.0);
        let welded = mesh.weld(0.0).unwrap();
        assert_eq!((welded.collapsed, welded.faceless), (1, 1));
        assert_eq!(welded.notices().len(), 2);
        assert_eq!(mesh.creases.edges.len(), 3);
    }

    /// Creases of two boxes are dropped on the face between them, except on its own sides.
    #[test]
    fn creases_between_joined_parts_go() {
        let part = Shape::Box { cells: [1, 2, 1] }.build().unwrap();
        let count = part.points.len() as u32;
        let moved = part.points.iter().map(|&[x, y, z]| [x + 1.0, y, z]);
        let points = part.points.iter().copied().chain(moved).collect();
        let hexahedra = part.cells.hexahedra().unwrap();
        let others = hexahedra.iter().map(|hex| hex.map(|v| v + count));
        let all: Vec<[u32; 8]> = hexahedra.iter().copied().chain(others).collect();
        let mut parts = SolidMesh::from_hexahedra(points, &all);
        let at = |x: f64, y: f64, z: f64| {
            let place = parts.points.iter().position(|p| *p == [x, y, z]);
            VertexId(place.unwrap() as u32)
        };
        // across the middle of the face, and along a side of it
        let inner = [at(1.0, 1.0, 0.0), at(1.0, 1.0, 1.0)];
        let side = [at(1.0, 0.0, 0.0), at(1.0, 0.0, 1.0)];
        parts.creases.edges = [inner, side].map(|edge| Crease::new(edge, 2.0)).into();
        parts.creases.corners = vec![Corner { vertex: inner[0], sharpness: 1.0 }];
        let welded = parts.weld(0.0).unwrap();
        assert_eq!((welded.removed, welded.inside, welded.less_sharp), (6, 1, 0));
        assert_eq!(welded.notices().len(), 1);
        assert_eq!((parts.creases.edges.len(), parts.creases.corners.len()), (1, 1));
        assert!(crate::limit::Solid::new(&parts).is_ok());
    }

    /// The sharpest of several creases of one edge stays, and the others are counted.
    #[test]
    fn less_sharp_creases_go() {
        let quads = Polygons::uniform(4, vec![0, 1, 2, 3, 4, 5, 6, 7]);
        let left = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let right = left.map(|[x, y, z]| [x + 1.0, y, z]);
        let mut mesh = SurfaceMesh::new([left, right].concat(), quads);
        // both sides of the gap between the quads
        mesh.creases.push_edge(1, 2, 1.5);
        mesh.creases.push_edge(4, 7, 2.5);
        mesh.creases.push_corner(1, 3.0);
        mesh.creases.push_corner(4, 3.0);
        let welded = mesh.weld(0.0).unwrap();
        assert_eq!((welded.removed, welded.less_sharp), (2, 1));
        assert_eq!((mesh.creases.edges.len(), mesh.creases.edges[0].sharpness), (1, 2.5));
        assert_eq!((mesh.creases.corners.len(), mesh.creases.corners[0].sharpness), (1, 3.0));
        assert!(welded.notices()[0].contains("a sharper one was joined to them: 1"));
    }

    #[test]
    fn cells_that_own_their_corners_are_joined() {
        let mut parts = loose_box(3);
        let corner =
            |mesh: &SolidMesh, c: usize, i: usize| mesh.points[mesh.cells.vertices(c)[i] as usize];
        let before: Vec<_> = (0..216).map(|k| corner(&parts, k / 8, k % 8)).collect();
        parts.attributes = vec![Attribute {
            name: "t".into(),
            width: 1,
            values: (0..216).map(f64::from).collect(),
        }];
        parts.creases.push_edge(0, 1, 1.0);
        // the face between the first two cells, as each of them has it
        let gap = vec![1, 2, 6, 5, 8, 11, 15, 12];
        parts.face_groups = vec![
            FaceGroup::new("low", Polygons::uniform(4, vec![0, 1, 2, 3])),
            FaceGroup::new("gap", Polygons::uniform(4, gap)),
        ];
        let welded = parts.weld(0.0).unwrap();
        assert_eq!((welded.removed, welded.differing), (152, vec!["t".into()]));
        assert_eq!((parts.points.len(), parts.part_count()), (64, 1));
        assert_eq!(parts.face_groups.iter().map(|g| g.faces.len()).collect::<Vec<_>>(), [1, 1]);
        let after: Vec<_> = (0..216).map(|k| corner(&parts, k / 8, k % 8)).collect();
        assert_eq!(before, after);
        assert_eq!(parts.weld(0.0).unwrap(), WeldResult::default());
    }

    #[test]
    fn corners_of_one_cell_are_not_joined() {
        let mut parts = loose_box(1);
        let message = parts.weld(2.0).unwrap_err().to_string();
        assert!(message.contains("cell 0") && message.contains("vertices 0 and 1"), "{message}");
        for distance in [-1.0, f64::NAN, f64::INFINITY, 1e-17] {
            assert!(parts.weld(distance).unwrap_err().to_string().contains("distance"));
        }
    }

    /// Faces lose corners or go; what belongs to them goes along.
    #[test]
    fn faces_of_a_surface_are_joined() {
        let places = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let far = [[1.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0]];
        let thin = [[2.0, 0.0], [2.0 + 1e-6, 0.0], [2.0, 1.0]];
        let short = [[0.0, 0.0], [1e-6, 0.0], [1.0, -1.0], [0.0, -1.0]];
        let all = places.iter().chain(&far).chain(&thin).chain(&short);
        let points: Vec<[f64; 3]> = all.map(|&[x, y]| [x, y, 0.0]).collect();
        let mut faces = Polygons::default();
        for face in [&[0, 1, 2, 3][..], &[4, 5, 6, 7], &[8, 9, 10], &[11, 12, 13, 14]] {
            faces.push(face);
        }
        let mut mesh = SurfaceMesh::new(points, faces);
        mesh.holes = vec![1, 2, 3];
        mesh.creases.push_edge(8, 9, 2.0);
        mesh.creases.push_edge(4, 5, 1.0);
        mesh.creases.push_edge(1, 2, 3.0);
        let values = (0..15).flat_map(|v| [f64::from(v), 0.0, 1.0]).collect();
        mesh.attributes = vec![
            Attribute { name: NORMALS.into(), width: 3, values },
            Attribute { name: "even".into(), width: 1, values: vec![4.0; 15] },
        ];
        mesh.uv = Some(FaceVarying {
            values: vec![[0.0; 2]; 15],
            corners: (0..15).collect(),
            linear: LinearInterpolation::All,
        });
        let welded = mesh.weld(1e-5).unwrap();
        assert_eq!((welded.removed, welded.collapsed), (7, 1));
        assert_eq!(welded.differing, [NORMALS]);
        let faces: Vec<&[u32]> = mesh.faces.iter().collect();
        assert_eq!(faces, [&[0, 1, 2, 3][..], &[2, 1, 4, 5], &[0, 6, 7]]);
        assert_eq!(mesh.holes, [1, 2]);
        let creases: Vec<_> = mesh.creases.edges.iter().map(|c| (c.edge(), c.sharpness)).collect();
        assert_eq!(creases, [([VertexId(1), VertexId(2)], 3.0)]);
        assert_eq!(mesh.attributes.len(), 1);
        assert_eq!(mesh.uv.as_ref().unwrap().corners, [0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14]);
        mesh.check().unwrap();
        assert_eq!((mesh.part_count(), mesh.coincident_ends()), (1, 0));
        // a quad whose opposite corners meet
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0; 3], [0.0, 1.0, 0.0]];
        let mut folded = SurfaceMesh::new(points, Polygons::uniform(4, vec![0, 1, 2, 3]));
        let message = folded.weld(0.0).unwrap_err().to_string();
        assert!(message.contains("face 0") && message.contains("vertices 0 and 2"), "{message}");
    }
}

//! Vertices that lie in one place, and joining them.
//!
//! Cells that own their corners look like one solid and are many: each has a limit of its own.

use std::cmp::Ordering;
use std::collections::HashMap;

use rayon::prelude::*;

use super::{Cells, Corner, Crease, SolidMesh, SurfaceMesh, VertexId};
use crate::error::{Error, Result};

/// Vertices of cells that lie exactly in the place of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoincidentVertices {
    /// How many vertices lie where another one does.
    pub count: usize,
    /// How many are left out when those of one place are joined.
    pub extra: usize,
    /// The first vertex of these, and the next in its place.
    pub first: Option<[u32; 2]>,
}

/// What [`SolidMesh::weld`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Welded {
    /// Vertices that are gone.
    pub removed: usize,
    /// Attributes that differed between joined vertices; the values of the first were taken.
    pub differing: Vec<String>,
}

impl CoincidentVertices {
    /// Of these vertices, with their coordinates.
    pub(crate) fn of(vertices: Vec<(u32, [f64; 3])>) -> Self {
        let mut found = Self::default();
        let keys = (0..).zip(&vertices).map(|(i, (_, p))| (Self::hash(*p), i)).collect();
        let (id, bits) = (|i: u32| vertices[i as usize].0, |i: u32| bits(vertices[i as usize].1));
        for_each_place(keys, id, bits, |ids| found.add(ids));
        found
    }

    /// A hash of coordinates that is one for all vertices of a place.
    pub(crate) fn hash(point: [f64; 3]) -> u64 {
        mixed(bits(point))
    }

    /// Those of both, which have no place in common.
    #[must_use]
    pub(crate) fn joined(self, other: Self) -> Self {
        let first = match (self.first, other.first) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { count: self.count + other.count, extra: self.extra + other.extra, first }
    }

    /// Adds a place.
    fn add(&mut self, ids: &[u32]) {
        self.count += ids.len();
        self.extra += ids.len() - 1;
        if self.first.is_none_or(|[first, _]| ids[0] < first) {
            self.first = Some([ids[0], ids[1]]);
        }
    }
}

impl SurfaceMesh {
    /// Vertices where the surface ends that have equal coordinates; 0 and −0 are equal. Faces that own
    /// their corners look like one surface and are many. The mesh has been checked.
    pub fn coincident_ends(&self) -> CoincidentVertices {
        let of = |is_meant: &dyn Fn(u32) -> bool| {
            let meant = (0..).zip(&self.points).filter(|&(v, _)| is_meant(v));
            CoincidentVertices::of(meant.map(|(v, &point)| (v, point)).collect())
        };
        // few meshes have any, wherever they are
        if of(&|_| true).count == 0 {
            return CoincidentVertices::default();
        }
        let sides = self.faces.iter().flat_map(|face| {
            (0..face.len()).map(|i| {
                let (a, b) = (face[i], face[(i + 1) % face.len()]);
                [a.min(b), a.max(b)]
            })
        });
        let mut sides: Vec<[u32; 2]> = sides.collect();
        sides.par_sort_unstable();
        let mut ends = vec![false; self.points.len()];
        for edge in sides.chunk_by(|a, b| a == b).filter(|edge| edge.len() == 1) {
            edge[0].iter().for_each(|&v| ends[v as usize] = true);
        }
        of(&|v| ends[v as usize])
    }
}

impl SolidMesh {
    /// Vertices of cells that have equal coordinates; 0 and −0 are equal. Vertices of no cell do
    /// not count.
    pub fn coincident_vertices(&self) -> CoincidentVertices {
        let mut found = CoincidentVertices::default();
        self.for_each_place(|ids| found.add(ids));
        found
    }

    /// Number of parts that share no vertex with one another.
    pub fn part_count(&self) -> usize {
        let mut parents: Vec<u32> = (0..self.points.len() as u32).collect();
        fn root(parents: &mut [u32], mut v: u32) -> u32 {
            while parents[v as usize] != v {
                let above = parents[parents[v as usize] as usize];
                parents[v as usize] = above;
                v = above;
            }
            v
        }
        let (used, mut parts) = (self.used_vertices(), 0);
        parts += used.iter().filter(|&&used| used).count();
        for c in 0..self.cells.len() {
            let mut known = self.cells.vertices(c).iter().filter(|&&v| (v as usize) < used.len());
            let Some(&first) = known.next() else { continue };
            for &v in known {
                let (a, b) = (root(&mut parents, first), root(&mut parents, v));
                if a != b {
                    parents[a.max(b) as usize] = a.min(b);
                    parts -= 1;
                }
            }
        }
        parts
    }

    /// Joins vertices of cells that have equal coordinates into the first of each place, which keeps
    /// its attributes. Creases, corners and groups go along; of several creases of one edge the
    /// sharpest stays.
    ///
    /// # Errors
    /// [`Error::Mesh`] if a cell has two corners in one place.
    pub fn weld(&mut self) -> Result<Welded> {
        let mut joined: Vec<u32> = (0..self.points.len() as u32).collect();
        self.for_each_place(|ids| ids.iter().for_each(|&v| joined[v as usize] = ids[0]));
        self.check_corners(&joined)?;
        let is_kept = |v: usize| joined[v] == v as u32;
        let kept: Vec<u32> =
            (0..self.points.len()).filter(|&v| is_kept(v)).map(|v| v as u32).collect();
        let removed = self.points.len() - kept.len();
        if removed == 0 {
            return Ok(Welded::default());
        }
        let mut welded = Welded { removed, ..Welded::default() };
        for attribute in &mut self.attributes {
            let row = |v: usize| &attribute.values[v * attribute.width..][..attribute.width];
            if (0..joined.len()).any(|v| row(v) != row(joined[v] as usize)) {
                welded.differing.push(attribute.name.clone());
            }
            *attribute = attribute.of_vertices(&kept);
        }
        let mut numbers = vec![0; joined.len()];
        for (number, &v) in (0..).zip(&kept) {
            numbers[v as usize] = number;
        }
        let number = |v: u32| joined.get(v as usize).map_or(v, |&first| numbers[first as usize]);
        let mut cells = Cells::default();
        (0..self.cells.len()).for_each(|c| cells.push_from(&self.cells, c, number));
        self.cells = cells;
        self.points = kept.iter().map(|&v| self.points[v as usize]).collect();
        self.face_groups.iter_mut().for_each(|group| group.faces.renumber(number));
        self.renumber_creases(number);
        Ok(welded)
    }

    fn renumber_creases(&mut self, number: impl Fn(u32) -> u32) {
        let (mut edges, mut places) = (Vec::<Crease>::new(), HashMap::new());
        for crease in &self.creases.edges {
            let [a, b] = crease.edge.map(|v| number(v.0));
            let edge = [VertexId(a.min(b)), VertexId(a.max(b))];
            let at = *places.entry(edge).or_insert(edges.len());
            match edges.get_mut(at) {
                Some(known) => known.sharpness = known.sharpness.max(crease.sharpness),
                None => edges.push(Crease { edge, ..*crease }),
            }
        }
        let (mut corners, mut places) = (Vec::<Corner>::new(), HashMap::new());
        for corner in &self.creases.corners {
            let vertex = VertexId(number(corner.vertex.0));
            let at = *places.entry(vertex).or_insert(corners.len());
            match corners.get_mut(at) {
                Some(known) => known.sharpness = known.sharpness.max(corner.sharpness),
                None => corners.push(Corner { vertex, ..*corner }),
            }
        }
        (self.creases.edges, self.creases.corners) = (edges, corners);
    }

    /// Refuses to join two corners of a cell.
    fn check_corners(&self, joined: &[u32]) -> Result<()> {
        for c in 0..self.cells.len() {
            let corners = self.cells.vertices(c);
            let first = |v: u32| joined.get(v as usize).copied().unwrap_or(v);
            for (i, &v) in corners.iter().enumerate() {
                if let Some(&other) = corners[..i].iter().find(|&&o| o != v && first(o) == first(v))
                {
                    return Err(Error::mesh(format!(
                        "cell {c} has two corners in one place, vertices {other} and {v}"
                    ))
                    .with_help(
                        "move one of them, or take the cell out, before vertices are joined",
                    ));
                }
            }
        }
        Ok(())
    }

    fn used_vertices(&self) -> Vec<bool> {
        let mut used = vec![false; self.points.len()];
        for c in 0..self.cells.len() {
            for &v in self.cells.vertices(c) {
                used.get_mut(v as usize).into_iter().for_each(|used| *used = true);
            }
        }
        used
    }

    /// Shows the vertices of every place that has several, ascending.
    fn for_each_place(&self, show: impl FnMut(&[u32])) {
        let used = self.used_vertices();
        let known = used.par_iter().enumerate().filter(|(_, used)| **used);
        let bits = |v: u32| bits(self.points[v as usize]);
        let keys = known.map(|(v, _)| (mixed(bits(v as u32)), v as u32)).collect();
        for_each_place(keys, |v| v, bits, show);
    }
}

/// Coordinates of a place: 0 and −0 are one.
fn bits(point: [f64; 3]) -> [u64; 3] {
    point.map(|x| (x + 0.0).to_bits())
}

/// Shows the ids of the items of every place that has several, ascending. The items have keys: hashes
/// of their coordinates.
fn for_each_place(
    mut keys: Vec<(u64, u32)>,
    id: impl Fn(u32) -> u32 + Sync,
    bits: impl Fn(u32) -> [u64; 3] + Sync,
    mut show: impl FnMut(&[u32]),
) {
    let compared = |a: &(u64, u32), b: &(u64, u32)| match a.0.cmp(&b.0) {
        Ordering::Equal => bits(a.1).cmp(&bits(b.1)).then(id(a.1).cmp(&id(b.1))),
        order => order,
    };
    keys.par_sort_unstable_by(compared);
    let same = |a: &(u64, u32), b: &(u64, u32)| a.0 == b.0 && bits(a.1) == bits(b.1);
    for place in keys.chunk_by(same).filter(|place| place.len() > 1) {
        show(&place.iter().map(|key| id(key.1)).collect::<Vec<_>>());
    }
}

/// A hash of coordinates.
fn mixed(bits: [u64; 3]) -> u64 {
    bits.into_iter().fold(0, |hash: u64, x| {
        let product = (hash.rotate_left(5) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ product >> 32
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shape::Shape;
    use crate::mesh::{Attribute, FaceGroup, Polygons};

    /// A box, and the same with corners that each cell owns.
    fn boxes(n: usize) -> (SolidMesh, SolidMesh) {
        let whole = Shape::parse("box", &[n, n, n]).unwrap().build().unwrap();
        let corners: Vec<u32> =
            whole.cells.hexahedra().unwrap().iter().flatten().copied().collect();
        let points = corners.iter().map(|&v| whole.points[v as usize]).collect();
        let cells: Vec<[u32; 8]> =
            (0..n.pow(3) as u32).map(|c| std::array::from_fn(|i| 8 * c + i as u32)).collect();
        (whole, SolidMesh::from_hexahedra(points, &cells))
    }

    #[test]
    fn cells_that_own_their_corners_are_counted_and_joined() {
        let (whole, mut parts) = boxes(3);
        assert_eq!(whole.coincident_vertices(), CoincidentVertices::default());
        assert_eq!((whole.part_count(), parts.part_count()), (1, 27));
        // all but the 8 corners of the box
        let found = parts.coincident_vertices();
        assert_eq!((found.count, found.extra), (208, 152));
        let [a, b] = found.first.unwrap().map(|v| parts.points[v as usize]);
        assert_eq!(a, b);
        let bits: Vec<f64> = (0..216).map(f64::from).collect();
        parts.attributes = vec![Attribute { name: "t".into(), width: 1, values: bits }];
        parts.creases.push_edge(0, 1, 1.0);
        parts.face_groups = vec![FaceGroup::new("low", Polygons::uniform(4, vec![0, 1, 2, 3]))];
        let welded = parts.weld().unwrap();
        assert_eq!(welded, Welded { removed: 152, differing: vec!["t".into()] });
        assert_eq!(parts.coincident_vertices(), CoincidentVertices::default());
        assert_eq!((parts.points.len(), parts.part_count()), (64, 1));
        for (a, b) in whole.cells.hexahedra().unwrap().iter().zip(parts.cells.hexahedra().unwrap())
        {
            for (&a, &b) in a.iter().zip(b) {
                assert_eq!(whole.points[a as usize], parts.points[b as usize]);
            }
        }
        assert_eq!(parts.weld().unwrap(), Welded::default());
    }

    #[test]
    fn zeros_of_both_signs_are_one_place_and_near_places_are_two() {
        let (_, mut parts) = boxes(2);
        let count = parts.coincident_vertices().count;
        parts.points.iter_mut().flatten().step_by(2).filter(|x| **x == 0.0).for_each(|x| *x = -0.0);
        assert_eq!(parts.coincident_vertices().count, count);
        let place = parts.coincident_vertices().first.unwrap()[0] as usize;
        parts.points[place][0] += 1e-12;
        assert!(parts.coincident_vertices().count < count);
    }

    #[test]
    fn corners_of_one_cell_are_not_joined() {
        let (_, mut parts) = boxes(1);
        parts.points[1] = parts.points[0];
        let message = parts.weld().unwrap_err().to_string();
        assert!(message.contains("cell 0") && message.contains("vertices 0 and 1"), "{message}");
    }
}

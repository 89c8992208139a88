//! Vertices at one position.
//!
//! Cells that do not share vertices look like one solid but are separate solids: each has a limit
//! of its own, until [`SolidMesh::weld`] joins them.

use rayon::prelude::*;

use super::{SolidMesh, SurfaceMesh, components};

/// Vertices of cells that lie exactly at the position of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoincidentVertices {
    /// Number of vertices that lie where another one does.
    pub count: usize,
    /// The first vertex of these, and the next at its position.
    pub first: Option<[u32; 2]>,
}

impl CoincidentVertices {
    /// Those among the vertices that are meant; 0 and −0 are equal.
    fn among(points: &[[f64; 3]], meant: &[bool]) -> Self {
        let bits = |v: u32| points[v as usize].map(|x| (x + 0.0).to_bits());
        let vertices = meant.par_iter().enumerate().filter(|(_, meant)| **meant);
        // a hash is compared sooner than coordinates
        let mut keys: Vec<(u64, u32)> =
            vertices.map(|(v, _)| (mixed(bits(v as u32)), v as u32)).collect();
        keys.par_sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| (bits(a.1), a.1).cmp(&(bits(b.1), b.1)))
        });
        let same = |a: &(u64, u32), b: &(u64, u32)| a.0 == b.0 && bits(a.1) == bits(b.1);
        let mut found = Self::default();
        for place in keys.chunk_by(same).filter(|place| place.len() > 1) {
            found.count += place.len();
            let next = [place[0].1, place[1].1];
            found.first = Some(found.first.map_or(next, |first| first.min(next)));
        }
        found
    }
}

impl SurfaceMesh {
    /// Number of connected components: they share no vertex with one another. The mesh has been
    /// checked.
    pub fn part_count(&self) -> usize {
        let parts = components(self.points.len(), self.faces.iter());
        // every part has a face, and its least vertex is that of one of them
        let mut is_part = vec![false; parts.len()];
        self.faces.iter().for_each(|face| is_part[parts[face[0] as usize] as usize] = true);
        is_part.into_iter().filter(|is_part| *is_part).count()
    }

    /// Vertices where the surface ends that have equal coordinates; 0 and −0 are equal. Faces that
    /// own their corners look like one surface and are many. The mesh has been checked.
    pub fn coincident_ends(&self) -> CoincidentVertices {
        let of = |meant: &[bool]| CoincidentVertices::among(&self.points, meant);
        // few meshes have any, wherever they are
        if of(&vec![true; self.points.len()]).count == 0 {
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
        of(&ends)
    }
}

impl SolidMesh {
    /// Vertices of cells that have equal coordinates; 0 and −0 are equal. Vertices of no cell do
    /// not count.
    pub fn coincident_vertices(&self) -> CoincidentVertices {
        CoincidentVertices::among(&self.points, &self.used_vertices())
    }

    /// Number of connected components: they share no vertex with one another.
    pub fn part_count(&self) -> usize {
        let cells = (0..self.cells.len()).map(|c| self.cells.vertices(c));
        let parts = components(self.points.len(), cells);
        let used = self.used_vertices();
        (0..).zip(&parts).filter(|&(v, &part)| v == part && used[v as usize]).count()
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
    fn cells_that_own_their_corners_are_counted() {
        let (whole, parts) = boxes(3);
        assert_eq!(whole.coincident_vertices(), CoincidentVertices::default());
        assert_eq!((whole.part_count(), parts.part_count()), (1, 27));
        // all but the 8 corners of the box
        let found = parts.coincident_vertices();
        assert_eq!(found.count, 208);
        let [a, b] = found.first.unwrap().map(|v| parts.points[v as usize]);
        assert_eq!(a, b);
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
}

//! Polygons cut into triangles, right where they are not convex.

use std::collections::HashSet;

use earcut::Earcut;

use super::{Polygons, SurfaceMesh, area_normal};
use crate::numbers::vector::difference;

/// Corners of a face at most from which cuts are tried.
const MAX_START_CORNERS: usize = 64;
/// Corners of a face at most that are gone through for each of its neighbors' diagonals.
const MAX_SEARCHED_CORNERS: usize = 16;
/// A triangle without area, as a fraction of the area of all triangles of its face.
const MIN_AREA_FRACTION: f64 = 1e-10;

/// Triangles of every face of a mesh, and the face of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triangles {
    /// Vertices, in the face's direction of rotation.
    pub corners: Vec<[u32; 3]>,
    /// Faces, in their order.
    pub faces: Vec<u32>,
}

impl SurfaceMesh {
    /// Number of triangles that [`Self::triangles`] makes.
    pub(crate) fn triangle_count(&self) -> usize {
        self.faces.iter().map(|face| face.len().saturating_sub(2)).sum()
    }

    /// Cuts every face into triangles: n − 2 of a face of n corners.
    ///
    /// A face that is convex as seen along its normal (Newell's) becomes the fan of one of its
    /// corners, any other one is cut ear by ear; one that crosses itself or has no area is a fan,
    /// too. No diagonal is an edge or a diagonal of another face where that can be had, so that no
    /// edge gets more than two faces (two quads around a vertex of valence 2 share one of their
    /// diagonals), and no triangle is without area.
    pub fn triangles(&self) -> Triangles {
        let (places, faces) = self.triangle_places();
        let vertices = self.faces.vertices();
        let corners = places.into_iter().map(|places| places.map(|i| vertices[i as usize]));
        Triangles { corners: corners.collect(), faces }
    }

    /// The triangles of [`Self::triangles`], as indices into the corners of all faces.
    pub(crate) fn triangle_places(&self) -> (Vec<[u32; 3]>, Vec<u32>) {
        let count = self.triangle_count();
        let mut cuts = Cuts {
            faces: &self.faces,
            around: VertexFaces::default(),
            joined: HashSet::new(),
            places: Vec::with_capacity(count),
            of_faces: Vec::with_capacity(count),
        };
        if self.faces.iter().any(|face| face.len() > 3) {
            cuts.around = VertexFaces::new(&self.faces, self.points.len());
            let many = self.faces.iter().filter(|face| face.len() > MAX_SEARCHED_CORNERS);
            cuts.joined.extend(many.flat_map(polygon_edges));
        }
        let mut cutter = PolygonCutter::default();
        for (f, face) in self.faces.iter().enumerate() {
            let first = self.faces.corners(f).start as u32;
            let cut = cutter.cut(&self.points, face, |a, b| cuts.has(f as u32, face[a], face[b]));
            if face.len() > MAX_SEARCHED_CORNERS {
                let triangles = cut.iter().map(|places| places.map(|i| face[i as usize]));
                cuts.joined.extend(triangles.flat_map(|triangle| polygon_edges(&triangle)));
            }
            cuts.places.extend(cut.iter().map(|places| places.map(|i| first + i)));
            cuts.of_faces.resize(cuts.places.len(), f as u32);
        }
        (cuts.places, cuts.of_faces)
    }
}

/// Ends of the edges of a face, the smaller first.
fn polygon_edges(face: &[u32]) -> Vec<[u32; 2]> {
    let ends = (0..face.len()).map(|i| [face[i], face[(i + 1) % face.len()]]);
    ends.map(|[a, b]| [a.min(b), a.max(b)]).collect()
}

/// The faces of each vertex.
#[derive(Default)]
struct VertexFaces {
    // [vertex] end of its faces
    ends: Vec<u32>,
    faces: Vec<u32>,
}

impl VertexFaces {
    fn new(faces: &Polygons, vertex_count: usize) -> Self {
        let mut ends = vec![0_u32; vertex_count];
        faces.vertices().iter().for_each(|&v| ends[v as usize] += 1);
        let mut end = 0;
        for slot in &mut ends {
            (*slot, end) = (end, end + *slot);
        }
        let mut of_vertices = vec![0; faces.vertices().len()];
        for (f, face) in faces.iter().enumerate() {
            for &v in face {
                let slot = &mut ends[v as usize];
                of_vertices[*slot as usize] = f as u32;
                *slot += 1;
            }
        }
        Self { ends, faces: of_vertices }
    }

    fn of(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        let start = if vertex == 0 { 0 } else { self.ends[vertex - 1] };
        &self.faces[start as usize..self.ends[vertex] as usize]
    }
}

/// The triangles so far.
struct Cuts<'a> {
    faces: &'a Polygons,
    around: VertexFaces,
    // ends of the edges and diagonals of faces of many corners, the smaller first
    joined: HashSet<[u32; 2]>,
    // [triangle] places of its corners, and its face
    places: Vec<[u32; 3]>,
    of_faces: Vec<u32>,
}

impl Cuts<'_> {
    /// Whether two vertices of a face are joined by an edge or a diagonal of another one.
    fn has(&self, face: u32, a: u32, b: u32) -> bool {
        let mut others = self.around.of(a).iter().filter(|&&other| other != face);
        self.joined.contains(&[a.min(b), a.max(b)])
            || others.any(|&other| self.is_joined_in(other, face, a, b))
    }

    /// Whether two vertices are joined by an edge or a diagonal of face `other`; no if it has many
    /// corners, whose edges and diagonals are listed.
    fn is_joined_in(&self, other: u32, face: u32, a: u32, b: u32) -> bool {
        let own = self.faces.face(other as usize);
        let n = own.len();
        if n > MAX_SEARCHED_CORNERS {
            return false;
        }
        let Some(i) = own.iter().position(|&v| v == a) else { return false };
        if own[(i + 1) % n] == b || own[(i + n - 1) % n] == b {
            return true;
        }
        if other > face || !own.contains(&b) {
            return false;
        }
        let first = self.of_faces.partition_point(|&f| f < other);
        let vertices = self.faces.vertices();
        self.places[first..first + n - 2].iter().any(|places| {
            let corners = places.map(|i| vertices[i as usize]);
            corners.contains(&a) && corners.contains(&b)
        })
    }
}

/// Memory that faces share.
#[derive(Default)]
struct PolygonCutter {
    earcut: Earcut<f64>,
    // the face, projected along its normal
    flat: Vec<[f64; 2]>,
    found: Vec<u32>,
    // triangles that are tried, and the best so far
    tried: Vec<[u32; 3]>,
    best: Vec<[u32; 3]>,
}

impl PolygonCutter {
    /// The triangles of a face, as places in it; `is_joined` says whether two places are joined by
    /// an edge outside the face.
    fn cut(
        &mut self,
        points: &[[f64; 3]],
        face: &[u32],
        is_joined: impl Fn(usize, usize) -> bool,
    ) -> &[[u32; 3]] {
        let n = face.len();
        self.best.clear();
        if n <= 3 {
            self.best.extend((n == 3).then_some([0, 1, 2]));
            return &self.best;
        }
        let is_convex = self.project(points, face);
        let mut best_rank = None;
        let fans = (0..n.min(MAX_START_CORNERS)).filter(|_| is_convex).map(|start| (true, start));
        for (is_fan, start) in fans.chain((0..n.min(MAX_START_CORNERS)).map(|start| (false, start)))
        {
            if is_fan {
                self.fan(n, start)
            } else {
                self.ears(n, start)
            }
            if self.tried.len() + 2 != n {
                continue;
            }
            let is_diagonal = |&(a, b): &(usize, usize)| (a + 1) % n != b && (b + 1) % n != a;
            let sides = self.tried.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
            let sides = sides.map(|(a, b)| (a as usize, b as usize)).filter(is_diagonal);
            // each diagonal once
            let is_free = sides.filter(|(a, b)| a < b).all(|(a, b)| !is_joined(a, b));
            let rank = (is_free, !self.has_flat());
            if best_rank.is_none_or(|best| rank > best) {
                best_rank = Some(rank);
                std::mem::swap(&mut self.best, &mut self.tried);
            }
            if best_rank == Some((true, true)) {
                break;
            }
        }
        if best_rank.is_none() {
            self.fan(n, 0);
            std::mem::swap(&mut self.best, &mut self.tried);
        }
        &self.best
    }

    /// Tries the fan of one corner.
    fn fan(&mut self, n: usize, start: usize) {
        self.tried.clear();
        let fan = (1..n - 1).map(|i| [0, i, i + 1].map(|i| ((start + i) % n) as u32));
        self.tried.extend(fan);
    }

    /// Tries ears, looked for from one corner on.
    fn ears(&mut self, n: usize, start: usize) {
        let turned = self.flat[start..].iter().chain(&self.flat[..start]).copied();
        self.earcut.earcut(turned, &[], &mut self.found);
        self.tried.clear();
        let triangles = self.found.as_chunks::<3>().0.iter();
        self.tried.extend(triangles.map(|t| t.map(|i| (start as u32 + i) % n as u32)));
        // ears turn as earcut likes
        if self.tried.iter().map(|&t| self.double_area(t)).sum::<f64>() < 0.0 {
            self.tried.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
    }

    /// Whether one of the triangles that are tried has no area, or is turned.
    fn has_flat(&self) -> bool {
        let areas = self.tried.iter().map(|&triangle| self.double_area(triangle));
        let [least, sum] = areas
            .fold([f64::INFINITY, 0.0], |[least, sum], area| [least.min(area), sum + area.abs()]);
        least <= MIN_AREA_FRACTION * sum
    }

    fn double_area(&self, triangle: [u32; 3]) -> f64 {
        let [a, b, c] = triangle.map(|i| self.flat[i as usize]);
        cross([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]])
    }

    /// Projects a face along its normal, and says whether it is convex there.
    fn project(&mut self, points: &[[f64; 3]], face: &[u32]) -> bool {
        let origin = points[face[0] as usize];
        let at = |i: usize| difference(points[face[i % face.len()] as usize], origin);
        let normal = area_normal(points, face);
        let axis = (0..3).max_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).unwrap_or(2);
        let (mut x, mut y) = ((axis + 1) % 3, (axis + 2) % 3);
        if normal[axis] < 0.0 {
            (x, y) = (y, x);
        }
        // along the axis next to the normal: it keeps what is convex, and what is inside
        self.flat.clear();
        self.flat.extend((0..face.len()).map(|i| [at(i)[x], at(i)[y]]));
        let (n, flat) = (face.len(), &self.flat);
        (0..n).all(|i| {
            let [a, b, c] = [0, 1, 2].map(|k| flat[(i + k) % n]);
            cross([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]) >= 0.0
        })
    }
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

//! Catmull-Clark, Loop and √3 surfaces on half-edges, the structure of the textbooks: walk
//! around each vertex by opposite and next. Oriented manifolds with or without boundary.
//!
//! Creases after DeRose, Kass and Truong (1998), with uniform or Chaikin sharpness; open
//! edges are infinitely sharp creases. Children of a face come in the order of its corners.

use std::collections::HashMap;

use super::creases;
use super::hash::Map;
use super::surface::{Edge, decayed, edge};
use super::vector::{Point, add, combine, lerp, mean, scale};

#[derive(Clone, Copy, PartialEq)]
pub enum Scheme {
    CatmullClark,
    Loop,
    /// Whether boundary edges are cut in three (every second step).
    Sqrt3 {
        second: bool,
    },
}

/// A mesh to be refined.
#[derive(Clone, Default)]
pub struct Mesh {
    pub points: Vec<Point>,
    pub faces: Vec<Vec<usize>>,
    pub creases: HashMap<Edge, f64>,
    pub corners: HashMap<usize, f64>,
    pub chaikin: bool,
}

/// A face at one of its vertices, and the edge from there to the next.
struct HalfEdge {
    origin: usize,
    next: usize,
    previous: usize,
    face: usize,
    opposite: Option<usize>,
}

struct Walker<'a> {
    mesh: &'a Mesh,
    halves: Vec<HalfEdge>,
    /// First half-edge of each face.
    first: Vec<usize>,
    /// The half-edges out of each vertex, in order around it.
    stars: Vec<Vec<usize>>,
}

impl Mesh {
    /// One refinement.
    ///
    /// # Panics
    /// If an edge has more than two faces, or two that are inconsistently oriented.
    pub fn refine(&self, scheme: Scheme) -> Self {
        let walker = Walker::new(self);
        match scheme {
            Scheme::CatmullClark => walker.catmull_clark(),
            Scheme::Loop => walker.triangles(),
            Scheme::Sqrt3 { second } => walker.sqrt3(second),
        }
    }
}

impl<'a> Walker<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let mut halves: Vec<HalfEdge> = Vec::new();
        let mut first = Vec::new();
        let mut directed = Map::default();
        for (f, face) in mesh.faces.iter().enumerate() {
            let start = halves.len();
            first.push(start);
            let n = face.len();
            for (i, &origin) in face.iter().enumerate() {
                let twice = directed.insert((origin, face[(i + 1) % n]), start + i);
                assert!(twice.is_none(), "inconsistently oriented faces at {origin}");
                let (next, previous) = (start + (i + 1) % n, start + (i + n - 1) % n);
                halves.push(HalfEdge { origin, next, previous, face: f, opposite: None });
            }
        }
        for (&(a, b), &h) in &directed {
            halves[h].opposite = directed.get(&(b, a)).copied();
        }
        let mut walker = Self { mesh, halves, first, stars: vec![Vec::new(); mesh.points.len()] };
        for h in 0..walker.halves.len() {
            let v = walker.halves[h].origin;
            // a walk that begins anywhere in a ring, or at the open end of a fan
            if walker.stars[v].is_empty() || walker.halves[h].opposite.is_none() {
                walker.stars[v] = walker.walk(h);
            }
        }
        walker
    }

    fn walk(&self, start: usize) -> Vec<usize> {
        let mut star = vec![start];
        let mut h = start;
        while let Some(out) = self.halves[self.halves[h].previous].opposite {
            if out == start {
                break;
            }
            star.push(out);
            h = out;
        }
        star
    }

    fn ends(&self, h: usize) -> (usize, usize) {
        (self.halves[h].origin, self.halves[self.halves[h].next].origin)
    }

    fn edge(&self, h: usize) -> Edge {
        let (a, b) = self.ends(h);
        edge(a, b)
    }

    fn point(&self, v: usize) -> Point {
        self.mesh.points[v]
    }

    /// Edges at a vertex: those out, and the last one in where the surface ends.
    fn edges(&self, v: usize) -> Vec<usize> {
        let mut edges = self.stars[v].clone();
        if let Some(&last) = edges.last() {
            let into = self.halves[last].previous;
            if self.halves[into].opposite.is_none() {
                edges.push(into);
            }
        }
        edges
    }

    fn other_end(&self, h: usize, v: usize) -> usize {
        let (a, b) = self.ends(h);
        if a == v { b } else { a }
    }

    fn sharpness(&self, h: usize) -> f64 {
        if self.halves[h].opposite.is_none() {
            return f64::INFINITY;
        }
        self.mesh.creases.get(&self.edge(h)).copied().unwrap_or(0.0)
    }

    fn middle(&self, h: usize) -> Point {
        let (a, b) = self.ends(h);
        lerp(self.point(a), self.point(b), 0.5)
    }

    fn face_point(&self, f: usize) -> Point {
        mean(self.mesh.faces[f].iter().map(|&v| self.point(v)))
    }

    /// Toward the midpoint by the edge's sharpness.
    fn sharp_edge(&self, h: usize, smooth: impl FnOnce(usize) -> Point) -> Point {
        let Some(opposite) = self.halves[h].opposite else { return self.middle(h) };
        let (a, b) = self.ends(h);
        let halves = [a, b].map(|end| self.passed_on(h, end));
        creases::edge(self.middle(h), smooth(opposite), self.sharpness(h), halves)
    }

    /// Toward the crease rule or the vertex itself.
    fn sharp_vertex(&self, v: usize, smooth: Point) -> Point {
        let edges = self.edges(v).into_iter();
        let edges = edges
            .map(|h| (self.point(self.other_end(h, v)), self.sharpness(h), self.passed_on(h, v)));
        let tag = self.mesh.corners.get(&v).copied().unwrap_or(0.0);
        creases::vertex(self.point(v), smooth, tag, &edges.collect::<Vec<_>>())
    }

    /// Sharpness of the half of an edge at one of its ends, one level on.
    fn passed_on(&self, h: usize, end: usize) -> f64 {
        let own = self.sharpness(h);
        let semi_sharp = |s: &f64| *s > 0.0 && s.is_finite();
        // Chaikin: with the other semi-sharp edges at this end
        let others = self.edges(end).into_iter().filter(|&g| self.edge(g) != self.edge(h));
        let others: Vec<f64> = others.map(|g| self.sharpness(g)).filter(semi_sharp).collect();
        if !self.mesh.chaikin || !semi_sharp(&own) || others.is_empty() {
            return (own - 1.0).max(0.0);
        }
        let mean = others.iter().sum::<f64>() / others.len() as f64;
        (0.75 * own + 0.25 * mean - 1.0).max(0.0)
    }

    /// Ids of edge points from `start` on, one per edge.
    fn edge_ids(&self, start: usize) -> (Map<Edge, usize>, Vec<usize>) {
        let mut ids = Map::default();
        let mut owners = Vec::new();
        for h in 0..self.halves.len() {
            ids.entry(self.edge(h)).or_insert_with(|| {
                owners.push(h);
                start + owners.len() - 1
            });
        }
        (ids, owners)
    }

    fn catmull_clark(&self) -> Mesh {
        let mesh = self.mesh;
        let first_face = mesh.points.len();
        let (ids, owners) = self.edge_ids(first_face + mesh.faces.len());
        let mut points: Vec<Point> = (0..first_face)
            .map(|v| {
                let edges = self.edges(v);
                if edges.is_empty() {
                    return self.point(v);
                }
                let n = edges.len() as f64;
                let faces =
                    mean(self.stars[v].iter().map(|&h| self.face_point(self.halves[h].face)));
                let middles = mean(edges.iter().map(|&h| self.middle(h)));
                let p = self.point(v);
                let smooth = combine([(1.0 / n, faces), (2.0 / n, middles), ((n - 3.0) / n, p)]);
                self.sharp_vertex(v, smooth)
            })
            .collect();
        points.extend((0..mesh.faces.len()).map(|f| self.face_point(f)));
        points.extend(owners.iter().map(|&h| {
            self.sharp_edge(h, |opposite| {
                let faces = [h, opposite].map(|h| self.face_point(self.halves[h].face));
                lerp(self.middle(h), lerp(faces[0], faces[1], 0.5), 0.5)
            })
        }));
        let mut faces = Vec::new();
        for half in &self.halves {
            let out = ids[&self.edge(self.halves[half.next].previous)];
            let into = ids[&self.edge(half.previous)];
            faces.push(vec![half.origin, out, first_face + half.face, into]);
        }
        self.finish(points, faces, &ids)
    }

    fn triangles(&self) -> Mesh {
        let count = self.mesh.points.len();
        let (ids, owners) = self.edge_ids(count);
        let across = |h: usize| self.point(self.halves[self.halves[h].previous].origin);
        let mut points: Vec<Point> = (0..count)
            .map(|v| {
                let edges = self.edges(v);
                if edges.is_empty() {
                    return self.point(v);
                }
                let n = edges.len() as f64;
                // Loop's α: the weight of the vertex itself
                let c = 3.0 / 8.0 + (std::f64::consts::TAU / n).cos() / 4.0;
                let alpha = 3.0 / 8.0 + c * c;
                let ring = mean(edges.iter().map(|&h| self.point(self.other_end(h, v))));
                self.sharp_vertex(v, lerp(ring, self.point(v), alpha))
            })
            .collect();
        points.extend(owners.iter().map(|&h| {
            self.sharp_edge(h, |opposite| {
                combine([(0.75, self.middle(h)), (0.125, across(h)), (0.125, across(opposite))])
            })
        }));
        let mut faces = Vec::new();
        for &h in &self.first {
            let face = &self.mesh.faces[self.halves[h].face];
            let at = [0, 1, 2].map(|i| ids[&edge(face[i], face[(i + 1) % 3])]);
            for i in 0..3 {
                faces.push(vec![face[i], at[i], at[(i + 2) % 3]]);
            }
            faces.push(at.to_vec());
        }
        self.finish(points, faces, &ids)
    }

    /// Halves of creases and corners, one level less sharp.
    fn finish(&self, points: Vec<Point>, faces: Vec<Vec<usize>>, ids: &Map<Edge, usize>) -> Mesh {
        let mesh = self.mesh;
        let mut creases = HashMap::new();
        for h in (0..self.halves.len()).filter(|&h| mesh.creases.contains_key(&self.edge(h))) {
            let e = self.edge(h);
            for end in [e.0, e.1] {
                // boundary edges are sharp without a tag
                let own = mesh.creases[&e];
                let s = match self.halves[h].opposite {
                    Some(_) => self.passed_on(h, end),
                    None => (own - 1.0).max(0.0),
                };
                if s > 0.0 {
                    creases.insert(edge(end, ids[&e]), s);
                }
            }
        }
        let corners = mesh.corners.iter().filter_map(|(&v, &s)| Some((v, decayed(s)?))).collect();
        Mesh { points, faces, creases, corners, chaikin: mesh.chaikin }
    }

    fn sqrt3(&self, second: bool) -> Mesh {
        let mesh = self.mesh;
        let count = mesh.points.len();
        let open = |h: usize| self.halves[h].opposite.is_none();
        let mut points: Vec<Point> = (0..count)
            .map(|v| {
                let p = self.point(v);
                let edges = self.edges(v);
                let ends: Vec<Point> = edges
                    .iter()
                    .filter(|&&h| open(h))
                    .map(|&h| self.point(self.other_end(h, v)))
                    .collect();
                if edges.is_empty() || mesh.corners.contains_key(&v) {
                    return p;
                }
                if let [a, b] = ends[..] {
                    let cut = scale(add(scale(add(a, b), 4.0), scale(p, 19.0)), 1.0 / 27.0);
                    return if second { cut } else { p };
                }
                let n = edges.len() as f64;
                let alpha = (4.0 - 2.0 * (std::f64::consts::TAU / n).cos()) / 9.0;
                let ring = mean(edges.iter().map(|&h| self.point(self.other_end(h, v))));
                lerp(p, ring, alpha)
            })
            .collect();
        // new vertex of each triangle as seen from each of its sides
        let mut facing = vec![usize::MAX; self.halves.len()];
        let mut middle_faces = Map::default();
        for &h in &self.first {
            let sides = [h, self.halves[h].next, self.halves[h].previous];
            if let (true, Some(&cut)) = (second, sides.iter().find(|&&h| open(h))) {
                let (a, b) = self.ends(cut);
                let (after, before) = (self.halves[cut].next, self.halves[cut].previous);
                points.push(self.third_of(a, b));
                facing[before] = points.len() - 1;
                points.push(self.third_of(b, a));
                facing[after] = points.len() - 1;
                let across = self.halves[before].origin;
                middle_faces.insert(cut, vec![points.len() - 2, points.len() - 1, across]);
            } else {
                points.push(self.face_point(self.halves[h].face));
                sides.iter().for_each(|&h| facing[h] = points.len() - 1);
            }
        }
        let faces = (0..self.halves.len())
            .map(|h| match self.halves[h].opposite {
                Some(opposite) => vec![self.halves[h].origin, facing[opposite], facing[h]],
                None => match middle_faces.get(&h) {
                    Some(face) => face.clone(),
                    None => vec![self.ends(h).0, self.ends(h).1, facing[h]],
                },
            })
            .collect();
        Mesh { points, faces, corners: mesh.corners.clone(), ..Mesh::default() }
    }

    /// A third of the way from a to b along the boundary spline.
    fn third_of(&self, a: usize, b: usize) -> Point {
        let other = self
            .edges(a)
            .into_iter()
            .filter(|&h| self.halves[h].opposite.is_none())
            .map(|h| self.other_end(h, a))
            .find(|&v| v != b);
        let [p, q] = [a, b].map(|v| self.point(v));
        match other.filter(|_| !self.mesh.corners.contains_key(&a)) {
            Some(v) => combine([(16.0 / 27.0, p), (10.0 / 27.0, q), (1.0 / 27.0, self.point(v))]),
            None => lerp(p, q, 1.0 / 3.0),
        }
    }
}

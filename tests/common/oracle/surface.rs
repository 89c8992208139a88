//! Catmull-Clark surfaces by explicit refinement, with creases and corners after
//! DeRose, Kass and Truong, "Subdivision surfaces in character animation" (1998), and OpenSubdiv.
//!
//! Open boundary edges are creases of infinite sharpness. A surface may also be
//! a piece cut out of a larger one: edges with one face that are not listed as
//! open are cuts, and whatever depends on what lies beyond them is NaN.

use std::collections::{HashMap, HashSet};

use super::creases;
use super::hash::Map;
use super::vector::{Point, UNKNOWN, combine, lerp, mean};

/// End vertices, the smaller first.
pub type Edge = (usize, usize);

pub fn edge(a: usize, b: usize) -> Edge {
    (a.min(b), a.max(b))
}

/// Sharpness one level further down, if any is left. Infinity stays.
pub fn decayed(sharpness: f64) -> Option<f64> {
    Some(sharpness - 1.0).filter(|&s| s > 0.0)
}

/// A polygon mesh.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    pub points: Vec<Point>,
    /// Vertex cycles. A quad's parameters run u along 0→1, v along 0→3.
    pub faces: Vec<Vec<usize>>,
    /// Edges where the surface ends.
    pub open: HashSet<Edge>,
    pub creases: HashMap<Edge, f64>,
    pub corners: HashMap<usize, f64>,
    /// Whether the sharpness of edges blends along creases as it passes on.
    pub chaikin: bool,
}

impl Surface {
    /// A whole surface: every edge with one face is open, and one that two faces run through
    /// alike counts as open on both sides.
    pub fn new(points: Vec<Point>, faces: Vec<Vec<usize>>) -> Self {
        let mut surface = Self { points, faces, ..Self::default() };
        let stars = Stars::of(&surface);
        let open = stars.edge_faces.iter().filter(|(_, faces)| faces.len() == 1).map(|(&e, _)| e);
        let open: Vec<Edge> = open.collect();
        let mut directed = HashSet::new();
        let sides = surface
            .faces
            .iter()
            .flat_map(|face| (0..face.len()).map(move |i| (face[i], face[(i + 1) % face.len()])));
        let alike = sides.filter(|&side| !directed.insert(side)).map(|(a, b)| edge(a, b));
        surface.open = alike.chain(open).collect();
        surface
    }

    /// One refinement. The children of face f are one quad per corner, in order,
    /// after those of the faces before f; those of a quad keep its axes.
    pub fn refine(&self) -> Self {
        self.refine_with(&Stars::of(self))
    }

    /// The same with what is incident to what in it.
    pub fn refine_with(&self, stars: &Stars) -> Self {
        let edge_start = self.points.len();
        let face_start = edge_start + stars.edges.len();
        let at_edge: Map<Edge, usize> =
            stars.edges.iter().enumerate().map(|(i, &e)| (e, edge_start + i)).collect();

        let mut points: Vec<Point> = (0..edge_start).map(|v| stars.vertex_point(v)).collect();
        points.extend(stars.edges.iter().map(|&e| stars.edge_point(e)));
        points.extend((0..self.faces.len()).map(|f| stars.face_point(f)));

        let mut faces = Vec::new();
        for (f, face) in self.faces.iter().enumerate() {
            let n = face.len();
            for i in 0..n {
                let v = face[i];
                let after = at_edge[&edge(v, face[(i + 1) % n])];
                let before = at_edge[&edge(v, face[(i + n - 1) % n])];
                let mut child = vec![v, after, face_start + f, before];
                if n == 4 {
                    child.rotate_right(i); // the parent's corner i is the child's corner i
                }
                faces.push(child);
            }
        }

        let halves = |e: Edge| [edge(e.0, at_edge[&e]), edge(e.1, at_edge[&e])];
        let creases = stars.refined_creases(&at_edge);
        let corners = self.corners.iter().filter_map(|(&v, &s)| Some((v, decayed(s)?))).collect();
        let open = self.open.iter().flat_map(|&e| halves(e)).collect();
        Self { points, faces, open, creases, corners, chaikin: self.chaikin }
    }
}

/// What is incident to what, and the refinement rules on it.
pub struct Stars<'a> {
    surface: &'a Surface,
    /// In order of first appearance in the faces.
    pub edges: Vec<Edge>,
    pub edge_faces: Map<Edge, Vec<usize>>,
    pub vertex_faces: Map<usize, Vec<usize>>,
    pub vertex_edges: Map<usize, Vec<Edge>>,
}

impl<'a> Stars<'a> {
    pub fn of(surface: &'a Surface) -> Self {
        let mut stars = Self {
            surface,
            edges: Vec::new(),
            edge_faces: Map::default(),
            vertex_faces: Map::default(),
            vertex_edges: Map::default(),
        };
        for (f, face) in surface.faces.iter().enumerate() {
            for (i, &a) in face.iter().enumerate() {
                let b = face[(i + 1) % face.len()];
                let e = edge(a, b);
                if !stars.edge_faces.contains_key(&e) {
                    stars.edges.push(e);
                    stars.vertex_edges.entry(a).or_default().push(e);
                    stars.vertex_edges.entry(b).or_default().push(e);
                }
                stars.edge_faces.entry(e).or_default().push(f);
                stars.vertex_faces.entry(a).or_default().push(f);
            }
        }
        stars
    }

    /// Infinite at boundary edges.
    pub fn sharpness(&self, e: Edge) -> f64 {
        if self.surface.open.contains(&e) {
            return f64::INFINITY;
        }
        self.surface.creases.get(&e).copied().unwrap_or(0.0)
    }

    /// Creases one level on, where their edges have points.
    pub fn refined_creases(&self, at_edge: &Map<Edge, usize>) -> HashMap<Edge, f64> {
        let mut creases = HashMap::new();
        for (&e, _) in self.surface.creases.iter().filter(|(e, _)| at_edge.contains_key(e)) {
            for end in [e.0, e.1] {
                let s = self.passed_on(e, end, self.surface.creases[&e]);
                if s > 0.0 {
                    creases.insert(edge(end, at_edge[&e]), s);
                }
            }
        }
        creases
    }

    /// Sharpness of the half of an edge at one of its ends, one level on: 1 less, by Chaikin's
    /// rule than 3/4 of its own and 1/4 of the mean of the other semi-sharp edges.
    fn passed_on(&self, e: Edge, end: usize, own: f64) -> f64 {
        let semi_sharp = |s: &f64| *s > 0.0 && s.is_finite();
        let others = self.vertex_edges[&end].iter().filter(|&&other| other != e);
        let others: Vec<f64> = others.map(|&e| self.sharpness(e)).filter(semi_sharp).collect();
        if !self.surface.chaikin || !semi_sharp(&own) || others.is_empty() {
            return (own - 1.0).max(0.0);
        }
        let mean = others.iter().sum::<f64>() / others.len() as f64;
        (0.75 * own + 0.25 * mean - 1.0).max(0.0)
    }

    /// The point of an edge, with what smooth rules say of it.
    pub fn sharp_edge(&self, e: Edge, smooth: impl FnOnce() -> Point) -> Point {
        let sharpness = self.sharpness(e);
        if self.is_cut(e) {
            return UNKNOWN;
        }
        if sharpness == f64::INFINITY {
            return self.midpoint(e);
        }
        let halves = [e.0, e.1].map(|end| self.passed_on(e, end, sharpness));
        creases::edge(self.midpoint(e), smooth(), sharpness, halves)
    }

    /// The point of a vertex, with what smooth rules say of it.
    pub fn sharp_vertex(&self, v: usize, smooth: Point) -> Point {
        let edges = self.vertex_edges[&v].iter().map(|&e| {
            let other = self.surface.points[if e.0 == v { e.1 } else { e.0 }];
            let s = self.sharpness(e);
            (other, s, self.passed_on(e, v, s))
        });
        let tag = self.surface.corners.get(&v).copied().unwrap_or(0.0);
        creases::vertex(self.surface.points[v], smooth, tag, &edges.collect::<Vec<_>>())
    }

    /// Whether the edge's second face has been cut off.
    pub fn is_cut(&self, e: Edge) -> bool {
        self.edge_faces[&e].len() == 1 && !self.surface.open.contains(&e)
    }

    fn midpoint(&self, e: Edge) -> Point {
        lerp(self.surface.points[e.0], self.surface.points[e.1], 0.5)
    }

    pub fn face_point(&self, f: usize) -> Point {
        mean(self.surface.faces[f].iter().map(|&v| self.surface.points[v]))
    }

    pub fn edge_point(&self, e: Edge) -> Point {
        self.sharp_edge(e, || {
            let faces = mean(self.edge_faces[&e].iter().map(|&f| self.face_point(f)));
            lerp(self.midpoint(e), faces, 0.5)
        })
    }

    pub fn vertex_point(&self, v: usize) -> Point {
        let p = self.surface.points[v];
        let Some(edges) = self.vertex_edges.get(&v) else { return p };
        if edges.iter().any(|&e| self.is_cut(e)) {
            return UNKNOWN;
        }
        let n = edges.len() as f64; // F + 2R + (n − 3)P over n
        let f = mean(self.vertex_faces[&v].iter().map(|&f| self.face_point(f)));
        let r = mean(edges.iter().map(|&e| self.midpoint(e)));
        let smooth = combine([(1.0 / n, f), (2.0 / n, r), ((n - 3.0) / n, p)]);
        self.sharp_vertex(v, smooth)
    }
}

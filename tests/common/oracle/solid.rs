//! Catmull-Clark solids by explicit refinement: Joy and MacCracken's rules
//! inside, the surface's own rules on its boundary.
//!
//! A solid may also be a piece cut out of a larger one: faces with one cell that
//! are not listed as boundary are cuts, and whatever depends on what lies beyond
//! them is NaN.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::hash::{Map, Set};
use super::incidence::{FaceKey, Incidence, face_key};
use super::surface::{Edge, Stars, Surface, decayed, edge};
use super::vector::{Point, UNKNOWN, combine, lerp, mean};

/// How vertices inside a straight extraordinary edge move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexRule {
    /// As the tensor product of the 2D rule across the edge and the cubic
    /// spline along it.
    LayerConsistent,
    /// Like every other interior vertex.
    JoyMacCracken,
}

/// u, v, w of a hexahedron's corners in VTK order.
pub const CORNERS: [[usize; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

/// Corners of a hexahedron's faces, counter-clockwise from outside.
const FACES: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

#[derive(Clone, Debug)]
pub enum Cell {
    /// VTK corner order: u along 0→1, v along 0→3, w along 0→4.
    Hexahedron([usize; 8]),
    /// Faces are vertex cycles, counter-clockwise from outside; every corner
    /// must be in three of them.
    Polyhedron { corners: Vec<usize>, faces: Vec<Vec<usize>> },
}

impl Cell {
    pub fn corners(&self) -> &[usize] {
        match self {
            Self::Hexahedron(corners) => corners,
            Self::Polyhedron { corners, .. } => corners,
        }
    }

    pub fn faces(&self) -> Vec<Vec<usize>> {
        match self {
            Self::Hexahedron(c) => FACES.iter().map(|face| face.map(|i| c[i]).to_vec()).collect(),
            Self::Polyhedron { faces, .. } => faces.clone(),
        }
    }

    /// Panics if the cell is of another kind.
    pub fn hexahedron(&self) -> [usize; 8] {
        let Self::Hexahedron(corners) = self else { panic!("not a hexahedron: {self:?}") };
        *corners
    }
}

/// A polyhedral mesh.
#[derive(Clone, Debug, Default)]
pub struct Solid {
    pub points: Vec<Point>,
    pub cells: Vec<Cell>,
    /// Faces where the solid ends.
    pub boundary: HashSet<FaceKey>,
    /// Sharpness of boundary edges.
    pub creases: HashMap<Edge, f64>,
    /// Sharpness of boundary vertices.
    pub corners: HashMap<usize, f64>,
}

/// A quad of the boundary and the cell below it.
#[derive(Clone, Copy, Debug)]
pub struct BoundaryQuad {
    pub cell: usize,
    /// The quad's cycle as corners of the hexahedral cell.
    pub corners: [usize; 4],
}

impl BoundaryQuad {
    /// The cell's parameters at the quad's (u, v), which run along 0→1 and 0→3.
    pub fn cell_parameters(&self, u: f64, v: f64) -> [f64; 3] {
        let [origin, along_u, _, along_v] = self.corners.map(|i| CORNERS[i].map(|x| x as f64));
        let [du, dv] = [along_u, along_v].map(|end| super::vector::sub(end, origin));
        combine([(1.0, origin), (u, du), (v, dv)])
    }
}

impl Solid {
    /// A whole solid: every face with one cell is boundary.
    pub fn new(points: Vec<Point>, cells: Vec<Cell>) -> Self {
        let mut solid = Self { points, cells, ..Self::default() };
        let incidence = Incidence::of(&solid);
        let outer = incidence.face_cells.iter().zip(&incidence.faces).filter(|(c, _)| c.len() == 1);
        solid.boundary = outer.map(|(_, face)| face_key(face)).collect();
        solid
    }

    pub fn hexahedra(points: Vec<Point>, hexahedra: &[[usize; 8]]) -> Self {
        Self::new(points, hexahedra.iter().map(|&corners| Cell::Hexahedron(corners)).collect())
    }

    /// Children of `cell` in the refined mesh: one per corner, in corner order.
    /// For hexahedra alone these are cells 8c to 8c + 7.
    pub fn children(&self, cell: usize) -> Range<usize> {
        let start = self.cells[..cell].iter().map(|c| c.corners().len()).sum();
        start..start + self.cells[cell].corners().len()
    }

    /// The boundary surface, over the same points. Its edges with one face, which
    /// only a piece of a solid has, are cuts.
    pub fn skin(&self) -> Surface {
        let faces = self.cells.iter().flat_map(Cell::faces);
        Surface {
            points: self.points.clone(),
            faces: faces.filter(|face| self.boundary.contains(&face_key(face))).collect(),
            open: HashSet::new(),
            creases: self.creases.clone(),
            corners: self.corners.clone(),
            chaikin: false,
        }
    }

    /// The faces of [`Solid::skin`], in order, seen from their hexahedra.
    pub fn boundary_quads(&self) -> Vec<BoundaryQuad> {
        let mut quads = Vec::new();
        for (cell, hexahedron) in self.cells.iter().enumerate() {
            let vertices = hexahedron.hexahedron();
            for corners in FACES {
                if self.boundary.contains(&face_key(&corners.map(|i| vertices[i]))) {
                    quads.push(BoundaryQuad { cell, corners });
                }
            }
        }
        quads
    }

    /// One refinement. Points: those of vertices, then edges, faces and cells.
    pub fn refine(&self, rule: VertexRule) -> Self {
        self.refine_with(&Incidence::of(self), rule)
    }

    /// The same with what is incident to what in it.
    pub fn refine_with(&self, incidence: &Incidence, rule: VertexRule) -> Self {
        let skin = self.skin();
        let rules = Rules { solid: self, incidence, skin: Stars::of(&skin), rule };
        let ids = ChildPoints {
            incidence,
            edge_start: self.points.len(),
            face_start: self.points.len() + incidence.edges.len(),
            cell_start: self.points.len() + incidence.edges.len() + incidence.faces.len(),
        };

        let mut points: Vec<Point> =
            (0..self.points.len()).map(|v| rules.vertex_point(v)).collect();
        points.extend((0..incidence.edges.len()).map(|e| rules.edge_point(e)));
        points.extend((0..incidence.faces.len()).map(|f| rules.face_point(f)));
        points.extend(self.cells.iter().map(|cell| self.centroid(cell.corners())));

        let children = self.cells.iter().enumerate().flat_map(|(c, cell)| match cell {
            Cell::Hexahedron(corners) => ids.of_hexahedron(c, corners),
            Cell::Polyhedron { corners, faces } => ids.of_polyhedron(c, corners, faces),
        });
        let cells = children.map(Cell::Hexahedron).collect();

        let mut boundary = HashSet::new();
        for (f, face) in incidence.faces.iter().enumerate() {
            if self.boundary.contains(&face_key(face)) {
                let (n, at) = (face.len(), |i: usize, j: usize| ids.edge(face[i], face[j]));
                boundary.extend((0..n).map(|i| {
                    let sides = [at(i, (i + 1) % n), at(i, (i + n - 1) % n)];
                    face_key(&[face[i], sides[0], ids.face_start + f, sides[1]])
                }));
            }
        }
        let mut creases = HashMap::new();
        for (&(a, b), &sharpness) in &self.creases {
            if let Some(sharpness) = decayed(sharpness) {
                let middle = ids.edge(a, b);
                creases.insert(edge(a, middle), sharpness);
                creases.insert(edge(b, middle), sharpness);
            }
        }
        let corners = self.corners.iter().filter_map(|(&v, &s)| Some((v, decayed(s)?))).collect();
        Self { points, cells, boundary, creases, corners }
    }

    /// The piece of all cells that touch `cell`, which becomes cell 0.
    pub fn ring(&self, cell: usize) -> Self {
        let center: Set<usize> = self.cells[cell].corners().iter().copied().collect();
        let touches = |c: &usize| self.cells[*c].corners().iter().any(|v| center.contains(v));
        let others = (0..self.cells.len()).filter(|&c| c != cell).filter(touches);

        let mut piece = Self::default();
        let mut moved = Map::default(); // old vertex → new vertex
        for c in std::iter::once(cell).chain(others) {
            for &v in self.cells[c].corners() {
                moved.entry(v).or_insert_with(|| {
                    piece.points.push(self.points[v]);
                    piece.points.len() - 1
                });
            }
            let rename = |vertices: &[usize]| vertices.iter().map(|v| moved[v]).collect::<Vec<_>>();
            for face in self.cells[c].faces() {
                if self.boundary.contains(&face_key(&face)) {
                    piece.boundary.insert(face_key(&rename(&face)));
                }
            }
            piece.cells.push(match &self.cells[c] {
                Cell::Hexahedron(corners) => Cell::Hexahedron(corners.map(|v| moved[&v])),
                Cell::Polyhedron { corners, faces } => Cell::Polyhedron {
                    corners: rename(corners),
                    faces: faces.iter().map(|face| rename(face)).collect(),
                },
            });
        }
        assert!(
            piece.points.iter().flatten().all(|x| x.is_finite()),
            "a ring reaches beyond a cut"
        );
        let edges = if self.creases.is_empty() {
            Vec::new() // none of them is asked for
        } else {
            Incidence::of(&piece).edges
        };
        let edges: Set<Edge> = edges.into_iter().collect();
        for (&(a, b), &sharpness) in &self.creases {
            if let (Some(&a), Some(&b)) = (moved.get(&a), moved.get(&b))
                && edges.contains(&edge(a, b))
            {
                piece.creases.insert(edge(a, b), sharpness);
            }
        }
        let corners = self.corners.iter().filter_map(|(v, &s)| Some((*moved.get(v)?, s)));
        piece.corners = corners.collect();
        piece
    }

    fn centroid(&self, vertices: &[usize]) -> Point {
        mean(vertices.iter().map(|&v| self.points[v]))
    }
}

/// Where the points of refined elements stand, and the cells over them.
struct ChildPoints<'a> {
    incidence: &'a Incidence,
    edge_start: usize,
    face_start: usize,
    cell_start: usize,
}

impl ChildPoints<'_> {
    fn edge(&self, a: usize, b: usize) -> usize {
        self.edge_start + self.incidence.edge_of[&edge(a, b)]
    }

    /// A hexahedron's points form a 3×3×3 grid. Child i is the octant at corner i.
    fn of_hexahedron(&self, cell: usize, corners: &[usize; 8]) -> Vec<[usize; 8]> {
        // Grid position 0 or 2 along an axis is one end of it, 1 its middle.
        let point = |grid: [usize; 3]| {
            let below = |i: &usize| (0..3).all(|d| grid[d] == 1 || grid[d] == 2 * CORNERS[*i][d]);
            let element: Vec<usize> = (0..8).filter(below).map(|i| corners[i]).collect();
            match element[..] {
                [v] => v,
                [a, b] => self.edge(a, b),
                [_, _, _, _] => self.face_start + self.incidence.face_of[&face_key(&element)],
                _ => self.cell_start + cell,
            }
        };
        let child = |i: usize| {
            CORNERS.map(|corner| point(std::array::from_fn(|d| CORNERS[i][d] + corner[d])))
        };
        (0..8).map(child).collect()
    }

    /// One hexahedron a corner, with that corner as its corner 0. Its u runs
    /// toward the corner's first neighbor by vertex id; v and w follow so that
    /// the child is as right-handed as its parent.
    fn of_polyhedron(
        &self,
        cell: usize,
        corners: &[usize],
        faces: &[Vec<usize>],
    ) -> Vec<[usize; 8]> {
        let child = |&p: &usize| {
            // (before, after, face point) in each outward face cycle around p
            let mut around = Vec::new();
            for face in faces {
                if let Some(i) = face.iter().position(|&v| v == p) {
                    let n = face.len();
                    let f = self.face_start + self.incidence.face_of[&face_key(face)];
                    around.push((face[(i + n - 1) % n], face[(i + 1) % n], f));
                }
            }
            assert_eq!(around.len(), 3, "corner {p} of cell {cell} is not in three faces");
            let u = around.iter().map(|a| a.0).min().expect("three neighbors");
            let next = |from: usize| *around.iter().find(|a| a.0 == from).expect("outward faces");
            let (_, v, uv) = next(u);
            let (_, w, vw) = next(v);
            let (_, back, wu) = next(w);
            assert_eq!(back, u, "the faces of cell {cell} are not oriented alike");
            let [eu, ev, ew] = [u, v, w].map(|q| self.edge(p, q));
            [p, eu, uv, ev, ew, wu, self.cell_start + cell, vw]
        };
        corners.iter().map(child).collect()
    }
}

/// The refinement rules.
struct Rules<'a> {
    solid: &'a Solid,
    incidence: &'a Incidence,
    skin: Stars<'a>,
    rule: VertexRule,
}

impl Rules<'_> {
    /// Whether the face's second cell has been cut off.
    fn is_cut(&self, f: usize) -> bool {
        self.incidence.face_cells[f].len() == 1
            && !self.solid.boundary.contains(&face_key(&self.incidence.faces[f]))
    }

    fn any_cut(&self, faces: &[usize]) -> bool {
        faces.iter().any(|&f| self.is_cut(f))
    }

    fn face_centroids(&self, faces: &[usize]) -> Point {
        mean(faces.iter().map(|&f| self.solid.centroid(&self.incidence.faces[f])))
    }

    fn cell_centroids(&self, cells: &[usize]) -> Point {
        mean(cells.iter().map(|&c| self.solid.centroid(self.solid.cells[c].corners())))
    }

    fn midpoint(&self, e: usize) -> Point {
        let (a, b) = self.incidence.edges[e];
        lerp(self.solid.points[a], self.solid.points[b], 0.5)
    }

    fn valence(&self, e: usize) -> usize {
        self.incidence.edge_faces[e].len()
    }

    fn face_point(&self, f: usize) -> Point {
        if self.is_cut(f) {
            return UNKNOWN;
        }
        let a = self.face_centroids(&[f]);
        match self.incidence.face_cells[f].len() {
            1 => a,
            _ => lerp(a, self.cell_centroids(&self.incidence.face_cells[f]), 0.5),
        }
    }

    fn edge_point(&self, e: usize) -> Point {
        let key = self.incidence.edges[e];
        if self.any_cut(&self.incidence.edge_faces[e]) {
            return UNKNOWN;
        }
        if self.skin.edge_faces.contains_key(&key) {
            return self.skin.edge_point(key);
        }
        let n = self.valence(e) as f64; // C + 2A + (n − 3)M over n
        let c = self.cell_centroids(&self.incidence.edge_cells[e]);
        let a = self.face_centroids(&self.incidence.edge_faces[e]);
        combine([(1.0 / n, c), (2.0 / n, a), ((n - 3.0) / n, self.midpoint(e))])
    }

    fn vertex_point(&self, v: usize) -> Point {
        let p = self.solid.points[v];
        let cells = &self.incidence.vertex_cells[v];
        if cells.is_empty() {
            return p;
        }
        if self.any_cut(&self.incidence.vertex_faces[v]) {
            return UNKNOWN;
        }
        if self.skin.vertex_faces.contains_key(&v) {
            return self.skin.vertex_point(v);
        }
        if self.rule == VertexRule::LayerConsistent
            && let Some(ends) = self.straight_extraordinary_edge(v)
        {
            return self.layered_vertex_point(v, ends);
        }
        let c = self.cell_centroids(cells);
        let a = self.face_centroids(&self.incidence.vertex_faces[v]);
        let m = mean(self.incidence.vertex_edges[v].iter().map(|&e| self.midpoint(e)));
        combine([(0.125, c), (0.375, a), (0.375, m), (0.125, p)])
    }

    /// The two edges at `v` if it lies inside a straight extraordinary edge: two
    /// extraordinary edges of equal valence n without a common cell, 2n cells.
    fn straight_extraordinary_edge(&self, v: usize) -> Option<[usize; 2]> {
        let edges = self.incidence.vertex_edges[v].iter().copied();
        let extraordinary: Vec<usize> = edges.filter(|&e| self.valence(e) != 4).collect();
        let [a, b] = extraordinary[..] else { return None };
        let [cells_a, cells_b] = [a, b].map(|e| &self.incidence.edge_cells[e]);
        let straight = self.valence(a) == self.valence(b)
            && self.incidence.vertex_cells[v].len() == 2 * self.valence(a)
            && !cells_a.iter().any(|c| cells_b.contains(c));
        straight.then_some([a, b])
    }

    /// (1, 6, 1)/8 along the edge of the 2D rule across it, written with the edge
    /// points: these are the means of the 2D rule's points on both their layers.
    fn layered_vertex_point(&self, v: usize, ends: [usize; 2]) -> Point {
        let n = self.valence(ends[0]) as f64;
        let along = |f: &usize| ends.iter().any(|&e| self.incidence.edge_faces[e].contains(f));
        let faces = self.incidence.vertex_faces[v].iter().copied();
        let faces: Vec<usize> = faces.filter(|f| !along(f)).collect();
        let edges = self.incidence.vertex_edges[v].iter().filter(|e| !ends.contains(e));
        let f = self.face_centroids(&faces);
        let r = mean(edges.map(|&e| self.midpoint(e)));
        let p = self.solid.points[v];
        let q = combine([(1.0 / n, f), (2.0 / n, r), ((n - 3.0) / n, p)]);
        let [above, below] = ends.map(|e| self.edge_point(e));
        combine([(0.5, q), (0.25, above), (0.25, below)])
    }
}

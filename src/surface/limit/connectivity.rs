//! How sharp the edges and vertices of a surface are, beside its topology.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::mesh::{CreaseRule, Creases, SurfaceMesh, TriangleRule};
use crate::scheme::catmull_clark::triangle_stretch;
use crate::scheme::{LimitScheme, Scheme, crease};
use crate::surface::refine::sharpness::boundary_corners;
use crate::topology::surface::{Columns, SurfaceTopology};
use crate::topology::{NONE, Rows};

/// A surface's incidence with the sharpness of its edges and vertices. A *side* is a face's
/// edge from one corner to the next; sides and corners are numbered alike, face by face.
pub(super) struct Connectivity<'t> {
    pub scheme: Scheme,
    // every edge and vertex is sharp
    linear: bool,
    /// Masks of the scheme.
    pub masks: &'static dyn LimitScheme,
    topology: Cow<'t, SurfaceTopology>,
    // sides of each edge of three faces or more
    non_manifold: Rows,
    /// Corners at each vertex.
    pub vertex_corners: Rows,
    /// How the sharpness of edges passes on.
    pub crease_rule: CreaseRule,
    triangle_rule: TriangleRule,
    // empty: smooth
    edge_sharpness: Vec<f64>,
    vertex_sharpness: Vec<f64>,
    // number of semi-sharp edges at each vertex and the sum of their sharpness, for Chaikin's
    // rule; also at vertices that a part of a surface has some of the edges of
    semi_sharp: Vec<(u32, f64)>,
}

impl<'t> Connectivity<'t> {
    /// A control mesh whose faces have been checked and whose incidence is known.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a crease that is not an edge, a corner that is not a vertex, and a
    /// sharpness that is negative or not a number.
    pub fn new(
        mesh: &SurfaceMesh,
        topology: &'t SurfaceTopology,
        scheme: Scheme,
        crease_rule: CreaseRule,
    ) -> Result<Self> {
        let mut connectivity = Self::smooth(Cow::Borrowed(topology), scheme, masks_of(scheme)?);
        connectivity.crease_rule = crease_rule;
        if scheme.rules().has_triangle_rule() {
            connectivity.triangle_rule = mesh.triangle_rule;
        }
        connectivity.resolve(&mesh.creases)?;
        for v in boundary_corners(mesh, topology) {
            connectivity.vertex_sharpness.resize(topology.vertex_count, 0.0);
            connectivity.vertex_sharpness[v as usize] = f64::INFINITY;
        }
        if connectivity.is_chaikin() {
            let all = 0..connectivity.vertex_count() as u32;
            let counts =
                all.map(|v| connectivity.semi_sharp_at(v, |e| connectivity.edge_sharpness(e)));
            connectivity.semi_sharp = counts.collect();
        }
        Ok(connectivity)
    }

    /// A surface without creases.
    pub fn smooth(
        topology: Cow<'t, SurfaceTopology>,
        scheme: Scheme,
        masks: &'static dyn LimitScheme,
    ) -> Self {
        Self {
            scheme,
            linear: scheme.rules().is_linear(),
            masks,
            non_manifold: topology.non_manifold_corners(),
            vertex_corners: topology.vertex_corners(),
            topology,
            crease_rule: CreaseRule::Uniform,
            triangle_rule: TriangleRule::Uniform,
            edge_sharpness: Vec::new(),
            vertex_sharpness: Vec::new(),
            semi_sharp: Vec::new(),
        }
    }

    /// A surface without creases whose faces have `sides` corners each.
    pub fn of_faces(
        corners: Vec<u32>,
        vertex_count: usize,
        scheme: Scheme,
        masks: &'static dyn LimitScheme,
    ) -> Self {
        let columns = Columns::Uniform(scheme.shape().sides() as u32);
        let topology = SurfaceTopology::build(vertex_count, columns, corners);
        Self::smooth(Cow::Owned(topology), scheme, masks)
    }

    /// Number of vertices, including vertices of no face.
    pub fn vertex_count(&self) -> usize {
        self.topology.vertex_count
    }

    /// Number of faces.
    pub fn face_count(&self) -> usize {
        self.topology.face_count
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.topology.edge_count()
    }

    /// Vertex cycle of a face.
    pub fn face(&self, face: usize) -> &[u32] {
        self.topology.face(face)
    }

    /// First corner of a face.
    pub fn face_start(&self, face: usize) -> usize {
        self.topology.columns.corners(face as u32).start as usize
    }

    /// Vertex cycles of all faces.
    pub fn cycles(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.face_count()).map(|face| self.face(face))
    }

    /// The side before a side of its face.
    pub(crate) fn previous_side(&self, side: u32) -> u32 {
        self.topology.columns.previous(side)
    }

    /// Edge of a side.
    pub(crate) fn side_edge(&self, side: u32) -> u32 {
        self.topology.edges[side as usize]
    }

    /// Face of a side.
    pub(crate) fn side_face(&self, side: u32) -> u32 {
        self.topology.columns.face(side)
    }

    /// Factor of the distance of an edge's smooth point from the midpoint, besides what the mask
    /// says: not 1 next to triangles with a rule of their own.
    pub(crate) fn edge_stretch(&self, edge: u32) -> f64 {
        match (self.triangle_rule, self.edge_sides(edge)) {
            (TriangleRule::Smooth, &[a, b]) => {
                triangle_stretch([a, b].map(|side| self.face(self.side_face(side) as usize).len()))
            }
            _ => 1.0,
        }
    }

    /// Ends of an edge, the smaller first.
    pub(crate) fn edge_ends(&self, edge: u32) -> [u32; 2] {
        self.topology.edge_ends(edge)
    }

    /// Sides of an edge, ascending.
    pub(crate) fn edge_sides(&self, edge: u32) -> &[u32] {
        let sides = &self.topology.edge_corners[edge as usize];
        match self.topology.non_manifold_edges.binary_search(&edge) {
            Ok(at) => self.non_manifold.row(at),
            Err(_) if sides[1] == NONE => &sides[..1],
            Err(_) => sides,
        }
    }

    /// Whether sharpness blends along creases.
    fn is_chaikin(&self) -> bool {
        self.crease_rule == CreaseRule::Chaikin && !self.edge_sharpness.is_empty()
    }

    /// Number and sum of the finite `sharpness` of edges at a vertex.
    fn semi_sharp_at(&self, vertex: u32, sharpness: impl Fn(u32) -> f64) -> (u32, f64) {
        let (mut count, mut sum) = (0, 0.0);
        self.vertex_edges(vertex, |e| {
            let s = sharpness(e);
            if s > 0.0 && s.is_finite() {
                count += 1;
                sum += s;
            }
        });
        (count, sum)
    }

    /// Takes over what Chaikin's rule needs of refined vertices from the coarse level: this part
    /// of the surface may lack some of their edges.
    pub(crate) fn refine_semi_sharp(&mut self, coarse: &Connectivity, points: &[VertexSource]) {
        if !coarse.is_chaikin() {
            return;
        }
        let of = |point: &VertexSource| match *point {
            VertexSource::Vertex(v) => coarse.semi_sharp_at(v, |e| coarse.half_sharpness(e, v)),
            VertexSource::Edge(e) => {
                let halves = coarse.edge_ends(e).map(|v| coarse.half_sharpness(e, v));
                let finite = halves.into_iter().filter(|s| *s > 0.0 && s.is_finite());
                finite.fold((0, 0.0), |(count, sum), s| (count + 1, sum + s))
            }
            VertexSource::Face(_) => (0, 0.0),
        };
        self.semi_sharp = points.iter().map(of).collect();
    }

    /// Takes creases and corners over.
    pub fn resolve(&mut self, creases: &Creases) -> Result<()> {
        creases.check()?;
        [self.edge_sharpness, self.vertex_sharpness] = self.topology.sharpness(creases)?;
        Ok(())
    }

    /// Whether an edge has more than two faces, or two that are inconsistently oriented.
    pub(crate) fn is_non_manifold(&self, edge: u32) -> bool {
        let corner = |side: u32| self.topology.vertex(side);
        match *self.edge_sides(edge) {
            [a, b] => corner(a) == corner(b),
            [] | [_] => false,
            _ => true,
        }
    }

    /// Sharpness of an edge, ≥ 0; infinite where the surface ends or is not an oriented manifold,
    /// and by a linear scheme.
    pub(crate) fn edge_sharpness(&self, edge: u32) -> f64 {
        let is_end = self.edge_sides(edge).len() == 1;
        if is_end || self.linear || self.is_non_manifold(edge) {
            return f64::INFINITY;
        }
        self.edge_sharpness.get(edge as usize).copied().unwrap_or(0.0)
    }

    /// Sharpness of the half of an edge at one of its ends, one level on: by Chaikin's rule
    /// the sharpness of the edge first blends with the mean of the other semi-sharp edges there.
    pub(crate) fn half_sharpness(&self, edge: u32, end: u32) -> f64 {
        let mut sharpness = self.edge_sharpness(edge);
        if let Some(&(count, sum)) = self.semi_sharp.get(end as usize) {
            sharpness = self.crease_rule.blended(sharpness, count, sum);
        }
        crease::decayed(sharpness)
    }

    /// Sharpness of a vertex by its own tag, ≥ 0; infinite by a linear scheme.
    pub(crate) fn vertex_sharpness(&self, vertex: u32) -> f64 {
        if self.linear {
            return f64::INFINITY;
        }
        self.vertex_sharpness.get(vertex as usize).copied().unwrap_or(0.0)
    }

    /// Whether no edge and no vertex has a sharpness of its own that has to be passed on.
    pub(crate) fn is_smooth(&self) -> bool {
        self.linear || self.edge_sharpness.is_empty() && self.vertex_sharpness.is_empty()
    }

    /// Calls `each` with every edge at a vertex, once.
    pub fn vertex_edges(&self, vertex: u32, mut each: impl FnMut(u32)) {
        for &corner in self.vertex_corners.row(vertex as usize) {
            let face = self.side_face(corner) as usize;
            let (start, sides) = (self.face_start(face), self.face(face).len());
            let before = start + (corner as usize - start + sides - 1) % sides;
            for side in [corner as usize, before] {
                // of the two or more sides of an edge the first one speaks
                let edge = self.side_edge(side as u32);
                if self.edge_sides(edge)[0] == side as u32 {
                    each(edge);
                }
            }
        }
    }
}

/// What a refined vertex comes from.
#[derive(Clone, Copy)]
pub(super) enum VertexSource {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}

/// The masks of a scheme whose limit is known.
///
/// # Errors
/// [`Error::Request`] for another scheme.
pub(in crate::surface) fn masks_of(scheme: Scheme) -> Result<&'static dyn LimitScheme> {
    scheme.rules().limit().ok_or_else(|| {
        Error::request(format!("limit points of {}", scheme.rules().name()))
            .with_help(format!("take {}", Scheme::names(Scheme::has_limit)))
    })
}

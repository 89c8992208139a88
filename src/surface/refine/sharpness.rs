//! Sharp edges and vertices of one level: what the smooth rules do not decide.
//!
//! Kernels compute everything smooth first, then overwrite what stands here (after Mlakar
//! et al. 2020, section 5): a few edges and vertices, in short sorted lists. Edges where
//! the surface ends are creases that are infinitely sharp.

use crate::error::Result;
use crate::mesh::{BoundaryRule, CreaseRule, SurfaceMesh, TriangleRule};
use crate::numbers::Real;
use crate::scheme::catmull_clark::triangle_stretch;
use crate::scheme::crease::{
    ALONG_END, ALONG_OWN, VertexBlend, VertexSharpness, decayed, edge_weight,
};
use crate::scheme::point::{Point, add, blend, middle, scale};
use crate::topology::NONE;
use crate::topology::surface::SurfaceTopology;
use crate::topology::surface::{non_manifold_corners, non_manifold_edges};

/// An edge that is sharp at this level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharpEdge {
    /// The edge.
    pub edge: u32,
    /// End vertices of the edge, the smaller first.
    pub ends: [u32; 2],
    /// Sharpness, above 0; infinite for edges that are sharp at all levels.
    pub sharpness: f64,
    /// Sharpness of its halves at these ends, one level on.
    pub halves: [f64; 2],
}

/// An edge beside a triangle, by the smooth rule of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleEdge {
    /// The edge.
    pub edge: u32,
    /// End vertices of the edge, the smaller first.
    pub ends: [u32; 2],
    /// Distance of the edge's smooth point from the midpoint, as a multiple of other edges'
    /// distance.
    pub stretch: f64,
}

/// A vertex by the rules of creases or corners: smooth · S + crease · (e₁ + 6P + e₂)/8 + corner ·
/// P. The weights sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharpVertex {
    /// The vertex.
    pub vertex: u32,
    /// The other ends of its two sharp edges, where `crease` is not 0.
    pub ends: [u32; 2],
    /// Weight of the smooth rule.
    pub smooth: f64,
    /// Weight of the crease rule.
    pub crease: f64,
    /// Weight of the vertex itself.
    pub corner: f64,
}

/// Sharpness of one level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelSharpness {
    /// Sharp edges, by edge.
    pub edges: Vec<SharpEdge>,
    /// Vertices with a corner tag and their sharpness above 0, by vertex.
    pub corners: Vec<(u32, f64)>,
    /// Sharp vertices, which do not follow the smooth rule, by vertex.
    pub vertices: Vec<SharpVertex>,
    /// Edges with a smooth rule of their own, by edge. Of a control mesh alone, as Catmull-Clark
    /// makes no triangles.
    pub triangle_edges: Vec<TriangleEdge>,
}

/// Vertices that stay in place by the boundary rule: boundary vertices of one face.
pub(in crate::surface) fn boundary_corners(
    mesh: &SurfaceMesh,
    topology: &SurfaceTopology,
) -> Vec<u32> {
    if mesh.boundary != BoundaryRule::EdgesAndCorners {
        return Vec::new();
    }
    let is_end = |c: u32| topology.edge_corners[topology.edges[c as usize] as usize][1] == NONE;
    let stays =
        |row: &[u32]| matches!(*row, [c] if is_end(c) && is_end(topology.columns.previous(c)));
    let rows = topology.vertex_corners();
    (0..).zip(rows.iter()).filter(|(_, row)| stays(row)).map(|(v, _)| v).collect()
}

impl LevelSharpness {
    /// Nothing is sharp.
    pub(crate) const SMOOTH: Self = Self {
        edges: Vec::new(),
        corners: Vec::new(),
        vertices: Vec::new(),
        triangle_edges: Vec::new(),
    };

    /// Sharpness of a control mesh; of several tags at one edge or vertex the last counts.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) for a crease that is not an edge, or a corner that is not
    /// a vertex.
    pub(crate) fn of(
        mesh: &SurfaceMesh,
        topology: &SurfaceTopology,
        rule: CreaseRule,
    ) -> Result<Self> {
        let [mut edges, mut corners] = topology.sharpness(&mesh.creases)?;
        edges.resize(topology.edge_count(), 0.0);
        corners.resize(topology.vertex_count, 0.0);
        for (edge, at) in topology.edge_corners.iter().enumerate() {
            if at[1] == NONE {
                edges[edge] = f64::INFINITY;
            }
        }
        non_manifold_edges(topology).for_each(|e| edges[e as usize] = f64::INFINITY);
        for v in non_manifold_corners(topology).into_iter().chain(boundary_corners(mesh, topology))
        {
            corners[v as usize] = f64::INFINITY;
        }
        let sharp = |&(_, sharpness): &(u32, f64)| sharpness > 0.0;
        let edges = (0..).zip(edges).filter(sharp).map(|(edge, sharpness)| SharpEdge {
            edge,
            ends: topology.edge_ends(edge),
            sharpness,
            halves: [decayed(sharpness); 2],
        });
        let corners = (0..).zip(corners).filter(sharp).collect();
        Ok(Self::of_level(edges.collect(), corners, rule))
    }

    /// Sharpness of a control mesh, with the edges of triangles, which Catmull-Clark alone knows a
    /// rule of.
    pub(in crate::surface) fn with_triangles(
        mut self,
        rule: TriangleRule,
        topology: &SurfaceTopology,
    ) -> Self {
        if rule == TriangleRule::Smooth {
            self.triangle_edges = triangle_edges(topology);
        }
        self
    }

    /// Edges have the halves of the uniform rule.
    fn of_level(mut edges: Vec<SharpEdge>, corners: Vec<(u32, f64)>, rule: CreaseRule) -> Self {
        if rule == CreaseRule::Chaikin {
            let mean = semi_sharp_at_vertices(&edges);
            for sharp in &mut edges {
                for (end, half) in sharp.ends.into_iter().zip(&mut sharp.halves) {
                    if let Ok(i) = mean.binary_search_by_key(&end, |at| at.0) {
                        let (_, count, sum) = mean[i];
                        *half = decayed(rule.blended(sharp.sharpness, count, sum));
                    }
                }
            }
        }
        Self::new(edges, corners)
    }

    pub(in crate::surface) fn new(edges: Vec<SharpEdge>, corners: Vec<(u32, f64)>) -> Self {
        let vertices = sharp_vertices(&edges, &corners);
        Self { edges, corners, vertices, triangle_edges: Vec::new() }
    }

    /// The next level's: the halves of edge e are 2e at its smaller end and 2e + 1, and
    /// join it to vertex `first_edge_point` + e.
    pub(in crate::surface) fn refined(&self, first_edge_point: u32, rule: CreaseRule) -> Self {
        let mut edges = Vec::with_capacity(2 * self.edges.len());
        for sharp in &self.edges {
            let middle = first_edge_point + sharp.edge;
            for ((edge, end), sharpness) in (2 * sharp.edge..).zip(sharp.ends).zip(sharp.halves) {
                if sharpness > 0.0 {
                    let halves = [decayed(sharpness); 2];
                    edges.push(SharpEdge { edge, ends: [end, middle], sharpness, halves });
                }
            }
        }
        let corners = self.corners.iter().filter(|(_, s)| *s > 1.0).map(|&(v, s)| (v, s - 1.0));
        Self::of_level(edges, corners.collect(), rule)
    }

    /// Overwrites the points of edges of triangles and of sharp edges; `ends` are points of the
    /// coarse mesh.
    pub(in crate::surface) fn sharpen_edges<T: Real>(
        &self,
        points: &[Point<T>],
        edge_points: &mut [Point<T>],
    ) {
        for TriangleEdge { edge, ends, stretch } in &self.triangle_edges {
            let [a, b] = ends.map(|v| points[v as usize]);
            let out = &mut edge_points[*edge as usize];
            *out = blend(*out, middle(a, b), 1.0 - stretch);
        }
        for sharp in &self.edges {
            let [a, b] = sharp.ends.map(|v| points[v as usize]);
            let out = &mut edge_points[sharp.edge as usize];
            *out = match sharp.weight() {
                1.0 => middle(a, b),
                weight => blend(*out, middle(a, b), weight),
            };
        }
    }

    /// Overwrites the points of sharp vertices.
    pub(in crate::surface) fn sharpen_vertices<T: Real>(
        &self,
        points: &[Point<T>],
        vertex_points: &mut [Point<T>],
    ) {
        for sharp in &self.vertices {
            let out = &mut vertex_points[sharp.vertex as usize];
            *out = sharp.point(points, *out);
        }
    }
}

/// The edges of two faces with a triangle among them.
fn triangle_edges(topology: &SurfaceTopology) -> Vec<TriangleEdge> {
    let stretch = |corners: [u32; 2]| {
        let size = |c: u32| topology.columns.corners(topology.columns.face(c)).len();
        triangle_stretch(corners.map(size))
    };
    let inner = (0..).zip(&topology.edge_corners).filter(|(_, corners)| corners[1] != NONE);
    let edges = inner.map(|(edge, &corners)| TriangleEdge {
        edge,
        ends: topology.edge_ends(edge),
        stretch: stretch(corners),
    });
    edges.filter(|edge| edge.stretch != 1.0).collect()
}

impl SharpEdge {
    /// Weight of its midpoint, beside the smooth rule.
    pub(super) fn weight(&self) -> f64 {
        edge_weight(self.sharpness, self.halves)
    }
}

impl SharpVertex {
    /// Weights of a vertex, unless the smooth rule alone holds.
    pub(super) fn of(vertex: u32, sharp: &VertexSharpness) -> Option<Self> {
        let VertexBlend { smooth, crease, corner, ends } = sharp.blend();
        (smooth != 1.0).then_some(Self { vertex, ends, smooth, crease, corner })
    }

    /// The vertex point, given what the smooth rule says.
    #[inline]
    pub(in crate::surface) fn point<T: Real>(
        &self,
        points: &[Point<T>],
        smooth: Point<T>,
    ) -> Point<T> {
        let p = points[self.vertex as usize];
        let mut sum = scale(p, T::from_f64(self.corner));
        if self.smooth > 0.0 {
            sum = add(sum, scale(smooth, T::from_f64(self.smooth)));
        }
        if self.crease > 0.0 {
            let [a, b] = self.ends.map(|v| points[v as usize]);
            let rule =
                add(scale(p, T::from_f64(ALONG_OWN)), scale(add(a, b), T::from_f64(ALONG_END)));
            sum = add(sum, scale(rule, T::from_f64(self.crease)));
        }
        sum
    }
}

/// The weights at every vertex that does not follow the smooth rule alone.
fn sharp_vertices(edges: &[SharpEdge], corners: &[(u32, f64)]) -> Vec<SharpVertex> {
    // (vertex, other end, sharpness, of the half); NONE for the corner itself
    let mut at: Vec<(u32, u32, f64, f64)> = edges
        .iter()
        .flat_map(|sharp| {
            let ([a, b], [near, far]) = (sharp.ends, sharp.halves);
            [(a, b, sharp.sharpness, near), (b, a, sharp.sharpness, far)]
        })
        .chain(corners.iter().map(|&(v, sharpness)| (v, NONE, sharpness, 0.0)))
        .collect();
    at.sort_unstable_by_key(|&(v, end, ..)| (v, end));
    at.chunk_by(|a, b| a.0 == b.0)
        .filter_map(|group| {
            let mut at = VertexSharpness::default();
            let (edges, tag) = match group.split_last() {
                Some((&(_, NONE, sharpness, _), rest)) => (rest, sharpness),
                _ => (group, 0.0),
            };
            at.tag(tag);
            edges.iter().for_each(|&(_, end, sharpness, half)| at.edge(end, sharpness, half));
            SharpVertex::of(group[0].0, &at)
        })
        .collect()
}

/// Number and sum of the finite sharpness values at each vertex that has any.
fn semi_sharp_at_vertices(edges: &[SharpEdge]) -> Vec<(u32, u32, f64)> {
    let mut at: Vec<(u32, f64)> = edges
        .iter()
        .filter(|sharp| sharp.sharpness.is_finite())
        .flat_map(|sharp| sharp.ends.map(|end| (end, sharp.sharpness)))
        .collect();
    at.sort_by_key(|&(v, _)| v);
    at.chunk_by(|a, b| a.0 == b.0)
        .map(|group| (group[0].0, group.len() as u32, group.iter().map(|&(_, s)| s).sum()))
        .collect()
}

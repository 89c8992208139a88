//! One step of refinement, of a whole surface or of the children around chosen faces
//! with all that their limit depends on.

use super::connectivity::{Connectivity, VertexSource};
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::mesh::Creases;
use crate::scheme::FaceShape;
use crate::scheme::Stencils;
use crate::topology::NONE;

/// A refined surface and where it came from.
pub(super) struct LocalRefinement {
    pub stencils: Stencils,
    pub connectivity: Connectivity<'static>,
    /// Parent face and number of the child, of every face: the parent's corner,
    /// or 3 for the middle of a triangle.
    pub parents: Vec<(u32, u32)>,
}

/// Refines once; with a `region`, only the children around those faces.
pub(super) fn refine(coarse: &Connectivity, region: Option<&[u32]>) -> Result<LocalRefinement> {
    let mut wanted = vec![region.is_none(); coarse.vertex_count()];
    for &f in region.unwrap_or(&[]) {
        coarse.face(f as usize).iter().for_each(|&v| wanted[v as usize] = true);
    }
    let numbers = RefinedNumbers::of(coarse, &wanted);
    let stencils = Stencils::build(numbers.sources.len(), |r, row| match numbers.sources[r] {
        VertexSource::Vertex(v) => coarse.vertex_point(v, row),
        VertexSource::Edge(e) => coarse.edge_point(e, row),
        VertexSource::Face(f) => coarse.face_point(f, row),
    });
    let mut corners = Vec::new();
    let mut parents = Vec::new();
    for f in 0..coarse.face_count() {
        stop_point();
        numbers.push_children(coarse, &wanted, f, |number, child| {
            corners.extend_from_slice(child);
            parents.push((f as u32, number));
        });
    }
    let mut connectivity =
        Connectivity::of_faces(corners, stencils.len(), coarse.scheme, coarse.masks);
    connectivity.crease_rule = coarse.crease_rule;
    connectivity.resolve(&numbers.creases(coarse, &wanted))?;
    connectivity.refine_semi_sharp(coarse, &numbers.sources);
    Ok(LocalRefinement { stencils, connectivity, parents })
}

/// Numbers of refined vertices: vertex points first, then edge and face points;
/// [`NONE`] outside the region.
struct RefinedNumbers {
    vertices: Vec<u32>,
    edges: Vec<u32>,
    faces: Vec<u32>,
    sources: Vec<VertexSource>,
}

impl RefinedNumbers {
    fn of(coarse: &Connectivity, wanted: &[bool]) -> Self {
        let mut sources = Vec::new();
        let mut number =
            |count: usize, wanted: &dyn Fn(usize) -> bool, source: fn(u32) -> VertexSource| {
                let mut numbers = vec![NONE; count];
                for i in (0..count).filter(|&i| wanted(i)) {
                    numbers[i] = sources.len() as u32;
                    sources.push(source(i as u32));
                }
                numbers
            };
        let any = |vertices: &[u32]| vertices.iter().any(|&v| wanted[v as usize]);
        let is_used = |v: usize| wanted[v] && !coarse.vertex_corners.row(v).is_empty();
        let has_face_point =
            |f: usize| coarse.scheme.shape() == FaceShape::Quad && any(coarse.face(f));
        let vertices = number(coarse.vertex_count(), &is_used, VertexSource::Vertex);
        let edges =
            number(coarse.edge_count(), &|e| any(&coarse.edge_ends(e as u32)), VertexSource::Edge);
        let faces = number(coarse.face_count(), &has_face_point, VertexSource::Face);
        Self { vertices, edges, faces, sources }
    }

    /// Calls `push` with the number and the vertex cycle of each child of a face. The
    /// children of quads and triangles keep their parent's axes, but for the middle of a
    /// triangle, which is turned by half a turn.
    fn push_children(
        &self,
        coarse: &Connectivity,
        wanted: &[bool],
        face: usize,
        mut push: impl FnMut(u32, &[u32]),
    ) {
        let (start, cycle) = (coarse.face_start(face), coarse.face(face));
        let sides = cycle.len();
        let edge = |i: usize| self.edges[coarse.side_edge((start + i % sides) as u32) as usize];
        let is_wanted = |i: usize| wanted[cycle[i] as usize];
        for i in (0..sides).filter(|&i| is_wanted(i)) {
            let (v, next, before) =
                (self.vertices[cycle[i] as usize], edge(i), edge(i + sides - 1));
            match coarse.scheme.shape() {
                FaceShape::Triangle => {
                    let mut child = [v, next, before];
                    child.rotate_right(i);
                    push(i as u32, &child);
                }
                FaceShape::Quad => {
                    let mut child = [v, next, self.faces[face], before];
                    if sides == 4 {
                        child.rotate_right(i);
                    }
                    push(i as u32, &child);
                }
            }
        }
        if coarse.scheme.shape() == FaceShape::Triangle
            && (0..3).filter(|&i| is_wanted(i)).count() > 1
        {
            push(3, &[edge(1), edge(2), edge(0)]);
        }
    }

    fn creases(&self, coarse: &Connectivity, wanted: &[bool]) -> Creases {
        let mut creases = Creases::default();
        if coarse.is_smooth() {
            return creases;
        }
        for e in 0..coarse.edge_count() as u32 {
            // boundary is sharp by itself
            if coarse.edge_sides(e).len() != 2 {
                continue;
            }
            for v in coarse.edge_ends(e).into_iter().filter(|&v| wanted[v as usize]) {
                let s = coarse.half_sharpness(e, v);
                if s > 0.0 {
                    creases.push_edge(self.vertices[v as usize], self.edges[e as usize], s);
                }
            }
        }
        for v in (0..coarse.vertex_count()).filter(|&v| self.vertices[v] != NONE) {
            let s = coarse.vertex_sharpness(v as u32) - 1.0;
            if s > 0.0 {
                creases.push_corner(self.vertices[v], s);
            }
        }
        creases
    }
}

//! Refined matrices: edges numbered from those of the coarse mesh, without a sort.
//!
//! The Loop program of Naidu and Wang (2025) sorts at every level to find the edges. But
//! every refined edge is half of a coarse one or lies inside a coarse face, which numbers
//! it; the tests check that sorting finds the same.

use rayon::prelude::*;

use super::{Columns, MeshMatrix};
use crate::pages;
use crate::topology::NONE;

/// Which lists of a refined matrix are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::surface) enum Lists {
    /// [`MeshMatrix::vertices`] alone, which is all that the last level needs.
    Vertices,
    /// All.
    All,
}

/// The matrix after one step of Catmull-Clark, in which every corner becomes a quad:
/// corner c of a face becomes face c with the vertices (vertex point, point of the edge
/// out, face point, point of the edge in). Lists take the memory of `spare`.
///
/// Vertex points keep their ids; face points follow, then edge points. The halves of edge
/// e are 2e (at its smaller end) and 2e + 1; the edge from edge point c to the face point
/// is 2E + c. So no sort is needed.
pub(in crate::surface) fn split_to_quads(
    coarse: &MeshMatrix,
    lists: Lists,
    spare: MeshMatrix,
) -> MeshMatrix {
    let corners = coarse.corner_count;
    let is_whole = lists == Lists::All;
    let mut vertices = pages::reused(spare.vertices, 4 * corners);
    let mut edges = pages::reused(spare.edges, if is_whole { 4 * corners } else { 0 });
    let edge_corners = match &coarse.columns {
        Columns::Uniform(4) => {
            split_quads(coarse, &mut vertices, &mut edges);
            is_whole.then(|| split_edge_corners(coarse, Quads, spare.edge_corners))
        }
        columns => {
            split_polygons(coarse, &mut vertices, &mut edges);
            is_whole.then(|| split_edge_corners(coarse, columns, spare.edge_corners))
        }
    };
    let edge_corners = edge_corners.unwrap_or_default();
    MeshMatrix { vertices, edges, edge_corners, ..counts_of_split(coarse) }
}

/// The vertices of the quads after two steps from quads, with the matrix between: that
/// counts only.
pub(in crate::surface) fn split_quads_twice(
    coarse: &MeshMatrix,
    spare: MeshMatrix,
) -> [MeshMatrix; 2] {
    let middle = counts_of_split(coarse);
    let (first, second) = (Numbering::of(coarse), Numbering::of(&middle));
    let mut vertices = pages::reused(spare.vertices, 16 * coarse.corner_count);
    let quads = coarse.vertices.as_chunks::<4>().0.par_iter();
    let quads = quads.zip(coarse.edges.as_chunks::<4>().0).enumerate();
    let out = vertices.as_chunks_mut::<64>().0.par_iter_mut().with_min_len(GRAIN / 16);
    out.zip(quads).for_each(|(out, (f, (&quad, &sides)))| {
        let f = f as u32;
        let children = first.children(f, quad, sides).into_iter();
        let children = (4 * f..).zip(children.zip(first.child_edges(f, quad, sides)));
        for ((f, (quad, sides)), out) in children.zip(out.as_chunks_mut::<16>().0) {
            out.copy_from_slice(second.children(f, quad, sides).as_flattened());
        }
    });
    let fine = MeshMatrix { vertices, ..counts_of_split(&middle) };
    [middle, fine]
}

/// The matrix after one step of Catmull-Clark, without lists.
fn counts_of_split(coarse: &MeshMatrix) -> MeshMatrix {
    MeshMatrix {
        vertex_count: coarse.vertex_count + coarse.face_count + coarse.edge_count,
        face_count: coarse.corner_count,
        corner_count: 4 * coarse.corner_count,
        columns: Columns::Uniform(4),
        vertices: Vec::new(),
        edges: Vec::new(),
        edge_count: 2 * coarse.edge_count + coarse.corner_count,
        edge_corners: Vec::new(),
        crowded_edges: split_crowded(coarse),
    }
}

/// Where the new ids of a step of Catmull-Clark begin.
#[derive(Clone, Copy)]
struct Numbering {
    first_face_point: u32,
    first_edge_point: u32,
    /// Of the edges inside coarse faces.
    first_inner: u32,
}

impl Numbering {
    fn of(coarse: &MeshMatrix) -> Self {
        let first_face_point = coarse.vertex_count as u32;
        let first_edge_point = first_face_point + coarse.face_count as u32;
        Self { first_face_point, first_edge_point, first_inner: 2 * coarse.edge_count as u32 }
    }

    /// The quads at the corners of quad f.
    #[inline(always)]
    fn children(self, f: u32, quad: [u32; 4], sides: [u32; 4]) -> [[u32; 4]; 4] {
        let points = sides.map(|e| self.first_edge_point + e);
        let centre = self.first_face_point + f;
        [0, 1, 2, 3].map(|i| [quad[i], points[i], centre, points[(i + 3) % 4]])
    }

    /// Their edges.
    #[inline(always)]
    fn child_edges(self, f: u32, quad: [u32; 4], sides: [u32; 4]) -> [[u32; 4]; 4] {
        // the halves of a side at its start
        let starts = [0, 1, 2, 3].map(|i| 2 * sides[i] + u32::from(quad[i] > quad[(i + 1) % 4]));
        let inside = [0, 1, 2, 3].map(|i| self.first_inner + 4 * f + i);
        [0, 1, 2, 3].map(|i| {
            let before = (i + 3) % 4;
            [starts[i], inside[i as usize], inside[before], starts[before] ^ 1]
        })
    }
}

fn split_crowded(coarse: &MeshMatrix) -> Vec<u32> {
    coarse.crowded_edges.iter().flat_map(|&e| [2 * e, 2 * e + 1]).collect()
}

/// Navigation in a face; quads need no table.
pub(in crate::surface) trait Navigate: Copy + Sync {
    fn next(self, corner: u32) -> u32;
    fn previous(self, corner: u32) -> u32;
    fn face(self, corner: u32) -> u32;
}

/// Faces of four corners: 4f to 4f + 3.
#[derive(Clone, Copy)]
pub(in crate::surface) struct Quads;

impl Navigate for Quads {
    #[inline(always)]
    fn next(self, corner: u32) -> u32 {
        corner & !3 | (corner + 1) & 3
    }

    #[inline(always)]
    fn previous(self, corner: u32) -> u32 {
        corner & !3 | (corner + 3) & 3
    }

    #[inline(always)]
    fn face(self, corner: u32) -> u32 {
        corner >> 2
    }
}

impl Navigate for &Columns {
    fn next(self, corner: u32) -> u32 {
        self.next(corner)
    }

    fn previous(self, corner: u32) -> u32 {
        self.previous(corner)
    }

    fn face(self, corner: u32) -> u32 {
        self.face(corner)
    }
}

/// Faces or edges a work item covers.
const GRAIN: usize = 4096;

/// Vertices and edges of the quads at the corners of any faces.
fn split_polygons(coarse: &MeshMatrix, vertices: &mut [u32], edges: &mut [u32]) {
    let go = &coarse.columns;
    let Numbering { first_face_point, first_edge_point, first_inner } = Numbering::of(coarse);
    let edge = |c: u32| coarse.edges[c as usize];
    let column = |c: u32| -> [u32; 4] {
        let out = first_edge_point + edge(c);
        let into = first_edge_point + edge(go.previous(c));
        [coarse.vertex(c), out, first_face_point + go.face(c), into]
    };
    let columns = vertices.as_chunks_mut::<4>().0.par_iter_mut().with_min_len(GRAIN);
    columns.enumerate().for_each(|(c, out)| *out = column(c as u32));
    let sides = |c: u32| -> [u32; 4] {
        let (before, after) = (go.previous(c), go.next(c));
        let turned = |other: u32| u32::from(coarse.vertex(c) > coarse.vertex(other));
        let (out, into) = (2 * edge(c) + turned(after), 2 * edge(before) + turned(before));
        [out, first_inner + c, first_inner + before, into]
    };
    let columns = edges.as_chunks_mut::<4>().0.par_iter_mut().with_min_len(GRAIN);
    columns.enumerate().for_each(|(c, out)| *out = sides(c as u32));
}

/// The same of quads, both lists of a face at once.
fn split_quads(coarse: &MeshMatrix, vertices: &mut [u32], edges: &mut [u32]) {
    let numbering = Numbering::of(coarse);
    let quads = coarse.vertices.as_chunks::<4>().0.par_iter();
    let quads = quads.zip(coarse.edges.as_chunks::<4>().0).enumerate();
    let quads = quads.with_min_len(GRAIN / 4);
    let vertices = vertices.as_chunks_mut::<16>().0.par_iter_mut();
    if edges.is_empty() {
        vertices.zip(quads).for_each(|(out, (f, (&quad, &sides)))| {
            out.copy_from_slice(numbering.children(f as u32, quad, sides).as_flattened());
        });
        return;
    }
    let out = vertices.zip(edges.as_chunks_mut::<16>().0);
    out.zip(quads).for_each(|((out, out_edges), (f, (&quad, &sides)))| {
        let f = f as u32;
        out.copy_from_slice(numbering.children(f, quad, sides).as_flattened());
        out_edges.copy_from_slice(numbering.child_edges(f, quad, sides).as_flattened());
    });
}

/// The corners of the edges of split faces.
fn split_edge_corners(
    coarse: &MeshMatrix,
    go: impl Navigate,
    spare: Vec<[u32; 2]>,
) -> Vec<[u32; 2]> {
    let halves_count = 2 * coarse.edge_count;
    let mut corners = pages::reused(spare, halves_count + coarse.corner_count);
    let (halves, inner) = corners.split_at_mut(halves_count);
    let halves = halves.as_chunks_mut::<2>().0.par_iter_mut().with_min_len(GRAIN);
    halves.zip(&coarse.edge_corners).for_each(|(out, pair)| {
        *out = [[NONE; 2]; 2];
        for (side, &c) in pair.iter().enumerate().filter(|(_, c)| **c != NONE) {
            // the half at the start of the edge, and the half at its end
            let after = go.next(c);
            let turned = usize::from(coarse.vertex(c) > coarse.vertex(after));
            out[turned][side] = 4 * c;
            out[1 - turned][side] = 4 * after + 3;
        }
    });
    let inner = inner.par_iter_mut().with_min_len(GRAIN).enumerate();
    inner.for_each(|(c, out)| *out = [4 * c as u32 + 1, 4 * go.next(c as u32) + 2]);
    corners
}

/// Faces of three corners: 3f to 3f + 2.
#[derive(Clone, Copy)]
pub(in crate::surface) struct Triangles;

impl Navigate for Triangles {
    #[inline(always)]
    fn next(self, corner: u32) -> u32 {
        if corner % 3 == 2 { corner - 2 } else { corner + 1 }
    }

    #[inline(always)]
    fn previous(self, corner: u32) -> u32 {
        if corner.is_multiple_of(3) { corner + 2 } else { corner - 1 }
    }

    #[inline(always)]
    fn face(self, corner: u32) -> u32 {
        corner / 3
    }
}

/// The matrix after one step of Loop: triangle t becomes 4t + i at its corner i (vertex
/// point, point of the edge out, point of the edge in) and 4t + 3 between the edge points.
///
/// Vertex points keep their ids, edge points follow. The halves of edge e are 2e (at its
/// smaller end) and 2e + 1; the edge that cuts off corner c is 2E + c. Vertices are always
/// listed.
pub(in crate::surface) fn split_to_triangles(
    coarse: &MeshMatrix,
    lists: Lists,
    spare: MeshMatrix,
) -> MeshMatrix {
    let first_edge_point = coarse.vertex_count as u32;
    let inner = 2 * coarse.edge_count() as u32;
    let corners = |t: usize| [0, 1, 2].map(|i| 3 * t as u32 + i);
    let mut vertices = pages::reused(spare.vertices, 4 * coarse.corner_count);
    vertices.par_chunks_mut(12 * GRAIN).enumerate().for_each(|(part, out)| {
        for (t, out) in (part * GRAIN..).zip(out.as_chunks_mut::<12>().0) {
            let [a, b, c] = corners(t).map(|corner| coarse.vertex(corner));
            let [e, f, g] =
                corners(t).map(|corner| first_edge_point + coarse.edges[corner as usize]);
            *out = [a, e, g, b, f, e, c, g, f, e, f, g];
        }
    });
    let is_whole = lists == Lists::All;
    let mut fine_edges = pages::reused(spare.edges, if is_whole { vertices.len() } else { 0 });
    fine_edges.par_chunks_mut(12 * GRAIN).enumerate().for_each(|(part, out)| {
        for (t, out) in (part * GRAIN..).zip(out.as_chunks_mut::<12>().0) {
            // halves at the start and at the end of each side
            let halves = corners(t).map(|corner| {
                let turned = coarse.vertex(corner) > coarse.vertex(Triangles.next(corner));
                let half = 2 * coarse.edges[corner as usize];
                [half + u32::from(turned), half + u32::from(!turned)]
            });
            let [ea, eb, ec] = halves;
            let [a, b, c] = corners(t).map(|corner| inner + corner);
            *out = [ea[0], a, ec[1], eb[0], b, ea[1], ec[0], c, eb[1], b, c, a];
        }
    });
    let edge_corners = if is_whole { triangle_edge_corners(coarse) } else { Vec::new() };
    MeshMatrix {
        vertex_count: coarse.vertex_count + coarse.edge_count(),
        face_count: 4 * coarse.face_count,
        columns: Columns::Uniform(3),
        vertices,
        edge_count: 2 * coarse.edge_count + coarse.corner_count,
        corner_count: 4 * coarse.corner_count,
        edges: fine_edges,
        edge_corners,
        crowded_edges: split_crowded(coarse),
    }
}

/// First corner of the child at a corner.
#[inline(always)]
pub(in crate::surface) fn child_of_triangle(corner: u32) -> u32 {
    12 * (corner / 3) + 3 * (corner % 3)
}

fn triangle_edge_corners(coarse: &MeshMatrix) -> Vec<[u32; 2]> {
    let edge_count = coarse.edge_count();
    let mut corners = pages::zeros(2 * edge_count + coarse.vertices.len());
    let (halves, inner) = corners.split_at_mut(2 * edge_count);
    halves.par_chunks_mut(2 * GRAIN).enumerate().for_each(|(part, out)| {
        let coarse_corners = &coarse.edge_corners[part * GRAIN..];
        for (pair, out) in coarse_corners.iter().zip(out.as_chunks_mut::<2>().0) {
            *out = [[NONE; 2]; 2];
            for (side, &c) in pair.iter().enumerate().filter(|(_, c)| **c != NONE) {
                let after = Triangles.next(c);
                let turned = coarse.vertex(c) > coarse.vertex(after);
                out[usize::from(turned)][side] = child_of_triangle(c);
                out[usize::from(!turned)][side] = child_of_triangle(after) + 2;
            }
        }
    });
    inner.par_chunks_mut(GRAIN).enumerate().for_each(|(part, out)| {
        for (c, out) in ((part * GRAIN) as u32..).zip(out) {
            let middle = 12 * (c / 3) + 9;
            *out = [child_of_triangle(c) + 1, middle + (c + 2) % 3];
        }
    });
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges by sorting are the derived ones, with the same corners.
    fn expect_sorted_edges(matrix: &MeshMatrix) {
        let sorted =
            MeshMatrix::build(matrix.vertex_count, matrix.columns.clone(), matrix.vertices.clone());
        assert_eq!(sorted.edge_count(), matrix.edge_count());
        for (edge, corners) in (0..).zip(&sorted.edge_corners) {
            let derived = matrix.edges[corners[0] as usize];
            assert_eq!(matrix.edge_ends(derived), sorted.edge_ends(edge));
            let mut derived = matrix.edge_corners[derived as usize];
            derived.sort_unstable();
            assert_eq!(derived, *corners);
        }
        for (corner, &edge) in matrix.edges.iter().enumerate() {
            assert_eq!(matrix.edge_ends(edge), sorted.edge_ends(sorted.edges[corner]));
        }
    }

    #[test]
    fn sorting_finds_the_edges_of_refined_quads() {
        let faces: [&[u32]; 3] = [&[0, 1, 2], &[0, 3, 4, 1], &[4, 3, 5, 6, 7]];
        let mut matrix = MeshMatrix::build(8, Columns::of(&[3, 7, 12]), faces.concat());
        for _ in 0..3 {
            matrix = split_to_quads(&matrix, Lists::All, MeshMatrix::default());
            expect_sorted_edges(&matrix);
        }
    }

    #[test]
    fn two_steps_at_once_are_two_steps() {
        let faces: [&[u32]; 3] = [&[0, 1, 2], &[0, 3, 4, 1], &[4, 3, 5, 6, 7]];
        let matrix = MeshMatrix::build(8, Columns::of(&[3, 7, 12]), faces.concat());
        let none = MeshMatrix::default;
        let coarse = split_to_quads(&matrix, Lists::All, none());
        let middle = split_to_quads(&coarse, Lists::All, none());
        let fine = split_to_quads(&middle, Lists::Vertices, none());
        // memory that is too small, and large enough
        for spare in [none(), fine.clone()] {
            let [counts, vertices] = split_quads_twice(&coarse, spare);
            assert!(counts.vertices.is_empty() && vertices.edges.is_empty());
            assert_eq!(vertices.vertices, fine.vertices);
            for (a, b) in [(&counts, &middle), (&vertices, &fine)] {
                assert_eq!(a.vertex_count, b.vertex_count);
                assert_eq!(a.face_count, b.face_count);
                assert_eq!(a.corner_count, b.corner_count);
                assert_eq!(a.edge_count(), b.edge_count());
            }
        }
    }

    #[test]
    fn sorting_finds_the_edges_of_refined_triangles() {
        // a fan, one triangle of which runs the other way
        let faces = vec![0, 1, 2, 0, 2, 3, 4, 3, 0, 0, 4, 1, 2, 1, 5];
        let mut matrix = MeshMatrix::build(6, Columns::Uniform(3), faces);
        for _ in 0..3 {
            matrix = split_to_triangles(&matrix, Lists::All, MeshMatrix::default());
            expect_sorted_edges(&matrix);
        }
    }
}

//! Local control nets: of regular faces in the order of their spline, of faces with one
//! extraordinary corner in a canonical order that faces of equal topology share.

use std::collections::HashMap;

use super::connectivity::Connectivity;
use super::frame::{FaceFrame, FaceSector};
use super::rules::LimitRule;
use crate::basis::{MissingLayers, box_spline};
use crate::limit::{NetKey, NetRows};
use crate::numbers::sorted_unique;

/// The net of a regular quad, `[v 4][u 4]`; a missing row repeats its neighbor as a
/// placeholder.
pub(super) fn regular_quad(
    connectivity: &Connectivity,
    frame: FaceFrame,
) -> ([u32; 16], MissingLayers) {
    // position of each corner, and the step along its u; its v is the left of that
    const ORIGINS: [[i32; 2]; 4] = [[1, 1], [2, 1], [2, 2], [1, 2]];
    const ALONG_U: [[i32; 2]; 4] = [[1, 0], [0, 1], [-1, 0], [0, -1]];
    // axis and side of the end that lies against u at each corner
    const BEHIND: [[usize; 2]; 4] = [[0, 0], [1, 0], [0, 1], [1, 1]];
    let mut net = [0; 16];
    let mut ends = MissingLayers::NONE;
    for k in 0..4 {
        let [x, y] = ORIGINS[k];
        let [i, j] = ALONG_U[k];
        let mut place = |u: i32, v: i32, vertex: u32| {
            let (x, y) = (x + i * u - j * v, y + j * u + i * v);
            net[(x + 4 * y) as usize] = vertex;
        };
        let corner = connectivity.advanced(frame, k);
        place(0, 0, connectivity.vertex(corner, 0));
        let Some(left) = connectivity.left(corner) else {
            let [axis, side] = BEHIND[k];
            ends.insert(axis, side);
            continue;
        };
        place(-1, 0, connectivity.vertex(left, 3));
        place(-1, 1, connectivity.vertex(left, 2));
        if let Some(opposite) = connectivity.left(left) {
            place(-1, -1, connectivity.vertex(opposite, 2));
        }
    }
    for (d, stride) in [1, 4].into_iter().enumerate() {
        for side in ends.sides(d) {
            for at in (0..16).filter(|at| at / stride % 4 == 3 * side) {
                net[at] = net[if side == 0 { at + stride } else { at - stride }];
            }
        }
    }
    (net, ends)
}

/// Steps to the neighbors of a lattice point, turning left.
const AROUND: [[i32; 2]; 6] = [[1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]];
/// Lattice points of a triangle's corners.
const CORNERS: [[i32; 2]; 3] = [[0, 0], [1, 0], [0, 1]];

/// Place among the control points of a box spline: neighbor `ring`, from u on turning
/// left, of a corner of the triangle.
fn neighbor(corner: usize, ring: usize) -> usize {
    let ([x, y], [i, j]) = (CORNERS[corner], AROUND[(2 * corner + ring) % 6]);
    box_spline::LATTICE.iter().position(|&at| at == [x + i, y + j]).unwrap_or(0)
}

fn corner_place(corner: usize) -> usize {
    box_spline::LATTICE.iter().position(|&at| at == CORNERS[corner]).unwrap_or(0)
}

/// The net of a regular triangle in the order of [`box_spline::LATTICE`]; a missing point
/// repeats a corner as a placeholder. Its missing points are two bits per corner: 0 where all six
/// faces are around it, else 1 to 3, which of the three at a boundary the triangle is, counted to
/// the left.
pub(super) fn regular_triangle(
    connectivity: &Connectivity,
    frame: FaceFrame,
) -> ([u32; 12], MissingLayers) {
    let mut net = [connectivity.vertex(frame, 0); 12];
    let mut bits = 0;
    for k in 0..3 {
        let sector = connectivity.sector(connectivity.advanced(frame, k));
        for (t, &around) in sector.frames.iter().enumerate() {
            let ring = t + 6 - sector.start;
            net[neighbor(k, ring)] = connectivity.vertex(around, 1);
            net[neighbor(k, ring + 1)] = connectivity.vertex(around, 2);
        }
        if !sector.closed {
            bits |= (1 + sector.start as u8) << (2 * k);
        }
    }
    (net, MissingLayers::from_bits(bits))
}

/// The phantoms p = q + r − s of a triangle's missing control points, as indices among
/// the twelve.
pub(super) fn phantoms(ends: MissingLayers) -> impl Iterator<Item = [usize; 4]> {
    (0..3).filter(move |&k| ends.axis(k) != MissingLayers::NONE).flat_map(move |k| {
        let before = usize::from(ends.axis(k).bits() - 1);
        let ring = move |i: usize| neighbor(k, i + 6 - before);
        [[ring(4), corner_place(k), ring(3), ring(2)], [ring(5), corner_place(k), ring(0), ring(1)]]
    })
}

/// Replaces the rows of missing control points by their phantoms' rows.
pub(super) fn fold_triangle(rows: &mut NetRows<'_>, net: &mut [u16], ends: MissingLayers) {
    for [p, q, r, s] in phantoms(ends) {
        net[p] = rows.phantom([net[q], net[r], net[s]]);
    }
}

/// The net of a face with one extraordinary corner.
pub(super) struct Net {
    /// Faces by vertex labels, then sharp edges, then the corners that stay in place.
    pub key: NetKey,
    /// Vertex of each label.
    pub vertices: Vec<u32>,
}

/// Separates the sections of a key.
const END: u16 = u16::MAX;

/// Walks the faces around the corners of a face, from its frame at the extraordinary
/// corner on.
pub(super) fn irregular(
    connectivity: &Connectivity,
    frame: FaceFrame,
    rule: impl Fn(u32) -> LimitRule,
) -> Net {
    let frames = faces_around(connectivity, frame);
    let folded = folded_end(connectivity, frame);
    let (mut key, mut labels): (NetKey, VertexLabels) = Default::default();
    let mut label = |face: u32, v: u32| {
        let copy = folded.as_ref().is_some_and(|(faces, far)| *far == v && faces.contains(&face));
        labels.of(v, copy) as u16
    };
    // the face's own corners come first: labels 0 to sides − 1
    for &f in &frames {
        key.extend(connectivity.cycle(f).map(|v| label(f.face, v)));
    }
    let sharp = sharp_edges(connectivity, &frames, &key);
    key.push(END);
    key.extend(sharp.iter().flatten());
    key.push(END);
    let corners = connectivity.cycle(frame).enumerate();
    key.extend(corners.filter(|&(_, v)| rule(v) == LimitRule::Corner).map(|(k, _)| k as u16));
    Net { key, vertices: labels.vertices.into_iter().map(|(v, _)| v).collect() }
}

/// Labels of vertices, some of which count twice, in order of first appearance.
#[derive(Default)]
struct VertexLabels {
    vertices: Vec<(u32, bool)>,
    // of those after the first few, which are found as fast one by one
    table: HashMap<(u32, bool), usize>,
}

impl VertexLabels {
    const MAX_SCANNED_VERTICES: usize = 32;

    fn of(&mut self, v: u32, copy: bool) -> usize {
        let few = self.vertices.len().min(Self::MAX_SCANNED_VERTICES);
        if let Some(at) = self.vertices[..few].iter().position(|&known| known == (v, copy)) {
            return at;
        }
        let next = self.vertices.len();
        if next < Self::MAX_SCANNED_VERTICES {
            self.vertices.push((v, copy));
            return next;
        }
        *self.table.entry((v, copy)).or_insert_with(|| {
            self.vertices.push((v, copy));
            next
        })
    }
}

/// A frame of each face around the corners of a face, its own first.
fn faces_around(connectivity: &Connectivity, frame: FaceFrame) -> Vec<FaceFrame> {
    let sides = connectivity.scheme.shape().sides();
    // around the end of a crease the faces touch it from both its sides, and so they do
    // at the other corners
    let both_sides = (0..sides).any(|k| {
        let FaceSector { frames, closed, .. } =
            connectivity.sector(connectivity.advanced(frame, k));
        let ends = frames.first().zip(frames.last());
        !closed
            && ends.is_some_and(|(&right, &left)| {
                connectivity.u_edge(right) == connectivity.v_edge(left)
            })
    });
    let mut frames = vec![frame];
    for k in 0..sides {
        let corner = connectivity.advanced(frame, k);
        let sector =
            if both_sides { connectivity.fan(corner) } else { connectivity.sector(corner) };
        let count = sector.frames.len();
        for t in sector.start..sector.start + count {
            let around = sector.frames[t % count];
            if frames.iter().all(|f| f.face != around.face) {
                frames.push(around);
            }
        }
    }
    frames
}

/// A sheet that starts and ends at one non-manifold edge comes apart there: the far end of the
/// edge counts twice. The faces that have the second one, and the far end.
fn folded_end(connectivity: &Connectivity, frame: FaceFrame) -> Option<(Vec<u32>, u32)> {
    let sides = connectivity.scheme.shape().sides();
    let frames = connectivity.sector(frame).frames;
    let (right, left) = (frames[0], frames[frames.len() - 1]);
    let edge = connectivity.u_edge(right);
    let is_folded =
        frames.len() > 1 && edge == connectivity.v_edge(left) && connectivity.is_non_manifold(edge);
    // not of the face itself
    let is_left = left.face != frame.face;
    let (side, other) = if is_left { (left, right) } else { (right, left) };
    is_folded.then(|| {
        // the faces around the far end on this side; triangles there touch the other corners
        let far = connectivity.advanced(side, if is_left { sides - 1 } else { 1 });
        let around = connectivity.sector(far).frames.into_iter().map(|f| f.face);
        let mut faces: Vec<u32> = around.collect();
        if faces.contains(&other.face) {
            faces = vec![side.face];
        }
        (faces, connectivity.vertex(right, 1))
    })
}

/// The sharp edges at the corners of the first of `frames`, whose labels are `cycles`, each once.
fn sharp_edges(
    connectivity: &Connectivity,
    frames: &[FaceFrame],
    cycles: &NetKey,
) -> Vec<[u16; 2]> {
    let sides = connectivity.scheme.shape().sides();
    let mut sharp = Vec::new();
    for (&f, cycle) in frames.iter().zip(cycles.chunks(sides)) {
        for (k, &a) in cycle.iter().enumerate() {
            let b = cycle[(k + 1) % sides];
            let is_near = usize::from(a.min(b)) < sides;
            if is_near && connectivity.is_wall(connectivity.u_edge(connectivity.advanced(f, k))) {
                sharp.push([a.min(b), a.max(b)]);
            }
        }
    }
    sorted_unique(sharp)
}

/// A key taken apart: faces of `sides` corners, sharp edges, corners that stay in place.
pub(super) fn sections(key: &NetKey, sides: usize) -> (Vec<u32>, Vec<[u32; 2]>, Vec<u32>) {
    let mut sections = key.split(|&x| x == END);
    let mut section = || sections.next().unwrap_or(&[]).iter().map(|&x| u32::from(x));
    let corners: Vec<u32> = section().collect();
    debug_assert_eq!(corners.len() % sides, 0);
    let edges: Vec<u32> = section().collect();
    (corners, edges.chunks_exact(2).map(|e| [e[0], e[1]]).collect(), section().collect())
}

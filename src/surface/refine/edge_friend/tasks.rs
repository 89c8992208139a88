//! The two tasks of a level, their sums in full.
//!
//! Quad task of quad q with friends g₀, g₁, vertices v₀ … v₃ and, across its off edges,
//! v₀′ … v₃′:
//!
//! - face point f = ((v₀ + v₁) + (v₂ + v₃)) · ¼;
//! - across v₁v₂: f₀ = ((v₁ + v₂) + (v₁′ + v₂′)) · ¼, e₀ = ((v₁ + v₂) + (f + f₀)) · ¼;
//! - across v₃v₀: f₁ = ((v₃ + v₀) + (v₃′ + v₀′)) · ¼, e₁ = ((v₃ + v₀) + (f + f₁)) · ¼, then
//!   by the edge's weight w ([`crease::edge_weight`]) and m = (v₃ + v₀) · ½: m if w = 1, else
//!   e₁ (1 − w) + m w.
//!
//! Vertex task of vertex v from its start, over the corners c₁ … cₙ around it: E = ((E₁ +
//! E₂) + E₃) … over the vertices along the off edges, F likewise over the vertices across
//! the quads; v′ = (α v + β E) + γ F with γ = 1/(4n²), β = 6γ, α = 1 − n(β + γ), computed in
//! double precision and rounded once. Where the vertex or its edges are sharp the
//! blend of [`SharpVertex`] follows.

use super::super::sharpness::SharpVertex;
use super::{FriendQuads, for_each};
use crate::disjoint::DisjointArray;
use crate::mesh::CreaseRule;
use crate::numbers::Real;
use crate::scheme::catmull_clark::{edge_point, quad_mask};
use crate::scheme::crease::{self, VertexSharpness};
use crate::scheme::point::{Point, add, blend, mean4, middle, scale};
use crate::topology::NONE;

/// The corner beside this one along its off edge.
#[inline(always)]
fn off(corner: u32) -> u32 {
    corner ^ 3
}

/// The corner across the quad.
#[inline(always)]
fn across(corner: u32) -> u32 {
    corner ^ 2
}

/// Child of the quad at the first end of an on edge.
#[inline(always)]
fn first_child(edge: u32) -> u32 {
    4 * (edge >> 1) + 2 * (edge & 1)
}

/// New vertex at the middle of an on edge.
#[inline(always)]
fn edge_slot(edge: u32) -> u32 {
    4 * (edge >> 1) + 2 + (edge & 1)
}

/// Whether the off edge of a corner is v₁v₂ (friend 0) or v₃v₀ (friend 1).
#[inline(always)]
fn side(corner: u32) -> usize {
    usize::from(matches!(corner & 3, 0 | 3))
}

/// Where the point of a vertex goes.
#[inline(always)]
pub(super) fn vertex_slot(vertex: u32, quads: &FriendQuads) -> u32 {
    let count = quads.corners.len() as u32;
    if vertex < count { 4 * vertex } else { 3 * count + vertex }
}

fn refined_count(quads: &FriendQuads) -> usize {
    let faces = quads.corners.len();
    4 * faces + quads.vertex_count.saturating_sub(faces)
}

/// Topology of the next level.
pub(super) fn refine_topology(quads: &FriendQuads, last: bool, rule: CreaseRule) -> FriendQuads {
    let mut fine = FriendQuads::default();
    fine.make_room(quads, last);
    let out = LevelArrays::of(&mut fine);
    for_each(quads.corners.len().max(quads.vertex_count), |i| {
        if i < quads.corners.len() {
            out.quad(quads, i as u32);
        }
        if i < quads.vertex_count {
            out.vertex(quads, i as u32, rule);
        }
    });
    fine
}

/// Points of the next level.
pub(super) fn refine_points<T: Real>(
    quads: &FriendQuads,
    points: &[Point<T>],
    refined: &mut [Point<T>],
    rule: CreaseRule,
) {
    let weights = FriendWeights::new();
    let out = DisjointArray::new(refined);
    for_each(quads.corners.len().max(quads.vertex_count), |i| {
        if i < quads.corners.len() {
            quad_points(quads, i as u32, points, &out, rule);
        }
        if i < quads.vertex_count {
            let point = vertex_point(quads, i as u32, points, &weights, rule, 0.0);
            // SAFETY: only this task writes its vertex
            unsafe { out.write(vertex_slot(i as u32, quads) as usize, point) }
        }
    });
    fix(quads, points, &weights, rule, refined);
}

/// Topology and points of the next level in one pass.
pub(super) fn refine<T: Real>(
    quads: &FriendQuads,
    points: &[Point<T>],
    fine: &mut FriendQuads,
    refined: &mut [Point<T>],
    rule: CreaseRule,
) {
    let weights = FriendWeights::new();
    let (out, out_points) = (LevelArrays::of(fine), DisjointArray::new(refined));
    for_each(quads.corners.len().max(quads.vertex_count), |i| {
        if i < quads.corners.len() {
            out.quad(quads, i as u32);
            quad_points(quads, i as u32, points, &out_points, rule);
        }
        if i < quads.vertex_count {
            out.vertex(quads, i as u32, rule);
            let point = vertex_point(quads, i as u32, points, &weights, rule, 0.0);
            // SAFETY: only this task writes its vertex
            unsafe { out_points.write(vertex_slot(i as u32, quads) as usize, point) }
        }
    });
    fix(quads, points, &weights, rule, refined);
}

impl FriendQuads {
    /// Arrays for the level after `coarse`, of any content where a task writes, and what
    /// needs no task.
    pub(super) fn make_room(&mut self, coarse: &Self, last: bool) {
        let (quads, vertex_count) = (4 * coarse.corners.len(), refined_count(coarse));
        let if_linked = |count| if last { 0 } else { count };
        self.corners.resize(quads, [0; 4]);
        self.friends.resize(if_linked(quads), [0; 2]);
        self.starts.resize(if_linked(vertex_count), NONE);
        if !last {
            // slots of vertices that the coarse level has not
            (coarse.vertex_count..coarse.corners.len()).for_each(|v| self.starts[4 * v] = NONE);
        }
        let sharp = if coarse.sharpness.is_empty() { 0 } else { if_linked(quads) };
        self.sharpness.clear(); // tasks write where it is not 0
        self.sharpness.resize(sharp, 0.0);
        let fixed = coarse.fixed.iter().filter(|(_, s)| *s > 1.0);
        self.fixed.clear();
        self.fixed.extend(fixed.map(|&(v, s)| (vertex_slot(v, coarse), s - 1.0)));
        self.vertex_count = vertex_count;
    }
}

/// The arrays of the next level, written by all threads.
struct LevelArrays<'a> {
    corners: DisjointArray<'a, [u32; 4]>,
    friends: DisjointArray<'a, u32>,
    starts: DisjointArray<'a, u32>,
    sharpness: DisjointArray<'a, f64>,
    linked: bool,
}

impl<'a> LevelArrays<'a> {
    fn of(fine: &'a mut FriendQuads) -> Self {
        Self {
            linked: !fine.friends.is_empty(),
            corners: DisjointArray::new(&mut fine.corners),
            friends: DisjointArray::new(fine.friends.as_flattened_mut()),
            starts: DisjointArray::new(&mut fine.starts),
            sharpness: DisjointArray::new(&mut fine.sharpness),
        }
    }

    /// Four quads, their friends, and the starts of three new vertices.
    #[inline(always)]
    fn quad(&self, quads: &FriendQuads, q: u32) {
        let [g0, g1] = quads.friends[q as usize];
        let [w0, w1, w2, w3] = quads.corners[q as usize].map(|v| vertex_slot(v, quads));
        let face = 4 * q + 1;
        let (on0, on1, off0, off1) = (4 * q + 2, 4 * q + 3, edge_slot(g0), edge_slot(g1));
        let children = [
            [w0, on0, face, off1],
            [w1, off0, face, on0],
            [w2, on1, face, off0],
            [w3, off1, face, on1],
        ];
        for (child, corners) in (4 * q..).zip(children) {
            // SAFETY: only this task writes the children of quad q
            unsafe { self.corners.write(child as usize, corners) }
        }
        if !self.linked {
            return;
        }
        let child = 4 * q;
        // children across: n at the first end of the friend, n + 1 at the other
        let (n0, n1) = (first_child(g1), first_child(g0));
        // SAFETY: entry 0 belongs to the children of q; entry 1 of children 0 and 2 too;
        // entry 1 of an odd child is written by the one quad across its parent's on edge,
        // as are the starts of that edge's point.
        unsafe {
            for i in 0..4 {
                let next = child + (i + 1) % 4;
                self.friends.write(2 * (child + i) as usize, 2 * next + 1);
            }
            self.friends.write(2 * child as usize + 1, 2 * n0);
            self.friends.write(2 * (child + 2) as usize + 1, 2 * n1);
            self.friends.write(2 * (n1 + 1) as usize + 1, 2 * (child + 1));
            self.friends.write(2 * (n0 + 1) as usize + 1, 2 * (child + 3));
            self.starts.write(face as usize, 4 * child + 2);
            self.starts.write(off0 as usize, 4 * n1 + 1);
            self.starts.write(off1 as usize, 4 * n0 + 1);
        }
    }

    /// The start of a vertex, and the sharpness of the halves of its edges.
    #[inline(always)]
    fn vertex(&self, quads: &FriendQuads, v: u32, rule: CreaseRule) {
        if !self.linked {
            return;
        }
        let start = quads.starts[v as usize];
        let refined = if start == NONE { NONE } else { 4 * start };
        // SAFETY: only this task writes its vertex
        unsafe { self.starts.write(vertex_slot(v, quads) as usize, refined) }
        if start == NONE || quads.sharpness.is_empty() {
            return;
        }
        let halves = Halves::at(quads, start, rule);
        around(quads, start, |c| {
            let s = sharpness_at(quads, c);
            if s == 0.0 {
                return;
            }
            let (quad, friend) = (c >> 2, quads.friends[(c >> 2) as usize][1]);
            // the half of v₃v₀ at v₀ is off in child 0, the half at v₃ in a child across
            let child = if c & 3 == 0 { 4 * quad } else { first_child(friend) + 1 };
            // SAFETY: a half-edge has one vertex of this level
            unsafe { self.sharpness.write(child as usize, halves.of(s)) }
        });
    }
}

/// Sharpness of the off edge at a corner.
#[inline(always)]
fn sharpness_at(quads: &FriendQuads, corner: u32) -> f64 {
    if side(corner) == 1 { quads.sharpness[(corner >> 2) as usize] } else { 0.0 }
}

/// Sharpness of the halves of the edges at a vertex, one level on.
struct Halves {
    rule: CreaseRule,
    // semi-sharp edges, if Chaikin's rule looks at them
    count: u32,
    sum: f64,
}

impl Halves {
    /// At the vertex of a corner.
    #[inline(always)]
    fn at(quads: &FriendQuads, corner: u32, rule: CreaseRule) -> Self {
        let (mut count, mut sum) = (0, 0.0);
        if rule == CreaseRule::Chaikin {
            around(quads, corner, |c| {
                let s = sharpness_at(quads, c);
                if s > 0.0 && s.is_finite() {
                    count += 1;
                    sum += s;
                }
            });
        }
        Self { rule, count, sum }
    }

    #[inline(always)]
    fn of(&self, sharpness: f64) -> f64 {
        crease::decayed(self.rule.blended(sharpness, self.count, self.sum))
    }
}

/// Visits the corners at a vertex, from off edge to off edge.
#[inline(always)]
fn around(quads: &FriendQuads, start: u32, mut visit: impl FnMut(u32)) {
    let mut c = start;
    loop {
        visit(c);
        c = 2 * quads.friends[(c >> 2) as usize][side(c)] + (c & 1);
        if c == start {
            break;
        }
    }
}

#[inline(always)]
fn quad_points<T: Real>(
    quads: &FriendQuads,
    q: u32,
    points: &[Point<T>],
    out: &DisjointArray<Point<T>>,
    rule: CreaseRule,
) {
    let [g0, g1] = quads.friends[q as usize];
    let at = |corner: u32| points[quads.corners.as_flattened()[corner as usize] as usize];
    let [v0, v1, v2, v3] = quads.corners[q as usize].map(|v| points[v as usize]);
    let face = mean4([v0, v1, v2, v3]);
    let face0 = mean4([v1, v2, at(off(2 * g0 + 1)), at(off(2 * g0))]);
    let face1 = mean4([v3, v0, at(off(2 * g1 + 1)), at(off(2 * g1))]);
    let edge0 = edge_point([v1, v2], [face, face0]);
    let mut edge1 = edge_point([v3, v0], [face, face1]);
    if let Some(&s) = quads.sharpness.get(q as usize)
        && s > 0.0
    {
        let weight = if crease::stays_sharp(s) {
            1.0
        } else {
            let halves = [4 * q, 4 * q + 3].map(|corner| Halves::at(quads, corner, rule).of(s));
            crease::edge_weight(s, halves)
        };
        let middle = middle(v3, v0);
        edge1 = if weight == 1.0 { middle } else { blend(edge1, middle, weight) };
    }
    // SAFETY: a face point is its quad's; an edge is off in one quad alone
    unsafe {
        out.write(4 * q as usize + 1, face);
        out.write(edge_slot(g0) as usize, edge0);
        out.write(edge_slot(g1) as usize, edge1);
    }
}

/// α, β, γ of small valences.
struct FriendWeights<T>(Vec<[T; 3]>);

impl<T: Real> FriendWeights<T> {
    fn new() -> Self {
        Self((0..32).map(|n| Self::of(n.max(1))).collect())
    }

    fn of(n: u32) -> [T; 3] {
        quad_mask(n).map(T::from_f64)
    }

    #[inline(always)]
    fn get(&self, n: u32) -> [T; 3] {
        self.0.get(n as usize).copied().unwrap_or_else(|| Self::of(n))
    }
}

/// The point of a vertex whose own tag has the sharpness `tag`.
#[inline(always)]
fn vertex_point<T: Real>(
    quads: &FriendQuads,
    v: u32,
    points: &[Point<T>],
    weights: &FriendWeights<T>,
    rule: CreaseRule,
    tag: f64,
) -> Point<T> {
    let start = quads.starts[v as usize];
    let p = points[v as usize];
    if start == NONE {
        return p;
    }
    let corners = quads.corners.as_flattened();
    let (mut n, mut count) = (0, 0);
    let (mut edges, mut faces) = ([T::default(); 3], [T::default(); 3]);
    around(quads, start, |c| {
        n += 1;
        edges = add(edges, points[corners[off(c) as usize] as usize]);
        faces = add(faces, points[corners[across(c) as usize] as usize]);
        if !quads.sharpness.is_empty() {
            count += u32::from(sharpness_at(quads, c) > 0.0);
        }
    });
    let [alpha, beta, gamma] = weights.get(n);
    let point = add(add(scale(p, alpha), scale(edges, beta)), scale(faces, gamma));
    if count < 2 && tag == 0.0 {
        return point;
    }
    let mut sharp = VertexSharpness::default();
    sharp.tag(tag);
    if count > 0 {
        let halves = Halves::at(quads, start, rule);
        around(quads, start, |c| {
            let s = sharpness_at(quads, c);
            sharp.edge(corners[off(c) as usize], s, halves.of(s));
        });
    }
    SharpVertex::of(v, &sharp).map_or(point, |sharp| sharp.point(points, point))
}

/// The points of vertices with a tag.
fn fix<T: Real>(
    quads: &FriendQuads,
    points: &[Point<T>],
    weights: &FriendWeights<T>,
    rule: CreaseRule,
    refined: &mut [Point<T>],
) {
    for &(v, tag) in &quads.fixed {
        refined[vertex_slot(v, quads) as usize] =
            vertex_point(quads, v, points, weights, rule, tag);
    }
}

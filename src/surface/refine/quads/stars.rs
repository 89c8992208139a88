//! The smooth vertex rule over the corners at a vertex.

use crate::interrupt::stop_point;
use crate::numbers::Real;
use rayon::prelude::*;

use crate::scheme::catmull_clark;
use crate::scheme::point::{Point, add, scale};

/// Points a work item covers.
pub(super) const TASK_POINTS: usize = 4096;

/// How corners are followed, and the points there.
pub(super) struct Stars<'a, T, N, P, F> {
    /// Vertex after a corner in its face.
    pub next: N,
    /// Vertex before a corner in its face.
    pub previous: P,
    /// Face of a corner.
    pub face: F,
    /// Whether the faces are consistently oriented, so that the next vertices of the corners at a
    /// vertex are its neighbors, each once.
    pub oriented: bool,
    pub points: &'a [Point<T>],
    pub face_points: &'a [Point<T>],
}

/// What a corner adds: a neighbor (of faces that run in any direction, half of two) and
/// the face point.
#[inline(always)]
pub(super) fn term<T: Real>(
    oriented: bool,
    next: Point<T>,
    previous: impl FnOnce() -> Point<T>,
    face: Point<T>,
) -> Point<T> {
    if oriented {
        add(next, face)
    } else {
        add(scale(add(next, previous()), T::from_f64(0.5)), face)
    }
}

impl<T, N, P, F> Stars<'_, T, N, P, F>
where
    T: Real,
    N: Fn(u32) -> u32 + Sync,
    P: Fn(u32) -> u32 + Sync,
    F: Fn(u32) -> u32 + Sync,
{
    #[inline(always)]
    fn term(&self, c: u32) -> Point<T> {
        let at = |v: u32| self.points[v as usize];
        let face = self.face_points[(self.face)(c) as usize];
        term(self.oriented, at((self.next)(c)), || at((self.previous)(c)), face)
    }

    /// Points of the first vertices, of any valence: `star` gives the corners at a vertex
    /// and a shift for them.
    pub(crate) fn any_valence<'s>(
        &self,
        out: &mut [Point<T>],
        star: impl Fn(usize) -> (&'s [u32], u32) + Sync,
    ) {
        out.par_iter_mut().with_min_len(TASK_POINTS).enumerate().for_each(|(v, out)| {
            stop_point();
            let (corners, shift) = star(v);
            let terms = corners.iter().map(|&c| self.term(c << shift));
            *out = match terms.reduce(add) {
                None => self.points[v], // of no face
                Some(sum) => catmull_clark::vertex_point(self.points[v], sum, corners.len()),
            };
        });
    }

    /// Points of the vertices from `first` on, all of valence 4.
    pub(crate) fn valence_4(
        &self,
        out: &mut [Point<T>],
        first: usize,
        star: impl Fn(usize) -> [u32; 4] + Sync,
    ) {
        let points = &self.points[first..first + out.len()];
        let items = out.par_iter_mut().zip(points).with_min_len(TASK_POINTS).enumerate();
        items.for_each(|(i, (out, &p))| {
            stop_point();
            *out = catmull_clark::vertex_point_4(p, star(i).map(|c| self.term(c)))
        });
    }
}

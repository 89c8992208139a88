//! Memory that evaluations use again: fresh memory costs more than the points in it.

use crate::numbers::Real;
use crate::pages;
use crate::scheme::point::Point;

/// Two buffers of points that levels are computed between.
#[derive(Clone, Debug, Default)]
pub struct Workspace<T> {
    /// Buffers never shrink; what they hold beyond the points of a level is stale.
    coarse: Vec<Point<T>>,
    fine: Vec<Point<T>>,
    /// Points of the level in `fine`.
    count: usize,
}

impl<T: Real> Workspace<T> {
    /// Level 0.
    pub(in crate::surface) fn start(&mut self, controls: &[Point<T>]) {
        self.room(controls.len()).copy_from_slice(controls);
    }

    /// The present level, and room for `count` points of the next.
    pub(in crate::surface) fn next(&mut self, count: usize) -> (&[Point<T>], &mut [Point<T>]) {
        let coarse = self.count;
        std::mem::swap(&mut self.coarse, &mut self.fine);
        self.room(count);
        (&self.coarse[..coarse], &mut self.fine[..count])
    }

    fn room(&mut self, count: usize) -> &mut [Point<T>] {
        self.count = count;
        if self.fine.len() < count {
            self.fine = pages::reused(std::mem::take(&mut self.fine), count);
        }
        &mut self.fine[..count]
    }

    /// The points of the last evaluation.
    pub fn points(&self) -> &[Point<T>] {
        &self.fine[..self.count]
    }

    /// The points of the last evaluation, alone.
    pub(crate) fn into_points(mut self) -> Vec<Point<T>> {
        self.fine.truncate(self.count);
        self.fine
    }
}

//! One level of refinement as the launches of all schemes take it.

use crate::backend::Precision;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::surface::edge_friend::FriendRun;

/// How many elements a level has.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelCounts {
    pub vertices: usize,
    pub faces: usize,
    pub edges: usize,
    pub corners: usize,
    /// Boundary edges, counted by √3 alone.
    pub boundary: usize,
}

/// One level as its launches need it.
pub(super) struct LevelLaunch<'a> {
    pub functions: &'a Functions,
    pub precision: Precision,
    pub run: FriendRun,
    pub depth: usize,
    pub words: &'a [u64],
    pub counts: &'a [LevelCounts],
    pub points: [u64; 2],
}

impl LevelLaunch<'_> {
    pub fn coarse(&self) -> LevelCounts {
        self.counts[self.depth]
    }

    /// Whether the next level is the last.
    pub(crate) fn is_last(&self) -> bool {
        self.depth + 2 == self.counts.len()
    }

    /// `Levels` in the kernels.
    pub fn levels(&self) -> Argument {
        Argument::Words(self.words.into())
    }

    /// Addresses of coarse and refined points.
    pub fn points(&self) -> [u64; 2] {
        self.points
    }
}

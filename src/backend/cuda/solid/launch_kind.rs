//! Launches that evaluate the samples of a plan, and what each evaluates.

use std::fmt;
use std::sync::Arc;

use super::published::layout::PublishedFamily;
use crate::backend::cuda::driver::functions::{Function, LaunchShape};
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::plan::Kernel;

/// What a launch evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaunchKind {
    /// Leaves of one batch, as bricks or one by one.
    Tensor { batch: usize, bricks: bool },
    /// All batches that take this kernel.
    Batches(Kernel),
    /// All leaves that take this kernel of the published method.
    Published(PublishedFamily, Kernel),
    /// Scattered samples in regular leaves.
    RegularPoints,
    /// All other scattered samples.
    TabulatedPoints,
}

impl fmt::Display for LaunchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Tensor { bricks: true, .. } => Kernel::Bricks.fmt(f),
            Self::Tensor { bricks: false, .. } => Kernel::Tensor.fmt(f),
            Self::Batches(kernel) => kernel.fmt(f),
            Self::Published(family, kernel) => {
                let unit = if kernel == Kernel::PublishedWarp { "warp" } else { "thread" };
                write!(f, "{} {unit}", family.name())
            }
            Self::RegularPoints => f.write_str("regular points"),
            Self::TabulatedPoints => f.write_str("tabulated points"),
        }
    }
}

/// A launch, and what it evaluates.
pub(super) struct EvaluationLaunch {
    pub kind: LaunchKind,
    pub launch: Launch,
}

impl EvaluationLaunch {
    pub fn new(
        kind: LaunchKind,
        function: Arc<Function>,
        shape: LaunchShape,
        arguments: Vec<Argument>,
    ) -> Self {
        Self { kind, launch: Launch { name: kind.to_string(), function, shape, arguments } }
    }
}

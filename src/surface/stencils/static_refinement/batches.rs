//! Leaves of a level that evaluate alike, put together for the processors.

use std::collections::BTreeMap;

use super::StaticRefinement;
use crate::basis::MissingLayers;
use crate::surface::limit::{Placement, SurfaceLeafKind};

/// Leaves that evaluate alike.
#[derive(Debug, Default)]
pub(crate) struct LeafBatch {
    /// `[leaf][control]`: control points of any level.
    pub nets: Vec<u32>,
    /// `[leaf]`: missing control points of regular leaves.
    pub ends: Vec<MissingLayers>,
    /// `[leaf]`: first point.
    pub starts: Vec<u32>,
}

/// All leaves of a level.
#[derive(Debug, Default)]
pub(crate) struct LeafBatches {
    /// Regular leaves by number of steps.
    pub regular: BTreeMap<u8, LeafBatch>,
    /// Irregular leaves by structure, steps and placement.
    pub irregular: BTreeMap<(u32, u8, Placement), LeafBatch>,
}

impl LeafBatches {
    /// The leaves of a level.
    pub fn of(refinement: &StaticRefinement) -> Self {
        let surface = &refinement.surface;
        let mut all = Self::default();
        for (leaf, &(start, steps)) in surface.leaves().iter().zip(&refinement.leaves) {
            let (batch, ends) = match leaf.kind {
                SurfaceLeafKind::Regular(ends) => (all.regular.entry(steps).or_default(), ends),
                SurfaceLeafKind::Irregular(structure, placement) => (
                    all.irregular.entry((structure, steps, placement)).or_default(),
                    MissingLayers::NONE,
                ),
            };
            batch.nets.extend_from_slice(surface.net(leaf));
            batch.ends.push(ends);
            batch.starts.push(start);
        }
        all
    }
}

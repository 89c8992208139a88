//! Leaves in which no sample lies but an extraordinary vertex: they take its limit.

use std::iter::repeat_n;
use std::mem::take;

use rayon::prelude::*;

use super::draft::REGULAR;
use super::leaf::{Element, Leaf, LeafKind};
use super::leaves::LeafLevels;
use super::vertex_mask::vertex_mask;
use crate::basis::MissingLayers;
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::numbers::sorted_unique;
use crate::scheme::{Stencils, VertexRule};
use crate::topology::{Sharpness, Topology};

/// The leaves of the finest level so far. Their limits become points of the next level, after its
/// own, and their nets are of such a point alone.
#[derive(Default)]
pub(super) struct VertexLeaves {
    // with the vertex, later the number of its mask; nets are missing
    leaves: Vec<(u32, Leaf)>,
    // over the points of the level
    masks: Stencils,
}

impl VertexLeaves {
    /// Adds the leaf at a vertex of the level.
    pub fn push(&mut self, vertex: u32, element: u32, depth: u8, origin: [u16; 3]) {
        let kind = LeafKind::Regular(MissingLayers::NONE);
        self.leaves.push((vertex, Leaf { element, depth, origin, kind, net: (0, 0) }));
    }

    /// Finds the masks of the vertices, once all leaves of the level are there.
    pub fn find_masks(
        &mut self,
        topology: &Topology,
        sharpness: &Sharpness,
        rule: VertexRule,
    ) -> Result<()> {
        let vertices = sorted_unique(self.leaves.iter().map(|&(vertex, _)| vertex).collect());
        let mask = |&vertex: &u32| {
            stop_point();
            vertex_mask(topology, sharpness, rule, vertex).ok_or_else(|| {
                let text = message!(Vertex.id(vertex), " of a refined level has no limit");
                Error::mesh(text).with_help("refine the mesh first")
            })
        };
        let masks = vertices.par_iter().map(mask).collect::<Result<Vec<_>>>()?;
        self.masks = Stencils::build(masks.len(), |r, row| {
            let (vertices, weights) = &masks[r];
            vertices.iter().zip(weights).for_each(|(&v, &weight)| row.add(v, weight));
        });
        for (vertex, _) in &mut self.leaves {
            *vertex = vertices.partition_point(|v| v < vertex) as u32;
        }
        Ok(())
    }

    /// Adds the next level, of `stencils` if there are any, with the limits of the vertices, and the
    /// leaves.
    pub fn add_to(&mut self, levels: &mut LeafLevels<Element, Leaf>, stencils: Stencils) {
        if self.leaves.is_empty() {
            if !stencils.is_empty() {
                levels.push_level(stencils);
            }
            return;
        }
        let masks = take(&mut self.masks);
        let (first, start) = (levels.point_count() + stencils.len(), levels.nets.len());
        let points = (first..first + masks.len()).map(|point| point as u32);
        levels.nets.extend(points.flat_map(|point| repeat_n(point, REGULAR)));
        let with_net = |(mask, leaf): (u32, Leaf)| {
            let net = (start + REGULAR * mask as usize, REGULAR as u32);
            Leaf { net, ..leaf }
        };
        levels.leaves.extend(self.leaves.drain(..).map(with_net));
        let joined =
            if stencils.is_empty() { masks } else { Stencils::joined(vec![stencils, masks]) };
        levels.push_level(joined);
    }
}

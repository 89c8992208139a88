//! A control mesh analyzed: leaves that evaluate directly, and their nets.
//!
//! # Practice
//! Level 0 is the mesh. Its cells that do not evaluate directly are refined, with
//! the neighboring children that their limit depends on, as level 1, and so on
//! until every leaf evaluates. The control points of all levels are in one
//! array ([`Solid::refined_points`]); the nets index into it. Setup depends on
//! connectivity and creases only. It costs a few microseconds per cell, and per structure some
//! 0.4 ms and 50 kB: in irregular meshes, as of hexahedra made from tetrahedra, most cells at an
//! extraordinary vertex have a structure of their own. Grids of samples do without
//! ([`Solid::for_samples`]).

use std::borrow::Cow;
use std::sync::Arc;

use super::class::Class;
use super::leaf::{Element, Leaf, LeafKind, morton, position};
use super::leaves::{LeafLevels, LeafPlace};
use super::reach::Reach;
use super::structure::{Orders, Structure, layered_weights, tensor_weights};
use crate::basis::MissingLayers;
use crate::error::{Error, Result};
use crate::mesh::{check_value_count, used_rows};
use crate::scheme::Stencils;
use crate::topology::Topology;

/// Values at the points of all levels relative to an origin, see [`Solid::local_points`].
#[derive(Clone, Debug, PartialEq)]
pub struct LocalPoints<'a> {
    /// `[point][component]`; with the origin they are the values.
    pub points: Cow<'a, [f64]>,
    /// `[component]`; 0 unless the values are far from it.
    pub origin: Vec<f64>,
}

/// Values farther from 0 than this multiple of their range are taken relative to an origin. It
/// costs less than 3 bits to leave nearer ones, whose differences may have to be rounded.
const ORIGIN_ABOVE_RANGES: f64 = 8.0;

/// For each component of `values: [point][width]` one of the values if all of them are far from
/// 0, else 0. Differences from it are exact: the others lie between half of it and twice it.
fn local_origin(values: &[f64], width: usize) -> Vec<f64> {
    let origin = |c: usize| {
        let along = || values.iter().skip(c).step_by(width);
        let (low, high) = along()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
        let first = along().next().copied().unwrap_or_default();
        let is_far = first.is_finite() && first.abs() > ORIGIN_ABOVE_RANGES * (high - low);
        if is_far { first } else { 0.0 }
    };
    (0..width).map(origin).collect()
}

/// A control mesh ready for limit evaluation; see the module's introduction.
#[derive(Debug)]
pub struct Solid {
    pub(super) topology: Topology,
    pub(super) classes: Vec<Class>,
    pub(super) levels: LeafLevels<Element, Leaf>,
    pub(super) planar: Vec<Arc<Structure>>,
    pub(super) spatial: Vec<Arc<Structure>>,
    pub(super) is_part: bool,
    // whether each vertex belongs to a cell, if some do not and are not there to span the whole
    pub(super) used: Option<Vec<bool>>,
    // whether the whole has elements that are corners of cells
    pub(crate) has_corners: bool,
    // the samples that it is for, if it is for some alone
    pub(super) reach: Option<Reach>,
}

impl Solid {
    /// Refuses a part of a mesh, whose boundary is not the solid's.
    pub(crate) fn check_whole(&self, job: &str) -> Result<()> {
        if !self.is_part {
            return Ok(());
        }
        Err(Error::request(format!("{job} of a part of a mesh, which has no boundary of its own"))
            .with_help("analyze the whole mesh with Solid::new"))
    }

    /// Refuses samples that a solid for samples alone is not for: scattered ones, with parameters
    /// that it does not know, or derivatives at vertices.
    pub(crate) fn check_reach(&self, parameters: Option<&[f64]>, is_of_values: bool) -> Result<()> {
        let Some(reach) = &self.reach else { return Ok(()) };
        let covers = parameters.is_some_and(|parameters| reach.covers(parameters));
        if covers && (is_of_values || !reach.has_vertices()) {
            return Ok(());
        }
        Err(Error::request("a solid that was analyzed for other samples or without derivatives")
            .with_help("analyze it with Solid::new, or for these samples"))
    }

    /// Whether it is a [`Solid::outline`].
    pub(crate) fn is_outline(&self) -> bool {
        self.levels.leaves.is_empty() && !self.levels.elements.is_empty()
    }

    /// The topology of the mesh.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Class of every cell of the mesh.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// All elements, in the order of their cells and corners.
    pub fn elements(&self) -> &[Element] {
        &self.levels.elements
    }

    /// All leaves, in the order of their elements.
    pub fn leaves(&self) -> &[Leaf] {
        &self.levels.leaves
    }

    /// Leaves of one element, in Morton order of their origins.
    pub fn element_leaves(&self, element: usize) -> &[Leaf] {
        &self.levels.leaves[self.leaf_range(element)]
    }

    /// The indices of an element's leaves among [`Solid::leaves`].
    pub(crate) fn leaf_range(&self, element: usize) -> std::ops::Range<usize> {
        self.levels.range(element)
    }

    /// Control points of a leaf, as indices into the points of all levels.
    pub fn net(&self, leaf: &Leaf) -> &[u32] {
        self.levels.net(leaf)
    }

    /// Whether some cells, of a part of a mesh some cells of the whole, evaluate on the hexahedra
    /// at their corners.
    pub(crate) fn has_corners(&self) -> bool {
        self.has_corners
    }

    /// Planar structures of the layered leaves.
    pub fn planar_structures(&self) -> &[Arc<Structure>] {
        &self.planar
    }

    /// Spatial structures of the irregular leaves.
    pub fn spatial_structures(&self) -> &[Arc<Structure>] {
        &self.spatial
    }

    /// Number of control points of all levels.
    pub fn point_count(&self) -> usize {
        self.levels.point_count()
    }

    /// First point of each level, then the number of all points.
    pub(crate) fn level_starts(&self) -> &[usize] {
        &self.levels.level_starts
    }

    /// Stencils of each level over the level before.
    pub fn stencils(&self) -> &[Stencils] {
        &self.levels.stencils
    }

    /// Stencils of each level but the mesh's own over the vertices of the mesh.
    pub(crate) fn vertex_stencils(&self) -> Vec<Stencils> {
        let mut levels: Vec<Stencils> = Vec::with_capacity(self.levels.stencils.len());
        for stencils in &self.levels.stencils {
            let next = match levels.last() {
                None => stencils.clone(),
                Some(coarse) => stencils.over(coarse),
            };
            levels.push(next);
        }
        levels
    }

    /// Values at the points of all levels (`[point][component]`) from those at
    /// the control points, which they are themselves where nothing is refined.
    ///
    /// # Panics
    /// If `values` does not hold `width` values for every vertex of the mesh.
    pub fn refined_points<'a>(&self, values: &'a [f64], width: usize) -> Cow<'a, [f64]> {
        assert_eq!(values.len(), width * self.topology.vertex_count(), "one row per vertex");
        if self.levels.stencils.is_empty() {
            return Cow::Borrowed(values);
        }
        Cow::Owned(self.refined(values, width, &[]))
    }

    /// Values at the points of all levels relative to an origin near the control points, where they
    /// are far from 0 and something is refined: refined points then have the digits of their
    /// distance from the origin, not only of their distance from 0.
    ///
    /// # Errors
    /// [`Error::Request`] if `values` does not hold `width` ≥ 1 values for
    /// every vertex of the mesh.
    pub fn local_points<'a>(&self, values: &'a [f64], width: usize) -> Result<LocalPoints<'a>> {
        check_value_count(values, width, self.topology.vertex_count())?;
        let origin = self.local_origin(values, width);
        let points = if origin.iter().all(|&x| x == 0.0) {
            self.refined_points(values, width)
        } else {
            Cow::Owned(self.refined(values, width, &origin))
        };
        Ok(LocalPoints { points, origin })
    }

    /// The origin of [`Solid::local_points`].
    pub(crate) fn local_origin(&self, values: &[f64], width: usize) -> Vec<f64> {
        if self.levels.stencils.is_empty() {
            vec![0.0; width]
        } else {
            local_origin(&self.spanning(values, width), width)
        }
    }

    /// The rows of `values: [vertex][width]` on which boxes, lengths and ranges depend:
    /// the vertices of cells, and in a part the vertices that span the whole.
    pub(crate) fn spanning<'a>(&self, values: &'a [f64], width: usize) -> Cow<'a, [f64]> {
        match &self.used {
            Some(used) => used_rows(values, width, used),
            None => Cow::Borrowed(values),
        }
    }

    /// Values less `origin`, if it has any components, at the points of all levels.
    fn refined(&self, values: &[f64], width: usize, origin: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; width * self.point_count()];
        all[..values.len()].copy_from_slice(values);
        if !origin.is_empty() {
            for value in all[..values.len()].chunks_exact_mut(width) {
                value.iter_mut().zip(origin).for_each(|(x, o)| *x -= o);
            }
        }
        self.levels.refine_points(&mut all, width);
        all
    }

    /// The leaf that holds the parameters `p` of an element, and `p` within it.
    pub fn locate(&self, element: usize, p: [f64; 3]) -> (usize, [f64; 3]) {
        let range = self.leaf_range(element);
        let leaves = &self.levels.leaves[range.clone()];
        let at = if leaves.len() == 1 {
            0
        } else {
            let code = morton(p.map(position));
            leaves.partition_point(|leaf| leaf.code() <= code) - 1
        };
        (range.start + at, leaves[at].local(p))
    }

    /// The structure of the extraordinary vertex or edge on which a leaf's local parameters lie.
    pub fn extraordinary(&self, leaf: &Leaf, p: [f64; 3]) -> Option<&Structure> {
        match leaf.kind {
            LeafKind::Regular(_) => None,
            LeafKind::Layered(structure, permutation, _) => {
                self.planar[structure as usize].centered_at(permutation.local(p))
            }
            LeafKind::Irregular(structure, permutation) => {
                self.spatial[structure as usize].centered_at(permutation.local(p))
            }
        }
    }

    /// Weights of a leaf's net for the limit at its local parameters, or for a
    /// derivative with respect to the *element's* parameters; `None` where that
    /// derivative does not exist.
    pub fn weights(&self, leaf: &Leaf, p: [f64; 3], orders: Orders) -> Option<Vec<f64>> {
        let mut weights = match leaf.kind {
            LeafKind::Regular(ends) => {
                let mut weights = tensor_weights(3, p, orders);
                unfold_phantoms(&mut weights, ends);
                weights
            }
            LeafKind::Layered(structure, permutation, ends) => {
                let planar = &self.planar[structure as usize];
                let mut weights = layered_weights(planar, permutation, p, orders)?;
                unfold_layer_phantoms(&mut weights, planar.controls(), ends);
                weights
            }
            LeafKind::Irregular(structure, permutation) => {
                let local_orders = permutation.axes.map(|a| orders[a as usize]);
                let mut weights =
                    self.spatial[structure as usize].weights(permutation.local(p), local_orders)?;
                if permutation.odd(local_orders) {
                    weights.iter_mut().for_each(|w| *w = -*w);
                }
                weights
            }
        };
        let order: usize = orders.iter().map(|o| o.degree()).sum();
        if leaf.depth > 0 && order > 0 {
            let scale = f64::from(1_u32 << leaf.depth).powi(order as i32);
            weights.iter_mut().for_each(|w| *w *= scale);
        }
        Some(weights)
    }
}

/// Gives the weights of phantom layers to the layers that stand in for them:
/// p₋₁ = 2p₀ − p₁.
fn unfold_phantoms(weights: &mut [f64], ends: MissingLayers) {
    for d in (0..3).rev() {
        let stride = 4_usize.pow(d as u32);
        for side in ends.sides(d) {
            for at in (0..64).filter(|at| at / stride % 4 == 3 * side) {
                unfold(weights, at, stride, side);
            }
        }
    }
}

fn unfold_layer_phantoms(weights: &mut [f64], lines: usize, ends: MissingLayers) {
    for side in ends.sides(0) {
        for line in 0..lines {
            unfold(weights, 3 * side * lines + line, lines, side);
        }
    }
}

fn unfold(weights: &mut [f64], at: usize, stride: usize, side: usize) {
    let inward = |steps| if side == 0 { at + steps * stride } else { at - steps * stride };
    let w = std::mem::take(&mut weights[at]);
    weights[inward(1)] += 2.0 * w;
    weights[inward(2)] -= w;
}

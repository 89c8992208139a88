//! Static evaluation: the points of one level straight from the control points.
//!
//! # Theory
//! A vertex of level N is a linear combination of control points that depends on topology alone.
//! One sparse matrix of all of them ([`SingleMatrix`](crate::surface::SingleMatrix)) must be read
//! once an evaluation: 16 weights are 64 bytes for a point of 12, and as many again are their
//! columns, unless rows share these. But the weights of nearly all points are the same on every
//! face: on a regular face they are products of two functions of one variable, on a face with one
//! extraordinary vertex weights of its structure. So the points of a level are grids on the leaves
//! of a [`LimitSurface`], with the weights of the level instead of the limit, and there is no
//! matrix to build or to read.
//!
//! # Practice
//! Points stand leaf by leaf, `[leaf][v][u]`, then those that no leaf has as its own; a few
//! slots at the edges of faces are not used. [`StaticRefinement::quads`] says which points
//! make the refined faces. Points move with the control points by [`StaticRefinement::evaluate`]
//! or, again and again, by a [`StaticEvaluator`] on the CPU and by
//! a [backend](crate::backend) on a GPU.

mod batches;
mod cpu;
mod slots;

#[allow(unused_imports, reason = "backends for devices use it")]
pub(crate) use batches::LeafBatches;
pub use cpu::{StaticEvaluator, StaticWorkspace};

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use slots::{GridPosition, Slots};

use crate::error::IdKind;
use crate::error::{Error, Result};
use crate::mesh::{CreaseRule, SurfaceMesh};
use crate::scheme::Scheme;
use crate::surface::limit::finite::{FiniteWeights, spline_rows};
use crate::surface::limit::{
    LimitSurface, Placement, SurfaceLeaf, SurfaceLeafKind, limit_topology,
};
use crate::topology::surface::SurfaceTopology;

/// The points of a level of refinement, ready to be evaluated for any control points.
///
/// It depends on faces and tags only. Vertices of no face have no point here.
///
/// ```
/// use subsolid::surface::{Scheme, StaticRefinement, StaticWorkspace};
///
/// let mut mesh = subsolid::read_surface("models/surfaces/spot_control_mesh.obj")?;
/// let refinement = StaticRefinement::new(&mesh, Scheme::default(), 4)?;
/// let faces = refinement.quads();
/// let evaluator = refinement.evaluator::<f64>()?;
/// let mut workspace = StaticWorkspace::default(); // its memory is used again
/// for _step in 0..3 {
///     mesh.points.iter_mut().for_each(|p| p[2] *= 1.01);
///     evaluator.evaluate_into(&mesh.points, &mut workspace)?;
///     let corner = workspace.points()[faces[0][0] as usize];
///     assert!(corner[2].is_finite());
/// }
/// # Ok::<(), subsolid::Error>(())
/// ```
pub struct StaticRefinement {
    pub(crate) surface: Arc<LimitSurface>,
    pub(crate) slots: Slots,
    // first slot of each leaf, and how often it is still refined
    pub(crate) leaves: Vec<(u32, u8)>,
    // by number of steps
    pub(crate) rows: Vec<Vec<[f64; 4]>>,
    // by structure and steps, along the structure's own axes
    tables: HashMap<(u32, u8), FiniteWeights>,
    is_hole: Vec<bool>,
}

/// Weights at the vertices of an irregular leaf, along the leaf's axes.
#[derive(Clone, Copy)]
pub(crate) struct LeafWeights<'a> {
    table: &'a FiniteWeights,
    // position in the table by the position in the leaf: u and v of (0, 0), of a step along u,
    // along v
    start: [i32; 2],
    along: [[i32; 2]; 2],
}

#[allow(dead_code, reason = "backends for devices use it")]
impl<'a> LeafWeights<'a> {
    /// Control points.
    pub fn controls(&self) -> usize {
        self.table.controls
    }

    /// The weights along the structure's own axes.
    pub fn table(&self) -> &'a FiniteWeights {
        self.table
    }

    /// How the leaf's axes lie in the square: u and v of its (0, 0), of a step along its u, along
    /// its v.
    pub fn axes(&self) -> ([i32; 2], [[i32; 2]; 2]) {
        (self.start, self.along)
    }

    /// Weights of the control points at a vertex, i along u, j along v.
    pub fn at(&self, i: usize, j: usize) -> &[f64] {
        let [[a, b], [c, d]] = self.along;
        let (i, j) = (i as i32, j as i32);
        let (u, v) = (self.start[0] + a * i + c * j, self.start[1] + b * i + d * j);
        let first = (v as usize * (self.table.size + 1) + u as usize) * self.table.controls;
        &self.table.weights[first..first + self.table.controls]
    }
}

impl StaticRefinement {
    /// Understands the faces, creases and boundary rule of a mesh.
    ///
    /// # Errors
    /// As [`LimitSurface::of_mesh`]; [`Error::Request`] for a scheme whose weights are not known, fewer
    /// levels than semi-sharp creases, polygons and neighboring extraordinary vertices take to be
    /// isolated, and more points than 32 bits count.
    pub fn new(mesh: &SurfaceMesh, scheme: Scheme, levels: usize) -> Result<Self> {
        mesh.check()?;
        let can = |scheme: Scheme| scheme.rules().has_static_refinement();
        if !can(scheme) {
            let message = format!("static refinement by {}", scheme.rules().name());
            return Err(Error::request(message).with_help(format!("take {}", Scheme::names(can))));
        }
        let topology = limit_topology(mesh, scheme)?;
        Self::of_topology(mesh, &topology, scheme, levels, mesh.crease_rule)
    }

    /// Understands the faces, creases and boundary rule of a mesh whose topology is known.
    pub(in crate::surface) fn of_topology(
        mesh: &SurfaceMesh,
        topology: &SurfaceTopology,
        scheme: Scheme,
        levels: usize,
        rule: CreaseRule,
    ) -> Result<Self> {
        let surface = Arc::new(LimitSurface::of_topology(mesh, topology, scheme, rule, 0)?);
        let level_of = |leaf: &SurfaceLeaf| {
            let element = &surface.elements()[leaf.element as usize];
            usize::from(leaf.depth) + usize::from(element.corner.is_some())
        };
        let deepest = surface.leaves().iter().max_by_key(|leaf| level_of(leaf));
        if let Some(leaf) = deepest.filter(|leaf| level_of(leaf) > levels) {
            let (face, least) = (surface.elements()[leaf.element as usize].face, level_of(leaf));
            return Err(Error::request(message!(
                "static refinement to level {levels}: the features at ",
                IdKind::Face.id(face),
                " are isolated only from level {least} on"
            ))
            .with_help(format!("ask for {least} levels or more, or refine level by level")));
        }
        // twice for points behind the elements
        let most = u64::from(u32::MAX) >> (2 * levels.min(16) + 1);
        if surface.elements().len() as u64 > most {
            return Err(Error::request(format!(
                "{levels} levels of {} elements at once",
                surface.elements().len()
            ))
            .with_help("ask for fewer levels: points have 32-bit ids"));
        }
        let mut leaves = Vec::with_capacity(surface.leaves().len());
        let mut start = 0;
        for leaf in surface.leaves() {
            let steps = levels - level_of(leaf);
            leaves.push((start, steps as u8));
            start += 1 << (2 * steps);
        }
        let rows: Vec<Vec<[f64; 4]>> = (0..=levels).map(spline_rows).collect();
        let (slots, tables) = rayon::join(
            || Slots::new(topology.clone(), &surface, levels),
            || tables(&surface, &leaves, &rows),
        );
        let mut is_hole = vec![false; mesh.faces.len()];
        let holes = crate::surface::holes::all(mesh, scheme);
        holes.into_iter().for_each(|f| is_hole[f as usize] = true);
        Ok(Self { surface, slots, leaves, rows, tables: tables?, is_hole })
    }

    /// Number of points, unused slots included.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of control points.
    pub fn control_count(&self) -> usize {
        self.surface.vertex_count()
    }

    /// The point at `[i, j]`/m of an element with m × m refined quads: m = 2ᴺ at level N, for
    /// a corner of a polygon half of it. Elements as in [`LimitSurface`].
    ///
    /// # Panics
    /// If there is no such element.
    pub fn point_at(&self, element: usize, [i, j]: [u32; 2]) -> u32 {
        let inner = |position: GridPosition| inner_slot(&self.surface, &self.leaves, position);
        let position = GridPosition { element: element as u32, i, j };
        self.slots.of_border(position, inner).unwrap_or_else(|| inner(position))
    }

    /// Points at the corners of the refined faces, without holes.
    pub fn quads(&self) -> Vec<[u32; 4]> {
        let elements = 0..self.surface.elements().len();
        let quads = elements.into_par_iter().flat_map_iter(|element| {
            let face = self.surface.elements()[element].face as usize;
            let size = if self.is_hole[face] { 0 } else { self.slots.size(element as u32) };
            (0..size * size).map(move |k| {
                let (i, j) = (k % size, k / size);
                [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]]
                    .map(|position| self.point_at(element, position))
            })
        });
        quads.collect()
    }

    /// The weights of an irregular leaf.
    pub(crate) fn leaf_weights(
        &self,
        structure: u32,
        placement: Placement,
        steps: u8,
    ) -> LeafWeights<'_> {
        let table = &self.tables[&(structure, steps)];
        let affine = placement.affine(self.surface.scheme());
        let size = table.size as i32;
        let column = |d: usize| [affine.matrix[0][d] as i32, affine.matrix[1][d] as i32];
        LeafWeights {
            table,
            start: affine.offset.map(|x| x as i32 * size),
            along: [column(0), column(1)],
        }
    }

    /// The leaf that a position lies in, and the position within it, up to its size along either
    /// axis.
    pub(crate) fn leaf_position(&self, position: GridPosition) -> (usize, [usize; 2]) {
        let size = self.slots.size(position.element);
        let low =
            GridPosition { i: position.i.min(size - 1), j: position.j.min(size - 1), ..position };
        let (leaf, i, j) = leaf_at(&self.surface, &self.leaves, low);
        (leaf, [i + (position.i - low.i) as usize, j + (position.j - low.j) as usize])
    }

    /// The weights of a leaf's control points at a position within it.
    pub(crate) fn weights_within(&self, leaf: usize, [i, j]: [usize; 2]) -> Vec<f64> {
        let (leaf, steps) = (&self.surface.leaves()[leaf], self.leaves[leaf].1);
        match leaf.kind {
            SurfaceLeafKind::Irregular(structure, placement) => {
                self.leaf_weights(structure, placement, steps).at(i, j).to_vec()
            }
            SurfaceLeafKind::Regular(ends) => {
                let rows = &self.rows[usize::from(steps)];
                let axis = |at: usize, d: usize| {
                    let ends = ends.axis(d);
                    crate::basis::bspline::end(rows[at], ends.low(), ends.high())
                };
                let (u, v) = (axis(i, 0), axis(j, 1));
                v.iter().flat_map(|b| u.map(|a| a * b)).collect()
            }
        }
    }
}

/// The leaf at a position with i, j < m of its element, and the position within it.
fn leaf_at(
    surface: &LimitSurface,
    leaves: &[(u32, u8)],
    position: GridPosition,
) -> (usize, usize, usize) {
    let range = surface.leaf_range(position.element as usize);
    let own = &leaves[range.clone()];
    let first = own[0].0;
    // slots count leaves in the order of their paths: bits of i and j, interleaved
    let mut morton = 0;
    (0..16).for_each(|bit| {
        morton |= (position.i >> bit & 1) << (2 * bit) | (position.j >> bit & 1) << (2 * bit + 1);
    });
    let index = own.partition_point(|&(start, _)| start - first <= morton) - 1;
    let mask = (1 << own[index].1) - 1;
    (range.start + index, (position.i & mask) as usize, (position.j & mask) as usize)
}

fn inner_slot(surface: &LimitSurface, leaves: &[(u32, u8)], position: GridPosition) -> u32 {
    let (index, i, j) = leaf_at(surface, leaves, position);
    let (start, steps) = leaves[index];
    start + ((j << steps) + i) as u32
}

/// The weights of all structures at all numbers of steps that occur.
fn tables(
    surface: &LimitSurface,
    leaves: &[(u32, u8)],
    rows: &[Vec<[f64; 4]>],
) -> Result<HashMap<(u32, u8), FiniteWeights>> {
    let mut keys: Vec<(u32, u8)> = Vec::new();
    for (leaf, &(_, steps)) in surface.leaves().iter().zip(leaves) {
        if let SurfaceLeafKind::Irregular(structure, _) = leaf.kind {
            keys.push((structure, steps));
        }
    }
    keys.sort_unstable();
    keys.dedup();
    let table = |&(structure, steps): &(u32, u8)| {
        let rows = &rows[..=usize::from(steps)];
        let weights = surface.finite_weights(structure as usize, rows);
        let refused = || Error::mesh(format!("structure {structure} does not refine"));
        Ok(((structure, steps), weights.ok_or_else(refused)?))
    };
    keys.par_iter().map(table).collect()
}

//! Grids of samples on elements: a plan made once, evaluated for any control points.
//!
//! # Practice
//! A regular quad is a tensor product: contracted along u, then v, about 18 multiply-adds
//! a point. All else goes through tables: the weights of a structure's control points at
//! the samples of a leaf are the same for every leaf of that structure, placement and
//! path, and a leaf is the product of its table with its net. No table depends on where
//! the control points are, and all of them are flat arrays.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::kernel::{axis_rows, product, unit_normals};
use super::leaf::{SurfaceLeaf, SurfaceLeafKind};
use super::surface::LimitSurface;
use super::table::SurfaceTable;
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::numbers::vector::net_sum;
use crate::scheme::{FaceShape, Scheme};
use crate::simd::{MAX_SAMPLES, Nets, PatchKernel, PatchOutput, Scratch, Simd, Stores};

/// Elements a work item covers.
const TASK_ELEMENTS: usize = 64;

/// Numbers cleared at a time.
const CLEARED: usize = 1 << 20;

/// Marks a leaf that needs no table.
const NO_TABLE: u32 = u32::MAX;

/// A grid of samples on every element of a surface, ready to be evaluated.
///
/// On a quad n × n samples with the end points included, u fastest; on a triangle rows of
/// n, n − 1, … 1 samples along u, v = 0 first. A single sample lies in the middle.
#[derive(Debug)]
pub struct SurfaceGrid<'s> {
    pub(crate) surface: &'s LimitSurface,
    parameters: Vec<[f64; 2]>,
    pub(crate) normals: bool,
    /// Weights of regular quads along an axis, `[order 2][sample][control point 4]`.
    #[allow(dead_code, reason = "backends for devices use it")]
    pub(crate) rows: [Vec<[f64; 4]>; 2],
    // of regular quads whose samples are such a product
    patch: Option<PatchKernel<f64>>,
    tables: Vec<SurfaceTable>,
    // table of each leaf; past the last where there is none
    pub(crate) leaf_tables: Vec<u32>,
}

/// What determines a table.
type GridTableKey = (SurfaceLeafKind, u8, u32);

/// Limits of grids, all `[element][sample][3]`; their memory is used again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GridLimit {
    /// Positions.
    pub positions: Vec<f64>,
    /// First derivatives by u and by v, if normals are wanted; NaN where they do not exist.
    pub derivatives: [Vec<f64>; 2],
    /// Unit normals, if wanted; NaN where there is no tangent plane.
    pub normals: Vec<f64>,
}

impl LimitSurface {
    /// Plans grids of `n` samples per edge (1 to 64) on all elements: positions and, if
    /// `normals` are wanted, these and the first derivatives.
    ///
    /// # Errors
    /// [`Error::Request`] for `n` out of range.
    pub fn grid(&self, n: usize, normals: bool) -> Result<SurfaceGrid<'_>> {
        if !(1..=MAX_SAMPLES).contains(&n) {
            return Err(Error::request(format!("{n} samples per edge"))
                .with_help(format!("ask for 1 to {MAX_SAMPLES} samples per edge")));
        }
        let rows = axis_rows((0..n).map(|i| coordinate(i, n)));
        let patch = (self.scheme.shape() == FaceShape::Quad).then(|| PatchKernel::new(&rows));
        Ok(self.grid_of(samples(self.scheme, n), normals, (rows, patch)))
    }

    /// Plans the same samples on all elements, at any parameters; all by tables.
    pub(crate) fn grid_at(&self, parameters: Vec<[f64; 2]>, normals: bool) -> SurfaceGrid<'_> {
        self.grid_of(parameters, normals, Default::default())
    }

    fn grid_of(
        &self,
        parameters: Vec<[f64; 2]>,
        normals: bool,
        (rows, patch): ([Vec<[f64; 4]>; 2], Option<PatchKernel<f64>>),
    ) -> SurfaceGrid<'_> {
        let mut grid = SurfaceGrid {
            surface: self,
            parameters,
            normals,
            patch,
            rows,
            tables: Vec::new(),
            leaf_tables: Vec::with_capacity(self.levels.leaves.len()),
        };
        let mut ids: HashMap<GridTableKey, u32> = HashMap::new();
        let mut firsts: Vec<&SurfaceLeaf> = Vec::new();
        for leaf in &self.levels.leaves {
            let is_tensor = grid.patch.is_some()
                && leaf.depth == 0
                && matches!(leaf.kind, SurfaceLeafKind::Regular(_));
            grid.leaf_tables.push(if is_tensor {
                NO_TABLE
            } else {
                *ids.entry((leaf.kind, leaf.depth, leaf.path)).or_insert_with(|| {
                    firsts.push(leaf);
                    firsts.len() as u32 - 1
                })
            });
        }
        // which samples a leaf holds depends on its path alone
        let mut within: HashMap<(u8, u32), Vec<u32>> = HashMap::new();
        for leaf in &firsts {
            within
                .entry((leaf.depth, leaf.path))
                .or_insert_with(|| samples_within(self.scheme, leaf, &grid.parameters));
        }
        let table =
            |leaf: &&SurfaceLeaf| grid.table(leaf, within[&(leaf.depth, leaf.path)].clone());
        grid.tables = firsts.par_iter().map(table).collect();
        grid
    }
}

impl SurfaceGrid<'_> {
    /// Parameters of the samples of an element.
    pub fn parameters(&self) -> &[[f64; 2]] {
        &self.parameters
    }

    /// All tables of weights.
    pub fn tables(&self) -> &[SurfaceTable] {
        &self.tables
    }

    /// The table of a leaf (an index into [`LimitSurface::leaves`]); `None` for a regular
    /// quad, which is a tensor product.
    pub(crate) fn leaf_table(&self, leaf: usize) -> Option<&SurfaceTable> {
        self.tables.get(self.leaf_tables[leaf] as usize)
    }

    /// Evaluates the elements in `range` over the points of all levels
    /// ([`LimitSurface::refined_points`]).
    ///
    /// # Errors
    /// [`Error::Request`] for a wrong number of points, a range beyond the elements, and
    /// results that do not fit into memory.
    pub fn evaluate(
        &self,
        points: &[[f64; 3]],
        range: Range<usize>,
        limit: &mut GridLimit,
    ) -> Result<()> {
        let (elements, count) = (self.surface.levels.elements.len(), self.surface.point_count());
        if points.len() != count {
            return Err(Error::request(format!(
                "{} points for the {count} points of all levels",
                points.len()
            ))
            .with_help("give what `LimitSurface::refined_points` makes of the control points"));
        }
        if range.start > range.end || range.end > elements {
            return Err(Error::request(format!("elements {range:?} of {elements}"))
                .with_help("ask for elements of the surface, from 0 on"));
        }
        let (positions, outer) = (self.parameters.len() * 3, self.normals);
        let len = range.len() * positions;
        let GridLimit { positions: p, derivatives: [u, v], normals } = limit;
        for (values, wanted) in [(&mut *p, true), (&mut *u, outer), (v, outer), (normals, outer)] {
            resize(values, if wanted { len } else { 0 })?;
        }
        let piece = TASK_ELEMENTS * positions;
        let GridLimit { positions: p, derivatives: [u, v], normals } = limit;
        let work = p.par_chunks_mut(piece).enumerate();
        if !outer {
            work.for_each(|(k, p)| {
                stop_point();
                let first = range.start + k * TASK_ELEMENTS;
                self.run(points, first, [p, &mut [], &mut [], &mut []]);
            });
            return Ok(());
        }
        let work = work.zip(u.par_chunks_mut(piece)).zip(v.par_chunks_mut(piece));
        work.zip(normals.par_chunks_mut(piece)).for_each(|((((k, p), u), v), n)| {
            stop_point();
            self.run(points, range.start + k * TASK_ELEMENTS, [p, u, v, n]);
        });
        Ok(())
    }

    /// Evaluates the elements from `first` on that the outputs have room for: positions,
    /// derivatives by u and v, normals; the last three empty if not wanted.
    fn run(&self, points: &[[f64; 3]], first: usize, outputs: [&mut [f64]; 4]) {
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || self.run_here(points, first, outputs),
        );
    }

    #[inline(always)]
    fn run_here(&self, points: &[[f64; 3]], first: usize, outputs: [&mut [f64]; 4]) {
        let size = self.parameters.len() * 3;
        let [positions, d_u, d_v, normals] = outputs;
        let mut net: Vec<[f64; 3]> = Vec::new();
        let mut scratch = Scratch::new(Stores::Cached);
        for (k, positions) in positions.chunks_exact_mut(size).enumerate() {
            let at = k * size..(k + 1) * size;
            let mut derivatives = if self.normals {
                Some([&mut d_u[at.clone()], &mut d_v[at.clone()]])
            } else {
                None
            };
            let leaves = self.surface.leaf_range(first + k);
            for l in leaves.clone() {
                let leaf = &self.surface.levels.leaves[l];
                let vertices = self.surface.net(leaf);
                let Some(table) = self.leaf_table(l) else {
                    if let SurfaceLeafKind::Regular(ends) = leaf.kind {
                        let nets = Nets { ids: vertices.as_chunks().0, ends: &[ends] };
                        self.regular(points, nets, &mut scratch, positions, &mut derivatives);
                    }
                    continue;
                };
                let origin = points[vertices[0] as usize];
                net.clear();
                net.extend(vertices.iter().map(|&v| {
                    let p = points[v as usize];
                    [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]]
                }));
                product(table, &net, origin, positions, &mut derivatives);
            }
            let Some([d_u, d_v]) = derivatives else { continue };
            let normals = &mut normals[at];
            unit_normals(d_u, d_v, normals);
            for l in leaves {
                let Some(table) = self.leaf_table(l) else { continue };
                let net = self.surface.net(&self.surface.levels.leaves[l]);
                table.replace_normals(points, net, normals);
            }
        }
    }

    /// One regular quad.
    fn regular(
        &self,
        points: &[[f64; 3]],
        nets: Nets<'_, [u32; 16]>,
        scratch: &mut Scratch<f64>,
        positions: &mut [f64],
        derivatives: &mut Option<[&mut [f64]; 2]>,
    ) {
        let (simd, points) = (Simd::detect(), points.as_flattened());
        let Some(patch) = &self.patch else { return };
        let position = PatchOutput { orders: [0, 0], quads: &mut [positions] };
        let Some([d_u, d_v]) = derivatives else {
            return patch.evaluate(simd, scratch, points, nets, &mut [position]);
        };
        let d_u = PatchOutput { orders: [1, 0], quads: &mut [d_u] };
        let d_v = PatchOutput { orders: [0, 1], quads: &mut [d_v] };
        patch.evaluate(simd, scratch, points, nets, &mut [position, d_u, d_v]);
    }

    fn table(&self, leaf: &SurfaceLeaf, samples: Vec<u32>) -> SurfaceTable {
        let controls = leaf.net.1 as usize;
        let (count, order) = (samples.len(), usize::from(self.normals));
        let quantities = if self.normals { 3 } else { 1 };
        let mut weights = vec![f64::NAN; quantities * controls * count];
        let mut tangents = Vec::new();
        for (s, &sample) in samples.iter().enumerate() {
            stop_point();
            let p = self.parameters[sample as usize];
            let found = self.surface.weights(leaf, p, order);
            if self.normals && self.surface.extraordinary(leaf, p).is_some() {
                let pair = self.surface.tangents(leaf, p).map(|pair| pair.concat());
                tangents.push((s as u32, pair.unwrap_or(vec![f64::NAN; 2 * controls])));
            }
            for (quantity, row) in found.into_iter().enumerate() {
                for (c, weight) in row.into_iter().flatten().enumerate() {
                    weights[(quantity * controls + c) * count + s] = weight;
                }
            }
        }
        SurfaceTable { samples, controls, weights, tangents }
    }
}

impl SurfaceTable {
    /// Normals at extraordinary points, from their tangents.
    fn replace_normals(&self, points: &[[f64; 3]], net: &[u32], normals: &mut [f64]) {
        for (sample, weights) in &self.tangents {
            let (first, second) = weights.split_at(self.controls);
            let [first, second] = [first, second].map(|weights| net_sum(points, net, weights));
            let normal = super::geometry::normal(first, second);
            let at = 3 * self.samples[*sample as usize] as usize;
            normals[at..at + 3].copy_from_slice(&normal);
        }
    }
}

fn coordinate(i: usize, n: usize) -> f64 {
    if n == 1 { 0.5 } else { i as f64 / (n - 1) as f64 }
}

fn samples(scheme: Scheme, n: usize) -> Vec<[f64; 2]> {
    match scheme.shape() {
        FaceShape::Triangle if n == 1 => vec![[1.0 / 3.0; 2]],
        FaceShape::Triangle => {
            let row = |j: usize| (0..n - j).map(move |i| [coordinate(i, n), coordinate(j, n)]);
            (0..n).flat_map(row).collect()
        }
        FaceShape::Quad => {
            let row = |j: usize| (0..n).map(move |i| [coordinate(i, n), coordinate(j, n)]);
            (0..n).flat_map(row).collect()
        }
    }
}

fn samples_within(scheme: Scheme, leaf: &SurfaceLeaf, parameters: &[[f64; 2]]) -> Vec<u32> {
    let paths = parameters.iter().map(|&p| SurfaceLeaf::path_of(scheme, p));
    // the bits of the leaf's own splits
    let shift = 32 - 2 * u32::from(leaf.depth);
    let is_here = |path: u32| leaf.depth == 0 || path >> shift == leaf.path >> shift;
    paths.enumerate().filter(|&(_, path)| is_here(path)).map(|(s, _)| s as u32).collect()
}

fn resize(values: &mut Vec<f64>, len: usize) -> Result<()> {
    let more = len.saturating_sub(values.len());
    values.try_reserve_exact(more).map_err(|_| {
        let size = len as f64 * 8e-9;
        Error::request(format!("no memory for {size:.1} GB of limit points"))
            .with_help("evaluate fewer elements at once, or fewer samples")
    })?;
    values.truncate(len);
    while values.len() < len {
        stop_point();
        values.resize(len.min(values.len() + CLEARED), 0.0);
    }
    Ok(())
}

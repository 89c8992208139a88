//! Limit surfaces on a GPU: grids on all elements, points at any places, limits of all
//! vertices. What depends on topology is laid out once; control points move again and
//! again, and all results stay on the device until they are read
//! ([`SurfaceEvaluator`](crate::backend::SurfaceEvaluator)).
//!
//! Control points and local levels are in double precision; sums run relative to the
//! first point of a net, in `T`.

use crate::numbers::Real;
use cudarc::driver::DeviceRepr;
use rayon::prelude::*;

use crate::backend::cuda::Cuda;

use crate::backend::cuda::single_points::RegularPoint;
use crate::backend::cuda::surface::limit::{
    Grids, PatchBatch, SurfaceLayout, SurfacePoints, TableBatch, TableWeights,
};
use crate::backend::cuda::surface::points::{PointLayout, PointRows, SinglePoints};
use crate::error::{Error, Result};
use crate::plan::Want;
use crate::scheme::FaceShape;

use crate::surface::limit::{
    COUNTS, LimitSurface, SurfaceGrid, SurfaceLeaf, SurfaceLeafKind, SurfaceLocation, SurfaceTable,
    VertexMasks,
};

/// Grids of limit points on all elements of a surface, on a GPU, in `f32` or `f64`.
pub struct GridEvaluator<T> {
    pub(super) grids: Grids<T>,
    points: usize,
}

impl<T: Real + DeviceRepr> GridEvaluator<T> {
    /// Brings a grid to a GPU, with room for its results, `[element][sample]`: positions
    /// and, if the grid has normals, first derivatives and unit normals.
    ///
    /// # Errors
    /// [`Error::Request`] for more than 2³² points, or too little memory.
    pub fn new(grid: &SurfaceGrid<'_>, gpu: &Cuda) -> Result<Self> {
        let surface = grid.surface;
        let samples = grid.parameters().len();
        let points = surface.elements().len() * samples;
        if u32::try_from(points).is_err() {
            return Err(Error::request(format!("{points} points of a surface on a GPU"))
                .with_help("ask for fewer samples: results have 32-bit ids"));
        }
        let mut regular = SurfaceLeafBatch::default();
        let mut others: Vec<SurfaceLeafBatch> =
            vec![SurfaceLeafBatch::default(); grid.tables().len()];
        for (l, leaf) in surface.leaves().iter().enumerate() {
            let batch = match grid.leaf_tables[l] {
                table if (table as usize) < others.len() => &mut others[table as usize],
                _ => &mut regular,
            };
            batch.push(surface, leaf, leaf.element * samples as u32);
        }
        let orders = if grid.normals { 2 } else { 1 };
        let weights = grid.rows[..orders].iter().flatten().flatten();
        let mut patches = Vec::new();
        if !regular.starts.is_empty() {
            patches.push(PatchBatch {
                samples: grid.rows[0].len(),
                weights: weights.map(|&w| T::from_f64(w)).collect(),
                nets: regular.nets,
                ends: regular.ends,
                starts: regular.starts,
            });
        }
        // leaves between the samples have none
        let tables =
            grid.tables().iter().zip(others).filter(|(table, _)| !table.samples.is_empty());
        let layout = SurfaceLayout {
            controls: surface.vertex_count(),
            levels: surface.stencils(),
            patches,
            tables: tables.map(|(table, batch)| batch.with(table)).collect(),
            squares: Vec::new(),
            rows: PointRows { quantities: 1, ..PointRows::default() },
            results: points,
            normals: grid.normals,
        };
        Ok(Self { grids: Grids::new(gpu, &layout)?, points })
    }

    /// Copies the results of the last evaluation to the host, `[element][sample]`.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn read(&self) -> Result<SurfacePoints<T>> {
        self.grids.read()
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points
    }

    /// Whether the surface has no element.
    pub fn is_empty(&self) -> bool {
        self.points == 0
    }
}

/// Leaves that evaluate alike.
#[derive(Clone, Debug, Default)]
struct SurfaceLeafBatch {
    pub nets: Vec<u32>,
    pub ends: Vec<u8>,
    pub starts: Vec<u32>,
}

impl SurfaceLeafBatch {
    pub fn push(&mut self, surface: &LimitSurface, leaf: &SurfaceLeaf, start: u32) {
        self.nets.extend_from_slice(surface.net(leaf));
        self.ends.push(match leaf.kind {
            SurfaceLeafKind::Regular(ends) => ends.bits(),
            SurfaceLeafKind::Irregular(..) => 0,
        });
        self.starts.push(start);
    }

    fn with<T: Real>(self, table: &SurfaceTable) -> TableBatch<T> {
        TableBatch {
            controls: table.controls,
            weights: TableWeights::Own {
                weights: table.weights.iter().map(|&w| T::from_f64(w)).collect(),
                places: table.samples.clone(),
            },
            nets: self.nets,
            starts: self.starts,
            tangents: table.tangents.clone(),
        }
    }
}

/// Limits at any places of a surface, on a GPU, in `f32` or `f64`.
///
/// Points of regular quads evaluate their splines; the weights of all others are
/// tabulated when the places are given.
pub struct PlaceEvaluator<T> {
    pub(super) points: SinglePoints<T>,
    want: Want,
}

impl<T: Real + DeviceRepr> PlaceEvaluator<T> {
    /// Brings places to a GPU, with room for positions and the derivatives wanted.
    ///
    /// # Errors
    /// [`Error::Request`] for an element that does not exist, parameters outside its
    /// range, and too little memory.
    pub fn new(
        surface: &LimitSurface,
        places: &[SurfaceLocation],
        want: Want,
        gpu: &Cuda,
    ) -> Result<Self> {
        places.iter().enumerate().try_for_each(|(i, place)| surface.check(i, place))?;
        let order =
            if want.contains(Want::SECOND) { 2 } else { usize::from(want.contains(Want::FIRST)) };
        let quantities = COUNTS[order];
        let mut found: Vec<(u32, u32)> = (0u32..)
            .zip(places)
            .map(|(row, place)| {
                let leaf = surface.locate(place.element as usize, place.parameters);
                (leaf as u32, row)
            })
            .collect();
        found.sort_unstable();
        let (mut nets, mut regular) = (Vec::new(), Vec::new());
        let mut rows = PointRows { quantities, ..PointRows::default() };
        let mut others: Vec<(&SurfaceLeaf, [f64; 2])> = Vec::new();
        for group in found.chunk_by(|a, b| a.0 == b.0) {
            let leaf = &surface.leaves()[group[0].0 as usize];
            let net = surface.net(leaf);
            for &(_, row) in group {
                let p = places[row as usize].parameters;
                match leaf.kind {
                    SurfaceLeafKind::Regular(ends)
                        if surface.scheme().shape() == FaceShape::Quad =>
                    {
                        regular.push(RegularPoint {
                            local: surface.local(leaf, p).1,
                            net: (nets.len() / 16) as u32,
                            row,
                            ends: u32::from(ends.bits()),
                            depth: u32::from(leaf.depth),
                        });
                    }
                    _ => {
                        rows.columns.extend_from_slice(net);
                        rows.ends.push(rows.columns.len());
                        rows.results.push(row);
                        others.push((leaf, p));
                    }
                }
            }
            if regular
                .last()
                .is_some_and(|point: &RegularPoint<2>| point.net as usize == nets.len() / 16)
            {
                nets.extend_from_slice(net);
            }
        }
        let weights = others.par_iter().flat_map_iter(|&(leaf, p)| {
            let controls = surface.net(leaf).len();
            let quantities = surface.weights(leaf, p, order).into_iter();
            let known = quantities.map(move |w| w.unwrap_or_else(|| vec![f64::NAN; controls]));
            known.flatten().map(T::from_f64)
        });
        rows.weights = weights.collect();
        let layout = PointLayout {
            controls: surface.vertex_count(),
            levels: surface.stencils(),
            nets,
            regular,
            rows,
            results: places.len(),
            order,
            normals: false,
        };
        Ok(Self { points: SinglePoints::new(gpu, &layout)?, want })
    }

    /// Copies the results to the host, `[place]` each: positions, then the derivatives by
    /// u, v, uu, uv, vv that were wanted (empty otherwise), NaN where they do not exist.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn read(&self) -> Result<[Vec<[T; 3]>; 6]> {
        let mut results: [Vec<[T; 3]>; 6] = Default::default();
        for (i, values) in results.iter_mut().enumerate() {
            let wanted = match i {
                0 => true,
                1 | 2 => self.want.contains(Want::FIRST),
                _ => self.want.contains(Want::SECOND),
            };
            if wanted {
                *values = self.points.read(i)?;
            }
        }
        Ok(results)
    }
}

/// Limit positions and unit normals of all vertices of a mesh, on a GPU.
pub struct VertexEvaluator<T>(pub(super) SinglePoints<T>);

impl<T: Real + DeviceRepr> VertexEvaluator<T> {
    /// Brings limit masks to a GPU, with room for their results.
    ///
    /// # Errors
    /// [`Error::Request`] for too little memory.
    pub fn new(masks: &VertexMasks, gpu: &Cuda) -> Result<Self> {
        let mut rows = PointRows { quantities: 3, ..PointRows::default() };
        let [first, second] = masks.tangents();
        for v in 0..masks.positions().len() {
            let quantities = [masks.positions(), first, second];
            let mut columns: Vec<u32> = quantities
                .iter()
                .flat_map(|stencils| stencils.row(v).map(|(column, _)| column))
                .collect();
            // sums run relative to the first: the vertex itself, as it is near
            columns.push(v as u32);
            columns.sort_unstable_by_key(|&column| (column != v as u32, column));
            columns.dedup();
            for (quantity, stencils) in quantities.into_iter().enumerate() {
                let mut weights = vec![0.0; columns.len()];
                let mut is_there = false;
                for (column, weight) in stencils.row(v) {
                    let at = columns.iter().position(|&c| c == column);
                    at.into_iter().for_each(|at| weights[at] += weight);
                    is_there = true;
                }
                if quantity > 0 && !is_there {
                    weights.fill(f64::NAN);
                }
                rows.weights.extend(weights.iter().map(|&w| T::from_f64(w)));
            }
            rows.columns.extend(columns);
            rows.ends.push(rows.columns.len());
            rows.results.push(v as u32);
        }
        let layout = PointLayout {
            controls: masks.positions().len(),
            levels: &[],
            nets: Vec::new(),
            regular: Vec::new(),
            rows,
            results: masks.positions().len(),
            order: 1,
            normals: true,
        };
        Ok(Self(SinglePoints::new(gpu, &layout)?))
    }

    /// Positions and unit normals, copied to the host; normals are NaN where there is no
    /// tangent plane.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn read(&self) -> Result<[Vec<[T; 3]>; 2]> {
        Ok([self.0.read(0)?, self.0.read(1)?])
    }
}

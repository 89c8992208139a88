//! Limit masks at vertices: positions and tangents as rows over the control points.

use super::evaluate::SurfaceLocation;
use super::geometry::{normal, tangent};
use super::leaf::SurfaceLeaf;
use super::surface::LimitSurface;
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::mesh::check_point_count;
use crate::numbers::vector::difference;
use crate::scheme::{RowBuilder, Stencils};

/// Rows over the control points, one per vertex.
///
/// At a crease or corner the tangents are those beside the first face that the vertex is a
/// corner of. A vertex of no face stays where it is.
#[derive(Clone, Debug)]
pub struct VertexMasks {
    // rows that sum to 1, of vertices
    positions: Stencils,
    // rows that sum to 0; empty where there is no tangent plane
    tangents: [Stencils; 2],
}

impl LimitSurface {
    /// The limit masks of all vertices.
    pub fn vertex_masks(&self) -> VertexMasks {
        let masks = |quantity: usize| {
            Stencils::build(self.vertex_count(), |v, row| {
                let (element, p) = self.vertex_elements[v];
                if element == u32::MAX {
                    if quantity == 0 {
                        row.add(v as u32, 1.0);
                    }
                    return;
                }
                let leaf = &self.levels.leaves[self.locate(element as usize, p)];
                let weights = match quantity {
                    0 => self.weights(leaf, p, 0).swap_remove(0),
                    _ => self.tangents(leaf, p).map(|tangents| tangents[quantity - 1].clone()),
                };
                if let Some(weights) = weights {
                    self.add_net(leaf, &weights, row);
                }
            })
        };
        VertexMasks { positions: masks(0), tangents: [masks(1), masks(2)] }
    }

    /// Weights of the control points in the limit at places, a row each that sums to 1.
    ///
    /// # Panics
    /// For an element that does not exist.
    pub fn basis_rows(&self, places: &[SurfaceLocation]) -> Stencils {
        Stencils::build(places.len(), |r, row| {
            let SurfaceLocation { element, parameters } = places[r];
            let leaf = &self.levels.leaves[self.locate(element as usize, parameters)];
            if let Some(weights) = self.weights(leaf, parameters, 0).swap_remove(0) {
                self.add_net(leaf, &weights, row);
            }
        })
    }

    /// Adds weights of a leaf's net as weights of the control points.
    fn add_net(&self, leaf: &SurfaceLeaf, weights: &[f64], row: &mut RowBuilder) {
        for (&point, &weight) in self.net(leaf).iter().zip(weights) {
            self.add_point(point, weight, row);
        }
    }

    fn add_point(&self, point: u32, weight: f64, row: &mut RowBuilder) {
        let level = self.levels.level_starts.partition_point(|&start| start <= point as usize) - 1;
        if weight == 0.0 {
            return;
        }
        let Some(coarser) = level.checked_sub(1) else { return row.add(point, weight) };
        let own = point as usize - self.levels.level_starts[level];
        for (column, w) in self.levels.stencils[coarser].row(own) {
            let column = column + self.levels.level_starts[coarser] as u32;
            self.add_point(column, weight * w, row);
        }
    }
}

impl VertexMasks {
    /// Rows that give the limit positions; each sums to 1.
    pub fn positions(&self) -> &Stencils {
        &self.positions
    }

    /// Rows that give two vectors in the tangent plane, the second to the left of the
    /// first; each sums to 0. Empty where there is no tangent plane.
    pub fn tangents(&self) -> &[Stencils; 2] {
        &self.tangents
    }

    /// Limit positions of all vertices.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if there is not one point a vertex.
    pub fn limit_positions(&self, points: &[[f64; 3]]) -> Result<Vec<[f64; 3]>> {
        check_point_count(points.len(), self.positions.len())?;
        let mut limits = vec![[0.0; 3]; points.len()];
        self.positions.apply_into(points.as_flattened(), 3, limits.as_flattened_mut());
        Ok(limits)
    }

    /// Unit normals of the limit at all vertices, NaN where there is no tangent plane.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if there is not one point a vertex.
    pub fn limit_normals(&self, points: &[[f64; 3]]) -> Result<Vec<[f64; 3]>> {
        check_point_count(points.len(), self.positions.len())?;
        let at = |stencils: &Stencils, v: usize| {
            stop_point();
            let origin = points[v];
            let row = stencils.row(v);
            tangent(row.map(|(column, w)| (w, difference(points[column as usize], origin))))
        };
        let [first, second] = &self.tangents;
        Ok((0..points.len()).map(|v| normal(at(first, v), at(second, v))).collect())
    }
}

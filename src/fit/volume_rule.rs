//! The volume inside the limit of a closed surface.

use nalgebra::Vector3;

use crate::basis::gauss;
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::scheme::FaceShape;
use crate::surface::limit::{GridLimit, LimitSurface, SurfaceGrid};

/// Gauss points along each axis for volumes: they give 6 digits or more.
const VOLUME_POINTS: usize = 4;
/// Elements whose volumes are summed up at a time.
const VOLUME_ELEMENTS: usize = 4096;

/// Gauss points on elements, for the volume inside the limit.
pub(super) struct VolumeRule<'a> {
    // none for an open surface
    points: Option<SurfaceGrid<'a>>,
    // of the points of an element
    weights: Vec<f64>,
    elements: usize,
}

impl<'a> VolumeRule<'a> {
    /// No points for an open surface.
    pub fn new(surface: &'a LimitSurface, mesh: &SurfaceMesh) -> Result<Self> {
        let (mut places, mut weights) = (Vec::new(), Vec::new());
        let rule = gauss::rule(VOLUME_POINTS)?;
        let is_triangle = surface.scheme().shape() == FaceShape::Triangle;
        for (&u, &a) in rule.points.iter().zip(&rule.weights) {
            for (&v, &b) in rule.points.iter().zip(&rule.weights) {
                let (v, b) = if is_triangle { (v * (1.0 - u), b * (1.0 - u)) } else { (v, b) };
                places.push([u, v]);
                weights.push(a * b);
            }
        }
        let is_closed = super::target::open_edges(mesh) == 0;
        let points = is_closed.then(|| surface.grid_at(places, true));
        Ok(Self { points, weights, elements: surface.elements().len() })
    }

    /// Volume inside the limit over the points of all levels; 0 where the surface is open.
    pub fn inside(&self, points: &[[f64; 3]]) -> Result<f64> {
        let (Some(grid), Some(&origin)) = (&self.points, points.first()) else { return Ok(0.0) };
        let (origin, mut sum) = (Vector3::from(origin), 0.0);
        let mut limit = GridLimit::default();
        for first in (0..self.elements).step_by(VOLUME_ELEMENTS) {
            let end = self.elements.min(first + VOLUME_ELEMENTS);
            grid.evaluate(points, first..end, &mut limit)?;
            let [d_u, d_v] = &limit.derivatives;
            let weights = self.weights.iter().cycle();
            for (i, weight) in (0..limit.positions.len()).step_by(3).zip(weights) {
                let [x, u, v] = [&limit.positions, d_u, d_v]
                    .map(|values| Vector3::new(values[i], values[i + 1], values[i + 2]));
                sum += weight * (x - origin).dot(&u.cross(&v)) / 3.0;
            }
        }
        Ok(sum)
    }
}

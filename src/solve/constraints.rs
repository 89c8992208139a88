//! Unknowns with given values.

use crate::error::Result;
use crate::limit::Solid;
use crate::plan::Want;
use crate::quadrature::{Quadrature, QuadratureScheme};

/// Points along each axis of a face, at which functions are looked at.
const POINTS: usize = 3;
/// Functions below this on a face are 0 there but for rounding; others are larger.
const ZERO: f64 = 1e-9;

/// Which control values are fixed, and their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraints {
    width: usize,
    // [vertex][width]
    is_fixed: Vec<bool>,
    values: Vec<f64>,
    free: usize,
}

impl Constraints {
    /// None, for `width` unknowns a vertex; vertices of no cell are 0.
    pub fn none(solid: &Solid, width: usize) -> Self {
        let topology = solid.topology();
        let count = topology.vertex_count() * width;
        let mut own =
            Self { width, is_fixed: vec![false; count], values: vec![0.0; count], free: count };
        for v in topology.orphan_vertices() {
            (0..width).for_each(|d| own.fix(v, d, 0.0));
        }
        own
    }

    /// Fixes a component of a vertex.
    pub fn fix(&mut self, vertex: u32, component: usize, value: f64) {
        let at = vertex as usize * self.width + component;
        self.free -= usize::from(!self.is_fixed[at]);
        (self.is_fixed[at], self.values[at]) = (true, value);
    }

    /// Unknowns of a vertex.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether each unknown is fixed, `[vertex][width]`.
    pub fn is_fixed(&self) -> &[bool] {
        &self.is_fixed
    }

    /// Values of fixed unknowns, 0 for free ones, `[vertex][width]`.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of unknowns that are not fixed.
    pub fn free_count(&self) -> usize {
        self.free
    }

    /// Sets the numbers of fixed unknowns to 0.
    pub fn clear(&self, vector: &mut [f64]) {
        let fixed = vector.iter_mut().zip(&self.is_fixed).filter(|(_, is_fixed)| **is_fixed);
        fixed.for_each(|(x, _)| *x = 0.0);
    }
}

/// The control points whose functions are not 0 on all of these faces of the boundary, ascending:
/// if they have one value, so have the faces, exactly. They are the vertices of the faces, and of the
/// faces around them that no infinitely sharp edge cuts off.
///
/// # Errors
/// As [`Quadrature::boundary`].
pub fn held_controls(solid: &Solid, faces: &[u32]) -> Result<Vec<u32>> {
    let topology = solid.topology();
    let mut kept = vec![false; topology.face_count()];
    faces.iter().for_each(|&face| kept[face as usize] = true);
    let scheme = QuadratureScheme { gauss: POINTS, rings: Some(0) };
    let quadrature = Quadrature::boundary(solid, scheme, Want::FIRST, |face| kept[face as usize])?;
    let mut held = vec![false; topology.vertex_count()];
    for (b, batch) in quadrature.batches().iter().enumerate() {
        let basis = quadrature.basis(b);
        let is_seen: Vec<bool> = (0..basis.controls)
            .map(|c| basis.values[c..].iter().step_by(basis.controls).any(|n| n.abs() > ZERO))
            .collect();
        for net in batch.control_ids.chunks_exact(basis.controls.max(1)) {
            let seen = net.iter().zip(&is_seen).filter(|(_, is_seen)| **is_seen);
            seen.for_each(|(&v, _)| held[v as usize] = true);
        }
    }
    Ok((0..).zip(held).filter(|(_, is_held)| *is_held).map(|(v, _)| v).collect())
}

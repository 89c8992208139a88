//! Unknowns with given values.

use crate::limit::Solid;

/// Which unknowns are fixed, and their values.
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

//! Squares in the elements of a surface, and where they lie in a solid.

use crate::surface::limit::SurfaceLocation;

/// Where a patch lies in an element of a solid: (u, v, w) = `origin + s · along[0] + t · along[1]`.
#[derive(Clone, Copy, Debug)]
pub struct PlacedSquare {
    pub element: u32,
    pub origin: [f64; 3],
    pub along: [[f64; 3]; 2],
}

/// A square in the parameters of a surface element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterSquare {
    pub element: u32,
    pub origin: [f64; 2],
    pub size: f64,
}

impl ParameterSquare {
    /// The place at (s, t) of the square, each from 0 to 1.
    pub fn at(&self, s: f64, t: f64) -> SurfaceLocation {
        let parameters = [s, t].map(|x| x * self.size);
        let [u, v] = [0, 1].map(|d| self.origin[d] + parameters[d]);
        SurfaceLocation { element: self.element, parameters: [u, v] }
    }

    /// The four quarters of the square.
    pub fn quarters(self) -> [Self; 4] {
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|at| {
            let size = self.size / 2.0;
            Self { origin: [0, 1].map(|d| self.origin[d] + at[d] * size), size, ..self }
        })
    }
}

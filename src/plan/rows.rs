//! The basis functions of the mesh's vertices at given places, as sparse rows.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Location, Samples};
use crate::error::IdKind::{Element, Sample};
use crate::error::{Error, Result};
use crate::limit::{Orders, Solid};
use crate::scheme::Stencils;

impl Solid {
    /// Weights of the vertices in the limit at each location, or in a derivative of it with
    /// respect to (u, v, w): row r times the control points is result r. Rows of values sum to 1,
    /// those of derivatives to 0.
    ///
    /// ```
    /// use subsolid::{Solid, basis::bspline::Order, plan::Location};
    /// let mesh = subsolid::read("models/bracket.vtk")?;
    /// let solid = Solid::new(&mesh)?;
    /// let place = Location { element: 3, parameters: [0.5, 0.25, 1.0] };
    /// let rows = solid.basis_rows(&[place], [Order::Value; 3])?;
    /// assert!((rows.row(0).map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-13);
    /// # Ok::<(), subsolid::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Request`] for an element that does not exist, parameters outside [0, 1], and a
    /// derivative that does not exist at a location, which is on an extraordinary edge or vertex.
    pub fn basis_rows(&self, locations: &[Location], orders: Orders) -> Result<Stencils> {
        Samples::Points(locations.to_vec()).check(self)?;
        let levels = self.vertex_stencils();
        let starts = self.level_starts();
        let undefined = AtomicUsize::new(usize::MAX);
        let rows = Stencils::build(locations.len(), |r, row| {
            let Location { element, parameters } = locations[r];
            let (leaf, local) = self.locate(element as usize, parameters);
            let leaf = &self.leaves()[leaf];
            let Some(weights) = self.weights(leaf, local, orders) else {
                undefined.fetch_min(r, Ordering::Relaxed);
                return;
            };
            // places of missing layers have no weight
            let net = self.net(leaf).iter().zip(weights).filter(|&(_, weight)| weight != 0.0);
            for (&point, weight) in net {
                let point = point as usize;
                match starts.partition_point(|&start| start <= point) - 1 {
                    0 => row.add(point as u32, weight),
                    level => levels[level - 1]
                        .row(point - starts[level])
                        .for_each(|(vertex, inner)| row.add(vertex, weight * inner)),
                }
            }
        });
        match undefined.into_inner() {
            usize::MAX => Ok(rows),
            r => {
                let Location { element, parameters: [u, v, w] } = locations[r];
                Err(Error::request(message!(
                    "the derivative at ",
                    Sample.id(r),
                    ", ({u}, {v}, {w}) of ",
                    Element.id(element),
                    ", does not exist"
                ))
                .with_help("it lies on an extraordinary edge or vertex: move it inside"))
            }
        }
    }
}

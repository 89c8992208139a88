//! The basis functions of the mesh's vertices at given places, as sparse rows.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Location, Samples};
use crate::basis::bspline::Order;
use crate::error::IdKind::{Element, Sample};
use crate::error::{Error, Result};
use crate::limit::{Orders, Solid};
use crate::scheme::Stencils;

impl Solid {
    /// Limit masks: row v gives the limit at vertex v from the control points, and sums to 1. A
    /// vertex of no cell stays.
    pub fn limit_matrix(&self) -> Stencils {
        self.limit_masks(|_| true)
    }

    /// Limit masks of these vertices; rows of others say that they stay.
    pub(crate) fn limit_masks(&self, wanted: impl Fn(usize) -> bool) -> Stencils {
        let topology = self.topology();
        let mut places = vec![None; topology.vertex_count()];
        for (element, own) in (0..).zip(self.elements()) {
            let mut take = |v: u32, parameters| {
                places[v as usize].get_or_insert(Location { element, parameters });
            };
            match own.corner {
                None => {
                    for (i, &v) in own.corners.iter().enumerate() {
                        let along = [(i ^ i >> 1) & 1, i >> 1 & 1, i >> 2];
                        take(v, along.map(|bit| bit as f64));
                    }
                }
                // a corner of a cell of another kind lies at the origin of its element
                Some(corner) => {
                    let corners = topology.cells().vertices(own.cell as usize);
                    take(corners[corner as usize], [0.0; 3]);
                }
            }
        }
        let of_vertices = places.into_iter().enumerate().filter(|&(v, _)| wanted(v));
        let (used, locations): (Vec<usize>, Vec<Location>) =
            of_vertices.filter_map(|(v, place)| Some((v, place?))).unzip();
        // values exist everywhere
        let (rows, _) = self.rows(&locations, [Order::Value; 3]);
        let mut row_of = vec![None; topology.vertex_count()];
        used.iter().enumerate().for_each(|(row, &v)| row_of[v] = Some(row));
        Stencils::build(topology.vertex_count(), |v, row| match row_of[v] {
            Some(own) => rows.row(own).for_each(|(column, weight)| row.add(column, weight)),
            None => row.add(v as u32, 1.0),
        })
    }

    /// Weights of the vertices in the limit at each location, or in a derivative of it with
    /// respect to (u, v, w): row r times the control points is result r. Rows of values sum to 1,
    /// rows of derivatives to 0.
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
        let (rows, undefined) = self.rows(locations, orders);
        let Some(r) = undefined else { return Ok(rows) };
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

    /// The rows of [`Solid::basis_rows`], and the first location at which there is none.
    fn rows(&self, locations: &[Location], orders: Orders) -> (Stencils, Option<usize>) {
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
        let undefined = undefined.into_inner();
        (rows, (undefined != usize::MAX).then_some(undefined))
    }
}

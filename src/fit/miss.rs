//! How far the limit of a control mesh is from its vertices.

use serde::Serialize;

use super::deviation::Deviation;
use crate::error::{Command, Message, Result};
use crate::mesh::SolidMesh;
use crate::numbers::bounds;
use crate::scheme::Scheme;
use crate::surface::boundary_with_topology;
use crate::surface::limit::LimitSurface;
use crate::topology::Topology;

/// Distance from a vertex, as a fraction of the size, from which a user should know: parts are made
/// to tolerances of a thousandth of their size and less.
const NOTICED: f64 = 1e-3;

/// Distances of the limit from the vertices of the boundary.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct VertexMiss {
    /// The distances, in length units.
    #[serde(flatten)]
    pub distance: Deviation,
    /// The largest as a fraction of the diagonal of the box around the vertices.
    pub of_size: f64,
}

impl VertexMiss {
    /// Of a control mesh and its topology. It takes a limit mask for each vertex of the boundary
    /// surface: far less than the limit at samples of the cells.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) for a defect of the mesh or its creases, and without a
    /// boundary.
    pub fn new(mesh: &SolidMesh, topology: &Topology) -> Result<Self> {
        let skin = boundary_with_topology(mesh, topology)?;
        let masks = LimitSurface::of_mesh(&skin, Scheme::CatmullClark)?.vertex_masks();
        let distances = skin.points.iter().enumerate().map(|(r, &point)| {
            // relative to the vertex, for the accuracy of small cells far from the origin
            let mut away = [0.0; 3];
            for (column, weight) in masks.positions().row(r) {
                let control = skin.points[column as usize];
                (0..3).for_each(|d| away[d] += weight * (control[d] - point[d]));
            }
            (point, away.iter().map(|x| x * x).sum::<f64>().sqrt(), 1.0)
        });
        let distance = Deviation::new(distances);
        let [low, high] = bounds::around(skin.points.iter().copied());
        let diagonal = (0..3).map(|d| (high[d] - low[d]).powi(2)).sum::<f64>().sqrt();
        let of_size = if diagonal > 0.0 { distance.max / diagonal } else { 0.0 };
        Ok(Self { distance, of_size })
    }

    /// That one may have taken something else for a control mesh: vertices of a part where the limit
    /// is away from them by more than 0.1 % of the size, unless the mesh was fitted; or a limit.
    pub fn notice(&self, mesh: &SolidMesh) -> Option<Message> {
        let percent = 100.0 * self.of_size;
        if is_limit(mesh) {
            return Some(message!(format!(
                "these cells seem to be a limit that was evaluated (attributes \"cell\" and \"class\"); \
                 their own limit misses them by up to {percent:.1} % of the size: give the control mesh"
            )));
        }
        (self.of_size >= NOTICED && !mesh.is_fitted).then(|| {
            message!(
                format!(
                    "the limit misses the vertices by up to {percent:.1} % of the size; if they lie \
                     on the part, fit it first ("
                ),
                Command::Fit,
                ")"
            )
        })
    }
}

/// Whether the cells have the attributes of limits that [`volume`](crate::volume) writes.
fn is_limit(mesh: &SolidMesh) -> bool {
    ["cell", "class"].iter().all(|name| mesh.cell_data.iter().any(|array| array.name == *name))
}

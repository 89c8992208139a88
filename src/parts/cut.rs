//! Which part owns each cell.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::mesh::{SolidMesh, used_rows};
use crate::plan::{Plan, shares};
use crate::topology::order::Curve;

/// The part that owns each cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    owners: Vec<u32>,
    count: usize,
}

impl Cut {
    /// Cuts the Hilbert curve through the centroids of all cells into `count` runs whose costs are
    /// about equal; `costs: [cell]`, see [`costs`]. Parts are empty where there are fewer cells.
    ///
    /// # Errors
    /// [`Error::Request`] for no parts, and costs that are not one for each cell, finite and at
    /// least 0.
    pub fn along_curve(mesh: &SolidMesh, costs: &[f64], count: usize) -> Result<Self> {
        check_costs(mesh, costs)?;
        mesh.check()?;
        let cells = mesh.cells.len();
        let spanning = used_rows(mesh.points.as_flattened(), 3, &mesh.used_vertices());
        let curve = Curve::around(spanning.as_chunks().0);
        let key = |cell: u32| {
            let vertices = mesh.cells.vertices(cell as usize);
            let mut sum = [0.0; 3];
            for point in vertices.iter().filter_map(|&v| mesh.points.get(v as usize)) {
                (0..3).for_each(|d| sum[d] += point[d]);
            }
            (curve.key(sum.map(|x| x / vertices.len().max(1) as f64)), cell)
        };
        let mut order: Vec<(u64, u32)> = (0..cells as u32).into_par_iter().map(key).collect();
        order.par_sort_unstable();
        let sorted: Vec<f64> = order.iter().map(|&(_, cell)| costs[cell as usize]).collect();
        let mut owners = vec![0; cells];
        for (part, run) in (0..).zip(shares(&sorted, &vec![1.0; count])) {
            order[run].iter().for_each(|&(_, cell)| owners[cell as usize] = part);
        }
        Self::of_owners(owners, count)
    }

    /// A cut of `count` parts with these owners `[cell]`.
    ///
    /// # Errors
    /// [`Error::Request`] for no parts, and owners that are none of them.
    pub fn of_owners(owners: Vec<u32>, count: usize) -> Result<Self> {
        if count == 0 || owners.iter().any(|&owner| owner as usize >= count) {
            return Err(Error::request(format!("owners that are not among {count} parts"))
                .with_help("give each cell the number of a part, from 0 on"));
        }
        Ok(Self { owners, count })
    }

    /// Number of parts.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The part of each cell.
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// The cells of each part, ascending.
    pub(super) fn owned(&self) -> Vec<Vec<u32>> {
        let mut owned = vec![Vec::new(); self.count];
        for (cell, &owner) in (0..).zip(&self.owners) {
            owned[owner as usize].push(cell);
        }
        owned
    }
}

/// Refuses costs that are not one for each cell, finite and at least 0.
fn check_costs(mesh: &SolidMesh, costs: &[f64]) -> Result<()> {
    let cells = mesh.cells.len();
    let are_sound = costs.len() == cells && costs.iter().all(|c| c.is_finite() && *c >= 0.0);
    are_sound.then_some(()).ok_or_else(|| {
        Error::request(format!("costs that are not one for each of {cells} cells"))
            .with_help("give finite numbers of at least 0")
    })
}

/// What evaluating each cell costs under a plan of a grid of samples, in samples of regular cells:
/// refined and irregular cells cost more.
pub fn costs(plan: &Plan<'_>) -> Vec<f64> {
    let solid = plan.solid();
    let mut costs = vec![0.0; solid.topology().cell_count()];
    for (element, cost) in solid.elements().iter().zip(plan.element_costs()) {
        costs[element.cell as usize] += cost;
    }
    costs
}

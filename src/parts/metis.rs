//! Cuts by METIS: Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning
//! irregular graphs", SIAM J. Sci. Comput. 20 (1998).

use metis::{Graph, Idx, mesh_to_dual};

use super::Cut;
use super::cut::check_costs;
use crate::error::{Error, Result};
use crate::mesh::SolidMesh;

/// Cells that share so many vertices share a face.
const COMMON: Idx = 3;
/// Minimum number of cells of a part: of fewer METIS complains on standard output.
const MIN_CELLS: usize = 8;
/// A weight of average cost.
const WEIGHT: f64 = 1000.0;

impl Cut {
    /// Cuts the graph of cells that share faces into `count` parts of about equal cost with few
    /// faces between them; `costs: [cell]`, see [`costs`](super::costs). Takes longer than
    /// [`Cut::along_curve`], for fewer ghosts. The same mesh and costs give the same parts.
    ///
    /// # Errors
    /// Those of [`Cut::along_curve`]; [`Error::Request`] for fewer than 8 cells a part, meshes
    /// beyond METIS's 32-bit numbers, and if METIS fails.
    pub fn by_metis(mesh: &SolidMesh, costs: &[f64], count: usize) -> Result<Self> {
        check_costs(mesh, costs)?;
        mesh.check()?;
        let cells = mesh.cells.len();
        if count < 2 {
            return Self::of_owners(vec![0; cells], count);
        }
        if cells / count < MIN_CELLS {
            return Err(Error::request(format!("{count} parts of {cells} cells by METIS"))
                .with_help(format!(
                    "ask for parts of {MIN_CELLS} cells or more, or cut along the curve"
                )));
        }
        let number = |n: usize| {
            Idx::try_from(n).map_err(|_| {
                Error::request(format!("{n} parts, or corners of cells, are too many for METIS"))
                    .with_help("cut the mesh along the curve")
            })
        };
        let (mut ends, mut corners) = (vec![0], Vec::new());
        for cell in 0..cells {
            let vertices = mesh.cells.vertices(cell).iter();
            corners.extend(vertices.map(|&v| number(v as usize)).collect::<Result<Vec<_>>>()?);
            ends.push(number(corners.len())?);
        }
        let failed = |error: &dyn std::fmt::Display| {
            Error::request(format!("METIS: {error}")).with_help("cut the mesh along the curve")
        };
        let graph = mesh_to_dual(&ends, &corners, COMMON).map_err(|e| failed(&e))?;
        let sum: f64 = costs.iter().sum();
        let most = f64::from(Idx::MAX / 2);
        let scale = (WEIGHT * costs.len() as f64).min(most - costs.len() as f64) / sum.max(1e-300);
        let weights: Vec<Idx> = costs.iter().map(|cost| (cost * scale) as Idx + 1).collect();
        let mut owners = vec![0; costs.len()];
        Graph::new(1, number(count)?, graph.xadj(), graph.adjncy())
            .map_err(|e| failed(&e))?
            .set_vwgt(&weights)
            .part_kway(&mut owners)
            .map_err(|e| failed(&e))?;
        Self::of_owners(owners.into_iter().map(|owner| owner as u32).collect(), count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Cutter;

    /// Parts of equal cost, with no more ghosts than runs of the curve; all cells have an owner.
    #[test]
    fn parts_are_balanced_and_compact() {
        let mesh = crate::io::read("models/bracket.vtk").unwrap();
        let mesh = crate::refine::refine_mesh(&mesh, 1, Default::default()).unwrap();
        let cells = mesh.cells.len();
        let costs: Vec<f64> = (0..cells).map(|c| if c % 3 == 0 { 2.5 } else { 1.0 }).collect();
        let mean = |count: usize| costs.iter().sum::<f64>() / count as f64;
        let ghosts = |cut: &Cut| -> usize {
            let cutter = Cutter::new(&mesh, cut).unwrap();
            (0..cut.count()).map(|part| cutter.part(part).ghost_count()).sum()
        };
        for count in [1, 2, 3, 8, 13] {
            let cut = Cut::by_metis(&mesh, &costs, count).unwrap();
            assert_eq!(cut, Cut::by_metis(&mesh, &costs, count).unwrap());
            let mut sums = vec![0.0; count];
            cut.owners().iter().zip(&costs).for_each(|(&part, cost)| sums[part as usize] += cost);
            assert!(sums.iter().all(|sum| (sum / mean(count) - 1.0).abs() < 0.06), "{sums:?}");
            let curve = Cut::along_curve(&mesh, &costs, count).unwrap();
            assert!(ghosts(&cut) <= ghosts(&curve), "{count}: {} {}", ghosts(&cut), ghosts(&curve));
        }
    }

    #[test]
    fn wrong_requests_are_refused() {
        let mesh = crate::io::read("models/bracket.vtk").unwrap();
        let ones = vec![1.0; mesh.cells.len()];
        assert!(Cut::by_metis(&mesh, &ones[1..], 2).is_err());
        assert!(Cut::by_metis(&mesh, &ones, 0).is_err());
        let most = ones.len() / MIN_CELLS;
        assert!(Cut::by_metis(&mesh, &ones, most + 1).is_err());
        // costs that are all 0
        for (costs, count) in [(&ones, most), (&vec![0.0; ones.len()], 2)] {
            let cut = Cut::by_metis(&mesh, costs, count).unwrap();
            assert_eq!(cut.owners().len(), ones.len());
        }
    }
}

//! Meshes with discontinuous nodes, as periodic ones are written: their elements have common
//! vertices, and each has coordinates of its own.

use super::{CONVERT, Mfem};
use crate::error::Result;
use crate::mesh::{CORNERS, Cells, Lattice};

/// Corners are in one place up to this part of the size of the mesh.
const MATCHED: f64 = 1e-6;
/// Maximum order of the nodes.
const MAX_ORDER: usize = 20;

/// The order of a collection of discontinuous nodes that are at corners too, `L2_T1_3D_P2`.
pub(super) fn corner_order(collection: &str) -> Option<usize> {
    let order = collection.strip_prefix("L2_T1_3D_P")?.parse().ok()?;
    (1..=MAX_ORDER).contains(&order).then_some(order)
}

impl Mfem<'_> {
    /// Gives each element corners of its own places, each place of a vertex once; what is between two
    /// places of a vertex is a period. `values`: `[element][node]`, of nodes x runs fastest.
    pub(super) fn unwrap(
        &mut self,
        vertices: usize,
        order: usize,
        node: impl Fn(usize) -> [f64; 3],
        nodes: usize,
    ) -> Result<()> {
        let refused =
            |own: &Self, what: &str| Err(own.text.error(what.to_owned()).with_help(CONVERT));
        let per_cell = (order + 1).pow(3);
        let Some(hexahedra) = self.assembly.mesh.cells.hexahedra().map(<[_]>::to_vec) else {
            return refused(self, "discontinuous nodes of cells that are not all hexahedra");
        };
        if hexahedra.len().checked_mul(per_cell) != Some(nodes) {
            return refused(self, &format!("{nodes} nodes, {per_cell} of each element are needed"));
        }
        let size =
            (0..nodes).map(&node).fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |b, p| {
                let [low, high] = b;
                [[0, 1, 2].map(|d| p[d].min(low[d])), [0, 1, 2].map(|d| p[d].max(high[d]))]
            });
        let near = MATCHED * (0..3).map(|d| size[1][d] - size[0][d]).fold(0.0, f64::max);
        // of each vertex its places, and the vertices that they have become
        let mut places: Vec<Vec<([f64; 3], u32)>> = vec![Vec::new(); vertices];
        let line = Some(self.text.line());
        let mut corners = Vec::with_capacity(hexahedra.len());
        let mut translations = Vec::new();
        for (cell, own) in hexahedra.iter().enumerate() {
            let mut numbers = [0; 8];
            for (k, (&v, offset)) in own.iter().zip(CORNERS).enumerate() {
                let Some(known) = places.get_mut(v as usize) else {
                    return refused(self, &format!("vertex {v} of {vertices} vertices"));
                };
                let [i, j, l] = offset.map(|x| x * order);
                let place = node(cell * per_cell + i + (order + 1) * (j + (order + 1) * l));
                let is_here =
                    |(p, _): &&([f64; 3], u32)| (0..3).all(|d| (p[d] - place[d]).abs() <= near);
                numbers[k] = match known.iter().find(is_here) {
                    Some(&(_, number)) => number,
                    None => {
                        let number = self.assembly.points() as u32;
                        if let Some(&(first, _)) = known.first() {
                            translations.push([0, 1, 2].map(|d| place[d] - first[d]));
                        }
                        known.push((place, number));
                        self.assembly.push_point(place, line)?;
                        number
                    }
                };
            }
            corners.push(numbers);
        }
        self.assembly.mesh.cells = Cells::of_hexahedra(corners);
        let count = self.boundary.len();
        self.assembly.skip_many("boundary elements of a mesh with discontinuous nodes", count);
        self.boundary.clear();
        self.assembly.groups = Default::default();
        if !translations.is_empty() {
            let Ok(lattice) = Lattice::spanned(translations, 2.0 * near) else {
                return refused(self, "places of a vertex that are not a period apart");
            };
            self.assembly.mesh.periods = lattice.periods().to_vec();
        }
        Ok(())
    }
}

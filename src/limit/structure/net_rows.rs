//! Rows of the nets of children over the control points of their parent's net.

use std::collections::HashMap;

use super::sparse_rows::SparseRows;
use crate::basis::MissingLayers;
use crate::scheme::Stencils;

/// Rows of refined points, each once: the nets of children share most of their points. A net is a
/// list of rows.
pub(crate) struct NetRows<'a> {
    stencils: &'a Stencils,
    rows: SparseRows,
    // by refined vertex, NONE before it has a row
    of_vertex: Vec<u16>,
    // by the rows that they combine
    of_phantom: HashMap<[u16; 3], u16>,
    // of the row at hand
    entries: Vec<(u16, f64)>,
}

/// No row.
const NONE: u16 = u16::MAX;

impl<'a> NetRows<'a> {
    /// No rows yet, over `controls` control points. Vertices of the coarse mesh whose numbers
    /// differ by a multiple of `controls` are one control point: the layers of an extruded planar
    /// net, because the weights along them sum to 1.
    pub fn new(stencils: &'a Stencils, controls: usize) -> Self {
        Self {
            stencils,
            rows: SparseRows::new(controls),
            of_vertex: vec![NONE; stencils.len()],
            of_phantom: HashMap::new(),
            entries: Vec::new(),
        }
    }

    /// The rows of refined vertices.
    pub fn net(&mut self, vertices: &[u32]) -> Vec<u16> {
        vertices.iter().map(|&v| self.of_vertex(v as usize)).collect()
    }

    fn of_vertex(&mut self, v: usize) -> u16 {
        if self.of_vertex[v] == NONE {
            let controls = self.rows.columns() as u32;
            // by control point, then by layer, so that sums have one order
            let mut row: Vec<(u32, f64)> = self.stencils.row(v).collect();
            row.sort_unstable_by_key(|&(column, _)| (column % controls, column));
            self.entries.clear();
            self.entries.extend(row.iter().map(|&(c, weight)| ((c % controls) as u16, weight)));
            self.of_vertex[v] = self.push();
        }
        self.of_vertex[v]
    }

    /// Appends the row at hand, adding up the entries of one column.
    fn push(&mut self) -> u16 {
        self.entries.dedup_by(|next, sum| {
            let is_same = next.0 == sum.0;
            if is_same {
                sum.1 += next.1;
            }
            is_same
        });
        self.rows.push(self.entries.iter().copied());
        (self.rows.count() - 1) as u16
    }

    /// The row a + b − c.
    pub fn phantom(&mut self, terms: [u16; 3]) -> u16 {
        if let Some(&row) = self.of_phantom.get(&terms) {
            return row;
        }
        let [a, b, c] = terms.map(usize::from);
        self.entries.clear();
        self.entries.extend(self.rows.row(a));
        self.entries.extend(self.rows.row(b));
        self.entries.extend(self.rows.row(c).map(|(column, x)| (column, -x)));
        self.entries.sort_by_key(|&(column, _)| column);
        let row = self.push();
        self.of_phantom.insert(terms, row);
        row
    }

    /// Replaces missing layers of a tensor net by p₋₁ = 2p₀ − p₁ (u, then v, then w).
    /// `ends`: the missing layers.
    pub fn fold_phantoms(&mut self, net: &mut [u16], dimension: usize, ends: MissingLayers) {
        for d in 0..dimension {
            let stride = 4_usize.pow(d as u32);
            for side in ends.sides(d) {
                for at in (0..net.len()).filter(|at| at / stride % 4 == 3 * side) {
                    let inward =
                        |steps| if side == 0 { at + steps * stride } else { at - steps * stride };
                    net[at] = self.phantom([net[inward(1)], net[inward(1)], net[inward(2)]]);
                }
            }
        }
    }

    /// The rows of a net alone.
    pub fn selected(&self, net: &[u16]) -> SparseRows {
        self.rows.selected(net)
    }

    /// All rows.
    pub fn finish(self) -> SparseRows {
        let mut rows = self.rows;
        rows.shrink();
        rows
    }
}

//! Merging of points that several pieces of a mesh share.

use crate::io::CREASE_EDGES;
use crate::mesh::{WeldNearness, WeldPoint, repeated, shorten};

use super::assemble::Assembly;
use super::high_order::retain_rows;

impl Assembly<'_> {
    /// Merges points that pieces repeat ([`repeated`]), and returns how many went away. Piece i
    /// has the points from `starts[i]` on. Of merged points the one of the first piece stays, with
    /// its values.
    pub(super) fn weld_pieces(&mut self, starts: &[usize]) -> usize {
        let count = self.points();
        if starts.len() < 2 {
            return 0;
        }
        let largest = WeldNearness::largest(&self.mesh.points);
        let nearness = WeldNearness::new(largest, self.is_single);
        let shortest = self.shortest_edges();
        let ends = starts.iter().skip(1).copied().chain([count]);
        let mut pieces = Vec::with_capacity(count);
        (0..).zip(ends).for_each(|(piece, end)| pieces.resize(end, piece));
        let point = |v: usize| WeldPoint {
            place: self.mesh.points[v],
            piece: pieces[v],
            tolerance: nearness.tolerance(shortest[v]),
        };
        let first = repeated(count, point);
        let dropped: Vec<bool> = (0..).zip(&first).map(|(v, &first)| first != v).collect();
        let merged = dropped.iter().filter(|&&dropped| dropped).count();
        if merged == 0 {
            return 0;
        }
        let mut new_ids: Vec<u32> = Vec::with_capacity(count);
        let mut kept = 0;
        for (v, &first) in first.iter().enumerate() {
            if dropped[v] {
                new_ids.push(new_ids[first as usize]);
            } else {
                new_ids.push(kept);
                kept += 1;
            }
        }
        // Ids beyond the points stay beyond them, and are refused by `finish`.
        let new_id = |vertex: u32| new_ids.get(vertex as usize).copied().unwrap_or(vertex);
        self.mesh.cells.renumber(new_id);
        self.high_order.renumber(new_id);
        self.groups.renumber(new_id);
        retain_rows(&mut self.mesh.points, 1, &dropped);
        for attribute in &mut self.mesh.attributes {
            // Arrays of another length are refused by `finish`.
            if attribute.values.len() == count * attribute.width {
                retain_rows(&mut attribute.values, attribute.width, &dropped);
            }
        }
        for field in self.fields.iter_mut().filter(|field| field.name == CREASE_EDGES) {
            for value in &mut field.values {
                // Values that are no vertex are refused by `finish`.
                if value.fract() == 0.0 && *value >= 0.0 && *value < count as f64 {
                    *value = f64::from(new_id(*value as u32));
                }
            }
        }
        merged
    }

    /// The shortest edge of cells and faces at each point.
    fn shortest_edges(&self) -> Vec<f64> {
        let points = &self.mesh.points;
        let mut lengths = vec![f64::INFINITY; points.len()];
        let local = |v: u32| Some(v as usize).filter(|&v| v < points.len());
        let mut visit = |face: &[u32]| shorten(&mut lengths, points, face, local);
        for cell in 0..self.mesh.cells.len() {
            self.mesh.cells.for_each_face(cell, &mut visit);
        }
        let faces = self.groups.faces();
        (0..faces.len()).for_each(|face| visit(faces.face(face)));
        lengths
    }
}

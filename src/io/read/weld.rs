//! Merging of points that several pieces of a mesh share.

use std::collections::HashMap;

use crate::io::CREASE_EDGES;

use super::assemble::Assembly;
use super::high_order::retain_rows;

impl Assembly<'_> {
    /// Merges points of different pieces whose coordinates are equal (bit by bit, but
    /// −0 is 0) and returns how many went away. Piece i has the points from
    /// `starts[i]` on. Points of one piece stay apart, so a cut inside a piece stays a
    /// cut. Of merged points the one of the first piece stays, with its values.
    pub(super) fn weld_pieces(&mut self, starts: &[usize]) -> usize {
        let count = self.points();
        let mut known: HashMap<[u64; 3], u32> = HashMap::with_capacity(count);
        // new_ids: [point before]
        let mut new_ids: Vec<u32> = Vec::with_capacity(count);
        let mut dropped = vec![false; count];
        let mut kept = 0;
        let ends = starts.iter().skip(1).copied().chain([count]);
        for (&start, end) in starts.iter().zip(ends) {
            let mut added = Vec::new();
            for (point, dropped) in
                self.mesh.points[start..end].iter().zip(&mut dropped[start..end])
            {
                let key = point.map(|x| (x + 0.0).to_bits());
                // A point of the earlier pieces takes at most one point of this piece.
                if let Some(id) = known.remove(&key) {
                    added.push((key, id));
                    new_ids.push(id);
                    *dropped = true;
                } else {
                    added.push((key, kept));
                    new_ids.push(kept);
                    kept += 1;
                }
            }
            for (key, id) in added.into_iter().rev() {
                known.insert(key, id);
            }
        }
        let merged = dropped.iter().filter(|&&dropped| dropped).count();
        if merged == 0 {
            return 0;
        }
        // Ids beyond the points stay beyond them, and are refused by `finish`.
        let new_id = |vertex: u32| new_ids.get(vertex as usize).copied().unwrap_or(vertex);
        self.mesh.cells.renumber(new_id);
        self.high_order.renumber(new_id);
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
}

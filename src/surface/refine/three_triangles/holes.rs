//! Holes under √3: which triangles a result leaves out.
//!
//! Holes are refined like all faces. Two steps cut a triangle in nine, so after an even
//! number of steps every triangle lies in one of the control mesh. A step more turns the
//! edges, and triangles lie in two. Where one of the two is a hole the result keeps the
//! edge as it was, as the first of two steps does where the surface ends, so that it has
//! the rim of the hole at every level.

use super::{ThreeTriangleLevels, ThreeTrianglesLevel};
use crate::topology::NONE;

impl ThreeTriangleLevels {
    /// The triangles of the last level outside holes; `is_hole[triangle of level 0]`.
    pub(in crate::surface) fn triangles_outside(&self, is_hole: Vec<bool>) -> Vec<u32> {
        let (pairs, rest) = self.levels.as_chunks::<2>();
        let is_hole = pairs.iter().fold(is_hole, |is_hole, steps| after_two_steps(steps, &is_hole));
        if let [level] = rest {
            return level.triangles_outside(&is_hole, &self.last);
        }
        let triangles = self.last.as_chunks::<3>().0.iter().zip(is_hole);
        triangles.filter(|(_, hole)| !hole).flat_map(|(triangle, _)| *triangle).collect()
    }
}

/// Which of the nine grandchildren of each triangle lie in holes.
fn after_two_steps([first, second]: &[ThreeTrianglesLevel; 2], is_hole: &[bool]) -> Vec<bool> {
    (0..second.topology.vertices.len() as u32)
        .map(|c| {
            // triangle c/3 lies across the edge of its parent's corner: its vertices are one
            // of the edge's ends, the face point across, the face point of its parent
            let parent = c / 3;
            let own = is_hole[parent as usize / 3];
            let Some(opposite) = first.opposite(parent) else { return own };
            let across = is_hole[opposite as usize / 3];
            match c % 3 {
                0 => across,
                1 if second.kept_end(c) == second.topology.vertex(c) => across,
                _ => own,
            }
        })
        .collect()
}

impl ThreeTrianglesLevel {
    /// The triangles after this step, the first of two, `refined`, but for those inside
    /// holes; edges to holes are not flipped.
    fn triangles_outside(&self, is_hole: &[bool], refined: &[u32]) -> Vec<u32> {
        let topology = &self.topology;
        let mut triangles = Vec::with_capacity(refined.len());
        for (c, triangle) in (0..).zip(refined.as_chunks::<3>().0) {
            if is_hole[c as usize / 3] {
                continue;
            }
            let beside_hole =
                self.opposite(c).is_some_and(|opposite| is_hole[opposite as usize / 3]);
            triangles.extend(if beside_hole {
                [topology.vertex(c), topology.vertex(topology.columns.next(c)), self.facing(c)]
            } else {
                *triangle
            });
        }
        triangles
    }

    /// The other corner of the same edge.
    fn opposite(&self, corner: u32) -> Option<u32> {
        let [first, second] =
            self.topology.edge_corners[self.topology.edges[corner as usize] as usize];
        match second {
            NONE => None,
            _ => Some(if first == corner { second } else { first }),
        }
    }
}

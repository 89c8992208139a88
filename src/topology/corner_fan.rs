//! The faces at a corner of a cell, and the axes that they give it.

use super::Topology;

/// Axes at a corner of three edges of a cell: the axes of its child there, and of the element that
/// evaluates that child. They are right-handed if the cell's faces are outward.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CornerFan {
    /// The vertices that the axes run toward.
    pub toward: [u32; 3],
    /// The faces across the axes: each has the corner and both other axes.
    pub faces: [u32; 3],
}

impl Topology {
    /// The axes at the corner `vertex` of a cell; `None` if not three of its faces meet there.
    pub(crate) fn corner_fan(&self, cell: u32, vertex: u32) -> Option<CornerFan> {
        // the face (a, b) has a before and b after the vertex in its outward cycle
        let mut fan = [(0, [0; 2]); 3];
        let (mut count, mut local) = (0, 0);
        self.cells().for_each_face(cell as usize, |cycle| {
            if let Some(at) = cycle.iter().position(|&x| x == vertex) {
                if count < 3 {
                    let n = cycle.len();
                    let neighbors = [cycle[(at + n - 1) % n], cycle[(at + 1) % n]];
                    fan[count] = (self.cell_faces(cell)[local], neighbors);
                }
                count += 1;
            }
            local += 1;
        });
        if count != 3 {
            return None;
        }
        let [(face, [a, b]), others @ ..] = fan;
        let c = others.iter().flat_map(|(_, pair)| *pair).find(|&x| x != a && x != b)?;
        let with = |x| others.iter().find(|(_, pair)| pair.contains(&x)).map_or(face, |of| of.0);
        Some(CornerFan { toward: [a, b, c], faces: [with(b), with(a), face] })
    }
}

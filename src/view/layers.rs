//! Layers of cells, counted from the boundary.

use std::collections::VecDeque;

use crate::topology::{NONE, Topology};

/// 0 for cells with a face on the boundary, else one more than the least of the cells across a
/// face; 65535 and above are one.
pub fn layers(topology: &Topology) -> Vec<u16> {
    let mut layers = vec![u16::MAX; topology.cell_count()];
    let mut queue = VecDeque::new();
    for cell in (0..topology.face_count() as u32).filter_map(|f| topology.bounded_cell(f)) {
        if std::mem::replace(&mut layers[cell as usize], 0) != 0 {
            queue.push_back(cell);
        }
    }
    while let Some(cell) = queue.pop_front() {
        let next = layers[cell as usize].saturating_add(1);
        for &face in topology.cell_faces(cell) {
            let others = topology.face_cells(face).into_iter().filter(|&c| c != NONE);
            for other in others.filter(|&c| !topology.is_ghost(c)) {
                if layers[other as usize] > next {
                    layers[other as usize] = next;
                    queue.push_back(other);
                }
            }
        }
    }
    layers
}

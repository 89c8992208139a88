//! Inner vertices follow the boundary.

use crate::error::{Error, Result};
use crate::mesh::check_point_count;
use crate::numbers::conjugate_gradients::{TWELVE_DIGITS, by_diagonal, conjugate_gradients};
use crate::numbers::vector::{difference, squared_norm};
use crate::topology::Topology;

/// Shortest edge, as a fraction of the mean, that counts by its length.
const MIN_LENGTH_FRACTION: f64 = 1e-6;

/// Takes the vertices inside, of `after`, where those of the boundary take them: their moves are extended
/// harmonically. Each vertex inside moves by the mean of the moves of its neighbors, weighted by
/// 1/length². `before` are the vertices before the move, `[vertex]`; where inner vertices are in `after` is
/// not read.
///
/// # Errors
/// [`Error::Request`] if there is not one point a vertex; [`Error::Mesh`] if the extension is not found,
/// where lengths of edges differ too much.
pub fn follow_boundary(
    topology: &Topology,
    before: &[[f64; 3]],
    after: &mut [[f64; 3]],
) -> Result<()> {
    let mut moves: Vec<[f64; 3]> =
        after.iter().zip(before).map(|(to, from)| difference(*to, *from)).collect();
    move_inside(topology, before, &mut moves)?;
    let inside = |v: &usize| {
        !topology.is_boundary_vertex(*v as u32) && !topology.vertex_edges(*v as u32).is_empty()
    };
    for v in (0..after.len()).filter(inside) {
        after[v] = [0, 1, 2].map(|d| before[v][d] + moves[v][d]);
    }
    Ok(())
}

#[allow(clippy::needless_range_loop, reason = "one axis of all moves at a time")]
fn move_inside(topology: &Topology, points: &[[f64; 3]], moves: &mut [[f64; 3]]) -> Result<()> {
    let count = topology.vertex_count();
    check_point_count(points.len(), count)?;
    check_point_count(moves.len(), count)?;
    let ends = |e: u32| topology.edge_vertices(e).map(|v| v as usize);
    let squared = |[a, b]: [usize; 2]| squared_norm(difference(points[a], points[b]));
    let edges = topology.edge_count() as u32;
    let mean = (0..edges).map(|e| squared(ends(e)).sqrt()).sum::<f64>() / f64::from(edges.max(1));
    if mean == 0.0 || !mean.is_finite() {
        return Err(Error::mesh("all vertices lie in one place").with_help("check the coordinates"));
    }
    let shortest = MIN_LENGTH_FRACTION * mean;
    let weight = |e: u32| 1.0 / squared(ends(e)).max(shortest * shortest);
    // rows of the vertices inside: neighbors and weights
    let inside: Vec<u32> = (0..count as u32)
        .filter(|&v| !topology.is_boundary_vertex(v) && !topology.vertex_edges(v).is_empty())
        .collect();
    let mut numbers = vec![u32::MAX; count];
    inside.iter().enumerate().for_each(|(k, &v)| numbers[v as usize] = k as u32);
    let rows: Vec<Vec<(u32, f64)>> = inside
        .iter()
        .map(|&v| {
            let edges = topology.vertex_edges(v).iter();
            edges.map(|&e| (topology.other_end(e, v), weight(e))).collect()
        })
        .collect();
    let diagonal: Vec<f64> = rows.iter().map(|row| row.iter().map(|(_, w)| w).sum()).collect();
    for d in 0..3 {
        let fixed = |row: &Vec<(u32, f64)>| -> f64 {
            let outer = row.iter().filter(|(v, _)| numbers[*v as usize] == u32::MAX);
            outer.map(|&(v, w)| w * moves[v as usize][d]).sum()
        };
        let rhs: Vec<f64> = rows.iter().map(fixed).collect();
        let product = |x: &[f64], product: &mut [f64]| {
            for (k, (to, row)) in product.iter_mut().zip(&rows).enumerate() {
                let inner = row.iter().filter(|(v, _)| numbers[*v as usize] != u32::MAX);
                *to = diagonal[k] * x[k]
                    - inner.map(|(v, w)| w * x[numbers[*v as usize] as usize]).sum::<f64>();
            }
        };
        let found = conjugate_gradients(product, by_diagonal(&diagonal), &rhs, TWELVE_DIGITS);
        let found = found.ok_or_else(|| {
            Error::mesh("the inner vertices cannot follow the boundary: their edges differ too much in length")
                .with_help("move vertices that nearly coincide apart")
        })?;
        for (&v, x) in inside.iter().zip(found.x) {
            moves[v as usize][d] = x;
        }
    }
    Ok(())
}

//! Aggregates of unknowns: Vaněk, Mandel, Brezina, "Algebraic multigrid by smoothed aggregation"
//! (1996), by other couplings.

use crate::numbers::Csr;

/// Couplings that are this part of the strongest ones of their nodes join them. Those of linear
/// elements on cubes are 1 and 1/2; where cells are three times as thin one way as the others, 1 that
/// way and less than 0.3 elsewhere.
const STRONG: f64 = 0.33;
/// A node of no aggregate.
pub(super) const NONE: u32 = u32::MAX;

/// Aggregates of the nodes of a matrix, of `width` unknowns each: their number of every node, or
/// [`NONE`] where nothing couples, and how many there are.
pub(super) fn aggregate(matrix: &Csr, width: usize) -> (Vec<u32>, usize) {
    let strong = strong_couplings(matrix, width);
    let nodes = strong.rows();
    let beside = |node: usize| &strong.columns[strong.starts[node]..strong.starts[node + 1]];
    let mut own = vec![NONE; nodes];
    let mut count = 0;
    for node in (0..nodes).filter(|&node| !beside(node).is_empty()) {
        if own[node] == NONE && beside(node).iter().all(|&other| own[other as usize] == NONE) {
            own[node] = count;
            beside(node).iter().for_each(|&other| own[other as usize] = count);
            count += 1;
        }
    }
    // those beside aggregates join that to which they are coupled most
    let first = own.clone();
    let mut sums: Vec<(u32, f64)> = Vec::new();
    for node in (0..nodes).filter(|&node| first[node] == NONE) {
        sums.clear();
        let joined = strong.row(node).map(|(other, weight)| (first[other as usize], weight));
        sums.extend(joined.filter(|(aggregate, _)| *aggregate != NONE));
        add_up(&mut sums);
        let most = sums.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a });
        own[node] = most.map_or(NONE, |(aggregate, _)| aggregate);
    }
    // the others make aggregates of their own
    for node in (0..nodes).filter(|&node| !beside(node).is_empty()) {
        if own[node] == NONE {
            own[node] = count;
            for &other in beside(node) {
                let other = &mut own[other as usize];
                *other = if *other == NONE { count } else { *other };
            }
            count += 1;
        }
    }
    (own, count as usize)
}

/// For every node those that are strongly coupled to it, and how much: as a part of the strongest
/// couplings of both. A coupling is minus the trace of the block of two nodes over their
/// translations, which is that of a Laplacian for elasticity, too. Beside thin elements some are
/// negative: they join nothing, nor do magnitudes, which would be large across such elements.
fn strong_couplings(matrix: &Csr, width: usize) -> Csr {
    let nodes = matrix.rows() / width;
    let greatest = Csr::from_rows(nodes, 1, Vec::new, |node, found, columns, values| {
        couplings(matrix, width, node, found);
        columns.push(0);
        values.push(found.iter().fold(0.0, |most: f64, (_, x)| most.max(*x)));
    });
    let greatest = greatest.values;
    Csr::from_rows(nodes, nodes, Vec::new, |node, found, columns, values| {
        couplings(matrix, width, node, found);
        for &(other, coupling) in &*found {
            let part = coupling / (greatest[node] * greatest[other as usize]).sqrt();
            // the strongest one of a node joins it whatever the other node has
            if coupling > 0.0 && (part > STRONG || coupling == greatest[node]) {
                columns.push(other);
                values.push(part);
            }
        }
    })
}

/// The couplings of a node, others ascending.
fn couplings(matrix: &Csr, width: usize, node: usize, found: &mut Vec<(u32, f64)>) {
    found.clear();
    // a node of a coarse level has translations, then rotations
    for d in 0..width.min(3) {
        for (column, value) in matrix.row(node * width + d) {
            let (other, component) = (column as usize / width, column as usize % width);
            if component == d && other != node {
                found.push((other as u32, -value));
            }
        }
    }
    add_up(found);
}

/// Sorts numbers by their keys, and adds up those of equal ones.
fn add_up(numbers: &mut Vec<(u32, f64)>) {
    numbers.sort_by_key(|(key, _)| *key);
    numbers.dedup_by(|next, kept| {
        let is_equal = next.0 == kept.0;
        kept.1 += if is_equal { next.1 } else { 0.0 };
        is_equal
    });
}

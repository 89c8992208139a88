//! Aggregates of unknowns, and what they have in common with rigid motions: Vaněk, Mandel, Brezina,
//! "Algebraic multigrid by smoothed aggregation" (1996).

use crate::numbers::Csr;

/// Couplings below this part of the diagonals' geometric mean do not join nodes.
const WEAK: f64 = 0.08;
/// Motions of an aggregate that are this part of themselves beside the others are the others'.
const DEPENDENT: f64 = 1e-8;
const NONE: u32 = u32::MAX;

/// Motions that cost no energy, `[unknown][motion]`.
#[derive(Clone, Debug)]
pub(super) struct Motions {
    pub count: usize,
    pub values: Vec<f64>,
}

impl Motions {
    fn row(&self, unknown: usize) -> &[f64] {
        &self.values[unknown * self.count..][..self.count]
    }
}

/// Aggregates of the nodes of a matrix, of `width` unknowns each: their number of every node, or
/// NONE where nothing couples, and how many there are.
pub(super) fn aggregate(matrix: &Csr, width: usize) -> (Vec<u32>, usize) {
    let neighbors = strong_neighbors(matrix, width);
    let mut own = vec![NONE; neighbors.len()];
    let mut count = 0;
    for (node, beside) in neighbors.iter().enumerate().filter(|(_, beside)| !beside.is_empty()) {
        if own[node] == NONE && beside.iter().all(|&other| own[other as usize] == NONE) {
            own[node] = count;
            beside.iter().for_each(|&other| own[other as usize] = count);
            count += 1;
        }
    }
    // those beside an aggregate join it, the others make aggregates of their own
    let first = own.clone();
    for (own, beside) in own.iter_mut().zip(&neighbors).filter(|(own, _)| **own == NONE) {
        let beside = beside.iter().map(|&other| first[other as usize]);
        *own = beside.filter(|&other| other != NONE).min().unwrap_or(NONE);
    }
    for (node, beside) in neighbors.iter().enumerate().filter(|(_, beside)| !beside.is_empty()) {
        if own[node] == NONE {
            own[node] = count;
            let open = beside.iter().filter(|&&other| first[other as usize] == NONE);
            for &other in open {
                let other = &mut own[other as usize];
                *other = (*other).min(count);
            }
            count += 1;
        }
    }
    (own, count as usize)
}

/// For every node those that are strongly coupled to it.
fn strong_neighbors(matrix: &Csr, width: usize) -> Vec<Vec<u32>> {
    let nodes = matrix.rows() / width;
    let mut norms: Vec<Vec<(u32, f64)>> = Vec::with_capacity(nodes);
    let mut places = vec![usize::MAX; nodes];
    for node in 0..nodes {
        let mut own: Vec<(u32, f64)> = Vec::new();
        for row in node * width..(node + 1) * width {
            for (column, value) in matrix.row(row) {
                let other = column as usize / width;
                if places[other] == usize::MAX {
                    places[other] = own.len();
                    own.push((other as u32, 0.0));
                }
                own[places[other]].1 += value * value;
            }
        }
        own.iter().for_each(|&(other, _)| places[other as usize] = usize::MAX);
        norms.push(own);
    }
    let diagonal = |node: usize| {
        norms[node].iter().find(|(other, _)| *other as usize == node).map_or(0.0, |(_, x)| *x)
    };
    let diagonals: Vec<f64> = (0..nodes).map(diagonal).collect();
    let strong = |node: usize| {
        let is_strong = |&&(other, norm): &&(u32, f64)| {
            let product = diagonals[node] * diagonals[other as usize];
            other as usize != node && norm > WEAK * WEAK * product.sqrt()
        };
        norms[node].iter().filter(is_strong).map(|(other, _)| *other).collect()
    };
    (0..nodes).map(strong).collect()
}

/// The motions of each aggregate, made orthonormal, as columns of a matrix (coarse unknowns are
/// `[aggregate][motion]`), and the motions in these terms.
pub(super) fn tentative(
    aggregates: &[u32],
    count: usize,
    width: usize,
    motions: &Motions,
) -> (Csr, Motions) {
    let modes = motions.count;
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (node, &aggregate) in aggregates.iter().enumerate() {
        if aggregate != NONE {
            members[aggregate as usize].extend(node * width..(node + 1) * width);
        }
    }
    let mut coarse = Motions { count: modes, values: vec![0.0; count * modes * modes] };
    let mut entries: Vec<Vec<(u32, f64)>> = vec![Vec::new(); motions.values.len() / modes];
    for (aggregate, own) in members.iter().enumerate() {
        // Gram-Schmidt, twice is enough
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(modes);
        for mode in 0..modes {
            let mut column: Vec<f64> = own.iter().map(|&i| motions.row(i)[mode]).collect();
            let norm = |column: &[f64]| column.iter().map(|x| x * x).sum::<f64>().sqrt();
            let before = norm(&column);
            for _ in 0..2 {
                for (k, other) in columns.iter().enumerate() {
                    let part: f64 = column.iter().zip(other).map(|(a, b)| a * b).sum();
                    column.iter_mut().zip(other).for_each(|(a, b)| *a -= part * b);
                    coarse.values[(aggregate * modes + k) * modes + mode] += part;
                }
            }
            let left = norm(&column);
            if left > DEPENDENT * before {
                column.iter_mut().for_each(|x| *x /= left);
                coarse.values[(aggregate * modes + mode) * modes + mode] = left;
            } else {
                column.fill(0.0);
            }
            columns.push(column);
        }
        for (mode, column) in columns.iter().enumerate() {
            let to = (aggregate * modes + mode) as u32;
            for (&i, &x) in own.iter().zip(column) {
                if x != 0.0 {
                    entries[i].push((to, x));
                }
            }
        }
    }
    let mut matrix = Csr { starts: vec![0], width: count * modes, ..Csr::default() };
    for own in entries {
        matrix.columns.extend(own.iter().map(|(column, _)| *column));
        matrix.values.extend(own.iter().map(|(_, value)| *value));
        matrix.starts.push(matrix.columns.len());
    }
    (matrix, coarse)
}

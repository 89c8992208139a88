//! A V-cycle of smoothed aggregation.

use rayon::prelude::*;

use super::Constraints;
use super::level::Level;
use super::tentative::{Motions, Tentative};
use crate::assembly::Matrix;
use crate::backend::operations::LevelArrays;
use crate::error::Result;
use crate::process::sparse::{Factor, SymmetricMatrix};

/// Unknowns of the coarsest level at most, unless levels stop shrinking.
const MAX_COARSEST: usize = 1500;
/// Unknowns of a level that is inverted at most.
const MAX_INVERTED: usize = 6000;
const MAX_LEVELS: usize = 12;
/// Unknowns of a level, as a part of those of the level before, at most.
const LEAST_SHRINKING: [usize; 2] = [3, 4];

/// Levels, the finest first.
pub(super) struct Multigrid {
    levels: Vec<Level>,
    coarsest: Factor,
    // unknowns of the coarsest
    coarsest_size: usize,
}

impl Multigrid {
    /// Of a matrix between vertices at `points`, without what is fixed.
    pub fn new(matrix: &Matrix, points: &[[f64; 3]], constraints: &Constraints) -> Result<Self> {
        let mut motions = rigid_motions(points, constraints);
        let mut matrix = matrix.with_fixed(constraints.is_fixed());
        let (mut levels, mut width) = (Vec::new(), constraints.width());
        while matrix.rows() > MAX_COARSEST && levels.len() < MAX_LEVELS {
            let (tentative, coarse) = Tentative::new(&matrix, width, &motions);
            if tentative.coarse_size() * LEAST_SHRINKING[1] > matrix.rows() * LEAST_SHRINKING[0] {
                break;
            }
            let (level, product) = Level::new(matrix, &tentative);
            levels.push(level);
            (matrix, motions, width) = (product, coarse, motions.count);
        }
        let mut lower = SymmetricMatrix::default();
        for row in 0..matrix.rows() {
            matrix.row(row).for_each(|(column, value)| lower.add(row, column as usize, value));
        }
        let coarsest = lower.factor(matrix.rows())?;
        Ok(Self { levels, coarsest, coarsest_size: matrix.rows() })
    }

    /// The levels, and the inverse of the coarsest one's matrix; `None` if that is too large.
    pub fn arrays(&self) -> Option<(Vec<LevelArrays<'_>>, Vec<f64>)> {
        let size = self.coarsest_size;
        if size > MAX_INVERTED {
            return None;
        }
        let column = |column: usize| {
            let mut unit = vec![0.0; size];
            unit[column] = 1.0;
            self.coarsest.solve(&unit)
        };
        let inverse = (0..size).into_par_iter().flat_map_iter(column).collect();
        Some((self.levels.iter().map(Level::arrays).collect(), inverse))
    }

    /// Writes the cycle's correction for the residual `r` into `z`.
    pub fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        cycle(&mut self.levels, &self.coarsest, r, z);
    }
}

fn cycle(levels: &mut [Level], coarsest: &Factor, r: &[f64], x: &mut [f64]) {
    match levels.split_first_mut() {
        Some((level, below)) => level.cycle(r, x, |r| {
            let mut x = vec![0.0; r.len()];
            cycle(below, coarsest, r, &mut x);
            x
        }),
        None => x.copy_from_slice(&coarsest.solve(r)),
    }
}

/// Constants of a scalar field, rigid motions of a displacement: 0 at fixed unknowns.
fn rigid_motions(points: &[[f64; 3]], constraints: &Constraints) -> Motions {
    let count = if constraints.width() == 1 { 1 } else { 6 };
    let mut values = vec![0.0; constraints.is_fixed().len() * count];
    let rows = values.chunks_exact_mut(count).zip(constraints.is_fixed()).enumerate();
    for (i, (row, _)) in rows.filter(|(_, (_, is_fixed))| !**is_fixed) {
        match count {
            1 => row[0] = 1.0,
            _ => row.copy_from_slice(&super::rigid::motions(points[i / 3], i % 3)),
        }
    }
    Motions { count, values }
}

//! A V-cycle of smoothed aggregation.

use rayon::prelude::*;

use super::Constraints;
use super::aggregates::{Motions, aggregate, tentative};
use crate::assembly::Matrix;
use crate::backend::operations::{LevelArrays, Polynomial};
use crate::error::Result;
use crate::numbers::Csr;
use crate::numbers::chebyshev::Chebyshev;
use crate::numbers::sum::dot;
use crate::process::sparse::{Factor, SymmetricMatrix};

/// Unknowns of the coarsest level at most, unless levels stop shrinking.
const MAX_COARSEST: usize = 1500;
/// Unknowns of a level that is inverted at most.
const MAX_INVERTED: usize = 6000;
const MAX_LEVELS: usize = 12;
/// Terms of the polynomial that smooths, and the part of the spectrum that it smooths.
const SMOOTHING_STEPS: usize = 3;
const SMOOTHED: [f64; 2] = [0.1, 1.1];
/// Steps of the power iteration for the largest eigenvalue.
const POWER_STEPS: usize = 15;
/// Numbers of a work item at least.
const TASK_NUMBERS: usize = 8192;

/// Levels, the finest first.
pub(super) struct Multigrid {
    levels: Vec<Level>,
    coarsest: Factor,
    // unknowns of the coarsest
    coarsest_size: usize,
}

struct Level {
    matrix: Csr,
    // 1 / diagonal
    inverse: Vec<f64>,
    // of diagonal⁻¹ matrix
    largest_eigenvalue: f64,
    prolongation: Csr,
    restriction: Csr,
    // at work: a solution, a residual, a direction, a product
    vectors: [Vec<f64>; 4],
}

impl Multigrid {
    /// Of a matrix between vertices at `points`, without what is fixed.
    pub fn new(matrix: &Matrix, points: &[[f64; 3]], constraints: &Constraints) -> Result<Self> {
        let mut motions = rigid_motions(points, constraints);
        let mut matrix = free_rows(matrix, constraints.is_fixed());
        let (mut levels, mut width) = (Vec::new(), constraints.width());
        while matrix.rows() > MAX_COARSEST && levels.len() < MAX_LEVELS {
            let (aggregates, count) = aggregate(&matrix, width);
            if count * motions.count * 3 > matrix.rows() * 2 {
                break;
            }
            let (plain, coarse) = tentative(&aggregates, count, width, &motions);
            let level = Level::new(matrix, plain);
            matrix = level.coarse_matrix();
            levels.push(level);
            (motions, width) = (coarse, motions.count);
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
        let found = cycle(&mut self.levels, &self.coarsest, r);
        z.copy_from_slice(&found);
    }
}

fn cycle(levels: &mut [Level], coarsest: &Factor, r: &[f64]) -> Vec<f64> {
    let Some((level, below)) = levels.split_first_mut() else { return coarsest.solve(r) };
    let mut x = vec![0.0; r.len()];
    level.smooth(r, &mut x);
    level.residual(r, &x);
    let mut coarse = vec![0.0; level.restriction.rows()];
    level.restriction.apply(&level.vectors[1], &mut coarse);
    let correction = cycle(below, coarsest, &coarse);
    level.prolongation.apply(&correction, &mut level.vectors[0]);
    x.iter_mut().zip(&level.vectors[0]).for_each(|(x, c)| *x += c);
    level.residual(r, &x);
    let rest = std::mem::take(&mut level.vectors[1]);
    level.smooth(&rest, &mut x);
    level.vectors[1] = rest;
    x
}

impl Level {
    /// Smooths the tentative prolongation.
    fn new(matrix: Csr, plain: Csr) -> Self {
        let inverse: Vec<f64> =
            matrix.diagonal().into_iter().map(|d| if d > 0.0 { 1.0 / d } else { 1.0 }).collect();
        let largest_eigenvalue = largest_eigenvalue(&matrix, &inverse);
        let factor = 4.0 / (3.0 * largest_eigenvalue);
        let mut smoothing = matrix.clone();
        for (row, inverse) in inverse.iter().enumerate() {
            let range = smoothing.starts[row]..smoothing.starts[row + 1];
            let columns = &smoothing.columns[range.clone()];
            for (value, &column) in smoothing.values[range].iter_mut().zip(columns) {
                let own = if column as usize == row { 1.0 } else { 0.0 };
                *value = own - factor * inverse * *value;
            }
        }
        let prolongation = smoothing.times(&plain);
        let restriction = prolongation.transposed();
        let vectors = [(); 4].map(|()| vec![0.0; matrix.rows()]);
        Self { matrix, inverse, largest_eigenvalue, prolongation, restriction, vectors }
    }

    fn arrays(&self) -> LevelArrays<'_> {
        LevelArrays {
            matrix: &self.matrix,
            inverse: &self.inverse,
            polynomial: self.polynomial(),
            prolongation: &self.prolongation,
            restriction: &self.restriction,
        }
    }

    /// What smooths.
    fn polynomial(&self) -> Polynomial {
        let steps = Chebyshev::new(SMOOTHED.map(|part| part * self.largest_eigenvalue));
        let (first, steps) = steps.polynomial(SMOOTHING_STEPS - 1);
        Polynomial { first, steps }
    }

    /// Pᵀ A P, with 1 where a motion of an aggregate is none.
    fn coarse_matrix(&self) -> Csr {
        let product = self.restriction.times(&self.matrix.times(&self.prolongation));
        let diagonal = product.diagonal();
        if diagonal.iter().all(|&d| d > 0.0) {
            return product;
        }
        let mut fixed = Csr { starts: vec![0], width: product.width, ..Csr::default() };
        for (row, &d) in diagonal.iter().enumerate() {
            if d > 0.0 {
                let is_own = |(column, _): &(u32, f64)| diagonal[*column as usize] > 0.0;
                for (column, value) in product.row(row).filter(is_own) {
                    fixed.columns.push(column);
                    fixed.values.push(value);
                }
            } else {
                fixed.columns.push(row as u32);
                fixed.values.push(1.0);
            }
            fixed.starts.push(fixed.columns.len());
        }
        fixed
    }

    /// Makes vector 1 the residual r − A x.
    fn residual(&mut self, r: &[f64], x: &[f64]) {
        let [_, residual, _, product] = &mut self.vectors;
        self.matrix.apply(x, product);
        let rows = (&mut *residual, r, &*product).into_par_iter().with_min_len(TASK_NUMBERS);
        rows.for_each(|(residual, r, product)| *residual = r - product);
    }

    /// Adds to `x` the Chebyshev polynomial of the residual `r`.
    fn smooth(&mut self, r: &[f64], x: &mut [f64]) {
        let Polynomial { first, steps } = self.polynomial();
        let Self { matrix, inverse, vectors, .. } = self;
        let [residual, _, direction, product] = vectors;
        residual.copy_from_slice(r);
        for ((direction, r), inverse) in direction.iter_mut().zip(r).zip(&*inverse) {
            *direction = first * inverse * r;
        }
        x.iter_mut().zip(&*direction).for_each(|(x, d)| *x += d);
        for [a, b] in steps {
            matrix.apply(direction, product);
            let rows = (&mut *x, &mut *residual, &mut *direction, &*product, &*inverse);
            rows.into_par_iter().with_min_len(TASK_NUMBERS).for_each(
                |(x, residual, direction, product, inverse)| {
                    *residual -= product;
                    *direction = a * *direction + b * inverse * *residual;
                    *x += *direction;
                },
            );
        }
    }
}

/// An assembled matrix with 1 on the diagonal of the `fixed` unknowns and nothing beside it.
fn free_rows(matrix: &Matrix, fixed: &[bool]) -> Csr {
    let mut own = Csr { starts: vec![0], width: matrix.size(), ..Csr::default() };
    let Ok(()) = matrix.for_each_row(|columns, values| {
        let row = own.starts.len() - 1;
        if fixed[row] {
            own.push(row as u32, 1.0);
        } else {
            for (&column, &value) in columns.iter().zip(values) {
                if !fixed[column as usize] && value != 0.0 {
                    own.push(column, value);
                }
            }
        }
        own.starts.push(own.columns.len());
        Ok::<(), std::convert::Infallible>(())
    });
    own
}

/// A number from -1 to 1 that does not follow from those before (splitmix64, Steele et al. 2014).
fn noise(i: u64) -> f64 {
    let mixed = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as i64 as f64 / i64::MAX as f64
}

/// An estimate of the largest eigenvalue of diagonal⁻¹ matrix.
fn largest_eigenvalue(matrix: &Csr, inverse: &[f64]) -> f64 {
    // noise, the same on every call: waves lack the largest mode of a grid
    let mut x: Vec<f64> = (0..matrix.rows() as u64).map(noise).collect();
    let (mut y, mut found) = (vec![0.0; x.len()], 1.0);
    for _ in 0..POWER_STEPS {
        let norm = dot(&x, &x).sqrt();
        x.iter_mut().for_each(|x| *x /= norm);
        matrix.apply(&x, &mut y);
        x.iter_mut().zip(&y).zip(inverse).for_each(|((x, y), inverse)| *x = inverse * y);
        found = dot(&x, &x).sqrt();
    }
    found
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

//! Control values of fields that are known at quadrature points.

use super::loads::point_sums;
use super::{BoundaryBasis, LimitInverse, Matrix, Operator, assemble_by_cells, check_memory};
use crate::error::{Error, Result};
use crate::numbers::conjugate_gradients::{TWELVE_DIGITS, conjugate_gradients};
use crate::numbers::counted;
use crate::process::sparse::{Factor, SymmetricMatrix};
use crate::quadrature::Mapping;
use crate::topology::Topology;

/// Rows at the boundary up to which those of cells beside ghosts are solved, too.
const MAX_BLOCK: usize = 40_000;

/// Control values, `[vertex][width]`, of the field that is nearest in the L2 norm to `values`,
/// `[point][width]` at all quadrature points in the order of batches, leaves and samples: the
/// solution of M c = ∫ N f. Stresses, say, become an attribute. Vertices of no cell get 0.
///
/// # Errors
/// [`Error::Request`] for a quadrature of the boundary, no or another number of values, values that
/// are not finite, and matrices that would fill the memory; [`Error::Mesh`] where the mass matrix is
/// not positive definite: of folded cells, and of too few points.
pub fn project(mapping: &Mapping<'_>, values: &[f64], width: usize) -> Result<Vec<f64>> {
    let quadrature = mapping.quadrature();
    let need = quadrature.sample_count() * width;
    if width == 0 || values.len() != need {
        return Err(Error::request(format!(
            "{} for {} of {}",
            counted(values.len(), "number"),
            counted(quadrature.sample_count(), "quadrature point"),
            counted(width, "component")
        ))
        .with_help("give the components of each point, in the order of the batches"));
    }
    let operator = Operator::Mass { density: 1.0 };
    check_memory(quadrature, &[operator])?;
    let mass = assemble_by_cells(mapping, &operator.into(), |_| ())?;
    let mut preconditioner = MassPreconditioner::new(mapping, &mass, width)?;
    // all columns at once, each of about the same size
    let mut loads = point_sums(mapping, values, width)?;
    let mut sizes = vec![0.0_f64; width];
    let rows = loads.chunks_exact(width);
    rows.for_each(|row| sizes.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(x.abs())));
    sizes.iter_mut().filter(|size| **size == 0.0).for_each(|size| *size = 1.0);
    let rows = loads.chunks_exact_mut(width);
    rows.for_each(|row| row.iter_mut().zip(&sizes).for_each(|(x, size)| *x /= size));
    let product = |x: &[f64], y: &mut [f64]| mass.apply_to_columns(x, width, y);
    let inverse = |r: &[f64], z: &mut [f64]| preconditioner.apply(r, z);
    let found = conjugate_gradients(product, inverse, &loads, TWELVE_DIGITS);
    let mut controls = found.ok_or_else(no_nearest)?.x;
    let rows = controls.chunks_exact_mut(width);
    rows.for_each(|row| row.iter_mut().zip(&sizes).for_each(|(x, size)| *x *= size));
    Ok(controls)
}

/// M⁻¹ ≈ L⁻¹ D⁻¹ L⁻ᵀ: in limit values at vertices the mass matrix is about the diagonal D of the
/// integrals of the functions. Of ghosts the solid has only the ends of functions, which depend almost
/// on each other: there D is of values with natural ends, and a factor of the rows beside is added.
struct MassPreconditioner {
    // of a solid with ghosts
    ghosts: Option<(BoundaryBasis, BoundaryBlock)>,
    limit: LimitInverse,
    // 1 / D
    scales: Vec<f64>,
}

impl MassPreconditioner {
    /// For `width` columns.
    fn new(mapping: &Mapping<'_>, mass: &Matrix, width: usize) -> Result<Self> {
        let solid = mapping.quadrature().solid();
        let limit = solid.limit_matrix();
        let scaled = |integral: f64| if integral > 0.0 { integral.recip() } else { 1.0 };
        if !solid.topology().has_ghosts() {
            let integrals = mass.times(&vec![1.0; mass.size()]).into_iter();
            let scales = integrals.map(scaled).collect();
            return Ok(Self { ghosts: None, limit: LimitInverse::new(limit, width), scales });
        }
        let basis = BoundaryBasis::of_ghosts(solid.topology());
        let ones = basis.is_bend().iter().map(|&is_bend| f64::from(u8::from(!is_bend)));
        let ones: Vec<f64> = ones.collect();
        let integrals = basis.unknown_loads(&mass.times(&basis.control_values(&ones, 1)), 1);
        // no bends
        let scales = integrals.into_iter().zip(ones).map(|(x, one)| scaled(x) * one).collect();
        let limit = LimitInverse::new(basis.natural_limits(&limit), width);
        let block = BoundaryBlock::new(solid.topology(), mass)?;
        Ok(Self { ghosts: Some((basis, block)), limit, scales })
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let Self { ghosts, limit, scales } = self;
        let width = r.len() / scales.len().max(1);
        match ghosts {
            Some((basis, _)) => z.copy_from_slice(&basis.unknown_loads(r, width)),
            None => z.copy_from_slice(r),
        }
        let found = limit.solve_transposed(z, |_| ());
        let rows = z.chunks_exact_mut(width).zip(found.chunks_exact(width)).zip(&*scales);
        rows.for_each(|((z, x), scale)| z.iter_mut().zip(x).for_each(|(z, x)| *z = x * scale));
        let found = limit.solve(z, |_| ());
        match ghosts {
            Some((basis, block)) => {
                z.copy_from_slice(&basis.control_values(found, width));
                (0..width).for_each(|column| block.add(r, z, column));
            }
            None => z.copy_from_slice(found),
        }
    }
}

/// Rows and columns of a mass matrix at the boundary: of vertices of ghosts, and if they are few of
/// cells beside.
struct BoundaryBlock {
    // of all vertices
    size: usize,
    vertices: Vec<usize>,
    factor: Factor,
}

impl BoundaryBlock {
    fn new(topology: &Topology, mass: &Matrix) -> Result<Self> {
        let cells = 0..topology.cell_count() as u32;
        let of = |is_wanted: &dyn Fn(u32) -> bool| {
            let mut is_used = vec![false; mass.size()];
            for cell in cells.clone().filter(|&cell| is_wanted(cell)) {
                let vertices = topology.cells().vertices(cell as usize);
                vertices.iter().for_each(|&v| is_used[v as usize] = true);
            }
            // others have no function in the solid
            let entries = mass.diagonal();
            is_used.iter_mut().zip(entries).for_each(|(used, entry)| *used &= entry > 0.0);
            is_used
        };
        let is_beside = |cell: u32| {
            let vertices = topology.cells().vertices(cell as usize);
            vertices.iter().any(|&v| topology.is_on_solid_boundary(v))
        };
        let mut is_used = of(&|cell| topology.is_ghost(cell) || is_beside(cell));
        if is_used.iter().filter(|used| **used).count() > MAX_BLOCK {
            is_used = of(&|cell| topology.is_ghost(cell));
        }
        let vertices: Vec<usize> = (0..mass.size()).filter(|&v| is_used[v]).collect();
        let block = mass.block(&is_used);
        let mut lower = SymmetricMatrix::default();
        for (row, &v) in vertices.iter().enumerate() {
            for (column, value) in block.row(v) {
                if let Ok(column) = vertices.binary_search(&(column as usize)) {
                    lower.add(row, column, value);
                }
            }
        }
        let factor = lower.factor(vertices.len()).map_err(|_| no_nearest())?;
        Ok(Self { size: mass.size(), vertices, factor })
    }

    /// Adds the solution for a column of a residual, `[vertex][column]`.
    fn add(&self, r: &[f64], z: &mut [f64], column: usize) {
        let width = r.len() / self.size;
        let place = |&v: &usize| v * width + column;
        let own: Vec<f64> = self.vertices.iter().map(|v| r[place(v)]).collect();
        self.vertices.iter().zip(self.factor.solve(&own)).for_each(|(v, x)| z[place(v)] += x);
    }
}

fn no_nearest() -> Error {
    Error::mesh("no field is nearest: the mass matrix is not positive definite")
        .with_help("unfold the cells, or take more quadrature points")
}

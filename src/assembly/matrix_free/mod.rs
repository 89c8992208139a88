//! Products with matrices of finite elements that are never made.
//!
//! # Theory
//! A = Σ RᵀGᵀDGR over leaves: R takes the control values of a leaf, G their gradients at its
//! quadrature points (by the leaf's parameters), and D what these are multiplied to: weights, the
//! Jacobian and the material. On regular leaves G is a product of three matrices of one axis, 4
//! control values to n samples each; so are the positions, from which D is made again in every
//! product, since it has 6 numbers (heat) to 10 (elasticity) for each of n³ points, and memory is
//! slower than the arithmetic. 26 multiplications and additions a point and component at n = 5 go
//! there, and as many back ([`LeafProduct`]).
//!
//! Layered, irregular and refined leaves have thousands of quadrature points, which make an element
//! matrix cost as much as a hundred products with it. Their element matrices are summed, once, to a
//! sparse matrix of these leaves alone: few, where a mesh is fine.
//!
//! Leaves are sorted along a curve in space and go in parts, whose control points stay in the cache.
//! Sums of parts are added vertex by vertex in the order of parts: results have the same bits for
//! any number of threads.

mod parts;

use std::sync::Arc;

use rayon::prelude::*;

use super::matrix::{Matrix, Pattern};
use super::sums::{AssembledLeaves, BatchLeaves, PIECE_POINTS, assemble_forms};
use super::{CellOperators, overflow};
use crate::backend::Backend;
use crate::backend::operations::{LeafProducts, MatrixForm, ProductArrays};
use crate::basis::gauss;
use crate::error::Result;
use crate::memory;
use crate::numbers::Csr;
use crate::quadrature::{LeafQuantities, Mapping, Quadrature};
use crate::simd::{LeafProduct, ProductForm, ProductLeaves, ProductScratch, Simd};
use parts::{Part, Parts, present, regular};

/// An operator of finite elements as its products with vectors; see [`Matrix`] for the same as
/// a matrix, to which it is equal but for rounding.
///
/// ```
/// use subsolid::assembly::{MatrixFree, Operator, assemble_by_cells};
/// use subsolid::mesh::shape::Shape;
/// use subsolid::quadrature::{Mapping, QuadratureScheme};
/// use subsolid::{Quadrature, Solid, Want};
///
/// let mesh = Shape::Box { cells: [4, 4, 4] }.build()?;
/// let solid = Solid::new(&mesh)?;
/// let quadrature = Quadrature::new(&solid, QuadratureScheme::default(), Want::FIRST)?;
/// let mapping = Mapping::new(&quadrature, mesh.controls())?;
/// let heat = Operator::Stiffness { conductivity: 1.0 }.into();
/// let operator = MatrixFree::new(&mapping, &heat, |_| ())?;
/// let x: Vec<f64> = mesh.points.iter().map(|p| p[0]).collect();
/// let [mut y, expected] =
///     [vec![0.0; x.len()], assemble_by_cells(&mapping, &heat, |_| ())?.times(&x)];
/// operator.apply(&x, &mut y);
/// assert!(y.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
/// # Ok::<(), subsolid::Error>(())
/// ```
pub struct MatrixFree<'a> {
    mapping: &'a Mapping<'a>,
    operators: CellOperators,
    // [batch]
    products: Vec<Option<LeafProduct>>,
    parts: Parts,
    // of the leaves of no part
    rest: Matrix,
    // the leaves of all parts
    device: Option<Box<dyn LeafProducts>>,
}

impl<'a> MatrixFree<'a> {
    /// The operator with materials by cells; `progress` takes the number of quadrature points that
    /// have been summed since the last call.
    ///
    /// # Errors
    /// As [`assemble_by_cells`](super::assemble_by_cells).
    pub fn new(
        mapping: &'a Mapping<'a>,
        operators: &CellOperators,
        progress: impl FnMut(usize),
    ) -> Result<Self> {
        operators.check()?;
        let quadrature = mapping.quadrature();
        quadrature.check_volume()?;
        let rule = gauss::rule(quadrature.scheme().gauss)?;
        let sign = if mapping.left_handed() { -1.0 } else { 1.0 };
        let product = |b| {
            let ends = regular(quadrature, b)?;
            Some(LeafProduct::new(&rule.points, &rule.weights, ends, sign))
        };
        let products = (0..quadrature.batches().len()).map(product).collect();
        check_rest(quadrature, operators.width())?;
        let pieces = quadrature.pieces(PIECE_POINTS);
        let pieces = pieces.into_iter().filter(|(b, _)| regular(quadrature, *b).is_none());
        let rest = partial(mapping, operators, pieces.collect(), None, progress)?;
        let own = Self {
            mapping,
            operators: operators.clone(),
            products,
            parts: Parts::new(quadrature, mapping.positions()),
            rest,
            device: None,
        };
        let mut sums = vec![0.0; own.size()];
        // irregular, so that no product is 0
        let probe: Vec<f64> = (0..own.size()).map(|i| 1.0 + (i as f64 * 1.7).sin()).collect();
        own.apply(&probe, &mut sums);
        if sums.iter().all(|x| x.is_finite()) { Ok(own) } else { Err(overflow(operators.of(0))) }
    }

    /// The same with products of regular leaves on another processor. Results of processors are equal
    /// to rounding.
    ///
    /// # Errors
    /// On a GPU, for more than 8 Gauss points and too little memory.
    pub fn on(mut self, backend: &dyn Backend) -> Result<Self> {
        self.device = match self.leaf_count() {
            0 => None,
            _ => backend.operations().products(&|| self.arrays())?,
        };
        Ok(self)
    }

    /// What a device takes.
    fn arrays(&self) -> ProductArrays {
        let ranks = self.products.iter().scan(0, |rank, product| {
            let own = *rank;
            *rank += u32::from(product.is_some());
            Some(own)
        });
        let mut materials = Vec::new();
        for part in &self.parts.parts {
            let forms = part.leaves.iter().map(|&leaf| self.form(part.batch, leaf));
            forms.for_each(|form| materials.extend_from_slice(form.constants()));
        }
        let products = || self.products.iter().flatten();
        ProductArrays {
            form: (self.leaf_count() > 0).then(|| *self.operators.form(0)),
            materials,
            tables: products().flat_map(LeafProduct::tables).flatten().copied().collect(),
            weights: products().next().map_or_else(Vec::new, |own| own.weights().to_vec()),
            samples: self.mapping.quadrature().scheme().gauss,
            positions: self.mapping.positions().to_vec(),
            ..self.parts.arrays(&ranks.collect::<Vec<_>>())
        }
    }

    /// Number of rows, and of columns.
    pub fn size(&self) -> usize {
        self.rest.size()
    }

    /// Number of leaves whose element matrices are not made.
    pub fn leaf_count(&self) -> usize {
        self.parts.leaf_count()
    }

    /// Bytes that it takes at work, beside the solid.
    pub fn bytes(&self) -> usize {
        self.parts.bytes(self.operators.width()) + self.rest.bytes()
    }

    /// The matrix of the leaves that are not regular.
    pub fn rest(&self) -> &Matrix {
        &self.rest
    }

    /// Whether another processor multiplies the regular leaves.
    pub fn is_on_device(&self) -> bool {
        self.device.is_some()
    }

    /// The regular leaves on a device, if they are on one.
    pub(crate) fn device(&self) -> Option<&dyn LeafProducts> {
        self.device.as_deref()
    }

    /// Writes the product with the vector `x` into `y`: the same bits on every call and for any
    /// number of threads.
    ///
    /// # Panics
    /// If a vector has another size.
    pub fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.rest.apply(x, y);
        if let Some(device) = &self.device {
            let mut sums = vec![0.0; y.len()];
            // where a device fails the CPU goes on
            if device.multiply(x, &mut sums).is_ok() {
                y.iter_mut().zip(sums).for_each(|(y, sum)| *y += sum);
                return;
            }
        }
        let (simd, width) = (Simd::detect(), self.operators.width());
        self.parts.add(width, |scratch, part, own| self.add(simd, scratch, (part, x), own), y);
    }

    /// Adds the products of a part's leaves.
    fn add(&self, simd: Simd, scratch: &mut Scratch, (part, x): (&Part, &[f64]), own: &mut [f64]) {
        let Scratch { positions, materials, values, lanes } = scratch;
        let Some(product) = &self.products[part.batch] else { return };
        let (form, width) = (self.product_form(), self.operators.width());
        positions.clear();
        positions.extend(part.vertices.iter().map(|&v| self.mapping.positions()[v as usize]));
        values.clear();
        part.vertices
            .iter()
            .for_each(|&v| values.extend_from_slice(&x[v as usize * width..][..width]));
        materials.clear();
        let forms = part.leaves.iter().map(|&leaf| self.form(part.batch, leaf));
        forms.for_each(|form| materials.extend_from_slice(form.constants()));
        let leaves = ProductLeaves { nets: &part.nets, positions, materials, x: values };
        product.add(simd, lanes, form, leaves, own);
    }

    fn product_form(&self) -> ProductForm {
        match self.operators.form(0) {
            MatrixForm::Mass(_) => ProductForm::Mass,
            MatrixForm::Stiffness(_) => ProductForm::Stiffness,
            MatrixForm::Elasticity(_) => ProductForm::Elasticity,
            MatrixForm::Anisotropic(_) => ProductForm::Anisotropic,
        }
    }

    /// The form of a leaf of a batch.
    fn form(&self, batch: usize, leaf: u32) -> &MatrixForm {
        let solid = self.mapping.quadrature().solid();
        let leaf = self.mapping.quadrature().batches()[batch].leaves[leaf as usize];
        let element = solid.leaves()[leaf as usize].element;
        self.operators.form(solid.elements()[element as usize].cell)
    }

    /// The entries of the diagonal.
    ///
    /// # Errors
    /// If a device fails.
    pub fn diagonal(&self) -> Result<Vec<f64>> {
        let quadrature = self.mapping.quadrature();
        let (mut diagonal, width) = (self.rest.diagonal(), self.operators.width());
        let failed = std::sync::OnceLock::new();
        let add = |mapped: &mut LeafQuantities, part: &Part, own: &mut [f64]| {
            let Some(ends) = regular(quadrature, part.batch) else { return };
            let basis = quadrature.basis(part.batch);
            let slots: Vec<usize> = present(ends).collect();
            for (net, &leaf) in part.nets.iter().zip(&part.leaves) {
                let at = leaf as usize;
                if let Err(error) = self.mapping.evaluate(part.batch, at..at + 1, mapped) {
                    return drop(failed.set(error));
                }
                let form = *self.form(part.batch, leaf);
                for (c, &slot) in slots.iter().enumerate() {
                    let to = &mut own[usize::from(net[slot]) * width..][..width];
                    super::element::add_diagonal(form, &basis, mapped, c, to);
                }
            }
        };
        self.parts.add(width, add, &mut diagonal);
        failed.into_inner().map_or(Ok(diagonal), Err)
    }

    /// The rows and columns of the vertices that are used; all others are empty.
    ///
    /// # Errors
    /// As [`MatrixFree::new`].
    pub fn block(&self, is_used: &[bool]) -> Result<Csr> {
        let quadrature = self.mapping.quadrature();
        let mut pieces: Vec<BatchLeaves> = Vec::new();
        for (b, batch) in quadrature.batches().iter().enumerate() {
            if regular(quadrature, b).is_none() {
                continue;
            }
            let most = (PIECE_POINTS / quadrature.samples(b)).max(1);
            let mut open = false;
            for (i, ids) in batch.control_ids.chunks_exact(batch.controls).enumerate() {
                let touches = ids.iter().any(|&v| is_used[v as usize]);
                match pieces.last_mut().filter(|(_, own)| open && own.len() < most) {
                    Some((_, own)) if touches => own.end = i + 1,
                    _ if touches => pieces.push((b, i..i + 1)),
                    _ => {}
                }
                open = touches;
            }
        }
        let regular = partial(self.mapping, &self.operators, pieces, Some(is_used), |_| ())?;
        Ok(self.rest.block(is_used).plus(&regular.block(is_used)))
    }
}

/// What a thread multiplies in.
#[derive(Default)]
struct Scratch {
    positions: Vec<[f64; 3]>,
    materials: Vec<f64>,
    values: Vec<f64>,
    lanes: ProductScratch,
}

/// Refuses matrices of the leaves that are not regular that would fill the memory.
fn check_rest(quadrature: &Quadrature<'_>, width: usize) -> Result<()> {
    let mut is_near = vec![false; quadrature.solid().topology().vertex_count()];
    for (b, batch) in quadrature.batches().iter().enumerate() {
        if regular(quadrature, b).is_none() {
            batch.control_ids.iter().for_each(|&v| is_near[v as usize] = true);
        }
    }
    let rows = is_near.iter().filter(|is_near| **is_near).count();
    let need = super::row_bytes(rows, width.pow(2));
    memory::check_half("the matrix of the cells that are not regular needs", need, |_| {
        "take fewer levels of refinement".into()
    })
}

/// The matrix of some leaves; rows and columns of the vertices that are used, if not of all.
fn partial(
    mapping: &Mapping<'_>,
    operators: &CellOperators,
    pieces: Vec<BatchLeaves>,
    is_used: Option<&[bool]>,
    progress: impl FnMut(usize),
) -> Result<Matrix> {
    let quadrature = mapping.quadrature();
    let pattern = Arc::new(pattern(quadrature, &pieces, is_used));
    let forms = [*operators.form(0)];
    let form_of = |cell: u32| std::slice::from_ref(operators.form(cell));
    let leaves = AssembledLeaves { pattern: &pattern, pieces, is_used };
    let matrices = assemble_forms(mapping, leaves, &forms, form_of, progress)?;
    super::check_finite(&[operators.of(0)], &matrices)?;
    Ok(matrices.into_iter().next().expect("one form"))
}

fn pattern(
    quadrature: &Quadrature<'_>,
    pieces: &[BatchLeaves],
    is_used: Option<&[bool]>,
) -> Pattern {
    let net = |(b, leaves): &BatchLeaves| {
        let batch = &quadrature.batches()[*b];
        batch.control_ids[leaves.start * batch.controls..leaves.end * batch.controls]
            .chunks_exact(batch.controls)
    };
    let vertices = quadrature.solid().topology().vertex_count();
    let nets: Vec<&[u32]> = pieces.iter().flat_map(net).collect();
    let Some(is_used) = is_used else { return Pattern::of_nets(&nets, vertices) };
    let kept = |net: &&[u32]| -> Vec<u32> {
        net.iter().copied().filter(|&v| is_used[v as usize]).collect()
    };
    let nets: Vec<Vec<u32>> = nets.par_iter().map(kept).collect();
    Pattern::of_nets(&nets.iter().map(Vec::as_slice).collect::<Vec<_>>(), vertices)
}

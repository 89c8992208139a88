//! Products of element matrices of regular leaves with vectors, without the matrices.
//!
//! A lane is a leaf. Samples go row by row: control values are contracted along w, v and u to
//! gradients at the samples, beside the positions, whose gradients are the Jacobian; what follows
//! from both goes the same way back.
//!
//! ```text
//! nets: [w 4][v 4][u 4][xyz, components] → y: [order in w][v 4][u 4][…], for a w sample
//!                                        → z: [value, by v, by w][u 4][…], for a v sample
//!                                        → g: [uvw][…], for a u sample
//!                                        → f: [uvw][component], by the form
//! results: [w 4][v 4][u 4][component] ← by ← bz ←
//! ```
//!
//! With cofactors C of the Jacobian J (∇N = C ∂N / det J) and weights w of the samples f is
//! w κ / det J · C Cᵀ g for the stiffness, and w Cσ for elasticity; in arrays `M` constants of the
//! material follow the control points of a leaf.

use super::axis::MAX_SAMPLES;
use super::buffer::AlignedBuffer;
use super::level::{Simd, SimdKernel};
use super::mapping::cross;
use super::net::{INNER, NET};
use super::slab::{combine, load_four};
use crate::basis::MissingLayers;
use crate::basis::bspline::{self, Order};
use crate::numbers::Lanes;

/// Constants of an anisotropic material.
const CONSTANTS: usize = 21;

/// What is integrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductForm {
    /// A factor times N Nᵀ; one component.
    Mass,
    /// A factor times ∇N · ∇N; one component.
    Stiffness,
    /// Linear elasticity of Lamé's λ and μ; three components.
    Elasticity,
    /// Linear elasticity of 21 constants; three components.
    Anisotropic,
}

const MASS: u8 = ProductForm::Mass as u8;
const STIFFNESS: u8 = ProductForm::Stiffness as u8;
const ELASTICITY: u8 = ProductForm::Elasticity as u8;
const ANISOTROPIC: u8 = ProductForm::Anisotropic as u8;

impl ProductForm {
    /// Components of a control value.
    pub fn width(self) -> usize {
        if matches!(self, Self::Elasticity | Self::Anisotropic) { 3 } else { 1 }
    }

    /// Constants of a material.
    pub fn constants(self) -> usize {
        match self {
            Self::Mass | Self::Stiffness => 1,
            Self::Elasticity => 2,
            Self::Anisotropic => CONSTANTS,
        }
    }
}

/// Element matrices of regular leaves that lack the same layers, as their products with vectors.
#[derive(Clone, Debug)]
pub struct LeafProduct {
    // [axis][order][sample][control]; missing layers have weight 0
    tables: [[Vec<[f64; 4]>; 2]; 3],
    // [w sample][v sample][u sample]
    weights: Vec<f64>,
}

/// Leaves, and the control points and values that they share.
#[derive(Clone, Copy, Debug)]
pub struct ProductLeaves<'a> {
    /// Control points of each leaf; of missing layers any.
    pub nets: &'a [[u16; NET]],
    /// Positions of the control points.
    pub positions: &'a [[f64; 3]],
    /// Constants of each leaf, `[leaf][constant]`: a factor, λ and μ, or 21.
    pub materials: &'a [f64],
    /// Control values, `[control][component]`.
    pub x: &'a [f64],
}

/// Working memory of [`LeafProduct::add`], one per thread.
#[derive(Debug, Default)]
pub struct ProductScratch {
    nets: AlignedBuffer<f64>,
    results: AlignedBuffer<f64>,
}

impl LeafProduct {
    /// Of samples and weights along each axis; `sign`: -1 for leaves whose Jacobians are negative.
    ///
    /// # Panics
    /// If there is no sample, or more than [`MAX_SAMPLES`], or not a weight for each.
    pub fn new(samples: &[f64], weights: &[f64], ends: MissingLayers, sign: f64) -> Self {
        assert!((1..=MAX_SAMPLES).contains(&samples.len()) && samples.len() == weights.len());
        let table = |axis: usize, order: Order| {
            let ends = ends.axis(axis);
            let row = |&u: &f64| bspline::end(bspline::weights(order, u), ends.low(), ends.high());
            samples.iter().map(row).collect()
        };
        let tables = [0, 1, 2].map(|axis| [Order::Value, Order::First].map(|o| table(axis, o)));
        let planes = weights.iter().flat_map(|w| weights.iter().map(move |v| w * v));
        let weights = planes.flat_map(|wv| weights.iter().map(move |u| sign * wv * u)).collect();
        Self { tables, weights }
    }

    /// Splines and their derivatives at the samples of an axis, `[axis][order][sample][4]`, with
    /// phantoms of missing layers folded into the others.
    pub fn tables(&self) -> impl Iterator<Item = &[f64; 4]> {
        self.tables.iter().flatten().flatten()
    }

    /// Weights of the samples, `[w][v][u]`.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Adds the products of some leaves to `y: [control][component]`, leaf by leaf.
    ///
    /// # Panics
    /// If an array is shorter than its shape says, or a net names no control point.
    pub fn add(
        &self,
        simd: Simd,
        scratch: &mut ProductScratch,
        form: ProductForm,
        leaves: ProductLeaves<'_>,
        y: &mut [f64],
    ) {
        let numbers = leaves.positions.len() * form.width();
        assert_eq!([leaves.x.len(), y.len()], [numbers; 2], "numbers of all control points");
        let constants = form.constants() * leaves.nets.len();
        assert_eq!(leaves.materials.len(), constants, "a material for every leaf");
        simd.run(Run { product: self, scratch, form, leaves, y });
    }
}

struct Run<'a> {
    product: &'a LeafProduct,
    scratch: &'a mut ProductScratch,
    form: ProductForm,
    leaves: ProductLeaves<'a>,
    y: &'a mut [f64],
}

impl SimdKernel<f64> for Run<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes<f64>>(self) {
        // SAFETY: the level is there.
        unsafe {
            match self.form {
                ProductForm::Mass => self.all::<L, MASS, 1, 4, 1>(),
                ProductForm::Stiffness => self.all::<L, STIFFNESS, 1, 4, 1>(),
                ProductForm::Elasticity => self.all::<L, ELASTICITY, 3, 6, 2>(),
                ProductForm::Anisotropic => self.all::<L, ANISOTROPIC, 3, 6, CONSTANTS>(),
            }
        }
    }
}

impl Run<'_> {
    /// `W` components, `ALL` with the positions, `M` constants.
    #[inline(always)]
    unsafe fn all<
        L: Lanes<f64>,
        const FORM: u8,
        const W: usize,
        const ALL: usize,
        const M: usize,
    >(
        self,
    ) {
        let Self { product, scratch, leaves, y, .. } = self;
        let ProductLeaves { nets, positions, materials, x } = leaves;
        let x = x.as_chunks::<W>().0;
        let y = y.as_chunks_mut::<W>().0;
        scratch.results.reserve(NET * W * L::COUNT);
        for first in (0..nets.len()).step_by(L::COUNT) {
            let count = L::COUNT.min(nets.len() - first);
            let numbers = scratch.nets.numbers((NET * ALL + M) * L::COUNT);
            for lane in 0..L::COUNT {
                // lanes without a leaf follow the last one
                let leaf = first + lane.min(count - 1);
                let net = &nets[leaf];
                // relative to a control point, so that errors follow the leaf's size
                let origin = positions[usize::from(net[INNER])];
                let rows = numbers[..NET * ALL * L::COUNT].chunks_exact_mut(ALL * L::COUNT);
                for (row, &control) in rows.zip(net) {
                    let (p, x) = (positions[usize::from(control)], x[usize::from(control)]);
                    (0..3).for_each(|d| row[d * L::COUNT + lane] = p[d] - origin[d]);
                    (0..W).for_each(|d| row[(3 + d) * L::COUNT + lane] = x[d]);
                }
                for i in 0..M {
                    numbers[(NET * ALL + i) * L::COUNT + lane] = materials[leaf * M + i];
                }
            }
            // SAFETY: the buffers were given their room; the level is there by the caller.
            unsafe {
                let nets = scratch.nets.as_ptr();
                product.lanes::<L, FORM, W, ALL, M>(nets, scratch.results.as_mut_ptr());
            }
            let results = scratch.results.numbers(NET * W * L::COUNT);
            for lane in 0..count {
                for (row, &control) in results.chunks_exact(W * L::COUNT).zip(&nets[first + lane]) {
                    let to = &mut y[usize::from(control)];
                    (0..W).for_each(|d| to[d] += row[d * L::COUNT + lane]);
                }
            }
        }
    }
}

impl LeafProduct {
    /// The products of as many leaves as there are lanes, from `nets: [control][ALL][leaf]` and
    /// materials behind these, into `results: [control][W][leaf]`.
    #[inline(always)]
    unsafe fn lanes<
        L: Lanes<f64>,
        const FORM: u8,
        const W: usize,
        const ALL: usize,
        const M: usize,
    >(
        &self,
        nets: *const f64,
        results: *mut f64,
    ) {
        let [u_tables, v_tables, w_tables] = &self.tables;
        let n = u_tables[0].len();
        // SAFETY: by the caller.
        unsafe {
            let zero = L::splat(0.0);
            let mut material = [zero; M];
            for (i, constant) in material.iter_mut().enumerate() {
                *constant = L::load(nets.add((NET * ALL + i) * L::COUNT));
            }
            for i in 0..NET * W {
                zero.store(results.add(i * L::COUNT));
            }
            for k in 0..n {
                let mut y = [[[zero; ALL]; 16]; 2];
                let weights = [&w_tables[0][k], &w_tables[1][k]];
                for i in 0..16 {
                    for c in 0..ALL {
                        let from = nets.add((i * ALL + c) * L::COUNT);
                        let line = load_four::<f64, L>(from, 16 * ALL * L::COUNT);
                        y[0][i][c] = combine(line, weights[0]);
                        y[1][i][c] = combine(line, weights[1]);
                    }
                }
                let mut back = [[[zero; W]; 16]; 2];
                for j in 0..n {
                    let [values, slopes] = [&v_tables[0][j], &v_tables[1][j]];
                    let mut z = [[[zero; ALL]; 4]; 3];
                    for a in 0..4 {
                        for c in 0..ALL {
                            let [p, q] = &y;
                            let plain = [p[a][c], p[a + 4][c], p[a + 8][c], p[a + 12][c]];
                            let along = [q[a][c], q[a + 4][c], q[a + 8][c], q[a + 12][c]];
                            z[0][a][c] = combine(plain, values);
                            z[1][a][c] = combine(plain, slopes);
                            z[2][a][c] = combine(along, values);
                        }
                    }
                    let mut bz = [[[zero; W]; 4]; 3];
                    for i in 0..n {
                        let [values, slopes] = [&u_tables[0][i], &u_tables[1][i]];
                        let weight = L::splat(self.weights[(k * n + j) * n + i]);
                        if FORM == MASS {
                            let g = gradients::<L, ALL, 3>(&z, [slopes, values, values]);
                            let own = [z[0][0][3], z[0][1][3], z[0][2][3], z[0][3][3]];
                            let (_, determinant) = cofactors(&g);
                            let factor = material[0].mul(weight).mul(determinant);
                            let f = [combine(own, values).mul(factor); W];
                            spread(&mut bz[0], f, values);
                        } else {
                            let g = gradients::<L, ALL, ALL>(&z, [slopes, values, values]);
                            let f = fluxes::<L, FORM, W, ALL, M>(&g, weight, &material);
                            spread(&mut bz[0], f[0], slopes);
                            spread(&mut bz[1], f[1], values);
                            spread(&mut bz[2], f[2], values);
                        }
                    }
                    for b in 0..4 {
                        let [value, slope] = [L::splat(values[b]), L::splat(slopes[b])];
                        for a in 0..4 {
                            for d in 0..W {
                                let [plane, across] = &mut back;
                                let [plain, along] =
                                    [&mut plane[4 * b + a][d], &mut across[4 * b + a][d]];
                                *plain = bz[0][a][d].mul_add(value, *plain);
                                *plain = bz[1][a][d].mul_add(slope, *plain);
                                *along = bz[2][a][d].mul_add(value, *along);
                            }
                        }
                    }
                }
                for w in 0..4 {
                    let [value, slope] = [L::splat(weights[0][w]), L::splat(weights[1][w])];
                    for i in 0..16 {
                        for d in 0..W {
                            let to = results.add(((16 * w + i) * W + d) * L::COUNT);
                            let sum = back[0][i][d].mul_add(value, L::load(to));
                            back[1][i][d].mul_add(slope, sum).store(to);
                        }
                    }
                }
            }
        }
    }
}

/// Derivatives by u, v, w of the first `N` numbers, `[uvw][number]`.
#[inline(always)]
unsafe fn gradients<L: Lanes<f64>, const ALL: usize, const N: usize>(
    z: &[[[L; ALL]; 4]; 3],
    weights: [&[f64; 4]; 3],
) -> [[L; N]; 3] {
    // SAFETY: numbers show that the level is there.
    let mut g = unsafe { [[L::splat(0.0); N]; 3] };
    for d in 0..3 {
        for c in 0..N {
            let line = [z[d][0][c], z[d][1][c], z[d][2][c], z[d][3][c]];
            // SAFETY: as above.
            g[d][c] = unsafe { combine(line, weights[d]) };
        }
    }
    g
}

/// Adds a sample's numbers to those of four control points.
#[inline(always)]
unsafe fn spread<L: Lanes<f64>, const W: usize>(to: &mut [[L; W]; 4], f: [L; W], by: &[f64; 4]) {
    for a in 0..4 {
        // SAFETY: numbers show that the level is there.
        let weight = unsafe { L::splat(by[a]) };
        for d in 0..W {
            to[a][d] = f[d].mul_add(weight, to[a][d]);
        }
    }
}

/// Cofactors of the Jacobian, `[uvw][xyz]`, and its determinant.
#[inline(always)]
fn cofactors<L: Lanes<f64>, const ALL: usize>(g: &[[L; ALL]; 3]) -> ([[L; 3]; 3], L) {
    let a = [g[0][0], g[0][1], g[0][2]];
    let b = [g[1][0], g[1][1], g[1][2]];
    let c = [g[2][0], g[2][1], g[2][2]];
    let found = [cross(b, c), cross(c, a), cross(a, b)];
    (found, dot(a, found[0]))
}

/// What the gradients at a sample, behind those of positions, are multiplied to.
#[inline(always)]
unsafe fn fluxes<
    L: Lanes<f64>,
    const FORM: u8,
    const W: usize,
    const ALL: usize,
    const M: usize,
>(
    g: &[[L; ALL]; 3],
    weight: L,
    material: &[L; M],
) -> [[L; W]; 3] {
    let (cofactors, determinant) = cofactors(g);
    let scale = weight.div(determinant);
    // det J times the derivatives in space, [component][xyz]
    let mut space = [[scale; 3]; W];
    for i in 0..W {
        for c in 0..3 {
            let first = cofactors[0][c].mul(g[0][3 + i]);
            let second = cofactors[1][c].mul_add(g[1][3 + i], first);
            space[i][c] = cofactors[2][c].mul_add(g[2][3 + i], second);
        }
    }
    let mut stress = space;
    if FORM == ANISOTROPIC {
        anisotropic(&mut stress, &space, scale, material);
    } else {
        let [first, second] = [material[0].mul(scale), material[M - 1].mul(scale)];
        for i in 0..W {
            for c in 0..3 {
                stress[i][c] = if FORM == ELASTICITY {
                    space[i][c].add(space[c][i]).mul(second)
                } else {
                    space[i][c].mul(first)
                };
            }
        }
        if FORM == ELASTICITY {
            let trace = space[0][0].add(space[1][1]).add(space[2][2]);
            for i in 0..W {
                stress[i][i] = trace.mul_add(first, stress[i][i]);
            }
        }
    }
    let mut f = [[scale; W]; 3];
    for d in 0..3 {
        for i in 0..W {
            f[d][i] = dot(cofactors[d], stress[i]);
        }
    }
    f
}

/// `scale` times the stress of a gradient in space, by the constants of the material.
#[inline(always)]
fn anisotropic<L: Lanes<f64>, const W: usize, const M: usize>(
    stress: &mut [[L; 3]; W],
    space: &[[L; 3]; W],
    scale: L,
    material: &[L; M],
) {
    const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [0, 2]];
    let strain = PAIRS.map(|[i, j]| {
        let own = if i == j { space[i][i] } else { space[i][j].add(space[j][i]) };
        own.mul(scale)
    });
    for (row, [i, j]) in PAIRS.into_iter().enumerate() {
        let place = |column: usize| {
            let (low, high) = if column < row { (column, row) } else { (row, column) };
            high * (high + 1) / 2 + low
        };
        let mut sum = material[place(0)].mul(strain[0]);
        for column in 1..6 {
            sum = material[place(column)].mul_add(strain[column], sum);
        }
        stress[i][j] = sum;
        stress[j][i] = sum;
    }
}

#[inline(always)]
fn dot<L: Lanes<f64>>(a: [L; 3], b: [L; 3]) -> L {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul(b[0])))
}

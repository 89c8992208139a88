//! What a quadrature will have, known before its tables of basis functions are made.

use rayon::prelude::*;

use super::batch::{self, QuadratureBatch, QuadratureItem, net};
use super::leaf_points::{self, LeafPoints, TableKey};
use super::pull::PullStencils;
use super::scheme::RingAccuracy;
use super::series::RingRules;
use super::{QuadratureScheme, basis};
use crate::error::Result;
use crate::limit::{Leaf, Solid};
use crate::memory;
use crate::plan::Want;

/// Batches, control points and quadrature points of a [`Quadrature`](super::Quadrature), which say
/// how large its tables and its files are. They take about a hundredth of the memory of the tables.
///
/// ```
/// use subsolid::{Quadrature, Solid, Want, quadrature::{QuadratureLayout, QuadratureScheme}};
/// let mesh = subsolid::read("models/bracket.vtk")?;
/// let solid = Solid::new(&mesh)?;
/// let layout = QuadratureLayout::new(&solid, QuadratureScheme::default(), Want::FIRST)?;
/// let points = layout.sample_count();
/// let quadrature = Quadrature::of(layout);
/// assert_eq!(quadrature.sample_count(), points);
/// # Ok::<(), subsolid::Error>(())
/// ```
#[derive(Debug)]
pub struct QuadratureLayout<'s> {
    pub(super) solid: &'s Solid,
    pub(super) scheme: QuadratureScheme,
    pub(super) want: Want,
    pub(super) is_boundary: bool,
    pub(super) pull: PullStencils,
    pub(super) tables: Vec<TableLayout>,
    pub(super) batches: Vec<QuadratureBatch>,
}

/// Where leaves that evaluate alike on their own nets have quadrature points, by local axes.
#[derive(Debug)]
pub(super) struct TableLayout {
    pub key: TableKey,
    pub slots: Vec<usize>,
    pub points: LeafPoints,
}

impl<'s> QuadratureLayout<'s> {
    /// The layout of [`Quadrature::new`](super::Quadrature::new).
    ///
    /// # Errors
    /// As [`Quadrature::new`](super::Quadrature::new).
    pub fn new(solid: &'s Solid, scheme: QuadratureScheme, want: Want) -> Result<Self> {
        Self::with_accuracy(solid, scheme, want, RingAccuracy::EXACT)
    }

    /// The same with another accuracy where the number of rings is not given.
    pub(crate) fn with_accuracy(
        solid: &'s Solid,
        scheme: QuadratureScheme,
        want: Want,
        accuracy: RingAccuracy,
    ) -> Result<Self> {
        let rules = RingRules::new(accuracy);
        Self::of(solid, &QuadratureItem::leaves(solid), scheme, want, &rules)
    }

    /// The layout of [`Quadrature::boundary`](super::Quadrature::boundary).
    ///
    /// # Errors
    /// As [`Quadrature::boundary`](super::Quadrature::boundary).
    pub fn boundary(
        solid: &'s Solid,
        scheme: QuadratureScheme,
        want: Want,
        keep: impl Fn(u32) -> bool,
    ) -> Result<Self> {
        scheme.check()?;
        let items = QuadratureItem::boundary(solid, keep);
        let need = table_bytes(solid, &items, scheme, want, RingAccuracy::EXACT) as u128;
        memory::check_half("tables of basis functions on the boundary need", need, |_| {
            "ask for fewer Gauss points or rings".into()
        })?;
        let own = Self::of(solid, &items, scheme, want, &RingRules::new(RingAccuracy::EXACT))?;
        Ok(Self { is_boundary: true, ..own })
    }

    fn of(
        solid: &'s Solid,
        items: &[QuadratureItem],
        scheme: QuadratureScheme,
        want: Want,
        rules: &RingRules,
    ) -> Result<Self> {
        scheme.check()?;
        let pull = PullStencils::new(solid);
        let batch::SortedBatches { keys, slots, batches } = batch::sort(solid, &pull, items);
        let want = want | Want::FIRST;
        let tables: Result<Vec<TableLayout>> = keys
            .into_par_iter()
            .zip(slots)
            .map(|(key, slots)| {
                let points = LeafPoints::new(solid, key, scheme, rules)?;
                Ok(TableLayout { key, slots, points })
            })
            .collect();
        Ok(Self { solid, scheme, want, is_boundary: false, pull, tables: tables?, batches })
    }

    /// The solid prepared for.
    pub fn solid(&self) -> &'s Solid {
        self.solid
    }

    /// The quadrature points that are used.
    pub fn scheme(&self) -> QuadratureScheme {
        self.scheme
    }

    /// Number of quadrature points of all leaves.
    pub fn sample_count(&self) -> usize {
        let samples = |batch: &QuadratureBatch| self.tables[batch.table].points.len();
        self.batches.iter().map(|batch| batch.leaves.len() * samples(batch)).sum()
    }

    /// The nets of leaves that use a table, as indices into the points of all levels.
    pub(super) fn leaf_nets<'a>(
        &'a self,
        table: usize,
        leaves: &'a [u32],
    ) -> impl Iterator<Item = u32> + 'a {
        let slots = &self.tables[table].slots;
        leaves.iter().flat_map(move |&leaf| net(self.solid, self.leaf(leaf), slots))
    }

    pub(super) fn leaf(&self, leaf: u32) -> &'s Leaf {
        &self.solid.leaves()[leaf as usize]
    }
}

/// Bytes of the tables that some leaves, or faces of leaves, need.
pub(super) fn table_bytes(
    solid: &Solid,
    items: &[QuadratureItem],
    scheme: QuadratureScheme,
    want: Want,
    accuracy: RingAccuracy,
) -> usize {
    let rows = if want.contains(Want::SECOND) { 10 } else { 4 };
    let rules = RingRules::new(accuracy);
    let numbers = |key: &TableKey| {
        let controls = basis::slots(solid, key.kind).len();
        let samples = leaf_points::sample_count(solid, *key, scheme, &rules);
        samples * (4 + rows * controls)
    };
    8 * batch::table_keys(solid, items).0.par_iter().map(numbers).sum::<usize>()
}

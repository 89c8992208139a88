//! Unknowns that values on faces of the boundary depend on, and what they are for given values.

use std::collections::{BTreeMap, BTreeSet};

use super::BoundaryBasis;
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::mesh::check_value_count;
use crate::numbers::sorted_unique;
use crate::plan::Want;
use crate::process::sparse::SymmetricMatrix;
use crate::quadrature::{BasisValues, LeafQuantities, Mapping, Quadrature, QuadratureScheme};
use crate::topology::{NONE, Topology};

/// Points along each axis of a face, at which functions are looked at.
const POINTS: usize = 3;
/// Functions below this on a face are 0 there but for rounding; others are larger.
const ZERO: f64 = 1e-9;

/// Unknowns whose functions are not 0 on some faces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeldUnknowns {
    /// The unknowns, ascending. If those that are no bends have one value, and bends 0, so have the
    /// faces, exactly.
    pub unknowns: Vec<u32>,
    /// Faces on which other unknowns than values of their side act, too, ascending: where these are
    /// held, derivatives are as well.
    pub inexact_faces: Vec<u32>,
}

/// Unknowns for given values on faces of the boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryValues {
    /// The unknowns, ascending.
    pub unknowns: Vec<u32>,
    /// Their values, `[unknown][width]`.
    pub values: Vec<f64>,
    /// Faces that were left out, ascending: there values take Nitsche's method.
    pub inexact_faces: Vec<u32>,
}

/// The functions of unknowns on a face of a leaf.
struct LeafTrace {
    // ascending
    unknowns: Vec<u32>,
    // [sample][unknown]
    values: Vec<f64>,
}

impl BoundaryBasis {
    /// The unknowns whose functions are not 0 on some faces of the boundary. Without ghosts, the
    /// vertices of the faces, and of those around them that no infinitely sharp edge cuts off.
    ///
    /// # Errors
    /// As [`Quadrature::boundary`].
    pub fn held(&self, solid: &Solid, faces: &[u32]) -> Result<HeldUnknowns> {
        let mut kept = vec![false; self.sheets.len()];
        faces.iter().for_each(|&face| kept[face as usize] = true);
        let scheme = QuadratureScheme { gauss: POINTS, rings: Some(0) };
        let keep = |face: u32| kept[face as usize];
        let quadrature = Quadrature::boundary(solid, scheme, Want::FIRST, keep)?;
        let (mut unknowns, mut inexact) = (BTreeSet::new(), Vec::new());
        for (b, batch) in quadrature.batches().iter().enumerate() {
            let basis = quadrature.basis(b);
            let nets = batch.control_ids.chunks_exact(basis.controls.max(1));
            for (net, &face) in nets.zip(&batch.faces) {
                let trace = self.trace(&basis, net);
                if !self.is_exact(solid.topology(), face, &trace) {
                    inexact.push(face);
                }
                unknowns.extend(trace.unknowns);
            }
        }
        let unknowns = unknowns.into_iter().collect();
        Ok(HeldUnknowns { unknowns, inexact_faces: sorted_unique(inexact) })
    }

    /// The unknowns whose values on the faces of a quadrature of the boundary are nearest, in the L2
    /// norm, to `values`, `[point][width]` at all its points in the order of batches, leaves and
    /// samples.
    ///
    /// # Errors
    /// [`Error::Request`] for a quadrature of the volume, another number of values and values that are
    /// not finite; [`Error::Mesh`] for too few points.
    pub fn nearest(
        &self,
        mapping: &Mapping<'_>,
        values: &[f64],
        width: usize,
    ) -> Result<BoundaryValues> {
        let quadrature = mapping.quadrature();
        quadrature.check_boundary()?;
        check_value_count(values, width, quadrature.sample_count())?;
        let topology = quadrature.solid().topology();
        let mut traces = Vec::new();
        let mut inexact = Vec::new();
        for (b, batch) in quadrature.batches().iter().enumerate() {
            let basis = quadrature.basis(b);
            let nets = batch.control_ids.chunks_exact(basis.controls.max(1));
            for (net, &face) in nets.zip(&batch.faces) {
                let trace = self.trace(&basis, net);
                if !self.is_exact(topology, face, &trace) {
                    inexact.push(face);
                }
                traces.push((face, trace));
            }
        }
        let inexact_faces = sorted_unique(inexact);
        let is_left_out = |face: u32| inexact_faces.binary_search(&face).is_ok();
        let exact = traces.iter().filter(|(face, _)| !is_left_out(*face));
        let unknowns = exact.flat_map(|(_, trace)| trace.unknowns.iter().copied()).collect();
        let unknowns = sorted_unique(unknowns);
        let mut matrix = SymmetricMatrix::default();
        let mut sums = vec![vec![0.0; unknowns.len()]; width];
        let (mut rest, mut traces, mut mapped) = (values, traces.iter(), LeafQuantities::default());
        for (b, batch) in quadrature.batches().iter().enumerate() {
            mapping.evaluate(b, 0..batch.leaves.len(), &mut mapped)?;
            for measures in mapped.measures.chunks_exact(quadrature.samples(b).max(1)) {
                let (own, others) = rest.split_at(width * measures.len());
                rest = others;
                let Some((_, trace)) = traces.next().filter(|(face, _)| !is_left_out(*face)) else {
                    continue;
                };
                let row = |v: &u32| unknowns.binary_search(v).unwrap_or_default();
                let rows: Vec<usize> = trace.unknowns.iter().map(row).collect();
                add_normal(&rows, &trace.values, measures, &mut matrix);
                for ((samples, value), measure) in
                    trace.values.chunks_exact(rows.len()).zip(own.chunks_exact(width)).zip(measures)
                {
                    for (&row, n) in rows.iter().zip(samples) {
                        (0..width).for_each(|d| sums[d][row] += measure * n * value[d]);
                    }
                }
            }
        }
        if !sums.iter().flatten().all(|x| x.is_finite()) {
            return Err(Error::request("values on the boundary overflow or are not numbers")
                .with_help("give finite values"));
        }
        let mut found = vec![0.0; unknowns.len() * width];
        if !unknowns.is_empty() {
            let factor = matrix.factor(unknowns.len())?;
            for (d, sums) in sums.iter().enumerate() {
                let solution = factor.solve(sums);
                found.iter_mut().skip(d).step_by(width).zip(solution).for_each(|(to, x)| *to = x);
            }
        }
        Ok(BoundaryValues { unknowns, values: found, inexact_faces })
    }

    /// The functions that are not 0 on a face of a leaf.
    fn trace(&self, basis: &BasisValues, net: &[u32]) -> LeafTrace {
        let mut columns: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (control, &vertex) in net.iter().enumerate() {
            for (unknown, weight) in self.matrix.row(vertex as usize) {
                let column = columns.entry(unknown).or_insert_with(|| vec![0.0; basis.samples]);
                let values = basis.values[control..].iter().step_by(basis.controls);
                column.iter_mut().zip(values).for_each(|(sum, n)| *sum += weight * n);
            }
        }
        columns.retain(|_, column| column.iter().any(|n| n.abs() > ZERO));
        let rows = 0..basis.samples;
        LeafTrace {
            unknowns: columns.keys().copied().collect(),
            values: rows.flat_map(|s| columns.values().map(move |column| column[s])).collect(),
        }
    }

    /// Whether only values of the side of a face act on it; always where there is no ghost beyond.
    fn is_exact(&self, topology: &Topology, face: u32, trace: &LeafTrace) -> bool {
        if topology.face_cells(face)[1] == NONE {
            return true;
        }
        let sheet = self.sheets[face as usize];
        let cross = |unknown: &u32| self.lines.cross(sheet, *unknown);
        let is_own = |unknown| {
            cross(unknown) || self.aliases.get(unknown).is_some_and(|own| own.iter().any(cross))
        };
        trace.unknowns.iter().all(is_own)
    }
}

/// Adds the products of functions, `[sample][row]`.
fn add_normal(rows: &[usize], values: &[f64], measures: &[f64], matrix: &mut SymmetricMatrix) {
    for (i, &row) in rows.iter().enumerate() {
        for (j, &column) in rows.iter().enumerate().filter(|(_, column)| **column <= row) {
            let samples = values.chunks_exact(rows.len()).zip(measures);
            matrix.add(row, column, samples.map(|(n, w)| w * n[i] * n[j]).sum());
        }
    }
}

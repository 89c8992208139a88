//! The map from parameters to space at the quadrature points: positions, Jacobians and
//! what follows from them.

use std::ops::Range;

use nalgebra::Vector3;
use rayon::prelude::*;

use super::{LeafFace, Quadrature, QuadratureBatch, batch};
use crate::backend::device::{QuadratureMapping, Resident};
use crate::backend::{Backend, Cpu};
use crate::basis::{MissingLayers, gauss};
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::limit::{LeafKind, LocalPoints};
use crate::mesh::Controls;
use crate::simd::{AxisWeights, LeafMap, LeafMapOutput, LeafMapScratch, LeafSource, Simd};
use crate::topology::Orientation;

/// Leaves of a work item: whole vectors of them.
const TASK_LEAVES: usize = 32;

/// A quadrature with the positions of its control points, on one processor. Results of processors
/// are equal to rounding.
#[derive(Debug)]
pub struct Mapping<'q> {
    quadrature: &'q Quadrature<'q>,
    left_handed: bool,
    pub(super) place: MappingPlace,
}

/// Where a mapping has the control points.
#[derive(Debug)]
pub(super) enum MappingPlace {
    Host(HostPoints),
    Device(Resident<dyn QuadratureMapping>),
}

/// Control points for the CPU.
#[derive(Debug)]
pub(super) struct HostPoints {
    // [point of all levels][3], relative to the origin
    points: Vec<f64>,
    origin: [f64; 3],
    // of a quadrature of the boundary: the cells whose faces look inward as listed
    orientation: Option<Orientation>,
}

impl HostPoints {
    fn new(quadrature: &Quadrature<'_>, controls: Controls<'_>) -> Result<Self> {
        quadrature.check_controls(controls)?;
        let LocalPoints { points, origin } =
            quadrature.layout.solid.local_points(controls.positions.as_flattened(), 3)?;
        let (points, origin) = (points.into_owned(), [origin[0], origin[1], origin[2]]);
        // without a common orientation there is no outside: by the hands of all cells
        let orientation = quadrature
            .is_boundary()
            .then(|| Orientation::new(quadrature.layout.solid.topology(), controls.positions).ok());
        Ok(Self { points, origin, orientation: orientation.flatten() })
    }
}

/// The physical quantities of some leaves of a batch, `[leaf][sample]` each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeafQuantities {
    /// The batch.
    pub batch: usize,
    /// Range of the leaves in the batch.
    pub leaves: Range<usize>,
    /// Positions (x, y, z).
    pub points: Vec<[f64; 3]>,
    /// Jacobians d(x, y, z)/d(u, v, w) by the element's parameters: `[xyz][uvw]`.
    pub jacobians: Vec<[[f64; 3]; 3]>,
    /// Determinants of the Jacobians, in cubed length units.
    pub determinants: Vec<f64>,
    /// Weights of the physical quadrature: of the parameters' volume, times the
    /// determinant, or minus it if all cells are left-handed ([`Mapping::left_handed`]).
    /// They sum to the volume.
    pub measures: Vec<f64>,
    /// Outward unit normals of a quadrature of the boundary, whose measures sum to the area of the
    /// surface; not finite where the area element is 0. Empty otherwise.
    pub normals: Vec<[f64; 3]>,
    /// Inverse Jacobians d(u, v, w)/d(x, y, z): `[uvw][xyz]`. Not finite where the
    /// determinant is 0.
    pub inverse_jacobians: Vec<[[f64; 3]; 3]>,
    /// Second derivatives of the position by uu, vv, ww, uv, uw, vw: `[6][xyz]`; empty
    /// unless the quadrature has them.
    pub second: Vec<[[f64; 3]; 6]>,
}

impl<'q> Mapping<'q> {
    /// Takes control points, one for every vertex of the mesh, to the CPU.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for another number of them.
    pub fn new(quadrature: &'q Quadrature<'q>, controls: Controls<'_>) -> Result<Self> {
        Self::on(&Cpu::default(), quadrature, controls, None)
    }

    /// Takes control points to a processor, in double precision: to a GPU with all tables. For a
    /// part of a mesh, `left_handed` says whether all cells of the whole mesh are left-handed.
    ///
    /// # Errors
    /// As [`Mapping::new`]; on a GPU, too little memory, and a quadrature of the boundary.
    pub fn on(
        backend: &dyn Backend,
        quadrature: &'q Quadrature<'q>,
        controls: Controls<'_>,
        left_handed: Option<bool>,
    ) -> Result<Self> {
        quadrature.check_controls(controls)?;
        let left_handed =
            left_handed.unwrap_or_else(|| quadrature.is_left_handed(controls.positions));
        let place = match backend.device() {
            None => MappingPlace::Host(HostPoints::new(quadrature, controls)?),
            Some(device) => {
                let device = (device, backend.info().memory);
                let mapping = quadrature.bring(controls, left_handed, device)?;
                MappingPlace::Device(Resident::new(mapping))
            }
        };
        Ok(Self { quadrature, left_handed, place })
    }

    /// Takes moved control points, of cells as left- or right-handed as the first ones.
    ///
    /// # Errors
    /// As [`Mapping::new`].
    pub fn move_controls(&mut self, controls: Controls<'_>) -> Result<()> {
        match &mut self.place {
            MappingPlace::Host(host) => *host = HostPoints::new(self.quadrature, controls)?,
            MappingPlace::Device(device) => device.lock().move_controls(controls.positions)?,
        }
        Ok(())
    }

    /// The quadrature.
    pub fn quadrature(&self) -> &'q Quadrature<'q> {
        self.quadrature
    }

    /// Whether all cells are left-handed hexahedra: measures are then weights times −det J.
    pub fn left_handed(&self) -> bool {
        self.left_handed
    }

    /// Evaluates a range of a batch's leaves into `mapped`, whose memory is used again.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if there is no such batch or no such leaf in it;
    /// if a device fails.
    pub fn evaluate(
        &self,
        batch: usize,
        leaves: Range<usize>,
        mapped: &mut LeafQuantities,
    ) -> Result<()> {
        self.quadrature.check_leaves(batch, &leaves)?;
        match &self.place {
            MappingPlace::Host(host) => {
                self.evaluate_here(host, batch, leaves, mapped);
                Ok(())
            }
            MappingPlace::Device(device) => {
                mapped.take_from(device, batch, leaves, false).map(drop)
            }
        }
    }

    /// [`Mapping::evaluate`] by the CPU.
    fn evaluate_here(
        &self,
        host: &HostPoints,
        batch: usize,
        leaves: Range<usize>,
        mapped: &mut LeafQuantities,
    ) {
        let quadrature = self.quadrature;
        let table = quadrature.table(batch);
        let QuadratureBatch { permutation, depth, side, .. } = quadrature.batches()[batch];
        let basis = quadrature.table_basis(batch);
        let samples = table.points.len();
        mapped.begin(batch, leaves.clone(), samples, !basis.second.is_empty());
        let sign = if self.left_handed { -1.0 } else { 1.0 };
        // by the leaves' parameters
        let weights: Vec<f64> = table.points.weights.iter().map(|w| sign * w).collect();
        let axis = self.grid_axis(batch);
        let source = match &axis {
            Some((axis, ends)) => LeafSource::Grid { axis, ends: *ends },
            None => LeafSource::Table {
                controls: basis.controls,
                values: &basis.values,
                gradients: &basis.gradients,
                second: &basis.second,
            },
        };
        let map =
            LeafMap { source, weights: &weights, permutation, second: !basis.second.is_empty() };
        let block = TASK_LEAVES * samples;
        let listed = &quadrature.batches()[batch].leaves[leaves];
        let simd = Simd::detect();
        (
            listed.par_chunks(TASK_LEAVES),
            mapped.points.par_chunks_mut(block),
            mapped.jacobians.par_chunks_mut(block),
            mapped.determinants.par_chunks_mut(block),
            mapped.measures.par_chunks_mut(block),
            mapped.inverse_jacobians.par_chunks_mut(block),
            pieces(&mut mapped.second, block, listed.len().div_ceil(TASK_LEAVES)),
        )
            .into_par_iter()
            .for_each_init(
                || (LeafMapScratch::default(), Vec::new()),
                |(scratch, nets), (leaves, points, jacobians, determinants, measures, inverses, second)| {
                    stop_point();
                    self.gather_nets(batch, leaves, axis.is_some(), nets);
                    let jacobians = jacobians.as_flattened_mut().as_flattened_mut();
                    let inverses = inverses.as_flattened_mut().as_flattened_mut();
                    let second = second.as_flattened_mut().as_flattened_mut();
                    let out = LeafMapOutput {
                        points: points.as_flattened_mut(),
                        jacobians: &mut *jacobians,
                        determinants: &mut *determinants,
                        measures,
                        inverses: &mut *inverses,
                        second: &mut *second,
                    };
                    map.evaluate(simd, scratch, &host.points, nets, out);
                    speed_up(depth, [(1, jacobians), (3, determinants), (-1, inverses), (2, second)]);
                },
            );
        if let Some(face) = side {
            // by the elements' parameters
            let size = f64::from(depth).exp2().powi(-2);
            let weights: Vec<f64> = table.points.weights.iter().map(|w| size * w).collect();
            let inward: Vec<bool> =
                listed.iter().map(|&leaf| self.is_mirrored(host, leaf)).collect();
            mapped.turn_to(face, &weights, &inward, samples);
        }
        let origin = host.origin;
        if origin != [0.0; 3] {
            mapped.points.par_iter_mut().for_each(|p| (0..3).for_each(|d| p[d] += origin[d]));
        }
    }

    /// Whether the cell of a leaf is mirrored: its axes make a left hand.
    fn is_mirrored(&self, host: &HostPoints, leaf: u32) -> bool {
        match &host.orientation {
            Some(orientation) => orientation.is_mirrored(self.quadrature.element(leaf).cell),
            None => self.left_handed,
        }
    }

    /// The samples along an axis of whole regular leaves, and which layers their nets lack; none
    /// where leaves take tables of their basis.
    fn grid_axis(&self, batch: usize) -> Option<(AxisWeights, MissingLayers)> {
        let key = &self.quadrature.table(batch).key;
        let LeafKind::Regular(ends) = key.kind else { return None };
        if key.face.is_some() {
            return None;
        }
        // schemes are checked, so that there is such a rule
        let rule = gauss::rule(self.quadrature.scheme().gauss).ok()?;
        Some((AxisWeights::new(&rule.points).ok()?, ends))
    }

    /// The control points of leaves of a batch: all of a grid, else those that the table has.
    fn gather_nets(&self, batch: usize, leaves: &[u32], is_grid: bool, nets: &mut Vec<u32>) {
        let quadrature = self.quadrature;
        let slots = &quadrature.table(batch).slots;
        nets.clear();
        for leaf in leaves.iter().map(|&leaf| quadrature.leaf(leaf)) {
            if is_grid {
                nets.extend_from_slice(quadrature.layout.solid.net(leaf))
            } else {
                nets.extend(batch::net(quadrature.layout.solid, leaf, slots))
            }
        }
    }
}

impl LeafQuantities {
    fn begin(&mut self, batch: usize, leaves: Range<usize>, samples: usize, second: bool) {
        let count = leaves.len() * samples;
        self.batch = batch;
        self.leaves = leaves;
        self.points.resize(count, [0.0; 3]);
        self.jacobians.resize(count, [[0.0; 3]; 3]);
        self.determinants.resize(count, 0.0);
        self.measures.resize(count, 0.0);
        self.normals.clear();
        self.inverse_jacobians.resize(count, [[0.0; 3]; 3]);
        self.second.resize(if second { count } else { 0 }, [[0.0; 3]; 6]);
    }

    /// Normals and measures of the surface, on a face of the elements; `mirrored[leaf]`: its axes
    /// make a left hand.
    fn turn_to(&mut self, face: LeafFace, weights: &[f64], mirrored: &[bool], samples: usize) {
        let outward = if face.end == 1 { 1.0 } else { -1.0 };
        let [a, b] = [(face.axis + 1) % 3, (face.axis + 2) % 3].map(usize::from);
        self.normals.resize(self.points.len(), [0.0; 3]);
        let places = (&mut self.normals, &mut self.measures, &self.jacobians);
        places.into_par_iter().enumerate().for_each(|(i, (normal, measure, jacobian))| {
            stop_point();
            let column = |c: usize| Vector3::from([0, 1, 2].map(|d| jacobian[d][c]));
            let weight = weights[i % samples];
            let outward = if mirrored[i / samples] { -outward } else { outward };
            let area = column(a).cross(&column(b)) * (outward * weight);
            *measure = area.norm();
            *normal = (area / *measure).into();
        });
    }
}

/// From derivatives by the parameters of leaves to those by their elements', 2ᵈᵉᵖᵗʰ times as large:
/// by powers of 2, without rounding. Measures stay.
fn speed_up(depth: u8, arrays: [(i32, &mut [f64]); 4]) {
    if depth == 0 {
        return;
    }
    for (power, values) in arrays {
        let factor = f64::from(depth).exp2().powi(power);
        values.iter_mut().for_each(|x| *x *= factor);
    }
}

/// `count` chunks of `size` values, or as many of none if there are none.
fn pieces<T: Send>(values: &mut [T], size: usize, count: usize) -> Vec<&mut [T]> {
    if values.is_empty() {
        return std::iter::repeat_with(|| &mut [][..]).take(count).collect();
    }
    values.chunks_mut(size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Solid;
    use crate::mesh::shape::Shape;
    use crate::mesh::{Cells, SolidMesh};
    use crate::numbers::vector::dot;
    use crate::plan::Want;
    use crate::quadrature::QuadratureScheme;

    /// A third of the flux of the position through the boundary.
    fn flux(mesh: &SolidMesh) -> f64 {
        let solid = Solid::new(mesh).unwrap();
        let scheme = QuadratureScheme { gauss: 3, rings: Some(1) };
        let quadrature = Quadrature::boundary(&solid, scheme, Want::FIRST, |_| true).unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let (mut mapped, mut sum) = (LeafQuantities::default(), 0.0);
        for (batch, own) in quadrature.batches().iter().enumerate() {
            mapping.evaluate(batch, 0..own.leaves.len(), &mut mapped).unwrap();
            for ((p, n), m) in mapped.points.iter().zip(&mapped.normals).zip(&mapped.measures) {
                sum += m / 3.0 * dot(*p, *n);
            }
        }
        sum
    }

    #[test]
    fn normals_point_outward_whatever_the_hands_of_the_cells() {
        let right = Shape::Box { cells: [2, 2, 2] }.build().unwrap();
        let volume = flux(&right);
        assert!(volume > 3.0);
        for mirrored in [&[0, 3, 5, 6][..], &[0, 1, 2, 3, 4, 5, 6, 7]] {
            let mut cells: Vec<[u32; 8]> =
                (0..8).map(|c| *right.cells.hexahedron(c).unwrap()).collect();
            for &c in mirrored {
                cells[c].rotate_left(4);
            }
            let mesh = SolidMesh { cells: Cells::of_hexahedra(cells), ..right.clone() };
            assert!((flux(&mesh) - volume).abs() < 1e-12);
        }
    }
}

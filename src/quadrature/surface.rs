//! What a quadrature of the boundary adds up to.

use nalgebra::Vector3;
use rayon::prelude::*;
use serde::Serialize;

use super::{Mapped, Mapping};
use crate::error::Result;

/// Quadrature points that a work item evaluates at a time.
const PIECE: usize = 1 << 14;

/// Areas and fluxes of the sides of a solid.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BoundaryReport {
    /// Quadrature points of all faces.
    pub samples: usize,
    /// Area of the surface, in squared length units.
    pub area: f64,
    /// ∮ n: 0 if the boundary is closed.
    pub normal: [f64; 3],
    /// ∮ x · n / 3 about the first control point: the volume if the boundary is closed, in cubed
    /// length units.
    pub flux: f64,
    /// Of every side: of those that have quadrature points.
    pub sides: Vec<SideReport>,
}

/// What the quadrature points of a side add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SideReport {
    /// Number of the side.
    pub side: u32,
    /// Faces of the mesh.
    pub faces: usize,
    /// Area, in squared length units.
    pub area: f64,
    /// ∫ x / area, in length units.
    pub centroid: [f64; 3],
    /// ∫ n, in squared length units.
    pub normal: [f64; 3],
    /// ∫ x · n / 3 about the first control point, in cubed length units.
    pub flux: f64,
}

impl BoundaryReport {
    /// Evaluates all quadrature points of the boundary. `sides`: the side of every face. The
    /// result does not depend on the number of threads.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for a quadrature of the volume.
    pub fn new(mapping: &Mapping<'_>, sides: &[u32], origin: [f64; 3]) -> Result<Self> {
        let quadrature = mapping.quadrature();
        quadrature.check_boundary()?;
        let parts: Vec<Vec<(u32, Sums)>> = quadrature
            .pieces(PIECE)
            .into_par_iter()
            .map_init(Mapped::default, |mapped, (batch, leaves)| {
                mapping.evaluate(batch, leaves.clone(), mapped)?;
                let samples = quadrature.samples(batch);
                let faces = &quadrature.batches()[batch].faces[leaves];
                let of = |(i, &face): (usize, &u32)| (face, Sums::of(mapped, i, samples, origin));
                Ok(faces.iter().enumerate().map(of).collect())
            })
            .collect::<Result<_>>()?;
        let count = sides.iter().filter(|&&s| s != crate::topology::NONE).max();
        let mut sums = vec![Sums::default(); count.map_or(0, |&last| last as usize + 1)];
        let mut met = vec![false; sides.len()];
        let mut faces = vec![0; sums.len()];
        for &(face, own) in parts.iter().flatten() {
            let side = sides[face as usize] as usize;
            sums[side].add(own);
            faces[side] += usize::from(!std::mem::replace(&mut met[face as usize], true));
        }
        let mut report = Self { samples: quadrature.sample_count(), ..Self::default() };
        let mut all = Sums::default();
        for (side, own) in sums.into_iter().enumerate().filter(|(_, own)| own.area > 0.0) {
            all.add(own);
            let origin = Vector3::from(origin);
            report.sides.push(SideReport {
                side: side as u32,
                faces: faces[side],
                area: own.area,
                centroid: (origin + own.moment / own.area).into(),
                normal: own.normal.into(),
                flux: own.flux,
            });
        }
        (report.area, report.normal, report.flux) = (all.area, all.normal.into(), all.flux);
        Ok(report)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    area: f64,
    // about the origin of the report
    moment: Vector3<f64>,
    normal: Vector3<f64>,
    flux: f64,
}

impl Sums {
    /// Of the face of leaf `i`.
    fn of(mapped: &Mapped, i: usize, samples: usize, origin: [f64; 3]) -> Self {
        let mut sums = Self::default();
        for s in i * samples..(i + 1) * samples {
            let (measure, normal) = (mapped.measures[s], Vector3::from(mapped.normals[s]));
            let place = Vector3::from(mapped.points[s]) - Vector3::from(origin);
            let area = normal * measure;
            sums.add(Self {
                area: measure,
                moment: place * measure,
                normal: area,
                flux: place.dot(&area) / 3.0,
            });
        }
        sums
    }

    fn add(&mut self, other: Self) {
        self.area += other.area;
        self.moment += other.moment;
        self.normal += other.normal;
        self.flux += other.flux;
    }
}

//! What a quadrature of the boundary adds up to.

use nalgebra::Vector3;
use rayon::prelude::*;
use serde::Serialize;

use super::{LeafQuantities, Mapping, Regions};
use crate::error::Result;

/// Quadrature points that a work item evaluates at a time.
const TASK_POINTS: usize = 1 << 14;

/// Areas and fluxes of the sides of a solid.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct BoundaryReport {
    /// Number of quadrature points of all faces.
    pub samples: usize,
    /// Area of the surface, in squared length units.
    pub area: f64,
    /// ∮ n: 0 if the boundary is closed.
    pub normal: [f64; 3],
    /// ∮ x · n / 3 about the first control point: the volume if the boundary is closed, in cubed
    /// length units.
    #[cfg_attr(feature = "cli", schemars(with = "Option<f64>"))]
    pub flux: f64,
    /// For each side with quadrature points: integrals over it.
    pub sides: Vec<SideReport>,
    /// For each group of faces with quadrature points: integrals over it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupReport>,
}

/// Integrals over a group of faces.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct GroupReport {
    /// Name of the group.
    pub group: String,
    /// Its sums.
    #[serde(flatten)]
    pub sums: SurfaceSums,
}

/// Integrals over a side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SideReport {
    /// Number of the side.
    pub side: u32,
    /// Its sums.
    #[serde(flatten)]
    pub sums: SurfaceSums,
}

/// What the quadrature points of some faces add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SurfaceSums {
    /// Number of mesh faces with quadrature points.
    pub faces: usize,
    /// Area, in squared length units.
    pub area: f64,
    /// ∫ x / area, in length units.
    pub centroid: [f64; 3],
    /// ∫ n, in squared length units.
    pub normal: [f64; 3],
    /// ∫ x · n / 3 about the first control point, in cubed length units.
    #[cfg_attr(feature = "cli", schemars(with = "Option<f64>"))]
    pub flux: f64,
}

impl BoundaryReport {
    /// Evaluates all quadrature points of the boundary. The result does not depend on the number
    /// of threads.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for a quadrature of the volume.
    pub fn new(mapping: &Mapping<'_>, regions: &Regions<'_>, origin: [f64; 3]) -> Result<Self> {
        let quadrature = mapping.quadrature();
        quadrature.check_boundary()?;
        let parts: Vec<Vec<(u32, FaceSums)>> = quadrature
            .pieces(TASK_POINTS)
            .into_par_iter()
            .map_init(LeafQuantities::default, |mapped, (batch, leaves)| {
                mapping.evaluate(batch, leaves.clone(), mapped)?;
                let samples = quadrature.samples(batch);
                let faces = &quadrature.batches()[batch].faces[leaves];
                let of =
                    |(i, &face): (usize, &u32)| (face, FaceSums::of(mapped, i, samples, origin));
                Ok(faces.iter().enumerate().map(of).collect())
            })
            .collect::<Result<_>>()?;
        let mut of_faces = vec![FaceSums::default(); regions.sides().len()];
        for &(face, own) in parts.iter().flatten() {
            let sums = &mut of_faces[face as usize];
            sums.add(own);
            sums.faces = 1;
        }

        let mut of_sides = vec![FaceSums::default(); regions.side_count()];
        let (mut all, mut groups) = (FaceSums::default(), Vec::new());
        let mut between = FaceSums::default();
        for (own, &side) in of_faces.iter().zip(regions.sides()).filter(|(own, _)| own.faces > 0) {
            of_sides.get_mut(side as usize).unwrap_or(&mut between).add(*own);
        }
        of_sides.iter().chain([&between]).for_each(|own| all.add(*own));
        for (name, faces) in regions.groups() {
            let mut sums = FaceSums::default();
            faces.iter().for_each(|&face| sums.add(of_faces[face as usize]));
            if sums.faces > 0 {
                groups.push(GroupReport { group: name.to_owned(), sums: sums.about(origin) });
            }
        }
        let sides = (0..).zip(of_sides).filter(|(_, own)| own.faces > 0);
        let sides = sides.map(|(side, own)| SideReport { side, sums: own.about(origin) });
        Ok(Self {
            samples: quadrature.sample_count(),
            area: all.area,
            normal: all.normal.into(),
            flux: all.flux,
            sides: sides.collect(),
            groups,
        })
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct FaceSums {
    faces: usize,
    area: f64,
    // about the origin of the report
    moment: Vector3<f64>,
    normal: Vector3<f64>,
    flux: f64,
}

impl FaceSums {
    /// The sums over the face of leaf `i`.
    fn of(mapped: &LeafQuantities, i: usize, samples: usize, origin: [f64; 3]) -> Self {
        let mut sums = Self::default();
        for s in i * samples..(i + 1) * samples {
            let (measure, normal) = (mapped.measures[s], Vector3::from(mapped.normals[s]));
            let place = Vector3::from(mapped.points[s]) - Vector3::from(origin);
            let area = normal * measure;
            sums.add(Self {
                faces: 0,
                area: measure,
                moment: place * measure,
                normal: area,
                flux: place.dot(&area) / 3.0,
            });
        }
        sums
    }

    fn about(&self, origin: [f64; 3]) -> SurfaceSums {
        SurfaceSums {
            faces: self.faces,
            area: self.area,
            centroid: (Vector3::from(origin) + self.moment / self.area).into(),
            normal: self.normal.into(),
            flux: self.flux,
        }
    }

    fn add(&mut self, other: Self) {
        self.faces += other.faces;
        self.area += other.area;
        self.moment += other.moment;
        self.normal += other.normal;
        self.flux += other.flux;
    }
}

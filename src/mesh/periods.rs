//! Translations that take a solid onto itself, and the vertices that they take onto others.
//!
//! A periodic solid is given by the cells of one period and ghosts around it, which are images of
//! these cells ([`extend_periodic`](crate::extend::extend_periodic)): its topology stays that of
//! cells side by side, whatever is identified, and its limit that of the unbounded solid.

use std::collections::HashMap;

use nalgebra::{DMatrix, Vector3};

use super::joined::JoinedVertices;
use super::{SolidMesh, WeldNearness};
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};

/// Name of the field array of the periods, 3 components each.
pub const PERIODS: &str = "periods";

/// Vertices are images of each other up to this part of the shortest edge.
const MATCHED: f64 = 1e-3;
/// Periods whose parallelepiped has less than this part of the volume of a box are in one plane or
/// line.
const INDEPENDENT: f64 = 1e-6;

/// One to three translations and all that follow from them.
#[derive(Clone, Debug)]
pub struct Lattice {
    periods: Vec<[f64; 3]>,
    // have product 1 with their own period, 0 with the others
    duals: Vec<Vector3<f64>>,
}

impl Lattice {
    /// The lattice of these translations.
    ///
    /// # Errors
    /// [`Error::Request`] for none, more than three, one that is 0 or not finite, and those in one
    /// line or plane.
    pub fn new(periods: &[[f64; 3]]) -> Result<Self> {
        let refused = |what: String| {
            Err(Error::request(format!("periods {periods:?}: {what}"))
                .with_help("give one to three translations that are not in one line or plane"))
        };
        let vectors: Vec<Vector3<f64>> = periods.iter().map(|&p| p.into()).collect();
        if !(1..=3).contains(&periods.len()) {
            return refused(format!("{} of them", periods.len()));
        }
        let lengths: Vec<f64> = vectors.iter().map(Vector3::norm).collect();
        if !lengths.iter().all(|length| length.is_normal()) {
            return refused("one is 0 or no finite vector".into());
        }
        let unit = |i: usize| vectors[i] / lengths[i];
        let gram = DMatrix::from_fn(vectors.len(), vectors.len(), |i, j| unit(i).dot(&unit(j)));
        if gram.determinant() < INDEPENDENT {
            return refused("they are in one line or plane".into());
        }
        let Some(inverse) = gram.try_inverse() else {
            return refused("they are in one line or plane".into());
        };
        let dual = |i: usize| {
            let sum: Vector3<f64> = (0..vectors.len()).map(|j| unit(j) * inverse[(i, j)]).sum();
            sum / lengths[i]
        };
        let duals = (0..vectors.len()).map(dual).collect();
        Ok(Self { periods: periods.to_vec(), duals })
    }

    /// The lattice that some translations span, which may repeat and be sums of each other; vectors
    /// shorter than `rounding` are none.
    ///
    /// # Errors
    /// [`Error::Request`] if they span none.
    pub fn spanned(mut translations: Vec<[f64; 3]>, rounding: f64) -> Result<Self> {
        let norm = |t: &[f64; 3]| Vector3::from(*t).norm();
        translations.retain(|t| norm(t) > rounding);
        translations.sort_by(|a, b| norm(a).total_cmp(&norm(b)));
        let mut periods: Vec<[f64; 3]> = Vec::new();
        for translation in &translations {
            periods.push(*translation);
            if Self::new(&periods).is_err() {
                periods.pop();
            }
        }
        let own = Self::new(&periods)?;
        let is_whole = |t: &&[f64; 3]| {
            let place: Vector3<f64> = (**t).into();
            let steps = own.coordinates(**t).map(|x| x.round() as i32);
            (place - Vector3::from(own.translation(steps))).norm() <= rounding
        };
        match translations.iter().find(|t| !is_whole(t)) {
            None => Ok(own),
            Some(other) => Err(Error::request(format!(
                "translation {other:?} is no sum of periods {periods:?}"
            ))
            .with_help("give periods of which all others are whole multiples and sums")),
        }
    }

    /// The translations.
    pub fn periods(&self) -> &[[f64; 3]] {
        &self.periods
    }

    /// How often each period goes into a place; 0 behind the last.
    fn coordinates(&self, place: [f64; 3]) -> [f64; 3] {
        let place = Vector3::from(place);
        std::array::from_fn(|i| self.duals.get(i).map_or(0.0, |dual| dual.dot(&place)))
    }

    /// The translation by whole multiples of the periods.
    pub fn translation(&self, steps: [i32; 3]) -> [f64; 3] {
        let parts = self.periods.iter().zip(steps);
        let sum: Vector3<f64> =
            parts.map(|(&period, n)| f64::from(n) * Vector3::from(period)).sum();
        sum.into()
    }
}

/// Vertices by the vertex that they are images of.
#[derive(Clone, Debug)]
pub struct PeriodicVertices {
    /// `[vertex]`: the first vertex that it is an image of, or itself.
    pub first: Vec<u32>,
    /// `[vertex]`: steps along each period from where all classes have their first image.
    pub steps: Vec<[i32; 3]>,
    /// `[period]`: whether each vertex has the least coordinate along it, and the largest.
    ends: Vec<Vec<[bool; 2]>>,
}

impl PeriodicVertices {
    /// The images among the vertices of the cells of a mesh.
    ///
    /// # Errors
    /// [`Error::Mesh`] for two vertices in one place.
    pub fn new(mesh: &SolidMesh, lattice: &Lattice) -> Result<Self> {
        let used = mesh.used_vertices();
        let tolerance = tolerance(mesh);
        let places: Vec<[f64; 3]> = mesh.points.iter().map(|&p| lattice.coordinates(p)).collect();
        let known = || places.iter().zip(&used).filter(|(_, used)| **used).map(|(place, _)| place);
        let bounds = [0, 1, 2].map(|i| {
            known().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], place| {
                [low.min(place[i]), high.max(place[i])]
            })
        });
        let nearness =
            [0, 1, 2].map(|i| lattice.duals.get(i).map_or(0.0, |d| tolerance * d.norm()));
        let step = |place: &[f64; 3]| -> [i32; 3] {
            std::array::from_fn(|i| (place[i] - bounds[i][0] + nearness[i]).floor() as i32)
        };
        let steps: Vec<[i32; 3]> = places.iter().map(step).collect();
        let back = |(point, steps): (&[f64; 3], &[i32; 3])| {
            let translation = lattice.translation(*steps);
            std::array::from_fn(|d| point[d] - translation[d])
        };
        let reduced: Vec<[f64; 3]> = mesh.points.iter().zip(&steps).map(back).collect();
        let joined = JoinedVertices::new(&reduced, &used, tolerance)?;
        let first: Vec<u32> = (0..mesh.points.len() as u32).map(|v| joined.first(v)).collect();
        let mut seen = HashMap::new();
        for v in (0..first.len()).filter(|&v| used[v]) {
            if let Some(other) = seen.insert((first[v], steps[v]), v as u32) {
                let both = Vertex.ids([other, v as u32]);
                return Err(Error::mesh(message!(both, " are in one place"))
                    .with_help("join vertices in one place first"));
            }
        }
        let is_end = |i: usize, place: &[f64; 3]| {
            bounds[i].map(|bound| (place[i] - bound).abs() <= nearness[i])
        };
        let ends = (0..lattice.periods.len())
            .map(|i| places.iter().map(|place| is_end(i, place)).collect())
            .collect();
        Ok(Self { first, steps, ends })
    }

    /// Whether all vertices of a face are at one end of a period.
    pub fn is_at_end(&self, face: &[u32]) -> bool {
        let of =
            |ends: &Vec<[bool; 2]>| (0..2).any(|end| face.iter().all(|&v| ends[v as usize][end]));
        self.ends.iter().any(of)
    }
}

impl SolidMesh {
    /// `[vertex]`: of its images the first that is a vertex of the solid, which has the value of all;
    /// `None` of a mesh that is not periodic, or has no ghosts that are its images.
    ///
    /// # Errors
    /// As [`PeriodicVertices::new`] and [`Lattice::new`]; [`Error::Mesh`] for a ghost that is no image.
    pub fn periodic_vertices(&self) -> Result<Option<Vec<u32>>> {
        let ghosts = self.ghosts();
        if self.periods.is_empty() || ghosts.is_empty() {
            return Ok(None);
        }
        let vertices = PeriodicVertices::new(self, &Lattice::new(&self.periods)?)?;
        // of each class, by its first vertex
        let mut own = vec![u32::MAX; self.points.len()];
        for cell in (0..self.cells.len()).filter(|&cell| !ghosts[cell]) {
            for &v in self.cells.vertices(cell) {
                let class = &mut own[vertices.first[v as usize] as usize];
                *class = v.min(*class);
            }
        }
        let used = self.used_vertices();
        let image = |(v, &first): (u32, &u32)| match own[first as usize] {
            u32::MAX if used[v as usize] => {
                let what = message!(Vertex.id(v), " of a ghost is no image of one of the solid");
                Err(Error::mesh(what).with_help("move images alike, or extend the moved solid"))
            }
            u32::MAX => Ok(v),
            image => Ok(image),
        };
        (0..).zip(&vertices.first).map(image).collect::<Result<_>>().map(Some)
    }
}

/// How far coordinates may be off by rounding alone.
pub(crate) fn rounding(points: &[[f64; 3]]) -> f64 {
    WeldNearness::new(WeldNearness::largest(points), false).rounding()
}

/// How far vertices that are images of each other may be from where they would be.
fn tolerance(mesh: &SolidMesh) -> f64 {
    let mut shortest = f64::INFINITY;
    for c in 0..mesh.cells.len() {
        mesh.cells.for_each_face(c, |face| {
            for (i, &v) in face.iter().enumerate() {
                let w = face[(i + 1) % face.len()];
                let [a, b] = [v, w].map(|v| Vector3::from(mesh.points[v as usize]));
                let length = (a - b).norm();
                shortest = if length > 0.0 { shortest.min(length) } else { shortest };
            }
        });
    }
    (MATCHED * shortest).max(rounding(&mesh.points))
}

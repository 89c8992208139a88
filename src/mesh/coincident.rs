//! Vertices at one position.
//!
//! Cells that do not share vertices look like one solid but are separate solids: each has a limit
//! of its own, until [`SolidMesh::weld`] joins them.

use rayon::prelude::*;

use super::joined::JoinedVertices;
use super::positions::equal_groups;
use super::{
    FaceGroup, SolidMesh, SurfaceMesh, WeldNearness, WeldPoint, components, repeated, shorten,
};
use crate::error::Message;
use crate::numbers::vector::{difference, squared_norm};
use crate::numbers::{by_count, counted, sorted_unique};

/// The shortest edge at a vertex over how far one that it is meant to be may lie.
const SEAM_PARTS: f64 = 16.0;

/// Vertices where a surface ends that lie at or near others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seams {
    /// Number of vertices that lie where another one does.
    pub count: usize,
    /// The first of these, and one at its position.
    pub first: [u32; 2],
    /// A distance, in length units, within which they lie, of one digit; 0 if all have equal
    /// coordinates.
    pub distance: f64,
}

impl Seams {
    /// What to say of them: that the surface is open there.
    pub fn notice(&self) -> Message {
        let Self { count, first: [a, b], distance } = self;
        let (vertices, lie) = (counted(*count, "vertex"), by_count(*count, "lies", "lie"));
        let place = if *distance == 0.0 {
            "exactly where another one does".to_owned()
        } else {
            format!("within {distance:e} of another one")
        };
        message!(
            "{vertices} where the surface ends {lie} {place} (the first: vertices {a} and {b}). \
             Faces are joined by shared vertex ids alone"
        )
    }
}

/// Vertices of cells that lie exactly at the position of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoincidentVertices {
    /// Number of vertices that lie where another one does.
    pub count: usize,
    /// The first vertex of these, and the next at its position.
    pub first: Option<[u32; 2]>,
}

impl CoincidentVertices {
    /// Those among the vertices that are meant; 0 and −0 are equal.
    fn among(points: &[[f64; 3]], meant: &[bool]) -> Self {
        let vertices = (0..points.len() as u32).into_par_iter().filter(|&v| meant[v as usize]);
        let mut found = Self::default();
        equal_groups(
            vertices,
            |v| points[v as usize],
            |equal| {
                found.count += equal.len();
                let next = [equal[0], equal[1]];
                found.first = Some(found.first.map_or(next, |first| first.min(next)));
            },
        );
        found
    }
}

impl SurfaceMesh {
    /// Number of connected components: they share no vertex with one another. The mesh has been
    /// checked.
    pub fn part_count(&self) -> usize {
        let parts = components(self.points.len(), self.faces.iter());
        // every part has a face, and its least vertex is the least of one face
        let mut is_part = vec![false; parts.len()];
        self.faces.iter().for_each(|face| is_part[parts[face[0] as usize] as usize] = true);
        is_part.into_iter().filter(|is_part| *is_part).count()
    }

    /// Number of vertices where the surface ends that have coordinates of others; 0 and −0 are equal.
    /// Faces that own their corners look like one surface and are many. The mesh has been checked.
    pub fn coincident_ends(&self) -> usize {
        self.seams_of(&self.near_ends(|_| 0.0)).map_or(0, |seams| seams.count)
    }

    /// Vertices where the surface ends that lie at one another, or nearer than a sixteenth of the
    /// shortest edge there; `None` without any. The mesh has been checked.
    pub fn seams(&self) -> Option<Seams> {
        self.seams_of(&self.near_ends(|shortest| shortest / SEAM_PARTS))
    }

    fn seams_of(&self, pairs: &[[u32; 2]]) -> Option<Seams> {
        let first = pairs.iter().map(|&[a, b]| [a.min(b), a.max(b)]).min()?;
        let count = sorted_unique(pairs.as_flattened().to_vec()).len();
        Some(Seams { count, first, distance: self.reach(pairs) })
    }

    /// A distance, in length units, that makes the surface closed where vertices within it are
    /// [welded](SurfaceMesh::weld): of one digit, as small as that allows. `None` if vertices that
    /// are nearer than a quarter of the shortest edge do not close it. The mesh has been checked.
    pub fn closing_distance(&self) -> Option<f64> {
        let pairs = self.near_ends(|shortest| 0.25 * shortest);
        let distance = self.reach(&pairs);
        let (points, faces) = (self.points.clone(), self.faces.clone());
        let mut welded = Self::new(points, faces);
        welded.weld(distance).ok()?;
        welded.ends().is_empty().then_some(distance)
    }

    /// Joins vertices where the surface ends that differ by a unit in the last place of single
    /// precision, of the largest coordinate, and by less than a sixteenth of the shortest edge
    /// there; returns how many are gone. The mesh has been checked.
    pub(crate) fn weld_rounding(&mut self) -> usize {
        let unit = self.rounding();
        let pairs = self.near_ends(|shortest| unit.min(shortest / SEAM_PARTS));
        let mut first: Vec<u32> = (0..self.points.len() as u32).collect();
        pairs.iter().for_each(|&[v, earlier]| first[v as usize] = earlier);
        // faces that touch themselves stay open
        self.join(&JoinedVertices::of(first)).map_or(0, |welded| welded.removed)
    }

    /// A unit in the last place of single precision, of the largest coordinate.
    pub(crate) fn rounding(&self) -> f64 {
        f64::from(f32::EPSILON) * WeldNearness::largest(&self.points)
    }

    /// A distance within which vertices in pairs lie: of one digit, so that it is easily typed, and
    /// not below the rounding of coordinates; 0 if all have equal ones.
    fn reach(&self, pairs: &[[u32; 2]]) -> f64 {
        let square = |pair: &[u32; 2]| {
            let [a, b] = pair.map(|v| self.points[v as usize]);
            squared_norm(difference(a, b))
        };
        let farthest = pairs.iter().map(square).fold(0.0, f64::max).sqrt();
        if farthest == 0.0 {
            return 0.0;
        }
        let least = (1.0 + 1e-9) * farthest.max(self.rounding());
        let digit = 10_f64.powi(least.log10().floor() as i32);
        format!("{:.0e}", least + 0.5 * digit).parse().unwrap_or(2.0 * least)
    }

    /// Vertices where the surface ends, each with an earlier one that is nearer than `reach` of the
    /// shortest edge at either.
    fn near_ends(&self, reach: impl Fn(f64) -> f64 + Sync) -> Vec<[u32; 2]> {
        let ends = self.ends();
        if ends.is_empty() {
            return Vec::new();
        }
        let points: Vec<[f64; 3]> = ends.iter().map(|&v| self.points[v as usize]).collect();
        let mut numbers = vec![u32::MAX; self.points.len()];
        (0..).zip(&ends).for_each(|(number, &v)| numbers[v as usize] = number);
        let local = |v: u32| Some(numbers[v as usize] as usize).filter(|&i| i < ends.len());
        let mut shortest = vec![f64::INFINITY; ends.len()];
        self.faces.iter().for_each(|face| shorten(&mut shortest, &points, face, local));
        let point = |i: usize| {
            let tolerance = if shortest[i].is_finite() { reach(shortest[i]) } else { 0.0 };
            WeldPoint { place: points[i], piece: i as u32, tolerance }
        };
        let first = repeated(ends.len(), point);
        let pairs = (0..ends.len()).filter(|&i| first[i] as usize != i);
        pairs.map(|i| [ends[i], ends[first[i] as usize]]).collect()
    }

    /// Vertices of edges of one face, ascending.
    fn ends(&self) -> Vec<u32> {
        let sides = self.faces.iter().flat_map(|face| {
            (0..face.len()).map(|i| {
                let (a, b) = (face[i], face[(i + 1) % face.len()]);
                [a.min(b), a.max(b)]
            })
        });
        let mut sides: Vec<[u32; 2]> = sides.collect();
        sides.par_sort_unstable();
        let open = sides.chunk_by(|a, b| a == b).filter(|edge| edge.len() == 1);
        sorted_unique(open.flat_map(|edge| edge[0]).collect())
    }
}

impl SolidMesh {
    /// Vertices of cells that have equal coordinates; 0 and −0 are equal. Vertices of no cell do
    /// not count, and there are none in a solid that is cut between groups of cells, where they are
    /// meant to.
    pub fn coincident_vertices(&self) -> CoincidentVertices {
        if self.face_groups.iter().any(FaceGroup::is_interface) {
            return CoincidentVertices::default();
        }
        CoincidentVertices::among(&self.points, &self.used_vertices())
    }

    /// Number of connected components: they share no vertex with one another.
    pub fn part_count(&self) -> usize {
        let cells = (0..self.cells.len()).map(|c| self.cells.vertices(c));
        let parts = components(self.points.len(), cells);
        let used = self.used_vertices();
        (0..).zip(&parts).filter(|&(v, &part)| v == part && used[v as usize]).count()
    }
}

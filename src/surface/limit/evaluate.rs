//! The limit at any places: positions, derivatives, normals, curvature.

use rayon::prelude::*;

use super::geometry::{Curvature, curvature, normal, tangent};
use super::leaf::{SurfaceLeaf, SurfaceLeafKind};
use super::surface::LimitSurface;
use super::weights::{DERIVATIVES, Weights};
use crate::error::IdKind;
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::numbers::vector::{difference, net_sum};
use crate::plan::Want;
use crate::scheme::FaceShape;

/// A place on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceLocation {
    /// Element, an index into [`LimitSurface::elements`].
    pub element: u32,
    /// (u, v) in [0, 1]²; in triangles u + v ≤ 1.
    pub parameters: [f64; 2],
}

/// Limits at some places, each array `[place]`, empty where it was not wanted.
///
/// The result is NaN where something does not exist: derivatives at extraordinary vertices,
/// curvature there too (on Catmull-Clark and Loop surfaces it has no limit there in
/// general), normals where there is no tangent plane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceLimit {
    /// Positions.
    pub positions: Vec<[f64; 3]>,
    /// First derivatives by u.
    pub d_u: Vec<[f64; 3]>,
    /// First derivatives by v.
    pub d_v: Vec<[f64; 3]>,
    /// Second derivatives by u and u.
    pub d_uu: Vec<[f64; 3]>,
    /// Second derivatives by u and v.
    pub d_uv: Vec<[f64; 3]>,
    /// Second derivatives by v and v.
    pub d_vv: Vec<[f64; 3]>,
    /// Unit normals along d_u × d_v, with the first derivatives; at extraordinary vertices
    /// of the tangent plane there.
    pub normals: Vec<[f64; 3]>,
    /// Curvature, with the second derivatives.
    pub curvature: Vec<Curvature>,
}

/// Everything at one place.
struct PointLimit {
    // in the order of `DERIVATIVES`
    values: [[f64; 3]; 6],
    normal: [f64; 3],
    curvature: Curvature,
}

/// Nets with more control points than this share weights: they take longer to make than to sum.
const MAX_UNSHARED_CONTROLS: usize = 64;

/// Weights of a leaf's net at one place.
struct PlaceWeights {
    // in the order of `DERIVATIVES`
    values: Vec<Weights>,
    tangents: TangentWeights,
}

/// Weights of two vectors that span the tangent plane.
enum TangentWeights {
    /// Those of the first derivatives, if these are there.
    Derivatives,
    /// At extraordinary places; none where there is no tangent plane.
    Own(Option<[Vec<f64>; 2]>),
}

impl PlaceWeights {
    fn new(surface: &LimitSurface, leaf: &SurfaceLeaf, p: [f64; 2], order: usize) -> Self {
        let is_apart = order > 0 && surface.extraordinary(leaf, p).is_some();
        let tangents = if is_apart {
            TangentWeights::Own(surface.tangents(leaf, p))
        } else {
            TangentWeights::Derivatives
        };
        Self { values: surface.weights(leaf, p, order), tangents }
    }

    /// Weights of two vectors that span the tangent plane, if there are some.
    fn tangents(&self) -> Option<[&[f64]; 2]> {
        match (&self.tangents, &self.values[..]) {
            (TangentWeights::Own(own), _) => {
                own.as_ref().map(|own| own.each_ref().map(Vec::as_slice))
            }
            (TangentWeights::Derivatives, [_, Some(u), Some(v), ..]) => Some([u, v]),
            (TangentWeights::Derivatives, _) => None,
        }
    }
}

impl LimitSurface {
    /// The limit over control `points` at some places, with normals where
    /// [`Want::FIRST`] and curvature where [`Want::SECOND`] is asked for.
    ///
    /// # Errors
    /// [`Error::Request`] for a wrong number of points, an element that does not exist and
    /// parameters outside its range.
    pub fn evaluate(
        &self,
        points: &[[f64; 3]],
        places: &[SurfaceLocation],
        want: Want,
    ) -> Result<SurfaceLimit> {
        self.evaluate_refined(&self.refined_points(points)?, places, want)
    }

    /// [`LimitSurface::evaluate`] over the points of all levels
    /// ([`LimitSurface::refined_points`]).
    ///
    /// # Errors
    /// As [`LimitSurface::evaluate`].
    pub fn evaluate_refined(
        &self,
        points: &[[f64; 3]],
        places: &[SurfaceLocation],
        want: Want,
    ) -> Result<SurfaceLimit> {
        let count = self.point_count();
        if points.len() != count {
            return Err(Error::request(format!(
                "{} points for the {count} points of all levels",
                points.len()
            ))
            .with_help("give what `LimitSurface::refined_points` makes of the control points"));
        }
        places.iter().enumerate().try_for_each(|(i, place)| self.check(i, place))?;
        let (first, second) = (want.contains(Want::FIRST), want.contains(Want::SECOND));
        let order = if second { 2 } else { usize::from(first) };
        let found = self.points(points, places, order);
        let column = |k: usize, wanted: bool| -> Vec<[f64; 3]> {
            if wanted { found.iter().map(|p| p.values[k]).collect() } else { Vec::new() }
        };
        Ok(SurfaceLimit {
            positions: column(0, true),
            d_u: column(1, first),
            d_v: column(2, first),
            d_uu: column(3, second),
            d_uv: column(4, second),
            d_vv: column(5, second),
            normals: found.iter().filter(|_| first).map(|p| p.normal).collect(),
            curvature: found.iter().filter(|_| second).map(|p| p.curvature).collect(),
        })
    }

    pub(crate) fn check(&self, index: usize, place: &SurfaceLocation) -> Result<()> {
        let SurfaceLocation { element, parameters: [u, v] } = *place;
        if element as usize >= self.levels.elements.len() {
            let count = self.levels.elements.len();
            return Err(Error::request(message!(
                "place {index} names ",
                IdKind::Element.id(element),
                " of {count}"
            ))
            .with_help("elements are numbered from 0 to their count less 1"));
        }
        let inside = |x: f64| (0.0..=1.0).contains(&x);
        if inside(u) && inside(v) && (self.scheme.shape() == FaceShape::Quad || u + v <= 1.0) {
            return Ok(());
        }
        let help = match self.scheme.shape() {
            FaceShape::Quad => "u and v run from 0 to 1",
            FaceShape::Triangle => "u and v run from 0 to 1, and so does u + v",
        };
        Err(Error::request(format!("place {index} has parameters {u}, {v}")).with_help(help))
    }

    /// Everything at places.
    fn points(
        &self,
        points: &[[f64; 3]],
        places: &[SurfaceLocation],
        order: usize,
    ) -> Vec<PointLimit> {
        let leaf_of = |place: &SurfaceLocation| {
            &self.levels.leaves[self.locate(place.element as usize, place.parameters)]
        };
        let own = |place: &SurfaceLocation| {
            stop_point();
            let leaf = leaf_of(place);
            self.point(points, leaf, &PlaceWeights::new(self, leaf, place.parameters, order))
        };
        let is_large = |structure: u32| {
            self.structures[structure as usize].structure.controls() > MAX_UNSHARED_CONTROLS
        };
        if !(0..self.structures.len() as u32).any(is_large) {
            return places.par_iter().map(own).collect();
        }
        // places that are alike around a vertex of high valence share their weights
        let alike = |place: &SurfaceLocation| {
            let leaf = leaf_of(place);
            let (map, local) = self.local(leaf, place.parameters);
            let bits = |x: [f64; 2]| x.map(f64::to_bits);
            match leaf.kind {
                SurfaceLeafKind::Irregular(structure, _) if is_large(structure) => {
                    Some((structure, bits(local), map.matrix.map(bits)))
                }
                _ => None,
            }
        };
        let mut sorted: Vec<_> =
            places.par_iter().enumerate().map(|(i, place)| (alike(place), i)).collect();
        sorted.par_sort_unstable();
        let runs: Vec<&[_]> = sorted.chunk_by(|a, b| a.0.is_some() && a.0 == b.0).collect();
        let of_run = |run: &&[(_, usize)]| -> Vec<(usize, PointLimit)> {
            stop_point();
            let first = &places[run[0].1];
            let weights = PlaceWeights::new(self, leaf_of(first), first.parameters, order);
            let at = |&(_, i): &(_, usize)| (i, self.point(points, leaf_of(&places[i]), &weights));
            run.iter().map(at).collect()
        };
        let mut found: Vec<(usize, PointLimit)> = runs.par_iter().flat_map_iter(of_run).collect();
        found.par_sort_unstable_by_key(|&(i, _)| i);
        found.into_iter().map(|(_, point)| point).collect()
    }

    fn point(&self, points: &[[f64; 3]], leaf: &SurfaceLeaf, weights: &PlaceWeights) -> PointLimit {
        let net = self.net(leaf);
        // sums run relative to the net's first point: accuracy follows the face's size
        let origin = points[net[0] as usize];
        let mut values = [[f64::NAN; 3]; 6];
        for (value, weights) in values.iter_mut().zip(&weights.values) {
            if let Some(weights) = weights {
                *value = net_sum(points, net, weights);
            }
        }
        values[0] = std::array::from_fn(|d| values[0][d] + origin[d]);
        let direction = |weights: &[f64]| {
            let vector = |&v: &u32| difference(points[v as usize], origin);
            tangent(weights.iter().copied().zip(net.iter().map(vector)))
        };
        let tangents = weights.tangents();
        let normal = tangents.map_or([f64::NAN; 3], |[a, b]| normal(direction(a), direction(b)));
        let has_second = weights.values.len() == DERIVATIVES.len();
        let second = || curvature([values[1], values[2]], [values[3], values[4], values[5]]);
        let curvature = if has_second { second() } else { Curvature::UNDEFINED };
        PointLimit { values, normal, curvature }
    }
}

//! Geodesic distance by the heat method: Crane, Weischedel and Wardetzky, "Geodesics in heat"
//! (2013), Algorithm 1.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nalgebra::Vector3;

use super::{corners, cotangent, triangles};
use crate::error::Result;
use crate::mesh::{SurfaceMesh, components, marked_vertices};
use crate::process::components::{check_reach, leave_unused};
use crate::process::sparse::Factor;
use crate::topology::Rows;

/// Time for which heat flows, over the squared mean length of edges. Crane et al. (§3.2.4) take 1;
/// then heat on right triangles prefers some directions, and the error of distances in a plane
/// stays at 2 % however small they are. At 4 it falls.
const HEAT_TIME: f64 = 4.0;

/// Heat decays by a factor e per √time. 300 such lengths (and 600, for the farthest pair) stay
/// above the smallest double; wider components get a longer time.
const MAX_DECAY_LENGTHS: f64 = 300.0;

/// Heat that changes by less than this part over a face, whose values are 1 at most, has no
/// direction: all of it is rounding, here and of the solvers of devices.
const MIN_CHANGE: f64 = 1e-8;

/// The factors of a surface, for distances to any sources.
#[derive(Debug)]
pub struct Geodesics<'m> {
    mesh: &'m SurfaceMesh,
    faces: Cow<'m, [[u32; 3]]>,
    heat: Factor,
    poisson: Factor,
    labels: Vec<u32>,
    areas: Vec<f64>,
}

impl<'m> Geodesics<'m> {
    /// Factors the systems of a surface of triangles.
    ///
    /// # Errors
    /// [`Error::Mesh`](crate::Error::Mesh) for a face that is not a triangle or has no area, and if
    /// memory ends.
    pub fn new(mesh: &'m SurfaceMesh) -> Result<Self> {
        let faces = triangles(mesh)?;
        let (points, count) = (&mesh.points, mesh.points.len());
        let labels = components(count, faces.iter().map(|f| &f[..]));
        let times = heat_times(points, &faces, &labels);
        let used = marked_vertices(count, faces.as_flattened());
        let factor = |mass: f64, stiffness: &dyn Fn(u32) -> f64, fixed: bool| {
            let all = |v: u32| Some(v as usize);
            let stiffness = |face: &[u32; 3]| stiffness(face[0]);
            let mut matrix = cotangent::matrix(points, &faces, mass, stiffness, all, |_, _, _| {});
            // L is singular: a vertex of each part is fixed at 0, exactly, for loads sum to 0
            for v in (0..count).filter(|&v| !used[v] || fixed && labels[v] == v as u32) {
                matrix.add(v, v, 1.0);
            }
            matrix.factor(count)
        };
        let time = |v: u32| times[labels[v as usize] as usize];
        let (heat, poisson) = (factor(1.0, &time, false)?, factor(0.0, &|_| 1.0, true)?);
        let areas = cotangent::dual_areas(points, &faces);
        Ok(Self { mesh, faces, heat, poisson, labels, areas })
    }

    /// Distance of every vertex to the nearest of `sources`, in length units; NaN at vertices
    /// of no face. The error falls with the length of edges (first order), up to components of some
    /// 600 edges across: heat flows longer on larger ones, so that it stays a number.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for sources that do not exist, and vertices
    /// that no face joins to one.
    pub fn distance(&self, sources: &[u32]) -> Result<Vec<f64>> {
        let count = self.mesh.points.len();
        check_reach(count, self.faces.iter().map(|f| &f[..]), sources.iter().copied())?;
        let heat = |load: &[f64]| Ok(self.heat.solve(load));
        let poisson = |heat: &[f64]| Ok(self.poisson.solve(&self.divergence(heat)));
        let mut distance = heat_distance(&self.areas, &self.labels, sources, heat, poisson)?;
        leave_unused(&mut distance, self.faces.as_flattened());
        Ok(distance)
    }

    /// The integrated divergence, with the sign of L, of the directions in which heat falls.
    fn divergence(&self, heat: &[f64]) -> Vec<f64> {
        let points = &self.mesh.points;
        let mut load = vec![0.0; points.len()];
        for face in self.faces.iter() {
            let p = corners(points, face);
            let (cotangents, _) = cotangent::triangle(points, face);
            let values = face.map(|v| heat[v as usize]);
            let scale = values.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
            let normal = (p[1] - p[0]).cross(&(p[2] - p[0])).try_normalize(0.0).unwrap_or_default();
            let opposite = |i: usize| p[(i + 2) % 3] - p[(i + 1) % 3];
            let sum: Vector3<f64> =
                (0..3).map(|i| normal.cross(&opposite(i)) * (values[i] / scale)).sum();
            let longest = (0..3).map(|i| opposite(i).norm()).fold(0.0, f64::max);
            let field = -sum.try_normalize(MIN_CHANGE * longest).unwrap_or_default();
            // eq. of §3.2.2
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let flux = cotangents[k] * (p[j] - p[i]).dot(&field)
                    + cotangents[j] * (p[k] - p[i]).dot(&field);
                load[face[i] as usize] -= 0.5 * flux;
            }
        }
        load
    }
}

/// Distances from the solvers of the two systems: of heat for a load, and of the Poisson equation
/// for the directions in which heat falls.
///
/// Fronts of two sources meet half way where both are as warm. So each gives heat in proportion to
/// its dual area (one at the end of the surface has less around it), then so much as makes all of
/// them about as warm (one in a row needs less). The values at sources still differ by the error of
/// the method; their mean, weighted by the heat of each source that reaches a vertex, counts as 0.
pub(crate) fn heat_distance(
    dual_areas: &[f64],
    components: &[u32],
    sources: &[u32],
    mut heat: impl FnMut(&[f64]) -> Result<Vec<f64>>,
    poisson: impl FnOnce(&[f64]) -> Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    let mut load = vec![0.0; dual_areas.len()];
    sources.iter().for_each(|&v| load[v as usize] = dual_areas[v as usize]);
    let mut warmth = heat(&load)?;
    if sources.len() > 1 {
        for (load, &warmth) in load.iter_mut().zip(&warmth).filter(|(_, warmth)| **warmth > 0.0) {
            *load /= warmth;
        }
        warmth = heat(&load)?;
    }
    let mut values = poisson(&warmth)?;
    let component = |v: usize| components[v] as usize;
    let mut ranges = vec![[f64::INFINITY, f64::NEG_INFINITY]; values.len()];
    for v in sources.iter().map(|&v| v as usize) {
        let [least, most] = &mut ranges[component(v)];
        (*least, *most) = (least.min(values[v]), most.max(values[v]));
    }
    if ranges.iter().any(|[least, most]| least < most) {
        // positive everywhere: solvers of devices end where every value is exact beside its size
        let shift = |v: usize| match ranges[component(v)] {
            [least, most] if least < most => most - least,
            _ => 1.0,
        };
        for (v, load) in load.iter_mut().enumerate().filter(|(_, load)| **load > 0.0) {
            *load *= (values[v] - ranges[component(v)][0]).max(0.0) + shift(v);
        }
        let sums = heat(&load)?;
        for (v, value) in values.iter_mut().enumerate() {
            let [least, most] = ranges[component(v)];
            // `max` drops what is not a number
            let mean = (sums[v] / warmth[v] - shift(v)).max(0.0).min(most - least);
            *value = (*value - least - mean).max(0.0);
        }
    } else {
        for (v, value) in values.iter_mut().enumerate() {
            *value = (*value - ranges[component(v)][0]).max(0.0);
        }
    }
    sources.iter().for_each(|&v| values[v as usize] = 0.0);
    Ok(values)
}

/// What is known of a connected component of a surface.
#[derive(Clone, Copy)]
struct ComponentExtent {
    /// Lengths of the edges of its triangles, those between two triangles twice.
    lengths: f64,
    edges: usize,
    low: Vector3<f64>,
    high: Vector3<f64>,
    /// Sum of its vertices, each once for every triangle that has it.
    sum: Vector3<f64>,
    /// The vertex nearest to its middle, and the square of how far.
    middle: (f64, u32),
    /// The longest way along edges from that vertex: no vertex is farther than twice that from
    /// another.
    reach: f64,
}

impl Default for ComponentExtent {
    fn default() -> Self {
        let infinite = Vector3::repeat(f64::INFINITY);
        Self {
            lengths: 0.0,
            edges: 0,
            low: infinite,
            high: -infinite,
            sum: Vector3::zeros(),
            middle: (f64::INFINITY, 0),
            reach: 0.0,
        }
    }
}

impl ComponentExtent {
    fn heat_time(&self) -> f64 {
        let mean = self.lengths / self.edges as f64;
        // a spiral is longer than its box
        let extent = (self.high - self.low).norm().max(self.reach);
        (HEAT_TIME * mean.powi(2)).max((extent / MAX_DECAY_LENGTHS).powi(2))
    }
}

/// Times for which heat flows on the connected components of a surface of triangles, in squared
/// length units, each at the label of its component; 0 at other numbers. `labels: [vertex]`.
pub(crate) fn heat_times(points: &[[f64; 3]], faces: &[[u32; 3]], labels: &[u32]) -> Vec<f64> {
    let at = |v: u32| Vector3::from(points[v as usize]);
    let component_of = |v: u32| labels[v as usize] as usize;
    let mut extents = vec![ComponentExtent::default(); points.len()];
    for face in faces {
        let own = &mut extents[component_of(face[0])];
        let p = corners(points, face);
        for i in 0..3 {
            own.lengths += (p[(i + 1) % 3] - p[i]).norm();
            own.sum += p[i];
            (own.low, own.high) = (own.low.inf(&p[i]), own.high.sup(&p[i]));
        }
        own.edges += 3;
    }
    for &v in faces.as_flattened() {
        let own = &mut extents[component_of(v)];
        let square = (at(v) - own.sum / own.edges as f64).norm_squared();
        if square < own.middle.0 {
            own.middle = (square, v);
        }
    }
    let corners = |face: u32| faces[face as usize].into_iter();
    let vertex_faces = Rows::transposed(points.len(), faces.len(), corners);
    let mut lengths = vec![f64::INFINITY; points.len()];
    // lengths are not negative, so that their bits are in their order
    let mut queue = BinaryHeap::new();
    for ComponentExtent { middle: (_, v), .. } in extents.iter().filter(|own| own.edges > 0) {
        lengths[*v as usize] = 0.0;
        queue.push(Reverse((0_f64.to_bits(), *v)));
    }
    while let Some(Reverse((bits, v))) = queue.pop() {
        let length = f64::from_bits(bits);
        if length > lengths[v as usize] {
            continue;
        }
        extents[component_of(v)].reach = length;
        for other in vertex_faces.row(v as usize).iter().flat_map(|&face| corners(face)) {
            let new = length + (at(other) - at(v)).norm();
            if new < lengths[other as usize] {
                lengths[other as usize] = new;
                queue.push(Reverse((new.to_bits(), other)));
            }
        }
    }
    let time = |own: &ComponentExtent| if own.edges > 0 { own.heat_time() } else { 0.0 };
    extents.iter().map(time).collect()
}

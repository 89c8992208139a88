//! The boundary of a solid, or a surface, fitted to its vertices or to a target.

use nalgebra::Vector3;

use super::deviation::Deviation;
use super::feet::Foot;
use super::rounds::{MAX_DRIFT, Rounds, SkinSteps};
use super::skin::{FEATURE_REACH, Skin};
use super::skin_limit::SkinLimit;
use super::surface_limit::ControlledLimit;
use super::system::LimitSystem;
use super::target::Target;
use crate::backend::{Backend, Cpu};
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::numbers::vector::distance;
use crate::scheme::Scheme;
use crate::surface::limit::LimitSurface;

/// How a surface is fitted to a target.
#[derive(Clone, Copy)]
pub struct SkinOptions<'a> {
    /// Gauss-Newton rounds at most.
    pub rounds: usize,
    /// What the points of the mesh are.
    pub start: PointRole,
    /// Where linear systems of limits are solved; none: on the CPU.
    pub backend: Option<&'a dyn Backend>,
}

impl Default for SkinOptions<'_> {
    fn default() -> Self {
        Self { rounds: 6, start: PointRole::Vertices, backend: None }
    }
}

/// What points of a mesh are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointRole {
    /// Vertices of the part: the first limit passes through them.
    Vertices,
    /// Control points of a limit that is near the part.
    Controls,
}

/// Control points of a surface, fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinFit {
    /// Control points, `[vertex]`.
    pub points: Vec<[f64; 3]>,
    /// Distances of limits at vertices from the vertices: as control points, and fitted.
    pub vertices: [Deviation; 2],
    /// Distances of the limit from the target: as control points, through the vertices, fitted.
    pub target: Option<[Deviation; 3]>,
    /// Distances of the target from the fitted limit.
    pub target_from_limit: Option<Deviation>,
    /// Distances of creases of the limit from the feature lines of the target that they follow: as
    /// control points, and fitted.
    pub creases: Option<[Deviation; 2]>,
    /// Root mean square distance before the first round, and after each.
    pub rounds: Vec<f64>,
    /// Volume inside the limit as control points, and fitted; 0 where the surface is open.
    pub volume: [f64; 2],
    /// Largest move of a limit point along the surface, in mean lengths of the edges there.
    pub drift: f64,
    /// Length of feature lines of the target without a crease near.
    pub unmatched_length: f64,
    /// Distance of the limit at each vertex from the target, positive outside, `[vertex]`; empty
    /// without a target.
    pub distances: Vec<f64>,
}

/// Fits the limit of a surface to its vertices, or where there is a `target` to that, from control
/// points whose limits are the vertices. Faces, creases and their order stay.
///
/// # Errors
/// [`Error::Mesh`](crate::Error::Mesh) for a surface that has no limit, and where no control points
/// have the limits; [`Error::Request`](crate::Error::Request) for too little memory of a device;
/// the errors of `steps`.
pub fn fit_skin(
    mesh: &SurfaceMesh,
    scheme: Scheme,
    target: Option<&Target>,
    options: SkinOptions<'_>,
    steps: &mut dyn SkinSteps,
) -> Result<SkinFit> {
    let surface = LimitSurface::of_mesh(mesh, scheme)?;
    let limit = ControlledLimit::new(mesh, &surface)?;
    let cpu = Cpu::default();
    let (vertices, start) = match options.start {
        PointRole::Vertices => {
            let system = LimitSystem::new(limit.vertices().clone());
            let backend = options.backend.unwrap_or(&cpu);
            let solved = system.solver(backend)?.solve(mesh.points.as_flattened(), 3)?;
            (mesh.points.clone(), solved.as_chunks::<3>().0.to_vec())
        }
        PointRole::Controls => (limits_at_vertices(&limit, &mesh.points), mesh.points.clone()),
    };
    fit_limit(mesh, &limit, (vertices, start), (target, options.rounds), steps)
}

/// Fits the limit of a boundary, from points whose limits are its vertices; those of `mesh` are the points
/// before. Points that are of no face are not fitted.
///
/// # Errors
/// Those of the limit and of `steps`.
pub fn fit_limit(
    mesh: &SurfaceMesh,
    limit: &dyn SkinLimit,
    (vertices, start): (Vec<[f64; 3]>, Vec<[f64; 3]>),
    (target, rounds): (Option<&Target>, usize),
    steps: &mut dyn SkinSteps,
) -> Result<SkinFit> {
    let missed = |points: &[[f64; 3]]| missed(mesh, &limits_at_vertices(limit, points), &vertices);
    let mut fit = SkinFit {
        vertices: [missed(&mesh.points), missed(&start)],
        target: None,
        target_from_limit: None,
        creases: None,
        rounds: Vec::new(),
        volume: [limit.volume(&mesh.points)?, limit.volume(&start)?],
        drift: 0.0,
        unmatched_length: 0.0,
        distances: Vec::new(),
        points: start.clone(),
    };
    let Some(target) = target else { return Ok(fit) };
    let mut skin = Skin::new(mesh, limit, (vertices.clone(), start));
    let before = skin.deviation(target, &mesh.points)?;
    let through = skin.deviation(target, &fit.points)?;
    // through the vertices of a rough mesh the limit may be worse; but where that of the control mesh is
    // too far along the surface, rounds come no nearer
    let mut starts = vec![(std::mem::take(&mut fit.points), through.rms)];
    if before.rms < through.rms {
        if skin.drift(&mesh.points) <= MAX_DRIFT {
            starts.clear();
        }
        starts.push((mesh.points.clone(), before.rms));
    }
    let best = loop {
        let (start, rms) = starts.remove(0);
        skin.start.clone_from(&start);
        fit.rounds = vec![rms];
        let start = skin.state(target, skin.with_corners(target, start), None)?;
        let mut fitting = Rounds::new(&skin, target);
        let found = fitting.approach(start, rounds, &mut fit.rounds, steps)?;
        let is_good = found.deviation.rms <= before.rms && found.drift <= MAX_DRIFT;
        if is_good || starts.is_empty() {
            break fitting.relax(found, steps)?;
        }
    };
    fit.points = best.points;
    fit.vertices[1] = missed(&fit.points);
    fit.creases = Some([&mesh.points, &fit.points].map(|own| skin.crease_deviation(target, own)));
    fit.target = Some([before, through, best.deviation]);
    let fitted = limit.target(&fit.points)?;
    let (samples, areas) = target.samples();
    let feet = fitted.feet(&samples, None)?;
    let found = samples.iter().zip(feet).zip(areas);
    fit.target_from_limit = Some(Deviation::new(
        found.filter_map(|((&x, foot), area)| Some((x, foot?.distance, area))),
    ));
    fit.volume[1] = best.volume;
    fit.drift = best.drift;
    let at_vertices = limits_at_vertices(limit, &fit.points);
    let outside = |(x, foot): (&[f64; 3], Option<Foot>)| {
        let away = |foot: Foot| Vector3::from(*x) - Vector3::from(foot.point);
        foot.map_or(0.0, |foot| foot.distance.copysign(away(foot).dot(&Vector3::from(foot.normal))))
    };
    let feet = target.feet(&at_vertices, None)?;
    fit.distances = at_vertices.iter().zip(feet).map(outside).collect();
    let reach = skin.lengths.iter().sum::<f64>() / skin.count.max(1) as f64;
    fit.unmatched_length =
        target.features().unmatched_length(fitted.features(), FEATURE_REACH * reach);
    Ok(fit)
}

fn limits_at_vertices(limit: &dyn SkinLimit, points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    limit.vertices().apply(points.as_flattened(), 3).as_chunks::<3>().0.to_vec()
}

/// Distances of limits from the vertices of faces.
fn missed(mesh: &SurfaceMesh, limits: &[[f64; 3]], vertices: &[[f64; 3]]) -> Deviation {
    let mut is_used = vec![false; vertices.len()];
    mesh.faces.iter().flatten().for_each(|&v| is_used[v as usize] = true);
    let found = limits.iter().zip(vertices).zip(is_used).filter(|(_, is_used)| *is_used);
    Deviation::new(found.map(|((at, v), _)| (*at, distance(*at, *v), 1.0)))
}

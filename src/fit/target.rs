//! The shape that a limit is fitted to: facets, or the limit of another mesh.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::features::Features;
use super::feet::{Foot, TargetNotes, TriangleTree};
use crate::error::{Error, Result};
use crate::mesh::{Creases, SurfaceMesh, area_normal};
use crate::numbers::bounds;
use crate::plan::Want;
use crate::refine::angle::angle_between;
use crate::scheme::{FaceShape, Scheme};
use crate::surface::limit::{LimitSurface, SurfaceLocation};
use crate::surface::{Method, SurfaceOptions, refine_surface};

/// Samples along each edge of a face of a limit from which closest points are looked for.
const GRID: usize = 6;
/// Gauss-Newton steps to the closest point of a limit.
const FOOT_STEPS: usize = 4;
/// Steps of parameters that are not made: less than rounding moves a limit point.
const MIN_FOOT_STEP: f64 = 1e-13;
/// Levels that cut bilinear faces into flat ones.
const FACET_LEVELS: usize = 2;

/// Levels that cut creases into feature lines.
const LINE_LEVELS: usize = 3;

/// A shape to fit to, oriented outward.
#[derive(Debug)]
pub struct Target {
    tree: TriangleTree,
    features: Features,
    limit: Option<TargetLimit>,
    is_closed: bool,
}

/// The limit whose tessellation is in the tree.
#[derive(Debug)]
struct TargetLimit {
    surface: LimitSurface,
    // points of all levels
    points: Vec<[f64; 3]>,
    // of each triangle
    elements: Vec<u32>,
    // of each corner of each triangle
    parameters: Vec<[[f64; 2]; 3]>,
}

impl Target {
    /// The faces of a mesh as they are, flat or bilinear. Feature lines are its creases, or if it
    /// has none the edges at which faces turn by more than `degrees`.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a mesh without faces or that no orientation makes consistent;
    /// [`Error::Request`] for an angle outside [0, 180].
    pub fn of_facets(mesh: &SurfaceMesh, degrees: f64) -> Result<(Self, TargetNotes)> {
        check(mesh, degrees)?;
        let mut flat = SurfaceMesh::new(mesh.points.clone(), mesh.faces.clone());
        flat.creases = sharp_edges(mesh, degrees);
        if flat.faces.iter().all(|face| face.len() == 4) {
            flat = refine_surface(&flat, &options(Scheme::Bilinear, FACET_LEVELS))?;
        }
        let triangles = flat.triangles().corners;
        let corners = triangles.iter().map(|t| t.map(|v| flat.points[v as usize])).collect();
        let features = Features::new(&flat.points, &flat.creases);
        let (tree, notes) = TriangleTree::oriented(corners, open_edges(mesh));
        Ok((Self { tree, features, limit: None, is_closed: notes.open_edges == 0 }, notes))
    }

    /// The limit of a mesh by a scheme; its feature lines are the creases.
    ///
    /// # Errors
    /// As [`LimitSurface::of_mesh`].
    pub fn of_limit(mesh: &SurfaceMesh, scheme: Scheme) -> Result<(Self, TargetNotes)> {
        check(mesh, 0.0)?;
        let surface = LimitSurface::of_mesh(mesh, scheme)?;
        let points = surface.refined_points(&mesh.points)?;
        let (elements, parameters, corners) = tessellation(&surface, &points)?;
        // lines of the limit between creases, as fine as the tessellation
        let mut fine = SurfaceMesh::new(mesh.points.clone(), mesh.faces.clone());
        fine.creases.edges =
            mesh.creases.edges.iter().filter(|c| c.sharpness.is_infinite()).cloned().collect();
        fine.creases.corners = mesh.creases.corners.clone();
        let fine = refine_surface(&fine, &options(scheme, LINE_LEVELS))?;
        let ends =
            LimitSurface::of_mesh(&fine, scheme)?.vertex_masks().limit_positions(&fine.points)?;
        let features = Features::new(&ends, &fine.creases);
        let (tree, notes) = TriangleTree::oriented(corners, open_edges(mesh));
        let limit =
            (!notes.is_reversed).then_some(TargetLimit { surface, points, elements, parameters });
        Ok((Self { tree, features, limit, is_closed: notes.open_edges == 0 }, notes))
    }

    /// Triangles outward of a closed shape, with its feature lines.
    pub(super) fn of_triangles(triangles: Vec<[[f64; 3]; 3]>, features: Features) -> Self {
        Self { tree: TriangleTree::new(triangles), features, limit: None, is_closed: true }
    }

    /// Closest points of the target. They are found sooner from those of points nearby, `near`.
    pub(super) fn feet(
        &self,
        points: &[[f64; 3]],
        near: Option<&[Option<Foot>]>,
    ) -> Result<Vec<Option<Foot>>> {
        let foot = |i: usize| {
            let near = near.and_then(|near| near[i].as_ref());
            self.tree.closest(points[i], None, near.map(|foot| foot.triangle))
        };
        let mut feet: Vec<Option<Foot>> = (0..points.len()).into_par_iter().map(foot).collect();
        if let Some(limit) = &self.limit {
            limit.refine(points, &mut feet)?;
        }
        Ok(feet)
    }

    /// Closest points of what faces as normals do, within 60°; none where all surfaces near face
    /// another way. `feet` are the closest points of all.
    pub(super) fn facing(
        &self,
        points: &[[f64; 3]],
        normals: &[[f64; 3]],
        feet: &[Option<Foot>],
    ) -> Result<Vec<Option<Foot>>> {
        let mut found = feet.to_vec();
        let faces =
            |i: &usize| feet[*i].is_none_or(|foot| self.tree.faces(foot.triangle, normals[*i]));
        let others: Vec<usize> = (0..feet.len()).filter(|i| !faces(i)).collect();
        let foot = |&i: &usize| self.tree.closest(points[i], Some(normals[i]), None);
        let mut facing: Vec<Option<Foot>> = others.par_iter().map(foot).collect();
        if let Some(limit) = &self.limit {
            let points: Vec<[f64; 3]> = others.iter().map(|&i| points[i]).collect();
            limit.refine(&points, &mut facing)?;
        }
        others.into_iter().zip(facing).for_each(|(i, foot)| found[i] = foot);
        Ok(found)
    }

    /// Feature lines and corners.
    pub(super) fn features(&self) -> &Features {
        &self.features
    }

    /// Lowest and highest coordinates.
    pub fn bounds(&self) -> bounds::Bounds {
        bounds::around(self.tree.triangles.iter().flatten().copied())
    }

    /// Volume inside, by flat triangles; `None` where the target is open.
    pub fn volume(&self) -> Option<f64> {
        self.is_closed.then(|| self.tree.volume())
    }

    /// Points of the target for distances from it, with the area of each.
    pub(super) fn samples(&self) -> (Vec<[f64; 3]>, Vec<f64>) {
        self.tree.samples()
    }
}

impl TargetLimit {
    /// Moves feet on the tessellation to the limit.
    fn refine(&self, points: &[[f64; 3]], feet: &mut [Option<Foot>]) -> Result<()> {
        // feet that still move
        let mut moving: Vec<usize> = (0..feet.len()).filter(|&i| feet[i].is_some()).collect();
        let mut places: Vec<SurfaceLocation> = moving
            .iter()
            .filter_map(|&i| feet[i].as_ref())
            .map(|foot| {
                let corners = self.parameters[foot.triangle as usize];
                let parameters = std::array::from_fn(|d| {
                    (0..3).map(|k| foot.weights[k] * corners[k][d]).sum::<f64>().clamp(0.0, 1.0)
                });
                SurfaceLocation { element: self.elements[foot.triangle as usize], parameters }
            })
            .collect();
        let is_triangle = self.surface.scheme().shape() == FaceShape::Triangle;
        let mut best = vec![f64::INFINITY; feet.len()];
        for _ in 0..=FOOT_STEPS {
            let limit = self.surface.evaluate_refined(&self.points, &places, Want::FIRST)?;
            let (mut left, mut next) = (Vec::new(), Vec::new());
            for (k, &i) in moving.iter().enumerate() {
                let away = Vector3::from(points[i]) - Vector3::from(limit.positions[k]);
                let distance = away.norm();
                if distance < best[i] {
                    best[i] = distance;
                    let normal = limit.normals[k];
                    if let Some(foot) = &mut feet[i] {
                        foot.point = limit.positions[k];
                        foot.distance = distance;
                        if normal[0].is_finite() {
                            foot.normal = normal;
                        }
                    }
                }
                let [u, v] = [limit.d_u[k], limit.d_v[k]].map(Vector3::from);
                let [uu, uv, vv] = [u.dot(&u), u.dot(&v), v.dot(&v)];
                let [a, b] = [u.dot(&away), v.dot(&away)];
                let determinant = uu * vv - uv * uv;
                if determinant <= 1e-12 * uu * vv || determinant.is_nan() {
                    continue;
                }
                let move_by = [(vv * a - uv * b) / determinant, (uu * b - uv * a) / determinant];
                let SurfaceLocation { element, parameters: [s, t] } = places[k];
                let u = (s + move_by[0]).clamp(0.0, 1.0);
                let v = (t + move_by[1]).clamp(0.0, if is_triangle { 1.0 - u } else { 1.0 });
                if (u - s).abs().max((v - t).abs()) > MIN_FOOT_STEP {
                    left.push(i);
                    next.push(SurfaceLocation { element, parameters: [u, v] });
                }
            }
            (moving, places) = (left, next);
        }
        Ok(())
    }
}

/// Elements, parameters and points of the corners of triangles that cover a limit.
type Tessellation = (Vec<u32>, Vec<[[f64; 2]; 3]>, Vec<[[f64; 3]; 3]>);

/// The limit on a grid of every element as triangles.
fn tessellation(surface: &LimitSurface, points: &[[f64; 3]]) -> Result<Tessellation> {
    let grid = surface.grid(GRID, false)?;
    let mut limit = crate::surface::limit::GridLimit::default();
    let count = surface.elements().len();
    grid.evaluate(points, 0..count, &mut limit)?;
    let parameters = grid.parameters();
    let cells = grid_triangles(surface.scheme().shape());
    let (mut elements, mut places, mut corners) = (Vec::new(), Vec::new(), Vec::new());
    for element in 0..count {
        for triangle in &cells {
            elements.push(element as u32);
            places.push(triangle.map(|i| parameters[i]));
            corners.push(triangle.map(|i| {
                let at = 3 * (element * parameters.len() + i);
                [limit.positions[at], limit.positions[at + 1], limit.positions[at + 2]]
            }));
        }
    }
    Ok((elements, places, corners))
}

/// Triangles of the samples of an element.
fn grid_triangles(shape: FaceShape) -> Vec<[usize; 3]> {
    let n = GRID;
    let mut triangles = Vec::new();
    match shape {
        FaceShape::Quad => {
            for j in 0..n - 1 {
                for i in 0..n - 1 {
                    let a = j * n + i;
                    triangles.push([a, a + 1, a + n + 1]);
                    triangles.push([a, a + n + 1, a + n]);
                }
            }
        }
        FaceShape::Triangle => {
            let mut start = 0;
            for j in 0..n - 1 {
                let row = n - j;
                for i in 0..row - 1 {
                    triangles.push([start + i, start + i + 1, start + row + i]);
                    if i + 2 < row {
                        triangles.push([start + i + 1, start + row + i + 1, start + row + i]);
                    }
                }
                start += row;
            }
        }
    }
    triangles
}

/// Creases of a mesh, or the edges at which its faces turn by more than an angle.
fn sharp_edges(mesh: &SurfaceMesh, degrees: f64) -> Creases {
    let mut creases = Creases::default();
    let sharp = mesh.creases.edges.iter().filter(|crease| crease.sharpness.is_infinite());
    for [a, b] in sharp.map(|crease| crease.edge().map(|v| v.0)) {
        creases.push_edge(a, b, f64::INFINITY);
    }
    creases.corners.clone_from(&mesh.creases.corners);
    if !mesh.creases.edges.is_empty() {
        return creases;
    }
    let mut faces: std::collections::BTreeMap<[u32; 2], Vec<usize>> = Default::default();
    for (f, face) in mesh.faces.iter().enumerate() {
        for (i, &a) in face.iter().enumerate() {
            let b = face[(i + 1) % face.len()];
            faces.entry([a.min(b), a.max(b)]).or_default().push(f);
        }
    }
    let normal = |f: usize| area_normal(&mesh.points, mesh.faces.face(f));
    for ([a, b], own) in faces {
        let is_sharp = match own[..] {
            [f, g] => angle_between(normal(f), normal(g)) > degrees.to_radians(),
            _ => true,
        };
        if is_sharp {
            creases.push_edge(a, b, f64::INFINITY);
        }
    }
    creases
}

/// Number of edges of one face alone.
pub(super) fn open_edges(mesh: &SurfaceMesh) -> usize {
    let mut count: std::collections::HashMap<[u32; 2], usize> = Default::default();
    for face in mesh.faces.iter() {
        for (i, &a) in face.iter().enumerate() {
            let b = face[(i + 1) % face.len()];
            *count.entry([a.min(b), a.max(b)]).or_default() += 1;
        }
    }
    count.values().filter(|&&n| n == 1).count()
}

fn options(scheme: Scheme, levels: usize) -> SurfaceOptions {
    SurfaceOptions { scheme, levels, method: Method::of(scheme), crease_rule: None }
}

fn check(mesh: &SurfaceMesh, degrees: f64) -> Result<()> {
    mesh.check_control()?;
    if mesh.faces.is_empty() {
        return Err(Error::mesh("the target has no faces")
            .with_help("give a surface: .stl, .3mf, .obj, .ply or .off, or a solid"));
    }
    if !(0.0..=180.0).contains(&degrees) {
        return Err(Error::request(format!("a feature angle of {degrees} degrees: out of range"))
            .with_help("give an angle from 0 to 180, for instance 40"));
    }
    Ok(())
}

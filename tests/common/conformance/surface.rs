//! What every backend must do with surfaces:
//! `surface_conformance!(name, backend, tolerance, tests)` makes a module of tests that compare the
//! backend with explicit refinement by code of the tests alone: half-edges for refined meshes,
//! local refinement for limits.

use subsolid::backend::{Backend, SurfaceEvaluator, SurfaceResults, SurfaceTask, Values};
use subsolid::mesh::{CreaseRule, Creases, Polygons, SurfaceMesh};
use subsolid::plan::Want;
use subsolid::surface::limit::{LimitSurface, Scheme as LimitScheme, SurfaceLocation};
use subsolid::surface::{Method, Scheme, SurfaceOptions, SurfacePlan};

use crate::oracle::random::Random;
use crate::oracle::surface::Surface;
use crate::oracle::vector::{Point, distance};
use crate::oracle::{loop_surface, surface_limit};
use crate::support::refused;
use crate::surfaces::{model, options, reference, rules};

/// Refinement in one precision, results in double precision.
pub trait Refines {
    /// Fewest levels that a method refines by.
    fn least_levels(&self, _method: Method) -> usize {
        1
    }
    /// Corners of all refined faces (edge-friend: perhaps more behind them), and the points.
    fn refine(&self, mesh: &SurfaceMesh, options: &SurfaceOptions) -> (Vec<u32>, Vec<Point>);
}

fn points(values: &Values) -> Vec<Point> {
    (0..values.len() / 3).map(|i| values.triple(i)).collect()
}

/// The results over control points that were others before.
fn evaluated(mut evaluator: Box<dyn SurfaceEvaluator + '_>, controls: &[Point]) -> SurfaceResults {
    let moved: Vec<Point> = controls.iter().map(|p| p.map(|x| 1.0 - x)).collect();
    let mut results = SurfaceResults::default();
    for controls in [&moved[..], controls] {
        evaluator.set_controls(controls).unwrap();
        assert!(evaluator.evaluate().unwrap() >= 0.0);
        evaluator.read(&mut results).unwrap();
    }
    refused(evaluator.set_controls(&controls[1..]), &format!(" for {} ", controls.len()));
    results
}

/// Closed, open, creased, cornered, of polygons, one of high valence.
const MODELS: [&str; 7] = [
    "bishop",
    "cubes_semisharp",
    "dodecahedron_poly",
    "edgecorner",
    "pole64",
    "torus_creases0",
    "val2_interior",
];

/// Largest coordinate, at least 1.
fn largest(points: &[Point]) -> f64 {
    points.as_flattened().iter().fold(1.0, |most, x| most.max(x.abs()))
}

/// Fails where two points differ by more than `tolerance`, NaN included.
#[track_caller]
fn close(found: Point, expected: Point, tolerance: f64, what: impl FnOnce() -> String) {
    let apart = distance(found, expected);
    assert!(apart <= tolerance, "{}: {found:?}, not {expected:?}: {apart:e}", what());
}

/// Every scheme by every method, both crease rules, against half-edges.
pub fn refinement(backend: &impl Refines, tolerance: f64) {
    let methods = [
        (Scheme::CatmullClark, Method::Matrix),
        (Scheme::CatmullClark, Method::EdgeFriend),
        (Scheme::CatmullClark, Method::Single),
        (Scheme::Loop, Method::Matrix),
        (Scheme::Loop, Method::Single),
        (Scheme::Sqrt3, Method::Matrix),
        (Scheme::Sqrt3, Method::Single),
    ];
    for name in MODELS {
        for (scheme, method) in methods {
            for crease_rule in [CreaseRule::Uniform, CreaseRule::Chaikin] {
                let mut mesh = model(name);
                mesh.crease_rule = crease_rule;
                if scheme == Scheme::Sqrt3 {
                    mesh.creases = Creases::default();
                    mesh.holes.clear();
                }
                let mut expected = reference(&mesh, scheme != Scheme::CatmullClark);
                for level in 0..2 {
                    expected = expected.refine(rules(scheme, level));
                    if level + 1 < backend.least_levels(method) {
                        continue;
                    }
                    let options = options(scheme, level + 1, method);
                    let (corners, points) = backend.refine(&mesh, &options);
                    let of_faces = expected.faces.iter().flatten();
                    // with edge-friend, ghosts of the boundaries follow on devices
                    let (found, count) = (corners.len(), of_faces.clone().count());
                    let has_ghosts = method == Method::EdgeFriend && found > count;
                    assert!(found == count || has_ghosts, "{name}, {options:?}: {found} {count}");
                    let tolerance = tolerance * largest(&mesh.points);
                    for (corner, (&v, &w)) in corners.iter().zip(of_faces).enumerate() {
                        close(points[v as usize], expected.points[w], tolerance, || {
                            format!("{name}, {options:?}, {crease_rule:?}, corner {corner}")
                        });
                    }
                }
            }
        }
    }
}

/// Points of a level straight from the control points, by both kinds of storage, against
/// half-edges.
pub fn stencils(backend: &impl Backend, tolerance: f64) {
    let levels =
        [("dodecahedron_poly", 3), ("edgecorner", 2), ("pole64", 2), ("cubes_semisharp", 5)];
    for (name, levels) in levels {
        let mesh = model(name);
        let mut expected = reference(&mesh, false);
        (0..levels)
            .for_each(|level| expected = expected.refine(rules(Scheme::CatmullClark, level)));
        for method in [Method::Single, Method::Static] {
            let options = options(Scheme::CatmullClark, levels, method);
            let plan = SurfacePlan::new(&mesh, &options).unwrap();
            let stencils = plan.stencils().unwrap();
            let evaluator = backend.prepare_surface(SurfaceTask::Stencils(stencils)).unwrap();
            let found = points(&evaluated(evaluator, &mesh.points).positions);
            assert_eq!(found.len(), plan.vertex_count());
            let tolerance = tolerance * largest(&mesh.points);
            let corners: Vec<usize> = expected.faces.iter().flatten().copied().collect();
            assert_eq!(plan.corners().len(), corners.len(), "{name}");
            for (&v, w) in plan.corners().iter().zip(corners) {
                close(found[v as usize], expected.points[w], tolerance, || {
                    format!("{name}, {method:?}, vertex {v}")
                });
            }
        }
    }
}

/// A control mesh as the library and as the oracle know it.
struct Subject {
    name: &'static str,
    surface: Surface,
    // for polygons: its faces are their corners
    fine: Surface,
    limit: LimitSurface,
}

impl Subject {
    fn new(name: &'static str, scheme: LimitScheme) -> Self {
        let mut mesh = model(name);
        if scheme == LimitScheme::Loop {
            let fan = |face: &[u32]| -> Vec<u32> {
                (2..face.len()).flat_map(|i| [face[0], face[i - 1], face[i]]).collect()
            };
            mesh.faces = Polygons::uniform(3, mesh.faces.iter().flat_map(fan).collect());
        }
        let faces = mesh.faces.iter().map(|face| face.iter().map(|&v| v as usize).collect());
        let mut surface = Surface::new(mesh.points.clone(), faces.collect());
        let own = reference(&mesh, false);
        (surface.creases, surface.corners, surface.chaikin) =
            (own.creases, own.corners, own.chaikin);
        let limit = LimitSurface::of_mesh(&mesh, scheme).unwrap();
        let is_loop = scheme == LimitScheme::Loop;
        let fine = if is_loop { Surface::default() } else { surface.refine() };
        Self { name, surface, fine, limit }
    }

    /// Catmull-Clark on the models, Loop on their triangles.
    fn all() -> impl Iterator<Item = Self> {
        let quads = MODELS.map(|name| (name, LimitScheme::CatmullClark));
        let triangles = ["cubes_semisharp", "dodecahedron_poly", "moebius", "pole64"];
        let triangles = triangles.map(|name| (name, LimitScheme::Loop));
        quads.into_iter().chain(triangles).map(|(name, scheme)| Self::new(name, scheme))
    }

    fn is_loop(&self) -> bool {
        self.limit.scheme() == LimitScheme::Loop
    }

    /// The limit by local refinement.
    fn expected(&self, element: usize, parameters: [f64; 2]) -> Point {
        if self.is_loop() {
            return loop_surface::evaluate(&self.surface, element, parameters)[0];
        }
        let element = self.limit.elements()[element];
        let face = element.face as usize;
        match element.corner {
            None => surface_limit::evaluate(&self.surface, face, parameters).position,
            Some(corner) => {
                let before: usize = self.surface.faces[..face].iter().map(Vec::len).sum();
                let child = before + corner as usize;
                surface_limit::evaluate(&self.fine, child, parameters).position
            }
        }
    }

    #[track_caller]
    fn check(&self, found: Point, element: usize, parameters: [f64; 2], tolerance: f64) {
        let tolerance = tolerance * largest(&self.surface.points);
        close(found, self.expected(element, parameters), tolerance, || {
            format!("{}, element {element} at {parameters:?}", self.name)
        });
    }
}

/// Grids of samples, on elements spread over the model.
pub fn grids(backend: &impl Backend, tolerance: f64) {
    for subject in Subject::all() {
        for n in [1, 3, 8] {
            let grid = subject.limit.grid(n, false).unwrap();
            let samples = grid.parameters();
            let evaluator = backend.prepare_surface(SurfaceTask::Grid(&grid)).unwrap();
            let found = points(&evaluated(evaluator, &subject.surface.points).positions);
            let count = subject.limit.elements().len();
            assert_eq!(found.len(), count * samples.len());
            for element in (0..count).step_by(count / 12 + 1) {
                for (sample, &parameters) in samples.iter().enumerate().step_by(1 + n / 4) {
                    let point = found[element * samples.len() + sample];
                    subject.check(point, element, parameters, tolerance);
                }
            }
        }
    }
}

/// Places anywhere, some close to corners and sides.
pub fn scattered(backend: &impl Backend, tolerance: f64) {
    for (seed, subject) in Subject::all().enumerate() {
        let mut random = Random::new(seed as u64);
        let near = [0.5, 0.0, 1e-3, 1e-6, 0.3, 0.25, 1.0 / 3.0];
        let count = subject.limit.elements().len();
        let places: Vec<SurfaceLocation> = (0..98)
            .map(|i| {
                let [u, v] = [near[i % 7], near[i / 7 % 7]];
                // the triangle, or the same seen from the opposite corner too
                let parameters =
                    if subject.is_loop() || i % 2 == 0 { [u, v] } else { [1.0 - u, v] };
                SurfaceLocation { element: random.below(count) as u32, parameters }
            })
            .collect();
        let evaluator = backend
            .prepare_surface(SurfaceTask::Places(&subject.limit, &places, Want::POSITION))
            .unwrap();
        let found = points(&evaluated(evaluator, &subject.surface.points).positions);
        assert_eq!(found.len(), places.len());
        for (place, &point) in places.iter().zip(&found) {
            subject.check(point, place.element as usize, place.parameters, tolerance);
        }
    }
}

/// Limits of the control mesh's vertices.
pub fn vertices(backend: &impl Backend, tolerance: f64) {
    for subject in Subject::all() {
        let masks = subject.limit.vertex_masks();
        let results = evaluated(
            backend.prepare_surface(SurfaceTask::Vertices(&masks)).unwrap(),
            &subject.surface.points,
        );
        let found = points(&results.positions);
        assert_eq!(found.len(), subject.surface.points.len());
        let count = subject.limit.elements().len();
        for element in (0..count).step_by(count / 60 + 1) {
            // the vertex at the first corner, which the corners of polygons have too
            let of = subject.limit.elements()[element];
            let corner = of.corner.map_or(0, |corner| corner as usize);
            let vertex = subject.surface.faces[of.face as usize][corner];
            subject.check(found[vertex], element, [0.0, 0.0], tolerance);
        }
    }
}

/// Derivatives and normals: of a grid, of places and of vertices against differences of limit
/// points and one another.
pub fn derivatives(backend: &impl Backend, tolerance: f64) {
    for subject in Subject::all() {
        let controls = &subject.surface.points;
        let scale = largest(controls);
        let count = subject.limit.elements().len();
        let grid = subject.limit.grid(4, true).unwrap();
        let on_grid =
            evaluated(backend.prepare_surface(SurfaceTask::Grid(&grid)).unwrap(), controls);
        let samples = grid.parameters().len();
        let inner = grid.parameters().iter().position(|&[u, v]| u > 0.0 && v > 0.0 && u + v < 0.9);
        let inner = inner.expect("a sample inside");
        let parameters = grid.parameters()[inner];
        let places: Vec<SurfaceLocation> =
            (0..count).map(|e| SurfaceLocation { element: e as u32, parameters }).collect();
        let want = Want::FIRST | Want::SECOND;
        let at =
            backend.prepare_surface(SurfaceTask::Places(&subject.limit, &places, want)).unwrap();
        let at = evaluated(at, controls);
        assert_eq!((on_grid.derivatives.len(), at.derivatives.len()), (2, 5));
        for element in (0..count).step_by(count / 12 + 1) {
            let sample = element * samples + inner;
            let what = |k: usize| format!("{}, element {element}, derivative {k}", subject.name);
            let mut tangents = [[0.0; 3]; 2];
            for (k, tangent) in tangents.iter_mut().enumerate() {
                const STEP: f64 = 1e-4;
                let side = |sign: f64| {
                    let mut p = parameters;
                    p[k] += sign * STEP;
                    subject.expected(element, p)
                };
                let (after, before) = (side(1.0), side(-1.0));
                *tangent = std::array::from_fn(|d| (after[d] - before[d]) / (2.0 * STEP));
                let (on_grid, at) = (&on_grid.derivatives[k], &at.derivatives[k]);
                // what differences of doubles tell, and the precision of the backend
                let near = scale * (1e-6 + 20.0 * tolerance);
                close(on_grid.triple(sample), *tangent, near, || what(k));
                let near = scale * 20.0 * tolerance;
                close(at.triple(element), on_grid.triple(sample), near, || what(k));
            }
            let [a, b] = tangents;
            let cross: Point = std::array::from_fn(|d| {
                a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3]
            });
            let length = cross.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 1e-2 * scale {
                close(on_grid.normals.triple(sample), cross.map(|x| x / length), 1e-3, || what(2));
            }
        }
    }
}

/// A module of the named tests of one backend, at a tolerance relative to the largest coordinate
/// of the mesh; an attribute before the name, such as `#[ignore = "…"]`, stands at every test.
#[macro_export]
macro_rules! surface_conformance {
    ($(#[$attribute:meta])* $name:ident, $backend:expr, $tolerance:expr, $tests:tt) => {
        mod $name {
            use super::*;

            $crate::surface_conformance!(
                @tests [$(#[$attribute])*] [$backend] [$tolerance] $tests
            );
        }
    };
    (@tests $attributes:tt $backend:tt $tolerance:tt [$($test:ident)*]) => {
        $($crate::surface_conformance!(@test $attributes $backend $tolerance $test);)*
    };
    (@test [$($attribute:tt)*] [$backend:expr] [$tolerance:expr] $test:ident) => {
        #[test]
        $($attribute)*
        fn $test() {
            $crate::conformance::surface::$test(&$backend, $tolerance);
        }
    };
}

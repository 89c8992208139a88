//! Tables of refined points and limits that OpenSubdiv computed; `tables.cpp` wrote them.
#![allow(dead_code)] // each test program uses a part of it

use subsolid::backend::{Backend, SurfaceEvaluator, SurfaceResults, SurfaceTask, Values};
use subsolid::mesh::{
    BoundaryRule, CreaseRule, FaceVarying, LinearInterpolation, Polygons, SurfaceMesh, TriangleRule,
};
use subsolid::surface::limit::LimitSurface;
use subsolid::surface::{Method, Scheme, SurfaceOptions, SurfacePlan};

/// A creased surface, refined by OpenSubdiv.
pub struct Case {
    /// Number and name.
    pub name: String,
    pub scheme: Scheme,
    pub mesh: SurfaceMesh,
    /// Of levels 1, 2, …
    pub levels: Vec<Level>,
    /// Limits of the first control vertices.
    pub limits: Vec<[f64; 3]>,
}

/// Refined points of a level.
pub struct Level {
    pub vertices: usize,
    /// Without holes.
    pub faces: usize,
    /// Of the first control vertices.
    pub points: Vec<[f64; 3]>,
    /// Sums of x, y, z, xx, yy, zz, xy, yz, zx over all points.
    pub sums: [f64; 9],
}

/// The sums of [`Level::sums`].
pub fn sums(points: impl Iterator<Item = [f64; 3]>) -> [f64; 9] {
    points.fold([0.0; 9], |sums, [x, y, z]| {
        let terms = [x, y, z, x * x, y * y, z * z, x * y, y * z, z * x];
        std::array::from_fn(|i| sums[i] + terms[i])
    })
}

/// Compares refined points by stencils, and limits of control vertices, that a backend computes in
/// single precision; within 4 units in the last place of the largest coordinate. Returns the number
/// of points.
pub fn expect_single_precision(backend: &impl Backend) -> usize {
    let mut compared = 0;
    for case in cases() {
        let mesh = &case.mesh;
        let largest = mesh.points.as_flattened().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let tolerance = 4.0 * f64::from(f32::EPSILON) * largest;
        let mut expect = |mut evaluator: Box<dyn SurfaceEvaluator + '_>, expected: &[[f64; 3]]| {
            evaluator.set_controls(&mesh.points).unwrap();
            evaluator.evaluate().unwrap();
            let mut results = SurfaceResults::default();
            evaluator.read(&mut results).unwrap();
            let Values::F32(found) = &results.positions else { panic!("not in single precision") };
            for (v, (p, q)) in found.as_chunks::<3>().0.iter().zip(expected).enumerate() {
                let near = |d: usize| (f64::from(p[d]) - q[d]).abs() <= tolerance;
                let close = (0..3).all(|d| near(d) || q[d].is_nan());
                assert!(close, "{}, point {v}: {p:?}, expected {q:?}", case.name);
                compared += 1;
            }
        };
        for (level, expected) in (1..).zip(&case.levels) {
            let options = SurfaceOptions {
                scheme: case.scheme,
                levels: level,
                method: Method::Single,
                crease_rule: None,
            };
            let plan = SurfacePlan::new(mesh, &options).unwrap();
            let stencils =
                backend.prepare_surface(SurfaceTask::Stencils(plan.stencils().unwrap())).unwrap();
            expect(stencils, &expected.points);
        }
        let masks = LimitSurface::of_mesh(mesh, case.scheme).unwrap().vertex_masks();
        expect(backend.prepare_surface(SurfaceTask::Vertices(&masks)).unwrap(), &case.limits);
    }
    compared
}

/// All cases of the three tables.
pub fn cases() -> Vec<Case> {
    let mut cases = read(include_str!("uniform.txt"), CreaseRule::Uniform);
    cases.extend(read(include_str!("chaikin.txt"), CreaseRule::Chaikin));
    let mut smooth = read(include_str!("triangles.txt"), CreaseRule::Uniform);
    for case in &mut smooth {
        case.mesh.triangle_rule = TriangleRule::Smooth;
        case.name = format!("smooth triangles {}", case.name);
    }
    cases.extend(smooth);
    cases
}

/// Texture coordinates of a case, refined twice.
pub struct FaceVaryingCase {
    /// Place among all cases.
    pub case: usize,
    pub uv: FaceVarying,
    /// By each rule of linear interpolation: see `face_varying.cpp`.
    pub sums: Vec<(LinearInterpolation, [f64; 11])>,
}

/// The cases of the table of texture coordinates.
pub fn face_varying_cases() -> Vec<FaceVaryingCase> {
    use LinearInterpolation::{All, Boundaries, CornersOnly, CornersPlus1, CornersPlus2, None};
    const RULES: [LinearInterpolation; 6] =
        [None, CornersOnly, CornersPlus1, CornersPlus2, Boundaries, All];
    let mut cases: Vec<FaceVaryingCase> = Vec::new();
    for line in include_str!("face_varying.txt").lines().filter(|line| !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').unwrap();
        let numbers: Vec<f64> = rest.split(' ').map(|word| word.parse().unwrap()).collect();
        let uv = cases.last_mut().map(|case| &mut case.uv);
        match word {
            "case" => cases.push(FaceVaryingCase {
                case: numbers[0] as usize,
                uv: FaceVarying::default(),
                sums: Vec::new(),
            }),
            "t" => uv.unwrap().corners = numbers.iter().map(|&x| x as u32).collect(),
            "u" => uv.unwrap().values = numbers.as_chunks().0.to_vec(),
            rule => {
                let rule = RULES[rule.parse::<usize>().unwrap()];
                cases.last_mut().unwrap().sums.push((rule, numbers.try_into().unwrap()));
            }
        }
    }
    cases
}

fn read(text: &str, rule: CreaseRule) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let word = words.next().unwrap();
        if word == "case" {
            let words: Vec<&str> = words.collect();
            let mut mesh = SurfaceMesh::new(Vec::new(), Polygons::default());
            mesh.crease_rule = rule;
            mesh.boundary = match words[2] {
                "0" => BoundaryRule::Holes,
                "1" => BoundaryRule::EdgesAndCorners,
                _ => BoundaryRule::Edges,
            };
            cases.push(Case {
                name: format!("{rule:?} {} {}", cases.len(), words[0]),
                scheme: if words[1] == "loop" { Scheme::Loop } else { Scheme::CatmullClark },
                mesh,
                levels: Vec::new(),
                limits: Vec::new(),
            });
            continue;
        }
        let case = cases.last_mut().unwrap();
        let numbers: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
        let ids: Vec<u32> = numbers.iter().map(|&x| x as u32).collect();
        let point = || [numbers[0], numbers[1], numbers[2]];
        match word {
            "v" => case.mesh.points.push(point()),
            "f" => case.mesh.faces.push(&ids),
            "e" => case.mesh.creases.push_edge(ids[0], ids[1], numbers[2]),
            "c" => case.mesh.creases.push_corner(ids[0], numbers[1]),
            "h" => case.mesh.holes.push(ids[0]),
            "level" => case.levels.push(Level {
                vertices: numbers[1] as usize,
                faces: numbers[2] as usize,
                points: Vec::new(),
                sums: [0.0; 9],
            }),
            "p" if case.limits.capacity() > 0 => case.limits.push(point()),
            "p" => case.levels.last_mut().unwrap().points.push(point()),
            "m" => case.levels.last_mut().unwrap().sums.copy_from_slice(&numbers),
            "limit" => case.limits.reserve(1),
            other => panic!("{other}"),
        }
    }
    cases
}

//! Surfaces of the oracle handed to the library.

use subsolid::mesh::{CreaseRule, Polygons, SurfaceMesh};
use subsolid::surface::limit::{LimitSurface, Scheme};

use crate::oracle::obj;
use crate::oracle::random::Random;
use crate::oracle::surface::{Stars, Surface};
use crate::surfaces::SURFACES;

/// A surface of the oracle as a mesh of the library.
pub fn mesh(surface: &Surface) -> SurfaceMesh {
    let mut faces = Polygons::default();
    for face in &surface.faces {
        faces.push(&face.iter().map(|&v| v as u32).collect::<Vec<_>>());
    }
    let mut mesh = SurfaceMesh::new(surface.points.clone(), faces);
    for (&(a, b), &s) in &surface.creases {
        mesh.creases.push_edge(a as u32, b as u32, s);
    }
    for (&v, &s) in &surface.corners {
        mesh.creases.push_corner(v as u32, s);
    }
    mesh.crease_rule = if surface.chaikin { CreaseRule::Chaikin } else { CreaseRule::Uniform };
    mesh
}

pub fn limit(surface: &Surface, scheme: Scheme) -> LimitSurface {
    LimitSurface::of_mesh(&mesh(surface), scheme).expect("a valid mesh")
}

/// All models that Catmull-Clark takes, but for two large ones.
pub fn models() -> Vec<(&'static str, Surface)> {
    let others = ["nonman_verts", "spot_quadrangulated", "wrench_boundary"];
    let names = SURFACES.into_iter().filter(|name| !others.contains(name));
    names.map(|name| (name, obj::model(name))).collect()
}

/// Gives some edges and vertices a sharpness among `values`.
pub fn crease_at_random(surface: &mut Surface, values: &[f64], one_in: usize, seed: u64) {
    let mut random = Random::new(seed);
    let edges = Stars::of(surface).edges;
    for e in edges {
        if random.below(one_in) == 0 {
            surface.creases.insert(e, values[random.below(values.len())]);
        }
    }
    for v in 0..surface.points.len() {
        if random.below(3 * one_in) == 0 {
            surface.corners.insert(v, values[random.below(values.len())]);
        }
    }
}

/// Models cut into triangles.
pub fn triangles() -> Vec<(&'static str, Surface)> {
    let names = [
        "cubes_semisharp",
        "dart_edgecorner",
        "dodecahedron_poly",
        "helmet",
        "moebius",
        "nonquads",
        "pole64",
        "spot_control_mesh",
    ];
    names.map(|name| (name, triangulated(&obj::model(name)))).into()
}

fn triangulated(surface: &Surface) -> Surface {
    let fan = |face: &Vec<usize>| -> Vec<Vec<usize>> {
        (2..face.len()).map(|i| vec![face[0], face[i - 1], face[i]]).collect()
    };
    let faces = surface.faces.iter().flat_map(fan).collect();
    let mut cut = Surface::new(surface.points.clone(), faces);
    cut.creases = surface.creases.clone();
    cut.corners = surface.corners.clone();
    cut
}

/// A torus of `m` × `n` quads, u the long way round: vertex i + m·j.
pub fn torus(m: usize, n: usize) -> Surface {
    let angle = |i: usize, n: usize| i as f64 / n as f64 * std::f64::consts::TAU;
    let point = |k: usize| {
        let (a, b) = (angle(k % m, m), angle(k / m, n));
        let r = 3.0 + b.cos();
        [r * a.cos(), r * a.sin(), b.sin()]
    };
    let at = |i: usize, j: usize| i % m + m * (j % n);
    let quad = |k: usize| {
        let (i, j) = (k % m, k / m);
        vec![at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
    };
    Surface::new((0..m * n).map(point).collect(), (0..m * n).map(quad).collect())
}

/// The cube [−1, 1]³.
pub fn cube() -> Surface {
    let point = |k: usize| [0, 1, 2].map(|d| if k >> d & 1 == 1 { 1.0 } else { -1.0 });
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    Surface::new((0..8).map(point).collect(), faces.map(Vec::from).into())
}

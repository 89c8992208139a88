//! Surfaces that several tests go through.
#![allow(dead_code)] // each test program uses a part of it

use std::path::{Path, PathBuf};

use crate::oracle::half_edge::{Mesh, Scheme as Rules};
use crate::oracle::surface::edge;
use subsolid::mesh::{CreaseRule, SurfaceMesh};
use subsolid::surface::{Method, Scheme, SurfaceOptions};

/// All kinds of surfaces: closed, with boundaries, creases and corners of all kinds, polygons,
/// one-sided, with edges of many faces and vertices at which sheets touch.
pub const SURFACES: [&str; 19] = [
    "bishop",
    "car",
    "cow_boundary",
    "cubes_semisharp",
    "dart_edgecorner",
    "dodecahedron_poly",
    "edgecorner",
    "helmet",
    "hole_test2",
    "moebius",
    "nonman_verts",
    "nonquads",
    "pole64",
    "rook",
    "spot_control_mesh",
    "spot_quadrangulated",
    "torus_creases0",
    "val2_interior",
    "wrench_boundary",
];

/// The file of a surface.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/surfaces/{name}.obj"))
}

/// A surface by its name.
pub fn model(name: &str) -> SurfaceMesh {
    subsolid::read_surface(path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Options without a crease rule of their own.
pub fn options(scheme: Scheme, levels: usize, method: Method) -> SurfaceOptions {
    SurfaceOptions { scheme, levels, method, crease_rule: None }
}

/// Largest side of the box around the points.
pub fn size(mesh: &SurfaceMesh) -> f64 {
    let extent = |d: usize| {
        let along = || mesh.points.iter().map(|p| p[d]);
        along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
    };
    (0..3).map(extent).fold(0.0, f64::max)
}

/// Oriented manifolds, with and without boundary, creases and n-gons.
pub fn manifolds() -> Vec<&'static str> {
    SURFACES.into_iter().filter(|name| !["moebius", "nonman_verts"].contains(name)).collect()
}

/// The same mesh for the reference; cut into triangles if it needs these.
pub fn reference(mesh: &SurfaceMesh, triangles: bool) -> Mesh {
    let faces: Vec<Vec<usize>> = if triangles {
        let triangles = mesh.triangles().corners.into_iter();
        triangles.map(|corners| corners.map(|v| v as usize).to_vec()).collect()
    } else {
        let faces = mesh.faces.iter();
        faces.map(|face| face.iter().map(|&v| v as usize).collect()).collect()
    };
    let creases = mesh.creases.edges.iter();
    let creases =
        creases.map(|c| (edge(c.edge()[0].index(), c.edge()[1].index()), c.sharpness)).collect();
    let corners = mesh.creases.corners.iter();
    let mut corners: std::collections::HashMap<usize, f64> =
        corners.map(|c| (c.vertex.index(), c.sharpness)).collect();
    if mesh.boundary == subsolid::mesh::BoundaryRule::EdgesAndCorners {
        // boundary vertices of one face
        let mut degree = vec![0; mesh.points.len()];
        faces.iter().flatten().for_each(|&v| degree[v] += 1);
        let mut directed = std::collections::HashSet::new();
        for face in &faces {
            (0..face.len()).for_each(|i| {
                directed.insert((face[i], face[(i + 1) % face.len()]));
            });
        }
        for face in &faces {
            for i in 0..face.len() {
                let [a, v, b] = [0, 1, 2].map(|k| face[(i + k) % face.len()]);
                let ends = !directed.contains(&(v, a)) && !directed.contains(&(b, v));
                if degree[v] == 1 && ends {
                    corners.insert(v, f64::INFINITY);
                }
            }
        }
    }
    let chaikin = mesh.crease_rule == CreaseRule::Chaikin;
    Mesh { points: mesh.points.clone(), faces, creases, corners, chaikin }
}

/// Rules of the reference at a level.
pub fn rules(scheme: Scheme, level: usize) -> Rules {
    match scheme {
        Scheme::CatmullClark => Rules::CatmullClark,
        Scheme::Loop => Rules::Loop,
        Scheme::Sqrt3 => Rules::Sqrt3 { second: level % 2 == 1 },
        Scheme::Bilinear => panic!("tested against exact interpolation"),
    }
}

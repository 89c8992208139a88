//! Surfaces: every scheme and method against independent references, on all models of
//! `models/surfaces`; limits; bad meshes; files.

#[path = "../common/oracle/mod.rs"]
mod oracle;
#[path = "../common/support/mod.rs"]
mod support;
#[path = "../common/surfaces.rs"]
mod surfaces;

mod files;
mod holes;
mod limit;
mod methods;
mod reference;
mod rules;
mod static_refinement;
mod unusual;
mod vertex_limits;

use oracle::half_edge::{Mesh, Scheme as Rules};
use oracle::surface::edge;
use subsolid::mesh::{CreaseRule, SurfaceMesh};
use subsolid::surface::{Scheme, SurfacePlan};
use surfaces::{model, options, path, size};

/// Oriented manifolds, with and without boundary, creases and n-gons.
pub fn manifolds() -> Vec<&'static str> {
    surfaces::SURFACES
        .into_iter()
        .filter(|name| !["moebius", "nonman_verts"].contains(name))
        .collect()
}

/// The same mesh for the reference; polygons cut into fans if it needs triangles, each from
/// the first corner whose diagonals join vertices that no edge joins.
fn reference(mesh: &SurfaceMesh, triangles: bool) -> Mesh {
    let mut faces = Vec::new();
    let mut joined = std::collections::HashSet::new();
    for face in mesh.faces.iter() {
        let n = face.len();
        joined.extend((0..n).map(|i| edge(face[i] as usize, face[(i + 1) % n] as usize)));
    }
    for face in mesh.faces.iter() {
        let mut face: Vec<usize> = face.iter().map(|&v| v as usize).collect();
        if triangles {
            let free = |face: &[usize]| {
                face[2..face.len() - 1].iter().all(|&v| !joined.contains(&edge(face[0], v)))
            };
            let turns = (0..face.len()).find(|&turns| {
                let mut turned = face.clone();
                turned.rotate_left(turns);
                free(&turned)
            });
            face.rotate_left(turns.unwrap_or(0));
            joined.extend(face[2..face.len() - 1].iter().map(|&v| edge(face[0], v)));
            faces.extend((1..face.len() - 1).map(|i| vec![face[0], face[i], face[i + 1]]));
        } else {
            faces.push(face);
        }
    }
    let creases = mesh.creases.edges.iter();
    let creases =
        creases.map(|c| (edge(c.edge[0].index(), c.edge[1].index()), c.sharpness)).collect();
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

/// Compares the corners of all faces, in order.
#[track_caller]
fn expect_equal(plan: &SurfacePlan, mesh: &SurfaceMesh, expected: &Mesh, what: &str) {
    let points = plan.evaluate(&mesh.points).expect("points of the mesh");
    assert_eq!(points.len(), plan.vertex_count());
    let corners: Vec<usize> = expected.faces.iter().flatten().copied().collect();
    assert_eq!(plan.corners().len(), corners.len(), "{what}: corners");
    let tolerance = 1e-12 * size(mesh);
    for (c, (&v, &w)) in plan.corners().iter().zip(&corners).enumerate() {
        let (p, q) = (points[v as usize], expected.points[w]);
        let far = (0..3).any(|d| (p[d] - q[d]).abs() > tolerance || p[d].is_nan());
        assert!(!far, "{what}, corner {c}: {p:?}, expected {q:?}");
    }
}

/// Rules of the reference at a level.
fn rules(scheme: Scheme, level: usize) -> Rules {
    match scheme {
        Scheme::CatmullClark => Rules::CatmullClark,
        Scheme::Loop => Rules::Loop,
        Scheme::Sqrt3 => Rules::Sqrt3 { second: level % 2 == 1 },
    }
}

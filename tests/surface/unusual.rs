//! Meshes that are not oriented manifolds: handled as documented, or refused in words.

use std::collections::HashMap;

use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::surface::limit::LimitSurface;
use subsolid::surface::{Method, Scheme, SurfacePlan, refine_surface};

use super::{model, options, path, size};
use crate::oracle::surface::{Surface, edge};

/// The reference by edges, which need no direction.
fn by_edges(mesh: &SurfaceMesh) -> Surface {
    let faces = mesh.faces.iter().map(|f| f.iter().map(|&v| v as usize).collect()).collect();
    let mut surface = Surface::new(mesh.points.clone(), faces);
    for crease in &mesh.creases.edges {
        let [a, b] = crease.edge().map(|v| v.index());
        surface.creases.insert(edge(a, b), crease.sharpness);
    }
    for corner in &mesh.creases.corners {
        surface.corners.insert(corner.vertex.index(), corner.sharpness);
    }
    surface
}

/// Compares face by face; children of quads are permuted in the reference.
fn compare(mesh: &SurfaceMesh, mut expected: Surface, levels: usize, what: &str) {
    for level in 1..=levels {
        let parents: Vec<usize> = expected.faces.iter().map(Vec::len).collect();
        expected = expected.refine();
        let mut child = expected.faces.iter_mut();
        for n in parents {
            (0..n).for_each(|i| {
                if let Some(face) = child.next().filter(|_| n == 4) {
                    face.rotate_left(i);
                }
            });
        }
        let plan =
            SurfacePlan::new(mesh, &options(Scheme::CatmullClark, level, Method::Matrix)).unwrap();
        let points = plan.evaluate(&mesh.points).unwrap();
        let corners: Vec<usize> = expected.faces.iter().flatten().copied().collect();
        assert_eq!(corners.len(), plan.corners().len());
        let tolerance = 1e-12 * size(mesh);
        for (&v, &w) in plan.corners().iter().zip(&corners) {
            let (p, q) = (points[v as usize], expected.points[w]);
            let close = (0..3).all(|d| (p[d] - q[d]).abs() <= tolerance);
            assert!(close, "{what} {level}: {p:?} {q:?}");
        }
    }
}

#[test]
fn a_one_sided_surface_refines_without_a_direction() {
    let mesh = model("moebius");
    compare(&mesh, by_edges(&mesh), 4, "moebius");
    for scheme in [Scheme::Loop, Scheme::Sqrt3] {
        let refined = refine_surface(&mesh, &options(scheme, 2, Method::Matrix)).unwrap();
        let factor = if scheme == Scheme::Loop { 16 } else { 9 };
        assert_eq!(refined.faces.len(), 2 * mesh.faces.len() * factor);
        refined.check().unwrap();
        // √3 knows no creases
        let plan = SurfacePlan::new(&mesh, &options(scheme, 2, Method::Matrix)).unwrap();
        let is_sharp = plan.notices().iter().any(|notice| notice.contains("infinitely sharp"));
        assert_eq!(is_sharp, scheme == Scheme::Loop);
    }
    let error = SurfacePlan::new(&mesh, &options(Scheme::CatmullClark, 2, Method::EdgeFriend));
    assert!(error.unwrap_err().to_string().contains("are inconsistently oriented"));
}

#[test]
fn vertices_where_sheets_touch_stay() {
    let mesh = model("nonman_verts");
    let mut expected = by_edges(&mesh);
    // found by hand: the vertices whose faces fall apart when it is removed
    let touching = touching(&mesh);
    assert_eq!(touching.len(), 4);
    touching.iter().for_each(|&v| {
        expected.corners.insert(v, f64::INFINITY);
    });
    boundary_corners(&mesh, &mut expected);
    compare(&mesh, expected, 3, "nonman_verts");
    let error = SurfacePlan::new(&mesh, &options(Scheme::CatmullClark, 2, Method::EdgeFriend));
    let error = error.unwrap_err().to_string();
    assert!(touching.iter().any(|v| error.ends_with(&format!("vertex {v}"))), "{error}");
}

fn boundary_corners(mesh: &SurfaceMesh, expected: &mut Surface) {
    let mut faces = HashMap::new();
    mesh.faces.vertices().iter().for_each(|&v| *faces.entry(v as usize).or_insert(0) += 1);
    for (v, _) in faces.into_iter().filter(|&(_, n)| n == 1) {
        if expected.open.iter().filter(|e| e.0 == v || e.1 == v).count() == 2 {
            expected.corners.insert(v, f64::INFINITY);
        }
    }
}

/// By flooding over shared edges, from face to face around each vertex.
fn touching(mesh: &SurfaceMesh) -> Vec<usize> {
    let faces: Vec<Vec<usize>> =
        mesh.faces.iter().map(|f| f.iter().map(|&v| v as usize).collect()).collect();
    let shares = |a: &[usize], b: &[usize], v: usize| {
        a.iter().any(|&w| {
            w != v
                && b.contains(&w)
                && [a, b].iter().all(|f| {
                    let n = f.len();
                    (0..n).any(|i| edge(f[i], f[(i + 1) % n]) == edge(v, w))
                })
        })
    };
    (0..mesh.points.len())
        .filter(|&v| {
            let around: Vec<&Vec<usize>> = faces.iter().filter(|f| f.contains(&v)).collect();
            let mut seen = vec![false; around.len()];
            let mut queue = vec![0];
            while let Some(i) = queue.pop() {
                if around.is_empty() || std::mem::replace(&mut seen[i], true) {
                    continue;
                }
                queue.extend((0..around.len()).filter(|&j| shares(around[i], around[j], v)));
            }
            seen.contains(&false)
        })
        .collect()
}

/// Three pages at a spine, the spine longer than one edge.
fn book() -> SurfaceMesh {
    let mut points: Vec<[f64; 3]> = (0..4).map(|i| [0.0, 0.0, f64::from(i)]).collect();
    let mut faces = Polygons::default();
    for (x, y) in [(1.0, 0.2), (-1.0, 0.5), (0.1, -1.0)] {
        let first = points.len() as u32;
        points.extend((0..4).map(|i| [x, y, f64::from(i)]));
        for i in 0..3 {
            faces.push(&[i, first + i, first + i + 1, i + 1]);
        }
    }
    SurfaceMesh::new(points, faces)
}

#[test]
fn edges_of_three_faces_are_sharp_for_catmull_clark() {
    let mesh = book();
    let mut expected = by_edges(&mesh);
    for i in 0..3 {
        expected.creases.insert((i, i + 1), f64::INFINITY);
    }
    // boundary edges meet the spine at its ends: more than two sharp edges, so they stay
    compare(&mesh, expected, 3, "book");
    let error = SurfacePlan::new(&mesh, &options(Scheme::CatmullClark, 1, Method::EdgeFriend));
    assert!(error.unwrap_err().to_string().contains("more than two faces meet"));
    let error = SurfacePlan::new(&mesh, &options(Scheme::Sqrt3, 1, Method::Matrix));
    assert!(error.unwrap_err().to_string().contains("vertices 0 and 1"));
}

#[test]
fn edges_of_three_triangles_stay_one_sharp_edge_for_loop() {
    let mesh = book();
    let plan = SurfacePlan::new(&mesh, &options(Scheme::Loop, 3, Method::Matrix)).unwrap();
    assert_eq!(plan.notices().len(), 2, "{:?}", plan.notices());
    let refined = plan.refine(&mesh).unwrap();
    assert_eq!(refined.faces.len(), 18 * 64);
    // the spine stays connected: its 24 edges have three triangles each
    let mut faces_at: HashMap<(u32, u32), usize> = HashMap::new();
    for face in refined.faces.iter() {
        for i in 0..3 {
            let (a, b) = (face[i], face[(i + 1) % 3]);
            *faces_at.entry((a.min(b), a.max(b))).or_default() += 1;
        }
    }
    assert_eq!(faces_at.values().filter(|&&n| n == 3).count(), 24);
    assert!(faces_at.values().all(|&n| n <= 3));
    // and straight
    let spine = |p: &&[f64; 3]| p[0] == 0.0 && p[1] == 0.0;
    assert_eq!(refined.points.iter().filter(spine).count(), 25);
}

/// A sheet of triangles that goes round the end of a non-manifold edge, from the edge back to it:
/// its limit at the vertices is that of finer meshes.
#[test]
fn sheets_of_triangles_that_return_to_an_edge_evaluate() {
    let points =
        vec![[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 1.0, 0.3], [-0.9, 0.1, 0.2], [0.5, -0.7, 1.0]];
    // three triangles around vertex 0 between both sides of the edge 0 1, and one more at the edge
    let corners = vec![0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 0, 4];
    let mesh = SurfaceMesh::new(points, Polygons::uniform(3, corners));
    let limit = LimitSurface::of_mesh(&mesh, Scheme::Loop).unwrap();
    let coarse = limit.vertex_masks().limit_positions(&mesh.points).unwrap();
    let fine = refine_surface(&mesh, &options(Scheme::Loop, 7, Method::Matrix)).unwrap();
    let limit = LimitSurface::of_mesh(&fine, Scheme::Loop).unwrap();
    let fine = limit.vertex_masks().limit_positions(&fine.points).unwrap();
    for (v, (p, q)) in coarse.iter().zip(&fine).enumerate() {
        assert!((0..3).all(|d| (p[d] - q[d]).abs() < 1e-13), "vertex {v}: {p:?} {q:?}");
    }
}

/// Two triangles on the same vertices, back to back: refined, they share all new edges.
/// Catmull-Clark makes points inside faces, which keep them apart.
#[test]
fn triangles_of_the_same_vertices_have_no_limit() {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let strip = vec![0, 2, 3, 3, 1, 2, 0, 3, 1, 1, 3, 2];
    for (corners, duplicates) in [(vec![0, 1, 2, 2, 1, 0], "0 and 1"), (strip, "1 and 3")] {
        let mesh = SurfaceMesh::new(points.clone(), Polygons::uniform(3, corners));
        let plan = SurfacePlan::new(&mesh, &options(Scheme::Loop, 2, Method::Matrix)).unwrap();
        let refined = plan.refine(&mesh).unwrap();
        assert_eq!(refined.faces.len(), 16 * mesh.faces.len());
        // by their names in the control mesh
        let message = plan.vertex_limits(&mesh, &refined).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("faces {duplicates} have the same vertices")),
            "{message}"
        );
        let limit = |scheme| LimitSurface::of_mesh(&mesh, scheme);
        let message = limit(Scheme::Loop).unwrap_err().to_string();
        assert!(message.contains("have the same vertices"), "{message}");
        limit(Scheme::CatmullClark).unwrap();
    }
}

#[test]
fn collapsed_faces_are_refused_by_name() {
    let error = subsolid::read_surface(path("nonman_edges")).unwrap_err().to_string();
    assert!(error.contains("nonman_edges.obj") && error.contains("names vertex"), "{error}");
    assert!(error.ends_with("twice"), "{error}");
}

#[test]
fn creases_that_are_no_edges_are_refused() {
    let mut mesh = model("torus_creases0");
    mesh.creases.push_edge(0, 31, 1.0);
    let error = SurfacePlan::new(&mesh, &options(Scheme::CatmullClark, 1, Method::Matrix));
    assert!(error.unwrap_err().to_string().contains("vertices 0 and 31"));
    let error = SurfacePlan::new(&model("rook"), &options(Scheme::Sqrt3, 1, Method::Matrix));
    assert!(error.unwrap_err().to_string().contains("no rule for creases"));
}

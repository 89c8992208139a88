//! Known values: limits, creases, linear functions.

use subsolid::mesh::{BoundaryRule, CreaseRule, FaceVarying, Polygons, SurfaceMesh};
use subsolid::surface::{Method, Scheme, SurfaceOptions, SurfacePlan, refine_surface};

use super::options;

pub fn cube() -> SurfaceMesh {
    let points = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|b| 2.0 * f64::from(b) - 1.0));
    let quads = [0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5];
    SurfaceMesh::new(points.collect(), Polygons::uniform(4, quads.to_vec()))
}

/// A flat grid of n × n unit squares, each cut into two triangles if asked for.
fn grid(n: u32, triangles: bool) -> SurfaceMesh {
    let points =
        (0..(n + 1) * (n + 1)).map(|i| [f64::from(i % (n + 1)), f64::from(i / (n + 1)), 0.0]);
    let mut faces = Polygons::default();
    for y in 0..n {
        for x in 0..n {
            let a = y * (n + 1) + x;
            let [b, c, d] = [a + 1, a + n + 2, a + n + 1];
            if triangles {
                faces.push(&[a, b, c]);
                faces.push(&[a, c, d]);
            } else {
                faces.push(&[a, b, c, d]);
            }
        }
    }
    SurfaceMesh::new(points.collect(), faces)
}

/// The limit of a corner of the cube [-1, 1]³ is 1/2 in each coordinate: (9P + 4 ΣE + ΣF)/24
/// (Halstead, Kass and DeRose 1993) over its edges' other ends and its faces' far corners.
#[test]
fn corner_of_the_cube() {
    for method in [Method::Matrix, Method::EdgeFriend, Method::Single] {
        let levels = if method == Method::Single { 5 } else { 8 };
        let plan =
            SurfacePlan::new(&cube(), &options(Scheme::CatmullClark, levels, method)).unwrap();
        let points = plan.evaluate(&cube().points).unwrap();
        let corner = points.iter().fold([0.0; 3], |best: [f64; 3], p| {
            if p.iter().sum::<f64>() > best.iter().sum() { *p } else { best }
        });
        // the second eigenvalue has no share here, by symmetry: 4 or 16 times closer a level
        let tolerance = 4.0 * 0.25f64.powi(levels as i32);
        assert!(corner.iter().all(|x| (x - 0.5).abs() < tolerance), "{method:?} {corner:?}");
        // where it should be seen
        let first = points[0].map(f64::abs);
        assert!(first.iter().all(|x| (x - 0.5).abs() < tolerance), "{method:?} {first:?}");
    }
}

/// A crease line is a uniform cubic spline of its own points.
#[test]
fn an_infinite_crease_is_a_cubic_spline() {
    let mut mesh = cube();
    for [a, b] in [[4, 5], [5, 7], [7, 6], [6, 4]] {
        mesh.creases.push_edge(a, b, f64::INFINITY);
    }
    let levels = 6;
    let refined = refine_surface(&mesh, &options(Scheme::CatmullClark, levels, Method::Matrix));
    let refined = refined.unwrap();
    // the limit of the vertex (1, 1, 1) on the square's spline: (1 + 4 + 1)/6 of its points
    let limit = [(-1.0 + 4.0 + 1.0) / 6.0, (1.0 + 4.0 - 1.0) / 6.0, 1.0];
    let p = refined.points[7];
    assert!((0..3).all(|d| (p[d] - limit[d]).abs() < 0.25f64.powi(levels as i32) * 2.0), "{p:?}");
    assert_eq!(p[2], 1.0, "the crease stays in its plane");
    assert_eq!(refined.creases.edges.len(), 4 << levels);
}

/// A sharpness of k is infinite for k levels, then smooth; fractions blend.
#[test]
fn sharpness_fades_level_by_level() {
    let sharp = |s: f64, levels| {
        let mut mesh = cube();
        for [a, b] in [[4, 5], [5, 7], [7, 6], [6, 4]] {
            mesh.creases.push_edge(a, b, s);
        }
        refine_surface(&mesh, &options(Scheme::CatmullClark, levels, Method::Matrix)).unwrap()
    };
    assert_eq!(sharp(2.0, 2).points, sharp(f64::INFINITY, 2).points);
    assert!(sharp(2.0, 3).points != sharp(f64::INFINITY, 3).points);
    assert!(sharp(2.0, 2).creases.is_empty());
    let (none, all, half) = (sharp(0.0, 1), sharp(1.0, 1), sharp(0.25, 1));
    for v in 0..none.points.len() {
        for d in 0..3 {
            let blend = 0.75 * none.points[v][d] + 0.25 * all.points[v][d];
            assert!((half.points[v][d] - blend).abs() < 1e-15);
        }
    }
}

/// 3/4 of the own sharpness, 1/4 of the mean of the others at the vertex, less 1.
#[test]
fn chaikin_averages_sharpness_along_a_crease() {
    let mut mesh = cube();
    for ([a, b], s) in [([4, 5], 2.0), ([5, 7], 3.0), ([7, 6], 4.0), ([6, 4], 8.0)] {
        mesh.creases.push_edge(a, b, s);
    }
    for method in [Method::Matrix, Method::EdgeFriend] {
        let options = SurfaceOptions {
            crease_rule: Some(CreaseRule::Chaikin),
            ..options(Scheme::CatmullClark, 1, method)
        };
        let refined = refine_surface(&mesh, &options).unwrap();
        let mut passed: Vec<f64> = refined.creases.edges.iter().map(|c| c.sharpness).collect();
        passed.sort_by(f64::total_cmp);
        assert_eq!(passed, [1.25, 1.75, 2.25, 2.5, 2.75, 4.0, 5.5, 6.0]);
        let uniform = SurfaceOptions { crease_rule: None, ..options };
        let refined = refine_surface(&mesh, &uniform).unwrap();
        let mut passed: Vec<f64> = refined.creases.edges.iter().map(|c| c.sharpness).collect();
        passed.sort_by(f64::total_cmp);
        assert_eq!(passed, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 7.0, 7.0]);
    }
}

/// Every scheme keeps a flat grid flat and its straight sides straight; a linear function
/// is reproduced wherever the stars are regular.
#[test]
fn flat_grids_stay_where_they_are() {
    for (scheme, levels, spacing) in
        [(Scheme::CatmullClark, 2, 0.25), (Scheme::Loop, 2, 0.25), (Scheme::Sqrt3, 2, 1.0 / 3.0)]
    {
        let mut mesh = grid(6, scheme != Scheme::CatmullClark);
        mesh.boundary = BoundaryRule::EdgesAndCorners;
        let refined = refine_surface(&mesh, &options(scheme, levels, Method::Matrix)).unwrap();
        let inside = |p: &[f64; 3]| (1.5..4.5).contains(&p[0]) && (1.5..4.5).contains(&p[1]);
        for p in &refined.points {
            assert_eq!(p[2], 0.0);
            assert!(p[..2].iter().all(|x| (-1e-14..=6.0 + 1e-14).contains(x)));
            if inside(p) {
                let off = p.map(|x| (x / spacing - (x / spacing).round()).abs());
                assert!(off.iter().all(|x| *x < 1e-12), "{scheme:?} {p:?}");
            }
        }
        assert!(refined.points.iter().any(inside));
    }
}

#[test]
fn texture_coordinates_are_linear_and_keep_their_seams() {
    for scheme in [Scheme::CatmullClark, Scheme::Loop] {
        let mut mesh = grid(4, scheme == Scheme::Loop);
        // one value per corner: every edge is a seam
        let values: Vec<[f64; 2]> =
            mesh.faces.vertices().iter().map(|&v| [mesh.points[v as usize][0], 7.0]).collect();
        let corners = (0..values.len() as u32).collect();
        mesh.uv = Some(FaceVarying { values, corners, ..FaceVarying::default() });
        let refined = refine_surface(&mesh, &options(scheme, 2, Method::Matrix)).unwrap();
        refined.check().unwrap();
        let uv = refined.uv.unwrap();
        let mut linear = 0;
        for (c, &v) in refined.faces.vertices().iter().enumerate() {
            let value = uv.values[uv.corners[c] as usize];
            assert_eq!(value[1], 7.0);
            let p = refined.points[v as usize];
            // positions are linear where the star is regular
            if (1.0..=3.0).contains(&p[0]) && (1.0..=3.0).contains(&p[1]) {
                assert!((value[0] - p[0]).abs() < 1e-12);
                linear += 1;
            }
        }
        assert!(linear > 100);
    }
}

#[test]
fn holes_and_boundary_faces_are_holes() {
    for (scheme, method, children) in [
        (Scheme::CatmullClark, Method::Matrix, 16),
        (Scheme::CatmullClark, Method::EdgeFriend, 16),
        (Scheme::Loop, Method::Matrix, 32),
    ] {
        let mut mesh = grid(5, false);
        mesh.holes = vec![12];
        let whole = refine_surface(&grid(5, false), &options(scheme, 2, method)).unwrap();
        let holed = refine_surface(&mesh, &options(scheme, 2, method)).unwrap();
        assert_eq!(holed.faces, whole.faces);
        assert_eq!(holed.without_holes().faces.len(), whole.faces.len() - children);
        assert_eq!(holed.points, whole.points, "neighbors refine as if it were there");
        mesh.boundary = BoundaryRule::Holes;
        let inner = refine_surface(&mesh, &options(scheme, 2, method)).unwrap();
        assert_eq!(inner.without_holes().faces.len(), (9 - 1) * children);
        // and are so from then on
        let again = refine_surface(&inner, &options(scheme, 1, method)).unwrap();
        assert_eq!(again.without_holes().faces.len(), (9 - 1) * children * 4);
        // faces at ends that are all infinitely sharp stay
        for v in 0..5 {
            mesh.creases.push_edge(v, v + 1, f64::INFINITY);
        }
        let kept = refine_surface(&mesh, &options(scheme, 2, method)).unwrap();
        assert_eq!(kept.without_holes().faces.len(), (12 - 1) * children);
    }
}

use subsolid::SurfaceMesh;
use subsolid::fit::{
    InsideMotion, PointRole, SkinOptions, SkinSteps, Target, TargetNotes, fit_skin,
};
use subsolid::jobs::fit::{FitRequest, FitTarget};
use subsolid::mesh::Polygons;
use subsolid::mesh::shape::Shape;
use subsolid::refine::crease_by_angle;
use subsolid::scheme::Scheme;
use subsolid::surface::{boundary_surface, vertex_limits};

use crate::shapes::{ball, sphere};

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|d| (a[d] - b[d]).powi(2)).sum::<f64>().sqrt()
}

fn box_skin(cells: [usize; 3]) -> SurfaceMesh {
    let mut mesh = Shape::Box { cells }.build().unwrap();
    crease_by_angle(&mut mesh, 40.0).unwrap();
    boundary_surface(&mesh).unwrap()
}

/// A creased box is its own limit.
#[test]
fn a_box_fits_itself() {
    let mesh = box_skin([2, 3, 4]);
    let (target, notes) = Target::of_facets(&mesh, 40.0).unwrap();
    assert_eq!(notes, TargetNotes::default());
    let fit = fit_skin(&mesh, Scheme::CatmullClark, Some(&target), SkinOptions::default(), &mut ())
        .unwrap();
    for (p, q) in fit.points.as_flattened().iter().zip(mesh.points.as_flattened()) {
        assert!((p - q).abs() < 1e-12);
    }
    assert!((fit.volume[1] - 24.0).abs() < 1e-10, "{:?}", fit.volume);
    assert_eq!(fit.unmatched_length, 0.0);
}

/// A box of another size: corners, creases and faces all move to it.
#[test]
fn a_box_fits_another_box() {
    let mesh = box_skin([3; 3]);
    let mut wide = box_skin([5; 3]);
    for p in &mut wide.points {
        *p = [p[0] * 0.62 - 0.02, p[1] * 0.6, p[2] * 0.61];
    }
    let (target, _) = Target::of_facets(&wide, 40.0).unwrap();
    let fit = fit_skin(&mesh, Scheme::CatmullClark, Some(&target), SkinOptions::default(), &mut ())
        .unwrap();
    let [before, _, after] = fit.target.unwrap();
    assert!(before.max > 0.04 && after.max < 1e-8, "{before:?} {after:?} {:?}", fit.rounds);
    assert!(fit.target_from_limit.unwrap().max < 1e-8);
    assert!((fit.volume[1] - 3.1 * 3.0 * 3.05).abs() < 1e-4, "{:?}", fit.volume);
}

/// A mesh whose vertices are rough: through them the limit is worse than as a control mesh, and the
/// fit begins at the better of both.
#[test]
fn a_fit_is_never_farther_from_the_target_than_the_control_mesh() {
    let mut mesh = Shape::Box { cells: [6, 6, 6] }.build().unwrap();
    for (v, point) in mesh.points.iter_mut().enumerate() {
        *point = std::array::from_fn(|d| point[d] + 0.3 * ((v * 7 + d * 5) as f64).sin());
    }
    let to = FitTarget::Facets;
    let request = FitRequest { to, rounds: 1, no_untangle: true, ..Default::default() };
    let [before, through, after] =
        request.run_solid(&mut mesh, None, &mut ()).unwrap().target.unwrap();
    assert!(through.rms > before.rms, "{through:?} {before:?}");
    assert!(after.rms <= before.rms, "{after:?} {before:?}");
}

/// Vertices slide no farther than a fifth of their edges, and what rounded edges lack in volume is
/// made up for.
#[test]
fn fits_keep_vertices_and_volumes() {
    for name in ["car_box_2x2x6.mesh", "cad9.mesh", "rod_hex.vtk"] {
        let mut mesh = subsolid::read(format!("models/solids/{name}")).unwrap();
        let request = FitRequest { to: FitTarget::Facets, ..Default::default() };
        let report = request.run_solid(&mut mesh, None, &mut ()).unwrap();
        let [before, _, after] = report.target.unwrap();
        assert!(after.rms < 0.5 * before.rms, "{name}: {before:?} {after:?}");
        assert!(report.drift <= 0.2, "{name}: {}", report.drift);
        let volume = report.target_volume.unwrap();
        assert!((report.volume[1] / volume - 1.0).abs() < 1.5e-3, "{name}: {:?}", report.volume);
        let least = report.determinant.unwrap();
        assert_eq!(least.negative, least.at_smooth_edges, "{name}: {least:?}");
    }
}

/// Marks a vertex until it is a given distance from where it was at first.
struct Marking {
    vertex: usize,
    first: Option<[f64; 3]>,
    distance: f64,
    rounds: usize,
}

impl SkinSteps for Marking {
    fn round(&mut self, rounds: usize) -> subsolid::Result<()> {
        assert_eq!(rounds, self.rounds + 1);
        self.rounds = rounds;
        Ok(())
    }

    fn folded(&mut self, points: &[[f64; 3]], _: InsideMotion) -> subsolid::Result<Vec<bool>> {
        let now = points[self.vertex];
        let first = *self.first.get_or_insert(now);
        let mut folded = vec![false; points.len()];
        folded[self.vertex] = distance(first, now) < self.distance;
        Ok(folded)
    }
}

/// A vertex of cells that fold goes back to the control mesh; the others make up for the volume.
#[test]
fn vertices_of_folded_cells_go_back() {
    let mesh = boundary_surface(&ball(4)).unwrap();
    let (target, _) = Target::of_facets(&sphere(40), 40.0).unwrap();
    let fit = |steps: &mut dyn SkinSteps| {
        let options = SkinOptions::default();
        fit_skin(&mesh, Scheme::CatmullClark, Some(&target), options, steps).unwrap()
    };
    let free = fit(&mut ());
    let away = distance(free.points[0], mesh.points[0]);
    let mut steps = Marking { vertex: 0, first: None, distance: 0.5 * away, rounds: 0 };
    let held = fit(&mut steps);
    assert_eq!((steps.rounds, steps.first), (held.rounds.len() - 1, Some(free.points[0])));
    // 0.3 of the way twice
    let left = distance(held.points[0], mesh.points[0]) / away;
    assert!((left - 0.49).abs() < 1e-12, "{left}");
    let volume = target.volume().unwrap();
    assert!((held.volume[1] / volume - 1.0).abs() < 1e-4, "{:?} {volume}", held.volume);
}

/// Distance of a point from a triangle: to its plane above it, else to its sides.
fn to_triangle(x: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> f64 {
    let sub = |p: [f64; 3], q: [f64; 3]| [0, 1, 2].map(|d| p[d] - q[d]);
    let dot = |p: [f64; 3], q: [f64; 3]| (0..3).map(|d| p[d] * q[d]).sum::<f64>();
    let (u, v, w) = (sub(b, a), sub(c, a), sub(x, a));
    // parameters of the foot in the plane
    let (uu, uv, vv, uw, vw) = (dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w));
    let area = uu * vv - uv * uv;
    let (s, t) = ((vv * uw - uv * vw) / area, (uu * vw - uv * uw) / area);
    if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
        return distance(w, [0, 1, 2].map(|d| s * u[d] + t * v[d]));
    }
    let to_side = |p: [f64; 3], q: [f64; 3]| {
        let along = sub(q, p);
        let t = (dot(sub(x, p), along) / dot(along, along)).clamp(0.0, 1.0);
        distance(x, [0, 1, 2].map(|d| p[d] + t * along[d]))
    };
    to_side(a, b).min(to_side(b, c)).min(to_side(c, a))
}

/// Triangles in and around a box: distances of its vertices are to the nearest, which is looked for
/// among all.
#[test]
fn distances_are_to_the_nearest_triangle() {
    let mesh = box_skin([3; 3]);
    for seed in 0..20 {
        let noise = |i: usize| ((i + 977 * seed) as f64 * 12.9898).sin() * 43758.5453;
        let unit = |i: usize| noise(i) - noise(i).floor();
        let center = |t: usize, d: usize| 5.0 * unit(100 * t + d) - 1.0;
        let corner = |t: usize, k: usize| {
            [0, 1, 2].map(|d| center(t, d) + 1.2 * unit(100 * t + 10 + 3 * k + d))
        };
        let triangles: Vec<[[f64; 3]; 3]> =
            (0..40).map(|t| [0, 1, 2].map(|k| corner(t, k))).collect();
        let faces = Polygons::uniform(3, (0..120).collect());
        let soup = SurfaceMesh::new(triangles.as_flattened().to_vec(), faces);
        let (target, _) = Target::of_facets(&soup, 180.0).unwrap();
        let options =
            SkinOptions { rounds: 0, start: PointRole::Controls, ..SkinOptions::default() };
        let fit = fit_skin(&mesh, Scheme::CatmullClark, Some(&target), options, &mut ()).unwrap();
        let fitted = SurfaceMesh { points: fit.points, ..mesh.clone() };
        let at = vertex_limits(&fitted, Scheme::CatmullClark).unwrap().positions;
        for (x, found) in at.into_iter().zip(&fit.distances) {
            let expected =
                triangles.iter().map(|&t| to_triangle(x, t)).fold(f64::INFINITY, f64::min);
            assert!((found.abs() - expected).abs() < 1e-12, "{seed}: {x:?} {found} {expected}");
        }
    }
}

use subsolid::SurfaceMesh;
use subsolid::fit::{SkinOptions, Target, TargetNotes, fit_skin};
use subsolid::jobs::fit::{FitRequest, FitTarget};
use subsolid::mesh::shape::Shape;
use subsolid::refine::crease_by_angle;
use subsolid::scheme::Scheme;
use subsolid::surface::boundary_surface;

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

//! Beams, pipes, walls.

use subsolid::Solid;
use subsolid::assembly::{Operator, surface_load};
use subsolid::jobs::fit::FitRequest;
use subsolid::jobs::solve::SolveRequest;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::quadrature::{Mapping, Quadrature, QuadratureScheme};
use subsolid::refine::crease_by_angle;
use subsolid::solve::Constraints;
use subsolid::{Want, quadrature};

use super::{group, held, run, sharp_box, solved};

#[test]
fn a_bar_under_tension_is_exact() {
    let mesh = sharp_box([2, 3, 4]);
    let (young, poisson, force) = (200.0, 0.3, 12.0);
    // the sides of a box: z, y, x = 0, then x, y, z at the ends
    let solid = Solid::new(&mesh).unwrap();
    let regions = quadrature::Regions::new(&solid, &mesh).unwrap();
    let side = |d: usize, at: f64| {
        let is_there = |side: &usize| {
            let faces = regions.find_side(*side).unwrap();
            let vertices = quadrature::face_vertices(solid.topology(), &faces);
            vertices.iter().all(|&v| mesh.points[v as usize][d] == at)
        };
        (0..6).find(is_there).unwrap()
    };
    let request = SolveRequest {
        elasticity: vec![format!("{young},{poisson}").parse().unwrap()],
        fix: vec![
            format!("side:{}=,,0", side(2, 0.0)).parse().unwrap(),
            format!("{}=0,,", side(0, 0.0)).parse().unwrap(),
            format!("{}=,0,", side(1, 0.0)).parse().unwrap(),
        ],
        total_force: vec![format!("side:{}=0,0,{force}", side(2, 4.0)).parse().unwrap()],
        tolerance: 1e-13,
        ..SolveRequest::default()
    };
    let (found, report) = run(&mesh, &request);
    let stress = force / 6.0;
    for (p, u) in mesh.points.iter().zip(found.attributes[0].values.chunks_exact(3)) {
        let expected = [-poisson * p[0], -poisson * p[1], p[2]].map(|x| x * stress / young);
        assert!((0..3).all(|d| (u[d] - expected[d]).abs() < 1e-11), "{p:?} {u:?} {expected:?}");
    }
    let stresses = &found.attributes[1];
    assert_eq!((stresses.name.as_str(), stresses.width), ("stress", 6));
    for own in stresses.values.chunks_exact(6) {
        let is_right = (0..6).all(|k| (own[k] - if k == 2 { stress } else { 0.0 }).abs() < 1e-9);
        assert!(is_right, "{own:?}");
    }
    let reaction = |part: usize| report.reactions[part].reaction;
    assert!((reaction(0)[2] + force).abs() < 1e-9 && reaction(1)[0].abs() < 1e-9);
    // work of the force over the elongation
    assert!((report.energy - 0.5 * force * stress / young * 4.0).abs() < 1e-10);
    let von_mises = report.fields.iter().find(|field| field.name == "von_mises").unwrap();
    let extremes = [von_mises.least.value, von_mises.greatest.value];
    assert!(extremes.iter().all(|x| (x - stress).abs() < 1e-9), "{extremes:?}");
}

#[test]
fn a_cantilever_bends_as_timoshenko_says() {
    let (force, length, young) = (0.04, 20.0, 1000.0);
    let request = SolveRequest {
        elasticity: vec![format!("{young},0").parse().unwrap()],
        fix: vec!["side:0".parse().unwrap()],
        total_force: vec![format!("side:5=0,{force},0").parse().unwrap()],
        ..SolveRequest::default()
    };
    let (found, report) = run(&sharp_box([2, 2, 20]), &request);
    let (inertia, area) = (16.0 / 12.0, 4.0);
    let expected = force * length * length * length / (3.0 * young * inertia)
        + force * length / (5.0 / 6.0 * young / 2.0 * area);
    // the work of the force is twice the energy
    let ratio = 2.0 * report.energy / force / expected;
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    let greatest = &report.fields[0].greatest;
    assert!(greatest.point[2] > 19.5 && (greatest.value / expected - 1.0).abs() < 0.02);
    assert!(found.attributes.iter().map(|a| a.name.as_str()).eq([
        "displacement",
        "stress",
        "von_mises",
        "strain_energy"
    ]));
    assert!((report.reactions[0].reaction[1] + force).abs() < 1e-8 * force);
}

/// A pipe from radius 1 to 2, 1 high: `around` cells in each of `rings` rings.
fn pipe(around: usize, rings: usize) -> SolidMesh {
    let mut points = Vec::new();
    for layer in 0..2 {
        for ring in 0..=rings {
            let radius = 1.0 + ring as f64 / rings as f64;
            for k in 0..around {
                let angle = std::f64::consts::TAU * k as f64 / around as f64;
                points.push([radius * angle.cos(), radius * angle.sin(), f64::from(layer)]);
            }
        }
    }
    let id = |layer: usize, ring: usize, k: usize| {
        ((layer * (rings + 1) + ring) * around + k % around) as u32
    };
    let mut cells = Vec::new();
    for ring in 0..rings {
        for k in 0..around {
            let quad = |l| {
                [id(l, ring, k), id(l, ring + 1, k), id(l, ring + 1, k + 1), id(l, ring, k + 1)]
            };
            let ([a, b, c, d], [e, f, g, h]) = (quad(0), quad(1));
            cells.push([a, b, c, d, e, f, g, h]);
        }
    }
    let mut mesh = SolidMesh::from_hexahedra(points, &cells);
    crease_by_angle(&mut mesh, 60.0).unwrap();
    group(&mut mesh, "inside", |p| p[0].hypot(p[1]) < 1.01);
    group(&mut mesh, "bottom", |p| p[2] == 0.0);
    group(&mut mesh, "top", |p| p[2] == 1.0);
    FitRequest::default().run_solid(&mut mesh, None, &mut ()).unwrap();
    mesh
}

/// Displacement of the inner wall of a pipe under pressure between rigid plates, over Lamé's.
fn widening(around: usize, rings: usize) -> f64 {
    let mesh = pipe(around, rings);
    let (young, poisson, pressure) = (100.0, 0.3, 1.0);
    let load = |mapping: &Mapping<'_>| -> Vec<f64> {
        let solid = mapping.quadrature().solid();
        let regions = quadrature::Regions::new(solid, &mesh).unwrap();
        let faces = regions.find_named("inside").unwrap();
        let scheme = QuadratureScheme { gauss: 4, rings: Some(0) };
        let boundary =
            Quadrature::boundary(solid, scheme, Want::FIRST, |f| faces.contains(&f)).unwrap();
        let mapping = Mapping::new(&boundary, mesh.controls()).unwrap();
        let load = surface_load(&mapping, |_, _, n| n.map(|x| -pressure * x)).unwrap();
        load.into_flattened()
    };
    let constrain = |solid: &Solid, constraints: &mut Constraints| {
        for end in ["bottom", "top"] {
            held(&mesh, solid, end).into_iter().for_each(|v| constraints.fix(v, 2, 0.0));
        }
        // by symmetry nothing holds these
        for (v, p) in (0..).zip(&mesh.points) {
            (0..2).filter(|&d| p[d].abs() < 1e-9).for_each(|d| constraints.fix(v, d, 0.0));
        }
    };
    let found = solved(&mesh, Operator::Elasticity { young, poisson }, load, constrain);
    let limits = Solid::new(&mesh).unwrap().limit_matrix().apply(&found.values, 3);
    // Lamé, plane strain, inner radius 1, outer 2
    let (inner, outer) = (1.0, 4.0);
    let expected = pressure * inner / (young * (outer - inner))
        * (1.0 + poisson)
        * ((1.0 - 2.0 * poisson) * inner + outer);
    // the first ring begins at (1, 0)
    limits[0] / expected
}

/// The pressed wall is a natural end: the second derivative across is 0 there in the space, but not
/// in the solution, so errors fall with order 2.5 or a little more, not with that of splines.
#[test]
fn a_pipe_widens_as_lame_says() {
    let errors = [(16, 3), (32, 6)].map(|(around, rings)| (widening(around, rings) - 1.0).abs());
    println!("{errors:?}");
    assert!(errors[1] < 6e-4 && (errors[0] / errors[1]).log2() > 2.5, "{errors:?}");
}

#[test]
fn heat_flows_through_a_wall_as_a_straight_line() {
    let mesh = sharp_box([3, 2, 4]);
    let request = SolveRequest {
        heat: vec!["50".parse().unwrap()],
        temperature: vec!["side:0=300".parse().unwrap(), "side:5=280".parse().unwrap()],
        tolerance: 1e-13,
        ..SolveRequest::default()
    };
    let (found, report) = run(&mesh, &request);
    for (p, t) in mesh.points.iter().zip(&found.attributes[0].values) {
        assert!((t - (300.0 - 5.0 * p[2])).abs() < 1e-9, "{p:?} {t}");
    }
    for flux in found.attributes[1].values.chunks_exact(3) {
        assert!(flux[0].abs() < 1e-8 && (flux[2] - 250.0).abs() < 1e-8, "{flux:?}");
    }
    assert!((report.reactions[0].reaction[0] - 1500.0).abs() < 1e-7);
    assert!((report.reactions[1].reaction[0] + 1500.0).abs() < 1e-7);
    // flux and source: T'' = -q/k
    let request = SolveRequest {
        heat: vec!["2".parse().unwrap()],
        temperature: vec!["0=0".parse().unwrap()],
        flux: vec!["5=3".parse().unwrap()],
        source: Some(0.5),
        ..SolveRequest::default()
    };
    let (_, report) = run(&mesh, &request);
    assert!((report.load[0] - (3.0 * 6.0 + 0.5 * 24.0)).abs() < 1e-9);
    assert!((report.reactions[0].reaction[0] + report.load[0]).abs() < 1e-8);
    // (q L + s (L z - z²/2)) / k at z = L
    let highest = (3.0 * 4.0 + 0.5 * 8.0) / 2.0;
    let hottest = report.fields[0].greatest.value;
    assert!(hottest < highest && hottest > 0.98 * highest, "{hottest} {highest}");
}

/// The energy of a solution hardly depends on how far integrals go toward extraordinary edges and
/// vertices, beyond the number of rings that `solve` takes.
#[test]
fn energies_near_extraordinary_edges_are_right() {
    for (name, sizes) in [("fan", &[5, 2, 2][..]), ("link-3444555", &[2])] {
        let mut mesh = Shape::parse(name, sizes).unwrap().build().unwrap();
        let [low, high] =
            [f64::min, f64::max].map(|of| mesh.points.iter().map(|p| p[2]).reduce(of).unwrap());
        group(&mut mesh, "low", |p| p[2] < low + 0.4 * (high - low));
        group(&mut mesh, "high", |p| p[2] > high - 0.4 * (high - low));
        let energy = |gauss, rings| {
            let request = SolveRequest {
                elasticity: vec!["10,0.3".parse().unwrap()],
                fix: vec!["low".parse().unwrap()],
                total_force: vec!["high=0,1,2".parse().unwrap()],
                tolerance: 1e-12,
                scheme: QuadratureScheme { gauss, rings },
                ..SolveRequest::default()
            };
            run(&mesh, &request).1.energy
        };
        let (own, exact) = (energy(quadrature::DEFAULT_GAUSS, None), energy(6, Some(8)));
        assert!((own - exact).abs() < 1e-6 * exact, "{name}: {own} {exact}");
    }
}

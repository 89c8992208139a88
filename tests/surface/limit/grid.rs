//! Grids of samples equal the same places one by one, and the solids' own boundary.

use subsolid::limit::Solid;
use subsolid::plan::Want;
use subsolid::surface::limit::{GridLimit, LimitSurface, Scheme, SurfaceLocation};

use super::meshes::{crease_at_random, limit, models, triangles};
use crate::oracle::convert;
use crate::oracle::random::Random;
use crate::oracle::surface::Surface;
use crate::support::meshes::{crease_box_edges, perturbed};
use crate::support::{Limits, close, size};

fn compare(name: &str, surface: &Surface, limit: &LimitSurface, n: usize) {
    let refined = limit.refined_points(&surface.points).unwrap();
    let grid = limit.grid(n, true).unwrap();
    let elements = limit.elements().len();
    let range = elements / 3..elements;
    let mut found = GridLimit::default();
    grid.evaluate(&refined, range.clone(), &mut found).unwrap();
    let mut positions = GridLimit::default();
    limit.grid(n, false).unwrap().evaluate(&refined, range.clone(), &mut positions).unwrap();
    assert_eq!(positions.positions, found.positions);
    assert!(positions.normals.is_empty() && positions.derivatives[0].is_empty());

    let place = |element: usize| {
        let element = element as u32;
        grid.parameters().iter().map(move |&parameters| SurfaceLocation { element, parameters })
    };
    let places: Vec<_> = range.flat_map(place).collect();
    let expected = limit.evaluate_refined(&refined, &places, Want::POSITION | Want::FIRST).unwrap();
    let size = size(&surface.points);
    let at = |values: &[f64], k: usize| [values[3 * k], values[3 * k + 1], values[3 * k + 2]];
    assert_eq!(found.positions.len(), 3 * places.len());
    let mut normals = 0;
    for (k, place) in places.iter().enumerate() {
        let what = || format!("{name}, {place:?}");
        close(at(&found.positions, k), expected.positions[k], 1e-13 * size, what);
        let pairs = [
            (&found.derivatives[0], expected.d_u[k], size),
            (&found.derivatives[1], expected.d_v[k], size),
        ];
        for (values, expected, size) in pairs {
            if expected[0].is_nan() {
                assert!(at(values, k)[0].is_nan(), "{}", what());
            } else {
                close(at(values, k), expected, 1e-11 * size, what);
            }
        }
        // normals amplify rounding where derivatives nearly vanish or are parallel
        let n = expected.normals[k];
        assert_eq!(n[0].is_nan(), at(&found.normals, k)[0].is_nan(), "{}", what());
        if !n[0].is_nan() {
            normals += 1;
            close(at(&found.normals, k), n, 1e-12, what); // 2e-15
        }
    }
    assert!(10 * normals > 9 * places.len(), "{name}: {normals} of {}", places.len());
}

#[test]
fn grids_equal_single_places() {
    for (seed, (name, mut surface)) in models().into_iter().enumerate() {
        compare(name, &surface, &limit(&surface, Scheme::CatmullClark), [1, 4, 5][seed % 3]);
        surface.creases.clear();
        crease_at_random(&mut surface, &[0.7, 2.0, f64::INFINITY], 7, seed as u64);
        compare(name, &surface, &limit(&surface, Scheme::CatmullClark), 4);
        surface.chaikin = true;
        compare(name, &surface, &limit(&surface, Scheme::CatmullClark), 4);
    }
    for (seed, (name, mut surface)) in triangles().into_iter().enumerate() {
        compare(name, &surface, &limit(&surface, Scheme::Loop), [1, 5, 4][seed % 3]);
        crease_at_random(&mut surface, &[0.7, 2.0, f64::INFINITY], 7, seed as u64);
        compare(name, &surface, &limit(&surface, Scheme::Loop), 5);
    }
}

#[test]
fn the_boundary_of_a_solid_is_the_limit_of_its_boundary() {
    for name in ["rod_hex.vtk", "rocket.mesh", "car_box_2x2x6.mesh"] {
        for creased in [false, true] {
            let mut mesh = subsolid::read(format!("models/solids/{name}")).unwrap();
            if creased {
                crease_box_edges(&mut mesh, f64::INFINITY);
            }
            let solid = Solid::new(&mesh).unwrap();
            let mesh = perturbed(&mesh, 0.05, 11);
            let limits = Limits::of(solid, &mesh.points);
            let truth = convert::solid(&mesh);
            let (skin, quads) = (truth.skin(), truth.boundary_quads());
            let surface = limit(&skin, Scheme::CatmullClark);
            let (mut random, size) = (Random::new(3), size(&mesh.points));
            let places: Vec<_> = (0..400)
                .map(|_| SurfaceLocation {
                    element: random.below(quads.len()) as u32,
                    parameters: [random.between(0.0, 1.0), random.between(0.0, 1.0)],
                })
                .collect();
            let found = surface.evaluate(&skin.points, &places, Want::POSITION).unwrap();
            for (place, found) in places.iter().zip(found.positions) {
                let (quad, [u, v]) = (quads[place.element as usize], place.parameters);
                let expected = limits.position(quad.cell, quad.cell_parameters(u, v));
                close(found, expected, 1e-12 * size, || format!("{name}, {place:?}"));
            }
        }
    }
}

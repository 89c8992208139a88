//! Loop limits against explicit refinement, levels upon levels.

use rayon::prelude::*;
use subsolid::plan::Want;
use subsolid::surface::limit::{LimitSurface, Scheme, SurfaceLocation};

use super::meshes::{Flat, crease_at_random, limit, triangles};
use crate::oracle::loop_surface;
use crate::oracle::random::Random;
use crate::oracle::surface::Surface;
use crate::support::{close, places, size};

const INF: f64 = f64::INFINITY;

/// Compares at random places, some on and close to edges and corners.
fn compare(name: &str, surface: &Surface, limit: &LimitSurface, seed: u64, rounds: usize) {
    let size = size(&surface.points);
    let mut random = Random::new(seed);
    let mut locations = Vec::new();
    for _ in 0..rounds {
        for [u, v, _] in places::local_parameters(&mut random) {
            let element = random.below(limit.elements().len()) as u32;
            // fold the square onto the triangle
            let parameters = if u + v <= 1.0 { [u, v] } else { [1.0 - u, 1.0 - v] };
            locations.push(SurfaceLocation { element, parameters });
        }
    }
    let found = limit.evaluate(&surface.points, &locations, Want::POSITION | Want::FIRST).unwrap();
    for (i, location) in locations.iter().enumerate() {
        let [u, v] = location.parameters;
        let expected = loop_surface::evaluate(surface, location.element as usize, [u, v]);
        let at = || format!("{name}, {location:?}");
        close(found.positions[i], expected[0], 1e-10 * size, at);
        // nearer to a corner the oracle has no derivative yet
        let far = [u, v, 1.0 - u - v].into_iter().filter(|&x| x > 1e-7).count() > 1;
        let first = [found.d_u[i], found.d_v[i]];
        if far && !first.as_flattened().iter().any(|x| x.is_nan()) {
            for d in 0..2 {
                close(first[d], expected[d + 1], 1e-8 * size, at);
            }
        }
    }
}

fn compare_all(rounds: usize, crease: impl Fn(&mut Surface, u64) + Sync) {
    triangles().par_iter_mut().enumerate().for_each(|(seed, (name, surface))| {
        crease(surface, seed as u64);
        compare(name, surface, &limit(surface, Scheme::Loop), seed as u64, rounds);
    });
}

#[test]
fn models_as_they_are() {
    compare_all(3, |_, _| ());
}

#[test]
fn creases_and_corners_sharp_for_ever() {
    compare_all(2, |surface, seed| {
        surface.creases.clear();
        crease_at_random(surface, &[INF], 5, seed);
    });
}

#[test]
fn semi_sharp_creases_and_corners() {
    compare_all(2, |surface, seed| {
        surface.creases.clear();
        crease_at_random(surface, &[0.5, 1.0, 2.3, INF], 8, seed);
    });
}

#[test]
fn semi_sharp_creases_by_chaikins_rule() {
    compare_all(2, |surface, seed| {
        surface.creases.clear();
        surface.chaikin = true;
        crease_at_random(surface, &[0.4, 1.0, 2.3, 3.1, INF], 4, seed);
    });
}

#[test]
fn isolation_leaves_the_limit_alone() {
    for (name, surface) in triangles() {
        let flat = Flat::of(&surface);
        let isolated = LimitSurface::isolated(&flat.faces(), Scheme::Loop, 3).unwrap();
        compare(name, &surface, &isolated, 7, 1);
    }
}

//! Inverse evaluation: what is evaluated is found again, what is outside is not.

mod oracle;
mod support;

use rayon::prelude::*;

use oracle::random::Random;
use oracle::vector::{Point, distance};
use subsolid::limit::Solid;
use subsolid::locate::{Located, Locator};
use subsolid::mesh::SolidMesh;
use support::meshes::{crease_box_edges, mixed, model, models, shapes};
use support::{Limits, places, size};

fn all_meshes() -> Vec<(String, SolidMesh)> {
    let mut all = shapes();
    all.extend(models());
    all.push(("mixed".into(), mixed()));
    for name in ["mount2_hex.vtk", "mountwithhole_hex.vtk", "tripod.vtk"] {
        all.push((name.into(), model(name)));
    }
    let mut creased = shapes().swap_remove(1).1;
    crease_box_edges(&mut creased, f64::INFINITY);
    all.push(("creased box".into(), creased));
    all
}

fn determinant([a, b, c]: [Point; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// The smallest stretch of the map, bounded from below by detJ over the largest twice.
fn stretch(derivatives: [Option<Point>; 3]) -> f64 {
    let Some(j) = derivatives.into_iter().collect::<Option<Vec<_>>>() else { return 0.0 };
    let largest = j.iter().map(|&d| distance(d, [0.0; 3])).fold(0.0, f64::max);
    determinant([j[0], j[1], j[2]]).abs() / (largest * largest)
}

#[test]
fn what_is_evaluated_is_found() {
    all_meshes().par_iter().for_each(|(name, mesh)| {
        let limits = Limits::new(mesh);
        let locator = Locator::new(&limits.solid, mesh.controls()).expect("a locator");
        let mut random = Random::new(11);
        let mut all = Vec::new();
        for leaf in places::leaves(&limits.solid, 2, &mut random) {
            for local in places::local_parameters(&mut random) {
                all.push((leaf.element, places::in_element(&leaf, local)));
            }
        }
        let points: Vec<Point> = all.iter().map(|&(e, p)| limits.position(e as usize, p)).collect();
        let located = locator.locate(&points);
        let size = size(&mesh.points);
        for ((&(element, p), &x), located) in all.iter().zip(&points).zip(located) {
            let at = || format!("{name}, element {element} at {p:?}");
            let Located::Inside(place) = located else { panic!("{}: outside", at()) };
            // of all that hold the point, the first
            assert!(place.element <= element, "{}: {place:?}", at());
            let there = limits.position(place.element as usize, place.parameters);
            let off = distance(x, there);
            assert!(off <= 1e-10 * size, "{}: {place:?} is {off:e} away", at());
            let stretch = stretch(limits.first(element as usize, p));
            if place.element == element && stretch > 1e-4 * size {
                let off = distance(place.parameters, p);
                assert!(off <= 1e-9, "{}: {place:?}, {off:e}", at());
            }
        }
    });
}

//! The boundary of the evaluated solid is the Catmull-Clark limit surface of the
//! boundary of its mesh.

use rayon::prelude::*;

use crate::oracle::random::Random;
use crate::oracle::{convert, surface_limit};
use crate::support::meshes::{
    INF, crease_at_random, crease_box_edges, hypercube, models, perturbed, shapes,
};
use crate::support::{Limits, close, places, size};
use subsolid::limit::Solid;
use subsolid::mesh::{CellKind, SolidMesh};
use subsolid::process::solid::boundary_seeds;
use subsolid::slice::{SliceOptions, Slicer};
use subsolid::surface::boundary_surface;
use subsolid::untangle::{BoundaryMotion, untangle};

/// Compares random boundary places, some on and close to edges and corners.
fn compare(name: &str, mesh: &SolidMesh, seed: u64) {
    let solid = Solid::new(mesh).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mesh = perturbed(mesh, 0.05, seed);
    let (limits, size) = (Limits::of(solid, &mesh.points), size(&mesh.points));
    let truth = convert::solid(&mesh);
    let (skin, quads) = (truth.skin(), truth.boundary_quads());
    let mut random = Random::new(seed);
    for _ in 0..3 {
        for [u, v, _] in places::local_parameters(&mut random) {
            let face = random.below(quads.len());
            let quad = quads[face];
            let expected = surface_limit::evaluate(&skin, face, [u, v]).position;
            let position = limits.position(quad.cell, quad.cell_parameters(u, v));
            let at = || format!("{name}, cell {} at {u}, {v} of its face", quad.cell);
            close(position, expected, 1e-10 * size, at);
        }
    }
}

fn compare_all(crease: impl Fn(&mut SolidMesh, u64) + Sync) {
    let mut all = shapes();
    all.extend(models());
    all.par_iter_mut().enumerate().for_each(|(seed, (name, mesh))| {
        crease(mesh, seed as u64);
        compare(name, mesh, seed as u64);
    });
}

#[test]
fn boundaries_without_creases_are_limit_surfaces() {
    compare_all(|_, _| ());
}

#[test]
fn boundaries_with_sharp_box_edges_are_limit_surfaces() {
    compare_all(|mesh, _| crease_box_edges(mesh, INF));
}

#[test]
fn boundaries_with_infinitely_sharp_creases_and_corners_are_limit_surfaces() {
    compare_all(|mesh, seed| crease_at_random(mesh, &[INF], 8, seed));
}

#[test]
fn boundaries_with_semi_sharp_creases_and_corners_are_limit_surfaces() {
    compare_all(|mesh, seed| crease_at_random(mesh, &[0.5, 1.0, 2.3, INF], 12, seed));
}

/// The 8 cubes on the boundary of the 4-cube close in themselves: they evaluate, but have no
/// boundary.
#[test]
fn a_solid_may_have_no_boundary() {
    let mut mesh = hypercube();
    let limits = Limits::new(&mesh);
    // valence 3 everywhere; by symmetry the middle of a cell is on its axis
    let middle = limits.position(0, [0.5; 3]);
    assert!(middle[1].abs() < 1e-14 && middle[2].abs() < 1e-14, "{middle:?}");
    let refusals = [
        boundary_surface(&mesh).map(drop),
        boundary_seeds(&mesh).map(drop),
        Slicer::new(&limits.solid, mesh.controls(), SliceOptions::default()).map(drop),
        untangle(&mut mesh, BoundaryMotion::Fixed, |_| Ok(())).map(drop),
    ];
    for refusal in refusals {
        let message = refusal.unwrap_err().to_string();
        assert!(message.contains("has no boundary"), "{message}");
    }
}
/// A ring of cells that returns to itself mirrored.
#[test]
fn a_ring_without_an_outside_is_refused() {
    const SECTIONS: u32 = 9;
    let mut mesh = SolidMesh::default();
    for section in 0..SECTIONS {
        let (sin, cos) =
            (f64::from(section) / f64::from(SECTIONS) * std::f64::consts::TAU).sin_cos();
        for [r, z] in [[4.0, 0.0], [5.0, 0.0], [5.0, 1.0], [4.0, 1.0]] {
            mesh.points.push([r * cos, r * sin, z]);
        }
        let corners = |section: u32| [0, 1, 2, 3].map(|k| 4 * section + k);
        let [from, mut to] = [section, (section + 1) % SECTIONS].map(corners);
        if section + 1 == SECTIONS {
            to = [to[1], to[0], to[3], to[2]];
        }
        mesh.cells.push(CellKind::Hexahedron, &[from, to].concat());
    }
    let solid = Solid::new(&mesh).unwrap();
    let error = Slicer::new(&solid, mesh.controls(), SliceOptions::default()).unwrap_err();
    let message = "have no common orientation: their boundary has no outside";
    assert!(error.to_string().contains(message), "{error}");
}

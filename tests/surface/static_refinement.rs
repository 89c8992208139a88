//! Static evaluation against refinement level by level.

use std::collections::HashSet;

use subsolid::mesh::{CreaseRule, SurfaceMesh};
use subsolid::surface::{Method, Scheme, StaticRefinement, StaticWorkspace, SurfacePlan};

use super::{model, options, size};

use crate::support::refused;

const MODELS: [&str; 15] = [
    "bishop",
    "cow_boundary",
    "cubes_semisharp",
    "dart_edgecorner",
    "dodecahedron_poly",
    "edgecorner",
    "hole_test2",
    "moebius",
    "nonman_verts",
    "nonquads",
    "pole64",
    "spot_control_mesh",
    "spot_quadrangulated",
    "torus_creases0",
    "val2_interior",
];

/// Points in single precision are those in double precision up to two units in the last place
/// of the model's largest coordinate, slots that are not used included.
fn check_single(name: &str, mesh: &SurfaceMesh, refinement: &StaticRefinement) {
    let controls: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
    let rounded: Vec<[f64; 3]> = controls.iter().map(|p| p.map(f64::from)).collect();
    let expected = refinement.evaluate(&rounded).unwrap();
    let found = refinement.evaluate(&controls).unwrap();
    assert_eq!(found.len(), expected.len());
    let largest = rounded.as_flattened().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let most = 2.0 * f64::from(f32::EPSILON) * largest;
    for (v, (found, expected)) in found.iter().zip(&expected).enumerate() {
        for d in 0..3 {
            let error = (f64::from(found[d]) - expected[d]).abs();
            assert!(error <= most, "{name}, point {v} of {}: {error:e}", expected.len());
        }
    }
}

/// Checks points and faces of a level; returns the number of points.
fn check(name: &str, mesh: &SurfaceMesh, levels: usize, refinement: &StaticRefinement) -> usize {
    let plan = SurfacePlan::new(mesh, &options(Scheme::CatmullClark, levels, Method::Matrix));
    let plan = plan.unwrap();
    let expected = plan.evaluate(&mesh.points).unwrap();
    let found = refinement.evaluate(&mesh.points).unwrap();
    assert_eq!(found.len(), refinement.len());
    check_single(name, mesh, refinement);
    // elements: whole quads, or corners of polygons, whose grids are half as fine
    let mut sizes = Vec::new();
    for face in mesh.faces.iter() {
        match face.len() {
            4 => sizes.push(1 << levels),
            sides => sizes.extend(std::iter::repeat_n(1 << (levels - 1), sides)),
        }
    }
    let size = size(mesh);
    let places = plan.places().unwrap();
    let mut slots = vec![u32::MAX; places.len()];
    let mut used = HashSet::new();
    for (v, place) in places.iter().enumerate() {
        let Some(place) = place else { continue };
        let m = f64::from(sizes[place.element as usize]);
        let at = place.parameters.map(|x| (x * m) as u32);
        slots[v] = refinement.point_at(place.element as usize, at);
        assert!(used.insert(slots[v]), "{name}: vertex {v}");
        let found = found[slots[v] as usize];
        for d in 0..3 {
            let error = (found[d] - expected[v][d]).abs() / size;
            assert!(error <= 1e-12, "{name}, level {levels}, vertex {v}: {error:e}");
        }
    }
    let refined = plan.refine(mesh).unwrap();
    let sorted = |mut quad: [u32; 4]| {
        quad.sort_unstable();
        quad
    };
    let expected: HashSet<[u32; 4]> = refined
        .faces
        .iter()
        .map(|face| sorted(std::array::from_fn(|k| slots[face[k] as usize])))
        .collect();
    let quads = refinement.quads();
    assert_eq!(quads.len(), refined.faces.len(), "{name}");
    assert_eq!(quads.into_iter().map(sorted).collect::<HashSet<_>>(), expected, "{name}");
    used.len()
}

#[test]
fn levels_at_once_are_levels_one_by_one() {
    for name in MODELS {
        let mesh = model(name);
        let mut evaluated = 0;
        let is_small = |levels: usize| levels < 2 || mesh.faces.len() << (2 * levels) < 200_000;
        for levels in (0..4).filter(|&levels| is_small(levels)) {
            match StaticRefinement::new(&mesh, Scheme::CatmullClark, levels) {
                Ok(refinement) => {
                    let used = check(name, &mesh, levels, &refinement);
                    // slots that are not used are few
                    assert!(used * 10 > refinement.len() * 5 || levels < 3, "{name}");
                    evaluated += 1;
                }
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.contains("are isolated only from level"), "{name}: {error}");
                }
            }
        }
        // sharp for more levels than these
        let deep = ["bishop", "cubes_semisharp", "hole_test2", "torus_creases0", "val2_interior"];
        assert!(evaluated > 1 || deep.contains(&name), "{name}: {evaluated} levels");
    }
    // deep creases, at the level where they end
    for (name, levels) in [("torus_creases0", 5), ("cubes_semisharp", 5)] {
        let mesh = model(name);
        check(
            name,
            &mesh,
            levels,
            &StaticRefinement::new(&mesh, Scheme::CatmullClark, levels).unwrap(),
        );
    }
}

#[test]
fn creases_blend_by_chaikins_rule() {
    let mut mesh = model("spot_control_mesh");
    mesh.crease_rule = CreaseRule::Chaikin;
    for (f, face) in mesh.faces.iter().enumerate().filter(|(f, _)| f % 5 == 0) {
        mesh.creases.push_edge(face[0], face[1], [0.7, 2.6, 1.8][f / 5 % 3]);
        mesh.creases.push_edge(face[1], face[2], 1.5);
    }
    for levels in [4, 5] {
        check(
            "creased",
            &mesh,
            levels,
            &StaticRefinement::new(&mesh, Scheme::CatmullClark, levels).unwrap(),
        );
    }
}

#[test]
fn moved_control_points_need_no_set_up() {
    let mut mesh = model("spot_control_mesh");
    let refinement = StaticRefinement::new(&mesh, Scheme::CatmullClark, 3).unwrap();
    mesh.points.iter_mut().for_each(|p| *p = [p[1] + 5.0, 2.0 * p[0], p[2] - p[0]]);
    check("moved", &mesh, 3, &refinement);
    refused(refinement.evaluate(&mesh.points[1..]), "187 control points for 188 vertices");
    refused(
        StaticRefinement::new(&mesh, Scheme::CatmullClark, 15),
        "15 levels of 252 elements at once",
    );
    refused(
        StaticRefinement::new(&mesh, Scheme::Bilinear, 3),
        "static refinement by bilinear subdivision",
    );
}

#[test]
fn points_repeat_bit_by_bit_in_memory_that_is_used_again() {
    // the second is streamed past the caches, and the first then has too much memory
    for (name, levels) in [("bishop", 6), ("cow_boundary", 5), ("spot_control_mesh", 3)] {
        let mesh = model(name);
        let refinement = StaticRefinement::new(&mesh, Scheme::CatmullClark, levels).unwrap();
        check_single(name, &mesh, &refinement);
        let evaluator = refinement.evaluator::<f32>().unwrap();
        let mut controls: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
        let mut workspace = StaticWorkspace::default();
        for step in 0..2 {
            let once = refinement.evaluate(&controls).unwrap();
            for threads in 1..4 {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| evaluator.evaluate_into(&controls, &mut workspace)).unwrap();
                assert!(workspace.points() == once, "{name}, step {step}, {threads} threads");
            }
            controls.iter_mut().for_each(|p| *p = [p[1] - 3.0, 0.5 * p[2], p[0] + p[1]]);
        }
        refused(evaluator.evaluate_into(&controls[1..], &mut workspace), " control points for ");
    }
}

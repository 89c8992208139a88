//! `subsolid slice` of surfaces as its users run it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::{TempDir, tempdir};

use crate::layer_files::{archived, area_of_cli, area_of_layered_svg, area_of_vtp};
use crate::program::{done, files, refused, run};

/// Corners of the cube from `low` to `high` in triangles, looking inward if `inward`.
fn triangles(low: f64, high: f64, inward: bool) -> Vec<[[f64; 3]; 3]> {
    let point = |k: usize| [k & 1, k >> 1 & 1, k >> 2].map(|i| [low, high][i]);
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let cut = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    cut.map(|[a, b, c]| if inward { [c, b, a] } else { [a, b, c] }.map(point)).collect()
}

fn write_stl(path: &Path, triangles: &[[[f64; 3]; 3]]) {
    let mut text = String::from("solid part\n");
    for triangle in triangles {
        text += "facet normal 0 0 0\nouter loop\n";
        for [x, y, z] in triangle {
            text += &format!("vertex {x} {y} {z}\n");
        }
        text += "endloop\nendfacet\n";
    }
    fs::write(path, text + "endsolid part\n").unwrap();
}

/// A directory with a cube, one with a cavity, and the boundary of the bracket.
fn with_parts() -> TempDir {
    let directory = tempdir().unwrap();
    let at = directory.path();
    write_stl(&at.join("cube.stl"), &triangles(0.0, 2.0, false));
    let hollow = [triangles(0.0, 2.0, false), triangles(0.5, 1.5, true)].concat();
    write_stl(&at.join("hollow.stl"), &hollow);
    write_stl(&at.join("inward.stl"), &triangles(0.0, 2.0, true));
    write_stl(&at.join("open.stl"), &triangles(0.0, 2.0, false)[1..]);
    let bracket = format!("{}/models/bracket.vtk", env!("CARGO_MANIFEST_DIR"));
    done(at, &format!("boundary {bracket} -o bracket.obj"));
    fs::copy(bracket, at.join("bracket.vtk")).unwrap();
    directory
}

fn manifest(directory: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(directory.join("manifest.json")).unwrap()).unwrap()
}

/// Images and drawings by their names, without the manifest.
fn layers(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = files(directory).into_iter();
    let layers = all.filter(|(path, _)| !path.ends_with("manifest.json"));
    layers.map(|(path, bytes)| (path.strip_prefix(directory).unwrap().into(), bytes)).collect()
}

#[test]
fn triangles_as_they_are_have_their_volume() {
    let parts = with_parts();
    let at = parts.path();
    // the first and the second share a face, the first and the third an edge
    let shifted = |offset: [f64; 3]| {
        let shift = move |p: [f64; 3]| [0, 1, 2].map(|d| p[d] + offset[d]);
        triangles(0.0, 2.0, false).into_iter().map(move |triangle| triangle.map(shift))
    };
    let touching = [[0.0; 3], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0]].into_iter().flat_map(shifted);
    write_stl(&at.join("touching.stl"), &touching.collect::<Vec<_>>());
    refused(
        at,
        "slice touching.stl --scheme catmull-clark --layer-height 0.25 --pixel 0.1 --png none",
        "has 4 faces, not two",
    );
    for (name, volume) in [("cube", 8.0), ("hollow", 7.0), ("touching", 24.0)] {
        done(
            at,
            &format!(
                "slice {name}.stl --scheme linear --layer-height 0.25 --pixel 0.1 --antialias 2 \
                 --bits 16 --png {name} --svg {name}_svg --cli {name}.cli --vtp {name}.vtp \
                 --zip {name}.zip --layered-svg {name}.svg"
            ),
        );
        let images = manifest(&at.join(name));
        let sums = images["layers"].as_array().unwrap().iter();
        let sum: f64 = sums.map(|layer| layer["files"][0]["level_sum"].as_f64().unwrap()).sum();
        let found = sum / 65535.0 * 0.01 * 0.25;
        assert!((found / volume - 1.0).abs() < 1e-5, "{name}: {found}");
        let drawings = manifest(&at.join(format!("{name}_svg")));
        let areas = drawings["layers"].as_array().unwrap().iter();
        let sum: f64 = areas.map(|layer| layer["files"][0]["area"].as_f64().unwrap()).sum();
        assert!((sum * 0.25 / volume - 1.0).abs() < 1e-12, "{name}: {sum}");
        let path = |ending: &str| at.join(format!("{name}.{ending}"));
        for (ending, found) in [
            ("cli", area_of_cli(&path("cli"))),
            ("svg", area_of_layered_svg(&path("svg"))),
            ("vtp", area_of_vtp(&path("vtp"))),
        ] {
            assert!((found / sum - 1.0).abs() < 1e-12, "{name}.{ending}: {found} {sum}");
        }
        let mut inside = archived(&path("zip"));
        assert!(inside.remove(Path::new("manifest.json")).is_some());
        assert!(inside == layers(&at.join(name)), "{name}.zip");
    }
}

#[test]
fn the_boundary_of_the_bracket_has_the_layers_of_the_bracket() {
    let parts = with_parts();
    let at = parts.path();
    for model in ["bracket.vtk", "bracket.obj"] {
        let directory = model.replace('.', "_");
        done(
            at,
            &format!(
                "slice {model} --layer-height 0.2 --pixel 0.02 --antialias 2 --png {directory}"
            ),
        );
    }
    let [solid, surface] = ["bracket_vtk", "bracket_obj"].map(|name| layers(&at.join(name)));
    assert!(solid.len() > 5 && solid == surface);
    // the control mesh tells them apart
    let [solid, surface] = ["bracket_vtk", "bracket_obj"].map(|name| {
        manifest(&at.join(name))["parameters"]["model_sha256"].as_str().unwrap().to_owned()
    });
    assert_ne!(solid, surface);
    refused(
        at,
        "slice bracket.obj --scheme loop --layer-height 0.2 --pixel 0.02 --png bracket_obj",
        "model_sha256 is another",
    );
}

#[test]
fn parts_of_a_job_are_the_whole() {
    let parts = with_parts();
    let at = parts.path();
    let slice = "slice bracket.obj --layer-height 0.2 --pixel 0.05 --axis x --origin=-10";
    done(at, &format!("{slice} --png whole --svg drawn"));
    (1..=3)
        .for_each(|i| drop(done(at, &format!("{slice} --png job --svg job_svg --pieces {i}/3"))));
    for (job, whole) in [("job", "whole"), ("job_svg", "drawn")] {
        done(at, &format!("merge {job}"));
        assert!(layers(&at.join(job)) == layers(&at.join(whole)));
    }
    let (_, stdout, _) = run(at, &format!("{slice} --png whole --resume --json"));
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["made"], 0);
}

#[test]
fn faces_that_look_inward_are_turned_round_with_a_warning() {
    let parts = with_parts();
    let at = parts.path();
    let slice = "--scheme linear --layer-height 0.5 --pixel 0.1";
    let (code, _, stderr) = run(at, &format!("slice inward.stl {slice} --png inward"));
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stderr.matches("warning").count(), 1, "{stderr}");
    assert!(stderr.contains("turned outward: 1 of 1 shell (face 0)"), "{stderr}");
    let (_, _, stderr) = run(at, &format!("slice cube.stl {slice} --png cube"));
    assert!(!stderr.contains("warning"), "{stderr}");
    assert!(layers(&at.join("inward")) == layers(&at.join("cube")));
    refused(
        at,
        &format!("slice inward.stl {slice} --png b --strict"),
        "faces look inward: 1 of 1 shell (face 0)",
    );
    // beside the material, too
    let stray = [triangles(0.0, 2.0, false), triangles(5.0, 5.5, true)].concat();
    write_stl(&at.join("stray.stl"), &stray);
    let (_, _, stderr) = run(at, &format!("slice stray.stl {slice} --png stray"));
    assert!(stderr.contains("turned outward: 1 of 2 shells (face 12)"), "{stderr}");
    refused(
        at,
        &format!("slice stray.stl {slice} --png c --strict"),
        "faces look inward: 1 of 2 shells (face 12)",
    );
    // one look inward, one outward: no volume in sum
    let pair = [triangles(0.0, 2.0, true), triangles(3.0, 5.0, false)].concat();
    write_stl(&at.join("pair.stl"), &pair);
    done(at, &format!("slice pair.stl {slice} --png pair_images --svg pair"));
    for layer in manifest(&at.join("pair"))["layers"].as_array().unwrap() {
        let area = layer["files"][0]["area"].as_f64().unwrap();
        let expected =
            if (2.0..3.0).contains(&layer["height"].as_f64().unwrap()) { 0.0 } else { 4.0 };
        assert!((area - expected).abs() < 1e-12, "{layer}");
    }
    // what looks outward in the material of another is filled
    let filled = [triangles(0.0, 2.0, false), triangles(0.5, 1.5, false)].concat();
    write_stl(&at.join("filled.stl"), &filled);
    let (_, _, stderr) = run(at, &format!("slice filled.stl {slice} --png filled"));
    assert!(stderr.contains("the shell of face 12 lies in others"), "{stderr}");
    assert!(stderr.contains("`subsolid surface --orient=cavities` makes cavities"), "{stderr}");
    assert!(layers(&at.join("filled")) == layers(&at.join("cube")));
    done(at, "surface filled.stl --orient=cavities --levels 0 -o made.stl");
    done(at, &format!("slice made.stl {slice} --png made"));
    done(at, &format!("slice hollow.stl {slice} --png hollow"));
    assert!(layers(&at.join("made")) == layers(&at.join("hollow")));
}

/// A vertex on the edge of another face, and a wall across a box.
#[test]
fn what_keeps_a_surface_from_closing_is_named() {
    let here = tempdir().unwrap();
    let at = here.path();
    let corners = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0 1 1\n";
    let ends = "f 2 3 7 6\nf 4 1 5 8\n";
    let junction = format!(
        "{corners}v 0.5 0 1\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 9\nf 2 6 9\nf 1 9 5\nf 3 4 8 7\n{ends}"
    );
    fs::write(at.join("junction.obj"), junction).unwrap();
    let wall = "v 1 0 0\nv 1 1 0\nv 1 0 1\nv 1 1 1\nf 1 4 10 9\nf 9 10 3 2\nf 5 11 12 8\n\
                f 11 6 7 12\nf 1 9 11 5\nf 9 2 6 11\nf 3 10 12 7\nf 10 4 8 12\nf 9 10 12 11\n";
    fs::write(at.join("wall.obj"), format!("{corners}{wall}{ends}")).unwrap();
    for scheme in ["linear", "catmull-clark"] {
        let slice = format!("--scheme {scheme} --layer-height 0.25 --svg out");
        refused(
            at,
            &format!("slice junction.obj {slice}"),
            "vertex 8 lies on edge 4 5 of face 1, which does not have it: a T-junction",
        );
        refused(
            at,
            &format!("slice wall.obj {slice}"),
            "face 8 is an inner wall, with the inside on both sides: edge 8 9 has 3 faces",
        );
    }
}

/// Four cubes around an edge, over shared vertices, with both faces where they touch.
#[test]
fn bodies_that_touch_are_separated_whichever_way_their_faces_look() {
    let here = tempdir().unwrap();
    let at = here.path();
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    for inward in [false, true] {
        let mut text = String::new();
        for k in 0..18 {
            text += &format!("v {} {} {}\n", k % 3, k / 3 % 3, k / 9);
        }
        for cube in [[0, 0], [1, 0], [0, 1], [1, 1]] {
            for mut quad in quads {
                if inward {
                    quad.reverse();
                }
                let id = |k: usize| {
                    1 + (cube[0] + (k & 1)) + 3 * (cube[1] + (k >> 1 & 1)) + 9 * (k >> 2)
                };
                let [a, b, c, d] = quad.map(id);
                text += &format!("f {a} {b} {c} {d}\n");
            }
        }
        fs::write(at.join("cubes.obj"), text).unwrap();
        let slice = "slice cubes.obj --scheme linear --layer-height 0.5";
        done(at, &format!("{slice} --cli cubes.cli --svg drawn_{inward}"));
        let text = fs::read_to_string(at.join("cubes.cli")).unwrap();
        let polylines: Vec<&str> =
            text.lines().filter(|line| line.starts_with("$$POLYLINE")).collect();
        assert_eq!(polylines.len(), 8, "{text}");
        assert!(polylines.iter().all(|line| line.starts_with("$$POLYLINE/1,1,5,")), "{text}");
        for layer in manifest(&at.join(format!("drawn_{inward}")))["layers"].as_array().unwrap() {
            let file = &layer["files"][0];
            assert!((file["area"].as_f64().unwrap() - 4.0).abs() < 1e-9 && file["contours"] == 4);
        }
    }
}

#[test]
fn a_thin_fiber_has_an_inside() {
    let here = tempdir().unwrap();
    let at = here.path();
    let thin = |[x, y, z]: [f64; 3]| [1000.0 * x, 1e-3 * y, 1e-3 * z];
    let fiber = triangles(0.0, 1.0, false).into_iter().map(|triangle| triangle.map(thin));
    write_stl(&at.join("fiber.stl"), &fiber.collect::<Vec<_>>());
    for axis in ["x --layer-height 100", "z --layer-height 2e-4"] {
        done(at, &format!("slice fiber.stl --scheme linear --axis {axis} --svg {}", &axis[..1]));
        let drawings = manifest(&at.join(&axis[..1]));
        let area = if axis.starts_with('x') { 1e-6 } else { 1.0 };
        for layer in drawings["layers"].as_array().unwrap() {
            let found = layer["files"][0]["area"].as_f64().unwrap();
            assert!((found / area - 1.0).abs() < 1e-6, "{axis}: {found}");
        }
    }
}

#[test]
fn what_surfaces_have_not_is_refused() {
    let parts = with_parts();
    let at = parts.path();
    let slice = "--layer-height 0.5 --pixel 0.1 --png out";
    for (arguments, fragment) in [
        (
            format!("slice open.stl {slice}"),
            "the surface is not closed: edge 0 1 has one face alone (face 0)",
        ),
        (format!("slice cube.stl {slice} --scheme sqrt3"), "√3"),
        (format!("slice cube.stl {slice} --levels 1"), "--levels is for solids"),
        (format!("slice cube.stl {slice} --crease-angle 40"), "--crease-angle is for solids"),
        (format!("slice cube.stl {slice} --attribute a"), "--attribute: a surface has attributes"),
        (format!("slice cube.stl {slice} --materials a"), "--materials and --material-id: a"),
        (format!("slice cube.stl {slice} --material-id a"), "--materials and --material-id: a"),
        (format!("slice cube.stl {slice} --pvtu a.pvtu"), "--pvtu: a surface has"),
        (format!("slice bracket.vtk {slice} --scheme loop"), "--scheme is for surfaces"),
    ] {
        refused(at, &arguments, fragment);
    }
}

//! `subsolid slice` of files as other programs write them: rounded coordinates, gaps, shells that
//! overlap, and requests that do not fit the model.

use std::fs;
use std::path::Path;

use tempfile::tempdir;

use crate::layer_files::{area_of_cli, area_of_layered_svg, area_of_vtp};
use crate::program::{done, refused, run};

type Triangle = [[f32; 3]; 3];

/// A binary file of triangles, in single precision.
fn write_stl(path: &Path, triangles: &[Triangle]) {
    let mut bytes = vec![0; 80];
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        triangle.as_flattened().iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    fs::write(path, bytes).unwrap();
}

/// The box between two corners.
fn block(low: [f32; 3], high: [f32; 3]) -> Vec<Triangle> {
    let point = |k: usize| [0, 1, 2].map(|d| [low[d], high[d]][k >> d & 1]);
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let cut = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    cut.map(|corners| corners.map(point)).collect()
}

/// A box with a gap: of one vertex at x = 0, y = 10 on top the triangles in the side x = 0 have one
/// that is off.
fn gaping(off: [f32; 3]) -> Vec<Triangle> {
    let mut all = block([0.0; 3], [10.0; 3]);
    for triangle in all.iter_mut().filter(|triangle| triangle.iter().all(|p| p[0] == 0.0)) {
        for p in triangle.iter_mut().filter(|p| p[1..] == [10.0; 2]) {
            *p = [0, 1, 2].map(|d| p[d] + off[d]);
        }
    }
    all
}

/// Areas and numbers of contours of all layers.
fn drawn(directory: &Path) -> Vec<(f64, u64)> {
    let bytes = fs::read(directory.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let layers = manifest["layers"].as_array().unwrap().iter().map(|layer| &layer["files"][0]);
    layers.map(|f| (f["area"].as_f64().unwrap(), f["contours"].as_u64().unwrap())).collect()
}

fn parameters(directory: &Path) -> serde_json::Value {
    let bytes = fs::read(directory.join("manifest.json")).unwrap();
    serde_json::from_slice::<serde_json::Value>(&bytes).unwrap()["parameters"].clone()
}

#[test]
fn gaps_of_rounding_are_closed_and_said() {
    let here = tempdir().unwrap();
    let at = here.path();
    // beside 0, where single precision is finer than at the largest coordinate
    let beside_zero = |mut all: Vec<Triangle>, off: f32| {
        for p in all[4..].iter_mut().flatten().filter(|p| p[2] == 0.0) {
            p[2] = off;
        }
        all
    };
    for (name, triangles) in [
        ("a", beside_zero(block([0.0; 3], [10.0; 3]), -2.7e-16)),
        ("b", beside_zero(block([0.0; 3], [10.0; 3]), 1e-10)),
        ("c", gaping([0.0, 0.0, 9.5e-7])),
        ("d", gaping([1e-20, 0.0, 0.0])),
    ] {
        write_stl(&at.join(format!("{name}.stl")), &triangles);
        let (code, _, stderr) = run(at, &format!("slice {name}.stl --layer-height 1 --svg {name}"));
        assert_eq!(code, 0, "{name}: {stderr}");
        assert_eq!(stderr.matches("joined to others within 1.2e-6").count(), 1, "{stderr}");
        let layers = drawn(&at.join(name));
        assert_eq!(layers.len(), 10, "{name}");
        assert!(layers.iter().all(|&(area, count)| (area - 100.0).abs() < 1e-4 && count == 1));
    }
    // what is closed stays as it is
    write_stl(&at.join("whole.stl"), &block([0.0; 3], [10.0; 3]));
    let (_, _, stderr) = run(at, "slice whole.stl --layer-height 1 --svg whole");
    assert!(!stderr.contains("joined") && !stderr.contains("warning"), "{stderr}");
    // and so do places that are near, but not where the surface ends
    let fine = block([0.0; 3], [10.0, 10.0, 4e-7]);
    write_stl(&at.join("sheet.stl"), &fine);
    let (code, _, stderr) = run(at, "slice sheet.stl --layer-height 1e-7 --svg sheet");
    assert!(code == 0 && !stderr.contains("joined"), "{stderr}");
}

#[test]
fn a_gap_is_refused_with_the_distance_that_closes_it() {
    let here = tempdir().unwrap();
    let at = here.path();
    for (off, expected) in [
        ([0.0, 1e-4, 1e-4], "2e-4"),
        ([0.0, 0.0, 9.6e-4], "1e-3"),
        ([-0.3, 0.0, 0.0], "4e-1"),
        ([0.0, 0.03, 0.0], "3e-2"),
    ] {
        write_stl(&at.join("gap.stl"), &gaping(off));
        let slice = "slice gap.stl --layer-height 2.5 --cli gap.cli";
        let advice = format!("--weld={expected} joins vertices");
        refused(at, slice, &advice);
        let (code, _, stderr) = run(at, &format!("{slice} --weld={expected}"));
        assert_eq!(code, 0, "{stderr}");
        let volume = 2.5 * area_of_cli(&at.join("gap.cli"));
        assert!((volume - 1000.0).abs() < 60.0 * off.iter().map(|x| x.abs()).sum::<f32>() as f64);
        fs::remove_file(at.join("gap.cli")).unwrap();
        // seams become boundary when the surface is refined
        let (code, _, stderr) = run(at, "surface gap.stl -o fine.ply");
        let said = format!("--weld={expected} -o");
        assert_eq!((code, stderr.contains(&said)), (0, true), "{stderr}");
        fs::remove_file(at.join("fine.ply")).unwrap();
    }
    // a hole is no gap
    write_stl(&at.join("hole.stl"), &block([0.0; 3], [10.0; 3])[1..]);
    refused(at, "slice hole.stl --layer-height 2.5 --cli gap.cli", "fill its holes");
    let (_, _, stderr) = run(at, "surface hole.stl -o fine.ply");
    assert!(!stderr.contains("weld"), "{stderr}");
    // cells that do not share vertices
    done(at, "shape box 2 1 1 -o box.vtu");
    done(at, "slice box.vtu --weld --layer-height 0.5 --svg box");
}

#[test]
fn rounded_heights_and_widths_give_no_empty_layer_and_no_gray_edge() {
    let here = tempdir().unwrap();
    let at = here.path();
    write_stl(&at.join("box.stl"), &block([-5.0, -5.0, 0.1], [5.0, 5.0, 20.1]));
    write_stl(&at.join("side.stl"), &block([0.1, 0.0, 0.0], [20.1, 20.0, 1.0]));
    done(at, "slice box.stl --layer-height 0.1 --svg box");
    let layers = drawn(&at.join("box"));
    assert_eq!(layers.len(), 200);
    assert!(layers.iter().all(|&(area, _)| (area - 100.0).abs() < 1e-9), "{layers:?}");
    done(at, "slice side.stl --layer-height 0.5 --pixel 0.1 --antialias 1 --bits 16 --png side");
    let found = parameters(&at.join("side"));
    assert_eq!(found["files"]["resolution"], serde_json::json!([200, 200]), "{found}");
    let bytes = fs::read(at.join("side/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    for layer in manifest["layers"].as_array().unwrap() {
        assert_eq!(layer["files"][0]["level_sum"], 40_000_u64 * 65_535, "{layer}");
    }
}

#[test]
fn facets_are_sliced_and_shown_as_they_are() {
    let here = tempdir().unwrap();
    let at = here.path();
    write_stl(&at.join("box.stl"), &block([0.0; 3], [10.0; 3]));
    let (_, _, stderr) = run(at, "slice box.stl --layer-height 5 --svg box");
    assert!(!stderr.contains("warning"), "{stderr}");
    assert_eq!(drawn(&at.join("box")), [(100.0, 1); 2]);
    // the limit is asked for
    done(at, "slice box.stl --scheme catmull-clark --layer-height 5 --svg limit");
    assert!(drawn(&at.join("limit")).iter().all(|&(area, _)| area < 80.0));
    // other files hold control meshes, also of triangles
    done(at, "surface box.stl --levels 0 -o box.obj");
    let (_, _, stderr) = run(at, "slice box.obj --layer-height 5 --svg obj");
    assert!(stderr.contains("--scheme linear slices the triangles as they are"), "{stderr}");
    assert!(drawn(&at.join("obj")).iter().all(|&(area, _)| area < 80.0));
    let read = |name: &str| fs::read(at.join(name)).unwrap();
    for ending in ["html", "glb"] {
        let [own, linear, limit] = ["own", "linear", "limit"].map(|n| format!("{n}.{ending}"));
        done(at, &format!("view box.stl -o {own}"));
        done(at, &format!("view box.stl --linear -o {linear}"));
        done(at, &format!("view box.stl --scheme catmull-clark -o {limit}"));
        assert!(read(&own) == read(&linear) && read(&own) != read(&limit), "{ending}");
    }
    refused(at, "view box.stl --rings 2 -o a.html", "shown as they are: --rings has no effect");
}

#[test]
fn shells_that_overlap_have_one_outline() {
    let here = tempdir().unwrap();
    let at = here.path();
    let square = || block([0.0; 3], [4.0; 3]);
    for (name, others, area, contours) in [
        ("overlapping", block([2.0, 2.0, 0.0], [6.0, 6.0, 4.0]), 28.0, 1),
        ("duplicate", square(), 16.0, 1),
        ("inner", block([1.0; 3], [3.0; 3]), 16.0, 1),
        ("apart", block([5.0, 0.0, 0.0], [6.0, 6.0, 4.0]), 22.0, 2),
        // side by side in the same places: bodies that touch stay two
        ("touching", block([4.0, 0.0, 0.0], [6.0, 6.0, 4.0]), 28.0, 2),
    ] {
        write_stl(&at.join(format!("{name}.stl")), &[square(), others].concat());
        done(
            at,
            &format!(
                "slice {name}.stl --layer-height 0.5 --svg {name} --cli {name}.cli --layered-svg \
                 {name}.svg --vtp {name}.vtp"
            ),
        );
        for layer in drawn(&at.join(name)) {
            assert!((layer.0 - area).abs() < 1e-9 && layer.1 == contours, "{name}: {layer:?}");
        }
        let path = |ending: &str| at.join(format!("{name}.{ending}"));
        for found in [
            area_of_cli(&path("cli")),
            area_of_layered_svg(&path("svg")),
            area_of_vtp(&path("vtp")),
        ] {
            assert!((found - 8.0 * area).abs() < 1e-6, "{name}: {found}");
        }
    }
}

#[test]
fn files_hold_no_points_on_straight_lines() {
    let here = tempdir().unwrap();
    let at = here.path();
    write_stl(&at.join("box.stl"), &block([0.0; 3], [10.0; 3]));
    done(at, "surface box.stl --scheme linear --levels 3 -o fine.stl");
    done(at, "slice fine.stl --layer-height 0.625 --cli fine.cli --vtp fine.vtp --svg fine");
    let text = fs::read_to_string(at.join("fine.cli")).unwrap();
    let contours: Vec<&str> = text.lines().filter(|line| line.contains("POLYLINE")).collect();
    assert_eq!(contours.len(), 16);
    assert!(contours.iter().all(|line| line.starts_with("$$POLYLINE/1,1,5,")), "{contours:?}");
    for (path, _) in crate::program::files(&at.join("fine")) {
        let drawing = fs::read_to_string(&path).unwrap();
        assert!(path.ends_with("manifest.json") || drawing.matches('L').count() == 4, "{drawing}");
    }
    let offsets = crate::vtk_files::array(&fs::read(at.join("fine.vtp")).unwrap(), "offsets");
    assert_eq!(offsets.last(), Some(&80.0));
}

/// A face with a hole, which a bridge edge that runs there and back joins to its outline, as the
/// bottom and the top of a block.
#[test]
fn faces_with_a_bridge_edge_are_sliced_with_their_hole() {
    let here = tempdir().unwrap();
    let at = here.path();
    let corners = [[0, 0], [4, 0], [4, 4], [0, 4], [1, 1], [3, 1], [3, 3], [1, 3]];
    let mut text = String::new();
    for (z, [x, y]) in [0, 1].iter().flat_map(|z| corners.map(|corner| (z, corner))) {
        text += &format!("v {x} {y} {z}\n");
    }
    text += "f 5 6 7 8 5 1 4 3 2 1\nf 9 10 11 12 9 13 16 15 14 13\n";
    for [a, b] in [[1, 2], [2, 3], [3, 4], [4, 1], [6, 5], [7, 6], [8, 7], [5, 8]] {
        text += &format!("f {a} {b} {} {}\n", b + 8, a + 8);
    }
    fs::write(at.join("keyhole.obj"), text).unwrap();
    // across, heights in the wall, of its sides, and in the hole
    for (axis, area, contours) in [("z", 12.0, 2), ("x", 2.0, 2)] {
        let (code, _, stderr) = run(
            at,
            &format!(
                "slice keyhole.obj --scheme linear --axis {axis} --layer-height 0.25 --svg {axis}"
            ),
        );
        assert!(code == 0 && stderr.contains("repeated corners of 2 faces"), "{stderr}");
        for (k, (found, count)) in drawn(&at.join(axis)).into_iter().enumerate() {
            let in_wall = axis == "x" && !(4..12).contains(&k);
            let expected = if in_wall { (4.0, 1) } else { (area, contours) };
            assert!(
                (found - expected.0).abs() < 1e-9 && count == expected.1,
                "{axis} {k}: {found}"
            );
        }
    }
}

#[test]
fn models_are_cropped_on_request_alone() {
    let here = tempdir().unwrap();
    let at = here.path();
    write_stl(&at.join("box.stl"), &block([0.0; 3], [4.0, 2.0, 1.0]));
    let slice = "slice box.stl --layer-height 1 --pixel 0.5 --png";
    refused(
        at,
        &format!("{slice} a --resolution 7x9"),
        "7 × 9 pixels from (0.25, -1.25) on do not hold the model, which is 8 × 4 pixels",
    );
    refused(at, &format!("{slice} a --pixel-origin 0.1:0"), "do not hold the model");
    refused(at, &format!("{slice} a --crop"), "--resolution");
    done(at, &format!("{slice} a --resolution 7x9 --crop"));
    done(at, &format!("{slice} b --resolution 8x4"));
    let white = |name: &str| {
        let bytes = fs::read(at.join(name).join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        manifest["layers"][0]["files"][0]["level_sum"].as_u64().unwrap() / 255
    };
    assert_eq!((white("a"), white("b")), (28, 32));
}

/// Two bodies side by side, in two jobs.
#[test]
fn jobs_of_an_assembly_have_the_same_pixels() {
    let here = tempdir().unwrap();
    let at = here.path();
    write_stl(&at.join("a.stl"), &block([0.0; 3], [0.97, 2.0, 1.0]));
    write_stl(&at.join("b.stl"), &block([0.97, 0.0, 0.0], [2.0, 2.0, 1.0]));
    let mut sums = Vec::new();
    for name in ["a", "b"] {
        done(
            at,
            &format!(
                "slice {name}.stl --layer-height 0.5 --pixel 0.1 --pixel-origin -0.5:0 --resolution \
                 30x20 --antialias 1 --bits 16 --png {name}"
            ),
        );
        let images = &parameters(&at.join(name))["files"];
        assert_eq!(images["origin"], serde_json::json!([-0.5, 0.0]));
        assert_eq!(images["resolution"], serde_json::json!([30, 20]));
        let bytes = fs::read(at.join(name).join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        sums.push(manifest["layers"][0]["files"][0]["level_sum"].as_f64().unwrap() / 65535.0);
    }
    assert!((sums[0] - 194.0).abs() < 0.05 && (sums[1] - 206.0).abs() < 0.05, "{sums:?}");
}

#[test]
fn walls_between_pixels_and_other_units_are_said() {
    let here = tempdir().unwrap();
    let at = here.path();
    let wall = block([0.502, 0.0, 0.0], [0.532, 5.0, 1.0]);
    write_stl(&at.join("wall.stl"), &[block([0.0, -1.0, 0.0], [5.0, 0.0, 1.0]), wall].concat());
    write_stl(&at.join("plain.stl"), &block([0.0, -1.0, 0.0], [5.0, 0.0, 1.0]));
    let slice = |name: &str, more: &str, out: &str| {
        let arguments = format!("{name}.stl --layer-height 0.25 --pixel 0.1 {more} --png {out}");
        let (code, _, stderr) = run(at, &format!("slice {arguments}"));
        assert_eq!(code, 0, "{stderr}");
        stderr.contains("walls between the centers of pixels are left out: of 4 layers")
    };
    assert!(slice("wall", "", "a"));
    assert!(!slice("wall", "--antialias 2", "b") && !slice("plain", "", "c"));
    let size = |x: f32| 0.01 * x;
    let meters = block([-1.0; 3].map(size), [1.0; 3].map(size));
    write_stl(&at.join("meters.stl"), &meters);
    refused(
        at,
        "slice meters.stl --layer-height 0.05 --svg out",
        "the model is in another unit, write mm behind them and name that unit",
    );
    refused(
        at,
        "slice meters.stl --layer-height 0.005 --pixel 0.05 --png out",
        "the model is in another unit",
    );
    refused(at, "slice plain.stl --layer-height 1e-9 --svg out", "the model is in another unit");
}

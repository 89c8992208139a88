//! `subsolid slice` of several models on one plate, as its users run it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::layer_files::area_of_cli;
use crate::program::{self, refused, run};
use crate::schema_check::errors;
use crate::slice::{done, manifest, relative};

/// A directory with a box of 2 × 2 × 2 as a solid and as a surface.
fn with_boxes() -> TempDir {
    let directory = tempdir().unwrap();
    let at = directory.path();
    program::done(at, "shape box 2 2 2 -o body.vtu");
    program::done(at, "boundary body.vtu -o insert.stl");
    directory
}

/// Numbers of pixels of each material in the layers of a folder.
fn pixels(folder: &Path) -> Vec<Vec<u64>> {
    let layers = manifest(folder)["layers"].as_array().unwrap().clone();
    let of_layer = |layer: &Value| {
        let pixels = layer["files"][0]["pixels"].as_array().unwrap();
        pixels.iter().map(|count| count.as_u64().unwrap()).collect()
    };
    layers.iter().map(of_layer).collect()
}

const DRAW: &str = "slice body.vtu insert.stl --crease-angle 40 --layer-height 0.5";
const SLICE: &str = "slice body.vtu insert.stl --crease-angle 40 --layer-height 0.5 --pixel 0.1";

#[test]
fn a_solid_and_a_surface_are_two_materials() {
    let boxes = with_boxes();
    let at = boxes.path();
    let report = done(
        at,
        &format!(
            "{SLICE} --place insert=2,0,1,90 --materials body,insert=#123456 --attribute insert \
             --png png --svg svg --cli a.cli --antialias 2 --bits 16 --vdb a.vdb --zip a.zip"
        ),
    );
    // turned about the origin: x from 0 to 2, heights from 1 to 3
    assert_eq!(report["layers_of_model"], json!(6));
    let manifest = manifest(&at.join("png"));
    assert_eq!(manifest["model"], json!("body.vtu, insert.stl"));
    let images = &manifest["parameters"]["files"];
    assert_eq!(images["resolution"], json!([20, 20]));
    let names: Vec<&str> = ["materials", "stacks"]
        .iter()
        .flat_map(|own| images[own].as_array().unwrap())
        .map(|own| own["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["body", "insert", "insert"]);
    assert_eq!(images["materials"][1]["color"], json!("#123456"));
    // the surface is the later one where both are
    let expected = [[400, 0], [400, 0], [0, 400], [0, 400], [0, 400], [0, 400]];
    assert_eq!(pixels(&at.join("png")), expected);
    let names: Vec<_> = manifest["parameters"]["parts"].as_array().unwrap().iter().collect();
    assert_eq!(names[1]["place"], json!({ "shift": [2.0, 0.0, 1.0], "degrees": 90.0 }));
    // beside each of the parts
    for part in ["body.vtu --crease-angle 40", "insert.stl --linear"] {
        let (code, _, told) = run(at, &format!("view {part} --slices png -o page.html"));
        assert!(code == 0 && !told.contains("another model"), "{told}");
    }
    // each place is of one part: six layers of 2 × 2
    assert!((area_of_cli(&at.join("a.cli")) - 24.0).abs() < 1e-4);
    let (code, _, told) = run(at, &format!("{DRAW} --place insert=2,0,1,90 --svg other"));
    assert_eq!(code, 0, "{told}");
    let told: String = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("parts body and insert overlap: of 6 layers that were looked at 2 have"));
    assert!(told.contains("square length units; it is insert's, the later one's"), "{told}");
    let strict = format!("{DRAW} --place insert=2,0,1,90 --svg other --strict");
    refused(at, &strict, "parts body and insert overlap: of 6 layers");
    // what touches does not overlap
    let (_, _, told) = run(at, &format!("{DRAW} --place insert=2,0,0 --svg beside --strict"));
    assert!(!told.contains("overlap") && told.contains("Sliced"), "{told}");
}

/// The areas of the parts, and the number of contours, in the layers of a `.cli` file.
fn areas_by_part(text: &str) -> Vec<BTreeMap<u32, (f64, usize)>> {
    let mut layers: Vec<BTreeMap<u32, (f64, usize)>> = Vec::new();
    for line in text.lines() {
        if line.starts_with("$$LAYER/") {
            layers.push(BTreeMap::new());
        }
        let Some(numbers) = line.strip_prefix("$$POLYLINE/") else { continue };
        let numbers: Vec<f64> = numbers.split(',').map(|x| x.parse().unwrap()).collect();
        let points: Vec<&[f64]> = numbers[3..].chunks(2).collect();
        assert_eq!(points.len(), numbers[2] as usize);
        let area: f64 = points
            .windows(2)
            .map(|pair| 0.5 * (pair[0][0] * pair[1][1] - pair[1][0] * pair[0][1]))
            .sum();
        assert_eq!(numbers[1] == 1.0, area > 0.0, "outer contours are counter-clockwise");
        let own = layers.last_mut().unwrap().entry(numbers[0] as u32).or_default();
        *own = (own.0 + area, own.1 + 1);
    }
    layers
}

#[test]
fn files_of_contours_tell_parts_apart() {
    let boxes = with_boxes();
    let at = boxes.path();
    fs::copy(at.join("insert.stl"), at.join("a & $b.stl")).unwrap();
    let hatch = "--hatch meander --hatch-spacing 0.1";
    // beside each other and touching, one in the other, overlapping by half
    for (place, first) in [("2,0,0", 4.0), ("5,0,0", 4.0), ("0.5,0,0", 1.0), ("1,0,0", 2.0)] {
        let plate = json!({ "schema": "subsolid.plate/1", "parts": [
            { "model": "body.vtu" },
            { "model": "a & $b.stl", "place": place.split(',').map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>() },
        ] });
        fs::write(at.join("plate.json"), plate.to_string()).unwrap();
        let options = "--crease-angle 40 --layer-height 0.5 --tolerance 1e-3";
        done(at, &format!("slice plate.json {options} {hatch} --cli a.cli --svg svg"));
        let text = fs::read_to_string(at.join("a.cli")).unwrap();
        assert!(text.contains("$$LABEL/1,body\n$$LABEL/2,a & _b\n"), "{text}");
        let layers = areas_by_part(&text);
        assert_eq!(layers.len(), 5);
        for layer in &layers[1..] {
            let [body, other] = [1, 2].map(|id| layer[&id].0);
            assert!(
                (body - first).abs() < 1e-3 && (other - 4.0).abs() < 1e-3,
                "{place}: {layer:?}"
            );
        }
        // hatches of a part cover it
        let mut hatched = BTreeMap::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("$$HATCHES/")) {
            let numbers: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
            let lengths =
                numbers[2..].chunks(4).map(|ends| (ends[2] - ends[0]).hypot(ends[3] - ends[1]));
            *hatched.entry(numbers[0] as u32).or_insert(0.0) += 0.1 * lengths.sum::<f64>();
        }
        let [body, other] = [1, 2].map(|id| hatched[&id]);
        assert!((body - 4.0 * first).abs() < 0.5 && (other - 16.0).abs() < 0.5, "{hatched:?}");
        for (path, bytes) in relative(&at.join("svg")) {
            let drawing = String::from_utf8(bytes).unwrap();
            if path.extension().is_some_and(|ending| ending == "svg") {
                let groups = [
                    "<g id=\"part1\"><title>body</title>\n<path fill=\"black\"",
                    "</g>\n<g id=\"part2\"><title>a &amp; $b</title>\n<path",
                ];
                assert!(groups.iter().all(|group| drawing.contains(group)), "{drawing}");
                assert_eq!(drawing.matches("</g>").count(), 2);
            }
        }
        let layers = manifest(&at.join("svg"))["layers"].clone();
        let area = layers[0]["files"][0]["area"].as_f64().unwrap();
        assert!((area - first - 4.0).abs() < 1e-3, "{area}");
        fs::remove_dir_all(at.join("svg")).unwrap();
        // moved contours of parts that touch are apart
        let moved = "--offset=-0.1 --cli moved.cli";
        done(at, &format!("slice plate.json {options} {moved}"));
        let text = fs::read_to_string(at.join("moved.cli")).unwrap();
        let part = areas_by_part(&text)[2][&2];
        assert!((part.0 - 1.8 * 1.8).abs() < 1e-3, "{part:?}");
    }
}

/// Files of one part are those of the model alone; places are those of a model that was moved.
#[test]
fn one_part_is_the_model_alone() {
    let boxes = with_boxes();
    let at = boxes.path();
    let options = "--crease-angle 40 --layer-height 0.3 --pixel 0.07 --antialias 3";
    let slice = |model: &str, folder: &str| {
        done(at, &format!("slice {model} {options} --png {folder} --cli {folder}.cli"));
        let mut files = relative(&at.join(folder));
        files.remove(Path::new("manifest.json")).unwrap();
        (files, fs::read(at.join(folder).with_extension("cli")).unwrap())
    };
    let plate = json!({ "schema": "subsolid.plate/1", "parts": [{ "model": "body.vtu" }] });
    fs::write(at.join("plate.json"), plate.to_string()).unwrap();
    assert!(slice("body.vtu", "alone") == slice("plate.json", "plate"));
    // several parts of one model, at the places of a moved one
    let parts = json!([
        { "model": "body.vtu", "place": ["-1 mm", 0, 0.35] },
        { "model": "body.vtu", "name": "other", "place": [4, 0, 0.35], "turn": -90 },
    ]);
    let plate = json!({ "schema": "subsolid.plate/1", "parts": parts });
    fs::write(at.join("plate.json"), plate.to_string()).unwrap();
    let options = "--crease-angle 40 --layer-height 0.5 --pixel 0.1";
    done(
        at,
        &format!("slice plate.json {options} --png two --materials body,other --place body=0,0,0"),
    );
    // heights 0 to 2 and 0.35 to 2.35
    let expected = [[400, 0], [400, 400], [400, 400], [400, 400], [0, 400]];
    assert_eq!(pixels(&at.join("two")), expected);
    let schema: Value = serde_json::from_str(&program::done(at, "schema plate")).unwrap();
    assert_eq!(errors(&schema, &plate), Vec::<String>::new());
    let twice = "slice body.vtu body.vtu --place body_2=3,0,0 --layer-height 1 --cli twice.cli";
    done(at, &format!("{twice} --crease-angle 40"));
    assert!((area_of_cli(&at.join("twice.cli")) - 16.0).abs() < 1e-4);
}

#[test]
fn windows_hold_the_plate() {
    let boxes = with_boxes();
    let at = boxes.path();
    let place = "--place insert=5mm,0,0";
    done(at, &format!("{SLICE} {place} --window -1:9,-0.5mm:3 --png png"));
    let images = manifest(&at.join("png"))["parameters"]["files"].clone();
    assert_eq!(images["resolution"], json!([100, 35]));
    assert_eq!(images["origin"], json!([-1.0, -0.5]));
    let outside = format!("{SLICE} {place} --window 0:6,0:2");
    refused(at, &format!("{outside} --png out"), "do not hold the model");
    done(at, &format!("{outside} --crop --png out --materials body,insert"));
    assert_eq!(pixels(&at.join("out"))[0], [400, 200]);
    // a plate is the window from its corner on
    for (plate, window) in [
        ("--plate 10x3.5mm --origin=-1,-0.5mm,-0.5", "--window -1:9,-0.5mm:3 --origin=-0.5"),
        ("--plate 9x3mm", "--window 0:9,0:3"),
    ] {
        for (options, folder) in [(plate, "of_plate"), (window, "of_window")] {
            done(
                at,
                &format!("{SLICE} {place} {options} --crop --png {folder} --cli {folder}.cli"),
            );
        }
        assert!(relative(&at.join("of_plate")) == relative(&at.join("of_window")));
        for folder in ["of_plate", "of_window"] {
            fs::remove_dir_all(at.join(folder)).unwrap();
        }
    }
    refused(at, &format!("{SLICE} {place} --plate 6x2 --png no"), "do not hold the model");
    for (options, fragment) in [
        ("--plate 6x0", "--plate from 0 to 0"),
        ("--plate 6x-2", "--plate from 0 to -2"),
        ("--plate 6x2 --window 0:6,0:2", "cannot be used with"),
        ("--origin 0,0,0", "--origin of three numbers without --plate"),
        ("--plate 6x2 --origin 0,0", "origins look like 0.5 or -60,-34,0"),
        ("--window 0:6,2:0", "--window from 2 to 0"),
        ("--window 0:6", "windows look like 0:120,0:68"),
        ("--window 0:6,0:2 --resolution 3x3", "cannot be used with"),
    ] {
        refused(at, &format!("{SLICE} {place} {options} --png no"), fragment);
    }
    refused(at, "slice body.vtu --layer-height 1 --window 0:6,0:2 --svg no", "--pixel");
}

#[test]
fn what_a_plate_has_no_use_for_is_refused() {
    let boxes = with_boxes();
    let at = boxes.path();
    fs::write(at.join("creases.csv"), "kind,v0,v1,sharpness\nedge,0,1,inf\n").unwrap();
    for (options, fragment) in [
        ("--pvtu a.pvtu", "--pvtu with several parts"),
        ("--png a --vtp a.vtp --attribute body", "--attribute with several parts"),
        ("--png a --material-id x", "--material-id with several parts"),
        ("--png a --materials body,steel", "no attribute \"steel\""),
        ("--png a --place x=1,0,0", "--place of \"x\", which no part has"),
        ("--png a --place 1,0,0", "--place without a name, which no part has"),
        ("--png a --place body=1,0", "places look like"),
        ("--png a --place body=1,0,0,x", "\"x\" are no degrees"),
        ("--png a --place body=nan,0,0", "a part at NaN"),
        ("--png a --creases creases.csv", "a table is of one"),
        ("--png a --offset 0.1 --materials body", "--offset with attributes, materials"),
    ] {
        refused(at, &format!("{SLICE} {options}"), fragment);
    }
    let part = json!({ "model": "body.vtu" });
    let twice =
        json!([{ "model": "body.vtu", "name": "a" }, { "model": "insert.stl", "name": "a" }]);
    for (schema, parts, fragment) in [
        ("subsolid.plate/2", json!([part]), "the schema \"subsolid.plate/2\""),
        ("subsolid.plate/1", json!([]), "no parts"),
        ("subsolid.plate/1", json!([{ "model": "body.vtu", "at": 1 }]), "unknown field `at`"),
        ("subsolid.plate/1", json!([{ "model": "body.vtu", "place": [1, 2] }]), "no plate file"),
        ("subsolid.plate/1", twice, "two parts have the name \"a\""),
        ("subsolid.plate/1", json!([{ "model": "none.vtu" }]), "none.vtu"),
    ] {
        let plate = json!({ "schema": schema, "parts": parts });
        fs::write(at.join("plate.json"), plate.to_string()).unwrap();
        refused(at, "slice plate.json --layer-height 1 --svg a", fragment);
    }
    refused(at, "slice body.vtu plate.json --layer-height 1 --svg a", "beside other models");
    // an input is not replaced
    fs::copy(at.join("insert.stl"), at.join("insert.3mf")).unwrap();
    let over = "slice body.vtu insert.3mf --layer-height 1 --slice-stack insert.3mf";
    refused(at, over, "is an input, and would be replaced");
}

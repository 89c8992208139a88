//! Lengths of `subsolid slice`: units, heights of layers, compensation, pixels of two sides.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::tempdir;

use crate::layer_files::{archived, area_of_cli};
use crate::program::{refused, run};
use crate::slice::{done, manifest, moments, relative, with_tripod};
use crate::vtk_files::array;

#[test]
fn lengths_have_units() {
    let tripod = with_tripod();
    let at = tripod.path();
    let slice = |lengths: &str, folder: &str| {
        done(at, &format!("slice tripod.vtu {lengths} --png {folder} --svg {folder}_drawn"));
        relative(&at.join(folder))
    };
    let plain = slice("--layer-height 0.2 --pixel 0.05 --tolerance 0.001 --range 0.25:1", "plain");
    let given = "--layer-height 200um --pixel 50um --tolerance 1um --range 0.25mm:0.1cm";
    let in_units = slice(given, "units");
    assert!(plain.len() > 3 && plain == in_units);
    // the unit of the model counts
    let inches = slice(
        "--layer-height 5.08mm --pixel 1.27mm --tolerance 25.4um --range 0.25:25.4mm --unit in",
        "inches",
    );
    let numbers = "--layer-height 0.2 --pixel 0.05 --tolerance 0.001 --range 0.25:1 --unit in";
    assert!(inches == slice(numbers, "numbers"));
    // of an output that has no unit, too
    let vtp = "slice tripod.vtu --layer-height 0.02cm --unit cm --vtp";
    done(at, &format!("{vtp} a.vtp"));
    done(at, "slice tripod.vtu --layer-height 0.02 --vtp b.vtp");
    assert!(fs::read(at.join("a.vtp")).unwrap() == fs::read(at.join("b.vtp")).unwrap());
    for (lengths, fragment) in [
        ("--layer-height 2parsec --pixel 1", "\"2parsec\" is not a length"),
        ("--layer-height 0.2 --pixel 1x", "\"\" is not a length"),
        ("--layer-height 0.2 --pixel 0.1mmx-1um", "--pixel 0.1x-0.001 is not positive"),
        ("--layer-height 0.2 --pixel 0.1 --dpi 600", "cannot be used with"),
        ("--layer-height 0.2 --dpi 0", "look like 600 or 600x300"),
        ("--layer-height -3um --dpi 600", "layer height -0.003 is not positive"),
    ] {
        refused(at, &format!("slice tripod.vtu {lengths} --png out"), fragment);
    }
}

/// Heights of layers are those of all files, and their volumes that of the limit.
#[test]
fn layers_have_several_heights() {
    let tripod = with_tripod();
    let at = tripod.path();
    let heights = "--layer-height 0.05,0.1@0.3:0.8,20um@1.2:1.3 --first-layer 0.08";
    let report = done(
        at,
        &format!(
            "slice tripod.vtu {heights} --png png --pixel 0.025 --antialias 4 --bits 16 --svg svg \
             --cli a.cli --vtp a.vtp --layered-svg a.svg --pvtu a.pvtu"
        ),
    );
    let images = manifest(&at.join("png"));
    let parameters = &images["parameters"];
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let mut tops = vec![number(&parameters["low"])];
    tops.extend(parameters["layer_tops"].as_array().unwrap().iter().map(number));
    let layers = images["layers"].as_array().unwrap();
    assert_eq!(
        (report["layers"].as_u64(), layers.len() + 1),
        (Some(layers.len() as u64), tops.len())
    );
    let mut volume = 0.0;
    for (layer, pair) in layers.iter().zip(tops.windows(2)) {
        let (thickness, height) = (number(&layer["thickness"]), number(&layer["height"]));
        assert!((height - 0.5 * (pair[0] + pair[1])).abs() < 1e-12);
        assert!((thickness - (pair[1] - pair[0])).abs() < 1e-12);
        let expected = match pair[0] + 1e-9 {
            _ if layer["index"] == 0 => 0.08,
            z if (0.3..0.8).contains(&z) => 0.1,
            z if (1.2..1.3).contains(&z) => 0.02,
            _ => 0.05,
        };
        assert!((thickness - expected).abs() < 1e-12, "{thickness} at {}", pair[0]);
        volume += number(&layer["files"][0]["level_sum"]) / 65535.0 * 0.025 * 0.025 * thickness;
    }
    let [expected, _] = moments(&at.join("tripod.vtu"));
    assert!((volume / expected - 1.0).abs() < 2e-4, "{volume} {expected}");
    assert_eq!([&report["layer_height"], &report["least_layer_height"]].map(number), {
        let thick = layers.iter().map(|layer| number(&layer["thickness"]));
        [thick.clone().fold(0.0, f64::max), thick.fold(1.0, f64::min)]
    });
    // of other files
    let text = fs::read_to_string(at.join("a.cli")).unwrap();
    let written = text.lines().filter_map(|line| line.strip_prefix("$$LAYER/"));
    let written: Vec<f64> = written.map(|z| z.parse().unwrap()).collect();
    assert_eq!(written.len(), tops.len());
    assert!(written.iter().zip(&tops).all(|(a, b)| (a - b).abs() < 1e-6));
    let drawings = manifest(&at.join("svg"));
    assert_eq!(drawings["parameters"]["layer_tops"], parameters["layer_tops"]);
    let sliced = |manifest: &serde_json::Value| {
        let layers = manifest["layers"].as_array().unwrap().iter();
        layers.map(|own| number(&own["files"][0]["area"]) * number(&own["thickness"])).sum::<f64>()
    };
    assert!((sliced(&drawings) / expected - 1.0).abs() < 2e-3);
    let bytes = fs::read(at.join("a.vtp")).unwrap();
    let [areas, thick, of] = ["area", "thickness", "layer"].map(|name| array(&bytes, name));
    let sum: f64 = areas.iter().zip(&thick).map(|(area, height)| area * height).sum();
    assert!((sum / sliced(&drawings) - 1.0).abs() < 1e-4, "{sum}");
    let own = |(k, height): (&f64, &f64)| height - number(&layers[*k as usize]["thickness"]);
    assert!(of.iter().zip(&thick).map(own).all(|off| off.abs() < 1e-6));
    // a range is a part of the whole, and heights differ from other layers
    done(at, &format!("slice tripod.vtu {heights} --svg part --range 0.5:0.9"));
    let (part, whole) = (relative(&at.join("part")), relative(&at.join("svg")));
    assert!(part.len() > 4);
    assert!(part.iter().all(|(name, own)| name.ends_with("manifest.json") || whole[name] == *own));
    refused(
        at,
        "slice tripod.vtu --layer-height 0.1 --svg part",
        "holds layers of other parameters",
    );
    // as high as slopes allow
    let report = done(at, "slice tripod.vtu --adaptive 10um:100um:40um --svg slopes");
    let [most, least] = ["layer_height", "least_layer_height"].map(|key| number(&report[key]));
    assert!(least >= 0.04 - 1e-12 && most <= 0.1 + 1e-12 && least < most, "{least} {most}");
    let (_, _, stderr) = run(at, "slice tripod.vtu --adaptive 0.05:0.1:0.02 --svg coarse");
    assert!(stderr.contains("larger cusps than --adaptive allows"), "{stderr}");
    let graded = concat!(env!("CARGO_MANIFEST_DIR"), "/models/graded_bracket.vtu");
    let both =
        format!("slice {graded} --axis x --adaptive 0.05:0.5:0.5 --adaptive-attribute hardness");
    let layers = |report: serde_json::Value| report["layers"].as_u64().unwrap();
    let [fine, coarse] = [0.01, 0.1]
        .map(|step| layers(done(at, &format!("{both}:{step} --layered-svg {step}.svg"))));
    assert!(fine > 2 * coarse && coarse > 4, "{fine} {coarse}");
    let (_, _, stderr) = run(at, &format!("{both}:1e-3 --svg many"));
    assert!(stderr.contains("larger changes than --adaptive-attribute allows"), "{stderr}");
    refused(at, &format!("{both}:0 --svg none"), "--adaptive-attribute hardness:0 is not positive");
    refused(at, &format!("{both} --svg none"), "look like hardness:0.1");
    refused(at, &format!("{both}s:1 --svg none"), "no attribute \"hardnesss\"");
    let svg = "slice tripod.vtu --svg out";
    for (heights, fragment) in [
        ("--layer-height 0.1,0.2", "heights in ranges look like 0.2,0.3@1:5"),
        ("--layer-height 0.1,0.2@1", "two heights look like"),
        ("--layer-height 0.1,0@1:2", "layer height 0 is not positive"),
        ("--layer-height 0.1,0.2@1:3,0.3@2:5", "the ranges of --layer-height overlap from 2 on"),
        ("--layer-height 0.1,0.2@3:1", "none lies from 3 to below 1"),
        ("--layer-height 0.1 --first-layer -1", "layer height -1 is not positive"),
        ("--layer-height 0.1 --adaptive 0.1:0.2:0.3", "cannot be used with"),
        ("--adaptive 0.1:0.2", "look like 0.05:0.2:0.02"),
        ("--adaptive 0.3:0.2:0.1", "layers from 0.3 to 0.2 high with cusps of 0.1"),
        ("--adaptive 1e-9:0.2:1e-9", "cut the height of"),
        ("--first-layer 0.1", "not provided:\n  --layer-height"),
    ] {
        refused(at, &format!("{svg} {heights}"), fragment);
    }
    let sl1 = "slice tripod.vtu --pixel 0.1 --exposure 6 --sl1 a.sl1";
    for heights in [heights, "--adaptive 0.01:0.1:0.04", "--layer-height 0.1 --first-layer 0.2"] {
        refused(at, &format!("{sl1} {heights}"), "--sl1 has one height for all layers");
        for option in ["--vdb a.vdb", "--image-stack a.3mf"] {
            let own = format!("slice tripod.vtu --pixel 0.1 {option} {heights}");
            refused(at, &own, " has one height for all layers");
        }
    }
}

/// A box of 2 x 2 x 2 with sharp edges, at (1, 2, 3).
fn with_box(at: &Path) {
    let mut points = Vec::new();
    for k in 0..8 {
        points.push([
            1.0 + 2.0 * f64::from(k & 1),
            2.0 + f64::from(k & 2),
            3.0 + f64::from(k & 4) / 2.0,
        ]);
    }
    let faces: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let point = |p: &[f64; 3]| format!("v {} {} {}\n", p[0], p[1], p[2]);
    let face = |f: &[u32; 4]| format!("f {} {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1, f[3] + 1);
    let text: String = points.iter().map(point).chain(faces.iter().map(face)).collect();
    fs::write(at.join("box.obj"), text).unwrap();
}

#[test]
fn layers_are_compensated_alike_in_contours_and_pixels() {
    let directory = tempdir().unwrap();
    let at = directory.path();
    with_box(at);
    let pi = std::f64::consts::PI;
    let slice = "slice box.obj --scheme linear --layer-height 0.25 --tolerance 1e-6";
    // lengths and areas of layers by their number
    type Area = Box<dyn Fn(f64) -> f64>;
    let square = |[x, y]: [f64; 2]| -> Area { Box::new(move |d| (x + 2.0 * d) * (y + 2.0 * d)) };
    let rounded = |[x, y]: [f64; 2]| -> Area {
        Box::new(move |d| {
            x * y + 2.0 * d * (x + y) + d.max(0.0).powi(2) * pi + 4.0 * d.min(0.0).powi(2)
        })
    };
    for (k, (options, area, moved, count)) in [
        ("--scale 1.1,0.9,1.25", square([2.2, 1.8]), [0.0; 4], 10),
        ("--scale 1.5", square([3.0, 3.0]), [0.0; 4], 12),
        ("--offset 200um --join miter", square([2.0, 2.0]), [0.2; 4], 8),
        ("--offset 0.2", rounded([2.0, 2.0]), [0.2; 4], 8),
        ("--offset -0.3", rounded([2.0, 2.0]), [-0.3; 4], 8),
        ("--elephant-foot 0.3@3", square([2.0, 2.0]), [-0.3, -0.2, -0.1, 0.0], 8),
        (
            "--elephant-foot 0.1cm@2 --offset 0.25 --scale 1,2,1 --join miter",
            square([2.0, 4.0]),
            [-0.75, -0.25, 0.25, 0.25],
            8,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let outputs = format!(
            "--svg svg{k} --cli a{k}.cli --png png{k} --pixel 0.03x0.04 --antialias 3 --bits 16"
        );
        done(at, &format!("{slice} {options} {outputs}"));
        let [drawn, images] =
            ["svg", "png"].map(|folder| manifest(&at.join(format!("{folder}{k}"))));
        let [drawn, images] = [&drawn, &images].map(|own| own["layers"].as_array().unwrap());
        assert_eq!((drawn.len(), images.len()), (count, count), "{options}");
        for (layer, (drawn, image)) in drawn.iter().zip(images).enumerate() {
            let expected = area(moved[layer.min(3)]);
            let found = drawn["files"][0]["area"].as_f64().unwrap();
            assert!((found / expected - 1.0).abs() < 1e-6, "{options} {layer}: {found} {expected}");
            let level = image["files"][0]["level_sum"].as_f64().unwrap();
            let covered = level / 65535.0 * 0.03 * 0.04;
            assert!((covered / expected - 1.0).abs() < 2e-5, "{options} {layer}: {covered}");
        }
        let whole: f64 = (0..count).map(|layer| area(moved[layer.min(3)])).sum();
        assert!((area_of_cli(&at.join(format!("a{k}.cli"))) / whole - 1.0).abs() < 1e-6);
    }
    // corners of the scaled box
    let svg = manifest(&at.join("svg0"));
    let parameters = &svg["parameters"];
    assert_eq!(parameters["compensation"]["scale"], serde_json::json!([1.1, 0.9, 1.25]));
    let origin = [0, 1].map(|d| parameters["files"]["origin"][d].as_f64().unwrap());
    assert!((origin[0] - 1.1).abs() < 1e-6 && (origin[1] - 1.8).abs() < 1e-6, "{origin:?}");
    assert!((parameters["low"].as_f64().unwrap() - 3.75).abs() < 1e-6);
    let (_, _, stderr) = run(at, &format!("{slice} --offset -1.01 --svg none"));
    assert!(
        stderr.contains("walls thinner than 2.02000 vanish by the offset: of 8 layers"),
        "{stderr}"
    );
    let (_, _, stderr) = run(at, &format!("{slice} --offset -0.9 --svg some"));
    assert!(!stderr.contains("vanish"), "{stderr}");
    refused(at, &format!("{slice} --svg svg0"), "holds layers of other parameters");
    for (options, fragment) in [
        ("--scale 0,1,1", "a scale of 0: out of range"),
        ("--scale 1,2", "factors look like 1.002 or 1.002,1.002,1"),
        ("--offset inf", "an offset of inf"),
        ("--offset=-1e12", "contours that move by 1000000000000: the layers are"),
        ("--offset 1e6", "contours that move by 1000000: the layers are"),
        ("--offset 1x", "is not a length"),
        ("--elephant-foot -1", "an elephant foot of -1 in 1 layer"),
        ("--elephant-foot 1@0", "an elephant foot looks like 0.2mm@3"),
        ("--join miter", "--join is for contours that move"),
        ("--offset 1 --join bevel", "[possible values: round, miter]"),
    ] {
        refused(at, &format!("{slice} --svg out {options}"), fragment);
    }
    let tripod = with_tripod();
    let at = tripod.path();
    let png = "slice tripod.vtu --layer-height 0.2 --pixel 0.05 --png out --attribute height";
    refused(at, &format!("{png} --offset 0.1"), "--offset with attributes, materials or places");
    refused(
        at,
        &format!("{png} --vtp a.vtp --offset=-0.1"),
        "--offset with attributes of contours",
    );
    // values are those of the model, in the pixels that are left
    done(at, &png.replace("out", "plain"));
    done(at, &format!("{} --offset=-0.06", png.replace("out", "thin")));
    let [plain, thin] = ["plain", "thin"].map(|folder| relative(&at.join(folder).join("height")));
    let decoded = |bytes: &Vec<u8>| {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        pixels
    };
    let size =
        |folder: &str| manifest(&at.join(folder))["parameters"]["files"]["resolution"].clone();
    assert!(plain.len() == thin.len() && plain.len() > 5);
    assert_ne!(size("plain"), size("thin"));
    let sum = |files: &BTreeMap<PathBuf, Vec<u8>>| -> u64 {
        files.values().flat_map(decoded).map(u64::from).sum()
    };
    assert!(sum(&thin) > 0 && sum(&thin) < sum(&plain));
}

/// Pixels of two sides have the volume of the limit, and images say their size.
#[test]
fn pixels_may_be_oblong() {
    let tripod = with_tripod();
    let at = tripod.path();
    let slice = "slice tripod.vtu --layer-height 0.1 --antialias 2";
    done(at, &format!("{slice} --dpi 300x150 --png png --bits 16"));
    let images = manifest(&at.join("png"));
    let files = &images["parameters"]["files"];
    let [across, up] = [0, 1].map(|d| files["pitch"][d].as_f64().unwrap());
    assert!((across - 25.4 / 300.0).abs() < 1e-15 && (up - 25.4 / 150.0).abs() < 1e-15);
    let [columns, rows] = [0, 1].map(|d| files["resolution"][d].as_f64().unwrap());
    assert!(columns > 1.5 * rows, "{columns} {rows}");
    let layers = images["layers"].as_array().unwrap();
    let sums = layers.iter().map(|layer| layer["files"][0]["level_sum"].as_f64().unwrap());
    let volume = sums.sum::<f64>() / 65535.0 * across * up * 0.1;
    let [expected, _] = moments(&at.join("tripod.vtu"));
    assert!((volume / expected - 1.0).abs() < 1e-3, "{volume} {expected}"); // 4e-4
    let path = at.join("png").join(layers[3]["files"][0]["path"].as_str().unwrap());
    let bytes = std::io::BufReader::new(fs::File::open(path).unwrap());
    let image = png::Decoder::new(bytes).read_info().unwrap();
    let size = image.info().pixel_dims.unwrap();
    assert_eq!([size.xppu, size.yppu], [11811, 5906]);
    // one number where they are equal, and what a display is as large as
    let sl1 = "--pixel 0.04x0.08 --resolution 200x100 --crop --exposure 6 --sl1 a.sl1";
    done(at, &format!("{slice} {sl1} --bmp bmp"));
    let ini = String::from_utf8(archived(&at.join("a.sl1"))[Path::new("prusaslicer.ini")].clone());
    let ini = ini.unwrap();
    assert!(ini.contains("display_width = 8\n") && ini.contains("display_height = 8\n"), "{ini}");
    let bitmaps = manifest(&at.join("bmp"));
    let path = bitmaps["layers"][0]["files"][0]["path"].as_str().unwrap();
    let bytes = fs::read(at.join("bmp").join(path)).unwrap();
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!([number(38), number(42)], [25000, 12500]);
}

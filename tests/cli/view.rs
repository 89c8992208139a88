//! `subsolid view`: options, reports and refusals. What pages show is tested in
//! `tests/jobs/view.rs` and, in a browser, by `tests/view/browser.mjs`.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::tempdir;

use crate::decoded_page::Decoded;
use crate::program::{done, refused, run};
use crate::with_fan;

const SURFACE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 1\nf 1 2 3 4\n";

#[test]
fn pages_are_written_and_reported() {
    let fan = with_fan();
    let here = fan.path();
    let report = done(here, "view fan.vtu --json -o fan.html");
    let report: Value = serde_json::from_str(&report).unwrap();
    let html = fs::read_to_string(here.join("fan.html")).unwrap();
    assert_eq!(report["bytes"], html.len());
    assert!(report["worst"]["scaled_jacobian"].as_f64().unwrap() > -1.0);
    assert!(html.starts_with("<!doctype html>") && html.contains("<title>fan.vtu</title>"));
    assert!(html.contains("default-src 'none'") && !html.contains("{{"));

    done(here, "view fan.vtu --title <a&b> --quality --no-interior -o small.html");
    let small = fs::read_to_string(here.join("small.html")).unwrap();
    assert!(small.contains("<title>&lt;a&amp;b&gt;</title>"));
    assert!(small.len() < html.len());

    done(here, "evaluate fan.vtu --samples 3 -o limit.vtu");
    done(here, "view limit.vtu --linear -o limit.html");
    done(here, "distance fan.vtu --to boundary --name depth -o depth.vtu");
    done(here, "view depth.vtu --color depth -o depth.html");
    done(here, "view fan.vtu --color class -o class.html");
    done(here, "slice fan.vtu --layer-height 0.5 --png layers --pixel 0.1");
    let (status, _, said) = run(here, "view fan.vtu --slices layers -o job.html");
    assert!(status == 0 && !said.contains("warning"), "{said}");
    fs::write(here.join("quad.obj"), SURFACE).unwrap();
    for scheme in ["catmull-clark", "loop", "sqrt3", "bilinear"] {
        done(here, &format!("view quad.obj --scheme {scheme} -o {scheme}.html"));
    }
    // schemes of triangles say that they cut polygons
    for (scheme, is_cut) in [("loop", true), ("sqrt3", true), ("bilinear", false)] {
        for output in ["cut.html", "cut.glb"] {
            let (status, _, said) =
                run(here, &format!("view quad.obj --scheme {scheme} -o {output}"));
            assert!(
                status == 0 && said.contains("corners was cut into triangles") == is_cut,
                "{said}"
            );
        }
    }
    done(here, "view quad.obj --linear -o polygons.html");
    // the same bytes again
    done(here, "view fan.vtu --threads 1 -o again.html");
    assert_eq!(html, fs::read_to_string(here.join("again.html")).unwrap());
}

/// The JSON of a .glb file.
fn gltf(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

/// Colors of the vertices of a .glb file.
fn gltf_colors(path: &Path) -> Vec<[f32; 3]> {
    let (json, bytes) = (gltf(path), fs::read(path).unwrap());
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let attributes = &json["meshes"][0]["primitives"][0]["attributes"];
    let accessor = &json["accessors"][number(&attributes["COLOR_0"])];
    let view = &json["bufferViews"][number(&accessor["bufferView"])];
    let text = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let start = 20 + text + 8 + number(&view["byteOffset"]);
    let numbers = bytes[start..][..12 * number(&accessor["count"])].as_chunks::<4>().0;
    numbers.as_chunks::<3>().0.iter().map(|color| color.map(f32::from_le_bytes)).collect()
}

/// Bytes of a color are colors of vertices, as light: 188 is half of it.
#[test]
fn colors_of_vertices_are_those_of_gltf() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    let header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\n\
                  property double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n\
                  element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let rows = "0 0 0 255 0 188\n1 0 0 0 255 0\n0 1 0 0 0 255\n3 0 1 2\n";
    fs::write(here.join("colored.ply"), format!("{header}{rows}")).unwrap();
    done(here, "surface colored.ply --scheme loop --levels 0 -o colored.glb");
    let json = gltf(&here.join("colored.glb"));
    let attributes = json["meshes"][0]["primitives"][0]["attributes"].as_object().unwrap();
    let names: Vec<&str> = attributes.keys().map(String::as_str).collect();
    assert_eq!(names, ["COLOR_0", "POSITION"]);
    let color = gltf_colors(&here.join("colored.glb"))[0];
    assert_eq!(color[..2], [1.0, 0.0]);
    assert!((color[2] - 0.5029).abs() < 1e-4, "{color:?}");
}

#[test]
fn viewers_of_gltf_get_the_boundary() {
    let fan = with_fan();
    let here = fan.path();
    done(here, "distance fan.vtu --to boundary --name depth -o depth.vtu");
    done(here, "evaluate depth.vtu --samples 4 --color depth --unit mm -o limit.glb");
    let json = gltf(&here.join("limit.glb"));
    let attributes = json["meshes"][0]["primitives"][0]["attributes"].as_object().unwrap();
    let names: Vec<&str> = attributes.keys().map(String::as_str).collect();
    assert_eq!(names, ["COLOR_0", "NORMAL", "POSITION", "_DEPTH"]);
    assert!((json["nodes"][0]["scale"][0].as_f64().unwrap() - 1e-3).abs() < 1e-9);
    done(here, "evaluate depth.vtu --samples 4 -o plain.glb");
    let json = gltf(&here.join("plain.glb"));
    assert!(json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"].is_null());
    assert!(json["nodes"][0]["scale"].is_null());

    let report = done(here, "view fan.vtu --fineness 3 --up y --json -o shown.glb");
    let report: Value = serde_json::from_str(&report).unwrap();
    let json = gltf(&here.join("shown.glb"));
    assert!(json["nodes"][0]["rotation"].is_null());
    let positions = &json["accessors"][0]["count"];
    assert_eq!(report["vertices"], *positions);
    assert!(!json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"].is_null());
    done(here, "evaluate fan.vtu --samples 4 --color class -o class.glb");
    // in the colors of the page
    done(here, "view fan.vtu -o fan.html");
    let page = fs::read_to_string(here.join("fan.html")).unwrap();
    let to_srgb =
        |x: f32| if x > 0.0031308 { 1.055 * x.powf(1.0 / 2.4) - 0.055 } else { 12.92 * x };
    let of_classes: std::collections::BTreeSet<String> = gltf_colors(&here.join("class.glb"))
        .into_iter()
        .map(|color| color.map(|x| (255.0 * to_srgb(x)).round() as u8))
        .map(|[red, green, blue]| format!("#{red:02x}{green:02x}{blue:02x}"))
        .collect();
    assert!(of_classes.len() > 1 && of_classes.iter().all(|color| page.contains(color)));
    done(here, "evaluate fan.vtu --samples 3 --jacobian -o limit.vtu");
    // cells that own their points are shown as they are
    let (status, _, said) = run(here, "view limit.vtu --linear --color det_j -o linear.glb");
    assert!(status == 0 && !said.contains("lie exactly"), "{said}");
    fs::write(here.join("quad.obj"), SURFACE).unwrap();
    for command in ["view", "surface", "surface --scheme loop", "view --linear"] {
        done(here, &format!("{command} quad.obj --unit in -o quad.glb"));
    }
    done(here, "boundary fan.vtu --unit cm --up y -o fan.glb");
    for (arguments, message) in [
        ("evaluate fan.vtu --gauss 3 -o x.glb", "--gauss is not for .glb"),
        ("evaluate fan.vtu --samples 3 --jacobian -o x.glb", "--jacobian is not for .glb"),
        ("evaluate fan.vtu -o x.glb", "a grid of samples"),
        ("evaluate fan.vtu --samples 1 -o x.glb", "1 sample "),
        ("evaluate fan.vtu --samples 3 --color heat -o x.glb", "no array `heat`"),
        ("evaluate fan.vtu --samples 3 --color heat -o x.vtu", "--color is for a .glb"),
        ("evaluate fan.vtu --samples 3 --unit mm -o x.vtu", "--unit is for .glb"),
        ("boundary fan.vtu --up y -o x.obj", "--up is for .glb"),
        ("view fan.vtu --title a -o x.glb", "--title is for pages"),
        ("view fan.vtu --rings 2 -o x.glb", "--rings is for pages"),
        ("view fan.vtu --interior-rings 2 -o x.glb", "--interior-rings is for pages"),
        ("view fan.vtu --fineness 5 -o x.html", "--fineness is for .glb"),
        ("view fan.vtu --linear --strict -o x.html", "--strict has no effect"),
        ("view fan.vtu --linear --crease-angle 30 -o x.html", "--crease-angle has no effect"),
        ("view fan.vtu --fineness 40 -o x.glb", "40 samples"),
    ] {
        refused(here, arguments, message);
    }
}

/// Whether a line of a text has all cells of a row, in their order.
pub fn has_row(text: &str, row: &[String]) -> bool {
    let is_row = |line: &str| {
        let mut rest = Some(line);
        row.iter().all(|cell| {
            rest = rest.and_then(|rest| rest.split_once(&**cell)).map(|(_, rest)| rest);
            rest.is_some()
        })
    };
    text.lines().any(is_row)
}

#[test]
fn reports_are_pages_with_tables() {
    let fan = with_fan();
    let here = fan.path();
    let plain = done(here, "info fan.vtu --verbose");
    assert_eq!(plain, done(here, "info fan.vtu --verbose --report info.html"));
    let compared = done(here, "compare fan.vtu --backend cpu --samples 3 --report compare.html");
    done(
        here,
        "bench fan.vtu --backend cpu --samples 2 --levels 0 --repeats 1 --report bench.html",
    );
    for name in ["info", "compare", "bench"] {
        let html = fs::read_to_string(here.join(format!("{name}.html"))).unwrap();
        assert!(html.contains("default-src 'none'"), "{name}");
        assert!(html.contains(include_str!("../../src/view/page/colors.css")), "{name}");
    }
    // the tables are those of the text
    let rows = |name: &str| Decoded::of_html(&fs::read_to_string(here.join(name)).unwrap()).rows();
    let found = rows("info.html");
    assert_eq!(found.len(), plain.lines().count());
    assert!(found.iter().all(|row| has_row(&plain, row)), "{found:?} in {plain}");
    // three units of all cells, of layered and of irregular ones, and the two worst
    let found = rows("compare.html");
    assert_eq!(found.len(), 11);
    assert!(found[..9].iter().all(|row| has_row(&compared, row)), "{found:?} in {compared}");
    for (arguments, message) in [
        ("info fan.vtu --report fan.vtu", "end its name in .html"),
        ("info fan.vtu --report missing/a.html", "create its directory"),
        ("compare fan.vtu --report a.vtu", "end its name in .html"),
    ] {
        refused(here, arguments, message);
    }
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let fan = with_fan();
    let here = fan.path();
    fs::write(here.join("quad.obj"), SURFACE).unwrap();
    fs::create_dir(here.join("empty")).unwrap();
    for (arguments, message) in [
        ("view fan.vtu -o fan.png", "unknown output format"),
        ("view fan.vtu --color heat -o fan.html", "no array `heat`"),
        ("view fan.vtu --rings 9 -o fan.html", "9 rings"),
        ("view fan.vtu --samples 1 -o fan.html", "1 sample "),
        ("view fan.vtu --slices empty -o fan.html", "no manifest.json"),
        ("view fan.vtu --scheme loop -o fan.html", "--scheme is for surfaces"),
        ("view fan.vtu --linear --levels 1 -o fan.html", "--levels has no effect"),
        ("view quad.obj --quality -o quad.html", "--quality is for solids"),
        ("view quad.obj --no-interior -o quad.html", "--no-interior is for solids"),
        ("view quad.obj --levels 2 -o quad.html", "its limit is shown"),
        ("view quad.obj --interior-rings 1 -o a.html", "--interior-rings is for solids"),
        ("view quad.obj --samples 3 -o a.html", "--samples is for solids"),
        ("view quad.obj --linear --levels 1 -o a.html", "polygons of the file unchanged: --levels"),
        ("view quad.obj --linear --rings 1 -o a.html", "--rings has no effect"),
        ("view quad.obj --linear --scheme loop -o a.html", "--scheme has no effect"),
        ("view quad.obj --linear --scheme catmull-clark -o a.html", "--scheme has no effect"),
        ("view quad.obj --linear --scheme catmull-clark -o a.glb", "--scheme has no effect"),
        ("view fan.vtu --scheme catmull-clark -o fan.html", "--scheme is for surfaces"),
        ("view quad.obj --linear --fineness 3 -o a.glb", "--fineness has no effect"),
        ("view quad.obj --scheme loop --rings 1 -o a.html", "--rings has no effect"),
        ("view quad.obj --scheme loop --fineness 3 -o a.glb", "--fineness has no effect"),
        (
            "view fan.vtu --no-interior --interior-rings 1 -o a.html",
            "--interior-rings has no effect",
        ),
        ("view fan.vtu --linear --interior-rings 1 -o a.html", "--interior-rings has no effect"),
        ("view fan.vtu --linear --rings 1 -o a.html", "--rings has no effect"),
        ("view fan.vtu --linear --no-interior -o a.html", "--no-interior has no effect"),
        ("view fan.vtu --linear --fineness 3 -o a.glb", "--fineness has no effect"),
    ] {
        refused(here, arguments, message);
    }
}

#[test]
fn layers_of_another_model_and_images_left_out_are_said() {
    let fan = with_fan();
    let here = fan.path();
    done(here, "shape box -o box.vtu");
    done(here, "distance fan.vtu --to boundary --name depth -o depth.vtu");
    let slice = "--layer-height 0.5 --pixel 0.1";
    done(here, &format!("slice fan.vtu {slice} --levels 1 --png finer"));
    done(here, &format!("slice depth.vtu {slice} --attribute depth --png values"));
    let said = |command: &str| {
        let (status, _, said) = run(here, command);
        assert_eq!(status, 0, "{said}");
        said
    };
    assert!(!said("view fan.vtu --slices finer -o a.html").contains("warning"));
    let other = said("view box.vtu --slices finer -o a.html");
    assert!(other.contains("finer: the layers are of another model"), "{other}");
    let several = said("view depth.vtu --slices values -o a.html");
    assert!(several.contains("the images of ") && several.contains("left out depth"), "{several}");
    assert!(!several.contains("another model"), "{several}");
}

/// Layers of a surface, by whatever scheme it was sliced, stand beside it.
#[test]
fn layers_are_shown_beside_surfaces() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box -o box.vtu");
    done(here, "boundary box.vtu -o box.stl");
    done(here, "boundary box.vtu -o box.obj");
    let slice = "--layer-height 0.25 --pixel 0.1";
    done(here, &format!("slice box.stl --scheme linear {slice} --png facets"));
    done(here, &format!("slice box.obj {slice} --png limit"));
    for (view, folder) in
        [("box.stl --linear", "facets"), ("box.stl --scheme loop", "facets"), ("box.obj", "limit")]
    {
        let (status, _, said) = run(here, &format!("view {view} --slices {folder} -o a.html"));
        assert!(status == 0 && !said.contains("another model"), "{view}: {said}");
        let page = Decoded::of_html(&fs::read_to_string(here.join("a.html")).unwrap());
        let layers = &page.head["layers"];
        assert_eq!(layers["axis"], "z", "{view}");
        assert_eq!(layers["images"].as_array().unwrap().len(), layers["count"], "{view}");
        let image = &layers["images"][1];
        let [at, count] = ["at", "count"].map(|key| image[key].as_u64().unwrap() as usize);
        let bytes = &page.bytes(false, "layer images")[at..at + count];
        assert!(bytes.starts_with(b"\x89PNG") && bytes.ends_with(b"IEND\xaeB`\x82"), "{view}");
    }
    let (status, _, said) = run(here, "view box.obj --slices facets -o a.html");
    assert!(status == 0 && said.contains("facets: the layers are of another model"), "{said}");
}

#[test]
fn triangles_have_no_error_bound() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    fs::write(here.join("quad.obj"), SURFACE).unwrap();
    let bound = |arguments: &str| {
        let report = done(here, &format!("view quad.obj {arguments} --json -o a.html"));
        let report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["schema"], "subsolid.view/3");
        report["error_bound"].clone()
    };
    assert!(bound("--scheme loop").is_null());
    assert_eq!(bound("--linear"), 0.0);
    assert!(bound("").is_number());
    // .glb files have another report, which the schema names
    let schema: Value = serde_json::from_str(&done(here, "schema view")).unwrap();
    let described = schema["description"].as_str().unwrap();
    assert!(described.contains("`surface`"), "{described}");
    let report = done(here, "view quad.obj --json -o a.glb");
    assert!(report.contains("subsolid.surface/"), "{report}");
}

#[test]
fn the_stored_page_has_the_program_of_today() {
    let page = include_str!("../../models/bracket.html");
    let program = include_str!("../../src/view/page/bundle.js");
    assert!(page.contains(program), "write it again: subsolid view models/bracket.vtk");
}

/// Limits around a vertex of thousands of faces would take hours.
#[test]
fn valences_that_take_hours_are_refused() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    let count = 2100;
    let around = (0..count).map(|i| f64::from(i) * std::f64::consts::TAU / f64::from(count));
    let points: String = around.map(|a| format!("v {} {} 0\n", a.cos(), a.sin())).collect();
    let last = count + 1;
    let faces: String = (1..=count).map(|i| format!("f {i} {} {last}\n", i % count + 1)).collect();
    fs::write(here.join("disk.obj"), format!("{points}v 0 0 1\n{faces}")).unwrap();
    for command in [
        "view disk.obj -o disk.html",
        "view disk.obj -o disk.glb",
        "surface disk.obj --limit -o a.ply",
    ] {
        refused(here, command, "2100 faces meet at vertex 2100: limits take at most 2048");
    }
    done(here, "surface disk.obj --levels 1 -o refined.ply");
}

/// Whoever mails a page does not mail other files.
#[test]
fn only_images_in_the_folder_of_layers_are_shown() {
    let fan = with_fan();
    let here = fan.path();
    done(here, "slice fan.vtu --layer-height 0.5 --pixel 0.1 --png layers");
    let manifest = here.join("layers/manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let listed: serde_json::Value = serde_json::from_str(&text).unwrap();
    let file = listed["layers"][0]["files"][0]["path"].as_str().unwrap();
    let view = "view fan.vtu --slices layers -o page.html";
    for outside in ["../fan.vtu", "/etc/hostname"] {
        std::fs::write(&manifest, text.replacen(file, outside, 1)).unwrap();
        refused(here, view, "outside of its folder");
    }
    std::fs::write(&manifest, &text).unwrap();
    let image = here.join("layers").join(file);
    let whole = std::fs::read(&image).unwrap();
    std::fs::write(&image, &whole[1..]).unwrap();
    refused(here, view, "the manifest says");
    std::fs::write(&image, vec![b'x'; whole.len()]).unwrap();
    refused(here, view, "is not a PNG image");
    std::fs::write(&image, whole).unwrap();
    done(here, view);
}

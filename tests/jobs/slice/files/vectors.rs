//! Drawings and contour files, parsed back; areas computed anew from what they say.

use std::fs;

use quick_xml::Reader;
use quick_xml::events::Event;
use subsolid::slice::output::{CommonLayerInterface, Encoding, LayeredSvg, Polylines, SvgStack};
use subsolid::slice::{Contour, LayerSource, Setting};
use tempfile::tempdir;

use crate::vtk_files::{array, folder};

use super::cone::{CORNERS, Cone, HOLE, files, manifest, setting, slice};

/// Area of a polygon of `CORNERS` corners in a circle.
fn disc(radius: f64) -> f64 {
    0.5 * CORNERS as f64 * radius * radius * (std::f64::consts::TAU / CORNERS as f64).sin()
}

fn layer_area(height: f64) -> f64 {
    disc(Cone::radius(height)) - disc(HOLE)
}

fn area(points: Vec<[f64; 2]>) -> f64 {
    Contour { points, depth: 0 }.area()
}

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs(), "{a} {b}");
}

/// Attributes of the first elements `svg` and `path`.
fn svg(text: &str) -> [std::collections::HashMap<String, String>; 2] {
    let mut reader = Reader::from_str(text);
    let mut found = [const { None }; 2];
    loop {
        match reader.read_event().unwrap() {
            Event::Start(element) | Event::Empty(element) => {
                let place = match element.name().as_ref() {
                    "svg" => 0,
                    "path" => 1,
                    _ => continue,
                };
                let pairs = element.attributes().map(|a| a.unwrap());
                found[place] = Some(
                    pairs.map(|a| (a.key.as_ref().to_string(), a.value.to_string())).collect(),
                );
            }
            Event::Eof => return found.map(Option::unwrap_or_default),
            _ => {}
        }
    }
}

/// Contours of path data that consist of M, L and Z.
fn contours(data: &str) -> Vec<Vec<[f64; 2]>> {
    let closed = data.split('Z').filter(|part| !part.trim().is_empty());
    closed
        .map(|part| {
            let part = part.trim().strip_prefix('M').expect("a contour begins with M");
            let point = |text: &str| {
                let numbers: Vec<f64> = text.split(' ').map(|x| x.parse().unwrap()).collect();
                <[f64; 2]>::try_from(numbers).unwrap()
            };
            part.split('L').map(point).collect()
        })
        .collect()
}

#[test]
fn drawings_have_the_areas_of_the_layers() {
    let directory = tempdir().unwrap();
    let setting = Setting { unit_mm: 25.4, ..setting() }; // lengths in inches
    let output = SvgStack::open(directory.path(), &setting, false).unwrap();
    slice(&Cone::new(), 0..30, output);
    let manifest = manifest(directory.path());
    assert_eq!(manifest.layers.len(), 30);
    for layer in &manifest.layers {
        let text = fs::read_to_string(directory.path().join(&layer.files[0].path)).unwrap();
        let [root, path] = svg(&text);
        assert_eq!(
            (root["width"].as_str(), root["height"].as_str()),
            ("88.900000mm", "88.900000mm")
        );
        assert_eq!(root["viewBox"], "0 0 88.900000 88.900000");
        assert_eq!(path["fill-rule"], "nonzero");
        let contours = contours(&path["d"]);
        assert_eq!(contours.len(), 2);
        // the plane's y runs up, the drawing's down: the first corner lies to the right
        let [x, y] = contours[0][CORNERS / 4];
        near(x, 88.9 / 2.0, 1e-6);
        near(y, 25.4 * (1.75 - Cone::radius(layer.height)), 1e-5);
        let areas: Vec<f64> = contours.into_iter().map(|c| area(c).abs()).collect();
        near((areas[0] - areas[1]) / 25.4 / 25.4, layer_area(layer.height), 1e-7);
        near(layer.files[0].area.unwrap(), layer_area(layer.height), 1e-12);
        assert_eq!(layer.files[0].contours, Some(2));
    }
}

/// Layers of a file: upper surface, then direction and points of every polyline.
type Parsed = Vec<(f64, Vec<(u32, Vec<[f64; 2]>)>)>;

fn parse_text(text: &str) -> Parsed {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("$$HEADERSTART"));
    let head: Vec<&str> = lines.by_ref().take_while(|&line| line != "$$HEADEREND").collect();
    assert!(head.contains(&"$$ASCII") && head.contains(&"$$VERSION/200"));
    assert_eq!(lines.next(), Some("$$GEOMETRYSTART"));
    let mut layers: Parsed = Vec::new();
    for line in lines.by_ref().take_while(|&line| line != "$$GEOMETRYEND") {
        if let Some(top) = line.strip_prefix("$$LAYER/") {
            layers.push((top.parse().unwrap(), Vec::new()));
            continue;
        }
        let numbers = line.strip_prefix("$$POLYLINE/").unwrap().split(',');
        let numbers: Vec<f64> = numbers.map(|x| x.parse().unwrap()).collect();
        assert_eq!(numbers.len(), 3 + 2 * numbers[2] as usize);
        let points = numbers[3..].chunks(2).map(|p| [p[0], p[1]]).collect();
        layers.last_mut().unwrap().1.push((numbers[1] as u32, points));
    }
    assert_eq!(lines.next(), None);
    let count = head.iter().find_map(|line| line.strip_prefix("$$LAYERS/")).unwrap();
    assert_eq!(count.parse(), Ok(layers.len()));
    layers
}

fn parse_binary(bytes: &[u8]) -> Parsed {
    let end = b"$$HEADEREND";
    let start = bytes.windows(end.len()).position(|part| part == end).unwrap() + end.len();
    let head = std::str::from_utf8(&bytes[..start]).unwrap();
    assert!(head.starts_with("$$HEADERSTART\n$$BINARY\n$$UNITS/1\n"), "{head}");
    let mut rest = &bytes[start..];
    let mut take = |n: usize| {
        let (taken, after) = rest.split_at_checked(n)?;
        rest = after;
        Some(taken)
    };
    let mut layers: Parsed = Vec::new();
    while let Some(command) = take(2) {
        let mut four = || <[u8; 4]>::try_from(take(4).unwrap()).unwrap();
        match u16::from_le_bytes([command[0], command[1]]) {
            127 => layers.push((f32::from_le_bytes(four()).into(), Vec::new())),
            130 => {
                let [_, direction, count] = [(); 3].map(|()| u32::from_le_bytes(four()));
                let mut point = || [(); 2].map(|()| f64::from(f32::from_le_bytes(four())));
                let points = (0..count).map(|_| point()).collect();
                layers.last_mut().unwrap().1.push((direction, points));
            }
            other => panic!("command {other}"),
        }
    }
    layers
}

fn check_layers(layers: &Parsed, tolerance: f64) {
    let stack = setting().stack;
    assert_eq!(layers.len(), 6);
    assert!(layers[0].1.is_empty(), "the bottom of the first layer");
    near(layers[0].0, stack.slab(10)[0], 1e-6);
    for (k, (top, lines)) in (10..).zip(&layers[1..]) {
        near(*top, stack.slab(k)[1], 1e-6);
        assert_eq!(lines.iter().map(|(direction, _)| *direction).collect::<Vec<_>>(), [1, 0]);
        for (direction, points) in lines {
            assert_eq!((points.len(), points.first()), (CORNERS + 1, points.last()));
            assert_eq!(area(points.clone()) > 0.0, *direction == 1);
        }
        let sum: f64 = lines.iter().map(|(_, points)| area(points.clone())).sum();
        near(sum, layer_area(stack.middle(k)), tolerance);
    }
}

#[test]
fn common_layers_are_parsed_back() {
    let directory = tempdir().unwrap();
    // clear of heights 0, where relative differences mean nothing
    for (encoding, tolerance) in [(Encoding::Text, 1e-6), (Encoding::Binary, 1e-6)] {
        let path = directory.path().join("a.cli");
        let output = CommonLayerInterface::create(&path, &setting(), &(10..15), encoding).unwrap();
        slice(&Cone::new(), 10..15, output);
        let bytes = fs::read(&path).unwrap();
        let layers = match encoding {
            Encoding::Text => parse_text(std::str::from_utf8(&bytes).unwrap()),
            Encoding::Binary => parse_binary(&bytes),
        };
        check_layers(&layers, tolerance);
    }
    assert_eq!(files(directory.path()).len(), 1);
}

/// `tests/io/vtk_layers.py` reads the same file.
#[test]
fn polylines_read_back() {
    let cone = Cone::new();
    let path = folder("readback").join("layers.vtp");
    let output = Polylines::create(&path, &setting(), cone.channels(), &[1, 0]).unwrap();
    slice(&cone, 0..30, output);
    let bytes = fs::read(&path).unwrap();
    let points = array(&bytes, "Points");
    let lines = points.as_chunks::<3>().0.chunks_exact(CORNERS);
    assert_eq!(lines.len(), 2 * 30);
    let [layer, height, depth, areas] =
        ["layer", "height", "depth", "area"].map(|name| array(&bytes, name));
    for (i, line) in lines.enumerate() {
        let z = -0.5 + 0.05 * ((i / 2) as f64 + 0.5);
        assert_eq!([layer[i], depth[i]], [i / 2, i % 2].map(|number| number as f64));
        assert!((height[i] - z).abs() < 1e-12);
        let radius = if i % 2 == 0 { Cone::radius(z) } else { HOLE };
        near(areas[i], disc(radius) * if i % 2 == 0 { 1.0 } else { -1.0 }, 1e-12);
        for point in line {
            assert!((point[0].hypot(point[1]) - radius).abs() < 1e-12 && point[2] == height[i]);
        }
    }
    let flat = |d: usize| points.iter().skip(d).step_by(3).copied().collect::<Vec<f64>>();
    assert_eq!(array(&bytes, "x"), flat(0));
    assert_eq!(array(&bytes, "heat &amp; height"), flat(2));
    // closed: each line ends at its first point
    let ids = array(&bytes, "connectivity");
    for (line, ids) in ids.chunks_exact(CORNERS + 1).enumerate() {
        let id = |i: usize| (line * CORNERS + i % CORNERS) as f64;
        assert!(ids.iter().enumerate().all(|(i, &found)| found == id(i)));
    }
    assert_eq!(ids.len(), 60 * (CORNERS + 1));
}

#[test]
fn a_file_that_is_not_finished_does_not_appear() {
    let directory = tempdir().unwrap();
    let (setting, cone) = (setting(), Cone::new());
    let path = directory.path().join("a");
    drop(CommonLayerInterface::create(&path, &setting, &(0..3), Encoding::Text).unwrap());
    drop(Polylines::create(&path, &setting, cone.channels(), &[]).unwrap());
    assert!(files(directory.path()).is_empty());
}

/// The layered form: polygons of every layer, in millimeters from the corner of the box.
#[test]
fn layered_drawings_have_the_areas_of_the_layers() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("all.svg");
    let setting = Setting { unit_mm: 10.0, ..setting() };
    slice(&Cone::new(), 3..9, LayeredSvg::create(&path, &setting, &(3..9)).unwrap());
    let text = fs::read_to_string(&path).unwrap();
    let mut reader = Reader::from_str(&text);
    // of each layer: its height, then kinds, colors and points
    let mut layers: Vec<(f64, Vec<[String; 3]>)> = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(element) | Event::Empty(element) => {
                let of = |key: &str| -> String {
                    let found = element.attributes().map(|a| a.unwrap());
                    let found = found.into_iter().find(|a| a.key.as_ref() == key);
                    found.unwrap_or_else(|| panic!("no {key}")).value.to_string()
                };
                match element.name().as_ref() {
                    "svg" => {
                        assert_eq!(of("xmlns:slic3r"), "http://slic3r.org/namespaces/slic3r");
                        near(of("width").parse().unwrap(), 35.0, 1e-6);
                    }
                    "g" => {
                        assert_eq!(of("id"), format!("layer{}", layers.len()));
                        layers.push((of("slic3r:z").parse().unwrap(), Vec::new()));
                    }
                    "polygon" => {
                        let parts = ["slic3r:type", "style", "points"].map(of);
                        layers.last_mut().unwrap().1.push(parts);
                    }
                    other => panic!("{other}"),
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(layers.len(), 6);
    for (k, (height, polygons)) in layers.into_iter().enumerate() {
        let middle = setting.stack.middle(k + 3);
        near(height, (middle + 0.5) * 10.0, 1e-6);
        let mut sum = 0.0;
        for (i, [kind, style, points]) in polygons.into_iter().enumerate() {
            let (expected, color) = [("contour", "white"), ("hole", "black")][i];
            assert_eq!((kind.as_str(), style), (expected, format!("fill: {color}")));
            let points = points.split(' ').map(|pair| {
                let (x, y) = pair.split_once(',').unwrap();
                [x, y].map(|x| x.parse().unwrap())
            });
            let points: Vec<[f64; 2]> = points.collect();
            assert!(points.as_flattened().iter().all(|x| (0.0..=35.0).contains(x)));
            sum += area(points);
        }
        near(sum, 100.0 * layer_area(middle), 1e-6);
    }
}

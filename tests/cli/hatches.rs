//! Hatches of `.cli` files and drawings: what they cover, where they end, and in which order they are.

use std::fs;
use std::path::Path;

use crate::layer_files::area_of_cli;
use crate::program::{done, refused};

/// From a point to a point of the plane.
type Hatch = [f64; 4];

/// Hatches and closed contours.
type HatchedLayer = (Vec<Hatch>, Vec<Vec<[f64; 2]>>);

/// The layers of a text `.cli`.
fn hatches(path: &Path) -> Vec<HatchedLayer> {
    let text = fs::read_to_string(path).unwrap();
    let numbers =
        |line: &str| -> Vec<f64> { line.split(',').map(|x| x.parse().unwrap()).collect() };
    let mut layers = Vec::new();
    for line in text.lines() {
        if line.starts_with("$$LAYER/") {
            layers.push((Vec::new(), Vec::new()));
        } else if let Some(rest) = line.strip_prefix("$$HATCHES/") {
            let numbers = numbers(rest);
            assert_eq!((numbers[0], numbers.len()), (1.0, 2 + 4 * numbers[1] as usize));
            layers.last_mut().unwrap().0.extend_from_slice(numbers[2..].as_chunks().0);
        } else if let Some(rest) = line.strip_prefix("$$POLYLINE/") {
            layers.last_mut().unwrap().1.push(numbers(rest)[3..].as_chunks().0.to_vec());
        }
    }
    layers.remove(0); // the bottom
    layers
}

fn length([x, y, u, v]: Hatch) -> f64 {
    (u - x).hypot(v - y)
}

/// Distance of a point from contours.
fn distance(contours: &[Vec<[f64; 2]>], [x, y]: [f64; 2]) -> f64 {
    let sides = contours.iter().flat_map(|points| points.windows(2));
    let of = |side: &[[f64; 2]]| {
        let [[a, b], [c, d]] = [side[0], side[1]];
        let (u, v) = (c - a, d - b);
        let part = (((x - a) * u + (y - b) * v) / (u * u + v * v)).clamp(0.0, 1.0);
        (x - a - part * u).hypot(y - b - part * v)
    };
    sides.map(of).fold(f64::INFINITY, f64::min)
}

#[test]
fn hatches_cover_the_contours() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    // a ring: an outer contour and a hole
    done(here, "shape torus -o ring.vtu");
    for (pattern, width) in
        [("meander", None), ("stripes:0.7", Some(0.7)), ("islands:0.7", Some(0.7))]
    {
        let slice = "slice ring.vtu --layer-height 0.2 --hatch-spacing 0.02 --hatch-angle 20";
        done(here, &format!("{slice} --hatch-rotation 30 --hatch {pattern} --cli a.cli"));
        let area = area_of_cli(&here.join("a.cli"));
        let layers = hatches(&here.join("a.cli"));
        let covered: f64 =
            layers.iter().flat_map(|layer| &layer.0).map(|h| length(*h) * 0.02).sum();
        assert!((covered / area - 1.0).abs() < 1e-3, "{pattern}: {covered} {area}");
        for (k, (hatches, contours)) in layers.iter().enumerate() {
            let angle = (20.0 + 30.0 * k as f64).to_radians();
            for &[x, y, u, v] in hatches {
                let long = length([x, y, u, v]);
                let along = ((u - x) * angle.cos() + (v - y) * angle.sin()) / long;
                let across = ((v - y) * angle.cos() - (u - x) * angle.sin()) / long;
                let is_turned = pattern.starts_with("islands") && across.abs() > 0.5;
                let [along, across] = if is_turned { [across, along] } else { [along, across] };
                assert!(
                    long < 0.01 || (across.abs() < 1e-2 && along.abs() > 0.99),
                    "{pattern} {k}"
                );
                for [x, y] in [[x, y], [u, v]] {
                    // on a contour, or where stripes or islands meet
                    let place = if is_turned {
                        y * angle.cos() - x * angle.sin()
                    } else {
                        x * angle.cos() + y * angle.sin()
                    };
                    let is_cut = width.is_some_and(|width: f64| {
                        let part = place / width;
                        (part - part.round()).abs() * width < 1e-4
                    });
                    assert!(is_cut || distance(contours, [x, y]) < 1e-4, "{pattern} {k}: {x} {y}");
                }
            }
        }
    }
}

/// Hatches with an offset keep it from the contours, and cover what Steiner's formula says: the area less
/// the perimeter times the offset, and the disc of that radius.
#[test]
fn hatches_keep_an_offset() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    done(here, "shape cylinder 4 -o pin.vtu");
    let slice =
        "slice pin.vtu --crease-angle 40 --layer-height 0.5 --hatch meander --hatch-spacing 20um";
    done(here, &format!("{slice} --hatch-offset 0.1 --cli a.cli"));
    for (hatches, contours) in hatches(&here.join("a.cli")) {
        let [contour] = &contours[..] else { panic!("{} contours", contours.len()) };
        let sides = || contour.windows(2).map(|side| [side[0], side[1]]);
        let area: f64 = sides().map(|[p, q]| 0.5 * (p[0] * q[1] - p[1] * q[0])).sum();
        let perimeter: f64 = sides().map(|[p, q]| (q[0] - p[0]).hypot(q[1] - p[1])).sum();
        let covered: f64 = hatches.iter().map(|own| length(*own) * 0.02).sum();
        let inner = area - 0.1 * perimeter + 0.01 * std::f64::consts::PI;
        assert!((covered / inner - 1.0).abs() < 1e-3, "{covered} {inner}");
        for [x, y, u, v] in hatches {
            for end in [[x, y], [u, v]] {
                assert!((distance(&contours, end) - 0.1).abs() < 1e-4, "{end:?}");
            }
        }
    }
    refused(
        here,
        &format!("{slice} --hatch-offset=-1 --cli b.cli"),
        "--hatch-offset -1 is no distance from contours",
    );
}

#[test]
fn binary_files_and_drawings_have_the_same_hatches() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    done(here, "shape torus -o ring.vtu");
    let slice = "slice ring.vtu --layer-height 0.5 --hatch stripes:1 --hatch-spacing 0.1";
    done(here, &format!("{slice} --cli a.cli --svg drawings"));
    done(here, &format!("{slice} --cli b.cli --binary"));
    let bytes = fs::read(here.join("b.cli")).unwrap();
    let end = b"$$HEADEREND";
    let start = bytes.windows(end.len()).position(|w| w == end).unwrap() + end.len();
    let mut rest = &bytes[start..];
    let mut take = |count: usize| {
        let (now, later) = rest.split_at(count);
        rest = later;
        (now.to_vec(), later.is_empty())
    };
    let mut found: Vec<Vec<f32>> = Vec::new();
    loop {
        let (command, _) = take(2);
        let number = |bytes: Vec<u8>| u32::from_le_bytes(bytes.try_into().unwrap()) as usize;
        let is_last = match u16::from_le_bytes(command.try_into().unwrap()) {
            127 => {
                found.push(Vec::new());
                take(4).1
            }
            130 => {
                take(8);
                let count = number(take(4).0);
                take(8 * count).1
            }
            132 => {
                assert_eq!(number(take(4).0), 1);
                let count = number(take(4).0);
                let (bytes, is_last) = take(16 * count);
                let numbers = bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b));
                found.last_mut().unwrap().extend(numbers);
                is_last
            }
            other => panic!("command {other}"),
        };
        if is_last {
            break;
        }
    }
    let expected = hatches(&here.join("a.cli"));
    assert_eq!(found.len(), expected.len() + 1);
    for (own, (hatches, _)) in found[1..].iter().zip(&expected) {
        assert!(!own.is_empty() && own.len() == 4 * hatches.len());
        let pairs = own.iter().zip(hatches.as_flattened());
        assert!(pairs.into_iter().all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5));
    }
    let mut drawings: Vec<_> =
        fs::read_dir(here.join("drawings")).unwrap().map(|e| e.unwrap().path()).collect();
    drawings.retain(|path| path.extension().is_some_and(|e| e == "svg"));
    drawings.sort();
    assert_eq!(drawings.len(), expected.len());
    let text = fs::read_to_string(here.join("a.cli")).unwrap();
    let corners = text.lines().find_map(|line| line.strip_prefix("$$DIMENSION/")).unwrap();
    let corners: Vec<f64> = corners.split(',').map(|x| x.parse().unwrap()).collect();
    let (left, top) = (corners[0], corners[4]);
    for (path, (hatches, _)) in drawings.iter().zip(&expected) {
        let text = fs::read_to_string(path).unwrap();
        let path = text.split("class=\"hatches\"").nth(1).unwrap();
        let path = path.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
        let vectors: Vec<&str> = path.lines().collect();
        assert_eq!(vectors.len(), hatches.len());
        for (vector, [x, y, u, v]) in vectors.into_iter().zip(hatches) {
            let drawn: Vec<f64> =
                vector[1..].split([' ', 'L']).map(|number| number.parse().unwrap()).collect();
            let expected = [x - left, top - y, u - left, top - v];
            assert!(drawn.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{vector}");
        }
    }
    // another spacing is another job
    let other =
        "slice ring.vtu --layer-height 0.5 --hatch stripes:1 --hatch-spacing 0.2 --svg drawings";
    refused(here, other, "hatching");
    for (arguments, fragment) in [
        ("--cli a.cli --hatch meander", "--hatch-spacing"),
        ("--cli a.cli --hatch-offset 1", "--hatch <"),
        ("--cli a.cli --hatch meander --hatch-spacing 0", "is no distance between lines"),
        ("--cli a.cli --hatch meander --hatch-spacing 1e-9", "lines across the model"),
        ("--cli a.cli --hatch meander --hatch-spacing=-0.1", "-0.1 is no distance between lines"),
        ("--cli a.cli --hatch meander --hatch-spacing nan", "NaN is no distance"),
        ("--cli a.cli --hatch meander --hatch-spacing 1e-300", "lines across the model"),
        ("--cli a.cli --hatch stripes:-1 --hatch-spacing 1", "stripes:-1 is narrower than a line"),
        (
            "--cli a.cli --hatch islands:0.5 --hatch-spacing 1",
            "islands:0.5 is narrower than a line",
        ),
        ("--cli a.cli --hatch islands:x --hatch-spacing 1", "\"x\" is not a length"),
        ("--cli a.cli --hatch meander --hatch-spacing 1 --hatch-angle inf", "inf is no angle"),
        ("--cli a.cli --hatch meander --hatch-spacing 1 --hatch-rotation nan", "is no angle"),
        ("--cli a.cli --hatch meander --hatch-spacing 1 --hatch-offset 1e12", "leaves nothing"),
        ("--cli a.cli --hatch waves:1 --hatch-spacing 1", "meander, stripes:WIDTH"),
        ("--vtp a.vtp --hatch meander --hatch-spacing 1", "--hatch is for"),
    ] {
        refused(here, &format!("slice ring.vtu --layer-height 0.5 {arguments}"), fragment);
    }
}

//! `subsolid slice` as its users run it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use subsolid::backend::{Backend, Cpu};
use subsolid::mesh::{Attribute, CellArray, SolidMesh};
use subsolid::plan::{Location, Quantity};
use subsolid::slice::Layer;
use subsolid::{Samples, Solid, Want, WriteOptions};
use tempfile::{TempDir, tempdir};

use crate::layer_files::{archived, area_of_cli, area_of_layered_svg, area_of_vtp, lines_of_vtp};
use crate::program::{files, refused, run};
use crate::vtk_files::array;

/// Runs what must succeed; returns the report.
pub fn done(directory: &Path, arguments: &str) -> serde_json::Value {
    let (code, stdout, stderr) = run(directory, &format!("{arguments} --json"));
    assert_eq!(code, 0, "{arguments}: {stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// All files by their paths from the directory.
pub fn relative(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let strip = |path: PathBuf| path.strip_prefix(directory).unwrap().to_owned();
    files(directory).into_iter().map(|(path, bytes)| (strip(path), bytes)).collect()
}

/// A directory with the tripod in it, with attributes `height` (of z) and `pair` (x, y).
pub fn with_tripod() -> TempDir {
    let directory = tempdir().unwrap();
    let path = format!("{}/models/solids/tripod.vtk", env!("CARGO_MANIFEST_DIR"));
    let mut mesh = subsolid::read(path).unwrap();
    let height = mesh.points.iter().map(|p| p[2]).collect();
    let pair = mesh.points.iter().flat_map(|p| [p[0], p[1]]).collect();
    mesh.attributes.push(Attribute { name: "height".into(), width: 1, values: height });
    mesh.attributes.push(Attribute { name: "pair".into(), width: 2, values: pair });
    subsolid::write(directory.path().join("tripod.vtu"), &mesh, WriteOptions::default()).unwrap();
    directory
}

/// The volume of the limit and the integral of its height, by Gauss points.
pub fn moments(path: &Path) -> [f64; 2] {
    let mesh = subsolid::read(path).unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::gauss(4).unwrap(), Want::DETERMINANT).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let rule = subsolid::basis::gauss::rule(4).unwrap();
    let determinants = limit.quantity(Quantity::Determinant, None).unwrap();
    let mut sums = [0.0; 2];
    for (i, determinant) in determinants.iter().enumerate() {
        let weight =
            [i % 4, i / 4 % 4, i / 16 % 4].map(|k| rule.weights[k]).iter().product::<f64>();
        let z = limit.positions.triple(i)[2];
        sums[0] += weight * determinant;
        sums[1] += weight * determinant * z;
    }
    sums
}

/// The manifest of a directory of layers.
pub fn manifest(directory: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(directory.join("manifest.json")).unwrap()).unwrap()
}

/// Binary contours of a model far from the origin lose digits, and the program says so; text keeps
/// them.
#[test]
fn binary_contours_say_that_digits_are_lost() {
    let tripod = with_tripod();
    let at = tripod.path();
    let mut mesh = subsolid::read(at.join("tripod.vtu")).unwrap();
    mesh.points.iter_mut().for_each(|p| p[0] += 1e6);
    subsolid::write(at.join("far.vtu"), &mesh, WriteOptions::default()).unwrap();
    for (arguments, is_lost) in
        [("tripod.vtu --binary", false), ("far.vtu --binary", true), ("far.vtu", false)]
    {
        let job = format!("slice {arguments} --layer-height 0.1 --cli a.cli");
        let (code, _, stderr) = run(at, &job);
        assert_eq!(code, 0, "{job}: {stderr}");
        assert_eq!(stderr.contains("single precision"), is_lost, "{job}: {stderr}");
    }
}

/// The numbers of all contours of a text file.
fn contour_numbers(path: &Path) -> Vec<f64> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("$$POLYLINE/"));
    lines.flat_map(|line| line.split(',').skip(3).map(|x| x.parse().unwrap())).collect()
}

/// Text has digits below the tolerance, however small a model is; single precision has no such
/// numbers.
#[test]
fn contours_of_tiny_and_huge_models_keep_their_digits() {
    let tripod = with_tripod();
    let at = tripod.path();
    let mesh = subsolid::read(at.join("tripod.vtu")).unwrap();
    done(at, "slice tripod.vtu --layer-height 0.1 --cli whole.cli");
    let expected = contour_numbers(&at.join("whole.cli"));
    let size = expected.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    for exponent in [-60, -180, 140] {
        let scale = 2.0_f64.powi(exponent);
        let mut scaled = mesh.clone();
        scaled.points.iter_mut().flatten().for_each(|x| *x *= scale);
        subsolid::write(at.join("scaled.vtu"), &scaled, WriteOptions::default()).unwrap();
        let job = format!("slice scaled.vtu --layer-height {:e}", 0.1 * scale);
        done(at, &format!("{job} --cli a.cli --layered-svg a.svg"));
        let found = contour_numbers(&at.join("a.cli"));
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(&expected) {
            assert!((a / scale - b).abs() < 1e-6 * size, "{exponent}: {a} for {b}");
        }
        let drawing = fs::read_to_string(at.join("a.svg")).unwrap();
        let points = drawing.split("points=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let different: BTreeSet<&str> =
            points.flat_map(|points| points.split([' ', ','])).collect();
        assert!(different.len() > 1000, "{exponent}: {}", different.len());
        if exponent != -60 {
            let fragment = "outside the range of single precision, 1.2e-38 to 3.4e38";
            refused(at, &format!("{job} --cli b.cli --binary"), fragment);
        }
    }
}

#[test]
fn pixels_and_contours_have_the_volume_of_the_limit() {
    let tripod = with_tripod();
    let at = tripod.path();
    let report = done(
        at,
        "slice tripod.vtu --layer-height 0.04 --png png --pixel 0.025 --antialias 4 --bits 16 \
         --attribute height --svg svg --cli a.cli --vtp a.vtp --zip a.zip --layered-svg a.svg",
    );
    let [volume, moment] = moments(&at.join("tripod.vtu"));
    let images = manifest(&at.join("png"));
    let layers = images["layers"].as_array().unwrap();
    assert_eq!(report["made"], layers.len());
    let pitch = images["parameters"]["files"]["pitch"].as_f64().unwrap();
    let sum = |stack: usize| -> f64 {
        layers.iter().map(|layer| layer["files"][stack]["level_sum"].as_f64().unwrap()).sum()
    };
    let [coverage, shaded] = [0, 1].map(|stack| sum(stack) / 65535.0 * pitch * pitch * 0.04);
    // off by 2e-5, both
    assert!((coverage / volume - 1.0).abs() < 1e-4, "{coverage} {volume}");
    let range = &images["parameters"]["files"]["stacks"][1]["range"];
    let [black, white] = [0, 1].map(|i| range[i].as_f64().unwrap());
    let shade = (moment - black * volume) / (white - black);
    assert!((shaded / shade - 1.0).abs() < 1e-4, "{shaded} {shade}");

    let drawings = manifest(&at.join("svg"));
    let areas = drawings["layers"].as_array().unwrap().iter();
    let sum: f64 = areas.map(|layer| layer["files"][0]["area"].as_f64().unwrap()).sum();
    assert!((sum * 0.04 / volume - 1.0).abs() < 1e-3, "{sum}");
    // texts have 7 digits behind the point
    let near = |name: &str, found: f64, tolerance: f64| {
        assert!((found / sum - 1.0).abs() < tolerance, "{name}: {found} {sum}");
    };
    near("a.cli", area_of_cli(&at.join("a.cli")), 1e-9);
    near("a.svg", area_of_layered_svg(&at.join("a.svg")), 1e-9);
    // with attributes it keeps the points on straight lines, which the others leave out
    let drawn = lines_of_vtp(&at.join("a.vtp"));
    let merged = drawn.merged(report["tolerance"].as_f64().unwrap());
    let points = |layer: &Layer| layer.contours.iter().map(|own| own.points.len()).sum::<usize>();
    assert!(points(&merged) < points(&drawn));
    near("a.vtp", merged.area(), 1e-12);
    let is_image = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "png");
    let [inside, stacks] = [archived(&at.join("a.zip")), relative(&at.join("png"))]
        .map(|files| files.into_iter().filter(|(path, _)| is_image(path)).collect::<Vec<_>>());
    assert_eq!(stacks.len(), 2 * layers.len());
    assert!(inside == stacks);
}

#[test]
fn threads_and_ranges_change_nothing() {
    let tripod = with_tripod();
    let at = tripod.path();
    let slice = "slice tripod.vtu --layer-height 0.1 --pixel 0.05 --attribute pair";
    done(at, &format!("{slice} --png whole --svg drawn --cli a.cli --vtp a.vtp --threads 1"));
    done(at, &format!("{slice} --png again --svg drawn2 --cli b.cli --vtp b.vtp --threads 3"));
    let whole = relative(&at.join("whole"));
    assert!(whole.len() > 30 && whole == relative(&at.join("again")));
    assert!(relative(&at.join("drawn")) == relative(&at.join("drawn2")));
    for ending in ["cli", "vtp"] {
        let [a, b] = ["a", "b"].map(|stem| fs::read(at.join(format!("{stem}.{ending}"))).unwrap());
        assert!(a == b, "{ending}");
    }
    done(at, &format!("{slice} --png parts --range 0.3:0.7"));
    let part = relative(&at.join("parts"));
    assert!(part.len() > 5 && part.len() < whole.len());
    let shared = part.iter().filter(|(name, _)| !name.ends_with("manifest.json"));
    assert!(shared.into_iter().all(|(name, bytes)| whole[name] == *bytes));
    done(at, &format!("{slice} --png parts --range :0.3 --resume"));
    done(at, &format!("{slice} --png parts --range 0.7: --resume"));
    assert!(whole == relative(&at.join("parts")));
}

#[test]
fn axes_and_flips_agree() {
    let tripod = with_tripod();
    let at = tripod.path();
    let [volume, _] = moments(&at.join("tripod.vtu"));
    for axis in ["x", "y", "z"] {
        let slice = "slice tripod.vtu --layer-height 0.04 --pixel 0.04 --antialias 2";
        done(at, &format!("{slice} --axis {axis} --png {axis} --flip"));
        let images = manifest(&at.join(axis));
        assert_eq!(images["parameters"]["files"]["flip"], "horizontal");
        let layers = images["layers"].as_array().unwrap();
        let sums = layers.iter().map(|layer| layer["files"][0]["level_sum"].as_f64().unwrap());
        let pixels = sums.sum::<f64>() / 255.0 * 0.04 * 0.04 * 0.04;
        assert!((pixels / volume - 1.0).abs() < 2e-3, "{axis}: {pixels} {volume}");
    }
}

#[test]
fn layers_begin_at_the_lowest_point_or_at_the_origin() {
    let tripod = with_tripod();
    let at = tripod.path();
    let slice = "slice tripod.vtu --layer-height 0.05 --tolerance 1e-6";
    let report = done(at, &format!("{slice} --svg lowest"));
    let there = manifest(&at.join("lowest"));
    let layers = there["layers"].as_array().unwrap();
    assert_eq!(layers.len(), report["layers_of_model"].as_u64().unwrap() as usize);
    // the first and the last layer have material
    for layer in [&layers[0], &layers[layers.len() - 1]] {
        assert!(layer["files"][0]["contours"].as_u64().unwrap() > 0, "{layer}");
    }
    let lowest = layers[0]["height"].as_f64().unwrap() - 0.025;
    done(at, &format!("{slice} --svg below --origin {}", lowest - 0.1));
    let below = manifest(&at.join("below"));
    let below = below["layers"].as_array().unwrap();
    let contours = |k: usize| below[k]["files"][0]["contours"].as_u64().unwrap();
    assert!(contours(0) == 0 && contours(1) == 0 && contours(2) > 0);
    refused(
        at,
        &format!("{slice} --svg above --origin {}", lowest + 0.1),
        "--range leaves layers out",
    );
}

/// Contours of bodies that touch have the values of their own body.
#[test]
fn touching_bodies_keep_their_attributes() {
    let here = tempdir().unwrap();
    let cube = |first: f64| {
        (0..8).map(move |i| [first + f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)])
    };
    let corners = [0, 1, 3, 2, 4, 5, 7, 6];
    let cells = [corners, corners.map(|v| v + 8)];
    let mut mesh = SolidMesh::from_hexahedra(cube(0.0).chain(cube(1.0)).collect(), &cells);
    mesh.cell_data = vec![CellArray::new("mat", 1, vec![1.0, 2.0], true)];
    let values = (0..16).map(|v| f64::from(v / 8)).collect();
    mesh.attributes = vec![Attribute { name: "f".into(), width: 1, values }];
    subsolid::write(here.path().join("two.vtu"), &mesh, Default::default()).unwrap();
    let job = "slice two.vtu --crease-angle 40 --layer-height 1 --vtp c.vtp --attribute mat,f";
    let (code, _, stderr) = run(here.path(), job);
    assert_eq!(code, 0, "{stderr}");
    let bytes = fs::read(here.path().join("c.vtp")).unwrap();
    let [points, mat, f] = ["Points", "mat", "f"].map(|name| array(&bytes, name));
    assert!((area_of_vtp(&here.path().join("c.vtp")) - 2.0).abs() < 1e-12);
    // the contours one after the other: of each all points have one material
    let middle = |of: &[f64]| of.iter().step_by(3).sum::<f64>() / (of.len() / 3) as f64;
    let half = mat.len() / 2;
    for (range, at) in [(0..half, 0), (half..mat.len(), 1)] {
        let is_right = middle(&points[3 * range.start..3 * range.end]) > 1.0;
        let expected = if is_right { (2.0, 1.0) } else { (1.0, 0.0) };
        for i in range {
            assert_eq!(mat[i], expected.0, "{at}: {i}");
            assert!((f[i] - expected.1).abs() < 1e-12, "{at}: {i}, {}", f[i]);
        }
    }
}

/// Names of an option have commas between them, as of every other; `\,` is one of a name.
#[test]
fn attributes_are_listed_by_commas() {
    let tripod = with_tripod();
    let at = tripod.path();
    let slice = "slice tripod.vtu --layer-height 2 -q";
    for (options, file) in
        [("--attribute height,pair_1", "a.vtp"), ("--attribute height --attribute pair_1", "b.vtp")]
    {
        let (code, _, stderr) = run(at, &format!("{slice} {options} --vtp {file}"));
        assert_eq!(code, 0, "{stderr}");
    }
    let [a, b] = ["a.vtp", "b.vtp"].map(|name| fs::read(at.join(name)).unwrap());
    assert!(a == b);
    refused(
        at,
        &format!("{slice} --attribute height\\,pair_1 --vtp c.vtp"),
        "has no attribute \"height,pair_1\"",
    );
}

/// What is written for each level, tests/jobs compares with the curve.
#[test]
fn gray_levels_are_written_for_the_machine() {
    let tripod = with_tripod();
    let at = tripod.path();
    fs::write(at.join("same.csv"), "written,level\n0,0\n1,1\n").unwrap();
    fs::write(at.join("step.csv"), "level,written\n0.499999,0\n0.5,1\n").unwrap();
    let png = "slice tripod.vtu --layer-height 0.2 --pixel 0.05 --antialias 2 --png";
    let images = |curve: &str| -> (Vec<Vec<u8>>, serde_json::Value, Vec<serde_json::Value>) {
        let directory = format!("png{}", curve.replace([' ', '-', '.'], ""));
        done(at, &format!("{png} {directory} {curve}"));
        let manifest = manifest(&at.join(&directory));
        let layers = manifest["layers"].as_array().unwrap();
        let file = |layer: &serde_json::Value| layer["files"][0].clone();
        let read = |file: &serde_json::Value| {
            fs::read(at.join(&directory).join(file["path"].as_str().unwrap())).unwrap()
        };
        let bytes = layers.iter().map(|layer| read(&file(layer))).collect();
        let sums = layers.iter().map(|layer| file(layer)["level_sum"].clone()).collect();
        (bytes, manifest["parameters"]["files"]["curve"].clone(), sums)
    };
    let (plain, none, sums) = images("");
    assert_eq!(none, serde_json::Value::Null);
    assert!(images("--gray-table same.csv").0 == plain);
    let (white, curve, _) = images("--threshold 0.5");
    assert_eq!(curve, serde_json::json!({"threshold": 0.5}));
    assert!(images("--gray-table step.csv").0 == white);
    for curve in ["--gamma 2", "--gamma 0.5", "--threshold 0.5"] {
        let (written, _, volumes) = images(curve);
        assert!(written.iter().zip(&plain).all(|(a, b)| a != b), "{curve}");
        assert_eq!(volumes, sums);
    }
    refused(at, &format!("{png} pnggamma2"), "files.curve is");
    fs::write(at.join("bad.csv"), "level,written\n0,0\n0.5,x\n").unwrap();
    fs::write(at.join("falls.csv"), "level,written\n0.5,0\n0.2,1\n").unwrap();
    let row = |i: i32| format!("{},0\n", f64::from(i) / 65536.0);
    let long = (0..=65536).map(row).collect::<String>();
    fs::write(at.join("long.csv"), format!("level,written\n{long}")).unwrap();
    for (curve, fragment) in [
        ("--gamma 0", "power of 0"),
        ("--threshold 2", "a threshold of 2"),
        ("--gamma 2 --threshold 0.5", "cannot be used with"),
        ("--gray-table bad.csv", "bad.csv:3: a part of white expected, found `x`"),
        ("--gray-table falls.csv", "row 2 of the table of gray levels is 0.2, 1"),
        ("--gray-table long.csv", "more than 65536 rows"),
        ("--gamma 2 --materials height", "--gamma is for gray images"),
    ] {
        refused(at, &format!("{png} other {curve}"), fragment);
    }
    // before the model is read
    refused(at, &format!("{png} other --gamma 0").replace("tripod", "none"), "power of 0");
    let svg = "slice tripod.vtu --layer-height 0.2 --svg other --gamma 2";
    refused(at, svg, "not provided:\n  <--png <DIR>");
}

#[test]
fn pixels_are_points_with_their_places() {
    let tripod = with_tripod();
    let at = tripod.path();
    let report = done(
        at,
        "slice tripod.vtu --layer-height 0.1 --pixel 0.05 --pvtu a.pvtu --attribute height \
         --attribute pair",
    );
    let mesh = subsolid::read(at.join("tripod.vtu")).unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let pieces = files(&at.join("a"));
    assert_eq!(report["made"], pieces.len());
    let mut count = 0;
    for (layer, file) in pieces.values().enumerate() {
        let points = array(file, "Points");
        let [cells, u, v, w] = ["cell", "u", "v", "w"].map(|name| array(file, name));
        let location =
            |i: usize| Location { element: cells[i] as u32, parameters: [u[i], v[i], w[i]] };
        let samples = Samples::Points((0..cells.len()).map(location).collect());
        let plan = solid.plan(&samples, Want::POSITION).unwrap();
        let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{layer}");
        for (i, &x) in points.iter().enumerate() {
            near(limit.positions.get(i), x);
        }
        let [height, first, second] = ["height", "pair_0", "pair_1"].map(|name| array(file, name));
        for (i, p) in points.chunks_exact(3).enumerate() {
            near(height[i], p[2]);
            near(first[i], p[0]);
            near(second[i], p[1]);
        }
        assert!(array(file, "layer").iter().all(|&found| found == layer as f64));
        assert!(array(file, "corner").iter().all(|&corner| corner == -1.0));
        count += cells.len();
    }
    let [volume, _] = moments(&at.join("tripod.vtu"));
    let sum = count as f64 * 0.1 * 0.05 * 0.05;
    assert!((sum / volume - 1.0).abs() < 0.02, "{sum} {volume}");
    // without attributes, beside images of the same pixels
    let report =
        done(at, "slice tripod.vtu --layer-height 0.5 --pixel 0.1 --pvtu b.pvtu --png images");
    assert_eq!(files(&at.join("b")).len(), report["made"]);
}

//! `subsolid surface` and `subsolid boundary` as their users run them.

use std::path::Path;

use assert_cmd::Command;
use subsolid::mesh::{Attribute, SolidMesh, SurfaceMesh, TriangleRule};
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;
use subsolid::surface::{Method, Scheme, boundary_surface, refine_surface};
use subsolid::view::{SkinOptions, SkinPolygons};

use crate::decoded_page::Decoded;
use crate::json;
use crate::program::{self, done, refused};
use crate::surfaces::{model, options, path, size};
use crate::view::has_row;

fn run(directory: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::cargo_bin("subsolid").unwrap();
    let output = command.current_dir(directory).args(arguments).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn surface_writes_what_the_library_computes() {
    let directory = tempfile::tempdir().unwrap();
    let car = path("bishop");
    let car = car.to_str().unwrap();
    for (scheme, library) in [("catmull-clark", Scheme::CatmullClark), ("loop", Scheme::Loop)] {
        let arguments = ["surface", car, "--scheme", scheme, "--levels", "1", "-o", "fine.obj"];
        let (code, stderr) = run(directory.path(), &arguments);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(stderr.contains("cut into triangles"), scheme == "loop", "{stderr}");
        let fine = subsolid::read_surface(directory.path().join("fine.obj")).unwrap();
        let expected = refine_surface(&model("bishop"), &options(library, 1, Method::Matrix));
        assert_eq!(fine, expected.unwrap());
    }
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    std::fs::write(directory.path().join("tetrahedron.obj"), tetrahedron).unwrap();
    let mut smooth = subsolid::read_surface(directory.path().join("tetrahedron.obj")).unwrap();
    smooth.triangle_rule = TriangleRule::Smooth;
    subsolid::io::write_surface(directory.path().join("tagged.obj"), &smooth).unwrap();
    let expected = refine_surface(&smooth, &options(Scheme::CatmullClark, 1, Method::Matrix));
    for (model, option) in [("tetrahedron.obj", Some("--smooth-triangles")), ("tagged.obj", None)] {
        let mut arguments = vec!["surface", model, "--levels", "1", "-o", "smooth.obj"];
        arguments.extend(option);
        let (code, stderr) = run(directory.path(), &arguments);
        assert_eq!(code, 0, "{stderr}");
        let fine = subsolid::read_surface(directory.path().join("smooth.obj")).unwrap();
        assert_eq!(&fine, expected.as_ref().unwrap(), "{model}");
    }
    let arguments = ["surface", car, "--method", "edge-friend", "--chaikin", "-o", "fine.stl"];
    let (code, stderr) = run(directory.path(), &arguments);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("left out"), "{stderr}");
}

/// What a scheme or a format has no place for is refused.
#[test]
fn options_without_use_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let car = path("bishop");
    for (arguments, fragment) in [
        ("--normals -o a.stl", "a .stl file has no place for --normals"),
        ("--scheme sqrt3 --limit -o a.obj", "--limit is not for √3"),
        ("--scheme sqrt3 --normals -o a.ply", "--normals is not for √3"),
        ("--scheme sqrt3 --chaikin -o a.ply", "--chaikin is not for √3"),
        ("--scheme loop --smooth-triangles -o a.obj", "is a rule of Catmull-Clark"),
        ("--method adaptive -o a.obj", "add --limit"),
    ] {
        let mut words = vec!["surface", car.to_str().unwrap()];
        words.extend(arguments.split(' '));
        let (code, stderr) = run(directory.path(), &words);
        assert_eq!(code, 2, "{arguments}: {stderr}");
        assert!(stderr.contains(fragment), "{arguments}: {stderr}");
    }
}

/// Around faces of very many corners a dense matrix and a limit are refused, not begun.
#[test]
fn faces_of_very_many_corners_are_refused_where_they_are_dense() {
    let directory = tempfile::tempdir().unwrap();
    let count = 100_000;
    let mut text: String = (0..count)
        .map(|i| (f64::from(i) / f64::from(count) * std::f64::consts::TAU).sin_cos())
        .map(|(s, c)| format!("v {c} {s} 0\n"))
        .collect();
    text += "f";
    (1..=count).for_each(|v| text += &format!(" {v}"));
    std::fs::write(directory.path().join("disc.obj"), text).unwrap();
    for (arguments, code, fragment) in [
        ("--levels 1", 0, ""),
        ("--levels 4 --method single", 2, "of memory"),
        ("--levels 1 --limit", 2, "face 0 has 100000 corners"),
    ] {
        let mut words = vec!["surface", "disc.obj", "-o", "fine.ply"];
        words.extend(arguments.split(' '));
        let (found, stderr) = run(directory.path(), &words);
        assert_eq!(found, code, "{arguments}: {stderr}");
        assert!(stderr.contains(fragment), "{arguments}: {stderr}");
    }
}

/// The adaptive method writes the limit that the refined mesh has, and says of what patches.
#[test]
fn adaptive_writes_the_limit() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["cow_boundary", "cubes_semisharp", "dodecahedron_poly", "hole_test2"] {
        let file = path(name);
        let written = |method: &str| {
            let output = format!("{method}.obj");
            let mut arguments = vec!["surface", file.to_str().unwrap(), "--levels", "2"];
            arguments.extend(["--method", method, "--limit", "-o", &output]);
            let (code, stderr) = run(directory.path(), &arguments);
            assert_eq!(code, 0, "{stderr}");
            let patches = stderr.contains(" regular, ") && stderr.contains(" irregular patches");
            assert_eq!(patches, method == "adaptive", "{stderr}");
            subsolid::read_surface(directory.path().join(output)).unwrap()
        };
        let (found, expected) = (written("adaptive"), written("matrix"));
        assert_eq!(found.faces, expected.faces, "{name}");
        assert_eq!(found.points.len(), expected.points.len(), "{name}");
        let (size, points) = (size(&expected), expected.points.as_flattened());
        for (a, b) in found.points.as_flattened().iter().zip(points) {
            assert!((a - b).abs() <= 1e-12 * size, "{name}: {a} {b}");
        }
    }
}

/// An attribute that is a coordinate stays one, by every method and where a page or picture shows
/// it.
#[test]
fn attributes_go_to_the_limit() {
    let directory = tempfile::tempdir().unwrap();
    let cube = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
                f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    std::fs::write(directory.path().join("cube.obj"), cube).unwrap();
    let mut cube = subsolid::read_surface(directory.path().join("cube.obj")).unwrap();
    let abscissas = |mesh: &SurfaceMesh| mesh.points.iter().map(|p| p[0]).collect::<Vec<f64>>();
    cube.attributes.push(Attribute { name: "abscissa".into(), width: 1, values: abscissas(&cube) });
    subsolid::io::write_surface(directory.path().join("cube.ply"), &cube).unwrap();
    let expect_same = |mesh: &SurfaceMesh| {
        let found = &mesh.attributes.iter().find(|a| a.name == "abscissa").unwrap().values;
        let expected = abscissas(mesh);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    };
    for options in ["", "--method adaptive", "--method edge-friend", "--scheme loop --normals"] {
        let arguments = format!("surface cube.ply --levels 1 {options} --limit -o limit.vtp");
        done(directory.path(), &arguments);
        expect_same(&subsolid::read_surface(directory.path().join("limit.vtp")).unwrap());
    }
    let skin = SkinPolygons::of_surface(&cube, Scheme::Loop, 1, &SkinOptions::default()).unwrap();
    expect_same(&skin.surface);
}

/// Two triangles of the same vertices refine by Loop, but not on from a file.
#[test]
fn duplicate_triangles_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let duplicates =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 1 2 3\n";
    std::fs::write(directory.path().join("duplicates.obj"), duplicates).unwrap();
    for (options, warns) in [
        (["loop", "--levels", "1"], true),
        (["loop", "--levels", "0"], false),
        (["catmull-clark", "--levels", "1"], false),
    ] {
        let mut arguments = vec!["surface", "duplicates.obj", "-o", "fine.obj", "--scheme"];
        arguments.extend(options);
        let (code, stderr) = run(directory.path(), &arguments);
        assert_eq!(code, 0, "{options:?}: {stderr}");
        let is_named = stderr.contains("faces 0 and 4 have the same vertices");
        assert_eq!(is_named, warns, "{options:?}: {stderr}");
    }
}

/// Static stencils are reached by name and write the mesh of the mesh matrix.
#[test]
fn static_stencils_write_the_refined_mesh() {
    let directory = tempfile::tempdir().unwrap();
    let file = path("edgecorner");
    let written = |method: &str| {
        let output = format!("{method}.obj");
        let mut arguments = vec!["surface", file.to_str().unwrap(), "--levels", "3"];
        arguments.extend(["--method", method, "-o", &output]);
        let (code, stderr) = run(directory.path(), &arguments);
        assert_eq!(code, 0, "{stderr}");
        subsolid::read_surface(directory.path().join(output)).unwrap()
    };
    let (found, expected) = (written("static"), written("matrix"));
    assert_eq!((&found.faces, &found.creases), (&expected.faces, &expected.creases));
    let size = size(&expected);
    for (a, b) in found.points.as_flattened().iter().zip(expected.points.as_flattened()) {
        assert!((a - b).abs() <= 1e-12 * size, "{a} {b}");
    }
    let auto = written("auto");
    assert_eq!(auto.faces.len(), expected.faces.len());
}

#[test]
fn what_cannot_be_done_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    std::fs::copy(path("car"), here.join("car.obj")).unwrap();
    for (arguments, fragment) in [
        ("car.obj --levels 12 -o a.obj", "of memory"),
        ("car.obj --levels 99999999999 -o a.obj", "ask for at most"),
        ("car.obj -o a.vtu", "unknown format"),
        ("none.obj -o a.obj", "none.obj: cannot be read"),
        ("car.obj --scheme loop --method edge-friend -o a.obj", "Catmull-Clark surfaces only"),
        ("car.obj --method adaptive -o a.obj", "add --limit"),
        ("car.obj --method adaptive --limit --scheme sqrt3 -o a.obj", "√3"),
        ("car.obj -o car.obj", "would be replaced"),
    ] {
        refused(here, &format!("surface {arguments}"), fragment);
    }
}

fn solids() -> Vec<(String, SolidMesh)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    ["bracket.vtk", "solids/rod_hex.vtk", "solids/cad9.mesh", "solids/micro/twisting.mesh"]
        .into_iter()
        .map(|name| (name.to_string(), subsolid::read(root.join(name)).unwrap()))
        .collect()
}

/// Status lines and reports count the faces of the file, and name those that are holes.
#[test]
fn holes_are_counted_as_faces_where_the_file_has_them() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let holes = path("hole_test2");
    let surface = format!("surface {} --levels 1", holes.to_str().unwrap());
    let all = model("hole_test2");
    let (faces, own) = (4 * all.faces.len(), 4 * all.holes.len());
    assert!(own > 0);
    for (output, faces, holes) in [("a.obj", faces, own), ("a.ply", faces - own, 0)] {
        let (_, report, stderr) = program::run(here, &format!("{surface} --json -o {output}"));
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!((&report["faces"], &report["holes"]), (&faces.into(), &holes.into()));
        let wrote = stderr.lines().find(|line| line.contains("Wrote")).unwrap();
        let named = format!("{faces} faces ({holes} holes)");
        assert_eq!(wrote.contains(&named), holes > 0, "{wrote}");
        assert!(wrote.contains(&format!("{faces} faces")), "{wrote}");
        let found = subsolid::read_surface(here.join(output)).unwrap();
        assert_eq!((found.faces.len(), found.holes.len()), (faces, holes));
    }
    // as `info` counts them
    let (_, _, stderr) = program::run(here, "info a.obj");
    assert!(stderr.contains(&format!("{faces} faces ({own} holes)")), "{stderr}");
    assert_eq!(json(here, "info a.obj --json")["faces"], faces);
}

/// The boundary of the refined solid is the refined boundary.
#[test]
fn a_boundary_refines_as_its_solid_does() {
    for (name, mut solid) in solids() {
        subsolid::refine::crease_by_angle(&mut solid, 40.0).unwrap();
        for crease in solid.creases.edges.iter_mut().step_by(3) {
            crease.sharpness = 0.7;
        }
        let surface = boundary_surface(&solid).unwrap();
        let options = options(Scheme::CatmullClark, 2, Method::EdgeFriend);
        let refined = refine_surface(&surface, &options).unwrap();
        let expected = refine_mesh(&solid, 2, VertexRule::default()).unwrap();
        let expected = boundary_surface(&expected).unwrap();
        assert_eq!(refined.points.len(), expected.points.len(), "{name}");
        assert_eq!(refined.faces.len(), expected.faces.len(), "{name}");
        assert_eq!(refined.creases.edges.len(), expected.creases.edges.len(), "{name}");
        let mut points = [refined.points, expected.points];
        // equal points in one order; coordinates apart by rounding fall into one bucket or
        // the next
        let step = 1e-7 * size(&surface);
        let key = |p: &[f64; 3]| p.map(|x| (x / step).round() as i64);
        let known: std::collections::HashSet<[i64; 3]> = points[0].iter().map(key).collect();
        for p in points[1].drain(..) {
            let near = |d: [i64; 3]| {
                let k = key(&p);
                known.contains(&[k[0] + d[0], k[1] + d[1], k[2] + d[2]])
            };
            let found = (0..27).any(|i| near([i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1]));
            assert!(found, "{name}: {p:?}");
        }
    }
}

#[test]
fn the_boundary_of_a_solid_is_written_with_its_creases() {
    let directory = tempfile::tempdir().unwrap();
    let bracket = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/bracket.vtk");
    let bracket = bracket.to_str().unwrap();
    let arguments = ["boundary", bracket, "--crease-angle", "40", "-o", "skin.obj"];
    let (code, stderr) = run(directory.path(), &arguments);
    assert_eq!(code, 0, "{stderr}");
    let skin = subsolid::read_surface(directory.path().join("skin.obj")).unwrap();
    assert!(!skin.creases.edges.is_empty());
    let (code, stderr) =
        run(directory.path(), &["surface", "skin.obj", "--levels", "2", "-o", "fine.vtp"]);
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn processors_are_chosen_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let cow = concat!(env!("CARGO_MANIFEST_DIR"), "/models/surfaces/cow_boundary.obj");
    let with = |more: &[&str]| {
        let arguments = [&["surface", cow, "--levels", "1", "-o", "fine.obj"], more].concat();
        run(directory.path(), &arguments)
    };
    let (code, stderr) = with(&["--backend", "cuda:99"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("CUDA"), "{stderr}");
    let (code, stderr) = with(&["--backend", "gpu"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("unknown backend \"gpu\""), "{stderr}");
    let (code, stderr) = with(&["--backend", "auto"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("Chose"), "{stderr}");
    let refined = std::fs::read(directory.path().join("fine.obj")).unwrap();
    let (code, stderr) = with(&["--backend", "cpu"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(!stderr.contains("Chose"), "{stderr}");
    assert_eq!(std::fs::read(directory.path().join("fine.obj")).unwrap(), refined);
    // the product of all levels is made on the CPU
    let (code, stderr) = with(&["--method", "single"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("Chose CPU, f64"), "{stderr}");
}

/// Figures of every model, counted over again.
#[test]
fn info_counts_what_a_surface_has() {
    use std::collections::BTreeMap;
    let directory = tempfile::tempdir().unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/surfaces");
    let mut models = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "obj") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        if name == "nonman_edges" {
            // one of its faces has a vertex twice
            continue;
        }
        let info = json(directory.path(), &format!("info {} --json", path.display()));
        let mesh = subsolid::read_surface(&path).unwrap();
        let mut edges: BTreeMap<[u32; 2], Vec<bool>> = BTreeMap::new();
        for face in mesh.faces.iter() {
            for (i, &a) in face.iter().enumerate() {
                let b = face[(i + 1) % face.len()];
                edges.entry([a.min(b), a.max(b)]).or_default().push(a < b);
            }
        }
        let count = |is_meant: fn(&[bool]) -> bool| edges.values().filter(|e| is_meant(e)).count();
        let expected = [
            ("vertices", mesh.points.len()),
            ("faces", mesh.faces.len()),
            ("edges", edges.len()),
            ("boundary_edges", count(|sides| sides.len() == 1)),
            ("non_manifold_edges", count(|sides| sides.len() > 2)),
            ("inconsistent_edges", count(|sides| sides.len() == 2 && sides[0] == sides[1])),
            ("holes", mesh.holes.len()),
        ];
        for (figure, value) in expected {
            assert_eq!(info[figure], value, "{name}: {figure}");
        }
        models += 1;
    }
    assert!(models >= 19, "{models}");
    let at = |name: &str| path(name).display().to_string();
    let info = |name: &str| json(directory.path(), &format!("info {} --json", at(name)));
    assert_eq!(info("torus_creases0")["genus"], 1);
    assert_eq!(info("dodecahedron_poly")["genus"], 0);
    assert!(info("moebius")["genus"].is_null());
    assert!(info("nonman_verts")["touching_vertices"].as_u64() > Some(0));
    let text = done(directory.path(), &format!("info {}", at("torus_creases0")));
    assert!(text.contains("(closed, genus 1)"), "{text}");
    let text = done(directory.path(), &format!("info {} --report a.html -q", at("bishop")));
    let html = std::fs::read_to_string(directory.path().join("a.html")).unwrap();
    let rows = Decoded::of_html(&html).rows();
    assert_eq!(rows.len(), text.lines().count());
    assert!(rows.iter().all(|row| has_row(&text, row)), "{rows:?} in {text}");
    for option in ["--levels 1", "--verbose", "--crease-angle 40"] {
        let option_name = option.split_once(' ').map_or(option, |(name, _)| name);
        let what = format!("{option_name} is for solids");
        refused(directory.path(), &format!("info {} {option}", at("bishop")), &what);
    }
}

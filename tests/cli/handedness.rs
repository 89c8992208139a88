//! Left-handed meshes and coordinates out of range, as the program's users meet them.

use std::fs;
use std::path::Path;

use subsolid::mesh::{CellKind, Cells, SolidMesh};
use tempfile::{TempDir, tempdir};

use crate::json;
use crate::program::{done, refused, run};

/// A directory with `box.vtu`, and the same with the corners of the first `count` cells mirrored.
fn with_mirrored(count: usize) -> TempDir {
    let directory = tempdir().unwrap();
    done(directory.path(), "shape box 3 3 3 -o box.vtu");
    let mesh = subsolid::read(directory.path().join("box.vtu")).unwrap();
    let mut cells = Cells::default();
    for c in 0..mesh.cells.len() {
        let v = mesh.cells.vertices(c);
        let order = if c < count { [0, 3, 2, 1, 4, 7, 6, 5] } else { [0, 1, 2, 3, 4, 5, 6, 7] };
        cells.push(CellKind::Hexahedron, &order.map(|i| v[i]));
    }
    write(directory.path(), "left.vtu", &SolidMesh { cells, ..mesh });
    directory
}

fn write(path: &Path, name: &str, mesh: &SolidMesh) {
    subsolid::write(path.join(name), mesh, Default::default()).unwrap();
}

const JOBS: [&str; 7] = [
    "info left.vtu",
    "evaluate left.vtu --samples 3 -o a.vtu",
    "refine left.vtu -o b.vtu",
    "boundary left.vtu -o c.obj",
    "extract left.vtu -o d.npz",
    "locate left.vtu --points points.csv -o e.csv",
    "slice left.vtu --layer-height 0.5 --svg layers",
];

#[test]
fn jobs_go_on_with_one_warning_or_refuse() {
    for (count, words) in [(2, "2 of 27 cells are left-handed"), (27, "all 27 cells")] {
        let directory = with_mirrored(count);
        let path = directory.path();
        fs::write(path.join("points.csv"), "x,y,z\n1.5,1.5,1.5\n9,9,9\n").unwrap();
        for job in JOBS {
            let (code, _, stderr) = run(path, job);
            assert_eq!(code, 0, "{job}: {stderr}");
            assert_eq!(stderr.matches("left-handed").count(), 1, "{job}: {stderr}");
            assert!(stderr.contains(words) && stderr.contains("in cell"), "{job}: {stderr}");
            for file in ["a.vtu", "b.vtu", "c.obj", "d.npz", "e.csv"] {
                let _ = fs::remove_file(path.join(file));
            }
            let _ = fs::remove_dir_all(path.join("layers"));
            refused(path, &format!("{job} --strict"), words);
        }
        // the same places and layers as of the right-handed mesh
        done(path, "locate left.vtu --points points.csv -o left.csv");
        done(path, "locate box.vtu --points points.csv -o right.csv");
        let distances = |name: &str| {
            let text = fs::read_to_string(path.join(name)).unwrap();
            let column = |line: &str| line.split(',').nth(8).unwrap().parse::<f64>().unwrap();
            text.lines().skip(1).map(column).collect::<Vec<_>>()
        };
        for (a, b) in distances("left.csv").into_iter().zip(distances("right.csv")) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }
}

#[test]
fn quality_counts_left_handed_cells() {
    let directory = with_mirrored(2);
    let (code, stdout, _) = run(directory.path(), "evaluate left.vtu --gauss 2 --quality --json");
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &report["left_handed_cells"]), (1, &2.into()));
    assert_eq!(report["quality"]["non_positive"].as_object().unwrap().len(), 2);
}

#[test]
fn reorienting_writes_right_handed_corners() {
    for count in [2, 27] {
        let directory = with_mirrored(count);
        let path = directory.path();
        let (code, _, stderr) = run(path, "refine left.vtu --levels 0 --reorient -o right.vtu");
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.contains(&format!("Reoriented {count} cells")), "{stderr}");
        assert!(!stderr.contains("left-handed"), "{stderr}");
        let [a, b] = ["box.vtu", "right.vtu"].map(|name| subsolid::read(path.join(name)).unwrap());
        assert_eq!(a, b);
    }
}

#[test]
fn volumes_of_left_handed_meshes() {
    let all = with_mirrored(27);
    let job = "quadrature left.vtu --gauss 3 --backend cpu -o q.npz";
    let (code, _, stderr) = run(all.path(), job);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("|det J|"), "{stderr}");
    let volume = |name: &str| {
        let report = json(all.path(), &format!("quadrature {name} --gauss 3 --quality --json"));
        assert_eq!(report["left_handed"], name == "left.vtu");
        report["volume"].as_f64().unwrap()
    };
    let [left, right] = ["left.vtu", "box.vtu"].map(volume);
    assert!(right > 0.0 && (left / right - 1.0).abs() < 1e-13, "{left} {right}");

    let some = with_mirrored(2);
    refused(some.path(), job, "is not positive");
    // assemble has no --force to name
    let (code, _, stderr) = run(some.path(), "assemble left.vtu --mass --gauss 2 -o out");
    assert!(code == 2 && stderr.contains("not positive"), "{stderr}");
    assert!(!stderr.contains("--force") && !some.path().join("out").exists(), "{stderr}");
    let (code, _, stderr) = run(some.path(), &format!("{job} --force"));
    assert_eq!(code, 1, "{stderr}");
    // the boundary of both hands has normals that look inward
    let boundary = "quadrature left.vtu --gauss 3 --boundary -o b.npz";
    refused(some.path(), boundary, "determinant is not positive");
    let (code, _, stderr) = run(some.path(), &format!("{boundary} --force"));
    assert!(code == 1 && stderr.contains("determinant is not positive"), "{stderr}");
    done(all.path(), boundary);
}

#[test]
fn coordinates_out_of_range_are_refused() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box 2 2 2 -o box.vtu");
    let mesh = subsolid::read(path.join("box.vtu")).unwrap();
    let scaled = |name: &str, by: f64| {
        let points = mesh.points.iter().map(|p| p.map(|x| by * x)).collect();
        write(path, name, &SolidMesh { points, ..mesh.clone() });
    };
    fs::write(path.join("points.csv"), "x,y,z\n0.5,0.5,0.5\n").unwrap();
    for (by, words) in [
        (1e150, "overflow in double precision"),
        (1e-150, "underflow in double precision"),
        (1e101, "overflow in double precision"),
    ] {
        scaled("bad.vtu", by);
        for job in [
            "info bad.vtu",
            "evaluate bad.vtu --samples 3 -o a.vtu",
            "refine bad.vtu -o a.vtu",
            "boundary bad.vtu -o a.obj",
            "extract bad.vtu -o a.npz",
            "locate bad.vtu --points points.csv -o a.csv",
            "slice bad.vtu --layer-height 0.5 --svg layers",
            "quadrature bad.vtu --gauss 2 -o a.npz",
            "compare bad.vtu",
        ] {
            refused(path, job, words);
        }
    }
    for (by, words) in [
        (1e38, "overflow in single precision"),
        (1e19, "overflow in single precision"),
        (1e-19, "underflow in single precision"),
        (1e-100, "underflow in double precision"),
    ] {
        scaled("f64.vtu", by);
        let job = "evaluate f64.vtu --samples 3 --backend cpu";
        // beyond 1e70 it is refused in double precision too
        if (1e-70..1e70).contains(&by) {
            done(path, &format!("{job} -o a.vtu"));
            fs::remove_file(path.join("a.vtu")).unwrap();
        }
        refused(path, &format!("{job} --precision f32 -o a.vtu"), words);
        refused(path, "compare f64.vtu --backend cpu --precision f32", words);
    }
    // of a job at 1e17, single precision is as right as at 1
    scaled("f32.vtu", 1e17);
    done(path, "evaluate f32.vtu --samples 3 --backend cpu --precision f32 -o a.vtu");
    // but not the determinants
    let job = "evaluate f32.vtu --samples 3 --backend cpu --precision f32";
    refused(path, &format!("{job} --jacobian -o b.vtu"), "Jacobian determinants overflow");
    refused(path, &format!("{job} --quality"), "Jacobian determinants overflow");

    fs::write(path.join("points.csv"), "x,y,z\n0.5,0.5,0.5\n1e200,0,0\n").unwrap();
    refused(
        path,
        "locate box.vtu --points points.csv -o a.csv",
        "points.csv:3: x: number up to 1e70",
    );
    let cube =
        "v 0 0 0\nv 1e150 0 0\nv 0 1e150 0\nv 0 0 1e150\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    fs::write(path.join("large.obj"), cube).unwrap();
    refused(
        path,
        "surface large.obj --levels 1 -o a.obj",
        "beyond 1e70 products of coordinates overflow",
    );
    refused(
        path,
        "surface large.obj --limit --normals -o a.obj",
        "beyond 1e70 products of coordinates overflow",
    );
}

/// Two tetrahedra on the same side of their common face: one is inverted, on ranks the same one.
#[test]
fn inverted_tetrahedra_are_named_and_refused_where_signs_count() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    let points = "0 0 0 1 0 0 0 1 0 0 0 1 0.1 0.1 0.1";
    let text = format!(
        "# vtk DataFile Version 3.0\ntets\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n{points}\n\
         CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10 10\n"
    );
    fs::write(here.join("tets.vtk"), text).unwrap();
    for command in [
        "info tets.vtk",
        "info tets.vtk --report tets.html",
        "query tets.vtk",
        "view tets.vtk -o tets.html",
        "view tets.vtk -o tets.glb",
        "evaluate tets.vtk --samples 3 -o limit.vtu",
        "evaluate tets.vtk --samples 3 -o limit.glb",
        "evaluate tets.vtk --levels 1 --samples 3 -o limit.vtu",
        "boundary tets.vtk -o skin.obj",
        "refine tets.vtk --levels 0 -o same.vtu",
        "refine tets.vtk -o fine.vtu",
        "refine tets.vtk -o fine.pvtu",
        "--thread-ranks 2 refine tets.vtk -o fine.pvtu",
        "--thread-ranks 2 evaluate tets.vtk --samples 3 --piece-points 1 -o limit.pvtu",
    ] {
        let (status, _, said) = run(here, command);
        assert_eq!(status, 0, "{command}: {said}");
        let warnings = said.matches("1 of 2 cells is inverted (first: cell 1)").count();
        assert_eq!(warnings, 1, "{command}: {said}");
        if !command.starts_with("query") {
            refused(here, &format!("{command} --strict"), "is inverted");
        }
    }
    refused(here, "quadrature tets.vtk --gauss 3 -o q.npz", "is not positive");
    refused(here, "assemble tets.vtk --mass -o matrices", "is not positive");
}

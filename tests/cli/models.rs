//! Models: shapes, what they are made of, refinement.

use std::fs;
use std::path::Path;

use subsolid::mesh::shape::Shape;
use tempfile::tempdir;

use crate::program::{done, refused, run};
use crate::{json, with_fan};

#[test]
fn helps_with_examples() {
    let here = Path::new(".");
    let subcommands = [
        "info",
        "refine",
        "evaluate",
        "extract",
        "quadrature",
        "locate",
        "slice",
        "surface",
        "boundary",
        "compare",
        "bench",
        "devices",
        "shape",
        "completions",
    ];
    for subcommand in [""].into_iter().chain(subcommands) {
        let help = done(here, &format!("{subcommand} --help"));
        assert!(help.contains("Usage: subsolid") && help.contains("Examples:"), "{help}");
    }
    assert!(done(here, "--version").starts_with("subsolid "));
    assert!(done(here, "shape --help").contains("link-icosahedron"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(done(here, &format!("completions {shell}")).contains("crease-angle"));
    }
}

#[test]
fn every_shape_is_written_and_read_back() {
    let directory = tempdir().unwrap();
    for shape in Shape::NAMES {
        let name = shape.name;
        done(directory.path(), &format!("shape {name} -o {name}.vtu --quiet"));
        let info = json(directory.path(), &format!("info {name}.vtu --json -q"));
        let mesh = Shape::parse(name, &[]).unwrap().build().unwrap();
        assert_eq!(info["cells"], mesh.cells.len(), "{name}");
        assert_eq!(info["vertices"], mesh.points.len(), "{name}");
    }
}

#[test]
fn info_gives_the_table_of_the_paper() {
    let directory = tempdir().unwrap();
    let car = format!("{}/models/solids/car_box_2x2x6.mesh", env!("CARGO_MANIFEST_DIR"));
    for (level, [reg64, reg48, layered, irregular]) in
        [[0, 0, 16, 8], [40, 88, 56, 8], [792, 600, 136, 8]].into_iter().enumerate()
    {
        let info = json(directory.path(), &format!("info {car} --levels {level} --verbose --json"));
        assert_eq!(info["cells"], 24 * 8_usize.pow(level as u32));
        assert_eq!(info["kernels"]["REG64"], reg64);
        assert_eq!(info["kernels"]["REG48"], reg48);
        assert_eq!(info["kernels"]["LAY16x16"], layered);
        assert_eq!(info["kernels"]["IRR32x32"], irregular);
        let classes = &info["classes"];
        assert_eq!(classes["regular"], reg64 + reg48);
        assert_eq!(classes["layered"], layered);
        assert_eq!(classes["irregular"], irregular);
        assert_eq!(classes["refined"], 0);
        assert_eq!(info["structures"].as_array().unwrap().len(), 2);
    }
    let info = json(directory.path(), &format!("info {car} --json"));
    assert_eq!(info["classes"]["layered"], 16);
    assert!(["kernels", "structures", "leaves", "depth"].iter().all(|key| info[key].is_null()));
    let text = done(directory.path(), &format!("info {car}"));
    assert!(text.contains("layered cells        16:"), "{text}");
    assert!(text.contains("irregular cells      8:") && !text.contains("structures"), "{text}");
}

#[test]
fn quiet_says_nothing() {
    let fan = with_fan();
    let (code, stdout, stderr) = run(fan.path(), "evaluate fan.vtu --samples 2 -o a.vtu --quiet");
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", ""));
    let (_, _, stderr) = run(fan.path(), "evaluate fan.vtu --samples 2 -o a.vtu --threads 1");
    assert!(stderr.contains("Wrote") && stderr.contains("1 thread"), "{stderr}");
}

#[test]
fn refines_and_keeps_creases() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box --size 2,2,2 -o box.vtk");
    fs::write(path.join("c.csv"), "kind,v0,v1,sharpness\ncorner,0,,2.5\n").unwrap();
    let made = "refine box.vtk --levels 2 --crease-angle 40 --creases c.csv -o fine.vtu --json";
    assert_eq!(json(path, made)["cells"], 8 * 64);
    let fine = subsolid::io::read(path.join("fine.vtu")).unwrap();
    assert_eq!(fine.creases.edges.len(), 12 * 8);
    assert!(fine.creases.edges.iter().all(|crease| crease.sharpness == f64::INFINITY));
    assert_eq!(fine.creases.corners[0].sharpness, 0.5);
    // rows go before the tags of the model and of --crease-angle
    let tagged = |job: &str| {
        done(path, &format!("refine {job} --levels 0 --creases c.csv -o tagged.vtu"));
        subsolid::io::read(path.join("tagged.vtu")).unwrap().creases
    };
    fs::write(path.join("c.csv"), "kind,v0,v1,sharpness\ncorner,0,,inf\nedge,0,1,2\n").unwrap();
    assert_eq!(tagged("box.vtk --crease-angle 40").edges.len(), 24);
    fs::copy(path.join("tagged.vtu"), path.join("model.vtu")).unwrap();
    fs::write(path.join("c.csv"), "kind,v0,v1,sharpness\ncorner,0,,0\nedge,1,0,0\n").unwrap();
    for job in ["model.vtu", "model.vtu --crease-angle 40", "box.vtk --crease-angle 40"] {
        let creases = tagged(job);
        assert_eq!((creases.edges.len(), creases.corners.len()), (23, 0), "{job}");
        assert!(creases.edges.iter().all(|crease| crease.sharpness == f64::INFINITY), "{job}");
    }
    // of edges that there are, on the boundary if they are sharp
    for (row, words) in [
        ("edge,0,26,0", "no such edge"),
        ("edge,4,13,1", "lies inside the solid"),
        ("corner,99,,0", "no such vertex"),
        ("edge,0,1,11", "sharpness 11 of the edge of vertices 0 and 1 is above 10"),
    ] {
        fs::write(path.join("c.csv"), format!("kind,v0,v1,sharpness\n{row}\n")).unwrap();
        refused(path, "refine box.vtk --levels 0 --creases c.csv -o none.vtu", words);
        refused(path, "distance box.vtk --to boundary --creases c.csv -o none.vtu", words);
    }
    done(path, "refine box.vtk --vertex-rule joy-maccracken -o jm.vtk");
    assert_eq!(subsolid::io::read(path.join("jm.vtk")).unwrap().cells.len(), 64);
}

#[test]
fn a_box_is_welded_unless_told_otherwise() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box 2 2 2 -o box.vtu");
    for (options, points, cells) in [
        ("--samples 3", 125, 64),
        ("--samples 3 --separate-points", 216, 64),
        ("--samples 3 --derivatives 1", 216, 64),
        ("--samples 3 --cells points", 216, 216),
        ("--gauss 2", 64, 64),
        ("--cells lagrange", 343, 8),
        ("--cells bezier --crease-angle 40", 512, 8),
    ] {
        let report = json(path, &format!("evaluate box.vtu {options} -o out.vtu --json"));
        assert_eq!(report["points"], points, "{options}");
        assert_eq!(report["cells"], cells, "{options}");
    }
}

/// The advice on cells that touch in an edge is a command that does it.
#[test]
fn touching_cells_are_taken_apart_as_advised() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    let points =
        "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 2 1 0 2 2 0 1 2 0 2 1 1 2 2 1 1 2 1";
    let cells = "8 0 1 2 3 4 5 6 7\n8 2 8 9 10 6 11 12 13";
    let text = format!(
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 14 double\n{points}\n\
         CELLS 2 18\n{cells}\nCELL_TYPES 2\n12 12\n"
    );
    fs::write(path.join("a.vtk"), text).unwrap();
    refused(path, "info a.vtk", "cells touch there in the edge only");
    let advice = "conform a.vtk -o b.vtu";
    refused(
        path,
        "info a.vtk",
        &format!("`subsolid {}`", advice.replace("a.vtk", "IN").replace("b.vtu", "OUT")),
    );
    done(path, advice);
    let info = json(path, "info b.vtu --json");
    assert_eq!((&info["vertices"], &info["parts"]), (&16.into(), &2.into()));
}

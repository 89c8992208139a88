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
fn curves_of_the_file_are_creases_where_no_row_says_otherwise() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    let nodes: String = (0..8).map(|i| format!("{} {} {} 0\n", i % 2, i / 2 % 2, i / 4)).collect();
    let text = format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices 8\n{nodes}Hexahedra 1\n1 2 4 3 5 6 8 7 0\n\
         Edges 4\n1 2 0\n2 4 0\n4 3 0\n1 8 7\nRidges 2\n1 2\nRequiredEdges 2\n2 3\nCorners 1\n8\nEnd\n"
    );
    fs::write(path.join("one.mesh"), text).unwrap();
    fs::write(path.join("c.csv"), "kind,v0,v1,sharpness\nedge,0,1,0\nedge,1,3,4\n").unwrap();
    let creases = |options: &str| {
        done(path, &format!("refine one.mesh --levels 0 {options} -o tagged.vtu"));
        let creases = subsolid::io::read(path.join("tagged.vtu")).unwrap().creases;
        let mut edges: Vec<_> =
            creases.edges.iter().map(|c| (c.edge().map(|v| v.0), c.sharpness)).collect();
        edges.sort_by_key(|(edge, _)| *edge);
        (edges, creases.corners.len())
    };
    // the first that names an edge counts; a table goes before, an angle after
    let named = "--creases-from Ridges=1.5 --creases-from RequiredEdges=2,Corners";
    assert_eq!(creases(named), (vec![([0, 1], 1.5), ([1, 3], 1.5), ([2, 3], 2.0)], 1));
    let both = format!("{named} --creases c.csv");
    assert_eq!(creases(&both), (vec![([1, 3], 4.0), ([2, 3], 2.0)], 1));
    let (edges, _) = creases(&format!("{both} --crease-angle 40"));
    assert_eq!(edges.iter().filter(|(_, sharpness)| *sharpness == f64::INFINITY).count(), 9);
    let (_, _, stderr) = run(path, "info one.mesh --creases-from Ridges,medit:ref:7");
    for said in [
        "Creased 2 edges and 0 vertices of curves and points",
        "left out: the curves and points `Edges` (4 edges), `Corners` (1 vertex)",
        "`medit:ref:7`: 1 edge not among those of the mesh (the first: edge 0 7), left smooth",
    ] {
        let plain: Vec<_> = stderr.split_whitespace().collect();
        assert!(plain.join(" ").contains(said), "{said}: {stderr}");
    }
    refused(path, "info one.mesh --creases-from Rims", "no curve or points `Rims`");
    refused(path, "info one.mesh --creases-from Ridges=-1", "sharpness -1");
    refused(
        path,
        "view one.mesh --linear --creases-from Ridges -o a.html",
        "of the file unchanged",
    );
    done(path, "boundary one.mesh -o skin.obj");
    refused(path, "info skin.obj --creases-from Ridges", "no curve or points `Ridges`");
}

#[test]
fn curves_of_files_of_faces_are_creases_of_the_surface() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    let text = "MeshVersionFormatted 2\nDimension 3\nVertices 6\n0 0 0 0\n1 0 0 0\n2 0 0 0\n0 1 0 0\n\
                1 1 1 0\n2 1 0 0\nQuadrilaterals 2\n1 2 5 4 0\n2 3 6 5 0\nEdges 2\n2 5 0\n1 5 0\n\
                Ridges 1\n1\nRequiredEdges 1\n2\nCorners 1\n5\nEnd\n";
    fs::write(path.join("two.mesh"), text).unwrap();
    let named = "--creases-from Ridges=2,Corners,RequiredEdges";
    let (_, _, stderr) = run(path, &format!("surface two.mesh {named} --levels 0 -o two.obj"));
    let plain: Vec<_> = stderr.split_whitespace().collect();
    for said in [
        "Creased 1 edge and 1 vertex of curves and points",
        "`RequiredEdges`: 1 edge not among those of the mesh (the first: edge 0 4), left smooth",
    ] {
        assert!(plain.join(" ").contains(said), "{said}: {stderr}");
    }
    let creases = subsolid::io::read_surface(path.join("two.obj")).unwrap().creases;
    let edges: Vec<_> =
        creases.edges.iter().map(|c| (c.edge().map(|v| v.0), c.sharpness)).collect();
    assert_eq!(edges, [([1, 4], 2.0)]);
    assert_eq!(creases.corners.len(), 1);
    let (_, _, stderr) = run(path, "info two.mesh --creases-from Ridges");
    assert!(stderr.contains("Creased"), "{stderr}");
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

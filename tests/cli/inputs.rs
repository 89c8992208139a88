//! Where control meshes come from, and what names of arrays become.

use std::fs;

use subsolid::mesh::{Attribute, SolidMesh};

use crate::program::{done, piped, refused, run};
use crate::with_fan;

fn model(name: &str) -> String {
    format!("{}/models/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn standard_input_is_a_control_mesh() {
    let directory = with_fan();
    let here = directory.path();
    let read = |name: &str| fs::read(here.join(name)).unwrap();
    for name in ["bracket.vtk", "solids/car_box_2x2x6.mesh"] {
        let file = model(name);
        let (code, found, stderr) = piped(here, "info - --json -q", fs::read(&file).unwrap());
        assert_eq!(code, 0, "{stderr}");
        let path = |text: &str| text.replace(&file, "-").replace("<standard input>", "-");
        assert_eq!(path(&found), path(&done(here, &format!("info {file} --json -q"))));
    }
    for name in ["surfaces/bishop.obj", "surfaces/spot_control_mesh.obj"] {
        let file = model(name);
        let (code, _, stderr) =
            piped(here, "surface - --levels 1 -q -o a.obj", fs::read(&file).unwrap());
        assert_eq!(code, 0, "{stderr}");
        done(here, &format!("surface {file} --levels 1 -q -o b.obj"));
        assert_eq!(read("a.obj"), read("b.obj"));
        done(here, &format!("surface {file} --scheme loop --levels 0 -q -o c.stl"));
        let job = "surface - --scheme loop --levels 1 -q -o d.obj";
        let (code, _, stderr) = piped(here, job, read("c.stl"));
        assert_eq!(code, 0, "{stderr}");
        done(here, "surface c.stl --scheme loop --levels 1 -q -o e.obj");
        assert_eq!(read("d.obj"), read("e.obj"));
    }
    let creases = "kind,v0,v1,sharpness\nedge,0,1,inf\n";
    fs::write(here.join("creases.csv"), creases).unwrap();
    let bracket = model("bracket.vtk");
    done(here, &format!("refine {bracket} --creases creases.csv -q -o creased.vtu"));
    let job = format!("refine {bracket} --creases - -q -o piped.vtu");
    let (code, _, stderr) = piped(here, &job, creases.into());
    assert_eq!(code, 0, "{stderr}");
    assert!(read("creased.vtu") == read("piped.vtu"));
    // one mesh, and nothing beside it
    let mesh = || fs::read(model("bracket.vtk")).unwrap();
    let (code, _, stderr) = piped(here, "info - --creases -", mesh());
    assert_eq!(code, 2, "{stderr}");
    let index = "<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid>\n\
                 <Piece Source=\"-\"/>\n</PUnstructuredGrid></VTKFile>\n";
    fs::write(here.join("d.pvtu"), index).unwrap();
    for (arguments, bytes) in [("info d.pvtu", mesh()), ("info -", index.as_bytes().to_vec())] {
        let (code, _, stderr) = piped(here, arguments, bytes);
        assert_eq!(code, 2, "{arguments}: {stderr}");
    }
    let surface = fs::read(model("surfaces/bishop.obj")).unwrap();
    let (code, _, stderr) = piped(here, "boundary - -o a.obj", surface);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("<standard input>"), "{stderr}");
}

/// Jobs that take solids and surfaces tell them apart by the content of standard input.
#[test]
fn standard_input_is_a_surface() {
    let directory = with_fan();
    let here = directory.path();
    let spot = model("surfaces/spot_control_mesh.obj");
    // every job of the first, a quick one of the others
    for (ending, jobs) in [("obj", 5), ("ply", 2), ("stl", 2), ("vtp", 2)] {
        done(here, &format!("surface {spot} --scheme loop --levels 0 -q -o spot.{ending}"));
        let bytes = || fs::read(here.join(format!("spot.{ending}"))).unwrap();
        for (job, output) in [
            ("info SURFACE -q", ""),
            ("query SURFACE --op VV --of 0,7 -q", ""),
            ("smooth SURFACE --time 0.01 -q -o", ".ply"),
            ("distance SURFACE --to vertex:0 -q -o", ".vtp"),
            ("slice SURFACE --scheme loop --layer-height 1 -q --layered-svg", ".svg"),
            ("view SURFACE --scheme loop -q -o", ".glb"),
        ]
        .into_iter()
        .take(jobs)
        {
            if output.is_empty() {
                let expected = done(here, &job.replace("SURFACE", &format!("spot.{ending}")));
                let (code, found, stderr) = piped(here, &job.replace("SURFACE", "-"), bytes());
                assert_eq!(code, 0, "{job}, {ending}: {stderr}");
                assert_eq!(found, expected, "{job}, {ending}");
                continue;
            }
            let named = job.replace("SURFACE", &format!("spot.{ending}"));
            done(here, &format!("{named} a{output}"));
            let job = format!("{} b{output}", job.replace("SURFACE", "-"));
            let (code, _, stderr) = piped(here, &job, bytes());
            assert_eq!(code, 0, "{job}, {ending}: {stderr}");
            let read = |name: &str| fs::read(here.join(format!("{name}{output}"))).unwrap();
            assert!(read("a") == read("b"), "{job}, {ending}");
        }
    }
}

/// What a `.vtk` file holds tells whether jobs take it as a solid or as a surface.
#[test]
fn a_vtk_file_is_a_surface_or_a_solid() {
    let directory = with_fan();
    let here = directory.path();
    let spot = model("surfaces/spot_control_mesh.obj");
    done(here, &format!("surface {spot} --scheme loop --levels 0 -q -o spot.vtp"));
    let mesh = subsolid::read_surface(here.join("spot.vtp")).unwrap();
    let mut text = format!(
        "# vtk DataFile Version 3.0\nspot\nASCII\nDATASET POLYDATA\nPOINTS {} double\n",
        mesh.points.len()
    );
    mesh.points.iter().for_each(|[x, y, z]| text += &format!("{x} {y} {z}\n"));
    text += &format!("POLYGONS {0} {1}\n", mesh.faces.len(), 4 * mesh.faces.len());
    mesh.faces.iter().for_each(|face| text += &format!("3 {} {} {}\n", face[0], face[1], face[2]));
    fs::write(here.join("spot.vtk"), &text).unwrap();
    // the same triangles as meshio writes them
    let grid = text.replace("POLYDATA", "UNSTRUCTURED_GRID").replace("POLYGONS", "CELLS")
        + &format!("CELL_TYPES {}\n", mesh.faces.len())
        + &"5\n".repeat(mesh.faces.len());
    fs::write(here.join("grid.vtk"), &grid).unwrap();
    for (job, output) in [
        ("info SURFACE -q", ""),
        ("query SURFACE --op VV --of 0,7 -q", ""),
        ("surface SURFACE --scheme loop --levels 1 -q -o", ".obj"),
        ("smooth SURFACE --time 0.01 -q -o", ".ply"),
        ("denoise SURFACE -q -o", ".ply"),
        ("distance SURFACE --to vertex:0 -q -o", ".vtp"),
        ("slice SURFACE --scheme loop --layer-height 1 -q --layered-svg", ".svg"),
        ("view SURFACE --scheme loop -q -o", ".glb"),
    ] {
        let run = |name: &str, out: &str| {
            let job = job.replace("SURFACE", name);
            let found = if output.is_empty() {
                done(here, &job).into_bytes()
            } else {
                done(here, &format!("{job} {out}{output}"));
                fs::read(here.join(format!("{out}{output}"))).unwrap()
            };
            String::from_utf8_lossy(&found).replace(name, "spot")
        };
        let expected = run("spot.vtp", "a");
        assert!(expected == run("spot.vtk", "b"), "{job}");
        assert!(expected == run("grid.vtk", "c"), "{job}");
    }
    for text in [text, grid] {
        let (code, _, stderr) = piped(here, "query - --op VV --of 0 -q", text.into());
        assert_eq!(code, 0, "{stderr}");
    }
    // jobs of one kind name the other
    for (job, what) in [
        ("evaluate spot.vtk --samples 2 -o a.vtu", "a surface, not a control mesh of cells"),
        ("evaluate grid.vtk --samples 2 -o a.vtu", "no volume cells"),
        ("surface MODEL -o a.obj", "not a surface"),
        ("denoise MODEL -o a.obj", "not a surface"),
    ] {
        let job = job.replace("MODEL", &model("bracket.vtk"));
        refused(here, &job, what);
    }
}

#[test]
fn standard_input_is_a_table() {
    let directory = with_fan();
    let here = directory.path();
    for (job, table) in [
        ("evaluate fan.vtu --derivatives 1 --at", "cell,u,v,w\n0,0.5,0.5,0.5\n2,0,1,0.25\n"),
        ("locate fan.vtu --points", "x,y,z\n0.1,0.1,0.2\n5,5,5\n"),
    ] {
        fs::write(here.join("table.csv"), table).unwrap();
        done(here, &format!("{job} table.csv -q -o a.csv"));
        let (code, _, stderr) = piped(here, &format!("{job} - -q -o b.csv"), table.into());
        assert_eq!(code, 0, "{stderr}");
        let read = |name: &str| fs::read(here.join(name)).unwrap();
        assert!(read("a.csv") == read("b.csv"), "{job}");
        let broken = table.replace("0.1", "x").replace("0.5", "x");
        let (code, _, stderr) = piped(here, &format!("{job} - -q -o c.csv"), broken.into());
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("<standard input>:2"), "{stderr}");
        let twice = job.replace("fan.vtu", "-");
        let (code, _, stderr) = piped(here, &format!("{twice} - -o c.csv"), table.into());
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("both standard input"), "{stderr}");
    }
}

/// Devices, pipes and directories are refused at once, wherever a file is read.
#[test]
#[cfg(unix)]
fn what_is_no_regular_file_is_refused() {
    let directory = with_fan();
    let here = directory.path();
    let pipe = here.join("pipe.vtu");
    let index = tempfile::NamedTempFile::with_suffix_in(".pvtu", here).unwrap();
    let piece = "<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid>\n\
                 <Piece Source=\"pipe.vtu\"/>\n</PUnstructuredGrid></VTKFile>\n";
    fs::write(index.path(), piece).unwrap();
    let index = index.path().file_name().unwrap().to_str().unwrap();
    for (arguments, fragment) in [
        ("info /dev/zero", "no regular file"),
        ("info .", "a directory"),
        ("info fan.vtu --creases /dev/zero", "no regular file"),
        ("surface /dev/zero -o a.obj", "no regular file"),
        ("evaluate fan.vtu --at /dev/zero -o a.csv", "no regular file"),
    ] {
        refused(here, arguments, fragment);
    }
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for arguments in [
        "info pipe.vtu".to_owned(),
        format!("info {index}"),
        "surface pipe.vtu -o a.obj".to_owned(),
        "locate fan.vtu --points pipe.vtu -o a.csv".to_owned(),
    ] {
        let (code, _, stderr) = crate::program::run(here, &arguments);
        assert_eq!(code, 2, "{arguments}: {stderr}");
        assert!(stderr.contains("no regular file"), "{arguments}: {stderr}");
    }
}

/// Names of attributes never lead out of an archive.
#[test]
fn names_in_archives_are_plain() {
    let directory = with_fan();
    let here = directory.path();
    let mut mesh: SolidMesh = subsolid::read(here.join("fan.vtu")).unwrap();
    let count = mesh.points.len();
    let attribute = |name: &str| Attribute {
        name: name.into(),
        width: 1,
        values: (0..count).map(|v| v as f64).collect(),
    };
    mesh.attributes = vec![attribute("../../evil"), attribute("/depth 1"), attribute("a.b")];
    let write = |mesh: &SolidMesh, name: &str| {
        subsolid::write(here.join(name), mesh, subsolid::WriteOptions::default()).unwrap();
    };
    write(&mesh, "named.vtu");
    done(here, "evaluate named.vtu --samples 2 -o named.npz");
    let archive = fs::read(here.join("named.npz")).unwrap();
    let holds = |name: &str| archive.windows(name.len()).any(|w| w == name.as_bytes());
    assert!(holds("point/______evil.npy") && holds("point/_depth_1.npy") && holds("a_b.npy"));
    assert!(!holds(".."));
    // names that differ in signs only, before anything is evaluated
    mesh.attributes = vec![attribute("a.b"), attribute("a b")];
    write(&mesh, "same.vtu");
    refused(here, "evaluate same.vtu --samples 2 -o same.npz", "rename one of them");
    let (_, _, stderr) = run(here, "evaluate same.vtu --samples 2 -o same.npz");
    assert!(!stderr.contains("Analyzed"), "{stderr}");
    for command in [
        "refine same.vtu --levels 1",
        "untangle same.vtu",
        "conform same.vtu",
        "smooth same.vtu --attribute a.b",
        "distance same.vtu",
    ] {
        let command = format!("{command} -o same.npz");
        refused(here, &command, "rename one of them");
        let (_, _, stderr) = run(here, &command);
        let work = ["Refined", "Moved", "Conformed", "Measured"];
        assert!(!work.iter().any(|word| stderr.contains(word)), "{command}: {stderr}");
    }
    // the name of a result and that of an attribute
    mesh.attributes = vec![attribute("a.b")];
    write(&mesh, "one.vtu");
    refused(here, "distance one.vtu --name a_b -o one.npz", "rename one of them");
    done(here, "distance one.vtu --name a.b -o one.npz");
    // values that single precision does not hold
    mesh.attributes = vec![attribute("heat")];
    mesh.attributes[0].values[3] = 1e19;
    write(&mesh, "large.vtu");
    refused(here, "evaluate large.vtu --samples 2 --precision f32 -o a.vtu", "vertex 3");
    done(here, "evaluate large.vtu --samples 2 -o a.vtu");
}

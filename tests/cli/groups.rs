//! Named groups and materials, from a file of Gmsh to what the program writes.

use std::fs;
use std::path::Path;

use subsolid::io::read;
use subsolid::mesh::{CellArray, SolidMesh};
use tempfile::{TempDir, tempdir};

use crate::json;
use crate::npz::array;
use crate::program::{done, refused, run};

/// Two unit cubes along x, `steel` and `resin`, with the groups of faces `left`, `right` (at x = 0
/// and 2) and `between`.
fn model() -> TempDir {
    let directory = tempdir().unwrap();
    let nodes: String =
        (0..12).map(|i| format!("{} {} {} {}\n", i + 1, i % 3, i / 3 % 2, i / 6)).collect();
    let text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n2 1 \"left\"\n2 2 \"right\"\n\
         2 3 \"between\"\n3 10 \"steel\"\n3 20 \"resin\"\n$EndPhysicalNames\n$Nodes\n12\n{nodes}\
         $EndNodes\n$Elements\n5\n1 3 2 1 1 1 4 10 7\n2 3 2 2 2 3 6 12 9\n3 3 2 3 3 2 5 11 8\n\
         4 5 2 10 1 1 2 5 4 7 8 11 10\n5 5 2 20 2 2 3 6 5 8 9 12 11\n$EndElements\n"
    );
    std::fs::write(directory.path().join("two.msh"), text).unwrap();
    directory
}

#[test]
fn they_are_listed_and_written() {
    let directory = model();
    let here = directory.path();
    let summary = json(here, "info two.msh --json");
    assert_eq!(summary["cell_groups"], serde_json::json!({"resin": 1, "steel": 1}));
    let faces = serde_json::json!({"between": 1, "left": 1, "right": 1});
    assert_eq!(summary["face_groups"], faces);
    let text = done(here, "info two.msh");
    assert!(text.contains("steel, 1 cell\n") && text.contains("left, 1 face\n"), "{text}");

    done(here, "refine two.msh -o fine.vtu");
    let summary = json(here, "info fine.vtu --json");
    assert_eq!(summary["cell_groups"]["steel"], 8);
    assert_eq!(summary["face_groups"]["between"], 4);
    assert_eq!(summary["cells_by_kind"], serde_json::json!({"hexahedra": 16}));

    done(here, "evaluate two.msh --samples 3 -o limit.vtu");
    let limit = read(here.join("limit.vtu")).unwrap();
    let steel = limit.cell_data.iter().find(|a| a.group_name() == Some("steel")).unwrap();
    assert_eq!(steel.members().collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
}

/// What an output has no place for is named.
#[test]
fn what_is_left_out_is_named() {
    let directory = model();
    let here = directory.path();
    for (command, of_cells) in [
        ("boundary two.msh -o skin.ply", true),
        ("extract two.msh -o operators.npz", true),
        ("refine two.msh -o fine.csv", true),
        ("evaluate two.msh --samples 2 -o points.csv", false),
        ("evaluate two.msh --samples 2 -o limit.vtu", false),
        ("evaluate two.msh --samples 2 -o limit.glb", true),
        ("view two.msh -o skin.glb", true),
        ("quadrature two.msh --gauss 2 -o points.npz", false),
    ] {
        let (status, _, said) = run(here, command);
        assert_eq!(status, 0, "{command}: {said}");
        assert!(said.contains("left out the groups of faces left, right, between"), "{said}");
        let cells = said.contains("left out the groups of cells steel, resin");
        assert_eq!(cells, of_cells, "{command}: {said}");
    }
    let table = fs::read_to_string(here.join("points.csv")).unwrap();
    let columns: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    assert!(columns.ends_with(&["group:steel", "group:resin"]), "{columns:?}");
}

#[test]
fn boundaries_of_groups_have_their_areas() {
    let directory = model();
    let here = directory.path();
    let boundary = "quadrature two.msh --crease-angle 40 --gauss 2 --boundary";
    let all = json(here, &format!("{boundary} --json"));
    let names: Vec<_> = all["groups"].as_array().unwrap().iter().map(|g| &g["group"]).collect();
    assert_eq!(names, ["left", "right"]);
    let right = json(here, &format!("{boundary}=right -o right.npz --json"));
    assert_eq!(
        (right["groups"].as_array().unwrap().len(), &right["groups"][0]["faces"]),
        (1, &1.into())
    );
    let close = |value: &serde_json::Value, x: f64| (value.as_f64().unwrap() - x).abs() < 1e-14;
    let sums = &right["groups"][0];
    assert!(close(&sums["area"], 1.0) && close(&sums["normal"][0], 1.0), "{sums}");
    assert!(close(&sums["centroid"][0], 2.0) && close(&right["area"], 1.0), "{right}");
    let archive = here.join("right.npz");
    let group = array::<u32>(&archive, "group/right").1;
    assert_eq!(array::<u32>(&archive, "leaf/face").1, group);

    let inside = "group \"between\" has 1 face between cells";
    refused(here, &format!("{boundary}=between -o x.npz"), inside);
    refused(here, &format!("{boundary}=up -o x.npz"), "has no group up");
    refused(here, &format!("{boundary}=9 -o x.npz"), "and the groups left, right; where:x<1e-6");
    // several lists are one, and names may have commas
    let both = json(here, &format!("{boundary}=left --boundary=right --json"));
    assert_eq!(both["groups"].as_array().unwrap().len(), 2);
    let text = std::fs::read_to_string(here.join("two.msh")).unwrap();
    std::fs::write(here.join("comma.msh"), text.replace("\"right\"", "\"right,low\"")).unwrap();
    let boundary = boundary.replace("two.msh", "comma.msh");
    let found = json(here, &format!("{boundary}=right\\,low,left --json"));
    assert_eq!(found["groups"].as_array().unwrap().len(), 2);
    assert!(!here.join("x.npz").exists());
}

#[test]
fn groups_are_loaded_and_their_vertices_written() {
    let directory = model();
    let here = directory.path();
    let report = json(
        here,
        "assemble two.msh --crease-angle 40 --gauss 2 --load right=1,2,-3 --load right=0,0,1 -o out \
         --json",
    );
    for (force, expected) in report["force"].as_array().unwrap().iter().zip([1.0, 2.0, -2.0]) {
        assert!((force.as_f64().unwrap() - expected).abs() < 1e-14, "{report}");
    }
    let archive = here.join("out/model.npz");
    assert_eq!(array::<i32>(&archive, "group/left"), (vec![4], vec![0, 3, 6, 9]));
    assert_eq!(array::<i32>(&archive, "group/right"), (vec![4], vec![2, 5, 8, 11]));
    let (_, load) = array::<f64>(&archive, "load");
    let loaded = (0..12).filter(|v| load[3 * v] != 0.0);
    assert_eq!(loaded.collect::<Vec<_>>(), [2, 5, 8, 11]);
}

fn levels(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    let options = zune_png::zune_core::options::DecoderOptions::default();
    let mut decoder = zune_png::PngDecoder::new_with_options(std::io::Cursor::new(bytes), options);
    decoder.decode_raw().unwrap()
}

/// A pixel has the material of its cell, whole numbers as they are.
#[test]
fn pixels_have_the_material_of_their_cell() {
    let directory = model();
    let here = directory.path();
    done(
        here,
        "slice two.msh --crease-angle 40 --layer-height 0.5 --pixel 0.125 --png layers \
         --attribute steel --attribute gmsh:physical=0:40 --quiet",
    );
    let of = |stack: &str| -> Vec<u8> {
        let folder = here.join("layers").join(stack);
        let mut files: Vec<_> = std::fs::read_dir(&folder)
            .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "png"))
            .collect();
        files.sort();
        assert_eq!(files.len(), 2);
        levels(&files[0])
    };
    let (steel, tags) = (of("steel"), of("gmsh_physical"));
    assert_eq!((steel.len(), tags.len()), (16 * 8, 16 * 8));
    for (i, (&steel, &tag)) in steel.iter().zip(&tags).enumerate() {
        let is_left = i % 16 < 8;
        assert_eq!((steel, tag), if is_left { (255, 64) } else { (0, 128) }, "{i}");
    }
}

/// The first image of a stack, as colors of the pixels from the top.
fn colors(folder: &Path) -> Vec<[u8; 3]> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let first = files.filter(|path| path.extension().is_some_and(|e| e == "png")).min().unwrap();
    let bytes = std::fs::read(first).unwrap();
    let mut decoder = zune_png::PngDecoder::new(std::io::Cursor::new(bytes));
    let samples = decoder.decode().unwrap().u8().unwrap();
    let width = samples.len() / (16 * 8);
    samples.chunks_exact(width).map(|color| [0, 1, 2].map(|d| color[d % width])).collect()
}

/// Two volumes of a file of Gmsh are two materials, by their names and by their tags; parts of the
/// layers, made apart and merged, are the files of the whole.
#[test]
fn volumes_are_materials_of_images() {
    let directory = model();
    let here = directory.path();
    let slice = "slice two.msh --crease-angle 40 --layer-height 0.5 --pixel 0.125 --quiet";
    let (steel, resin) = ([255, 0, 0], [0, 0, 255]);
    done(here, &format!("{slice} --png named --materials steel=#ff0000,resin=#0000ff"));
    done(here, &format!("{slice} --png tagged --material-id gmsh:physical"));
    done(here, &format!("{slice} --png apart --material-id gmsh:physical --separate"));
    let named = colors(&here.join("named/materials"));
    let tagged = colors(&here.join("tagged/materials"));
    let apart =
        ["gmsh_physical_10", "gmsh_physical_20"].map(|f| colors(&here.join("apart").join(f)));
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(here.join("tagged/manifest.json")).unwrap()).unwrap();
    let listed = manifest["parameters"]["files"]["materials"].as_array().unwrap();
    let [first, second] = [0, 1].map(|i| {
        let text = listed[i]["color"].as_str().unwrap();
        [1, 3, 5].map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
    });
    assert_eq!((&listed[0]["id"], &listed[1]["id"]), (&10.into(), &20.into()));
    assert_eq!(manifest["layers"][0]["files"][0]["pixels"], serde_json::json!([64, 64]));
    for i in 0..16 * 8 {
        let is_left = i % 16 < 8;
        assert_eq!(named[i], if is_left { steel } else { resin }, "{i}");
        assert_eq!(tagged[i], if is_left { first } else { second }, "{i}");
        let white = [0, 1].map(|k| apart[k][i][0] == 255);
        assert_eq!(white, [is_left, !is_left], "{i}");
    }

    for job in [2, 1] {
        let parts = format!("{slice} --png parts --material-id gmsh:physical --pieces {job}/2");
        done(here, &parts);
    }
    done(here, "merge parts");
    assert!(json_file(&here.join("parts")) == json_file(&here.join("tagged")));
    assert_eq!(colors(&here.join("parts/materials")), tagged);

    // a cell of no material, and one of two
    let twice = format!("{slice} --zip x.zip --materials steel,gmsh:physical");
    refused(here, &twice, "in cell 0 has fractions that sum to 11");
    let volumes = std::fs::read_to_string(here.join("two.msh")).unwrap();
    std::fs::write(here.join("two.msh"), volumes.replace("5 5 2 20 2", "5 5 2 10 2")).unwrap();
    done(here, &format!("{slice} --png one --materials steel=#ff0000"));
    assert!(colors(&here.join("one/materials")).iter().all(|&color| color == steel));
}

/// A solid that is cut between its groups: files and refinements keep the cut, at which values are
/// continuous, and layers have neither gaps nor cells of both groups.
#[test]
fn cut_groups_share_values() {
    let directory = model();
    let here = directory.path();
    let cut = json(here, "extend two.msh --sharp-groups -o cut.vtu --json");
    let counts = ["interface_faces", "copied_vertices", "ghosts"].map(|key| cut[key].clone());
    assert_eq!(counts.map(|x| x.as_u64().unwrap()), [1, 4, 52]);
    let (_, text, stderr) = run(here, "info cut.vtu --json");
    assert!(!stderr.contains("another vertex"), "{stderr}");
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    let faces = serde_json::json!({"between": 2, "interface:resin/steel": 1,
        "interface:steel/resin": 1, "left": 1, "right": 1});
    assert_eq!(summary["face_groups"], faces);

    done(here, "refine cut.vtu --levels 1 -o fine.vtu");
    let exact = 0.5 / (1.0 + 0.1);
    for (name, tolerance) in [("cut.vtu", 1e-10), ("fine.vtu", 1e-10)] {
        let solve = "--heat steel=1 --heat resin=10 --temperature left=0 --temperature right=1";
        let solved = json(here, &format!("solve {name} {solve} -o heat.vtu --json"));
        let energy = solved["energy"].as_f64().unwrap();
        assert!((energy / exact - 1.0).abs() < tolerance, "{name}: {energy} {exact}");
        let assembled = json(here, &format!("assemble {name} --mass -o matrices --json"));
        assert_eq!(assembled["constraints"]["inexact_vertices"], serde_json::json!([]));
        let area = |part: &str| {
            let report = json(here, &format!("quadrature {name} --boundary{part} --json"));
            report["area"].as_f64().unwrap()
        };
        assert!(
            (area("") - 10.0).abs() < 1e-12 && (area("=interface:steel/resin") - 1.0).abs() < 1e-12
        );
        refused(here, &format!("quadrature {name} --boundary=between"), "between cells");
    }

    let slice = "slice cut.vtu --layer-height 0.5 --pixel 0.125 --quiet";
    done(here, &format!("{slice} --png named --materials steel=#ff0000,resin=#0000ff"));
    for (i, color) in colors(&here.join("named/materials")).into_iter().enumerate() {
        assert_eq!(color, if i % 16 < 8 { [255, 0, 0] } else { [0, 0, 255] }, "{i}");
    }
    refused(here, "extend two.msh --sharp-groups=wood -o x.vtu", "no group of cells is named");
    refused(here, "extend two.msh --sharp-groups --periodic x -o x.vtu", "cannot be used with");
}

/// Pieces without a face of a group have its array all the same.
#[test]
fn groups_of_some_pieces_are_refined() {
    let directory = model();
    let here = directory.path();
    done(here, "refine two.msh --levels 1 -o whole.vtu");
    done(here, "refine two.msh --levels 1 --piece-cells 8 -o pieces.pvtu");
    let count = |name: &str| {
        let report = json(here, &format!("info {name} --json"));
        assert_eq!(report["cells"], 16, "{name}");
        report["face_groups"].clone()
    };
    assert_eq!(count("whole.vtu"), serde_json::json!({"left": 4, "right": 4, "between": 4}));
    assert_eq!(count("pieces.pvtu"), count("whole.vtu"));
    let twice = "refine two.msh --levels 0 --piece-cells 8 -o pieces2.pvtu";
    refused(here, twice, "give --levels 1 or more");
}

/// A group of faces whose name a cell array of reals has.
#[test]
fn groups_share_their_name_with_arrays_of_reals() {
    let directory = model();
    let here = directory.path();
    let mut mesh = read(here.join("two.msh")).unwrap();
    let reals =
        CellArray { name: "group:left".into(), width: 1, values: vec![0.25, 0.5], integers: false };
    mesh.cell_data = vec![reals];
    subsolid::write(here.join("real.vtu"), &mesh, subsolid::WriteOptions::default()).unwrap();
    let again = read(here.join("real.vtu")).unwrap();
    assert_eq!(again.cell_data, mesh.cell_data);
    let sorted = |mesh: &SolidMesh| {
        let groups = mesh.face_groups.iter();
        let mut all: Vec<_> =
            groups.map(|g| (g.name.clone(), g.faces.vertices().to_vec())).collect();
        all.sort();
        all
    };
    assert_eq!(sorted(&again), sorted(&mesh));
}

fn json_file(directory: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(directory.join("manifest.json")).unwrap()).unwrap()
}

/// Distances to named faces and cells, through a refinement that keeps them: exact in a box.
#[test]
fn distances_to_groups_are_stored() {
    let directory = model();
    let here = directory.path();
    type Exact = fn(f64) -> f64;
    let cases: [(&str, Exact); 3] =
        [("left", |x| x), ("between", |x| (x - 1.0).abs()), ("steel", |x| (x - 1.0).max(0.0))];
    for (name, exact) in cases {
        done(here, "refine two.msh --crease-angle 40 -o fine.vtu");
        done(here, &format!("distance fine.vtu --to group:{name} --name far -o far.vtu"));
        let mesh = read(here.join("far.vtu")).unwrap();
        let far = mesh.attributes.iter().find(|attribute| attribute.name == "far").unwrap();
        for (p, d) in mesh.points.iter().zip(&far.values) {
            assert!((exact(p[0]) - d).abs() < 1e-10, "{name}: {p:?} {d}");
        }
    }
    refused(here, "distance two.msh --to group:up -o x.vtu", "no group is named \"up\"");
    refused(here, "distance two.msh --to group: -o x.vtu", "group:NAME");
    assert!(!here.join("x.vtu").exists());
}

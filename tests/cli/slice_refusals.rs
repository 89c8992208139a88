//! What `subsolid slice` refuses, and that it leaves nothing then.

use std::fs;

use subsolid::WriteOptions;
use subsolid::mesh::Attribute;
use tempfile::tempdir;

use crate::program::{files, refused};
use crate::slice::{done, manifest, relative, with_tripod};

/// Whether the memory of this machine is too large for a refusal, or unknown; says so.
fn memory_holds(bytes: u64) -> bool {
    let memory = subsolid::physical_memory();
    let holds = memory.is_none_or(|memory| memory > bytes);
    if holds {
        eprintln!("not checked: needs a known memory of at most {bytes} bytes, here {memory:?}");
    }
    holds
}

#[test]
fn attributes_of_more_cells_than_memory_has_room_for_are_refused() {
    // 2^28 cells
    if memory_holds(700 << 30) {
        return;
    }
    let here = tempdir().unwrap();
    done(here.path(), "shape box 4 4 8 -o box.vtk");
    let job = "slice box.vtk --levels 7 --layer-height 1 --pixel 1 --pvtu layers.pvtu";
    refused(here.path(), job, "attributes of 268435456 cells need about 751.6 GB of memory");
}

#[test]
fn points_of_more_pixels_than_memory_has_room_for_are_refused() {
    let here = tempdir().unwrap();
    done(here.path(), "shape box 1 1 1 -o box.vtk");
    let job = "slice box.vtk --crease-angle 40 --layer-height 0.001 --pvtu layers.pvtu";
    let total = "points at 25000 × 25000 pixels per layer, more than 268435456 in all";
    refused(here.path(), &format!("{job} --pixel 4e-5"), total);
    // 2.5 TB in all
    if memory_holds(4 << 40) {
        return;
    }
    let held = "points at 10000 × 10000 pixels of 256 layers at a time need about";
    refused(here.path(), &format!("{job} --pixel 1e-4 --threads 64"), held);
    assert!(files(here.path()).keys().all(|path| path.ends_with("box.vtk")));
}

#[test]
fn bad_options_are_refused_and_leave_nothing() {
    let tripod = with_tripod();
    let at = tripod.path();
    fs::write(at.join("file"), "").unwrap();
    done(at, "shape box 1 1 1 -o box.vtk");
    let png = "slice tripod.vtu --png out --pixel 0.1";
    for (arguments, fragment) in [
        // the flat top itself would be one empty layer
        (
            "slice box.vtk --crease-angle 40 --layer-height 2 --svg out",
            "give a layer height below 2.0",
        ),
        ("slice tripod.vtu --layer-height 0.1", "not provided:\n  <--png <DIR>|--bmp <DIR>|--svg"),
        (
            "slice tripod.vtu --layer-height 0.1 --png out",
            "not provided:\n  <--pixel <P[xQ]>|--dpi",
        ),
        ("slice tripod.vtu --svg out", "not provided:\n  --layer-height"),
        (&format!("{png} --layer-height 0"), "layer height 0 is not positive"),
        (&format!("{png} --layer-height -0.1"), "layer height -0.1 is not positive"),
        (&format!("{png} --layer-height nan"), "not positive"),
        (&format!("{png} --layer-height 1e-9"), "give a layer height of at least"),
        (&format!("{png} --layer-height 0.1 --range 5"), "two heights look like 0.5:2"),
        (&format!("{png} --layer-height 0.1 --range 90:91"), "the middles of the"),
        (&format!("{png} --layer-height 0.1 --range 1:0"), "no layer has its middle"),
        (&format!("{png} --layer-height 0.1 --tolerance -1"), "ask for at least"),
        (&format!("{png} --layer-height 0.1 --unit 0"), "--unit 0 is out of range"),
        (&format!("{png} --layer-height 0.1 --unit 1e-320"), "1e-9 to 1e9"),
        (&format!("{png} --layer-height 1000"), "is not below the top of the model"),
        (&format!("{png} --layer-height 1e300"), "is not below the top of the model"),
        ("slice tripod.vtu --layer-height 1 --png out --pixel 100", "is larger than the model"),
        (
            "slice tripod.vtu --layer-height 1 --binary",
            "not provided:\n  <--png <DIR>|--bmp <DIR>|--svg",
        ),
        ("slice tripod.vtu --layer-height 1 --vtp a.vtp --unit 25.4", "--unit is for"),
        ("slice tripod.vtu --layer-height 1 --vtp a.vtp --resume", "--resume is for"),
        ("slice tripod.vtu --layer-height 1 --vtp a.vtp --attribute height=0:1", "is for --png"),
        ("slice tripod.vtu --layer-height 1 --svg out --backend cuda", "--backend cuda is for"),
        (&format!("{png} --layer-height 0.1 --antialias 0"), "0 planes"),
        (&format!("{png} --layer-height 0.1 --antialias 1000"), "1000 planes"),
        (&format!("{png} --layer-height 0.1 --bits 12"), "[possible values: 8, 16]"),
        (
            &format!("{png} --layer-height 0.1 --resolution 100"),
            "columns and rows look like 1920x1080",
        ),
        (
            &format!("{png} --layer-height 0.1 --attribute heat"),
            "its attributes, cell arrays and groups are height, pair_0",
        ),
        (
            &format!("{png} --layer-height 0.1 --attribute pair --attribute pair_0"),
            "is asked for twice",
        ),
        (&format!("{png} --layer-height 0.1 --attribute height=1:1"), "no grays between"),
        (&format!("{png} --layer-height 0.1 --zip a.tar"), "end its name in .zip"),
        (&format!("{png} --layer-height 0.1 --svg out"), "given twice"),
        ("slice tripod.vtu --layer-height 0.1 --png out --pixel -1", "--pixel -1 is not positive"),
        ("slice tripod.vtu --layer-height 0.1 --png out --pixel 1e-6", "give larger pixels"),
        ("slice tripod.vtu --layer-height 0.1 --png out --pixel 1e-300", "over the model"),
        (
            "slice tripod.vtu --layer-height 0.1 --svg out --origin -inf",
            "--origin -inf is not a finite number",
        ),
        (
            "slice tripod.vtu --layer-height 0.1 --svg out --zip a.zip",
            "not provided:\n  <--pixel <P[xQ]>|--dpi",
        ),
        (
            "slice tripod.vtu --layer-height 0.1 --sl1 a.sl1 --pixel 0.1",
            "not provided:\n  --exposure",
        ),
        (
            "slice tripod.vtu --layer-height 0.1 --svg out --materials height",
            "not provided:\n  <--png <DIR>|--bmp <DIR>|--zip",
        ),
        (
            "slice tripod.vtu --layer-height 0.1 --svg out --attribute height",
            "images, --vtp and --pvtu",
        ),
        ("slice tripod.vtu --layer-height 0.1 --svg out --pixel 0.1", "--vdb and --pvtu"),
        (
            "slice tripod.vtu --layer-height 0.1 --pvtu a.pvtu",
            "not provided:\n  <--pixel <P[xQ]>|--dpi",
        ),
        ("slice tripod.vtu --layer-height 0.1 --pvtu a.vtu --pixel 0.1", "end its name in .pvtu"),
        ("slice tripod.vtu --layer-height 0.1 --svg file", "is a file, not a directory"),
        ("slice tripod.vtu --layer-height 0.1 --svg file/in", "cannot be written"),
        ("slice tripod.vtu --layer-height 0.1 --png /proc/none --pixel 1", "cannot be written"),
        ("slice tripod.vtu --layer-height 0.1 --cli none/a.cli", "create its directory"),
        ("slice tripod.vtu --layer-height 0.1 --vtp a.vtu", "end its name in .vtp"),
        ("slice missing.vtu --layer-height 0.1 --svg out", "missing.vtu: cannot be read"),
    ] {
        refused(at, arguments, fragment);
    }
}

#[test]
fn other_layers_are_not_mixed_in() {
    let tripod = with_tripod();
    let at = tripod.path();
    let png = "slice tripod.vtu --layer-height 0.3 --png out";
    // of one corner
    done(at, &format!("{png} --pixel 0.1 --resolution 200x200"));
    let coarse = format!("{png} --pixel 0.2 --resolution 100x100");
    refused(at, &coarse, "files.pitch is 0.1 there, 0.2 here");
    refused(at, &format!("{png} --pixel 0.1 --levels 1 --resume"), "model_sha256 is");
    refused(at, &format!("{png} --pixel 0.1 --crease-angle 30 --resume"), "model_sha256 is");
}

#[test]
fn bad_materials_are_refused() {
    let tripod = with_tripod();
    let at = tripod.path();
    let zip = "slice tripod.vtu --layer-height 0.5 --zip a.zip --pixel 0.1";
    for (arguments, fragment) in [
        (&*format!("{zip} --materials lead"), "the model has no attribute \"lead\""),
        (&format!("{zip} --materials height,height"), "given twice"),
        (&format!("{zip} --materials height=#12"), "#b87333"),
        (&format!("{zip} --materials pair"), "layer 0: the pixel of column"),
        (&format!("{zip} --material-id height"), "\"height\" is not a cell array"),
        (&format!("{zip} --materials height --material-id height"), "cannot be used with"),
        (&format!("{zip} --materials height --dither"), "cannot be used with"),
        (&format!("{zip} --materials height --bits 8"), "--bits is for gray"),
        (&format!("{zip} --separate"), "not provided:\n  <--materials"),
        (
            &format!("{zip} --materials height --separate --attribute height"),
            "folder of their own: \"height\" is taken by the images of a material",
        ),
        (&format!("{zip} --pieces 1/2"), "parts and ranks are for"),
        (&format!("{zip} --resume"), "--resume is for"),
        (
            "slice tripod.vtu --layer-height 0.5 --sl1 a.sl1 --pixel 0.1 --exposure 6 --materials height",
            "are for --png",
        ),
        (
            "slice tripod.vtu --layer-height 0.5 --sl1 a.sl1 --pixel 0.1 --exposure 0",
            "an exposure of 0 seconds",
        ),
        (
            "slice tripod.vtu --layer-height 0.5 --sl1 a.sl1 --pixel 0.1 --exposure 6 --dither",
            "--sl1 has 8 bits per pixel: --dither is for",
        ),
        ("slice tripod.vtu --layer-height 0.5 --layered-svg a.xml", "end its name in .svg"),
    ] {
        refused(at, arguments, fragment);
    }
}

/// A job that is refused at its first layer leaves nothing that a corrected one would trip over.
#[test]
fn a_pixel_without_a_number_is_refused_and_leaves_nothing() {
    let tripod = with_tripod();
    let at = tripod.path();
    let mut mesh = subsolid::read(at.join("tripod.vtu")).unwrap();
    let mut values: Vec<f64> = vec![1.0; mesh.points.len()];
    mesh.attributes.push(Attribute { name: "heat".into(), width: 1, values: values.clone() });
    subsolid::write(at.join("whole.vtu"), &mesh, WriteOptions::default()).unwrap();
    values.fill(f64::NAN);
    mesh.attributes.last_mut().unwrap().values = values;
    subsolid::write(at.join("holes.vtu"), &mesh, WriteOptions::default()).unwrap();
    let slice = "--layer-height 0.5 --png out --pixel 0.1 --attribute";
    refused(at, &format!("slice holes.vtu {slice} heat=0:1"), "has no number in \"heat\"");
    assert!(!at.join("out").exists());
    fs::create_dir(at.join("out")).unwrap();
    refused(at, &format!("slice holes.vtu {slice} heat=0:1"), "in cell ");
    assert!(at.join("out").exists() && relative(&at.join("out")).is_empty());
    // a range below zero is not an option, and arrays may have the names that other commands give
    done(at, &format!("slice whole.vtu {slice} group:heat=0:2 --range -1:1"));
    assert!(
        manifest(&at.join("out"))["layers"].as_array().is_some_and(|layers| !layers.is_empty())
    );
}

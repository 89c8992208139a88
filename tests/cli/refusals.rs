//! Bad requests: one message, exit code 2.

use std::fs;
use std::time::{Duration, Instant};

use tempfile::tempdir;

use crate::program::{done, refused, run};
use crate::{json, with_fan};

#[test]
fn parameters_that_make_no_sense_are_refused_by_line() {
    let fan = with_fan();
    let path = fan.path();
    for (row, fragment) in [
        ("0,NaN,0,0", "p.csv:3: u = NaN is outside"),
        ("0,0,1.5,0", "p.csv:3: v = 1.5 is outside"),
        ("0,0,0,-1e-9", "p.csv:3: w = -1e-9 is outside"),
        ("99999,0,0,0", "p.csv:3: cell 99999 does not exist, the mesh has 40 cells"),
        ("-1,0,0,0", "p.csv:3: cell expected, found `-1`"),
        ("0,a,0,0", "p.csv:3: u expected, found `a`"),
        ("0,0,0", "p.csv:3: 3 columns instead of 4"),
    ] {
        fs::write(path.join("p.csv"), format!("cell,u,v,w\n0,0.5,0.5,0.5\n{row}\n")).unwrap();
        refused(path, "evaluate fan.vtu --at p.csv -o values.csv", fragment);
    }
    fs::write(path.join("p.csv"), "u,v,w\n").unwrap();
    refused(path, "evaluate fan.vtu --at p.csv -o values.csv", "begin the table with");
}

#[test]
fn points_whose_distance_overflows_are_refused_by_column() {
    let fan = with_fan();
    fs::write(fan.path().join("p.csv"), "x,y,z\n0.1,0.1,0.2\n0,-1e200,0\n").unwrap();
    refused(
        fan.path(),
        "locate fan.vtu --points p.csv",
        "p.csv:3: y: number up to 1e70 expected, found `-1e200`",
    );
}

#[test]
fn cells_that_are_no_hexahedra_are_refused_with_help() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    fs::write(
        path.join("tet.vtk"),
        "# vtk DataFile Version 3.0\ntet\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
         0 0 0\n1 0 0\n0 1 0\n0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
    )
    .unwrap();
    fs::write(path.join("p.csv"), "cell,u,v,w\n0,0.5,0.5,0.5\n").unwrap();
    refused(path, "evaluate tet.vtk --at p.csv -o a.csv", "name the corner");
    done(path, "evaluate tet.vtk --at p.csv --levels 1 -o a.csv");
    let report = json(path, "evaluate tet.vtk --samples 3 -o a.vtu --json");
    assert_eq!(report["cells"], 4 * 8);
}

#[test]
fn levels_beyond_count_are_refused_at_once() {
    let fan = with_fan();
    let start = Instant::now();
    for levels in [99_999_999_999_u64, (1 << 32) + 1, u64::MAX] {
        refused(
            fan.path(),
            &format!("refine fan.vtu --levels {levels} -o a.vtu"),
            " levels of this mesh",
        );
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn refusals_have_one_message_and_exit_code_2() {
    let fan = with_fan();
    let path = fan.path();
    fs::write(path.join("bad.mesh"), "MeshVersionFormatted 2\nDimension 3\nVertices\n1\n0 0\n")
        .unwrap();
    fs::write(path.join("p.csv"), "cell,u,v,w\n").unwrap();
    for (arguments, fragment) in [
        ("info missing.vtu", "missing.vtu: cannot be read: No such file"),
        ("info bad.mesh", "bad.mesh:6: the file ends where z is expected"),
        ("info p.csv", "formats that are read"),
        ("info fan.vtu --levels 40", " levels of this mesh"),
        ("info fan.vtu --crease-angle 200", "from 0 to 180"),
        ("info fan.vtu --creases missing.csv", "missing.csv: cannot be read"),
        ("info fan.vtu --threads 0", "ask for 1 to "),
        ("info fan.vtu --threads -1", "invalid value '-1' for '--threads <N>'"),
        ("info fan.vtu --levels -1", "invalid value '-1' for '--levels <N>'"),
        ("info fan.vtu --frobnicate", "unexpected argument '--frobnicate'"),
        ("frobnicate", "unrecognized subcommand"),
        ("refine fan.vtu -o out.stl", "unknown output format"),
        ("refine fan.vtu -o fan.vtu", "is an input"),
        ("refine fan.vtu --levels 99999999999 -o a.vtu", "make more than 268435456 cells"),
        ("evaluate fan.vtu --samples 3 -o missing/a.vtu", "create its directory first"),
        ("evaluate fan.vtu --samples 3 -o a.png", "unknown output format"),
        ("evaluate fan.vtu --samples 3 -o fan.vtu", "is an input"),
        ("evaluate fan.vtu --samples 3", "not provided:\n  --output"),
        ("evaluate fan.vtu -o a.vtu", "no samples are specified"),
        ("evaluate fan.vtu --samples 0 -o a.vtu", "1 to 64"),
        ("evaluate fan.vtu --samples 65 -o a.vtu", "1 to 64"),
        ("evaluate fan.vtu --samples -3 -o a.vtu", "invalid value '-3'"),
        ("evaluate fan.vtu --samples 1 -o a.vtu", "at least 2"),
        ("evaluate fan.vtu --gauss 33 -o a.vtu", "1 to 32"),
        ("evaluate fan.vtu --gauss 2 --samples 2 -o a.vtu", "cannot be used with"),
        ("evaluate fan.vtu --gauss 2 --cells lagrange -o a.vtu", "--cells points"),
        ("evaluate fan.vtu --samples 2 --derivatives 3 -o a.vtu", "derivatives of order 3"),
        ("evaluate fan.vtu --cells bezier --derivatives 1 -o a.vtu", "control points"),
        ("evaluate fan.vtu --cells bezier --rings 9 -o a.vtu", "0 to 8 rings"),
        (
            "evaluate fan.vtu --samples 2 --backend gpu -o a.vtu",
            "cuda, cuda:N, cuda:N,M or cuda:all",
        ),
        ("evaluate fan.vtu --samples 2 --backend cuda:99 -o a.vtu", "no CUDA device"),
        ("evaluate fan.vtu --cells bezier --backend cuda -o a.vtu", "made on the CPU"),
        ("compare fan.vtu --backend cuda:99", "no CUDA device"),
        ("compare fan.vtu --samples 65", "65 is not in 1..=64"),
        ("compare fan.vtu --precision f16", "invalid value 'f16'"),
        ("bench", "not provided:\n  <MODEL>"),
        ("bench fan.vtu --samples 4,65", "--samples 65 is out of range"),
        ("bench fan.vtu --levels 0,99", "--levels 99 is out of range"),
        ("bench -", "the model is standard input, `-`: it is read more than once"),
        ("bench fan.vtu --repeats 0", "0 is not in 1..=10000"),
        ("bench fan.vtu -o fan.vtu", "is an input"),
        ("bench fan.vtu -o a --report a", "the same file"),
        ("bench fan.vtu --report missing/a.html", "create its directory first"),
        ("compare fan.vtu -o a.csv", "end the name of the output in .vtu"),
        ("evaluate fan.vtu --at p.csv -o a.vtu", "end the name of the output in .csv"),
        ("evaluate fan.vtu --at p.csv -o p.csv", "is an input"),
        ("evaluate fan.vtu --samples 8 --write-memory 1e-5 -o a.vtu", "write .pvtu"),
        ("shape blob -o a.vtu", "no shape is named `blob`"),
        ("shape box 0 1 1 -o a.vtu", "at least 1"),
        ("shape box 2 -2 1 -o a.vtu", "invalid value '-2'"),
        ("shape box 1 1 1 1 -o a.vtu", "takes 3 sizes"),
        ("shape box 99999999 99999999 99999999 -o a.vtu", "would have"),
    ] {
        refused(path, arguments, fragment);
    }
}

/// An output that would replace pieces of an input, by its name or by the directory of its own
/// pieces, is refused, and nothing is touched.
#[test]
fn pieces_of_an_input_are_not_replaced() {
    let fan = with_fan();
    let path = fan.path();
    done(path, "refine fan.vtu --levels 1 --piece-cells 80 -o parts.pvtu");
    fs::copy(path.join("parts.pvtu"), path.join("other.pvtu")).unwrap();
    let files = || {
        let files = fs::read_dir(path.join("parts")).unwrap();
        let mut files: Vec<_> = files
            .map(|file| file.unwrap().path())
            .map(|file| (file.clone(), fs::read(file).unwrap()))
            .collect();
        files.sort();
        files
    };
    let before = files();
    assert_eq!(before.len(), 4);
    for (arguments, fragment) in [
        ("refine parts.pvtu -o parts/parts_0000.vtu", "is a piece of parts.pvtu"),
        ("refine other.pvtu -o parts.pvtu", "holds the input parts/parts_0000.vtu"),
        ("refine parts/parts_0002.vtu -o parts.pvtu", "holds the input parts/parts_0002.vtu"),
        ("evaluate other.pvtu --samples 2 -o parts/parts_0001.vtu", "is a piece of other.pvtu"),
        ("evaluate other.pvtu --samples 2 -o ./parts.pvtu", "holds the input"),
        ("untangle other.pvtu -o parts.pvtu", "holds the input"),
        ("bench other.pvtu -o parts/parts_0003.vtu", "is a piece of other.pvtu"),
    ] {
        refused(path, arguments, fragment);
    }
    assert_eq!(files(), before);
    done(path, "refine parts.pvtu --levels 0 -o whole.vtu");
    done(path, "refine whole.vtu --levels 0 -o parts.pvtu");
}

/// A small file may claim a large grid.
#[test]
fn structured_grids_are_held_to_the_memory_that_is_given() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    let extent = "0 100 0 100 0 100";
    let image = format!(
        "<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"{extent}\" Origin=\"0 0 0\" \
         Spacing=\"1 1 1\"><Piece Extent=\"{extent}\"/></ImageData></VTKFile>"
    );
    fs::write(path.join("a.vti"), image).unwrap();
    let legacy = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET STRUCTURED_POINTS\n\
                  DIMENSIONS 101 101 101\nORIGIN 0 0 0\nSPACING 1 1 1\n";
    fs::write(path.join("a.vtk"), legacy).unwrap();
    for model in ["a.vti", "a.vtk"] {
        let fragment =
            "a grid of 101 × 101 × 101 points takes about 144.7 MB of memory, 20.0 MB are left";
        refused(path, &format!("info {model} --memory 0.02"), fragment);
    }
    let mut limited = std::process::Command::new("sh");
    let image = fs::read_to_string(path.join("a.vti")).unwrap();
    fs::write(path.join("b.vti"), image.replace(" 100", " 400")).unwrap();
    let command = format!("ulimit -v 4000000 && {} info b.vti", env!("CARGO_BIN_EXE_subsolid"));
    let output = limited.args(["-c", &command]).current_dir(path).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("a grid of 401 × 401 × 401 points takes about"), "{message}");
}

/// Names come from files, and may hold what XML does not, or what a terminal acts on.
#[test]
fn names_of_control_characters_stand_in_no_file() {
    let directory = with_fan();
    let path = directory.path();
    let model = "# vtk DataFile Version 3.0\nsquare\nASCII\nDATASET POLYDATA\nPOINTS 4 double\n\
                 0 0 0 1 0 0 1 1 0 0 1 0\nPOLYGONS 1 5\n4 0 1 2 3\nPOINT_DATA 4\n\
                 SCALARS a%01%0ab double 1\nLOOKUP_TABLE default\n1 2 3 4\n";
    fs::write(path.join("named.vtk"), model).unwrap();
    let (code, text, stderr) = run(path, "info named.vtk");
    assert_eq!(code, 0, "{stderr}");
    assert!(text.contains("a\\u{1}\\nb, width 1"), "{text}");
    refused(
        path,
        "surface named.vtk --levels 0 -o a.vtp",
        "point array name \"a\\u{1}\\nb\" cannot stand in a file",
    );
}

/// An array of this name says which cells to leave out, to readers.
#[test]
fn arrays_named_as_marks_of_ghosts_are_not_written() {
    let directory = with_fan();
    let path = directory.path();
    let mut mesh = subsolid::read(path.join("fan.vtu")).unwrap();
    let values = vec![0.5; mesh.points.len()];
    mesh.attributes.push(subsolid::mesh::Attribute {
        name: "vtkGhostType".into(),
        width: 1,
        values,
    });
    let error = subsolid::write(path.join("a.vtu"), &mesh, Default::default()).unwrap_err();
    assert!(error.to_string().contains("marks of ghost cells"), "{error}");
    assert!(!path.join("a.vtu").exists());
}

/// Compressed arrays beyond the memory that is given for them are no damage of the file.
#[test]
fn compressed_arrays_are_held_to_the_memory_that_is_given() {
    let directory = with_fan();
    let path = directory.path();
    let (code, _, stderr) = run(path, "refine fan.vtu --compress -o small.vtu");
    assert_eq!(code, 0, "{stderr}");
    let (code, _, stderr) = run(path, "info small.vtu --memory 1e-9");
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("of the memory for compressed data"), "{stderr}");
    assert!(stderr.contains("allow more memory (--memory)"), "{stderr}");
}

/// An option that would have no effect is refused.
#[test]
fn options_without_use_are_refused() {
    let fan = with_fan();
    let path = fan.path();
    fs::write(path.join("p.csv"), "cell,u,v,w\n0,0,0,0\n").unwrap();
    for (arguments, fragment) in [
        ("evaluate fan.vtu --samples 2 --rings 2 -o a.vtu", "--rings is for --cells bezier"),
        ("evaluate fan.vtu --at p.csv --rings 2 -o a.csv", "--rings is for --cells bezier"),
        (
            "evaluate fan.vtu --at p.csv --separate-points -o a.csv",
            "--separate-points is for --cells",
        ),
        (
            "evaluate fan.vtu --gauss 2 --separate-points -o a.vtu",
            "--separate-points is for --cells",
        ),
        ("evaluate fan.vtu --at p.csv --write-memory 1 -o a.csv", "--write-memory is for"),
        ("evaluate fan.vtu --samples 2 --write-memory 1 -o a.pvtu", "--write-memory is for"),
        (
            "evaluate fan.vtu --samples 2 --write-memory -1 -o a.vtu",
            "--write-memory -1 is not a positive number of gigabytes",
        ),
        ("evaluate fan.vtu --samples 2 --compress --quality", "not provided:\n  --output"),
        ("evaluate fan.vtu --samples 2 --compress -o a.vtk", "a .vtk file is not compressed"),
        ("evaluate fan.vtu --cells lagrange -o a.csv", "a .csv file holds points only"),
        ("refine fan.vtu --compress -o a.csv", "a .csv file is not compressed"),
        ("refine fan.vtu --crease-angle -1 -o a.vtu", "an angle from 0 to 180"),
        ("shape box --compress -o a.vtk", "a .vtk file is not compressed"),
        ("compare fan.vtu --samples 2 --compress", "not provided:\n  --output"),
        ("compare fan.vtu --samples 2 --compress -o a.vtk", "a .vtk file is not compressed"),
        ("quadrature fan.vtu --gauss 2 --quality --compress", "not provided:\n  --output"),
        ("quadrature fan.vtu --gauss 2 --quality --force", "not provided:\n  --output"),
        ("extract fan.vtu --max-size 0 -o a.npz", "is not a positive number of gigabytes"),
        ("extract fan.vtu --max-size 1e-6 -o a.npz", "more than --max-size 0.000001"),
        ("surface fan.vtu -o a.obj", "subsolid boundary"),
        (
            "evaluate fan.vtu --cells bezier --precision f32 -o a.vtu",
            "--precision f32 is not for --cells bezier",
        ),
        (
            "evaluate fan.vtu --cells bezier --strategy warp -o a.vtu",
            "--strategy is not for --cells bezier",
        ),
        (
            "evaluate fan.vtu --samples 3 --precision f32 -o a.glb",
            "--precision f32 is not for .glb",
        ),
        ("evaluate fan.vtu --samples 3 --strategy warp -o a.glb", "--strategy is not for .glb"),
        (
            "evaluate fan.vtu --samples 3 --piece-points 9 -o a.glb",
            "--piece-points is not for .glb",
        ),
        (
            "evaluate fan.vtu --samples 3 --color-map turbo -o a.glb",
            "--color-map is for the colors",
        ),
        ("evaluate fan.vtu --samples 3 --explain --unit mm", "--unit is for a .glb"),
        ("assemble fan.vtu --body 1,0,0 --format mtx -o a", "--format is for matrices"),
    ] {
        refused(path, arguments, fragment);
    }
    let (code, _, stderr) = run(path, "refine fan.vtu --levels 0 --crease-angle 40 -o a.csv");
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("a.csv: left out 40 cells, "), "{stderr}");
}

//! Jobs on ranks, as threads of one program: the files and reports of one program. `mpirun` is
//! tried by `tests/cluster/mpirun.sh`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use subsolid::mesh::{Attribute, CellArray, CellKind, Cells, FaceGroup, Polygons, SolidMesh};
use subsolid::topology::Topology;
use tempfile::{TempDir, tempdir};

use crate::program::{done, files, refused, run};
use crate::support::meshes;
use crate::{names, with_fan};

/// All files below a directory.
fn made(arguments: &str, here: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let before = files(here);
    done(here, arguments);
    let mut made = files(here);
    made.retain(|path, _| !before.contains_key(path));
    for path in made.keys() {
        fs::remove_file(path).unwrap();
    }
    made
}

/// Compares what 2 and 3 ranks make with what one program makes; there are several pieces.
fn compare(here: &Path, job: &str, least: usize) {
    compare_counts(here, job, least, &[2, 3]);
}

/// Numbers of ranks for jobs that take long, to be taken in turn.
const COUNTS: [[usize; 2]; 2] = [[2, 5], [1, 3]];

fn compare_counts(here: &Path, job: &str, least: usize, counts: &[usize]) {
    let alone = made(job, here);
    assert!(alone.len() >= least, "{job}: {} files", alone.len());
    for count in counts {
        let ranks = made(&format!("--thread-ranks {count} {job}"), here);
        assert!(ranks == alone, "{job}, {count} ranks");
    }
}

fn with_models() -> TempDir {
    let here = with_fan();
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    fs::copy(models.join("bracket.vtk"), here.path().join("bracket.vtk")).unwrap();
    fs::copy(models.join("graded_bracket.vtu"), here.path().join("graded.vtu")).unwrap();
    let mut mixed = meshes::mixed();
    meshes::crease_at_random(&mut mixed, &[0.4, 1.0, 2.3, f64::INFINITY], 3, 1);
    let write = |name: &str, mesh| {
        subsolid::write(here.path().join(name), mesh, subsolid::WriteOptions::default()).unwrap();
    };
    write("mixed.vtu", &mixed);
    write("mixed.vtk", &mixed);
    let mut far = meshes::perturbed(&meshes::fan(5, 3, 4), 0.02, 1);
    far.points.iter_mut().for_each(|p| *p = [p[0] + 1e4, p[1] - 1e4, p[2]]);
    let values = far.points.iter().map(|p| p[2] + 0.1 * p[0].sin()).collect();
    far.attributes.push(Attribute { name: "height".into(), width: 1, values });
    write("far.vtu", &far);
    here
}

#[test]
fn ranks_write_the_files_of_one_program() {
    let here = with_models();
    let here = here.path();
    for (job, least) in [
        ("bracket.vtk --samples 3 --piece-points 4001 --crease-angle 40", 6),
        ("graded.vtu --samples 2 --levels 1 --piece-points 10000 --gradients --separate-points", 3),
        ("mixed.vtu --samples 3 --piece-points 100 --derivatives 1", 6),
        ("far.vtu --samples 2 --piece-points 500 --levels 1 --precision f32", 6),
        ("fan.vtu --gauss 2 --piece-points 40 --compress", 3),
        ("fan.vtu --cells lagrange --levels 1 --piece-points 1000", 6),
        ("fan.vtu --cells bezier --levels 1", 2),
    ] {
        compare(here, &format!("evaluate {job} -o out.pvtu"), least);
    }
    // pieces that repeat the vertices where they touch
    for name in ["mixed.vtu", "far.vtu"] {
        done(here, &format!("refine {name} --levels 1 --piece-cells 90 -o pieces.pvtu"));
        compare(here, "evaluate pieces.pvtu --samples 2 --piece-points 5000 -o out.pvtu", 2);
        compare(here, "refine pieces.pvtu --levels 1 --piece-cells 9000 -o out.pvtu", 2);
        fs::remove_file(here.join("pieces.pvtu")).unwrap();
        fs::remove_dir_all(here.join("pieces")).unwrap();
    }
    compare(here, "evaluate mixed.vtk --samples 3 --piece-points 100 -o out.pvtu", 6);
    // creases beside the file: other sharpness, smooth, and new ones
    let creases = subsolid::read(here.join("mixed.vtu")).unwrap().creases;
    let [[a, b], [c, d]] = [0, 1].map(|i| creases.edges[i].edge().map(|v| v.0));
    let corner = creases.corners.first().map_or(a, |corner| corner.vertex.0);
    let table = format!(
        "kind,v0,v1,sharpness,note\nedge,{a},{b},0,x\nedge,{c},{d},inf,\ncorner,{corner},,1.5,\n"
    );
    fs::write(here.join("creases.csv"), table).unwrap();
    for name in ["mixed.vtu", "mixed.vtk"] {
        let job = format!("{name} --creases creases.csv -o out.pvtu");
        compare(here, &format!("evaluate --samples 3 --piece-points 100 {job}"), 6);
        compare(here, &format!("refine --levels 2 --piece-cells 9 {job}"), 6);
    }
    // what is made of a file when it is read
    compare(
        here,
        "evaluate fan.vtu --samples 2 --crease-angle 40 --piece-points 99 -o out.pvtu",
        5,
    );
    compare(here, "refine mixed.vtu --levels 1 --weld --reorient --piece-cells 9 -o out.pvtu", 5);
    compare(here, "refine bracket.vtk --levels 2 --piece-cells 700 -o out.pvtu", 6);
    compare(here, "refine mixed.vtu --levels 1 --piece-cells 5 --compress -o out.pvtu", 6);
    compare(
        here,
        "refine graded.vtu --levels 1 --piece-cells 999 --vertex-rule joy-maccracken -o out.pvtu",
        2,
    );
    // boxes that are one batch in one program, and pieces of several ranks
    let mut left = subsolid::read(here.join("fan.vtu")).unwrap();
    left.points.iter_mut().for_each(|p| p[0] = -p[0]);
    subsolid::write(here.join("left.vtu"), &left, subsolid::WriteOptions::default()).unwrap();
    for (job, least) in [
        ("bracket.vtk --piece-points 1000", 6),
        ("bracket.vtk --piece-points 100000", 2),
        ("fan.vtu --rings 1 --piece-points 700 --levels 1", 6),
        ("left.vtu --rings 2 --piece-points 2000", 3),
        ("left.vtu --rings 1 --levels 1", 2),
        ("graded.vtu --piece-points 7000 --crease-angle 40", 6),
        ("mixed.vtu --rings 1 --piece-points 3000", 4),
        ("mixed.vtk --rings 0 --piece-points 300 --levels 1 --compress", 4),
        ("far.vtu --rings 1 --piece-points 5000 --levels 1", 3),
    ] {
        compare(here, &format!("quadrature {job} --gauss 2 --force -o out.pvtu"), least);
    }
}

/// Every rank has the whole model.
#[test]
fn ranks_write_the_layers_of_one_program() {
    let here = with_models();
    let here = here.path();
    done(here, "shape box 2 1 1 -o box.vtu");
    done(here, "boundary bracket.vtk -o bracket.obj");
    let mut graded = subsolid::read(here.join("graded.vtu")).unwrap();
    let values = graded.points.iter().map(|p| p[0] * p[1]).collect();
    graded.attributes.push(Attribute { name: "product".into(), width: 1, values });
    let ids = (0..graded.cells.len()).map(|cell| (cell % 3) as f64).collect();
    graded.cell_data.push(CellArray::new("material", 1, ids, true));
    subsolid::write(here.join("data.vtu"), &graded, subsolid::WriteOptions::default()).unwrap();
    for ((job, least), counts) in [
        ("bracket.obj --layer-height 0.5 --svg drawings", 6),
        ("data.vtu --layer-height 0.5 --pixel 0.2 --png layers --attribute product", 9),
        ("data.vtu --layer-height 0.5 --pixel 0.2 --bmp layers --material-id material", 9),
        ("data.vtu --layer-height 0.4 --pixel 0.2 --antialias 3 --png layers --levels 1 --axis x \
          --attribute product --attribute material=-1:4", 9),
        ("far.vtu --layer-height 0.2 --pixel 0.1 --antialias 2 --png layers --origin -1 \
          --attribute height", 6),
        ("bracket.vtk --layer-height 0.5 --pixel 0.2 --bmp layers --crease-angle 40 --levels 1", 6),
        ("bracket.vtk --layer-height 0.3 --axis x --range 1:3 --svg drawings", 6),
        ("graded.vtu --layer-height 0.5 --pixel 0.3 --antialias 3 --png layers --svg drawings", 9),
        ("graded.vtu --layer-height 0.5 --axis y --levels 1 --svg drawings", 6),
        ("mixed.vtu --layer-height 0.3 --pixel 0.1 --png layers --svg drawings", 6),
        ("mixed.vtu --layer-height 0.3 --pixel 0.1 --antialias 2 --png layers --levels 2", 6),
        ("mixed.vtk --layer-height 0.3 --axis x --svg drawings", 4),
        ("far.vtu --layer-height 0.2 --pixel 0.1 --png layers --svg drawings --origin -1", 6),
        ("box.vtu --layer-height 0.5 --svg drawings", 3),
    ]
    .into_iter()
    .zip(COUNTS.iter().cycle())
    {
        compare_counts(here, &format!("slice {job}"), least, counts);
    }
}

/// Of the cells of the rocket 42 % are refined first.
#[test]
fn ranks_share_cells_that_are_refined_first() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/solids/rocket.mesh");
    let (here, model) = (tempdir().unwrap(), model.display());
    let job = format!("evaluate {model} --samples 2 --piece-points 1009 -o o.pvtu");
    compare_counts(here.path(), &job, 4, &COUNTS[0]);
    let job =
        format!("quadrature {model} --gauss 2 --rings 0 --force --piece-points 4001 -o q.pvtu");
    compare_counts(here.path(), &job, 4, &COUNTS[1]);
    let job = format!("slice {model} --layer-height 0.7 --svg o");
    compare_counts(here.path(), &job, 20, &[3]);
}

/// Reports but for the seconds.
#[test]
fn ranks_report_what_one_program_reports() {
    let here = with_models();
    let here = here.path();
    let report = |arguments: &str| {
        let (code, out, error) = run(here, arguments);
        assert!(code < 2, "{arguments}: {error}");
        let mut report: serde_json::Value = serde_json::from_str(&out).unwrap();
        for own in ["seconds", "batches", "table_bytes"] {
            report[own].take();
        }
        let _ = fs::remove_dir_all(here.join("drawings"));
        (code, report)
    };
    for job in [
        "evaluate bracket.vtk --samples 3 --quality --json",
        "evaluate mixed.vtu --samples 4 --quality --json",
        "evaluate fan.vtu --samples 3 --levels 2 --quality --piece-points 300 --json -o q.pvtu",
        "quadrature bracket.vtk --gauss 3 --quality --json",
        "quadrature mixed.vtu --gauss 2 --quality --json",
        "quadrature graded.vtu --gauss 2 --rings 1 --levels 2 --quality --json",
        "quadrature fan.vtu --gauss 2 --force --piece-points 500 --json -o q.pvtu",
        "refine mixed.vtu --levels 2 --piece-cells 100 --json -o fine.pvtu",
        "slice mixed.vtu --layer-height 0.3 --json --svg drawings",
    ] {
        let alone = report(job);
        for count in [1, 2, 3, 5] {
            assert_eq!(report(&format!("--thread-ranks {count} {job}")), alone, "{job}, {count}");
        }
    }
}

/// Creases and corners by the places of their vertices, sorted.
fn creases(mesh: &SolidMesh) -> Vec<Vec<f64>> {
    let place = |v: u32| mesh.points[v as usize];
    let mut all: Vec<Vec<f64>> = Vec::new();
    for crease in &mesh.creases.edges {
        let mut ends = crease.edge().map(|v| place(v.0));
        ends.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all.push([ends.as_flattened(), &[crease.sharpness]].concat());
    }
    for corner in &mesh.creases.corners {
        all.push([&place(corner.vertex.0)[..], &[corner.sharpness]].concat());
    }
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    all
}

/// Pieces read back as the mesh that is refined as a whole.
#[test]
fn refined_pieces_are_the_refined_mesh() {
    let here = with_models();
    let here = here.path();
    for name in ["bracket.vtk", "mixed.vtu", "graded.vtu"] {
        done(here, &format!("refine {name} --levels 2 -o whole.vtu"));
        done(here, &format!("refine {name} --levels 2 --piece-cells 300 -o pieces.pvtu"));
        let read = |name: &str| subsolid::read(here.join(name)).unwrap();
        let (whole, pieces) = (read("whole.vtu"), read("pieces.pvtu"));
        assert_eq!(pieces.points.len(), whole.points.len());
        assert!(creases(&pieces) == creases(&whole), "{name}");
        assert_eq!(pieces.cell_data, whole.cell_data);
        let corners = |mesh: &subsolid::mesh::SolidMesh| -> Vec<[f64; 3]> {
            let cells = (0..mesh.cells.len()).flat_map(|c| mesh.cells.vertices(c));
            cells.map(|&v| mesh.points[v as usize]).collect()
        };
        assert!(corners(&pieces) == corners(&whole), "{name}");
    }
}

/// What `--pieces` writes without an engine.
#[test]
fn ranks_write_the_pieces_of_jobs() {
    let fan = with_fan();
    let here = fan.path();
    let job = "evaluate fan.vtu --samples 4 --piece-points 200 -o out.pvtu";
    let ranks = made(&format!("--thread-ranks 3 {job}"), here);
    for part in 1..=3 {
        done(here, &format!("{job} --pieces {part}/3"));
    }
    done(here, "merge out.pvtu");
    assert!(ranks.len() > 3);
    for (path, bytes) in ranks {
        assert!(fs::read(&path).unwrap() == bytes, "{}", path.display());
    }
}

#[test]
fn ranks_refuse_with_one_message_and_leave_nothing() {
    let fan = with_fan();
    let here = fan.path();
    let refuse = |arguments: &str, fragment: &str| {
        refused(here, &format!("--thread-ranks 3 {arguments}"), fragment);
        let (_, _, error) = run(here, &format!("--thread-ranks 3 {arguments}"));
        assert_eq!(error.matches("error:").count(), 1, "{error}");
    };
    refuse("info fan.vtu", "does not support --mpi");
    refuse("evaluate none.vtu --samples 3 -o out.pvtu", "none.vtu: cannot be read");
    refuse("evaluate fan.vtu --samples 3 -o out.vtu", "ranks write a .pvtu");
    refused(here, "refine fan.vtu --piece-cells 9 -o out.vtu", "--piece-cells is for a .pvtu");
    refuse("refine fan.vtu --levels 1 -o out.vtu", "ranks write a .pvtu of 1 level or more");
    refuse("evaluate fan.vtu --samples 3 --pieces 1/2 -o out.pvtu", "--explain and --pieces");
    refuse("evaluate fan.vtu --samples 3 -o none/out.pvtu", "create its directory first");
    refuse("quadrature fan.vtu --gauss 3 -o out.npz", "ranks write a .pvtu");
    refuse(
        "slice fan.vtu --layer-height 0.5 --cli out.cli",
        "ranks are for --png, --bmp and --svg",
    );
    refuse("evaluate fan.vtu --at fan.vtu -o out.csv", "--at does not support --mpi");
    refuse("refine - --levels 1 -o out.pvtu", "standard input is that of one");
    refuse(
        "slice fan.vtu --creases - --layer-height 0.5 --svg out",
        "standard input is that of one",
    );
    assert_eq!(names(here), [here.join("fan.vtu")]);
}

/// A model of everything that reading warns of: cells of their own corners, mirrored or folded, and
/// vertices of no cell.
fn poor() -> SolidMesh {
    let block = meshes::block([3, 2, 2]);
    let mut poor = SolidMesh::default();
    for (c, corners) in block.cells.hexahedra().unwrap().iter().enumerate() {
        let first = poor.points.len() as u32;
        poor.points.extend(corners.map(|v| block.points[v as usize].map(|x| x + 500.0)));
        let mut own: [u32; 8] = std::array::from_fn(|i| first + i as u32);
        match c {
            3 | 10 => own.rotate_left(4),
            7 => poor.points[first as usize] = poor.points[first as usize + 6],
            _ => {}
        }
        poor.cells.push(CellKind::Hexahedron, &own);
        poor.points.push([500.0; 3]);
    }
    poor
}

/// Models that are poor or refused, and tables of creases.
fn write_faulty_models(here: &Path) {
    let write = |name: &str, mesh: &SolidMesh| {
        subsolid::write(here.join(name), mesh, subsolid::WriteOptions::default()).unwrap();
    };
    write("poor.vtu", &poor());
    write("poor.vtk", &poor());
    let mut creased = meshes::block([3, 3, 3]);
    creased.creases.push_edge(21, 0, 1.0);
    write("creased.vtu", &creased);
    let mut touching = creased.clone();
    touching.creases.edges.clear();
    touching.cells = Cells::default();
    for cell in (0..27).filter(|cell| ![18, 19, 21, 23, 25, 26].contains(cell)) {
        touching.cells.push(CellKind::Hexahedron, creased.cells.vertices(cell));
    }
    write("touching.vtu", &touching);
    let mut sharp = meshes::block([3, 3, 3]);
    sharp.creases.push_edge(62, 63, 1000.0);
    write("sharp.vtu", &sharp);
    let bytes = fs::read(here.join("poor.vtu")).unwrap();
    fs::write(here.join("cut.vtu"), &bytes[..bytes.len() - 99]).unwrap();
    creased.points[40][1] = f64::NAN;
    write("nan.vtu", &creased);
    let mut far = meshes::block([3, 3, 3]);
    far.points.iter_mut().for_each(|p| *p = p.map(|x| 1e71 * x));
    let values = far.points.iter().map(|p| p[2] + 0.1 * p[0].sin()).collect();
    far.attributes.push(Attribute { name: "height".into(), width: 1, values });
    write("far.vtu", &far);
    for (name, rows) in [
        ("good", "note,kind,v0,v1,sharpness\nx,edge,0,1,2\n"),
        ("edge", "kind,v0,v1,sharpness\nedge,0,1,2\nedge,21,0,1\n"),
        ("corner", "kind,v0,v1,sharpness\ncorner,99999,,1\n"),
        ("malformed", "kind,v0,v1,sharpness\nedge,0,1,-2\n"),
    ] {
        fs::write(here.join(name).with_extension("csv"), rows).unwrap();
    }
}

/// The same warnings and errors, whoever reads the model.
#[test]
fn ranks_say_what_one_program_says() {
    let here = tempdir().unwrap();
    let here = here.path();
    write_faulty_models(here);
    let said = |job: &str| {
        let (code, _, text) = run(here, job);
        // status lines; ranks give no hints
        let is_status = |line: &str| line.starts_with(|c: char| c.is_ascii_uppercase());
        let kept = |line: &&str| {
            let line = line.trim_start();
            !is_status(line) && !line.starts_with("hint ")
        };
        let lines: Vec<String> = text.lines().filter(kept).map(str::to_owned).collect();
        (code, lines)
    };
    for (job, expected) in [
        ("evaluate poor.vtu --samples 2 --piece-points 20 -o out.pvtu", 0),
        ("evaluate poor.vtk --samples 2 --piece-points 20 -o out.pvtu", 0),
        (
            "evaluate poor.vtu --samples 2 --levels 1 --precision f32 --piece-points 20 -o out.pvtu",
            0,
        ),
        ("refine poor.vtu --levels 1 --piece-cells 20 -o out.pvtu", 0),
        ("refine poor.vtu --levels 1 --strict -o out.pvtu", 2),
        ("refine poor.vtu --levels 40 -o out.pvtu", 2),
        ("evaluate poor.vtu --samples 2 --gradients -o out.pvtu", 2),
        ("evaluate creased.vtu --samples 2 -o out.pvtu", 2),
        ("evaluate touching.vtu --samples 2 -o out.pvtu", 2),
        ("evaluate sharp.vtu --samples 2 -o out.pvtu", 2),
        ("refine touching.vtu --levels 1 -o out.pvtu", 2),
        ("evaluate cut.vtu --samples 2 -o out.pvtu", 2),
        ("evaluate nan.vtu --samples 2 -o out.pvtu", 2),
        ("evaluate none.vtu --samples 2 -o out.pvtu", 2),
        ("evaluate poor.vtu --creases good.csv --samples 2 --piece-points 20 -o out.pvtu", 0),
        ("evaluate poor.vtu --creases edge.csv --samples 2 -o out.pvtu", 2),
        ("evaluate poor.vtk --creases corner.csv --samples 2 -o out.pvtu", 2),
        ("refine poor.vtu --creases malformed.csv --levels 1 -o out.pvtu", 2),
        ("refine poor.vtu --creases none.csv --levels 1 -o out.pvtu", 2),
        ("slice poor.vtk --layer-height 0.5 --svg out", 0),
        ("slice poor.vtu --layer-height 0.5 --strict --svg out", 2),
        ("slice poor.vtu --layer-height 9 --svg out", 2),
        ("slice poor.vtu --layer-height 0.5 --tolerance 1e-99 --svg out", 2),
        ("slice poor.vtu --layer-height 0.5 --origin 600 --svg out", 2),
        ("slice poor.vtu --layer-height 0.5 --range 0:1 --svg out", 2),
        ("slice creased.vtu --layer-height 0.5 --svg out", 2),
        ("slice touching.vtu --layer-height 0.5 --svg out", 2),
        ("slice sharp.vtu --layer-height 0.5 --svg out", 2),
        ("slice nan.vtu --layer-height 0.5 --svg out", 2),
        ("slice far.vtu --layer-height 0.5 --svg out", 2),
    ] {
        let said = |job: &str| {
            let said = said(job);
            let _ = fs::remove_dir_all(here.join("out"));
            said
        };
        let alone = said(job);
        assert_eq!(alone.0, expected, "{job}: {:?}", alone.1);
        for count in [1, 2, 3, 5] {
            let mut ranks = said(&format!("--thread-ranks {count} {job}"));
            for line in &mut ranks.1 {
                // where one of them has found it
                if let Some(rest) = line.strip_prefix("error: rank ") {
                    *line = format!("error: {}", rest.split_once(": ").unwrap().1);
                }
            }
            assert_eq!(ranks, alone, "{job}, {count} ranks");
        }
    }
}

/// Fewer cells than ranks: some have nothing to do.
#[test]
fn ranks_may_have_nothing_to_do() {
    let here = tempdir().unwrap();
    let here = here.path();
    done(here, "shape box 2 1 1 -o box.vtu");
    compare(here, "evaluate box.vtu --samples 3 --piece-points 1 -o out.pvtu", 3);
    compare(here, "evaluate box.vtu --samples 3 -o out.pvtu", 2);
    compare(here, "quadrature box.vtu --gauss 2 --force -o out.pvtu", 2);
}

/// An earlier output goes away when the new one is complete, and stays if it fails.
#[test]
fn ranks_replace_what_one_program_replaces() {
    let fan = with_fan();
    let here = fan.path();
    done(here, "evaluate fan.vtu --samples 3 --piece-points 100 -o out.pvtu");
    done(here, "--thread-ranks 2 evaluate fan.vtu --samples 2 -o out.pvtu");
    assert_eq!(names(&here.join("out")), [here.join("out/out_0000.vtu")]);
}

#[test]
fn warnings_are_those_of_one_program() {
    let here = tempdir().unwrap();
    let mut mesh = meshes::mixed();
    mesh.points.push([9.0; 3]);
    let topology = Topology::of_mesh(&mesh).unwrap();
    let face = (0..topology.face_count() as u32).find(|&f| topology.is_boundary_face(f)).unwrap();
    let vertices = topology.face_vertices(face).to_vec();
    let faces = Polygons::uniform(vertices.len(), vertices);
    mesh.face_groups.push(FaceGroup::new("inlet", faces));
    let model = here.path().join("model.vtu");
    subsolid::write(&model, &mesh, subsolid::WriteOptions::default()).unwrap();
    let warnings = |options: &str| {
        let job = format!("{options} evaluate model.vtu --samples 2 -o out.pvtu");
        let (code, _, stderr) = run(here.path(), &job);
        assert_eq!(code, 0, "{stderr}");
        let lines = stderr.lines().filter(|line| line.contains("warning"));
        lines.map(String::from).collect::<Vec<_>>()
    };
    let alone = warnings("");
    assert!(
        alone.iter().any(|line| line.contains("left out the groups of faces inlet")),
        "{alone:?}"
    );
    assert!(alone.iter().any(|line| line.contains("1 vertex belongs to no cell")), "{alone:?}");
    for count in [1, 2, 3] {
        assert_eq!(warnings(&format!("--thread-ranks {count}")), alone);
    }
}

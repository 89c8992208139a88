//! The program as its users run it. The files that [`files_for_vtk`] leaves in
//! `target/readback_evaluate` are read by `tests/vtk_evaluate.py`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use subsolid::backend::{Backend, Cpu};
use subsolid::limit::Solid;
use subsolid::mesh::shape::Shape;
use subsolid::plan::{Location, Samples, Want};
use tempfile::{TempDir, tempdir};

mod program;
use program::{done, refused, run};

fn names(directory: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|file| file.unwrap().path()).collect();
    names.sort();
    names
}

/// A directory with a fan in it.
fn with_fan() -> TempDir {
    let directory = tempdir().unwrap();
    done(directory.path(), "shape fan 5 2 2 -o fan.vtu");
    directory
}

fn json(directory: &Path, arguments: &str) -> serde_json::Value {
    serde_json::from_str(&done(directory, arguments)).unwrap()
}

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
fn every_shape_is_written_and_understood() {
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
        let info = json(directory.path(), &format!("info {car} --levels {level} --json"));
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
    let text = done(directory.path(), &format!("info {car}"));
    assert!(text.contains("0 regular, 16 layered, 8 irregular, 0 refined"), "{text}");
}

#[test]
fn quiet_says_nothing() {
    let fan = with_fan();
    let (code, stdout, stderr) = run(fan.path(), "evaluate fan.vtu --samples 2 -o a.vtu --quiet");
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", ""));
    let (_, _, stderr) = run(fan.path(), "evaluate fan.vtu --samples 2 -o a.vtu --threads 1");
    assert!(stderr.contains("Wrote") && stderr.contains("1 threads"), "{stderr}");
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
    done(path, "refine box.vtk --vertex-rule joy-maccracken -o jm.vtk");
    assert_eq!(subsolid::io::read(path.join("jm.vtk")).unwrap().cells.len(), 64);
}

#[test]
fn table_rows_equal_the_library() {
    let fan = with_fan();
    let mesh = subsolid::io::read(fan.path().join("fan.vtu")).unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let mut table = String::from("cell,u,v,w\n");
    let mut locations = Vec::new();
    for i in 0..200_u32 {
        let at = [7, 11, 13].map(|prime| f64::from(i * prime % 101) / 100.0);
        let element = i * 17 % mesh.cells.len() as u32;
        table += &format!("{element}, {} ,{},{}\n", at[0], at[1], at[2]);
        locations.push(Location { element, parameters: at });
    }
    fs::write(fan.path().join("p.csv"), &table).unwrap();
    done(fan.path(), "evaluate fan.vtu --at p.csv --derivatives 2 -o values.csv");
    let plan = solid.plan(&Samples::Points(locations), Want::FIRST | Want::SECOND).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let mut reader = csv::Reader::from_path(fan.path().join("values.csv")).unwrap();
    let header = reader.headers().unwrap().iter().collect::<Vec<_>>().join(",");
    assert!(header.starts_with("cell,u,v,w,x,y,z,xu,yu,zu,xv,yv,zv,xw,yw,zw,xuu,yuu,zuu,xvv"));
    assert!(header.ends_with("zww,xuv,yuv,zuv,xuw,yuw,zuw,xvw,yvw,zvw"), "{header}");
    let mut rows = 0;
    for (i, (row, given)) in reader.records().zip(table.lines().skip(1)).enumerate() {
        let row: Vec<f64> = row.unwrap().iter().map(|x| x.parse().unwrap()).collect();
        let given: Vec<f64> = given.split(',').map(|x| x.trim().parse().unwrap()).collect();
        assert_eq!(row[..4], given[..]);
        for (k, values) in std::iter::once(&limit.positions).chain(&limit.derivatives).enumerate() {
            for d in 0..3 {
                let [a, b] = [row[4 + 3 * k + d], values.get(3 * i + d)];
                assert!(a == b || a.is_nan() && b.is_nan(), "row {i}, value {k}: {a} {b}");
            }
        }
        rows += 1;
    }
    assert_eq!(rows, 200);
}

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
fn cells_that_are_no_hexahedra_name_the_mend() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    fs::write(
        path.join("tet.vtk"),
        "# vtk DataFile Version 3.0\ntet\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
         0 0 0\n1 0 0\n0 1 0\n0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
    )
    .unwrap();
    fs::write(path.join("p.csv"), "cell,u,v,w\n0,0.5,0.5,0.5\n").unwrap();
    refused(path, "evaluate tet.vtk --at p.csv -o a.csv", "refine with --levels 1");
    done(path, "evaluate tet.vtk --at p.csv --levels 1 -o a.csv");
    let report = json(path, "evaluate tet.vtk --samples 3 -o a.vtu --json");
    assert_eq!(report["cells"], 4 * 8);
}

#[test]
fn levels_beyond_count_are_refused_at_once() {
    let fan = with_fan();
    let start = Instant::now();
    for levels in [99_999_999_999_u64, (1 << 32) + 1, u64::MAX] {
        refused(fan.path(), &format!("refine fan.vtu --levels {levels} -o a.vtu"), "at most");
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
        ("info missing.vtu", "missing.vtu: No such file"),
        ("info bad.mesh", "bad.mesh"),
        ("info p.csv", "formats that are read"),
        ("info fan.vtu --levels 40", "at most"),
        ("info fan.vtu --crease-angle 200", "from 0 to 180"),
        ("info fan.vtu --creases missing.csv", "missing.csv"),
        ("info fan.vtu --threads 0", "from 1 to 1024"),
        ("info fan.vtu --frobnicate", "unexpected argument '--frobnicate'"),
        ("frobnicate", "unrecognized subcommand"),
        ("refine fan.vtu -o out.stl", "unknown output format"),
        ("refine fan.vtu -o fan.vtu", "is an input"),
        ("refine fan.vtu --levels 99999999999 -o a.vtu", "at most"),
        ("evaluate fan.vtu --samples 3 -o missing/a.vtu", "create its directory first"),
        ("evaluate fan.vtu --samples 3 -o a.png", "unknown output format"),
        ("evaluate fan.vtu --samples 3 -o fan.vtu", "is an input"),
        ("evaluate fan.vtu --samples 3", "--output"),
        ("evaluate fan.vtu -o a.vtu", "nothing says where"),
        ("evaluate fan.vtu --samples 0 -o a.vtu", "1 to 64"),
        ("evaluate fan.vtu --samples 65 -o a.vtu", "1 to 64"),
        ("evaluate fan.vtu --samples 1 -o a.vtu", "at least 2"),
        ("evaluate fan.vtu --gauss 33 -o a.vtu", "1 to 32"),
        ("evaluate fan.vtu --gauss 2 --samples 2 -o a.vtu", "cannot be used with"),
        ("evaluate fan.vtu --gauss 2 --cells lagrange -o a.vtu", "--cells points"),
        ("evaluate fan.vtu --samples 2 --derivatives 3 -o a.vtu", "3 is not in 0..=2"),
        ("evaluate fan.vtu --cells bezier --derivatives 1 -o a.vtu", "control points"),
        ("evaluate fan.vtu --cells bezier --rings 9 -o a.vtu", "0 to 8 rings"),
        ("evaluate fan.vtu --samples 2 --backend gpu -o a.vtu", "there is no backend \"gpu\""),
        ("evaluate fan.vtu --samples 2 --backend cuda:99 -o a.vtu", "no CUDA device"),
        ("evaluate fan.vtu --cells bezier --backend cuda -o a.vtu", "made on the CPU"),
        ("compare fan.vtu --backend cuda:99", "no CUDA device"),
        ("compare fan.vtu --samples 65", "65 is not in 1..=64"),
        ("compare fan.vtu --precision f16", "invalid value 'f16'"),
        ("bench", "<MODEL>"),
        ("bench fan.vtu --samples 4,65", "--samples 65 is out of range"),
        ("bench fan.vtu --levels 0,99", "--levels 99 is out of range"),
        ("bench fan.vtu --repeats 0", "0 is not in 1..=10000"),
        ("bench fan.vtu --json fan.vtu", "is an input"),
        ("bench fan.vtu --json a --report a", "the same file"),
        ("bench fan.vtu --report missing/a.html", "create its directory first"),
        ("compare fan.vtu -o a.csv", "end the name of the output in .vtu"),
        ("evaluate fan.vtu --at p.csv -o a.vtu", "end the name of the output in .csv"),
        ("evaluate fan.vtu --at p.csv -o p.csv", "is an input"),
        ("evaluate fan.vtu --samples 8 --max-memory 1e-5 -o a.vtu", "write .pvtu"),
        ("shape blob -o a.vtu", "no shape is named `blob`"),
        ("shape box 0 1 1 -o a.vtu", "at least 1"),
        ("shape box 1 1 1 1 -o a.vtu", "takes 3 sizes"),
        ("shape box 99999999 99999999 99999999 -o a.vtu", "would have"),
    ] {
        refused(path, arguments, fragment);
    }
}

#[test]
fn a_box_is_welded_unless_told_otherwise() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box 2 2 2 -o box.vtu");
    for (options, points, cells) in [
        ("--samples 3", 125, 64),
        ("--samples 3 --no-weld", 216, 64),
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

#[test]
fn derivatives_that_do_not_exist_are_said_to() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    // towards the axis derivatives across it grow without bound, the one along it does not
    done(path, "shape fan 5 -o fan.vtu");
    fs::write(path.join("p.csv"), "cell,u,v,w\n0,0,0,0.5\n").unwrap();
    let (code, _, stderr) = run(path, "evaluate fan.vtu --at p.csv --derivatives 1 -o a.csv");
    assert_eq!(code, 0);
    assert!(stderr.contains("do not exist at 1 points"), "{stderr}");
    let answer = fs::read_to_string(path.join("a.csv")).unwrap();
    let values: Vec<f64> =
        answer.trim_end().rsplit(',').take(9).map(|value| value.parse().unwrap()).collect();
    assert!(values[..3].iter().all(|value| value.is_finite()), "{answer}");
    assert!(values[3..].iter().all(|value| value.is_nan()), "{answer}");
}

#[test]
fn large_output_goes_to_pieces() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box 4 4 4 -o box.vtu");
    let report = json(path, "evaluate box.vtu --samples 40 -o out.pvtu --json -q");
    // 40³ samples a cell, 2 million a piece: 31 cells
    assert_eq!(report["pieces"], 3);
    assert_eq!(report["evaluated"], 64 * 40_usize.pow(3));
    let index = fs::read_to_string(path.join("out.pvtu")).unwrap();
    assert_eq!(index.matches("<Piece Source=\"out/out_000").count(), 3);
    assert_eq!(names(&path.join("out")).len(), 3);
}

#[test]
fn single_precision_is_close_to_double() {
    let fan = with_fan();
    fs::write(fan.path().join("p.csv"), "cell,u,v,w\n3,0.1,0.2,0.3\n8,0.9,0.4,0\n").unwrap();
    let mut values = Vec::new();
    for precision in ["f32", "f64"] {
        done(fan.path(), &format!("evaluate fan.vtu --at p.csv --precision {precision} -o a.csv"));
        let text = fs::read_to_string(fan.path().join("a.csv")).unwrap();
        let numbers = text.lines().skip(1).flat_map(|line| line.split(','));
        values.push(numbers.map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>());
    }
    let worst = values[0].iter().zip(&values[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst > 0.0 && worst < 1e-6, "{worst}");
}

#[test]
fn processors_are_listed_and_chosen() {
    let here = Path::new(".");
    let report = json(here, "devices --json");
    assert!(report["cpu"].as_str().unwrap().starts_with("CPU, f64"));
    let text = done(here, "devices");
    if report["devices"].as_array().unwrap().is_empty() {
        assert!(text.contains("no CUDA device: "), "{text}");
        assert!(report["no_device"].as_str().unwrap().starts_with("no CUDA device: "));
    } else {
        assert!(text.contains("cuda:0 ") && report["no_device"].is_null(), "{text}");
    }

    let fan = with_fan();
    let evaluate = "evaluate fan.vtu --samples 2 -o a.vtu";
    let (_, _, stderr) = run(fan.path(), &format!("{evaluate} --backend cpu --strategy warp"));
    assert!(stderr.contains("on the CPU") && stderr.contains("--strategy is not used"), "{stderr}");
    let (_, _, stderr) = run(fan.path(), &format!("{evaluate} --backend cpu --threads 1"));
    assert!(!stderr.contains("Chose") && stderr.contains("1 threads"), "{stderr}");
    let (code, _, stderr) = run(fan.path(), &format!("{evaluate} --backend auto"));
    assert!(code == 0 && stderr.contains("Chose"), "{stderr}");
}

#[test]
fn an_evaluation_is_explained_and_not_run() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box 2 2 6 -o car.vtk");
    let before = names(path);
    let options = "--samples 8 --derivatives 1 --precision f32 --backend cpu --explain";
    let text = done(path, &format!("evaluate car.vtk {options}"));
    assert!(text.contains("kernel") && text.contains("layered"), "{text}");
    let report = json(path, &format!("evaluate car.vtk {options} -o a.vtu --json"));
    assert_eq!(names(path), before, "nothing is written");

    assert_eq!(report["elements"], 24);
    let launches = report["launches"].as_array().unwrap();
    let sum = |key: &str| launches.iter().map(|l| l[key].as_u64().unwrap()).sum::<u64>();
    let families: Vec<_> = launches.iter().map(|l| l["kernel"].as_str().unwrap()).collect();
    assert_eq!(families, ["layered", "table"]);
    // 16 layered and 8 irregular cells, value and three derivatives of 3 floats a sample
    assert_eq!(
        [launches[0]["leaves"].as_u64(), launches[1]["leaves"].as_u64()],
        [Some(16), Some(8)]
    );
    assert_eq!(sum("samples"), 24 * 512);
    assert_eq!(sum("bytes_written"), 24 * 512 * 4 * 3 * 4);
    assert!(launches.iter().all(|l| l["bytes_read"].as_u64().unwrap() > 0));
    assert!(launches.iter().all(|l| l["floor"].is_null() && l["grid"].is_null()));

    fs::write(path.join("p.csv"), "cell,u,v,w\n0,0.5,0.5,0.5\n23,0,1,0.25\n").unwrap();
    let report = json(path, "evaluate car.vtk --at p.csv --backend cpu --explain --json");
    assert_eq!(report["launches"][0]["kernel"], "weighted points");
    assert_eq!(report["launches"][0]["samples"], 2);
    refused(path, "evaluate car.vtk --cells bezier --explain", "Bézier");
}

#[test]
fn single_precision_is_compared_with_double() {
    let fan = with_fan();
    let compare = "compare fan.vtu --samples 4 --backend cpu";
    let report = json(fan.path(), &format!("{compare} -o errors.vtu --json"));
    let runs = report["runs"].as_array().unwrap();
    assert_eq!((runs.len(), &runs[0]["name"]), (1, &"f32".into()));
    let all = &runs[0]["all"];
    assert_eq!((&all["cells"], &all["samples"]), (&40.into(), &(40 * 64).into()));
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let classes = runs[0]["classes"].as_object().unwrap();
    let sum: f64 = classes.values().map(|class| number(&class["samples"])).sum();
    assert_eq!(sum, 40.0 * 64.0);
    let worst = number(&all["absolute"]["maximum"]);
    assert!(worst > 0.0 && worst < 1e-6 && number(&all["worst"]["value"]) == worst);

    let file = fs::read(fan.path().join("errors.vtu")).unwrap();
    let text = String::from_utf8_lossy(&file);
    assert!(text.contains("Name=\"error\"") && text.contains("Name=\"class\""));

    let text = done(fan.path(), &format!("{compare} --precision f32"));
    assert!(text.contains("99 %") && text.contains("worst in ulp"), "{text}");
    let (_, text, stderr) = run(fan.path(), &format!("{compare} --precision f64 --json"));
    assert!(stderr.contains("the reference itself"), "{stderr}");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["runs"][0]["all"]["absolute"]["maximum"], 0.0);
}

#[test]
fn a_bench_fills_its_figures() {
    let fan = with_fan();
    let options = "--backend cpu --samples 3 --levels 0,1 --repeats 2";
    let text = done(fan.path(), &format!("bench fan.vtu {options} --json b.json --report b.html"));
    assert!(text.contains("CPU f32") && text.contains("Mpoint/s"), "{text}");

    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(fan.path().join("b.json")).unwrap()).unwrap();
    let timings = json["timings"].as_array().unwrap();
    let whole = |t: &&serde_json::Value| t["class"].is_null() && t["level"] == 1;
    let whole: Vec<_> = timings.iter().filter(whole).filter(|t| t["samples"] == 3).collect();
    assert_eq!(whole.len(), 2); // precisions
    assert!(whole.iter().all(|t| t["points"] == 320 * 27));
    assert_eq!(whole[0]["bytes"], 320 * 27 * 12);
    // classes part the cells among them
    let cells = timings.iter().filter(|t| !t["class"].is_null() && t["contender"] == "CPU f32");
    assert_eq!(cells.map(|t| t["cells"].as_u64().unwrap()).sum::<u64>(), 320);
    for t in timings {
        let [least, median, most] =
            ["least", "median", "most"].map(|key| t["seconds"][key].as_f64().unwrap());
        assert!(0.0 < least && least <= median && median <= most, "{t}");
    }
    assert_eq!(json["accuracy"].as_array().unwrap().len(), 1);
    assert!(json["left_out"][0].as_str().unwrap().contains("figures 9 and 10"));

    let page = fs::read_to_string(fan.path().join("b.html")).unwrap();
    for title in ["Table 1", "Figure 11", "Figure 12", "Figure 13", "Figure 14", "Section 5.4"] {
        assert!(page.contains(title), "{title}");
    }
    assert!(!page.contains("Figure 9:") && page.contains("--repeats 2"));
    // one chart each of figures 11, 12 and 5.4, two of 13 and 14
    assert_eq!(page.matches("<svg").count(), 7);
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    assert!(!page.contains("NaN") && !page.contains("href=") && !page.contains("<script"));
}

#[test]
fn poor_quality_is_told_by_the_exit_code() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box 3 3 3 -o box.vtk");
    let good = json(path, "evaluate box.vtk --gauss 3 --quality --json");
    assert_eq!(good["quality"]["samples"], 27 * 27);
    assert!(good["quality"]["least_determinant"]["value"].as_f64().unwrap() > 0.0);
    assert_eq!(good["quality"]["non_positive"].as_object().unwrap().len(), 0);

    // one inner vertex pulled along x until the solid folds, but no cell as a whole
    let mut mesh = subsolid::io::read(path.join("box.vtk")).unwrap();
    let inner = mesh.points.iter().position(|p| *p == [1.0; 3]).unwrap();
    mesh.points[inner][0] = 4.9;
    subsolid::io::write(path.join("bad.vtk"), &mesh, Default::default()).unwrap();
    let (code, stdout, _) = run(path, "evaluate bad.vtk --samples 6 --quality");
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("cells with detJ <= 0") && stdout.contains("worst -"), "{stdout}");
}

#[test]
#[cfg(unix)]
fn killed_half_way_it_leaves_no_file_under_the_final_name() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box 12 12 12 -o box.vtu");
    let input = fs::read(path.join("box.vtu")).unwrap();
    let mut child = Process::new(assert_cmd::cargo::cargo_bin("subsolid"))
        .current_dir(path)
        .args(["evaluate", "box.vtu", "--samples", "32", "-o", "out.pvtu", "-q"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    // until the first hidden piece is there
    while !names(path).iter().any(|p| p.extension().is_some_and(|e| e == "part")) {
        assert!(start.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(!path.join("out.pvtu").exists() && !path.join("out").exists());
    assert_eq!(fs::read(path.join("box.vtu")).unwrap(), input);
}

/// What `tests/vtk_evaluate.py` reads: of each model the limit in every form, and a
/// table of limit points to compare with.
#[test]
fn files_for_vtk() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/readback_evaluate");
    fs::create_dir_all(&directory).unwrap();
    for (name, shape, options) in [
        ("box", "box 2 2 6", ""),
        ("fan", "fan 5 2 2", ""),
        ("creased", "box 3 3 3", "--crease-angle 40"),
    ] {
        done(&directory, &format!("shape {shape} -o {name}.mesh.vtu -q"));
        let cells = subsolid::io::read(directory.join(format!("{name}.mesh.vtu"))).unwrap();
        let mut table = String::from("cell,u,v,w\n");
        for i in 0..1200_usize {
            // a third on the nodes of a grid of 5, so that plain cells can be compared
            let at = [29, 31, 37].map(|prime: usize| match i % 3 {
                0 => (i / 3 * prime / 7 % 5) as f64 / 4.0,
                _ => (i * prime % 997) as f64 / 996.0,
            });
            table += &format!("{},{},{},{}\n", i % cells.cells.len(), at[0], at[1], at[2]);
        }
        fs::write(directory.join(format!("{name}.parameters.csv")), table).unwrap();
        for rest in [
            format!("--at {name}.parameters.csv -o {name}.at.csv"),
            format!("--samples 5 -o {name}.hexahedra.vtu"),
            format!("--samples 5 --compress -o {name}.pieces.pvtu"),
            format!("--gauss 2 --derivatives 1 -o {name}.gauss.vtu"),
            format!("--cells lagrange -o {name}.lagrange.vtu"),
            format!("--cells bezier -o {name}.bezier.vtu"),
        ] {
            done(&directory, &format!("evaluate {name}.mesh.vtu {options} {rest} -q"));
        }
    }
}

#[test]
fn locates_the_points_of_a_table() {
    let fan = with_fan();
    let path = fan.path();
    let mut mesh = subsolid::read(path.join("fan.vtu")).unwrap();
    let heat = mesh.points.iter().map(|p| p[0] - 2.0 * p[2]).collect();
    mesh.attributes.push(subsolid::mesh::Attribute { name: "heat".into(), width: 1, values: heat });
    subsolid::write(path.join("hot.vtu"), &mesh, subsolid::WriteOptions::default()).unwrap();
    // evaluated there, found here
    fs::write(path.join("p.csv"), "cell,u,v,w\n3,0.25,0.5,0.75\n17,0.125,1,0.5\n").unwrap();
    done(path, "evaluate hot.vtu --at p.csv -o values.csv");
    let values = fs::read_to_string(path.join("values.csv")).unwrap();
    let number = |text: &str| text.parse::<f64>().unwrap();
    let mut points = String::from("x,y,z\n");
    for row in values.lines().skip(1) {
        points += &format!("{}\n", row.split(',').skip(4).take(3).collect::<Vec<_>>().join(","));
    }
    points += "# far away\n50,0,0\n";
    fs::write(path.join("x.csv"), points).unwrap();
    let report = json(path, "locate hot.vtu --points x.csv -o found.csv --json");
    assert_eq!((&report["points"], &report["inside"]), (&3.into(), &2.into()));
    let found = fs::read_to_string(path.join("found.csv")).unwrap();
    let rows: Vec<Vec<&str>> = found.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(found.lines().next(), Some("x,y,z,status,cell,u,v,w,distance,heat"));
    let expected = [("3", [0.25, 0.5, 0.75]), ("17", [0.125, 1.0, 0.5])];
    for (row, (cell, parameters)) in rows[1..3].iter().zip(expected) {
        assert_eq!((row[3], row[4]), ("inside", cell));
        let off = |d: usize| (number(row[5 + d]) - parameters[d]).abs();
        assert!((0..3).all(|d| off(d) < 1e-9), "{row:?}");
        assert!((number(row[9]) - (number(row[0]) - 2.0 * number(row[2]))).abs() < 1e-12);
    }
    assert_eq!(rows[3][3], "outside");
    let distance = number(rows[3][8]);
    assert!((40.0..50.0).contains(&distance));
    assert_eq!(report["largest_distance"], distance);

    for (table, fragment) in [
        ("x,y\n1,2\n", "begin the table with the line `x,y,z`"),
        ("x,y,z\n1,2,3\n1,2\n", "bad.csv:3: 2 columns instead of 3"),
        ("x,y,z\n1,2,3\n1,nan,3\n", "bad.csv:3: y: finite number expected, found `nan`"),
    ] {
        fs::write(path.join("bad.csv"), table).unwrap();
        refused(path, "locate fan.vtu --points bad.csv -o a.csv", fragment);
    }
    refused(path, "locate fan.vtu --points none.csv -o a.csv", "none.csv");
    refused(path, "locate fan.vtu --points x.csv -o a.vtu", "end the name of the output in .csv");
    refused(path, "locate fan.vtu --points x.csv -o x.csv", "is an input");
    refused(path, "locate fan.vtu --points x.csv --tolerance 0", "a tolerance of 0e0");
}

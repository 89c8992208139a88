//! Evaluation, and points found again.

use std::fs;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use subsolid::backend::{Backend, Cpu};
use subsolid::limit::Solid;
use subsolid::plan::{Location, Samples, Want};
use tempfile::tempdir;

use crate::oracle::vector::Greatest;
use crate::program::{done, refused, run};
use crate::{json, names, with_fan};

#[test]
fn tables_are_opened_before_the_model_is_read() {
    let at = tempdir().unwrap();
    fs::write(at.path().join("p.csv"), "a,b\n1,2\n").unwrap();
    // the model is not there either
    refused(at.path(), "evaluate part.vtu --at p.csv -o out.csv", "p.csv:1: the header is");
    refused(
        at.path(),
        "evaluate part.vtu --at missing.csv -o out.csv",
        "missing.csv: cannot be read",
    );
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

/// A box with sharp edges and two linear fields: T = 1 + x - 2 y + 3 z, and U = T (1, 2, 4).
fn write_fields(path: &Path) {
    done(path, "shape box 2 2 3 -o box.vtu");
    let mut mesh = subsolid::read(path.join("box.vtu")).unwrap();
    // no cell is a cube
    mesh.points.iter_mut().for_each(|p| *p = [p[0] + 0.3 * p[1] * p[1], p[1], p[2] + 0.1 * p[0]]);
    let heat: Vec<f64> = mesh.points.iter().map(|p| 1.0 + p[0] - 2.0 * p[1] + 3.0 * p[2]).collect();
    let three = heat.iter().flat_map(|t| [1.0, 2.0, 4.0].map(|by| by * t)).collect();
    for (name, width, values) in [("T", 1, heat), ("U", 3, three)] {
        let attribute = subsolid::mesh::Attribute { name: name.into(), width, values };
        mesh.attributes.push(attribute);
    }
    subsolid::refine::crease_by_angle(&mut mesh, 40.0).unwrap();
    subsolid::write(path.join("fields.vtu"), &mesh, subsolid::WriteOptions::default()).unwrap();
}

#[test]
fn gradients_and_jacobians_are_written() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    write_fields(path);
    let gradient = [1.0, -2.0, 3.0];
    let displacement = [1.0, 2.0, 4.0].map(|by| gradient.map(|x| by * x)).concat();
    let check = |name: &str, values: &[f64], expected: &[f64], tolerance: f64| {
        assert!(!values.is_empty() && values.len().is_multiple_of(expected.len()), "{name}");
        for (i, value) in values.iter().enumerate() {
            let error = (value - expected[i % expected.len()]).abs();
            assert!(error < tolerance, "{name} {i}: {value}");
        }
    };
    for (precision, tolerance) in [("f64", 1e-11), ("f32", 1e-4)] {
        let options = format!("--samples 3 --precision {precision} --gradients");
        for rest in ["--derivatives 1 --jacobian -o out.vtu", "-o out.vtu", "-o out.pvtu"] {
            done(path, &format!("evaluate fields.vtu {options} {rest}"));
            let name = rest.rsplit(' ').next().unwrap();
            let found = subsolid::read(path.join(name)).unwrap();
            let named = |name: &str| {
                let of_name = |a: &&subsolid::mesh::Attribute| a.name == name;
                found.attributes.iter().find(of_name).unwrap_or_else(|| panic!("{rest}: {name}"))
            };
            check(rest, &named("grad_T").values, &gradient, tolerance);
            check(rest, &named("grad_U").values, &displacement, 4.0 * tolerance);
            assert_eq!((named("grad_T").width, named("grad_U").width), (3, 9));
            let has = |name: &str| found.attributes.iter().any(|a| a.name == name);
            assert!(has("T") && has("U") && has("undefined_derivative"));
            // shared points stay shared unless something belongs to one cell
            let is_alone = rest.contains("derivatives");
            assert_eq!((has("d_u"), has("det_j")), (is_alone, is_alone), "{rest}");
            let points = if is_alone { 12 * 27 } else { 5 * 5 * 7 };
            assert!(name == "out.pvtu" || found.points.len() == points, "{rest}");
        }
    }
    // the least of each cell, eight hexahedra each
    done(path, "evaluate fields.vtu --samples 3 --jacobian -o least.npz");
    let archive = fs::read(path.join("least.npz")).unwrap();
    let holds = |name: &str| archive.windows(name.len()).any(|w| w == name.as_bytes());
    assert!(holds("least_det_j") && holds("det_j") && !holds("d_u"));
}

#[test]
fn tables_name_gradients_by_component_and_axis() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    write_fields(path);
    fs::write(path.join("p.csv"), "cell,u,v,w\n3,0.25,0.5,0.75\n7,0,1,0.5\n").unwrap();
    let columns = |options: &str| -> (Vec<String>, Vec<Vec<f64>>) {
        done(path, &format!("evaluate fields.vtu --at p.csv {options} -o values.csv"));
        let mut reader = csv::Reader::from_path(path.join("values.csv")).unwrap();
        let names = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let rows = reader
            .records()
            .map(|row| row.unwrap().iter().map(|x| x.parse().unwrap()).collect::<Vec<f64>>());
        (names, rows.collect())
    };
    let (names, rows) = columns("--gradients --jacobian");
    let expected = "cell,u,v,w,x,y,z,T,U_0,U_1,U_2,det_j,grad_T_x,grad_T_y,grad_T_z,grad_U_0_x,\
                    grad_U_0_y,grad_U_0_z,grad_U_1_x,grad_U_1_y,grad_U_1_z,grad_U_2_x,\
                    grad_U_2_y,grad_U_2_z";
    assert_eq!(names.join(","), expected);
    for row in rows {
        assert_eq!(row.len(), names.len());
        for (component, by) in [1.0, 1.0, 2.0, 4.0].into_iter().enumerate() {
            let found = &row[12 + 3 * component..][..3];
            let error = (0..3).map(|d| (found[d] - by * [1.0, -2.0, 3.0][d]).abs());
            assert!(error.greatest() < 1e-11, "{row:?}");
        }
    }
    // derivatives of the attributes are those of T = 1 + x - 2 y + 3 z
    let (names, rows) = columns("--derivatives 2 --attribute-derivatives");
    let at = |name: &str| names.iter().position(|n| n == name).unwrap_or_else(|| panic!("{name}"));
    for row in rows {
        for by in ["u", "v", "w", "uu", "vv", "ww", "uv", "uw", "vw"] {
            let [x, y, z] = ["x", "y", "z"].map(|axis| row[at(&format!("{axis}{by}"))]);
            let expected = x - 2.0 * y + 3.0 * z;
            for (name, times) in [("T", 1.0), ("U_1", 2.0)] {
                let found = row[at(&format!("d_{by}_{name}"))];
                assert!((found - times * expected).abs() < 1e-11, "{name} by {by}: {row:?}");
            }
        }
    }
}

#[test]
fn gradients_that_do_not_exist_are_said_to() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    // the edges of a smooth box are round: det J is 0 there
    done(path, "shape box 2 2 2 -o box.vtu");
    let mut mesh = subsolid::read(path.join("box.vtu")).unwrap();
    let values = mesh.points.iter().map(|p| p[0]).collect();
    mesh.attributes.push(subsolid::mesh::Attribute { name: "T".into(), width: 1, values });
    subsolid::write(path.join("fields.vtu"), &mesh, subsolid::WriteOptions::default()).unwrap();
    for (options, count) in [("--samples 2", 8), ("--samples 2 --separate-points", 8)] {
        let command = format!("evaluate fields.vtu {options} --gradients --json -o a.vtu");
        let (code, report, stderr) = run(path, &command);
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.contains("gradients or derivatives do not exist at"), "{stderr}");
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert!(report["undefined_derivatives"].as_u64().unwrap() >= count, "{report}");
    }
    fs::write(path.join("p.csv"), "cell,u,v,w\n0,0,0,0.5\n0,0.5,0.5,0.5\n").unwrap();
    done(path, "evaluate fields.vtu --at p.csv --gradients -o values.csv");
    let table = fs::read_to_string(path.join("values.csv")).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[1].ends_with("nan,nan,nan") && !rows[2].contains("nan"), "{table}");

    refused(path, "evaluate box.vtu --samples 2 --gradients -o b.vtu", "without attributes");
    let alone = "evaluate fields.vtu --samples 2 --attribute-derivatives -o b.vtu";
    refused(path, alone, "is for --derivatives 1 or 2");
    let bezier = "evaluate fields.vtu --cells bezier --gradients -o b.vtu";
    refused(path, bezier, "which have no derivatives");
}

#[test]
fn derivatives_that_do_not_exist_are_said_to() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    // toward the axis derivatives across it grow without bound, the one along it does not
    done(path, "shape fan 5 -o fan.vtu");
    fs::write(path.join("p.csv"), "cell,u,v,w\n0,0,0,0.5\n").unwrap();
    let (code, _, stderr) = run(path, "evaluate fan.vtu --at p.csv --derivatives 1 -o a.csv");
    assert_eq!(code, 0);
    assert!(stderr.contains("do not exist at 1 point,"), "{stderr}");
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
    // 40³ samples per cell, 2 million a piece: 31 cells
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
    let worst = values[0].iter().zip(&values[1]).map(|(a, b)| (a - b).abs()).greatest();
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
        // the command has no such option; those that have it say so
        assert!(!text.contains("--backend") && !report["help"].to_string().contains("--backend"));
        let fan = with_fan();
        let (_, _, stderr) = run(fan.path(), "evaluate fan.vtu --gauss 2 --backend cuda -o a.vtu");
        assert!(stderr.contains("or give --backend cpu"), "{stderr}");
    } else {
        assert!(text.contains("cuda:0 ") && report["no_device"].is_null(), "{text}");
    }

    let fan = with_fan();
    let evaluate = "evaluate fan.vtu --samples 2 -o a.vtu";
    let (_, _, stderr) = run(fan.path(), &format!("{evaluate} --backend cpu --strategy warp"));
    assert!(
        stderr.contains("on the CPU")
            && stderr.contains("--strategy applies to GPUs only and is ignored"),
        "{stderr}"
    );
    let (_, _, stderr) = run(fan.path(), &format!("{evaluate} --backend cpu --threads 1"));
    assert!(!stderr.contains("Chose") && stderr.contains("1 thread"), "{stderr}");
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
    refused(path, "locate fan.vtu --points none.csv -o a.csv", "none.csv: cannot be read");
    refused(path, "locate fan.vtu --points x.csv -o a.vtu", "end the name of the output in .csv");
    refused(path, "locate fan.vtu --points x.csv -o x.csv", "is an input");
    refused(
        path,
        "locate fan.vtu --points x.csv --tolerance 0",
        "a tolerance of 0e0: out of range",
    );
}

/// A hexahedron and a tetrahedron apart from it.
const MIXED: &str = "\
# vtk DataFile Version 3.0
cells
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 12 double
0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1.2 0 1 1
3 0 0 4 0.1 0 3 1 0.2 3.1 0 1
CELLS 2 14
8 0 1 2 3 4 5 6 7
4 8 9 10 11
CELL_TYPES 2
12 10
";

/// A hexahedron beside the first of two wedges.
const WITH_WEDGES: &str = "\
# vtk DataFile Version 3.0
cells
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 12 double
0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1
2 0 0 2 1 0 2 0 1 2 1 1
CELLS 3 23
8 0 1 2 3 4 5 6 7
6 1 9 2 5 11 6
6 1 8 9 5 10 11
CELL_TYPES 3
12 13 13
";

/// Elements of a wedge are half as long as the hexahedron beside it, whose points they cannot
/// share.
#[test]
fn points_beside_cells_in_parts_are_said_not_to_be_joined() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("both.vtk"), WITH_WEDGES).unwrap();
    let wedges = WITH_WEDGES.replace("CELLS 3 23\n8 0 1 2 3 4 5 6 7\n", "CELLS 2 14\n");
    let wedges = wedges.replace("CELL_TYPES 3\n12 ", "CELL_TYPES 2\n");
    fs::write(path.join("wedges.vtk"), wedges).unwrap();
    done(path, "shape box 1 1 2 -o box.vtk");
    let notice = "1 hexahedral cell shares a face with a cell that is evaluated in parts";
    for (arguments, expected) in [
        ("both.vtk --samples 3 -o a.vtu", true),
        ("both.vtk --samples 3 -o b.pvtu", true),
        ("both.vtk --samples 3 -o c.npz", true),
        ("both.vtk --cells lagrange -o d.vtu", true),
        ("both.vtk --samples 3 --levels 1 -o e.vtu", false),
        ("both.vtk --samples 3 --separate-points -o f.vtu", false),
        ("both.vtk --samples 3 -o g.csv", false),
        ("wedges.vtk --samples 3 -o h.vtu", false),
        ("box.vtk --samples 3 -o i.vtu", false),
    ] {
        let (code, _, stderr) = run(path, &format!("evaluate {arguments}"));
        assert_eq!((code, stderr.contains(notice)), (0, expected), "{arguments}: {stderr}");
    }
}

#[test]
fn tables_name_corners_of_cells_that_are_no_hexahedra() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("mixed.vtk"), MIXED).unwrap();
    let mut table = String::from("cell,corner,u,v,w\n0,,0.25,0.5,0.75\n");
    for corner in 0..4 {
        table += &format!("1,{corner},0.5,0.25,0.75\n");
    }
    fs::write(path.join("at.csv"), &table).unwrap();
    done(path, "evaluate mixed.vtk --at at.csv -o values.csv");
    let values = fs::read_to_string(path.join("values.csv")).unwrap();
    let rows: Vec<Vec<&str>> = values.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0], ["cell", "corner", "u", "v", "w", "x", "y", "z"]);
    assert_eq!(rows.len(), 6);
    // found again in the same corners
    let points: String = rows[1..].iter().map(|row| row[5..].join(",") + "\n").collect();
    fs::write(path.join("points.csv"), format!("x,y,z\n{points}")).unwrap();
    done(path, "locate mixed.vtk --points points.csv -o found.csv");
    let found = fs::read_to_string(path.join("found.csv")).unwrap();
    let found: Vec<Vec<&str>> = found.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(found[0][4..6], ["cell", "corner"]);
    for (row, found) in rows[1..].iter().zip(&found[1..]) {
        assert_eq!(row[..2], found[4..6]);
        for (a, b) in row[2..5].iter().zip(&found[6..9]) {
            let [a, b] = [a, b].map(|x| x.parse::<f64>().unwrap());
            assert!((a - b).abs() < 1e-6, "{row:?} {found:?}");
        }
    }
    // as cells do
    for cells in ["--samples 3", "--cells lagrange", "--cells bezier --rings 0"] {
        done(path, &format!("evaluate mixed.vtk {cells} -o cells.vtu"));
        let cells = subsolid::read(path.join("cells.vtu")).unwrap();
        let values = |name: &str| {
            let array = cells.cell_data.iter().find(|array| array.name == name);
            array.unwrap().values.iter().copied()
        };
        let mut pairs: Vec<(f64, f64)> = values("cell").zip(values("corner")).collect();
        pairs.dedup();
        assert_eq!(pairs, [(0.0, -1.0), (1.0, 0.0), (1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]);
    }
    for (row, message) in [
        ("0,1,0,0,0", "corner 1 of cell 0, which is a hexahedron"),
        ("1,,0,0,0", "cell 1 is not a hexahedron"),
        ("1,4,0,0,0", "cell 1 has no corner 4"),
        ("1,x,0,0,0", "corner expected, found `x`"),
        ("2,0,0,0,0", "cell 2 does not exist"),
        ("1,0,0,0,2", "w = 2 is outside [0, 1]"),
    ] {
        fs::write(path.join("bad.csv"), format!("cell,corner,u,v,w\n{row}\n")).unwrap();
        refused(path, "evaluate mixed.vtk --at bad.csv -o bad_values.csv", message);
    }
}

/// Derivatives that are NaN because the attribute is are no derivatives that do not exist.
#[test]
fn attributes_that_are_not_finite_are_named() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 5 5 5 -o box.vtu");
    let mut mesh = subsolid::read(here.join("box.vtu")).unwrap();
    let mut values: Vec<f64> = mesh.points.iter().map(|p| p[0]).collect();
    let middle = mesh.points.iter().position(|p| p.iter().all(|x| (2.0..3.0).contains(x)));
    values[middle.unwrap()] = f64::NAN;
    mesh.attributes.push(subsolid::mesh::Attribute { name: "n".into(), width: 1, values });
    subsolid::io::write(here.join("nan.vtu"), &mesh, Default::default()).unwrap();
    for job in [
        "--gauss 2 --derivatives 1 --attribute-derivatives -o n.npz",
        "--gauss 2 --derivatives 1 -o n.npz",
        "--gauss 2 --gradients -o n.npz",
    ] {
        let (code, stdout, stderr) = run(here, &format!("evaluate nan.vtu --json {job}"));
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.contains("`n` is NaN or infinite at some vertices"), "{stderr}");
        assert!(!stderr.contains("do not exist"), "{stderr}");
        let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(report["undefined_derivatives"], 0, "{report}");
    }
}

/// What is counted as evaluated, and as written, of a table.
#[test]
fn tables_count_what_they_evaluate_and_write() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 2 -o box.vtu");
    fs::write(here.join("at.csv"), "cell,u,v,w\n0,0.5,0.5,0.5\n1,0.5,0.25,0.5\n").unwrap();
    for (rest, written, pieces) in [("-o o.csv", 2, 1), ("--quality", 0, 0)] {
        let report = done(here, &format!("evaluate box.vtu --at at.csv --json {rest}"));
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["evaluated"], 2, "{report}");
        assert_eq!(report["points"], written, "{report}");
        assert_eq!(report["pieces"], pieces, "{report}");
    }
}

//! Damaged files: whatever a reader is given, it returns, without panic and
//! without an allocation that the file's size does not justify.
//!
//! `PROPTEST_CASES=100000 cargo test --release --test io fuzz_read` searches longer.

use crate::samples::{self, Sample, Scratch};
use proptest::prelude::*;
use std::time::{Duration, Instant};
use subsolid::io::{read, read_creases, read_surface};
use subsolid::locate::PointTable;

/// Far more than a reader takes for a file of some kilobytes, on a busy machine too.
const MAX_TIME: Duration = Duration::from_secs(10);

/// One damage; places are fractions of the file.
#[derive(Clone, Debug)]
enum Damage {
    Byte(f64, u8),
    Delete(f64, usize),
    Cut(f64),
    Number(f64, &'static str),
    RepeatLine(f64),
    DropLine(f64),
    SwapLines(f64, f64),
}

fn damage() -> impl Strategy<Value = Damage> {
    let numbers = prop::sample::select(vec![
        "-1",
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "11",
        "12",
        "13",
        "14",
        "17",
        "24",
        "42",
        "256",
        "4294967295",
        "4294967296",
        "99999999999",
        "9223372036854775807",
        "18446744073709551616",
        "-9223372036854775808",
        "nan",
        "inf",
        "-inf",
        "1e999",
        "0.5",
        "x",
        "",
    ]);
    prop_oneof![
        (0.0..1.0, any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        (0.0..1.0, 1..40usize).prop_map(|(at, count)| Damage::Delete(at, count)),
        (0.0..1.0).prop_map(Damage::Cut),
        (0.0..1.0, numbers.clone()).prop_map(|(at, n)| Damage::Number(at, n)),
        (0.0..1.0, numbers).prop_map(|(at, n)| Damage::Number(at, n)),
        (0.0..1.0).prop_map(Damage::RepeatLine),
        (0.0..1.0).prop_map(Damage::DropLine),
        (0.0..1.0, 0.0..1.0).prop_map(|(a, b)| Damage::SwapLines(a, b)),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    let place = |at: f64| ((at * length as f64) as usize).min(length - 1);
    let line = |bytes: &[u8], at: usize| {
        let start = bytes[..at].iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
        let end = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n + 1);
        start..end
    };
    match *damage {
        Damage::Byte(at, byte) => bytes[place(at)] = byte,
        Damage::Delete(at, count) => {
            let start = place(at);
            bytes.drain(start..(start + count).min(length));
        }
        Damage::Cut(at) => bytes.truncate(place(at)),
        Damage::Number(at, number) => {
            let is_number = |b: &u8| b.is_ascii_digit() || *b == b'.' || *b == b'-';
            let Some(start) = bytes[place(at)..].iter().position(is_number) else { return };
            let start = start + place(at);
            let count = bytes[start..].iter().take_while(|b| is_number(b)).count();
            bytes.splice(start..start + count, number.bytes());
        }
        Damage::RepeatLine(at) => {
            let line = line(bytes, place(at));
            let copy = bytes[line.clone()].to_vec();
            bytes.splice(line.end..line.end, copy);
        }
        Damage::DropLine(at) => {
            let line = line(bytes, place(at));
            bytes.drain(line);
        }
        Damage::SwapLines(a, b) => {
            let (a, b) = (line(bytes, place(a)), line(bytes, place(b)));
            if a.end <= b.start {
                let (first, second) = (bytes[a.clone()].to_vec(), bytes[b.clone()].to_vec());
                bytes.splice(b, first);
                bytes.splice(a, second);
            }
        }
    }
}

/// What was read must be sound: the checks of the readers hold.
fn check(sample: &Sample, damages: &[Damage], scratch: &Scratch) {
    let bytes = damaged(&sample.bytes, damages);
    let start = Instant::now();
    let read = read(scratch.file(sample.name, &bytes));
    assert!(start.elapsed() < MAX_TIME, "{}: {:?}", sample.name, start.elapsed());
    let Ok(mesh) = read else { return };
    assert!(!mesh.points.is_empty() && !mesh.cells.is_empty());
    assert!(mesh.points.iter().flatten().all(|x| x.is_finite()));
    for cell in 0..mesh.cells.len() {
        assert!(mesh.cells.vertices(cell).iter().all(|&v| (v as usize) < mesh.points.len()));
    }
    for attribute in &mesh.attributes {
        assert_eq!(attribute.values.len(), attribute.width * mesh.points.len());
    }
}

/// The same for surfaces.
fn check_surface(sample: &Sample, damages: &[Damage], scratch: &Scratch) {
    let bytes = damaged(&sample.bytes, damages);
    let start = Instant::now();
    let read = read_surface(scratch.file(sample.name, &bytes));
    assert!(start.elapsed() < MAX_TIME, "{}: {:?}", sample.name, start.elapsed());
    let Ok(mesh) = read else { return };
    mesh.check().unwrap();
}

fn damaged(bytes: &[u8], damages: &[Damage]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    damages.iter().for_each(|damage| apply(&mut bytes, damage));
    bytes
}

/// Runs `check` on damages of each sample.
fn each(samples: Vec<Sample>, check: fn(&Sample, &[Damage], &Scratch)) {
    let scratch = Scratch::new();
    for sample in &samples {
        let mut runner = proptest::test_runner::TestRunner::default();
        runner
            .run(&prop::collection::vec(damage(), 1..5), |damages| {
                check(sample, &damages, &scratch);
                Ok(())
            })
            .unwrap_or_else(|e| panic!("{}: {e}", sample.name));
    }
}

#[test]
fn damaged_texts_are_read_or_refused() {
    let periodic = [
        Sample { name: "a.msh", bytes: crate::periodic::gmsh(2, true).into() },
        Sample { name: "a.msh", bytes: crate::periodic::gmsh(4, true).into() },
        Sample { name: "a.mesh", bytes: crate::periodic::mfem(3, 2, 1, true).into() },
    ];
    each(samples::texts().into_iter().chain(periodic).collect(), check);
}

#[test]
fn damaged_splines_are_read_or_refused() {
    each(crate::splines::texts(), check);
}

#[test]
fn damaged_files_of_vtk_are_read_or_refused() {
    each(samples::from_vtk(), check);
}

#[test]
fn damaged_exodus_files_are_read_or_refused() {
    let versions =
        [1, 2, 5].map(|version| Sample { name: "a.exo", bytes: samples::exodus(version) });
    each(versions.into(), check);
}

/// One file of the mesh is damaged.
#[test]
fn damaged_meshes_of_openfoam_are_read_or_refused() {
    let scratch = Scratch::new();
    let directory = scratch.file("owner", "").parent().unwrap().to_owned();
    let files: Vec<(&str, Vec<u8>)> =
        crate::foreign::text_case().into_iter().chain(crate::foreign::binary_case()).collect();
    let mut runner = proptest::test_runner::TestRunner::default();
    let strategy = (prop::collection::vec(damage(), 1..5), 0..files.len());
    runner
        .run(&strategy, |(damages, one)| {
            let is_binary = usize::from(one >= files.len() / 2);
            for (i, (name, bytes)) in files.iter().enumerate() {
                if (i >= files.len() / 2) == (is_binary == 1) {
                    let bytes = if i == one { damaged(bytes, &damages) } else { bytes.clone() };
                    scratch.file(name, bytes);
                }
            }
            let start = Instant::now();
            let read = read(&directory);
            assert!(start.elapsed() < MAX_TIME, "{:?}", start.elapsed());
            assert!(read.is_err() || read.is_ok_and(|mesh| !mesh.cells.is_empty()));
            Ok(())
        })
        .unwrap();
}

#[test]
fn damaged_structured_grids_are_read_or_refused() {
    each(samples::structured_from_vtk(), check);
}

#[test]
fn damaged_surfaces_are_read_or_refused() {
    each(samples::surfaces(), check_surface);
}

/// The index alone is damaged: its pieces are files of their own.
#[test]
fn damaged_indices_of_pieces_are_read_or_refused() {
    let scratch = Scratch::new();
    scratch.file("a.vtu", samples::vtu());
    let index = "<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\"><PUnstructuredGrid \
                 GhostLevel=\"0\">\n<PPoints><PDataArray type=\"Float64\" \
                 NumberOfComponents=\"3\"/></PPoints>\n<Piece Source=\"a.vtu\"/>\n\
                 <Piece Source=\"a.vtu\"/>\n</PUnstructuredGrid></VTKFile>\n";
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&prop::collection::vec(damage(), 1..5), |damages| {
            let sample = Sample { name: "index.pvtu", bytes: index.into() };
            check(&sample, &damages, &scratch);
            Ok(())
        })
        .unwrap();
}

#[test]
fn damaged_crease_tables_are_read_or_refused() {
    let scratch = Scratch::new();
    let table = b"kind,v0,v1,sharpness\nedge,0,1,inf\nedge,1,2,2.5\ncorner,26,,1.5\n";
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&prop::collection::vec(damage(), 1..5), |damages| {
            let bytes = damaged(table, &damages);
            if let Ok(table) = read_creases(scratch.file("creases.csv", &bytes)) {
                let creases = table.creases;
                assert!(
                    creases.edges.iter().all(|c| c.sharpness >= 0.0 && c.edge()[0] < c.edge()[1])
                );
                assert!(creases.corners.iter().all(|c| c.sharpness >= 0.0));
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn damaged_tables_of_points_are_read_or_refused() {
    let scratch = Scratch::new();
    let table = b"# of a probe\nx,y,z\n0.5,0.25,1\n-1e-3, 2 ,3\n1,1,1\n";
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&prop::collection::vec(damage(), 1..5), |damages| {
            let path = scratch.file("points.csv", damaged(table, &damages));
            let points = PointTable::open(path).and_then(|mut table| table.read(usize::MAX));
            if let Ok(points) = points {
                assert!(points.iter().flatten().all(|x| x.is_finite()));
            }
            Ok(())
        })
        .unwrap();
}

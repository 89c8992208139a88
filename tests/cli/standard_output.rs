//! Files that go to standard output.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::program::refused;
use crate::{names, with_fan};

fn output(directory: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_subsolid"));
    command.current_dir(directory).args(arguments.split_whitespace()).output().unwrap()
}

/// Standard output gets the bytes of the file, and reports go to standard error.
#[test]
fn standard_output_gets_the_file() {
    let directory = with_fan();
    let here = directory.path();
    fs::write(here.join("at.csv"), "cell,u,v,w\n0,0.5,0.5,0.5\n").unwrap();
    fs::write(here.join("xyz.csv"), "x,y,z\n0.1,0.1,0.1\n").unwrap();
    for (job, to, file) in [
        ("evaluate fan.vtu --samples 2", "-", "a.vtu"),
        ("evaluate fan.vtu --samples 2 --json", "-.npz", "b.npz"),
        ("evaluate fan.vtu --at at.csv", "-", "c.csv"),
        ("refine fan.vtu", "-.vtk", "d.vtk"),
        ("boundary fan.vtu", "-", "e.obj"),
        ("boundary fan.vtu", "-.stl", "f.stl"),
        ("locate fan.vtu --points xyz.csv", "-", "g.csv"),
        ("extract fan.vtu", "-.bext", "h.bext"),
        ("shape fan 4 1 1", "-", "i.vtu"),
        ("distance fan.vtu --to boundary --name depth", "-", "j.vtu"),
    ] {
        let written = output(here, &format!("{job} -o {file}"));
        assert!(written.status.success(), "{job}: {written:?}");
        let before = names(here);
        let printed = output(here, &format!("{job} -o {to}"));
        assert!(printed.status.success(), "{job}: {printed:?}");
        assert!(printed.stdout == fs::read(here.join(file)).unwrap(), "{job} -o {to}");
        assert_eq!(names(here), before, "{job}");
        let said = String::from_utf8_lossy(&printed.stderr);
        assert!(said.contains(" Wrote <standard output>: "), "{job}: {said}");
        if job.ends_with("--json") {
            let report = String::from_utf8(printed.stderr).unwrap();
            assert!(report.contains("\"output\": \"-.npz\""), "{report}");
        }
    }
}

/// Options other than `-o` name files too: each may go to standard output, one at a time.
#[test]
fn any_output_goes_to_standard_output() {
    let directory = with_fan();
    let here = directory.path();
    for (job, to, file) in [
        ("slice fan.vtu --layer-height 0.5 --json --cli", "-.cli", "a.cli"),
        ("slice fan.vtu --layer-height 0.5 --vtp", "-.vtp", "b.vtp"),
        ("slice fan.vtu --layer-height 0.5 --layered-svg", "-.svg", "c.svg"),
        ("compare fan.vtu --samples 2 --precision f32 --report", "-.html", "d.html"),
    ] {
        let written = output(here, &format!("{job} {file}"));
        assert!(written.status.success(), "{job}: {written:?}");
        let printed = output(here, &format!("{job} {to}"));
        assert!(printed.status.success(), "{job}: {printed:?}");
        assert!(printed.stdout == fs::read(here.join(file)).unwrap(), "{job} {to}");
        assert!(!printed.stderr.is_empty(), "{job}");
    }
    let both = "slice fan.vtu --layer-height 0.5 --cli -.cli --layered-svg -.svg";
    refused(here, both, "--layered-svg and --cli cannot both go to standard output");
}

#[test]
fn what_fails_prints_nothing() {
    let directory = with_fan();
    let here = directory.path();
    refused(here, "evaluate fan.vtu -o -.pvtu", "several files");
    refused(here, "evaluate fan.vtu -o -.xyz", "unknown output format");
    refused(here, "evaluate fan.vtu -o - --at none.csv", "none.csv: cannot be read");
    for directory in ["--svg -", "--png - --pixel 0.1", "--bmp - --pixel 0.1"] {
        let job = format!("slice fan.vtu --layer-height 1 {directory}");
        refused(here, &job, "a directory of files cannot go to standard output");
    }
    // found while the file is made
    fs::write(here.join("at.csv"), "cell,u,v,w\n0,0.5,0.5,0.5\n0,0.5,0.5,no\n").unwrap();
    let failed = output(here, "evaluate fan.vtu --at at.csv -o -.csv");
    assert_eq!(failed.status.code(), Some(2));
    assert!(failed.stdout.is_empty());
}

/// `subsolid … | head -1` ends quietly.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let directory = with_fan();
    let mut program = Command::new(env!("CARGO_BIN_EXE_subsolid"))
        .current_dir(directory.path())
        .args(["evaluate", "fan.vtu", "--samples", "8", "-q", "-o", "-.csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(program.stdout.take());
    let ended = program.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert!(ended.stderr.is_empty(), "{ended:?}");
}

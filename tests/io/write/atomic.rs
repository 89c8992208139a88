//! A file is whole or not there, whatever goes wrong half-way.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use subsolid::io::{Dataset, PieceWriter, WriteOptions, atomic, write};
use subsolid::{Error, Result};
use tempfile::tempdir;

use super::models::box_dataset;

/// Names in a directory, hidden ones too.
pub fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The message of an error, then its help.
pub fn report(result: Result<()>) -> String {
    let error = result.expect_err("this must be refused");
    let help = error.help().expect("every refusal has a help").to_string();
    format!("{error}\n{help}")
}

fn write_text(path: &Path, text: &str) -> Result<()> {
    atomic::write(path, |out| out.write_all(text.as_bytes()).map_err(|e| atomic::refused(path, e)))
}

#[test]
fn replaces_only_when_complete() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.txt");
    write_text(&path, "old").unwrap();
    write_text(&path, "new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");

    for text in ["half", &"much more than any buffer ".repeat(100_000)] {
        let failed = atomic::write(&path, |out| {
            out.write_all(text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "new", "while writing");
            Err(Error::request("stop"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "stop");
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(directory.path()), ["a.txt"]);
    }
}

#[test]
fn leaves_nothing_where_nothing_was() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.txt");
    atomic::write(&path, |_| Err(Error::request("stop"))).unwrap_err();
    let panicked = std::panic::catch_unwind(|| atomic::write(&path, |_| panic!("on purpose")));
    assert!(panicked.is_err());
    assert!(names(directory.path()).is_empty());
}

#[test]
#[cfg(unix)]
fn permissions_are_those_of_any_new_file_or_of_the_replaced_one() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    let directory = tempdir().unwrap();
    let (plain, path) = (directory.path().join("plain"), directory.path().join("a.txt"));
    fs::write(&plain, "").unwrap();
    write_text(&path, "text").unwrap();
    assert_eq!(mode(&path), mode(&plain));

    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    write_text(&path, "new").unwrap();
    assert_eq!(mode(&path) & 0o777, 0o640);
}

#[test]
#[cfg(unix)]
fn a_link_stays_a_link() {
    let directory = tempdir().unwrap();
    let (file, link) = (directory.path().join("file"), directory.path().join("link"));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink("file", &link).unwrap();
    write_text(&link, "new").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");
}

#[test]
fn a_missing_directory_is_refused_with_help() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("missing").join("a.vtu");
    let report = report(write(&path, box_dataset(1), WriteOptions::default()));
    assert!(report.contains(&path.display().to_string()), "{report}");
    assert!(report.contains("create its directory"), "{report}");
    assert!(names(directory.path()).is_empty());
}

#[test]
fn a_directory_or_device_is_never_replaced() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.vtu");
    fs::create_dir(&path).unwrap();
    let mut refused = vec![path.clone()];
    if cfg!(unix) {
        refused.push("/dev/null".into());
        refused.push("/dev/full".into());
    }
    for path in refused {
        assert!(report(write_text(&path, "x")).contains("not a file"));
    }
    assert!(path.is_dir());
}

#[test]
#[cfg(target_os = "linux")]
fn a_read_only_directory_is_refused_with_help() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write anywhere but into the kernel's own directories.
    let open = fs::write(directory.path().join("probe"), "").is_ok();
    let read_only = if open { Path::new("/sys/kernel") } else { directory.path() };
    let path = read_only.join("a.vtu");
    let report = report(write(&path, box_dataset(1), WriteOptions::default()));
    assert!(report.starts_with(&path.display().to_string()), "{report}");
    assert!(report.contains("that you may write to"), "{report}");
    assert!(!report.contains(".part"), "the hidden file is nobody's business: {report}");
}

/// What a child process is asked to do at the path given to it.
const TASK: &str = "SUBSOLID_TEST_TASK";
const TARGET: &str = "SUBSOLID_TEST_TARGET";

/// Runs [`child_process_entry`] in a process of its own, behind a shell prologue.
fn run_child(task: &str, target: &Path, prologue: &str) -> Output {
    let script = format!(
        "{prologue} exec \"$0\" --exact write::atomic::child_process_entry --ignored --nocapture"
    );
    Command::new("sh")
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env(TASK, task)
        .env(TARGET, target)
        .output()
        .unwrap()
}

#[test]
#[ignore = "the part of the next tests that runs in a limited or dying process"]
fn child_process_entry() {
    let Some(target) = std::env::var_os(TARGET) else { return };
    let target = Path::new(&target);
    let dataset = box_dataset(20);
    let options = |compress| WriteOptions { compress, format: None };
    match std::env::var(TASK).unwrap().as_str() {
        "write" => println!("{}", report(write(target, &dataset, options(false)))),
        "compress" => println!("{}", report(write(target, &dataset, options(true)))),
        "abort" => {
            let _ = atomic::write(target, |out| {
                out.write_all(&[0; 1 << 20]).unwrap();
                std::process::abort()
            });
        }
        "abort between pieces" => {
            let mut pieces = PieceWriter::create(target, options(false)).unwrap();
            pieces.push(&dataset).unwrap();
            std::process::abort()
        }
        task => panic!("no task {task}"),
    }
}

/// The system refuses to write more, as on a full disk, at 64 blocks of at most 1 KiB.
#[test]
#[cfg(unix)]
fn a_refused_byte_leaves_the_old_file() {
    for name in ["a.vtu", "a.vtk", "a.csv", "a.npz", "a.pvtu"] {
        for task in ["write", "compress"] {
            let directory = tempdir().unwrap();
            let path = directory.path().join(name);
            fs::write(&path, "old").unwrap();
            let output = run_child(task, &path, "trap '' XFSZ; ulimit -f 64;");
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{name}: {output:?}");
            assert!(text.contains(&path.display().to_string()), "{name}: {text}");
            assert!(text.contains("limit of file sizes"), "{name}: {text}");
            assert_eq!(fs::read_to_string(&path).unwrap(), "old", "{name}");
            assert_eq!(names(directory.path()), [name]);
        }
    }
}

#[test]
#[cfg(unix)]
fn a_killed_process_leaves_the_old_file() {
    for (task, name) in [("abort", "a.vtu"), ("abort between pieces", "a.pvtu")] {
        let directory = tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, "old").unwrap();
        let output = run_child(task, &path, "ulimit -c 0;");
        assert!(!output.status.success(), "{task} must die");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        let shown: Vec<_> =
            names(directory.path()).into_iter().filter(|name| !name.starts_with('.')).collect();
        assert_eq!(shown, [name], "nothing but hidden remains");
    }
}

#[test]
fn an_inconsistent_dataset_touches_nothing() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.vtu");
    fs::write(&path, "old").unwrap();
    let mut dataset: Dataset = box_dataset(1);
    dataset.point_arrays[0].width = 2;
    let error = write(&path, &dataset, WriteOptions::default()).unwrap_err();
    assert!(error.to_string().contains("\"heat\" has 8 values for width 2 at 8 points"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
}

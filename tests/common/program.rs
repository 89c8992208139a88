//! Runs the program as its users do.
#![allow(dead_code, reason = "every test uses some of it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;

/// Runs the program in `directory`, from where cargo left it or `SUBSOLID_PROGRAM` says;
/// returns exit code, stdout and stderr.
pub fn run(directory: &Path, arguments: &str) -> (i32, String, String) {
    outcome(&mut program(directory, arguments))
}

/// The same with bytes at standard input.
pub fn piped(directory: &Path, arguments: &str, bytes: Vec<u8>) -> (i32, String, String) {
    outcome(program(directory, arguments).write_stdin(bytes))
}

fn program(directory: &Path, arguments: &str) -> Command {
    let given = std::env::var_os("SUBSOLID_PROGRAM").map(PathBuf::from);
    let mut command = Command::new(given.unwrap_or_else(|| cargo_bin("subsolid")));
    command.current_dir(directory).args(arguments.split_whitespace());
    command
}

fn outcome(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Runs what must succeed; returns stdout.
pub fn done(directory: &Path, arguments: &str) -> String {
    let (code, stdout, stderr) = run(directory, arguments);
    assert_eq!(code, 0, "{arguments}: {stderr}");
    stdout
}

/// Runs what must be refused with a message that holds `fragment`, leaving all files as
/// they are. The fragment says what is wrong: the arguments do not hold it.
pub fn refused(directory: &Path, arguments: &str, fragment: &str) {
    let before = files(directory);
    let (code, _, stderr) = run(directory, arguments);
    assert_eq!(code, 2, "{arguments}: {stderr}");
    let said = without_usage(&stderr);
    assert!(said.contains(fragment), "{arguments}: {fragment:?} is not in {said}");
    assert!(!arguments.contains(fragment), "{arguments}: any message may repeat {fragment:?}");
    assert!(!stderr.contains("panicked") && !stderr.contains("backtrace"), "{stderr}");
    assert!(files(directory) == before, "{arguments} left something behind");
}

/// The error and its help, without the status lines before and without the usage, which names
/// many options whatever is wrong.
fn without_usage(stderr: &str) -> String {
    let start = stderr.find("error: ").unwrap_or_else(|| panic!("no error: {stderr}"));
    let parts = stderr[start..].split("\n\n");
    parts.filter(|part| !part.starts_with("Usage:")).collect::<Vec<_>>().join("\n\n")
}

/// All files below a directory, hidden ones too.
pub fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap().map(std::result::Result::unwrap) {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()))
        } else {
            // dangling links, and files that no memory holds, by their length alone
            let about = fs::symlink_metadata(entry.path()).unwrap();
            let is_read = fs::metadata(entry.path()).is_ok_and(|about| about.len() < 1 << 30);
            let length = about.len().to_le_bytes().to_vec();
            let bytes = if is_read { fs::read(entry.path()).unwrap() } else { length };
            found.insert(entry.path(), bytes);
        }
    }
    found
}

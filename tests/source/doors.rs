//! The library knows nothing of its doors.

use std::collections::BTreeSet;
use std::path::Path;

use super::{code, files, files_of};

/// Maximum number of types whose names begin with `Device`: below `backend/cuda` the path says it.
const DEVICE_TYPES: usize = 15;

/// Maximum number of lines of a file of the command line.
const DOOR_LINES: usize = 250;

#[test]
fn the_library_names_clap_only_where_types_derive_their_options() {
    let mut found = Vec::new();
    for (path, text) in files() {
        if path.starts_with("cli") || path.ends_with("main.rs") {
            continue;
        }
        let named = code(&text).filter(|(_, line)| line.contains("clap::"));
        let alone = named.filter(|(_, line)| !line.trim_start().starts_with("#[cfg_attr(feature"));
        found.extend(alone.map(|(number, line)| format!("{}:{number}: {line}", path.display())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn subcommands_of_jobs_are_thin() {
    let files = files();
    let is_job = |path: &Path, text: &str| path.starts_with("jobs") && text.contains("Request {");
    let jobs = files.iter().filter(|(path, text)| is_job(path, text));
    let mut doors = BTreeSet::new();
    for (job, _) in jobs {
        // `jobs/NAME.rs`, or a file of `jobs/NAME`
        let name = Path::new(job.iter().nth(1).unwrap()).file_stem().unwrap();
        let door = Path::new("cli").join(name).with_extension("rs");
        let Some((_, text)) = files.iter().find(|(path, _)| *path == door) else { continue };
        let module = format!("jobs::{}::", name.display());
        // files of helpers may have one name
        if text.contains(&module) {
            let lines = text.lines().count();
            assert!(lines <= DOOR_LINES, "{}: {lines} lines", door.display());
            doors.insert(door);
        }
    }
    assert!(doors.len() >= 20, "{doors:?}");
}

#[test]
fn files_of_the_command_line_are_short() {
    let files = files();
    let doors: Vec<_> = files.iter().filter(|(path, _)| path.starts_with("cli")).collect();
    assert!(doors.len() > 40);
    for (path, text) in doors {
        let lines = text.lines().count();
        assert!(lines <= DOOR_LINES, "{}: {lines} lines", path.display());
    }
}

#[test]
fn nobody_outside_the_backends_asks_what_processor_it_has() {
    const QUESTIONS: [&str; 8] = [
        ".device()",
        ".gpu()",
        "is_gpu(",
        "is_cpu(",
        "Choice::Cuda",
        "Choice::Devices",
        "Cpu |",
        "| Choice::Cpu",
    ];
    let mut files = files();
    files.retain(|(path, _)| !path.starts_with("backend"));
    files.extend(files_of("python/src"));
    assert!(files.len() > 500, "{}", files.len());
    for (path, text) in files {
        for (number, line) in code(&text) {
            // an array names its own device
            let line = line.replace("self.device()", "");
            let asked = QUESTIONS.iter().find(|question| line.contains(**question));
            assert!(asked.is_none(), "{}:{number}: {line}", path.display());
        }
    }
}

#[test]
fn few_types_are_named_after_devices() {
    let files = [files(), files_of("python/src")].concat();
    let is_type = |line: &&str| {
        ["struct Device", "enum Device", "trait Device", "type Device", "struct PyDevice"]
            .iter()
            .any(|name| line.contains(name))
    };
    let lines = files.iter().flat_map(|(_, text)| code(text).map(|(_, line)| line));
    let found: Vec<&str> = lines.filter(is_type).collect();
    assert!(found.len() <= DEVICE_TYPES, "{}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn kernels_are_those_of_devices_alone() {
    assert!(files().iter().all(|(path, _)| !path.starts_with("kernel")));
}

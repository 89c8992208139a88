//! Jobs of layers that are stopped, killed, or find no room on the disk.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use crate::slice::{done, relative, with_tripod};

#[test]
fn a_killed_job_goes_on() {
    let tripod = with_tripod();
    let at = tripod.path();
    let slice = "slice tripod.vtu --layer-height 0.004 --pixel 0.02 --antialias 2 --quiet";
    let program = assert_cmd::cargo::cargo_bin("subsolid");
    let mut job = Process::new(program)
        .current_dir(at)
        .args(slice.split_whitespace().chain(["--png", "killed", "--threads", "1"]))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // until a checkpoint has listed some layers
    let start = Instant::now();
    let listed = || {
        let text = fs::read(at.join("killed/manifest.json")).ok()?;
        let manifest: serde_json::Value = serde_json::from_slice(&text).ok()?;
        Some(manifest["layers"].as_array()?.len())
    };
    while listed().is_none_or(|layers| layers == 0) {
        assert!(start.elapsed() < Duration::from_secs(120) && job.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(20));
    }
    job.kill().unwrap();
    job.wait().unwrap();
    let kept = listed().unwrap();
    let whole_files = |directory: &Path| {
        let mut files = relative(directory);
        files.retain(|name, _| {
            !name.components().any(|c| c.as_os_str().as_encoded_bytes()[0] == b'.')
        });
        files
    };
    // whatever stands under a final name is whole
    for (name, bytes) in whole_files(&at.join("killed")) {
        let png = name.extension().is_some_and(|ending| ending == "png");
        assert!(!png || bytes.ends_with(b"IEND\xae\x42\x60\x82"), "{name:?}");
    }
    let report = done(at, &format!("{slice} --png killed --resume"));
    assert_eq!(report["skipped"], kept);
    done(at, &format!("{slice} --png whole"));
    assert!(whole_files(&at.join("killed")) == whole_files(&at.join("whole")));
}

/// Every file of a directory of layers is in its manifest; returns how many there are.
fn expect_listed(directory: &Path) -> usize {
    let text = fs::read(directory.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let layers = manifest["layers"].as_array().unwrap().iter();
    let files = layers.flat_map(|layer| layer["files"].as_array().unwrap());
    let listed: BTreeSet<PathBuf> =
        files.map(|file| file["path"].as_str().unwrap().into()).collect();
    for name in relative(directory).into_keys().filter(|name| *name != Path::new("manifest.json")) {
        assert!(listed.contains(&name), "{name:?} in {}", directory.display());
    }
    listed.len()
}

/// However long the program has run when it is stopped.
#[test]
#[cfg(unix)]
fn a_stopped_job_leaves_listed_layers_only() {
    let tripod = with_tripod();
    let at = tripod.path();
    for round in 0..12_u64 {
        let name = format!("stopped{round}");
        let slice = "slice tripod.vtu --layer-height 0.005 --pixel 0.02 --quiet --png";
        let mut job = Process::new(assert_cmd::cargo::cargo_bin("subsolid"))
            .current_dir(at)
            .args(slice.split_whitespace().chain([name.as_str()]))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let directory = at.join(&name);
        let start = Instant::now();
        while !directory.join("manifest.json").exists() {
            assert!(start.elapsed() < Duration::from_secs(120), "nothing is written");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(37 * round));
        // SAFETY: the process is a child that nobody has waited for.
        unsafe { libc::kill(job.id() as libc::pid_t, libc::SIGTERM) };
        job.wait().unwrap();
        // a folder without a layer goes
        if directory.exists() {
            expect_listed(&directory);
        }
    }
}

/// A name that no folder can have is found before anything is made.
#[test]
fn a_folder_that_cannot_be_made_leaves_none() {
    let tripod = with_tripod();
    let at = tripod.path();
    let mut mesh = subsolid::read(at.join("tripod.vtu")).unwrap();
    mesh.attributes.truncate(1);
    mesh.attributes[0].name = "n".repeat(300);
    subsolid::write(at.join("long.vtu"), &mesh, Default::default()).unwrap();
    let name = &mesh.attributes[0].name;
    let slice = format!("slice long.vtu --layer-height 1 --pixel 0.1 --png o --attribute {name}");
    crate::program::refused(at, &slice, "name too long");
    assert!(!at.join("o").exists());
}

/// The manifest of all layers is larger than files may be: it lists those that fit, whose files
/// alone stay, and the job goes on from them. Parts of files that a killed program left are
/// removed.
#[test]
#[cfg(unix)]
fn layers_stay_that_the_manifest_has_room_for() {
    let tripod = with_tripod();
    let at = tripod.path();
    let slice = "slice tripod.vtu --layer-height 0.02 --png png --pixel 0.2 -q";
    let program = assert_cmd::cargo::cargo_bin("subsolid");
    let run = |command: String| {
        Process::new("sh").current_dir(at).args(["-c", &command]).output().unwrap()
    };
    let output = run(format!("trap '' XFSZ; ulimit -f 16; exec {} {slice}", program.display()));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    let listed = expect_listed(&at.join("png"));
    assert!(listed > 10, "{listed}");
    let stay = format!("{listed} layers are complete in png, --resume goes on from there");
    assert!(stderr.contains("manifest.json") && stderr.contains(&stay), "{stderr}");
    std::fs::write(at.join("png/coverage/.00150_z3.0100.png.aB3dE9.part"), "part").unwrap();
    std::fs::write(at.join("png/.notes.txt.aB3dE9.part"), "of another program").unwrap();
    let output = run(format!("{} {slice} --resume", program.display()));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_file(at.join("png/.notes.txt.aB3dE9.part")).unwrap();
    assert!(expect_listed(&at.join("png")) > 2 * listed);
}

/// The system refuses to write more, as on a full disk.
#[test]
#[cfg(unix)]
fn a_full_disk_leaves_whole_files_only() {
    let tripod = with_tripod();
    let at = tripod.path();
    let program = assert_cmd::cargo::cargo_bin("subsolid");
    let slice = "slice tripod.vtu --layer-height 0.05";
    for outputs in ["--png png --pixel 0.0008", "--vtp a.vtp", "--cli a.cli", "--svg svg"] {
        let script = format!(
            "trap '' XFSZ; ulimit -f 16; exec {} {slice} {outputs} --tolerance 1e-7 -q",
            program.display()
        );
        let output = Process::new("sh").current_dir(at).args(["-c", &script]).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{outputs}: {stderr}");
        assert!(stderr.contains("limit of file sizes"), "{outputs}: {stderr}");
        let left = relative(at);
        let hidden = |name: &Path| name.file_name().unwrap().as_encoded_bytes()[0] == b'.';
        assert!(left.keys().all(|name| !hidden(name)), "{left:?}");
        assert!(!left.contains_key(Path::new("a.vtp")) && !left.contains_key(Path::new("a.cli")));
        if let Some(directory) =
            ["png", "svg"].into_iter().find(|d| outputs.contains(&format!("--{d} ")))
        {
            // without a layer it is gone
            let exists = at.join(directory).exists();
            let listed = if exists { expect_listed(&at.join(directory)) } else { 0 };
            assert_eq!(stderr.contains("--resume"), listed > 0, "{outputs}: {stderr}");
            let are = if listed == 1 { "layer is" } else { "layers are" };
            let stay = format!("{listed} {are} complete in {directory}, --resume");
            assert!(listed == 0 || stderr.contains(&stay), "{outputs}: {listed}, {stderr}");
        }
        for (name, bytes) in &left {
            let whole: &[u8] = match name.extension().unwrap().to_str().unwrap() {
                "png" => b"IEND\xae\x42\x60\x82",
                "svg" => b"</svg>\n",
                "json" => b"}\n",
                _ => continue,
            };
            assert!(bytes.ends_with(whole), "{name:?}");
        }
    }
}

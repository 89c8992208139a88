//! A program that is stopped leaves nothing behind.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{names, with_fan};

/// Stops the program while it writes, by the signals of Ctrl-C, `kill`, a closed terminal, Ctrl-\,
/// batch systems and limits of time, and those of other programs.
#[test]
fn no_signal_leaves_unfinished_files() {
    let fan = with_fan();
    let path = fan.path();
    let before = names(path);
    for (output, samples, signal) in [
        ("a.csv", "32", libc::SIGINT),
        ("a.pvtu", "48", libc::SIGTERM),
        ("a.csv", "32", libc::SIGHUP),
        ("a.csv", "32", libc::SIGQUIT),
        ("a.csv", "32", libc::SIGXCPU),
        ("a.pvtu", "48", libc::SIGUSR1),
        ("a.csv", "32", libc::SIGUSR2),
        ("a.csv", "32", libc::SIGALRM),
        ("a.csv", "32", libc::SIGVTALRM),
        ("a.csv", "32", libc::SIGABRT),
    ] {
        let mut program = writing(path, output, samples, signal, libc::SIG_DFL);
        // SAFETY: the process is a child that nobody has waited for.
        assert_eq!(unsafe { libc::kill(program.id() as i32, signal) }, 0);
        assert_eq!(program.wait().unwrap().signal(), Some(signal), "{output}");
        assert_eq!(names(path), before, "{output}");
    }
}

/// Whenever the program is stopped, what stands under a final name is whole: all files, or the
/// images so far with the manifest.
#[test]
fn only_whole_files_are_left_at_any_time() {
    for (arguments, output) in [
        ("evaluate fan.vtu --samples 12 -o a.vtu", "a.vtu"),
        ("evaluate fan.vtu --samples 12 -o a.npz", "a.npz"),
        ("refine fan.vtu --levels 3 -o a.vtk", "a.vtk"),
        ("boundary fan.vtu -o a.ply", "a.ply"),
        ("quadrature fan.vtu --gauss 6 -o a.npz", "a.npz"),
        ("extract fan.vtu -o a.bext", "a.bext"),
        ("distance fan.vtu -o a.vtu", "a.vtu"),
        ("slice fan.vtu --layer-height 0.01 --cli a.cli", "a.cli"),
        ("slice fan.vtu --layer-height 0.05 --pixel 0.01 --png layers", "layers"),
    ] {
        let fan = with_fan();
        let path = fan.path();
        let before = names(path);
        let spawn = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_subsolid"));
            command.args(arguments.split(' ')).current_dir(path);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let start = Instant::now();
        assert_eq!(spawn().wait().unwrap().code(), Some(0), "{arguments}");
        let duration = start.elapsed();
        let finished = names(path);
        let whole = std::fs::read(path.join(output)).unwrap_or_default();
        for part in [0.2, 0.5, 0.8, 0.95] {
            for name in names(path).iter().filter(|name| !before.contains(name)) {
                if name.is_dir() {
                    std::fs::remove_dir_all(name).unwrap()
                } else {
                    std::fs::remove_file(name).unwrap()
                }
            }
            let mut program = spawn();
            std::thread::sleep(duration.mul_f64(part));
            // SAFETY: the process is a child that nobody has waited for.
            assert_eq!(unsafe { libc::kill(program.id() as i32, libc::SIGTERM) }, 0);
            program.wait().unwrap();
            for name in names(path) {
                assert!(finished.contains(&name), "{arguments}: {}", name.display());
            }
            if let Ok(left) = std::fs::read(path.join(output)) {
                assert!(left == whole, "{arguments}: a part of {output}");
            }
            if path.join(output).is_dir() {
                let manifest = path.join(output).join("manifest.json");
                let manifest = std::fs::read_to_string(manifest).unwrap_or_default();
                // A folder may be empty: it is made before its first image.
                let folders = names(&path.join(output));
                let images = folders.iter().filter(|folder| folder.is_dir()).flat_map(|f| names(f));
                for image in images {
                    let image = image.file_name().unwrap().to_str().unwrap().to_owned();
                    assert!(manifest.contains(&image), "{arguments}: {image} is not listed");
                }
            }
        }
    }
}

/// `nohup` and jobs in the background ignore signals: the program goes on.
#[test]
fn ignored_signals_stay_ignored() {
    let fan = with_fan();
    for signal in [libc::SIGINT, libc::SIGHUP] {
        let mut program = writing(fan.path(), "a.csv", "16", signal, libc::SIG_IGN);
        // SAFETY: as above.
        assert_eq!(unsafe { libc::kill(program.id() as i32, signal) }, 0);
        assert_eq!(program.wait().unwrap().code(), Some(0));
        std::fs::remove_file(fan.path().join("a.csv")).unwrap();
    }
}

/// Beyond a limit of file sizes a write fails, and the program says how to fix it. The mass matrix
/// of the fan fits, which goes with its folder.
#[test]
fn a_limit_of_file_sizes_is_an_error() {
    for arguments in [
        "evaluate fan.vtu --samples 16 -o a.csv",
        "evaluate fan.vtu --samples 32 -o a.pvtu",
        "evaluate fan.vtu --samples 32 --pieces 1/1 -o a.pvtu",
        "refine fan.vtu --levels 4 -o a.vtu",
        "refine fan.vtu --levels 4 -o a.pvtu --piece-cells 9999",
        "slice fan.vtu --layer-height 0.01 --pixel 0.001 --zip a.zip",
        "view fan.vtu -o a.html",
        "view fan.vtu -o a.glb --fineness 32",
        "assemble fan.vtu --gauss 2 --rings 0 --mass --elasticity 1,0.3 -o folder",
    ] {
        let fan = with_fan();
        let before = names(fan.path());
        let mut command = Command::new(env!("CARGO_BIN_EXE_subsolid"));
        command.args(arguments.split(' '));
        let limit = || {
            let limit = libc::rlimit { rlim_cur: 400_000, rlim_max: libc::RLIM_INFINITY };
            // SAFETY: `limit` outlives the calls, which may stand between fork and exec.
            unsafe {
                libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
                libc::setrlimit(libc::RLIMIT_FSIZE, &limit);
            }
            Ok(())
        };
        // SAFETY: it allocates nothing and takes no lock.
        let output = unsafe { command.pre_exec(limit) }.current_dir(fan.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains("ulimit -f") && !message.contains(".part"), "{message}");
        assert_eq!(names(fan.path()), before, "{arguments}");
    }
}

/// The program once it has begun to write, with what it is to do at a signal.
fn writing(
    path: &Path,
    output: &str,
    samples: &str,
    signal: libc::c_int,
    action: libc::sighandler_t,
) -> Child {
    let before = names(path);
    let mut command = Command::new(env!("CARGO_BIN_EXE_subsolid"));
    command
        .args(["evaluate", "fan.vtu", "--samples", samples, "-o", output])
        .current_dir(path)
        .stderr(Stdio::null());
    let prepare = move || {
        // SAFETY: `signal` may be called between fork and exec.
        match unsafe { libc::signal(signal, action) } {
            libc::SIG_ERR => Err(std::io::Error::last_os_error()),
            _ => Ok(()),
        }
    };
    // SAFETY: it allocates nothing and takes no lock.
    let program = unsafe { command.pre_exec(prepare) }.spawn().unwrap();
    let start = Instant::now();
    while names(path) == before {
        assert!(start.elapsed() < Duration::from_secs(60), "{output}: nothing is written");
        std::thread::sleep(Duration::from_millis(1));
    }
    program
}

/// What each of some writers leaves when it is stopped in its finish, at a random moment: all that
/// was there before, or all that the job writes. `SUBSOLID_KILLS` is the number of rounds for each,
/// 6 unless given; other numbers stop at other moments.
#[test]
fn a_stop_in_the_finish_leaves_the_old_files_or_the_new() {
    let rounds = std::env::var("SUBSOLID_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let mut seed = rounds as u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1_u64 << 31) as f64
    };
    for (job, old) in [
        ("refine fan.vtu --levels 2 --piece-cells 100 -o a.pvtu", "--compress"),
        ("evaluate fan.vtu --samples 8 -o a.vtu", "--compress"),
        ("evaluate fan.vtu --samples 8 -o a.npz", "--compress"),
        ("evaluate fan.vtu --samples 8 -o a.csv", "--precision f32"),
        ("evaluate fan.vtu --samples 4 --pieces 1/2 -o p.pvtu", ""),
        ("slice fan.vtu --layer-height 0.05 --pixel 0.05 --zip a.zip", "--antialias 2"),
        ("slice fan.vtu --layer-height 0.05 --cli a.cli", "--binary"),
        ("view fan.vtu -o a.html", "--no-interior"),
    ] {
        let (fan, whole, first) = (with_fan(), with_fan(), with_fan());
        let path = fan.path();
        let run = |at: &Path, options: &str| {
            crate::program::done(at, &format!("{job} {options} --quiet"));
            crate::program::files(at)
        };
        let begun = Instant::now();
        let new = relative(whole.path(), run(whole.path(), ""));
        let duration = begun.elapsed();
        let before = relative(
            first.path(),
            if old.is_empty() {
                crate::program::files(first.path())
            } else {
                run(first.path(), old)
            },
        );
        for round in 0..rounds {
            for name in names(path).iter().filter(|name| !name.ends_with("fan.vtu")) {
                let remove =
                    if name.is_dir() { std::fs::remove_dir_all } else { std::fs::remove_file };
                remove(name).unwrap();
            }
            let with_old = round % 2 == 1 && !old.is_empty();
            if with_old {
                run(path, old);
            }
            let expected =
                if with_old { before.clone() } else { relative(path, crate::program::files(path)) };
            let mut program = Command::new(env!("CARGO_BIN_EXE_subsolid"))
                .args(job.split(' ').chain(["--quiet"]))
                .current_dir(path)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(duration.mul_f64(0.6 + 0.5 * random()));
            let signals = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGKILL];
            let signal = signals[(4.0 * random()) as usize];
            // SAFETY: the process is a child that nobody has waited for.
            unsafe { libc::kill(program.id() as i32, signal) };
            program.wait().unwrap();
            let mut left = relative(path, crate::program::files(path));
            if signal == libc::SIGKILL {
                // nothing can remove what is hidden, nor finish what several names are of
                let is_hidden = |name: &Path| {
                    name.components().any(|part| part.as_os_str().as_encoded_bytes()[0] == b'.')
                };
                left.retain(|name, _| !is_hidden(name));
                for (name, bytes) in &left {
                    let known = [&expected, &new].iter().any(|all| all.get(name) == Some(bytes));
                    assert!(known, "{job}: {} after SIGKILL", name.display());
                }
                continue;
            }
            assert!(left == expected || left == new, "{job}, signal {signal}: {:?}", left.keys());
            let folders = |all: &BTreeMap<PathBuf, Vec<u8>>| {
                all.keys()
                    .filter_map(|name| Some(name.parent()?.to_owned()))
                    .collect::<BTreeSet<_>>()
            };
            let made = names(path).into_iter().filter(|name| name.is_dir()).count();
            assert_eq!(made, folders(&left).len() - 1, "{job}, signal {signal}: an empty folder");
        }
    }
}

/// Files by their names below a directory.
fn relative(at: &Path, files: BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<PathBuf, Vec<u8>> {
    files.into_iter().map(|(name, bytes)| (name.strip_prefix(at).unwrap().into(), bytes)).collect()
}

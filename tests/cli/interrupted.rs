//! A program that is stopped leaves nothing behind.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
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

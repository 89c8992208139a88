//! A program that is stopped leaves nothing behind.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{names, with_fan};

/// Stops the program while it writes, by the signals of Ctrl-C, `kill`, a closed terminal and
/// Ctrl-\.
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
    ] {
        let mut program = writing(path, output, samples, (signal, libc::SIG_DFL));
        // SAFETY: the process is a child that nobody has waited for.
        assert_eq!(unsafe { libc::kill(program.id() as i32, signal) }, 0);
        assert_eq!(program.wait().unwrap().signal(), Some(signal), "{output}");
        assert_eq!(names(path), before, "{output}");
    }
}

/// `nohup` and jobs in the background ignore signals: the program goes on.
#[test]
fn ignored_signals_stay_ignored() {
    let fan = with_fan();
    for signal in [libc::SIGINT, libc::SIGHUP] {
        let mut program = writing(fan.path(), "a.csv", "16", (signal, libc::SIG_IGN));
        // SAFETY: as above.
        assert_eq!(unsafe { libc::kill(program.id() as i32, signal) }, 0);
        assert_eq!(program.wait().unwrap().code(), Some(0));
        std::fs::remove_file(fan.path().join("a.csv")).unwrap();
    }
}

/// Beyond a limit of file sizes a write fails, and the program says how to fix it.
#[test]
fn a_limit_of_file_sizes_is_an_error() {
    let fan = with_fan();
    let before = names(fan.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_subsolid"));
    command.args(["evaluate", "fan.vtu", "--samples", "16", "-o", "a.csv"]);
    let limit = || {
        let limit = libc::rlimit { rlim_cur: 4096, rlim_max: libc::RLIM_INFINITY };
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
    assert!(String::from_utf8_lossy(&output.stderr).contains("ulimit -f"), "{output:?}");
    assert_eq!(names(fan.path()), before);
}

/// The program once it has begun to write, with what it is to do at a signal.
fn writing(
    path: &Path,
    output: &str,
    samples: &str,
    (signal, action): (libc::c_int, libc::sighandler_t),
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

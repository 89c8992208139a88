//! A program that is stopped leaves nothing behind.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{names, with_fan};

/// Stops the program while it writes, by the signals of Ctrl-C, `kill` and a closed terminal.
#[test]
fn no_signal_leaves_unfinished_files() {
    let fan = with_fan();
    let path = fan.path();
    let before = names(path);
    for (output, samples, signal) in [
        ("a.csv", "32", libc::SIGINT),
        ("a.pvtu", "48", libc::SIGTERM),
        ("a.csv", "32", libc::SIGHUP),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_subsolid"))
            .args(["evaluate", "fan.vtu", "--samples", samples, "-o", output])
            .current_dir(path)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while names(path) == before {
            assert!(start.elapsed() < Duration::from_secs(60), "{output}: nothing is written");
            std::thread::sleep(Duration::from_millis(1));
        }
        // SAFETY: the process is a child that nobody has waited for.
        assert_eq!(unsafe { libc::kill(program.id() as i32, signal) }, 0);
        assert_eq!(program.wait().unwrap().signal(), Some(signal), "{output}");
        assert_eq!(names(path), before, "{output}");
    }
}

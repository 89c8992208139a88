//! Termination by signals: Ctrl-C, Ctrl-\, a closed terminal, `kill`, a batch system's warning, a
//! limit of time (`ulimit -t`). Files that are being written are removed first; then the signal
//! does what it does to any program. Beyond a limit of file sizes (`ulimit -f`) a write fails, and
//! the program says so, and so it does where memory runs out.

/// Sees to it that no signal that ends the program leaves unfinished files.
#[cfg(unix)]
pub fn clean_up() {
    use super::{Console, exhausted};
    use signal_hook::iterator::Signals;

    exhausted::reserve();
    if is_default(&libc::SIGXFSZ) {
        // SAFETY: no handler is installed; writes return EFBIG instead of ending the program.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }
    // What is ignored (`nohup`, jobs in the background) stays so.
    let mut signals = ending();
    signals.retain(is_default);
    // Before the thread starts, so that no file is created while a signal still ends the program.
    let Ok(mut ends) = Signals::new(&signals) else { return };
    let wait = move || {
        if let Some(signal) = ends.forever().next() {
            subsolid::io::remove_unfinished();
            if let Some(error) = exhausted::error() {
                Console::new(false, false).error(&error);
                std::process::exit(2);
            }
            end_by(signal);
        }
    };
    if std::thread::Builder::new().spawn(wait).is_err() {
        for signal in signals {
            // SAFETY: the default action takes the place of a handler that nobody listens to.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
}

/// The signals that end a program by default and come from elsewhere, not from its own faults.
#[cfg(unix)]
fn ending() -> Vec<libc::c_int> {
    use libc::{
        SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM,
        SIGXCPU,
    };
    let mut signals = vec![
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU,
        SIGABRT,
    ];
    #[cfg(target_os = "linux")]
    {
        signals.extend([libc::SIGIO, libc::SIGPWR]);
        signals.extend(libc::SIGRTMIN()..=libc::SIGRTMAX());
    }
    signals
}

/// Ends the program with the status of a signal.
#[cfg(unix)]
fn end_by(signal: libc::c_int) {
    // SAFETY: the default action of the signal, which no thread blocks, ends the program.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::kill(libc::getpid(), signal);
    }
    // it may have been delivered to another thread, which ends this one too
    std::thread::sleep(std::time::Duration::from_secs(1));
    std::process::exit(128 + signal);
}

/// Whether a signal does what it does to any program.
#[cfg(unix)]
fn is_default(signal: &libc::c_int) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: the call changes nothing and writes `action`, if it returns 0.
    unsafe {
        libc::sigaction(*signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_DFL
    }
}

/// Where there are no signals, only memory that runs out is seen to.
#[cfg(not(unix))]
pub fn clean_up() {
    super::exhausted::reserve();
}

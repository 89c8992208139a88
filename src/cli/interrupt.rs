//! Ends from outside: Ctrl-C, a closed terminal, `kill`. Files that are being written are
//! removed first; then the signal does what it does to any program.

/// Sees to it that no signal that ends the program leaves unfinished files. To be called
/// before there are other threads.
#[cfg(unix)]
pub fn clean_up() {
    use std::mem::MaybeUninit;

    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` makes `set` a set; the other calls read or write their own
    // arguments alone.
    let set = unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            let mut action = MaybeUninit::<libc::sigaction>::uninit();
            // what is ignored (`nohup`, jobs in the background) stays so
            if libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
                && action.assume_init().sa_sigaction == libc::SIG_DFL
            {
                libc::sigaddset(set.as_mut_ptr(), signal);
            }
        }
        // threads inherit it, so that the one below alone gets these signals
        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
        set.assume_init()
    };
    let unblock = move || {
        // SAFETY: `set` is a set of signals.
        unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut()) };
    };
    let wait = move || {
        let mut signal = 0;
        // SAFETY: `set` is a set of signals, and `signal` a place for one.
        if unsafe { libc::sigwait(&set, &mut signal) } == 0 {
            subsolid::io::remove_unfinished();
            unblock();
            // SAFETY: no handler stands in the way of the signal's own effect.
            unsafe { libc::raise(signal) };
        }
    };
    if std::thread::Builder::new().spawn(wait).is_err() {
        unblock();
    }
}

/// Does nothing where there are no signals.
#[cfg(not(unix))]
pub fn clean_up() {}

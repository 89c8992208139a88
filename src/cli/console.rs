//! What the program says: reports on stdout, everything else on stderr. Where a file goes to
//! stdout, reports go to stderr.
//!
//! A status line is a verb, its object and the time that this took: `Read part.vtu: 8 vertices,
//! 1 cell in 0.3 ms`. Every file that is read or written has one.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};
use std::time::{Duration, Instant};

use clap::builder::styling::AnsiColor;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use subsolid::jobs::Notes;
use subsolid::jobs::output::{named, written};
pub use subsolid::jobs::since;
use subsolid::{Error, FileAccess, Message, Result};

use super::json::{self, JsonReport};
use super::wording::words;

/// Time between two drawings of the clock of work of unknown length.
const CLOCK_TICK: Duration = Duration::from_millis(200);

/// Where and how to speak.
pub struct Console {
    quiet: bool,
    json: bool,
    /// Whether another rank speaks for this one.
    silent: bool,
    /// Whether stdout takes a file.
    prints_file: bool,
}

impl Console {
    /// A console for people, that says errors only if `quiet`.
    pub fn new(quiet: bool, prints_file: bool) -> Self {
        Self { quiet, json: false, silent: false, prints_file }
    }

    /// This console with reports as `json`.
    pub fn reporting(&self, json: bool) -> Self {
        Self { json, ..*self }
    }

    /// The console of a rank: the first speaks for all.
    pub fn of_rank(self, rank: usize) -> Self {
        let silent = rank != 0;
        Self { silent, quiet: self.quiet || silent, ..self }
    }

    /// Whether reports are for machines.
    pub fn json(&self) -> bool {
        self.json
    }

    /// What is being done.
    pub fn status(&self, verb: &str, what: impl Display) {
        if !self.quiet {
            let _ = writeln!(stderr(), "{verb:>10} {what}");
        }
    }

    /// A model that was read since `start`, and what it holds.
    pub fn read(&self, name: impl Display, what: impl Display, start: Instant) {
        let name = named(name, "<standard input>");
        self.status("Read", format!("{name}: {what} in {}", since(start)));
    }

    /// A file that was written since `start`, and what it holds.
    pub fn wrote(&self, name: impl Display, what: impl Display, start: Instant) {
        self.status("Wrote", written(name, what, start));
    }

    /// What the user should know although it does not stop the program.
    pub fn warn(&self, message: impl Display) {
        if !self.quiet {
            let _ = writeln!(stderr(), "   warning {message}");
        }
    }

    /// What the user may want to do first; looked for only where it is said.
    pub fn hint(&self, find: impl FnOnce() -> Option<Message>) {
        if let Some(message) = (!self.quiet).then(find).flatten() {
            let _ = writeln!(stderr(), "      hint {}", words(&message));
        }
    }

    /// Why the program stops, and how to fix it.
    pub fn error(&self, error: &Error) {
        let mut text =
            format!("{} {}\n", Self::label("error:", AnsiColor::Red), words(&error.message()));
        if let Some(help) = error.help() {
            text += &format!("{} {}\n", Self::label("help:", AnsiColor::Cyan), words(help));
        }
        let _ = stderr().write_all(text.as_bytes());
    }

    /// A word in bold color on a terminal, unless `NO_COLOR` asks for none.
    fn label(word: &str, color: AnsiColor) -> String {
        if stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) {
            let style = color.on_default().bold();
            return format!("{style}{word}{style:#}");
        }
        String::from(word)
    }

    /// A report: `text`, or `value` as JSON.
    pub fn report(&self, value: &impl JsonReport, text: impl FnOnce() -> String) -> Result<()> {
        if self.silent {
            return Ok(());
        }
        let text = if self.json { json::text(value)? } else { text() };
        let text = format!("{}\n", text.trim_end());
        if self.prints_file {
            let _ = stderr().write_all(text.as_bytes());
            return Ok(());
        }
        self.print(text.as_bytes())
    }

    /// A report for machines alone: people have read it in status lines.
    pub fn report_json(&self, value: &impl JsonReport) -> Result<()> {
        if self.json { self.report(value, String::new) } else { Ok(()) }
    }

    /// Bytes for stdout; a reader that goes away is not an error.
    pub fn print(&self, bytes: &[u8]) -> Result<()> {
        match stdout().write_all(bytes).and_then(|()| stdout().flush()) {
            Err(e) if e.kind() != ErrorKind::BrokenPipe => {
                Err(Error::io("stdout", FileAccess::Write, e))
            }
            _ => Ok(()),
        }
    }

    /// A progress bar over `len` things; none when quiet or stderr is not a terminal.
    pub fn bar(&self, len: usize) -> ProgressBar {
        let target = if self.shows_progress() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(len as u64), target);
        match ProgressStyle::with_template("{wide_bar} {pos}/{len} {eta}") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }

    /// What a job says, with a bar while it makes progress.
    pub fn notes(&self) -> ConsoleNotes<'_> {
        ConsoleNotes { console: self, bar: None, clock: None }
    }

    /// Does work of unknown length, which must print nothing, with a clock where [`Self::bar`]
    /// shows a bar.
    pub fn during<T>(&self, verb: &'static str, work: impl FnOnce() -> T) -> T {
        let clock = self.clock(verb);
        let done = work();
        clock.iter().for_each(ProgressBar::finish_and_clear);
        done
    }

    /// A clock of work of unknown length; none where no bar is shown.
    fn clock(&self, verb: &'static str) -> Option<ProgressBar> {
        if !self.shows_progress() {
            return None;
        }
        let clock = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let clock = match ProgressStyle::with_template("{msg:>10} {spinner} {elapsed}") {
            Ok(style) => clock.with_style(style),
            Err(_) => clock,
        };
        clock.set_message(verb);
        clock.enable_steady_tick(CLOCK_TICK);
        Some(clock)
    }

    fn shows_progress(&self) -> bool {
        !self.quiet && stderr().is_terminal()
    }
}

/// The notes of a job on a console.
pub struct ConsoleNotes<'c> {
    console: &'c Console,
    bar: Option<ProgressBar>,
    clock: Option<ProgressBar>,
}

impl ConsoleNotes<'_> {
    fn clear(&mut self) {
        let shown = self.bar.take().into_iter().chain(self.clock.take());
        shown.for_each(|shown| shown.finish_and_clear());
    }
}

impl Notes for ConsoleNotes<'_> {
    fn begin(&mut self, verb: &'static str) {
        self.clear();
        self.clock = self.console.clock(verb);
    }

    fn status(&mut self, verb: &'static str, what: String) {
        self.clear();
        self.console.status(verb, what);
    }

    fn words(&self, what: &Message) -> String {
        words(what)
    }

    fn warn(&mut self, what: Message) {
        self.clear();
        self.console.warn(words(&what));
    }

    fn progress(&mut self, done: usize, of: usize) -> Result<()> {
        self.clock.take().iter().for_each(ProgressBar::finish_and_clear);
        let bar = self.bar.get_or_insert_with(|| self.console.bar(of));
        bar.set_length(of as u64);
        bar.set_position(done as u64);
        if done == of {
            self.clear();
        }
        Ok(())
    }
}

impl Drop for ConsoleNotes<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

//! One error type for the library: what went wrong, where, and how to fix it.

#[macro_use]
mod message;
mod term;

use std::fmt::{self, Display, Formatter};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error as ThisError;

pub(crate) use message::edge;
pub use message::{IdKind, Message};
pub use term::{Command, Term, option, option_name};

/// Result of every fallible function of the library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, where, and how to fix it.
///
/// The message names the place (file and line, or cell, face, edge and vertex
/// ids); [`Error::help`] says how to fix it.
#[derive(Debug, ThisError)]
pub enum Error {
    /// The operating system refused to read or write a file.
    #[error("{}: cannot be {access}: {source}", path.display())]
    Io {
        /// File concerned.
        path: PathBuf,
        /// What was asked.
        access: FileAccess,
        /// The system's own words.
        source: io::Error,
        /// How to fix it, where that is plain.
        help: Option<Message>,
    },
    /// A file that does not say what its format demands.
    #[error("{}: {message}", place(path, *line))]
    File {
        /// File concerned.
        path: PathBuf,
        /// 1-based line, where the format has lines.
        line: Option<usize>,
        /// What is wrong.
        message: Message,
        /// How to fix it.
        help: Option<Message>,
    },
    /// A control mesh that is not a valid Catmull-Clark solid.
    #[error("{message}")]
    Mesh {
        /// What is wrong, with the ids of the elements concerned.
        message: Message,
        /// How to fix it.
        help: Option<Message>,
    },
    /// An option, parameter or request outside its valid range.
    #[error("{message}")]
    Request {
        /// What is wrong.
        message: Message,
        /// How to fix it.
        help: Option<Message>,
    },
}

/// What the operating system is asked to do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// To read it.
    Read,
    /// To create, write, move or remove it.
    Write,
}

impl Display for FileAccess {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "written",
        })
    }
}

impl Error {
    /// A refusal of the operating system to read or write `path`, with how to fix it.
    pub fn io(path: impl AsRef<Path>, access: FileAccess, source: io::Error) -> Self {
        let help = match (source.kind(), access) {
            (ErrorKind::NotFound, FileAccess::Read) => {
                "check the spelling of the path, and that its directory exists"
            }
            (ErrorKind::NotFound, FileAccess::Write) => "create its directory first",
            (ErrorKind::PermissionDenied, FileAccess::Read) => {
                "check the permissions of the file and its directory"
            }
            (ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem, _) => {
                "choose a directory that you may write to"
            }
            (ErrorKind::StorageFull | ErrorKind::QuotaExceeded, _) => {
                "free space, or write to another disk"
            }
            (ErrorKind::FileTooLarge, _) => {
                "raise the limit of file sizes (ulimit -f), or write to another file system"
            }
            (ErrorKind::NotADirectory, _) => "check the path: one of its directories is a file",
            _ => "check the path and its disk, or choose another",
        };
        Self::Io { path: path.as_ref().into(), access, source, help: Some(help.into()) }
    }

    /// A malformed file; `line` is 1-based.
    pub fn file(path: impl AsRef<Path>, line: Option<usize>, message: impl Into<Message>) -> Self {
        Self::File { path: path.as_ref().into(), line, message: message.into(), help: None }
    }

    /// An invalid control mesh.
    pub fn mesh(message: impl Into<Message>) -> Self {
        Self::Mesh { message: message.into(), help: None }
    }

    /// A request that cannot be met.
    pub fn request(message: impl Into<Message>) -> Self {
        Self::Request { message: message.into(), help: None }
    }

    /// A message of another rank that is not as this program writes it.
    pub fn broken_message() -> Self {
        Self::request("a message of another rank is broken or cut short").with_help(
            "run the same program on all ranks; if it is, check the network and the MPI library",
        )
    }

    /// How to fix it, where that is plain.
    pub fn help(&self) -> Option<&Message> {
        match self {
            Self::Io { help, .. }
            | Self::File { help, .. }
            | Self::Mesh { help, .. }
            | Self::Request { help, .. } => help.as_ref(),
        }
    }

    /// The whole message, without the help.
    pub fn message(&self) -> Message {
        match self {
            Self::Io { .. } => self.to_string().into(),
            Self::File { path, line, message, .. } => {
                message!(place(path, *line), ": ", message.clone())
            }
            Self::Mesh { message, .. } | Self::Request { message, .. } => message.clone(),
        }
    }

    /// The elements that the message names, in its order: (cell, 12), for instance. An edge, and a
    /// face of a solid, is named by its vertices.
    ///
    /// ```
    /// use subsolid::IdKind::{Cell, Vertex};
    /// use subsolid::mesh::{CellKind, shape::Shape};
    /// let mut mesh = Shape::parse("box", &[1, 1, 1])?.build()?;
    /// mesh.cells.push(CellKind::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 8]);
    /// let error = subsolid::Solid::new(&mesh).unwrap_err();
    /// assert_eq!(error.elements(), [(Cell, 1), (Vertex, 8)]);
    /// # Ok::<(), subsolid::Error>(())
    /// ```
    pub fn elements(&self) -> Vec<(IdKind, u64)> {
        self.message().elements().collect()
    }

    /// This error with the path and the 1-based `line` at which it was found.
    pub(crate) fn in_file(&self, path: &Path, line: Option<usize>) -> Self {
        let (message, help) = (self.message(), self.help().cloned());
        Self::File { path: path.into(), line, message, help }
    }

    /// This error with `text` as the help: how to fix it.
    #[must_use]
    pub fn with_help(mut self, text: impl Into<Message>) -> Self {
        match &mut self {
            Self::Io { help, .. }
            | Self::File { help, .. }
            | Self::Mesh { help, .. }
            | Self::Request { help, .. } => *help = Some(text.into()),
        }
        self
    }

    /// The error of a job that could run on the CPU instead: the help says so, too.
    pub(crate) fn or_cpu(self) -> Self {
        let cpu = message!("give ", option("backend", "cpu"));
        let help = match self.help() {
            Some(help) => message!(help.clone(), ", or ", cpu),
            None => cpu,
        };
        self.with_help(help)
    }
}

/// A file and a line of it.
fn place(path: &Path, line: Option<usize>) -> String {
    format!("{}{}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())
}

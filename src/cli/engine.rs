//! What the ranks of a job are.

/// How ranks have come to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// `mpirun` has started them.
    Mpi,
    /// They are threads of this program, for tests.
    Threads(usize),
}

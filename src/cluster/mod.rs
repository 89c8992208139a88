//! Ranks: programs, or threads, that do one job together.
//!
//! A [`Group`] is what an engine offers to its ranks: who they are, and exchanges of bytes. MPI is
//! one engine (`Mpi`, with the feature `mpi`), the threads of one process are another
//! ([`Threads`]), which needs nothing installed and serves the tests. No other file names an
//! engine.
//!
//! [`Ranks`] is what jobs use. Every exchange carries errors along: where one rank fails, all
//! ranks return the same error from their next exchange, so none waits forever, all clean up,
//! and one of them reports it to the user.
//!
//! ```
//! use subsolid::cluster::{Ranks, Threads};
//! let sums = Threads::run(3, |group| {
//!     let ranks = Ranks::new(group);
//!     let all = ranks.all_gather(Ok(vec![ranks.rank() as u8])).unwrap();
//!     all.iter().map(|bytes| usize::from(bytes[0])).sum::<usize>()
//! });
//! assert_eq!(sums, [3, 3, 3]);
//! ```

mod host;
#[cfg(feature = "mpi")]
mod mpi;
mod ranks;
mod threads;

pub use host::Host;
#[cfg(feature = "mpi")]
pub use mpi::Mpi;
pub use ranks::Ranks;
pub use threads::{ThreadGroup, Threads};

/// The block of `count` items that a rank holds of a list that ranks hold together: about as many
/// each, in their order.
pub fn block(count: usize, rank: usize, ranks: usize) -> std::ops::Range<usize> {
    let at = |rank: usize| (count as u128 * rank as u128 / ranks as u128) as usize;
    at(rank)..at(rank + 1)
}

/// The ranks of a job, seen from one of them. All of them make the same exchanges in the same
/// order.
pub trait Group {
    /// This rank, from 0 on.
    fn rank(&self) -> usize;

    /// Number of ranks, at least 1.
    fn size(&self) -> usize;

    /// The bytes that every rank gives, `[rank]`, of any length each.
    fn all_gather(&self, own: &[u8]) -> Vec<Vec<u8>>;

    /// Lets the other ranks know at once that this one has failed; they need not be in an exchange.
    fn warn(&self);

    /// Whether another rank has warned.
    fn is_warned(&self) -> bool;

    /// Ends all ranks at once, for what must not happen. Unfinished files may stay.
    fn abort(&self, code: i32) -> !;
}

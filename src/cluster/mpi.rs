//! Ranks of MPI: the only file that names it.

use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};
use mpi::{Count, Tag, Threading};

use super::Group;
use crate::error::{Error, Result};

/// Bytes of an exchange at a time: counts and places of MPI have 31 bits, and buffers of an
/// exchange should be small beside the data sent.
const MAX_EXCHANGE_BYTES: usize = 1 << 24;
/// Messages that say that a rank has failed.
const WARNING: Tag = 21;

/// A rank that `mpirun` has started. All calls come from the thread that started it.
pub struct Mpi {
    // before the universe, whose end ends MPI
    world: SimpleCommunicator,
    _universe: Universe,
}

impl Mpi {
    /// Joins the ranks that `mpirun` has started; one rank if the program was started alone.
    ///
    /// # Errors
    /// [`Error::Request`] if MPI runs in this program already.
    pub fn start() -> Result<Self> {
        let (universe, _) =
            mpi::initialize_with_threading(Threading::Funneled).ok_or_else(|| {
                Error::request("MPI runs in this program already")
                    .with_help("start it once, and share what it returns")
            })?;
        Ok(Self { world: universe.world(), _universe: universe })
    }
}

/// Bytes `start..end` of a message, as far as it has them.
fn cut(bytes: &[u8], start: usize, end: usize) -> &[u8] {
    &bytes[start.min(bytes.len())..end.min(bytes.len())]
}

/// Counts as MPI takes them, the places that follow, and their sum.
fn layout(counts: impl Iterator<Item = usize>) -> (Vec<Count>, Vec<Count>, usize) {
    let counts: Vec<Count> = counts.map(|count| count as Count).collect();
    let place = |sum: &mut Count, &count: &Count| {
        *sum += count;
        Some(*sum - count)
    };
    let places = counts.iter().scan(0, place).collect();
    let sum = counts.iter().map(|&count| count as usize).sum();
    (counts, places, sum)
}

/// Appends to every message its part of a buffer.
fn deal(buffer: &[u8], counts: &[Count], messages: &mut [Vec<u8>]) {
    let mut rest = buffer;
    for (message, &count) in messages.iter_mut().zip(counts) {
        let (own, others) = rest.split_at(count as usize);
        message.extend_from_slice(own);
        rest = others;
    }
}

impl Group for Mpi {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn all_gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let size = self.size();
        let mut lengths = vec![0_u64; size];
        self.world.all_gather_into(&(own.len() as u64), &mut lengths[..]);
        let mut all = vec![Vec::new(); size];
        let longest = lengths.iter().copied().max().unwrap_or(0) as usize;
        let most = MAX_EXCHANGE_BYTES / size;
        for start in (0..longest).step_by(most) {
            let end = start + most;
            let part = |&length: &u64| end.min(length as usize) - start.min(length as usize);
            let (counts, places, sum) = layout(lengths.iter().map(part));
            let mut buffer = vec![0_u8; sum];
            let mut to = PartitionMut::new(&mut buffer[..], &counts[..], &places[..]);
            self.world.all_gather_varcount_into(cut(own, start, end), &mut to);
            deal(&buffer, &counts, &mut all);
        }
        all
    }

    fn warn(&self) {
        let others = (0..self.size()).filter(|&rank| rank != self.rank());
        for rank in others {
            // without content: no engine waits for the other side
            self.world.process_at_rank(rank as i32).send_with_tag(&[0_u8; 0][..], WARNING);
        }
    }

    fn is_warned(&self) -> bool {
        self.world.any_process().immediate_probe_with_tag(WARNING).is_some()
    }

    fn abort(&self, code: i32) -> ! {
        self.world.abort(code)
    }
}

impl Drop for Mpi {
    /// Takes the warnings that nobody has waited for: MPI wants none left at its end.
    fn drop(&mut self) {
        let any = self.world.any_process();
        while any.immediate_probe_with_tag(WARNING).is_some() {
            any.receive_vec_with_tag::<u8>(WARNING);
        }
    }
}

//! Patches with ribbons on the device: rows found in shared memory whenever they are used.

use super::steps::{SortStream, THREADS, array};
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::functions::LaunchShape;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::sources::{PATCHES, Variant};
use crate::error::{Error, Result};
use crate::query::{Op, PackedPatch};
use crate::topology::order::EntityKind;

/// Bytes for the rows that a block gathers at a time, where there is so much.
const GATHER_BYTES: usize = 8 << 10;
/// Below this a block would find too few.
const MIN_ROOM: usize = 2 << 10;

/// The patches of a mesh; `Patch` in `kernels/query/patches.cu`.
pub(super) struct Patches {
    count: usize,
    headers: Buffer<u32>,
    incidence: Buffer<u32>,
    ribbons: Buffer<u32>,
    // [op]: where a kernel says that a row has no room
    failed: Buffer<u32>,
    // [op]: bytes that the incidence, the ribbon and the transpose of a patch take at most
    needs: [usize; 16],
}

/// The operator over the patches' rows of `op`.
pub(super) fn variant(op: Op, text: &str, words: usize, precision: Precision) -> Variant {
    Variant::new(&PATCHES, precision)
        .with("FROM", op.from() as usize)
        .with("TO", op.to() as usize)
        .with("VIA", op.common() as usize)
        .with("WORDS", words)
        .with_text(text)
}

impl Patches {
    pub fn new(steps: &SortStream, patches: impl Iterator<Item = PackedPatch>) -> Result<Self> {
        let (mut headers, mut incidence, mut ribbons) = (Vec::new(), Vec::new(), Vec::new());
        let (mut count, mut needs) = (0, [0; 16]);
        for patch in patches {
            count += 1;
            for op in Op::ALL {
                let most: &mut usize = &mut needs[op as usize];
                *most = need(&patch, op).max(*most);
            }
            headers.push((incidence.len() / 4) as u32);
            for part in &patch.incidence {
                let words = part.as_chunks::<2>().0.iter();
                incidence.extend(words.map(|&[low, high]| u32::from(low) | u32::from(high) << 16));
                headers.push((incidence.len() / 4) as u32);
            }
            for part in [&patch.counts, &patch.owned, &patch.first, &patch.before] {
                headers.extend_from_slice(part);
            }
            for ids in &patch.ribbon {
                headers.push(ribbons.len() as u32);
                ribbons.extend_from_slice(ids);
            }
        }
        if incidence.len() / 4 > u32::MAX as usize || ribbons.len() > u32::MAX as usize {
            return Err(Error::request("the patches of the mesh take more than 64 GB")
                .with_help("use stored rows, or take the mesh in parts"));
        }
        Ok(Self {
            count,
            headers: steps.of(&headers)?,
            incidence: steps.of(&incidence)?,
            ribbons: steps.of(&ribbons)?,
            failed: Buffer::zeros(&steps.stream, 16)?,
            needs,
        })
    }

    /// A visit of all owned elements of all patches; none if there are no patches.
    pub fn visit(
        &self,
        steps: &SortStream,
        op: Op,
        variant: &Variant,
        words: Vec<u64>,
    ) -> Result<Option<Launch>> {
        if self.count == 0 {
            return Ok(None);
        }
        let shared = self.shared(op, steps.functions.device().info.shared_memory as usize)?;
        let function = steps.functions.get(variant, "visit_patches")?;
        // asks for so much memory
        function.occupancy(THREADS, shared)?;
        let arguments = vec![
            array(&self.headers),
            array(&self.incidence),
            array(&self.ribbons),
            Argument::Number(shared),
            Argument::Address(self.failed.address(op as usize)),
            Argument::Words(words.into()),
        ];
        let shape = LaunchShape { blocks: self.count as u32, threads: THREADS, shared };
        Ok(Some(Launch { name: "visit_patches".into(), function, shape, arguments }))
    }

    /// Refuses what a kernel could not do.
    pub fn check(&self, steps: &SortStream, op: Op) -> Result<()> {
        match self.failed.read_at(&steps.stream, op as usize)? {
            0 => Ok(()),
            _ => Err(Error::request(format!("a row of {op} is longer than a patch has room for"))
                .with_help("use stored rows")),
        }
    }

    /// Dynamic shared memory of a block, of the `most` that the device has.
    fn shared(&self, op: Op, most: usize) -> Result<u32> {
        let need = self.needs[op as usize];
        // some is static
        let most = most.saturating_sub(1 << 10);
        let (least, room) = if gathers(op) { (MIN_ROOM, GATHER_BYTES) } else { (0, 0) };
        if need + least > most {
            return Err(Error::request(format!(
                "a patch needs {need} bytes of shared memory for {op}, the GPU has {most}"
            ))
            .with_help("use stored rows"));
        }
        Ok((need + room).min(most).next_multiple_of(16) as u32)
    }
}

/// Kinds that a query goes by; `BOTTOM` and `TOP` in the kernel.
fn kinds(op: Op) -> (EntityKind, EntityKind) {
    let (from, to) = (op.from(), op.to());
    let other = if from == to { op.common() } else { to };
    (from.min(other), from.max(other))
}

/// `GATHERS` in the kernel.
fn gathers(op: Op) -> bool {
    matches!(op, Op::EE | Op::FF | Op::CC | Op::CE | Op::CV)
}

/// Bytes of the incidence, the ribbon and the transpose that `op` takes of a patch.
fn need(patch: &PackedPatch, op: Op) -> usize {
    let (from, to) = (op.from() as usize, op.to() as usize);
    let (bottom, top) = kinds(op);
    let parts = &patch.incidence[bottom as usize..top as usize];
    let ribbon = 4 * patch.ribbon[to].len();
    let read = parts.iter().map(|part| 2 * part.len()).sum::<usize>() + ribbon;
    if from > to {
        return read;
    }
    let entries = match (top, bottom) {
        (EntityKind::Edge, _) => patch.entries[0],
        (EntityKind::Face, _) => patch.entries[1],
        (_, EntityKind::Face) => patch.entries[2],
        _ => patch.entries[3],
    };
    let rows = if gathers(op) { patch.counts[bottom as usize] } else { patch.owned[from] };
    read + 4 * rows as usize + 2 * entries
}

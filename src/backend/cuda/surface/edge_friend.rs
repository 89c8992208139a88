//! Edge-friend on the device: one launch per level makes topology, points or both, by
//! `kernels/surface/edge_friend.cu`; the same bits as on the CPU.

use std::sync::Arc;

use cudarc::driver::{CudaStream, DeviceRepr};

use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::REFINE_THREADS as THREADS;
use crate::backend::cuda::driver::device::failed;
use crate::backend::cuda::driver::functions::Functions;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::Kernels;
use crate::backend::cuda::driver::sources::{EDGE_FRIEND, Variant};
use crate::error::{Error, Result};
use crate::numbers::Real;

/// A level on the device: `Quads` in `kernels/surface/friends.cuh`. The first has corners,
/// friends and starts, the last corners, those between owners and a friend a quad.
struct FriendLevel {
    corners: Buffer<[u32; 4]>,
    owners: Buffer<u32>,
    friends: Buffer<u32>,
    starts: Buffer<u32>,
    sharpness: Buffer<f64>,
    fixed: (Buffer<u32>, Buffer<f64>),
    quads: usize,
    vertices: usize,
}

/// A surface on the device, refined from one level to a later one (Kuth et al. 2023).
/// The first level is made on the device too.
pub struct EdgeFriends<T> {
    functions: Arc<Functions>,
    stream: Arc<CudaStream>,
    levels: Vec<FriendLevel>,
    // of every level, [vertex][3], between the first and the last [vertex][4]
    points: Vec<Buffer<T>>,
    sharp: bool,
    chaikin: bool,
}

/// What a run makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FriendRun {
    /// Topology of all levels.
    Topology,
    /// Points of all levels, whose topology stands.
    Points,
    /// Topology and points in one pass a level.
    Both,
}

pub(in crate::backend::cuda) fn variant(
    precision: Precision,
    run: FriendRun,
    sharp: bool,
    chaikin: bool,
) -> Variant {
    Variant::new(&EDGE_FRIEND, precision)
        .with("LINKS", usize::from(run != FriendRun::Points))
        .with("POINTS", usize::from(run != FriendRun::Topology))
        .with("SHARP", usize::from(sharp))
        .with("CHAIKIN", usize::from(chaikin))
}

impl<T: Real + DeviceRepr> EdgeFriends<T> {
    /// Room for a first level, by its numbers of quads and points, and for `count` more. `chaikin`:
    /// the rule of semi-sharp creases, `None` where nothing is sharp; `fixed`: vertices of the
    /// first level with a corner tag, and its sharpness.
    pub(super) fn new(
        functions: Arc<Functions>,
        quads: usize,
        vertices: usize,
        count: usize,
        chaikin: Option<bool>,
        fixed: &[(u32, f64)],
    ) -> Result<Self> {
        if count == 0 {
            return Err(Error::request("edge-friend on a GPU needs a level to refine")
                .with_help("ask for one level or more"));
        }
        let bits = usize::BITS - quads.leading_zeros();
        if count > 15 || bits + 2 * count as u32 + 2 > 32 {
            return Err(Error::request(format!("{quads} quads refined {count} times on a GPU"))
                .with_help("ask for fewer levels: corners have 32-bit ids"));
        }
        let stream = functions.new_stream()?;
        let sharp = chaikin.is_some() && quads > 0;
        let upload = |fixed: &[(u32, f64)]| -> Result<(Buffer<u32>, Buffer<f64>)> {
            let (vertices, sharpness): (Vec<u32>, Vec<f64>) = fixed.iter().copied().unzip();
            Ok((Buffer::of(&stream, &vertices)?, Buffer::of(&stream, &sharpness)?))
        };
        let mut levels = vec![FriendLevel {
            corners: Buffer::of(&stream, &vec![[0; 4]; quads])?,
            owners: Buffer::empty(&stream, 0)?,
            friends: Buffer::of(&stream, &vec![0; 2 * quads])?,
            starts: Buffer::of(&stream, &vec![u32::MAX; vertices])?,
            sharpness: Buffer::of(&stream, &vec![0.0; if sharp { quads } else { 0 }])?,
            fixed: upload(fixed)?,
            quads,
            vertices,
        }];
        let mut fixed = fixed.to_vec();
        let (mut quads, mut vertices) = (quads, vertices);
        for level in 1..=count {
            let slot = |v: u32| if v < quads as u32 { 4 * v } else { 3 * quads as u32 + v };
            fixed.retain(|(_, s)| *s > 1.0);
            fixed.iter_mut().for_each(|(v, s)| (*v, *s) = (slot(*v), *s - 1.0));
            vertices = 4 * quads + vertices.saturating_sub(quads);
            quads *= 4;
            let linked = if level == count { 0 } else { quads };
            levels.push(FriendLevel {
                corners: Buffer::empty(&stream, if linked == 0 { quads } else { 0 })?,
                owners: Buffer::empty(&stream, linked)?,
                friends: Buffer::empty(&stream, linked)?,
                starts: Buffer::empty(&stream, 0)?,
                sharpness: Buffer::zeros(&stream, if sharp { linked } else { 0 })?,
                fixed: upload(&fixed)?,
                quads,
                vertices,
            });
        }
        let room = |(at, level): (usize, &FriendLevel)| {
            let width = if at == 0 || at == count { 3 } else { 4 };
            Buffer::empty(&stream, width * level.vertices)
        };
        let points = levels.iter().enumerate().map(room).collect::<Result<_>>()?;
        stream.synchronize().map_err(failed("a copy to the device failed"))?;
        let chaikin = chaikin == Some(true);
        Ok(Self { functions, stream, levels, points, sharp, chaikin })
    }

    /// Launches of all levels after the first.
    pub(in crate::backend::cuda) fn launches(&self, run: FriendRun) -> Result<Vec<Launch>> {
        let variant = variant(T::PRECISION, run, self.sharp, self.chaikin);
        let kernels = Kernels::new(&self.functions, variant);
        let last = self.levels.len() - 2;
        let mut launches = Vec::new();
        for (at, pair) in self.levels.windows(2).enumerate() {
            let coarse = &pair[0];
            let (refine, fix) = match at {
                0 if last == 0 => ("refine_only", "fix_only"),
                0 => ("refine_first", "fix_first"),
                _ if at < last => ("refine_between", "fix_between"),
                _ => ("refine_last", "fix_last"),
            };
            let points = [at, at + 1].map(|i| Argument::Address(self.points[i].address(0)));
            let count = coarse.quads.max(coarse.vertices);
            let mut arguments = vec![self.words(at), self.words(at + 1)];
            arguments.extend(points);
            launches.push(kernels.items(refine, count, THREADS, arguments)?);
            let count = coarse.fixed.0.len();
            if count > 0 && run != FriendRun::Topology {
                launches.push(kernels.items(
                    fix,
                    count,
                    THREADS,
                    vec![
                        self.words(at),
                        Argument::Address(coarse.fixed.0.address(0)),
                        Argument::Address(coarse.fixed.1.address(0)),
                        Argument::Number(count as u32),
                        Argument::Address(self.points[at].address(0)),
                        Argument::Address(self.points[at + 1].address(0)),
                    ],
                )?);
            }
        }
        Ok(launches)
    }

    /// A level as the kernels take it; arrays that it has not are null.
    fn words(&self, depth: usize) -> Argument {
        let (level, first) = (&self.levels[depth], &self.levels[0]);
        let of = |len: usize, address: u64| if len > 0 { address } else { 0 };
        let two = |low: usize, high: usize| low as u64 | (high as u64) << 32;
        Argument::Words(Box::new([
            of(level.corners.len(), level.corners.address(0)),
            of(level.owners.len(), level.owners.address(0)),
            of(level.friends.len(), level.friends.address(0)),
            first.starts.address(0),
            of(level.sharpness.len(), level.sharpness.address(0)),
            two(level.quads, level.vertices),
            two(first.quads, first.vertices),
            depth as u64,
        ]))
    }

    /// Points of the last level, copied to the host.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn points(&self) -> Result<Vec<[T; 3]>> {
        let last = self.points.len() - 1;
        Ok(self.points[last].read(&self.stream)?.as_chunks::<3>().0.to_vec())
    }

    /// Vertices of the quads of the last level, copied to the host.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn corners(&self) -> Result<Vec<[u32; 4]>> {
        self.levels[self.levels.len() - 1].corners.read(&self.stream)
    }

    /// Quads of the last level.
    pub(crate) fn quad_count(&self) -> usize {
        self.levels.last().map_or(0, |level| level.quads)
    }

    /// Forgets the sharpness of all levels after the first: runs write it where it is above 0.
    pub(super) fn clear_sharpness(&mut self, stream: &Arc<CudaStream>) -> Result<()> {
        let mut later = self.levels[1..].iter_mut().filter(|level| level.sharpness.len() > 0);
        later.try_for_each(|level| level.sharpness.clear(stream))
    }

    /// Addresses of the first level: corners, friends, starts and sharpness; points.
    pub(super) fn first_level(&self) -> ([u64; 4], u64) {
        let level = &self.levels[0];
        let sharpness = if self.sharp { level.sharpness.address(0) } else { 0 };
        let [corners, friends] = [level.corners.address(0), level.friends.address(0)];
        let arrays = [corners, friends, level.starts.address(0), sharpness];
        (arrays, self.points[0].address(0))
    }
}

impl<T> EdgeFriends<T> {
    /// Points of the last level, unused slots included.
    pub fn point_count(&self) -> usize {
        self.levels.last().map_or(0, |level| level.vertices)
    }
}

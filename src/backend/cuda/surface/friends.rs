//! Edge-friend from the corners of a closed control mesh on: its first level by
//! `kernels/surface_first_friends.cu`, the others as in [`super::super::edge_friend`].

use super::super::Cuda;
use super::super::edge_friend::{DeviceFriends, FriendRun, Real};
use super::super::launch::{Argument, Launch};
use super::super::memory::Buffer;
use super::super::program::{Kernels, Program};
use super::super::sources::{FIRST_FRIENDS, Variant};
use super::THREADS;
use super::matrix::{DeviceMatrix, MatrixCounts};
use crate::backend::Precision;
use crate::error::{Error, Result};

/// A closed, smooth surface on the device, refined by edge-friend from its corners on.
pub struct ClosedFriends<T> {
    matrix: DeviceMatrix,
    friends: DeviceFriends<T>,
    controls: Buffer<T>,
    expected: MatrixCounts,
    /// Whether the corners have changed since the counts were looked at.
    edited: bool,
    /// By run.
    programs: [Option<Program>; 3],
}

pub(in super::super) fn variant(precision: Precision, run: FriendRun, size: u32) -> Variant {
    Variant::new(&FIRST_FRIENDS, precision)
        .with("LINKS", usize::from(run != FriendRun::Points))
        .with("POINTS", usize::from(run != FriendRun::Topology))
        .with("SIZE", size as usize)
        .with("ORIENTED", 1)
}

impl<T: Real> ClosedFriends<T> {
    /// Room for `levels` ≥ 2 levels over a closed manifold.
    ///
    /// # Errors
    /// [`Error::Request`] if it is none, for fewer levels, more than 32-bit ids allow, or too
    /// little memory.
    pub fn new(gpu: &Cuda, matrix: DeviceMatrix, levels: usize) -> Result<Self> {
        let expected = matrix.counts();
        if !expected.is_closed_manifold() || levels < 2 {
            return Err(Error::request(format!(
                "{levels} levels of edge-friend from {expected:?}"
            )));
        }
        let quads = matrix.vertices.len();
        let vertices = matrix.vertex_count + matrix.face_count + expected.edges;
        let friends = DeviceFriends::with_room(gpu, quads, vertices, levels - 1)?;
        let controls = Buffer::empty(&matrix.stream, 3 * matrix.vertex_count)?;
        let programs = [const { None }; 3];
        Ok(Self { matrix, friends, controls, expected, edited: false, programs })
    }

    /// Takes points of the control mesh.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them.
    pub fn set_points(&mut self, points: &[[T; 3]]) -> Result<()> {
        let expected = self.matrix.vertex_count;
        if points.len() != expected {
            return Err(Error::request(format!("{} points for {expected}", points.len())));
        }
        self.controls.fill(&self.matrix.stream, points.as_flattened())
    }

    /// Takes another connectivity of as many faces of the same sizes; the next run must make
    /// topology.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of corners, or vertices that are not there.
    pub fn set_corners(&mut self, vertices: &[u32]) -> Result<()> {
        self.matrix.set_corners(vertices)?;
        self.edited = true;
        Ok(())
    }

    /// Refines from the corners of the control mesh to the last level: topology, points, or
    /// both. Returns the seconds that it took on the device, where everything stays.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails; [`Error::Mesh`] if an
    /// edited surface is not closed any more.
    pub fn run(&mut self, run: FriendRun) -> Result<f64> {
        if self.edited && run == FriendRun::Points {
            return Err(Error::request("points over a topology that has changed")
                .with_mend("run topology first, or both"));
        }
        let slot = run as usize;
        let mut program = match self.programs[slot].take() {
            Some(program) => program,
            None => self.program(run)?,
        };
        // SAFETY: all arrays live in `self`, with room for what the level before makes; a level
        // that an edit has opened is not refined.
        let seconds = unsafe { program.run(&self.matrix.stream) }?;
        self.programs[slot] = Some(program);
        if self.edited {
            let found = self.matrix.read_counts()?;
            if !found.is_closed_manifold() || found.edges != self.expected.edges {
                return Err(Error::mesh(format!(
                    "the edited surface has {} open edges, {} of more than two faces, {} that two \
                     faces run through alike, and touches itself at {} vertices",
                    found.open, found.crowded, found.alike, found.touching
                ))
                .with_mend("bring it to the device anew"));
            }
            self.edited = false;
        }
        Ok(seconds)
    }

    fn program(&self, run: FriendRun) -> Result<Program> {
        let mut launches = Vec::new();
        if run != FriendRun::Points {
            launches = self.matrix.launches(true)?;
        }
        launches.push(self.first(run)?);
        launches.extend(self.friends.launches(run)?);
        Ok(Program::new(launches))
    }

    /// The first level.
    fn first(&self, run: FriendRun) -> Result<Launch> {
        let matrix = &self.matrix;
        let blocks = |items: usize| items.div_ceil(THREADS as usize) as u32;
        let (corners, edges) = (matrix.vertices.len(), self.expected.edges);
        let mut count = blocks(matrix.face_count) + blocks(edges) + blocks(matrix.vertex_count);
        if run != FriendRun::Points {
            count += blocks(corners);
        }
        let level = [
            matrix.vertices.address(0),
            matrix.edges.address(0),
            matrix.edge_corners.address(0),
            matrix.vertex_count as u64 | (matrix.face_count as u64) << 32,
            edges as u64 | (corners as u64) << 32,
        ];
        let (friends, points) = self.friends.first_level();
        let arguments = vec![
            Argument::Words(Box::new(level)),
            matrix.columns(),
            matrix.rows(),
            Argument::Words(Box::new(friends)),
            matrix.status(),
            Argument::Address(self.controls.address(0)),
            Argument::Address(points),
        ];
        let kernels = Kernels::new(&matrix.functions, variant(T::PRECISION, run, matrix.size()));
        kernels.blocks("refine_first", count, THREADS, arguments)
    }
}

impl<T> ClosedFriends<T> {
    /// The levels after the control mesh.
    pub fn friends(&self) -> &DeviceFriends<T> {
        &self.friends
    }
}

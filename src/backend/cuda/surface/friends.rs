//! Edge-friend from the corners of a control mesh on: its first level by
//! `kernels/surface_first_friends.cu`, what is sharp there as of the mesh matrix, the others as
//! in [`super::super::edge_friend`].

use std::collections::BTreeMap;

use super::super::Cuda;
use super::super::edge_friend::{DeviceFriends, FriendRun, Real};
use super::super::launch::{Argument, Launch};
use super::super::memory::Buffer;
use super::super::program::{Kernels, Program};
use super::super::sources::{FIRST_FRIENDS, Variant};
use super::THREADS;
use super::creases::{CreaseTags, Creases};
use super::ghosts::Ghosts;
use super::matrix::{DeviceMatrix, MatrixCounts};
use crate::backend::Precision;
use crate::error::{Error, Result};

/// A surface on the device, refined by edge-friend from its corners on.
pub struct SurfaceFriends<T> {
    matrix: DeviceMatrix,
    /// Of an open surface.
    ghosts: Option<Ghosts>,
    /// Of an open surface, or one with tags.
    creases: Option<Creases>,
    friends: DeviceFriends<T>,
    controls: Buffer<T>,
    expected: MatrixCounts,
    /// Whether the corners have changed since the counts were looked at.
    edited: bool,
    /// By run.
    programs: [Option<Program>; 3],
}

pub(in super::super) fn variant(
    precision: Precision,
    run: FriendRun,
    size: u32,
    open: bool,
    chaikin: Option<bool>,
) -> Variant {
    Variant::new(&FIRST_FRIENDS, precision)
        .with("LINKS", usize::from(run != FriendRun::Points))
        .with("POINTS", usize::from(run != FriendRun::Topology))
        .with("SIZE", size as usize)
        .with("ORIENTED", 1)
        .with("OPEN", usize::from(open))
        .with("SHARP", usize::from(chaikin.is_some()))
        .with("CHAIKIN", usize::from(chaikin == Some(true)))
}

impl<T: Real> SurfaceFriends<T> {
    /// Room for `levels` ≥ 2 levels over an oriented manifold. `tags`: `None` if nothing is
    /// tagged; where a surface ends it is sharp without.
    ///
    /// # Errors
    /// [`Error::Request`] if it is none, for fewer levels, more than 32-bit ids allow, or too
    /// little memory.
    pub fn new(
        gpu: &Cuda,
        matrix: DeviceMatrix,
        levels: usize,
        tags: Option<&CreaseTags>,
    ) -> Result<Self> {
        let expected = matrix.counts();
        let is_open = expected.open > 0;
        if !expected.is_manifold() || levels < 2 || is_open && tags.is_none() {
            return Err(Error::request(format!(
                "{levels} levels of edge-friend from {expected:?}"
            )));
        }
        // creases look at open edges: before these have ghosts
        let creases = tags.map(|tags| Creases::new(&matrix, tags, 1)).transpose()?;
        let pinned = match tags {
            Some(tags) => pinned(&matrix, tags)?,
            None => Vec::new(),
        };
        let ghosts = is_open.then(|| Ghosts::new(&matrix)).transpose()?;
        let (open, loops) = ghosts.as_ref().map_or((0, 0), |ghosts| (ghosts.open, ghosts.loops));
        let quads = matrix.vertices.len() + open;
        let vertices = matrix.vertex_count + matrix.face_count + loops + expected.edges;
        let chaikin = tags.map(|tags| tags.chaikin);
        let friends = DeviceFriends::with_room(gpu, quads, vertices, levels - 1, chaikin, &pinned)?;
        let controls = Buffer::empty(&matrix.stream, 3 * matrix.vertex_count)?;
        let programs = [const { None }; 3];
        Ok(Self { matrix, ghosts, creases, friends, controls, expected, edited: false, programs })
    }

    /// How many tags of edges have an edge.
    ///
    /// # Errors
    /// [`Error::Request`] if the copy fails.
    pub fn found_tags(&self) -> Result<usize> {
        self.creases.as_ref().map_or(Ok(0), |creases| creases.found_tags(&self.matrix))
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
    /// [`Error::Request`] for another number of corners, vertices that are not there, or a
    /// surface that is open or has creases.
    pub fn set_corners(&mut self, vertices: &[u32]) -> Result<()> {
        if self.creases.is_some() {
            return Err(Error::request(
                "another connectivity of a surface that is open or has creases",
            )
            .with_mend("bring the mesh to the device anew"));
        }
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
            if let Some(creases) = &self.creases {
                creases.launches(&self.matrix, |_| self.first_edge_point(), &mut launches)?;
            }
            if let Some(ghosts) = &self.ghosts {
                ghosts.launches(&self.matrix, &mut launches)?;
            }
        }
        self.first(run, &mut launches)?;
        launches.extend(self.friends.launches(run)?);
        Ok(Program::new(launches))
    }

    /// Behind the face points of the first level, ghosts' included.
    fn first_edge_point(&self) -> usize {
        let loops = self.ghosts.as_ref().map_or(0, |ghosts| ghosts.loops);
        self.matrix.vertex_count + self.matrix.face_count + loops
    }

    /// The first level.
    fn first(&self, run: FriendRun, launches: &mut Vec<Launch>) -> Result<()> {
        let matrix = &self.matrix;
        let blocks = |items: usize| items.div_ceil(THREADS as usize) as u32;
        let (corners, edges) = (matrix.vertices.len(), self.expected.edges);
        let mut count = blocks(matrix.face_count) + blocks(edges) + blocks(matrix.vertex_count);
        if run != FriendRun::Points {
            count += blocks(corners) + blocks(self.expected.open);
        }
        let level = [
            matrix.vertices.address(0),
            matrix.edges.address(0),
            matrix.edge_corners.address(0),
            matrix.vertex_count as u64 | (matrix.face_count as u64) << 32,
            edges as u64 | (corners as u64) << 32,
        ];
        let level = || Argument::Words(Box::new(level));
        let no_ghosts = || Argument::Words(Box::new([0; 2]));
        let ghosts = || self.ghosts.as_ref().map_or_else(no_ghosts, Ghosts::words);
        let (friends, points) = self.friends.first_level();
        let controls = || Argument::Address(self.controls.address(0));
        let sharp = self.creases.as_ref().map_or([0; 4], Creases::edge_arrays);
        let arguments = vec![
            level(),
            matrix.columns(),
            matrix.rows(),
            Argument::Words(Box::new(friends)),
            ghosts(),
            Argument::Words(Box::new(sharp)),
            matrix.status(),
            controls(),
            Argument::Address(points),
        ];
        let chaikin = self.creases.as_ref().map(|creases| creases.tags().chaikin);
        let open = self.ghosts.is_some();
        let variant = variant(T::PRECISION, run, matrix.size(), open, chaikin);
        let kernels = Kernels::new(&matrix.functions, variant);
        launches.push(kernels.blocks("refine_first", count, THREADS, arguments)?);
        if run == FriendRun::Topology {
            return Ok(());
        }
        if let Some(own) = &self.ghosts {
            let mut arguments = vec![level(), matrix.columns(), ghosts()];
            arguments.push(Argument::Address(friends[2]));
            arguments.extend([controls(), Argument::Address(points)]);
            launches.push(kernels.items("fill_loops", 32 * own.loops, THREADS, arguments)?);
        }
        if let Some(creases) = &self.creases {
            let (first, points) = (self.first_edge_point(), [self.controls.address(0), points]);
            let hold = creases.level(0).launch(&matrix.functions, T::PRECISION, first, points)?;
            launches.extend(hold);
        }
        Ok(())
    }
}

/// Vertices that stay, wholly or in part, at the first level, and their sharpness there.
fn pinned(matrix: &DeviceMatrix, tags: &CreaseTags) -> Result<Vec<(u32, f64)>> {
    let tagged = tags.vertices.iter().copied().zip(tags.vertex_sharpness.iter().copied());
    let mut pinned: BTreeMap<u32, f64> = tagged.collect();
    if tags.keeps_corners {
        pinned.extend(matrix.lone_vertices()?.into_iter().map(|v| (v, f64::INFINITY)));
    }
    Ok(pinned.into_iter().filter(|(_, s)| *s > 1.0).map(|(v, s)| (v, s - 1.0)).collect())
}

impl<T> SurfaceFriends<T> {
    /// Open edges of the control mesh: ghost quads of the first level.
    pub fn ghost_count(&self) -> usize {
        self.expected.open
    }

    /// The levels after the control mesh.
    pub fn friends(&self) -> &DeviceFriends<T> {
        &self.friends
    }
}

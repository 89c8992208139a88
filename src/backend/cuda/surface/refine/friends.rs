//! Edge-friend from the corners of a control mesh on: its first level by
//! `kernels/surface/first_friends.cu`, what is sharp there as of the mesh matrix, the others as
//! in [`crate::backend::cuda::surface::edge_friend`].

use crate::numbers::Real;
use cudarc::driver::DeviceRepr;
use std::collections::BTreeMap;

use super::THREADS;
use super::creases::{CreaseArrays, CreaseTags};
use super::ghosts::Ghosts;
use super::matrix::{MatrixCounts, SurfaceMatrix};
use crate::backend::Precision;
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::launch::{Argument, Launch};
use crate::backend::cuda::driver::program::{Kernels, Program};
use crate::backend::cuda::driver::sources::{FIRST_FRIENDS, Variant};
use crate::backend::cuda::surface::edge_friend::{EdgeFriends, FriendRun};
use crate::error::{Error, Result};
use crate::mesh::check_point_count;

/// A surface on the device, refined by edge-friend from its corners on.
pub struct SurfaceFriends<T> {
    matrix: SurfaceMatrix,
    tags: CreaseTags,
    levels: usize,
    rooms: FriendArrays<T>,
    controls: Buffer<T>,
    /// Whether the corners have changed since the counts were read.
    edited: bool,
}

/// What is as large as the connectivity says.
struct FriendArrays<T> {
    expected: MatrixCounts,
    /// Ghost quads of an open surface.
    ghosts: Option<Ghosts>,
    /// Creases of a surface that is open or has tags.
    creases: Option<CreaseArrays>,
    /// Fixed vertices of the first level, which stay wholly or in part, and their sharpness there.
    fixed: Vec<(u32, f64)>,
    friends: EdgeFriends<T>,
    /// By run.
    programs: [Option<Program>; 3],
}

pub(in crate::backend::cuda) fn variant(
    precision: Precision,
    run: FriendRun,
    size: u32,
    boundary: bool,
    chaikin: Option<bool>,
) -> Variant {
    Variant::new(&FIRST_FRIENDS, precision)
        .with("LINKS", usize::from(run != FriendRun::Points))
        .with("POINTS", usize::from(run != FriendRun::Topology))
        .with("SIZE", size as usize)
        .with("ORIENTED", 1)
        .with("HAS_BOUNDARY", usize::from(boundary))
        .with("SHARP", usize::from(chaikin.is_some()))
        .with("CHAIKIN", usize::from(chaikin == Some(true)))
}

impl<T: Real + DeviceRepr> FriendArrays<T> {
    /// Room for `levels` levels over the present connectivity.
    fn new(matrix: &SurfaceMatrix, tags: &CreaseTags, levels: usize) -> Result<Self> {
        let expected = matrix.counts();
        let has_boundary = expected.boundary > 0;
        let is_smooth = !has_boundary && tags.edges.is_empty() && tags.vertices.is_empty();
        // creases look at boundary edges: before these have ghosts
        let creases = (!is_smooth).then(|| CreaseArrays::new(matrix, tags, 1)).transpose()?;
        let fixed = if is_smooth { Vec::new() } else { fixed(matrix, tags)? };
        let ghosts = has_boundary.then(|| Ghosts::new(matrix)).transpose()?;
        let (boundary, loops) =
            ghosts.as_ref().map_or((0, 0), |ghosts| (ghosts.boundary, ghosts.loops));
        let quads = matrix.vertices.len() + boundary;
        let vertices = matrix.vertex_count + matrix.face_count + loops + expected.edges;
        let friends = EdgeFriends::new(
            matrix.functions.clone(),
            quads,
            vertices,
            levels - 1,
            creases.as_ref().map(|creases| creases.tags().chaikin),
            &fixed,
        )?;
        let programs = [const { None }; 3];
        Ok(Self { expected, ghosts, creases, fixed, friends, programs })
    }

    fn has_edges_of(&self, matrix: &SurfaceMatrix) -> bool {
        let of = |counts: MatrixCounts| [counts.edges, counts.boundary];
        of(matrix.counts()) == of(self.expected)
    }

    /// Whether the connectivity that the last run has found is as large as the one before.
    fn fit(&self, matrix: &SurfaceMatrix) -> Result<bool> {
        if !self.has_edges_of(matrix) {
            return Ok(false);
        }
        if let Some(ghosts) = &self.ghosts
            && ghosts.found_loops(matrix)? != ghosts.loops
        {
            return Ok(false);
        }
        match &self.creases {
            Some(creases) => {
                Ok(creases.fits(matrix)? && fixed(matrix, creases.tags())? == self.fixed)
            }
            None => Ok(true),
        }
    }
}

impl<T: Real + DeviceRepr> SurfaceFriends<T> {
    /// Room for `levels` ≥ 2 levels over an oriented manifold. `tags` may be empty; where a
    /// surface ends it is sharp without.
    ///
    /// # Errors
    /// [`Error::Request`] if it is none, for fewer levels, more than 32-bit ids allow, or too
    /// little memory.
    pub fn new(matrix: SurfaceMatrix, levels: usize, tags: CreaseTags) -> Result<Self> {
        let expected = matrix.counts();
        if !expected.is_manifold() || levels < 2 {
            return Err(Error::request(format!(
                "{levels} levels of edge-friend from {expected:?}"
            ))
            .with_help(
                "refine a manifold surface by two levels or more, or take the matrix method",
            ));
        }
        let rooms = FriendArrays::new(&matrix, &tags, levels)?;
        let controls = Buffer::empty(&matrix.stream, 3 * matrix.vertex_count)?;
        Ok(Self { matrix, tags, levels, rooms, controls, edited: false })
    }

    /// How many tags of edges have an edge.
    pub(crate) fn found_tags(&self) -> Result<usize> {
        let creases = self.rooms.creases.as_ref();
        creases.map_or(Ok(0), |creases| creases.found_tags(&self.matrix))
    }

    /// Takes points of the control mesh.
    ///
    /// # Errors
    /// [`Error::Request`] for another number of them.
    pub fn set_points(&mut self, points: &[[T; 3]]) -> Result<()> {
        check_point_count(points.len(), self.matrix.vertex_count)?;
        self.controls.fill(&self.matrix.stream, points.as_flattened())
    }

    /// Takes another connectivity of as many faces of the same sizes; the next run must make
    /// topology. Tags stay at their vertices.
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
    /// An edited connectivity with other numbers of edges, boundary edges and loops, sharp edges or
    /// sharp vertices gets new rooms first; otherwise it takes as long as any.
    ///
    /// # Errors
    /// [`Error::Request`] with the driver's words if a kernel fails; [`Error::Mesh`] if an
    /// edited surface is not an oriented manifold any more, or a tag has lost its edge.
    pub fn run(&mut self, run: FriendRun) -> Result<f64> {
        if !self.edited {
            return self.launch(run);
        }
        if run == FriendRun::Points {
            return Err(Error::request("points over a topology that has changed")
                .with_help("run topology first, or both"));
        }
        let mut seconds = 0.0;
        if self.rooms.creases.is_some() {
            // loops are followed on manifolds only
            seconds += self.matrix.build()?;
            check_edited(self.matrix.counts())?;
            if !self.rooms.has_edges_of(&self.matrix) {
                self.rooms = FriendArrays::new(&self.matrix, &self.tags, self.levels)?;
            }
            self.rooms.friends.clear_sharpness(&self.matrix.stream)?;
        }
        // what does not fit its rooms stays within them
        seconds += self.launch(run)?;
        check_edited(self.matrix.read_counts()?)?;
        if !self.rooms.fit(&self.matrix)? {
            self.rooms = FriendArrays::new(&self.matrix, &self.tags, self.levels)?;
            seconds += self.launch(run)?;
        }
        let (found, expected) = (self.found_tags()?, self.tags.edges.len());
        if found != expected {
            return Err(Error::mesh(format!(
                "{} of {expected} creases are not edges of the edited surface",
                expected - found
            ))
            .with_help("remove the tags, or upload the mesh to the device again"));
        }
        self.edited = false;
        Ok(seconds)
    }

    fn launch(&mut self, run: FriendRun) -> Result<f64> {
        let slot = run as usize;
        let mut program = match self.rooms.programs[slot].take() {
            Some(program) => program,
            None => self.program(run)?,
        };
        // SAFETY: all arrays live in `self`, with room for the output of the level before; a level
        // that does not fit is not refined.
        let seconds = unsafe { program.run(&self.matrix.stream) }?;
        self.rooms.programs[slot] = Some(program);
        Ok(seconds)
    }

    fn program(&self, run: FriendRun) -> Result<Program> {
        let mut launches = Vec::new();
        if run != FriendRun::Points {
            launches = self.matrix.launches(true)?;
            if let Some(creases) = &self.rooms.creases {
                creases.launches(&self.matrix, |_| self.first_edge_point(), &mut launches)?;
            }
            if let Some(ghosts) = &self.rooms.ghosts {
                ghosts.launches(&self.matrix, &mut launches)?;
            }
        }
        self.first(run, &mut launches)?;
        launches.extend(self.rooms.friends.launches(run)?);
        Ok(Program::new(launches))
    }

    /// Behind the face points of the first level, ghosts' included.
    fn first_edge_point(&self) -> usize {
        let loops = self.rooms.ghosts.as_ref().map_or(0, |ghosts| ghosts.loops);
        self.matrix.vertex_count + self.matrix.face_count + loops
    }

    /// The first level.
    fn first(&self, run: FriendRun, launches: &mut Vec<Launch>) -> Result<()> {
        let matrix = &self.matrix;
        let blocks = |items: usize| items.div_ceil(THREADS as usize) as u32;
        let (corners, edges) = (matrix.vertices.len(), self.rooms.expected.edges);
        let mut count = blocks(matrix.face_count) + blocks(edges) + blocks(matrix.vertex_count);
        if run != FriendRun::Points {
            count += blocks(corners) + blocks(self.rooms.expected.boundary);
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
        let ghosts = || self.rooms.ghosts.as_ref().map_or_else(no_ghosts, Ghosts::words);
        let (friends, points) = self.rooms.friends.first_level();
        let controls = || Argument::Address(self.controls.address(0));
        let sharp = self.rooms.creases.as_ref().map_or([0; 4], CreaseArrays::edge_arrays);
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
        let chaikin = self.rooms.creases.as_ref().map(|creases| creases.tags().chaikin);
        let boundary = self.rooms.ghosts.is_some();
        let variant = variant(T::PRECISION, run, matrix.size(), boundary, chaikin);
        let kernels = Kernels::new(&matrix.functions, variant);
        launches.push(kernels.blocks("refine_first", count, THREADS, arguments)?);
        if run == FriendRun::Topology {
            return Ok(());
        }
        if let Some(own) = &self.rooms.ghosts {
            let mut arguments = vec![level(), matrix.columns(), ghosts()];
            arguments.push(Argument::Address(friends[2]));
            arguments.extend([controls(), Argument::Address(points)]);
            launches.push(kernels.items("fill_loops", 32 * own.loops, THREADS, arguments)?);
        }
        if let Some(creases) = &self.rooms.creases {
            let (first, points) = (self.first_edge_point(), [self.controls.address(0), points]);
            let sharpen =
                creases.level(0).launch(&matrix.functions, T::PRECISION, first, points)?;
            launches.extend(sharpen);
        }
        Ok(())
    }
}

/// Refuses what edge-friend cannot refine.
fn check_edited(found: MatrixCounts) -> Result<()> {
    if found.is_manifold() {
        return Ok(());
    }
    Err(Error::mesh(format!(
        "the edited surface has {} edges of more than two faces, {} of two faces that are \
         inconsistently oriented, and touches itself at {} vertices",
        found.non_manifold, found.inconsistent, found.touching
    ))
    .with_help("refine it by the mesh matrix"))
}

/// Fixed vertices of the first level, which stay wholly or in part, and their sharpness there.
fn fixed(matrix: &SurfaceMatrix, tags: &CreaseTags) -> Result<Vec<(u32, f64)>> {
    let tagged = tags.vertices.iter().copied().zip(tags.vertex_sharpness.iter().copied());
    let mut fixed: BTreeMap<u32, f64> = tagged.collect();
    if tags.keeps_corners {
        fixed.extend(matrix.lone_vertices()?.into_iter().map(|v| (v, f64::INFINITY)));
    }
    Ok(fixed.into_iter().filter(|(_, s)| *s > 1.0).map(|(v, s)| (v, s - 1.0)).collect())
}

impl<T> SurfaceFriends<T> {
    /// Boundary edges of the control mesh: ghost quads of the first level.
    pub(crate) fn ghost_count(&self) -> usize {
        self.rooms.expected.boundary
    }

    /// The levels after the control mesh.
    pub fn friends(&self) -> &EdgeFriends<T> {
        &self.rooms.friends
    }
}

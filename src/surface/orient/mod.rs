//! Surfaces whose faces look outward.
//!
//! Two faces at an edge run through it in opposite directions if they look to the same side. So
//! the faces of a shell follow from one of them; which of the two ways is outward follows from the
//! volume inside, and from the shells around.

mod crossings;
mod defects;
mod report;

use nalgebra::Vector3;
use rayon::prelude::*;

use crate::error::IdKind::Face;
use crate::error::{Error, Result, edge};
use crate::mesh::{SurfaceMesh, UnionFind, area_normal};
use crate::numbers::sorted_unique;
use crate::topology::surface::SurfaceTopology;
use crate::topology::{NONE, Rows};
use crossings::{Crossing, Crossings};
pub(crate) use defects::{inner_wall, t_junction};
pub use report::{OrientedShell, OrientedShells, ShellKind};

/// A volume below this fraction of the cones over its faces is rounding.
const MIN_VOLUME_FRACTION: f64 = 1e-12;

/// Places inside a shell at which the shells around it are looked for, at most.
const PLACES: usize = 16;

/// Faces steeper than this cosine hardly have a place inside above or below their middles.
const MIN_COSINE: f64 = 0.1;

/// Which way a shell looks that lies in the material of others; one that does not looks outward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum NestedShells {
    /// As it does to the shell around it: reversed if that is.
    #[default]
    Keep,
    /// Inward: a cavity.
    Cavities,
}

/// Turns faces so that all of a shell agree, and shells so that they look outward: those in no
/// material of others have a positive volume, others are `nested`. Creases, attributes and ids stay;
/// normals of vertices turn with all of their faces.
///
/// A shell is around another if it holds places inside it that are spread over it, and is not
/// smaller. Sides and volumes are taken from the control mesh.
///
/// # Errors
/// As [`SurfaceMesh::check`]; [`Error::Mesh`], with two faces and their edge, for a shell with one
/// side only, such as a Möbius band.
pub fn orient(mesh: &mut SurfaceMesh, nested: NestedShells) -> Result<OrientedShells> {
    mesh.check()?;
    mesh.check_control()?;
    let topology = SurfaceTopology::of(mesh);
    let mut shells = Shells::new(&mesh.points, &topology)?;
    shells.turn_outward(&Crossings::new(&mesh.points, &topology), nested);
    let Shells { reversed, found, .. } = shells;
    if reversed.contains(&true) {
        reverse_faces(mesh, &reversed);
    }
    Ok(OrientedShells(found))
}

/// Faces in shells, which of them are reversed, and facts about each shell.
struct Shells {
    // [face]
    numbers: Vec<u32>,
    reversed: Vec<bool>,
    // [shell]
    found: Vec<OrientedShell>,
    faces: Vec<Vec<u32>>,
    // six times those inside, as reversed; 0 of open shells
    volumes: Vec<f64>,
}

impl Shells {
    /// Shells whose faces agree, most of them as they were.
    fn new(points: &[[f64; 3]], topology: &SurfaceTopology) -> Result<Self> {
        let (patches, reversed) = agreeing_patches(topology)?;
        let looks = |corner: u32, ends: [u32; 2]| {
            let face = topology.columns.face(corner) as usize;
            (
                patches[face],
                if (topology.vertex(corner) == ends[0]) == reversed[face] { -1 } else { 1 },
            )
        };
        // patches that do not close by themselves at an edge of several faces are one shell
        let mut joined = UnionFind::new(topology.face_count);
        let (rows, mut open) = (topology.non_manifold_corners(), Vec::new());
        for (&edge, corners) in topology.non_manifold_edges.iter().zip(rows.iter()) {
            let ends = topology.edge_ends(edge);
            let mut sides: Vec<(u32, i32)> = corners.iter().map(|&c| looks(c, ends)).collect();
            sides.sort_unstable();
            let sum = |sides: &[(u32, i32)]| sides.iter().map(|side| side.1).sum::<i32>();
            let left = || sides.chunk_by(|a, b| a.0 == b.0).filter(|own| sum(own) != 0);
            let Some(first) = left().next() else { continue };
            left().for_each(|own| _ = joined.join(first[0].0, own[0].0));
            if sum(&sides) != 0 {
                open.push((first[0].0, ends));
            }
        }
        for (&[corner, other], edge) in topology.edge_corners.iter().zip(0..) {
            if other == NONE {
                let patch = patches[topology.columns.face(corner) as usize];
                open.push((patch, topology.edge_ends(edge)));
            }
        }
        let mut shells = Self {
            numbers: patches,
            reversed,
            found: Vec::new(),
            faces: Vec::new(),
            volumes: Vec::new(),
        };
        let mut of_root = vec![NONE; topology.face_count];
        for face in 0..topology.face_count as u32 {
            let root = joined.root(shells.numbers[face as usize]) as usize;
            if of_root[root] == NONE {
                of_root[root] = shells.found.len() as u32;
                let kind = ShellKind::Body;
                let shell = OrientedShell { face, faces: 0, reversed: 0, around: None, kind };
                shells.found.push(shell);
                shells.faces.push(Vec::new());
            }
            shells.numbers[face as usize] = of_root[root];
            shells.faces[of_root[root] as usize].push(face);
        }
        for (patch, ends) in open.into_iter().rev() {
            let root = joined.root(patch) as usize;
            shells.found[of_root[root] as usize].kind = ShellKind::Open(ends);
        }
        for number in 0..shells.found.len() {
            shells.weigh(points, topology, number);
        }
        Ok(shells)
    }

    /// Finds the volume of a closed shell.
    fn weigh(&mut self, points: &[[f64; 3]], topology: &SurfaceTopology, number: usize) {
        let (shell, faces) = (&mut self.found[number], &self.faces[number]);
        shell.faces = faces.len();
        let at = |v: u32| Vector3::from(points[v as usize]);
        let origin = at(topology.face(faces[0] as usize)[0]);
        let (mut volume, mut size) = (0.0, 0.0);
        for &face in faces {
            // exact for bilinear quads, and for fans around the middle of a planar polygon
            let corners = topology.face(face as usize);
            let sum: Vector3<f64> = corners.iter().map(|&v| at(v) - origin).sum();
            let cone = sum.dot(&area_normal(points, corners)) / corners.len() as f64;
            volume += if self.reversed[face as usize] { -cone } else { cone };
            size += f64::abs(cone);
        }
        let is_open = matches!(shell.kind, ShellKind::Open(_));
        let is_flat = f64::abs(volume) <= MIN_VOLUME_FRACTION * size;
        if is_flat && !is_open {
            shell.kind = ShellKind::Flat;
        }
        self.volumes.push(if is_flat || is_open { 0.0 } else { volume });
    }

    /// Turns closed shells, the largest first.
    fn turn_outward(&mut self, crossings: &Crossings<'_>, nested: NestedShells) {
        let volumes: Vec<f64> = self.volumes.iter().map(|volume| volume.abs()).collect();
        let mut order: Vec<usize> = (0..volumes.len()).filter(|&s| volumes[s] > 0.0).collect();
        order.sort_by(|&a, &b| volumes[b].total_cmp(&volumes[a]).then(a.cmp(&b)));
        let mut rank = vec![usize::MAX; volumes.len()];
        order.iter().enumerate().for_each(|(i, &shell)| rank[shell] = i);
        let all_around: Vec<Vec<usize>> =
            order.par_iter().map(|&number| self.around(crossings, number)).collect();
        let mut shell_reversed = vec![false; volumes.len()];
        for &number in &order {
            let around =
                || all_around[rank[number]].iter().copied().filter(|&o| rank[o] < rank[number]);
            let smallest = around().max_by_key(|&other| rank[other]);
            let looks =
                |other: usize, shell_reversed: bool| (self.volumes[other] > 0.0) != shell_reversed;
            let material: i32 =
                around().map(|o| if looks(o, shell_reversed[o]) { 1 } else { -1 }).sum();
            let outward = match nested {
                _ if material <= 0 => true,
                NestedShells::Keep => {
                    looks(number, smallest.is_some_and(|other| shell_reversed[other]))
                }
                NestedShells::Cavities => false,
            };
            shell_reversed[number] = looks(number, outward);
            let around = smallest.map(|other| self.found[other].face);
            let shell = &mut self.found[number];
            shell.around = around;
            shell.kind = match (outward, material > 0) {
                (true, false) => ShellKind::Body,
                (true, true) => ShellKind::Filled,
                (false, _) => ShellKind::Cavity,
            };
        }
        for (face, &number) in self.numbers.iter().enumerate() {
            self.reversed[face] ^= shell_reversed[number as usize];
            self.found[number as usize].reversed += usize::from(self.reversed[face]);
        }
    }

    /// The closed shells around all places that are looked at inside one.
    fn around(&self, crossings: &Crossings<'_>, number: usize) -> Vec<usize> {
        let is_flat_enough = |face: &&u32| crossings.cosine(**face) >= MIN_COSINE;
        let mut faces: Vec<&u32> = self.faces[number].iter().filter(is_flat_enough).collect();
        if faces.is_empty() {
            faces = self.faces[number].iter().collect();
        }
        let lines = faces.iter().step_by(faces.len().div_ceil(PLACES));
        let places = lines.filter_map(|&&face| self.place_inside(crossings, number, face));
        let common = places.reduce(|mut common, around| {
            common.retain(|shell| around.contains(shell));
            common
        });
        common.unwrap_or_default()
    }

    /// The closed shells around the middle of the longest part inside a shell of the vertical line
    /// through one of its faces; `None` if no part of the line is inside.
    fn place_inside(
        &self,
        crossings: &Crossings<'_>,
        number: usize,
        face: u32,
    ) -> Option<Vec<usize>> {
        let shell_of = |crossing: &Crossing| self.numbers[crossing.face as usize] as usize;
        let sign = |c: &Crossing| if self.reversed[c.face as usize] { -c.up } else { c.up };
        let mut all = crossings.at(crossings.inside(face));
        all.sort_by(|a, b| a.height.total_cmp(&b.height));
        let (mut winding, mut longest, mut last) = (0, [0.0; 2], 0.0);
        for crossing in all.iter().filter(|crossing| shell_of(crossing) == number) {
            if winding != 0 && crossing.height - last > longest[1] - longest[0] {
                longest = [last, crossing.height];
            }
            (winding, last) = (winding + sign(crossing), crossing.height);
        }
        let height = 0.5 * (longest[0] + longest[1]);
        if height <= longest[0] {
            return None;
        }
        let mut around: Vec<(usize, i32)> =
            all.iter().filter(|c| c.height > height).map(|c| (shell_of(c), sign(c))).collect();
        around.sort_unstable();
        let sums = around.chunk_by(|a, b| a.0 == b.0);
        let wound = sums.filter(|own| own.iter().map(|crossing| crossing.1).sum::<i32>() != 0);
        Some(wound.map(|own| own[0].0).collect())
    }
}

/// The patch of each face, its first face: faces connected by edges of two, walls left out. And
/// which faces are reversed so that a patch agrees: the fewer ones. Walls go with a patch
/// next to them, and those in one place look to different sides.
fn agreeing_patches(topology: &SurfaceTopology) -> Result<(Vec<u32>, Vec<bool>)> {
    let rows = topology.non_manifold_corners();
    let pairs = walls(topology, &rows);
    let mut is_wall = vec![false; topology.face_count];
    pairs.as_flattened().iter().for_each(|&face| is_wall[face as usize] = true);
    let mut patches = vec![NONE; topology.face_count];
    let mut reversed = vec![false; topology.face_count];
    let mut patch = Vec::new();
    for first in 0..topology.face_count as u32 {
        if patches[first as usize] != NONE {
            continue;
        }
        patches[first as usize] = first;
        patch.clear();
        patch.push(first);
        let mut next = 0;
        while next < patch.len() {
            let face = patch[next];
            next += 1;
            for corner in topology.columns.corners(face) {
                let shared = topology.edges[corner as usize];
                let all = match topology.non_manifold_edges.binary_search(&shared) {
                    Ok(row) => rows.row(row),
                    Err(_) => &topology.edge_corners[shared as usize],
                };
                let is_wall = |&c: &u32| c != NONE && is_wall[topology.columns.face(c) as usize];
                for wall in all.iter().filter(|&c| is_wall(c)) {
                    let wall = topology.columns.face(*wall);
                    if patches[wall as usize] == NONE {
                        patches[wall as usize] = first;
                        patch.push(wall);
                    }
                }
                let mut others = all.iter().copied().filter(|c| !is_wall(c));
                let (Some(a), Some(b), None) = (others.next(), others.next(), others.next()) else {
                    continue;
                };
                if b == NONE || is_wall(&corner) {
                    continue;
                }
                let other = topology.columns.face(if a == corner { b } else { a });
                let agrees = topology.vertex(a) != topology.vertex(b);
                let wanted = reversed[face as usize] == agrees;
                if patches[other as usize] == NONE {
                    (patches[other as usize], reversed[other as usize]) = (first, wanted);
                    patch.push(other);
                } else if reversed[other as usize] != wanted {
                    return Err(Error::mesh(message!(
                        Face.ids([face, other]),
                        " cannot look to one side at ",
                        edge(topology.edge_ends(shared)),
                        ": the shell of ",
                        Face.id(first),
                        " returns to itself turned, as a Möbius band does"
                    ))
                    .with_help("cut it there, or remove one of the faces"));
                }
            }
        }
        let count = patch.iter().filter(|&&face| reversed[face as usize]).count();
        if 2 * count > patch.len() {
            patch.iter().for_each(|&face| reversed[face as usize] ^= true);
        }
    }
    for [a, b] in pairs {
        let follows = |face: u32| {
            let corners = topology.face(face as usize);
            let at = corners.iter().position(|&v| v == topology.face(a as usize)[0]);
            corners[(at.unwrap_or_default() + 1) % corners.len()]
        };
        if (follows(a) == follows(b)) == (reversed[a as usize] == reversed[b as usize]) {
            // as the faces of the same body that are listed beside it
            let beside = |face: u32| {
                let [before, after] = [(face as usize).wrapping_sub(1), face as usize + 1];
                [before, after].iter().any(|&f| reversed.get(f) == Some(&true))
            };
            let face = if beside(a) && !beside(b) { a } else { b };
            reversed[face as usize] ^= true;
        }
    }
    Ok((patches, reversed))
}

/// Pairs of faces in one place where bodies touch, of other faces at some of their edges.
fn walls(topology: &SurfaceTopology, rows: &Rows) -> Vec<[u32; 2]> {
    let face = |&corner: &u32| topology.columns.face(corner);
    let mut places: Vec<(Vec<u32>, u32)> = sorted_unique(rows.items().iter().map(face).collect())
        .into_iter()
        .map(|face| (sorted_unique(topology.face(face as usize).to_vec()), face))
        .collect();
    places.sort_unstable();
    let twice = places.chunk_by(|a, b| a.0 == b.0).filter(|own| own.len() == 2);
    let mut pairs: Vec<[u32; 2]> = twice.map(|own| [own[0].1, own[1].1]).collect();
    let mut is_twice = vec![false; topology.face_count];
    pairs.as_flattened().iter().for_each(|&face| is_twice[face as usize] = true);
    // a body that is there twice has no edge of two other faces
    let (mut joined, mut seams) = (UnionFind::new(topology.face_count), Vec::new());
    for corners in rows.iter() {
        let (own, others): (Vec<u32>, Vec<u32>) =
            corners.iter().map(face).partition(|&face| is_twice[face as usize]);
        own.windows(2).for_each(|two| _ = joined.join(two[0], two[1]));
        seams.extend(own.first().filter(|_| others.len() == 2));
    }
    let mut is_seam = vec![false; topology.face_count];
    seams.into_iter().for_each(|face| is_seam[joined.root(face) as usize] = true);
    pairs.retain(|pair| is_seam[joined.root(pair[0]) as usize]);
    pairs
}

/// Lists the corners of faces in the other direction, from the same corner on.
fn reverse_faces(mesh: &mut SurfaceMesh, reversed: &[bool]) {
    let mut vertices = mesh.faces.vertices().to_vec();
    let mut is_reversed = vec![true; mesh.points.len()];
    for (face, &reversed) in reversed.iter().enumerate() {
        let corners = mesh.faces.corners(face);
        if !reversed {
            vertices[corners].iter().for_each(|&v| is_reversed[v as usize] = false);
            continue;
        }
        vertices[corners.clone()][1..].reverse();
        if let Some(uv) = &mut mesh.uv {
            uv.corners[corners][1..].reverse();
        }
    }
    mesh.faces.set_vertices(vertices);
    if let Some(mut normals) = mesh.normals().map(<[_]>::to_vec) {
        let of_reversed =
            normals.iter_mut().zip(is_reversed).filter(|(_, is_reversed)| *is_reversed);
        of_reversed.for_each(|(normal, _)| *normal = normal.map(|x| -x));
        mesh.set_normals(normals);
    }
}

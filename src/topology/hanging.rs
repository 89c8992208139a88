//! Faces of one cell that several cells cover from the other side: meshes with hanging nodes.

use std::collections::{BTreeSet, VecDeque};

use nalgebra::Vector3;

use super::Topology;
use crate::error::IdKind::{Cell, Face, Vertex};
use crate::error::{Command, Error};
use crate::mesh::area_normal;

/// Faces that one face may be covered by, to be found.
const MAX_COVER: usize = 4096;
/// How far beyond a face vertices may lie that are on it, as a part of its size.
const TOLERANCE: f64 = 1e-4;

/// The plane of a face, and its edges.
struct FaceFrame<'a> {
    points: &'a [[f64; 3]],
    cycle: &'a [u32],
    center: Vector3<f64>,
    normal: Vector3<f64>,
    size: f64,
    // distance from the plane that a vertex on the face may have: its own corners have as much
    height: f64,
}

impl<'a> FaceFrame<'a> {
    fn of(points: &'a [[f64; 3]], cycle: &'a [u32]) -> Option<Self> {
        let corners = || cycle.iter().map(|&v| Vector3::from(points[v as usize]));
        let center = corners().sum::<Vector3<f64>>() / cycle.len() as f64;
        let normal = area_normal(points, cycle).try_normalize(0.0)?;
        let size = corners().map(|p| (p - center).norm()).fold(0.0, f64::max);
        let height = corners().map(|p| (p - center).dot(&normal).abs()).fold(0.0, f64::max);
        let height = height + TOLERANCE * size;
        Some(Self { points, cycle, center, normal, size, height })
    }

    fn has(&self, v: u32) -> bool {
        let p = Vector3::from(self.points[v as usize]);
        let is_within = |(i, &a): (usize, &u32)| {
            let b = self.cycle[(i + 1) % self.cycle.len()];
            let [a, b] = [a, b].map(|v| Vector3::from(self.points[v as usize]));
            let inward = self.normal.cross(&(b - a));
            (p - a).dot(&inward) >= -TOLERANCE * self.size * inward.norm()
        };
        (p - self.center).dot(&self.normal).abs() <= self.height
            && self.cycle.iter().enumerate().all(is_within)
    }
}

/// The error of the first face that smaller ones cover, which look the other way and have vertices
/// on it that it does not have itself.
pub(crate) fn hanging_nodes(topology: &Topology, points: &[[f64; 3]]) -> Option<Error> {
    let boundary = (0..topology.face_count() as u32).filter(|&f| topology.is_boundary_face(f));
    boundary.into_iter().find_map(|face| {
        let frame = FaceFrame::of(points, topology.face_vertices(face))?;
        let cover = cover(topology, &frame);
        let corners = cover.iter().flat_map(|&f| topology.face_vertices(f));
        let hanging: BTreeSet<u32> =
            corners.copied().filter(|v| !frame.cycle.contains(v)).collect();
        if hanging.is_empty() {
            return None;
        }
        let cells: BTreeSet<u32> = cover.iter().map(|&f| topology.face_cells(f)[0]).collect();
        let cell = topology.face_cells(face)[0];
        let message = message!(
            Face.id(face),
            " of ",
            Cell.id(cell),
            ", that of ",
            Vertex.ids(frame.cycle.iter().copied()),
            ", is covered by ",
            Cell.ids(cells),
            ": ",
            Vertex.ids(hanging.iter().copied()),
            if hanging.len() == 1 { " hangs there" } else { " hang there" }
        );
        Some(Error::mesh(message).with_help(message!(
            "cells must meet in whole faces: put layers of cells between the two sizes, where four \
             faces cover one (",
            Command::Conform,
            "), refine ",
            Cell.id(cell),
            " too, or have the mesher write a conforming mesh"
        )))
    })
}

/// Boundary faces within a face that look the other way, each of which touches the face or another
/// one.
fn cover(topology: &Topology, frame: &FaceFrame) -> Vec<u32> {
    let is_on = |f: u32| {
        let cycle = topology.face_vertices(f);
        topology.is_boundary_face(f)
            && area_normal(frame.points, cycle).dot(&frame.normal) < 0.0
            && cycle.iter().all(|&v| frame.has(v))
    };
    let mut found = Vec::new();
    let mut seen: BTreeSet<u32> = frame.cycle.iter().copied().collect();
    let mut next: VecDeque<u32> = frame.cycle.iter().copied().collect();
    while let Some(v) = next.pop_front() {
        for &f in topology.vertex_faces(v) {
            if found.len() < MAX_COVER && !found.contains(&f) && is_on(f) {
                found.push(f);
                next.extend(topology.face_vertices(f).iter().filter(|&&v| seen.insert(v)));
            }
        }
    }
    found
}

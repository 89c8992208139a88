//! Walking around vertices, from face to face across edges that are not infinitely sharp.
//!
//! The walk does not ask for an orientation of the mesh: a frame carries its own.

use super::connectivity::Connectivity;
use super::rules::LimitRule;

/// A face seen from one of its corners, the *origin*: u runs to the next corner, v to the
/// one before; the other way round if mirrored. From u to v is a left turn here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FaceFrame {
    pub face: u32,
    /// Position of the origin in the face's cycle.
    pub corner: u32,
    pub mirrored: bool,
}

impl FaceFrame {
    /// `face` seen from one of its corners along its own axes.
    pub fn new(face: u32, corner: u32) -> Self {
        Self { face, corner, mirrored: false }
    }

    /// This frame with u and v swapped.
    pub fn swapped(self) -> Self {
        Self { mirrored: !self.mirrored, ..self }
    }
}

/// Faces around a vertex that a walk reaches without crossing infinitely sharp edges.
pub(super) struct FaceSector {
    /// Seen from the vertex, turning left; from the wall on if the sector is open.
    pub frames: Vec<FaceFrame>,
    /// Position of the frame that the walk began with.
    pub start: usize,
    /// Whether the sector goes all the way round.
    pub closed: bool,
}

impl Connectivity<'_> {
    /// The vertex `steps` corners after the origin.
    pub fn vertex(&self, frame: FaceFrame, steps: usize) -> u32 {
        let face = self.face(frame.face as usize);
        face[self.position(frame, steps)]
    }

    /// The corners of a frame, from its origin on, to the left.
    pub fn cycle(&self, frame: FaceFrame) -> impl Iterator<Item = u32> + '_ {
        (0..self.face(frame.face as usize).len()).map(move |i| self.vertex(frame, i))
    }

    fn position(&self, frame: FaceFrame, steps: usize) -> usize {
        let sides = self.face(frame.face as usize).len();
        let (corner, steps) = (frame.corner as usize, steps % sides);
        if frame.mirrored { (corner + sides - steps) % sides } else { (corner + steps) % sides }
    }

    /// The frame of the same face from the corner `steps` further, turned with it.
    pub(crate) fn advanced(&self, frame: FaceFrame, steps: usize) -> FaceFrame {
        FaceFrame { corner: self.position(frame, steps) as u32, ..frame }
    }

    /// The edge from the origin along u.
    pub(crate) fn u_edge(&self, frame: FaceFrame) -> u32 {
        let from = if frame.mirrored { self.position(frame, 1) } else { frame.corner as usize };
        self.side_edge((self.face_start(frame.face as usize) + from) as u32)
    }

    /// The edge from the origin along v.
    pub(crate) fn v_edge(&self, frame: FaceFrame) -> u32 {
        self.u_edge(frame.swapped())
    }

    /// The next face to the left around the origin; `None` at an edge that is sharp for
    /// ever.
    pub fn left(&self, frame: FaceFrame) -> Option<FaceFrame> {
        self.across_v(frame, |edge| self.is_wall(edge))
    }

    /// Whether an edge is infinitely sharp.
    pub(crate) fn is_wall(&self, edge: u32) -> bool {
        self.edge_sharpness(edge) == f64::INFINITY
    }

    fn across_v(&self, frame: FaceFrame, is_wall: impl Fn(u32) -> bool) -> Option<FaceFrame> {
        let edge = self.v_edge(frame);
        let &[first, second] = self.edge_sides(edge) else { return None };
        if is_wall(edge) {
            return None;
        }
        let other = if self.side_face(first) == frame.face { second } else { first };
        let face = self.side_face(other);
        let cycle = self.face(face as usize);
        let at = other as usize - self.face_start(face as usize);
        // the side runs from the origin to the old v, or the other way
        if cycle[at] == self.vertex(frame, 0) {
            Some(FaceFrame { face, corner: at as u32, mirrored: false })
        } else {
            let corner = (at + 1) % cycle.len();
            Some(FaceFrame { face, corner: corner as u32, mirrored: true })
        }
    }

    /// All faces around the origin within its walls.
    pub fn sector(&self, frame: FaceFrame) -> FaceSector {
        self.faces_around(frame, |edge| self.is_wall(edge))
    }

    /// All faces around the origin, sharp edges or not.
    pub fn fan(&self, frame: FaceFrame) -> FaceSector {
        self.faces_around(frame, |_| false)
    }

    fn faces_around(&self, frame: FaceFrame, is_wall: impl Fn(u32) -> bool) -> FaceSector {
        let mut frames = vec![frame];
        let mut last = frame;
        while let Some(next) = self.across_v(last, &is_wall) {
            if next == frame {
                return FaceSector { frames, start: 0, closed: true };
            }
            frames.push(next);
            last = next;
        }
        let left = frames.len();
        let mut first = frame.swapped();
        while let Some(next) = self.across_v(first, &is_wall) {
            frames.push(next.swapped());
            first = next;
        }
        let start = frames.len() - left;
        frames.rotate_left(left);
        frames[..start].reverse();
        FaceSector { frames, start, closed: false }
    }

    /// Number of faces in one fan around a vertex, from its first corner on.
    pub(crate) fn fan_len(&self, vertex: u32) -> usize {
        let Some(&corner) = self.vertex_corners.row(vertex as usize).first() else { return 0 };
        let face = self.side_face(corner);
        let start = self.face_start(face as usize) as u32;
        self.fan(FaceFrame::new(face, corner - start)).frames.len()
    }

    /// Whether the limit around a corner of a face is as in a regular mesh, possibly
    /// with a straight boundary through the vertex or a corner of the boundary at it.
    pub(crate) fn is_regular_corner(&self, rule: LimitRule, frame: FaceFrame) -> bool {
        let quads = self.face(frame.face as usize).len() == 4;
        let (smooth, crease) = if quads { (4, 2) } else { (6, 3) };
        match rule {
            // its faces are one closed fan
            LimitRule::Smooth => {
                self.vertex_corners.row(self.vertex(frame, 0) as usize).len() == smooth
            }
            LimitRule::Crease => self.sector(frame).frames.len() == crease,
            LimitRule::Corner => quads && self.sector(frame).frames.len() == 1,
            LimitRule::Dart | LimitRule::Transient => false,
        }
    }
}

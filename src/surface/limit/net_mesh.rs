//! Building structures: a net as a small mesh of its own, refined once by the very rules
//! that refine whole meshes; its children's nets give the rows.

use std::sync::Arc;

use super::connectivity::{Connectivity, masks_of};
use super::frame::FaceFrame;
use super::library::{ExtraordinaryLimit, SurfaceLibrary};
use super::net;
use super::refine::refine;
use super::tangents::tangents;
use crate::limit::{Domain, MIDDLE, NetKey, NetRows, NextLevel, Powers, Sibling, Structure};
use crate::mesh::Creases;
use crate::scheme::{FaceShape, Scheme};

impl SurfaceLibrary {
    /// The structure of a net; `None` if the net cannot be evaluated.
    pub fn get(&self, key: &NetKey) -> Option<Arc<ExtraordinaryLimit>> {
        self.find(key, 0)
    }

    fn find(&self, key: &NetKey, depth: usize) -> Option<Arc<ExtraordinaryLimit>> {
        self.built.find(key, depth, || self.build(key, depth))
    }

    fn build(&self, key: &NetKey, depth: usize) -> Option<ExtraordinaryLimit> {
        let mesh = net_mesh(key, self.scheme)?;
        let step = refine(&mesh, Some(&[0])).ok()?;
        let fine = &step.connectivity;
        let child = |number: u32| step.parents.iter().position(|&at| at == (0, number));
        let frame = |number: u32| Some(FaceFrame::new(child(number)? as u32, 0));
        let mut rows = NetRows::new(&step.stencils, mesh.vertex_count());

        let mut siblings = Vec::new();
        for number in numbers_by_offset(self.scheme) {
            let frame = frame(number)?;
            let mut corners = (0..self.scheme.shape().sides()).map(|k| fine.advanced(frame, k));
            if !corners.all(|c| fine.is_regular_corner(fine.rule(fine.vertex(c, 0)), c)) {
                return None;
            }
            siblings.push(match self.scheme.shape() {
                FaceShape::Quad => {
                    let (net, ends) = net::regular_quad(fine, frame);
                    let mut net = rows.net(&net);
                    rows.fold_phantoms(&mut net, 2, ends);
                    Sibling::tensor(net)
                }
                FaceShape::Triangle => {
                    let (net, ends) = net::regular_triangle(fine, frame);
                    let mut net = rows.net(&net);
                    net::fold_triangle(&mut rows, &mut net, ends);
                    Sibling::box_spline(net, number == MIDDLE as u32)
                }
            });
        }
        let net = net::irregular(fine, frame(0)?, |v| fine.rule(v));
        let own = rows.net(&net.vertices);
        let own = rows.selected(&own);
        let next = if net.key == *key {
            NextLevel::Stationary(Powers::new(own).into())
        } else {
            let child = self.find(&net.key, depth + 1)?;
            NextLevel::Then { step: own, structure: child.structure.clone() }
        };
        let domain = match self.scheme.shape() {
            FaceShape::Quad => Domain::Square,
            FaceShape::Triangle => Domain::Triangle,
        };
        let origin = FaceFrame::new(0, 0);
        let tangents = tangents(&mesh, origin, mesh.rule(mesh.vertex(origin, 0)));
        let structure = Arc::new(Structure::of_parts(domain, rows.finish(), siblings, next));
        Some(ExtraordinaryLimit { structure, tangents, key: key.clone() })
    }
}

/// Child numbers by their offset from the origin, 1, 2, 3 (see [`Domain`]).
fn numbers_by_offset(scheme: Scheme) -> [u32; 3] {
    match scheme.shape() {
        FaceShape::Quad => [1, 3, 2],
        FaceShape::Triangle => [1, 2, MIDDLE as u32],
    }
}

/// A net as a mesh; face 0 is the one to evaluate, its corner 0 the extraordinary one.
pub(super) fn net_mesh(key: &NetKey, scheme: Scheme) -> Option<Connectivity<'static>> {
    let (corners, sharp, fixed) = net::sections(key, scheme.shape().sides());
    let controls = corners.iter().max().map_or(0, |&m| m as usize + 1);
    let mut creases = Creases::default();
    sharp.iter().for_each(|&[a, b]| creases.push_edge(a, b, f64::INFINITY));
    fixed.iter().for_each(|&v| creases.push_corner(v, f64::INFINITY));
    let mut mesh = Connectivity::of_faces(corners, controls, scheme, masks_of(scheme).ok()?);
    mesh.resolve(&creases).ok()?;
    Some(mesh)
}

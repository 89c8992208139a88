//! Leaves of single cells, before their structures have numbers.

use super::class::{Class, Reason, classify};
use super::frame::{Turn, Walker};
use super::net::{self, Ends, Key};
use super::patch::best_planar;
use crate::refine::{Sharpness, Star};

/// Leaves of a few cells before their structures have numbers.
#[derive(Default)]
pub(super) struct Drafts {
    pub drafts: Vec<Draft>,
    // control points of all drafts, one after another
    pub nets: Vec<u32>,
}

pub(super) struct Draft {
    pub class: Class,
    pub kind: DraftKind,
    // where its net ends in `nets`
    pub end: usize,
}

pub(super) enum DraftKind {
    Regular(Ends),
    Layered(Key, Turn, Ends),
    Irregular(Key, Turn),
    Refined(Reason),
}

impl Drafts {
    pub fn push(&mut self, walker: &Walker, sharpness: &Sharpness, stars: &[Star], cell: u32) {
        let class = match walker.topology.cells().hexahedron(cell as usize) {
            Some(corners) => classify(walker.topology, sharpness, stars, corners),
            None => Class::Refined(Reason::NotHexahedral),
        };
        let kind = match class {
            Class::Regular => {
                let (net, ends) = net::regular(walker, &walker.frame(cell, Turn::IDENTITY));
                self.nets.extend(net);
                DraftKind::Regular(ends)
            }
            Class::Layered(turn) => {
                let (turn, planar) = best_planar(walker, sharpness, cell, turn);
                let (net, ends) = planar.layers(walker);
                self.nets.extend(net);
                DraftKind::Layered(planar.key, turn, ends)
            }
            Class::Irregular(corner) => {
                let turns = Turn::to_corner(corner);
                let starts = turns.map(|turn| walker.frame(cell, turn));
                let (best, net) = net::least_spatial(walker, sharpness, &starts);
                let turn = turns[best];
                self.nets.extend(net.vertices);
                DraftKind::Irregular(net.key, turn)
            }
            Class::Refined(reason) => DraftKind::Refined(reason),
        };
        self.drafts.push(Draft { class, kind, end: self.nets.len() });
    }
}

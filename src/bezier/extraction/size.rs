//! How large operators will be, before any is made.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use rayon::prelude::*;

use super::expand::{NetMatrix, matrix, repeats};
use super::operators::{kind_weights, kinds, real_net};
use super::{BEZIER_POINTS, Extraction, refined_rows};
use crate::bezier::{Piece, Pieces};
use crate::scheme::Stencils;

/// What distinguishes the operators of a net from others, and their columns; `None` if they follow
/// from its kind.
type NetOperators = Option<(u128, usize)>;

impl Extraction {
    /// Bytes of all arrays, before any operator is made; with vertices of the mesh as the only
    /// control points if they are `expanded`, otherwise without the rows of refined points.
    pub fn estimate(pieces: &Pieces<'_>, expanded: bool) -> u128 {
        let solid = pieces.solid();
        let vertices = solid.topology().vertex_count();
        let rows = if expanded { refined_rows(solid) } else { Stencils::default() };
        let (kinds, kind_of) = kinds(solid.leaves());
        let of_leaf = |(leaf, &kind): (_, &usize)| -> NetOperators {
            let net = real_net(pieces, leaf);
            let is_refined = expanded && net.iter().any(|&id| id as usize >= vertices);
            if !is_refined && !repeats(&net) {
                return None;
            }
            let (controls, matrix) = matrix(&net, kind as u32, &rows, vertices);
            Some((fingerprint(&matrix), controls.len()))
        };
        let nets: Vec<NetOperators> =
            solid.leaves().par_iter().zip(&kind_of).map(of_leaf).collect();

        let mut used = vec![false; kinds.len()];
        let mut seen = HashSet::new();
        let (mut numbers, mut controls, mut count) = (0, 0, 0);
        let parts: Vec<usize> = kinds.iter().map(|leaf| pieces.count(leaf)).collect();
        let sizes: Vec<usize> = kinds.iter().map(|leaf| kind_weights(pieces, leaf)).collect();
        for (net, &kind) in nets.iter().zip(&kind_of) {
            count += parts[kind] as u128;
            match *net {
                Some((fingerprint, columns)) => {
                    controls += columns as u128;
                    if seen.insert(fingerprint) {
                        numbers += (parts[kind] * BEZIER_POINTS * columns) as u128;
                    }
                }
                None => {
                    controls += (sizes[kind] / (parts[kind] * BEZIER_POINTS).max(1)) as u128;
                    if !std::mem::replace(&mut used[kind], true) {
                        numbers += sizes[kind] as u128;
                    }
                }
            }
        }
        8 * numbers + 4 * controls + count * (size_of::<Piece>() + 8) as u128
    }
}

/// 128 bits that differ where matrices do.
fn fingerprint(matrix: &NetMatrix) -> u128 {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        matrix.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

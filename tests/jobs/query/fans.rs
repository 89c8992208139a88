//! Neighbors in cyclic order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use subsolid::query::{Fan, Op, Query};

use super::STRATEGIES;
use crate::query_meshes::brute::Brute;
use crate::query_meshes::{solids, surfaces};
use crate::support::meshes;

/// Whether sectors at a center form one ring or one fan: no spoke of three, all connected.
fn is_simple(spokes: &BTreeMap<u32, Vec<u32>>, sectors: &[u32]) -> bool {
    let Some(&first) = sectors.first() else { return true };
    let mut reached = vec![first];
    let mut i = 0;
    while i < reached.len() {
        let here = reached[i];
        for both in spokes.values().filter(|both| both.contains(&here)) {
            for &other in both {
                if !reached.contains(&other) {
                    reached.push(other);
                }
            }
        }
        i += 1;
    }
    reached.len() == sectors.len() && spokes.values().all(|both| both.len() <= 2)
}

/// Checks all fans; returns how many were refused.
fn check(name: &str, brute: &Brute, query: &Query, ops: [Op; 3]) -> usize {
    let [to_spokes, to_sectors, of_sector] = ops;
    let mut refused = 0;
    for id in 0..query.count(query.fan_kind()) as u32 {
        let sectors = brute.row(to_sectors, id);
        let mut spokes: BTreeMap<u32, Vec<u32>> =
            brute.row(to_spokes, id).into_iter().map(|spoke| (spoke, Vec::new())).collect();
        for &sector in &sectors {
            for spoke in brute.row(of_sector, sector) {
                if let Some(both) = spokes.get_mut(&spoke) {
                    both.push(sector);
                }
            }
        }
        let simple = is_simple(&spokes, &sectors);
        let fan = query.fan(id);
        assert_eq!(fan.is_ok(), simple, "{name}: {id}");
        let Ok(Fan { spokes: found, sectors: between }) = fan else {
            refused += 1;
            continue;
        };
        let closed = spokes.values().all(|both| both.len() == 2) && !sectors.is_empty();
        assert_eq!(found.len(), between.len() + usize::from(!closed && !sectors.is_empty()));
        for (i, sector) in between.iter().enumerate() {
            let pair = [found[i], found[(i + 1) % found.len()]];
            assert!(pair.iter().all(|spoke| spokes[spoke].contains(sector)), "{name}: {id}");
        }
        let sorted = |mut ids: Vec<u32>| {
            ids.sort_unstable();
            ids
        };
        if closed {
            assert!(found[0] == *found.iter().min().unwrap());
        }
        assert!(sorted(found).iter().eq(spokes.keys()));
        assert_eq!(sorted(between), sectors);
    }
    let none = AtomicUsize::new(0);
    query.for_each_fan(|_, fan| _ = none.fetch_add(usize::from(fan.is_none()), Relaxed)).unwrap();
    assert_eq!(none.into_inner(), refused, "{name}");
    refused
}

#[test]
fn fans_of_surfaces_hold_all_neighbors_in_turn() {
    let mut refused = 0;
    for (name, mesh) in surfaces() {
        let brute = Brute::surface(&mesh);
        for strategy in STRATEGIES {
            let query = Query::of_surface(&mesh, strategy).unwrap();
            refused += check(&name, &brute, &query, [Op::VE, Op::VF, Op::FE]);
        }
    }
    assert!(refused > 0, "no model with sheets that touch");
}

#[test]
fn fans_of_solids_hold_all_neighbors_in_turn() {
    for (name, mesh) in solids() {
        let brute = Brute::solid(&mesh);
        for strategy in STRATEGIES {
            let query = Query::of_solid(&mesh, strategy).unwrap();
            check(&name, &brute, &query, [Op::EF, Op::EC, Op::CF]);
        }
    }
}

/// Seen from outside, the faces of a surface around a vertex run counter-clockwise: each
/// starts at the edge that its own cycle leaves the vertex by.
#[test]
fn fans_of_oriented_surfaces_run_counter_clockwise() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/models/surfaces/bishop.obj");
    let mesh = subsolid::read_surface(path).unwrap();
    let brute = Brute::surface(&mesh);
    for strategy in STRATEGIES {
        let query = Query::of_surface(&mesh, strategy).unwrap();
        for vertex in 0..mesh.points.len() as u32 {
            let fan = query.fan(vertex).unwrap();
            for (spoke, &face) in fan.spokes.iter().zip(&fan.sectors) {
                let cycle = &brute.faces[face as usize];
                let k = cycle.iter().position(|&v| v == vertex).unwrap();
                let next = cycle[(k + 1) % cycle.len()];
                let ends = [vertex.min(next), vertex.max(next)];
                assert_eq!(brute.edges[*spoke as usize], ends, "vertex {vertex}");
            }
        }
    }
}

/// Around an edge of right-handed cells, faces turn by the right hand along it.
#[test]
fn fans_of_edges_follow_the_right_hand() {
    let mesh = meshes::block([3, 3, 3]);
    let brute = Brute::solid(&mesh);
    let point = |v: u32| mesh.points[v as usize];
    let mean = |ids: &[u32]| {
        let sum = |d: usize| ids.iter().map(|&v| point(v)[d]).sum::<f64>() / ids.len() as f64;
        [sum(0), sum(1), sum(2)]
    };
    let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    for strategy in STRATEGIES {
        let query = Query::of_solid(&mesh, strategy).unwrap();
        for (edge, ends) in (0..).zip(&brute.edges) {
            let fan = query.fan(edge).unwrap();
            let axis = minus(point(ends[1]), point(ends[0]));
            let arm = |face: u32| minus(mean(&brute.faces[face as usize]), mean(ends));
            for i in 0..fan.sectors.len() {
                let a = arm(fan.spokes[i]);
                let b = arm(fan.spokes[(i + 1) % fan.spokes.len()]);
                let cross = |d: usize| {
                    let (e, f) = ((d + 1) % 3, (d + 2) % 3);
                    a[e] * b[f] - a[f] * b[e]
                };
                let turn: f64 = (0..3).map(|d| cross(d) * axis[d]).sum();
                assert!((turn - 0.25).abs() < 1e-12, "{strategy:?}, edge {edge}: {turn}");
            }
        }
    }
}

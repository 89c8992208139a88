//! Every query on every strategy against sets of vertices, over all models; fans, rings and
//! orders against their definitions.

mod fans;
mod order;

use std::collections::BTreeSet;
use std::sync::Mutex;

use subsolid::IdKind;
use subsolid::query::{Op, Query, QueryStrategy};
use subsolid::topology::Topology;
use subsolid::topology::order::EntityKind;

use crate::query_meshes::brute::Brute;
use crate::query_meshes::{inverted, solids, surfaces, triangles};
use crate::support::{meshes, refused};

const STRATEGIES: [QueryStrategy; 3] =
    [QueryStrategy::Rows, QueryStrategy::Patches, QueryStrategy::Unordered];

/// All rows of an operator, by ids of the mesh.
fn rows(query: &Query, op: Op) -> Vec<Vec<u32>> {
    let none = Mutex::new(vec![None; query.count(op.from())]);
    let original = |kind, id: u32| match query.order() {
        Some(order) => order.originals(kind)[id as usize],
        None => id,
    };
    query
        .for_each(op, |id, row| {
            assert!(row.is_sorted_by(|a, b| a < b), "{op} of {id}: {row:?}");
            let mut row: Vec<u32> = row.iter().map(|&to| original(op.to(), to)).collect();
            row.sort_unstable();
            let place = original(op.from(), id) as usize;
            assert!(none.lock().unwrap()[place].replace(row).is_none(), "{op} of {id} twice");
        })
        .unwrap();
    none.into_inner().unwrap().into_iter().map(Option::unwrap).collect()
}

fn check(name: &str, brute: &Brute, query: &Query, strategy: QueryStrategy) {
    assert_eq!(EntityKind::ALL.map(|kind| query.count(kind)), brute.counts, "{name}");
    for &op in query.ops() {
        for (id, row) in (0..).zip(rows(query, op)) {
            assert_eq!(row, brute.row(op, id), "{name}, {strategy:?}: {op} of {id}");
        }
        let last = query.count(op.from()) as u32 - 1;
        assert_eq!(query.row(op, last).unwrap(), brute.row(op, last), "{name}, {strategy:?}: {op}");
        assert!(query.row(op, last + 1).unwrap_err().to_string().starts_with("no "));
    }
}

#[test]
fn queries_of_surfaces_are_those_of_sets() {
    for (name, mesh) in surfaces() {
        let brute = Brute::surface(&mesh);
        for strategy in STRATEGIES {
            check(&name, &brute, &Query::of_surface(&mesh, strategy).unwrap(), strategy);
        }
    }
}

#[test]
fn queries_of_solids_are_those_of_sets() {
    for (name, mesh) in solids() {
        let brute = Brute::solid(&mesh);
        for strategy in STRATEGIES {
            check(&name, &brute, &Query::of_solid(&mesh, strategy).unwrap(), strategy);
        }
    }
}

/// The meshes of queries with an inverted cell, here and on GPUs, do have one.
#[test]
fn the_inverted_cells_are_noticed() {
    for as_polyhedron in [false, true] {
        let topology = Topology::of_mesh(&inverted(as_polyhedron)).unwrap();
        assert_eq!(topology.inverted_cells().len(), 1, "as a polyhedron: {as_polyhedron}");
    }
}

/// Around a vertex of very many faces patches are refused before ids overflow, and products
/// before memory is full.
#[test]
fn patches_refuse_what_has_no_local_ids() {
    let wheel = |n: u32| {
        let faces: Vec<[u32; 3]> = (1..=n).map(|i| [0, i, i % n + 1]).collect();
        triangles(n as usize + 1, &faces)
    };
    let mesh = wheel(5000);
    let brute = Brute::surface(&mesh);
    let query = Query::of_surface(&mesh, QueryStrategy::Patches).unwrap();
    for op in [Op::VV, Op::VF, Op::FF] {
        let found = rows(&query, op);
        assert!((0..).zip(&found).all(|(id, row)| *row == brute.row(op, id)), "{op}");
    }
    let error = Query::of_surface(&wheel(40_000), QueryStrategy::Patches).err().unwrap();
    assert!(error.to_string().contains("the patch of face"), "{error}");
    let query = Query::of_surface(&wheel(70_000), QueryStrategy::Rows).unwrap();
    assert_eq!(query.row(Op::VF, 0).unwrap().len(), 70_000);
    // 70,000² edges that share the hub
    assert!(query.row(Op::EE, 0).unwrap_err().to_string().contains("2^32"));
}

#[test]
fn a_kind_of_mesh_has_its_own_queries() {
    let surface = Query::of_surface(&triangles(3, &[[0, 1, 2]]), QueryStrategy::Rows).unwrap();
    let solid = Query::of_solid(&meshes::block([1, 1, 1]), QueryStrategy::Rows).unwrap();
    let [vertex, edge] = [Op::VF, Op::EF].map(|op| surface.row(op, 3).unwrap_err());
    assert_eq!(vertex.elements(), [(IdKind::Vertex, 3)]);
    assert!(edge.elements().is_empty(), "{edge}"); // an edge's id is not that of a vertex
    let error = surface.row(Op::VC, 0).unwrap_err();
    assert!(error.to_string().contains("a surface has no query VC"), "{error}");
    let error = solid.for_each(Op::FF, |_, _| {}).unwrap_err();
    assert!(error.help().unwrap().to_string().contains("VV VE VF VC EV"), "{error}");
    let mut bad = meshes::block([1, 1, 1]);
    bad.points[3][0] = f64::NAN;
    refused(Query::of_solid(&bad, QueryStrategy::Rows), "vertex 3 lies at [NaN, 1.0, 0.0]");
}

#[test]
fn rings_are_found_edge_by_edge() {
    let mesh = meshes::fan(5, 2, 2);
    let brute = Brute::solid(&mesh);
    for strategy in STRATEGIES {
        let query = Query::of_solid(&mesh, strategy).unwrap();
        for vertex in [0, 7, brute.counts[0] as u32 - 1] {
            let mut ring = BTreeSet::from([vertex]);
            for k in 0..5 {
                let without: Vec<u32> = ring.iter().copied().filter(|&v| v != vertex).collect();
                assert_eq!(query.ring(vertex, k).unwrap(), without, "{strategy:?}, ring {k}");
                let next = ring.iter().flat_map(|&v| brute.row(Op::VV, v));
                ring = next.chain([vertex]).collect();
            }
        }
        let original =
            |v: u32| query.order().map_or(v, |o| o.originals(EntityKind::Vertex)[v as usize]);
        query
            .for_each_ring(2, |vertex, ring| {
                let mut ring: Vec<u32> = ring.iter().map(|&v| original(v)).collect();
                ring.sort_unstable();
                assert_eq!(ring, query.ring(original(vertex), 2).unwrap());
            })
            .unwrap();
    }
}

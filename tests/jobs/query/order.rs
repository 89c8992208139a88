//! Orders, patches and owners against their definitions.

use subsolid::mesh::SurfaceMesh;
use subsolid::query::{Op, Query, QueryStrategy};
use subsolid::topology::Topology;
use subsolid::topology::order::{DownwardIncidence, ElementOrder, EntityKind};
use subsolid::topology::surface::{Columns, SurfaceTopology};

use crate::query_meshes::brute::Brute;
use crate::query_meshes::{solids, surfaces, triangles};
use crate::support::refused;

fn check(name: &str, mesh: &DownwardIncidence, points: &[[f64; 3]], brute: &Brute, size: usize) {
    let order = ElementOrder::new(mesh, points, size).unwrap();
    let top = mesh.top();
    let top_ops = match top {
        EntityKind::Cell => [Some(Op::VC), Some(Op::EC), Some(Op::FC), None],
        _ => [Some(Op::VF), Some(Op::EF), None, None],
    };
    for (kind, op) in EntityKind::ALL.into_iter().zip(top_ops) {
        let mut sorted = order.originals(kind).to_vec();
        assert!((0..).zip(&sorted).all(|(new, &old)| order.new_id(kind, old) == new));
        let owners: Vec<usize> = (0..sorted.len() as u32).map(|id| order.owner(kind, id)).collect();
        assert!(owners.is_sorted() && owners.iter().all(|&owner| owner < order.patch_count()));
        for (id, &owner) in (0..).zip(&owners) {
            assert!(order.owned(kind, owner).contains(&id));
            let Some(op) = op else { continue };
            let tops = brute.row(op, order.originals(kind)[id as usize]);
            match tops.iter().map(|&t| order.new_id(top, t)).min() {
                Some(least) => assert_eq!(owner, order.owner(top, least), "{name}"),
                None => assert!(order.owned(top, owner).is_empty(), "{name}"),
            }
        }
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..brute.counts[kind as usize] as u32), "{name}");
    }
    for patch in 0..order.patch_count() {
        let tops = order.owned(top, patch).len();
        assert!(tops <= size);
        assert!(tops > 0 || (1..=size).contains(&order.owned(EntityKind::Vertex, patch).len()));
    }
}

fn surface(mesh: &SurfaceMesh) -> DownwardIncidence {
    let (faces, vertices) = (Columns::of(&mesh.faces), mesh.faces.vertices().to_vec());
    DownwardIncidence::of_surface(&SurfaceTopology::build(mesh.points.len(), faces, vertices))
}

#[test]
fn elements_belong_to_the_patch_of_their_least_face_or_cell() {
    for size in [1, 7, 512] {
        for (name, mesh) in surfaces() {
            check(&name, &surface(&mesh), &mesh.points, &Brute::surface(&mesh), size);
        }
        for (name, mesh) in solids() {
            let topology = Topology::build(mesh.cells.clone(), mesh.points.len()).unwrap();
            let brute = Brute::solid(&mesh);
            check(&name, &DownwardIncidence::of_solid(&topology), &mesh.points, &brute, size);
        }
    }
}

#[test]
fn patches_end_where_components_do() {
    let mesh = triangles(9, &[[7, 1, 2], [0, 3, 4], [3, 5, 4]]);
    let order = ElementOrder::new(&surface(&mesh), &mesh.points, 512).unwrap();
    // {0, 3, 4, 5}, {1, 2, 7}, and the isolated 6 and 8
    let owned = |kind, patch| {
        let owned = order.owned(kind, patch);
        let mut ids = order.originals(kind)[owned.start as usize..owned.end as usize].to_vec();
        ids.sort_unstable();
        ids
    };
    assert_eq!(order.patch_count(), 3);
    let vertices = [0, 1, 2].map(|patch| owned(EntityKind::Vertex, patch));
    assert_eq!(vertices, [vec![0, 3, 4, 5], vec![1, 2, 7], vec![6, 8]]);
    let faces = [0, 1, 2].map(|patch| owned(EntityKind::Face, patch));
    assert_eq!(faces, [vec![1, 2], vec![0], vec![]]);
}

#[test]
fn orders_do_not_depend_on_threads() {
    let (_, mesh) = solids().pop().unwrap();
    let originals = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let query = Query::of_solid(&mesh, QueryStrategy::Rows).unwrap();
            let order = query.order().unwrap();
            let rows = query.rows(Op::VV).unwrap().clone();
            (EntityKind::ALL.map(|kind| order.originals(kind).to_vec()), rows)
        })
    };
    let one = originals(1);
    assert!(originals(3) == one && originals(8) == one);
}

#[test]
fn values_go_into_the_order_and_back() {
    let mesh = triangles(9, &[[7, 1, 2], [0, 3, 4], [3, 5, 4]]);
    let order = ElementOrder::new(&surface(&mesh), &mesh.points, 2).unwrap();
    let values: Vec<u32> = (0..9).map(|v| 10 * v).collect();
    let sorted = order.sort(EntityKind::Vertex, &values);
    assert_ne!(sorted, values);
    assert_eq!(order.restore(EntityKind::Vertex, &sorted), values);
    let error = ElementOrder::new(&surface(&mesh), &mesh.points[1..], 2).unwrap_err();
    assert!(error.to_string().contains("8 control points for 9 vertices"), "{error}");
    refused(ElementOrder::new(&surface(&mesh), &mesh.points, 0), "patches of 0 elements");
}

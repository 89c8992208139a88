//! Queries on the device against those of the CPU, id by id; operators and attributes.

use subsolid::backend::Precision;
use subsolid::backend::cuda::query::{AttributeLayout, DeviceQuery};
use subsolid::process::smooth_attribute;
use subsolid::query::{Op, Query, QueryStrategy};
use subsolid::topology::order::EntityKind;

use super::gpu;
use crate::query_meshes::{solids, surfaces, triangles};

const STRATEGIES: [QueryStrategy; 3] =
    [QueryStrategy::Rows, QueryStrategy::Unordered, QueryStrategy::Patches];

/// Order, rows of every query, what operators see of them, and rings.
fn check(name: &str, device: &mut DeviceQuery, query: &Query) {
    assert!(device.order().unwrap().as_ref() == query.order(), "{name}: order");
    assert_eq!(device.ops(), query.ops(), "{name}");
    for &op in query.ops() {
        assert!(device.rows(op).unwrap() == *query.rows(op).unwrap(), "{name}: {op}");
    }
    check_operators(name, device, query);
    for k in 1..=3 {
        let rings = device.rings(k).unwrap();
        query
            .for_each_ring(k, |v, ring| {
                assert_eq!(rings.row(v as usize), ring, "{name}: ring {k} of {v}");
            })
            .unwrap();
    }
}

/// Every query of every mesh, the models among them, has the rows of the CPU.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn rows_and_orders_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    for strategy in STRATEGIES {
        for (name, mesh) in surfaces() {
            let mut device = DeviceQuery::of_surface(&gpu, &mesh, strategy).unwrap();
            check(&name, &mut device, &Query::of_surface(&mesh, strategy).unwrap());
        }
        for (name, mesh) in solids() {
            let mut device = DeviceQuery::of_solid(&gpu, &mesh, strategy).unwrap();
            check(&name, &mut device, &Query::of_solid(&mesh, strategy).unwrap());
        }
    }
}

/// A hundred builds of one mesh of many patches are the same.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_hundred_builds_are_the_same() {
    let gpu = gpu(Precision::F64);
    let (_, mesh) = surfaces().into_iter().max_by_key(|(_, mesh)| mesh.faces.len()).unwrap();
    let mut first = DeviceQuery::of_surface(&gpu, &mesh, QueryStrategy::Rows).unwrap();
    let (order, rows) = (first.order().unwrap(), first.rows(Op::EE).unwrap());
    for _ in 0..100 {
        let mut again = DeviceQuery::of_surface(&gpu, &mesh, QueryStrategy::Rows).unwrap();
        assert!(again.order().unwrap() == order);
        assert!(again.rows(Op::EE).unwrap() == rows);
    }
}

/// Rows of very many entries: a vertex of thousands of faces, sorted as a heap, and products
/// refused before memory is full.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_vertex_of_very_many_faces_is_no_exception() {
    let gpu = gpu(Precision::F64);
    let wheel = |n: u32| {
        let faces: Vec<[u32; 3]> = (1..=n).map(|i| [0, i, i % n + 1]).collect();
        triangles(n as usize + 1, &faces)
    };
    let mesh = wheel(3000);
    let mut device = DeviceQuery::of_surface(&gpu, &mesh, QueryStrategy::Rows).unwrap();
    check("wheel", &mut device, &Query::of_surface(&mesh, QueryStrategy::Rows).unwrap());
    let mut device = DeviceQuery::of_surface(&gpu, &wheel(70_000), QueryStrategy::Rows).unwrap();
    assert!(device.rows(Op::EE).unwrap_err().to_string().contains("2^32"));
    assert!(device.rows(Op::VF).is_ok());
}

/// Ids of rows are stored in 16 bits where they lie within 2^16 of each other: operators see the
/// same rows of a mesh of more elements, in the order, where few lie farther apart, and shuffled.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn operators_see_ids_far_from_each_other() {
    const SIDE: u32 = 300;
    const COUNT: u32 = SIDE * SIDE;
    // the factor has no divisor in common with the number of vertices
    let vertex = |x: u32, y: u32| (x % SIDE + SIDE * y) * 7919 % COUNT;
    let faces: Vec<[u32; 3]> = (0..COUNT)
        .map(|i| (i % SIDE, i / SIDE))
        .filter(|&(_, y)| y + 1 < SIDE)
        .flat_map(|(x, y)| {
            let [a, b] = [vertex(x, y), vertex(x + 1, y)];
            let [c, d] = [vertex(x, y + 1), vertex(x + 1, y + 1)];
            [[a, b, d], [a, d, c]]
        })
        .collect();
    let mut mesh = triangles(COUNT as usize, &faces);
    for (x, y) in (0..COUNT).map(|i| (i % SIDE, i / SIDE)) {
        mesh.points[vertex(x, y) as usize] = [f64::from(x), f64::from(y), 0.0];
    }
    for strategy in [QueryStrategy::Rows, QueryStrategy::Unordered] {
        let query = Query::of_surface(&mesh, strategy).unwrap();
        let rows = query.rows(Op::VV).unwrap();
        // ids of 32 rows in succession, as the device stores them
        let is_far = |first: &usize| {
            let group = *first..rows.len().min(first + 32);
            let ids = || group.clone().flat_map(|v| rows.row(v).iter());
            ids().max().unwrap() - ids().min().unwrap() > 0xffff
        };
        let far = (0..rows.len()).step_by(32).filter(is_far).count();
        let all = rows.len().div_ceil(32);
        match strategy {
            QueryStrategy::Rows => assert!(0 < far && far < all / 10, "{far} of {all}"),
            _ => assert!(far > all / 4, "{far} of {all}"),
        }
        let gpu = gpu(Precision::F64);
        let mut device = DeviceQuery::of_surface(&gpu, &mesh, strategy).unwrap();
        check_operators("shuffled tube", &mut device, &query);
    }
}

/// Attributes come back as they went, in both layouts; an operator of a user's sees them through
/// every query.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn operators_see_rows_and_attributes() {
    const TEXT: &str = "
        struct Arguments {
            Attribute<const unsigned> values;
            Attribute<unsigned> sums;
            unsigned long long factor;
        };
        template <class Row>
        __device__ void visit(unsigned id, const Row& row, const Arguments& arguments) {
            unsigned sums[2] = {0, row.size()};
            for (unsigned i = 0; i < row.size(); ++i) {
                sums[0] += unsigned(arguments.factor) * arguments.values(row[i], 1);
            }
            arguments.sums(id, 0) = sums[0];
            arguments.sums(id, 1) = sums[1];
        }";
    let gpu = gpu(Precision::F64);
    let (_, mesh) = solids().into_iter().find(|(name, _)| name == "mixed").unwrap();
    for strategy in STRATEGIES {
        for layout in [AttributeLayout::Interleaved, AttributeLayout::Planar] {
            let mut device = DeviceQuery::of_solid(&gpu, &mesh, strategy).unwrap();
            let query = Query::of_solid(&mesh, strategy).unwrap();
            for &op in query.ops() {
                let values: Vec<u32> =
                    (0..3 * device.count(op.to()) as u32).map(|i| i * i + 7).collect();
                let given = device.attribute(op.to(), 3, layout, &values).unwrap();
                assert_eq!(device.read(&given).unwrap(), values);
                let sums = device.empty_attribute::<u32>(op.from(), 2, layout).unwrap();
                let operator = device.operator(op, TEXT, 5).unwrap();
                device.run(&operator, &[(&given).into(), (&sums).into(), 3.into()]).unwrap();
                let found = device.read(&sums).unwrap();
                for id in 0..device.count(op.from()) {
                    let row = query.row(op, id as u32).unwrap();
                    let sum = row.iter().map(|&to| 3 * values[3 * to as usize + 1]);
                    let expected = [sum.fold(0, u32::wrapping_add), row.len() as u32];
                    assert_eq!(found[2 * id..][..2], expected, "{op} of {id}");
                }
            }
        }
    }
}

/// Operators see the rows of the CPU, in their order, whether rows are stored or found patch by
/// patch; run after run.
fn check_operators(name: &str, device: &mut DeviceQuery, query: &Query) {
    const TEXT: &str = "
        struct Arguments {
            Attribute<unsigned> found;
        };
        template <class Row>
        __device__ void visit(unsigned id, const Row& row, const Arguments& arguments) {
            unsigned hash = 7, again = 7;
            for (unsigned i = 0; i < row.size(); ++i) hash = 31 * hash + row[i];
            row.each([&](unsigned other) { again = 31 * again + other; });
            arguments.found(id, 0) = row.size();
            arguments.found(id, 1) = hash;
            arguments.found(id, 2) = again;
        }";
    for &op in query.ops() {
        let operator = device.operator(op, TEXT, 2).unwrap();
        let rows = query.rows(op).unwrap();
        let expected: Vec<u32> = (0..query.count(op.from()) as u32)
            .flat_map(|id| {
                let id = query.order().map_or(id, |order| order.new_id(op.from(), id));
                let row = rows.row(id as usize);
                let step = |hash: u32, &other: &u32| hash.wrapping_mul(31).wrapping_add(other);
                let hash = row.iter().fold(7, step);
                [row.len() as u32, hash, hash]
            })
            .collect();
        for run in 0..3 {
            let found =
                device.empty_attribute::<u32>(op.from(), 3, AttributeLayout::Interleaved).unwrap();
            device.run(&operator, &[(&found).into()]).unwrap();
            assert!(device.read(&found).unwrap() == expected, "{name}: {op}, run {run}");
        }
    }
}

/// Laplace smoothing has the bits of the CPU.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn smoothing_has_the_bits_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    for (name, mesh) in solids() {
        let query = Query::of_solid(&mesh, QueryStrategy::Rows).unwrap();
        let mut device = DeviceQuery::of_solid(&gpu, &mesh, QueryStrategy::Rows).unwrap();
        let values = mesh.points.as_flattened();
        let fixed = |v: u32| v % 5 == 2;
        let expected = smooth_attribute(&query, values, 3, 7, 0.3, fixed).unwrap();
        let moves: Vec<u32> = (0..mesh.points.len() as u32).map(|v| u32::from(!fixed(v))).collect();
        let moves =
            device.attribute(EntityKind::Vertex, 1, AttributeLayout::Planar, &moves).unwrap();
        for layout in [AttributeLayout::Interleaved, AttributeLayout::Planar] {
            let mut now = device.attribute(EntityKind::Vertex, 3, layout, values).unwrap();
            device.smooth(&mut now, 7, 0.3, &moves).unwrap();
            assert!(device.read(&now).unwrap() == expected, "{name}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn what_is_wrong_is_refused() {
    let gpu = gpu(Precision::F64);
    let mesh = triangles(3, &[[0, 1, 2]]);
    let mut device = DeviceQuery::of_surface(&gpu, &mesh, QueryStrategy::Rows).unwrap();
    let error = device.rows(Op::VC).unwrap_err();
    assert!(error.to_string().contains("a surface has no query VC"), "{error}");
    let error = device.operator(Op::VV, "struct Arguments { double x; };", 1).unwrap_err();
    assert!(error.to_string().contains("visit"), "{error}");
    let short = device.attribute(EntityKind::Vertex, 1, AttributeLayout::Planar, &[1.0_f32; 2]);
    assert!(short.unwrap_err().to_string().contains("2 values"));
    let sum = device.sum::<f32>(Op::VV).unwrap();
    let one =
        device.attribute(EntityKind::Vertex, 1, AttributeLayout::Planar, &[1.0_f32; 3]).unwrap();
    assert!(device.run(&sum, &[(&one).into()]).unwrap_err().to_string().contains("words"));
    let other =
        DeviceQuery::of_surface(&gpu, &triangles(4, &[[0, 1, 2]]), QueryStrategy::Rows).unwrap();
    let four =
        other.attribute(EntityKind::Vertex, 1, AttributeLayout::Planar, &[1.0_f32; 4]).unwrap();
    assert!(device.run(&sum, &[(&one).into(), (&four).into()]).is_err());
    let no_faces = triangles(3, &[]);
    assert!(DeviceQuery::of_surface(&gpu, &no_faces, QueryStrategy::Rows).is_err());
}

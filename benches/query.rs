//! Neighbors of vertices on one thread: stored rows and patches against a half-edge structure.
//!
//! `cargo bench --bench query`. VV summed: the sum of the ids around every vertex of a torus
//! of triangles, in grid order and with shuffled vertices and faces.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::query::{Op, Query, QueryStrategy};

#[path = "support/torus.rs"]
mod torus;

const SIDE: usize = 512;

/// Half-edges as most programs store them: next, opposite, and the vertex at the end.
struct HalfEdges {
    // [half-edge]: [next, opposite, end]
    edges: Vec<[u32; 3]>,
    // [vertex]: a half-edge that leaves it
    leaving: Vec<u32>,
}

impl HalfEdges {
    fn of(mesh: &SurfaceMesh) -> Self {
        let vertices = mesh.faces.vertices();
        let next = |h: usize| h - h % 3 + (h + 1) % 3;
        let mut keys: Vec<([u32; 2], u32)> = (0..vertices.len())
            .map(|h| [vertices[h], vertices[next(h)]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .zip(0..)
            .collect();
        keys.sort_unstable();
        let mut edges: Vec<[u32; 3]> =
            (0..vertices.len()).map(|h| [next(h) as u32, 0, vertices[next(h)]]).collect();
        for pair in keys.chunks_exact(2) {
            let [a, b] = [pair[0].1, pair[1].1];
            (edges[a as usize][1], edges[b as usize][1]) = (b, a);
        }
        let mut leaving = vec![0; mesh.points.len()];
        (0..).zip(vertices).for_each(|(h, &v)| leaving[v as usize] = h);
        Self { edges, leaving }
    }

    fn sum(&self, vertex: u32) -> u32 {
        let first = self.leaving[vertex as usize];
        let (mut sum, mut h) = (0u32, first);
        loop {
            let [_, opposite, end] = self.edges[h as usize];
            sum = sum.wrapping_add(end);
            h = self.edges[opposite as usize][0];
            if h == first {
                return sum;
            }
        }
    }
}

fn triangles() -> SurfaceMesh {
    let (points, quads) = torus::torus(SIDE);
    let (quads, _) = quads.as_chunks::<4>();
    let corners = quads.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]);
    SurfaceMesh::new(points, Polygons::uniform(3, corners.collect()))
}

/// A permutation that is the same in every run.
fn permutation(count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    let mut state = 1u64;
    for i in (1..count).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        all.swap(i, (state >> 33) as usize % (i + 1));
    }
    all
}

fn shuffled(mesh: &SurfaceMesh) -> SurfaceMesh {
    let new = permutation(mesh.points.len());
    let mut points = mesh.points.clone();
    mesh.points.iter().zip(&new).for_each(|(&point, &v)| points[v] = point);
    let faces = permutation(mesh.faces.len());
    let corners = faces.iter().flat_map(|&f| mesh.faces.face(f)).map(|&v| new[v as usize] as u32);
    SurfaceMesh::new(points, Polygons::uniform(3, corners.collect()))
}

fn neighbors(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("VV summed");
    group.sample_size(20);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let grid = triangles();
    for (input, mesh) in [("shuffled", shuffled(&grid)), ("grid", grid)] {
        let sums: Vec<AtomicU32> = mesh.points.iter().map(|_| AtomicU32::new(0)).collect();
        group.throughput(Throughput::Elements(mesh.points.len() as u64));
        let half_edges = HalfEdges::of(&mesh);
        group.bench_function(BenchmarkId::new("half-edges", input), |bench| {
            bench.iter(|| {
                (0..).zip(&sums).for_each(|(v, sum)| sum.store(half_edges.sum(v), Relaxed));
                black_box(&sums);
            });
        });
        for (name, strategy) in [
            ("rows", QueryStrategy::Rows),
            ("rows unordered", QueryStrategy::Unordered),
            ("patches", QueryStrategy::Patches),
        ] {
            let query = Query::of_surface(&mesh, strategy).expect("a torus");
            let sum = |v: u32, row: &[u32]| {
                sums[v as usize].store(row.iter().fold(0, |sum, w| sum.wrapping_add(*w)), Relaxed);
            };
            query.for_each(Op::VV, sum).expect("rows of a torus"); // stores them
            group.bench_function(BenchmarkId::new(name, input), |bench| {
                bench.iter(|| {
                    pool.install(|| query.for_each(Op::VV, sum)).expect("rows of a torus");
                    black_box(&sums);
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, neighbors);
criterion_main!(benches);

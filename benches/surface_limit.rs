//! Limit grids on surfaces beside a memset of the bytes they write, on one thread.
//!
//! `cargo bench --bench surface_limit` prints points/s: positions (24 bytes per point), then
//! positions, first derivatives and normals (96 bytes), of regular quads and of quads with
//! extraordinary vertices at all corners.

#[path = "support/torus.rs"]
mod torus;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::surface::limit::{GridLimit, LimitSurface, Scheme};

/// Samples an edge.
const N: usize = 8;

/// Double cones of `valence` quads around each of their two tips, all other vertices of
/// valence 3: every face is refined once into four with one extraordinary vertex.
fn double_cones(valence: usize) -> SurfaceMesh {
    let (mut points, mut corners) = (Vec::new(), Vec::new());
    for copy in 0..1500 {
        let first = points.len() as u32;
        let angle = |i: usize| i as f64 / valence as f64 * std::f64::consts::PI;
        points.extend([[copy as f64, 0.0, 1.0], [copy as f64, 0.0, -1.0]]);
        // a zigzag around, every other point one of a tip's neighbors
        points.extend((0..2 * valence).map(|i| {
            [copy as f64 + angle(i).cos(), angle(i).sin(), if i % 2 == 0 { 0.4 } else { -0.4 }]
        }));
        let around = |i: usize| first + 2 + (i % (2 * valence)) as u32;
        for i in 0..valence {
            let (a, b, c) = (around(2 * i), around(2 * i + 1), around(2 * i + 2));
            corners.extend([first, a, b, c, first + 1, around(2 * i + 3), c, b]);
        }
    }
    SurfaceMesh::new(points, Polygons::uniform(4, corners))
}

fn limits(c: &mut Criterion) {
    let mut group = c.benchmark_group("surface_limit");
    group.sample_size(10);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    let (points, corners) = torus::torus(128);
    for (name, mesh, scheme) in [
        ("regular", SurfaceMesh::new(points, Polygons::uniform(4, corners)), Scheme::CatmullClark),
        ("extraordinary", double_cones(5), Scheme::CatmullClark),
    ] {
        let faces = mesh.faces.len();
        group.throughput(Throughput::Elements(faces as u64));
        group.bench_function(format!("{name}: setup, faces"), |b| {
            b.iter(|| pool.install(|| LimitSurface::of_mesh(black_box(&mesh), scheme).unwrap()));
        });
        let surface = LimitSurface::of_mesh(&mesh, scheme).expect("a valid mesh");
        let refined = surface.refined_points(&mesh.points).expect("all points");
        for (what, normals) in [("positions", false), ("derivatives, normals", true)] {
            let grid = surface.grid(N, normals).expect("a valid grid");
            let elements = surface.elements().len();
            let points = elements * grid.parameters().len();
            group.throughput(Throughput::Elements(points as u64));
            let mut limit = GridLimit::default();
            group.bench_function(format!("{name}: {what}"), |b| {
                b.iter(|| {
                    pool.install(|| {
                        grid.evaluate(black_box(&refined), 0..elements, &mut limit).unwrap();
                    });
                    black_box(&mut limit);
                });
            });
            let mut bytes = vec![0_u8; points * if normals { 96 } else { 24 }];
            group.bench_function(format!("{name}: {what}: memset of their bytes"), |b| {
                b.iter(|| black_box(&mut bytes).fill(black_box(1)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, limits);
criterion_main!(benches);

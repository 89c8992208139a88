//! Quadrature for isogeometric analysis: 103,823 regular cells at 4³ Gauss points, beside
//! memory copies of as many bytes, in the same run.
//!
//! `cargo bench --bench quadrature` prints bytes/s. Data are made in pieces that use the
//! same memory again, as the archive is written; the copies are of such pieces too. The
//! derivatives in space, 98 KB a cell, are made for every 20th piece.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use subsolid::Quadrature;
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::plan::Want;
use subsolid::quadrature::{
    LeafQuantities, Mapping, PhysicalDerivatives, QuadratureScheme, physical_derivatives,
};
use subsolid::refine::crease_by_angle;

/// Cells along each axis.
const CELLS: usize = 47;
/// Cells of a piece.
const PIECE: usize = 1024;
/// Quadrature points of a cell.
const SAMPLES: usize = 64;

fn block() -> SolidMesh {
    let mut mesh = Shape::Box { cells: [CELLS; 3] }.build().expect("a box");
    crease_by_angle(&mut mesh, 40.0).expect("an angle");
    mesh
}

/// Copies pieces of `piece` bytes until `bytes` are copied.
fn copy(c: &mut Criterion, name: &str, bytes: usize, piece: usize) {
    let from = vec![1_u8; piece];
    let mut to = vec![0_u8; piece];
    let mut group = c.benchmark_group(name);
    group.sample_size(10).throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("copy of the same bytes", |b| {
        b.iter(|| {
            for _ in 0..bytes.div_ceil(piece) {
                let part = piece.div_ceil(rayon::current_num_threads());
                rayon::scope(|scope| {
                    for (to, from) in to.chunks_mut(part).zip(from.chunks(part)) {
                        scope.spawn(move |_| to.copy_from_slice(black_box(from)));
                    }
                });
            }
            black_box(to[piece - 1]);
        });
    });
    group.finish();
}

fn quadrature(c: &mut Criterion) {
    let mesh = block();
    let solid = Solid::new(&mesh).expect("valid");
    let scheme = QuadratureScheme { gauss: 4, rings: Some(0) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).expect("valid");
    let mapping = Mapping::new(&quadrature, mesh.controls()).expect("valid");
    let pieces = quadrature.pieces(PIECE * SAMPLES);

    let ids: usize = quadrature.batches().iter().map(|b| 4 * b.control_ids.len()).sum();
    let bytes = ids + quadrature.bytes();
    let mut group = c.benchmark_group("tables and control ids");
    group.sample_size(10).throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("made", |b| {
        b.iter(|| black_box(Quadrature::new(&solid, scheme, Want::FIRST).expect("valid").bytes()));
    });
    group.finish();
    copy(c, "tables and control ids", bytes, bytes);

    // points, Jacobian, determinant, measure, inverse
    let sample = 8 * (3 + 9 + 1 + 1 + 9);
    let bytes = quadrature.sample_count() * sample;
    let mut group = c.benchmark_group("physical quantities");
    group.sample_size(10).throughput(Throughput::Bytes(bytes as u64));
    let mut mapped = LeafQuantities::default();
    group.bench_function("evaluated", |b| {
        b.iter(|| {
            for (batch, leaves) in &pieces {
                mapping.evaluate(*batch, leaves.clone(), &mut mapped).unwrap();
            }
            black_box(mapped.measures.len());
        });
    });
    group.finish();
    copy(c, "physical quantities", bytes, PIECE * SAMPLES * sample);

    let chosen: Vec<_> = pieces.iter().step_by(20).collect();
    let numbers = |(batch, leaves): &&(usize, std::ops::Range<usize>)| {
        3 * leaves.len() * SAMPLES * quadrature.batches()[*batch].controls
    };
    let bytes = 8 * chosen.iter().map(numbers).sum::<usize>();
    let mut group = c.benchmark_group("derivatives in space");
    group.sample_size(10).throughput(Throughput::Bytes(bytes as u64));
    let mut derivatives = PhysicalDerivatives::default();
    group.bench_function("evaluated", |b| {
        b.iter(|| {
            for (batch, leaves) in &chosen {
                mapping.evaluate(*batch, leaves.clone(), &mut mapped).unwrap();
                physical_derivatives(&quadrature.basis(*batch), &mapped, &mut derivatives);
            }
            black_box(derivatives.gradients.len());
        });
    });
    group.finish();
    copy(c, "derivatives in space", bytes, 8 * PIECE * SAMPLES * 3 * 64);
}

criterion_group!(benches, quadrature);
criterion_main!(benches);

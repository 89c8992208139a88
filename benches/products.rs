//! Products with the stiffness of 21,952 regular cells at 5³ Gauss points: by the matrix, and without
//! one.
//!
//! `cargo bench --bench products` prints unknowns/s. What bounds them is the memory's bandwidth for the
//! matrix, 12 bytes an entry of heat and 8.4 of elasticity, and arithmetic without it.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use subsolid::assembly::{MatrixFree, Operator, assemble_by_cells};
use subsolid::mesh::shape::Shape;
use subsolid::quadrature::{Mapping, QuadratureScheme};
use subsolid::refine::crease_by_angle;
use subsolid::{Quadrature, Solid, Want};

/// Cells along each axis.
const CELLS: usize = 28;

fn products(c: &mut Criterion) {
    let mut mesh = Shape::Box { cells: [CELLS; 3] }.build().expect("a box");
    crease_by_angle(&mut mesh, 40.0).expect("an angle");
    let solid = Solid::new(&mesh).expect("a solid");
    let scheme = QuadratureScheme::default();
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).expect("a quadrature");
    let mapping = Mapping::new(&quadrature, mesh.controls()).expect("a mapping");
    for operator in [
        Operator::Stiffness { conductivity: 1.0 },
        Operator::Elasticity { young: 1.0, poisson: 0.3 },
    ] {
        let free = MatrixFree::new(&mapping, &operator.into(), |_| ()).expect("an operator");
        let x: Vec<f64> = (0..free.size()).map(|i| (i as f64 * 1.7).sin()).collect();
        let mut y = vec![0.0; x.len()];
        let mut group = c.benchmark_group(operator.name());
        group.sample_size(10).throughput(Throughput::Elements(x.len() as u64));
        group.bench_function("matrix-free", |b| b.iter(|| free.apply(black_box(&x), &mut y)));
        let start = std::time::Instant::now();
        let matrix = assemble_by_cells(&mapping, &operator.into(), |_| ()).expect("a matrix");
        println!(
            "assembled in {:.2} s; bytes an unknown: matrix {}, matrix-free {}",
            start.elapsed().as_secs_f64(),
            matrix.bytes() / x.len(),
            free.bytes() / x.len()
        );
        group.bench_function("matrix", |b| b.iter(|| matrix.apply(black_box(&x), &mut y)));
        group.finish();
    }
}

criterion_group!(benches, products);
criterion_main!(benches);

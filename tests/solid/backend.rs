//! Every backend, precision and SIMD level passes the same conformance tests.

use crate::conformance::solid;
use crate::solid_conformance;
use subsolid::backend::{Backend, Cpu, Limit, Precision};
use subsolid::limit::Solid;
use subsolid::mesh::shape::Shape;
use subsolid::plan::{Samples, Want};
use subsolid::simd::Simd;

solid_conformance!(cpu_f64, Cpu::new(Precision::F64), 1e-13);
solid_conformance!(cpu_f32, Cpu::new(Precision::F32), 4e-6);

/// The levels narrower than the machine's widest, which the tests above take.
#[test]
fn narrower_simd_levels_pass_the_same_tests() {
    for simd in Simd::available().skip(1) {
        for (precision, tolerance) in [(Precision::F64, 1e-13), (Precision::F32, 4e-6)] {
            let backend = Cpu::new(precision).with_simd(simd);
            solid::grids(&backend, tolerance);
            solid::scattered(&backend, tolerance);
            if precision == Precision::F64 {
                solid::derivatives(&backend, tolerance);
            }
        }
    }
}

/// However the elements are shared out: among threads, and in ranges.
#[test]
fn threads_and_ranges_change_no_bit() {
    for (what, sizes) in [("link-3444555", &[1][..]), ("link-3444555", &[3]), ("box", &[9, 8, 7])] {
        let mesh = Shape::parse(what, sizes).unwrap().build().unwrap();
        let solid = Solid::new(&mesh).unwrap();
        let plan = solid.plan(&Samples::grid(6), Want::FIRST).unwrap();
        let bits = |threads: usize, step: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut evaluator = Cpu::new(Precision::F32).prepare(&plan).unwrap();
                let mut limit = Limit::default();
                let mut bits = vec![Vec::new(); 4];
                for piece in plan.pieces(step) {
                    evaluator.evaluate(mesh.controls(), piece, &mut limit).unwrap();
                    let outputs = std::iter::once(&limit.positions).chain(&limit.derivatives);
                    for (bits, values) in bits.iter_mut().zip(outputs) {
                        bits.extend((0..values.len()).map(|i| values.get(i).to_bits()));
                    }
                }
                bits
            })
        };
        let expected = bits(1, usize::MAX);
        assert_eq!(expected[3].len(), solid.elements().len() * 216 * 3);
        for (threads, step) in [(2, usize::MAX), (7, usize::MAX), (16, usize::MAX), (3, 5_000)] {
            assert!(bits(threads, step) == expected, "{what}, {threads} threads, {step} points");
        }
    }
}

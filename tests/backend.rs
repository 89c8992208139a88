//! Every backend, precision and SIMD level passes the same conformance tests.

mod conformance;

use subsolid::backend::cpu::kernel::Simd;
use subsolid::backend::{Cpu, Precision};

conformance!(cpu_f64, Cpu::new(Precision::F64), 1e-13);
conformance!(cpu_f32, Cpu::new(Precision::F32), 4e-6);

/// The levels narrower than the machine's widest, which the tests above take.
#[test]
fn narrower_simd_levels() {
    for simd in Simd::available().skip(1) {
        for (precision, tolerance) in [(Precision::F64, 1e-13), (Precision::F32, 4e-6)] {
            let backend = Cpu::new(precision).with_simd(simd);
            conformance::grids(&backend, tolerance);
            conformance::derivatives(&backend, tolerance);
            conformance::scattered(&backend, tolerance);
        }
    }
}

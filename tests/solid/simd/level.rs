//! The levels of instructions.

use subsolid::simd::Simd;

#[test]
fn every_machine_has_the_portable_level() {
    assert_eq!(Simd::available().last(), Some(Simd::Portable));
    assert!(Simd::available().any(|level| level == Simd::detect()));
}

//! Sorts and scans on the device.

use subsolid::backend::Precision;
use subsolid::backend::cuda::sort::RadixSort;

use super::gpu;

/// Numbers of a generator that every run repeats.
fn numbers(count: usize, bits: u32, state: &mut u64) -> Vec<u64> {
    let next = |_| {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (*state ^ *state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 32) >> (64 - bits)
    };
    (0..count).map(next).collect()
}

/// Keys of any size and number are sorted, items of equal keys in their order, by the one block
/// of few items and by the tiles of many, twice with the same result.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn sorts_are_stable() {
    let gpu = gpu(Precision::F64);
    let mut state = 1;
    let counts = [0, 1, 2, 31, 1000, 1023, 1024, 1025, 8191, 8192, 8193, 100_001, 10_000_000];
    for count in counts {
        for bits in [1, 7, 8, 9, 20, 32, 33, 47, 64] {
            if count > 1_000_000 && bits != 20 && bits != 47 {
                continue;
            }
            let random = numbers(count, bits, &mut state);
            let mut sorted = random.clone();
            sorted.sort_unstable();
            let reversed: Vec<u64> = sorted.iter().rev().copied().collect();
            let largest = vec![u64::MAX >> (64 - bits); count];
            let kinds = if count > 1_000_000 { 1 } else { 4 };
            for keys in [random, sorted, reversed, largest].into_iter().take(kinds) {
                let values: Vec<u32> =
                    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
                let mut order: Vec<usize> = (0..count).collect();
                order.sort_by_key(|&i| keys[i]);
                let expected: Vec<u32> = order.iter().map(|&i| values[i]).collect();
                let mut device = RadixSort::new(&gpu, &keys, &values, bits).unwrap();
                for _ in 0..2 {
                    device.sort(bits).unwrap();
                    assert!(device.values().unwrap() == expected, "{count} keys of {bits} bits");
                }
            }
        }
    }
}

/// Scans of any length give the sums before each number and that of all, modulo 2³².
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn scans_are_sums() {
    let gpu = gpu(Precision::F64);
    let mut state = 2;
    for count in [0, 1, 31, 4095, 4096, 4097, 16_384, 16_385, 1_000_003, 10_000_000] {
        let random = numbers(count, 32, &mut state);
        for values in [random.iter().map(|&x| x as u32).collect(), vec![1; count]] {
            let mut sum = 0_u32;
            let mut expected = vec![0];
            for &value in &values {
                sum = u32::wrapping_add(sum, value);
                expected.push(sum);
            }
            let keys = vec![0; count];
            let mut device = RadixSort::new(&gpu, &keys, &values, 32).unwrap();
            let (found, _) = device.scan().unwrap();
            assert!(found == expected, "{count} numbers");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn wrong_arrays_are_refused() {
    let gpu = gpu(Precision::F64);
    assert!(RadixSort::new(&gpu, &[1, 2], &[1], 8).is_err());
    assert!(RadixSort::new(&gpu, &[1], &[1], 65).is_err());
}

//! Every backend, precision and SIMD level passes the same conformance tests.

use crate::conformance::solid;
use crate::solid_conformance;
use subsolid::backend::{Backend, Choice, Cpu, Limit, Precision, Processor, ResultBuffer, Values};
use subsolid::limit::Solid;
use subsolid::mesh::shape::Shape;
use subsolid::plan::{Cost, Samples, Want};
use subsolid::scheme::Stencils;
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

/// In memory of the caller as long as they fit there, else from a cache line on; memory is kept.
#[test]
fn results_have_the_memory_that_is_there() {
    let mesh = Shape::Box { cells: [3; 3] }.build().unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(4), Want::POSITION).unwrap();
    let mut evaluator = Cpu::new(Precision::F64).prepare(&plan).unwrap();
    let numbers = |limit: &Limit| match &limit.positions {
        Values::F64(values) => (values.as_ptr(), values.to_vec()),
        Values::F32(_) => panic!("single precision"),
    };
    let mut own = Limit::default();
    evaluator.evaluate(mesh.controls(), 0..27, &mut own).unwrap();
    let (place, expected) = numbers(&own);
    assert_eq!((place.align_offset(64), expected.len()), (0, 27 * 64 * 3));
    evaluator.evaluate(mesh.controls(), 3..5, &mut own).unwrap();
    assert!(numbers(&own) == (place, expected[3 * 192..5 * 192].to_vec()));

    let mut memory = vec![-1.0; 4 * 192];
    // SAFETY: the vector is not used before the limit is dropped but by its address
    let buffer = unsafe { ResultBuffer::over(memory.as_mut_ptr(), memory.len()) };
    let given = memory.as_ptr();
    let mut limit = Limit { positions: Values::F64(buffer), ..Limit::default() };
    evaluator.evaluate(mesh.controls(), 1..4, &mut limit).unwrap();
    assert!(numbers(&limit) == (given, expected[192..4 * 192].to_vec()));
    evaluator.evaluate(mesh.controls(), 0..5, &mut limit).unwrap();
    let (place, found) = numbers(&limit);
    assert!(place != given && found == expected[..5 * 192]);
    drop(limit);
    assert!(memory[..3 * 192] == expected[192..4 * 192] && memory[3 * 192..] == [-1.0; 192]);
}

#[test]
fn a_small_job_is_for_the_cpu_and_says_why() {
    let find = |choice| Processor::find_for(choice, &Cost::evaluation(8), 2).unwrap();
    let found = find(Choice::Auto);
    assert!(found.device_info().unwrap().is_none() && found.strategies().is_empty());
    let why = found.why_not_gpu().unwrap().to_string();
    assert!(why.starts_with("about ") && why.contains("; a GPU would take "), "{why}");
    assert!(find(Choice::Cpu).why_not_gpu().is_none());
    assert!(Processor::find_for(Choice::Cuda(4096), &Cost::evaluation(8), 2).is_err());
}

/// Sums of products run in a fixed order, of lanes and of their halves.
#[test]
fn dots_and_the_largest_of_vectors() {
    let rows = Stencils::build(10_000, |row, entries| entries.add(row as u32, 1.0));
    let mut vectors = Cpu::default().vectors(&rows).unwrap();
    let mut of = |a: &[f64], b: &[f64]| {
        vectors.start(1, 2).unwrap();
        let padded = |values: &[f64]| [values, &vec![0.0; 10_000 - values.len()]].concat();
        vectors.set(0, &padded(a)).unwrap();
        vectors.set(1, &padded(b)).unwrap();
        (vectors.dot(0, 1).unwrap(), vectors.largest(0).unwrap())
    };
    let a: Vec<f64> = (0..10_000).map(|i| f64::from(i).sin()).collect();
    let b: Vec<f64> = (0..10_000).map(|i| f64::from(i).cos()).collect();
    let plain: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
    assert!((of(&a, &b).0 - plain).abs() < 1e-10, "{plain}");
    assert_eq!(of(&[1.0; 300], &[1.0; 300]), (300.0, 1.0));
    let mut values = vec![1.0; 9000];
    values[5000] = -3.0;
    assert_eq!(of(&values, &[]).1, 3.0);
    values[10] = f64::NAN;
    assert!(of(&values, &[]).1.is_nan());
}

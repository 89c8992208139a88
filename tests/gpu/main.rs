//! The CUDA backend on the device of this machine:
//! `cargo test --release --test gpu -- --include-ignored`. Without a device these tests fail,
//! so they are ignored unless asked for.

mod assembly;
#[path = "../common/conformance/mod.rs"]
mod conformance;
mod creases;
mod fit;
mod interiors;
mod lattice;
mod layers;
mod locate;
mod matrix;
mod multi_device;
#[path = "../common/npz.rs"]
mod npz;
#[path = "../common/oracle/mod.rs"]
mod oracle;
mod process;
mod products;
mod program;
mod quadrature;
mod query;
#[path = "../common/query/mod.rs"]
mod query_meshes;
#[path = "../common/program.rs"]
mod runs;
mod single;
mod solve;
mod sort;
#[path = "../common/support/mod.rs"]
mod support;
mod surface;
mod surface_backend;
mod surface_limit;
#[path = "../common/surfaces.rs"]
mod surfaces;
mod tables;
#[path = "../common/triangles.rs"]
mod triangles;

use crate::oracle::vector::greater;
use conformance::solid;
use subsolid::backend::{Backend, Cpu, Cuda, Limit, Precision, Strategy};
use subsolid::limit::Solid;
use subsolid::mesh::{SolidMesh, shape::Shape};
use subsolid::plan::{Quantity, Samples, Want};

/// The first device. Fails where there is none: who asks for these tests has one.
fn gpu(precision: Precision) -> Cuda {
    Cuda::new(0, precision).unwrap_or_else(|error| panic!("these tests need a GPU: {error}"))
}

/// Conformance of one strategy in both precisions.
macro_rules! strategy {
    ($single:ident, $double:ident, $strategy:ident) => {
        solid_conformance!(
            #[ignore = "needs an NVIDIA GPU"]
            $single,
            gpu(Precision::F32).with_strategy(Strategy::$strategy),
            4e-6
        );
        solid_conformance!(
            #[ignore = "needs an NVIDIA GPU"]
            $double,
            gpu(Precision::F64).with_strategy(Strategy::$strategy),
            1e-13
        );
    };
}

strategy!(auto_f32, auto_f64, Auto);
strategy!(thread_f32, thread_f64, Thread);
strategy!(warp_f32, warp_f64, Warp);
strategy!(hybrid_f32, hybrid_f64, Hybrid);

fn shape(name: &str, sizes: &[usize]) -> SolidMesh {
    let mut mesh = Shape::parse(name, sizes).unwrap().build().unwrap();
    solid::shake(&mut mesh, 0.03);
    mesh
}

/// Largest distance of positions, attributes and derivatives from those of the CPU in double
/// precision, relative to the largest number of each.
fn distance(found: &Limit, expected: &Limit) -> f64 {
    assert_eq!(found.len(), expected.len());
    let [found, expected] = [found, expected].map(|limit| {
        let positions = std::iter::once(&limit.positions).chain(&limit.derivatives);
        let of_attributes = limit.attribute_derivatives.iter().flatten();
        positions.chain(&limit.attributes).chain(of_attributes).collect::<Vec<_>>()
    });
    assert_eq!(found.len(), expected.len());
    let mut worst: f64 = 0.0;
    for (found, expected) in found.into_iter().zip(expected) {
        assert_eq!(found.len(), expected.len());
        let finite = (0..expected.len()).map(|i| expected.get(i)).filter(|x| x.is_finite());
        let size = finite.fold(1.0_f64, |m, x| m.max(x.abs()));
        for i in 0..expected.len() {
            let (a, b) = (found.get(i), expected.get(i));
            assert_eq!(a.is_nan(), b.is_nan(), "number {i}");
            worst = greater(worst, if a.is_nan() { 0.0 } else { (a - b).abs() / size });
        }
    }
    worst
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn any_number_of_samples() {
    for (precision, tolerance) in [(Precision::F32, 4e-6), (Precision::F64, 1e-13)] {
        let gpu = gpu(precision);
        for (name, sizes) in [("fan", &[5, 3, 2][..]), ("box", &[2, 2, 6]), ("link-3444555", &[2])]
        {
            let mesh = shape(name, sizes);
            let solid = Solid::new(&mesh).unwrap();
            for samples in [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 33] {
                let want = if samples < 10 { Want::FIRST } else { Want::POSITION };
                let plan = solid.plan(&Samples::grid(samples), want).unwrap();
                let found = gpu.evaluate(&plan, mesh.controls()).unwrap();
                let expected = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
                let error = distance(&found, &expected);
                assert!(error <= tolerance, "{name}, {samples} samples: {error:e}");
            }
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_single_cell_and_empty_classes() {
    for (precision, tolerance) in [(Precision::F32, 4e-6), (Precision::F64, 1e-13)] {
        let gpu = gpu(precision);
        // one cell; regular cells alone (all edges of the box sharp); layered ones alone
        let single = shape("box", &[1, 1, 1]);
        let mut sharp = shape("box", &[3, 3, 3]);
        subsolid::refine::crease_by_angle(&mut sharp, 40.0).unwrap();
        for mesh in [single, sharp, shape("fan", &[5, 2, 1])] {
            let solid = Solid::new(&mesh).unwrap();
            let plan = solid.plan(&Samples::grid(8), Want::FIRST).unwrap();
            let found = gpu.evaluate(&plan, mesh.controls()).unwrap();
            let expected = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
            let error = distance(&found, &expected);
            assert!(error <= tolerance, "{error:e}");
        }
    }
}

/// More results than one piece of a copy, and more cells than warps; pieces come again with other
/// control points, and are cut anew for other elements.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn more_cells_than_one_copy_are_those_of_the_cpu() {
    for (precision, tolerance) in [(Precision::F32, 4e-6), (Precision::F64, 1e-13)] {
        let gpu = gpu(precision);
        let mut mesh = shape("box", &[40, 40, 40]);
        let solid = Solid::new(&mesh).unwrap();
        let plan = solid.plan(&Samples::grid(5), Want::POSITION).unwrap();
        let (mut evaluator, mut cpu) =
            (gpu.prepare(&plan).unwrap(), Cpu::default().prepare(&plan).unwrap());
        let (mut found, mut expected) = (Limit::default(), Limit::default());
        for range in [0..64_000, 0..64_000, 7_000..64_000, 0..64_000] {
            evaluator.evaluate(mesh.controls(), range.clone(), &mut found).unwrap();
            cpu.evaluate(mesh.controls(), range.clone(), &mut expected).unwrap();
            let error = distance(&found, &expected);
            assert!(error <= tolerance, "{range:?}: {error:e}");
            solid::shake(&mut mesh, 0.02);
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_million_cells_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F32);
    let mesh = shape("box", &[100, 100, 100]);
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(2), Want::POSITION).unwrap();
    let found = gpu.evaluate(&plan, mesh.controls()).unwrap();
    let expected = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let error = distance(&found, &expected);
    assert!(error <= 4e-6, "{error:e}");
}

/// Cells in bricks of eight, numbered at random, range by range: bricks reach beyond their
/// ranges, and derivatives and attributes come along.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn bricks_in_ranges() {
    for (precision, tolerance) in [(Precision::F32, 4e-6), (Precision::F64, 1e-13)] {
        let gpu = gpu(precision);
        let mut mesh = shape("box", &[31, 30, 29]);
        let values = mesh.points.iter().flat_map(|p| [p[0] * p[1], p[2]]).collect();
        mesh.attributes.push(subsolid::mesh::Attribute { name: "two".into(), width: 2, values });
        let solid = Solid::new(&mesh).unwrap();
        for (samples, want) in
            [(2, Want::POSITION), (3, Want::FIRST), (4, Want::POSITION), (8, Want::POSITION)]
        {
            let plan = solid.plan(&Samples::grid(samples), want).unwrap();
            let (mut evaluator, mut cpu) =
                (gpu.prepare(&plan).unwrap(), Cpu::default().prepare(&plan).unwrap());
            let (mut found, mut expected) = (Limit::default(), Limit::default());
            for range in [0..26_970, 0..1, 907..9_001, 13_333..26_970] {
                evaluator.evaluate(mesh.controls(), range.clone(), &mut found).unwrap();
                cpu.evaluate(mesh.controls(), range.clone(), &mut expected).unwrap();
                let error = distance(&found, &expected);
                assert!(error <= tolerance, "{samples} samples, {range:?}: {error:e}");
            }
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn results_are_bitwise_equal_from_run_to_run() {
    for precision in [Precision::F32, Precision::F64] {
        let gpu = gpu(precision);
        let mesh = shape("link-3444555", &[3]);
        let solid = Solid::new(&mesh).unwrap();
        let plan = solid.plan(&Samples::grid(8), Want::FIRST | Want::SECOND).unwrap();
        let mut evaluator = gpu.prepare(&plan).unwrap();
        let all = 0..solid.elements().len();
        let mut first = Limit::default();
        evaluator.evaluate(mesh.controls(), all.clone(), &mut first).unwrap();
        let bits = |limit: &Limit| {
            let fields = std::iter::once(&limit.positions).chain(&limit.derivatives);
            let bits = fields.flat_map(|f| (0..f.len()).map(|i| f.get(i).to_bits()));
            bits.collect::<Vec<_>>()
        };
        let expected = bits(&first);
        for run in 0..20 {
            let mut again = Limit::default();
            evaluator.evaluate(mesh.controls(), all.clone(), &mut again).unwrap();
            assert!(bits(&again) == expected, "run {run}");
        }
    }
}

/// Results on the device: the graph is replayed with moved control points.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn results_stay_on_the_device() {
    for (precision, tolerance) in [(Precision::F32, 1e-4), (Precision::F64, 1e-11)] {
        let gpu = gpu(precision);
        let mut mesh = shape("fan", &[5, 3, 2]);
        let solid = Solid::new(&mesh).unwrap();
        let want = Want::DETERMINANT | Want::LEAST_DETERMINANT;
        let plan = solid.plan(&Samples::gauss(4).unwrap(), want).unwrap();
        let mut evaluator = gpu.prepare_on_device(&plan).unwrap();
        let all = 0..solid.elements().len();
        for _ in 0..3 {
            solid::shake(&mut mesh, 0.02);
            evaluator.upload(mesh.controls()).unwrap();
            let points = evaluator.launch(all.clone()).unwrap();
            assert_eq!(points.positions.len(), all.len() * 64);
            let [(_, found), (_, least)] = &points.quantities[..] else { panic!("both") };
            let [found, least] = [found, least].map(|array| points.read(array).unwrap());
            let expected = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
            let expected = expected.quantity(Quantity::Determinant, None).unwrap();
            assert_eq!(found.len(), expected.len());
            for (i, (a, b)) in found.iter().zip(expected.iter()).enumerate() {
                assert!((a - b).abs() <= tolerance, "result {i}: {a} {b}");
            }
            assert_eq!(least.len(), all.len());
            for (least, all) in least.iter().zip(found.chunks(64)) {
                assert_eq!(*least, all.iter().copied().fold(f64::INFINITY, f64::min));
            }
        }
        let [first, second] = [(); 2].map(|()| evaluator.launch(all.clone()).unwrap());
        assert_eq!(first.positions.precision(), precision);
        let error = first.read(&second.positions).unwrap_err();
        assert!(error.to_string().contains("other memory"), "{error}");
    }
}

/// Far from the origin, errors stay those of the coordinates' own rounding.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn distance_from_the_origin_costs_no_accuracy() {
    let gpu = gpu(Precision::F32);
    let mut mesh = shape("link-3444555", &[2]);
    let (low, high) = mesh.bounds().unwrap();
    let size = (0..3).map(|d| high[d] - low[d]).fold(0.0, f64::max);
    let shift = 1e4 * size;
    mesh.points.as_flattened_mut().iter_mut().for_each(|x| *x += shift);
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(8), Want::POSITION).unwrap();
    let found = gpu.evaluate(&plan, mesh.controls()).unwrap();
    let expected = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let ulp = f64::from(f32::EPSILON) * 2_f64.powf((shift + size).log2().floor());
    for i in 0..expected.positions.len() {
        let error = (found.positions.get(i) - expected.positions.get(i)).abs();
        assert!(error <= 2.0 * ulp, "{error:e}");
    }
}

#[test]
fn wrong_devices_are_refused_in_words() {
    let error = Cuda::new(99, Precision::F32).unwrap_err();
    assert!(error.to_string().contains("CUDA") || error.to_string().contains("NVRTC"), "{error}");
}

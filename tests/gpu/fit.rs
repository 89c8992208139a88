//! Interpolation by limit masks on the device: the CPU's bits.

use subsolid::backend::{Backend, Choice, Cpu, Precision};
use subsolid::fit::LimitSystem;
use subsolid::jobs::fit::FitRequest;
use subsolid::limit::Solid;
use subsolid::mesh::{Attribute, SolidMesh, shape::Shape};
use subsolid::scheme::{Scheme, Stencils};
use subsolid::surface::boundary_surface;
use subsolid::surface::limit::LimitSurface;

use super::gpu;
use crate::oracle::random::Random;

fn shape(shape: Shape) -> SolidMesh {
    shape.build().unwrap()
}

fn cells(cells: [usize; 3]) -> SolidMesh {
    shape(Shape::Box { cells })
}

fn boundary_masks(mesh: &SolidMesh) -> Stencils {
    let skin = boundary_surface(mesh).unwrap();
    let surface = LimitSurface::of_mesh(&skin, Scheme::CatmullClark).unwrap();
    surface.vertex_masks().positions().clone()
}

/// Of surfaces and solids: Chebyshev alone, and with valences and a singular system that need
/// conjugate gradients.
fn systems() -> Vec<(&'static str, Stencils)> {
    let fan = shape(Shape::Fan { valence: 24, layers: 2, rings: 2 });
    let mut creased = cells([9, 8, 7]);
    subsolid::refine::crease_by_angle(&mut creased, 40.0).unwrap();
    vec![
        ("box", boundary_masks(&cells([20, 11, 7]))),
        ("creased box", boundary_masks(&creased)),
        ("fan", boundary_masks(&fan)),
        ("one cell", boundary_masks(&cells([1; 3]))),
        ("solid", Solid::new(&cells([12, 13, 9])).unwrap().limit_matrix()),
        ("solid fan", Solid::new(&fan).unwrap().limit_matrix()),
    ]
}

fn values(count: usize) -> Vec<f64> {
    let mut random = Random::new(11);
    (0..count).map(|i| (i % 17) as f64 + random.between(-1.0, 1.0)).collect()
}

/// Limits of some values, so that controls exist.
fn limits(rows: &Stencils, width: usize) -> Vec<f64> {
    rows.apply(&values(width * rows.len()), width)
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn vectors_are_those_of_the_cpu_bit_by_bit() {
    let gpu = gpu(Precision::F64);
    for (name, rows) in systems() {
        for width in [1, 3, 5] {
            let run = |backend: &dyn Backend| {
                let mut vectors = backend.vectors(&rows).unwrap();
                vectors.start(width, 3).unwrap();
                vectors.set(0, &values(width * rows.len())).unwrap();
                vectors.apply(0, 1).unwrap();
                vectors.apply_transposed(1, 2).unwrap();
                vectors.combine(2, [0.3, -1.7], 0).unwrap();
                let mut found = vec![vectors.dot(1, 2).unwrap(), vectors.largest(2).unwrap()];
                (0..3).for_each(|v| found.extend(vectors.read(v).unwrap()));
                bits(&found)
            };
            assert!(run(&gpu) == run(&Cpu::default()), "{name}, width {width}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn one_nan_makes_the_largest_nan() {
    let rows = boundary_masks(&cells([30, 20, 12]));
    let gpu = gpu(Precision::F64);
    let mut vectors = gpu.vectors(&rows).unwrap();
    vectors.start(4, 1).unwrap();
    for at in [0, 255, 256, 4095, 4 * rows.len() - 1] {
        let mut values = values(4 * rows.len());
        values[at] = f64::NAN;
        vectors.set(0, &values).unwrap();
        assert!(vectors.largest(0).unwrap().is_nan(), "{at}");
        values[at] = -1e9;
        vectors.set(0, &values).unwrap();
        assert_eq!(vectors.largest(0).unwrap(), 1e9);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn controls_are_those_of_the_cpu_bit_by_bit() {
    let gpu = gpu(Precision::F64);
    for (name, rows) in systems() {
        let system = LimitSystem::new(rows);
        let mut on_gpu = system.solver(&gpu).unwrap();
        let mut on_cpu = system.solver(&Cpu::default()).unwrap();
        for width in [3, 1, 6, 3] {
            let values = limits(system.rows(), width);
            let [found, expected] = [&mut on_gpu, &mut on_cpu].map(|s| s.solve(&values, width));
            match (found, expected) {
                (Ok(found), Ok(expected)) => {
                    assert!(bits(&found) == bits(&expected), "{name}, width {width}");
                }
                (Err(found), Err(expected)) => assert_eq!(found.to_string(), expected.to_string()),
                (found, expected) => panic!("{name}: {found:?} {expected:?}"),
            }
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn fits_are_those_of_the_cpu() {
    let mut mesh = cells([6, 5, 4]);
    let values = mesh.points.iter().flat_map(|p| [p[0].sin(), p[1] * p[2]]).collect();
    mesh.attributes.push(Attribute { name: "two".into(), width: 2, values });
    let fitted = |backend: Choice| {
        let mut mesh = mesh.clone();
        let request = FitRequest { backend, ..FitRequest::default() };
        request.run_solid(&mut mesh, None, &mut ()).unwrap();
        (mesh.points, mesh.attributes)
    };
    assert!(fitted(Choice::Cuda(0)) == fitted(Choice::Cpu));
}

/// Prints times of solutions that stay on the processor, and of all with copies. Run it alone, in
/// release: `cargo test --release --test gpu -- --ignored --nocapture interpolation_is_timed`.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn interpolation_is_timed() {
    let gpu = gpu(Precision::F64);
    for side in [22, 100] {
        let mesh = cells([side; 3]);
        let solid = Solid::new(&mesh).unwrap().limit_matrix();
        for (name, rows) in [("boundary", boundary_masks(&mesh)), ("solid", solid)] {
            let system = LimitSystem::new(rows);
            let values = limits(system.rows(), 3);
            let mut all = Vec::new();
            for (processor, backend) in [("GPU", &gpu as &dyn Backend), ("CPU", &Cpu::default())] {
                let started = std::time::Instant::now();
                let mut solver = system.solver(backend).unwrap();
                let copied = started.elapsed().as_secs_f64();
                solver.solve(&values, 3).unwrap(); // compiles, and makes memory
                let started = std::time::Instant::now();
                all.push(bits(&solver.solve(&values, 3).unwrap()));
                println!(
                    "{} cells, {name}: {} rows, {} entries, {processor}: {:.4} s resident, {:.4} s \
                     with values copied, {copied:.4} s for the matrix",
                    side.pow(3),
                    system.rows().len(),
                    system.rows().entries(),
                    solver.seconds(),
                    started.elapsed().as_secs_f64(),
                );
            }
            assert!(all[0] == all[1], "{name}, {side}");
        }
    }
}

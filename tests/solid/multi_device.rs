//! Several backends as one: CPUs stand in for devices.

use std::ops::Range;
use std::sync::Arc;

use crate::conformance::solid;
use crate::solid_conformance;
use crate::support::meshes;
use subsolid::backend::{
    Backend, Cpu, Evaluator, LaunchReport, Limit, MultiDevice, Precision, SharedBackend,
    SparseVectors, SurfaceEvaluator, SurfaceProcessor, SurfaceRefiner, SurfaceTask,
};
use subsolid::limit::Solid;
use subsolid::mesh::{Attribute, Controls, SolidMesh, SurfaceMesh};
use subsolid::plan::{Location, Plan, Samples, Want};
use subsolid::scheme::Stencils;
use subsolid::surface::SurfaceOptions;
use subsolid::{Error, Result};

fn cpus(count: usize, precision: Precision) -> MultiDevice {
    let cpu = || Arc::new(Cpu::new(precision)) as SharedBackend;
    MultiDevice::new((0..count).map(|_| cpu()).collect(), precision).unwrap()
}

solid_conformance!(three_f64, cpus(3, Precision::F64), 1e-13);
solid_conformance!(two_f32, cpus(2, Precision::F32), 4e-6);

/// A device that evaluates so many elements at once, and no more.
struct Small {
    most: usize,
}

struct SmallEvaluator<'p> {
    cpu: Box<dyn Evaluator + 'p>,
    most: usize,
}

// SAFETY: that of the CPU's.
unsafe impl Evaluator for SmallEvaluator<'_> {
    fn evaluate(
        &mut self,
        controls: Controls<'_>,
        elements: Range<usize>,
        limit: &mut Limit,
    ) -> Result<()> {
        if elements.len() > self.most {
            // what is there by then means nothing
            self.cpu.evaluate(controls, elements.start..elements.start + 1, limit)?;
            return Err(Error::request("out of memory").with_help("buy some"));
        }
        self.cpu.evaluate(controls, elements, limit)
    }

    fn time(
        &mut self,
        controls: &[Controls<'_>],
        elements: Range<usize>,
        repeats: usize,
    ) -> Result<Vec<f64>> {
        self.cpu.time(controls, elements, repeats)
    }

    fn explain(
        &mut self,
        attributes: &[usize],
        elements: Range<usize>,
    ) -> Result<Vec<LaunchReport>> {
        self.cpu.explain(attributes, elements)
    }
}

impl Backend for Small {
    fn name(&self) -> String {
        format!("device of {} elements", self.most)
    }

    fn prepare<'p>(&self, plan: &'p Plan<'_>) -> Result<Box<dyn Evaluator + 'p>> {
        Ok(Box::new(SmallEvaluator { cpu: Cpu::default().prepare(plan)?, most: self.most }))
    }

    fn refine_surface(
        &self,
        mesh: &SurfaceMesh,
        options: &SurfaceOptions,
    ) -> Result<Box<dyn SurfaceRefiner>> {
        Cpu::default().refine_surface(mesh, options)
    }

    fn prepare_surface<'s>(&self, task: SurfaceTask<'s>) -> Result<Box<dyn SurfaceEvaluator + 's>> {
        Cpu::default().prepare_surface(task)
    }

    fn process_surface(&self, mesh: &SurfaceMesh) -> Result<Box<dyn SurfaceProcessor>> {
        Cpu::default().process_surface(mesh)
    }

    fn vectors<'s>(&self, rows: &'s Stencils) -> Result<Box<dyn SparseVectors + 's>> {
        Cpu::default().vectors(rows)
    }

    fn time_writing(&self, bytes: usize, repeats: usize) -> Result<Vec<f64>> {
        Cpu::default().time_writing(bytes, repeats)
    }
}

fn mixed(members: &[Option<usize>]) -> MultiDevice {
    let member = |most: &Option<usize>| match most {
        Some(most) => Arc::new(Small { most: *most }) as SharedBackend,
        None => Arc::new(Cpu::default()) as SharedBackend,
    };
    MultiDevice::new(members.iter().map(member).collect(), Precision::F64).unwrap()
}

fn with_attribute(mut mesh: SolidMesh) -> SolidMesh {
    solid::shake(&mut mesh, 0.03);
    let values = mesh.points.iter().flat_map(|p| [p[0] * p[1], p[2].sin()]).collect();
    mesh.attributes.push(Attribute { name: "a".into(), width: 2, values });
    mesh
}

/// The bits of everything in a limit.
fn bits(limit: &Limit) -> Vec<Vec<u64>> {
    let arrays = std::iter::once(&limit.positions)
        .chain(&limit.derivatives)
        .chain(&limit.attributes)
        .chain(limit.attribute_derivatives.iter().flatten())
        .chain(limit.quantities.iter().map(|derived| &derived.values));
    arrays.map(|values| values.iter().map(f64::to_bits).collect()).collect()
}

fn everything() -> Want {
    Want::ATTRIBUTE_FIRST | Want::GRADIENT | Want::DETERMINANT | Want::LEAST_DETERMINANT
}

#[test]
fn several_write_the_bits_of_one() {
    for mesh in [meshes::block([1, 1, 1]), meshes::block([2, 2, 6]), meshes::fan(5, 3, 4)] {
        let mesh = with_attribute(mesh);
        let solid = Solid::new(&mesh).unwrap();
        let plan = solid.plan(&Samples::grid(3), everything()).unwrap();
        for precision in [Precision::F32, Precision::F64] {
            let one = Cpu::new(precision);
            let ranges = [
                0..solid.elements().len(),
                0..1,
                solid.elements().len() / 3..solid.elements().len(),
            ];
            for range in ranges {
                let evaluate = |backend: &dyn Backend| {
                    let mut limit = Limit::default();
                    let mut evaluator = backend.prepare(&plan).unwrap();
                    evaluator.evaluate(mesh.controls(), range.clone(), &mut limit).unwrap();
                    let first = bits(&limit);
                    // memory of the last evaluation is used again
                    evaluator.evaluate(mesh.controls(), range.clone(), &mut limit).unwrap();
                    assert!(bits(&limit) == first);
                    assert_eq!(limit.elements, range);
                    first
                };
                let expected = evaluate(&one);
                assert!(expected.len() > 10 && expected[0].len() == range.len() * 81);
                for count in [1, 2, 3, 5, 40] {
                    assert!(evaluate(&cpus(count, precision)) == expected, "{count}, {range:?}");
                }
            }
        }
    }
}

#[test]
fn several_share_scattered_samples() {
    let mesh = with_attribute(meshes::fan(5, 3, 4));
    let solid = Solid::new(&mesh).unwrap();
    let elements = solid.elements().len() as u32;
    let place = |i: u32| Location {
        element: i * 7 % elements,
        parameters: [3, 5, 7].map(|d| f64::from(i * d % 11) / 10.0),
    };
    for count in [1, 10, 1000] {
        let samples = Samples::Points((0..count).map(place).collect());
        let plan = solid.plan(&samples, Want::ATTRIBUTE_FIRST | Want::GRADIENT).unwrap();
        let expected = bits(&Cpu::default().evaluate(&plan, mesh.controls()).unwrap());
        for members in [1, 2, 3, 7] {
            let found = cpus(members, Precision::F64).evaluate(&plan, mesh.controls()).unwrap();
            assert!(bits(&found) == expected, "{count} samples, {members} members");
        }
    }
}

/// A device that has too little memory is given less at a time.
#[test]
fn smaller_runs_follow_a_failure() {
    let mesh = with_attribute(meshes::block([4, 4, 4]));
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(3), everything()).unwrap();
    let expected = bits(&Cpu::default().evaluate(&plan, mesh.controls()).unwrap());
    for members in [&[Some(1), None][..], &[Some(5), Some(17)], &[None, Some(3), None]] {
        let found = mixed(members).evaluate(&plan, mesh.controls()).unwrap();
        assert!(bits(&found) == expected, "{members:?}");
    }
}

#[test]
fn a_device_that_always_fails_is_named() {
    let mesh = meshes::block([4, 4, 4]);
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(3), Want::POSITION).unwrap();
    let error = mixed(&[None, Some(0)]).evaluate(&plan, mesh.controls()).unwrap_err();
    assert_eq!(error.to_string(), "device of 0 elements: out of memory");
    assert_eq!(error.help().unwrap().to_string(), "buy some");
    assert!(MultiDevice::new(Vec::new(), Precision::F64).is_err());
}

/// What belongs to the request and not to a device is said once.
#[test]
fn wrong_requests_name_no_device() {
    let mesh = meshes::block([2, 2, 2]);
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(3), Want::POSITION).unwrap();
    let several = cpus(2, Precision::F64);
    let mut evaluator = several.prepare(&plan).unwrap();
    let mut limit = Limit::default();
    let message = |result: Result<()>| result.unwrap_err().to_string();
    assert!(!message(evaluator.evaluate(mesh.controls(), 0..9, &mut limit)).contains("CPU"));
    let few = Controls { positions: &mesh.points[1..], ..mesh.controls() };
    assert!(!message(evaluator.evaluate(few, 0..8, &mut limit)).contains("CPU"));
}

#[test]
fn several_are_timed_and_explained() {
    let mesh = meshes::block([3, 3, 3]);
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(3), Want::POSITION).unwrap();
    let several = cpus(2, Precision::F64);
    let mut evaluator = several.prepare(&plan).unwrap();
    let times = evaluator.time(&[mesh.controls()], 0..27, 3).unwrap();
    assert!(times.len() == 3 && times.iter().all(|&seconds| seconds > 0.0));
    let samples = |work: Vec<LaunchReport>| work.iter().map(|work| work.samples).sum::<usize>();
    assert_eq!(samples(evaluator.explain(&[], 0..27).unwrap()), 27 * 27);
    assert_eq!(several.time_writing(1 << 20, 2).unwrap().len(), 2);
}

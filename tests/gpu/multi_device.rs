//! One device listed twice, and all devices, against one.

use std::sync::Arc;

use super::shape;
use crate::solid_conformance;
use subsolid::backend::{
    Backend, Choice, Cuda, Limit, MultiDevice, Precision, SharedBackend, Strategy, choose, cuda,
};
use subsolid::limit::Solid;
use subsolid::plan::{Location, Samples, Want};

fn several(ordinals: &[usize], precision: Precision) -> MultiDevice {
    let open = |&ordinal: &usize| {
        let gpu = Cuda::new(ordinal, precision);
        let gpu = gpu.unwrap_or_else(|error| panic!("these tests need a GPU: {error}"));
        Arc::new(gpu) as SharedBackend
    };
    MultiDevice::new(ordinals.iter().map(open).collect(), precision).unwrap()
}

solid_conformance!(
    #[ignore = "needs an NVIDIA GPU"]
    twice_f32,
    several(&[0, 0], Precision::F32),
    4e-6
);
solid_conformance!(
    #[ignore = "needs an NVIDIA GPU"]
    twice_f64,
    several(&[0, 0], Precision::F64),
    1e-13
);

/// The bits of positions, derivatives and quantities.
fn bits(limit: &Limit) -> Vec<u64> {
    let arrays = std::iter::once(&limit.positions)
        .chain(&limit.derivatives)
        .chain(limit.quantities.iter().map(|derived| &derived.values));
    arrays.flat_map(|values| values.iter()).map(f64::to_bits).collect()
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn devices_together_write_the_bits_of_one() {
    let all: Vec<usize> = cuda::devices().unwrap().iter().map(|d| d.ordinal).collect();
    for mesh in [shape("box", &[40, 41, 39]), shape("link-3444555", &[6]), shape("box", &[1, 1, 1])]
    {
        let solid = Solid::new(&mesh).unwrap();
        let want = Want::FIRST | Want::DETERMINANT | Want::LEAST_DETERMINANT;
        let grid = solid.plan(&Samples::grid(5), want).unwrap();
        let elements = solid.elements().len() as u32;
        let place = |i: u32| Location {
            element: i * 7 % elements,
            parameters: [3, 5, 7].map(|d| f64::from(i * d % 11) / 10.0),
        };
        let points = Samples::Points((0..100_000).map(place).collect());
        let points = solid.plan(&points, Want::FIRST).unwrap();
        for precision in [Precision::F32, Precision::F64] {
            for plan in [&grid, &points] {
                let one = Cuda::new(0, precision).unwrap().evaluate(plan, mesh.controls()).unwrap();
                for list in [&[0][..], &[0, 0], &[0, 0, 0], &all] {
                    let found = several(list, precision).evaluate(plan, mesh.controls()).unwrap();
                    assert!(bits(&found) == bits(&one), "{list:?}, {precision:?}");
                }
            }
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn lists_of_devices_are_opened() {
    for list in ["cuda:0,0", "cuda:all"] {
        let choice: Choice = list.parse().unwrap();
        assert!(choose(choice, Precision::F32, Strategy::Auto).unwrap().name().contains("cuda:0"));
    }
    let missing: Choice = "cuda:0,99".parse().unwrap();
    let error = choose(missing, Precision::F32, Strategy::Auto).err().unwrap();
    assert!(error.to_string().contains("99"), "{error}");
}

//! Numbers that a precision holds, and those whose products it does not.

use std::sync::LazyLock;

use subsolid::Solid;
use subsolid::backend::{Backend, Cpu, Precision};
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{Attribute, Controls};
use subsolid::plan::{Samples, Want};

static SOLID: LazyLock<Solid> =
    LazyLock::new(|| Solid::new(&Shape::Box { cells: [1; 3] }.build().unwrap()).unwrap());

/// Whether a cube with these control points and values evaluates.
fn passes(points: &[[f64; 3]; 8], values: &[f64], want: Want, precision: Precision) -> bool {
    let plan = SOLID.plan(&Samples::grid(2), want).unwrap();
    let values = values.iter().copied().chain(std::iter::repeat(0.0)).take(8).collect();
    let heat = [Attribute { name: "heat".into(), width: 1, values }];
    let controls = Controls { positions: points, attributes: &heat };
    Cpu::new(precision).evaluate(&plan, controls).is_ok()
}

/// A flat cube of such a size.
fn span(x: f64) -> [[f64; 3]; 8] {
    std::array::from_fn(|i| {
        [if i & 1 == 1 { x } else { 0.0 }, if i & 2 == 2 { 0.5 * x } else { 0.0 }, 0.0]
    })
}

#[test]
fn coordinates_in_range_pass() {
    for (x, f32_fits, f64_fits) in [
        (1.0, true, true),
        (1e17, true, true),
        (1e-17, true, true),
        (1e19, false, true),
        (1e-19, false, true),
        (1e69, false, true),
        (1e-69, false, true),
        (1e101, false, false),
        (1e-101, false, false),
        (f64::INFINITY, false, false),
        (f64::NAN, false, false),
    ] {
        let fits = |precision| passes(&span(x), &[], Want::POSITION, precision);
        assert_eq!([fits(Precision::F32), fits(Precision::F64)], [f32_fits, f64_fits], "{x}");
    }
    // no size at all, far away
    assert!(passes(&[[1e5; 3]; 8], &[], Want::POSITION, Precision::F32));
}

#[test]
fn cubes_of_lengths_fit_too() {
    for (x, f32_fits) in [(1.0, true), (1e11, true), (1e-8, true), (1e13, false), (1e-10, false)] {
        for want in [Want::DETERMINANT, Want::LEAST_DETERMINANT] {
            assert_eq!(passes(&span(x), &[], want, Precision::F32), f32_fits, "{x}");
            assert!(passes(&span(x), &[], want, Precision::F64));
        }
    }
}

#[test]
fn attributes_in_range_pass() {
    for (values, fits) in [
        (&[0.0, 0.0][..], true),
        (&[0.0, 1e-30, 5.0], true),
        (&[f64::NAN, f64::INFINITY, 1.0], true),
        (&[1.0, -1e19], false),
        (&[0.0, 1e-19, -1e-30], false),
    ] {
        let pass = |precision| passes(&span(1.0), values, Want::POSITION, precision);
        assert_eq!([pass(Precision::F32), pass(Precision::F64)], [fits, true], "{values:?}");
    }
}

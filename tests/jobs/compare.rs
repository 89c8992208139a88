//! Differences of two limits.

use subsolid::backend::{Backend, Cpu, Precision, Values};
use subsolid::compare::{Differences, ErrorClass, compare};
use subsolid::mesh::shape::Shape;
use subsolid::{Limit, Samples, Solid, SolidMesh, Want};

fn box_of(cells: [usize; 3]) -> SolidMesh {
    Shape::Box { cells }.build().unwrap()
}

/// A step from a number to the next is one unit in the last place of it, in both precisions.
#[test]
fn spacing_of_numbers() {
    let mesh = box_of([1, 1, 1]);
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(2), Want::POSITION).unwrap();
    let largest = |reference: f64, tested: Values| {
        let positions = Values::F64([reference, 0.0, 0.0].repeat(8).into());
        let reference = Limit { elements: 0..1, positions, ..Limit::default() };
        let tested = Limit { positions: tested, ..reference.clone() };
        let mut differences = Differences::default();
        differences.add(&plan, &tested, &reference).unwrap();
        differences.summary().all.ulp.maximum
    };
    for value in [0.0, 1.0_f32, 1.5, 0.75, 3.0, 1e-30, 6.5e20] {
        let next = f32::from_bits(value.to_bits() + 1);
        assert_eq!(largest(value.into(), Values::F32([next, 0.0, 0.0].repeat(8).into())), 1.0);
    }
    for value in [1.0_f64, 0.1, 7e100, 1e-100] {
        let next = f64::from_bits(value.to_bits() + 1);
        assert_eq!(largest(value, Values::F64([next, 0.0, 0.0].repeat(8).into())), 1.0);
    }
}

/// The spacing of single precision at a normal number.
fn single_ulp(x: f64) -> f64 {
    let x = x as f32;
    f64::from(f32::from_bits(x.to_bits() + 1)) - f64::from(x)
}

/// Two cells of eight samples, of which two are wrong by known amounts.
#[test]
fn errors_worked_out_by_hand() {
    let mesh = box_of([2, 1, 1]);
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(2), Want::POSITION).unwrap();
    // cell 0 within [0, 1]³, cell 1 within [4, 5] × [0, 1]²
    let corner = |i: usize| [i & 1, i >> 1 & 1, i >> 2].map(|x| x as f64);
    let points = (0..16).map(|i| {
        let [x, y, z] = corner(i % 8);
        [x + if i < 8 { 0.0 } else { 4.0 }, y, z]
    });
    let reference = Limit {
        elements: 0..2,
        positions: Values::F64(points.flatten().collect()),
        ..Limit::default()
    };
    let Values::F64(numbers) = &reference.positions else { unreachable!() };
    let mut wrong: Vec<f32> = numbers.iter().map(|&x| x as f32).collect();
    let step = f32::EPSILON;
    // (3, 0, 4) ulp of 1 in sample 3 of cell 0; (0, 12, 0) in sample 7 of cell 1
    wrong[9] += 3.0 * step;
    wrong[11] += 4.0 * step;
    wrong[46] += 12.0 * step;
    let tested = Limit { positions: Values::F32(wrong.into()), ..reference.clone() };

    let mut differences = Differences::default();
    let errors = differences.add(&plan, &tested, &reference).unwrap().to_vec();
    let unit = f64::from(step);
    let expected = |i| match i {
        3 => 5.0 * unit,
        15 => 12.0 * unit,
        _ => 0.0,
    };
    assert!(errors.iter().enumerate().all(|(i, &e)| e == expected(i)), "{errors:?}");

    let comparison = differences.summary();
    assert_eq!(comparison.diagonal, 27_f64.sqrt());
    // one class: neither cell of so small a box evaluates directly
    assert_eq!(comparison.classes.keys().collect::<Vec<_>>(), [&ErrorClass::Refined]);
    let all = &comparison.all;
    assert_eq!(comparison.classes[&ErrorClass::Refined], *all);
    assert_eq!((all.cells, all.samples), (2, 16));
    assert_eq!(all.absolute.mean, 17.0 * unit / 16.0);
    assert_eq!(all.absolute.rms, 13.0 * unit / 4.0);
    assert_eq!(all.absolute.maximum, 12.0 * unit);
    assert_eq!(all.absolute.percentile_99, 12.0 * unit);
    assert_eq!(all.relative.maximum, 12.0 * unit / 27_f64.sqrt());
    // an ulp is 2⁻²³ in cell 0, and four times that in cell 1, which reaches 5
    assert_eq!(all.ulp.maximum, 5.0);
    assert_eq!(all.ulp.mean, 8.0 / 16.0);
    let [worst, worst_ulp] = [all.worst, all.worst_ulp].map(Option::unwrap);
    assert_eq!((worst.cell, worst.parameters, worst.value), (1, [1.0; 3], 12.0 * unit));
    assert_eq!(worst.point, [5.0, 1.0, 1.0]);
    assert_eq!((worst_ulp.cell, worst_ulp.parameters), (0, [1.0, 1.0, 0.0]));
}

#[test]
fn a_percentile_is_the_upper_end_of_its_bin() {
    let mesh = box_of([1, 1, 1]);
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(10), Want::POSITION).unwrap();
    let limit = |numbers: Vec<f64>| Limit {
        elements: 0..1,
        positions: Values::F64(numbers.into()),
        ..Limit::default()
    };
    // errors 0.001, 0.002 … 1 along x
    let wrong = (0..3000).map(|i| if i % 3 == 0 { (i / 3 + 1) as f64 / 1000.0 } else { 0.0 });
    let mut differences = Differences::default();
    differences.add(&plan, &limit(wrong.collect()), &limit(vec![0.0; 3000])).unwrap();
    let found = differences.summary().all.absolute;
    assert!((0.99..0.99 * (1.0 + 1.0 / 128.0)).contains(&found.percentile_99), "{found:?}");
    assert_eq!(found.maximum, 1.0);

    let mut numbers = vec![0.0; 3000];
    numbers[4] = f64::NAN;
    let mut differences = Differences::default();
    differences.add(&plan, &limit(numbers), &limit(vec![0.0; 3000])).unwrap();
    let found = differences.summary().all.absolute;
    assert_eq!((found.maximum, found.percentile_99), (f64::INFINITY, 0.0));
}

#[test]
fn limits_that_do_not_belong_together_are_refused() {
    let mesh = box_of([2, 2, 2]);
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(2), Want::POSITION).unwrap();
    let whole = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let part = Limit { elements: 0..1, ..whole.clone() };
    assert!(Differences::default().add(&plan, &part, &whole).is_err());
    assert!(Differences::default().add(&plan, &part, &part).is_err());
    let location = subsolid::plan::Location { element: 0, parameters: [0.5; 3] };
    let scattered = solid.plan(&Samples::Points(vec![location]), Want::POSITION).unwrap();
    let limit = Cpu::default().evaluate(&scattered, mesh.controls()).unwrap();
    assert!(Differences::default().add(&scattered, &limit, &limit).is_err());
}

/// Errors of single precision on every shape, in place and far from the origin.
///
/// Cells evaluate relative to an origin of their own, so sums round by the extent of the
/// control net, and the final addition of that origin by the coordinate: the errors here
/// are in ulp of the larger of the two. Irregular cells sum over all control points of
/// their net, more than a hundred about a vertex of many edges.
///
/// Where a cell lies so close to the origin of the world that its coordinates are smaller
/// than its net, that is more in ulp of its coordinates alone: up to 10 on these shapes.
/// Far away the final rounding is all there is: √3/2 ulp.
#[test]
fn single_precision_is_within_ulps_of_net_and_coordinate() {
    let [single, double] = [Precision::F32, Precision::F64].map(Cpu::new);
    let (mut near, mut far) = ([0.0_f64; ErrorClass::ALL.len()], 0.0_f64);
    for shape in Shape::NAMES {
        let mut mesh = Shape::parse(shape.name, &[]).unwrap().build().unwrap();
        let solid = Solid::new(&mesh).unwrap();
        let plan = solid.plan(&Samples::grid(5), Want::POSITION).unwrap();
        let [found, expected] =
            [&single, &double].map(|cpu| cpu.evaluate(&plan, mesh.controls()).unwrap());
        let mut differences = Differences::default();
        let errors = differences.add(&plan, &found, &expected).unwrap();
        let points = solid.refined_points(mesh.points.as_flattened(), 3);
        for (element, errors) in errors.chunks_exact(125).enumerate() {
            let coordinates = 375 * element..375 * (element + 1);
            let largest = coordinates.map(|i| expected.positions.get(i).abs()).fold(0.0, f64::max);
            let leaves = solid.element_leaves(element).iter();
            let extent = leaves.map(|leaf| extent(solid.net(leaf), &points)).fold(0.0, f64::max);
            let worst = errors.iter().copied().fold(0.0, f64::max);
            let class = &mut near[ErrorClass::of(&solid, element) as usize];
            *class = class.max(worst / single_ulp(largest.max(extent)));
        }
        let (low, high) = mesh.bounds().unwrap();
        let diagonal = (0..3).map(|d| (high[d] - low[d]).powi(2)).sum::<f64>().sqrt();
        let shift = 1e4 * diagonal;
        mesh.points.iter_mut().for_each(|p| *p = p.map(|x| x + shift));
        let comparison = compare(&plan, mesh.controls(), &single, &double).unwrap();
        assert_eq!(comparison.all.samples, 125 * solid.elements().len());
        far = far.max(comparison.all.ulp.maximum);
    }
    let bounds = [2.0, 2.0, 2.0, 3.0, 2.0]; // in the order of the classes
    assert!(near.iter().zip(bounds).all(|(&worst, bound)| worst <= bound), "{near:?}");
    assert!(far < 0.875, "{near:?}, {far}");
}

/// The longest side of the box around a net.
fn extent(net: &[u32], points: &[f64]) -> f64 {
    let side = |d: usize| {
        let coordinates = net.iter().map(|&v| points[3 * v as usize + d]);
        let (low, high) = coordinates.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
        high - low
    };
    (0..3).map(side).fold(0.0, f64::max)
}

//! Layers as high as the slope of the limit allows, against its normals point by point; and as high as the
//! change of an attribute allows, against the limit of the attribute at points of columns.

use subsolid::Solid;
use subsolid::locate::{Containment, Locator};
use subsolid::mesh::{Attribute, CellArray, Controls, SolidMesh};
use subsolid::slice::{
    Axis, ChangeLimit, CuspLimits, HeightRule, LayerFrame, LayerHeights, Setting, SliceOptions,
    Slicer, SolidSource, Stack,
};
use subsolid::surface::{Scheme, SurfaceOptions, refine_surface, vertex_limits};

use super::{boundary, creased, on_side, shape, surfaces};
use crate::support::{Limits, meshes};
use crate::triangles::sphere;

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|d| a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3])
}

/// Layers of a model, and the limits that they keep.
fn layers(slicer: &Slicer) -> (Stack, CuspLimits) {
    let [low, high] = slicer.heights();
    let height = high - low;
    let limits = CuspLimits { heights: [height / 800.0, height / 30.0], cusp: height / 300.0 };
    let rule = slicer.adaptive(limits).expect("limits");
    let heights = LayerHeights { first: None, rule };
    let setting = Setting::new(slicer.frame(), heights.clone(), None).expect("layers");
    assert_eq!(heights.rule.exceeding(&setting.stack), [0; 2]);
    (setting.stack, limits)
}

/// Checks the cusps of all layers at points with their normals; `slack`: what patches are off the
/// limit, as a part of the cusp.
fn check(
    name: &str,
    slicer: &Slicer,
    points: impl Iterator<Item = ([f64; 3], [f64; 3])>,
    slack: f64,
) {
    let (stack, limits) = layers(slicer);
    let axis = slicer.axis().number();
    let mut largest = vec![0.0_f64; stack.count()];
    for (p, normal) in points {
        let layer =
            (0..stack.count()).collect::<Vec<_>>().partition_point(|&k| stack.slab(k)[1] < p[axis]);
        let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        if layer < stack.count() && length > 0.0 {
            let cusp = stack.height_of(layer) * normal[axis].abs() / length;
            largest[layer] = largest[layer].max(cusp);
        }
    }
    let worst = largest.iter().fold(0.0, |m: f64, x| m.max(*x)) / limits.cusp;
    // no layer could be much higher: the bound is near what there is
    let used: Vec<f64> = (0..stack.count() - 1)
        .map(|k| (largest[k] / limits.cusp).max(stack.height_of(k) / limits.heights[1]))
        .collect();
    let mean = used.iter().sum::<f64>() / used.len() as f64;
    println!("{name}: {} layers, cusps to {worst:.4}, {mean:.3} used", stack.count());
    assert!(worst <= 1.0 + slack, "{name}: {worst}");
    assert!(mean > 0.7, "{name}: {mean}");
    let (least, most) = (stack.least_height(), stack.layer_height());
    assert!(limits.heights[0] <= least * (1.0 + 1e-9) && most <= limits.heights[1] * (1.0 + 1e-9));
    assert!(least < 0.9 * most || worst < 1.0, "{name}: all layers are alike");
}

#[test]
fn no_cusp_of_a_solid_is_larger_than_asked_for() {
    for (name, mesh, axis) in [
        ("tripod", shape("tripod", &[]), Axis::Z),
        ("torus", shape("torus", &[6, 2, 1]), Axis::X),
        ("creased cylinder", creased("cylinder", &[3, 1, 2]), Axis::Y),
        ("fan", meshes::fan(5, 2, 2), Axis::X),
    ] {
        let solid = Solid::new(&mesh).expect("a solid");
        let options = SliceOptions { axis, ..SliceOptions::default() };
        let slicer = Slicer::new(&solid, mesh.controls(), options).expect("a slicer");
        let limits = Limits::new(&mesh);
        let n = 24;
        let places = boundary(&mesh).into_iter().flat_map(|face| {
            let at = move |i: usize| [i % n, i / n].map(|k| (k as f64 + 0.31) / n as f64);
            (0..n * n).map(move |i| (face, on_side(face, at(i))))
        });
        let points = places.filter_map(|(face, p)| {
            let first = limits.first(face.0, p);
            let [a, b] = [1, 2].map(|k| first[(face.1 + k) % 3]);
            Some((limits.position(face.0, p), cross(a?, b?)))
        });
        check(name, &slicer, points, 0.01);
    }
}

#[test]
fn no_cusp_of_a_surface_is_larger_than_asked_for() {
    let mesh = surfaces::model("spot_control_mesh");
    let options =
        SurfaceOptions { scheme: Scheme::CatmullClark, levels: 4, ..SurfaceOptions::default() };
    let fine = refine_surface(&mesh, &options).unwrap();
    let limits = vertex_limits(&fine, Scheme::CatmullClark).unwrap();
    let slicer = surfaces::slicer(&mesh, Scheme::CatmullClark, Axis::Y, 1e-5);
    let points = limits.positions.iter().copied().zip(limits.normals.iter().copied());
    check("spot", &slicer, points.filter(|(_, n)| n.iter().all(|x| x.is_finite())), 0.01);
    // triangles have one normal each
    let ball = sphere(3);
    let slicer = surfaces::slicer(&ball, Scheme::Bilinear, Axis::Z, 1e-6);
    let faces = ball.faces.iter().flat_map(|face| {
        let [a, b, c] = [0, 1, 2].map(|k| ball.points[face[k] as usize]);
        let minus = |p: [f64; 3], q: [f64; 3]| [0, 1, 2].map(|d| p[d] - q[d]);
        let normal = cross(minus(b, a), minus(c, a));
        (1..20)
            .flat_map(move |i| (1..20 - i).map(move |j| [i, j].map(|k| f64::from(k) / 20.0)))
            .map(move |[s, t]| {
                ([0, 1, 2].map(|d| a[d] + s * (b[d] - a[d]) + t * (c[d] - a[d])), normal)
            })
    });
    check("ball", &slicer, faces, 1e-9);
}

#[test]
fn limits_out_of_range_are_refused() {
    let mesh = shape("torus", &[6, 2, 1]);
    let slicer = super::slicer(&mesh, Axis::Z, 1e-5);
    for (heights, cusp) in [
        ([0.0, 0.1], 0.1),
        ([0.2, 0.1], 0.1),
        ([0.1, f64::INFINITY], 0.1),
        ([0.1, 0.2], -1.0),
        ([0.1, f64::NAN], 0.1),
    ] {
        let error = slicer.adaptive(CuspLimits { heights, cusp }).expect_err("limits");
        assert!(error.to_string().contains("out of range"), "{error}");
    }
    // a cusp below the least height cannot be kept where the torus is level
    let [low, high] = slicer.heights();
    let least = 0.02 * (high - low);
    let rule =
        slicer.adaptive(CuspLimits { heights: [least, 5.0 * least], cusp: 0.5 * least }).unwrap();
    let heights = LayerHeights { first: None, rule };
    let stack = Setting::new(slicer.frame(), heights.clone(), None).unwrap().stack;
    assert!((1..stack.count()).contains(&heights.rule.exceeding(&stack)[0]));
}

/// The layers of something between two heights, 10⁻⁹ wide.
fn stack_of(layers: LayerHeights, heights: [f64; 2]) -> subsolid::Result<Stack> {
    let frame =
        LayerFrame { axis: Axis::Z, tolerance: 1e-6, heights, plane: [[0.0; 2], [1e-9; 2]] };
    Setting::new(frame, layers, None).map(|setting| setting.stack)
}

fn listed(first: Option<f64>, ranges: &[([f64; 2], f64)]) -> LayerHeights {
    LayerHeights { first, rule: HeightRule::Listed { height: 0.2, ranges: ranges.to_vec() } }
}

#[test]
fn layers_have_the_heights_of_their_ranges() {
    let inf = f64::INFINITY;
    let heights = listed(Some(0.3), &[([1.0, 1.6], 0.1), ([2.0, inf], 0.5)]);
    let stack = stack_of(heights, [-0.1, 3.0]).unwrap();
    // -0.1, 0.2, 0.4, 0.6, 0.8, 1.0, then tenths to 1.6, fifths to 2.0, halves
    let tops = [0.2, 0.4, 0.6, 0.8, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0, 2.5, 3.0];
    assert_eq!(stack.count(), tops.len());
    for (layer, top) in tops.into_iter().enumerate() {
        let [bottom, found] = stack.slab(layer);
        assert!((found - top).abs() < 1e-14, "{layer}: {found}");
        assert_eq!(stack.middle(layer), 0.5 * (bottom + found));
        assert_eq!(stack.height_of(layer), found - bottom);
    }
    assert_eq!(stack.within(1.0, 1.35).unwrap(), 5..8);
    assert_eq!(stack.file_stem(7, 'z'), "00007_z1.250");
    assert_eq!(stack.low(), -0.1);
    // the same heights are the same layers
    let alike = stack_of(listed(Some(0.2), &[([1.0, 2.0], 0.2)]), [-0.3, 1.9]).unwrap();
    let plain = Stack::new([-0.3, 1.9], 0.2).unwrap();
    assert_eq!(alike.count(), plain.count());
    assert!((0..plain.count()).all(|k| (alike.middle(k) - plain.middle(k)).abs() < 1e-15));
    for bad in [listed(Some(0.0), &[]), listed(None, &[([0.0, 1.0], -1.0)])] {
        assert!(stack_of(bad.clone(), [0.0, 1.0]).is_err(), "{bad:?}");
    }
    assert!(stack_of(listed(None, &[([0.0, 1.0], 1e-7)]), [0.0, 1.0]).is_err());
}

/// Layers from `heights[0]` to `heights[1]` high, of any cusp, across which an attribute changes by `most`.
fn graded(
    mesh: &SolidMesh,
    axis: Axis,
    values: &[f64],
    heights: [f64; 2],
    most: f64,
) -> (LayerHeights, Stack) {
    let solid = Solid::new(mesh).expect("a solid");
    let options = SliceOptions { axis, ..SliceOptions::default() };
    let slicer = Slicer::new(&solid, mesh.controls(), options).expect("a slicer");
    let attribute = Attribute { name: "a".into(), width: 1, values: values.to_vec() };
    let controls = Controls { positions: &mesh.points, attributes: &[attribute] };
    let source = SolidSource::new(&solid, controls, slicer).expect("a source");
    let limits = CuspLimits { heights, cusp: heights[1] };
    let HeightRule::Adaptive(limits, steepness, None) = source.slicer().adaptive(limits).unwrap()
    else {
        panic!("a rule of slopes alone");
    };
    let [low, high] = source.slicer().heights();
    let steps = ((high - low) / heights[0]).ceil() as usize;
    let change = source.attribute_change("a", steps).expect("an attribute");
    let change = Some(ChangeLimit { change, most });
    let heights =
        LayerHeights { first: None, rule: HeightRule::Adaptive(limits, steepness, change) };
    let setting = Setting::new(source.slicer().frame(), heights.clone(), None).expect("layers");
    (heights, setting.stack)
}

/// A change of 1 % more than that of the columns that are looked at is taken.
#[test]
fn a_linear_attribute_has_layers_of_one_height() {
    for (mesh, axis) in
        [(creased("box", &[2, 3, 2]), Axis::Y), (creased("cylinder", &[3, 1, 2]), Axis::Z)]
    {
        let up = axis.number();
        let values: Vec<f64> = mesh.points.iter().map(|p| 5.0 - 3.0 * p[up]).collect();
        let (rule, stack) = graded(&mesh, axis, &values, [0.05, 0.5], 0.3);
        let expected = 0.3 / (3.0 * 1.01);
        for layer in 0..stack.count() - 1 {
            let height = stack.height_of(layer);
            assert!((height - expected).abs() < 1e-9, "{axis:?}, {layer}: {height}");
        }
        assert_eq!(rule.rule.exceeding(&stack), [0; 2]);
        // across the axis it does not change
        let values: Vec<f64> = mesh.points.iter().map(|p| p[(up + 1) % 3]).collect();
        let (_, stack) = graded(&mesh, axis, &values, [0.1, 0.5], 0.3);
        assert!((0..stack.count()).all(|layer| (stack.height_of(layer) - 0.5).abs() < 1e-9));
        // no layer is thinner than the least, and all that change too much are counted
        let values: Vec<f64> = mesh.points.iter().map(|p| 100.0 * p[up]).collect();
        let (rule, stack) = graded(&mesh, axis, &values, [0.1, 0.5], 0.3);
        assert!((0..stack.count()).all(|layer| stack.height_of(layer) >= 0.1 - 1e-12));
        assert_eq!(rule.rule.exceeding(&stack), [0, stack.count()]);
    }
}

#[test]
fn no_attribute_changes_by_more_than_asked_for() {
    for (name, mesh, axis) in [
        ("tripod", shape("tripod", &[]), Axis::Z),
        ("creased cylinder", creased("cylinder", &[3, 1, 2]), Axis::Y),
    ] {
        let [low, high] = super::slicer(&mesh, axis, 1e-5).heights();
        let wave = |p: &[f64; 3]| (2.0 * p[0] + p[1]).sin() * (p[2] - 0.5 * p[1]).cos();
        let values: Vec<f64> = mesh.points.iter().map(wave).collect();
        let least = (high - low) / 150.0;
        let most = 0.1;
        let (_, stack) = graded(&mesh, axis, &values, [least, 20.0 * least], most);
        let limits = Limits::new(&mesh);
        let of_attribute: Vec<[f64; 3]> = values.iter().map(|&a| [a, 0.0, 0.0]).collect();
        let attribute = Limits::of(Solid::new(&mesh).unwrap(), &of_attribute);
        let locator = Locator::new(&limits.solid, mesh.controls()).expect("a locator");
        let [left, right] = super::slicer(&mesh, axis, 1e-5).plane_box();
        let n = 31;
        let columns: Vec<[f64; 2]> = (0..n * n)
            .map(|i| {
                let t = [i % n, i / n].map(|k| (f64::from(k) + 0.37) / f64::from(n));
                [0, 1].map(|d| left[d] + t[d] * (right[d] - left[d]))
            })
            .collect();
        let parts = 4;
        let (mut worst, mut changed) = (0.0_f64, Vec::new());
        for layer in 0..stack.count() {
            let [bottom, top] = stack.slab(layer);
            let mut ranges = vec![[f64::INFINITY, f64::NEG_INFINITY]; columns.len()];
            for k in 0..=parts {
                let height = bottom + (top - bottom) * f64::from(k) / f64::from(parts);
                let points: Vec<[f64; 3]> =
                    columns.iter().map(|&own| axis.lift(own, height)).collect();
                for (range, found) in ranges.iter_mut().zip(locator.locate(&points)) {
                    let Containment::Inside(place) = found else { continue };
                    let [a, ..] = attribute.position(place.element as usize, place.parameters);
                    *range = [range[0].min(a), range[1].max(a)];
                }
            }
            let change = ranges.iter().map(|[low, high]| high - low).fold(0.0, f64::max);
            let is_least = stack.height_of(layer) <= least * (1.0 + 1e-9);
            if !is_least {
                worst = worst.max(change);
            }
            if stack.height_of(layer) < 19.0 * least && !is_least {
                changed.push(change / most);
            }
        }
        let mean = changed.iter().sum::<f64>() / changed.len().max(1) as f64;
        println!("{name}: {} layers, changes to {worst:.5}, {mean:.3} used", stack.count());
        assert!(worst <= most, "{name}: {worst}");
        // layers are not much lower than they have to be
        assert!(changed.len() > 5 && mean > 0.6, "{name}: {mean} of {}", changed.len());
    }
}

#[test]
fn arrays_of_cells_and_other_names_have_no_change() {
    let mesh = shape("tripod", &[]);
    let solid = Solid::new(&mesh).unwrap();
    let slicer = super::slicer(&mesh, Axis::Z, 1e-5);
    let values = (0..mesh.cells.len()).map(|cell| cell as f64).collect();
    let array = CellArray { name: "id".into(), width: 1, values, integers: true };
    let source = SolidSource::with_cell_data(&solid, mesh.controls(), &[array], slicer).unwrap();
    for (name, what) in [("id", "jumps between them"), ("height", "has no attribute")] {
        let error = source.attribute_change(name, 10).expect_err("no attribute of vertices");
        assert!(error.to_string().contains(what), "{error}");
    }
}

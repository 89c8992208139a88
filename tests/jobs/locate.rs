//! Inverse evaluation: what is evaluated is found again, what is outside is not.

use rayon::prelude::*;

use crate::oracle::random::Random;
use crate::oracle::vector::{Greatest, ORIGIN, Point, add, euclidean as distance, scale};
use crate::support::meshes::{block, crease_box_edges, mixed, model, models, shapes};
use crate::support::{Limits, places, refused, size};
use subsolid::Solid;
use subsolid::locate::{Containment, Locator, LocatorOptions};
use subsolid::mesh::{Attribute, SolidMesh};
use subsolid::slice::{
    Axis, InteriorFinder, LayerPixels, LayerSource, PixelGrid, Sampling, SliceOptions, Slicer,
    SolidSource,
};

fn all_meshes() -> Vec<(String, SolidMesh)> {
    let mut all = small_meshes();
    for name in ["mount2_hex.vtk", "mountwithhole_hex.vtk"] {
        all.push((name.into(), model(name)));
    }
    all
}

fn small_meshes() -> Vec<(String, SolidMesh)> {
    let mut all = shapes();
    all.extend(models());
    all.push(("mixed".into(), mixed()));
    for name in ["bracket.vtk", "solids/tripod.vtk"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name);
        all.push((name.into(), subsolid::read(path).expect("a model")));
    }
    let mut creased = shapes().swap_remove(1).1;
    crease_box_edges(&mut creased, f64::INFINITY);
    all.push(("creased box".into(), creased));
    all
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn determinant([a, b, c]: [Point; 3]) -> f64 {
    let n = cross(b, c);
    (0..3).map(|d| a[d] * n[d]).sum()
}

/// The smallest stretch of the map, bounded from below by detJ over the largest twice.
fn stretch(derivatives: [Option<Point>; 3]) -> f64 {
    let Some(j) = derivatives.into_iter().collect::<Option<Vec<_>>>() else { return 0.0 };
    let largest = j.iter().map(|&d| distance(d, ORIGIN)).fold(0.0, f64::max);
    determinant([j[0], j[1], j[2]]).abs() / (largest * largest)
}

#[test]
fn what_is_evaluated_is_found() {
    let wrong: Vec<String> = all_meshes().par_iter().flat_map_iter(not_found).collect();
    assert!(
        wrong.is_empty(),
        "{} places:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

/// What goes wrong from parameters to points and back.
fn not_found((name, mesh): &(String, SolidMesh)) -> Vec<String> {
    let limits = Limits::new(mesh);
    let locator = Locator::new(&limits.solid, mesh.controls()).expect("a locator");
    let mut random = Random::new(11);
    let mut all = Vec::new();
    for leaf in places::leaves(&limits.solid, 2, &mut random) {
        for local in places::local_parameters(&mut random) {
            all.push((leaf, places::in_element(&leaf, local)));
        }
    }
    let points: Vec<Point> =
        all.iter().map(|&(leaf, p)| limits.position(leaf.element as usize, p)).collect();
    let located = locator.locate(&points);
    let size = size(&mesh.points);
    let mut wrong = Vec::new();
    for ((&(leaf, p), &x), located) in all.iter().zip(&points).zip(located) {
        let element = leaf.element;
        let mut fail = |what: String| {
            wrong.push(format!("{name}, element {element} at {p:?}, {:?}: {what}", leaf.kind));
        };
        let Containment::Inside(place) = located else {
            fail(format!("outside, nearest {:?}", locator.nearest(x)));
            continue;
        };
        // of all that hold the point, the first
        if place.element > element {
            fail(format!("{place:?}"));
        }
        let there = limits.position(place.element as usize, place.parameters);
        let off = distance(x, there);
        if off > 1e-10 * size {
            fail(format!("{place:?} is {off:e} away"));
        }
        let stretch = stretch(limits.first(element as usize, p));
        let off = distance(place.parameters, p);
        if place.element == element && stretch > 1e-4 * size && off > 1e-9 {
            fail(format!("{place:?}, {off:e}"));
        }
    }
    wrong
}

/// Points of the boundary, their outward normals, and how far from a fold they are.
fn boundary_points(limits: &Limits, each: usize) -> Vec<(Point, Point)> {
    let solid = &limits.solid;
    let mut random = Random::new(5);
    let mut all = Vec::new();
    for element in 0..solid.elements().len() {
        let topology = solid.topology();
        if solid.elements()[element].corner.is_some() {
            continue;
        }
        // low and high side of u, v, w
        let faces = topology.cell_faces(solid.elements()[element].cell);
        for side in (0..6).filter(|&side| topology.is_boundary_face(faces[side])) {
            for _ in 0..each {
                let mut p = random.parameters();
                p[side / 2] = (side % 2) as f64;
                let Some(j) = limits.first(element, p).into_iter().collect::<Option<Vec<_>>>()
                else {
                    continue;
                };
                let (a, b) = (j[(side / 2 + 1) % 3], j[(side / 2 + 2) % 3]);
                let mut n = cross(a, b);
                if side % 2 == 0 {
                    n = n.map(|x| -x);
                }
                let length = distance(n, ORIGIN);
                // outward only where the cell is not left-handed or folded
                if length > 0.0 && determinant([j[0], j[1], j[2]]) > 0.0 {
                    all.push((limits.position(element, p), n.map(|x| x / length)));
                }
            }
        }
    }
    all
}

#[test]
fn points_moved_outwards_are_outside() {
    let mut checked = 0;
    for (name, mesh) in shapes() {
        let limits = Limits::new(&mesh);
        let locator = Locator::new(&limits.solid, mesh.controls()).expect("a locator");
        let size = size(&mesh.points);
        let all = boundary_points(&limits, 2);
        checked += all.len();
        let moved = |by: f64| -> Vec<Point> {
            all.iter().map(|&(x, n)| add(x, scale(n, by * size))).collect()
        };
        for (i, located) in locator.locate(&moved(1e-6)).into_iter().enumerate() {
            assert_eq!(located, Containment::Outside, "{name}, moved out: {:?}", all[i]);
        }
        for (i, located) in locator.locate(&moved(-1e-6)).into_iter().enumerate() {
            assert!(matches!(located, Containment::Inside(_)), "{name}, moved in: {:?}", all[i]);
        }
        for (&(x, n), outside) in all.iter().zip(moved(1e-3)).step_by(3) {
            let nearest = locator.nearest(outside).expect("a finite point");
            let off =
                distance(limits.position(nearest.element as usize, nearest.parameters), outside);
            assert!((off - nearest.residual).abs() <= 1e-12 * size, "{name}: {x:?} {n:?}");
            assert!(nearest.residual <= 1e-3 * size * (1.0 + 1e-9), "{name}: {x:?} {nearest:?}");
        }
    }
    assert!(checked > 1000);
}

/// The first digits of the closest distance are those of a descent in another part of the cell.
#[test]
fn the_closest_place_of_a_point_beside_the_tripod_is_found() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/models/solids/tripod.vtk");
    let mesh = subsolid::read(path).expect("a model");
    let solid = Solid::new(&mesh).expect("a solid");
    let locator = Locator::new(&solid, mesh.controls()).expect("a locator");
    let x = [2.8131444905756204, 2.7374027093205404, 4.421853238713812];
    let found = locator.nearest(x).expect("a finite point");
    assert!(found.residual < 2.018_743_8, "{found:?}");
}

/// Nothing is closer than the place reported: samples of all elements, the closest of them
/// refined.
#[test]
fn no_sample_of_the_limit_is_closer_than_the_closest_place() {
    let meshes = all_meshes();
    let wrong: Vec<String> =
        meshes.par_iter().flat_map_iter(|mesh| closer_places(mesh, 1e-9)).collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

/// Blocks that are folded along a bent curve within their cells, which is closest from below.
#[test]
fn nothing_is_closer_than_a_fold() {
    let folded = (0..8).map(|case| {
        let mut mesh = block([2, 2, 4]);
        for p in &mut mesh.points {
            let along = p[2] - 1.8 - 0.1 * f64::from(case) - 0.2 * p[0];
            *p = [p[0], p[1] + 0.1 * p[0] * p[2], along * along];
        }
        (format!("fold {case}"), mesh)
    });
    let wrong: Vec<String> = folded.flat_map(|mesh| closer_places(&mesh, 1e-14)).collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

/// Places that are closer to points around a mesh than those reported, by more than a part of its size,
/// and what else goes wrong.
fn closer_places((name, mesh): &(String, SolidMesh), tolerance: f64) -> Vec<String> {
    const ACROSS: usize = 5;
    const REFINED: usize = 12;
    let limits = Limits::new(mesh);
    let locator = Locator::new(&limits.solid, mesh.controls()).expect("a locator");
    let (low, high) = mesh.bounds().expect("points");
    let size = size(&mesh.points);
    let mut random = Random::new(7);
    let grid = (0..ACROSS.pow(3)).map(|i| {
        let at = [i % ACROSS, i / ACROSS % ACROSS, i / (ACROSS * ACROSS)];
        at.map(|i| i as f64 / (ACROSS - 1) as f64)
    });
    let elements = 0..limits.solid.elements().len();
    // octree models have many elements; some samples of each are enough there
    let step = (elements.len() / 300).max(1);
    let samples: Vec<(usize, Point, Point)> = elements
        .step_by(step)
        .flat_map(|e| grid.clone().map(move |p| (e, p)))
        .map(|(e, p)| (e, p, limits.position(e, p)))
        .collect();
    let mut wrong = Vec::new();
    for scale in [1.1, 1.5, 3.0, 30.0] {
        let t = random.parameters();
        let x: Point = std::array::from_fn(|d| {
            let middle = 0.5 * (low[d] + high[d]);
            middle + scale * (t[d] - 0.5) * (high[d] - low[d])
        });
        if matches!(locator.locate_one(x), Containment::Inside(_)) {
            continue;
        }
        let found = locator.nearest(x).expect("a finite point");
        let there = limits.position(found.element as usize, found.parameters);
        let off = (distance(there, x) - found.residual).abs();
        if off > 1e-12 * size * scale {
            wrong.push(format!("{name}, {x:?}: {found:?} is {off:e} off"));
        }
        let mut order: Vec<(f64, usize)> =
            samples.iter().enumerate().map(|(i, s)| (distance(s.2, x), i)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut starts: Vec<(usize, Point)> = vec![(found.element as usize, found.parameters)];
        starts.extend(order.iter().take(REFINED).map(|&(_, i)| (samples[i].0, samples[i].1)));
        for (element, p) in starts {
            let least = refined(&limits, element, p, x);
            if least < found.residual - tolerance * size {
                let by = found.residual - least;
                wrong.push(format!("{name}, {x:?}: {found:?}, in {element} {by:e} closer"));
            }
        }
    }
    wrong
}

/// The least distance of an element from `x` that a search of shrinking steps along the
/// parameters' axes and diagonals finds from `p`.
fn refined(limits: &Limits, element: usize, mut p: Point, x: Point) -> f64 {
    let mut least = distance(limits.position(element, p), x);
    let mut step = 0.25;
    while step > 1e-7 {
        let moves = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9].map(|k| f64::from(k) - 1.0));
        let next = moves
            .map(|m| std::array::from_fn(|d| (p[d] + step * m[d]).clamp(0.0, 1.0)))
            .map(|q: Point| (distance(limits.position(element, q), x), q))
            .fold((least, p), |a, b| if b.0 < a.0 { b } else { a });
        if next.0 < least {
            (least, p) = next;
        } else {
            step *= 0.5;
        }
    }
    least
}

#[test]
fn far_points_holes_and_what_is_no_number_are_outside() {
    let mesh = subsolid::mesh::shape::Shape::Torus { major: 8, core: 2, rings: 1 };
    let mesh = mesh.build().expect("a torus");
    let limits = Limits::new(&mesh);
    let locator = Locator::new(&limits.solid, mesh.controls()).expect("a locator");
    let far = [ORIGIN, [1e9, 0.0, 0.0], [0.0, 0.0, 1.5], [f64::NAN, 0.0, 0.0], [f64::INFINITY; 3]];
    assert_eq!(locator.locate(&far), vec![Containment::Outside; 5]);
    assert_eq!(locator.nearest(far[3]), None);
    let controls = subsolid::mesh::Controls { positions: &mesh.points[1..], attributes: &[] };
    refused(Locator::new(&limits.solid, controls), "135 control points for 136 vertices");
}

/// A grid of about `across` × `across` pixels around the mesh in the planes of `axis`, and
/// some heights at which planes meet it.
fn layers(mesh: &SolidMesh, axis: Axis, across: usize) -> (PixelGrid, [f64; 3]) {
    let (low, high) = mesh.bounds().expect("points");
    let pitch = size(&mesh.points) / across as f64;
    let low_corner = axis.project(low).map(|x| x - 1.37 * pitch);
    let count = |d: usize| ((axis.project(high)[d] - low_corner[d]) / pitch) as usize + 2;
    let grid = PixelGrid { origin: low_corner, pitch: [pitch; 2], size: [count(0), count(1)] };
    let d = axis.number();
    (grid, [0.12, 0.5, 0.83].map(|t| low[d] + t * (high[d] - low[d])))
}

#[test]
fn interiors_are_what_the_locator_finds() {
    // without rings, pixels around extraordinary edges and vertices are in rings made for a layer
    let of_mesh = |mesh| [None, Some(0)].into_iter().flat_map(move |rings| interiors(mesh, rings));
    let wrong: Vec<String> = small_meshes().par_iter().flat_map_iter(of_mesh).collect();
    assert!(
        wrong.is_empty(),
        "{} pixels:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

fn interiors((name, mesh): &(String, SolidMesh), rings: Option<usize>) -> Vec<String> {
    let limits = Limits::new(mesh);
    let options = LocatorOptions { rings, ..LocatorOptions::default() };
    let locator = Locator::with_options(&limits.solid, mesh.controls(), options);
    let locator = locator.expect("a locator");
    let linear = |p: &Point| [p[0], p[1] - 2.0 * p[2], 1.0 + p[0] + p[1] + p[2]];
    let attribute = Attribute {
        name: "linear".into(),
        width: 3,
        values: mesh.points.iter().flat_map(linear).collect(),
    };
    let attribute = locator.pieces().attribute(&attribute).expect("a value per vertex");
    let size = size(&mesh.points);
    let (low, high) = mesh.bounds().expect("points");
    let largest = low.iter().chain(&high).fold(size, |most, x| most.max(x.abs()));
    let mut wrong = Vec::new();
    for (axis, some) in [(Axis::X, 0..1), (Axis::Y, 1..2), (Axis::Z, 1..3)] {
        let (grid, heights) = layers(mesh, axis, 40);
        let finder = InteriorFinder::new(&locator, axis, grid).expect("a grid");
        let columns = grid.size[0];
        let count = columns * grid.size[1];
        for &height in &heights[some] {
            let center = |i: usize| axis.lift(grid.center(i % columns, i / columns), height);
            let centers: Vec<Point> = (0..count).map(center).collect();
            let located = locator.locate(&centers);
            let interior = finder.layer(height);
            let values = finder.values(&interior, &attribute);
            let mut found = vec![None; count];
            let mut fail = |i: usize, what: String| {
                wrong.push(format!(
                    "{name}, rings {rings:?}, {axis:?} {height}, pixel {i} {:?}: {what}",
                    centers[i]
                ));
            };
            for (n, &pixel) in interior.pixels.iter().enumerate() {
                let i = pixel as usize;
                if found[i].is_some() {
                    fail(i, "doubled".into());
                }
                let (element, p) = (interior.elements[n], interior.parameters[n]);
                found[i] = Some((element, p));
                let off = distance(limits.position(element as usize, p), centers[i]);
                if off > 1e-10 * size {
                    fail(i, format!("element {element} {p:?} is {off:e} away"));
                }
                let expected = linear(&centers[i]);
                for c in 0..3 {
                    let off = (values[3 * n + c] - expected[c]).abs();
                    if off > 1e-12 * largest {
                        fail(i, format!("value {c} of element {element} at {p:?} is {off:e} off"));
                    }
                }
            }
            for i in 0..count {
                match (located[i], found[i]) {
                    (Containment::Outside, None) => {}
                    (Containment::Inside(place), Some((element, _)))
                        if place.element == element => {}
                    (located, found) => fail(i, format!("{located:?} but {found:?}")),
                }
            }
        }
    }
    wrong
}

/// Turned so that no flat side lies along the pixels: errors at the surface cancel.
fn tilted([x, y, z]: Point) -> Point {
    let ((s, c), (t, d)) = (0.7_f64.sin_cos(), 0.4_f64.sin_cos());
    let (x, y) = (c * x - s * y, s * x + c * y);
    [x, d * y - t * z, t * y + d * z]
}

#[test]
fn interiors_fill_the_volume() {
    use subsolid::backend::{Backend, Cpu};
    use subsolid::mesh::shape::Shape;
    use subsolid::plan::{Quantity, Samples, Want};
    let torus = Shape::Torus { major: 8, core: 2, rings: 1 };
    let cylinder = Shape::Cylinder { core: 2, rings: 1, layers: 2 };
    for shape in [torus, cylinder, Shape::Box { cells: [3, 4, 2] }, Shape::Tripod] {
        let mut mesh = shape.build().expect("a shape");
        mesh.points.iter_mut().for_each(|p| *p = tilted(*p));
        let solid = Solid::new(&mesh).expect("a valid mesh");
        // Gauss points see the pieces toward extraordinary edges only roughly
        let samples = Samples::gauss(12).expect("a rule");
        let plan = solid.plan(&samples, Want::DETERMINANT).expect("a plan");
        let limit = Cpu::default().evaluate(&plan, mesh.controls()).expect("a limit");
        let weights = subsolid::basis::gauss::rule(12).expect("a rule").weights;
        let determinants = limit.quantity(Quantity::Determinant, None).expect("derivatives");
        let weight = |i: usize| weights[i % 12] * weights[i / 12 % 12] * weights[i / 144 % 12];
        let volume: f64 = determinants.iter().enumerate().map(|(i, d)| weight(i) * d).sum();
        let locator = Locator::new(&solid, mesh.controls()).expect("a locator");
        let (grid, _) = layers(&mesh, Axis::Z, 100);
        let finder = InteriorFinder::new(&locator, Axis::Z, grid).expect("a grid");
        let (low, high) = mesh.bounds().expect("points");
        let count = ((high[2] - low[2]) / grid.pitch[0]).ceil() as usize;
        let height = |i: usize| low[2] + (i as f64 + 0.5) * grid.pitch[0];
        let pixels: usize = (0..count).map(|i| finder.layer(height(i)).len()).sum();
        let filled = pixels as f64 * grid.pitch[0].powi(3);
        assert!((filled / volume - 1.0).abs() < 2e-3, "{shape:?}: {filled} of {volume}");
    }
}

#[test]
fn masks_get_a_place_for_every_pixel() {
    let (_, mesh) = small_meshes().pop().expect("meshes");
    let limits = Limits::new(&mesh);
    let locator = Locator::new(&limits.solid, mesh.controls()).expect("a locator");
    let (mut grid, [_, height, _]) = layers(&mesh, Axis::Z, 60);
    grid.origin = grid.origin.map(|x| x - 10.0 * grid.pitch[0]);
    grid.size = grid.size.map(|n| n + 10);
    let finder = InteriorFinder::new(&locator, Axis::Z, grid).expect("a grid");
    let interior = finder.layer(height);
    let columns = grid.size[0];
    let count = columns * grid.size[1];
    let all = finder.covered(height, &vec![1; count]).expect("a mask");
    assert!(all.pixels.iter().copied().eq(0..count as u32));
    // inside as without a mask; one pixel beside takes over; far ones are the closest
    let place = |i: u32| (all.elements[i as usize], all.parameters[i as usize]);
    let own = |n: usize| (interior.elements[n], interior.parameters[n]);
    assert!((0..interior.len()).all(|n| place(interior.pixels[n]) == own(n)));
    let first = interior.pixels[0];
    assert_eq!(place(first - 1), own(0));
    let corner = locator.nearest(Axis::Z.lift(grid.center(0, 0), height)).expect("finite");
    assert_eq!(place(0), (corner.element, corner.parameters));
    // only what is covered
    let mut mask = vec![0; count];
    mask[first as usize] = 255;
    let one = finder.covered(height, &mask).expect("a mask");
    assert_eq!((one.pixels[0], one.len(), one.elements[0]), (first, 1, interior.elements[0]));
    refused(finder.covered(height, &mask[1..]), "a mask of 1088 pixels for 33 x 33");
}

/// Between pixels polynomials stand in for attributes: to 10⁻⁸ of their range.
#[test]
fn attributes_of_covered_pixels_are_those_at_their_places() {
    let all = small_meshes();
    let axes = [Axis::X, Axis::Y, Axis::Z].into_iter().cycle();
    let mut meshes: Vec<_> = all.iter().zip(axes).map(|(mesh, axis)| (mesh, axis, 56)).collect();
    // so fine that rings around extraordinary edges have regions
    let fine = all.iter().filter(|(name, _)| name.contains("tripod"));
    meshes.extend(fine.map(|mesh| (mesh, Axis::Z, 400)));
    let off: Vec<(f64, usize)> =
        meshes.par_iter().map(|&(mesh, axis, across)| covered_values(mesh, axis, across)).collect();
    let worst = off.iter().map(|&(off, _)| off).greatest();
    let replaced: usize = off.iter().map(|&(_, replaced)| replaced).sum();
    println!("{replaced} of the values by polynomials, off by {worst:e} of the range");
    assert!(worst <= 1e-8, "{off:?}");
    assert!(replaced > 10_000, "{replaced}");
}

/// How far off attributes are as a part of their range, and how many are not those of the place to
/// the last bit.
fn covered_values((name, mesh): &(String, SolidMesh), axis: Axis, across: usize) -> (f64, usize) {
    let mut mesh = mesh.clone();
    let size = size(&mesh.points);
    let waves = |&p: &Point| {
        let [x, y, z] = p.map(|x| 5.0 * x / size);
        [1e3 + x.sin() * (y + z).cos(), x * y - 2.0 * z * z]
    };
    let values: Vec<f64> = mesh.points.iter().flat_map(waves).collect();
    let component = |c: usize| values.iter().skip(c).step_by(2);
    let range = [0, 1].map(|c| {
        let high = component(c).fold(f64::MIN, |high, &x| high.max(x));
        high - component(c).fold(f64::MAX, |low, &x| low.min(x))
    });
    mesh.attributes = vec![Attribute { name: "waves".into(), width: 2, values }];
    let solid = Solid::new(&mesh).expect("a valid mesh");
    let (grid, [_, height, _]) = layers(&mesh, axis, across);
    let options = SliceOptions { axis, ..SliceOptions::default() };
    let slicer = Slicer::new(&solid, mesh.controls(), options).expect("a slicer");
    let source = SolidSource::new(&solid, mesh.controls(), slicer).expect("attributes");
    let coverage = source.coverage(&[height], &grid, Sampling::Area).expect("a grid");
    let pixels = LayerPixels { grid: &grid, height, planes: &[height], sampling: Sampling::Area };
    let found = source.attributes(&pixels, &coverage).expect("attributes");
    let locator = Locator::new(&solid, mesh.controls()).expect("a locator");
    let attribute = locator.pieces().attribute(&mesh.attributes[0]).expect("a value per vertex");
    let finder = InteriorFinder::new(&locator, axis, grid).expect("a grid");
    let mask: Vec<u8> = coverage.iter().map(|&covered| u8::from(covered > 0)).collect();
    let expected = finder.values(&finder.covered(height, &mask).expect("a mask"), &attribute);
    assert_eq!(found.len(), expected.len(), "{name}, {axis:?}");
    let off = found.iter().zip(&expected).enumerate();
    let off = off.map(|(i, (a, b))| (a - b).abs() / range[i % 2]).greatest();
    (off, found.iter().zip(&expected).filter(|(a, b)| a != b).count())
}

#[test]
fn threads_change_nothing() {
    let mesh = model("rod_hex.vtk");
    let solid = Solid::new(&mesh).expect("a valid mesh");
    let locator = Locator::new(&solid, mesh.controls()).expect("a locator");
    let (grid, heights) = layers(&mesh, Axis::X, 300);
    let finder = InteriorFinder::new(&locator, Axis::X, grid).expect("a grid");
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let locator = Locator::new(&solid, mesh.controls()).expect("a locator");
            let layers: Vec<_> = heights.iter().map(|&h| finder.layer(h)).collect();
            let lift = |&pixel: &u32| {
                let (c, r) = (pixel as usize % grid.size[0], pixel as usize / grid.size[0]);
                Axis::X.lift(grid.center(c, r), heights[1])
            };
            let points: Vec<Point> = layers[1].pixels.iter().map(lift).collect();
            let located = locator.locate(&points);
            (layers, located)
        })
    };
    let (one, three) = (run(1), run(3));
    assert!(one.1.len() > 1000);
    assert_eq!(one, three);
}

/// Thin smooth plates, flat and bent, whose cells are 10⁴ to 10⁶ times as wide as thick. What is
/// inside is found inside.
#[test]
fn what_is_in_thin_cells_is_found() {
    let plate = || {
        let mut mesh = crate::support::meshes::block([3, 3, 1]);
        mesh.creases = Default::default();
        mesh
    };
    type Bend = fn(Point) -> Point;
    let cases: [(&str, Bend); 4] = [
        ("1e-4", |[x, y, z]| [x, y, 1e-4 * z]),
        ("1e-5", |[x, y, z]| [x, y, 1e-5 * z]),
        ("1e-6", |[x, y, z]| [x, y, 1e-6 * z]),
        ("bent", |[x, y, z]| {
            [(3.0 + 1e-5 * z) * (0.4 * x).sin(), y, (3.0 + 1e-5 * z) * (0.4 * x).cos()]
        }),
    ];
    for (name, bend) in cases {
        let mut mesh = plate();
        mesh.points.iter_mut().for_each(|p| *p = bend(*p));
        let limits = Limits::new(&mesh);
        let locator = Locator::new(&limits.solid, mesh.controls()).unwrap();
        let mut random = Random::new(5);
        let places: Vec<(u32, Point)> = (0..6000)
            .map(|_| (random.below(9) as u32, random.parameters().map(|t| 0.02 + 0.96 * t)))
            .collect();
        let points: Vec<Point> =
            places.iter().map(|&(e, p)| limits.position(e as usize, p)).collect();
        let size = size(&mesh.points);
        // where the limit of a bent plate is folded, a point has several places
        let lost = locator.locate(&points).into_iter().filter(|found| match found {
            Containment::Inside(place) => place.residual > 1e-12 * size,
            Containment::Outside => true,
        });
        assert_eq!(lost.count(), 0, "{name}");
    }
}

/// Nearly all parts of a long cell are within a tolerance of its length: a place is found without
/// looking at all of them.
#[test]
fn long_cells_are_searched_to_a_coarse_tolerance() {
    let shape = subsolid::mesh::shape::Shape::Box { cells: [2, 2, 2] };
    let mut mesh = shape.build().expect("a box");
    mesh.points.iter_mut().for_each(|p| p[0] *= 1e5);
    let solid = Solid::new(&mesh).expect("a solid");
    let options = LocatorOptions { tolerance: 1e-3, ..LocatorOptions::default() };
    let locator = Locator::with_options(&solid, mesh.controls(), options).expect("a locator");
    let exact = Locator::new(&solid, mesh.controls()).expect("a locator");
    let mut random = Random::new(5);
    let beside = |random: &mut Random| [random.unit() * 2e5, random.unit() * 6.0 - 2.0, -0.99];
    for _ in 0..5 {
        let x = beside(&mut random);
        let Containment::Inside(place) = locator.locate_one(x) else { panic!("{x:?} is outside") };
        assert!(place.residual <= 1e-3 * 2e5, "{x:?}: {place:?}");
        let nearest = exact.nearest(x).expect("a place").residual;
        assert!(place.residual >= nearest - 1e-9, "{x:?}: {place:?} {nearest}");
    }
}

//! Slices of the limit: against the limit itself, evaluated point by point and
//! integrated by Gauss points, which know nothing of patches.

mod oracle;
mod support;

use std::f64::consts::PI;

use oracle::random::Random;
use oracle::vector::distance;
use rayon::prelude::*;
use subsolid::limit::VTK_CORNER;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::{Link, Shape};
use subsolid::refine::crease_by_angle;
use subsolid::slice::{Axis, Layer, PixelGrid, Sampling, SliceOptions, Slicer};
use subsolid::{Backend, Samples, Solid, Want, backend::Cpu};
use support::{Limits, meshes, size};

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// A slicer of a mesh with a tolerance relative to its size.
fn slicer(mesh: &SolidMesh, axis: Axis, tolerance: f64) -> Slicer {
    let solid = Solid::new(mesh).expect("a solid");
    let tolerance = Some(tolerance * size(&mesh.points));
    Slicer::new(&solid, mesh.controls(), SliceOptions { axis, tolerance }).expect("a slicer")
}

fn shape(name: &str, sizes: &[usize]) -> SolidMesh {
    Shape::parse(name, sizes).expect("a shape").build().expect("a mesh")
}

/// The shape with its edges of 40° and more sharp for ever.
fn creased(name: &str, sizes: &[usize]) -> SolidMesh {
    let mut mesh = shape(name, sizes);
    crease_by_angle(&mut mesh, 40.0).expect("a mesh");
    mesh
}

/// Boundary faces as (cell, constant axis, side), by counting corners.
fn boundary(mesh: &SolidMesh) -> Vec<(usize, usize, usize)> {
    let mut sides = Vec::new();
    for cell in 0..mesh.cells.len() {
        let corners = mesh.cells.hexahedron(cell).expect("a hexahedron");
        for axis in 0..3 {
            for side in 0..2 {
                let of_side = (0..8).filter(|bits| bits >> axis & 1 == side);
                let mut key: Vec<u32> = of_side.map(|bits| corners[VTK_CORNER[bits]]).collect();
                key.sort_unstable();
                sides.push((key, (cell, axis, side)));
            }
        }
    }
    sides.sort();
    let is_alone = |i: usize| {
        let same =
            |j: Option<usize>| j.and_then(|j| sides.get(j)).is_some_and(|s| s.0 == sides[i].0);
        !same(i.checked_sub(1)) && !same(Some(i + 1))
    };
    (0..sides.len()).filter(|&i| is_alone(i)).map(|i| sides[i].1).collect()
}

/// A point of a boundary face, in the parameters of its cell.
fn on_side((_, axis, side): (usize, usize, usize), [s, t]: [f64; 2]) -> [f64; 3] {
    let mut p = [side as f64; 3];
    (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (s, t);
    p
}

/// Volume by the divergence theorem with 6 × 6 Gauss points on every boundary face, of
/// what goes through them along `direction`: exact where these have no extraordinary
/// vertices.
fn boundary_volume(mesh: &SolidMesh, direction: usize) -> f64 {
    let [e, f] = [(direction + 1) % 3, (direction + 2) % 3];
    let limits = Limits::new(mesh);
    let rule = subsolid::basis::gauss::rule(6).expect("a rule");
    let mut volume = 0.0;
    for face in boundary(mesh) {
        let (cell, axis, side) = face;
        for (s, ws) in rule.points.iter().zip(&rule.weights) {
            for (t, wt) in rule.points.iter().zip(&rule.weights) {
                let p = on_side(face, [*s, *t]);
                let x = limits.position(cell, p);
                let d = limits.first(cell, p).map(|d| d.expect("inside a face"));
                let (a, b) = (d[(axis + 1) % 3], d[(axis + 2) % 3]);
                let normal = a[e] * b[f] - a[f] * b[e];
                volume += ws * wt * x[direction] * normal * if side == 1 { 1.0 } else { -1.0 };
            }
        }
    }
    volume
}

/// Volume by 4³ Gauss points an element.
fn gauss_volume(mesh: &SolidMesh) -> f64 {
    let n = 4;
    let solid = Solid::new(mesh).expect("a solid");
    let plan = solid.plan(&Samples::gauss(n).expect("a rule"), Want::FIRST).expect("a plan");
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).expect("a limit");
    let determinants = limit.jacobian_determinants().expect("derivatives");
    let w = subsolid::basis::gauss::rule(n).expect("a rule").weights;
    let terms = determinants.iter().enumerate();
    terms.map(|(i, d)| d * w[i % n] * w[i / n % n] * w[i / (n * n) % n]).sum()
}

/// Volume by areas of `n` slices, dense at the ends where areas start as roots.
fn sliced_volume(slicer: &Slicer, n: usize) -> f64 {
    let [low, high] = slicer.heights();
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    let area = |i: usize| {
        let angle = PI * (i as f64 + 0.5) / n as f64;
        slicer.layer(i, middle - half * angle.cos()).area() * angle.sin()
    };
    (0..n).into_par_iter().map(area).sum::<f64>() * half * PI / n as f64
}

/// Heights spread over a solid, some of them those of its control points.
fn heights(slicer: &Slicer, count: usize) -> Vec<f64> {
    let [low, high] = slicer.heights();
    (0..count).map(|i| low + (high - low) * (i as f64 + 0.5) / count as f64).collect()
}

/// Contours are counter-clockwise outside, clockwise inside, and lie in the box.
fn check_contours(slicer: &Slicer, layer: &Layer, name: &str) {
    let [low, high] = slicer.plane_box();
    for contour in &layer.contours {
        assert!(contour.points.len() > 2, "{name}");
        let sign = if contour.depth % 2 == 0 { 1.0 } else { -1.0 };
        let limit = -slicer.tolerance() * (high[0] - low[0]);
        assert!(
            sign * contour.area() > limit,
            "{name}: depth {} area {}",
            contour.depth,
            contour.area()
        );
        let inside = |p: &[f64; 2]| (0..2).all(|d| low[d] <= p[d] && p[d] <= high[d]);
        assert!(contour.points.iter().all(inside), "{name}");
        let repeated = contour.points.windows(2).any(|pair| pair[0] == pair[1]);
        assert!(!repeated, "{name}");
    }
}

#[test]
fn slices_of_a_box_are_its_rectangles() {
    let mesh = creased("box", &[3, 2, 4]);
    let extents = [3.0, 2.0, 4.0];
    for axis in AXES {
        let slicer = slicer(&mesh, axis, 1e-6);
        let [a, b] = axis.plane().map(|d| extents[d]);
        let high = extents[axis.number()];
        // the bottom is cut, the top is not; inner planes pass through corners of cells
        for height in [0.0, 1e-9, 0.3, 1.0, 1.7, 2.0 - 1e-9] {
            let layer = slicer.layer(7, height);
            assert_eq!((layer.index, layer.height, layer.contours.len()), (7, height, 1));
            assert!((layer.area() / (a * b) - 1.0).abs() < 1e-8, "{axis:?} {height}");
        }
        for height in [-1e9, -1e-6, high, high + 1e-6, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(slicer.layer(0, height).contours.is_empty(), "{axis:?} {height}");
        }
    }
}

#[test]
fn a_box_far_from_the_origin_is_cut_like_any() {
    let mut mesh = creased("box", &[3, 2, 4]);
    let far = [1e5, -3e5, 0.1 + 2e5];
    mesh.points.iter_mut().for_each(|p| *p = [0, 1, 2].map(|d| p[d] + far[d]));
    let slicer = slicer(&mesh, Axis::Z, 1e-6);
    for height in [0.0, 0.3, 1.0, 3.999] {
        let area = slicer.layer(0, far[2] + height).area();
        assert!((area / 6.0 - 1.0).abs() < 1e-8, "{height}: {area}");
    }
    assert!(slicer.layer(0, far[2] + 4.0).contours.is_empty());
}

#[test]
fn slices_of_a_cylinder_are_all_alike() {
    let mesh = creased("cylinder", &[2, 1, 3]);
    let slicer = slicer(&mesh, Axis::Z, 1e-8);
    // top and bottom have extraordinary vertices, and nothing goes through along x
    let volume = boundary_volume(&mesh, 0);
    let [low, high] = slicer.heights();
    for height in heights(&slicer, 9).into_iter().chain([low]) {
        let area = slicer.layer(0, height).area();
        let error = area * (high - low) / volume - 1.0;
        assert!(error.abs() < 1e-6, "{height}: {error:e}");
    }
}

#[test]
fn a_torus_has_the_volume_of_its_boundary() {
    let mesh = shape("torus", &[8, 2, 1]);
    let expected = boundary_volume(&mesh, 2);
    let slicer = slicer(&mesh, Axis::Z, 1e-8);
    let errors: Vec<f64> =
        [100, 200, 400].iter().map(|&n| sliced_volume(&slicer, n) / expected - 1.0).collect();
    println!("torus: {errors:?}");
    assert!(errors[2].abs() < 1e-6, "{errors:?}");
    // upright: ring, two disks, ring
    let upright = self::slicer(&mesh, Axis::X, 1e-6);
    let [low, high] = upright.heights();
    assert_eq!(upright.layer(0, 0.5 * (low + high)).contours.len(), 2);
    let flat = slicer.layer(0, 0.5 * slicer.heights().iter().sum::<f64>());
    let depths: Vec<u32> = flat.contours.iter().map(|c| c.depth).collect();
    assert!(depths == [0, 1] || depths == [1, 0], "{depths:?}");
    check_contours(&slicer, &flat, "torus");
}

#[test]
fn volumes_of_shapes_with_extraordinary_vertices() {
    let link = |link: Link| Shape::Link { link, rings: 1 }.build().expect("a link");
    for (name, mesh) in [
        ("fan 3", meshes::fan(3, 2, 1)),
        ("fan 5", meshes::fan(5, 2, 1)),
        ("tetrahedra", link(Link::tetrahedron())),
        ("3444555", link(Link::stacked_octahedron())),
        ("icosahedron", link(Link::icosahedron())),
    ] {
        let mesh = meshes::perturbed(&mesh, 0.02, 5);
        // cells at extraordinary points shrink with every refinement, and with them the
        // error of the quadrature, by nearly the same factor each time
        let rule = subsolid::refine::VertexRule::default();
        let [a, b, c] = [0, 1, 2].map(|levels| {
            gauss_volume(&subsolid::refine_mesh(&mesh, levels, rule).expect("a refinement"))
        });
        let expected = c - (c - b).powi(2) / ((c - b) - (b - a));
        let slicer = slicer(&mesh, Axis::Y, 1e-6);
        let error = sliced_volume(&slicer, 500) / expected - 1.0;
        println!("{name}: {error:e}, quadrature {:e}", c / expected - 1.0);
        assert!(error.abs() < 2e-5, "{name}: {error:e}");
    }
}

#[test]
fn contours_lie_on_the_limit() {
    let mut all = vec![
        ("box".to_string(), meshes::block([2, 2, 3])),
        ("fan 5".to_string(), meshes::fan(5, 2, 2)),
        ("fan 3".to_string(), meshes::fan(3, 2, 1)),
        ("icosahedron".to_string(), meshes::link(Link::icosahedron(), 1)),
        ("creased torus".to_string(), creased("torus", &[5, 2, 1])),
    ];
    all.extend(meshes::models().into_iter().filter(|(name, _)| name.contains("val")));
    for (seed, (name, mesh)) in all.into_iter().enumerate() {
        let axis = AXES[seed % 3];
        let mut random = Random::new(seed as u64);
        let limits = Limits::new(&mesh);
        let slicer = slicer(&mesh, axis, 1e-4);
        let bound = slicer.tolerance();
        assert!(slicer.surface_error() < bound);
        let samples = boundary_samples(&limits, &mesh);
        let mut worst: f64 = 0.0;
        for height in heights(&slicer, 5) {
            let layer = slicer.layer(0, height);
            for contour in &layer.contours {
                let n = contour.points.len();
                for _ in 0..12 {
                    // a point of the contour, and the middle of its chord
                    let k = random.below(n);
                    let [a, b] = [contour.points[k], contour.points[(k + 1) % n]];
                    let middle = [0, 1].map(|d| 0.5 * (a[d] + b[d]));
                    for p in [a, middle] {
                        let d = distance_to_limit(&limits, &samples, axis.lift(p, height));
                        worst = worst.max(d);
                    }
                }
            }
        }
        println!("{name}: {:e} of {:e}", worst, bound);
        assert!(worst <= bound, "{name}: {worst:e} above {bound:e}");
    }
}

type Sample = ([f64; 3], (usize, usize, usize), [f64; 2]);

fn boundary_samples(limits: &Limits, mesh: &SolidMesh) -> Vec<Sample> {
    let n = 7;
    let mut samples = Vec::new();
    for face in boundary(mesh) {
        for i in 0..n * n {
            let at = [i % n, i / n].map(|k| (k as f64 + 0.5) / n as f64);
            samples.push((limits.position(face.0, on_side(face, at)), face, at));
        }
    }
    samples
}

/// Distance of `p` from the limit surface: Gauss-Newton steps from near samples.
fn distance_to_limit(limits: &Limits, samples: &[Sample], p: [f64; 3]) -> f64 {
    let mut near: Vec<(f64, usize)> =
        samples.iter().enumerate().map(|(i, s)| (distance(s.0, p), i)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|d| a[d] * b[d]).sum::<f64>();
    let mut best = f64::INFINITY;
    for &(_, i) in &near[..8] {
        let (_, face, mut at) = samples[i];
        for _ in 0..60 {
            let place = on_side(face, at);
            let x = limits.position(face.0, place);
            best = best.min(distance(x, p));
            let [Some(a), Some(b)] = [1, 2].map(|k| limits.first(face.0, place)[(face.1 + k) % 3])
            else {
                break;
            };
            let r = [0, 1, 2].map(|d| p[d] - x[d]);
            let (aa, ab, bb) = (dot(a, a), dot(a, b), dot(b, b));
            let determinant = aa * bb - ab * ab;
            let (ra, rb) = (dot(a, r), dot(b, r));
            let step = [(bb * ra - ab * rb) / determinant, (aa * rb - ab * ra) / determinant];
            // an open square: no corner is an extraordinary vertex
            let next = [0, 1].map(|d| (at[d] + step[d]).clamp(1e-9, 1.0 - 1e-9));
            if next == at || !next.iter().all(|x| x.is_finite()) {
                break;
            }
            at = next;
        }
    }
    best
}

#[test]
fn layers_of_all_models_are_sound() {
    let mut all = meshes::models();
    for name in ["mount2_hex.vtk", "mountwithhole_hex.vtk"] {
        all.push((name.to_string(), meshes::model(name)));
    }
    all.push(("mixed".to_string(), meshes::mixed()));
    all.push(("tripod".to_string(), shape("tripod", &[])));
    for (seed, (name, mut mesh)) in all.into_iter().enumerate() {
        for variant in 0..2 {
            if variant == 1 {
                meshes::crease_at_random(&mut mesh, &[0.7, 2.0, meshes::INF], 9, seed as u64);
            }
            let slicer = slicer(&mesh, AXES[(seed + variant) % 3], 1e-5);
            let mut area = 0.0;
            for height in heights(&slicer, 7) {
                let layer = slicer.layer(0, height);
                check_contours(&slicer, &layer, &name);
                area += layer.area();
            }
            assert!(area > 0.0, "{name}");
            println!("{name} {variant}: surface error {:e}", slicer.surface_error());
        }
    }
}

#[test]
fn coverage_has_the_area_of_the_contours() {
    let mesh = shape("tripod", &[]);
    let slicer = slicer(&mesh, Axis::Z, 1e-6);
    let [low, high] = slicer.plane_box();
    for pitch in [0.01, 0.037] {
        let size = [0, 1].map(|d| ((high[d] - low[d]) / pitch).ceil() as usize + 2);
        let grid = PixelGrid { origin: low.map(|x| x - pitch), pitch, size };
        for height in heights(&slicer, 5) {
            let layer = slicer.layer(0, height);
            let exact: Vec<u16> =
                slicer.coverage(&[height], &grid, Sampling::Area).expect("pixels");
            let sum = exact.iter().map(|&p| f64::from(p) / 65535.0).sum::<f64>() * pitch * pitch;
            let error = sum / layer.area() - 1.0;
            assert!(error.abs() < 1e-5, "{height}: {error:e}");
            let bytes: Vec<u8> = slicer.coverage(&[height], &grid, Sampling::Area).expect("pixels");
            for (&fine, &coarse) in exact.iter().zip(&bytes) {
                assert!((f64::from(fine) / 257.0 - f64::from(coarse)).abs() <= 0.51);
            }
            let centres: Vec<u8> =
                slicer.coverage(&[height], &grid, Sampling::Centre).expect("pixels");
            check_centres(&grid, &layer, &centres);
        }
    }
}

/// Compares pixels with a test of their middles against the contours.
fn check_centres(grid: &PixelGrid, layer: &Layer, pixels: &[u8]) {
    let mut random = Random::new(3);
    for _ in 0..2000 {
        let [column, row] = grid.size.map(|n| random.below(n));
        let [x, y] = grid.centre(column, row);
        let mut inside = false;
        let mut nearest = f64::INFINITY;
        for contour in &layer.contours {
            for (k, a) in contour.points.iter().enumerate() {
                let b = contour.points[(k + 1) % contour.points.len()];
                if (a[1] > y) != (b[1] > y) {
                    let crossing = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
                    inside ^= x < crossing;
                    nearest = nearest.min((x - crossing).abs());
                }
                nearest = nearest.min((a[0] - x).hypot(a[1] - y));
            }
        }
        let pixel = pixels[row * grid.size[0] + column];
        if nearest > 0.01 * grid.pitch {
            assert_eq!(pixel, if inside { 255 } else { 0 }, "pixel {column} {row}");
        }
    }
}

#[test]
fn several_heights_give_their_mean() {
    let mesh = shape("torus", &[6, 2, 1]);
    let slicer = slicer(&mesh, Axis::X, 1e-5);
    let [low, high] = slicer.plane_box();
    let pitch = (high[0] - low[0]) / 100.0;
    // smaller than the solid on all sides
    let origin = [0, 1].map(|d| low[d] + 0.2 * (high[d] - low[d]));
    let grid = PixelGrid { origin, pitch, size: [40, 17] };
    let all = &heights(&slicer, 12)[3..7];
    let mean: Vec<u16> = slicer.coverage(all, &grid, Sampling::Area).expect("pixels");
    let each: Vec<Vec<u16>> = all
        .iter()
        .map(|&h| slicer.coverage(&[h], &grid, Sampling::Area).expect("pixels"))
        .collect();
    for (i, &pixel) in mean.iter().enumerate() {
        let expected = each.iter().map(|layer| f64::from(layer[i])).sum::<f64>() / 4.0;
        assert!((f64::from(pixel) - expected).abs() <= 1.0, "{pixel} {expected}");
    }
    assert!(mean.iter().any(|&p| p > 0) && mean.iter().any(|&p| p < u16::MAX));
}

#[test]
fn layers_do_not_depend_on_order_or_threads() {
    let mesh = shape("tripod", &[]);
    let run = |threads: usize, backwards: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let slicer = slicer(&mesh, Axis::Y, 1e-5);
            let mut heights: Vec<(usize, f64)> =
                heights(&slicer, 12).into_iter().enumerate().collect();
            if backwards {
                heights.reverse();
                heights.truncate(9);
            }
            let mut layers: Vec<Layer> =
                heights.par_iter().map(|&(index, height)| slicer.layer(index, height)).collect();
            layers.sort_by_key(|layer| layer.index);
            layers
        })
    };
    let all = run(1, false);
    assert_eq!(run(2, false), all);
    assert_eq!(run(2, true), all[3..]);
}

#[test]
fn peaks_and_pits_shrink_to_nothing() {
    let mesh = meshes::link(Link::icosahedron(), 1);
    let slicer = slicer(&mesh, Axis::Z, 1e-6);
    let [_, bound] = slicer.heights();
    // the peak by bisection of what is empty
    let is_empty = |height: f64| slicer.layer(0, height).contours.is_empty();
    let (mut full, mut empty) = (0.0, bound);
    for _ in 0..60 {
        let middle = 0.5 * (full + empty);
        *(if is_empty(middle) { &mut empty } else { &mut full }) = middle;
    }
    let limits = Limits::new(&mesh);
    let samples = boundary_samples(&limits, &mesh);
    let highest = samples.iter().map(|s| s.0[2]).fold(f64::MIN, f64::max);
    assert!(full >= highest - slicer.tolerance() && full < bound + 1e-3);
    let mut area = 0.0;
    for below in [1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2] {
        let layer = slicer.layer(0, full - below);
        check_contours(&slicer, &layer, "peak");
        assert!(layer.area() >= area, "{below}");
        area = layer.area();
    }
    assert!(area > 1e-3);
}

#[test]
fn weights_of_the_limit_are_not_negative() {
    for (name, mesh) in meshes::models() {
        let solid = Solid::new(&mesh).expect("a solid");
        let mut least: f64 = 0.0;
        for leaf in solid.leaves().iter().step_by(1 + solid.leaves().len() / 300) {
            for i in 0..27 {
                let p = [i % 3, i / 3 % 3, i / 9].map(|k| [0.07, 0.51, 0.93][k]);
                let weights = solid.weights(leaf, p, support::POSITION).expect("positions exist");
                least = weights.into_iter().fold(least, f64::min);
            }
        }
        assert!(least >= -1e-13, "{name}: {least:e}");
    }
}

#[test]
fn bad_requests_are_refused() {
    let mesh = meshes::block([1, 1, 1]);
    let solid = Solid::new(&mesh).expect("a solid");
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-30] {
        let options = SliceOptions { axis: Axis::Z, tolerance: Some(tolerance) };
        let error = Slicer::new(&solid, mesh.controls(), options).expect_err("a bad tolerance");
        assert!(error.to_string().contains("tolerance"), "{error}");
    }
    let other = meshes::block([2, 1, 1]);
    assert!(Slicer::new(&solid, other.controls(), SliceOptions::default()).is_err());
    let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default()).expect("a slicer");
    for (pitch, size) in [(0.0, [4, 4]), (f64::NAN, [4, 4]), (1.0, [70_000, 1])] {
        let grid = PixelGrid { origin: [0.0; 2], pitch, size };
        assert!(slicer.coverage::<u8>(&[0.5], &grid, Sampling::Area).is_err());
    }
}

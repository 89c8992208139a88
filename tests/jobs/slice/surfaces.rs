//! Slices of closed surfaces: against the slices of the solid that they bound, against
//! volumes of finely refined meshes, and against shapes whose areas are known.

use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::slice::{
    Axis, ClosedSurface, Contour, Layer, PixelGrid, Sampling, SliceOptions, Slicer,
};
use subsolid::surface::{Scheme, SurfaceOptions, boundary_surface, refine_surface, vertex_limits};

use super::volumes::sliced_volume;
use super::{AXES, check_contours, heights};
use crate::support::size;
use crate::triangles::sphere;

pub fn slicer(mesh: &SurfaceMesh, scheme: Scheme, axis: Axis, tolerance: f64) -> Slicer {
    let ready = ClosedSurface::prepare(mesh.clone(), scheme).expect("a closed surface");
    let tolerance = Some(tolerance * size(&mesh.points));
    let options = SliceOptions { axis, tolerance };
    Slicer::of_surface(&ready.surface, &ready.mesh.points, options).expect("a slicer")
}

pub fn model(name: &str) -> SurfaceMesh {
    subsolid::read_surface(format!("models/surfaces/{name}.obj")).expect("a surface")
}

/// The cube from `low` to `high`, of quads or of triangles.
pub fn cube(low: f64, high: f64, triangles: bool) -> SurfaceMesh {
    let points =
        (0..8).map(|k: u32| [k & 1, k >> 1 & 1, k >> 2].map(|i| [low, high][i as usize])).collect();
    let quads: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = if triangles {
        Polygons::uniform(3, quads.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect())
    } else {
        Polygons::uniform(4, quads.as_flattened().to_vec())
    };
    SurfaceMesh::new(points, faces)
}

/// Two surfaces in one mesh.
fn joined(first: &SurfaceMesh, second: &SurfaceMesh) -> SurfaceMesh {
    let mut both = first.clone();
    let start = both.points.len() as u32;
    both.points.extend(&second.points);
    for face in second.faces.iter() {
        both.faces.push(&face.iter().map(|v| v + start).collect::<Vec<u32>>());
    }
    both
}

fn reversed(mesh: &SurfaceMesh) -> SurfaceMesh {
    let mut faces = Polygons::default();
    mesh.faces.iter().for_each(|f| faces.push(&f.iter().rev().copied().collect::<Vec<u32>>()));
    SurfaceMesh { faces, ..mesh.clone() }
}

/// Volume by the divergence theorem over fans around the middles of polygons.
fn polygon_volume(mesh: &SurfaceMesh) -> f64 {
    let mut six = 0.0;
    let origin = mesh.points[0];
    for face in mesh.faces.iter() {
        let p = |k: usize| {
            let p = mesh.points[face[k % face.len()] as usize];
            [0, 1, 2].map(|d| p[d] - origin[d])
        };
        let middle =
            [0, 1, 2].map(|d| (0..face.len()).map(|k| p(k)[d]).sum::<f64>() / face.len() as f64);
        for k in 0..face.len() {
            let (a, b, c) = (p(k), p(k + 1), middle);
            six += a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]);
        }
    }
    six / 6.0
}

/// Volume inside the limit: polygons through limit points have an error of the order of the
/// squares of their sides, of which two levels give the size.
fn limit_volume(mesh: &SurfaceMesh, scheme: Scheme, levels: usize) -> f64 {
    let at = |levels: usize| {
        let options = SurfaceOptions { scheme, levels, ..SurfaceOptions::default() };
        let mut fine = refine_surface(mesh, &options).expect("a refined mesh");
        fine.points = vertex_limits(&fine, scheme).expect("limits").positions;
        polygon_volume(&fine)
    };
    let [coarse, fine] = [at(levels - 1), at(levels)];
    fine + (fine - coarse) / 3.0
}

/// The boundary of a Catmull-Clark solid is the Catmull-Clark surface of its boundary.
#[test]
fn boundaries_of_solids_have_the_layers_of_the_solids() {
    let tolerance = 1e-6;
    for (name, mesh) in [
        ("bracket", subsolid::read("models/bracket.vtk").unwrap()),
        ("tripod", super::shape("tripod", &[])),
        ("mixed", crate::support::meshes::mixed()),
    ] {
        let boundary = boundary_surface(&mesh).unwrap();
        for axis in AXES {
            let solid = super::slicer(&mesh, axis, tolerance);
            let surface = slicer(&boundary, Scheme::CatmullClark, axis, tolerance);
            let ([low, high], [left, right]) = (solid.heights(), solid.plane_box());
            let length = solid.tolerance();
            for (a, b) in solid.heights().iter().zip(surface.heights()) {
                assert!((a - b).abs() <= length, "{name} {axis:?}: {a} {b}");
            }
            let pitch = (right[0] - left[0]).max(right[1] - left[1]) / 150.0;
            let grid = PixelGrid { origin: left, pitch: [pitch; 2], size: [150, 150] };
            let (mut changed, mut largest) = (0, 0);
            for height in heights(&solid, 7) {
                let [a, b] = [&solid, &surface].map(|slicer| {
                    slicer.coverage::<u16>(&[height], &grid, Sampling::Area).unwrap()
                });
                assert!(a.iter().any(|&p| p > 0), "{name} {axis:?}");
                for (a, b) in a.iter().zip(&b) {
                    changed += usize::from(a != b);
                    largest = largest.max(a.abs_diff(*b));
                }
                let [a, b] = [&solid, &surface].map(|slicer| slicer.layer(0, height));
                assert_eq!(a.contours.len(), b.contours.len(), "{name} {axis:?} {height}");
                check_contours(&surface, &b, name);
            }
            // a contour of at most 2 pitches per pixel, off by the tolerances of both
            let most = 4.0 * length / pitch * 65535.0 + 1.0;
            println!(
                "{name} {axis:?}: {changed} pixels differ, by {largest} of 65535 (of {most:.0})"
            );
            assert!(f64::from(largest) <= most, "{name} {axis:?}: {largest} of {most}");
            assert!(high > low);
        }
    }
}

#[test]
fn polygons_as_they_are_have_exact_areas() {
    for mesh in [cube(-1.0, 2.0, false), cube(-1.0, 2.0, true)] {
        for axis in AXES {
            let slicer = slicer(&mesh, Scheme::Bilinear, axis, 1e-6);
            assert_eq!(slicer.surface_error(), 0.0);
            assert_eq!(slicer.heights(), [-1.0, 2.0]);
            for height in [-1.0, -0.7, 0.5, 1.999] {
                let layer = slicer.layer(0, height);
                assert_eq!(layer.contours.len(), 1);
                assert!((layer.area() - 9.0).abs() < 1e-11, "{axis:?} {height}: {}", layer.area());
            }
            assert!(slicer.layer(0, 2.0).contours.is_empty());
        }
    }
    // a pyramid of a square and four triangles, and a prism over a concave hexagon
    let mut faces = Polygons::default();
    for face in [&[3, 2, 1, 0][..], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]] {
        faces.push(face);
    }
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.6, 2.0]];
    let pyramid = slicer(&SurfaceMesh::new(points, faces), Scheme::Bilinear, Axis::Z, 1e-6);
    for height in [0.0, 0.1, 1.0, 1.7, 1.99] {
        let expected = (1.0_f64 - 0.5 * height).powi(2);
        let area = pyramid.layer(0, height).area();
        assert!((area - expected).abs() < 1e-9, "{height}: {area} {expected}");
    }
    let hexagon = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.9, 2.0], [1.9, 0.1], [0.0, 0.1]];
    let points = [0.0, 1.0].iter().flat_map(|&z| hexagon.map(|[x, y]| [x, y, z])).collect();
    let mut faces = Polygons::default();
    faces.push(&[5, 4, 3, 2, 1, 0]);
    faces.push(&[6, 7, 8, 9, 10, 11]);
    (0..6).for_each(|k| faces.push(&[k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k]));
    let mesh = SurfaceMesh::new(points, faces);
    let upright = slicer(&mesh, Scheme::Bilinear, Axis::Z, 1e-6);
    assert!((upright.layer(0, 0.37).area() - 0.39).abs() < 1e-9);
    // through the folded sheets over the middle of the hexagon
    let across = slicer(&mesh, Scheme::Bilinear, Axis::X, 1e-6);
    for (height, expected) in [(0.5, 0.1), (1.0, 0.1), (1.95, 2.0)] {
        let area = across.layer(0, height).area();
        assert!((area - expected).abs() < 1e-14, "{height}: {area}");
    }
}

#[test]
fn shells_in_shells_are_cavities_or_one_with_them() {
    for triangles in [false, true] {
        let (outer, inner) = (cube(0.0, 4.0, triangles), cube(1.0, 2.5, triangles));
        let hollow = joined(&outer, &reversed(&inner));
        let cut = |mesh: &SurfaceMesh| slicer(mesh, Scheme::Bilinear, Axis::Z, 1e-6);
        let pixels = |slicer: &Slicer, height: f64| -> f64 {
            let grid = PixelGrid { origin: [-0.05; 2], pitch: [0.1; 2], size: [42; 2] };
            let gray: Vec<u16> = slicer.coverage(&[height], &grid, Sampling::Area).unwrap();
            gray.iter().map(|&p| f64::from(p) / 65535.0).sum::<f64>() * 0.01
        };
        let slicer = cut(&hollow);
        let shells = slicer.shells();
        assert_eq!(shells.shells.len(), 2);
        let volumes: Vec<f64> = shells.shells.iter().map(|shell| shell.volume).collect();
        assert!((volumes[0] - 64.0).abs() < 1e-12 && (volumes[1] + 3.375).abs() < 1e-12);
        assert_eq!(shells.cavities().count(), 1);
        for (height, area) in [(0.5, 16.0), (1.0, 13.75), (2.0, 13.75), (2.5, 16.0), (3.5, 16.0)] {
            let layer = slicer.layer(0, height);
            assert!((layer.area() - area).abs() < 1e-11, "{height}: {}", layer.area());
            assert!((pixels(&slicer, height) - area).abs() < 5e-5);
            let depths: Vec<u32> = layer.contours.iter().map(|contour| contour.depth).collect();
            assert_eq!(depths.len(), if area < 16.0 { 2 } else { 1 });
        }
        // all of it the other way round is the same
        let backwards = cut(&reversed(&hollow));
        assert!((backwards.shells().volume() - 60.625).abs() < 1e-12);
        assert!((backwards.layer(0, 2.0).area() - 13.75).abs() < 1e-11);
        assert!((pixels(&backwards, 2.0) - 13.75).abs() < 5e-5);
        // two shells that overlap are one
        let both = cut(&joined(&outer, &inner));
        assert_eq!(both.shells().cavities().count(), 0);
        assert_eq!([slicer.shells().most_around(), both.shells().most_around()], [1, 2]);
        assert!((pixels(&both, 2.0) - 16.0).abs() < 5e-5);
        let layer = both.layer(0, 2.0);
        assert!((layer.area() - 16.0).abs() < 1e-9 && layer.contours.len() == 1, "{layer:?}");
        // in each of several planes
        let grid = PixelGrid { origin: [0.0; 2], pitch: [0.5; 2], size: [8; 2] };
        for heights in [[2.0, 4.5], [4.5, 2.0]] {
            let mean: Vec<u16> = both.coverage(&heights, &grid, Sampling::Area).unwrap();
            assert_eq!(mean, [32768; 64]);
        }
        // a shell that looked inward, beside the other or across its side, is a body
        for (shell, volume) in
            [(cube(6.0, 7.0, triangles), 1.0), (cube(3.0, 6.5, triangles), 42.875)]
        {
            let beside = cut(&joined(&outer, &reversed(&shell)));
            assert_eq!(beside.shells().cavities().count(), 0);
            assert!((beside.shells().shells[1].volume - volume).abs() < 1e-12);
            assert!((pixels(&beside, 3.5) - 16.0).abs() < 5e-5 || volume > 1.0);
        }
    }
}

/// A shell that looked inward beside the material, in the box around it.
#[test]
fn shells_beside_material_are_no_cavities() {
    let angle = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.9, 2.0], [1.9, 0.1], [0.0, 0.1]];
    let points = [0.0, 2.0].iter().flat_map(|&z| angle.map(|[x, y]| [x, y, z])).collect();
    let mut faces = Polygons::default();
    faces.push(&[5, 4, 3, 2, 1, 0]);
    faces.push(&[6, 7, 8, 9, 10, 11]);
    (0..6).for_each(|k| faces.push(&[k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k]));
    let (angle, block) = (SurfaceMesh::new(points, faces), cube(0.0, 2.0, false));
    for triangles in [false, true] {
        let inner = reversed(&cube(0.5, 1.0, triangles));
        for axis in AXES {
            let cavities = |mesh: &SurfaceMesh| {
                slicer(mesh, Scheme::Bilinear, axis, 1e-6).shells().cavities().count()
            };
            assert_eq!(cavities(&joined(&angle, &inner)), 0);
            assert_eq!(cavities(&joined(&reversed(&angle), &reversed(&inner))), 0);
            assert_eq!(cavities(&joined(&block, &inner)), 1);
            // in a cavity it is a body
            let hollow = joined(&block, &reversed(&cube(0.25, 1.5, triangles)));
            assert_eq!(cavities(&joined(&hollow, &inner)), 1);
            // flush with the outside, from within
            assert_eq!(cavities(&joined(&block, &reversed(&cube(0.0, 1.0, triangles)))), 1);
        }
    }
}

/// The limit of a cube has one extent along all axes, with extreme points inside its faces.
#[test]
fn the_box_in_the_plane_is_that_of_the_limit() {
    for (scheme, triangles) in [(Scheme::CatmullClark, false), (Scheme::Bilinear, true)] {
        for tolerance in [1e-3, 1e-6] {
            let slicer = slicer(&cube(0.0, 2.0, triangles), scheme, Axis::Z, tolerance);
            let ([bottom, top], [low, high]) = (slicer.heights(), slicer.plane_box());
            for d in 0..2 {
                for (found, expected) in [(low[d], bottom), (high[d], top)] {
                    let off = (found - expected).abs();
                    assert!(off <= 0.5 * slicer.tolerance(), "{scheme:?}: {found} {expected}");
                }
            }
            if scheme.is_linear() {
                assert_eq!([low, high], [[0.0; 2], [2.0; 2]]);
            }
            for height in [bottom + 0.3, 1.0, top - 0.1] {
                check_contours(&slicer, &slicer.layer(0, height), "cube");
            }
        }
    }
}

#[test]
fn loop_spheres_have_the_volume_of_their_limit() {
    for levels in [0, 1] {
        let mesh = sphere(levels);
        let expected = limit_volume(&mesh, Scheme::Loop, 6 - levels);
        for axis in AXES {
            let slicer = slicer(&mesh, Scheme::Loop, axis, 1e-6);
            assert!(slicer.surface_error() <= slicer.tolerance() / 8.0);
            assert!((slicer.shells().volume() / expected - 1.0).abs() < 2e-6);
            let error = sliced_volume(&slicer, 120) / expected - 1.0;
            println!("sphere {levels} {axis:?}: {error:e}");
            assert!(error.abs() < 6e-6, "{axis:?}: {error:e}"); // 2e-6
        }
    }
}

/// Contours of Loop surfaces lie where the limit is: its points at dense places, in no order,
/// are inside or outside the pixels' contours as heights say.
#[test]
fn loop_heights_are_those_of_dense_limit_points() {
    let mesh = model("spot_control_mesh");
    let options = SurfaceOptions { scheme: Scheme::Loop, levels: 3, ..SurfaceOptions::default() };
    let fine = refine_surface(&mesh, &options).unwrap();
    let points = vertex_limits(&fine, Scheme::Loop).unwrap().positions;
    for axis in AXES {
        let slicer = slicer(&mesh, Scheme::Loop, axis, 1e-5);
        let [low, high] = slicer.heights();
        let ([left, right], slack) = (slicer.plane_box(), slicer.tolerance());
        let [mut least, mut most] = [f64::INFINITY, f64::NEG_INFINITY];
        for &p in &points {
            let z = p[axis.number()];
            (least, most) = (least.min(z), most.max(z));
            let [x, y] = axis.project(p);
            assert!(left[0] - slack <= x && x <= right[0] + slack);
            assert!(left[1] - slack <= y && y <= right[1] + slack);
            // a contour of the plane through the point passes by it
            assert!(low - slack <= z && z <= high + slack);
        }
        assert!(least - low < 5e-4 * (high - low) && high - most < 5e-4 * (high - low));
        for &p in points.iter().step_by(197) {
            let [x, y] = axis.project(p);
            let layer = slicer.layer(0, p[axis.number()]);
            let distance = layer.contours.iter().flat_map(|contour| {
                let next = contour.points.iter().cycle().skip(1);
                contour.points.iter().zip(next).map(|(a, b)| from_segment([x, y], *a, *b))
            });
            let distance = distance.fold(f64::INFINITY, f64::min);
            let steep = 30.0; // contours of gentle slopes move far with the height
            assert!(distance < steep * slack, "{axis:?}: {p:?} is {distance:e} off");
        }
    }
}

fn from_segment(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let [along, from] = [[0, 1].map(|d| b[d] - a[d]), [0, 1].map(|d| p[d] - a[d])];
    let square = along[0] * along[0] + along[1] * along[1];
    let t = ((along[0] * from[0] + along[1] * from[1]) / square).clamp(0.0, 1.0);
    (from[0] - t * along[0]).hypot(from[1] - t * along[1])
}

/// All closed surfaces of the models, and the parts that they have; the others are refused.
const CLOSED: [(&str, usize); 7] = [
    ("cow_boundary", 1),
    ("cubes_semisharp", 4),
    ("dodecahedron_poly", 1),
    ("spot_control_mesh", 1),
    ("spot_quadrangulated", 1),
    ("torus_creases0", 1),
    ("wrench_boundary", 1),
];

#[test]
fn closed_models_have_the_volume_of_their_refined_meshes() {
    for (name, shells) in CLOSED {
        let mesh = model(name);
        for (scheme, tolerance) in
            [(Scheme::CatmullClark, 5e-5), (Scheme::Loop, 1e-4), (Scheme::Bilinear, 1e-9)]
        {
            // some 50,000 faces in the end; the error is of that order once no crease is semi-sharp
            let faces = mesh.faces.len();
            let most = if mesh.creases.edges.is_empty() { 70_000 } else { 300_000 };
            let levels = (1..9).take_while(|&n| faces << (2 * n) < most).last().unwrap_or(1);
            let (slow, large) = (scheme == Scheme::Loop && faces > 100, faces > 10_000);
            if slow || (large && scheme != Scheme::Bilinear) {
                continue;
            }
            let expected = limit_volume(&mesh, scheme, levels).abs();
            let slicer = slicer(&mesh, scheme, Axis::Z, 1e-5);
            assert!(slicer.surface_error() <= slicer.tolerance() / 8.0);
            assert_eq!(slicer.shells().shells.len(), shells, "{name}");
            let own = slicer.shells().volume();
            let count = if faces < 1000 { 300 } else { 100 };
            let errors = [own / expected - 1.0, sliced_volume(&slicer, count) / own - 1.0];
            println!("{name} {scheme:?}: {errors:?}");
            assert!(errors[0].abs() < tolerance, "{name} {scheme:?}: {errors:?}");
            // areas of layers are not smooth in the height, and jump at flat faces
            let rough = match scheme {
                _ if faces >= 1000 => 2e-3,
                Scheme::Bilinear => 1.0 / count as f64,
                _ => 3e-4,
            };
            assert!(errors[1].abs() < rough, "{name} {scheme:?}: {errors:?}");
        }
    }
}

/// A number of edges, faces or vertices that says what is wrong.
#[test]
fn surfaces_without_an_inside_are_refused() {
    let refused = |mesh: &SurfaceMesh, scheme: Scheme, fragment: &str| {
        let error = ClosedSurface::new(mesh, scheme).expect_err("no inside").to_string();
        assert!(error.contains(fragment), "{error}");
    };
    for name in std::fs::read_dir("models/surfaces").unwrap() {
        let name = name.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        if CLOSED.iter().any(|(closed, _)| *closed == name) || name == "nonman_edges" {
            continue;
        }
        let fragment = match name.as_str() {
            "hole_test2" => "face 5 is tagged as a hole",
            _ => "the surface is not closed: edge ",
        };
        refused(&model(&name), Scheme::CatmullClark, fragment);
    }
    let whole = cube(0.0, 1.0, true);
    refused(&whole, Scheme::Sqrt3, "√3");
    let faces = |faces: &[u32]| SurfaceMesh {
        faces: Polygons::uniform(3, faces.to_vec()),
        ..whole.clone()
    };
    let all = whole.faces.vertices().to_vec();
    refused(
        &faces(&all[3..]),
        Scheme::Loop,
        "edge 0 2 has one face alone (face 8), as 2 more edges have",
    );
    let twice = [all.clone(), all[..3].to_vec()].concat();
    refused(&faces(&twice), Scheme::Bilinear, "has 3 faces, not two");
    let mut turned = all;
    turned.swap(0, 1);
    refused(&faces(&turned), Scheme::Bilinear, "in the same direction");
    // as much outside as inside
    let mesh = joined(&cube(0.0, 1.0, false), &reversed(&cube(2.0, 3.0, false)));
    let surface = ClosedSurface::new(&mesh, Scheme::Bilinear).unwrap();
    let error = Slicer::of_surface(&surface, &mesh.points, SliceOptions::default()).unwrap_err();
    assert!(error.to_string().contains("encloses a volume of"), "{error}");
    let error = Slicer::of_surface(&surface, &mesh.points[1..], SliceOptions::default());
    assert!(error.unwrap_err().to_string().contains("15 control points for 16 vertices"));
}

/// The outline in the plane of x and z, from y = 0 to 1: two polygons and quads.
fn extruded(outline: &[[f64; 2]]) -> SurfaceMesh {
    let count = outline.len() as u32;
    let side = |y: f64| outline.iter().map(move |&[x, z]| [x, y, z]);
    let mut faces = Polygons::default();
    faces.push(&(0..count).collect::<Vec<u32>>());
    faces.push(&(0..count).map(|i| 2 * count - 1 - i).collect::<Vec<u32>>());
    for i in 0..count {
        let next = (i + 1) % count;
        faces.push(&[next, i, count + i, count + next]);
    }
    SurfaceMesh::new(side(0.0).chain(side(1.0)).collect(), faces)
}

/// Lowest x, highest x and length of each contour, by their lowest x.
fn contour_extents(layer: &Layer) -> Vec<[f64; 3]> {
    let extent = |contour: &Contour| {
        let next = contour.points.iter().cycle().skip(1);
        let lengths =
            contour.points.iter().zip(next).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]));
        let xs = || contour.points.iter().map(|p| p[0]);
        [xs().fold(9.0, f64::min), xs().fold(-9.0, f64::max), lengths.sum()]
    };
    let mut extents: Vec<[f64; 3]> = layer.contours.iter().map(extent).collect();
    extents.sort_by(|a, b| a[0].total_cmp(&b[0]));
    extents
}

/// A concave planar face is where its polygon is, not where bilinear patches around its middle are.
#[test]
fn contours_of_concave_faces_stay_in_the_material() {
    let channel = [[0., 0.], [3., 0.], [3., 3.], [2., 3.], [2., 1.], [1., 1.], [1., 3.], [0., 3.]];
    let arrow = [[0., 0.], [2., 3.], [0., 1.], [-2., 3.]];
    for (outline, height, expected) in [
        (&channel[..], 0.5, vec![[0.0, 3.0, 8.0]]),
        (&channel, 1.25, vec![[0.0, 1.0, 4.0], [2.0, 3.0, 4.0]]),
        (&channel, 1.75, vec![[0.0, 1.0, 4.0], [2.0, 3.0, 4.0]]),
        (&channel, 2.75, vec![[0.0, 1.0, 4.0], [2.0, 3.0, 4.0]]),
        (&arrow, 0.75, vec![[-0.5, 0.5, 4.0]]),
        (&arrow, 1.5, vec![[-1.0, -0.5, 3.0], [0.5, 1.0, 3.0]]),
    ] {
        let mesh = extruded(outline);
        let slicer = slicer(&mesh, Scheme::Bilinear, Axis::Z, 1e-9);
        let found = contour_extents(&slicer.layer(0, height));
        let near = |a: &[f64; 3], b: &[f64; 3]| (0..3).all(|d| (a[d] - b[d]).abs() < 1e-6);
        assert_eq!(found.len(), expected.len(), "{height}: {found:?}");
        assert!(found.iter().zip(&expected).all(|(a, b)| near(a, b)), "{height}: {found:?}");
    }
    // shells name faces of the mesh, not triangles
    let mut far = extruded(&channel);
    far.points.iter_mut().for_each(|p| p[0] += 5.0);
    let both = slicer(&joined(&extruded(&channel), &far), Scheme::Bilinear, Axis::Z, 1e-6);
    assert_eq!(both.shells().shells.iter().map(|shell| shell.face).collect::<Vec<_>>(), [0, 10]);
}

/// The faces of unit cubes at these places that no other shares, over shared vertices.
fn voxels(places: &[[i32; 3]]) -> SurfaceMesh {
    let whole = cube(0.0, 1.0, false);
    let points = (0..64).map(|i| [i % 4, i / 4 % 4, i / 16].map(f64::from)).collect();
    let mut faces = Polygons::default();
    for place in places {
        for face in whole.faces.iter() {
            let corners = face.iter().map(|&v| whole.points[v as usize].map(|x| x as i32));
            let corners: Vec<[i32; 3]> = corners.collect();
            let beyond = [0, 1, 2].map(|d| {
                let side = corners[0][d];
                let is_across = corners.iter().all(|corner| corner[d] == side);
                place[d] + if is_across { 2 * side - 1 } else { 0 }
            });
            if !places.contains(&beyond) {
                let at = |c: &[i32; 3]| [0, 1, 2].map(|d| (place[d] + c[d]) as u32);
                let id = |[x, y, z]: [u32; 3]| x + 4 * y + 16 * z;
                faces.push(&corners.iter().map(|c| id(at(c))).collect::<Vec<u32>>());
            }
        }
    }
    SurfaceMesh::new(points, faces)
}

/// Vertices of the edge cannot be separated: the body is connected around both of its ends.
#[test]
fn a_body_that_touches_itself_along_an_edge_is_cut() {
    let corner = |z| [[0, 0, z], [0, 1, z], [1, 1, z]];
    let middle = [[0, 0, 1], [1, 1, 1]];
    let places = [&corner(0)[..], &middle, &corner(2)].concat();
    let mesh = voxels(&places);
    for mesh in [
        mesh.clone(),
        SurfaceMesh {
            faces: Polygons::uniform(3, mesh.triangles().corners.into_flattened()),
            ..mesh.clone()
        },
    ] {
        let slicer = slicer(&mesh, Scheme::Bilinear, Axis::Z, 1e-6);
        assert_eq!(slicer.shells().shells.len(), 1);
        assert!((slicer.shells().volume() - 8.0).abs() < 1e-13);
        for (height, contours, area) in [(0.5, 1, 3.0), (1.2, 2, 2.0), (1.9, 2, 2.0), (2.5, 1, 3.0)]
        {
            let layer = slicer.layer(0, height);
            assert_eq!(layer.contours.len(), contours, "{height}");
            assert!((layer.area() - area).abs() < 1e-13, "{height}");
            let grid = PixelGrid { origin: [0.0; 2], pitch: [0.1; 2], size: [20, 20] };
            let pixels: Vec<u8> = slicer.coverage(&[height], &grid, Sampling::Center).unwrap();
            let inside = pixels.iter().filter(|&&pixel| pixel > 0).count();
            assert_eq!(inside, (100.0 * area) as usize, "{height}");
        }
        let error = ClosedSurface::new(&mesh, Scheme::CatmullClark).unwrap_err().to_string();
        assert!(error.contains("has 4 faces, not two"), "{error}");
    }
}

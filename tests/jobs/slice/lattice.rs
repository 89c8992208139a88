//! Lattices: volumes, areas of struts, what is on both sides of faces, shells.

use std::f64::consts::{PI, TAU};

use subsolid::backend::Cpu;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Quantity;
use subsolid::slice::{
    Graded, LatticeSize, LayerSource, PixelGrid, Sampling, SliceOptions, Slicer, SolidSource, Tile,
    TileLattice,
};
use subsolid::{Backend, Samples, Solid, Want};

use super::{creased, shape};
use crate::oracle::random::Random;
use crate::support::{Limits, meshes};

/// Layers of a lattice in a mesh across `axis`, with contours found on squares of `pitch`.
fn layers<T>(
    mesh: &SolidMesh,
    lattice: &TileLattice,
    pitch: f64,
    ask: impl FnOnce(&SolidSource<'_>) -> T,
) -> T {
    let solid = Solid::new(mesh).expect("a solid");
    let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default()).expect("a slicer");
    let mut source = SolidSource::with_cell_data(&solid, mesh.controls(), &[], slicer).unwrap();
    source.set_lattice(lattice.clone(), &mesh.attributes, Some([pitch; 2])).unwrap();
    ask(&source)
}

fn lattice(tile: Tile, per_cell: usize, size: LatticeSize) -> TileLattice {
    TileLattice { tile, per_cell, size, skin: 0.0 }
}

fn level(level: f64) -> LatticeSize {
    LatticeSize::Level(Graded::Constant(level))
}

fn thickness(thickness: f64) -> LatticeSize {
    LatticeSize::Thickness(Graded::Constant(thickness))
}

/// The pixels over a mesh, and heights of `count` layers.
fn pixels(source: &SolidSource<'_>, columns: usize, count: usize) -> (PixelGrid, Vec<f64>) {
    let ([low, high], [left, right]) = (source.slicer().heights(), source.slicer().plane_box());
    let pitch = (right[0] - left[0]) / columns as f64;
    let rows = ((right[1] - left[1]) / pitch - 1e-9).ceil() as usize;
    let grid = PixelGrid { origin: left, pitch: [pitch; 2], size: [columns, rows] };
    let step = (high - low) / count as f64;
    (grid, (0..count).map(|k| low + (k as f64 + 0.5) * step).collect())
}

/// Volume of pixels.
fn volume(source: &SolidSource<'_>, columns: usize, count: usize, sampling: Sampling) -> f64 {
    let (grid, heights) = pixels(source, columns, count);
    let [low, high] = source.slicer().heights();
    let of = |&z: &f64| {
        let pixels = source.coverage(&[z], &grid, sampling).unwrap();
        pixels.iter().map(|&p| f64::from(p) / 65535.0).sum::<f64>() * grid.pixel_area()
    };
    heights.iter().map(of).sum::<f64>() * (high - low) / count as f64
}

#[test]
fn schwarz_p_at_level_0_fills_half_of_a_box() {
    let mesh = creased("box", &[2, 2, 2]);
    let half = lattice(Tile::SchwarzP, 2, level(0.0));
    layers(&mesh, &half, 0.1, |source| {
        for sampling in [Sampling::Center, Sampling::Area] {
            let found = volume(source, 64, 16, sampling);
            assert!((found / 8.0 - 0.5).abs() < 1e-4, "{sampling:?} {found}");
        }
    });
}

/// A density is the part of the volume, of all tiles, where cells are alike.
#[test]
fn densities_are_parts_of_the_volume() {
    let mesh = creased("box", &[1, 1, 1]);
    for tile in Tile::ALL {
        for density in [0.15, 0.6] {
            let size = LatticeSize::Density(Graded::Constant(density));
            layers(&mesh, &lattice(tile, 1, size), 0.1, |source| {
                let found = volume(source, 37, 37, Sampling::Center);
                assert!((found - density).abs() < 1e-2, "{tile:?} {density} {found}");
            });
        }
    }
}

/// Sines and cosines of tiles, which are the same on all processors, are right to rounding.
#[test]
fn waves_are_those_of_the_library() {
    for i in 0..=20_000 {
        let x = f64::from(i) / 40_000.0;
        let (value, [slope, ..]) = Tile::SchwarzP.value([x, 0.25, 0.25]);
        let (sine, cosine) = (TAU * x).sin_cos();
        assert!((value - cosine).abs() < 6e-16, "{x}: {value} {cosine}");
        assert!((slope + TAU * sine).abs() < 4e-15, "{x}: {slope} {sine}");
    }
}

/// Where the density is 0 there is nothing, where it is 1 all, but for what the table of levels and
/// rounding leave.
#[test]
fn densities_go_from_nothing_to_all() {
    let mut mesh = creased("box", &[1, 1, 6]);
    let size = LatticeSize::Density(Graded::Attribute("d".into()));
    for tile in Tile::ALL {
        let values = mesh.points.iter().map(|p| if p[2] < 3.0 { 0.0 } else { 1.0 }).collect();
        mesh.attributes = vec![subsolid::mesh::Attribute { name: "d".into(), width: 1, values }];
        layers(&mesh, &lattice(tile, 2, size.clone()), 0.1, |source| {
            let (grid, _) = pixels(source, 40, 1);
            for sampling in [Sampling::Area, Sampling::Center] {
                let [none, all] = [0.3, 5.7].map(|z| {
                    let found = source.coverage(&[z], &grid, sampling).unwrap();
                    found.iter().map(|&x| f64::from(x)).sum::<f64>()
                        / (65535.0 * found.len() as f64)
                });
                assert!(none == 0.0 && all > 0.999, "{tile:?} {sampling:?} {none} {all}");
            }
        });
    }
}

/// What the tiles are, written again with no folds: F, and the distance from all struts of a tile and
/// those around.
fn tile_value(tile: Tile, q: [f64; 3]) -> f64 {
    let c = q.map(|x| (TAU * x).cos());
    let cc = q.map(|x| (2.0 * TAU * x).cos());
    let at = q.map(f64::floor);
    let q = [0, 1, 2].map(|d| q[d] - at[d]);
    let segments = |ends: &[[[f64; 3]; 2]]| {
        let mut least = f64::INFINITY;
        for shift in (0..27).map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1].map(f64::from)) {
            for [a, b] in ends {
                let e: [f64; 3] = std::array::from_fn(|d| q[d] - a[d] - shift[d]);
                let along: [f64; 3] = std::array::from_fn(|d| b[d] - a[d]);
                let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|d| a[d] * b[d]).sum::<f64>();
                let t = (dot(e, along) / dot(along, along)).clamp(0.0, 1.0);
                let off: [f64; 3] = std::array::from_fn(|d| e[d] - t * along[d]);
                least = least.min(dot(off, off).sqrt());
            }
        }
        least
    };
    let corners = || (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(f64::from));
    match tile {
        Tile::SchwarzP => c.iter().sum(),
        Tile::Iwp => 2.0 * (c[0] * c[1] + c[1] * c[2] + c[2] * c[0]) - cc.iter().sum::<f64>(),
        Tile::Cubic => segments(&[0, 1, 2].map(|d| {
            let mut end = [0.0; 3];
            end[d] = 1.0;
            [[0.0; 3], end]
        })),
        Tile::Bcc => segments(&corners().map(|corner| [corner, [0.5; 3]]).collect::<Vec<_>>()),
        Tile::Octet => {
            let sides = (0..6).map(|i| {
                let mut middle = [0.5; 3];
                middle[i / 2] = f64::from(i as u32 % 2);
                middle
            });
            let nodes: Vec<[f64; 3]> = corners().chain(sides).collect();
            let mut ends = Vec::new();
            for (i, a) in nodes.iter().enumerate() {
                for b in &nodes[..i] {
                    let squared: f64 = (0..3).map(|d| (a[d] - b[d]).powi(2)).sum();
                    if (squared - 0.5).abs() < 1e-9 {
                        ends.push([*a, *b]);
                    }
                }
            }
            segments(&ends)
        }
    }
}

#[test]
fn tiles_are_those_of_their_definition() {
    let mesh = creased("box", &[1, 1, 1]);
    for (tile, t) in [
        (Tile::SchwarzP, 0.3),
        (Tile::Iwp, 0.4),
        (Tile::Bcc, 0.12),
        (Tile::Octet, 0.1),
        (Tile::Cubic, 0.15),
    ] {
        layers(&mesh, &lattice(tile, 2, level(t)), 0.1, |source| {
            let grid =
                PixelGrid { origin: [0.0; 2], pitch: [1.0 / 31.0, 1.0 / 29.0], size: [31, 29] };
            let mut inside = 0;
            for z in [0.07, 0.31, 0.77] {
                let pixels = source.coverage(&[z], &grid, Sampling::Center).unwrap();
                for (i, pixel) in pixels.into_iter().enumerate() {
                    let [x, y] = grid.center(i % 31, i / 31);
                    let value = tile_value(tile, [2.0 * x, 2.0 * y, 2.0 * z]) - t;
                    inside += u32::from(value <= 0.0);
                    assert!(
                        (pixel > 0) == (value <= 0.0) || value.abs() < 1e-6,
                        "{tile:?} {x} {y} {z}"
                    );
                }
            }
            assert!((200..2500).contains(&inside), "{tile:?} {inside}");
        });
    }
}

/// Volume by the midpoint rule in the parameters of the cells: |det J| where F is at most the level,
/// with the part of a step near it.
fn parameter_volume(mesh: &SolidMesh, lattice: &TileLattice, level: f64, n: usize) -> f64 {
    let solid = Solid::new(mesh).expect("a solid");
    let at = |i: usize| (i as f64 + 0.5) / n as f64;
    let points: Vec<[f64; 3]> =
        (0..n * n * n).map(|i| [at(i % n), at(i / n % n), at(i / (n * n))]).collect();
    // of a tile in its eighth, the same in all cells
    let count = lattice.per_cell as f64;
    let inside: Vec<f64> = points
        .iter()
        .map(|p| {
            let value = |q: [f64; 3]| tile_value(lattice.tile, q) - level;
            let step = 1e-4;
            let q = p.map(|u| count * u);
            let slope: f64 = (0..3)
                .map(|d| {
                    let mut next = q;
                    next[d] += step;
                    ((value(next) - value(q)) / step).abs() * count / n as f64
                })
                .sum();
            (0.5 - value(q) / slope).clamp(0.0, 1.0)
        })
        .collect();
    let plan = solid.plan(&Samples::Tensor((0..n).map(at).collect()), Want::DETERMINANT);
    let limit = Cpu::default().evaluate(&plan.unwrap(), mesh.controls()).expect("a limit");
    let determinants = limit.quantity(Quantity::Determinant, None).expect("derivatives");
    let terms = determinants.iter().zip(inside.iter().cycle());
    terms.map(|(d, part)| d.abs() * part).sum::<f64>() / (n * n * n) as f64
}

/// Curved cells around an extraordinary edge.
#[test]
fn volumes_of_pixels_are_those_of_quadrature() {
    let mesh = shape("fan", &[5, 2]);
    let own = lattice(Tile::SchwarzP, 1, level(0.3));
    let expected = parameter_volume(&mesh, &own, 0.3, 48);
    let found = layers(&mesh, &own, 0.1, |s| volume(s, 120, 96, Sampling::Area));
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
}

/// Pixels on both sides of faces between cells are filled alike, whichever way the cells are turned; of
/// a face between cells of other kinds, too. A pixel around a point changes by what it moves.
#[test]
fn faces_are_crossed_without_a_jump() {
    let mut random = Random::new(11);
    let turned = |mut mesh: SolidMesh| {
        // corners listed from others
        let rotated = [3, 0, 1, 2, 7, 4, 5, 6];
        let cells: Vec<[u32; 8]> = (0..mesh.cells.len())
            .map(|cell| {
                let own = mesh.cells.hexahedron(cell).unwrap();
                if cell % 2 == 0 { *own } else { rotated.map(|i| own[i]) }
            })
            .collect();
        mesh = SolidMesh { cells: SolidMesh::from_hexahedra(vec![], &cells).cells, ..mesh };
        meshes::perturbed(&mesh, 0.08, 3)
    };
    let all =
        [turned(shape("link-icosahedron", &[1])), turned(shape("fan", &[5, 2])), meshes::mixed()];
    let (mut compared, mut partly) = (0, 0);
    for mesh in all {
        let limits = Limits::new(&mesh);
        let elements = limits.solid.elements().len();
        for (tile, size) in [
            (Tile::SchwarzP, thickness(0.1)),
            (Tile::Iwp, level(0.4)),
            (Tile::Bcc, thickness(0.12)),
            (Tile::Octet, level(0.1)),
            (Tile::Cubic, thickness(0.15)),
        ] {
            layers(&mesh, &lattice(tile, 2, size), 0.1, |source| {
                for _ in 0..3 {
                    let element = random.below(elements);
                    let axis = random.below(3);
                    let side = random.below(2) as f64;
                    let mut p = [0; 3].map(|_| random.between(0.1, 0.9));
                    p[axis] = side;
                    let at = limits.position(element, p);
                    p[axis] = side + 1e-7 * (1.0 - 2.0 * side);
                    let near = limits.position(element, p);
                    let beyond = [0, 1, 2].map(|d| 2.0 * at[d] - near[d]);
                    let filled = [near, beyond].map(|x| {
                        // struts of other cells are no part of a pixel
                        let pitch = if tile.is_smooth() { 0.1 } else { 0.03 };
                        let origin = [x[0] - 0.5 * pitch, x[1] - 0.5 * pitch];
                        let grid = PixelGrid { origin, pitch: [pitch; 2], size: [1, 1] };
                        let whole = source.slicer();
                        let whole: Vec<u16> =
                            whole.coverage(&[x[2]], &grid, Sampling::Area).unwrap();
                        let own = source.coverage(&[x[2]], &grid, Sampling::Area).unwrap()[0];
                        (whole[0] == u16::MAX).then(|| f64::from(own) / 65535.0)
                    });
                    let [Some(a), Some(b)] = filled else { continue };
                    compared += 1;
                    partly += usize::from(a > 0.0 && a < 1.0);
                    assert!((a - b).abs() <= 1e-4, "{tile:?} {element} {axis} {side}: {a} {b}");
                }
            });
        }
    }
    assert!(compared > 20 && partly > 8, "{compared} {partly}");
}

/// Struts are as thick in space as asked for, whatever the cells are stretched by; with a thickness at
/// the vertices, too.
#[test]
fn struts_have_their_thickness_in_space() {
    let mut mesh = creased("box", &[2, 1, 1]);
    // a box of 6 × 2 × 1, sheared along z
    mesh.points.iter_mut().for_each(|p| *p = [3.0 * p[0] + 0.4 * p[2], 2.0 * p[1], p[2]]);
    let own = lattice(Tile::Cubic, 2, thickness(0.3));
    // ellipses where the plane cuts struts along z; whole inside, half and quarter on the boundary
    let shear = (1.0_f64 + 0.4 * 0.4).sqrt();
    let count = 3.0 + 0.5 * (2.0 * 3.0 + 2.0) + 0.25 * 4.0;
    let area = |diameter: f64| PI / 4.0 * diameter * diameter * shear;
    layers(&mesh, &own, 0.004, |source| {
        let layer = source.contours(0, 0.25).unwrap();
        let found = layer.area();
        assert!((found / (count * area(0.3)) - 1.0).abs() < 1e-3, "{found}");
        let (grid, _) = pixels(source, 1500, 1);
        let pixels = source.coverage(&[0.25], &grid, Sampling::Area).unwrap();
        let filled = pixels.iter().map(|&p| f64::from(p) / 65535.0).sum::<f64>();
        let filled = filled * grid.pixel_area();
        assert!((filled / (count * area(0.3)) - 1.0).abs() < 1e-3, "{filled}");
    });
    let at = |x: f64| 0.1 + 0.05 * x;
    let values: Vec<f64> = mesh.points.iter().map(|p| at(p[0] - 0.4 * p[2])).collect();
    mesh.attributes.push(subsolid::mesh::Attribute { name: "t".into(), width: 1, values });
    let size = LatticeSize::Thickness(Graded::Attribute("t".into()));
    layers(&mesh, &lattice(Tile::Cubic, 2, size), 0.004, |source| {
        let found = source.contours(0, 0.25).unwrap().area();
        // the radius toward θ, as thickness changes on the way, over the half to one side
        let half = |column: u32, side: f64| {
            let of = |k: u32| {
                let slope = 0.5 * 0.05 * shear * side * (PI * (f64::from(k) + 0.5) / 200.0).sin();
                (0.5 * at(1.5 * f64::from(column)) / (1.0 - slope)).powi(2)
            };
            2.0 * (0..200).map(of).sum::<f64>() * PI / 400.0 * shear
        };
        // once along y at the ends, as halves; twice inside
        let expected: f64 = (0..5)
            .flat_map(|column| [(column, 1.0), (column, -1.0)])
            .filter(|own| *own != (0, -1.0) && *own != (4, 1.0))
            .map(|(column, side)| half(column, side))
            .sum();
        assert!((found / expected - 1.0).abs() < 4e-3, "{found} {expected}");
    });
}

/// Antialiased pixels of struts add up to what is inside of struts, at points in them, in a turned box.
/// Half of it is measured by the radius in tiles, which are stretched.
#[test]
fn pixels_of_thin_struts_have_their_area() {
    let mut mesh = creased("box", &[4, 4, 4]);
    let turned = |[x, y, z]: [f64; 3]| {
        // angles whose slopes are no ratios of rows to columns of the points
        let [(sa, ca), (sb, cb)] = [0.7_f64, 0.4].map(f64::sin_cos);
        let (u, v) = (ca * x - sa * y, sa * x + ca * y);
        [cb * u + sb * z, v + 0.1 * z, cb * z - sb * u]
    };
    mesh.points.iter_mut().for_each(|p| *p = turned(*p));
    let middle = turned([2.0; 3]);
    let diameter = 0.1;
    let pixels = 3.8;
    for tile in [Tile::Octet, Tile::Bcc, Tile::Cubic] {
        for size in [thickness(diameter), level(0.5 * diameter)] {
            layers(&mesh, &lattice(tile, 1, size), 0.1, |source| {
                let pitch = diameter / pixels;
                let count = (1.7 / pitch).round() as usize;
                let parts = 16;
                let origin = [0, 1].map(|d| middle[d] - 0.5 * pitch * count as f64);
                let coarse = PixelGrid { origin, pitch: [pitch; 2], size: [count; 2] };
                let pitch = [pitch / parts as f64; 2];
                let fine = PixelGrid { origin, pitch, size: [count * parts; 2] };
                let (mut found, mut expected) = (0.0, 0.0);
                for k in 0..2 {
                    let heights = [middle[2] - 0.5 + 0.27 * f64::from(k)];
                    let sum = |grid: &PixelGrid, sampling| {
                        let pixels = source.coverage(&heights, grid, sampling).unwrap();
                        pixels.iter().map(|&x| f64::from(x) / 65535.0).sum::<f64>()
                            * grid.pixel_area()
                    };
                    found += sum(&coarse, Sampling::Area);
                    expected += sum(&fine, Sampling::Center);
                }
                let off = found / expected - 1.0;
                assert!(off.abs() < 1e-3, "{tile:?}: {off:.1e}");
            });
        }
    }
}

/// A shell inside of the boundary stays whole, by pixels and contours.
#[test]
fn skins_are_whole() {
    let mesh = creased("box", &[2, 2, 2]);
    let skin = 0.25;
    let own = TileLattice { skin, ..lattice(Tile::Cubic, 4, thickness(0.06)) };
    layers(&mesh, &own, 0.01, |source| {
        let area = |z: f64| source.contours(0, z).unwrap().area();
        let hollow = (2.0 - 2.0 * skin).powi(2);
        let struts = |count: f64| count * PI / 4.0 * 0.06 * 0.06;
        // 5 × 5 whole ones in the core, 20 halves and 4 quarters at its sides
        let expected = 4.0 - hollow + struts(36.0);
        let found = area(1.125);
        assert!((found - expected).abs() < 3e-3 * expected, "{found} {expected}");
        assert!((area(0.2) - 4.0).abs() < 1e-6 && (area(1.8) - 4.0).abs() < 1e-6);
        let (grid, _) = pixels(source, 200, 1);
        for z in [0.2, 1.125, 1.8] {
            let pixels = source.coverage(&[z], &grid, Sampling::Area).unwrap();
            let filled = pixels.iter().map(|&p| f64::from(p) / 65535.0).sum::<f64>();
            let filled = filled * grid.pixel_area();
            assert!((filled / area(z) - 1.0).abs() < 2e-3, "{z} {filled} {}", area(z));
        }
    });
    // of a ball no thinner than asked for anywhere
    let mesh = shape("box", &[2, 2, 2]);
    let none = lattice(Tile::SchwarzP, 1, level(-4.0));
    layers(&mesh, &TileLattice { skin: 0.2, ..none }, 0.02, |source| {
        let [low, high] = source.slicer().heights();
        let z = 0.5 * (low + high) + 0.3;
        let layer = source.contours(0, z).unwrap();
        let holes = layer.contours.iter().filter(|contour| contour.is_hole());
        let inner: Vec<[f64; 3]> =
            holes.flat_map(|contour| &contour.points).map(|p| [p[0], p[1], z]).collect();
        assert!(inner.len() > 20);
        let limits = Limits::new(&mesh);
        let mut least = f64::INFINITY;
        for face in super::boundary(&mesh) {
            for i in 0..400 {
                let st = [i % 20, i / 20].map(|i| f64::from(i) / 19.0);
                let x = limits.position(face.0, super::on_side(face, st));
                for p in &inner {
                    let squared: f64 = (0..3).map(|d| (x[d] - p[d]).powi(2)).sum();
                    least = least.min(squared.sqrt());
                }
            }
        }
        assert!((0.1999..0.205).contains(&least), "{least}");
    });
}

#[test]
fn wrong_sizes_are_refused() {
    let mut mesh = creased("box", &[1, 1, 1]);
    let values = mesh.points.iter().map(|p| p[0]).collect();
    mesh.attributes.push(subsolid::mesh::Attribute { name: "t".into(), width: 1, values });
    let solid = Solid::new(&mesh).unwrap();
    let refused = |own: TileLattice, words: &str| {
        let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default()).unwrap();
        let mut source = SolidSource::with_cell_data(&solid, mesh.controls(), &[], slicer).unwrap();
        let error = source.set_lattice(own, &mesh.attributes, None).unwrap_err();
        let text = format!("{error} {:?}", error.help());
        assert!(text.contains(words), "{text}");
    };
    let named = |name: &str| Graded::Attribute(name.into());
    let own = |size| lattice(Tile::Bcc, 1, size);
    refused(TileLattice { per_cell: 0, ..own(level(0.0)) }, "per_cell");
    refused(TileLattice { skin: -1.0, ..own(level(0.0)) }, "skin");
    refused(own(thickness(0.0)), "thickness");
    refused(own(level(f64::NAN)), "level");
    refused(own(LatticeSize::Density(Graded::Constant(1.0))), "density");
    refused(own(LatticeSize::Density(named("hardness"))), "\"hardness\"");
    let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default()).unwrap();
    let mut outlines = SolidSource::outlines(slicer);
    assert!(outlines.set_lattice(own(level(0.0)), &[], None).is_err());
    mesh.attributes[0].values[0] = -1.0;
    let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default()).unwrap();
    let mut source = SolidSource::with_cell_data(&solid, mesh.controls(), &[], slicer).unwrap();
    let size = LatticeSize::Thickness(named("t"));
    let error = source.set_lattice(own(size), &mesh.attributes, None).unwrap_err().to_string();
    assert!(error.contains("from -1"), "{error}");
}

//! Interiors of layers.

use subsolid::backend::Precision;
use subsolid::limit::Solid;
use subsolid::locate::{AttributePieces, Locator};
use subsolid::mesh::{Attribute, CellArray, SolidMesh, shape::Shape};
use subsolid::slice::{
    Axis, InteriorFinder, LayerPixels, LayerSource, PixelGrid, Sampling, SliceOptions, Slicer,
    SolidSource,
};

use super::{gpu, shape};
use crate::oracle::vector::greater;

fn attributes(mesh: &SolidMesh) -> Vec<Attribute> {
    let attribute = |name: &str, width: usize, value: fn(&[f64; 3]) -> Vec<f64>| Attribute {
        name: name.into(),
        width,
        values: mesh.points.iter().flat_map(value).collect(),
    };
    vec![
        attribute("linear", 3, |p| vec![p[0], p[1] - 2.0 * p[2], 1.0 + p[0] + p[1] + p[2]]),
        attribute("wave", 1, |p| vec![(3.0 * p[0]).sin() + p[1] * p[2]]),
    ]
}

/// How far numbers are from the CPU's at most.
fn off(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).fold(0.0, |worst, (a, b)| greater(worst, (a - b).abs()))
}

/// Pixels and cells are the CPU's, parameters and values the same to 1e-12: with and without
/// masks, pixels on faces of cells, rows that do not fill whole tiles, images that the solid leaves;
/// and several layers at once have as many pixels.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn interiors_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let mut block = Shape::parse("box", &[3, 2, 4]).unwrap().build().unwrap();
    subsolid::refine::crease_by_angle(&mut block, 40.0).unwrap();
    let mut creased = shape("box", &[3, 2, 4]);
    subsolid::refine::crease_by_angle(&mut creased, 40.0).unwrap();
    let model = |name: &str| subsolid::read(format!("models/{name}")).unwrap();
    let meshes = [
        ("straight box", block, Axis::Z),
        ("creased box", creased, Axis::X),
        ("torus", shape("torus", &[]), Axis::X),
        ("link-3444555", shape("link-3444555", &[]), Axis::Y),
        ("tripod", model("solids/tripod.vtk"), Axis::Z),
        ("bracket", model("bracket.vtk"), Axis::Y),
        ("cad9", model("solids/cad9.mesh"), Axis::X),
    ];
    for (name, mut mesh, axis) in meshes {
        let solid = Solid::new(&mesh).unwrap();
        mesh.attributes = attributes(&mesh);
        let source = || {
            let options = SliceOptions { axis, tolerance: None };
            let slicer = Slicer::new(&solid, mesh.controls(), options).unwrap();
            SolidSource::new(&solid, mesh.controls(), slicer).unwrap()
        };
        let (cpu, mut device) = (source(), source());
        device.bring(&gpu).unwrap();
        let width = cpu.channels().len();
        let locator = cpu.locator().unwrap();
        let pieces: Vec<AttributePieces> =
            mesh.attributes.iter().map(|a| locator.pieces().attribute(a).unwrap()).collect();
        let (low, high) = mesh.bounds().unwrap();
        let [corner, far] = [low, high].map(|p| axis.project(p));
        let side = (far[0] - corner[0]).max(far[1] - corner[1]);
        let along = axis.number();
        let at = |t: f64| low[along] + t * (high[along] - low[along]);
        let heights = [at(0.25), at(0.5), at(0.123), at(0.87), at(2.0)];
        // centers of the first lie on faces of the straight box
        for (size, part, shift) in [([121, 83], 121.0 / 120.0, -0.5 / 120.0), ([70, 97], 0.4, 0.05)]
        {
            let pitch = part * side / size[0] as f64;
            let grid =
                PixelGrid { origin: corner.map(|x| x + shift * side), pitch: [pitch; 2], size };
            let size_of = |values: &[f64]| values.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
            let run = device.time_places(&heights, &grid).unwrap();
            let (mut count, mut worst): (usize, f64) = (0, 0.0);
            for (layer, &height) in heights.iter().enumerate() {
                let what = format!("{name}, {size:?}, layer {layer}");
                let [expected, found] =
                    [&cpu, &device].map(|own| own.places(height, &grid).unwrap());
                assert!(found.pixels == expected.pixels, "{what}: {} pixels", found.pixels.len());
                assert!(
                    found.cells == expected.cells && found.corners == expected.corners,
                    "{what}"
                );
                let parameters =
                    [&found.parameters, &expected.parameters].map(|p| p.as_flattened());
                worst = greater(worst, off(parameters[0], parameters[1]));
                let size = size_of(&expected.values);
                assert!(off(&found.values, &expected.values) <= 1e-12 * size, "{what}");
                count += expected.pixels.len();
            }
            assert_eq!(run.pixels, count);
            println!("{name}: {count} pixels, {} left, parameters off by {worst:e}", run.left);
            // every third pixel, and all far outside; the source on the CPU would interpolate
            let mask: Vec<u8> = (0..size[0] * size[1]).map(|i| u8::from(i % 3 == 0)).collect();
            let coverage: Vec<u16> = mask.iter().map(|&covered| covered.into()).collect();
            let finder = InteriorFinder::new(locator, axis, grid).unwrap();
            for &height in &heights[1..3] {
                let pixels = LayerPixels {
                    grid: &grid,
                    height,
                    planes: &[height],
                    sampling: Sampling::Area,
                };
                let interior = finder.covered(height, &mask).unwrap();
                let expected = pieces.iter().map(|a| finder.values(&interior, a));
                let found = device.attributes(&pixels, &coverage).unwrap();
                let mut first = 0;
                for (attribute, expected) in pieces.iter().zip(expected) {
                    let own = first..first + attribute.width;
                    first = own.end;
                    let found: Vec<f64> =
                        found.chunks(width).flat_map(|of| of[own.clone()].to_vec()).collect();
                    let off = off(&found, &expected);
                    assert!(off <= 1e-12 * size_of(&expected), "{name}, {size:?}, masked: {off:e}");
                }
            }
        }
    }
}

/// Attributes and arrays of the cells of covered pixels, as output files ask for them.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn attributes_of_layers_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let mut mesh = subsolid::read("models/bracket.vtk").unwrap();
    mesh.attributes = attributes(&mesh);
    let ids = (0..mesh.cells.len()).map(|cell| cell as f64).collect();
    mesh.cell_data = vec![CellArray::new("id", 1, ids, true)];
    let solid = Solid::new(&mesh).unwrap();
    let slicer = || Slicer::new(&solid, mesh.controls(), SliceOptions::default()).unwrap();
    let ([low, high], [corner, far]) = (slicer().heights(), slicer().plane_box());
    let pitch = (far[0] - corner[0]) / 300.0;
    let grid = PixelGrid { origin: corner, pitch: [pitch; 2], size: [300, 310] };
    let (controls, cell_data) = (mesh.controls(), &mesh.cell_data);
    let make = || SolidSource::with_cell_data(&solid, controls, cell_data, slicer()).unwrap();
    let (source, mut device) = (make(), make());
    let width = source.channels().len();
    assert_eq!((width, &source.channels()[4].name[..]), (5, "id"));
    device.bring(&gpu).unwrap();
    let locator = Locator::new(&solid, controls).unwrap();
    let finder = InteriorFinder::new(&locator, Axis::Z, grid).unwrap();
    let pieces: Vec<AttributePieces> =
        mesh.attributes.iter().map(|a| locator.pieces().attribute(a).unwrap()).collect();
    for t in [0.1, 0.5, 0.77] {
        let height = low + t * (high - low);
        let pixels =
            LayerPixels { grid: &grid, height, planes: &[height], sampling: Sampling::Area };
        let coverage = source.coverage(&[height], &grid, Sampling::Area).unwrap();
        assert!(device.coverage(&[height], &grid, Sampling::Area).unwrap() == coverage);
        let found = device.attributes(&pixels, &coverage).unwrap();
        // to rounding at each pixel, where the source on the CPU interpolates
        let mask: Vec<u8> = coverage.iter().map(|&covered| u8::from(covered > 0)).collect();
        let interior = finder.covered(height, &mask).unwrap();
        let exact: Vec<Vec<f64>> = pieces.iter().map(|a| finder.values(&interior, a)).collect();
        let mut channel = 0;
        for (attribute, exact) in pieces.iter().zip(exact) {
            assert_eq!(found.len() / width, exact.len() / attribute.width);
            for (found, exact) in found.chunks(width).zip(exact.chunks(attribute.width)) {
                let pairs = found[channel..].iter().zip(exact);
                pairs.for_each(|(a, b)| assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0)));
            }
            channel += attribute.width;
        }
        let expected = source.attributes(&pixels, &coverage).unwrap();
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-8 * b.abs().max(1.0)));
        let ids =
            |values: &[f64]| values.iter().skip(4).step_by(width).copied().collect::<Vec<_>>();
        assert!(ids(&found) == ids(&expected) && ids(&found).iter().all(|id| id.fract() == 0.0));
    }
}

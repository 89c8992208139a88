//! Several parts on one plate: what touches shares the pixels of the whole, what overlaps is known.

use subsolid::Solid;
use subsolid::mesh::{Attribute, Controls, SolidMesh};
use subsolid::slice::{
    Axis, Boundary, LayerPixels, LayerSource, Materials, PixelGrid, Placement, Sampling, Setting,
    SliceOptions, Slicer, SolidSource, SourcePart,
};

use super::creased;

const TURN: Placement = Placement { shift: [0.3, -0.7, 0.11], degrees: 27.0 };

/// A box of 6 × 2 × 2 in `count` equal pieces along x, turned.
fn pieces(count: usize) -> Vec<SolidMesh> {
    let piece = |k: usize| {
        let mut mesh = creased("box", &[6 / count, 2, 2]);
        mesh.points.iter_mut().for_each(|p| p[0] += (6 / count * k) as f64);
        mesh.points = TURN.apply(&mesh.points);
        mesh
    };
    (0..count).map(piece).collect()
}

/// Attributes, and the solids of meshes.
fn solids(meshes: &[SolidMesh]) -> Vec<Solid> {
    meshes.iter().map(|mesh| Solid::new(mesh).unwrap()).collect()
}

fn slicer(meshes: &[SolidMesh], solids: &[Solid], axis: Axis) -> Slicer {
    let part = |(mesh, solid)| {
        let mesh: &SolidMesh = mesh;
        Boundary::Solid(solid, &mesh.points)
    };
    let parts: Vec<Boundary<'_>> = meshes.iter().zip(solids).map(part).collect();
    Slicer::of_parts(&parts, SliceOptions { axis, ..SliceOptions::default() }).unwrap()
}

fn names(count: usize) -> impl Iterator<Item = Option<String>> {
    (0..count).map(|k| Some(format!("part {k}")))
}

/// Interfaces are upright or slanted; shares of pixels add up to the whole, and each part has its own
/// area.
#[test]
fn parts_that_touch_share_the_pixels_of_the_whole() {
    let mut shared = 0;
    for axis in [Axis::Z, Axis::X] {
        let whole = pieces(1);
        let whole_solids = solids(&whole);
        let whole = slicer(&whole, &whole_solids, axis);
        let ([low, high], [left, right]) = (whole.heights(), whole.plane_box());
        for (count, pitch) in [1, 2, 3].into_iter().flat_map(|n| [0.37, 0.23, 0.11].map(|p| (n, p)))
        {
            let meshes = pieces(count);
            let solids = solids(&meshes);
            let plate = slicer(&meshes, &solids, axis);
            let parts = names(count).map(|name| SourcePart::outline().named(name)).collect();
            let source = SolidSource::of_parts(plate, parts).unwrap();
            let size = [0, 1].map(|d| ((right[d] - left[d]) / pitch) as usize + 3);
            let origin = left.map(|x| x - 1.1 * pitch);
            let grid = PixelGrid { origin, pitch: [pitch; 2], size };
            let height = low + 0.43 * (high - low);
            let planes = [height - 0.06, height - 0.02, height + 0.02, height + 0.06];
            for (planes, sampling) in [(&planes[..], Sampling::Area), (&[height], Sampling::Center)]
            {
                let pixels = LayerPixels { grid: &grid, height, planes, sampling };
                let expected: Vec<u16> = whole.coverage(planes, &grid, sampling).unwrap();
                let found = source.coverage(planes, &grid, sampling).unwrap();
                // contours are rounded to 1/8192 of a pixel, where pieces meet, too
                let most = if sampling == Sampling::Center { 0 } else { 8 };
                assert!(
                    expected.iter().zip(&found).all(|(a, b)| a.abs_diff(*b) <= most),
                    "{pitch}"
                );
                let shares = source.attributes(&pixels, &found).unwrap();
                let covered: Vec<u16> = found.iter().copied().filter(|&c| c > 0).collect();
                assert_eq!(shares.len(), covered.len() * count);
                let mut areas = vec![0.0; count];
                for (shares, &covered) in shares.chunks(count).zip(&covered) {
                    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{shares:?}");
                    shared += usize::from(shares.iter().filter(|&&share| share > 0.0).count() > 1);
                    for (area, share) in areas.iter_mut().zip(shares) {
                        *area += share * f64::from(covered) / 65535.0 * grid.pixel_area();
                    }
                }
                if sampling == Sampling::Area {
                    for (part, area) in areas.iter().enumerate() {
                        let own = slicer(&meshes[part..=part], &solids[part..=part], axis);
                        let own = planes.iter().map(|&z| own.layer(0, z).area()).sum::<f64>();
                        let own = own / planes.len() as f64;
                        // half a step of 1/8192 along a perimeter of 20 at most
                        let most = 20.0 * pitch / 16384.0;
                        assert!((area - own).abs() < most, "{part} of {count}: {area} {own}");
                    }
                } else {
                    assert!(shares.iter().all(|&share| share == 0.0 || share == 1.0));
                }
                let all: Vec<_> = (0..count).map(|channel| (channel, None)).collect();
                let materials = Materials::fractions(source.channels(), &all).unwrap();
                let painted = materials.paint(3, &found, size[0], &shares, count).unwrap();
                if sampling == Sampling::Center {
                    let same = |(own, &c): (&u8, &u16)| (*own > 0) == (c > 0);
                    assert!(painted.iter().zip(&found).all(same));
                }
            }
        }
    }
    assert!(shared > 100, "{shared}");
}

/// Contours, pixels and attributes of one part are, bit by bit, those of the solid alone.
#[test]
fn one_part_is_the_solid_alone() {
    let mut mesh = subsolid::read("models/solids/tripod.vtk").unwrap();
    let values = mesh.points.iter().map(|p| p[0] - p[2]).collect();
    mesh.attributes.push(Attribute { name: "slope".into(), width: 1, values });
    let solid = Solid::new(&mesh).unwrap();
    let options = SliceOptions::default();
    let alone = Slicer::new(&solid, mesh.controls(), options).unwrap();
    let alone = SolidSource::new(&solid, mesh.controls(), alone).unwrap();
    let plate = Slicer::of_parts(&[Boundary::Solid(&solid, &mesh.points)], options).unwrap();
    let part = SourcePart::new(&solid, mesh.controls(), &[]).unwrap();
    let plate = SolidSource::of_parts(plate, vec![part.named(Some("tripod".into()))]).unwrap();
    let ([low, high], [left, right]) = (alone.slicer().heights(), alone.slicer().plane_box());
    assert_eq!(alone.slicer().frame(), plate.slicer().frame());
    let pitch = (right[0] - left[0]) / 90.0;
    let grid = PixelGrid { origin: left, pitch: [pitch; 2], size: [91, 110] };
    for (part, sampling) in [(0.2, Sampling::Area), (0.7, Sampling::Center)] {
        let height = low + part * (high - low);
        assert_eq!(alone.contours(0, height).unwrap(), plate.contours(0, height).unwrap());
        let pixels = LayerPixels { grid: &grid, height, planes: &[height], sampling };
        let [a, b] = [&alone, &plate].map(|own| own.coverage(&[height], &grid, sampling).unwrap());
        assert!(a == b && a.iter().any(|&covered| covered > 0));
        let found = plate.attributes(&pixels, &a).unwrap();
        let expected = alone.attributes(&pixels, &a).unwrap();
        assert!(found.iter().skip(1).step_by(2).all(|&share| share == 1.0));
        assert!(found.iter().step_by(2).eq(&expected));
    }
}

/// The later part has what both cover; both are known, with the area.
#[test]
fn what_overlaps_is_the_later_ones() {
    let mut meshes = vec![creased("box", &[2, 2, 2]), creased("box", &[2, 2, 2])];
    let by = Placement { shift: [1.5, 0.5, 0.5], degrees: 0.0 };
    meshes[1].points = by.apply(&meshes[1].points);
    let solids = solids(&meshes);
    let plate = slicer(&meshes, &solids, Axis::Z);
    let setting = Setting::new(plate.frame(), 0.25, None).unwrap();
    let found = plate.overlaps(&setting, &(0..setting.stack.count()), usize::MAX);
    let [overlap] = &found[..] else { panic!("{found:?}") };
    // heights 0.5 to 2 of 0 to 2.5
    assert_eq!((overlap.parts, overlap.layers), ([0, 1], [6, 10]));
    assert!((overlap.area - 0.5 * 1.5).abs() < 1e-9, "{overlap:?}");
    let parts =
        meshes.iter().zip(&solids).zip(names(2)).enumerate().map(|(k, ((mesh, solid), name))| {
            // one has a value that the other lacks
            let values = vec![5.0; mesh.points.len()];
            let own = [Attribute { name: format!("value {}", k + 1), width: 1, values }];
            let attributes = if k == 0 { &own[..] } else { &[] };
            let controls = Controls { positions: &mesh.points, attributes };
            let part = if k == 0 {
                SourcePart::new(solid, controls, &[]).unwrap()
            } else {
                SourcePart::outline()
            };
            part.named(name)
        });
    let source = SolidSource::of_parts(plate, parts.collect()).unwrap();
    let channels: Vec<_> = source.channels().iter().map(|c| (&*c.name, c.range)).collect();
    assert_eq!(channels, [("value 1", [0.0, 5.0]), ("part 0", [0.0, 1.0]), ("part 1", [0.0, 1.0])]);
    let grid = PixelGrid { origin: [0.0; 2], pitch: [0.1; 2], size: [36, 26] };
    for sampling in [Sampling::Area, Sampling::Center] {
        let (height, planes) = (1.1, [1.1]);
        let coverage = source.coverage(&planes, &grid, sampling).unwrap();
        let pixels = LayerPixels { grid: &grid, height, planes: &planes, sampling };
        let values = source.attributes(&pixels, &coverage).unwrap();
        let mut sums = [0.0; 3];
        for (values, covered) in values.chunks(3).zip(coverage.iter().filter(|c| **c > 0)) {
            let covered = f64::from(*covered) / 65535.0 * grid.pixel_area();
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += covered * value);
        }
        // 4 − 0.75, 4; the value is 5 in the first
        for (sum, expected) in sums.into_iter().zip([5.0 * 3.25, 3.25, 4.0]) {
            assert!((sum - expected).abs() < 1e-3 * expected, "{sums:?}");
        }
    }
    // no number of parts but the slicer's; one name for two things
    let plate = || slicer(&meshes, &solids, Axis::Z);
    assert!(SolidSource::of_parts(plate(), vec![SourcePart::outline()]).is_err());
    let same = || SourcePart::outline().named(Some("part".into()));
    let refused = SolidSource::of_parts(plate(), vec![same(), same()]).unwrap_err().to_string();
    assert!(refused.contains("\"part\" has the name of another part"), "{refused}");
    assert!(Slicer::of_parts(&[], SliceOptions::default()).is_err());
}

#[test]
fn quarters_of_a_turn_are_exact() {
    let turned =
        |degrees| Placement { shift: [1.0, 2.0, 3.0], degrees }.apply(&[[0.1, 0.7, 0.2]])[0];
    assert_eq!(turned(90.0), [1.0 - 0.7, 2.1, 3.2]);
    assert_eq!(turned(-180.0), [0.9, 2.0 - 0.7, 3.2]);
    assert_eq!(turned(630.0), [1.7, 1.9, 3.2]);
    let [x, y, _] = turned(30.0);
    let (half, root) = (0.5, 0.75_f64.sqrt());
    assert!((x - (1.0 + root * 0.1 - half * 0.7)).abs() < 1e-15);
    assert!((y - (2.0 + half * 0.1 + root * 0.7)).abs() < 1e-15);
    assert!(Placement { degrees: f64::NAN, ..Placement::default() }.check().is_err());
}

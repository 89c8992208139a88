//! Layers of solids that ranks hold together: bit by bit those of the whole.

use crate::distributed::{shapes, small_models};
use crate::oracle::random::Random;
use crate::parts::with_data;
use crate::support::meshes;
use subsolid::cluster::{Ranks, Threads};
use subsolid::mesh::{CellKind, Cells, SolidMesh};
use subsolid::parts::{Blocks, DistributedMesh, Extent};
use subsolid::scheme::VertexRule;
use subsolid::slice::{
    Axis, LayerFrame, LayerSource, PixelGrid, PixelPlaces, Sampling, SharedBoundary,
    SharedInterior, SliceOptions, Slicer, SolidSource,
};
use subsolid::{Result, Solid};

/// Planes that are compared.
const PLANES: usize = 8;

/// A layer in bits: its contours and the coverage of pixels.
#[derive(Debug, PartialEq)]
struct Found {
    contours: Vec<(u32, Vec<[u64; 2]>)>,
    coverage: Vec<u16>,
}

fn found(slicer: &Slicer, heights: [f64; 2]) -> Found {
    let LayerFrame { plane: [low, high], .. } = slicer.frame();
    let pitch = (0..2).map(|d| high[d] - low[d]).fold(0.0, f64::max) / 40.0;
    let grid = PixelGrid { origin: low, pitch, size: [41, 41] };
    let contours = slicer.layer(0, heights[0]).contours.into_iter().map(|contour| {
        (contour.depth, contour.points.iter().map(|p| p.map(f64::to_bits)).collect())
    });
    let contours = contours.collect();
    Found { contours, coverage: slicer.coverage(&heights, &grid, Sampling::Area).unwrap() }
}

fn boundary(ranks: &Ranks<'_>, mesh: &SolidMesh, options: SliceOptions) -> Result<SharedBoundary> {
    let mesh = ranks.is_first().then(|| mesh.clone());
    let mesh = DistributedMesh::scatter(ranks, mesh)?;
    let own = mesh.own_elements(ranks, 0);
    let part = mesh.into_part(ranks, 0, own)?;
    SharedBoundary::new(ranks, &Blocks::new(&part, VertexRule::default())?, options)
}

fn compare(name: &str, mesh: &SolidMesh, sizes: &[usize], random: &mut Random) {
    let axis = [Axis::X, Axis::Y, Axis::Z][random.below(3)];
    let along = |d: usize| mesh.points.iter().map(move |p| p[d]);
    let extent = |d: usize| along(d).fold(f64::MIN, f64::max) - along(d).fold(f64::MAX, f64::min);
    // few patches are near enough, of some meshes those of the default
    let rough = 1e-3 * (0..3).map(extent).fold(0.0, f64::max);
    let tolerance = (random.below(4) > 0).then_some(rough);
    let options = SliceOptions { axis, tolerance };
    let solid = Solid::new(mesh).unwrap_or_else(|error| panic!("{name}: {error}"));
    let whole = Slicer::new(&solid, mesh.controls(), options).unwrap();
    let [low, high] = whole.heights();
    // some at flat faces
    let planes: Vec<[f64; 2]> = (0..PLANES)
        .map(|_| [(); 2].map(|()| low + (high - low) * (random.below(17) as f64 - 0.5) / 16.0))
        .collect();
    let expected: Vec<Found> = planes.iter().map(|&heights| found(&whole, heights)).collect();
    assert!(expected.iter().any(|found| !found.contours.is_empty()), "{name}");
    for &size in sizes {
        let all = Threads::run(size, |group| {
            let ranks = Ranks::new(group);
            let boundary = boundary(&ranks, mesh, options).unwrap();
            let frame = boundary.frame();
            let own = subsolid::cluster::block(PLANES, ranks.rank(), size);
            let heights = planes[own.clone()].as_flattened();
            let ends =
                heights.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &z| {
                    [low.min(z), high.max(z)]
                });
            let slicer = boundary.slicer(&ranks, (!own.is_empty()).then_some(ends)).unwrap();
            assert_eq!(slicer.frame(), frame);
            let layers: Vec<Found> =
                planes[own].iter().map(|&heights| found(&slicer, heights)).collect();
            (frame, slicer.surface_error(), layers)
        });
        let layers = all.into_iter().flat_map(|(frame, error, layers)| {
            assert_eq!((frame, error), (whole.frame(), whole.surface_error()), "{name}, {size}");
            layers
        });
        assert!(layers.eq(expected.iter()), "{name}, {size} ranks");
    }
}

impl PartialEq<&Found> for Found {
    fn eq(&self, other: &&Found) -> bool {
        self == *other
    }
}

/// Appends a cell, whose vertices have greater numbers.
fn push(cells: &mut Cells, from: &Cells, cell: usize, more: u32) {
    let of = |ids: &[u32]| ids.iter().map(|v| v + more).collect::<Vec<u32>>();
    match from.kind(cell) {
        CellKind::Polyhedron => {
            let mut faces = Vec::new();
            from.for_each_face(cell, |face| faces.push(of(face)));
            cells.push_polyhedron(faces.iter().map(Vec::as_slice));
        }
        kind => cells.push(kind, &of(from.vertices(cell))),
    }
}

/// Some cells with their corners listed the other way round.
fn mirror(mesh: &mut SolidMesh, is_mirrored: impl Fn(usize) -> bool) {
    let mut cells = Cells::default();
    for cell in 0..mesh.cells.len() {
        match mesh.cells.hexahedron(cell) {
            Some(&[a, b, c, d, e, f, g, h]) if is_mirrored(cell) => {
                cells.push(CellKind::Hexahedron, &[e, f, g, h, a, b, c, d]);
            }
            _ => push(&mut cells, &mesh.cells, cell, 0),
        }
    }
    mesh.cells = cells;
}

#[test]
fn layers_of_shapes_on_ranks_are_those_of_the_whole() {
    let mut random = Random::new(11);
    let mut all = shapes();
    let mut far = meshes::perturbed(&meshes::fan(5, 3, 4), 0.02, 1);
    far.points.iter_mut().for_each(|p| *p = [p[0] + 1e4, p[1] - 1e4, p[2] + 3e5]);
    all.push(("far".into(), far.clone()));
    meshes::crease_at_random(&mut far, &[0.4, 1.0, 2.3, f64::INFINITY], 3, 1);
    all.push(("far, creased".into(), far));
    for (seed, (name, mut mesh)) in all.into_iter().enumerate() {
        match seed % 4 {
            1 => mirror(&mut mesh, |_| true),
            2 => mirror(&mut mesh, |cell| cell % 3 == 1),
            _ => {}
        }
        compare(&name, &mesh, &[1 + seed % 7, 5], &mut random);
    }
}

#[test]
fn layers_of_models_on_ranks_are_those_of_the_whole() {
    let mut random = Random::new(4);
    for (seed, (name, mesh)) in small_models().into_iter().enumerate() {
        compare(&name, &mesh, &[2 + seed % 6], &mut random);
    }
}

/// What is in the pixels of a layer: attributes, arrays and places, in bits.
fn inside(source: &SolidSource<'_>, [low, high]: [f64; 2]) -> (Vec<u64>, PixelPlaces) {
    const PLANES: usize = 4;
    let LayerFrame { plane: [corner, end], .. } = source.slicer().frame();
    let pitch = (0..2).map(|d| end[d] - corner[d]).fold(0.0, f64::max) / 30.0;
    let grid = PixelGrid { origin: corner.map(|x| x - 0.5 * pitch), pitch, size: [31, 31] };
    let middle = 0.5 * (low + high);
    let heights: Vec<f64> =
        (0..PLANES).map(|i| low + (high - low) * (i as f64 + 0.5) / PLANES as f64).collect();
    // pixels of other planes too, which look for the closest place
    let coverage = source.coverage(&heights, &grid, Sampling::Area).unwrap();
    let values = source.attributes(middle, &grid, &coverage).unwrap();
    let values = values.into_iter().map(f64::to_bits).collect();
    (values, source.places(middle, &grid).unwrap())
}

/// Compares what is in the pixels of layers that ranks share with that of the whole.
fn compare_insides(name: &str, mesh: &SolidMesh, size: usize, levels: usize, axis: Axis) {
    let along = |d: usize| mesh.points.iter().map(move |p| p[d]);
    let extent = |d: usize| along(d).fold(f64::MIN, f64::max) - along(d).fold(f64::MAX, f64::min);
    let tolerance = Some(1e-3 * (0..3).map(extent).fold(0.0, f64::max));
    let options = SliceOptions { axis, tolerance };
    let fine = subsolid::refine::refine_mesh(mesh, levels, VertexRule::default()).unwrap();
    let solid = Solid::new(&fine).unwrap();
    let slicer = Slicer::new(&solid, fine.controls(), options).unwrap();
    let [low, high] = slicer.heights();
    let slab = |layer: usize| [0, 1].map(|end| low + (high - low) * (layer + end) as f64 / 6.0);
    let whole =
        SolidSource::with_cell_data(&solid, fine.controls(), &fine.cell_data, slicer).unwrap();
    let expected: Vec<_> = (0..6).map(|layer| inside(&whole, slab(layer))).collect();
    assert!(expected.iter().any(|(values, _)| !values.is_empty()), "{name}");
    let all = Threads::run(size, |group| {
        let ranks = Ranks::new(group);
        let mesh = ranks.is_first().then(|| mesh.clone());
        let mesh = DistributedMesh::scatter(&ranks, mesh).unwrap();
        let own = mesh.own_elements(&ranks, levels);
        let part = mesh.part(&ranks, levels, own).unwrap();
        let mut blocks = Blocks::new(&part, VertexRule::default()).unwrap();
        if blocks.needs_extent() {
            let own = blocks.extent(0..blocks.cell_count()).unwrap();
            let all = ranks.all_gather(Ok(own.to_bytes())).unwrap();
            let all = all.iter().map(|bytes| Extent::from_bytes(bytes).unwrap());
            blocks.set_extent(all.fold(Extent::default(), |all, own| all.joined(&own)));
        }
        let boundary = SharedBoundary::new(&ranks, &blocks, options).unwrap();
        let own = subsolid::cluster::block(6, ranks.rank(), size);
        let heights = [slab(own.start)[0], slab(own.end.max(1) - 1)[1]];
        let heights = (!own.is_empty()).then_some(heights);
        let [from, to] = slab(0);
        let whole = blocks.extent_of_all();
        let pitch = (0..3).map(extent).fold(0.0, f64::max) / 30.0;
        let reach = to - from + boundary.frame().tolerance + pitch;
        let part = SharedInterior::new(&ranks, &mesh, &part, whole, &boundary, heights, reach);
        let part = part.unwrap();
        let slicer = boundary.slicer(&ranks, heights).unwrap();
        let (attributes, arrays) = (&part.mesh().attributes, &part.mesh().cell_data);
        let source = SolidSource::of_part(&part, attributes, arrays, slicer).unwrap();
        let layers: Vec<_> = own.map(|layer| inside(&source, slab(layer))).collect();
        (source.channels().to_vec(), layers)
    });
    let layers = all.into_iter().flat_map(|(channels, layers)| {
        assert_eq!(channels, whole.channels(), "{name}, {size} ranks");
        layers
    });
    for (layer, (found, expected)) in layers.zip(&expected).enumerate() {
        assert_eq!(found.0.len(), expected.0.len(), "{name}, {size} ranks, layer {layer}");
        assert!(found == *expected, "{name}, {size} ranks, layer {layer}");
    }
}

#[test]
fn insides_of_shapes_on_ranks_are_those_of_the_whole() {
    let mut far = meshes::perturbed(&meshes::fan(5, 3, 4), 0.02, 1);
    far.points.iter_mut().for_each(|p| *p = [p[0] + 1e4, p[1] - 1e4, p[2] + 3e5]);
    let mut all = shapes();
    all.push(("far".into(), far));
    for (seed, (name, mut mesh)) in all.into_iter().enumerate() {
        match seed % 4 {
            1 => mirror(&mut mesh, |_| true),
            2 => mirror(&mut mesh, |cell| cell % 3 == 1),
            3 => mesh = meshes::perturbed(&mesh, 0.1, seed as u64), // folded
            _ => {}
        }
        let axis = [Axis::X, Axis::Y, Axis::Z][seed % 3];
        compare_insides(&name, &with_data(mesh), 1 + seed % 5, seed % 2, axis);
    }
}

/// Several bodies, one of them mirrored: each rank has clusters of its own, and some in common with
/// others.
#[test]
fn bodies_on_ranks_have_their_own_orientation() {
    let block = meshes::block([3, 2, 5]);
    let mut mesh = SolidMesh::default();
    for body in 0..3 {
        let first = mesh.points.len() as u32;
        let shift = |p: &[f64; 3]| [p[0] + 7.0 * f64::from(body), p[1], p[2]];
        mesh.points.extend(block.points.iter().map(shift));
        (0..block.cells.len()).for_each(|c| push(&mut mesh.cells, &block.cells, c, first));
    }
    let count = block.cells.len();
    mirror(&mut mesh, |cell| cell / count == 1);
    compare("bodies", &mesh, &[1, 2, 4, 7], &mut Random::new(2));
}

/// A ring of cells that returns to itself mirrored.
#[test]
fn ranks_refuse_a_ring_without_an_outside() {
    const SECTIONS: u32 = 9;
    let mut mesh = SolidMesh::default();
    for section in 0..SECTIONS {
        let (sin, cos) =
            (f64::from(section) / f64::from(SECTIONS) * std::f64::consts::TAU).sin_cos();
        for [r, z] in [[4.0, 0.0], [5.0, 0.0], [5.0, 1.0], [4.0, 1.0]] {
            mesh.points.push([r * cos, r * sin, z]);
        }
        let corners = |section: u32| [0, 1, 2, 3].map(|k| 4 * section + k);
        let [from, mut to] = [section, (section + 1) % SECTIONS].map(corners);
        if section + 1 == SECTIONS {
            to = [to[1], to[0], to[3], to[2]];
        }
        mesh.cells.push(CellKind::Hexahedron, &[from, to].concat());
    }
    refused(&mesh, "have no common orientation: their boundary has no outside");
}

#[test]
fn ranks_refuse_a_solid_without_a_boundary() {
    refused(&meshes::hypercube(), "the solid has no boundary");
}

/// Compares what one program and ranks say.
fn refused(mesh: &SolidMesh, message: &str) {
    let solid = Solid::new(mesh).unwrap();
    let options = SliceOptions::default();
    let error = Slicer::new(&solid, mesh.controls(), options).unwrap_err().to_string();
    assert!(error.contains(message), "{error}");
    for size in [1, 2, 3, 9] {
        let errors = Threads::run(size, |group| {
            let ranks = Ranks::new(group);
            ranks.agree(boundary(&ranks, mesh, options).map(drop)).unwrap_err().to_string()
        });
        assert!(errors.iter().all(|error| error.contains(message)), "{errors:?}");
        assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    }
}

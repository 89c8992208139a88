//! Requests to the library that make no sense are refused; nothing panics.

use crate::support::meshes::{block, fan};
use crate::support::refused;
use subsolid::backend::{Backend, Cpu, Precision};
use subsolid::bezier::{Extraction, Pieces};
use subsolid::limit::Solid;
use subsolid::locate::{Containment, Locator};
use subsolid::mesh::{Attribute, CellKind, Controls, Polygons, SolidMesh, SurfaceMesh};
use subsolid::plan::{Location, Samples, Want};
use subsolid::process::solid::volume_distance;
use subsolid::quadrature::{LeafQuantities, Mapping, QuadratureScheme};
use subsolid::refine::MeshRefinement;
use subsolid::scheme::{Scheme, VertexRule};
use subsolid::slice::{SliceOptions, Slicer};
use subsolid::surface::boundary_surface;
use subsolid::untangle::{BoundaryMotion, untangle};
use subsolid::view::{Page, SkinOptions, SkinPolygons, ViewOptions};
use subsolid::{Limit, Quadrature};

#[test]
fn ranges_of_elements() {
    let mesh = fan(5, 2, 2);
    let solid = Solid::new(&mesh).expect("a solid");
    let count = solid.elements().len();
    let plan = solid.plan(&Samples::grid(3), Want::POSITION).expect("a plan");
    for precision in [Precision::F32, Precision::F64] {
        let mut evaluator = Cpu::new(precision).prepare(&plan).expect("an evaluator");
        let mut limit = Limit::default();
        #[allow(clippy::reversed_empty_ranges, reason = "what is refused")]
        for range in [5..3, 0..count + 1, 0..usize::MAX, usize::MAX..0, count + 1..count + 1] {
            refused(evaluator.evaluate(mesh.controls(), range.clone(), &mut limit), "elements");
            refused(evaluator.explain(&[], range), "elements");
        }
        // nothing is asked for, which is fine
        for range in [0..0, 4..4, count..count] {
            evaluator.evaluate(mesh.controls(), range, &mut limit).expect("nothing");
            assert!(limit.is_empty());
        }
    }
    let bezier = subsolid::volume::Bezier::new(&solid, 1).expect("cells");
    #[allow(clippy::reversed_empty_ranges, reason = "what is refused")]
    for range in [5..3, 0..count + 1] {
        refused(bezier.piece(mesh.controls(), range).map(|_| ()), "elements");
    }
}

#[test]
fn attributes_and_controls_of_the_wrong_length() {
    let mesh = block([2, 2, 2]);
    let solid = Solid::new(&mesh).expect("a solid");
    let plan = solid.plan(&Samples::grid(2), Want::POSITION).expect("a plan");
    let mut evaluator = Cpu::default().prepare(&plan).expect("an evaluator");
    let mut limit = Limit::default();
    let n = mesh.points.len();
    for (width, length) in [(0, 0), (0, 27), (1 << 63, 0), (1 << 63, 27), (usize::MAX, 27), (2, 27)]
    {
        let attributes = [Attribute { name: "a".into(), width, values: vec![0.0; length] }];
        let controls = Controls { attributes: &attributes, ..mesh.controls() };
        refused(evaluator.evaluate(controls, 0..8, &mut limit), "27 vertices");
        let with = SolidMesh { attributes: attributes.to_vec(), ..mesh.clone() };
        refused(Solid::new(&with).map(|_| ()), "width");
        refused(boundary_surface(&with).map(|_| ()), "width");
        let refinement = MeshRefinement::new(&mesh, 1, VertexRule::default()).expect("levels");
        refused(refinement.mesh(&with), "width");
        refused(refinement.apply(&attributes[0].values, width), "width");
        refused(solid.local_points(&attributes[0].values, width), "width");
        let locator = Locator::new(&solid, mesh.controls()).expect("a locator");
        refused(locator.pieces().attribute(&attributes[0]).map(|_| ()), "width");
        let pieces = Pieces::new(&solid, 1).expect("pieces");
        let extraction = Extraction::new(&pieces).expect("operators");
        if width == 0 || width > 2 {
            refused(extraction.operator(0).apply(&attributes[0].values, width), "width");
        }
    }
    for positions in [&mesh.points[..n - 1], &[]] {
        let controls = Controls { positions, attributes: &[] };
        refused(evaluator.evaluate(controls, 0..8, &mut limit), "27 vertices");
        refused(Slicer::new(&solid, controls, SliceOptions::default()).map(|_| ()), "27");
        refused(Locator::new(&solid, controls).map(|_| ()), "27");
        let pieces = Pieces::new(&solid, 1).expect("pieces");
        refused(pieces.error_bounds(positions), "27");
        let quadrature =
            Quadrature::new(&solid, QuadratureScheme::default(), Want::FIRST).expect("points");
        refused(Mapping::new(&quadrature, controls).map(|_| ()), "27");
    }
    refused(MeshRefinement::new(&mesh, 0, VertexRule::default()).map(|_| ()), "0 levels");
}

#[test]
fn samples_out_of_range() {
    let mesh = block([2, 1, 1]);
    let solid = Solid::new(&mesh).expect("a solid");
    let plan = |samples: Samples| solid.plan(&samples, Want::POSITION).map(|_| ());
    for n in [0, 65, 1 << 40, usize::MAX] {
        refused(plan(Samples::grid(n)), "samples");
    }
    for bad in [f64::NAN, -1e-300, 1.0 + 1e-15, f64::INFINITY] {
        refused(plan(Samples::Tensor(vec![0.0, bad])), "ascending");
        let point = Location { element: 1, parameters: [0.5, bad, 0.5] };
        refused(plan(Samples::Points(vec![point])), "sample 0");
    }
    for element in [2, u32::MAX] {
        let point = Location { element, parameters: [0.5; 3] };
        refused(plan(Samples::Points(vec![point])), "element");
    }
    // no points: no results
    let none = solid.plan(&Samples::Points(Vec::new()), Want::SECOND).expect("a plan");
    assert!(Cpu::default().evaluate(&none, mesh.controls()).expect("no results").is_empty());
}

#[test]
fn leaves_of_a_quadrature() {
    let mesh = fan(5, 1, 1);
    let solid = Solid::new(&mesh).expect("a solid");
    let quadrature =
        Quadrature::new(&solid, QuadratureScheme::default(), Want::FIRST).expect("points");
    let mapping = Mapping::new(&quadrature, mesh.controls()).expect("a mapping");
    let mut mapped = LeafQuantities::default();
    let count = quadrature.batches()[0].leaves.len();
    refused(mapping.evaluate(usize::MAX, 0..0, &mut mapped), "batches");
    #[allow(clippy::reversed_empty_ranges, reason = "what is refused")]
    for leaves in [5..3, 0..count + 1, 0..usize::MAX] {
        refused(mapping.evaluate(0, leaves, &mut mapped), "leaves");
    }
}

#[test]
fn numbers_that_are_none_or_out_of_range() {
    let mesh = block([2, 1, 1]);
    let solid = Solid::new(&mesh).expect("a solid");
    let plan = solid.plan(&Samples::grid(2), Want::POSITION).expect("a plan");
    let with = |x: f64| {
        let mut points = mesh.points.clone();
        points[3][1] = x;
        points
    };
    for (precision, bad) in [
        (Precision::F64, vec![f64::NAN, f64::INFINITY, 1e101, -1e200]),
        (Precision::F32, vec![f64::NAN, f64::INFINITY, 1e19, -1e38]),
    ] {
        let mut evaluator = Cpu::new(precision).prepare(&plan).expect("an evaluator");
        for x in bad {
            let points = with(x);
            let controls = Controls { positions: &points, attributes: &[] };
            refused(evaluator.evaluate(controls, 0..2, &mut Limit::default()), "vertex 3");
        }
        let small: Vec<[f64; 3]> = mesh.points.iter().map(|p| p.map(|x| 1e-101 * x)).collect();
        let controls = Controls { positions: &small, attributes: &[] };
        refused(evaluator.evaluate(controls, 0..2, &mut Limit::default()), "underflow");
    }
    for x in [f64::NAN, 1e101] {
        let points = with(x);
        let controls = Controls { positions: &points, attributes: &[] };
        refused(Slicer::new(&solid, controls, SliceOptions::default()).map(|_| ()), "vertex 3");
        refused(Locator::new(&solid, controls).map(|_| ()), "vertex 3");
        let quadrature =
            Quadrature::new(&solid, QuadratureScheme::default(), Want::FIRST).expect("points");
        refused(Mapping::new(&quadrature, controls).map(|_| ()), "vertex 3");
        let bad = SolidMesh { points: points.clone(), ..mesh.clone() };
        refused(Solid::new(&bad).map(|_| ()), "vertex 3");
        refused(boundary_surface(&bad).map(|_| ()), "vertex 3");
    }
    let locator = Locator::new(&solid, mesh.controls()).expect("a locator");
    for x in [f64::NAN, f64::INFINITY, 1e101, 1e200] {
        assert_eq!(locator.locate(&[[x, 0.5, 0.5]]), [Containment::Outside]);
        assert_eq!(locator.nearest([x, 0.5, 0.5]), None);
    }
}

#[test]
fn cells_of_the_wrong_size() {
    for count in [0, 1, 7, 9] {
        let mut mesh = block([1, 1, 1]);
        mesh.cells = Default::default();
        mesh.cells.push(CellKind::Hexahedron, &(0..count).collect::<Vec<u32>>());
        refused(Solid::new(&mesh).map(|_| ()), "cell 0");
        assert_eq!(mesh.handedness().left_handed, 0);
    }
}

/// Cells that name vertices which do not exist, and lists that are too short.
#[test]
fn meshes_that_are_not_sound() {
    let mut mesh = block([2, 2, 2]);
    mesh.points.pop();
    refused(volume_distance(&mesh, &[]), "names vertex 26");
    let untangled = untangle(&mut mesh, BoundaryMotion::default(), |_| Ok(()));
    refused(untangled.map(|_| ()), "names vertex 26");

    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let cut = SurfaceMesh::new(points.clone(), Polygons::uniform(3, vec![0, 1, 2, 3]));
    refused(cut.check(), "4 corners of faces that have 3 each");
    let mut mesh = SurfaceMesh::new(points, Polygons::uniform(4, vec![0, 1, 3, 2]));
    mesh.attributes.push(Attribute { name: "a".into(), width: 2, values: vec![0.0; 3] });
    for scheme in [Scheme::CatmullClark, Scheme::Bilinear] {
        let page = Page::of_surface(&mesh, scheme, 1, &ViewOptions::titled("page"));
        refused(page.map(|_| ()), "attribute");
        let skin = SkinPolygons::of_surface(&mesh, scheme, 1, &SkinOptions::default());
        refused(skin.map(|_| ()), "attribute");
    }
    refused(SkinPolygons::of_polygons(mesh, &SkinOptions::default()).map(|_| ()), "attribute");
}

/// The net of each cell lists all others: memory goes with the square of their number.
#[test]
fn vertices_of_too_many_cells() {
    let error = Solid::new(&fan(20_000, 1, 1)).map(|_| ()).expect_err("a refusal");
    let help = error.help().expect("what to do").to_string();
    assert!(help.starts_with("split the 20000 cells around vertex"), "{help}");
}

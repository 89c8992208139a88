//! Quadrature points in files: in the order of the cells, each where its parameters say.

use subsolid::Quadrature;
use subsolid::backend::{Backend, Cpu};
use subsolid::io::{ArrayData, Dataset, Points};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::{Location, Samples, Want};
use subsolid::quadrature::{Mapping, QuadratureScheme, Report, points};

use subsolid::view::{Page, ViewOptions};
use subsolid::volume::Quality;

use crate::oracle::vector::Greatest;
use crate::support::meshes::{block, crease_at_random, fan, mixed, perturbed};

const SCHEME: QuadratureScheme = QuadratureScheme { gauss: 2, rings: Some(1) };

fn reals<'d>(dataset: &'d Dataset, name: &str) -> &'d [f64] {
    match dataset.point_arrays.iter().find(|array| array.name == name).map(|array| &array.data) {
        Some(ArrayData::F64(values)) => values,
        _ => panic!("{name}"),
    }
}

fn ids<'d>(dataset: &'d Dataset, name: &str) -> &'d [i32] {
    match dataset.point_arrays.iter().find(|array| array.name == name).map(|array| &array.data) {
        Some(ArrayData::I32(values)) => values,
        _ => panic!("{name}"),
    }
}

fn meshes() -> [SolidMesh; 2] {
    [perturbed(&fan(5, 3, 2), 0.02, 3), mixed()].map(|mut mesh| {
        crease_at_random(&mut mesh, &[0.4, 1.3, f64::INFINITY], 3, 1);
        mesh
    })
}

#[test]
fn points_are_in_the_order_of_the_cells() {
    for mesh in meshes() {
        let solid = Solid::new(&mesh).unwrap();
        assert!(solid.leaves().len() > solid.elements().len());
        let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let dataset = points(&mapping, 0..solid.leaves().len()).unwrap();
        let cells = ids(&dataset, "cell");
        assert!(cells.is_sorted() && cells.len() == quadrature.sample_count());
        assert_eq!(Quadrature::point_count(&solid, SCHEME), cells.len());
        let all = QuadratureScheme { rings: None, ..SCHEME };
        let quadrature_of_all = Quadrature::new(&solid, all, Want::FIRST).unwrap();
        assert_eq!(Quadrature::point_count(&solid, all), quadrature_of_all.sample_count());

        // the same by the evaluator of the limit
        let samples = quadrature.leaf_samples(0..solid.leaves().len());
        let elements = solid.leaves().iter().zip(&samples);
        let elements = elements.flat_map(|(leaf, &count)| std::iter::repeat_n(leaf.element, count));
        let [u, v, w] = ["u", "v", "w"].map(|name| reals(&dataset, name));
        let place = |(i, element)| Location { element, parameters: [u[i], v[i], w[i]] };
        let places = Samples::Points(elements.enumerate().map(place).collect());
        let plan = solid.plan(&places, Want::POSITION | Want::DETERMINANT).unwrap();
        let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
        let Points::F64(found) = &dataset.points else { panic!("they are in double precision") };
        for (i, point) in found.iter().enumerate() {
            let expected = limit.positions.triple(i);
            let off = (0..3).map(|d| (point[d] - expected[d]).abs()).greatest();
            assert!(off < 1e-13, "point {i}: {off:e}");
        }

        let (mut volumes, report) = (vec![0.0; mesh.cells.len()], Report::new(&mapping).unwrap());
        let measures = reals(&dataset, "measure");
        cells.iter().zip(measures).for_each(|(&cell, own)| volumes[cell as usize] += own);
        for (cell, (sum, of_cell)) in volumes.iter().zip(&report.cells).enumerate() {
            assert!((sum - of_cell.volume).abs() < 1e-14, "cell {cell}: {sum}");
        }
    }
}

#[test]
fn pieces_are_runs_of_the_points() {
    // all sides of the one cell are on the boundary
    for mesh in meshes().into_iter().chain([block([1, 1, 1])]) {
        let solid = Solid::new(&mesh).unwrap();
        for quadrature in [
            Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap(),
            Quadrature::boundary(&solid, SCHEME, Want::FIRST, |face| face % 5 != 0).unwrap(),
        ] {
            let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
            let whole = points(&mapping, 0..solid.leaves().len()).unwrap();
            assert_eq!(whole.points.len(), quadrature.sample_count());
            assert!(ids(&whole, "cell").is_sorted());
            let samples = quadrature.leaf_samples(0..solid.leaves().len());
            let largest = samples.into_iter().max().unwrap();
            for most in [1, 500, 2000, 1_000_000] {
                let limit = most.max(2 * largest - 1);
                let mut pieces = quadrature.file_pieces(most).into_iter();
                let mut joined = points(&mapping, pieces.next().unwrap()).unwrap();
                for leaves in pieces {
                    let piece = points(&mapping, leaves).unwrap();
                    assert!(piece.points.len() <= limit);
                    joined.append_points(piece).unwrap();
                }
                assert!(joined == whole, "{most}");
            }
        }
    }
}

/// One mesh has one quality: a page has that of an evaluation at the same samples, and a quadrature
/// that of one at its points.
#[test]
fn pages_and_quadratures_have_the_quality_of_the_evaluation() {
    let models =
        ["bracket.vtk", "solids/tripod.vtk", "solids/rod_hex.vtk", "solids/mount2_hex.vtk"];
    let models = models.map(|name| subsolid::read(format!("models/{name}")).unwrap());
    let creased = meshes().into_iter().take(1);
    for mesh in models.into_iter().chain(creased) {
        let solid = Solid::new(&mesh).unwrap();
        let of = |samples: &Samples| {
            let plan = solid.plan(samples, Want::QUALITY).unwrap();
            Quality::of_plan(&plan, mesh.controls(), &Cpu::default()).unwrap()
        };
        let options = ViewOptions { interior: false, ..ViewOptions::titled("model") };
        let page = Page::of_solid(&mesh, &options).unwrap();
        let (shown, own) = (page.worst().unwrap(), of(&Samples::grid(5)));
        let least = own.least_scaled_jacobian.unwrap();
        assert_eq!((shown.cell, shown.scaled_jacobian), (least.cell, least.value));
        assert_eq!(shown.parameters, least.parameters);

        let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let leaves = 0..solid.leaves().len();
        let dataset = points(&mapping, leaves.clone()).unwrap();
        let [u, v, w] = ["u", "v", "w"].map(|name| reals(&dataset, name));
        let samples = quadrature.leaf_samples(leaves);
        let elements = solid.leaves().iter().zip(&samples);
        let elements = elements.flat_map(|(leaf, &count)| std::iter::repeat_n(leaf.element, count));
        let place = |(i, element)| Location { element, parameters: [u[i], v[i], w[i]] };
        let own = of(&Samples::Points(elements.enumerate().map(place).collect()));
        let found = Report::new(&mapping).unwrap().quality;
        assert_eq!((found.samples, found.undefined, found.flat), (own.samples, 0, 0));
        assert_eq!(found.non_positive.len(), own.non_positive.len());
        for (found, own) in [
            (found.least_scaled_jacobian, own.least_scaled_jacobian),
            (found.greatest_scaled_jacobian, own.greatest_scaled_jacobian),
            (found.least_determinant, own.least_determinant),
            (found.greatest_determinant, own.greatest_determinant),
        ] {
            let (found, own) = (found.unwrap(), own.unwrap());
            let off = (found.value - own.value).abs();
            assert!(off <= 1e-11 * own.value.abs().max(1.0), "{found} {own}");
        }
    }
}

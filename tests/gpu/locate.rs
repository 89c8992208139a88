//! Points located.

use subsolid::backend::{Backend, Cpu, Precision};
use subsolid::limit::Solid;
use subsolid::locate::{Containment, Locator, Place};
use subsolid::mesh::SolidMesh;
use subsolid::plan::{Location, Quantity, Samples, Want};

use super::{gpu, shape};
use crate::oracle::vector::{Greatest, greater};

/// Points of a grid through the box around the solid, and the limit at parameters that lie
/// inside cells, on faces, edges and corners.
fn points(mesh: &SolidMesh, solid: &Solid, across: usize) -> Vec<[f64; 3]> {
    let (low, high) = mesh.bounds().unwrap();
    let mut points: Vec<[f64; 3]> = (0..across.pow(3))
        .map(|i| {
            let at = [i % across, i / across % across, i / across.pow(2)];
            std::array::from_fn(|d| {
                low[d] + (high[d] - low[d]) * (at[d] as f64 + 0.41) / across as f64
            })
        })
        .collect();
    let ts = [0.0, 0.317, 1.0];
    let parameters = (0..27).map(|i| [ts[i % 3], ts[i / 3 % 3], ts[i / 9]]);
    let elements = 0..solid.elements().len().min(400) as u32;
    let locations = elements
        .flat_map(|element| parameters.clone().map(move |p| Location { element, parameters: p }));
    let plan = solid.plan(&Samples::Points(locations.collect()), Want::POSITION).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    points.extend((0..limit.len()).map(|i| limit.positions.triple(i)));
    points.extend([[f64::NAN, 0.0, 0.0], [f64::INFINITY; 3], [-1e300; 3]]);
    points
}

/// Smallest stretch of the map at places, bounded from below by detJ over the largest twice;
/// and the points there.
fn stretches(mesh: &SolidMesh, solid: &Solid, places: &[Place]) -> Vec<(f64, [f64; 3])> {
    let location = |p: &Place| Location { element: p.element, parameters: p.parameters };
    let samples = Samples::Points(places.iter().map(location).collect());
    let plan = solid.plan(&samples, Want::DETERMINANT).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let determinants = limit.quantity(Quantity::Determinant, None).unwrap();
    let stretch = |i: usize| {
        let length = |d: usize| limit.derivatives[d].triple(i).iter().map(|x| x * x).sum::<f64>();
        let largest = (0..3).map(length).fold(0.0, f64::max);
        let stretch = determinants.get(i).abs() / largest;
        (if stretch.is_nan() { 0.0 } else { stretch }, limit.positions.triple(i))
    };
    (0..places.len()).map(stretch).collect()
}

/// Elements are the CPU's, parameters the same to 1e-12 or to what rounding of the point does
/// to them, few points are left, and a second run changes nothing.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn places_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let mut creased = shape("box", &[3, 2, 4]);
    subsolid::refine::crease_by_angle(&mut creased, 40.0).unwrap();
    let mut block =
        subsolid::mesh::shape::Shape::parse("box", &[3, 2, 4]).unwrap().build().unwrap();
    subsolid::refine::crease_by_angle(&mut block, 40.0).unwrap();
    let mut meshes = vec![("creased box", creased), ("straight box", block)];
    for name in ["solids/tripod.vtk", "bracket.vtk", "solids/cad9.mesh", "solids/rod_hex.vtk"] {
        meshes.push((name, subsolid::read(format!("models/{name}")).unwrap()));
    }
    for (name, sizes) in [("torus", &[][..]), ("link-3444555", &[]), ("fan", &[5, 3, 2])] {
        meshes.push((name, shape(name, sizes)));
    }
    for (name, mesh) in meshes {
        let solid = Solid::new(&mesh).unwrap();
        let locator = Locator::new(&solid, mesh.controls()).unwrap();
        let points = points(&mesh, &solid, 30);
        let found = locator.locate_on(&gpu, &points).unwrap();
        let again = locator.locate_on(&gpu, &points).unwrap();
        assert!(found.located == again.located && found.left == again.left, "{name}");
        let expected = locator.locate(&points);
        let mut pairs = Vec::new();
        for (i, (found, expected)) in found.located.iter().zip(&expected).enumerate() {
            match (found, expected) {
                (Containment::Outside, Containment::Outside) => {}
                (Containment::Inside(a), Containment::Inside(b)) if a.element == b.element => {
                    pairs.push((i, *a, *b));
                }
                _ => panic!("{name}, {:?}: {found:?}, not {expected:?}", points[i]),
            }
        }
        let (low, high) = mesh.bounds().unwrap();
        let size = low.iter().chain(&high).fold(0.0_f64, |most, x| most.max(x.abs()));
        let places: Vec<Place> = pairs.iter().map(|pair| pair.1).collect();
        let mut worst: f64 = 0.0;
        for ((stretch, there), (i, a, b)) in
            stretches(&mesh, &solid, &places).into_iter().zip(pairs)
        {
            let off = (0..3).map(|d| (a.parameters[d] - b.parameters[d]).abs()).greatest();
            if stretch > 0.01 * size {
                worst = greater(worst, off);
            }
            assert!(off <= 1e-12 || off * stretch <= 1e-14 * size, "{name}: {a:?}, not {b:?}");
            let away = (0..3).map(|d| (there[d] - points[i][d]).abs()).greatest();
            assert!(away <= 1e-12 * size, "{name}: {a:?} is {away:e} away");
            assert!((a.residual - b.residual).abs() <= 1e-13 * size, "{name}: {a:?}, not {b:?}");
        }
        let left = found.left.unwrap();
        let share = left as f64 / points.len() as f64;
        println!(
            "{name}: {} points, {} left ({:.2} %), parameters off by {worst:e}",
            points.len(),
            left,
            100.0 * share
        );
    }
}

//! Spaces of solids with ghosts: values on the boundary as unknowns, the order of projections and
//! solutions.

use std::f64::consts::TAU;

use subsolid::assembly::{BoundaryBasis, Operator, assemble, body_load, project, surface_load};
use subsolid::backend::Cpu;
use subsolid::error::Message;
use subsolid::extend::{extend, extend_periodic};
use subsolid::jobs::Notes;
use subsolid::jobs::solve::SolveRequest;
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{Lattice, SolidMesh};
use subsolid::quadrature::{LeafQuantities, Mapping, Quadrature, QuadratureScheme, Regions};
use subsolid::solve::{
    Constraints, LimitPreconditioner, Solution, UnknownSystem, VertexSolver, solve,
};
use subsolid::topology::NONE;
use subsolid::{Solid, Want};

use super::{group, sharp_box};
use crate::ghosts::cube;
use crate::oracle::random::Random;

/// Warnings of a job.
#[derive(Default)]
struct Warnings(Vec<String>);

impl Notes for Warnings {
    fn status(&mut self, _verb: &'static str, _what: String) {}

    fn warn(&mut self, what: Message) {
        self.0.push(what.to_string());
    }

    fn progress(&mut self, _done: usize, _of: usize) -> subsolid::Result<()> {
        Ok(())
    }
}

pub(super) const SCHEME: QuadratureScheme = QuadratureScheme { gauss: 5, rings: None };

pub(super) fn basis<'m>(mesh: &'m SolidMesh, solid: &'m Solid) -> (BoundaryBasis, Regions<'m>) {
    let regions = Regions::new(solid, mesh).unwrap();
    (BoundaryBasis::new(&regions).unwrap(), regions)
}

/// Calls with each quadrature point, its measure, its normal on the boundary, and the value there of a
/// field of control values.
pub(super) fn visit(
    mapping: &Mapping<'_>,
    controls: &[f64],
    mut call: impl FnMut([f64; 3], f64, Option<[f64; 3]>, f64),
) {
    let (quadrature, mut mapped) = (mapping.quadrature(), LeafQuantities::default());
    for (b, batch) in quadrature.batches().iter().enumerate() {
        let basis = quadrature.basis(b);
        mapping.evaluate(b, 0..batch.leaves.len(), &mut mapped).unwrap();
        let mut at = 0;
        for net in batch.control_ids.chunks_exact(basis.controls) {
            for row in basis.values.chunks_exact(basis.controls) {
                let value = row.iter().zip(net).map(|(n, &v)| n * controls[v as usize]).sum();
                let normal = mapped.normals.get(at).copied();
                call(mapped.points[at], mapped.measures[at], normal, value);
                at += 1;
            }
        }
    }
}

/// Error in the L2 norm, as a part of the function.
pub(super) fn error(mesh: &SolidMesh, controls: &[f64], exact: impl Fn([f64; 3]) -> f64) -> f64 {
    let solid = Solid::new(mesh).unwrap();
    let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let (mut sum, mut whole) = (0.0, 0.0);
    visit(&mapping, controls, |point, measure, _, value| {
        sum += measure * (value - exact(point)).powi(2);
        whole += measure * exact(point).powi(2);
    });
    (sum / whole).sqrt()
}

/// Control values of −Δu = `source` with `exact` on the `held` sides and `slope` · n on the others; the
/// greatest error at points of the held sides, too.
fn poisson(
    mesh: &SolidMesh,
    held: impl Fn(&Regions<'_>) -> Vec<u32>,
    exact: impl Fn([f64; 3]) -> f64,
    slope: impl Fn([f64; 3]) -> [f64; 3] + Sync,
) -> (Vec<f64>, Solution, f64) {
    let solid = Solid::new(mesh).unwrap();
    let (basis, regions) = basis(mesh, &solid);
    let held = held(&regions);
    let is_held = |face: u32| held.contains(&face);
    let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
    let operator = Operator::Stiffness { conductivity: 1.0 };
    let matrix =
        assemble(&Cpu::default(), &quadrature, mesh.controls(), &[operator]).unwrap().remove(0);
    let on = Quadrature::boundary(&solid, SCHEME, Want::FIRST, is_held).unwrap();
    let on = Mapping::new(&on, mesh.controls()).unwrap();
    let mut data = Vec::new();
    visit(&on, &vec![0.0; mesh.points.len()], |point, _, _, _| data.push(exact(point)));
    let values = basis.nearest(&on, &data, 1).unwrap();
    assert!(values.inexact_faces.is_empty(), "{:?}", values.inexact_faces);
    let others = Quadrature::boundary(&solid, SCHEME, Want::FIRST, |face| !is_held(face)).unwrap();
    let others = Mapping::new(&others, mesh.controls()).unwrap();
    let flux = surface_load(&others, |_, point, normal| {
        let slope = slope(point);
        [(0..3).map(|d| slope[d] * normal[d]).sum(), 0.0, 0.0]
    });
    let load: Vec<f64> = flux.unwrap().iter().map(|f| f[0]).collect();
    let mut constraints = Constraints::none(&solid, 1);
    for (&unknown, &value) in values.unknowns.iter().zip(&values.values) {
        constraints.fix(unknown, 0, value);
    }
    let system = UnknownSystem::new(&matrix, &basis);
    let mut preconditioner = LimitPreconditioner::of_unknowns(
        (&solid, &mesh.points),
        &system,
        &operator.into(),
        &constraints,
        VertexSolver::Auto,
    )
    .unwrap();
    let load = basis.unknown_loads(&load, 1);
    let found = solve(&system, &load, &constraints, &mut preconditioner, 1e-13).unwrap();
    let controls = basis.control_values(&found.values, 1);
    let (mut most, mut data) = (0.0_f64, data.iter());
    visit(&on, &controls, |_, _, _, value| {
        most = most.max((value - data.next().unwrap()).abs());
    });
    (controls, found, most)
}

/// All faces of the boundary.
pub(super) fn all(regions: &Regions<'_>) -> Vec<u32> {
    (0..).zip(regions.sides()).filter(|(_, side)| **side != NONE).map(|(face, _)| face).collect()
}

/// Against the Kronecker product of the matrices of a line of cells.
#[test]
fn the_basis_of_a_cube_is_a_tensor_product() {
    for n in 1..4 {
        let mesh = cube(n);
        let solid = Solid::new(&mesh).unwrap();
        let (basis, regions) = basis(&mesh, &solid);
        let last = n + 2;
        // P₀ = V − g/6, then P₋₁ = 2 P₀ − P₁ + g
        let mut line: Vec<Vec<f64>> =
            (0..=last).map(|i| (0..=last).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        line[1][0] = -1.0 / 6.0;
        line[last - 1][last] = -1.0 / 6.0;
        for (ghost, boundary, inside) in [(0, 1, 2), (last, last - 1, last - 2)] {
            line[ghost] = (0..=last)
                .map(|j| {
                    f64::from(u8::from(j == ghost)) + 2.0 * line[boundary][j] - line[inside][j]
                })
                .collect();
        }
        let place = |v: usize| mesh.points[v].map(|x| (x * n as f64).round() as isize + 1);
        for row in 0..mesh.points.len() {
            let mut own = vec![0.0; mesh.points.len()];
            basis.matrix().row(row).for_each(|(column, weight)| own[column as usize] += weight);
            for (column, found) in own.iter().enumerate() {
                let (i, j) = (place(row), place(column));
                let expected: f64 = (0..3).map(|d| line[i[d] as usize][j[d] as usize]).product();
                assert!((found - expected).abs() < 1e-15, "{n}: {i:?} {j:?} {found} {expected}");
            }
        }
        for side in 0..6 {
            let faces = regions.find_side(side).unwrap();
            let held = basis.held(&solid, &faces).unwrap();
            assert_eq!((held.unknowns.len(), held.inexact_faces.len()), ((n + 3).pow(2), 0));
        }
        let bends = basis.is_bend().iter().filter(|is_bend| **is_bend).count();
        assert_eq!(bends, (n + 3).pow(3) - (n + 1).pow(3));
    }
}

/// Inner vertices, and ghosts, anywhere: on faces there is nothing but what is held.
#[test]
fn what_is_not_held_is_0_on_the_faces() {
    let layered = extend(&Shape::Fan { valence: 5, layers: 2, rings: 3 }.build().unwrap(), 40.0);
    let mut random = Random::new(7);
    for mesh in [cube(3), layered.unwrap().0] {
        let solid = Solid::new(&mesh).unwrap();
        let (basis, regions) = basis(&mesh, &solid);
        for side in 0..regions.side_count() {
            let faces = regions.find_side(side).unwrap();
            let held = basis.held(&solid, &faces).unwrap();
            let mut unknowns: Vec<f64> =
                (0..mesh.points.len()).map(|_| random.unit() - 0.5).collect();
            held.unknowns.iter().for_each(|&u| unknowns[u as usize] = 0.0);
            let controls = basis.control_values(&unknowns, 1);
            let keep = |face: u32| faces.contains(&face) && !held.inexact_faces.contains(&face);
            let on = Quadrature::boundary(&solid, SCHEME, Want::FIRST, keep).unwrap();
            let on = Mapping::new(&on, mesh.controls()).unwrap();
            let mut count = 0;
            visit(&on, &controls, |point, _, _, value| {
                count += 1;
                assert!(value.abs() < 1e-14, "{point:?}: {value}");
            });
            assert!(count > 0, "side {side}");
        }
    }
}

/// DESIGN: relative errors of L2 projection, 4³ and 8³ cells, with natural ends and with ghosts.
#[test]
fn projections_have_order_four_with_ghosts() {
    let exact = |[x, y, z]: [f64; 3]| x.exp() * (2.0 * y).cos() * (1.0 + z * z);
    let projected = |mesh: &SolidMesh| {
        let solid = Solid::new(mesh).unwrap();
        let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let mut values = Vec::new();
        visit(&mapping, &vec![0.0; mesh.points.len()], |point, _, _, _| values.push(exact(point)));
        error(mesh, &project(&mapping, &values, 1).unwrap(), exact)
    };
    for (n, natural, ghosts) in [(4, 4.8e-3, 5.4e-5), (8, 7.9e-4, 3.4e-6)] {
        let mut sharp = sharp_box([n; 3]);
        sharp.points.iter_mut().for_each(|p| *p = p.map(|x| x / n as f64));
        for (mesh, expected) in [(sharp, natural), (cube(n), ghosts)] {
            let found = projected(&mesh);
            assert!((found / expected - 1.0).abs() < 0.05, "{n}: {found} {expected}");
        }
    }
}

/// u = exp(x) cos y is harmonic.
#[test]
fn solutions_of_poissons_equation_have_order_four_with_ghosts() {
    let exact = |[x, y, _]: [f64; 3]| x.exp() * y.cos();
    let slope = |[x, y, _]: [f64; 3]| [x.exp() * y.cos(), -x.exp() * y.sin(), 0.0];
    let some = |regions: &Regions| [0, 1, 2].map(|side| regions.find_side(side).unwrap()).concat();
    for held in [&some as &dyn Fn(&Regions<'_>) -> Vec<u32>, &all] {
        let errors = [4, 8].map(|n| {
            let mesh = cube(n);
            let (controls, found, most) = poisson(&mesh, held, exact, slope);
            assert!(found.iterations < 110, "{}", found.iterations);
            assert!(most < 1e-4, "{most}");
            error(&mesh, &controls, exact)
        });
        let order = (errors[0] / errors[1]).log2();
        assert!(order > 3.8 && errors[1] < 4e-7, "{errors:?} {order}");
    }
}

/// A periodic solution, up to its mean: one unknown for every cell, of order 4.
#[test]
fn periodic_solutions_have_order_four() {
    let exact = |[x, y, z]: [f64; 3]| (TAU * x).sin() * (TAU * y).cos() + (TAU * z).sin();
    let source = |[x, y, z]: [f64; 3]| {
        TAU * TAU * (2.0 * (TAU * x).sin() * (TAU * y).cos() + (TAU * z).sin())
    };
    let errors = [6, 12].map(|n| {
        let mut mesh = Shape::Box { cells: [n; 3] }.build().unwrap();
        mesh.points.iter_mut().for_each(|p| *p = p.map(|x| x / n as f64));
        let lattice = Lattice::new(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
        let mesh = extend_periodic(&mesh, &lattice).unwrap().0;
        let solid = Solid::new(&mesh).unwrap();
        let (basis, regions) = basis(&mesh, &solid);
        assert_eq!(regions.side_count(), 0);
        let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let operators =
            [Operator::Stiffness { conductivity: 1.0 }, Operator::Mass { density: 1.0 }];
        let found = assemble(&Cpu::default(), &quadrature, mesh.controls(), &operators).unwrap();
        let [stiffness, mass] = <[_; 2]>::try_from(found).unwrap();
        let ones = vec![1.0; mesh.points.len()];
        let masses = basis.unknown_loads(&mass.times(&basis.control_values(&ones, 1)), 1);
        let count = (n * n * n) as f64;
        assert_eq!(masses.iter().filter(|m| **m != 0.0).count() as f64, count);
        assert!(masses.iter().all(|m| *m == 0.0 || (m * count - 1.0).abs() < 1e-12));
        let load = body_load(&mapping, |p| [source(p), 0.0, 0.0]).unwrap();
        let load: Vec<f64> = load.iter().map(|f| f[0]).collect();
        let load = basis.unknown_loads(&load, 1);
        let system = UnknownSystem::new(&stiffness, &basis);
        let mut constraints = Constraints::none(&solid, 1);
        let images = mesh.periodic_vertices().unwrap().unwrap();
        for (v, image) in (0..).zip(images).filter(|&(v, image)| v == 0 || v != image) {
            constraints.fix(v, 0, 0.0 * f64::from(image));
        }
        let mut preconditioner = LimitPreconditioner::of_unknowns(
            (&solid, &mesh.points),
            &system,
            &operators[0].into(),
            &constraints,
            VertexSolver::Auto,
        )
        .unwrap();
        let found = solve(&system, &load, &constraints, &mut preconditioner, 1e-10).unwrap();
        assert!(found.iterations < 30, "{}", found.iterations);
        let mut values = basis.control_values(&found.values, 1);
        let mut mean = 0.0;
        visit(&mapping, &values, |point, measure, _, value| {
            mean += measure * (exact(point) - value)
        });
        values.iter_mut().for_each(|value| *value += mean);
        error(&mesh, &values, exact)
    });
    let order = (errors[0] / errors[1]).log2();
    assert!(order > 3.8 && errors[1] < 1e-3, "{errors:?} {order}");
}

/// A cubic is in the space: it is exact, on the faces to rounding.
#[test]
fn cubics_and_linear_fields_are_exact() {
    let exact = |[x, y, z]: [f64; 3]| x.powi(3) - 3.0 * x * y * y + z;
    let slope = |[x, y, _]: [f64; 3]| [3.0 * (x * x - y * y), -6.0 * x * y, 1.0];
    let mesh = cube(3);
    let (controls, _, most) = poisson(&mesh, |r| r.find_side(0).unwrap(), exact, slope);
    assert!(most < 1e-13 * 3.0, "{most} of values up to 2");
    assert!(error(&mesh, &controls, exact) < 1e-11);
    // the patch test on curved cells
    let mut random = Random::new(3);
    let mut mesh = cube(3);
    mesh.points.iter_mut().for_each(|p| *p = p.map(|x| x + 0.05 * (random.unit() - 0.5)));
    let linear = |[x, y, z]: [f64; 3]| 2.0 + 0.3 * x - y + 0.5 * z;
    let (controls, _, most) = poisson(&mesh, all, linear, |_| [0.3, -1.0, 0.5]);
    assert!(most < 1e-13 * 3.0, "{most} of values up to 3");
    let solid = Solid::new(&mesh).unwrap();
    let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
    visit(&Mapping::new(&quadrature, mesh.controls()).unwrap(), &controls, |p, _, _, value| {
        assert!((value - linear(p)).abs() < 1e-10, "{value} {}", linear(p));
    });
}

/// A pipe of radii 1 and 2 with ghosts all around; control points of circles such that the limit goes
/// through them at the knots.
fn pipe(around: usize, across: usize) -> SolidMesh {
    let step = TAU / around as f64;
    let factor = 3.0 / (2.0 + step.cos());
    let rows = across + 3;
    let mut points = Vec::new();
    for k in 0..4 {
        for j in 0..rows {
            for i in 0..around {
                let radius = factor * (1.0 + (j as f64 - 1.0) / across as f64);
                let angle = step * i as f64;
                points.push([radius * angle.cos(), radius * angle.sin(), k as f64 - 1.0]);
            }
        }
    }
    let id = |i: usize, j: usize, k: usize| ((k * rows + j) * around + i % around) as u32;
    let (mut cells, mut ghosts) = (Vec::new(), Vec::new());
    for k in 0..3 {
        for j in 0..rows - 1 {
            for i in 0..around {
                if k != 1 || j == 0 || j == rows - 2 {
                    ghosts.push(cells.len() as u32);
                }
                let ring =
                    |k: usize| [id(i, j, k), id(i, j + 1, k), id(i + 1, j + 1, k), id(i + 1, j, k)];
                let [[a, b, c, d], [e, f, g, h]] = [ring(k), ring(k + 1)];
                cells.push([a, b, c, d, e, f, g, h]);
            }
        }
    }
    let mut mesh = SolidMesh::from_hexahedra(points, &cells);
    mesh.set_ghosts(&ghosts).unwrap();
    mesh
}

#[test]
fn the_temperature_of_a_pipe_is_a_logarithm() {
    let errors = [(12, 2), (24, 4)].map(|(around, across)| {
        let mut mesh = pipe(around, across);
        let factor = 3.0 / (2.0 + (TAU / around as f64).cos());
        for (name, radius) in [("inner", factor), ("outer", 2.0 * factor)] {
            let is_at = |p: [f64; 3]| {
                (p[0].hypot(p[1]) - radius).abs() < 1e-9 && (-0.5..1.5).contains(&p[2])
            };
            group(&mut mesh, name, is_at);
        }
        let request = SolveRequest {
            heat: vec!["3".parse().unwrap()],
            temperature: vec!["inner=0".parse().unwrap(), "outer=1".parse().unwrap()],
            tolerance: 1e-12,
            ..SolveRequest::default()
        };
        let mut heard = Warnings::default();
        let (solved, report) = request.run(&mesh, &Solid::new(&mesh).unwrap(), &mut heard).unwrap();
        assert!(heard.0.is_empty(), "{:?}", heard.0);
        let power = 3.0 * TAU / 2.0_f64.ln();
        let [inner, outer] = [0, 1].map(|part: usize| report.reactions[part].reaction[0]);
        assert!((inner + outer).abs() < 1e-8 * power, "{inner} {outer}");
        let exact = |[x, y, _]: [f64; 3]| x.hypot(y).ln() / 2.0_f64.ln();
        (error(&mesh, &solved.attributes[0].values, exact), (outer / power - 1.0).abs())
    });
    let order = (errors[0].0 / errors[1].0).log2();
    assert!(order > 3.8 && errors[1].0 < 1e-4, "{errors:?} {order}");
    assert!(errors[1].1 < 1e-4, "{errors:?}");
}

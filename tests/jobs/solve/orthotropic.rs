//! Orthotropic materials against analytic strains and turned compliances.

use subsolid::assembly::{Operator, Orthotropic, assemble, surface_load};
use subsolid::backend::Cpu;
use subsolid::jobs::MaterialAxes;
use subsolid::jobs::assemble::AssembleRequest;
use subsolid::jobs::solve::{OperatorForm, SolveRequest};
use subsolid::mesh::{Attribute, CellArray, SolidMesh};
use subsolid::quadrature::{Mapping, Quadrature, QuadratureScheme, Regions, face_vertices};
use subsolid::solve::{Constraints, VertexSolver};
use subsolid::{Solid, Want};

use super::iterations::iterations;
use super::{run, sharp_box, solved};
use crate::support::refused;

/// E1, E2, E3, G12, G23, G13, ν12, ν23, ν13 of a ply.
const PLY: [f64; 9] = [140.0, 10.0, 8.0, 5.0, 3.5, 4.0, 0.3, 0.4, 0.25];

type Tensor = [[[[f64; 3]; 3]; 3]; 3];

/// Each component of a tensor of fourth order.
fn tensor(of: impl Fn([usize; 4]) -> f64) -> Tensor {
    use std::array::from_fn;
    from_fn(|i| from_fn(|j| from_fn(|k| from_fn(|l| of([i, j, k, l])))))
}

/// Strains by stresses along the axes of the material.
fn compliance([e1, e2, e3, g12, g23, g13, nu12, nu23, nu13]: [f64; 9]) -> Tensor {
    let along = [
        [1.0 / e1, -nu12 / e1, -nu13 / e1],
        [-nu12 / e1, 1.0 / e2, -nu23 / e2],
        [-nu13 / e1, -nu23 / e2, 1.0 / e3],
    ];
    let shear = [[0.0, g12, g13], [g12, 0.0, g23], [g13, g23, 0.0]];
    tensor(|[i, j, k, l]| match (i == j, k == l) {
        (true, true) => along[i][k],
        (false, false) if (i, j) == (k, l) || (i, j) == (l, k) => 0.25 / shear[i][j],
        _ => 0.0,
    })
}

/// The same in space, for rows of unit vectors along the axes.
fn turned(own: &Tensor, axes: [[f64; 3]; 3]) -> Tensor {
    tensor(|[i, j, k, l]| {
        let mut sum = 0.0;
        for at in 0..81 {
            let [a, b, c, d] = [at / 27, at / 9 % 3, at / 3 % 3, at % 3];
            sum += axes[a][i] * axes[b][j] * axes[c][k] * axes[d][l] * own[a][b][c][d];
        }
        sum
    })
}

fn strain(own: &Tensor, stress: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let entry = |i: usize, j: usize| {
        (0..9).map(|at| own[i][j][at / 3][at % 3] * stress[at / 3][at % 3]).sum()
    };
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)))
}

fn text(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
}

/// The side of a box whose vertices lie at this coordinate.
fn side(mesh: &SolidMesh, d: usize, at: f64) -> usize {
    let solid = Solid::new(mesh).unwrap();
    let regions = Regions::new(&solid, mesh).unwrap();
    let is_there = |side: &usize| {
        let vertices = face_vertices(solid.topology(), &regions.find_side(*side).unwrap());
        vertices.iter().all(|&v| mesh.points[v as usize][d] == at)
    };
    (0..6).find(is_there).unwrap()
}

#[test]
fn bars_stretch_along_each_axis_by_its_own_modulus() {
    let sizes = [2.0, 3.0, 4.0];
    let mesh = sharp_box([2, 3, 4]);
    for operator in [OperatorForm::Matrix, OperatorForm::MatrixFree] {
        for d in 0..3 {
            let hold = |axis: usize| {
                let mut held = ["", "", ""];
                held[axis] = "0";
                format!("side:{}={}", side(&mesh, axis, 0.0), held.join(","))
            };
            let mut force = [0.0; 3];
            force[d] = 1.7;
            let stress = 1.7 * sizes[d] / 24.0;
            let load = format!("side:{}={}", side(&mesh, d, sizes[d]), text(&force));
            let request = SolveRequest {
                elasticity: vec![text(&PLY).parse().unwrap()],
                fix: [0, 1, 2].map(|axis| hold(axis).parse().unwrap()).to_vec(),
                total_force: vec![load.parse().unwrap()],
                tolerance: 1e-13,
                operator,
                ..SolveRequest::default()
            };
            let (found, report) = run(&mesh, &request);
            let own = compliance(PLY);
            for (p, u) in mesh.points.iter().zip(found.attributes[0].values.chunks_exact(3)) {
                for j in 0..3 {
                    let expected = own[j][j][d][d] * stress * p[j];
                    assert!((u[j] - expected).abs() < 1e-9 * stress, "{d} {j}: {u:?} {expected}");
                }
            }
            for own in found.attributes[1].values.chunks_exact(6) {
                let is_right =
                    (0..6).all(|k| (own[k] - if k == d { stress } else { 0.0 }).abs() < 1e-9);
                assert!(is_right, "{own:?}");
            }
            let energy = 0.5 * stress * stress * own[d][d][d][d] * 24.0;
            assert!((report.energy / energy - 1.0).abs() < 1e-9 && report.iterations < 45);
        }
    }
}

/// u = γ y along x on the whole boundary, and so on.
#[test]
fn shear_is_that_of_its_own_modulus() {
    let mesh = sharp_box([2, 3, 2]);
    let material = Operator::Orthotropic(Orthotropic::new(PLY));
    for (along, by, modulus) in [(0, 1, PLY[3]), (1, 2, PLY[4]), (0, 2, PLY[5]), (2, 0, PLY[5])] {
        let constrain = |solid: &Solid, own: &mut Constraints| {
            let topology = solid.topology();
            for v in (0..mesh.points.len() as u32).filter(|&v| topology.is_boundary_vertex(v)) {
                (0..3).for_each(|d| own.fix(v, d, 0.0));
                own.fix(v, along, 0.01 * mesh.points[v as usize][by]);
            }
        };
        let found = solved(&mesh, material, |_| vec![0.0; 3 * mesh.points.len()], constrain);
        let expected = 0.5 * modulus * 1e-4 * 12.0;
        assert!((found.energy / expected - 1.0).abs() < 1e-9, "{along} {by}: {}", found.energy);
    }
}

/// A bar pulled along x shears where its axes are turned: strains by the turned compliance, and along
/// x by the formula of Jones, "Mechanics of composite materials" (1999), eq. 2.97.
#[test]
fn a_bar_off_its_axes_strains_as_the_turned_compliance_says() {
    let mesh = sharp_box([3, 2, 2]);
    let (sin, cos) = 30_f64.to_radians().sin_cos();
    let plane = [[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]];
    let own = turned(&compliance(PLY), plane);
    let [e1, e2, _, g12, _, _, nu12, ..] = PLY;
    let jones = cos.powi(4) / e1
        + sin.powi(4) / e2
        + (1.0 / g12 - 2.0 * nu12 / e1) * sin.powi(2) * cos.powi(2);
    assert!((own[0][0][0][0] - jones).abs() < 1e-15);
    let tilted = {
        let root = 1.0 / 3_f64.sqrt();
        let (a, b) = (0.5_f64.sqrt(), 1.0 / 6_f64.sqrt());
        [[root, root, root], [a, -a, 0.0], [b, b, -2.0 * b]]
    };
    for axes in [plane, tilted] {
        let material = Orthotropic::new(PLY);
        // the second vector need not be at a right angle, nor any of length 1
        let second = [0, 1, 2].map(|d| 3.0 * axes[1][d] + 0.4 * axes[0][d]);
        let material = material.along([axes[0].map(|x| 7.0 * x), second]).unwrap();
        let load = |mapping: &Mapping<'_>| {
            let solid = mapping.quadrature().solid();
            let scheme = QuadratureScheme { gauss: 4, rings: Some(0) };
            let boundary = Quadrature::boundary(solid, scheme, Want::FIRST, |_| true).unwrap();
            let mapping = Mapping::new(&boundary, mesh.controls()).unwrap();
            surface_load(&mapping, |_, _, n| [n[0], 0.0, 0.0]).unwrap().into_flattened()
        };
        // the origin, and no turn
        let constrain = |_: &Solid, own: &mut Constraints| {
            let corner = |p: [f64; 3]| mesh.points.iter().position(|&own| own == p).unwrap() as u32;
            (0..3).for_each(|d| own.fix(corner([0.0; 3]), d, 0.0));
            (1..3).for_each(|d| own.fix(corner([3.0, 0.0, 0.0]), d, 0.0));
            own.fix(corner([0.0, 2.0, 0.0]), 2, 0.0);
        };
        let found = solved(&mesh, Operator::Orthotropic(material), load, constrain);
        let mut pull = [[0.0; 3]; 3];
        pull[0][0] = 1.0;
        let strain = strain(&turned(&compliance(PLY), axes), pull);
        for (p, u) in mesh.points.iter().zip(found.values.chunks_exact(3)) {
            let expected = [
                strain[0][0] * p[0] + 2.0 * (strain[0][1] * p[1] + strain[0][2] * p[2]),
                strain[1][1] * p[1] + 2.0 * strain[1][2] * p[2],
                strain[2][2] * p[2],
            ];
            assert!((0..3).all(|d| (u[d] - expected[d]).abs() < 1e-9), "{u:?} {expected:?}");
        }
        assert!((2.0 * found.energy / strain[0][0] / 12.0 - 1.0).abs() < 1e-9);
    }
}

/// Axes of every vertex or cell: a turn about z by the place along x.
fn graded(by_cells: bool) -> (SolidMesh, SolveRequest) {
    let mut mesh = sharp_box([4, 2, 2]);
    let vectors = |x: f64| [[x.cos(), x.sin(), 0.0], [-x.sin() - x.cos(), x.cos() - x.sin(), 0.0]];
    for k in 0..2 {
        let name = ["fiber", "across"][k].to_owned();
        if by_cells {
            let middle = |cell: usize| {
                mesh.cells.vertices(cell).iter().map(|&v| mesh.points[v as usize][0]).sum::<f64>()
                    / 8.0
            };
            let values = (0..mesh.cells.len()).flat_map(|cell| vectors(middle(cell))[k]).collect();
            mesh.cell_data.push(CellArray::new(name, 3, values, false));
        } else {
            let values = mesh.points.iter().flat_map(|p| vectors(p[0])[k]).collect();
            mesh.attributes.push(Attribute { name, width: 3, values });
        }
    }
    let request = SolveRequest {
        elasticity: vec![text(&PLY).parse().unwrap()],
        material_axes: Some("fiber,across".parse().unwrap()),
        fix: vec!["side:0".parse().unwrap()],
        body: Some([0.0, 1.0, 0.0]),
        scheme: QuadratureScheme { gauss: 3, rings: Some(0) },
        ..SolveRequest::default()
    };
    (mesh, request)
}

/// A constant strain in cells whose axes differ: twice the energy is the sum over cells.
#[test]
fn axes_are_those_of_attributes() {
    for by_cells in [false, true] {
        let (mesh, request) = graded(by_cells);
        let assemble = AssembleRequest {
            mass: Some(1.0),
            elasticity: Some(request.elasticity[0].constants),
            material_axes: request.material_axes.clone(),
            scheme: request.scheme,
            ..AssembleRequest::default()
        };
        let solid = Solid::new(&mesh).unwrap();
        let found = assemble.run(&mesh, &solid, None, &mut ()).unwrap();
        assert_eq!(found.matrices.len(), 2);
        let matrix = &found.matrices[1].1;
        let gradient = [[0.3, -0.2, 0.4], [0.7, 0.1, -0.5], [0.2, 0.6, -0.3]];
        let field: Vec<f64> = mesh
            .points
            .iter()
            .flat_map(|p| gradient.map(|row| (0..3).map(|d| row[d] * p[d]).sum::<f64>()))
            .collect();
        let product = matrix.times(&field);
        let found: f64 = field.iter().zip(&product).map(|(a, b)| a * b).sum();
        let operators = request.operators(&mesh).unwrap();
        let expected: f64 = (0..4)
            .map(|cell| {
                // of vertices: both ends, of cells: the middle; vectors of a mean have its direction
                let x = f64::from(cell) + 0.5;
                let axes = [[x.cos(), x.sin(), 0.0], [-x.sin(), x.cos(), 0.0], [0.0, 0.0, 1.0]];
                let Operator::Orthotropic(own) = operators.of(cell as u32) else { panic!() };
                let at = mesh.cells.vertices(cell as usize)[0] as usize;
                assert_eq!(mesh.points[at][0], f64::from(cell), "cells along x first");
                let off = axes.as_flattened().iter().zip(own.axes.as_flattened());
                assert!(off.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-14);
                4.0 * double_energy(&turned(&compliance(PLY), axes), gradient)
            })
            .sum();
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        let solve = |operator| run(&mesh, &SolveRequest { operator, ..request.clone() }).1;
        let [one, two] = [OperatorForm::Matrix, OperatorForm::MatrixFree].map(solve);
        assert!((one.energy / two.energy - 1.0).abs() < 1e-10 && one.iterations <= 45);
    }
}

/// ε C ε of a gradient, by solving S σ = ε.
fn double_energy(compliance: &Tensor, gradient: [[f64; 3]; 3]) -> f64 {
    use nalgebra::{Matrix6, Vector6};
    const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [0, 2]];
    // shears of stress stand twice in the sum
    let matrix = Matrix6::from_fn(|row, column| {
        let ([i, j], [k, l]) = (PAIRS[row], PAIRS[column]);
        compliance[i][j][k][l] * if column < 3 { 1.0 } else { 2.0 }
    });
    let strain = Vector6::from_fn(|row, _| {
        let [i, j] = PAIRS[row];
        0.5 * (gradient[i][j] + gradient[j][i])
    });
    let stress = matrix.lu().solve(&strain).unwrap();
    (0..6).map(|row| stress[row] * strain[row] * if row < 3 { 1.0 } else { 2.0 }).sum()
}

#[test]
fn isotropic_constants_give_the_isotropic_matrix() {
    let mesh = sharp_box([3, 2, 2]);
    let solid = Solid::new(&mesh).unwrap();
    let quadrature = Quadrature::new(&solid, QuadratureScheme::default(), Want::FIRST).unwrap();
    let (e, nu) = (10.0, 0.3);
    let g = e / (2.0 * (1.0 + nu));
    let same = Orthotropic::new([e, e, e, g, g, g, nu, nu, nu]);
    let along = same.along([[1.0, 2.0, 3.0], [0.5, -1.0, 0.2]]).unwrap();
    let operators = [
        Operator::Elasticity { young: e, poisson: nu },
        Operator::Orthotropic(same),
        Operator::Orthotropic(along),
    ];
    let found = assemble(&Cpu::default(), &quadrature, mesh.controls(), &operators).unwrap();
    let most = found[0].values().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    for own in &found[1..] {
        let pairs = own.values().iter().zip(found[0].values());
        let error = pairs.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs())) / most;
        assert!(error < 1e-13, "{error:e}");
    }
}

/// Fibers 35 times stiffer than what is between them.
#[test]
fn a_few_iterations_solve_stiff_fibers() {
    let ply = Orthotropic::new([140.0, 4.0, 4.0, 2.0, 1.5, 2.0, 0.3, 0.4, 0.3]);
    let along = ply.along([[1.0, 1.0, 0.5], [0.0, 1.0, 0.0]]).unwrap();
    for material in [ply, along] {
        let operator = Operator::Orthotropic(material);
        let mesh = sharp_box([4, 4, 12]);
        let found = iterations(&mesh, operator, VertexSolver::Exact);
        println!("{found}");
        assert!(found <= 45, "{found}");
    }
}

#[test]
fn materials_that_are_none_are_refused() {
    let check = |numbers: [f64; 9]| {
        let elasticity = vec![text(&numbers).parse().unwrap()];
        SolveRequest { elasticity, ..graded(true).1 }.check()
    };
    let with = |at: usize, value: f64| {
        let mut numbers = PLY;
        numbers[at] = value;
        numbers
    };
    check(PLY).unwrap();
    refused(check(with(1, 0.0)), "E2 of 0: out of range");
    refused(check(with(5, -1.0)), "G13 of -1: out of range");
    // ν12² < E1 / E2 = 14
    check(with(6, -3.0)).unwrap();
    refused(check(with(6, 3.75)), "NU12 of 3.75: the material is not stable");
    refused(check(with(7, 1.12)), "NU23 of 1.12: the material is not stable");
    let [e, g] = [10.0, 4.0];
    let ratios = |nu: f64| [e, e, e, g, g, g, nu, nu, nu];
    check(ratios(0.49)).unwrap();
    refused(
        check(ratios(0.51)),
        "NU12, NU23, NU13 of 0.51, 0.51, 0.51: the material is not stable",
    );
    let (mesh, request) = graded(false);
    let isotropic = SolveRequest { elasticity: vec!["1,0.3".parse().unwrap()], ..request.clone() };
    refused(isotropic.check(), "is for orthotropic materials");
    let axes = |names: &str| SolveRequest {
        material_axes: Some(names.parse().unwrap()),
        ..request.clone()
    };
    refused(axes("fiber,x").operators(&mesh).map(|_| ()), "no attribute is named \"x\"");
    refused(axes("fiber,fiber").operators(&mesh).map(|_| ()), "are 0 or parallel");
    assert!("fiber".parse::<MaterialAxes>().is_err());
    let numbers = "1,2,3".parse::<subsolid::assembly::ElasticConstants>();
    assert_eq!(numbers.unwrap_err(), "3 numbers instead of 2 or 9");
}

//! Iterations of the preconditioner.

use std::convert::Infallible;

use subsolid::assembly::{Operator, assemble};
use subsolid::backend::Cpu;
use subsolid::mesh::SolidMesh;
use subsolid::mesh::shape::Shape;
use subsolid::numbers::{Iterates, iterate};
use subsolid::quadrature::{Quadrature, QuadratureScheme};
use subsolid::refine::crease_by_angle;
use subsolid::solve::{Constraints, LimitPreconditioner, VertexSolver, solve};
use subsolid::{Solid, Want};

use super::sharp_box;

/// Iterations to 8 digits of a body held at its low end, for a rough load.
pub fn iterations(mesh: &SolidMesh, operator: Operator, solver: VertexSolver) -> usize {
    let solid = Solid::new(mesh).unwrap();
    let scheme = QuadratureScheme { gauss: 3, rings: Some(1) };
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    let matrix =
        assemble(&Cpu::default(), &quadrature, mesh.controls(), &[operator]).unwrap().remove(0);
    let mut constraints = Constraints::none(&solid, operator.width());
    let range = |d: usize| {
        let fold =
            |pick: fn(f64, f64) -> f64| mesh.points.iter().map(|p| p[d]).reduce(pick).unwrap();
        [fold(f64::min), fold(f64::max)]
    };
    let size = |d: &usize| range(*d)[1] - range(*d)[0];
    let axis = (0..3).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap();
    let end = range(axis)[0] + 0.08 * size(&axis);
    for v in (0..).zip(&mesh.points).filter(|(_, p)| p[axis] < end).map(|(v, _)| v) {
        (0..operator.width()).for_each(|d| constraints.fix(v, d, 0.0));
    }
    let load: Vec<f64> = (0..matrix.size()).map(|i| (i as f64 * 12.9898).sin()).collect();
    let mut preconditioner =
        LimitPreconditioner::new(&solid, &mesh.points, &operator.into(), &constraints, solver)
            .unwrap();
    let found = solve(&matrix, &load, &constraints, &mut preconditioner, 1e-8).unwrap();
    assert!(found.residual < 1e-6, "{}", found.residual);
    found.iterations
}

pub fn sharp(mut mesh: SolidMesh) -> SolidMesh {
    crease_by_angle(&mut mesh, 40.0).unwrap();
    mesh
}

/// Six models: a box, extraordinary edges, wedges, thin fins, public parts.
#[test]
fn a_few_iterations_solve_every_model() {
    let read = |name: &str| sharp(subsolid::read(format!("models/solids/{name}")).unwrap());
    let models = [
        sharp_box([4, 4, 4]),
        sharp(Shape::Fan { valence: 3, layers: 3, rings: 3 }.build().unwrap()),
        sharp(Shape::Fan { valence: 7, layers: 2, rings: 3 }.build().unwrap()),
        read("cad9.mesh"),
        read("car_box_2x2x6.mesh"),
        read("tripod.vtk"),
    ];
    for mesh in models {
        let counts = [
            Operator::Stiffness { conductivity: 1.0 },
            Operator::Elasticity { young: 1.0, poisson: 0.3 },
        ]
        .map(|operator| iterations(&mesh, operator, VertexSolver::Exact));
        println!("{} cells: {counts:?}", mesh.cells.len());
        assert!(counts[0] <= 30 && counts[1] <= 45, "{} cells: {counts:?}", mesh.cells.len());
    }
}

#[test]
fn multigrid_stands_in_for_the_factor() {
    let mesh = sharp_box([4, 4, 40]);
    for (operator, most) in [
        (Operator::Stiffness { conductivity: 1.0 }, 45),
        (Operator::Elasticity { young: 1.0, poisson: 0.3 }, 70),
    ] {
        let [exact, multigrid] = [VertexSolver::Exact, VertexSolver::Multigrid]
            .map(|solver| iterations(&mesh, operator, solver));
        println!("{exact} {multigrid}");
        assert!(exact <= multigrid && multigrid <= most, "{exact} {multigrid}");
    }
}

/// A diagonal system of two rows.
struct Diagonal {
    system: [f64; 2],
    preconditioner: [f64; 2],
    // x, r, z, p, q
    vectors: [[f64; 2]; 5],
    gamma: [f64; 2],
}

impl Diagonal {
    fn dot(&self, a: usize, b: usize) -> f64 {
        let [a, b] = [a, b].map(|v| self.vectors[v]);
        a[0] * b[0] + a[1] * b[1]
    }
}

impl Iterates for Diagonal {
    type Error = Infallible;

    fn start(&mut self, rhs: &[f64]) -> Result<(), Infallible> {
        self.vectors[1] = [rhs[0], rhs[1]];
        Ok(())
    }

    fn precondition(&mut self) -> Result<(), Infallible> {
        self.vectors[2] = [0, 1].map(|i| self.vectors[1][i] / self.preconditioner[i]);
        self.gamma = [self.gamma[1], self.dot(1, 2)];
        Ok(())
    }

    fn turn(&mut self) -> Result<(), Infallible> {
        let beta = if self.gamma[0] > 0.0 { self.gamma[1] / self.gamma[0] } else { 0.0 };
        self.vectors[3] = [0, 1].map(|i| self.vectors[2][i] + beta * self.vectors[3][i]);
        Ok(())
    }

    fn multiply(&mut self) -> Result<(), Infallible> {
        self.vectors[4] = [0, 1].map(|i| self.system[i] * self.vectors[3][i]);
        Ok(())
    }

    fn step(&mut self) -> Result<(), Infallible> {
        let alpha = self.gamma[1] / self.dot(3, 4);
        for i in 0..2 {
            self.vectors[0][i] += alpha * self.vectors[3][i];
            self.vectors[1][i] -= alpha * self.vectors[4][i];
        }
        Ok(())
    }

    fn numbers(&mut self) -> Result<[f64; 2], Infallible> {
        Ok([self.dot(3, 4), self.gamma[1]])
    }

    fn solution(&mut self) -> Result<Vec<f64>, Infallible> {
        Ok(self.vectors[0].to_vec())
    }
}

#[test]
fn what_is_not_definite_has_no_solution() {
    let solve = |system, preconditioner| {
        let mut own =
            Diagonal { system, preconditioner, vectors: Default::default(), gamma: [0.0; 2] };
        iterate(&mut own, &[1.0, 2.0], 1e-12).unwrap().map(|found| found.x)
    };
    assert_eq!(solve([1.0, 1.0], [1.0, 1.0]), Some(vec![1.0, 2.0]));
    let found = solve([4.0, 0.5], [1.0, 2.0]).unwrap();
    assert!((found[0] - 0.25).abs() < 1e-12 && (found[1] - 4.0).abs() < 1e-12, "{found:?}");
    assert_eq!(solve([1.0, -1.0], [1.0, 1.0]), None);
    assert_eq!(solve([f64::NAN, 1.0], [1.0, 1.0]), None);
    assert_eq!(solve([1.0, 1.0], [1.0, -1.0]), None);
}

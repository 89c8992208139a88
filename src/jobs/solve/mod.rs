//! Solves linear elasticity or heat conduction on a solid: displacements and stresses, temperatures
//! and fluxes, as attributes.
//!
//! ```
//! use subsolid::jobs::solve::SolveRequest;
//! use subsolid::limit::Solid;
//! use subsolid::mesh::shape::Shape;
//!
//! let mut mesh = Shape::Box { cells: [2, 2, 6] }.build()?;
//! subsolid::refine::crease_by_angle(&mut mesh, 40.0)?;
//! let request = SolveRequest {
//!     elasticity: vec!["210e9,0.3".parse().unwrap()],
//!     fix: vec!["side:0".parse().unwrap()],
//!     total_force: vec!["side:5=0,100,0".parse().unwrap()],
//!     ..Default::default()
//! };
//! let (solved, report) = request.run(&mesh, &Solid::new(&mesh)?, &mut ())?;
//! assert_eq!(solved.attributes[0].name, "displacement");
//! assert!((report.reactions[0].reaction[1] + 100.0).abs() < 1e-5);
//! # Ok::<(), subsolid::Error>(())
//! ```

mod conditions;
mod report;
mod request;
mod stiffness;

pub use report::{FieldExtreme, FieldRange, LoadedPart, PartReaction, SolveReport};
pub use request::{
    ElasticMaterial, OperatorForm, PartFix, PartForce, PartValue, SolveRequest, ThermalMaterial,
};

use std::time::Instant;

use super::assemble::check_points;
use super::quadrature::warn_of_points;
use super::{Notes, since};
use crate::assembly::{BoundaryBasis, project};
use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::{Attribute, SolidMesh};
use crate::numbers::{bounds, counted};
use crate::plan::Want;
use crate::quadrature::{
    LEFT_HANDED, Mapping, Quadrature, QuadratureLayout, Regions, Report, RingAccuracy,
};
use crate::solve::{
    FieldValues, LimitPreconditioner, UnknownSystem, VertexSolver, check_held, point_fields, solve,
};
use stiffness::Stiffness;

/// Displacement as a part of the size that linear elasticity is too rough for.
const LARGE_DISPLACEMENT: f64 = 0.05;

impl SolveRequest {
    /// Solves; returns the mesh with control values of the results as attributes, in place of those
    /// of the same names, and writes its limit where that is asked for. The solution is exact as
    /// control values, what follows from it is the nearest in the L2 norm.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Request`](crate::Error::Request) for parts that the boundary does not have or that contradict each other, solids that can still
    /// move, and points whose Jacobian is not positive.
    pub fn run(
        &self,
        mesh: &SolidMesh,
        solid: &Solid,
        notes: &mut dyn Notes,
    ) -> Result<(SolidMesh, SolveReport)> {
        self.check()?;
        let start = Instant::now();
        let operators = self.operators(mesh)?;
        let (operator, width) = (operators.of(0), operators.width());
        let regions = Regions::new(solid, mesh)?;
        let basis = BoundaryBasis::new(&regions)?;
        let (mut constraints, holders) = self.constraints(solid, &regions, &basis, notes)?;
        check_held(solid, &mesh.points, &constraints, basis.images())?;
        let loads = self.boundary_loads(&regions)?;
        notes.begin("Preparing");
        let (want, accuracy) = (Want::FIRST, RingAccuracy::SOLUTION);
        Quadrature::check_memory_to(solid, self.scheme, want, accuracy)?;
        let layout = QuadratureLayout::with_accuracy(solid, self.scheme, want, accuracy)?;
        warn_of_points(&layout, notes);
        notes.begin("Preparing");
        let quadrature = Quadrature::of(layout);
        let mapping = Mapping::new(&quadrature, mesh.controls())?;
        notes.begin("Integrating");
        let Report { volume, quality, left_handed, .. } = Report::new(&mapping)?;
        check_points(&quality)?;
        if left_handed {
            notes.warn(LEFT_HANDED.into());
        }
        let (load, loaded) = self.loads(mesh, &mapping, &loads)?;
        let stiffness = Stiffness::new(self, &mapping, mesh, &operators, notes)?;
        let rows = counted(stiffness.operator().size(), "row");
        notes.status("Assembled", format!("{rows} in {}", since(start)));
        let started = Instant::now();
        notes.begin("Solving");
        let flat: Vec<f64> = match width {
            1 => load.iter().map(|f| f[0]).collect(),
            _ => load.as_flattened().to_vec(),
        };
        let flat = basis.unknown_loads(&flat, width);
        let system = UnknownSystem::new(stiffness.operator(), &basis);
        system.fix_empty(&mut constraints)?;
        let mut preconditioner = LimitPreconditioner::of_unknowns(
            (solid, &mesh.points),
            &system,
            &operators,
            &constraints,
            stiffness.vertex_solver(),
        )?;
        let found = solve(&system, &flat, &constraints, &mut preconditioner, self.tolerance)?;
        let values = basis.control_values(&found.values, width);
        let solution_seconds = started.elapsed().as_secs_f64();
        let (unknowns, steps) = (constraints.free_count(), found.iterations);
        notes.status(
            "Solved",
            format!(
                "{}, {} in {}",
                counted(unknowns, "unknown"),
                counted(steps, "iteration"),
                since(started)
            ),
        );
        let (kind, entries, operator_bytes) = stiffness.summary();
        if found.iterations == 0 && flat.iter().any(|&force| force != 0.0) {
            notes.warn("nothing moves: all of the load is on parts that are held".into());
        }
        let deriving = Instant::now();
        notes.begin("Deriving");
        let fields = point_fields(&mapping, &operators, &values)?;
        let places = report::places(&mapping)?;
        let mut solved = mesh.clone();
        for own in attributes(&mapping, &fields, &values)? {
            solved.attributes.retain(|attribute| attribute.name != own.name);
            solved.attributes.push(own);
        }
        let names = fields[1..].iter().map(|field| field.name).collect::<Vec<_>>().join(", ");
        notes.status("Derived", format!("{names} in {}", since(deriving)));
        let ranges: Vec<FieldRange> =
            fields.iter().flat_map(|field| report::ranges(field, &places)).collect();
        if operator.is_elastic() {
            warn_of_size(mesh, &ranges[0], notes);
        }
        let mut report = SolveReport {
            problem: if operator.is_elastic() { "elasticity" } else { "heat" },
            vertices: mesh.points.len(),
            unknowns,
            operator: kind,
            entries,
            operator_bytes,
            preconditioner: match preconditioner.solver() {
                VertexSolver::Multigrid => "multigrid",
                _ => "factor",
            },
            iterations: steps,
            residual: found.residual,
            volume,
            energy: found.energy,
            load: conditions::total(&load),
            loaded,
            reactions: holders.reactions(&found.reactions, width),
            fields: ranges,
            output: None,
            solution_seconds,
            seconds: 0.0,
        };
        if let Some(request) = self.evaluation() {
            request.check_mesh(&solved, 0, notes)?;
            let written = request.run((&solved, solid), None, notes)?;
            report.output = written.and_then(|written| written.output);
        }
        report.seconds = start.elapsed().as_secs_f64();
        Ok((solved, report))
    }
}

/// Says where a displacement is too large for linear elasticity, which a force in place of a force per
/// area or other units make it.
fn warn_of_size(mesh: &SolidMesh, displacement: &FieldRange, notes: &mut dyn Notes) {
    let [low, high] = bounds::around(mesh.points.iter().copied());
    let size = (0..3).map(|d| (high[d] - low[d]).powi(2)).sum::<f64>().sqrt();
    let part = displacement.greatest.value / size;
    if part > LARGE_DISPLACEMENT {
        notes.warn(
            format!(
                "displacements reach {:.1} % of the size: linear elasticity is for small ones. Check \
                 units, and which loads are for a unit of area",
                100.0 * part
            )
            .into(),
        );
    }
}

/// Control values of fields, of which the first is the solution.
fn attributes(
    mapping: &Mapping<'_>,
    fields: &[FieldValues],
    solution: &[f64],
) -> Result<Vec<Attribute>> {
    let own = |field: &FieldValues, values| Attribute {
        name: field.name.into(),
        width: field.width(),
        values,
    };
    let mut all = vec![own(&fields[0], solution.to_vec())];
    // projected together: one mass matrix
    let width = fields[1..].iter().map(FieldValues::width).sum();
    let points = mapping.quadrature().sample_count();
    let row = |i: usize| fields[1..].iter().flat_map(move |field| field.row(i));
    let joined: Vec<f64> = (0..points).flat_map(row).copied().collect();
    let nearest = project(mapping, &joined, width)?;
    let mut start = 0;
    for field in &fields[1..] {
        let columns = start..start + field.width();
        start = columns.end;
        let rows = nearest.chunks_exact(width);
        all.push(own(field, rows.flat_map(|row| &row[columns.clone()]).copied().collect()));
    }
    Ok(all)
}

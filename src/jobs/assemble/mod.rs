//! Assembles finite element matrices and load vectors, for one call; [`crate::assembly`] has them
//! for many.
//!
//! ```
//! use subsolid::jobs::assemble::AssembleRequest;
//! use subsolid::limit::Solid;
//! use subsolid::mesh::shape::Shape;
//!
//! let mesh = Shape::Box { cells: [2, 2, 2] }.build()?;
//! let request = AssembleRequest { mass: Some(7.8e3), ..Default::default() };
//! let assembly = request.run(&mesh, &Solid::new(&mesh)?, None, &mut ())?;
//! assert_eq!(assembly.matrices[0].1.size(), mesh.points.len());
//! # Ok::<(), subsolid::Error>(())
//! ```

mod constraints;
mod report;

pub use constraints::AssembledBasis;
pub use report::{AssembleReport, ConstraintSummary, MatrixSummary};

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::output::written;
use super::processor::check_cpu;
use super::quadrature::warn_of_points;
use super::{MaterialAxes, Notes, backend_for, since};
use crate::assembly::{
    CellOperators, ElasticConstants, Matrix, MatrixFormat, Operator, PartLoad, assemble_by_cells,
    assemble_with_progress, body_load, check_memory, cost, surface_load, tractions, write_matrix,
};
use crate::backend::Choice;
use crate::error::{Command, Error, Result, option, option_name};
use crate::io::{self, Array, WriteOptions};
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::numbers::counted;
use crate::plan::Want;
use crate::quadrature::{
    LEFT_HANDED, Mapping, Quadrature, QuadratureLayout, QuadratureScheme, Regions, Report,
    check_positive, face_vertices, jacobians,
};
use crate::volume::Quality;

/// What is asked of an assembly.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct AssembleRequest {
    /// Where the quadrature points are.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub scheme: QuadratureScheme,
    /// Write the mass matrix, with this density, or 1
    #[cfg_attr(feature = "cli", arg(long, value_name = "RHO", num_args = 0..=1, require_equals = true,
                                    default_missing_value = "1"))]
    pub mass: Option<f64>,
    /// Write the stiffness matrix of Poisson's equation, with this conductivity, or 1
    #[cfg_attr(feature = "cli", arg(long, value_name = "K", num_args = 0..=1, require_equals = true,
                                    default_missing_value = "1"))]
    pub stiffness: Option<f64>,
    /// Write the matrix of linear elasticity, with Young's modulus and Poisson's ratio, or of an
    /// orthotropic material E1,E2,E3,G12,G23,G13,NU12,NU23,NU13, where NUij is the contraction along j
    /// under stress along i
    #[cfg_attr(feature = "cli", arg(long, value_name = "E,NU", allow_hyphen_values = true))]
    pub elasticity: Option<ElasticConstants>,
    /// Axes of orthotropic materials, by default x, y, z: attributes of vertices or cells with vectors
    /// along axis 1, and in the plane of axes 1 and 2; a cell has the mean over its vertices
    #[cfg_attr(feature = "cli", arg(long, value_name = "ATTR1,ATTR2"))]
    pub material_axes: Option<MaterialAxes>,
    /// Force per unit area on a side, given by number, or on a group of faces, given by name; may
    /// be repeated, and forces on the same faces add up
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "PART=FX,FY,FZ", allow_hyphen_values = true)
    )]
    pub load: Vec<PartLoad>,
    /// Force per unit volume
    #[cfg_attr(feature = "cli", arg(long, value_name = "FX,FY,FZ", allow_hyphen_values = true,
                                    value_parser = crate::assembly::comma_separated::<3>))]
    pub body: Option<[f64; 3]>,
    /// Format of the matrices
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub format: MatrixFormat,
    /// Compress .npz files
    #[cfg_attr(feature = "cli", arg(long))]
    pub compress: bool,
    /// Processor of the matrices: auto (the fastest for this job), cpu, cuda or cuda:N; they
    /// are equal up to rounding
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
}

/// Matrices and loads of a solid.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The matrices that are asked for.
    pub matrices: Vec<(Operator, Matrix)>,
    /// Forces at the vertices, if there are any.
    pub load: Option<Vec<[f64; 3]>>,
    /// Control values over values on the boundary and bends across it, of a solid with ghosts.
    pub constraints: Option<AssembledBasis>,
    /// What there is to say of them.
    pub report: AssembleReport,
}

impl AssembleRequest {
    /// Checks the options, and the folder to write to, if there is one.
    ///
    /// # Errors
    /// [`Error::Request`] for numbers out of range, and where nothing is asked for; [`Error::File`]
    /// for the name of a file, and for a folder with matrices that this job does not write again,
    /// which may be of another model.
    pub fn check(&self, output: Option<&Path>) -> Result<()> {
        self.scheme.check()?;
        let operators = self.operators();
        let has_loads = !self.load.is_empty() || self.body.is_some();
        let [mass, stiffness] = ["mass", "stiffness"].map(option_name);
        if operators.is_empty() && !has_loads {
            let [load, body] = ["load", "body"].map(option_name);
            let elasticity = option("elasticity", "E,NU");
            let all = message!(mass, ", ", stiffness, ", ", elasticity, ", ", load, " or ", body);
            return Err(Error::request("nothing to assemble").with_help(message!("give ", all)));
        }
        if operators.is_empty() && self.format != MatrixFormat::default() {
            let format = option_name("format");
            let others = message!(mass, ", ", stiffness, " or ", option_name("elasticity"));
            return Err(Error::request(message!(format.clone(), " is for matrices"))
                .with_help(message!("leave ", format, " out, or give ", others)));
        }
        operators.iter().copied().try_for_each(Operator::check)?;
        if let Some(axes) = &self.material_axes {
            axes.check(operators.iter().copied())?;
        }
        output.map_or(Ok(()), |output| self.check_folder(output, &operators))
    }

    fn check_folder(&self, output: &Path, operators: &[Operator]) -> Result<()> {
        let endings = MatrixFormat::ENDINGS;
        let is_file = output.extension().is_some_and(|own| endings.iter().any(|e| own == *e));
        if is_file && !output.is_dir() {
            return Err(Error::file(output, None, "matrices are files in a folder")
                .with_help("give the name of a folder, without .npz or .mtx"));
        }
        io::atomic::check_directory(output)?;
        let written = |name: &str, ending: &str| {
            ending == self.format.ending() && operators.iter().any(|own| own.name() == name)
        };
        for name in Operator::NAMES {
            for ending in endings {
                let path = output.join(format!("{name}.{ending}"));
                if !written(name, ending) && path.exists() {
                    return Err(Error::file(&path, None, "is a matrix of a different job")
                        .with_help("remove it, or give another folder"));
                }
            }
        }
        Ok(())
    }

    /// Makes the matrices and loads of a solid, and writes them to a folder, if there is one.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Request`] for parts that the boundary does not
    /// have, points whose Jacobian is not positive, and sums that overflow.
    pub fn run(
        &self,
        mesh: &SolidMesh,
        solid: &Solid,
        output: Option<&Path>,
        notes: &mut dyn Notes,
    ) -> Result<Assembly> {
        self.check(output)?;
        let start = Instant::now();
        let regions = Regions::new(solid, mesh)?;
        let tractions = tractions(&self.load, &regions)?;
        let (scheme, operators) = (self.scheme, self.operators());
        Quadrature::check_memory(solid, scheme, Want::FIRST)?;
        notes.begin("Preparing");
        let layout = QuadratureLayout::new(solid, scheme, Want::FIRST)?;
        warn_of_points(&layout, notes);
        notes.begin("Preparing");
        let quadrature = Quadrature::of(layout);
        check_memory(&quadrature, &operators)?;
        let mapping = Mapping::new(&quadrature, mesh.controls())?;
        notes.begin("Integrating");
        let Report { samples, volume, quality, left_handed, .. } = Report::new(&mapping)?;
        check_points(&quality)?;
        if left_handed {
            notes.warn(LEFT_HANDED.into());
        }
        let matrices = self.matrices(&mapping, mesh, operators, notes)?;
        let constraints = if solid.topology().has_ghosts() {
            Some(AssembledBasis::new(solid, &regions, &matrices, notes)?)
        } else {
            None
        };
        let load = self.loads(mesh, &mapping, &tractions)?;
        let force = total(load.as_deref().unwrap_or_default())?;
        let count = counted(matrices.len(), "matrix");
        notes.status("Assembled", format!("{count} in {}", since(start)));
        let summary = |(operator, matrix): &(Operator, Matrix)| MatrixSummary {
            name: operator.name(),
            rows: matrix.size(),
            entries: matrix.len(),
        };
        let report = AssembleReport {
            output: String::new(), // without a folder
            vertices: mesh.points.len(),
            samples,
            volume,
            sides: regions.side_count(),
            matrices: matrices.iter().map(summary).collect(),
            force,
            constraints: constraints.as_ref().map(AssembledBasis::summary),
            seconds: 0.0,
        };
        let mut assembly = Assembly { matrices, load, constraints, report };
        if let Some(output) = output {
            self.write(output, &assembly, (mesh, &regions), notes)?;
            assembly.report.output = output.display().to_string();
        }
        assembly.report.seconds = start.elapsed().as_secs_f64();
        Ok(assembly)
    }

    fn write(
        &self,
        output: &Path,
        assembly: &Assembly,
        (mesh, regions): (&SolidMesh, &Regions<'_>),
        notes: &mut dyn Notes,
    ) -> Result<()> {
        let start = Instant::now();
        io::atomic::fill_directory(output, || {
            for (operator, matrix) in &assembly.matrices {
                let name = format!("{}.{}", operator.name(), self.format.ending());
                write_matrix(output.join(name), matrix, self.format, self.compress)?;
            }
            let arrays = assembly.arrays(mesh, regions, notes)?;
            let options = WriteOptions { compress: self.compress, format: None };
            io::write_arrays(output.join("model.npz"), &arrays, options)
        })?;
        let count = counted(assembly.matrices.len(), "matrix");
        notes.status("Wrote", written(output.display(), count, start));
        Ok(())
    }

    /// The operators that are asked for.
    fn operators(&self) -> Vec<Operator> {
        let mass = self.mass.map(|density| Operator::Mass { density });
        let stiffness = self.stiffness.map(|conductivity| Operator::Stiffness { conductivity });
        let elasticity = self.elasticity.map(ElasticConstants::operator);
        [mass, stiffness, elasticity].into_iter().flatten().collect()
    }

    /// The matrices of these operators.
    fn matrices(
        &self,
        mapping: &Mapping<'_>,
        mesh: &SolidMesh,
        mut operators: Vec<Operator>,
        notes: &mut dyn Notes,
    ) -> Result<Vec<(Operator, Matrix)>> {
        // axes differ by cells: a matrix of its own, the last one
        let turned = match (&self.material_axes, operators.last()) {
            (Some(axes), Some(&last)) => Some((axes.turn(&last.into(), mesh)?, last)),
            _ => None,
        };
        operators.truncate(operators.len() - usize::from(turned.is_some()));
        let mut found = Vec::new();
        if !operators.is_empty() {
            found = assembled(self.backend, mapping.quadrature(), mesh, &operators, notes)?;
        }
        if let Some((turned, last)) = turned {
            found.push(assembled_by_cells(self.backend, mapping, mesh, &turned, notes)?);
            operators.push(last);
        }
        Ok(operators.into_iter().zip(found).collect())
    }

    /// The loads, if there are any.
    fn loads(
        &self,
        mesh: &SolidMesh,
        volume: &Mapping<'_>,
        tractions: &[Option<[f64; 3]>],
    ) -> Result<Option<Vec<[f64; 3]>>> {
        if self.load.is_empty() && self.body.is_none() {
            return Ok(None);
        }
        let mut load = vec![[0.0; 3]; mesh.points.len()];
        let mut add = |other: Vec<[f64; 3]>| {
            load.iter_mut().zip(other).for_each(|(to, from)| {
                (0..3).for_each(|d| to[d] += from[d]);
            });
        };
        if !self.load.is_empty() {
            let loaded = |face: u32| tractions[face as usize].is_some();
            let solid = volume.quadrature().solid();
            let boundary = Quadrature::boundary(solid, self.scheme, Want::FIRST, loaded)?;
            let mapping = Mapping::new(&boundary, mesh.controls())?;
            check_points(&jacobians(&mapping)?)?;
            let traction = |face: u32| tractions[face as usize].unwrap_or_default();
            add(surface_load(&mapping, |face, _, _| traction(face))?);
        }
        if let Some(force) = self.body {
            add(body_load(volume, |_| force)?);
        }
        Ok(Some(load))
    }
}

impl Assembly {
    /// What the matrices are of: the points and their loads, the sides and groups; with ghosts the
    /// unknowns, and those that values on sides and groups depend on.
    fn arrays(
        &self,
        mesh: &SolidMesh,
        regions: &Regions<'_>,
        notes: &mut dyn Notes,
    ) -> Result<Vec<Array>> {
        let mut arrays = vec![Array::new("points", 3, mesh.points.as_flattened().to_vec())];
        if let Some(load) = &self.load {
            arrays.push(Array::new("load", 3, load.as_flattened().to_vec()));
        }
        let mut parts: Vec<(String, Vec<u32>)> = Vec::new();
        for side in 0..regions.side_count() {
            parts.push((format!("side/{side}"), regions.find_side(side)?));
        }
        let mut taken = HashSet::new();
        for (group, faces) in regions.whole_groups() {
            let (plain, mut number) = (io::plain_name(group), 1);
            let mut name = plain.clone();
            while !taken.insert(name.to_lowercase()) {
                number += 1;
                name = format!("{plain}_{number}");
            }
            if number > 1 {
                notes.warn(format!("group `{group}` is group/{name} in model.npz: another group has that name there").into());
            }
            parts.push((format!("group/{name}"), faces));
        }
        let solid = regions.solid();
        let topology = solid.topology();
        let ids = |own: Vec<u32>| own.into_iter().map(|v| v as i32).collect::<Vec<i32>>();
        for (name, faces) in parts {
            if let Some(own) = &self.constraints {
                let held = own.basis.held(solid, &faces)?.unknowns;
                arrays.push(Array::new(format!("held/{name}"), 1, ids(held)));
            }
            arrays.push(Array::new(name, 1, ids(face_vertices(topology, &faces))));
        }
        arrays.extend(self.constraints.iter().flat_map(AssembledBasis::arrays));
        Ok(arrays)
    }
}

/// The matrix of an operator with materials by cells: several on the CPU alone.
pub(super) fn assembled_by_cells(
    backend: Choice,
    mapping: &Mapping<'_>,
    mesh: &SolidMesh,
    operators: &CellOperators,
    notes: &mut dyn Notes,
) -> Result<Matrix> {
    if let Some(operator) = operators.uniform() {
        return Ok(assembled(backend, mapping.quadrature(), mesh, &[operator], notes)?.remove(0));
    }
    check_cpu(backend, "materials that differ by cells are assembled")?;
    let (mut done, mut stopped, all) = (0, Ok(()), mapping.quadrature().sample_count());
    let matrix = assemble_by_cells(mapping, operators, |points| {
        done += points;
        if stopped.is_ok() {
            stopped = notes.progress(done, all);
        }
    });
    stopped.and(matrix)
}

/// The matrices of some operators, by the processor chosen.
pub(super) fn assembled(
    backend: Choice,
    quadrature: &Quadrature<'_>,
    mesh: &SolidMesh,
    operators: &[Operator],
    notes: &mut dyn Notes,
) -> Result<Vec<Matrix>> {
    let backend = backend_for(backend, &cost(quadrature, operators), notes)?;
    let (mut done, mut stopped, all) = (0, Ok(()), quadrature.sample_count());
    let progress = |points| {
        done += points;
        if stopped.is_ok() {
            stopped = notes.progress(done, all);
        }
    };
    let controls = mesh.controls();
    let found = assemble_with_progress(&*backend, quadrature, controls, operators, progress);
    stopped.and(found).map(|(matrices, _)| matrices)
}

/// The sum of all loads.
fn total(load: &[[f64; 3]]) -> Result<[f64; 3]> {
    // from 0: an empty sum of floats is -0
    let force = [0, 1, 2].map(|d| load.iter().fold(0.0, |sum, force| sum + force[d]));
    if force.iter().all(|x| x.is_finite()) {
        return Ok(force);
    }
    let [load, body] = ["load", "body"].map(option_name);
    Err(Error::request("the sum of all loads is too large for a number").with_help(message!(
        "give smaller forces (",
        load,
        ", ",
        body,
        "), or the model in other units"
    )))
}

/// Refuses points whose Jacobian is not positive.
pub(super) fn check_points(quality: &Quality) -> Result<()> {
    check_positive(quality).map_err(|refusal| {
        refusal.with_help(message!(
            "fix the control mesh there (",
            Command::Reorient,
            ", if cells are left-handed; ",
            Command::Untangle,
            ")"
        ))
    })
}

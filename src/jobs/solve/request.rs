//! What is asked of a solution.

use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::super::MaterialAxes;
use super::super::evaluate::{EvaluateRequest, LimitCells, SampleRequest};
use crate::assembly::{CellOperators, ElasticConstants, Operator, PartLoad, comma_separated};
use crate::backend::Choice;
use crate::error::IdKind::Cell;
use crate::error::{Error, Result, option, option_name};
use crate::mesh::SolidMesh;
use crate::quadrature::{BoundaryPart, QuadratureScheme};
use crate::topology::NONE;

/// Samples along each axis of a cell of the output.
const SAMPLES: usize = 5;

/// A part of the boundary whose displacement is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartFix {
    /// The part.
    pub part: BoundaryPart,
    /// Displacement along x, y, z; null where it is free.
    pub values: [Option<f64>; 3],
}

/// A number on a part of the boundary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartValue {
    /// The part.
    pub part: BoundaryPart,
    /// The number.
    pub value: f64,
}

/// A force on a part of the boundary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartForce {
    /// The part.
    pub part: BoundaryPart,
    /// The sum of the force over the part.
    pub force: [f64; 3],
}

/// A material of elasticity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElasticMaterial {
    /// The group of cells that it is of; null for all others.
    pub group: Option<String>,
    /// Its constants.
    pub constants: ElasticConstants,
}

/// A material of heat conduction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThermalMaterial {
    /// The group of cells that it is of; null for all others.
    pub group: Option<String>,
    /// Conductivity, > 0.
    pub conductivity: f64,
}

/// A group of cells, if there is one, and numbers: `[GROUP=]NUMBERS`.
fn grouped(text: &str) -> (Option<String>, &str) {
    match text.rsplit_once('=') {
        Some((group, numbers)) => (Some(group.to_owned()), numbers),
        None => (None, text),
    }
}

impl FromStr for ElasticMaterial {
    type Err = String;

    /// As [`ElasticConstants`], or `GROUP=` and such constants.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (group, numbers) = grouped(text);
        Ok(Self { group, constants: numbers.parse()? })
    }
}

impl FromStr for ThermalMaterial {
    type Err = String;

    /// `K` or `GROUP=K`
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (group, numbers) = grouped(text);
        let [conductivity] = comma_separated(numbers)?;
        Ok(Self { group, conductivity })
    }
}

/// A part as command lines write it, commas as in lists.
fn part(text: &str) -> BoundaryPart {
    BoundaryPart::Text(text.replace(r"\,", ","))
}

impl FromStr for PartFix {
    type Err = String;

    /// `PART`, which holds all of it, or `PART=X,Y,Z`, of which some may be empty
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let component = |text: &str| match text.trim() {
            "" => Some(None),
            number => number.parse::<f64>().ok().filter(|x| x.is_finite()).map(Some),
        };
        let values = |text: &str| {
            let values = text.split(',').map(component).collect::<Option<Vec<_>>>()?;
            <[Option<f64>; 3]>::try_from(values).ok()
        };
        // names may hold =
        match text.rsplit_once('=') {
            Some((name, numbers)) if numbers.contains(',') => {
                let values = values(numbers)
                    .filter(|values| values.iter().any(Option::is_some))
                    .ok_or("give PART=X,Y,Z; leave numbers out where it is free: PART=0,,")?;
                Ok(Self { part: part(name), values })
            }
            _ => Ok(Self { part: part(text), values: [Some(0.0); 3] }),
        }
    }
}

impl FromStr for PartValue {
    type Err = String;

    /// `PART=NUMBER`
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (name, number) = text.rsplit_once('=').ok_or("give PART=NUMBER")?;
        let [value] = comma_separated(number)?;
        Ok(Self { part: part(name), value })
    }
}

impl FromStr for PartForce {
    type Err = String;

    /// `PART=FX,FY,FZ`
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let PartLoad { part, traction } = text.parse()?;
        Ok(Self { part, force: traction })
    }
}

/// How the stiffness is multiplied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum OperatorForm {
    /// The matrix where it takes an eighth of the memory or less, else matrix-free
    #[default]
    Auto,
    /// Regular cells by their control points in every product, others by a matrix of theirs
    MatrixFree,
    /// By the assembled matrix: 4 kB an unknown of heat conduction, 9 kB of elasticity
    Matrix,
}

/// What is asked of a solution: linear elasticity or heat conduction, at rest. Parts are sides, by
/// number, or groups of faces, by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct SolveRequest {
    /// Where the quadrature points are.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub scheme: QuadratureScheme,
    /// Solve linear elasticity, with Young's modulus (force per area) and Poisson's ratio, or of an
    /// orthotropic material E1,E2,E3,G12,G23,G13,NU12,NU23,NU13, where NUij is the contraction along j
    /// under stress along i; of a group of cells alone GROUP=E,NU, which may be repeated
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "[GROUP=]E,NU", allow_hyphen_values = true)
    )]
    pub elasticity: Vec<ElasticMaterial>,
    /// Axes of orthotropic materials, by default x, y, z: attributes of vertices or cells with vectors
    /// along axis 1, and in the plane of axes 1 and 2; a cell has the mean over its vertices
    #[cfg_attr(feature = "cli", arg(long, value_name = "ATTR1,ATTR2"))]
    pub material_axes: Option<MaterialAxes>,
    /// Solve heat conduction, with this conductivity (power per length and temperature); of a group
    /// of cells alone GROUP=K, which may be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "[GROUP=]K", allow_hyphen_values = true))]
    pub heat: Vec<ThermalMaterial>,
    /// Hold a part, or give it this displacement; components that are left out are free: PART=0,,
    /// holds x alone. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "PART[=X,Y,Z]", allow_hyphen_values = true)
    )]
    pub fix: Vec<PartFix>,
    /// Keep a part at a temperature; may be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART=T", allow_hyphen_values = true))]
    pub temperature: Vec<PartValue>,
    /// Force per unit area on a part; may be repeated, and forces on the same faces add up
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            visible_alias = "traction",
            value_name = "PART=FX,FY,FZ",
            allow_hyphen_values = true
        )
    )]
    pub load: Vec<PartLoad>,
    /// Force on a part as a whole, spread evenly over its area; may be repeated
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "PART=FX,FY,FZ", allow_hyphen_values = true)
    )]
    pub total_force: Vec<PartForce>,
    /// Pressure on a part: force per unit area against its outward normal; may be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART=P", allow_hyphen_values = true))]
    pub pressure: Vec<PartValue>,
    /// Force per unit volume
    #[cfg_attr(feature = "cli", arg(long, value_name = "FX,FY,FZ", allow_hyphen_values = true,
                                    value_parser = comma_separated::<3>))]
    pub body: Option<[f64; 3]>,
    /// Heat that flows into a part: power per unit area; may be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART=Q", allow_hyphen_values = true))]
    pub flux: Vec<PartValue>,
    /// Heat that is produced: power per unit volume
    #[cfg_attr(feature = "cli", arg(long, value_name = "Q", allow_hyphen_values = true))]
    pub source: Option<f64>,
    /// Error of the solution of the linear system, in the norm of the energy, as a part of the
    /// solution: from 1e-14 to 0.1
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART", default_value = "1e-10"))]
    pub tolerance: f64,
    /// How the stiffness is multiplied
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub operator: OperatorForm,
    /// Processor of the operator: auto (of a matrix the fastest for this job, else the CPU), cpu, cuda
    /// or cuda:N; they are equal up to rounding
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
    /// N x N x N samples per cell of the output, end points included, N from 2 to 64 [default: 5]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", requires = "output"))]
    pub samples: Option<usize>,
    /// Cells of the output [default: hexahedra]
    #[cfg_attr(feature = "cli", arg(long, value_enum, requires = "output"))]
    pub cells: Option<LimitCells>,
    /// Compress .vtu, .pvtu and .npz
    #[cfg_attr(feature = "cli", arg(long))]
    pub compress: bool,
    /// File to write the limit to, with the results as attributes: .vtu, .pvtu, .vtk, .csv or .npz
    #[cfg_attr(feature = "cli", arg(long, short, value_name = "OUT"))]
    pub output: Option<PathBuf>,
}

impl Default for SolveRequest {
    fn default() -> Self {
        Self {
            scheme: QuadratureScheme::default(),
            elasticity: Vec::new(),
            material_axes: None,
            heat: Vec::new(),
            fix: Vec::new(),
            temperature: Vec::new(),
            load: Vec::new(),
            total_force: Vec::new(),
            pressure: Vec::new(),
            body: None,
            flux: Vec::new(),
            source: None,
            tolerance: 1e-10,
            operator: OperatorForm::default(),
            backend: Choice::default(),
            samples: None,
            cells: None,
            compress: false,
            output: None,
        }
    }
}

impl SolveRequest {
    /// Checks the options by themselves, and the output.
    ///
    /// # Errors
    /// [`Error::Request`] for numbers out of range, options of another problem, where nothing is
    /// asked for, held or loaded; as [`EvaluateRequest::check`] of the output.
    pub fn check(&self) -> Result<()> {
        self.scheme.check()?;
        let materials = self.materials()?;
        materials.iter().try_for_each(|(_, operator)| operator.check())?;
        if let Some(axes) = &self.material_axes {
            axes.check(materials.iter().map(|(_, operator)| *operator))?;
        }
        let elastic = [
            (!self.fix.is_empty(), "fix"),
            (!self.load.is_empty(), "load"),
            (!self.total_force.is_empty(), "total_force"),
            (!self.pressure.is_empty(), "pressure"),
            (self.body.is_some(), "body"),
        ];
        let thermal = [
            (!self.temperature.is_empty(), "temperature"),
            (!self.flux.is_empty(), "flux"),
            (self.source.is_some(), "source"),
        ];
        let (own, others, problem) = if materials[0].1.is_elastic() {
            (&elastic[..], &thermal[..], "heat")
        } else {
            (&thermal[..], &elastic[..], "elasticity")
        };
        if let Some((_, name)) = others.iter().find(|(is_given, _)| *is_given) {
            let name = option_name(name);
            return Err(Error::request(message!(name.clone(), " is for ", option_name(problem)))
                .with_help(message!("leave ", name, " out")));
        }
        let (holds, loads) = (own[0], &own[1..]);
        let moves = self.fix.iter().flat_map(|fix| fix.values).flatten().any(|x| x != 0.0);
        if !holds.0 {
            let example = if holds.1 == "fix" { "PART" } else { "PART=T" };
            return Err(Error::request("nothing holds the solution")
                .with_help(message!("give ", option(holds.1, example))));
        }
        let is_loaded = loads.iter().any(|(is_given, _)| *is_given);
        if holds.1 == "fix" && !is_loaded && !moves {
            let [load, force, pressure, body] =
                ["load", "total_force", "pressure", "body"].map(option_name);
            return Err(Error::request("nothing to solve: no load and no displacement")
                .with_help(message!("give ", load, ", ", force, ", ", pressure, " or ", body)));
        }
        if !(1e-14..=0.1).contains(&self.tolerance) {
            return Err(Error::request(message!(
                option("tolerance", self.tolerance),
                " is out of range"
            ))
            .with_help("give a number from 1e-14 to 0.1"));
        }
        let Some(evaluation) = self.evaluation() else { return Ok(()) };
        if evaluation.is_of_boundary() {
            return Err(Error::request("a .glb is written of the control mesh with the results")
                .with_help("end the name of the output in .vtu"));
        }
        evaluation.check(&mut ())
    }

    /// Groups of cells, or none for all others, and their operators: at least one.
    fn materials(&self) -> Result<Vec<(Option<&str>, Operator)>> {
        let elastic =
            self.elasticity.iter().map(|own| (own.group.as_deref(), own.constants.operator()));
        let thermal = self.heat.iter().map(|own| {
            let conductivity = own.conductivity;
            (own.group.as_deref(), Operator::Stiffness { conductivity })
        });
        match (self.elasticity.is_empty(), self.heat.is_empty()) {
            (false, true) => Ok(elastic.collect()),
            (true, false) => Ok(thermal.collect()),
            (neither, _) => {
                let what = if neither { "nothing to solve" } else { "two problems at once" };
                let (elasticity, heat) = (option("elasticity", "E,NU"), option("heat", "K"));
                Err(Error::request(what).with_help(message!("give ", elasticity, " or ", heat)))
            }
        }
    }

    /// The operators of the cells of a mesh.
    ///
    /// # Errors
    /// [`Error::Request`] for groups and attributes that the mesh does not have, cells without a
    /// material, cells with two, and cells without axes.
    pub fn operators(&self, mesh: &SolidMesh) -> Result<CellOperators> {
        let operators = self.operators_along_model(mesh)?;
        match &self.material_axes {
            Some(axes) => axes.turn(&operators, mesh),
            None => Ok(operators),
        }
    }

    /// The same along x, y, z.
    fn operators_along_model(&self, mesh: &SolidMesh) -> Result<CellOperators> {
        let materials = self.materials()?;
        if let [(None, operator)] = materials[..] {
            return Ok(operator.into());
        }
        let mut of_cells = vec![NONE; mesh.cells.len()];
        for (number, (group, _)) in (0..).zip(&materials) {
            let Some(group) = group else { continue };
            for cell in mesh.cell_group(group)?.members() {
                let own = &mut of_cells[cell as usize];
                if *own != NONE && *own != number {
                    return Err(Error::request(message!(Cell.id(cell), " has two materials"))
                        .with_help("give groups of cells that do not overlap"));
                }
                *own = number;
            }
        }
        for (number, _) in (0..).zip(&materials).filter(|(_, (group, _))| group.is_none()) {
            of_cells.iter_mut().filter(|own| **own == NONE).for_each(|own| *own = number);
        }
        // ghosts are no part of the solid, whatever they are of
        let ghosts = (0..).zip(mesh.ghosts()).filter(|(_, is_ghost)| *is_ghost);
        ghosts.for_each(|(cell, _): (usize, _)| of_cells[cell] = 0);
        if let Some(cell) = of_cells.iter().position(|&own| own == NONE) {
            return Err(Error::request(message!(Cell.id(cell as u32), " has no material"))
                .with_help("give one without a group, for all other cells"));
        }
        Ok(CellOperators::new(materials.into_iter().map(|(_, own)| own).collect(), of_cells))
    }

    /// The evaluation of the limit that is written, if one is.
    pub(super) fn evaluation(&self) -> Option<EvaluateRequest> {
        let output = self.output.clone()?;
        let is_cubic = matches!(self.cells, Some(LimitCells::Bezier | LimitCells::Lagrange));
        let samples = self.samples.or((!is_cubic).then_some(SAMPLES));
        Some(EvaluateRequest {
            places: SampleRequest { samples, ..SampleRequest::default() },
            cells: self.cells,
            compress: self.compress,
            output: Some(output),
            ..EvaluateRequest::default()
        })
    }
}

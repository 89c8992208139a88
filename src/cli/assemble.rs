//! `subsolid assemble`

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use subsolid::assembly::{
    Matrix, MatrixFormat, Operator, assemble_on, assemble_with_progress, body_load, check_memory,
    cost, surface_load, write_matrix,
};
use subsolid::backend::{Choice, start};
use subsolid::io::{self, Array, WriteOptions};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::numbers::counted;
use subsolid::plan::Want;
use subsolid::quadrature::{
    DEFAULT_GAUSS, LEFT_HANDED, Mapping, PhysicalQuadrature, Quadrature, QuadratureScheme, Regions,
    Report, check_positive, face_vertices, jacobians, side_vertices,
};
use subsolid::scheme::VertexRule;
use subsolid::volume::Quality;
use subsolid::{Error, Result};

use super::console::since;
use super::json::JsonReport;
use super::model::ModelArguments;
use super::processor::gpu_for;
use super::quadrature::warn_of_points;
use super::{Console, Outcome};

/// Write finite element matrices and load vectors: mass, stiffness, elasticity
///
/// Unknowns are the vertices of the control mesh; those of elasticity 3 v + d, displacement d of
/// vertex v. Sides are the parts of the boundary between infinitely sharp edges, as
/// `subsolid quadrature --boundary` numbers them; groups of faces have the names that the file
/// gives them. The folder gets mass, stiffness, elasticity (.npz or .mtx) and model.npz: points,
/// load (vertices, 3), and the vertices of each side and of each group of faces.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid assemble part.vtk --stiffness --mass -o heat
  subsolid assemble beam.vtk --crease-angle 40 --elasticity 210e9,0.3 --load 5=0,0,-1e5 -o beam
  subsolid assemble part.vtk --elasticity 70e9,0.33 --body 0,0,-26500 --format mtx -o part")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    /// Gauss points along each axis of a box, 1 to 32
    #[arg(long, value_name = "N", default_value_t = DEFAULT_GAUSS)]
    gauss: usize,
    /// Rings of boxes toward an extraordinary edge or vertex, 0 to 20; by default, as many as
    /// integrals accurate to 4e-9 need
    #[arg(long, value_name = "K")]
    rings: Option<usize>,
    /// Write the mass matrix, with this density, or 1
    #[arg(long, value_name = "RHO", num_args = 0..=1, require_equals = true,
          default_missing_value = "1")]
    mass: Option<f64>,
    /// Write the stiffness matrix of Poisson's equation, with this conductivity, or 1
    #[arg(long, value_name = "K", num_args = 0..=1, require_equals = true,
          default_missing_value = "1")]
    stiffness: Option<f64>,
    /// Write the matrix of linear elasticity, with Young's modulus and Poisson's ratio
    #[arg(long, value_name = "E,NU", allow_hyphen_values = true)]
    elasticity: Option<CommaSeparated<2>>,
    /// Force per unit area on a side, given by number, or on a group of faces, given by name; may
    /// be repeated, and forces on the same faces add up
    #[arg(long, value_name = "PART=FX,FY,FZ", allow_hyphen_values = true)]
    load: Vec<PartLoad>,
    /// Force per unit volume
    #[arg(long, value_name = "FX,FY,FZ", allow_hyphen_values = true)]
    body: Option<CommaSeparated<3>>,
    /// Format of the matrices
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Compress .npz files
    #[arg(long)]
    compress: bool,
    /// Processor of the matrices: auto (the fastest for this job), cpu, cuda or cuda:N; they
    /// are equal up to rounding
    #[arg(long, value_name = "NAME", default_value = "auto")]
    backend: Choice,
    /// Folder to write to
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
enum Format {
    /// Compressed sparse rows for scipy.sparse.load_npz
    #[default]
    Npz,
    /// Matrix Market: the lower triangle as text
    Mtx,
}

impl Format {
    fn ending(self) -> &'static str {
        match self {
            Self::Npz => "npz",
            Self::Mtx => "mtx",
        }
    }
}

/// Numbers with commas between them.
#[derive(Clone, Copy)]
struct CommaSeparated<const N: usize>([f64; N]);

impl<const N: usize> FromStr for CommaSeparated<N> {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let numbers: Vec<f64> = text
            .split(',')
            .map(|number| number.trim().parse::<f64>().ok().filter(|x| x.is_finite()))
            .collect::<Option<_>>()
            .ok_or(format!("give {N} numbers with commas between them"))?;
        let count = numbers.len();
        numbers
            .try_into()
            .map(Self)
            .map_err(|_| format!("{} instead of {N}", counted(count, "number")))
    }
}

/// A traction on a side or group.
#[derive(Clone)]
struct PartLoad {
    part: String,
    traction: [f64; 3],
}

impl FromStr for PartLoad {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        // names may hold =; commas may be written as in lists
        let (part, numbers) = text.rsplit_once('=').ok_or("give PART=FX,FY,FZ")?;
        Ok(Self {
            part: part.replace(r"\,", ","),
            traction: numbers.parse::<CommaSeparated<3>>()?.0,
        })
    }
}

#[derive(Serialize, JsonSchema)]
pub struct AssemblySummary {
    /// Folder with the matrices.
    output: String,
    /// Number of control points, which are the unknowns of the matrices.
    vertices: usize,
    /// Number of quadrature points.
    samples: usize,
    /// Volume by quadrature, in cubed length units.
    volume: f64,
    /// Number of sides: parts of the boundary between infinitely sharp edges.
    sides: usize,
    /// The matrices that were written.
    matrices: Vec<MatrixSummary>,
    /// Sum of all loads.
    force: [f64; 3],
    /// Duration of the whole job, in seconds.
    seconds: f64,
}

impl JsonReport for AssemblySummary {
    const SCHEMA: &'static str = "subsolid.assemble/1";
}

#[derive(Serialize, JsonSchema)]
struct MatrixSummary {
    /// Its name in the file.
    name: &'static str,
    /// Number of rows of the matrix.
    rows: usize,
    /// Number of stored entries.
    entries: usize,
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let a = &arguments;
    let scheme = QuadratureScheme { gauss: a.gauss, rings: a.rings };
    scheme.check()?;
    let operators = a.operators();
    if operators.is_empty() && a.load.is_empty() && a.body.is_none() {
        return Err(Error::request("nothing to assemble")
            .with_help("give --mass, --stiffness, --elasticity E,NU, --load or --body"));
    }
    if operators.is_empty() && a.format != Format::default() {
        return Err(Error::request("--format is for matrices")
            .with_help("leave --format out, or give --mass, --stiffness or --elasticity"));
    }
    operators.iter().copied().try_for_each(Operator::check)?;
    a.check_folder(&operators)?;
    let _starting = start(a.backend)?;
    let mesh = a.model.load(a.levels, VertexRule::default(), console)?;
    let start = Instant::now();
    let solid = a.model.analyze(&mesh, console)?;
    let regions = Regions::new(solid.topology(), &mesh)?;
    let tractions = a.tractions(&regions)?;
    Quadrature::check_memory(&solid, scheme, Want::FIRST)?;
    warn_of_points(&solid, scheme, console);
    let quadrature =
        console.during("Preparing", || Quadrature::new(&solid, scheme, Want::FIRST))?;
    check_memory(&quadrature, &operators)?;
    let mapping = Mapping::new(&quadrature, mesh.controls())?;
    let report = console.during("Integrating", || Report::new(&mapping))?;
    check_points(&report.quality)?;
    if report.left_handed {
        console.warn(LEFT_HANDED);
    }
    let matrices = a.matrices(&mapping, &mesh, &operators, console)?;
    let load = a.loads(&mesh, &solid, &mapping, &tractions, scheme)?;
    let force = total(load.as_deref().unwrap_or_default())?;
    let count = counted(matrices.len(), "matrix");
    console.status("Assembled", format!("{count} in {}", since(start)));

    let writing = Instant::now();
    io::atomic::fill_directory(&a.output, || {
        a.write_matrices(&operators, &matrices)?;
        a.write_model(&mesh, &solid, &load, &regions, console)
    })?;
    console.wrote(a.output.display(), count, writing);
    let named = operators.iter().zip(&matrices);
    let summary = AssemblySummary {
        output: a.output.display().to_string(),
        vertices: mesh.points.len(),
        samples: report.samples,
        volume: report.volume,
        sides: regions.side_count(),
        matrices: named
            .map(|(operator, m)| MatrixSummary {
                name: operator.name(),
                rows: m.size(),
                entries: m.len(),
            })
            .collect(),
        force,
        seconds: start.elapsed().as_secs_f64(),
    };
    console.report_json(&summary)?;
    Ok(Outcome::Done)
}

/// The sum of all loads.
fn total(load: &[[f64; 3]]) -> Result<[f64; 3]> {
    // from 0: an empty sum of floats is -0
    let force = [0, 1, 2].map(|d| load.iter().fold(0.0, |sum, force| sum + force[d]));
    if force.iter().all(|x| x.is_finite()) {
        return Ok(force);
    }
    Err(Error::request("the sum of all loads is too large for a number")
        .with_help("give smaller forces (--load, --body), or the model in other units"))
}

impl Arguments {
    /// The operators that are asked for.
    fn operators(&self) -> Vec<Operator> {
        let mass = self.mass.map(|density| Operator::Mass { density });
        let stiffness = self.stiffness.map(|conductivity| Operator::Stiffness { conductivity });
        let elasticity = self
            .elasticity
            .map(|CommaSeparated([young, poisson])| Operator::Elasticity { young, poisson });
        [mass, stiffness, elasticity].into_iter().flatten().collect()
    }

    /// Refuses the name of a file, and a folder with matrices that this job does not write again:
    /// they would stand beside those of another model.
    fn check_folder(&self, operators: &[Operator]) -> Result<()> {
        let endings = [Format::Npz, Format::Mtx].map(Format::ending);
        let is_file = self.output.extension().is_some_and(|own| endings.iter().any(|e| own == *e));
        if is_file && !self.output.is_dir() {
            return Err(Error::file(&self.output, None, "matrices are files in a folder")
                .with_help("give the name of a folder, without .npz or .mtx"));
        }
        io::atomic::check_directory(&self.output)?;
        let written = |name: &str, ending: &str| {
            ending == self.format.ending() && operators.iter().any(|own| own.name() == name)
        };
        for name in Operator::NAMES {
            for ending in endings {
                let path = self.output.join(format!("{name}.{ending}"));
                if !written(name, ending) && path.exists() {
                    return Err(Error::file(&path, None, "is a matrix of a different job")
                        .with_help("remove it, or give another folder"));
                }
            }
        }
        Ok(())
    }

    /// The force on an area unit of each face: the sum of those of its parts.
    fn tractions(&self, regions: &Regions) -> Result<Vec<Option<[f64; 3]>>> {
        let mut tractions = vec![None; regions.sides().len()];
        for PartLoad { part, traction } in &self.load {
            for face in regions.find(part)? {
                let sum = tractions[face as usize].get_or_insert([0.0; 3]);
                (0..3).for_each(|d| sum[d] += traction[d]);
            }
        }
        Ok(tractions)
    }

    /// The matrices, by the processor chosen.
    fn matrices(
        &self,
        mapping: &Mapping<'_>,
        mesh: &SolidMesh,
        operators: &[Operator],
        console: &Console,
    ) -> Result<Vec<Matrix>> {
        let quadrature = mapping.quadrature();
        let gpu = gpu_for(self.backend, &cost(quadrature, operators), console)?;
        let Some(device) = gpu.as_ref().and_then(|gpu| gpu.device()) else {
            let bar = console.bar(quadrature.sample_count());
            let matrices =
                assemble_with_progress(mapping, operators, |points| bar.inc(points as u64));
            bar.finish_and_clear();
            return matrices;
        };
        Ok(assemble_on(device, quadrature, mesh.controls(), operators)?.0)
    }

    /// The loads, if there are any.
    fn loads(
        &self,
        mesh: &SolidMesh,
        solid: &Solid,
        volume: &dyn PhysicalQuadrature<'_>,
        tractions: &[Option<[f64; 3]>],
        scheme: QuadratureScheme,
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
            let boundary = Quadrature::boundary(solid, scheme, Want::FIRST, loaded)?;
            let mapping = Mapping::new(&boundary, mesh.controls())?;
            check_points(&jacobians(&mapping)?)?;
            let traction = |face: u32| tractions[face as usize].unwrap_or_default();
            add(surface_load(&mapping, |face, _, _| traction(face))?);
        }
        if let Some(CommaSeparated(force)) = self.body {
            add(body_load(volume, |_| force)?);
        }
        Ok(Some(load))
    }

    /// Writes a file for each matrix.
    fn write_matrices(&self, operators: &[Operator], matrices: &[Matrix]) -> Result<()> {
        let format = match self.format {
            Format::Npz => MatrixFormat::Npz,
            Format::Mtx => MatrixFormat::MatrixMarket,
        };
        let ending = self.format.ending();
        for (operator, matrix) in operators.iter().zip(matrices) {
            let path = self.output.join(format!("{}.{ending}", operator.name()));
            write_matrix(path, matrix, format, self.compress)?;
        }
        Ok(())
    }

    /// Writes what the matrices are of: the points and their loads, the sides and groups.
    fn write_model(
        &self,
        mesh: &SolidMesh,
        solid: &Solid,
        load: &Option<Vec<[f64; 3]>>,
        regions: &Regions,
        console: &Console,
    ) -> Result<()> {
        let mut arrays = vec![Array::new("points", 3, mesh.points.as_flattened().to_vec())];
        if let Some(load) = load {
            arrays.push(Array::new("load", 3, load.as_flattened().to_vec()));
        }
        let topology = solid.topology();
        let ids = |own: Vec<u32>| own.into_iter().map(|v| v as i32).collect::<Vec<i32>>();
        let sides = side_vertices(topology, regions.sides(), regions.side_count());
        for (side, own) in sides.into_iter().enumerate() {
            arrays.push(Array::new(format!("side/{side}"), 1, ids(own)));
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
                console.warn(format!("group `{group}` is group/{name} in model.npz: another group has that name there"));
            }
            let name = format!("group/{name}");
            arrays.push(Array::new(name, 1, ids(face_vertices(topology, &faces))));
        }
        self.write_arrays(&self.output.join("model.npz"), &arrays)
    }

    fn write_arrays(&self, path: &Path, arrays: &[Array]) -> Result<()> {
        io::write_arrays(path, arrays, WriteOptions { compress: self.compress })
    }
}

/// Refuses points whose Jacobian is not positive.
fn check_points(quality: &Quality) -> Result<()> {
    check_positive(quality).map_err(|refusal| {
        refusal.with_help(
            "fix the control mesh there (refine --reorient, if cells are left-handed; untangle)",
        )
    })
}

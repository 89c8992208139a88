//! Distances of vertices: through the volume of a solid, or along a surface.
//!
//! ```
//! use subsolid::jobs::distance::DistanceRequest;
//! use subsolid::mesh::shape::Shape;
//!
//! let mesh = Shape::Box { cells: [4, 4, 4] }.build()?;
//! let request = DistanceRequest::default(); // to the boundary
//! let target = request.target(&mesh)?;
//! let found = request.run_solid(&mesh, &target, &mut ())?;
//! assert_eq!((found.report.targets, found.report.greatest), (98, 2.0));
//! # Ok::<(), subsolid::Error>(())
//! ```

use std::str::FromStr;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::processor::{check_cpu, refuse_options, surface_processor};
use super::{Notes, since};
use crate::backend::Choice;
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result, option};
use crate::mesh::{Creases, SolidMesh, SurfaceMesh};
use crate::numbers::{counted, significant};
use crate::process::solid::{
    Seed, boundary_patches, boundary_seeds, crease_seeds, group_seeds, point_seeds, volume_distance,
};
use crate::process::surface::{DistanceMethod, missing_distances};
use crate::refine::{check_memory, refine_mesh, refined_marks};
use crate::scheme::VertexRule;

/// What distances are measured to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DistanceTarget {
    /// The boundary of a solid.
    #[default]
    Boundary,
    /// Its sharp edges and vertices.
    Creases,
    /// Vertices.
    Vertices(Vec<u32>),
    /// Parts of the boundary around vertices, as creases bound them.
    Patches(Vec<u32>),
    /// Named faces and cells.
    Group(String),
    /// A point in space.
    Point([f64; 3]),
    /// Vertices where an attribute is not 0, and the edges, faces and cells between them.
    Attribute(String),
}

impl FromStr for DistanceTarget {
    type Err = String;

    /// `boundary`, `creases`, `vertex:IDS`, `patch:IDS`, `group:NAME`, `point:x,y,z` or
    /// `attribute:NAME`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "give boundary, creases, vertex:IDS, patch:IDS, group:NAME, point:x,y,z or \
             attribute:NAME"
                .to_string()
        };
        fn list<T: FromStr>(text: &str) -> Option<Vec<T>> {
            text.split(',').map(|word| word.trim().parse().ok()).collect()
        }
        match text.split_once(':') {
            None if text == "boundary" => Ok(Self::Boundary),
            None if text == "creases" => Ok(Self::Creases),
            Some(("vertex", ids)) => {
                let mut ids: Vec<u32> = list(ids).ok_or_else(wrong)?;
                ids.sort_unstable();
                ids.dedup();
                Ok(Self::Vertices(ids))
            }
            Some(("patch", ids)) => list(ids).map(Self::Patches).ok_or_else(wrong),
            Some(("group", name)) if !name.is_empty() => Ok(Self::Group(name.into())),
            Some(("point", point)) => {
                let point = list(point).and_then(|x| <[f64; 3]>::try_from(x).ok());
                point.map(Self::Point).ok_or_else(wrong)
            }
            Some(("attribute", name)) if !name.is_empty() => Ok(Self::Attribute(name.into())),
            _ => Err(wrong()),
        }
    }
}

/// What is asked of distances.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct DistanceRequest {
    /// What distances are measured to: vertex:17,42 (on a surface, nothing else; there it must be
    /// given); in solids also boundary, creases, patch:17 (the part of the boundary around
    /// vertices, as creases bound it), group:NAME (named faces and cells of the file), point:x,y,z
    /// and attribute:NAME (vertices where it is not 0, and the edges, faces and cells between
    /// them). With --levels, creases and marks are those of the mesh before it is refined
    #[cfg_attr(feature = "cli", arg(long, value_name = "TARGET", default_value = "boundary"))]
    pub to: DistanceTarget,
    /// Refine a solid this many times first: errors fall with the size of cells
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 0))]
    pub levels: usize,
    /// How distances on surfaces are found
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub method: DistanceMethod,
    /// Processor of a surface: auto (the fastest for this job), cpu, cuda or cuda:N; distances
    /// are equal up to rounding
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct DistanceReport {
    /// Number of vertices that distances are measured from.
    pub targets: usize,
    /// Greatest distance, in length units.
    pub greatest: f64,
}

/// Distances.
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    /// \[vertex\]: distance in length units, NaN at vertices of a surface that are of no face.
    pub values: Vec<f64>,
    /// What was measured.
    pub report: DistanceReport,
}

/// What of a target is to be found before refinement, which spreads marks and uses creases up.
#[derive(Clone, Debug)]
pub struct MarkedTarget {
    // [vertex of the refined mesh], of attributes
    marks: Vec<bool>,
    // of the refined mesh, unless they are its own
    creases: Option<Creases>,
}

impl DistanceRequest {
    /// Checks the options for a solid.
    ///
    /// # Errors
    /// [`Error::Request`] for a method of surfaces, and a GPU.
    pub fn check_solid(&self) -> Result<()> {
        if self.method != DistanceMethod::Heat {
            return Err(Error::request(message!(
                option("method", "toplesets"),
                " is for surfaces of triangles"
            ))
            .with_help("omit it for solids"));
        }
        check_cpu(self.backend, "distances through solids are found")
    }

    /// Checks the options for a surface, and returns the vertices to measure to.
    ///
    /// # Errors
    /// [`Error::Request`] for levels, and targets other than vertices.
    pub fn check_surface(&self) -> Result<&[u32]> {
        refuse_options(&[(self.levels > 0, "levels")], "solids")?;
        let DistanceTarget::Vertices(sources) = &self.to else {
            return Err(Error::request("on a surface, distances are measured to vertices only")
                .with_help(message!("give ", option("to", "vertex:17,42"))));
        };
        Ok(sources)
    }

    /// What of the target is to be found on the mesh before it is refined.
    ///
    /// # Errors
    /// [`Error::Request`] for an attribute that does not exist or is NaN, another number of marks
    /// than vertices, and levels that would fill the memory; [`Error::Mesh`] for a defect of the
    /// mesh or its creases.
    pub fn target(&self, mesh: &SolidMesh) -> Result<MarkedTarget> {
        let marks = match &self.to {
            DistanceTarget::Attribute(name) => {
                refined_marks(mesh, marks(mesh, name)?, self.levels)?
            }
            _ => Vec::new(),
        };
        Ok(MarkedTarget { marks, creases: self.lasting_creases(mesh)? })
    }

    /// Distances of the vertices of a solid through the volume of its control mesh, around holes.
    /// `mesh` is refined [`levels`](Self::levels) times, `target` is
    /// [the mesh before](Self::target).
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Request`] for an attribute that does not exist
    /// or is NaN.
    pub fn run_solid(
        &self,
        mesh: &SolidMesh,
        target: &MarkedTarget,
        notes: &mut dyn Notes,
    ) -> Result<Distances> {
        self.check_solid()?;
        let mesh = &*mesh.without_ghosts();
        let seeds = match &target.creases {
            Some(creases) => {
                let sharp = SolidMesh { creases: creases.clone(), ..mesh.clone() };
                self.seeds(&sharp, target, notes)?
            }
            None => self.seeds(mesh, target, notes)?,
        };
        let start = Instant::now();
        notes.begin("Measuring");
        let values = volume_distance(mesh, &seeds)?;
        Ok(Distances::of(values, seeds.len(), start, notes))
    }

    /// Distances of the vertices of a surface along its triangles.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Request`] for levels, and targets other than
    /// vertices.
    pub fn run_surface(&self, mesh: &SurfaceMesh, notes: &mut dyn Notes) -> Result<Distances> {
        let sources = self.check_surface()?;
        let job = (self.method.into(), 1);
        let mut processor = surface_processor(mesh, self.backend, job, notes)?;
        let start = Instant::now();
        notes.begin("Measuring");
        let values = processor.distance(self.method, sources)?;
        if let Some(notice) = missing_distances(&values) {
            notes.warn(notice.into());
        }
        Ok(Distances::of(values, sources.len(), start, notes))
    }

    /// The creases of the refined mesh if none were used up by its refinement; `None` if the target
    /// is not a matter of creases, or the mesh has them all.
    fn lasting_creases(&self, mesh: &SolidMesh) -> Result<Option<Creases>> {
        let is_used_up = |sharpness: f64| sharpness > 0.0 && sharpness <= self.levels as f64;
        let Creases { edges, corners } = &mesh.creases;
        let mut sharpness =
            edges.iter().map(|e| e.sharpness).chain(corners.iter().map(|c| c.sharpness));
        if !matches!(self.to, DistanceTarget::Creases | DistanceTarget::Patches(_))
            || !sharpness.any(is_used_up)
        {
            return Ok(None);
        }
        let mut sharp = mesh.clone();
        let make_sharp = |sharpness: &mut f64| {
            if *sharpness > 0.0 {
                *sharpness = f64::INFINITY;
            }
        };
        sharp.creases.edges.iter_mut().for_each(|edge| make_sharp(&mut edge.sharpness));
        sharp.creases.corners.iter_mut().for_each(|corner| make_sharp(&mut corner.sharpness));
        check_memory(&sharp, self.levels)?;
        Ok(Some(refine_mesh(&sharp, self.levels, VertexRule::default())?.creases))
    }

    /// The vertices of the target.
    fn seeds(
        &self,
        mesh: &SolidMesh,
        target: &MarkedTarget,
        notes: &mut dyn Notes,
    ) -> Result<Vec<Seed>> {
        match &self.to {
            DistanceTarget::Boundary => boundary_seeds(mesh),
            DistanceTarget::Creases => crease_seeds(mesh),
            DistanceTarget::Vertices(vertices) => {
                Ok(vertices.iter().copied().map(Seed::on).collect())
            }
            DistanceTarget::Patches(vertices) => boundary_patches(mesh, vertices),
            DistanceTarget::Group(name) => group_seeds(mesh, name),
            DistanceTarget::Point(point) => {
                let (seeds, place) = point_seeds(mesh, *point)?;
                place.notice(*point).into_iter().for_each(|notice| notes.warn(notice.into()));
                Ok(seeds)
            }
            DistanceTarget::Attribute(_) => {
                let marked = (0..).zip(&target.marks).filter(|(_, marked)| **marked);
                Ok(marked.map(|(v, _)| Seed::on(v)).collect())
            }
        }
    }
}

impl Distances {
    fn of(values: Vec<f64>, targets: usize, start: Instant, notes: &mut dyn Notes) -> Self {
        let greatest = values.iter().copied().fold(0.0, f64::max);
        let (count, to) = (counted(values.len(), "distance"), counted(targets, "vertex"));
        let most = significant(greatest);
        notes.status("Measured", format!("{count} to {to}, at most {most}, in {}", since(start)));
        Self { values, report: DistanceReport { targets, greatest } }
    }
}

/// Which vertices an attribute marks: those where it is not 0.
fn marks(mesh: &SolidMesh, name: &str) -> Result<Vec<bool>> {
    let attribute = &mesh.attributes[mesh.attribute_index(name)?];
    let rows = attribute.values.chunks_exact(attribute.width.max(1));
    if let Some(v) = rows.clone().position(|row| row.iter().any(|x| x.is_nan())) {
        return Err(Error::request(message!("attribute \"{name}\" is NaN at ", Vertex.id(v)))
            .with_help("mark target vertices by a nonzero number, and all others by 0"));
    }
    Ok(rows.map(|row| row.iter().any(|&x| x != 0.0)).collect())
}

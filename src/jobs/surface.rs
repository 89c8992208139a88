//! Refines a surface, to its limit if asked for.

use std::time::Instant;

use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};

use super::processor::say_chosen;
use super::{Notes, since};
use crate::backend::{Backend, Choice, Cpu, Precision, Processor, Strategy, SurfaceRefiner};
use crate::error::{Error, Result, option, option_name};
use crate::mesh::{CreaseRule, LinearInterpolation, SurfaceMesh, TriangleRule};
use crate::numbers::counted;
use crate::scheme::Split;
use crate::surface::limit::{PatchCounts, check_valences};
use crate::surface::{
    Method, Scheme, SurfaceOptions, SurfacePlan, adaptive_limits, check_ids, check_memory,
    duplicate_triangles,
};

/// How points are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceMethod {
    /// Spline patches, refined around features only; for the limit.
    Adaptive,
    /// By a method of refinement.
    #[serde(untagged)]
    Of(Method),
}

impl std::str::FromStr for SurfaceMethod {
    type Err = serde::de::value::Error;

    /// `auto`, `matrix`, `edge-friend`, `single`, `static` or `adaptive`.
    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        match text {
            "adaptive" => Ok(Self::Adaptive),
            name => Method::deserialize(name.into_deserializer()).map(Self::Of),
        }
    }
}

/// What is asked of the refinement of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct SurfaceRequest {
    /// Subdivision scheme; polygons are triangulated if the scheme needs triangles
    #[cfg_attr(
        feature = "cli",
        arg(long, value_parser = Scheme::named, default_value = Scheme::default().option_name())
    )]
    pub scheme: Scheme,
    /// Levels of refinement
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 2))]
    pub levels: usize,
    /// How points are computed; the results are equal up to rounding [default: matrix]
    #[cfg_attr(feature = "cli", arg(long))]
    pub method: Option<SurfaceMethod>,
    /// Average the sharpness along creases at each level (Chaikin's rule)
    #[cfg_attr(feature = "cli", arg(long))]
    pub chaikin: bool,
    /// Refine the edges of triangles by OpenSubdiv's smooth triangle rule for Catmull-Clark, which
    /// reduces ripples; same as the OBJ tag smoothtriangles
    #[cfg_attr(feature = "cli", arg(long))]
    pub smooth_triangles: bool,
    /// Where texture coordinates are linear; they are smooth elsewhere
    /// [default: the model's tag, or all]
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "WHERE"))]
    pub uv_boundary: Option<LinearInterpolation>,
    /// Move the vertices and their attributes to the limit (not for
    /// √3)
    #[cfg_attr(feature = "cli", arg(long))]
    pub limit: bool,
    /// Processor: auto (the fastest for this job), cpu, cuda or cuda:N. GPUs
    /// refine by the mesh matrix (√3 on oriented manifolds), by edge-friend (from 2 levels on) and
    /// by stencils, with the same result
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
    /// Write the unit normals of the limit at the vertices, replacing those of the model. Normals
    /// that do not exist are omitted in .obj, NaN in .ply and .vtp, and replaced by face normals in
    /// .glb. On a crease the normal is that of one side: of the first face at the vertex
    #[cfg_attr(feature = "cli", arg(long))]
    pub normals: bool,
}

impl Default for SurfaceRequest {
    fn default() -> Self {
        Self {
            scheme: Scheme::default(),
            levels: 2,
            method: None,
            chaikin: false,
            smooth_triangles: false,
            uv_boundary: None,
            limit: false,
            backend: Choice::default(),
            normals: false,
        }
    }
}

/// What messages call the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SurfaceNames<'a> {
    /// The file of the surface, if it has one.
    pub model: Option<&'a str>,
    /// The file that the refined surface is written to, if it is.
    pub output: Option<&'a str>,
}

impl SurfaceRequest {
    /// Checks the options by themselves.
    ///
    /// # Errors
    /// [`Error::Request`] for options that do not go together.
    pub fn check(&self) -> Result<()> {
        if self.is_adaptive() && !self.limit {
            let adaptive = option("method", "adaptive");
            return Err(Error::request(message!(adaptive, " evaluates the limit only"))
                .with_help(message!("add ", option("limit", true), ", or take another method")));
        }
        let smooth = || option("smooth_triangles", true);
        if self.smooth_triangles && !self.scheme.rules().has_triangle_rule() {
            return Err(Error::request(message!(smooth(), " is a rule of Catmull-Clark"))
                .with_help(message!(
                    "leave ",
                    smooth(),
                    " out, or take ",
                    option("scheme", "catmull-clark")
                )));
        }
        let rules = self.scheme.rules();
        let (no_limit, no_creases) = (!self.scheme.has_limit(), !rules.has_creases());
        let refused = [
            (self.limit && no_limit, "limit"),
            (self.normals && no_limit, "normals"),
            (self.chaikin && no_creases, "chaikin"),
        ];
        let Some((_, name)) = refused.into_iter().find(|(is_refused, _)| *is_refused) else {
            return Ok(());
        };
        let given = || option(name, true);
        Err(Error::request(message!(given(), " is not for ", rules.name())).with_help(message!(
            "leave ",
            given(),
            " out, or take another ",
            option_name("scheme")
        )))
    }

    /// Refines a surface, and moves it to the limit, as asked for. Returns the patches that this
    /// took, if it took any.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Mesh`] for a valence above the limit;
    /// [`Error::Request`] for levels with more ids than 32 bits count, and adaptive limits on a
    /// GPU.
    pub fn run(
        &self,
        mut mesh: SurfaceMesh,
        names: SurfaceNames<'_>,
        notes: &mut dyn Notes,
    ) -> Result<(SurfaceMesh, Option<PatchCounts>)> {
        self.check()?;
        self.set_rules(&mut mesh)?;
        let to_limit = self.limit || self.normals;
        if to_limit {
            check_valences(&mesh)?;
        }
        let options = self.options();
        check_memory(&mesh, &options)?;
        check_ids(&mesh, &options)?;
        let backend = self.processor(&mesh, &options, notes)?;
        let start = Instant::now();
        notes.begin("Planning");
        let mut planner = if self.is_adaptive() {
            Planner::Adaptive(Box::new(SurfacePlan::new(&mesh, &options)?))
        } else {
            Planner::Uniform(backend.refine_surface(&mesh, &options)?)
        };
        planner.refiner().notices().iter().for_each(|notice| notes.warn(notice.clone().into()));
        self.warn_of_duplicate_triangles(&mesh, names, notes);
        let levels = counted(options.levels, "level");
        notes.status("Planned", format!("{levels} in {}", since(start)));
        let start = Instant::now();
        notes.begin("Refining");
        let mut refined = planner.refiner().refine(&mesh)?;
        let patches = if to_limit {
            self.take_to_limit(&mut refined, &mut planner, &mesh, notes)?
        } else {
            None
        };
        if mesh.normals().is_some() && refined.normals().is_none() {
            let model = names.model.map(|model| format!("{model}: ")).unwrap_or_default();
            notes.warn(message!(
                model,
                "left out the normals, which are those of the control mesh; ",
                option("normals", true),
                " finds those of the limit"
            ));
        }
        notes.status("Refined", format!("{} in {}", refined.counts(), since(start)));
        Ok((refined, patches))
    }

    fn is_adaptive(&self) -> bool {
        self.method == Some(SurfaceMethod::Adaptive)
    }

    fn options(&self) -> SurfaceOptions {
        let scheme = self.scheme;
        SurfaceOptions {
            scheme,
            levels: self.levels,
            method: match self.method {
                Some(SurfaceMethod::Of(method)) => method,
                // of adaptive limits the topology and texture coordinates
                Some(SurfaceMethod::Adaptive) | None => Method::of(scheme),
            },
            crease_rule: self.chaikin.then_some(CreaseRule::Chaikin),
        }
    }

    /// Sets the rules that options choose in place of the mesh's.
    fn set_rules(&self, mesh: &mut SurfaceMesh) -> Result<()> {
        if let Some(name) = self.uv_boundary {
            mesh.set_uv_boundary(name)?;
        }
        if self.smooth_triangles {
            mesh.triangle_rule = TriangleRule::Smooth;
        }
        Ok(())
    }

    /// The processor to refine on; says which one was found.
    fn processor(
        &self,
        mesh: &SurfaceMesh,
        options: &SurfaceOptions,
        notes: &mut dyn Notes,
    ) -> Result<Box<dyn Backend>> {
        if self.is_adaptive() {
            if self.backend.allows_cpu() {
                return Ok(Box::new(Cpu::default()));
            }
            let adaptive = option("method", "adaptive");
            return Err(Error::request(message!(adaptive, " does not run on GPUs"))
                .with_help(message!("take ", option("backend", "cpu"), ", or another method")));
        }
        let threads = rayon::current_num_threads();
        let processor = Processor::find_for_surface(self.backend, mesh, options, threads)?;
        let backend = processor.backend(Precision::F64, Strategy::default())?;
        say_chosen(self.backend, &processor, &*backend, notes);
        Ok(backend)
    }

    /// Warns of triangles that make refining in two runs differ from one.
    fn warn_of_duplicate_triangles(
        &self,
        mesh: &SurfaceMesh,
        names: SurfaceNames<'_>,
        notes: &mut dyn Notes,
    ) {
        if let Some(output) = names.output
            && self.scheme.split() == Split::FourTriangles
            && self.levels > 0
            && let Some([a, b]) = duplicate_triangles(mesh)
        {
            notes.warn(
                format!(
                    "faces {a} and {b} have the same vertices, and a file joins their refined edges: \
                     more levels from {output} are not those of one run. Remove one of the two, or ask \
                     for all levels at once"
                )
                .into(),
            );
        }
    }

    /// Moves the vertices of a refined mesh to the limit, and gives it the limit's normals, as
    /// asked for; returns the patches that this took, if it took any.
    fn take_to_limit(
        &self,
        refined: &mut SurfaceMesh,
        planner: &mut Planner,
        mesh: &SurfaceMesh,
        notes: &mut dyn Notes,
    ) -> Result<Option<PatchCounts>> {
        notes.begin("Evaluating");
        let (limits, patches) = match planner {
            Planner::Adaptive(plan) => {
                let found = adaptive_limits(plan, mesh, self.normals)?;
                let PatchCounts { regular, irregular } = found.patches;
                let irregular = counted(irregular, "irregular patch");
                notes.status("Isolated", format!("{regular} regular, {irregular}"));
                (found.limits, Some(found.patches))
            }
            Planner::Uniform(refiner) => (refiner.vertex_limits(mesh, refined)?, None),
        };
        limits.apply(refined, self.limit, self.normals);
        Ok(patches)
    }
}

/// What refines, and finds the limit.
enum Planner {
    Adaptive(Box<SurfacePlan>),
    Uniform(Box<dyn SurfaceRefiner>),
}

impl Planner {
    fn refiner(&mut self) -> &mut dyn SurfaceRefiner {
        match self {
            Self::Adaptive(plan) => &mut **plan,
            Self::Uniform(refiner) => &mut **refiner,
        }
    }
}

//! What is asked of a fit.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::backend::Choice;
use crate::error::{Error, Result, option};
use crate::fit::SkinOptions;
use crate::scheme::Scheme;

/// What is fitted to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FitTarget {
    /// The vertices of the mesh, and the middles of edges, faces and insides of its curved cells: the
    /// limit passes through them.
    #[default]
    Vertices,
    /// The vertices alone.
    Corners,
    /// The boundary faces of the mesh, flat or bilinear.
    Facets,
    /// Another mesh: the facets of a surface, the limit of a solid.
    File(PathBuf),
}

impl std::str::FromStr for FitTarget {
    type Err = std::convert::Infallible;

    /// `vertices`, `corners`, `facets`, or the name of a file.
    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        Ok(match text {
            "vertices" => Self::Vertices,
            "corners" => Self::Corners,
            "facets" => Self::Facets,
            file => Self::File(file.into()),
        })
    }
}

/// What becomes of arrays at the vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum FitAttributes {
    /// The limit takes their values at the vertices.
    #[default]
    Interpolate,
    /// The field of the limit is the nearest in the L2 norm to their values, interpolated on the
    /// cells; of solids.
    Project,
    /// They stay the values of control points.
    Keep,
}

/// What is asked of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct FitRequest {
    /// What to fit to: `vertices` (the limit passes through those of the model; where its cells are
    /// curved it is refined once, and passes through the middles of their edges, faces and insides:
    /// the nodes of quadratic cells), `corners` (vertices alone), `facets` (the boundary faces of the
    /// model as they are), or a file: .stl, .3mf, .obj, .ply or .off, whose faces are taken as they are, or
    /// a solid, whose limit is taken
    #[cfg_attr(feature = "cli", arg(long, value_name = "TARGET", default_value = "vertices"))]
    pub to: FitTarget,
    /// Take the limit of a target surface by this scheme, not its faces
    #[cfg_attr(feature = "cli", arg(long, value_name = "SCHEME", value_parser = Scheme::named))]
    pub target_scheme: Option<Scheme>,
    /// Edges of a target without creases are feature lines where its faces turn by more than this
    /// angle, in degrees, 0 to 180
    #[cfg_attr(feature = "cli", arg(long, value_name = "DEG", default_value_t = 40.0))]
    pub feature_angle: f64,
    /// Rounds of least squares to a target at most, 1 to 100
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 6))]
    pub rounds: usize,
    /// Refine and fit again until no point of the limit or the target is farther than this from the
    /// other, in length units; exit code 1 if that is not reached
    #[cfg_attr(feature = "cli", arg(long, value_name = "T"))]
    pub tolerance: Option<f64>,
    /// Refinements at most to reach --tolerance, 0 to 4
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 2))]
    pub max_levels: usize,
    /// What becomes of point arrays
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub attributes: FitAttributes,
    /// Add the distance of the limit from the target as the point array `fit_distance`, positive
    /// outside, in length units; 0 at inner vertices
    #[cfg_attr(feature = "cli", arg(long))]
    pub distances: bool,
    /// Leave inner vertices where the move of the boundary takes them, though cells be folded
    #[cfg_attr(feature = "cli", arg(long))]
    pub no_untangle: bool,
    /// Processor of linear systems: auto (the fastest for this job), cpu, cuda or cuda:N; results are
    /// equal bit by bit
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
}

impl Default for FitRequest {
    fn default() -> Self {
        Self {
            to: FitTarget::default(),
            target_scheme: None,
            feature_angle: 40.0,
            rounds: SkinOptions::default().rounds,
            tolerance: None,
            max_levels: 2,
            attributes: FitAttributes::default(),
            distances: false,
            no_untangle: false,
            backend: Choice::default(),
        }
    }
}

impl FitRequest {
    /// Checks the options by themselves.
    ///
    /// # Errors
    /// [`Error::Request`] for numbers out of range, and for options that have no effect.
    pub fn check(&self) -> Result<()> {
        let refuse = |name, value: String, help: &str| {
            Err(Error::request(message!(option(name, value), " is out of range")).with_help(help))
        };
        if !(0.0..=180.0).contains(&self.feature_angle) {
            return refuse(
                "feature_angle",
                self.feature_angle.to_string(),
                "give 0 to 180 degrees",
            );
        }
        if !(1..=100).contains(&self.rounds) {
            return refuse("rounds", self.rounds.to_string(), "give 1 to 100");
        }
        if self.max_levels > 4 {
            return refuse("max_levels", self.max_levels.to_string(), "give 0 to 4");
        }
        if let Some(tolerance) = self.tolerance.filter(|&t| !(t.is_finite() && t > 0.0)) {
            return refuse("tolerance", tolerance.to_string(), "give a positive length");
        }
        if matches!(self.to, FitTarget::Vertices | FitTarget::Corners) {
            for (is_given, name) in [
                (self.tolerance.is_some(), "tolerance"),
                (self.target_scheme.is_some(), "target_scheme"),
                (self.distances, "distances"),
            ] {
                if is_given {
                    return Err(Error::request(message!(
                        crate::error::option_name(name),
                        " is for fits to a target"
                    ))
                    .with_help(message!(
                        "give ",
                        option("to", "facets"),
                        " or a file"
                    )));
                }
            }
        }
        Ok(())
    }
}

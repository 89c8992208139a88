//! What is asked of a page or of a colored `.glb`; options that have no effect are refused.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, Term, option, option_name};
use crate::io::{atomic, is_glb};
use crate::jobs::surface_file::GlbRequest;
use crate::mesh::SurfaceMesh;
use crate::scheme::Scheme;
use crate::view::{ColorMap, Paint, SkinOptions, ViewOptions};

/// Levels of surfaces that are shown refined.
const SURFACE_LEVELS: usize = 2;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewFormat {
    /// A page.
    Html,
    /// The boundary alone, as binary glTF.
    Glb,
}

/// What is asked of a view, `None` where nothing was said: a page, or a `.glb` with what the page
/// shows first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct ViewRequest {
    /// Refine a solid this many times first; level at which a surface by another scheme than
    /// Catmull-Clark is shown. Not for Catmull-Clark surfaces, whose limit is shown [default: 0; of
    /// surfaces 2]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub levels: Option<usize>,
    /// Subdivision scheme of a surface [default: none of .stl and .3mf, whose triangles are shown as they
    /// are, else catmull-clark]
    #[cfg_attr(feature = "cli", arg(long, value_parser = Scheme::named))]
    pub scheme: Option<Scheme>,
    /// Show cells and polygons as they are, not their limit: for files that evaluate, compare and
    /// distance wrote
    #[cfg_attr(feature = "cli", arg(long))]
    pub linear: bool,
    /// Array to color by first, by name (`velocity [1]` is a component), `class`, `scaled Jacobian`
    /// or another name in the page's list [default: the class of cells, or the scaled Jacobian if
    /// it is negative anywhere; one color of surfaces]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", visible_alias = "attribute"))]
    pub color: Option<String>,
    /// Samples along each axis of a cell at which Jacobians are evaluated, 2 to 64 [default: 5]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub samples: Option<usize>,
    /// Maximum number of rings of exact patches toward extraordinary vertices of the boundary, 0 to
    /// 8; fewer are used where the rest is close enough to the limit [default: 8]
    #[cfg_attr(feature = "cli", arg(long, value_name = "K"))]
    pub rings: Option<usize>,
    /// Maximum number of rings of exact pieces toward extraordinary edges and vertices inside, 0 to
    /// 8; fewer in large models [default: 2]
    #[cfg_attr(feature = "cli", arg(long, value_name = "K"))]
    pub interior_rings: Option<usize>,
    /// Omit the interior: a smaller file whose cuts are hollow
    #[cfg_attr(feature = "cli", arg(long))]
    pub no_interior: bool,
    /// Layers that slice --png wrote, beside the model
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR"))]
    pub slices: Option<PathBuf>,
    /// Title of the page [default: the name of the model's file]
    #[cfg_attr(feature = "cli", arg(long, value_name = "TEXT"))]
    pub title: Option<String>,
    /// Color map shown first
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "MAP", default_value_t))]
    pub color_map: ColorMap,
    /// Samples along each edge of a face in .glb, 2 to 32 [default: 9]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub fineness: Option<usize>,
    /// Unit of the model's lengths, and its axis that points upward.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub glb: GlbRequest,
}

impl ViewRequest {
    /// Checks the options by themselves, and the output; returns its format.
    ///
    /// # Errors
    /// As [`ViewRequest::format`]; [`Error::Io`] or [`Error::File`] for the output.
    pub fn check(&self, output: &Path) -> Result<ViewFormat> {
        let format = self.format(output)?;
        atomic::check(output)?;
        Ok(format)
    }

    /// The format of a file, by the ending of its name.
    ///
    /// # Errors
    /// [`Error::Request`] for other endings, and for options that the format has no use for.
    pub fn format(&self, output: &Path) -> Result<ViewFormat> {
        let ending = output.extension().unwrap_or_default().to_ascii_lowercase();
        let format = if is_glb(output) {
            ViewFormat::Glb
        } else if ending == "html" || ending == "htm" {
            ViewFormat::Html
        } else {
            let message = format!("{}: unknown output format", output.display());
            return Err(Error::request(message).with_help("end its name in .html or .glb"));
        };
        self.check_of_format(format)?;
        Ok(format)
    }

    /// Refuses options that a format has no use for.
    ///
    /// # Errors
    /// [`Error::Request`] with the first of them.
    pub fn check_of_format(&self, format: ViewFormat) -> Result<()> {
        let of_pages = [
            (self.slices.is_some(), option_name("slices")),
            (self.title.is_some(), option_name("title")),
            (self.no_interior, option("interior", false)),
            (self.rings.is_some(), option_name("rings")),
            (self.interior_rings.is_some(), option_name("interior_rings")),
        ];
        match (format, given(of_pages)) {
            (ViewFormat::Glb, Some(unused)) => {
                let help = message!("leave ", unused.clone(), " out, or write .html");
                Err(Error::request(message!(unused, " is for pages")).with_help(help))
            }
            (ViewFormat::Html, _) if self.fineness.is_some() => {
                let name = option_name("fineness");
                let help = message!("leave ", name.clone(), " out, or write .glb");
                let why = message!(name, " is for .glb: pages evaluate the limit as they draw");
                Err(Error::request(why).with_help(help))
            }
            _ => Ok(()),
        }
    }

    /// Refuses options that have no effect on the view of a solid.
    ///
    /// # Errors
    /// [`Error::Request`] with the first of them.
    pub fn check_of_solid(&self) -> Result<()> {
        if self.scheme.is_some() {
            return refuse_of("surfaces", "scheme");
        }
        if self.linear {
            return self.check_linear("cells");
        }
        if self.no_interior && self.interior_rings.is_some() {
            let why = message!(option("interior", false), " omits the interior");
            return refuse(option_name("interior_rings"), why);
        }
        Ok(())
    }

    /// Refuses options that have no effect on the view of a surface; returns how often it is
    /// refined.
    ///
    /// # Errors
    /// [`Error::Request`] with the first of them.
    pub fn check_of_surface(&self, mesh: &SurfaceMesh) -> Result<usize> {
        let of_solids = [
            (self.no_interior, option("interior", false)),
            (self.interior_rings.is_some(), option_name("interior_rings")),
            (self.samples.is_some(), option_name("samples")),
        ];
        if let Some(unused) = given(of_solids) {
            let help = message!("leave ", unused.clone(), " out");
            return Err(Error::request(message!(unused, " is for solids")).with_help(help));
        }
        if self.linear {
            self.check_linear("polygons")?;
        }
        let of_limits = [
            (self.levels.is_some(), option_name("levels")),
            (self.rings.is_some(), option_name("rings")),
            (self.fineness.is_some(), option_name("fineness")),
        ];
        if let (true, Some(unused)) = (self.is_linear(mesh), given(of_limits)) {
            let why =
                message!("the facets of an .stl or .3mf are shown as they are: ", unused.clone());
            let help = message!("leave ", unused, " out, or give a ", option_name("scheme"));
            return Err(Error::request(message!(why, " has no effect")).with_help(help));
        }
        let scheme = self.scheme.unwrap_or_default();
        if !scheme.is_bicubic() {
            let of_patches = [
                (self.rings.is_some(), option_name("rings")),
                (self.fineness.is_some(), option_name("fineness")),
            ];
            if let Some(unused) = given(of_patches) {
                let shown = message!(option("scheme", scheme.option_name()), " shows triangles");
                return refuse(unused, shown);
            }
        }
        if let (true, Some(levels @ 1..)) = (scheme.is_bicubic() && !self.linear, self.levels) {
            let why = message!(
                option("levels", levels),
                " of a Catmull-Clark surface: its limit is shown"
            );
            let help = message!("leave ", option_name("levels"), " out");
            return Err(Error::request(why).with_help(help));
        }
        Ok(self.levels.unwrap_or(SURFACE_LEVELS))
    }

    /// Refuses what only a limit has.
    fn check_linear(&self, shown: &str) -> Result<()> {
        let of_limits = [
            (self.levels.is_some(), option_name("levels")),
            (self.scheme.is_some(), option_name("scheme")),
            (self.rings.is_some(), option_name("rings")),
            (self.interior_rings.is_some(), option_name("interior_rings")),
            (self.no_interior, option("interior", false)),
            (self.fineness.is_some(), option_name("fineness")),
        ];
        given(of_limits).map_or(Ok(()), |unused| Self::refuse_of_linear(unused, shown))
    }

    /// Refuses an option of limits where `shown`, cells or polygons, are shown as they are.
    ///
    /// # Errors
    /// [`Error::Request`].
    pub fn refuse_of_linear<T>(unused: Term, shown: &str) -> Result<T> {
        let linear = option("linear", true);
        refuse(unused, message!(linear, " shows the {shown} of the file unchanged"))
    }

    /// How a page is made; `title` where none is asked for.
    pub(super) fn options(&self, title: &str) -> ViewOptions {
        let defaults = ViewOptions::titled(self.title.as_deref().unwrap_or(title));
        ViewOptions {
            rings: self.rings.unwrap_or(defaults.rings),
            interior_rings: self.interior_rings.unwrap_or(defaults.interior_rings),
            interior: !self.no_interior,
            samples: self.samples.unwrap_or(defaults.samples),
            color: self.color.clone(),
            map: self.color_map,
            unit: self.glb.unit,
            up: self.glb.up.unwrap_or_default(),
            ..defaults
        }
    }

    /// How a `.glb` is made.
    pub(super) fn skin_options(&self) -> SkinOptions {
        let defaults = SkinOptions::default();
        SkinOptions {
            samples: self.fineness.unwrap_or(defaults.samples),
            jacobian_samples: self.samples.unwrap_or(defaults.jacobian_samples),
            paint: self.color.clone().map_or(Paint::First, Paint::Array),
            map: self.color_map,
        }
    }

    /// Whether the layers beside a solid are compared with it: the cells of an evaluation are
    /// another model than the one sliced.
    pub fn compares_layers(&self) -> bool {
        self.slices.is_some() && !self.linear
    }

    /// Whether polygons are shown as they are.
    pub(super) fn is_linear(&self, mesh: &SurfaceMesh) -> bool {
        self.linear || self.scheme.is_none() && Scheme::of_mesh(mesh).is_linear()
    }
}

/// The first of the options that are given.
fn given<const N: usize>(options: [(bool, Term); N]) -> Option<Term> {
    options.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
}

fn refuse<T>(unused: Term, why: crate::error::Message) -> Result<T> {
    let help = message!("leave ", unused.clone(), " out");
    Err(Error::request(message!(why, ": ", unused, " has no effect")).with_help(help))
}

fn refuse_of<T>(models: &str, name: &str) -> Result<T> {
    let help = message!("leave ", option_name(name), " out");
    Err(Error::request(message!(option_name(name), " is for {models}")).with_help(help))
}

//! What is asked of a page or of a colored `.glb`; options that have no effect are refused.

use std::path::{Path, PathBuf};

use super::color::ColorMap;
use super::options::ViewOptions;
use super::skin::{Paint, SkinOptions, SkinPolygons};
use super::{Page, check_not_empty};
use crate::error::{Error, Result, Term, option, option_name};
use crate::io::{LengthUnit, UpAxis, is_glb};
use crate::limit::Solid;
use crate::mesh::{SolidMesh, SurfaceMesh};
use crate::scheme::Scheme;
use crate::slice::surface_fingerprint;
use crate::surface::triangulate::cut_notice;

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
#[derive(Clone, Debug, Default)]
pub struct ViewRequest {
    /// Title of the page.
    pub title: Option<String>,
    /// Shows cells and polygons as they are, not their limit.
    pub linear: bool,
    /// Scheme of a surface; none shows facets ([`SurfaceMesh::faceted`]) as they are.
    pub scheme: Option<Scheme>,
    /// Refinements of a surface by a scheme without patches. Solids are refined by who asks.
    pub levels: Option<usize>,
    /// [`ViewOptions::color`].
    pub color: Option<String>,
    /// [`ViewOptions::samples`].
    pub samples: Option<usize>,
    /// [`ViewOptions::rings`].
    pub rings: Option<usize>,
    /// [`ViewOptions::interior_rings`].
    pub interior_rings: Option<usize>,
    /// Leaves the interior out.
    pub no_interior: bool,
    /// Folder of layers that are shown beside the model.
    pub slices: Option<PathBuf>,
    /// [`ViewOptions::map`].
    pub map: ColorMap,
    /// Samples along each edge of a face in a `.glb`.
    pub fineness: Option<usize>,
    /// Unit of the model's lengths.
    pub unit: Option<LengthUnit>,
    /// Axis that points upward.
    pub up: Option<UpAxis>,
}

impl ViewRequest {
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
            let why = message!("the facets of an .stl are shown as they are: ", unused.clone());
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
    pub fn options(&self, title: &str) -> ViewOptions {
        let defaults = ViewOptions::titled(self.title.as_deref().unwrap_or(title));
        ViewOptions {
            rings: self.rings.unwrap_or(defaults.rings),
            interior_rings: self.interior_rings.unwrap_or(defaults.interior_rings),
            interior: !self.no_interior,
            samples: self.samples.unwrap_or(defaults.samples),
            color: self.color.clone(),
            map: self.map,
            unit: self.unit,
            up: self.up.unwrap_or_default(),
            ..defaults
        }
    }

    /// How a `.glb` is made.
    pub fn skin_options(&self) -> SkinOptions {
        let defaults = SkinOptions::default();
        SkinOptions {
            samples: self.fineness.unwrap_or(defaults.samples),
            jacobian_samples: self.samples.unwrap_or(defaults.jacobian_samples),
            paint: self.color.clone().map_or(Paint::First, Paint::Array),
            map: self.map,
        }
    }

    /// The page of a solid, of its limit or of its cells; without layers.
    ///
    /// # Errors
    /// Those of [`ViewRequest::check_of_solid`], [`Page::of_analyzed`] and [`Page::of_cells`].
    pub fn page_of_solid(&self, mesh: &SolidMesh, solid: &Solid, title: &str) -> Result<Page> {
        self.check_of_solid()?;
        check_not_empty(mesh.cells.len(), "cells")?;
        if self.linear {
            Page::of_cells(mesh, &self.options(title))
        } else {
            Page::of_analyzed(mesh, solid, &self.options(title))
        }
    }

    /// Whether polygons are shown as they are.
    fn is_linear(&self, mesh: &SurfaceMesh) -> bool {
        self.linear || self.scheme.is_none() && Scheme::of_mesh(mesh).is_linear()
    }

    /// The page of a surface, of its limit or of its polygons.
    ///
    /// # Errors
    /// Those of [`ViewRequest::check_of_surface`], [`Page::of_surface`] and [`Page::of_polygons`].
    pub fn page_of_surface(&self, mesh: &SurfaceMesh, title: &str) -> Result<Page> {
        let (levels, scheme) = (self.check_of_surface(mesh)?, self.scheme.unwrap_or_default());
        if self.is_linear(mesh) {
            Page::of_polygons(mesh, &self.options(title))
        } else {
            Page::of_surface(mesh, scheme, levels, &self.options(title))
        }
    }

    /// Adds the layers that are asked for; returns what is to be said of them. `own` are the
    /// [fingerprints](crate::slice::fingerprint()) that the layers of a solid may have.
    ///
    /// # Errors
    /// Those of [`Page::add_slices`].
    pub fn add_slices(
        &self,
        page: &mut Page,
        own: impl FnOnce() -> Vec<String>,
    ) -> Result<Vec<String>> {
        let Some(folder) = &self.slices else { return Ok(Vec::new()) };
        Ok(page.add_slices(folder)?.notices(folder, &own()))
    }

    /// Adds the layers that are asked for beside a surface; returns what is to be said of them.
    ///
    /// # Errors
    /// Those of [`Page::add_slices`].
    pub fn add_slices_of_surface(
        &self,
        page: &mut Page,
        mesh: &SurfaceMesh,
    ) -> Result<Vec<String>> {
        // by whatever scheme it was sliced
        let own = || Scheme::ALL.map(|scheme| surface_fingerprint(mesh, scheme)).to_vec();
        self.add_slices(page, own)
    }

    /// What the user should know of a surface that is shown: that faces are cut into triangles.
    pub fn notice_of_surface(&self, mesh: &SurfaceMesh) -> Option<String> {
        if self.is_linear(mesh) { None } else { cut_notice(mesh, self.scheme.unwrap_or_default()) }
    }

    /// What the `.glb` of a surface shows.
    ///
    /// # Errors
    /// Those of [`ViewRequest::check_of_surface`], [`SkinPolygons::of_surface`] and
    /// [`SkinPolygons::of_polygons`].
    pub fn skin_of_surface(&self, mesh: &SurfaceMesh) -> Result<SkinPolygons> {
        let (levels, options) = (self.check_of_surface(mesh)?, self.skin_options());
        if self.is_linear(mesh) {
            SkinPolygons::of_polygons(mesh.without_holes().into_owned(), &options)
        } else {
            SkinPolygons::of_surface(mesh, self.scheme.unwrap_or_default(), levels, &options)
        }
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

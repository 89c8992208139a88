//! How `.glb` files show a model, for every subcommand that writes them.

use std::path::Path;

use clap::Args;
use subsolid::Result;
use subsolid::io::{self, GlbOptions, LengthUnit, SurfaceFormat, UpAxis};
use subsolid::view::SkinPolygons;

use super::names::bare;
use super::surface_output::write;
use super::unused::refuse_given;
use super::{Console, Outcome};

#[derive(Args)]
pub struct GlbArguments {
    /// Length unit of the model, for .glb, which is in meters [default: m]
    #[arg(long, value_parser = bare::<LengthUnit>(), value_name = "UNIT")]
    pub unit: Option<LengthUnit>,
    /// Up axis of the model, for .glb [default: z]
    #[arg(long, value_parser = bare::<UpAxis>(), value_name = "AXIS")]
    pub up: Option<UpAxis>,
}

/// Whether a file is binary glTF, by the ending of its name.
pub fn is_glb(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("glb"))
        || path.as_os_str() == "-.glb"
}

impl GlbArguments {
    /// What is written into `output`; refuses the options where it is no `.glb`.
    pub fn options(&self, output: &Path) -> Result<GlbOptions> {
        let is_other = !is_glb(output);
        refuse_given(
            &[(is_other && self.unit.is_some(), "--unit"), (is_other && self.up.is_some(), "--up")],
            |option| format!("{option} is for .glb files"),
            |option| format!("leave {option} out, or end the output's name in .glb"),
        )?;
        Ok(GlbOptions {
            unit: self.unit.unwrap_or_default(),
            up: self.up.unwrap_or_default(),
            colors: Vec::new(),
        })
    }
}

/// Writes what a page shows; says which arrays are left out.
pub fn write_skin(
    output: &Path,
    skin: SkinPolygons,
    glb: GlbOptions,
    console: &Console,
) -> Result<Outcome> {
    for loss in SurfaceFormat::Glb.losses(&skin.surface) {
        console.warn(format!("{}: left out {loss}", output.display()));
    }
    write(output, &skin.surface, &GlbOptions { colors: skin.colors, ..glb }, None, console)
}

/// Checks that `output` can be written.
pub fn check(output: &Path) -> Result<()> {
    io::check_surface_output(output).map(|_| ())
}

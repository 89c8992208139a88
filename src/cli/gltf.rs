//! How `.glb` files show a model, for every subcommand that writes them.

use std::path::Path;

use clap::Args;
use subsolid::Result;
use subsolid::io::{self, GlbOptions, LengthUnit, SurfaceFormat, UpAxis};
use subsolid::view::SkinPolygons;

use super::names::bare;
use super::output::warn_of_losses;
use super::surface_output::write;
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

impl GlbArguments {
    /// What is written into `output`; refuses the options where it is no `.glb`.
    pub fn options(&self, output: &Path) -> Result<GlbOptions> {
        GlbOptions::of(output, self.unit, self.up)
    }
}

/// Writes what a page shows; says which arrays are left out.
pub fn write_skin(
    output: &Path,
    skin: SkinPolygons,
    glb: GlbOptions,
    console: &Console,
) -> Result<Outcome> {
    warn_of_losses(&SurfaceFormat::Glb.losses(&skin.surface), output, console);
    write(output, &skin.surface, &GlbOptions { colors: skin.colors, ..glb }, None, console)
}

/// Checks that `output` can be written.
pub fn check(output: &Path) -> Result<()> {
    io::check_surface_output(output).map(|_| ())
}

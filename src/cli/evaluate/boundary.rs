//! The boundary of the limit, for viewers of glTF.

use std::path::Path;
use std::time::Instant;

use subsolid::jobs::surface_file::write_skin;
use subsolid::numbers::{Precision, counted};
use subsolid::scheme::VertexRule;
use subsolid::view::{Paint, SkinOptions, SkinPolygons};
use subsolid::{Error, Result, io};

use super::{Arguments, Console, Outcome};
use crate::cli::console::since;
use crate::cli::output::warn_of_lost_data;
use crate::cli::unused::refuse_given;

pub fn run(a: &Arguments, output: &Path, console: &Console) -> Result<Outcome> {
    a.check_boundary()?;
    a.model.check_no_input(output, &[])?;
    io::check_surface_output(output)?;
    let glb = a.glb.options(output)?;
    let Some(samples) = a.samples.samples else {
        return Err(Error::request("a .glb shows the boundary at a grid of samples")
            .with_help("give --samples N"));
    };
    let mesh = a.model.load(a.levels, VertexRule::default(), console)?;
    let start = Instant::now();
    let options = SkinOptions {
        samples,
        paint: a.color.clone().map_or(Paint::None, Paint::Array),
        map: a.color_map.unwrap_or_default(),
        ..SkinOptions::default()
    };
    let topology = a.model.topology(&mesh, console)?;
    let skin =
        console.during("Evaluating", || SkinPolygons::with_topology(&mesh, topology, &options))?;
    let points = counted(skin.surface.points.len(), "point");
    console.status("Evaluated", format!("{points} of the boundary in {}", since(start)));
    warn_of_lost_data(&mesh, false, output, console);
    console.report_json(&write_skin(output, skin, glb, &mut console.notes())?)?;
    Ok(Outcome::Done)
}

impl Arguments {
    /// Refuses options that a picture of the boundary has no use for.
    fn check_boundary(&self) -> Result<()> {
        refuse_given(
            &[
                (self.samples.gauss.is_some(), "--gauss"),
                (self.samples.at.is_some(), "--at"),
                (self.derivatives > 0, "--derivatives"),
                (self.attribute_derivatives, "--attribute-derivatives"),
                (self.gradients, "--gradients"),
                (self.jacobian, "--jacobian"),
                (self.cells.is_some(), "--cells"),
                (self.rings.is_some(), "--rings"),
                (self.separate_points, "--separate-points"),
                (self.quality, "--quality"),
                (self.write_memory.is_some(), "--write-memory"),
                (self.pieces.is_some(), "--pieces"),
                (self.piece_points.is_some(), "--piece-points"),
                (self.compress, "--compress"),
                (self.explain, "--explain"),
                (self.processor.backend.is_gpu(), "--backend of a GPU"),
                (self.processor.has_strategy(), "--strategy"),
                (self.precision != Precision::default(), "--precision f32"),
            ],
            |option| format!("{option} is not for .glb"),
            |_| "leave it out, or end the name of the output in .vtu".into(),
        )?;
        refuse_given(
            &[(self.color_map.is_some() && self.color.is_none(), "--color-map")],
            |option| format!("{option} is for the colors of --color"),
            |option| format!("leave {option} out, or give --color NAME"),
        )
    }
}

//! Figures of surfaces.

use schemars::JsonSchema;
use serde::Serialize;
use subsolid::Result;
use subsolid::jobs::output::write_page;
use subsolid::mesh::SurfaceMesh;
use subsolid::numbers::counted;
use subsolid::scheme::Scheme;
use subsolid::surface::SurfaceSummary;
use subsolid::view::{FigureTable, Page};

use super::{Arguments, TextRows, aligned, attributes, table, title, valences};
use crate::cli::json::JsonReport;
use crate::cli::unused::refuse_for_solids;
use crate::cli::{Console, Outcome};

#[derive(Serialize, JsonSchema)]
pub struct Report {
    #[serde(flatten)]
    summary: SurfaceSummary,
}

impl JsonReport for Report {
    const SCHEMA: &'static str = "subsolid.surface-info/1";
}

pub fn run(arguments: &Arguments, mesh: &SurfaceMesh, console: &Console) -> Result<Outcome> {
    let model = &arguments.model;
    refuse_for_solids(&[
        (arguments.levels > 0, "--levels"),
        (arguments.verbose, "--verbose"),
        (model.creases.is_some(), "--creases"),
        (model.crease_angle.is_some(), "--crease-angle"),
        (model.strict, "--strict"),
    ])?;
    let summary = SurfaceSummary::new(mesh)?;
    if let Some(path) = &arguments.report {
        let page = Page::of_surface(mesh, Scheme::default(), 0, &title(model))?;
        write_page(path, page, tables(&summary), &mut console.notes())?;
    }
    let text = aligned(rows(&summary));
    console.report(&Report { summary }, || text)?;
    Ok(Outcome::Done)
}

fn tables(summary: &SurfaceSummary) -> Vec<FigureTable> {
    vec![table("Control mesh", rows(summary))]
}

fn rows(summary: &SurfaceSummary) -> TextRows {
    let mut rows = TextRows::new();
    let mut line = |name: &str, value: String| rows.push([name.into(), value]);
    line("vertices", format!("{} ({} boundary)", summary.vertices, summary.boundary_vertices));
    line("edges", format!("{} ({} boundary)", summary.edges, summary.boundary_edges));
    let by_corners: Vec<String> =
        summary.faces_by_corners.iter().map(|(&corners, n)| of_corners(corners, *n)).collect();
    line("faces", format!("{} ({})", summary.faces, by_corners.join(", ")));
    for (name, count) in [
        ("holes", summary.holes),
        ("texture coordinates", summary.texture_coordinates),
        ("creases", summary.creases),
        ("sharp corners", summary.sharp_corners),
        ("isolated vertices", summary.isolated_vertices),
        ("coincident vertices", summary.coincident_vertices),
        ("non-manifold edges", summary.non_manifold_edges),
        ("inconsistent edges", summary.inconsistent_edges),
        ("touching vertices", summary.touching_vertices),
    ] {
        if count > 0 {
            line(name, count.to_string());
        }
    }
    attributes(&summary.attributes).for_each(|[name, value]| line(&name, value));
    line("connected parts", summary.parts.to_string());
    let euler = summary.euler_characteristic;
    line(
        "Euler characteristic",
        match summary.genus {
            Some(genus) => format!("{euler} (closed, genus {genus})"),
            None => euler.to_string(),
        },
    );
    if let Some([low, high]) = summary.bounds {
        line("bounds", format!("{low:?} to {high:?}"));
    }
    if !summary.interior_valences.is_empty() {
        line("interior valences", valences(&summary.interior_valences));
    }
    if !summary.boundary_valences.is_empty() {
        line("boundary valences", valences(&summary.boundary_valences));
    }
    rows
}

fn of_corners(corners: usize, count: usize) -> String {
    match corners {
        3 => counted(count, "triangle"),
        4 => counted(count, "quad"),
        _ => format!("{count} of {corners} corners"),
    }
}

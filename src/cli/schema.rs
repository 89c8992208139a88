//! `subsolid schema`

use std::fmt::Write;

use clap::Args;
use clap::builder::PossibleValuesParser;
use schemars::Schema;
use subsolid::jobs::assemble::AssembleReport;
use subsolid::jobs::bench::BenchReport;
use subsolid::jobs::evaluate::{EvaluateReport, ExplainReport};
use subsolid::jobs::extract::ExtractReport;
use subsolid::jobs::info::InfoReport;
use subsolid::jobs::quadrature::{QuadratureBoundaryReport, QuadratureReport};
use subsolid::jobs::query::QueryReport;
use subsolid::jobs::slice::{PLATE_SCHEMA, SliceReport};
use subsolid::jobs::surface_file::WrittenSurface;
use subsolid::jobs::view::PageReport;
use subsolid::surface::SurfaceSummary;
use subsolid::{Error, Result};

use super::json::{self, JsonReport};
use super::{
    Console, Outcome, compare, conform, denoise, devices, distance, extend, fit, locate, merge,
    refine, smooth, solve, untangle,
};

/// Print the JSON schema of a report, or of a plate file
///
/// Every report of --json names its schema: "schema": "subsolid.info/2". Without a name, lists the
/// reports and what prints them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  subsolid schema
  subsolid schema info > info.schema.json")]
pub struct Arguments {
    /// The report
    #[arg(value_parser = PossibleValuesParser::new(REPORTS.iter().map(ReportKind::name)),
          hide_possible_values = true)]
    report: Option<String>,
}

/// A kind of report.
struct ReportKind {
    schema: &'static str,
    /// What prints it.
    of: &'static str,
    make: fn() -> Schema,
}

const fn kind<T: JsonReport + 'static>(of: &'static str) -> ReportKind {
    ReportKind { schema: T::SCHEMA, of, make: json::schema::<T> }
}

const REPORTS: [ReportKind; 28] = [
    kind::<InfoReport>("info"),
    kind::<SurfaceSummary>("info, of surfaces"),
    kind::<refine::WrittenMesh>("refine, shape"),
    kind::<EvaluateReport>("evaluate"),
    kind::<ExplainReport>("evaluate --explain"),
    kind::<merge::Report<subsolid::io::MergedPieces>>("merge, of a .pvtu"),
    kind::<merge::Report<subsolid::slice::MergedLayers>>("merge, of layers"),
    kind::<extend::Report>("extend"),
    kind::<ExtractReport>("extract"),
    kind::<SliceReport>("slice"),
    kind::<QuadratureReport>("quadrature"),
    kind::<QuadratureBoundaryReport>("quadrature --boundary"),
    kind::<AssembleReport>("assemble"),
    kind::<solve::Report>("solve"),
    kind::<locate::Report>("locate"),
    kind::<QueryReport>("query"),
    kind::<distance::Report>("distance"),
    kind::<smooth::Report>("smooth"),
    kind::<denoise::Report>("denoise"),
    kind::<untangle::Report>("untangle"),
    kind::<conform::Report>("conform"),
    kind::<fit::Report>("fit"),
    kind::<compare::Report>("compare"),
    kind::<BenchReport>("bench"),
    kind::<devices::Report>("devices"),
    kind::<WrittenSurface>("surface, boundary, and what writes .glb"),
    kind::<PageReport>("view"),
    ReportKind { schema: PLATE_SCHEMA, of: "none: read by slice", make: json::plate_schema },
];

impl ReportKind {
    /// Without the program and the version.
    fn name(&self) -> &'static str {
        let name = self.schema.strip_prefix("subsolid.").unwrap_or(self.schema);
        name.split_once('/').map_or(name, |(name, _)| name)
    }
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let mut text = String::new();
    match arguments.report {
        Some(name) => {
            let kind = REPORTS.iter().find(|kind| kind.name() == name);
            let schema = kind.map(|kind| (kind.make)());
            text = serde_json::to_string_pretty(&schema).map_err(|e| {
                Error::request(format!("the schema cannot be written as JSON: {e}"))
            })?;
            text.push('\n');
        }
        None => {
            for kind in &REPORTS {
                let _ = writeln!(text, "{:<20} {:<30} {}", kind.name(), kind.schema, kind.of);
            }
        }
    }
    console.print(text.as_bytes())?;
    Ok(Outcome::Done)
}

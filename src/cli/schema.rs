//! `subsolid schema`

use std::fmt::Write;

use clap::Args;
use clap::builder::PossibleValuesParser;
use schemars::Schema;
use subsolid::extend::ExtensionReport;
use subsolid::io::MergedPieces;
use subsolid::jobs::assemble::AssembleReport;
use subsolid::jobs::bench::BenchReport;
use subsolid::jobs::conform::ConformReport;
use subsolid::jobs::denoise::DenoiseReport;
use subsolid::jobs::evaluate::{EvaluateReport, ExplainReport};
use subsolid::jobs::extract::ExtractReport;
use subsolid::jobs::fit::FitReport;
use subsolid::jobs::info::InfoReport;
use subsolid::jobs::quadrature::{QuadratureBoundaryReport, QuadratureReport};
use subsolid::jobs::query::QueryReport;
use subsolid::jobs::slice::{PLATE_SCHEMA, SliceReport};
use subsolid::jobs::smooth::SmoothReport;
use subsolid::jobs::surface_file::WrittenSurface;
use subsolid::jobs::untangle::UntangleReport;
use subsolid::jobs::view::PageReport;
use subsolid::slice::MergedLayers;
use subsolid::surface::SurfaceSummary;
use subsolid::{Error, Result};

use super::json::{self, JsonReport, Written};
use super::{Console, Outcome, compare, devices, distance, locate, merge, refine, solve};

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

/// The reports of `--json`: their type, the name and version of the schema, and what prints them.
macro_rules! reports {
    ($($report:ty: $schema:literal $of:literal)*) => {
        $(impl JsonReport for $report {
            const SCHEMA: &'static str = $schema;
        })*
        const REPORTS: &[ReportKind] = &[
            $(kind::<$report>($of),)*
            ReportKind { schema: PLATE_SCHEMA, of: "none: read by slice", make: json::plate_schema },
        ];
    };
}

reports! {
    InfoReport: "subsolid.info/2" "info"
    SurfaceSummary: "subsolid.surface-info/1" "info, of surfaces"
    refine::WrittenMesh: "subsolid.mesh/1" "refine, shape"
    EvaluateReport: "subsolid.evaluate/1" "evaluate"
    ExplainReport: "subsolid.explain/1" "evaluate --explain"
    merge::Report<MergedPieces>: "subsolid.merge/1" "merge, of a .pvtu"
    merge::Report<MergedLayers>: "subsolid.merge-layers/1" "merge, of layers"
    Written<ExtensionReport>: "subsolid.extend/1" "extend"
    ExtractReport: "subsolid.extract/1" "extract"
    SliceReport: "subsolid.slice/1" "slice"
    QuadratureReport: "subsolid.quadrature/1" "quadrature"
    QuadratureBoundaryReport: "subsolid.quadrature-boundary/1" "quadrature --boundary"
    AssembleReport: "subsolid.assemble/1" "assemble"
    solve::Report: "subsolid.solve/1" "solve"
    locate::Report: "subsolid.locate/1" "locate"
    QueryReport: "subsolid.query/1" "query"
    distance::Report: "subsolid.distance/1" "distance"
    Written<SmoothReport>: "subsolid.smooth/1" "smooth"
    Written<DenoiseReport>: "subsolid.denoise/1" "denoise"
    Written<UntangleReport>: "subsolid.untangle/2" "untangle"
    Written<ConformReport>: "subsolid.conform/1" "conform"
    Written<FitReport>: "subsolid.fit/1" "fit"
    compare::Report: "subsolid.compare/1" "compare"
    BenchReport: "subsolid.bench/1" "bench"
    devices::Report: "subsolid.devices/1" "devices"
    WrittenSurface: "subsolid.surface/2" "surface, boundary, and what writes .glb"
    PageReport: "subsolid.view/3" "view"
}

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
            for kind in REPORTS {
                let _ = writeln!(text, "{:<20} {:<30} {}", kind.name(), kind.schema, kind.of);
            }
        }
    }
    console.print(text.as_bytes())?;
    Ok(Outcome::Done)
}

//! `subsolid info`

pub mod surface;

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use subsolid::Result;
use subsolid::io::ControlMesh;
use subsolid::jobs::info::InfoReport;
use subsolid::jobs::output::{check_page, write_page};
use subsolid::limit::{EvaluationSummary, Form, Reason, Solid, Summary};
use subsolid::numbers::{counted, significant};
use subsolid::scheme::VertexRule;
use subsolid::view::{FigureTable, Page, ViewOptions};

use super::console::since;
use super::json::JsonReport;
use super::model::{ModelArguments, SOLID_OR_SURFACE};
use super::{Console, Outcome};

/// Structures listed one by one for people; JSON has them all.
const MAX_LISTED_STRUCTURES: usize = 24;
/// Values of a cell array listed for people; JSON has more.
const MAX_SHOWN_VALUES: usize = 12;

/// Describe the control mesh of a solid or a surface: counts, data, valences, classes of cells
#[derive(Args)]
#[command(mut_arg("model", |model| model.help(SOLID_OR_SURFACE)))]
#[command(after_help = "\
Examples:
  subsolid info model.mesh
  subsolid info model.mesh --levels 1 --crease-angle 40
  subsolid info skin.obj
  subsolid info model.mesh --report model.html
  subsolid info model.mesh --verbose --json | jq .kernels")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Refine the model this many times first
    #[arg(long, value_name = "N", default_value_t = 0)]
    levels: usize,
    /// Also list how cells are evaluated: leaves of the local refinement, the published kernels for
    /// them (Besler et al. 2022; a GPU runs them with --strategy thread, warp and hybrid), and
    /// structures with the condition number of their eigenvectors and their reconstruction error
    #[arg(long, short)]
    verbose: bool,
    /// Write the report and a picture of the model as a web page: .html
    #[arg(long, value_name = "OUT")]
    report: Option<PathBuf>,
}

impl JsonReport for InfoReport {
    const SCHEMA: &'static str = "subsolid.info/2";
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    if let Some(path) = &arguments.report {
        check_page(path)?;
        arguments.model.check_no_input(path, &[])?;
    }
    let mesh = match arguments.model.open(console)? {
        ControlMesh::Surface(mesh) => return surface::run(&arguments, &mesh, console),
        ControlMesh::Solid(mesh) => mesh,
    };
    let (levels, rule) = (arguments.levels, VertexRule::default());
    let mesh = arguments.model.prepare(mesh, levels, rule, console)?;
    let start = Instant::now();
    let topology = arguments.model.topology(&mesh, console)?;
    let summary = console.during("Counting", || Summary::new(&mesh, &topology))?;
    let is_analyzed = arguments.verbose || arguments.report.is_some();
    let mut info = InfoReport::new(&mesh, summary, &topology);
    let analyze = || console.during("Analyzing", || Solid::with_topology(&mesh, topology));
    let solid = if is_analyzed { Some(analyze()?) } else { None };
    console
        .status("Analyzed", format!("{} in {}", counted(mesh.cells.len(), "cell"), since(start)));
    if let (true, Some(solid)) = (arguments.verbose, &solid) {
        info.summary = console.during("Decomposing", || info.summary.with_evaluation(solid));
    }
    if let (Some(path), Some(solid)) = (&arguments.report, &solid) {
        let title = title(&arguments.model);
        let page = console.during("Drawing", || Page::of_analyzed(&mesh, solid, &title))?;
        write_page(path, page, tables(&info), &mut console.notes())?;
    }
    console.report(&info, || text(&info))?;
    if levels == 0 {
        console.hint(|| info.limit_from_vertices?.notice(&mesh));
    }
    Ok(Outcome::Done)
}

/// Names, and what belongs to them.
type TextRows = Vec<[String; 2]>;

fn text(info: &InfoReport) -> String {
    let mut rows = rows(info);
    rows.extend(info.summary.evaluation.iter().flat_map(how));
    aligned(rows)
}

/// Names and what belongs to them in two columns.
fn aligned(rows: TextRows) -> String {
    let mut text = String::new();
    for [name, value] in rows {
        let _ = write!(text, "{name:<20} ");
        for c in value.chars() {
            // names come from files: a terminal would act on some characters
            if c.is_control() {
                text.extend(c.escape_default());
            } else {
                text.push(c);
            }
        }
        text.push('\n');
    }
    text
}

/// How the page of a model is called.
fn title(model: &ModelArguments) -> ViewOptions {
    let title = model.model.file_name().unwrap_or_default().to_string_lossy();
    ViewOptions::titled(title.into_owned())
}

/// The tables of a model for pages.
fn tables(info: &InfoReport) -> Vec<FigureTable> {
    let mut found = vec![("Control mesh", rows(info))];
    found.extend(info.summary.evaluation.iter().map(|e| ("How cells evaluate", how(e))));
    found.into_iter().map(|(title, rows)| table(title, rows)).collect()
}

fn table(title: &str, rows: TextRows) -> FigureTable {
    FigureTable {
        title: title.into(),
        rows: rows.into_iter().map(Vec::from).collect(),
        ..FigureTable::default()
    }
}

fn attributes(widths: &BTreeMap<String, usize>) -> impl Iterator<Item = [String; 2]> {
    widths.iter().map(|(name, width)| ["attribute".into(), format!("{name}, width {width}")])
}

fn rows(info: &InfoReport) -> TextRows {
    let summary = &info.summary;
    let mut rows = TextRows::new();
    let mut line = |name: &str, value: String| rows.push([name.into(), value]);
    line("vertices", format!("{} ({} boundary)", summary.vertices, summary.boundary_vertices));
    line("edges", format!("{} ({} boundary)", summary.edges, summary.boundary_edges));
    line("faces", format!("{} ({} boundary)", summary.faces, summary.boundary_faces));
    let kinds = summary.cells_by_kind.iter().map(|(kinds, &count)| counted(count, one_of(kinds)));
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    line("cells", format!("{} ({kinds})", summary.cells));
    attributes(&summary.attributes).for_each(|[name, value]| line(&name, value));
    for (name, array) in &summary.cell_data {
        let values = array.cells.iter().flatten();
        let mut values: Vec<String> = values.map(|(value, n)| format!("{n} of {value}")).collect();
        if values.len() > MAX_SHOWN_VALUES {
            let others = values.split_off(MAX_SHOWN_VALUES).len();
            values.push(counted(others, "more value"));
        }
        let values =
            if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
        line("cell array", format!("{name}, width {}{values}", array.width));
    }
    for (name, cells) in &summary.cell_groups {
        line("group", format!("{name}, {}", counted(*cells, "cell")));
    }
    for (name, faces) in &summary.face_groups {
        line("group", format!("{name}, {}", counted(*faces, "face")));
    }
    if summary.orphan_vertices > 0 {
        line("orphan vertices", summary.orphan_vertices.to_string());
    }
    line("connected parts", summary.parts.to_string());
    if summary.coincident_vertices > 0 {
        line("coincident vertices", summary.coincident_vertices.to_string());
    }
    if let Some([low, high]) = summary.bounds {
        line("bounds", format!("{low:?} to {high:?}"));
    }
    if info.is_fitted {
        line("fitted", "the points are control points of a part".into());
    } else if let Some(miss) = &info.limit_from_vertices {
        let [rms, max] = [miss.distance.rms, miss.distance.max].map(significant);
        let percent = 100.0 * miss.of_size;
        line(
            "limit from vertices",
            format!("rms {rms}, at most {max}: {percent:.2} % of the size"),
        );
    }
    line("interior valences", valences(&summary.interior_valences));
    line("boundary valences", valences(&summary.boundary_valences));
    if !summary.sharp_valences.is_empty() {
        line("sharp valences", valences(&summary.sharp_valences));
    }
    if summary.sharp_corners > 0 {
        line("sharp corners", summary.sharp_corners.to_string());
    }
    let classes = summary.classes;
    for (name, count, meaning) in [
        ("regular cells", classes.regular, "tricubic B-splines"),
        ("layered cells", classes.layered, "at an extraordinary edge, splines along it"),
        ("irregular cells", classes.irregular, "at an extraordinary vertex"),
        (
            "refined cells",
            classes.refined,
            "refined locally first; their parts belong to the classes above",
        ),
    ] {
        if count > 0 {
            line(name, format!("{count}: {meaning}"));
        }
    }
    for (reason, count) in &summary.refined {
        line("", format!("{count} for {}", why(*reason)));
    }
    rows
}

/// A kind of cells, as the summary names it.
fn one_of(kinds: &str) -> &str {
    match kinds {
        "hexahedra" => "hexahedron",
        "tetrahedra" => "tetrahedron",
        "polyhedra" => "polyhedron",
        kinds => kinds.trim_end_matches('s'),
    }
}

/// What cells evaluate by.
fn how(summary: &EvaluationSummary) -> TextRows {
    let mut rows = TextRows::new();
    let mut line = |name: &str, value: String| rows.push([name.into(), value]);
    line("leaves", format!("{} at depth 0 to {}", summary.leaves, summary.depth));
    line("published kernels", list(&summary.kernels));
    let count = summary.structures.len();
    line("structures", format!("{count}: local subdivision matrices that cells share"));
    for s in summary.structures.iter().take(MAX_LISTED_STRUCTURES) {
        let form = match s.form {
            Form::Eigen => "its eigenvectors",
            Form::Powers => "powers of its matrix",
        };
        let found = match (s.condition, s.reconstruction_error) {
            (Some(condition), Some(error)) => format!(
                "condition of the eigenvectors {condition:.1e}, reconstruction error {error:.1e}"
            ),
            _ => "too large to be decomposed".to_owned(),
        };
        line(
            &format!("  {}", s.kind),
            format!(
                "{}, {}, by {form}, {}; {found}",
                counted(s.controls, "control point"),
                counted(s.cells, "cell"),
                counted(s.first_steps, "first step"),
            ),
        );
    }
    if count > MAX_LISTED_STRUCTURES {
        line("  …", format!("and {} more, see --json", count - MAX_LISTED_STRUCTURES));
    }
    rows
}

fn list<K: Display>(counts: &BTreeMap<K, usize>) -> String {
    let items: Vec<String> = counts.iter().map(|(name, n)| format!("{n} {name}")).collect();
    items.join(", ")
}

/// `valence:count` of every valence.
fn valences(counts: &BTreeMap<usize, usize>) -> String {
    let items: Vec<String> = counts.iter().map(|(valence, n)| format!("{valence}:{n}")).collect();
    items.join("  ")
}

fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::SemiSharp => "semi-sharp creases or corners, whose sharpness must reach 0 first",
        Reason::MixedCells => "corners at cells that are not hexahedra",
        Reason::SeveralExtraordinary => {
            "several extraordinary vertices or edges, which must be separated"
        }
        Reason::NotHexahedral => "their shape: they are evaluated on their hexahedral children",
        Reason::Ghost => "ghosts of a part",
    }
}

//! Rows of reports on solids and surfaces, for people: names, and what belongs to them.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::report::InfoReport;
use crate::error::{Command, Message};
use crate::limit::{EvaluationSummary, Form, Reason};
use crate::numbers::{counted, significant};
use crate::surface::SurfaceSummary;
use crate::view::FigureTable;

/// Structures listed one by one; the report has them all.
const MAX_LISTED_STRUCTURES: usize = 24;
/// Values of a cell array that are listed; the report has more.
const MAX_SHOWN_VALUES: usize = 12;

/// Names, and what belongs to them.
pub type InfoRows = Vec<[String; 2]>;

/// Rows as a table of a page.
pub(super) fn table(title: &str, rows: InfoRows) -> FigureTable {
    FigureTable {
        title: title.into(),
        rows: rows.into_iter().map(Vec::from).collect(),
        ..FigureTable::default()
    }
}

/// Rows on a solid.
pub fn solid_rows(info: &InfoReport) -> InfoRows {
    let summary = &info.summary;
    let mut rows = InfoRows::new();
    let mut line = |name: &str, value: String| rows.push([name.into(), value]);
    line("vertices", format!("{} ({} boundary)", summary.vertices, summary.boundary_vertices));
    line("edges", format!("{} ({} boundary)", summary.edges, summary.boundary_edges));
    line("faces", format!("{} ({} boundary)", summary.faces, summary.boundary_faces));
    let kinds = summary.cells_by_kind.iter().map(|(kinds, &count)| counted(count, one_of(kinds)));
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    line("cells", format!("{} ({kinds})", summary.cells));
    if summary.ghosts > 0 {
        line("ghost cells", format!("{}: they are no part of the solid", summary.ghosts));
    }
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
    for period in &info.periods {
        line("period", format!("{period:?}"));
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

/// Rows on how cells are evaluated; `words`: how the door spells messages.
pub fn evaluation_rows(
    summary: &EvaluationSummary,
    words: impl Fn(&Message) -> String,
) -> InfoRows {
    let mut rows = InfoRows::new();
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
        let more = count - MAX_LISTED_STRUCTURES;
        line("  …", words(&message!("and {more} more, ", Command::ListStructures)));
    }
    rows
}

/// Rows on a surface.
pub fn surface_rows(summary: &SurfaceSummary) -> InfoRows {
    let mut rows = InfoRows::new();
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

fn attributes(widths: &BTreeMap<String, usize>) -> impl Iterator<Item = [String; 2]> {
    widths.iter().map(|(name, width)| ["attribute".into(), format!("{name}, width {width}")])
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

fn of_corners(corners: usize, count: usize) -> String {
    match corners {
        3 => counted(count, "triangle"),
        4 => counted(count, "quad"),
        _ => format!("{count} of {corners} corners"),
    }
}

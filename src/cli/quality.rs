//! Human-readable reports of Jacobians.

use std::fmt::Write;

use subsolid::numbers::counted;
use subsolid::volume::Quality;

/// Cells of poor quality that are listed for people; JSON has them all.
const MAX_LISTED_CELLS: usize = 12;

/// The report for people; `left_handed`: control hexahedra, `places`: where the samples are.
pub fn text(quality: &Quality, left_handed: usize, places: &str) -> String {
    let mut text = format!("{:<24} {}\n", "samples", quality.samples);
    let _ = writeln!(text, "{:<24} {left_handed}", "left-handed cells");
    for (name, extreme) in [
        ("least det J", quality.least_determinant),
        ("greatest det J", quality.greatest_determinant),
        ("least scaled Jacobian", quality.least_scaled_jacobian),
        ("greatest scaled Jacobian", quality.greatest_scaled_jacobian),
    ] {
        let found = extreme.map_or("none".into(), |extreme| extreme.to_string());
        let _ = writeln!(text, "{name:<24} {found}");
    }
    let _ = writeln!(text, "{:<24} {}", "undefined Jacobian at", quality.undefined);
    let cells = &quality.non_positive;
    let _ = writeln!(text, "{:<24} {}", "smooth edges, det J = 0", quality.flat);
    let _ = writeln!(text, "{:<24} {}", "cells with det J <= 0", cells.len());
    for (cell, found) in cells.iter().take(MAX_LISTED_CELLS) {
        let worst = found.worst;
        let _ =
            writeln!(text, "  cell {cell}: {}, worst {worst}", counted(found.samples, "sample"));
    }
    if cells.len() > MAX_LISTED_CELLS {
        let _ = writeln!(text, "  … and {} more, see --json", cells.len() - MAX_LISTED_CELLS);
    }
    if cells.is_empty() {
        let _ = writeln!(text, "no folded sample at {places}; between them cells may be folded");
    }
    text
}

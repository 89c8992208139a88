//! Jacobians as people read them.

use std::fmt::Write;

use subsolid::volume::{Extreme, Quality};

use super::console::counted;
use super::number::significant;

/// Cells of poor quality that are listed for people; JSON has them all.
const LISTED: usize = 12;

/// The report for people; `left_handed`: control hexahedra.
pub fn text(quality: &Quality, left_handed: usize) -> String {
    let mut text = format!("{:<24} {}\n", "samples", quality.samples);
    let _ = writeln!(text, "{:<24} {left_handed}", "left-handed cells");
    for (name, extreme) in [
        ("least detJ", quality.least_determinant),
        ("greatest detJ", quality.greatest_determinant),
        ("least scaled Jacobian", quality.least_scaled_jacobian),
        ("greatest scaled Jacobian", quality.greatest_scaled_jacobian),
    ] {
        let found = extreme.map_or("none".into(), |extreme| place(&extreme));
        let _ = writeln!(text, "{name:<24} {found}");
    }
    let _ = writeln!(text, "{:<24} {}", "no Jacobian exists at", quality.undefined);
    let cells = &quality.non_positive;
    let _ = writeln!(text, "{:<24} {}", "cells with detJ <= 0", cells.len());
    for (cell, found) in cells.iter().take(LISTED) {
        let worst = place(&found.worst);
        let _ =
            writeln!(text, "  cell {cell}: {}, worst {worst}", counted(found.samples, "sample"));
    }
    if cells.len() > LISTED {
        let _ = writeln!(text, "  … and {} more, see --json", cells.len() - LISTED);
    }
    text
}

/// A value and where it stands.
pub fn place(extreme: &Extreme) -> String {
    let Extreme { value, cell, parameters: [u, v, w], point: [x, y, z], corner } = extreme;
    let corner = corner.map(|corner| format!(" corner {corner}")).unwrap_or_default();
    let [x, y, z] = [x, y, z].map(|x| significant(*x));
    format!("{value:.6e} in cell {cell}{corner} at u {u} v {v} w {w}, x {x} y {y} z {z}")
}

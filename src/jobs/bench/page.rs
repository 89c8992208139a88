//! The page of plots.

use std::fmt::Write;

use crate::view::{document, escaped};

use super::figures::{Figure, FigureColumns, figures};
use super::results::BenchReport;

/// One page of HTML that needs nothing else.
pub fn page(results: &BenchReport) -> String {
    let machine = &results.machine;
    let mut page = format!(
        "<p>{}<br>{}, subsolid {}<br><code>{}</code></p>\n\
         <p>The experiments of Besler, Altenhofen, Stork and Fellner, <i>GPU-parallel \
         constant-time limit evaluation of Catmull-Clark solids</i> (2022), on this machine: \
         figure numbers are theirs. <i>thread</i>, <i>warp</i> and <i>hybrid</i> are their \
         method, <i>auto</i> is this program's own; <i>CPU</i> is this program too, with SIMD and \
         threads, not the CPU program of the paper.</p>\n",
        escaped(&machine.describe()),
        machine.date,
        machine.version,
        escaped(&machine.command),
    );
    models(&mut page, results);
    if !results.left_out.is_empty() {
        page += "<h2>Left out</h2>\n<ul>\n";
        for note in &results.left_out {
            let _ = writeln!(page, "<li>{}</li>", escaped(note));
        }
        page += "</ul>\n";
    }
    figures(results).iter().for_each(|figure| section(&mut page, figure));
    document("Limit evaluation of Catmull-Clark solids, measured", &page)
}

/// What each model consists of, as the paper's Table 1 does.
fn models(page: &mut String, results: &BenchReport) {
    const KERNELS: [&str; 6] = ["REG64", "REG48", "LAY16x16", "LAY32x16", "IRR32x32", "IRR64x32"];
    let mut header = vec!["model", "level", "cells"];
    header.extend(KERNELS);
    header.extend(["other regular", "refined"]);
    let rows = results.models.iter().map(|model| {
        let count = |n: usize| format!("{n} ({:.1} %)", 100.0 * n as f64 / model.cells as f64);
        let known = KERNELS.map(|kernel| model.kernels.get(kernel).copied().unwrap_or(0));
        let other = model.kernels.values().sum::<usize>() - known.iter().sum::<usize>();
        let mut row = vec![model.model.clone(), model.level.to_string(), model.cells.to_string()];
        row.extend(known.map(count));
        row.extend([count(other), count(model.refined)]);
        row
    });
    *page += "<h2>Table 1: models</h2>\n<p>Cells by the paper's kernels.</p>\n";
    table(page, &FigureColumns { header, rows: rows.collect() });
}

fn section(page: &mut String, figure: &Figure) {
    let _ =
        writeln!(page, "<h2>{}</h2>\n<p>{}</p>", escaped(&figure.title), escaped(&figure.caption));
    for (title, svg) in &figure.charts {
        let title = escaped(title);
        let _ = writeln!(page, "<figure><figcaption>{title}</figcaption>{svg}</figure>");
    }
    *page += "<details><summary>Numbers</summary>\n";
    table(page, &figure.table);
    *page += "</details>\n";
}

fn table(page: &mut String, table: &FigureColumns) {
    let row = |page: &mut String, tag: &str, cells: &mut dyn Iterator<Item = &str>| {
        *page += "<tr>";
        for cell in cells {
            let _ = write!(page, "<{tag}>{}</{tag}>", escaped(cell));
        }
        *page += "</tr>\n";
    };
    *page += "<table>\n";
    row(page, "th", &mut table.header.iter().copied());
    for cells in &table.rows {
        row(page, "td", &mut cells.iter().map(String::as_str));
    }
    *page += "</table>\n";
}

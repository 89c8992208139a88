//! Refined meshes in pieces, which one program makes one after another, or many ranks share.

use std::ops::Range;
use std::time::Instant;

use subsolid::Result;
use subsolid::cluster::{Ranks, ThreadGroup, block};
use subsolid::io::{Dataset, Format, WriteOptions};
use subsolid::jobs::refine::RefineRequest;
use subsolid::jobs::shared_pieces::SharedPieces;
use subsolid::mesh::SolidMesh;
use subsolid::numbers::counted;
use subsolid::parts::{Blocks, OwnedCells};
use subsolid::plan::element_pieces;

use super::{Arguments, Console, Outcome, WrittenMesh};
use crate::cli::cluster::all_rows;
use crate::cli::output::check_mesh_names;

/// Cells of a piece: some hundred megabytes of setup.
const PIECE_CELLS: usize = 1 << 18;

pub fn run(
    arguments: &Arguments,
    mesh: &SolidMesh,
    ranks: Option<&Ranks<'_>>,
    console: &Console,
) -> Result<Outcome> {
    let (group, output) = (ThreadGroup::alone(), &arguments.output.path);
    let alone = Ranks::new(&group);
    let ranks = ranks.unwrap_or(&alone);
    let RefineRequest { levels, vertex_rule, .. } = arguments.request;
    mesh.creases.check_evaluable(levels)?;
    let start = Instant::now();
    let blocks = Blocks::new(mesh, levels, vertex_rule)?;
    let cells = blocks.count();
    let most = arguments.piece_cells.unwrap_or(PIECE_CELLS);
    let pieces: Vec<_> = element_pieces(cells, 1, most).collect();
    let coincident = mesh.coincident_vertices().count;
    if pieces.len() > 1 && coincident > 0 {
        console.warn(format!(
            "{}: vertices in one place ({coincident} of the model) are joined where pieces are read; \
             write one file, such as .vtu, to keep them apart",
            output.display()
        ));
    }
    arguments.model.check_cells(mesh, console)?;
    check_mesh_names(Format::Pvtu, mesh)?;
    let own = block(pieces.len(), ranks.rank(), ranks.size());
    let options = WriteOptions { compress: arguments.output.compress, format: None };
    let mut writer = SharedPieces::create(output, options, ranks)?;
    let bar = console.bar(pieces[own.clone()].iter().map(Range::len).sum());
    let mut vertices = 0;
    for (index, piece) in own.clone().zip(&pieces[own]) {
        ranks.go_on()?;
        let OwnedCells { mesh, first_vertices } = blocks.block(piece.clone())?.own();
        writer.push(index, &Dataset::of_piece(&mesh, blocks.has_corners()))?;
        vertices += first_vertices;
        bar.inc(piece.len() as u64);
    }
    bar.finish_and_clear();
    let all = all_rows(ranks, [vertices as f64])?;
    writer.finish(ranks)?;
    let vertices = all.iter().flatten().sum::<f64>() as usize;
    let counts = format!("{}, {}", counted(vertices, "vertex"), counted(cells, "cell"));
    console.wrote(output.display(), counts, start);
    WrittenMesh { output: output.display().to_string(), vertices, cells }.report(console)
}

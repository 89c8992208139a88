//! A quadrature on ranks: each has the set-up of the whole, and evaluates and writes its share.

use std::time::Instant;

use subsolid::cluster::Ranks;
use subsolid::io::Format;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Cost;
use subsolid::quadrature::{Quadrature, Report, ReportShare, points};
use subsolid::volume::add_cell_data;
use subsolid::{Error, Result, WriteOptions};

use super::{Arguments, PIECE, Summary, refusal, volume};
use crate::cli::cluster::{all_numbers, own_choice};
use crate::cli::console::{counted, since};
use crate::cli::model::warn_left_out;
use crate::cli::pieces::share;
use crate::cli::shared_pieces::SharedPieces;
use crate::cli::{Console, Outcome, quality};

pub fn run(
    a: &Arguments,
    ranks: &Ranks<'_>,
    quadrature: &Quadrature<'_>,
    mesh: &SolidMesh,
    bytes: Option<u64>,
    console: &Console,
) -> Result<Outcome> {
    let start = Instant::now();
    let cost = Cost::quadrature(quadrature.sample_count() / ranks.size());
    let choice = own_choice(a.backend, &cost, ranks)?;
    let mapping = a.mapping(choice, quadrature, mesh, console)?;
    let own = ReportShare::new(&*mapping, (ranks.rank(), ranks.size()))?;
    let all = all_numbers(ranks, Ok(own.to_numbers()))?;
    let shares: Vec<_> = all.iter().map(|numbers| ReportShare::from_numbers(numbers)).collect();
    let report = Report::of_shares(&*mapping, &shares)?;
    let samples = counted(report.samples, "quadrature point");
    console.status("Evaluated", format!("{samples} in {}", since(start)));
    console.status("Volume", volume(&report));
    if report.left_handed {
        console.warn("all cells are left-handed: weights and volumes are those of |det J|");
    }
    if console.json() || a.quality {
        let left_handed = mesh.handedness().left_handed;
        let summary = Summary::new(a, quadrature, &report, bytes);
        console.report(&summary, || quality::text(&report.quality, left_handed))?;
    }
    let poor = !report.quality.non_positive.is_empty();
    if let Some(output) = &a.output {
        if poor && !a.force {
            return Err(refusal(&report.quality));
        }
        let start = Instant::now();
        let options = WriteOptions { compress: a.compress };
        let mut writer = SharedPieces::create(output, options, ranks)?;
        let pieces = quadrature.pieces(a.piece_points.unwrap_or(PIECE));
        for index in share(&(0..pieces.len()), (ranks.rank() + 1, ranks.size())) {
            ranks.go_on()?;
            let mut dataset = points(&*mapping, &pieces[index..=index])?;
            let left_out = add_cell_data(&mut dataset, &mesh.cell_data);
            if index == 0 {
                warn_left_out(&left_out, console);
            }
            writer.push(index, &dataset)?;
        }
        writer.finish(ranks)?;
        console.status("Wrote", format!("{} in {}", output.display(), since(start)));
        if poor {
            console.warn(refusal(&report.quality));
        }
    }
    Ok(if poor { Outcome::PoorQuality } else { Outcome::Done })
}

impl Arguments {
    /// Refuses what ranks do not share.
    pub fn check_of_ranks(&self, format: Option<Format>) -> Result<()> {
        if self.pieces.is_some() {
            return Err(Error::request("--pieces is for one program")
                .with_help("leave it out, or leave --mpi out"));
        }
        if format.is_some_and(|format| format != Format::Pvtu) {
            return Err(Error::request("ranks write a .pvtu")
                .with_help("end the name of the output in .pvtu"));
        }
        Ok(())
    }
}

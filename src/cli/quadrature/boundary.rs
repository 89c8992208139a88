//! `subsolid quadrature --boundary`

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use subsolid::backend::Choice;
use subsolid::io::{self, Format, WriteOptions};
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Want;
use subsolid::quadrature::{
    BoundaryReport, Mapping, Quadrature, Scheme, points, sides, write_boundary_npz,
};
use subsolid::volume::add_cell_data;
use subsolid::{Error, Result};

use super::super::Outcome;
use super::super::console::{Console, counted, since};
use super::super::model::warn_left_out;
use super::{Arguments, Asked, PIECE, write_pieces};

#[derive(Serialize)]
struct Summary<'a> {
    #[serde(flatten)]
    asked: Asked,
    #[serde(flatten)]
    report: &'a BoundaryReport,
}

/// Refuses a processor that has no quadrature of the boundary.
pub fn check_backend(backend: Choice) -> Result<()> {
    match backend {
        Choice::Auto | Choice::Cpu => Ok(()),
        _ => Err(Error::request("a GPU has no quadrature of the boundary")
            .with_help("leave --backend out, or give cpu")),
    }
}

/// Writes the quadrature of some sides, or of all.
pub fn run(
    a: &Arguments,
    wanted: &[u32],
    (mesh, solid): (&SolidMesh, &Solid),
    (scheme, want): (Scheme, Want),
    console: &Console,
) -> Result<Outcome> {
    let (side, count) = sides(solid.topology(), &mesh.creases);
    if let Some(missing) = wanted.iter().find(|&&w| w as usize >= count) {
        return Err(Error::request(format!("the boundary has no side {missing}")).with_help(
            format!(
                "it has {count}, numbered from 0 and told apart by sharp edges; --crease-angle 40 \
                 makes edges sharp"
            ),
        ));
    }
    let keep = |face: u32| wanted.is_empty() || wanted.contains(&side[face as usize]);
    let start = Instant::now();
    let quadrature = Quadrature::boundary(solid, scheme, want, keep)?;
    let format = a.output.as_ref().map(|output| a.check_output(output)).transpose()?;
    let output_bytes = a.announce(&quadrature, mesh, format, console)?;
    let mapping = Mapping::new(&quadrature, mesh.controls())?;
    let origin = mesh.points.first().copied().unwrap_or_default();
    let report = BoundaryReport::new(&mapping, &side, origin)?;
    let samples = counted(report.samples, "quadrature point");
    console.status("Evaluated", format!("{samples} in {}", since(start)));
    console
        .status("Area", format!("{:.12} on {}", report.area, counted(report.sides.len(), "side")));
    let summary = Summary { asked: Asked::new(a, &quadrature, output_bytes), report: &report };
    console.report(&summary, || text(&report))?;
    if let Some(output) = &a.output {
        let start = Instant::now();
        write(a, output, &mapping, mesh, (&report, &side), console)?;
        console.status("Wrote", format!("{} in {}", output.display(), since(start)));
    }
    Ok(Outcome::Done)
}

fn write(
    a: &Arguments,
    output: &Path,
    mapping: &Mapping<'_>,
    mesh: &SolidMesh,
    of_sides: (&BoundaryReport, &[u32]),
    console: &Console,
) -> Result<()> {
    match a.check_output(output)? {
        Format::Npz => {
            let options = a.export_options(mesh);
            warn_left_out(&options.left_out(), console);
            write_boundary_npz(output, mapping, mesh.controls(), of_sides, options)
        }
        Format::Pvtu => write_pieces(a, output, mapping, mesh, console),
        _ => {
            let mut dataset = points(mapping, &mapping.quadrature().pieces(PIECE))?;
            warn_left_out(&add_cell_data(&mut dataset, &mesh.cell_data), console);
            io::write(output, dataset, WriteOptions { compress: a.compress })
        }
    }
}

fn text(report: &BoundaryReport) -> String {
    let mut text = String::from("side    faces  area           centroid\n");
    for side in &report.sides {
        let [x, y, z] = side.centroid;
        text += &format!(
            "{:<7} {:<6} {:<14.8} {x:.6} {y:.6} {z:.6}\n",
            side.side, side.faces, side.area
        );
    }
    text
}

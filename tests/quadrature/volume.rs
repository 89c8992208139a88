//! Volumes by quadrature against the flux of x / 3 through the boundary, which other code
//! evaluates as a surface.

use rayon::prelude::*;

use subsolid::Quadrature;
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Want;
use subsolid::quadrature::{Mapping, Report, Scheme};

use crate::oracle::{convert, flux};
use crate::support::meshes::{models, shapes};

fn report(mesh: &SolidMesh, scheme: Scheme) -> Report {
    let solid = Solid::new(mesh).unwrap();
    let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
    Report::new(&Mapping::new(&quadrature, mesh.controls()).unwrap())
}

#[test]
fn print_errors() {
    let mut all = shapes();
    all.extend(models());
    all.par_iter().for_each(|(name, mesh)| {
        let expected = flux::volume(&convert::solid(mesh).skin(), 8);
        let mut line = format!("{name} {expected}:");
        for (gauss, rings) in
            [(4, 0), (4, 2), (4, 3), (4, 4), (4, 6), (5, 4), (5, 6), (5, 8), (5, 10)]
        {
            let report = report(mesh, Scheme { gauss, rings });
            line += &format!(" {gauss}/{rings} {:.1e}", report.volume / expected - 1.0);
        }
        println!("{line}");
    });
}

//! Jacobians of the cells, and the worst of them.

use super::channel::{ColorChannel, range};
use super::scene::{Scene, WorstCell};
use crate::backend::{Backend, Cpu, Limit};
use crate::error::Result;
use crate::limit::{Solid, VTK_CORNER};
use crate::mesh::SolidMesh;
use crate::numbers::Precision;
use crate::numbers::vector::{difference, norm};
use crate::plan::{Quantity, Samples, Want, rounding};
use crate::topology::Topology;
use crate::volume::{is_flat, location};

/// Cells in the list.
const MAX_LISTED_CELLS: usize = 100;
/// Samples evaluated at once.
const RESULTS: usize = 1 << 20;

/// The worst place of each cell, where one has a Jacobian.
pub struct WorstPlaces {
    cells: Vec<Option<WorstCell>>,
    least: Vec<f64>,
    undefined: usize,
    flat: usize,
}

impl WorstPlaces {
    fn new(cells: usize) -> Self {
        Self { cells: vec![None; cells], least: vec![f64::INFINITY; cells], undefined: 0, flat: 0 }
    }

    /// Takes a sample into account.
    fn add(&mut self, mut sample: WorstCell) {
        let WorstCell { cell, determinant, scaled_jacobian: scaled, .. } = sample;
        if !determinant.is_finite() || !scaled.is_finite() {
            self.undefined += 1;
            return;
        }
        if scaled.abs() <= rounding(Precision::F64) {
            // its sign would be chance
            (sample.determinant, sample.scaled_jacobian) = (0.0, 0.0);
        }
        let least = &mut self.least[cell as usize];
        *least = least.min(sample.determinant);
        let slot = &mut self.cells[cell as usize];
        if slot.is_none_or(|worst| sample.scaled_jacobian < worst.scaled_jacobian) {
            *slot = Some(sample);
        }
    }

    /// Adds the arrays `scaled Jacobian` and `det J` of the cells, and the list.
    pub fn push(self, scene: &mut Scene) {
        let scaled: Vec<f32> = self
            .cells
            .iter()
            .map(|worst| worst.map_or(f32::NAN, |worst| worst.scaled_jacobian as f32))
            .collect();
        // of small and large models beyond single precision
        let least: Vec<f64> =
            self.least.iter().map(|&x| if x.is_finite() { x } else { f64::NAN }).collect();
        scene.shell.push("scaled", &scaled);
        scene.shell.push("determinant", &least);
        for (name, section, (low, high)) in [
            ("scaled Jacobian", "scaled", range(scaled.iter().map(|&x| f64::from(x)))),
            ("det J", "determinant", range(least.iter().copied())),
        ] {
            scene.channels.push(ColorChannel {
                name: name.into(),
                component: None,
                on: "cell",
                section: section.into(),
                low,
                high,
                integers: false,
            });
        }
        let mut worst: Vec<WorstCell> = self.cells.into_iter().flatten().collect();
        scene.folded = worst.iter().filter(|w| w.scaled_jacobian <= 0.0).count();
        scene.undefined = self.undefined;
        scene.flat = self.flat;
        worst.sort_by(|a, b| {
            a.scaled_jacobian.total_cmp(&b.scaled_jacobian).then(a.cell.cmp(&b.cell))
        });
        worst.truncate(MAX_LISTED_CELLS);
        scene.worst = worst;
    }
}

/// Of the limit, at `samples` places along each axis of every element.
pub fn of_limit(solid: &Solid, mesh: &SolidMesh, samples: usize) -> Result<WorstPlaces> {
    let plan = solid.plan(&Samples::grid(samples), Want::QUALITY)?;
    let (backend, mut limit) = (Cpu::default(), Limit::default());
    let mut evaluator = backend.prepare(&plan)?;
    let mut found = WorstPlaces::new(mesh.cells.len());
    let positions = SolidMesh { points: mesh.points.clone(), ..SolidMesh::default() };
    for range in plan.pieces(RESULTS) {
        evaluator.evaluate(positions.controls(), range, &mut limit)?;
        let of = |quantity| limit.quantity(quantity, None).into_iter().flat_map(|x| x.iter());
        let samples = of(Quantity::Determinant).zip(of(Quantity::ScaledJacobian));
        for (i, (determinant, scaled)) in samples.enumerate() {
            let place = location(&plan, &limit, i);
            let element = solid.elements()[place.element as usize];
            if scaled.abs() <= rounding(Precision::F64) && is_flat(&plan, place) {
                found.flat += 1;
                continue;
            }
            found.add(WorstCell {
                cell: element.cell,
                corner: element.corner,
                parameters: place.parameters,
                point: limit.positions.triple(i),
                scaled_jacobian: scaled,
                determinant,
            });
        }
    }
    Ok(found)
}

/// Of cells as they are: of trilinear hexahedra at samples; of others at the corners where three
/// edges meet, which are right-handed in cells that [`SolidMesh::oriented_cells`] turned outward.
pub fn of_cells(mesh: &SolidMesh, topology: &Topology, samples: usize) -> WorstPlaces {
    let mut found = WorstPlaces::new(mesh.cells.len());
    for cell in (0..mesh.cells.len()).filter(|&cell| !topology.is_ghost(cell as u32)) {
        match mesh.cells.hexahedron(cell) {
            Some(corners) => add_hexahedron(&mut found, mesh, cell as u32, corners, samples),
            None => add_corners(&mut found, mesh, topology, cell as u32),
        }
    }
    found
}

/// The corners of a cell where three edges meet.
fn add_corners(found: &mut WorstPlaces, mesh: &SolidMesh, topology: &Topology, cell: u32) {
    for place in 0..topology.cells().vertices(cell as usize).len() {
        let vertex = topology.cells().listed_vertex(cell as usize, place);
        let fan = topology.corner_fan(cell, vertex);
        let (Some(fan), Ok(corner)) = (fan, u8::try_from(place)) else { continue };
        let point = mesh.points[vertex as usize];
        let along = |v: u32| difference(mesh.points[v as usize], point);
        let (determinant, scaled_jacobian) = jacobian(&fan.toward.map(along));
        found.add(WorstCell {
            cell,
            corner: Some(corner),
            parameters: [0.0; 3],
            point,
            scaled_jacobian,
            determinant,
        });
    }
}

/// The determinant of three derivatives, and over the product of their lengths.
fn jacobian(derivatives: &[[f64; 3]; 3]) -> (f64, f64) {
    let determinant = nalgebra::Matrix3::from(*derivatives).determinant();
    let lengths: f64 = derivatives.iter().map(|&d| norm(d)).product();
    (determinant, if determinant == 0.0 { 0.0 } else { determinant / lengths })
}

/// The samples of a trilinear hexahedron.
fn add_hexahedron(
    found: &mut WorstPlaces,
    mesh: &SolidMesh,
    cell: u32,
    corners: &[u32; 8],
    samples: usize,
) {
    let at = |i: usize| i as f64 / (samples - 1) as f64;
    for k in 0..samples.pow(3) {
        let p = [k % samples, k / samples % samples, k / samples.pow(2)].map(at);
        let mut point = [0.0; 3];
        let mut derivatives = [[0.0; 3]; 3];
        for bits in 0..8 {
            let corner = mesh.points[corners[VTK_CORNER[bits]] as usize];
            let end = |d: usize| bits >> d & 1 == 1;
            let value = |d: usize| if end(d) { p[d] } else { 1.0 - p[d] };
            let slope = |d: usize| if end(d) { 1.0 } else { -1.0 };
            let weight = value(0) * value(1) * value(2);
            for x in 0..3 {
                point[x] += weight * corner[x];
                for (d, derivative) in derivatives.iter_mut().enumerate() {
                    let (a, b) = ((d + 1) % 3, (d + 2) % 3);
                    derivative[x] += slope(d) * value(a) * value(b) * corner[x];
                }
            }
        }
        let (determinant, scaled_jacobian) = jacobian(&derivatives);
        let (corner, parameters) = (None, p);
        found.add(WorstCell { cell, corner, parameters, point, scaled_jacobian, determinant });
    }
}

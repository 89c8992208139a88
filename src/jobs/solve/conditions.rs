//! What holds a solid and what loads it, from parts of its boundary.

use super::super::assemble::check_points;
use super::Notes;
use super::report::{LoadedPart, PartReaction};
use super::request::SolveRequest;
use crate::assembly::{BoundaryBasis, body_load, surface_load};
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::numbers::{counted, sorted_unique};
use crate::plan::Want;
use crate::quadrature::{
    BoundaryPart, LeafQuantities, Mapping, Quadrature, Regions, face_vertices, jacobians,
};
use crate::solve::Constraints;
use crate::topology::NONE;

/// Which part holds each unknown.
pub(super) struct Holders {
    names: Vec<String>,
    faces: Vec<usize>,
    // [vertex][width], NONE where it is free
    of_unknowns: Vec<u32>,
}

/// Loads on faces of the boundary.
#[derive(Default)]
pub(super) struct BoundaryLoads {
    // of every face, if it has any
    tractions: Vec<Option<[f64; 3]>>,
    pressures: Vec<f64>,
    // faces and forces that are spread over them
    forces: Vec<(Vec<u32>, [f64; 3])>,
    // parts with their faces
    parts: Vec<(String, Vec<u32>)>,
}

impl SolveRequest {
    /// What is fixed, and by which part; says on which faces that fixes derivatives, too.
    pub(super) fn constraints(
        &self,
        solid: &Solid,
        regions: &Regions<'_>,
        basis: &BoundaryBasis,
        notes: &mut dyn Notes,
    ) -> Result<(Constraints, Holders)> {
        let width = if self.heat.is_empty() { 3 } else { 1 };
        let mut constraints = Constraints::none(solid, width);
        let of_unknowns = vec![NONE; constraints.values().len()];
        let mut holders = Holders { names: Vec::new(), faces: Vec::new(), of_unknowns };
        let fixed = self.fix.iter().map(|fix| (&fix.part, fix.values));
        let warm = self.temperature.iter().map(|at| (&at.part, [Some(at.value), None, None]));
        let mut inexact = Vec::new();
        for (part, values) in fixed.chain(warm) {
            let number = holders.names.len() as u32;
            let faces = regions.faces_of(part)?;
            let held = basis.held(solid, &faces)?;
            holders.names.push(name(part));
            holders.faces.push(faces.len());
            inexact.extend(held.inexact_faces);
            for &v in &held.unknowns {
                for (d, value) in values.iter().take(width).enumerate() {
                    let Some(value) = *value else { continue };
                    if basis.is_bend()[v as usize] {
                        constraints.fix(v, d, 0.0);
                        continue;
                    }
                    let at = v as usize * width + d;
                    let other = holders.of_unknowns[at];
                    if other == NONE {
                        constraints.fix(v, d, value);
                        holders.of_unknowns[at] = number;
                    } else if constraints.values()[at] != value {
                        let first = constraints.values()[at];
                        let [one, two] = [other, number].map(|n| &holders.names[n as usize]);
                        return Err(Error::request(message!(
                            format!(
                                "{one} and {two} contradict each other: {first} and {value} at "
                            ),
                            Vertex.id(v)
                        ))
                        .with_help(
                            "give parts with a gap of two cells between them, or bounded by \
                             infinitely sharp edges and not next to each other",
                        ));
                    }
                }
            }
        }
        warn_of_inexact(solid, &sorted_unique(inexact), notes);
        Ok((constraints, holders))
    }

    /// The loads on parts.
    pub(super) fn boundary_loads(&self, regions: &Regions<'_>) -> Result<BoundaryLoads> {
        let count = regions.sides().len();
        let mut own = BoundaryLoads {
            tractions: vec![None; count],
            pressures: vec![0.0; count],
            ..BoundaryLoads::default()
        };
        for load in &self.load {
            own.load(regions, &load.part, load.traction)?;
        }
        for force in &self.total_force {
            let faces = own.load(regions, &force.part, [0.0; 3])?;
            own.forces.push((faces, force.force));
        }
        for pressure in &self.pressure {
            for face in own.load(regions, &pressure.part, [0.0; 3])? {
                own.pressures[face as usize] += pressure.value;
            }
        }
        for flux in &self.flux {
            // heat is the first component of a load
            own.load(regions, &flux.part, [flux.value, 0.0, 0.0])?;
        }
        Ok(own)
    }

    /// The load of every control point, heat as its first component; and the parts that are loaded.
    pub(super) fn loads(
        &self,
        mesh: &SolidMesh,
        volume: &Mapping<'_>,
        loads: &BoundaryLoads,
    ) -> Result<(Vec<[f64; 3]>, Vec<LoadedPart>)> {
        let mut load = vec![[0.0; 3]; mesh.points.len()];
        let mut parts = Vec::new();
        let mut add = |other: Vec<[f64; 3]>| {
            load.iter_mut().zip(other).for_each(|(to, from)| {
                (0..3).for_each(|d| to[d] += from[d]);
            });
        };
        if loads.tractions.iter().any(Option::is_some) {
            let loaded = |face: u32| loads.tractions[face as usize].is_some();
            let solid = volume.quadrature().solid();
            let boundary = Quadrature::boundary(solid, self.scheme, Want::FIRST, loaded)?;
            let mapping = Mapping::new(&boundary, mesh.controls())?;
            check_points(&jacobians(&mapping)?)?;
            let mut tractions: Vec<[f64; 3]> =
                loads.tractions.iter().map(|own| own.unwrap_or_default()).collect();
            let areas = areas(&mapping, tractions.len())?;
            let area = |faces: &[u32]| faces.iter().map(|&face| areas[face as usize]).sum::<f64>();
            let part = |(part, faces): &(String, Vec<u32>)| LoadedPart {
                part: part.clone(),
                faces: faces.len(),
                area: area(faces),
            };
            parts.extend(loads.parts.iter().map(part));
            for (faces, force) in &loads.forces {
                let area = area(faces);
                for &face in faces {
                    (0..3).for_each(|d| tractions[face as usize][d] += force[d] / area);
                }
            }
            add(surface_load(&mapping, |face, _, normal| {
                let (traction, p) = (tractions[face as usize], loads.pressures[face as usize]);
                [0, 1, 2].map(|d| traction[d] - p * normal[d])
            })?);
        }
        if let Some(force) = self.body {
            add(body_load(volume, |_| force)?);
        }
        if let Some(source) = self.source {
            add(body_load(volume, |_| [source, 0.0, 0.0])?);
        }
        Ok((load, parts))
    }
}

impl BoundaryLoads {
    /// Adds a part with a force on each unit of its area; returns its faces.
    fn load(
        &mut self,
        regions: &Regions<'_>,
        part: &BoundaryPart,
        traction: [f64; 3],
    ) -> Result<Vec<u32>> {
        let faces = regions.faces_of(part)?;
        for &face in &faces {
            let sum = self.tractions[face as usize].get_or_insert_default();
            (0..3).for_each(|d| sum[d] += traction[d]);
        }
        self.parts.push((name(part), faces.clone()));
        Ok(faces)
    }
}

impl Holders {
    /// Sums of what holds the unknowns, by parts.
    pub fn reactions(&self, reactions: &[f64], width: usize) -> Vec<PartReaction> {
        let mut all: Vec<PartReaction> = self
            .names
            .iter()
            .zip(&self.faces)
            .map(|(part, &faces)| PartReaction {
                part: part.clone(),
                faces,
                vertices: 0,
                reaction: [0.0; 3],
            })
            .collect();
        for (own, reactions) in self.of_unknowns.chunks(width).zip(reactions.chunks(width)) {
            let first = own.iter().find(|&&part| part != NONE);
            first.into_iter().for_each(|&part| all[part as usize].vertices += 1);
            for (d, (&part, reaction)) in own.iter().zip(reactions).enumerate() {
                if part != NONE {
                    all[part as usize].reaction[d] += reaction;
                }
            }
        }
        all
    }
}

/// Says where the ghosts of held faces are not those of a grid.
fn warn_of_inexact(solid: &Solid, faces: &[u32], notes: &mut dyn Notes) {
    if faces.is_empty() {
        return;
    }
    let vertices = face_vertices(solid.topology(), faces);
    notes.warn(message!(
        counted(faces.len(), "held face"),
        " of ",
        Vertex.ids(vertices),
        ": derivatives are held there, too, since the ghosts beyond are not those of a grid"
    ));
}

/// The area of every face.
fn areas(mapping: &Mapping<'_>, faces: usize) -> Result<Vec<f64>> {
    let quadrature = mapping.quadrature();
    let (mut areas, mut mapped) = (vec![0.0; faces], LeafQuantities::default());
    for (batch, leaves) in quadrature.pieces(1 << 16) {
        mapping.evaluate(batch, leaves.clone(), &mut mapped)?;
        let of_leaves = &quadrature.batches()[batch].faces[leaves];
        for (&face, own) in
            of_leaves.iter().zip(mapped.measures.chunks_exact(quadrature.samples(batch)))
        {
            areas[face as usize] += own.iter().sum::<f64>();
        }
    }
    Ok(areas)
}

/// The sum of all loads.
pub(super) fn total(load: &[[f64; 3]]) -> [f64; 3] {
    // from 0: an empty sum of floats is -0
    [0, 1, 2].map(|d| load.iter().fold(0.0, |sum, force| sum + force[d]))
}

/// A part as it is asked for.
fn name(part: &BoundaryPart) -> String {
    match part {
        BoundaryPart::Side(number) => format!("side:{number}"),
        BoundaryPart::Group(name) | BoundaryPart::Text(name) => name.clone(),
    }
}

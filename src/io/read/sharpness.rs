//! Sharpness of corners and creases, and what is known of a mesh, in named arrays, and what all
//! readers demand of sharpness.

use std::path::Path;

use crate::error::IdKind::Vertex;
use crate::error::{Error, Message, Result, edge};
use crate::io::{CORNER_SHARPNESS, CREASE_EDGES, CREASE_SHARPNESS, FITTED};
use crate::mesh::{self, Creases, Lattice, PERIODS};

use super::assemble::Assembly;

impl Assembly<'_> {
    /// Turns the arrays of sharpness, if there are any, into corners and creases.
    pub(super) fn take_sharpness(&mut self) -> Result<()> {
        self.take_corners()?;
        self.take_fitted();
        self.take_periods()?;
        self.take_creases(self.points())
    }

    fn take_corners(&mut self) -> Result<()> {
        let attributes = &mut self.mesh.attributes;
        let Some(at) = attributes.iter().position(|a| a.name == CORNER_SHARPNESS) else {
            return Ok(());
        };
        let corners = attributes.remove(at);
        if corners.width != 1 {
            return Err(self
                .error(None, format!("`{CORNER_SHARPNESS}` has {} components", corners.width))
                .with_help("it needs one: the sharpness of the vertex, 0 where smooth"));
        }
        for (vertex, sharpness) in (0..).zip(corners.values) {
            if sharpness != 0.0 {
                check_sharpness(self.path, None, Vertex.id(vertex), sharpness)?;
                self.mesh.creases.push_corner(vertex, sharpness);
            }
        }
        Ok(())
    }

    /// Whether the points of all pieces come from a fit.
    fn take_fitted(&mut self) {
        let fitted = self.fields.iter().find(|field| field.name == FITTED);
        self.mesh.is_fitted = fitted.is_some_and(|field| {
            !field.values.is_empty() && field.values.iter().all(|&x| x == 1.0)
        });
    }

    /// The periods of a solid that is given by its images too.
    fn take_periods(&mut self) -> Result<()> {
        let Some(field) = self.fields.iter().find(|field| field.name == PERIODS) else {
            return Ok(());
        };
        let (periods, rest) = field.values.as_chunks::<3>();
        if !rest.is_empty() || Lattice::new(periods).is_err() {
            return Err(self.error(None, format!("`{PERIODS}` are no periods")).with_help(
                "give one to three translations of three components that are not in one line or plane",
            ));
        }
        self.mesh.periods = periods.to_vec();
        Ok(())
    }

    /// Turns the arrays of creases, if there are any, into arrays of `points` vertices, smooth ones
    /// too.
    pub(super) fn take_creases(&mut self, points: usize) -> Result<()> {
        let find = |name| self.fields.iter().find(|field| field.name == name);
        let (edges, sharpness) = match (find(CREASE_EDGES), find(CREASE_SHARPNESS)) {
            (None, None) => return Ok(()),
            (Some(edges), Some(sharpness)) => (edges, sharpness),
            _ => {
                return Err(self
                    .error(None, format!("`{CREASE_EDGES}` and `{CREASE_SHARPNESS}` go together"))
                    .with_help("give both field arrays or none"));
            }
        };
        if edges.values.len() % 2 != 0 || edges.values.len() / 2 != sharpness.values.len() {
            let (pairs, values) = (edges.values.len() as f64 / 2.0, sharpness.values.len());
            return Err(self
                .error(None, format!("{pairs} creases have {values} sharpness values"))
                .with_help(format!(
                    "`{CREASE_SHARPNESS}` needs one value per pair of `{CREASE_EDGES}`"
                )));
        }
        let mut creases = Creases::default();
        for (crease, (pair, &s)) in edges.values.chunks_exact(2).zip(&sharpness.values).enumerate()
        {
            let vertex =
                |x: f64| (x >= 0.0 && x < points as f64 && x.fract() == 0.0).then_some(x as u32);
            let (Some(a), Some(b)) = (vertex(pair[0]), vertex(pair[1])) else {
                let (a, b) = (pair[0], pair[1]);
                let help = points.checked_sub(1).map_or_else(
                    || "the file has no vertices".to_owned(),
                    |last| format!("vertices are numbered 0 to {last}"),
                );
                return Err(self
                    .error(None, format!("crease {crease} joins vertices {a} and {b}"))
                    .with_help(help));
            };
            check_crease(self.path, None, [a, b], s)?;
            creases.push_edge(a, b, s);
        }
        self.mesh.creases.edges = creases.edges;
        Ok(())
    }
}

/// Checks the ends and the sharpness of a crease.
pub(super) fn check_crease(
    path: &Path,
    line: Option<usize>,
    ends: [u32; 2],
    sharpness: f64,
) -> Result<()> {
    check_sharpness(path, line, edge(ends), sharpness)?;
    if ends[0] == ends[1] {
        return Err(Error::file(path, line, message!(edge(ends), " joins a vertex to itself"))
            .with_help("name the two end vertices of the edge"));
    }
    Ok(())
}

/// Sharpness is a number ≥ 0 or infinity.
pub(super) fn check_sharpness(
    path: &Path,
    line: Option<usize>,
    place: impl Into<Message>,
    sharpness: f64,
) -> Result<()> {
    mesh::check_sharpness(sharpness, place).map_err(|error| error.in_file(path, line))
}

//! splinepy's JSON (`splinepy.io.json`): a list of splines, each a patch of its own.

use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::io::read::assemble::Assembly;
use crate::io::read::lines::shown;

use super::net::{Patch, assemble};
use super::{KnotVector, TensorSpline, decoded, triples};

/// What is written, but for what is not needed.
#[derive(Deserialize)]
struct SplineFile {
    #[serde(rename = "SplineList")]
    splines: Vec<Spline>,
}

#[derive(Deserialize)]
struct Spline {
    #[serde(rename = "SplineType")]
    kind: String,
    para_dim: usize,
    dim: usize,
    degrees: Vec<usize>,
    knot_vectors: Option<Vec<Vec<f64>>>,
    control_points: Values,
    weights: Option<Values>,
}

/// Numbers, in rows or encoded.
#[derive(Deserialize)]
#[serde(untagged)]
enum Values {
    Rows(Vec<Vec<f64>>),
    Encoded(String),
}

impl Values {
    fn numbers(&self, width: usize) -> Result<Vec<f64>, String> {
        match self {
            Self::Rows(rows) => match rows.iter().find(|row| row.len() != width) {
                Some(row) => Err(format!("a row of {} numbers, {width} are needed", row.len())),
                None => Ok(rows.concat()),
            },
            Self::Encoded(text) => decoded(text),
        }
    }
}

impl Spline {
    fn volume(self) -> Result<TensorSpline, String> {
        let [u, v, w] = self.degrees[..] else {
            return Err(format!("{} degrees, 3 are needed", self.degrees.len()));
        };
        let knots = match self.knot_vectors {
            None => [KnotVector::bezier(u)?, KnotVector::bezier(v)?, KnotVector::bezier(w)?],
            Some(knots) => match <[_; 3]>::try_from(knots) {
                Ok([a, b, c]) => {
                    [KnotVector::new(u, a)?, KnotVector::new(v, b)?, KnotVector::new(w, c)?]
                }
                Err(knots) => return Err(format!("{} knot vectors, 3 are needed", knots.len())),
            },
        };
        let points = triples(&self.control_points.numbers(3)?)?;
        let weights = match &self.weights {
            Some(weights) => weights.numbers(1)?,
            None => vec![1.0; points.len()],
        };
        TensorSpline::new(knots, &points, &weights)
    }
}

/// Whether a file that begins so is splinepy's.
pub(in crate::io::read) fn is_splinepy(head: &[u8]) -> bool {
    head.starts_with(b"{") && head.windows(12).any(|window| window == b"\"SplineList\"")
}

/// Reads a file that is already in memory.
pub(in crate::io::read) fn read<'a>(path: &'a Path, bytes: &'a [u8]) -> Result<Assembly<'a>> {
    let file: SplineFile = serde_json::from_slice(bytes).map_err(|e| {
        Error::file(path, Some(e.line()), format!("not a file of splinepy: {e}"))
            .with_help("write it again with `splinepy.io.json.export`, or as G+Smo .xml")
    })?;
    let mut assembly = Assembly::new(path, 0);
    let mut patches = Vec::new();
    for (i, spline) in file.splines.into_iter().enumerate() {
        if (spline.para_dim, spline.dim) != (3, 3) {
            let [from, to] = [spline.para_dim, spline.dim];
            let kind = shown(spline.kind.as_bytes());
            assembly.skip(&format!("splines `{kind}` from {from} to {to} dimensions"));
            continue;
        }
        let spline = spline.volume().map_err(|what| {
            Error::file(path, None, format!("spline {i}: {what}"))
                .with_help("correct the spline, or write it again")
        })?;
        let number = i as i64;
        patches.push(Patch { spline, number, reference: number, line: None });
    }
    // the file does not say which patches meet
    let join = |counts: &[[usize; 3]]| {
        let mut next = 0..;
        Ok(counts.iter().map(|n| next.by_ref().take(n.iter().product()).collect()).collect())
    };
    assemble(&mut assembly, &patches, join)?;
    assembly.push_references("splinepy:spline", patches[0].number)?;
    Ok(assembly)
}

//! Where to evaluate.

use crate::basis::gauss;
use crate::error::IdKind::{Element, Sample};
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::numbers::counted;
use crate::simd::MAX_SAMPLES;

/// Where to evaluate.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// Common parameters along u, v and w of every element, ascending in [0, 1].
    Tensor(Vec<f64>),
    /// Scattered parameters.
    Points(Vec<Location>),
}

/// Parameters in an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// The element; in a mesh of hexahedra alone, the cell.
    pub element: u32,
    /// (u, v, w), each in [0, 1].
    pub parameters: [f64; 3],
}

impl Samples {
    /// n × n × n samples per element with the end points included, 1 ≤ n ≤ 64; one
    /// sample lies in the middle.
    pub fn grid(n: usize) -> Self {
        Self::Tensor(match n {
            1 => vec![0.5],
            // one too many is refused, and takes no memory
            n => (0..n.min(MAX_SAMPLES + 1)).map(|i| i as f64 / (n - 1) as f64).collect(),
        })
    }

    /// n × n × n Gauss points per element, 1 ≤ n ≤ 32.
    ///
    /// # Errors
    /// [`Error::Request`] for n out of range.
    pub fn gauss(n: usize) -> Result<Self> {
        Ok(Self::Tensor(gauss::rule(n)?.points))
    }

    /// The samples in words: "4³ Gauss points of each cell".
    pub fn places(&self) -> String {
        match self {
            Self::Points(locations) => counted(locations.len(), "place"),
            Self::Tensor(own) => {
                let is_gauss = gauss::rule(own.len()).is_ok_and(|rule| rule.points == *own);
                let kind = if is_gauss { "Gauss points" } else { "samples" };
                format!("{}³ {kind} of each cell", own.len())
            }
        }
    }

    /// Samples of one element; 0 for scattered samples.
    pub fn per_element(&self) -> usize {
        match self {
            Self::Tensor(parameters) => parameters.len().pow(3),
            Self::Points(_) => 0,
        }
    }

    pub(super) fn check(&self, solid: &Solid) -> Result<()> {
        match self {
            Self::Tensor(parameters) => {
                if parameters.is_empty() || parameters.len() > MAX_SAMPLES {
                    let few = if parameters.is_empty() { "no" } else { "too many" };
                    return Err(Error::request(format!("{few} samples along an axis"))
                        .with_help(format!("ask for 1 to {MAX_SAMPLES} samples along each axis")));
                }
                let inside = parameters.iter().all(|u| (0.0..=1.0).contains(u));
                if !inside || !parameters.is_sorted_by(|a, b| a < b) {
                    return Err(Error::request("tensor samples are not ascending in [0, 1]").with_help(format!(
                        "give a number of samples from 1 to {MAX_SAMPLES}, or ascending parameters from \
                         0 to 1"
                    )));
                }
            }
            Self::Points(locations) => {
                // rows of results have numbers of 32 bits
                if u32::try_from(locations.len()).is_err() {
                    return Err(Error::request(format!(
                        "{} samples: out of range",
                        locations.len()
                    ))
                    .with_help("plan at most 4294967295 at a time"));
                }
                let count = solid.elements().len();
                for (row, location) in locations.iter().enumerate() {
                    if location.element as usize >= count {
                        return Err(Error::request(message!(
                            Sample.id(row),
                            " names ",
                            Element.id(location.element),
                            ", there are {count}"
                        ))
                        .with_help("elements are numbered from 0 to their count less 1"));
                    }
                    if !location.parameters.iter().all(|u| (0.0..=1.0).contains(u)) {
                        return Err(Error::request(message!(
                            Sample.id(row),
                            " has parameters ",
                            format!("{:?}", location.parameters),
                            " outside [0, 1]"
                        ))
                        .with_help("parameters run from 0 to 1 within each cell"));
                    }
                }
            }
        }
        Ok(())
    }
}

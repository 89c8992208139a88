//! Conditions on places: `x<1e-6`, `0<=z<2 and y>1`.

use std::str::FromStr;

use crate::error::{Error, Result};

const AXES: [&str; 3] = ["x", "y", "z"];

/// Comparisons of coordinates with numbers or with each other, all of which must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceCondition {
    comparisons: Vec<Comparison>,
}

/// `low < high`, or `low <= high`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Comparison {
    low: Operand,
    high: Operand,
    or_equal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operand {
    Coordinate(usize),
    Number(f64),
}

impl PlaceCondition {
    /// Whether the condition holds at a point.
    pub fn holds(&self, point: &[f64; 3]) -> bool {
        let value = |operand| match operand {
            Operand::Coordinate(axis) => point[axis],
            Operand::Number(number) => number,
        };
        self.comparisons.iter().all(|&Comparison { low, high, or_equal }| {
            let (low, high) = (value(low), value(high));
            low < high || or_equal && low == high
        })
    }
}

impl FromStr for PlaceCondition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let comparisons = text.split(" and ").map(chain).collect::<Option<Vec<_>>>();
        match comparisons {
            Some(chains) => Ok(Self { comparisons: chains.concat() }),
            None => Err(Error::request(format!("cannot read the condition \"{text}\"")).with_help(
                "compare x, y and z with numbers by <, <=, > and >=, joined by and: x<1e-6, \
                 or 0<=z<2 and y>1",
            )),
        }
    }
}

/// Operands with comparisons between them, `0<=z<2`; none if the text is nothing of the kind.
fn chain(text: &str) -> Option<Vec<Comparison>> {
    let (first, mut rest) = text.split_at(text.find(['<', '>'])?);
    let mut left = operand(first)?;
    let mut found = Vec::new();
    while let Some(sign) = rest.chars().next() {
        let after = &rest[1..];
        let or_equal = after.starts_with('=');
        let after = after.strip_prefix('=').unwrap_or(after);
        let (own, next) = after.split_at(after.find(['<', '>']).unwrap_or(after.len()));
        let right = operand(own)?;
        let (low, high) = if sign == '<' { (left, right) } else { (right, left) };
        let is_number = |operand| matches!(operand, Operand::Number(_));
        if is_number(low) && is_number(high) {
            return None;
        }
        found.push(Comparison { low, high, or_equal });
        (left, rest) = (right, next);
    }
    Some(found)
}

fn operand(text: &str) -> Option<Operand> {
    let text = text.trim();
    let axis = AXES.iter().position(|&axis| axis == text);
    let number = || text.parse().ok().filter(|number: &f64| number.is_finite());
    axis.map(Operand::Coordinate).or_else(|| number().map(Operand::Number))
}

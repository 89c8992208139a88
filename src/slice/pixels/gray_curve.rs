//! Gray levels as a machine wants them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::io::{TableForm, TableReader};

const FORM: TableForm = TableForm {
    header: &["level", "written"],
    row: "a row is a gray level and what is written for it, parts of white from 0 to 1",
};
/// Rows of a table at most: as many as there are levels.
const MAX_ROWS: usize = 1 << 16;

/// How gray levels become those that are written. All are parts of white, 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrayCurve {
    /// A power of the level, 0.1 to 10.
    Gamma(f64),
    /// White from a level above 0 on, black below.
    Threshold(f64),
    /// Pairs of a level and what is written for it, linear between; the levels ascend. Below the first
    /// and above the last its own is written.
    Table(Vec<[f64; 2]>),
}

impl GrayCurve {
    /// Reads a table with the columns `level` and `written`; the path `-` is standard input.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read, for another header, a malformed row or more than
    /// 65,536 of them, and as [`Self::check`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let mut table = TableReader::open(path, FORM)?;
        let pairs = table.read(MAX_ROWS + 1, |row| {
            let part = |column| {
                row.text(column).parse().map_err(|_| row.unexpected(column, "a part of white"))
            };
            Ok([part(0)?, part(1)?])
        })?;
        if pairs.len() > MAX_ROWS {
            let most = format!("more than {MAX_ROWS} rows of gray levels");
            return Err(Error::file(table.path(), None, most)
                .with_help("leave rows out: levels between two rows are interpolated"));
        }
        let curve = Self::Table(pairs);
        curve.check().map_err(|error| error.in_file(table.path(), None))?;
        Ok(curve)
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Request`] for numbers outside their range, and levels that do not ascend.
    pub fn check(&self) -> Result<()> {
        let is_part = |x: f64| (0.0..=1.0).contains(&x);
        let (is_right, what, help) = match self {
            Self::Gamma(power) => (
                (0.1..=10.0).contains(power),
                format!("gray levels to the power of {power}"),
                "give a power from 0.1 to 10",
            ),
            Self::Threshold(level) => (
                is_part(*level) && *level > 0.0,
                format!("a threshold of {level}"),
                "give a level above 0, at most 1, which is white",
            ),
            Self::Table(pairs) => {
                let outside = pairs.iter().position(|&[a, b]| !(is_part(a) && is_part(b)));
                let falls = pairs.windows(2).position(|pair| pair[1][0] <= pair[0][0]);
                let wrong = outside.or(falls.map(|row| row + 1));
                let what = match wrong {
                    Some(row) => format!(
                        "row {} of the table of gray levels is {}, {}",
                        row + 1,
                        pairs[row][0],
                        pairs[row][1]
                    ),
                    None => "a table of gray levels without rows".into(),
                };
                let help =
                    "give a level and what is written for it, both from 0 to 1; levels ascend";
                (wrong.is_none() && !pairs.is_empty(), what, help)
            }
        };
        if is_right { Ok(()) } else { Err(Error::request(what).with_help(help)) }
    }

    /// The option that asks for it.
    pub(in crate::slice) fn option(&self) -> &'static str {
        match self {
            Self::Gamma(_) => "gamma",
            Self::Threshold(_) => "threshold",
            Self::Table(_) => "gray_table",
        }
    }

    /// What is written for a level.
    pub fn at(&self, level: f64) -> f64 {
        match self {
            Self::Gamma(power) => level.powf(*power),
            Self::Threshold(least) => f64::from(u8::from(level >= *least)),
            Self::Table(pairs) => match pairs.partition_point(|pair| pair[0] < level) {
                0 => pairs.first().map_or(level, |pair| pair[1]),
                n if n == pairs.len() => pairs[n - 1][1],
                n => {
                    let [[a, from], [b, to]] = [pairs[n - 1], pairs[n]];
                    from + (to - from) * ((level - a) / (b - a))
                }
            },
        }
    }

    /// What is written for each level from 0 to 65535, which is white.
    pub(in crate::slice) fn table(&self) -> Vec<u16> {
        let white = f64::from(u16::MAX);
        (0..=u16::MAX)
            .map(|level| (self.at(f64::from(level) / white) * white).round() as u16)
            .collect()
    }
}

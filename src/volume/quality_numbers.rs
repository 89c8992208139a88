//! Qualities as numbers, so that ranks of a job can exchange them to the last bit.

use super::{CellQuality, Extreme, Quality};
use crate::error::{Error, Result};

/// Numbers of an [`Extreme`].
const EXTREME: usize = 9;

impl Quality {
    /// The quality as numbers; integers are below 2⁵³.
    pub fn to_numbers(&self) -> Vec<f64> {
        let mut numbers = [self.samples, self.undefined, self.flat].map(|n| n as f64).to_vec();
        for extreme in [
            self.least_determinant,
            self.greatest_determinant,
            self.least_scaled_jacobian,
            self.greatest_scaled_jacobian,
        ] {
            numbers.extend(extreme.map_or([f64::NAN; EXTREME], |extreme| extreme.numbers()));
        }
        for found in self.non_positive.values() {
            numbers.push(found.samples as f64);
            numbers.extend(found.worst.numbers());
        }
        numbers
    }

    /// Reads the quality that [`Quality::to_numbers`] has written.
    ///
    /// # Errors
    /// [`Error::Request`] for anything else.
    pub fn from_numbers(numbers: &[f64]) -> Result<Self> {
        let broken = Error::broken_message;
        let (&[samples, undefined, flat], rest) = numbers.split_first_chunk().ok_or_else(broken)?;
        let (extremes, poor) = rest.split_at_checked(4 * EXTREME).ok_or_else(broken)?;
        if poor.len() % (1 + EXTREME) != 0 {
            return Err(broken());
        }
        let extreme = |i: usize| Extreme::of_numbers(&extremes[EXTREME * i..][..EXTREME]);
        let poor = poor.chunks_exact(1 + EXTREME).map(|numbers| {
            let worst = Extreme::of_numbers(&numbers[1..]).ok_or_else(broken)?;
            Ok((worst.cell, CellQuality { samples: numbers[0] as usize, worst }))
        });
        Ok(Self {
            samples: samples as usize,
            undefined: undefined as usize,
            flat: flat as usize,
            least_determinant: extreme(0),
            greatest_determinant: extreme(1),
            least_scaled_jacobian: extreme(2),
            greatest_scaled_jacobian: extreme(3),
            non_positive: poor.collect::<Result<_>>()?,
        })
    }

    /// This quality with the ids of the whole mesh: cell i is `cells[i]` there, ascending.
    #[must_use]
    pub fn of_whole(mut self, cells: &[u32]) -> Self {
        let name = |extreme: &mut Extreme| extreme.cell = cells[extreme.cell as usize];
        let extremes = [
            &mut self.least_determinant,
            &mut self.greatest_determinant,
            &mut self.least_scaled_jacobian,
            &mut self.greatest_scaled_jacobian,
        ];
        extremes.into_iter().flatten().for_each(name);
        let poor = std::mem::take(&mut self.non_positive);
        self.non_positive = poor
            .into_values()
            .map(|mut found| {
                name(&mut found.worst);
                (found.worst.cell, found)
            })
            .collect();
        self
    }
}

impl Extreme {
    fn numbers(&self) -> [f64; EXTREME] {
        let [u, v, w] = self.parameters;
        let [x, y, z] = self.point;
        let corner = self.corner.map_or(-1.0, f64::from);
        [f64::from(self.cell), corner, self.value, u, v, w, x, y, z]
    }

    fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let &[cell, corner, value, u, v, w, x, y, z] = numbers else { return None };
        (!cell.is_nan()).then_some(Self {
            value,
            cell: cell as u32,
            corner: (corner >= 0.0).then_some(corner as u8),
            parameters: [u, v, w],
            point: [x, y, z],
        })
    }
}

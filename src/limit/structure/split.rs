//! One split of the cell at an extraordinary point, for any values at its net.

use faer::Mat;

use super::{NextLevel, Structure};

impl Structure {
    /// Number of parameters: 2 of a planar net, 3 of a spatial one.
    pub(crate) fn dimension(&self) -> usize {
        self.domain.dimension()
    }

    /// The structure of the child at the extraordinary point, if it is another one.
    pub(crate) fn next_structure(&self) -> Option<&Self> {
        match &self.next {
            NextLevel::Stationary(_) => None,
            NextLevel::Then { structure, .. } => Some(structure),
        }
    }

    /// The structure of the child at the extraordinary point, and values at its net,
    /// `[control point][width]`, from those at this structure's net.
    pub(crate) fn inner_net(&self, net: &Mat<f64>) -> (&Self, Mat<f64>) {
        match &self.next {
            NextLevel::Stationary(powers) => (self, powers.step().product(net)),
            NextLevel::Then { step, structure } => (structure, step.product(net)),
        }
    }

    /// Values at the net of the sibling at offset `child` (binary, not 0), rows as
    /// [`Structure::sibling_rows`] has them, from those at this structure's net.
    pub(crate) fn sibling_net(&self, child: usize, net: &Mat<f64>) -> Mat<f64> {
        self.rows_of(&self.siblings[child - 1]).product(net)
    }

    /// The limit at the extraordinary point, `[width]`, from values at the net.
    pub(crate) fn center(&self, net: &Mat<f64>) -> Vec<f64> {
        let mask = self.mask();
        let value = |c: usize| mask.iter().zip(net.col_as_slice(c)).map(|(a, b)| a * b).sum();
        (0..net.ncols()).map(value).collect()
    }
}

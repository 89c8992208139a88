//! Orthotropic materials: three planes of symmetry at right angles.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Operator;
use crate::backend::operations::ElasticTensor;
use crate::error::{Error, Result};
use crate::numbers::counted;

/// The axes x, y, z.
const MODEL_AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// Pairs of axes: of shears, Poisson's ratios, and components of stress.
const PAIRS: [[usize; 2]; 3] = [[0, 1], [1, 2], [0, 2]];

/// An orthotropic material. Under stress along axis i alone the strains are εᵢ = σ/Eᵢ and
/// εⱼ = −νᵢⱼ εᵢ, so that νᵢⱼ/Eᵢ = νⱼᵢ/Eⱼ (Jones, "Mechanics of composite materials", 1999, eq. 2.27).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orthotropic {
    /// Young's moduli E₁, E₂, E₃, > 0.
    pub young: [f64; 3],
    /// Shear moduli G₁₂, G₂₃, G₁₃, > 0.
    pub shear: [f64; 3],
    /// Poisson's ratios ν₁₂, ν₂₃, ν₁₃.
    pub poisson: [f64; 3],
    /// Unit vectors along axes 1, 2 and 3, at right angles.
    pub axes: [[f64; 3]; 3],
}

impl Orthotropic {
    /// E₁, E₂, E₃, G₁₂, G₂₃, G₁₃, ν₁₂, ν₂₃, ν₁₃ along x, y, z.
    pub fn new([e1, e2, e3, g12, g23, g13, nu12, nu23, nu13]: [f64; 9]) -> Self {
        let (young, shear, poisson) = ([e1, e2, e3], [g12, g23, g13], [nu12, nu23, nu13]);
        Self { young, shear, poisson, axes: MODEL_AXES }
    }

    /// The same along other axes: axis 1, and another vector of the plane of axes 1 and 2. `None` if
    /// these are no finite vectors of two directions.
    #[must_use]
    pub fn along(mut self, [first, second]: [[f64; 3]; 2]) -> Option<Self> {
        use nalgebra::Vector3;
        const PARALLEL: f64 = 1e-6;
        let unit = |v: Vector3<f64>| {
            let most = v.amax();
            (most > 0.0 && most.is_finite()).then(|| (v / most).normalize())
        };
        let (first, second) = (unit(first.into())?, unit(second.into())?);
        let across = second - first * first.dot(&second);
        if across.norm() < PARALLEL {
            return None;
        }
        let second = across.normalize();
        self.axes = [first.into(), second.into(), first.cross(&second).into()];
        Some(self)
    }

    /// Ratios νᵢⱼ √(Eⱼ/Eᵢ), whose squares are νᵢⱼ νⱼᵢ.
    fn ratios(&self) -> [f64; 3] {
        let ratio =
            |k: usize| self.poisson[k] * (self.young[PAIRS[k][1]] / self.young[PAIRS[k][0]]).sqrt();
        [0, 1, 2].map(ratio)
    }

    /// 1 − ν₁₂ν₂₁ − ν₂₃ν₃₂ − ν₁₃ν₃₁ − 2 ν₂₁ν₃₂ν₁₃.
    fn determinant([a, b, c]: [f64; 3]) -> f64 {
        1.0 - a * a - b * b - c * c - 2.0 * a * b * c
    }

    /// Refuses constants for which some strain has no positive energy.
    ///
    /// # Errors
    /// [`Error::Request`] that names them.
    pub(super) fn check(&self) -> Result<()> {
        const NAMES: [[&str; 3]; 3] =
            [["E1", "E2", "E3"], ["G12", "G23", "G13"], ["NU12", "NU23", "NU13"]];
        for (names, moduli) in NAMES.iter().zip([self.young, self.shear]) {
            if let Some(k) = moduli.iter().position(|x| !(x.is_finite() && *x > 0.0)) {
                return Err(Error::request(format!("{} of {}: out of range", names[k], moduli[k]))
                    .with_help("give moduli above 0"));
            }
        }
        let ratios = self.ratios();
        if let Some(k) = ratios.iter().position(|x| x.is_nan() || x.abs() >= 1.0) {
            let [i, j] = PAIRS[k].map(|axis| axis + 1);
            return Err(Error::request(format!(
                "{} of {}: the material is not stable",
                NAMES[2][k], self.poisson[k]
            ))
            .with_help(format!(
                "give a ratio whose square is below E{i}/E{j}; it is the contraction along axis {j} \
                 under stress along axis {i}"
            )));
        }
        let determinant = Self::determinant(ratios);
        if determinant.is_nan() || determinant <= 0.0 {
            let [nu12, nu23, nu13] = self.poisson;
            return Err(Error::request(format!(
                "Poisson's ratios NU12, NU23, NU13 of {nu12}, {nu23}, {nu13}: the material is not stable"
            ))
            .with_help(
                "give smaller ratios: 1 - NU12 NU21 - NU23 NU32 - NU13 NU31 - 2 NU21 NU32 NU13 is \
                 above 0 where NUji = NUij Ej/Ei",
            ));
        }
        if self.tensor().0.iter().any(|x| !x.is_finite()) {
            return Err(Error::request("the constants of the material are too large for a number")
                .with_help("give the moduli in another unit"));
        }
        Ok(())
    }

    /// Its constants along x, y, z.
    pub(super) fn tensor(&self) -> ElasticTensor {
        let [a, b, c] = self.ratios();
        let determinant = Self::determinant([a, b, c]);
        let inverse = [
            [1.0 - b * b, a + b * c, c + a * b],
            [a + b * c, 1.0 - c * c, b + a * c],
            [c + a * b, b + a * c, 1.0 - a * a],
        ];
        let roots = self.young.map(f64::sqrt);
        let own = |i: usize, j: usize| roots[i] * roots[j] * inverse[i][j] / determinant;
        let axes = self.axes;
        if axes == MODEL_AXES {
            return ElasticTensor::of(|row, column| match (row < 3, column < 3) {
                (true, true) => own(row, column),
                _ if row == column => self.shear[row - 3],
                _ => 0.0,
            });
        }
        let place = |row: usize| if row < 3 { [row; 2] } else { PAIRS[row - 3] };
        ElasticTensor::of(|row, column| {
            let (pair, other) = (place(row), place(column));
            let along = |axis: usize, [i, j]: [usize; 2]| axes[axis][i] * axes[axis][j];
            let sheared = |[p, q]: [usize; 2], [i, j]: [usize; 2]| {
                axes[p][i] * axes[q][j] + axes[q][i] * axes[p][j]
            };
            let stretched = (0..3).flat_map(|p| (0..3).map(move |q| (p, q)));
            let stretched = stretched.map(|(p, q)| own(p, q) * along(p, pair) * along(q, other));
            let shears = PAIRS.iter().zip(self.shear);
            let shears = shears.map(|(&axes, g)| g * sheared(axes, pair) * sheared(axes, other));
            stretched.sum::<f64>() + shears.sum::<f64>()
        })
    }
}

/// Constants of a linear elastic material.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ElasticConstants {
    /// Young's modulus E, > 0, and Poisson's ratio ν, above −1 and below 0.5.
    Isotropic([f64; 2]),
    /// Those of [`Orthotropic::new`].
    Orthotropic([f64; 9]),
}

impl ElasticConstants {
    /// Two or nine numbers.
    ///
    /// # Errors
    /// What to give instead.
    pub fn new(numbers: &[f64]) -> std::result::Result<Self, String> {
        if let Ok(own) = numbers.try_into() {
            return Ok(Self::Isotropic(own));
        }
        let wrong = |_| format!("{} instead of 2 or 9", counted(numbers.len(), "number"));
        numbers.try_into().map(Self::Orthotropic).map_err(wrong)
    }

    /// Its operator, along x, y, z.
    pub fn operator(self) -> Operator {
        match self {
            Self::Isotropic([young, poisson]) => Operator::Elasticity { young, poisson },
            Self::Orthotropic(constants) => Operator::Orthotropic(Orthotropic::new(constants)),
        }
    }
}

impl FromStr for ElasticConstants {
    type Err = String;

    /// `E,NU` or `E1,E2,E3,G12,G23,G13,NU12,NU23,NU13`
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
        Self::new(&numbers.ok_or("give 2 or 9 numbers with commas between them")?)
    }
}

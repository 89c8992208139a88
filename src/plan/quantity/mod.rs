//! Quantities that follow from the first derivatives of positions and attributes, one file each.
//!
//! Every backend evaluates the derivatives, then each [`Quantity`] wanted from them: here in
//! double precision, on a device by the kernel of the same name.

mod determinant;
mod gradient;
mod least_determinant;
mod scaled_jacobian;

use nalgebra::Matrix3;
use rayon::prelude::*;

use super::want::{Want, wanted_orders};
use crate::interrupt::stop_point;
use crate::numbers::{Precision, Real};

/// Rows of a task.
const TASK_ROWS: usize = 4096;

/// A quantity that follows from first derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Determinant of the Jacobian d(x, y, z)/d(u, v, w), at extraordinary edges and vertices in
    /// the characteristic parametrization, `[result][1]`, in cubed length units. NaN where the limit
    /// has a differential in neither.
    Determinant,
    /// Least of the determinants of an element's samples, `[element][1]`, in cubed length units.
    /// Samples without a determinant count as none; NaN if there is no other.
    LeastDeterminant,
    /// Gradient of an attribute in space, `[result][component][x, y, z]`, per length unit:
    /// J⁻ᵀ times the derivatives by u, v, w, of the same parametrization as J. NaN where that is
    /// NaN or singular, which is where the scaled Jacobian is [`rounding`].
    Gradient,
    /// The determinant of the Jacobian divided by the lengths of its columns, `[result][1]`, from
    /// −1 to 1. NaN where the determinant is, and 0 where a column is 0.
    ScaledJacobian,
}

/// How a quantity is evaluated.
struct QuantityRule {
    want: Want,
    /// Name of its array, followed by the attribute's if it is of attributes, and of its kernel.
    name: &'static str,
    kernel: &'static str,
    of_attributes: bool,
    per_element: bool,
    /// Names of the numbers that each component of the control points has.
    columns: &'static [&'static str],
    evaluate: fn(&SampleDerivatives<'_>, &mut [f64]),
}

/// A Jacobian with columns of unit length: its determinant is the scaled one, whatever the size of
/// the cell. With the lengths; columns that are 0 stay so.
fn unit_columns(jacobian: &Matrix3<f64>) -> (Matrix3<f64>, [f64; 3]) {
    let lengths = [0, 1, 2].map(|d| jacobian.column(d).norm());
    let unit = |d: usize| jacobian.column(d) / if lengths[d] == 0.0 { 1.0 } else { lengths[d] };
    (Matrix3::from_columns(&[unit(0), unit(1), unit(2)]), lengths)
}

/// First derivatives at one sample, or at all samples of an element.
struct SampleDerivatives<'a> {
    /// d(x, y, z)/d(u, v, w): u, v, w are columns.
    jacobians: &'a [Matrix3<f64>],
    /// Derivatives of the attribute, `[sample][uvw][component]`.
    derivatives: &'a [f64],
    /// Scaled determinants up to which a Jacobian is singular.
    rounding: f64,
}

/// What a quantity follows from: derivatives by u, v, w, each `[result][components]`.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a, T> {
    /// Derivatives of the position, 3 components.
    pub position: [&'a [T]; 3],
    /// Derivatives of an attribute; empty if the quantity depends on positions only.
    pub attribute: [&'a [T]; 3],
    /// Components of the attribute.
    pub components: usize,
    /// Results of an element; 1 for scattered samples.
    pub samples: usize,
}

/// A quantity wanted, of the position or of one attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedQuantity {
    /// The quantity itself.
    pub quantity: Quantity,
    /// Index of the attribute.
    pub attribute: Option<usize>,
    /// Numbers of a row.
    pub width: usize,
}

impl Quantity {
    /// All quantities, in the order of results.
    pub const ALL: [Self; 4] =
        [Self::Determinant, Self::LeastDeterminant, Self::Gradient, Self::ScaledJacobian];

    fn rule(self) -> &'static QuantityRule {
        match self {
            Self::Determinant => &determinant::RULE,
            Self::LeastDeterminant => &least_determinant::RULE,
            Self::Gradient => &gradient::RULE,
            Self::ScaledJacobian => &scaled_jacobian::RULE,
        }
    }

    /// What asks for it.
    pub fn want(self) -> Want {
        self.rule().want
    }

    /// Name of the kernel of devices.
    pub fn kernel(self) -> &'static str {
        self.rule().kernel
    }

    /// Whether it has a row per element; otherwise a row per result.
    pub(crate) fn is_per_element(self) -> bool {
        self.rule().per_element
    }

    /// Name of its array, given the name of the attribute that it is of: `det_j`,
    /// `least_det_j`, `scaled_jacobian`, `grad_NAME`.
    pub fn name(self, attribute: Option<&str>) -> String {
        let name = self.rule().name;
        attribute.map_or(name.to_owned(), |attribute| format!("{name}_{attribute}"))
    }

    /// Names of the numbers of a row, given the name and width of the attribute: `grad_NAME_x`,
    /// or `grad_NAME_0_x` if the attribute has several components.
    pub fn columns(self, attribute: Option<(&str, usize)>) -> Vec<String> {
        let name = self.name(attribute.map(|(name, _)| name));
        let components = match attribute {
            Some((_, width)) if width > 1 => (0..width).map(|c| format!("{name}_{c}")).collect(),
            _ => vec![name],
        };
        let column = |component: &String, &suffix: &&str| match suffix {
            "" => component.clone(),
            suffix => format!("{component}_{suffix}"),
        };
        let columns = |c| self.rule().columns.iter().map(move |suffix| column(c, suffix));
        components.iter().flat_map(columns).collect()
    }

    /// Evaluates all rows of `out` from the derivatives, in double precision.
    ///
    /// # Panics
    /// If the lengths differ from those said.
    pub fn evaluate<T: Real>(self, inputs: Inputs<'_, T>, out: &mut [T]) {
        let rule = self.rule();
        let Inputs { position, attribute, components, samples } = inputs;
        let components = if rule.of_attributes { components } else { 0 };
        let samples = if rule.per_element { samples } else { 1 };
        let width = rule.columns.len() * components.max(1);
        let rows = out.len() / width;
        assert!(position.iter().all(|d| d.len() == 3 * rows * samples), "derivatives of all rows");
        assert!(
            !rule.of_attributes || attribute.iter().all(|d| d.len() == components * rows * samples),
            "derivatives of the attribute in all rows"
        );
        let rounding = rounding(T::PRECISION);
        let grain = (TASK_ROWS / samples).max(1);
        out.par_chunks_mut(grain * width).enumerate().for_each(|(task, out)| {
            stop_point();
            let mut jacobians = Vec::with_capacity(samples);
            let mut derivatives = Vec::with_capacity(3 * components * samples);
            let mut row = vec![0.0; width];
            for (i, out) in out.chunks_exact_mut(width).enumerate() {
                let first = (task * grain + i) * samples;
                jacobians.clear();
                derivatives.clear();
                for sample in first..first + samples {
                    let column = |d: &[T]| [0, 1, 2].map(|c| d[3 * sample + c].to_f64());
                    jacobians.push(Matrix3::from(position.map(column)));
                    let own = sample * components..(sample + 1) * components;
                    let numbers = attribute.iter().flat_map(|d| d.get(own.clone()).unwrap_or(&[]));
                    derivatives.extend(numbers.map(|x| x.to_f64()));
                }
                let sampled = SampleDerivatives {
                    jacobians: &jacobians,
                    derivatives: &derivatives,
                    rounding,
                };
                (rule.evaluate)(&sampled, &mut row);
                out.iter_mut().zip(&row).for_each(|(to, &x)| *to = T::from_f64(x));
            }
        });
    }
}

impl Want {
    /// Numbers of a result with attributes of these widths; rows of whole elements count as
    /// results.
    pub fn numbers_per_result(self, widths: &[usize]) -> usize {
        let outputs = |input: usize| wanted_orders(self.of_input(input)).len();
        let derived = wanted_quantities(self, widths);
        3 * outputs(0)
            + widths.iter().sum::<usize>() * outputs(1)
            + derived.iter().map(|wanted| wanted.width).sum::<usize>()
    }
}

/// The quantities that `want` asks for, with attributes of these widths.
pub fn wanted_quantities(want: Want, widths: &[usize]) -> Vec<WantedQuantity> {
    let mut wanted = Vec::new();
    for quantity in Quantity::ALL.into_iter().filter(|q| want.contains(q.want())) {
        let rule = quantity.rule();
        let numbers = rule.columns.len();
        if rule.of_attributes {
            wanted.extend(widths.iter().enumerate().map(|(index, width)| WantedQuantity {
                quantity,
                attribute: Some(index),
                width: numbers * width,
            }));
        } else {
            wanted.push(WantedQuantity { quantity, attribute: None, width: numbers });
        }
    }
    wanted
}

/// Scaled determinants (the determinant over the lengths of the three first derivatives) up to
/// which a Jacobian counts as singular in a precision.
pub fn rounding(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => 1e-5,
        Precision::F64 => 1e-12,
    }
}

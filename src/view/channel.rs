//! Arrays that a page takes colors from.

use std::borrow::Cow;

/// An array that colors are taken from.
#[derive(Clone, Debug)]
pub struct ColorChannel {
    /// Name in the model and, if it has several, the component.
    pub name: String,
    pub component: Option<usize>,
    pub on: &'static str,
    /// Prefix of its sections.
    pub section: String,
    pub low: f64,
    pub high: f64,
    pub integers: bool,
}

impl ColorChannel {
    /// Its name in pages: the array's, with the component of several.
    pub fn label(&self) -> Cow<'_, str> {
        match self.component {
            Some(component) => format!("{} [{component}]", self.name).into(),
            None => self.name.as_str().into(),
        }
    }
}

/// Least and greatest of the finite values; 0 if there is none.
pub fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    finite_range(values).unwrap_or_default()
}

/// Least and greatest of the finite values, if there is one.
pub fn finite_range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|x| x.is_finite()).map(|x| (x, x));
    finite.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

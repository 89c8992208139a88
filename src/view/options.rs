//! How pages are made.

use super::color::ColorMap;
use crate::bezier::MAX_EXACT_RINGS;
use crate::error::{Error, Result};
use crate::io::{LengthUnit, UpAxis};
use crate::numbers::counted;

/// How a page is made.
#[derive(Clone, Debug)]
pub struct ViewOptions {
    /// Title of the page.
    pub title: String,
    /// Most rings of exact patches toward extraordinary vertices of the boundary, 0 to
    /// [`MAX_EXACT_RINGS`]; fewer where what remains is near the limit.
    pub rings: usize,
    /// Most rings toward extraordinary edges and vertices inside, for cuts; fewer where the inside
    /// would have more than 150,000 pieces.
    pub interior_rings: usize,
    /// Whether the page holds the inside of a solid: cuts, layers and explosions need it.
    pub interior: bool,
    /// Samples along each axis of a cell at which Jacobians are looked at, at least 2.
    pub samples: usize,
    /// What the page shows first: the name of an array, with the component of one of several, as in
    /// `v [1]`; `class`, `layer of cells`, `number of cell` or `one color`. `None` for the class
    /// of cells, or the scaled Jacobian where one is below 0; for the first array of polygons, and
    /// one color of other surfaces.
    pub color: Option<String>,
    /// Colors of a range of values that the page shows first.
    pub map: ColorMap,
    /// Unit of the model's lengths, which the page then names; `None` if it is not known.
    pub unit: Option<LengthUnit>,
    /// Axis that points upward in the first view.
    pub up: UpAxis,
}

impl ViewOptions {
    /// The defaults, with a title.
    pub fn titled(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            rings: MAX_EXACT_RINGS,
            interior_rings: 2,
            interior: true,
            samples: 5,
            color: None,
            map: ColorMap::default(),
            unit: None,
            up: UpAxis::default(),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let most = MAX_EXACT_RINGS;
        if self.rings > most || self.interior_rings > most {
            let rings = self.rings.max(self.interior_rings);
            return Err(Error::request(format!("{rings} rings of patches: out of range"))
                .with_help(format!("ask for 0 to {most} rings")));
        }
        if !(2..=64).contains(&self.samples) {
            return Err(Error::request(format!(
                "{} along each axis: out of range",
                counted(self.samples, "sample")
            ))
            .with_help("ask for 2 to 64 samples"));
        }
        Ok(())
    }
}

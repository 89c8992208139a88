//! Lattices: the part of the limit that tiles in the parameters of its cells fill.
//!
//! # Practice
//! A [`TileLattice`] is {x in the limit: F(N u, N v, N w) ≤ t(x)}, with (u, v, w) the parameters of the cell
//! of the mesh that x is in and N tiles along each of its edges. [`SolidSource::set_lattice`] makes the
//! layers of a solid those of its lattice. Sizes are constants or attributes.
//!
//! # Theory
//! Cells of a mesh share faces, not axes. So a tile has the symmetries of a cube ([`Tile`]): it is the
//! same from both sides of any face, whichever way the cells are turned, and the limit is smooth
//! there. A gyroid is not.
//! A cell that is no hexahedron becomes hexahedra, one a corner, with N/2 tiles along each edge of
//! theirs from that corner on, which are the tiles of the neighbor.
//! Places and Jacobians come from the pass that finds the attributes of pixels
//! ([`InteriorFinder`](super::InteriorFinder)). Time and memory depend on pixels, not on tiles.
//!
//! [`SolidSource::set_lattice`]: super::SolidSource::set_lattice

mod layers;
mod march;
mod measure;
mod skin;
mod tile;

pub(super) use layers::LatticeLayers;
pub use tile::Tile;

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Message, Result, option, option_name};

/// Tiles along an edge of a cell, at most.
pub const MAX_PER_CELL: usize = 1000;

/// A lattice in the cells of a solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TileLattice {
    /// What each tile is filled with.
    pub tile: Tile,
    /// Tiles along each edge of a cell.
    pub per_cell: usize,
    /// How much of a tile is material.
    pub size: LatticeSize,
    /// Thickness of the shell inside of the boundary that stays whole, in length units; 0 for none.
    pub skin: f64,
}

/// How much of a tile is material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LatticeSize {
    /// Thickness of walls about level 0 of smooth tiles, or diameter of struts, in length units.
    Thickness(Graded),
    /// F up to this level; of struts the radius in edges of the tile.
    Level(Graded),
    /// Part of the tile's volume in its parameters, 0 to 1.
    Density(Graded),
}

/// A number, or an attribute that has it at each point of the solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Graded<T = f64> {
    /// The same everywhere.
    Constant(T),
    /// Name of an attribute of one component.
    Attribute(String),
}

impl<T> Graded<T> {
    /// The same with the constant made another.
    pub fn map<U>(&self, of: impl FnOnce(&T) -> U) -> Graded<U> {
        match self {
            Self::Constant(number) => Graded::Constant(of(number)),
            Self::Attribute(name) => Graded::Attribute(name.clone()),
        }
    }
}

impl<T: FromStr> FromStr for Graded<T> {
    type Err = String;

    /// A number, or `attr:NAME`.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.strip_prefix("attr:") {
            Some("") | None => {
                let number = text.parse().map(Self::Constant);
                number.map_err(|_| "give a number, or attr:NAME for an attribute".into())
            }
            Some(name) => Ok(Self::Attribute(name.into())),
        }
    }
}

impl LatticeSize {
    /// The number, and the name of its option.
    pub fn number(&self) -> (&Graded, &'static str) {
        match self {
            Self::Thickness(number) => (number, "thickness"),
            Self::Level(number) => (number, "level"),
            Self::Density(number) => (number, "density"),
        }
    }

    /// The attribute that it depends on.
    pub fn attribute(&self) -> Option<&str> {
        match self.number().0 {
            Graded::Constant(_) => None,
            Graded::Attribute(name) => Some(name),
        }
    }
}

impl TileLattice {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Request`] for tiles along an edge that are not 1 to 1000, a thickness that is not above
    /// 0, a level that is not finite, a density that is not between 0 and 1, and a skin that is
    /// negative.
    pub fn check(&self) -> Result<()> {
        let refused = |what: Message, help: &str| Err(Error::request(what).with_help(help));
        if !(1..=MAX_PER_CELL).contains(&self.per_cell) {
            let what = message!(option("per_cell", self.per_cell), " is out of range");
            return refused(what, "give the tiles along an edge of a cell, 1 to 1000");
        }
        if !(self.skin.is_finite() && self.skin >= 0.0) {
            let what = message!(option("skin", self.skin), " is out of range");
            return refused(what, "give a thickness in length units, at least 0");
        }
        let (number, name) = self.size.number();
        let &Graded::Constant(x) = number else { return Ok(()) };
        let (fits, help) = match self.size {
            LatticeSize::Thickness(_) => {
                (x.is_finite() && x > 0.0, "give a length above 0, say 0.2 or 200um")
            }
            LatticeSize::Level(_) => (x.is_finite(), "give a number, say 0"),
            LatticeSize::Density(_) => (x > 0.0 && x < 1.0, "give a number between 0 and 1"),
        };
        if fits { Ok(()) } else { refused(message!(option(name, x), " is out of range"), help) }
    }

    /// The error of contours without the size of the pixels that they are found on.
    fn no_pixels() -> Error {
        Error::request("contours of a lattice without pixels to find them on")
            .with_help(message!("give the size of a pixel: ", option_name("pixel")))
    }
}

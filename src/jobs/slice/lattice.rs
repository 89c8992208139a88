//! The lattice that the material is.

use serde::{Deserialize, Serialize};

#[cfg(feature = "cli")]
use super::values;
use crate::numbers::Length;
use crate::slice::{Graded, Tile};

/// A lattice in the cells of a solid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args), group(skip))]
#[serde(default)]
pub struct SliceLattice {
    /// Make the material of a solid a lattice of tiles in its cells: walls or one side of the minimal
    /// surfaces schwarz-p and iwp, or struts: bcc, octet and cubic
    #[cfg_attr(feature = "cli", arg(long, value_name = "TILE", requires = "sized"))]
    #[cfg_attr(feature = "cli", arg(value_parser = values::tile))]
    pub lattice: Option<Tile>,
    /// Tiles along each edge of a cell, 1 to 1000 [default: 1]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", requires = "lattice"))]
    pub per_cell: Option<usize>,
    /// Thickness of walls, or diameter of struts: a length, or the attribute that has it
    #[cfg_attr(feature = "cli", arg(long, value_name = "T|attr:NAME", requires = "lattice"))]
    #[cfg_attr(feature = "cli", arg(conflicts_with_all = ["level", "density"]))]
    pub thickness: Option<Graded<Length>>,
    /// Level up to which the function of a tile is material instead: 0 for half of schwarz-p; of struts
    /// the radius as a part of the tile's edge
    #[cfg_attr(feature = "cli", arg(long, value_name = "L|attr:NAME", requires = "lattice"))]
    #[cfg_attr(feature = "cli", arg(conflicts_with = "density", allow_hyphen_values = true))]
    pub level: Option<Graded>,
    /// Part of a tile that is material instead, 0 to 1
    #[cfg_attr(feature = "cli", arg(long, value_name = "D|attr:NAME", requires = "lattice"))]
    pub density: Option<Graded>,
    /// Thickness of a shell inside of the boundary that stays whole [default: none]
    #[cfg_attr(feature = "cli", arg(long, value_name = "T", requires = "lattice"))]
    pub skin: Option<Length>,
}

impl SliceLattice {
    /// All lengths.
    pub(super) fn lengths(&self) -> impl Iterator<Item = Length> {
        let thickness = match &self.thickness {
            Some(Graded::Constant(length)) => Some(*length),
            _ => None,
        };
        thickness.into_iter().chain(self.skin)
    }

    /// The attribute that its size depends on.
    pub(super) fn attribute(&self) -> Option<&str> {
        match (&self.thickness, &self.level, &self.density) {
            (Some(Graded::Attribute(name)), ..)
            | (_, Some(Graded::Attribute(name)), _)
            | (.., Some(Graded::Attribute(name))) => Some(name),
            _ => None,
        }
    }
}

//! The lattice that the material is.

use serde::{Deserialize, Serialize};

use super::check::check_rules;
use super::request::SliceRequest;
#[cfg(feature = "cli")]
use super::values;
use crate::error::{Error, Result, Term, option, option_name as name};
use crate::numbers::Length;
use crate::slice::{Graded, LatticeSize, Tile, TileLattice};

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

impl SliceRequest {
    /// The lattice in length units of the model; `None` for solid material.
    ///
    /// # Errors
    /// As [`TileLattice::check`]; [`Error::Request`] for options of a lattice without one, more or less than
    /// one size, and a mesh that is refined first.
    pub fn lattice(&self) -> Result<Option<TileLattice>> {
        let own = &self.lattice;
        let sizes = [
            own.thickness
                .as_ref()
                .map(|own| LatticeSize::Thickness(own.map(|&thickness| self.length(thickness)))),
            own.level.clone().map(LatticeSize::Level),
            own.density.clone().map(LatticeSize::Density),
        ];
        let mut given = sizes.into_iter().flatten();
        let (size, other) = (given.next(), given.next());
        let Some(tile) = own.lattice else {
            let has_some = size.is_some() || own.per_cell.is_some() || own.skin.is_some();
            let of = ["thickness", "level", "density", "per_cell", "skin"].map(name);
            let [thickness, level, density, per_cell, skin]: [Term; 5] = of;
            let what =
                message!(thickness, ", ", level, ", ", density, ", ", per_cell, " and ", skin);
            let help = message!("leave them out, or give ", option("lattice", "schwarz-p"));
            check_rules([(has_some, message!(what, " are for lattices"), help)])?;
            return Ok(None);
        };
        let sizes = || {
            let [thickness, level, density] = ["thickness", "level", "density"].map(name);
            message!("give one of ", thickness, ", ", level, " and ", density)
        };
        let with = |what: &str| message!(name("lattice"), " ", what.to_owned());
        check_rules([
            (other.is_some(), with("with more than one size"), sizes()),
            (
                self.images.pixel_size().is_none(),
                with("without pixels"),
                message!(
                    "give the size of a pixel, ",
                    name("pixel"),
                    ": layers are found on pixels"
                ),
            ),
            (
                self.levels > 0,
                message!(with("with "), name("levels"), ": each of the refined cells has tiles"),
                message!(
                    "leave ",
                    name("levels"),
                    " out, which the limit does not depend on, or give more tiles: ",
                    name("per_cell")
                ),
            ),
        ])?;
        let Some(size) = size else {
            return Err(Error::request(with("without a size")).with_help(sizes()));
        };
        let skin = own.skin.map_or(0.0, |skin| self.length(skin));
        let lattice = TileLattice { tile, per_cell: own.per_cell.unwrap_or(1), size, skin };
        lattice.check()?;
        Ok(Some(lattice))
    }

    /// Edges of the pixels that contours of a lattice are found on, before layers are scaled.
    pub(super) fn lattice_pitch(&self) -> Option<[f64; 2]> {
        let factors = self.compensation.scale.map_or([1.0; 2], |scale| self.axis.project(scale));
        let pitch = self.pitch()?;
        Some([0, 1].map(|d| pitch[d] / factors[d]))
    }
}

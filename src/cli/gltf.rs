//! Options of `.glb` files, for every subcommand that writes them.

use clap::Arg;
use subsolid::io::{LengthUnit, UpAxis};

use super::names::bare;

/// The option `unit`, with the names of units alone.
pub fn units(unit: Arg) -> Arg {
    unit.value_parser(bare::<LengthUnit>())
}

/// The option `up`, with the names of axes alone.
pub fn axes(up: Arg) -> Arg {
    up.value_parser(bare::<UpAxis>())
}

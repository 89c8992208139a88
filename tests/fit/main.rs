//! Control points whose limit is the part.

mod attributes;
mod ghosts;
mod ghosts_target;
mod limit;
mod round;
mod shapes;
mod skin;
mod system;

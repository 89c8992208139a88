//! Control points whose limit is the part.

mod limit;
mod round;
mod shapes;
mod skin;

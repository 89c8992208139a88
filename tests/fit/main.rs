//! Control points whose limit is the part.

mod limit;
mod skin;

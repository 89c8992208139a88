//! Control meshes: groups, polyhedra, what is joined, and numbers in range.

mod groups;
mod joined;
mod polyhedra;
mod ranges;

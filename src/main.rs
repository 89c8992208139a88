//! The `subsolid` program.
fn main() {}

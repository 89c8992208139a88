//! Defaults in signatures and ranges in [`crate::count`] are numbers, which Python shows; those of
//! the library are the same.

use subsolid::basis::gauss;
use subsolid::bezier::{CELL_RINGS, MAX_EXACT_RINGS, OPERATOR_RINGS};
use subsolid::locate::DEFAULT_TOLERANCE;
use subsolid::plan::MAX_SAMPLES;
use subsolid::process::DEFAULT_FACTOR;
use subsolid::process::surface::{DEFAULT_RINGS, DEFAULT_SWEEPS};
use subsolid::quadrature::DEFAULT_GAUSS;

const _: () = {
    assert!(DEFAULT_GAUSS == 5, "Solid.quadrature");
    assert!(DEFAULT_TOLERANCE == 1e-9, "Solid.locator, Solid.locate");
    assert!(DEFAULT_FACTOR == 0.5, "Solid.smooth_attribute");
    assert!(DEFAULT_SWEEPS == 3 && DEFAULT_RINGS == 2, "Surface.denoise");
    assert!(OPERATOR_RINGS == 2, "Solid.extract");
    assert!(CELL_RINGS == 3, "Solid.to_pyvista");
    assert!(MAX_SAMPLES == 64, "count::samples");
    assert!(gauss::MAX_POINTS == 32, "count::gauss");
    assert!(MAX_EXACT_RINGS == 8, "count::interior_rings");
};

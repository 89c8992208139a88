//! Cavities of nothing: shells whose faces look inward where the other shells have no material.

use rayon::prelude::*;

use super::index::IntervalIndex;
use super::join::{beside, join, sides};
use super::trace::Arcs;
use crate::numbers::bounds::{self, Bounds};
use crate::slice::boundary::{Patch, Shell, Shells, Surface};

/// Places around a contour that are looked at, at most.
const PLACES: usize = 8;

/// Marks the cavities of nothing. `of_patches`: the shell of each patch. Material is where the
/// other shells wind round a positive number of times, at a place inside the cavity at half its
/// height, in chords that are within the first tolerance.
pub fn mark_stray(
    shells: &mut Shells,
    of_patches: &[u32],
    surface: &Surface,
    index: &IntervalIndex,
    [chords, tolerance]: [f64; 2],
) {
    let all = &shells.shells;
    let outer: Vec<Bounds> =
        all.iter().filter(|shell| shell.volume > 0.0).map(|shell| shell.bounds).collect();
    let is_in_box = |[low, high]: Bounds| {
        let holds = |&[lowest, highest]: &Bounds| {
            (0..3).all(|d| lowest[d] <= low[d] && high[d] <= highest[d])
        };
        outer.iter().any(holds)
    };
    let search = Search { surface, index, of_patches, chords, tolerance };
    let is_stray = |(number, shell): (usize, &Shell)| {
        shell.volume < 0.0 && !(is_in_box(shell.bounds) && search.is_in_material(number, shell))
    };
    let found: Vec<bool> = all.par_iter().enumerate().map(is_stray).collect();
    shells.shells.iter_mut().zip(found).for_each(|(shell, found)| shell.is_stray = found);
}

/// Patches of all shells.
struct Search<'a> {
    surface: &'a Surface,
    index: &'a IntervalIndex,
    of_patches: &'a [u32],
    chords: f64,
    tolerance: f64,
}

impl Search<'_> {
    /// Whether the other shells have material somewhere inside a cavity.
    fn is_in_material(&self, number: usize, cavity: &Shell) -> bool {
        let [low, high] = cavity.bounds.map(|corner| corner[2]);
        let height = self.surface.round(0.5 * (low + high));
        let mut found = Vec::new();
        self.index.find(height, &mut found);
        let is_own = |&patch: &u32| self.of_patches[patch as usize] as usize == number;
        let (own, others): (Vec<u32>, Vec<u32>) = found.into_iter().partition(is_own);
        let mut arcs = Arcs::default();
        own.iter().for_each(|&patch| self.add(patch, height, &mut arcs));
        let contours = join(&arcs, self.surface.grid);
        // farther off, too: chords of shells that touch cross
        let steps = [self.surface.grid, self.tolerance, 2.0 * self.tolerance];
        let mut places = contours.iter().flat_map(|contour| {
            let apart = contour.points.len().div_ceil(PLACES);
            // the cavity is to the right
            let places = sides(&contour.points).step_by(apart);
            places.flat_map(move |side| steps.map(|step| beside(side, -step)))
        });
        // too flat to tell
        contours.is_empty()
            || places.any(|place| self.winding(&others, place, height, &mut arcs) > 0)
    }

    /// How many times patches wind round a place, by what lies to the right of it.
    fn winding(&self, patches: &[u32], [x, y]: [f64; 2], height: f64, arcs: &mut Arcs) -> i64 {
        arcs.clear();
        for &patch in patches {
            let [low, high] = plane_box(&self.surface.patches[patch as usize]);
            let slack = self.tolerance;
            if low[1] - slack <= y && y <= high[1] + slack && x <= high[0] + slack {
                self.add(patch, height, arcs);
            }
        }
        let crossed = arcs.segments().filter(|[a, b]| {
            (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        });
        crossed.map(|[a, b]| if b[1] > a[1] { 1 } else { -1 }).sum()
    }

    fn add(&self, patch: u32, height: f64, arcs: &mut Arcs) {
        arcs.add(self.surface, &self.surface.patches[patch as usize], height, self.chords);
    }
}

/// The box around the Bézier points of a patch.
fn plane_box(patch: &Patch) -> Bounds<2> {
    bounds::around(patch.points.0.as_flattened().iter().map(|&[x, y, _]| [x, y]))
}

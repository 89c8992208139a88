//! Points located on a device; what it cannot decide is finished on the CPU.

use std::sync::{Arc, PoisonError};

use rayon::prelude::*;

use super::parts::LocatorParts;
use super::{BroughtParts, Containment, Hierarchy, Locator, Place};
use crate::backend::Backend;
use crate::backend::device::{Device, LEFT, OUTSIDE, PlaceArrays, Resident};
use crate::error::Result;

/// Points at once: memory on the device and here stays bounded.
const BATCH_POINTS: usize = 1 << 22;

/// What became of some points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Locations {
    /// Place of each point, in the order of the points.
    pub located: Vec<Containment>,
    /// Number of points that a GPU left to the CPU: those next to extraordinary edges and vertices
    /// and to edges where the Jacobian vanishes, or within the tolerance outside. `None` of the CPU.
    pub left: Option<usize>,
    /// Seconds that it took: on a GPU copies not included.
    pub seconds: f64,
}

impl Locator<'_> {
    /// [`Locator::locate`] on a device, which keeps the parts.
    pub(super) fn locate_there(
        &self,
        backend: &dyn Backend,
        device: &dyn Device,
        points: &[[f64; 3]],
    ) -> Result<Locations> {
        let parts = self.bring(&backend.name(), device)?;
        let mut all = Locations { left: Some(0), ..Locations::default() };
        all.located.reserve_exact(points.len());
        let mut arrays = PlaceArrays::default();
        for block in points.chunks(BATCH_POINTS) {
            let mut search = parts.search.lock();
            search.set_points(block)?;
            all.seconds += search.run()?;
            search.read(&mut arrays)?;
            drop(search);
            let left = self.finish(block, &arrays, &mut all.located);
            all.left = all.left.map(|all| all + left);
        }
        Ok(all)
    }

    /// Brings the pieces to a device, halved until Newton's method decides in them, if they are not
    /// there yet.
    fn bring(&self, name: &str, device: &dyn Device) -> Result<Arc<BroughtParts>> {
        let held = || self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = held().as_ref().filter(|own| own.backend == name) {
            return Ok(own.clone());
        }
        let parts = LocatorParts::new(self)?;
        let Hierarchy { nodes, items } = Hierarchy::new(&parts.boxes);
        let search = device.location(parts.arrays(&nodes, &items, self.reach))?;
        let own = BroughtParts { backend: name.to_owned(), search: Resident::new(search) };
        let own = Arc::new(own);
        *held() = Some(own.clone());
        Ok(own)
    }

    /// Adds the answers to `located`, with the CPU's for points left to it; returns how many
    /// these are.
    fn finish(
        &self,
        points: &[[f64; 3]],
        arrays: &PlaceArrays,
        located: &mut Vec<Containment>,
    ) -> usize {
        let left: Vec<u32> =
            (0..points.len() as u32).filter(|&i| arrays.elements[i as usize] == LEFT).collect();
        let points_left: Vec<[f64; 3]> = left.iter().map(|&i| points[i as usize]).collect();
        let first = located.len();
        located.par_extend(arrays.elements.par_iter().enumerate().map(
            |(i, &element)| match element {
                OUTSIDE | LEFT => Containment::Outside,
                element => Containment::Inside(Place {
                    element,
                    parameters: arrays.parameters[i],
                    residual: arrays.residuals[i],
                }),
            },
        ));
        for (&i, found) in left.iter().zip(self.locate(&points_left)) {
            located[first + i as usize] = found;
        }
        left.len()
    }
}

//! Points located on a GPU; what it cannot decide is finished on the CPU.

use rayon::prelude::*;

use super::parts::LocatorParts;
use super::{Containment, Hierarchy, Locator, Place};
use crate::backend::device::{Device, LEFT, OUTSIDE, PlaceArrays, PointSearch};
use crate::error::Result;

/// Points at once: memory on the device and here stays bounded.
const BATCH_POINTS: usize = 1 << 22;

/// A locator at work on a GPU, in double precision.
///
/// The elements are those that [`Locator::locate`] finds; parameters are the same to some 1e-12
/// where the Jacobian allows, for the limit there is the point to rounding.
pub struct DeviceLocator<'l, 's> {
    locator: &'l Locator<'s>,
    places: Box<dyn PointSearch>,
}

/// What became of some points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceLocations {
    /// Place of each point, in the order of the points.
    pub located: Vec<Containment>,
    /// Number of points left to the CPU: those next to extraordinary edges and vertices and to
    /// edges where the Jacobian vanishes, or within the tolerance outside.
    pub left: usize,
    /// Seconds on the device, copies not included.
    pub seconds: f64,
}

impl<'l, 's> DeviceLocator<'l, 's> {
    /// Brings a locator's pieces to a GPU, halved until Newton's method decides in them. Needs
    /// some 1.9 KB there for each of the parts, of which there are three to six a piece.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if its memory is too small.
    pub fn new(locator: &'l Locator<'s>, device: &dyn Device) -> Result<Self> {
        let parts = LocatorParts::new(locator)?;
        let Hierarchy { nodes, items } = Hierarchy::new(&parts.boxes);
        let solid = parts.arrays(&nodes, &items, locator.reach);
        Ok(Self { locator, places: device.location(solid)? })
    }

    /// What is on the GPU, for [`DeviceLocator::attach`]: it does not borrow the locator.
    pub fn detach(self) -> Box<dyn PointSearch> {
        self.places
    }

    /// The locator with its data already on the GPU, [detached](DeviceLocator::detach) from another
    /// of the same locator.
    pub fn attach(locator: &'l Locator<'s>, places: Box<dyn PointSearch>) -> Self {
        Self { locator, places }
    }

    /// The locator.
    pub fn locator(&self) -> &'l Locator<'s> {
        self.locator
    }

    /// Where each of the points is, block by block: answers as [`Locator::locate`] has them.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the device fails or its memory is too small.
    pub fn locate(&mut self, points: &[[f64; 3]]) -> Result<DeviceLocations> {
        let mut all = DeviceLocations::default();
        all.located.reserve_exact(points.len());
        let mut arrays = PlaceArrays::default();
        for block in points.chunks(BATCH_POINTS) {
            self.set_points(block)?;
            all.seconds += self.run()?;
            self.places.read(&mut arrays)?;
            all.left += self.finish(block, &arrays, &mut all.located);
        }
        Ok(all)
    }

    /// Brings points to the device, in place of those before.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if its memory is too small.
    pub fn set_points(&mut self, points: &[[f64; 3]]) -> Result<()> {
        self.places.set_points(points)
    }

    /// Locates the points that are there, leaves the answers there, and returns the seconds
    /// that it took.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the device fails.
    pub fn run(&mut self) -> Result<f64> {
        self.places.run()
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
        for (&i, found) in left.iter().zip(self.locator.locate(&points_left)) {
            located[first + i as usize] = found;
        }
        left.len()
    }
}

//! Slicing a solid or a closed surface: set up once, then any layer in any order.

use std::ops::Range;

use super::boundary::{
    ClosedSurface, Extent, Shells, Surface, farthest, height_grid, longest_side,
};
use super::contours::{Arcs, IntervalIndex, join, outlines};
use super::frame::Axis;
use super::layer::Layer;
use super::part::{Boundary, PartExtent};
use super::pixels::{Gray, Raster};
use crate::backend::cpu::Host;
use crate::backend::operations::LayerImages;
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::mesh::{Controls, check_coordinates};
use crate::numbers::{Precision, bounds};

/// Default tolerance as a fraction of the solid's longest side.
const DEFAULT_TOLERANCE: f64 = 1e-5;

/// Minimum tolerance as a fraction of the solid's longest side.
const MIN_TOLERANCE: f64 = 1e-9;

/// Least tolerance as a fraction of the farthest coordinate: 32 to 64 steps of a number there. What
/// patches differ from flat ones by is rounding below.
const MIN_TOLERANCE_FRACTION: f64 = 1.0 / (1_u64 << 47) as f64;

/// Part of the tolerance that chords may leave a patch by; the rest is for what
/// patches are off the limit, and flat.
const CHORD_PART: f64 = 0.75;

/// Maximum noise of lengths as a fraction of the longest side.
const MAX_ROUNDING: f64 = 1e-4;

/// How to slice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SliceOptions {
    /// The axis that layers are stacked along.
    pub axis: Axis,
    /// Largest distance of contours from the limit surface, in length units; `None` for 10⁻⁵ of the
    /// control mesh's longest side, or 2⁻⁴⁶ of its farthest coordinate if that is more.
    pub tolerance: Option<f64>,
}

/// What all layers of a model have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerFrame {
    /// The axis that layers are stacked along.
    pub axis: Axis,
    /// Largest distance of contours from the limit surface, in length units; the part of it that
    /// [`Slicer::surface_error`] is, included.
    pub tolerance: f64,
    /// Heights of the lowest and the highest point of the limit, to about 2⁻³⁴ of the size; where
    /// patches are approximations, to [`Slicer::surface_error`].
    pub heights: [f64; 2],
    /// Box in the plane's coordinates that holds every contour, to rounding: low and high corner. It
    /// agrees with the limit to a quarter of the tolerance.
    pub plane: [[f64; 2]; 2],
}

impl LayerFrame {
    /// How much of a length is noise: coordinates come from single precision as a rule, so each end
    /// is off by a unit in its last place, here of the largest coordinate. Models far from the
    /// origin may be in double precision: no more than 10⁻⁴ of the longest side.
    pub fn rounding(&self) -> f64 {
        let ([low, high], [[left, near], [right, far]]) = (self.heights, self.plane);
        rounding([[left, near, low], [right, far, high]])
    }
}

/// [`LayerFrame::rounding`] of a model in a box.
pub(super) fn rounding(bounds: [[f64; 3]; 2]) -> f64 {
    let unit = f64::from(f32::EPSILON) * farthest(&bounds);
    (2.0 * unit).min(MAX_ROUNDING * longest_side(&bounds))
}

/// A solid, what a closed surface bounds, or several of these, ready to be cut by planes across an
/// axis.
///
/// Layers are independent of each other and of the order they are asked for in; the
/// same slicer serves many threads.
///
/// ```
/// use subsolid::{Solid, slice::{Axis, SliceOptions, Slicer}};
/// let mesh = subsolid::read("models/bracket.vtk")?;
/// let solid = Solid::new(&mesh)?;
/// let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default())?;
/// let [low, high] = slicer.heights();
/// let layer = slicer.layer(0, 0.5 * (low + high));
/// assert!(layer.area() > 0.0 && layer.contours[0].points.len() > 3);
/// # Ok::<(), subsolid::Error>(())
/// ```
#[derive(Debug)]
pub struct Slicer {
    surface: Surface,
    index: IntervalIndex,
    frame: LayerFrame,
    // none of a solid
    shells: Shells,
    pub(super) parts: Vec<PartExtent>,
    /// The boundary on a processor.
    pub(super) images: Box<dyn LayerImages>,
}

impl Slicer {
    /// Prepares the boundary of the limit of `controls` over `solid`.
    ///
    /// # Errors
    /// [`Error::Request`] for a tolerance that is not a positive number, is below 10⁻⁹ of the
    /// longest side or below the rounding of coordinates (2⁻⁴⁷ of the farthest), or controls that
    /// are not the solid's;
    /// [`Error::Mesh`] for coordinates out of range, no boundary, and one without an outside.
    pub fn new(solid: &Solid, controls: Controls<'_>, options: SliceOptions) -> Result<Self> {
        Self::of_parts(&[Boundary::Solid(solid, controls.positions)], options)
    }

    /// Prepares the limit of a closed surface over its control `points`. What its shells wind
    /// round a positive number of times is inside: a shell whose faces look inward, in another, is
    /// a cavity, and shells that overlap are one. [`ClosedSurface::prepare`] turns faces outward.
    ///
    /// Patches are exact on regular faces of Catmull-Clark surfaces and on bilinear ones. At
    /// extraordinary vertices, and on the quartic triangles of Loop surfaces (Stam 1999), they
    /// differ from the limit by an eighth of the tolerance at most, estimated from samples
    /// ([`Slicer::surface_error`]).
    ///
    /// ```
    /// use subsolid::slice::{ClosedSurface, SliceOptions, Slicer};
    /// use subsolid::surface::Scheme;
    /// let mesh = subsolid::read_surface("models/surfaces/spot_control_mesh.obj")?;
    /// let surface = ClosedSurface::new(&mesh, Scheme::default())?; // no points yet
    /// let slicer = Slicer::of_surface(&surface, &mesh.points, SliceOptions::default())?;
    /// let [low, high] = slicer.heights();
    /// assert!(slicer.layer(0, 0.5 * (low + high)).area() > 0.0);
    /// # Ok::<(), subsolid::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Slicer::new`]; [`Error::Mesh`] unless the volume inside is above 0.
    pub fn of_surface(
        surface: &ClosedSurface,
        points: &[[f64; 3]],
        options: SliceOptions,
    ) -> Result<Self> {
        Self::of_parts(&[Boundary::Surface(surface, points)], options)
    }

    /// Prepares several parts, of which each place is inside that is inside one of them. The default
    /// tolerance is the least that one of them has.
    ///
    /// # Errors
    /// As [`Slicer::new`] and [`Slicer::of_surface`]; [`Error::Request`] for no parts.
    pub fn of_parts(parts: &[Boundary<'_>], options: SliceOptions) -> Result<Self> {
        let (mut within, mut around) = (f64::INFINITY, bounds::empty());
        for part in parts {
            part.check()?;
            let spanning = part.spanning();
            let points = spanning.as_chunks().0;
            within = within.min(tolerance(points, options)?);
            around = points.iter().copied().fold(around, bounds::extended);
        }
        let (axis, grid) = (options.axis, height_grid(&around));
        let mut all: Option<Surface> = None;
        let (mut shells, mut extents) = (Shells::default(), Vec::with_capacity(parts.len()));
        for part in parts {
            let (own, of_part) = part.cover(axis, [within, grid])?;
            let first = all.as_ref().map_or(0, |all| all.patches.len() as u32);
            extents.push(PartExtent {
                patches: first..first + own.patches.len() as u32,
                extent: Extent::of(&own),
                most_around: of_part.most_around(),
            });
            shells.shells.extend(of_part.shells);
            match &mut all {
                None => all = Some(own),
                Some(all) => all.append(own)?,
            }
        }
        let Some(surface) = all else {
            return Err(Error::request("layers of no parts").with_help("give a model"));
        };
        let Extent { heights, plane } = Extent::around(extents.iter().map(|part| part.extent));
        let frame = LayerFrame { axis, tolerance: within, heights, plane };
        let ranges: Vec<[f64; 2]> =
            surface.patches.iter().map(|patch| surface.height_range(patch)).collect();
        let index = IntervalIndex::new(&ranges);
        Ok(Self { index, surface, frame, shells, parts: extents, images: Box::new(Host) })
    }

    /// What all layers have in common.
    pub fn frame(&self) -> LayerFrame {
        self.frame
    }

    /// [`LayerFrame::axis`].
    pub fn axis(&self) -> Axis {
        self.frame.axis
    }

    /// [`LayerFrame::tolerance`].
    pub fn tolerance(&self) -> f64 {
        self.frame.tolerance
    }

    /// How far the patches at extraordinary vertices may be from the limit surface,
    /// in length units (estimated from samples); all others are exact.
    pub fn surface_error(&self) -> f64 {
        self.surface.error
    }

    /// [`LayerFrame::heights`].
    pub fn heights(&self) -> [f64; 2] {
        self.frame.heights
    }

    /// [`LayerFrame::plane`].
    pub fn plane_box(&self) -> [[f64; 2]; 2] {
        self.frame.plane
    }

    /// The shells of surfaces; none of a solid.
    pub fn shells(&self) -> &Shells {
        &self.shells
    }

    /// Contours of the plane at `height`.
    ///
    /// A flat face at the very height of a plane lies below it: such a face is cut
    /// if the material is above it, not if the material is below. Heights are
    /// compared on a grid of about 2⁻³⁴ of the size. Where shells overlap by more than twice the
    /// tolerance, contours are of their union.
    pub fn layer(&self, index: usize, height: f64) -> Layer {
        self.layer_of(0..self.surface.patches.len() as u32, index, height)
    }

    /// [`Slicer::layer`] of some of the patches, those of a part.
    pub(super) fn layer_of(&self, patches: Range<u32>, index: usize, height: f64) -> Layer {
        let mut arcs = Arcs::default();
        self.trace(&patches, height, &mut arcs, &mut Vec::new());
        let (grid, tolerance) = (self.surface.grid, self.frame.tolerance);
        Layer { index, height, contours: outlines(join(&arcs, grid), grid, tolerance) }
    }

    /// [`Slicer::coverage`] with the memory of earlier layers, into `pixels`.
    ///
    /// # Panics
    /// If `pixels` is not as large as the raster's grid, or there are more than 65,536 heights.
    pub fn coverage_into<T: Gray>(&self, heights: &[f64], raster: &mut Raster, pixels: &mut [T]) {
        let all = 0..self.surface.patches.len() as u32;
        self.cover_into(all, heights, raster, pixels);
    }

    /// [`Slicer::coverage_into`] of some of the patches, those of a part.
    pub(super) fn cover_into<T: Gray>(
        &self,
        patches: Range<u32>,
        heights: &[f64],
        raster: &mut Raster,
        pixels: &mut [T],
    ) {
        raster.clear();
        let (mut arcs, mut found) = (Arcs::default(), Vec::new());
        for (plane, &height) in heights.iter().enumerate() {
            if plane > 0 {
                raster.begin_plane();
            }
            arcs.clear();
            self.trace(&patches, height, &mut arcs, &mut found);
            arcs.segments().for_each(|[a, b]| raster.add_segment(a, b));
        }
        raster.write(pixels);
    }

    /// Largest distance of chords from patches, in length units.
    pub(super) fn chord_tolerance(&self) -> f64 {
        CHORD_PART * self.frame.tolerance
    }

    /// A bound on how many parts and shells are around one point.
    pub(super) fn most_around(&self) -> usize {
        let around = |part: &PartExtent| {
            let near = self.parts.iter().filter(|other| other.meets(part));
            near.map(|other| other.most_around).sum()
        };
        self.parts.iter().map(around).max().unwrap_or(1).max(1)
    }

    /// The boundary.
    pub(super) fn surface(&self) -> &Surface {
        &self.surface
    }

    /// The patches that a plane may meet, by height.
    pub(super) fn index(&self) -> &IntervalIndex {
        &self.index
    }

    /// Arcs of the patches of a range.
    fn trace(&self, patches: &Range<u32>, height: f64, arcs: &mut Arcs, found: &mut Vec<u32>) {
        let height = self.surface.round(height);
        self.index.find(height, found);
        let own = |end: u32| found.partition_point(|&patch| patch < end);
        for &patch in &found[own(patches.start)..own(patches.end)] {
            let patch = &self.surface.patches[patch as usize];
            arcs.add(&self.surface, patch, height, self.chord_tolerance());
        }
    }
}

/// The tolerance over these control points.
fn tolerance(points: &[[f64; 3]], options: SliceOptions) -> Result<f64> {
    check_coordinates(points, Precision::F64)?;
    let side = longest_side(points);
    if side == 0.0 {
        return Err(Error::mesh("all vertices lie in one place").with_help("give a larger model"));
    }
    let farthest = farthest(points);
    let rounding = MIN_TOLERANCE_FRACTION * farthest;
    let Some(tolerance) = options.tolerance else {
        return Ok((DEFAULT_TOLERANCE * side).max(2.0 * rounding));
    };
    let least = (MIN_TOLERANCE * side).max(rounding);
    if tolerance >= least && tolerance.is_finite() {
        return Ok(tolerance);
    }
    if (MIN_TOLERANCE * side..rounding).contains(&tolerance) {
        return Err(Error::request(format!(
            "a tolerance of {tolerance:?}: below the rounding of coordinates up to {farthest:.2e}"
        ))
        .with_help(format!(
            "ask for at least {} length units, or move the model to the origin",
            rounded_up(least)
        )));
    }
    Err(Error::request(format!("a tolerance of {tolerance:?}: out of range"))
        .with_help(format!("ask for at least {} length units", rounded_up(least))))
}

/// A number to three digits, not below it.
fn rounded_up(x: f64) -> String {
    format!("{:.2e}", x * 1.01)
}

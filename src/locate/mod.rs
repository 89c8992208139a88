//! From points in space to parameters: the inverse of evaluation.
//!
//! # Practice
//! A [`Locator`] takes a solid with its control points in Bézier pieces
//! ([`crate::bezier`]) under a bounding-volume hierarchy. [`Locator::locate`] says for
//! every point which element contains it and at which (u, v, w), or that it is outside;
//! [`Locator::nearest`] finds the closest point of the solid to any point.
//!
//! ```
//! use subsolid::locate::{Containment, Locator};
//! use subsolid::{Samples, Solid, Want, backend, plan::Location};
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let solid = Solid::new(&mesh)?;
//! let there = Location { element: 7, parameters: [0.2, 0.6, 0.9] };
//! let plan = solid.plan(&Samples::Points(vec![there]), Want::POSITION)?;
//! let point = backend::auto().evaluate(&plan, mesh.controls())?.positions.triple(0);
//!
//! let locator = Locator::new(&solid, mesh.controls())?;
//! let Containment::Inside(place) = locator.locate(&[point])[0] else { panic!("outside") };
//! assert_eq!(place.element, 7);
//! assert!((place.parameters[1] - 0.6).abs() < 1e-9);
//! # Ok::<(), subsolid::Error>(())
//! ```
//!
//! # Theory
//! The pieces whose boxes hold a point are few. Each is tested in the frame of its
//! mean Jacobian, in which it is nearly the unit cube: that rejects most of the
//! others, and is the start of Newton's method. Pieces so nearly affine that
//! they are provably one-to-one decide by it; others (at smooth edges of the boundary
//! detJ is 0) are halved until they do. Pieces only come near the limit at
//! extraordinary edges and vertices: there a point goes down further rings of exact
//! pieces, made when it asks for them.
//!
//! The place closest to a point outside lies on the boundary. Bicubic patches of the boundary are
//! halved until the distance is convex on them, where Newton's method finds the closest place,
//! or until a bound leaves them out.

mod attributes;
mod boundary;
mod closest;
mod cores;
mod frame;
mod hierarchy;
mod limit;
mod nearest;
mod parameters;
mod parts;
mod pieces;
mod search;
mod sides;
mod table;
mod tricubic;

pub use crate::backend::operations::{Containment, Locations, Place};
pub use attributes::AttributePieces;
pub use hierarchy::{Hierarchy, Node};
pub(crate) use pieces::layer_rings;
pub use pieces::{LocatorPieces, default_rings};
pub use table::{Answer, PointTable, columns, write_rows};
pub use tricubic::TricubicPoints;
pub(crate) use {
    cores::{CoreCut, CorePart},
    frame::{AffineFrame, FRAME_MARGIN, MAX_KAPPA},
    parts::LocatorParts,
    tricubic::{HalfPiece, basis, bounds, halves},
};

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::backend::Backend;
use crate::backend::operations::{LocationSource, PointSearch, SolidParts};
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::limit::Solid;
use crate::mesh::{Controls, check_coordinates};
use crate::numbers::Precision;
use crate::numbers::bounds::squared_distance;

use boundary::BoundaryPieces;
use cores::{CoreQuery, SplitMemory};
use hierarchy::diagonal;
use search::{Nearness, SHARED_PLACE_TOLERANCE};

/// Points of one task.
const TASK_POINTS: usize = 256;

/// Default tolerance of a locator.
pub const DEFAULT_TOLERANCE: f64 = 1e-9;

/// Options of a [`Locator`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocatorOptions {
    /// Points farther outside than this are outside, as a fraction of the diagonal of the
    /// box around the piece next to them; 0 < tolerance ≤ 1e-3.
    pub tolerance: f64,
    /// Rings of exact pieces toward extraordinary edges and vertices; as many as
    /// [`default_rings`] by default. More are faster there and take more memory.
    pub rings: Option<usize>,
}

impl Default for LocatorOptions {
    fn default() -> Self {
        Self { tolerance: DEFAULT_TOLERANCE, rings: None }
    }
}

impl Containment {
    fn at(found: Option<(u32, Place)>) -> Self {
        found.map_or(Self::Outside, |(_, place)| Self::Inside(place))
    }
}

/// A solid that says where points in space are in it.
#[derive(Debug)]
pub struct Locator<'s> {
    pieces: LocatorPieces<'s>,
    hierarchy: Hierarchy,
    tolerance: f64,
    // the largest tolerance in length units
    reach: f64,
    // what rounding may move a point, in length units
    rounding: f64,
    // for what points ask for
    memory: SplitMemory,
    // for points outside; made at once, since threads that share work must not wait for it
    boundary: BoundaryPieces,
    // of each backend that was asked, by its name
    searches: Mutex<Vec<(String, Arc<dyn PointSearch>)>>,
}

impl<'s> Locator<'s> {
    /// Prepares the solid at these control points.
    ///
    /// # Errors
    /// [`Error::Request`] if the control points are not the solid's, or not finite.
    pub fn new(solid: &'s Solid, controls: Controls<'_>) -> Result<Self> {
        Self::with_options(solid, controls, LocatorOptions::default())
    }

    /// Prepares the solid at these control points with options.
    ///
    /// # Errors
    /// As [`Locator::new`], and [`Error::Request`] for options out of range.
    pub fn with_options(
        solid: &'s Solid,
        controls: Controls<'_>,
        options: LocatorOptions,
    ) -> Result<Self> {
        if !(options.tolerance > 0.0 && options.tolerance <= 1e-3) {
            return Err(Error::request(format!(
                "a tolerance of {:e}: out of range",
                options.tolerance
            ))
            .with_help("give a part of the size of a cell, above 0 and at most 1e-3"));
        }
        Self::prepared(solid, controls, options, true)
    }

    /// Prepares the boundary alone, for [`Locator::nearest_on_sides`].
    pub(crate) fn of_sides(solid: &'s Solid, controls: Controls<'_>) -> Result<Self> {
        Self::prepared(solid, controls, LocatorOptions::default(), false)
    }

    fn prepared(
        solid: &'s Solid,
        controls: Controls<'_>,
        options: LocatorOptions,
        with_volume: bool,
    ) -> Result<Self> {
        let pieces = LocatorPieces::new(solid, controls, options.rings)?;
        let hierarchy = Hierarchy::new(if with_volume { &pieces.boxes } else { &[] });
        let coordinates = controls.positions.as_flattened().iter();
        let largest = coordinates.fold(0.0, |most: f64, x| most.max(x.abs()));
        let diagonals = pieces.boxes.par_iter().map(diagonal);
        let reach = options.tolerance * diagonals.reduce(|| 0.0, f64::max);
        let rounding = 16.0 * f64::EPSILON * largest;
        let boundary = BoundaryPieces::new(&pieces, with_volume);
        Ok(Self {
            pieces,
            hierarchy,
            tolerance: options.tolerance,
            reach: reach + rounding,
            rounding,
            memory: SplitMemory::default(),
            boundary,
            searches: Mutex::default(),
        })
    }

    /// Where each of the points is, in their order. They are worked on by all threads,
    /// neighbors together; the results do not depend on that. A point that is not a
    /// number is outside.
    pub fn locate(&self, points: &[[f64; 3]]) -> Vec<Containment> {
        let order = self.order(points);
        let found: Vec<Containment> = order
            .par_chunks(TASK_POINTS)
            .flat_map_iter(|chunk| {
                stop_point();
                let mut candidates = Vec::new();
                let locate =
                    |&i: &u32| Containment::at(self.find(points[i as usize], &mut candidates));
                chunk.iter().map(locate).collect::<Vec<_>>()
            })
            .collect();
        let mut located = vec![Containment::Outside; points.len()];
        order.iter().zip(found).for_each(|(&i, found)| located[i as usize] = found);
        located
    }

    /// [`Locator::locate`] on a processor, in double precision. The first call on a GPU brings it
    /// the pieces, some 1.9 KB for each of the parts, of which there are three to six a piece, and
    /// it keeps them. Elements are the same on all processors; parameters to some 1e-12 where the
    /// Jacobian allows, for the limit there is the point to rounding.
    ///
    /// # Errors
    /// [`Error::Request`] if a device fails or its memory is too small.
    pub fn locate_on(&self, backend: &dyn Backend, points: &[[f64; 3]]) -> Result<Locations> {
        self.search(backend)?.locate(self, points)
    }

    /// The solid on a processor, which is brought there once.
    fn search(&self, backend: &dyn Backend) -> Result<Arc<dyn PointSearch>> {
        let held = || self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let name = backend.name();
        if let Some((_, own)) = held().iter().find(|(own, _)| *own == name) {
            return Ok(own.clone());
        }
        let own: Arc<dyn PointSearch> = backend.operations().location(self)?.into();
        held().push((name, own.clone()));
        Ok(own)
    }

    /// Finds the place of one point.
    pub fn locate_one(&self, point: [f64; 3]) -> Containment {
        Containment::at(self.find_piece(point))
    }

    /// The place of a point, and the piece that it is in.
    pub(crate) fn find_piece(&self, point: [f64; 3]) -> Option<(u32, Place)> {
        self.find(point, &mut Vec::new())
    }

    /// The place of the solid that is closest to a point; no other is nearer by more than 1e-12 of
    /// the solid's size, unless it is on a fold inside, which is looked for from samples. `None`
    /// for a point that is not finite or so far that squares overflow.
    pub fn nearest(&self, point: [f64; 3]) -> Option<Place> {
        stop_point();
        self.nearest_piece(point).map(|(_, place)| place)
    }

    /// The closest place and the piece that it is in.
    pub(crate) fn nearest_piece(&self, point: [f64; 3]) -> Option<(u32, Place)> {
        check_coordinates(&[point], Precision::F64).ok()?;
        self.find_piece(point).or_else(|| self.nearest_on_boundary(point))
    }

    /// The distance beyond which a point is not in any piece, in length units.
    pub(crate) fn reach(&self) -> f64 {
        self.reach
    }

    /// The pieces, in flat arrays.
    pub fn pieces(&self) -> &LocatorPieces<'s> {
        &self.pieces
    }

    /// The tree of the pieces' boxes.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// The distance beyond which a point is not in a piece, and that within which it
    /// surely is, in length units.
    pub(crate) fn nearness(&self, piece: usize) -> (f64, f64) {
        let size = diagonal(&self.pieces.boxes[piece]);
        (self.tolerance * size + self.rounding, SHARED_PLACE_TOLERANCE * size + self.rounding)
    }

    /// The parts of an inexact piece that a plane meets to `take`.
    pub(crate) fn cut_piece(&self, piece: usize, cut: &CoreCut, take: &mut dyn FnMut(CorePart)) {
        if let Some(core) = self.pieces.core(piece) {
            core.cut(cut, &self.memory, take);
        }
    }

    /// The first piece that holds the point, or without any, the nearest one within the
    /// tolerance; and the place in it.
    fn find(&self, x: [f64; 3], candidates: &mut Vec<u32>) -> Option<(u32, Place)> {
        candidates.clear();
        if !x.iter().all(|x| x.is_finite()) {
            return None;
        }
        self.hierarchy.around(x, self.reach, |piece| candidates.push(piece));
        // pieces are in the order of their elements
        candidates.sort_unstable();
        let mut best: Option<(u32, Place)> = None;
        for &piece in candidates.iter() {
            let i = piece as usize;
            let (most, enough) = self.nearness(i);
            if squared_distance(&self.pieces.boxes[i], x) > most * most {
                continue;
            }
            let Some(place) = self.in_piece(i, x) else { continue };
            if place.residual <= enough {
                return Some((piece, place));
            }
            if best.is_none_or(|(_, best)| place.residual < best.residual) {
                best = Some((piece, place));
            }
        }
        best
    }

    /// The place of a point in one piece, if it is there within the tolerance.
    pub(crate) fn in_piece(&self, piece: usize, x: [f64; 3]) -> Option<Place> {
        let (most, enough) = self.nearness(piece);
        let pieces = &self.pieces;
        let header = &pieces.pieces[piece];
        let frame = pieces.frames[piece].as_ref();
        let nearness = Nearness { enough, most };
        let found = match pieces.core(piece) {
            None => {
                let mut found = search::in_piece(&pieces.points[piece], frame, x, nearness)?;
                found.parameters = parameters::in_element(header, found.parameters);
                found
            }
            Some(core) => {
                let around = most + pieces.errors[piece];
                if frame.is_some_and(|frame| frame.excludes(frame.guess(x), around)) {
                    return None;
                }
                core.search(
                    x,
                    &CoreQuery { nearness, rounding: self.rounding, memory: &self.memory },
                )?
            }
        };
        Some(Place {
            element: header.element,
            parameters: found.parameters,
            residual: found.distance,
        })
    }

    /// The points along a Morton curve through the solid's box.
    fn order(&self, points: &[[f64; 3]]) -> Vec<u32> {
        let Some(root) = self.hierarchy.nodes.first() else {
            return (0..points.len() as u32).collect();
        };
        let key = |i: u32| {
            let p = points[i as usize];
            let coordinate = |d: usize| {
                let along =
                    (p[d] - root.low[d]) / (root.high[d] - root.low[d]).max(f64::MIN_POSITIVE);
                // saturates, and NaN becomes 0
                (along * 65536.0) as u16
            };
            (0..3).map(|d| spread(coordinate(d)) << d).sum::<u64>()
        };
        let mut order: Vec<(u64, u32)> =
            (0..points.len() as u32).into_par_iter().map(|i| (key(i), i)).collect();
        order.par_sort_unstable();
        order.into_iter().map(|(_, i)| i).collect()
    }
}

impl LocationSource for Locator<'_> {
    fn parts(&self) -> Result<SolidParts> {
        let LocatorParts { mut solid, boxes } = LocatorParts::new(self)?;
        let Hierarchy { nodes, items } = Hierarchy::new(&boxes);
        (solid.nodes, solid.items) = (nodes, items);
        Ok(solid)
    }

    fn locate(&self, points: &[[f64; 3]]) -> Vec<Containment> {
        Locator::locate(self, points)
    }
}

/// Puts two zeros between the bits of a number.
fn spread(x: u16) -> u64 {
    (0..16).map(|bit| u64::from(x >> bit & 1) << (3 * bit)).sum()
}

//! Stencils: the points of one level straight from the control points, where topology stays.
//!
//! A refined point is a sum of weights times control points. [`SurfaceStencils`] holds the
//! weights of all points in one of two forms: [`Storage::Single`] is one sparse matrix, for every
//! scheme; [`Storage::Static`] shares tables of weights between faces of equal surroundings, for
//! Catmull-Clark from the level on that isolates all features, and is several times faster.

pub(crate) mod single;
pub(crate) mod static_refinement;

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

use single::SingleMatrix;
use static_refinement::{StaticEvaluator, StaticRefinement, StaticWorkspace};

use crate::error::Result;
use crate::mesh::check_point_count;
use crate::numbers::Real;
use crate::scheme::point::Point;
use crate::topology::NONE;

/// How the weights of stencils are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The weights as one sparse matrix.
    Single,
    /// Tables that faces share.
    Static,
}

/// Weights of all points of a level over the control points; see the [module](self).
///
/// Made by a [`SurfacePlan`](crate::surface::SurfacePlan) of the method `Single` or `Static`. The
/// points are in the order of the plan's vertices.
pub struct SurfaceStencils {
    controls: usize,
    pub(crate) stored: StoredWeights,
}

/// The weights.
pub(crate) enum StoredWeights {
    Single(SingleMatrix<f64>),
    Static(Box<StaticStencils>),
}

/// Static refinement, and where it has the vertices.
pub(crate) struct StaticStencils {
    pub refinement: StaticRefinement,
    evaluator: StaticEvaluator<f64>,
    /// Point of each vertex; [`NONE`] for a control vertex of no face, which stays.
    pub slots: Vec<u32>,
}

impl fmt::Debug for SurfaceStencils {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = f.debug_struct("SurfaceStencils");
        all.field("storage", &self.storage()).field("controls", &self.controls);
        all.field("points", &self.len()).finish_non_exhaustive()
    }
}

impl SurfaceStencils {
    /// The rows of a matrix.
    pub(super) fn single(matrix: SingleMatrix<f64>, controls: usize) -> Self {
        Self { controls, stored: StoredWeights::Single(matrix) }
    }

    /// Static refinement whose point `slots[v]` is vertex v.
    pub(super) fn factored(refinement: StaticRefinement, slots: Vec<u32>) -> Result<Self> {
        let (controls, evaluator) = (refinement.control_count(), refinement.evaluator()?);
        let factored = StaticStencils { refinement, evaluator, slots };
        Ok(Self { controls, stored: StoredWeights::Static(Box::new(factored)) })
    }

    /// How the weights are stored.
    pub fn storage(&self) -> Storage {
        match self.stored {
            StoredWeights::Single(_) => Storage::Single,
            StoredWeights::Static(_) => Storage::Static,
        }
    }

    /// Number of control points.
    pub fn control_count(&self) -> usize {
        self.controls
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        match &self.stored {
            StoredWeights::Single(matrix) => matrix.len(),
            StoredWeights::Static(factored) => factored.slots.len(),
        }
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The points, once, computed in double precision.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for another number of control points.
    pub fn evaluate<T: Real>(&self, controls: &[Point<T>]) -> Result<Vec<Point<T>>> {
        check_point_count(controls.len(), self.controls)?;
        let controls: Vec<Point<f64>> = controls.iter().map(|p| p.map(Real::to_f64)).collect();
        let points = match &self.stored {
            StoredWeights::Single(matrix) => matrix.evaluate(&controls),
            StoredWeights::Static(factored) => {
                let (mut points, mut workspace) = (Vec::new(), StaticWorkspace::default());
                factored.evaluator.evaluate_into(&controls, &mut workspace)?;
                gather(&factored.slots, workspace.points(), &controls, &mut points);
                points
            }
        };
        Ok(points.into_iter().map(|p| p.map(T::from_f64)).collect())
    }

    /// Brings the weights into precision `T`, for evaluation again and again.
    ///
    /// # Errors
    /// As [`StaticRefinement::evaluator`].
    pub fn evaluator<T: Real>(&self) -> Result<StencilEvaluator<'_, T>> {
        let weights = match &self.stored {
            StoredWeights::Single(matrix) => PrecisionWeights::Single(matrix.in_precision()),
            StoredWeights::Static(factored) => {
                let workspace = StaticWorkspace::default();
                PrecisionWeights::Static(
                    factored.refinement.evaluator()?,
                    workspace,
                    &factored.slots,
                )
            }
        };
        Ok(StencilEvaluator { stencils: self, weights })
    }
}

/// Stencils on the CPU, in `f32` or `f64`, with memory that is used again.
pub struct StencilEvaluator<'s, T: Real> {
    stencils: &'s SurfaceStencils,
    weights: PrecisionWeights<'s, T>,
}

enum PrecisionWeights<'s, T: Real> {
    Single(Cow<'s, SingleMatrix<T>>),
    Static(StaticEvaluator<T>, StaticWorkspace<T>, &'s [u32]),
}

impl<T: Real> StencilEvaluator<'_, T> {
    /// The points over control points, in the order of [`SurfaceStencils`].
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for another number of control points.
    pub fn evaluate_into(
        &mut self,
        controls: &[Point<T>],
        points: &mut Vec<Point<T>>,
    ) -> Result<()> {
        check_point_count(controls.len(), self.stencils.controls)?;
        match &mut self.weights {
            PrecisionWeights::Single(matrix) => {
                points.resize(matrix.len(), [T::default(); 3]);
                matrix.evaluate_into(controls, points);
            }
            PrecisionWeights::Static(evaluator, workspace, slots) => {
                evaluator.evaluate_into(controls, workspace)?;
                gather(slots, workspace.points(), controls, points);
            }
        }
        Ok(())
    }
}

/// The points of vertices from those in slots.
pub(crate) fn gather<T: Copy>(
    slots: &[u32],
    found: &[Point<T>],
    controls: &[Point<T>],
    points: &mut Vec<Point<T>>,
) {
    let point = |(v, &slot): (usize, &u32)| match slot {
        NONE => controls[v],
        slot => found[slot as usize],
    };
    points.clear();
    points.extend(slots.iter().enumerate().map(point));
}

impl SingleMatrix<f64> {
    /// The matrix in another precision; itself in its own.
    pub(crate) fn in_precision<T: Real>(&self) -> Cow<'_, SingleMatrix<T>> {
        match (self as &dyn Any).downcast_ref::<SingleMatrix<T>>() {
            Some(own) => Cow::Borrowed(own),
            None => Cow::Owned(self.rounded()),
        }
    }
}

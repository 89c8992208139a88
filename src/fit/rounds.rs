//! Rounds of least squares from control points to those whose limit is near a target.
//!
//! How much sliding along the surface costs decides how near the limit comes, and how far vertices
//! drift. Rounds begin where it costs much, and go on where it costs less as soon as they gain
//! little. Vertices that would drift farther than [`MAX_DRIFT`] get stiffer.

use super::skin::{Aim, Mobility, Skin, State};
use super::target::Target;
use crate::error::Result;

/// Weight of what limit points slide along the surface against distances: in the first rounds, and at
/// least.
const SLIDING: [f64; 2] = [0.3, 2e-3];
/// Factor of the next weight, and of that while vertices drift less than a quarter of `MAX_DRIFT`.
const NEXT_SLIDING: [f64; 2] = [1.0 / 3.0, 0.1];
/// Rounds that gain less than this part of the distance go on with the next weight.
const MIN_GAIN: f64 = 0.05;
/// Farthest that limit points slide, in lengths of edges.
pub(super) const MAX_DRIFT: f64 = 0.2;
/// Factor of the stiffness of vertices that slide farther, how often it is tried again with them, and
/// the part of all vertices up to which it is.
const STIFFENING: f64 = 2.0;
const MAX_RETRIES: usize = 2;
const MAX_STIFF_PART: f64 = 0.3;
/// Weights after which it ends if none of them gained.
const MAX_IDLE_WEIGHTS: usize = 2;
/// Parts of a round's move that are tried.
const STEP_PARTS: [f64; 3] = [1.0, 0.5, 0.25];
/// Growth of distances that less drift, where it is too much, and the volume may cost.
const MAX_LOSS: [f64; 2] = [1.1, 1.2];
/// Part of the way back to the control mesh that vertices of folded cells go at a time, and how
/// often.
const RELAXATION: f64 = 0.3;
const MAX_RELAXATIONS: usize = 4;
/// Part of the volume that may be missing.
const VOLUME_TOLERANCE: f64 = 1e-4;

/// How inner vertices of a solid move when its boundary does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsideMotion {
    /// Harmonically.
    Follows,
    /// Harmonically, then until the limit is not folded, as far as that is found.
    Untangled,
}

/// What [`fit_skin`](super::fit_skin) tells, and asks for.
pub trait SkinSteps {
    /// Takes the number of rounds that are done.
    ///
    /// # Errors
    /// Whatever shall end the work.
    fn round(&mut self, rounds: usize) -> Result<()> {
        let _ = rounds;
        Ok(())
    }

    /// Which vertices have folded cells inside these control points of the surface, `[vertex]`: they
    /// go a part of the way back to the points of the mesh, if that leaves fewer.
    ///
    /// # Errors
    /// Whatever shall end the work.
    fn folded(&mut self, points: &[[f64; 3]], motion: InsideMotion) -> Result<Vec<bool>> {
        let _ = motion;
        Ok(vec![false; points.len()])
    }
}

impl SkinSteps for () {}

/// The rounds of a surface to a target.
pub(super) struct Rounds<'a> {
    skin: &'a Skin<'a>,
    target: &'a Target,
    mobility: Mobility,
}

impl<'a> Rounds<'a> {
    pub fn new(skin: &'a Skin<'a>, target: &'a Target) -> Self {
        Self { skin, target, mobility: Mobility::new(skin.vertices.len(), SLIDING[0]) }
    }

    /// Goes `most` rounds at most; returns the last state, and appends the distance after each round.
    pub fn approach(
        &mut self,
        mut best: State,
        most: usize,
        distances: &mut Vec<f64>,
        steps: &mut dyn SkinSteps,
    ) -> Result<State> {
        let (mut round, mut retries, mut idle) = (0, 0, 0);
        while round < most && idle < MAX_IDLE_WEIGHTS && self.mobility.sliding > SLIDING[1] {
            let (next, stiffened) = self.step(&best)?;
            // what gains less is not worth what it slides
            let is_worth = |next: &State| {
                next.merit() < (1.0 - MIN_GAIN) * best.merit() || best.drift > MAX_DRIFT
            };
            if let Some(next) = next.filter(is_worth) {
                best = next;
                (round, retries, idle) = (round + 1, 0, 0);
                distances.push(best.deviation.rms);
                steps.round(round)?;
                continue;
            }
            if stiffened > 0 && retries < MAX_RETRIES {
                retries += 1;
                continue;
            }
            if stiffened as f64 > MAX_STIFF_PART * self.skin.count as f64 {
                break;
            }
            retries = 0;
            idle += usize::from(stiffened > 0);
            self.mobility.sliding *= NEXT_SLIDING[usize::from(best.drift < MAX_DRIFT / 4.0)];
        }
        Ok(best)
    }

    /// The state after a round, if it is better, and how many vertices got stiffer.
    fn step(&mut self, from: &State) -> Result<(Option<State>, usize)> {
        let moved = self.skin.round(self.target, from, &mut self.mobility, Aim::Target)?;
        let mut stiffened = 0;
        for (v, drift) in self.skin.drifts(&moved).into_iter().enumerate() {
            if drift > MAX_DRIFT {
                self.mobility.stiffen(v, STIFFENING);
                stiffened += 1;
            }
        }
        let most = MAX_DRIFT.max(from.drift);
        for part in STEP_PARTS {
            let points = between(&from.points, &moved, |_| part);
            // before distances are looked at, which takes longer
            if self.skin.drift(&points) > most {
                continue;
            }
            // and before these, what they may become
            let least = (1.0 - MIN_GAIN) * from.merit();
            if from.drift <= MAX_DRIFT && self.skin.planar_rms(from, &points) >= least {
                continue;
            }
            let next = self.skin.state(self.target, points, Some(from))?;
            let is_better = next.merit() < from.merit();
            let is_nearer = from.drift > MAX_DRIFT
                && next.drift < (1.0 - MIN_GAIN) * from.drift
                && next.merit() < MAX_LOSS[0] * from.merit();
            if is_better || is_nearer {
                return Ok((Some(next), stiffened));
            }
        }
        Ok((None, stiffened))
    }

    /// Takes vertices of folded cells a part of the way back to the control mesh, as long as that leaves
    /// fewer of them, and gives the others the volume that is lost by it. Vertices of cells that stay
    /// folded go farther than others may.
    pub fn relax(&mut self, mut best: State, steps: &mut dyn SkinSteps) -> Result<State> {
        for motion in [InsideMotion::Follows, InsideMotion::Untangled] {
            let max_drift = match motion {
                InsideMotion::Follows => MAX_DRIFT.max(best.drift),
                InsideMotion::Untangled => f64::INFINITY,
            };
            let relaxed = self.relaxed(&best, max_drift, motion, steps)?;
            if relaxed.is_some() || motion == InsideMotion::Follows {
                best = self.with_volume(relaxed.unwrap_or(best), motion, steps)?;
            }
        }
        Ok(best)
    }

    /// The last state of those with ever fewer vertices of folded cells, if there is one.
    fn relaxed(
        &mut self,
        from: &State,
        max_drift: f64,
        motion: InsideMotion,
        steps: &mut dyn SkinSteps,
    ) -> Result<Option<State>> {
        let mut folded = steps.folded(&from.points, motion)?;
        let mut least = count(&folded);
        let mut points = from.points.clone();
        let mut best = None;
        let mut moved = vec![false; points.len()];
        for _ in 0..MAX_RELAXATIONS {
            if count(&folded) == 0 {
                break;
            }
            let mut parts = self.skin.relaxation(&folded, RELAXATION);
            let relaxed = |parts: &[f64]| between(&points, &self.skin.mesh.points, |v| parts[v]);
            // but those that would slide too far, and their neighbors, stay
            let drifts = self.skin.drifts(&relaxed(&parts));
            for v in (0..drifts.len()).filter(|&v| drifts[v] > max_drift) {
                parts[v] = 0.0;
                self.skin.neighbors[v].iter().for_each(|&u| parts[u as usize] = 0.0);
            }
            let next = self.skin.state(self.target, relaxed(&parts), Some(from))?;
            let left = steps.folded(&next.points, motion)?;
            if count(&left) > least || next.drift > max_drift {
                break;
            }
            moved.iter_mut().zip(parts).for_each(|(moved, part)| *moved |= part > 0.0);
            points.clone_from(&next.points);
            if count(&left) < least {
                (best, least) = (Some(next), count(&left));
                self.mobility.hold((0..moved.len()).filter(|&v| moved[v]));
            }
            folded = left;
        }
        Ok(best)
    }

    /// The state with the volume that it lacks, if it can have it.
    fn with_volume(
        &mut self,
        best: State,
        motion: InsideMotion,
        steps: &mut dyn SkinSteps,
    ) -> Result<State> {
        let Some(missing) = best.missing_volume else { return Ok(best) };
        let wanted = self.target.volume().unwrap_or(f64::INFINITY);
        if missing.abs() <= VOLUME_TOLERANCE * wanted {
            return Ok(best);
        }
        self.mobility.sliding = SLIDING[0];
        let moved = self.skin.round(self.target, &best, &mut self.mobility, Aim::Volume)?;
        let next = self.skin.state(self.target, moved, Some(&best))?;
        let is_better = next.missing_volume.is_some_and(|left| left.abs() < missing.abs() / 2.0)
            && next.deviation.rms < MAX_LOSS[1] * best.deviation.rms
            && next.drift <= MAX_DRIFT.max(best.drift)
            && count(&steps.folded(&next.points, motion)?)
                <= count(&steps.folded(&best.points, motion)?);
        Ok(if is_better { next } else { best })
    }
}

fn count(marked: &[bool]) -> usize {
    marked.iter().filter(|is_marked| **is_marked).count()
}

/// Points a part of the way from some to others.
fn between(from: &[[f64; 3]], to: &[[f64; 3]], part: impl Fn(usize) -> f64) -> Vec<[f64; 3]> {
    let at = |(v, (a, b)): (usize, (&[f64; 3], &[f64; 3]))| {
        std::array::from_fn(|d| a[d] + part(v) * (b[d] - a[d]))
    };
    from.iter().zip(to).enumerate().map(at).collect()
}

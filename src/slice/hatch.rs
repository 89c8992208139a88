//! Hatches: parallel vectors that fill the contours of a layer, for lasers.
//!
//! Lines lie in a frame that is turned about the origin of the plane, at (k + 1/2) spacings for whole
//! k, so that neighboring models and layers share them. Inside is where contours wind a positive
//! number of times.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::contours::{Join, offset};
use super::layer::Contour;
use crate::error::{Error, IdKind, Result, Term, option, option_name};
use crate::numbers::Length;

/// Most vectors of a layer: half a gigabyte.
const MOST_VECTORS: usize = 10_000_000;
/// Most spacings between the origin and a line: double precision tells lines apart.
const MOST_SPACINGS: f64 = (1_u64 << 46) as f64;

/// How lines are cut, and in which order they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HatchPattern<L = f64> {
    /// Line by line, every second one backward.
    Meander,
    /// Stripes across the lines, of this width: stripe by stripe, in each as a meander.
    Stripes(L),
    /// Squares of this edge length, like a chessboard: in every second one lines run across those of
    /// the others.
    Islands(L),
}

/// Hatches of layers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hatching {
    /// How lines are cut.
    pub pattern: HatchPattern,
    /// Distance between lines, in length units.
    pub spacing: f64,
    /// Distance of lines from the contours, in length units.
    pub offset: f64,
    /// Angle between the first axis of the plane and the lines of layer 0, in degrees.
    pub angle: f64,
    /// Angle from a layer to the next, in degrees.
    pub rotation: f64,
}

/// A vector: from a point to a point of the plane.
pub type Hatch = [[f64; 2]; 2];

/// A piece of a line, in the frame of the lines.
struct Piece {
    // stripe or island, then line
    order: [i64; 3],
    ends: Hatch,
}

impl<L> HatchPattern<L> {
    /// The pattern with another width.
    pub fn map<M>(self, of: impl FnOnce(L) -> M) -> HatchPattern<M> {
        match self {
            Self::Meander => HatchPattern::Meander,
            Self::Stripes(width) => HatchPattern::Stripes(of(width)),
            Self::Islands(width) => HatchPattern::Islands(of(width)),
        }
    }

    /// The width of stripes or islands.
    pub fn width(self) -> Option<L> {
        match self {
            Self::Meander => None,
            Self::Stripes(width) | Self::Islands(width) => Some(width),
        }
    }
}

impl<L: fmt::Display> fmt::Display for HatchPattern<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Meander => f.write_str("meander"),
            Self::Stripes(width) => write!(f, "stripes:{width}"),
            Self::Islands(width) => write!(f, "islands:{width}"),
        }
    }
}

impl FromStr for HatchPattern<Length> {
    type Err = String;

    /// `meander`, `stripes:5` or `islands:5mm`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "meander" => Ok(Self::Meander),
            Some(("stripes", width)) => width.parse().map(Self::Stripes),
            Some(("islands", width)) => width.parse().map(Self::Islands),
            _ => Err("hatches are meander, stripes:WIDTH or islands:WIDTH".into()),
        }
    }
}

impl Hatching {
    /// Checks the numbers by themselves.
    ///
    /// # Errors
    /// [`Error::Request`] for a spacing that is not positive, a width below it, an offset below 0, and
    /// numbers that are not finite.
    pub fn check(&self) -> Result<()> {
        let refuse = |what: Term, why: &str, help: &str| {
            Err(Error::request(message!(what, " ", why.to_owned())).with_help(help.to_owned()))
        };
        let Self { pattern, spacing, offset, angle, rotation } = *self;
        let is_positive = |length: f64| length.is_finite() && length > 0.0;
        if !is_positive(spacing) {
            let help = "give a length above 0, for instance 0.1";
            return refuse(option("hatch_spacing", spacing), "is no distance between lines", help);
        }
        if pattern.width().is_some_and(|width| !(is_positive(width) && width >= spacing)) {
            let help = "give a width of at least the distance between lines";
            return refuse(option("hatch", pattern), "is narrower than a line", help);
        }
        if !(offset == 0.0 || is_positive(offset)) {
            let help = "give a length of at least 0";
            return refuse(option("hatch_offset", offset), "is no distance from contours", help);
        }
        for (angle, name) in [(angle, "hatch_angle"), (rotation, "hatch_rotation")] {
            if !angle.is_finite() {
                return refuse(option(name, angle), "is no angle", "give degrees");
            }
        }
        Ok(())
    }

    /// Checks the lengths for a model between two corners of the plane.
    ///
    /// # Errors
    /// [`Error::Request`] for more lines than a layer may have, a model too far away to tell them apart,
    /// and an offset of half of the model.
    pub fn check_within(&self, [low, high]: [[f64; 2]; 2]) -> Result<()> {
        let [width, depth] = [0, 1].map(|d| high[d] - low[d]);
        let farthest = [low, high].as_flattened().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let lines = width.hypot(depth) / self.spacing;
        let spacing = option("hatch_spacing", self.spacing);
        if lines > MOST_VECTORS as f64 {
            let what =
                format!(" is {lines:.1e} lines across the model, which is {width} × {depth}");
            return Err(Error::request(message!(spacing, what))
                .with_help(message!("give a larger ", option_name("hatch_spacing"))));
        }
        if farthest / self.spacing > MOST_SPACINGS {
            let what = format!(": coordinates up to {farthest:e} do not tell lines apart");
            return Err(
                Error::request(message!(spacing, what)).with_help("move the model to the origin")
            );
        }
        if self.offset > 0.0 && 2.0 * self.offset >= width.min(depth) {
            let what = format!(" leaves nothing of the model, which is {width} × {depth}");
            return Err(Error::request(message!(option("hatch_offset", self.offset), what))
                .with_help(message!("give a smaller ", option_name("hatch_offset"))));
        }
        Ok(())
    }

    /// The vectors of a layer within contours that have the material to their left, in their order.
    /// Those not longer than `tolerance` are left out.
    ///
    /// # Errors
    /// [`Error::Request`] for more than 10⁷.
    pub fn vectors(
        &self,
        contours: &[Contour],
        layer: usize,
        tolerance: f64,
    ) -> Result<Vec<Hatch>> {
        let inner =
            (self.offset > 0.0).then(|| offset(contours, -self.offset, Join::Round, tolerance));
        let contours = inner.as_deref().unwrap_or(contours);
        // whole turns first, so that high layers keep their digits
        let degrees = self.angle % 360.0 + self.rotation % 360.0 * layer as f64;
        let (sine, cosine) = (degrees % 360.0).to_radians().sin_cos();
        let pieces = self.pieces(contours, [cosine, sine]).ok_or_else(|| {
            let what = format!(" has more than {MOST_VECTORS} hatches");
            Error::request(message!(IdKind::Layer.id(layer), what))
                .with_help(message!("give a larger ", option_name("hatch_spacing")))
        })?;
        let mut vectors = Vec::with_capacity(pieces.len());
        for line in pieces.chunk_by(|a, b| a.order == b.order) {
            let is_backward = line[0].order[2] % 2 != 0;
            let start = vectors.len();
            for &Piece { ends: [a, b], .. } in line {
                if (b[0] - a[0]).hypot(b[1] - a[1]) > tolerance {
                    let ends = if is_backward { [b, a] } else { [a, b] };
                    let back = |[s, t]: [f64; 2]| [cosine * s - sine * t, sine * s + cosine * t];
                    vectors.push(ends.map(back));
                }
            }
            if is_backward {
                vectors[start..].reverse();
            }
        }
        Ok(vectors)
    }

    /// The pieces of all lines, in their order, in the frame whose first axis is `axis`; `None` if they
    /// are too many.
    fn pieces(&self, contours: &[Contour], [cosine, sine]: [f64; 2]) -> Option<Vec<Piece>> {
        let along = |[x, y]: [f64; 2]| [cosine * x + sine * y, cosine * y - sine * x];
        let mut pieces = Vec::new();
        match self.pattern {
            HatchPattern::Meander => {
                self.cut(contours, along, &mut pieces, |_, line| Some([0, 0, line]))
            }
            HatchPattern::Stripes(_) => {
                self.cut(contours, along, &mut pieces, |stripe, line| Some([0, stripe, line]))
            }
            HatchPattern::Islands(width) => {
                let island = |line: i64| (self.place(line) / width).floor() as i64;
                self.cut(contours, along, &mut pieces, |column, line| {
                    let row = island(line);
                    ((column + row) % 2 == 0).then_some([row, column, line])
                })?;
                // lines along t: these run upward, and are counted against s
                let first = pieces.len();
                let upward = |p: [f64; 2]| {
                    let [s, t] = along(p);
                    [t, -s]
                };
                self.cut(contours, upward, &mut pieces, |row, line| {
                    let column = -1 - island(line);
                    ((column + row) % 2 != 0).then_some([row, column, line])
                })?;
                for piece in &mut pieces[first..] {
                    piece.ends = piece.ends.map(|[t, minus_s]| [-minus_s, t]);
                }
                Some(())
            }
        }?;
        // pieces of a line are in their order already
        pieces.sort_by_key(|piece| piece.order);
        Some(pieces)
    }

    /// Where a line lies, across all lines.
    fn place(&self, line: i64) -> f64 {
        (line as f64 + 0.5) * self.spacing
    }

    /// Appends the pieces of lines within contours, in a frame, cut at the multiples of the width; `order`
    /// has those that are wanted, by the number of the piece along the line and of the line. `None` if
    /// they are too many.
    fn cut(
        &self,
        contours: &[Contour],
        frame: impl Fn([f64; 2]) -> [f64; 2],
        pieces: &mut Vec<Piece>,
        order: impl Fn(i64, i64) -> Option<[i64; 3]>,
    ) -> Option<()> {
        let width = self.pattern.width();
        for line in self.crossings(contours, frame)?.chunk_by(|a, b| a.0 == b.0) {
            let (number, t) = (line[0].0, self.place(line[0].0));
            let (mut winding, mut start) = (0, 0.0);
            for &(_, s, rise) in line {
                let was_inside = winding > 0;
                winding += rise;
                match (was_inside, winding > 0) {
                    (false, true) => start = s,
                    (true, false) => {
                        let number_at =
                            |s: f64| width.map_or(0, |width| (s / width).floor() as i64);
                        let end = |k: i64| width.map_or(f64::INFINITY, |width| k as f64 * width);
                        let mut a = start;
                        for k in number_at(start)..=number_at(s) {
                            let b = s.min(end(k + 1));
                            if let Some(order) = order(k, number).filter(|_| a < b) {
                                pieces.push(Piece { order, ends: [[a, t], [b, t]] });
                            }
                            a = b;
                        }
                        if pieces.len() > MOST_VECTORS {
                            return None;
                        }
                    }
                    _ => {}
                }
            }
        }
        Some(())
    }

    /// Where lines cross contours in a frame: the line, the place on it, and by how much the winding
    /// rises there, line by line from the left. `None` if they are too many.
    fn crossings(
        &self,
        contours: &[Contour],
        frame: impl Fn([f64; 2]) -> [f64; 2],
    ) -> Option<Vec<(i64, f64, i32)>> {
        let mut crossings = Vec::new();
        for contour in contours {
            let next = contour.points.iter().cycle().skip(1);
            for (&p, &q) in contour.points.iter().zip(next) {
                let [p, q] = [p, q].map(&frame);
                // the material is to the left: it begins where a side runs down
                let (low, high, rise) = if p[1] > q[1] { (q, p, 1) } else { (p, q, -1) };
                // the lower end counts, the higher does not: a line through a corner crosses once
                let [first, end] = [low, high].map(|p| (p[1] / self.spacing - 0.5).ceil() as i64);
                let count = usize::try_from(end.saturating_sub(first)).unwrap_or(0);
                if count > 2 * MOST_VECTORS - crossings.len() {
                    return None;
                }
                for line in first..end {
                    let part = ((self.place(line) - low[1]) / (high[1] - low[1])).clamp(0.0, 1.0);
                    crossings.push((line, low[0] + part * (high[0] - low[0]), rise));
                }
            }
        }
        // where sides of neighbors coincide the material goes on
        crossings
            .sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(b.2.cmp(&a.2)));
        Some(crossings)
    }
}

//! What one plane cuts.

/// A closed curve of the boundary of the limit in the plane of a layer. The material
/// lies to its left: outer contours run counter-clockwise, holes clockwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contour {
    /// Points on the limit surface in the plane's own coordinates
    /// ([`super::Axis::plane`]); the last is joined to the first.
    pub points: Vec<[f64; 2]>,
    /// Contours around the material next to it, itself not counted: even for outer contours, odd
    /// for holes.
    pub depth: u32,
}

impl Contour {
    /// Area inside, negative if it runs clockwise, in squared length units.
    pub fn area(&self) -> f64 {
        let Some(&origin) = self.points.first() else { return 0.0 };
        let from_origin = |p: [f64; 2]| [p[0] - origin[0], p[1] - origin[1]];
        let next = self.points.iter().cycle().skip(1);
        let pairs = self.points.iter().zip(next).map(|(&p, &q)| (from_origin(p), from_origin(q)));
        0.5 * pairs.map(|(p, q)| p[0] * q[1] - p[1] * q[0]).sum::<f64>()
    }

    /// The contour without points that are within `distance` of the line through those that stay
    /// next to them; all of it if fewer than three would stay.
    fn merged(&self, distance: f64) -> Self {
        let (points, count) = (&self.points, self.points.len());
        let lower = |&a: &usize, &b: &usize| {
            let [p, q] = [points[a], points[b]];
            p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(a.cmp(&b))
        };
        // ends of runs, the first of which may be on a straight line
        let ends = |first: usize| {
            let mut kept = vec![false; count];
            kept[first] = true;
            let mut run = StraightRun::from(points[first]);
            for k in 1..=count {
                let [last, next] = [k - 1, k].map(|k| (first + k) % count);
                if !run.goes_on(points[next], distance) {
                    kept[last] = true;
                    run = StraightRun::from(points[last]);
                    run.goes_on(points[next], distance);
                }
            }
            kept
        };
        // wherever the contour begins
        let Some(first) = (0..count).min_by(lower) else { return self.clone() };
        let kept = ends(first);
        let next = (1..count).map(|k| (first + k) % count).find(|&k| kept[k]);
        let kept = next.map_or(kept, ends);
        let stay = points.iter().zip(&kept).filter(|(_, kept)| **kept);
        let stay: Vec<[f64; 2]> = stay.map(|(&point, _)| point).collect();
        if stay.len() < 3 { self.clone() } else { Self { points: stay, ..*self } }
    }

    /// Whether it runs clockwise: the material is around it.
    pub fn is_hole(&self) -> bool {
        self.area() < 0.0
    }
}

/// Points from the first on that are near one line through it.
struct StraightRun {
    first: [f64; 2],
    // distance of the last from it
    length: f64,
    // directions to the left and the right of the lines that are near all, once there are any
    sides: Option<[[f64; 2]; 2]>,
}

impl StraightRun {
    fn from(first: [f64; 2]) -> Self {
        Self { first, length: 0.0, sides: None }
    }

    /// Takes a further point, unless the line to it passes one before by more than `distance`, or
    /// it goes back.
    fn goes_on(&mut self, point: [f64; 2], distance: f64) -> bool {
        let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
        let [x, y] = [0, 1].map(|d| point[d] - self.first[d]);
        let length = (x * x + y * y).sqrt();
        if length < self.length {
            return false;
        }
        let is_near = |[left, right]: [[f64; 2]; 2]| {
            cross(right, [x, y]) >= 0.0 && cross([x, y], left) >= 0.0
        };
        if !self.sides.is_none_or(is_near) {
            return false;
        }
        self.length = length;
        if length > distance {
            let sine = distance / length;
            let cosine = (1.0 - sine * sine).sqrt();
            let turned = |sine: f64| [cosine * x - sine * y, sine * x + cosine * y];
            let [mut left, mut right] = [sine, -sine].map(turned);
            if let Some([own_left, own_right]) = self.sides {
                left = if cross(left, own_left) < 0.0 { own_left } else { left };
                right = if cross(own_right, right) < 0.0 { own_right } else { right };
            }
            self.sides = Some([left, right]);
        }
        true
    }
}

/// The contours of one plane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// Number of the layer in the whole stack.
    pub index: usize,
    /// Where its plane lies along the slicing axis, in length units.
    pub height: f64,
    /// Closed contours, none crossing another by more than the tolerance.
    pub contours: Vec<Contour>,
}

/// Part of the tolerance of contours that they may move by where points are merged: what cutting
/// leaves of it.
const MERGE_PART: f64 = 1.0 / 8.0;

impl Layer {
    /// The layer as files have it: without points on straight lines. `tolerance`: of the
    /// contours, which they stay within.
    pub fn merged(&self, tolerance: f64) -> Self {
        let merge = |contour: &Contour| contour.merged(MERGE_PART * tolerance);
        Self { contours: self.contours.iter().map(merge).collect(), ..*self }
    }

    /// Area of the material, in squared length units.
    pub fn area(&self) -> f64 {
        self.contours.iter().map(Contour::area).fold(0.0, |sum, area| sum + area)
    }
}

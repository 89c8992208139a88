//! What one plane cuts.

/// A closed curve of the boundary of the limit in the plane of a layer. The material
/// lies to its left: outer contours run counter-clockwise, holes clockwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contour {
    /// Points on the limit surface in the plane's own coordinates
    /// ([`super::Axis::plane`]); the last is joined to the first.
    pub points: Vec<[f64; 2]>,
    /// Contours around the material next to it, itself not counted: even for outer contours, odd
    /// for holes, unless shells of a surface overlap.
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

    /// Whether it runs clockwise: the material is around it.
    pub fn is_hole(&self) -> bool {
        self.area() < 0.0
    }
}

/// The contours of one plane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// Number of the layer in the whole stack.
    pub index: usize,
    /// Where its plane lies along the slicing axis, in length units.
    pub height: f64,
    /// Closed contours, none crossing another unless shells of a surface overlap.
    pub contours: Vec<Contour>,
}

impl Layer {
    /// Area of the material, in squared length units; what lies in several shells of a surface
    /// counts as often.
    pub fn area(&self) -> f64 {
        self.contours.iter().map(Contour::area).fold(0.0, |sum, area| sum + area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_take_their_area_away() {
        let square = |x: f64, y: f64, side: f64| {
            vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
        };
        let outer = Contour { points: square(100.0, 100.0, 4.0), depth: 0 };
        let mut points = square(101.0, 101.0, 1.0);
        points.reverse();
        let layer =
            Layer { contours: vec![outer, Contour { points, depth: 1 }], ..Layer::default() };
        assert_eq!(layer.area(), 15.0);
    }
}

//! Where refined vertices lie: the element of the control mesh, and the parameters in it,
//! from the order in which faces split.

use super::SurfacePlan;
use crate::error::{Error, Result, option};
use crate::scheme::{FaceShape, QUAD_CORNERS, Scheme, TRIANGLE_CORNERS};
use crate::surface::limit::SurfaceLocation;
use crate::surface::options::Method;

impl SurfacePlan {
    /// A place on the limit of the control mesh (cut into triangles for Loop) of every
    /// refined vertex: elements as [`LimitSurface`](crate::surface::limit::LimitSurface) numbers
    /// them. `None` for a vertex of no face.
    ///
    /// # Errors
    /// [`Error::Request`] for √3, whose faces are no descendants of control faces, and for the
    /// layout of edge-friend.
    pub fn places(&self) -> Result<Vec<Option<SurfaceLocation>>> {
        let options = &self.options;
        if !options.scheme.split().is_nested() {
            return Err(Error::request(format!(
                "places of the vertices of {} on the control mesh",
                options.scheme.rules().name()
            ))
            .with_help(format!("take {}", Scheme::names(|s| s.split().is_nested()))));
        }
        if options.method == Method::EdgeFriend {
            return Err(Error::request("places of vertices in the layout of edge-friend")
                .with_help(message!("plan with ", option("method", "matrix"))));
        }
        let mut places = vec![None; self.vertex_count()];
        let mut walk = FaceDescent { corners: self.corners(), places: &mut places };
        // every step makes four corners of one
        let corner_count = self.corners().len() >> (2 * options.levels);
        let (mut face, mut first, mut element) = (0, 0, 0);
        while first < corner_count {
            let corners = self.control_columns.corners(face);
            match (options.scheme.shape(), corners.len()) {
                (FaceShape::Quad, 4) => {
                    walk.quad(element, QUAD_CORNERS, options.levels, first);
                    element += 1;
                }
                (FaceShape::Quad, sides) if options.levels > 0 => {
                    for corner in 0..sides {
                        walk.quad(element, QUAD_CORNERS, options.levels - 1, 4 * (first + corner));
                        element += 1;
                    }
                }
                (FaceShape::Quad, sides) => {
                    for corner in 0..sides {
                        walk.place(first + corner, element, QUAD_CORNERS[0]);
                        element += 1;
                    }
                }
                _ => {
                    walk.triangle(element, TRIANGLE_CORNERS, options.levels, face as usize);
                    element += 1;
                }
            }
            face += 1;
            first = corners.end as usize;
        }
        Ok(places)
    }
}

/// Follows faces down to the last level.
struct FaceDescent<'a> {
    // of the last level
    corners: &'a [u32],
    places: &'a mut [Option<SurfaceLocation>],
}

impl FaceDescent<'_> {
    fn place(&mut self, corner: usize, element: u32, parameters: [f64; 2]) {
        let vertex = self.corners[corner] as usize;
        self.places[vertex].get_or_insert(SurfaceLocation { element, parameters });
    }

    /// A quad with these parameters at its corners, still to be split `levels` times, whose
    /// corners are `first` and on in its level: each becomes a quad of the next.
    fn quad(&mut self, element: u32, at: [[f64; 2]; 4], levels: usize, first: usize) {
        if levels == 0 {
            for (corner, parameters) in at.into_iter().enumerate() {
                self.place(first + corner, element, parameters);
            }
            return;
        }
        let center = middle(middle(at[0], at[1]), middle(at[2], at[3]));
        for c in 0..4 {
            let (next, before) = (middle(at[c], at[(c + 1) % 4]), middle(at[c], at[(c + 3) % 4]));
            self.quad(element, [at[c], next, center, before], levels - 1, 4 * (first + c));
        }
    }

    fn triangle(&mut self, element: u32, at: [[f64; 2]; 3], levels: usize, number: usize) {
        if levels == 0 {
            for (corner, parameters) in at.into_iter().enumerate() {
                self.place(3 * number + corner, element, parameters);
            }
            return;
        }
        let [a, b, c] = at;
        let (e, f, g) = (middle(a, b), middle(b, c), middle(c, a));
        for (child, at) in [[a, e, g], [b, f, e], [c, g, f], [e, f, g]].into_iter().enumerate() {
            self.triangle(element, at, levels - 1, 4 * number + child);
        }
    }
}

fn middle(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]
}

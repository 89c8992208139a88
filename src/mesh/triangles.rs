//! Polygons cut into triangles for files and pictures, right where they are not convex.

use earcut::Earcut;

use super::SurfaceMesh;

/// Triangles of every face of a mesh, and the face of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triangles {
    /// Vertices, in the face's direction of rotation.
    pub corners: Vec<[u32; 3]>,
    /// Faces, in their order.
    pub faces: Vec<u32>,
}

impl SurfaceMesh {
    /// How many triangles [`Self::triangles`] makes.
    pub(crate) fn triangle_count(&self) -> usize {
        self.faces.iter().map(|face| face.len().saturating_sub(2)).sum()
    }

    /// Cuts every face into triangles: n − 2 of a face of n corners. A face that is convex as seen
    /// along its normal (Newell's) becomes the fan of its first corner, any other one is cut ear by
    /// ear; one that crosses itself or has no area is a fan, too.
    pub fn triangles(&self) -> Triangles {
        let count = self.triangle_count();
        let (mut corners, mut faces) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut ears = Ears::default();
        for (f, face) in self.faces.iter().enumerate() {
            let cut = ears.cut(&self.points, face);
            corners.extend(cut.iter().map(|places| places.map(|i| face[i as usize])));
            faces.resize(corners.len(), f as u32);
        }
        Triangles { corners, faces }
    }
}

/// Memory that faces share.
#[derive(Default)]
struct Ears {
    earcut: Earcut<f64>,
    flat: Vec<[f64; 2]>,
    found: Vec<u32>,
    triangles: Vec<[u32; 3]>,
}

impl Ears {
    /// The triangles of a face, as places in it.
    fn cut(&mut self, points: &[[f64; 3]], face: &[u32]) -> &[[u32; 3]] {
        let n = face.len() as u32;
        self.triangles.clear();
        if n > 3 && !self.is_convex(points, face) {
            self.earcut.earcut(self.flat.iter().copied(), &[], &mut self.found);
            self.triangles.extend_from_slice(self.found.as_chunks().0);
            // ears turn as earcut likes
            let double_area = |[a, b, c]: [u32; 3]| {
                let [a, b, c] = [a, b, c].map(|i| self.flat[i as usize]);
                cross([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]])
            };
            let area: f64 = self.triangles.iter().map(|&t| double_area(t)).sum();
            if area < 0.0 {
                self.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
            }
        }
        if self.triangles.len() + 2 != face.len() {
            self.triangles.clear();
            self.triangles.extend((1..n.saturating_sub(1)).map(|i| [0, i, i + 1]));
        }
        &self.triangles
    }

    /// Projects a face along its normal, and says whether it is convex there.
    fn is_convex(&mut self, points: &[[f64; 3]], face: &[u32]) -> bool {
        let origin = points[face[0] as usize];
        let at = |i: usize| -> [f64; 3] {
            let p = points[face[i % face.len()] as usize];
            std::array::from_fn(|d| p[d] - origin[d])
        };
        let mut normal = [0.0; 3];
        for i in 0..face.len() {
            let (a, b) = (at(i), at(i + 1));
            for (d, sum) in normal.iter_mut().enumerate() {
                let (x, y) = ((d + 1) % 3, (d + 2) % 3);
                *sum += (a[x] - b[x]) * (a[y] + b[y]);
            }
        }
        let axis = (0..3).max_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).unwrap_or(2);
        let (mut x, mut y) = ((axis + 1) % 3, (axis + 2) % 3);
        if normal[axis] < 0.0 {
            (x, y) = (y, x);
        }
        // along the axis next to the normal: it keeps what is convex, and what is inside
        self.flat.clear();
        self.flat.extend((0..face.len()).map(|i| [at(i)[x], at(i)[y]]));
        let (n, flat) = (face.len(), &self.flat);
        (0..n).all(|i| {
            let [a, b, c] = [0, 1, 2].map(|k| flat[(i + k) % n]);
            cross([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]) >= 0.0
        })
    }
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

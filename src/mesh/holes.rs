//! A surface without the faces that only serve their neighbors.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Polygons, SurfaceMesh};
use crate::numbers::counted;

impl SurfaceMesh {
    /// Number of faces that are holes.
    pub fn hole_count(&self) -> usize {
        self.holes.iter().collect::<HashSet<_>>().len()
    }

    /// What the mesh has, for people: `26 vertices, 24 faces (1 hole)`.
    pub fn counts(&self) -> String {
        let [vertices, faces] =
            [counted(self.points.len(), "vertex"), counted(self.faces.len(), "face")];
        match self.hole_count() {
            0 => format!("{vertices}, {faces}"),
            holes => format!("{vertices}, {faces} ({})", counted(holes, "hole")),
        }
    }

    /// The mesh without its holes: what there is to see. Creases whose edges belong to holes
    /// alone are left out too; vertices keep their numbers.
    ///
    /// Further refinement needs the holes: they shape the faces beside them.
    pub fn without_holes(&self) -> Cow<'_, Self> {
        if self.holes.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut is_hole = vec![false; self.faces.len()];
        self.holes.iter().for_each(|&f| is_hole[f as usize] = true);
        let mut faces = Polygons::default();
        let mut uv = self.uv.clone();
        if let Some(uv) = &mut uv {
            uv.corners.clear();
        }
        for (f, face) in self.faces.iter().enumerate().filter(|&(f, _)| !is_hole[f]) {
            faces.push(face);
            if let (Some(uv), Some(all)) = (&mut uv, &self.uv) {
                uv.corners.extend_from_slice(&all.corners[self.faces.corners(f)]);
            }
        }
        let mut creases = self.creases.clone();
        if !creases.edges.is_empty() {
            let sides = faces.iter().flat_map(|face| {
                (0..face.len()).map(move |i| (face[i], face[(i + 1) % face.len()]))
            });
            let edges: HashSet<[u32; 2]> = sides.map(|(a, b)| [a.min(b), a.max(b)]).collect();
            creases.edges.retain(|crease| edges.contains(&crease.edge().map(|v| v.0)));
        }
        Cow::Owned(Self {
            points: self.points.clone(),
            faces,
            creases,
            crease_rule: self.crease_rule,
            triangle_rule: self.triangle_rule,
            boundary: self.boundary,
            holes: Vec::new(),
            attributes: self.attributes.clone(),
            uv,
            faceted: self.faceted,
        })
    }
}

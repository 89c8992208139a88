//! Which model layers belong to.

use sha2::{Digest, Sha256};

use crate::mesh::{Attribute, CellKind, Creases, SolidMesh, SurfaceMesh};
use crate::scheme::Scheme;

/// SHA-256, in hexadecimal, of a control mesh as it is sliced, refined and with its
/// creases: points, cells, creases and attributes in the order of the mesh, counts and
/// numbers as 64 little-endian bits, ids as 32.
pub fn fingerprint(mesh: &SolidMesh) -> String {
    let mut hash = Fingerprint(Sha256::new());
    hash.numbers(mesh.points.as_flattened());
    hash.count(mesh.cells.len());
    for c in 0..mesh.cells.len() {
        let kind = mesh.cells.kind(c);
        hash.text(&format!("{kind:?}"));
        match kind {
            CellKind::Polyhedron => mesh.cells.for_each_face(c, |face| hash.ids(face)),
            _ => hash.ids(mesh.cells.vertices(c)),
        }
    }
    hash.creases(&mesh.creases);
    hash.attributes(&mesh.attributes);
    hash.finish()
}

/// The same of the control mesh of a surface: the scheme, points, faces, creases, rules and
/// attributes.
pub fn surface_fingerprint(mesh: &SurfaceMesh, scheme: Scheme) -> String {
    let mut hash = Fingerprint(Sha256::new());
    let (creases, triangles) = (mesh.crease_rule, mesh.triangle_rule);
    hash.text(&format!("{scheme:?} {creases:?} {:?} {triangles:?}", mesh.boundary));
    hash.numbers(mesh.points.as_flattened());
    hash.count(mesh.faces.len());
    mesh.faces.iter().for_each(|face| hash.ids(face));
    hash.creases(&mesh.creases);
    hash.ids(&mesh.holes);
    hash.attributes(&mesh.attributes);
    hash.finish()
}

/// A hash of lists, each after its length, so that no two meshes say the same.
struct Fingerprint(Sha256);

impl Fingerprint {
    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        self.count(numbers.len());
        numbers.iter().for_each(|x| self.0.update(x.to_bits().to_le_bytes()));
    }

    fn ids(&mut self, ids: &[u32]) {
        self.count(ids.len());
        ids.iter().for_each(|id| self.0.update(id.to_le_bytes()));
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.update(text);
    }

    fn creases(&mut self, creases: &Creases) {
        self.count(creases.edges.len());
        for crease in &creases.edges {
            self.ids(&crease.edge.map(|v| v.0));
            self.numbers(&[crease.sharpness]);
        }
        self.count(creases.corners.len());
        for corner in &creases.corners {
            self.ids(&[corner.vertex.0]);
            self.numbers(&[corner.sharpness]);
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        self.count(attributes.len());
        for attribute in attributes {
            self.text(&attribute.name);
            self.count(attribute.width);
            self.numbers(&attribute.values);
        }
    }

    fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shape::Shape;

    #[test]
    fn the_scheme_of_a_surface_counts() {
        let mesh = crate::read_surface("models/surfaces/spot_control_mesh.obj").unwrap();
        let mut moved = mesh.clone();
        moved.points[3][1] += 1e-15;
        let prints = [
            surface_fingerprint(&mesh, Scheme::CatmullClark),
            surface_fingerprint(&mesh, Scheme::Bilinear),
            surface_fingerprint(&moved, Scheme::CatmullClark),
        ];
        assert_eq!(prints[0], surface_fingerprint(&mesh.clone(), Scheme::CatmullClark));
        assert!(prints[0] != prints[1] && prints[0] != prints[2]);
    }

    #[test]
    fn whatever_the_limit_depends_on_counts() {
        let mesh = Shape::parse("box", &[1, 1, 1]).unwrap().build().unwrap();
        let plain = fingerprint(&mesh);
        assert_eq!(plain.len(), 64);
        assert_eq!(fingerprint(&mesh.clone()), plain);
        let mut moved = mesh.clone();
        moved.points[3][1] += 1e-15;
        let mut creased = mesh.clone();
        creased.creases.push_edge(0, 1, 1.0);
        let mut sharper = mesh.clone();
        sharper.creases.push_edge(0, 1, 2.0);
        let mut others = vec![plain];
        for changed in [moved, creased, sharper] {
            let print = fingerprint(&changed);
            assert!(!others.contains(&print));
            others.push(print);
        }
    }
}

//! Which model layers belong to.

use sha2::{Digest, Sha256};

use crate::mesh::{CellKind, SolidMesh};

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
    hash.count(mesh.creases.edges.len());
    for crease in &mesh.creases.edges {
        hash.ids(&crease.edge.map(|v| v.0));
        hash.numbers(&[crease.sharpness]);
    }
    hash.count(mesh.creases.corners.len());
    for corner in &mesh.creases.corners {
        hash.ids(&[corner.vertex.0]);
        hash.numbers(&[corner.sharpness]);
    }
    hash.count(mesh.attributes.len());
    for attribute in &mesh.attributes {
        hash.text(&attribute.name);
        hash.count(attribute.width);
        hash.numbers(&attribute.values);
    }
    hash.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shape::Shape;

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

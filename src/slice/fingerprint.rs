//! Identifies the model that layers belong to.

use std::ops::Range;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::manifest::PartEntry;
use super::part::Placement;
use crate::interrupt::stop_point;
use crate::mesh::{
    Attribute, BoundaryRule, CellKind, CreaseRule, Creases, SolidMesh, SurfaceMesh, TriangleRule,
};
use crate::scheme::Scheme;

/// Points or cells that are hashed together: many programs may hash a mesh.
const HASH_CHUNK_ROWS: usize = 1 << 16;

/// SHA-256, in hexadecimal, of a control mesh with its creases: points, cells, creases, attributes
/// and, if there are any, cell arrays in the order of the mesh, counts and numbers as 64
/// little-endian bits, ids as 32. Of points, cells and the values of an attribute or array these
/// are the hashes of 65,536 vertices or cells each.
///
/// # Panics
/// If an attribute or an array of cells has fewer values than [`SolidMesh::check`] demands.
pub fn fingerprint(mesh: &SolidMesh) -> String {
    let [point_count, cell_count] = [mesh.points.len(), mesh.cells.len()];
    let mut hash = Fingerprint(Sha256::new());
    hash.count(point_count);
    hash.0.update(digests(point_count, &|row, bytes| push_numbers(&mesh.points[row], bytes)));
    hash.count(cell_count);
    hash.0.update(digests(cell_count, &|row, bytes| cell_row(mesh, row, bytes)));
    hash.creases(&mesh.creases);
    let attributes = mesh.attributes.iter().map(|a| (&a.name[..], a.width, &a.values[..]));
    hash.arrays(point_count, attributes);
    if !mesh.cell_data.is_empty() {
        let arrays = mesh.cell_data.iter().map(|a| (&a.name[..], a.width, &a.values[..]));
        hash.arrays(cell_count, arrays);
    }
    hash.finish()
}

/// The fingerprint of a mesh that is refined some times first.
pub fn refined_fingerprint(fingerprint: String, levels: usize) -> String {
    if levels == 0 {
        return fingerprint;
    }
    let mut hash = Fingerprint(Sha256::new());
    hash.text(&fingerprint);
    hash.count(levels);
    hash.finish()
}

/// The fingerprint of a plate by those of its parts, with their names and how they are moved.
pub fn plate_fingerprint(parts: &[PartEntry]) -> String {
    let mut hash = Fingerprint(Sha256::new());
    for PartEntry { name, model_sha256, place } in parts {
        hash.text(model_sha256);
        hash.text(name.as_deref().unwrap_or_default());
        let Placement { shift: [x, y, z], degrees } = *place;
        hash.numbers(&[x, y, z, degrees]);
    }
    hash.finish()
}

fn push_numbers(numbers: &[f64], bytes: &mut Vec<u8>) {
    numbers.iter().for_each(|x| bytes.extend(x.to_bits().to_le_bytes()));
}

fn cell_row(mesh: &SolidMesh, row: usize, bytes: &mut Vec<u8>) {
    let mut push = |ids: &[u32]| {
        bytes.extend((ids.len() as u64).to_le_bytes());
        ids.iter().for_each(|id| bytes.extend(id.to_le_bytes()));
    };
    match mesh.cells.kind(row) {
        CellKind::Polyhedron => {
            push(&[]);
            mesh.cells.for_each_face(row, push);
        }
        // others have their own numbers of vertices
        _ => push(mesh.cells.vertices(row)),
    }
}

/// The hashes of the chunks of `count` rows, one after the other.
fn digests(count: usize, row: &(dyn Fn(usize, &mut Vec<u8>) + Sync)) -> Vec<u8> {
    let of_chunk = |chunk: usize| {
        stop_point();
        let mut bytes = Vec::new();
        rows_of(chunk, count).for_each(|place| row(place, &mut bytes));
        Sha256::digest(bytes).to_vec()
    };
    let all: Vec<Vec<u8>> =
        (0..count.div_ceil(HASH_CHUNK_ROWS)).into_par_iter().map(of_chunk).collect();
    all.concat()
}

fn rows_of(chunk: usize, count: usize) -> Range<usize> {
    chunk * HASH_CHUNK_ROWS..((chunk + 1) * HASH_CHUNK_ROWS).min(count)
}

/// Fingerprint of the control mesh of a surface: the scheme, points, faces, creases, rules and
/// attributes.
pub fn surface_fingerprint(mesh: &SurfaceMesh, scheme: Scheme) -> String {
    let mut hash = Fingerprint(Sha256::new());
    hash.text(&rules_text(mesh, scheme));
    hash.numbers(mesh.points.as_flattened());
    hash.count(mesh.faces.len());
    mesh.faces.iter().for_each(|face| hash.ids(face));
    hash.creases(&mesh.creases);
    hash.ids(&mesh.holes);
    hash.attributes(&mesh.attributes);
    hash.finish()
}

/// The scheme and the rules of a surface. Jobs are resumed by these words: they stay, whatever the
/// code calls the variants.
fn rules_text(mesh: &SurfaceMesh, scheme: Scheme) -> String {
    let creases = match mesh.crease_rule {
        CreaseRule::Uniform => "Uniform",
        CreaseRule::Chaikin => "Chaikin",
    };
    let boundary = match mesh.boundary {
        BoundaryRule::Edges => "Edges",
        BoundaryRule::EdgesAndCorners => "EdgesAndCorners",
        BoundaryRule::Holes => "Holes",
    };
    let triangles = match mesh.triangle_rule {
        TriangleRule::Uniform => "Uniform",
        TriangleRule::Smooth => "Smooth",
    };
    format!("{} {creases} {boundary} {triangles}", scheme.stored_name())
}

/// A hash of lists, each after its length, so that no two meshes say the same.
struct Fingerprint(Sha256);

impl Fingerprint {
    /// Arrays of `count` vertices or cells, by names and widths, with the hashes of their values.
    fn arrays<'a>(
        &mut self,
        count: usize,
        arrays: impl ExactSizeIterator<Item = (&'a str, usize, &'a [f64])>,
    ) {
        self.count(arrays.len());
        for (name, width, values) in arrays {
            self.text(name);
            self.count(width);
            self.0.update(digests(count, &|row, bytes| {
                push_numbers(&values[row * width..][..width], bytes);
            }));
        }
    }

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
            self.ids(&crease.edge().map(|v| v.0));
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

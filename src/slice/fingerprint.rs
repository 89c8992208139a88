//! Identifies the model that layers belong to.

use std::ops::Range;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::cluster::{Ranks, block};
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::mesh::{
    Attribute, BoundaryRule, CellKind, CreaseRule, Creases, SolidMesh, SurfaceMesh, TriangleRule,
};
use crate::parts::DistributedMesh;
use crate::parts::exchange::{Holders, fetch};
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
    let values = |count: usize, values: &[f64], width: usize| {
        digests(count, |row, bytes| value_row(values, width, row, bytes))
    };
    let attributes = mesh.attributes.iter().map(|a| values(point_count, &a.values, a.width));
    let cell_data = mesh.cell_data.iter().map(|a| values(cell_count, &a.values, a.width));
    let digests = Digests {
        point_count,
        points: digests(point_count, |row, bytes| point_row(mesh, row, bytes)),
        cell_count,
        cells: digests(cell_count, |row, bytes| cell_row(mesh, row, bytes)),
        attributes: attributes.collect(),
        cell_data: cell_data.collect(),
    };
    Fingerprint::of_digests(mesh, digests)
}

/// The [`fingerprint`] of a mesh that ranks hold.
///
/// # Errors
/// Those of other ranks.
pub fn shared_fingerprint(ranks: &Ranks<'_>, mesh: &DistributedMesh) -> Result<String> {
    let (block, vertices, cells) = (mesh.block(), mesh.vertices(), mesh.cells());
    if ranks.size() == 1 {
        return Ok(fingerprint(block));
    }
    let values = |holders: &Holders, values: &[f64], width: usize| {
        shared_digests(ranks, holders, |row, bytes| value_row(values, width, row, bytes))
    };
    let attributes = block.attributes.iter().map(|a| values(vertices, &a.values, a.width));
    let cell_data = block.cell_data.iter().map(|a| values(cells, &a.values, a.width));
    // fields in the order in which all ranks exchange them
    let digests = Digests {
        point_count: vertices.count(),
        points: shared_digests(ranks, vertices, |row, bytes| point_row(block, row, bytes))?,
        cell_count: cells.count(),
        cells: shared_digests(ranks, cells, |row, bytes| cell_row(block, row, bytes))?,
        attributes: attributes.collect::<Result<_>>()?,
        cell_data: cell_data.collect::<Result<_>>()?,
    };
    Ok(Fingerprint::of_digests(block, digests))
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

fn point_row(mesh: &SolidMesh, row: usize, bytes: &mut Vec<u8>) {
    push_numbers(&mesh.points[row], bytes);
}

fn value_row(values: &[f64], width: usize, row: usize, bytes: &mut Vec<u8>) {
    push_numbers(&values[row * width..][..width], bytes);
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
fn digests(count: usize, row: impl Fn(usize, &mut Vec<u8>) + Sync) -> Vec<u8> {
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

/// [`digests`] of rows that ranks hold; each hashes a run of the chunks.
fn shared_digests(
    ranks: &Ranks<'_>,
    holders: &Holders,
    row: impl Fn(usize, &mut Vec<u8>),
) -> Result<Vec<u8>> {
    let chunks = holders.count().div_ceil(HASH_CHUNK_ROWS);
    let own = block(chunks, ranks.rank(), ranks.size());
    let mut digests = Vec::new();
    for turn in 0..chunks.div_ceil(ranks.size()) {
        let chunk = Some(own.start + turn).filter(|chunk| own.contains(chunk));
        let rows = chunk.map_or(0..0, |chunk| rows_of(chunk, holders.count()));
        let rows: Vec<u32> = rows.map(|row| row as u32).collect();
        let mut hash = Sha256::new();
        fetch(ranks, holders, &rows, &row, |bytes| {
            hash.update(bytes);
            Ok(())
        })?;
        if chunk.is_some() {
            digests.extend(hash.finalize());
        }
    }
    Ok(ranks.all_gather(Ok(digests))?.concat())
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

/// Hashes of the long lists of a mesh.
struct Digests {
    point_count: usize,
    points: Vec<u8>,
    cell_count: usize,
    cells: Vec<u8>,
    // of the values of each
    attributes: Vec<Vec<u8>>,
    cell_data: Vec<Vec<u8>>,
}

/// A hash of lists, each after its length, so that no two meshes say the same.
struct Fingerprint(Sha256);

impl Fingerprint {
    /// The fingerprint from the hashes of all that is long; creases and names are those of `mesh`.
    fn of_digests(mesh: &SolidMesh, digests: Digests) -> String {
        let Digests { point_count, points, cell_count, cells, attributes, cell_data } = digests;
        let mut hash = Self(Sha256::new());
        hash.count(point_count);
        hash.0.update(points);
        hash.count(cell_count);
        hash.0.update(cells);
        hash.creases(&mesh.creases);
        let names = mesh.attributes.iter().map(|a| (a.name.as_str(), a.width));
        hash.arrays(names, &attributes);
        if !cell_data.is_empty() {
            let names = mesh.cell_data.iter().map(|a| (a.name.as_str(), a.width));
            hash.arrays(names, &cell_data);
        }
        hash.finish()
    }

    /// Arrays by names and widths, with the hashes of their values.
    fn arrays<'a>(&mut self, names: impl Iterator<Item = (&'a str, usize)>, values: &[Vec<u8>]) {
        self.count(values.len());
        for ((name, width), values) in names.zip(values) {
            self.text(name);
            self.count(width);
            self.0.update(values);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Threads;
    use crate::mesh::CellArray;
    use crate::mesh::shape::Shape;

    #[test]
    fn the_scheme_of_a_surface_counts() {
        let mesh = crate::io::read_surface("models/surfaces/spot_control_mesh.obj").unwrap();
        let mut moved = mesh.clone();
        moved.points[3][1] += 1e-15;
        let mut prints = Scheme::ALL.map(|scheme| surface_fingerprint(&mesh, scheme)).to_vec();
        prints.extend(Scheme::ALL.map(|scheme| surface_fingerprint(&moved, scheme)));
        assert_eq!(prints[0], surface_fingerprint(&mesh.clone(), Scheme::ALL[0]));
        let count = prints.len();
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), count);
    }

    /// More cells than are hashed together.
    #[test]
    fn ranks_find_the_fingerprint_of_one_program() {
        let mut mesh = Shape::parse("box", &[41, 41, 41]).unwrap().build().unwrap();
        mesh.cells.push(CellKind::Tetrahedron, &[0, 1, 2, 3]);
        let values = (0..2 * mesh.points.len()).map(|i| i as f64).collect();
        mesh.attributes.push(Attribute { name: "a".into(), width: 2, values });
        let values = (0..mesh.cells.len()).map(|i| i as f64).collect();
        mesh.cell_data.push(CellArray::new("material", 1, values, true));
        mesh.creases.push_edge(0, 1, 1.0);
        let alone = fingerprint(&mesh);
        for size in [1, 2, 3] {
            let found = Threads::run(size, |group| {
                let ranks = Ranks::new(group);
                let mesh = ranks.is_first().then(|| mesh.clone());
                let mesh = DistributedMesh::scatter(&ranks, mesh).unwrap();
                shared_fingerprint(&ranks, &mesh).unwrap()
            });
            assert!(found.iter().all(|found| *found == alone), "{size} ranks");
        }
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
        let mut renamed = mesh.clone();
        renamed.cells.renumber(|v| v ^ 1);
        let material = |value: f64| {
            let mut mesh = mesh.clone();
            mesh.cell_data.push(CellArray::new("material", 1, vec![value], true));
            mesh
        };
        let mut others = vec![refined_fingerprint(plain.clone(), 1), plain];
        for changed in [moved, creased, sharper, renamed, material(1.0), material(2.0)] {
            let print = fingerprint(&changed);
            assert!(!others.contains(&print));
            others.push(print);
        }
    }
}

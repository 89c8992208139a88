//! Hexahedra split into eight.

use std::collections::{BTreeSet, HashMap};

use super::draft::{Draft, push_mean, replace_group_faces};
use super::interface::Interface;
use crate::error::IdKind::Cell;
use crate::error::{Error, Result};
use crate::mesh::{CORNERS, CellKind, Creases, SolidMesh, sorted};
use crate::topology::{NONE, Topology};

/// Splits hexahedra at the middles of their edges and faces, and takes vertices that hang there.
///
/// # Errors
/// [`Error::Mesh`] for another cell.
pub(super) fn split(
    mesh: &mut SolidMesh,
    topology: &Topology,
    interface: &Interface,
    split: &BTreeSet<u32>,
) -> Result<()> {
    // the vertex in the middle of an edge, face or cell, by its vertices
    let mut middles: HashMap<Vec<u32>, u32> = interface.centers.clone();
    middles.extend(interface.mids.iter().map(|(ends, &mid)| (ends.to_vec(), mid)));
    let mut draft = Draft::default();
    for c in 0..topology.cell_count() as u32 {
        if !split.contains(&c) {
            draft.keep(topology.cells(), c as usize, |v| v);
            continue;
        }
        let Some(corners) = topology.cells().hexahedron(c as usize) else {
            return Err(Error::mesh(message!(
                Cell.id(c),
                " has to be split, for cells less than half as large or of three sizes meet there, \
                 and is no hexahedron"
            ))
            .with_help("refine it in the mesher"));
        };
        let node = |x: [usize; 3], mesh: &mut SolidMesh, middles: &mut HashMap<Vec<u32>, u32>| {
            let is_of = |corner: &[usize; 3]| (0..3).all(|d| x[d] == 1 || x[d] == 2 * corner[d]);
            let around = corners.iter().zip(CORNERS).filter(|(_, corner)| is_of(corner));
            let around: Vec<u32> = around.map(|(&v, _)| v).collect();
            match around[..] {
                [v] => v,
                _ => *middles.entry(sorted(&around)).or_insert_with(|| push_mean(mesh, &around)),
            }
        };
        let mut nodes = [0; 27];
        for (i, slot) in nodes.iter_mut().enumerate() {
            *slot = node([i % 3, i / 3 % 3, i / 9], mesh, &mut middles);
        }
        for offset in CORNERS {
            let at = |x: [usize; 3]| {
                let [i, j, k] = std::array::from_fn(|d| x[d] + offset[d]);
                nodes[i + 3 * j + 9 * k]
            };
            draft.push(c, CellKind::Hexahedron, &CORNERS.map(at));
        }
    }
    let parts = |cells: &[u32]| {
        let split_cells = cells.iter().filter(|c| split.contains(c)).count();
        (split_cells > 0, split_cells < cells.len())
    };
    replace_group_faces(mesh, |face| {
        let cells = topology.face_cells(topology.face_with(face)?);
        let cells = if cells[1] == NONE { &cells[..1] } else { &cells[..] };
        let (is_split, stays) = parts(cells);
        let center = *middles.get(&sorted(face)).filter(|_| is_split)?;
        let n = face.len();
        let mid = |i: usize| middles.get(&sorted(&[face[i % n], face[(i + 1) % n]])).copied();
        let mut faces: Vec<Vec<u32>> = (0..n)
            .map(|i| Some(vec![face[i], mid(i)?, center, mid(i + n - 1)?]))
            .collect::<Option<_>>()?;
        faces.extend(stays.then(|| face.to_vec()));
        Some(faces)
    });
    let mut creases = Creases { corners: mesh.creases.corners.clone(), ..Creases::default() };
    for crease in &mesh.creases.edges {
        let [a, b] = crease.edge().map(|v| v.0);
        let both = |c: &&u32| topology.cells().vertices(**c as usize).contains(&b);
        let cells: Vec<u32> = topology.vertex_cells(a).iter().filter(both).copied().collect();
        let (is_split, stays) = parts(&cells);
        if let Some(&mid) = middles.get(&[a, b][..]).filter(|_| is_split) {
            creases.push_edge(a, mid, crease.sharpness);
            creases.push_edge(mid, b, crease.sharpness);
        }
        if stays || !is_split {
            creases.push_edge(a, b, crease.sharpness);
        }
    }
    mesh.creases = creases;
    draft.finish(mesh);
    Ok(())
}

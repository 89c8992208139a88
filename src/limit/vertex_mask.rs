//! Limit masks of vertices, from the cells around them alone.

use super::labels::Labels;
use super::structure::{NetRows, limit_mask};
use crate::mesh::Creases;
use crate::refine::{hexahedra, refine};
use crate::scheme::VertexRule;
use crate::topology::{Sharpness, Topology, stars};

/// The vertices of the hexahedra around `vertex`, itself first, and their weights in its limit. The
/// same in every part of a mesh that has all of these cells.
pub(super) fn vertex_mask(
    topology: &Topology,
    sharpness: &Sharpness,
    rule: VertexRule,
    vertex: u32,
) -> Option<(Vec<u32>, Vec<f64>)> {
    let mut labels = Labels::new();
    labels.label(vertex);
    let around = topology.vertex_cells(vertex).iter();
    let cells: Option<Vec<[u32; 8]>> = around
        .map(|&cell| {
            let corners = topology.cells().hexahedron(cell as usize)?;
            Some(corners.map(|v| u32::from(labels.label(v))))
        })
        .collect();
    let cells = cells?;
    let mut creases = Creases::default();
    for &edge in topology.vertex_edges(vertex).iter().filter(|&&e| sharpness.edge(e) > 0.0) {
        let other = labels.label(topology.other_end(edge, vertex));
        creases.push_edge(0, other.into(), f64::INFINITY);
    }
    if sharpness.vertex(vertex) > 0.0 {
        creases.push_corner(0, f64::INFINITY);
    }
    let vertices = labels.into_items();

    let star = Topology::build(hexahedra(&cells), vertices.len()).ok()?;
    let sharpness = Sharpness::resolve(&creases, &star).ok()?;
    let kinds = stars(&star, &sharpness);
    let step = refine(&star, &sharpness, &kinds, rule, Some(&[0]));
    // the children at the vertex have its star again, each corner where its parent has it
    let mut net = vec![0; vertices.len()];
    for (child, &(parent, corner)) in step.cells.iter().zip(&step.parents) {
        let parent = &cells[parent as usize];
        if parent[usize::from(corner)] == 0 {
            parent.iter().zip(child).for_each(|(&label, &point)| net[label as usize] = point);
        }
    }
    let mut rows = NetRows::new(&step.stencils, vertices.len());
    let net = rows.net(&net);
    let mask = limit_mask(&rows.selected(&net));
    Some((vertices, mask))
}

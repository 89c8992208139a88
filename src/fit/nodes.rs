//! Points of curved cells, between the corners, as vertices.
//!
//! A mesh that is refined once has a vertex for every edge, face and cell: the places of the nodes
//! of quadratic cells. Where a cell has no point for one, the others give it (serendipity).

use std::collections::HashMap;

use crate::error::Result;
use crate::io::CurvedNode;
use crate::mesh::{Attribute, SolidMesh};
use crate::refine::refine_mesh;
use crate::scheme::VertexRule;
use crate::topology::Topology;

/// The mesh refined once, with vertices at the old vertices and at `nodes`; values of
/// attributes are means of those at the corners.
///
/// # Errors
/// As [`refine_mesh`].
pub fn refined_by_nodes(mesh: &SolidMesh, nodes: &[CurvedNode]) -> Result<SolidMesh> {
    let topology = Topology::of_mesh(mesh)?;
    let mut refined = refine_mesh(mesh, 1, VertexRule::default())?;
    let elements = Elements { topology: &topology };
    let [mut on_edges, mut on_faces, mut on_cells] = [(); 3].map(|()| HashMap::new());
    for node in nodes {
        let corners = mesh.cells.vertices(node.cell.0 as usize);
        let [a, b] = node.between.map(|corner| corners[usize::from(corner)]);
        let has_both = |&&face: &&u32| {
            let vertices = topology.face_vertices(face);
            vertices.contains(&a) && vertices.contains(&b)
        };
        let around: Vec<u32> =
            topology.cell_faces(node.cell.0).iter().filter(has_both).copied().collect();
        match around[..] {
            [] => on_cells.insert(node.cell.0, node.point),
            [face] => on_faces.insert(face, node.point),
            _ => topology.edge_between(a, b).and_then(|edge| on_edges.insert(edge, node.point)),
        };
    }
    let points = mesh.points.as_flattened();
    let edges: Vec<[f64; 3]> = (0..topology.edge_count() as u32)
        .map(|e| {
            let known = on_edges.get(&e).copied();
            known.unwrap_or_else(|| mean(points, &topology.edge_vertices(e)))
        })
        .collect();
    let bent = |vertices: &[u32], own: &[u32], parts: [f64; 2]| -> [f64; 3] {
        let [at_corners, at_edges] = [mean(points, vertices), mean(edges.as_flattened(), own)];
        std::array::from_fn(|d| parts[0] * at_corners[d] + parts[1] * at_edges[d])
    };
    let faces = (0..topology.face_count() as u32).map(|f| {
        on_faces.get(&f).copied().unwrap_or_else(|| {
            let vertices = topology.face_vertices(f);
            // exact for quadratic functions on triangles, serendipity on quads
            let parts = if vertices.len() == 3 { [-1.0 / 3.0, 4.0 / 3.0] } else { [-1.0, 2.0] };
            bent(vertices, &elements.edges_of(vertices), parts)
        })
    });
    let cells = (0..topology.cell_count() as u32).map(|c| {
        on_cells.get(&c).copied().unwrap_or_else(|| {
            let vertices = elements.cell_vertices(c);
            let parts = if vertices.len() == 8 { [-2.0, 3.0] } else { [0.0, 1.0] };
            bent(&vertices, &elements.edges_of(&vertices), parts)
        })
    });
    let corners = used_vertices(&topology).map(|v| mesh.points[v as usize]);
    refined.points = corners.chain(edges.iter().copied()).chain(faces).chain(cells).collect();
    for (attribute, from) in refined.attributes.iter_mut().zip(&mesh.attributes) {
        attribute.values = refined_values(&topology, from);
    }
    Ok(refined)
}

/// Values at the vertices of the mesh refined once: those at the old vertices, and the means at the
/// corners of edges, faces and cells.
pub fn refined_values(topology: &Topology, attribute: &Attribute) -> Vec<f64> {
    let Attribute { width, values: given, .. } = attribute;
    let row = |v: u32| given[v as usize * width..][..*width].iter().copied();
    let values = used_vertices(topology).flat_map(row).collect();
    Elements { topology }.means(attribute, values)
}

/// The vertices of cells, which refined meshes begin with.
fn used_vertices(topology: &Topology) -> impl Iterator<Item = u32> + '_ {
    (0..topology.vertex_count() as u32).filter(|&v| !topology.vertex_cells(v).is_empty())
}

/// Edges, faces and cells of a mesh.
struct Elements<'t> {
    topology: &'t Topology,
}

impl Elements<'_> {
    /// The edges between some vertices.
    fn edges_of(&self, vertices: &[u32]) -> Vec<u32> {
        let pairs = vertices.iter().enumerate().flat_map(|(i, &a)| {
            vertices[i + 1..].iter().filter_map(move |&b| self.topology.edge_between(a, b))
        });
        pairs.collect()
    }

    fn cell_vertices(&self, cell: u32) -> Vec<u32> {
        let faces = self.topology.cell_faces(cell).iter();
        let mut vertices: Vec<u32> =
            faces.flat_map(|&f| self.topology.face_vertices(f)).copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    }

    /// Values at vertices, edges, faces and cells.
    fn means(&self, attribute: &Attribute, mut values: Vec<f64>) -> Vec<f64> {
        let Attribute { width, values: given, .. } = attribute;
        let mut push = |vertices: &[u32]| {
            for d in 0..*width {
                let sum: f64 = vertices.iter().map(|&v| given[v as usize * width + d]).sum();
                values.push(sum / vertices.len() as f64);
            }
        };
        let topology = self.topology;
        (0..topology.edge_count() as u32).for_each(|e| push(&topology.edge_vertices(e)));
        (0..topology.face_count() as u32).for_each(|f| push(topology.face_vertices(f)));
        (0..topology.cell_count() as u32).for_each(|c| push(&self.cell_vertices(c)));
        values
    }
}

/// Mean of rows of three values.
fn mean(values: &[f64], rows: &[u32]) -> [f64; 3] {
    let sum = |d: usize| rows.iter().map(|&row| values[3 * row as usize + d]).sum::<f64>();
    std::array::from_fn(|d| sum(d) / rows.len() as f64)
}

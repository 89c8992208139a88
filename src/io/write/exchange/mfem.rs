//! MFEM's `.mesh`: an attribute for each combination of groups, also of the faces of the boundary in
//! no group. Version 1.3, which has sets of attributes, if there are names, else 1.0.
//!
//! Of cells of higher orders the coordinates are a grid function of H1: at the vertices, then within
//! edges, faces and cells, which MFEM numbers as they first come. Nodes are equally spaced
//! (`H1@U`), which up to order 2 are MFEM's usual ones.

use std::collections::HashSet;
use std::io::{self, Write};

use super::groups::{Group, Partition};
use super::mesh::ExchangeMesh;
use super::orders::{HexahedronGrid, MFEM_EDGES, MFEM_FACES};
use super::shapes::{CellShape, CellSide};
use super::text::{line, point, rows, unquoted};

/// Writes a mesh in which every point is in a cell.
pub fn write(out: &mut impl Write, mesh: &ExchangeMesh) -> io::Result<()> {
    let (cells, mut faces) = (mesh.cell_classes(), mesh.face_classes());
    let mut sides = mesh.faces.clone();
    let grouped: HashSet<CellSide> = sides.iter().copied().collect();
    sides.extend(mesh.boundary().into_iter().filter(|side| !grouped.contains(side)));
    faces.class.resize(sides.len(), 0);
    let sets = [sets(&mesh.cell_groups, &cells), sets(&mesh.face_groups, &faces)];
    let attributes = [attributes(&mesh.cell_groups, &cells), attributes(&mesh.face_groups, &faces)];
    let has_sets = sets.iter().any(|sets| !sets.is_empty());
    let nodes = (mesh.order > 1).then(|| HighOrderNodes::of(mesh));
    let vertex = |node: u32| match &nodes {
        Some(nodes) => nodes.vertices[node as usize],
        None => node,
    };

    writeln!(out, "MFEM mesh v1.{}\n", if has_sets { 3 } else { 0 })?;
    writeln!(out, "dimension\n{}\n\nelements\n{}", mesh.dimension(), mesh.shapes.len())?;
    rows(out, mesh.shapes.len(), |c, text| {
        let (shape, attribute) = (mesh.shapes[c], attributes[0][cells.class[c] as usize]);
        let corners = mesh.cell(c)[..shape.corners()].iter().map(|&v| i64::from(vertex(v)));
        line(text, [attribute, geometry(shape)].into_iter().chain(corners), " ")
    })?;
    write_sets(out, "attribute_sets", &sets[0], has_sets)?;
    writeln!(out, "\nboundary\n{}", sides.len())?;
    rows(out, sides.len(), |f, text| {
        let attribute = attributes[1][faces.class[f] as usize];
        let corners = mesh.side(sides[f]);
        let geometry = geometry(mesh.side_shape(sides[f]));
        let corners = corners.into_iter().map(|v| i64::from(vertex(v)));
        line(text, [attribute, geometry].into_iter().chain(corners), " ")
    })?;
    write_sets(out, "bdr_attribute_sets", &sets[1], has_sets)?;
    match &nodes {
        None => {
            writeln!(out, "\nvertices\n{}\n3", mesh.points.len())?;
            rows(out, mesh.points.len(), |v, text| {
                writeln!(text, "{}", point(mesh.points[v], " "))
            })?;
        }
        Some(nodes) => {
            let basis = if mesh.order > 2 { "@U" } else { "" };
            writeln!(out, "\nvertices\n{}\n\nnodes\nFiniteElementSpace", nodes.vertex_count)?;
            writeln!(out, "FiniteElementCollection: H1{basis}_3D_P{}", mesh.order)?;
            writeln!(out, "VDim: 3\nOrdering: 1\n")?;
            rows(out, nodes.nodes.len(), |i, text| {
                writeln!(text, "{}", point(mesh.points[nodes.nodes[i] as usize], " "))
            })?;
        }
    }
    if has_sets { writeln!(out, "\nmfem_mesh_end") } else { Ok(()) }
}

/// MFEM's number of a geometry.
fn geometry(shape: CellShape) -> i64 {
    match shape {
        CellShape::Triangle => 2,
        CellShape::Quad => 3,
        CellShape::Tetrahedron => 4,
        CellShape::Hexahedron => 5,
        CellShape::Wedge => 6,
    }
}

/// An attribute for each class; 1 for cells of no group if there are no groups.
fn attributes(groups: &[Group], classes: &Partition) -> Vec<i64> {
    classes.numbers(groups, None)
}

/// Names of groups that are more than an attribute, and their attributes.
fn sets<'m>(groups: &'m [Group], classes: &Partition) -> Vec<(&'m str, Vec<i64>)> {
    let numbers = attributes(groups, classes);
    let of = |(g, group): (usize, &'m Group)| {
        let own = classes.numbers_in(g, &numbers);
        let is_number = !group.is_named && own.len() == 1 && group.number == Some(own[0]);
        (!is_number).then_some((&*group.name, own))
    };
    groups.iter().enumerate().filter_map(of).collect()
}

fn write_sets(
    out: &mut impl Write,
    section: &str,
    sets: &[(&str, Vec<i64>)],
    has_sets: bool,
) -> io::Result<()> {
    if !has_sets {
        return Ok(());
    }
    writeln!(out, "\n{section}\n{}", sets.len())?;
    for (name, attributes) in sets {
        write!(out, "\"{}\" {} ", unquoted(name), attributes.len())?;
        line(out, attributes, " ")?;
    }
    Ok(())
}

/// The nodes of a space of H1.
struct HighOrderNodes {
    // number of each node that is a vertex
    vertices: Vec<u32>,
    vertex_count: usize,
    // node of each degree of freedom
    nodes: Vec<u32>,
}

impl HighOrderNodes {
    /// Of hexahedra of one order, 2 or more.
    fn of(mesh: &ExchangeMesh) -> Self {
        let (order, cells) = (mesh.order, mesh.shapes.len());
        let grid = HexahedronGrid::new(order);
        let mut vertices = vec![u32::MAX; mesh.points.len()];
        (0..cells).for_each(|c| mesh.cell(c)[..8].iter().for_each(|&v| vertices[v as usize] = 0));
        let mut nodes = Vec::with_capacity(mesh.points.len());
        for node in 0..mesh.points.len() as u32 {
            if vertices[node as usize] == 0 {
                vertices[node as usize] = nodes.len() as u32;
                nodes.push(node);
            }
        }
        let vertex_count = nodes.len();
        let mut edges: HashSet<[u32; 2]> = HashSet::new();
        for c in 0..cells {
            let own = mesh.cell(c);
            for [a, b] in MFEM_EDGES {
                // from the vertex of the lower number
                let [low, high] = if vertices[own[a] as usize] < vertices[own[b] as usize] {
                    [a, b]
                } else {
                    [b, a]
                };
                if edges.insert([own[low], own[high]]) {
                    nodes.extend((1..order).map(|i| own[grid.on_edge([low, high], i)]));
                }
            }
        }
        let mut faces: HashSet<[u32; 4]> = HashSet::new();
        for c in 0..cells {
            let own = mesh.cell(c);
            for face in MFEM_FACES {
                let mut key = face.map(|i| own[i]);
                key.sort_unstable();
                if faces.insert(key) {
                    let inner = (1..order).flat_map(|j| (1..order).map(move |i| [i, j]));
                    nodes.extend(inner.map(|at| own[grid.on_face(face, at)]));
                }
            }
        }
        for c in 0..cells {
            let own = mesh.cell(c);
            let inside = || 1..order;
            for k in inside() {
                for j in inside() {
                    nodes.extend(inside().map(|i| own[grid.node([i, j, k])]));
                }
            }
        }
        Self { vertices, vertex_count, nodes }
    }
}

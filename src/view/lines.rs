//! Lines: control edges, creases and the singular graph.

use std::collections::{BTreeMap, HashMap};

use super::scene::Scene;
use crate::backend::{Backend, Cpu};
use crate::error::Result;
use crate::limit::{Solid, VTK_CORNER};
use crate::mesh::{SolidMesh, SurfaceMesh};
use crate::plan::{Location, Samples, Want};
use crate::surface::limit::{LimitSurface, SurfaceLocation};
use crate::topology::{Sharpness, Topology, is_extraordinary};

/// Segments of a curve.
const SEGMENTS: usize = 8;
/// Segments of all curves of a kind, above which each has fewer.
const MAX_SEGMENTS: usize = 80_000;

/// Adds the edges of a control mesh: `control vertex`, and the ends of boundary edges, `control
/// boundary`, and of those inside, `control inside`.
pub fn push_control_edges(scene: &mut Scene, topology: &Topology, points: &[[f64; 3]]) {
    let vertices: Vec<f32> = points.iter().flat_map(|p| scene.local(p)).collect();
    let (mut boundary, mut inside) = (Vec::new(), Vec::new());
    for edge in 0..topology.edge_count() as u32 {
        let to = if topology.is_boundary_edge(edge) { &mut boundary } else { &mut inside };
        to.extend(topology.edge_vertices(edge));
    }
    scene.shell.push("control vertex", &vertices);
    scene.shell.push("control boundary", &boundary);
    scene.interior.push("control inside", &inside);
}

/// [`push_control_edges`] of a surface.
pub fn push_surface_edges(scene: &mut Scene, mesh: &SurfaceMesh) {
    let vertices: Vec<f32> = mesh.points.iter().flat_map(|p| scene.local(p)).collect();
    let mut edges: Vec<[u32; 2]> = mesh
        .faces
        .iter()
        .flat_map(|face| (0..face.len()).map(move |i| [face[i], face[(i + 1) % face.len()]]))
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    scene.shell.push("control vertex", &vertices);
    scene.shell.push("control boundary", edges.as_flattened());
}

/// Adds curves of equally many segments each as positions, and a value of each curve.
fn push_curves(scene: &mut Scene, name: &str, points: &[[f64; 3]], values: &[f32]) {
    let points: Vec<f32> = points.iter().flat_map(|p| scene.local(p)).collect();
    scene.shell.push(&format!("{name} points"), &points);
    scene.shell.push(&format!("{name} values"), values);
}

/// Adds the limit curves of creases with their sharpness (0 stands for a sharpness without end):
/// `crease points`, `crease values`.
pub fn push_creases(scene: &mut Scene, limit: &LimitSurface, mesh: &SurfaceMesh) -> Result<()> {
    let sharpness: BTreeMap<[u32; 2], f64> = mesh
        .creases
        .edges
        .iter()
        .filter(|crease| crease.sharpness > 0.0)
        .map(|crease| {
            let [a, b] = crease.edge().map(|v| v.0);
            ([a.min(b), a.max(b)], crease.sharpness)
        })
        .collect();
    let (mut places, mut values) = (Vec::new(), Vec::new());
    let mut seen = std::collections::HashSet::new();
    for (f, face) in mesh.faces.iter().enumerate() {
        for i in 0..face.len() {
            let (a, b) = (face[i], face[(i + 1) % face.len()]);
            let Some(&sharp) = sharpness.get(&[a.min(b), a.max(b)]) else { continue };
            if !seen.insert([a.min(b), a.max(b)]) {
                continue;
            }
            places.extend((0..=SEGMENTS).map(|k| on_side(limit, f, i, k)));
            values.push(if sharp.is_finite() { sharp as f32 } else { 0.0 });
        }
    }
    if !places.is_empty() {
        let found = limit.evaluate(&mesh.points, &places, Want::POSITION)?;
        push_curves(scene, "crease", &found.positions, &values);
    }
    Ok(())
}

/// The k-th place on side `i` of a face.
fn on_side(limit: &LimitSurface, face: usize, i: usize, k: usize) -> SurfaceLocation {
    let elements = limit.face_elements(face);
    let t = k as f64 / SEGMENTS as f64;
    if elements.len() == 1 {
        let parameters = [[t, 0.0], [1.0, t], [1.0 - t, 1.0], [0.0, 1.0 - t]][i];
        return SurfaceLocation { element: elements.start as u32, parameters };
    }
    // from corner i along its u, then back along the v of the next corner
    let next = (i + 1) % elements.len();
    if t <= 0.5 {
        let element = (elements.start + i) as u32;
        return SurfaceLocation { element, parameters: [2.0 * t, 0.0] };
    }
    let element = (elements.start + next) as u32;
    SurfaceLocation { element, parameters: [0.0, 2.0 - 2.0 * t] }
}

/// Adds the limit curves of extraordinary edges with their valence: `singular points` and
/// `singular values` of those inside, `boundary points` and `boundary values` of the others.
pub fn push_singular_edges(scene: &mut Scene, solid: &Solid, mesh: &SolidMesh) -> Result<()> {
    let topology = solid.topology();
    let sharpness = Sharpness::resolve(&mesh.creases, topology)?;
    let mut wanted: HashMap<[u32; 2], u32> = (0..topology.edge_count() as u32)
        .filter(|&edge| is_extraordinary(topology, &sharpness, edge))
        .map(|edge| (topology.edge_vertices(edge), edge))
        .map(|([a, b], edge)| ([a.min(b), a.max(b)], edge))
        .collect();
    let segments = (MAX_SEGMENTS / wanted.len().max(1)).clamp(2, SEGMENTS) & !1;
    let (mut places, mut edges) = (Vec::new(), Vec::new());
    let mut corners: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (number, element) in solid.elements().iter().enumerate() {
        let number = number as u32;
        if let Some(corner) = element.corner {
            let vertex = topology.cells().listed_vertex(element.cell as usize, corner.into());
            corners.insert((element.cell, vertex), number);
            continue;
        }
        for (low, axis) in (0..8).flat_map(|low| (0..3).map(move |axis| (low, axis))) {
            if low >> axis & 1 == 1 {
                continue;
            }
            let [a, b] = [low, low | 1 << axis].map(|bits| element.corners[VTK_CORNER[bits]]);
            let Some(edge) = wanted.remove(&[a.min(b), a.max(b)]) else { continue };
            edges.push(edge);
            places.extend((0..=segments).map(|k| {
                let mut parameters = [0, 1, 2].map(|d| f64::from((low >> d & 1) as u8));
                parameters[axis] = k as f64 / segments as f64;
                Location { element: number, parameters }
            }));
        }
    }
    // edges of cells that are not hexahedra: half of it in the element at each end
    for (&(cell, vertex), &number) in &corners {
        let Some(fan) = topology.corner_fan(cell, vertex) else { continue };
        for (axis, &other) in fan.toward.iter().enumerate() {
            let key = [vertex.min(other), vertex.max(other)];
            let (Some(&edge), Some(&far)) = (wanted.get(&key), corners.get(&(cell, other))) else {
                continue;
            };
            let back = topology.corner_fan(cell, other);
            let back = back.and_then(|fan| fan.toward.iter().position(|&v| v == vertex));
            let Some(back) = back else { continue };
            wanted.remove(&key);
            edges.push(edge);
            places.extend((0..=segments).map(|k| {
                let t = 2.0 * k as f64 / segments as f64;
                let (element, axis, t) =
                    if t <= 1.0 { (number, axis, t) } else { (far, back, 2.0 - t) };
                let mut parameters = [0.0; 3];
                parameters[axis] = t;
                Location { element, parameters }
            }));
        }
    }
    if places.is_empty() {
        return Ok(());
    }
    let plan = solid.plan(&Samples::Points(places), Want::POSITION)?;
    let positions = SolidMesh { points: mesh.points.clone(), ..SolidMesh::default() };
    let limit = Cpu::default().evaluate(&plan, positions.controls())?;
    for (name, on_boundary) in [("singular", false), ("boundary", true)] {
        let (mut points, mut values) = (Vec::new(), Vec::new());
        for (curve, &edge) in edges.iter().enumerate() {
            if topology.is_boundary_edge(edge) == on_boundary {
                let first = curve * (segments + 1);
                points.extend((first..=first + segments).map(|i| limit.positions.triple(i)));
                values.push(topology.edge_faces(edge).len() as f32);
            }
        }
        if !values.is_empty() {
            push_curves(scene, name, &points, &values);
        }
    }
    Ok(())
}

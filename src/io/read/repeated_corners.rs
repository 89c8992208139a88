//! Faces that name a vertex twice, as programs write them: triangles without area, corners that
//! repeat the one before, and polygons with holes whose outlines an edge joins.

use super::ReadReport;
use super::assemble::counted_kind;
use crate::error::Result;
use crate::mesh::{Polygons, SurfaceMesh, area_normal, repeated_corner};
use crate::numbers::counted;

/// A triangle of a cut face turns the other way by this part of the face's area at most.
const MAX_TURNED: f64 = 1e-9;

/// Takes corners that repeat the one before them out of faces, leaves out faces that keep fewer
/// than three, and cuts those that still name a vertex twice into triangles. Holes and texture
/// coordinates follow; the report says what was done.
///
/// # Errors
/// If a face crosses itself or names a vertex that does not exist, by its number in the file.
pub(super) fn resolve(mesh: &mut SurfaceMesh, report: &mut ReadReport) -> Result<()> {
    let is_sound = |face: &[u32]| face.len() >= 3 && repeated_corner(face).is_none();
    if mesh.faces.iter().all(is_sound) {
        return Ok(());
    }
    let mut kept = Polygons::default();
    // [corner] where it was among the corners of all faces; [face] its first face now
    let (mut corners, mut firsts) = (Vec::new(), Vec::new());
    let (mut dropped, mut changed, mut cut) = (0, 0, 0);
    for (f, face) in mesh.faces.iter().enumerate() {
        firsts.push(kept.len() as u32);
        if face.iter().any(|&v| v as usize >= mesh.points.len()) {
            mesh.check_face(f)?;
        }
        let is_new = |&i: &usize| i == 0 || face[i] != face[i - 1];
        let mut ring: Vec<usize> = (0..face.len()).filter(is_new).collect();
        ring.pop_if(|last| *last > 0 && face[*last] == face[0]);
        let vertices: Vec<u32> = ring.iter().map(|&i| face[i]).collect();
        let pieces = if ring.len() < 3 {
            Vec::new()
        } else if repeated_corner(&vertices).is_none() {
            vec![ring.clone()]
        } else if let Some(all) = triangles(&mesh.points, &vertices) {
            all.iter().map(|t| t.map(|i| ring[i as usize]).to_vec()).collect()
        } else {
            return mesh.check_face(f);
        };
        let now: usize = pieces.iter().map(Vec::len).sum();
        dropped += usize::from(pieces.is_empty());
        changed += usize::from(!pieces.is_empty() && (now != face.len() || pieces.len() > 1));
        cut += usize::from(pieces.len() > 1);
        for piece in pieces {
            kept.push(&piece.iter().map(|&i| face[i]).collect::<Vec<u32>>());
            corners.extend(piece.iter().map(|i| mesh.faces.corners(f).start + i));
        }
    }
    firsts.push(kept.len() as u32);
    let faces_of = |&hole: &u32| match firsts.get(hole as usize..hole as usize + 2) {
        Some(&[first, end]) => first..end,
        // names no face, which the check says
        _ => u32::MAX - 1..u32::MAX,
    };
    mesh.holes = mesh.holes.iter().flat_map(faces_of).collect();
    if let Some(uv) = &mut mesh.uv {
        uv.corners = corners.iter().map(|&corner| uv.corners[corner]).collect();
    }
    mesh.faces = kept;
    if dropped > 0 {
        report.skipped.push(counted_kind("faces without area", dropped));
    }
    if changed > 0 {
        let cut = if cut > 0 { format!(" ({cut} cut into triangles)") } else { String::new() };
        report.skipped.push(format!("repeated corners of {}{cut}", counted(changed, "face")));
    }
    Ok(())
}

/// The triangles of a face, as places in it, that name no vertex twice; `None` if it crosses
/// itself or has no finite area.
fn triangles(points: &[[f64; 3]], face: &[u32]) -> Option<Vec<[u32; 3]>> {
    let places: Vec<[f64; 3]> = face.iter().map(|&v| points[v as usize]).collect();
    let ring: Vec<u32> = (0..face.len() as u32).collect();
    let normal = area_normal(&places, &ring);
    if !normal.norm_squared().is_normal() {
        return None;
    }
    let alone = SurfaceMesh::new(places, Polygons::uniform(face.len(), ring));
    let turned = -MAX_TURNED * normal.norm_squared();
    let triangles = alone.triangles().corners;
    let is_turned = |t: &[u32; 3]| area_normal(&alone.points, t).dot(&normal) < turned;
    if triangles.iter().any(is_turned) {
        return None;
    }
    let has_area = |t: &[u32; 3]| repeated_corner(&t.map(|i| face[i as usize])).is_none();
    Some(triangles.into_iter().filter(has_area).collect())
}

//! Consistent orientation of the faces of polyhedra.
//!
//! Files list the faces of a polyhedron in any direction. Refinement needs them
//! all outward or all inward, so that they can be reversed together.

use std::collections::HashMap;

use crate::error::IdKind::{Cell, Vertex};
use crate::error::{Error, Message, Result, edge};
use crate::numbers::{counted, sorted_unique};

/// Turns the faces (vertex cycles) of polyhedron `cell` so that they are consistently oriented:
/// every edge once in each direction.
///
/// # Errors
/// [`Error::Mesh`] unless the faces form one closed surface around a ball.
pub(super) fn orient_faces(cell: usize, faces: &mut [Vec<u32>]) -> Result<()> {
    let refuse = |what: Message| {
        Err(Error::mesh(message!(Cell.id(cell), " is not a polyhedron: ", what))
            .with_help("list every face of the cell once, as a cycle of its vertices"))
    };
    if faces.len() < 4 {
        return refuse(message!("it has ", counted(faces.len(), "face")));
    }
    if let Some(face) = faces.iter().find(|face| face.len() < 3) {
        return refuse(message!(
            "its face of ",
            Vertex.ids(face.iter().copied()),
            " is not a polygon"
        ));
    }
    // both faces at each edge (smaller vertex first), and whether it is reversed there
    let mut edges: HashMap<[u32; 2], Vec<(usize, bool)>> = HashMap::new();
    for (f, face) in faces.iter().enumerate() {
        for (i, &a) in face.iter().enumerate() {
            let b = face[(i + 1) % face.len()];
            edges.entry([a.min(b), a.max(b)]).or_default().push((f, a > b));
        }
    }
    let bad = edges.iter().filter(|(_, at)| at.len() != 2).min_by_key(|(edge, _)| **edge);
    if let Some((ends, at)) = bad {
        return refuse(message!(
            at.len().to_string(),
            " of its faces, not 2, have the ",
            edge(*ends)
        ));
    }

    let mut reversed: Vec<Option<bool>> = vec![None; faces.len()];
    reversed[0] = Some(false);
    let mut pending = vec![0];
    while let Some(f) = pending.pop() {
        let face = &faces[f];
        for (i, &a) in face.iter().enumerate() {
            let b = face[(i + 1) % face.len()];
            let [(first, forth), (second, back)] = edges[&[a.min(b), a.max(b)]][..] else {
                continue; // refused above
            };
            let other = if first == f { second } else { first };
            // the two faces must run through the edge in opposite directions
            let wanted = reversed[f].map(|reversed| reversed ^ (forth == back));
            match reversed[other] {
                None => {
                    reversed[other] = wanted;
                    pending.push(other);
                }
                known if known != wanted => {
                    return refuse("its faces cannot all face outward".into());
                }
                Some(_) => {}
            }
        }
    }
    if reversed.contains(&None) {
        return refuse("its faces form several surfaces".into());
    }
    let vertices: Vec<u32> = sorted_unique(faces.iter().flatten().copied().collect());
    let characteristic = (vertices.len() + faces.len()) as i64 - edges.len() as i64;
    if characteristic != 2 {
        return refuse(message!("its surface has Euler characteristic {characteristic}, not 2"));
    }
    for (face, _) in faces.iter_mut().zip(reversed).filter(|(_, reversed)| *reversed == Some(true))
    {
        face.reverse();
    }
    Ok(())
}

//! Faces and patches as bytes, for other ranks of the same program.

use super::bicubic::{Bicubic, Cubic};
use super::covered_face::Face;
use super::lowest_point::Heights;
use super::patch_fit::Fit;
use super::simple_patches::Slope;
use super::surface::{Patch, SideLink, Surface};
use crate::error::{Error, Result};
use crate::limit::rim::{Border, Rim, RimKey};
use crate::numbers::sorted_unique;
use crate::parts::exchange::{next, next_count, next_id, next_ids, next_number, next_numbers};

/// Appends a face.
pub fn face_bytes(face: &Face, bytes: &mut Vec<u8>) {
    bytes.extend(face.number.to_ne_bytes());
    for border in face.rim.borders {
        bytes.extend(border.line.to_ne_bytes());
        push_ids(&[border.from, border.to], bytes);
        border.ends.iter().for_each(|&key| push_key(key, bytes));
    }
    push_ids(&[face.fits.len() as u32], bytes);
    for fit in &face.fits {
        push_ids(&fit.rectangle, bytes);
        push_numbers(fit.points.0.as_flattened().as_flattened(), bytes);
        push_numbers(&[fit.error], bytes);
    }
}

/// Appends the faces of a message.
pub fn push_faces(mut bytes: &[u8], faces: &mut Vec<Face>) -> Result<()> {
    while !bytes.is_empty() {
        let number = next_count(&mut bytes)?;
        let mut border = || -> Result<Border> {
            let line = next_count(&mut bytes)?;
            let [from, to] = next_ids(&mut bytes)?;
            let ends = [next_key(&mut bytes)?, next_key(&mut bytes)?];
            Ok(Border { line, from, to, ends })
        };
        let borders = [border()?, border()?, border()?, border()?];
        let count = next_id(&mut bytes)?;
        let fit = |_| -> Result<Fit> {
            let (rectangle, points) = (next_ids(&mut bytes)?, next_points(&mut bytes)?);
            Ok(Fit { rectangle, points, error: next_number(&mut bytes)? })
        };
        let fits = (0..count).map(fit).collect::<Result<_>>()?;
        faces.push(Face { number, rim: Rim { borders }, fits });
    }
    Ok(())
}

/// Heights of patches.
pub fn height_bytes(patches: impl Iterator<Item = Heights>) -> Vec<u8> {
    let mut bytes = Vec::new();
    patches.for_each(|heights| push_numbers(heights.as_flattened(), &mut bytes));
    bytes
}

/// Appends the heights of a message.
pub fn push_heights(mut bytes: &[u8], all: &mut Vec<Heights>) -> Result<()> {
    while !bytes.is_empty() {
        all.push(next_rows(&mut bytes)?);
    }
    Ok(())
}

/// The patches that lie between two heights at least in part, with their edges.
pub fn patch_bytes(surface: &Surface, names: &[RimKey], [low, high]: [f64; 2]) -> Vec<u8> {
    let meets = |patch: &&Patch| {
        let [bottom, top] = surface.height_range(patch);
        bottom <= high && top >= low
    };
    let patches: Vec<&Patch> = surface.patches.iter().filter(meets).collect();
    let links = patches.iter().flat_map(|patch| &surface.links[patch.all_links()]);
    let edges: Vec<u32> = sorted_unique(links.map(|link| link.edge).collect());
    let mut bytes = (edges.len() as u64).to_ne_bytes().to_vec();
    for &edge in &edges {
        push_key(names[edge as usize], &mut bytes);
        push_numbers(surface.edges[edge as usize].as_flattened(), &mut bytes);
    }
    for patch in patches {
        push_numbers(patch.points.0.as_flattened().as_flattened(), &mut bytes);
        let Slope { along_u, along_v } = patch.slope;
        bytes.extend([along_u, along_v].map(i8::cast_unsigned));
        push_ids(&[0, 1, 2, 3].map(|side| patch.links(side).len() as u32), &mut bytes);
        for link in &surface.links[patch.all_links()] {
            let edge = edges.partition_point(|&edge| edge < link.edge) as u32;
            let ends = [link.start, link.length].map(f32::to_bits);
            push_ids(&[edge, link.backwards.into(), ends[0], ends[1]], &mut bytes);
        }
    }
    bytes
}

/// Patches of all ranks that lie between the heights of one.
#[derive(Default)]
pub struct Meeting {
    // with names; of several ranks some edges more than once
    edges: Vec<(RimKey, Cubic)>,
    links: Vec<SideLink>,
    patches: Vec<Patch>,
}

impl Meeting {
    /// Adds those of the next rank.
    pub fn add(&mut self, mut bytes: &[u8]) -> Result<()> {
        let first = self.edges.len() as u32;
        let count = next_count(&mut bytes)?;
        for _ in 0..count {
            self.edges.push((next_key(&mut bytes)?, next_rows(&mut bytes)?));
        }
        while !bytes.is_empty() {
            let points = next_points(&mut bytes)?;
            let [along_u, along_v] = next(&mut bytes)?.map(u8::cast_signed);
            let counts: [u32; 4] = next_ids(&mut bytes)?;
            let start = self.links.len() as u32;
            for _ in 0..counts.iter().map(|&count| u64::from(count)).sum() {
                let [edge, backwards, start, length] = next_ids(&mut bytes)?;
                if u64::from(edge) >= count {
                    return Err(Error::broken_message());
                }
                let [start, length] = [start, length].map(f32::from_bits);
                let backwards = backwards == 1;
                self.links.push(SideLink { edge: first + edge, backwards, start, length });
            }
            self.patches.push(Patch::new(points, Slope { along_u, along_v }, start, counts));
        }
        Ok(())
    }

    /// The surface of them all, whose edges have the order of the whole's.
    pub fn into_surface(self, grid: f64, error: f64) -> Surface {
        let Self { edges: all, mut links, patches } = self;
        let mut order: Vec<u32> = (0..all.len() as u32).collect();
        order.sort_unstable_by_key(|&edge| all[edge as usize].0);
        let mut numbers = vec![0_u32; all.len()];
        let mut edges = Vec::with_capacity(all.len());
        let mut last = None;
        for edge in order {
            let (name, curve) = all[edge as usize];
            if last != Some(name) {
                edges.push(curve);
                last = Some(name);
            }
            numbers[edge as usize] = edges.len() as u32 - 1;
        }
        links.iter_mut().for_each(|link| link.edge = numbers[link.edge as usize]);
        Surface { patches, links, edges, grid, error }
    }
}

fn push_ids(ids: &[u32], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(bytemuck::cast_slice(ids));
}

fn push_numbers(numbers: &[f64], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(bytemuck::cast_slice(numbers));
}

fn push_key((entity, place): RimKey, bytes: &mut Vec<u8>) {
    bytes.extend(entity.to_ne_bytes());
    bytes.extend(place.to_ne_bytes());
}

fn next_key(bytes: &mut &[u8]) -> Result<RimKey> {
    Ok((next_count(bytes)?, next_count(bytes)?))
}

fn next_rows<const N: usize>(bytes: &mut &[u8]) -> Result<[[f64; N]; 4]> {
    Ok([next_numbers(bytes)?, next_numbers(bytes)?, next_numbers(bytes)?, next_numbers(bytes)?])
}

fn next_points(bytes: &mut &[u8]) -> Result<Bicubic> {
    Ok(Bicubic([next_rows(bytes)?, next_rows(bytes)?, next_rows(bytes)?, next_rows(bytes)?]))
}

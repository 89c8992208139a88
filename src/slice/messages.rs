//! Faces and patches as bytes, for other ranks of the same program.

use super::bicubic::{Bicubic, Cubic};
use super::extreme::Heights;
use super::face::Face;
use super::fit::Fit;
use super::simple::Slope;
use super::surface::{Link, Patch, Surface};
use crate::limit::rim::{Border, Key, Rim};
use crate::parts::exchange::{next_count, next_id, next_number};

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

/// Faces of a message.
pub fn faces_of(mut bytes: &[u8]) -> Vec<Face> {
    let mut faces = Vec::new();
    while !bytes.is_empty() {
        let number = next_count(&mut bytes);
        let borders = [(); 4].map(|()| Border {
            line: next_count(&mut bytes),
            from: next_id(&mut bytes),
            to: next_id(&mut bytes),
            ends: [(); 2].map(|()| next_key(&mut bytes)),
        });
        let count = next_id(&mut bytes);
        let fits = (0..count).map(|_| Fit {
            rectangle: [(); 4].map(|()| next_id(&mut bytes)),
            points: next_points(&mut bytes),
            error: next_number(&mut bytes),
        });
        let fits = fits.collect();
        faces.push(Face { number, rim: Rim { borders }, fits });
    }
    faces
}

/// Heights of patches.
pub fn height_bytes(patches: impl Iterator<Item = Heights>) -> Vec<u8> {
    let mut bytes = Vec::new();
    patches.for_each(|heights| push_numbers(heights.as_flattened(), &mut bytes));
    bytes
}

/// Heights of a message.
pub fn heights_of(mut bytes: &[u8]) -> Vec<Heights> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        all.push([[(); 4]; 4].map(|row| row.map(|()| next_number(&mut bytes))));
    }
    all
}

/// The patches that lie between two heights at least in part, with their edges.
pub fn patch_bytes(surface: &Surface, names: &[Key], [low, high]: [f64; 2]) -> Vec<u8> {
    let meets = |patch: &&Patch| {
        let [bottom, top] = surface.height_range(patch);
        bottom <= high && top >= low
    };
    let patches: Vec<&Patch> = surface.patches.iter().filter(meets).collect();
    let links = patches.iter().flat_map(|patch| &surface.links[patch.all_links()]);
    let mut edges: Vec<u32> = links.map(|link| link.edge).collect();
    edges.sort_unstable();
    edges.dedup();
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
    edges: Vec<(Key, Cubic)>,
    links: Vec<Link>,
    patches: Vec<Patch>,
}

impl Meeting {
    /// Adds those of the next rank.
    pub fn add(&mut self, mut bytes: &[u8]) {
        let first = self.edges.len() as u32;
        for _ in 0..next_count(&mut bytes) {
            let name = next_key(&mut bytes);
            let curve = [[(); 3]; 4].map(|point| point.map(|()| next_number(&mut bytes)));
            self.edges.push((name, curve));
        }
        while let Some((&[along_u, along_v], rest)) =
            bytes.get(POINTS..).and_then(<[u8]>::split_first_chunk)
        {
            let points = next_points(&mut bytes);
            bytes = rest;
            let [along_u, along_v] = [along_u, along_v].map(u8::cast_signed);
            let counts = [(); 4].map(|()| next_id(&mut bytes));
            let start = self.links.len() as u32;
            for _ in 0..counts.iter().sum() {
                let [edge, backwards, start, length] = [(); 4].map(|()| next_id(&mut bytes));
                let [start, length] = [start, length].map(f32::from_bits);
                let backwards = backwards == 1;
                self.links.push(Link { edge: first + edge, backwards, start, length });
            }
            self.patches.push(Patch::new(points, Slope { along_u, along_v }, start, counts));
        }
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

/// Bytes of the points of a patch.
const POINTS: usize = 48 * 8;

fn push_ids(ids: &[u32], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(bytemuck::cast_slice(ids));
}

fn push_numbers(numbers: &[f64], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(bytemuck::cast_slice(numbers));
}

fn push_key((entity, place): Key, bytes: &mut Vec<u8>) {
    bytes.extend(entity.to_ne_bytes());
    bytes.extend(place.to_ne_bytes());
}

fn next_key(bytes: &mut &[u8]) -> Key {
    (next_count(bytes), next_count(bytes))
}

fn next_points(bytes: &mut &[u8]) -> Bicubic {
    Bicubic([[[(); 3]; 4]; 4].map(|row| row.map(|point| point.map(|()| next_number(bytes)))))
}

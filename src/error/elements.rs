//! The elements that a message names.
//!
//! Messages write an id behind the name of its kind, so that programs find it there: `cell 12`,
//! `cells 3, 4 and 5`, `vertex 7`. An edge, and a face of a solid, is named by its vertices:
//! `the edge of vertices 3 and 4`, `edge 3 4`, `face [0, 1, 2, 4]`.

use std::ops::Range;

/// What an id in a message is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementKind {
    /// A cell of the mesh.
    Cell,
    /// A face of a surface.
    Face,
    /// A vertex.
    Vertex,
    /// A hexahedron that is evaluated: a cell, or a part of one.
    Element,
    /// A sample of a request.
    Sample,
    /// A layer of a slicing job.
    Layer,
    /// A row of a table or an image.
    Row,
}

impl ElementKind {
    /// The name in messages: `"cell"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cell => "cell",
            Self::Face => "face",
            Self::Vertex => "vertex",
            Self::Element => "element",
            Self::Sample => "sample",
            Self::Layer => "layer",
            Self::Row => "row",
        }
    }
}

/// What a word says of the ids behind it.
#[derive(Clone, Copy)]
struct Noun {
    kind: ElementKind,
    // of the ids if there are several, and how many are read
    several: Option<(ElementKind, usize)>,
}

fn noun(word: &str) -> Option<Noun> {
    use ElementKind::{Cell, Element, Face, Layer, Row, Sample, Vertex};
    let one = |kind| Some(Noun { kind, several: None });
    let many = |kind| Some(Noun { kind, several: Some((kind, usize::MAX)) });
    match word {
        "cell" => one(Cell),
        "cells" => many(Cell),
        "vertex" => one(Vertex),
        "vertices" => many(Vertex),
        "edge" => Some(Noun { kind: Vertex, several: Some((Vertex, 2)) }),
        "face" => Some(Noun { kind: Face, several: Some((Vertex, usize::MAX)) }),
        "faces" => many(Face),
        "element" => one(Element),
        "elements" => many(Element),
        "sample" => one(Sample),
        "samples" => many(Sample),
        "layer" => one(Layer),
        "layers" => many(Layer),
        "row" => one(Row),
        "rows" => many(Row),
        _ => None,
    }
}

/// An id in a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Named {
    pub kind: ElementKind,
    pub id: u64,
    /// Its bytes in the message.
    pub at: Range<usize>,
}

/// The ids in a message, in their order.
pub(crate) fn named(message: &str) -> Vec<Named> {
    let mut found = Vec::new();
    let mut words = words(message).peekable();
    while let Some(at) = words.next() {
        let Some(noun) = noun(&message[at.clone()]) else { continue };
        let most = noun.several.map_or(1, |(_, most)| most);
        let first = found.len();
        let mut end = at.end;
        while found.len() - first < most
            && let Some(at) = words.peek().cloned()
        {
            let word = &message[at.clone()];
            let is_list = found.len() > first && noun.several.is_some();
            match word.parse() {
                // nothing but a list's commas, brackets, spaces and dashes stands between
                Ok(id) if is_separator(&message[end..at.start]) => {
                    end = at.end;
                    found.push(Named { kind: noun.kind, id, at });
                }
                Err(_) if word == "and" && is_list => end = at.end,
                _ => break,
            }
            words.next();
        }
        if let Some((kind, _)) = noun.several
            && found.len() > first + 1
        {
            found[first..].iter_mut().for_each(|named| named.kind = kind);
        }
    }
    found
}

/// Words and numbers of a message.
fn words(message: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_part = |c: char| c.is_ascii_alphanumeric();
        let start = at + message[at..].find(is_part)?;
        at = message[start..].find(|c| !is_part(c)).map_or(message.len(), |length| start + length);
        Some(start..at)
    })
}

fn is_separator(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' ' | ',' | '[' | ']' | '–'))
}

#[cfg(test)]
mod tests {
    use super::ElementKind::{Cell, Element, Face, Layer, Sample, Vertex};
    use super::*;

    #[test]
    fn ids_stand_behind_the_names_of_their_kinds() {
        let tests: [(&str, &[(ElementKind, u64)]); 16] = [
            ("cell 1 names vertex 2 twice", &[(Cell, 1), (Vertex, 2)]),
            (
                "cells 1, 2 and 3 share the face of vertices [0, 1, 2, 4]",
                &[1, 2, 3]
                    .map(|id| (Cell, id))
                    .iter()
                    .chain(&[0, 1, 2, 4].map(|id| (Vertex, id)))
                    .copied()
                    .collect::<Vec<_>>(),
            ),
            (
                "the edge of vertices 0 and 1 has 3 boundary faces, not 2: cells touch there",
                &[(Vertex, 0), (Vertex, 1)],
            ),
            ("cell 0 has 4 faces at its vertex 3, not 3", &[(Cell, 0), (Vertex, 3)]),
            (
                "the cells at vertex 4 fall into 2 parts (cells 3 and others)",
                &[(Vertex, 4), (Cell, 3)],
            ),
            ("3 of its faces, not 2, have the edge 1 2", &[(Vertex, 1), (Vertex, 2)]),
            ("edge 3 4 has 3 faces, not two", &[(Vertex, 3), (Vertex, 4)]),
            ("edge 3–4 joins a vertex to itself", &[(Vertex, 3), (Vertex, 4)]),
            ("edge 3 4 5", &[(Vertex, 3), (Vertex, 4)]),
            ("its face [0, 1] is no polygon", &[(Vertex, 0), (Vertex, 1)]),
            ("face 7 names vertex 9 twice", &[(Face, 7), (Vertex, 9)]),
            ("vertex 3 lies at [1.5, 2.0, 0.0]", &[(Vertex, 3)]),
            ("sample 5 names element 8, there are 3", &[(Sample, 5), (Element, 8)]),
            ("layers 3 to 5 of 0 to 9", &[(Layer, 3)]),
            ("the mesh has 8 vertices (12 cells)", &[]),
            ("cell -1, cell 12a and no cell", &[]),
        ];
        for (message, expected) in tests {
            let found = named(message);
            let ids: Vec<_> = found.iter().map(|named| (named.kind, named.id)).collect();
            assert_eq!(ids, expected, "{message}");
            assert!(found.iter().all(|n| message[n.at.clone()] == n.id.to_string()), "{message}");
        }
    }
}

//! Gmsh's element types (reference manual, "MSH file format": `elm-type`).

use crate::mesh::VolumeShape;

/// What an element type is to us.
#[derive(Clone, Copy)]
pub(super) enum GmshType {
    /// A volume cell; where it has more nodes than corners, the corners come first.
    Volume(VolumeShape),
    /// A face, and how many of its nodes are corners, which come first.
    Face(&'static str, usize),
    /// Points and lines: not part of the volume.
    Lower(&'static str),
}

/// An element type.
#[derive(Clone, Copy)]
pub(super) struct ElementType {
    pub kind: GmshType,
    pub nodes: usize,
}

/// The element type of a number; `None` if its nodes are not known.
pub(super) fn element(number: usize) -> Option<ElementType> {
    let of = |kind, nodes: &[usize], first: usize| {
        nodes.get(number - first).map(|&nodes| ElementType { kind, nodes })
    };
    let volume = |shape, nodes| of(GmshType::Volume(shape), nodes, number);
    let triangles = GmshType::Face("triangle", 3);
    let quads = GmshType::Face("quad", 4);
    let lines = GmshType::Lower("line");
    match number {
        1 => of(lines, &[2], 1),
        2 => of(triangles, &[3], 2),
        3 => of(quads, &[4], 3),
        4 => volume(VolumeShape::Tetrahedron, &[4]),
        5 => volume(VolumeShape::Hexahedron, &[8]),
        6 => volume(VolumeShape::Wedge, &[6]),
        7 => volume(VolumeShape::Pyramid, &[5]),
        8 => of(lines, &[3], 8),
        9 => of(triangles, &[6], 9),
        10 => of(quads, &[9], 10),
        11 => volume(VolumeShape::Tetrahedron, &[10]),
        12 => volume(VolumeShape::Hexahedron, &[27]),
        13 => volume(VolumeShape::Wedge, &[18]),
        14 => volume(VolumeShape::Pyramid, &[14]),
        15 => of(GmshType::Lower("point"), &[1], 15),
        16 => of(quads, &[8], 16),
        17 => volume(VolumeShape::Hexahedron, &[20]),
        18 => volume(VolumeShape::Wedge, &[15]),
        19 => volume(VolumeShape::Pyramid, &[13]),
        20..=25 => of(triangles, &[9, 10, 12, 15, 15, 21], 20),
        26..=28 => of(lines, &[4, 5, 6], 26),
        29..=33 => of(GmshType::Volume(VolumeShape::Tetrahedron), &[20, 35, 56, 22, 28], 29),
        36..=41 => of(quads, &[16, 25, 36, 12, 16, 20], 36),
        42..=46 => of(triangles, &[28, 36, 45, 55, 66], 42),
        47..=51 => of(quads, &[49, 64, 81, 100, 121], 47),
        52..=56 => of(triangles, &[18, 21, 24, 27, 30], 52),
        57..=61 => of(quads, &[24, 28, 32, 36, 40], 57),
        62..=66 => of(lines, &[7, 8, 9, 10, 11], 62),
        71..=75 => of(GmshType::Volume(VolumeShape::Tetrahedron), &[84, 120, 165, 220, 286], 71),
        90..=91 => of(GmshType::Volume(VolumeShape::Wedge), &[40, 75], 90),
        92..=98 => {
            of(GmshType::Volume(VolumeShape::Hexahedron), &[64, 125, 216, 343, 512, 729, 1000], 92)
        }
        99..=105 => {
            of(GmshType::Volume(VolumeShape::Hexahedron), &[32, 44, 56, 68, 80, 92, 104], 99)
        }
        118..=124 => {
            of(GmshType::Volume(VolumeShape::Pyramid), &[30, 55, 91, 140, 204, 285, 385], 118)
        }
        _ => None,
    }
}

//! Abaqus's element types.

use crate::io::read::assemble::VolumeShape;

/// What the elements of a type are to us.
#[derive(Clone, Copy)]
pub(super) enum ElementFamily {
    Solid(VolumeShape),
    /// Faces of so many corners: shells, membranes and plane elements.
    Face(usize),
}

impl ElementFamily {
    /// Number of corners, which come first among the nodes.
    pub fn corners(self) -> usize {
        match self {
            Self::Solid(shape) => shape.corners(),
            Self::Face(corners) => corners,
        }
    }
}

/// An element type.
pub(super) enum Type {
    /// Elements that are read, with the fewest and most nodes of one.
    Known(ElementFamily, [usize; 2]),
    /// Solids that cannot be control cells.
    Refused,
    /// Beams, springs and so on.
    Other,
}

/// The type of a name: `C3D8R` is C3D, 8 nodes, variant R.
pub(super) fn named(kind: &str) -> Type {
    let solid = ["C3D", "DC3D", "AC3D"].iter().find_map(|family| kind.strip_prefix(family));
    let Some(rest) = solid else {
        return face(kind).map_or(Type::Other, |(family, nodes)| Type::Known(family, [nodes; 2]));
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (shape, nodes) = match &rest[..digits] {
        "4" => (VolumeShape::Tetrahedron, [4; 2]),
        "5" => (VolumeShape::Pyramid, [5; 2]),
        "6" => (VolumeShape::Wedge, [6; 2]),
        "8" => (VolumeShape::Hexahedron, [8; 2]),
        "10" => (VolumeShape::Tetrahedron, [10; 2]),
        "13" => (VolumeShape::Pyramid, [13; 2]),
        // nodes in the middle of faces may be left out
        "15" if rest[digits..].contains('V') => (VolumeShape::Wedge, [15, 18]),
        "15" => (VolumeShape::Wedge, [15; 2]),
        "20" => (VolumeShape::Hexahedron, [20; 2]),
        "27" => (VolumeShape::Hexahedron, [21, 27]),
        _ => return Type::Refused,
    };
    Type::Known(ElementFamily::Solid(shape), nodes)
}

/// What shells, membranes, surface and plane elements of a type are, and their number of nodes:
/// `S4R` is S, 4 nodes, variant R.
fn face(kind: &str) -> Option<(ElementFamily, usize)> {
    if let Some(rest) = kind.strip_prefix("STRI") {
        return match rest {
            "3" => Some((ElementFamily::Face(3), 3)),
            "65" => Some((ElementFamily::Face(3), 6)),
            _ => None,
        };
    }
    // meshio writes CAX4P for all quads
    const FAMILIES: [&str; 8] = ["S", "DS", "M3D", "SFM3D", "R3D", "CPS", "CPE", "CAX"];
    let rest = FAMILIES.iter().find_map(|family| {
        kind.strip_prefix(family).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let nodes = rest[..digits].parse().ok()?;
    match nodes {
        3 | 6 => Some((ElementFamily::Face(3), nodes)),
        4 | 8 | 9 => Some((ElementFamily::Face(4), nodes)),
        _ => None,
    }
}

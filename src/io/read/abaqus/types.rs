//! Abaqus's element types.

use crate::mesh::VolumeShape;

/// What the elements of a type are to us.
#[derive(Clone, Copy)]
pub(super) enum ElementFamily {
    Solid(VolumeShape),
    /// Faces by their number of corners: shells, membranes and plane elements.
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

/// Elements of one type.
pub(super) struct Elements {
    pub(super) family: ElementFamily,
    /// Fewest and most nodes of an element.
    pub(super) nodes: [usize; 2],
    /// Name of the type in the deck, in capitals.
    pub(super) kind: String,
    /// Set that they are in, if any.
    pub(super) set: Option<usize>,
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

/// Families with 3D in their names that are no solids: trusses, connectors, fluid cavities, acoustic
/// infinite faces.
const NO_SOLIDS: [&str; 6] = ["T3D", "CONN3D", "F3D3", "F3D4", "ACIN3D", "ASI"];

/// The type of a name: `C3D8R` is C3D, 8 nodes, variant R. All solids, continuum shells, cohesive
/// and gasket elements of a number of nodes have the same shape.
pub(super) fn named(kind: &str) -> Type {
    if let Some((family, nodes)) = face(kind) {
        return Type::Known(family, [nodes; 2]);
    }
    let is_solid = !NO_SOLIDS.iter().any(|family| kind.starts_with(family));
    let shells = ["SC", "CSS"].iter().find_map(|family| kind.strip_prefix(family));
    let solid = kind.split_once("3D").map(|(_, rest)| rest).or(shells).filter(|_| is_solid);
    let Some(rest) = solid else { return Type::Other };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, variant) = rest.split_at(digits);
    let (shape, nodes) = match number {
        // gaskets of a line
        _ if variant.starts_with('L') => return Type::Other,
        "4" => (VolumeShape::Tetrahedron, [4; 2]),
        "5" => (VolumeShape::Pyramid, [5; 2]),
        "6" => (VolumeShape::Wedge, [6; 2]),
        "8" => (VolumeShape::Hexahedron, [8; 2]),
        "10" => (VolumeShape::Tetrahedron, [10; 2]),
        "13" => (VolumeShape::Pyramid, [13; 2]),
        // nodes in the middle of faces may be left out
        "15" if variant.contains('V') => (VolumeShape::Wedge, [15, 18]),
        "15" => (VolumeShape::Wedge, [15; 2]),
        "20" => (VolumeShape::Hexahedron, [20; 2]),
        "27" => (VolumeShape::Hexahedron, [21, 27]),
        _ if ["C3D", "DC3D", "AC3D"].iter().any(|family| kind.starts_with(family)) => {
            return Type::Refused;
        }
        _ => return Type::Other,
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

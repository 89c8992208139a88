//! Parts of the boundary of a solid: sides between infinitely sharp edges, named groups of faces,
//! and faces in places.

use std::collections::HashSet;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::PlaceCondition;
use crate::error::{Error, Result, option};
use crate::limit::Solid;
use crate::mesh::{Creases, FaceGroup, SolidMesh};
use crate::numbers::{bounds, counted, significant, sorted_unique};
use crate::topology::{NONE, Topology};

/// A part of the boundary, as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundaryPart {
    /// A side, by its number.
    Side(usize),
    /// A group of faces by its name, even if that is a number; or a part with a prefix.
    Group(String),
    /// Either, as [`Regions::find`] takes it.
    Text(String),
}

impl From<&str> for BoundaryPart {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// Prefix of a condition that names a part.
const WHERE: &str = "where:";

/// The parts of the boundary of a mesh that loads and supports are put on.
#[derive(Clone, Debug)]
pub struct Regions<'m> {
    solid: &'m Solid,
    mesh: &'m SolidMesh,
    // limit points of vertices of the boundary, looked for where a condition asks
    limits: OnceLock<Vec<[f64; 3]>>,
    // [face]: sides, and what they are parts of where two groups of cells meet
    sheets: Vec<u32>,
    sides: Vec<u32>,
    side_count: usize,
    groups: Vec<FaceGroupSides>,
}

#[derive(Clone, Debug)]
struct FaceGroupSides {
    name: String,
    // faces of the boundary, and those between cells; each ascending
    faces: Vec<u32>,
    inside: Vec<u32>,
}

impl<'m> Regions<'m> {
    /// The sides of `mesh`, see [`sides`], and its groups of faces.
    ///
    /// Of a periodic solid faces between cells and their images are no sides, and where a solid is
    /// cut between groups of cells ([`FaceGroup::is_interface`]) neither are both faces of the cut:
    /// their groups name them.
    ///
    /// # Errors
    /// As [`Topology::group_faces`].
    pub fn new(solid: &'m Solid, mesh: &'m SolidMesh) -> Result<Self> {
        let topology = solid.topology();
        // a periodic solid goes on in its images
        let is_periodic = !mesh.periods.is_empty();
        let is_side = |face: u32| {
            let is_open = !is_periodic || topology.face_cells(face)[1] == NONE;
            is_open && topology.bounds_solid(face)
        };
        let (sheets, sheet_count) = numbered_sides(topology, &mesh.creases, is_side);
        let mut is_cut = vec![false; sheets.len()];
        for group in mesh.face_groups.iter().filter(|group| group.is_interface()) {
            topology.group_faces(group)?.into_iter().for_each(|f| is_cut[f as usize] = true);
        }
        let (sides, side_count) = without_cut(&sheets, sheet_count, &is_cut);
        let group = |group: &FaceGroup| {
            let is_own =
                |face: &u32| is_side(*face) && (group.is_interface() || !is_cut[*face as usize]);
            let (faces, inside): (Vec<u32>, Vec<u32>) =
                topology.group_faces(group)?.into_iter().partition(is_own);
            Ok(FaceGroupSides { name: group.name.clone(), faces, inside })
        };
        let groups = mesh.face_groups.iter().map(group).collect::<Result<_>>()?;
        Ok(Self { solid, mesh, limits: OnceLock::new(), sheets, sides, side_count, groups })
    }

    /// The control mesh of the solid.
    pub fn mesh(&self) -> &'m SolidMesh {
        self.mesh
    }

    /// The solid that they are of.
    pub fn solid(&self) -> &'m Solid {
        self.solid
    }

    /// The side of every face, [`NONE`] for faces between cells or groups of cells.
    pub fn sides(&self) -> &[u32] {
        &self.sides
    }

    /// The sheet of every face: a side, and where it goes on between groups of cells.
    pub(crate) fn sheets(&self) -> &[u32] {
        &self.sheets
    }

    /// Faces of the boundary between groups of cells, ascending.
    pub(crate) fn cut_faces(&self) -> impl Iterator<Item = u32> {
        let both = self.sheets.iter().zip(&self.sides);
        let is_cut = |(&sheet, &side): (&u32, &u32)| sheet != NONE && side == NONE;
        (0..).zip(both).filter(move |(_, both)| is_cut(*both)).map(|(face, _)| face)
    }

    /// Number of sides.
    pub fn side_count(&self) -> usize {
        self.side_count
    }

    /// Names of all groups and how many of their faces lie between cells.
    pub fn faces_inside(&self) -> impl Iterator<Item = (&str, usize)> {
        self.groups.iter().map(|group| (&group.name[..], group.inside.len()))
    }

    /// Names of all groups and their faces: first faces of the boundary, then between cells.
    pub fn whole_groups(&self) -> impl Iterator<Item = (&str, Vec<u32>)> {
        let faces = |group: &FaceGroupSides| [&group.faces[..], &group.inside].concat();
        self.groups.iter().map(move |group| (&group.name[..], faces(group)))
    }

    /// Names of the groups with faces on the boundary, and these, ascending.
    pub fn groups(&self) -> impl Iterator<Item = (&str, &[u32])> {
        let on_boundary = self.groups.iter().filter(|group| !group.faces.is_empty());
        on_boundary.map(|group| (&group.name[..], &group.faces[..]))
    }

    /// The faces of a part, ascending.
    ///
    /// # Errors
    /// As [`Regions::find`].
    pub fn faces_of(&self, part: &BoundaryPart) -> Result<Vec<u32>> {
        match part {
            BoundaryPart::Side(number) => self.find_side(*number),
            BoundaryPart::Group(name) => self.find_named(name),
            BoundaryPart::Text(text) => self.find(text),
        }
    }

    /// Whether each face is of one of these parts, or of any side if there are none.
    ///
    /// # Errors
    /// As [`Regions::faces_of`].
    pub fn kept(&self, parts: &[BoundaryPart]) -> Result<Vec<bool>> {
        let is_all = parts.is_empty();
        let mut kept: Vec<bool> = self.sides.iter().map(|&s| is_all && s != NONE).collect();
        for part in parts {
            self.faces_of(part)?.into_iter().for_each(|face| kept[face as usize] = true);
        }
        Ok(kept)
    }

    /// The faces of a side, by its number (`3` or `side:3`), of a group, by its name (`bore` or
    /// `group:bore`), or those all of whose vertices have their limit points where a
    /// [`PlaceCondition`] holds (`where:x<1e-6`); ascending.
    ///
    /// # Errors
    /// [`Error::Request`] if there is no such part, `part` may be a side or a group, or the group
    /// has faces between cells; for a condition that no face fulfills.
    pub fn find(&self, part: &str) -> Result<Vec<u32>> {
        let side_number = |name: &str| {
            let is_number = name.bytes().all(|digit| digit.is_ascii_digit());
            is_number.then(|| name.parse::<usize>().ok()).flatten()
        };
        let exact = self.group(part);
        if exact.is_some() && side_number(part).is_some_and(|side| side < self.side_count) {
            return Err(Error::request(format!("{part} is a side and a group"))
                .with_help(format!("write side:{part} or group:{part}")));
        }
        // a name as it is goes before a prefix
        if let Some(group) = exact.or_else(|| self.group(part.strip_prefix("group:")?)) {
            return group.on_boundary();
        }
        if let Some(condition) = part.strip_prefix(WHERE) {
            return self.find_where(condition);
        }
        match side_number(part.strip_prefix("side:").unwrap_or(part)) {
            Some(side) => self.find_side(side),
            None => Err(self.no_part("group", part.strip_prefix("group:").unwrap_or(part))),
        }
    }

    /// The faces of a side, ascending.
    ///
    /// # Errors
    /// [`Error::Request`] if there is no such side.
    pub fn find_side(&self, side: usize) -> Result<Vec<u32>> {
        if side >= self.side_count {
            return Err(self.no_part("side", &side.to_string()));
        }
        let faces = (0..).zip(&self.sides).filter(|&(_, &own)| own as usize == side);
        Ok(faces.map(|(face, _)| face).collect())
    }

    /// The faces of a group, even if its name is a number; else of a part with a prefix, as
    /// [`Regions::find`] takes it; ascending.
    ///
    /// # Errors
    /// [`Error::Request`] if there is no such part, or the group has faces between cells.
    pub fn find_named(&self, name: &str) -> Result<Vec<u32>> {
        match self.group(name) {
            Some(group) => group.on_boundary(),
            None if ["side:", "group:", WHERE].iter().any(|prefix| name.starts_with(prefix)) => {
                self.find(name)
            }
            None => Err(self.no_part("group", name)),
        }
    }

    fn find_where(&self, text: &str) -> Result<Vec<u32>> {
        let condition: PlaceCondition = text.parse()?;
        let topology = self.solid.topology();
        let limits = self.limits.get_or_init(|| self.limit_points());
        let holds: Vec<bool> = limits.iter().map(|point| condition.holds(point)).collect();
        let faces = (0..topology.face_count() as u32).filter(|&face| {
            let mut vertices = topology.face_vertices(face).iter();
            self.sides[face as usize] != NONE && vertices.all(|&v| holds[v as usize])
        });
        let faces: Vec<u32> = faces.collect();
        if faces.is_empty() {
            let on_boundary = limits.iter().filter(|point| !point[0].is_nan());
            let [low, high] = bounds::around(on_boundary.copied());
            let place = |p: [f64; 3]| p.map(significant).join(", ");
            return Err(Error::request(format!(
                "no face of the boundary has {text} at all its vertices"
            ))
            .with_help(format!(
                "their limit points are between ({}) and ({}); leave room for rounding, as in \
                     x<1e-6",
                place(low),
                place(high)
            )));
        }
        Ok(faces)
    }

    /// Limit points of the vertices of the boundary; NaN inside.
    pub(crate) fn limit_points(&self) -> Vec<[f64; 3]> {
        let topology = self.solid.topology();
        let mut bounds = vec![false; self.mesh.points.len()];
        let faces = (0..topology.face_count() as u32).filter(|&f| topology.bounds_solid(f));
        let vertices = faces.flat_map(|face| topology.face_vertices(face));
        vertices.for_each(|&v| bounds[v as usize] = true);
        let masks = self.solid.limit_masks(|v| bounds[v]);
        let points = masks.apply(self.mesh.points.as_flattened(), 3);
        let limits = points.as_chunks().0.iter().zip(bounds);
        limits.map(|(&limit, bounds)| if bounds { limit } else { [f64::NAN; 3] }).collect()
    }

    fn group(&self, name: &str) -> Option<&FaceGroupSides> {
        self.groups.iter().find(|group| group.name == name)
    }

    fn no_part(&self, what: &str, part: &str) -> Error {
        let usable = self.groups.iter().filter(|group| group.inside.is_empty());
        let names: Vec<&str> = usable.map(|group| &group.name[..]).collect();
        let groups = match &names[..] {
            [] => "no groups of faces".to_owned(),
            _ => format!("the groups {}", names.join(", ")),
        };
        let sides = counted(self.side_count, "side");
        Error::request(format!("the boundary has no {what} {part}")).with_help(message!(
            "it has {sides}, numbered from 0 and bounded by infinitely sharp edges (created by ",
            option("crease_angle", 40),
            ", for example), and {groups}; where:x<1e-6 names faces by their place"
        ))
    }
}

impl FaceGroupSides {
    fn on_boundary(&self) -> Result<Vec<u32>> {
        match self.inside.len() {
            0 => Ok(self.faces.clone()),
            inside => Err(Error::request(format!(
                "group \"{}\" has {} between cells, not of the boundary",
                self.name,
                counted(inside, "face")
            ))
            .with_help("name a group of faces of the boundary alone")),
        }
    }
}

/// Vertices of some faces, ascending, each once.
pub fn face_vertices(topology: &Topology, faces: &[u32]) -> Vec<u32> {
    let mut vertices: Vec<u32> =
        faces.iter().flat_map(|&face| topology.face_vertices(face)).copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

/// Sheets without the faces of a cut, which may leave nothing of some, and how many are left.
fn without_cut(sheets: &[u32], count: usize, is_cut: &[bool]) -> (Vec<u32>, usize) {
    let mut numbers = vec![NONE; count];
    let is_left = |&(&sheet, &cut): &(&u32, &bool)| sheet != NONE && !cut;
    sheets.iter().zip(is_cut).filter(is_left).for_each(|(&sheet, _)| numbers[sheet as usize] = 0);
    let mut left = 0;
    for number in numbers.iter_mut().filter(|number| **number != NONE) {
        *number = left;
        left += 1;
    }
    let side = |own: (&u32, &bool)| if is_left(&own) { numbers[*own.0 as usize] } else { NONE };
    (sheets.iter().zip(is_cut).map(side).collect(), left as usize)
}

/// The side of every face of a mesh, [`NONE`] for faces between cells, and the number of sides.
///
/// Two faces of the boundary are on one side if they share an edge that is not infinitely sharp, or
/// are joined so by others. So the limit on a side, and the basis functions there, depend on the
/// vertices of the side only; across semi-sharp edges they depend on others too. Sides are numbered
/// by their vertices, ascending: the least first, of two that begin alike the one that goes on. So
/// they have the same numbers after refinement, which appends vertices.
pub fn sides(topology: &Topology, creases: &Creases) -> (Vec<u32>, usize) {
    numbered_sides(topology, creases, |face| topology.bounds_solid(face))
}

/// [`sides`] of some faces of the boundary.
fn numbered_sides(
    topology: &Topology,
    creases: &Creases,
    is_side: impl Fn(u32) -> bool,
) -> (Vec<u32>, usize) {
    let infinite = creases.edges.iter().filter(|c| c.sharpness == f64::INFINITY);
    let ends: HashSet<[u32; 2]> = infinite.map(|c| c.edge().map(|v| v.0)).collect();
    let faces = topology.face_count() as u32;
    let mut side = vec![NONE; faces as usize];
    let (mut count, mut stack) = (0, Vec::new());
    for first in (0..faces).filter(|&f| is_side(f)) {
        if side[first as usize] != NONE {
            continue;
        }
        side[first as usize] = count;
        stack.push(first);
        while let Some(face) = stack.pop() {
            for &edge in topology.face_edges(face) {
                let is_crease = ends.contains(&topology.edge_vertices(edge));
                if is_crease || turns_at_ghosts(topology, edge) {
                    continue;
                }
                for &other in topology.edge_faces(edge) {
                    if is_side(other) && side[other as usize] == NONE {
                        side[other as usize] = count;
                        stack.push(other);
                    }
                }
            }
        }
        count += 1;
    }
    let vertices = side_vertices(topology, &side, count as usize);
    let mut order: Vec<u32> = (0..count).collect();
    // what ends is followed by the vertices of edges and faces, which are higher
    let key = |&side: &u32| vertices[side as usize].iter().copied().chain([u32::MAX]);
    order.sort_by(|a, b| key(a).cmp(key(b)));
    let mut numbers = vec![NONE; count as usize];
    (0..).zip(&order).for_each(|(number, &side)| numbers[side as usize] = number);
    side.iter_mut().filter(|side| **side != NONE).for_each(|side| *side = numbers[*side as usize]);
    (side, count as usize)
}

/// Whether the boundary of the solid has an edge there because of ghosts: as many cells of the solid
/// as ghosts are around an edge where it is smooth.
pub(crate) fn turns_at_ghosts(topology: &Topology, edge: u32) -> bool {
    if !topology.has_ghosts() {
        return false;
    }
    let faces = topology.edge_faces(edge).iter();
    let cells = sorted_unique(faces.flat_map(|&f| topology.face_cells(f)).collect());
    let cells = cells.into_iter().filter(|&cell| cell != NONE);
    let (ghosts, solid): (Vec<u32>, Vec<u32>) = cells.partition(|&cell| topology.is_ghost(cell));
    !ghosts.is_empty() && (topology.is_boundary_edge(edge) || ghosts.len() != solid.len())
}

/// The vertices of each side of [`sides`], ascending.
pub fn side_vertices(topology: &Topology, side: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut faces = vec![Vec::new(); count];
    for (face, &side) in (0..).zip(side).filter(|&(_, &side)| side != NONE) {
        faces[side as usize].push(face);
    }
    faces.iter().map(|own| face_vertices(topology, own)).collect()
}

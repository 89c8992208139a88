//! A solid that is cut at the faces between groups of cells, so that each group has a boundary, and
//! ghosts, of its own.
//!
//! Cells of the same groups that share a face at a vertex share the vertex; all others have copies of
//! it. Both sides of a face between groups are in groups of faces, `interface:A/B` for the side of the
//! cells in A and `interface:B/A` for that of B, by which files, refinements and parts keep them
//! ([`FaceGroup::is_interface`]).

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::mesh::{CellArray, Creases, FaceGroup, Polygons, SolidMesh, UnionFind};
use crate::numbers::sorted_unique;
use crate::topology::{NONE, Topology};

/// A solid that is cut between groups of cells.
#[derive(Clone, Debug)]
pub struct SplitSolid {
    /// The mesh; vertices keep their numbers, copies follow.
    pub mesh: SolidMesh,
    /// `[vertex]`: the vertex that it is a copy of, or itself.
    pub first: Vec<u32>,
    /// Number of faces between groups, each of which is two faces now.
    pub faces: usize,
}

/// Cuts a solid at the faces between groups of cells: these groups, or all if none is named. Creases of
/// edges inside the solid that are cut are left out, corners too; attributes of copies are those of
/// their vertex.
///
/// # Errors
/// [`Error::Request`] for a mesh with ghosts, groups that it does not have, and where no face lies
/// between two of them; [`Error::Mesh`] for a defect of the mesh.
pub fn split_groups(mesh: &SolidMesh, groups: &[String]) -> Result<SplitSolid> {
    let topology = Topology::of_mesh(mesh)?;
    super::check_no_ghosts(&topology)?;
    topology.validate(&mesh.points)?;
    let regions = CellRegions::new(mesh, groups)?;
    let copies = CornerCopies::new(&topology, &regions.of_cells);
    let mut own = SolidMesh {
        points: copies.first.iter().map(|&v| mesh.points[v as usize]).collect(),
        cells: Default::default(),
        creases: copies.creases(mesh, &topology),
        attributes: mesh.attributes.iter().map(|own| own.of_vertices(&copies.first)).collect(),
        face_groups: Vec::new(),
        periods: Vec::new(),
        ..mesh.clone()
    };
    for cell in 0..mesh.cells.len() {
        own.cells.push_from(&mesh.cells, cell, |v| copies.of(cell as u32, v));
    }
    let mut push = |name: &str, faces: &[(u32, u32)]| {
        let mut cycles = Polygons::default();
        for &(face, cell) in faces {
            let cycle = topology.face_vertices(face).iter().map(|&v| copies.of(cell, v));
            cycles.push(&cycle.collect::<Vec<u32>>());
        }
        own.face_groups.push(FaceGroup::new(name, cycles));
    };
    for group in &mesh.face_groups {
        let sides = topology.group_faces(group)?.into_iter().flat_map(|face| {
            let [a, b] = topology.face_cells(face);
            let is_cut = b != NONE && regions.of_cells[a as usize] != regions.of_cells[b as usize];
            [(face, a), (face, b)].into_iter().take(1 + usize::from(is_cut))
        });
        push(&group.name, &sides.collect::<Vec<_>>());
    }
    let mut sides: BTreeMap<[u32; 2], Vec<(u32, u32)>> = BTreeMap::new();
    let mut faces = 0;
    for face in 0..topology.face_count() as u32 {
        let cells = topology.face_cells(face);
        if cells[1] == NONE {
            continue;
        }
        let between = cells.map(|cell| regions.of_cells[cell as usize]);
        if between[0] != between[1] {
            faces += 1;
            sides.entry(between).or_default().push((face, cells[0]));
            sides.entry([between[1], between[0]]).or_default().push((face, cells[1]));
        }
    }
    if faces == 0 {
        return Err(Error::request("no face lies between two groups of cells")
            .with_help("name groups that meet, or extend the solid as a whole"));
    }
    for (between, faces) in sides {
        let [one, other] = between.map(|region| &regions.names[region as usize]);
        push(&FaceGroup::interface_name(one, other), &faces);
    }
    Ok(SplitSolid { mesh: own, first: copies.first, faces })
}

/// Cells by the groups that they are in.
struct CellRegions {
    // [cell]
    of_cells: Vec<u32>,
    // [region]
    names: Vec<String>,
}

impl CellRegions {
    fn new(mesh: &SolidMesh, groups: &[String]) -> Result<Self> {
        let known = || mesh.cell_data.iter().filter(|array| array.group_name().is_some());
        let is_asked = |array: &&CellArray| {
            let mut names = groups.iter();
            groups.is_empty() || names.any(|name| array.group_name() == Some(&name[..]))
        };
        for name in groups {
            mesh.cell_group(name)?;
        }
        let mut of_cells: Vec<Vec<&str>> = vec![Vec::new(); mesh.cells.len()];
        for array in known().filter(is_asked) {
            let name = array.group_name().unwrap_or_default();
            array.members().for_each(|cell| of_cells[cell as usize].push(name));
        }
        let (mut numbers, mut names) = (HashMap::new(), Vec::new());
        let number = |own: Vec<&str>| {
            let name = if own.is_empty() { "rest".into() } else { own.join("+") };
            *numbers.entry(own.join("\0")).or_insert_with(|| {
                names.push(name);
                names.len() as u32 - 1
            })
        };
        let of_cells = of_cells.into_iter().map(number).collect();
        Ok(Self { of_cells, names })
    }
}

/// The copies of vertices.
struct CornerCopies {
    // [copy]: the vertex
    first: Vec<u32>,
    // (cell, vertex) of all that have another number
    numbers: HashMap<(u32, u32), u32>,
}

impl CornerCopies {
    /// Joins corners of cells of one region at shared faces.
    fn new(topology: &Topology, regions: &[u32]) -> Self {
        let mut own =
            Self { first: (0..topology.vertex_count() as u32).collect(), numbers: HashMap::new() };
        for vertex in 0..topology.vertex_count() as u32 {
            stop_point();
            let cells = topology.vertex_cells(vertex);
            let region = |&cell: &u32| regions[cell as usize];
            if cells.iter().all(|cell| region(cell) == region(&cells[0])) {
                continue;
            }
            let place = |cell: u32| cells.iter().position(|&own| own == cell);
            let mut union = UnionFind::new(cells.len());
            for &face in topology.vertex_faces(vertex) {
                let [a, b] = topology.face_cells(face);
                if b != NONE
                    && region(&a) == region(&b)
                    && let (Some(a), Some(b)) = (place(a), place(b))
                {
                    union.join(a as u32, b as u32);
                }
            }
            let roots = union.roots();
            for root in sorted_unique(roots.clone()).into_iter().skip(1) {
                let members = cells.iter().zip(&roots).filter(|(_, own)| **own == root);
                let number = own.first.len() as u32;
                own.numbers.extend(members.map(|(&cell, _)| ((cell, vertex), number)));
                own.first.push(vertex);
            }
        }
        own
    }

    /// The number of a vertex in a cell.
    fn of(&self, cell: u32, vertex: u32) -> u32 {
        self.numbers.get(&(cell, vertex)).copied().unwrap_or(vertex)
    }

    /// Creases of all copies of their edges but those that the cut lays bare.
    fn creases(&self, mesh: &SolidMesh, topology: &Topology) -> Creases {
        let mut creases = Creases::default();
        for crease in &mesh.creases.edges {
            let [a, b] = crease.edge().map(|v| v.0);
            let known = (a.max(b) as usize) < topology.vertex_count();
            let edge = known.then(|| topology.edge_between(a, b)).flatten();
            let faces = edge.map_or(&[][..], |edge| topology.edge_faces(edge));
            let cells = sorted_unique(faces.iter().flat_map(|&f| topology.face_cells(f)).collect());
            let cells = cells.into_iter().filter(|&cell| cell != NONE);
            let copies: HashSet<[u32; 2]> =
                cells.map(|cell| [self.of(cell, a), self.of(cell, b)]).collect();
            let is_inside = edge.is_some_and(|edge| !topology.is_boundary_edge(edge));
            if copies.len() > 1 && is_inside {
                continue;
            }
            let mut copies: Vec<[u32; 2]> = copies.into_iter().collect();
            copies.sort_unstable();
            copies.into_iter().for_each(|[a, b]| creases.push_edge(a, b, crease.sharpness));
        }
        creases
    }
}

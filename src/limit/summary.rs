//! What a solid consists of, in numbers: for reports, and for machines to read.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde::Serialize;

use super::{Class, Form, Leaf, LeafKind, PowersReport, Reason, Solid, Structure, classify};
use crate::error::Result;
use crate::mesh::{CellArray, CellKind, SolidMesh};
use crate::topology::{Sharpness, Topology, stars};

/// Counts of a mesh, and how the solid made of it evaluates.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Number of control points, including points of no cell.
    pub vertices: usize,
    /// Number of cells of all kinds, ghosts included.
    pub cells: usize,
    /// Number of ghost cells, which shape the limit beside them and are no part of the solid.
    pub ghosts: usize,
    /// Number of cells by kind: `hexahedra`, `tetrahedra`, `wedges`, `polyhedra`.
    pub cells_by_kind: BTreeMap<&'static str, usize>,
    /// Vertex attributes, with their widths.
    pub attributes: BTreeMap<String, usize>,
    /// Cell arrays that are not groups.
    pub cell_data: BTreeMap<String, CellArraySummary>,
    /// Number of cells in each group of cells.
    pub cell_groups: BTreeMap<String, usize>,
    /// Number of faces in each group of faces.
    pub face_groups: BTreeMap<String, usize>,
    /// Number of edges.
    pub edges: usize,
    /// Number of faces.
    pub faces: usize,
    /// Number of boundary faces: faces of one cell of the solid only.
    pub boundary_faces: usize,
    /// Number of edges on the boundary.
    pub boundary_edges: usize,
    /// Number of vertices on the boundary.
    pub boundary_vertices: usize,
    /// Number of vertices that belong to no cell.
    pub orphan_vertices: usize,
    /// Number of connected components: sets of cells that share no vertex with other cells.
    pub parts: usize,
    /// Number of vertices that lie exactly where another vertex lies.
    pub coincident_vertices: usize,
    /// Smallest and largest coordinates of the control points.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Number of edges inside the solid, by valence.
    pub interior_valences: BTreeMap<usize, usize>,
    /// Number of smooth edges on the boundary, by valence.
    pub boundary_valences: BTreeMap<usize, usize>,
    /// Number of edges with a sharpness above 0, by valence.
    pub sharp_valences: BTreeMap<usize, usize>,
    /// Number of vertices with a sharpness of their own (corners).
    pub sharp_corners: usize,
    /// Number of cells by class, as the stars of their vertices tell. How cells evaluate may show
    /// that a net of a layered or irregular cell must be refined first.
    pub classes: ClassCounts,
    /// Number of cells that are refined first, by reason.
    pub refined: BTreeMap<Reason, usize>,
    /// How cells evaluate, where that was asked for.
    #[serde(flatten)]
    pub evaluation: Option<EvaluationSummary>,
}

/// How the cells of a solid evaluate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct EvaluationSummary {
    /// Cells by the kernel of Besler et al. (2022) that evaluates them: `REG64`,
    /// `REG48`, `LAY16x16`, `LAY32x16`, `IRR32x32`, `IRR64x32`, always present, and
    /// `REG36`, `REG27`, `REG32`… where two or more layers are missing. Refined
    /// cells are not among them.
    pub kernels: BTreeMap<String, usize>,
    /// Number of leaves: cells that are evaluated directly, and parts of cells that are refined
    /// first.
    pub leaves: usize,
    /// Deepest local refinement of a cell.
    pub depth: usize,
    /// Structures of layered and irregular leaves, with the numerical properties of each.
    pub structures: Vec<StructureSummary>,
}

/// Number of cells by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ClassCounts {
    /// Number of regular cells: tricubic splines.
    pub regular: usize,
    /// Number of layered cells: a planar net with one extraordinary vertex, times a spline.
    pub layered: usize,
    /// Number of irregular cells: evaluated at one extraordinary vertex.
    pub irregular: usize,
    /// Number of cells of no other class, which are refined locally first.
    pub refined: usize,
}

/// Properties of one structure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct StructureSummary {
    /// `planar` (layered leaves) or `spatial` (irregular leaves).
    pub kind: &'static str,
    /// Number of control points of its net.
    pub controls: usize,
    /// Number of cells that have a leaf of this structure.
    pub cells: usize,
    /// Form in which its powers are stored.
    pub form: Form,
    /// Condition number of the eigenvectors; not finite where they are dependent, null for a net of
    /// more than 256 control points, which is not decomposed.
    pub condition: Option<f64>,
    /// Largest error of powers reconstructed from the eigenvectors; not finite where they are
    /// dependent, null for a net that is not decomposed.
    pub reconstruction_error: Option<f64>,
    /// Number of refinement steps before the net repeats itself.
    pub first_steps: usize,
}

/// Width and values of a cell array.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct CellArraySummary {
    /// Number of values per cell.
    pub width: usize,
    /// Number of cells for each value, for integer arrays with few different values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<BTreeMap<i64, usize>>,
}

impl CellArraySummary {
    /// Maximum number of values that are counted.
    const MAX_VALUES: usize = 64;

    fn of(array: &CellArray) -> (String, Self) {
        let mut cells = BTreeMap::new();
        for &value in array.values.iter().filter(|_| array.integers && array.width == 1) {
            if cells.len() <= Self::MAX_VALUES {
                *cells.entry(value as i64).or_default() += 1;
            }
        }
        let few = (1..=Self::MAX_VALUES).contains(&cells.len());
        (array.name.clone(), Self { width: array.width, cells: few.then_some(cells) })
    }
}

impl Summary {
    /// Counts what a mesh of this topology consists of; nothing is prepared for its evaluation.
    ///
    /// # Errors
    /// As [`Topology::validate`] and [`Sharpness::resolve`]; finite sharpness above 10.
    pub fn new(mesh: &SolidMesh, topology: &Topology) -> Result<Self> {
        topology.validate(&mesh.points)?;
        let sharpness = Sharpness::resolve(&mesh.creases, topology)?;
        mesh.creases.check_evaluable(0)?;
        let (mut interior, mut boundary) = (BTreeMap::new(), BTreeMap::new());
        let mut sharp = BTreeMap::new();
        for e in 0..topology.edge_count() as u32 {
            let histogram = if !topology.is_boundary_edge(e) {
                &mut interior
            } else if sharpness.edge(e) > 0.0 {
                &mut sharp
            } else {
                &mut boundary
            };
            *histogram.entry(topology.edge_faces(e).len()).or_default() += 1;
        }
        let (classes, refined) = count_classes(&classes(topology, &sharpness));
        let vertices = 0..topology.vertex_count() as u32;
        Ok(Self {
            vertices: topology.vertex_count(),
            attributes: mesh.attributes.iter().map(|a| (a.name.clone(), a.width)).collect(),
            cell_data: mesh
                .cell_data
                .iter()
                .filter(|array| array.group_name().is_none() && !array.is_ghosts())
                .map(CellArraySummary::of)
                .collect(),
            cell_groups: mesh
                .cell_data
                .iter()
                .filter_map(|array| Some((array.group_name()?.to_owned(), array.members().count())))
                .collect(),
            face_groups: mesh.face_groups.iter().map(|g| (g.name.clone(), g.faces.len())).collect(),
            cells: topology.cell_count(),
            ghosts: (0..topology.cell_count() as u32).filter(|&c| topology.is_ghost(c)).count(),
            cells_by_kind: cells_by_kind(mesh),
            edges: topology.edge_count(),
            faces: topology.face_count(),
            boundary_faces: (0..topology.face_count() as u32)
                .filter(|&f| topology.bounds_solid(f))
                .count(),
            boundary_edges: (0..topology.edge_count() as u32)
                .filter(|&e| topology.edge_faces(e).iter().any(|&f| topology.bounds_solid(f)))
                .count(),
            boundary_vertices: vertices
                .clone()
                .filter(|&v| topology.is_on_solid_boundary(v))
                .count(),
            orphan_vertices: topology.orphan_vertices().count(),
            parts: mesh.part_count(),
            coincident_vertices: mesh.coincident_vertices().count,
            bounds: mesh.bounds().map(|(low, high)| [low, high]),
            interior_valences: interior,
            boundary_valences: boundary,
            sharp_valences: sharp,
            sharp_corners: vertices.filter(|&v| sharpness.vertex(v) > 0.0).count(),
            classes,
            refined,
            evaluation: None,
        })
    }

    /// With how the solid of the mesh evaluates. The matrices of all structures are decomposed for
    /// that: a millisecond each.
    pub fn with_evaluation(self, solid: &Solid) -> Self {
        let (classes, refined) = count_classes(solid.classes());
        let evaluation = EvaluationSummary {
            kernels: kernels(solid),
            leaves: solid.leaves().len(),
            depth: solid.leaves().iter().map(|leaf| leaf.depth.into()).max().unwrap_or(0),
            structures: structures(solid),
        };
        Self { classes, refined, evaluation: Some(evaluation), ..self }
    }
}

/// Classes of the cells by the stars of their vertices.
fn classes(topology: &Topology, sharpness: &Sharpness) -> Vec<Class> {
    let stars = stars(topology, sharpness);
    let class = |cell: usize| match topology.cells().hexahedron(cell) {
        _ if topology.is_ghost(cell as u32) => Class::Refined(Reason::Ghost),
        Some(corners) => classify(topology, sharpness, &stars, corners),
        None => Class::Refined(Reason::NotHexahedral),
    };
    (0..topology.cell_count()).into_par_iter().map(class).collect()
}

fn cells_by_kind(mesh: &SolidMesh) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for c in 0..mesh.cells.len() {
        let name = match mesh.cells.kind(c) {
            CellKind::Hexahedron => "hexahedra",
            CellKind::Tetrahedron => "tetrahedra",
            CellKind::Wedge => "wedges",
            CellKind::Polyhedron => "polyhedra",
        };
        *counts.entry(name).or_default() += 1;
    }
    counts
}

fn count_classes(classes: &[Class]) -> (ClassCounts, BTreeMap<Reason, usize>) {
    let (mut counts, mut refined) = (ClassCounts::default(), BTreeMap::new());
    for class in classes {
        match class {
            Class::Regular => counts.regular += 1,
            Class::Layered(_) => counts.layered += 1,
            Class::Irregular(_) => counts.irregular += 1,
            // no part of the solid
            Class::Refined(Reason::Ghost) => {}
            Class::Refined(reason) => {
                counts.refined += 1;
                *refined.entry(*reason).or_default() += 1;
            }
        }
    }
    (counts, refined)
}

/// Number of cells by kernel, see [`EvaluationSummary::kernels`].
pub fn kernels(solid: &Solid) -> BTreeMap<String, usize> {
    const ALWAYS: [&str; 6] = ["REG64", "REG48", "LAY16x16", "LAY32x16", "IRR32x32", "IRR64x32"];
    let mut counts: BTreeMap<String, usize> = ALWAYS.map(|name| (name.to_owned(), 0)).into();
    for leaf in solid.leaves() {
        // a cell that is not refined is one element of one leaf
        let cell = solid.elements()[leaf.element as usize].cell;
        if matches!(solid.classes()[cell as usize], Class::Refined(_)) {
            continue;
        }
        *counts.entry(kernel_name(solid, leaf)).or_default() += 1;
    }
    counts
}

/// Name of the kernel of Besler et al. (2022) that evaluates a leaf: `REG64`, `REG48`,
/// `LAY16x16`, `LAY32x16`, `IRR32x32` or `IRR64x32` after the control points of the net
/// or of its planar structure; `REG36`, `REG27`, `REG32`… where two or more layers are
/// missing, which the paper does not have.
pub fn kernel_name(solid: &Solid, leaf: &Leaf) -> String {
    match leaf.kind {
        LeafKind::Regular(ends) => format!("REG{}", ends.controls()),
        LeafKind::Layered(s, ..) => match solid.planar_structures()[s as usize].controls() {
            ..=16 => "LAY16x16".into(),
            _ => "LAY32x16".into(),
        },
        LeafKind::Irregular(s, _) => match solid.spatial_structures()[s as usize].controls() {
            ..=32 => "IRR32x32".into(),
            _ => "IRR64x32".into(),
        },
    }
}

fn structures(solid: &Solid) -> Vec<StructureSummary> {
    let mut users: BTreeMap<(bool, u32), BTreeSet<u32>> = BTreeMap::new();
    for leaf in solid.leaves() {
        let key = match leaf.kind {
            LeafKind::Regular(_) => continue,
            LeafKind::Layered(structure, ..) => (false, structure),
            LeafKind::Irregular(structure, _) => (true, structure),
        };
        users.entry(key).or_default().insert(solid.elements()[leaf.element as usize].cell);
    }
    let summary = |is_spatial: bool, (i, structure): (usize, &Structure)| {
        let PowersReport { form, condition, eigen_error } = structure.powers().report();
        StructureSummary {
            kind: if is_spatial { "spatial" } else { "planar" },
            controls: structure.controls(),
            cells: users.get(&(is_spatial, i as u32)).map_or(0, BTreeSet::len),
            form,
            condition,
            reconstruction_error: eigen_error,
            first_steps: structure.first_steps(),
        }
    };
    let planar = solid.planar_structures().iter().map(AsRef::as_ref).enumerate();
    let spatial = solid.spatial_structures().iter().map(AsRef::as_ref).enumerate();
    let all: Vec<_> = planar.map(|s| (false, s)).chain(spatial.map(|s| (true, s))).collect();
    all.into_par_iter().with_max_len(1).map(|(is_spatial, s)| summary(is_spatial, s)).collect()
}

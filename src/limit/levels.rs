//! From a mesh to leaves, level by level: classify, build structures, refine the
//! cells that do not evaluate directly, again until none is left.

use rayon::prelude::*;

use super::class::{Class, Reason, classify};
use super::draft::{CellPlace, DraftKind, DraftSetting, LeafDraft, LeafDrafts, REGULAR};
use super::frame::Walker;
use super::leaf::{Element, Leaf, LeafKind};
use super::leaves::{LeafLevels, TASK_LEAVES, refine_all, too_deep};
use super::library::Library;
use super::memo::Memo;
use super::net;
use super::numbering::StructureNumbering;
use super::reach::{Reach, has_many_structures};
use super::refusals::{check_analysis, check_corners, check_nets, refuse_extraordinary_edges};
use super::solid::Solid;
use super::vertex_leaves::VertexLeaves;
use crate::basis::MissingLayers;
use crate::error::IdKind::Cell;
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::mesh::{CORNERS, CellKind, Cells, SolidMesh};
use crate::pages;
use crate::refine::{Refinement, refine, region_cell_count};
use crate::scheme::{Stencils, VertexRule};
use crate::topology::{NONE, Sharpness, Star, Topology, stars};

/// Bytes of a cell of a level: its topology and stencils, its leaf with a net, and half as much for
/// what evaluates them.
const LEVEL_BYTES: usize = 2200;

/// A cell of the level at hand that must become leaves.
#[derive(Clone, Copy)]
struct ActiveCell {
    cell: u32,
    element: u32,
    origin: [u16; 3],
}

pub(super) struct SolidBuilder {
    library: Library,
    // of walks of planar and of spatial nets
    memos: [Memo; 2],
    planar: StructureNumbering,
    spatial: StructureNumbering,
    levels: LeafLevels<Element, Leaf>,
    // the samples that the solid is for, if it is for some alone
    reach: Option<Reach>,
    vertex_leaves: VertexLeaves,
}

impl Solid {
    /// Analyzes a mesh.
    ///
    /// # Errors
    /// Every defect that [`SolidMesh::check`], [`Topology::build`],
    /// [`Topology::validate`] and [`Sharpness::resolve`] name, and finite
    /// sharpness above 10.
    pub fn new(mesh: &SolidMesh) -> Result<Self> {
        Self::with_rule(mesh, VertexRule::default())
    }

    /// Analyzes a mesh under a vertex rule. Under
    /// [`VertexRule::JoyMacCracken`] meshes with interior extraordinary edges are
    /// refused: vertices inside such an edge refine differently on its two sides,
    /// so no constant-time evaluation exists.
    ///
    /// # Errors
    /// As [`Solid::new`], and the refusal.
    pub fn with_rule(mesh: &SolidMesh, rule: VertexRule) -> Result<Self> {
        Self::analyzed(mesh, Topology::of_mesh(mesh)?, rule, None)
    }

    /// Analyzes a mesh whose topology ([`Topology::of_mesh`]) is known.
    ///
    /// # Errors
    /// As [`Solid::new`].
    pub fn with_topology(mesh: &SolidMesh, topology: Topology) -> Result<Self> {
        Self::analyzed(mesh, topology, VertexRule::default(), None)
    }

    /// Analyzes a mesh whose topology ([`Topology::of_mesh`]) is known for a grid of samples alone:
    /// for plans of parameters along each axis that are all among `parameters`, and for values, not
    /// derivatives, if these hold 0 or 1. Cells at vertices of many cells then have no structures,
    /// which in meshes of tetrahedra take 50 kB and 0.4 ms for each, but are refined until the vertex
    /// alone is left. Such a solid is not for locating points, quadrature or other places.
    ///
    /// # Errors
    /// As [`Solid::new`].
    pub fn for_samples(mesh: &SolidMesh, topology: Topology, parameters: &[f64]) -> Result<Self> {
        let reach = Some(Reach::new(parameters));
        Self::analyzed(mesh, topology, VertexRule::default(), reach)
    }

    /// Whether [`Solid::for_samples`] is better for a mesh: whether its structures would take more
    /// than a gigabyte, at least about.
    pub fn has_many_structures(mesh: &SolidMesh) -> bool {
        has_many_structures(mesh)
    }

    /// The elements of a mesh whose topology ([`Topology::of_mesh`]) is known, without leaves that
    /// evaluate them: [`jobs::evaluate`](crate::jobs::evaluate) analyzes parts of the mesh for
    /// its samples alone then. It has no plans.
    ///
    /// # Errors
    /// As [`Solid::new`].
    pub fn outline(mesh: &SolidMesh, topology: Topology) -> Result<Self> {
        topology.validate(&mesh.points)?;
        let sharpness = Sharpness::resolve(&mesh.creases, &topology)?;
        mesh.creases.check_evaluable(0)?;
        let rule = VertexRule::default();
        let mut builder = SolidBuilder::new(&topology, rule, Some(Reach::new(&[])));
        let mut parts = builder.number_elements(&topology, topology.solid_cells().as_deref())?;
        parts.retain(|a| topology.cells().hexahedron(a.cell as usize).is_none());
        let stars = stars(&topology, &sharpness);
        if !parts.is_empty() {
            let cells: Vec<u32> = parts.iter().map(|a| a.cell).collect();
            let fine = refine(&topology, &sharpness, &stars, rule, Some(&cells));
            builder.children(1, &topology, &fine, &parts);
        }
        let class = |cell: u32| match topology.cells().hexahedron(cell as usize) {
            _ if topology.is_ghost(cell) => Class::Refined(Reason::Ghost),
            Some(corners) => classify(&topology, &sharpness, &stars, corners),
            None => Class::Refined(Reason::NotHexahedral),
        };
        let classes = (0..topology.cell_count() as u32).into_par_iter().map(class).collect();
        Ok(builder.finish(topology, classes))
    }

    fn analyzed(
        mesh: &SolidMesh,
        topology: Topology,
        rule: VertexRule,
        reach: Option<Reach>,
    ) -> Result<Self> {
        topology.validate(&mesh.points)?;
        check_analysis(topology.cells().len())?;
        let sharpness = Sharpness::resolve(&mesh.creases, &topology)?;
        mesh.creases.check_evaluable(0)?;
        if rule == VertexRule::JoyMacCracken {
            refuse_extraordinary_edges(&topology)?;
        }
        let stars = stars(&topology, &sharpness);
        let cells = topology.solid_cells();
        let builder = SolidBuilder::new(&topology, rule, reach);
        builder.build(topology, sharpness, stars, cells.as_deref())
    }
}

impl SolidBuilder {
    pub fn new(topology: &Topology, rule: VertexRule, reach: Option<Reach>) -> Self {
        Self {
            library: Library::new(rule),
            memos: Default::default(),
            planar: StructureNumbering::default(),
            spatial: StructureNumbering::default(),
            levels: LeafLevels::new(topology.vertex_count()),
            reach,
            vertex_leaves: VertexLeaves::default(),
        }
    }

    /// `owned`: of a part of a mesh its cells.
    pub fn build(
        mut self,
        topology: Topology,
        sharpness: Sharpness,
        stars: Vec<Star>,
        owned: Option<&[u32]>,
    ) -> Result<Solid> {
        check_nets(&topology)?;
        let (walker, active) =
            rayon::join(|| Walker::new(&topology), || self.number_elements(&topology, owned));
        let (classes, active) = self.add_level(0, &walker, &sharpness, &stars, &active?)?;
        let mut level = FinestLevel { topology: None, sharpness, stars };
        let refine = |depth, active: &[_]| self.refine(depth, &topology, &mut level, active);
        if let Some(stuck) = refine_all(active, refine)? {
            let cell = self.levels.elements[stuck.element as usize].cell;
            let help = "check the cells there for wrong vertices, or refine the mesh first";
            return Err(too_deep(Cell.id(cell), help));
        }
        let mut solid = self.finish(topology, classes);
        if let Some(owned) = owned {
            let mut all = vec![Class::Refined(Reason::Ghost); solid.topology.cell_count()];
            owned.iter().zip(&solid.classes).for_each(|(&c, &class)| all[c as usize] = class);
            solid.classes = all;
        }
        Ok(solid)
    }

    /// Numbers all elements in cell order; elements of cells that are not hexahedra come with
    /// their children.
    fn number_elements(
        &mut self,
        topology: &Topology,
        owned: Option<&[u32]>,
    ) -> Result<Vec<ActiveCell>> {
        let count = owned.map_or(topology.cell_count(), <[u32]>::len);
        let mut active = pages::room(count);
        self.levels.elements = pages::room(count);
        for at in 0..count {
            let cell = owned.map_or(at as u32, |owned| owned[at]);
            active.push(ActiveCell {
                cell,
                element: self.levels.elements.len() as u32,
                origin: [0; 3],
            });
            if let Some(&corners) = topology.cells().hexahedron(cell as usize) {
                self.levels.elements.push(Element { cell, corner: None, corners });
            } else {
                let corners = topology.cells().vertices(cell as usize).len();
                check_corners(cell, corners)?;
                self.levels.elements.extend((0..corners).map(|corner| Element {
                    cell,
                    corner: Some(corner as u8),
                    corners: [0; 8],
                }));
            }
        }
        Ok(active)
    }

    /// Refines the active cells; returns the children that are still to refine.
    fn refine(
        &mut self,
        depth: usize,
        mesh_topology: &Topology,
        level: &mut FinestLevel,
        active: &[ActiveCell],
    ) -> Result<Vec<ActiveCell>> {
        let coarse = level.topology.as_ref().unwrap_or(mesh_topology);
        let cells: Vec<u32> = active.iter().map(|a| a.cell).collect();
        self.levels.check_memory(depth, region_cell_count(coarse, &cells), LEVEL_BYTES)?;
        let rule = self.library.vertex_rule();
        let mut fine = refine(coarse, &level.sharpness, &level.stars, rule, Some(&cells));
        let children = self.children(depth, coarse, &fine, active);
        let cells = Cells::of_hexahedra(std::mem::take(&mut fine.cells));
        let topology = Topology::build(cells, fine.stencils.len())?;
        let sharpness = Sharpness::resolve(&fine.creases, &topology)?;
        let stars = stars(&topology, &sharpness);
        self.vertex_leaves.add_to(&mut self.levels, fine.stencils);
        let walker = Walker::new(&topology);
        let (_, active) = self.add_level(depth, &walker, &sharpness, &stars, &children)?;
        *level = FinestLevel { topology: Some(topology), sharpness, stars };
        Ok(active)
    }

    /// The children of the active cells, which inherit their place in the element.
    fn children(
        &mut self,
        depth: usize,
        coarse: &Topology,
        fine: &Refinement,
        active: &[ActiveCell],
    ) -> Vec<ActiveCell> {
        let start = self.levels.level_starts[depth] as u32;
        let mut by_cell: Vec<u32> = vec![NONE; coarse.cell_count()];
        (0..).zip(active).for_each(|(at, a)| by_cell[a.cell as usize] = at);
        let parent_of = |cell: u32| active.get(by_cell[cell as usize] as usize);
        let child_of = |(child, &(parent, corner)): (usize, &(u32, u8))| {
            let (ActiveCell { element, origin, .. }, cell) = (*parent_of(parent)?, child as u32);
            if coarse.cells().kind(parent as usize) != CellKind::Hexahedron {
                return Some(ActiveCell {
                    cell,
                    element: element + u32::from(corner),
                    origin: [0; 3],
                });
            }
            let offset = CORNERS[corner as usize];
            let origin = std::array::from_fn(|d| 2 * origin[d] + offset[d] as u16);
            Some(ActiveCell { cell, element, origin })
        };
        let children = fine.parents.par_iter().enumerate().with_min_len(TASK_LEAVES);
        let children: Vec<ActiveCell> = children.filter_map(child_of).collect();
        if depth == 1 {
            // elements that are children have their corners now
            for child in &children {
                let element = &mut self.levels.elements[child.element as usize];
                if element.corner.is_some() {
                    element.corners = fine.cells[child.cell as usize].map(|v| v + start);
                }
            }
        }
        children
    }

    /// Makes leaves of the active cells of one level; returns their classes and
    /// the cells that must be refined.
    fn add_level(
        &mut self,
        depth: usize,
        walker: &Walker,
        sharpness: &Sharpness,
        stars: &[Star],
        active: &[ActiveCell],
    ) -> Result<(Vec<Class>, Vec<ActiveCell>)> {
        let [planar, spatial] = &self.memos;
        let (level, reach) = (depth, self.reach.as_ref());
        let setting = DraftSetting { walker, sharpness, stars, planar, spatial, level, reach };
        let elements = &self.levels.elements;
        let place = |a: &ActiveCell| CellPlace {
            cell: a.cell,
            depth: leaf_depth(depth, &elements[a.element as usize]),
            origin: a.origin,
        };
        let mut parts: Vec<LeafDrafts> = active
            .par_chunks(TASK_LEAVES)
            .map(|chunk| {
                let mut drafts = LeafDrafts::with_capacity(chunk.len());
                chunk.iter().for_each(|a| drafts.push(&setting, place(a)));
                drafts
            })
            .collect();
        let Self { library, planar, spatial, vertex_leaves, .. } = self;
        let planar_nets = parts.iter().flat_map(|part| &part.planar);
        let spatial_nets = parts.iter().flat_map(|part| &part.spatial);
        let (planar_added, spatial_added) = rayon::join(
            || planar.add(planar_nets, |key| library.planar(key, 0)),
            || spatial.add(spatial_nets, |key| library.spatial(key, 0)),
        );
        planar_added.and(spatial_added)?;

        let levels = &mut self.levels;
        let (first_leaf, first_net) = (levels.leaves.len(), levels.nets.len());
        let mut end = first_net;
        let mut classes = Vec::with_capacity(active.len());
        let mut refined = Vec::new();
        let mut leaves = pages::room(first_leaf + active.len());
        leaves.append(&mut levels.leaves);
        levels.leaves = leaves;
        for (part, chunk) in parts.iter_mut().zip(active.chunks(TASK_LEAVES)) {
            for (draft, a) in part.drafts.iter_mut().zip(chunk) {
                let kind = match draft.kind {
                    // its ends are found with its net
                    DraftKind::Regular => Ok(LeafKind::Regular(MissingLayers::NONE)),
                    DraftKind::Layered(net, permutation, ends) => {
                        planar.of_net(net).map(|n| LeafKind::Layered(n, permutation, ends))
                    }
                    DraftKind::Irregular(net, permutation) => {
                        spatial.of_net(net).map(|n| LeafKind::Irregular(n, permutation))
                    }
                    DraftKind::Vertex(vertex) => {
                        classes.push(draft.class);
                        let depth = leaf_depth(depth, &levels.elements[a.element as usize]);
                        vertex_leaves.push(vertex, a.element, depth, a.origin);
                        continue;
                    }
                    DraftKind::Reached => {
                        classes.push(draft.class);
                        refined.push(*a);
                        continue;
                    }
                    DraftKind::Refined(reason) => Err(reason),
                };
                match kind {
                    Err(reason) => {
                        draft.kind = DraftKind::Refined(reason);
                        classes.push(Class::Refined(reason));
                        refined.push(*a);
                    }
                    Ok(kind) => {
                        classes.push(draft.class);
                        let depth = leaf_depth(depth, &levels.elements[a.element as usize]);
                        let (element, origin) = (a.element, a.origin);
                        let net = (end, draft.controls as u32);
                        levels.leaves.push(Leaf { element, depth, origin, kind, net });
                        end += draft.controls;
                    }
                }
            }
        }
        let mut nets = pages::zeros(end);
        nets[..first_net].copy_from_slice(&levels.nets);
        levels.nets = nets;
        let (leaves, nets) = (&mut levels.leaves[first_leaf..], &mut levels.nets[first_net..]);
        fill_nets(walker, &parts, active, leaves, nets, levels.level_starts[depth] as u32);
        self.vertex_leaves.find_masks(walker.topology, sharpness, self.library.vertex_rule())?;
        Ok((classes, refined))
    }

    fn finish(mut self, topology: Topology, classes: Vec<Class>) -> Solid {
        self.vertex_leaves.add_to(&mut self.levels, Stencils::default());
        self.levels.sort();
        let has_corners = self.levels.elements.iter().any(|element| element.corner.is_some());
        let is_used = |v: u32| !topology.vertex_cells(v).is_empty();
        let vertices = 0..topology.vertex_count() as u32;
        let used = (!vertices.clone().all(is_used)).then(|| vertices.map(is_used).collect());
        Solid {
            topology,
            used,
            classes,
            levels: self.levels,
            planar: self.planar.structures,
            spatial: self.spatial.structures,
            is_part: false,
            has_corners,
            reach: self.reach,
        }
    }
}

/// How often the element of a cell of a level was split for it: the children of a corner are elements
/// of their own.
fn leaf_depth(level: usize, element: &Element) -> u8 {
    level as u8 - u8::from(element.corner.is_some() && level > 0)
}

/// Writes the nets of new leaves, their points counted from `first_point`, and the
/// ends of the regular ones.
fn fill_nets(
    walker: &Walker,
    parts: &[LeafDrafts],
    active: &[ActiveCell],
    mut leaves: &mut [Leaf],
    mut nets: &mut [u32],
    first_point: u32,
) {
    let is_leaf = |draft: &&LeafDraft| draft.kind.has_net();
    let mut tasks = Vec::with_capacity(parts.len());
    for (part, chunk) in parts.iter().zip(active.chunks(TASK_LEAVES)) {
        let drafts = || part.drafts.iter().filter(is_leaf);
        let controls = drafts().map(|draft| draft.controls).sum();
        let (own_leaves, own_nets);
        (own_leaves, leaves) = leaves.split_at_mut(drafts().count());
        (own_nets, nets) = nets.split_at_mut(controls);
        tasks.push((part, chunk, own_leaves, own_nets));
    }
    tasks.into_par_iter().for_each(|(part, chunk, leaves, mut nets)| {
        stop_point();
        let drafts = || part.drafts.iter().zip(chunk).filter(|(draft, _)| is_leaf(draft));
        // the cells around many first: their loads, from all over memory, overlap
        let regular = drafts().filter(|(draft, _)| matches!(draft.kind, DraftKind::Regular));
        let regular: Vec<_> =
            regular.map(|(_, a)| net::RegularNet::around(walker, a.cell)).collect();
        let mut regular = regular.iter();
        for ((draft, _), leaf) in drafts().zip(leaves) {
            let net;
            (net, nets) = nets.split_at_mut(draft.controls);
            if let LeafKind::Regular(ends) = &mut leaf.kind
                && let Ok(net) = <&mut [u32; REGULAR]>::try_from(&mut *net)
                && let Some(around) = regular.next()
            {
                *ends = around.ends;
                around.write(walker, net);
            } else {
                net.copy_from_slice(&part.nets[draft.first..][..draft.controls]);
            }
            if first_point > 0 {
                net.iter_mut().for_each(|point| *point += first_point);
            }
        }
    });
}

/// The finest level so far; its topology is the mesh's own at level 0.
struct FinestLevel {
    topology: Option<Topology>,
    sharpness: Sharpness,
    stars: Vec<Star>,
}

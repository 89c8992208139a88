//! From a mesh to leaves, level by level: classify, build structures, refine the
//! cells that do not evaluate directly, again until none is left.

use rayon::prelude::*;

use super::class::{Class, Reason};
use super::draft::{DraftKind, DraftSetting, LeafDraft, LeafDrafts, REGULAR};
use super::frame::Walker;
use super::leaf::{Element, Leaf, LeafKind};
use super::library::Library;
use super::memo::Memo;
use super::net;
use super::numbering::StructureNumbering;
use super::refusals::{
    check_analysis, check_corners, check_nets, check_refinement, refuse_extraordinary_edges,
};
use super::solid::Solid;
use crate::basis::MissingLayers;
use crate::error::IdKind::Cell;
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::mesh::{CellKind, Cells, SolidMesh};
use crate::pages;
use crate::refine::{CORNERS, refine, region_cell_count};
use crate::scheme::{Stencils, VertexRule};
use crate::topology::{NONE, Sharpness, Star, Topology, stars};

/// Deepest local refinement; semi-sharp creases take one level per unit.
pub(crate) const MAX_LEVEL: usize = 12;

/// Bytes of a cell of a level: its topology and stencils, its leaf with a net, and half as much for
/// what evaluates them.
const LEVEL_BYTES: usize = 2200;

/// Cells a work item of the classification covers.
const TASK_CELLS: usize = 512;

/// A cell of the level at hand that must become leaves.
#[derive(Clone, Copy)]
struct ActiveCell {
    cell: u32,
    element: u32,
    origin: [u16; 3],
}

#[derive(Default)]
pub(super) struct SolidBuilder {
    library: Library,
    // of walks of planar and of spatial nets
    memos: [Memo; 2],
    planar: StructureNumbering,
    spatial: StructureNumbering,
    elements: Vec<Element>,
    leaves: Vec<Leaf>,
    nets: Vec<u32>,
    stencils: Vec<Stencils>,
    level_starts: Vec<usize>,
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
        Self::analyzed(mesh, Topology::of_mesh(mesh)?, rule)
    }

    /// Analyzes a mesh whose topology ([`Topology::of_mesh`]) is known.
    ///
    /// # Errors
    /// As [`Solid::new`].
    pub fn with_topology(mesh: &SolidMesh, topology: Topology) -> Result<Self> {
        Self::analyzed(mesh, topology, VertexRule::default())
    }

    fn analyzed(mesh: &SolidMesh, topology: Topology, rule: VertexRule) -> Result<Self> {
        topology.validate(&mesh.points)?;
        check_analysis(topology.cells().len())?;
        let sharpness = Sharpness::resolve(&mesh.creases, &topology)?;
        mesh.creases.check_evaluable(0)?;
        if rule == VertexRule::JoyMacCracken {
            refuse_extraordinary_edges(&topology)?;
        }
        let stars = stars(&topology, &sharpness);
        let cells = topology.solid_cells();
        SolidBuilder::new(rule).build(topology, sharpness, stars, cells.as_deref())
    }
}

impl SolidBuilder {
    pub fn new(vertex_rule: VertexRule) -> Self {
        Self { library: Library::new(vertex_rule), ..Self::default() }
    }

    pub fn build(
        mut self,
        topology: Topology,
        sharpness: Sharpness,
        stars: Vec<Star>,
        owned: Option<&[u32]>,
    ) -> Result<Solid> {
        check_nets(&topology)?;
        self.level_starts = vec![0, topology.vertex_count()];
        let (walker, active) =
            rayon::join(|| Walker::new(&topology), || self.number_elements(&topology, owned));
        let (classes, mut active) = self.add_level(0, &walker, &sharpness, &stars, &active?)?;

        let mut level = FinestLevel { topology: None, sharpness, stars };
        let mut depth = 0;
        while !active.is_empty() {
            depth += 1;
            if depth > MAX_LEVEL {
                let cell = self.elements[active[0].element as usize].cell;
                return Err(Error::mesh(message!(
                    Cell.id(cell),
                    " does not evaluate after {MAX_LEVEL} local refinements"
                ))
                .with_help("check the cells there for wrong vertices, or refine the mesh first"));
            }
            active = self.refine(depth, &topology, &mut level, &active)?;
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
        self.elements = pages::room(count);
        for at in 0..count {
            let cell = owned.map_or(at as u32, |owned| owned[at]);
            active.push(ActiveCell { cell, element: self.elements.len() as u32, origin: [0; 3] });
            if let Some(&corners) = topology.cells().hexahedron(cell as usize) {
                self.elements.push(Element { cell, corner: None, corners });
            } else {
                let corners = topology.cells().vertices(cell as usize).len();
                check_corners(cell, corners)?;
                self.elements.extend((0..corners).map(|corner| Element {
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
        self.check_memory(depth, region_cell_count(coarse, &cells))?;
        let rule = self.library.vertex_rule();
        let mut fine = refine(coarse, &level.sharpness, &level.stars, rule, Some(&cells));

        // children of the active cells inherit their place in the element
        let start = self.level_starts[depth] as u32;
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
        let children = fine.parents.par_iter().enumerate().with_min_len(TASK_CELLS);
        let children: Vec<ActiveCell> = children.filter_map(child_of).collect();
        if depth == 1 {
            // elements that are children have their corners now
            for child in &children {
                let element = &mut self.elements[child.element as usize];
                if element.corner.is_some() {
                    element.corners = fine.cells[child.cell as usize].map(|v| v + start);
                }
            }
        }
        let cells = Cells::of_hexahedra(std::mem::take(&mut fine.cells));
        let topology = Topology::build(cells, fine.stencils.len())?;
        let sharpness = Sharpness::resolve(&fine.creases, &topology)?;
        let stars = stars(&topology, &sharpness);
        self.level_starts.push(self.level_starts[depth] + fine.stencils.len());
        self.stencils.push(fine.stencils);
        let walker = Walker::new(&topology);
        let (_, active) = self.add_level(depth, &walker, &sharpness, &stars, &children)?;
        *level = FinestLevel { topology: Some(topology), sharpness, stars };
        Ok(active)
    }

    /// Refuses a level whose cells would fill the memory, before it is made.
    fn check_memory(&self, depth: usize, cells: usize) -> Result<()> {
        let made = 4 * self.nets.len() + size_of_val(self.leaves.as_slice());
        check_refinement(depth, (made + cells * LEVEL_BYTES) as u128)
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
        let setting = DraftSetting { walker, sharpness, stars, planar, spatial };
        let mut parts: Vec<LeafDrafts> = active
            .par_chunks(TASK_CELLS)
            .map(|chunk| {
                let mut drafts = LeafDrafts::with_capacity(chunk.len());
                chunk.iter().for_each(|a| drafts.push(&setting, a.cell));
                drafts
            })
            .collect();
        let Self { library, planar, spatial, .. } = self;
        let planar_nets = parts.iter().flat_map(|part| &part.planar);
        let spatial_nets = parts.iter().flat_map(|part| &part.spatial);
        let (planar_added, spatial_added) = rayon::join(
            || planar.add(planar_nets, |key| library.planar(key, 0)),
            || spatial.add(spatial_nets, |key| library.spatial(key, 0)),
        );
        planar_added.and(spatial_added)?;

        let (first_leaf, first_net) = (self.leaves.len(), self.nets.len());
        let mut end = first_net;
        let mut classes = Vec::with_capacity(active.len());
        let mut refined = Vec::new();
        let mut leaves = pages::room(first_leaf + active.len());
        leaves.append(&mut self.leaves);
        self.leaves = leaves;
        for (part, chunk) in parts.iter_mut().zip(active.chunks(TASK_CELLS)) {
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
                        // the children of a corner are elements of their own
                        let own = self.elements[a.element as usize].corner.is_some();
                        let depth = depth as u8 - u8::from(own);
                        let (element, origin) = (a.element, a.origin);
                        let net = (end, draft.controls as u32);
                        self.leaves.push(Leaf { element, depth, origin, kind, net });
                        end += draft.controls;
                    }
                }
            }
        }
        let mut nets = pages::zeros(end);
        nets[..first_net].copy_from_slice(&self.nets);
        self.nets = nets;
        let (leaves, nets) = (&mut self.leaves[first_leaf..], &mut self.nets[first_net..]);
        fill_nets(walker, &parts, active, leaves, nets, self.level_starts[depth] as u32);
        Ok((classes, refined))
    }

    fn finish(mut self, topology: Topology, classes: Vec<Class>) -> Solid {
        let mut leaf_ends = vec![0; self.elements.len()];
        self.leaves.iter().for_each(|leaf| leaf_ends[leaf.element as usize] += 1);
        let mut end = 0;
        for count in &mut leaf_ends {
            end += *count;
            *count = end;
        }
        if self.level_starts.len() > 2 {
            self.leaves = by_element(&self.leaves, &leaf_ends);
        }
        let has_corners = self.elements.iter().any(|element| element.corner.is_some());
        let is_used = |v: u32| !topology.vertex_cells(v).is_empty();
        let vertices = 0..topology.vertex_count() as u32;
        let used = (!vertices.clone().all(is_used)).then(|| vertices.map(is_used).collect());
        Solid {
            topology,
            used,
            classes,
            elements: self.elements,
            leaves: self.leaves,
            leaf_ends,
            nets: self.nets,
            stencils: self.stencils,
            level_starts: self.level_starts,
            planar: self.planar.structures,
            spatial: self.spatial.structures,
            is_part: false,
            has_corners,
        }
    }
}

/// Leaves by element, within one in Morton order; `ends`: the end of
/// each element.
fn by_element(leaves: &[Leaf], ends: &[u32]) -> Vec<Leaf> {
    let mut next: Vec<u32> = std::iter::once(0).chain(ends.iter().copied()).collect();
    let mut order = vec![0; leaves.len()];
    for (at, leaf) in (0..).zip(leaves) {
        let next = &mut next[leaf.element as usize];
        order[*next as usize] = at;
        *next += 1;
    }
    let (mut rest, mut first) = (&mut order[..], 0);
    let mut parts = Vec::with_capacity(ends.len().div_ceil(TASK_CELLS));
    for ends in ends.chunks(TASK_CELLS) {
        let end = ends.last().copied().unwrap_or(first);
        let (own, others) = rest.split_at_mut((end - first) as usize);
        parts.push((own, ends, first));
        (rest, first) = (others, end);
    }
    parts.into_par_iter().for_each(|(mut order, ends, mut first)| {
        stop_point();
        for &end in ends {
            let (own, others) = order.split_at_mut((end - first) as usize);
            if own.len() > 1 {
                own.sort_unstable_by_key(|&leaf| leaves[leaf as usize].code());
            }
            (order, first) = (others, end);
        }
    });
    let mut sorted = pages::room(leaves.len());
    let leaf = |&leaf: &u32| leaves[leaf as usize];
    order.par_iter().with_min_len(TASK_CELLS).map(leaf).collect_into_vec(&mut sorted);
    sorted
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
    let is_leaf = |draft: &&LeafDraft| !matches!(draft.kind, DraftKind::Refined(_));
    let mut tasks = Vec::with_capacity(parts.len());
    for (part, chunk) in parts.iter().zip(active.chunks(TASK_CELLS)) {
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

//! The elements of a mesh that is refined some times, some at a time.

use std::ops::Range;

use super::{Cutter, Part};
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::mesh::{Attribute, CellKind, Cells, Handedness, SolidMesh};
use crate::refine::{check_levels, child_count, hexahedra, refine};
use crate::scheme::{VertexRule, crease};
use crate::topology::{Sharpness, Topology, stars};

/// A mesh whose elements ([`Solid::elements`] after some refinement) are taken in blocks.
///
/// A block is the part of the mesh around the cells that its elements come from, refined alone: one
/// layer of ghosts gives the points of all refined cells at the vertices of these cells, so again
/// one layer. Vertices and cells keep their order, and results on the elements are bit by bit those
/// of the whole.
#[derive(Debug)]
pub struct Blocks<'m> {
    mesh: &'m SolidMesh,
    cutter: Cutter<'m>,
    levels: usize,
    rule: VertexRule,
    // the first that a cell has
    first_vertex: Option<u32>,
    // [cell]: cells that one refinement makes before it
    children: Vec<u64>,
    // [cell]: elements before it, and at their end
    ends: Vec<u64>,
    // of the refined mesh, once it is known
    extent: Option<Extent>,
}

/// What evaluation is relative to: the first vertex of a mesh, and the least and the largest of
/// each coordinate and component of an attribute.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extent {
    // [component]; none if the vertex is another's
    first: Option<Vec<f64>>,
    low: Vec<f64>,
    high: Vec<f64>,
}

/// Some elements of a mesh, with the cells that they depend on.
#[derive(Clone, Debug)]
pub struct Block {
    /// The mesh around them, refined.
    pub mesh: SolidMesh,
    /// The whole's id of each cell, ascending.
    pub cells: Vec<u32>,
    /// Cells of the elements, as ascending indices into `cells`.
    pub owned: Vec<u32>,
    /// The elements, as indices into [`Block::solid`].
    pub elements: Range<usize>,
    /// Whether the whole has cells other than hexahedra: its files name the corners of elements.
    pub has_other_cells: bool,
}

impl Block {
    /// Analyzes the block, for its owned cells alone.
    ///
    /// # Errors
    /// As [`Solid::of_part`].
    pub fn solid(&self) -> Result<Solid> {
        self.solid_for(None)
    }

    /// Analyzes the block, for samples at these parameters alone if there are any
    /// ([`Solid::for_samples`]).
    ///
    /// # Errors
    /// As [`Solid::of_part`].
    pub fn solid_for(&self, parameters: Option<&[f64]>) -> Result<Solid> {
        let mut solid = match parameters {
            Some(parameters) => Solid::of_part_for_samples(&self.mesh, &self.owned, parameters)?,
            None => Solid::of_part(&self.mesh, &self.owned)?,
        };
        solid.has_corners |= self.has_other_cells;
        Ok(solid)
    }

    /// Left-handed hexahedra among the cells of the elements. Cells that are not hexahedra have
    /// none.
    pub fn left_handed(&self) -> usize {
        let mut own = Cells::default();
        let hexahedra = self.owned.iter().filter_map(|&c| self.mesh.cells.hexahedron(c as usize));
        hexahedra.for_each(|corners| own.push(CellKind::Hexahedron, corners));
        Handedness::of(&own, &self.mesh.points).left_handed
    }
}

/// Elements that a cell becomes after some levels.
fn elements_of(cells: &Cells, cell: usize, levels: usize) -> u64 {
    match (levels, cells.kind(cell)) {
        (0, CellKind::Hexahedron) => 1,
        (0, _) => cells.vertices(cell).len() as u64,
        _ => (cells.vertices(cell).len() as u64) << (3 * (levels - 1)),
    }
}

/// Elements before each cell after some levels, and all of them. Ghosts have none.
fn element_ends(cells: &Cells, ghosts: &[bool], levels: usize) -> Vec<u64> {
    let mut ends = vec![0];
    ends.extend((0..cells.len()).scan(0, |sum, cell| {
        let is_ghost = ghosts.get(cell) == Some(&true);
        *sum += if is_ghost { 0 } else { elements_of(cells, cell, levels) };
        Some(*sum)
    }));
    ends
}

impl<'m> Blocks<'m> {
    /// Blocks of the elements of a mesh that is refined some times. [`Block::solid`] wants the
    /// default rule.
    ///
    /// # Errors
    /// Refined meshes of more than 2²⁸ cells, and what a [`Cutter`] refuses.
    pub fn new(mesh: &'m SolidMesh, levels: usize, rule: VertexRule) -> Result<Self> {
        check_levels(mesh.cells.len(), child_count(mesh), levels)?;
        let (cells, ghosts) = (&mesh.cells, mesh.ghosts());
        if levels > 0 && !ghosts.is_empty() {
            return Err(Error::request("parts of a mesh with ghost cells that is refined")
                .with_help("refine it as a whole, and take parts of the file"));
        }
        Ok(Self {
            mesh,
            cutter: Cutter::of_whole(mesh)?,
            levels,
            rule,
            first_vertex: (0..cells.len()).flat_map(|c| cells.vertices(c)).copied().min(),
            children: element_ends(cells, &ghosts, 1),
            ends: element_ends(cells, &ghosts, levels),
            extent: None,
        })
    }

    /// Levels of refinement.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Number of cells before refinement.
    pub fn cell_count(&self) -> usize {
        self.mesh.cells.len()
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.elements(0..self.cell_count()).len()
    }

    /// The elements of a run of the cells.
    ///
    /// # Panics
    /// If the mesh does not have that many cells.
    pub fn elements(&self, cells: Range<usize>) -> Range<usize> {
        self.ends[cells.start] as usize..self.ends[cells.end] as usize
    }

    /// Elements, of whole cells, in runs of at most `most`, or of one cell, none of which splits a
    /// cell of the refined mesh.
    pub fn runs(&self, elements: Range<usize>, most: usize) -> Vec<Range<usize>> {
        let Range { mut start, end } = elements;
        let mut runs = Vec::new();
        while start < end {
            let mut stop = (start + most).min(end);
            if self.levels == 0 && stop < end {
                let split = self.ends.partition_point(|&e| e <= stop as u64) - 1;
                let whole = self.ends[split] as usize;
                stop = if whole > start { whole } else { self.ends[split + 1] as usize };
            }
            runs.push(start..stop);
            start = stop;
        }
        runs
    }

    /// Whether the refined mesh has corners.
    pub fn has_corners(&self) -> bool {
        let decayed = |s: f64| (0..self.levels).fold(s, |s, _| crease::decayed(s));
        self.mesh.creases.corners.iter().any(|corner| decayed(corner.sharpness) > 0.0)
    }

    /// The extent of the refined cells of a run of the cells.
    ///
    /// # Errors
    /// As [`Blocks::block`].
    ///
    /// # Panics
    /// If the mesh does not have that many cells.
    pub fn extent(&self, cells: Range<usize>) -> Result<Extent> {
        let (block, has_first) = self.refined(self.elements(cells))?;
        let mesh = &block.mesh;
        let mut used = vec![false; mesh.points.len()];
        for &cell in &block.owned {
            mesh.cells.vertices(cell as usize).iter().for_each(|&v| used[v as usize] = true);
        }
        let mut extent = Extent::default();
        let attributes = mesh.attributes.iter().map(|a| (&a.values[..], a.width));
        for (values, width) in [(mesh.points.as_flattened(), 3)].into_iter().chain(attributes) {
            let (mut low, mut high) = (vec![f64::INFINITY; width], vec![f64::NEG_INFINITY; width]);
            for (values, _) in values.chunks_exact(width).zip(&used).filter(|(_, used)| **used) {
                low.iter_mut().zip(values).for_each(|(low, x)| *low = low.min(*x));
                high.iter_mut().zip(values).for_each(|(high, x)| *high = high.max(*x));
            }
            extent.low.extend(low);
            extent.high.extend(high);
        }
        extent.first = (has_first && !mesh.points.is_empty()).then(|| components(mesh, 0));
        Ok(extent)
    }

    /// Sets the extents of all cells joined, on which the last bits of evaluations far from the
    /// origin depend. A mesh of 0 levels has no need of it.
    pub fn set_extent(&mut self, extent: Extent) {
        self.extent = Some(extent);
    }

    /// The block of some elements.
    ///
    /// # Errors
    /// As the setup, for defects at the cells of the elements.
    ///
    /// # Panics
    /// If there are not that many elements.
    pub fn block(&self, elements: Range<usize>) -> Result<Block> {
        let (mut block, _) = self.refined(elements)?;
        if let (Some(extent), false) = (&self.extent, block.owned.is_empty()) {
            extent.add_to(&mut block.mesh);
        }
        Ok(block)
    }

    /// What is wrong with the whole mesh, where a block has an error.
    pub fn fault(&self, error: Error) -> Error {
        let find = || {
            let topology = Topology::of_part(self.mesh)?;
            topology.validate(&self.mesh.points)?;
            Sharpness::resolve(&self.mesh.creases, &topology)?;
            self.mesh.creases.check_evaluable(self.levels)
        };
        find().err().unwrap_or(error)
    }

    /// The block without the vertices that span the refined mesh, and whether the first vertex of
    /// the whole is its first.
    fn refined(&self, elements: Range<usize>) -> Result<(Block, bool)> {
        let [from, to] = [elements.start as u64, elements.end as u64];
        let ends = &self.ends;
        let first = ends.partition_point(|&start| start <= from).saturating_sub(1);
        let end = ends.partition_point(|&start| start < to);
        let own = if elements.is_empty() { 0..0 } else { first..end };
        // of no element: cells without corners
        let owned: Vec<u32> =
            own.filter(|&c| ends[c] < ends[c + 1]).map(|cell| cell as u32).collect();
        let before = owned.first().map_or(0, |&cell| ends[cell as usize]);
        let levels = self.levels;
        let has_first = levels > 0
            && self.first_vertex.is_some_and(|first| {
                self.cutter.cells_at(first).iter().any(|cell| owned.binary_search(cell).is_ok())
            });
        let keeps = |level: usize, cell: u32| {
            let below = levels - 1 - level;
            let first = u64::from(cell) << (3 * below);
            first < to && from < first + (1 << (3 * below))
        };
        let Part { mesh, cells, owned, .. } = self.cutter.around(&owned);
        // once refined there are no other cells
        let has_other_cells = levels == 0 && !self.mesh.cells.all_hexahedra();
        let elements = match levels {
            0 => (from - before) as usize..(to - before) as usize,
            _ => 0..elements.len(),
        };
        let mut block = Block { mesh, cells, owned, elements, has_other_cells };
        for level in 0..levels {
            block = self.step(&block, level, |cell| keeps(level, cell))?;
        }
        Ok((block, has_first))
    }

    /// A block refined once more; it owns those children of its owned cells that `keeps` takes.
    fn step(&self, block: &Block, level: usize, keeps: impl Fn(u32) -> bool) -> Result<Block> {
        let mesh = &block.mesh;
        let set_up = || {
            let topology = Topology::of_part(mesh)?;
            if level == 0 {
                topology.validate_around(&block.owned)?;
            }
            let sharpness = Sharpness::resolve(&mesh.creases, &topology)?;
            Ok((topology, sharpness))
        };
        let (topology, sharpness) = set_up().map_err(|error| self.fault(error))?;
        let stars = stars(&topology, &sharpness);
        let step = refine(&topology, &sharpness, &stars, self.rule, Some(&block.owned));
        let id = |&(parent, corner): &(u32, u8)| {
            let parent = block.cells[parent as usize];
            let first = match level {
                0 => self.children[parent as usize] as u32,
                _ => 8 * parent,
            };
            first + u32::from(corner)
        };
        let cells: Vec<u32> = step.parents.iter().map(id).collect();
        let mut is_owned = vec![false; mesh.cells.len()];
        block.owned.iter().for_each(|&cell| is_owned[cell as usize] = true);
        let own =
            |&c: &u32| is_owned[step.parents[c as usize].0 as usize] && keeps(cells[c as usize]);
        let owned = (0..cells.len() as u32).filter(own).collect();
        let apply = |values: &[f64], width: usize| step.stencils.apply(values, width);
        let attribute = |a: &Attribute| Attribute {
            name: a.name.clone(),
            width: a.width,
            values: apply(&a.values, a.width),
        };
        let parents = || step.parents.iter().map(|&(parent, _)| parent);
        let points = apply(mesh.points.as_flattened(), 3);
        let refined = SolidMesh {
            points: points.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect(),
            cells: hexahedra(&step.cells),
            attributes: mesh.attributes.iter().map(attribute).collect(),
            cell_data: mesh.cell_data.iter().map(|a| a.of_cells(parents())).collect(),
            face_groups: step.face_groups(&topology, &mesh.face_groups)?,
            creases: step.creases,
            is_fitted: mesh.is_fitted,
            periods: mesh.periods.clone(),
        };
        let elements = block.elements.clone();
        Ok(Block { mesh: refined, cells, owned, elements, has_other_cells: false })
    }
}

/// Coordinates and components of attributes of a vertex.
fn components(mesh: &SolidMesh, vertex: usize) -> Vec<f64> {
    let attributes = mesh.attributes.iter().flat_map(|a| &a.values[a.width * vertex..][..a.width]);
    mesh.points[vertex].iter().chain(attributes).copied().collect()
}

impl Extent {
    /// The extent of the vertices of both.
    #[must_use]
    pub fn joined(mut self, other: &Self) -> Self {
        if self.low.is_empty() {
            self.low.clone_from(&other.low);
            self.high.clone_from(&other.high);
        }
        self.low.iter_mut().zip(&other.low).for_each(|(a, b)| *a = a.min(*b));
        self.high.iter_mut().zip(&other.high).for_each(|(a, b)| *a = a.max(*b));
        Self { first: self.first.or_else(|| other.first.clone()), ..self }
    }

    /// The extent as numbers, for other ranks.
    pub fn to_numbers(&self) -> Vec<f64> {
        let first = self.first.as_deref().unwrap_or_default();
        [&[self.low.len() as f64], &self.low[..], &self.high[..], first].concat()
    }

    /// Reads the extent that [`Extent::to_numbers`] has written.
    ///
    /// # Errors
    /// [`Error::Request`] for anything else.
    pub fn from_numbers(all: &[f64]) -> Result<Self> {
        let (&count, values) = all.split_first().ok_or_else(Error::broken_message)?;
        if ![2.0, 3.0].map(|lists| lists * count).contains(&(values.len() as f64)) {
            return Err(Error::broken_message());
        }
        let mut three = values.chunks(count.max(1.0) as usize).map(<[f64]>::to_vec);
        let [low, high] = [three.next().unwrap_or_default(), three.next().unwrap_or_default()];
        Ok(Self { first: three.next(), low, high })
    }

    /// Adds vertices of no cell: the first of the whole, and two that span it.
    fn add_to(&self, mesh: &mut SolidMesh) {
        let first = self.first.as_ref().unwrap_or(&self.low);
        let spanning = [&self.low, &self.high];
        mesh.points.insert(0, [first[0], first[1], first[2]]);
        mesh.points.extend(spanning.map(|values| [values[0], values[1], values[2]]));
        let mut start = 3;
        for attribute in &mut mesh.attributes {
            let own = start..start + attribute.width;
            attribute.values.splice(0..0, first[own.clone()].iter().copied());
            spanning.iter().for_each(|values| attribute.values.extend(&values[own.clone()]));
            start = own.end;
        }
        mesh.cells.renumber(|v| v + 1);
        mesh.creases.edges.iter_mut().for_each(|crease| crease.renumber(|v| v + 1));
        mesh.creases.corners.iter_mut().for_each(|corner| corner.vertex.0 += 1);
    }
}

//! The elements of a mesh that is refined some times, some at a time.

use std::ops::Range;

use super::exchange::numbers;
use super::{Cutter, Part, RankPart};
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::mesh::{Attribute, CellKind, Cells, FaceGroup, Handedness, Polygons, SolidMesh};
use crate::refine::{Refinement, hexahedra, refine};
use crate::scheme::{VertexRule, crease};
use crate::topology::{NONE, Sharpness, Topology, stars};

/// A mesh whose elements, those of [`Solid::elements`] after some refinement, are taken in blocks.
///
/// A block is the part of the mesh around the cells that its elements come from, refined alone: one
/// layer of ghosts gives the points of all refined cells at the vertices of these cells, so again
/// one layer. Vertices and cells keep their order, and results on the elements are bit by bit those
/// of the whole.
#[derive(Debug)]
pub struct Blocks<'m> {
    part: &'m RankPart,
    cutter: Cutter<'m>,
    rule: VertexRule,
    // that of the refined mesh, once it is known
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

/// Some elements of a mesh, with what they depend on.
#[derive(Clone, Debug)]
pub struct Block {
    /// The mesh around them, refined.
    pub mesh: SolidMesh,
    /// The whole's id of each cell, ascending.
    pub cells: Vec<u32>,
    /// Cells of the elements, as ascending indices into `cells`.
    pub owned: Vec<u32>,
    /// The elements, among those of [`Block::solid`].
    pub elements: Range<usize>,
    /// Whether the whole has cells other than hexahedra: its files name the corners of elements.
    pub has_other_cells: bool,
}

impl Block {
    /// Analyzes the block, for its owned cells alone.
    ///
    /// # Errors
    /// Those of [`Solid::of_part`].
    pub fn solid(&self) -> Result<Solid> {
        let mut solid = Solid::of_part(&self.mesh, &self.owned)?;
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

impl<'m> Blocks<'m> {
    /// Blocks of the elements of a part. [`Block::solid`] wants the default rule.
    ///
    /// # Errors
    /// What a [`Cutter`] refuses.
    pub fn new(part: &'m RankPart, rule: VertexRule) -> Result<Self> {
        let of = if part.is_whole() { Cutter::of_whole } else { Cutter::of_part };
        let cutter = of(part.mesh()).map_err(|error| part.of_whole(error))?;
        Ok(Self { part, cutter, rule, extent: None })
    }

    /// The elements of the cells that the part owns, among all of the refined mesh.
    pub fn elements(&self) -> Range<usize> {
        let ends = self.part.element_ends();
        ends[0] as usize..ends[ends.len() - 1] as usize
    }

    /// Number of cells that the part owns.
    pub fn cell_count(&self) -> usize {
        self.part.part().owned.len()
    }

    /// The cells of the refined mesh that its elements are of, by their ids in the whole.
    pub(crate) fn cells(&self) -> Range<u32> {
        let Part { cells, owned, .. } = self.part.part();
        let at = |cell: &u32| cells[*cell as usize];
        match (self.part.levels, owned.first(), owned.last()) {
            (0, Some(first), Some(last)) => at(first)..at(last) + 1,
            (_, Some(_), _) => self.elements().start as u32..self.elements().end as u32,
            _ => 0..0,
        }
    }

    /// The elements of the block in runs of at most `most`, or of one cell, none of which splits a
    /// cell of the refined mesh.
    pub fn runs(&self, most: usize) -> Vec<Range<usize>> {
        let Range { mut start, end } = self.elements();
        let ends = self.part.element_ends();
        let mut runs = Vec::new();
        while start < end {
            let mut stop = (start + most).min(end);
            if self.part.levels == 0 && stop < end {
                let split = ends.partition_point(|&e| e <= stop as u64) - 1;
                let whole = ends[split] as usize;
                stop = if whole > start { whole } else { ends[split + 1] as usize };
            }
            runs.push(start..stop);
            start = stop;
        }
        runs
    }

    /// Whether the refined mesh has corners.
    pub fn has_corners(&self) -> bool {
        let decay = |s: f64| (0..self.part.levels).fold(s, |s, _| crease::decayed(s));
        decay(self.part.sharpest_corner) > 0.0
    }

    /// Whether the extent of the refined mesh has to be found before any block: see
    /// [`Blocks::set_extent`].
    pub fn needs_extent(&self) -> bool {
        self.part.levels > 0
    }

    /// The extent of the refined cells of some of the cells that the part owns: `cells` counts them
    /// from 0, ascending.
    ///
    /// # Errors
    /// Those of [`Blocks::block`].
    ///
    /// # Panics
    /// If the part does not own that many cells.
    pub fn extent(&self, cells: Range<usize>) -> Result<Extent> {
        let ends = self.part.element_ends();
        let elements = ends[cells.start] as usize..ends[cells.end] as usize;
        let (block, has_first) = self.refined(elements)?;
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
    /// origin depend.
    pub fn set_extent(&mut self, extent: Extent) {
        self.extent = Some(extent);
    }

    /// What [`Blocks::set_extent`] has set.
    pub fn extent_of_all(&self) -> Option<&Extent> {
        self.extent.as_ref()
    }

    /// The block of some elements, within [`Blocks::elements`].
    ///
    /// # Errors
    /// Those of the setup that concern the cells of the elements.
    ///
    /// # Panics
    /// If the elements are not within [`Blocks::elements`].
    pub fn block(&self, elements: Range<usize>) -> Result<Block> {
        let (mut block, _) = self.refined(elements)?;
        if let (Some(extent), false) = (&self.extent, block.owned.is_empty()) {
            extent.add_to(&mut block.mesh);
        }
        Ok(block)
    }

    /// What is wrong with the part, in the ids of the whole, where a block has an error: of the
    /// whole mesh that of one program.
    pub fn fault(&self, error: Error) -> Error {
        let Part { mesh, owned, .. } = self.part.part();
        let find = || {
            let topology = Topology::of_part(mesh)?;
            if self.part.is_whole() {
                topology.validate(&mesh.points)?
            } else {
                // ghosts have not all their neighbors
                topology.validate_around(owned)?
            }
            Sharpness::resolve(&mesh.creases, &topology)?;
            mesh.creases.check_evaluable(self.part.levels)
        };
        find().err().map_or(error, |found| self.part.of_whole(found))
    }

    /// The block without the vertices that span the refined mesh, and whether the first vertex of
    /// the whole is its first.
    fn refined(&self, elements: Range<usize>) -> Result<(Block, bool)> {
        let [from, to] = [elements.start as u64, elements.end as u64];
        let ends = self.part.element_ends();
        let first = ends.partition_point(|&start| start <= from).saturating_sub(1);
        let end = ends.partition_point(|&start| start < to);
        let own = if elements.is_empty() { 0..0 } else { first..end };
        // of no element: cells without corners
        let own: Vec<usize> = own.filter(|&c| ends[c] < ends[c + 1]).collect();
        let before = own.first().map_or(0, |&c| ends[c]);
        let owned: Vec<u32> = own.iter().map(|&c| self.part.part().owned[c]).collect();
        let levels = self.part.levels;
        let has_first = levels > 0
            && self.part.first_vertex.is_some_and(|first| {
                self.cutter.cells_at(first).iter().any(|cell| owned.binary_search(cell).is_ok())
            });
        let keeps = |level: usize, cell: u32| {
            let below = levels - 1 - level;
            let first = u64::from(cell) << (3 * below);
            first < to && from < first + (1 << (3 * below))
        };
        let block = self.block_of(&owned, keeps)?;
        let elements = match levels {
            0 => (from - before) as usize..(to - before) as usize,
            _ => 0..elements.len(),
        };
        Ok((Block { elements, ..block }, has_first))
    }

    /// The block of all cells that the part owns, which need not be a run of the whole.
    ///
    /// # Errors
    /// Those of [`Blocks::block`].
    pub(crate) fn whole(&self) -> Result<Block> {
        let mut block = self.block_of(&self.part.part().owned, |_, _| true)?;
        if let (Some(extent), false) = (&self.extent, block.owned.is_empty()) {
            extent.add_to(&mut block.mesh);
        }
        Ok(block)
    }

    /// The refined mesh around those children of some cells of the part that `keeps` takes, by the
    /// level above and their id in the whole; it names no elements.
    fn block_of(&self, owned: &[u32], keeps: impl Fn(usize, u32) -> bool) -> Result<Block> {
        let Part { mesh, cells, owned, .. } = self.cutter.around(owned);
        let levels = self.part.levels;
        if levels == 0 {
            let cells = cells.iter().map(|&c| self.part.part().cells[c as usize]).collect();
            let has_other_cells = self.part.has_other_cells;
            return Ok(Block { mesh, cells, owned, elements: 0..0, has_other_cells });
        }
        // its cells are those of the part until the first step
        let mut block = Block { mesh, cells, owned, elements: 0..0, has_other_cells: false };
        for level in 0..levels {
            block = self.step(&block, level, |cell| keeps(level, cell))?;
        }
        Ok(block)
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
                0 => self.part.children[parent as usize] as u32,
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
            face_groups: face_groups(&mesh.face_groups, &topology, &step)?,
            creases: step.creases,
        };
        let elements = block.elements.clone();
        Ok(Block { mesh: refined, cells, owned, elements, has_other_cells: false })
    }
}

/// The faces of groups, refined where the region of a step has all of a face.
fn face_groups(
    groups: &[FaceGroup],
    topology: &Topology,
    step: &Refinement,
) -> Result<Vec<FaceGroup>> {
    let refined = |group: &FaceGroup| {
        let parents = topology.group_faces(group)?;
        let children = parents.iter().flat_map(|&face| step.face_children(topology, face));
        let known = children.filter(|child| !child.contains(&NONE));
        Ok(FaceGroup::new(&group.name, Polygons::uniform(4, known.flatten().collect())))
    };
    groups.iter().map(refined).collect()
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

    /// The extent as bytes, for other ranks.
    pub fn to_bytes(&self) -> Vec<u8> {
        let first = self.first.as_deref().unwrap_or_default();
        let all = [&[self.low.len() as f64], &self.low[..], &self.high[..], first].concat();
        bytemuck::cast_slice(&all).to_vec()
    }

    /// Reads the extent that [`Extent::to_bytes`] has written.
    ///
    /// # Errors
    /// [`Error::Request`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let all: Vec<f64> = numbers(bytes)?.collect();
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

//! What finite-element programs take: nodes, cells of an order, groups of cells and of faces.

use std::collections::HashMap;

use super::arrays::RealArray;
use super::groups::{Group, Partition, merge_numbered, take_regions};
use super::shapes::{CellShape, CellSide, SideGroup, cells_of, face_key, shape_of};
use crate::error::{Error, Result};
use crate::io::dataset::{ArrayData, Dataset, Points};
use crate::io::high_order::hexahedron_order;
use crate::mesh::groups::names_group;
use crate::mesh::{CORNERS, SolidMesh, SurfaceMesh, marked_vertices};
use crate::numbers::counted;

/// A mesh with groups, for finite-element programs.
#[derive(Clone, Debug, Default)]
pub struct ExchangeMesh {
    /// Nodes.
    pub points: Vec<[f64; 3]>,
    /// Order of hexahedra; 1 for all other cells.
    pub order: usize,
    /// Shapes of the cells: all of one dimension.
    pub shapes: Vec<CellShape>,
    /// Where the nodes of each cell end.
    pub ends: Vec<usize>,
    /// Nodes of the cells, in VTK's order.
    pub nodes: Vec<u32>,
    /// Groups of cells.
    pub cell_groups: Vec<Group>,
    /// All sides that are in groups, each face once.
    pub faces: Vec<CellSide>,
    /// Groups of these faces.
    pub face_groups: Vec<Group>,
    /// Arrays of points.
    pub point_arrays: Vec<RealArray>,
    /// Arrays of cells that are no groups.
    pub cell_arrays: Vec<RealArray>,
}

impl ExchangeMesh {
    /// The mesh of a dataset, whose faces are in groups if there are cells, and of groups of sides.
    ///
    /// # Errors
    /// [`Error::Request`] for cells that are no volumes or faces, and of several orders.
    pub fn new(dataset: &Dataset, side_groups: &[SideGroup]) -> Result<Self> {
        let points = match &dataset.points {
            Points::F32(points) => points.iter().map(|p| p.map(f64::from)).collect(),
            Points::F64(points) => points.clone(),
        };
        let mut mesh = Self { points, order: 1, ..Self::default() };
        let (mut volumes, mut faces) = (Vec::new(), Vec::new());
        let mut orders = [usize::MAX, 0];
        for (c, (kind, nodes)) in cells_of(&dataset.cells).enumerate() {
            let (shape, order) = shape_of(c, kind, nodes.len())?;
            if shape.dimension() == 3 {
                volumes.push(c as u32);
                orders = [orders[0].min(order), orders[1].max(order)];
            } else {
                faces.push(c as u32);
            }
        }
        if orders[0] < orders[1] {
            let why = format!("cells of orders {} and {} in one file", orders[0], orders[1]);
            return Err(Error::request(why).with_help("write a .vtu file"));
        }
        mesh.order = orders[1].max(1);
        let are_faces = volumes.is_empty();
        let own = if are_faces { std::mem::take(&mut faces) } else { volumes };
        let is_own = |c: &u32| if are_faces { true } else { own.binary_search(c).is_ok() };
        let mut listed = Vec::new();
        for (c, (kind, nodes)) in (0..).zip(cells_of(&dataset.cells)) {
            if is_own(&c) {
                mesh.shapes.push(shape_of(c as usize, kind, nodes.len())?.0);
                mesh.nodes.extend_from_slice(nodes);
                mesh.ends.push(mesh.nodes.len());
            } else {
                listed.push(face_key(nodes));
            }
        }
        let all: Vec<u32> = (0..mesh.points.len() as u32).collect();
        mesh.point_arrays = dataset.point_arrays.iter().map(|a| RealArray::of(a, &all)).collect();
        let mut groups = Vec::new();
        for array in &dataset.cell_arrays {
            let own = RealArray::of(array, &own);
            let is_group = names_group(&array.name)
                && array.width == 1
                && !matches!(array.data, ArrayData::F32(_) | ArrayData::F64(_));
            if !is_group {
                mesh.cell_arrays.push(own);
                continue;
            }
            let members = |array: &RealArray| {
                let all = (0..).zip(&array.values);
                all.filter(|(_, value)| **value != 0.0).map(|(i, _)| i).collect::<Vec<u32>>()
            };
            let name = array.name.split_once(':').map_or("", |(_, name)| name);
            let members_of_faces = members(&RealArray::of(array, &faces));
            if !members_of_faces.is_empty() {
                groups.push(Group::new(name, members_of_faces));
            }
            let cells = members(&own);
            if !cells.is_empty() {
                mesh.cell_groups.push(Group::new(name, cells));
            }
        }
        mesh.cell_groups.extend(take_regions(&mut mesh.cell_arrays));
        merge_numbered(&mut mesh.cell_groups);
        mesh.add_faces(&listed, &groups, side_groups)?;
        Ok(mesh)
    }

    /// The mesh of a surface, and the members of groups of its faces.
    ///
    /// # Errors
    /// [`Error::Mesh`] for polygons other than triangles and quads.
    pub fn of_surface(surface: &SurfaceMesh, groups: &[(String, Vec<u32>)]) -> Result<Self> {
        let mut mesh = Self { points: surface.points.clone(), order: 1, ..Self::default() };
        for (f, face) in surface.faces.iter().enumerate() {
            mesh.shapes.push(match face.len() {
                3 => CellShape::Triangle,
                4 => CellShape::Quad,
                n => {
                    let why = format!("face {f} has {n} corners, finite elements have 3 or 4");
                    return Err(Error::mesh(why).with_help("refine the surface once"));
                }
            });
            mesh.nodes.extend_from_slice(face);
            mesh.ends.push(mesh.nodes.len());
        }
        let array = |a: &crate::mesh::Attribute| RealArray {
            name: a.name.clone(),
            width: a.width,
            values: a.values.clone(),
        };
        mesh.point_arrays = surface.attributes.iter().map(array).collect();
        let group = |(name, members): &(String, Vec<u32>)| Group::new(name, members.clone());
        mesh.cell_groups = groups.iter().map(group).collect();
        merge_numbered(&mut mesh.cell_groups);
        Ok(mesh)
    }

    /// 2 for a surface, else 3.
    pub fn dimension(&self) -> usize {
        self.shapes.first().map_or(3, |shape| shape.dimension())
    }

    /// Nodes of a cell, in VTK's order.
    pub fn cell(&self, c: usize) -> &[u32] {
        &self.nodes[if c == 0 { 0 } else { self.ends[c - 1] }..self.ends[c]]
    }

    /// Corners of a side, outward, as places among the corners of its cell.
    pub fn side_corners(&self, CellSide { cell, side }: CellSide) -> Vec<usize> {
        let side = self.shapes[cell as usize].sides()[usize::from(side)];
        side.iter().rev().copied().collect()
    }

    /// Corners of a side, outward.
    pub fn side(&self, side: CellSide) -> Vec<u32> {
        let cell = self.cell(side.cell as usize);
        self.side_corners(side).into_iter().map(|i| cell[i]).collect()
    }

    /// Shape of a side.
    pub fn side_shape(&self, side: CellSide) -> CellShape {
        match self.side_corners(side).len() {
            3 => CellShape::Triangle,
            _ => CellShape::Quad,
        }
    }

    /// All nodes of a side of a cell.
    pub fn side_nodes(&self, side: CellSide) -> Vec<u32> {
        let corners = self.side_corners(side);
        let cell = self.cell(side.cell as usize);
        if self.order == 1 {
            return corners.into_iter().map(|i| cell[i]).collect();
        }
        // the side lies where all its corners have one end of an axis
        let of = |d: usize| corners.iter().map(move |&i| CORNERS[i][d]);
        let fixed = (0..3).find(|&d| of(d).all(|end| Some(end) == of(d).next())).unwrap_or(0);
        let end = CORNERS[corners[0]][fixed] * self.order;
        let on_side = hexahedron_order(self.order).into_iter().zip(cell);
        on_side.filter(|(at, _)| at[fixed] == end).map(|(_, &node)| node).collect()
    }

    /// Cells by the groups that they are in.
    pub fn cell_classes(&self) -> Partition {
        Partition::new(self.shapes.len(), &self.cell_groups)
    }

    /// Faces by the groups that they are in.
    pub fn face_classes(&self) -> Partition {
        Partition::new(self.faces.len(), &self.face_groups)
    }

    /// The sides that no other cell shares.
    pub fn boundary(&self) -> Vec<CellSide> {
        let mut once: HashMap<[u32; 4], Option<CellSide>> = HashMap::new();
        self.for_each_side(|side, key| {
            once.entry(key).and_modify(|own| *own = None).or_insert(Some(side));
        });
        let mut sides: Vec<CellSide> = once.into_values().flatten().collect();
        sides.sort_unstable();
        sides
    }

    /// Keeps the nodes of hexahedra at these places alone, in this order, and drops the nodes that
    /// no cell has then.
    pub fn keep_hexahedron_nodes(&mut self, places: &[usize]) {
        let (mut nodes, mut ends) = (Vec::new(), Vec::new());
        for (c, &shape) in self.shapes.iter().enumerate() {
            let own = self.cell(c);
            match shape {
                CellShape::Hexahedron => nodes.extend(places.iter().map(|&place| own[place])),
                _ => nodes.extend_from_slice(own),
            }
            ends.push(nodes.len());
        }
        (self.nodes, self.ends) = (nodes, ends);
    }

    /// Takes points away that no cell has, and numbers the others anew.
    pub fn drop_unused(&mut self) {
        let used = marked_vertices(self.points.len(), &self.nodes);
        if used.iter().all(|&used| used) {
            return;
        }
        let mut new = vec![0; used.len()];
        let kept: Vec<u32> = (0..used.len() as u32).filter(|&v| used[v as usize]).collect();
        (0..).zip(&kept).for_each(|(i, &v)| new[v as usize] = i);
        self.nodes.iter_mut().for_each(|node| *node = new[*node as usize]);
        self.points = kept.iter().map(|&v| self.points[v as usize]).collect();
        for array in &mut self.point_arrays {
            let row = |&v: &u32| &array.values[v as usize * array.width..][..array.width];
            array.values = kept.iter().flat_map(row).copied().collect();
        }
    }

    /// Makes groups of faces of those that a file lists, by their keys, and of groups of sides.
    fn add_faces(
        &mut self,
        listed: &[[u32; 4]],
        groups: &[Group],
        side_groups: &[SideGroup],
    ) -> Result<()> {
        let key = |side: &CellSide| face_key(&self.side(*side));
        let of_sides: Vec<Vec<[u32; 4]>> =
            side_groups.iter().map(|group| group.sides.iter().map(key).collect()).collect();
        let wanted = listed.iter().chain(of_sides.iter().flatten());
        let mut places: HashMap<[u32; 4], Option<u32>> = wanted.map(|&key| (key, None)).collect();
        if places.is_empty() {
            return Ok(());
        }
        let corners = places.keys().flatten().filter(|&&v| v != u32::MAX);
        let marked = marked_vertices(self.points.len(), corners);
        let mut faces = Vec::new();
        self.for_each_side(|side, key| {
            let is_marked = |&v: &u32| v == u32::MAX || marked[v as usize];
            if key.iter().all(is_marked)
                && let Some(place @ None) = places.get_mut(&key)
            {
                *place = Some(faces.len() as u32);
                faces.push(side);
            }
        });
        self.faces = faces;
        let unknown = listed.iter().filter(|key| places[*key].is_none()).count();
        if unknown > 0 {
            let why = format!("{} of groups belong to no cell", counted(unknown, "face"));
            return Err(Error::mesh(why).with_help("take them out of the groups, or write a .vtu"));
        }
        let member = |key: &[u32; 4]| places[key];
        let listed = groups.iter().map(|group| {
            let members = group.members.iter().filter_map(|&m| member(&listed[m as usize]));
            Group { members: members.collect(), ..group.clone() }
        });
        let of_sides = side_groups
            .iter()
            .zip(&of_sides)
            .map(|(group, keys)| Group::new(&group.name, keys.iter().filter_map(member).collect()));
        self.face_groups = listed.chain(of_sides).filter(|g| !g.members.is_empty()).collect();
        for group in &mut self.face_groups {
            group.members.sort_unstable();
            group.members.dedup();
        }
        merge_numbered(&mut self.face_groups);
        Ok(())
    }

    /// What the groups of a control mesh are in a file, without its cells and nodes.
    pub fn of_groups(solid: &SolidMesh) -> Self {
        let mut mesh = Self { order: 1, ..Self::default() };
        mesh.shapes = vec![CellShape::Hexahedron; solid.cells.len()];
        for array in &solid.cell_data {
            match array.group_name() {
                Some(_) if array.members().next().is_none() => {}
                Some(name) => mesh.cell_groups.push(Group::new(name, array.members().collect())),
                None => mesh.cell_arrays.push(RealArray {
                    name: array.name.clone(),
                    width: array.width,
                    values: array.values.clone(),
                }),
            }
        }
        mesh.cell_groups.extend(take_regions(&mut mesh.cell_arrays));
        merge_numbered(&mut mesh.cell_groups);
        let mut places: HashMap<[u32; 4], u32> = HashMap::new();
        for group in solid.face_groups.iter().filter(|group| !group.faces.is_empty()) {
            let mut members = Vec::new();
            for face in group.faces.iter() {
                let next = places.len() as u32;
                members.push(*places.entry(face_key(face)).or_insert(next));
            }
            members.sort_unstable();
            members.dedup();
            mesh.face_groups.push(Group::new(&group.name, members));
        }
        merge_numbered(&mut mesh.face_groups);
        mesh.faces = vec![CellSide { cell: 0, side: 0 }; places.len()];
        mesh
    }

    fn for_each_side(&self, mut visit: impl FnMut(CellSide, [u32; 4])) {
        for (cell, shape) in (0_u32..).zip(&self.shapes) {
            let nodes = self.cell(cell as usize);
            for (side, corners) in (0..).zip(shape.sides()) {
                let mut key = [u32::MAX; 4];
                key.iter_mut().zip(*corners).for_each(|(k, &i)| *k = nodes[i]);
                key.sort_unstable();
                visit(CellSide { cell, side }, key);
            }
        }
    }
}

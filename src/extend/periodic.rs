//! Ghosts of a periodic solid: images of its own cells.
//!
//! A cell of the solid depends on the cells around its corners alone. So the images that touch a
//! vertex of the solid are all that its limit needs to be that of the unbounded solid.

use std::collections::{HashMap, HashSet};

use super::check_no_ghosts;
use super::report::ExtensionReport;
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::mesh::{CellArray, Crease, Lattice, PeriodicVertices, SolidMesh, rounding, sorted};
use crate::topology::Topology;

/// A vertex by the first of its images, and its steps along the periods.
type ImageKey = (u32, [i32; 3]);

/// Adds the images of cells that touch a solid as ghosts, so that its limit is that of the solid
/// repeated by all translations of a lattice. Vertices at the ends of a period that are images of
/// each other but for a small part of an edge are moved to be so exactly. Creases, corners, attributes
/// and cell arrays go along; groups have no ghosts. Creases around faces at the ends of a period are
/// left out: they are of the solid cut off there.
///
/// # Errors
/// [`Error::Request`] for a mesh that has ghosts already, and if the boundary does not lie one
/// period from itself anywhere; [`Error::Mesh`] for a defect of the mesh, two vertices in one place,
/// and a face at the end of a period without an image at the other end.
pub fn extend_periodic(
    mesh: &SolidMesh,
    lattice: &Lattice,
) -> Result<(SolidMesh, ExtensionReport)> {
    let topology = Topology::of_mesh(mesh)?;
    check_no_ghosts(&topology)?;
    topology.validate(&mesh.points)?;
    let vertices = PeriodicVertices::new(mesh, lattice)?;
    let mut images = Images::new(mesh, lattice, &vertices);
    let ends = images.check_matched(&topology)?;
    images.drop_creases(&ends);
    images.add_cells(&topology);
    Ok(images.finish())
}

/// A solid that gets its images.
struct Images<'a> {
    mesh: &'a SolidMesh,
    lattice: &'a Lattice,
    vertices: &'a PeriodicVertices,
    // those of the solid, then those of ghosts
    numbers: HashMap<ImageKey, u32>,
    // of every vertex that ghosts add, the one of the solid
    added: Vec<(u32, [i32; 3])>,
    // of every ghost, the cell of the solid
    ghosts: Vec<u32>,
    // by the lesser of its vertices
    creases: HashMap<u32, Vec<Crease>>,
    dropped_creases: usize,
    result: SolidMesh,
}

impl<'a> Images<'a> {
    fn new(mesh: &'a SolidMesh, lattice: &'a Lattice, vertices: &'a PeriodicVertices) -> Self {
        let key = |v: u32| (vertices.first[v as usize], vertices.steps[v as usize]);
        let used = (0..mesh.cells.len()).flat_map(|c| mesh.cells.vertices(c).iter().copied());
        let numbers = used.map(|v| (key(v), v)).collect();
        let (added, ghosts, creases) = Default::default();
        let (dropped_creases, result) = (0, mesh.clone());
        Self { mesh, lattice, vertices, numbers, added, ghosts, creases, dropped_creases, result }
    }

    /// The image of a vertex some steps on.
    fn key(&self, v: u32, steps: [i32; 3]) -> ImageKey {
        let own = self.vertices.steps[v as usize];
        (self.vertices.first[v as usize], std::array::from_fn(|i| own[i] + steps[i]))
    }

    /// The steps from one vertex to another.
    fn steps(&self, from: u32, to: u32) -> [i32; 3] {
        let [from, to] = [from, to].map(|v| self.vertices.steps[v as usize]);
        std::array::from_fn(|i| to[i] - from[i])
    }

    /// Of each class of images with several vertices of the solid these, by the first.
    fn classes(&self) -> HashMap<u32, Vec<u32>> {
        let mut classes: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut own: Vec<u32> = self.numbers.values().copied().collect();
        own.sort_unstable();
        for v in own {
            classes.entry(self.vertices.first[v as usize]).or_default().push(v);
        }
        classes.retain(|_, members| members.len() > 1);
        classes
    }

    /// Checks that faces at one end of a period have their image at the other; returns the edges of
    /// these faces.
    fn check_matched(&self, topology: &Topology) -> Result<HashSet<[u32; 2]>> {
        let classes = self.classes();
        let boundary = (0..topology.face_count() as u32).filter(|&f| topology.is_boundary_face(f));
        let faces: Vec<&[u32]> = boundary.map(|f| topology.face_vertices(f)).collect();
        let known: HashSet<Vec<u32>> = faces.iter().map(|face| sorted(face)).collect();
        let mut edges = HashSet::new();
        let mut unmatched = None;
        for face in faces {
            stop_point();
            let members = classes.get(&self.vertices.first[face[0] as usize]);
            let mut others = members.into_iter().flatten().filter(|&&v| v != face[0]);
            let has_image = others.any(|&other| {
                let steps = self.steps(face[0], other);
                let image = face.iter().map(|&v| self.numbers.get(&self.key(v, steps)).copied());
                let image: Option<Vec<u32>> = image.collect();
                image.is_some_and(|image| known.contains(&sorted(&image)))
            });
            if has_image {
                let next = face.iter().cycle().skip(1);
                edges.extend(face.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)]));
            } else if self.vertices.is_at_end(face) {
                unmatched = unmatched.or(Some(face));
            }
        }
        if edges.is_empty() {
            let periods = self.lattice.periods();
            return Err(Error::request(format!("no face lies {periods:?} from another"))
                .with_help("give the translations from one end of the solid to the other"));
        }
        let Some(face) = unmatched else { return Ok(edges) };
        let ids = Vertex.ids(face.iter().copied());
        Err(Error::mesh(message!("the boundary face of ", ids, " has no image one period on"))
            .with_help("both ends of a period need the same faces: mesh them as copies"))
    }

    /// Takes creases of edges away, and sorts the others.
    fn drop_creases(&mut self, edges: &HashSet<[u32; 2]>) {
        let own = &mut self.result.creases.edges;
        own.retain(|crease| !edges.contains(&crease.edge().map(|v| v.0)));
        self.dropped_creases = self.mesh.creases.edges.len() - own.len();
        for crease in own {
            self.creases.entry(crease.edge()[0].0).or_default().push(*crease);
        }
    }

    fn add_cells(&mut self, topology: &Topology) {
        let classes = self.classes();
        let mut seen = HashSet::new();
        for cell in 0..self.mesh.cells.len() {
            stop_point();
            for &v in self.mesh.cells.vertices(cell) {
                let members = classes.get(&self.vertices.first[v as usize]);
                for &other in members.into_iter().flatten().filter(|&&other| other != v) {
                    let steps = self.steps(other, v);
                    for &image in topology.vertex_cells(other) {
                        if seen.insert((image, steps)) {
                            self.add_cell(image, steps);
                        }
                    }
                }
            }
        }
    }

    fn add_cell(&mut self, cell: u32, steps: [i32; 3]) {
        let mesh = self.mesh;
        let mut numbers = HashMap::new();
        for &v in mesh.cells.vertices(cell as usize) {
            let key = self.key(v, steps);
            let next = (mesh.points.len() + self.added.len()) as u32;
            let number = *self.numbers.entry(key).or_insert(next);
            if number == next {
                self.added.push((v, steps));
            }
            numbers.insert(v, number);
        }
        self.result.cells.push_from(&mesh.cells, cell as usize, |v| numbers[&v]);
        self.ghosts.push(cell);
        let is_new = |v: u32| v as usize >= mesh.points.len();
        let edges = mesh.cells.vertices(cell as usize).iter().filter_map(|v| self.creases.get(v));
        for crease in edges.flatten() {
            if let [Some(&a), Some(&b)] = crease.edge().map(|v| numbers.get(&v.0))
                && (is_new(a) || is_new(b))
            {
                self.result.creases.push_edge(a, b, crease.sharpness);
            }
        }
    }

    fn finish(self) -> (SolidMesh, ExtensionReport) {
        let Self { mesh, lattice, vertices, added, ghosts, dropped_creases, mut result, .. } = self;
        let moved = |v: u32, steps: [i32; 3]| {
            let (point, translation) = (mesh.points[v as usize], lattice.translation(steps));
            std::array::from_fn(|d| point[d] + translation[d])
        };
        let rounding = rounding(&mesh.points);
        for v in 0..mesh.points.len() as u32 {
            let first = vertices.first[v as usize];
            let [from, to] = [first, v].map(|v| vertices.steps[v as usize]);
            let exact: [f64; 3] = moved(first, std::array::from_fn(|i| to[i] - from[i]));
            let point = &mut result.points[v as usize];
            if (0..3).any(|d| (exact[d] - point[d]).abs() > rounding) {
                *point = exact;
            }
        }
        let point = |&(v, steps): &(u32, [i32; 3])| {
            let (point, translation) = (result.points[v as usize], lattice.translation(steps));
            std::array::from_fn(|d| point[d] + translation[d])
        };
        let points: Vec<[f64; 3]> = added.iter().map(point).collect();
        result.points.extend(points);
        for corner in &mesh.creases.corners {
            let new = (mesh.points.len() as u32..).zip(&added);
            for (number, _) in new.filter(|(_, (v, _))| *v == corner.vertex.0) {
                result.creases.push_corner(number, corner.sharpness);
            }
        }
        for attribute in &mut result.attributes {
            for &(v, _) in &added {
                let row = attribute.width * v as usize;
                attribute.values.extend_from_within(row..row + attribute.width);
            }
        }
        for array in &mut result.cell_data {
            for &cell in &ghosts {
                let row = array.width * cell as usize;
                let is_group = array.group_name().is_some();
                array.values.extend_from_within(row..row + array.width);
                let end = array.values.len() - array.width;
                array.values[end..].iter_mut().filter(|_| is_group).for_each(|x| *x = 0.0);
            }
        }
        let cells = result.cells.len();
        result.cell_data.push(CellArray::ghosts(cells, mesh.cells.len() as u32..cells as u32));
        result.creases.keep_last();
        result.periods = lattice.periods().to_vec();
        let report = ExtensionReport {
            ghosts: ghosts.len(),
            vertices: added.len(),
            periods: result.periods.clone(),
            dropped_creases,
            ..ExtensionReport::default()
        };
        (result, report)
    }
}

//! Building structures: a net as a small mesh of its own, refined once by the very
//! rules that refine whole meshes; its children's nets give the rows.

use std::sync::Arc;

use super::frame::{VTK_CORNER, Walker};
use super::library::Library;
use super::memo::Memo;
use super::net;
use super::structure::{
    AxisPermutation, Domain, NetKey, NetRows, NextLevel, Powers, Sibling, SiblingKind, Structure,
};
use super::{Class, classify};
use crate::basis::MissingLayers;
use crate::mesh::{CORNERS, Creases};
use crate::refine::{Refinement, hexahedra, refine};
use crate::scheme::VertexRule;
use crate::topology::{Sharpness, Star, Topology, stars};

impl Library {
    /// The structure of a planar net by its [`net::PlanarNet::key`]; `None` if the net cannot be
    /// evaluated.
    pub(super) fn planar(&self, key: &NetKey, depth: usize) -> Option<Arc<Structure>> {
        self.planar
            .find(key, depth, || NetMesh::extruded(key).structure(Domain::Square, key, self, depth))
    }

    /// The structure of a spatial net by its [`net::SpatialNet::key`]; `None` if the net cannot be
    /// evaluated.
    pub(super) fn spatial(&self, key: &NetKey, depth: usize) -> Option<Arc<Structure>> {
        self.spatial.find(key, depth, || NetMesh::of(key).structure(Domain::Cube, key, self, depth))
    }
}

/// A net as a small mesh of its own; cell 0 is the one to evaluate.
struct NetMesh {
    // corners in binary order
    cells: Vec<[u16; 8]>,
    sharp_edges: Vec<[u16; 2]>,
    fixed: Vec<u16>,
    controls: usize,
}

impl NetMesh {
    /// The mesh of a spatial net by its [`net::SpatialNet::key`].
    pub fn of(key: &NetKey) -> Self {
        let (cells, sharp_edges, fixed) = net::spatial_sections(key);
        let controls = cells.iter().flatten().max().map_or(0, |&m| m as usize + 1);
        Self { cells, sharp_edges, fixed, controls }
    }

    /// Four layers of a planar net (three slabs of cells), the middle slab first.
    pub fn extruded(key: &NetKey) -> Self {
        let (quads, sharp) = key.split_at(key.len() - 4);
        let lines = quads.iter().max().map_or(0, |&m| m + 1);
        let mut cells = Vec::new();
        for slab in [1, 0, 2] {
            for quad in quads.chunks_exact(4) {
                let corner = |bits: usize| quad[bits % 4] + lines * (slab + bits as u16 / 4);
                cells.push(std::array::from_fn(corner));
            }
        }
        let mut sharp_edges = Vec::new();
        for (&line, _) in quads.iter().zip(sharp).filter(|&(_, &sharp)| sharp == 1) {
            for slab in 0..3 {
                sharp_edges.push([line + lines * slab, line + lines * (slab + 1)]);
            }
        }
        Self { cells, sharp_edges, fixed: Vec::new(), controls: 4 * lines as usize }
    }

    /// Refines the mesh and reads the structure of its cell 0 off the children, in
    /// the plane or in space; `None` if some child evaluates in neither way.
    pub fn structure(
        &self,
        domain: Domain,
        key: &NetKey,
        library: &Library,
        depth: usize,
    ) -> Option<Structure> {
        let (dimension, is_spatial) = (domain.dimension(), domain == Domain::Cube);
        let step = NetRefinement::of(self, library.vertex_rule())?;
        let child = |k: usize| step.children[VTK_CORNER[k]];
        let frame = |k: usize| step.walker().frame(child(k), AxisPermutation::IDENTITY);
        // in the plane the net is constant along its four layers
        let controls = if is_spatial { self.controls } else { self.controls / 4 };
        let mut rows = NetRows::new(&step.refinement.stencils, controls);
        let walker = step.walker();
        let mut siblings = Vec::new();
        for k in 1..1 << dimension {
            let sibling = match step.class(child(k)) {
                Class::Regular => {
                    let mut net = [0; 64];
                    let regular = net::RegularNet::around(&walker, child(k));
                    regular.write(&walker, &mut net);
                    // in the plane any one layer will do; layer 1 always exists
                    let net = if is_spatial { &net[..] } else { &net[16..32] };
                    let mut net = rows.net(net);
                    rows.fold_phantoms(&mut net, dimension, regular.ends);
                    Sibling::tensor(net)
                }
                Class::Layered(permutation) if is_spatial => {
                    let (permutation, planar) = best_planar(
                        &walker,
                        &step.sharpness,
                        child(k),
                        permutation,
                        &Memo::default(),
                    );
                    let mut net = rows.net(&planar.net);
                    fold_layer_phantoms(&mut rows, &mut net, planar.ends);
                    let planar = library.planar(&planar.least.key, depth + 1)?;
                    Sibling { net, kind: SiblingKind::Layered { planar, permutation } }
                }
                _ => return None,
            };
            siblings.push(sibling);
        }
        let (child_key, net) = if is_spatial {
            let net = net::spatial(&walker, &step.sharpness, &frame(0));
            (net.key, net.vertices)
        } else {
            let net = net::planar(&walker, &step.sharpness, &frame(0));
            (net.key, net.lines.iter().map(|line| line[0]).collect())
        };
        let net = rows.net(&net);
        let step = rows.selected(&net);
        let next = if child_key == *key {
            NextLevel::Stationary(Powers::new(step).into())
        } else if is_spatial {
            NextLevel::Then { step, structure: library.spatial(&child_key, depth + 1)? }
        } else {
            NextLevel::Then { step, structure: library.planar(&child_key, depth + 1)? }
        };
        Some(Structure::of_parts(domain, rows.finish(), siblings, next))
    }
}

/// The better of the two planar walks of a layered cell: the smaller key.
pub(super) fn best_planar(
    walker: &Walker,
    sharpness: &Sharpness,
    cell: u32,
    permutation: AxisPermutation,
    memo: &Memo,
) -> (AxisPermutation, net::LeastPlanarNet) {
    let swap = |[a, b, c]: [u8; 3]| [b, a, c];
    let flips = permutation.flips;
    let other =
        AxisPermutation { axes: swap(permutation.axes), flips: [flips[1], flips[0], flips[2]] };
    let permutations = [permutation, other];
    let starts = permutations.map(|permutation| walker.frame(cell, permutation));
    let planar = net::least_planar(walker, sharpness, &starts, memo);
    (permutations[planar.least.start], planar)
}

/// One refinement step of a mesh around its cell 0.
struct NetRefinement {
    refinement: Refinement,
    topology: Topology,
    sharpness: Sharpness,
    stars: Vec<Star>,
    // children of cell 0 by VTK corner
    children: [u32; 8],
}

impl NetRefinement {
    fn of(mesh: &NetMesh, rule: VertexRule) -> Option<Self> {
        let vtk = |cell: &[u16; 8]| {
            let mut corners = [0; 8];
            (0..8).for_each(|bits| corners[VTK_CORNER[bits]] = u32::from(cell[bits]));
            corners
        };
        let cells: Vec<_> = mesh.cells.iter().map(vtk).collect();
        let mut creases = Creases::default();
        for &[a, b] in &mesh.sharp_edges {
            creases.push_edge(a.into(), b.into(), f64::INFINITY);
        }
        for &v in &mesh.fixed {
            creases.push_corner(v.into(), f64::INFINITY);
        }
        let topology = Topology::build(hexahedra(&cells), mesh.controls).ok()?;
        let sharpness = Sharpness::resolve(&creases, &topology).ok()?;
        let coarse_stars = stars(&topology, &sharpness);
        let refinement = refine(&topology, &sharpness, &coarse_stars, rule, Some(&[0]));
        let topology =
            Topology::build(hexahedra(&refinement.cells), refinement.stencils.len()).ok()?;
        let sharpness = Sharpness::resolve(&refinement.creases, &topology).ok()?;
        let stars = stars(&topology, &sharpness);
        let mut children = [0; 8];
        for (i, &(parent, corner)) in refinement.parents.iter().enumerate() {
            if parent == 0 {
                children[corner as usize] = i as u32;
            }
        }
        Some(Self { refinement, topology, sharpness, stars, children })
    }

    fn walker(&self) -> Walker<'_> {
        Walker::new(&self.topology)
    }

    fn class(&self, cell: u32) -> Class {
        let corners = &self.refinement.cells[cell as usize];
        classify(&self.topology, &self.sharpness, &self.stars, corners)
    }
}

/// [`NetRows::fold_phantoms`] for the layers of a net `[layer 4][line]`.
fn fold_layer_phantoms(rows: &mut NetRows<'_>, net: &mut [u16], ends: MissingLayers) {
    let lines = net.len() / 4;
    for line in 0..lines {
        let [_, low, high, _] = [0, 1, 2, 3].map(|layer| net[layer * lines + line]);
        if ends.low() {
            net[line] = rows.phantom([low, low, high]);
        }
        if ends.high() {
            net[3 * lines + line] = rows.phantom([high, high, low]);
        }
    }
}

/// Offsets of VTK corners and binary corners agree; checked at compile time.
const _: () = {
    let mut bits = 0;
    while bits < 8 {
        let offset = CORNERS[VTK_CORNER[bits]];
        assert!(offset[0] + 2 * offset[1] + 4 * offset[2] == bits);
        bits += 1;
    }
};

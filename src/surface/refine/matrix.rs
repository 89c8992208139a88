//! Levels on the mesh matrix: Catmull-Clark and bilinear quads, Loop's triangles.

use std::borrow::Cow;

use super::four_triangles::TrianglePass;
use super::quads::QuadPass;
use super::sharpness::LevelSharpness;
use super::split::{
    WantedLists, first_edge_point, split_quads_twice, split_to_quads, split_to_triangles,
};
use super::workspace::Workspace;
use crate::error::Result;
use crate::mesh::{CreaseRule, SurfaceMesh};
use crate::numbers::Real;
use crate::scheme::{Scheme, Split};
use crate::topology::surface::SurfaceTopology;

/// One step: the lists that are wanted of the refined topology, in the memory of another.
type SplitFaces = fn(&SurfaceTopology, WantedLists, SurfaceTopology) -> SurfaceTopology;

/// One step of a scheme whose faces are nested.
pub(in crate::surface) fn split_of(split: Split) -> SplitFaces {
    match split {
        Split::Quads => split_to_quads,
        Split::FourTriangles | Split::ThreeTriangles => split_to_triangles,
    }
}

/// The topology of all levels.
#[derive(Clone, Debug)]
pub struct MatrixLevels {
    /// Level 0, then quads or triangles; the last has vertices only, and of quads the one before
    /// counts only if its parents are quads.
    topologies: Vec<SurfaceTopology>,
    /// Sharpness at each level but the last.
    sharpness: Vec<LevelSharpness>,
    pass: MatrixPass,
}

/// How the points of a level are gathered.
#[derive(Clone, Debug)]
enum MatrixPass {
    Quads(QuadPass),
    Triangles(TrianglePass),
}

impl MatrixLevels {
    /// Builds `levels` levels over a control mesh that has been checked, of triangles if the scheme
    /// wants these, in the memory of `spare`.
    pub(in crate::surface) fn build(
        mesh: &SurfaceMesh,
        topology: SurfaceTopology,
        scheme: Scheme,
        levels: usize,
        crease_rule: CreaseRule,
        spare: Option<Self>,
    ) -> Result<Self> {
        let (kind, linear) = (scheme.split(), scheme.rules().is_linear());
        let (is_quads, split) = (kind == Split::Quads, split_of(kind));
        let mut first = LevelSharpness::of(mesh, &topology, crease_rule)?;
        if is_quads {
            first = first.with_triangles(mesh.triangle_rule, &topology);
        }
        let mut sharpness = vec![first];
        let mut spare = spare.map_or_else(Vec::new, |spare| spare.topologies).into_iter().skip(1);
        let mut topologies = vec![topology];
        while topologies.len() <= levels {
            let coarse = &topologies[topologies.len() - 1];
            let left = levels + 1 - topologies.len();
            // linear steps read the edges of every level
            if left == 2 && topologies.len() > 1 && is_quads && !linear {
                let [middle, fine] = split_quads_twice(coarse, spare.nth(1).unwrap_or_default());
                topologies.extend([middle, fine]);
            } else {
                let lists = if left == 1 { WantedLists::Vertices } else { WantedLists::All };
                topologies.push(split(coarse, lists, spare.next().unwrap_or_default()));
            }
        }
        for level in 1..levels {
            let first_edge_point = first_edge_point(&topologies[level - 1], kind);
            sharpness.push(sharpness[level - 1].refined(first_edge_point, crease_rule));
        }
        let pass = if is_quads {
            MatrixPass::Quads(QuadPass::new(&topologies, linear))
        } else {
            MatrixPass::Triangles(TrianglePass::new(&topologies))
        };
        Ok(Self { topologies, sharpness, pass })
    }

    /// One level over a topology whose sharpness is known.
    pub(in crate::surface) fn first_step(
        topology: SurfaceTopology,
        kind: Split,
        sharpness: LevelSharpness,
    ) -> Self {
        let fine = split_of(kind)(&topology, WantedLists::Vertices, SurfaceTopology::default());
        let topologies = vec![topology, fine];
        let pass = match kind {
            Split::Quads => MatrixPass::Quads(QuadPass::new(&topologies, false)),
            _ => MatrixPass::Triangles(TrianglePass::new(&topologies)),
        };
        Self { topologies, sharpness: vec![sharpness], pass }
    }

    /// The topology of each level. The last has vertices only; of quads from level 2 on, the one
    /// before the last has no lists.
    pub fn topologies(&self) -> &[SurfaceTopology] {
        &self.topologies
    }

    /// The topologies of all levels but the last, with all lists.
    pub(in crate::surface) fn whole_matrices(
        &self,
    ) -> impl Iterator<Item = Cow<'_, SurfaceTopology>> {
        let coarse = &self.topologies[..self.topologies.len() - 1];
        coarse.iter().enumerate().map(|(level, topology)| {
            if topology.vertices.len() == topology.corner_count {
                return Cow::Borrowed(topology);
            }
            let parents = &self.topologies[level - 1];
            let split = split_of(self.split());
            Cow::Owned(split(parents, WantedLists::All, SurfaceTopology::default()))
        })
    }

    /// Sharp edges and vertices of each level but the last.
    pub fn sharpness(&self) -> &[LevelSharpness] {
        &self.sharpness
    }

    /// How faces are split.
    pub(in crate::surface) fn split(&self) -> Split {
        match self.pass {
            MatrixPass::Quads(_) => Split::Quads,
            MatrixPass::Triangles(_) => Split::FourTriangles,
        }
    }

    /// The last level, of which there are vertices only.
    pub(in crate::surface) fn last(&self) -> &SurfaceTopology {
        &self.topologies[self.topologies.len() - 1]
    }

    /// Points of the last level from the points of level 0 in `workspace`.
    pub(in crate::surface) fn evaluate<T: Real>(&self, workspace: &mut Workspace<T>) {
        for (level, fine) in self.topologies[1..].iter().enumerate() {
            let (points, refined) = workspace.next(fine.vertex_count);
            match &self.pass {
                MatrixPass::Quads(pass) => pass.gather(&self.topologies, level, points, refined),
                MatrixPass::Triangles(pass) => {
                    pass.gather(&self.topologies[level], level, points, refined);
                }
            }
            if matches!(&self.pass, MatrixPass::Quads(pass) if pass.linear) {
                continue;
            }
            let first_edge_point = first_edge_point(&self.topologies[level], self.split());
            let (others, edge_points) = refined.split_at_mut(first_edge_point as usize);
            self.sharpness[level].sharpen_edges(points, edge_points);
            self.sharpness[level].sharpen_vertices(points, others);
        }
    }
}

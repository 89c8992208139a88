//! Texture coordinates of a refined mesh: a surface of their own over the same faces, whose
//! vertices are the different values at each vertex of the mesh. It ends at seams. Its rules are
//! as in OpenSubdiv (`Far::PrimvarRefiner`, `Vtr::FVarLevel`).

use std::collections::{HashMap, HashSet};

use crate::error::Result;
use crate::mesh::{FaceVarying, LinearInterpolation, SurfaceMesh};
use crate::scheme::Split;
use crate::surface::SurfaceOptions;
use crate::surface::refine::matrix::{MatrixLevels, split_of};
use crate::surface::refine::sharpness::{LevelSharpness, SharpEdge};
use crate::surface::refine::split::{WantedLists, first_edge_point};
use crate::surface::refine::workspace::Workspace;
use crate::topology::NONE;
use crate::topology::surface::{
    Columns, SurfaceTopology, is_non_manifold, non_manifold_corners, non_manifold_edges,
};

/// The texture coordinates of the refined mesh of `mesh`; none by √3.
pub(super) fn refine_uv(
    mesh: &SurfaceMesh,
    options: &SurfaceOptions,
) -> Result<Option<FaceVarying>> {
    let Some(uv) = &mesh.uv else { return Ok(None) };
    if !options.scheme.split().is_nested() {
        return Ok(None);
    }
    let is_linear = uv.linear == LinearInterpolation::All || options.scheme.rules().is_linear();
    let refined = if is_linear || options.levels == 0 {
        refine_linearly(mesh, uv, options)
    } else {
        refine_smoothly(mesh, uv, options)?
    };
    Ok(Some(refined))
}

fn refine_linearly(mesh: &SurfaceMesh, uv: &FaceVarying, options: &SurfaceOptions) -> FaceVarying {
    let columns = Columns::of(&mesh.faces);
    let mut topology = SurfaceTopology::build(uv.values.len(), columns, uv.corners.clone());
    let mut values = uv.values.clone();
    for level in 0..options.levels {
        if options.scheme.split() == Split::Quads {
            for f in 0..topology.face_count as u32 {
                let corners = topology.columns.corners(f);
                let n = corners.len() as f64;
                let mut mean = [0.0; 2];
                for c in corners {
                    let value = values[topology.vertex(c) as usize];
                    mean = [mean[0] + value[0], mean[1] + value[1]];
                }
                values.push(mean.map(|sum| sum / n));
            }
        }
        for e in 0..topology.edge_count() as u32 {
            let [a, b] = topology.edge_ends(e).map(|v| values[v as usize]);
            values.push([(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]);
        }
        let last = level + 1 == options.levels;
        let lists = if last { WantedLists::Vertices } else { WantedLists::All };
        topology = split_of(options.scheme.split())(&topology, lists, SurfaceTopology::default());
    }
    FaceVarying { values, corners: topology.vertices, linear: uv.linear }
}

fn refine_smoothly(
    mesh: &SurfaceMesh,
    uv: &FaceVarying,
    options: &SurfaceOptions,
) -> Result<FaceVarying> {
    let (kind, split) = (options.scheme.split(), split_of(options.scheme.split()));
    let rule = options.crease_rule.unwrap_or(mesh.crease_rule);
    let columns = Columns::of(&mesh.faces);
    let mut surface = SurfaceTopology::of(mesh);
    let mut sharpness = LevelSharpness::of(mesh, &surface, rule)?;
    // equal indices at different vertices are different values
    let mut numbers = HashMap::new();
    let mut values: Vec<[f64; 3]> = Vec::new();
    let corners = mesh.faces.vertices().iter().zip(&uv.corners).map(|pair| {
        *numbers.entry(pair).or_insert_with(|| {
            let [u, v] = uv.values[*pair.1 as usize];
            values.push([u, v, 0.0]);
            values.len() as u32 - 1
        })
    });
    let corners: Vec<u32> = corners.collect();
    let mut seams = SurfaceTopology::build(values.len(), columns, corners);
    let dependent = FaceVaryingLevel::new(&surface, &seams, &sharpness, uv.linear).dependent();
    for level in 0..options.levels {
        let tags =
            FaceVaryingLevel::new(&surface, &seams, &sharpness, uv.linear).sharpness(&dependent);
        let mut workspace = Workspace::default();
        workspace.start(&values);
        let tags = match kind {
            Split::Quads if level == 0 => tags.with_triangles(mesh.triangle_rule, &seams),
            _ => tags,
        };
        MatrixLevels::first_step(seams.clone(), kind, tags).evaluate(&mut workspace);
        values = workspace.into_points();
        seams = split(&seams, WantedLists::All, SurfaceTopology::default());
        if level + 1 < options.levels {
            sharpness = sharpness.refined(first_edge_point(&surface, kind), rule);
            surface = split(&surface, WantedLists::All, SurfaceTopology::default());
        }
    }
    let values = values.into_iter().map(|[u, v, _]| [u, v]).collect();
    Ok(FaceVarying { values, corners: seams.vertices, linear: uv.linear })
}

/// A value that stays while its vertex is semi-sharp and the other value there has semi-sharp edges
/// between its faces, though its own faces have none; and that other value.
type DependentValues = Vec<[u32; 2]>;

/// The values of one level over the mesh of that level.
struct FaceVaryingLevel<'a> {
    surface: &'a SurfaceTopology,
    seams: &'a SurfaceTopology,
    sharpness: &'a LevelSharpness,
    linear: LinearInterpolation,
    /// Vertex of each value.
    vertices: Vec<u32>,
    /// Values at each vertex that has any, by vertex.
    values: Vec<(u32, u32)>,
    /// Sharp edges inside the faces of a value, by value: those that are not seams.
    inner: Vec<SharpEdge>,
    /// Inner edges at each value, by value: whether at its second end, and place in `inner`.
    at_values: Vec<(u32, usize, usize)>,
}

impl<'a> FaceVaryingLevel<'a> {
    fn new(
        surface: &'a SurfaceTopology,
        seams: &'a SurfaceTopology,
        sharpness: &'a LevelSharpness,
        linear: LinearInterpolation,
    ) -> Self {
        let mut vertices = vec![NONE; seams.vertex_count];
        for c in 0..seams.corner_count as u32 {
            vertices[seams.vertex(c) as usize] = surface.vertex(c);
        }
        let mut values: Vec<(u32, u32)> = (0..).zip(&vertices).map(|(w, &v)| (v, w)).collect();
        values.retain(|&(v, _)| v != NONE);
        values.sort_unstable();
        let mut inner = Vec::new();
        for (edge, &[c, other]) in (0..).zip(&seams.edge_corners) {
            let coarse = surface.edges[c as usize];
            let found = sharpness.edges.binary_search_by_key(&coarse, |sharp| sharp.edge);
            if let (Ok(i), true) = (found, other != NONE && !is_non_manifold(seams, edge)) {
                let sharp = &sharpness.edges[i];
                let ends = seams.edge_ends(edge);
                let halves = ends.map(|w| {
                    let second = vertices[w as usize] != sharp.ends[0];
                    sharp.halves[usize::from(second)]
                });
                inner.push(SharpEdge { edge, ends, sharpness: sharp.sharpness, halves });
            }
        }
        let ends = inner.iter().enumerate();
        let ends = ends.flat_map(|(i, sharp)| [(sharp.ends[0], 0, i), (sharp.ends[1], 1, i)]);
        let mut at_values: Vec<(u32, usize, usize)> = ends.collect();
        at_values.sort_unstable();
        Self { surface, seams, sharpness, linear, vertices, values, inner, at_values }
    }

    /// Sharpness of the inner edges at a value, and of their halves there.
    fn inner_at(&self, value: u32) -> impl Iterator<Item = (f64, f64)> {
        let start = self.at_values.partition_point(|at| at.0 < value);
        let row = self.at_values[start..].iter().take_while(move |at| at.0 == value);
        row.map(|&(_, end, i)| (self.inner[i].sharpness, self.inner[i].halves[end]))
    }

    fn is_plus(&self) -> bool {
        use LinearInterpolation::{CornersPlus1, CornersPlus2};
        matches!(self.linear, CornersPlus1 | CornersPlus2)
    }

    fn dependent(&self) -> DependentValues {
        let mut found = Vec::new();
        if !self.is_plus() {
            return found;
        }
        for at in self.values.chunk_by(|a, b| a.0 == b.0) {
            let &[(vertex, a), (_, b)] = at else { continue };
            let is_tagged = self.sharpness.corners.binary_search_by_key(&vertex, |c| c.0).is_ok();
            let [first, second] =
                [a, b].map(|w| self.inner_at(w).any(|(sharpness, _)| sharpness.is_finite()));
            match (first, second) {
                _ if is_tagged => {}
                (true, false) => found.push([b, a]),
                (false, true) => found.push([a, b]),
                _ => {}
            }
        }
        found.sort_unstable();
        found
    }

    /// What is sharp for one step.
    fn sharpness(&self, dependent: &DependentValues) -> LevelSharpness {
        let mut edges = self.inner.clone();
        let is_end = |edge: &u32| self.seams.edge_corners[*edge as usize][1] == NONE;
        let ends = (0..self.seams.edge_count() as u32).filter(is_end);
        edges.extend(ends.chain(non_manifold_edges(self.seams)).map(|edge| SharpEdge {
            edge,
            ends: self.seams.edge_ends(edge),
            sharpness: f64::INFINITY,
            halves: [f64::INFINITY; 2],
        }));
        edges.sort_unstable_by_key(|sharp| sharp.edge);
        let stays = self.stays();
        let semi_sharp = self.sharpness.edges.iter().filter(|sharp| sharp.sharpness.is_finite());
        let halves = semi_sharp.flat_map(|sharp| sharp.ends.into_iter().zip(sharp.halves));
        let stays_semi_sharp: HashSet<u32> =
            halves.filter(|&(_, half)| half > 0.0).map(|(vertex, _)| vertex).collect();
        let tags = (0..).zip(&self.vertices).filter_map(|(value, vertex)| {
            if stays[value as usize] {
                return Some((value, f64::INFINITY));
            }
            let corners = &self.sharpness.corners;
            if let Ok(i) = corners.binary_search_by_key(vertex, |corner| corner.0) {
                return Some((value, corners[i].1));
            }
            let i = dependent.binary_search_by_key(&value, |pair| pair[0]).ok()?;
            // one step after the other value's last semi-sharp edge it is like any other value,
            // any sharp edge between the two
            let weight = self.weight_at(dependent[i][1]);
            let stays = weight > 0.0 && stays_semi_sharp.contains(vertex);
            let sharpness = if stays { f64::INFINITY } else { weight };
            (sharpness > 0.0).then_some((value, sharpness))
        });
        let tags = tags.collect();
        LevelSharpness::new(edges, tags)
    }

    /// Weight of the corner rule at a value whose inner edges are semi-sharp at last; 0 without
    /// any.
    fn weight_at(&self, value: u32) -> f64 {
        let (count, sum) =
            self.inner_at(value).fold((0, 0.0), |(count, sum), (s, _)| (count + 1, sum + s));
        if count == 0 { 0.0 } else { (sum / f64::from(count)).min(1.0) }
    }

    /// Values that stay by the rule of linear interpolation, and where the mesh or the values are
    /// no manifold.
    fn stays(&self) -> Vec<bool> {
        use LinearInterpolation as Linear;
        let (surface, seams) = (self.surface, self.seams);
        let mut differs = vec![false; surface.vertex_count];
        let mut at_end = vec![false; surface.vertex_count];
        let mut first = vec![NONE; surface.edge_count()];
        for (c, &edge) in surface.edges.iter().enumerate() {
            let first = &mut first[edge as usize];
            if *first == NONE {
                *first = seams.edges[c];
            } else if *first != seams.edges[c] {
                surface.edge_ends(edge).into_iter().for_each(|v| differs[v as usize] = true);
            }
        }
        for (edge, corners) in (0..).zip(&surface.edge_corners) {
            if corners[1] == NONE {
                surface.edge_ends(edge).into_iter().for_each(|v| at_end[v as usize] = true);
            }
        }
        let mut is_non_manifold = vec![false; surface.vertex_count];
        for edge in non_manifold_edges(surface) {
            surface.edge_ends(edge).into_iter().for_each(|v| is_non_manifold[v as usize] = true);
        }
        non_manifold_corners(surface).into_iter().for_each(|v| is_non_manifold[v as usize] = true);
        let mut is_disjoint = vec![false; seams.vertex_count];
        non_manifold_corners(seams).into_iter().for_each(|w| is_disjoint[w as usize] = true);
        let rows = seams.vertex_corners();
        let faces = |w: u32| rows.row(w as usize).len();
        let mut stays = vec![false; seams.vertex_count];
        for at in self.values.chunk_by(|a, b| a.0 == b.0) {
            let v = at[0].0 as usize;
            let differs = differs[v] || at.len() > 1;
            let any = |holds: &dyn Fn(u32) -> bool| at.iter().any(|&(_, w)| holds(w));
            let is_sharp = |w: u32| {
                is_disjoint[w as usize] || self.inner_at(w).any(|(s, _)| s == f64::INFINITY)
            };
            let all = match self.linear {
                _ if differs && is_non_manifold[v] => true,
                Linear::None | Linear::CornersOnly => false,
                Linear::CornersPlus1 | Linear::CornersPlus2 => {
                    let plus_2 = self.linear == Linear::CornersPlus2;
                    at.len() > 2
                        || at.len() == 2 && any(&is_sharp)
                        || plus_2 && at.len() == 2 && any(&|w| faces(w) == 1)
                        || plus_2 && at.len() == 1 && differs && !at_end[v]
                }
                Linear::Boundaries | Linear::All => differs || at_end[v],
            };
            for &(_, w) in at {
                let alone = self.linear != Linear::None && faces(w) == 1;
                stays[w as usize] = all || alone || differs && is_disjoint[w as usize];
            }
        }
        stays
    }
}

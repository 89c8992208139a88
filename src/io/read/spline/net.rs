//! Spline patches as cells of a mesh: exact control nets within ghosts, or quadratic cells.

use crate::error::Result;
use crate::io::exodus::hex_27;
use crate::io::read::assemble::Assembly;
use crate::io::read::curved::NodeOrder;
use crate::io::read::groups::MAX_FACE_GROUPS;
use crate::mesh::{CORNERS, VolumeShape};
use crate::numbers::counted;

use super::TensorSpline;
use super::uniform::SplineGrid;

/// Points of patches that are joined are in one place up to this part of the size of the mesh: files
/// round them.
const JOINED: f64 = 1e-5;

/// A patch of a file.
pub(in crate::io::read) struct Patch {
    pub spline: TensorSpline,
    /// What the file numbers it.
    pub number: i64,
    /// Whole number of its cells.
    pub reference: i64,
    /// 1-based line of the file, if there is one.
    pub line: Option<usize>,
}

/// A side of a patch: the axis (u, v, w) across it, and 0 at its start, 1 at its end.
pub(in crate::io::read) type Side = (usize, usize);

/// The cells of a patch: a grid of its knot spans.
pub(in crate::io::read) struct PatchCells {
    spans: [usize; 3],
    // [point of the grid, u fastest]: vertices of the mesh
    ids: Vec<u32>,
    // points of the grid that a span takes, and before the first one
    step: usize,
    margin: usize,
}

impl PatchCells {
    /// Points of the grid along an axis.
    fn size(&self, axis: usize) -> usize {
        self.step * self.spans[axis] + 2 * self.margin + 1
    }

    /// The vertex at a point of the grid.
    fn point(&self, [i, j, k]: [usize; 3]) -> u32 {
        self.ids[i + self.size(0) * (j + self.size(1) * k)]
    }

    /// Puts the faces of a side into a group.
    pub fn group_side(&self, assembly: &mut Assembly, (axis, end): Side, group: &str) {
        let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
        for (i, j) in (0..self.spans[b]).flat_map(|j| (0..self.spans[a]).map(move |i| (i, j))) {
            let corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[di, dj]| {
                let mut at = [0; 3];
                (at[axis], at[a], at[b]) = (end * self.spans[axis], i + di, j + dj);
                self.point(at.map(|x| self.margin + self.step * x))
            });
            let face = assembly.groups.push_face("faces of spline patches", &corners, &[]);
            assembly.groups.group_face(group, face);
        }
    }
}

/// Appends the cells of patches: exact ones if all patches have them, else quadratic ones. `join`
/// gives the points of patches, `[patch][u fastest]`, numbers of the whole file, by their counts along
/// the axes. Cells have references, and the sides of patches are groups `patch:N:u0` to `patch:N:w1`.
///
/// # Errors
/// Of `join`; if points of one number are in different places, or not finite.
pub(in crate::io::read) fn assemble(
    assembly: &mut Assembly,
    patches: &[Patch],
    join: impl FnOnce(&[[usize; 3]]) -> Result<Vec<Vec<u32>>>,
) -> Result<Vec<PatchCells>> {
    if patches.is_empty() {
        let found = assembly.left_out().join(", ");
        let found = if found.is_empty() { "nothing else".to_owned() } else { found };
        return Err(assembly
            .error(None, format!("the file has no spline volume (found: {found})"))
            .with_help("export the volumes, with three parameters and in space"));
    }
    let net =
        |patch: &Patch| patch.spline.net().map_err(|why| format!("patch {} {why}", patch.number));
    let found = counted(patches.len(), "spline patch");
    let cells = match patches.iter().map(net).collect::<Result<Vec<_>, _>>() {
        Ok(nets) => {
            if patches.len() > 1 {
                assembly.skip(&format!(
                    "the joints of {found}: each is exact and a part of its own within its ghosts \
                     (`vtkGhostType`), they touch, and welding would change them"
                ));
            }
            exact(assembly, patches, nets)?
        }
        Err(why) => {
            assembly.skip(&format!(
                "the exact shape of {found} ({why}): the cells are their knot spans, with quadratic \
                 nodes for `fit`"
            ));
            let counts: Vec<_> = patches.iter().map(|patch| patch.spline.node_counts()).collect();
            quadratic(assembly, patches, join(&counts)?)?
        }
    };
    if 6 * patches.len() > MAX_FACE_GROUPS {
        assembly.skip_many("groups of the sides of spline patches", 6 * patches.len());
    } else {
        for (patch, cells) in patches.iter().zip(&cells) {
            for (side, name) in ["u0", "u1", "v0", "v1", "w0", "w1"].into_iter().enumerate() {
                let name = format!("patch:{}:{name}", patch.number);
                cells.group_side(assembly, (side / 2, side % 2), &name);
            }
        }
    }
    Ok(cells)
}

/// Control nets, each with points of its own.
fn exact(
    assembly: &mut Assembly,
    patches: &[Patch],
    nets: Vec<SplineGrid>,
) -> Result<Vec<PatchCells>> {
    let mut ghosts = Vec::new();
    let mut all = Vec::new();
    for (patch, SplineGrid { spans, points }) in patches.iter().zip(nets) {
        let first = assembly.points() as u32;
        for point in points {
            assembly.push_point(point, patch.line)?;
        }
        let ids = (first..assembly.points() as u32).collect();
        let cells = PatchCells { spans, ids, step: 1, margin: 1 };
        for at in grid(spans.map(|n| n + 2)) {
            if (0..3).any(|d| at[d] == 0 || at[d] > spans[d]) {
                ghosts.push(assembly.next_cell().0);
            }
            let corners = CORNERS.map(|c| cells.point([0, 1, 2].map(|d| at[d] + c[d])));
            assembly.push_cell(VolumeShape::Hexahedron, &corners, patch.line)?;
            assembly.refer(patch.reference);
        }
        all.push(cells);
    }
    assembly.mesh.set_ghosts(&ghosts)?;
    let [patches, ghosts] =
        [counted(patches.len(), "spline patch"), counted(ghosts.len(), "ghost cell")];
    assembly.exact = Some(format!("{patches} exactly, with {ghosts} around"));
    Ok(all)
}

/// Cells of the knot spans, with nodes on the splines.
fn quadratic(
    assembly: &mut Assembly,
    patches: &[Patch],
    numbers: Vec<Vec<u32>>,
) -> Result<Vec<PatchCells>> {
    let count = numbers.iter().flatten().max().map_or(0, |&last| last as usize + 1);
    let grids: Vec<SplineGrid> = patches.iter().map(|patch| patch.spline.nodes()).collect();
    let size = size(grids.iter().flat_map(|grid| &grid.points));
    // [number]: the place, and which patch has it first
    let mut places: Vec<Option<([f64; 3], usize)>> = vec![None; count];
    for (p, (grid, ids)) in grids.iter().zip(&numbers).enumerate() {
        for (&point, &id) in grid.points.iter().zip(ids) {
            let (known, first) = *places[id as usize].get_or_insert((point, p));
            let far = (0..3).map(|d| (known[d] - point[d]).abs()).fold(0.0, f64::max);
            if far > JOINED * size {
                let [a, b] = [first, p].map(|p| patches[p].number);
                let what = format!("patches {a} and {b} are {far:.3e} apart where they are joined");
                return Err(assembly
                    .error(patches[p].line, what)
                    .with_help("give patches that meet the same points and knots there"));
            }
        }
    }
    // numbers that no patch has are no vertices
    let mut vertices = Vec::with_capacity(count);
    for place in places {
        vertices.push(assembly.points() as u32);
        if let Some((point, patch)) = place {
            assembly.push_point(point, patches[patch].line)?;
        }
    }
    let nodes = hex_27();
    let mut all = Vec::new();
    for ((patch, SplineGrid { spans, .. }), mut ids) in patches.iter().zip(grids).zip(numbers) {
        ids.iter_mut().for_each(|id| *id = vertices[*id as usize]);
        let cells = PatchCells { spans, ids, step: 2, margin: 0 };
        for at in grid(spans) {
            let ids = nodes.iter().map(|n| cells.point([0, 1, 2].map(|d| 2 * at[d] + n[d])));
            let ids: Vec<u32> = ids.collect();
            let (kind, line) = ("knot spans of splines", patch.line);
            let order = NodeOrder::Exodus;
            assembly.push_high_order(VolumeShape::Hexahedron, &ids, kind, line, order)?;
            assembly.refer(patch.reference);
        }
        all.push(cells);
    }
    Ok(all)
}

/// The cells of a grid, u fastest.
fn grid([n, m, l]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..l).flat_map(move |k| (0..m).flat_map(move |j| (0..n).map(move |i| [i, j, k])))
}

/// The longest side of the box of points.
fn size<'a>(points: impl Iterator<Item = &'a [f64; 3]>) -> f64 {
    let empty = ([f64::MAX; 3], [f64::MIN; 3]);
    let (low, high) = points.fold(empty, |(low, high), p| {
        ([0, 1, 2].map(|d| p[d].min(low[d])), [0, 1, 2].map(|d| p[d].max(high[d])))
    });
    (0..3).map(|d| high[d] - low[d]).fold(0.0, f64::max)
}

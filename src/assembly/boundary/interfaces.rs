//! Relations between unknowns that make limits continuous between groups of cells.
//!
//! On both faces of a pair the limit is a sum of functions times unknowns. At Gauss points of the face,
//! enough for all functions, the difference of both sums is 0: the reduced rows of this system are the
//! relations of the pair. They say V = V where both sides have the lines of a grid, and the same of
//! bends along the cut; where the cut ends inside a smooth side (a T joint), they express the functions
//! of one side by those of the other; where spaces differ, they leave what both have.

use std::collections::{BTreeMap, HashMap};

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::changes::{BasisChanges, csr};
use crate::basis::gauss;
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::interrupt::stop_point;
use crate::limit::Solid;
use crate::mesh::{JoinedVertices, SolidMesh, components, rounding};
use crate::numbers::vector::{difference, squared_norm};
use crate::numbers::{Csr, sorted_unique};
use crate::quadrature::{FaceTraces, Regions, TraceRow};

/// Gauss points along each axis of a face: as many as functions up to valence 14 there.
const POINTS: usize = 6;
/// Functions and pivots below this are 0 but for rounding.
const ZERO: f64 = 1e-9;
/// Coefficients of relations this near 0, 1 and -1 are these but for rounding.
const ROUNDING: f64 = 1e-9;
/// Points that relations move by less than this part of the largest coordinate are right.
const EXACT: f64 = 1e-12;
/// Vertices are in one place up to this part of the shortest edge.
const MATCHED: f64 = 1e-3;

/// The faces between groups of cells, in pairs.
pub(super) struct Interfaces {
    // [vertex]: the first one in its place
    first: Vec<u32>,
    pairs: Vec<FacePair>,
}

/// Two faces in one place.
struct FacePair {
    faces: [u32; 2],
    /// Of each, in the same places.
    vertices: [[u32; 4]; 2],
}

/// Unknowns that follow from others.
#[derive(Default)]
pub(super) struct Relations {
    // [unknown that follows]: over others
    rows: HashMap<u32, TraceRow>,
    order: Vec<u32>,
}

impl Interfaces {
    /// The pairs of a solid, if it has any; `first`: of each vertex of a cut the first in its place, by
    /// limits if it is not given.
    pub fn new(regions: &Regions<'_>, first: Option<Vec<u32>>) -> Result<Option<Self>> {
        let faces: Vec<u32> = regions.cut_faces().collect();
        if faces.is_empty() {
            return Ok(None);
        }
        let topology = regions.solid().topology();
        let first = match first {
            Some(first) => first,
            None => vertices_in_place(regions, &faces)?,
        };
        let cells = topology.cells();
        let part = components(topology.vertex_count(), (0..cells.len()).map(|c| cells.vertices(c)));
        let mut known: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for &face in &faces {
            let mut key: Vec<u32> =
                topology.face_vertices(face).iter().map(|&v| first[v as usize]).collect();
            key.sort_unstable();
            known.entry(key).or_default().push(face);
        }
        let of = |face: u32| topology.face_vertices(face);
        let pair = |mut faces: Vec<u32>| {
            faces.sort_by_key(|&face| (part[of(face)[0] as usize], face));
            let refused = |face: u32, what: &str, help: &str| {
                let face = Vertex.ids(of(face).iter().copied());
                Error::mesh(message!("the face of ", face, " between groups of cells {what}"))
                    .with_help(help.to_owned())
            };
            let help = "move points of both sides alike, or extend the solid again";
            let [a, b] = <[u32; 2]>::try_from(&faces[..])
                .map_err(|_| refused(faces[0], "has no other one in its place", help))?;
            let own = <[u32; 4]>::try_from(of(a)).ok();
            let vertices = own.and_then(|own| {
                let twin = |v: &u32| {
                    let place = first[*v as usize];
                    of(b).iter().copied().find(|&w| first[w as usize] == place)
                };
                let twins: Option<Vec<u32>> = own.iter().map(twin).collect();
                Some([own, <[u32; 4]>::try_from(twins?).ok()?])
            });
            let vertices =
                vertices.ok_or_else(|| refused(a, "is no quad", "refine the mesh once"))?;
            Ok(FacePair { faces: [a, b], vertices })
        };
        let pairs = known.into_values().map(pair).collect::<Result<_>>()?;
        Ok(Some(Self { first, pairs }))
    }

    /// The relations of unknowns, over which `basis` has the control values.
    pub fn relations(&self, solid: &Solid, basis: &Csr) -> Result<Relations> {
        let traces = FaceTraces::new(solid);
        let rule = gauss::rule(POINTS)?.points;
        let points: Vec<[f64; 2]> =
            rule.iter().flat_map(|&t| rule.iter().map(move |&s| [s, t])).collect();
        let of_pair = |pair: &FacePair| {
            stop_point();
            let sides = [1, 0].map(|side| {
                let found = traces.rows(pair.faces[side], &pair.vertices[side], &points);
                let over = |row: TraceRow| replaced(row.into_iter(), |v| basis.row(v as usize));
                found.map(|rows| rows.into_iter().map(over).collect::<Vec<TraceRow>>())
            });
            let [Some(one), Some(other)] = sides else {
                let face = Vertex.ids(pair.vertices[0]);
                return Err(Error::mesh(message!(
                    "the face of ",
                    face,
                    " between groups of cells is no side of two hexahedra"
                ))
                .with_help("refine the mesh once before it is extended"));
            };
            Ok(reduced(&one, &other))
        };
        let all: Vec<Vec<TraceRow>> = self.pairs.par_iter().map(of_pair).collect::<Result<_>>()?;
        let mut relations = Relations::default();
        all.into_iter().flatten().for_each(|row| relations.push(row));
        relations.finish();
        Ok(relations)
    }

    /// `[vertex]`: the vertex in its place whose value it has, if it follows from others.
    pub fn images(&self, relations: &Relations) -> Vec<u32> {
        let vertices = 0..self.first.len() as u32;
        let mut own: HashMap<u32, u32> = HashMap::new();
        for v in vertices.clone().filter(|&v| !relations.has(v)) {
            own.entry(self.first[v as usize]).or_insert(v);
        }
        let image = |v: u32| match own.get(&self.first[v as usize]) {
            Some(&image) if relations.has(v) => image,
            _ => v,
        };
        vertices.map(image).collect()
    }
}

impl Relations {
    /// Whether an unknown follows from others.
    pub fn has(&self, unknown: u32) -> bool {
        self.rows.contains_key(&unknown)
    }

    /// A sum over unknowns by those that follow from no others.
    pub fn replaced(&self, row: impl Iterator<Item = (u32, f64)>) -> TraceRow {
        replaced(row, |unknown| {
            let own = self.rows.get(&unknown);
            let itself = own.is_none().then_some((unknown, 1.0));
            own.into_iter().flatten().copied().chain(itself)
        })
    }

    /// Of each unknown those that equal it.
    pub fn aliases(&self) -> HashMap<u32, Vec<u32>> {
        let mut aliases: HashMap<u32, Vec<u32>> = HashMap::new();
        for &unknown in &self.order {
            if let [(other, 1.0)] = self.rows[&unknown][..] {
                aliases.entry(other).or_default().push(unknown);
            }
        }
        aliases
    }

    /// Takes a sum that is 0: the first unknown, or one with a larger coefficient, follows.
    fn push(&mut self, row: TraceRow) {
        let wanted = row[0].0;
        let mut row = row;
        while row.iter().any(|(unknown, _)| self.has(*unknown)) {
            row = self.replaced(row.into_iter());
        }
        row.retain(|(_, x)| x.abs() > ZERO);
        let most = row.iter().fold(0.0_f64, |most, (_, x)| most.max(x.abs()));
        let is_fit = |&&(_, x): &&(u32, f64)| x.abs() >= 0.1 * most;
        let found = row.iter().filter(is_fit);
        let found = found.clone().find(|(u, _)| *u == wanted).or_else(|| found.clone().next_back());
        let Some(&(follows, pivot)) = found else { return };
        let others = row.iter().filter(|(unknown, _)| *unknown != follows);
        let others = others.map(|&(unknown, x)| (unknown, rounded(-x / pivot))).collect();
        self.rows.insert(follows, others);
        self.order.push(follows);
    }

    /// Replaces unknowns that follow from others in all rows.
    fn finish(&mut self) {
        for &unknown in self.order.iter().rev() {
            let row = self.rows.remove(&unknown).unwrap_or_default();
            let row = self.replaced(row.into_iter()).into_iter();
            let row = row.map(|(other, x)| (other, rounded(x))).filter(|(_, x)| *x != 0.0);
            self.rows.insert(unknown, row.collect());
        }
    }
}

/// Moves control points so that the limits of both sides of a cut between groups of cells are the same;
/// `first`: of each vertex the first one in its place. Points that are right but for rounding stay.
/// Returns how far points move at most.
///
/// # Errors
/// As [`BoundaryBasis::new`](super::BoundaryBasis::new).
pub fn join_interfaces(mesh: &mut SolidMesh, first: Vec<u32>) -> Result<f64> {
    let solid = Solid::new(mesh)?;
    let regions = Regions::new(&solid, mesh)?;
    let Some(interfaces) = Interfaces::new(&regions, Some(first))? else { return Ok(0.0) };
    let changes = BasisChanges::new(solid.topology(), regions.sheets()).0;
    let basis = csr(changes.rows(mesh.points.len()));
    let relations = interfaces.relations(&solid, &basis)?;
    let mut moved = mesh.points.clone();
    changes.undo(&mut moved);
    for (&unknown, row) in &relations.rows {
        let sum = |d: usize| row.iter().map(|&(v, x)| x * moved[v as usize][d]).sum();
        moved[unknown as usize] = std::array::from_fn(sum);
    }
    changes.apply(&mut moved);
    let largest = mesh.points.as_flattened().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let (rounding, mut most) = (rounding(&mesh.points).max(EXACT * largest), 0.0_f64);
    for (point, moved) in mesh.points.iter_mut().zip(moved) {
        let far = squared_norm(difference(moved, *point)).sqrt();
        if far > rounding {
            *point = moved;
            most = most.max(far);
        }
    }
    Ok(most)
}

/// Of each vertex of some faces the first one in its place, by limit points.
fn vertices_in_place(regions: &Regions<'_>, faces: &[u32]) -> Result<Vec<u32>> {
    let topology = regions.solid().topology();
    let limits = regions.limit_points();
    let (mut used, mut shortest) = (vec![false; limits.len()], f64::INFINITY);
    for &face in faces {
        let vertices = topology.face_vertices(face);
        for (&v, &w) in vertices.iter().zip(vertices.iter().cycle().skip(1)) {
            used[v as usize] = true;
            let [v, w] = [v, w].map(|v| limits[v as usize]);
            shortest = shortest.min(squared_norm(difference(v, w)).sqrt());
        }
    }
    let joined = JoinedVertices::new(&limits, &used, MATCHED * shortest)?;
    Ok((0..limits.len() as u32).map(|v| joined.first(v)).collect())
}

/// The reduced rows of a system of sums over unknowns of one side less those of the other: each has one
/// unknown, the first, that no other row has, of the first side as long as there are such.
fn reduced(one: &[TraceRow], other: &[TraceRow]) -> Vec<TraceRow> {
    let unknowns = |side: &[TraceRow]| {
        let all = side.iter().flatten().map(|(unknown, _)| *unknown);
        sorted_unique(all.collect())
    };
    let mut columns = unknowns(one);
    let firsts = columns.len();
    let others = unknowns(other).into_iter().filter(|u| columns.binary_search(u).is_err());
    columns.extend(others.collect::<Vec<u32>>());
    let place: HashMap<u32, usize> = columns.iter().zip(0..).map(|(&u, at)| (u, at)).collect();
    let mut matrix = DMatrix::<f64>::zeros(one.len(), columns.len());
    for (i, (one, other)) in one.iter().zip(other).enumerate() {
        one.iter().for_each(|(unknown, x)| matrix[(i, place[unknown])] += x);
        other.iter().for_each(|(unknown, x)| matrix[(i, place[unknown])] -= x);
    }
    // what is 0 but for rounding stays so
    let scale = |most: f64| if most > ZERO { most } else { f64::INFINITY };
    let scales: Vec<f64> = matrix.column_iter().map(|column| scale(column.amax())).collect();
    for (mut column, scale) in matrix.column_iter_mut().zip(&scales) {
        column /= *scale;
    }
    let mut pivots: Vec<usize> = Vec::new();
    for of_side in [0..firsts, firsts..columns.len()] {
        loop {
            let left = of_side.clone().filter(|column| !pivots.contains(column));
            let places =
                left.flat_map(|column| (pivots.len()..one.len()).map(move |i| (i, column)));
            let size = |place: &(usize, usize)| matrix[*place].abs();
            let most = places.max_by(|a, b| size(a).total_cmp(&size(b)));
            let Some((row, column)) = most.filter(|place| size(place) > ZERO) else { break };
            let rank = pivots.len();
            matrix.swap_rows(rank, row);
            let own = matrix.row(rank) / matrix[(rank, column)];
            for i in (0..one.len()).filter(|&i| i != rank) {
                let factor = matrix[(i, column)];
                let mut row = matrix.row_mut(i);
                row -= &own * factor;
            }
            matrix.set_row(rank, &own);
            pivots.push(column);
        }
    }
    let row = |(i, &pivot): (usize, &usize)| {
        let x = |column: usize| rounded(matrix[(i, column)] * scales[column] / scales[pivot]);
        let others = (0..columns.len()).filter(|c| !pivots.contains(c) && scales[*c].is_finite());
        let others = others.map(|column| (columns[column], x(column))).filter(|(_, x)| *x != 0.0);
        std::iter::once((columns[pivot], 1.0)).chain(others).collect()
    };
    pivots.iter().enumerate().map(row).collect()
}

/// A sum over some values by others, of which each of them is a sum.
fn replaced<I: Iterator<Item = (u32, f64)>>(
    row: impl Iterator<Item = (u32, f64)>,
    of: impl Fn(u32) -> I,
) -> TraceRow {
    let mut sum: BTreeMap<u32, f64> = BTreeMap::new();
    for (v, weight) in row {
        of(v).for_each(|(unknown, x)| *sum.entry(unknown).or_default() += weight * x);
    }
    sum.retain(|_, x| *x != 0.0);
    sum.into_iter().collect()
}

fn rounded(x: f64) -> f64 {
    let near = x.round();
    if (x - near).abs() <= ROUNDING && near.abs() <= 1.0 { near } else { x }
}

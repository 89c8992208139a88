//! "MFEM NURBS mesh v1.0" and v1.1: patches with knots and control points of their own, or of the whole mesh.

use std::collections::HashMap;
use std::iter::zip;

use crate::error::{Error, Result};
use crate::io::read::assemble::Assembly;
use crate::io::read::lines::{Text, shown};
use crate::io::read::spline::net::{Patch, assemble};
use crate::io::read::spline::{KnotVector, TensorSpline, control_count};
use crate::mesh::groups::face_group_name;

use super::patches::{Numbering, PatchTopology, SIDES};
use super::{ATTRIBUTE, BOUNDARY_ATTRIBUTE, keyword, space};

const SAVE: &str = "save the mesh again with `Mesh::Print`";

/// Reads a file behind its title.
pub(super) fn read<'a>(text: Text<'a>) -> Result<Assembly<'a>> {
    let room = text.room(usize::MAX, 1);
    let path = text.path();
    let mut file = Nurbs { text, room, assembly: Assembly::new(path, 0) };
    keyword(&mut file.text, "dimension")?;
    let dimension = file.text.count("the dimension")?;
    if dimension != 3 {
        let what = format!("a NURBS mesh of dimension {dimension}, 3 is needed");
        return Err(file.text.error(what).with_help("export the patches of a volume"));
    }
    let (attributes, corners) = file.elements::<8>("elements", 5)?.into_iter().unzip();
    let attributes: Vec<i64> = attributes;
    let boundary = file.elements::<4>("boundary", 3)?;
    let edges = file.edges()?;
    keyword(&mut file.text, "vertices")?;
    let vertices = file.text.count("the number of vertices")?;
    let (vectors, edges): (Vec<EdgeKnots>, _) = edges.into_iter().unzip();
    let topology = PatchTopology { vertices, corners, edges };
    file.check(&topology)?;
    let found = match file.text.required("`knotvectors` or `patches`")? {
        b"knotvectors" => file.common_splines(&topology, &vectors)?,
        b"patches" => (0..attributes.len()).map(|_| file.own_spline()).collect::<Result<_>>()?,
        word => return Err(file.text.unexpected(word, "`knotvectors` or `patches`", SAVE)),
    };
    let patches: Vec<Patch> = zip(found, attributes)
        .enumerate()
        .map(|(p, ((spline, line), reference))| Patch {
            spline,
            number: p as i64,
            reference,
            line: Some(line),
        })
        .collect();
    file.finish(&topology, &patches, &boundary)
}

/// The knot vector of an edge, which runs from the vertex that the file has first, and whether that is
/// the lower one.
type EdgeKnots = (usize, bool);

/// A spline, and the line where it begins.
type Found = (TensorSpline, usize);

struct Nurbs<'a> {
    text: Text<'a>,
    // bytes of the file
    room: usize,
    assembly: Assembly<'a>,
}

impl<'a> Nurbs<'a> {
    /// Attributes and vertices of elements of one geometry.
    fn elements<const N: usize>(
        &mut self,
        section: &str,
        geometry: usize,
    ) -> Result<Vec<(i64, [u32; N])>> {
        keyword(&mut self.text, section)?;
        let count = self.text.count("the number of elements")?;
        let mut elements = Vec::new();
        for _ in 0..count {
            let attribute = self.text.integer("an attribute")?;
            let found = self.text.count("a geometry")?;
            if found != geometry {
                let what =
                    format!("geometry {found} of a patch in `{section}`, {geometry} is needed");
                return Err(self.text.error(what).with_help("export the patches of a volume"));
            }
            let mut vertices = [0; N];
            for vertex in &mut vertices {
                *vertex = self.text.index(0, "vertex")?;
            }
            elements.push((attribute, vertices));
        }
        Ok(elements)
    }

    /// Knots of edges, and the ascending ends of these.
    fn edges(&mut self) -> Result<Vec<(EdgeKnots, [u32; 2])>> {
        keyword(&mut self.text, "edges")?;
        let count = self.text.count("the number of edges")?;
        let mut edges = Vec::new();
        for _ in 0..count {
            let knots = self.text.count("the knot vector of an edge")?;
            let ends = [self.text.index(0, "vertex")?, self.text.index(0, "vertex")?];
            let [a, b] = ends;
            edges.push(((knots, a < b), [a.min(b), a.max(b)]));
        }
        Ok(edges)
    }

    /// Checks the vertices of patches.
    fn check(&self, topology: &PatchTopology) -> Result<()> {
        let count = topology.vertices;
        let most = 8 * topology.corners.len();
        if count > most {
            let what = format!("{count} vertices, the patches have {most} corners");
            return Err(self.text.error(what).with_help(SAVE));
        }
        for (p, corners) in topology.corners.iter().enumerate() {
            let mut own = *corners;
            own.sort_unstable();
            let what = if own.windows(2).any(|pair| pair[0] == pair[1]) {
                format!("patch {p} has a vertex twice")
            } else if own[7] as usize >= count {
                format!("patch {p} names vertex {}, there are {count}", own[7])
            } else {
                continue;
            };
            return Err(self.text.error(what).with_help("give every patch 8 vertices of its own"));
        }
        Ok(())
    }

    fn knot_vector(&mut self) -> Result<KnotVector> {
        let degree = self.text.count("a degree")?;
        let line = self.text.line();
        let controls = self.text.count("a number of control points")?;
        let mut knots = Vec::new();
        for _ in 0..controls.saturating_add(degree).saturating_add(1) {
            knots.push(self.text.real("a knot")?);
        }
        KnotVector::new(degree, knots).map_err(|what| self.spline_error(line, &what))
    }

    fn spline_error(&self, line: usize, what: &str) -> Error {
        Error::file(self.text.path(), Some(line), what.to_owned())
            .with_help("correct the spline, or save it again")
    }

    /// A patch with knots and control points of its own.
    fn own_spline(&mut self) -> Result<Found> {
        keyword(&mut self.text, "knotvectors")?;
        let line = self.text.line();
        self.three("knot vectors")?;
        let knots = [self.knot_vector()?, self.knot_vector()?, self.knot_vector()?];
        keyword(&mut self.text, "dimension")?;
        self.three("coordinates")?;
        let is_homogeneous = match self.text.required("control points")? {
            b"controlpoints" | b"controlpoints_homogeneous" => true,
            b"controlpoints_cartesian" => false,
            word => return Err(self.text.unexpected(word, "`controlpoints`", SAVE)),
        };
        let (mut points, mut weights) = (Vec::new(), Vec::new());
        for _ in 0..control_count(&knots).unwrap_or(usize::MAX) {
            let point = self.text.point()?;
            let weight = self.text.real("a weight")?;
            points.push(if is_homogeneous { point.map(|x| x / weight) } else { point });
            weights.push(weight);
        }
        let spline = TensorSpline::new(knots, &points, &weights);
        Ok((spline.map_err(|what| self.spline_error(line, &what))?, line))
    }

    fn three(&mut self, what: &str) -> Result<()> {
        let count = self.text.count(&format!("the number of {what}"))?;
        if count == 3 {
            return Ok(());
        }
        let what = format!("{count} {what} of a patch, 3 are needed");
        Err(self.text.error(what).with_help("export the patches of a volume"))
    }

    /// Patches with knots by their edges, and control points of the whole mesh.
    fn common_splines(
        &mut self,
        topology: &PatchTopology,
        of_edges: &[EdgeKnots],
    ) -> Result<Vec<Found>> {
        let count = self.text.count("the number of knot vectors")?;
        let mut vectors = Vec::new();
        for _ in 0..count {
            vectors.push(self.knot_vector()?);
        }
        let by_ends = zip(topology.edges.iter().copied(), of_edges.iter().copied()).collect();
        let line = self.text.line();
        let patches = 0..topology.corners.len();
        let knots = patches.clone().map(|p| self.patch_knots(topology, &by_ends, &vectors, p));
        let knots = knots.collect::<Result<Vec<_>>>()?;
        let counts: Vec<[usize; 3]> =
            knots.iter().map(|own| own.each_ref().map(KnotVector::controls)).collect();
        let numbers = Numbering::new(topology, &counts);
        let numbers = numbers.map_err(|what| self.spline_error(line, &what))?;
        let all = knots.iter().try_fold(0, |sum: usize, own| sum.checked_add(control_count(own)?));
        // each number takes two bytes or more, and few patches have it
        if all.is_none_or(|all| all / 4 > self.room) || numbers.total > self.room {
            return Err(self.text.ended("a control point for each pair of knots"));
        }
        let weights = self.weights(numbers.total)?;
        let values = self.coordinates(numbers.total)?;
        let spline = |(patch, knots)| {
            let ids = numbers.ids(patch);
            let points: Vec<_> = ids.iter().map(|&id| values[id as usize]).collect();
            let weights: Vec<_> = ids.iter().map(|&id| weights[id as usize]).collect();
            let spline = TensorSpline::new(knots, &points, &weights);
            Ok((
                spline
                    .map_err(|what| self.spline_error(line, &format!("patch {patch}: {what}")))?,
                line,
            ))
        };
        zip(patches, knots).map(spline).collect()
    }

    /// The knots of a patch along its axes.
    fn patch_knots(
        &self,
        topology: &PatchTopology,
        by_ends: &HashMap<[u32; 2], EdgeKnots>,
        vectors: &[KnotVector],
        patch: usize,
    ) -> Result<[KnotVector; 3]> {
        let along = |axis: usize| {
            let ends: Vec<[u32; 2]> = topology.edges_along(patch, axis).collect();
            let index = |&[a, b]: &[u32; 2]| {
                let (knots, is_up) = *by_ends.get(&[a.min(b), a.max(b)])?;
                Some((knots, is_up == (a < b)))
            };
            let [Some(own), others @ ..] = &ends.iter().map(index).collect::<Vec<_>>()[..] else {
                return Err(format!("edges of patch {patch} have no knot vector"));
            };
            if others.iter().any(|other| *other != Some(*own)) {
                return Err(format!(
                    "edges of patch {patch} along one axis have other knot vectors"
                ));
            }
            let (index, is_forward) = *own;
            let Some(knots) = vectors.get(index) else {
                return Err(format!("knot vector {index} of {}", vectors.len()));
            };
            Ok(if is_forward { knots.clone() } else { knots.reversed() })
        };
        let [u, v, w] = [0, 1, 2]
            .map(|axis| along(axis).map_err(|what| self.spline_error(self.text.line(), &what)));
        Ok([u?, v?, w?])
    }

    /// Weights of control points; passes over spacings, by which MFEM refines.
    fn weights(&mut self, count: usize) -> Result<Vec<f64>> {
        loop {
            match self.text.required("`weights`")? {
                b"spacing" => self.spacing()?,
                b"weights" => break,
                b"unitweights" | b"autoweights" => return Ok(vec![1.0; count]),
                word => {
                    let help = "parts of distributed meshes, periodic and non-conforming patches are \
                                not read; save the whole mesh with `Mesh::Print`";
                    return Err(self.text.unexpected(word, "`weights`", help));
                }
            }
        }
        (0..count).map(|_| self.text.real("a weight")).collect()
    }

    fn spacing(&mut self) -> Result<()> {
        let count = self.text.count("the number of spacings")?;
        for _ in 0..count {
            self.text.count("a knot vector")?;
            self.text.count("a kind of spacing")?;
            let values = [self.text.count("a number of integers")?, self.text.count("a number")?];
            for _ in 0..values[0].saturating_add(values[1]) {
                self.text.real("a parameter of a spacing")?;
            }
        }
        self.assembly.skip_many("spacings of knot vectors", count);
        Ok(())
    }

    fn coordinates(&mut self, count: usize) -> Result<Vec<[f64; 3]>> {
        let (collection, by_node) = space(&mut self.text)?;
        if !collection.starts_with("NURBS") {
            let what =
                format!("control points of the collection `{}`", shown(collection.as_bytes()));
            return Err(self.text.error(what).with_help(SAVE));
        }
        let mut values = Vec::new();
        for _ in 0..3 * count {
            values.push(self.text.real("a coordinate of a control point")?);
        }
        let at = |i: usize, d: usize| values[if by_node { 3 * i + d } else { d * count + i }];
        Ok((0..count).map(|i| [0, 1, 2].map(|d| at(i, d))).collect())
    }

    /// Makes cells of the patches, and groups of their attributes.
    fn finish(
        mut self,
        topology: &PatchTopology,
        patches: &[Patch],
        boundary: &[(i64, [u32; 4])],
    ) -> Result<Assembly<'a>> {
        let text = self.text;
        let join = |counts: &[[usize; 3]]| {
            let numbers = Numbering::new(topology, counts);
            let help = "give patches the same knots where they meet";
            let numbers = numbers.map_err(|what| text.error(what).with_help(help))?;
            Ok((0..counts.len()).map(|patch| numbers.ids(patch)).collect())
        };
        let cells = assemble(&mut self.assembly, patches, join)?;
        let key = |mut corners: [u32; 4]| {
            corners.sort_unstable();
            corners
        };
        let mut sides = HashMap::new();
        for (p, corners) in topology.corners.iter().enumerate() {
            for (own, side) in SIDES {
                sides.entry(key(own.map(|corner| corners[corner]))).or_insert((p, side));
            }
        }
        for &(attribute, corners) in boundary {
            match sides.get(&key(corners)) {
                Some(&(patch, side)) => {
                    let name = face_group_name(BOUNDARY_ATTRIBUTE, attribute);
                    cells[patch].group_side(&mut self.assembly, side, &name);
                }
                None => self.assembly.skip("boundary elements that no patch has"),
            }
        }
        self.assembly.limit_numbered_groups(BOUNDARY_ATTRIBUTE);
        self.assembly.push_references(ATTRIBUTE, 1)?;
        Ok(self.assembly)
    }
}

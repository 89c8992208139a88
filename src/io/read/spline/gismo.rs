//! G+Smo's XML: volumes `TensorBSpline3` and `TensorNurbs3`, joined where a `MultiPatch` lists interfaces.

use std::collections::HashMap;
use std::path::Path;

use quick_xml::events::{BytesStart, Event};

use crate::error::{Error, Result};
use crate::io::read::assemble::Assembly;
use crate::io::read::lines::{Text, shown};
use crate::io::read::vtk::encoding;
use crate::io::read::vtk::events::XmlEvents;
use crate::mesh::UnionFind;

use super::net::{Patch, PatchCells, Side, assemble};
use super::{KnotVector, TensorSpline, decoded, triples};

/// Whether a file that begins so is G+Smo's.
pub(in crate::io::read) fn is_gismo(head: &[u8]) -> bool {
    head.starts_with(b"<") && head.windows(5).any(|window| window == b"<xml>")
}

/// Reads a file that is already in memory.
pub(in crate::io::read) fn read<'a>(path: &'a Path, bytes: &'a [u8]) -> Result<Assembly<'a>> {
    let text = encoding::text(path, bytes)?;
    let mut file = Gismo {
        events: XmlEvents::new(path, text),
        assembly: Assembly::new(path, 0),
        patches: Vec::new(),
        geometry: None,
        leaf: None,
        interfaces: Vec::new(),
        boundaries: Vec::new(),
    };
    let mut depth = 0;
    loop {
        match file.events.next(0)? {
            Event::Start(tag) => {
                depth += 1;
                file.begin(&tag, depth)?;
            }
            Event::Empty(tag) if depth == 1 => file.pass_over(tag.name().as_ref()),
            Event::Text(text) => file.text(&text.into_inner()),
            Event::CData(text) => file.text(&text.into_inner()),
            Event::End(tag) => {
                depth -= 1;
                file.end(tag.name().as_ref())?;
            }
            Event::Eof => return file.finish(path),
            _ => {}
        }
    }
}

/// A geometry that has begun.
#[derive(Default)]
struct Geometry {
    id: i64,
    line: usize,
    knots: Vec<KnotVector>,
    weights: Option<Vec<f64>>,
    coefficients: Vec<f64>,
}

/// An element of numbers.
struct Leaf {
    kind: LeafKind,
    format: Option<String>,
    line: usize,
    text: String,
}

#[derive(Clone)]
enum LeafKind {
    Knots { degree: usize },
    Weights,
    Coefficients,
    Interfaces,
    Boundary { name: String },
}

/// Sides of two patches, and which axis of the second each of the first is, and whether forward.
struct Interface {
    patches: [i64; 2],
    sides: [Side; 2],
    axes: [usize; 3],
    forward: [bool; 3],
}

struct Gismo<'a> {
    events: XmlEvents<'a, 'a>,
    assembly: Assembly<'a>,
    patches: Vec<Patch>,
    geometry: Option<Geometry>,
    leaf: Option<Leaf>,
    interfaces: Vec<Interface>,
    boundaries: Vec<(String, i64, Side)>,
}

impl<'a> Gismo<'a> {
    fn begin(&mut self, tag: &BytesStart<'_>, depth: usize) -> Result<()> {
        let attribute = |name: &str| self.events.attribute(tag, name);
        let whole = |name: &str| -> Result<Option<usize>> {
            Ok(attribute(name)?.and_then(|text| text.trim().parse().ok()))
        };
        let line = self.events.line;
        let kind = match (tag.name().as_ref(), &self.geometry) {
            ("Geometry", None) => {
                let kind = attribute("type")?.unwrap_or_default();
                if !matches!(&*kind, "TensorBSpline3" | "TensorNurbs3") {
                    self.assembly.skip(&format!("geometries `{}`", shown(kind.as_bytes())));
                    return Ok(());
                }
                let id = whole("id")?.or(whole("index")?).unwrap_or(self.patches.len());
                let id = i64::try_from(id).unwrap_or(i64::MAX);
                // some files number all patches alike
                let numbers = || self.patches.iter().map(|patch| patch.number);
                let is_taken = numbers().any(|number| number == id);
                let last = numbers().max().filter(|_| is_taken);
                let id = last.map_or(id, |last| last.saturating_add(1));
                self.geometry = Some(Geometry { id, line, ..Geometry::default() });
                return Ok(());
            }
            ("KnotVector", Some(_)) => match whole("degree")? {
                Some(degree) => LeafKind::Knots { degree },
                None => return Err(self.events.fault("a `KnotVector` without a degree")),
            },
            ("weights", Some(_)) => LeafKind::Weights,
            ("coefs", Some(_)) => {
                let dimension = whole("geoDim")?.unwrap_or(3);
                if dimension != 3 {
                    let what = format!("geoDim {dimension} of a volume, 3 is needed");
                    return Err(self.events.error(what).with_help("export it in space"));
                }
                LeafKind::Coefficients
            }
            ("interfaces", None) => LeafKind::Interfaces,
            ("boundary", None) => match attribute("name")? {
                Some(name) => LeafKind::Boundary { name },
                None => return Ok(()),
            },
            ("MultiPatch", None) => return Ok(()),
            (name, None) if depth == 2 => {
                self.pass_over(name);
                return Ok(());
            }
            _ => return Ok(()),
        };
        let format = attribute("format")?;
        self.leaf = Some(Leaf { kind, format, line, text: String::new() });
        Ok(())
    }

    fn pass_over(&mut self, name: &str) {
        self.assembly.skip(&format!("elements `{}`", shown(name.as_bytes())));
    }

    fn text(&mut self, text: &str) {
        if let Some(leaf) = &mut self.leaf {
            leaf.text.push_str(text);
        }
    }

    fn end(&mut self, name: &str) -> Result<()> {
        if let Some(leaf) = self.leaf.take() {
            return self.take(&leaf);
        }
        if name != "Geometry" {
            return Ok(());
        }
        let Some(geometry) = self.geometry.take() else { return Ok(()) };
        let Geometry { id, line, knots, weights, coefficients } = geometry;
        let count = knots.len();
        let spline = <[_; 3]>::try_from(knots)
            .map_err(|_| format!("{count} knot vectors of a volume, 3 are needed"))
            .and_then(|knots| {
                let points = triples(&coefficients)?;
                let weights = weights.unwrap_or_else(|| vec![1.0; points.len()]);
                TensorSpline::new(knots, &points, &weights)
            })
            .map_err(|what| self.fault(line, format!("geometry {id}: {what}")))?;
        self.patches.push(Patch { spline, number: id, reference: id, line: Some(line) });
        Ok(())
    }

    fn fault(&self, line: usize, what: impl Into<String>) -> Error {
        self.assembly
            .error(Some(line), what.into())
            .with_help("correct the geometry, or write it again")
    }

    fn numbers(&self, Leaf { format, line, text, .. }: &Leaf) -> Result<Vec<f64>> {
        match format.as_deref() {
            None | Some("ASCII" | "ascii") => {
                let mut words = Text::new(self.assembly.path, text.as_bytes()).at_line(*line);
                let mut numbers = Vec::new();
                while words.peek().is_some() {
                    numbers.push(
                        words
                            .real("a number")
                            .map_err(|_| self.fault(words.line(), "a word that is not a number"))?,
                    );
                }
                Ok(numbers)
            }
            Some("B64Float64") => decoded(text).map_err(|what| self.fault(*line, what)),
            Some(other) => {
                let what = format!("numbers in the format `{}`", shown(other.as_bytes()));
                let help = "ASCII and B64Float64 are read: write them so";
                Err(self.assembly.error(Some(*line), what).with_help(help))
            }
        }
    }

    fn take(&mut self, leaf: &Leaf) -> Result<()> {
        let numbers = self.numbers(leaf)?;
        let fault = |own: &Self, what: &str| Err(own.fault(leaf.line, what));
        match (leaf.kind.clone(), self.geometry.as_mut()) {
            (LeafKind::Knots { degree }, Some(geometry)) => {
                let knots = KnotVector::new(degree, numbers);
                let id = geometry.id;
                let wrong = |what| self.fault(leaf.line, format!("geometry {id}: {what}"));
                let knots = knots.map_err(wrong)?;
                self.geometry.iter_mut().for_each(|own| own.knots.push(knots.clone()));
            }
            (LeafKind::Weights, Some(geometry)) => geometry.weights = Some(numbers),
            (LeafKind::Coefficients, Some(geometry)) => geometry.coefficients = numbers,
            (LeafKind::Interfaces, _) => {
                if numbers.len() % 10 != 0 {
                    return fault(self, "interfaces of volumes have 10 numbers each");
                }
                for row in numbers.chunks(10) {
                    let Some(interface) = Interface::of(row) else {
                        return fault(self, "an interface with a side or an axis that is none");
                    };
                    self.interfaces.push(interface);
                }
            }
            (LeafKind::Boundary { name }, _) => {
                for row in numbers.chunks(2) {
                    let Some(side) = row.get(1).and_then(|side| self::side(*side)) else {
                        return fault(self, "a side that is not one of 1 to 6");
                    };
                    self.boundaries.push((name.clone(), row[0] as i64, side));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self, path: &'a Path) -> Result<Assembly<'a>> {
        let Self { assembly, patches, interfaces, boundaries, .. } = &mut self;
        let by_id: HashMap<i64, usize> =
            patches.iter().enumerate().map(|(p, patch)| (patch.number, p)).collect();
        let mut unjoined = 0;
        let join = |counts: &[[usize; 3]]| {
            let mut joints = Joints::new(path, counts)?;
            for interface in &*interfaces {
                let known = interface.patches.map(|id| by_id.get(&id).copied());
                let is_joined = match known {
                    [Some(a), Some(b)] => joints.join([a, b], interface),
                    _ => false,
                };
                unjoined += usize::from(!is_joined);
            }
            Ok(joints.numbers())
        };
        let cells: Vec<PatchCells> = assemble(assembly, patches, join)?;
        assembly
            .skip_many("interfaces of patches that are not there or have other knots", unjoined);
        for (name, id, side) in &*boundaries {
            match by_id.get(id) {
                Some(&patch) => cells[patch].group_side(assembly, *side, name),
                None => assembly.skip("sides of patches that are not there"),
            }
        }
        let usual = patches[0].number;
        assembly.push_references("gismo:patch", usual)?;
        Ok(self.assembly)
    }
}

/// A side by its number: west, east, south, north, front, back.
fn side(number: f64) -> Option<Side> {
    let index = (0..6).find(|&side| number == f64::from(side) + 1.0)? as usize;
    Some((index / 2, index % 2))
}

impl Interface {
    /// An interface of its ten numbers.
    fn of(row: &[f64]) -> Option<Self> {
        let sides = [side(row[1])?, side(row[3])?];
        let axis = |value: f64| (0..3).find(|&axis| value == axis as f64);
        let axes = [axis(row[4])?, axis(row[5])?, axis(row[6])?];
        let forward = [7, 8, 9].map(|i| row[i] != 0.0);
        let is_permutation = (0..3).all(|axis| axes.contains(&axis));
        let patches = [row[0] as i64, row[2] as i64];
        (is_permutation && axes[sides[0].0] == sides[1].0).then_some(Self {
            patches,
            sides,
            axes,
            forward,
        })
    }
}

/// Points of patches, those in one place joined.
struct Joints<'c> {
    counts: &'c [[usize; 3]],
    // [patch]: its first point
    first: Vec<usize>,
    sets: UnionFind,
}

impl<'c> Joints<'c> {
    fn new(path: &Path, counts: &'c [[usize; 3]]) -> Result<Self> {
        let mut first = Vec::new();
        let mut total = 0;
        for count in counts {
            first.push(total);
            total += count.iter().product::<usize>();
        }
        if u32::try_from(total).is_err() {
            let what = format!("{total} nodes of patches");
            return Err(Error::file(path, None, what).with_help("split the model"));
        }
        Ok(Self { counts, first, sets: UnionFind::new(total) })
    }

    fn point(&self, patch: usize, [i, j, k]: [usize; 3]) -> u32 {
        let [n, m, _] = self.counts[patch];
        (self.first[patch] + i + n * (j + m * k)) as u32
    }

    /// Joins the points of two sides; not if they are of other numbers.
    fn join(&mut self, [a, b]: [usize; 2], interface: &Interface) -> bool {
        let Interface { sides: [(axis, end), (_, other_end)], axes, forward, .. } = *interface;
        let [from, to] = [a, b].map(|patch| self.counts[patch]);
        let across = [(axis + 1) % 3, (axis + 2) % 3];
        if across.iter().any(|&d| from[d] != to[axes[d]]) {
            return false;
        }
        let [x, y] = across;
        for (i, j) in (0..from[x]).flat_map(|i| (0..from[y]).map(move |j| (i, j))) {
            let (mut one, mut other) = ([0; 3], [0; 3]);
            (one[axis], one[x], one[y]) = (end * (from[axis] - 1), i, j);
            for d in across {
                other[axes[d]] = if forward[d] { one[d] } else { from[d] - 1 - one[d] };
            }
            other[axes[axis]] = other_end * (to[axes[axis]] - 1);
            let [one, other] = [self.point(a, one), self.point(b, other)];
            self.sets.join(one, other);
        }
        true
    }

    /// Numbers of the points of each patch.
    fn numbers(self) -> Vec<Vec<u32>> {
        let roots = self.sets.roots();
        let mut next = 0;
        let mut numbers = vec![0; roots.len()];
        for (point, &root) in roots.iter().enumerate() {
            // the root is the least of its set
            if root as usize == point {
                (numbers[point], next) = (next, next + 1);
            } else {
                numbers[point] = numbers[root as usize];
            }
        }
        let ends = self.first.iter().skip(1).copied().chain([roots.len()]);
        self.first.iter().zip(ends).map(|(&first, end)| numbers[first..end].to_vec()).collect()
    }
}

//! Wavefront `.obj`: `v`, `vt` and `f` with any number of corners, and the tags of
//! OpenSubdiv's test shapes, `t NAME ints/floats/strings values…` with vertices and
//! faces counted from 0:
//!
//! - `t crease 2/1/0 a b s`: edges a–b (–c …) of sharpness s, or one s an edge;
//! - `t corner 1/1/0 v s`: vertices of sharpness s, or one s a vertex;
//! - `t hole 1/0/0 f …`: faces left out;
//! - `t interpolateboundary 1/0/0 k`: 0 faces at the boundary are holes, 1 edges and
//!   corners are sharp, 2 edges only (the default);
//! - `t creasemethod 0/0/1 chaikin` or `normal`;
//! - `t smoothtriangles 0/0/1 smooth` or `catmark`.
//!
//! A sharpness of 10 or more is infinite, as there. Colors of all vertices, `v x y z r g b`, become
//! an attribute. Normals, lines, points, groups, materials and other tags are left out and
//! reported, as are texture coordinates where corners have none. A backslash at the end of a line
//! continues it, except in comments and names. (The crate `tobj` knows neither tags nor the lines
//! of what is wrong.)

use std::collections::BTreeMap;
use std::path::Path;

use super::ReadReport;
use super::assemble::counted_kind;
use super::lines::{Text, integer, real, shown};
use super::sharpness::check_sharpness;
use crate::error::Result;
use crate::mesh::{
    Attribute, BoundaryRule, CreaseRule, FaceVarying, LinearInterpolation, SurfaceMesh,
    TriangleRule,
};
use crate::numbers::by_count;

/// Sharpness from which on an edge is infinitely sharp, as in OpenSubdiv; in other files and tables
/// only `inf` is.
pub(in crate::io) const INFINITE_SHARPNESS: f64 = 10.0;

/// Whether text begins as OBJ does: with a comment or one of its first statements.
pub(super) fn is_obj(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let word = first.and_then(|line| line.split(u8::is_ascii_whitespace).next());
    const WORDS: [&[u8]; 9] = [b"v", b"vn", b"vt", b"vp", b"f", b"o", b"g", b"mtllib", b"usemtl"];
    word.is_some_and(|word| WORDS.contains(&word))
}

/// Reads an OBJ file that is already in memory.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<(SurfaceMesh, ReadReport)> {
    let mut file = ObjReader {
        path,
        text: Text::new(path, bytes),
        mesh: SurfaceMesh::default(),
        colors: Vec::new(),
        uv: FaceVarying::default(),
        lost_uv: None,
        skipped: BTreeMap::new(),
    };
    let mut joined = Vec::new();
    while let Some(line) = file.text.next_line() {
        let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
        let line = line[..end].trim_ascii_end();
        let may_go_on = !joined.is_empty() || !NAMED.contains(&keyword(line));
        match line.strip_suffix(b"\\").filter(|_| may_go_on) {
            Some(start) => {
                joined.extend_from_slice(start);
                joined.push(b' ');
            }
            None if joined.is_empty() => file.read_line(line)?,
            None => {
                joined.extend_from_slice(line);
                file.read_line(&joined)?;
                joined.clear();
            }
        }
    }
    file.read_line(&joined)?;
    file.finish()
}

/// Statements of names and commands, which may end in a backslash.
const NAMED: [&[u8]; 9] =
    [b"g", b"o", b"usemtl", b"mtllib", b"usemap", b"maplib", b"shadow_obj", b"trace_obj", b"call"];

/// The first word of a line.
fn keyword(line: &[u8]) -> &[u8] {
    line.split(u8::is_ascii_whitespace).next().unwrap_or_default()
}

struct ObjReader<'a> {
    path: &'a Path,
    text: Text<'a>,
    mesh: SurfaceMesh,
    // of the vertices that have one, as in the file
    colors: Vec<f64>,
    uv: FaceVarying,
    // why there are no texture coordinates at all corners
    lost_uv: Option<String>,
    skipped: BTreeMap<String, usize>,
}

impl ObjReader<'_> {
    fn read_line(&mut self, line: &[u8]) -> Result<()> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(keyword) = words.next() else { return Ok(()) };
        match keyword {
            b"v" => {
                let point = self.reals(&mut words, "a coordinate")?;
                self.mesh.points.push(point);
                match words.clone().count() {
                    0 => {}
                    3 => self.colors.extend(self.reals::<3>(&mut words, "a color")?),
                    _ => self.skip("weights or numbers after x y z"),
                }
            }
            b"vt" => {
                let [u] = self.reals(&mut words, "a texture coordinate")?;
                // v may be left out
                let mut rest = words.peekable();
                let [v] = match rest.peek() {
                    Some(_) => self.reals(&mut rest, "a texture coordinate")?,
                    None => [0.0],
                };
                self.uv.values.push([u, v]);
            }
            b"f" => self.read_face(words)?,
            b"t" => self.read_tag(words)?,
            b"vn" => self.skip("normals (vn)"),
            b"l" => self.skip("lines (l)"),
            b"p" => self.skip("points (p)"),
            b"o" | b"g" | b"s" => self.skip("names of objects and groups (o, g, s)"),
            b"usemtl" | b"mtllib" => self.skip("materials (usemtl, mtllib)"),
            other => self.skip(&format!("statements `{}`", shown(other))),
        }
        Ok(())
    }

    fn skip(&mut self, what: &str) {
        // names come from the file: never keep more of them than a report can hold
        if self.skipped.len() < 64 || self.skipped.contains_key(what) {
            *self.skipped.entry(what.into()).or_default() += 1;
        }
    }

    fn reals<'w, const N: usize>(
        &self,
        words: &mut impl Iterator<Item = &'w [u8]>,
        what: &str,
    ) -> Result<[f64; N]> {
        let mut values = [0.0; N];
        for value in &mut values {
            let word = words.next().unwrap_or_default();
            *value = real(word).ok_or_else(|| self.expected(what, word))?;
        }
        Ok(values)
    }

    fn expected(&self, what: &str, word: &[u8]) -> crate::error::Error {
        let found = if word.is_empty() { "the end of the line".into() } else { shown(word) };
        self.text.expected(what, found)
    }

    /// `f v/vt/vn …`; negative indices count back from the last.
    fn read_face<'w>(&mut self, words: impl Iterator<Item = &'w [u8]>) -> Result<()> {
        let mut face = Vec::new();
        let mut with_uv = 0;
        let line = self.text.line();
        for word in words {
            let mut parts = word.split(|&b| b == b'/');
            let (given, vertex) = self.index(parts.next(), self.mesh.points.len(), "a vertex")?;
            face.push(vertex.ok_or_else(|| {
                let count = self.mesh.points.len();
                self.text
                    .error(format!("vertex {given} does not exist: {count} stand above this line"))
                    .with_help("indices run from 1, or from -1 back")
            })?);
            let Some(uv) = parts.next().filter(|uv| !uv.is_empty()) else { continue };
            with_uv += 1;
            match self.index(Some(uv), self.uv.values.len(), "a texture coordinate")? {
                (_, Some(uv)) => self.uv.corners.push(uv),
                (given, None) => {
                    self.lost_uv.get_or_insert(format!("{given} of line {line} does not exist"));
                }
            }
        }
        if with_uv != 0 && with_uv != face.len() {
            self.lost_uv.get_or_insert(format!("some corners of line {line} have none"));
        }
        self.mesh.faces.push(&face);
        Ok(())
    }

    /// An index as given, and from 0 on if it names one of `count` things.
    fn index(&self, word: Option<&[u8]>, count: usize, what: &str) -> Result<(i64, Option<u32>)> {
        let word = word.unwrap_or_default();
        let given = integer(word).ok_or_else(|| self.expected(what, word))?;
        let index = if given < 0 { given.saturating_add_unsigned(count as u64) } else { given - 1 };
        let index = u32::try_from(index).ok().filter(|&index| (index as usize) < count);
        Ok((given, index.filter(|_| given != 0)))
    }

    fn read_tag<'w>(&mut self, mut words: impl Iterator<Item = &'w [u8]>) -> Result<()> {
        let name = words.next().unwrap_or_default();
        let counts = words.next().unwrap_or_default();
        let malformed = || {
            self.expected("the counts of a tag, integers/reals/strings,", counts)
                .with_help("for instance: t crease 2/1/0 17 18 2.5")
        };
        let mut sizes = [0usize; 3];
        let mut parts = counts.split(|&b| b == b'/');
        for size in &mut sizes {
            let part = parts.next().and_then(integer).and_then(|n| usize::try_from(n).ok());
            *size = part.ok_or_else(malformed)?;
        }
        // a line cannot hold more values than this, whatever the counts claim
        let values: Vec<&[u8]> = words.collect();
        if sizes.iter().try_fold(0usize, |sum, &n| sum.checked_add(n)) != Some(values.len()) {
            let (counts, found) = (shown(counts), values.len());
            let follow = by_count(found, "follows", "follow");
            return Err(self
                .text
                .error(format!("the tag announces {counts} values, {found} {follow}"))
                .with_help("write the numbers of its integers, reals and words: 2/1/0"));
        }
        let (integers, rest) = values.split_at(sizes[0]);
        let (reals, strings) = rest.split_at(sizes[1]);
        let integers = integers
            .iter()
            .map(|word| {
                let value = integer(word).and_then(|n| u32::try_from(n).ok());
                value.ok_or_else(|| self.expected("an index from 0 on", word))
            })
            .collect::<Result<Vec<u32>>>()?;
        let reals = reals
            .iter()
            .map(|word| real(word).ok_or_else(|| self.expected("a sharpness", word)))
            .collect::<Result<Vec<f64>>>()?;
        self.apply_tag(name, &integers, &reals, strings)
    }

    fn apply_tag(
        &mut self,
        name: &[u8],
        integers: &[u32],
        reals: &[f64],
        strings: &[&[u8]],
    ) -> Result<()> {
        match name {
            b"crease" => {
                let edges = integers.len().saturating_sub(1);
                if integers.len() == 1 {
                    return Err(self
                        .text
                        .error("a crease takes two vertices or more")
                        .with_help("write `t crease 2/1/0 0 1 2.5`"));
                }
                for (i, pair) in integers.windows(2).enumerate() {
                    let sharpness = self.sharpness(reals, i, edges, "edge")?;
                    self.mesh.creases.push_edge(pair[0], pair[1], sharpness);
                }
            }
            b"corner" => {
                for (i, &v) in integers.iter().enumerate() {
                    let sharpness = self.sharpness(reals, i, integers.len(), "vertex")?;
                    self.mesh.creases.push_corner(v, sharpness);
                }
            }
            b"hole" => self.mesh.holes.extend_from_slice(integers),
            b"interpolateboundary" => {
                self.mesh.boundary = match integers {
                    [0] => BoundaryRule::Holes,
                    [1] => BoundaryRule::EdgesAndCorners,
                    [2] => BoundaryRule::Edges,
                    _ => {
                        return Err(self
                            .text
                            .error("interpolateboundary takes one integer: 0, 1 or 2")
                            .with_help("write `t interpolateboundary 1/0/0 1`"));
                    }
                };
            }
            b"facevaryinginterpolateboundary" => {
                let rule = match integers {
                    [n] => LinearInterpolation::ALL.get(*n as usize),
                    _ => None,
                };
                self.uv.linear = *rule.ok_or_else(|| {
                    self.text
                        .error("facevaryinginterpolateboundary takes one integer: 0 to 5")
                        .with_help("write `t facevaryinginterpolateboundary 1/0/0 1`")
                })?;
            }
            b"creasemethod" => {
                self.mesh.crease_rule = match strings {
                    [b"chaikin"] => CreaseRule::Chaikin,
                    [b"normal"] => CreaseRule::Uniform,
                    _ => {
                        return Err(self
                            .text
                            .error("creasemethod takes one word: normal or chaikin")
                            .with_help("write `t creasemethod 0/0/1 chaikin`"));
                    }
                };
            }
            b"smoothtriangles" => {
                self.mesh.triangle_rule = match strings {
                    [b"smooth"] => TriangleRule::Smooth,
                    [b"catmark"] => TriangleRule::Uniform,
                    _ => {
                        return Err(self
                            .text
                            .error("smoothtriangles takes one word: smooth or catmark")
                            .with_help("write `t smoothtriangles 0/0/1 smooth`"));
                    }
                };
            }
            other => self.skip(&format!("tags `{}`", shown(other))),
        }
        Ok(())
    }

    /// One sharpness for all, or one for each of `count` places.
    fn sharpness(&self, reals: &[f64], i: usize, count: usize, what: &str) -> Result<f64> {
        let sharpness = match reals {
            [one] => *one,
            all if all.len() == count => all[i],
            _ => {
                return Err(self
                    .text
                    .error(format!("the tag has {} sharpness values for {count}", reals.len()))
                    .with_help("give one for all, or one for each"));
            }
        };
        check_sharpness(self.path, Some(self.text.line()), what, sharpness)?;
        Ok(if sharpness >= INFINITE_SHARPNESS { f64::INFINITY } else { sharpness })
    }

    fn finish(mut self) -> Result<(SurfaceMesh, ReadReport)> {
        let uv = std::mem::take(&mut self.uv);
        if uv.corners.len() != self.mesh.faces.vertices().len() && !uv.values.is_empty() {
            self.lost_uv.get_or_insert("some faces have none".into());
        }
        match self.lost_uv.take() {
            Some(why) => self.skip(&format!("sets of texture coordinates ({why})")),
            None => self.mesh.uv = Some(uv).filter(|uv| !uv.values.is_empty()),
        }
        let colored = self.colors.len() / 3;
        if colored == self.mesh.points.len() {
            self.mesh.attributes.push(Attribute::color(3, self.colors));
        } else if colored > 0 {
            self.skipped.insert("colors (other vertices have none)".into(), colored);
        }
        let skipped = self.skipped.into_iter().map(|(what, n)| counted_kind(&what, n)).collect();
        Ok((self.mesh, ReadReport { skipped, ..ReadReport::default() }))
    }
}

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
//! A sharpness of 10 or more is infinite, as there. Normals, lines, points, groups,
//! materials and other tags are left out and reported. (The crate `tobj` knows neither
//! tags nor the lines of what is wrong.)

use std::collections::BTreeMap;
use std::path::Path;

use super::ReadReport;
use super::assemble::counted_kind;
use super::lines::{Text, integer, real, shown};
use super::sharpness::check_sharpness;
use crate::error::Result;
use crate::mesh::{
    BoundaryRule, CreaseRule, FaceVarying, LinearInterpolation, SurfaceMesh, TriangleRule,
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
        uv: FaceVarying::default(),
        skipped: BTreeMap::new(),
    };
    let mut joined = Vec::new();
    while let Some(mut line) = file.text.next_line() {
        // a backslash continues the line
        if let Some(start) = line.strip_suffix(b"\\") {
            joined.clear();
            joined.extend_from_slice(start);
            while let Some(next) = file.text.next_line() {
                joined.push(b' ');
                joined.extend_from_slice(next.strip_suffix(b"\\").unwrap_or(next));
                if !next.ends_with(b"\\") {
                    break;
                }
            }
            line = &joined;
        }
        file.read_line(line)?;
    }
    file.finish()
}

struct ObjReader<'a> {
    path: &'a Path,
    text: Text<'a>,
    mesh: SurfaceMesh,
    uv: FaceVarying,
    skipped: BTreeMap<String, usize>,
}

impl ObjReader<'_> {
    fn read_line(&mut self, line: &[u8]) -> Result<()> {
        let line = &line[..line.iter().position(|&b| b == b'#').unwrap_or(line.len())];
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(keyword) = words.next() else { return Ok(()) };
        match keyword {
            b"v" => {
                let [x, y, z] = self.reals(&mut words, "a coordinate")?;
                self.mesh.points.push([x, y, z]);
                if words.next().is_some() {
                    self.skip("weights or colors after x y z");
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
        for word in words {
            let mut parts = word.split(|&b| b == b'/');
            let vertex = parts.next().unwrap_or_default();
            face.push(self.index(vertex, self.mesh.points.len(), "vertex")?);
            if let Some(uv) = parts.next().filter(|uv| !uv.is_empty()) {
                let uv = self.index(uv, self.uv.values.len(), "texture coordinate")?;
                self.uv.corners.push(uv);
                with_uv += 1;
            }
        }
        if with_uv != 0 && with_uv != face.len() {
            return Err(self
                .text
                .error("some corners of the face have texture coordinates, others have none")
                .with_help("write all corners alike: v, v/vt, v//vn or v/vt/vn"));
        }
        self.mesh.faces.push(&face);
        Ok(())
    }

    fn index(&self, word: &[u8], count: usize, what: &str) -> Result<u32> {
        let given = integer(word).ok_or_else(|| self.expected(&format!("a {what}"), word))?;
        let index = if given < 0 { count as i64 + given } else { given - 1 };
        if given == 0 || index < 0 || index >= count as i64 {
            return Err(self
                .text
                .error(format!("{what} {given} does not exist: {count} stand above this line"))
                .with_help("indices run from 1, or from -1 back"));
        }
        Ok(index as u32)
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
        if self.uv.corners.len() == self.mesh.faces.vertices().len() && !self.uv.values.is_empty() {
            self.mesh.uv = Some(self.uv);
        } else if !self.uv.values.is_empty() {
            self.skip("channels of texture coordinates (vt) that only some faces use");
        }
        let skipped = self.skipped.into_iter().map(|(what, n)| counted_kind(&what, n)).collect();
        Ok((self.mesh, ReadReport { skipped }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(text: &str) -> Result<(SurfaceMesh, ReadReport)> {
        read(Path::new("a.obj"), text.as_bytes())
    }

    const POINTS: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 2 0\n";

    #[test]
    fn faces_of_all_sizes_with_their_own_texture_coordinates() {
        let text = format!(
            "{POINTS}vt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 \\\n 3/3 4/1\nf -2/-3/9 -3/2 -1/3 # roof\n"
        );
        let (mesh, report) = mesh(&text).unwrap();
        assert_eq!(mesh.faces.face(0), [0, 1, 2, 3]);
        assert_eq!(mesh.faces.face(1), [3, 2, 4]);
        assert_eq!(mesh.uv.unwrap().corners, [0, 1, 2, 0, 0, 1, 2]);
        assert!(report.skipped.is_empty());
    }

    #[test]
    fn tags_of_every_kind() {
        let tags = "t crease 3/1/0 0 1 2 2.5\nt crease 3/2/0 2 3 0 1 12\nt corner 2/1/0 4 0 3\n\
                    t hole 1/0/0 1\nt interpolateboundary 1/0/0 1\nt creasemethod 0/0/1 chaikin\n\
                    t smoothtriangles 0/0/1 smooth\nt unknown 1/0/0 1\nvn 0 0 1\n";
        let (mesh, report) = mesh(&format!("{POINTS}f 1 2 3 4\nf 4 3 5\n{tags}")).unwrap();
        let edges: Vec<_> = mesh
            .creases
            .edges
            .iter()
            .map(|c| (c.edge()[0].0, c.edge()[1].0, c.sharpness))
            .collect();
        assert_eq!(edges, [(0, 1, 2.5), (1, 2, 2.5), (2, 3, 1.0), (0, 3, f64::INFINITY)]);
        assert_eq!(mesh.creases.corners.len(), 2);
        assert_eq!(mesh.holes, [1]);
        assert_eq!(mesh.boundary, BoundaryRule::EdgesAndCorners);
        assert_eq!(mesh.crease_rule, CreaseRule::Chaikin);
        assert_eq!(mesh.triangle_rule, TriangleRule::Smooth);
        assert_eq!(report.skipped, ["1 normal (vn)", "1 tag `unknown`"]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let error = |text: &str| mesh(&format!("{POINTS}{text}\n")).unwrap_err().to_string();
        assert!(error("f 1 2 6").starts_with("a.obj:6: vertex 6 does not exist"));
        assert!(error("f 1 2 0").contains("a.obj:6"));
        assert!(error("f 1/1 2 3").contains("a.obj:6"));
        assert!(error("v 1 x 2").contains("found `x`"));
        assert!(error("t crease 2/1 0 1 2").contains("counts of a tag"));
        assert!(error("t crease 99999999999/1/0 0 1").contains("follow"));
        assert!(error("t crease 2/1/0 0 1 -2").contains("out of range"));
        assert!(error("t interpolateboundary 1/0/0 7").contains("0, 1 or 2"));
    }
}

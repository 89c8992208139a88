//! OpenFOAM meshes: the directory `polyMesh`, its case, or the file `.foam` in it (OpenFOAM User Guide,
//! "Mesh description").
//!
//! Points, faces as they look away from their owner, owners and neighbors; ASCII or binary. Cells are
//! hexahedra, wedges and tetrahedra where their faces are, polyhedra elsewhere. Patches of the boundary
//! are groups of faces, zones of cells groups of cells.

use std::path::{Path, PathBuf};

use crate::error::IdKind::Cell;
use crate::error::{Error, Message, Result};
use crate::io::source;
use crate::mesh::Polygons;

use super::assemble::Assembly;
use super::lines::{Text, shown};

const DAMAGED: &str = "the files do not belong together, or are damaged; write the mesh again";

/// The directory of a mesh that a path stands for, if it is one of OpenFOAM.
pub(super) fn directory(path: &Path) -> Option<PathBuf> {
    let case = match path.extension() {
        _ if path.is_dir() => path,
        Some(ending) if ending == "foam" => path.parent()?,
        _ => return None,
    };
    let mut places = ["", "polyMesh", "constant/polyMesh"].into_iter().map(|own| case.join(own));
    places.find(|place| place.join("owner").is_file() || place.join("owner.gz").is_file())
}

/// The files of a mesh in its directory.
pub(super) fn files(directory: &Path) -> Vec<PathBuf> {
    let names = ["points", "faces", "owner", "neighbour", "boundary", "cellZones"];
    names.iter().map(|name| directory.join(name)).filter(|file| file.is_file()).collect()
}

/// Reads the mesh in a directory, which a path stands for.
pub(super) fn read<'a>(path: &'a Path, directory: &Path) -> Result<Assembly<'a>> {
    let mut assembly = Assembly::new(path, 0);
    with_file(directory, "points", |file| {
        assembly.is_single = file.is_binary && file.scalar == 4;
        let count = file.begin()?;
        assembly.reserve_points(file.text.room(count, if file.is_binary { 12 } else { 8 }));
        for _ in 0..count {
            let point = file.point()?;
            assembly.push_point(point, None)?;
        }
        Ok(())
    })?;
    let faces = with_file(directory, "faces", |file| file.faces(assembly.points()))?;
    let owner = with_file(directory, "owner", |file| file.labels(faces.len()))?;
    let neighbor = with_file(directory, "neighbour", |file| file.labels(faces.len()))?;
    let damaged =
        |message: Message| Error::file(directory.join("owner"), None, message).with_help(DAMAGED);
    if owner.len() != faces.len() || neighbor.len() > faces.len() {
        let (all, owners, neighbors) = (faces.len(), owner.len(), neighbor.len());
        let message = format!("{all} faces have {owners} owners and {neighbors} neighbors");
        return Err(damaged(message.into()));
    }
    // cells and their faces, which look inward for neighbors
    let of_owners = owner.iter().zip(0..).map(|(&cell, face)| (cell, face, false));
    let of_neighbors = neighbor.iter().zip(0..).map(|(&cell, face)| (cell, face, true));
    let mut sides: Vec<(u32, u32, bool)> = of_owners.chain(of_neighbors).collect();
    sides.sort_unstable();
    for (sides, cell) in sides.chunk_by(|a, b| a.0 == b.0).zip(0..) {
        if sides[0].0 != cell {
            return Err(damaged(message!(Cell.id(cell), " has no faces")));
        }
        let cycle = |&(_, face, inward): &(u32, u32, bool)| {
            let mut cycle = faces.face(face as usize).to_vec();
            if inward {
                cycle.reverse();
            }
            cycle
        };
        assembly.push_faces(&sides.iter().map(cycle).collect::<Vec<_>>(), None)?;
    }
    // patches follow one another behind the faces inside
    let mut next = neighbor.len();
    with_file(directory, "boundary", |file| {
        file.entries(|file, name| {
            let (start, count) = file.range()?;
            let own = start as usize..(start as usize).saturating_add(count as usize);
            if own.end > faces.len() || own.start < next && count > 0 {
                let message = format!(
                    "patch `{name}` has {count} faces from {start}, those from {next} to {} are left",
                    faces.len()
                );
                return Err(file.text.error(message).with_help(DAMAGED));
            }
            next = next.max(own.end);
            for face in own {
                let face = assembly.groups.push_face("faces of patches", faces.face(face), &[]);
                assembly.groups.group_face(name, face);
            }
            Ok(())
        })
    })?;
    assembly.skip_many("faces of the boundary in no patch", faces.len() - next);
    if directory.join("cellZones").is_file() {
        with_file(directory, "cellZones", |file| {
            file.entries(|file, name| {
                let cells = assembly.next_cell().0 as usize;
                for cell in file.zone(cells)? {
                    if cell >= assembly.next_cell().0 {
                        let message = message!("zone `{name}` has ", Cell.id(cell));
                        return Err(file.text.error(message).with_help(DAMAGED));
                    }
                    assembly.groups.group_cell(name, cell);
                }
                Ok(())
            })
        })?;
    }
    for name in ["faceZones", "pointZones", "cellZones.gz"] {
        if directory.join(name).is_file() {
            assembly.skip(&format!("file `{name}`"));
        }
    }
    Ok(assembly)
}

/// Reads a file of the mesh from behind its header.
fn with_file<T>(
    directory: &Path,
    name: &str,
    read: impl FnOnce(&mut FoamFile) -> Result<T>,
) -> Result<T> {
    let path = directory.join(name);
    if !path.is_file() && directory.join(format!("{name}.gz")).is_file() {
        return Err(Error::file(&path, None, "the file is compressed with gzip")
            .with_help("unpack the mesh first: gunzip polyMesh/*.gz"));
    }
    let bytes = source::file_bytes(&path)?;
    read(&mut FoamFile::new(&path, &bytes)?)
}

/// A file behind its header.
struct FoamFile<'a> {
    text: Text<'a>,
    is_binary: bool,
    /// Bytes of labels and of scalars in binary files.
    label: usize,
    scalar: usize,
}

impl<'a> FoamFile<'a> {
    fn new(path: &'a Path, bytes: &'a [u8]) -> Result<Self> {
        let text = Text::new(path, bytes).with_comment(b'/').with_marks(b"(){};");
        let mut file = Self { text, is_binary: false, label: 4, scalar: 8 };
        file.text.skip_past(b"FoamFile")?;
        file.mark("{")?;
        let mut depth = 1;
        while depth > 0 {
            match file.text.required("the } of the header")? {
                b"{" => depth += 1,
                b"}" => depth -= 1,
                b"format" => file.is_binary = file.text.required("the format")? == b"binary",
                word if word.ends_with(b"MSB") => {
                    return Err(file.text.error("numbers of another byte order").with_help(
                        "write the mesh as ASCII: writeFormat of controlDict and foamFormatConvert",
                    ));
                }
                b"label=64" | b"label=64\"" => file.label = 8,
                b"scalar=32" | b"scalar=32\"" => file.scalar = 4,
                _ => {}
            }
        }
        Ok(file)
    }

    /// Reads one mark.
    fn mark(&mut self, mark: &str) -> Result<()> {
        let word = self.text.required(mark)?;
        if word == mark.as_bytes() {
            Ok(())
        } else {
            Err(self.text.unexpected(word, mark, DAMAGED))
        }
    }

    /// Reads the number of items of a list and the mark that opens it, which lists of none may lack.
    fn begin(&mut self) -> Result<usize> {
        let count = self.text.count("the number of items")?;
        if count > 0 {
            self.mark("(")?;
        }
        Ok(count)
    }

    fn point(&mut self) -> Result<[f64; 3]> {
        if !self.is_binary {
            self.mark("(")?;
            let point = self.text.point()?;
            self.mark(")")?;
            return Ok(point);
        }
        let bytes = self.text.take(3 * self.scalar, "a point")?;
        let real = |d: usize| match self.scalar {
            4 => bytes.as_chunks().0.get(d).map(|b| f32::from_le_bytes(*b).into()),
            _ => bytes.as_chunks().0.get(d).map(|b| f64::from_le_bytes(*b)),
        };
        Ok([0, 1, 2].map(|d| real(d).unwrap_or_default()))
    }

    /// A list of numbers from 0; `most` equal ones may be named by their number alone.
    fn labels(&mut self, most: usize) -> Result<Vec<u32>> {
        let count = self.text.count("the number of items")?;
        let mut all = Vec::with_capacity(self.text.room(count, 2));
        match self.text.peek() {
            // binary lists of none have no marks
            None | Some(b";" | b"}") if count == 0 => return Ok(all),
            Some(b"{") if count <= most => {
                self.mark("{")?;
                all.resize(count, self.text.index(0, "a label")?);
                self.mark("}")?;
                return Ok(all);
            }
            _ => self.mark("(")?,
        }
        for _ in 0..count {
            all.push(match (self.is_binary, self.label) {
                (false, _) => self.text.index(0, "a label")?,
                (true, size) => {
                    let mut bytes = [0; 8];
                    bytes[..size].copy_from_slice(self.text.take(size, "a label")?);
                    let label = u64::from_le_bytes(bytes);
                    u32::try_from(label).map_err(|_| {
                        self.text.error(format!("label {label} is too large")).with_help(DAMAGED)
                    })?
                }
            });
        }
        self.mark(")")?;
        Ok(all)
    }

    /// Faces over a number of points.
    fn faces(&mut self, points: usize) -> Result<Polygons> {
        let mut faces = Polygons::default();
        let wrong =
            |text: &Text| text.error(format!("faces over {points} points")).with_help(DAMAGED);
        let is_known = |face: &[u32]| face.iter().all(|&v| (v as usize) < points);
        if self.is_binary {
            let (ends, all) = (self.labels(0)?, self.labels(0)?);
            for pair in ends.windows(2) {
                let face =
                    all.get(pair[0] as usize..pair[1] as usize).filter(|face| is_known(face));
                faces.push(face.ok_or_else(|| wrong(&self.text))?);
            }
            return Ok(faces);
        }
        for _ in 0..self.begin()? {
            let face = self.labels(0)?;
            if !is_known(&face) {
                return Err(wrong(&self.text));
            }
            faces.push(&face);
        }
        Ok(faces)
    }

    /// Reads a list of named dictionaries; `read` reads one from behind its `{` up to its `}`.
    fn entries(&mut self, mut read: impl FnMut(&mut Self, &str) -> Result<()>) -> Result<()> {
        for _ in 0..self.begin()? {
            let name = shown(self.text.required("a name")?);
            self.mark("{")?;
            read(self, &name)?;
        }
        Ok(())
    }

    /// Start and number of the faces of a patch.
    fn range(&mut self) -> Result<(u32, u32)> {
        let (mut start, mut count, mut depth) = (None, None, 0);
        loop {
            match self.text.required("startFace and nFaces of a patch")? {
                b"{" => depth += 1,
                b"}" if depth == 0 => break,
                b"}" => depth -= 1,
                b"startFace" => start = Some(self.text.index(0, "a face")?),
                b"nFaces" => count = Some(self.text.index(0, "a number of faces")?),
                _ => {}
            }
        }
        start.zip(count).ok_or_else(|| {
            self.text.error("a patch without startFace or nFaces").with_help(DAMAGED)
        })
    }

    /// The cells of a zone, of a mesh of `most`.
    fn zone(&mut self, most: usize) -> Result<Vec<u32>> {
        let mut cells = Vec::new();
        loop {
            match self.text.required("the } of a zone")? {
                b"}" => return Ok(cells),
                b"List<label>" => cells = self.labels(most)?,
                _ => {}
            }
        }
    }
}

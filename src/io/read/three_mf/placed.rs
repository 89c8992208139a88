//! The surface of all that the build places.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::events::memory_help;
use super::model::{Object, Part, Placement, Shape, Transform};
use super::package::{Package, part_name};
use crate::error::{Error, Result};
use crate::io::read::ReadReport;
use crate::memory::decimal_bytes;
use crate::mesh::{Polygons, SurfaceMesh};
use crate::numbers::counted;

/// Most levels of components.
const MOST_LEVELS: usize = 100;
/// Bytes of a vertex, a triangle and a placement in memory.
const BYTES: [u64; 3] = [24, 12, 96];

/// The parts of a model: the one that has the build, and those that hold further objects.
pub(super) struct Model {
    parts: Vec<(PathBuf, Part)>,
    // of each part and object
    sizes: Vec<Vec<Size>>,
}

/// What an object comes to, with its components.
#[derive(Clone, Copy, Default)]
struct Size {
    points: u64,
    triangles: u64,
    placements: u64,
    levels: usize,
}

impl Size {
    fn add(&mut self, other: Self) {
        self.points = self.points.saturating_add(other.points);
        self.triangles = self.triangles.saturating_add(other.triangles);
        self.placements = self.placements.saturating_add(other.placements).saturating_add(1);
        self.levels = self.levels.max(other.levels + 1);
    }

    fn bytes(&self) -> u64 {
        let counts = [self.points, self.triangles, self.placements];
        counts
            .iter()
            .zip(BYTES)
            .fold(0, |sum, (n, bytes)| n.saturating_mul(bytes).saturating_add(sum))
    }
}

impl Model {
    /// Reads the part that has the build, and those that it names.
    pub fn read(package: &mut Package, root: &str) -> Result<Self> {
        let mut parts = vec![(part_name(root), Part::read(&mut package.part(root)?)?)];
        let components = parts[0].1.objects.iter().flat_map(|object| match &object.shape {
            Shape::Mesh(_) => &[][..],
            Shape::Components(components) => components,
        });
        let placements = parts[0].1.items.iter().chain(components);
        let names: BTreeMap<PathBuf, String> = placements
            .filter_map(|placement| placement.part.as_ref())
            .map(|name| (part_name(name), name.clone()))
            .collect();
        for (key, name) in names {
            if key != parts[0].0 {
                parts.push((key, Part::read(&mut package.part(&name)?)?));
            }
        }
        let mut model = Self { sizes: Vec::new(), parts };
        // others first: the first part names them
        model.sizes = vec![Vec::new(); model.parts.len()];
        for p in (0..model.parts.len()).rev() {
            for o in 0..model.parts[p].1.objects.len() {
                let size = model.size(package.path(), p, o)?;
                model.sizes[p].push(size);
            }
        }
        Ok(model)
    }

    /// What an object comes to; objects before it have been sized.
    fn size(&self, path: &Path, p: usize, o: usize) -> Result<Size> {
        let Object { id, shape, .. } = &self.parts[p].1.objects[o];
        let components = match shape {
            Shape::Mesh(mesh) => {
                let (points, triangles) = (mesh.points.len() as u64, mesh.triangles.len() as u64);
                return Ok(Size { points, triangles, ..Size::default() });
            }
            Shape::Components(components) => components,
        };
        let mut size = Size::default();
        for component in components {
            let (part, object) = self.find(path, p, component)?;
            let Some(of) = self.sizes[part].get(object) else {
                let message = format!("object {id} is made of object {}", component.object);
                return Err(self.error(path, p, component, message + ", which comes after it"));
            };
            size.add(*of);
        }
        if size.levels > MOST_LEVELS {
            let message = format!("object {id} has components in more than {MOST_LEVELS} levels");
            return Err(self.error(path, p, &components[0], message));
        }
        Ok(size)
    }

    /// The part and place of the object of a placement in part `p`.
    fn find(&self, path: &Path, p: usize, placement: &Placement) -> Result<(usize, usize)> {
        let part = match &placement.part {
            None => Some(p),
            Some(name) => {
                let name = part_name(name);
                self.parts.iter().position(|part| part.0 == name)
            }
        };
        // a part names none but its own objects, except the first
        let part = part.filter(|&part| part == p || p == 0);
        let found = part.and_then(|part| Some((part, self.parts[part].1.find(placement.object)?)));
        found.ok_or_else(|| {
            let message = format!("there is no object {}", placement.object);
            self.error(path, p, placement, message)
        })
    }

    fn error(&self, path: &Path, p: usize, at: &Placement, message: String) -> Error {
        Error::file(path.join(&self.parts[p].0), Some(at.line), message)
            .with_help("the file is malformed; export it again")
    }

    /// The surface, in millimeters, and what is left out.
    pub fn place(&self, path: &Path, most: u64) -> Result<(SurfaceMesh, ReadReport)> {
        let root = &self.parts[0].1;
        let mut report = ReadReport::default();
        let scale = scale(path, root.unit.as_deref(), &mut report)?;
        let mut kept = Vec::new();
        let (mut size, mut aids) = (Size::default(), 0);
        for item in &root.items {
            let (p, o) = self.find(path, 0, item)?;
            if !self.parts[p].1.objects[o].is_model {
                aids += 1;
                continue;
            }
            size.add(self.sizes[p][o]);
            kept.push((p, o, &item.transform));
        }
        if aids > 0 {
            report.skipped.push(format!("{} that is a support or aid", counted(aids, "item")));
        }
        let mut skipped = BTreeMap::new();
        for (what, count) in self.parts.iter().flat_map(|part| &part.1.skipped) {
            *skipped.entry(what).or_default() += count;
        }
        report
            .skipped
            .extend(skipped.into_iter().map(|(what, count): (_, usize)| format!("{count} {what}")));
        if kept.is_empty() {
            return Err(Error::file(path, None, "the build of the model places no object")
                .with_help("export it with the objects that are to be printed"));
        }
        let bytes = size.bytes();
        if bytes > most {
            let (bytes, most) = (decimal_bytes(bytes.into()), decimal_bytes(most.into()));
            let message = format!("the placed objects take {bytes}, more than {most}");
            return Err(Error::file(path, None, message).with_help(memory_help()));
        }
        let mut points = Vec::with_capacity(size.points as usize);
        let mut corners = Vec::with_capacity(3 * size.triangles as usize);
        for (p, o, transform) in kept {
            self.push((p, o), transform, &mut points, &mut corners);
        }
        if scale != 1.0 {
            points.as_flattened_mut().iter_mut().for_each(|x| *x *= scale);
        }
        let mesh = SurfaceMesh::new(points, Polygons::uniform(3, corners));
        Ok((SurfaceMesh { faceted: true, ..mesh }, report))
    }

    /// Adds an object where a transform places it.
    fn push(
        &self,
        (p, o): (usize, usize),
        transform: &Transform,
        points: &mut Vec<[f64; 3]>,
        corners: &mut Vec<u32>,
    ) {
        match &self.parts[p].1.objects[o].shape {
            Shape::Components(components) => {
                for component in components {
                    // found before, when it was sized
                    let Ok(of) = self.find(Path::new(""), p, component) else { continue };
                    let both = after(&component.transform, transform);
                    self.push(of, &both, points, corners);
                }
            }
            Shape::Mesh(mesh) => {
                let first = points.len() as u32;
                points.extend(mesh.points.iter().map(|&point| moved(point, transform)));
                let is_mirrored = determinant(transform) < 0.0;
                for &[a, b, c] in &mesh.triangles {
                    let [b, c] = if is_mirrored { [c, b] } else { [b, c] };
                    corners.extend([a, b, c].map(|v| first.wrapping_add(v)));
                }
            }
        }
    }
}

/// Millimeters in a unit of length; says so if it is another.
fn scale(path: &Path, unit: Option<&str>, report: &mut ReadReport) -> Result<f64> {
    let scale = match unit.unwrap_or("millimeter") {
        "micron" => 1e-3,
        "millimeter" => return Ok(1.0),
        "centimeter" => 10.0,
        "inch" => 25.4,
        "foot" => 304.8,
        "meter" => 1000.0,
        other => {
            let other = crate::io::read::lines::shown(other.as_bytes());
            return Err(Error::file(path, None, format!("`{other}` is no unit of length"))
                .with_help("units are micron, millimeter, centimeter, inch, foot and meter"));
        }
    };
    let unit = unit.unwrap_or_default();
    report.skipped.push(format!("the unit {unit} (coordinates are in millimeters now)"));
    Ok(scale)
}

fn moved([x, y, z]: [f64; 3], by: &Transform) -> [f64; 3] {
    [0, 1, 2].map(|d| x * by[0][d] + y * by[1][d] + z * by[2][d] + by[3][d])
}

/// `first`, then `second`.
fn after(first: &Transform, second: &Transform) -> Transform {
    let linear = |row: [f64; 3]| {
        [0, 1, 2].map(|d| row[0] * second[0][d] + row[1] * second[1][d] + row[2] * second[2][d])
    };
    let [x, y, z, origin] = *first;
    [linear(x), linear(y), linear(z), moved(origin, second)]
}

fn determinant([x, y, z, _]: &Transform) -> f64 {
    x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0])
        + x[2] * (y[0] * z[1] - y[1] * z[0])
}

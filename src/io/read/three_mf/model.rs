//! The model part: objects, and the items of the build.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;

use quick_xml::events::BytesStart;

use super::events::{Events, Numbered, finite, index};
use crate::error::Result;
use crate::io::read::lines::shown;

/// Extensions without which a model is read rightly, or read themselves: what a file requires
/// beside them is refused.
const KNOWN: [&str; 5] = [
    "http://schemas.microsoft.com/3dmanufacturing/core/2015/02",
    "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    "http://schemas.microsoft.com/3dmanufacturing/production/2015/06",
    "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
];

/// Four rows: images of the axes, and of the origin. A point is a row before them.
pub(super) type Transform = [[f64; 3]; 4];

/// The transform of what names none.
const IDENTITY: Transform = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]];

/// What a part says.
#[derive(Default)]
pub(super) struct Part {
    /// Name of the unit of length.
    pub unit: Option<String>,
    /// Objects in the order of the part.
    pub objects: Vec<Object>,
    // place among the objects, by number
    places: HashMap<u32, usize>,
    /// What the build places.
    pub items: Vec<Placement>,
    /// What is left out, by what it is.
    pub skipped: BTreeMap<String, usize>,
}

/// A thing that can be placed.
pub(super) struct Object {
    pub id: u32,
    /// Whether it is a part of the model, not a support or another aid.
    pub is_model: bool,
    pub shape: Shape,
}

/// What an object is made of.
pub(super) enum Shape {
    Mesh(TriangleMesh),
    Components(Vec<Placement>),
}

/// A mesh of triangles.
#[derive(Default)]
pub(super) struct TriangleMesh {
    pub points: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

/// An object where it is placed.
pub(super) struct Placement {
    /// Number of the object.
    pub object: u32,
    /// Part that it is in, if it is another.
    pub part: Option<String>,
    pub transform: Transform,
    /// Line that places it.
    pub line: usize,
}

impl Part {
    /// Reads a part.
    pub fn read<R: BufRead + Numbered>(events: &mut Events<R>) -> Result<Self> {
        let root = events.root("model")?;
        let mut part = Self { unit: events.attribute(&root, "unit")?, ..Self::default() };
        check_required(events, &root)?;
        let mut text = String::new();
        while let Some(tag) = events.child(&mut text)? {
            match tag.local_name().as_ref() {
                "resources" => part.read_resources(events)?,
                "build" => part.read_build(events)?,
                // names, dates and the like
                "metadata" => events.skip()?,
                other => {
                    part.skip(&format!("`{}`", shown(other.as_bytes())));
                    events.skip()?;
                }
            }
        }
        Ok(part)
    }

    fn skip(&mut self, what: &str) {
        *self.skipped.entry(what.to_owned()).or_default() += 1;
    }

    fn read_resources<R: BufRead + Numbered>(&mut self, events: &mut Events<R>) -> Result<()> {
        let mut text = String::new();
        while let Some(tag) = events.child(&mut text)? {
            let name = tag.local_name();
            if name.as_ref() == "object" {
                self.read_object(events, &tag)?;
            } else {
                self.skip(&format!("`{}`", shown(name.as_ref().as_bytes())));
                events.skip()?;
            }
        }
        Ok(())
    }

    fn read_object<R: BufRead + Numbered>(
        &mut self,
        events: &mut Events<R>,
        tag: &BytesStart,
    ) -> Result<()> {
        let [id] = events.numbers(tag, ["id"], index)?;
        if self.find(id).is_some() {
            return Err(events.fault(format!("two objects have the id {id}")));
        }
        let kind = events.attribute(tag, "type")?;
        let is_model = matches!(kind.as_deref(), None | Some("model" | "surface" | "solidsupport"));
        if events.attribute(tag, "meshresolution")?.as_deref() == Some("lowres") {
            return Err(events
                .error(format!("the mesh of object {id} only stands for its slices"))
                .with_help("export its full mesh, or the solid"));
        }
        let mut shape = None;
        let mut text = String::new();
        while let Some(tag) = events.child(&mut text)? {
            let found = match tag.local_name().as_ref() {
                "mesh" => Shape::Mesh(self.read_mesh(events)?),
                "components" => Shape::Components(read_placements(events, "component")?.0),
                "metadatagroup" => {
                    events.skip()?;
                    continue;
                }
                other => {
                    self.skip(&format!("`{}`", shown(other.as_bytes())));
                    events.skip()?;
                    continue;
                }
            };
            if shape.replace(found).is_some() {
                return Err(events.fault(format!("object {id} has two shapes")));
            }
        }
        let shape = shape.ok_or_else(|| {
            events
                .error(format!("object {id} is neither a mesh nor made of components"))
                .with_help("shapes of other extensions are not read: export it as a mesh")
        })?;
        self.places.insert(id, self.objects.len());
        self.objects.push(Object { id, is_model, shape });
        Ok(())
    }

    fn read_mesh<R: BufRead + Numbered>(&mut self, events: &mut Events<R>) -> Result<TriangleMesh> {
        let mut mesh = TriangleMesh::default();
        let (mut colored, mut text) = (0, String::new());
        while let Some(tag) = events.child(&mut text)? {
            match tag.local_name().as_ref() {
                "vertices" => {
                    let mut text = String::new();
                    while let Some(tag) = events.child(&mut text)? {
                        expect(events, &tag, "vertex")?;
                        mesh.points.push(events.numbers(&tag, ["x", "y", "z"], finite)?);
                        events.skip()?;
                    }
                }
                "triangles" => {
                    let mut text = String::new();
                    while let Some(tag) = events.child(&mut text)? {
                        expect(events, &tag, "triangle")?;
                        let corners = events.numbers(&tag, ["v1", "v2", "v3"], index)?;
                        let count = mesh.points.len();
                        if let Some(v) = corners.iter().find(|&&v| v as usize >= count) {
                            return Err(events.fault(format!(
                                "a triangle names vertex {v} of {count} (counted from 0)"
                            )));
                        }
                        colored += usize::from(text_has(&tag, "pid") || text_has(&tag, "p1"));
                        mesh.triangles.push(corners);
                        events.skip()?;
                    }
                }
                other => {
                    self.skip(&format!("`{}`", shown(other.as_bytes())));
                    events.skip()?;
                }
            }
        }
        if colored > 0 {
            *self.skipped.entry("material or color of triangles".into()).or_default() += colored;
        }
        Ok(mesh)
    }

    fn read_build<R: BufRead + Numbered>(&mut self, events: &mut Events<R>) -> Result<()> {
        let (items, left) = read_placements(events, "item")?;
        self.items.extend(items);
        if left > 0 {
            *self.skipped.entry("item that is not to be printed".into()).or_default() += left;
        }
        Ok(())
    }

    /// Place of an object among those of the part.
    pub fn find(&self, id: u32) -> Option<usize> {
        self.places.get(&id).copied()
    }
}

/// Whether a tag has an attribute.
fn text_has(tag: &BytesStart, name: &str) -> bool {
    tag.attributes().with_checks(false).flatten().any(|a| a.key.as_ref() == name)
}

fn expect<R: BufRead + Numbered>(events: &Events<R>, tag: &BytesStart, name: &str) -> Result<()> {
    match tag.local_name().as_ref() {
        found if found == name => Ok(()),
        found => {
            let found = shown(found.as_bytes());
            Err(events.fault(format!("`{name}` expected, found `{found}`")))
        }
    }
}

/// What is placed, and the number of placements that are not to be printed.
fn read_placements<R: BufRead + Numbered>(
    events: &mut Events<R>,
    name: &str,
) -> Result<(Vec<Placement>, usize)> {
    let (mut placements, mut left) = (Vec::new(), 0);
    let mut text = String::new();
    while let Some(tag) = events.child(&mut text)? {
        expect(events, &tag, name)?;
        let [object] = events.numbers(&tag, ["objectid"], index)?;
        let transform = events.attribute(&tag, "transform")?;
        let transform = transform.map_or(Ok(IDENTITY), |text| {
            parse_transform(&text).ok_or_else(|| {
                let word = shown(text.as_bytes());
                events.fault(format!("transform=\"{word}\" is not twelve finite numbers"))
            })
        })?;
        let part = events.attribute(&tag, "path")?;
        if name == "item" && events.attribute(&tag, "printable")?.as_deref() == Some("0") {
            left += 1;
        } else {
            placements.push(Placement { object, part, transform, line: events.line() });
        }
        events.skip()?;
    }
    Ok((placements, left))
}

fn parse_transform(text: &str) -> Option<Transform> {
    let mut transform = IDENTITY;
    let mut words = text.split_ascii_whitespace();
    for entry in transform.as_flattened_mut() {
        *entry = finite(words.next()?)?;
    }
    words.next().is_none().then_some(transform)
}

/// Refuses a model that requires an extension that is not supported.
fn check_required<R: BufRead + Numbered>(events: &Events<R>, root: &BytesStart) -> Result<()> {
    let required = events.attribute(root, "requiredextensions")?.unwrap_or_default();
    for prefix in required.split_ascii_whitespace() {
        let space = root.attributes().with_checks(false).flatten().find(|attribute| {
            attribute.key.as_ref().strip_prefix("xmlns:").is_some_and(|name| name == prefix)
        });
        let space = space.map(|attribute| attribute.value).unwrap_or_default();
        if !KNOWN.contains(&&*space) {
            let (prefix, space) = (shown(prefix.as_bytes()), shown(space.as_bytes()));
            return Err(events
                .error(format!(
                    "the model requires an extension that is not read: {prefix} {space}"
                ))
                .with_help("export it as a mesh of triangles, without this extension"));
        }
    }
    Ok(())
}

//! Models on one plate: which, by what names, and where.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::Notes;
use super::check::check_rules;
use super::model::{ModelFile, SliceModel};
use super::request::SliceRequest;
use super::values::SlicePlace;
use crate::error::{Error, IdKind, Message, Result, option_name as name};
use crate::io::bounded_file;
use crate::numbers::{Length, NumberOrText, by_count, counted, significant};
use crate::slice::manifest::PartEntry;
use crate::slice::{Overlap, Placement, Setting, Slicer};

/// Name and version of plate files.
pub const PLATE_SCHEMA: &str = "subsolid.plate/1";

/// Bytes of the largest plate file that is read.
const MOST_BYTES: u64 = 1 << 26;

/// Layers in which parts are looked at for overlaps, unless these are refused.
const MAX_LAYERS: usize = 64;

/// A file of the parts on a plate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlateFile {
    /// Name and version of this schema.
    pub schema: String,
    /// The parts; where some overlap, the last one has the place.
    pub parts: Vec<PlatePart>,
}

/// A part on a plate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlatePart {
    /// File of the model, from the folder of the plate file.
    pub model: PathBuf,
    /// Name of the part, that of a material or an attribute; that of the model without its ending if
    /// there is none.
    #[serde(default)]
    pub name: Option<String>,
    /// How far the part is shifted along x, y and z: numbers in the length unit of the model, or texts
    /// such as "2 mm".
    #[serde(default)]
    #[cfg_attr(feature = "cli", schemars(with = "[NumberOrText; 3]"))]
    pub place: [Length; 3],
    /// Degrees that it is turned by about the z axis before that, counter-clockwise from above.
    #[serde(default)]
    pub turn: f64,
}

impl PlateFile {
    /// Reads a plate file. Paths of models in it become such that they can be opened.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::File`] if it cannot be read, is of another schema, or has no parts.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = bounded_file(path, MOST_BYTES)?;
        let file = |what: String| Error::file(path, None, what);
        let example = r#"{ "schema": "subsolid.plate/1", "parts": [{ "model": "a.vtu", "place": [9, 0, 0] }] }"#;
        let help = Message::from(format!("plate files look like {example}"));
        let mut plate: Self = serde_json::from_slice(&bytes)
            .map_err(|e| file(format!("no plate file: {e}")).with_help(help.clone()))?;
        if plate.schema != PLATE_SCHEMA {
            let what = format!("the schema {:?}, not {PLATE_SCHEMA:?}", plate.schema);
            return Err(file(what).with_help(help));
        }
        if plate.parts.is_empty() {
            return Err(file("no parts".into()).with_help("list the models under \"parts\""));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        plate.parts.iter_mut().for_each(|part| part.model = folder.join(&part.model));
        Ok(plate)
    }

    /// Whether a model is a plate file, by its ending.
    pub fn is_named(path: &Path) -> bool {
        path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
    }
}

/// A model to slice, and where it lies.
#[derive(Clone, Debug)]
pub struct SlicePart<'p> {
    /// The model, which several parts may have.
    pub model: Arc<SliceModel>,
    /// Name of a part among several.
    pub name: Option<String>,
    /// How it is moved.
    pub place: Option<Placement>,
    /// Its file.
    pub file: ModelFile<'p>,
}

impl<'p> SlicePart<'p> {
    /// A model by itself.
    pub fn alone(model: SliceModel, file: ModelFile<'p>) -> Self {
        Self { model: Arc::new(model), name: None, place: None, file }
    }

    /// Its control points.
    pub(super) fn points(&self) -> Cow<'_, [[f64; 3]]> {
        let own = self.model.points();
        self.place.map_or(Cow::Borrowed(own), |place| Cow::Owned(place.apply(own)))
    }

    /// Identifies all parts: none of a model by itself, at its own place.
    pub(super) fn entries(parts: &[Self]) -> Vec<PartEntry> {
        if let [Self { name: None, place: None, .. }] = parts {
            return Vec::new();
        }
        let entry = |own: &Self| PartEntry {
            name: own.name.clone(),
            model_sha256: own.model.sha256().to_owned(),
            place: own.place.unwrap_or_default(),
        };
        parts.iter().map(entry).collect()
    }

    /// Names of all files.
    pub(super) fn files(parts: &[Self]) -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        for name in parts.iter().filter_map(|part| part.file.name()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if names.is_empty() { None } else { Some(names.join(", ")) }
    }
}

impl SliceRequest {
    /// The parts that some models are, or those of a plate file, at their places. Parts have names
    /// where there are several.
    ///
    /// # Errors
    /// As [`PlateFile::read`]; [`Error::Request`] for names that are given twice, and places of parts
    /// that there are not.
    pub fn plate(&self, models: &[PathBuf]) -> Result<Vec<PlatePart>> {
        let mut parts = match models {
            [file] if PlateFile::is_named(file) => PlateFile::read(file)?.parts,
            _ => {
                if let Some(file) = models.iter().find(|file| PlateFile::is_named(file)) {
                    let what = format!("{}: a plate file beside other models", file.display());
                    return Err(Error::request(what).with_help("list all models in it"));
                }
                let part =
                    |model: &PathBuf| PlatePart { model: model.clone(), ..PlatePart::default() };
                models.iter().map(part).collect()
            }
        };
        // one model alone has no name
        let named = match models {
            [file] if !PlateFile::is_named(file) => 0,
            _ => parts.len(),
        };
        for k in 0..named {
            let (earlier, rest) = parts.split_at_mut(k);
            let taken = |name: &str| earlier.iter().any(|own| own.name.as_deref() == Some(name));
            let part = &mut rest[0];
            if let Some(name) = part.name.as_deref().filter(|name| taken(name)) {
                return Err(Error::request(format!("two parts have the name {name:?}"))
                    .with_help("give every part a name of its own"));
            }
            let stem = part.model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let numbered = (2..).map(|number| format!("{stem}_{number}"));
            let free = std::iter::once(stem.clone()).chain(numbered).find(|name| !taken(name));
            part.name = part.name.take().or(free);
        }
        self.put(&mut parts)?;
        Ok(parts)
    }

    /// Puts parts to their [places](SliceRequest::place).
    ///
    /// # Errors
    /// [`Error::Request`] for places of parts that there are not.
    pub fn put(&self, parts: &mut [PlatePart]) -> Result<()> {
        for SlicePlace { name: of, shift, degrees } in &self.place {
            let count = parts.len();
            let found = match of {
                None if count == 1 => parts.first_mut(),
                None => None,
                Some(of) => parts.iter_mut().find(|part| {
                    let stem = part.model.file_stem().map(|stem| stem.to_string_lossy());
                    part.name.as_ref().map_or(stem.as_deref() == Some(of), |own| own == of)
                }),
            };
            let Some(part) = found else {
                let names: Vec<&str> = parts.iter().filter_map(|own| own.name.as_deref()).collect();
                let of = of.as_ref().map_or("without a name".into(), |of| format!("of {of:?}"));
                return Err(Error::request(message!(
                    name("place"),
                    " ",
                    of,
                    ", which no part has"
                ))
                .with_help(format!("give one of {}", names.join(", "))));
            };
            (part.place, part.turn) = (*shift, *degrees);
        }
        Ok(())
    }

    /// How a part is moved; `None` for not at all.
    ///
    /// # Errors
    /// As [`Placement::check`].
    pub fn placement(&self, part: &PlatePart) -> Result<Option<Placement>> {
        let shift = part.place.map(|own| self.length(own));
        let own = Placement { shift, degrees: part.turn };
        own.check()?;
        Ok(Some(own).filter(|own| *own != Placement::default()))
    }

    /// Refuses what some numbers of solids and of surfaces have no use for.
    ///
    /// # Errors
    /// [`Error::Request`] for options of solids without one, of surfaces without one, and of models
    /// by themselves for several.
    pub fn check_parts(&self, [solids, surfaces]: [usize; 2]) -> Result<()> {
        if surfaces == 0 {
            self.check_of_solid()?;
        }
        if solids == 0 {
            self.check_of_surfaces(surfaces)?;
        }
        if solids + surfaces < 2 {
            return Ok(());
        }
        let rule = |given: bool, option, why: &str| {
            let what = message!(name(option), " with several parts: ", why);
            (given, what, message!("slice the parts one by one, or leave ", name(option), " out"))
        };
        let has_points = self.outputs.vtp.is_some() && !self.attribute.is_empty();
        check_rules([
            rule(self.outputs.pvtu.is_some(), "pvtu", "cells have numbers in one model"),
            rule(has_points, "attribute", "points of a .vtp are of all"),
            rule(self.lattice.lattice.is_some(), "lattice", "tiles lie in the cells of one model"),
            rule(
                self.images.material_id.is_some(),
                "material_id",
                "the same number may be another material. Name groups of cells or parts as materials",
            ),
        ])
    }

    /// Warns of parts that overlap, or refuses them if `strict`. `names`: of the parts.
    ///
    /// # Errors
    /// [`Error::Mesh`] if they are refused.
    pub fn check_overlaps(
        &self,
        slicer: &Slicer,
        setting: &Setting,
        (names, strict): (&[Option<String>], bool),
        notes: &mut dyn Notes,
    ) -> Result<()> {
        let [layers, _] = self.layers(&setting.stack)?;
        let most = if strict { usize::MAX } else { MAX_LAYERS };
        for Overlap { parts, layers: [some, all], worst, area } in
            slicer.overlaps(setting, &layers, most)
        {
            let [a, b] = parts.map(|part| names[part].as_deref().unwrap_or_default());
            let (all, have) = (counted(all, "layer"), by_count(some, "has", "have"));
            let area = significant(area);
            let what: Message = message!(
                format!(
                    "parts {a} and {b} overlap: of {all} that were looked at {some} {have} some \
                         area of both, "
                ),
                IdKind::Layer.id(worst),
                format!(" of {area} square length units")
            );
            if strict {
                return Err(Error::mesh(what).with_help("move one of them"));
            }
            notes.warn(message!(what, format!("; it is {b}'s, the later one's")));
        }
        Ok(())
    }
}

//! Reports as JSON, and their schemas.

use std::path::Path;

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use subsolid::jobs::slice::{PLATE_SCHEMA, PlateFile};
use subsolid::{Error, Result};

/// What a report of `--json` is.
pub trait JsonReport: Serialize + JsonSchema {
    /// Name and version of its schema. The version rises when a key goes away or changes its
    /// meaning; new keys keep it.
    const SCHEMA: &'static str;
}

// without a comment, so that the schema has that of what was found
#[derive(Serialize, JsonSchema)]
pub struct Written<R> {
    /// Name of the file written.
    output: String,
    #[serde(flatten)]
    pub found: R,
}

impl<R> Written<R> {
    pub fn of(output: &Path, found: R) -> Self {
        Self { output: output.display().to_string(), found }
    }
}

/// Program and version.
const PROGRAM: &str = concat!("subsolid ", env!("CARGO_PKG_VERSION"));

#[derive(Serialize, JsonSchema)]
struct NamedReport<'a, T> {
    /// Name and version of this schema.
    schema: &'static str,
    /// The program that made the report, and its version.
    program: &'static str,
    #[serde(flatten)]
    report: &'a T,
}

/// A report as text.
pub fn text<T: JsonReport>(report: &T) -> Result<String> {
    serde_json::to_string_pretty(&NamedReport { schema: T::SCHEMA, program: PROGRAM, report })
        .map_err(|e| Error::request(format!("the report cannot be written as JSON: {e}")))
}

/// The schema of a report (JSON Schema, draft 2020-12).
pub fn schema<T: JsonReport + 'static>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    named(settings.into_generator().into_root_schema_for::<NamedReport<'static, T>>(), T::SCHEMA)
}

/// The schema of plate files.
pub fn plate_schema() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    named(settings.into_generator().into_root_schema_for::<PlateFile>(), PLATE_SCHEMA)
}

/// A schema by its name, which is in what it describes.
fn named(mut schema: Schema, name: &'static str) -> Schema {
    transform_subschemas(&mut plain_text, &mut schema);
    schema.insert("$id".into(), name.into());
    schema.insert("title".into(), name.into());
    if let Some(own) = schema.pointer_mut("/properties/schema").and_then(|own| own.as_object_mut())
    {
        own.insert("const".into(), name.into());
    }
    schema
}

/// Takes links of the sources out of descriptions.
fn plain_text(schema: &mut Schema) {
    if let Some(text) = schema.get("description").and_then(|text| text.as_str()) {
        let text = text.replace("[`", "`").replace("`]", "`");
        schema.insert("description".into(), text.into());
    }
    transform_subschemas(&mut plain_text, schema);
}

//! Layers of a printing job beside the solid.

use std::path::Path;

use serde_json::json;

use super::scene::Scene;
use crate::error::{Command, Error, Result};
use crate::slice::manifest::{Files, Manifest};
use crate::slice::refined_fingerprint;

/// Layers that a page holds at most.
const MAX_PAGE_LAYERS: usize = 400;
/// Levels at which layers may be of the model.
const SLICED_LEVELS: usize = 6;

/// What a page shows of the layers of a printing job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceImages {
    /// The [`fingerprint`](crate::slice::fingerprint()) of the model that was sliced.
    pub model_sha256: String,
    /// Those of its parts, if they have names.
    pub parts: Vec<String>,
    /// Folders of the images of a layer; the first is shown.
    pub stacks: Vec<String>,
}

impl SliceImages {
    /// Notices about layers in `folder` beside a model: they are of another model than the
    /// [fingerprints](crate::slice::fingerprint()) `own`, refined or not, if there are
    /// any; and images that are not shown.
    pub fn notices(&self, folder: &Path, own: &[String]) -> Vec<String> {
        let folder = folder.display();
        let is_of = |own: &String| {
            let refined = |levels| refined_fingerprint(own.clone(), levels);
            let is_of = |levels| {
                let own = refined(levels);
                own == self.model_sha256 || self.parts.contains(&own)
            };
            (0..=SLICED_LEVELS).any(is_of)
        };
        let mut notices = Vec::new();
        if !own.is_empty() && !own.iter().any(is_of) {
            notices.push(format!(
                "{folder}: the layers are of another model, or of this one with other creases or arrays"
            ));
        }
        if let [first, others @ ..] = &self.stacks[..]
            && !others.is_empty()
        {
            notices.push(format!(
                "{folder}: the images of {first} are shown; left out {}",
                others.join(", ")
            ));
        }
        notices
    }
}

/// Adds the first image of the layers of a folder, every n-th layer if there are many.
pub fn push(scene: &mut Scene, folder: &Path) -> Result<SliceImages> {
    let Some(manifest) = Manifest::read(folder)? else {
        return Err(Error::file(folder, None, "holds no manifest.json of layers")
            .with_help(message!("name the folder that ", Command::SliceToImages, " wrote")));
    };
    let Files::Png(pixels) = &manifest.parameters.files else {
        return Err(Error::file(folder, None, "holds layers that are not PNG images")
            .with_help(message!("name a folder that ", Command::SliceToImages, " wrote")));
    };
    if !manifest.complete {
        return Err(Error::file(folder, None, "holds layers of a job that did not end")
            .with_help("run the job to its end first"));
    }
    let step = manifest.layers.len().div_ceil(MAX_PAGE_LAYERS).max(1);
    let (mut bytes, mut images) = (Vec::new(), Vec::new());
    for layer in manifest.layers.iter().step_by(step) {
        let Some(file) = layer.files.first() else { continue };
        let image = image(&folder.join(&file.path), file.bytes)?;
        images.push(json!({
            "index": layer.index, "height": layer.height, "thickness": layer.thickness,
            "at": bytes.len(), "count": image.len(),
        }));
        bytes.extend(image);
    }
    if images.is_empty() {
        return Err(Error::file(folder, None, "holds no layers")
            .with_help("give the folder of a job that wrote images of layers"));
    }
    let stacks = stacks(&manifest);
    scene.shell.push("layer images", &bytes);
    scene.layers = Some(json!({
        "axis": manifest.parameters.axis,
        "count": manifest.parameters.layer_count,
        "images": images,
        "pixel": pixels.pitch,
        "stack": stacks.first().filter(|_| stacks.len() > 1),
    }));
    let parts = manifest.parameters.parts.into_iter().map(|part| part.model_sha256).collect();
    Ok(SliceImages { model_sha256: manifest.parameters.model_sha256, parts, stacks })
}

/// The bytes of an image, as many as the manifest says.
fn image(path: &Path, length: u64) -> Result<Vec<u8>> {
    let wrong = |what: String| {
        Error::file(path, None, what).with_help("run the job again: it writes what is missing")
    };
    let unread = |e: std::io::Error| wrong(format!("cannot be read: {e}"));
    let found = std::fs::metadata(path).map_err(unread)?.len();
    if found != length {
        return Err(wrong(format!("has {found} bytes, the manifest says {length}")));
    }
    let bytes = std::fs::read(path).map_err(unread)?;
    if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Err(wrong("is not a PNG image".into()));
    }
    Ok(bytes)
}

fn stacks(manifest: &Manifest) -> Vec<String> {
    let files = manifest.layers.first().map_or(&[][..], |layer| &layer.files);
    let folders =
        files.iter().map(|file| file.path.rsplit_once('/').map_or("", |(folder, _)| folder));
    folders.map(str::to_owned).collect()
}

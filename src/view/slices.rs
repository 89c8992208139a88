//! Layers of a printing job beside the solid.

use std::path::Path;

use serde_json::json;

use super::scene::Scene;
use crate::error::{Command, Error, Result};
use crate::message;
use crate::slice::manifest::{Files, Manifest};

/// Layers that a page holds at most.
const MAX_PAGE_LAYERS: usize = 400;

/// Adds the images of the first stack of a folder, every n-th layer if there are many.
pub fn push(scene: &mut Scene, folder: &Path) -> Result<()> {
    let Some(manifest) = Manifest::read(folder)? else {
        return Err(Error::file(folder, None, "holds no manifest.json of layers")
            .with_help(message!("name the folder that ", Command::SliceToImages, " wrote")));
    };
    if !matches!(manifest.parameters.files, Files::Png(_)) {
        return Err(Error::file(folder, None, "holds layers that are not PNG images")
            .with_help(message!("name a folder that ", Command::SliceToImages, " wrote")));
    }
    if !manifest.complete {
        return Err(Error::file(folder, None, "holds layers of a job that did not end")
            .with_help("run the job to its end first"));
    }
    let step = manifest.layers.len().div_ceil(MAX_PAGE_LAYERS).max(1);
    let (mut bytes, mut images) = (Vec::new(), Vec::new());
    for layer in manifest.layers.iter().step_by(step) {
        let Some(file) = layer.files.first() else { continue };
        let path = folder.join(&file.path);
        let image = std::fs::read(&path).map_err(|e| {
            Error::file(&path, None, format!("cannot be read: {e}"))
                .with_help("run the job again: it writes what is missing")
        })?;
        images.push(json!({
            "index": layer.index, "height": layer.height, "at": bytes.len(), "count": image.len(),
        }));
        bytes.extend(image);
    }
    if images.is_empty() {
        return Err(Error::file(folder, None, "holds no layers")
            .with_help("give the folder of a job that wrote images of layers"));
    }
    scene.shell.push("layer images", &bytes);
    scene.layers = Some(json!({
        "axis": manifest.parameters.axis,
        "count": manifest.parameters.layer_count,
        "images": images,
    }));
    Ok(())
}

//! Models of a plate, each read once.

use std::path::PathBuf;
use std::sync::Arc;

use subsolid::io::ControlMesh;
use subsolid::jobs::slice::{ModelFile, PlatePart, SliceModel, SlicePart, SliceRequest};
use subsolid::scheme::VertexRule;
use subsolid::{Error, Result};

use super::Console;
use super::model::ModelArguments;
use super::unused::refuse_for_solids;

/// The parts of a plate, and their files.
pub struct Models {
    parts: Vec<PlatePart>,
    files: Vec<PathBuf>,
    strict: bool,
}

impl Models {
    /// The models that are named, or those of a plate file.
    pub fn new(
        request: &SliceRequest,
        model: &ModelArguments,
        others: Vec<PathBuf>,
    ) -> Result<Self> {
        let named = [vec![model.model.clone()], others].concat();
        let parts = request.plate(&named)?;
        let mut files: Vec<PathBuf> = Vec::new();
        for part in &parts {
            if !files.contains(&part.model) {
                files.push(part.model.clone());
            }
        }
        if model.creases.is_some() && files.len() > 1 {
            return Err(Error::request("--creases with several models: a table is of one")
                .with_help("write the creases into the models, or give --crease-angle"));
        }
        model.check_no_inputs(request.outputs.files(), &files)?;
        Ok(Self { parts, files, strict: model.strict })
    }

    /// Reads the models and analyzes them.
    pub fn read(
        &self,
        request: &SliceRequest,
        mut model: ModelArguments,
        console: &Console,
    ) -> Result<Vec<SlicePart<'_>>> {
        let weld = request.weld.map(|own| request.length(own));
        let mut meshes = Vec::with_capacity(self.files.len());
        for file in &self.files {
            model.model.clone_from(file);
            meshes.push(model.open_welded(weld, console)?);
        }
        let place = |part: &PlatePart| self.files.iter().position(|file| *file == part.model);
        let is_solid = |part: &&PlatePart| {
            place(part).is_some_and(|at| matches!(meshes[at], ControlMesh::Solid(_)))
        };
        let solids = self.parts.iter().filter(is_solid).count();
        if solids == 0 {
            // strict checks surfaces, too
            let options = model.of_solids().into_iter().filter(|(_, name)| *name != "--strict");
            refuse_for_solids(&options.collect::<Vec<_>>())?;
        }
        request.check_parts([solids, self.parts.len() - solids])?;
        let is_alone = self.parts.len() == 1;
        let mut models = Vec::with_capacity(meshes.len());
        for (file, mesh) in self.files.iter().zip(meshes) {
            model.model.clone_from(file);
            let own = match mesh {
                ControlMesh::Surface(mesh) => {
                    let file = ModelFile { path: Some(file), strict: self.strict };
                    request.surface(mesh, file, &mut console.notes())?
                }
                ControlMesh::Solid(mesh) => {
                    let rule = VertexRule::default();
                    let mesh = model.prepare(mesh, 0, rule, console)?;
                    let unrefined = request.unrefined(&mesh, is_alone)?;
                    let mesh = model.refined(mesh, request.levels, rule, console)?;
                    let solid = model.analyze(&mesh, console)?;
                    model.hint(&mesh, &solid, request.levels, console);
                    SliceModel::Solid { mesh, solid, unrefined }
                }
            };
            models.push(Arc::new(own));
        }
        let part = |part: &PlatePart| {
            let at = place(part).unwrap_or_default();
            let file = ModelFile { path: Some(&self.files[at]), strict: self.strict };
            let (name, place) = (part.name.clone(), request.placement(part)?);
            Ok(SlicePart { model: models[at].clone(), name, place, file })
        };
        self.parts.iter().map(part).collect()
    }
}

//! Cuts limit volumes into layers, for additive manufacturing.
//!
//! ```
//! # let directory = tempfile::tempdir().unwrap();
//! use subsolid::jobs::slice::{ModelFile, SliceModel, SliceOutputs, SlicePart, SliceRequest};
//!
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let svg = Some(directory.path().join("layers"));
//! let outputs = SliceOutputs { svg, ..SliceOutputs::default() };
//! let request = SliceRequest { layer_height: Some(0.5.into()), outputs, ..SliceRequest::default() };
//! let (solid, unrefined) = (subsolid::Solid::new(&mesh)?, request.unrefined(&mesh, true)?);
//! let model = SliceModel::Solid { mesh, solid, unrefined };
//! let report = request.run(vec![SlicePart::alone(model, ModelFile::default())], None, &mut ())?;
//! assert_eq!(report.made, report.layers_of_model);
//! # Ok::<(), subsolid::Error>(())
//! ```

mod check;
mod compensation;
mod cut;
mod files;
mod hatches;
mod lattice;
mod model;
mod placed;
mod plate;
mod request;
pub mod values;

pub use compensation::{ElephantFoot, SliceCompensation};
pub use files::ModelLayers;
pub use hatches::SliceHatches;
pub use lattice::SliceLattice;
pub use model::{ModelFile, SliceModel, UnrefinedSolid};
pub use plate::{PLATE_SCHEMA, PlateFile, PlatePart, SlicePart};
pub use request::{SliceImages, SliceOutputs, SliceRequest};
pub use values::{
    AdaptiveHeights, AttributeStep, HeightRange, HeightsByRange, PixelSize, PixelWindow, PlateSize,
    SliceAttribute, SliceMaterial, SliceOrigin, SlicePlace,
};

use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use self::placed::Plate;
use super::output::written;
use super::ranks::{all_rows, own_choice};
use super::{Notes, backend_for, since};
use crate::backend::{Backend, Choice};
use crate::cluster::Ranks;
use crate::error::Result;
use crate::numbers::counted;
use crate::plan::{Cost, LayersJob};
use crate::slice::{LayerSource, PixelGrid, Slicer, merge_layers, thin_walls};

/// What was done.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SliceReport {
    /// Files and directories written.
    pub outputs: Vec<String>,
    /// Number of layers of the whole model.
    pub layers_of_model: usize,
    /// First layer of this run; layer 0 is at the bottom.
    pub first_layer: usize,
    /// Number of layers of this run.
    pub layers: usize,
    /// Number of layers made.
    pub made: usize,
    /// Number of layers that existed already.
    pub skipped: usize,
    /// Height of a layer, in length units; the greatest where they differ.
    pub layer_height: f64,
    /// The least height of a layer.
    pub least_layer_height: f64,
    /// Columns and rows of images.
    pub resolution: Option<[usize; 2]>,
    /// Maximum distance of contours from the limit surface, in length units.
    pub tolerance: f64,
    /// Duration of the whole job, in seconds.
    pub seconds: f64,
}

impl SliceRequest {
    /// Slices the parts of a plate, or one model, or this rank's part of the layers.
    ///
    /// # Errors
    /// As [`SliceRequest::write`], [`SliceRequest::check_parts`], [`SliceRequest::arrays`],
    /// [`SliceRequest::layers_of`], [`SliceRequest::check_overlaps`] and [`Slicer::of_parts`]; of
    /// finding processors, and of other ranks.
    pub fn run(
        &self,
        parts: Vec<SlicePart<'_>>,
        ranks: Option<&Ranks<'_>>,
        notes: &mut dyn Notes,
    ) -> Result<SliceReport> {
        let start = Instant::now();
        let solids = parts.iter().filter(|part| part.model.cells() > 0).count();
        self.check_parts([solids, parts.len() - solids])?;
        let own = self.of_part()?;
        notes.begin("Preparing");
        let mut plate = Plate::new(self, parts)?;
        let slicer = plate.slicer(self)?;
        say_shells(&slicer, notes);
        let (identity, (names, strict)) = (plate.identity(), plate.names());
        let (counts, material_ids) = (plate.counts(), plate.material_ids().cloned());
        if self.is_outline() {
            // memory for the layers
            plate.clear();
        }
        let mut source = plate.source(self, slicer)?;
        let mut layers = self.layers_of(&source, notes)?;
        identity.name(&mut layers.setting);
        self.check_overlaps(source.slicer(), &layers.setting, (&names, strict), notes)?;
        own.warn_of_single(&layers.setting, notes);
        let (grid, stack) = (layers.grid, layers.setting.stack.clone());
        let [all, range] = self.layers(&stack)?;
        let cost = self.cost(counts, range.len(), grid);
        let backend = self.processor(&cost, range.is_empty(), ranks, notes)?;
        source.bring(&*backend)?;
        let setting = layers.setting.clone();
        let compensated = setting.compensated(&source);
        let walls = compensated.as_ref().map_or(Ok(None), |own| own.lost_walls())?;
        if let Some(notice) = walls {
            notes.warn(notice);
        }
        let source: &dyn LayerSource = match &compensated {
            None => &source,
            Some(own) => own,
        };
        layers.materials = self.materials(source.channels(), material_ids.as_ref())?;
        let contents = own.contents(source.channels(), &layers)?;
        // images are white where the centers of pixels are inside
        let is_sampled = self.images.antialias.is_none() && self.outputs.has_grays();
        if let (Some(grid), true) = (grid, is_sampled)
            && let Some(notice) = thin_walls(source, &stack, range.clone(), &grid)?
        {
            notes.warn(notice);
        }
        let of_all = counted(stack.count(), "layer");
        notes.status("Prepared", format!("{} of {of_all} in {}", range.len(), since(start)));

        let start = Instant::now();
        let mut report = own.make(source, &layers, contents, range, notes)?;
        if let Some(ranks) = ranks {
            report.first_layer = all.start;
            self.join(&mut report, ranks)?;
        }
        report.seconds = start.elapsed().as_secs_f64();
        report.say(start, notes);
        Ok(report)
    }

    /// What layers of a model with some cells and numbers of attributes at a pixel cost.
    pub fn cost(
        &self,
        [cells, attributes]: [usize; 2],
        layers: usize,
        grid: Option<PixelGrid>,
    ) -> Cost {
        let all = |[columns, rows]: [usize; 2]| layers.saturating_mul(columns).saturating_mul(rows);
        let pixels = grid.map_or(0, |grid| all(grid.size));
        let planes = self.images.antialias.unwrap_or(1);
        let lattice_planes = self.lattice.lattice.map_or(0, |_| planes);
        Cost::layers(LayersJob { cells, layers, pixels, attributes, lattice_planes })
    }

    /// The processor that the pixels are made on.
    fn processor(
        &self,
        cost: &Cost,
        is_empty: bool,
        ranks: Option<&Ranks<'_>>,
        notes: &mut dyn Notes,
    ) -> Result<Box<dyn Backend>> {
        let own = |ranks| own_choice(self.backend, cost, ranks);
        let choice = ranks.map_or(Ok(self.backend), own)?;
        let has_pixels = self.outputs.has_pixels() && !is_empty;
        backend_for(if has_pixels { choice } else { Choice::Cpu }, cost, notes)
    }

    /// Makes a report that of all ranks, whose parts of the directories become one.
    fn join(&self, report: &mut SliceReport, ranks: &Ranks<'_>) -> Result<()> {
        let own = [report.layers, report.made, report.skipped].map(|count| count as f64);
        let all = all_rows(ranks, own)?;
        let sum = |i: usize| all.iter().map(|numbers| numbers[i] as usize).sum();
        (report.layers, report.made, report.skipped) = (sum(0), sum(1), sum(2));
        let directories: Vec<&Path> = self.outputs.directories().collect();
        report.outputs = directories.iter().map(|path| path.display().to_string()).collect();
        ranks.agree(if ranks.is_first() {
            directories.iter().try_for_each(|path| merge_layers(path).map(drop))
        } else {
            Ok(())
        })
    }
}

/// Says how many shells a surface has, if it has several.
fn say_shells(slicer: &Slicer, notes: &mut dyn Notes) {
    let shells = slicer.shells();
    if shells.shells.len() > 1 {
        let count = counted(shells.shells.len(), "shell");
        let cavities = shells.cavities().count();
        notes.status("Found", format!("{count}, {cavities} of them cavities"));
    }
}

impl SliceReport {
    fn say(&self, start: Instant, notes: &mut dyn Notes) {
        let made = counted(self.made, "layer");
        let since = since(start);
        notes.status("Sliced", format!("{made}, {} already existed, in {since}", self.skipped));
        for output in &self.outputs {
            notes.status("Wrote", written(output, counted(self.layers, "layer"), start));
        }
    }
}

//! Cuts the limit volume into layers, for additive manufacturing.
//!
//! ```
//! # let directory = tempfile::tempdir().unwrap();
//! use subsolid::jobs::slice::{ModelFile, SliceOutputs, SliceRequest};
//!
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let svg = Some(directory.path().join("layers"));
//! let outputs = SliceOutputs { svg, ..SliceOutputs::default() };
//! let request = SliceRequest { layer_height: Some(0.5.into()), outputs, ..SliceRequest::default() };
//! let (solid, unrefined) = (subsolid::Solid::new(&mesh)?, request.unrefined(&mesh)?);
//! let report = request.run((mesh, solid), unrefined, ModelFile::default(), None, &mut ())?;
//! assert_eq!(report.made, report.layers_of_model);
//! # Ok::<(), subsolid::Error>(())
//! ```

mod check;
mod compensation;
mod cut;
mod files;
mod lattice;
mod model;
mod request;
pub mod values;

pub use compensation::{ElephantFoot, SliceCompensation};
pub use files::ModelLayers;
pub use lattice::SliceLattice;
pub use model::{ModelFile, UnrefinedSolid};
pub use request::{SliceImages, SliceOutputs, SliceRequest};
pub use values::{
    AdaptiveHeights, HeightRange, HeightsByRange, PixelSize, SliceAttribute, SliceMaterial,
};

use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::output::written;
use super::ranks::{all_rows, own_choice};
use super::{Notes, backend_for, since};
use crate::backend::{Backend, Choice};
use crate::cluster::Ranks;
use crate::error::Result;
use crate::limit::Solid;
use crate::mesh::{Attribute, CellArray, Controls, SolidMesh, SurfaceMesh};
use crate::numbers::counted;
use crate::plan::{Cost, LayersJob};
use crate::slice::{LayerSource, PixelGrid, Slicer, SolidSource, merge_layers, thin_walls};

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

/// A model ready to be cut.
struct Subject<'p> {
    slicer: Slicer,
    // none of a surface, and of a solid whose outline alone is cut
    inside: Option<Inside>,
    unrefined: UnrefinedSolid,
    file: ModelFile<'p>,
    // cells of a solid, and numbers of attributes at a pixel
    counts: [usize; 2],
    start: Instant,
}

/// What is asked for inside a solid.
struct Inside {
    solid: Solid,
    mesh: SolidMesh,
    attributes: Vec<Attribute>,
    cell_data: Vec<CellArray>,
}

impl SliceRequest {
    /// Slices a solid that was refined as often as asked for, or this rank's part of the layers.
    ///
    /// # Errors
    /// As [`SliceRequest::write`], [`SliceRequest::arrays`], [`SliceRequest::layers_of`] and
    /// [`Slicer::new`]; of finding processors, and of other ranks.
    pub fn run(
        &self,
        (mesh, solid): (SolidMesh, Solid),
        unrefined: UnrefinedSolid,
        file: ModelFile<'_>,
        ranks: Option<&Ranks<'_>>,
        notes: &mut dyn Notes,
    ) -> Result<SliceReport> {
        let start = Instant::now();
        let (attributes, cell_data) = self.arrays(&mesh)?;
        notes.begin("Preparing");
        let controls = Controls { positions: &mesh.points, attributes: &attributes };
        let slicer = Slicer::new(&solid, controls, self.options())?;
        let counts = [mesh.cells.len(), attributes.iter().map(|own| own.width).sum()];
        // memory for the layers, where nothing inside is asked for
        let inside = (!self.is_outline()).then_some(Inside { solid, mesh, attributes, cell_data });
        self.run_subject(Subject { slicer, inside, unrefined, file, counts, start }, ranks, notes)
    }

    /// Slices what a closed surface bounds, or this rank's part of the layers.
    ///
    /// # Errors
    /// As [`SliceRequest::run`] and [`SliceRequest::surface_slicer`];
    /// [`Error::Request`](crate::Error::Request) for what is known inside solids alone.
    pub fn run_surface(
        &self,
        mesh: SurfaceMesh,
        file: ModelFile<'_>,
        ranks: Option<&Ranks<'_>>,
        notes: &mut dyn Notes,
    ) -> Result<SliceReport> {
        let start = Instant::now();
        self.check_of_surface()?;
        let (slicer, sha256) = self.surface_slicer(mesh, file, notes)?;
        let unrefined = UnrefinedSolid { sha256, material_ids: None };
        let subject = Subject { slicer, inside: None, unrefined, file, counts: [0; 2], start };
        self.run_subject(subject, ranks, notes)
    }

    fn run_subject(
        &self,
        subject: Subject<'_>,
        ranks: Option<&Ranks<'_>>,
        notes: &mut dyn Notes,
    ) -> Result<SliceReport> {
        let own = self.of_part()?;
        let Subject { slicer, inside, unrefined, file, counts, start } = subject;
        let mut layers = self.layers_of(&slicer, notes)?;
        (layers.setting.model, layers.setting.model_sha256) = (file.name(), unrefined.sha256);
        own.warn_of_single(&layers.setting, notes);
        let (grid, stack) = (layers.grid, layers.setting.stack.clone());
        let [all, range] = self.layers(&stack)?;
        let cost = Self::cost(counts, range.len(), grid);
        let backend = self.processor(&cost, range.is_empty(), ranks, notes)?;
        let mut source = match &inside {
            None => SolidSource::outlines(slicer),
            Some(Inside { solid, mesh, attributes, cell_data }) => {
                let controls = Controls { positions: &mesh.points, attributes };
                self.source(solid, controls, cell_data, slicer)?
            }
        };
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
        layers.materials = self.materials(source.channels(), unrefined.material_ids.as_ref())?;
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
    pub fn cost([cells, attributes]: [usize; 2], layers: usize, grid: Option<PixelGrid>) -> Cost {
        let all = |[columns, rows]: [usize; 2]| layers.saturating_mul(columns).saturating_mul(rows);
        let pixels = grid.map_or(0, |grid| all(grid.size));
        Cost::layers(LayersJob { cells, layers, pixels, attributes })
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

//! Layers of the limit volume, for additive manufacturing.
//!
//! Planes cut the exact boundary of the limit, not a tessellation of it. A
//! [`Layer`] is what one plane cuts: closed, oriented contours. Pixels, vectors and
//! attributes of a layer all follow from it.
//!
//! # Data flow
//! ```text
//! solid or surface ─boundary▶ patches ─contours▶ layers ─pixels▶ images
//!        └──────────interior▶ cells, (u, v, w), attributes ─┴──output▶ files
//! ```
//!
//! # Practice
//! A [`Slicer`] is set up once. The boundary of the limit is taken in bicubic Bézier
//! patches, cut until planes cross them simply, and welded by name, not by distance,
//! to a watertight surface. A plane meets few of
//! them, found by their heights, in few arcs each; joined by name, these are the
//! contours of a [`Layer`], and unjoined they give the [coverage](Slicer::coverage)
//! of pixels. Everything that belongs to a layer follows from its height alone, so
//! layers are independent, and equal on any number of threads.
//! An [`InteriorFinder`] gives every pixel its cell, (u, v, w) and attributes.
//!
//! A [`Job`] makes files of the layers of a [`Stack`]: it asks a [`LayerSource`] for
//! contours, pixels and attributes, and hands them to [`output`]s.
//!
//! ```
//! use subsolid::{Solid, slice::{PixelGrid, Sampling, SliceOptions, Slicer}};
//! let mesh = subsolid::read("models/bracket.vtk")?;
//! let solid = Solid::new(&mesh)?;
//! let slicer = Slicer::new(&solid, mesh.controls(), SliceOptions::default())?;
//! let ([low, high], [left, right]) = (slicer.heights(), slicer.plane_box());
//! let pitch = [0, 1].map(|d| (right[d] - left[d]) / 100.0);
//! let grid = PixelGrid { origin: left, pitch, size: [100, 100] };
//! let middle = 0.5 * (low + high);
//! let gray: Vec<u8> = slicer.coverage(&[middle], &grid, Sampling::Area)?;
//! let covered = gray.iter().map(|&p| f64::from(p) / 255.0).sum::<f64>() * grid.pixel_area();
//! assert!((covered / slicer.layer(0, middle).area() - 1.0).abs() < 1e-2);
//! # Ok::<(), subsolid::Error>(())
//! ```

mod attribute_change;
mod boundary;
mod channels;
mod compensation;
mod contours;
mod coverage;
mod fingerprint;
mod frame;
mod hatch;
mod heights;
mod interior;
mod job;
mod lattice;
mod layer;
pub mod manifest;
mod mixed_pixels;
pub mod output;
mod overlap;
mod part;
mod pieces;
mod pixels;
mod setting;
mod slicer;
mod solid_interior;
mod solid_source;
mod source;
mod spare;
mod stack;
mod thin_walls;

pub use crate::backend::operations::{InteriorRun, Sampling};
pub use attribute_change::AttributeChange;
pub use boundary::{ClosedSurface, PreparedSurface, Shell, Shells, Steepness};
pub use channels::named_arrays;
pub use compensation::{CompensatedSource, Compensation};
pub use contours::Join;
pub use fingerprint::{fingerprint, plate_fingerprint, refined_fingerprint, surface_fingerprint};
pub use frame::{Axis, PixelGrid};
pub use hatch::{Hatch, HatchPattern, Hatching};
pub use heights::{ChangeLimit, CuspLimits, HeightRule, LayerHeights};
pub use interior::{Interior, InteriorFinder};
pub use job::{Job, JobReport};
pub use lattice::{Graded, LatticeSize, Tile, TileLattice};
pub use layer::{Contour, Layer};
pub use overlap::Overlap;
pub use part::{Boundary, Placement};
pub use pieces::{MergedLayers, are_layers, job_directory, merge_layers};
pub use pixels::{
    Bits, CellIds, EncodedImage, Flip, Gray, GrayCurve, ImageFile, ImageFormat, MAX_MATERIALS,
    MAX_PIXELS, Material, MaterialMismatch, Materials, Raster,
};
pub use setting::{Pixels, Setting};
pub use slicer::{LayerFrame, SliceOptions, Slicer};
pub use solid_source::{SolidSource, SourcePart};
pub use source::{Channel, LayerPixels, LayerSource, PixelPlaces};
pub use stack::{MAX_LAYERS, MAX_PLANES_PER_LAYER, Stack, check_planes};
pub use thin_walls::thin_walls;

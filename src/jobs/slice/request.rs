//! What is asked of layers.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::compensation::SliceCompensation;
use super::hatches::SliceHatches;
use super::lattice::SliceLattice;
#[cfg(feature = "cli")]
use super::values;
use super::values::{
    AdaptiveHeights, AttributeStep, HeightRange, HeightsByRange, PixelSize, PixelWindow, PlateSize,
    SliceAttribute, SliceMaterial, SliceOrigin, SlicePlace,
};
use crate::backend::Choice;
use crate::error::Result;
use crate::io::JobPart;
use crate::numbers::{Length, LengthUnit};
use crate::scheme::Scheme;
use crate::slice::output::Exposure;
use crate::slice::{Axis, Bits, Flip, GrayCurve, SliceOptions, Stack};

/// What is asked of layers: how a model is cut, and the files that its layers become. Lengths
/// without a unit are in the length unit of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct SliceRequest {
    /// Refine the model this many times first
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 0))]
    pub levels: usize,
    /// Subdivision scheme of a surface; bilinear (also called linear) slices its polygons as they
    /// are [default: linear of .stl and .3mf, else catmull-clark]
    #[cfg_attr(feature = "cli", arg(long, value_parser = Scheme::named))]
    pub scheme: Option<Scheme>,
    /// Merge vertices with equal coordinates first, or those within DISTANCE of one another, so that
    /// gaps between faces or cells close
    #[cfg_attr(feature = "cli", arg(long, value_name = "DISTANCE", num_args = 0..=1))]
    #[cfg_attr(feature = "cli", arg(require_equals = true, default_missing_value = "0"))]
    pub weld: Option<Length>,
    /// Where the part NAME lies: shifted along x, y and z, after it is turned about the z axis by DEG
    /// degrees, counter-clockwise from above. Parts have the names of their files without the ending
    #[cfg_attr(feature = "cli", arg(long, value_name = "[NAME=]X,Y,Z[,DEG]"))]
    #[cfg_attr(feature = "cli", arg(allow_hyphen_values = true))]
    pub place: Vec<SlicePlace>,
    /// Height of a layer, in length units of the model (0.05) or with a unit (50um), as all lengths
    /// here; and others of layers whose bottom is at least Z0 and below Z1
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "H[,H@Z0:Z1…]", allow_hyphen_values = true)
    )]
    #[cfg_attr(feature = "cli", arg(required_unless_present = "adaptive"))]
    pub layer_height: Option<HeightsByRange>,
    /// Layers from MIN to MAX high, as high as the stairs of the surface allow: CUSP is the largest
    /// height of a layer times |n_z| of the surface's normal
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "MIN:MAX:CUSP", allow_hyphen_values = true)
    )]
    #[cfg_attr(feature = "cli", arg(conflicts_with = "layer_height"))]
    pub adaptive: Option<AdaptiveHeights>,
    /// Layers of --adaptive no higher than NAME, an attribute of the vertices, changes by STEP across
    /// them, in its own unit
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME:STEP", requires = "adaptive"))]
    pub adaptive_attribute: Option<AttributeStep>,
    /// Height of layer 0 [default: as of the others]
    #[cfg_attr(feature = "cli", arg(long, value_name = "H", allow_hyphen_values = true))]
    pub first_layer: Option<Length>,
    /// Height of the bottom of layer 0, at or below the lowest point of the limit [default: the
    /// lowest point]; with the lower left corner of the --plate before it, in the plane of the layers
    #[cfg_attr(feature = "cli", arg(long, value_name = "[X,Y,]Z", allow_hyphen_values = true))]
    pub origin: Option<SliceOrigin>,
    /// Slice only layers whose mid-height is at least Z0 and below Z1; either may be omitted
    #[cfg_attr(feature = "cli", arg(long, value_name = "Z0:Z1", allow_hyphen_values = true))]
    pub range: Option<HeightRange>,
    /// Axis that layers are stacked along
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub axis: Axis,
    /// Maximum distance of contours from the limit surface [default: 1e-5 of the longest side of the
    /// bounding box, or 2^-46 of the largest coordinate if that is more]
    #[cfg_attr(feature = "cli", arg(long, value_name = "T", allow_hyphen_values = true))]
    pub tolerance: Option<Length>,
    /// Length unit of the model, for lengths with a unit and formats that use millimeters: um, mm,
    /// cm, m, in, ft, or the millimeters in it, 1e-9 to 1e9
    #[cfg_attr(feature = "cli", arg(long, value_name = "UNIT", default_value = "mm"))]
    #[cfg_attr(feature = "cli", arg(value_parser = values::millimeters, allow_hyphen_values = true))]
    pub unit: Option<f64>,
    /// What layers are compensated for.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub compensation: SliceCompensation,
    /// The lattice that the material is.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub lattice: SliceLattice,
    /// The hatches inside contours.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub hatches: SliceHatches,
    /// The files.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub outputs: SliceOutputs,
    /// The pixels.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub images: SliceImages,
    /// Attributes, arrays and groups of cells that are written too: as images of their own, and as
    /// point arrays of a .vtp and a .pvtu
    #[cfg_attr(feature = "cli", arg(skip))]
    pub attribute: Vec<SliceAttribute>,
    /// Make part I of N of the layers, for several machines at once: 1/N to N/N, in any order, then
    /// `subsolid merge` with the directory. Layers that exist are not recomputed
    #[cfg_attr(feature = "cli", arg(long, value_name = "I/N"))]
    pub pieces: Option<JobPart>,
    /// Skip layers whose files exist
    #[cfg_attr(feature = "cli", arg(long))]
    pub resume: bool,
    /// Processor of the pixels: auto (the fastest for this job), cpu, cuda or cuda:N;
    /// coverage is bitwise identical, attributes equal up to rounding
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "auto"))]
    pub backend: Choice,
}

/// The files that layers become.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args), group(skip))]
#[serde(default)]
pub struct SliceOutputs {
    /// Directory for images of the layers and their manifest
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR", requires = "sized"))]
    pub png: Option<PathBuf>,
    /// The same as Windows bitmaps
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR", requires = "sized"))]
    #[cfg_attr(feature = "cli", arg(conflicts_with = "png"))]
    pub bmp: Option<PathBuf>,
    /// Directory for drawings of the layers and their manifest
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR"))]
    pub svg: Option<PathBuf>,
    /// Drawings of all layers in one file, as Slic3r writes them
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE.svg"))]
    pub layered_svg: Option<PathBuf>,
    /// Common Layer Interface file of the contours
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub cli: Option<PathBuf>,
    /// 3MF file of the contours of all layers (slice extension)
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE.3mf"))]
    pub slice_stack: Option<PathBuf>,
    /// 3MF file of images of the coverage and of the attributes named by --attribute (volumetric
    /// extension), with values linear between pixels and layers
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE.3mf", requires = "sized"))]
    pub image_stack: Option<PathBuf>,
    /// OpenVDB file of the coverage and of the attributes named by --attribute, a voxel for a pixel
    /// of a layer
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE.vdb", requires = "sized"))]
    pub vdb: Option<PathBuf>,
    /// Write the --vdb file in half precision
    #[cfg_attr(feature = "cli", arg(long, requires = "vdb"))]
    pub half: bool,
    /// VTK file of the contours of all layers, for ParaView
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE.vtp"))]
    pub vtp: Option<PathBuf>,
    /// VTK file of the centers of the pixels inside, with cell, u, v, w and the arrays named by
    /// --attribute, for ParaView; one piece per layer
    #[cfg_attr(feature = "cli", arg(long, alias = "vtu", value_name = "FILE.pvtu"))]
    #[cfg_attr(feature = "cli", arg(requires = "sized"))]
    pub pvtu: Option<PathBuf>,
    /// Zip archive of everything that --png or --bmp writes; PNG if neither is given
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", requires = "sized"))]
    pub zip: Option<PathBuf>,
    /// Write --zip as Windows bitmaps, without --bmp
    #[cfg_attr(feature = "cli", arg(long, requires = "zip", conflicts_with = "png"))]
    pub bitmaps: bool,
    /// Archive for Prusa's resin printers: the coverage in gray, with the printer's --pixel and
    /// --resolution
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE.sl1"))]
    #[cfg_attr(feature = "cli", arg(requires_all = ["sized", "exposure"]))]
    pub sl1: Option<PathBuf>,
    /// Exposure time per layer in seconds, required for --sl1; optionally that of the first layer
    /// [default: S] and the number of layers over which it decreases to S [default: 0]
    #[cfg_attr(feature = "cli", arg(long, value_name = "S[:FIRST[:FADED]]", requires = "sl1"))]
    #[cfg_attr(feature = "cli", arg(value_parser = values::exposure))]
    pub exposure: Option<Exposure>,
    /// Write the --cli file in binary, in single precision
    #[cfg_attr(feature = "cli", arg(long, requires = "cli"))]
    pub binary: bool,
}

/// The pixels of layers, and the images that are made of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args), group(skip))]
#[serde(default)]
pub struct SliceImages {
    /// Edge length of a pixel, or its width and height (0.042x0.084mm), required for images and
    /// --pvtu
    #[cfg_attr(feature = "cli", arg(long, value_name = "P[xQ]", allow_hyphen_values = true))]
    pub pixel: Option<PixelSize>,
    /// Pixels per inch instead of --pixel, or those along columns' and rows' axes: 600x300
    #[cfg_attr(feature = "cli", arg(long, value_name = "N[xM]", conflicts_with = "pixel"))]
    #[cfg_attr(feature = "cli", arg(value_parser = values::dots, allow_hyphen_values = true))]
    pub dpi: Option<[f64; 2]>,
    /// Columns and rows of the images, with the model centered [default: the size of the model]
    #[cfg_attr(feature = "cli", arg(long, value_name = "WxH", requires = "sized"))]
    #[cfg_attr(feature = "cli", arg(value_parser = values::resolution))]
    pub resolution: Option<[usize; 2]>,
    /// Lower left corner of the pixels in the plane of the layers, the same for all models of an
    /// assembly [default: the model is centered]
    #[cfg_attr(feature = "cli", arg(long, value_name = "X:Y", requires = "sized"))]
    #[cfg_attr(feature = "cli", arg(value_parser = values::corner, allow_hyphen_values = true))]
    pub pixel_origin: Option<[Length; 2]>,
    /// Pixels from X0 to X1 and from Y0 to Y1 in the plane of the layers, as those of a build plate
    #[cfg_attr(feature = "cli", arg(long, value_name = "X0:X1,Y0:Y1", requires = "sized"))]
    #[cfg_attr(feature = "cli", arg(conflicts_with_all = ["resolution", "pixel_origin"]))]
    #[cfg_attr(feature = "cli", arg(allow_hyphen_values = true))]
    pub window: Option<PixelWindow>,
    /// Pixels of all of a machine's build plate of this size, whose lower left corner lies at the X and Y
    /// of --origin [default: at 0, 0]
    #[cfg_attr(feature = "cli", arg(long, value_name = "WxH", requires = "sized"))]
    #[cfg_attr(feature = "cli", arg(conflicts_with_all = ["resolution", "pixel_origin", "window"]))]
    #[cfg_attr(feature = "cli", arg(allow_hyphen_values = true))]
    pub plate: Option<PlateSize>,
    /// Leave out what lies outside the pixels of --resolution, --pixel-origin, --window and --plate,
    /// which is refused otherwise
    #[cfg_attr(feature = "cli", arg(long, requires = "framed"))]
    pub crop: bool,
    /// Gray levels: the covered fraction of each pixel, averaged over N planes per layer, 1 to 64
    /// [default: white if the pixel's center is inside at mid-height, else black]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", requires = "images"))]
    pub antialias: Option<usize>,
    /// Bits per pixel of --png, --bmp and --zip [default: 8], and of --image-stack [default: 16]
    #[cfg_attr(feature = "cli", arg(long, value_enum, requires = "images"))]
    pub bits: Option<Bits>,
    /// Black and white pixels (1 bit) of --png, --bmp and --zip, white in proportion to the gray
    /// level: for droplets
    #[cfg_attr(feature = "cli", arg(long, requires = "images", conflicts_with = "bits"))]
    pub dither: bool,
    /// Write gray levels, parts of white, to this power: 0.1 to 10
    #[cfg_attr(feature = "cli", arg(long, value_name = "G", requires = "images"))]
    #[cfg_attr(feature = "cli", arg(conflicts_with_all = ["threshold", "gray_table"]))]
    pub gamma: Option<f64>,
    /// Write pixels of this gray level, a part of white, and above as white, others as black
    #[cfg_attr(feature = "cli", arg(long, value_name = "T", requires = "images"))]
    #[cfg_attr(feature = "cli", arg(conflicts_with = "gray_table"))]
    pub threshold: Option<f64>,
    /// CSV table with the columns level and written, parts of white: what is written for gray
    /// levels, linear between the rows
    #[cfg_attr(feature = "cli", arg(long, value_name = "TABLE.csv", requires = "images"))]
    pub gray_table: Option<PathBuf>,
    /// Mirror the images; --flip alone is --flip=horizontal
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "HOW", requires = "images"))]
    #[cfg_attr(feature = "cli", arg(num_args = 0..=1, require_equals = true))]
    #[cfg_attr(feature = "cli", arg(default_missing_value = "horizontal"))]
    pub flip: Option<Flip>,
    /// Materials, at most one per pixel: attributes that are their volume fractions, or groups of
    /// cells
    #[cfg_attr(feature = "cli", arg(skip))]
    pub materials: Vec<SliceMaterial>,
    /// Cell array whose integers are material ids, instead of --materials
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", requires = "images"))]
    #[cfg_attr(feature = "cli", arg(conflicts_with = "dither"))]
    pub material_id: Option<String>,
    /// Write one 1-bit image per material
    #[cfg_attr(feature = "cli", arg(long, requires = "a_material"))]
    pub separate: bool,
}

impl SliceRequest {
    /// How the limit is cut.
    pub fn options(&self) -> SliceOptions {
        SliceOptions { axis: self.axis, tolerance: self.tolerance.map(|own| self.length(own)) }
    }

    /// A length in length units of the model.
    pub fn length(&self, length: Length) -> f64 {
        length.in_model(self.unit_mm())
    }

    /// Width and height of a pixel in length units of the model, if there are pixels.
    pub fn pitch(&self) -> Option<[f64; 2]> {
        self.images.pixel_size().map(|size| size.0.map(|own| self.length(own)))
    }

    /// The ends of the pixels across and up that a window or a plate has, in length units of the model.
    pub(super) fn window(&self) -> Option<[[f64; 2]; 2]> {
        let lengths = |own: [Length; 2]| own.map(|own| self.length(own));
        if let Some(PixelWindow(ends)) = self.images.window {
            return Some(ends.map(lengths));
        }
        let PlateSize(size) = self.images.plate?;
        let low = self.origin.and_then(|own| own.corner).map_or([0.0; 2], lengths);
        let size = lengths(size);
        Some([0, 1].map(|d| [low[d], low[d] + size[d]]))
    }

    /// Whether something that is given or written depends on the length unit of the model.
    pub fn uses_unit(&self) -> bool {
        self.outputs.use_unit() || self.in_units()
    }

    /// Whether some lengths are given with a unit.
    pub fn in_units(&self) -> bool {
        let HeightRange { from, to } = self.range.unwrap_or_default();
        let height = self.origin.map(|own| own.height);
        let options = [self.weld, height, self.tolerance, from, to, self.first_layer];
        let listed = self.layer_height.iter().flat_map(HeightsByRange::lengths);
        let adaptive = self.adaptive.into_iter().flat_map(|own| own.0);
        let pixels = self.images.pixel_size().map(|size| size.0).into_iter();
        let window = self.images.window.into_iter().flat_map(|own| own.0);
        let plate = self.images.plate.map(|own| own.0);
        let corners = [plate, self.origin.and_then(|own| own.corner), self.images.pixel_origin];
        let pairs = pixels.chain(corners.into_iter().flatten()).chain(window).flatten();
        let places = self.place.iter().flat_map(|own| own.shift);
        let compensation = self.compensation.lengths();
        let mut lengths = options
            .into_iter()
            .flatten()
            .chain(pairs)
            .chain(listed)
            .chain(adaptive)
            .chain(compensation)
            .chain(places)
            .chain(self.lattice.lengths())
            .chain(self.hatches.lengths());
        lengths.any(|length| length.unit.is_some())
    }

    /// Millimeters in the length unit.
    pub fn unit_mm(&self) -> f64 {
        self.unit.unwrap_or(1.0)
    }

    /// The layers of the model in the range, and those of them that this part makes.
    pub(super) fn layers(&self, stack: &Stack) -> Result<[Range<usize>; 2]> {
        let HeightRange { from, to } = self.range.unwrap_or_default();
        let all = match self.range {
            None => 0..stack.count(),
            Some(_) => {
                let end = |end: Option<Length>, open| end.map_or(open, |own| self.length(own));
                stack.within(end(from, f64::NEG_INFINITY), end(to, f64::INFINITY))?
            }
        };
        Ok([all.clone(), self.pieces.map_or(all.clone(), |part| part.share(&all))])
    }

    /// Names of the attributes and arrays that something is made of.
    pub(super) fn wanted(&self) -> Vec<&str> {
        let mut wanted: Vec<&str> = self.attribute.iter().map(|own| own.name.as_str()).collect();
        let step = self.adaptive_attribute.as_ref().map(|own| own.name.as_str());
        for name in self.images.material_names().chain(self.lattice.attribute()).chain(step) {
            if !wanted.contains(&name) {
                wanted.push(name);
            }
        }
        wanted
    }

    /// Whether something is made of an attribute, array, group or part.
    pub fn wants(&self, name: &str) -> bool {
        self.wanted().contains(&name)
    }

    /// Whether nothing is asked of what is inside.
    pub(super) fn is_outline(&self) -> bool {
        let has_lattice = self.lattice.lattice.is_some();
        self.wanted().is_empty() && self.outputs.pvtu.is_none() && !has_lattice
    }
}

impl SliceOutputs {
    /// Everything that is written.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.directories().chain(self.files())
    }

    /// Directories with files of a layer each.
    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        [&self.png, &self.bmp, &self.svg].into_iter().filter_map(|path| path.as_deref())
    }

    /// Files of all layers.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files_by_ending().into_iter().filter_map(|(path, _)| path.as_deref())
    }

    pub(super) fn files_by_ending(&self) -> [(&Option<PathBuf>, &'static str); 9] {
        [
            (&self.layered_svg, "svg"),
            (&self.cli, "cli"),
            (&self.slice_stack, "3mf"),
            (&self.image_stack, "3mf"),
            (&self.vdb, "vdb"),
            (&self.vtp, "vtp"),
            (&self.pvtu, "pvtu"),
            (&self.zip, "zip"),
            (&self.sl1, "sl1"),
        ]
    }

    /// The directory of images, if there is one.
    pub(super) fn images(&self) -> Option<&Path> {
        self.png.as_deref().or(self.bmp.as_deref())
    }

    /// Whether some are images of any kind.
    pub fn has_images(&self) -> bool {
        self.has_attribute_images() || self.sl1.is_some()
    }

    /// Whether some are made of coverage: images, stacks of them in one file, and voxels.
    pub fn has_grays(&self) -> bool {
        self.has_images() || self.image_stack.is_some() || self.vdb.is_some()
    }

    /// Whether some are images, of attributes and materials too.
    pub fn has_attribute_images(&self) -> bool {
        self.images().is_some() || self.zip.is_some()
    }

    /// Whether images are Windows bitmaps.
    pub(super) fn has_bitmaps(&self) -> bool {
        self.bmp.is_some() || self.bitmaps
    }

    /// Whether some are in millimeters, or say what the length unit of the model is.
    fn use_unit(&self) -> bool {
        let drawings = [&self.svg, &self.layered_svg, &self.cli, &self.slice_stack];
        self.has_grays() || drawings.into_iter().any(Option::is_some)
    }

    /// Whether some are made of pixels.
    pub fn has_pixels(&self) -> bool {
        self.has_grays() || self.pvtu.is_some()
    }
}

impl SliceImages {
    /// Width and height of a pixel, if they are given.
    pub fn pixel_size(&self) -> Option<PixelSize> {
        let inch = |dots: f64| Length { value: 1.0 / dots, unit: Some(LengthUnit::Inch) };
        self.pixel.or_else(|| Some(PixelSize(self.dpi?.map(inch))))
    }

    /// Whether pixels have materials.
    pub fn has_materials(&self) -> bool {
        !self.materials.is_empty() || self.material_id.is_some()
    }

    /// What is written for gray levels by a number, if one is asked for.
    pub(super) fn curve_of_number(&self) -> Option<GrayCurve> {
        self.gamma.map(GrayCurve::Gamma).or(self.threshold.map(GrayCurve::Threshold))
    }

    /// What is written for gray levels, if it is not these.
    ///
    /// # Errors
    /// As [`GrayCurve::read`].
    pub(super) fn curve(&self) -> Result<Option<GrayCurve>> {
        let table = self.gray_table.as_deref().map(GrayCurve::read).transpose()?;
        Ok(table.or(self.curve_of_number()))
    }

    /// The attributes and arrays of the materials.
    fn material_names(&self) -> impl Iterator<Item = &str> {
        let named = self.materials.iter().map(|material| material.name.as_str());
        named.chain(self.material_id.as_deref())
    }
}

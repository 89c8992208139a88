//! Files of layers; those of `subsolid slice`.

use std::path::PathBuf;

use pyo3::prelude::*;
use subsolid::Message;
use subsolid::backend::Choice;
use subsolid::io::JobPart;
use subsolid::jobs::slice::{HeightRange, SliceHatches, SliceImages, SliceOrigin, SliceRequest};
use subsolid::numbers::Length;
use subsolid::slice::{LayerSource, Sampling};

use crate::arrays::dictionary;
use crate::count;
use crate::errors::{IntoPython, refused};
use crate::layer_options::{self as options, images_of};
use crate::notes::PythonNotes;
use crate::request::named;
use crate::slice::PySlices;

#[pymethods]
impl PySlices {
    /// Writes layers, as `subsolid slice` does.
    ///
    /// Args:
    ///     path: What is written: a folder (a name without an ending) of images or drawings with a
    ///         manifest, or a file of all layers: .zip with these images, .sl1 for Prusa's resin
    ///         printers, .svg of drawings as Slic3r writes them, .cli (Common Layer Interface), .3mf or
    ///         .vtp of contours, .3mf of images of the coverage and attributes, .vdb of voxels, .pvtu of the pixels' centers inside with cell, u, v, w and attributes.
    ///     attributes: Names of attributes that get images of their own, from black for the least
    ///         value to white for the greatest, or arrays of a .vtp or .pvtu. A dictionary has the
    ///         values of black and white by name: {"hardness": (0, 1)}.
    ///     unit: Length unit of the model, "um", "mm", "cm", "m", "in" or "ft", or the millimeters in
    ///         it; None for that of slice. A .vtp and a .pvtu keep the unit of the model.
    ///     format: Files of a folder: "png" or "bmp" for images, "svg" for drawings; of a .zip "png"
    ///         or "bmp"; of a .3mf "slices" (slice extension) or "images" (volumetric extension). None
    ///         for "png", of a .3mf for "slices".
    ///     bits: Bits of a gray pixel, 8 or 16; None for 8, of a .3mf for 16.
    ///     dither: Black and white pixels, white in proportion to the gray level: for droplets.
    ///     gamma: Power, 0.1 to 10, that gray levels (parts of white) are written to.
    ///     threshold: Gray level, a part of white: from there on pixels are written white, else black.
    ///     gray_table: CSV file with the columns level and written, parts of white: what is written for
    ///         gray levels, linear between the rows. One of these three at most.
    ///     flip: "horizontal", "vertical" or "both" to mirror the images.
    ///     separate: An image of 1 bit for each material, not one of all.
    ///     binary: A .cli in binary, in single precision.
    ///     half: A .vdb in half precision.
    ///     hatch: Hatches in the contours of a .cli or a folder of drawings: "meander", "stripes:5" or
    ///         "islands:5", of a width in length units.
    ///     hatch_spacing: Distance between lines of hatches, in length units.
    ///     hatch_offset: Distance of hatches from the contours, in length units; None for 0.
    ///     hatch_angle: Angle of the lines in layer 0, in degrees; None for 0.
    ///     hatch_rotation: Degrees from the lines of a layer to those of the next; None for 67.
    ///     exposure: Seconds per layer of an .sl1, or a tuple: of a layer, of the first, and the
    ///         number of layers over which the time falls between.
    ///     range: Heights (z0, z1): only layers whose middle is at least z0 and below z1; either may be
    ///         None.
    ///     pieces: (i, n) for part i of n of the layers of a folder, i from 1, for several programs;
    ///         subsolid.merge joins the parts. Layers that exist are not made again.
    ///     resume: Skip layers of a folder that exist.
    ///
    /// Images have the pixels and planes that slice was given: the covered fraction of each with
    /// antialias=True; materials take the place of the coverage.
    ///
    /// Returns:
    ///     A dictionary with the keys of the JSON report of `subsolid slice`.
    ///
    /// Raises:
    ///     Error: For another ending, options that the file has no use for, and files that cannot be
    ///         written. A file of all layers appears under its name when it is complete.
    ///
    /// Example:
    ///     >>> layers = subsolid.shape("box", 2, 2, 2).slice(0.5, pixel=0.1)
    ///     >>> report = layers.write("box.zip")
    ///     >>> report["made"] == len(layers)
    ///     True
    #[pyo3(signature = (path, *, attributes=None, unit=None, format=None, bits=None, dither=false,
                        gamma=None, threshold=None, gray_table=None, flip=None, separate=false,
                        binary=false, half=false, hatch=None, hatch_spacing=None, hatch_offset=None,
                        hatch_angle=None, hatch_rotation=None, exposure=None, range=None,
                        pieces=None, resume=false))]
    #[allow(clippy::too_many_arguments)]
    fn write<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        attributes: Option<Bound<'_, PyAny>>,
        unit: Option<Bound<'_, PyAny>>,
        format: Option<&str>,
        #[pyo3(from_py_with = count::bits)] bits: Option<usize>,
        dither: bool,
        gamma: Option<f64>,
        threshold: Option<f64>,
        gray_table: Option<PathBuf>,
        flip: Option<&str>,
        separate: bool,
        binary: bool,
        half: bool,
        hatch: Option<&str>,
        #[pyo3(from_py_with = options::length)] hatch_spacing: Option<Length>,
        #[pyo3(from_py_with = options::length)] hatch_offset: Option<Length>,
        hatch_angle: Option<f64>,
        hatch_rotation: Option<f64>,
        exposure: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = options::heights)] range: Option<HeightRange>,
        #[pyo3(from_py_with = options::part)] pieces: Option<JobPart>,
        resume: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let flip = match flip {
            Some("none") => return Err(refused("flip=\"none\"", "leave flip out")),
            flip => flip.map(|flip| named("flip", flip)).transpose()?,
        };
        let format = format.map(|format| named("format", format)).transpose()?;
        let mut outputs = options::outputs(&path, format)?;
        outputs.exposure = exposure.as_ref().map(options::exposure).transpose()?;
        outputs.binary = binary;
        outputs.half = half;
        let cut = &self.cut.request;
        let images = images_of(&outputs, cut);
        let has_pixels = outputs.has_pixels();
        let unit = options::millimeters(unit.as_ref())?;
        if cut.in_units() && unit.is_some_and(|unit| unit != cut.unit_mm()) {
            return Err(refused(
                "a unit other than that of slice, which was given lengths with a unit",
                "give the unit to slice",
            ));
        }
        let hatch = hatch.map(|text| {
            text.parse().map_err(|help: String| refused(format!("hatch={text:?}"), &help))
        });
        let mut request = SliceRequest {
            hatches: SliceHatches {
                hatch: hatch.transpose()?,
                hatch_spacing,
                hatch_offset,
                hatch_angle,
                hatch_rotation,
            },
            unit: unit.or(cut.unit),
            outputs,
            images: SliceImages {
                bits: options::bits(bits)?,
                dither,
                gamma,
                threshold,
                gray_table,
                flip,
                separate,
                ..images
            },
            attribute: options::attributes(attributes.as_ref())?,
            range,
            pieces,
            resume,
            backend: if has_pixels { cut.backend } else { Choice::default() },
            ..cut.clone()
        };
        if request.images.plate.is_none() {
            // contours have no pixels, and their plate no corner
            request.origin = cut.origin.map(|own| SliceOrigin::from(own.height));
        }
        if unit.is_none() && !request.uses_unit() {
            request.unit = None; // nothing written depends on it
        }
        self.write_files(py, &request)
    }
}

impl PySlices {
    fn write_files<'py>(
        &self,
        py: Python<'py>,
        request: &SliceRequest,
    ) -> PyResult<Bound<'py, PyAny>> {
        request.check().py()?;
        let counts = self.counts();
        if counts.iter().sum::<usize>() > 1 {
            request.check_parts(counts).py()?;
        }
        let planes = self.cut.planes;
        if request.outputs.has_grays() && self.cut.sampling() == Sampling::Center && planes > 1 {
            return Err(refused(
                format!("images of {planes} planes without antialiasing"),
                "slice with planes=1, or antialias=True",
            ));
        }
        let placed = self.placed(py, request)?;
        let layers = self.identified(py, request.unit_mm())?;
        let mut notes = PythonNotes::default();
        let own = placed.as_ref().unwrap_or(&self.layers);
        let write = |source: &dyn LayerSource| request.write(source, &layers, &mut notes);
        let report = own.ask(py, |source| layers.setting.ask(source, write)).py()?;
        notes.warn(py, None::<Message>)?;
        dictionary(py, &report)
    }
}

//! Files of layers; those of `subsolid slice`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use subsolid::io::JobPart;
use subsolid::slice::{Bits, Job, LayerSource, Setting};

use crate::errors::{IntoPython, refused, warn, words};
use crate::layer_options::{HeightRange, LayerFileKind, Options, millimeters};
use crate::request::named;
use crate::slice::PySlices;
use crate::{count, layer_options};

#[pymethods]
impl PySlices {
    /// Writes layers, as `subsolid slice` does.
    ///
    /// Args:
    ///     path: What is written: a folder (a name without an ending) of images or drawings with a
    ///         manifest, or a file of all layers: .zip with these images, .sl1 for Prusa's resin
    ///         printers, .svg of drawings as Slic3r writes them, .cli (Common Layer Interface) or .vtp
    ///         of contours, .pvtu of the pixels' centers inside with cell, u, v, w and attributes.
    ///     attributes: Names of attributes that get images of their own, from black for the least
    ///         value to white for the greatest, or arrays of a .vtp or .pvtu. A dictionary has the
    ///         values of black and white by name: {"hardness": (0, 1)}.
    ///     unit: Length unit of the model, "um", "mm", "cm", "m", "in" or "ft", or the millimeters in
    ///         it. A .vtp and a .pvtu keep the unit of the model.
    ///     format: Files of a folder: "png" or "bmp" for images, "svg" for drawings; of a .zip "png"
    ///         or "bmp". None for "png".
    ///     bits: Bits of a gray pixel, 8 or 16; None for 8.
    ///     dither: Black and white pixels, white in proportion to the gray level: for droplets.
    ///     flip: "horizontal", "vertical" or "both" to mirror the images.
    ///     separate: An image of 1 bit for each material, not one of all.
    ///     binary: A .cli in binary, in single precision.
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
    /// Raises:
    ///     Error: For another ending, options that the file has no use for, and files that cannot be
    ///         written. A file of all layers appears under its name when it is complete.
    ///
    /// Example:
    ///     >>> layers = subsolid.shape("box", 2, 2, 2).slice(0.5, pixel=0.1)
    ///     >>> layers.write("box.zip")
    #[pyo3(signature = (path, *, attributes=None, unit=None, format=None, bits=None, dither=false,
                        flip=None, separate=false, binary=false, exposure=None, range=None,
                        pieces=None, resume=false))]
    #[allow(clippy::too_many_arguments)]
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        attributes: Option<Bound<'_, PyAny>>,
        unit: Option<Bound<'_, PyAny>>,
        format: Option<&str>,
        #[pyo3(from_py_with = count::bits)] bits: Option<usize>,
        dither: bool,
        flip: Option<&str>,
        separate: bool,
        binary: bool,
        exposure: Option<Bound<'_, PyAny>>,
        range: Option<HeightRange>,
        #[pyo3(from_py_with = layer_options::part)] pieces: Option<JobPart>,
        resume: bool,
    ) -> PyResult<()> {
        let bits = match bits {
            None => None,
            Some(8) => Some(Bits::Eight),
            Some(16) => Some(Bits::Sixteen),
            Some(bits) => return Err(refused(format!("bits={bits}"), "give 8 or 16")),
        };
        let flip = match flip {
            Some("none") => return Err(refused("flip=\"none\"", "leave flip out")),
            flip => flip.map(|flip| named("flip", flip)).transpose()?,
        };
        let format = format.map(|format| named("format", format)).transpose()?;
        let kind = LayerFileKind::of(&path, format)?;
        let options = Options {
            kind,
            format,
            attributes: attributes.as_ref().map_or(Ok(Vec::new()), layer_options::attributes)?,
            bits,
            dither,
            flip,
            separate,
            binary,
            exposure: exposure.as_ref().map(layer_options::exposure).transpose()?,
            range,
            part: pieces,
            resume,
        };
        options.check(self)?;
        if unit.is_some() && kind.keeps_unit() {
            return Err(refused(
                "the file keeps the length unit of the model: unit has no effect",
                "leave unit out",
            ));
        }
        let unit_mm = unit.as_ref().map_or(Ok(1.0), millimeters)?;
        if kind == LayerFileKind::Pvtu
            && let Some(placed) = self.placed(py)?
        {
            return placed.write_files(py, &path, unit_mm, &options);
        }
        self.write_files(py, &path, unit_mm, &options)
    }
}

impl PySlices {
    fn write_files(
        &self,
        py: Python<'_>,
        path: &Path,
        unit_mm: f64,
        options: &Options,
    ) -> PyResult<()> {
        let setting =
            Setting { unit_mm, model_sha256: self.fingerprint(py)?, ..self.setting.clone() };
        if options.binary
            && let Some(notice) = setting.binary_notice()
        {
            warn(py, &format!("{}: {}", path.display(), words(&notice)))?;
        }
        let channels = self.channels();
        let images = options.images(self, &channels)?;
        let chosen: Vec<usize> = options.channels(&channels)?.into_iter().map(|(c, _)| c).collect();
        let layers = options.layers(&setting.stack)?;
        let ended = self.layers.ask(py, |source: &dyn LayerSource| -> subsolid::Result<()> {
            let place = options.place(path)?;
            let output = match images {
                Some(images) => options.open_images(&place, &setting, images, &channels)?,
                None => {
                    let grid = self.grid;
                    options.open_others(&place, &setting, &layers, grid, &chosen, &channels)?
                }
            };
            let job = Job { source, stack: setting.stack, layers, outputs: vec![output] };
            job.run_share(|_| ControlFlow::Continue(())).map(drop)
        });
        ended.py()
    }
}

//! Values of requests of layers, from the arguments of Python.

use std::path::Path;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde::Deserialize;
use subsolid::io::JobPart;
use subsolid::jobs::slice::{
    AdaptiveHeights, AttributeStep, ElephantFoot, HeightRange, HeightsByRange, PixelSize,
    PixelWindow, PlateSize, SliceAttribute, SliceCompensation, SliceImages, SliceMaterial,
    SliceOrigin, SliceOutputs, SlicePlace, SliceRequest, values,
};
use subsolid::numbers::{Length, LengthUnit};
use subsolid::slice::output::Exposure;
use subsolid::slice::{Bits, Graded, Tile};

use crate::errors::{IntoPython, refused};
use crate::request::named;

/// Files of a folder or of a .zip.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Png,
    Bmp,
    Svg,
    Slices,
    Images,
}

/// The output of a request that a path stands for, by its ending; a folder if it has none.
pub fn outputs(path: &Path, format: Option<Format>) -> PyResult<SliceOutputs> {
    if path.as_os_str().is_empty() {
        return Err(refused("an empty name", "name a file, or a folder: \".\" is this one"));
    }
    let unused = |what| Err(refused(what, "leave format out, or write another file"));
    let mut outputs = SliceOutputs::default();
    let ending = path.extension().filter(|_| !path.is_dir());
    let ending = ending.map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let output = match (ending.as_deref(), format) {
        (None, None | Some(Format::Png)) => &mut outputs.png,
        (None, Some(Format::Bmp)) => &mut outputs.bmp,
        (None, Some(Format::Svg)) => &mut outputs.svg,
        (Some("zip"), Some(Format::Svg)) => return unused("format=\"svg\" is for folders"),
        (Some("zip"), _) => &mut outputs.zip,
        (Some("3mf"), None | Some(Format::Slices)) => &mut outputs.slice_stack,
        (Some("3mf"), Some(Format::Images)) => &mut outputs.image_stack,
        (_, Some(Format::Slices | Format::Images)) | (Some("3mf"), _) => {
            return unused("format=\"slices\" and \"images\" are for .3mf");
        }
        (Some("sl1" | "svg" | "cli" | "vdb" | "vtp" | "pvtu"), Some(_)) => {
            return unused("format is for folders and .zip");
        }
        (Some("sl1"), None) => &mut outputs.sl1,
        (Some("svg"), None) => &mut outputs.layered_svg,
        (Some("cli"), None) => &mut outputs.cli,
        (Some("vdb"), None) => &mut outputs.vdb,
        (Some("vtp"), None) => &mut outputs.vtp,
        (Some("pvtu"), None) => &mut outputs.pvtu,
        _ => {
            return Err(refused(
                format!("{}: unknown output format", path.display()),
                "end its name in .zip, .sl1, .svg, .cli, .3mf, .vdb, .vtp or .pvtu, or name a folder for images",
            ));
        }
    };
    *output = Some(path.to_owned());
    outputs.bitmaps = outputs.zip.is_some() && format == Some(Format::Bmp);
    Ok(outputs)
}

/// What an output has use for of the pixels that layers were cut with.
pub fn images_of(outputs: &SliceOutputs, request: &SliceRequest) -> SliceImages {
    let cut = &request.images;
    let &SliceImages { pixel, dpi, resolution, pixel_origin, window, plate, crop, .. } = cut;
    let none = SliceImages::default();
    let pixels =
        SliceImages { pixel, dpi, resolution, pixel_origin, window, plate, crop, ..none.clone() };
    match (outputs.has_images(), outputs.pvtu.is_some()) {
        (true, _) => cut.clone(),
        (_, true) => pixels,
        _ if outputs.has_grays() => SliceImages { antialias: cut.antialias, ..pixels },
        // contours of a lattice are found on pixels
        _ if request.lattice.lattice.is_some() => SliceImages { pixel, dpi, ..none },
        _ => none,
    }
}

/// A length: a number in the model's unit, or a text with a unit.
#[derive(Clone, Copy)]
struct GivenLength(Length);

impl<'py> FromPyObject<'_, 'py> for GivenLength {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(text) = given.cast::<PyString>() else {
            return given.extract::<f64>().map(|value| Self(value.into()));
        };
        let text = text.to_string();
        let help =
            "give a number in the model's length unit, or a text such as \"50um\" or \"2 mm\"";
        let wrong = |_| refused(format!("{text:?} is not a length"), help);
        text.parse().map(Self).map_err(wrong)
    }
}

/// A length, or none, for `from_py_with`.
pub fn length(given: &Bound<'_, PyAny>) -> PyResult<Option<Length>> {
    given.extract::<Option<GivenLength>>().map(|given| given.map(|own| own.0))
}

/// Where layers begin, a height or (x, y, z), for `from_py_with`.
pub fn origin(given: &Bound<'_, PyAny>) -> PyResult<Option<SliceOrigin>> {
    if let Ok([x, y, height]) = given.extract::<[GivenLength; 3]>() {
        return Ok(Some(SliceOrigin { corner: Some([x.0, y.0]), height: height.0 }));
    }
    Ok(length(given)?.map(SliceOrigin::from))
}

/// Heights of layers, for `from_py_with`.
pub fn layer_heights(given: &Bound<'_, PyAny>) -> PyResult<Option<HeightsByRange>> {
    if given.is_none() {
        return Ok(None);
    }
    let Ok(text) = given.cast::<PyString>() else {
        return given.extract::<f64>().map(|height| Some(height.into()));
    };
    let help = "give a height, or heights in ranges: \"50um\", \"0.2,0.3@1:5\"";
    let wrong = |why| refused(format!("layer_height={}: {why}", text.to_string_lossy()), help);
    text.to_string().parse().map(Some).map_err(wrong)
}

/// Least and greatest height of layers and the cusp, for `from_py_with`.
pub fn adaptive(given: &Bound<'_, PyAny>) -> PyResult<Option<AdaptiveHeights>> {
    if let Ok(text) = given.cast::<PyString>() {
        let wrong = |help: String| refused(format!("adaptive={}", text.to_string_lossy()), &help);
        return text.to_string().parse().map(Some).map_err(wrong);
    }
    let given: Option<[GivenLength; 3]> = given.extract()?;
    Ok(given.map(|parts| AdaptiveHeights(parts.map(|own| own.0))))
}

/// An attribute and its largest change across a layer, for `from_py_with`.
pub fn attribute_step(given: &Bound<'_, PyAny>) -> PyResult<Option<AttributeStep>> {
    if let Ok(text) = given.cast::<PyString>() {
        let text = text.to_string();
        let wrong = |help: String| refused(format!("adaptive_attribute={text}"), &help);
        return text.parse().map(Some).map_err(wrong);
    }
    let given: Option<(String, f64)> = given.extract()?;
    Ok(given.map(|(name, step)| AttributeStep { name, step }))
}

/// Factors of x, y and z, or one for all, for `from_py_with`.
pub fn factors(given: &Bound<'_, PyAny>) -> PyResult<Option<[f64; 3]>> {
    match given.extract::<Option<f64>>() {
        Ok(all) => Ok(all.map(|factor| [factor; 3])),
        Err(_) => given.extract().map(Some),
    }
}

/// A distance, or a distance and a number of layers, for `from_py_with`.
pub fn elephant_foot(given: &Bound<'_, PyAny>) -> PyResult<Option<ElephantFoot>> {
    if let Ok((depth, layers)) = given.extract::<(GivenLength, usize)>() {
        return Ok(Some(ElephantFoot { depth: depth.0, layers }));
    }
    let depth = length(given)?;
    Ok(depth.map(|depth| ElephantFoot { depth, layers: 1 }))
}

/// What layers are compensated for.
pub fn compensation(
    (scale, offset, elephant_foot): (Option<[f64; 3]>, Option<Length>, Option<ElephantFoot>),
    join: Option<&str>,
) -> PyResult<SliceCompensation> {
    let join = join.map(|join| named("join", join)).transpose()?;
    Ok(SliceCompensation { scale, offset, elephant_foot, join })
}

/// The thickness of a lattice: a length, or "attr:NAME", for `from_py_with`.
pub fn thickness(given: &Bound<'_, PyAny>) -> PyResult<Option<Graded<Length>>> {
    graded(given, length)
}

/// A level or a density of a lattice: a number, or "attr:NAME", for `from_py_with`.
pub fn fill(given: &Bound<'_, PyAny>) -> PyResult<Option<Graded>> {
    graded(given, |number| number.extract())
}

fn graded<T>(
    given: &Bound<'_, PyAny>,
    constant: impl Fn(&Bound<'_, PyAny>) -> PyResult<Option<T>>,
) -> PyResult<Option<Graded<T>>> {
    let text = given.cast::<PyString>().ok().map(|text| text.to_string());
    match text.as_deref().and_then(|text| text.strip_prefix("attr:")) {
        Some(name) => Ok(Some(Graded::Attribute(name.into()))),
        None => Ok(constant(given)?.map(Graded::Constant)),
    }
}

/// A tile by its name.
pub fn tile(name: Option<&str>) -> PyResult<Option<Tile>> {
    let named =
        |name: &str| values::tile(name).map_err(|help| refused(format!("lattice={name:?}"), &help));
    name.map(named).transpose()
}

/// Edge length of a pixel, or its width and height, for `from_py_with`.
pub fn pixel(given: &Bound<'_, PyAny>) -> PyResult<Option<PixelSize>> {
    if given.is_none() {
        return Ok(None);
    }
    if let Ok(text) = given.cast::<PyString>() {
        let help = "give an edge length, or a width and a height: \"50um\", \"0.042x0.084mm\"";
        let wrong = |_| refused(format!("pixel={}", text.to_string_lossy()), help);
        return text.to_string().parse().map(Some).map_err(wrong);
    }
    let sides = match given.extract::<[GivenLength; 2]>() {
        Ok(sides) => sides.map(|side| side.0),
        Err(_) => [given.extract::<GivenLength>()?.0; 2],
    };
    Ok(Some(PixelSize(sides)))
}

/// Pixels per inch, alike or those across and up, for `from_py_with`.
pub fn dots(given: &Bound<'_, PyAny>) -> PyResult<Option<[f64; 2]>> {
    match given.extract::<Option<f64>>() {
        Ok(both) => Ok(both.map(|dots| [dots; 2])),
        Err(_) => given.extract().map(Some),
    }
}

/// Coordinates in the plane, for `from_py_with`.
pub fn corner(given: &Bound<'_, PyAny>) -> PyResult<Option<[Length; 2]>> {
    let given: Option<[GivenLength; 2]> = given.extract()?;
    Ok(given.map(|corner| corner.map(|own| own.0)))
}

/// The ends of the pixels across and up, for `from_py_with`.
pub fn window(given: &Bound<'_, PyAny>) -> PyResult<Option<PixelWindow>> {
    let given: Option<[[GivenLength; 2]; 2]> = given.extract()?;
    Ok(given.map(|ends| PixelWindow(ends.map(|ends| ends.map(|own| own.0)))))
}

/// Width and depth of a plate, for `from_py_with`.
pub fn plate(given: &Bound<'_, PyAny>) -> PyResult<Option<PlateSize>> {
    let given: Option<[GivenLength; 2]> = given.extract()?;
    Ok(given.map(|sides| PlateSize(sides.map(|own| own.0))))
}

/// How a part is moved: (x, y, z) or (x, y, z, degrees), in a model whose length unit is known.
pub fn placement(given: &Bound<'_, PyAny>, name: &str) -> PyResult<SlicePlace> {
    let (shift, degrees) = match given.extract::<[GivenLength; 3]>() {
        Ok(shift) => (shift, 0.0),
        Err(_) => {
            let (x, y, z, degrees) = given.extract()?;
            ([x, y, z], degrees)
        }
    };
    Ok(SlicePlace { name: Some(name.to_owned()), shift: shift.map(|own| own.0), degrees })
}

/// Bits of a gray pixel.
pub fn bits(bits: Option<usize>) -> PyResult<Option<Bits>> {
    match bits {
        None => Ok(None),
        Some(8) => Ok(Some(Bits::Eight)),
        Some(16) => Ok(Some(Bits::Sixteen)),
        Some(bits) => Err(refused(format!("bits={bits}"), "give 8 or 16")),
    }
}

/// Millimeters in the length unit of a model: its name, or a number.
pub fn millimeters(unit: Option<&Bound<'_, PyAny>>) -> PyResult<Option<f64>> {
    let Some(unit) = unit else { return Ok(None) };
    match unit.extract::<String>() {
        Ok(name) => Ok(Some(1e3 * named::<LengthUnit>("unit", &name)?.meters())),
        Err(_) => unit.extract().map(Some),
    }
}

/// Names, or names with the values that are black and white.
pub fn attributes(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<SliceAttribute>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let Ok(ranges) = given.cast::<PyDict>() else {
        let names: Vec<String> = given.extract()?;
        return Ok(names.into_iter().map(|name| SliceAttribute { name, range: None }).collect());
    };
    let one = |(name, range): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok(SliceAttribute { name: name.extract()?, range: range.extract()? })
    };
    ranges.iter().map(one).collect()
}

/// Names of attributes that layers have at their pixels; `None` for all of them.
pub fn attribute_names(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<String>>> {
    let Some(given) = given else { return Ok(None) };
    if let Ok(all) = given.extract::<bool>() {
        return Ok(if all { None } else { Some(Vec::new()) });
    }
    given.extract().map(Some).map_err(|_| {
        refused(
            "attributes is neither a bool nor names",
            "give True, False, or the names of attributes and arrays of the cells",
        )
    })
}

/// Materials: the name of an array of ids, names of fractions, or these with colors.
pub fn set_materials(images: &mut SliceImages, given: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Ok(name) = given.extract::<String>() {
        images.material_id = Some(name);
        return Ok(());
    }
    if let Ok(colors) = given.cast::<PyDict>() {
        for (name, color) in colors {
            let (name, color) = (name.extract()?, color.extract::<Option<String>>()?);
            images.materials.push(match color {
                None => SliceMaterial { name, color: None },
                Some(color) => format!("{name}=#{}", color.trim_start_matches('#'))
                    .parse()
                    .map_err(|help: String| refused(format!("materials={given}"), &help))?,
            });
        }
        return Ok(());
    }
    let names: Vec<String> = given.extract().map_err(|_| {
        refused(
            "materials is neither a name nor names",
            "give the names of fractions, or the name of an array of material ids",
        )
    })?;
    images.materials = names.into_iter().map(|name| SliceMaterial { name, color: None }).collect();
    Ok(())
}

/// Lowest and highest height, either open, for `from_py_with`.
pub fn heights(given: &Bound<'_, PyAny>) -> PyResult<Option<HeightRange>> {
    let ends: Option<[Option<GivenLength>; 2]> = given.extract()?;
    let ends = ends.map(|ends| ends.map(|end| end.map(|own| own.0)));
    Ok(ends.map(|[from, to]| HeightRange { from, to }))
}

/// Part i of n, for `from_py_with`.
pub fn part(given: &Bound<'_, PyAny>) -> PyResult<Option<JobPart>> {
    if given.is_none() {
        return Ok(None);
    }
    let [part, of] = match given.extract::<[usize; 2]>() {
        Ok(numbers) => numbers,
        // negative, or too large for any part
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => [0; 2],
        Err(error) => return Err(error),
    };
    JobPart::new(part, of).py().map(Some)
}

/// Seconds of exposure: of all layers; of the first; and the layers between.
pub fn exposure(given: &Bound<'_, PyAny>) -> PyResult<Exposure> {
    let of = |seconds, first, faded| Exposure { seconds, first, faded };
    let found = if let Ok(seconds) = given.extract::<f64>() {
        of(seconds, seconds, 0)
    } else if let Ok((seconds, first)) = given.extract::<(f64, f64)>() {
        of(seconds, first, 0)
    } else if let Ok((seconds, first, faded)) = given.extract::<(f64, f64, u32)>() {
        of(seconds, first, faded)
    } else {
        let help = "give seconds, or (seconds, seconds of the first layer, layers between)";
        return Err(refused(format!("exposure={}", given.repr()?), help));
    };
    found.check().py()?;
    Ok(found)
}

/// Columns and rows, for `from_py_with`.
pub fn resolution(value: &Bound<'_, PyAny>) -> PyResult<Option<[usize; 2]>> {
    if value.is_none() {
        return Ok(None);
    }
    let wrong = || {
        let given = value.repr().map_or_else(|_| String::new(), |given| given.to_string());
        refused(format!("resolution={given}"), "give columns and rows, both at least 1")
    };
    match value.extract::<[usize; 2]>() {
        Ok([columns, rows]) if columns > 0 && rows > 0 => Ok(Some([columns, rows])),
        Ok(_) => Err(wrong()),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Err(wrong()),
        Err(error) => Err(error),
    }
}

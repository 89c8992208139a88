//! Several models on one plate.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::backend::Choice;
use subsolid::jobs::slice::{
    AdaptiveHeights, AttributeStep, ElephantFoot, HeightsByRange, PixelSize, PixelWindow,
    PlatePart, PlateSize, SliceAttribute, SliceImages, SliceOrigin, SliceRequest,
};
use subsolid::numbers::Length;
use subsolid::scheme::Scheme;

use crate::count;
use crate::errors::{IntoPython, refused};
use crate::layer_options::{self, attribute_names, set_materials};
use crate::layer_source::{LayerPart, PartModel};
use crate::request::named;
use crate::slice::{LayerCut, PySlices, surface_model};
use crate::solid::PySolid;
use crate::surface::PySurface;

/// Layers of several models on one plate, cut exactly, in one sequence and on one grid of pixels.
///
/// Where parts overlap, the last one has the place, with a UserWarning that says the area. Attributes
/// of vectors are not turned with a part. In a pixel of several parts they are the mean of the values
/// in them, by the parts of the pixel; a part without an attribute has 0 of it.
///
/// Args:
///     parts: Solids and Surfaces by their names: {"body": solid, "insert": surface}. Names may be used
///         as materials and attributes.
///     layer_height: Height of a layer; or a text with others of layers whose bottom is at least z0
///         and below z1: "0.2,0.3@1:5".
///     place: Where parts lie, by their names: (x, y, z) that they are shifted by, or (x, y, z, degrees)
///         with a turn about the z axis before that, counter-clockwise from above. Others lie where
///         their coordinates say.
///     strict: Whether parts that overlap are refused.
///     adaptive: In place of layer_height (least, greatest, cusp): layers as high as the stairs of the
///         surfaces allow; cusp is the largest height of a layer times |n_z| of the normal.
///     adaptive_attribute: (name, step) besides adaptive: layers no higher than the attribute of the
///         vertices changes by step across them.
///     first_layer: Height of layer 0.
///     scheme: "catmull-clark", "loop" or "linear" for the surfaces. None is "linear" for those that
///         were read from an .stl or .3mf, else "catmull-clark".
///     origin: Height of the bottom of layer 0, at or below the lowest point of all; with plate also
///         (x, y, z).
///     axis: "x", "y" or "z": the axis that layers are stacked along.
///     pixel: Edge length of a pixel, or (width, height); None for contours alone.
///     dpi: Pixels per inch in place of pixel.
///     resolution: Columns and rows of pixels, with the parts in the middle.
///     pixel_origin: Lower left corner of the pixels in the plane of the layers.
///     window: Ends of the pixels in the plane of the layers, ((x0, x1), (y0, y1)), as those of a build
///         plate, in place of resolution and pixel_origin.
///     plate: (width, depth) of a build plate, all of which has pixels, in place of window. Its lower left
///         corner lies at the x and y of origin, a (x, y, z) then, or at (0, 0).
///     crop: Whether what lies outside the pixels is left out, which is refused otherwise.
///     planes: Number of planes per layer over which coverage is averaged, 1 to 64.
///     antialias: True for the covered fraction of each pixel; False for 1 if its center is inside.
///     scale: Factors of x, y and z, or one for all, about the origin of coordinates.
///     offset: Distance that contours of each part move away from its material; into it if negative.
///     elephant_foot: Distance that contours of layer 0 move into the material, or (distance, layers).
///     join: "round" or "miter": corners of contours that move.
///     attributes: What is evaluated at the pixels: attributes and parts if None or True, nothing if
///         False, or names of attributes, cell_data, groups of cells and parts.
///     tolerance: Maximum distance of contours from the limit; None for the least that a part has.
///     unit: Length unit of all models, or the millimeters in it; None for millimeters.
///     materials: Materials that share the pixels, each pixel one or none: names of parts, attributes,
///         cell_data or groups of cells; or a dictionary with the colors of images by name.
///     backend: Processor of the pixels: "auto", "cpu", "cuda" or "cuda:N".
///
/// Returns:
///     An iterable of Layers that holds one at a time; it also takes indices, and writes files.
///
/// Raises:
///     Error: For places of parts that there are not, parts that overlap if strict, surfaces that are
///         not closed, and pixels that would fill the memory.
///
/// Example:
///     >>> box = subsolid.shape("box", 2, 2, 2).with_creases(crease_angle=40)
///     >>> layers = subsolid.slice_plate({"a": box, "b": box}, 0.5, place={"b": (2, 0, 0)}, pixel=0.1,
///     ...                               materials=["a", "b"])
///     >>> [int((layers[0].materials == number).sum()) for number in (1, 2)]
///     [400, 400]
#[pyfunction]
#[pyo3(signature = (parts, layer_height=None, *, place=None, strict=false, adaptive=None, adaptive_attribute=None, first_layer=None, scheme=None, origin=None, axis="z", pixel=None, dpi=None, resolution=None, pixel_origin=None, window=None, plate=None, crop=false, planes=1, antialias=true, scale=None, offset=None, elephant_foot=None, join=None, attributes=None, tolerance=None, unit=None, materials=None, backend="auto"))]
#[allow(clippy::too_many_arguments)]
pub fn slice_plate(
    py: Python<'_>,
    parts: &Bound<'_, PyDict>,
    #[pyo3(from_py_with = layer_options::layer_heights)] layer_height: Option<HeightsByRange>,
    place: Option<Bound<'_, PyDict>>,
    strict: bool,
    #[pyo3(from_py_with = layer_options::adaptive)] adaptive: Option<AdaptiveHeights>,
    #[pyo3(from_py_with = layer_options::attribute_step)] adaptive_attribute: Option<AttributeStep>,
    #[pyo3(from_py_with = layer_options::length)] first_layer: Option<Length>,
    scheme: Option<&str>,
    #[pyo3(from_py_with = layer_options::origin)] origin: Option<SliceOrigin>,
    axis: &str,
    #[pyo3(from_py_with = layer_options::pixel)] pixel: Option<PixelSize>,
    #[pyo3(from_py_with = layer_options::dots)] dpi: Option<[f64; 2]>,
    #[pyo3(from_py_with = layer_options::resolution)] resolution: Option<[usize; 2]>,
    #[pyo3(from_py_with = layer_options::corner)] pixel_origin: Option<[Length; 2]>,
    #[pyo3(from_py_with = layer_options::window)] window: Option<PixelWindow>,
    #[pyo3(from_py_with = layer_options::plate)] plate: Option<PlateSize>,
    crop: bool,
    #[pyo3(from_py_with = count::planes)] planes: usize,
    antialias: bool,
    #[pyo3(from_py_with = layer_options::factors)] scale: Option<[f64; 3]>,
    #[pyo3(from_py_with = layer_options::length)] offset: Option<Length>,
    #[pyo3(from_py_with = layer_options::elephant_foot)] elephant_foot: Option<ElephantFoot>,
    join: Option<&str>,
    attributes: Option<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = layer_options::length)] tolerance: Option<Length>,
    unit: Option<Bound<'_, PyAny>>,
    materials: Option<Bound<'_, PyAny>>,
    backend: &str,
) -> PyResult<PySlices> {
    let none = SliceImages::default();
    let mut images =
        SliceImages { pixel, dpi, resolution, pixel_origin, window, plate, crop, ..none };
    if let Some(materials) = &materials {
        set_materials(&mut images, materials)?;
    }
    let attributes = attribute_names(attributes.as_ref())?;
    let named_attribute = |name: &String| SliceAttribute { name: name.clone(), range: None };
    let places = place.iter().flat_map(|places| places.iter());
    let places =
        places.map(|(name, own)| layer_options::placement(&own, &name.extract::<String>()?));
    let request = SliceRequest {
        scheme: scheme.map(Scheme::named).transpose().py()?,
        place: places.collect::<PyResult<_>>()?,
        layer_height,
        adaptive,
        adaptive_attribute,
        first_layer,
        compensation: layer_options::compensation((scale, offset, elephant_foot), join)?,
        origin,
        axis: named("axis", axis)?,
        tolerance,
        unit: layer_options::millimeters(unit.as_ref())?,
        images,
        attribute: attributes.iter().flatten().map(named_attribute).collect(),
        backend: backend.parse::<Choice>().py()?,
        ..SliceRequest::default()
    };
    let cut = LayerCut::new(request, planes, antialias)?;
    let request = &cut.request;
    let mut plate: Vec<PlatePart> = Vec::with_capacity(parts.len());
    for name in parts.keys() {
        plate.push(PlatePart { name: Some(name.extract()?), ..PlatePart::default() });
    }
    request.put(&mut plate).py()?;
    let mut all = Vec::with_capacity(plate.len());
    for (own, model) in plate.iter().zip(parts.values()) {
        let model = if let Ok(solid) = model.cast::<PySolid>() {
            PartModel::Solid(solid.get().shared.clone(), None)
        } else if let Ok(surface) = model.cast::<PySurface>() {
            surface_model(py, &surface.get().mesh, request)?
        } else {
            let what = format!(
                "part {:?} is {}",
                own.name.as_deref().unwrap_or_default(),
                model.get_type()
            );
            return Err(refused(what, "give Solids and Surfaces by their names"));
        };
        all.push(LayerPart::new(model, own.name.clone(), request.placement(own).py()?));
    }
    let surfaces = all.iter().filter(|part| part.solid().is_none()).count();
    request.check_parts([all.len() - surfaces, surfaces]).py()?;
    PySlices::new(py, all, cut, attributes, strict)
}

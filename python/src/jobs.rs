//! Jobs on solids: location, layers, quadrature.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use subsolid::backend::Choice;
use subsolid::jobs::locate::LocateRequest;
use subsolid::jobs::slice::{
    AdaptiveHeights, AttributeStep, ElephantFoot, HeightsByRange, PixelSize, PixelWindow,
    PlateSize, SliceAttribute, SliceImages, SliceLattice, SliceOrigin, SliceRequest,
};
use subsolid::numbers::Length;
use subsolid::quadrature::{QuadratureScheme, side_vertices, sides};
use subsolid::slice::Graded;

use crate::arrays::{dictionary, moved};
use crate::cells::Analyzed;
use crate::count;
use crate::errors::IntoPython;
use crate::layer_options::{self, attribute_names, set_materials};
use crate::layer_source::{LayerPart, PartModel};
use crate::locate::{PyLocator, locate};
use crate::model::Moved;
use crate::notes::PythonNotes;
use crate::quadrature::{PyQuadrature, boundary_parts};
use crate::request::named;
use crate::slice::{LayerCut, PySlices};
use crate::solid::PySolid;

#[pymethods]
impl PySolid {
    /// Prepares the location of points in space, for many calls.
    ///
    /// Args:
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     tolerance: Distance outside that still counts as inside, as a fraction of the diagonal of
    ///         the box around the Bézier piece there.
    ///     backend: Processor that looks points up: "auto" (the fastest for the points of a call),
    ///         "cpu", "cuda" or "cuda:N"; cells are the same, parameters equal up to rounding.
    ///
    /// Returns:
    ///     A Locator.
    ///
    /// Raises:
    ///     Error: For points of another shape or not finite, and a processor that is not there.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> box.locator()
    ///     <subsolid.Locator: 8 cells>
    #[pyo3(signature = (points=None, *, tolerance=1e-9, backend="auto"))]
    fn locator(
        &self,
        py: Python<'_>,
        points: Option<Bound<'_, PyAny>>,
        tolerance: f64,
        backend: &str,
    ) -> PyResult<PyLocator> {
        let given = Moved::new(points.as_ref(), None, self.shared.mesh.points.len())?;
        PyLocator::new(py, self.shared.clone(), &given, tolerance, backend)
    }

    /// Cells and parameters of points in space, once.
    ///
    /// Args:
    ///     x: Points, (n, 3), in length units.
    ///     nearest: Whether to return the closest place of the solid for points outside.
    ///     tolerance: Distance outside that still counts as inside, as a fraction of the diagonal of
    ///         the box around the Bézier piece there.
    ///     backend: Processor that looks points up: "auto" (the fastest for the points),
    ///         "cpu", "cuda" or "cuda:N"; cells are the same, parameters equal up to rounding.
    ///
    /// Returns:
    ///     Places; for points outside, the cell is -1, or that of the closest place if nearest=True. The
    ///     cell of points that are not finite, or beyond 1e70, is -1, and their distance infinite.
    ///
    /// Raises:
    ///     Error: For points of another shape.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> int(box.locate([[1, 1, 1], [9, 9, 9]]).cells[1])
    ///     -1
    #[pyo3(signature = (x, *, nearest=false, tolerance=1e-9, backend="auto"))]
    fn locate<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        nearest: bool,
        tolerance: f64,
        backend: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = Moved::new(None, None, self.shared.mesh.points.len())?;
        let locator = PyLocator::new(py, self.shared.clone(), &given, tolerance, backend)?;
        locate(py, &locator, x, nearest)
    }

    /// Places of the points of a table, block by block, so that any number of rows fits. That of
    /// `subsolid locate`.
    ///
    /// Args:
    ///     points: Name of a .csv with the columns x, y, z; others are ignored, with a UserWarning.
    ///     output: Name of a .csv to write: x, y, z, status, cell, u, v, w, distance and attributes,
    ///         of points outside at the closest place of the solid; None for the report alone.
    ///     tolerance: Distance outside that still counts as inside, as a fraction of the diagonal of
    ///         the box around the Bézier piece there, above 0 and at most 1e-3.
    ///     backend: "auto" (the fastest for this job), "cpu", "cuda" or "cuda:N"; results are equal
    ///         up to rounding.
    ///
    /// Returns:
    ///     A dictionary with the keys of the JSON report of `subsolid locate`: numbers of points
    ///     inside and outside, and their largest distances.
    ///
    /// Raises:
    ///     Error: For a table that cannot be read, an output that cannot be written, and values out
    ///         of range.
    ///
    /// Example:
    ///     >>> _ = open("points.csv", "w").write("x,y,z\n1,1,1\n9,9,9\n")
    ///     >>> report = subsolid.shape("box", 2, 2, 2).locate_table("points.csv", "places.csv")
    ///     >>> report["inside"], report["outside"]
    ///     (1, 1)
    #[pyo3(signature = (points, output=None, *, tolerance=1e-9, backend="auto"))]
    fn locate_table<'py>(
        &self,
        py: Python<'py>,
        points: PathBuf,
        output: Option<PathBuf>,
        tolerance: f64,
        backend: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = LocateRequest { points, tolerance, backend: backend.parse::<Choice>().py()? };
        let Analyzed { mesh, solid, .. } = &*self.shared;
        let report = PythonNotes::hear(py, |notes| {
            output.as_deref().map_or(Ok(()), LocateRequest::check_output)?;
            let table = request.open(notes)?;
            request.run((mesh, solid), table, output.as_deref(), notes)
        })?;
        dictionary(py, &report)
    }

    /// Layers of the limit, cut exactly, one after the other.
    ///
    /// Lengths are numbers of the model's length unit, or texts with a unit: "50um", "0.1 mm".
    ///
    /// Args:
    ///     layer_height: Height of a layer; or a text with others of layers whose bottom is at least z0
    ///         and below z1: "0.2,0.3@1:5".
    ///     adaptive: In place of layer_height (least, greatest, cusp): layers as high as the stairs of
    ///         the surface allow; cusp is the largest height of a layer times |n_z| of the normal.
    ///     adaptive_attribute: (name, step) besides adaptive: layers no higher than the attribute of the
    ///         vertices changes by step across them.
    ///     first_layer: Height of layer 0; None for that of the others.
    ///     origin: Height of the bottom of layer 0, at or below the lowest point of the limit; None
    ///         for that point. With plate also (x, y, z).
    ///     axis: "x", "y" or "z": the axis that layers are stacked along.
    ///     pixel: Edge length of a pixel, or (width, height), or a text: "42um x 84um"; None for
    ///         contours alone.
    ///     dpi: Pixels per inch in place of pixel: a number, or those (across, up).
    ///     resolution: Columns and rows of pixels, with the model in the middle; None for those that
    ///         cover the model.
    ///     pixel_origin: Lower left corner of the pixels in the plane of the layers, the same for all
    ///         models of an assembly; None for the model in the middle.
    ///     window: Ends of the pixels in the plane of the layers, ((x0, x1), (y0, y1)), as those of a
    ///         build plate, in place of resolution and pixel_origin.
    ///     plate: (width, depth) of a build plate, all of which has pixels, in place of window. Its lower left
    ///         corner lies at the x and y of origin, a (x, y, z) then, or at (0, 0).
    ///     crop: Whether what lies outside the pixels is left out, which is refused otherwise.
    ///     planes: Number of planes per layer over which coverage is averaged, 1 to 64.
    ///     antialias: True for the covered fraction of each pixel; False for 1 if its center is
    ///         inside, else 0, as `subsolid slice` has it without --antialias for printers.
    ///     scale: Factors of x, y and z, or one for all, about the origin of coordinates, 0.1 to 10: for
    ///         material that shrinks.
    ///     offset: Distance that contours, and the edges of pixels with them, move away from the
    ///         material; into it if negative.
    ///     elephant_foot: Distance that contours of layer 0 move into the material, besides; or (distance,
    ///         n): it falls by equal steps to 0 over n layers.
    ///     join: "round" or "miter": corners of contours that move.
    ///     lattice: "schwarz-p", "iwp", "bcc", "octet" or "cubic": the material is a lattice of such tiles
    ///         in the cells, found on the pixels; None for a solid. Give one of thickness, level and
    ///         density.
    ///     per_cell: Tiles along each edge of a cell, 1 to 1000; None for 1.
    ///     thickness: Thickness of walls, or diameter of struts: a length, or "attr:NAME" for an attribute
    ///         that has it.
    ///     level: Level up to which the function of a tile is material: 0 for half of "schwarz-p"; of
    ///         struts the radius as a part of the tile's edge; or "attr:NAME".
    ///     density: Part of a tile that is material, 0 to 1; or "attr:NAME".
    ///     skin: Thickness of a shell inside of the boundary that stays whole; None for no shell.
    ///     attributes: What is evaluated at the pixels: the attributes if None or True, nothing if
    ///         False, or names of attributes, of cell_data and of groups of cells, which a .vtp has
    ///         without pixels, too.
    ///     tolerance: Maximum distance of contours from the limit; None for 1e-5 of the longest side
    ///         of the bounding box.
    ///     unit: Length unit of the model, "um", "mm", "cm", "m", "in" or "ft", or the millimeters in
    ///         it; None for millimeters.
    ///     points: Control points, (vertices, 3); those of the solid if None.
    ///     materials: Materials that share the pixels, each pixel one or none: names of attributes,
    ///         cell_data or groups of cells that are their fractions of the volume, 0 to 1, or the
    ///         one name of an array of the cells whose whole numbers are materials. A dictionary has
    ///         the colors of images by name: {"copper": "#b87333", "steel": None}.
    ///     backend: Processor of the pixels: "auto", "cpu", "cuda" or "cuda:N"; coverage is bitwise
    ///         the same, attributes equal up to rounding.
    ///
    /// Returns:
    ///     An iterable of Layers that holds one at a time; it also takes indices, and writes files.
    ///
    /// Raises:
    ///     Error: For a solid without layers, and pixels that would fill the memory.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> layers = box.slice(0.5, pixel=0.1)
    ///     >>> layers[1].coverage.shape == layers.pixels[2][::-1]
    ///     True
    #[pyo3(signature = (layer_height=None, *, adaptive=None, adaptive_attribute=None, first_layer=None, origin=None, axis="z", pixel=None, dpi=None, resolution=None, pixel_origin=None, window=None, plate=None, crop=false, planes=1, antialias=true, scale=None, offset=None, elephant_foot=None, join=None, lattice=None, per_cell=None, thickness=None, level=None, density=None, skin=None, attributes=None, tolerance=None, unit=None, points=None, materials=None, backend="auto"))]
    #[allow(clippy::too_many_arguments)]
    fn slice(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = layer_options::layer_heights)] layer_height: Option<HeightsByRange>,
        #[pyo3(from_py_with = layer_options::adaptive)] adaptive: Option<AdaptiveHeights>,
        #[pyo3(from_py_with = layer_options::attribute_step)] adaptive_attribute: Option<
            AttributeStep,
        >,
        #[pyo3(from_py_with = layer_options::length)] first_layer: Option<Length>,
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
        lattice: Option<&str>,
        #[pyo3(from_py_with = count::per_cell)] per_cell: Option<usize>,
        #[pyo3(from_py_with = layer_options::thickness)] thickness: Option<Graded<Length>>,
        #[pyo3(from_py_with = layer_options::fill)] level: Option<Graded>,
        #[pyo3(from_py_with = layer_options::fill)] density: Option<Graded>,
        #[pyo3(from_py_with = layer_options::length)] skin: Option<Length>,
        attributes: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = layer_options::length)] tolerance: Option<Length>,
        unit: Option<Bound<'_, PyAny>>,
        points: Option<Bound<'_, PyAny>>,
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
        let request = SliceRequest {
            layer_height,
            adaptive,
            adaptive_attribute,
            first_layer,
            compensation: layer_options::compensation((scale, offset, elephant_foot), join)?,
            lattice: SliceLattice {
                lattice: layer_options::tile(lattice)?,
                per_cell,
                thickness,
                level,
                density,
                skin,
            },
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
        let given = Moved::new(points.as_ref(), None, self.shared.mesh.points.len())?;
        let points = given.points()?.map(<[_]>::to_vec);
        let part = LayerPart::new(PartModel::Solid(self.shared.clone(), points), None, None);
        PySlices::new(py, vec![part], cut, attributes, false)
    }

    /// Quadrature points and basis functions of all cells, or of the boundary.
    ///
    /// Args:
    ///     gauss: Gauss points along each axis of a box, 1 to 32.
    ///     rings: Rings of boxes toward extraordinary edges and vertices; None for as many as
    ///         integrals accurate to 1e-10 need.
    ///     second: Also second derivatives of the basis functions.
    ///     boundary: False for the volume, True for the whole boundary, or numbers of `sides`
    ///         and names of groups of faces for these alone. An integer is the number of a
    ///         side, a string the name of a group, even if it consists of digits.
    ///     force: Integrate even where the Jacobian determinant is not positive, as in folded
    ///         cells and in meshes of left- and right-handed ones. The results are then not valid
    ///         integrals, and a UserWarning is issued.
    ///
    /// Determinants are checked when integrals are computed, by batches(), mass(), stiffness(),
    /// elasticity() and load(), which raise an Error that names the cells whose determinants are
    /// not positive at quadrature points. Where all cells are left-handed they take |det J| and
    /// raise a UserWarning.
    ///
    /// Raises:
    ///     Error: For values out of range, for a side or group that the boundary does not have, and
    ///         for tables that would fill the memory.
    ///
    /// Returns:
    ///     A Quadrature.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> quadrature = box.quadrature(3, rings=1)
    ///     >>> quadrature.is_boundary
    ///     False
    #[pyo3(signature = (gauss=5, *, rings=None, second=false, boundary=None, force=false))]
    fn quadrature(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = count::gauss)] gauss: usize,
        #[pyo3(from_py_with = count::rings)] rings: Option<usize>,
        second: bool,
        boundary: Option<Bound<'_, PyAny>>,
        force: bool,
    ) -> PyResult<PyQuadrature> {
        let parts = boundary_parts(boundary.as_ref())?;
        PyQuadrature::new(slf, QuadratureScheme { gauss, rings }, second, force, parts)
    }

    /// Vertices of the sides of the boundary: the parts between infinitely sharp edges.
    ///
    /// Returns:
    ///     A list of ids (n,), ascending, one array for each side. On a side, the limit and its
    ///     basis functions depend on these vertices only. Semi-sharp edges end no side.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2).with_creases(crease_angle=40)
    ///     >>> len(box.sides())
    ///     6
    fn sides<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let Analyzed { mesh, solid, .. } = &*self.shared;
        let (side, count) = sides(solid.topology(), &mesh.creases);
        let all = side_vertices(solid.topology(), &side, count);
        let ids = |own: Vec<u32>| own.into_iter().map(i64::from).collect::<Vec<i64>>();
        all.into_iter()
            .map(|own| {
                let count = own.len();
                Ok(moved(py, ids(own), &[count])?.into_any())
            })
            .collect()
    }

    /// Shows the limit by PyVista, or makes a picture of it.
    ///
    /// Args:
    ///     color: "class", "quality" (least scaled Jacobian of each cell), the name of an
    ///         attribute, or None.
    ///     clip: "x", "y" or "z" to cut it open in the middle.
    ///     samples: Samples along each axis of a cell.
    ///     screenshot: Name of a picture to write instead of showing a window.
    ///     show: False to return the plotter.
    ///
    /// Returns:
    ///     The plotter where show is False, else what PyVista returns.
    ///
    /// Raises:
    ///     Error: For another color, and without PyVista.
    ///
    /// Example:
    ///     >>> box = subsolid.shape("box", 2, 2, 2)
    ///     >>> plotter = box.plot("class", show=False)
    #[pyo3(signature = (color=None, *, clip=None, samples=5, screenshot=None, show=true))]
    fn plot<'py>(
        slf: &Bound<'py, Self>,
        color: Option<Bound<'py, PyAny>>,
        clip: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = count::samples)] samples: usize,
        screenshot: Option<Bound<'py, PyAny>>,
        show: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("subsolid._pyvista")?;
        let options = PyDict::new(slf.py());
        options.set_item("color", color)?;
        options.set_item("clip", clip)?;
        options.set_item("samples", samples)?;
        options.set_item("screenshot", screenshot)?;
        options.set_item("show", show)?;
        module.call_method("plot", (slf,), Some(&options))
    }
}

from os import PathLike
from typing import Any, Literal, NoReturn, Optional, Sequence, TypeVar, Union, final, overload

import numpy as np
import numpy.typing as npt

from ._types import CudaArray, DlpackArray, Floats, Ids, Layer, Places, QuadratureBatch

__all__ = [
    "Batches",
    "DeviceArray",
    "DeviceLimit",
    "Limit",
    "Locator",
    "Operator",
    "Pieces",
    "Plan",
    "Quadrature",
    "Slices",
    "Solid",
    "Surface",
    "__version__",
    "bench",
    "conform",
    "devices",
    "main",
    "merge",
    "plain_array",
    "read",
    "read_creases",
    "read_surface",
    "set_threads",
    "shape",
    "slice_plate",
    "solid_of_parts",
]

__version__: str

_Path = Union[str, PathLike[str]]
_Numbers = npt.ArrayLike
_OnDevice = Union[DlpackArray, CudaArray]
_Cells = Union[npt.ArrayLike, dict[str, Any]]
_Tags = tuple[npt.ArrayLike, npt.ArrayLike]
_Data = dict[str, Any]
_Array = npt.NDArray[Any]
_Derivative = Literal["u", "v", "w", "uu", "vv", "ww", "uv", "uw", "vw"]
_Strategy = Literal["auto", "thread", "warp", "hybrid"]
_QueryStrategy = Literal["unordered", "rows", "patches"]
_Precision = Literal["f64", "f32", "float64", "float32"]
_ColorMap = Literal["viridis", "cividis", "turbo"]
_MeshFormat = Literal["msh", "msh-binary", "inp", "mfem", "medit", "exodus"]
_Unit = Literal["um", "mm", "cm", "m", "in", "ft"]
# a number in the model's length unit, or a text with a unit
_Length = Union[float, str]
_Tile = Literal["schwarz-p", "iwp", "bcc", "octet", "cubic"]
_Up = Literal["y", "z"]
_CreaseRule = Literal["uniform", "chaikin"]
_Boundary = Literal["edges", "corners", "holes"]
_Triangles = Literal["uniform", "smooth"]
_UvBoundary = Literal[
    "none", "corners-only", "corners-plus1", "corners-plus2", "boundaries", "all"
]
_Shape = Literal[
    "box",
    "fan",
    "link-tetrahedron",
    "link-bipyramid3",
    "link-octahedron",
    "link-3444555",
    "link-bipyramid5",
    "link-icosahedron",
    "torus",
    "cylinder",
    "tripod",
    "bracket",
]
_Scheme = Literal["catmull-clark", "loop", "sqrt3", "bilinear", "linear"]
_Out = TypeVar("_Out", Limit, _Array)

def read(
    path: _Path,
    *,
    crease_angle: Optional[float] = None,
    creases_from: Union[str, Sequence[str], None] = None,
    memory: Optional[float] = None,
    split_nonmanifold: bool = False,
) -> Solid: ...
def conform(
    path: _Path,
    *,
    layer_depth: float = 0.6,
    weld: Optional[float] = None,
    memory: Optional[float] = None,
) -> tuple[Solid, dict[str, Any]]: ...
def read_surface(
    path: _Path, *, creases_from: Union[str, Sequence[str], None] = None, memory: Optional[float] = None
) -> Surface: ...
def read_creases(path: _Path) -> tuple[tuple[Ids, Floats], tuple[Ids, Floats]]: ...
def shape(name: _Shape, *sizes: int) -> Solid: ...
def slice_plate(
    parts: dict[str, Union[Solid, Surface]],
    layer_height: Optional[_Length] = None,
    *,
    place: Optional[
        dict[
            str, Union[tuple[_Length, _Length, _Length], tuple[_Length, _Length, _Length, float]]
        ]
    ] = None,
    strict: bool = False,
    adaptive: Union[str, tuple[_Length, _Length, _Length], None] = None,
    adaptive_attribute: Union[str, tuple[str, float], None] = None,
    first_layer: Optional[_Length] = None,
    scheme: Optional[_Scheme] = None,
    origin: Union[_Length, tuple[_Length, _Length, _Length], None] = None,
    axis: Literal["x", "y", "z"] = "z",
    pixel: Union[_Length, tuple[_Length, _Length], None] = None,
    dpi: Union[float, tuple[float, float], None] = None,
    resolution: Optional[tuple[int, int]] = None,
    pixel_origin: Optional[tuple[_Length, _Length]] = None,
    window: Optional[tuple[tuple[_Length, _Length], tuple[_Length, _Length]]] = None,
    plate: Optional[tuple[_Length, _Length]] = None,
    crop: bool = False,
    planes: int = 1,
    antialias: bool = True,
    scale: Union[float, tuple[float, float, float], None] = None,
    offset: Optional[_Length] = None,
    elephant_foot: Union[_Length, tuple[_Length, int], None] = None,
    join: Optional[Literal["round", "miter"]] = None,
    attributes: Union[bool, Sequence[str], None] = None,
    tolerance: Optional[_Length] = None,
    unit: Union[_Unit, float, None] = None,
    materials: Union[str, Sequence[str], dict[str, Optional[str]], None] = None,
    backend: str = "auto",
) -> Slices: ...
def merge(path: _Path) -> dict[str, int]: ...
def bench(
    models: Sequence[_Path],
    *,
    samples: Optional[Sequence[int]] = None,
    levels: Optional[Sequence[int]] = None,
    backend: str = "auto",
    repeats: int = 20,
    report: Optional[_Path] = None,
) -> dict[str, Any]: ...
def devices() -> list[str]: ...
def main(given: Sequence[str]) -> int: ...
def set_threads(count: int) -> None: ...
def plain_array(value: Any, what: str) -> _Array: ...
def solid_of_parts(
    what: str,
    points: Any,
    blocks: list[dict[str, Any]],
    point_data: dict[str, Any],
    field_data: dict[str, Any],
    names: list[tuple[str, int, int]],
    crease_angle: Optional[float],
) -> tuple[Solid, list[str]]: ...
@final
class Solid:
    def __new__(
        cls,
        points: _Numbers,
        cells: _Cells,
        *,
        creases: Optional[_Tags] = None,
        corners: Optional[_Tags] = None,
        attributes: Optional[_Data] = None,
        cell_data: Optional[_Data] = None,
        face_groups: Optional[dict[str, Any]] = None,
        ghosts: Optional[Any] = None,
        crease_angle: Optional[float] = None,
    ) -> Solid: ...
    def with_points(self, points: _Numbers) -> Solid: ...
    def with_attributes(self, attributes: dict[str, _Numbers]) -> Solid: ...
    def with_cell_data(self, cell_data: dict[str, _Numbers]) -> Solid: ...
    def with_face_groups(self, face_groups: dict[str, Any]) -> Solid: ...
    def with_creases(
        self,
        creases: Optional[_Tags] = None,
        corners: Optional[_Tags] = None,
        *,
        crease_angle: Optional[float] = None,
    ) -> Solid: ...
    @property
    def points(self) -> Floats: ...
    @property
    def cells(self) -> Any: ...
    @property
    def creases(self) -> tuple[Ids, Floats]: ...
    @property
    def corners(self) -> tuple[Ids, Floats]: ...
    @property
    def attributes(self) -> dict[str, Floats]: ...
    @property
    def cell_data(self) -> dict[str, Union[Floats, Ids]]: ...
    @property
    def face_groups(self) -> dict[str, Any]: ...
    @property
    def ghosts(self) -> npt.NDArray[np.bool_]: ...
    @property
    def periods(self) -> npt.NDArray[np.float64]: ...
    @property
    def n_points(self) -> int: ...
    @property
    def n_cells(self) -> int: ...
    @property
    def classes(self) -> npt.NDArray[np.uint8]: ...
    def info(self, *, verbose: bool = False, report: Optional[_Path] = None) -> dict[str, Any]: ...
    def quality(
        self,
        samples: Optional[_Numbers] = None,
        *,
        gauss: Optional[int] = None,
        backend: str = "auto",
    ) -> dict[str, Any]: ...
    def refine(
        self,
        levels: int = 1,
        *,
        vertex_rule: Literal["layer-consistent", "joy-maccracken"] = "layer-consistent",
    ) -> Solid: ...
    def reorient(self) -> Solid: ...
    def weld(self, distance: float = 0.0) -> Solid: ...
    def boundary(self) -> Surface: ...
    def write_boundary(
        self,
        path: _Path,
        *,
        format: Optional[_MeshFormat] = None,
        unit: Optional[_Unit] = None,
        up: Optional[_Up] = None,
    ) -> dict[str, Any]: ...
    def write(
        self, path: _Path, *, compress: bool = False, format: Optional[_MeshFormat] = None
    ) -> None: ...
    def write_limit(
        self,
        path: Optional[_Path] = None,
        samples: Optional[int] = None,
        *,
        gauss: Optional[int] = None,
        at: Optional[_Path] = None,
        cells: Optional[Literal["hexahedra", "lagrange", "bezier", "points"]] = None,
        order: Optional[int] = None,
        rings: Optional[int] = None,
        derivatives: int = 0,
        attribute_derivatives: bool = False,
        gradients: bool = False,
        jacobian: bool = False,
        quality: bool = False,
        explain: bool = False,
        precision: _Precision = "f64",
        backend: str = "auto",
        strategy: _Strategy = "auto",
        separate_points: bool = False,
        write_memory: Optional[float] = None,
        pieces: Optional[tuple[int, int]] = None,
        piece_points: Optional[int] = None,
        compress: bool = False,
        format: Optional[_MeshFormat] = None,
        color: Optional[str] = None,
        color_map: Optional[_ColorMap] = None,
        unit: Optional[_Unit] = None,
        up: Optional[_Up] = None,
    ) -> Optional[dict[str, Any]]: ...
    def plan(
        self,
        samples: Optional[_Numbers] = None,
        *,
        gauss: Optional[int] = None,
        cells: Optional[_Numbers] = None,
        uvw: Optional[_Numbers] = None,
        corners: Optional[_Numbers] = None,
        derivatives: int = 0,
        attribute_derivatives: bool = False,
        gradients: bool = False,
        jacobian: bool = False,
        precision: _Precision = "f64",
        backend: str = "auto",
        strategy: _Strategy = "auto",
        threads: Optional[int] = None,
    ) -> Plan: ...
    @overload
    def evaluate(
        self,
        samples: Optional[_Numbers] = None,
        *,
        gauss: Optional[int] = None,
        cells: Optional[_Numbers] = None,
        uvw: Optional[_Numbers] = None,
        corners: Optional[_Numbers] = None,
        derivatives: int = 0,
        attribute_derivatives: bool = False,
        gradients: bool = False,
        jacobian: bool = False,
        precision: _Precision = "f64",
        backend: str = "auto",
        strategy: _Strategy = "auto",
        threads: Optional[int] = None,
        out: None = None,
        device_output: Literal[False] = False,
    ) -> Limit: ...
    @overload
    def evaluate(
        self,
        samples: Optional[_Numbers] = None,
        *,
        gauss: Optional[int] = None,
        cells: Optional[_Numbers] = None,
        uvw: Optional[_Numbers] = None,
        corners: Optional[_Numbers] = None,
        derivatives: int = 0,
        attribute_derivatives: bool = False,
        gradients: bool = False,
        jacobian: bool = False,
        precision: _Precision = "f64",
        backend: str = "auto",
        strategy: _Strategy = "auto",
        threads: Optional[int] = None,
        out: _Array,
        device_output: Literal[False] = False,
    ) -> _Array: ...
    @overload
    def evaluate(
        self,
        samples: Optional[_Numbers] = None,
        *,
        gauss: Optional[int] = None,
        cells: Optional[_Numbers] = None,
        uvw: Optional[_Numbers] = None,
        corners: Optional[_Numbers] = None,
        derivatives: int = 0,
        attribute_derivatives: bool = False,
        gradients: bool = False,
        jacobian: bool = False,
        precision: _Precision = "f64",
        backend: str = "auto",
        strategy: _Strategy = "auto",
        threads: Optional[int] = None,
        out: None = None,
        device_output: Literal[True],
    ) -> DeviceLimit: ...
    def compare(
        self,
        samples: int = 8,
        *,
        backend: str = "auto",
        strategy: Union[_Strategy, Literal["all"]] = "all",
        precision: Union[_Precision, Literal["all"]] = "all",
        output: Optional[_Path] = None,
        report: Optional[_Path] = None,
        compress: bool = False,
    ) -> dict[str, Any]: ...
    def basis_matrix(
        self,
        cells: _Numbers,
        uvw: _Numbers,
        derivative: Optional[_Derivative] = None,
        *,
        corners: Optional[_Numbers] = None,
    ) -> Any: ...
    def extract(self, rings: int = 2, *, refined_points: bool = False) -> dict[str, _Array]: ...
    def write_extraction(
        self,
        path: _Path,
        *,
        rings: int = 2,
        refined_points: bool = False,
        compress: bool = False,
        max_size: float = 1.0,
    ) -> dict[str, Any]: ...
    @overload
    def query(self, op: None = None, *, strategy: _QueryStrategy = "unordered") -> dict[str, Any]: ...
    @overload
    def query(
        self,
        op: str,
        of: Optional[_Numbers] = None,
        *,
        rings: Optional[int] = None,
        oriented: Literal[False] = False,
        strategy: _QueryStrategy = "unordered",
    ) -> tuple[Ids, Ids]: ...
    @overload
    def query(
        self,
        op: str,
        of: Optional[_Numbers] = None,
        *,
        rings: None = None,
        oriented: Literal[True],
        strategy: _QueryStrategy = "unordered",
    ) -> tuple[Ids, Ids, npt.NDArray[np.bool_]]: ...
    def distance(
        self,
        to: Literal["boundary", "creases"] = "boundary",
        *,
        vertices: Optional[_Numbers] = None,
        patches: Optional[_Numbers] = None,
        group: Optional[str] = None,
        point: Optional[_Numbers] = None,
        attribute: Optional[str] = None,
        levels: int = 0,
    ) -> Floats: ...
    def smooth_attribute(
        self, name: str, steps: int = 1, *, factor: float = 0.5, fix_boundary: bool = False
    ) -> Floats: ...
    def fit(
        self,
        to: Union[Literal["vertices", "corners", "facets"], str, PathLike[str], Surface, Solid, None] = None,
        *,
        target_scheme: Optional[_Scheme] = None,
        feature_angle: float = 40.0,
        rounds: int = 6,
        tolerance: Optional[float] = None,
        max_levels: int = 2,
        attributes: Literal["interpolate", "project", "keep"] = "interpolate",
        distances: bool = False,
        untangle: bool = True,
        backend: str = "auto",
    ) -> tuple[Solid, dict[str, Any]]: ...
    def limit_matrix(self) -> Any: ...
    def extend(
        self,
        *,
        angle: Optional[float] = None,
        periodic: Optional[Union[str, Sequence[str]]] = None,
        sharp_groups: Optional[Union[bool, str, Sequence[str]]] = None,
    ) -> tuple[Solid, dict[str, Any]]: ...
    def untangle(
        self, *, boundary: Literal["fixed", "slide"] = "fixed", limit: bool = False
    ) -> tuple[Solid, dict[str, Any]]: ...
    def _dataset(self, cells: Any, rings: int, warns: bool) -> dict[str, Any]: ...
    def locator(
        self,
        points: Optional[_Numbers] = None,
        *,
        tolerance: float = 1e-9,
        backend: str = "auto",
    ) -> Locator: ...
    def locate(
        self,
        x: _Numbers,
        *,
        nearest: bool = False,
        tolerance: float = 1e-9,
        backend: str = "auto",
    ) -> Places: ...
    def locate_table(
        self,
        points: _Path,
        output: Optional[_Path] = None,
        *,
        tolerance: float = 1e-9,
        backend: str = "auto",
    ) -> dict[str, Any]: ...
    def slice(
        self,
        layer_height: Optional[_Length] = None,
        *,
        adaptive: Union[str, tuple[_Length, _Length, _Length], None] = None,
        adaptive_attribute: Union[str, tuple[str, float], None] = None,
        first_layer: Optional[_Length] = None,
        origin: Union[_Length, tuple[_Length, _Length, _Length], None] = None,
        axis: Literal["x", "y", "z"] = "z",
        pixel: Union[_Length, tuple[_Length, _Length], None] = None,
        dpi: Union[float, tuple[float, float], None] = None,
        resolution: Optional[tuple[int, int]] = None,
        pixel_origin: Optional[tuple[_Length, _Length]] = None,
        window: Optional[tuple[tuple[_Length, _Length], tuple[_Length, _Length]]] = None,
        plate: Optional[tuple[_Length, _Length]] = None,
        crop: bool = False,
        planes: int = 1,
        antialias: bool = True,
        scale: Union[float, tuple[float, float, float], None] = None,
        offset: Optional[_Length] = None,
        elephant_foot: Union[_Length, tuple[_Length, int], None] = None,
        join: Optional[Literal["round", "miter"]] = None,
        lattice: Optional[_Tile] = None,
        per_cell: Optional[int] = None,
        thickness: Optional[_Length] = None,
        level: Union[float, str, None] = None,
        density: Union[float, str, None] = None,
        skin: Optional[_Length] = None,
        attributes: Union[bool, Sequence[str], None] = None,
        tolerance: Optional[_Length] = None,
        unit: Union[_Unit, float, None] = None,
        points: Optional[_Numbers] = None,
        materials: Union[str, Sequence[str], dict[str, Optional[str]], None] = None,
        backend: str = "auto",
    ) -> Slices: ...
    def voxels(
        self,
        pitch: float,
        *,
        planes: int = 1,
        lattice: Optional[_Tile] = None,
        per_cell: Optional[int] = None,
        thickness: Optional[_Length] = None,
        level: Union[float, str, None] = None,
        density: Union[float, str, None] = None,
        skin: Optional[_Length] = None,
    ) -> npt.NDArray[np.uint16]: ...
    def quadrature(
        self,
        gauss: int = 5,
        *,
        rings: Optional[int] = None,
        second: bool = False,
        boundary: Union[bool, str, Sequence[Union[int, str]], _Numbers, None] = None,
        force: bool = False,
    ) -> Quadrature: ...
    def integrate(
        self,
        path: Optional[_Path] = None,
        *,
        gauss: int = 5,
        rings: Optional[int] = None,
        boundary: Union[bool, str, Sequence[Union[int, str]], _Numbers, None] = None,
        store: Optional[Literal["tables", "geometry", "all"]] = None,
        second: bool = False,
        physical_gradients: bool = False,
        force: bool = False,
        pieces: Optional[tuple[int, int]] = None,
        piece_points: Optional[int] = None,
        compress: bool = False,
        max_size: float = 1.0,
        backend: str = "auto",
    ) -> Optional[dict[str, Any]]: ...
    def assemble(
        self,
        path: Optional[_Path] = None,
        *,
        gauss: int = 5,
        rings: Optional[int] = None,
        mass: Optional[float] = None,
        stiffness: Optional[float] = None,
        elasticity: Optional[Sequence[float]] = None,
        material_axes: Optional[tuple[str, str]] = None,
        load: Optional[dict[Any, Sequence[float]]] = None,
        body: Optional[Sequence[float]] = None,
        format: Literal["npz", "mtx"] = "npz",
        compress: bool = False,
        backend: str = "auto",
    ) -> dict[str, Any]: ...
    def solve(
        self,
        *,
        elasticity: Union[
            Sequence[float], dict[Optional[str], Sequence[float]], None
        ] = None,
        heat: Union[float, dict[Optional[str], float], None] = None,
        material_axes: Optional[tuple[str, str]] = None,
        fix: Union[Sequence[Any], dict[Any, Sequence[Optional[float]]], None] = None,
        temperature: Optional[dict[Any, float]] = None,
        load: Optional[dict[Any, Sequence[float]]] = None,
        total_force: Optional[dict[Any, Sequence[float]]] = None,
        pressure: Optional[dict[Any, float]] = None,
        body: Optional[Sequence[float]] = None,
        flux: Optional[dict[Any, float]] = None,
        source: Optional[float] = None,
        tolerance: float = 1e-10,
        gauss: int = 5,
        rings: Optional[int] = None,
        operator: Literal["auto", "matrix-free", "matrix"] = "auto",
        backend: str = "auto",
    ) -> tuple[Solid, dict[str, Any]]: ...
    def operator(
        self,
        *,
        mass: Optional[float] = None,
        heat: Union[float, dict[Optional[str], float], None] = None,
        elasticity: Union[
            Sequence[float], dict[Optional[str], Sequence[float]], None
        ] = None,
        material_axes: Optional[tuple[str, str]] = None,
        gauss: int = 5,
        rings: Optional[int] = None,
    ) -> Operator: ...
    def sides(self) -> list[Ids]: ...
    def to_pyvista(
        self,
        cells: Union[Literal["lagrange", "bezier", "control"], int, None] = None,
        *,
        rings: Optional[int] = None,
    ) -> Any: ...
    def plot(
        self,
        color: Optional[str] = None,
        *,
        clip: Optional[Literal["x", "y", "z"]] = None,
        samples: int = 5,
        screenshot: Optional[_Path] = None,
        show: bool = True,
    ) -> Any: ...
    def page(
        self,
        *,
        color: Optional[str] = None,
        title: Optional[str] = None,
        interior: bool = True,
        samples: int = 5,
        rings: Optional[int] = None,
        interior_rings: Optional[int] = None,
        linear: bool = False,
        color_map: _ColorMap = "viridis",
        unit: Optional[_Unit] = None,
        up: _Up = "z",
        slices: Optional[_Path] = None,
    ) -> str: ...
    def view(
        self,
        path: Optional[_Path] = None,
        *,
        color: Optional[str] = None,
        title: Optional[str] = None,
        interior: bool = True,
        samples: int = 5,
        rings: Optional[int] = None,
        interior_rings: Optional[int] = None,
        linear: bool = False,
        color_map: _ColorMap = "viridis",
        unit: Optional[_Unit] = None,
        up: _Up = "z",
        slices: Optional[_Path] = None,
        fineness: Optional[int] = None,
    ) -> None: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __copy__(self) -> Solid: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Solid: ...
    @staticmethod
    def _restore(state: dict[str, Any]) -> Solid: ...
    def __repr__(self) -> str: ...

@final
class Plan:
    @overload
    def evaluate(
        self,
        points: Union[_Numbers, _OnDevice, None] = None,
        *,
        attributes: Optional[_Data] = None,
        out: None = None,
        device_output: Literal[False] = False,
    ) -> Limit: ...
    @overload
    def evaluate(
        self,
        points: Union[_Numbers, _OnDevice, None] = None,
        *,
        attributes: Optional[_Data] = None,
        out: _Out,
        device_output: Literal[False] = False,
    ) -> _Out: ...
    @overload
    def evaluate(
        self,
        points: Union[_Numbers, _OnDevice, None] = None,
        *,
        attributes: Optional[_Data] = None,
        out: None = None,
        device_output: Literal[True],
    ) -> DeviceLimit: ...
    def pieces(
        self,
        points: Optional[_Numbers] = None,
        *,
        attributes: Optional[_Data] = None,
        results: int = 2_000_000,
    ) -> Pieces: ...
    @overload
    def adjoint(self, gradient: _Numbers, *, derivatives: Optional[_Data] = None) -> Floats: ...
    @overload
    def adjoint(
        self, gradient: _OnDevice, *, derivatives: Optional[_Data] = None
    ) -> DeviceArray: ...
    def basis_matrix(self, derivative: Optional[_Derivative] = None) -> Any: ...
    def places(self) -> tuple[Ids, Floats, Ids]: ...
    @property
    def solid(self) -> Solid: ...
    @property
    def backend(self) -> str: ...
    @property
    def precision(self) -> str: ...
    @property
    def derivatives(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...

@final
class Pieces:
    def __iter__(self) -> Pieces: ...
    def __next__(self) -> Limit: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...

@final
class Limit:
    @property
    def points(self) -> _Array: ...
    @property
    def derivatives(self) -> dict[str, _Array]: ...
    @property
    def attributes(self) -> dict[str, _Array]: ...
    @property
    def attribute_derivatives(self) -> dict[str, dict[str, _Array]]: ...
    @property
    def det_j(self) -> _Array: ...
    @property
    def gradients(self) -> dict[str, _Array]: ...
    @property
    def undefined(self) -> npt.NDArray[np.uint8]: ...
    @property
    def elements(self) -> tuple[int, int]: ...
    def __array__(self, *arguments: Any, **options: Any) -> NoReturn: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...

@final
class DeviceArray:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def device(self) -> str: ...
    def numpy(self) -> _Array: ...
    def __dlpack__(
        self,
        *,
        stream: Optional[int] = None,
        max_version: Optional[tuple[int, int]] = None,
        dl_device: Optional[tuple[int, int]] = None,
        copy: Optional[bool] = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...

@final
class DeviceLimit:
    @property
    def points(self) -> DeviceArray: ...
    @property
    def derivatives(self) -> dict[str, DeviceArray]: ...
    @property
    def attributes(self) -> dict[str, DeviceArray]: ...
    @property
    def attribute_derivatives(self) -> dict[str, dict[str, DeviceArray]]: ...
    @property
    def det_j(self) -> DeviceArray: ...
    @property
    def gradients(self) -> dict[str, DeviceArray]: ...
    @property
    def elements(self) -> tuple[int, int]: ...
    @property
    def device(self) -> str: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...

@final
class Locator:
    def locate(self, x: _Numbers, *, nearest: bool = False) -> Places: ...
    def __repr__(self) -> str: ...

@final
class Slices:
    def __iter__(self) -> Slices: ...
    def __next__(self) -> Layer: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: int, /) -> Layer: ...
    def write(
        self,
        path: _Path,
        *,
        attributes: Union[
            Sequence[str], dict[str, Optional[tuple[float, float]]], None
        ] = None,
        unit: Union[_Unit, float, None] = None,
        format: Optional[Literal["png", "bmp", "svg", "slices", "images"]] = None,
        bits: Optional[Literal[8, 16]] = None,
        dither: bool = False,
        gamma: Optional[float] = None,
        threshold: Optional[float] = None,
        gray_table: Optional[_Path] = None,
        flip: Optional[Literal["horizontal", "vertical", "both"]] = None,
        separate: bool = False,
        binary: bool = False,
        half: bool = False,
        hatch: Optional[str] = None,
        hatch_spacing: Optional[_Length] = None,
        hatch_offset: Optional[_Length] = None,
        hatch_angle: Optional[float] = None,
        hatch_rotation: Optional[float] = None,
        exposure: Union[float, tuple[float, float], tuple[float, float, int], None] = None,
        range: Optional[tuple[Optional[float], Optional[float]]] = None,
        pieces: Optional[tuple[int, int]] = None,
        resume: bool = False,
    ) -> dict[str, Any]: ...
    def __repr__(self) -> str: ...
    @property
    def heights(self) -> Floats: ...
    @property
    def thicknesses(self) -> Floats: ...
    @property
    def materials(self) -> list[str]: ...
    @property
    def pixels(
        self,
    ) -> Optional[
        tuple[tuple[float, float], Union[float, tuple[float, float]], tuple[int, int]]
    ]: ...

@final
class Operator:
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def nbytes(self) -> int: ...
    def matvec(self, x: _Numbers) -> Floats: ...
    def rmatvec(self, x: _Numbers) -> Floats: ...
    def matmat(self, x: _Numbers) -> Floats: ...
    def __matmul__(self, value: _Numbers, /) -> Floats: ...
    def __rmatmul__(self, value: Any, /) -> Any: ...
    def diagonal(self) -> Floats: ...

@final
class Quadrature:
    def batches(
        self, points: Optional[_Numbers] = None, *, max_points: int = 20_000
    ) -> Batches: ...
    def mass(
        self,
        density: float = 1.0,
        *,
        points: Optional[_Numbers] = None,
        backend: str = "auto",
    ) -> Any: ...
    def stiffness(
        self,
        conductivity: float = 1.0,
        *,
        points: Optional[_Numbers] = None,
        backend: str = "auto",
    ) -> Any: ...
    def elasticity(
        self,
        young: float = 1.0,
        poisson: float = 0.3,
        *,
        points: Optional[_Numbers] = None,
        backend: str = "auto",
    ) -> Any: ...
    def load(self, force: _Numbers, *, points: Optional[_Numbers] = None) -> Floats: ...
    def project(self, values: _Numbers, *, points: Optional[_Numbers] = None) -> Floats: ...
    def constraints(self) -> Any: ...
    def held(
        self, values: Optional[_Numbers] = None, *, points: Optional[_Numbers] = None
    ) -> dict[str, Any]: ...
    @property
    def is_boundary(self) -> bool: ...
    @property
    def solid(self) -> Solid: ...
    @property
    def n_vertices(self) -> int: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...

@final
class Batches:
    def __iter__(self) -> Batches: ...
    def __next__(self) -> QuadratureBatch: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...

@final
class Surface:
    def __new__(
        cls,
        points: _Numbers,
        faces: Union[_Numbers, Sequence[Sequence[int]]],
        *,
        creases: Optional[_Tags] = None,
        corners: Optional[_Tags] = None,
        attributes: Optional[_Data] = None,
        holes: Optional[_Numbers] = None,
        crease_rule: _CreaseRule = "uniform",
        boundary: _Boundary = "edges",
        triangles: _Triangles = "uniform",
        uv: Optional[tuple[_Numbers, Union[_Numbers, Sequence[Sequence[int]]]]] = None,
        uv_boundary: Optional[_UvBoundary] = None,
    ) -> Surface: ...
    def with_points(self, points: _Numbers) -> Surface: ...
    def with_attributes(self, attributes: dict[str, _Numbers]) -> Surface: ...
    def with_creases(
        self, creases: Optional[_Tags] = None, corners: Optional[_Tags] = None
    ) -> Surface: ...
    def with_rules(
        self,
        *,
        crease_rule: Optional[_CreaseRule] = None,
        boundary: Optional[_Boundary] = None,
        triangles: Optional[_Triangles] = None,
        uv_boundary: Optional[_UvBoundary] = None,
    ) -> Surface: ...
    @property
    def points(self) -> Floats: ...
    @property
    def faces(self) -> Union[Ids, list[list[int]]]: ...
    @property
    def creases(self) -> tuple[Ids, Floats]: ...
    @property
    def corners(self) -> tuple[Ids, Floats]: ...
    @property
    def holes(self) -> Ids: ...
    @property
    def crease_rule(self) -> _CreaseRule: ...
    @property
    def boundary(self) -> _Boundary: ...
    @property
    def triangles(self) -> _Triangles: ...
    @property
    def uv(self) -> Optional[tuple[Floats, Union[Ids, list[list[int]]]]]: ...
    @property
    def uv_boundary(self) -> Optional[_UvBoundary]: ...
    @property
    def attributes(self) -> dict[str, Floats]: ...
    @property
    def n_points(self) -> int: ...
    @property
    def n_faces(self) -> int: ...
    def info(self, *, report: Optional[_Path] = None) -> dict[str, Any]: ...
    def weld(self, distance: float = 0.0) -> Surface: ...
    def orient(self, *, nested: Literal["keep", "cavities"] = "keep") -> Surface: ...
    def refine(
        self,
        levels: int = 1,
        *,
        scheme: _Scheme = "catmull-clark",
        method: Optional[
            Literal["auto", "matrix", "edge-friend", "single", "static", "adaptive"]
        ] = None,
        limit: bool = False,
        normals: bool = False,
        backend: str = "auto",
    ) -> Surface: ...
    def stencils(self, levels: int = 1, *, scheme: _Scheme = "catmull-clark") -> Any: ...
    def limit(self, *, scheme: _Scheme = "catmull-clark") -> tuple[Floats, Floats]: ...
    def evaluate(
        self, samples: int = 8, *, scheme: _Scheme = "catmull-clark"
    ) -> tuple[Floats, Floats]: ...
    def slice(
        self,
        layer_height: Optional[_Length] = None,
        *,
        adaptive: Union[str, tuple[_Length, _Length, _Length], None] = None,
        first_layer: Optional[_Length] = None,
        scheme: Optional[_Scheme] = None,
        origin: Union[_Length, tuple[_Length, _Length, _Length], None] = None,
        axis: Literal["x", "y", "z"] = "z",
        pixel: Union[_Length, tuple[_Length, _Length], None] = None,
        dpi: Union[float, tuple[float, float], None] = None,
        resolution: Optional[tuple[int, int]] = None,
        pixel_origin: Optional[tuple[_Length, _Length]] = None,
        window: Optional[tuple[tuple[_Length, _Length], tuple[_Length, _Length]]] = None,
        plate: Optional[tuple[_Length, _Length]] = None,
        crop: bool = False,
        planes: int = 1,
        antialias: bool = True,
        scale: Union[float, tuple[float, float, float], None] = None,
        offset: Optional[_Length] = None,
        elephant_foot: Union[_Length, tuple[_Length, int], None] = None,
        join: Optional[Literal["round", "miter"]] = None,
        tolerance: Optional[_Length] = None,
        unit: Union[_Unit, float, None] = None,
        backend: str = "auto",
    ) -> Slices: ...
    @overload
    def query(self, op: None = None, *, strategy: _QueryStrategy = "unordered") -> dict[str, Any]: ...
    @overload
    def query(
        self,
        op: str,
        of: Optional[_Numbers] = None,
        *,
        rings: Optional[int] = None,
        oriented: Literal[False] = False,
        strategy: _QueryStrategy = "unordered",
    ) -> tuple[Ids, Ids]: ...
    @overload
    def query(
        self,
        op: str,
        of: Optional[_Numbers] = None,
        *,
        rings: None = None,
        oriented: Literal[True],
        strategy: _QueryStrategy = "unordered",
    ) -> tuple[Ids, Ids, npt.NDArray[np.bool_]]: ...
    def fit(
        self,
        to: Union[Literal["vertices", "corners", "facets"], str, PathLike[str], Surface, Solid, None] = None,
        *,
        scheme: _Scheme = "catmull-clark",
        target_scheme: Optional[_Scheme] = None,
        feature_angle: float = 40.0,
        rounds: int = 6,
        tolerance: Optional[float] = None,
        max_levels: int = 2,
        attributes: Literal["interpolate", "keep"] = "interpolate",
        distances: bool = False,
        backend: str = "auto",
    ) -> tuple[Surface, dict[str, Any]]: ...
    def distance(
        self,
        vertices: _Numbers,
        *,
        method: Literal["heat", "toplesets"] = "heat",
        backend: str = "auto",
    ) -> Floats: ...
    def smooth(
        self,
        time: float,
        steps: int = 1,
        *,
        matrix_free: bool = False,
        backend: str = "auto",
    ) -> Surface: ...
    def denoise(
        self, sweeps: int = 3, *, rings: int = 2, backend: str = "auto"
    ) -> Surface: ...
    def normals(self, *, backend: str = "auto") -> Floats: ...
    def page(
        self,
        *,
        color: Optional[str] = None,
        title: Optional[str] = None,
        scheme: Optional[_Scheme] = None,
        levels: Optional[int] = None,
        rings: Optional[int] = None,
        linear: bool = False,
        color_map: _ColorMap = "viridis",
        unit: Optional[_Unit] = None,
        up: _Up = "z",
        slices: Optional[_Path] = None,
    ) -> str: ...
    def view(
        self,
        path: Optional[_Path] = None,
        *,
        color: Optional[str] = None,
        title: Optional[str] = None,
        scheme: Optional[_Scheme] = None,
        levels: Optional[int] = None,
        rings: Optional[int] = None,
        linear: bool = False,
        color_map: _ColorMap = "viridis",
        unit: Optional[_Unit] = None,
        up: _Up = "z",
        slices: Optional[_Path] = None,
        fineness: Optional[int] = None,
    ) -> None: ...
    def write(
        self, path: _Path, *, unit: Optional[_Unit] = None, up: Optional[_Up] = None
    ) -> None: ...
    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __copy__(self) -> Surface: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Surface: ...
    @staticmethod
    def _restore(state: dict[str, Any]) -> Surface: ...
    def __repr__(self) -> str: ...

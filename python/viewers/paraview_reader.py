"""Limits of Catmull-Clark solids in ParaView: a reader for control meshes.

Tools > Manage Plugins > Load New, this file; then open a `.vtk`, `.vtu`, `.msh`, `.inp`, `.mesh` or
`.ovm` file with "subsolid". The program `subsolid` evaluates it; give its place in the environment
variable SUBSOLID if it is not in PATH. Attributes of vertices and cells, classes of cells and the
Jacobian determinant arrive as arrays.

Without ParaView, with VTK alone:

    reader = SubsolidReader()
    reader.SetFileName("models/bracket.vtk")
    reader.Update()
    grid = reader.GetOutputDataObject(0)
"""

import os
import pathlib
import subprocess
import tempfile

from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase
from vtkmodules.vtkCommonDataModel import vtkUnstructuredGrid
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

try:
    from paraview.util.vtkAlgorithm import smdomain, smhint, smproperty, smproxy
except ImportError:  # VTK alone: decorators do nothing

    class _Nothing:
        def __getattr__(self, _):
            return lambda *_, **__: lambda function: function

    smdomain = smhint = smproperty = smproxy = _Nothing()

ENDINGS = ["vtk", "vtu", "msh", "inp", "mesh", "ovm"]
CELLS = ["linear", "bezier", "lagrange"]


@smproxy.reader(
    name="SubsolidReader",
    label="subsolid",
    extensions=ENDINGS,
    file_description="Catmull-Clark solids",
)
class SubsolidReader(VTKPythonAlgorithmBase):
    def __init__(self):
        super().__init__(nInputPorts=0, nOutputPorts=1, outputType="vtkUnstructuredGrid")
        self._settings = {"file": None, "cells": 0, "samples": 5, "crease angle": 0.0}

    def _set(self, name, value):
        if self._settings[name] != value:
            self._settings[name] = value
            self.Modified()

    @smproperty.stringvector(name="FileName")
    @smdomain.filelist()
    @smhint.filechooser(extensions=ENDINGS, file_description="Catmull-Clark solids")
    def SetFileName(self, name):
        self._set("file", name)

    @smproperty.xml(
        """<IntVectorProperty name="Cells" command="SetCells" number_of_elements="1" default_values="0">
        <EnumerationDomain name="enum"><Entry value="0" text="Linear, at samples"/>
        <Entry value="1" text="Bezier"/><Entry value="2" text="Lagrange"/></EnumerationDomain>
        <Documentation>Curved cells need Nonlinear Subdivision Level in the display.</Documentation>
        </IntVectorProperty>"""
    )
    def SetCells(self, kind):
        self._set("cells", kind)

    @smproperty.intvector(name="Samples", default_values=5)
    @smdomain.intrange(min=2, max=33)
    def SetSamples(self, count):
        self._set("samples", count)

    @smproperty.doublevector(name="CreaseAngle", default_values=0.0)
    @smdomain.doublerange(min=0, max=180)
    def SetCreaseAngle(self, degrees):
        self._set("crease angle", degrees)

    def RequestData(self, request, inputs, outputs):
        kind = CELLS[self._settings["cells"]]
        options = ["--cells", kind]
        if kind == "linear":
            options = ["--samples", str(self._settings["samples"]), "--jacobian"]
        if self._settings["crease angle"] > 0:
            options += ["--crease-angle", str(self._settings["crease angle"])]
        program = os.environ.get("SUBSOLID", "subsolid")
        with tempfile.TemporaryDirectory() as folder:
            limit = str(pathlib.Path(folder) / "limit.vtu")
            command = [program, "--quiet", "evaluate", self._settings["file"], *options, "-o", limit]
            done = subprocess.run(command, capture_output=True, encoding="utf-8")
            if done.returncode != 0:
                raise RuntimeError(done.stderr.strip())
            reader = vtkXMLUnstructuredGridReader()
            reader.SetFileName(limit)
            reader.Update()
            vtkUnstructuredGrid.GetData(outputs, 0).ShallowCopy(reader.GetOutput())
        return 1

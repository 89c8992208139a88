//! Surfaces in formats of solids: files of faces without volume cells.

use subsolid::io::{self, ControlMesh, ReadOptions, read_mesh, read_surface_with_report};
use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::read_surface;

use crate::samples::{self, Scratch};

/// A quad, and two triangles beside it, over six points.
const POINTS: [[f64; 3]; 6] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.5],
    [0.0, 1.0, 0.0],
    [2.0, 0.0, 1.0],
    [2.0, 1.0, 0.0],
];
const FACES: [&[u32]; 3] = [&[0, 1, 2, 3], &[1, 4, 2], &[4, 5, 2]];

fn expected() -> SurfaceMesh {
    let mut faces = Polygons::default();
    FACES.iter().for_each(|face| faces.push(face));
    SurfaceMesh::new(POINTS.to_vec(), faces)
}

/// The points, one per line, each line made by `line(number, "x y z")`.
fn points(line: impl Fn(usize, &str) -> String) -> String {
    let words = |p: [f64; 3]| p.map(|x| x.to_string()).join(" ");
    (1..).zip(POINTS).map(|(i, p)| line(i, &words(p)) + "\n").collect()
}

/// Corners of face `f` plus `first`.
fn face(f: usize, first: u32, gap: &str) -> String {
    FACES[f].iter().map(|v| (v + first).to_string()).collect::<Vec<_>>().join(gap)
}

fn legacy(cells: &str, types: &str) -> String {
    format!(
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n{}{cells}\n\
         {types}\n",
        points(|_, p| p.into())
    )
}

fn vtu(points: &[[f64; 3]]) -> String {
    let points: Vec<String> = points.iter().map(|p| p.map(|x| x.to_string()).join(" ")).collect();
    format!(
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>\n\
         <Piece NumberOfPoints=\"6\" NumberOfCells=\"3\">\n\
         <Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">{}</DataArray>\
         </Points>\n<Cells>\n\
         <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">{} {} {}</DataArray>\n\
         <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4 7 10</DataArray>\n\
         <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">9 5 5</DataArray>\n\
         </Cells>\n</Piece></UnstructuredGrid></VTKFile>",
        points.join("\n"),
        face(0, 0, " "),
        face(1, 0, " "),
        face(2, 0, " "),
    )
}

fn gmsh() -> String {
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n{}$EndNodes\n$Elements\n4\n\
         1 1 2 0 1 1 2\n2 3 2 7 1 {}\n3 2 2 7 1 {}\n4 2 2 8 1 {}\n$EndElements\n",
        points(|i, p| format!("{i} {p}")),
        face(0, 1, " "),
        face(1, 1, " "),
        face(2, 1, " "),
    )
}

fn medit() -> String {
    format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n6\n{}Quadrilaterals\n1\n{} 3\nTriangles\n2\n\
         {} 0\n{} 0\nEnd\n",
        points(|_, p| format!("{p} 0")),
        face(0, 1, " "),
        face(1, 1, " "),
        face(2, 1, " "),
    )
}

fn mfem() -> String {
    format!(
        "MFEM mesh v1.0\n\ndimension\n2\n\nelements\n3\n1 3 {}\n1 2 {}\n4 2 {}\n\nboundary\n1\n\
         2 1 0 1\n\nvertices\n6\n3\n{}",
        face(0, 0, " "),
        face(1, 0, " "),
        face(2, 0, " "),
        points(|_, p| p.into()),
    )
}

fn abaqus() -> String {
    format!(
        "*NODE\n{}*ELEMENT, TYPE=S4R, ELSET=skin\n1, {}\n*ELEMENT, TYPE=STRI3\n2, {}\n\
         *ELEMENT, TYPE=CPS3\n3, {}\n",
        points(|i, p| format!("{i}, {}", p.replace(' ', ", "))),
        face(0, 1, ", "),
        face(1, 1, ", "),
        face(2, 1, ", "),
    )
}

fn ovm() -> String {
    let mut edges: Vec<[u32; 2]> = Vec::new();
    let mut rows = String::new();
    for face in FACES {
        rows += &face.len().to_string();
        for (i, &a) in face.iter().enumerate() {
            let b = face[(i + 1) % face.len()];
            let known = edges.iter().position(|&edge| edge == [b, a]);
            rows += &match known {
                Some(edge) => format!(" {}", 2 * edge + 1),
                None => format!(" {}", 2 * edges.len()),
            };
            if known.is_none() {
                edges.push([a, b]);
            }
        }
        rows += "\n";
    }
    let lines: String = edges.iter().map(|[a, b]| format!("{a} {b}\n")).collect();
    format!(
        "OVM ASCII\nVertices\n6\n{}Edges\n{}\n{lines}Faces\n3\n{rows}Polyhedra\n0\n",
        points(|_, p| p.into()),
        edges.len()
    )
}

#[test]
fn faces_alone_are_a_surface_in_every_format() {
    let scratch = Scratch::new();
    let cells = "CELLS 3 13\n4 0 1 2 3\n3 1 4 2\n3 4 5 2";
    for (name, text) in [
        ("a.vtk", legacy(cells, "CELL_TYPES 3\n9 5 5")),
        // a pixel, whose last corners are swapped, and a strip
        ("b.vtk", legacy("CELLS 2 10\n4 0 1 3 2\n4 1 4 2 5", "CELL_TYPES 2\n8 6")),
        ("polygons.vtk", legacy(cells, "CELL_TYPES 3\n7 7 7")),
        ("a.vtu", vtu(&POINTS)),
        ("a.msh", gmsh()),
        ("a.mesh", medit()),
        ("b.mesh", mfem()),
        ("a.inp", abaqus()),
        ("a.ovm", ovm()),
    ] {
        let path = scratch.file(name, text);
        let mut mesh = read_surface(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        if name == "b.vtk" {
            // the strip turns its second triangle
            assert_eq!(mesh.faces.face(2), [2, 4, 5]);
            mesh.faces = expected().faces;
        }
        assert_eq!(mesh, expected(), "{name}");
        let (read, _) = read_mesh(&path, ReadOptions::default()).unwrap();
        assert!(
            matches!(read, ControlMesh::Surface(found) if found.points == mesh.points),
            "{name}"
        );
        let solid = subsolid::read(&path).unwrap_err().to_string();
        assert!(solid.contains("no volume cells"), "{name}: {solid}");
    }
}

#[test]
fn solids_are_no_surfaces() {
    let scratch = Scratch::new();
    for (name, text) in [
        ("a.vtk", samples::legacy()),
        ("a.vtu", samples::vtu()),
        ("a.msh", samples::gmsh2()),
        ("a.mesh", samples::medit()),
        ("a.inp", samples::abaqus()),
        ("a.ovm", samples::ovm()),
    ] {
        let path = scratch.file(name, text);
        let refused = read_surface(&path).unwrap_err().to_string();
        assert!(refused.contains("a solid, not a surface"), "{name}: {refused}");
        let (read, _) = read_mesh(&path, ReadOptions::default()).unwrap();
        assert_eq!(read, ControlMesh::Solid(subsolid::read(&path).unwrap()), "{name}");
    }
    let path = scratch.file("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let (read, _) = read_mesh(&path, ReadOptions::default()).unwrap();
    assert_eq!(read, ControlMesh::Surface(read_surface(&path).unwrap()));
    let lines = legacy("CELLS 1 3\n2 0 1", "CELL_TYPES 1\n3");
    let refused = read_surface(scratch.file("lines.vtk", lines)).unwrap_err().to_string();
    assert!(refused.contains("no faces (found: 1 line cell ("), "{refused}");
}

/// Nodes on edges and inside of faces go, with their values; creases and normals stay.
#[test]
fn high_order_faces_are_read_by_their_corners() {
    let fields = "FIELD FieldData 2\ncrease_edges 2 1 int\n5 3\ncrease_sharpness 1 1 double\n2.5\n";
    let text = "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n\
                0.5 0 0 0 0 0 0.5 0.5 0 1 0 0 0 0.5 0 0 1 0\nCELLS 1 7\n6 1 3 5 0 2 4\n\
                CELL_TYPES 1\n22\nCELL_DATA 1\nSCALARS part int\nLOOKUP_TABLE default\n4\n\
                POINT_DATA 6\nNORMALS Normals double\n0 0 1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 1\n\
                FIELD FieldData 1\nheat 1 6 double\n0 1 2 3 4 5\n";
    let text = text.replacen("POINTS", &format!("{fields}POINTS"), 1);
    let path = Scratch::new();
    let (mesh, report) = read_surface_with_report(path.file("a.vtk", text)).unwrap();
    assert_eq!(mesh.points, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(mesh.faces.face(0), [0, 1, 2]);
    assert_eq!(mesh.normals().unwrap(), [[0.0, 0.0, 1.0]; 3]);
    let heat = mesh.attributes.iter().find(|a| a.name == "heat").unwrap();
    assert_eq!(heat.values, [1.0, 3.0, 5.0]);
    let creases: Vec<_> =
        mesh.creases.edges.iter().map(|c| (c.edge()[0].0, c.edge()[1].0)).collect();
    assert_eq!(creases, [(1, 2)]);
    let left_out = report.left_out().unwrap();
    for what in ["3 mid-side nodes", "cell array `part`", "1 group of faces"] {
        assert!(left_out.contains(what), "{what}: {left_out}");
    }
}

/// A grid with one layer of points is a surface of quads, whichever way it lies.
#[test]
fn flat_structured_grids_are_surfaces() {
    let scratch = Scratch::new();
    for (dimensions, normal) in [([3, 2, 1], 2), ([1, 3, 2], 0), ([3, 1, 2], 1)] {
        let words = dimensions.map(|n: u32| n.to_string()).join(" ");
        let text = format!(
            "# vtk DataFile Version 3.0\n\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS {words}\n\
             ORIGIN 0 0 0\nSPACING 1 1 1\n"
        );
        let mesh = read_surface(scratch.file("a.vtk", text)).unwrap();
        assert_eq!((mesh.points.len(), mesh.faces.len()), (6, 2), "{words}");
        assert_eq!(mesh.faces.face(0), [0, 1, 4, 3], "{words}");
        assert_eq!(mesh.faces.face(1), [1, 2, 5, 4], "{words}");
        assert!(mesh.points.iter().all(|p| p[normal] == 0.0), "{words}");
        let text = vtu_image(dimensions);
        assert_eq!(read_surface(scratch.file("a.vti", text)).unwrap(), mesh, "{words}");
    }
    let line = vtu_image([3, 1, 1]);
    let refused = read_surface(scratch.file("a.vti", line)).unwrap_err().to_string();
    assert!(refused.contains("has no cells"), "{refused}");
}

fn vtu_image(dimensions: [u32; 3]) -> String {
    let extent = dimensions.map(|n| format!("0 {}", n - 1)).join(" ");
    format!(
        "<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"{extent}\" Origin=\"0 0 0\" \
         Spacing=\"1 1 1\"><Piece Extent=\"{extent}\"/></ImageData></VTKFile>"
    )
}

/// Points that pieces repeat are merged, as those of solids are.
#[test]
fn pieces_of_a_surface_are_joined() {
    let scratch = Scratch::new();
    scratch.file("left.vtu", vtu(&POINTS));
    // the first and the fourth point are the fifth and the sixth of the other piece
    let right = [[2.0, 0.0, 1.0], [3.0, 0.0, 0.0], [3.0, 1.0, 0.0], [2.0, 1.0, 0.0]];
    let right: Vec<_> = right.into_iter().chain([[4.0, 0.0, 0.0], [4.0, 1.0, 0.0]]).collect();
    scratch.file("right.vtu", vtu(&right));
    let index = "<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid>\
                 <Piece Source=\"left.vtu\"/><Piece Source=\"right.vtu\"/>\
                 </PUnstructuredGrid></VTKFile>";
    let mesh = io::read_surface(scratch.file("a.pvtu", index)).unwrap();
    assert_eq!((mesh.points.len(), mesh.faces.len()), (10, 6));
    assert_eq!(mesh.faces.face(3), [4, 6, 7, 5]);
}

/// Of arrays that some pieces lack the message names the piece and the array.
#[test]
fn pieces_without_an_array_are_named() {
    let scratch = Scratch::new();
    let array = |name: &str, width: usize| {
        let values = "1 ".repeat(6 * width);
        format!(
            "<PointData><DataArray type=\"Float64\" Name=\"{name}\" \
             NumberOfComponents=\"{width}\" format=\"ascii\">{values}</DataArray></PointData>"
        )
    };
    for (arrays, fragments) in [
        (["heat", "", "heat"], ["1.vtu", "the piece lacks the vertex array `heat`"]),
        (["heat", "heat", ""], ["2.vtu", "the piece lacks the vertex array `heat`"]),
        (["", "", "heat"], ["2.vtu", "pieces before this one lack its vertex array `heat`"]),
        (["heat", "heat", "wide"], ["2.vtu", "`heat` has width 2, 1 in pieces before"]),
    ] {
        let mut index = String::new();
        for (i, name) in arrays.into_iter().enumerate() {
            let points = POINTS.map(|[x, y, z]| [x, y, z + 10.0 * i as f64]);
            let data = match name {
                "" => String::new(),
                "wide" => array("heat", 2),
                name => array(name, 1),
            };
            let piece = vtu(&points).replacen("<Points>", &format!("{data}<Points>"), 1);
            scratch.file(&format!("{i}.vtu"), piece);
            index += &format!("<Piece Source=\"{i}.vtu\"/>");
        }
        let index = format!(
            "<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid>{index}\
             </PUnstructuredGrid></VTKFile>"
        );
        let refused = io::read_surface(scratch.file("a.pvtu", index)).unwrap_err().to_string();
        assert!(fragments.iter().all(|words| refused.contains(words)), "{refused}");
    }
}

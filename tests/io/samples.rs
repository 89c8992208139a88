//! One small mesh in every format that is read: two unit cubes side by side along
//! x, 12 points, point (x, y, z) at index x + 3y + 6z.

mod netcdf;

pub use netcdf::*;

/// A small file: name (the extension counts) and contents.
pub struct Sample {
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

/// Corners of the two cubes.
pub const CUBES: [[u32; 8]; 2] = [[0, 1, 4, 3, 6, 7, 10, 9], [1, 2, 5, 4, 7, 8, 11, 10]];

/// The points, one per line, each line wrapped by `line(index, "x y z")`.
fn points(line: impl Fn(usize, &str) -> String) -> String {
    (0..12).map(|i| line(i, &format!("{} {} {}", i % 3, i / 3 % 2, i / 6))).collect()
}

/// The corners of the cubes plus `first`, joined by `gap`.
fn cube(index: usize, first: u32, gap: &str) -> String {
    CUBES[index].map(|v| (v + first).to_string()).join(gap)
}

pub fn legacy() -> String {
    format!(
        "# vtk DataFile Version 3.0\ntwo cubes\nASCII\nDATASET UNSTRUCTURED_GRID\n\
         POINTS 12 double\n{}CELLS 2 18\n8 {}\n8 {}\nCELL_TYPES 2\n12\n12\n\
         POINT_DATA 12\nSCALARS heat float 1\nLOOKUP_TABLE default\n{}",
        points(|_, p| format!("{p}\n")),
        cube(0, 0, " "),
        cube(1, 0, " "),
        "0.5\n".repeat(12),
    )
}

pub fn medit() -> String {
    format!(
        "MeshVersionFormatted 2\n# two cubes\nDimension 3\nVertices\n12\n{}\
         Quadrilaterals\n1\n1 2 5 4 7\nHexahedra\n2\n{} 0\n{} 0\nEnd\n",
        points(|_, p| format!("{p} 0\n")),
        cube(0, 1, " "),
        cube(1, 1, " "),
    )
}

pub fn gmsh2() -> String {
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n{}$EndNodes\n$Elements\n3\n\
         1 3 2 1 1 1 2 5 4\n2 5 2 1 1 {}\n3 5 2 1 1 {}\n$EndElements\n\
         $NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n12\n{}$EndNodeData\n",
        points(|i, p| format!("{} {p}\n", i + 1)),
        cube(0, 1, " "),
        cube(1, 1, " "),
        points(|i, _| format!("{} 0.5\n", i + 1)),
    )
}

pub fn gmsh4() -> String {
    format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n\
         $Nodes\n1 12 1 12\n3 1 0 12\n{}{}$EndNodes\n\
         $Elements\n2 3 1 3\n2 1 3 1\n1 1 2 5 4\n3 1 5 2\n2 {}\n3 {}\n$EndElements\n",
        points(|i, _| format!("{}\n", i + 1)),
        points(|_, p| format!("{p}\n")),
        cube(0, 1, " "),
        cube(1, 1, " "),
    )
}

/// Node numbers are 10 times the index + 10; the rows of elements are split.
pub fn abaqus() -> String {
    let row = |c: usize| {
        let tags = CUBES[c].map(|v| (10 * v + 10).to_string());
        format!("{}, {},\n {}\n", c + 1, tags[..5].join(", "), tags[5..].join(", "))
    };
    format!(
        "*HEADING\ntwo cubes\n** a comment\n*Node, nset=all\n{}*Element, type=C3D8R, elset=body\n\
         {}{}*MATERIAL, NAME=steel\n*ELASTIC\n210e3, 0.3\n",
        points(|i, p| format!("{}, {}\n", 10 * i + 10, p.replace(' ', ", "))),
        row(0),
        row(1),
    )
}

/// Edges and faces are collected from the faces of the cubes, outward.
pub fn ovm() -> String {
    const FACES: [[usize; 4]; 6] =
        [[0, 3, 2, 1], [4, 5, 6, 7], [0, 4, 7, 3], [1, 2, 6, 5], [0, 1, 5, 4], [3, 7, 6, 2]];
    let (mut edges, mut faces, mut cells) = (Vec::new(), Vec::<[u32; 4]>::new(), String::new());
    let mut face_rows = String::new();
    for cube in CUBES {
        cells += "6";
        for face in FACES {
            let cycle = face.map(|corner| cube[corner]);
            let known = faces.iter().position(|other| cycle.iter().all(|v| other.contains(v)));
            let half = known.map_or(2 * faces.len(), |f| 2 * f + 1);
            cells += &format!(" {half}");
            if known.is_some() {
                continue;
            }
            faces.push(cycle);
            face_rows += "4";
            for i in 0..4 {
                let (a, b) = (cycle[i], cycle[(i + 1) % 4]);
                let found = edges.iter().position(|&e| e == (a, b) || e == (b, a));
                let e = found.unwrap_or_else(|| {
                    edges.push((a, b));
                    edges.len() - 1
                });
                face_rows += &format!(" {}", 2 * e + usize::from(edges[e] != (a, b)));
            }
            face_rows += "\n";
        }
        cells += "\n";
    }
    let edge_rows: String = edges.iter().map(|(a, b)| format!("{a} {b}\n")).collect();
    format!(
        "OVM ASCII\nVertices\n12\n{}Edges\n{}\n{edge_rows}Faces\n{}\n{face_rows}\
         Polyhedra\n2\n{cells}VProp float \"heat\"\n{}",
        points(|_, p| format!("{p}\n")),
        edges.len(),
        faces.len(),
        "0.5\n".repeat(12),
    )
}

pub fn vtu() -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\">\n\
         <UnstructuredGrid>\n<Piece NumberOfPoints=\"12\" NumberOfCells=\"2\">\n\
         <PointData>\n<DataArray type=\"Float32\" Name=\"heat\" format=\"ascii\">\n{}</DataArray>\n\
         </PointData>\n<Points>\n\
         <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n{}</DataArray>\n\
         </Points>\n<Cells>\n<DataArray type=\"Int32\" Name=\"connectivity\">\n{}\n{}\n</DataArray>\n\
         <DataArray type=\"Int32\" Name=\"offsets\">8 16</DataArray>\n\
         <DataArray type=\"UInt8\" Name=\"types\">12 12</DataArray>\n\
         </Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
        "0.5\n".repeat(12),
        points(|_, p| format!("{p}\n")),
        cube(0, 0, " "),
        cube(1, 0, " "),
    )
}

/// With an element of its own for the face between the cubes.
pub fn gmsh1() -> String {
    format!(
        "$NOD\n12\n{}$ENDNOD\n$ELM\n3\n1 3 1 1 4 1 2 5 4\n2 5 2 1 8 {}\n3 5 2 1 8 {}\n$ENDELM\n",
        points(|i, p| format!("{} {p}\n", i + 1)),
        cube(0, 1, " "),
        cube(1, 1, " "),
    )
}

pub fn gmsh40() -> String {
    format!(
        "$MeshFormat\n4 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 2 \"body\"\n$EndPhysicalNames\n\
         $Entities\n1 0 0 1\n1 0 0 0 0 0 0 0\n1 0 0 0 2 1 1 1 2 0\n$EndEntities\n\
         $Nodes\n1 12\n1 3 0 12\n{}$EndNodes\n\
         $Elements\n1 2\n1 3 5 2\n2 {}\n3 {}\n$EndElements\n",
        points(|i, p| format!("{} {p}\n", i + 1)),
        cube(0, 1, " "),
        cube(1, 1, " "),
    )
}

/// Solids list their upper corners first.
pub fn ucd() -> String {
    let upper = |c: usize| {
        let mut corners = CUBES[c].map(|v| (v + 1).to_string());
        corners.rotate_left(4);
        corners.join(" ")
    };
    format!(
        "# two cubes\n12 3 1 2 0\n{}1 4 quad 1 2 5 4\n2 1 hex {}\n3 2 hex {}\n\
         1 1\nheat, K\n{}2 1 1\nage, s\nload, N\n1 0 0\n2 2.5 3\n3 4.5 5\n",
        points(|i, p| format!("{} {p}\n", i + 1)),
        upper(0),
        upper(1),
        points(|i, _| format!("{} 0.5\n", i + 1)),
    )
}

/// Two cubes, the quad x = 0, a beam, and groups of each and of the nodes at z = 0.
pub fn universal() -> String {
    let nodes = points(|i, p| {
        let point = p.replace(' ', ".0000000000000000D+00 ");
        format!("{:10}{:10}{:10}{:10}\n{point}.0000000000000000D+00\n", i + 1, 1, 1, 11)
    });
    let group = |number: u32, name: &str, kind: u32, members: &[u32]| {
        let rows: String = members
            .iter()
            .map(|member| format!("{kind:10}{member:10}{:10}{:10}\n", 0, 0))
            .collect();
        let zeros = format!("{:10}", 0).repeat(6);
        format!("{number:10}{zeros}{:10}\n{name}\n{rows}", members.len())
    };
    format!(
        "    -1\n   164\n         1SI\n    -1\n    -1\n  2411\n{nodes}    -1\n    -1\n  2412\n\
         1 94 5 1 7 4\n1 4 10 7\n2 115 1 1 7 8\n{}\n3 115 2 1 7 8\n{}\n\
         4 21 1 1 7 2\n0 1 1\n1 4\n    -1\n    -1\n  2477\n{}{}{}{}{}    -1\n",
        cube(0, 1, " "),
        cube(1, 1, " "),
        group(1, "left", 8, &[1]),
        group(2, "first", 8, &[2]),
        group(3, "low", 7, &[1, 2, 3, 4, 5, 6]),
        group(4, "line", 8, &[4]),
        group(5, "all", 8, &[2, 3]),
    )
}

/// Files of an OpenFOAM mesh of the two cubes: faces between the cubes first, as OpenFOAM has them.
pub fn openfoam() -> Vec<(&'static str, String)> {
    let header = |class: &str| {
        format!(
            "/*----*\\\n| ==== |\n\\*----*/\nFoamFile\n{{\n version 2.0;\n format ascii;\n \
             arch \"LSB;label=32;scalar=64\";\n class {class};\n}}\n// * * //\n\n"
        )
    };
    let faces = [
        "1 4 10 7",
        "2 8 11 5", // between the cubes, which look to +x; and x = 2
        "0 6 9 3",
        "0 3 4 1",
        "6 7 10 9",
        "0 1 7 6",
        "3 9 10 4",
        "1 4 5 2",
        "7 8 11 10",
        "1 2 8 7",
        "4 10 11 5",
    ];
    let faces: String = faces.iter().map(|face| format!("4({face})\n")).collect();
    vec![
        (
            "points",
            format!("{}12\n(\n{})\n", header("vectorField"), points(|_, p| format!("({p})\n"))),
        ),
        ("faces", format!("{}11\n(\n{faces})\n// end\n", header("faceList"))),
        ("owner", format!("{}11\n(\n0 1 0 0 0 0 0 1 1 1 1\n)\n", header("labelList"))),
        ("neighbour", format!("{}1{{1}}\n", header("labelList"))),
        (
            "boundary",
            format!(
                "{}3\n(\n right {{ type patch; nFaces 1; startFace 1; }}\n left\n {{\n type wall;\n \
                 inGroups 1(wall);\n nFaces 1;\n startFace 2;\n }}\n \
                 rest {{ type wall; nFaces 8; startFace 3; }}\n)\n",
                header("polyBoundaryMesh")
            ),
        ),
        (
            "cellZones",
            format!(
                "{}1\n(\nsteel {{ type cellZone; cellLabels List<label> 1(1); }}\n)\n",
                header("regIOobject")
            ),
        ),
    ]
}

/// The two cubes in every text format.
pub fn texts() -> Vec<Sample> {
    [
        ("cubes.vtk", legacy()),
        ("cubes.mesh", medit()),
        ("cubes1.msh", gmsh1()),
        ("cubes2.msh", gmsh2()),
        ("cubes40.msh", gmsh40()),
        ("cubes_ucd.inp", ucd()),
        ("cubes.unv", universal()),
        ("cubes4.msh", gmsh4()),
        ("cubes.inp", abaqus()),
        ("cubes.ovm", ovm()),
        ("cubes.vtu", vtu()),
    ]
    .map(|(name, text)| Sample { name, bytes: text.into_bytes() })
    .into()
}

/// The mixed mesh of models/formats as VTK itself writes it.
pub fn from_vtk() -> Vec<Sample> {
    [
        "version42_ascii.vtk",
        "version51_binary.vtk",
        "ascii.vtu",
        "inline_zlib.vtu",
        "appended_raw_zlib.vtu",
        "appended_base64_big_endian.vtu",
    ]
    .map(|name| {
        let path = format!("{}/models/formats/{name}", env!("CARGO_MANIFEST_DIR"));
        Sample { name, bytes: std::fs::read(path).unwrap() }
    })
    .into()
}

/// A structured grid in every form, and every compression, as VTK itself writes it.
pub fn structured_from_vtk() -> Vec<Sample> {
    [
        "curvilinear_binary.vtk",
        "curvilinear_zlib.vts",
        "image_binary.vtk",
        "image_lzma.vti",
        "rectilinear_ascii.vtk",
        "rectilinear_lz4.vtr",
    ]
    .map(|name| {
        let path = format!("{}/models/formats/{name}", env!("CARGO_MANIFEST_DIR"));
        Sample { name, bytes: std::fs::read(path).unwrap() }
    })
    .into()
}

/// An open box with tags, texture coordinates, normals and a hole.
const OBJ: &str = "# a box\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 1\ng sides\nf 1/1/1 4/4/1 3/3/1 2/2/1\nf 5 6 7 8\n\
    f 1//1 2//1 6//1 5//1\nf -6 -5 -1\nf 3 8 7\nt interpolateboundary 1/0/0 1\n\
    t crease 2/1/0 0 1 2.5\nt corner 1/1/0 4 10\nt hole 1/0/0 1\n\
    t facevaryinginterpolateboundary 1/0/0 3\nt smoothtriangles 0/0/1 smooth\n";

const PLY: &str = "ply\nformat ascii 1.0\ncomment two triangles\nelement vertex 4\n\
    property float x\nproperty float y\nproperty float z\nproperty uchar red\nelement face 2\n\
    property list uchar int vertex_indices\nend_header\n0 0 0 1\n1 0 0 2\n1 1 0 3\n0 1 0 4\n\
    3 0 1 2\n3 0 2 3\n";

const STL: &str = "solid one\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
    vertex 0 1 0\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\n\
    vertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid one\n";

/// Five points, two polygons, a strip of two triangles, a vertex and a line, as VTK 9.5 writes them
/// in version 4.2.
pub const POLYDATA_4: &str = "# vtk DataFile Version 4.2\nvtk output\nASCII\nDATASET POLYDATA\n\
    POINTS 5 double\n0 0 0 1 0 0 1 1 0 \n0 1 0 2 1 0 \n\nVERTICES 1 2\n1 0 \n\n\
    LINES 1 3\n2 0 1 \n\nPOLYGONS 2 9\n3 1 4 2 \n4 0 1 2 3 \n\n\
    TRIANGLE_STRIPS 1 5\n4 0 1 3 2 \n\nCELL_DATA 5\nSCALARS id long\n\
    LOOKUP_TABLE default\n0 1 2 3 4 \nMETADATA\nINFORMATION 0\n\nPOINT_DATA 5\n\
    NORMALS Normals float\n0 0 1 0 0 1 0 0 1 \n0 0 1 0 0 1 \nFIELD FieldData 1\n\
    heat 1 5 double\n1 2 3 4 5 \nMETADATA\nINFORMATION 0\n\n";

/// The same in version 5.1, with fields.
pub const POLYDATA_5: &str = "# vtk DataFile Version 5.1\nvtk output\nASCII\nDATASET POLYDATA\n\
    FIELD FieldData 2\nnote 1 1 string\nmade by hand\nhistory 1 3 long\n1 2 3 \n\
    POINTS 5 double\n0 0 0 1 0 0 1 1 0 \n0 1 0 2 1 0 \n\n\
    VERTICES 2 1\nOFFSETS vtktypeint64\n0 1 \nCONNECTIVITY vtktypeint64\n0 \n\
    LINES 2 2\nOFFSETS vtktypeint64\n0 2 \nCONNECTIVITY vtktypeint64\n0 1 \n\
    POLYGONS 3 7\nOFFSETS vtktypeint64\n0 3 7 \nCONNECTIVITY vtktypeint64\n1 4 2 0 1 2 3 \n\
    TRIANGLE_STRIPS 2 4\nOFFSETS vtktypeint64\n0 4 \nCONNECTIVITY vtktypeint64\n0 1 3 2 \n\
    CELL_DATA 5\nSCALARS id long\nLOOKUP_TABLE default\n0 1 2 3 4 \n\
    POINT_DATA 5\nNORMALS Normals float\n0 0 1 0 0 1 0 0 1 \n0 0 1 0 0 1 \n\
    FIELD FieldData 1\nheat 1 5 double\n1 2 3 4 5 \n";

/// The same as binary files: numbers of 8 bytes, of 4 in the lists of version 4.
pub fn binary_polydata(version: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let line = |bytes: &mut Vec<u8>, line: String| {
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    };
    let reals = |bytes: &mut Vec<u8>, values: &[f64]| {
        values.iter().for_each(|x| bytes.extend_from_slice(&x.to_be_bytes()));
        bytes.push(b'\n');
    };
    let long = |bytes: &mut Vec<u8>, values: &[i64]| {
        values.iter().for_each(|x| bytes.extend_from_slice(&x.to_be_bytes()));
        bytes.push(b'\n');
    };
    line(
        &mut bytes,
        format!("# vtk DataFile Version {version}.0\ntitle\nBINARY\nDATASET POLYDATA"),
    );
    line(&mut bytes, "POINTS 5 double".into());
    reals(&mut bytes, &[0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0., 2., 1., 0.]);
    let sections: [(&str, &[&[i64]]); 4] = [
        ("VERTICES", &[&[0]]),
        ("LINES", &[&[0, 1]]),
        ("POLYGONS", &[&[1, 4, 2], &[0, 1, 2, 3]]),
        ("TRIANGLE_STRIPS", &[&[0, 1, 3, 2]]),
    ];
    for (name, lists) in sections {
        let corners = lists.concat();
        if version == 4 {
            line(&mut bytes, format!("{name} {} {}", lists.len(), lists.len() + corners.len()));
            for list in lists {
                bytes.extend_from_slice(&(list.len() as i32).to_be_bytes());
                list.iter().for_each(|&v| bytes.extend_from_slice(&(v as i32).to_be_bytes()));
            }
            bytes.push(b'\n');
            continue;
        }
        let mut offsets = vec![0];
        lists.iter().for_each(|list| offsets.push(offsets[offsets.len() - 1] + list.len() as i64));
        line(&mut bytes, format!("{name} {} {}", offsets.len(), corners.len()));
        line(&mut bytes, "OFFSETS vtktypeint64".into());
        long(&mut bytes, &offsets);
        line(&mut bytes, "CONNECTIVITY vtktypeint64".into());
        long(&mut bytes, &corners);
    }
    line(&mut bytes, "CELL_DATA 5\nSCALARS id vtktypeint64\nLOOKUP_TABLE default".into());
    long(&mut bytes, &[0, 1, 2, 3, 4]);
    line(&mut bytes, "POINT_DATA 5\nNORMALS Normals double".into());
    reals(&mut bytes, &[0., 0., 1.].repeat(5));
    line(&mut bytes, "FIELD FieldData 1\nheat 1 5 double".into());
    reals(&mut bytes, &[1., 2., 3., 4., 5.]);
    bytes
}

/// Small surfaces in every format, binary ones as this crate writes them.
pub fn surfaces() -> Vec<Sample> {
    let mut samples: Vec<Sample> = [
        ("box.obj", OBJ),
        ("square.ply", PLY),
        ("square.off", "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"),
        ("square.stl", STL),
        ("surface4.vtk", POLYDATA_4),
        ("surface5.vtk", POLYDATA_5),
    ]
    .map(|(name, text)| Sample { name, bytes: text.into() })
    .into();
    for (name, version) in [("binary4.vtk", 4), ("binary5.vtk", 5)] {
        samples.push(Sample { name, bytes: binary_polydata(version) });
    }
    let scratch = Scratch::new();
    let mesh = subsolid::read_surface(scratch.file("square.off", &samples[2].bytes)).unwrap();
    for name in ["binary.ply", "binary.stl", "packed.3mf"] {
        let path = scratch.0.path().join(name);
        subsolid::io::write_surface(&path, &mesh).unwrap();
        samples.push(Sample { name, bytes: std::fs::read(path).unwrap() });
    }
    let name = "parts.3mf";
    samples.push(Sample { name, bytes: three_mf(THREE_MF) });
    samples
}

/// A model of 3MF: a square, and a component of it that is moved.
pub const THREE_MF: &str = "<?xml version=\"1.0\"?>\n\
    <model unit=\"millimeter\" xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\">\n\
    <resources>\n<object id=\"1\">\n<mesh>\n<vertices>\n<vertex x=\"0\" y=\"0\" z=\"0\"/>\n\
    <vertex x=\"1\" y=\"0\" z=\"0\"/>\n<vertex x=\"1\" y=\"1\" z=\"0\"/>\n\
    <vertex x=\"0\" y=\"1\" z=\"0\"/>\n</vertices>\n<triangles>\n\
    <triangle v1=\"0\" v2=\"1\" v3=\"2\"/>\n<triangle v1=\"0\" v2=\"2\" v3=\"3\" pid=\"4\" p1=\"0\"/>\n\
    </triangles>\n</mesh>\n</object>\n<object id=\"2\">\n<components>\n\
    <component objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 0 0 5\"/>\n</components>\n</object>\n\
    </resources>\n<build>\n<item objectid=\"1\"/>\n\
    <item objectid=\"2\" transform=\"0 1 0 -1 0 0 0 0 1 9 0 0\"/>\n</build>\n</model>\n";

/// A 3MF file of a model, whose parts are stored as they are, so that damages reach them.
pub fn three_mf(model: &str) -> Vec<u8> {
    three_mf_of(&[("3D/3dmodel.model", model)])
}

/// A 3MF file of several parts, of which the first is the model.
pub fn three_mf_of(parts: &[(&str, &str)]) -> Vec<u8> {
    use std::io::Write;
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let model = parts[0].0;
    let relationships = format!(
        "<?xml version=\"1.0\"?>\n\
         <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\n\
         <Relationship Target=\"/{model}\" Id=\"r\" \
         Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/>\n</Relationships>"
    );
    for (name, text) in [("_rels/.rels", &relationships[..])].iter().chain(parts) {
        archive.start_file(*name, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A scratch folder to write samples into.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Writes `bytes` to a file named `name` and returns its path.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> std::path::PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

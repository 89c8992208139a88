//! Files that end too early, or whose counts are wrong: all is read, or the file is refused.

use subsolid::io::{ReadOptions, read_mesh};
use subsolid::mesh::{Attribute, Polygons, SurfaceMesh};

use crate::samples::{self, Sample, Scratch};

/// XML may end after its last tag alone.
#[test]
fn xml_that_ends_after_a_tag_is_refused() {
    let scratch = Scratch::new();
    scratch.file("a.vtu", samples::vtu());
    let index = "<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid><Piece Source=\"a.vtu\"/>\
                 <Piece Source=\"a.vtu\"/></PUnstructuredGrid></VTKFile>";
    let piece = samples::vtu();
    let piece = &piece[piece.find("<Piece").unwrap()..piece.find("</UnstructuredGrid").unwrap()];
    let two = samples::vtu().replace("</UnstructuredGrid>", &format!("{piece}</UnstructuredGrid>"));
    let image = "<VTKFile type=\"ImageData\"><ImageData Origin=\"0 0 0\" Spacing=\"1 1 1\">\
                 <Piece Extent=\"0 1 0 1 0 1\"></Piece></ImageData></VTKFile>";
    let surface = "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"3\" \
                   NumberOfPolys=\"1\"><Points><DataArray type=\"Float64\" \
                   NumberOfComponents=\"3\">0 0 0 1 0 0 0 1 0</DataArray></Points><Polys>\
                   <DataArray type=\"Int32\" Name=\"connectivity\">0 1 2</DataArray>\
                   <DataArray type=\"Int32\" Name=\"offsets\">3</DataArray></Polys></Piece>\
                   </PolyData></VTKFile>";
    for (name, text) in
        [("two.vtu", &two[..]), ("index.pvtu", index), ("image.vti", image), ("a.vtp", surface)]
    {
        let text = text.trim_end();
        let ends: Vec<usize> = text.match_indices('>').map(|(at, _)| at + 1).collect();
        for &end in &ends {
            let read = read_mesh(scratch.file(name, &text[..end]), ReadOptions::default());
            assert_eq!(read.is_ok(), end == text.len(), "{name}: {}", &text[..end]);
        }
        assert!(ends.len() > 4, "{name}");
    }
    let sample: Sample = samples::from_vtk().remove(4);
    let bytes = &sample.bytes;
    let end = bytes.windows(13).position(|window| window == b"<AppendedData").unwrap();
    for word in ["</Piece>", "</UnstructuredGrid>"] {
        let text = std::str::from_utf8(&bytes[..end]).unwrap();
        let end = text.find(word).unwrap() + word.len();
        let error = subsolid::read(scratch.file("cut.vtu", &bytes[..end])).unwrap_err();
        assert!(error.to_string().contains("cut short"), "{error}");
    }
}

#[test]
fn counts_that_do_not_fit_their_lists_are_refused() {
    let scratch = Scratch::new();
    for (name, text, from, to, message) in [
        ("a.vtk", samples::legacy(), "CELLS 2 18", "CELLS 2 17", "has 18 numbers, 17 are claimed"),
        ("a.vtk", samples::legacy(), "CELLS 2 18", "CELLS 2 19", "has 18 numbers, 19 are claimed"),
        ("a.msh", samples::gmsh4(), "1 12 1 12", "1 13 1 12", "12 nodes, the section claims 13"),
        ("a.msh", samples::gmsh4(), "2 3 1 3", "2 4 1 3", "3 elements, the section claims 4"),
        ("a.vtu", samples::vtu(), "10 9\n1 2", "10 9 0\n1 2", "end at 16 of 17"),
    ] {
        assert!(text.contains(from), "{name}: {from}");
        let path = scratch.file(name, text.replacen(from, to, 1));
        let error = subsolid::read(path).unwrap_err().to_string();
        assert!(error.contains(message), "{name}: {error}");
    }
}

#[test]
fn colors_of_vertices_go_from_file_to_file() {
    let scratch = Scratch::new();
    let faces = Polygons::uniform(3, vec![0, 1, 2]);
    let mut mesh = SurfaceMesh::new(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], faces);
    let values = vec![255.0, 0.0, 51.0, 0.0, 128.0, 0.0, 1.0, 2.0, 3.0];
    mesh.attributes = vec![Attribute { name: "color".into(), width: 3, values }];
    let off = "COFF\n3 1 0\n0 0 0 255 0 51\n1 0 0 0 128 0\n0 1 0 1 2 3\n3 0 1 2\n";
    let obj = "v 0 0 0 255 0 51\nv 1 0 0 0 128 0\nv 0 1 0 1 2 3\nf 1 2 3\n";
    for (name, text) in [("a.off", off), ("a.obj", obj)] {
        assert_eq!(subsolid::read_surface(scratch.file(name, text)).unwrap(), mesh, "{name}");
    }
    for name in ["b.ply", "b.obj"] {
        let path = scratch.file(name, "");
        subsolid::io::write_surface(&path, &mesh).unwrap();
        let found = subsolid::read_surface(&path).unwrap();
        let [found, mesh] = [&found, &mesh].map(|mesh| &mesh.attributes[0]);
        assert_eq!((&found.name, found.width), (&mesh.name, mesh.width));
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        assert!(found.values.iter().zip(&mesh.values).all(is_near), "{name}: {found:?}");
    }
    let glb = scratch.file("b.glb", "");
    subsolid::io::write_surface(&glb, &mesh).unwrap();
    let bytes = std::fs::read(glb).unwrap();
    assert!(bytes.windows(7).any(|window| window == b"COLOR_0"));
}

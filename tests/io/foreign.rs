//! Formats of other programs: Exodus, I-DEAS universal files, AVS UCD, old Gmsh files and OpenFOAM.

use std::path::PathBuf;

use subsolid::io::{read, read_mesh, read_with_report};
use subsolid::mesh::SolidMesh;

use crate::groups::{cells, faces};
use crate::read::assert_says;
use crate::samples::{self, CUBES, NetCdfSample, Scratch, ints, names, netcdf, reals};

#[track_caller]
fn refusal(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let scratch = Scratch::new();
    let error = read(scratch.file(name, bytes)).expect_err("the file should be refused");
    format!("{error} {}", error.help().map(ToString::to_string).unwrap_or_default())
}

#[track_caller]
fn values<'a>(mesh: &'a SolidMesh, array: &str) -> &'a [f64] {
    &mesh.cell_data.iter().find(|own| own.name == array).unwrap().values
}

#[test]
fn exodus_has_blocks_sets_and_edges() {
    let scratch = Scratch::new();
    for version in [1, 2, 5] {
        let path = scratch.file("cubes.exo", samples::exodus(version));
        let (mesh, report) = read_with_report(path).unwrap();
        assert_eq!(mesh.points[11], [2.0, 1.0, 1.0]);
        for (cell, corners) in CUBES.iter().enumerate() {
            assert_eq!(mesh.cells.vertices(cell), corners);
        }
        assert_eq!(values(&mesh, "exodus:block"), [7.0, 9.0]);
        assert_eq!(cells(&mesh)["steel"], [0]);
        // of the set of nodes the faces of the boundary; node 12 is on none of them
        let faces = faces(&mesh);
        assert_eq!(faces["left"], [0.0]);
        assert_eq!(faces["exodus:side_set:4"], [1.0]);
        assert_eq!(faces["low"], [0.5, 1.5]);
        assert_eq!(report.features.len(), 1);
        assert_eq!(
            (&*report.features[0].name, &*report.features[0].edges),
            ("line", &[[0, 3]][..])
        );
        assert_says(
            &report.left_out().unwrap(),
            &["nodes of set `low` that are on no face of it", "`line` (1 edge)"],
        );
    }
}

/// Every side of every shape, as the Exodus manual numbers them.
#[test]
fn sides_of_exodus_are_those_of_its_manual() {
    let hexahedron: [&[u32]; 6] =
        [&[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 4, 8, 7], &[1, 5, 8, 4], &[1, 4, 3, 2], &[5, 6, 7, 8]];
    let wedge: [&[u32]; 5] = [&[1, 2, 5, 4], &[2, 3, 6, 5], &[1, 4, 6, 3], &[1, 3, 2], &[4, 5, 6]];
    let tetrahedron: [&[u32]; 4] = [&[1, 2, 4], &[2, 3, 4], &[1, 4, 3], &[1, 3, 2]];
    let shapes: [(&str, usize, &[&[u32]]); 3] =
        [("HEX", 8, &hexahedron), ("WEDGE", 6, &wedge), ("TETRA", 4, &tetrahedron)];
    let scratch = Scratch::new();
    for (element, nodes, sides) in shapes {
        let axis = |d: usize| {
            let hexahedron =
                [[0, 1, 1, 0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]];
            let wedge = [[0, 1, 0, 0, 1, 0], [0, 0, 1, 0, 0, 1], [0, 0, 0, 1, 1, 1]];
            let axis: &[i32] = if nodes == 8 { &hexahedron[d] } else { &wedge[d] };
            reals(&axis[..nodes].iter().map(|&x| x.into()).collect::<Vec<_>>())
        };
        let all: Vec<u32> = (1..=nodes as u32).collect();
        for (side, corners) in sides.iter().enumerate() {
            let bytes = netcdf(
                2,
                &[("num_nodes", nodes), ("num_el_blk", 1), ("num_side_sets", 1)],
                &[
                    ("coordx", &[nodes], 6, axis(0), None),
                    ("coordy", &[nodes], 6, axis(1), None),
                    ("coordz", &[nodes], 6, axis(2), None),
                    ("eb_prop1", &[1], 4, ints(&[1]), None),
                    ("connect1", &[1, nodes], 4, ints(&all), Some(element)),
                    ("ss_prop1", &[1], 4, ints(&[1]), None),
                    ("elem_ss1", &[1], 4, ints(&[1]), None),
                    ("side_ss1", &[1], 4, ints(&[side as u32 + 1]), None),
                ],
            );
            let mesh = read(scratch.file("one.e", bytes)).unwrap();
            let mut found = mesh.face_groups[0].faces.face(0).to_vec();
            found.sort_unstable();
            let mut expected: Vec<u32> = corners.iter().map(|v| v - 1).collect();
            expected.sort_unstable();
            assert_eq!(found, expected, "{element} {}", side + 1);
        }
    }
}

#[test]
fn damaged_and_other_exodus_files_are_refused() {
    let cut = samples::exodus(2);
    assert_says(&refusal("a.exo", &cut[..cut.len() - 60]), &["a.exo", "goes beyond the end"]);
    assert_says(&refusal("a.exo", &cut[..90]), &["byte", "cut short"]);
    assert_says(
        &refusal("a.e", b"\x89HDF\r\n\x1a\n\0\0"),
        &["HDF5", "nccopy -u -k cdf5 a.e out.exo"],
    );
    assert_says(&refusal("a.exo", netcdf(1, &[("num_nodes", 3)], &[])), &["coordinates along"]);
    // 40 sets of one place would take 40 times the memory of the file
    let sets: Vec<String> = (1..=40).map(|i| format!("node_ns{i}")).collect();
    let mut arrays: Vec<NetCdfSample> =
        ["coordx", "coordy"].map(|name| (name, &[12][..], 6, reals(&[0.0; 12]), None)).into();
    arrays.push(("ns_prop1", &[40], 4, ints(&[1; 40]), None));
    arrays.extend(sets.iter().map(|name| (&**name, &[4000][..], 4, Vec::new(), None)));
    arrays.last_mut().unwrap().3 = ints(&[1; 4000]);
    let bytes = netcdf(2, &[("num_nodes", 12), ("num_node_sets", 40)], &arrays);
    assert_says(&refusal("a.exo", bytes), &["array `node_ns2` goes beyond", "or into others"]);
}

/// Elements of unknown kinds, sides that elements lack and results of older files.
#[test]
fn what_exodus_has_besides_is_counted() {
    let axis = |d: u32| {
        let one = |i: u32| f64::from([[0, 1, 1, 0][i as usize % 4], i % 4 / 2, i / 4][d as usize]);
        reals(&(0..8).map(one).collect::<Vec<_>>())
    };
    let results: Vec<f64> = (0..32).map(f64::from).collect();
    let bytes = netcdf(
        1,
        &[("num_nodes", 8), ("num_el_blk", 2), ("num_side_sets", 1), ("time_step", 2)],
        &[
            ("coordx", &[8], 6, axis(0), None),
            ("coordy", &[8], 6, axis(1), None),
            ("coordz", &[8], 6, axis(2), None),
            ("eb_prop1", &[2], 4, ints(&[1, 2]), None),
            ("connect1", &[3, 1], 4, ints(&[1, 2, 3]), Some("SPHERE")),
            ("connect2", &[1, 8], 4, ints(&[1, 2, 3, 4, 5, 6, 7, 8]), Some("HEX8")),
            ("ss_prop1", &[1], 4, ints(&[3]), None),
            ("elem_ss1", &[2], 4, ints(&[4, 4]), None),
            ("side_ss1", &[2], 4, ints(&[5, 0]), None),
            ("name_nod_var", &[2, 33], 2, names(&["heat", "load"]), None),
            ("vals_nod_var", &[2, 2, 8], 6, reals(&results), None),
            ("name_elem_var", &[1, 33], 2, names(&["age"]), None),
            ("vals_elem_var1eb2", &[2, 1], 6, reals(&[0.5, 1.5]), None),
        ],
    );
    let (mesh, report) = read_with_report(Scratch::new().file("a.exo", bytes)).unwrap();
    assert_eq!(mesh.cells.vertices(0), [0, 1, 2, 3, 4, 5, 6, 7]);
    let low = &mesh.face_groups[0];
    assert_eq!((&*low.name, low.faces.len()), ("exodus:side_set:3", 1));
    assert!(low.faces.face(0).iter().all(|&v| v < 4));
    assert_eq!((values(&mesh, "age"), &*mesh.attributes[1].name), (&[1.5][..], "load"));
    assert_eq!(mesh.attributes[0].values, results[16..24]);
    assert_says(
        &report.left_out().unwrap(),
        &["3 SPHERE elements", "sides of set `exodus:side_set:3` that its elements lack"],
    );
    assert_says(&report.left_out().unwrap(), &["1 time step before the last"]);
}

#[test]
fn universal_files_have_groups_of_every_kind() {
    let scratch = Scratch::new();
    let (mesh, report) = read_with_report(scratch.file("a.unv", samples::universal())).unwrap();
    assert_eq!(values(&mesh, "unv:property"), [1.0, 2.0]);
    assert_eq!((&cells(&mesh)["first"][..], &cells(&mesh)["all"][..]), (&[0][..], &[0, 1][..]));
    assert_eq!(
        (&faces(&mesh)["left"][..], &faces(&mesh)["low"][..]),
        (&[0.0][..], &[0.5, 1.5][..])
    );
    let line = report.features.iter().find(|feature| feature.name == "line").unwrap();
    assert_eq!(line.edges, [[0, 3]]);
    assert_says(&report.left_out().unwrap(), &["dataset 164 of the universal file"]);
    assert_says(&report.left_out().unwrap(), &["the curves and points `unv:property:"]);
    let broken = samples::universal().replacen("2 115", "2 117", 1);
    assert_says(&refusal("a.unv", broken), &["a.unv:36", "solid of kind 117 with 8 nodes"]);
    let broken = samples::universal().replacen("1 4 10 7", "1 4 10 70", 1);
    assert_says(&refusal("a.unv", broken), &["a.unv:35", "node 70 does not exist"]);
}

/// Nodes of quadratic elements run around in universal files: corner, middle, corner.
#[test]
fn quadratic_elements_of_universal_files_keep_their_middles() {
    let around: [[i32; 3]; 20] = [
        [0, 0, 0],
        [1, 0, 0],
        [2, 0, 0],
        [2, 1, 0],
        [2, 2, 0],
        [1, 2, 0],
        [0, 2, 0],
        [0, 1, 0],
        [0, 0, 1],
        [2, 0, 1],
        [2, 2, 1],
        [0, 2, 1],
        [0, 0, 2],
        [1, 0, 2],
        [2, 0, 2],
        [2, 1, 2],
        [2, 2, 2],
        [1, 2, 2],
        [0, 2, 2],
        [0, 1, 2],
    ];
    let nodes: String =
        (1..).zip(&around).map(|(tag, [x, y, z])| format!("{tag} 1 1 11\n{x} {y} {z}\n")).collect();
    let all: Vec<String> = (1..=20).map(|tag: i32| tag.to_string()).collect();
    let text = format!(
        "    -1\n  2411\n{nodes}    -1\n    -1\n  2412\n1 116 1 1 7 20\n{}\n    -1\n",
        all.join(" ")
    );
    let (mesh, report) = read_with_report(Scratch::new().file("a.unv", text)).unwrap();
    assert_eq!((mesh.points.len(), report.curved_nodes.len()), (8, 12));
    for node in &report.curved_nodes {
        let [a, b] =
            node.between.map(|c| mesh.points[mesh.cells.vertices(0)[usize::from(c)] as usize]);
        assert_eq!(node.point, [0, 1, 2].map(|d| (a[d] + b[d]) / 2.0));
    }
}

#[test]
fn ucd_has_materials_and_arrays() {
    let scratch = Scratch::new();
    let mesh = read(scratch.file("a.inp", samples::ucd())).unwrap();
    assert_eq!(values(&mesh, "avs:material"), [1.0, 2.0]);
    assert_eq!((values(&mesh, "age"), values(&mesh, "load")), (&[2.5, 4.5][..], &[3.0, 5.0][..]));
    assert_eq!(faces(&mesh)["avs:material:4"], [0.5]);
    let broken = samples::ucd().replacen("1 1\nheat", "1 99999999\nheat", 1);
    assert_says(&refusal("a.inp", broken), &["a.inp:18", "components"]);
    let broken = samples::ucd().replacen("12 3 1 2 0", "12 3 99999999999 2 0", 1);
    assert_says(&refusal("a.inp", broken), &["a.inp:18", "components"]);
    let broken = samples::ucd().replacen("3 2 hex 8", "3 2 hex 80", 1);
    assert_says(&refusal("a.inp", broken), &["a.inp:17", "node 80 does not exist"]);
}

#[test]
fn old_files_of_gmsh_have_their_groups() {
    let scratch = Scratch::new();
    let mesh = read(scratch.file("a.msh", samples::gmsh1())).unwrap();
    assert_eq!(values(&mesh, "gmsh:physical"), [2.0, 2.0]);
    assert_eq!(faces(&mesh)["gmsh:physical:1"], [0.5]);
    let mesh = read(scratch.file("a.msh", samples::gmsh40())).unwrap();
    assert_eq!(cells(&mesh)["body"], [0, 1]);
}

fn case(scratch: &Scratch, files: &[(&str, Vec<u8>)]) -> PathBuf {
    let mesh = scratch.file("case.foam", "").with_file_name("constant").join("polyMesh");
    std::fs::create_dir_all(&mesh).unwrap();
    for (name, bytes) in files {
        std::fs::write(mesh.join(name), bytes).unwrap();
    }
    mesh
}

pub fn text_case() -> Vec<(&'static str, Vec<u8>)> {
    samples::openfoam().into_iter().map(|(name, text)| (name, text.into_bytes())).collect()
}

/// The same in binary files, with labels of 32 bits.
pub fn binary_case() -> Vec<(&'static str, Vec<u8>)> {
    let numbers = |text: &str| -> Vec<f64> {
        let text = text.replace(['(', ')'], " ");
        text.split_whitespace().map(|word| word.parse().unwrap()).collect()
    };
    let list = |count: usize, bytes: Vec<u8>| {
        [format!("{count}\n(").into_bytes(), bytes, b")\n".to_vec()].concat()
    };
    let labels =
        |all: Vec<u32>| list(all.len(), all.iter().flat_map(|x| x.to_le_bytes()).collect());
    let make = |(name, text): (&'static str, String)| {
        let (header, body) = text.split_once("// * * //").unwrap();
        let header = header.replace("ascii", "binary");
        let body = match name {
            "points" => {
                let all = numbers(body);
                list(12, all[1..].iter().flat_map(|x| x.to_le_bytes()).collect())
            }
            "faces" => {
                let body = body.split("//").next().unwrap();
                let all: Vec<u32> = numbers(body)[1..].iter().map(|&x| x as u32).collect();
                let corners = all.chunks(5).flat_map(|face| &face[1..]).copied().collect();
                [labels((0..12).map(|face| 4 * face).collect()), labels(corners)].concat()
            }
            "owner" => labels(numbers(body)[1..].iter().map(|&x| x as u32).collect()),
            "neighbour" => labels(vec![1]),
            "cellZones" => {
                let zone = labels(vec![1]);
                let text = b"1\n(\nsteel { type cellZone; cellLabels List<label> \n";
                [&text[..], &zone, b"; }\n)\n"].concat()
            }
            _ => body.as_bytes().to_vec(),
        };
        (name, [header.as_bytes(), b"// * * //\n", &body].concat())
    };
    samples::openfoam().into_iter().map(make).collect()
}

#[test]
fn openfoam_has_patches_and_zones() {
    for files in [text_case(), binary_case()] {
        let scratch = Scratch::new();
        let directory = case(&scratch, &files);
        let root = directory.ancestors().nth(2).unwrap();
        for path in [&directory, &root.to_owned(), &root.join("case.foam")] {
            let mesh = read(path).unwrap();
            assert_eq!((mesh.points.len(), mesh.cells.len()), (12, 2));
            assert!(mesh.cells.all_hexahedra());
            for (cell, corners) in CUBES.iter().enumerate() {
                let mut found = mesh.cells.vertices(cell).to_vec();
                found.sort_unstable();
                let mut expected = *corners;
                expected.sort_unstable();
                assert_eq!(found, expected);
            }
            assert_eq!(mesh.handedness().notice(), None);
            assert_eq!(cells(&mesh)["steel"], [1]);
            let faces = faces(&mesh);
            assert_eq!((&faces["left"][..], &faces["right"][..]), (&[0.0][..], &[2.0][..]));
            assert_eq!(faces["rest"].len(), 8);
        }
        assert!(read_mesh(&directory, Default::default()).is_ok());
        assert_eq!(subsolid::io::files_of(&directory).len(), 7);
    }
}

#[test]
fn damaged_meshes_of_openfoam_are_refused() {
    let scratch = Scratch::new();
    let broken = |name: &str, old: &str, new: &str| {
        let mut files = samples::openfoam();
        let file = files.iter_mut().find(|(own, _)| *own == name).unwrap();
        assert!(file.1.contains(old), "{old}");
        file.1 = file.1.replacen(old, new, 1);
        let files: Vec<_> =
            files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
        read(case(&scratch, &files)).unwrap_err().to_string()
    };
    assert_says(&broken("owner", "11\n(", "99999999999\n("), &["owner:", "a label expected"]);
    assert_says(&broken("owner", "0 1 0", "0 3 0"), &["owner", "cell 2 has no faces"]);
    assert_says(&broken("neighbour", "1{1}", "999999999999{1}"), &["neighbour:"]);
    assert_says(&broken("faces", "4(1 4", "4(1 40"), &["faces:15", "12 points"]);
    assert_says(
        &broken("boundary", "startFace 1", "startFace 4000000000"),
        &["boundary:", "`right`"],
    );
    assert_says(&broken("cellZones", "1(1)", "1(2)"), &["zone `steel` has cell 2"]);
    assert_says(&broken("points", "FoamFile", "Foam"), &["points:", "FoamFile"]);
}

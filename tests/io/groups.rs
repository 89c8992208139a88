//! Named groups of cells and faces: read from every format that has them, refined, cut into parts,
//! written and read again.

use std::collections::BTreeMap;

use subsolid::io::{Dataset, WriteOptions, read, read_surface, read_with_report, write};
use subsolid::mesh::{CellArray, CellKind, FaceGroup, Polygons, SolidMesh};
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;
use subsolid::topology::Topology;

use crate::samples::Scratch;
use crate::write::models::mixed_mesh;

/// Corners of two unit cubes along x, numbered from 1 with x fastest, then y, then z.
const CELLS: [[u32; 8]; 2] = [[1, 2, 5, 4, 7, 8, 11, 10], [2, 3, 6, 5, 8, 9, 12, 11]];
/// Their faces at x = 0, x = 1 and x = 2, and those at z = 0.
const LEFT: [u32; 4] = [1, 4, 10, 7];
const MIDDLE: [u32; 4] = [2, 5, 11, 8];
const RIGHT: [u32; 4] = [3, 9, 12, 6];
const LOW: [[u32; 4]; 2] = [[1, 2, 5, 4], [2, 3, 6, 5]];

fn nodes(line: impl Fn(u32, [u32; 3]) -> String) -> String {
    (0..12).map(|i| line(i + 1, [i % 3, i / 3 % 2, i / 6])).collect()
}

fn words(ids: &[u32], separator: &str) -> String {
    ids.iter().map(u32::to_string).collect::<Vec<_>>().join(separator)
}

/// The same, numbered from 0.
fn from_0(ids: &[u32]) -> String {
    words(&ids.iter().map(|v| v - 1).collect::<Vec<_>>(), " ")
}

/// The x of the faces of each group: their mean.
pub fn faces(mesh: &SolidMesh) -> BTreeMap<String, Vec<f64>> {
    let mean = |face: &[u32]| {
        face.iter().map(|&v| mesh.points[v as usize][0]).sum::<f64>() / face.len() as f64
    };
    let of = |group: &FaceGroup| (group.name.clone(), group.faces.iter().map(mean).collect());
    mesh.face_groups.iter().map(of).collect()
}

pub fn cells(mesh: &SolidMesh) -> BTreeMap<String, Vec<u32>> {
    let of = |array: &CellArray| Some((array.group_name()?.to_owned(), array.members().collect()));
    mesh.cell_data.iter().filter_map(of).collect()
}

fn of<T: Clone>(groups: &[(&str, &[T])]) -> BTreeMap<String, Vec<T>> {
    groups.iter().map(|(name, members)| ((*name).to_owned(), members.to_vec())).collect()
}

fn gmsh2() -> String {
    let mut elements = String::new();
    let mut row = |kind: u32, tag: u32, ids: &[u32]| {
        let number = elements.lines().count() + 1;
        elements += &format!("{number} {kind} 2 {tag} 1 {}\n", words(ids, " "));
    };
    row(3, 7, &LEFT);
    row(3, 8, &RIGHT);
    row(3, 0, &LOW[0]);
    row(3, 9, &MIDDLE);
    row(3, 9, &[1, 2, 3, 4]); // no face
    row(5, 1, &CELLS[0]);
    row(5, 2, &CELLS[1]);
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n2 7 \"fixed end\"\n2 9 \
         \"between\"\n3 1 \"steel\"\n3 2 \"<script>\"\n$EndPhysicalNames\n$Nodes\n12\n{}\
         $EndNodes\n$Elements\n7\n{elements}$EndElements\n",
        nodes(|i, [x, y, z]| format!("{i} {x} {y} {z}\n"))
    )
}

#[test]
fn physical_groups_of_gmsh_are_groups() {
    let scratch = Scratch::new();
    let (mesh, report) = read_with_report(scratch.file("a.msh", gmsh2())).unwrap();
    let expected =
        of(&[("fixed end", &[0.0][..]), ("gmsh:physical:8", &[2.0]), ("between", &[1.0])]);
    assert_eq!(faces(&mesh), expected);
    assert_eq!(cells(&mesh), of(&[("steel", &[0][..]), ("<script>", &[1])]));
    let tags = mesh.cell_data.iter().find(|array| array.name == "gmsh:physical").unwrap();
    assert_eq!(tags.values, [1.0, 2.0]);
    let left_out = report.left_out().unwrap();
    assert!(left_out.contains("1 quad element (Gmsh type 3)"), "{left_out}");
    assert!(left_out.contains("faces of group `between` that no cell has"), "{left_out}");
}

#[test]
fn entities_of_gmsh_4_are_in_all_their_groups() {
    let quad = |entity: u32, ids: &[u32]| format!("2 {entity} 3 1\n1 {}\n", words(ids, " "));
    let cube = |entity: u32, ids: &[u32]| format!("3 {entity} 5 1\n1 {}\n", words(ids, " "));
    let text = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"ends\"\n2 2 \"right\"\n3 1 \
         \"all\"\n$EndPhysicalNames\n$Entities\n0 0 2 2\n1 0 0 0 0 1 1 1 1 0\n2 2 0 0 2 1 1 2 1 2 0\n\
         1 0 0 0 1 1 1 2 5 1 0\n2 1 0 0 2 1 1 1 1 0\n$EndEntities\n$Nodes\n1 12 1 12\n3 1 0 12\n{}{}\
         $EndNodes\n$Elements\n4 4 1 4\n{}{}{}{}$EndElements\n",
        (1..=12).map(|i| format!("{i}\n")).collect::<String>(),
        nodes(|_, [x, y, z]| format!("{x} {y} {z}\n")),
        quad(1, &LEFT),
        quad(2, &RIGHT),
        cube(1, &CELLS[0]),
        cube(2, &CELLS[1]),
    );
    let mesh = read(Scratch::new().file("a.msh", text)).unwrap();
    assert_eq!(faces(&mesh), of(&[("ends", &[0.0, 2.0][..]), ("right", &[2.0])]));
    assert_eq!(cells(&mesh), of(&[("all", &[0, 1][..])]));
    let tags = mesh.cell_data.iter().find(|array| array.name == "gmsh:physical").unwrap();
    assert_eq!(tags.values, [5.0, 1.0]);
}

/// Gmsh writes the tag of a group negative at entities that the group has reversed.
#[test]
fn reversed_entities_of_gmsh_4_are_in_their_groups() {
    let nodes = nodes(|_, [x, y, z]| format!("{x} {y} {z}\n"));
    let numbers = (1..=12).map(|i| format!("{i}\n")).collect::<String>();
    let [a, b] = CELLS.map(|ids| words(&ids, " "));
    let left = words(&LEFT, " ");
    let text = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"fixed\"\n3 9 \"body\"\n\
         $EndPhysicalNames\n$Entities\n0 0 1 1\n1 0 0 0 0 1 1 1 -7 0\n1 0 0 0 2 1 1 1 -9 1 1\n\
         $EndEntities\n$Nodes\n1 12 1 12\n3 1 0 12\n{numbers}{nodes}$EndNodes\n$Elements\n\
         2 3 1 3\n2 1 3 1\n1 {left}\n3 1 5 2\n2 {a}\n3 {b}\n$EndElements\n"
    );
    let mesh = read(Scratch::new().file("a.msh", text)).unwrap();
    assert_eq!(faces(&mesh), of(&[("fixed", &[0.0][..])]));
    assert_eq!(cells(&mesh), of(&[("body", &[0, 1][..])]));
    let tags = mesh.cell_data.iter().find(|array| array.name == "gmsh:physical").unwrap();
    assert_eq!(tags.values, [9.0, 9.0]);
}

/// Version 2 lists an element once for each of its groups.
#[test]
fn elements_of_gmsh_2_in_several_groups_are_one() {
    let nodes = nodes(|i, [x, y, z]| format!("{i} {x} {y} {z}\n"));
    let [a, b] = CELLS.map(|ids| words(&ids, " "));
    let left = words(&LEFT, " ");
    let text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n2 7 \"fixed\"\n2 8 \"wet\"\n\
         3 1 \"all\"\n3 2 \"steel\"\n$EndPhysicalNames\n$Nodes\n12\n{nodes}$EndNodes\n$Elements\n5\n\
         1 3 2 7 1 {left}\n2 3 2 8 1 {left}\n3 5 2 1 1 {a}\n4 5 2 2 1 {a}\n5 5 2 1 1 {b}\n\
         $EndElements\n"
    );
    let scratch = Scratch::new();
    let mesh = read(scratch.file("a.msh", &text)).unwrap();
    assert_eq!(mesh.cells.len(), 2);
    assert_eq!(cells(&mesh), of(&[("all", &[0, 1][..]), ("steel", &[0])]));
    assert_eq!(faces(&mesh), of(&[("fixed", &[0.0][..]), ("wet", &[0.0])]));
    let surface = text.replace(" 5 2 1 1 ", " 15 2 1 1 ").replace(" 5 2 2 1 ", " 15 2 1 1 ");
    assert_eq!(read_surface(scratch.file("b.msh", surface)).unwrap().faces.len(), 1);
}

#[test]
fn parts_of_a_partitioned_gmsh_file_are_in_their_groups() {
    let nodes = nodes(|_, [x, y, z]| format!("{x} {y} {z}\n"));
    let numbers = (1..=12).map(|i| format!("{i}\n")).collect::<String>();
    let [a, b] = CELLS.map(|ids| words(&ids, " "));
    let left = words(&LEFT, " ");
    let text = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"fixed\"\n3 9 \"body\"\n\
         $EndPhysicalNames\n$Entities\n0 0 1 1\n1 0 0 0 0 1 1 1 7 0\n1 0 0 0 2 1 1 1 9 1 1\n\
         $EndEntities\n$PartitionedEntities\n2\n1\n99 2\n0 0 1 2\n\
         5 2 1 2 1 2 0 0 0 0 1 1 1 7 0\n2 3 1 1 1 0 0 0 1 1 1 1 9 1 5\n\
         3 3 1 1 2 1 0 0 2 1 1 1 9 0\n$EndPartitionedEntities\n\
         $Nodes\n1 12 1 12\n3 2 0 12\n{numbers}{nodes}$EndNodes\n$Elements\n\
         3 3 1 3\n2 5 3 1\n1 {left}\n3 2 5 1\n2 {a}\n3 3 5 1\n3 {b}\n$EndElements\n"
    );
    let mesh = read(Scratch::new().file("a.msh", text)).unwrap();
    assert_eq!(faces(&mesh), of(&[("fixed", &[0.0][..])]));
    assert_eq!(cells(&mesh), of(&[("body", &[0, 1][..])]));
}

pub fn deck(rest: &str) -> String {
    let nodes = nodes(|i, [x, y, z]| format!("{i}, {x}, {y}, {z}\n"));
    let [a, b] = CELLS.map(|ids| words(&ids, ", "));
    format!(
        "*NODE\n{nodes}*ELEMENT, TYPE=C3D8, ELSET=Left\n10, {a}\n*Element, type=C3D8R\n20, {b}\n\
         *ELEMENT, TYPE=S4, ELSET=shell\n30, 1, 2, 5, 4\n{rest}"
    )
}

#[test]
fn sets_and_surfaces_of_abaqus_are_groups() {
    let scratch = Scratch::new();
    let text = deck(
        "*ELSET, ELSET=all, GENERATE\n10, 1000000000, 10\n*ELSET, ELSET=both\nLEFT, 20\n\
         *ELSET, ELSET=_inner, INTERNAL\n20\n*ELSET, ELSET=some\n30, 20\n*ELSET, ELSET=none\n30\n\
         *SURFACE, NAME=Ends\n10, S6\n_inner, S4\n*SURFACE, NAME=low, TYPE=ELEMENT\nall, S1\n\
         *SURFACE, NAME=skin\nall,\n*SURFACE, NAME=nodes, TYPE=NODE\n1\n\
         *SURFACE, NAME=outer\nshell, SNEG\n",
    );
    let (mesh, report) = read_with_report(scratch.file("a.inp", text)).unwrap();
    let expected = [("Left", &[0][..]), ("all", &[0, 1]), ("both", &[0, 1]), ("some", &[1])];
    assert_eq!(cells(&mesh), of(&expected));
    let found = faces(&mesh);
    assert_eq!((&found["Ends"][..], &found["low"][..]), (&[0.0, 2.0][..], &[0.5, 1.5][..]));
    // sets of shells are groups of faces
    for name in ["all", "shell", "some", "none"] {
        assert_eq!(found[name], [0.5], "{name}");
    }
    assert_eq!(found["outer"], [0.5]);
    // all but the face between the cubes, which both have
    assert_eq!((found["skin"].len(), found.len()), (10, 8));
    assert!(found["skin"].iter().all(|&x| x != 1.0));
    let left_out = report.left_out().unwrap();
    for what in ["section *SURFACE", "elements of surface `low` without its side"] {
        assert!(left_out.contains(what), "{left_out}");
    }
    let beams = deck("*ELEMENT, TYPE=B31, ELSET=beams\n40, 1, 2\n*ELSET, ELSET=mixed\n40, 20\n");
    let (_, report) = read_with_report(scratch.file("a.inp", beams)).unwrap();
    let left_out = report.left_out().unwrap();
    for what in ["set `beams` without", "elements of set `mixed`", "1 line of B31 elements"] {
        assert!(left_out.contains(what), "{what}: {left_out}");
    }
    let twice = read(scratch.file("a.inp", deck("").replace("20, ", "10, "))).unwrap_err();
    assert!(twice.to_string().contains("element number 10 is given twice"), "{twice}");
}

/// Each set names the next one; the last has the cells.
#[test]
fn a_long_chain_of_sets_is_read() {
    let scratch = Scratch::new();
    let chain = |last: &str| -> String {
        let sets = (0..60_000).map(|i| format!("*ELSET, ELSET=S{i}\nS{}\n", i + 1));
        deck(&(sets.collect::<String>() + &format!("*ELSET, ELSET=S60000\n{last}\n")))
    };
    let (mesh, report) = read_with_report(scratch.file("a.inp", chain("10, 20"))).unwrap();
    let found = cells(&mesh);
    assert_eq!((&found["S0"][..], &found["S1000"][..]), (&[0, 1][..], &[0, 1][..]));
    // no more than are read back
    assert_eq!(mesh.cell_data.len(), 1024 - mesh.face_groups.len());
    let left_out = report.left_out().unwrap();
    assert!(left_out.contains("groups of cells beyond 1024 arrays"), "{left_out}");
    let path = scratch.file("b.vtu", "");
    write(&path, &mesh, WriteOptions::default()).unwrap();
    assert_eq!(cells(&read(&path).unwrap()), found);
    // a set among its own members refuses no mesh
    for last in ["S0", "S60000", "s59998"] {
        let (mesh, report) = read_with_report(scratch.file("a.inp", chain(last))).unwrap();
        assert_eq!(mesh.cells.len(), 2);
        let set = last.to_uppercase();
        let what = format!("set `{set}` in set `S60000`, which it names itself");
        assert!(report.left_out().unwrap().contains(&what), "{last}");
    }
}

#[test]
fn blanks_in_keywords_and_commas_in_quoted_names_are_those_of_abaqus() {
    let scratch = Scratch::new();
    let expected = {
        let text = instances();
        assert!(text.contains("*End Part"));
        read(scratch.file("a.inp", text)).unwrap()
    };
    for end in ["*ENDPART", "*End  Part", "* END PART", "*end\tpart"] {
        let text = instances().replace("*End Part", end);
        assert_eq!(read(scratch.file("a.inp", text)).unwrap(), expected, "{end}");
    }
    let text = instances().replace("*Instance", "* Instance").replace("*End Inst", "*ENDInst");
    assert_eq!(read(scratch.file("a.inp", text)).unwrap(), expected);
    let text = deck(
        "*ELSET, ELSET=\"a, b\"\n10\n*ELSET, ELSET=c\n\"a, b\", 20\n\
         *SURFACE, NAME=\"s, t\"\n\"a, b\", S6\n",
    );
    let mesh = read(scratch.file("a.inp", text)).unwrap();
    let found = cells(&mesh);
    assert_eq!((&found["a, b"][..], &found["c"][..]), (&[0][..], &[0, 1][..]));
    assert_eq!(faces(&mesh)["s, t"].len(), 1);
}

/// A deck as Abaqus/CAE writes it: parts, one of which has an instance in its place.
#[test]
fn an_instance_of_abaqus_is_moved_and_turned() {
    let body = deck("").replace("*NODE", "*Part, name=Body\n*Node") + "*End Part\n";
    let other =
        "*Part, name=Other\n*Node\n1, 9, 9, 9\n*Element, type=C3D4\n1, 1, 1, 1, 1\n*End Part\n";
    let instance = "*Assembly, name=Assembly\n*Instance, name=Body-1, part=BODY\n\
                    1., 0., 5.\n1., 0., 0., 1., 0., 1., 90.\n*End Instance\n*End Assembly\n";
    let scratch = Scratch::new();
    let plain = read(scratch.file("plain.inp", deck(""))).unwrap();
    for text in [format!("{other}{body}{instance}"), format!("{body}{other}{instance}")] {
        let (mesh, report) = read_with_report(scratch.file("a.inp", text)).unwrap();
        assert_eq!((&mesh.cells, mesh.points.len()), (&plain.cells, plain.points.len()));
        for (p, q) in plain.points.iter().zip(&mesh.points) {
            // by (1, 0, 5), then by 90° about the line x = 1, y = 0
            let expected = [1.0 - p[1], p[0], p[2] + 5.0];
            assert!((0..3).all(|d| (q[d] - expected[d]).abs() < 1e-14), "{q:?} {expected:?}");
        }
        let left_out = report.left_out().unwrap();
        assert!(left_out.contains("part `Other`, which has no instance"), "{left_out}");
    }
    for (row, what) in [
        ("1., 0.\n", "row 1 of the instance's place has 2 numbers"),
        ("1., 0., 0., 1., 0., 0., 90.\n", "row 1"),
        ("1., 0., 5.\n1., 0., 0., 1., 0., 0., 90.\n", "whose two points are one"),
        ("1., x, 5.\n", "a number of the instance's place expected, found `x`"),
    ] {
        let (head, _) = instance.split_once("1., 0., 5.").unwrap();
        let text = format!("{body}{head}{row}*End Instance\n");
        let error = read(scratch.file("a.inp", text)).unwrap_err().to_string();
        assert!(error.contains(what), "{row}: {error}");
    }
}

/// Two instances of one part and one of another, with sets and a surface of the assembly.
fn instances() -> String {
    let body = deck("*Surface, name=Ends\n10, S6\n*Solid Section, elset=Left\n");
    let body = body.replace("*NODE", "*Part, name=Body\n*Node");
    format!(
        "{body}*End Part\n*Part, name=Tip\n*Node\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n\
         *Element, type=C3D4, elset=Tip\n10, 1, 2, 3, 4\n*End Part\n*Assembly, name=Assembly\n\
         *Instance, name=B-1, part=Body\n*End Instance\n\
         *Instance, name=B-2, part=Body\n10., 0., 0.\n*End Instance\n\
         *Instance, name=T-1, part=TIP\n20., 0., 0.\n*End Instance\n*Node\n1, 30., 0., 0.\n\
         *Elset, elset=_far_S4, internal, instance=B-2\n20\n\
         *Elset, elset=All, instance=B-1\n10\n*Elset, elset=All, instance=b-2\nLeft,\n\
         *Elset, elset=All\nT-1.Tip, B-1.20\n\
         *Surface, name=Far, type=ELEMENT\nB-1.Left, S6\n_far_S4, S4\n\
         *Tie, name=tie\nFar, Far\n*End Assembly\n"
    )
}

#[test]
fn instances_of_abaqus_have_their_own_nodes_and_sets() {
    let scratch = Scratch::new();
    let plain = read(scratch.file("plain.inp", deck(""))).unwrap();
    let (mesh, report) = read_with_report(scratch.file("a.inp", instances())).unwrap();
    // with the reference point of the assembly
    assert_eq!((mesh.points.len(), mesh.cells.len()), (12 + 12 + 4 + 1, 5));
    for (p, q) in plain.points.iter().zip(&mesh.points[12..]) {
        assert_eq!([p[0] + 10.0, p[1], p[2]], *q);
    }
    assert_eq!(mesh.points[24], [20.0, 0.0, 0.0]);
    assert_eq!(
        mesh.cells.vertices(2),
        plain.cells.vertices(0).iter().map(|v| v + 12).collect::<Vec<_>>()
    );
    let expected =
        [("All", &[0, 1, 2, 4][..]), ("B-1.Left", &[0]), ("B-2.Left", &[2]), ("Tip", &[4])];
    assert_eq!(cells(&mesh), of(&expected));
    let expected = [
        ("B-1.Ends", &[0.0][..]),
        ("B-1.shell", &[0.5]),
        ("B-2.Ends", &[10.0]),
        ("B-2.shell", &[10.5]),
        ("Far", &[0.0, 12.0]),
    ];
    assert_eq!(faces(&mesh), of(&expected));
    assert_eq!(report.left_out().unwrap(), "section *SOLID SECTION, section *TIE");

    let line = 1 + instances().lines().position(|row| row == "10, 1, 2, 3, 4").unwrap();
    let node = format!("a.inp:{line}: cell 4: node 9 does not exist");
    for (from, to, what) in [
        ("10, 1, 2, 3, 4", "10, 1, 2, 3, 9", &*node),
        ("name=B-2", "name=b-1", "instance `b-1` is given twice"),
        ("part=TIP", "part=Tap", "instance `T-1`: there is no part `Tap` before it"),
        (", part=TIP", "", "*INSTANCE without PART"),
        ("*End Part\n*Part, name=Tip", "*Part, name=Tip", "*PART within a part"),
        ("4\n*End Part", "4", "part `Tip` has no *END PART"),
        ("name=Tip", "name=BODY", "part `BODY` is given twice"),
    ] {
        let error = read(scratch.file("a.inp", instances().replace(from, to))).unwrap_err();
        assert!(error.to_string().contains(what), "{to}: {error}");
    }
}

/// An instance may have nodes and elements of its own, which its place moves too.
#[test]
fn an_instance_of_abaqus_moves_its_own_nodes() {
    let own = deck("");
    let text = format!(
        "*Part, name=P\n*End Part\n*Assembly\n*Instance, name=P-1, part=P\n10., 0., 0.\n{own}\
         *End Instance\n*End Assembly\n"
    );
    let mesh = read(Scratch::new().file("a.inp", text)).unwrap();
    assert_eq!((mesh.points[0], mesh.points.len()), ([10.0, 0.0, 0.0], 12));
}

#[test]
fn attributes_and_sets_of_mfem_are_groups() {
    let [a, b] = CELLS.map(|ids| from_0(&ids));
    let text = format!(
        "MFEM mesh v1.3\n\ndimension\n3\n\nelements\n2\n4 5 {a}\n5 5 {b}\n\nattribute_sets\n2\n\
         \"all parts\" 2 4 5\n\"second\" 1 5\n\nboundary\n2\n1 3 {}\n3 3 {}\n\nbdr_attribute_sets\n1\n\
         \"ends\" 2 1 3\n\nvertices\n12\n3\n{}",
        from_0(&LEFT),
        from_0(&RIGHT),
        nodes(|_, [x, y, z]| format!("{x} {y} {z}\n"))
    );
    let mesh = read(Scratch::new().file("a.mesh", text)).unwrap();
    assert_eq!(cells(&mesh), of(&[("all parts", &[0, 1][..]), ("second", &[1])]));
    let [first, third] = [1, 3].map(|i| format!("mfem:bdr_attribute:{i}"));
    let expected = of(&[(&first[..], &[0.0][..]), (&third[..], &[2.0]), ("ends", &[0.0, 2.0][..])]);
    assert_eq!(faces(&mesh), expected);
}

#[test]
fn references_of_medit_are_groups() {
    let text = format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n12\n{}Quadrilaterals\n3\n{} 4\n{} 0\n{} -2\n\
         Hexahedra\n2\n{} 0\n{} 0\nEnd\n",
        nodes(|_, [x, y, z]| format!("{x} {y} {z} 0\n")),
        words(&LEFT, " "),
        words(&LOW[1], " "),
        words(&RIGHT, " "),
        words(&CELLS[0], " "),
        words(&CELLS[1], " "),
    );
    let (mesh, report) = read_with_report(Scratch::new().file("a.mesh", text)).unwrap();
    assert_eq!(faces(&mesh), of(&[("medit:ref:4", &[0.0][..]), ("medit:ref:-2", &[2.0])]));
    assert_eq!(report.left_out().unwrap(), "1 quadrilateral");
}

/// A hexahedron, a wedge, a tetrahedron and a polyhedron, with groups that share faces.
fn grouped() -> SolidMesh {
    let mut mesh = mixed_mesh();
    let mut all = Vec::new();
    for c in 0..mesh.cells.len() {
        mesh.cells.for_each_face(c, |face| all.push(face.to_vec()));
    }
    let group = |name: &str, faces: &[Vec<u32>]| {
        let mut list = Polygons::default();
        faces.iter().for_each(|face| list.push(face));
        FaceGroup::new(name, list)
    };
    let last = all.len() - 1;
    mesh.face_groups = vec![
        group("a b", &[all[0].clone(), all[last].clone()]),
        group("c/\"d\"", &[all[last].clone()]),
    ];
    mesh.cell_data = vec![
        CellArray::group("a b", mesh.cells.len(), [1]),
        CellArray::new("heat", 1, (0..mesh.cells.len()).map(|c| c as f64 + 0.5).collect(), false),
        CellArray::new("id", 1, (0..mesh.cells.len()).map(|c| c as f64).collect(), true),
    ];
    mesh
}

fn sorted(mesh: &SolidMesh) -> BTreeMap<String, Vec<Vec<u32>>> {
    let sorted = |face: &[u32]| {
        let mut face = face.to_vec();
        face.sort_unstable();
        face
    };
    let of = |group: &FaceGroup| {
        let mut faces: Vec<_> = group.faces.iter().map(sorted).collect();
        faces.sort();
        (group.name.clone(), faces)
    };
    mesh.face_groups.iter().map(of).collect()
}

#[test]
fn written_groups_are_read_again() {
    let scratch = Scratch::new();
    let mesh = grouped();
    for (name, compress) in [("a.vtu", false), ("b.vtu", true), ("c.vtk", false), ("d.pvtu", false)]
    {
        let path = scratch.file(name, "");
        write(&path, &mesh, WriteOptions { compress, format: None }).unwrap();
        let (back, report) = read_with_report(&path).unwrap();
        assert_eq!(back.cells, mesh.cells, "{name}");
        assert_eq!(sorted(&back), sorted(&mesh), "{name}");
        assert_eq!(back.cell_data, mesh.cell_data, "{name}");
        assert_eq!(report.left_out(), None, "{name}");
    }
    // faces stand behind the cells once each
    let dataset = Dataset::from(&mesh);
    assert_eq!(dataset.cells.len(), mesh.cells.len() + 2);
    dataset.check().unwrap();
}

/// Other programs mark cells by reals (NumPy's zeros are); an array of fractions is no group.
#[test]
fn groups_of_vtk_files_may_be_reals() {
    let row = |ids: &[u32]| format!("{} {}\n", ids.len(), from_0(ids));
    let text = format!(
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 double\n{}\
         CELLS 4 28\n{}{}{}{}CELL_TYPES 4\n12 12 9 9\nCELL_DATA 4\nFIELD FieldData 4\n\
         group:steel 1 4 double\n0 1 0 0\ngroup:held 1 4 float\n0 0 1 0\n\
         group:part 1 4 double\n0 0.5 0 0.5\ngroup:more 1 4 double\n1 0.5 2 nan\n",
        nodes(|_, [x, y, z]| format!("{x} {y} {z}\n")),
        row(&CELLS[0]),
        row(&CELLS[1]),
        row(&LEFT),
        row(&RIGHT),
    );
    let mesh = read(Scratch::new().file("a.vtk", text)).unwrap();
    assert_eq!(cells(&mesh), of(&[("steel", &[1][..])]));
    assert_eq!(faces(&mesh), of(&[("held", &[0.0][..])]));
    let part = mesh.cell_data.iter().find(|array| array.name == "group:part").unwrap();
    assert_eq!(part.values, [0.0, 0.5]);
}

/// Faces of a group cover the same area after refinement, once each, and are faces of cells.
#[test]
fn children_of_faces_are_in_their_groups() {
    let mesh = read(Scratch::new().file("a.msh", gmsh2())).unwrap();
    let fine = refine_mesh(&mesh, 2, VertexRule::default()).unwrap();
    let topology = Topology::build(fine.cells.clone(), fine.points.len()).unwrap();
    let bounds = fine.bounds().unwrap();
    for (group, coarse) in fine.face_groups.iter().zip(&mesh.face_groups) {
        assert_eq!(topology.group_faces(group).unwrap().len(), 16 * coarse.faces.len());
        let middle = group.name == "between";
        assert!(group.faces.iter().all(|face| {
            let id = topology.face_with(face).unwrap();
            topology.is_boundary_face(id) != middle
        }));
    }
    // the ends of a smooth box bend; the face between mirrored halves does not
    let between = &faces(&fine)["between"];
    let center = 0.5 * (bounds.0[0] + bounds.1[0]);
    assert!(between.iter().all(|x| (x - center).abs() < 1e-14));
    assert!(faces(&fine)["fixed end"].iter().all(|&x| x < center - 0.5));
    assert_eq!(cells(&fine)["steel"].len(), 64);

    // a wedge with a tetrahedron on its upper end: a triangle and a quad
    let points = [[0, 0], [1, 0], [0, 1]].map(|[x, y]| [f64::from(x), f64::from(y)]);
    let layer = |z: f64| points.map(|[x, y]| [x, y, z]);
    let mut mesh = SolidMesh {
        points: [&layer(0.0)[..], &layer(1.0), &[[0.0, 0.0, 2.0]]].concat(),
        ..SolidMesh::default()
    };
    mesh.cells.push(CellKind::Wedge, &[0, 1, 2, 3, 4, 5]);
    mesh.cells.push(CellKind::Tetrahedron, &[3, 4, 5, 6]);
    let mut both = Polygons::default();
    both.push(&[1, 0, 2]);
    both.push(&[3, 0, 1, 4]);
    mesh.face_groups = vec![FaceGroup::new("both", both)];
    let fine = refine_mesh(&mesh, 1, VertexRule::default()).unwrap();
    let topology = Topology::build(fine.cells.clone(), fine.points.len()).unwrap();
    assert_eq!(topology.group_faces(&fine.face_groups[0]).unwrap().len(), 3 + 4);
}

/// A group without faces has no place in a file, where it would be one of cells.
#[test]
fn groups_without_faces_are_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let mut mesh = mixed_mesh();
    mesh.face_groups = vec![FaceGroup::new("none", Polygons::default())];
    for ending in ["vtu", "vtk", "pvtu"] {
        let file = directory.path().join(format!("a.{ending}"));
        write(&file, &mesh, WriteOptions::default()).unwrap();
        let found = read(&file).unwrap();
        assert!(found.face_groups.is_empty(), "{ending}");
        let is_group = |array: &CellArray| array.group_name() == Some("none");
        assert!(!found.cell_data.iter().any(is_group), "{ending}");
    }
}

#[test]
fn attributes_of_faces_of_mfem_are_reported() {
    let text = |set: &str, attributes: [i32; 2]| {
        let [a, b] = attributes;
        format!(
            "MFEM mesh v1.3\n\ndimension\n2\n\nelements\n2\n{a} 3 0 1 2 3\n{b} 3 1 4 5 2\n\n{set}\
             boundary\n0\n\nvertices\n6\n3\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 0 0\n2 1 0\n"
        )
    };
    let scratch = Scratch::new();
    let left_out = |set: &str, attributes| {
        let file = scratch.file("a.mesh", text(set, attributes));
        let (mesh, report) = subsolid::io::read_surface_with_report(file).unwrap();
        assert_eq!(mesh.faces.len(), 2);
        report.left_out()
    };
    assert_eq!(left_out("", [1, 1]), None);
    assert_eq!(left_out("", [7, 9]).unwrap(), "2 groups of faces");
    let set = "attribute_sets\n1\n\"left side\" 1 1\n\n";
    assert_eq!(left_out(set, [1, 1]).unwrap(), "1 group of faces");
}

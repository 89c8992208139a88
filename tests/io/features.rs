//! Curves and points of files that become creases and corners.

use subsolid::Solid;
use subsolid::backend::{Backend, Cpu};
use subsolid::io::{ReadReport, read_creases, read_with_report};
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{CreaseSource, SolidMesh};
use subsolid::plan::{Samples, Want};

use crate::read::assert_says;
use crate::samples::Scratch;

/// The four edges of each end face z = 0 of a box of 2 × 2 × 2 cells, by their vertices.
fn rim(mesh: &SolidMesh) -> Vec<[u32; 2]> {
    let least = |d: usize| mesh.points.iter().map(|p| p[d]).fold(f64::INFINITY, f64::min);
    let most = |d: usize| mesh.points.iter().map(|p| p[d]).fold(-f64::INFINITY, f64::max);
    let on = |v: u32, d: usize, x: f64| mesh.points[v as usize][d] == x;
    let mut edges = Vec::new();
    for cell in 0..mesh.cells.len() {
        let corners = mesh.cells.vertices(cell);
        for [a, b] in [[0, 1], [1, 2], [2, 3], [3, 0]].map(|pair| pair.map(|i: usize| corners[i])) {
            let is_outer = [0, 1]
                .iter()
                .any(|&d| [least(d), most(d)].iter().any(|&x| on(a, d, x) && on(b, d, x)));
            if is_outer && on(a, 2, least(2)) && on(b, 2, least(2)) {
                edges.push([a.min(b), a.max(b)]);
            }
        }
    }
    edges.sort_unstable();
    edges
}

fn cube() -> SolidMesh {
    Shape::Box { cells: [2, 2, 2] }.build().unwrap()
}

fn numbers(ids: &[u32], first: u32) -> String {
    ids.iter().map(|v| (v + first).to_string()).collect::<Vec<_>>().join(" ")
}

fn points(mesh: &SolidMesh, line: impl Fn(usize, String) -> String) -> String {
    let row = |(i, [x, y, z]): (usize, &[f64; 3])| line(i, format!("{x:?} {y:?} {z:?}"));
    mesh.points.iter().enumerate().map(row).collect()
}

fn cells(mesh: &SolidMesh, line: impl Fn(usize, String) -> String) -> String {
    (0..mesh.cells.len()).map(|c| line(c, numbers(mesh.cells.vertices(c), 1))).collect()
}

/// An edge inside the box, and a pair of vertices that is no edge.
const INSIDE: [u32; 2] = [13, 14];
const NONE: [u32; 2] = [0, 26];

fn medit() -> String {
    let mesh = cube();
    let rim = rim(&mesh);
    let all: Vec<[u32; 2]> = rim.iter().copied().chain([INSIDE, NONE]).collect();
    let edges: String = all.iter().map(|edge| format!("{} 5\n", numbers(edge, 1))).collect();
    // the list of ridges may stand before the edges
    format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices 27\n{}Hexahedra 8\n{}Ridges 8\n{}\n\
         RequiredEdges 3\n1 9 10\nEdges 10\n{edges}Corners 1\n1\nRequiredVertices 1\n14\nEnd\n",
        points(&mesh, |_, p| format!("{p} 0\n")),
        cells(&mesh, |_, c| format!("{c} 0\n")),
        "1 2 3 4 5 6 7 8",
    )
}

/// Curves 1 (named) and 2, and point 3.
fn gmsh(version: u32) -> String {
    let mesh = cube();
    let rim = rim(&mesh);
    let nodes = |line: &dyn Fn(usize, String) -> String| points(&mesh, line);
    let names = "$PhysicalNames\n1\n1 1 \"rim\"\n$EndPhysicalNames\n";
    if version == 2 {
        let mut elements = String::new();
        let mut count = 0;
        let mut push = |kind: u32, group: u32, ids: String| {
            count += 1;
            elements += &format!("{count} {kind} 2 {group} 1 {ids}\n");
        };
        rim.iter().for_each(|edge| push(1, 1, numbers(edge, 1)));
        push(1, 2, numbers(&INSIDE, 1));
        push(1, 2, numbers(&NONE, 1));
        push(15, 3, "1".into());
        (0..8).for_each(|c| push(5, 4, numbers(mesh.cells.vertices(c), 1)));
        return format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{names}$Nodes\n27\n{}$EndNodes\n\
             $Elements\n{count}\n{elements}$EndElements\n",
            nodes(&|i, p| format!("{} {p}\n", i + 1))
        );
    }
    let block = |dimension: u32, entity: u32, kind: u32, rows: &[String]| {
        let rows: String = rows.iter().map(|row| format!("1 {row}\n")).collect();
        format!("{dimension} {entity} {kind} {}\n{rows}", rows.lines().count())
    };
    let of = |edges: &[[u32; 2]]| edges.iter().map(|edge| numbers(edge, 1)).collect::<Vec<_>>();
    let all: Vec<_> = (0..8).map(|c| numbers(mesh.cells.vertices(c), 1)).collect();
    format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n{names}$Entities\n1 2 0 1\n1 0 0 0 1 3\n\
         1 0 0 0 1 1 1 1 1 0\n2 0 0 0 1 1 1 1 -2 0\n1 0 0 0 1 1 1 1 4 0\n$EndEntities\n\
         $Nodes\n1 27 1 27\n3 1 0 27\n{}{}$EndNodes\n$Elements\n4 19 1 19\n{}{}{}{}$EndElements\n",
        nodes(&|i, _| format!("{}\n", i + 1)),
        nodes(&|_, p| format!("{p}\n")),
        block(0, 1, 15, &["1".into()]),
        block(1, 1, 1, &of(&rim)),
        block(1, 2, 1, &of(&[INSIDE, NONE])),
        block(3, 1, 5, &all),
    )
}

fn creased(report: &mut ReadReport, mesh: &mut SolidMesh, names: &[&str]) -> Vec<String> {
    let sources: Vec<CreaseSource> = names.iter().map(|name| name.parse().unwrap()).collect();
    let features = report.take_features(&sources).unwrap();
    mesh.crease_features(&features).left_out.iter().map(ToString::to_string).collect()
}

fn limit(mesh: &SolidMesh) -> Vec<f64> {
    let solid = Solid::new(mesh).unwrap();
    let plan = solid.plan(&Samples::grid(3), Want::FIRST).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    (0..limit.positions.len()).map(|i| limit.positions.get(i)).collect()
}

/// How far the limit is from vertex 1, in the middle of a side of the rim.
fn pulled_in(mesh: &SolidMesh) -> f64 {
    let rim = mesh.points[1];
    let far = |p: &[f64]| (0..3).map(|d| (p[d] - rim[d]).powi(2)).sum::<f64>().sqrt();
    limit(mesh).chunks(3).map(far).fold(f64::INFINITY, f64::min)
}

#[test]
fn named_curves_are_creases_as_a_table_gives_them() {
    let scratch = Scratch::new();
    let plain = cube();
    let mut table = String::from("kind,v0,v1,sharpness\n");
    rim(&plain).iter().for_each(|[a, b]| table += &format!("edge,{a},{b},1.5\n"));
    let expected = read_creases(scratch.file("creases.csv", table)).unwrap().creases;
    let expected = SolidMesh { creases: expected, ..plain.clone() };
    assert_eq!(rim(&plain).len(), 8);
    assert!(pulled_in(&plain) > pulled_in(&expected) + 1e-2);
    for (name, text, curve) in [
        ("a.mesh", medit(), "Ridges=1.5"),
        ("2.msh", gmsh(2), "rim=1.5"),
        ("4.msh", gmsh(4), "rim=1.5"),
        ("a.ovm", ovm(), "sharp=edge=1.5"),
    ] {
        let (mut mesh, mut report) = read_with_report(scratch.file(name, text)).unwrap();
        let left_out = creased(&mut report, &mut mesh, &[curve]);
        assert_eq!(left_out, [""; 0], "{name}");
        let bits = |mesh| limit(mesh).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        if name != "a.ovm" {
            assert_eq!(mesh.cells, expected.cells);
            assert_eq!(bits(&mesh), bits(&expected), "{name}");
        } else {
            // whose cells begin at other corners
            let mut made: Vec<_> =
                mesh.creases.edges.iter().map(|c| (c.edge(), c.sharpness)).collect();
            made.sort_by_key(|crease| crease.0);
            let table: Vec<_> =
                expected.creases.edges.iter().map(|c| (c.edge(), c.sharpness)).collect();
            assert_eq!(made, table);
        }
    }
}

#[test]
fn what_is_no_edge_of_the_boundary_is_counted() {
    let scratch = Scratch::new();
    for (name, text, curve, point) in [
        ("a.mesh", medit(), "RequiredEdges", "RequiredVertices"),
        ("2.msh", gmsh(2), "gmsh:physical:2", "gmsh:physical:3"),
        ("4.msh", gmsh(4), "gmsh:physical:2", "gmsh:physical:3"),
    ] {
        let (mut mesh, mut report) = read_with_report(scratch.file(name, text)).unwrap();
        let left_out = creased(&mut report, &mut mesh, &[curve, &format!("{point}=2")]);
        let medit = name == "a.mesh";
        assert_eq!(mesh.creases.edges.len(), usize::from(medit));
        assert_eq!(mesh.creases.corners.len(), usize::from(!medit));
        assert_says(&left_out[0], &[curve, "1 edge inside the solid (the first: edge 13 14)"]);
        assert_says(
            &left_out[1],
            &[curve, "1 edge not among those of the mesh (the first: edge 0 26)"],
        );
        if medit {
            assert_says(&left_out[2], &[point, "1 vertex inside the solid (the first: vertex 13)"]);
        }
    }
}

#[test]
fn features_that_are_not_named_are_left_out_with_a_notice() {
    let (mut mesh, mut report) = read_with_report(Scratch::new().file("a.mesh", medit())).unwrap();
    let all = "`Edges` (10 edges), `medit:ref:5` (10 edges), `Corners` (1 vertex), \
               `RequiredVertices` (1 vertex), `Ridges` (8 edges), `RequiredEdges` (3 edges)";
    assert_says(&report.left_out().unwrap(), &["the curves and points ", all]);
    let refused = |names: &[&str]| {
        let sources: Vec<CreaseSource> = names.iter().map(|name| name.parse().unwrap()).collect();
        let error = report.clone().take_features(&sources).unwrap_err();
        format!("{error} {}", error.help().unwrap())
    };
    assert_says(
        &refused(&["Ridges", "ridges"]),
        &["no curve or points `ridges`", "`Ridges` (8 edges)"],
    );
    assert_says(&refused(&["Ridges", "Ridges=2"]), &["`Ridges` is named twice"]);
    creased(&mut report, &mut mesh, &["Ridges", "Edges=2", "Corners"]);
    assert_eq!(mesh.creases.edges.len(), 8);
    assert!(mesh.creases.edges.iter().all(|crease| crease.sharpness == f64::INFINITY));
    assert_eq!(mesh.creases.corners.len(), 1);
    assert!(!report.left_out().unwrap().contains("Ridges"));
    assert!("a=b=-1".parse::<CreaseSource>().is_err() && "a=nan".parse::<CreaseSource>().is_err());
    let named: CreaseSource = "a=b=0.5".parse().unwrap();
    assert_eq!((&*named.name, named.sharpness), ("a=b", 0.5));
}

#[test]
fn a_list_of_edges_that_are_not_there_is_refused() {
    let scratch = Scratch::new();
    let text = medit().replace("RequiredEdges 3\n1 9 10", "RequiredEdges 3\n1 9 11");
    let error = read_with_report(scratch.file("a.mesh", text)).unwrap_err().to_string();
    assert_says(&error, &["a.mesh:43", "`RequiredEdges` names edge 11, there are 10"]);
    let text = medit().replace("Corners 1\n1\n", "Corners 1\n28\n");
    let error = read_with_report(scratch.file("a.mesh", text)).unwrap_err().to_string();
    assert_says(&error, &["a curve or point names vertex 28, the last is 27"]);
}

/// Half-edges and half-faces are numbered as they come.
fn ovm() -> String {
    let mesh = cube();
    let rim = rim(&mesh);
    let (mut edges, mut faces, mut cells) =
        (Vec::<[u32; 2]>::new(), Vec::<Vec<u32>>::new(), String::new());
    let mut face_rows = String::new();
    for c in 0..mesh.cells.len() {
        let mut halves = String::new();
        mesh.cells.for_each_face(c, |cycle| {
            let same = |other: &Vec<u32>| cycle.iter().all(|v| other.contains(v));
            if let Some(known) = faces.iter().position(same) {
                halves += &format!(" {}", 2 * known + 1);
                return;
            }
            halves += &format!(" {}", 2 * faces.len());
            face_rows += &cycle.len().to_string();
            for (&a, &b) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                let known = edges.iter().position(|edge| *edge == [a, b] || *edge == [b, a]);
                let edge = known.unwrap_or_else(|| {
                    edges.push([a, b]);
                    edges.len() - 1
                });
                face_rows += &format!(" {}", 2 * edge + usize::from(edges[edge] != [a, b]));
            }
            face_rows += "\n";
            faces.push(cycle.to_vec());
        });
        cells += &format!("6{halves}\n");
    }
    let tags: String = edges
        .iter()
        .map(|&[a, b]| if rim.contains(&[a.min(b), a.max(b)]) { "3\n" } else { "0\n" })
        .collect();
    let rows: String = edges.iter().map(|[a, b]| format!("{a} {b}\n")).collect();
    format!(
        "OVM ASCII\nVertices\n27\n{}Edges\n{}\n{rows}Faces\n{}\n{face_rows}Polyhedra\n8\n{cells}\
         EProp int \"sharp=edge\"\n{tags}",
        points(&mesh, |_, p| format!("{p}\n")),
        edges.len(),
        faces.len(),
    )
}

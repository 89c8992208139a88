//! OBJ with OpenSubdiv's tags.

use subsolid::Result;
use subsolid::io::ReadReport;
use subsolid::mesh::{Attribute, BoundaryRule, CreaseRule, SurfaceMesh, TriangleRule};

use super::read;

fn mesh(text: &str) -> Result<(SurfaceMesh, ReadReport)> {
    read("a.obj", text)
}

const POINTS: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 2 0\n";

#[test]
fn faces_of_all_sizes_with_their_own_texture_coordinates() {
    let text = format!(
        "{POINTS}vt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 \\\n 3/3 4/1\nf -2/-3/9 -3/2 -1/3 # roof\n"
    );
    let (mesh, report) = mesh(&text).unwrap();
    assert_eq!(mesh.faces.face(0), [0, 1, 2, 3]);
    assert_eq!(mesh.faces.face(1), [3, 2, 4]);
    assert_eq!(mesh.uv.unwrap().corners, [0, 1, 2, 0, 0, 1, 2]);
    assert!(report.skipped.is_empty());
}

#[test]
fn tags_of_every_kind() {
    let tags = "t crease 3/1/0 0 1 2 2.5\nt crease 3/2/0 2 3 0 1 12\nt corner 2/1/0 4 0 3\n\
                t hole 1/0/0 1\nt interpolateboundary 1/0/0 1\nt creasemethod 0/0/1 chaikin\n\
                t smoothtriangles 0/0/1 smooth\nt unknown 1/0/0 1\nvn 0 0 1\n";
    let (mesh, report) = mesh(&format!("{POINTS}f 1 2 3 4\nf 4 3 5\n{tags}")).unwrap();
    let edges: Vec<_> =
        mesh.creases.edges.iter().map(|c| (c.edge()[0].0, c.edge()[1].0, c.sharpness)).collect();
    assert_eq!(edges, [(0, 1, 2.5), (1, 2, 2.5), (2, 3, 1.0), (0, 3, f64::INFINITY)]);
    assert_eq!(mesh.creases.corners.len(), 2);
    assert_eq!(mesh.holes, [1]);
    assert_eq!(mesh.boundary, BoundaryRule::EdgesAndCorners);
    assert_eq!(mesh.crease_rule, CreaseRule::Chaikin);
    assert_eq!(mesh.triangle_rule, TriangleRule::Smooth);
    assert_eq!(report.skipped, ["1 normal (vn)", "1 tag `unknown`"]);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let error = |text: &str| mesh(&format!("{POINTS}{text}\n")).unwrap_err().to_string();
    assert!(error("f 1 2 6").contains("a.obj:6: vertex 6 does not exist"));
    assert!(error("f 1 2 0").contains("a.obj:6"));
    assert!(error("f 1/x 2/1 3/1").contains("found `x`"));
    assert!(error("v 1 x 2").contains("found `x`"));
    assert!(error("v 1 2 3 0 0 x").contains("found `x`"));
    assert!(error("t crease 2/1 0 1 2").contains("counts of a tag"));
    assert!(error("t crease 99999999999/1/0 0 1").contains("follow"));
    assert!(error("t crease 2/1/0 0 1 -2").contains("out of range"));
    assert!(error("t interpolateboundary 1/0/0 7").contains("0, 1 or 2"));
}

#[test]
fn backslashes_continue_lines_but_not_comments_and_names() {
    let text = format!(
        "# of C:\\models\\\n{POINTS}g a\\\nf 1 \\\n2 \\ # of C:\\\n3\nusemtl A\\B\\\nf 3 4 5\no \\\nf 1 2 \\"
    );
    let (mesh, report) = mesh(&(text + "\n5")).unwrap();
    assert_eq!(mesh.points[0], [0.0, 0.0, 0.0]);
    assert_eq!((mesh.points.len(), mesh.faces.vertices()), (5, &[0, 1, 2, 2, 3, 4, 0, 1, 4][..]));
    let left_out = ["1 material (usemtl, mtllib)", "2 names of objects and groups (o, g, s)"];
    assert_eq!(report.skipped, left_out);
}

#[test]
fn texture_coordinates_that_are_missing_are_left_out_with_the_reason() {
    for (faces, why) in [
        ("f 1/1 2/1 3/2\nf 1/7 2 3\n", "2 of line 7 does not exist"),
        ("f 1/1 2/1 3\n", "some corners of line 7 have none"),
        ("f 1/1 2/1 3/1\nf 3 4 5\n", "some faces have none"),
    ] {
        let (mesh, report) = mesh(&format!("{POINTS}vt 0 0\n{faces}")).unwrap();
        assert_eq!((mesh.uv, mesh.faces.face(0)), (None, &[0, 1, 2][..]));
        assert_eq!(report.skipped, [format!("1 set of texture coordinates ({why})")]);
    }
    let (mesh, report) = mesh(&format!("{POINTS}f 1/1/1 2/2/2 3/3/3\n")).unwrap();
    assert_eq!((mesh.uv, mesh.faces.len()), (None, 1));
    assert_eq!(report.skipped, ["1 set of texture coordinates (1 of line 6 does not exist)"]);
}

#[test]
fn colors_of_all_vertices_are_an_attribute() {
    let faces = "f 1 2 3\n";
    let (all, report) =
        mesh(&format!("v 0 0 0 1 0 0\nv 1 0 0 0 1 0.2\nv 0 1 0 0 0 1\n{faces}")).unwrap();
    let values = vec![255.0, 0.0, 0.0, 0.0, 255.0, 51.0, 0.0, 0.0, 255.0];
    assert_eq!(all.attributes, [Attribute { name: "color".into(), width: 3, values }]);
    assert!(report.skipped.is_empty());
    let (some, report) = mesh(&format!("v 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0 0.5\n{faces}")).unwrap();
    assert!(some.attributes.is_empty());
    let left_out = ["1 color (other vertices have none)", "1 weight or number after x y z"];
    assert_eq!(report.skipped, left_out);
}

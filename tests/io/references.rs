//! What Abaqus decks name: it may come later, in another file, or never.

use subsolid::io::{read, read_with_report};

use crate::groups::{cells, deck, faces};
use crate::samples::Scratch;

/// Sets may name elements, sets and instances that come later, or never.
#[test]
fn references_of_abaqus_are_resolved_at_the_end() {
    let scratch = Scratch::new();
    let nodes = deck("");
    let (nodes, elements) = nodes.split_at(nodes.find("*ELEMENT").unwrap());
    let sets = "*ELSET, ELSET=all\nLeft, 20\n*ELSET, ELSET=Left\n10\n*SURFACE, NAME=s\nLeft, S1\n";
    let expected = read(scratch.file("a.inp", format!("{nodes}{elements}{sets}"))).unwrap();
    assert_eq!(cells(&expected)["all"], [0, 1]);
    for text in [
        format!("{elements}{sets}{nodes}"),
        format!("{sets}{elements}{nodes}"),
        format!("{sets}{nodes}{elements}"),
    ] {
        let mesh = read(scratch.file("a.inp", &text)).unwrap();
        assert_eq!((&mesh.points, &mesh.cells), (&expected.points, &expected.cells), "{text}");
        assert_eq!((cells(&mesh), faces(&mesh)), (cells(&expected), faces(&expected)), "{text}");
    }
    // Neper names the part where the deck has no instance
    let part = format!("*Part, name=tess\n{nodes}{elements}");
    let set =
        "*Elset, elset=e, internal, instance=NAME\n10\n*Surface, type=element, name=z0\ne, S1\n";
    let text = |name: &str| format!("{part}{}*End Part\n", set.replace("NAME", name));
    let (mesh, report) = read_with_report(scratch.file("a.inp", text("TESS"))).unwrap();
    assert_eq!(faces(&mesh)["z0"], faces(&expected)["s"]);
    let left_out = "instance `TESS`, which the deck does not have; its sets are those of the part";
    assert_eq!(report.left_out().unwrap(), left_out);
    let (mesh, report) = read_with_report(scratch.file("a.inp", text("other"))).unwrap();
    assert_eq!(mesh.cells.len(), 2);
    assert!(!faces(&mesh).contains_key("z0"), "{:?}", faces(&mesh));
    let left_out = report.left_out().unwrap();
    assert!(left_out.contains("instance `other`, which the deck does not have"), "{left_out}");
    // nothing is missing but the node
    let unknown = format!("{elements}{}", nodes.replace("12, ", "13, "));
    let error = read(scratch.file("a.inp", unknown)).unwrap_err().to_string();
    assert!(error.contains("a.inp:4: cell 1: node 12 does not exist (a C3D8"), "{error}");
}

#[test]
fn abaqus_decks_include_others() {
    let scratch = Scratch::new();
    let expected = read(scratch.file("a.inp", deck(""))).unwrap();
    let text = deck("");
    let (nodes, elements) = text.split_at(text.find("*ELEMENT").unwrap());
    let (keyword, rows) = nodes.split_once('\n').unwrap();
    scratch.file("rows.inc", rows);
    scratch.file("nodes.inc", format!("{keyword}\n*INCLUDE, INPUT=rows.inc\n"));
    scratch.file("all.inc", &text);
    for main in [
        format!("{keyword}, INPUT=rows.inc\n{elements}"),
        format!("*INCLUDE, INPUT=nodes.inc\n{elements}"),
        format!("{elements}*Include, input=\"nodes.inc\"\n"),
        "** all\n*INCLUDE,\nINPUT=all.inc\n".to_owned(),
    ] {
        let path = scratch.file("main.inp", &main);
        assert_eq!(read(&path).unwrap(), expected, "{main}");
        assert!(subsolid::io::files_of(&path).len() > 1, "{main}");
    }
    for (main, what) in [
        ("*INCLUDE, INPUT=none.inc\n", "main.inp:1: the included file none.inc:"),
        ("*NODE\n*INCLUDE, INPUT=main.inp\n", "includes itself"),
        ("*INCLUDE\n", "*INCLUDE without INPUT"),
    ] {
        let error = read(scratch.file("main.inp", main)).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
    // errors name the file that they are in
    scratch.file("rows.inc", rows.replace("\n2, ", "\n1, "));
    let main = scratch.file("main.inp", format!("{keyword}, INPUT=rows.inc\n{elements}"));
    let error = read(main).unwrap_err().to_string();
    assert!(error.contains("rows.inc:2: node number 1 is given twice"), "{error}");
}

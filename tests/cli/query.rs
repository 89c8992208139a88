//! `subsolid query` as its users run it.

use std::fs;

use crate::json;
use crate::program::{done, refused};

const ROOF: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\nf 2 1 5\n";

#[test]
fn queries_answer_for_elements_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("roof.obj"), ROOF).unwrap();
    done(path, "shape box 2 2 2 -o box.vtu");
    for strategy in ["rows", "patches", "unordered"] {
        let answer =
            |arguments: &str| done(path, &format!("query {arguments} --strategy {strategy}"));
        assert_eq!(answer("roof.obj --op VV --of 0,4"), "0: 1 3 4\n4: 0 1\n");
        assert_eq!(answer("roof.obj --op ff --of 1"), "1: 0\n");
        assert_eq!(answer("roof.obj --op VV --of 4 --rings 2"), "4: 0 1 2 3\n");
        // edges 0–1, 0–3, 0–4: counter-clockwise from the side of both faces
        assert_eq!(answer("roof.obj --op VF --of 0 --oriented"), "0 (fan): 1 0\n");
        assert_eq!(answer("roof.obj --op VE --of 0 --oriented"), "0 (fan): 2 0 1\n");
        // the vertex in the middle
        assert_eq!(answer("box.vtu --op VC --of 13"), "13: 0 1 2 3 4 5 6 7\n");
        assert_eq!(answer("box.vtu --op CC --of 0"), "0: 1 2 4\n");
    }
    let report = json(path, "query box.vtu --json");
    assert_eq!((&report["vertices"], &report["cells"]), (&27.into(), &8.into()));
    assert_eq!((&report["edges"], &report["faces"]), (&54.into(), &36.into()));
    let counts = report["counts"].as_array().unwrap();
    assert_eq!(counts.len(), 14);
    let valence = counts.iter().find(|count| count["op"] == "VE").unwrap();
    assert_eq!((&valence["least"], &valence["most"]), (&3.into(), &6.into()));
    let report = json(path, "query roof.obj --op VE --of 2 --json");
    assert_eq!(report["rows"], serde_json::json!([{ "id": 2, "row": [3, 5] }]));
}

#[test]
fn queries_without_an_answer_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("roof.obj"), ROOF).unwrap();
    fs::write(
        path.join("touch.obj"),
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 1\nv 0 2 1\nf 1 2 3\nf 1 4 5\n",
    )
    .unwrap();
    done(path, "shape box 2 2 2 -o box.vtu");
    for (arguments, fragment) in [
        ("roof.obj --op VV --of 3,5", "no vertex 5"),
        ("box.vtu --op CV --of 8", "no cell 8"),
        ("roof.obj --op VC --of 0", "a surface has no query VC"),
        ("roof.obj --op VX --of 0", "no query \"VX\"; those of surfaces are VV VE VF EV"),
        ("roof.obj --of 0", "not provided:\n  --op"),
        ("roof.obj --op VV --of -1", "-1 is not in 0..=4294967295"),
        ("roof.obj --op VE --of 0 --rings 2", "--rings is not for VE"),
        ("box.vtu --op VE --of 0 --oriented", "--oriented is not for VE"),
        ("touch.obj --op VF --of 0 --oriented", "vertex 0: its faces form neither"),
        ("none.obj --op VV --of 0", "none.obj: cannot be read"),
    ] {
        refused(path, &format!("query {arguments}"), fragment);
    }
}

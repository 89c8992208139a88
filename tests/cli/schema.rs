//! `subsolid schema`: reports are as their schemas say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::program::{done, refused, run};
use crate::schema_check::errors;
use crate::with_fan;

/// The schema of a report by the name in it.
fn schema_of(report: &Value) -> Value {
    static KNOWN: Mutex<BTreeMap<String, Value>> = Mutex::new(BTreeMap::new());
    let name = report["schema"].as_str().unwrap_or_else(|| panic!("no schema: {report}"));
    let short = name.strip_prefix("subsolid.").and_then(|name| name.split_once('/')).unwrap().0;
    let mut known = KNOWN.lock().unwrap();
    let schema = known.entry(name.into()).or_insert_with(|| {
        let text = done(Path::new("."), &format!("schema {short}"));
        serde_json::from_str(&text).unwrap()
    });
    assert_eq!(schema["$id"], name);
    schema.clone()
}

/// Checks that a report is as its schema says.
pub fn check(report: &Value, what: &str) {
    let wrong = errors(&schema_of(report), report);
    assert!(wrong.is_empty(), "{what}: {}", wrong.join("\n"));
}

/// Names that `subsolid schema` lists.
fn listed() -> BTreeSet<String> {
    let text = done(Path::new("."), "schema");
    text.lines().map(|line| line.split_whitespace().nth(1).unwrap().to_owned()).collect()
}

const CORNER: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

#[test]
fn every_report_is_as_its_schema_says() {
    let fan = with_fan();
    let here = fan.path();
    fs::write(here.join("corner.obj"), CORNER).unwrap();
    fs::write(here.join("at.csv"), "cell,u,v,w\n0,0.5,0.5,0.5\n1,0,1,0.25\n").unwrap();
    fs::write(here.join("x.csv"), "x,y,z\n0.1,0.1,0.1\n9,9,9\n").unwrap();
    for part in 1..=2 {
        done(here, &format!("evaluate fan.vtu --samples 3 --pieces {part}/2 -o parts.pvtu"));
        let slice = "slice fan.vtu --layer-height 0.5 --png layers --pixel 0.1";
        done(here, &format!("{slice} --pieces {part}/2"));
    }
    let mut seen = BTreeSet::new();
    for arguments in [
        "info fan.vtu",
        "info corner.obj",
        "refine fan.vtu -o fine.vtu",
        "fit fan.vtu --to facets -o fitted.vtu",
        "shape box -o box.vtu",
        "evaluate fan.vtu --samples 3 -o a.vtu",
        "evaluate fan.vtu --samples 4 --quality",
        "evaluate fan.vtu --cells bezier -o b.vtu",
        "evaluate fan.vtu --at at.csv --derivatives 1 -o a.csv",
        "evaluate fan.vtu --samples 4 --backend cpu --explain",
        "merge parts.pvtu",
        "merge layers",
        "extract fan.vtu -o a.bext",
        "slice fan.vtu --layer-height 0.5 --svg contours",
        "quadrature fan.vtu --gauss 3 --quality",
        "quadrature fan.vtu --gauss 3 -o a.npz",
        "quadrature fan.vtu --gauss 3 --boundary",
        "assemble box.vtu --elasticity 1000,0 -o matrices",
        "solve box.vtu --crease-angle 40 --heat 1 --temperature side:0=1 -o heat.vtu",
        "locate fan.vtu --points x.csv -o found.csv",
        "query fan.vtu",
        "query fan.vtu --op EC --of 1,2 --oriented",
        "distance fan.vtu --to boundary --name depth -o depth.vtu",
        "smooth depth.vtu --attribute depth --steps 2 -o soft.vtu",
        "denoise corner.obj --sweeps 1 -o clean.obj",
        "untangle fan.vtu -o good.vtu",
        "conform fan.vtu -o whole.vtu",
        "extend fan.vtu -o extended.vtu",
        "compare fan.vtu --backend cpu --samples 3",
        "devices",
        "surface corner.obj --limit -o limit.obj",
        "boundary fan.vtu -o skin.obj",
        "view fan.vtu -o fan.html",
        "view corner.obj -o corner.html",
    ] {
        // 1 says that the quality is poor
        let (code, text, stderr) = run(here, &format!("{arguments} --json"));
        assert!(code < 2, "{arguments}: {stderr}");
        let report: Value = serde_json::from_str(&text).unwrap();
        check(&report, arguments);
        assert_eq!(number_as_text(&report), None, "{arguments}: {report}");
        seen.insert(report["schema"].as_str().unwrap().to_owned());
    }
    done(here, "bench fan.vtu --backend cpu --samples 2 --levels 0 --repeats 1 -o bench.json");
    let report = serde_json::from_slice(&fs::read(here.join("bench.json")).unwrap()).unwrap();
    check(&report, "bench");
    seen.insert(report["schema"].as_str().unwrap().to_owned());
    // what is read
    let parts = json!([{ "model": "fan.vtu", "place": [0, "1 mm", 0], "turn": 30 }]);
    let plate = json!({ "schema": "subsolid.plate/1", "parts": parts });
    fs::write(here.join("plate.json"), plate.to_string()).unwrap();
    done(here, "slice plate.json --layer-height 0.5 --svg plate");
    check(&plate, "a plate file");
    seen.insert(plate["schema"].as_str().unwrap().to_owned());
    assert_eq!(seen, listed(), "each report is printed here");
}

/// A number that is written as a string.
fn number_as_text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => text.parse::<f64>().is_ok().then_some(text),
        Value::Array(values) => values.iter().find_map(number_as_text),
        Value::Object(values) => values.values().find_map(number_as_text),
        _ => None,
    }
}

/// Calls `visit` with each property of a schema, below definitions too.
fn each_property(schema: &Value, at: &str, visit: &mut dyn FnMut(&str, &Value)) {
    match schema {
        Value::Object(parts) => {
            for (keyword, part) in parts {
                match part.as_object() {
                    Some(named) if ["properties", "$defs"].contains(&keyword.as_str()) => {
                        for (name, own) in named {
                            let at = format!("{at}/{name}");
                            if keyword == "properties" {
                                visit(&at, own);
                            }
                            each_property(own, &at, visit);
                        }
                    }
                    _ => each_property(part, at, visit),
                }
            }
        }
        Value::Array(parts) => parts.iter().for_each(|part| each_property(part, at, visit)),
        _ => {}
    }
}

#[test]
fn every_key_of_a_report_is_described() {
    for name in listed() {
        let schema = schema_of(&json!({ "schema": name }));
        let mut keys = 0;
        each_property(&schema, &name, &mut |at, property| {
            keys += 1;
            let text = property["description"].as_str().unwrap_or_default();
            assert!(text.len() >= 15, "{at} needs a description that stands alone: {text:?}");
            assert!(!text.contains("[`"), "{at} has a link of the sources: {text}");
            assert!(!text.contains("::"), "{at} names an item of the sources: {text}");
        });
        assert!(keys > 2, "{name}");
    }
}

#[test]
fn wrong_reports_are_found() {
    let fan = with_fan();
    let good = crate::json(fan.path(), "info fan.vtu --json");
    let schema = schema_of(&good);
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut report = good.clone();
        change(&mut report);
        errors(&schema, &report)
    };
    assert!(wrong(&|_| {}).is_empty());
    for (change, message) in [
        (
            &(|r: &mut Value| r["cells"] = json!("ten")) as &dyn Fn(&mut Value),
            "/cells: \"ten\" is no",
        ),
        (&|r| r["cells"] = json!(-1), "/cells: -1 is below"),
        (&|r| drop(r.as_object_mut().unwrap().remove("edges")), "no \"edges\""),
        (&|r| r["schema"] = json!("subsolid.info/1"), "is not \"subsolid.info/2\""),
        (&|r| r["classes"]["odd"] = json!(1), "/classes/odd: not in the schema"),
        (&|r| r["bounds"] = json!([[0.0, 0.0, 0.0]]), "/bounds"),
        (&|r| r["interior_valences"]["three"] = json!(1), "/interior_valences/three"),
    ] {
        let found = wrong(change);
        assert!(found.iter().any(|error| error.contains(message)), "{message}: {found:?}");
    }
    let directory = tempdir().unwrap();
    refused(directory.path(), "schema fine", "invalid value 'fine'");
}

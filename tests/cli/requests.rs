//! Every door asks a job the same: each field of a request is an option or an argument of the program
//! and a keyword of the Python package.

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use subsolid::jobs::bench::BenchRequest;
use subsolid::jobs::boundary::BoundaryRequest;
use subsolid::jobs::conform::ConformRequest;
use subsolid::jobs::denoise::DenoiseRequest;
use subsolid::jobs::distance::DistanceRequest;
use subsolid::jobs::evaluate::EvaluateRequest;
use subsolid::jobs::extend::ExtendRequest;
use subsolid::jobs::fit::FitRequest;
use subsolid::jobs::info::InfoRequest;
use subsolid::jobs::locate::LocateRequest;
use subsolid::jobs::merge::MergeRequest;
use subsolid::jobs::query::QueryRequest;
use subsolid::jobs::refine::RefineRequest;
use subsolid::jobs::slice::SliceRequest;
use subsolid::jobs::smooth::SmoothRequest;
use subsolid::jobs::solve::SolveRequest;
use subsolid::jobs::surface::SurfaceRequest;
use subsolid::jobs::untangle::UntangleRequest;
use subsolid::jobs::view::ViewRequest;

use crate::options::{OptionHelp, option_name, options};
use crate::program::done;

/// A subcommand, its request, the Python functions that fill the same request, and the fields that
/// have another name there.
type Door = (
    &'static str,
    fn(Value) -> serde_json::Result<Value>,
    &'static [&'static str],
    &'static [(&'static str, &'static str)],
);

/// All fields of a request of which some are given.
fn fields<T: DeserializeOwned + Serialize>(given: Value) -> serde_json::Result<Value> {
    serde_json::to_value(serde_json::from_value::<T>(given)?)
}

const DOORS: [Door; 19] = [
    ("bench", fields::<BenchRequest>, &["bench"], &[]),
    ("boundary", fields::<BoundaryRequest>, &["write_boundary"], &[]),
    ("conform", fields::<ConformRequest>, &["conform"], &[]),
    ("denoise", fields::<DenoiseRequest>, &["denoise"], &[]),
    ("distance", fields::<DistanceRequest>, &["distance"], &[]),
    ("evaluate", fields::<EvaluateRequest>, &["write_limit"], &[("output", "path")]),
    ("extend", fields::<ExtendRequest>, &["extend"], &[]),
    ("fit", fields::<FitRequest>, &["fit"], &[("no_untangle", "untangle")]),
    ("info", fields::<InfoRequest>, &["info"], &[]),
    ("locate", fields::<LocateRequest>, &["locate_table"], &[]),
    ("merge", fields::<MergeRequest>, &["merge"], &[("output", "path")]),
    ("query", fields::<QueryRequest>, &["query"], &[]),
    ("refine", fields::<RefineRequest>, &["refine", "reorient", "read"], &[]),
    (
        "slice",
        fields::<SliceRequest>,
        &["slice", "slice_plate", "write", "refine", "weld"],
        &[
            ("attribute", "attributes"),
            ("material_id", "materials"),
            ("png", "path"),
            ("bmp", "format"),
            ("bitmaps", "format"),
            ("svg", "format"),
            ("layered_svg", "path"),
            ("cli", "path"),
            ("slice_stack", "format"),
            ("image_stack", "format"),
            ("vdb", "path"),
            ("vtp", "path"),
            ("pvtu", "path"),
            ("zip", "path"),
            ("sl1", "path"),
        ],
    ),
    ("smooth", fields::<SmoothRequest>, &["smooth", "smooth_attribute"], &[("attribute", "name")]),
    ("solve", fields::<SolveRequest>, &["solve", "write_limit"], &[("output", "path")]),
    (
        "surface",
        fields::<SurfaceRequest>,
        &["refine", "with_rules"],
        &[("chaikin", "crease_rule"), ("smooth_triangles", "triangles")],
    ),
    ("untangle", fields::<UntangleRequest>, &["untangle"], &[]),
    ("view", fields::<ViewRequest>, &["page", "view"], &[("no_interior", "interior")]),
];

/// The names of the functions of the Python package, and those of their parameters.
fn python_names(functions: &[&str]) -> Vec<String> {
    let stubs = fs::read_to_string("python/subsolid/_subsolid.pyi").unwrap();
    let mut names = Vec::new();
    for signature in stubs.split("def ").skip(1) {
        let (name, rest) = signature.split_once('(').unwrap();
        if functions.contains(&name) {
            let parameters = rest.split(") ->").next().unwrap();
            names.push(name.to_owned());
            names.extend(
                parameters
                    .split([',', '\n'])
                    .filter_map(|parameter| Some(parameter.split_once(':')?.0.trim().to_owned())),
            );
        }
    }
    names
}

#[test]
fn every_field_of_a_request_is_an_option_of_both_doors() {
    for (name, request, functions, renamed) in DOORS {
        let help = done(Path::new("."), &format!("{name} --help"));
        let of_options = help.lines().filter(|line| line.trim_start().starts_with(['-', '<']));
        let words = of_options.flat_map(str::split_whitespace);
        // `--flip[=<HOW>]`
        let options: Vec<&str> = words.filter_map(|word| word.split('[').next()).collect();
        let python = python_names(functions);
        let request = request(json!({})).unwrap();
        let fields = request.as_object().unwrap();
        assert!(!fields.is_empty(), "{name}");
        for field in fields.keys() {
            let option = format!("--{}", field.replace('_', "-"));
            let argument = format!("<{}>", field.to_uppercase());
            let several = format!("<{}>...", field.to_uppercase().trim_end_matches('S'));
            let mut names = [&option, &argument, &several].into_iter();
            let is_offered = names.any(|name| options.contains(&name.as_str()));
            assert!(is_offered, "{name}: no {option}");
            let other = renamed.iter().find(|(own, _)| own == field);
            let keyword = other.map_or(field.as_str(), |(_, python)| python);
            assert!(python.iter().any(|own| own == keyword), "{functions:?}: no {keyword}");
        }
    }
}

#[test]
fn listed_values_are_those_of_requests() {
    let mut count = 0;
    for (name, request, ..) in DOORS {
        let help = done(Path::new("."), &format!("{name} --help"));
        let default = request(json!({})).unwrap();
        for (option, text) in options(&help) {
            let field = option_name(option).0.replace('-', "_");
            if default.get(&field).is_none() {
                continue;
            }
            for value in OptionHelp::of(&text).values {
                let number = value.parse::<u64>().map_or(Value::Null, Value::from);
                let forms = [json!(value), json!([value]), number];
                let mut given =
                    forms.into_iter().filter_map(|form| request(json!({ &field: form })).ok());
                let found = given.next().unwrap_or_else(|| panic!("{name} --{field} {value}"));
                let own = found[&field].get(0).unwrap_or(&found[&field]);
                assert_eq!(own.to_string().trim_matches('"'), value, "{name} --{field}");
                count += 1;
            }
        }
    }
    assert!(count > 40, "{count} values");
}

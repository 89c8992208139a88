//! `subsolid fit`: its doors.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use subsolid::jobs::fit::FitRequest;
use tempfile::tempdir;

use crate::json;
use crate::program::{done, run};

/// Options that are no part of the request: the model, what is written, and those of all jobs.
const OTHERS: [&str; 16] = [
    "format",
    "ghosts",
    "creases",
    "creases_from",
    "crease_angle",
    "memory",
    "strict",
    "scheme",
    "output",
    "compress",
    "unit",
    "up",
    "json",
    "threads",
    "quiet",
    "help",
];

fn fields() -> BTreeSet<String> {
    let request = serde_json::to_value(FitRequest::default()).unwrap();
    request.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn the_program_has_an_option_for_every_field_of_the_request_and_no_other() {
    let help = done(Path::new("."), "fit --help");
    let options: BTreeSet<String> = help
        .lines()
        .filter(|line| line.trim_start().starts_with('-') && !line.starts_with("       "))
        .filter_map(|line| line.split("--").nth(1))
        .map(|name| name.split([' ', '=', '[']).next().unwrap().replace('-', "_"))
        .collect();
    let own: BTreeSet<String> =
        options.into_iter().filter(|name| !OTHERS.contains(&name.as_str())).collect();
    assert_eq!(own, fields());
}

#[test]
fn python_has_a_keyword_for_every_field_of_the_request_and_no_other() {
    let stubs = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/subsolid/_subsolid.pyi");
    let stubs = fs::read_to_string(stubs).unwrap();
    let methods: Vec<&str> = stubs.split("    def fit(\n").skip(1).collect();
    // of solids and of surfaces, which have a scheme and nothing to untangle
    assert_eq!(methods.len(), 2);
    for (method, is_surface) in methods.into_iter().zip([false, true]) {
        let signature = method.split("    ) ->").next().unwrap();
        let keywords: BTreeSet<String> = signature
            .lines()
            .filter_map(|line| line.trim().split_once(':'))
            .map(|(name, _)| if name == "untangle" { "no_untangle" } else { name })
            .filter(|&name| !(is_surface && name == "scheme"))
            .map(str::to_owned)
            .collect();
        let mut expected = fields();
        if is_surface {
            expected.remove("no_untangle");
        }
        assert_eq!(keywords, expected);
    }
}

#[test]
fn a_scheme_of_the_target_is_one_of_those_listed() {
    let (code, _, said) =
        run(Path::new("."), "fit x.vtk --to y.obj --target-scheme quads -o z.vtu");
    assert_eq!(code, 2);
    assert!(said.contains("catmull-clark") && said.contains("loop"), "{said}");
}

/// The limit of the smooth 3×3×3 box is far from its vertices.
#[test]
fn a_limit_that_misses_the_vertices_is_said_once_and_not_of_a_fit() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 3 3 3 -o part.vtu");
    done(here, "shape box 3 3 3 -o sharp.vtk");
    for ending in ["vtu", "vtk", "pvtu"] {
        // elements beside the smooth edges of a box are told apart from folded ones
        let (code, ..) = run(here, &format!("fit part.vtu -o fitted.{ending}"));
        assert_eq!(code, 0);
    }
    let jobs = [
        "evaluate FILE --samples 2 -o limit.vtu",
        "view FILE -o page.html",
        "quadrature FILE --gauss 2 --quality",
        "slice FILE --layer-height 0.5 --vtp layers.vtp",
        "info FILE",
    ];
    for job in jobs {
        let said = |file: &str| {
            let (code, stdout, stderr) = run(here, &job.replace("FILE", file));
            assert!(code == 0 && !stdout.contains("the limit misses"), "{job}: {code} {stderr}");
            stderr.matches("the limit misses the vertices by up to ").count()
        };
        assert_eq!(said("part.vtu"), 1, "{job}");
        // the natural end of a sharp box is at its vertices
        assert_eq!(said("sharp.vtk --crease-angle 40"), 0, "{job}");
        for ending in ["vtu", "vtk", "pvtu"] {
            assert_eq!(said(&format!("fitted.{ending}")), 0, "{job} {ending}");
        }
    }
    let (.., limit) = run(here, "info limit.vtu");
    assert!(
        limit.contains("seem to be a limit") && !limit.contains("misses the vertices"),
        "{limit}"
    );
    let (_, _, quiet) = run(here, "info part.vtu --quiet");
    assert_eq!(quiet, "");
    let found = json(here, "info part.vtu --json -q");
    let (_, fit, _) = run(here, "fit part.vtu --json -q -o again.vtu");
    let fit: serde_json::Value = serde_json::from_str(&fit).unwrap();
    let [here_found, by_fit] = [&found["limit_from_vertices"], &fit["vertices"][0]];
    for name in ["rms", "max"] {
        let [a, b] = [here_found, by_fit].map(|report| report[name].as_f64().unwrap());
        assert!((a - b).abs() < 1e-12, "{name}: {a} {b}");
    }
    let of_size = here_found["max"].as_f64().unwrap() / 3.0f64.sqrt() / 3.0;
    assert!((here_found["of_size"].as_f64().unwrap() - of_size).abs() < 1e-12, "{found}");
    assert_eq!(json(here, "info fitted.vtu --json -q")["is_fitted"], true);
}

/// Control cells of a fitted model may fold where its limit, which `fit` has looked at, does not.
#[test]
fn nothing_warns_of_folded_control_cells_of_a_fitted_model() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/solids/cad9.mesh");
    fs::copy(model, here.join("cad9.mesh")).unwrap();
    done(here, "fit cad9.mesh -q -o fitted.vtu");
    let fitted = subsolid::read(here.join("fitted.vtu")).unwrap();
    assert!(!fitted.folded_corners(&fitted.handedness()).cells.is_empty());
    let mut other = fitted;
    other.is_fitted = false;
    subsolid::write(here.join("other.vtu"), &other, subsolid::WriteOptions::default()).unwrap();
    for (name, warnings) in [("fitted", 0), ("other", 1)] {
        let (code, _, stderr) = run(here, &format!("info {name}.vtu"));
        let found = stderr.matches("folded or flat at a corner").count();
        assert_eq!((code, found), (0, warnings), "{stderr}");
    }
}

/// A box without creases becomes round, which its owner may not expect.
#[test]
fn edges_that_become_round_are_said() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 2 -o box.vtk");
    let hint = |options: &str| run(here, &format!("fit box.vtk -o out.vtu {options}")).2;
    let round = hint("");
    assert!(round.contains("24 boundary edges without a crease turn by more than 60"), "{round}");
    assert!(!hint("--crease-angle 40").contains("without a crease"));
}

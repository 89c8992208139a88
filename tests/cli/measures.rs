//! What is measured: precision, speed, quality.

use std::fs;

use tempfile::tempdir;

use crate::program::{done, run};
use crate::vtk_files::array;
use crate::{json, with_fan};

#[test]
fn single_precision_is_compared_with_double() {
    let fan = with_fan();
    let compare = "compare fan.vtu --samples 4 --backend cpu";
    let report = json(fan.path(), &format!("{compare} -o errors.vtu --json"));
    let runs = report["runs"].as_array().unwrap();
    assert_eq!((runs.len(), &runs[0]["name"]), (1, &"f32".into()));
    let all = &runs[0]["all"];
    assert_eq!((&all["cells"], &all["samples"]), (&40.into(), &(40 * 64).into()));
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let classes = runs[0]["classes"].as_object().unwrap();
    let sum: f64 = classes.values().map(|class| number(&class["samples"])).sum();
    assert_eq!(sum, 40.0 * 64.0);
    let worst = number(&all["absolute"]["maximum"]);
    assert!(worst > 0.0 && worst < 1e-6 && number(&all["worst"]["value"]) == worst);

    let file = fs::read(fan.path().join("errors.vtu")).unwrap();
    let errors = array(&file, "error");
    assert_eq!(errors.into_iter().fold(0.0, f64::max), worst);
    // 27 hexahedra in each of 30 layered and 10 irregular cells
    let classes = array(&file, "class");
    let count = |class: f64| classes.iter().filter(|&&found| found == class).count();
    assert_eq!([count(1.0), count(2.0), classes.len()], [30 * 27, 10 * 27, 40 * 27]);

    let text = done(fan.path(), &format!("{compare} --precision f32"));
    assert!(text.contains("99 %") && text.contains("worst in ulp"), "{text}");
    let (_, text, stderr) = run(fan.path(), &format!("{compare} --precision f64 --json"));
    assert!(stderr.contains("the reference itself"), "{stderr}");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["runs"][0]["all"]["absolute"]["maximum"], 0.0);
}

/// Bars and points stand as high as the logarithms of their values say, over whole decades, and
/// series have colors of their own.
fn check_chart(svg: &str) {
    let number = |text: &str, name: &str| -> f64 {
        let start = format!(" {name}=\"");
        let rest = text.rsplit_once(&start).unwrap_or_else(|| panic!("{name}: {text}")).1;
        rest.split('"').next().unwrap().parse().unwrap()
    };
    // what stands before a title is its bar or point
    let parts: Vec<&str> = svg.split("<title>").collect();
    let mut places = Vec::new();
    for pair in parts.windows(2) {
        let title = pair[1].split_once("</title>").unwrap().0;
        let value = title.rsplit_once(": ").unwrap().1.split(' ').next().unwrap();
        let digits = value.trim_start_matches(['0', '.']).split('e').next().unwrap();
        let digits = digits.chars().filter(char::is_ascii_digit).count();
        let value: f64 = value.parse().unwrap();
        assert!(digits == 3 || digits > 3 && value.fract() == 0.0, "{title}");
        let name = if pair[0].rsplit_once('<').unwrap().1.starts_with("rect") { "y" } else { "cy" };
        places.push((value.log10(), number(pair[0], name)));
    }
    let (value, y) = places[0];
    let fits = |decades: u32| {
        let pitch = 220.0 / f64::from(decades);
        places.iter().all(|&place| (y - place.1 - pitch * (place.0 - value)).abs() < 1.1)
    };
    assert!((1..9).any(fits), "{places:?}");
    let names: Vec<&str> =
        svg.split("<rect x=").skip(1).filter(|rect| rect.contains(" y=\"4\" ")).collect();
    let colors = |rect: &&str| rect.split("fill=\"").nth(1).map(|rest| rest[..7].to_owned());
    let colors: std::collections::BTreeSet<_> = names.iter().map(colors).collect();
    assert_eq!(colors.len(), names.len());
}

#[test]
fn a_bench_fills_its_figures() {
    let fan = with_fan();
    let options = "--backend cpu --samples 3 --levels 0,1 --repeats 2";
    let text = done(fan.path(), &format!("bench fan.vtu {options} -o b.json --report b.html"));
    assert!(text.contains("CPU f32") && text.contains("Mpoint/s"), "{text}");

    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(fan.path().join("b.json")).unwrap()).unwrap();
    let timings = json["timings"].as_array().unwrap();
    let whole = |t: &&serde_json::Value| t["class"].is_null() && t["level"] == 1;
    let whole: Vec<_> = timings.iter().filter(whole).filter(|t| t["samples"] == 3).collect();
    assert_eq!(whole.len(), 2); // precisions
    assert!(whole.iter().all(|t| t["points"] == 320 * 27));
    assert_eq!(whole[0]["bytes"], 320 * 27 * 12);
    // classes part the cells among them
    let cells = timings.iter().filter(|t| !t["class"].is_null() && t["contender"] == "CPU f32");
    assert_eq!(cells.map(|t| t["cells"].as_u64().unwrap()).sum::<u64>(), 320);
    for t in timings {
        let [least, median, most] =
            ["least", "median", "most"].map(|key| t["seconds"][key].as_f64().unwrap());
        assert!(0.0 < least && least <= median && median <= most, "{t}");
    }
    // each number of samples of the figures once: those of a sweep, and equal numbers of points
    let of_all = timings.iter().filter(|t| t["class"].is_null() && t["contender"] == "CPU f32");
    let of_all: Vec<[u64; 2]> =
        of_all.map(|t| ["level", "samples"].map(|key| t[key].as_u64().unwrap())).collect();
    let sweep = [2, 3, 4, 5, 6, 8, 12, 16].map(|samples| [0, samples]);
    assert_eq!(of_all, [&sweep[..], &[[1, 3]]].concat());
    assert!(timings.iter().all(|t| t["class"].is_null() || t["level"] == 1));
    let today = std::process::Command::new("date").args(["-u", "+%F"]).output();
    if let Ok(today) = today.map(|date| String::from_utf8(date.stdout).unwrap()) {
        assert_eq!(json["machine"]["date"], today.trim());
    }
    assert_eq!(json["accuracy"].as_array().unwrap().len(), 1);
    assert!(json["left_out"][0].as_str().unwrap().contains("figures 9 and 10"));

    let page = fs::read_to_string(fan.path().join("b.html")).unwrap();
    for title in ["Table 1", "Figure 11", "Figure 12", "Figure 13", "Figure 14", "Section 5.4"] {
        assert!(page.contains(title), "{title}");
    }
    assert!(!page.contains("Figure 9:") && page.contains("--repeats 2"));
    // one chart each of figures 11, 12 and 5.4, two of 13 and 14
    assert_eq!(page.matches("<svg").count(), 7);
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    assert!(!page.contains("NaN") && !page.contains("href=") && !page.contains("<script"));
    page.split("<svg").skip(1).for_each(check_chart);
    fs::create_dir(fan.path().join("b")).unwrap();
    done(fan.path(), "shape box 1 1 1 -o b/fan.vtu");
    done(fan.path(), "shape box 1 1 1 -o box.vtu");
    let models = "fan.vtu b/fan.vtu box.vtu";
    done(
        fan.path(),
        &format!("bench {models} --backend cpu --samples 2 --levels 0 --repeats 1 -o c.json"),
    );
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(fan.path().join("c.json")).unwrap()).unwrap();
    let names = json["models"].as_array().unwrap().iter().map(|model| &model["model"]);
    assert!(names.eq(["fan.vtu", "b/fan.vtu", "box"]));
}

#[test]
fn poor_quality_is_told_by_the_exit_code() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box 3 3 3 -o box.vtk");
    let good = json(path, "evaluate box.vtk --gauss 3 --quality --json");
    assert_eq!(good["quality"]["samples"], 27 * 27);
    assert!(good["quality"]["least_determinant"]["value"].as_f64().unwrap() > 0.0);
    assert_eq!(good["quality"]["non_positive"].as_object().unwrap().len(), 0);

    // one inner vertex pulled along x until the solid folds, but no cell as a whole
    let mut mesh = subsolid::io::read(path.join("box.vtk")).unwrap();
    let inner = mesh.points.iter().position(|p| *p == [1.0; 3]).unwrap();
    mesh.points[inner][0] = 4.9;
    subsolid::io::write(path.join("bad.vtk"), &mesh, Default::default()).unwrap();
    let (code, stdout, _) = run(path, "evaluate bad.vtk --samples 6 --quality");
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("cells with det J <= 0") && stdout.contains("worst -"), "{stdout}");
}

/// One definition for all commands: on extraordinary edges the characteristic parametrization, where
/// this model had 226 cells of det J = 0, and NaN in gradients.
#[test]
fn extraordinary_edges_are_not_folded() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/models/bracket.vtk");
    let (code, stdout, _) = run(path, &format!("evaluate {model} --samples 5 --quality"));
    assert_eq!(code, 0, "{stdout}");
    let none = "no folded sample at 5³ samples of each cell";
    assert!(stdout.contains(none), "{stdout}");
    let report = json(path, &format!("evaluate {model} --samples 5 --quality --json"));
    let quality = &report["quality"];
    // corners of cells at 8 vertices of the smooth boundary, where the limit has no differential
    assert_eq!((&quality["undefined"], &quality["samples"]), (&24.into(), &(888 * 125).into()));
    let least = quality["least_scaled_jacobian"]["value"].as_f64().unwrap();
    let mesh = subsolid::read(model).unwrap();
    let options =
        subsolid::view::ViewOptions { samples: 5, ..subsolid::view::ViewOptions::titled("b") };
    let page = subsolid::view::Page::of_solid(&mesh, &options).unwrap();
    assert!((page.worst().unwrap().scaled_jacobian - least).abs() < 1e-12);
    let (code, stdout, _) = run(path, &format!("quadrature {model} --quality"));
    assert!(code == 0 && stdout.contains("no folded sample at the quadrature points"), "{stdout}");
}

//! What all subcommands have in common: status lines, help, endings, words.

use std::fs;
use std::path::Path;

use crate::program::{done, refused, run};
use crate::with_fan;

const CORNER: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// Subcommands with a model that may be a surface, with one that is a surface, and the others.
const OF_BOTH: [&str; 6] = ["info", "slice", "query", "distance", "smooth", "view"];
const OF_SURFACES: [&str; 2] = ["denoise", "surface"];
const OF_SOLIDS: [&str; 12] = [
    "refine",
    "evaluate",
    "extract",
    "quadrature",
    "assemble",
    "solve",
    "locate",
    "untangle",
    "conform",
    "extend",
    "compare",
    "boundary",
];
const OF_NONE: [&str; 7] = ["merge", "bench", "devices", "shape", "completions", "man", "schema"];

/// A box of one cell, a surface and tables.
fn with_one_cell() -> tempfile::TempDir {
    let directory = with_fan();
    let here = directory.path();
    done(here, "shape box 1 1 1 -o box.vtu");
    fs::write(here.join("corner.obj"), CORNER).unwrap();
    fs::write(here.join("at.csv"), "cell,u,v,w\n0,0.5,0.5,0.5\n").unwrap();
    fs::write(here.join("x.csv"), "x,y,z\n0.5,0.5,0.5\n").unwrap();
    directory
}

/// A verb, at the end of ten columns, and what it was done to.
fn is_status(line: &str) -> bool {
    let line = line.trim_start();
    let verb = line.split(' ').next().unwrap_or_default();
    let is_verb = verb.len() > 3 && (verb.ends_with("ed") || verb.ends_with("ing"));
    let is_irregular = ["Read", "Wrote", "Chose", "Found"].contains(&verb);
    verb.starts_with(char::is_uppercase) && (is_verb || is_irregular) && line.len() > verb.len()
}

/// What a line says of a file: `Wrote part.vtu: 8 vertices, 1 cell in 1.2 ms`.
fn said_of<'l>(stderr: &'l str, verb: &str, file: &str) -> Vec<&'l str> {
    let start = format!("{verb} {file}: ");
    let lines = stderr.lines().filter_map(|line| line.trim_start().strip_prefix(&*start));
    lines
        .map(|rest| {
            let (what, time) = rest.rsplit_once(" in ").unwrap_or_else(|| panic!("{rest}"));
            assert!(time.ends_with(" ms") || time.ends_with(" s"), "{rest}");
            what
        })
        .collect()
}

#[test]
fn every_file_has_its_status_line() {
    let directory = with_one_cell();
    let here = directory.path();
    done(here, "distance fan.vtu --name depth -o depth.vtu");
    for part in 1..=2 {
        done(here, &format!("evaluate fan.vtu --samples 2 --pieces {part}/2 -o parts.pvtu"));
    }
    // the model, what is written, and whether the job has a report for people
    for (job, model, output, reports) in [
        ("refine fan.vtu -o a.vtu", "fan.vtu", "a.vtu", false),
        ("refine fan.vtu -o a.pvtu", "fan.vtu", "a.pvtu", false),
        ("shape box -o b.vtu", "", "b.vtu", false),
        ("evaluate fan.vtu --samples 2 -o c.vtu", "fan.vtu", "c.vtu", false),
        ("evaluate fan.vtu --cells bezier -o d.vtu", "fan.vtu", "d.vtu", false),
        ("evaluate fan.vtu --at at.csv -o e.csv", "fan.vtu", "e.csv", false),
        ("evaluate fan.vtu --samples 2 -o f.glb", "fan.vtu", "f.glb", false),
        (
            "evaluate fan.vtu --samples 2 --pieces 1/2 -o g.pvtu",
            "fan.vtu",
            "part 1/2 of g.pvtu",
            false,
        ),
        ("merge parts.pvtu", "", "parts.pvtu", false),
        ("extract fan.vtu -o h.npz", "fan.vtu", "h.npz", false),
        ("slice fan.vtu --layer-height 0.5 --svg i", "fan.vtu", "i", false),
        ("slice corner.obj --layer-height 0.2 --vtp j.vtp", "corner.obj", "j.vtp", false),
        ("quadrature fan.vtu --gauss 2 --rings 1 -o k.npz", "fan.vtu", "k.npz", false),
        ("quadrature fan.vtu --rings 1 --boundary -o l.vtu", "fan.vtu", "l.vtu", true),
        ("assemble box.vtu --rings 1 --mass -o m", "box.vtu", "m", false),
        ("locate box.vtu --points x.csv -o n.csv", "box.vtu", "n.csv", true),
        ("distance fan.vtu -o o.vtu", "fan.vtu", "o.vtu", false),
        ("distance corner.obj --to vertex:0 -o p.ply", "corner.obj", "p.ply", false),
        ("smooth depth.vtu --attribute depth -o q.vtu", "depth.vtu", "q.vtu", false),
        ("smooth corner.obj --time 0.01 -o r.obj", "corner.obj", "r.obj", false),
        ("denoise corner.obj -o s.obj", "corner.obj", "s.obj", false),
        ("untangle fan.vtu -o t.vtu", "fan.vtu", "t.vtu", true),
        ("conform fan.vtu -o t.vtu", "fan.vtu", "t.vtu", true),
        ("compare fan.vtu --backend cpu --samples 2 -o u.vtu", "fan.vtu", "u.vtu", true),
        ("surface corner.obj -o v.obj", "corner.obj", "v.obj", false),
        ("boundary fan.vtu -o w.obj", "fan.vtu", "w.obj", false),
        ("view fan.vtu -o x.html", "fan.vtu", "x.html", false),
        ("view corner.obj -o y.html", "corner.obj", "y.html", false),
        ("info fan.vtu --report z.html", "fan.vtu", "z.html", true),
        ("info corner.obj --report z.html", "corner.obj", "z.html", true),
        ("query corner.obj", "corner.obj", "", true),
    ] {
        let (code, stdout, stderr) = run(here, job);
        assert_eq!(code, 0, "{job}: {stderr}");
        for line in stderr.lines() {
            let is_other = ["   warning ", "      hint "].iter().any(|kind| line.starts_with(kind));
            assert!(is_status(line) || is_other, "{job}: {line}");
        }
        for (verb, file) in [("Read", model), ("Wrote", output)] {
            let expected = usize::from(!file.is_empty());
            assert_eq!(
                said_of(&stderr, verb, file).len(),
                expected,
                "{job}: {verb} {file}\n{stderr}"
            );
        }
        assert_eq!(!stdout.is_empty(), reports, "{job}: {stdout}");
        if !job.contains("--pieces") && !job.starts_with("merge") {
            let (_, _, quiet) = run(here, &format!("{job} --quiet"));
            assert_eq!(quiet, "", "{job}");
        }
    }
}

/// `1 batches`, say.
fn plurals_of_one(text: &str) -> Vec<&str> {
    const PLURALS: [&str; 17] = [
        "batches",
        "cells",
        "vertices",
        "edges",
        "faces",
        "points",
        "elements",
        "structures",
        "pieces",
        "layers",
        "levels",
        "steps",
        "leaves",
        "hexahedra",
        "operators",
        "entries",
        "matrices",
    ];
    let is_wrong = |line: &&str| {
        let words: Vec<&str> = line.split([' ', ',', ':', ';', '(', ')']).collect();
        words.windows(2).any(|pair| pair[0] == "1" && PLURALS.contains(&pair[1]))
    };
    text.lines().filter(is_wrong).collect()
}

#[test]
fn one_thing_is_said_in_the_singular() {
    assert_eq!(
        plurals_of_one("Planned 1 batches in 0.2 ms\nRead 1 cell"),
        ["Planned 1 batches in 0.2 ms"]
    );
    let directory = with_one_cell();
    let here = directory.path();
    let creases: String = "kind,v0,v1,sharpness\n".to_owned()
        + &["0,1", "2,3", "4,5", "6,7"].map(|edge| format!("edge,{edge},inf\n")).concat();
    fs::write(here.join("creases.csv"), creases).unwrap();
    for job in [
        "info box.vtu --verbose",
        "info corner.obj",
        "refine box.vtu --levels 1 -o a.vtu",
        "evaluate box.vtu --samples 2 -o a.vtu",
        "evaluate box.vtu --crease-angle 40 --samples 2 -o a.vtu",
        "evaluate box.vtu --crease-angle 40 --samples 2 --explain",
        "evaluate box.vtu --crease-angle 40 --cells bezier -o a.vtu",
        "extract box.vtu --crease-angle 40 -o a.npz",
        "quadrature box.vtu --crease-angle 40 -o a.npz",
        "assemble box.vtu --crease-angle 40 --mass -o m",
        "locate box.vtu --crease-angle 40 --points x.csv",
        "slice box.vtu --layer-height 1 --svg s",
        "query box.vtu",
        "smooth corner.obj --time 0.1 -o a.obj",
        "surface corner.obj --levels 1 -o a.obj",
        "bench box.vtu --backend cpu --samples 2 --levels 0 --repeats 1",
    ] {
        let (code, stdout, stderr) = run(here, job);
        assert_eq!(code, 0, "{job}: {stderr}");
        assert!(plurals_of_one(&stdout).is_empty(), "{job}: {:?}", plurals_of_one(&stdout));
        assert!(plurals_of_one(&stderr).is_empty(), "{job}: {:?}", plurals_of_one(&stderr));
    }
    let (_, _, stderr) = run(here, "evaluate box.vtu --crease-angle 40 --samples 2 -o a.vtu");
    assert!(stderr.contains("Planned 1 batch in "), "{stderr}");
    let (_, _, stderr) = run(here, "evaluate box.vtu --at at.csv --quality");
    assert!(stderr.contains("Evaluated 1 point in "), "{stderr}");
}

fn help(name: &str) -> String {
    done(Path::new("."), &format!("{name} --help"))
}

/// The text of an argument or option in a help.
fn help_of(text: &str, name: &str) -> String {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let is_it = |line: &str| !line.starts_with("Usage") && words(line).iter().any(|w| w == name);
    let mut lines = text.lines().skip_while(|line| !is_it(line));
    let first = lines.next().unwrap_or_else(|| panic!("{name}: {text}"));
    let rest: Vec<&str> = lines.take_while(|line| !line.trim_start().starts_with('-')).collect();
    format!("{first} {}", rest.join(" ").split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn options_are_listed_where_they_act() {
    let all = OF_BOTH.iter().chain(&OF_SURFACES).chain(&OF_SOLIDS).chain(&OF_NONE);
    let root = done(Path::new("."), "--help");
    for &name in all {
        assert!(
            root.lines().any(|line| line.trim_start().starts_with(&format!("{name} "))),
            "{name}"
        );
        let (text, is_text) = (help(name), ["completions", "man", "schema"].contains(&name));
        let shared = ["evaluate", "quadrature", "refine", "slice"].contains(&name);
        for (option, acts) in [("--mpi", shared), ("--threads", !is_text), ("--quiet", !is_text)] {
            assert_eq!(text.contains(option), acts, "{name} {option}: {text}");
        }
        // options of all subcommands stand behind their own
        if let (Some(own), Some(of_all)) = (text.find("      --output"), text.find("--threads")) {
            assert!(own < of_all, "{text}");
        }
        assert!(!text.contains("0.0000"), "{name}: a default is not readable: {text}");
        assert!(!text.contains("[default: catmull-clark] Possible"), "{text}");
        assert!(text.matches("[default: catmull-clark]").count() < 2, "{text}");
    }
    let fan = with_fan();
    for command in
        ["info fan.vtu", "shape box -o a.vtu", "devices", "schema", "man", "completions bash"]
    {
        let name = command.split(' ').next().unwrap();
        for line in [format!("--mpi {command}"), format!("{command} --mpi")] {
            refused(fan.path(), &line, &format!("{name} does not support --mpi"));
        }
    }
    // completions offer no more
    let script = done(Path::new("."), "completions fish");
    assert!(
        script.lines().any(|line| line.contains("subcommand slice") && line.contains("-l mpi"))
    );
}

#[test]
fn the_help_says_which_models_are_taken() {
    let directory = with_one_cell();
    let here = directory.path();
    for name in OF_SOLIDS {
        let text = help_of(&help(name), "<MODEL>");
        assert!(text.contains(".vtu") && !text.contains(".obj"), "{name}: {text}");
        let more = match name {
            "evaluate" => "--samples 2 -o a.vtu",
            "assemble" => "--mass -o a",
            "solve" => "--heat 1 --temperature 0=1",
            "locate" => "--points x.csv",
            "extract" | "quadrature" => "-o a.npz",
            "boundary" => "-o a.obj",
            "compare" => "",
            _ => "-o a.vtu",
        };
        refused(here, &format!("{name} corner.obj {more}"), "a surface, not a control mesh");
    }
    for name in OF_BOTH {
        let text = help_of(&help(name), "<MODEL>");
        assert!(text.contains(".vtu") && text.contains(".obj"), "{name}: {text}");
    }
    for name in OF_SURFACES {
        let text = help_of(&help(name), "<MODEL>");
        assert!(text.starts_with("  <MODEL>") && text.contains("surface"), "{name}: {text}");
        refused(here, &format!("{name} fan.vtu -o a.obj"), "subsolid boundary");
    }
    assert!(help_of(&help("slice"), "--strict").contains("surfaces"));
    assert!(!help_of(&help("refine"), "--strict").contains("surfaces"));
}

/// Endings that a message names are those that the same job takes.
#[test]
fn endings_that_are_offered_are_taken() {
    let directory = with_one_cell();
    let here = directory.path();
    for (job, wrong) in [
        ("distance corner.obj --to vertex:0", "vtu"),
        ("distance corner.obj --to vertex:0", "obj"),
        ("distance fan.vtu", "ply"),
        ("smooth corner.obj --time 0.01", "vtu"),
        ("denoise corner.obj", "vtu"),
        ("surface corner.obj", "vtu"),
        ("boundary fan.vtu", "vtu"),
        ("locate fan.vtu --points x.csv", "stl"),
        ("locate fan.vtu --points x.csv", "vtu"),
        ("evaluate fan.vtu --samples 2", "stl"),
        ("evaluate fan.vtu --at at.csv", "stl"),
        ("evaluate fan.vtu --at at.csv", "vtu"),
        ("compare fan.vtu --backend cpu --samples 2", "stl"),
        ("compare fan.vtu --backend cpu --samples 2", "csv"),
        ("quadrature fan.vtu --gauss 2 --rings 0 --force", "stl"),
        ("extract fan.vtu", "vtu"),
        ("refine fan.vtu", "stl"),
        ("untangle fan.vtu", "stl"),
        ("conform fan.vtu", "stl"),
        ("shape box", "stl"),
        ("view fan.vtu", "vtu"),
    ] {
        let (code, _, stderr) = run(here, &format!("{job} -o out.{wrong}"));
        assert_eq!(code, 2, "{job}: {stderr}");
        let help = stderr.lines().find(|line| line.starts_with("help: ")).unwrap();
        let words = help.split([' ', ',']).filter_map(|word| word.strip_prefix('.'));
        let endings: Vec<&str> = words.collect();
        assert!(!endings.is_empty() && !endings.contains(&wrong), "{job}: {stderr}");
        for ending in endings {
            // two formats have that ending
            let format = if ending == "mesh" { " --format mfem" } else { "" };
            let (code, _, stderr) = run(here, &format!("{job}{format} -o taken.{ending}"));
            assert!(code < 2, "{job} -o taken.{ending}: {stderr}");
        }
    }
}

#[test]
fn a_table_keeps_corners_and_says_what_it_does_not() {
    let directory = with_one_cell();
    let here = directory.path();
    fs::write(here.join("tags.csv"), "kind,v0,v1,sharpness\ncorner,0,,2.5\nedge,0,1,2\n").unwrap();
    let (code, _, stderr) = run(here, "refine box.vtu --levels 0 --creases tags.csv -o box.csv");
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("box.csv: left out 1 cell, 1 crease\n"), "{stderr}");
    let table = fs::read_to_string(here.join("box.csv")).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("x,y,z,corner_sharpness"));
    assert!(lines.next().unwrap().ends_with(",2.5000000000000000e0"), "{table}");
}

#[test]
fn defaults_are_said_and_taken() {
    let directory = with_one_cell();
    let here = directory.path();
    let tolerance = format!("[default: {:e}]", subsolid::locate::DEFAULT_TOLERANCE);
    assert!(help_of(&help("locate"), "--tolerance").contains(&tolerance));
    assert!(help_of(&help("bench"), "--samples").contains("[default: 4,8]"));
    for (job, option) in [
        ("quadrature box.vtu --rings 0 -o a.npz", "--gauss 5"),
        ("slice box.vtu --layer-height 0.5 --cli a.cli", "--unit mm"),
        ("slice box.vtu --layer-height 0.5 --cli a.cli", "--unit 1"),
        ("slice box.vtu --layer-height 0.5 --unit in --cli a.cli", "--unit 25.4"),
    ] {
        let file = here.join(job.rsplit(' ').next().unwrap());
        done(here, job);
        let first = fs::read(&file).unwrap();
        let job = job.replace(" --unit in", "");
        done(here, &format!("{job} {option}"));
        assert!(fs::read(&file).unwrap() == first, "{job} {option}");
    }
    refused(
        here,
        "slice box.vtu --layer-height 0.5 --unit km --cli a.cli",
        "um, mm, cm, m, in, ft",
    );
    refused(here, "info box.vtu --threads 5000", "threads here, 32 for each of");
}

/// Former names do what new ones do, and are not listed.
#[test]
fn renamed_options_keep_their_old_names() {
    let directory = with_one_cell();
    let here = directory.path();
    for (job, old, new, output) in [
        ("evaluate fan.vtu --samples 2 -o a.vtu", "--no-weld", "--separate-points", "a.vtu"),
        ("evaluate fan.vtu --samples 2 -o b.vtu", "--max-memory 1", "--write-memory 1", "b.vtu"),
        (
            "bench box.vtu --backend cpu --samples 2 --levels 0 --repeats 1",
            "--json c.json",
            "--output c.json",
            "c.json",
        ),
    ] {
        let written = [old, new].map(|option| {
            done(here, &format!("{job} {option}"));
            fs::read(here.join(output)).unwrap()
        });
        // times differ
        assert!(written[0] == written[1] || output.ends_with(".json"), "{job} {old}");
        let text = help(job.split(' ').next().unwrap());
        let [old, new] = [old, new].map(|option| option.split(' ').next().unwrap());
        assert!(text.contains(new) && !text.contains(&format!("{old} ")), "{text}");
    }
}

/// Examples of the help, of one line each.
fn examples(name: &str) -> Vec<String> {
    let text = done(Path::new("."), &format!("{name} --help")).replace("\\\n", " ");
    let (_, examples) = text.split_once("Examples:\n").unwrap_or_else(|| panic!("{name}: {text}"));
    let lines = examples.lines().filter_map(|line| line.trim_start().strip_prefix("subsolid "));
    // without what a shell does with the output
    lines
        .map(|line| line.split(" | ").flat_map(|line| line.split(" > ")).next().unwrap().to_owned())
        .collect()
}

/// They are refused for the missing model at most.
#[test]
fn examples_of_the_help_are_valid() {
    let directory = tempfile::tempdir().unwrap();
    let mut count = 0;
    for name in OF_BOTH.iter().chain(&OF_SURFACES).chain(&OF_SOLIDS).chain(&OF_NONE).chain(&[""]) {
        for example in examples(name) {
            let (code, _, stderr) = run(directory.path(), &example.replace('\'', ""));
            let reasons = ["No such file", "NVIDIA driver", "records of jobs", "no layers of jobs"];
            let missing = reasons.iter().any(|why| stderr.contains(why));
            assert!(code == 0 || missing && !stderr.contains("Usage:"), "{example}: {stderr}");
            count += 1;
        }
    }
    assert!(count > 80, "{count} examples");
}

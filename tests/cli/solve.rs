//! `subsolid solve` as its users run it.

use std::path::Path;

use serde_json::Value;
use tempfile::tempdir;

use crate::program::{done, refused, run};

fn report(here: &Path, command: &str) -> Value {
    serde_json::from_str(&done(here, &format!("{command} --json"))).unwrap()
}

/// What goes on from the control mesh finds what the limit has.
#[test]
fn results_are_attributes_of_both_files() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 4 -o bar.vtk");
    let solve = "solve bar.vtk --crease-angle 40 --elasticity 200,0.3 --fix 0 --gauss 3";
    let found = report(
        here,
        &format!(
            "{solve} --traction side:5=1,0,3 --samples 3 -o limit.vtu --control-mesh bent.vtu"
        ),
    );
    assert_eq!((&found["problem"], &found["unknowns"]), (&"elasticity".into(), &108.into()));
    assert_eq!(
        (&found["output"], &found["control_mesh"]),
        (&"limit.vtu".into(), &"bent.vtu".into())
    );
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-6;
    assert!(near(&found["load"][0], 4.0) && near(&found["load"][2], 12.0));
    assert!(near(&found["reactions"][0]["reaction"][0], -4.0));
    let names: Vec<&str> =
        found["fields"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    let components = ["xx", "yy", "zz", "xy", "yz", "xz"].map(|k| format!("stress_{k}"));
    let expected = [
        &["displacement".to_owned()][..],
        &components,
        &["von_mises".into(), "strain_energy".into()],
    ];
    assert_eq!(names, expected.concat());
    done(here, "evaluate bent.vtu --samples 3 -o again.vtu");
    let read = |name: &str| subsolid::read(here.join(name)).unwrap();
    let [limit, again] = ["limit.vtu", "again.vtu"].map(read);
    assert_eq!(limit.attributes, again.attributes);
    let widths: Vec<(&str, usize)> =
        limit.attributes.iter().map(|a| (a.name.as_str(), a.width)).collect();
    let expected = [("displacement", 3), ("stress", 6), ("von_mises", 1), ("strain_energy", 1)];
    assert_eq!(widths, expected);
    // held points stay
    for (p, u) in limit.points.iter().zip(limit.attributes[0].values.chunks_exact(3)) {
        assert!(p[2] > 0.0 || u.iter().all(|x| x.abs() < 1e-13), "{p:?} {u:?}");
    }
    for cells in ["lagrange", "bezier"] {
        done(here, &format!("{solve} --load 5=1,0,3 --cells {cells} -o {cells}.vtu"));
    }
    done(here, "view bent.vtu --color von_mises -o bent.html");
    let text = done(here, &format!("{solve} --load 5=1,0,3"));
    assert!(text.contains("greatest von_mises") && text.contains("reaction of 0 "), "{text}");
}

#[test]
fn what_cannot_be_solved_is_refused_by_name() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 2 -o box.vtk");
    done(here, "shape box 3 3 3 -o round.vtk");
    let solve = |options: &str| format!("solve box.vtk --crease-angle 40 --gauss 2 {options}");
    for (options, why) in [
        ("", "nothing to solve"),
        ("--elasticity 1,0.3 --heat 1", "two problems at once"),
        ("--elasticity 1,0.5 --fix 0 --load 5=1,0,0", "Poisson's ratio 0.5: out of range"),
        ("--heat 0 --temperature 0=1", "a conductivity of 0: out of range"),
        ("--elasticity 1,1,1 --fix 0", "3 numbers instead of 2 or 9"),
        (
            "--elasticity 1,1,1,1,1,1,0.6,0.6,0.6 --fix 0 --load 5=1,0,0",
            "NU12, NU23, NU13 of 0.6, 0.6, 0.6: the material is not stable",
        ),
        (
            "--elasticity 1,0.3 --material-axes a,b --fix 0 --load 5=1,0,0",
            "--material-axes is for orthotropic materials",
        ),
        (
            "--elasticity 2,1,1,1,1,1,0.1,0.1,0.1 --material-axes a,b --fix 0 --load 5=1,0,0",
            "no attribute is named \"a\"",
        ),
        ("--elasticity 1,0.3 --load 5=1,0,0", "nothing holds the solution"),
        ("--elasticity 1,0.3 --fix 0", "no load and no displacement"),
        ("--heat 1 --source 1", "nothing holds the solution"),
        ("--heat 1 --temperature 0=1 --fix 0", "--fix is for --elasticity"),
        ("--elasticity 1,0.3 --fix 0 --flux 5=1", "--flux is for --heat"),
        ("--elasticity 1,0.3 --fix foot --load 5=1,0,0", "the boundary has no group foot"),
        ("--elasticity 1,0.3 --fix 0 --load side:9=1,0,0", "the boundary has no side 9"),
        ("--elasticity 1,0.3 --fix 0=0,, --load 5=1,0,0", "translation along y"),
        ("--elasticity 1,0.3 --fix 0 --fix 1=1,0,0", "0 and 1 contradict each other"),
        ("--elasticity 1,0.3 --fix 0=,, --load 5=1,0,0", "PART=X,Y,Z"),
        ("--elasticity 1,0.3 --fix 0 --pressure 5=x", "numbers"),
        ("--elasticity 1,0.3 --fix 0 --pressure 5=1 --tolerance 1", "out of range"),
        ("--elasticity 1,0.3 --fix 0 --pressure 5=1 --samples 3", "--output"),
        ("--elasticity 1,0.3 --fix 0 --pressure 5=1 -o a.stl", "unknown output format"),
        (
            "--elasticity 1,0.3 --fix 0 --pressure 5=1 -o box.vtk",
            "is an input, and would be replaced",
        ),
    ] {
        refused(here, &solve(options), why);
    }
    // folded cells: the middle is pulled out of the box
    let mut mesh = subsolid::read(here.join("box.vtk")).unwrap();
    mesh.points[13] = [9.0, 9.0, 9.0];
    subsolid::write(here.join("folded.vtu"), &mesh, Default::default()).unwrap();
    let folded = "solve folded.vtu --crease-angle 40 --heat 1 --temperature 0=1";
    refused(here, folded, "Jacobian determinant is not positive");
    // a displacement alone is a load
    let (code, _, stderr) = run(here, &solve("--elasticity 1,0.3 --fix 0 --fix 5=0,0,0.1"));
    assert_eq!(code, 0, "{stderr}");
}

/// Areas of loaded parts tell a force from a force per area; so do displacements as large as the model.
#[test]
fn mistakes_of_loads_are_said() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 4 -o bar.vtk");
    let solve = "solve bar.vtk --crease-angle 40 --elasticity 200,0.3 --fix 0 --gauss 3";
    let of = |options: &str| run(here, &format!("{solve} {options}"));
    let (_, text, said) = of("--load 5=0,0,1 --pressure side:5=0.5");
    assert!(text.contains("area of side:5") && text.contains("4.00000 in 4 faces"), "{text}");
    assert!(text.contains("-2.00000 on 4 faces"), "{text}");
    assert!(!said.contains("warning") && said.contains("Derived stress, von_mises, "), "{said}");
    let large = of("--load 5=0,0,100").2;
    // 4 long, pulled by half of E; 2 by 2 across
    let percent = large.split("reach ").nth(1).and_then(|rest| rest.split(' ').next());
    let percent: f64 = percent.expect("a warning").parse().unwrap();
    assert!((30.0..45.0).contains(&percent), "{large}");
    let held = of("--load 0=0,0,1").2;
    assert!(held.contains("nothing moves: all of the load is on parts that are held"), "{held}");
}

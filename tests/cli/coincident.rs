//! Vertices in one place, as the program's users meet them.

use std::fs;

use tempfile::tempdir;

use crate::json;
use crate::program::{done, refused, run};

#[test]
fn cells_that_own_their_corners_are_warned_of_and_joined() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 3 3 3 -o box.vtu");
    let whole = subsolid::read(here.join("box.vtu")).unwrap();
    let corners = whole.cells.hexahedra().unwrap().as_flattened();
    let points = corners.iter().map(|&v| whole.points[v as usize]).collect();
    let own: Vec<[u32; 8]> = (0..27).map(|c| std::array::from_fn(|i| 8 * c + i as u32)).collect();
    let apart = subsolid::mesh::SolidMesh::from_hexahedra(points, &own);
    subsolid::write(here.join("apart.vtu"), &apart, Default::default()).unwrap();
    let lie = "208 vertices lie exactly where another vertex lies (the first: vertices ";
    for job in
        ["info apart.vtu", "evaluate apart.vtu --gauss 2 -o a.csv", "boundary apart.vtu -o b.obj"]
    {
        let (code, _, stderr) = run(here, job);
        assert_eq!((code, stderr.matches(lie).count()), (0, 1), "{job}: {stderr}");
        assert!(stderr.contains("refine apart.vtu --levels 0 --weld"), "{stderr}");
    }
    // as a shell takes it
    fs::copy(here.join("apart.vtu"), here.join("it's.vtu")).unwrap();
    let (_, _, stderr) = run(here, "info it's.vtu");
    assert!(stderr.contains(r"refine 'it'\''s.vtu' --levels 0 --weld"), "{stderr}");
    // readers join what pieces have in one place
    for (size, warns) in [("216", false), ("100", true)] {
        let job = format!("refine apart.vtu --piece-cells {size} -o fine.pvtu");
        let (code, _, stderr) = run(here, &job);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(stderr.contains("fine.pvtu: vertices in one place (208 of"), warns, "{stderr}");
    }
    let (code, _, stderr) = run(here, "refine apart.vtu --levels 0 --weld -o joined.vtu");
    assert!(code == 0 && stderr.contains("64 vertices left") && !stderr.contains(lie), "{stderr}");
    let info = |name: &str| {
        let report = json(here, &format!("info {name} --json"));
        ["vertices", "parts", "coincident_vertices"].map(|key| report[key].as_u64().unwrap())
    };
    assert_eq!(info("apart.vtu"), [216, 27, 208]);
    assert_eq!(info("joined.vtu"), [64, 1, 0]);
    let (_, stdout, stderr) = run(here, "info joined.vtu");
    assert!(stdout.contains("connected parts      1\n") && !stderr.contains("lie exactly"));
}

#[test]
fn merged_pieces_are_merged_already() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 2 -o box.vtu");
    done(here, "evaluate box.vtu --samples 2 --pieces 1/1 -o limit.pvtu");
    done(here, "merge limit.pvtu");
    refused(here, "merge limit.pvtu", "is merged already");
    refused(here, "merge none.pvtu", "holds no records of jobs");
}

#[test]
fn tables_of_other_cells_name_corners() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/models/formats/ascii.vtu");
    fs::copy(models, here.join("mixed.vtu")).unwrap();
    done(here, "evaluate mixed.vtu --gauss 1 -o m.csv");
    let table = fs::read_to_string(here.join("m.csv")).unwrap();
    let mut lines = table.lines();
    assert!(lines.next().unwrap().starts_with("x,y,z,cell,corner,u,v,w,class"), "{table}");
    // what --at demands of the rows, with an empty corner for -1
    let mut asked = String::from("cell,corner,u,v,w\n");
    for line in lines {
        let row: Vec<&str> = line.split(',').collect();
        let corner = if row[4] == "-1" { "" } else { row[4] };
        asked += &format!("{},{corner},{},{},{}\n", row[3], row[5], row[6], row[7]);
    }
    fs::write(here.join("at.csv"), asked).unwrap();
    done(here, "evaluate mixed.vtu --at at.csv -o back.csv");
    // advice for a cell that is not a hexahedron fits the table
    for (table, advice) in [
        ("cell,corner,u,v,w\n3,,0.5,0.5,0.5\n", "in the column `corner`"),
        ("cell,u,v,w\n3,0.5,0.5,0.5\n", "begin the table with `cell,corner,u,v,w`"),
    ] {
        fs::write(here.join("bare.csv"), table).unwrap();
        refused(here, "evaluate mixed.vtu --at bare.csv -o bare_out.csv", advice);
    }
    let back = fs::read_to_string(here.join("back.csv")).unwrap();
    assert_eq!(back.lines().count(), table.lines().count());
    for (a, b) in table.lines().zip(back.lines()).skip(1) {
        let number = |line: &str, i: usize| line.split(',').nth(i).unwrap().parse::<f64>().unwrap();
        for d in 0..3 {
            assert!((number(a, d) - number(b, 5 + d)).abs() < 1e-12, "{a} {b}");
        }
    }
}

#[test]
fn tables_keep_the_names_of_columns_apart() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 2 -o box.vtu");
    fs::write(here.join("at.csv"), "cell,u,v,w\n0,0.5,0.5,0.5\n").unwrap();
    fs::write(here.join("points.csv"), "x,y,z\n1,1,1\n").unwrap();
    let named = |names: &[(&str, usize)]| {
        let mut mesh = subsolid::read(here.join("box.vtu")).unwrap();
        for &(name, width) in names {
            let values = vec![1.0; width * mesh.points.len()];
            mesh.attributes.push(subsolid::mesh::Attribute { name: name.into(), width, values });
        }
        subsolid::write(here.join("model.vtu"), &mesh, Default::default()).unwrap();
    };
    let at = "evaluate model.vtu --at at.csv --jacobian -o o.csv";
    let locate = "locate model.vtu --points points.csv -o o.csv";
    let gauss = "evaluate model.vtu --gauss 1 --jacobian -o o.csv";
    let twice = |name: &str| format!("two columns of the table are named `{name}`");
    named(&[("vel", 3), ("vel_0", 1)]);
    [at, locate, gauss].iter().for_each(|job| refused(here, job, &twice("vel_0")));
    // found where the file is written
    refused(here, "distance model.vtu -o o.csv", "help: rename the attribute of the model");
    // tables have these for themselves
    let has_column = |name: &str| {
        let text = std::fs::read_to_string(here.join("o.csv")).unwrap();
        text.lines().next().unwrap().split(',').any(|column| column == name)
    };
    for name in ["u", "x", "distance", "status", "corner"] {
        named(&[(name, 1)]);
        let column = format!("attribute:{name}");
        done(here, locate);
        assert!(has_column(&column), "{name}");
        done(here, "evaluate model.vtu --at o.csv -o again.csv");
        done(here, at);
        assert_eq!(has_column(&column), ["u", "x", "corner"].contains(&name), "{name}");
    }
    for (name, jobs) in [
        ("u", &[gauss][..]),
        ("cell", &[at, locate, gauss]),
        ("x", &[gauss, "refine model.vtu -o o.csv"]),
        ("det_j", &[at, gauss]),
    ] {
        named(&[(name, 1)]);
        for job in jobs {
            done(here, job);
            assert!(has_column(&format!("attribute:{name}")), "{job}");
        }
    }
    // files of points too
    let arrays = |file: &str| -> Vec<String> {
        let bytes = fs::read(here.join(file)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let names = text.split("DataArray ").skip(1).filter_map(|tag| tag.split("Name=\"").nth(1));
        names.map(|name| name.split('"').next().unwrap().to_owned()).collect()
    };
    for name in ["cell", "class", "w", "d_u", "undefined_derivative"] {
        named(&[(name, 1)]);
        done(here, "evaluate model.vtu --gauss 1 --derivatives 1 -o points.vtu");
        let found = arrays("points.vtu");
        let count = |name: &str| found.iter().filter(|found| *found == name).count();
        assert_eq!([count(name), count(&format!("attribute:{name}"))], [1, 1], "{found:?}");
    }
    named(&[("layer", 1), ("v", 1)]);
    let slice = "slice model.vtu --layer-height 1 --pixel 0.5 --attribute layer --attribute v";
    done(here, &format!("{slice} --pvtu s.pvtu"));
    let expected = ["layer", "cell", "corner", "u", "v", "w", "attribute:layer", "attribute:v"];
    assert!(arrays("s.pvtu").starts_with(&expected.map(String::from)), "{:?}", arrays("s.pvtu"));
    named(&[("t", 1), ("vel", 3)]);
    [at, locate, gauss].iter().for_each(|job| drop(done(here, job)));
}

#[test]
fn single_precision_far_from_the_origin_is_warned_of() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 3 3 3 -o box.vtu");
    let moved = |by: f64| {
        let mut mesh = subsolid::read(here.join("box.vtu")).unwrap();
        mesh.points.iter_mut().for_each(|p| p[0] += by);
        subsolid::write(here.join("off.vtu"), &mesh, Default::default()).unwrap();
    };
    let warned = |job: &str| {
        let (code, _, stderr) = run(here, job);
        assert_eq!(code, 0, "{stderr}");
        let count = stderr.matches("single precision resolves").count();
        assert!(count < 2, "{stderr}");
        count > 0
    };
    for (by, expected) in [(0.0, false), (1e3, false), (1e5, true), (1e9, true)] {
        moved(by);
        assert_eq!(warned("evaluate off.vtu --samples 3 --precision f32 -o f.vtu"), expected);
        let ranks = "--thread-ranks 2 evaluate off.vtu --samples 3 --precision f32 -o f.pvtu";
        assert_eq!(warned(ranks), expected);
        assert!(!warned("evaluate off.vtu --samples 3 -o f.vtu"));
    }
}

#[test]
fn other_columns_of_tables_are_not_read() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 2 -o box.vtu");
    fs::write(here.join("points.csv"), "id,z,x,y\n7,0.7,1,1.2\n").unwrap();
    let (code, _, stderr) = run(here, "locate box.vtu --points points.csv -o places.csv");
    assert!(code == 0 && stderr.contains("the columns id are not read"), "{stderr}");
    let (code, _, stderr) = run(here, "evaluate box.vtu --at places.csv -o back.csv");
    let ignored = "the columns x, y, z, status, distance are not read";
    assert!(code == 0 && stderr.contains(ignored), "{stderr}");
    let back = fs::read_to_string(here.join("back.csv")).unwrap();
    let row: Vec<f64> =
        back.lines().nth(1).unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    for (found, expected) in row[4..7].iter().zip([1.0, 1.2, 0.7]) {
        assert!((found - expected).abs() < 1e-9, "{row:?}");
    }
    fs::write(here.join("points.csv"), "x,y,z,x\n1,1,1,2\n").unwrap();
    refused(here, "locate box.vtu --points points.csv", "two columns are named `x`");
}

#[test]
fn faces_that_own_their_corners_are_warned_of() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    let cube = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";
    let faces = "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\n\
                 f 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";
    // two closed shells, whose vertices but one lie in the same places: as intended
    let moved = cube.replace("v 0 0 0", "v 2 2 2");
    let second = faces.lines().map(|line| {
        let corners = line[2..].split(' ').map(|v| v.parse::<u32>().unwrap() + 8);
        let corners: Vec<String> = corners.map(|v| v.to_string()).collect();
        format!("f {}\n", corners.join(" "))
    });
    let second: String = second.collect();
    fs::write(here.join("two.obj"), format!("{cube}{moved}{faces}{second}")).unwrap();
    fs::write(here.join("cube.obj"), format!("{cube}{faces}")).unwrap();
    let whole = subsolid::read_surface(here.join("cube.obj")).unwrap();
    let corners = whole.faces.vertices();
    let soup = subsolid::mesh::SurfaceMesh::new(
        corners.iter().map(|&v| whole.points[v as usize]).collect(),
        subsolid::mesh::Polygons::uniform(3, (0..36).collect()),
    );
    subsolid::io::write_surface(here.join("soup.ply"), &soup).unwrap();
    subsolid::io::write_surface(here.join("soup.stl"), &soup).unwrap();
    let lie = "soup.ply: 36 vertices where the surface ends lie exactly where another one does (the \
               first: vertices 0 and 3)";
    for job in [
        "surface MODEL --levels 1 -o a.obj",
        "smooth MODEL --time 0.1 -o a.obj",
        "denoise MODEL -o a.obj",
        "query MODEL --op VV --of 0",
        "view MODEL -o a.html",
    ] {
        let (code, _, stderr) = run(here, &job.replace("MODEL", "soup.ply"));
        assert_eq!((code, stderr.matches(lie).count()), (0, 1), "{job}: {stderr}");
        for joined in ["cube.obj", "two.obj", "soup.stl"] {
            let (code, _, stderr) = run(here, &job.replace("MODEL", joined));
            assert!(code == 0 && !stderr.contains("another one does"), "{job}: {stderr}");
        }
    }
    let join = |options: &str| {
        let job = format!("surface {options} --levels 0 -o joined.ply");
        let (code, _, stderr) = run(here, &job);
        assert!(code == 0 && !stderr.contains("another one does"), "{job}: {stderr}");
        (subsolid::read_surface(here.join("joined.ply")).unwrap(), stderr)
    };
    let (joined, stderr) = join("soup.ply --weld");
    assert!(stderr.contains("28 vertices to others: 8 vertices left"), "{stderr}");
    assert_eq!((joined.points.len(), joined.faces.len()), (8, 12));
    // corners that only nearly agree, and a sliver
    let mut near = soup.clone();
    for (v, point) in near.points.iter_mut().enumerate() {
        point[v % 3] += 1e-7 * (v % 5) as f64;
    }
    near.points.extend([[0.0; 3], [1e-7, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    near.faces.push(&[36, 37, 38]);
    subsolid::io::write_surface(here.join("near.ply"), &near).unwrap();
    let (joined, stderr) = join("near.ply --weld=1e-6");
    assert_eq!((joined.points.len(), joined.faces.len(), joined.part_count()), (8, 12, 1));
    assert!(stderr.contains("fewer than three corners after joining: 1"), "{stderr}");
    assert_eq!(join("near.ply --weld").0.faces.len(), 13);
    refused(
        here,
        "surface near.ply --weld=-1 -o none.ply",
        "a welding distance of -1: out of range",
    );
    refused(here, "surface near.ply --weld=2 -o none.ply", "no face has three corners left");
}

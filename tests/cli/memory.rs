//! What does not fit into memory is refused before it is made, and what is made in pieces fits.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::program::{done, files, refused};

/// Two by two by two cubes, each of six tetrahedra around a diagonal.
fn tetrahedra() -> String {
    let id = |p: [usize; 3]| p[0] + 3 * (p[1] + 3 * p[2]);
    let mut text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n".to_owned();
    text += "POINTS 27 double\n";
    for i in 0..27 {
        text += &format!("{} {} {}\n", i % 3, i / 3 % 3, i / 9);
    }
    text += "CELLS 48 240\n";
    for cube in 0..8 {
        let low = [cube % 2, cube / 2 % 2, cube / 4];
        for [a, b, c] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut at = low;
            text += &format!("4 {}", id(at));
            for axis in [a, b, c] {
                at[axis] += 1;
                text += &format!(" {}", id(at));
            }
            text += "\n";
        }
    }
    text += "CELL_TYPES 48\n";
    text += &"10\n".repeat(48);
    text
}

/// Separate cubes: all their edges and corners are extraordinary.
fn spread(n: usize) -> String {
    let mut text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n".to_owned();
    let count = n.pow(3);
    text += &format!("POINTS {} double\n", 8 * count);
    for cube in 0..count {
        let [x, y, z] = [cube % n, cube / n % n, cube / (n * n)].map(|i| 2 * i);
        for (i, j, k) in (0..8).map(|corner| (corner & 1, corner >> 1 & 1, corner >> 2)) {
            text += &format!("{} {} {}\n", x + i, y + j, z + k);
        }
    }
    text += &format!("CELLS {count} {}\n", 9 * count);
    for first in (0..count).map(|cube| 8 * cube) {
        let corners = [0, 1, 3, 2, 4, 5, 7, 6].map(|corner| (first + corner).to_string());
        text += &format!("8 {}\n", corners.join(" "));
    }
    text += &format!("CELL_TYPES {count}\n{}", "12\n".repeat(count));
    text
}

/// Triangles that share no vertex.
fn separate(count: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        let [x, y, z] = [i % 17, i / 17 % 17, i / 289].map(|i| 3 * i);
        text += &format!("v {x} {y} {z}\nv {} {y} {z}\nv {x} {} {}\n", x + 1, y + 1, z + 1);
    }
    (0..count).for_each(|i| text += &format!("f {} {} {}\n", 3 * i + 1, 3 * i + 2, 3 * i + 3));
    text
}

/// A grid of cubes, in a few bytes.
fn grid(cells: usize) -> String {
    let extent = ["0", &cells.to_string()].join(" ");
    let extent = [&*extent; 3].join(" ");
    format!(
        "<VTKFile type=\"ImageData\" version=\"1.0\"><ImageData WholeExtent=\"{extent}\" Origin=\"0 0 0\" \
         Spacing=\"1 1 1\"><Piece Extent=\"{extent}\"></Piece></ImageData></VTKFile>"
    )
}

fn with_models() -> TempDir {
    let here = tempdir().unwrap();
    fs::write(here.path().join("tet.vtk"), tetrahedra()).unwrap();
    for shape in ["fan 100 2 1 -o fan.vtu", "box 2 2 3 -o box.vtu", "box 12 12 12 -o large.vtu"] {
        done(here.path(), &format!("shape {shape}"));
    }
    here
}

/// Runs the program with so many kB of address space, of which every thread takes some.
fn run_within(here: &Path, kilobytes: usize, arguments: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_subsolid");
    let command =
        format!("ulimit -c 0; ulimit -v {kilobytes} && exec {program} --threads 2 {arguments}");
    Command::new("sh").args(["-c", &command]).current_dir(here).output().unwrap()
}

/// [`run_within`]; it must refuse the job, and leave nothing.
fn refused_within(here: &Path, kilobytes: usize, arguments: &str, fragment: &str) {
    let before = files(here);
    let output = run_within(here, kilobytes, arguments);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
    assert!(message.contains(fragment) && !arguments.contains(fragment), "{arguments}: {message}");
    assert!(files(here) == before, "{arguments} left something behind");
}

#[test]
fn jobs_that_do_not_fit_are_refused_before_they_are_made() {
    let here = with_models();
    let here = here.path();
    let mesh = subsolid::read(here.join("box.vtu")).unwrap();
    let topology = subsolid::topology::Topology::of_mesh(&mesh).unwrap();
    let edges = (0..topology.edge_count() as u32).filter(|&e| topology.is_boundary_edge(e));
    let edges = edges.map(|e| topology.edge_vertices(e));
    let rows: String = edges.map(|[a, b]| format!("edge,{a},{b},10\n")).collect();
    fs::write(here.join("ten.csv"), format!("kind,v0,v1,sharpness\n{rows}")).unwrap();
    fs::write(here.join("spread.vtk"), spread(10)).unwrap();
    done(here, "boundary large.vtu -o skin.obj");
    done(here, "surface skin.obj --levels 2 -o fine.obj");
    fs::write(here.join("many.vti"), grid(150)).unwrap();
    fs::write(here.join("grid.vti"), grid(100)).unwrap();
    fs::write(here.join("points.csv"), "x,y,z\n1,2,3\n").unwrap();
    for (kilobytes, job, fragment) in [
        (1_500_000, "info many.vti", "the topology of 3375000 cells needs about"),
        (
            2_600_000,
            "locate grid.vti --points points.csv -o z.csv",
            "the pieces of 1000000 elements need about",
        ),
        (
            1_500_000,
            "evaluate tet.vtk --samples 64 --derivatives 1 -o z.pvtu --backend cpu",
            "the weights of the samples need about",
        ),
        (
            3_000_000,
            "evaluate large.vtu --samples 24 --piece-points 1000000000 -o z.pvtu",
            "give --piece-points",
        ),
        (2_000_000, "shape box 400 400 400 -o z.vtu", "64000000 cells of the shape need about"),
        (700_000, "surface fine.obj --levels 4 --limit -o z.vtp", "vertices need about"),
        (
            700_000,
            "evaluate large.vtu --levels 1 --samples 30 -o z.glb",
            "samples of the boundary need about",
        ),
        (
            1_500_000,
            "slice spread.vtk --layer-height 0.1 --tolerance 3e-8 --svg z",
            "patches, which do not fit into memory",
        ),
        (2_000_000, "extract fan.vtu -o e.npz", "more than --max-size 1"),
        (2_000_000, "extract fan.vtu -o e.npz --max-size 1000", "operators over the vertices"),
        (
            700_000,
            "evaluate box.vtu --creases ten.csv --samples 2 -o z.vtu",
            "of the local refinement needs about",
        ),
        (
            600_000,
            "quadrature large.vtu --gauss 32 --boundary -o skin.vtu",
            "tables of basis functions on the boundary need about",
        ),
        (
            600_000,
            "quadrature large.vtu --gauss 32 --boundary --crease-angle 40 -o skin.vtu",
            "a single file needs about",
        ),
    ] {
        refused_within(here, kilobytes, job, fragment);
    }
}

/// Files that claim or are more than memory holds, and tables without an end.
#[test]
fn inputs_larger_than_memory_are_refused() {
    let here = with_models();
    let here = here.path();
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let block = vec![0_u8; 1 << 20];
    (0..300).for_each(|_| std::io::Write::write_all(&mut zlib, &block).unwrap());
    let packed = zlib.finish().unwrap();
    let sizes = [1, 300 << 20, 0, packed.len() as u64].map(u64::to_le_bytes).concat();
    let text = |bytes: &[u8]| base64::Engine::encode(&base64::prelude::BASE64_STANDARD, bytes);
    let bomb = format!(
        "<VTKFile type=\"UnstructuredGrid\" header_type=\"UInt64\" \
         compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid><Piece NumberOfPoints=\"1\" \
         NumberOfCells=\"0\"><PointData><DataArray type=\"UInt8\" Name=\"x\" format=\"binary\">\
         {}{}</DataArray></PointData><Points><DataArray type=\"Float64\" \
         NumberOfComponents=\"3\">0 0 0</DataArray></Points><Cells>\
         <DataArray type=\"Int32\" Name=\"connectivity\"></DataArray>\
         <DataArray type=\"Int32\" Name=\"offsets\"></DataArray>\
         <DataArray type=\"UInt8\" Name=\"types\"></DataArray></Cells></Piece></UnstructuredGrid>\
         </VTKFile>",
        text(&sizes),
        text(&packed)
    );
    fs::write(here.join("bomb.vtu"), bomb).unwrap();
    let job = "slice box.vtu --layer-height 0.1 --pixel 0.1 --png z --resolution \
               18446744073709551615x18446744073709551615";
    refused(here, job, "pixels");
    // of no blocks
    fs::File::create(here.join("huge.obj")).unwrap().set_len(200_000_000_000).unwrap();
    fs::File::create(here.join("huge.vtk")).unwrap().set_len(1_500_000_000).unwrap();
    for (job, fragment) in [
        ("info bomb.vtu", "a block and its numbers take 2.8 GB"),
        ("info huge.obj", "a file of 200.0 GB needs about 400.0 GB"),
        ("info huge.vtk", "a file of 1.5 GB needs about 3.0 GB"),
    ] {
        refused_within(here, 2_000_000, job, fragment);
    }
    for (rows, fragment) in [
        ("yes edge,0,1,inf", "rows of creases need"),
        ("tr '\\0' 1 < /dev/zero", "a row of more than a mebibyte"),
        ("echo '\"'; yes a", "a row of more than a mebibyte"),
    ] {
        let program = env!("CARGO_BIN_EXE_subsolid");
        let command = format!(
            "(echo kind,v0,v1,sharpness; {rows}) | (ulimit -c 0; ulimit -v 450000; \
             exec {program} --threads 2 info box.vtu --creases -)"
        );
        let output = Command::new("sh").args(["-c", &command]).current_dir(here).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{rows}: {message}");
        assert!(message.contains(fragment), "{rows}: {message}");
    }
}

/// The limit of a control group, or of one above it, is the memory of the machine. Groups are files
/// below a folder of the test, mounted for the program alone; where that is not allowed, as in some
/// containers, nothing is tested.
#[test]
fn control_groups_limit_memory() {
    let here = tempdir().unwrap();
    let here = here.path();
    done(here, "shape box 1 1 1 -o box.vtu");
    // number : controllers : path
    let own = fs::read_to_string("/proc/self/cgroup").unwrap();
    let path = |controller: &str| -> Option<String> {
        let mut lines = own.lines().map(|line| line.splitn(3, ':').collect::<Vec<_>>());
        let line = lines.find(|line| line[1].split(',').any(|name| name == controller))?;
        Some(line[2].trim_start_matches('/').to_owned())
    };
    let memory = |files: &[(&Path, &str)]| -> Option<u64> {
        let groups = tempdir().unwrap();
        for (file, text) in files {
            let file = groups.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let script = "mount --bind \"$0\" /sys/fs/cgroup || exit 77; exec \"$@\"";
        let program = assert_cmd::cargo::cargo_bin("subsolid");
        let bench = "bench box.vtu --backend cpu --samples 2 --levels 0 --repeats 1 -o bench.json";
        let output = Command::new("unshare")
            .args(["-rm", "sh", "-c", script])
            .args([groups.path(), &program])
            .args(bench.split(' '))
            .current_dir(here)
            .output();
        let output = output.ok().filter(|output| output.status.code() != Some(77))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if said.contains("unshare") {
            return None;
        }
        assert!(output.status.success(), "{said}");
        let report: Value =
            serde_json::from_slice(&fs::read(here.join("bench.json")).unwrap()).unwrap();
        Some(report["machine"]["memory"].as_u64().unwrap())
    };
    let Some(plain) = memory(&[]) else { return };
    assert!(plain > 1_000_000_000, "{plain} bytes");
    // the second version; a container's own group is the root
    let root = Path::new("memory.max");
    assert_eq!(memory(&[(root, "max\n")]), Some(plain));
    assert_eq!(memory(&[(root, "900000000\n")]), path("").map(|_| 900_000_000).or(Some(plain)));
    if let Some(group) = path("").filter(|group| !group.is_empty()) {
        let own = Path::new(&group).join("memory.max");
        assert_eq!(memory(&[(root, "900000000\n"), (&own, "max\n")]), Some(900_000_000));
        assert_eq!(memory(&[(root, "max\n"), (&own, "800000000\n")]), Some(800_000_000));
    }
    // the first version
    if let Some(group) = path("memory") {
        let folder = Path::new("memory").join(group);
        let own = folder.join("memory.limit_in_bytes");
        let above = Path::new("memory/memory.limit_in_bytes");
        assert_eq!(memory(&[(&own, "700000000\n")]), Some(700_000_000));
        assert_eq!(memory(&[(above, "600000000\n")]), Some(600_000_000));
        assert_eq!(memory(&[(root, "900000000\n"), (&own, "950000000\n")]), Some(900_000_000));
    }
}

/// Where an estimate was too low, the program says so and leaves nothing.
#[cfg(unix)]
#[test]
fn memory_that_runs_out_is_an_error() {
    let here = with_models();
    let here = here.path();
    let before = files(here);
    let mut ran_out = 0;
    for kilobytes in (150_000..330_000).step_by(20_000) {
        for job in ["extract large.vtu -o z.npz", "view large.vtu -o z.html"] {
            let output = run_within(here, kilobytes, job);
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            match output.status.code() {
                Some(0) => {}
                code => assert_eq!(code, Some(2), "{kilobytes} {job}: {message}"),
            }
            ran_out += usize::from(message.contains("memory ran out"));
            for name in ["z.npz", "z.html"] {
                drop(fs::remove_file(here.join(name)));
            }
            assert!(files(here) == before, "{kilobytes} {job} left something behind");
        }
    }
    assert!(ran_out > 0, "choose other limits");
}

/// What each patch and each face needs is small, or in memory for few of them at a time.
#[test]
fn jobs_of_many_patches_fit() {
    let here = with_models();
    let here = here.path();
    fs::write(here.join("many.obj"), separate(5000)).unwrap();
    fs::write(here.join("spread.vtk"), spread(10)).unwrap();
    for (kilobytes, job) in [
        (600_000, "view many.obj -o many.html"),
        (1_700_000, "slice spread.vtk --layer-height 5 --tolerance 3e-6 --svg layers"),
    ] {
        let output = run_within(here, kilobytes, job);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{job}: {message}");
    }
}

/// Bézier cells are cut by their own number, however many a leaf has.
#[test]
fn bezier_cells_come_in_pieces_of_so_many_points() {
    let here = with_models();
    let here = here.path();
    let job = "evaluate tet.vtk --levels 1 --cells bezier --rings 3";
    let report = |rest: &str| -> Value {
        serde_json::from_str(&done(here, &format!("{job} --json {rest}"))).unwrap()
    };
    let single = report("-o one.vtu");
    let pieces = report("--piece-points 100000 -o many.pvtu");
    let points = single["points"].as_u64().unwrap();
    assert!(points > 1_000_000, "{single}");
    assert_eq!(
        [&pieces["points"], &pieces["evaluated"]],
        [&single["points"], &single["evaluated"]]
    );
    assert!(pieces["pieces"].as_u64().unwrap() >= points / 100_000, "{pieces}");
    // the default has 524288 points
    let pieces = report("-o more.pvtu");
    assert!(pieces["pieces"].as_u64().unwrap() >= points / 524_288, "{pieces}");
    assert!(pieces["pieces"].as_u64().unwrap() > 1, "{pieces}");
    refused(here, &format!("{job} --write-memory 0.00001 -o two.vtu"), "a single file needs");
    for part in ["1/3", "3/3", "2/3"] {
        done(here, &format!("{job} --pieces {part} -o parts.pvtu"));
    }
    done(here, "merge parts.pvtu");
}

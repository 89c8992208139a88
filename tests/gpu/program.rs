//! The program on a device makes the files that it makes on the CPU.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tempfile::tempdir;

use crate::npz::Npz;
use crate::oracle::vector::{Greatest, greater};
use crate::runs::{done, files, refused};

/// Runs `arguments` with `-o cpu.EXTENSION` on the CPU, `-o cuda.EXTENSION` on the device;
/// returns both files.
fn on_both(directory: &Path, arguments: &str, extension: &str) -> [Vec<u8>; 2] {
    ["cpu", "cuda"].map(|backend| {
        done(directory, &format!("{arguments} --backend {backend} -o {backend}.{extension}"));
        fs::read(directory.join(format!("{backend}.{extension}"))).unwrap()
    })
}

/// A model of the repository.
fn model(name: &str) -> String {
    fs::canonicalize(Path::new("models").join(name)).unwrap().display().to_string()
}

/// Largest difference of the numbers of two texts that are else the same.
fn difference(texts: &[Vec<u8>; 2]) -> f64 {
    let [a, b] = texts.each_ref().map(|text| std::str::from_utf8(text).unwrap());
    let split = |c: char| c == ',' || c.is_whitespace();
    let (a, b) = (a.split(split), b.split(split));
    assert_eq!(a.clone().count(), b.clone().count());
    let pairs = a.zip(b).filter(|(a, b)| a != b);
    let number = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("{text}"));
    pairs.map(|(a, b)| (number(a) - number(b)).abs()).greatest()
}

/// Points in and around the bracket.
fn points() -> String {
    let mut text = String::from("x,y,z\n");
    for i in 0..4000_u32 {
        // multiples of 1 / 1.2207 and its powers spread evenly
        let part = |g: f64| (f64::from(i) * g).fract();
        let [x, y, z] = [6.0 * part(0.8192), 4.0 * part(0.6710), 3.0 * part(0.5497)];
        writeln!(text, "{x},{y},{z}").unwrap();
    }
    text
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn surfaces_are_the_same() {
    let directory = tempdir().unwrap();
    for (name, options, tolerance) in [
        ("bishop", "--levels 3", 0.0),
        ("helmet", "--levels 2 --method edge-friend", 0.0),
        ("spot_control_mesh", "--scheme loop --levels 2", 0.0),
        ("rook", "--levels 2 --method single", 0.0),
        ("cow_boundary", "--levels 3 --method edge-friend", 0.0),
        ("cow_boundary", "--levels 2 --limit --normals", 1e-12),
    ] {
        let arguments = format!("surface {} {options}", model(&format!("surfaces/{name}.obj")));
        let found = difference(&on_both(directory.path(), &arguments, "obj"));
        assert!(found <= tolerance, "{arguments}: {found:e}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn points_are_the_same() {
    let directory = tempdir().unwrap();
    let bracket = model("bracket.vtk");
    fs::write(directory.path().join("points.csv"), points()).unwrap();
    let located = format!("locate {bracket} --points points.csv");
    let found = difference(&on_both(directory.path(), &located, "csv"));
    assert!(found <= 1e-12, "{found:e}");

    let mut parameters = String::from("cell,u,v,w\n");
    (0..888).for_each(|cell| writeln!(parameters, "{cell},0.25,0.5,1").unwrap());
    fs::write(directory.path().join("parameters.csv"), parameters).unwrap();
    let evaluated = format!("evaluate {bracket} --at parameters.csv --derivatives 1");
    let found = difference(&on_both(directory.path(), &evaluated, "csv"));
    assert!(found <= 1e-12, "{found:e}");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn layers_are_the_same() {
    let directory = tempdir().unwrap();
    let graded = model("graded_bracket.vtu");
    for backend in ["cpu", "cuda"] {
        let slice = format!("slice {graded} --layer-height 0.1 --pixel 0.02 --backend {backend}");
        done(directory.path(), &format!("{slice} --antialias 4 --png {backend}-images"));
        done(directory.path(), &format!("{slice} --attribute hardness --pvtu {backend}.pvtu"));
    }
    // by name
    let files =
        |folder: &str| files(&directory.path().join(folder)).into_values().collect::<Vec<_>>();
    let [cpu, cuda] = ["cpu-images", "cuda-images"].map(files);
    assert!(cpu.len() > 90 && cpu == cuda, "{} files", cpu.len());

    let [cpu, cuda] = ["cpu", "cuda"].map(files);
    assert!(!cpu.is_empty() && cpu.len() == cuda.len());
    for (cpu, cuda) in cpu.iter().zip(&cuda) {
        let [cpu, cuda] = [cpu, cuda].map(|file| appended(file));
        assert!(cpu.len() > 5 && cpu.len() == cuda.len(), "{} arrays", cpu.len());
        for (cpu, cuda) in cpu.iter().zip(&cuda) {
            close(cpu, cuda);
        }
    }
}

/// The arrays of a `.vtu` file.
fn appended(file: &[u8]) -> Vec<Vec<u8>> {
    let tag = b"<AppendedData";
    let tag = file.windows(tag.len()).position(|text| text == tag).unwrap();
    let start = tag + file[tag..].iter().position(|&c| c == b'_').unwrap() + 1;
    let mut rest = &file[start..];
    let mut arrays = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<8>() {
        let Some((array, after)) = after.split_at_checked(u64::from_le_bytes(*length) as usize)
        else {
            break;
        };
        arrays.push(array.to_vec());
        rest = after;
    }
    arrays
}

/// Bytes that are the same but for the rounding of real numbers among them.
fn close(a: &[u8], b: &[u8]) {
    assert_eq!(a.len(), b.len());
    let words = |bytes: &[u8]| bytes.as_chunks::<8>().0.to_vec();
    for (a, b) in words(a).into_iter().zip(words(b)).filter(|(a, b)| a != b) {
        let [a, b] = [a, b].map(f64::from_le_bytes);
        // ids and counts would be tiny numbers
        assert!([a, b].iter().all(|x| *x == 0.0 || x.abs() > 1e-300), "{a:e} {b:e}");
        assert!((a - b).abs() <= 1e-11 * a.abs().max(1.0), "{a} {b}");
    }
    let rest = a.len() / 8 * 8;
    assert_eq!(a[rest..], b[rest..]);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn quadratures_are_the_same() {
    let directory = tempdir().unwrap();
    let arguments = format!("quadrature {} --gauss 3 --physical-gradients", model("bracket.vtk"));
    on_both(directory.path(), &arguments, "npz");
    let [mut cpu, mut cuda] =
        ["cpu.npz", "cuda.npz"].map(|file| Npz::open(&directory.path().join(file)));
    let names = cpu.names();
    assert!(names.len() > 10 && cuda.names() == names, "{names:?}");
    for name in names {
        let [cpu, cuda] = [&mut cpu, &mut cuda].map(|archive| archive.bytes(&name));
        // headers are padded to 64 bytes
        close(&cpu, &cuda);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn processed_surfaces_are_the_same() {
    let directory = tempdir().unwrap();
    let spot = model("surfaces/spot_control_mesh.obj");
    done(directory.path(), &format!("surface {spot} --scheme loop --levels 1 -o spot.obj"));
    for (arguments, tolerance) in [
        ("denoise spot.obj --sweeps 2", 1e-11),
        ("smooth spot.obj --time 0.001 --steps 2", 1e-11),
        ("distance spot.obj --to vertex:0 --method toplesets", 1e-11),
        ("distance spot.obj --to vertex:0", 1e-7),
    ] {
        let [cpu, cuda] = on_both(directory.path(), arguments, "ply");
        let [cpu, cuda] = [cpu, cuda].map(|file| {
            let end = file.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
            (file[..end].to_vec(), file[end..].to_vec())
        });
        assert!(cpu.0 == cuda.0 && cpu.1.len() == cuda.1.len(), "{arguments}");
        let path = |name: &str| directory.path().join(format!("{name}.ply"));
        let [cpu, cuda] = ["cpu", "cuda"].map(|name| subsolid::read_surface(path(name)).unwrap());
        let pairs = cpu.points.as_flattened().iter().zip(cuda.points.as_flattened());
        let moved = pairs.map(|(a, b)| (a - b).abs()).greatest();
        let values = |mesh: &subsolid::mesh::SurfaceMesh| -> Vec<f64> {
            mesh.attributes.iter().flat_map(|a| a.values.clone()).collect()
        };
        let (a, b) = (values(&cpu), values(&cuda));
        assert_eq!(a.len(), b.len());
        let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(moved, greater);
        assert!(off <= tolerance, "{arguments}: {off:e}");
    }
}

/// Matrices are those of the CPU to rounding; a device that is not there is refused.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn matrices_of_the_program_are_those_of_the_cpu() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    let job = format!(
        "assemble {} --gauss 3 --rings 1 --mass --elasticity 3,0.3 --format mtx",
        model("bracket.vtk")
    );
    for backend in ["cpu", "cuda"] {
        done(here, &format!("{job} --backend {backend} -o {backend}"));
    }
    for name in ["mass.mtx", "elasticity.mtx"] {
        let [found, expected] = ["cuda", "cpu"].map(|folder| {
            let text = fs::read_to_string(here.join(folder).join(name)).unwrap();
            let values = text.lines().skip(2).map(|line| line.rsplit(' ').next().unwrap());
            values.map(|value| value.parse().unwrap()).collect::<Vec<f64>>()
        });
        assert_eq!(found.len(), expected.len());
        let size = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let off = found.iter().zip(&expected).fold(0.0, |m: f64, (a, b)| greater(m, (a - b).abs()));
        assert!(off <= 1e-13 * size, "{name}: {:e}", off / size);
    }
    refused(here, &format!("{job} --backend cuda:99 -o none"), "there is no CUDA device");
    refused(here, &format!("{job} --backend cuda:0,0 -o none"), "several GPUs");
}

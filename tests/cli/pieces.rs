//! Pieces of one job that several programs write.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{done, refused};
use crate::{json, names, with_fan};

const JOB: &str = "evaluate fan.vtu --samples 6 --jacobian";

fn bytes(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let file = |path: &std::path::PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())
    };
    names(directory).iter().map(file).collect()
}

/// The points of all pieces in a directory, by cells in their order. Jacobians keep the points of
/// cells apart.
fn points(directory: &Path) -> Vec<[f64; 3]> {
    let of_piece = |path: std::path::PathBuf| {
        let mesh = subsolid::io::read(path).unwrap();
        let vertices = (0..mesh.cells.len()).flat_map(|c| mesh.cells.vertices(c).to_vec());
        vertices.map(|v| mesh.points[v as usize]).collect::<Vec<_>>()
    };
    names(directory).into_iter().flat_map(of_piece).collect()
}

#[test]
fn jobs_together_write_what_one_writes() {
    let fan = with_fan();
    let here = fan.path();
    done(here, &format!("{JOB} -o whole.pvtu"));
    let whole = points(&here.join("whole"));
    for of in [1, 2, 3, 7] {
        // in any order
        for job in (1..=of).rev() {
            done(here, &format!("{JOB} --pieces {job}/{of} -o limit.pvtu"));
            assert!(!here.join("limit.pvtu").exists());
        }
        done(here, "merge limit.pvtu");
        assert!(points(&here.join("limit")) == whole, "{of}");
        assert!(subsolid::io::read(here.join("limit.pvtu")).is_ok());
        let files = bytes(&here.join("limit"));
        assert_eq!(files.len(), of);
        assert!(files.iter().all(|(name, _)| name.ends_with(".vtu")), "{of}");
        if of == 1 {
            // but for their names the files of one job are those of no job
            let renamed =
                |(name, bytes): (String, Vec<u8>)| (name.replace("whole", "limit"), bytes);
            let expected: Vec<_> = bytes(&here.join("whole")).into_iter().map(renamed).collect();
            assert!(files == expected);
            let index = |name: &str| fs::read_to_string(here.join(name)).unwrap();
            assert_eq!(index("limit.pvtu"), index("whole.pvtu").replace("whole", "limit"));
        }
        fs::remove_file(here.join("limit.pvtu")).unwrap();
        fs::remove_dir_all(here.join("limit")).unwrap();
    }
}

#[test]
fn a_part_that_is_there_is_not_done_again() {
    let fan = with_fan();
    let here = fan.path();
    done(here, &format!("{JOB} --pieces 1/2 -o limit.pvtu"));
    let piece = here.join("limit/limit_0000.vtu");
    let time = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    let written = time(&piece);
    done(here, &format!("{JOB} --pieces 1/2 -o limit.pvtu"));
    assert_eq!(time(&piece), written);
    // a piece that is cut off is
    let whole = fs::read(&piece).unwrap();
    fs::write(&piece, &whole[..whole.len() / 2]).unwrap();
    done(here, &format!("{JOB} --pieces 2/2 -o limit.pvtu"));
    refused(here, "merge limit.pvtu", "is missing or incomplete");
    assert!(!here.join("limit.pvtu").exists());
    done(here, &format!("{JOB} --pieces 1/2 -o limit.pvtu"));
    assert!(fs::read(&piece).unwrap() == whole);
    done(here, "merge limit.pvtu");
}

#[test]
fn jobs_that_do_not_belong_together_are_refused() {
    let fan = with_fan();
    let here = fan.path();
    refused(here, "merge limit.pvtu", "holds no records of jobs");
    done(here, &format!("{JOB} --pieces 2/3 -o limit.pvtu"));
    refused(here, "merge limit.pvtu", "lacks the jobs 1/3, 3/3");
    // no list of billions of jobs
    let record = here.join("limit/limit_job_0002_of_0003.json");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace("\"of\": 3", "\"of\": 4000000000")).unwrap();
    refused(here, "merge limit.pvtu", "part 2 of 4000000000: no such part");
    fs::write(&record, text.replace("\"of\": 3", "\"of\": 9999")).unwrap();
    refused(here, "merge limit.pvtu", "5/9999, 6/9999, 7/9999, 8/9999, 9/9999, …");
    fs::write(&record, text).unwrap();
    let other = "evaluate fan.vtu --samples 5 --jacobian --pieces 1/3 -o limit.pvtu";
    refused(here, other, "samples differs");
    refused(here, &format!("{JOB} --pieces 1/4 -o limit.pvtu"), "do not belong together");
    refused(here, &format!("{JOB} --levels 1 --pieces 1/3 -o limit.pvtu"), "model_sha256 differs");
    for (options, message) in [
        ("--pieces 4/3 -o limit.pvtu", "I from 1 to N"),
        ("--pieces 0/3 -o limit.pvtu", "I from 1 to N"),
        ("--pieces 1/3 -o limit.vtu", "--pieces is for a .pvtu of samples"),
        ("--pieces 1/3", "not provided:\n  --output"),
    ] {
        refused(here, &format!("{JOB} {options}"), message);
    }
    for job in [1, 3] {
        done(here, &format!("{JOB} --pieces {job}/3 -o limit.pvtu"));
    }
    done(here, "merge limit.pvtu");
    refused(here, &format!("{JOB} --pieces 1/3 -o limit.pvtu"), "its pieces are all written");
    refused(here, "merge fan.vtu", "is not a .pvtu");
}

/// There may be more jobs than pieces.
#[test]
fn jobs_without_a_piece_are_jobs() {
    let fan = with_fan();
    let here = fan.path();
    done(here, "shape box 1 1 1 -o box.vtu");
    for job in 1..=3 {
        done(here, &format!("evaluate box.vtu --samples 3 --pieces {job}/3 -o box.pvtu"));
    }
    done(here, "merge box.pvtu");
    assert_eq!(names(&here.join("box")).len(), 1);
    assert_eq!(subsolid::io::read(here.join("box.pvtu")).unwrap().cells.len(), 8);
}

/// All files below a directory, by their names from there.
fn tree(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![directory.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(directory).unwrap().to_str().unwrap().to_owned();
                all.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    all.sort();
    all
}

const LAYERS: &str = "slice fan.vtu --layer-height 0.13 --pixel 0.1";

#[test]
fn jobs_together_slice_what_one_slices() {
    let fan = with_fan();
    let here = fan.path();
    done(here, &format!("{LAYERS} --png whole --svg drawn"));
    let (images, drawings) = (tree(&here.join("whole")), tree(&here.join("drawn")));
    let layers = images.len() - 1;
    assert!(layers > 4 && drawings.len() == images.len());
    for of in [1, 2, 3, layers + 3] {
        for job in (1..=of).rev() {
            done(here, &format!("{LAYERS} --png layers --svg lines --pieces {job}/{of}"));
            assert!(!here.join("layers").exists());
        }
        done(here, "merge layers");
        done(here, "merge lines");
        assert!(tree(&here.join("layers")) == images, "{of}");
        assert!(tree(&here.join("lines")) == drawings, "{of}");
        let left = fs::read_dir(here).unwrap();
        let left = left.filter_map(|entry| entry.unwrap().file_name().into_string().ok());
        assert_eq!(left.filter(|name| name.contains("_job_")).count(), 0);
        fs::remove_dir_all(here.join("layers")).unwrap();
        fs::remove_dir_all(here.join("lines")).unwrap();
    }
}

#[test]
fn layers_that_are_not_there_are_not_merged() {
    let fan = with_fan();
    let here = fan.path();
    refused(here, "merge layers", "has no layers of jobs beside it");
    let beyond = here.join("layers_job_1_of_4000000000");
    fs::create_dir(&beyond).unwrap();
    refused(here, "merge layers", "has no layers of jobs beside it");
    fs::remove_dir(beyond).unwrap();
    done(here, &format!("{LAYERS} --png layers --pieces 2/3"));
    refused(here, "merge layers", "lacks the jobs 1/3, 3/3");
    done(here, &format!("{LAYERS} --png layers --pieces 1/3"));
    done(here, &format!("{LAYERS} --png layers --pieces 3/3"));
    // layers that are there are not made again
    let manifest = here.join("layers_job_0002_of_0003/manifest.json");
    let report = json(here, &format!("{LAYERS} --png layers --pieces 2/3 --json"));
    assert!(report["made"] == 0 && report["skipped"].as_u64().unwrap() > 0);
    // one that is cut off is
    let listed: serde_json::Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    let file = listed["layers"][0]["files"][0]["path"].as_str().unwrap();
    let image = manifest.with_file_name(file);
    let whole = fs::read(&image).unwrap();
    fs::write(&image, &whole[..whole.len() / 2]).unwrap();
    refused(here, "merge layers", "is missing or incomplete");
    assert!(!here.join("layers").exists());
    let report = json(here, &format!("{LAYERS} --png layers --pieces 2/3 --json"));
    assert_eq!(report["made"], 1);
    // a job of another program, or one that has not ended
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"complete\": true", "\"complete\": false")).unwrap();
    refused(here, "merge layers", "is not complete");
    fs::write(&manifest, text.replace("\"program\": \"subsolid", "\"program\": \"another"))
        .unwrap();
    refused(here, "merge layers", "does not belong to the rest: program");
    fs::write(&manifest, text.replace(&file[..file.len() - 1], "../../x")).unwrap();
    refused(here, "merge layers", "outside of its folder");
    fs::write(&manifest, &text).unwrap();
    done(here, "merge layers");
    refused(here, "merge layers", "is merged already");
    refused(here, &format!("{LAYERS} --png layers --pieces 1/3"), "those of all jobs are written");
    for (options, message) in [
        ("--png a --zip a.zip --pieces 1/2", "for --png, --bmp and --svg, whose layers"),
        ("--cli a.cli --pieces 1/2", "for --png, --bmp and --svg, whose layers"),
        ("--png a --pieces 3/2", "I from 1 to N"),
    ] {
        refused(here, &format!("{LAYERS} {options}"), message);
    }
}

/// The coordinates in a .vtu with appended raw data.
fn points_block(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    let find = |text: &str, from: usize| {
        let at = bytes[from..].windows(text.len()).position(|w| w == text.as_bytes()).unwrap();
        from + at + text.len()
    };
    let offset = find("offset=\"", find("<Points>", 0));
    let digits: String =
        bytes[offset..].iter().map(|&b| b as char).take_while(char::is_ascii_digit).collect();
    let data = find("_", find("<AppendedData", 0)) + digits.parse::<usize>().unwrap();
    let length = u64::from_le_bytes(bytes[data..data + 8].try_into().unwrap()) as usize;
    bytes[data + 8..data + 8 + length].to_vec()
}

#[test]
fn jobs_together_integrate_what_one_integrates() {
    let fan = with_fan();
    let here = fan.path();
    const JOB: &str = "quadrature fan.vtu --gauss 2";
    done(here, &format!("{JOB} -o whole.pvtu"));
    let points = |directory: &str| {
        let files = names(&here.join(directory));
        files.iter().flat_map(|path| points_block(path)).collect::<Vec<u8>>()
    };
    let whole = points("whole");
    let samples = json(here, &format!("{JOB} -o other.pvtu --json"))["samples"].as_u64().unwrap();
    assert_eq!(whole.len() as u64, 24 * samples);
    for of in [1, 2, 5] {
        let mut found = 0;
        for job in (1..=of).rev() {
            let report = json(here, &format!("{JOB} --pieces {job}/{of} -o limit.pvtu --json"));
            found += report["samples"].as_u64().unwrap();
        }
        assert_eq!(found, samples);
        assert!(done(here, &format!("{JOB} --pieces 1/{of} -o limit.pvtu")).is_empty());
        done(here, "merge limit.pvtu");
        assert!(points("limit") == whole, "{of}");
        if of == 1 {
            let contents = |directory: &str| -> Vec<Vec<u8>> {
                names(&here.join(directory)).iter().map(|path| fs::read(path).unwrap()).collect()
            };
            assert!(contents("limit") == contents("whole"));
        }
        fs::remove_file(here.join("limit.pvtu")).unwrap();
        fs::remove_dir_all(here.join("limit")).unwrap();
    }
    refused(here, &format!("{JOB} --pieces 1/2 -o a.npz"), "--pieces is for a .pvtu");
    done(here, &format!("{JOB} --pieces 1/2 -o mixed.pvtu"));
    refused(here, "quadrature fan.vtu --gauss 3 --pieces 2/2 -o mixed.pvtu", "gauss differs");
    refused(here, "evaluate fan.vtu --samples 3 --pieces 2/2 -o mixed.pvtu", "do not belong");
}

#[test]
fn unknown_backends_are_refused() {
    let fan = with_fan();
    let here = fan.path();
    for backend in ["cuda:0,x", "cuda:0,", "cuda:a"] {
        let refusal = "unexpected argument '--backend'";
        refused(here, &format!("info fan.vtu --backend {backend}"), refusal);
        let job = format!("evaluate fan.vtu --samples 2 --backend {backend} -o a.vtu");
        refused(here, &job, "unknown backend");
    }
    let several = "compare fan.vtu --samples 2 --backend cuda:0,0";
    refused(here, several, "only `subsolid evaluate` runs on several GPUs");
}

/// The index is XML, which holds no control characters.
#[test]
fn names_of_pieces_are_those_that_the_index_can_hold() {
    let fan = with_fan();
    let here = fan.path();
    for name in ["a\tb", "a\nb", "a\u{1b}b"] {
        let path = format!("{name}.pvtu");
        let mut program = Command::new(env!("CARGO_BIN_EXE_subsolid"));
        program.current_dir(here).args(["evaluate", "fan.vtu", "--samples", "2", "-o", &path]);
        let output = program.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("without control characters"), "{said}");
    }
    done(here, &format!("{JOB} --pieces 1/2 -o limit.pvtu"));
    let other = format!("{JOB} --compress --pieces 2/2 -o limit.pvtu");
    refused(here, &other, "compress differs");
}

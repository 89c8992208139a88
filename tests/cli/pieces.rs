//! Pieces of one job that several programs write.

use std::fs;
use std::path::Path;

use crate::program::{done, refused};
use crate::{names, with_fan};

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
    refused(here, "merge limit.pvtu", "is missing or not complete");
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
    let other = "evaluate fan.vtu --samples 5 --jacobian --pieces 1/3 -o limit.pvtu";
    refused(here, other, "samples differs");
    refused(here, &format!("{JOB} --pieces 1/4 -o limit.pvtu"), "do not belong together");
    refused(here, &format!("{JOB} --levels 1 --pieces 1/3 -o limit.pvtu"), "model_sha256 differs");
    for (options, message) in [
        ("--pieces 4/3 -o limit.pvtu", "I from 1 to N"),
        ("--pieces 0/3 -o limit.pvtu", "I from 1 to N"),
        ("--pieces 1/3 -o limit.vtu", "--pieces is for a .pvtu of samples"),
        ("--pieces 1/3", "--output"),
    ] {
        refused(here, &format!("{JOB} {options}"), message);
    }
    for job in [1, 3] {
        done(here, &format!("{JOB} --pieces {job}/3 -o limit.pvtu"));
    }
    done(here, "merge limit.pvtu");
    refused(here, &format!("{JOB} --pieces 1/3 -o limit.pvtu"), "its pieces are all written");
    refused(here, "merge fan.vtu", "is no .pvtu");
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

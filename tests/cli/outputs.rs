//! Where outputs go: links, long names, what cannot be replaced; and numbers that would take years.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{done, refused};
use crate::{names, with_fan};

#[test]
fn links_are_followed_also_to_what_is_not_there_yet() {
    let fan = with_fan();
    let here = fan.path();
    fs::create_dir(here.join("disk")).unwrap();
    for ending in ["vtu", "pvtu"] {
        let (link, target) = (format!("link.{ending}"), format!("disk/there.{ending}"));
        symlink(&target, here.join("second")).unwrap();
        symlink("second", here.join(&link)).unwrap();
        done(here, &format!("refine fan.vtu --levels 1 -o {link}"));
        assert!(here.join(&link).is_symlink());
        let first = fs::read(here.join(&target)).unwrap();
        // the second time it is there
        done(here, &format!("refine fan.vtu --levels 1 -o {link}"));
        assert!(here.join(&link).is_symlink() && fs::read(here.join(&target)).unwrap() == first);
        assert_eq!(subsolid::read(here.join(&target)).unwrap().cells.len(), 320);
        fs::remove_file(here.join("second")).unwrap();
    }
    symlink("gone/there.vtu", here.join("astray.vtu")).unwrap();
    refused(here, "refine fan.vtu -o astray.vtu", "No such file");
}

#[test]
fn names_may_be_as_long_as_the_disk_takes_them() {
    let fan = with_fan();
    let here = fan.path();
    let before = names(here);
    for length in 243..=255 {
        let name = format!("{}.vtu", "é".repeat((length - 4) / 2) + &"n".repeat(length % 2));
        assert_eq!(name.len(), length);
        done(here, &format!("refine fan.vtu -o {name}"));
        assert!(subsolid::read(here.join(&name)).is_ok());
        fs::remove_file(here.join(&name)).unwrap();
    }
    let name = |length: usize| "n".repeat(length);
    done(here, &format!("refine fan.vtu -o {}.pvtu", name(245)));
    assert_eq!(subsolid::read(here.join(format!("{}.pvtu", name(245)))).unwrap().cells.len(), 320);
    fs::remove_file(here.join(format!("{}.pvtu", name(245)))).unwrap();
    fs::remove_dir_all(here.join(name(245))).unwrap();
    refused(here, &format!("refine fan.vtu -o {}.pvtu", name(250)), "longer than 255 bytes");
    let job = format!("evaluate fan.vtu --samples 2 --pieces 1/2 -o {}.pvtu", name(240));
    refused(here, &job, "longer than 255 bytes");
    assert_eq!(names(here), before);
}

#[test]
fn what_is_read_only_stays() {
    let fan = with_fan();
    let here = fan.path();
    for name in ["a.vtu", "a.pvtu", "a.csv"] {
        fs::write(here.join(name), "mine").unwrap();
        fs::set_permissions(here.join(name), fs::Permissions::from_mode(0o444)).unwrap();
        refused(here, &format!("evaluate fan.vtu -o {name}"), "is read-only");
    }
}

/// A merge that is stopped after its index or manifest has its name goes on to the end.
#[test]
fn a_merge_can_be_run_again() {
    let fan = with_fan();
    let here = fan.path();
    for job in 1..=3 {
        done(here, &format!("evaluate fan.vtu --samples 3 --pieces {job}/3 -o limit.pvtu"));
        done(here, &format!("slice fan.vtu --layer-height 0.2 --svg layers --pieces {job}/3"));
    }
    let record = here.join("limit/limit_job_0002_of_0003.json");
    let manifest = here.join("layers_job_0002_of_0003/manifest.json");
    let [kept_record, kept_manifest] = [&record, &manifest].map(|path| fs::read(path).unwrap());
    done(here, "merge limit.pvtu");
    done(here, "merge layers");
    let merged = crate::program::files(here);
    fs::write(&record, kept_record).unwrap();
    fs::create_dir(manifest.parent().unwrap()).unwrap();
    fs::write(&manifest, kept_manifest).unwrap();
    fs::create_dir(here.join("layers_job_0003_of_0003")).unwrap();
    done(here, "merge limit.pvtu");
    done(here, "merge layers");
    assert!(crate::program::files(here) == merged);
    assert!(!manifest.parent().unwrap().exists() && !here.join("layers_job_0003_of_0003").exists());
    refused(here, "merge limit.pvtu", "is merged already");
    refused(here, "merge layers", "is merged already");
}

#[test]
fn what_takes_its_value_after_an_equals_sign_says_so() {
    let fan = with_fan();
    let here = fan.path();
    for (job, tip) in [
        ("assemble fan.vtu --mass 7800 -o d", "write --mass=7800"),
        ("assemble --mass 7800 fan.vtu -o d", "write --mass=7800"),
        ("refine fan.vtu --weld 1e-6 -o q.vtu", "write --weld=1e-6"),
        ("quadrature fan.vtu --boundary 0 -o q.npz", "write --boundary=0"),
        ("quadrature --boundary 0 fan.vtu -o q.npz", "write --boundary=0"),
    ] {
        refused(here, job, tip);
    }
}

#[test]
fn numbers_that_would_take_years_are_refused() {
    let fan = with_fan();
    let here = fan.path();
    let fields = "smooth fan.vtu --attribute a -o q.vtu --steps";
    refused(here, &format!("{fields} 1e15"), "invalid value");
    done(here, "boundary fan.vtu -o fan.stl");
    let surface = "smooth fan.stl --time 1 -o q.stl --steps";
    refused(here, &format!("{surface} 1000000000000000"), "ask for at most 1000000");
    refused(here, "denoise fan.stl -o q.stl --sweeps 1000001", "at most 1000000");
    for count in [4096, 1 << 20] {
        let cores = std::thread::available_parallelism().unwrap().get();
        if count > 32 * cores {
            refused(here, &format!("info fan.vtu --threads {count}"), "for each of");
        }
    }
}

/// Where its manifest or its index does not fit, a merge moves nothing.
#[test]
fn a_merge_without_room_leaves_all_as_it_is() {
    let fan = with_fan();
    let here = fan.path();
    for job in 1..=2 {
        done(here, &format!("slice fan.vtu --layer-height 0.2 --svg layers --pieces {job}/2"));
        done(here, &format!("evaluate fan.vtu --samples 3 --pieces {job}/2 -o limit.pvtu"));
    }
    let (before, folders) = (crate::program::files(here), names(here));
    for output in ["layers", "limit.pvtu"] {
        let program = env!("CARGO_BIN_EXE_subsolid");
        let script = format!("trap '' XFSZ; ulimit -f 0; exec {program} merge {output}");
        let merge = Command::new("sh").current_dir(here).args(["-c", &script]).output().unwrap();
        let stderr = String::from_utf8_lossy(&merge.stderr);
        assert!(merge.status.code() == Some(2) && stderr.contains("ulimit -f"), "{stderr}");
        assert!(crate::program::files(here) == before && names(here) == folders, "{output}");
        done(here, &format!("merge {output} --json")); // there is room now
        for name in names(here).iter().filter(|name| !folders.contains(name)) {
            assert!(name.ends_with("layers") || name.ends_with("limit.pvtu"), "{name:?}");
        }
        return_to(here, &before);
    }
}

/// Makes a directory hold these files alone.
fn return_to(here: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    for name in names(here) {
        if name.is_dir() {
            fs::remove_dir_all(name).unwrap()
        } else {
            fs::remove_file(name).unwrap()
        }
    }
    for (name, bytes) in files {
        fs::create_dir_all(name.parent().unwrap()).unwrap();
        fs::write(name, bytes).unwrap();
    }
}

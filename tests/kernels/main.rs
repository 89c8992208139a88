//! All kernels compile for the architectures that the program is made for, without warnings,
//! spilled registers or stack frames. It needs NVRTC, but no GPU:
//! `cargo test --release --test kernels -- --include-ignored`.
//!
//! Compiling is most of the time, so not every variant is compiled for every architecture. The
//! last one, sm_90, gets all variants: most spills come from a combination of macros, on any
//! architecture. The first, sm_75, gets each file in each precision with every value of each macro
//! (of numbers of samples a small and a large one): what an architecture lacks, and spills from its
//! own code for some instruction. sm_80, between them, gets each file in each precision.
//!
//! `SUBSOLID_ARCHITECTURES=80` compiles for this one alone, so in all variants. With
//! `SUBSOLID_CUBINS=folder` the machine code is written to
//! `folder/sm_ARCHITECTURE/FILE-DEFINES.cubin`.

use std::collections::BTreeMap;
use std::path::Path;

use subsolid::backend::cuda::{KernelReport, check_kernels};

#[test]
#[ignore = "needs NVRTC"]
fn kernels_compile_without_findings() {
    let architectures = architectures();
    let reports = check_kernels(&architectures).unwrap();
    for &architecture in &architectures {
        let count = reports.iter().filter(|report| report.architecture == architecture).count();
        println!("sm_{architecture}: {count} variants");
        assert!(count > 0);
    }
    for (file, count, seconds) in by_file(&reports) {
        println!("{seconds:6.1} s {count:4} variants {file}");
    }
    if let Some(folder) = std::env::var_os("SUBSOLID_CUBINS") {
        reports.iter().for_each(|report| write_code(report, folder.as_ref()));
    }
    let findings: Vec<_> = reports.iter().filter(|report| !report.findings.is_empty()).collect();
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} variants:\n{}", lines.len(), lines.join("\n"));
}

/// Files with their variants and the seconds that these took, the slowest first.
fn by_file(reports: &[KernelReport]) -> Vec<(&str, usize, f64)> {
    let mut sums: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for report in reports {
        let (count, seconds) = sums.entry(report.file).or_default();
        *count += 1;
        *seconds += report.duration.as_secs_f64();
    }
    let mut files: Vec<_> = sums.into_iter().map(|(file, (n, s))| (file, n, s)).collect();
    files.sort_by(|a, b| b.2.total_cmp(&a.2));
    files
}

fn architectures() -> Vec<u32> {
    let list = std::env::var("SUBSOLID_ARCHITECTURES").unwrap_or("75,80,90".into());
    list.split(',').map(|number| number.parse().expect("numbers such as 80,90")).collect()
}

fn write_code(report: &KernelReport, folder: &Path) {
    let mut name = report.file.trim_end_matches(".cu").replace('/', "_");
    for (define, value) in &report.defines {
        name += &format!("-{define}{value}");
    }
    let folder = folder.join(format!("sm_{}", report.architecture));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name + ".cubin"), &report.code).unwrap();
}

//! All kernels compile for the architectures that the program is made for, without warnings,
//! spilled registers or stack frames. It needs NVRTC, but no GPU; where NVRTC is missing the
//! test says so and passes, with `SUBSOLID_REQUIRE_NVRTC=1` it fails instead.
//!
//! With `SUBSOLID_CUBINS=folder` the machine code of every variant is written to
//! `folder/sm_ARCHITECTURE/FILE-DEFINES.cubin`. `SUBSOLID_ARCHITECTURES=80,90` compiles for
//! these alone.

use std::path::Path;

use subsolid::backend::cuda::{KernelReport, check_kernels};

#[test]
fn kernels_compile_without_findings() {
    let mut findings = Vec::new();
    let folder = std::env::var_os("SUBSOLID_CUBINS");
    for architecture in architectures() {
        let reports = match check_kernels(architecture) {
            Ok(reports) => reports,
            Err(why) if std::env::var_os("SUBSOLID_REQUIRE_NVRTC").is_some_and(|v| v == "1") => {
                panic!("{why}")
            }
            Err(why) => {
                println!("no kernel is compiled: {why}");
                return;
            }
        };
        assert!(!reports.is_empty());
        println!("sm_{architecture}: {} variants", reports.len());
        if let Some(folder) = &folder {
            reports.iter().for_each(|report| write_code(report, folder.as_ref()));
        }
        findings.extend(reports.into_iter().filter(|report| !report.findings.is_empty()));
    }
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} variants:\n{}", lines.len(), lines.join("\n"));
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

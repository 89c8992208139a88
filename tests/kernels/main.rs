//! All kernels compile for the architectures that the program is made for, without warnings,
//! spilled registers or stack frames. It needs NVRTC, but no GPU; where NVRTC is missing the
//! test says so and passes, with `SUBSOLID_REQUIRE_NVRTC=1` it fails instead.

use subsolid::backend::cuda::check_kernels;

#[test]
fn kernels_compile_without_findings() {
    let mut findings = Vec::new();
    for architecture in [75, 80, 90] {
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
        findings.extend(reports.into_iter().filter(|report| !report.findings.is_empty()));
    }
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} variants:\n{}", lines.len(), lines.join("\n"));
}

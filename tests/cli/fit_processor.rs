//! `subsolid fit --backend`.

use crate::program::{done, refused, run};

#[test]
fn a_fit_runs_on_the_processor_that_is_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box 3 2 2 -o box.vtu");
    let files = ["cpu", "auto"].map(|backend| {
        let arguments =
            format!("fit box.vtu --crease-angle 40 --backend {backend} -o {backend}.vtu");
        let (code, _, stderr) = run(path, &arguments);
        assert_eq!(code, 0, "{stderr}");
        // so small a job is for the CPU, with or without a GPU
        assert_eq!(stderr.contains("Chose CPU, f64"), backend == "auto", "{stderr}");
        std::fs::read(path.join(format!("{backend}.vtu"))).unwrap()
    });
    assert!(files[0] == files[1]);
    for (backend, fragment) in [
        ("cuda:99", "CUDA"),
        ("cuda:0,1", "runs on several GPUs"),
        ("gpu", "unknown backend \"gpu\""),
    ] {
        refused(
            path,
            &format!("fit box.vtu --crease-angle 40 --backend {backend} -o no.vtu"),
            fragment,
        );
        assert!(!path.join("no.vtu").exists(), "{backend}");
    }
}

//! Several devices against the first: results that stay there, and results for the host.

use std::sync::Arc;
use std::time::Instant;

use subsolid::backend::{Backend, Cuda, Limit, MultiDevice, Precision, SharedBackend, cuda};
use subsolid::limit::Solid;
use subsolid::mesh::shape::Shape;
use subsolid::plan::{Samples, Want};

const REPEATS: usize = 11;

/// 2,097,152 cells at 8³, smooth box edges, so that all classes are there.
pub fn run() -> subsolid::Result<()> {
    let mesh = Shape::parse("box", &[128, 128, 128])?.build()?;
    let solid = Solid::new(&mesh)?;
    let plan = solid.plan(&Samples::grid(8), Want::POSITION)?;
    let all = 0..solid.elements().len();
    let count = cuda::devices()?.len();
    // a device listed twice runs one half after the other, and each half is timed alone
    let mut lists = vec![vec![0]];
    lists.extend((2..=count).map(|count| (0..count).collect()));
    for precision in [Precision::F32, Precision::F64] {
        let mut one = None;
        for list in &lists {
            let open = |&ordinal: &usize| -> subsolid::Result<SharedBackend> {
                Ok(Arc::new(Cuda::new(ordinal, precision)?))
            };
            let members = list.iter().map(open).collect::<subsolid::Result<_>>()?;
            let several = MultiDevice::new(members, precision)?;
            let mut evaluator = several.prepare(&plan)?;
            let mut times = evaluator.time(&[mesh.controls()], all.clone(), REPEATS)?;
            times.sort_by(f64::total_cmp);
            let resident = times[REPEATS / 2];
            let mut limit = Limit::default();
            let mut host = f64::INFINITY;
            for _ in 0..3 {
                let start = Instant::now();
                evaluator.evaluate(mesh.controls(), all.clone(), &mut limit)?;
                host = host.min(start.elapsed().as_secs_f64());
            }
            let (resident_one, host_one) = *one.get_or_insert((resident, host));
            println!(
                "several {list:?} {precision:?}: {:.2} ms on the devices ({:.2} x), {:.0} ms to \
                 the host ({:.2} x)",
                resident * 1e3,
                resident_one / resident,
                host * 1e3,
                host_one / host
            );
        }
    }
    Ok(())
}

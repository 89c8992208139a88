//! Surfaces: refinement with topology, and evaluation alone.
//!
//! `cargo bench --bench surface` prints a table in Markdown: medians of seven runs, f32
//! points, 1 and 2 threads, on the boundary of a cow (1,504 quads, closed) and a bishop
//! (968 polygons, creases, boundary). "with topology" starts from the control mesh as it
//! was read: edges by sorting, all levels, points. "points" runs moved control points
//! through a plan. Rates count faces; those of the single matrix and of static refinement,
//! which go to one level at once, its points (slots that are not used left out). With one
//! thread the time is that of the processor, which other programs do not change; with two it
//! is that of the clock. The last column is the time to write the same bytes (vertex list of
//! the faces and points; points alone) into memory that is used again, by one thread, as
//! the points and all of edge-friend are; plans take fresh memory, but for "in its memory",
//! where they are made again in that of the plan before. Words after `--` select
//! rows: those in which each of them occurs, as `-- cow_boundary "matrix, with"`.

use std::collections::HashSet;
use std::hint::black_box;
use std::time::Instant;

use subsolid::SurfaceMesh;
use subsolid::numbers::median;
use subsolid::surface::refine::edge_friend::{EdgeFriend, FriendWorkspace};
use subsolid::surface::{
    Method, Scheme, StaticRefinement, StaticWorkspace, SurfaceOptions, SurfacePlan, Workspace,
};
use subsolid::topology::surface::{Columns, SurfaceTopology};

const RUNS: usize = 7;

fn main() {
    println!(
        "| model | scheme | method | threads | faces or points | ms | millions/s | writing (ms) |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads can be started");
        pool.install(|| {
            for (name, level) in [("cow_boundary", 3), ("cow_boundary", 6), ("bishop", 6)] {
                time_all(&Model::read(name, level, threads));
            }
        });
    }
}

/// What is timed: a model, refined to a level.
struct Model {
    name: &'static str,
    levels: usize,
    threads: usize,
    mesh: SurfaceMesh,
    controls: Vec<[f32; 3]>,
    // all are in the rows that are wanted
    words: Vec<String>,
}

impl Model {
    fn read(name: &'static str, levels: usize, threads: usize) -> Self {
        let path = format!("{}/models/surfaces/{name}.obj", env!("CARGO_MANIFEST_DIR"));
        let mesh = subsolid::read_surface(path).expect("the model is in the repository");
        let controls = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
        let words = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
        Self { name, levels, threads, mesh, controls, words }
    }

    fn plan(&self, scheme: Scheme, method: Method, levels: usize) -> SurfacePlan {
        let options = SurfaceOptions { scheme, levels, method, crease_rule: None };
        SurfacePlan::new(&self.mesh, &options).expect("a valid mesh")
    }

    fn is_wanted(&self, scheme: &str, method: &str) -> bool {
        let Self { name, levels, threads, .. } = self;
        let row = format!("{name}, level {levels} {scheme} {method} {threads}");
        self.words.iter().all(|word| row.contains(word))
    }

    /// Prints the row of a run that makes so many faces or points, and writes so many bytes.
    fn time(&self, scheme: &str, method: &str, [faces, bytes]: [usize; 2], run: &mut dyn FnMut()) {
        if !self.is_wanted(scheme, method) {
            return;
        }
        let Self { name, levels, threads, .. } = self;
        let ms = median_ms(run);
        let rate = faces as f64 / ms / 1e3;
        let mut memory = vec![1_u8; bytes];
        let floor = median_ms(|| black_box(&mut memory).fill(2));
        println!(
            "| {name}, level {levels} | {scheme} | {method} | {threads} | {faces} | {ms:.2} | \
             {rate:.1} | {floor:.2} |"
        );
    }

    fn time_matrix(&self, scheme: Scheme, name: &str, size: usize) {
        let Self { levels, mesh, controls, .. } = self;
        let kept = self.plan(scheme, Method::Matrix, *levels);
        let (faces, points) = (kept.corners().len() / size, 12 * kept.vertex_count());
        let with_topology = [faces, points + 4 * size * faces];
        self.time(name, "matrix, with topology", with_topology, &mut || {
            let plan = self.plan(scheme, Method::Matrix, *levels);
            drop(black_box((plan.evaluate(controls), plan)));
        });
        let mut workspace = Workspace::default();
        let mut spare = Some(kept.clone());
        self.time(name, "matrix, with topology, in its memory", with_topology, &mut || {
            let plan = spare.take().expect("put back below");
            let plan = plan.plan_again(mesh).expect("a valid mesh");
            plan.evaluate_into(controls, &mut workspace).expect("as many points");
            spare = Some(plan);
        });
        self.time(name, "matrix, points", [faces, points], &mut || {
            kept.evaluate_into(controls, &mut workspace).expect("as many points");
        });
    }

    fn time_edge_friend(&self) {
        let Self { levels, mesh, controls, .. } = self;
        let kept = self.plan(Scheme::CatmullClark, Method::EdgeFriend, *levels);
        let (faces, points) = (kept.corners().len() / 4, 12 * kept.vertex_count());
        let mut friends = FriendWorkspace::default();
        let method = "edge-friend, with topology";
        self.time("Catmull-Clark", method, [faces, points + 16 * faces], &mut || {
            with_topology(mesh, *levels, controls, &mut friends);
        });
        let mut workspace = Workspace::default();
        self.time("Catmull-Clark", "edge-friend, points", [faces, points], &mut || {
            kept.evaluate_into(controls, &mut workspace).expect("as many points");
        });
    }

    fn time_static(&self, level: usize) {
        let Self { mesh, controls, .. } = self;
        let what = format!("static refinement of level {level}, points");
        let set_up = format!("static refinement of level {level}, setup");
        // not at levels where semi-sharp creases still are sharp
        if self.is_wanted("Catmull-Clark", &what)
            && let Ok(refinement) = StaticRefinement::new(mesh, Scheme::CatmullClark, level)
        {
            let points = refinement.quads().iter().flatten().collect::<HashSet<_>>().len();
            let evaluator = refinement.evaluator::<f32>().expect("tables");
            let mut workspace = StaticWorkspace::default();
            self.time("Catmull-Clark", &what, [points, 12 * points], &mut || {
                evaluator.evaluate_into(controls, &mut workspace).expect("as many points");
            });
            self.time("Catmull-Clark", &set_up, [points, 12 * points], &mut || {
                let refinement =
                    StaticRefinement::new(mesh, Scheme::CatmullClark, level).expect("as before");
                drop(black_box(refinement.evaluator::<f32>()));
            });
        }
    }

    fn time_single_matrix(&self, level: usize) {
        let what = format!("single matrix of level {level}, points");
        if self.is_wanted("Catmull-Clark", &what) {
            let kept = self.plan(Scheme::CatmullClark, Method::Matrix, level);
            let single = kept.single_matrix::<f32>().expect("a mesh matrix");
            let mut refined = vec![[0.0; 3]; single.len()];
            self.time("Catmull-Clark", &what, [single.len(), 12 * single.len()], &mut || {
                single.evaluate_into(&self.controls, black_box(&mut refined));
            });
        }
    }
}

fn time_all(model: &Model) {
    model.time_matrix(Scheme::CatmullClark, "Catmull-Clark", 4);
    model.time_matrix(Scheme::Loop, "Loop", 3);
    model.time_edge_friend();
    let mut levels = vec![model.levels.min(5), model.levels];
    levels.dedup();
    levels.into_iter().for_each(|level| model.time_static(level));
    model.time_single_matrix(model.levels.min(5));
}

/// Edge-friend from the control mesh as it was read.
fn with_topology(
    mesh: &SurfaceMesh,
    levels: usize,
    controls: &[[f32; 3]],
    workspace: &mut FriendWorkspace<f32>,
) {
    let columns = Columns::of(&mesh.faces);
    let topology =
        SurfaceTopology::build(mesh.points.len(), columns, mesh.faces.vertices().to_vec());
    EdgeFriend::refine_once(mesh, topology, levels, controls, workspace)
        .expect("an oriented manifold");
}

/// Median of the runs in milliseconds; short ones are repeated within a run.
fn median_ms<T>(mut run: impl FnMut() -> T) -> f64 {
    const MIN_MILLISECONDS: f64 = 60.0;
    let start = Instant::now();
    drop(black_box(run()));
    let repeats =
        (MIN_MILLISECONDS / (start.elapsed().as_secs_f64() * 1e3)).ceil().clamp(1.0, 1e4) as usize;
    let alone = rayon::current_num_threads() == 1;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let (start, busy) = (Instant::now(), processor_time());
        (0..repeats).for_each(|_| drop(black_box(run())));
        let clock = start.elapsed().as_secs_f64() * 1e3;
        let time = match (processor_time(), busy) {
            (Some(now), Some(before)) if alone => (now - before) as f64 / 1e6,
            _ => clock,
        };
        times.push(time / repeats as f64);
    }
    median(times)
}

/// Nanoseconds that this thread has run, where the system tells.
fn processor_time() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

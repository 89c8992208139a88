//! Laplace smoothing of attributes.

use rayon::prelude::*;

use crate::error::{Error, Result, option};
use crate::interrupt::stop_point;
use crate::mesh::check_value_count;
use crate::query::{Op, Query};

/// Default fraction of the way that values move in a step.
pub const DEFAULT_FACTOR: f64 = 0.5;

/// Maximum number of steps or sweeps of a job: a million smooth all that there is.
const MAX_STEPS: usize = 1_000_000;

/// Refuses steps or sweeps, by the `name` of their option, that would take years.
///
/// # Errors
/// [`Error::Request`] for more than a million.
pub fn check_steps(name: &'static str, steps: usize) -> Result<()> {
    if steps <= MAX_STEPS {
        return Ok(());
    }
    Err(Error::request(message!(option(name, steps), ": too many"))
        .with_help(format!("ask for at most {MAX_STEPS}")))
}

/// Moves the values of every vertex `steps` times by `factor` of the way to the mean of those
/// of its neighbors by edges (VV), all at once; vertices that are `fixed` keep theirs.
///
/// `values[vertex * width + component]`, in the ids of the mesh. Vertices without neighbors
/// keep their values.
///
/// # Errors
/// As [`check_steps`]; [`Error::Request`] if lengths disagree, or `factor` is outside 0 to 1.
pub fn smooth_attribute(
    query: &Query,
    values: &[f64],
    width: usize,
    steps: usize,
    factor: f64,
    fixed: impl Fn(u32) -> bool + Sync,
) -> Result<Vec<f64>> {
    use crate::topology::order::EntityKind::Vertex;
    check_steps("steps", steps)?;
    let count = query.count(Vertex);
    check_value_count(values, width, count)?;
    if !(0.0..=1.0).contains(&factor) {
        return Err(Error::request(format!("a smoothing factor of {factor}: out of range"))
            .with_help("give a factor from 0 to 1"));
    }
    let original = |id: usize| query.order().map_or(id as u32, |o| o.originals(Vertex)[id]);
    let rows = query.rows(Op::VV)?;
    let (mut now, mut next) = (vec![0.0; values.len()], vec![0.0; values.len()]);
    for id in 0..count {
        let from = original(id) as usize;
        now[id * width..][..width].copy_from_slice(&values[from * width..][..width]);
    }
    for _ in 0..steps {
        next.par_chunks_mut(width).with_min_len(1024).enumerate().for_each(|(id, next)| {
            stop_point();
            let (row, own) = (rows.row(id), &now[id * width..][..width]);
            let weight = if row.is_empty() || fixed(original(id)) { 0.0 } else { factor };
            for (c, next) in next.iter_mut().enumerate() {
                let sum: f64 = row.iter().map(|&v| now[v as usize * width + c]).sum();
                let mean = if weight > 0.0 { sum / row.len() as f64 } else { own[c] };
                *next = own[c] + weight * (mean - own[c]);
            }
        });
        std::mem::swap(&mut now, &mut next);
    }
    let mut smoothed = vec![0.0; values.len()];
    for id in 0..count {
        let to = original(id) as usize;
        smoothed[to * width..][..width].copy_from_slice(&now[id * width..][..width]);
    }
    Ok(smoothed)
}

//! Vertices that sources reach.

use crate::error::{Error, Result};

/// Refuses sources that do not exist, and meshes where `groups` of vertices (cells or faces)
/// join some vertex to no source; vertices of no group do not count.
///
/// # Errors
/// [`Error::Request`] naming the vertex.
pub(super) fn check_reach<'a>(
    count: usize,
    groups: impl Iterator<Item = &'a [u32]>,
    sources: impl Iterator<Item = u32>,
) -> Result<()> {
    let mut parent: Vec<u32> = (0..count as u32).collect();
    let mut used = vec![false; count];
    for group in groups {
        for &v in group {
            used[v as usize] = true;
            let (a, b) = (root(&mut parent, group[0]), root(&mut parent, v));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut reached = vec![false; count];
    let mut any = false;
    for source in sources {
        if source as usize >= count {
            return Err(Error::request(format!("no vertex {source}"))
                .with_help(format!("vertices run from 0 to {}", count.saturating_sub(1))));
        }
        if !used[source as usize] {
            return Err(Error::request(format!("vertex {source} belongs to no cell or face"))
                .with_help("measure from a vertex that does"));
        }
        reached[root(&mut parent, source) as usize] = true;
        any = true;
    }
    if !any {
        return Err(Error::request("there is nothing to measure the distance to")
            .with_help("name vertices or points, or another --to"));
    }
    let mut is_lost = |v: &u32| used[*v as usize] && !reached[root(&mut parent, *v) as usize];
    let lost: Vec<u32> = (0..count as u32).filter(|v| is_lost(v)).collect();
    let Some(first) = lost.first() else { return Ok(()) };
    let more = lost.len() - 1;
    Err(Error::request(format!(
        "vertex {first} and {more} more are joined to nothing that the distance is measured to"
    ))
    .with_help("name a vertex in every connected part, or take the parts one by one"))
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

/// Takes from the values of each connected part their mean at its sources.
pub(super) fn shift_parts<'a>(
    values: &mut [f64],
    groups: impl Iterator<Item = &'a [u32]>,
    sources: &[u32],
) {
    let mut parent: Vec<u32> = (0..values.len() as u32).collect();
    for group in groups {
        for &v in group {
            let (a, b) = (root(&mut parent, group[0]), root(&mut parent, v));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut sums = vec![(0.0, 0.0); values.len()];
    for &v in sources {
        let (sum, count) = &mut sums[root(&mut parent, v) as usize];
        (*sum, *count) = (*sum + values[v as usize], *count + 1.0);
    }
    for (v, value) in (0..).zip(values) {
        let (sum, count) = sums[root(&mut parent, v) as usize];
        *value -= if count > 0.0 { sum / count } else { 0.0 };
    }
}

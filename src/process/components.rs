//! Vertices that sources reach.

use crate::error::IdKind::Vertex;
use crate::error::{Error, Result, option_name};
use crate::mesh::{components, marked_vertices};
use crate::numbers::Real;

/// Refuses sources that do not exist, and meshes where `groups` of vertices (cells or faces)
/// join some vertex to no source; vertices of no group do not count. Returns the
/// [`components`].
///
/// # Errors
/// [`Error::Request`] naming the vertex.
pub(crate) fn check_reach<'a>(
    count: usize,
    groups: impl Iterator<Item = &'a [u32]>,
    sources: impl Iterator<Item = u32>,
) -> Result<Vec<u32>> {
    let mut used = vec![false; count];
    let labels = components(
        count,
        groups.inspect(|group| {
            group.iter().for_each(|&v| used[v as usize] = true);
        }),
    );
    let mut reached = vec![false; count];
    let mut any = false;
    for source in sources {
        if source as usize >= count {
            return Err(Error::request(message!("no ", Vertex.id(source)))
                .with_help(format!("vertices run from 0 to {}", count.saturating_sub(1))));
        }
        if !used[source as usize] {
            return Err(Error::request(message!(Vertex.id(source), " belongs to no cell or face"))
                .with_help("measure from a vertex that does"));
        }
        reached[labels[source as usize] as usize] = true;
        any = true;
    }
    if !any {
        return Err(Error::request("the distance has no target")
            .with_help(message!("name vertices or points, or another ", option_name("to"))));
    }
    let is_lost = |&v: &u32| used[v as usize] && !reached[labels[v as usize] as usize];
    let lost: Vec<u32> = (0..count as u32).filter(is_lost).collect();
    let Some(&first) = lost.first() else { return Ok(labels) };
    let which = match lost.len() - 1 {
        0 => message!(Vertex.id(first), " is"),
        more => message!(Vertex.id(first), " and {more} more are"),
    };
    Err(Error::request(message!(which, " not connected to any target of the distance"))
        .with_help("name a target in every connected part, or process the parts separately"))
}

/// Makes the values of vertices that no face has NaN.
pub(crate) fn leave_unused<T: Real>(values: &mut [T], faces: &[u32]) {
    let used = marked_vertices(values.len(), faces);
    let unused = values.iter_mut().zip(used).filter(|(_, used)| !used);
    unused.for_each(|(value, _)| *value = T::from_f64(f64::NAN));
}

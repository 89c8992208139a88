//! Whether what is fixed holds a part.

use nalgebra::{Matrix6, Vector6};

use super::Constraints;
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result, option};
use crate::limit::Solid;
use crate::mesh::components;
use crate::numbers::counted;

/// Motions that move fixed points by less than this part of the others are free.
const FREE: f64 = 1e-7;
const NAMES: [&str; 6] = [
    "translation along x",
    "translation along y",
    "translation along z",
    "rotation about x",
    "rotation about y",
    "rotation about z",
];

/// Component `d` of the translations along x, y, z and the rotations about them, at a point.
pub(super) fn motions([x, y, z]: [f64; 3], d: usize) -> [f64; 6] {
    let rotations = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
    std::array::from_fn(|k| match k {
        0..3 => f64::from(u8::from(k == d)),
        _ => rotations[k - 3][d],
    })
}

/// Refuses constraints that leave rigid motions of a connected part, or, for a scalar field,
/// constants. Parts are connected by cells, and where vertices have the value of others (`images`).
///
/// # Errors
/// [`Error::Request`] that names the motions that are free.
pub fn check_held(
    solid: &Solid,
    controls: &[[f64; 3]],
    constraints: &Constraints,
    images: Option<&[u32]>,
) -> Result<()> {
    let topology = solid.topology();
    let cells = topology.cells();
    let own = (0..cells.len()).filter(|&cell| !topology.is_ghost(cell as u32));
    let nets = own.map(|cell| cells.vertices(cell));
    let joined: Vec<[u32; 2]> =
        (0..).zip(images.unwrap_or_default()).map(|(v, &image)| [v, image]).collect();
    let joined = joined.iter().map(|pair| &pair[..]);
    let component = components(controls.len(), nets.clone().chain(joined));
    let mut is_used = vec![false; controls.len()];
    nets.flatten().for_each(|&v| is_used[v as usize] = true);
    let roots: Vec<u32> = (0..controls.len() as u32)
        .filter(|&v| is_used[v as usize] && component[v as usize] == v)
        .collect();
    let width = constraints.width();
    for &root in &roots {
        let own: Vec<usize> =
            (0..controls.len()).filter(|&v| is_used[v] && component[v] == root).collect();
        let held = |v: usize, d: usize| constraints.is_fixed()[v * width + d];
        let free: Vec<&str> = if width == 1 {
            if own.iter().any(|&v| held(v, 0)) { Vec::new() } else { vec!["its mean"] }
        } else {
            let fixed = own.iter().flat_map(|&v| (0..3).map(move |d| (v, d)));
            free_motions(controls, &own, fixed.filter(|&(v, d)| held(v, d)))
        };
        if free.is_empty() {
            continue;
        }
        let what = match roots.len() {
            1 => message!("the model"),
            count => {
                message!("one of ", counted(count, "connected part"), ", that of ", Vertex.id(root))
            }
        };
        let (can, option) = match width {
            1 => ("has no temperature anywhere", option("temperature", "PART=T")),
            _ => ("can still move", option("fix", "PART")),
        };
        let motions = if width == 1 { String::new() } else { format!(": {}", free.join(", ")) };
        return Err(Error::request(message!(what, " {can}{motions}"))
            .with_help(message!("give more parts that hold it: ", option)));
    }
    Ok(())
}

/// Names of the motions of some vertices that what is fixed leaves free.
fn free_motions(
    controls: &[[f64; 3]],
    own: &[usize],
    fixed: impl Iterator<Item = (usize, usize)>,
) -> Vec<&'static str> {
    let points = own.iter().map(|&v| controls[v]);
    let center = [0, 1, 2].map(|d| points.clone().map(|p| p[d]).sum::<f64>() / own.len() as f64);
    let place = |p: [f64; 3]| [0, 1, 2].map(|d| p[d] - center[d]);
    let size = points.flat_map(place).fold(0.0f64, |most, x| most.max(x.abs()));
    let mut sum = Matrix6::<f64>::zeros();
    let mut count = 0;
    for (v, d) in fixed {
        let row = Vector6::from(motions(place(controls[v]).map(|x| x / size), d));
        sum += row * row.transpose();
        count += 1;
    }
    let eigen = sum.symmetric_eigen();
    let least = FREE * f64::from(count.max(1));
    let free = (0..6).filter(|&k| eigen.eigenvalues[k] <= least);
    // a name for every free direction: its largest part that has not been named
    let mut names: Vec<&'static str> = Vec::new();
    for k in free {
        let vector = eigen.eigenvectors.column(k);
        let mut order: Vec<usize> = (0..6).collect();
        order.sort_by(|&a, &b| vector[b].abs().total_cmp(&vector[a].abs()));
        let name = order.into_iter().map(|i| NAMES[i]).find(|name| !names.contains(name));
        names.extend(name);
    }
    names.sort_by_key(|name| NAMES.iter().position(|own| own == name));
    names
}

//! Parts of meshes that share no vertex.

/// For each of `count` vertices the least of its connected part, as `groups` of vertices (cells, faces)
/// join them; for one of no group itself. Vertices that do not exist join nothing.
pub(crate) fn components<'a>(count: usize, groups: impl Iterator<Item = &'a [u32]>) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..count as u32).collect();
    for group in groups {
        let mut known = group.iter().copied().filter(|&v| (v as usize) < count);
        let Some(first) = known.next() else { continue };
        for v in known {
            let (a, b) = (root(&mut parent, first), root(&mut parent, v));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    (0..count as u32).map(|v| root(&mut parent, v)).collect()
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

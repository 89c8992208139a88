//! Neighbors in cyclic order: around vertices of surfaces, around edges of solids.

/// A step around the center, from one spoke to the next across a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sector {
    /// Edge of the surface, or face of the solid, where the sector begins.
    pub start: u32,
    /// Edge of the surface, or face of the solid, where the sector ends.
    pub end: u32,
    /// Face of the surface, or cell of the solid.
    pub id: u32,
}

/// Spokes and sectors in cyclic order: sector `i` lies between spokes `i` and `i + 1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fan {
    /// Edges at a vertex, or faces at an edge.
    pub spokes: Vec<u32>,
    /// Faces at a vertex, or cells at an edge: as many in a closed ring, one fewer in a fan.
    pub sectors: Vec<u32>,
}

impl Fan {
    /// Whether the last sector ends at the first spoke.
    pub fn is_closed(&self) -> bool {
        !self.sectors.is_empty() && self.sectors.len() == self.spokes.len()
    }

    /// Sorts sectors into a ring that starts at the least spoke, or a fan that starts where it
    /// begins; counter-clockwise if the sectors agree on a direction, else as the sector with
    /// the least id at the start goes. None if they form neither.
    pub(super) fn of(sectors: &[Sector]) -> Option<Self> {
        let mut sides: Vec<(u32, u32)> = Vec::with_capacity(2 * sectors.len());
        for (i, sector) in (0..).zip(sectors) {
            sides.extend([(sector.start, i), (sector.end, i)]);
        }
        sides.sort_unstable();
        let at = |spoke: u32| {
            let first = sides.partition_point(|side| side.0 < spoke);
            &sides[first..first + sides[first..].partition_point(|side| side.0 == spoke)]
        };
        if sides.chunk_by(|a, b| a.0 == b.0).any(|chunk| chunk.len() > 2) {
            return None;
        }
        let begins = |&(spoke, i): &(u32, u32)| sectors[i as usize].start == spoke;
        let ends = sides.chunk_by(|a, b| a.0 == b.0).filter(|chunk| chunk.len() == 1);
        let ends: Vec<(u32, u32)> = ends.map(|chunk| chunk[0]).collect();
        let first = match ends.len() {
            0 => {
                let Some(&(spoke, _)) = sides.first() else { return Some(Self::default()) };
                let mut both = at(spoke).to_vec();
                both.sort_unstable_by_key(|side| (!begins(side), sectors[side.1 as usize].id));
                both[0]
            }
            2 => *ends.iter().min_by_key(|side| (!begins(side), side.0))?,
            _ => return None,
        };
        let mut fan = Self::default();
        let (mut spoke, mut next) = first;
        loop {
            let sector = sectors[next as usize];
            fan.spokes.push(spoke);
            fan.sectors.push(sector.id);
            spoke = if sector.start == spoke { sector.end } else { sector.start };
            if spoke == first.0 {
                break;
            }
            match at(spoke).iter().find(|side| side.1 != next) {
                Some(side) => next = side.1,
                None => {
                    fan.spokes.push(spoke);
                    break;
                }
            }
        }
        (fan.sectors.len() == sectors.len()).then_some(fan)
    }
}

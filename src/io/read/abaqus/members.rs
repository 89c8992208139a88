//! The elements that rows of sets and surfaces name: elements of each set are found once, after the
//! sets of the sets that it names.

use crate::io::read::assemble::Assembly;
use crate::io::read::lines::shown;

use super::scope::{DeckElement, RowMember};
use super::sets::{SetRow, Sets};

/// Members of all sets and surfaces that are examined: a short deck may name very many.
const MAX_MEMBERS: usize = 1 << 27;

/// Elements of a set or row.
#[derive(Clone, Default)]
pub(super) struct FoundElements {
    /// Ascending numbers of [`Members::element`], each once.
    pub elements: Vec<u32>,
    /// Numbers of other elements, and names of no set.
    pub others: usize,
}

/// What a row means.
enum Meaning {
    Set(usize),
    /// An element by its scope and its index there.
    Element(usize, u32),
    /// First, last and step of numbers of a scope.
    Range(usize, [i64; 3]),
    Nothing,
}

/// The elements of all sets.
pub(super) struct Members<'a> {
    sets: &'a Sets,
    // number of the first element of each scope
    first: Vec<u32>,
    // of each set; none where there would be too many
    found: Vec<Option<FoundElements>>,
    // members that may still be examined
    left: usize,
}

impl<'a> Members<'a> {
    /// Finds the elements of all sets.
    pub fn of(sets: &'a Sets, assembly: &mut Assembly) -> Self {
        let mut next = 0;
        let first = sets.scopes.iter().map(|scope| {
            let first = next;
            next += scope.own.len() as u32;
            first
        });
        let first = first.collect();
        let found = vec![Some(FoundElements::default()); sets.sets.len()];
        let mut members = Self { sets, first, found, left: MAX_MEMBERS };
        for set in members.order(assembly) {
            members.found[set] = members.of_rows(&sets.sets[set].rows);
        }
        members
    }

    /// The elements of a set; `None` if there are too many.
    pub fn of_set(&self, set: usize) -> Option<&FoundElements> {
        self.found[set].as_ref()
    }

    /// An element by its number.
    pub fn element(&self, number: u32) -> DeckElement {
        let scope = self.first.partition_point(|&first| first <= number) - 1;
        self.sets.scopes[scope].own[(number - self.first[scope]) as usize].1
    }

    /// The elements of rows, the sets among which have been found; `None` if there are too many.
    pub fn of_rows(&mut self, rows: &[SetRow]) -> Option<FoundElements> {
        let mut count = 0_usize;
        for row in rows {
            count = count.saturating_add(self.count(row)?);
        }
        self.left = self.left.checked_sub(count)?;
        let mut all = FoundElements::default();
        rows.iter().for_each(|row| self.push(row, &mut all));
        all.elements.sort_unstable();
        all.elements.dedup();
        Some(all)
    }

    /// How many members are examined for a row.
    fn count(&self, row: &SetRow) -> Option<usize> {
        Some(match self.meaning(row) {
            Meaning::Set(set) => 1 + self.found[set].as_ref()?.elements.len(),
            Meaning::Range(scope, [first, last, step]) => {
                let count = steps(first, last, step).saturating_add(1);
                1 + usize::try_from(count).map_or(0, |n| n.min(self.sets.scopes[scope].own.len()))
            }
            Meaning::Element(..) | Meaning::Nothing => 1,
        })
    }

    fn push(&self, row: &SetRow, all: &mut FoundElements) {
        match self.meaning(row) {
            Meaning::Set(set) => {
                if let Some(found) = &self.found[set] {
                    all.elements.extend_from_slice(&found.elements);
                    all.others = all.others.saturating_add(found.others);
                }
            }
            Meaning::Element(scope, element) => all.elements.push(self.first[scope] + element),
            Meaning::Nothing => all.others += 1,
            Meaning::Range(index, [first, last, step]) => {
                let (scope, start) = (&self.sets.scopes[index], self.first[index]);
                let step = step.max(1);
                let count = steps(first, last, step);
                if count <= scope.own.len() as i64 {
                    for number in (0..=count).map(|i| first + i * step).filter(|&n| n <= last) {
                        match scope.element(number) {
                            Some(element) => all.elements.push(start + element),
                            None => all.others += 1,
                        }
                    }
                } else {
                    let is_in = |n: i64| n >= first && n <= last && (n - first) % step == 0;
                    let own = (0..).zip(&scope.own).filter(|(_, (number, _))| is_in(*number));
                    all.elements.extend(own.map(|(element, _)| start + element));
                }
            }
        }
    }

    fn meaning(&self, (scope, member): &SetRow) -> Meaning {
        let (mut index, sets) = (*scope, self.sets);
        let of_element = |index: usize, number: i64| match sets.scopes[index].element(number) {
            Some(element) => Meaning::Element(index, element),
            None => Meaning::Nothing,
        };
        let mut name = match member {
            RowMember::Element(number) => return of_element(index, *number),
            RowMember::Range(range) => return Meaning::Range(index, *range),
            RowMember::Set(name) => name.as_str(),
        };
        loop {
            if let Some(set) = sets.scopes[index].set(name) {
                return Meaning::Set(set);
            }
            // `instance.12`, `instance.set`
            let Some((instance, rest)) = name.split_once('.') else { return Meaning::Nothing };
            let Some(instance) = sets.instance(instance) else { return Meaning::Nothing };
            if let RowMember::Element(number) = RowMember::of(rest.as_bytes()) {
                return of_element(instance, number);
            }
            (index, name) = (instance, rest.trim_matches('"'));
        }
    }

    /// The sets, each behind those that it names; what makes a set its own member is left out.
    fn order(&self, assembly: &mut Assembly) -> Vec<usize> {
        #[derive(Clone, Copy, PartialEq)]
        enum SetVisit {
            New,
            Open,
            Done,
        }
        let sets = &self.sets.sets;
        let mut state = vec![SetVisit::New; sets.len()];
        let mut order = Vec::with_capacity(sets.len());
        for root in 0..sets.len() {
            let mut path = if state[root] == SetVisit::New { vec![(root, 0)] } else { Vec::new() };
            while let Some((set, row)) = path.last_mut() {
                let set = *set;
                state[set] = SetVisit::Open;
                let Some(named) = sets[set].rows.get(*row) else {
                    state[set] = SetVisit::Done;
                    order.push(set);
                    path.pop();
                    continue;
                };
                *row += 1;
                match self.meaning(named) {
                    Meaning::Set(child) if state[child] == SetVisit::New => path.push((child, 0)),
                    Meaning::Set(child) if state[child] == SetVisit::Open => {
                        let [name, by] = [child, set].map(|set| shown(sets[set].name.as_bytes()));
                        assembly
                            .skip(&format!("set `{name}` in set `{by}`, which it names itself"));
                    }
                    _ => {}
                }
            }
        }
        order
    }
}

/// Steps from the first number of a range to its last.
fn steps(first: i64, last: i64, step: i64) -> i64 {
    last.saturating_sub(first) / step.max(1)
}

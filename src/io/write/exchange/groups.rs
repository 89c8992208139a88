//! Groups of cells and of faces in formats that number them, and in those that have one number for
//! each cell.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::arrays::RealArray;

/// Cell arrays that number regions, in the order in which they are looked for.
const NUMBERED: [&str; 3] = ["gmsh:physical", "medit:ref", "mfem:attribute"];
/// What the names of numbered groups of faces begin with, besides those of [`NUMBERED`].
const NUMBERED_FACES: &str = "mfem:bdr_attribute";
/// More regions than these are values of cells.
const MAX_REGIONS: usize = 4096;

/// A group of cells or of faces.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Name; of a group that has a number alone `gmsh:physical:3`, say.
    pub name: String,
    /// Number that it had in the file that it is from.
    pub number: Option<i64>,
    /// Whether the name is more than a number.
    pub is_named: bool,
    /// Its members, ascending.
    pub members: Vec<u32>,
}

impl Group {
    /// A group; its name may be that of a numbered one.
    pub fn new(name: &str, members: Vec<u32>) -> Self {
        let is_numbered = |array: &str| NUMBERED.contains(&array) || array == NUMBERED_FACES;
        let number = name.rsplit_once(':').filter(|(array, _)| is_numbered(array));
        let number = number.and_then(|(_, number)| number.parse().ok());
        Self { name: name.to_owned(), number, is_named: number.is_none(), members }
    }
}

/// Gives named groups the numbers of numbered ones with the same members, which are dropped.
pub fn merge_numbered(groups: &mut Vec<Group>) {
    let (mut named, numbered): (Vec<_>, Vec<_>) =
        std::mem::take(groups).into_iter().partition(|group| group.is_named);
    let mut by_members: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
    for (i, group) in named.iter().enumerate() {
        by_members.entry(group.members.clone()).or_default().push(i);
    }
    let mut rest = Vec::new();
    for group in numbered {
        let same = by_members.get(&group.members);
        let free = same.and_then(|all| all.iter().find(|&&i| named[i].number.is_none()));
        match free {
            Some(&i) => named[i].number = group.number,
            None if same.is_some() => {}
            None => rest.push(group),
        }
    }
    named.append(&mut rest);
    *groups = named;
}

/// Takes the first array that numbers regions, and makes a group of each of its values; 0 is no
/// region.
pub fn take_regions(arrays: &mut Vec<RealArray>) -> Vec<Group> {
    for name in NUMBERED {
        let Some(at) = arrays.iter().position(|a| a.name == name && a.width == 1) else { continue };
        let mut members: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        for (cell, &value) in (0..).zip(&arrays[at].values) {
            if value != 0.0 {
                members.entry(value as i64).or_default().push(cell);
            }
        }
        if members.len() <= MAX_REGIONS {
            arrays.remove(at);
            let group = |(n, members)| Group::new(&format!("{name}:{n}"), members);
            return members.into_iter().map(group).collect();
        }
    }
    Vec::new()
}

/// Members by the groups that they are in: each is in one class.
#[derive(Debug, PartialEq)]
pub struct Partition {
    /// Class of each member; 0 for those in no group.
    pub class: Vec<u32>,
    /// Groups of each class, ascending; none of class 0, which may have no members.
    pub groups: Vec<Vec<usize>>,
}

impl Partition {
    /// Of `count` members.
    pub fn new(count: usize, groups: &[Group]) -> Self {
        // a class is its last group and the class without it
        let mut classes: Vec<Vec<usize>> = vec![Vec::new()];
        let mut known: HashMap<(u32, usize), u32> = HashMap::new();
        let mut class = vec![0_u32; count];
        for (g, group) in groups.iter().enumerate() {
            for &member in &group.members {
                let own = &mut class[member as usize];
                *own = *known.entry((*own, g)).or_insert_with(|| {
                    let mut groups = classes[*own as usize].clone();
                    groups.push(g);
                    classes.push(groups);
                    classes.len() as u32 - 1
                });
            }
        }
        let mut is_used = vec![false; classes.len()];
        is_used[0] = true;
        class.iter().for_each(|&class| is_used[class as usize] = true);
        let mut used: Vec<usize> = (0..classes.len()).filter(|&c| is_used[c]).collect();
        used.sort_by_key(|&c| &classes[c]);
        let mut place = vec![0; classes.len()];
        (0..).zip(&used).for_each(|(i, &c)| place[c] = i);
        class.iter_mut().for_each(|class| *class = place[*class as usize]);
        Self { class, groups: used.into_iter().map(|c| classes[c].clone()).collect() }
    }

    /// Whether some member is in no group.
    pub fn has_rest(&self) -> bool {
        self.class.contains(&0)
    }

    /// Members of each class.
    pub fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.groups.len()];
        (0..).zip(&self.class).for_each(|(i, &class)| members[class as usize].push(i));
        members
    }

    /// A number above 0 for each class, that of its group where there is one. Class 0 has `none` if it
    /// is given, and 0 without members.
    pub fn numbers(&self, groups: &[Group], none: Option<i64>) -> Vec<i64> {
        let own = |class: &Vec<usize>| {
            let mut numbers = class.iter().filter_map(|&g| groups[g].number);
            let first = numbers.next().filter(|&n| n > 0 && i32::try_from(n).is_ok());
            first.filter(|first| numbers.all(|n| n == *first))
        };
        let without_rest = none.or_else(|| (!self.has_rest()).then_some(0));
        let first = usize::from(without_rest.is_some());
        let numbers = numbers_of(self.groups.iter().skip(first).map(own));
        without_rest.into_iter().chain(numbers).collect()
    }

    /// The numbers of the classes that a group is made of.
    pub fn numbers_in(&self, group: usize, numbers: &[i64]) -> Vec<i64> {
        let classes = self.groups.iter().zip(numbers);
        classes.filter(|(class, _)| class.contains(&group)).map(|(_, &n)| n).collect()
    }
}

/// Different numbers above 0, those that are wanted where they are free.
pub fn numbers_of(wanted: impl Iterator<Item = Option<i64>>) -> Vec<i64> {
    let mut taken = BTreeSet::new();
    let wanted: Vec<Option<i64>> = wanted.map(|n| n.filter(|&n| taken.insert(n))).collect();
    let mut next = 1;
    let mut free = || {
        while !taken.insert(next) {
            next += 1;
        }
        next
    };
    wanted.into_iter().map(|n| n.unwrap_or_else(&mut free)).collect()
}

/// Names that have only letters, digits and `-._`, begin with a letter and differ in more than
/// capitals, as decks need them.
pub fn plain_names(names: &[&str], taken: &[&str]) -> Vec<String> {
    let mut known: BTreeSet<String> = taken.iter().map(|name| name.to_ascii_uppercase()).collect();
    let plain = |name: &&str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let mut own: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        if !own.starts_with(|c: char| c.is_ascii_alphabetic()) {
            own.insert_str(0, "S_");
        }
        own.truncate(70);
        let (base, mut n) = (own.clone(), 1);
        while !known.insert(own.to_ascii_uppercase()) {
            n += 1;
            own = format!("{base}_{n}");
        }
        own
    };
    names.iter().map(plain).collect()
}

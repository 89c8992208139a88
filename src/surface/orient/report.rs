//! The shells of a surface, which way they look, and what there is to say about it.

use crate::error::IdKind::Face;
use crate::error::{Command, Message, edge};
use crate::numbers::{by_count, counted};

/// What a shell bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    /// A body: it looks outward.
    Body,
    /// A cavity in another: it looks inward.
    Cavity,
    /// Nothing: it looks outward in the material of another, which fills it.
    Filled,
    /// Unknown: it is open, at this edge first, and kept.
    Open([u32; 2]),
    /// Nothing: its volume is 0 but for rounding. It is kept.
    Flat,
}

/// Faces that are connected by edges. Bodies that touch at whole faces are one shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrientedShell {
    /// The first of its faces.
    pub face: u32,
    /// Number of its faces.
    pub faces: usize,
    /// How many of them were reversed.
    pub reversed: usize,
    /// First face of the smallest shell around it.
    pub around: Option<u32>,
    /// What it bounds.
    pub kind: ShellKind,
}

/// The shells of a surface in the order of their first faces, and which way they look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrientedShells(pub Vec<OrientedShell>);

impl OrientedShells {
    /// What was reversed; `None` if nothing was.
    pub fn reversed(&self) -> Option<Message> {
        let (shells, faces) = self.0.iter().partition::<Vec<_>, _>(|s| s.reversed == s.faces);
        let faces = faces.into_iter().filter(|shell| shell.reversed > 0).collect::<Vec<_>>();
        let whole = (!shells.is_empty()).then(|| {
            let of = counted(self.0.len(), "shell");
            message!(shells.len().to_string(), " of {of} (", first_faces(&shells), ")")
        });
        let single = faces.iter().map(|shell| shell.reversed).sum::<usize>();
        let single =
            (single > 0).then(|| message!(counted(single, "face"), " in ", shells_of(&faces)));
        match (whole, single) {
            (Some(whole), Some(single)) => Some(message!(whole, ", and ", single)),
            (whole, single) => whole.or(single),
        }
    }

    /// What is kept although it may not be meant.
    pub fn notices(&self) -> impl Iterator<Item = Message> {
        let of = |is: fn(ShellKind) -> bool| -> Vec<&OrientedShell> {
            self.0.iter().filter(|shell| is(shell.kind)).collect()
        };
        let filled = of(|kind| kind == ShellKind::Filled);
        let flat = of(|kind| kind == ShellKind::Flat);
        let open = of(|kind| matches!(kind, ShellKind::Open(_)));
        let filled = filled.first().map(|first| {
            message!(
                shells_of(&filled),
                by_count(filled.len(), " lies", " lie"),
                " in others (the first in that of ",
                Face.id(first.around.unwrap_or_default()),
                ") and, as these, ",
                by_count(filled.len(), "looks", "look"),
                " outward: filled. ",
                Command::OrientCavities,
                " makes cavities"
            )
        });
        let open = open.first().and_then(|first| match first.kind {
            ShellKind::Open(ends) => Some(message!(
                shells_of(&open),
                by_count(open.len(), " is", " are"),
                " not closed (the first at ",
                edge(ends),
                "): no volume tells which side is outside, so most faces stay as they are. Fill the \
                 holes, or reverse these shells where they were made"
            )),
            _ => None,
        });
        let flat = flat.first().map(|_| {
            let stay = by_count(
                flat.len(),
                " encloses no volume and stays",
                " enclose no volume and stay",
            );
            let advice = "; if bodies touch in it, give each vertices of its own";
            message!(shells_of(&flat), stay, advice)
        });
        [filled, open, flat].into_iter().flatten()
    }
}

/// Shells by their first faces: `the shells of faces 0 and 12`.
fn shells_of(shells: &[&OrientedShell]) -> Message {
    message!(by_count(shells.len(), "the shell of ", "the shells of "), first_faces(shells))
}

fn first_faces(shells: &[&OrientedShell]) -> Message {
    Face.first_ids(shells.iter().map(|shell| shell.face))
}

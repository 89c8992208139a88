//! Messages that know which elements they name.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::term::{Command, Term};

/// A [`Message`] from its parts: literals are formatted as by `format!`, others are text, elements
/// ([`IdKind::id`](crate::IdKind::id)), options ([`option`](crate::error::option)),
/// [commands](crate::error::Command) or messages.
#[macro_export]
macro_rules! message {
    (@push $message:ident) => {};
    (@push $message:ident $text:literal $(, $($rest:tt)*)?) => {
        $message.push(::std::format_args!($text));
        $crate::message!(@push $message $($($rest)*)?);
    };
    (@push $message:ident $part:expr $(, $($rest:tt)*)?) => {
        $message.push($part);
        $crate::message!(@push $message $($($rest)*)?);
    };
    ($($parts:tt)+) => {{
        let mut message = $crate::error::Message::default();
        $crate::message!(@push message $($parts)+);
        message
    }};
}

/// Maximum number of ids that a message lists, and how many of more.
const MAX_IDS: usize = 64;
const FIRST_IDS: usize = 8;

/// What an id in a message is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum IdKind {
    /// A cell of the mesh.
    Cell,
    /// A face of a surface.
    Face,
    /// A vertex.
    Vertex,
    /// A hexahedron that is evaluated: a cell, or one at a corner of a cell.
    Element,
    /// A sample of a request.
    Sample,
    /// A layer of a slicing job.
    Layer,
    /// A row of a table or an image.
    Row,
}

impl IdKind {
    /// The name in messages: `"cell"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cell => "cell",
            Self::Face => "face",
            Self::Vertex => "vertex",
            Self::Element => "element",
            Self::Sample => "sample",
            Self::Layer => "layer",
            Self::Row => "row",
        }
    }

    /// The name of several: `"cells"`.
    fn plural(self) -> &'static str {
        match self {
            Self::Cell => "cells",
            Self::Face => "faces",
            Self::Vertex => "vertices",
            Self::Element => "elements",
            Self::Sample => "samples",
            Self::Layer => "layers",
            Self::Row => "rows",
        }
    }

    /// An element by its kind and id: `cell 12`.
    pub fn id(self, id: impl TryInto<u64> + Copy + Display) -> Message {
        message!(self.name(), " ", self.number(id))
    }

    /// Several: `cells 3, 4 and 5`; of more than 64 the first 8: `cells 3, 4 and 5, …`.
    pub fn ids(self, ids: impl IntoIterator<Item: TryInto<u64> + Copy + Display>) -> Message {
        let mut ids: Vec<_> = ids.into_iter().take(MAX_IDS + 1).collect();
        if ids.len() > MAX_IDS {
            ids.truncate(FIRST_IDS);
            return message!(self.ids(ids), ", …");
        }
        let [others @ .., last] = &ids[..] else { return format!("no {}", self.plural()).into() };
        let mut message =
            Message::from(if others.is_empty() { self.name() } else { self.plural() });
        for (i, &id) in others.iter().enumerate() {
            message.push(if i == 0 { " " } else { ", " });
            message.push(self.number(id));
        }
        message.push(if others.is_empty() { " " } else { " and " });
        message.push(self.number(*last));
        message
    }

    /// The first of many elements: `cells 3, 4 and 5, …`.
    pub(crate) fn first_ids(self, ids: impl ExactSizeIterator<Item = u32>) -> Message {
        let more = if ids.len() > FIRST_IDS { ", …" } else { "" };
        message!(self.ids(ids.take(FIRST_IDS)), more)
    }

    /// The id alone: `12`. A number that is not an id, such as −1 in a file, is text.
    pub fn number(self, id: impl TryInto<u64> + Copy + Display) -> Message {
        match id.try_into() {
            Ok(id) => Message(vec![Fragment::Id(self, id)]),
            Err(_) => id.to_string().into(),
        }
    }
}

/// An edge by its vertices: `edge 3 4`.
pub(crate) fn edge([a, b]: [u32; 2]) -> Message {
    message!("edge ", IdKind::Vertex.number(a), " ", IdKind::Vertex.number(b))
}

/// Text in which the ids of elements are not text: programs get them, and ranks turn ids of a
/// part into ids of the whole. Options and commands are not text either: each interface spells
/// its own. [`message!`](crate::message!) makes it.
///
/// ```
/// use subsolid::IdKind::{Cell, Vertex};
/// let message = subsolid::message!(Cell.id(12), " names ", Vertex.id(7), " twice");
/// assert_eq!(message.to_string(), "cell 12 names vertex 7 twice");
/// assert_eq!(message.elements().collect::<Vec<_>>(), [(Cell, 12), (Vertex, 7)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message(Vec<Fragment>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Fragment {
    Text(String),
    Id(IdKind, u64),
    Term(Term),
}

impl Message {
    /// Appends text, an element or another message.
    pub fn push(&mut self, next: impl Into<Self>) {
        self.0.extend(next.into().0);
    }

    /// The elements named, in their order.
    pub fn elements(&self) -> impl Iterator<Item = (IdKind, u64)> + '_ {
        self.0.iter().filter_map(|part| match *part {
            Fragment::Id(kind, id) => Some((kind, id)),
            Fragment::Text(_) | Fragment::Term(_) => None,
        })
    }

    /// The text, with options and commands as `spell` has them; [`Display`] spells them for readers
    /// of Rust.
    pub fn spelled(&self, spell: impl Fn(&Term) -> String) -> String {
        let words = self.0.iter().map(|part| match part {
            Fragment::Text(text) => text.clone(),
            Fragment::Id(_, id) => id.to_string(),
            Fragment::Term(term) => spell(term),
        });
        words.collect()
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(Term::to_string))
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self(vec![Fragment::Text(text)])
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Term> for Message {
    fn from(term: Term) -> Self {
        Self(vec![Fragment::Term(term)])
    }
}

impl From<Command> for Message {
    fn from(command: Command) -> Self {
        Term::Command(command).into()
    }
}

impl From<fmt::Arguments<'_>> for Message {
    fn from(text: fmt::Arguments<'_>) -> Self {
        text.to_string().into()
    }
}

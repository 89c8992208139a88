//! Exchanges that carry errors along.

use std::cell::{Cell, RefCell};

use serde::{Deserialize, Serialize};

use super::Group;
use crate::error::{Error, Message, Result};

/// The ranks of a job, for the job's own code.
///
/// Every exchange takes a result. If any rank has an error, all ranks get one: the error of
/// the first rank that has one. Later exchanges return it again without any communication, so a
/// rank may leave a job by `?` at any place: the exchange that its caller ends with meets the one
/// that the others are in.
pub struct Ranks<'g> {
    group: &'g dyn Group,
    failure: RefCell<Option<Failure>>,
    // stopped because another rank has failed
    stopped: Cell<bool>,
}

/// An error, as it goes from rank to rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Failure {
    message: Message,
    help: Option<Message>,
}

impl Failure {
    fn error(&self) -> Error {
        let error = Error::request(self.message.clone());
        match &self.help {
            Some(help) => error.with_help(help.clone()),
            None => error,
        }
    }
}

/// What a message starts with.
const VALUE: u8 = 0;
const ERROR: u8 = 1;
const STOPPED: u8 = 2;

impl<'g> Ranks<'g> {
    /// The ranks of a group.
    pub fn new(group: &'g dyn Group) -> Self {
        Self { group, failure: RefCell::default(), stopped: Cell::default() }
    }

    /// This rank, from 0 on.
    pub fn rank(&self) -> usize {
        self.group.rank()
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.group.size()
    }

    /// Whether this rank speaks for all.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// The bytes of all ranks, `[rank]`.
    ///
    /// # Errors
    /// The error of the first rank that has one.
    pub fn all_gather(&self, own: Result<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        if let Some(failure) = &*self.failure.borrow() {
            return Err(failure.error());
        }
        if self.size() == 1 {
            return own.map(|own| vec![own]);
        }
        let message = match own {
            Ok(bytes) => [&[VALUE], &bytes[..]].concat(),
            Err(_) if self.stopped.get() => vec![STOPPED],
            Err(error) => {
                self.group.warn();
                let help = error.help().cloned();
                let failure = Failure { message: error.message(), help };
                let text = serde_json::to_vec(&failure).unwrap_or_default();
                [&[ERROR], &text[..]].concat()
            }
        };
        let mut all = self.group.all_gather(&message);
        if let Some(failure) = failure(&all) {
            let error = failure.error();
            *self.failure.borrow_mut() = Some(failure);
            return Err(error);
        }
        all.iter_mut().for_each(|bytes| drop(bytes.drain(..1)));
        Ok(all)
    }

    /// The result of this rank if no rank has failed.
    ///
    /// # Errors
    /// The error of the first rank that has one.
    pub fn agree<T>(&self, own: Result<T>) -> Result<T> {
        let (value, own) = match own {
            Ok(value) => (Some(value), Ok(Vec::new())),
            Err(error) => (None, Err(error)),
        };
        self.all_gather(own)?;
        value.ok_or_else(|| Error::request("a rank has no result"))
    }

    /// What rank 0 has, on all ranks; the others give their results so far.
    ///
    /// # Errors
    /// The error of the first rank that has one.
    pub fn broadcast(&self, own: Result<Vec<u8>>) -> Result<Vec<u8>> {
        let own = own.map(|bytes| if self.is_first() { bytes } else { Vec::new() });
        Ok(self.all_gather(own)?.swap_remove(0))
    }

    /// To be called now and then in long work without exchanges.
    ///
    /// # Errors
    /// If another rank has failed: nobody will use the work. Its own error follows from the next
    /// exchange.
    pub fn go_on(&self) -> Result<()> {
        if !self.group.is_warned() {
            return Ok(());
        }
        self.stopped.set(true);
        Err(Error::request("another rank has failed"))
    }
}

/// The first error of all ranks, with its rank unless all have the same.
fn failure(all: &[Vec<u8>]) -> Option<Failure> {
    if all.iter().all(|bytes| bytes.first() == Some(&VALUE)) {
        return None;
    }
    let unknown = || Failure { message: "failed".into(), help: None };
    let error = |bytes: &Vec<u8>| -> Option<Failure> {
        let (&kind, text) = bytes.split_first()?;
        (kind == ERROR).then(|| serde_json::from_slice(text).unwrap_or_else(|_| unknown()))
    };
    let errors: Vec<Option<Failure>> = all.iter().map(error).collect();
    let first = errors.iter().position(Option::is_some).unwrap_or(0);
    let mut failure = errors[first].clone().unwrap_or_else(unknown);
    if errors.iter().any(|error| *error != errors[first]) {
        failure.message = message!("rank {first}: ", failure.message);
    }
    Some(failure)
}

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

#[cfg(test)]
mod tests {
    use super::super::Threads;
    use super::*;
    use crate::error::IdKind;

    #[test]
    fn all_get_what_all_have() {
        for size in [1, 2, 3, 5] {
            let found = Threads::run(size, |group| {
                let ranks = Ranks::new(group);
                let rank = ranks.rank();
                let all = ranks.all_gather(Ok(vec![rank as u8; rank])).unwrap();
                let expected: Vec<_> = (0..size).map(|r| vec![r as u8; r]).collect();
                assert_eq!(all, expected);
                assert_eq!(ranks.broadcast(Ok(vec![7 + rank as u8])).unwrap(), [7]);
                assert_eq!(ranks.agree(Ok(rank)).unwrap(), rank);
                ranks.go_on().unwrap();
                rank
            });
            assert_eq!(found, (0..size).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_of_one_is_that_of_all() {
        for failing in 0..3 {
            let errors = Threads::run(3, |group| {
                let ranks = Ranks::new(group);
                let job = || -> Result<()> {
                    if ranks.rank() == failing {
                        let message = message!("no disk for ", IdKind::Layer.id(7));
                        return Err(Error::request(message).with_help("buy one"));
                    }
                    while ranks.go_on().is_ok() {
                        std::thread::yield_now();
                    }
                    ranks.all_gather(Err(Error::request("stopped"))).map(drop)
                };
                let first = ranks.agree(job()).unwrap_err();
                let again = ranks.all_gather(Ok(Vec::new())).unwrap_err();
                assert_eq!(first.to_string(), again.to_string());
                (first.to_string(), first.elements(), first.help().map(Message::to_string))
            });
            let text = format!("rank {failing}: no disk for layer 7");
            let expected = (text, vec![(IdKind::Layer, 7)], Some("buy one".to_owned()));
            assert!(errors.iter().all(|error| *error == expected), "{errors:?}");
        }
    }

    /// What all refuse alike, a wrong option say, is not a rank's own.
    #[test]
    fn an_error_of_all_names_no_rank() {
        let errors = Threads::run(2, |group| {
            let wrong: Result<()> = Err(Error::request("wrong"));
            Ranks::new(group).agree(wrong).unwrap_err().to_string()
        });
        assert_eq!(errors, ["wrong", "wrong"]);
    }
}

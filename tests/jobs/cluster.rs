//! Ranks that are threads of one program.

use subsolid::cluster::{Host, Ranks, Threads};
use subsolid::{Error, IdKind, Message, Result, message};

#[test]
fn ranks_of_one_machine_share_it() {
    let alone = std::thread::available_parallelism().map_or(1, usize::from);
    for size in [1, 2, 3] {
        let hosts = Threads::run(size, |group| Host::of(&Ranks::new(group)).unwrap());
        for (rank, host) in hosts.into_iter().enumerate() {
            let threads = (alone / size).max(1);
            assert_eq!(host, Host { rank, size, threads });
        }
    }
}

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

//! Refusals of what memory does not hold.

use subsolid::memory::{check, check_half, free_memory, physical_memory};
use subsolid::message;

#[test]
fn more_than_there_is_is_refused() {
    let (Some(free), Some(memory)) = (free_memory(), physical_memory()) else { return };
    assert!(free < memory);
    let help = |limit| message!("at most {limit}");
    assert!(check("it needs", u128::from(free / 2), help).is_ok());
    assert!(check("it needs", u128::from(memory), help).is_err());
    let error = check("it needs", u128::MAX, help).unwrap_err();
    assert!(error.to_string().starts_with("it needs about 3.4e29 GB of memory, what is free"));
    assert!(error.help().is_some_and(|help| help.to_string().starts_with("at most ")));
    let half = u128::from(memory / 2);
    assert!(check_half("it needs", half, help).is_ok() || half > u128::from(free));
    assert!(check_half("it needs", half + 2, help).is_err());
}

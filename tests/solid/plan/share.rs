//! Runs of elements that cost about the same.

use subsolid::plan::shares;

#[test]
fn runs_cost_what_their_shares_say() {
    assert_eq!(shares(&[1.0; 6], &[1.0, 1.0]), [0..3, 3..6]);
    assert_eq!(shares(&[1.0; 6], &[1.0, 2.0]), [0..2, 2..6]);
    assert_eq!(shares(&[4.0, 1.0, 1.0, 1.0, 1.0], &[1.0, 1.0]), [0..1, 1..5]);
    assert_eq!(shares(&[1.0], &[1.0, 1.0, 1.0]), [0..0, 0..1, 1..1]);
    assert_eq!(shares(&[], &[1.0, 1.0]), [0..0, 0..0]);
    // nothing costs anything, or a share is 0
    assert_eq!(shares(&[0.0; 3], &[1.0, 1.0]), [0..0, 0..3]);
    assert_eq!(shares(&[1.0; 3], &[0.0, 1.0, 0.0]), [0..0, 0..3, 3..3]);
}

#[test]
fn runs_hold_every_item_once() {
    let costs: Vec<f64> = (0..1000).map(|i| f64::from(i * 37 % 11) * 0.1).collect();
    for count in 1..8 {
        let runs = shares(&costs, &vec![1.0; count]);
        assert_eq!((runs[0].start, runs[count - 1].end), (0, 1000));
        assert!(runs.windows(2).all(|pair| pair[0].end == pair[1].start));
        let (all, part) = (costs.iter().sum::<f64>(), count as f64);
        for run in runs {
            let own: f64 = costs[run].iter().sum();
            assert!((own - all / part).abs() <= 1.0, "{own} of {all} in {count}");
        }
    }
}

//! Intervals that contain a height.
//!
//! A patch lies in the convex hull of its Bézier points, because the Bernstein
//! polynomials are not negative and sum to 1; so a plane meets it only between the
//! lowest and the highest of them.

/// Intervals `[low, high)` sorted by `low`, with the highest `high` of every
/// power-of-two block, so that a query touches little more than its results.
#[derive(Debug, Default)]
pub struct IntervalIndex {
    // sorted by low
    low: Vec<f64>,
    number: Vec<u32>,
    // highest[0]: high of each; highest[k][i]: largest of highest[k-1][2i], [2i + 1]
    highest: Vec<Vec<f64>>,
}

impl IntervalIndex {
    /// Indexes intervals by their number.
    pub fn new(intervals: &[[f64; 2]]) -> Self {
        let mut number: Vec<u32> = (0..intervals.len() as u32).collect();
        let low_of = |&i: &u32| intervals[i as usize][0];
        number.sort_by(|a, b| low_of(a).total_cmp(&low_of(b)).then(a.cmp(b)));
        let low = number.iter().map(low_of).collect();
        let mut highest: Vec<Vec<f64>> =
            vec![number.iter().map(|&i| intervals[i as usize][1]).collect()];
        while let Some(last) = highest.last().filter(|last| last.len() > 1) {
            highest.push(last.chunks(2).map(|c| c.iter().copied().fold(c[0], f64::max)).collect());
        }
        Self { low, number, highest }
    }

    /// Numbers of all intervals that hold `height`, ascending.
    pub fn find(&self, height: f64, found: &mut Vec<u32>) {
        found.clear();
        let count = self.low.partition_point(|&low| low <= height);
        if count > 0 {
            self.descend(self.highest.len() - 1, 0, count, height, found);
            found.sort_unstable();
        }
    }

    fn descend(&self, level: usize, at: usize, count: usize, height: f64, found: &mut Vec<u32>) {
        if at << level >= count || self.highest[level][at] <= height {
            return;
        }
        if level == 0 {
            found.push(self.number[at]);
            return;
        }
        self.descend(level - 1, 2 * at, count, height, found);
        if 2 * at + 1 < self.highest[level - 1].len() {
            self.descend(level - 1, 2 * at + 1, count, height, found);
        }
    }
}

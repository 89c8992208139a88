//! Runs of pixels in a row.

/// Pixels that are tried together.
const GROUP_PIXELS: usize = 16;

/// Number of leading pixels that have a property.
#[inline(always)]
pub fn leading<T>(pixels: &[T], holds: impl Fn(&T) -> bool) -> usize {
    let (chunks, _) = pixels.as_chunks::<GROUP_PIXELS>();
    // without a branch a pixel, so that it becomes vectors
    let all = |chunk: &&[T; GROUP_PIXELS]| chunk.iter().fold(true, |all, pixel| all & holds(pixel));
    let whole = GROUP_PIXELS * chunks.iter().take_while(all).count();
    whole + pixels[whole..].iter().take_while(|pixel| holds(pixel)).count()
}

/// Number of pixels that are covered.
pub fn covered_count(coverage: &[u16]) -> usize {
    // sums of 16 bits, as many a vector as there are levels
    let of_some = |some: &[u16]| some.iter().map(|&level| u16::from(level > 0)).sum::<u16>();
    coverage.chunks(usize::from(u16::MAX)).map(|some| usize::from(of_some(some))).sum()
}

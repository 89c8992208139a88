//! Numbers formatted for people.

/// A number with six significant digits: in plain notation from 10⁻⁴ to 10⁷, else with an
/// exponent; `0` for zero of either sign.
pub fn significant(x: f64) -> String {
    with_digits(x, 6)
}

/// A number with thirteen significant digits, as [`significant`] writes it, for sums that are
/// compared.
pub fn precise(x: f64) -> String {
    with_digits(x, 13)
}

/// `n` of something: `1 cell`, `2 cells`, `3 vertices`.
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {}", if n == 1 { what.into() } else { plural(what) })
}

/// More than one of something, named by one or two words whose last one changes.
fn plural(what: &str) -> String {
    const ENDINGS: [(&str, &str); 10] = [
        ("ex", "ices"), // vertex
        ("ix", "ices"), // matrix
        ("hedron", "hedra"),
        ("leaf", "leaves"),
        ("ry", "ries"), // entry
        ("ty", "ties"), // cavity
        ("ch", "ches"), // batch
        ("sh", "shes"), // mesh
        ("ss", "sses"), // class
        ("box", "boxes"),
    ];
    let changed = ENDINGS.iter().find_map(|(one, many)| Some((what.strip_suffix(one)?, many)));
    changed.map_or_else(|| format!("{what}s"), |(stem, many)| format!("{stem}{many}"))
}

/// The form of a word that agrees with `n`: `by_count(n, "is", "are")`.
pub fn by_count<'w>(n: usize, one: &'w str, many: &'w str) -> &'w str {
    if n == 1 { one } else { many }
}

fn with_digits(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 { "0".into() } else { x.to_string() };
    }
    // rounded first: 9999999.9 has eight digits before the point
    let scientific = format!("{x:.*e}", digits - 1);
    let exponent = scientific.split_once('e').and_then(|(_, e)| e.parse::<i32>().ok());
    match exponent {
        Some(exponent @ -4..7) => {
            let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
            format!("{x:.decimals$}")
        }
        _ => scientific,
    }
}

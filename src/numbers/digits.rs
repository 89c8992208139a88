//! Numbers formatted for people.

/// A number with six significant digits: in plain notation from 10⁻⁴ to 10⁷, else with an
/// exponent; `0` for zero of either sign.
pub fn significant(x: f64) -> String {
    with_digits(x, 6)
}

/// The same with thirteen digits, for sums that are compared.
pub fn precise(x: f64) -> String {
    with_digits(x, 13)
}

/// So many of something: `1 cell`, `2 cells`, `3 vertices`.
pub fn counted(n: usize, what: &str) -> String {
    match what.strip_suffix("ex").or_else(|| what.strip_suffix("ix")) {
        _ if n == 1 => format!("1 {what}"),
        Some(stem) => format!("{n} {stem}ices"),
        None => format!("{n} {what}s"),
    }
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

#[cfg(test)]
mod tests {
    use super::{counted, significant};

    #[test]
    fn one_thing_is_singular() {
        let all = [(1, "vertex"), (0, "cell"), (2, "vertex"), (3, "matrix")];
        let said = all.map(|(n, what)| counted(n, what));
        assert_eq!(said, ["1 vertex", "0 cells", "2 vertices", "3 matrices"]);
    }

    #[test]
    fn digits_are_significant_at_every_size() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1.00000"),
            (-2.0 / 3.0, "-0.666667"),
            (1e-4, "0.000100000"),
            (9.99999e-5, "9.99999e-5"),
            (9.999999e-5, "0.000100000"),
            (1.2345678e-9, "1.23457e-9"),
            (123456.7, "123457"),
            (1234567.8, "1234568"),
            (9999999.9, "1.00000e7"),
            (1e7, "1.00000e7"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (x, text) in cases {
            assert_eq!(significant(x), text, "{x:e}");
        }
    }
}

//! Documents without a picture of a model, in the colors of pages.

use super::html::{COLORS, escaped};

/// Layout of text, tables and charts.
const STYLE: &str = include_str!("page/document.css");

/// One HTML file of a title and a body, which is HTML, too. Its content security policy forbids
/// every request and every script; it is light or dark as the browser is. Charts take the colors of
/// text and lines from `var(--text)`, `var(--faint)`, `var(--line)` and `var(--back)`.
pub fn document(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n\
         <style>{COLORS}{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

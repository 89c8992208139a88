//! The page as text: template, style, program and data in one file.
//!
//! Its content security policy forbids every request, and every script but the page's own: it
//! names the script's hash. Names from files stand in the data alone, and in the title, escaped.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};

use super::scene::Scene;
use crate::error::{Error, Result};

/// Bytes from which on compression is fast rather than best.
const LARGE: usize = 16 << 20;

const TEMPLATE: &str = include_str!("page/page.html");
/// Colors, light and dark.
pub const COLORS: &str = include_str!("page/colors.css");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/bundle.js");

/// The page of a scene.
pub fn page(scene: &Scene) -> Result<String> {
    let head = serde_json::to_vec(&scene.head())
        .map_err(|e| Error::request(format!("the page's head: {e}")))?;
    let mut shell = (head.len() as u32).to_le_bytes().to_vec();
    shell.extend(head);
    shell.resize(shell.len().next_multiple_of(8), b' ');
    shell.extend_from_slice(&scene.shell.bytes);
    let hash = BASE64.encode(Sha256::digest(SCRIPT.as_bytes()));
    let mut html = String::new();
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        html += before;
        match name {
            "title" => html += &escaped(&scene.title),
            "hash" => html += &hash,
            "style" => html.extend([COLORS, STYLE]),
            "script" => html += SCRIPT,
            "shell" => html += &packed(&shell)?,
            "interior" => html += &packed(&scene.interior.bytes)?,
            _ => {}
        }
        rest = after;
    }
    html += rest;
    Ok(html)
}

fn packed(bytes: &[u8]) -> Result<String> {
    let failed = |e: std::io::Error| Error::request(format!("the page's data: {e}"));
    let level = if bytes.len() < LARGE { Compression::best() } else { Compression::default() };
    let mut encoder = ZlibEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).map_err(failed)?;
    Ok(BASE64.encode(encoder.finish().map_err(failed)?))
}

/// Text as it may stand in HTML and SVG.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_text_and_the_program_ends_where_its_element_does() {
        assert_eq!(escaped("<a & 'b'>"), "&lt;a &amp; &#39;b&#39;&gt;");
        assert!(!SCRIPT.to_ascii_lowercase().contains("</script"));
        assert!(SCRIPT.len() <= 1_000_000, "{} bytes of program", SCRIPT.len());
        assert!(!STYLE.contains('<'));
    }
}

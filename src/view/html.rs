//! The page as text: template, style, program and data in one file.
//!
//! Its content security policy forbids every request, and every script but the page's own: it
//! names the script's hash. Names from files stand in the data alone, and in the title, escaped.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};

use super::scene::Scene;

/// Bytes from which on compression is fast rather than best.
const FAST_COMPRESSION_BYTES: usize = 16 << 20;

const TEMPLATE: &str = include_str!("page/page.html");
/// Colors, light and dark.
pub const COLORS: &str = include_str!("page/colors.css");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/bundle.js");

/// Writes the page of a scene, whose bytes it returns; packed data are written as they are made.
pub fn write(scene: &Scene, out: &mut impl Write) -> io::Result<u64> {
    let head = serde_json::to_vec(&scene.head())?;
    let mut start = (head.len() as u32).to_le_bytes().to_vec();
    start.extend(head);
    start.resize(start.len().next_multiple_of(8), b' ');
    let hash = BASE64.encode(Sha256::digest(SCRIPT.as_bytes()));
    let mut bytes = 0;
    let mut text = |out: &mut _, text: &str| {
        bytes += text.len() as u64;
        Write::write_all(out, text.as_bytes())
    };
    let mut packed_bytes = 0;
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        text(out, before)?;
        match name {
            "title" => text(out, &escaped(&scene.title))?,
            "hash" => text(out, &hash)?,
            "style" => [COLORS, STYLE].into_iter().try_for_each(|style| text(out, style))?,
            "script" => text(out, SCRIPT)?,
            "shell" => packed_bytes += pack(&[&start, &scene.shell.bytes], out)?,
            "interior" => packed_bytes += pack(&[&scene.interior.bytes], out)?,
            _ => {}
        }
        rest = after;
    }
    text(out, rest)?;
    Ok(bytes + packed_bytes)
}

/// Compresses what the parts make together, and writes it as text, whose length it returns.
fn pack(parts: &[&[u8]], out: &mut impl Write) -> io::Result<u64> {
    let bytes: usize = parts.iter().map(|part| part.len()).sum();
    let level =
        if bytes < FAST_COMPRESSION_BYTES { Compression::best() } else { Compression::default() };
    let mut encoder = ZlibEncoder::new(EncoderWriter::new(out, &BASE64), level);
    parts.iter().try_for_each(|part| encoder.write_all(part))?;
    encoder.try_finish()?;
    let compressed = encoder.total_out();
    encoder.finish()?.finish()?;
    Ok(4 * compressed.div_ceil(3))
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
